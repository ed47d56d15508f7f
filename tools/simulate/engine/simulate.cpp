// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "simulate.h"
#include "platform.h"
#include "speeds.h"

#include "peers/workers.h"
#include "slot.h"

#include "wstree/core/models.h"
#include "wstree/core/pace.h"
#include "wstree/core/rng.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <variant>

namespace wstree::simulate {

namespace {

using core::Counts;

constexpr Time k_pause = 10'000 * k_ns; // between two loops; and no clock ever reads 0

/// The members of a virtual machine, and for each the members that are near it.
class Team {
public:
  explicit Team(const Job& job) : machine_(job.machine.machine(job.members)) {
    for (std::uint32_t m = 0; m < job.members; ++m) {
      auto& domains = domains_.emplace_back();
      for (const std::uint32_t size : machine_.domain_sizes) {
        const std::uint32_t begin = m / size * size;
        domains.push_back({begin, std::min(begin + size, job.members)});
      }
    }
    if (!job.machine.aware || machine_.domain_sizes.empty()) return;
    for (std::uint32_t m = 0; m < job.members; ++m)
      near_.push_back({nullptr, domains_[m].data(), static_cast<std::uint32_t>(domains_[m].size()), m});
  }
  const VirtualMachine& machine() const { return machine_; }
  const core::Neighbourhood* near(std::uint32_t member) const {
    return near_.empty() ? nullptr : &near_[member];
  }

private:
  VirtualMachine machine_;
  std::vector<std::vector<core::Domain>> domains_;
  std::vector<core::Neighbourhood> near_;
};

/// Returns the times of arrival. Member 0 opens the region and is there first.
std::vector<Time> arrivals(const Job& job, std::uint32_t round) {
  core::Rng random(job.seed * 1'000 + round);
  std::vector<Time> times(job.members);
  for (std::uint32_t m = 1; m < job.members; ++m) times[m] = random.next() % (job.machine.skew + 1);
  return times;
}

template <class Worker> class Simulation {
public:
  explicit Simulation(const Job& job)
      : job_(job), team_(job), caches_(team_.machine(), job.machine.prices_on(team_.machine())),
        speeds_(job.machine, job.members), noise_(job.machine.noise, job.members, job.seed),
        slot_(std::make_unique<Slot>(job.members)), paces_(job.members),
        probes_(new core::PaceKeeper<SimulatedPlatform>::Ticks[job.members]()), priors_(job.members) {
    speeds_.error = job.speed_error;
  }

  std::vector<Round> run() {
    std::vector<Round> rounds;
    for (std::uint32_t r = 0; r < job_.rounds; ++r) rounds.push_back(run_once(r));
    return rounds;
  }

private:
  using Slot = SlotOf<SimulatedPlatform, Worker>;

  Round run_once(std::uint32_t round) {
    // The coins of a worker follow from the number of its loop.
    number_ = job_.seed * 1'000 + round + 1;
    workload_ = job_.workload_of ? &job_.workload_of(round) : job_.workload;
    preemption_ = job_.preemption && job_.preemption->round == round ? job_.preemption : std::nullopt;
    cancels_ = job_.cancelled_by ? job_.cancelled_by(round) : std::nullopt;
    is_cancelled_ = false;
    begin_ = end_ + k_pause;
    end_ = begin_;
    caches_.forget_traffic();
    distance_.emplace(team_.machine(), workload_->iterations());
    std::vector<Worker> workers(job_.members);
    left_.assign(job_.members, 0);
    Standstill standstill(job_.suspension);
    const auto late = arrivals(job_, round);
    VirtualClock clock;
    for (std::uint32_t m = 0; m < job_.members; ++m) {
      clock.start(m, begin_ + late[m], [this, m, round, &workers] { work(workers[m], m, round); });
    }
    SimulatedPlatform::caches = &caches_;
    SimulatedPlatform::interruptions = job_.machine.noise.every != 0 ? &noise_ : nullptr;
    SimulatedPlatform::standstill = job_.suspension.at != 0 ? &standstill : nullptr;
    SimulatedPlatform::speeds = &speeds_;
    SimulatedPlatform::tick_price = job_.machine.tick;
    SimulatedPlatform::clock_step = job_.machine.clock_step;
    clock.run([](std::uint32_t m) { SimulatedPlatform::member = m; });
    SimulatedPlatform::caches = nullptr;
    SimulatedPlatform::interruptions = nullptr;
    SimulatedPlatform::standstill = nullptr;
    SimulatedPlatform::speeds = nullptr;
    VirtualClock::now = end_;
    Round result;
    result.time = end_ - begin_ + job_.machine.region;
    result.ideal = ideal(*workload_, job_.members, job_.machine, begin_);
    result.traffic = caches_.traffic();
    result.travel = distance_->travel();
    result.left = left_;
    if (standstill.since()) result.suspended = *standstill.since() - begin_;
    result.suspended_at = standstill.operation();
    for (const Worker& worker : workers) result.counts += worker.counts();
    return result;
  }

  void work(Worker& worker, std::uint32_t member, std::uint32_t round) {
    const auto entry = entry_of(member);
    noise_.start(member, VirtualClock::now);
    speeds_.set_in_loop(member, true);
    busy(member, job_.machine.enter);
    enter(worker, entry);
    for (core::Range range; !is_cancelled_;) {
      busy(member, job_.machine.dispatch);
      if (!worker.next(range)) break;
      if (job_.seen) job_.seen(round, member, range);
      const Time cost = workload_->cost(range.begin, range.end);
      distance_->handed(member, range, cost);
      speeds_.set_busy(member, true);
      busy(member, cost, true);
      speeds_.set_busy(member, false);
      if (cancels_ && *cancels_ >= range.begin && *cancels_ < range.end) is_cancelled_ = true;
    }
    speeds_.set_in_loop(member, false);
    end_ = std::max(end_, VirtualClock::now);
    left_[member] = VirtualClock::now - begin_;
  }

  void enter(Worker& worker, const core::Entry& entry) {
    if (core::is_refresh_due<SimulatedPlatform>(entry.use)) slot_->refresh(entry.use);
    worker.enter(slot_->loop(), slot_->memory(entry.index), entry);
  }

  /// Keeps the member busy with work that takes `time` at normal speed.
  void busy(std::uint32_t member, Time time, bool is_iteration = false) {
    if (SimulatedPlatform::standstill != nullptr) SimulatedPlatform::standstill->does(member, {});
    if (!speeds_.are_constant()) return busy_at_changing_speed(member, time, is_iteration);
    if (!job_.machine.speeds.empty()) time = time * 1'000 / job_.machine.speed(member);
    if (preemption_ && preemption_->member == member &&
        VirtualClock::now + time > begin_ + preemption_->after) {
      time += preemption_->lasts;
      preemption_.reset();
    }
    SimulatedPlatform::pass(time);
  }

  void busy_at_changing_speed(std::uint32_t member, Time work, bool is_iteration) {
    while (work != 0) {
      const Speeds::Step step = speeds_.step(member, VirtualClock::now, work, is_iteration);
      SimulatedPlatform::pass(step.takes);
      work -= step.done;
    }
  }

  core::Entry entry_of(std::uint32_t member) {
    core::Entry entry = Slot::entry(workload_->iterations(), number_, member, job_.members, job_.settings,
                                    job_.schedule.chunk, team_.near(member));
    if (job_.workload_of) entry.prior = &priors_[member]; // all rounds are at one code location
    if (job_.workload_of || !job_.machine.speeds.empty() || !speeds_.are_constant())
      entry.pace = paces_[member].enter(priors_[member], entry.iterations, entry.loop, member, job_.members,
                                        job_.settings, probes_.get());
    return entry;
  }

  const Job& job_;
  Team team_;
  Caches caches_;
  Speeds speeds_;
  Interruptions noise_;
  std::optional<Distance> distance_; // distances in the present round
  std::unique_ptr<Slot> slot_;
  std::vector<core::PaceKeeper<SimulatedPlatform>> paces_; // what members know of their speeds
  std::unique_ptr<core::PaceKeeper<SimulatedPlatform>::Ticks[]> probes_;
  std::vector<core::Prior> priors_;      // prior of each member
  const Workload* workload_ = nullptr;   // workload of the present round
  std::optional<Preemption> preemption_; // preemption that is still to come in it
  std::optional<std::uint64_t> cancels_; // the iteration that cancels it
  bool is_cancelled_ = false;
  std::uint64_t number_ = 0; // number of the loop
  Time begin_ = 0;
  Time end_ = 0;
  std::vector<Time> left_; // by each member in the present round, from begin_
};

} // namespace

VirtualMachine MachineSpec::machine(std::uint32_t members) const {
  VirtualMachine made{members, {}};
  for (const Level& level : levels)
    if (level.members > 1 && level.members < members) made.domain_sizes.push_back(level.members);
  return made;
}

Prices MachineSpec::prices_on(const VirtualMachine& machine) const {
  Prices made = prices;
  std::size_t at = 0;
  for (const Level& level : levels)
    if (at < machine.domain_sizes.size() && level.members == machine.domain_sizes[at])
      made.transfer[at++] = level.transfer;
  // The distance beyond the last level is the largest between members of this machine: in one domain that is
  // larger than the team, or in none.
  Time farthest = across;
  for (auto level = levels.rbegin(); level != levels.rend() && level->members >= machine.members; ++level)
    farthest = level->transfer;
  for (; at < made.transfer.size(); ++at) made.transfer[at] = farthest;
  return made;
}

std::vector<Round> simulate(const Job& job) {
  const auto run = [&]<class Worker>() { return Simulation<Worker>(job).run(); };
  if (const auto* peer = std::get_if<Peer>(&job.schedule.kind))
    return with_peer<SimulatedPlatform>(*peer, run);
  return core::with_model(std::get<core::Model>(job.schedule.kind), [&]<core::Model model>() {
    return run.template operator()<core::WorkerOf<SimulatedPlatform, model>>();
  });
}

namespace {

/// Returns the time after which `done(time)` is at least `work`.
template <class Done> Time time_for(Time work, Done&& done) {
  Time most = 1;
  while (done(most) < static_cast<double>(work)) most *= 2;
  Time least = most / 2;
  while (most - least > 1) {
    const Time middle = least + (most - least) / 2;
    (done(middle) < static_cast<double>(work) ? least : most) = middle;
  }
  return most;
}

} // namespace

Time ideal(const Workload& workload, std::uint32_t members, const MachineSpec& machine, Time begin) {
  if (const Speeds speeds(machine, members); !speeds.are_constant()) {
    const auto all = [&](Time time) { return speeds.done_by_all(begin, time); };
    const auto one = [&](Time time) { return speeds.done_by_one(begin, time); };
    return std::max(time_for(workload.cost(0, workload.iterations()), all),
                    time_for(workload.longest(), one));
  }
  if (machine.speeds.empty()) return workload.ideal(members);
  std::uint64_t together = 0;
  std::uint64_t fastest = 1;
  for (std::uint32_t m = 0; m < members; ++m) {
    together += machine.speed(m);
    fastest = std::max<std::uint64_t>(fastest, machine.speed(m));
  }
  const Time work = workload.cost(0, workload.iterations());
  return std::max(
      {work * 1'000 / std::max<std::uint64_t>(together, 1), workload.longest() * 1'000 / fastest, Time{1}});
}

const Round& median(const std::vector<Round>& rounds) {
  std::vector<const Round*> order;
  for (const Round& round : rounds) order.push_back(&round);
  const auto middle = order.begin() + static_cast<std::ptrdiff_t>((order.size() - 1) / 2);
  std::nth_element(order.begin(), middle, order.end(),
                   [](const Round* a, const Round* b) { return a->time < b->time; });
  return **middle;
}

} // namespace wstree::simulate
