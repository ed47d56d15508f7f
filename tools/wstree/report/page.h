// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string_view>

namespace wstree::cli {

/// The page with /*STYLE*/, /*DATA*/ and /*SCRIPT*/ where the style, the figures and the script belong.
extern const std::string_view k_report_page, k_report_style, k_report_script;

} // namespace wstree::cli
