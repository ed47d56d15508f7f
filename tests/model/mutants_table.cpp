// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mutants.h"

#include "engine/tags.h"

#include <algorithm>

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

/// "relaxed: find_max_2x4; success relaxed: survives".
std::string fates_of(const TagRow& row, const std::vector<Mutant>& all) {
  std::string text;
  for (const Mutant& mutant : all) {
    if (mutant.row != &row) continue;
    text += text.empty() ? "" : "; ";
    if (mutant.mutation.use) text += std::string(name_of(*mutant.mutation.use)) + " ";
    text += name_of(mutant.mutation.mistake);
    text += mutant.fate == Fate::killed ? ": `" + std::string(guard_of(mutant)) + "`" : ": survives";
  }
  return text;
}

std::string reasons_of(const TagRow& row, const std::vector<Mutant>& all) {
  std::string text(row.reason);
  for (const Mutant& mutant : all)
    if (mutant.row == &row && mutant.fate == Fate::survives && text.find(mutant.reason) == std::string::npos)
      text += (text.empty() ? "" : "; ") + std::string(mutant.reason);
  return text;
}

} // namespace

std::string table_of_tags() {
  const std::vector<Mutant> all = mutants();
  std::string text =
      "# Tags\n\n"
      "Written by `WSTREE_UPDATE_TAGS=1 model_mutants_test --gtest_filter='Tags.*'`, and compared by\n"
      "the test of that name. Each weakening is followed by the scenario that fails with it;\n"
      "`non_atomic` makes a load and a store of a read-modify-write. Sites are in\n"
      "`include/wstree/core`, those of T in `runtime`.\n\n"
      "| tag | site | orders in force | about | weakened: noticed by | remark |\n"
      "|---|---|---|---|---|---|\n";
  for (const TagRow& row : tag_rows()) {
    const UseRow* const uses = uses_of(row.tag);
    text += "| " + std::string(row.name) + " | " + std::string(row.site) + " | " + orders_of(uses) + " | " +
            std::string(uses == nullptr ? "" : uses->partners) + " | " + fates_of(row, all) + " | " +
            reasons_of(row, all) + " |\n";
  }
  return text;
}

} // namespace wstree::model
