// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks of numbers on the command line.
#pragma once

#include <CLI/Validators.hpp>

#include <cmath>
#include <string>

namespace wstree::cli {

/// Refuses nan and inf, which are in every CLI::Range.
inline CLI::Validator finite() {
  return {[](std::string& text) {
            double number = 0;
            return CLI::detail::lexical_cast(text, number) && !std::isfinite(number)
                       ? "Value " + text + " is no number to calculate with"
                       : std::string();
          },
          "", "finite"};
}

} // namespace wstree::cli
