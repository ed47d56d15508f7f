// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What parameters are called in the names of tests.
#pragma once

#include "wstree/core/settings.h"

#include <cstddef>
#include <string>
#include <tuple>

namespace wstree::test {

inline std::string name_of(core::Strategy strategy) {
  constexpr const char* k_names[] = {"predefined",  "assign",     "assign_top",
                                     "random_walk", "random_all", "find_max"};
  return k_names[static_cast<std::size_t>(strategy)];
}

inline std::string name_of(core::BatchMode mode) {
  constexpr const char* k_names[] = {"timed", "exponential", "fixed", "random"};
  return k_names[static_cast<std::size_t>(mode)];
}

inline std::string name_of(const std::tuple<core::Strategy, core::BatchMode>& both) {
  return name_of(std::get<0>(both)) + '_' + name_of(std::get<1>(both));
}

/// For INSTANTIATE_TEST_SUITE_P.
constexpr auto k_parameter_name = [](const auto& each) { return name_of(each.param); };

} // namespace wstree::test
