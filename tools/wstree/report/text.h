// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "model.h"
#include "support/terminal.h"

#include <string>
#include <string_view>

namespace wstree::cli {

/// For a terminal: the verdict and a table of loops.
std::string report_text(const RunReport& report, const Terminal& terminal);

/// A page that needs nothing but itself, for browsers. At most a megabyte: of loops beyond the first ones
/// there are no pictures.
std::string report_page(const RunReport& report);
/// Returns whether report_page() has made the text, or an earlier version of it.
bool is_report_page(std::string_view text);
/// Returns the content of the page, as JSON.
std::string report_json(const RunReport& report);

} // namespace wstree::cli
