// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One property with the project's seed and size.
#pragma once

#include "seed.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cstdint>
#include <sstream>
#include <string>

namespace wstree::test {

/// Checks `property` for `tests` random arguments; the smallest counterexample that is found is printed.
template <class Property> void for_all(const char* what, std::uint64_t tests, Property&& property) {
  rc::detail::TestParams params;
  params.seed = seed();
  params.maxSuccess = static_cast<int>(scaled(tests));
  rc::detail::TestMetadata metadata;
  metadata.id = what;
  const auto result = rc::detail::checkTestable(property, metadata, params);
  if (result.template is<rc::detail::SuccessResult>()) return;
  std::ostringstream text;
  rc::detail::printResultMessage(result, text);
  ADD_FAILURE() << what << ", WSTREE_TEST_SEED=" << seed() << '\n' << text.str();
}

} // namespace wstree::test
