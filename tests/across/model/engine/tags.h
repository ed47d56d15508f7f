// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names of tags and memory orders, for stories and tables.
#pragma once

#include "wstree/core/platform.h"

#include <atomic>
#include <string_view>

namespace wstree::model {

/// "N2 advance".
std::string_view name_of_tag(core::Tag tag);

inline const char* name_of(std::memory_order order) {
  switch (order) {
  case std::memory_order_relaxed:
    return "relaxed";
  case std::memory_order_consume:
  case std::memory_order_acquire:
    return "acquire";
  case std::memory_order_release:
    return "release";
  case std::memory_order_acq_rel:
    return "acq_rel";
  case std::memory_order_seq_cst:
    break;
  }
  return "seq_cst";
}

} // namespace wstree::model
