// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "statistics.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <ctime>
#include <fcntl.h>
#include <sched.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "host_guard.h"
#include "message.h"
#include "report.h"
#include "report_file.h"
#include "report_output.h"

namespace wstree::observe {
namespace {

/// A report's buffers that are too large for the stack of any thread that may end the process. Used by the
/// one thread that has set `busy`.
struct Workspace {
  std::atomic<bool> busy{false};
  SortedSites sites;
  Path path;
  char host[256]{};
  char command[4096]{};
};
constinit Workspace g_workspace;

ReportFrame frame_of(core::TickLength tick, std::uint32_t max_threads, const char* version) noexcept {
  const char* const program = program_invocation_short_name;
  return {version,
          max_threads,
          tick,
          {},
          program != nullptr ? program : "",
          static_cast<std::uint64_t>(getpid()),
          rank_text(),
          wait_figures()};
}

/// Returns the command line with blanks between its words; empty: the system does not show it.
std::string_view command_line() noexcept {
  const int file = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
  if (file < 0) return {};
  char* const text = g_workspace.command;
  const ssize_t bytes = read(file, text, sizeof g_workspace.command);
  close(file);
  if (bytes <= 0) return {};
  char* const end = std::remove(text + bytes - 1, text + bytes, '\0'); // behind the last word
  std::replace(text, end, '\0', ' ');
  return {text, static_cast<std::size_t>(end - text)};
}

std::string_view host_name() noexcept {
  char* const name = g_workspace.host;
  return gethostname(name, sizeof g_workspace.host - 1) == 0 ? std::string_view(name) : std::string_view();
}

/// Returns 0 or the number of the first error.
int write_to(int descriptor, config::StatsFormat format, const ReportFrame& frame) noexcept {
  ReportWriter writer(descriptor);
  g_workspace.sites.sort(site_table(), SiteOrder::by_uneven_time, frame.tick);
  if (format == config::StatsFormat::json)
    write_json(writer, g_workspace.sites, frame);
  else
    write_text(writer, g_workspace.sites, frame);
  return writer.flush();
}

} // namespace

LoopSite* find_site(const void* return_address, const char* psource, std::string_view schedule,
                    const Label* label) noexcept {
  return &site_table().find(return_address, psource, schedule, label);
}

std::uint64_t record(LoopSite& site, const core::Execution& execution) noexcept {
  return site.add(execution);
}

std::uint64_t executions_recorded() noexcept {
  std::uint64_t sum = 0;
  site_table().for_each([&sum](const LoopSite& site, const void*) { sum += site.calls(); });
  return sum;
}

void forget_executions() noexcept {
  site_table().for_each([](LoopSite& site, const void*) {
    site.clear_figures();
    site.abandon_name();
  });
  // [O9] relaxed: the child of a fork has one thread; the report that another thread of the parent was about
  //      to write is the parent's.
  g_workspace.busy.store(false, std::memory_order_relaxed);
}

std::size_t write_report_to(char* buffer, std::size_t size, core::TickLength tick, std::uint32_t max_threads,
                            const char* version) noexcept {
  constexpr int k_patience = 10'000;
  if (size != 0) buffer[0] = '\0';
  const int saved_errno = errno;
  // acquire: [O10]
  for (int waited = 0; g_workspace.busy.exchange(true, std::memory_order_acquire); ++waited) {
    if (waited == k_patience) return 0;
    sched_yield();
  }
  ReportWriter writer(buffer, size);
  g_workspace.sites.sort(site_table(), SiteOrder::by_uneven_time, tick);
  write_json(writer, g_workspace.sites, frame_of(tick, max_threads, version));
  writer.flush();
  g_workspace.busy.store(false, std::memory_order_release); // [O11]
  if (size != 0) buffer[std::min(writer.written(), size - 1)] = '\0';
  errno = saved_errno;
  return writer.written();
}

void write_report(const config::Options& options, core::TickLength tick, std::uint32_t max_threads,
                  const char* version) noexcept {
  if (options.stats == config::StatsFormat::off) return;
  // [O10] acquire: the workspace is ours from here; pairs with the release [O11] of the thread that used it
  //      before. No test fails without these two: the system calls of a report come in between, and the
  //      thread sanitizer takes those on one descriptor for synchronisation.
  if (g_workspace.busy.exchange(true, std::memory_order_acquire)) return;
  {
    const HostGuard guard;
    ReportFrame frame = frame_of(tick, max_threads, version);
    frame.loops = options.loops;
    // The user who starts a setuid program must not choose which files it creates.
    const bool to_stderr = options.stats_path.empty() || getauxval(AT_SECURE) != 0;
    if (!to_stderr && options.stats == config::StatsFormat::json) {
      frame.host = host_name();
      frame.command = command_line();
      frame.ended = static_cast<std::uint64_t>(time(nullptr));
    }
    const auto write = [&](int descriptor) noexcept { return write_to(descriptor, options.stats, frame); };
    if (!to_stderr)
      write_new_file("WSTREE_STATS", options.stats_path.view(), g_workspace.path, write);
    else if (const int descriptor = stderr_descriptor(); descriptor >= 0)
      (void)write(descriptor); // there is nowhere else to complain
  }
  // [O11] release: our use of the workspace ends before the next one begins; pairs with [O10].
  g_workspace.busy.store(false, std::memory_order_release);
}

} // namespace wstree::observe
