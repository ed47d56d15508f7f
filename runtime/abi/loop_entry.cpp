// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "loop_entry.h"

#include "statistics.h"

#include <algorithm>
#include <string_view>

namespace wstree::abi {
namespace {

using config::LoopKind;

constexpr std::string_view schedule_name(LoopKind kind) noexcept {
  switch (kind) {
  case LoopKind::runtime:
    break;
  case LoopKind::dynamic:
    return "wstree (dynamic)";
  case LoopKind::guided:
    return "wstree (guided)";
  case LoopKind::auto_:
    return "wstree (auto)";
  }
  return "wstree";
}

/// The statistics' site of the loop. A thread mostly asks again for the one that it asked for last.
observe::LoopSite* site_of(LoopKind kind, const char* source, const void* caller) noexcept {
  struct Last {
    const void* caller = nullptr;
    const char* source = nullptr;
    observe::LoopSite* site = nullptr;
  };
  static constinit thread_local Last last __attribute__((tls_model("initial-exec")));
  if (last.caller != caller || last.source != source)
    last = {caller, source, observe::find_site(caller, source, schedule_name(kind))};
  return last.site;
}

[[gnu::noinline]] void measure_loop(Frame& frame, LoopKind kind, const char* source,
                                    const void* caller) noexcept {
  frame.measured = true;
  note_members(frame.member.members());
  frame.site = site_of(kind, source, caller);
}

[[gnu::always_inline]] inline bool begin(Frame& frame, LoopKind kind, std::uint64_t units,
                                         std::uint64_t smallest, const char* source, const void* caller,
                                         const Session& process) noexcept {
  if (units == 0) [[unlikely]]
    frame.member.enter_empty();
  else if (!frame.member.enter(units, process.settings, smallest)) [[unlikely]]
    return false;
  frame.loop = Frame::Loop::served;
  frame.last_loop_served = true;
  frame.registered = false;
  frame.measured = false;
  if (process.measured && units != 0) [[unlikely]]
    measure_loop(frame, kind, source, caller);
  return true;
}

} // namespace

bool begin_loop(Frame& frame, LoopKind kind, std::uint64_t units, std::uint64_t smallest, const char* source,
                const void* caller) noexcept {
  return begin(frame, kind, units, smallest, source, caller, session());
}

Server enter_loop(LoopForm form, std::uint64_t units, const char* source, const void* caller) noexcept {
  Frame* frame = innermost_frame();
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
  std::uint64_t smallest = 1;
  if (asks_environment) {
    bool tree = frame->tree;
    smallest = frame->smallest;
    if (frame->asks) {
      const TaskSchedule schedule = task_schedule(caller);
      tree = schedule.tree;
      smallest = schedule.chunk;
    }
    if (!tree) return Server::runtime;
  }
  if (frame->alone && runtime_threads(caller) != 1) return Server::runtime;
  const Session& process = session();
  if (frame->serves && form.stealable && !dependent && process.options.loops.has(form.kind) &&
      begin(*frame, form.kind, units, smallest, source, caller, process)) [[likely]]
    return Server::tree;
  return asks_environment ? Server::fallback : Server::runtime;
}

} // namespace wstree::abi
