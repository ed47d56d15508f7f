// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "options.h"

#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace wstree::cli {

/// The form of a loop, as the function shows it with which the compiled code starts the loop.
enum class LoopForm {
  hidden,    ///< LLVM: the schedule is an argument of the call
  runtime,   ///< gcc, as the following: schedule(runtime)
  reduction, ///< with a reduction over tasks or a conditional lastprivate; the schedule is an argument
  dynamic,
  guided,
  monotonic, ///< demands increasing order, as every dynamic and guided loop of gcc before version 9 does
  ordered,
  doacross,
  fixed, ///< static by a call; gcc writes nearly all static loops without one
  task,  ///< taskloop, of both interfaces
  call,  ///< an algorithm of wstree/parallel.hpp, which shares its work out itself
};
using LoopForms = std::set<LoopForm>;

/// Returns the form of the loops that an imported symbol starts; nothing for all other symbols.
std::optional<LoopForm> loop_form(std::string_view symbol);

/// Returns the forms whose loops call an OpenMP runtime for iterations.
LoopForms without_calls(LoopForms forms);

/// Returns a text for people: "schedule(runtime)", "ordered", or a list of such, "none" for no form.
std::string_view to_text(LoopForm form);
std::string to_text(const LoopForms& forms);

/// WSTREE_LOOPS=all.
inline constexpr config::LoopKinds k_all_loops{config::k_all_loops};

/// Returns whether a loop of one of the forms can be served with this value of WSTREE_LOOPS. A loop whose
/// schedule is not visible may be.
bool can_be_served(const LoopForms& forms, config::LoopKinds loops);
/// Returns whether a loop of one of the forms can be served with any value of WSTREE_LOOPS.
bool can_be_served(const LoopForms& forms);

/// Returns the forms that need the order of the OpenMP runtime, whatever their schedule is.
LoopForms forms_in_order(LoopForms forms);
/// Returns advice about loops of these forms, which all need an order.
std::string how_to_leave_order(const LoopForms& in_order);

/// Returns the forms that this value of WSTREE_LOOPS leaves out and another would not.
LoopForms forms_left_out(LoopForms forms, config::LoopKinds loops);
/// Returns whether this value of WSTREE_LOOPS leaves out a form that another value would not.
bool leaves_out(const LoopForms& forms, config::LoopKinds loops);
/// Returns a value of WSTREE_LOOPS that leaves out none of them.
std::string_view loops_for(const LoopForms& forms);
/// Returns the warning behind the advice to set WSTREE_LOOPS to `loops`: that the order of iterations
/// changes. Empty if the program itself leaves the order to the environment.
std::string_view order_under(std::string_view loops);

} // namespace wstree::cli
