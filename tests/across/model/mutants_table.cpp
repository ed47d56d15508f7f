// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mutants.h"

#include "engine/tags.h"

#include <algorithm>
#include <utility>

namespace wstree::model {
namespace {

const UseRow* uses_of(core::Tag tag) {
  const auto found =
      std::find_if(use_rows().begin(), use_rows().end(), [tag](const UseRow& row) { return row.tag == tag; });
  return found == use_rows().end() ? nullptr : &*found;
}

/// "load acquire, success release, failure acquire".
std::string orders_of(const UseRow* row) {
  std::string text;
  if (row == nullptr) return text;
  for (const auto& [use, order] : row->orders) {
    text += text.empty() ? "" : ", ";
    text += name_of(use);
    text += " ";
    text += name_of(order);
  }
  return text;
}

/// Rows of the table of weakenings: those of a tag that end alike stand together.
std::string rows_of(const TagRow& row, const std::vector<Mutant>& all) {
  std::vector<std::pair<std::string, std::string>> fates; // what follows, and from which weakenings
  for (const Mutant& mutant : all) {
    if (mutant.row != &row) continue;
    const std::string_view guard = guard_of(mutant);
    const std::string fate = mutant.fate == Fate::survives ? "nothing: " + std::string(mutant.reason)
                             : guard.empty()               ? "some scenario fails"
                                                           : "`" + std::string(guard) + "` fails";
    auto found =
        std::find_if(fates.begin(), fates.end(), [&](const auto& entry) { return entry.first == fate; });
    if (found == fates.end()) found = fates.insert(fates.end(), {fate, ""});
    if (!found->second.empty()) found->second += ", ";
    if (mutant.mutation.use) found->second += std::string(name_of(*mutant.mutation.use)) + " ";
    found->second += name_of(mutant.mutation.mistake);
  }
  if (fates.empty()) fates.emplace_back(row.reason, "");
  std::string text;
  for (const auto& [fate, weakenings] : fates)
    text += "| " + std::string(row.name) + " | " + weakenings + " | " + fate + " |\n";
  return text;
}

} // namespace

std::string table_of_tags() {
  const std::vector<Mutant> all = mutants();
  std::string text =
      "# Tags\n\n"
      "Written by `WSTREE_UPDATE_TAGS=1 model_mutants_test --gtest_filter='Tags.*'`, and compared by\n"
      "the test of that name. Sites are in `include/wstree/core`, those of T in `runtime`, those of B, D, E, "
      "G, M\nand P in `include/wstree`. Those of O, in `runtime/observe`, and K, in `runtime/config`,\n"
      "are not here: no template has them, so each is explained where it is used.\n\n"
      "| tag | site | orders in force | about |\n"
      "|---|---|---|---|\n";
  for (const TagRow& row : tag_rows()) {
    const UseRow* const uses = uses_of(row.tag);
    text += "| " + std::string(row.name) + " | " + std::string(row.site) + " | " + orders_of(uses) + " | " +
            std::string(uses == nullptr ? "" : uses->partners) + " |\n";
  }
  text += "\n## Weakened\n\n"
          "What follows if an order is made weaker. `non_atomic` makes a load and a store of a\n"
          "read-modify-write. A tag without a weakening has nothing that could be weaker.\n\n"
          "| tag | weakened | what follows |\n"
          "|---|---|---|\n";
  for (const TagRow& row : tag_rows()) text += rows_of(row, all);
  return text;
}

} // namespace wstree::model
