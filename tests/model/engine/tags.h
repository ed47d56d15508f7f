// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names of the tags, for stories and tables.
#pragma once

#include "wstree/core/platform.h"

#include <string_view>

namespace wstree::model {

/// "N2 advance".
std::string_view name_of_tag(core::Tag tag);

} // namespace wstree::model
