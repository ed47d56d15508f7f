// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every tag, each way to get it wrong, and whether that is noticed.
#pragma once

#include "engine/mutation.h"

#include <string>
#include <string_view>
#include <vector>

namespace wstree::model {

/// Whose scenarios have to notice.
enum class Group : std::uint8_t { tree, range, queue, queue_lock, counter, loops };

enum class Fate : std::uint8_t {
  none,     ///< the mistake changes nothing: there is no such order, or no read-modify-write
  killed,   ///< some scenario fails
  survives, ///< none does, for the reason that is given
};

struct TagRow {
  core::Tag tag;
  std::string_view name; ///< "N2 advance"
  std::string_view site;
  Group group;
  Fate relaxed;
  Fate acq_rel;
  Fate non_atomic;
  std::string_view reason = {}; ///< why something survives, or why there is nothing to weaken
};

const std::vector<TagRow>& tag_rows();

struct Mutant {
  const TagRow* row;
  Mutation mutation;
  Fate fate;
  std::string name() const; ///< of a test
};

std::vector<Mutant> mutants();

} // namespace wstree::model
