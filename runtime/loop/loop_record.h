// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a team remembers of one of its loops: what it has cost, and the plan for its next executions.
#pragma once

#include "wstree/core/settings.h"
#include "wstree/core/shape.h"
#include "wstree/core/tree/plan.h"
#include "wstree/core/tree/planner.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>

namespace wstree::loop {

/// Which loop it is: code location, team and number of iterations.
struct LoopKey {
  const void* caller = nullptr;
  std::uint64_t iterations = 0;
  std::uint32_t members = 0;
  bool operator==(const LoopKey&) const = default;
};

/// Written by one member of the team, the planner, which is the one that opens and closes its regions; read
/// by all. Others learn of a plan either across the fork of a region or, inside of one, because it is in
/// force only from a loop on that nobody can enter before it has seen what the planner did in loops that
/// everybody has left (T1, T2). So all members of one execution have the same plan, and nobody waits for it.
///
/// The plan for the next executions comes from the median, bin by bin, of what the last three cost: one that
/// was disturbed does not count, and what has changed counts from its second time on. Whether a plan is worth
/// following is not believed but seen: each execution tells how well the cut that the ones before would have
/// made fits it, and how well equal shares do.
template <class P> class LoopRecord {
public:
  using Bins = core::CostBins<P>;

  /// nullptr: no memory.
  static LoopRecord* create(const LoopKey& key, const core::Settings& settings) noexcept {
    const core::Shape shape(key.iterations, key.members);
    if (shape.units() == 0) return nullptr;
    const Layout layout(key.members, capacity(key.members, shape.units()));
    void* memory = P::allocate(layout.bytes);
    return memory == nullptr ? nullptr : ::new (memory) LoopRecord(key, shape, settings, layout);
  }
  static void destroy(LoopRecord* record) noexcept {
    if (record == nullptr) return;
    const std::size_t bytes = record->bytes_;
    std::destroy_at(record);
    P::release(record, bytes);
  }
  LoopRecord(const LoopRecord&) = delete;
  LoopRecord& operator=(const LoopRecord&) = delete;

  const LoopKey& key() const noexcept { return key_; }

  /// Any member, for its part in execution `loop`, after it has made sure that the loop's slot is free.
  core::Learned<P> learned(std::uint64_t loop) noexcept {
    // [H1] acquire: whoever reads that a plan is in force reads the plan; pairs with the release in
    // publish().
    //      Guard: model_team plans_* (relaxed: a member goes by an unfinished plan); team_history under a
    //      thread sanitizer.
    const std::uint64_t word = word_.load(P::order(core::Tag::publish_plan, std::memory_order_acquire));
    const std::uint64_t which = loop >= word >> 1 ? word & 1 : ~word & 1;
    const core::Plan* plan = &plans_[which];
    return {plan->busy != 0 ? plan : nullptr, measures_ ? &bins_ : nullptr};
  }

  // What follows is for the planner.

  /// Before it enters execution `loop`; all members have left the loops before `left`, and none can be beyond
  /// `farthest`.
  void enter(std::uint64_t loop, std::uint64_t left, std::uint64_t farthest) noexcept {
    if (left > latest_ && left >= in_force_) {
      const bool measures = measures_;
      elapsed_ = 0; // it is not known when the others were done
      look(farthest + 1);
      measures_ = measures; // the others may be in a loop
    }
    enter(loop);
  }
  void enter(std::uint64_t loop) noexcept {
    latest_ = loop;
    is_open_ = true;
    ++executions_;
    if (measures_) ++measured_;
    entered_ = P::ticks();
  }
  /// Whether it is worth to ask the others where they are, for the first enter().
  bool wants_look() const noexcept { return measured_ != 0 && measured_ >= wait_; }

  /// After a region; nobody is in a loop, and the next one has the number `next` or a higher one.
  void close(std::uint64_t next) noexcept {
    is_open_ = false;
    elapsed_ = P::ticks() - entered_;
    watch();
    if (executions_ < wait_) {
      measures_ = executions_ + 1 >= wait_;
      return;
    }
    if (measured_ == 0) { // a part of the region was not measured
      measures_ = true;
      return;
    }
    look(next);
  }

  bool is_open() const noexcept { return is_open_; }
  LoopRecord* next_open = nullptr; ///< of the present region; for whoever keeps the records

private:
  static constexpr std::uint32_t k_kept = 3;
  static constexpr std::uint32_t k_bins_of_member = 64;
  static constexpr std::uint32_t k_most_bins = 4'096;
  static constexpr double k_even = 1.02;            // nobody gains from cutting anew what is as even as this
  static constexpr double k_better = 0.01;          // by which a cut has to beat equal shares
  static constexpr double k_right = 1.1;            // a cut that foresaw an execution
  static constexpr std::uint32_t k_sure = 3;        // executions that were foreseen
  static constexpr std::uint64_t k_many_units = 32; // in a part
  static constexpr std::uint64_t k_short = 4;       // shortest batches: a share that is handed out at once
  static constexpr double k_much_better = 0.25;     // this part of the imbalance of equal shares is right too
  static constexpr std::uint32_t k_most_needed = 16;
  static constexpr std::uint32_t k_forgives = 4;
  static constexpr std::uint32_t k_tries = 3;
  static constexpr float k_slower = 1.01F;
  static constexpr std::uint64_t k_longer = 8;   // an execution that takes such a part longer is looked at
  static constexpr std::uint32_t k_restless = 4; // needed by a loop that has changed again and again
  static constexpr std::uint64_t k_most_patience = 64;
  static constexpr float k_change = 1.5F;
  static constexpr float k_weight = 0.25F; // of the latest execution in how well something has done
  static constexpr std::uint64_t k_part_of_work = 400; // that looking may take
  static constexpr std::uint64_t k_ticks_of_bin = 8;   // that looking takes
  static constexpr std::uint64_t k_longest_wait = 256; // executions

  static std::uint32_t capacity(std::uint32_t members, std::uint64_t units) noexcept {
    const std::uint64_t wanted = std::clamp<std::uint64_t>(std::uint64_t{k_bins_of_member} * members,
                                                           2 * k_bins_of_member, k_most_bins);
    return static_cast<std::uint32_t>(std::min(wanted, units));
  }

  /// Behind the object: bins | samples, the oldest first | median | begins of two plans, of the candidate and
  /// of equal shares | costs of the plans.
  struct Layout {
    std::size_t bins, samples, begins, costs, bytes;
    std::uint32_t most_bins;
    Layout(std::uint32_t members, std::uint32_t most) noexcept : most_bins(most) {
      constexpr std::size_t k_lines = core::k_line_pair;
      bins = round_up(sizeof(LoopRecord), k_lines);
      samples = round_up(bins + most * sizeof(typename Bins::Bin), k_lines);
      begins = round_up(samples + (k_kept + 1) * most * sizeof(float), k_lines);
      costs = begins + 4 * (members + std::size_t{1}) * sizeof(std::uint64_t);
      bytes = round_up(costs + 2 * std::size_t{most} * sizeof(float), k_lines);
    }
    static std::size_t round_up(std::size_t size, std::size_t to) noexcept {
      return (size + to - 1) / to * to;
    }
  };

  LoopRecord(const LoopKey& key, const core::Shape& shape, const core::Settings& settings,
             const Layout& layout) noexcept
      : key_(key), shape_(shape), shortest_(settings.shortest_target), grain_(settings.steal_cost),
        bytes_(layout.bytes), bins_(at<typename Bins::Bin>(layout.bins), layout.most_bins, shape.units()) {
    for (std::uint32_t k = 0; k <= k_kept; ++k)
      samples_[k] = at<float>(layout.samples) + std::size_t{k} * layout.most_bins;
    for (std::uint32_t k = 0; k < 4; ++k)
      begins_[k] = at<std::uint64_t>(layout.begins) + std::size_t{k} * (key.members + 1);
    for (std::uint32_t k = 0; k < 2; ++k)
      costs_[k] = at<float>(layout.costs) + std::size_t{k} * layout.most_bins;
  }

  template <class T> T* at(std::size_t offset) noexcept {
    return reinterpret_cast<T*>(reinterpret_cast<std::byte*>(this) + offset);
  }

  /// Makes of what was measured the plan for loops from `from` on.
  void look(std::uint64_t from) noexcept {
    take_sample();
    const core::CostCurve fresh = curve(samples_[newest_], lasts_[newest_]);
    judge(fresh);
    if (seen_ > 1 && is_another_loop()) {
      start_again();
      learn_equal(curve(samples_[newest_], lasts_[newest_]));
    } else {
      compare(fresh.all());
      if (was_alarmed_) patience_ = std::min(2 * patience_, k_most_patience);
    }
    was_alarmed_ = false;
    const core::CostCurve usual = curve(samples_[k_kept], find_median());
    choose(usual, from);
    const auto share = static_cast<std::uint64_t>(usual.all() / key_.members);
    const std::uint64_t price = std::uint64_t{bins_.count()} * k_ticks_of_bin * k_part_of_work;
    const bool is_new = seen_ < k_kept + 1 && needed_ < k_restless;
    wait_ = is_new || (way_ == Way::cut && tries_[1] < k_tries)
                ? 1
                : std::clamp<std::uint64_t>(price / (share + 1), 1, k_longest_wait);
    executions_ = measured_ = 0;
    measures_ = wait_ == 1;
  }

  void take_sample() noexcept {
    newest_ = static_cast<std::uint32_t>(seen_ % k_kept);
    const float each = 1 / static_cast<float>(measured_);
    for (std::uint32_t b = 0; b < bins_.count(); ++b) samples_[newest_][b] = bins_.take(b) * each;
    lasts_[newest_] = bins_.take_last();
    ++seen_;
  }

  /// Costs have changed in so many places that nobody's being disturbed explains it.
  bool is_another_loop() const noexcept {
    const float* const fresh = samples_[newest_];
    const float* const usual = samples_[k_kept];
    std::uint32_t changed = 0;
    for (std::uint32_t b = 0; b < bins_.count(); ++b)
      changed += fresh[b] > k_change * usual[b] || usual[b] > k_change * fresh[b] ? 1 : 0;
    return changed * 4 > bins_.count();
  }
  void start_again() noexcept {
    if (newest_ != 0) {
      std::copy_n(samples_[newest_], bins_.count(), samples_[0]);
      lasts_[0] = lasts_[newest_];
    }
    newest_ = 0;
    seen_ = 1;
    score_cut_ = score_equal_ = 0;
    pace_[0] = pace_[1] = 0;
    tries_[0] = tries_[1] = 0;
    patience_ = 1;
    usual_time_ = 0;
    way_ = Way::none;
  }

  core::CostCurve curve(const float* bins, float last) const noexcept {
    return {bins, bins_.count(), bins_.shift(), shape_.units(), last};
  }

  /// Of three; the mean of two. Returns that of iteration n-1.
  float find_median() noexcept {
    const auto middle = [this](float a, float b, float c) {
      if (seen_ == 1) return a;
      if (seen_ == 2) return (a + b) / 2;
      return std::max(std::min(a, b), std::min(std::max(a, b), c));
    };
    for (std::uint32_t b = 0; b < bins_.count(); ++b)
      samples_[k_kept][b] = middle(samples_[0][b], samples_[1][b], samples_[2][b]);
    return middle(lasts_[0], lasts_[1], lasts_[2]);
  }

  /// An execution that takes longer than is usual is looked at soon, and if it was nothing, the next one that
  /// does so later.
  void watch() noexcept {
    ++quiet_;
    if (usual_time_ != 0 && elapsed_ > usual_time_ + usual_time_ / k_longer + shortest_ / 2) {
      if (wait_ <= 1 || quiet_ < patience_) return;
      wait_ = quiet_ = 0;
      was_alarmed_ = true;
      return;
    }
    usual_time_ = usual_time_ == 0 ? elapsed_ : std::min(usual_time_ + usual_time_ / 64, elapsed_);
  }

  /// What was really won: the time that executions of so much work have taken, with and without a cut.
  void compare(double work) noexcept {
    if (elapsed_ == 0 || (way_ != Way::none && way_ != Way::cut)) return;
    const std::uint32_t which = way_ == Way::cut ? 1 : 0;
    const float pace = static_cast<float>(static_cast<double>(elapsed_) / std::max(work, 1.0));
    // The least: one that was disturbed says nothing.
    pace_[which] = tries_[which] == 0 ? pace : std::min(pace_[which], pace);
    ++tries_[which];
  }
  bool cut_is_slower() const noexcept {
    return tries_[0] != 0 && tries_[1] >= k_tries && pace_[1] > k_slower * pace_[0];
  }

  /// How well the candidate, which knew nothing of the latest execution, and equal shares would have fitted
  /// it. Whoever was wrong has to be right more often before it is believed again.
  void judge(const core::CostCurve& fresh) noexcept {
    const double equal = learn_equal(fresh);
    if (!has_candidate_) return;
    const double seen = fresh.imbalance(key_.members, begins_[k_candidate]);
    learn(score_cut_, seen);
    if (seen < k_right || seen - 1 < k_much_better * (equal - 1)) {
      ++right_;
      if (right_ >= k_forgives * needed_ && needed_ > 1) needed_ /= 2;
    } else {
      right_ = 0;
      needed_ = std::min(2 * needed_, k_most_needed);
    }
  }
  double learn_equal(const core::CostCurve& fresh) noexcept {
    lay_out_equally(begins_[k_equal]);
    const double seen = fresh.imbalance(key_.members, begins_[k_equal]);
    learn(score_equal_, seen);
    return seen;
  }
  void learn(float& score, double seen) const noexcept {
    const auto value = static_cast<float>(seen);
    score = score == 0 ? value : score + k_weight * (value - score);
  }
  void lay_out_equally(std::uint64_t* begins) const noexcept {
    for (std::uint32_t m = 0; m <= key_.members; ++m) begins[m] = shape_.root_begin(m);
  }

  void choose(const core::CostCurve& usual, std::uint64_t from) noexcept {
    const bool equal_will_do =
        score_equal_ < k_even || (score_cut_ > 0 && score_cut_ + k_better >= score_equal_);
    const std::uint32_t busy = members_needed(usual);
    const std::uint32_t present = static_cast<std::uint32_t>(word_now_ & 1);
    const core::Plan& old = plans_[present];
    cut(usual, key_.members, begins_[k_candidate]);
    has_candidate_ = true;
    // Where a part is a few long iterations, a cut in the wrong place is hard to mend.
    const bool dares = shape_.units() >= k_many_units * key_.members || right_ >= k_sure;
    Way way = Way::cut;
    if (busy < key_.members)
      way = Way::few;
    else if (right_ < needed_ || !dares || (!equal_will_do && cut_is_slower()))
      way = Way::none; // as if nothing were known
    else if (equal_will_do)
      way = Way::equal;
    if (way == Way::none && way_ == Way::none) return;
    const bool same_kind = old.busy == busy && way == way_ && old.is_sure == (right_ >= k_sure);
    if (same_kind && way != Way::cut && is_as_long_as(old, usual)) return;
    if (same_kind && usual.imbalance(key_.members, old.begins) < k_even && is_as_long_as(old, usual)) return;
    if (way != way_) usual_time_ = 0;
    way_ = way;
    prepare(1 - present, way, busy, usual);
    publish(from, 1 - present);
  }

  enum class Way : std::uint8_t { none, equal, cut, few };

  static void cut(const core::CostCurve& usual, std::uint32_t parts, std::uint64_t* begins) noexcept {
    usual.cut(parts, begins);
    if (usual.units() < k_many_units * parts && usual.imbalance(parts, begins) > k_even)
      usual.cut_coarse(parts, begins);
  }

  /// A loop that takes next to nothing is not worth all members; what is left out must come in again at a
  /// higher price than it went.
  std::uint32_t members_needed(const core::CostCurve& usual) const noexcept {
    const double grain = static_cast<double>(grain_) * (way_ == Way::few ? 1.5 : 1.0);
    const double parts = usual.all() / std::max(grain, 1.0);
    if (parts >= key_.members) return key_.members;
    return std::max(static_cast<std::uint32_t>(parts), 1U);
  }

  bool is_as_long_as(const core::Plan& old, const core::CostCurve& usual) const noexcept {
    const double share = usual.all() / old.busy;
    return share < 1.25 * static_cast<double>(old.share) && share > 0.8 * static_cast<double>(old.share);
  }

  void prepare(std::uint32_t which, Way way, std::uint32_t busy, const core::CostCurve& usual) noexcept {
    std::uint64_t* const begins = begins_[which];
    if (way == Way::none) {
      plans_[which] = {};
      return;
    }
    if (way == Way::equal) {
      lay_out_equally(begins);
    } else {
      cut(usual, busy, begins);
      std::fill(begins + busy, begins + key_.members + 1, shape_.units());
      for (std::uint32_t m = 0; m < busy; ++m)
        if (begins[m + 1] - begins[m] > core::k_max_share / 2)
          return prepare(which, Way::equal, key_.members, usual);
    }
    for (std::uint32_t b = 0; b < bins_.count(); ++b)
      costs_[which][b] = samples_[k_kept][b] / static_cast<float>(bins_.width(b, shape_.units()));
    const double share = usual.all() / busy;
    plans_[which] = {begins,
                     costs_[which],
                     bins_.shift(),
                     static_cast<float>(usual.last()),
                     static_cast<float>(share),
                     busy,
                     right_ >= k_sure,
                     right_ >= k_sure && share < static_cast<double>(k_short * shortest_)};
  }

  void publish(std::uint64_t from, std::uint32_t which) noexcept {
    in_force_ = from;
    word_now_ = from << 1 | which;
    // [H1] release: the plan is complete before it can be seen to be in force; see learned().
    word_.store(word_now_, P::order(core::Tag::publish_plan, std::memory_order_release));
  }

  static constexpr std::uint32_t k_candidate = 2;
  static constexpr std::uint32_t k_equal = 3;

  const LoopKey key_;
  const core::Shape shape_;
  const std::uint64_t shortest_, grain_;
  const std::size_t bytes_;
  Bins bins_;
  bool measures_ = true; // changes only while nobody is in a loop
  /// | first loop of which the plan is in force:63 | which of the two:1 |; before, it is the other one.
  typename P::template Atomic<std::uint64_t> word_{0};
  core::Plan plans_[2];

  // Private to the planner, as are samples_ and what the candidate stands in.
  alignas(core::k_line_pair) std::uint64_t word_now_ = 0;
  std::uint64_t in_force_ = 0;
  std::uint64_t latest_ = 0;     // loop in which it was executed last
  std::uint64_t executions_ = 0; // since the last look
  std::uint64_t measured_ = 0;   // of them
  std::uint64_t wait_ = 1;       // executions until the next look
  std::uint64_t entered_ = 0;
  std::uint64_t elapsed_ = 0;    // ticks of the latest one, 0 if not known
  std::uint64_t usual_time_ = 0; // of those with this plan, 0 if not known
  std::uint64_t quiet_ = 0;      // executions since the latest alarm
  std::uint64_t patience_ = 1;   // executions from one alarm to the next
  std::uint64_t seen_ = 0;       // samples
  std::uint32_t newest_ = 0;
  bool is_open_ = false;
  bool was_alarmed_ = false;
  bool has_candidate_ = false;
  Way way_ = Way::none;
  std::uint32_t right_ = 0;  // executions in a row that were foreseen
  std::uint32_t needed_ = 1; // of these, for a cut to be made
  float pace_[2] = {};       // least time per work without and with a cut
  std::uint32_t tries_[2] = {};
  float score_cut_ = 0;
  float score_equal_ = 0;
  float* samples_[k_kept + 1] = {};
  float lasts_[k_kept] = {};
  std::uint64_t* begins_[4] = {};
  float* costs_[2] = {};
};

} // namespace wstree::loop
