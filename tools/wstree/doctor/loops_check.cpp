// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "checks.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <utility>

namespace wstree::cli {

namespace {

std::string how_to_set(std::string_view loops) {
  return fmt::format("say wstree run --loops {}, or set WSTREE_LOOPS={}{}", loops, loops, order_under(loops));
}

Check of_file(const FileCalls& file, config::LoopKinds loops) {
  const auto& forms = file.calls.forms;
  Check check{"loops", Status::ok, fmt::format("{}: {}", file.file.filename().string(), to_text(forms))};
  if (leaves_out(forms, loops)) {
    check.status = Status::note;
    check.cause = fmt::format("WSTREE_LOOPS={} leaves some of these out", config::to_text(loops).view());
    check.fix = how_to_set(loops_for(forms));
  } else if (!can_be_served(forms)) {
    check.status = Status::note;
    check.cause = "these stay with the OpenMP runtime";
  }
  return check;
}

constexpr const char* k_use_plugin =
    "say wstree run --loops runtime,proven, write schedule(runtime) where the "
    "iterations are uneven, or, if this installation has the plugin, compile "
    "with -fplugin=$(wstree path --gcc-plugin)";

constexpr const char* k_use_parameter = "compile with --param=parloops-schedule=runtime";

/// Returns advice for a program of gcc that has static loops.
const char* advice(const LoopCalls& calls) { return calls.cuts_its_own ? k_use_parameter : k_use_plugin; }

/// Returns "main.c:12 f(), main.c:30 g() and 3 more".
std::string list_of(const std::vector<std::string>& loops) {
  constexpr std::size_t k_shown = 6;
  std::string text = fmt::format(
      "{}", fmt::join(loops.begin(),
                      loops.begin() + static_cast<std::ptrdiff_t>(std::min(loops.size(), k_shown)), ", "));
  if (loops.size() > k_shown) text += fmt::format(" and {} more", loops.size() - k_shown);
  return text;
}

/// Returns whether the library cuts static loops (WSTREE_LOOPS=static). Programs of gcc have no such loops.
bool are_balanced(const LoopCalls& calls, config::LoopKinds loops) {
  return calls.llvm && calls.forms.contains(LoopForm::fixed) && loops.has(config::LoopKind::static_);
}

/// Loops without a schedule clause.
std::optional<Check> static_ones(const FileCalls& program, config::LoopKinds loops) {
  const bool by_call = program.calls.forms.contains(LoopForm::fixed);
  const auto name = program.file.filename().string();
  if (!by_call && !program.calls.may_be_static) return {};
  if (program.calls.may_be_proven(loops))
    return Check{
        "loops", Status::ok,
        fmt::format(
            "{}: static loops are served where their machine code proves that threads may share them{}", name,
            program.static_loops.empty() ? "" : ": " + list_of(program.static_loops))};
  if (are_balanced(program.calls, loops))
    return Check{"loops", Status::ok, fmt::format("{}: static, cut by what their parts took", name)};
  Check check{"loops", Status::note,
              fmt::format("{}: {}", name, by_call ? "static loops too" : "perhaps static loops too"),
              "a loop without a schedule clause is static: its threads do not ask for iterations",
              by_call
                  ? "write schedule(runtime) where the iterations are uneven, or add proven to WSTREE_LOOPS"
                  : advice(program.calls)};
  if (program.calls.cuts_its_own)
    check.cause = "-ftree-parallelize-loops cuts loops into equal parts: threads do not ask for iterations";
  if (!program.static_loops.empty())
    check.found = fmt::format("{}: static: {}", name, list_of(program.static_loops));
  return check;
}

} // namespace

Checks check_loops(const std::vector<FileCalls>& files, config::LoopKinds loops, bool is_interpreter) {
  Checks checks;
  for (const auto& file : files) {
    const bool is_program = &file == files.data(); // of whose static loops static_ones() tells
    if (file.calls.forms == LoopForms{LoopForm::fixed} &&
        (are_balanced(file.calls, loops) || (is_program && file.calls.may_be_proven(loops))))
      continue;
    if (!file.calls.forms.empty()) checks.push_back(of_file(file, loops));
  }
  const auto all = sum(files);
  if (can_be_served(all.forms, loops) || are_balanced(all, loops) || all.may_be_proven(loops)) {
    if (auto check = files.empty() ? std::nullopt : static_ones(files.front(), loops))
      checks.push_back(std::move(*check));
    return checks;
  }
  // The advice stands at the end then, and once.
  for (auto& check : checks) check.fix.clear();
  Check check{"loops", Status::warn, "none that would be served"};
  if (can_be_served(all.forms)) {
    check.cause = "WSTREE_LOOPS does not name the schedules of those that could be served";
    check.fix = how_to_set(loops_for(all.forms));
  } else if (all.runtime_inside) {
    check.status = Status::fail;
    check.found = "the OpenMP runtime is linked in statically";
    check.cause = "the library cannot replace functions of a runtime that is part of the program";
    check.fix = "link the program with the shared OpenMP runtime";
  } else if (all.starts_others || is_interpreter || !all.known) {
    check.status = Status::note;
    check.found = "none that can be seen before the program runs";
    check.cause = "what the program loads or starts may have some";
  } else if (const auto in_order = forms_in_order(all.forms);
             !in_order.empty() && in_order == all.forms && !files.front().calls.may_be_static) {
    check.cause = fmt::format("loops that are {} need the order of the OpenMP runtime", to_text(in_order));
    check.fix = how_to_leave_order(in_order);
  } else if (all.gcc || all.llvm) {
    check.cause =
        "static loops never ask the OpenMP runtime for iterations, and ordered, doacross and monotonic ones "
        "need its order";
    check.fix = "write schedule(runtime), or dynamic or guided and set WSTREE_LOOPS (a thread then gets "
                "iterations in any order: wstree help schedules)";
    if (all.llvm && all.forms.contains(LoopForm::fixed))
      check.fix += "; static loops balance themselves with WSTREE_LOOPS=static";
    if (files.front().calls.may_be_static) check.fix = advice(files.front().calls);
    if (files.front().calls.cuts_its_own)
      check.cause = "gcc has made loops parallel by itself, and cut them into equal parts";
    if (!files.front().static_loops.empty())
      check.found = fmt::format("none that would be served; static: {}", list_of(files.front().static_loops));
  } else {
    check.cause = "neither the program nor its libraries call a loop function of an OpenMP runtime";
    check.fix = "build it with -fopenmp";
  }
  checks.push_back(std::move(check));
  return checks;
}

} // namespace wstree::cli
