// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Guards: programs that no author thought of. Random descriptions of OpenMP programs (loop_programs.h) are
// executed with real constructs and compared with what a sequential reading of the description says: how
// often each iteration, section and single runs, and which value lastprivate leaves behind. A description
// that fails is made smaller and printed.
//   --programs N   how many; WSTREE_TEST_SEED or --seed replays them     --bare   without the library:
//   nothing is cancelled
#include "loop_programs.h"
#include "loop_statements.h"
#include "omp_decls.h"

#include <atomic>
#include <deque>
#include <memory>
#include <thread>

namespace {

using namespace programs;

/// How often each part of a statement ran, and should have run.
struct Counters {
  explicit Counters(std::size_t size) : ran(size) {}
  std::vector<std::atomic<unsigned>> ran;
  unsigned wanted = 0;
  bool at_most = false; // a cancelled loop leaves iterations out
  std::atomic<unsigned> wrong_last{0};
};

/// What the environment says.
omp_sched_t first_kind;
int first_chunk;

class Execution {
public:
  /// An empty text if all is well.
  std::string run(Program& program) {
    levels_ = program.levels;
    for (auto& root : program.roots) prepare(root, 1, 1, 0);
    std::vector<std::thread> others;
    for (std::size_t i = 1; i < program.roots.size(); ++i)
      others.emplace_back([this, &program, i] { run_root(program.roots[i]); });
    run_root(program.roots[0]);
    for (std::thread& other : others) other.join();
    return verdict();
  }

  void touch(const Statement& statement, std::size_t part) {
    Counters& counters = counters_[static_cast<std::size_t>(statement.id)];
    if (part >= counters.ran.size()) {
      problem_ = "an iteration that does not exist";
      return;
    }
    counters.ran[part].fetch_add(1, std::memory_order_relaxed);
    if ((part * 2654435761u >> 7) % 16 == 0) check::spin(300);
  }

  void iterate(const Statement& statement, std::size_t part) {
    touch(statement, part);
    inside(statement);
  }

  void inside(const Statement& statement) {
    for (const Statement& inner : statement.body) execute(inner);
  }

  void report_last(const Statement& statement) {
    counters_[static_cast<std::size_t>(statement.id)].wrong_last = 1;
  }

private:
  /// Numbers the statements, and counts sequentially how often each is met: worksharing once by a team, other
  /// regions once by each of its members. `active`: how many regions of several threads are around.
  void prepare(std::vector<Statement>& list, unsigned times, unsigned members, int active) {
    for (Statement& statement : list) {
      statement.id = static_cast<int>(counters_.size());
      counters_.emplace_back(parts_of(statement));
      Counters& mine = counters_.back();
      mine.wanted = times;
      mine.at_most = statement.cancel_at >= 0;
      if (statement.what == What::taskloop || statement.what == What::loop) {
        prepare(statement.body, times * static_cast<unsigned>(statement.count), 1, active);
      } else if (statement.what == What::region) {
        statement.members = statement.serial || active == levels_ ? 1 : statement.threads;
        prepare(statement.body, times * members * static_cast<unsigned>(statement.times),
                static_cast<unsigned>(statement.members), active + (statement.members > 1 ? 1 : 0));
      } else {
        prepare(statement.body, times, 1, active);
      }
    }
  }

  static std::size_t parts_of(const Statement& statement) {
    if (statement.what == What::loop || statement.what == What::taskloop)
      return static_cast<std::size_t>(statement.count);
    return statement.what == What::sections || statement.what == What::single ? 3 : 0;
  }

  std::string verdict() {
    for (std::size_t id = 0; id < counters_.size(); ++id) {
      const Counters& counters = counters_[id];
      if (counters.wrong_last != 0)
        return "a lastprivate variable of statement " + std::to_string(id) + " is wrong";
      for (std::size_t i = 0; i < counters.ran.size(); ++i) {
        const unsigned ran = counters.ran[i];
        if (ran > counters.wanted || (ran < counters.wanted && !counters.at_most))
          return "part " + std::to_string(i) + " of statement " + std::to_string(id) + " ran " +
                 std::to_string(ran) + " times instead of " + std::to_string(counters.wanted);
      }
    }
    return problem_.load() != nullptr ? problem_.load() : "";
  }

  void run_root(const std::vector<Statement>& list) {
    omp_set_max_active_levels(levels_);
    omp_set_schedule(first_kind, first_chunk); // the first root is the same thread for all programs
    for (const Statement& statement : list) execute(statement);
  }

  void execute(const Statement& statement) {
    switch (statement.what) {
    case What::loop:
      return loop_of_type(statement);
    case What::sections:
      return sections(statement);
    case What::single:
      return single(statement);
    case What::barrier: {
#pragma omp barrier
      return;
    }
    case What::set_schedule:
      return omp_set_schedule(static_cast<omp_sched_t>(statement.kind), statement.chunk);
    case What::region:
      for (int i = 0; i < statement.times; ++i) region(statement);
      return;
    case What::task:
      return task(statement);
    case What::taskloop:
      return taskloop(statement);
    }
  }

  /// Inside of a task `single` may not be there.
  void taskloop(const Statement& statement) {
    if (statement.is_in_task) return taskloop_of_type(statement);
    if (statement.nowait) {
#pragma omp single nowait
      taskloop_of_type(statement);
    } else {
#pragma omp single
      taskloop_of_type(statement);
    }
  }

  void region(const Statement& statement) {
    if (statement.is_loop) return region_of_type(statement);
#pragma omp parallel num_threads(statement.threads) if (!statement.serial)
    {
      if (omp_get_num_threads() != statement.members) problem_ = "the runtime gave a team of another size";
      for (const Statement& inner : statement.body) execute(inner);
    }
  }

  void task(const Statement& statement) {
#pragma omp single
    {
#pragma omp task
      {
        for (const Statement& inner : statement.body) execute(inner);
      }
#pragma omp taskwait
    }
  }

  void sections(const Statement& statement) {
    if (statement.nowait) {
#pragma omp sections nowait
      {
#pragma omp section
        touch(statement, 0);
#pragma omp section
        touch(statement, 1);
#pragma omp section
        touch(statement, 2);
      }
    } else {
#pragma omp sections
      {
#pragma omp section
        touch(statement, 0);
#pragma omp section
        touch(statement, 1);
#pragma omp section
        touch(statement, 2);
      }
    }
  }

  void single(const Statement& statement) {
    const auto all = [&] {
      for (std::size_t part = 0; part < 3; ++part) touch(statement, part);
    };
    if (statement.nowait) {
#pragma omp single nowait
      all();
    } else {
#pragma omp single
      all();
    }
  }

#define OF_TYPE(construct, type)                                                                             \
  switch (type) {                                                                                            \
  case Type::i32:                                                                                            \
    return construct<int>(*this, statement);                                                                 \
  case Type::u32:                                                                                            \
    return construct<unsigned>(*this, statement);                                                            \
  case Type::i64:                                                                                            \
    return construct<long long>(*this, statement);                                                           \
  case Type::u64:                                                                                            \
    return construct<unsigned long long>(*this, statement);                                                  \
  }
  void loop_of_type(const Statement& statement) { OF_TYPE(programs::loop, statement.type) }
  void region_of_type(const Statement& statement) { OF_TYPE(programs::region, statement.body[0].type) }
  void taskloop_of_type(const Statement& statement) { OF_TYPE(programs::taskloop, statement.type) }

  int levels_ = 5;
  std::deque<Counters> counters_;
  std::atomic<const char*> problem_{nullptr};
};

std::string failure_of(Program program) {
  const std::string text = text_of(program);
  check::settings.detail = text.c_str();
  std::string failure = Execution().run(program);
  check::settings.detail = "";
  return failure;
}

/// Tries each smaller program a few times, as long as one of them fails too.
Program smallest_failing(Program program, std::string& reason) {
  for (bool smaller_one = true; smaller_one;) {
    smaller_one = false;
    for (Program& candidate : smaller(program)) {
      for (int attempt = 0; attempt < 20 && !smaller_one; ++attempt) {
        const std::string failure = failure_of(candidate);
        smaller_one = !failure.empty();
        if (smaller_one) reason = failure;
      }
      if (!smaller_one) continue;
      program = std::move(candidate);
      break;
    }
  }
  return program;
}

long long programs_wanted = 0;
bool may_cancel = true;

void random_programs() {
  if (const char* given = std::getenv("WSTREE_TEST_SEED"))
    check::settings.seed = std::strtoull(given, nullptr, 10);
  std::printf("seed %llu (replay with WSTREE_TEST_SEED)\n",
              static_cast<unsigned long long>(check::settings.seed));
  std::fflush(stdout);
  const long long wanted = programs_wanted > 0 ? programs_wanted : check::settings.thorough ? 3000 : 400;
  check::Random seeds(check::settings.seed);
  for (long long i = 0; i < wanted; ++i) {
    const Program program = Author(seeds.next(), may_cancel).program();
    const std::string failure = failure_of(program);
    if (failure.empty()) continue;
    std::fprintf(stderr, "program %lld: %s\n%s", i, failure.c_str(), text_of(program).c_str());
    std::string reason = failure;
    const Program small = smallest_failing(program, reason);
    std::fprintf(stderr, "a smaller one that fails (%s):\n%s", reason.c_str(), text_of(small).c_str());
    CHECK(failure.empty(), "program %lld: %s", i, failure.c_str());
  }
}

} // namespace

int main(int argc, char** argv) {
  programs_wanted = check::number(argc, argv, "--programs", 0);
  may_cancel = !check::flag(argc, argv, "--bare");
  omp_set_dynamic(0);
  omp_get_schedule(&first_kind, &first_chunk);
  return check::run(argc, argv, {{"random_programs", random_programs}});
}
