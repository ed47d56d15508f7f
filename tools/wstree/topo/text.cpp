// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "facts.h"

#include "support/table.h"

#include <algorithm>
#include <fmt/format.h>
#include <string_view>

namespace wstree::cli {

namespace {

using place::Level;

constexpr std::uint32_t k_most_rows = 64; // rows of the table of members; for a larger team it shows groups
constexpr std::size_t k_most_groups = 32; // then
constexpr std::uint32_t k_largest_matrix = 16;

using Row = Table::Row;

std::string table(const std::vector<Row>& rows) { return Table(rows).text({TableStyle::Left::all}); }

std::string or_dash(std::string text) { return text.empty() ? "-" : text; }

constexpr std::array k_columns{Level::core, Level::l2, Level::l3, Level::numa, Level::package};

Row head(std::string_view first) {
  Row row{std::string(first), "CPUs"};
  for (const Level level : k_columns) row.emplace_back(std::string(name_of(level)));
  row.emplace_back("order of victims");
  return row;
}

std::string order_of(const std::vector<VictimGroup>& groups) {
  std::string text;
  for (const auto& group : groups)
    text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", name_of(group.shared), to_list(group.members));
  return or_dash(text);
}

Row row_of(const Topo& topo, std::uint32_t member) {
  Row row{fmt::format("{}", member), to_list(topo.cpus(member))};
  for (const Level level : k_columns) row.push_back(or_dash(to_list(topo.domains(member, level))));
  row.push_back(order_of(topo.victims(member)));
  return row;
}

/// Returns the numbers of all members of a group together.
template <class Get> std::string together(const MemberGroup& group, Get&& get) {
  Numbers all;
  for (const auto member : group.members) {
    const Numbers its = get(member);
    all.insert(all.end(), its.begin(), its.end());
  }
  std::ranges::sort(all);
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return or_dash(to_list(all));
}

Row row_of(const Topo& topo, const MemberGroup& group) {
  Row row{together(group, [](std::uint32_t member) { return Numbers{member}; }),
          together(group, [&](std::uint32_t member) { return topo.cpus(member); })};
  for (const Level level : k_columns)
    row.push_back(together(group, [&](std::uint32_t member) { return topo.domains(member, level); }));

  auto members = group.members;
  std::ranges::sort(members);
  auto far = topo.victims(members.front());
  std::string near;
  while (!far.empty() && std::ranges::includes(members, far.front().members)) {
    near += fmt::format("{}{}", near.empty() ? "" : ", ", name_of(far.front().shared));
    far.erase(far.begin());
  }
  if (!near.empty()) near = "within the group: " + near;
  const auto outside = far.empty() ? "" : order_of(far);
  row.push_back(or_dash(near + (near.empty() || outside.empty() ? "" : "; ") + outside));
  return row;
}

char letter_of(Level level) {
  constexpr std::string_view k_letters = "c23npm";
  return k_letters[static_cast<std::size_t>(level)];
}

std::string matrix(const Topo& topo) {
  std::vector<Row> rows(1, Row{""});
  std::array<bool, place::k_levels> seen{};
  for (std::uint32_t member = 0; member < topo.members; ++member)
    rows[0].push_back(fmt::format("{}", member));
  for (std::uint32_t member = 0; member < topo.members; ++member) {
    Row row(topo.members + 1, Cell("."));
    row[0] = fmt::format("{}", member);
    for (const auto& group : topo.victims(member)) {
      seen[static_cast<std::size_t>(group.shared)] = true;
      for (const auto victim : group.members) row[victim + 1].text = letter_of(group.shared);
    }
    rows.push_back(std::move(row));
  }
  std::string legend;
  for (const Level level : topo.levels) {
    if (seen[static_cast<std::size_t>(level)])
      legend += fmt::format("{}{} {}", legend.empty() ? "" : ", ", letter_of(level), name_of(level));
  }
  return fmt::format("What two members share ({}):\n{}", legend, table(rows));
}

/// Returns the number of others with which a member shares each level, at least and at most.
std::string spread_of_distances(const Topo& topo) {
  struct Range {
    std::size_t least = ~std::size_t{0}, most = 0;
    std::uint32_t members = 0; // members that have such victims
  };
  std::array<Range, place::k_levels> ranges{};
  for (std::uint32_t member = 0; member < topo.members; ++member) {
    for (const auto& group : topo.victims(member)) {
      auto& range = ranges[static_cast<std::size_t>(group.shared)];
      range.least = std::min(range.least, group.members.size());
      range.most = std::max(range.most, group.members.size());
      ++range.members;
    }
  }
  std::string text;
  for (const Level level : topo.levels) {
    const auto& range = ranges[static_cast<std::size_t>(level)];
    if (range.members == 0) continue;
    const auto least = range.members < topo.members ? 0 : range.least;
    const auto count =
        least == range.most ? fmt::format("{}", least) : fmt::format("{} to {}", least, range.most);
    text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", name_of(level), count);
  }
  return fmt::format(
      "The nearest thing that two members share, and with how many others a member shares it:\n  {}\n", text);
}

std::string order_in_lines(const Topo& topo, std::uint32_t member) {
  auto text = fmt::format("Member {} looks for work in this order:\n", member);
  std::vector<Row> rows;
  for (const auto& group : topo.victims(member))
    rows.push_back({fmt::format("  {}", name_of(group.shared)), counted(group.members.size(), "member"),
                    to_list(group.members)});
  return text + (rows.empty() ? "  nowhere, it is alone\n" : table(rows));
}

std::string of_pinned(const Topo& topo, const std::optional<Thief>& thief) {
  const bool one_by_one = topo.members <= k_most_rows || (thief && thief->all);
  std::vector<Row> rows(1, head(one_by_one ? "member" : "members"));
  if (one_by_one) {
    for (std::uint32_t member = 0; member < topo.members; ++member) rows.push_back(row_of(topo, member));
  } else {
    for (const auto& group : topo.groups(k_most_groups)) rows.push_back(row_of(topo, group));
  }
  auto text = table(rows);
  if (const auto unused = topo.unused_places(); !unused.empty())
    text += fmt::format("{} of {} not used\n", unused.size(), counted(topo.places->count(), "place"));
  if (topo.members > 1) {
    text += '\n' + (topo.members <= k_largest_matrix ? matrix(topo) : spread_of_distances(topo));
  }
  if (thief && !thief->all) text += '\n' + order_in_lines(topo, thief->member);
  return text + "\nMember 0 opens the parallel regions: it is moved to its place and keeps its own mask.\n";
}

std::string of_free(const Topo& topo) {
  const auto cpus = place::to_list(topo.machine->set());
  if (topo.decision.reason == place::Reason::alone) return "";
  if (topo.decision.reason == place::Reason::user_placed)
    return fmt::format("The OpenMP runtime arranges the {} members; they look for work near where it has put "
                       "them.\n",
                       topo.members);
  return fmt::format(
      "The {} members run wherever the system puts them (CPUs {}); to a thief they are all equally "
      "far.\nWhere they would be pinned: wstree topo --bind close\n",
      topo.members, cpus.view());
}

} // namespace

std::string topo_text(const Topo& topo, const std::optional<Thief>& thief) {
  auto text = fmt::format("{}: {}\n{}\n", topo.source, topo.summary(), topo.verdict());
  const auto rest = topo.pins() ? of_pinned(topo, thief) : of_free(topo);
  return rest.empty() ? text : text + '\n' + rest;
}

} // namespace wstree::cli
