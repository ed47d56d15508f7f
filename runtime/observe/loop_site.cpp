// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "loop_site.h"

#include "kept_execution.h"

#include <algorithm>
#include <bit>

namespace wstree::observe {
namespace {

// [O1] Every counter access is relaxed. A sum is all that a counter tells, no code concludes from one
//      counter what another counter or other memory holds, and RMWs lose nothing in any order. The final
//      report runs after the threads it reports on have been joined or are asleep in the OpenMP runtime; if
//      one still counts, its last execution may be missing from some of the sums. Guard:
//      observe_statistics, SumsFromManyThreads.
constexpr auto k_sum_order = std::memory_order_relaxed;

/// LoopFigures as LoopSite keeps them, beginning with the number of calls and ending with the chunk.
using Words = std::array<std::uint64_t, sizeof(LoopFigures) / sizeof(std::uint64_t)>;

} // namespace

std::uint64_t LoopSite::add(const core::Execution& execution) noexcept {
  const std::uint64_t members = execution.members != 0 ? execution.members : 1;
  const std::uint64_t busy = execution.total.busy_ticks;
  LoopFigures more{1, execution.total, execution.wall_ticks, execution.busy_max_ticks};
  // Rounded, because the truncated part would add up over many short loops.
  more.busy_mean_ticks = busy / members + (busy % members * 2 >= members ? 1 : 0);
  more.late_mean_ticks = execution.late_ticks / members;
  more.preempted_mean_ticks = execution.preempted_ticks / members;
  if (more.busy_max_ticks > more.busy_mean_ticks)
    more.uneven_ticks = std::min(more.busy_max_ticks - more.busy_mean_ticks, execution.most_uneven_ticks);
  more.new_lengths = execution.is_of_new_length ? 1 : 0;
  more.pieces = execution.counts_pieces ? execution.total.iterations : 0;
  const std::uint64_t number = sums_.front().fetch_add(1, k_sum_order) + 1;
  const auto words = std::bit_cast<Words>(more);
  for (std::size_t i = 1; i < words.size(); ++i)
    if (words[i] != 0) sums_[i].fetch_add(words[i], k_sum_order);
  Counter& chunk = sums_.back();
  if (execution.chunk > chunk.load(k_sum_order)) chunk.store(execution.chunk, k_sum_order);
  return number;
}

LoopFigures LoopSite::figures() const noexcept {
  Words words;
  for (std::size_t i = 0; i < words.size(); ++i) words[i] = sums_[i].load(k_sum_order);
  words.back() = std::max(words.back(), std::uint64_t{1});
  return std::bit_cast<LoopFigures>(words);
}

std::uint64_t LoopSite::calls() const noexcept { return sums_.front().load(k_sum_order); }

void LoopSite::clear_figures() noexcept {
  for (Counter& counter : sums_) counter.store(0, k_sum_order);
  counters_.clear();
}

bool LoopSite::is_nameless() const noexcept {
  // [O2] relaxed: a hint that saves work. begin_name() decides.
  return name_.load(std::memory_order_relaxed) == Name::nameless;
}

bool LoopSite::begin_name() noexcept {
  auto expected = Name::nameless;
  // [O3] relaxed both ways: success is only the right to write the texts, which no thread has read before;
  //      after failure the caller touches nothing.
  return name_.compare_exchange_strong(expected, Name::naming, std::memory_order_relaxed,
                                       std::memory_order_relaxed);
}

void LoopSite::finish_name(const PlaceName& where, std::string_view schedule, const Label* label) noexcept {
  where_ = where;
  label_ = label;
  schedule_.clear();
  schedule_.append(schedule);
  // [O4] release: the texts are complete before the state says so; pairs with the acquires [O5].
  //      Guard: observe_statistics, NameIsCompleteWhenSeen under the thread sanitizer.
  name_.store(Name::named, std::memory_order_release);
}

void LoopSite::abandon_name() noexcept {
  // [O6] relaxed: the child of a fork has one thread.
  if (name_.load(std::memory_order_relaxed) == Name::naming)
    name_.store(Name::nameless, std::memory_order_relaxed);
}

std::string_view LoopSite::where() const noexcept {
  // [O5] acquire: we go on to read the text; pairs with [O4].
  return name_.load(std::memory_order_acquire) == Name::named ? where_.view() : std::string_view();
}

std::string_view LoopSite::schedule() const noexcept {
  // [O5] as in where().
  return name_.load(std::memory_order_acquire) == Name::named ? schedule_.view() : std::string_view();
}

std::string_view LoopSite::label() const noexcept {
  // [O5] as in where().
  const bool is_named = name_.load(std::memory_order_acquire) == Name::named;
  return is_named && label_ != nullptr ? label_->view() : std::string_view();
}

void LoopSite::add_profile(Profile* profile) noexcept {
  Profile* last = profiles_.load(std::memory_order_relaxed);
  do {
    profile->next = last;
    // [O12] release: the profile is complete before it is seen; pairs with the acquire [O13]. What a
    // profile that
    //      is on the list already points to is kept by the RMWs in between, which continue its release.
    //      failure relaxed: nothing is read through `last`. Guard: observe_recordings,
    //      ProfilesFromManyThreads under the thread sanitizer.
  } while (
      !profiles_.compare_exchange_weak(last, profile, std::memory_order_release, std::memory_order_relaxed));
}

const Profile* LoopSite::profiles() const noexcept {
  // [O13] acquire: we go on to read the profiles; pairs with [O12].
  return profiles_.load(std::memory_order_acquire);
}

Profile* LoopSite::take_profiles() noexcept {
  // [O14] relaxed: the child of a fork has one thread.
  return profiles_.exchange(nullptr, std::memory_order_relaxed);
}

} // namespace wstree::observe
