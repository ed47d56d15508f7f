// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One deliberate mistake in the program that is checked.
#pragma once

#include "wstree/core/platform.h"

#include <cstdint>
#include <string_view>

namespace wstree::model {

enum class Mistake : std::uint8_t {
  none,
  relaxed,    ///< every order of the tag becomes relaxed
  acq_rel,    ///< seq_cst of the tag becomes what is left without the total order
  non_atomic, ///< read-modify-writes of the tag become a load and a store
};

constexpr std::string_view name_of(Mistake mistake) {
  switch (mistake) {
  case Mistake::relaxed:
    return "relaxed";
  case Mistake::acq_rel:
    return "acq_rel";
  case Mistake::non_atomic:
    return "non_atomic";
  case Mistake::none:
    break;
  }
  return "none";
}

struct Mutation {
  Mistake mistake = Mistake::none;
  core::Tag tag{};
  bool hits(core::Tag asked, Mistake kind) const { return mistake == kind && tag == asked; }
};

} // namespace wstree::model
