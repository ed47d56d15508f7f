// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A team's shared state of one loop, for any model of scheduling: one slot of a team's ring without the team.
#pragma once

#include "wstree/core/models.h"

#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

namespace wstree::simulate {

/// The shared state of workers of type W on platform P, for `members` members. Used by one loop after the
/// other; all members leave between two of them. A loop that needs the number of members is made from it.
template <class P, class W> class SlotOf {
public:
  using Worker = W;
  using Loop = typename Worker::Loop;
  static constexpr bool k_is_tree = std::is_same_v<Loop, core::Tree<P>>;
  static constexpr bool k_has_cells = requires(Loop loop) { loop.cells; };
  static constexpr bool k_knows_members = std::is_constructible_v<Loop, std::uint32_t>;

  /// `pairs`: of nodes that each member of a tree has before it has to allocate.
  explicit SlotOf(std::uint32_t members, std::uint32_t pairs = 8)
      : members_(members), pairs_(pairs), loop_(make_loop(members)) {
    if constexpr (k_is_tree) {
      own_.roots = std::make_unique<Node[]>(members);
      own_.nodes = std::make_unique<Node[]>(std::size_t{2} * pairs * members + 1);
      own_.arenas = std::make_unique<core::Arena<P>[]>(members);
      own_.board = std::make_unique<core::DoneWord<P>[]>(core::Board<P>::words(members));
      loop_.roots = own_.roots.get();
      loop_.board = own_.board.get();
    } else if constexpr (k_has_cells) {
      own_ = std::make_unique<Cell[]>(members);
      loop_.cells = {own_.get(), sizeof(Cell)};
    }
  }

  std::uint32_t members() const { return members_; }
  Loop& loop() { return loop_; }
  /// Returns the member's own memory, emptied. Called before each loop, by the member or while no
  /// member runs.
  typename Worker::Memory& memory(std::uint32_t member) {
    if constexpr (k_is_tree) {
      own_.arenas[member].reset(&own_.nodes[std::size_t{2} * pairs_ * member], pairs_);
      return own_.arenas[member];
    } else {
      return none_;
    }
  }
  /// Refreshes the loop. Called by each member before it enters a use for which core::is_refresh_due().
  void refresh(std::uint64_t use) {
    if constexpr (requires { loop_.refresh(use, members_); })
      loop_.refresh(use, members_);
    else if constexpr (requires { loop_.make_current(use); })
      loop_.make_current(use);
  }
  /// Returns the entry of `member` into execution `loop` of a loop of `iterations`.
  static core::Entry entry(std::uint64_t iterations, std::uint64_t loop, std::uint32_t member,
                           std::uint32_t members, const core::Settings& settings, std::uint64_t smallest = 1,
                           const core::Neighbourhood* near = nullptr) {
    return {iterations, loop, loop, member, members, &settings, smallest, near};
  }

private:
  using Node = core::Node<P>;
  struct TreeOwn {
    std::unique_ptr<Node[]> roots, nodes;
    std::unique_ptr<core::Arena<P>[]> arenas;
    std::unique_ptr<core::DoneWord<P>[]> board;
  };
  struct Nothing {};
  template <class L> struct CellOf : std::type_identity<Nothing> {};
  template <class L>
  requires requires(L loop) { loop.cells; }
  struct CellOf<L> : std::remove_reference<decltype(std::declval<L&>().cells[0])> {};
  using Cell = typename CellOf<Loop>::type;
  using Own = std::conditional_t<k_is_tree, TreeOwn,
                                 std::conditional_t<k_has_cells, std::unique_ptr<Cell[]>, Nothing>>;

  static Loop make_loop([[maybe_unused]] std::uint32_t members) {
    if constexpr (k_knows_members)
      return Loop(members);
    else
      return Loop{};
  }

  std::uint32_t members_;
  std::uint32_t pairs_;
  Own own_{};
  Loop loop_;
  core::NoMemory none_;
};

/// A slot of one of the library's models.
template <class P, core::Model model> using Slot = SlotOf<P, core::WorkerOf<P, model>>;

} // namespace wstree::simulate
