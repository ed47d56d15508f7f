// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "simulate.h"
#include "platform.h"

#include "slot.h"

#include "wstree/core/models.h"
#include "wstree/core/rng.h"

#include <algorithm>
#include <memory>
#include <numeric>
#include <optional>

namespace wstree::simulate {

namespace {

using core::Counts;

constexpr Time k_pause = 10'000 * k_ns; // between two loops; and no clock ever reads 0

/// The members of a virtual machine and who is near them.
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

void add(Counts& sum, const Counts& counts) {
  sum.iterations += counts.iterations;
  sum.batches += counts.batches;
  sum.steals += counts.steals;
  sum.nodes += counts.nodes;
  sum.busy_ticks += counts.busy_ticks;
}

/// Member 0 opens the region and is there first.
std::vector<Time> arrivals(const Job& job, std::uint32_t round) {
  core::Rng random(job.seed * 1'000 + round);
  std::vector<Time> times(job.members);
  for (std::uint32_t m = 1; m < job.members; ++m) times[m] = random.next() % (job.machine.skew + 1);
  return times;
}

template <core::Model model> class Simulation {
public:
  explicit Simulation(const Job& job)
      : job_(job), team_(job), caches_(team_.machine(), job.machine.prices),
        slot_(std::make_unique<Slot>(job.members)) {}

  std::vector<Round> run() {
    std::vector<Round> rounds;
    for (std::uint32_t r = 0; r < job_.rounds; ++r) rounds.push_back(run_once(r));
    return rounds;
  }

private:
  using Slot = simulate::Slot<SimulatedPlatform, model>;
  using Worker = typename Slot::Worker;

  Round run_once(std::uint32_t round) {
    // The coins of a worker follow from the number of its loop.
    number_ = job_.seed * 1'000 + round + 1;
    begin_ = end_ + k_pause;
    end_ = begin_;
    caches_.forget_traffic();
    distance_.emplace(team_.machine(), job_.workload->iterations());
    std::vector<Worker> workers(job_.members);
    const auto late = arrivals(job_, round);
    VirtualClock clock;
    for (std::uint32_t m = 0; m < job_.members; ++m) {
      clock.start(m, begin_ + late[m], [this, m, round, &workers] { work(workers[m], m, round); });
    }
    SimulatedPlatform::caches = &caches_;
    clock.run([](std::uint32_t m) { SimulatedPlatform::member = m; });
    SimulatedPlatform::caches = nullptr;
    Round result{end_ - begin_, {}, caches_.traffic(), distance_->travel()};
    for (const Worker& worker : workers) add(result.counts, worker.counts());
    return result;
  }

  void work(Worker& worker, std::uint32_t member, std::uint32_t round) {
    auto& clock = *VirtualClock::running;
    const auto entry = entry_of(member);
    worker.enter(slot_->loop(), slot_->memory(member), entry);
    for (core::Range range;;) {
      clock.pass(job_.machine.dispatch);
      if (!worker.next(range)) break;
      if (job_.seen) job_.seen(round, member, range);
      const Time cost = job_.workload->cost(range.begin, range.end);
      distance_->handed(member, range, cost);
      clock.pass(cost);
    }
    end_ = std::max(end_, VirtualClock::now);
  }

  core::Entry entry_of(std::uint32_t member) const {
    return Slot::entry(job_.workload->iterations(), number_, member, job_.members, job_.settings,
                       job_.schedule.chunk, team_.near(member));
  }

  const Job& job_;
  Team team_;
  Caches caches_;
  std::optional<Distance> distance_; // of the present round
  std::unique_ptr<Slot> slot_;
  std::uint64_t number_ = 0; // of the loop
  Time begin_ = 0;
  Time end_ = 0;
};

} // namespace

VirtualMachine MachineSpec::machine(std::uint32_t members) const {
  VirtualMachine made{members, {}};
  if (domain > 1 && domain < members) made.domain_sizes.push_back(domain);
  if (package > domain && package < members) made.domain_sizes.push_back(package);
  return made;
}

std::vector<Round> simulate(const Job& job) {
  return core::with_model(job.schedule.model,
                          [&]<core::Model model>() { return Simulation<model>(job).run(); });
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
