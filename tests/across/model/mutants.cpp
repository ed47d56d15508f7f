// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mutants.h"

#include "engine/tags.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <stdexcept>
#include <string_view>

namespace wstree::model {
namespace {

using enum Mistake;

std::vector<std::string> split(std::string_view text, std::string_view by) {
  std::vector<std::string> parts;
  for (std::size_t at = 0; at != std::string_view::npos;) {
    const std::size_t end = text.find(by, at);
    parts.emplace_back(text.substr(at, end - at));
    at = end == std::string_view::npos ? end : end + by.size();
  }
  return parts;
}

/// "success release".
std::pair<Use, std::memory_order> order_of(const std::string& text) {
  for (std::size_t use = 0; use < k_uses; ++use)
    for (const auto order : {std::memory_order_relaxed, std::memory_order_acquire, std::memory_order_release,
                             std::memory_order_acq_rel, std::memory_order_seq_cst})
      if (std::string(name_of(static_cast<Use>(use))) + " " + name_of(order) == text)
        return {static_cast<Use>(use), order};
  throw std::runtime_error("TAGS.md: '" + text + "' is no order");
}

struct Page {
  std::vector<TagRow> rows;
  std::vector<std::string> reasons;
};

Page read_page() {
  Page page;
  std::ifstream file(WSTREE_TAGS_TABLE);
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("- *")) page.reasons.push_back(line.substr(3, line.find("*:") - 3));
    const std::vector<std::string> cells = split(line, " | ");
    if (cells.size() == 3 && line.ends_with(" |"))
      for (TagRow& row : page.rows)
        if ("| " + row.name == cells[0])
          row.outcomes += "; " + cells[1] + " " + cells[2].substr(0, cells[2].size() - 2);
    if (cells.size() != 5 || !line.ends_with(" |") || cells[0] == "| tag") continue;
    TagRow row{static_cast<core::Tag>(page.rows.size()), cells[0].substr(2), cells[1], {}, cells[4]};
    for (const std::string& order : split(cells[2], ", ")) row.orders.push_back(order_of(order));
    row.outcomes.resize(row.outcomes.size() - 2);
    page.rows.push_back(std::move(row));
  }
  return page;
}
const Page& page() {
  static const Page read = read_page();
  return read;
}

} // namespace

const std::vector<TagRow>& tag_rows() { return page().rows; }
const std::vector<std::string>& reasons() { return page().reasons; }

std::string_view name_of_tag(core::Tag tag) {
  const auto number = static_cast<std::size_t>(tag);
  return number < tag_rows().size() ? std::string_view(tag_rows()[number].name) : "?";
}

std::string Mutant::weakening() const {
  const std::string mistake(name_of(mutation.mistake));
  return mutation.use ? std::string(name_of(*mutation.use)) + " " + mistake : mistake;
}

std::string Mutant::name() const {
  std::string text = row->name + "_" + weakening();
  std::replace(text.begin(), text.end(), ' ', '_');
  return text;
}

std::vector<std::pair<std::vector<std::string>, std::string>> outcomes_of(const TagRow& row) {
  std::vector<std::pair<std::vector<std::string>, std::string>> all;
  for (const std::string& part : split(row.outcomes, "; ")) {
    const std::size_t at = std::min(
        {part.find('`'), part.find("survives: "), part.find("any scenario"), part.find("relaxed: ")});
    if (at == std::string::npos) throw std::runtime_error("TAGS.md: '" + part + "' is no outcome");
    all.emplace_back(at == 0 ? std::vector<std::string>() : split(part.substr(0, at - 1), ", "),
                     part.substr(at));
  }
  return all;
}

std::vector<Mutant> mutants_of(const TagRow& row) {
  std::vector<Mutant> all;
  const auto add = [&](Mistake mistake, std::optional<Use> use = {}) {
    Mutant made{&row, {mistake, row.tag, use}};
    for (const auto& [weakenings, outcome] : outcomes_of(row))
      if (weakenings.empty() ||
          std::find(weakenings.begin(), weakenings.end(), made.weakening()) != weakenings.end())
        made.outcome = outcome;
    if (std::none_of(all.begin(), all.end(),
                     [&](const Mutant& known) { return known.name() == made.name(); }))
      all.push_back(made);
  };
  const auto count = [&](auto holds) { return std::count_if(row.orders.begin(), row.orders.end(), holds); };
  const auto ordered = count([](const auto& each) { return each.second != std::memory_order_relaxed; });
  if (ordered != 0) add(relaxed);
  if (count([](const auto& each) { return each.second == std::memory_order_seq_cst; }) != 0) add(acq_rel);
  if (count([](const auto& each) { return each.first == Use::update || each.first == Use::success; }) != 0)
    add(non_atomic);
  for (const auto& [use, order] : row.orders) {
    if (order == std::memory_order_acq_rel) add(acquire, use), add(release, use);
    if (ordered > 1 && order != std::memory_order_relaxed) add(relaxed, use);
  }
  return all;
}

} // namespace wstree::model
