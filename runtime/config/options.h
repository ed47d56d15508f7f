// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Settings of the user. The table in options.def is the one truth; this header gives it types.
//
// Nothing here allocates, throws, reads a global or uses the C library's state (locale, errno, getenv), so
// every function may run before the C library is initialised. All functions may be called from any thread at
// any time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "fixed_text.h"

#include "wstree/core/kinds.h"
#include "wstree/core/settings.h"

namespace wstree::config {

/// Index into k_options, in the order of options.def.
enum class Option : std::uint8_t {
#define WSTREE_OPTION(id, name, accepted, default_value, meaning) id,
#include "options.def"
};

struct OptionText {
  std::string_view name, accepted, default_value, meaning;
};

// For the texts of OMP_SCHEDULE.
#define WSTREE_KIND_WORD(model, word, ...) #word ", "
#define WSTREE_KIND_TEXT(model, word, in_order, text, ...) #word ": " text ". "
inline constexpr auto k_options = std::to_array<OptionText>({
#define WSTREE_OPTION(id, name, accepted, default_value, meaning) {name, accepted, default_value, meaning},
#include "options.def"
});
#undef WSTREE_KIND_WORD
#undef WSTREE_KIND_TEXT
inline constexpr std::size_t k_option_count = k_options.size();

constexpr const OptionText& text_of(Option option) noexcept {
  return k_options[static_cast<std::size_t>(option)];
}

/// Largest chunk of a schedule of ours: OpenMP hands chunks around as int, and the bits above encode the
/// schedule of ours that it belongs to (marked_schedule.h).
inline constexpr std::uint64_t k_max_chunk = (std::uint64_t{1} << 26) - 1;
/// Largest chunk of the fallback, which is the OpenMP runtime's.
inline constexpr std::uint64_t k_max_fallback_chunk = 2147483647;
/// Largest number in WSTREE_BATCH, in nanoseconds or iterations.
inline constexpr std::uint64_t k_max_batch = std::uint64_t{1} << 62;
/// Longest path in WSTREE_STATS, WSTREE_RECORD and WSTREE_TRACE, in bytes.
inline constexpr std::size_t k_max_path = 1023;
/// Events of each thread that a trace keeps.
inline constexpr std::uint64_t k_default_trace_events = std::uint64_t{1} << 16;
inline constexpr std::uint64_t k_fewest_trace_events = 64;
inline constexpr std::uint64_t k_most_trace_events = std::uint64_t{1} << 24;
/// Bytes of OMP_AFFINITY_FORMAT that count.
inline constexpr std::size_t k_max_affinity_format = 255;

/// A kind of loops in WSTREE_LOOPS, by the schedule clause in the program's source. `static_` loops are not
/// handed out, but cut anew from region to region (core/feedback). `proven` loops are static ones, too: those
/// of regions whose function may be called again for parts of its loop.
enum class LoopKind : std::uint8_t {
  runtime = 1,
  dynamic = 2,
  guided = 4,
  auto_ = 8,
  static_ = 16,
  taskloop = 32,
  proven = 64
};
/// All of them but static_, which a program may count on: users name that one to have it.
inline constexpr std::uint8_t k_all_loops = 111;
/// The kinds that the library serves. Loops of the kind runtime need one of our schedules as well.
struct LoopKinds {
  std::uint8_t bits = 1; // sum of LoopKind
  /// static_ includes proven.
  constexpr bool has(LoopKind kind) const noexcept {
    const auto bit = static_cast<unsigned>(kind);
    return (bits & (kind == LoopKind::proven ? bit | static_cast<unsigned>(LoopKind::static_) : bit)) != 0;
  }
  constexpr bool any() const noexcept { return bits != 0; }
  /// True if loops are to be served whose source names a schedule, so also without OMP_SCHEDULE=wstree.
  constexpr bool any_named() const noexcept {
    return (bits & ~static_cast<unsigned>(LoopKind::runtime)) != 0;
  }
  bool operator==(const LoopKinds&) const = default;
};

using core::BatchMode;
using core::Strategy;

struct Batch {
  BatchMode mode = BatchMode::timed;
  /// timed: target in ns, 0 = adaptive. exponential, random: largest batch, >= 1. fixed: the batch, >= 1.
  std::uint64_t value = 0;
  bool operator==(const Batch&) const = default;
};
inline constexpr std::uint64_t k_default_max_step = 4096; // exponential and random
inline constexpr std::uint64_t k_default_fixed = 64;

enum class FallbackKind : std::uint8_t { static_, dynamic, guided, auto_, trapezoidal };
struct Fallback {
  FallbackKind kind = FallbackKind::guided;
  std::uint64_t chunk = 0; // 0 = none given, else 1 to k_max_fallback_chunk
  bool operator==(const Fallback&) const = default;
};

enum class StatsFormat : std::uint8_t { off, text, json };
struct Stats {
  StatsFormat format = StatsFormat::off;
  std::string_view path; // with patterns; empty = stderr. Points into the text that was parsed.
  bool operator==(const Stats&) const = default;
};

enum class DisplayEnv : std::uint8_t { no, yes, verbose };

/// The way of pinning a team's threads; none: they are not pinned.
enum class Bind : std::uint8_t { auto_, close, spread, none };

/// The schedules of the library (core/kinds.h), with the numbers of core::Model.
enum class ScheduleKind : std::uint8_t {
#define WSTREE_KIND_NAME(model, word, ...) word,
  WSTREE_KINDS(WSTREE_KIND_NAME)
#undef WSTREE_KIND_NAME
};
inline constexpr std::size_t k_schedule_kinds = core::k_model_count;

/// Returns whether each thread gets its chunks in ascending order, because no thread takes from another.
constexpr bool is_monotonic(ScheduleKind kind) noexcept {
#define WSTREE_KIND_ORDER(model, word, in_order, ...) in_order,
  constexpr bool k_in_order[] = {WSTREE_KINDS(WSTREE_KIND_ORDER)};
#undef WSTREE_KIND_ORDER
  return k_in_order[static_cast<std::size_t>(kind)];
}

/// A value of OMP_SCHEDULE that asks for one of our schedules.
struct ScheduleRequest {
  ScheduleKind kind = ScheduleKind::wstree;
  std::uint64_t chunk = 1;      // in iterations, 1 to k_max_chunk
  bool chunk_given = false;     // false: chunk is the default
  bool monotonic = false;       // "monotonic:" was demanded; see is_monotonic()
  bool chunk_malformed = false; // the text after the comma was no chunk; see report_schedule()
  bool operator==(const ScheduleRequest&) const = default;
};

/// Understands `[monotonic:|nonmonotonic:]kind[,chunk]` with one of our kinds; case and blanks around the
/// tokens are ignored. nullopt: the value is not ours and has to reach the OpenMP runtime as it is, unless it
/// is misspelled. A value whose kind is ours is always ours: with a bad chunk it counts as one without and is
/// marked malformed.
std::optional<ScheduleRequest> parse_schedule(std::string_view value) noexcept;

/// Returns whether `value`, which parse_schedule() does not take, is meant for this library: its kind begins
/// with "ws", as no schedule of an OpenMP runtime does.
bool is_misspelled_schedule(std::string_view value) noexcept;

/// Parsers of the other options. Case and blanks around the tokens are ignored, nullopt means not understood.
std::optional<LoopKinds> parse_loops(std::string_view value) noexcept; // a kind may come twice
std::optional<Strategy> parse_strategy(std::string_view value) noexcept;
std::optional<Batch> parse_batch(std::string_view value) noexcept;
std::optional<Fallback> parse_fallback(std::string_view value) noexcept;
std::optional<Bind> parse_bind(std::string_view value) noexcept;
std::optional<Stats> parse_stats(std::string_view value) noexcept;
/// WSTREE_RECORD and WSTREE_TRACE: a path with patterns, empty for "0". Points into `value`.
std::optional<std::string_view> parse_record(std::string_view value) noexcept;
/// WSTREE_TRACE_EVENTS.
std::optional<std::uint64_t> parse_trace_events(std::string_view value) noexcept;
/// Returns the rules that WSTREE_RULES names, empty for "0". Points into `value`.
std::optional<std::string_view> parse_rules(std::string_view value) noexcept;
/// WSTREE_THREADS and WSTREE_WAIT: true for auto.
std::optional<bool> parse_threads(std::string_view value) noexcept;
std::optional<bool> parse_history(std::string_view value) noexcept;
/// WSTREE_COUNTERS, WSTREE_OMPT and WSTREE_VERBOSE.
std::optional<bool> parse_switch(std::string_view value) noexcept;
/// Never fails: a bad value of OMP_DISPLAY_ENV is the OpenMP runtime's to complain about and counts as
/// `no` here.
DisplayEnv parse_display_env(std::string_view value) noexcept;
/// Never fails either: OMP_DISPLAY_AFFINITY.
bool parse_display_affinity(std::string_view value) noexcept;

/// Canonical spelling of a value, which the parser of the same type reads back.
using ValueText = FixedText<64>;
std::string_view to_text(ScheduleKind kind) noexcept;
std::string_view to_text(Strategy strategy) noexcept;
std::string_view to_text(Bind bind) noexcept;
std::string_view to_text(StatsFormat format) noexcept; // "0" for off
std::string_view to_text(DisplayEnv display) noexcept;
ValueText to_text(LoopKinds loops) noexcept; // always in the order of LoopKind
ValueText to_text(Batch batch) noexcept;
ValueText to_text(Fallback fallback) noexcept;
ValueText to_text(const ScheduleRequest& request) noexcept;

/// Receives complete lines without a newline, one call for each. Lines about bad values have at most
/// k_max_line bytes.
struct LineSink {
  void (*write)(void* context, std::string_view line) noexcept = nullptr;
  void* context = nullptr;

  void operator()(std::string_view line) const noexcept {
    if (write != nullptr) write(context, line);
  }
};
using ErrorSink = LineSink;
inline constexpr std::size_t k_max_line = 511;

enum class Origin : std::uint8_t { default_value, environment };

/// The options in force, except OMP_SCHEDULE, whose value belongs to each task of the program.
/// Trivially copyable; holds no pointer into the environment, because the program may change that at
/// any time.
struct Options {
  LoopKinds loops;
  Strategy strategy = Strategy::find_max;
  Batch batch;
  Fallback fallback;
  Bind bind = Bind::auto_;
  StatsFormat stats = StatsFormat::off;
  bool counts_threads = false; // WSTREE_THREADS=auto
  bool adapts_waiting = false; // WSTREE_WAIT=auto
  bool history = true;
  bool counters = false;
  bool ompt = false;
  bool verbose = false;
  DisplayEnv display_env = DisplayEnv::no;
  bool display_affinity = false;
  std::array<Origin, k_option_count> origins{};
  FixedText<k_max_path + 1> stats_path;  // empty = stderr
  FixedText<k_max_path + 1> record_path; // empty = nothing is recorded
  FixedText<k_max_path + 1> trace_path;  // empty = nothing is traced
  std::uint64_t trace_events = k_default_trace_events;
  FixedText<k_max_path + 1> rules;                      // empty = none; inline ones may be cut off
  FixedText<k_max_affinity_format + 1> affinity_format; // empty = not set

  Origin origin(Option option) const noexcept { return origins[static_cast<std::size_t>(option)]; }
};

/// Reads the variables of options.def from `envp`, a null-terminated list of NAME=value (may be null). An
/// empty value counts as not set, and of two entries with the same name the first one counts, as with getenv.
/// Each bad value gives one line and leaves the default; each unknown WSTREE_* name gives one line.
/// OMP_SCHEDULE is not looked at. WSTREE_REQUEST, WSTREE_LIBRARY, WSTREE_WATCHED and WSTREE_TEST_* are known
/// and ignored.
Options load(const char* const* envp, ErrorSink errors) noexcept;

/// One line if `request`, which parse_schedule() made of `value`, has a malformed chunk; else nothing.
void report_schedule(std::string_view value, const ScheduleRequest& request, ErrorSink errors) noexcept;
/// One line about a value for which is_misspelled_schedule() holds, and which `used` replaces.
void report_misspelled_schedule(std::string_view value, std::string_view used, ErrorSink errors) noexcept;

/// The variable by which `wstree run` on a terminal names the process that it becomes: if only proven loops
/// of it can be served, and none was, the library says so in one line.
inline constexpr std::string_view k_watched = "WSTREE_WATCHED";

/// Returns the value of `name` in `envp`, or nullopt. Reads any list as getenv reads environ.
std::optional<std::string_view> find_variable(const char* const* envp, std::string_view name) noexcept;

} // namespace wstree::config
