// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mutants.h"

#include "engine/tags.h"

#include <algorithm>
#include <tuple>

namespace wstree::model {
namespace {

using core::Tag;
using enum Fate;
using enum Group;

// Of tags whose operations are relaxed loads and stores: there is nothing to weaken.
constexpr std::string_view k_hint =
    "relaxed: a hint; a thread that acts on it does a read-modify-write, which fails if the hint was old";
constexpr std::string_view k_estimate = "relaxed: an estimate that nothing depends on";
constexpr std::string_view k_true = "relaxed: says that there is nothing left to read";
constexpr std::string_view k_advice = "relaxed: advice to end early; a thread acts on it under a lock";
constexpr std::string_view k_ordered = "relaxed: others order it";
constexpr std::string_view k_later =
    "the order forbids load buffering, which this model does not show and Arm's architecture permits";
constexpr std::string_view k_fenced = "a fence (B2) orders the same; a thread sanitizer knows no fences";
constexpr std::string_view k_ask_again = "relaxed: a hint; a member that misses it may ask again";
constexpr std::string_view k_asked_to_end =
    "relaxed: ends a loop early; what is handed out meanwhile is executed";
constexpr std::string_view k_look_again = "it decides how often a member looks again; no item depends on it";

} // namespace

const std::vector<TagRow>& tag_rows() {
  static const std::vector<TagRow> rows{
      {Tag::own, "N1 own", "tree/node.h", tree, none, none, killed},
      {Tag::advance, "N2 advance", "tree/node.h", tree, none, none, killed},
      {Tag::stop, "N3 stop", "tree/node.h", tree, none, none, killed},
      {Tag::adopt, "N4 adopt", "tree/node.h", tree, killed, none, killed},
      {Tag::read_children, "N5 read_children", "tree/node.h", tree, killed, none, none},
      {Tag::inspect, "N6 inspect", "tree/node.h", tree, none, none, none, k_hint},
      {Tag::publish_cost, "N7 publish_cost", "tree/node.h", tree, none, none, none, k_estimate},
      {Tag::refresh, "N8 refresh", "tree/node.h", tree, none, none, killed},
      {Tag::publish_owner, "N9 publish_owner", "tree/node.h", tree, none, none, none, k_estimate},
      {Tag::publish_held, "N10 publish_held", "tree/node.h", tree, killed, none, none},
      {Tag::mark_done, "N11 mark_done", "tree/search/board.h", tree, none, none, survives,
       "a member that walks over the board finds a lost bit missing, looks below and sets it"},
      {Tag::mark_below, "N12 mark_below", "tree/node.h", tree, none, none, none, k_true},
      {Tag::mark_handed, "N13 mark_handed", "tree/handed_out.h", tree, none, none, none, k_true},
      {Tag::take_last, "W1 take_last", "last_taken.h", tree, killed, none, killed},
      {Tag::arrive, "A1 arrive", "reduction/ascent.h", reduction, killed, none, killed},
      {Tag::take_share, "S1 take_share", "share_mark.h", range, none, none, killed},
      {Tag::reserve_units, "R1 reserve_units", "range/range.h", range, killed, killed, none},
      {Tag::check_reserved, "R2 check_reserved", "range/range.h", range, killed, killed, none},
      {Tag::contend, "R3 contend", "range/range.h", range, none, none, killed},
      {Tag::keep_quarter, "R4 keep_quarter", "range/range.h", range, none, none, killed},
      {Tag::read_range, "R5 read_range", "range/range.h", range, killed, none, none},
      {Tag::read_low, "R6 read_low", "range/range.h", range, killed, killed, none},
      {Tag::steal_range, "R7 steal_range", "range/range.h", range, killed, killed, killed},
      {Tag::open_low, "R8 open_low", "range/range.h", range, killed, none, none},
      {Tag::open_range, "R9 open_range", "range/range.h", range, killed, none, none},
      {Tag::enter_cell, "R10 enter_cell", "range/range.h", range, killed, none, none},
      {Tag::close_range, "R11 close_range", "range/range.h", range, none, none, none, k_ordered},
      {Tag::move_units, "R12 move_units", "range/range.h", range, survives, none, none, k_look_again},
      {Tag::return_units, "R13 return_units", "range/range.h", range, none, none, none, k_hint},
      {Tag::enter_counter, "C1 enter_counter", "self_scheduling/counter.h", counter, none, none, killed},
      {Tag::take_step, "C2 take_step", "self_scheduling/counter.h", counter, none, none, killed},
      {Tag::raise_counter, "C3 raise_counter", "self_scheduling/counter.h", counter, none, none, killed},
      {Tag::open_queue, "Q1 open_queue", "queue/owner_line.h", queue, killed, none, none},
      {Tag::announce_move, "Q2 announce_move", "queue/owner_line.h", queue, survives, none, none,
       k_look_again},
      {Tag::item, "Q3 item", "queue/item_array.h", queue, none, none, none, k_ordered},
      {Tag::grow_array, "Q4 grow_array", "queue/item_array.h", queue, killed, none, none},
      {Tag::look, "Q5 look", "queue/lock_free_queue.h", queue, none, none, none, k_hint},
      {Tag::find_room, "Q6 find_room", "queue/lock_free_queue.h", queue, survives, none, none, k_later},
      {Tag::publish_item, "Q7 publish_item", "queue/lock_free_queue.h", queue, killed, none, none},
      {Tag::lower_bottom, "Q8 lower_bottom", "queue/lock_free_queue.h", queue, killed, killed, none},
      {Tag::owner_reads_top, "Q9 owner_reads_top", "queue/lock_free_queue.h", queue, killed, killed, none},
      {Tag::thief_reads_top, "Q10 thief_reads_top", "queue/lock_free_queue.h", queue, killed, killed, none},
      {Tag::thief_reads_bottom, "Q11 thief_reads_bottom", "queue/lock_free_queue.h", queue, killed, killed,
       none},
      {Tag::take_oldest, "Q12 take_oldest", "queue/lock_free_queue.h", queue, survives, none, killed,
       k_later},
      {Tag::take_only_item, "Q13 take_only_item", "queue/lock_free_queue.h", queue, none, none, killed},
      {Tag::restore_bottom, "Q14 restore_bottom", "queue/lock_free_queue.h", queue, none, none, none,
       k_ordered},
      {Tag::lock_queue, "L1 lock_queue", "queue/locked_queue.h", queue_lock, killed, none, killed},
      {Tag::find_room_locked, "L2 find_room_locked", "queue/locked_queue.h", queue_lock, survives, none, none,
       k_later},
      {Tag::publish_locked, "L3 publish_locked", "queue/locked_queue.h", queue_lock, killed, none, none},
      {Tag::lower_tail, "L4 lower_tail", "queue/locked_queue.h", queue_lock, killed, killed, none},
      {Tag::owner_reads_head, "L5 owner_reads_head", "queue/locked_queue.h", queue_lock, killed, killed,
       none},
      {Tag::raise_head, "L6 raise_head", "queue/locked_queue.h", queue_lock, killed, killed, none},
      {Tag::thief_reads_tail, "L7 thief_reads_tail", "queue/locked_queue.h", queue_lock, killed, killed,
       none},
      {Tag::restore_tail, "L8 restore_tail", "queue/locked_queue.h", queue_lock, none, none, none, k_ordered},
      {Tag::restore_head, "L9 restore_head", "queue/locked_queue.h", queue_lock, survives, none, none,
       k_later},
      {Tag::leave_loop, "T1 leave_loop", "loop/ring_member.h", loops, killed, none, none},
      {Tag::wait_for_slot, "T2 wait_for_slot", "loop/ring_member.h", loops, killed, killed, none},
      {Tag::grow, "T3 grow", "loop/team.h", loops, killed, none, killed},
      {Tag::next_base, "T4 next_base", "loop/team.h", loops, none, none, killed},
      {Tag::count_leaver, "T5 count_leaver", "loop/team_storage.h", loops, killed, none, killed},
      {Tag::absent, "T6 absent", "loop/team.h", loops, none, none, killed},
      {Tag::end_ring, "T7 end_ring", "loop/ring_end.h", loops, killed, killed, killed},
      {Tag::leave_tasks, "T8 leave_tasks", "loop/task_loop.h", tasks, killed, none, killed},
      {Tag::take_tile, "P1 take_tile", "parallel/tile_run.h", parallel, none, none, killed},
      {Tag::bound_tiles, "P2 bound_tiles", "parallel/verdict.h", parallel, none, none, none, k_advice},
      {Tag::settle_verdict, "P3 settle_verdict", "parallel/verdict.h", parallel, killed, none, killed},
      {Tag::know_tile, "P4 know_tile", "parallel/scan_tiles.h", parallel, killed, none, none},
      {Tag::pass_turn, "P5 pass_turn", "parallel/ordered.h", parallel, killed, none, none},
      {Tag::open_door, "P6 open_door", "parallel/door.h", parallel, killed, none, killed},
      {Tag::leave_door, "P7 leave_door", "parallel/door.h", parallel, killed, none, killed},
      {Tag::count_busy, "P8 count_busy", "parallel/nesting.h", parallel, none, none, killed},
      {Tag::take_number, "P9 take_number", "parallel/nesting.h", parallel, none, none, killed},
      {Tag::count_sleeper, "B1 count_sleeper", "types/detail/sleepers.h", types, none, none, killed},
      {Tag::announce_sleep, "B2 announce_sleep", "types/detail/sleepers.h", types, killed, killed, none},
      {Tag::publish_work, "B3 publish_work", "types/detail/sleepers.h", types, killed, killed, none},
      {Tag::bed, "B4 bed", "types/detail/sleepers.h", types, killed, none, killed},
      {Tag::notice_wake, "B5 notice_wake", "types/detail/sleepers.h", types, killed, none, none},
      {Tag::count_outsider, "E1 count_outsider", "types/detail/outsiders.h", types, none, none, killed},
      {Tag::raise_number, "E2 raise_number", "types/detail/outsiders.h", types, none, none, killed},
      {Tag::finish_task, "G1 finish_task", "types/detail/task_count.h", types, killed, none, killed},
      {Tag::count_task, "G2 count_task", "types/detail/task_count.h", types, none, none, killed},
      {Tag::expect_end, "G3 expect_end", "types/detail/task_count.h", types, survives, none, killed,
       k_fenced},
      {Tag::leave_rest, "D1 leave_rest", "types/detail/shared_loop.h", types, killed, none, killed},
      {Tag::hint_at_rests, "D2 hint_at_rests", "types/detail/shared_loop.h", types, none, none, none,
       k_ask_again},
      {Tag::stop_loop, "D3 stop_loop", "types/detail/shared_loop.h", types, none, none, none, k_asked_to_end},
      {Tag::begin_call, "M1 begin_call", "mpi/board.h", ranks, killed, none, none},
      {Tag::come_to_rest, "M2 come_to_rest", "mpi/board.h", ranks, killed, none, killed},
      {Tag::wake_up, "M3 wake_up", "mpi/board.h", ranks, none, none, killed},
      {Tag::post_packet, "M4 post_packet", "mpi/board.h", ranks, killed, none, none},
  };
  return rows;
}

std::string_view name_of_tag(core::Tag tag) {
  const auto& rows = tag_rows();
  const auto found =
      std::find_if(rows.begin(), rows.end(), [tag](const TagRow& row) { return row.tag == tag; });
  return found == rows.end() ? "?" : found->name;
}

std::string Mutant::name() const {
  std::string text(row->name);
  if (mutation.use) text += "_" + std::string(name_of(*mutation.use));
  text += "_" + std::string(name_of(mutation.mistake));
  std::replace(text.begin(), text.end(), ' ', '_');
  return text;
}

namespace {

/// What survives alone, although all uses of its tag together do not.
const std::vector<std::tuple<Tag, Use, Mistake, std::string_view>> k_survivors{
    {Tag::bed, Use::store, Mistake::relaxed, k_later},
    {Tag::bed, Use::success, Mistake::relaxed, k_later},
};

void add_use(const TagRow& row, Use use, Mistake mistake, std::vector<Mutant>& all) {
  Mutant made{&row, {mistake, row.tag, use}, row.relaxed, row.reason};
  for (const auto& [tag, survives, how, reason] : k_survivors)
    if (tag == row.tag && survives == use && how == mistake) made.fate = Fate::survives, made.reason = reason;
  for (const Mutant& known : all)
    if (known.row == &row && known.mutation.use == use && known.mutation.mistake == mistake) return;
  all.push_back(made);
}

void add_uses(const TagRow& row, std::vector<Mutant>& all) {
  const auto found = std::find_if(use_rows().begin(), use_rows().end(),
                                  [&row](const UseRow& uses) { return uses.tag == row.tag; });
  if (found == use_rows().end() || row.relaxed == none) return;
  const auto ordered = std::count_if(found->orders.begin(), found->orders.end(), [](const auto& order) {
    return order.order != std::memory_order_relaxed;
  });
  for (const auto& [use, order] : found->orders) {
    if (order == std::memory_order_acq_rel) {
      add_use(row, use, Mistake::acquire, all);
      add_use(row, use, Mistake::release, all);
    }
    if (ordered > 1 && order != std::memory_order_relaxed) add_use(row, use, Mistake::relaxed, all);
  }
}

} // namespace

std::vector<Mutant> mutants() {
  std::vector<Mutant> all;
  for (const TagRow& row : tag_rows()) {
    const std::pair<Mistake, Fate> mistakes[] = {{Mistake::relaxed, row.relaxed},
                                                 {Mistake::acq_rel, row.acq_rel},
                                                 {Mistake::non_atomic, row.non_atomic}};
    for (const auto& [mistake, fate] : mistakes)
      if (fate != none) all.push_back({&row, {mistake, row.tag}, fate, row.reason});
    add_uses(row, all);
  }
  return all;
}

} // namespace wstree::model
