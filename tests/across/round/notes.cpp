// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "notes.h"

#include <algorithm>

namespace wstree::round {
namespace {

std::string text(const Piece& piece) {
  return "[" + std::to_string(piece.begin) + ", " + std::to_string(piece.end) + ")" +
         (piece.last ? " last" : "");
}

std::string where(const Region& region, std::uint32_t loop) {
  return "loop " + std::to_string(loop + 1) + " of " + std::to_string(region.loops.size()) + ", " +
         std::to_string(region.loops[loop].iterations) + " iterations, team of " +
         std::to_string(region.members) + ": ";
}

} // namespace

void Checks::prepare(const Region& region) {
  seen_.assign(region.loops.size(), {});
  std::size_t all = 0;
  for (std::size_t l = 0; l < region.loops.size(); ++l) {
    seen_[l].first = all;
    all += region.loops[l].iterations;
  }
  hits_.assign(all, 0);
}

std::string Checks::find_fault(const Sequence& sequence, const Region& region,
                               const std::vector<Notes>& notes) {
  prepare(region);
  std::uint32_t end = Notes::k_never;
  for (std::uint32_t m = 0; m < region.members; ++m) end = std::min(end, notes[m].ended);
  for (std::uint32_t m = 0; m < region.members; ++m)
    if (notes[m].came > end && notes[m].ended != end)
      return where(region, end) + "the ring has ended, but member " + std::to_string(m) + " has started it";
  for (std::uint32_t m = 0; m < region.members; ++m)
    if (std::string wrong = collect(region, notes[m], m); !wrong.empty()) return wrong;
  for (std::uint32_t l = 0; l < std::min<std::size_t>(region.loops.size(), end); ++l)
    if (std::string wrong = judge(sequence, region, l); !wrong.empty()) return where(region, l) + wrong;
  return {};
}

std::string Checks::collect(const Region& region, const Notes& notes, std::uint32_t member) {
  const std::string who = "member " + std::to_string(member);
  if (!notes.violation.empty()) return who + " " + notes.violation;
  for (std::uint32_t l = 0; l < notes.came; ++l) ++seen_[l].came;
  for (const std::uint32_t l : notes.stopped) ++seen_[l].stopped;
  for (const std::uint32_t l : notes.drained) ++seen_[l].drained;
  for (const Report& report : notes.reports) {
    ++seen_[report.loop].reports;
    seen_[report.loop].report = report;
  }
  const Piece* before = nullptr;
  for (const Piece& piece : notes.pieces) {
    const std::uint32_t n = region.loops[piece.loop].iterations;
    const std::string context = where(region, piece.loop) + who + " was handed ";
    if (piece.begin >= piece.end || piece.end > n) return context + text(piece);
    if (piece.last != (piece.end == n)) return context + text(piece) + ", which is wrong about the last one";
    if (before != nullptr && before->last && before->loop == piece.loop)
      return context + text(piece) + " after the last iteration";
    before = &piece;
    Seen& seen = seen_[piece.loop];
    for (std::uint64_t i = piece.begin; i < piece.end; ++i)
      if (++hits_[seen.first + i] != 1)
        return context + text(piece) + ", but iteration " + std::to_string(i) + " was done";
    seen.handed_out += piece.end - piece.begin;
    ++seen.pieces;
    seen.lasts += piece.last ? 1 : 0;
  }
  return {};
}

std::string Checks::judge(const Sequence& sequence, const Region& region, std::uint32_t loop) const {
  const Loop& l = region.loops[loop];
  const Seen& seen = seen_[loop];
  // A member that stops, or never comes, may take iterations with it: how many depends on the model.
  const bool all_there = seen.came == region.members && seen.stopped == 0;
  bool complete = all_there;
  if (!all_there && region.members > 1) {
    if (l.model == Model::tree)
      complete = seen.drained != 0;
    else if (l.model < Model::fixed)
      complete = seen.stopped == 0;
    else
      complete = l.model != Model::static_;
  }
  const auto first = hits_.begin() + static_cast<std::ptrdiff_t>(seen.first);
  const auto missing = std::find(first, first + l.iterations, std::uint8_t{0});
  const auto at = static_cast<std::uint64_t>(missing - first);
  if (complete && at != l.iterations)
    return "no member did iteration " + std::to_string(at) + "; " +
           std::to_string(l.iterations - seen.handed_out) + " were not done";
  // A member that never comes may keep a loop from being reported, but not the others from being right.
  const bool measured = l.iterations != 0 && sequence.settings[l.settings].clocked;
  const bool all_came = seen.came == region.members;
  if (seen.reports > (measured ? 1U : 0U) || (measured && all_came && seen.reports == 0))
    return "reported " + std::to_string(seen.reports) + " times";
  if (seen.reports != 0 && (seen.report.members != region.members ||
                            seen.report.iterations != seen.handed_out || seen.report.batches != seen.pieces))
    return "reported as " + std::to_string(seen.report.iterations) + " iterations in " +
           std::to_string(seen.report.batches) + " batches of " + std::to_string(seen.report.members) +
           " members";
  return {};
}

} // namespace wstree::round
