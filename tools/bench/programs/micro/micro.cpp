// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// The steps that a served loop consists of, one by one: the templates of the library's core without an
/// OpenMP runtime, without its interfaces, and without a team.
///
/// Google Benchmark's own main: --help lists its options. `busy` in a name: a second thread is at work on the
/// same data, which takes a second processor (OppositeThread).
#include "canonical_loop.h"
#include "micro_support.h"
#include <array>
#include <memory>
#include <string>

namespace bench {
namespace {

using wstree::core::Node;
using wstree::core::Phase;
using wstree::core::Rng;
using wstree::core::Word;

/// Iterations of a loop that ends only after more calls than a benchmark makes.
constexpr std::uint64_t k_endless = std::uint64_t{1} << 31;

/// workOn: the owner's step, a compare-and-swap. Busy: a thief looks at the node all the time.
void advance(benchmark::State& state, bool busy) {
  Node<Platform> node;
  const Word word(Phase::owned, 1, 0, 0);
  node.prepare(word, 1, 0, Word::k_max_size, 0, 0, 0);
  std::unique_ptr<Beside> thief;
  if (busy) thief = std::make_unique<Beside>([&node] { benchmark::DoNotOptimize(node.inspect()); });
  std::uint64_t raw = word.raw();
  for (auto _ : state) {
    // A node that is done is as good as any: the count alone would spill over.
    if (Word(raw).left() == Word::k_max_size && node.advance(raw, word)) raw = word.raw();
    const Word wanted = Word(raw).with_left(1);
    if (!node.advance(raw, wanted)) return state.SkipWithError("no thread may stop the node");
    raw = wanted.raw();
  }
}

/// A call that hands out one iteration, from entry to bounds in the program's type. Busy: another member does
/// the same with its own root.
template <class Index> void next(benchmark::State& state, bool busy) {
  struct alignas(wstree::core::k_line_pair) Member { // shares no cache line with another member
    Worker worker;
    Range range;
  };
  Slot slot(2);
  static const Settings settings = single_iterations(); // and none with what all members read
  std::array<Member, 2> members;
  for (std::uint32_t m = 0; m < members.size(); ++m)
    members[m].worker.enter(slot.loop(), slot.memory(m), Slot::entry(k_endless, 1, m, 2, settings));
  std::unique_ptr<Beside> second;
  if (busy) second = std::make_unique<Beside>([&other = members[1]] { other.worker.next(other.range); });
  const wstree::loop::CanonicalLoop<Index> loop(0, static_cast<Index>(1) << 30, 1);
  auto& [worker, range] = members[0];
  for (auto _ : state) {
    if (!worker.next(range)) return state.SkipWithError("the loop is too short");
    benchmark::DoNotOptimize(loop.at(range.begin));
    benchmark::DoNotOptimize(loop.at(range.end - 1));
  }
}

/// The same with the batches that the library takes, each of which reads the clock. Iterations are empty, so
/// that these are the calls of a loop's first microseconds; entering it is counted.
void next_timed(benchmark::State& state) {
  Slot slot(1);
  const Settings settings;
  std::uint64_t loop = 0;
  for (auto _ : state) {
    Worker worker;
    std::uint64_t pieces = 0;
    const double spent = call_clock().time([&] {
      worker.enter(slot.loop(), slot.memory(0), Slot::entry(1 << 20, ++loop, 0, 1, settings));
      pieces = drain(worker);
    });
    state.SetIterationTime(spent / static_cast<double>(pieces));
  }
}

/// A loop of one iteration for each of two members, which both come by in this thread: each one's entry,
/// piece and end.
void loop_of_one_each(benchmark::State& state) {
  Slot slot(2);
  const Settings settings;
  std::uint64_t loop = 0;
  for (auto _ : state) {
    ++loop;
    Worker workers[2];
    Range range;
    for (std::uint32_t member = 0; member < 2; ++member) {
      workers[member].enter(slot.loop(), slot.memory(member), Slot::entry(2, loop, member, 2, settings));
      workers[member].next(range);
      benchmark::DoNotOptimize(range);
    }
    if (drain(workers[0]) + drain(workers[1]) != 0) return state.SkipWithError("each has one iteration");
  }
}

/// A loop in which a thief has come to the node of member 0, which has begun with it.
struct Encounter {
  Encounter(OneSided& shared, std::uint64_t loop, std::uint32_t thief_number) {
    shared.enter(victim, loop, 0);
    victim.next(range);
    shared.enter(thief, loop, thief_number);
  }
  Worker victim, thief;
  Range range;
};

/// What a thief's call takes that finds a node with work, stops it, splits it and begins with its half, in a
/// team of so many. The victim is in the same thread: none of its lines is far.
void steal(benchmark::State& state) {
  OneSided shared(static_cast<std::uint32_t>(state.range(0)), 1 << 16, {});
  const auto thief_number = static_cast<std::uint32_t>(state.range(0) - 1);
  std::uint64_t loop = 0;
  for (auto _ : state) {
    Encounter in(shared, ++loop, thief_number);
    state.SetIterationTime(call_clock().time([&] { in.thief.next(in.range); }));
    benchmark::DoNotOptimize(in.range);
    if (in.thief.counts().steals != 1) return state.SkipWithError("nothing was stolen");
  }
}

/// What the victim's next call takes: it finds its node stopped and goes on with what the thief has left.
void go_on_after_steal(benchmark::State& state) {
  OneSided shared(2, 1 << 16, {});
  std::uint64_t loop = 0;
  for (auto _ : state) {
    Encounter in(shared, ++loop, 1);
    in.thief.next(in.range);
    state.SetIterationTime(call_clock().time([&] { in.victim.next(in.range); }));
    benchmark::DoNotOptimize(in.range);
  }
}

/// A member of another thread that enters every loop first and has the node that is stolen from.
class Victim {
public:
  /// `pieces` of the loop are taken before it can be stolen from; it goes on until the loop is done if
  /// `works`.
  Victim(OneSided& shared, int pieces, bool works)
      : thread_([this, &shared, pieces, works](const std::stop_token&) {
          for (std::uint64_t loop = 0;;) {
            const std::uint64_t wanted = wait_for(loop_, loop);
            if (wanted == k_stop) return;
            loop = wanted;
            Worker worker;
            Range range;
            shared.enter(worker, loop, 0);
            for (int k = 0; k < pieces; ++k) worker.next(range);
            // [release] a thread that sees the number sees what this member entered; pairs with the acquire
            // in wait_for().
            ready_.store(loop, std::memory_order_release);
            while (works && worker.next(range)) work();
            left_.store(loop, std::memory_order_release); // likewise, for the next loop in the slot
          }
        }) {}
  Victim(const Victim&) = delete;
  Victim& operator=(const Victim&) = delete;
  ~Victim() { loop_.store(k_stop, std::memory_order_release); } // nothing follows that it orders

  void begin(std::uint64_t loop) {
    // [release] the last loop is over for the thief; pairs with the acquire in wait_for().
    loop_.store(loop, std::memory_order_release);
    wait_for(ready_, loop - 1);
  }
  void wait_until_left(std::uint64_t loop) { wait_for(left_, loop - 1); }

private:
  /// An iteration. If it were shorter than a line takes to travel, no thief could stop the node.
  static void work() {
    constexpr int k_pauses = 10;
    for (int k = 0; k < k_pauses; ++k) Platform::relax();
  }

  static constexpr std::uint64_t k_stop = ~std::uint64_t{0};

  /// The next number after `known`.
  static std::uint64_t wait_for(const std::atomic<std::uint64_t>& number, std::uint64_t known) {
    for (;;)
      // [acquire] pairs with the releases above.
      if (const std::uint64_t seen = number.load(std::memory_order_acquire); seen != known) return seen;
  }

  std::atomic<std::uint64_t> loop_{0};
  alignas(128) std::atomic<std::uint64_t> ready_{0};
  alignas(128) std::atomic<std::uint64_t> left_{0};
  OppositeThread thread_;
};

/// The thief's call where the victim's lines are in the cache of another processor. Busy: and where it goes
/// on with its node, an iteration at a time.
void steal_from_afar(benchmark::State& state, bool busy) {
  constexpr std::uint64_t k_units = 64;
  constexpr int k_attempts = 1000; // a thief that is held up finds that all is done
  OneSided shared(2, k_units, busy ? single_iterations() : Settings{});
  Victim victim(shared, busy ? 3 : 1, busy);
  std::uint64_t loop = 0;
  const auto steal_once = [&](double& seconds) {
    ++loop;
    Worker thief;
    Range range;
    victim.begin(loop);
    shared.enter(thief, loop, 1);
    seconds = call_clock().time([&] { thief.next(range); });
    benchmark::DoNotOptimize(range);
    if (busy) drain(thief);
    victim.wait_until_left(loop);
    return thief.counts().steals != 0;
  };
  for (auto _ : state) {
    int attempts = 1;
    double seconds = 0;
    while (!steal_once(seconds) && attempts < k_attempts) ++attempts;
    if (attempts == k_attempts) return state.SkipWithError("nothing was stolen");
    state.SetIterationTime(seconds);
  }
}

/// Two nodes for the halves of a stopped one, and the link to them.
void split(benchmark::State& state) {
  std::array<Node<Platform>, 3> nodes;
  std::uint64_t use = 0;
  const Word free(Phase::available, 1, 0, 0);
  for (auto _ : state) {
    ++use;
    nodes[1].prepare(free, use, 0, 100, 1, 1, 0);
    nodes[2].prepare(free, use, 100, 100, 1, 1, 0);
    benchmark::DoNotOptimize(nodes[0].adopt(&nodes[1], use));
  }
}

/// One of the roots that are not done, and every eighth is not.
void board_pick(benchmark::State& state) {
  using wstree::core::Board;
  const auto roots = static_cast<std::uint32_t>(state.range(0));
  std::vector<wstree::core::DoneWord<Platform>> words(Board<Platform>::words(roots));
  Board<Platform> board(words.data(), roots, 1);
  for (std::uint32_t root = 0; root < roots; ++root)
    if (root % 8 != 0) board.mark(root);
  Rng random(1);
  for (auto _ : state) benchmark::DoNotOptimize(board.pick(random));
}

/// The same until the only root is found that has something.
void board_walk(benchmark::State& state) {
  using wstree::core::Board;
  const auto roots = static_cast<std::uint32_t>(state.range(0));
  std::vector<wstree::core::DoneWord<Platform>> words(Board<Platform>::words(roots));
  Board<Platform> board(words.data(), roots, 1);
  for (std::uint32_t root = 1; root < roots; ++root) board.mark(root);
  Rng random(1);
  for (auto _ : state) {
    bool found = false;
    board.walk(
        random, [&](std::uint32_t root) { return !(found |= root == 0); }, [&] { return found; });
    if (!found) return state.SkipWithError("the root that has something was not met");
  }
}

template <class Function, class... Arguments>
benchmark::internal::Benchmark* add(const std::string& name, Function function, Arguments... arguments) {
  return benchmark::RegisterBenchmark(name.c_str(), function, arguments...);
}

void add_all(bool has_second_processor) {
  add("advance", advance, false);
  add("next, 4-byte", next<std::int32_t>, false);
  add("next, 8-byte", next<std::int64_t>, false);
  add("next, timed batches", next_timed)->UseManualTime();
  add("loop of two members, one iteration each", loop_of_one_each);
  add("steal, team", steal)->Arg(2)->Arg(16)->Arg(64)->Arg(256)->UseManualTime();
  add("go on after a steal", go_on_after_steal)->UseManualTime();
  add("split", split);
  add("board pick, roots", board_pick)->Arg(64)->Arg(1024);
  add("board walk, roots", board_walk)->Arg(64)->Arg(1024);
  if (!has_second_processor) return; // they wait for each other without giving it away
  add("advance, busy", advance, true)->UseRealTime();
  add("next, 4-byte, busy", next<std::int32_t>, true)->UseRealTime();
  add("next, 8-byte, busy", next<std::int64_t>, true)->UseRealTime();
  add("steal from another processor", steal_from_afar, false)->UseManualTime();
  add("steal from another processor, busy", steal_from_afar, true)->UseManualTime();
}

} // namespace
} // namespace bench

int main(int argc, char** argv) {
  const std::size_t allowed = bench::allowed_processors().size();
  bench::add_all(allowed != 0 ? allowed > 1 : std::thread::hardware_concurrency() > 1);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
}
