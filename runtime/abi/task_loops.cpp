// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "task_loops.h"

#include "frame.h"
#include "loop_entry.h"
#include "process/session.h"
#include "resolve/omp_queries.h"

#include <algorithm>

namespace wstree::abi {
namespace {

using Way = loop::TaskChoice::Way;

constinit Real<int()> g_get_cancellation = question<int()>("omp_get_cancellation");

bool may_cancel(const void* caller) noexcept {
  const auto get = g_get_cancellation.find(caller);
  return get == nullptr || get() != 0;
}

void measure(TaskLoopFacts& facts, std::uint32_t tasks, const char* source,
             const observe::Label* label) noexcept {
  note_members(tasks);
  facts.site = loop_site(config::LoopKind::taskloop, core::Model::tree, source, label, facts.caller);
  facts.began = Platform::ticks();
}

[[gnu::noinline]] void trace(const TaskLoop::Part& part) noexcept {
  loop::Track* const track = own_track();
  if (track == nullptr) return;
  const TaskLoopFacts& facts = part.loop->facts();
  loop::Event event{};
  event.kind = loop::Event::Kind::loop;
  event.begin = part.entered;
  event.end = part.left;
  event.past = part.loop->iterations();
  // Loops that use the same memory are told apart by when they began.
  event.execution =
      loop::execution_of(part.loop, facts.began & ((std::uint64_t{1} << loop::k_execution_bits) - 1));
  event.site = facts.site;
  event.member = part.index;
  event.members = part.loop->size();
  event.count = 1;
  track->add(event);
}

} // namespace

TaskLoop* begin_task_loop(TaskLoopFacts facts, std::uint64_t iterations, bool waits, const char* source,
                          TaskTimer* timer) noexcept {
  const Session& process = session();
  const observe::Label* const label = take_label();
  const ServedAs as = choose_schedule(config::LoopKind::taskloop, {}, ruling_of(facts.caller, source, label));
  if (!as.schedule.ours) return nullptr;
  const int threads = runtime_threads(facts.caller);
  if (threads < 2 || iterations < 2) return nullptr;
  facts.cancellable = may_cancel(facts.caller);
  if (facts.cancellable && !waits) return nullptr;
  if (timer != nullptr && waits && timer->start(facts.caller, iterations, as) == Way::runtime) return nullptr;
  const auto tasks =
      static_cast<std::uint32_t>(std::min<std::uint64_t>(static_cast<unsigned>(threads), iterations));
  if (process.measured) [[unlikely]]
    measure(facts, tasks, source, label);
  return TaskLoop::create(facts, iterations, tasks, *as.settings,
                          std::max<std::uint64_t>(as.schedule.chunk, 1));
}

Way TaskTimer::start(const void* caller, std::uint64_t iterations, const ServedAs& as) noexcept {
  const core::Settings& settings = *as.settings;
  const bool usual = settings.history && settings.batch == core::BatchMode::timed && as.schedule.chunk <= 1;
  TaskMemory* const own = usual ? own_task_memory() : nullptr;
  if (own == nullptr) return Way::tree;
  caller_ = caller;
  iterations_ = iterations;
  way_ = own->choices.at(caller).choose(iterations, settings);
  since_ = Platform::ticks();
  return way_;
}

void TaskTimer::learn() noexcept {
  const std::uint64_t ticks = core::elapsed(since_, Platform::ticks());
  // Looked up anew: tasks that the thread has executed meanwhile may have met loops of other places.
  if (TaskMemory* const own = own_task_memory()) own->choices.at(caller_).learn(way_, iterations_, ticks);
}

void end_task_loop(TaskLoop& loop) noexcept {
  if (observe::LoopSite* const site = loop.facts().site) observe::record(*site, loop.execution());
  TaskLoop::destroy(&loop);
}

core::Prior* prior_of(const TaskLoop& loop) noexcept {
  if (loop.iterations() <= loop.size()) return nullptr;
  TaskMemory* const own = own_task_memory();
  return own != nullptr ? &own->priors.at(loop.facts().caller) : nullptr;
}

void leave_task_loop(TaskLoop::Part& part) noexcept {
  TaskLoop& loop = *part.loop;
  if (loop.facts().site != nullptr && session().traced) [[unlikely]]
    trace(part);
  const bool ends_here = !loop.facts().cancellable;
  if (loop.leave() && ends_here) end_task_loop(loop);
}

} // namespace wstree::abi
