// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One member in the ring of a team's loop slots.
#pragma once

#include "team.h"

#include "wstree/core/platform.h"

#include <algorithm>
#include <cstdint>

namespace wstree::loop {

/// A member that starts loop k may use its slot once every member has left loop k - k_ring. Private to
/// its member.
template <class P, class Sizes = UsualSizes> class RingMember {
public:
  static constexpr std::uint64_t k_ring = Sizes::k_ring;
  using Opening = typename Team<P, Sizes>::Opening;

  /// `team`, which was opened with `opening`, may be null if `members` is 1.
  RingMember(Team<P, Sizes>* team, const Opening& opening, std::uint32_t index,
             std::uint32_t members) noexcept
      : team_(team), opening_(opening), index_(index), members_(members) {}

  Team<P, Sizes>* team() const noexcept { return team_; }
  const Opening& opening() const noexcept { return opening_; }
  std::uint32_t index() const noexcept { return index_; }
  std::uint32_t members() const noexcept { return members_; }
  core::Priors& priors() const noexcept { return storage_->priors(index_); }
  /// Does PaceKeeper::enter(). Kept out of the way of loops that need no pace.
  [[gnu::noinline]] core::Pace* pace(const core::Prior& prior, std::uint64_t iterations,
                                     const core::Settings& settings) const noexcept {
    return storage_->pace(index_).enter(prior, iterations, loop_, index_, members_, settings,
                                        storage_->probes());
  }
  void keep() noexcept { keeps_ = true; }
  /// Returns the number of the loop that was started last.
  std::uint64_t loop() const noexcept { return loop_; }
  std::uint64_t use() const noexcept { return loop_ / k_ring; }
  Slot<P>& slot() noexcept { return storage_->slot(loop_); }
  core::Arena<P>& fresh_arena() noexcept { return storage_->fresh_arena(loop_, index_); }
  Account& account() noexcept { return storage_->account(loop_, index_); }
  core::Cells<Account> accounts() noexcept { return storage_->accounts(loop_); }

  /// Returns whether another member has started the loop that this one is about to enter, or has left
  /// the region.
  bool others_are_ahead() noexcept {
    auto* const storage = storage_ != nullptr ? storage_ : known_storage();
    const std::uint64_t next = storage_ != nullptr ? loop_ + 1 : opening_.base;
    for (std::uint32_t m = 0; storage != nullptr && m < members_; ++m)
      if (m != index_ && position_in(*storage, m) >> 1 >= next) return true;
    return false;
  }

  /// Starts the region's next loop, by which other members see that this member has left the previous loop.
  /// Returns false, to all members alike, if there is no memory or the ring has ended (ring_end.h); nothing
  /// was started. `is_tree`: the member's root is about to be used.
  [[gnu::always_inline]] bool start_next(const core::Settings& settings, bool is_tree) noexcept {
    if (storage_ == nullptr && !find_storage()) return false;
    ++loop_;
    if (is_tree) [[likely]]
      __builtin_prefetch(slot().tree.root(index_), 1); // another member has read it in the last round
    // [T1] release: all that this member read and wrote in earlier loops happens before a member that sees
    //      this position reuses their slots; pairs with T2. Guard: model_team, any loop after the ring's
    //      length; team_ring under a thread sanitizer.
    storage_->line(index_).position.store(loop_ << 1,
                                          P::order(core::Tag::leave_loop, std::memory_order_release));
    if (loop_ >= free_until_ && !wait_for_slot(settings)) [[unlikely]]
      return false;
    if (core::is_refresh_due<P>(use())) [[unlikely]]
      slot().refresh(use(), storage_->capacity());
    return true;
  }

  /// Leaves the region: the other members need not wait for this one any more.
  void depart() noexcept {
    if (storage_ == nullptr) {
      storage_ = known_storage();
      if (storage_ == nullptr) return team_->note_absent();
      loop_ = opening_.base;
    }
    storage_->line(index_).position.store(loop_ << 1 | 1,
                                          P::order(core::Tag::leave_loop, std::memory_order_release)); // T1
    if (loop_ + 1 != opening_.next) team_->reached(loop_);
  }

  /// Returns whether no member will leave the present loop after this one, with which `left` members have
  /// left it. A member that departs without coming to the loop counts if it has done so by now; otherwise
  /// no member reports the loop.
  bool is_last(std::uint32_t left) noexcept {
    if (left == members_) return true;
    // A member that departs after the expected number of loops writes nothing, so its absence stays unknown.
    if (loop_ < opening_.next && !team_->may_have_departures()) return false;
    std::uint32_t gone = team_->absent();
    for (std::uint32_t m = 0; m < members_; ++m) {
      const std::uint64_t position = position_in(*storage_, m); // its account is read
      if ((position & 1) != 0 && position >> 1 >= opening_.base && storage_->account(loop_, m).loop != loop_)
        ++gone;
    }
    return left + gone == members_;
  }

private:
  static constexpr std::uint32_t k_spins = Sizes::k_spins;

  /// Returns the number of the loop that member `m` started last, and whether it has left the region.
  static std::uint64_t position_in(Storage<P, Sizes>& storage, std::uint32_t m) noexcept {
    // [T2] seq_cst: see T7; includes the acquire for T1. Guard: as there.
    return storage.line(m).position.load(P::order(core::Tag::wait_for_slot, std::memory_order_seq_cst));
  }

  /// Returns the team's storage; nullptr if no member has made any yet that is large enough.
  Storage<P, Sizes>* known_storage() noexcept {
    return Team<P, Sizes>::usable(opening_.storage, members_) ? opening_.storage
                                                              : team_->existing_storage(members_);
  }
  /// Finds the team's storage, before the first loop of the region. Returns false if there is no memory.
  bool find_storage() noexcept {
    storage_ =
        Team<P, Sizes>::usable(opening_.storage, members_) ? opening_.storage : team_->storage(members_);
    if (storage_ == nullptr) return false;
    loop_ = opening_.base - 1;
    free_until_ = opening_.base + k_ring; // older uses of the slots were in regions that have joined
    if (index_ == 0) team_->set_members(members_);
    return true;
  }

  enum class SlotState : std::uint8_t { free, in_use, none };

  /// Waits until every member has left the loop that used the slot before. This loop is k_ring loops back, so
  /// the late members are on their way here; no member waits inside of a loop. Returns false if the ring ends
  /// before this loop.
  [[gnu::noinline]] bool wait_for_slot(const core::Settings& settings) noexcept {
    // [T7] seq_cst: a member that asks to end the ring sees this, if this member does not see the question.
    storage_->line(index_).position.store(loop_ << 1,
                                          P::order(core::Tag::end_ring, std::memory_order_seq_cst));
    std::uint64_t since = 0;
    for (std::uint32_t spins = 0;; ++spins) {
      SlotState state = look_at_slot();
      if (state == SlotState::in_use && spins > k_spins && !keeps_ &&
          core::elapsed(since, P::ticks()) >= settings.patience)
        state = end_ring();
      if (state != SlotState::in_use) return state == SlotState::free;
      if (spins < k_spins) {
        P::relax();
        continue;
      }
      if (spins == k_spins) since = P::ticks();
      P::yield();
    }
  }

  SlotState look_at_slot() noexcept {
    RingEnd<P>& end = team_->ring_end();
    const bool is_free = slot_is_free();
    for (;;) {
      const auto word = end.read();
      if (word.is_open()) break;
      const std::uint64_t loop = opening_.base + word.loop();
      if (word.is_ended()) {
        free_until_ = std::min(free_until_, loop);
        if (loop <= loop_) return SlotState::none;
        break;
      }
      // Withdraw only a question about a slot that this member has just seen free.
      if (!is_free || loop >= std::max(free_until_, loop_ + 1) || end.replace(word, {})) break;
    }
    return is_free ? SlotState::free : SlotState::in_use;
  }

  /// Ends the ring before this loop, after a long wait. Returns the state of the slot by then.
  SlotState end_ring() noexcept {
    RingEnd<P>& end = team_->ring_end();
    const auto question = RingEnd<P>::Word::asked(loop_ - opening_.base, index_);
    if (!end.replace({}, question))
      return SlotState::in_use; // another member asks, or has ended it: look again
    if (!slot_is_free()) return end.replace(question, question.ended()) ? SlotState::none : SlotState::in_use;
    end.replace(question, {});
    return SlotState::in_use; // or free by now: look again
  }

  bool slot_is_free() noexcept {
    const std::uint64_t needed = loop_ - k_ring + 1;
    std::uint64_t slowest = loop_;
    std::uint32_t departed = team_->absent_by_now();
    const std::uint32_t absent = departed;
    std::uint32_t late = 0;
    for (std::uint32_t m = 0; m < members_; ++m) {
      if (m == index_) continue;
      const std::uint64_t position = position_in(*storage_, m);
      const std::uint64_t started = position >> 1;
      if ((position & 1) != 0 && started >= opening_.base)
        ++departed;
      else if (started >= needed)
        slowest = std::min(slowest, started);
      else
        ++late;
    }
    if (late > absent) return false;
    free_until_ = departed != 0 ? loop_ : slowest + k_ring; // with a departed member, look again each time
    return true;
  }

  Team<P, Sizes>* team_;
  Opening opening_;
  std::uint32_t index_;
  std::uint32_t members_;
  bool keeps_ = false;                   // it never ends the ring
  Storage<P, Sizes>* storage_ = nullptr; // from the first loop on
  // With storage:
  std::uint64_t loop_;       // number of the loop that was started last
  std::uint64_t free_until_; // loops before this one find their slot free
};

} // namespace wstree::loop
