// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The private side of the loop that a member is in, for any model.
#pragma once

#include "recording.h"
#include "team_storage.h"
#include "track.h"

#include "wstree/core/models.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <new>

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
  std::uint64_t size() const noexcept { return size_; } ///< size of the whole piece

private:
  core::Range left_;
  std::uint64_t size_;
};

/// Made anew for each loop of the team: most regions have few loops, and many threads are alone. Private to
/// its member.
///
/// The tree shares out a loop, or another model does, or each member has one piece of it. If the loop is
/// watched, a watcher stands in front of that: a trace, a recording, or a trace of the pieces that the
/// recording hands out.
template <class P> class AnyWorker {
public:
  AnyWorker() noexcept {} // leaves members without a value that need none yet
  AnyWorker(const AnyWorker&) = delete;
  AnyWorker& operator=(const AnyWorker&) = delete;

  void start(core::Model model, Slot<P>& slot, core::Arena<P>& arena, const core::Entry& entry) noexcept {
    if (model == core::Model::tree) [[likely]] {
      start<core::Model::tree>(slot.template loop_of<core::Model::tree>(), arena, entry);
      asks_ = Asks::tree;
    } else {
      start_other(model, slot, entry);
      model_ = model;
      asks_ = Asks::model;
    }
  }
  /// Gives this member `piece` of the loop, or nothing if that is empty. No member steals in such a loop.
  void start_piece(const core::Range& piece) noexcept {
    asks_ = Asks::piece;
    piece_.set(piece);
  }
  /// Returns whether the member has its part of the loop whole, and the loop is not watched, or not any more.
  bool has_piece() const noexcept { return asks_ == Asks::piece; }
  /// Does next_slowly(), if has_piece(), which needs no other member.
  [[gnu::always_inline]] bool next_piece(core::Range& out) noexcept { return piece_.take(out); }
  /// Records from now on the times of this loop's iterations.
  void record(Recording& recording) noexcept {
    watch();
    recording_ = &recording;
    asks_ = Asks::watched;
  }
  /// Writes to `track` the member's events in this loop, which it entered at `like.begin`; after record().
  /// `shortest`: see TracedBatches.
  void trace(Track& track, const Event& like, std::uint64_t shortest) noexcept {
    watch();
    traced_ = ::new (static_cast<void*>(traced_bytes_)) TracedBatches(track, like, shortest);
    traced_->stop(like.begin);
    traced_since_ = like.begin;
    ::new (&traced_counts_) core::Counts;
    asks_ = asks_ == Asks::tree ? Asks::traced_tree : Asks::watched;
  }
  /// Ends trace and recording of the loop, which is over at `now` and in which the member had no processor
  /// for `preempted` ticks. Returns the recording; nullptr: there is none.
  const Recording* stop_watching(std::uint64_t now, std::uint64_t preempted) noexcept {
    if (!is_watched()) return nullptr;
    if (traced_ != nullptr) end_trace(now, preempted);
    asks_ = unwatched_;
    return recording_;
  }

  /// Returns the next batch if the tree has it at hand. If not, the caller calls next_slowly(), and when that
  /// returns false, nothing is left for this member.
  [[gnu::always_inline]] bool next_quickly(core::Range& out) noexcept {
    return asks_ <= Asks::traced_tree && worker<core::Model::tree>().next_quickly(out);
  }
  bool next_slowly(core::Range& out) noexcept {
    if (asks_ == Asks::tree) [[likely]]
      return worker<core::Model::tree>().next_slowly(out);
    return next_other(out);
  }

  /// After stop_watching().
  core::Counts counts() noexcept {
    if (asks_ != Asks::piece) return counts_of_model();
    if (piece_.is_there()) return {};
    return {piece_.size(), piece_.size() != 0};
  }

private:
  /// The source of the next batch.
  enum class Asks : std::uint8_t {
    tree,
    traced_tree, // tree, whose quick batches are added to the trace afterwards
    model,       // model_
    piece,
    watched // trace and recording, which call unwatched_
  };

  /// Returns the private side of the present loop, whose model is `model`.
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
    if (!is_watched()) return next_unwatched(out);
    if (traced_ == nullptr) return next_recorded(out);
    return asks_ == Asks::traced_tree ? trace_tree(out) : trace_other(out);
  }
  bool next_unwatched(core::Range& out) noexcept {
    if (shared_by() == Asks::piece) return next_piece(out);
    return core::with_model(model_in_use(), [&]<core::Model known>() { return worker<known>().next(out); });
  }
  bool is_watched() const noexcept { return asks_ == Asks::traced_tree || asks_ == Asks::watched; }
  Asks shared_by() const noexcept { return is_watched() ? unwatched_ : asks_; }
  /// Returns the model; not of a loop in pieces.
  core::Model model_in_use() const noexcept { return shared_by() == Asks::tree ? core::Model::tree : model_; }
  core::Counts counts_of_model() noexcept {
    return core::with_model(model_in_use(), [&]<core::Model known>() { return worker<known>().counts(); });
  }
  /// Before record() or trace(), unless the loop is watched already.
  void watch() noexcept {
    if (is_watched()) return;
    unwatched_ = asks_;
    recording_ = nullptr;
    traced_ = nullptr;
  }
  void end_trace(std::uint64_t now, std::uint64_t preempted) noexcept {
    if (asks_ == Asks::traced_tree) catch_up(worker<core::Model::tree>().counts());
    if (traced_->event().count != 0) traced_->stop(now);
    traced_->flush();
    Event loop = traced_->event();
    loop.kind = Event::Kind::loop;
    loop.first = preempted;
    loop.past = traced_->units();
    loop.begin = traced_since_;
    loop.end = now;
    loop.count = 1;
    traced_->track().add(loop);
  }
  /// Adds the batches of the member's node to the trace that the tree has handed out quickly since the
  /// last call.
  void catch_up(const core::Counts& counts) noexcept {
    if (counts.batches != traced_counts_.batches)
      traced_->go_on(counts.iterations - traced_counts_.iterations, counts.batches - traced_counts_.batches);
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
    const bool steals = unwatched_ != Asks::piece;
    const std::uint64_t before = steals ? counts_of_model().steals : 0;
    const std::uint64_t now = P::ticks();
    traced_->stop(now);
    const bool any = recording_ != nullptr ? next_recorded(out) : next_unwatched(out);
    if (any && (!steals || counts_of_model().steals == before)) {
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
      if (!next_unwatched(batch)) return false;
      recording_->take(batch);
      now = P::ticks();
    }
    recording_->cut(out, now);
    return true;
  }

#define WSTREE_BYTES(model, ...) sizeof(core::WorkerOf<P, core::Model::model>),
  static constexpr std::size_t k_bytes = std::max({WSTREE_KINDS(WSTREE_BYTES)});
#undef WSTREE_BYTES

  Asks asks_ = Asks::piece;
  core::Model model_; // only for Asks::model
  // Only for a loop that is watched:
  Asks unwatched_;               // the source of the batches
  Recording* recording_;         // nullptr: it is not recorded
  TracedBatches* traced_;        // nullptr: it is not traced
  std::uint64_t traced_since_;   // only for a loop that is traced, as the next two
  union {                        // so that it needs no value
    core::Counts traced_counts_; // when its events were up to date
  };
  alignas(TracedBatches) std::byte traced_bytes_[sizeof(TracedBatches)];
  WholePiece piece_;
  alignas(std::max_align_t) std::byte bytes_[k_bytes];
};

} // namespace wstree::loop
