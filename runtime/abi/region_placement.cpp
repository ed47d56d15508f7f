// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "region_placement.h"

#include "affinity_line.h"
#include "aside_task.h"
#include "balanced_regions.h"
#include "host_guard.h"
#include "idle_threads.h"
#include "message.h"
#include "own_stack.h"
#include "placed_turn.h"
#include "placement.h"
#include "process/load_time.h"
#include "process_limits.h"

#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cfenv>

namespace wstree::abi {
namespace {

/// Time that `auto` waits after the first served loop.
constexpr std::uint32_t k_wait_ns = 200'000'000;

// relaxed, all but g_placement: they decide the next attempt, and no thread reads anything through them.
constinit std::atomic<bool> g_decided{false};  // a thread has begun to look at the machine
constinit std::atomic<bool> g_stopped{false};  // auto has given up
constinit std::atomic<std::uint64_t> g_due{0}; // in ticks; 0: no served loop yet
constinit std::atomic<place::Placement*> g_placement{nullptr};
constinit PlacedTurn g_turn;

bool is_auto() noexcept { return session().options.bind == config::Bind::auto_; }

constexpr std::string_view k_filtered = "the process has put up a filter of system calls";

void say_placement(std::string_view text, std::string_view reason) noexcept {
  if (!session().options.verbose) return;
  config::FixedText<256> line("wstree: placement: ");
  line.append(text).append(" (").append(config::to_text(session().options.bind)).append(": ");
  line.append(reason).append(')');
  observe::say(line.view());
}

void look_at_machine() noexcept {
  const place::MachineLook look;
  if (!look.may_begin()) return say_placement("threads are not pinned", k_filtered);
  const observe::HostGuard guard; // we read files, and so does hwloc
  std::string_view why;
  if (is_auto()) {
    // We would pin all children that work side by side to the same CPUs.
    if (place::in_forked_child()) return say_placement("threads are not pinned", "a forked process");
    if (pthread_atfork(nullptr, nullptr, [] { g_stopped.store(true, std::memory_order_relaxed); }) != 0)
      return say_placement("threads are not pinned", "no memory");
  }
  place::Placement* made = place::Placement::make(session().options.bind, environ, why);
  if (made == nullptr) return say_placement("threads are not pinned", why);
  // release: pairs with the acquire in RegionPlacement(), so that it is complete.
  g_placement.store(made, std::memory_order_release);
}

/// hwloc computes with floats, in a thread that the program has made or that inherits its settings: they may
/// trap there.
void look_in_default_floats() noexcept {
  std::fenv_t own;
  std::fegetenv(&own);
  std::fesetenv(FE_DFL_ENV);
  look_at_machine();
  std::fesetenv(&own);
}

/// Stack of the thread that looks at the machine. Thread-local data of the program take their part of it.
constexpr std::size_t k_stack_to_look = stack::k_own_stack * 4;

/// hwloc is opened, which takes the loader's lock. If another thread has not done that soon, the region goes
/// on without places; later ones get them. (In the child of a fork that comes meanwhile nothing is placed.)
[[gnu::cold]] void decide() noexcept {
  if (g_decided.exchange(true, std::memory_order_relaxed)) return;
  if (place::has_new_call_filter()) return say_placement("threads are not pinned", k_filtered);
  if (has_memory_sanitizer())
    return say_placement("threads are not pinned", "the process has a memory sanitizer");
  static constinit AsideTask task{look_in_default_floats, k_stack_to_look};
  const AsideTask::Outcome outcome = task.run();
  if (outcome == AsideTask::Outcome::given_up)
    say_placement("threads are not pinned", "the list of loaded objects was locked for too long");
  else if (outcome == AsideTask::Outcome::no_thread)
    stack::on_own_stack([] { look_in_default_floats(); });
}

bool is_due() noexcept {
  const config::Bind bind = session().options.bind;
  if (bind == config::Bind::close || bind == config::Bind::spread) return true;
  const std::uint64_t due = g_due.load(std::memory_order_relaxed);
  return due != 0 && core::StdPlatform::ticks() >= due;
}

void show_plan(const place::Placement& placement, const place::TeamPlan& plan) noexcept {
  say_placement(plan.decision().pins ? "threads are pinned" : "threads are not pinned",
                placement.explain(plan).view());
}

void show_pin(const Frame& frame, const place::CpuSet& mask) noexcept {
  const place::CpuListText cpus = place::to_list(mask);
  observe::AffinityFacts facts;
  facts.nesting_level = static_cast<std::uint64_t>(std::max(frame.place.level, 0));
  facts.thread_num = frame.member.index();
  facts.num_threads = frame.member.members();
  facts.ancestor_tnum = 0;
  facts.thread_affinity = cpus.view();
  observe::HostName host;
  observe::add_system_facts(facts, host);
  observe::say(observe::affinity_line(session().options.affinity_format.view(), facts).view());
}

[[gnu::noinline]] void trace_region(std::uint64_t since) noexcept {
  loop::Event event{};
  event.kind = loop::Event::Kind::region;
  event.begin = since;
  event.end = Platform::ticks();
  event.count = 1;
  if (loop::Track* track = own_track()) track->add(event);
}

/// Starts the wait of `auto`, if that has not begun, at the end of a region of the calling thread in which
/// served loops have run. Called while no thread has decided.
[[gnu::noinline]] void note_served_region() noexcept {
  if (g_due.load(std::memory_order_relaxed) == 0)
    g_due.store(core::StdPlatform::ticks() + ticks_in(k_wait_ns), std::memory_order_relaxed);
}

} // namespace

RegionPlacement::RegionPlacement(const void* caller) noexcept
    : nested_(t_frame != nullptr && t_frame->in_parallel) {
  if (nested_ && place::pinned_to() != 0 && runtime_may_nest(caller)) unpinned_.emplace();
  if (!g_decided.load(std::memory_order_relaxed) && !nested_ && is_due()) [[unlikely]]
    decide();
  // acquire: pairs with the release in look_at_machine().
  place::Placement* placement = g_placement.load(std::memory_order_acquire);
  if (placement == nullptr || nested_ || g_stopped.load(std::memory_order_relaxed)) return;
  if (!g_turn.take(opener_)) {
    if (is_auto()) g_stopped.store(true, std::memory_order_relaxed);
    return;
  }
  placement_ = placement;
}

RegionPlacement::~RegionPlacement() {
  if (placement_ != nullptr) g_turn.give_back();
}

void RegionPlacement::enter_unplaced(bool nested, std::uint32_t index) noexcept {
  if (nested && !g_stopped.load(std::memory_order_relaxed) && is_auto())
    g_stopped.store(true, std::memory_order_relaxed);
  // Member 0 is a worker of the team around this one, and keeps a pin that the user asked for.
  if (place::pinned_to() != 0 && (index != 0 || is_auto())) place::unpin_thread();
}

void RegionPlacement::enter_placed(pthread_t opener, Frame& frame) noexcept {
  // relaxed: the thread that forked this member has seen it complete, and no thread ever replaces it.
  place::Placement& placement = *g_placement.load(std::memory_order_relaxed);
  bool fresh = false;
  place::TeamPlan* plan = placement.plan(frame.member.members(), fresh);
  if (plan == nullptr || (!fresh && plan->says_nothing() && place::pinned_to() == 0)) return;
  settle(placement, *plan, fresh, opener, frame);
}

void RegionPlacement::settle(place::Placement& placement, place::TeamPlan& plan, bool is_new,
                             pthread_t opener, Frame& frame) noexcept {
  const std::uint32_t index = frame.member.index();
  if (is_new && session().options.verbose) [[unlikely]]
    stack::on_own_stack([&] { show_plan(placement, plan); });
  bool pinned = false;
  frame.member.set_neighbourhood(placement.settle(plan, index, opener, pinned));
  if (pinned && session().options.display_affinity) [[unlikely]]
    stack::on_own_stack([&] { show_pin(frame, placement.mask(plan, index)); });
}

ServedRegion::ServedRegion(const void* caller, Interface interface, const TaskSchedule& schedule,
                           const void* code, const char* source) noexcept
    : team_(borrow_team()), placement_(caller) {
  if (team_ == nullptr) [[unlikely]] {
    t_label = nullptr;
    t_hint = {};
    lone_terms_.emplace(placement_.describe(caller, interface, schedule, {}));
    return;
  }
  const Session& process = session();
  if (process.watches_regions) [[unlikely]]
    watch(caller);
  team_->forget_setters();
  const Team::Opening& opening = team_->open();
  base_ = opening.base;
  Terms terms = placement_.describe(caller, interface, schedule, team_->terms());
  terms.storage = opening.storage;
  terms.loops = opening.next - opening.base;
  if (t_label != nullptr || has_hint() || (code != nullptr && process.balances)) [[unlikely]]
    terms.words = find_words(caller, code, source);
  team_->set_terms(terms);
}

void ServedRegion::watch(const void* caller) noexcept {
  team_->rulings().clear();
  watched_since_ = std::max<std::uint64_t>(Platform::ticks(), 1);
  if (session().watches_gaps && !placement_.is_nested()) end_gap(caller);
}

const RegionWords* ServedRegion::find_words(const void* caller, const void* code,
                                            const char* source) noexcept {
  RegionWords& words = team_->words();
  words.label = take_label();
  words.hint = take_hint();
  const bool balances = code != nullptr && session().balances;
  words.balanced = balances ? open_balanced(code, caller, source, words.label) : nullptr;
  return &words;
}

ServedRegion::~ServedRegion() {
  if (team_ == nullptr) return;
  if (const RegionWords* words = team_->terms().words; words != nullptr && words->balanced != nullptr)
      [[unlikely]]
    close_balanced(*words->balanced, team_->terms().caller, words->label);
  if (team_->close() && !g_decided.load(std::memory_order_relaxed)) [[unlikely]]
    note_served_region();
  if (watched_since_ != 0) [[unlikely]] {
    if (session().traced) trace_region(watched_since_);
    if (session().watches_gaps && !placement_.is_nested()) begin_gap();
  }
  give_back_team(team_);
}

} // namespace wstree::abi
