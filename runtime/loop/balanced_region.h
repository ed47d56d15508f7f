// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The static loops of the parallel regions at one code location: the times of their parts, and the cuts.
#pragma once

#include "static_account.h"
#include "track.h"

#include "wstree/core/feedback/balance.h"
#include "wstree/core/platform.h"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace wstree::loop {

/// Loops with one number of iterations, in teams of one size. All members read it in a region; the opener
/// changes it between regions.
struct BalancedLoops {
  core::Balance balance;
  void* memory = nullptr; ///< nullptr: the entry is free
  std::uint64_t used = 0; ///< number of the latest region with such a loop
  std::uint32_t looks = 0;
  std::uint64_t least = 0; ///< ticks of a member and execution in the shortest of these looks
  bool is_watched = true;
  bool stays_equal = false; ///< and is not watched: see BalancedRegion::keep_equal()
};

/// Times of the members for a region's loops with one number of iterations.
struct MeasuredLoops {
  std::uint64_t iterations = 0;
  std::uint32_t members = 0;
  std::uint64_t executions = 0;
  std::uint64_t sum = 0;     ///< ticks of all members and executions of this region, added up
  std::uint64_t longest = 0; ///< ticks of the member that took most
  bool was_equal = true;
  bool is_new = false; ///< no loop with this number of iterations is known from an earlier region
};

/// Serves one team at a time: a second region at the same code location cannot open it meanwhile.
/// P: Platform.
template <class P> class BalancedRegion {
public:
  static constexpr std::uint32_t k_kinds = 8; ///< numbers of iterations that a region's loops may have

  /// Opens the region for a thread that is about to fork. Returns false if the runtime is to cut its loops.
  bool open() noexcept {
    // acquire: pairs with the release in close(); the writes of the latest opener are complete. Guard: none
    // on x86; nested_and_roots in tests/abi/static_loops.cpp opens it from two roots.
    if (busy_.exchange(true, std::memory_order_acquire)) return false;
    ++number_;
    if (number_ >= next_look_) return true;
    busy_.store(false, std::memory_order_release);
    return false;
  }

  /// Begins anew, with other memory, a region that another thread had open. In the child of a fork, which
  /// has one thread.
  void begin_anew() noexcept {
    kinds_ = {};
    accounts_.store(nullptr, std::memory_order_relaxed); // alone
    outgrown_ = nullptr;
    next_look_ = 0;
    busy_.store(false, std::memory_order_relaxed); // alone
  }
  bool is_open() const noexcept { return busy_.load(std::memory_order_relaxed); } // alone

  /// Sets where the events of loops with equal parts, and of loops with cut ones, belong (Event::site).
  /// Called by the opener, before the fork.
  void trace(const void* equal, const void* cut) noexcept { sites_ = {equal, cut}; }
  /// Notes that member `index` of a traced region has the part [first, past) of a loop for which it has
  /// an entry.
  void note_part(std::uint32_t index, std::uint64_t first, std::uint64_t past, bool is_equal) noexcept {
    StaticAccount& account = account_of(index);
    account.first = first;
    account.past = past;
    account.is_equal = is_equal;
    ++account.traced;
  }
  /// Returns the part that was noted last, as an event without times.
  Event noted_part(std::uint32_t index) const noexcept {
    const StaticAccount& account = account_of(index);
    return {0,
            0,
            account.first,
            account.past,
            execution_of(this, traced_before_ + account.traced),
            sites_[account.is_equal ? 0 : 1],
            Event::Kind::batch,
            index,
            account.members,
            1};
  }

  /// Closes the region after the join. Calls `tell(MeasuredLoops)` for each number of iterations of loops
  /// that all members have executed.
  template <class Tell> void close(Tell&& tell) noexcept {
    const bool any = learn(tell);
    if (any) traced_before_ += account_of(0).traced;
    release_outgrown();
    if (any && !some_watched_) {
      next_look_ = number_ + core::tuning::k_regions_unwatched;
      for (auto& loops : kinds_) loops = fresh(loops);
    }
    busy_.store(false, std::memory_order_release);
  }

  /// Returns the record of such loops, to any member in a region; nullptr if there were none before.
  const BalancedLoops* find(std::uint64_t iterations, std::uint32_t members) const noexcept {
    for (const auto& loops : kinds_)
      if (loops.memory != nullptr && loops.balance.iterations() == iterations &&
          loops.balance.members() == members)
        return &loops;
    return nullptr;
  }
  /// Returns the entry in which member `index` of `members` keeps its time for such loops; nullptr if there
  /// is no memory.
  StaticAccount::Entry* entry(std::uint32_t index, std::uint32_t members, std::uint64_t iterations) noexcept {
    // acquire: pairs with the release in grow(), by which the number of accounts is complete. Guard: none on
    // x86; TheFirstExecutionIsToldOfEachSizeOfTheTeam under ThreadSanitizer.
    Accounts* accounts = accounts_.load(std::memory_order_acquire);
    if (accounts == nullptr || members > accounts->count) [[unlikely]] {
      accounts = grow(accounts, members);
      if (accounts == nullptr) return nullptr;
    }
    StaticAccount& account = accounts->of(index);
    account.members = members;
    return account.find(number_, iterations);
  }

  /// Notes that the runtime cuts a loop of the region with as many iterations into equal parts for member
  /// `index`, and that the program may expect the same parts of all such loops. From the next region on
  /// they are equal.
  void keep_equal(std::uint32_t index, std::uint32_t members, std::uint64_t iterations) noexcept {
    if (StaticAccount::Entry* kept = entry(index, members, iterations))
      kept->loops |= StaticAccount::Entry::k_equal;
  }

private:
  /// Accounts of `count` members, which follow it.
  struct alignas(StaticAccount) Accounts {
    std::uint32_t count;
    StaticAccount& of(std::uint32_t member) noexcept {
      return reinterpret_cast<StaticAccount*>(this + 1)[member];
    }
  };
  static constexpr std::size_t bytes_of_accounts(std::uint32_t count) noexcept {
    return sizeof(Accounts) + count * sizeof(StaticAccount);
  }

  /// Puts accounts of `members` in the place of `before`, which has fewer or is null. All members of a team
  /// call with one number: the first one's stay. Returns the accounts; nullptr: no memory.
  [[gnu::noinline]] Accounts* grow(Accounts* before, std::uint32_t members) noexcept {
    auto* larger = static_cast<Accounts*>(P::allocate(bytes_of_accounts(members))); // zeroed: of no region
    if (larger == nullptr) return nullptr;
    larger->count = members;
    // release: pairs with the acquires in entry() and below.
    if (!accounts_.compare_exchange_strong(before, larger, std::memory_order_acq_rel,
                                           std::memory_order_acquire)) {
      P::release(larger, bytes_of_accounts(members));
      return before;
    }
    outgrown_ = before; // other members may still read its count
    return larger;
  }
  void release_outgrown() noexcept {
    if (outgrown_ != nullptr) P::release(outgrown_, bytes_of_accounts(outgrown_->count));
    outgrown_ = nullptr;
  }
  /// Returns the account of a member that has an entry.
  StaticAccount& account_of(std::uint32_t member) const noexcept {
    return accounts_.load(std::memory_order_relaxed)->of(member); // the member, or the join, has seen it
  }

  template <class Tell> bool learn(Tell& tell) noexcept {
    some_watched_ = false;
    if (accounts_.load(std::memory_order_relaxed) == nullptr) return false; // ordered by the join
    const StaticAccount& own = account_of(0);
    if (own.region != number_) return false;
    for (std::uint32_t i = 0; i < own.count; ++i) {
      const StaticAccount::Entry& entry = own.entries[i];
      if (entry.loops == 0 || !all_have(entry, own.members)) {
        some_watched_ = true; // cancelled, or not executed by all members
        continue;
      }
      BalancedLoops* loops = place_of(entry.iterations, own.members);
      if (loops == nullptr) {
        some_watched_ = true; // there is no room to find out how long they are
        if ((entry.loops & StaticAccount::Entry::k_equal) == 0) tell(measured(entry));
        continue;
      }
      learn(*loops, entry, tell);
      some_watched_ = some_watched_ || loops->is_watched;
    }
    return own.count != 0;
  }
  template <class Tell>
  void learn(BalancedLoops& loops, const StaticAccount::Entry& entry, Tell& tell) noexcept {
    core::Balance& balance = loops.balance;
    if ((entry.loops & StaticAccount::Entry::k_equal) != 0) {
      loops.used = number_;
      loops.is_watched = false;
      loops.stays_equal = true;
      return balance.begin(loops.memory, entry.iterations, balance.members());
    }
    MeasuredLoops all = measured(entry);
    all.was_equal = balance.is_equal();
    all.is_new = loops.used == 0;
    balance.learn([&](std::uint32_t m) { return of(m, entry.iterations)->ticks; });
    loops.used = number_;
    const std::uint64_t each = all.sum / balance.members() / entry.loops;
    if (loops.looks < core::tuning::k_looks) {
      loops.least = loops.looks++ == 0 || each < loops.least ? each : loops.least;
      if (loops.looks == core::tuning::k_looks &&
          loops.least < core::tuning::k_too_short_us * P::ticks_per_ms() / 1000) {
        loops.is_watched = false;
        balance.begin(loops.memory, entry.iterations, balance.members());
      }
    }
    tell(all);
  }
  /// Returns the times of loops that are new and have equal parts.
  MeasuredLoops measured(const StaticAccount::Entry& entry) const noexcept {
    MeasuredLoops all{entry.iterations, account_of(0).members, entry.loops, 0, 0, true, true};
    for (std::uint32_t m = 0; m < all.members; ++m) {
      const std::uint64_t ticks = of(m, entry.iterations)->ticks;
      all.sum += ticks;
      all.longest = ticks > all.longest ? ticks : all.longest;
    }
    return all;
  }

  const StaticAccount::Entry* of(std::uint32_t member, std::uint64_t iterations) const noexcept {
    const StaticAccount& account = account_of(member);
    if (account.region != number_) return nullptr;
    for (std::uint32_t i = 0; i < account.count; ++i)
      if (account.entries[i].iterations == iterations) return &account.entries[i];
    return nullptr;
  }
  bool all_have(const StaticAccount::Entry& entry, std::uint32_t members) const noexcept {
    for (std::uint32_t m = 1; m < members; ++m) {
      const StaticAccount::Entry* other = of(m, entry.iterations);
      if (other == nullptr || other->loops != entry.loops) return false;
    }
    return true;
  }

  /// Returns the entry of such loops: theirs, a free one, or that of loops which have not come for long.
  BalancedLoops* place_of(std::uint64_t iterations, std::uint32_t members) noexcept {
    BalancedLoops* oldest = &kinds_[0];
    for (auto& loops : kinds_) {
      if (loops.memory == nullptr) {
        oldest = &loops;
        break;
      }
      if (loops.balance.iterations() == iterations && loops.balance.members() == members) return &loops;
      if (loops.used < oldest->used) oldest = &loops;
    }
    if (oldest->memory != nullptr) {
      if (number_ - oldest->used < core::tuning::k_regions_kept) return nullptr;
      P::release(oldest->memory, core::Balance::bytes(oldest->balance.members()));
    }
    *oldest = {};
    oldest->memory = P::allocate(core::Balance::bytes(members));
    if (oldest->memory == nullptr) return nullptr;
    oldest->balance.begin(oldest->memory, iterations, members);
    return oldest;
  }
  /// Returns a copy of `loops` without looks, which is watched again unless its parts stay equal.
  static BalancedLoops fresh(const BalancedLoops& loops) noexcept {
    BalancedLoops again = loops;
    again.looks = 0;
    again.is_watched = !again.stays_equal;
    return again;
  }

  std::atomic<bool> busy_{false};
  std::uint64_t number_ = 0;    // number of the open region, or of the latest one
  std::uint64_t next_look_ = 0; // regions before it have loops that are too short
  bool some_watched_ = false;
  std::array<BalancedLoops, k_kinds> kinds_{};
  std::atomic<Accounts*> accounts_{nullptr};
  Accounts* outgrown_ = nullptr;
  std::uint64_t traced_before_ = 0; // executions, in earlier regions
  std::array<const void*, 2> sites_{};
};

} // namespace wstree::loop
