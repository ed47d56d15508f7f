// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The chunks of a served loop in the form of GCC's interface.
#pragma once

#include "frame.h"
#include "ompt/tool.h"

#include "wstree/core/shape.h"

#include <cstdint>

namespace wstree::abi::gomp {

/// Writes the bounds of `range` for the program.
template <class T>
[[gnu::always_inline]] inline void tell(const Frame& frame, const core::Range& range, T* first,
                                        T* past) noexcept {
  const Bounds& bounds = frame.bounds;
  *first = static_cast<T>(bounds.lower + range.begin * bounds.stride);
  // One step behind the last iteration may lie outside of T's values.
  *past = static_cast<T>(range.last ? bounds.end : bounds.lower + range.end * bounds.stride);
}

/// Hands out `range` if the member `got` it. Returns false if nothing is left for it; the loop stays ours
/// until the program calls its end.
template <class T>
[[gnu::always_inline]] inline bool hand_out_if(bool got, Frame& frame, const core::Range& range, T* first,
                                               T* past) noexcept {
  if (got)
    tell(frame, range, first, past);
  else
    leave_work(frame);
  return got;
}
template <class T> [[gnu::noinline]] bool hand_out_shared(Frame& frame, T* first, T* past) noexcept {
  core::Range range;
  const bool got = frame.member.next_slowly(range);
  return hand_out_if(got, frame, range, first, past);
}
/// Hands out the next chunk of the served loop in `frame`, if finding it takes more than a few instructions.
template <class T> [[gnu::noinline]] bool hand_out(Frame& frame, T* first, T* past) noexcept {
  if (!frame.member.has_piece()) [[unlikely]]
    return hand_out_shared(frame, first, past);
  core::Range range;
  const bool got = frame.member.next_piece(range);
  return hand_out_if(got, frame, range, first, past);
}

/// Hands out the next chunk, of which a tool may want to hear. The code at `caller` asks for it.
template <class T>
[[gnu::noinline]] bool hand_out_told(Frame& frame, T* first, T* past, const void* caller) noexcept {
  if (frame.loop.is_told()) ompt::before_request(frame, caller);
  if (!hand_out(frame, first, past)) return false;
  const std::uint64_t step = frame.bounds.step;
  const auto beyond = static_cast<std::uint64_t>(*past);
  // The bound of the last chunk need not be a whole number of steps away.
  const bool up = static_cast<std::int64_t>(step) > 0;
  ompt::tell_chunk(frame, static_cast<std::uint64_t>(*first), up ? beyond - 1 : beyond + 1, step);
  return true;
}
/// Hands out the first chunk of a loop that has just become ours.
template <class T>
[[gnu::always_inline]] inline bool hand_out_first(T* first, T* past, const void* caller) noexcept {
  Frame& frame = *t_frame;
  if (frame.loop.takes_long_way()) [[unlikely]]
    return hand_out_told(frame, first, past, caller);
  return hand_out(frame, first, past);
}

} // namespace wstree::abi::gomp
