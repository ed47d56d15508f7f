// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "names.h"

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace wstree::cli {

/// Returns all of a file, unpacked if gzip has packed it. Nothing if it cannot be read or is damaged.
std::optional<std::string> read_packed(const std::string& path);
/// Returns the text in gzip's format.
std::string packed(std::string_view text);

/// Returns whether this is a file that WSTREE_TRACE names, or that wstree trace has made of some.
bool is_trace(const nlohmann::json& document);

/// Returns the names of a trace's loops in the source, by their names in the trace.
std::map<std::string, std::string> names_in(const nlohmann::json& trace, names::Resolver& resolver);

} // namespace wstree::cli
