// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "resolve/unbound_calls.h"

#include "resolve/binding.h"
#include "resolve/call_site.h"

#include <array>
#include <atomic>
#include <cstddef>
#include <string_view>

namespace wstree::abi {
namespace {

struct Caller {
  LoadedObject object;     ///< none: code that the process has made itself
  bool is_settled = false; ///< until another object is opened or closed, it calls so again
};

/// Returns the object that calls `name`, with `about` in the object that the call is about, and would return
/// to `caller`. Binds its references.
Caller object_that_calls(std::string_view name, const void* about, const void* caller) noexcept {
  const LoadedObject told = about != nullptr ? object_around(about) : LoadedObject();
  if (told)
    if (const Led led = bind(told, name); led.to_us) return {told, led.and_stays};
  const LoadedObject returned_to = object_around(caller);
  if (told.tables == returned_to.tables) return {told, true};
  if (returned_to) {
    if (const Led led = bind(returned_to, name); led.to_us) return {returned_to, led.and_stays};
    // Another thread may have bound the reference since this one has read it.
    if (calls_by_reference(returned_to, caller, name)) return {returned_to};
  }
  // Programs do not jump to functions without doors, nor to functions that a runtime calls, if no argument
  // shows the caller.
  if (!told && returned_to && (is_runtime(returned_to.tables) || !has_doors(name)) &&
      refers_to(returned_to.tables, name))
    return {returned_to};
  if (told && refers_to(told.tables, name)) return {told}; // bound by another thread, as above
  // A jump, or a call through a pointer.
  const LoadedObject found = bind_new_objects(name);
  if (told || found) return {told ? told : found};
  if (!returned_to || is_runtime(returned_to.tables) || refers_to(returned_to.tables, name))
    return {returned_to, true};
  const LoadedObject refers = object_that_refers_to(name);
  return {refers ? refers : returned_to, true};
}

/// A settled call: no reference leads to us any more, so that it goes through a pointer.
struct PointerCall {
  const Function* function = nullptr;
  const void* about = nullptr;
  const void* caller = nullptr;
  unsigned long long opened = 0; ///< objects when the thread looked for the caller; 0: it did not count them
  void* result = nullptr;

  bool is(const Function& of, const void* code, const void* returns_to) const noexcept {
    return function == &of && about == code && caller == returns_to;
  }
};
/// The calls that this thread has made last, by `Wanted`.
constinit thread_local std::array<std::array<PointerCall, 4>, 2> t_pointer_calls
    __attribute__((tls_model("initial-exec"))) = {};

} // namespace

void* find_for_unbound(Wanted wanted, Function& function, const void* about, const void* caller,
                       FindFor* find) noexcept {
  auto& calls = t_pointer_calls[static_cast<std::size_t>(wanted)];
  PointerCall& known = calls[reinterpret_cast<Address>(&function) / sizeof function % calls.size()];
  const PointerCall seen = known;
  std::atomic_signal_fence(std::memory_order_seq_cst); // a handler of a signal may call meanwhile
  const bool is_known = seen.is(function, about, caller) && known.is(function, about, caller);
  const unsigned long long opened = is_known ? opened_objects() : 0;
  if (is_known && (seen.opened == opened || opened == 0)) return seen.result;
  const Caller found = object_that_calls(function.name, about, caller);
  void* const result = find(function, found.object, caller);
  if (!found.is_settled || result == nullptr) return result;
  known.function = nullptr; // such a handler finds no call here
  std::atomic_signal_fence(std::memory_order_seq_cst);
  known.about = about;
  known.caller = caller;
  known.opened = opened;
  known.result = result;
  std::atomic_signal_fence(std::memory_order_seq_cst);
  known.function = &function;
  return result;
}

} // namespace wstree::abi
