// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every tag, each way to get it wrong, and whether that is noticed: TAGS.md, as tests read it.
#pragma once

#include "engine/mutation.h"

#include <string>
#include <utility>
#include <vector>

namespace wstree::model {

struct TagRow {
  core::Tag tag;    ///< the first row is that of the first tag
  std::string name; ///< "N2 advance"
  std::string site;
  std::vector<std::pair<Use, std::memory_order>> orders; ///< of its operations
  std::string outcomes;
};
const std::vector<TagRow>& tag_rows();

/// The words that TAGS.md explains: why something survives, or why there is nothing to weaken.
const std::vector<std::string>& reasons();

struct Mutant {
  const TagRow* row;
  Mutation mutation;
  std::string outcome{}; ///< "`find_max_2x4`", "any scenario", "survives: hint"
  bool survives() const { return outcome.starts_with("survives"); }
  std::string weakening() const; ///< "success relaxed"
  std::string name() const;      ///< of a test
};

/// The mutants of a tag: all of its orders weakened, and each of them alone where it has several.
std::vector<Mutant> mutants_of(const TagRow& row);

/// The parts of the row's last cell: what is weakened (nothing: all the rest), and the outcome.
std::vector<std::pair<std::vector<std::string>, std::string>> outcomes_of(const TagRow& row);

} // namespace wstree::model
