// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every tag, each way to get it wrong, and whether that is noticed.
#pragma once

#include "engine/mutation.h"

#include <string>
#include <string_view>
#include <vector>

namespace wstree::model {

/// Whose scenarios have to notice.
enum class Group : std::uint8_t {
  tree,
  range,
  queue,
  queue_lock,
  counter,
  loops,
  tasks,
  reduction,
  parallel,
  types,
  ranks
};

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

/// The orders that a tag's operations have.
struct UseRow {
  struct Order {
    Use use;
    std::memory_order order;
  };
  core::Tag tag;
  std::string_view partners; ///< tags that its order, or its read-modify-write, is about
  std::vector<Order> orders;
};

const std::vector<UseRow>& use_rows();

struct Mutant {
  const TagRow* row;
  Mutation mutation;
  Fate fate;
  std::string_view reason = {}; ///< why it survives
  std::string name() const;     ///< of a test
};

/// Every tag in each way, and where the operations of a tag have orders of their own, each of them alone.
std::vector<Mutant> mutants();

/// The scenario that fails first with the mutant; empty: the mutant survives, or was not run yet.
std::string_view guard_of(const Mutant& mutant);

/// All of this as Markdown: TAGS.md.
std::string table_of_tags();

} // namespace wstree::model
