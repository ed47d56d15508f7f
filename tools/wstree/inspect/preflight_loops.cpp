// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "preflight.h"

#include "loop_calls.h"

#include <fmt/format.h>

namespace wstree::cli {

namespace {

/// Judges the meaning of a program's loops for a run.
Finding judge(const LoopCalls& calls, const std::string& name, const Wishes& wishes) {
  const auto named = [&](std::string_view text) { return fmt::format(fmt::runtime(text), name); };
  const bool conclusive = calls.known && !calls.starts_others;
  if (calls.forms.contains(LoopForm::hidden)) {
    return {
        Severity::detail,
        named("'{}' calls the loop dispatch of LLVM's OpenMP runtime, so its schedule(runtime) loops can be "
              "served"),
        {},
        {}};
  }
  const auto loops = without_calls(calls.forms);
  const auto left_out = forms_left_out(loops, wishes.loops);
  const bool serves_some = can_be_served(loops, wishes.loops);
  // Calls are shared out with any loops.
  if (!left_out.empty() &&
      (serves_some || calls.forms.contains(LoopForm::call) || calls.may_be_proven(wishes.loops)))
    return {Severity::remark,
            named("loops of '{}' that say ") + to_text(left_out) + " are left to the runtime",
            {},
            fmt::format("--loops {} serves them{}", loops_for(loops), order_under(loops_for(loops)))};
  if (serves_some) {
    return {Severity::detail,
            named("'{}' calls the loop functions of gcc's OpenMP runtime, and loops of these kinds can be "
                  "served: ") +
                to_text(loops),
            {},
            {}};
  }
  if (can_be_served(loops)) {
    const auto kinds = loops_for(loops);
    return {conclusive ? Severity::unserved : Severity::always,
            named("the loops of '{}' that could be served have a schedule of their own"),
            fmt::format("{}, and WSTREE_LOOPS={} leaves those out", to_text(loops),
                        config::to_text(wishes.loops).view()),
            fmt::format("say --loops {}{}", kinds, order_under(kinds))};
  }
  if (calls.forms.contains(LoopForm::call)) {
    return {Severity::detail,
            named("'{}' calls algorithms of wstree/parallel.hpp, which need no schedule"),
            {},
            {}};
  }
  if (calls.runtime_inside) {
    return {Severity::unserved, named("'{}' has its OpenMP runtime linked in statically"),
            "the library cannot replace functions of a runtime that is part of the program",
            "link it with the shared OpenMP runtime"};
  }
  if (calls.may_be_proven(wishes.loops))
    return {
        Severity::detail,
        named("static loops of '{}' are served where their machine code proves that threads may share them"),
        {},
        {}};
  if (calls.llvm && calls.forms.contains(LoopForm::fixed) && wishes.loops.has(config::LoopKind::static_))
    return {Severity::detail, named("the static loops of '{}' are cut by what their parts took"), {}, {}};
  const auto missed = !conclusive ? Severity::doubt : wishes.require ? Severity::unserved : Severity::hint;
  if (calls.gcc || calls.llvm) {
    const auto in_order = forms_in_order(calls.forms);
    const bool is_static = calls.may_be_static || in_order != calls.forms || in_order.empty();
    return {conclusive ? Severity::unserved : Severity::doubt,
            named("'{}' uses OpenMP, but has no loop that can be served"),
            in_order.empty()
                ? "static loops never ask the OpenMP runtime for iterations"
                : fmt::format("its loops are {}{}", is_static ? "static or " : "", to_text(in_order)),
            !is_static ? how_to_leave_order(in_order)
            : wishes.loops.has(config::LoopKind::proven)
                ? "write schedule(runtime) where the iterations are uneven"
                : "say --loops runtime,proven, or write schedule(runtime) where the iterations are uneven"};
  }
  if (!conclusive) {
    return {
        Severity::doubt,
        named("neither '{}' nor a library that it is linked with calls a loop function of an OpenMP runtime"),
        "what it loads or starts later cannot be seen beforehand",
        {}};
  }
  return {
      missed, named("'{}' has no OpenMP loop to serve"),
      "neither the program nor a library that it is linked with calls a loop function of an OpenMP runtime",
      "build it with -fopenmp"};
}

} // namespace

Preflight inspect(const std::filesystem::path& program, const std::filesystem::path& library, Wishes wishes) {
  auto result = inspect_file(program, library);
  const auto file = result.program.empty() ? std::nullopt : ElfFile::open(result.program);
  if (!file) return result;
  auto calls = loop_calls(*file);
  // A library may have the loops that the program has not.
  const bool enough = can_be_served(without_calls(calls.forms), wishes.loops);
  if (!enough) calls = sum(loop_calls_by_file(*file, result.program));
  result.preload &= !calls.runtime_inside || calls.starts_others || can_be_served(calls.forms);
  result.only_proven = !can_be_served(without_calls(calls.forms), wishes.loops) &&
                       !calls.forms.contains(LoopForm::call) && !calls.forms.contains(LoopForm::hidden) &&
                       calls.may_be_proven(wishes.loops);
  auto finding = judge(calls, result.program.string(), wishes);
  // An interpreter counts only by its own abilities; the programs that it will start are unknown.
  const bool is_bad_news = finding.severity != Severity::detail;
  if (!(result.is_interpreter && is_bad_news && calls.forms.empty() && !calls.runtime_inside))
    result.findings.push_back(std::move(finding));
  return result;
}

} // namespace wstree::cli
