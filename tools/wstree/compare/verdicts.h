// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "paired.h"

#include <cstddef>
#include <string>

namespace wstree::cli {

/// Returns 12.3 for 0.123 and for -0.123.
double percent(double part);

/// Returns the confidence that each of several comparisons needs so that all of them together have that of
/// one: the best of many is a lucky one.
double shared_confidence(std::size_t comparisons);

/// Returns a text such as "between 12.1 and 13.0 % with 99 % confidence".
std::string how_sure(const Ratio& ratio);

/// Returns the largest difference from 1 that the interval holds.
double most_of(const Ratio& ratio);
/// Returns whether the interval is so wide that no difference in it means little.
bool is_coarse(const Ratio& ratio);

} // namespace wstree::cli
