// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Making a Machine from hwloc's topology.
#include "machine.h"

#include "hwloc_library.h"
#include "hwloc_topology.h"
#include "process_limits.h"

#include "wstree/core/platform.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <memory>
#include <new>

namespace wstree::place {
namespace {

constexpr std::string_view k_no_memory = "out of memory";

constexpr std::size_t index_of(Level level) noexcept { return static_cast<std::size_t>(level); }

/// Returns the level that an object of hwloc's tree stands for; Level::machine for all others.
Level level_of(hwloc_obj_type_t type) noexcept {
  switch (type) {
  case HWLOC_OBJ_CORE:
    return Level::core;
  case HWLOC_OBJ_L2CACHE:
    return Level::l2;
  case HWLOC_OBJ_L3CACHE:
    return Level::l3;
  case HWLOC_OBJ_PACKAGE:
    return Level::package;
  default:
    return Level::machine;
  }
}

} // namespace

class MachineBuilder {
public:
  MachineBuilder(const HwlocLibrary& hwloc, hwloc_topology_t topology, const CpuSet& allowed) noexcept
      : hwloc_(hwloc), topology_(topology), allowed_(allowed) {}

  std::unique_ptr<const Machine> build(std::string_view& why) noexcept {
    why = k_no_memory;
    machine_.reset(new (std::nothrow) Machine);
    if (machine_ == nullptr || !make_arrays() || !read_numa_nodes()) return nullptr;
    if (machine_->count_ == 0) {
      why = "none of its CPUs may be used";
      return nullptr;
    }
    read_kinds();
    number_domains();
    why = {};
    return std::move(machine_);
  }

private:
  bool make_arrays() noexcept {
    const int depth = hwloc_.get_type_depth(topology_, HWLOC_OBJ_PU);
    const unsigned all = hwloc_.get_nbobjs_by_depth(topology_, depth);
    std::uint32_t above = 0; // all numbers of the system
    std::uint32_t count = 0;
    for (unsigned i = 0; i < all; ++i) {
      const unsigned os = hwloc_.get_obj_by_depth(topology_, depth, i)->os_index;
      if (!allowed_.has(os)) continue;
      ++count;
      above = std::max(above, os + 1);
    }
    machine_->cpus_.reset(new (std::nothrow) Cpu[count]);
    machine_->by_os_.reset(new (std::nothrow) std::uint16_t[above]);
    if (machine_->cpus_ == nullptr || machine_->by_os_ == nullptr) return false;
    machine_->by_os_count_ = above;
    std::fill_n(machine_->by_os_.get(), above, Machine::k_absent);

    for (unsigned i = 0; i < all; ++i) {
      const hwloc_obj_t pu = hwloc_.get_obj_by_depth(topology_, depth, i);
      if (!allowed_.has(pu->os_index) || machine_->set_.has(pu->os_index)) continue;
      read_cpu(*pu);
    }
    return true;
  }

  void read_cpu(const hwloc_obj& pu) noexcept {
    Cpu& cpu = machine_->cpus_[machine_->count_];
    cpu.os = pu.os_index;
    cpu.domain.fill(Cpu::k_none);
    for (hwloc_obj_t around = pu.parent; around != nullptr; around = around->parent) {
      std::uint32_t& domain = cpu.domain[index_of(level_of(around->type))];
      if (domain == Cpu::k_none) domain = around->logical_index;
    }
    // Some virtual machines and small systems do not report cores.
    std::uint32_t& core = cpu.domain[index_of(Level::core)];
    if (core == Cpu::k_none) core = pu.logical_index | k_lone_core;
    machine_->by_os_[pu.os_index] = static_cast<std::uint16_t>(machine_->count_++);
    machine_->set_.add(pu.os_index);
  }

  /// Nodes without CPUs (high-bandwidth or attached memory) leave no trace; of several nodes around a CPU the
  /// one with the fewest CPUs counts, the last one if they have the same.
  bool read_numa_nodes() noexcept {
    const unsigned nodes = hwloc_.get_nbobjs_by_depth(topology_, HWLOC_TYPE_DEPTH_NUMANODE);
    struct Node {
      int cpus;
      hwloc_obj_t object;
    };
    const std::unique_ptr<Node[]> order(new (std::nothrow) Node[nodes]);
    if (order == nullptr) return false;
    for (unsigned i = 0; i < nodes; ++i) {
      const hwloc_obj_t node = hwloc_.get_obj_by_depth(topology_, HWLOC_TYPE_DEPTH_NUMANODE, i);
      order[i] = {hwloc_.bitmap_weight(node->cpuset), node};
    }
    std::sort(order.get(), order.get() + nodes, [](const Node& a, const Node& b) {
      return a.cpus != b.cpus ? a.cpus > b.cpus : a.object->logical_index < b.object->logical_index;
    });
    for (unsigned i = 0; i < nodes; ++i)
      for_each_cpu(order[i].object->cpuset, [&](Cpu& cpu) noexcept {
        cpu.domain[index_of(Level::numa)] = order[i].object->logical_index;
      });
    return true;
  }

  /// hwloc's kinds from slow to fast, those that none of our CPUs has left out. All are 0 if hwloc has no
  /// order of their speeds.
  void read_kinds() noexcept {
    if (hwloc_.cpukinds_get_nr == nullptr || hwloc_.cpukinds_get_info == nullptr) return;
    const int kinds = hwloc_.cpukinds_get_nr(topology_, 0);
    const hwloc_bitmap_t set = kinds > 1 ? hwloc_.bitmap_alloc() : nullptr;
    if (set == nullptr) return;
    std::uint16_t rank = 0;
    for (int kind = 0; kind < kinds; ++kind) {
      int efficiency = -1;
      if (hwloc_.cpukinds_get_info(topology_, static_cast<unsigned>(kind), set, &efficiency, nullptr, nullptr,
                                   0) != 0 ||
          efficiency < 0)
        break;
      bool any = false;
      for_each_cpu(set, [&](Cpu& cpu) noexcept {
        cpu.kind = rank;
        any = true;
      });
      if (any) ++rank;
    }
    hwloc_.bitmap_free(set);
  }

  template <class Action> void for_each_cpu(hwloc_const_bitmap_t set, const Action& action) noexcept {
    for (int os = hwloc_.bitmap_next(set, -1); os >= 0; os = hwloc_.bitmap_next(set, os)) {
      if (static_cast<std::uint32_t>(os) >= machine_->by_os_count_) return; // the set may be infinite
      const std::uint32_t i = machine_->find(static_cast<std::uint32_t>(os));
      if (i < machine_->count_) action(machine_->cpus_[i]);
    }
  }

  /// Replaces hwloc's numbers. A domain whose CPUs do not stand in a row, which hwloc's order should exclude,
  /// becomes several.
  void number_domains() noexcept {
    Machine& machine = *machine_;
    for (std::size_t level = 0; level < index_of(Level::machine); ++level) {
      std::uint32_t before = Cpu::k_none;
      std::uint32_t numbers = 0;
      for (std::uint32_t i = 0; i < machine.count_; ++i) {
        std::uint32_t& domain = machine.cpus_[i].domain[level];
        if (domain != Cpu::k_none && domain != before) ++numbers;
        before = domain;
        if (domain != Cpu::k_none) domain = numbers - 1;
      }
      machine.domains_[level] = numbers;
    }
    machine.domains_[index_of(Level::machine)] = 1;
    machine.cores_ = machine.domains_[index_of(Level::core)];

    for (std::uint32_t i = 0; i < machine.count_; ++i) {
      Cpu& cpu = machine.cpus_[i];
      cpu.domain[index_of(Level::machine)] = 0;
      const bool first =
          i == 0 || machine.cpus_[i - 1].domain[index_of(Level::core)] != cpu.domain[index_of(Level::core)];
      cpu.smt = first ? std::uint16_t{0} : static_cast<std::uint16_t>(machine.cpus_[i - 1].smt + 1);
    }
  }

  static constexpr std::uint32_t k_lone_core = std::uint32_t{1} << 31;

  const HwlocLibrary& hwloc_;
  hwloc_topology_t topology_;
  const CpuSet& allowed_;
  std::unique_ptr<Machine> machine_;
};

namespace {

CpuSet allowed_by(const MachineSource& source) noexcept {
  CpuSet allowed;
  if (source.kind == MachineSource::Kind::this_system)
    allowed = source.mask != nullptr ? *source.mask : current_mask();
  else
    for (std::uint32_t cpu = 0; cpu < CpuSet::k_cpus; ++cpu) allowed.add(cpu);
  if (source.within != nullptr) allowed.keep(*source.within);
  return allowed;
}

/// hwloc goes on with null pointers, or for ever, where it gets no memory itself. It takes some hundred
/// kilobytes, a few megabytes on the largest machines.
bool is_memory_left_for_hwloc() noexcept {
  constexpr std::size_t k_plenty = std::size_t{16} << 20;
  void* const probe = core::StdPlatform::allocate(k_plenty); // nothing of it is touched
  core::StdPlatform::release(probe, k_plenty);
  return probe != nullptr;
}

} // namespace

std::unique_ptr<const Machine> Machine::load(const MachineSource& source, std::string_view& why) noexcept {
  const int error = errno;
  std::unique_ptr<const Machine> machine;
  const CpuSet allowed = allowed_by(source);
  if (allowed.empty()) {
    why = "no CPU may be used";
    return nullptr;
  }
  if (!is_memory_left_for_hwloc()) {
    why = k_no_memory;
    errno = error;
    return nullptr;
  }
  {
    const HwlocLibrary hwloc;
    why = hwloc.problem();
    if (hwloc.is_open()) {
      Topology topology(hwloc);
      why = topology.load(source);
      if (why.empty()) machine = MachineBuilder(hwloc, topology.get(), allowed).build(why);
    }
  }
  errno = error;
  return machine;
}

} // namespace wstree::place
