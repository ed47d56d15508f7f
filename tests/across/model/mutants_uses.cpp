// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The orders that each tag has in the product, by use, and which accesses they pair with.
#include "mutants.h"

namespace wstree::model {
namespace {

using core::Tag;
constexpr auto relaxed = std::memory_order_relaxed;
constexpr auto acquire = std::memory_order_acquire;
constexpr auto release = std::memory_order_release;
constexpr auto acq_rel = std::memory_order_acq_rel;
constexpr auto seq_cst = std::memory_order_seq_cst;
constexpr auto load = Use::load;
constexpr auto store = Use::store;
constexpr auto update = Use::update;
constexpr auto success = Use::success;
constexpr auto failure = Use::failure;

} // namespace

const std::vector<UseRow>& use_rows() {
  static const std::vector<UseRow> rows{
      {Tag::own, "N2, N3", {{success, relaxed}, {failure, relaxed}}},
      {Tag::advance, "N3", {{success, relaxed}, {failure, relaxed}}},
      {Tag::stop, "N2", {{success, relaxed}, {failure, relaxed}}},
      {Tag::adopt, "N4, N5", {{load, acquire}, {success, release}, {failure, acquire}}},
      {Tag::read_children, "N4", {{load, acquire}}},
      {Tag::inspect, "", {{load, relaxed}}},
      {Tag::publish_cost, "", {{load, relaxed}, {store, relaxed}}},
      {Tag::refresh, "N1", {{load, relaxed}, {success, relaxed}, {failure, relaxed}}},
      {Tag::publish_owner, "", {{load, relaxed}, {store, relaxed}}},
      {Tag::publish_held, "N10", {{load, acquire}, {store, release}}},
      {Tag::mark_done, "", {{load, relaxed}, {success, relaxed}, {failure, relaxed}, {update, relaxed}}},
      {Tag::mark_below, "", {{load, relaxed}, {store, relaxed}}},
      {Tag::mark_handed, "", {{load, relaxed}, {store, relaxed}}},
      {Tag::take_last, "W1", {{load, acquire}, {load, relaxed}, {success, release}, {failure, acquire}}},
      {Tag::arrive, "A1", {{load, relaxed}, {success, acq_rel}, {failure, relaxed}}},
      {Tag::take_share, "S1", {{load, relaxed}, {success, relaxed}, {failure, relaxed}}},
      {Tag::reserve_units, "R2, R6, R7", {{store, seq_cst}}},
      {Tag::check_reserved, "R1, R6, R7", {{load, seq_cst}}},
      {Tag::contend, "R4, R7", {{success, relaxed}, {failure, relaxed}}},
      {Tag::keep_quarter, "R3, R7", {{success, relaxed}, {failure, relaxed}}},
      {Tag::read_range, "R7, R9", {{load, acquire}}},
      {Tag::read_low, "R1, R2, R7, R8", {{load, seq_cst}}},
      {Tag::steal_range, "R1, R2, R5, R6", {{success, seq_cst}, {failure, relaxed}}},
      {Tag::open_low, "R6", {{store, release}}},
      {Tag::open_range, "R5", {{store, release}}},
      {Tag::enter_cell, "R10", {{load, acquire}, {store, release}}},
      {Tag::close_range, "R8", {{store, relaxed}}},
      {Tag::move_units, "R7, R12", {{load, relaxed}, {load, acquire}, {store, relaxed}, {store, release}}},
      {Tag::return_units, "", {{load, relaxed}, {store, relaxed}}},
      {Tag::enter_counter, "C1", {{load, relaxed}, {success, relaxed}, {failure, relaxed}}},
      {Tag::take_step, "C2", {{update, relaxed}}},
      {Tag::raise_counter, "C3", {{load, relaxed}, {success, relaxed}, {failure, relaxed}}},
      {Tag::open_queue, "Q1", {{load, acquire}, {store, release}}},
      {Tag::announce_move, "Q2", {{load, acquire}, {store, relaxed}, {store, release}}},
      {Tag::item, "Q7, Q12, L3", {{load, relaxed}, {store, relaxed}}},
      {Tag::grow_array, "Q4", {{load, acquire}, {store, release}}},
      {Tag::look, "", {{load, relaxed}}},
      {Tag::find_room, "Q12", {{load, acquire}}},
      {Tag::publish_item, "Q11", {{store, release}}},
      {Tag::lower_bottom, "Q9 to Q11", {{store, seq_cst}}},
      {Tag::owner_reads_top, "Q8, Q10, Q11", {{load, seq_cst}}},
      {Tag::thief_reads_top, "Q8, Q9, Q11", {{load, seq_cst}}},
      {Tag::thief_reads_bottom, "Q7 to Q10", {{load, seq_cst}}},
      {Tag::take_oldest, "Q6", {{success, release}, {failure, relaxed}}},
      {Tag::take_only_item, "Q12", {{success, relaxed}, {failure, relaxed}}},
      {Tag::restore_bottom, "", {{store, relaxed}}},
      {Tag::lock_queue, "L1", {{success, acquire}, {failure, relaxed}, {store, release}}},
      {Tag::find_room_locked, "L6, L9", {{load, acquire}}},
      {Tag::publish_locked, "L7", {{store, release}}},
      {Tag::lower_tail, "L5 to L7", {{store, seq_cst}}},
      {Tag::owner_reads_head, "L4, L6, L7", {{load, seq_cst}}},
      {Tag::raise_head, "L2, L4, L5, L7", {{store, seq_cst}}},
      {Tag::thief_reads_tail, "L3 to L6", {{load, seq_cst}}},
      {Tag::restore_tail, "L1", {{store, relaxed}}},
      {Tag::restore_head, "L2", {{store, release}}},
      {Tag::leave_loop, "T2", {{store, release}}},
      {Tag::wait_for_slot, "T1, T7", {{load, seq_cst}}},
      {Tag::grow, "T3", {{load, acquire}, {success, release}, {failure, acquire}}},
      {Tag::next_base, "T4", {{load, relaxed}, {success, relaxed}, {failure, relaxed}}},
      {Tag::count_leaver, "T1, T2, T5", {{load, relaxed}, {success, acq_rel}, {failure, relaxed}}},
      {Tag::absent, "", {{load, relaxed}, {update, relaxed}}},
      {Tag::end_ring, "T2, T7", {{load, seq_cst}, {store, seq_cst}, {success, seq_cst}, {failure, relaxed}}},
      {Tag::leave_tasks, "T8", {{update, acq_rel}}},
      {Tag::take_tile, "", {{update, relaxed}}},
      {Tag::bound_tiles, "P3", {{load, relaxed}, {store, relaxed}}},
      {Tag::settle_verdict, "P3", {{load, relaxed}, {update, acquire}, {store, release}}},
      {Tag::know_tile, "P4", {{load, acquire}, {store, release}}},
      {Tag::pass_turn, "P5", {{load, acquire}, {store, release}}},
      {Tag::open_door, "P6", {{load, relaxed}, {store, release}, {success, acquire}, {failure, relaxed}}},
      {Tag::leave_door, "P7", {{load, acquire}, {update, relaxed}, {update, release}}},
      {Tag::count_busy, "", {{load, relaxed}, {update, relaxed}}},
      {Tag::take_number, "", {{load, relaxed}, {update, relaxed}}},
      {Tag::count_sleeper, "B4", {{load, relaxed}, {update, relaxed}}},
      {Tag::announce_sleep, "B2, B3", {{Use::fence, seq_cst}}},
      {Tag::publish_work, "B2", {{Use::fence, seq_cst}}},
      {Tag::bed, "B3, B4", {{load, relaxed}, {store, release}, {success, acquire}, {failure, acquire}}},
      {Tag::notice_wake, "B3", {{load, acquire}}},
      {Tag::count_outsider, "E1", {{load, relaxed}, {update, relaxed}}},
      {Tag::raise_number, "E2", {{load, relaxed}, {update, relaxed}}},
      {Tag::finish_task, "G1", {{load, acquire}, {update, acq_rel}}},
      {Tag::count_task, "G1, G3", {{update, relaxed}}},
      {Tag::expect_end, "G1, G2", {{update, release}}},
      {Tag::leave_rest, "D1", {{load, relaxed}, {store, release}, {update, acquire}}},
      {Tag::hint_at_rests, "", {{load, relaxed}, {store, relaxed}}},
      {Tag::stop_loop, "", {{load, relaxed}, {store, relaxed}}},
      {Tag::begin_call, "M1", {{load, acquire}, {store, release}}},
      {Tag::come_to_rest, "M2, M3", {{load, acquire}, {update, release}}},
      {Tag::wake_up, "M2", {{load, relaxed}, {success, relaxed}, {failure, relaxed}}},
      {Tag::post_packet, "M4", {{load, acquire}, {store, release}}},
  };
  return rows;
}

} // namespace wstree::model
