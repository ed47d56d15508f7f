// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "model.h"
#include "support/terminal.h"

#include <string>
#include <string_view>

namespace wstree::cli {

/// Returns the verdict and a table of loops, for a terminal.
std::string report_text(const RunReport& report, const Terminal& terminal);

/// Returns a page for browsers that needs no other files. At most a megabyte: of loops beyond the first ones
/// there are no pictures.
std::string report_page(const RunReport& report);
/// Returns whether report_page() has made the text, or an earlier version of it.
bool is_report_page(std::string_view text);
/// Returns the content of the page, as JSON.
std::string report_json(const RunReport& report);

} // namespace wstree::cli
