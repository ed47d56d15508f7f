// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string_view>
#include <vector>

namespace wstree::cli {

struct HelpTopic {
  std::string_view name;
  std::string_view text; ///< its first line names the subject
};

/// Returns the topics of topics/*.txt.
const std::vector<HelpTopic>& written_topics();

} // namespace wstree::cli
