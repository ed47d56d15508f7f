// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "loop_entry.h"

#include "ompt/tool.h"
#include "preemption.h"
#include "process/counters.h"
#include "process/load_time.h"
#include "statistics.h"
#include "words.h"

#include <bit>
#include <cstddef>
#include <string_view>
#include <utility>

namespace wstree::abi {
namespace {

using config::LoopKind;

/// Names of the schedules in the statistics: "wsrange", "wsqueue (dynamic)". They live as long as
/// the process.
class ScheduleNames {
public:
  constexpr ScheduleNames() noexcept {
    for (std::size_t kind = 0; kind < k_loop_kinds; ++kind) {
      for (std::size_t model = 0; model < core::k_model_count; ++model) {
        Name& name = names_[kind][model];
        name.append(config::k_schedule_words[model]);
        if (kind != 0) name.append(" (").append(config::k_loop_words[kind]).append(')');
      }
    }
  }
  constexpr std::string_view of(LoopKind kind, core::Model model) const noexcept {
    const auto bit = static_cast<unsigned>(std::countr_zero(static_cast<unsigned>(kind)));
    return names_[bit][static_cast<std::size_t>(model)].view();
  }

private:
  static constexpr std::size_t k_loop_kinds = config::k_loop_words.size();
  using Name = config::FixedText<24>;
  Name names_[k_loop_kinds][core::k_model_count];
};
constexpr ScheduleNames k_schedule_names;
static_assert(k_schedule_names.of(LoopKind::runtime, core::Model::tree) == "wstree");
static_assert(k_schedule_names.of(LoopKind::dynamic, core::Model::queue_lock) == "wsqueue_lock (dynamic)");

} // namespace

observe::LoopSite* loop_site(LoopKind kind, core::Model model, const char* source,
                             const observe::Label* label, const void* caller) noexcept {
  struct Last {
    const void* caller = nullptr;
    const char* source = nullptr;
    const observe::Label* label = nullptr;
    const char* schedule = nullptr;
    observe::LoopSite* site = nullptr;
  };
  static constinit thread_local Last last __attribute__((tls_model("initial-exec")));
  const std::string_view schedule = k_schedule_names.of(kind, model);
  if (last.caller != caller || last.source != source || last.label != label ||
      last.schedule != schedule.data())
    last = {caller, source, label, schedule.data(), observe::find_site(caller, source, schedule, label)};
  return last.site;
}

namespace {

void measure_loop(Frame& frame, LoopKind kind, std::uint64_t units, TaskSchedule schedule, const char* source,
                  const void* caller, const Session& process) noexcept {
  frame.loop.start_measuring();
  begin_preemption(&frame);
  note_members(frame.member.members());
  frame.site = loop_site(kind, schedule.model, source, frame.label, caller);
  if (process.recorded) record_loop(frame, process.pace, units, schedule.chunk);
  if (process.traced) {
    loop::Event like{};
    like.site = frame.site;
    like.past = units;
    if (loop::Track* track = own_track())
      frame.member.trace(*track, like, core::tuning::k_joined_pieces * process.pace.target);
  }
  if (process.counted) begin_counting(&frame); // last, so that the rest of this is not counted
}

[[gnu::noinline]] void watch_loop(Frame& frame, LoopKind kind, std::uint64_t units, TaskSchedule schedule,
                                  const char* source, const void* caller, const Session& process) noexcept {
  if (process.measured && units != 0) measure_loop(frame, kind, units, schedule, source, caller, process);
  ompt::attend_loop(frame, kind, caller);
}

/// `watched`: the statistics or a tool may be interested in the loop.
[[gnu::always_inline]] inline bool begin(Frame& frame, LoopKind kind, std::uint64_t units,
                                         TaskSchedule schedule, const core::Settings& settings,
                                         const char* source, const void* caller, bool watched) noexcept {
  if (units == 0) [[unlikely]]
    frame.member.enter_empty();
  else if (!frame.member.enter(units, settings, schedule.chunk, schedule.model, caller)) [[unlikely]]
    return false;
  frame.loop.serve();
  if (watched && session().watches_loops()) [[unlikely]]
    watch_loop(frame, kind, units, schedule, source, caller, session());
  return true;
}

KeptTeam& setters_of(Frame& frame) noexcept { return static_cast<KeptTeam&>(*frame.member.team()); }

/// Returns the schedule on which the team agrees. The member of `frame` has set its own schedule, `now`, in
/// the middle of a region. OpenMP wants the members to agree when they meet a loop. If all members have set a
/// schedule, they agree. If a member has entered this loop without, the schedule that all had at first
/// counts. A member that comes before either is known waits: in a program that conforms, for no longer than
/// the others' omp_set_schedule takes.
[[gnu::noinline]] TaskSchedule agreed_schedule(Frame& frame, TaskSchedule now) noexcept {
  const TaskSchedule before = frame.schedule;
  if (!before.ours) return {}; // members that have set nothing go to the runtime, and we do not see them
  if (now == before) return now;
  constexpr std::uint32_t k_longest_ns = 1'000'000'000;
  const std::uint64_t start = Platform::ticks();
  const std::uint64_t longest = ticks_in(k_longest_ns);
  KeptTeam& setters = setters_of(frame);
  for (;;) {
    // In this order: a member may be ahead because it has seen that all have set theirs.
    const bool ahead = frame.member.others_are_ahead();
    if (setters.all_have_set(frame.member.members())) break;
    if (ahead) return before;
    if (core::elapsed(start, Platform::ticks()) > longest)
      setters.suppose_all_have_set(frame.member.members());
    else
      Platform::yield();
  }
  frame.schedule = now;
  return now;
}

/// Returns the rules and the hint of the region for the loop that the member of `frame` meets. Takes the hint
/// and the label in any case: they are not those of the next loop.
[[gnu::noinline]] config::Ruling take_ruling(Frame& frame, const char* source, const void* caller) noexcept {
  frame.label = take_label();
  config::Ruling ruling = std::exchange(frame.hint, {});
  ruling.overlay(ruling_of(caller, source, frame.label));
  if (session().rules != nullptr && frame.kind == Frame::Kind::team && frame.member.members() > 1)
    ruling = setters_of(frame).rulings().agree(frame.ruled++, ruling);
  return ruling;
}

/// Enters a loop that the calling thread meets in the region of `frame`. `ruling`: rules and hint for the
/// loop. Callers pass a constant {} if there are none, and compilers drop the tests in that copy.
[[gnu::always_inline]] inline Server enter(Frame& frame, LoopForm form, std::uint64_t units, bool dependent,
                                           const char* source, const void* caller, const Session& process,
                                           config::Ruling ruling, bool watched) noexcept {
  using Of = Frame::ScheduleOf;
  const auto is_wanted_here = [&] { return is_wanted(form.kind, ruling, process); };
  TaskSchedule schedule = frame.schedule;
  Server otherwise = Server::runtime;
  if (form.kind == LoopKind::runtime) {
    if (frame.schedule_of != Of::region) {
      schedule = task_schedule(caller);
      if (frame.schedule_of == Of::changed_task && form.stealable && is_wanted_here()) [[unlikely]]
        schedule = agreed_schedule(frame, schedule);
    }
    if (schedule.ours)
      otherwise = Server::fallback;
    else if (!ruling.names_schedule())
      return Server::runtime;
  } else {
    schedule = process.named;
  }
  if (frame.is_alone() && runtime_threads(caller) != 1) return otherwise;
  if (ruling.names_schedule()) schedule = schedule_of(ruling);
  return frame.may_serve() && form.stealable && !dependent && is_wanted_here() &&
                 begin(frame, form.kind, units, schedule, settings_of(ruling, process), source, caller,
                       watched)
             ? Server::ours
             : otherwise;
}

[[gnu::noinline]] Server enter_attended(Frame& frame, LoopForm form, std::uint64_t units,
                                        std::uint64_t iterations, bool dependent, const char* source,
                                        const void* caller) noexcept {
  const config::Ruling ruling = take_ruling(frame, source, caller);
  const bool cut = ruling.cuts_chunks() && units != iterations;
  const Server server =
      enter(frame, form, cut ? iterations : units, dependent, source, caller, session(), ruling, true);
  return server == Server::ours && cut ? Server::ours_cut : server;
}

} // namespace

void note_set_schedule(const void* caller) noexcept {
  using Of = Frame::ScheduleOf;
  Frame* frame = t_frame;
  if (frame == nullptr || frame->kind != Frame::Kind::team || frame->schedule_of != Of::task ||
      frame->member.members() == 1 || !frame->is_at(caller))
    return;
  frame->schedule = setters_of(*frame).schedule_before(task_schedule(caller));
  frame->schedule_of = Of::changed_task;
  setters_of(*frame).count_setter();
}

config::Fallback fallback_of(bool countable) noexcept {
  using config::FallbackKind;
  const config::Fallback& chosen = session().options.fallback;
  // libomp's guided loops, and its auto loops, lose all of so many iterations.
  if (countable || chosen.kind == FallbackKind::static_ || chosen.kind == FallbackKind::dynamic)
    return chosen;
  return {FallbackKind::dynamic, chosen.chunk};
}

bool begin_loop(Frame& frame, LoopKind kind, std::uint64_t units, const ServedAs& as,
                const void* caller) noexcept {
  frame.label = take_label();
  return begin(frame, kind, units, as.schedule, *as.settings, nullptr, caller, true);
}

bool begin_pieces(Frame& frame, std::uint64_t units, const ServedAs& as, bool is_whole, const void* caller,
                  const void* place) noexcept {
  frame.label = take_label();
  const TaskSchedule& schedule = as.schedule;
  const TaskSchedule used = is_whole ? TaskSchedule{true, core::Model::static_, 0} : schedule;
  if (!frame.member.enter(units, *as.settings, used.chunk, used.model, place)) return false;
  frame.loop.serve();
  if (session().watches_loops()) [[unlikely]]
    watch_loop(frame, LoopKind::proven, units, schedule, nullptr, caller, session());
  return true;
}

Server enter_loop(LoopForm form, std::uint64_t units, std::uint64_t iterations, const char* source,
                  const void* caller) noexcept {
  Frame* frame = innermost_frame();
  if (frame == nullptr) [[unlikely]]
    return Server::runtime;
  // We did not see this region opening. Only the runtime has the schedule by which all of its members decide:
  // a member may have changed its own since. (Our marks are good schedules of the runtime; for libgomp see
  // runtime_reads_mark().) Perhaps the region is inside a loop of ours, which has to stay as it is.
  if (!frame->is_at(caller)) [[unlikely]] {
    frame->loop.meet_foreign();
    return Server::runtime;
  }
  if (frame->member.in_loop()) [[unlikely]]
    leave_loop(*frame); // cancelled
  const bool dependent = frame->loop.begin_unclaimed();
  const Session& process = session();
  if (process.attends_loops() || frame->hint != config::Ruling{}) [[unlikely]]
    return enter_attended(*frame, form, units, iterations, dependent, source, caller);
  return enter(*frame, form, units, dependent, source, caller, process, {}, false);
}

} // namespace wstree::abi
