// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Choosing CPUs so that every part of the machine gets its share.
#pragma once

#include "machine.h"

#include <cstdint>
#include <span>

namespace wstree::place {

enum class Mark : std::uint8_t { none, candidate, chosen };

/// Chooses `count` of the candidates, which there are. `marks` has one for each CPU of the machine. At each
/// level, the numbers of chosen CPUs (earlier choices included) in two domains inside the same larger one
/// differ by at most one, as far as the candidates and earlier choices allow that. Returns false if there is
/// no memory.
bool choose_fairly(const Machine& machine, std::span<Mark> marks, std::uint32_t count) noexcept;

} // namespace wstree::place
