// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracle.h"

#include <algorithm>

namespace stress {
namespace {

/// Whether the loop goes to OneEach (core/tree/one_each.h), where a member that leaves early leaves its own.
bool is_one_each(const LoopPlan& l, std::uint32_t members) {
  return l.iterations <= members && l.chunk <= 1 && l.settings.history &&
         l.settings.batch == wstree::core::BatchMode::timed &&
         l.settings.strategy == wstree::core::Strategy::find_max && l.settings.roots == 0;
}

/// Whether the members that are left have to do all iterations. In a loop that not all members stay in,
/// that is so of the tree if one of them was told that there is no more, and had not started the last
/// iteration early, which ends its part. What ranges and queues move when their member goes may go with it,
/// and the fixed share of a member that is not there is left to no other member.
bool must_be_complete(const RegionPlan& plan, const std::vector<Notes>& notes, std::uint32_t loop) {
  const LoopPlan& l = plan.loops[loop];
  const bool all_there = plan.leavers(loop) == 0;
  if (!l.cancelled && all_there) return true;
  if (l.model == Model::static_) return false;
  if (l.model >= Model::fixed) return true;
  if (l.model != Model::tree) return !l.cancelled;
  if (is_one_each(l, plan.members)) return false;
  if (plan.poor()) return false; // nodes that no member could split
  for (std::uint32_t m = 0; m < plan.members; ++m)
    if (loop < notes[m].entered.size() && notes[m].entered[loop] == Entered::drained) return true;
  return false;
}

std::string text(const Piece& piece) {
  return "[" + std::to_string(piece.begin) + ", " + std::to_string(piece.end) + ")" +
         (piece.last ? " last" : "");
}

} // namespace

void Totals::add(const Totals& other) {
  regions += other.regions;
  loops += other.loops;
  refused += other.refused;
  iterations += other.iterations;
  pieces += other.pieces;
  steals += other.steals;
}

std::optional<std::string> Oracle::check(const RegionPlan& plan, const std::vector<Notes>& notes,
                                         Totals& totals) {
  for (std::uint32_t m = 0; m < plan.members; ++m)
    if (!notes[m].violation.empty())
      return story(plan, notes, notes[m].violation_loop,
                   "member " + std::to_string(m) + " was handed " + notes[m].violation);
  next_.assign(plan.members, 0);
  reports_.assign(plan.loops.size(), {});
  for (std::uint32_t m = 0; m < plan.members; ++m)
    for (const Report& report : notes[m].reports) reports_[report.loop].push_back(report);
  ++totals.regions;
  for (std::uint32_t loop = 0; loop < plan.loops.size(); ++loop) {
    const LoopPlan& l = plan.loops[loop];
    collect(plan, notes, loop);
    std::string wrong = check_served(plan, notes, loop);
    const bool served = notes[plan.keeper].entered[loop] != Entered::refused;
    if (wrong.empty() && served && l.iterations != 0)
      wrong = check_pieces(l, must_be_complete(plan, notes, loop));
    if (wrong.empty() && served) wrong = check_reports(plan, loop, totals);
    if (!wrong.empty()) return story(plan, notes, loop, wrong);
    ++totals.loops;
    totals.refused += !served;
    totals.iterations += served && !l.huge() ? l.iterations : 0;
    totals.pieces += seen_.size();
  }
  return std::nullopt;
}

/// Takes the pieces of one loop out of all notes, in ascending order.
void Oracle::collect(const RegionPlan& plan, const std::vector<Notes>& notes, std::uint32_t loop) {
  seen_.clear();
  for (std::uint32_t m = 0; m < plan.members; ++m) {
    const auto& pieces = notes[m].pieces;
    for (std::size_t& at = next_[m]; at < pieces.size() && pieces[at].loop == loop; ++at)
      seen_.push_back(pieces[at]);
  }
  std::sort(seen_.begin(), seen_.end(), [](const Piece& a, const Piece& b) { return a.begin < b.begin; });
}

std::string Oracle::check_served(const RegionPlan& plan, const std::vector<Notes>& notes,
                                 std::uint32_t loop) const {
  const bool served = notes[plan.keeper].entered[loop] != Entered::refused;
  for (std::uint32_t m = 0; m < plan.members; ++m) {
    const bool came = loop < plan.leaves_before[m];
    if (came != (loop < notes[m].entered.size())) return "a member that came to another number of loops";
    if (came && (notes[m].entered[loop] != Entered::refused) != served)
      return "members that do not agree whether it is served";
  }
  if (!served && !plan.poor()) return "refused, although there was memory";
  return {};
}

std::string Oracle::check_pieces(const LoopPlan& loop, bool complete) {
  std::uint64_t done = 0;
  for (const Piece& piece : seen_) {
    if (piece.begin >= piece.end || piece.end > loop.iterations)
      return "a piece that is none: " + text(piece);
    if (piece.begin < done) return "done twice, from " + std::to_string(piece.begin) + " on";
    if (complete && piece.begin > done) return "never done, from " + std::to_string(done) + " on";
    if (piece.last != (piece.end == loop.iterations)) return "wrong about the last one: " + text(piece);
    done = piece.end;
  }
  if (complete && done != loop.iterations) return "never done, from " + std::to_string(done) + " on";
  return {};
}

std::string Oracle::check_reports(const RegionPlan& plan, std::uint32_t loop, Totals& totals) const {
  const LoopPlan& l = plan.loops[loop];
  std::uint64_t handed_out = 0;
  for (const Piece& piece : seen_) handed_out += piece.end - piece.begin;
  const bool is_measured = l.iterations != 0 && l.settings.clocked;
  const std::size_t count = reports_[loop].size();
  const bool is_certain = is_measured && plan.leavers(loop) == 0;
  if (count > (is_measured ? 1U : 0U) || (is_certain && count == 0))
    return "reported " + std::to_string(count) + " times";
  for (const Report& report : reports_[loop]) {
    totals.steals += report.steals;
    if (report.members != plan.members) return "reported for " + std::to_string(report.members) + " members";
    if (report.iterations != handed_out || report.batches != seen_.size())
      return "reported " + std::to_string(report.iterations) + " iterations in " +
             std::to_string(report.batches) + " batches";
  }
  return {};
}

std::string Oracle::story(const RegionPlan& plan, const std::vector<Notes>& notes, std::uint32_t loop,
                          const std::string& what) {
  std::string story = "loop " + std::to_string(loop) + " of " + std::to_string(plan.loops.size()) +
                      " in a region of " + std::to_string(plan.members) + " members: " + what + "\n  " +
                      plan.loops[loop].text() + (plan.region != 0 ? ", remembered" : "") +
                      (plan.near ? ", near" : "") + (plan.poor() ? ", poor" : "") + "; " +
                      std::to_string(plan.leavers(loop)) + " members left earlier";
  for (std::uint32_t m = 0; m < plan.members; ++m) {
    story += "\n  member " + std::to_string(m) + ":";
    for (const Piece& piece : notes[m].pieces)
      if (piece.loop == loop) story += " " + text(piece);
  }
  return story + "\n";
}

} // namespace stress
