// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Capstone, opened when it is needed. Only the .cpp files of this folder see its header.
#pragma once

#include <capstone/capstone.h>

#include <cstddef>

namespace wstree::proof {

/// Decodes x86-64. open_decoder() must have succeeded.
class Decoder {
public:
  Decoder() noexcept;
  ~Decoder();
  Decoder(const Decoder&) = delete;
  Decoder& operator=(const Decoder&) = delete;

  bool is_ready() const noexcept { return instruction_ != nullptr; }
  /// Returns the instruction at `code`, in front of `size` readable bytes; it holds until the next call.
  /// nullptr: Capstone finds none there.
  const cs_insn* decode(const std::byte* code, std::size_t size) noexcept;

private:
  csh handle_ = 0;
  cs_insn* instruction_ = nullptr;
};

} // namespace wstree::proof
