// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The private side of the loop that a member is in, whatever its model.
#pragma once

#include "recording.h"
#include "team_storage.h"
#include "track.h"

#include "wstree/core/models.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>

namespace wstree::loop {

/// A part of a loop that a member gets whole.
class WholePiece {
public:
  void set(const core::Range& piece) noexcept { size_ = (left_ = piece).end - piece.begin; }
  bool is_there() const noexcept { return left_.begin != left_.end; }
  [[gnu::always_inline]] bool take(core::Range& out) noexcept {
    if (!is_there()) return false;
    out = left_;
    left_.begin = left_.end;
    return true;
  }
  std::uint64_t size() const noexcept { return size_; } ///< of all of it

private:
  core::Range left_;
  std::uint64_t size_;
};

/// Made anew for each loop of the team: most regions have few loops, and many threads are alone. Private to
/// its member.
template <class P> class AnyWorker {
public:
  AnyWorker() noexcept {} // leaves alone what needs no value yet
  AnyWorker(const AnyWorker&) = delete;
  AnyWorker& operator=(const AnyWorker&) = delete;

  void start(core::Model model, Slot<P>& slot, core::Arena<P>& arena, const core::Entry& entry) noexcept {
    if (model == core::Model::tree) [[likely]]
      start<core::Model::tree>(slot.template loop_of<core::Model::tree>(), arena, entry);
    else
      start_other(model, slot, entry);
    way_ = model;
  }
  /// Gives this member `piece` of the loop, or nothing if that is empty. No member steals in such a loop.
  void start_piece(const core::Range& piece) noexcept {
    way_ = k_piece;
    piece_.set(piece);
  }
  /// Returns whether the member gets its part of the loop whole, and the loop is not recorded.
  bool is_in_pieces() const noexcept { return way_ == k_piece; }
  /// Returns whether next_piece() can answer, which needs no other member.
  bool has_piece() const noexcept { return way_ == k_piece; }
  /// As next_slowly(), if has_piece().
  [[gnu::always_inline]] bool next_piece(core::Range& out) noexcept { return piece_.take(out); }
  /// Records from now on what the iterations of this loop take.
  void record(Recording& recording) noexcept {
    recording_ = &recording;
    recorded_way_ = way_;
    way_ = k_recorded;
  }
  /// Writes to `track` what the member does in this loop, which it entered at `like.begin`; after record().
  /// `shortest`: see TracedBatches.
  void trace(Track& track, const Event& like, std::uint64_t shortest) noexcept {
    traced_ = ::new (static_cast<void*>(traced_bytes_)) TracedBatches(track, like, shortest);
    traced_->stop(like.begin);
    traced_since_ = like.begin;
    traced_way_ = way_;
    ::new (&traced_counts_) core::Counts;
    way_ = way_ == core::Model::tree ? k_traced_tree : k_traced;
  }
  /// Ends the trace of the loop, which is over at `now`; before end_recording().
  void end_trace(std::uint64_t now) noexcept {
    if (!is_traced()) return;
    if (std::exchange(way_, traced_way_) == k_traced_tree) catch_up(worker<core::Model::tree>().counts());
    if (traced_->event().count != 0) traced_->stop(now);
    traced_->flush();
    Event loop = traced_->event();
    loop.kind = Event::Kind::loop;
    loop.first = 0;
    loop.past = traced_->units();
    loop.begin = traced_since_;
    loop.end = now;
    loop.count = 1;
    traced_->track().add(loop);
  }
  /// Returns the recording of this loop, which is over; nullptr: it was not recorded.
  const Recording* end_recording() noexcept {
    if (way_ != k_recorded) return nullptr;
    way_ = recorded_way_;
    return recording_;
  }

  /// Returns the next batch if the tree has it at hand. If not, the caller asks next_slowly(), and when
  /// that returns false, nothing is left for this member.
  [[gnu::always_inline]] bool next_quickly(core::Range& out) noexcept {
    return (static_cast<unsigned>(way_) & k_way_bits) == 0 && worker<core::Model::tree>().next_quickly(out);
  }
  bool next_slowly(core::Range& out) noexcept {
    if (way_ == core::Model::tree) [[likely]]
      return worker<core::Model::tree>().next_slowly(out);
    return next_other(out);
  }

  /// After end_recording().
  core::Counts counts() noexcept {
    if (is_in_pieces() && piece_.is_there()) return {};
    if (way_ == k_piece) return {piece_.size(), piece_.size() != 0};
    return core::with_model(way_, [&]<core::Model known>() { return worker<known>().counts(); });
  }

private:
  // The tree, traced: what it hands out quickly is added up afterwards.
  static constexpr core::Model k_traced_tree{0x80};
  static constexpr unsigned k_way_bits = 0x7F;
  static_assert(static_cast<unsigned>(core::Model::tree) == 0);
  static constexpr core::Model k_traced{0xFD};   // and what the member does is traced, as traced_way_ says
  static constexpr core::Model k_recorded{0xFE}; // the present loop is shared as recorded_way_ says
  static constexpr core::Model k_piece{0xFF};    // the member has one piece of the present loop

  /// The private side of the present loop, whose model is `model`.
  template <core::Model model> auto& worker() noexcept {
    using Worker = core::WorkerOf<P, model>;
    static_assert(sizeof(Worker) <= sizeof(bytes_) && alignof(Worker) <= alignof(std::max_align_t));
    return *std::launder(reinterpret_cast<Worker*>(bytes_));
  }
  template <core::Model model, class Loop, class Memory>
  void start(Loop& loop, Memory& memory, const core::Entry& entry) noexcept {
    ::new (static_cast<void*>(bytes_)) core::WorkerOf<P, model>;
    worker<model>().enter(loop, memory, entry);
  }
  [[gnu::noinline]] void start_other(core::Model model, Slot<P>& slot, const core::Entry& entry) noexcept {
    core::NoMemory none;
    core::with_model(model, [&]<core::Model known>() {
      if constexpr (known != core::Model::tree) start<known>(slot.template loop_of<known>(), none, entry);
    });
  }
  [[gnu::noinline]] bool next_other(core::Range& out) noexcept {
    if (is_traced()) return next_traced(out);
    if (way_ < k_traced)
      return core::with_model(way_, [&]<core::Model known>() { return worker<known>().next(out); });
    if (way_ == k_recorded) return next_recorded(out);
    return next_piece(out);
  }
  bool is_traced() const noexcept { return way_ == k_traced || way_ == k_traced_tree; }
  /// Of a loop that is traced; way_ is traced_way_.
  core::Counts counts_of_traced() noexcept {
    const core::Model way = way_ == k_recorded ? recorded_way_ : way_;
    if (way == k_piece) return {};
    return core::with_model(way, [&]<core::Model known>() { return worker<known>().counts(); });
  }
  /// Adds the batches of the member's node to the trace that the tree has handed out quickly since the
  /// last call.
  void catch_up(const core::Counts& counts) noexcept {
    if (counts.batches != traced_counts_.batches)
      traced_->go_on(counts.iterations - traced_counts_.iterations, counts.batches - traced_counts_.batches);
  }
  [[gnu::noinline]] bool next_traced(core::Range& out) noexcept {
    const core::Model traced = std::exchange(way_, traced_way_);
    const bool any = traced == k_traced_tree ? trace_tree(out) : trace_other(out);
    way_ = traced;
    return any;
  }
  /// Traces next_slowly() of the tree, which reads the clock itself; batches between two such looks touch.
  bool trace_tree(core::Range& out) noexcept {
    auto& tree = worker<core::Model::tree>();
    catch_up(tree.counts());
    const std::uint64_t steals = tree.counts().steals;
    const bool at_end = tree.is_at_end();
    const std::uint64_t clock = at_end ? P::ticks() : tree.clock();
    const bool any = tree.next_slowly(out);
    traced_counts_ = tree.counts();
    const bool searched = !any || traced_counts_.steals != steals;
    if (!searched && !at_end && tree.clock() == clock) {
      traced_->go_on(out.end - out.begin, 1);
      return true;
    }
    const std::uint64_t now = searched ? P::ticks() : at_end ? clock : tree.clock();
    traced_->stop(at_end ? clock : now);
    if (searched) traced_->searched(any ? &out : nullptr, now);
    if (any) traced_->start(out, now);
    return any;
  }
  bool trace_other(core::Range& out) noexcept {
    const std::uint64_t steals = counts_of_traced().steals;
    const std::uint64_t now = P::ticks();
    traced_->stop(now);
    const bool any = next_slowly(out);
    if (any && counts_of_traced().steals == steals) {
      traced_->start(out, now);
      return true;
    }
    const std::uint64_t later = P::ticks();
    traced_->searched(any ? &out : nullptr, later);
    if (any) traced_->start(out, later);
    return any;
  }
  [[gnu::noinline]] bool next_recorded(core::Range& out) noexcept {
    std::uint64_t now = P::ticks();
    recording_->finish(now);
    if (!recording_->has_more()) {
      core::Range batch;
      way_ = recorded_way_;
      const bool any = next_quickly(batch) || next_slowly(batch);
      way_ = k_recorded;
      if (!any) return false;
      recording_->take(batch);
      now = P::ticks();
    }
    recording_->cut(out, now);
    return true;
  }

#define WSTREE_BYTES(model, ...) sizeof(core::WorkerOf<P, core::Model::model>),
  static constexpr std::size_t k_bytes = std::max({WSTREE_KINDS(WSTREE_BYTES)});
#undef WSTREE_BYTES

  core::Model way_ = k_piece; // how the present loop is shared
  // The next two belong to a loop that is recorded, and are not read in any other loop.
  core::Model recorded_way_;
  Recording* recording_;
  // The next five belong to a loop that is traced, and are not read in any other loop.
  core::Model traced_way_;
  union {                        // so that it needs no value
    core::Counts traced_counts_; // when its events were up to date
  };
  std::uint64_t traced_since_;
  TracedBatches* traced_;
  alignas(TracedBatches) std::byte traced_bytes_[sizeof(TracedBatches)];
  WholePiece piece_;
  alignas(std::max_align_t) std::byte bytes_[k_bytes];
};

} // namespace wstree::loop
