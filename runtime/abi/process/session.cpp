// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "process/session.h"

#include "display.h"
#include "message.h"
#include "own_stack.h"
#include "process/counters.h"
#include "process/load_time.h"
#include "process_limits.h"
#include "rank_texts.h"
#include "recordings.h"
#include "report_output.h"
#include "statistics.h"
#include "tokens.h"
#include "trace/trace.h"
#include "unserved_regions.h"
#include "version.h"
#include "waiting.h"

#include "wstree/core/platform.h"

#include <pthread.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <new>
#include <optional>

namespace wstree::abi {
namespace {

constinit std::atomic<pid_t> g_preparer{0}; // the process in which a thread prepares the session
alignas(Session) constinit unsigned char g_storage[sizeof(Session)] = {};
constinit std::atomic<std::uint32_t> g_most_members{1};
constinit std::uint64_t g_forked = 0; // ticks, in the child of a fork; written while it has one thread

core::Settings to_settings(const config::Options& options) noexcept {
  core::Settings settings;
  auto ticks = [](std::uint64_t ns) { return core::setting_of(ticks_in(ns)); };
  settings.strategy = options.strategy;
  settings.batch = options.batch.mode;
  settings.history = options.history;
  settings.set_durations(ticks);
  const std::uint64_t value = options.batch.value;
  if (settings.batch != core::BatchMode::timed)
    settings.limit = value;
  else if (value != 0)
    settings.shortest_target = settings.longest_target = ticks(value);
  return settings;
}

constinit Moment g_span; // since_load() when the session was prepared

loop::ProcessorTime processor_time() noexcept {
  // The system updates the times in rusage at timer ticks only.
  timespec ran{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ran);
  rusage use{};
  getrusage(RUSAGE_THREAD, &use);
  const std::uint64_t ns = to_nanoseconds(ran);
  return {core::scaled(ns, g_span.ticks, g_span.nanoseconds), static_cast<std::uint64_t>(use.ru_nvcsw)};
}

/// Returns the ticks of a look at the clock.
std::uint64_t clock_cost() noexcept {
  std::uint64_t least = ~std::uint64_t{0};
  for (int i = 0; i < 100; ++i) {
    const std::uint64_t before = core::StdPlatform::ticks();
    least = std::min(least, core::StdPlatform::ticks() - before);
  }
  return least;
}

void prepare_measuring(Session& made) noexcept {
  made.recorded = !made.options.record_path.empty();
  made.traced = !made.options.trace_path.empty();
  const bool has_statistics = made.options.stats != config::StatsFormat::off;
  made.measured = made.recorded || made.traced || has_statistics;
  // The child of a fork starts with figures of its own.
  if (made.measured && pthread_atfork(nullptr, nullptr, [] {
                         observe::forget_executions();
                         observe::forget_rank_texts();
                         observe::forget_gaps();
                         observe::forget_unserved_times();
                         g_forked = core::StdPlatform::ticks();
                         observe::forget_recordings();
                         forget_tracks();
                         forget_counters();
                       }) != 0) {
    made.measured = made.recorded = made.traced = false;
    observe::say("wstree: WSTREE_STATS, WSTREE_RECORD, WSTREE_TRACE: no memory, nothing is measured");
  }
  made.settings.clocked = made.measured;
  made.counted = made.measured && has_statistics && made.options.counters;
  if (made.measured) observe::remember_folder();
  if (!made.recorded && !made.traced) return;
  constexpr std::uint64_t k_piece_ns = 2'000;       // a dispatch takes about 1 % of it
  constexpr std::uint64_t k_suspicious_ns = 40'000; // a question to the system takes about 1 % of it
  g_span = since_load();
  made.pace = {ticks_in(k_piece_ns), clock_cost(), processor_time, ticks_in(k_suspicious_ns)};
}

void read_rules(Session& made, config::LineSink lines) noexcept {
  if (made.options.rules.empty()) return;
  // From the environment itself: rules in it may be longer than those that the options keep.
  const auto value = config::find_variable(environ, config::text_of(config::Option::rules).name);
  if (!value) return;
  made.rules = Rules::load(config::trim(*value), lines, !place::has_new_call_filter());
  if (made.rules != nullptr) made.options.bind = made.rules->bind().value_or(made.options.bind);
}

/// All that needs the clock is left out: the runtime executes the loops, and no threads are placed.
void do_without_ticks(config::Options& options) noexcept {
  observe::say(
      "wstree: the OpenMP runtime executes all loops, because the process has forbidden itself to read "
      "the processor's clock (PR_SET_TSC)");
  options.loops = {0};
  options.bind = config::Bind::none;
  options.adapts_waiting = false;
  options.stats = config::StatsFormat::off;
  options.record_path = {};
  options.trace_path = {};
}

/// Returns whether WSTREE_WAIT=auto may decide: the user has not set how threads wait.
bool may_choose_waiting() noexcept {
  for (const char* const name : {"OMP_WAIT_POLICY", "KMP_BLOCKTIME", "KMP_LIBRARY"})
    if (!config::trim(config::find_variable(environ, name).value_or("")).empty()) return false;
  return true;
}

void prepare(Session& made) noexcept {
  const config::LineSink lines = observe::stderr_lines();
  const std::optional<config::ScheduleRequest>& request = environment_request();
  report_request(lines);
  made.options = config::load(environ, lines);
  if (may_read_ticks()) {
    read_rules(made, lines);
    made.settings = to_settings(made.options);
  } else {
    do_without_ticks(made.options);
  }
  // A chunk in OMP_SCHEDULE is for schedule(runtime) loops. Named loops have their own, which is the unit.
  if (request) made.named.model = model_of(request->kind);
  made.named.chunk = made.named.model == core::Model::static_ ? 0 : 1;
  made.serves_named = made.rules != nullptr || made.options.loops.any_named();
  made.balances =
      made.options.history && (made.rules != nullptr || made.options.loops.has(config::LoopKind::static_));
  made.repeats = made.rules != nullptr || made.options.loops.has(config::LoopKind::proven);
  if (made.options.verbose || made.options.display_env != config::DisplayEnv::no)
    config::display(made.options, request, lines);
  prepare_measuring(made);
  if (made.rules != nullptr) {
    made.attend_regions();
    made.attend_loops();
  }
  made.chooses_waiting = made.options.adapts_waiting && may_choose_waiting();
  made.watches_gaps = made.chooses_waiting || made.options.stats != config::StatsFormat::off;
  made.watches_regions = made.watches_gaps || made.rules != nullptr || made.traced;
  if (made.options.ompt) made.attend_regions();
  if (made.measured || made.options.ompt) made.watch_loops();
  made.without_history = made.settings;
  made.without_history.history = false;
}

} // namespace

constinit std::atomic<const Session*> g_session{nullptr};

const Session& prepare_session() noexcept {
  // relaxed, all of g_preparer: it decides which thread prepares, and publishes nothing. The other threads
  // wait for the release.
  pid_t preparer = g_preparer.load(std::memory_order_relaxed);
  for (;;) {
    // acquire: as in session().
    if (const Session* ready = g_session.load(std::memory_order_acquire)) return *ready;
    // If a fork comes meanwhile, no thread of the child goes on with the work: the child begins again. It
    // notices by the process number, because registering a handler for forks would allocate.
    const pid_t self = getpid();
    if (preparer == self) {
      core::StdPlatform::yield();
      continue;
    }
    // No handler may run in the thread that prepares: it might open a region, which waits for the session.
    stack::on_own_stack([&preparer, self] {
      if (!g_preparer.compare_exchange_strong(preparer, self, std::memory_order_relaxed,
                                              std::memory_order_relaxed))
        return;
      auto* made = ::new (static_cast<void*>(g_storage)) Session;
      prepare(*made);
      g_session.store(made, std::memory_order_release);
    });
  }
}

void note_members(std::uint32_t members) noexcept {
  // relaxed: a figure for the report.
  std::uint32_t most = g_most_members.load(std::memory_order_relaxed);
  while (most < members && !g_most_members.compare_exchange_weak(most, members, std::memory_order_relaxed)) {
  }
}

std::size_t statistics_as_json(char* buffer, std::size_t size) noexcept {
  const Session* const ready = g_session.load(std::memory_order_acquire);
  std::size_t written = 0;
  stack::on_own_stack([&] {
    const core::TickLength tick = ready != nullptr && ready->measured ? tick_length() : 0;
    if (!place::has_new_call_filter()) observe::note_cpu();
    written = observe::write_report_to(buffer, size, tick, g_most_members.load(std::memory_order_relaxed),
                                       k_version);
  });
  return written;
}

namespace {

/// Returns whether `wstree run` watches this process from a terminal, and no other loops of it can be served.
bool is_watched() noexcept {
  const auto process = config::find_variable(environ, config::k_watched);
  config::FixedText<24> own;
  own.append_number(static_cast<std::uint64_t>(getpid()));
  return process && *process == own.view();
}

void report() noexcept {
  const core::TickLength tick = tick_length();
  const config::Options& options = session().options;
  const bool may_open = !place::has_new_call_filter();
  if (may_open) observe::note_cpu();
  const std::uint64_t since = g_forked != 0 ? g_forked : load_time().ticks;
  observe::note_wall(core::nanoseconds(core::elapsed(since, core::StdPlatform::ticks()), tick));
  if (!may_open && (!options.stats_path.empty() || session().recorded || session().traced))
    observe::say("wstree: no file is written, because the process has put up a filter of system calls");
  if (may_open || options.stats_path.empty())
    observe::write_report(options, tick, g_most_members.load(std::memory_order_relaxed), k_version);
  if (may_open && session().recorded) observe::write_recordings(options, tick, k_version);
  if (may_open && session().traced)
    write_trace(options, {load_time().ticks, load_time().nanoseconds, tick}, k_version);
}

} // namespace

void report_at_exit() noexcept {
  if (g_session.load(std::memory_order_acquire) == nullptr) return;
  if (session().measured)
    stack::on_own_stack([] { report(); });
  else if (is_watched())
    stack::on_own_stack([] { observe::say_unserved(); });
}

} // namespace wstree::abi
