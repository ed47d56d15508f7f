// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The memory behind a team: for every slot of the ring one tree, and for every member its roots, its arenas
// and its position.
#pragma once

#include "recording.h"

#include "wstree/core/models.h"
#include "wstree/core/pace.h"
#include "wstree/core/tuning.h"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <type_traits>

namespace wstree::loop {

/// Sizes of a storage. A model of a team has smaller ones, so that the ring goes round in a few loops.
struct UsualSizes {
  /// Loops that a member may be ahead of the slowest one (a power of two).
  static constexpr std::uint64_t k_ring = core::tuning::k_ring;
  /// Nodes of a loop with a few steals; more are allocated.
  static constexpr std::uint32_t k_first_pairs = core::tuning::k_first_pairs;
  /// Bytes at least between the shared data of two members: one page.
  static constexpr std::size_t k_page = 4096;
  /// Looks at a slot that is in use before the processor is given away in between.
  static constexpr std::uint32_t k_spins = core::tuning::k_slot_spins;
};

inline constexpr std::uint64_t k_ring = UsualSizes::k_ring;

/// A member's counts and times in a loop, for the member that leaves it last.
struct alignas(core::k_line_pair) Account {
  core::Counts counts;
  std::uint64_t entered = 0;
  std::uint64_t left = 0;
  std::uint64_t preempted = 0;          ///< ticks in which the member had no processor
  const Recording* recording = nullptr; ///< recording of this loop; nullptr: it was not recorded
  Recording* memory = nullptr;          ///< for recordings, of the member alone and kept from loop to loop
  std::uint64_t loop = 0;               ///< number of the loop that this is the account of
};

/// The number of members that have left the present loop: | mark of the use:40 | count:24 |. Used only by
/// loops that are measured.
template <class P> class alignas(core::k_line_pair) Leavers {
public:
  /// Counts a member that leaves. Returns how many have left, with it.
  std::uint32_t count(std::uint64_t use) noexcept {
    std::uint64_t seen = word_.load(P::order(core::Tag::count_leaver, std::memory_order_relaxed));
    std::uint64_t wanted = 0;
    do {
      wanted = Word::of(use, Word::value_in(seen, use) + 1);
      // [T5] acq_rel: release hands this member's account over to the last one, acquire lets the last one
      //      read all of them. Guard: model_team measured_2x3 (either half is missed there, and a plain store
      //      loses the report); team_measure under a thread sanitizer.
    } while (!word_.compare_exchange_weak(seen, wanted,
                                          P::order(core::Tag::count_leaver, std::memory_order_acq_rel),
                                          P::order(core::Tag::count_leaver, std::memory_order_relaxed)));
    return static_cast<std::uint32_t>(Word::value(wanted));
  }
  /// As core::Node::refresh() and clear(). A loop that not all members leave keeps its count.
  void refresh(std::uint64_t use) noexcept { Word::template refresh<P>(word_, use); }
  void clear() noexcept { Word::template clear<P>(word_); }

private:
  using Word = core::Marked<typename core::MarksOf<P>::Leavers, 24>; // a team has fewer than 2^20 members

  typename P::template Atomic<std::uint64_t> word_{0};
};

/// A team's shared state of one loop, for any model: the state of the loop's model is in use, the rest
/// lies idle.
template <class P> struct Slot {
  core::Tree<P> tree;
  core::RangeLoop<P> range;
  core::QueueLoop<P, core::LockFreeQueue> queue;
  core::QueueLoop<P, core::LockedQueue> queue_lock;
  core::CounterLoop<P> counter;
  Leavers<P> leavers;

  /// Returns the shared state of `model`'s workers. Static shares need none.
  template <core::Model model> auto& loop_of() noexcept {
    using Loop = typename core::WorkerOf<P, model>::Loop;
    if constexpr (std::is_same_v<Loop, core::Tree<P>>)
      return tree;
    else if constexpr (std::is_same_v<Loop, core::RangeLoop<P>>)
      return range;
    else if constexpr (std::is_same_v<Loop, core::QueueLoop<P, core::LockFreeQueue>>)
      return queue;
    else if constexpr (std::is_same_v<Loop, core::QueueLoop<P, core::LockedQueue>>)
      return queue_lock;
    else
      return counter;
  }

  /// Empties or renews every mark that would soon look current (core/marks.h): each member does so in a use
  /// for which that is due, before it looks at anything else here. Queues, shares and the last iteration
  /// identify loops by all bits of their numbers.
  void refresh(std::uint64_t use, std::uint32_t capacity) noexcept {
    tree.refresh(use, capacity);
    range.refresh(use, capacity);
    counter.make_current(use);
    leavers.refresh(use);
  }
  /// Forgets all uses. Only while no member is in a loop of the team.
  void clear(std::uint32_t capacity) noexcept {
    tree.clear(capacity);
    range.clear(capacity);
    counter.clear();
    leavers.clear();
  }
};

/// A member's position, which it writes when it comes to a loop.
template <class P> struct alignas(core::k_line_pair) Line {
  /// | number of the loop that the member started last:63 | it has left the region:1 |
  typename P::template Atomic<std::uint64_t> position{0};
};

/// Everything of a team with up to `capacity` members, in one block of memory. Zeroed memory is a valid state
/// of everything in it, so only the parts in use are ever written: several members may make one for the same
/// team at the same time, and all but one are given back.
///
/// A page belongs to the NUMA node of the thread that writes it first. So the data of a member stand
/// together, and those that other members read stand in the middle, a page away from the next member's:
///
///     Storage, slots, boards, probes | pairs, hot, pairs of member 0 | pairs, hot, pairs of member 1 | ...
template <class P, class Sizes = UsualSizes> class alignas(core::k_line_pair) Storage {
public:
  static constexpr std::uint64_t k_ring = Sizes::k_ring;
  using Node = core::Node<P>;

  /// Makes a storage; returns nullptr if there is no memory. `previous` (may be null) is kept until this
  /// storage dies, because members may still be about to read its capacity.
  [[gnu::noinline]] static Storage* create(std::uint32_t members, Storage* previous) noexcept {
    const std::uint32_t capacity = std::bit_ceil(members);
    const Layout layout(capacity);
    void* memory = P::allocate(layout.bytes);
    return memory == nullptr ? nullptr : ::new (memory) Storage(capacity, layout, previous);
  }

  /// Gives back a storage that no member has used. It does not even read the pages: that alone would cost
  /// memory, for each member of a large team that has made a storage in vain.
  static void discard(Storage* storage) noexcept {
    if (storage != nullptr) P::release(storage, Layout(storage->capacity_).bytes);
  }

  /// Destroys the storage and all that it replaced.
  static void destroy(Storage* storage) noexcept {
    while (storage != nullptr) {
      Storage* previous = storage->previous_;
      storage->~Storage();
      discard(storage);
      storage = previous;
    }
  }

  Storage(const Storage&) = delete;
  Storage& operator=(const Storage&) = delete;

  std::uint32_t capacity() const noexcept { return capacity_; }
  Slot<P>& slot(std::uint64_t loop) noexcept { return slots_[loop % k_ring]; }
  /// Returns the arena of the member alone, empty again.
  core::Arena<P>& fresh_arena(std::uint64_t loop, std::uint32_t member) noexcept {
    Share& share = shares_[member];
    const std::uint64_t s = loop % k_ring;
    share.hot.arenas[s].reset(s < k_ring / 2 ? share.lower[s] : share.upper[s - k_ring / 2], k_first_pairs);
    return share.hot.arenas[s];
  }
  Account& account(std::uint64_t loop, std::uint32_t member) noexcept {
    return shares_[member].hot.accounts[loop % k_ring];
  }
  /// Returns the accounts of all members.
  core::Cells<Account> accounts(std::uint64_t loop) noexcept { return {&account(loop, 0), sizeof(Share)}; }
  /// Returns the member's priors, which no other member uses.
  core::Priors& priors(std::uint32_t member) noexcept { return shares_[member].priors; }
  /// Returns the member's pace keeper, which no other member uses.
  core::PaceKeeper<P>& pace(std::uint32_t member) noexcept { return shares_[member].pace; }
  /// Returns the ticks of the members' probes: each member writes its own, and reads all.
  typename core::PaceKeeper<P>::Ticks* probes() noexcept { return probes_; }
  Line<P>& line(std::uint32_t member) noexcept { return shares_[member].hot.line; }

  /// Makes all slots forget their uses. Only while no member is in a loop.
  void clear_slots() noexcept {
    for (std::uint64_t s = 0; s < k_ring; ++s) slots_[s].clear(capacity_);
  }

private:
  static constexpr std::uint32_t k_first_pairs = Sizes::k_first_pairs;
  static_assert(k_ring >= 2 && std::has_single_bit(k_ring));

  /// The data of a member that other members read, or that it writes in every loop.
  struct Hot {
    Line<P> line;
    Node roots[k_ring];
    Account accounts[k_ring];
    core::Arena<P> arenas[k_ring];
  };
  struct alignas(core::k_line_pair) Content {
    Node lower[k_ring / 2][2 * k_first_pairs];
    Hot hot;
    Node upper[k_ring / 2][2 * k_first_pairs];
    // Behind all that a loop on the tree touches.
    core::RangeCell<P> ranges[k_ring];
    core::QueueCell<P, core::LockFreeQueue> queues[k_ring];
    core::QueueCell<P, core::LockedQueue> locked_queues[k_ring];
    core::Priors priors;
    core::PaceKeeper<P> pace;
  };
  template <std::size_t bytes> struct Padding { std::byte unused[bytes]; };
  template <std::size_t bytes>
  requires(bytes == 0) struct Padding<bytes> {
  };
  /// A whole number of nodes, because the trees count in nodes from one member's root to the next.
  struct Share : Content, Padding<(sizeof(Node) - sizeof(Content) % sizeof(Node)) % sizeof(Node)> {};
  static_assert(sizeof(Share::lower) >= Sizes::k_page && sizeof(Share::upper) >= Sizes::k_page);
  static_assert(sizeof(Share) % sizeof(Node) == 0);
  static_assert(!std::is_same_v<P, core::StdPlatform> || sizeof(Share) == sizeof(Content));

  struct Layout {
    std::size_t slots, boards, board, probes, shares, bytes;
    explicit Layout(std::size_t capacity) noexcept {
      slots = sizeof(Storage);
      boards = slots + k_ring * sizeof(Slot<P>);
      board = core::Board<P>::words(capacity) * sizeof(core::DoneWord<P>);
      probes = boards + k_ring * board;
      const std::size_t all = capacity * sizeof(typename core::PaceKeeper<P>::Ticks);
      shares = probes + (all + core::k_line_pair - 1) / core::k_line_pair * core::k_line_pair;
      bytes = shares + capacity * sizeof(Share);
    }
  };

  Storage(std::uint32_t capacity, const Layout& layout, Storage* previous) noexcept
      : capacity_(capacity), previous_(previous), slots_(at<Slot<P>>(layout.slots)),
        probes_(at<typename core::PaceKeeper<P>::Ticks>(layout.probes)), shares_(at<Share>(layout.shares)) {
    for (std::uint64_t s = 0; s < k_ring; ++s) {
      slots_[s].tree.roots = &shares_->hot.roots[s];
      slots_[s].tree.stride = sizeof(Share) / sizeof(Node);
      slots_[s].tree.board = at<core::DoneWord<P>>(layout.boards + s * layout.board);
      slots_[s].range.cells = {&shares_->ranges[s], sizeof(Share)};
      slots_[s].queue.cells = {&shares_->queues[s], sizeof(Share)};
      slots_[s].queue_lock.cells = {&shares_->locked_queues[s], sizeof(Share)};
    }
  }

  ~Storage() {
    for (std::uint32_t m = 0; m < capacity_; ++m) {
      for (auto& arena : shares_[m].hot.arenas) arena.~Arena();
      for (auto& account : shares_[m].hot.accounts) Recording::destroy<P>(account.memory);
      for (auto& cell : shares_[m].queues) std::destroy_at(&cell);
      for (auto& cell : shares_[m].locked_queues) std::destroy_at(&cell);
    }
  }

  template <class T> T* at(std::size_t offset) noexcept {
    return reinterpret_cast<T*>(reinterpret_cast<std::byte*>(this) + offset);
  }

  std::uint32_t capacity_;
  Storage* previous_;
  Slot<P>* slots_;
  typename core::PaceKeeper<P>::Ticks* probes_;
  Share* shares_;
};

} // namespace wstree::loop
