// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// OMP_SCHEDULE=static_steal,c on libomp (kmp_sch_static_steal, with an index of 32 bits): each member has a
// block of chunks as a pair (next, end) in one word. The owner takes one chunk at a time, by a
// compare-and-swap. A thief goes round the ring of members from the one behind itself, or from where it found
// something before, and takes a quarter of the chunks that are left, one if they are seven or less; a member
// that has not come yet loses all. After P - 1 victims with nothing a member leaves for good, even if one of
// them still has a long chunk in hand. With fewer chunks than members the loop is dynamic,c.
//
// Shared memory: two lines per member, one with the pair and one with the state, which thieves read. Left
// out: an index of 64 bits, for which every operation on a pair takes a lock; hybrid processors, whose
// efficient cores get less; chunks beyond 2^32, which are enlarged.
#pragma once

#include "../engine/virtual_time.h"
#include "central.h"
#include "libomp_dynamic.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <memory>
#include <vector>

namespace wstree::simulate {

/// Chunks [next, end).
struct ChunkPair {
  std::uint32_t next = 0;
  std::uint32_t end = 0;

  static constexpr ChunkPair of(std::uint64_t word) noexcept {
    return {static_cast<std::uint32_t>(word), static_cast<std::uint32_t>(word >> 32)};
  }
  constexpr std::uint64_t word() const noexcept { return std::uint64_t{end} << 32 | next; }
  constexpr bool empty() const noexcept { return next >= end; }
  /// Returns the number of chunks that a thief takes from the end.
  constexpr std::uint32_t loot() const noexcept {
    const std::uint32_t left = end - next;
    return left > 7 ? left / 4 : 1;
  }
};

template <class P> class StealLoop : public LibompLoop<P> {
public:
  enum State : std::uint32_t { unused, claimed, ready, thief };
  struct Buffer {
    alignas(core::k_line_pair / 2) typename P::template Atomic<std::uint64_t> pair{0};
    alignas(core::k_line_pair / 2) typename P::template Atomic<std::uint32_t> state{unused};
  };

  explicit StealLoop(std::uint32_t members)
      : buffers_(std::make_unique<Buffer[]>(members)), members_(members) {
    all_can_be_victims();
  }
  Buffer& operator[](std::uint32_t member) noexcept { return buffers_[member]; }

  void leave(std::uint32_t members) noexcept {
    if (!this->is_last(members)) return;
    for (std::uint32_t m = 0; m < members_; ++m) buffers_[m].state.store(unused, std::memory_order_relaxed);
    all_can_be_victims();
    this->clear();
  }

  // The members that are no thieves, known to the simulation: at the end of a loop each of P members looks P
  // times at P members, which takes one step each where the simulation knows the state that they would see.
  void is_thief(std::uint32_t member) noexcept { victims_[member / 64] &= ~(1ULL << member % 64); }
  void is_victim(std::uint32_t member) noexcept { victims_[member / 64] |= 1ULL << member % 64; }
  /// Returns the number of members between `from` and the next one in the ring that is no thief; all: there
  /// is none.
  std::uint32_t thieves_from(std::uint32_t from) const noexcept {
    for (std::uint32_t passed = 0; passed < members_;) {
      const std::uint32_t member = (from + passed) % members_;
      const std::uint64_t word = victims_[member / 64] >> member % 64;
      if (word != 0) return std::min(passed + static_cast<std::uint32_t>(std::countr_zero(word)), members_);
      passed += std::min(64 - member % 64, members_ - member);
    }
    return members_;
  }

private:
  void all_can_be_victims() {
    victims_.assign(members_ / 64 + 1, 0);
    for (std::uint32_t m = 0; m < members_; ++m) is_victim(m);
  }

  std::vector<std::uint64_t> victims_; // bits
  std::unique_ptr<Buffer[]> buffers_;
  std::uint32_t members_;
};

template <class P> class LibompStaticSteal {
public:
  using Loop = StealLoop<P>;
  static constexpr bool k_serial = true;

  void enter(Loop& loop, const core::Entry& entry) noexcept {
    lay_out(entry);
    own_ = &loop[index_];
    victim_ = behind(index_);
    steals_ = 0;
    if (chunks_ < members_) return dynamic_.enter(iterations_, chunk_);
    std::uint32_t state = Loop::unused;
    const bool mine = own_->state.compare_exchange_strong(state, Loop::claimed, std::memory_order_seq_cst,
                                                          std::memory_order_seq_cst);
    const ChunkPair block = block_of(index_);
    own_->pair.store((mine ? block : ChunkPair{block.next, block.next}).word(), std::memory_order_relaxed);
    if (mine) own_->state.store(Loop::ready, std::memory_order_release);
  }

  bool take(Loop& loop, core::Range& out) noexcept {
    if (chunks_ < members_) return dynamic_.take(loop, out);
    std::uint32_t number = 0;
    if (!take_own(number) && !steal(loop, number)) return false;
    out = {number * chunk_, std::min((number + std::uint64_t{1}) * chunk_, iterations_), false};
    return true;
  }
  std::uint64_t steals() const noexcept { return steals_; }

  /// Returns the iterations that are left. Only while no member is in a call.
  static std::uint64_t unclaimed(Loop& loop, const core::Entry& entry) noexcept {
    LibompStaticSteal rule;
    rule.lay_out(entry);
    if (rule.chunks_ < rule.members_) return LibompDynamic<P>::unclaimed(loop, entry);
    std::uint64_t left = 0;
    for (std::uint32_t m = 0; m < rule.members_; ++m) {
      const bool has_come = loop[m].state.load(std::memory_order_relaxed) != Loop::unused;
      const auto pair =
          has_come ? ChunkPair::of(loop[m].pair.load(std::memory_order_relaxed)) : rule.block_of(m);
      if (!pair.empty()) left += std::min(pair.end * rule.chunk_, rule.iterations_) - pair.next * rule.chunk_;
    }
    return left;
  }

private:
  using Buffer = typename Loop::Buffer;
  static constexpr Time k_look = 1 * k_ns;

  void lay_out(const core::Entry& entry) noexcept {
    constexpr std::uint64_t k_most = 0xFFFF'0000;
    iterations_ = entry.iterations;
    index_ = entry.index;
    members_ = entry.members;
    chunk_ = std::max(std::clamp<std::uint64_t>(entry.smallest, 1, iterations_), iterations_ / k_most + 1);
    chunks_ = static_cast<std::uint32_t>(iterations_ / chunk_ + (iterations_ % chunk_ != 0));
  }
  ChunkPair block_of(std::uint32_t member) const noexcept {
    const std::uint32_t share = chunks_ / members_;
    const std::uint32_t extras = chunks_ % members_;
    const std::uint32_t begin = member * share + std::min(member, extras);
    return {begin, begin + share + (member < extras)};
  }
  std::uint32_t behind(std::uint32_t member) const noexcept {
    return member + 1 == members_ ? 0 : member + 1;
  }

  bool take_own(std::uint32_t& number) noexcept {
    std::uint64_t seen = own_->pair.load(std::memory_order_relaxed);
    if (ChunkPair::of(seen).empty()) return false;
    // The range there may end before this succeeds: then nothing is taken, and the next chunk is beyond
    // the end.
    while (!own_->pair.compare_exchange_strong(seen, seen + 1, std::memory_order_release,
                                               std::memory_order_relaxed))
      P::relax();
    number = ChunkPair::of(seen).next;
    return !ChunkPair::of(seen).empty();
  }

  bool steal(Loop& loop, std::uint32_t& number) noexcept {
    own_->state.store(Loop::thief, std::memory_order_release);
    loop.is_thief(index_);
    looked_ = 0;
    for (std::uint32_t tries = 1; tries != members_; ++tries) {
      const std::uint32_t victim = likely_victim(loop);
      if (victim == index_) continue;
      Buffer& buffer = loop[victim];
      std::uint32_t state = buffer.state.load(std::memory_order_relaxed);
      if (state == Loop::unused &&
          buffer.state.compare_exchange_strong(state, Loop::thief, std::memory_order_seq_cst,
                                               std::memory_order_seq_cst)) {
        loop.is_thief(victim);
        victim_ = behind(victim);
        return open(loop, block_of(victim), number);
      }
      if (steal_from(loop, victim, number)) return true;
    }
    return false;
  }
  /// Returns the next in the ring that is no thief; this member if there is none.
  std::uint32_t likely_victim(Loop& loop) noexcept {
    if (looked_ >= members_) return known_victim(loop);
    std::uint32_t member = victim_;
    for (std::uint32_t looked = 0; looked < members_; ++looked, member = behind(member)) {
      ++looked_;
      if (member != index_ && loop[member].state.load(std::memory_order_relaxed) != Loop::thief)
        return member;
    }
    return index_;
  }
  /// Returns the victim once this member has fetched all lines: it still has most of them, and the thieves
  /// are known.
  std::uint32_t known_victim(Loop& loop) noexcept {
    const std::uint32_t thieves = loop.thieves_from(victim_);
    P::pass(thieves * k_look);
    return thieves == members_ ? index_ : (victim_ + thieves) % members_;
  }
  bool steal_from(Loop& loop, std::uint32_t victim, std::uint32_t& number) noexcept {
    Buffer& buffer = loop[victim];
    while (true) {
      std::uint64_t seen = buffer.pair.load(std::memory_order_relaxed);
      const ChunkPair pair = ChunkPair::of(seen);
      if (buffer.state.load(std::memory_order_acquire) != Loop::ready || pair.empty()) {
        victim_ = behind(victim);
        return false;
      }
      const ChunkPair rest{pair.next, pair.end - pair.loot()};
      if (buffer.pair.compare_exchange_strong(seen, rest.word(), std::memory_order_release,
                                              std::memory_order_relaxed)) {
        victim_ = victim;
        return open(loop, {rest.end, pair.end}, number);
      }
      P::relax();
    }
  }
  /// Takes the first chunk for this member; the others can be stolen.
  bool open(Loop& loop, ChunkPair loot, std::uint32_t& number) noexcept {
    number = loot.next++;
    own_->pair.store(loot.word(), std::memory_order_relaxed);
    if (!loot.empty()) {
      own_->state.store(Loop::ready, std::memory_order_release);
      loop.is_victim(index_);
    }
    ++steals_;
    return true;
  }

  std::uint64_t iterations_ = 0;
  std::uint64_t chunk_ = 1;
  std::uint64_t steals_ = 0;
  std::uint32_t chunks_ = 0;
  std::uint32_t index_ = 0;
  std::uint32_t members_ = 1;
  std::uint32_t victim_ = 0; // member at which the search begins
  std::uint32_t looked_ = 0; // at members since it is a thief
  Buffer* own_ = nullptr;
  LibompDynamic<P> dynamic_;
};

} // namespace wstree::simulate
