// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Built without the headers of Capstone, or for another processor: all functions are refused.
#include "proof.h"

namespace wstree::proof {

bool open_decoder() noexcept { return false; }

const char* decoder_problem() noexcept { return "this library was built without Capstone"; }

Verdict prove(const void*, const Process&) noexcept {
  Verdict refused;
  refused.reason = decoder_problem();
  return refused;
}

} // namespace wstree::proof
