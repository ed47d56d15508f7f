// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string_view>

namespace wstree::cli {

/// The page with /*DATA*/ where the figures belong.
extern const std::string_view k_report_page;

} // namespace wstree::cli
