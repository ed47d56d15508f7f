// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The file of a trace: https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU. One
// event per line, so that line tools can be used on it.
#include "code_place.h"
#include "host_guard.h"
#include "loop_site.h"
#include "rank_texts.h"
#include "report_output.h"
#include "report_writer.h"
#include "site_table.h"
#include "trace/team_filter.h"
#include "trace/trace.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <sys/auxv.h>
#include <unistd.h>

namespace wstree::abi {
namespace {

using loop::Event;
using loop::Track;
using observe::LoopSite;
using observe::ReportWriter;
using Kind = Event::Kind;

constexpr std::uint64_t k_most_arrows = 20'000;
/// Tracks that are looked at for the victims of steals: a second or two at the end of a program.
constexpr std::uint64_t k_most_victim_looks = 4'000'000;

/// Used by the thread that has set `busy`.
struct TraceWorkspace {
  std::atomic<bool> busy{false};
  observe::Path path;
  observe::CodePlace place;
  TeamFilters teams;
};
constinit TraceWorkspace g_trace_workspace;

std::string_view name_of(const Event& event) noexcept {
  switch (event.kind) {
  case Kind::region:
    return "region";
  case Kind::loop: {
    const auto* site = static_cast<const LoopSite*>(event.site);
    if (site != nullptr && !site->label().empty()) return site->label();
    return site == nullptr || site->where().empty() ? "loop" : site->where();
  }
  case Kind::batch:
    return "batch";
  case Kind::search:
    return "search";
  case Kind::steal:
    return "steal";
  }
  return {};
}
std::string_view category_of(Kind kind) noexcept {
  constexpr std::string_view k_names[] = {"region", "loop", "batch", "search", "steal"};
  return k_names[static_cast<std::size_t>(kind)];
}

class TraceWriter {
public:
  TraceWriter(ReportWriter& out, const TickClock& clock) noexcept
      : out_(out), clock_(clock), process_(static_cast<std::uint64_t>(getpid())) {}

  void write(const char* version) noexcept {
    out_.text("{\"displayTimeUnit\": \"ns\", \"otherData\": {\"version\": ").json_string(version);
    out_.text(", \"format\": \"wstree-trace 1\", \"clock\": \"CLOCK_MONOTONIC\", \"program\": ");
    out_.json_string(program()).text(", \"rank\": ").json_string(observe::rank_text());
    out_.text(", \"threads_without_track\": ").number(threads_without_track());
    write_sites();
    out_.text("},\n\"traceEvents\": [\n{\"ph\": \"M\", \"name\": \"process_name\", \"pid\": ")
        .number(process_);
    out_.text(", \"tid\": 0, \"ts\": 0, \"args\": {\"name\": ").json_string(program()).text("}}");
    for (const Track* track = tracks_; track != nullptr; track = track->next) ++track_count_;
    g_trace_workspace.teams.fill(tracks_);
    for (const Track* track = tracks_; track != nullptr; track = track->next) write_track(*track);
    observe::write_rank_events(out_);
    out_.text("\n]}\n");
  }

private:
  static std::string_view program() noexcept {
    const char* name = program_invocation_short_name;
    return name != nullptr && *name != '\0' ? name : "unknown";
  }

  /// Writes the data by which tools find the source lines.
  void write_sites() noexcept {
    out_.text(", \"sites\": [");
    bool first = true;
    observe::site_table().for_each([&](const LoopSite& site, const void* address) {
      if (site.calls() == 0) return;
      observe::find_code_place(address, g_trace_workspace.place);
      out_.text(first ? "\n" : ",\n").text("{\"where\": ").json_string(site.where());
      if (!site.label().empty()) out_.text(", \"label\": ").json_string(site.label());
      out_.text(", \"schedule\": ").json_string(site.schedule());
      out_.text(", \"module\": ").json_string(g_trace_workspace.place.module.view());
      out_.text(", \"build_id\": ").json_string(g_trace_workspace.place.build_id.view());
      out_.text(", \"offset\": ").number(g_trace_workspace.place.offset).text("}");
      first = false;
    });
    out_.text("]");
  }

  void write_track(const Track& track) noexcept {
    const std::uint64_t total = track.total();
    if (total == 0) return;
    const std::uint64_t oldest = track.oldest(total);
    begin("M", track);
    // A thread may be a member of several teams; that of its oldest event names it.
    out_.text(", \"ts\": 0, \"name\": \"thread_name\", \"args\": {\"name\": \"member ")
        .number(track.at(oldest).member);
    out_.text("\", \"thread\": ")
        .number(thread(track))
        .text(", \"events\": ")
        .number(total)
        .text(", \"dropped\": ")
        .number(oldest)
        .text("}}");
    for (std::uint64_t i = oldest; i < total; ++i) {
      const Event& event = track.at(i);
      const Track* from = nullptr;
      const bool looks =
          event.kind == Kind::steal && arrows_ < k_most_arrows && victim_looks_ < k_most_victim_looks;
      if (looks) victim_looks_ += track_count_;
      const Event* victim = looks ? find_victim(tracks_, event, from) : nullptr;
      write_event(track, event, victim);
      if (event.kind == Kind::loop) write_wait(track, event, i, total);
      if (victim != nullptr) write_arrow(track, event, *from, *victim);
    }
  }

  void write_event(const Track& track, const Event& event, const Event* victim) noexcept {
    begin("X", track);
    times(event.begin, event.end);
    out_.text(", \"name\": ").json_string(name_of(event));
    out_.text(", \"cat\": \"").text(category_of(event.kind)).text("\", \"args\": {");
    if (event.kind == Kind::loop) {
      const auto* site = static_cast<const LoopSite*>(event.site);
      out_.text("\"units\": ").number(event.past).text(", \"members\": ").number(event.members).text(", ");
      // Iterations of the source that each unit stands for.
      if (const std::uint64_t chunk = site != nullptr ? site->figures().chunk : 1; chunk > 1)
        out_.text("\"chunk\": ").number(chunk).text(", ");
      out_.text("\"schedule\": ").json_string(site != nullptr ? site->schedule() : "").text(", ");
      if (event.first != 0) out_.text("\"preempted\": ").decimal(clock_.span_ns(event.first), 3).text(", ");
    }
    if (event.kind == Kind::batch || event.kind == Kind::steal)
      out_.text("\"first\": ").number(event.first).text(", \"past\": ").number(event.past).text(", ");
    if (victim != nullptr) out_.text("\"victim\": ").number(victim->member).text(", ");
    if (event.kind == Kind::batch) out_.text("\"batches\": ").number(event.count).text(", ");
    out_.text("\"execution\": ").number(event.execution);
    out_.text(", \"member\": ").number(event.member).text("}}");
  }

  /// From where this member left its loop to where the last one did, unless it did something else
  /// meanwhile (nowait).
  void write_wait(const Track& track, const Event& left, std::uint64_t number, std::uint64_t total) noexcept {
    if (left.members == 1) return;
    std::uint64_t last = left.end;
    std::size_t number_of_other = 0;
    for (const Track* other = tracks_; other != nullptr; other = other->next, ++number_of_other)
      if (other != &track && g_trace_workspace.teams.may_have(number_of_other, left.execution))
        last = std::max(last, end_in(*other, left));
    // The event of a loop stands behind those of its batches, and that of an enclosing loop behind it.
    constexpr std::uint64_t k_looked_at = 512;
    for (std::uint64_t i = number + 1; i < total && i < number + k_looked_at; ++i) {
      const Event& next = track.at(i);
      last = std::min(last, std::max(next.begin <= left.begin ? next.end : next.begin, left.end));
    }
    if (last <= left.end) return;
    begin("X", track);
    times(left.end, last);
    out_.text(", \"name\": \"wait\", \"cat\": \"wait\", \"args\": {\"execution\": ").number(left.execution);
    out_.text(", \"member\": ").number(left.member).text("}}");
  }

  /// Returns the time when the thread left the loop; 0: it was not there.
  static std::uint64_t end_in(const Track& track, const Event& loop) noexcept {
    const std::uint64_t total = track.total();
    std::uint64_t low = track.oldest(total);
    std::uint64_t high = total;
    while (low < high) {
      const std::uint64_t middle = low + (high - low) / 2;
      if (track.at(middle).end < loop.end)
        low = middle + 1;
      else
        high = middle;
    }
    // A member that leaves later has its loop's event behind its last batches.
    constexpr std::uint64_t k_looked_at = 2048;
    for (std::uint64_t i = low; i < total && i < low + k_looked_at; ++i) {
      const Event& event = track.at(i);
      if (event.kind != Kind::loop) continue;
      if (event.execution == loop.execution) return event.end;
      // The team has come to later loops, and no thread leaves an earlier one after that.
      if (event.execution > loop.execution && loop::team_of(event.execution) == loop::team_of(loop.execution))
        return 0;
    }
    return 0;
  }

  /// From the victim to the thief.
  void write_arrow(const Track& track, const Event& steal, const Track& from, const Event& victim) noexcept {
    ++arrows_;
    const std::uint64_t since = std::clamp(steal.begin, victim.begin, std::max(victim.begin, victim.end));
    begin("s", from);
    arrow(std::min(since, steal.end));
    out_.text("}");
    begin("f", track);
    arrow(steal.end);
    out_.text(", \"bp\": \"e\"}");
  }
  void arrow(std::uint64_t at) noexcept {
    out_.text(", \"ts\": ").decimal(clock_.to_ns(at), 3);
    out_.text(", \"name\": \"stolen\", \"cat\": \"steal\", \"id\": ").number(arrows_);
  }

  static std::uint64_t thread(const Track& track) noexcept {
    return static_cast<std::uint64_t>(track.thread);
  }
  void begin(std::string_view phase, const Track& track) noexcept {
    out_.text(",\n{\"ph\": \"").text(phase).text("\", \"pid\": ").number(process_);
    out_.text(", \"tid\": ").number(thread(track));
  }
  /// In microseconds, as the format wants.
  void times(std::uint64_t since, std::uint64_t until) noexcept {
    const std::uint64_t from = clock_.to_ns(since);
    out_.text(", \"ts\": ").decimal(from, 3).text(", \"dur\": ").decimal(clock_.to_ns(until) - from, 3);
  }

  ReportWriter& out_;
  const TickClock& clock_;
  std::uint64_t process_;
  const Track* tracks_ = all_tracks(); // tracks of threads that come later are not written
  std::uint64_t track_count_ = 0;
  std::uint64_t arrows_ = 0;
  std::uint64_t victim_looks_ = 0;
};

} // namespace

void write_trace(const config::Options& options, const TickClock& clock, const char* version) noexcept {
  if (options.trace_path.empty() || getauxval(AT_SECURE) != 0) return;
  // acquire, with the release below: the workspace is ours from here, as that of the recordings.
  if (g_trace_workspace.busy.exchange(true, std::memory_order_acquire)) return;
  {
    const observe::HostGuard guard;
    auto write = [&](int descriptor) noexcept {
      ReportWriter out(descriptor);
      TraceWriter(out, clock).write(version);
      return out.flush();
    };
    observe::write_new_file("WSTREE_TRACE", options.trace_path.view(), g_trace_workspace.path, write);
    say_dropped();
  }
  g_trace_workspace.busy.store(false, std::memory_order_release);
}

} // namespace wstree::abi
