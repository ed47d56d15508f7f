// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "placement.h"

#include "own_stack.h"

#include "wstree/core/platform.h"

#include <sched.h>

#include <algorithm>
#include <new>

namespace wstree::place {
namespace {

/// The CPU on which the calling thread was seen, for its whole life: index of a CPU + 1, k_unknown, or 0 for
/// not yet.
constinit thread_local std::uint32_t t_seen __attribute__((tls_model("initial-exec"))) = 0;

/// A key to which the calling thread could not be pinned, so that it is not tried in every region.
struct Refusal {
  PinKey key = 0;
  pthread_t opener{};
};
constinit thread_local Refusal t_refused __attribute__((tls_model("initial-exec")));

bool runs_on(const CpuSet& set) noexcept {
  const int cpu = sched_getcpu();
  return cpu >= 0 && set.has(static_cast<std::uint32_t>(cpu));
}

} // namespace

Placement* Placement::make(config::Bind bind, const char* const* envp, std::string_view& why) noexcept {
  std::unique_ptr<Placement> made(new (std::nothrow) Placement);
  why = "no memory";
  if (made == nullptr) return nullptr;
  made->bind_ = bind;
  made->limits_ = find_limits(envp);
  if (const auto places = config::find_variable(envp, "OMP_PLACES"); places && !places->empty()) {
    made->user_places_text_.reset(new (std::nothrow) char[places->size()]);
    if (made->user_places_text_ == nullptr) return nullptr;
    std::copy(places->begin(), places->end(), made->user_places_text_.get());
    made->user_places_ = {made->user_places_text_.get(), places->size()};
  }
  // Last: it may wait for the loader's lock, and the program may have freed `envp` afterwards.
  made->machine_ = Machine::load({.mask = made->limits_.runtime_binds ? &made->limits_.mask : nullptr}, why);
  if (made->machine_ == nullptr) return nullptr;
  return made.release();
}

Placement::~Placement() {
  for (auto& entry : plans_) {
    TeamPlan* plan = entry.load(std::memory_order_relaxed); // alone
    if (plan != impossible()) delete plan;
  }
}

TeamPlan* Placement::find_plan(std::uint32_t members, TeamPlan* known, bool& fresh) noexcept {
  auto& entry = plans_[members];
  // acquire everywhere: pairs with the release below, so that the plan is complete.
  if (known == nullptr) {
    // No handler may run in the thread that makes the plan: it might open a region, which waits for the plan.
    stack::on_own_stack([&] {
      if (!entry.compare_exchange_strong(known, in_the_making(), std::memory_order_acquire)) return;
      known = make_plan(members);
      fresh = known != nullptr;
      if (!fresh) known = impossible();
      entry.store(known, std::memory_order_release);
    });
  }
  // Once for each size: the other members of its first team wait for the member that makes the plan.
  while (known == in_the_making()) {
    core::StdPlatform::yield();
    known = entry.load(std::memory_order_acquire);
  }
  return known == impossible() ? nullptr : known;
}

TeamPlan* Placement::make_plan(std::uint32_t members) noexcept {
  std::unique_ptr<TeamPlan> plan(new (std::nothrow) TeamPlan);
  if (plan == nullptr) return nullptr;
  plan->members_ = members;
  plan->decision_ = decide(bind_, limits_, *machine_, members);
  if (plan->decision_.pins) {
    std::string_view why;
    if (!user_places_.empty()) plan->places_ = Places::parse(*machine_, user_places_, why);
    plan->own_places_ = plan->places_ == nullptr; // the runtime has reported the error in OMP_PLACES
    if (plan->own_places_) plan->places_ = Places::by_default(*machine_, members, plan->decision_.spacing);
    if (plan->places_ == nullptr) return nullptr;
    plan->layout_ = Layout::make(*machine_, *plan->places_, plan->decision_.spacing, members);
    if (plan->layout_ == nullptr) return nullptr;
    plan->first_ = mask(*plan, 0);
  } else {
    plan->seen_.reset(new (std::nothrow) std::atomic<std::uint32_t>[members]());
    if (plan->seen_ == nullptr) return nullptr;
    plan->unseen_.store(members, std::memory_order_relaxed); // published with the plan
  }
  return plan.release();
}

core::Neighbourhood Placement::settle(TeamPlan& plan, std::uint32_t member, pthread_t opener,
                                      bool& pinned) noexcept {
  pinned = false;
  if (plan.decision_.pins) {
    if (member == 0)
      move_opener(plan);
    else if (const PinKey wanted = key(plan, member); pinned_to() != wanted)
      pinned = pin(plan, member, opener, wanted);
    return plan.layout_->neighbourhood(member);
  }
  // A team that leaves cores to others keeps the pins that it has: a program may go back and forth between
  // two sizes.
  if (member != 0 && plan.decision_.reason != Reason::cores_left && pinned_to() != 0 && is_as_it_was(opener))
    unpin_thread();
  // acquire: pairs with the release in look(), so that the layout is complete.
  const Layout* layout = plan.observed_.load(std::memory_order_acquire);
  if (layout != nullptr) return layout->neighbourhood(member);
  if (plan.unseen_.load(std::memory_order_relaxed) != 0) look(plan, member); // relaxed: a hint
  return {};
}

bool Placement::pin(const TeamPlan& plan, std::uint32_t member, pthread_t opener, PinKey wanted) noexcept {
  if (t_refused.key == wanted && t_refused.opener == opener) return false;
  if (is_as_it_was(opener) && pin_thread(wanted, mask(plan, member), limits_.mask)) return true;
  t_refused = {wanted, opener};
  return false;
}

/// Returns whether the opening thread, which is never pinned, still has the mask that all of this was made
/// for. The mask of a pinned thread does not show whether it was meanwhile given the very CPU that it is
/// pinned to.
bool Placement::is_as_it_was(pthread_t opener) noexcept {
  while (true) {
    // acquire here and release in the second look: the system call stays between the two.
    const std::uint32_t before = moves_.load(std::memory_order_acquire);
    CpuSet present;
    if (pthread_getaffinity_np(opener, CpuSet::k_bytes, static_cast<cpu_set_t*>(present.data())) != 0)
      return false;
    const std::uint32_t after = moves_.fetch_add(0, std::memory_order_acq_rel);
    if (before == after && before % 2 == 0) return present == limits_.mask;
    core::StdPlatform::yield(); // it is being moved
  }
}

void Placement::move_opener(const TeamPlan& plan) noexcept {
  if (runs_on(plan.first_)) return;
  // acq_rel both times: pairs with is_as_it_was(), which must not take the mask in between for a foreign one.
  moves_.fetch_add(1, std::memory_order_acq_rel);
  move_thread(plan.first_);
  moves_.fetch_add(1, std::memory_order_acq_rel); // as above
}

/// Notes where the calling thread is. The thread that completes the list makes the layout.
void Placement::look(TeamPlan& plan, std::uint32_t member) noexcept {
  if (pinned_to() != 0) return; // left over from another size
  if (t_seen == 0) t_seen = own_cpu();
  if (t_seen == k_unknown)
    return plan.unseen_.store(0, std::memory_order_relaxed); // in vain: no thread need look
  // relaxed: only the first thread to set an entry goes on, and the entry holds all its data.
  if (plan.seen_[member].exchange(t_seen, std::memory_order_relaxed) != 0) return;
  // acq_rel: release hands this entry over to the thread that counts to zero, acquire lets that one read
  // all entries.
  if (plan.unseen_.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  const std::unique_ptr<std::uint32_t[]> cpus(new (std::nothrow) std::uint32_t[plan.members_]);
  if (cpus == nullptr) return;
  for (std::uint32_t m = 0; m < plan.members_; ++m)
    cpus[m] = plan.seen_[m].load(std::memory_order_relaxed) - 1; // ordered by the countdown
  plan.observed_.store(Layout::of_cpus(*machine_, {cpus.get(), plan.members_}).release(),
                       std::memory_order_release);
}

/// Returns 1 + the index of the first CPU in the calling thread's mask, if the runtime or a tool has placed
/// it; k_unknown if not.
std::uint32_t Placement::own_cpu() const noexcept {
  CpuSet allowed = current_mask();
  allowed.keep(machine_->set());
  if (allowed.empty() || allowed == machine_->set()) return k_unknown;
  return machine_->find(allowed.next(0)) + 1;
}

CpuSet Placement::mask(const TeamPlan& plan, std::uint32_t member) const noexcept {
  return plan.places_->mask(*machine_, plan.layout_->place(member));
}

/// Places of the library are rows of CPUs and have the same name in teams of different size.
PinKey Placement::key(const TeamPlan& plan, std::uint32_t member) const noexcept {
  const std::uint32_t place = plan.layout_->place(member);
  if (!plan.own_places_) return PinKey{1} << 62 | (place + 1);
  return PinKey{plan.places_->cpu(place, 0) + 1} << 16 | plan.places_->cpus(place);
}

ReasonText Placement::explain(const TeamPlan& plan) const noexcept {
  return place::explain(plan.decision_, limits_, *machine_, plan.members_);
}

} // namespace wstree::place
