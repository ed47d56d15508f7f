// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One member's way through a region of LLVM's interface whose function it calls for each piece of the loop.
#pragma once

#include "canonical_loop.h"
#include "frame.h"
#include "repeated_regions.h"

#include <cstdint>

namespace wstree::abi::kmpc {

/// The function gets its bounds from __kmpc_for_static_init_*, which gets the whole loop: the first call of
/// it begins the loop, and __kmpc_for_static_fini takes the next piece, so that the runtime hears of the end
/// when there is none. On the stack of the member.
class MemberPieces : public PieceAnswers {
public:
  MemberPieces(Frame& frame, RepeatedRegion& region) noexcept : frame_(frame), region_(region) {
    after_init = region.verdict().after_static_init;
    began_ = Platform::ticks();
    frame.answers = this;
  }
  ~MemberPieces() {
    leave();
    frame_.answers = nullptr;
  }
  MemberPieces(const MemberPieces&) = delete;
  MemberPieces& operator=(const MemberPieces&) = delete;

  /// Calls `function` until no piece is left for this member.
  template <class Function> void execute(Function&& function) {
    do {
      is_answered_ = false;
      function();
    } while (state_ == State::cut && is_answered_ && piece_.begin != piece_.end);
  }

  /// Returns whether the function has not asked for its bounds yet.
  bool is_new() const noexcept { return state_ == State::none; }
  /// Returns whether the member executes pieces, or has executed its last one.
  bool is_cut() const noexcept { return state_ == State::cut || state_ == State::over; }

  /// The function asks for the bounds of `loop` for the first time. `is_plain`: the loop may be cut.
  template <class T> void begin(const loop::CanonicalLoop<T>& loop, bool is_plain) noexcept {
    state_ = State::whole;
    const std::uint64_t n = loop.iterations();
    const std::uint32_t members = frame_.member.members();
    if (!is_plain || !loop.countable() || n <= members) return;
    const std::uint64_t each = region_.pieces_each(n, members);
    if (each == 1 && !region_.is_measured()) return;
    const std::uint64_t size = each == 1 ? 0 : n / members / each;
    is_whole_ = each == 1;
    items_ = region_.items(n, members, size);
    if (!region_.begin(frame_, items_, is_whole_, size, 1, region_.code())) return;
    state_ = State::cut;
    items = n;
    own = n - items_.shared();
    piece_ = items_.own(frame_.member.index());
    if (piece_.begin == piece_.end) take();
  }
  /// Writes the bounds of the present piece of `loop`.
  template <class T>
  void answer(const loop::CanonicalLoop<T>& loop, std::int32_t* last, T* lower, T* upper) noexcept {
    is_answered_ = true;
    if (piece_.begin == piece_.end) { // other members have taken all of this one's share
      *lower = loop.at(1);
      *upper = loop.at(0);
      return;
    }
    done_ += piece_.end - piece_.begin;
    *lower = loop.at(piece_.begin);
    *upper = loop.at(piece_.end - 1);
    if (last != nullptr) *last = piece_.end == items_.items() ? 1 : 0;
  }
  /// Ends the function's piece. Returns whether there is another one.
  bool take_next() noexcept {
    if (state_ != State::cut) return false;
    if (piece_.begin != piece_.end) take();
    if (piece_.begin == piece_.end) leave();
    return state_ == State::cut;
  }
  /// Returns whether the member holds the lock under which values are combined.
  bool is_locked() const noexcept { return is_locked_; }
  void set_locked(bool locked) noexcept { is_locked_ = locked; }

private:
  enum class State : std::uint8_t { none, whole, cut, over };

  /// Leaves the piece empty if nothing is left for this member.
  void take() noexcept {
    piece_ = {};
    if (units_.begin == units_.end && !frame_.member.next(units_)) units_ = {};
    if (units_.begin != units_.end) piece_ = items_.take(units_);
  }
  void leave() noexcept {
    if (state_ != State::cut) return;
    state_ = State::over;
    if (!is_whole_)
      region_.add(core::elapsed(began_, Platform::ticks()), done_, items_.items(), items_.items(),
                  frame_.member.members());
    leave_loop(frame_);
  }

  Frame& frame_;
  RepeatedRegion& region_;
  loop::OwnFirst items_{0, 1, 0};
  core::Range piece_; // items that the function executes, or is to be called for
  core::Range units_; // taken from the loop, and not executed yet
  std::uint64_t began_;
  std::uint64_t done_ = 0;
  State state_ = State::none;
  bool is_whole_ = false; // the member gets its share whole
  bool is_locked_ = false;
  bool is_answered_ = false; // since the function was called last
};

/// Returns the pieces of the function that goes on at `caller` behind a question for its bounds; nullptr: it
/// is executed whole.
inline MemberPieces* pieces_after(const void* caller) noexcept {
  Frame* const frame = t_frame;
  if (frame == nullptr || frame->answers == nullptr || frame->answers->after_init == nullptr ||
      frame->answers->after_init != caller)
    return nullptr;
  return static_cast<MemberPieces*>(frame->answers);
}
/// Returns the pieces that the calling member of a region of this interface executes; nullptr: none.
inline MemberPieces* own_pieces() noexcept {
  Frame* const frame = t_frame;
  if (frame == nullptr || frame->answers == nullptr) [[likely]]
    return nullptr;
  return pieces_after(frame->answers->after_init);
}

} // namespace wstree::abi::kmpc
