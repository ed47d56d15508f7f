// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a team remembers of one of its loops: what it has cost, and the plan for its next executions.
#pragma once

#include "foresight.h"
#include "team_storage.h"

#include "wstree/core/settings.h"
#include "wstree/core/shape.h"
#include "wstree/core/tree/plan.h"
#include "wstree/core/tree/planner.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <utility>

namespace wstree::loop {

/// Which loop it is, by what is the same for all members: the code location of the region, the place of the
/// loop in it (rhythm.h), the number of iterations, and the team. Not by the code location of the loop
/// itself: a compiler may have made two loops of one in the source, for members on different paths, and
/// members of one loop that follow different plans would lose iterations.
struct LoopKey {
  const void* region = nullptr;
  std::uint32_t place = 0;
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
template <class P, class Sizes = UsualSizes> class LoopRecord {
public:
  using Bins = core::CostBins<P>;

  /// nullptr: no memory.
  static LoopRecord* create(const LoopKey& key, const core::Settings& settings) noexcept {
    const core::Shape shape(key.iterations, key.members);
    if (shape.units() == 0) return nullptr;
    const Places layout(key.members, capacity(key.members, shape.units()));
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
    // [H1] relaxed: a member to whose loop a plan applies has seen the planner leave a loop after it had made
    //      the plan (T2), or was forked since; to all others the word says to go by the plan before,
    //      whichever of the two words they read. Guard: model_team plans_* (in force from the next loop on:
    //      members go by different plans, or by an unfinished one).
    const std::uint64_t word = word_.load(P::order(core::Tag::publish_plan, std::memory_order_relaxed));
    const std::uint64_t which = loop >= word >> 1 ? word & 1 : ~word & 1;
    // [H5] relaxed: as H1; and whoever reads the word before belongs to a loop that neither is for. Guard:
    //      none is possible, a member that measures in vain or not at all does no harm.
    const std::uint64_t window =
        window_.load(P::order(core::Tag::choose_measured, std::memory_order_relaxed));
    return {is_made_[which] != 0 ? &plans_[which] : nullptr, is_in(window, loop) ? &bins_ : nullptr};
  }

  // What follows is for the planner.

  /// Before it enters execution `loop`; all members have left the loops before `left`, and none can be beyond
  /// `farthest`.
  void enter(std::uint64_t loop, std::uint64_t left, std::uint64_t farthest) noexcept {
    if (left >= end_of_window() && left >= in_force_) {
      elapsed_ = 0; // it is not known when the others were done
      if (measured_ != 0) look(farthest + 1);
      // One execution, if those to come are as far from each other as the latest two.
      if (executions_ + 1 >= wait_ && latest_ != 0) measure(farthest + 1, loop - latest_);
    }
    enter(loop);
  }
  void enter(std::uint64_t loop) noexcept {
    latest_ = loop;
    ++executions_;
    if (is_in(window_now_, loop)) ++measured_;
    entered_ = is_watched() ? P::ticks() : 0;
  }
  /// Whether it is worth to ask the others where they are, for the first enter().
  bool wants_look() const noexcept { return latest_ >= end_of_window() && executions_ + 1 >= wait_; }

  /// The loop is one of the present region, like that of `other`. Returns the head of their list.
  LoopRecord* open(LoopRecord* other) noexcept {
    is_open_ = true;
    next_open_ = other;
    return this;
  }
  bool is_open() const noexcept { return is_open_; }
  /// After a region; nobody is in a loop, and the next one has the number `next` or a higher one. Returns
  /// what open() was given.
  LoopRecord* close(std::uint64_t next) noexcept {
    is_open_ = false;
    watch();
    if (executions_ >= wait_ && measured_ != 0) {
      look(next);
    }
    // All executions of the next region, or none.
    measure(next, executions_ + 1 >= wait_ ? k_longest_window : 0);
    return next_open_;
  }

private:
  static constexpr std::uint32_t k_kept = 3;
  static constexpr std::uint32_t k_bins_of_member = 64;
  static constexpr std::uint32_t k_most_bins = 4'096;
  static constexpr std::uint64_t k_short = 4; // shortest batches: a share without a clock
  static constexpr float k_change = 2.0F;
  /// Shortest batches: what clock, dispatches and short interruptions add to a member's part, or not.
  static constexpr double k_noise = 0.25;
  static constexpr std::uint64_t k_long = 4;   // shortest batches: a share beside which the clock is nothing
  static constexpr std::uint64_t k_rarely = 8; // executions of one that is shorter
  static constexpr double k_longest_share = 1e18;
  static constexpr std::uint64_t k_part_of_work = 200;   // that looking may take
  static constexpr std::uint64_t k_ticks_of_bin = 24;    // that looking takes
  static constexpr std::uint64_t k_longest_wait = 2'048; // executions
  static constexpr unsigned k_window_bits = 6;
  static constexpr std::uint64_t k_longest_window = (1U << k_window_bits) - 1; // numbers of loops

  static std::uint32_t capacity(std::uint32_t members, std::uint64_t units) noexcept {
    const std::uint64_t wanted = std::clamp<std::uint64_t>(std::uint64_t{k_bins_of_member} * members,
                                                           2 * k_bins_of_member, k_most_bins);
    return static_cast<std::uint32_t>(std::min(wanted, units));
  }

  /// Behind the object: bins | samples | median | room for another sample | begins of two plans, of the
  /// candidate and of equal shares | costs of the plans.
  struct Places {
    std::size_t bins, samples, begins, costs, bytes;
    std::uint32_t most_bins;
    Places(std::uint32_t members, std::uint32_t most) noexcept : most_bins(most) {
      constexpr std::size_t k_lines = core::k_line_pair;
      bins = round_up(sizeof(LoopRecord), k_lines);
      samples = round_up(bins + (most + std::size_t{1}) * sizeof(typename Bins::Bin), k_lines);
      begins = round_up(samples + (k_kept + 2) * most * sizeof(float), k_lines);
      costs = begins + 4 * (members + std::size_t{1}) * sizeof(std::uint64_t);
      bytes = round_up(costs + 2 * std::size_t{most} * sizeof(float), k_lines);
    }
    static std::size_t round_up(std::size_t size, std::size_t to) noexcept {
      return (size + to - 1) / to * to;
    }
  };

  LoopRecord(const LoopKey& key, const core::Shape& shape, const core::Settings& settings,
             const Places& places) noexcept
      : key_(key), shape_(shape), shortest_(settings.shortest_target), bytes_(places.bytes),
        bins_(at<typename Bins::Bin>(places.bins), places.most_bins, shape.units()) {
    for (auto& made : is_made_) made = 0; // a write, by which a model sees who may not know of this record
    for (std::uint32_t k = 0; k < k_kept + 2; ++k)
      samples_[k] = at<float>(places.samples) + std::size_t{k} * places.most_bins;
    for (std::uint32_t k = 0; k < 4; ++k)
      begins_[k] = at<std::uint64_t>(places.begins) + std::size_t{k} * (key.members + 1);
    for (std::uint32_t k = 0; k < 2; ++k)
      costs_[k] = at<float>(places.costs) + std::size_t{k} * places.most_bins;
  }

  template <class T> T* at(std::size_t offset) noexcept {
    return reinterpret_cast<T*>(reinterpret_cast<std::byte*>(this) + offset);
  }

  /// Makes of what was measured the plan for loops from `from` on.
  void look(std::uint64_t from) noexcept {
    executions_ = 0;
    if (!take_sample()) return;
    const core::CostCurve fresh = curve(samples_[newest_], lasts_[newest_]);
    lay_out_equally(begins_[k_equal]);
    const double equal = fresh.imbalance(key_.members, begins_[k_equal]);
    foresight_.judge(has_candidate_ ? fresh.imbalance(key_.members, begins_[k_candidate]) : 0, equal,
                     noise() / std::max(fresh.all(), 1.0));
    const bool is_other = seen_ > 1 && is_another_loop();
    if (is_other) {
      start_again();
      foresight_.judge_equal(equal);
    } else {
      if (way_ == Layout::unknown || way_ == Layout::cut)
        foresight_.compare(way_ == Layout::cut, elapsed_, fresh.all());
      if (was_alarmed_) foresight_.was_nothing();
    }
    was_alarmed_ = false;
    const core::CostCurve usual = curve(samples_[k_kept], find_median());
    choose(usual, from, is_other);
    choose_wait(usual.all());
  }

  static bool is_in(std::uint64_t window, std::uint64_t loop) noexcept {
    return loop - (window >> k_window_bits) < (window & k_longest_window);
  }
  std::uint64_t end_of_window() const noexcept {
    return (window_now_ >> k_window_bits) + (window_now_ & k_longest_window);
  }
  /// `count` loops from `first` on, whatever they are, 0 for none; nobody can be in any of them yet.
  void measure(std::uint64_t first, std::uint64_t count) noexcept {
    // Not written if it stays at none, because the others read it at each loop.
    if (count == 0 && (window_now_ & k_longest_window) == 0) return;
    window_now_ = first << k_window_bits | std::min(count, k_longest_window);
    window_.store(window_now_, P::order(core::Tag::choose_measured, std::memory_order_relaxed)); // H5
  }

  /// So many executions that looking takes next to nothing of their time.
  void choose_wait(double work) noexcept {
    const auto share = static_cast<std::uint64_t>(std::clamp(work / key_.members, 1.0, k_longest_share));
    const std::uint64_t price = std::uint64_t{bins_.count()} * k_ticks_of_bin * k_part_of_work;
    // Where looking at each execution costs nothing, slow changes are followed step by step.
    const std::uint64_t calm = price / share > 1 ? foresight_.calm() : 1;
    is_long_ = share > k_long * shortest_;
    const bool is_new = seen_ < k_kept + 1 && !foresight_.is_restless();
    const bool is_trying = way_ == Layout::cut && foresight_.is_trying();
    wait_ = is_new || is_trying ? 1 : std::clamp<std::uint64_t>(price / share * calm, 1, k_longest_wait);
  }

  /// The clock is a percent of a short loop.
  bool is_watched() const noexcept { return wait_ == 1 || is_long_ || executions_ % k_rarely == 0; }
  void watch() noexcept {
    elapsed_ = entered_ != 0 ? P::ticks() - entered_ : 0;
    if (elapsed_ == 0 || !foresight_.alarms(elapsed_, shortest_ / 2) || wait_ <= 1) return;
    wait_ = 0;
    was_alarmed_ = true;
  }

  /// False: some iterations were not executed, as in a loop that is cancelled, and nobody knows what they
  /// cost.
  bool take_sample() noexcept {
    const auto place = static_cast<std::uint32_t>(seen_ % k_kept);
    const float each = 1 / static_cast<float>(std::exchange(measured_, 0));
    bool is_whole = true;
    for (std::uint32_t b = 0; b < bins_.count(); ++b) {
      samples_[k_fresh][b] = bins_.take(b) * each;
      is_whole &= samples_[k_fresh][b] > 0;
    }
    const float last = bins_.take_last();
    if (!is_whole) return false;
    std::swap(samples_[k_fresh], samples_[place]);
    newest_ = place;
    lasts_[newest_] = last;
    ++seen_;
    return true;
  }

  double noise() const noexcept { return k_noise * static_cast<double>(shortest_) * key_.members; }

  /// Costs have changed in so many places that nobody's being disturbed explains it.
  bool is_another_loop() const noexcept {
    const float* const fresh = samples_[newest_];
    const float* const usual = samples_[k_kept];
    std::uint32_t changed = 0;
    float by = 0;
    for (std::uint32_t b = 0; b < bins_.count(); ++b) {
      changed += fresh[b] > k_change * usual[b] || usual[b] > k_change * fresh[b] ? 1 : 0;
      by += std::abs(fresh[b] - usual[b]);
    }
    return changed * 4 > bins_.count() && by > static_cast<float>(noise());
  }
  void start_again() noexcept {
    if (newest_ != 0) {
      std::copy_n(samples_[newest_], bins_.count(), samples_[0]);
      lasts_[0] = lasts_[newest_];
    }
    newest_ = 0;
    seen_ = 1;
    foresight_.start_again();
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

  void lay_out_equally(std::uint64_t* begins) const noexcept {
    for (std::uint32_t m = 0; m <= key_.members; ++m) begins[m] = shape_.root_begin(m);
  }

  /// Members stay where they are, so that what they have in their caches stays, unless another plan is
  /// clearly better.
  void choose(const core::CostCurve& usual, std::uint64_t from, bool is_other) noexcept {
    const bool is_sure = foresight_.is_sure();
    const bool is_brief = usual.all() / key_.members < static_cast<double>(k_short * shortest_);
    const bool is_short = is_sure && is_brief;
    const auto present = static_cast<std::uint32_t>(word_now_ & 1);
    const core::Plan& old = plans_[present];
    usual.cut(key_.members, begins_[k_candidate]);
    has_candidate_ = true;
    Layout way = foresight_.choose(is_short);
    // Where a part is a few long iterations, or is over soon, a cut in the wrong place is hard to mend.
    const bool is_fine = shape_.units() >= Sizes::k_many_units * key_.members &&
                         usual.all() / key_.members >= static_cast<double>(Sizes::k_worth_a_cut * shortest_);
    if (way == Layout::cut && !is_fine) way = Layout::unknown;
    if (way == Layout::unknown && way_ == Layout::unknown) return;
    bool stays = way == way_ && way != Layout::cut;
    if (!is_other && is_fine && way_ == Layout::cut && (way == Layout::cut || way == Layout::equal) &&
        usual.imbalance(key_.members, old.begins) <
            usual.imbalance(key_.members, begins_[k_candidate]) + foresight_.better(is_short)) {
      way = Layout::cut;
      stays = true;
    }
    if (stays && old.is_sure == is_sure && old.is_short == is_short && is_as_long_as(old, usual)) return;
    const std::uint32_t next = 1 - present;
    if (stays)
      std::copy_n(begins_[present], key_.members + 1, begins_[next]);
    else if (way != Layout::unknown)
      lay_out(next, way, usual);
    if (way != way_) foresight_.forget_time();
    way_ = way;
    if (way != Layout::unknown) describe(next, is_sure, is_short, usual);
    publish(from, next);
  }

  bool is_as_long_as(const core::Plan& old, const core::CostCurve& usual) const noexcept {
    const double share = usual.all() / key_.members;
    return share < 1.25 * static_cast<double>(old.share) && share > 0.8 * static_cast<double>(old.share);
  }

  void lay_out(std::uint32_t which, Layout& way, const core::CostCurve& usual) noexcept {
    std::uint64_t* const begins = begins_[which];
    if (way == Layout::cut) {
      usual.cut(key_.members, begins);
      if (can_count(begins)) return;
      way = Layout::equal;
    }
    lay_out_equally(begins);
  }
  bool can_count(const std::uint64_t* begins) const noexcept {
    for (std::uint32_t m = 0; m < key_.members; ++m)
      if (begins[m + 1] - begins[m] > core::k_max_share / 2) return false;
    return true;
  }

  void describe(std::uint32_t which, bool is_sure, bool is_short, const core::CostCurve& usual) noexcept {
    for (std::uint32_t b = 0; b < bins_.count(); ++b)
      costs_[which][b] = samples_[k_kept][b] / static_cast<float>(bins_.width(b, shape_.units()));
    plans_[which] = {begins_[which], costs_[which],
                     bins_.shift(),  static_cast<float>(usual.all() / key_.members),
                     is_sure,        is_short};
  }

  void publish(std::uint64_t from, std::uint32_t which) noexcept {
    in_force_ = from;
    word_now_ = from << 1 | which;
    is_made_[which] = way_ != Layout::unknown ? 1 : 0;
    // [H1] relaxed: see learned().
    word_.store(word_now_, P::order(core::Tag::publish_plan, std::memory_order_relaxed));
  }

  static constexpr std::uint32_t k_fresh = k_kept + 1;
  static constexpr std::uint32_t k_candidate = 2;
  static constexpr std::uint32_t k_equal = 3;

  const LoopKey key_;
  const core::Shape shape_;
  const std::uint64_t shortest_;
  const std::size_t bytes_;
  Bins bins_;
  /// | first loop that is measured:58 | how many numbers from there on:6 |
  typename P::template Atomic<std::uint64_t> window_{0};
  /// | first loop of which the plan is in force:63 | which of the two:1 |; before, it is the other one.
  typename P::template Atomic<std::uint64_t> word_{0};
  core::Plan plans_[2];
  typename P::template Plain<std::uint32_t> is_made_[2]{}; ///< whether there is such a plan

  // Private to the planner, as are samples_ and what the candidate stands in.
  alignas(core::k_line_pair) std::uint64_t word_now_ = 0;
  std::uint64_t window_now_ = 0;
  std::uint64_t in_force_ = 0;
  std::uint64_t latest_ = 0;     // loop in which it was executed last
  std::uint64_t executions_ = 0; // since the last look
  std::uint64_t measured_ = 0;   // of them
  std::uint64_t wait_ = 1;       // executions until the next look
  std::uint64_t entered_ = 0;
  std::uint64_t elapsed_ = 0; // ticks of the latest execution, 0 if not known
  std::uint64_t seen_ = 0;    // samples
  LoopRecord* next_open_ = nullptr;
  std::uint32_t newest_ = 0;
  bool is_open_ = false;
  bool was_alarmed_ = false;
  bool is_long_ = false;
  bool has_candidate_ = false;
  Layout way_ = Layout::unknown;
  Foresight foresight_;
  float* samples_[k_kept + 2] = {};
  float lasts_[k_kept] = {};
  std::uint64_t* begins_[4] = {};
  float* costs_[2] = {};
};

} // namespace wstree::loop
