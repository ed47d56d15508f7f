// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// Affinity between calls over the same data: each thread begins with the elements that it had last time,
/// which its processor's cache, or the memory near it, may still hold.
///
///     wstree::previous_call previous;
///     for (int sweep = 0; sweep < 100; ++sweep)
///       wstree::for_each(wstree::par().near(previous), cells, update);
///
/// Not part of <wstree/parallel.hpp>, because few need it.
///
/// Calls: those that combine nothing (for_each, transform, generate, fill and their like), which share their
/// elements by work-stealing ranges then. All others share theirs as without near(), and do not remember.
/// What is remembered: for each block of elements, of which a member has about 32, which thread executed it.
/// A call that its caller executed alone changes nothing; what the caller executes before other members come
/// is not remembered. Another number of elements or members, or another min_chunk(), begins anew with equal
/// shares. A thread that was not there takes the place of one that has not come.
/// When it is wrong: a member that is done steals, as in any call, and what it stole is its own next time. No
/// result depends on what is remembered.
/// Thread safety: one call at a time uses the object; one that comes meanwhile, be it nested, goes without.
/// Exceptions: none.
/// Memory: 8 bytes a block and about 390 a member; without it calls go on as without near().
/// Source: oneTBB's affinity_partitioner has the same purpose.
#pragma once

#include "wstree/core/extrema.h"
#include "wstree/core/range/worker.h"
#include "wstree/parallel/nesting.h"
#include "wstree/parallel/wsrange.h"

#include <atomic>
#include <cstdint>
#include <new>

namespace wstree {
inline namespace v1 {
namespace detail {
class NearCall;
} // namespace detail

/// What the latest call near() it has left behind: an object for each loop or each array.
class previous_call {
public:
  previous_call() noexcept = default;
  previous_call(const previous_call&) = delete;
  previous_call& operator=(const previous_call&) = delete;
  /// No call uses the object.
  ~previous_call() { release(); }

private:
  friend class detail::NearCall;

  // relaxed, all atomics here: hints, which members of a call write; the end of the call orders them.
  struct Block {
    std::atomic<std::uint32_t> place{0}; // of the thread that has executed it
    std::uint32_t at = 0;                // in a call: the block that stands here
  };
  struct Place {
    core::RangeCell<core::StdPlatform> cell;
    std::atomic<const void*> thread{nullptr};
    std::atomic<bool> is_taken{false};
  };

  void release() noexcept {
    delete[] blocks_;
    delete[] places_;
    delete[] shares_;
    blocks_ = nullptr, places_ = nullptr, shares_ = nullptr;
  }

  std::atomic<bool> is_in_use_{false};
  std::uint32_t members_ = 0;
  std::uint64_t elements_ = 0;
  std::uint64_t least_ = 0;       // elements of a block, at least
  std::uint64_t grain_ = 1;       // elements that are counted as one
  std::uint32_t size_ = 1;        // grains of a block
  std::uint32_t count_ = 0;       // blocks
  std::uint32_t first_block_ = 0; // that the latest call shared out
  std::atomic<bool> is_laid_out_{false};
  std::uint64_t calls_ = 0;
  Block* blocks_ = nullptr;
  Place* places_ = nullptr;
  std::uint32_t* shares_ = nullptr; // where each place's grains begin in a call
};

namespace detail {

/// A call while it uses what the previous one has left. The blocks stand in the order of their places here,
/// so that each place has one range, of which members steal as of any.
class NearCall {
public:
  using Loop = core::RangeLoop<core::StdPlatform>;

  /// Of elements [begin, end), at least `least` a block.
  NearCall(previous_call& previous, std::uint64_t begin, std::uint64_t end, std::uint64_t least,
           std::uint32_t members) noexcept
      : previous_(previous), begin_(begin), end_(end) {
    // acquire: what the previous call wrote; pairs with the release below.
    if (previous_.is_in_use_.exchange(true, std::memory_order_acquire)) return;
    is_open_ = is_like_previous(least, members) || start_anew(least, members);
    is_open_ ? open() : leave();
  }
  ~NearCall() {
    if (is_open_) leave();
  }
  NearCall(const NearCall&) = delete;
  NearCall& operator=(const NearCall&) = delete;

  /// Returns false if another call uses the object, or without memory.
  bool is_open() const noexcept { return is_open_; }
  Loop& loop() noexcept { return loop_; }
  std::uint64_t number() const noexcept { return previous_.calls_; }
  std::uint64_t grain() const noexcept { return previous_.grain_; }
  std::uint64_t grains() const noexcept { return previous_.shares_[previous_.members_]; }

  /// The executing thread's place: that of last time, if it is free.
  std::uint32_t take_place(std::uint32_t member) noexcept {
    const void* const me = &Seats<core::StdPlatform>::mine(); // as long as the thread lives
    for (std::uint32_t i = 0; i < previous_.members_; ++i)
      if (previous_.places_[i].thread.load(std::memory_order_relaxed) == me && take(i)) return i;
    std::uint32_t place = member;
    while (!take(place)) place = place + 1 < previous_.members_ ? place + 1 : 0; // as many as members
    previous_.places_[place].thread.store(me, std::memory_order_relaxed);
    return place;
  }

  /// Calls piece(begin, end), which returns whether the call goes on, for the elements of `batch`.
  template <class Piece> bool execute(const core::Range& batch, std::uint32_t place, Piece&& piece) noexcept {
    const std::uint32_t size = previous_.size_;
    const auto last = static_cast<std::uint32_t>(batch.end);
    for (auto at = static_cast<std::uint32_t>(batch.begin); at != last;) {
      const previous_call::Block* order = &previous_.blocks_[first_block_ + at / size];
      const std::uint32_t first = order->at, within = at % size;
      std::uint32_t next = std::min(last, at - within + size), past = first + 1;
      while (next != last && (++order)->at == past) next = std::min(last, next + size), ++past;
      const std::uint64_t from = std::uint64_t{first} * size + within;
      const std::uint64_t begin = std::max(from * previous_.grain_, begin_);
      const std::uint64_t end = std::min((from + next - at) * previous_.grain_, end_);
      if (begin < end && !piece(begin, end)) return false;
      for (std::uint32_t block = first; block != past; ++block) remember(block, place);
      at = next;
    }
    return true;
  }

private:
  static constexpr std::uint64_t k_blocks = 32; // a member's
  /// So many grains have numbers of 32 bits, and every share of them has numbers that ranges can count.
  static constexpr std::uint64_t k_most_grains = std::uint64_t{1} << 26;

  bool take(std::uint32_t place) noexcept {
    std::atomic<bool>& is_taken = previous_.places_[place].is_taken;
    return !is_taken.load(std::memory_order_relaxed) && !is_taken.exchange(true, std::memory_order_relaxed);
  }
  void remember(std::uint32_t block, std::uint32_t place) noexcept {
    std::atomic<std::uint32_t>& of = previous_.blocks_[block].place;
    if (of.load(std::memory_order_relaxed) == place) return;
    of.store(place, std::memory_order_relaxed);
    previous_.is_laid_out_.store(false, std::memory_order_relaxed);
  }
  // release: see NearCall().
  void leave() noexcept { previous_.is_in_use_.store(false, std::memory_order_release); }

  bool is_like_previous(std::uint64_t least, std::uint32_t members) const noexcept {
    return previous_.elements_ == end_ && previous_.members_ == members && previous_.least_ == least;
  }
  bool start_anew(std::uint64_t least, std::uint32_t members) noexcept {
    previous_.release();
    previous_.elements_ = 0; // unless there is memory
    previous_.grain_ = end_ / k_most_grains + 1;
    const std::uint64_t grains = (end_ - 1) / previous_.grain_ + 1;
    const std::uint64_t smallest = std::min((least - 1) / previous_.grain_ + 1, grains);
    const std::uint64_t size = std::max((grains - 1) / (k_blocks * members) + 1, smallest);
    previous_.size_ = static_cast<std::uint32_t>(size);
    const auto count = static_cast<std::uint32_t>((grains - 1) / size + 1);
    previous_.blocks_ = new (std::nothrow) previous_call::Block[count];
    previous_.places_ = new (std::nothrow) previous_call::Place[members];
    previous_.shares_ = new (std::nothrow) std::uint32_t[members + std::size_t{1}];
    if (previous_.blocks_ == nullptr || previous_.places_ == nullptr || previous_.shares_ == nullptr)
      return false;
    for (std::uint32_t block = 0; block < count; ++block)
      previous_.blocks_[block].place.store(static_cast<std::uint32_t>(std::uint64_t{block} * members / count),
                                           std::memory_order_relaxed);
    previous_.is_laid_out_.store(false, std::memory_order_relaxed);
    previous_.count_ = count, previous_.members_ = members;
    previous_.elements_ = end_, previous_.least_ = least;
    return true;
  }
  void open() noexcept {
    first_block_ = static_cast<std::uint32_t>(begin_ / previous_.grain_ / previous_.size_);
    if (!previous_.is_laid_out_.load(std::memory_order_relaxed) || previous_.first_block_ != first_block_)
      lay_out();
    for (std::uint32_t i = 0; i < previous_.members_; ++i)
      previous_.places_[i].is_taken.store(false, std::memory_order_relaxed);
    ++previous_.calls_;
    loop_.cells = {&previous_.places_[0].cell, sizeof(previous_call::Place)};
    loop_.shares = previous_.shares_;
  }
  /// Sorts the blocks by their places.
  [[gnu::noinline]] void lay_out() noexcept {
    const std::uint32_t count = previous_.count_, members = previous_.members_;
    std::uint32_t* const shares = previous_.shares_;
    const auto place_of = [this](std::uint32_t block) {
      return previous_.blocks_[block].place.load(std::memory_order_relaxed);
    };
    for (std::uint32_t i = 0; i <= members; ++i) shares[i] = 0;
    for (std::uint32_t block = first_block_; block < count; ++block) ++shares[place_of(block) + 1];
    for (std::uint32_t i = 0; i < members; ++i) shares[i + 1] += shares[i];
    for (std::uint32_t block = first_block_; block < count; ++block)
      previous_.blocks_[first_block_ + shares[place_of(block)]++].at = block;
    // Each has become the end of its place's share.
    for (std::uint32_t i = members; i > 0; --i) shares[i] = shares[i - 1] * previous_.size_;
    shares[0] = 0;
    previous_.first_block_ = first_block_;
    previous_.is_laid_out_.store(true, std::memory_order_relaxed);
  }

  previous_call& previous_;
  std::uint64_t begin_, end_;
  std::uint32_t first_block_ = 0;
  bool is_open_ = false;
  Loop loop_{};
};

/// As fold_on_team().
template <class Platform>
void fold_near(const FoldCall& fold, FoldState& state, std::uint64_t offset, std::uint64_t n,
               std::uint32_t members, core::ValueSlot result, float cost) {
  const CallOptions& options = fold.options;
  const std::uint64_t most = options.max_chunk();
  NearCall near(*options.previous(), offset, n, std::min(options.min_chunk(), most), members);
  if (!near.is_open()) return fold_on_team(fold, state, offset, n, members, result, cost);
  Control control;
  Observed call(options, fold.where, n - offset);
  state.control = &control;
  state.offset = offset;
  share_by_ranges(
      fold, state, call, near.loop(),
      {near.grains(), near.number(), call.members(members), members, near.grain()},
      [&](std::uint32_t member) { return near.take_place(member); },
      [&](const core::ErasedBody& body, core::Range batch, std::uint32_t place) {
        return near.execute(batch, place, [&](std::uint64_t begin, std::uint64_t end) {
          return do_in_pieces(body, begin - offset, end - offset, most);
        });
      });
  control.finish();
}

} // namespace detail
} // namespace v1
} // namespace wstree
