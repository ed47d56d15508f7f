// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "calibrate.h"

#include "cpu_pairs.h"
#include "simulate.h"
#include "slot.h"

#include "wstree/core/models.h"
#include "wstree/core/platform.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <functional>
#include <memory>
#include <thread>
#include <utility>

#include <sched.h>
#include <sys/mman.h>

namespace wstree::simulate {

namespace {

using core::k_line_pair;
using core::StdPlatform;

double now_ns() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double, std::nano>(now).count();
}

double lower_quartile(std::vector<double> values) {
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 4);
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

double median(std::vector<double> values) {
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

/// Returns a thread that stays on one CPU of the system.
std::jthread on_cpu(std::uint32_t cpu, std::function<void()> body) {
  return std::jthread([cpu, body = std::move(body)] {
    const std::size_t bytes = CPU_ALLOC_SIZE(cpu + 1);
    const std::unique_ptr<cpu_set_t, void (*)(cpu_set_t*)> set(CPU_ALLOC(cpu + 1),
                                                               [](cpu_set_t* s) { CPU_FREE(s); });
    CPU_ZERO_S(bytes, set.get());
    CPU_SET_S(cpu, bytes, set.get());
    sched_setaffinity(0, bytes, set.get()); // refused: the figure is about the CPU it runs on
    body();
  });
}

constexpr int k_rounds = 41;

/// Returns ns per call of `step`, which is called `steps` times a round.
template <class Step> double per_step(int steps, Step step) {
  std::vector<double> rounds;
  for (int r = 0; r < k_rounds; ++r) {
    const double begin = now_ns();
    for (int i = 0; i < steps; ++i) step(i);
    rounds.push_back((now_ns() - begin) / steps);
  }
  return lower_quartile(rounds);
}

struct alignas(k_line_pair) Line {
  std::atomic<std::uint64_t> value{0};
};

double hit() {
  std::vector<Line> lines(16);
  // relaxed: the access is measured, one load and one store a step
  const double both = per_step(10'000, [&](int i) {
    const auto seen = lines[static_cast<std::size_t>(i) % 16].value.load(std::memory_order_relaxed);
    lines[static_cast<std::size_t>(i + 5) % 16].value.store(seen + 1, std::memory_order_relaxed);
  });
  return both / 2;
}

double read_modify_write() {
  Line line;
  return per_step(10'000, [&](int) { line.value.fetch_add(1, std::memory_order_relaxed); });
}

double tick() {
  Line line;
  // The store keeps the reading from being left out; it is hidden behind it.
  return per_step(10'000, [&](int) { line.value.store(StdPlatform::ticks(), std::memory_order_relaxed); });
}

double fault() {
  constexpr std::size_t k_page = 4'096, k_pages = 128;
  std::vector<double> rounds;
  for (int r = 0; r < k_rounds; ++r) {
    void* const memory =
        mmap(nullptr, k_page * k_pages, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return 0;
    madvise(memory, k_page * k_pages, MADV_NOHUGEPAGE);
    auto* const bytes = static_cast<volatile std::byte*>(memory);
    const double begin = now_ns();
    for (std::size_t page = 0; page < k_pages; ++page) bytes[page * k_page] = std::byte{1};
    rounds.push_back((now_ns() - begin) / k_pages);
    munmap(memory, k_page * k_pages);
  }
  return lower_quartile(rounds);
}

/// Batches of one empty iteration on one member: ns per batch.
constexpr std::uint64_t k_batches = 20'000;
core::Settings single_iterations() {
  core::Settings settings = unmeasured();
  settings.batch = core::BatchMode::fixed;
  settings.limit = 1;
  return settings;
}

double batch_here() {
  using Slot = simulate::Slot<StdPlatform, core::Model::tree>;
  const auto settings = single_iterations();
  Slot slot(1);
  std::uint64_t loop = 0;
  std::vector<double> rounds;
  for (int r = 0; r < k_rounds; ++r) {
    Slot::Worker worker;
    worker.enter(slot.loop(), slot.memory(0), Slot::entry(k_batches, ++loop, 0, 1, settings));
    std::uint64_t seen = 0;
    const double begin = now_ns();
    for (core::Range range; worker.next(range);) seen += range.end - range.begin;
    rounds.push_back((now_ns() - begin) / static_cast<double>(seen));
  }
  return lower_quartile(rounds);
}

Time to_time(double ns) { return static_cast<Time>(std::llround(ns * static_cast<double>(k_ns))); }

/// Returns the time of a batch in the simulator, where a call costs nothing but its accesses.
double batch_simulated(const Calibration& known) {
  const Workload empty("empty", k_batches, 0, [](std::uint64_t) { return 1.0; });
  Job job;
  job.workload = &empty;
  job.settings = single_iterations();
  job.machine.prices.hit = to_time(known.hit_ns);
  job.machine.prices.rmw = to_time(known.rmw_ns);
  job.machine.dispatch = 0;
  job.machine.skew = 0;
  const Round round = simulate(job).front();
  return static_cast<double>(round.time) / static_cast<double>(round.counts.batches) /
         static_cast<double>(k_ns);
}

/// Two threads that answer each other on one line. Neither pauses, because a pause is longer than a transfer.
class PingPong {
public:
  explicit PingPong(const CpuPair& cpus) {
    const std::jthread other = on_cpu(cpus.second, [this] { play(1, ~std::uint64_t{0}); });
    const std::jthread one = on_cpu(cpus.first, [this] { lead(); });
  }
  /// Returns the time until the other thread sees a number. The line goes from the reader to the writer, and
  /// back to the reader: two transfers.
  double one_way_ns() const { return lower_quartile(rounds_); }

private:
  static constexpr std::size_t k_most_rounds = 400;
  static constexpr std::uint64_t k_exchanges = 100, k_stop = ~std::uint64_t{0};
  static constexpr double k_most_ns = 2e8; // both threads may be on one CPU, where an answer takes a
                                           // time slice

  void lead() {
    const double first = now_ns();
    std::uint64_t turn = 0;
    for (double began = first; rounds_.size() < k_most_rounds && began - first < k_most_ns;) {
      play(turn, turn + k_exchanges);
      turn += k_exchanges;
      const double ended = now_ns();
      rounds_.push_back((ended - began) / k_exchanges);
      began = ended;
    }
    // After the other's last answer, which would take the place of this.
    while (line_.value.load(std::memory_order_acquire) != turn) {
    }
    line_.value.store(k_stop, std::memory_order_release); // the pair of the acquire in play()
  }
  void play(std::uint64_t from, std::uint64_t until) {
    for (std::uint64_t turn = from; turn < until; turn += 2) {
      // release and acquire: a number answers the other's. On x86 these orders cost nothing.
      for (std::uint64_t seen = 0; (seen = line_.value.load(std::memory_order_acquire)) != turn;)
        if (seen == k_stop) return;
      line_.value.store(turn + 1, std::memory_order_release);
    }
  }

  Line line_;
  std::vector<double> rounds_;
};

/// Threads that take numbers from one counter, as those of `dynamic,1` do. Between two numbers each computes
/// longer than a transfer takes, and waits for the number first, as a loop's body does.
class Claims {
public:
  explicit Claims(const CpuPair& cpus) {
    on_cpu(cpus.first, [this] { lead(alone_, 0); }).join();
    const std::jthread other = on_cpu(cpus.second, [this] {
      while (!ended_.load(std::memory_order_relaxed)) claim();
    });
    on_cpu(cpus.first, [this] {
      lead(both_, k_claims * 3 / 4);
      ended_.store(true, std::memory_order_relaxed); // nothing is read after it
    }).join();
  }
  /// Returns the time that taking a number takes longer if both threads take some, the median: it is less
  /// where the other thread pauses in a round. 0: they never ran at a time.
  double extra_ns() const { return both_.empty() ? 0 : std::max(median(both_) - median(alone_), 0.0); }

private:
  static constexpr std::uint64_t k_claims = 100;
  static constexpr int k_steps = 200; // steps of about a ns
  static constexpr double k_most_ns = 1e8;

  void claim() {
    // relaxed: the access is measured
    double value = static_cast<double>(line_.value.fetch_add(1, std::memory_order_relaxed));
    for (int step = 0; step < k_steps; ++step) value = value * 0.999999 + 1e-6;
    volatile double kept = value;
    static_cast<void>(kept);
  }
  /// Times rounds in which the other thread takes `least` numbers or more.
  void lead(std::vector<double>& rounds, std::uint64_t least) {
    const double first = now_ns();
    for (double began = first; rounds.size() < std::size_t{k_rounds} && began - first < k_most_ns;) {
      const std::uint64_t before = line_.value.load(std::memory_order_relaxed);
      for (std::uint64_t i = 0; i < k_claims; ++i) claim();
      const double ended = now_ns();
      if (line_.value.load(std::memory_order_relaxed) - before >= k_claims + least)
        rounds.push_back((ended - began) / k_claims);
      began = ended;
    }
  }

  Line line_;
  std::atomic<bool> ended_{false};
  std::vector<double> alone_, both_;
};

/// A team that meets as OpenMP's teams do while they spin: one releases the others, and waits for all.
class Meeting {
public:
  explicit Meeting(const std::vector<std::uint32_t>& cpus) : arrivals_(cpus.size()), left_(cpus.size()) {
    std::vector<std::jthread> threads;
    for (std::size_t m = 1; m < cpus.size(); ++m)
      threads.push_back(on_cpu(cpus[m], [this, m] { follow(m); }));
    threads.push_back(on_cpu(cpus[0], [this] { lead(); }));
  }
  double skew_ns() const { return lower_quartile(skews_); }
  double leave_ns() const { return lower_quartile(leaves_); }

private:
  void follow(std::size_t member) {
    for (std::uint64_t round = 1; round <= k_rounds; ++round) {
      // acquire: the pair of lead()'s release; only the time is read from it
      while (release_.value.load(std::memory_order_acquire) != round) {
      }
      arrivals_[member].value.store(StdPlatform::ticks(), std::memory_order_relaxed);
      // release: the pair of the acquire in lead(), so that the arrival is there when this is
      left_[member].value.store(round, std::memory_order_release);
    }
  }
  void lead() {
    std::uint64_t begin = StdPlatform::ticks();
    const double began = now_ns();
    std::vector<std::pair<std::uint64_t, std::uint64_t>> spans;
    for (std::uint64_t round = 1; round <= k_rounds; ++round) {
      const std::uint64_t opened = StdPlatform::ticks();
      release_.value.store(round, std::memory_order_release);
      std::uint64_t last = opened;
      for (std::size_t m = 1; m < left_.size(); ++m) {
        while (left_[m].value.load(std::memory_order_acquire) != round) {
        }
        last = std::max(last, arrivals_[m].value.load(std::memory_order_relaxed));
      }
      spans.emplace_back(last - opened, std::max(StdPlatform::ticks(), last) - last);
    }
    const double ns_per_tick = (now_ns() - began) / static_cast<double>(StdPlatform::ticks() - begin);
    for (const auto& [skew, leave] : spans) {
      skews_.push_back(static_cast<double>(skew) * ns_per_tick);
      leaves_.push_back(static_cast<double>(leave) * ns_per_tick);
    }
  }

  Line release_;
  std::vector<Line> arrivals_, left_;
  std::vector<double> skews_, leaves_;
};

/// Measures the costs that one CPU can show.
void calibrate_one(Calibration& known) {
  known.hit_ns = hit();
  known.rmw_ns = std::max(read_modify_write(), known.hit_ns);
  known.tick_ns = tick();
  known.fault_ns = fault();
  known.dispatch_ns = std::max(0.0, batch_here() - batch_simulated(known));
}

} // namespace

Calibration calibrate() {
  constexpr std::size_t k_pairs = 4;
  const CpuList list = cpu_list(k_pairs);
  Calibration known;
  on_cpu(list.cpus.back(), [&known] { calibrate_one(known); }).join();
  for (const auto& level : list.levels) {
    std::vector<double> transfers;
    for (const auto& pair : level.pairs) transfers.push_back(PingPong(pair).one_way_ns() / 2);
    known.levels.push_back(level.level);
    known.transfer_ns.push_back(lower_quartile(std::move(transfers)));
  }
  if (!list.levels.empty()) known.claim_ns = Claims(list.levels.front().pairs.front()).extra_ns();
  if (list.cpus.size() > 1) {
    const Meeting meeting(list.cpus);
    known.skew_ns = meeting.skew_ns();
    known.leave_ns = meeting.leave_ns();
  }
  return known;
}

} // namespace wstree::simulate
