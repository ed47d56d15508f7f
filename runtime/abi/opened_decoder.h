// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The decoder of machine code, which the proof needs and which is opened when a region first needs it.
#pragma once

namespace wstree::abi {

/// Returns whether the decoder is there. The first call opens it, and waits for that for half a second
/// at most.
bool decoder_is_open() noexcept;

} // namespace wstree::abi
