// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "facts.h"

#include <nlohmann/json.hpp>

namespace wstree::cli {

namespace {

using nlohmann::ordered_json;
using place::Level;

struct Key {
  Level level;
  const char* one;  ///< in a member
  const char* many; ///< in the machine
};
constexpr std::array k_keys{Key{Level::package, "package", "packages"},
                            Key{Level::numa, "numa_node", "numa_nodes"}, Key{Level::l3, "l3", "l3_caches"},
                            Key{Level::l2, "l2", "l2_caches"}, Key{Level::core, "core", "cores"}};

ordered_json machine_of(const Topo& topo) {
  ordered_json machine;
  machine["source"] = topo.source;
  // Not place::to_list(), which cuts a long list.
  Numbers cpus;
  const auto& set = topo.machine->set();
  for (auto cpu = set.next(0); cpu < place::CpuSet::k_cpus; cpu = set.next(cpu + 1)) cpus.push_back(cpu);
  machine["cpus"] = to_list(cpus);
  for (const auto& key : k_keys)
    machine[key.many] = key.level == Level::core ? topo.machine->cores() : topo.machine->domains(key.level);
  machine["pus"] = topo.machine->cpus();
  return machine;
}

ordered_json limits_of(const place::Limits& limits) {
  ordered_json json;
  json["online_cpus"] = limits.online;
  json["allowed_cpus"] = limits.mask.count();
  json["quota"] = nullptr;
  if (limits.quota > 0) json["quota"] = limits.quota;
  json["local_ranks"] = limits.local_ranks;
  json["ranks_share_mask"] = limits.ranks_share_mask;
  json["placed_by"] = nullptr;
  if (!limits.user_placed.empty()) json["placed_by"] = limits.user_placed;
  return json;
}

ordered_json place_of(const Topo& topo, std::uint32_t p) {
  Numbers cpus;
  for (std::uint32_t i = 0; i < topo.places->cpus(p); ++i)
    cpus.push_back(topo.machine->cpu(topo.places->cpu(p, i)).os);
  std::ranges::sort(cpus);
  return to_list(cpus);
}

ordered_json member_of(const Topo& topo, std::uint32_t member) {
  ordered_json json;
  json["member"] = member;
  json["place"] = nullptr;
  json["cpus"] = nullptr;
  if (topo.pins()) {
    json["place"] = topo.layout->place(member);
    json["cpus"] = to_list(topo.cpus(member));
  }
  for (auto key = k_keys.rbegin(); key != k_keys.rend(); ++key) {
    json[key->one] = nullptr;
    if (!topo.pins()) continue;
    const auto domains = topo.domains(member, key->level);
    if (!domains.empty()) json[key->one] = to_list(domains);
  }
  auto victims = ordered_json::array();
  for (const auto& group : topo.victims(member)) {
    ordered_json entry;
    entry["shared"] = nullptr;
    if (topo.pins()) entry["shared"] = name_of(group.shared);
    entry["members"] = to_list(group.members);
    victims.push_back(std::move(entry));
  }
  json["victims"] = std::move(victims);
  return json;
}

} // namespace

std::string topo_json(const Topo& topo) {
  ordered_json document;
  document["version"] = WSTREE_VERSION;
  document["machine"] = machine_of(topo);
  document["limits"] = nullptr;
  if (topo.limits) document["limits"] = limits_of(*topo.limits);
  document["bind"] = config::to_text(topo.bind);
  document["pinned"] = topo.pins();
  document["reason"] = topo.reason;
  document["spacing"] = nullptr;
  auto places = ordered_json::array();
  if (topo.pins()) {
    document["spacing"] = topo.decision.spacing == place::Spacing::close ? "close" : "spread";
    for (std::uint32_t p = 0; p < topo.places->count(); ++p) places.push_back(place_of(topo, p));
  }
  document["places"] = std::move(places);
  auto members = ordered_json::array();
  for (std::uint32_t member = 0; member < topo.members; ++member) members.push_back(member_of(topo, member));
  document["members"] = std::move(members);
  // A path may hold bytes that are not UTF-8.
  return document.dump(2, ' ', false, ordered_json::error_handler_t::replace) + '\n';
}

} // namespace wstree::cli
