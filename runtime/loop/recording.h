// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Recorded times of one member's iterations of one loop: pieces and their times, in memory that does
// not grow.
#pragma once

#include "wstree/core/platform.h"
#include "wstree/core/shape.h"
#include "wstree/core/tuning.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <new>

namespace wstree::loop {

/// `units` of the units in [begin, end), and the time that they took. All of them, unless pieces that do not
/// touch had to be merged.
struct Piece {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::uint64_t units = 0;
  std::uint64_t ticks = 0;
};

/// The calling thread's use of its processor so far.
struct ProcessorTime {
  std::uint64_t ticks = 0;    ///< time that it ran
  std::uint64_t given_up = 0; ///< times that it waited for something
};

/// The fineness of a loop's recording, and its clocks; in ticks.
struct Pace {
  std::uint64_t target = 5'000; ///< aim for the time of a piece
  std::uint64_t clock = 0;      ///< time of a look at the clock; no piece is charged for it
  /// Pieces that take `suspicious` ticks and more are not charged for the time that their thread was
  /// interrupted. nullptr: they are charged.
  ProcessorTime (*processor_time)() noexcept = nullptr;
  std::uint64_t suspicious = 100'000;
};

/// Cuts the batches of a schedule into pieces that take about Pace::target, and keeps their times. When there
/// is no room for more, neighbours that are cheap become one piece and the target doubles. So the sums stay
/// right, expensive iterations stay apart, and the memory does not grow. Private to its member until that has
/// left the loop.
class Recording {
public:
  /// Returns the pieces that a member of a team keeps: the fewer the more members there are.
  static constexpr std::uint32_t capacity(std::uint32_t members) noexcept {
    return std::max(core::tuning::k_fewest_pieces, 2 * core::tuning::k_most_pieces / std::max(members, 2U));
  }

  /// nullptr: no memory.
  template <class P> static Recording* create(std::uint32_t capacity) noexcept {
    void* memory = P::allocate(bytes(capacity));
    return memory == nullptr ? nullptr : ::new (memory) Recording(capacity);
  }
  template <class P> static void destroy(Recording* recording) noexcept {
    if (recording != nullptr) P::release(recording, bytes(recording->capacity_));
  }
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;

  /// A new loop of `units`, which the member has just entered and of which the schedule hands out no batches
  /// smaller than `smallest` units, 0 meaning 1. `pace` outlives it.
  void start(const Pace& pace, std::uint64_t units, std::uint64_t smallest, std::uint64_t now) noexcept {
    count_ = 0;
    given_ = 0;
    rest_ = {};
    target_ = std::max<std::uint64_t>(pace.target, 1);
    pace_ = &pace;
    look(now);
    finished_ = now;
    step_ = smallest_ = std::max<std::uint64_t>(smallest, 1);
    largest_ = std::max(units / core::tuning::k_fewest_steps, smallest_);
  }

  /// The member comes back with the piece that it was handed last, if there was one.
  void finish(std::uint64_t now) noexcept {
    if (given_ == 0) return;
    std::uint64_t ticks = core::elapsed(since_, now);
    if (ticks >= pace_->suspicious && pace_->processor_time != nullptr)
      ticks -= interrupted(ticks, now);
    else if (core::elapsed(processor_.when, now) > core::tuning::k_look_again * pace_->suspicious)
      look(now); // the two clocks do not agree for long
    finished_ = now;
    ticks -= std::min(ticks, pace_->clock);
    choose_step(ticks);
    add({begin_, begin_ + given_, given_, ticks});
    given_ = 0;
  }

  bool has_more() const noexcept { return rest_.begin != rest_.end; }
  /// Takes a batch of the schedule, to be cut.
  void take(const core::Range& batch) noexcept { rest_ = batch; }
  /// The next piece of that; the last one of the loop's last batch is the last one.
  void cut(core::Range& out, std::uint64_t now) noexcept {
    const std::uint64_t left = rest_.end - rest_.begin;
    // A rest smaller than the smallest batch stays with the piece before it.
    given_ = left < step_ + smallest_ ? left : step_;
    if (core::elapsed(finished_, now) >= pace_->suspicious)
      look(now); // interrupted, or waiting, between pieces
    begin_ = rest_.begin;
    rest_.begin += given_;
    out = {begin_, rest_.begin, rest_.last && !has_more()};
    since_ = now;
  }

  const Piece* begin() const noexcept { return pieces(); }
  const Piece* end() const noexcept { return pieces() + count_; }
  std::uint32_t size() const noexcept { return count_; }

private:
  static constexpr std::uint64_t k_longest_target = std::uint64_t{1} << 62;

  explicit Recording(std::uint32_t capacity) noexcept : capacity_(capacity) {}
  static constexpr std::size_t bytes(std::uint32_t capacity) noexcept {
    return sizeof(Recording) + capacity * sizeof(Piece);
  }
  Piece* pieces() noexcept { return reinterpret_cast<Piece*>(this + 1); }
  const Piece* pieces() const noexcept { return reinterpret_cast<const Piece*>(this + 1); }

  [[gnu::noinline]] void look(std::uint64_t now) noexcept {
    if (pace_->processor_time != nullptr) processor_ = {now, pace_->processor_time()};
  }

  /// Returns the time in which the thread was not running since the last such look. A short piece is hardly
  /// ever interrupted, so the interruption belongs to the present piece. Waiting for something is part of a
  /// loop's costs.
  [[gnu::noinline]] std::uint64_t interrupted(std::uint64_t ticks, std::uint64_t now) noexcept {
    const Look before = processor_;
    look(now);
    if (processor_.seen.given_up != before.seen.given_up) return 0;
    const std::uint64_t passed = core::elapsed(before.when, now);
    const std::uint64_t ran = processor_.seen.ticks - before.seen.ticks;
    return passed > ran ? std::min(passed - ran, ticks) : 0;
  }

  /// As many units as take the target, at the price of the latest ones; cheap ones may be followed by
  /// expensive ones, so it grows in steps.
  void choose_step(std::uint64_t ticks) noexcept {
    const std::uint64_t wanted = core::product(given_, target_) / (ticks | 1);
    step_ = std::max(core::least_of(wanted, given_ * core::tuning::k_piece_growth, largest_), smallest_);
  }

  bool is_cheap(const Piece& piece) const noexcept { return piece.ticks <= target_ / 2; }
  static void merge(Piece& into, const Piece& next) noexcept {
    into.end = std::max(into.end, next.end);
    into.units += next.units;
    into.ticks += next.ticks;
  }

  void add(const Piece& piece) noexcept {
    if (count_ != 0) {
      Piece& last = pieces()[count_ - 1];
      if (last.end == piece.begin && is_cheap(last) && is_cheap(piece)) return merge(last, piece);
    }
    if (count_ == capacity_) coarsen();
    ::new (static_cast<void*>(pieces() + count_++)) Piece(piece);
  }

  [[gnu::noinline]] void coarsen() noexcept {
    std::sort(pieces(), pieces() + count_, [](const Piece& a, const Piece& b) { return a.begin < b.begin; });
    while (count_ > capacity_ / 2 && target_ < k_longest_target) {
      target_ *= 2;
      merge_neighbours();
    }
  }
  void merge_neighbours() noexcept {
    Piece* kept = pieces();
    for (const Piece *next = kept + 1, *past = end(); next != past; ++next) {
      if (is_cheap(*kept) && is_cheap(*next))
        merge(*kept, *next);
      else
        *++kept = *next;
    }
    count_ = static_cast<std::uint32_t>(kept + 1 - pieces());
  }

  std::uint32_t capacity_;
  std::uint32_t count_ = 0;
  std::uint64_t target_ = 1;
  const Pace* pace_ = nullptr;
  struct Look {
    std::uint64_t when = 0;
    ProcessorTime seen;
  } processor_;
  std::uint64_t smallest_ = 1;
  std::uint64_t largest_ = 1;
  std::uint64_t step_ = 1;
  core::Range rest_;           // rest of the batch
  std::uint64_t begin_ = 0;    // first iteration of the piece that the member is busy with
  std::uint64_t finished_ = 0; // when the piece before it was
  std::uint64_t given_ = 0;    // its units; 0: it is busy with none
  std::uint64_t since_ = 0;
};
static_assert(sizeof(Recording) % alignof(Piece) == 0);

} // namespace wstree::loop
