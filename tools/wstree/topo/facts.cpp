// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "facts.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace wstree::cli {

namespace {

using place::Level;

void sort_and_unite(Numbers& numbers) {
  std::ranges::sort(numbers);
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
}

} // namespace

std::string to_list(const Numbers& numbers) {
  std::string text;
  for (std::size_t i = 0; i < numbers.size();) {
    std::size_t last = i;
    while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1) ++last;
    if (!text.empty()) text += ',';
    text += last == i ? fmt::format("{}", numbers[i]) : fmt::format("{}-{}", numbers[i], numbers[last]);
    i = last + 1;
  }
  return text;
}

std::string counted(std::size_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::vector<Level> nesting(const place::Machine& machine) {
  struct Size {
    Level level;
    std::uint32_t cpus;
  };
  std::vector<Size> sizes;
  for (const Level level : {Level::core, Level::l2, Level::l3, Level::numa, Level::package}) {
    if (machine.domains(level) == 0) continue;
    Numbers counts(machine.domains(level));
    for (std::uint32_t cpu = 0; cpu < machine.cpus(); ++cpu)
      if (const auto domain = machine.cpu(cpu).domain[static_cast<std::size_t>(level)];
          domain != place::Cpu::k_none)
        ++counts[domain];
    sizes.push_back({level, std::ranges::max(counts)});
  }
  std::ranges::sort(sizes, {}, [](const Size& size) { return std::pair(size.cpus, size.level); });
  std::vector<Level> levels;
  for (const auto& size : sizes) levels.push_back(size.level);
  levels.push_back(Level::machine);
  return levels;
}

std::string Topo::verdict() const {
  return fmt::format("threads are {}pinned ({}: {})", decision.pins ? "" : "not ", config::to_text(bind),
                     reason);
}

std::string Topo::summary() const {
  std::string text;
  const auto add = [&](Level level, std::string_view noun) {
    if (const auto count = machine->domains(level); count != 0) text += counted(count, noun) + ", ";
  };
  add(Level::package, "package");
  add(Level::numa, "NUMA node");
  add(Level::l3, "L3 cache");
  add(Level::l2, "L2 cache");
  text += counted(machine->cores(), "core") + ", ";
  return text + counted(machine->cpus(), "PU");
}

Numbers Topo::cpus(std::uint32_t member) const {
  Numbers result;
  const auto p = layout->place(member);
  for (std::uint32_t i = 0; i < places->cpus(p); ++i) result.push_back(machine->cpu(places->cpu(p, i)).os);
  sort_and_unite(result);
  return result;
}

Numbers Topo::domains(std::uint32_t member, Level level) const {
  Numbers result;
  const auto p = layout->place(member);
  for (std::uint32_t i = 0; i < places->cpus(p); ++i) {
    const auto domain = machine->cpu(places->cpu(p, i)).domain[static_cast<std::size_t>(level)];
    if (domain != place::Cpu::k_none) result.push_back(domain);
  }
  sort_and_unite(result);
  return result;
}

std::size_t Topo::rank(Level level) const {
  return static_cast<std::size_t>(std::ranges::find(levels, level) - levels.begin());
}

Level Topo::shared(std::uint32_t one, std::uint32_t other) const {
  std::uint32_t first = machine->cpus(), last = 0;
  for (const auto member : {one, other}) {
    const auto p = layout->place(member);
    first = std::min(first, places->cpu(p, 0));
    last = std::max(last, places->cpu(p, places->cpus(p) - 1));
  }
  for (const Level level : levels) {
    const auto domain = machine->cpu(first).domain[static_cast<std::size_t>(level)];
    if (domain != place::Cpu::k_none && domain == machine->cpu(last).domain[static_cast<std::size_t>(level)])
      return level;
  }
  return Level::machine;
}

std::vector<VictimGroup> Topo::victims(std::uint32_t member) const {
  const auto near = layout ? layout->neighbourhood(member) : core::Neighbourhood{};
  std::vector<VictimGroup> groups(near.count + 1);
  Numbers position(members);
  for (std::uint32_t at = 0; at < members; ++at) position[near.root(at)] = at;
  for (std::uint32_t other = 0; other < members; ++other) {
    if (other == member) continue;
    std::uint32_t ring = 0;
    while (ring < near.count &&
           (position[other] < near.domains[ring].begin || position[other] >= near.domains[ring].end))
      ++ring;
    groups[ring].members.push_back(other);
  }
  std::erase_if(groups, [](const VictimGroup& group) { return group.members.empty(); });
  if (!layout) return groups;
  for (auto& group : groups) {
    group.shared = levels.front();
    for (const auto victim : group.members)
      if (const auto level = shared(member, victim); rank(level) > rank(group.shared)) group.shared = level;
  }
  return groups;
}

std::vector<MemberGroup> Topo::groups(std::size_t limit) const {
  std::vector<MemberGroup> result;
  const auto near = layout->neighbourhood(0);
  for (std::size_t i = 0; i < levels.size(); ++i) {
    result.clear();
    for (std::uint32_t at = 0; at < members; ++at) {
      const auto member = near.root(at);
      const bool joins = !result.empty() && rank(shared(result.back().members.front(), member)) <= i;
      if (!joins) result.emplace_back();
      result.back().members.push_back(member);
    }
    if (result.size() <= limit) break;
  }
  return result;
}

Numbers Topo::unused_places() const {
  std::vector<bool> used(places->count());
  for (std::uint32_t member = 0; member < members; ++member) used[layout->place(member)] = true;
  Numbers unused;
  for (std::uint32_t p = 0; p < places->count(); ++p)
    if (!used[p]) unused.push_back(p);
  return unused;
}

} // namespace wstree::cli
