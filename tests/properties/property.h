// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One property with the project's seed and size, and numbers that are as often at an edge as not.
#pragma once

#include "seed.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cstdint>
#include <limits>
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

/// A value of T: near one of its limits, near zero, near a power of two, or anywhere.
template <class T> rc::Gen<T> edgy() {
  using Unsigned = std::make_unsigned_t<T>;
  return rc::gen::map(
      rc::gen::tuple(rc::gen::inRange(0, 5), rc::gen::inRange(-3, 4), rc::gen::inRange<int>(0, sizeof(T) * 8),
                     rc::gen::noShrink(rc::gen::arbitrary<std::uint64_t>()), rc::gen::inRange(-300, 300)),
      [](const std::tuple<int, int, int, std::uint64_t, int>& choice) {
        const auto [kind, offset, bits, any, small] = choice;
        const auto near = static_cast<Unsigned>(offset);
        switch (kind) {
        case 0:
          return static_cast<T>(static_cast<Unsigned>(small));
        case 1:
          return static_cast<T>(static_cast<Unsigned>(std::numeric_limits<T>::max()) + near);
        case 2:
          return static_cast<T>(static_cast<Unsigned>(std::numeric_limits<T>::min()) + near);
        case 3:
          return static_cast<T>(static_cast<Unsigned>(Unsigned{1} << bits) + near);
        default:
          return static_cast<T>(static_cast<Unsigned>(any));
        }
      });
}

} // namespace wstree::test
