// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Descriptions of small OpenMP programs: what they consist of, how one is made up, printed and made smaller.
#pragma once

#include "check.h"

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

namespace programs {

enum class What { loop, sections, single, barrier, set_schedule, region, task, taskloop };
enum class Type { i32, u32, i64, u64 };
enum class TaskClause { none, grainsize, num_tasks, nogroup, untied, final_, priority };
enum class Clause { runtime, monotonic_runtime, dynamic, guided, static_, none, ordered };

struct Statement {
  What what = What::barrier;
  bool nowait = false; // loop, sections, single
  // loop, taskloop: `count` iterations from `lower`, up or down by `step`
  Type type = Type::i32;
  Clause clause = Clause::runtime;
  long long lower = 0;
  long long step = 1;
  int count = 0;
  bool up = true;
  int chunk = 1;            // of dynamic and guided, and of set_schedule; value of a taskloop's clause
  bool checks_last = false; // with a lastprivate variable
  int cancel_at = -1;       // iteration that cancels the loop
  TaskClause task_clause = TaskClause::none;
  bool is_in_task = false;     // taskloop in an iteration of a taskloop
  int kind = 2;                // set_schedule
  int threads = 1;             // region
  int times = 1;               // region: executions in a row, so that its loops come again
  bool serial = false;         // if(0)
  bool is_loop = false;        // region of one loop, which is `parallel for`
  int members = 1;             // region: threads that it gets
  std::vector<Statement> body; // region, task; of each iteration of a loop or taskloop
  int id = 0;                  // index of its counters
};

/// Each root is a thread of its own that opens the regions of its list.
struct Program {
  int levels = 5; // omp_set_max_active_levels(): regions further inside have one thread
  std::vector<std::vector<Statement>> roots;
};

inline std::string text_of(const Statement& statement, int depth) {
  static const char* const types[] = {"int", "unsigned", "long long", "unsigned long long"};
  static const char* const clauses[] = {"runtime", "monotonic:runtime", "dynamic", "guided", "static",
                                        "none",    "runtime, ordered"};
  char line[256];
  const char* nowait = statement.nowait ? " nowait" : "";
  switch (statement.what) {
  case What::loop:
    std::snprintf(
        line, sizeof line, "for schedule(%s, %d)%s: %s from %lld, %d times %c%lld, cancelled at %d%s",
        clauses[static_cast<int>(statement.clause)], statement.chunk, nowait,
        types[static_cast<int>(statement.type)], statement.lower, statement.count, statement.up ? '+' : '-',
        statement.step, statement.cancel_at, statement.checks_last ? ", lastprivate" : "");
    break;
  case What::sections:
    std::snprintf(line, sizeof line, "sections%s", nowait);
    break;
  case What::single:
    std::snprintf(line, sizeof line, "single%s", nowait);
    break;
  case What::barrier:
    std::snprintf(line, sizeof line, "%s", "barrier");
    break;
  case What::set_schedule:
    std::snprintf(line, sizeof line, "omp_set_schedule(%#x, %d)", static_cast<unsigned>(statement.kind),
                  statement.chunk);
    break;
  case What::region:
    std::snprintf(line, sizeof line, "%d times parallel%s num_threads(%d)%s", statement.times,
                  statement.is_loop ? " for" : "", statement.threads, statement.serial ? " if(0)" : "");
    break;
  case What::task:
    std::snprintf(line, sizeof line, "%s", "single, task");
    break;
  case What::taskloop: {
    static const char* const of_tasks[] = {"no clause", "grainsize", "num_tasks", "nogroup",
                                           "untied",    "final",     "priority"};
    std::snprintf(line, sizeof line, "taskloop, %s %d: %s from %lld, %d times %c%lld, cancelled at %d",
                  of_tasks[static_cast<int>(statement.task_clause)], statement.chunk,
                  types[static_cast<int>(statement.type)], statement.lower, statement.count,
                  statement.up ? '+' : '-', statement.step, statement.cancel_at);
    break;
  }
  }
  std::string text(static_cast<std::size_t>(depth) * 2, ' ');
  text += line;
  text += '\n';
  for (const Statement& inner : statement.body) text += text_of(inner, depth + 1);
  return text;
}

inline std::string text_of(const Program& program) {
  std::string text = "at most " + std::to_string(program.levels) + " active levels\n";
  for (const auto& root : program.roots) {
    text += "thread\n";
    for (const Statement& statement : root) text += text_of(statement, 1);
  }
  return text;
}

constexpr int k_dynamic = 2;
constexpr int k_monotonic = static_cast<int>(0x80000000u);

#ifdef __clang__ // bare libomp 19 crashes or hangs in programs of these kinds with taskloops
inline constexpr bool k_has_taskloops = false;
/// The second root ends, and libomp writes to the memory of an ended root whose tasks a worker has executed.
inline constexpr bool k_second_root_has_tasks = false;
#else
inline constexpr bool k_has_taskloops = true;
inline constexpr bool k_second_root_has_tasks = true;
#endif

/// Makes up programs. `depth`: regions around the present one.
class Author {
public:
  /// Cancelled loops are runtime ones, in programs that set no schedule of the OpenMP runtime: libomp hangs
  /// after a cancelled loop of its own.
  Author(std::uint64_t seed, bool may_cancel) : random_(seed), cancels_(may_cancel && once_in(2)) {}

  Program program() {
    Program made;
    if (once_in(4)) made.levels = 1 + number(1);
    made.roots.resize(once_in(4) ? 2 + random_.below(3) : 1);
    for (auto& root : made.roots) {
      is_first_root_ = &root == &made.roots[0];
      for (std::uint64_t i = 1 + random_.below(3); i > 0; --i) {
        if (random_.below(3) == 0) root.push_back(schedule());
        if (once_in(8)) { // outside of any region
          root.push_back(loop(1));
          root.back().cancel_at = -1;
        }
        root.push_back(region(0));
      }
    }
    return made;
  }

private:
  int number(int most) { return static_cast<int>(random_.below(static_cast<std::uint64_t>(most) + 1)); }
  bool once_in(std::uint64_t times) { return random_.below(times) == 0; }

  Statement schedule() {
    Statement made;
    made.what = What::set_schedule;
    made.kind = !cancels_ && once_in(4) ? 1 + number(2) : 0x77 + number(8);
    if (made.kind == k_dynamic) made.kind |= k_monotonic; // see loop_programs.cpp
    made.chunk = once_in(2) ? 0 : 1 + number(20);
    return made;
  }

  Statement region(int depth) {
    Statement made;
    made.what = What::region;
    made.threads = 1 + number(depth != 0 ? 1 : once_in(16) ? 63 : 4);
    if (depth == 0 && once_in(4)) made.times = 3 + number(12);
    made.serial = once_in(8);
    made.is_loop = once_in(6);
    if (made.is_loop) {
      made.body.push_back(loop(depth + 1));
      made.body[0].clause = Clause::runtime;
      made.body[0].cancel_at = -1;
      return made;
    }
    // Now and then many more loops than a ring has slots.
    const std::uint64_t count = depth == 0 && once_in(8) ? 20 + random_.below(60) : 1 + random_.below(6);
    for (std::uint64_t i = count; i > 0; --i) made.body.push_back(count < 20 ? statement(depth) : loop(2));
    return made;
  }

  Statement statement(int depth) {
    Statement made;
    switch (random_.below(k_has_taskloops ? 19 : 16)) {
    case 0:
      made.what = What::sections;
      made.nowait = once_in(2);
      return made;
    case 1:
      made.what = What::single;
      made.nowait = once_in(2);
      return made;
    case 2:
      return made;
    case 3:
      return schedule();
    case 4:
    case 5:
      return depth < 2 ? region(depth + 1) : made;
    case 6:
      if (!is_first_root_ && !k_second_root_has_tasks) return made;
      made.what = What::task;
      if (depth < 2) made.body.push_back(region(depth + 1));
      return made;
    case 16:
    case 17:
    case 18:
      return taskloop(depth);
    default:
      made = loop(depth);
      made.checks_last = is_first_root_ && depth == 0 && made.clause != Clause::ordered;
      return made;
    }
  }

  /// A member of the region meets it, alone. Its iterations may have taskloops and regions of their own.
  Statement taskloop(int depth) {
    Statement made;
    do made = loop(2);
    while (made.count == 0);
    made.what = What::taskloop;
    made.nowait = once_in(2); // of the `single` around it
    made.cancel_at = -1;
    made.task_clause = static_cast<TaskClause>(random_.below(7));
    made.chunk = 1 + number(once_in(2) ? 5 : 100);
    if (depth < 2 && once_in(3)) {
      made.count = std::min(made.count, 5);
      made.body.push_back(once_in(3) ? region(depth + 1) : taskloop(depth + 1));
      made.body[0].is_in_task = true;
    } else if (cancels_ && made.task_clause != TaskClause::nogroup && once_in(6)) {
      made.cancel_at = number(made.count - 1);
    }
    return made;
  }

  /// `depth`: of the regions that iterations may open; none from 2 on.
  Statement loop(int depth) {
    Statement made;
    made.what = What::loop;
    made.type = static_cast<Type>(random_.below(4));
    made.clause = once_in(2) ? Clause::runtime : static_cast<Clause>(random_.below(7));
    made.nowait = once_in(2);
    made.count = once_in(8) ? 0 : number(1 << random_.below(8));
    // gcc makes no iterations of an unsigned int loop that goes down by a step that it does not know.
    made.up = made.type == Type::u32 || once_in(2);
    made.step = 1 + number(once_in(2) ? 0 : 1000);
    made.chunk = 1 + number(9);
    // At a limit of the type, or near zero. One step behind the last iteration still exists.
    const long long extent = made.step * (made.count + 1);
    const bool is_signed = made.type == Type::i32 || made.type == Type::i64;
    const long long least = made.type == Type::i32 ? -2147483647LL - 1 : is_signed ? -(1LL << 62) : 0;
    const long long most = made.type == Type::i32   ? 2147483647LL
                           : made.type == Type::u32 ? 4294967295LL
                                                    : 9223372036854775807LL;
    switch (random_.below(3)) {
    case 0:
      made.lower = made.up ? least : least + extent;
      break;
    case 1:
      made.lower = made.up ? most - extent : most;
      break;
    default:
      made.lower =
          (is_signed && once_in(2) ? -number(1000) : number(1000)) + (made.up || is_signed ? 0 : extent);
      break;
    }
    if (cancels_ && made.clause == Clause::runtime && !made.nowait && made.count > 0 && once_in(4))
      made.cancel_at = number(made.count - 1);
    else if (depth < 2 && made.count > 0 && once_in(6)) {
      made.count = std::min(made.count, 8);
      made.body.push_back(region(depth + 1));
    }
    return made;
  }

  check::Random random_;
  bool cancels_;
  bool is_first_root_ = false;
};

/// All programs that have one statement less, or a loop that is shorter.
inline void smaller_lists(const std::vector<Statement>& list, std::vector<std::vector<Statement>>& out) {
  for (std::size_t i = 0; i < list.size(); ++i) {
    auto without = list;
    without.erase(without.begin() + static_cast<std::ptrdiff_t>(i));
    out.push_back(without);
    std::vector<std::vector<Statement>> inner;
    smaller_lists(list[i].body, inner);
    for (auto& body : inner) {
      auto with = list;
      with[i].body = std::move(body);
      out.push_back(std::move(with));
    }
    if ((list[i].what == What::loop || list[i].what == What::taskloop) && list[i].count > 1) {
      auto with = list;
      with[i].count /= 2;
      with[i].cancel_at = -1;
      out.push_back(std::move(with));
    }
  }
}

inline std::vector<Program> smaller(const Program& program) {
  std::vector<Program> all;
  for (std::size_t r = 0; r < program.roots.size(); ++r) {
    if (program.roots.size() > 1) {
      Program without = program;
      without.roots.erase(without.roots.begin() + static_cast<std::ptrdiff_t>(r));
      all.push_back(std::move(without));
    }
    std::vector<std::vector<Statement>> lists;
    smaller_lists(program.roots[r], lists);
    for (auto& list : lists) {
      Program with = program;
      with.roots[r] = std::move(list);
      all.push_back(std::move(with));
    }
  }
  return all;
}

} // namespace programs
