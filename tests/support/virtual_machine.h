// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A team of workers on a virtual machine of nested domains, where distance has a price. Like virtual_team.h:
// the production templates, one call at a time, in the order of a virtual clock.
#pragma once

#include "../../tools/simulate/engine/charged_atomic.h"
#include "../../tools/simulate/engine/clock.h"
#include "../../tools/simulate/engine/machine.h"

#include "wstree/core/tree/worker.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

namespace wstree::test {

using simulate::VirtualClock;
using simulate::VirtualMachine;

/// Ticks of 0.4 ns by distance.
struct Prices {
  std::uint64_t dispatch = 70;
  std::array<std::uint64_t, VirtualMachine::k_levels> steal{500, 2500, 2500, 2500, 2500, 2500};
  std::array<std::uint64_t, VirtualMachine::k_levels> miss{100, 300, 300,
                                                           300, 300, 300}; ///< of a line that another wrote
};

/// Which member has which cache line: a member that reads a line waits for it if the line was written since
/// its last read.
class VirtualCaches {
public:
  static inline VirtualCaches* now = nullptr; ///< of the running team; nullptr: nothing is charged

  VirtualCaches(const VirtualMachine& machine, const Prices& prices) : machine_(&machine), prices_(&prices) {}
  void acting(std::uint32_t member) { member_ = member; }
  /// Ticks that the access takes.
  std::uint64_t read(const void* address) {
    Line& line = at(address);
    if (has(line, member_)) return 0;
    set(line, member_);
    return line.written ? missed(line.writer) : 0;
  }
  std::uint64_t write(const void* address) {
    Line& line = at(address);
    const bool alone = line.written && line.writer == member_ && line.readers == 1;
    const std::uint64_t ticks = alone || !line.written ? 0 : missed(line.writer);
    line.holders.assign(machine_->members / 64 + 1, 0);
    line.readers = 0;
    set(line, member_);
    line.writer = member_;
    line.written = true;
    return ticks;
  }
  std::uint64_t misses(std::uint32_t distance) const { return misses_[distance]; }

private:
  struct Line {
    std::vector<std::uint64_t> holders; // bits
    std::uint32_t readers = 0;
    std::uint32_t writer = 0;
    bool written = false;
  };
  Line& at(const void* address) {
    Line& line = lines_[reinterpret_cast<std::uintptr_t>(address) / 64];
    if (line.holders.empty()) line.holders.assign(machine_->members / 64 + 1, 0);
    return line;
  }
  static bool has(const Line& line, std::uint32_t member) {
    return (line.holders[member / 64] >> member % 64 & 1U) != 0;
  }
  static void set(Line& line, std::uint32_t member) {
    line.holders[member / 64] |= 1ULL << member % 64;
    ++line.readers;
  }
  std::uint64_t missed(std::uint32_t writer) {
    const std::uint32_t distance = machine_->distance(writer, member_);
    ++misses_[distance];
    return prices_->miss[distance];
  }

  const VirtualMachine* machine_;
  const Prices* prices_;
  std::uint32_t member_ = 0;
  std::unordered_map<std::uintptr_t, Line> lines_;
  std::array<std::uint64_t, VirtualMachine::k_levels> misses_{};
};

/// Its clock runs while lines are fetched, and the other members go on in that time. The one that members
/// read may be coarser.
struct CachedPlatform : core::StdPlatform {
  static inline std::uint64_t coarseness = 1;
  static std::uint64_t ticks() noexcept { return VirtualClock::now / coarseness; }
  static void relax() noexcept { VirtualClock::running->pass(20); }
  static void yield() noexcept { VirtualClock::running->pass(1000); }

  static void charge_load(const void* address) noexcept {
    if (VirtualCaches::now != nullptr) VirtualClock::running->pass(VirtualCaches::now->read(address));
  }
  static void charge_store(const void* address, std::memory_order) noexcept {
    if (VirtualCaches::now != nullptr) VirtualCaches::now->write(address); // the store buffer hides the time
  }
  static void charge_change(const void* address) noexcept {
    if (VirtualCaches::now != nullptr) VirtualClock::running->pass(VirtualCaches::now->write(address));
  }

  template <class T> using Atomic = simulate::ChargedAtomic<T, CachedPlatform>;
};

struct MachineRun {
  std::uint64_t makespan = 0; ///< ticks
  core::Counts total;
  std::array<std::uint64_t, VirtualMachine::k_levels> steals{}; ///< by distance from the owner before
  std::array<std::uint64_t, VirtualMachine::k_levels> misses{};
  std::uint64_t find_ticks = 0; ///< what looking for work took, all members together
  /// Steals from owners that have at least the domain of level `distance` in common with the thief, or less.
  std::uint64_t far(std::uint32_t distance) const {
    std::uint64_t sum = 0;
    for (std::uint32_t d = distance; d < steals.size(); ++d) sum += steals[d];
    return sum;
  }
};

/// Runs loops of one team on the machine.
class MachineTeam {
public:
  using P = CachedPlatform;
  using Node = core::Node<P>;

  /// `member_at`: position -> member; empty: they are the same.
  MachineTeam(const VirtualMachine& machine, const Prices& prices, std::vector<std::uint32_t> member_at = {})
      : machine_(machine), prices_(prices), member_at_(std::move(member_at)), roots_(machine.members),
        pairs_(machine.members), position_(machine.members), domains_(machine.members),
        nears_(machine.members) {
    tree_.roots = roots_.data();
    board_ = std::make_unique<core::DoneWord<P>[]>(core::Board<P>::words(machine.members));
    tree_.board = board_.get();
    for (std::uint32_t p = 0; p < machine.members; ++p) position_[member_at_.empty() ? p : member_at_[p]] = p;
    for (std::uint32_t m = 0; m < machine.members; ++m) {
      pairs_[m] = std::vector<Node>(16);
      arenas_.push_back(std::make_unique<core::Arena<P>>());
      for (const std::uint32_t size : machine.domain_sizes) {
        const std::uint32_t begin = position_[m] / size * size;
        domains_[m].push_back({begin, std::min(begin + size, machine.members)});
      }
      nears_[m] = {member_at_.empty() ? nullptr : member_at_.data(), domains_[m].data(),
                   static_cast<std::uint32_t>(domains_[m].size()), position_[m]};
    }
  }

  /// `cost(begin, end)` ticks; `aware`: the workers know the machine;
  /// `seen(member, range)` is told of every range.
  MachineRun run(std::uint64_t iterations, const core::Settings& settings, bool aware,
                 const std::function<std::uint64_t(std::uint64_t, std::uint64_t)>& cost,
                 const std::function<std::uint64_t(std::uint32_t)>& arrival = {},
                 const std::function<void(std::uint32_t, const core::Range&)>& seen = {}) {
    ++use_;
    VirtualCaches caches(machine_, prices_);
    VirtualCaches::now = &caches;
    shape_ = core::Shape(iterations, machine_.members);
    owners_.clear();
    for (std::uint32_t m = 0; m < machine_.members; ++m) owners_[tree_.root(m)] = m;
    std::vector<core::Worker<P>> workers(machine_.members);
    MachineRun result;
    VirtualClock clock;
    for (std::uint32_t m = 0; m < machine_.members; ++m) {
      arenas_[m]->reset(pairs_[m].data(), static_cast<std::uint32_t>(pairs_[m].size() / 2));
      clock.start(m, k_begin + (arrival ? arrival(m) : 0), [&, m] {
        auto& worker = workers[m];
        worker.enter(
            tree_, *arenas_[m],
            {iterations, use_, use_, m, machine_.members, &settings, 1, aware ? &nears_[m] : nullptr});
        core::Range range;
        std::uint64_t asked = VirtualClock::now;
        for (std::uint64_t steals = 0; worker.next(range); steals = worker.counts().steals) {
          if (seen) seen(m, range);
          std::uint64_t price = prices_.dispatch;
          if (worker.counts().steals != steals) {
            result.find_ticks += VirtualClock::now - asked;
            const std::uint32_t distance = machine_.distance(position_[take_over(m, range)], position_[m]);
            ++result.steals[distance];
            price += prices_.steal[distance];
          }
          clock.pass(price + cost(range.begin, range.end));
          result.makespan = std::max(result.makespan, VirtualClock::now - k_begin);
          asked = VirtualClock::now;
        }
        result.find_ticks += VirtualClock::now - asked;
      });
    }
    clock.run([&](std::uint32_t m) { caches.acting(position_[m]); });
    VirtualCaches::now = nullptr;
    for (std::uint32_t d = 0; d < VirtualMachine::k_levels; ++d) result.misses[d] = caches.misses(d);
    for (auto& worker : workers) {
      result.total.iterations += worker.counts().iterations;
      result.total.batches += worker.counts().batches;
      result.total.steals += worker.counts().steals;
      result.total.nodes += worker.counts().nodes;
    }
    return result;
  }

private:
  static constexpr std::uint64_t k_begin = 1'000'000; // a clock that reads 0 would count as not read

  /// Notes that `member` has the node that `range` was taken from; returns its holder before: its last owner,
  /// or that of the node it was split off. A root begins with its member.
  std::uint32_t take_over(std::uint32_t member, const core::Range& range) {
    VirtualCaches* const charged = std::exchange(VirtualCaches::now, nullptr); // looking on costs nothing
    const std::uint64_t unit = range.begin >> shape_.shift();
    std::uint32_t root = 0;
    while (shape_.root_begin(root + 1) <= unit) ++root;
    Node* node = tree_.root(root);
    while (Node* pair = node->children(use_)) {
      const std::uint32_t owner = owners_.at(node);
      owners_.try_emplace(pair, owner);
      owners_.try_emplace(pair + 1, owner);
      node = unit < pair[1].begin() ? pair : pair + 1;
    }
    VirtualCaches::now = charged;
    return std::exchange(owners_.at(node), member);
  }

  VirtualMachine machine_;
  Prices prices_;
  std::vector<std::uint32_t> member_at_;
  core::Tree<P> tree_;
  core::Shape shape_;
  std::uint64_t use_ = 0;
  std::vector<Node> roots_;
  std::unique_ptr<core::DoneWord<P>[]> board_;
  std::vector<std::vector<Node>> pairs_;
  std::vector<std::unique_ptr<core::Arena<P>>> arenas_;
  std::vector<std::uint32_t> position_; // of a member
  std::vector<std::vector<core::Domain>> domains_;
  std::vector<core::Neighbourhood> nears_;
  std::unordered_map<const Node*, std::uint32_t> owners_;
};

} // namespace wstree::test
