// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "loop_site.h"

#include "kept_execution.h"

#include <algorithm>

namespace wstree::observe {
namespace {

// [S1] Every counter access is relaxed. A sum is all that a counter tells, no code concludes from one
//      counter what another counter or other memory holds, and RMWs lose nothing in any order. The final
//      report runs after the threads it reports on have been joined or are asleep in the OpenMP runtime; if
//      one still counts, its last execution may be missing from some of the sums. Guard:
//      observe_statistics, SumsFromManyThreads.
constexpr auto k_sum_order = std::memory_order_relaxed;

} // namespace

std::uint64_t LoopSite::add(const LoopExecution& execution) noexcept {
  const std::uint64_t members = execution.members != 0 ? execution.members : 1;
  const MemberCounts& total = execution.total;
  // Rounded, because the truncated part would add up over many short loops.
  const std::uint64_t mean = total.busy_ticks / members + (total.busy_ticks % members * 2 >= members ? 1 : 0);
  const std::uint64_t number = calls_.fetch_add(1, k_sum_order) + 1;
  iterations_.fetch_add(total.iterations, k_sum_order);
  batches_.fetch_add(total.batches, k_sum_order);
  steals_.fetch_add(total.steals, k_sum_order);
  nodes_.fetch_add(total.nodes, k_sum_order);
  busy_.fetch_add(total.busy_ticks, k_sum_order);
  known_.fetch_add(total.known, k_sum_order);
  if (total.surprises != 0) surprises_.fetch_add(total.surprises, k_sum_order);
  if (total.forgotten != 0) forgotten_.fetch_add(total.forgotten, k_sum_order);
  wall_.fetch_add(execution.wall_ticks, k_sum_order);
  busy_max_.fetch_add(execution.busy_max_ticks, k_sum_order);
  busy_mean_.fetch_add(mean, k_sum_order);
  const std::uint64_t late = execution.late_ticks / members;
  if (late != 0) late_mean_.fetch_add(late, k_sum_order);
  std::uint64_t uneven = execution.busy_max_ticks > mean ? execution.busy_max_ticks - mean : 0;
  uneven = std::min(uneven, execution.most_uneven_ticks);
  if (uneven != 0) uneven_.fetch_add(uneven, k_sum_order);
  if (execution.chunk > chunk_.load(k_sum_order)) chunk_.store(execution.chunk, k_sum_order);
  if (execution.preempted_ticks != 0)
    preempted_mean_.fetch_add(execution.preempted_ticks / members, k_sum_order);
  if (execution.is_of_new_length) new_lengths_.fetch_add(1, k_sum_order);
  return number;
}

LoopFigures LoopSite::figures() const noexcept {
  LoopFigures figures;
  figures.calls = calls_.load(k_sum_order);
  figures.total = {iterations_.load(k_sum_order), batches_.load(k_sum_order),  steals_.load(k_sum_order),
                   nodes_.load(k_sum_order),      busy_.load(k_sum_order),     known_.load(k_sum_order),
                   surprises_.load(k_sum_order),  forgotten_.load(k_sum_order)};
  figures.wall_ticks = wall_.load(k_sum_order);
  figures.busy_max_ticks = busy_max_.load(k_sum_order);
  figures.busy_mean_ticks = busy_mean_.load(k_sum_order);
  figures.late_mean_ticks = late_mean_.load(k_sum_order);
  figures.uneven_ticks = uneven_.load(k_sum_order);
  figures.preempted_mean_ticks = preempted_mean_.load(k_sum_order);
  figures.new_lengths = new_lengths_.load(k_sum_order);
  figures.chunk = std::max(chunk_.load(k_sum_order), std::uint64_t{1});
  return figures;
}

std::uint64_t LoopSite::calls() const noexcept { return calls_.load(k_sum_order); }

void LoopSite::clear_figures() noexcept {
  for (Counter* counter :
       {&calls_, &iterations_, &batches_, &steals_, &nodes_, &busy_, &wall_, &busy_max_, &busy_mean_, &known_,
        &surprises_, &forgotten_, &late_mean_, &uneven_, &chunk_, &new_lengths_, &preempted_mean_})
    counter->store(0, k_sum_order);
  counters_.clear();
}

bool LoopSite::is_nameless() const noexcept {
  // [S2] relaxed: a hint that saves work. begin_name() decides.
  return name_.load(std::memory_order_relaxed) == Name::nameless;
}

bool LoopSite::begin_name() noexcept {
  auto expected = Name::nameless;
  // [S3] relaxed both ways: success is only the right to write the texts, which no thread has read before;
  //      after failure the caller touches nothing.
  return name_.compare_exchange_strong(expected, Name::naming, std::memory_order_relaxed,
                                       std::memory_order_relaxed);
}

void LoopSite::finish_name(const PlaceName& where, std::string_view schedule, const Label* label) noexcept {
  where_ = where;
  label_ = label;
  schedule_.clear();
  schedule_.append(schedule);
  // [S4] release: the texts are complete before the state says so; pairs with the acquires [S5].
  //      Guard: observe_statistics, NameIsCompleteWhenSeen under the thread sanitizer.
  name_.store(Name::named, std::memory_order_release);
}

void LoopSite::abandon_name() noexcept {
  // [S6] relaxed: the child of a fork has one thread.
  if (name_.load(std::memory_order_relaxed) == Name::naming)
    name_.store(Name::nameless, std::memory_order_relaxed);
}

std::string_view LoopSite::where() const noexcept {
  // [S5] acquire: we go on to read the text; pairs with [S4].
  return name_.load(std::memory_order_acquire) == Name::named ? where_.view() : std::string_view();
}

std::string_view LoopSite::schedule() const noexcept {
  // [S5] as in where().
  return name_.load(std::memory_order_acquire) == Name::named ? schedule_.view() : std::string_view();
}

std::string_view LoopSite::label() const noexcept {
  // [S5] as in where().
  const bool is_named = name_.load(std::memory_order_acquire) == Name::named;
  return is_named && label_ != nullptr ? label_->view() : std::string_view();
}

void LoopSite::add_profile(Profile* profile) noexcept {
  Profile* last = profiles_.load(std::memory_order_relaxed);
  do {
    profile->next = last;
    // [S12] release: the profile is complete before it is seen; pairs with the acquire [S13]. What a
    // profile that
    //      is on the list already points to is kept by the RMWs in between, which continue its release.
    //      failure relaxed: nothing is read through `last`. Guard: observe_recordings,
    //      ProfilesFromManyThreads under the thread sanitizer.
  } while (
      !profiles_.compare_exchange_weak(last, profile, std::memory_order_release, std::memory_order_relaxed));
}

const Profile* LoopSite::profiles() const noexcept {
  // [S13] acquire: we go on to read the profiles; pairs with [S12].
  return profiles_.load(std::memory_order_acquire);
}

Profile* LoopSite::take_profiles() noexcept {
  // [S14] relaxed: the child of a fork has one thread.
  return profiles_.exchange(nullptr, std::memory_order_relaxed);
}

} // namespace wstree::observe
