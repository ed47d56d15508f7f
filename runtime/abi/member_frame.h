// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The frame of a member of a region, in memory that is not on its thread's stack, of which there may
// be little.
#pragma once

#include "frame.h"

#include <cstddef>

namespace wstree::abi {

/// For a kind of member that has two functions: enter(memory, facts...) makes a frame there and puts it on
/// top of the thread's others, leave(frame) takes it away. These two do that in memory which the
/// thread keeps.
template <class Member> struct Lent {
  /// nullptr: no memory.
  template <class... Facts> [[gnu::always_inline]] static Frame* enter_lent(Facts... facts) noexcept {
    void* memory = lend_frame();
    return memory != nullptr ? Member::enter(memory, facts...) : nullptr;
  }
  [[gnu::always_inline]] static void leave_lent(Frame* frame) noexcept {
    Member::leave(*frame);
    give_back_frame(frame);
  }
};

/// As run_as() where the thread has no memory.
template <class Member, class Run, class... Facts>
[[gnu::noinline, gnu::cold]] void run_on_stack(Run run, Facts... facts) {
  alignas(Frame) std::byte memory[sizeof(Frame)];
  struct Entered {
    ~Entered() { Member::leave(*frame); }
    Frame* frame;
  };
  const Entered member{Member::enter(memory, facts...)};
  run(*member.frame);
}

/// Calls `run(frame)` while the calling thread is such a member.
template <class Member, class Run, class... Facts>
[[gnu::always_inline]] inline void run_as(Run run, Facts... facts) {
  struct Entered {
    ~Entered() { Member::leave_lent(frame); }
    Frame* frame;
  };
  Frame* const frame = Member::enter_lent(facts...);
  if (frame == nullptr) [[unlikely]]
    return run_on_stack<Member>(run, facts...);
  const Entered member{frame};
  run(*frame);
}

} // namespace wstree::abi
