// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The place of a loop's number of iterations when its region begins.
#pragma once

#include <cstddef>
#include <cstdint>

namespace wstree::proof {

/// Computes the number that a function of gcc divides by the number of threads. Results never depend on it,
/// only the length of pieces.
class IterationCount {
public:
  bool is_known() const noexcept { return width != 0; }
  /// Returns the number for a region whose function gets `data`; 0: there are none, or they are not known.
  std::uint64_t read(const void* data) const noexcept;

  // For the proof. The number is a sum of products of words, each of which is at `offset` from `data` or from
  // 0.
  struct Word {
    std::int64_t offset = 0;
    bool is_of_data = false;
    std::uint8_t size = 0; // 4, with a sign, or 8 bytes; 0: the word is 1
  };
  struct Product {
    std::int64_t factor = 0;
    Word words[2];
  };
  static constexpr std::size_t k_most = 4;
  std::int64_t constant = 0;
  Product products[k_most];
  std::uint8_t size = 0;  // products
  std::uint8_t width = 0; // bytes of the number; 0: it is not known
};

} // namespace wstree::proof
