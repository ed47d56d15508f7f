// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "loop_entry.h"

#include "statistics.h"
#include "words.h"

#include <bit>
#include <cstddef>
#include <string_view>

namespace wstree::abi {
namespace {

using config::LoopKind;

/// Names of the schedules in the statistics: "wsrange", "wsqueue (dynamic)". They live as long as the
/// process.
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

/// The statistics' site of the loop. A thread mostly asks again for the one that it asked for last.
observe::LoopSite* site_of(LoopKind kind, core::Model model, const char* source,
                           const void* caller) noexcept {
  struct Last {
    const void* caller = nullptr;
    const char* source = nullptr;
    const char* schedule = nullptr;
    observe::LoopSite* site = nullptr;
  };
  static constinit thread_local Last last __attribute__((tls_model("initial-exec")));
  const std::string_view schedule = k_schedule_names.of(kind, model);
  if (last.caller != caller || last.source != source || last.schedule != schedule.data())
    last = {caller, source, schedule.data(), observe::find_site(caller, source, schedule)};
  return last.site;
}

[[gnu::noinline]] void measure_loop(Frame& frame, LoopKind kind, std::uint64_t units, TaskSchedule schedule,
                                    const char* source, const void* caller, const Session& process) noexcept {
  frame.measured = true;
  note_members(frame.member.members());
  frame.site = site_of(kind, schedule.model, source, caller);
  if (process.recorded) record_loop(frame, process.pace, units, schedule.chunk);
}

[[gnu::always_inline]] inline bool begin(Frame& frame, LoopKind kind, std::uint64_t units,
                                         TaskSchedule schedule, const char* source, const void* caller,
                                         const Session& process) noexcept {
  if (units == 0) [[unlikely]]
    frame.member.enter_empty();
  else if (!frame.member.enter(units, process.settings, schedule.chunk, schedule.model, caller)) [[unlikely]]
    return false;
  frame.loop = Frame::Loop::served;
  frame.last_loop_served = true;
  frame.registered = false;
  frame.measured = false;
  if (process.measured && units != 0) [[unlikely]]
    measure_loop(frame, kind, units, schedule, source, caller, process);
  return true;
}

KeptTeam& setters_of(Frame& frame) noexcept { return static_cast<KeptTeam&>(*frame.member.team()); }

/// What the team goes by, where the member of `frame` has set its own schedule, which is `now`, in the middle
/// of a region. OpenMP wants the members to agree when they meet a loop. If all have set theirs they do; if
/// somebody has gone into this loop without, it is served by what all had at first. Whoever comes before that
/// is known waits: in a program that conforms, for no more than the others' omp_set_schedule.
[[gnu::noinline]] TaskSchedule agreed_schedule(Frame& frame, TaskSchedule now) noexcept {
  const TaskSchedule before{frame.ours, frame.model, frame.smallest};
  if (!before.ours) return {}; // who has set nothing goes to the runtime unseen
  if (now == before) return now;
  constexpr double k_longest_ns = 1e9;
  const std::uint64_t start = Platform::ticks();
  const auto longest = static_cast<std::uint64_t>(k_longest_ns / ns_per_tick());
  KeptTeam& setters = setters_of(frame);
  const std::uint64_t base = frame.member.base();
  for (;;) {
    // In this order: who is ahead because all have set theirs has seen that before.
    const bool ahead = frame.member.others_are_ahead();
    if (setters.all_have_set(base, frame.member.members())) break;
    if (ahead) return before;
    if (Platform::ticks() - start > longest)
      setters.suppose_all_have_set(base, frame.member.members());
    else
      Platform::yield();
  }
  frame.ours = now.ours;
  frame.model = now.model;
  frame.smallest = now.chunk;
  return now;
}

} // namespace

void note_set_schedule(const void* caller) noexcept {
  Frame* frame = t_frame;
  if (frame == nullptr || !frame->is_team_that_asks() || frame->has_set || !frame->is_at(caller)) return;
  const TaskSchedule before = task_schedule(caller);
  frame->ours = before.ours;
  frame->model = before.model;
  frame->smallest = before.chunk;
  frame->has_set = true;
  setters_of(*frame).count_setter(frame->member.base());
}

bool begin_loop(Frame& frame, LoopKind kind, std::uint64_t units, TaskSchedule schedule,
                const void* caller) noexcept {
  return begin(frame, kind, units, schedule, nullptr, caller, session());
}

Server enter_loop(LoopForm form, std::uint64_t units, const char* source, const void* caller) noexcept {
  Frame* frame = innermost_frame();
  // In a region that we did not see opening only the runtime knows by what all of its members decide; a
  // member may have changed its own schedule since. Our marks are good schedules of the runtime.
  if (frame == nullptr) [[unlikely]]
    return Server::runtime;
  if (!frame->is_at(caller)) [[unlikely]] {
    // A region that was forked out of our sight, perhaps inside a loop of ours, which must stay as it is.
    if (frame->loop == Frame::Loop::served) frame->loop = Frame::Loop::foreign_inside;
    return Server::runtime;
  }
  if (frame->member.in_loop()) [[unlikely]]
    leave_loop(*frame); // cancelled
  frame->loop = Frame::Loop::none;
  frame->last_loop_served = false;
  const bool dependent = frame->doacross;
  frame->doacross = false;
  const bool asks_environment = form.kind == LoopKind::runtime;
  TaskSchedule schedule{frame->ours, frame->model, frame->smallest};
  if (asks_environment) {
    if (frame->asks) {
      schedule = task_schedule(caller);
      if (frame->has_set && form.stealable && session().options.loops.has(form.kind)) [[unlikely]]
        schedule = agreed_schedule(*frame, schedule);
    }
    if (!schedule.ours) return Server::runtime;
  }
  const Server otherwise = asks_environment ? Server::fallback : Server::runtime;
  if (frame->alone && runtime_threads(caller) != 1) return otherwise;
  const Session& process = session();
  if (!asks_environment) schedule = process.named;
  if (frame->serves && form.stealable && !dependent && process.options.loops.has(form.kind) &&
      begin(*frame, form.kind, units, schedule, source, caller, process)) [[likely]]
    return Server::ours;
  return otherwise;
}

} // namespace wstree::abi
