// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lists and numbers as users write them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace wstree::cli {

/// Parts between separators, without blanks at their ends.
std::vector<std::string> parts_of(std::string_view text, char separator);

/// Returns the number if the text is all digits.
std::optional<std::uint64_t> whole_number(std::string_view text);
/// Returns thousandths: of "45", "0.5" or "1.25", up to three places.
std::optional<std::uint64_t> thousandths(std::string_view text);

/// Returns "1,234,567" for 1234567.
std::string with_commas(std::uint64_t value);
/// Thousandths as "45" or "0.5".
std::string decimal(std::uint64_t thousandths);

} // namespace wstree::cli
