// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One member's way through a loop in equal parts: its own, then those of members that have not come yet.
#pragma once

#include "wstree/core/scheduler.h"
#include "wstree/core/shape.h"
#include "wstree/core/share_mark.h"
#include "wstree/core/tuning.h"

#include <cstdint>
#include <utility>

namespace wstree::loop {

/// What a member gets whole.
class WholePiece {
public:
  void set(const core::Range& piece) noexcept {
    left_ = piece;
    size_ = piece.end - piece.begin;
  }
  bool is_there() const noexcept { return left_.begin != left_.end; }
  [[gnu::always_inline]] bool take(core::Range& out) noexcept {
    if (!is_there()) return false;
    out = left_;
    left_.begin = left_.end;
    return true;
  }
  std::uint64_t size() const noexcept { return size_; } ///< of all of it

private:
  core::Range left_;
  std::uint64_t size_;
};

/// Parts are free until somebody takes them, mostly their own members on arrival. Whoever is done with a part
/// looks at the next one, round the team. If that is taken, whoever has it looks on: so one look is enough as
/// a rule, and nobody holds up iterations by not coming. Private to its member.
template <class P> class Parts {
public:
  using Marks = core::Cells<core::ShareMark<P>>;

  /// The member's own part of loop number `loop`, or nothing: then somebody has taken it, or there is none.
  /// `parts`: how many, of which each of the first members owns one.
  core::Range start(const Marks& marks, std::uint64_t loop, std::uint64_t iterations, std::uint32_t parts,
                    std::uint32_t index, std::uint32_t looks = core::tuning::k_late_looks) noexcept {
    marks_ = marks;
    loop_ = loop;
    iterations_ = iterations;
    parts_ = left_ = parts;
    holds_last_ = false;
    core::Range own;
    if (index < parts) {
      if (marks_[index].take(loop_)) own = core::equal_part(iterations_, parts_, index);
      go_on_from(index);
    } else {
      next_ = index % parts; // members without a part do not all look at the same one
    }
    // Who has the last iteration holds it back, unless the next part has been taken by now. If there is
    // nothing else to do before it, the member waits a moment for that: who comes a little earlier would do
    // the other's work first, and leave it nothing. The others do not look before they have done their own:
    // the line is mostly in another cache.
    const bool has_only_last = own.last && own.end - own.begin == 1;
    if (own.last && left_ != 0 && next_is_taken(has_only_last ? looks : 1)) left_ = 0;
    counts_ = {};
    return counted(without_last(own));
  }

  /// The next part that nobody has come for. False: there is none left for this member.
  bool next(core::Range& out) noexcept {
    while (left_ != 0) {
      const std::uint32_t part = next_;
      if (!marks_[part].take(loop_)) {
        left_ = 0;
        break;
      }
      go_on_from(part);
      const core::Range taken = core::equal_part(iterations_, parts_, part);
      if (taken.begin == taken.end) continue;
      ++counts_.steals;
      out = counted(without_last(taken));
      if (out.begin != out.end) return true;
    }
    if (!std::exchange(holds_last_, false)) return false;
    out = counted({iterations_ - 1, iterations_, true});
    return true;
  }

  /// What the member was handed.
  const core::Counts& counts() const noexcept { return counts_; }

private:
  bool next_is_taken(std::uint32_t looks) const noexcept {
    for (; marks_[next_].is_free(loop_); P::relax())
      if (--looks == 0) return false;
    return true;
  }
  void go_on_from(std::uint32_t part) noexcept {
    next_ = part + 1 == parts_ ? 0 : part + 1;
    --left_;
  }
  core::Range counted(const core::Range& piece) noexcept {
    counts_.iterations += piece.end - piece.begin;
    counts_.batches += piece.begin != piece.end;
    return piece;
  }
  /// The last iteration ends its member's part in the loop: as long as other parts may be left, it waits.
  core::Range without_last(core::Range part) noexcept {
    if (!part.last || part.begin == part.end || left_ == 0) return part; // one's own may be empty
    holds_last_ = true;
    return {part.begin, part.end - 1, false};
  }

  Marks marks_;
  std::uint64_t loop_;
  std::uint64_t iterations_;
  core::Counts counts_;
  std::uint32_t parts_;
  std::uint32_t left_; // parts that it may still look at
  std::uint32_t next_; // the first of them
  bool holds_last_;    // the last iteration is still to be done
};

} // namespace wstree::loop
