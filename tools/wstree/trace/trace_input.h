// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "names.h"

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace wstree::cli {

/// All of a file, unpacked if gzip has packed it. Nothing if it cannot be read or is damaged.
std::optional<std::string> read_packed(const std::string& path);
/// What gzip -d gives back.
std::string packed(std::string_view text);

/// Whether this is a file that WSTREE_TRACE names, or that wstree trace has made of some.
bool is_trace(const nlohmann::json& document);

/// What the loops of a trace are called in the source, by what the trace calls them.
std::map<std::string, std::string> names_in(const nlohmann::json& trace, names::Resolver& resolver);

} // namespace wstree::cli
