// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The side that serves the loop of a thread: the library or the runtime.
#pragma once

#include <cstdint>
#include <utility>

namespace wstree::abi {

/// The state of the thread's latest loop in one frame. Only that thread reads and writes it.
///
/// | state | the thread's latest loop | leaves it by |
/// |---|---|---|
/// | `none` | is the runtime's, or there was none | serve() |
/// | `served` | is ours, and a request for a chunk takes the short way | meet_foreign(), tell(), hold() |
/// | `aside` | is ours, and a request takes the long way | return_from_foreign() |
/// | `over` | was ours and has ended; the runtime never saw it | serve() |
///
/// end() leaves `served` and `aside`, begin_unclaimed() all. A loop is `aside` while a loop of a foreign
/// region may run inside it, or because a tool hears of each request.
///
/// A foreign region is one that was opened out of our sight.
class LoopState {
public:
  constexpr LoopState() noexcept = default;

  bool is_served() const noexcept { return state_ == State::served; }
  bool takes_long_way() const noexcept { return state_ == State::aside; }
  bool is_open() const noexcept { return is_served() || takes_long_way(); }
  /// Returns whether the runtime has not heard of this loop, nor of its end.
  bool is_unknown_to_runtime() const noexcept { return state_ != State::none; }

  /// Resets the state for a new loop, which neither the library nor the runtime has claimed yet. Returns and
  /// clears whether the loop's iterations depend on each other.
  bool begin_unclaimed() noexcept { return std::exchange(*this, LoopState(State::none)).dependent_; }
  /// We serve the loop that the thread has met.
  void serve() noexcept { *this = LoopState(State::served); }
  /// The thread meets a loop of a foreign region.
  void meet_foreign() noexcept { put_aside(); }
  /// The thread is back in our loop.
  void return_from_foreign() noexcept {
    if ((watched_ & (k_told | k_held)) == 0) state_ = State::served;
  }
  /// Our loop is over: the thread's next request is not for us.
  void end() noexcept { state_ = State::over; }

  /// Notes that the runtime has heard of our loop as well, and therefore has to end it too.
  void note_registered() noexcept { registered_ = true; }
  bool is_registered() const noexcept { return registered_; }

  /// Our loop is measured, so that leaving it takes more than usual.
  void start_measuring() noexcept { watched_ |= k_measured; }
  bool is_measured() const noexcept { return (watched_ & k_measured) != 0; }
  /// A tool wants to hear of our loop, and of each request.
  void tell() noexcept {
    watched_ |= k_told;
    put_aside();
  }
  bool is_told() const noexcept { return (watched_ & k_told) != 0; }
  /// A tool wants to hear of our loop, but hears of it from outside of it (ompt/libgomp.h).
  void hold() noexcept {
    watched_ |= k_held;
    put_aside();
  }
  /// Returns whether the tool has not heard of the loop yet; it does now.
  bool tell_begin() noexcept {
    const bool first = (watched_ & (k_told | k_begun)) == k_told;
    if (first) watched_ |= k_begun;
    return first;
  }
  /// Returns whether leaving the loop takes more than usual; called once.
  bool is_watched() const noexcept { return watched_ != 0; }
  LoopState stop_watching() noexcept {
    LoopState before = *this;
    watched_ = 0;
    return before;
  }
  bool has_begun() const noexcept { return (watched_ & k_begun) != 0; }

  /// Sets whether the iterations of the next loop depend on each other.
  void set_next_dependent(bool dependent) noexcept { dependent_ = dependent; }
  bool is_next_dependent() const noexcept { return dependent_; }

private:
  enum class State : std::uint8_t { none, served, aside, over };
  static constexpr std::uint8_t k_measured = 1;
  static constexpr std::uint8_t k_told = 2;
  static constexpr std::uint8_t k_begun = 4;
  static constexpr std::uint8_t k_held = 8;
  explicit constexpr LoopState(State state) noexcept : state_(state) {}
  void put_aside() noexcept {
    if (is_served()) state_ = State::aside;
  }

  State state_ = State::none;
  bool registered_ = false;
  std::uint8_t watched_ = 0;
  bool dependent_ = false;
};

} // namespace wstree::abi
