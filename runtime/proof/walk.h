// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The blocks of a function that is being followed. For the .cpp files of this folder alone.
#pragma once

#include "prover.h"

namespace wstree::proof {

/// The blocks of one function, and the states at their ends.
struct Prover::Walk {
  Function& function;
  int depth;
  State** out = nullptr;      ///< by block
  State** exits = nullptr;    ///< by block and edge, where they leave a loop over the part
  bool* has_effect = nullptr; ///< by block
  bool* has_sum = nullptr;    ///< by block
  bool* has_merge = nullptr;  ///< by block
  bool* decides = nullptr;    ///< by block: ends in a decision by the part that no merge may depend on
  bool* is_bound = nullptr;   ///< by block: ends in the test whether the part is over
  State* entry = nullptr;     ///< state at the function's entry
  State* now = nullptr;       ///< state of the block that is being followed
  Visited* visited = nullptr; ///< by block
  Mode mode{};                ///< mode of the visits that are numbered `modes`
  std::uint32_t modes = 1;
  Kept settled{}; ///< state at `settled_header` with which settle() has come to its end
  std::uint32_t settled_header = k_none; ///< k_none: it is not known
  std::uint32_t settled_mode = 0;
  std::uint8_t* loops = nullptr; ///< by block: k_has_... of the loop over the part that begins there
  static constexpr std::uint8_t k_has_effect = 1;
  static constexpr std::uint8_t k_has_sum = 2;
  static constexpr std::uint8_t k_is_wide = 4; ///< it executes several iterations at a time
  // The cycle that is being followed.
  const std::uint32_t* members = nullptr;
  std::size_t count = 0;
  State* header = nullptr; ///< fixed at members[0]; nullptr: it is joined as elsewhere

  const std::uint8_t* is_in = nullptr;  ///< by block: is a member
  const std::uint8_t* closed = nullptr; ///< by block and edge: is not taken; nullptr: all may be

  bool is_member(std::uint32_t block) const noexcept { return is_in[block] != 0; }
  const Instruction& last(std::uint32_t block) const noexcept {
    return function.instructions[function.blocks[block].end - 1];
  }
};

} // namespace wstree::proof
