// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <span>
#include <sys/auxv.h>

#include "host_guard.h"
#include "kept_execution.h"
#include "report.h"
#include "report_output.h"

namespace wstree::observe {
namespace {

// The powers of two of a 64-bit number and the first ones; further ones cannot be.
constexpr std::size_t k_most_profiles = k_first_kept + 64;

/// The profiles of one location in the order of their executions.
class SiteProfiles {
public:
  void read(const LoopSite& site) noexcept {
    count_ = 0;
    for (const Profile* p = site.profiles(); p != nullptr && count_ < k_most_profiles; p = p->next)
      profiles_[count_++] = p;
    std::sort(profiles_.begin(), profiles_.begin() + count_,
              [](const Profile* a, const Profile* b) { return a->execution.number < b->execution.number; });
    calls_ = site.calls();
  }
  std::span<const Profile* const> all() const noexcept { return {profiles_.data(), count_}; }

  /// Returns the first of the profiles of loops with as many iterations as profile `i`.
  bool is_first_of_its_size(std::size_t i) const noexcept {
    return std::none_of(profiles_.begin(), profiles_.begin() + i,
                        [&](const Profile* p) { return is_same_size(*p, *profiles_[i]); });
  }
  static bool is_same_size(const Profile& a, const Profile& b) noexcept {
    return a.execution.iterations == b.execution.iterations;
  }

  struct Sums {
    std::uint64_t executions = 0;
    std::uint64_t ticks = 0; // in iterations
  };
  /// Returns the sums over the profiles with as many iterations as profile `i`. Each profile stands for its
  /// execution and those since the profile before it, the last one for all that came later, too.
  Sums of_the_size_of(std::size_t i) const noexcept {
    Sums sums;
    for (std::size_t k = 0; k < count_; ++k) {
      if (!is_same_size(*profiles_[k], *profiles_[i])) continue;
      const std::uint64_t executions = so_far(k) - (k == 0 ? 0 : so_far(k - 1));
      sums.executions += executions;
      std::uint64_t once = 0;
      for (std::size_t p = 0; p < profiles_[k]->size; ++p) once += profiles_[k]->pieces()[p].ticks;
      sums.ticks += core::product(once, executions);
    }
    return sums;
  }

private:
  std::uint64_t so_far(std::size_t k) const noexcept {
    const std::uint64_t number = profiles_[k]->execution.number;
    return k + 1 == count_ ? std::max(calls_, number) : number;
  }

  std::size_t count_ = 0;
  std::array<const Profile*, k_most_profiles> profiles_{};
  std::uint64_t calls_ = 0;
};

/// Too large for the stack of any thread that may end the process. Used by the thread that has set `busy`.
struct Workspace {
  std::atomic<bool> busy{false};
  SortedSites sites;
  SiteProfiles profiles;
  Path path;
};
constinit Workspace g_workspace;

/// Writes nanoseconds with one digit after the point.
ReportWriter& nanoseconds(ReportWriter& out, std::uint64_t ticks, core::TickLength tick) noexcept {
  return out.decimal(core::nanoseconds(ticks, tick, 10), 1);
}

void write_execution(ReportWriter& out, const Profile& profile, core::TickLength tick) noexcept {
  const RecordedExecution& execution = profile.execution;
  out.text("execution ").number(execution.number).text(" members ").number(execution.members);
  out.text(" elapsed ");
  nanoseconds(out, execution.wall_ticks, tick);
  out.text(" pieces ").number(profile.size).text("\n");
  for (std::size_t i = 0; i < profile.size; ++i) {
    out.number(profile.begin_of(i)).text(" ").number(profile.begin_of(i + 1) - profile.begin_of(i)).text(" ");
    nanoseconds(out, profile.pieces()[i].ticks, tick).text(" ");
    out.number(profile.pieces()[i].member).text("\n");
  }
}

void write_site(ReportWriter& out, const SortedSites::Row& row, std::uint64_t& loops,
                core::TickLength tick) noexcept {
  SiteProfiles& profiles = g_workspace.profiles;
  profiles.read(*row.site);
  for (std::size_t i = 0; i < profiles.all().size(); ++i) {
    if (!profiles.is_first_of_its_size(i)) continue;
    const Profile& first = *profiles.all()[i];
    const auto sums = profiles.of_the_size_of(i);
    out.text("loop ").number(++loops).text("\nwhere ").visible(name_of(row).view());
    out.text("\nschedule ").visible(row.site->schedule());
    out.text("\niterations ").number(first.execution.iterations);
    if (first.execution.unit > 1) out.text("\nchunk ").number(first.execution.unit);
    out.text("\nexecutions ").number(sums.executions).text("\nwork ");
    nanoseconds(out, sums.ticks, tick).text("\n");
    for (const Profile* profile : profiles.all())
      if (SiteProfiles::is_same_size(*profile, first)) write_execution(out, *profile, tick);
  }
}

int write_to(int descriptor, core::TickLength tick, const char* version) noexcept {
  ReportWriter out(descriptor);
  out.text(
         "wstree-profile 1\n"
         "# What the iterations of loops cost, in nanoseconds. Lines of digits are pieces of the execution\n"
         "# before them: first iteration, number of iterations, time of all of them, thread.\n"
         "library ")
      .text(version);
  const char* program = program_invocation_short_name;
  out.text("\nprogram ").visible(program != nullptr && *program != '\0' ? program : "unknown").text("\n");
  g_workspace.sites.sort(site_table());
  std::uint64_t loops = 0;
  for (const auto& row : g_workspace.sites) write_site(out, row, loops, tick);
  return out.text("end\n").flush();
}

} // namespace

void write_recordings(const config::Options& options, core::TickLength tick, const char* version) noexcept {
  if (options.record_path.empty() || getauxval(AT_SECURE) != 0) return;
  // [O16] acquire: the workspace is ours from here; pairs with the release [O17], as [O10] with [O11].
  if (g_workspace.busy.exchange(true, std::memory_order_acquire)) return;
  {
    const HostGuard guard;
    auto write = [&](int descriptor) noexcept { return write_to(descriptor, tick, version); };
    write_new_file("WSTREE_RECORD", options.record_path.view(), g_workspace.path, write);
  }
  // [O17] release: our use of the workspace ends before the next one begins.
  g_workspace.busy.store(false, std::memory_order_release);
}

} // namespace wstree::observe
