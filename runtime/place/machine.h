// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The machine as the scheduler sees it: the CPUs that the process may use, and the domains that they share.
// hwloc is read once; nothing of it is kept.
#pragma once

#include "cpu_set.h"

#include <array>
#include <cstdint>
#include <memory>
#include <string_view>

namespace wstree::place {

/// Levels of the machine that two CPUs may share, nearest first. A machine need not have every level.
enum class Level : std::uint8_t { core, l2, l3, numa, package, machine };
inline constexpr std::uint32_t k_levels = 6;
std::string_view name_of(Level level) noexcept; // "core", "L2", "L3", "NUMA node", "package", "machine"

/// A hardware thread.
struct Cpu {
  static constexpr std::uint32_t k_none = ~std::uint32_t{0};
  std::uint32_t os = 0;   ///< the operating system's number
  std::uint16_t smt = 0;  ///< 0 for the first allowed hardware thread of its core, 1 for the second, ...
  std::uint16_t kind = 0; ///< kind of core, on a machine with unequal cores: larger is faster
  /// Number of the domain of each level that it belongs to, counted from 0 in the order of Machine::cpu();
  /// k_none if the machine has no such level around it. Level::machine is always 0.
  std::array<std::uint32_t, k_levels> domain{};
};

/// The source of a topology.
struct MachineSource {
  enum class Kind : std::uint8_t {
    this_system, ///< as hwloc finds it, also by HWLOC_XMLFILE or HWLOC_SYNTHETIC; restricted to the mask of
                 ///< the calling thread
    synthetic,   ///< hwloc's description, e.g. "package:2 numa:2 core:8 pu:2"
    xml_file,    ///< as lstopo writes it
  };
  Kind kind = Kind::this_system;
  const char* text = nullptr;     ///< description or path
  const CpuSet* mask = nullptr;   ///< on this system: these CPUs and not the mask of the calling thread
  const CpuSet* within = nullptr; ///< leave out all other CPUs; nullptr: no further restriction
};

/// Immutable. Its CPUs are in the order of the topology: the CPUs of every domain of every level stand in
/// a row.
class Machine {
public:
  /// Returns the machine; nullptr: `why` is the error in a few words (hwloc is not installed, no CPU is left,
  /// ...). Takes milliseconds. Any thread; does not throw, does not print, leaves the environment as it was.
  static std::unique_ptr<const Machine> load(const MachineSource& source, std::string_view& why) noexcept;

  std::uint32_t cpus() const noexcept { return count_; } ///< at least 1
  const Cpu& cpu(std::uint32_t i) const noexcept { return cpus_[i]; }
  std::uint32_t cores() const noexcept { return cores_; }
  std::uint32_t domains(Level level) const noexcept { return domains_[static_cast<std::uint32_t>(level)]; }
  const CpuSet& set() const noexcept { return set_; }
  /// Returns the index of the CPU with the system's number `os`; cpus() if it is not among them.
  std::uint32_t find(std::uint32_t os) const noexcept;

  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;
  ~Machine() = default;

private:
  friend class MachineBuilder;
  static constexpr std::uint16_t k_absent = 0xffff;
  static_assert(CpuSet::k_cpus <= k_absent);
  Machine() = default;

  std::unique_ptr<Cpu[]> cpus_;
  std::unique_ptr<std::uint16_t[]> by_os_; // index of the CPU with that number of the system; k_absent
  std::uint32_t by_os_count_ = 0;
  std::uint32_t count_ = 0;
  std::uint32_t cores_ = 0;
  std::array<std::uint32_t, k_levels> domains_{};
  CpuSet set_;
};

} // namespace wstree::place
