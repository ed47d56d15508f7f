// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The state that the partitions of a partitioner share. Elements have the numbers 0 to elements-1 here.
#pragma once

#include "wstree/core/platform.h"
#include "wstree/core/range/worker.h"

#include <cstddef>
#include <cstdint>
#include <memory>

namespace wstree {
inline namespace v1 {
namespace detail {

/// Partitions are the members of a loop that is scheduled by work-stealing ranges (core/range), in batches of
/// `chunk` elements. A loop hands its last iteration out apart from the other iterations, and its member
/// retires: so the loop has one iteration more than there are elements, which no partition hands out.
///
/// P: the Platform, so that the tests' model checker runs this code.
template <class P> class Partitions {
public:
  /// elements < 2^63 - 1, 1 <= partitions < 2^20, 1 <= chunk.
  Partitions(std::uint64_t elements, std::uint32_t partitions, std::uint64_t chunk)
      : elements_(elements), partitions_(partitions), settings_(settings_for(chunk)),
        cells_(std::make_unique<Cell[]>(partitions)), members_(std::make_unique<Member[]>(partitions)) {
    loop_.cells.first = cells_.get();
  }
  Partitions(const Partitions&) = delete;
  Partitions& operator=(const Partitions&) = delete;

  std::uint32_t partitions() const noexcept { return partitions_; }

  /// Hands out the next element of a partition. Returns false if every element is taken, or those that are
  /// left are on their way to another partition.
  bool next(std::uint32_t partition, std::uint64_t& element) noexcept {
    Member& member = members_[partition];
    if (member.at == member.end && !refill(member, partition)) return false;
    element = member.at++;
    return true;
  }

  /// Calls visit(begin, end) for elements that no partition has handed out. No other thread is here.
  template <class Visit> void each_left(Visit&& visit) {
    for (std::uint32_t i = 0; i < partitions_; ++i)
      if (members_[i].at != members_[i].end) visit(members_[i].at, members_[i].end);
    Worker::each_unclaimed(loop_, entry(0), [&](const core::Range& left) { visit(left.begin, left.end); });
  }

private:
  using Worker = core::RangeWorker<P>;
  using Cell = core::RangeCell<P>;

  /// Private to the thread that consumes the partition.
  struct alignas(core::k_line_pair) Member {
    std::uint64_t at = 0; // [at, end): rest of the batch, out of reach for other partitions
    std::uint64_t end = 0;
    bool is_here = false;
    Worker worker;
  };

  static core::Settings settings_for(std::uint64_t chunk) noexcept {
    core::Settings settings;
    settings.batch = core::BatchMode::fixed;
    settings.limit = chunk;
    settings.clocked = false;
    settings.history = false;
    return settings;
  }
  core::Entry entry(std::uint32_t partition) const noexcept {
    return {elements_ + 1, 1, 1, partition, partitions_, &settings_, 1, nullptr, nullptr};
  }
  [[gnu::noinline]] bool refill(Member& member, std::uint32_t partition) noexcept {
    if (!member.is_here) {
      core::NoMemory none;
      member.worker.enter(loop_, none, entry(partition));
      member.is_here = true;
    }
    core::Range batch;
    if (!member.worker.next(batch) || batch.last) return false;
    member.at = batch.begin;
    member.end = batch.end;
    return true;
  }

  std::uint64_t elements_;
  std::uint32_t partitions_;
  core::Settings settings_;
  std::unique_ptr<Cell[]> cells_;
  std::unique_ptr<Member[]> members_;
  core::RangeLoop<P> loop_;
};

/// One range of 32-bit numbers, as its owner and thieves have it.
template <class P> class StealableRange {
public:
  /// Numbers [0, size).
  explicit StealableRange(std::uint32_t size) noexcept : left_(size != 0) {
    if (left_) known_ = cell_.open(0, size, k_loop, false);
  }

  /// Takes, as the owner, numbers [begin, end), `most` of them or all that are left. Returns false if none
  /// is left.
  bool take(std::uint32_t most, std::uint32_t& begin, std::uint32_t& end) noexcept {
    const auto size = [most](std::uint32_t left) { return most < left ? most : left; };
    if (!left_ || !cell_.take(known_, low_, size, end)) {
      left_ = false;
      return false;
    }
    begin = low_;
    low_ = end;
    return true;
  }
  /// Steals numbers. Any thread. Returns false if another thread was faster, or nothing can be stolen.
  bool steal(std::uint32_t& begin, std::uint32_t& end) noexcept {
    const auto offer = cell_.offer();
    if (offer.part.empty() || !cell_.steal(offer.seen, offer.rest)) return false;
    begin = offer.part.mid();
    end = offer.part.high();
    return true;
  }
  std::uint32_t size() const noexcept {
    const core::StealWord left = cell_.unclaimed();
    return left.high() - left.mid();
  }

private:
  static constexpr std::uint64_t k_loop = 1;

  core::RangeCell<P> cell_;
  core::StealWord known_; // the owner's, like the members below
  std::uint32_t low_ = 0;
  bool left_;
};

} // namespace detail
} // namespace v1
} // namespace wstree
