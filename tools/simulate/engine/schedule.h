// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "peers/peer.h"

#include "wstree/core/scheduler.h"

#include <cstdint>
#include <variant>

namespace wstree::simulate {

/// A schedule of the library, or of a peer.
using Kind = std::variant<core::Model, Peer>;

struct Schedule {
  Kind kind = core::Model::tree;
  std::uint64_t chunk = 0; ///< 0: none given
  bool operator==(const Schedule&) const = default;
};

} // namespace wstree::simulate
