// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Machines that tests make up: none of them depends on the one that the test runs on.
#pragma once

#include "fake_root.h"
#include "machine.h"

namespace wstree::place {

/// The first level, in the order of Level, that two CPUs of a machine share.
inline Level nearest_shared(const Machine& machine, std::uint32_t a, std::uint32_t b) {
  std::uint32_t level = 0;
  while (level + 1 < k_levels && (machine.cpu(a).domain[level] != machine.cpu(b).domain[level] ||
                                  machine.cpu(a).domain[level] == Cpu::k_none))
    ++level;
  return static_cast<Level>(level);
}

using MachinePointer = std::unique_ptr<const Machine>;

inline CpuSet set_of(std::string_view list) {
  const auto set = parse_cpu_list(list);
  EXPECT_TRUE(set) << list;
  return set.value_or(CpuSet{});
}

inline MachinePointer synthetic(const std::string& description, const CpuSet* within = nullptr) {
  std::string_view why;
  auto machine = Machine::load(
      {.kind = MachineSource::Kind::synthetic, .text = description.c_str(), .within = within}, why);
  EXPECT_NE(machine, nullptr) << description << ": " << why;
  return machine;
}

/// What lstopo would write of a package with one NUMA node of all CPUs, further nodes that have none, and
/// cores of as many hardware threads as `cores` says. `fast` are the CPUs of a second, faster kind.
struct Hybrid {
  std::vector<unsigned> cores;
  unsigned cpuless_nodes = 0;
  std::uint64_t fast = 0;

  std::string xml() const {
    const unsigned cpus = std::accumulate(cores.begin(), cores.end(), 0U);
    const std::uint64_t all = (std::uint64_t{1} << cpus) - 1;
    const std::uint64_t nodes = (std::uint64_t{2} << cpuless_nodes) - 1;
    std::string text =
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!DOCTYPE topology SYSTEM \"hwloc2.dtd\">\n"
        "<topology version=\"2.0\">\n";
    text += object("Machine", 0, all, nodes,
                   " allowed_cpuset=\"" + hex(all) + "\" allowed_nodeset=\"" + hex(nodes) + "\"");
    for (unsigned node = 0; node <= cpuless_nodes; ++node)
      text += object("NUMANode", node, node == 0 ? all : 0, std::uint64_t{1} << node,
                     " local_memory=\"1073741824\"") +
              "</object>\n";
    text += object("Package", 0, all, nodes);
    unsigned cpu = 0;
    for (unsigned core = 0; core < cores.size(); ++core) {
      text += object("Core", core, ((std::uint64_t{1} << cores[core]) - 1) << cpu, nodes);
      for (unsigned thread = 0; thread < cores[core]; ++thread, ++cpu)
        text += object("PU", cpu, std::uint64_t{1} << cpu, nodes) + "</object>\n";
      text += "</object>\n";
    }
    text += "</object>\n</object>\n<support name=\"discovery.pu\"/>\n";
    if (fast != 0)
      text += "<cpukind cpuset=\"" + hex(all & ~fast) + "\" forced_efficiency=\"0\"/>\n<cpukind cpuset=\"" +
              hex(fast) + "\" forced_efficiency=\"10\"/>\n";
    return text + "</topology>\n";
  }

  MachinePointer load(const CpuSet* within = nullptr) const {
    const FakeRoot folder;
    folder.write("machine.xml", xml());
    const std::string path = folder.below("machine.xml");
    std::string_view why;
    auto machine =
        Machine::load({.kind = MachineSource::Kind::xml_file, .text = path.c_str(), .within = within}, why);
    EXPECT_NE(machine, nullptr) << why;
    return machine;
  }

private:
  static std::string hex(std::uint64_t bits) {
    char text[32];
    std::snprintf(text, sizeof text, "0x%08llx", static_cast<unsigned long long>(bits));
    return text;
  }
  static std::string object(const char* type, unsigned os, std::uint64_t cpus, std::uint64_t nodes,
                            const std::string& more = "") {
    static unsigned number = 0;
    return std::string("<object type=\"") + type + "\" os_index=\"" + std::to_string(os) + "\" cpuset=\"" +
           hex(cpus) + "\" complete_cpuset=\"" + hex(cpus) + "\" nodeset=\"" + hex(nodes) +
           "\" complete_nodeset=\"" + hex(nodes) + "\" gp_index=\"" + std::to_string(++number) + "\"" + more +
           ">\n";
  }
};

/// A regular machine whose CPUs are numbered at random and of which some may not be used, with what is to be
/// known of it worked out from the description.
struct RandomMachine {
  struct Part {
    Level level;
    std::uint32_t cpus; // of each domain
  };
  std::string description;
  std::vector<Part> parts;        // outermost first
  std::vector<std::uint32_t> os;  // the allowed CPUs, in the order of the machine
  std::vector<std::uint32_t> row; // the place of each of them among all CPUs
  CpuSet within;
  MachinePointer machine;

  template <class Random> explicit RandomMachine(Random& random) {
    const auto up_to = [&](std::uint32_t most) {
      return std::uniform_int_distribution<std::uint32_t>(1, most)(random);
    };
    std::vector<std::pair<Level, const char*>> order{{Level::package, "package"},
                                                     {Level::numa, "numa"},
                                                     {Level::l3, "l3"},
                                                     {Level::l2, "l2"},
                                                     {Level::core, "core"}};
    if (up_to(2) == 1) std::swap(order[1], order[2]); // a cache may contain NUMA nodes
    std::vector<std::pair<Level, std::uint32_t>> counts;
    std::uint32_t all = 1;
    for (const auto& [level, name] : order) {
      if (up_to(4) == 1) continue; // this machine lacks it
      const std::uint32_t count = up_to(level == Level::core ? 5 : 3);
      counts.emplace_back(level, count);
      all *= count;
      description += std::string(name) + ':' + std::to_string(count) + ' ';
    }
    const std::uint32_t threads = up_to(3);
    all *= threads;
    description += "pu:" + std::to_string(threads);

    std::uint32_t size = all;
    for (const auto& [level, count] : counts) parts.push_back({level, size /= count});

    std::vector<std::uint32_t> numbers(all);
    std::iota(numbers.begin(), numbers.end(), 0U);
    if (up_to(2) == 1) std::shuffle(numbers.begin(), numbers.end(), random);
    description += "(indexes=";
    for (std::uint32_t i = 0; i < all; ++i) description += (i == 0 ? "" : ",") + std::to_string(numbers[i]);
    description += ')';

    sort_as_hwloc(numbers);
    const std::uint32_t holes = up_to(3) - 1; // of 4 CPUs
    for (std::uint32_t i = 0; i < all; ++i) {
      if (up_to(4) <= holes && (i + 1 < all || !os.empty())) continue;
      os.push_back(numbers[i]);
      row.push_back(i);
      within.add(numbers[i]);
    }
    machine = synthetic(description, &within);
  }

  /// By the smallest number in each domain.
  void sort_as_hwloc(std::vector<std::uint32_t>& numbers) const {
    using Block = std::vector<std::uint32_t>;
    for (std::size_t i = parts.size() + 1; i-- > 0;) { // domains of level i, whose parts are in order
      const std::size_t outer = i == 0 ? numbers.size() : parts[i - 1].cpus;
      const std::size_t inner = i == parts.size() ? 1 : parts[i].cpus;
      for (std::size_t begin = 0; begin < numbers.size(); begin += outer) {
        const auto at = [&](std::size_t cpu) { return numbers.begin() + static_cast<std::ptrdiff_t>(cpu); };
        std::vector<Block> blocks;
        for (std::size_t cpu = begin; cpu < begin + outer; cpu += inner)
          blocks.emplace_back(at(cpu), at(cpu + inner));
        std::ranges::sort(blocks, {}, [](const Block& block) { return *std::ranges::min_element(block); });
        auto to = at(begin);
        for (const Block& block : blocks) to = std::ranges::copy(block, to).out;
      }
    }
  }

  /// False: there is no such level, or not around these CPUs.
  bool share(Level level, std::uint32_t a, std::uint32_t b) const {
    if (level == Level::machine) return true;
    for (const Part& part : parts)
      if (part.level == level) return row[a] / part.cpus == row[b] / part.cpus;
    if (level == Level::numa) return true; // all memory is one node, then
    return level == Level::core && a == b; // each hardware thread counts as a core
  }
};

} // namespace wstree::place
