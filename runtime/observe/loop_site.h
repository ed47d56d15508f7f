// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <string_view>

#include "label.h"
#include "loop_counters.h"
#include "place_name.h"
#include "statistics.h"

namespace wstree::observe {

struct Profile;

/// Sums over the executions of a loop, its calls; core::Execution says what the figures of each are. "mean"
/// is the mean over the members of a team.
struct LoopFigures {
  std::uint64_t calls = 0;
  core::Counts total{};
  std::uint64_t wall_ticks = 0;
  std::uint64_t busy_max_ticks = 0;
  std::uint64_t busy_mean_ticks = 0;
  std::uint64_t late_mean_ticks = 0;
  std::uint64_t preempted_mean_ticks = 0;
  /// Ticks that an even loop would have saved: those of the busiest members beyond those of the mean member.
  /// Where members came late, only the ticks that they would have saved by then.
  std::uint64_t uneven_ticks = 0;
  std::uint64_t new_lengths =
      0;                    ///< calls of static loops with a number of iterations that had not come before
  std::uint64_t pieces = 0; ///< pieces among total.iterations, which have unknown numbers of iterations
  std::uint64_t chunk = 0;  ///< the largest chunk of all calls

  /// Returns the work of the busiest members beside that of the mean one, without the work that others did
  /// because they came earlier; `even` for an even loop, and for figures without times.
  std::uint64_t imbalance(std::uint64_t even) const noexcept {
    return even + (busy_mean_ticks == 0 ? 0 : core::rounded_ratio(uneven_ticks, even, busy_mean_ticks));
  }
};

/// Counters and name of one code location. All zero at the start, so that static ones cost no memory
/// until used.
///
/// Counters: sums that any thread may add to. The name: written by the one thread that begins it, read once
/// it is complete.
///   from       to         by                      meaning
///   nameless   naming     the first to ask        it alone writes the texts
///   naming     named      the same thread         the texts are complete and never change again
class alignas(128) LoopSite {
public:
  constexpr LoopSite() noexcept = default;
  LoopSite(const LoopSite&) = delete;
  LoopSite& operator=(const LoopSite&) = delete;

  /// The number of this execution, counted from 1.
  std::uint64_t add(const core::Execution& execution) noexcept;
  LoopFigures figures() const noexcept;
  std::uint64_t calls() const noexcept;
  void clear_figures() noexcept;

  bool is_nameless() const noexcept;
  /// Returns true to one caller, which then has to call finish_name().
  bool begin_name() noexcept;
  void finish_name(const PlaceName& where, std::string_view schedule, const Label* label = nullptr) noexcept;
  /// In a forked child: frees a name that a thread which only the parent has was about to write.
  void abandon_name() noexcept;
  /// Returns the place; empty as long as the name is not complete.
  std::string_view where() const noexcept;
  std::string_view schedule() const noexcept;
  /// Returns the program's name for the loop; empty if it has none.
  std::string_view label() const noexcept;

  LoopCounters& counters() noexcept { return counters_; }
  const LoopCounters& counters() const noexcept { return counters_; }

  /// `profile` belongs to the site from here on (recordings.h).
  void add_profile(Profile* profile) noexcept;
  /// Returns the profile that was added last, whose `next` is the profile before; nullptr: none.
  const Profile* profiles() const noexcept;
  /// Returns all profiles; the caller owns them. While there is one thread.
  Profile* take_profiles() noexcept;

private:
  using Counter = std::atomic<std::uint64_t>;
  enum class Name : std::uint32_t { nameless, naming, named };

  // The counters have lines of their own, because processors fetch lines in pairs: two loops that run at
  // the same time in different teams do not disturb each other.
  std::array<Counter, sizeof(LoopFigures) / sizeof(std::uint64_t)> sums_{}; // the words of LoopFigures

  alignas(128) std::atomic<Name> name_{Name::nameless};
  PlaceName where_;
  config::FixedText<48> schedule_;
  const Label* label_ = nullptr;
  std::atomic<Profile*> profiles_{nullptr};
  LoopCounters counters_;
};
static_assert(sizeof(LoopSite) % 128 == 0 && std::atomic<std::uint64_t>::is_always_lock_free);

} // namespace wstree::observe
