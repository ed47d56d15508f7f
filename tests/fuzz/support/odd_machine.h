// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Descriptions of machines for hwloc, small enough to be loaded thousands of times. hwloc's own parsers are
// not what is tested, so both are well formed.
#pragma once

#include "bytes.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

namespace wstree::fuzz {

/// Levels in any order and with gaps, as hwloc accepts them or not, and CPUs in any order.
inline std::string odd_description(Bytes& bytes) {
  constexpr const char* k_levels[] = {"package", "numa", "l3", "l2", "l1", "core", "group", "[numa]"};
  constexpr std::uint32_t k_most_cpus = 96;
  std::string text;
  std::uint32_t cpus = 1;
  for (std::uint32_t i = bytes.between(0, 6); i > 0; --i) {
    const char* level = k_levels[bytes.between(0, 7)];
    const std::uint32_t count = bytes.between(1, 4);
    if (level[0] == '[') { // memory that is attached there
      text += "[numa(memory=1GB)] ";
      continue;
    }
    if (cpus * count > k_most_cpus) break;
    cpus *= count;
    text += std::string(level) + ':' + std::to_string(count) + ' ';
  }
  const std::uint32_t threads = std::min(bytes.between(1, 3), k_most_cpus / cpus);
  cpus *= threads;
  text += "pu:" + std::to_string(threads);
  if (!bytes.flag()) return text;

  std::vector<std::uint32_t> numbers(cpus); // sparse and shuffled
  const std::uint32_t gap = bytes.between(1, 90);
  for (std::uint32_t i = 0; i < cpus; ++i) numbers[i] = i * gap;
  for (std::uint32_t i = 0; i < cpus; ++i) std::swap(numbers[i], numbers[bytes.between(0, cpus - 1)]);
  text += "(indexes=";
  for (std::uint32_t i = 0; i < cpus; ++i) text += (i == 0 ? "" : ",") + std::to_string(numbers[i]);
  return text + ')';
}

/// What lstopo would write of a machine that synthetic descriptions cannot have: unequal cores and packages,
/// nodes without CPUs or of a part of a package, kinds of cores that leave CPUs out.
class OddXml {
public:
  explicit OddXml(Bytes& bytes) : bytes_(bytes) {
    const std::uint32_t packages = bytes_.between(0, 3);
    for (std::uint32_t p = 0; p < std::max(1U, packages); ++p) tree_ += package(p, packages != 0);
  }

  std::string text() {
    const std::string all = hex(full());
    // Nodes are numbered once it is known how many there are; the last ones have no CPUs.
    const std::uint32_t without_cpus = bytes_.between(0, 2);
    std::string memory;
    for (std::uint32_t i = 0; i <= without_cpus; ++i)
      memory += object("NUMANode", i, i == 0 ? full() : 0, " local_memory=\"1073741824\"") + "</object>\n";
    nodes_ = (std::uint64_t{2} << without_cpus) - 1;
    std::string result =
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!DOCTYPE topology SYSTEM \"hwloc2.dtd\">\n"
        "<topology version=\"2.0\">\n";
    result += object("Machine", 0, full(),
                     " allowed_cpuset=\"" + all + "\" allowed_nodeset=\"" + hex(nodes_) + "\"");
    result += memory + tree_ + "</object>\n<support name=\"discovery.pu\"/>\n";
    for (std::uint32_t kind = bytes_.between(0, 3); kind > 0; --kind)
      result += "<cpukind cpuset=\"" + hex(bytes_.word() & full()) + "\" forced_efficiency=\"" +
                std::to_string(bytes_.between(0, 3)) + "\"/>\n";
    return result + "</topology>\n";
  }

private:
  static constexpr std::uint32_t k_most_cpus = 40;

  std::uint64_t full() const { return (std::uint64_t{1} << cpus_) - 1; }

  std::string package(std::uint32_t number, bool shown) {
    const std::uint32_t begin = cpus_;
    std::string inside;
    for (std::uint32_t caches = bytes_.between(1, 2); caches > 0; --caches) inside += cache();
    if (!shown) return inside;
    return object("Package", number, full() & ~((std::uint64_t{1} << begin) - 1)) + inside + "</object>\n";
  }

  std::string cache() {
    const std::uint32_t begin = cpus_;
    const bool shown = bytes_.flag();
    std::string inside;
    for (std::uint32_t cores = bytes_.between(1, 3); cores > 0; --cores) inside += core();
    if (!shown) return inside;
    return object("L3Cache", 0, full() & ~((std::uint64_t{1} << begin) - 1),
                  " cache_size=\"1048576\" depth=\"3\" cache_linesize=\"64\" cache_associativity=\"8\" "
                  "cache_type=\"0\"") +
           inside + "</object>\n";
  }

  std::string core() {
    const std::uint32_t begin = cpus_;
    const bool shown = bytes_.flag();
    std::string inside;
    for (std::uint32_t threads = bytes_.between(1, 4); threads > 0 && cpus_ < k_most_cpus; --threads, ++cpus_)
      inside += object("PU", cpus_, std::uint64_t{1} << cpus_) + "</object>\n";
    if (!shown || inside.empty()) return inside;
    return object("Core", cores_++, full() & ~((std::uint64_t{1} << begin) - 1)) + inside + "</object>\n";
  }

  static std::string hex(std::uint64_t bits) {
    char text[64];
    std::snprintf(text, sizeof text, "0x%08llx,0x%08llx", static_cast<unsigned long long>(bits >> 32U),
                  static_cast<unsigned long long>(bits & 0xffffffffU));
    return text;
  }

  std::string object(const char* type, std::uint32_t os, std::uint64_t cpus, const std::string& more = "") {
    const std::string set = hex(cpus);
    const std::string nodes = hex(std::string_view(type) == "NUMANode" ? std::uint64_t{1} << os : nodes_);
    return std::string("<object type=\"") + type + "\" os_index=\"" + std::to_string(os) + "\" cpuset=\"" +
           set + "\" complete_cpuset=\"" + set + "\" nodeset=\"" + nodes + "\" complete_nodeset=\"" + nodes +
           "\" gp_index=\"" + std::to_string(++objects_) + "\"" + more + ">\n";
  }

  Bytes& bytes_;
  std::uint32_t cpus_ = 0, cores_ = 0, objects_ = 0;
  std::uint64_t nodes_ = 1;
  std::string tree_;
};

inline std::string odd_xml(Bytes& bytes) { return OddXml(bytes).text(); }

} // namespace wstree::fuzz
