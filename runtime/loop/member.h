// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One thread in one parallel region: entering loops, asking for chunks, leaving.
#pragma once

#include "team.h"

#include "wstree/core/models.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>

namespace wstree::loop {

/// One execution of a loop by a whole team.
struct Execution {
  std::uint32_t members = 0;
  core::Counts total;
  std::uint64_t busy_max = 0;      ///< ticks of the member that was busy longest
  std::uint64_t wall = 0;          ///< ticks from the first arrival to the last departure
  core::Cells<Account> accounts{}; ///< of the members; theirs again when the report is done
};

/// Private to its thread; lives as long as the thread is in the region. A thread outside of any region, or
/// alone in one, is a member of no team: it gets each loop in one piece.
template <class P, class Sizes = UsualSizes> class Member {
public:
  static constexpr std::uint64_t k_ring = Sizes::k_ring;
  using Opening = typename Team<P, Sizes>::Opening;
  /// `team`, which is open as `opening` says, may be null if `members` is 1.
  Member(Team<P, Sizes>* team, const Opening& opening, std::uint32_t index, std::uint32_t members) noexcept
      : team_(team), opening_(opening), index_(index), members_(members) {}
  Member(Team<P, Sizes>* team, std::uint32_t index, std::uint32_t members) noexcept
      : Member(team, team != nullptr ? team->opening() : Opening{}, index, members) {}
  Member(const Member&) = delete;
  Member& operator=(const Member&) = delete;

  std::uint32_t index() const noexcept { return index_; }
  std::uint32_t members() const noexcept { return members_; }
  /// Where the others are; before the first loop. It and what it points to outlive the region.
  void set_neighbourhood(const core::Neighbourhood& near) noexcept { near_ = near; }
  /// By what all members know the region when it comes again, and its loops by their place in it; nullptr:
  /// its loops are not remembered. Before the first loop.
  void set_region(const void* region) noexcept { region_ = region; }
  /// This member never ends the ring, however long it waits for a slot. Before the first loop.
  void keep_ring() noexcept { keeps_ring_ = true; }
  Team<P, Sizes>* team() const noexcept { return team_; }
  bool in_loop() const noexcept { return in_loop_; }
  std::uint64_t base() const noexcept { return opening_.base; }
  /// Whether another member has started the loop that this one is about to enter, or has left the region. Not
  /// in teams of one.
  bool others_are_ahead() noexcept {
    auto* storage = storage_;
    if (storage == nullptr)
      storage = Team<P, Sizes>::usable(opening_.storage, members_) ? opening_.storage
                                                                   : team_->existing_storage(members_);
    const std::uint64_t next = storage_ != nullptr ? loop_ + 1 : opening_.base;
    for (std::uint32_t m = 0; storage != nullptr && m < members_; ++m) {
      const std::uint64_t position =
          storage->line(m).position.load(P::order(core::Tag::wait_for_slot, std::memory_order_seq_cst)); // T2
      if (m != index_ && position >> 1 >= next) return true;
    }
    return false;
  }

  /// Starts the region's next loop, of `iterations` > 0, scheduled by `model` with the chunk `smallest`.
  /// False, for all members alike: no memory, or the ring has ended (ring_end.h); nothing was started.
  /// leave() has been called for the previous loop; `settings` outlives this one. `caller`: the code location
  /// of the loop, which need not be the same for all members.
  bool enter(std::uint64_t iterations, const core::Settings& settings, std::uint64_t smallest,
             core::Model model = core::Model::tree, const void* caller = nullptr) noexcept {
    if (members_ == 1) return enter_alone(iterations, settings);
    if (storage_ == nullptr && !find_storage()) return false;
    ++loop_;
    if (model == core::Model::tree) [[likely]]
      __builtin_prefetch(storage_->slot(loop_).tree.root(index_),
                         1); // somebody has looked at it in the last round
    const bool watches = region_ != nullptr && is_remembered(settings, model);
    if (watches && index_ == 0) team_->rhythm().watch(caller, iterations, loop_ + k_ring - 1);
    const bool remembers = watches && iterations > members_; // else there is nothing to lay out
    Record* record = remembers && index_ == 0 ? plan(iterations, settings) : nullptr;
    // [T1] release: all that this member read and wrote in earlier loops happens before whoever sees this
    //      position reuses their slots; pairs with T2. Guard: model_team, any loop after the ring's length;
    //      team_ring under a thread sanitizer.
    storage_->line(index_).position.store(loop_ << 1,
                                          P::order(core::Tag::leave_loop, std::memory_order_release));
    if (loop_ >= free_until_ && !wait_for_slot(settings)) [[unlikely]]
      return false;
    Slot<P>& slot = storage_->slot(loop_);
    const std::uint64_t use = loop_ / k_ring;
    if (core::is_refresh_due<P>(use)) [[unlikely]]
      slot.refresh(use, storage_->capacity());
    settings_ = &settings;
    if (settings.clocked) entered_ = P::ticks();
    const core::Entry entry{iterations, loop_, use, index_, members_, &settings, smallest, &near_};
    if (model == core::Model::tree) [[likely]] {
      if (remembers && index_ != 0) record = record_of(iterations);
      start<core::Model::tree>(slot.tree, storage_->fresh_arena(loop_, index_), entry,
                               record != nullptr ? record->learned(loop_) : core::Learned<P>{});
    } else
      start_other(slot, entry, model);
    way_ = model;
    in_loop_ = true;
    return true;
  }

  /// Right after enter(), which was with Settings::clocked: what the iterations take is recorded. `memory` is
  /// for a member that is alone (may be nullptr, then nothing is recorded); others have their own.
  /// `iterations` and `smallest` as for enter(); `pace` outlives the loop.
  void record(const Pace& pace, std::uint64_t iterations, std::uint64_t smallest,
              Recording* memory) noexcept {
    if (members_ != 1) {
      Recording*& own = storage_->account(loop_, index_).memory;
      if (own == nullptr) own = Recording::create<P>(Recording::capacity(members_));
      memory = own;
    }
    recording_ = memory;
    if (memory == nullptr) return;
    memory->start(pace, iterations, smallest, entered_);
    recorded_way_ = way_;
    way_ = k_recorded;
  }

  /// A loop without iterations: there is nothing to share, and no slot is used.
  void enter_empty() noexcept { way_ = k_alone; }

  /// The next chunk. False: there is none for this member; it has left the loop once leave() is called.
  bool next(core::Range& out) noexcept { return next_quickly(out) || next_slowly(out); }

  /// The two halves of next(): false from the first one says that the second one has to be asked.
  [[gnu::always_inline]] bool next_quickly(core::Range& out) noexcept {
    return way_ == core::Model::tree && worker<core::Model::tree>().next_quickly(out);
  }
  bool next_slowly(core::Range& out) noexcept {
    if (way_ == core::Model::tree) [[likely]]
      return worker<core::Model::tree>().next_slowly(out);
    if (way_ == k_alone) return next_alone(out);
    return next_other(out);
  }

  /// Ends this member's part in a loop, finished or not.
  void leave() noexcept { in_loop_ = false; }

  /// The same for a loop that was entered with Settings::clocked: the last one to leave calls
  /// `report(Execution)`.
  template <class Report> void leave(Report&& report) noexcept {
    if (!in_loop_) return;
    in_loop_ = false;
    if (settings_->clocked) measure(report);
  }

  /// Leaves the region. The others need not wait for this member any more. Once is enough.
  void depart() noexcept {
    if (departed_) return;
    departed_ = true;
    if (members_ == 1) {
      if (team_ != nullptr) team_->note_alone();
      return;
    }
    if (storage_ == nullptr) {
      storage_ = Team<P, Sizes>::usable(opening_.storage, members_) ? opening_.storage
                                                                    : team_->existing_storage(members_);
      if (storage_ == nullptr) return team_->note_absent();
      loop_ = opening_.base;
    }
    storage_->line(index_).position.store(loop_ << 1 | 1,
                                          P::order(core::Tag::leave_loop, std::memory_order_release)); // T1
    if (loop_ + 1 != opening_.next) team_->reached(loop_);
  }

private:
  using Record = LoopRecord<P, Sizes>;
  static constexpr core::Model k_recorded{0xFE}; // the present loop is shared as recorded_way_ says
  static constexpr core::Model k_alone{0xFF};    // the present loop is one of this member only

  /// The private side of the present loop, whose model is `model`.
  template <core::Model model> auto& worker() noexcept {
    using Worker = core::WorkerOf<P, model>;
    static_assert(sizeof(Worker) <= sizeof(worker_) && alignof(Worker) <= alignof(std::max_align_t));
    return *std::launder(reinterpret_cast<Worker*>(worker_));
  }
  template <core::Model model, class Loop, class Memory, class... Known>
  void start(Loop& loop, Memory& memory, const core::Entry& entry, const Known&... known) noexcept {
    ::new (static_cast<void*>(worker_)) core::WorkerOf<P, model>;
    worker<model>().enter(loop, memory, entry, known...);
  }
  [[gnu::noinline]] void start_other(Slot<P>& slot, const core::Entry& entry, core::Model model) noexcept {
    core::NoMemory none;
    core::with_model(model, [&]<core::Model known>() {
      if constexpr (known == core::Model::range)
        start<known>(slot.range, none, entry);
      else if constexpr (known == core::Model::queue)
        start<known>(slot.queue, none, entry);
      else if constexpr (known == core::Model::queue_lock)
        start<known>(slot.queue_lock, none, entry);
      else if constexpr (known != core::Model::tree)
        start<known>(slot.counter, none, entry);
    });
  }
  [[gnu::noinline]] bool next_other(core::Range& out) noexcept {
    if (way_ < k_recorded)
      return core::with_model(way_, [&]<core::Model known>() { return worker<known>().next(out); });
    return way_ == k_recorded ? next_recorded(out) : next_alone(out);
  }
  bool next_alone(core::Range& out) noexcept {
    if (alone_ == 0) return false;
    out = {0, alone_, true};
    alone_ = 0;
    return true;
  }
  [[gnu::noinline]] bool next_recorded(core::Range& out) noexcept {
    std::uint64_t now = P::ticks();
    recording_->finish(now);
    if (!recording_->has_more()) {
      core::Range batch;
      way_ = recorded_way_;
      const bool any = next(batch);
      way_ = k_recorded;
      if (!any) return false;
      recording_->take(batch);
      now = P::ticks();
    }
    recording_->cut(out, now);
    return true;
  }
  const core::Counts& counts() noexcept {
    return core::with_model(
        way_, [&]<core::Model known>() -> const core::Counts& { return worker<known>().counts(); });
  }

  bool enter_alone(std::uint64_t iterations, const core::Settings& settings) noexcept {
    way_ = k_alone;
    alone_ = alone_size_ = iterations;
    settings_ = &settings;
    if (settings.clocked) entered_ = P::ticks();
    in_loop_ = true;
    return true;
  }

  /// Before the first loop of the region. False: there is no memory.
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

  /// Until every member has left the loop that used the slot before. That is k_ring loops back, so the
  /// members that are waited for are on their way here; nobody who runs a loop waits for anybody. False: the
  /// ring ends before this loop.
  [[gnu::noinline]] bool wait_for_slot(const core::Settings& settings) noexcept {
    // [T7] seq_cst: whoever asks to end the ring sees this, if this member does not see the question.
    storage_->line(index_).position.store(loop_ << 1,
                                          P::order(core::Tag::end_ring, std::memory_order_seq_cst));
    std::uint64_t since = 0;
    for (std::uint32_t spins = 0;; ++spins) {
      SlotState state = look_at_slot();
      if (state == SlotState::in_use && spins > k_spins && !keeps_ring_ &&
          P::ticks() - since >= settings.patience)
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
      // A question about a slot that this member has not seen free is for others.
      if (!is_free || loop >= std::max(free_until_, loop_ + 1) || end.replace(word, {})) break;
    }
    return is_free ? SlotState::free : SlotState::in_use;
  }

  /// After a long wait.
  SlotState end_ring() noexcept {
    RingEnd<P>& end = team_->ring_end();
    const auto question = RingEnd<P>::Word::asked(loop_ - opening_.base, index_);
    if (!end.replace({}, question))
      return SlotState::in_use; // somebody else asks, or has ended it: look again
    if (!slot_is_free()) return end.replace(question, question.ended()) ? SlotState::none : SlotState::in_use;
    end.replace(question, {});
    return SlotState::in_use; // not any more: look again
  }

  bool slot_is_free() noexcept {
    const std::uint64_t needed = loop_ - k_ring + 1;
    std::uint64_t slowest = loop_;
    std::uint32_t departed = team_->absent_by_now();
    const std::uint32_t absent = departed;
    std::uint32_t late = 0;
    for (std::uint32_t m = 0; m < members_; ++m) {
      if (m == index_) continue;
      // [T2] seq_cst: see T7; includes the acquire for T1. Guard: as there.
      const std::uint64_t position =
          storage_->line(m).position.load(P::order(core::Tag::wait_for_slot, std::memory_order_seq_cst));
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

  static bool is_remembered(const core::Settings& settings, core::Model model) noexcept {
    return settings.history && model == core::Model::tree && settings.batch == core::BatchMode::timed &&
           settings.strategy == core::Strategy::find_max && settings.roots == 0;
  }

  /// nullptr if nothing is known, or nobody can say which loop this is.
  Record* record_of(std::uint64_t iterations) const noexcept {
    const LoopKey key = key_of(iterations);
    return key.place != Rhythm<P, Sizes>::k_unknown ? team_->history().find(key) : nullptr;
  }
  LoopKey key_of(std::uint64_t iterations) const noexcept {
    return {region_, team_->rhythm().place(loop_, opening_.base), iterations, members_};
  }

  /// By member 0, before the others can know that it is in this loop.
  Record* plan(std::uint64_t iterations, const core::Settings& settings) noexcept {
    const LoopKey key = key_of(iterations);
    if (key.place == Rhythm<P, Sizes>::k_unknown) return nullptr;
    Record* record = team_->history().find_or_add(key, settings);
    if (record == nullptr) return nullptr;
    team_->history().opened(*record);
    if (record->wants_look()) [[unlikely]]
      record->enter(loop_, left_by_all(), loop_ + k_ring - 1);
    else
      record->enter(loop_);
    return record;
  }

  /// All members have left the loops before this one.
  std::uint64_t left_by_all() noexcept {
    std::uint64_t least = loop_;
    for (std::uint32_t m = 1; m < members_; ++m) {
      const std::uint64_t position = storage_->line(m).position.load(
          P::order(core::Tag::wait_for_slot, std::memory_order_seq_cst)); // T2
      const std::uint64_t started = std::max(position >> 1, opening_.base);
      if ((position & 1) == 0 || position >> 1 < opening_.base) least = std::min(least, started);
    }
    return least;
  }

  template <class Report> void measure(Report&& report) noexcept {
    const std::uint64_t now = P::ticks();
    if (way_ == k_recorded) way_ = recorded_way_;
    const Recording* const recording = std::exchange(recording_, nullptr);
    if (members_ == 1) {
      Account own{{alone_size_, 1, 0, 0, now - entered_}, entered_, now, recording};
      report(Execution{1, own.counts, own.counts.busy_ticks, now - entered_, {&own}});
      return;
    }
    Account& own = storage_->account(loop_, index_);
    own = {counts(), entered_, now, recording, own.memory, loop_};
    if (!is_last(storage_->slot(loop_).leavers.count(loop_ / k_ring))) return;
    Execution all{members_, {}, 0, 0, storage_->accounts(loop_)};
    std::uint64_t first = now;
    std::uint64_t last = now;
    for (std::uint32_t m = 0; m < members_; ++m) {
      Account& account = storage_->account(loop_, m);
      if (account.loop != loop_) account = {{}, now, now, nullptr, account.memory, loop_}; // it had departed
      all.total.iterations += account.counts.iterations;
      all.total.batches += account.counts.batches;
      all.total.steals += account.counts.steals;
      all.total.nodes += account.counts.nodes;
      all.total.busy_ticks += account.counts.busy_ticks;
      all.busy_max = std::max(all.busy_max, account.counts.busy_ticks);
      first = std::min(first, account.entered);
      last = std::max(last, account.left);
    }
    all.total.nodes += members_; // the roots
    all.wall = last - first;
    report(all);
  }

  /// With this member `left` members have left the present loop, and nobody else will. A member that departs
  /// without coming to the loop counts if it has done so by now; otherwise nobody reports the loop.
  bool is_last(std::uint32_t left) noexcept {
    if (left == members_) return true;
    // Whoever departs after the expected number of loops says nothing.
    if (loop_ < opening_.next && !team_->may_have_departures()) return false;
    std::uint32_t gone = team_->absent();
    for (std::uint32_t m = 0; m < members_; ++m) {
      const std::uint64_t position = storage_->line(m).position.load(
          P::order(core::Tag::wait_for_slot, std::memory_order_seq_cst)); // T2: its account is read
      if ((position & 1) != 0 && position >> 1 >= opening_.base && storage_->account(loop_, m).loop != loop_)
        ++gone;
    }
    return left + gone == members_;
  }

  static constexpr std::uint32_t k_spins = Sizes::k_spins;
  static constexpr std::size_t k_worker_bytes = std::max(
      {sizeof(core::WorkerOf<P, core::Model::tree>), sizeof(core::WorkerOf<P, core::Model::range>),
       sizeof(core::WorkerOf<P, core::Model::queue>), sizeof(core::WorkerOf<P, core::Model::queue_lock>),
       sizeof(core::WorkerOf<P, core::Model::fixed>), sizeof(core::WorkerOf<P, core::Model::guided>),
       sizeof(core::WorkerOf<P, core::Model::factoring>), sizeof(core::WorkerOf<P, core::Model::trapezoid>),
       sizeof(core::WorkerOf<P, core::Model::static_>)});

  Team<P, Sizes>* team_;
  Opening opening_;
  std::uint32_t index_;
  std::uint32_t members_;
  bool departed_ = false;
  bool keeps_ring_ = false;
  Storage<P, Sizes>* storage_ = nullptr; // from the first loop on
  std::uint64_t loop_ = 0;               // number of the loop that was started last
  std::uint64_t free_until_ = 0;         // loops before this one find their slot free
  std::uint64_t entered_ = 0;
  const core::Settings* settings_ = nullptr;
  Recording* recording_ = nullptr; // of the present loop
  core::Neighbourhood near_;
  const void* region_ = nullptr;
  std::uint64_t alone_ = 0; // iterations of a loop that nobody shares, until they are handed out
  std::uint64_t alone_size_ = 0;
  bool in_loop_ = false;
  core::Model way_ = k_alone;          // how the present loop is shared
  core::Model recorded_way_ = k_alone; // the same, if it is recorded
  /// Made anew for each loop of the team: most regions have few loops, and many threads are alone.
  alignas(std::max_align_t) std::byte worker_[k_worker_bytes];
};

} // namespace wstree::loop
