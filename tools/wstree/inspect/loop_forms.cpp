// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "loop_forms.h"

namespace wstree::cli {

namespace {

bool take_prefix(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

bool take_suffix(std::string_view& text, std::string_view suffix) {
  if (!text.ends_with(suffix)) return false;
  text.remove_suffix(suffix.size());
  return true;
}

std::optional<LoopForm> llvm_form(std::string_view symbol) {
  if (symbol.starts_with("__kmpc_dispatch_init_") || symbol.starts_with("__kmpc_dist_dispatch_init_"))
    return LoopForm::hidden;
  if (symbol == "__kmpc_ordered") return LoopForm::ordered;
  if (symbol == "__kmpc_doacross_init") return LoopForm::doacross;
  if (symbol.starts_with("__kmpc_for_static_init_")) return LoopForm::fixed;
  if (symbol == "__kmpc_taskloop" || symbol == "__kmpc_taskloop_5") return LoopForm::task;
  return std::nullopt;
}

/// Returns the form of a symbol of gcc. `schedule`: the text between "GOMP_loop_" and "_start".
std::optional<LoopForm> gcc_form(std::string_view schedule) {
  if (schedule.starts_with("ordered")) return LoopForm::ordered;
  if (schedule.starts_with("doacross")) return LoopForm::doacross;
  if (schedule == "static") return LoopForm::fixed;
  if (schedule == "maybe_nonmonotonic_runtime" || schedule == "nonmonotonic_runtime")
    return LoopForm::runtime;
  if (schedule == "nonmonotonic_dynamic") return LoopForm::dynamic;
  if (schedule == "nonmonotonic_guided") return LoopForm::guided;
  if (schedule == "runtime" || schedule == "dynamic" || schedule == "guided") return LoopForm::monotonic;
  return std::nullopt;
}

bool has_named(const LoopForms& forms) {
  return forms.contains(LoopForm::dynamic) || forms.contains(LoopForm::guided);
}

bool has_runtime(const LoopForms& forms) {
  return forms.contains(LoopForm::runtime) || forms.contains(LoopForm::reduction);
}

} // namespace

std::optional<LoopForm> loop_form(std::string_view symbol) {
  if (symbol == "wstree_call_begin") return LoopForm::call;
  if (const auto form = llvm_form(symbol)) return form;
  if (symbol == "GOMP_taskloop" || symbol == "GOMP_taskloop_ull") return LoopForm::task;
  const bool combined = take_prefix(symbol, "GOMP_parallel_loop_");
  if (!combined && !take_prefix(symbol, "GOMP_loop_")) return std::nullopt;
  take_prefix(symbol, "ull_");
  if (symbol == "start") return LoopForm::reduction;
  // A combined call opens the region as well; only old compilers end its name like this.
  if (!take_suffix(symbol, "_start") && !combined) return std::nullopt;
  return gcc_form(symbol);
}

std::string_view to_text(LoopForm form) {
  switch (form) {
  case LoopForm::hidden:
    return "runtime, dynamic or guided (only the run tells which)";
  case LoopForm::runtime:
    return "schedule(runtime)";
  case LoopForm::reduction:
    return "task reduction";
  case LoopForm::dynamic:
    return "schedule(dynamic)";
  case LoopForm::guided:
    return "schedule(guided)";
  case LoopForm::monotonic:
    return "monotonic";
  case LoopForm::ordered:
    return "ordered";
  case LoopForm::doacross:
    return "doacross";
  case LoopForm::fixed:
    return "static";
  case LoopForm::task:
    return "taskloop";
  case LoopForm::call:
    return "calls of wstree/parallel.hpp";
  }
  return {};
}

std::string to_text(const LoopForms& forms) {
  std::string text;
  for (const LoopForm form : forms) text.append(text.empty() ? "" : ", ").append(to_text(form));
  return text.empty() ? "none" : text;
}

LoopForms without_calls(LoopForms forms) {
  forms.erase(LoopForm::call);
  return forms;
}

bool can_be_served(const LoopForms& forms, config::LoopKinds loops) {
  return forms.contains(LoopForm::hidden) || forms.contains(LoopForm::call) ||
         (has_runtime(forms) && loops.has(config::LoopKind::runtime)) ||
         (forms.contains(LoopForm::dynamic) && loops.has(config::LoopKind::dynamic)) ||
         (forms.contains(LoopForm::guided) && loops.has(config::LoopKind::guided)) ||
         (forms.contains(LoopForm::task) && loops.has(config::LoopKind::taskloop));
}

bool can_be_served(const LoopForms& forms) {
  return forms.contains(LoopForm::hidden) || forms.contains(LoopForm::call) || has_runtime(forms) ||
         has_named(forms) || forms.contains(LoopForm::task);
}

LoopForms forms_in_order(LoopForms forms) {
  std::erase_if(forms, [](LoopForm form) {
    return form != LoopForm::ordered && form != LoopForm::doacross && form != LoopForm::monotonic;
  });
  return forms;
}

std::string how_to_leave_order(const LoopForms& in_order) {
  if (in_order == LoopForms{LoopForm::monotonic})
    return "leave out monotonic: where the order does not matter; a gcc before 9 wants all loops in order, "
           "so "
           "build with a later one";
  return "move what needs the order into a loop of its own, and leave out ordered in the others: the "
         "schedule "
         "does not matter";
}

LoopForms forms_left_out(LoopForms forms, config::LoopKinds loops) {
  std::erase_if(forms, [&](LoopForm form) {
    return !can_be_served(LoopForms{form}) || can_be_served(LoopForms{form}, loops);
  });
  return forms;
}

bool leaves_out(const LoopForms& forms, config::LoopKinds loops) {
  return !forms_left_out(forms, loops).empty();
}

std::string_view loops_for(const LoopForms& forms) {
  return forms.contains(LoopForm::hidden) || forms.contains(LoopForm::task) || has_named(forms) ? "all"
                                                                                                : "runtime";
}

std::string_view order_under(std::string_view loops) {
  return loops == "runtime" ? "" : "; a thread then gets iterations in any order: wstree help schedules";
}

} // namespace wstree::cli
