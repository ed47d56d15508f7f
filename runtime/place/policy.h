// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The decision whether the threads of a team are pinned.
#pragma once

#include "layout.h"
#include "machine.h"
#include "process_limits.h"

#include "options.h"

#include <cstdint>

namespace wstree::place {

enum class Reason : std::uint8_t {
  asked,            ///< close or spread: pinned
  fits,             ///< auto: a member for every core: pinned
  off,              ///< none
  alone,            ///< a team of one has nothing to arrange
  user_placed,      ///< a variable of OpenMP or of a runtime places threads
  ranks_share_mask, ///< other ranks would pin their threads to the same CPUs
  quota,            ///< less processor time than threads
  too_many,         ///< more members than CPUs
  cores_left,       ///< fewer members than cores: another process may be using the others
};

struct Decision {
  bool pins = false;
  Spacing spacing = Spacing::close;
  Reason reason = Reason::off;
};

/// Decides for teams of `members`. close and spread pin for any limits, inside the mask, unless the OpenMP
/// runtime does.
Decision decide(config::Bind bind, const Limits& limits, const Machine& machine,
                std::uint32_t members) noexcept;

/// One sentence without a full stop: "4 members on 4 cores", "OMP_PROC_BIND is set", ...
using ReasonText = config::FixedText<160>;
ReasonText explain(const Decision& decision, const Limits& limits, const Machine& machine,
                   std::uint32_t members) noexcept;

} // namespace wstree::place
