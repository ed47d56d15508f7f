// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "count.h"

#include <cstring>

namespace wstree::proof {
namespace {

std::uint64_t read_word(const IterationCount::Word& word, const void* data) noexcept {
  if (word.size == 0) return 1;
  const auto* const base = word.is_of_data ? static_cast<const std::byte*>(data) : nullptr;
  const auto* const place = base + word.offset;
  if (word.size == 4) {
    std::int32_t value = 0;
    std::memcpy(&value, place, sizeof value);
    return static_cast<std::uint64_t>(std::int64_t{value});
  }
  std::uint64_t value = 0;
  std::memcpy(&value, place, sizeof value);
  return value;
}

} // namespace

std::uint64_t IterationCount::read(const void* data) const noexcept {
  if (width == 0) return 0;
  auto sum = static_cast<std::uint64_t>(constant);
  for (std::size_t i = 0; i < size; ++i)
    sum += static_cast<std::uint64_t>(products[i].factor) * read_word(products[i].words[0], data) *
           read_word(products[i].words[1], data);
  const auto number = width == 4 ? std::int64_t{static_cast<std::int32_t>(static_cast<std::uint32_t>(sum))}
                                 : static_cast<std::int64_t>(sum);
  return number > 0 ? static_cast<std::uint64_t>(number) : 0;
}

} // namespace wstree::proof
