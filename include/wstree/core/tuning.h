// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every constant that was tuned, in one table: its meaning, its trade-off, and the effect of halving or
// doubling it.
#pragma once

#include "wstree/core/cost.h"

#include <cstddef>
#include <cstdint>

/// Found with the simulator (`wstree simulate`, 2 to 1,024 members, ideal times of 20 us to 1 ms, all
/// workloads of the benchmark, the step grid) and with `wstree bench`. "x0.5: 1.01" means that the time is
/// 1.01-fold, in the geometric mean, when the constant is halved. Differences within a group of loops are
/// significant from about 1 % on.
namespace wstree::core::tuning {

// Batches (batch.h). Durations are in Settings: shortest_target, longest_target, tail_batch.

/// 1 / target: a batch should take this part of the time since its member entered the loop. Larger batches
/// swallow more of an expensive interval, smaller ones cost dispatches.
inline constexpr std::uint64_t k_part_of_elapsed = 16;
/// 1 / target in the first moments, below shortest_target. Aiming at shortest_target at once gains 6 % in
/// even loops of 1 to 3 us and loses up to 65 % where the start is the expensive part.
inline constexpr std::uint64_t k_part_of_first = 3;
/// A batch is at most so many times the batch before it: a batch that was cheap by chance must not make the
/// next one huge. Without: 1.00, single figures 1.07.
inline constexpr std::uint64_t k_growth = 16;
/// Parts of 65,536: a batch has at most a 220th of the units left in its node, and a 730th of a member's
/// share, added up. Smaller parts cut fine where nothing is expensive. x0.5, x2: at most 1.001.
inline constexpr std::uint64_t k_of_rest = 298;
inline constexpr std::uint64_t k_of_share = 90;
inline constexpr unsigned k_part_bits = 16;
/// The end of a node is cut as fine as can be after so many times tail_batch: some 20 dispatches in 200 times
/// the time of 20. x0.5, x2: at most 1.001.
inline constexpr std::uint64_t k_long = 200;
/// 1 / part by which costs per unit may differ and be the same: the clock may be skipped. x0.5: never.
inline constexpr std::uint64_t k_alike = 4;
/// Batches in a row after which a member does not read the clock, which takes as long as the rest of a
/// dispatch. x0.5, x2: at most 1.001; without: 1.045 with two members.
inline constexpr std::uint32_t k_most_skipped = 7;
/// Batches without a look at the clock take together at most a quarter of the time so far, and four
/// times longest_target.
inline constexpr std::uint64_t k_part_unclocked = 4;

// Knowledge about a code location (prior.h), and shares that should be over soon (tree/brief.h)

/// k_confirmed: like executions in a row before the prior is used. k_excused: unlike ones in a row that
/// are ignored.
inline constexpr std::uint8_t k_confirmed = 2;
inline constexpr std::uint8_t k_excused = 1;
/// Times are alike up to this factor: loops of one code location differ in their data.
inline constexpr std::uint64_t k_like_before = 4;
/// A member that has done fewer tenths of its share was robbed.
inline constexpr std::uint64_t k_tenths_of_share = 9;
/// Shortest targets that a share takes at most; in longer ones exploring costs next to nothing.
inline constexpr std::uint64_t k_brief = 30;
/// Multiple of steal_cost below which work is left to its owner, is taken in one piece, or is waited for.
inline constexpr std::uint64_t k_brief_steals = 4;
/// 1 / smallest part of the rest that is a piece: pieces are the rest, a half, a quarter or this part of it.
/// 4: an uneven loop of 25 us a member took 2.6 times as long as without memory.
inline constexpr std::uint32_t k_part_of_rest = 8;
/// In another member's root, a piece has at most this many times the units already taken there. Without:
/// executions of steadily uneven loops, one in twenty, took 2 to 4.6 times as long, because a member took a
/// whole root.
inline constexpr std::uint32_t k_foreign_growth = 3;
/// Executions in which a member that has lost by its belief believes nothing, at most.
inline constexpr std::uint64_t k_most_debt = 1 << 12;
/// Looks at roots that are not taken yet, by a member that has only iteration n-1.
inline constexpr std::uint32_t k_late_looks = 16;

// Calls whose elements' cost the caller has found out (batch.h, reduction/)

/// Shortest targets that a share takes at most.
inline constexpr std::uint64_t k_brief_call = 6;
/// The first batch has this part of tail_batch and of the share:
/// it costs nothing if it takes 100 times as long.
inline constexpr Factor k_first{1 / 16.0};
inline constexpr Factor k_first_of_share{1 / 8.0};
/// The shortest of the later batches, in parts of tail_batch. Half of it: 1.03 at 1 us.
inline constexpr Factor k_least{0.5};
/// A batch that takes so many times the expected time, and a steal more, is a surprise.
inline constexpr Factor k_wrong{2.5};

// Regions whose function is called again for each piece (runtime/loop/repeated_cost.h). Durations are in
// shortest targets. A piece takes about 0.1 us besides its iterations, and some 30 ns if it has none.

/// Pieces of each member in the first execution, of which nothing is known.
inline constexpr std::uint64_t k_first_calls = 128;
/// Later, in even loops: pieces of this length, but no fewer of each member. Half as long: even loops
/// take 1.01.
inline constexpr std::uint64_t k_even_call = 20;
inline constexpr std::uint64_t k_fewest_even_calls = 4;
/// Uneven loops: pieces of each member; the least and the largest length of a piece; the bounds of the number
/// that follows.
inline constexpr std::uint64_t k_uneven_calls = 64;
inline constexpr std::uint64_t k_shortest_call = 1;
inline constexpr std::uint64_t k_longest_call = 8;
inline constexpr std::uint64_t k_fewest_calls = 8;
inline constexpr std::uint64_t k_most_calls = 512;
/// A loop is even if at most one of k_steady_items items moves, or work of at most k_late shortest targets.
inline constexpr std::uint64_t k_steady_items = 8;
inline constexpr std::uint64_t k_late = 2;
/// k_whole: the longest share that is executed whole. k_calm: executions in a row with even shares of this
/// length before the first whole one. Each disappointment doubles that number, up to k_most_doubled.
inline constexpr std::uint64_t k_whole = 200;
inline constexpr std::uint32_t k_calm = 4;
inline constexpr std::uint32_t k_most_doubled = 256;
/// Nothing doubles if this many times the needed calm executions were whole before the disappointment.
inline constexpr std::uint32_t k_worthwhile = 4;
/// A whole region is dear if it takes longer than k_like_cut times the longest of the latest regions in
/// pieces plus k_dear_whole shortest targets. Each region in pieces lowers that longest time by
/// one part of k_longest_part.
inline constexpr std::uint64_t k_like_cut = 2;
inline constexpr std::uint64_t k_dear_whole = 20;
inline constexpr std::uint64_t k_longest_part = 16;
/// Debt in regions: k_owed times the time of the dear region, divided by the time in pieces; k_most_owed
/// at most.
inline constexpr std::uint64_t k_owed = 2;
inline constexpr std::uint32_t k_most_owed = 1 << 14;
/// Whole regions are slower if their average exceeds the time in pieces by one part of k_slower_part, after
/// k_judged whole regions. The average has the weight of k_averaged regions. Regions shorter than one part of
/// k_unlike_cut of the time in pieces do not count.
inline constexpr std::uint32_t k_judged = 8;
inline constexpr std::uint64_t k_slower_part = 16;
inline constexpr std::uint32_t k_averaged = 31;
inline constexpr std::uint64_t k_unlike_cut = 8;
/// After this many whole regions in a row the next regions are cut, and the doubling ends.
inline constexpr std::uint32_t k_most_whole = 1024;

// Iteration n-1 (tree/last_iteration.h)

/// Units of each member: in longer loops one iteration is nothing.
inline constexpr std::uint64_t k_few_units_each = 64;
/// It starts early if that takes less than this part: estimates are rough, and the member that starts it
/// does nothing else in this loop.
inline constexpr Factor k_convincing{0.9};

// The order of batches in reductions (reduction/pacing.h)

/// Units of a node that are taken from its right end if they are long and become dearer to the right.
inline constexpr std::uint32_t k_few_dear_units = 16;
/// Batches whose costs per unit differ by less do not show a rise or fall.
inline constexpr Factor k_dearer{1.1};

// Members on slow cores (pace.h, tree/giving_way.h)

/// A member is slow beside one that takes less than this part of its time. Equal cores differ by 8 %, within
/// the resolution of the clock.
inline constexpr Factor k_as_fast{0.8};
/// 1 / part by which a probe may differ from the member's published time.
inline constexpr std::uint32_t k_alike_probes = 12;
/// A probe takes 0.1 to 0.4 us, and a member makes no more than so many in a millisecond.
inline constexpr std::uint64_t k_probes_per_ms = 2;
/// A member whose share is brief checks in only one of this many loops if a probe is due.
inline constexpr std::uint64_t k_loops_unprobed = 4;
/// Loops of few units: a slow member's fruitless wait ends at this part of the time since it entered, which
/// is nine times the time before the wait.
inline constexpr Factor k_longest_wait{0.9};
/// Waits in vain after which the next ones are no shorter.
inline constexpr std::uint32_t k_most_in_vain = 32;
/// A waiting slow member reads the tree again every 1 / this part of the unit's cost. A look at 24 roots
/// takes a microsecond.
inline constexpr std::uint64_t k_waiting_looks = 256;

// Search (tree/search)

/// Roots that a search of a large team looks at, and leaves with work below them. x0.5: 1.00, x2: 1.004.
inline constexpr std::uint32_t k_sample = 4;
/// Roots that a search with domains looks at: at home, and in all farther rings together; x2 of the
/// latter: 1.015.
inline constexpr std::uint32_t k_sample_near = 6;
inline constexpr std::uint32_t k_sample_far = 4;
/// Rings of so many members are looked at completely; x2: 1.005.
inline constexpr std::uint32_t k_scan_ring = 8;
/// Members of the largest domain that counts as home: a thief searches it first, and finds there the work
/// that its members have brought from afar. x2: 1.03 (96).
inline constexpr std::uint32_t k_home = 24;
/// Part of a node that a domain has to lack before a thief fetches it from afar: about the part that it gets.
/// x0.5: 1.008, x2: 1.013. Fetching only when the domain is dry: 1.06 with 128 members at 20 us.
inline constexpr Factor k_worth_it{0.6};
/// So many times as much work per member outside is clearly more, by rough estimates. x0.5, x2: no effect.
inline constexpr Factor k_clearly{1.25};
/// Eighths of a far node that a thief takes: at least, at most, and at most if it has less than
/// k_few_units. A thief that takes nearly all makes its victim a thief. Halved most: 1.01; of a few: 1.005.
inline constexpr std::int64_t k_least_eighths = 4;
inline constexpr std::int64_t k_most_eighths = 7;
inline constexpr std::int64_t k_most_eighths_of_few = 6;
inline constexpr std::uint32_t k_few_units = 16;
/// Units that count as work in modes without a clock; else Settings::near_enough.
inline constexpr std::uint64_t k_near_enough_units = 4;

// Memory and waiting

/// Pairs of nodes for whose values a member allocates room at a time (reduction/cells.h). Not measured.
inline constexpr std::size_t k_pairs_of_cells = 8;
/// Pairs of nodes in a member's first and largest chunk (tree/arena.h): only hundreds of steals need them.
inline constexpr std::uint32_t k_first_chunk = 32;
inline constexpr std::uint32_t k_largest_chunk = 4096;
/// Times that a member without memory gives the processor to a thief (tree/supply.h).
inline constexpr std::uint32_t k_patience_for_a_thief = 16;
/// Times that other members get the lock of a queue, the last ones with a yield (queue/locked_queue.h).
inline constexpr std::uint32_t k_lock_spins = 100;
inline constexpr std::uint32_t k_lock_patience = 120;
/// Looks at all queues before a member leaves (queue/worker.h).
inline constexpr std::uint32_t k_queue_passes = 32;
/// Looks at all ranges while one moves between cells, the last ones with the processor given away.
inline constexpr std::uint32_t k_range_spins = 40;
inline constexpr std::uint32_t k_range_patience = 44;

// Members of a call that have nothing to do (parallel/nesting.h)

/// Looks for work with pauses in between, then with the processor given away in between, and then every
/// k_idle_nap nanoseconds: a body may be at work for minutes before it makes a nested call. Not measured.
inline constexpr std::uint32_t k_idle_spins = 2000;
inline constexpr std::uint32_t k_idle_yields = 20'000;
inline constexpr long k_idle_nap = 50'000;
/// Naps grow to this part of all naps before, and up to this: 800 naps in two seconds.
inline constexpr long k_idle_nap_part = 64;
inline constexpr long k_idle_longest_nap = 5'000'000;
/// A call that is over waits for a member of the team that has not come: longer than this, in microseconds,
/// is a loss. Calls use the resident crew then, until so many times the loss has passed (parallel/call.h).
inline constexpr std::uint64_t k_late_team = 20;
inline constexpr std::uint64_t k_late_team_price = 32;
/// Times its own work that a caller waits for the work of other members before these count as late.
inline constexpr std::uint64_t k_late_member = 32;
/// In microseconds: no loss counts for more, so that half a minute after it a team is tried again.
inline constexpr std::uint64_t k_latest_team = 1'000'000;

// Thread pools (types/detail)

/// Passes over all queues before a member sleeps, with pauses. A wake-up costs microseconds, a pass 20 ns.
inline constexpr std::uint32_t k_pool_passes = 1000;
/// Tasks of a bundle, which a member takes from the global queue at a time.
inline constexpr std::uint64_t k_pool_batch = 32;
/// A member to which tasks come from outside one after the other waits for k_pool_few of them, but only for
/// k_pool_gather pauses, about a microsecond: each visit to the global queue costs the producers a cache
/// miss. After k_pool_stream passes without a task the next one is taken at once.
inline constexpr std::uint64_t k_pool_few = 16;
inline constexpr std::uint32_t k_pool_gather = 50;
inline constexpr std::uint32_t k_pool_stream = 100;
/// Looks at the global queue's lock before the processor is given away.
inline constexpr std::uint32_t k_pool_lock_spins = 64;

// The begin of a call (parallel/site.h). In nanoseconds, for core::ticks_in()

/// Work that the caller does alone before it considers a team. A region of two costs half of it to twice
/// as much.
inline constexpr std::uint64_t k_alone_ns = 1'000;
/// Gain that a team has to promise then, by the cost of the elements. Two threads need 6 to 12 us for ten
/// thousand numbers that one copies or merges in 4 to 8 us: their lines go from cache to cache.
inline constexpr std::uint64_t k_pays_ns = 4'000;
/// A call that its caller has executed alone and that took less was short.
inline constexpr std::uint64_t k_most_alone_ns = 4'000;
/// Calls of a code location between two that measure the cost again.
inline constexpr std::uint8_t k_calls_unclocked = 15;
/// Shortest targets of a batch of the standard library's algorithms, whose pieces begin slowly. 1: std::equal
/// of a million numbers takes 1.25 times as long, std::find_if 1.1 to 1.6 times; x0.5: 1.05 and 1.1.
inline constexpr std::uint64_t k_standard_targets = 4;

// Static loops that balance themselves (feedback/). Shares are of the time of the whole loop

/// Pieces of a curve of costs: memory against detail.
inline constexpr std::uint32_t k_fewest_curve_pieces = 48;
/// 1 / part of the mean iteration's cost below which no iteration is believed to be.
inline constexpr std::int64_t k_least_density = 1'000'000;
/// Executions after a first cut, or after a surprise, in which the latest shares count alone.
inline constexpr std::uint32_t k_settling = 4;
/// Weight of a later execution in the curve: at least so many thousandths; it grows while errors repeat, and
/// falls while they alternate.
inline constexpr std::int64_t k_least_gain = 100;
inline constexpr Factor k_gain_up{1.6};
inline constexpr Factor k_gain_down{0.6};
inline constexpr Factor k_repeats{0.3}; // correlation of two errors
/// An error is a surprise if it is this large, in thousandths of a mean part,
/// and so many times the usual one.
inline constexpr std::int64_t k_surprise = 100;
inline constexpr std::int64_t k_surprise_times = 4;
inline constexpr Factor k_error_memory{0.8};
/// Flattening of the inside of a part for an error as large as a mean part.
inline constexpr std::int64_t k_doubt = 3;
/// Parts stop being equal if that promises to save so many thousandths of a mean part, or more while little
/// is known; cuts move again for so many. Pages and caches follow the parts.
inline constexpr std::int64_t k_worth_leaving = 20;
inline constexpr std::int64_t k_worth_leaving_at_first = 80;
inline constexpr std::int64_t k_worth_moving = 10;
/// 1 / part of the loop by which a bound moves at most in a region.
inline constexpr std::uint64_t k_longest_move = 4;
/// Executions after which cuts have to be better than equal parts were; else parts are equal again for so
/// many executions, and then for twice as many each time.
inline constexpr std::uint32_t k_probation = 4;
inline constexpr std::uint32_t k_first_pause = 32;
inline constexpr std::uint32_t k_longest_pause = 4096;
/// Executions in the mean of their times, and how many means one takes that is far longer.
inline constexpr std::int64_t k_balanced_mean = 64;
inline constexpr std::int64_t k_far_longer = 4;
/// Looks at loops that may be too short, ticks of a member and execution; regions before the next look.
inline constexpr std::uint32_t k_looks = 3;
inline constexpr std::uint64_t k_too_short_us = 2;
inline constexpr std::uint32_t k_regions_unwatched = 1024;
/// Regions after which loops whose number of iterations has not come again make room for new ones.
inline constexpr std::uint64_t k_regions_kept = 64;

// The cost of preemption (runtime/abi/preemption.h)

/// Parts of measured loops that are worth asking the system about, and how many after such a one are timed.
inline constexpr std::uint64_t k_preemption_part_us = 1000;
inline constexpr std::uint32_t k_preemption_parts = 16;

// Recordings (runtime/loop/recording.h)

/// Pieces that a recording holds, of a member alone, and at least in a large team: memory against detail.
inline constexpr std::uint32_t k_most_pieces = 16'384;
inline constexpr std::uint32_t k_fewest_pieces = 1'024;
/// Durations of suspicious pieces after which the two clocks are compared again: they do not agree for long.
inline constexpr std::uint64_t k_look_again = 25;
/// A piece has at most so many times the units of the piece before it, and at most a 64th of the loop: behind
/// cheap iterations may be expensive ones, and so many dispatches are 2 us.
inline constexpr std::uint64_t k_piece_growth = 4;
inline constexpr std::uint64_t k_fewest_steps = 64;

// Traces (runtime/loop/track.h)

/// Batches that touch are one event until they take so many recorded pieces, 10 us: cost against detail.
inline constexpr std::uint64_t k_joined_pieces = 5;

// A team's storage (runtime/loop/team_storage.h)

/// Loops that a member may be ahead of the slowest one: memory against waiting in `nowait` loops.
inline constexpr std::uint64_t k_ring = 8;
/// Pairs of nodes of each member and slot: a loop with a few steals allocates nothing.
inline constexpr std::uint32_t k_first_pairs = 8;
/// Pairs of nodes of each task of a taskloop (runtime/loop/task_loop.h), whose memory is made for each loop.
inline constexpr std::uint32_t k_task_pairs = 4;

// Brief taskloops (runtime/loop/task_choice.h)

/// Executions on the tree, and by the runtime's tasks, before the two are compared.
inline constexpr std::uint8_t k_task_looks = 4;
/// Executions between two that try the slower way again. An uneven loop takes up to twice as long then.
inline constexpr std::uint32_t k_task_gap = 128;
/// A taskloop is brief if the tree should take at most so many times Settings::shortest_target. The tree
/// takes 6 % longer than equal tasks for even loops of 35, 2 % for those of 500.
inline constexpr std::uint64_t k_task_brief = 256;
/// Looks at a slot that is in use before the processor is given away in between.
inline constexpr std::uint32_t k_slot_spins = 200;

} // namespace wstree::core::tuning
