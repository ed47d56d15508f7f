// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "prover.h"

#include <cstring>

namespace wstree::proof {
namespace {

template <class T> T get(const std::byte* from) noexcept {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

std::uint64_t get_leb(const std::byte*& from) noexcept {
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift < 63; shift += 7) {
    const auto byte = std::to_integer<std::uint64_t>(*from++);
    value |= (byte & 0x7f) << shift;
    if (byte < 0x80) break;
  }
  return value;
}

/// Whether exceptions land somewhere in a function that has the table `from` for them.
bool has_landings(const std::byte* from) noexcept {
  constexpr std::byte k_omitted{0xff};
  if (*from++ != k_omitted) return true;
  if (*from++ != k_omitted) (void)get_leb(from);
  if (*from++ != std::byte{0x01}) return true;
  const std::uint64_t size = get_leb(from);
  for (const std::byte* const end = from + size; from < end;) {
    (void)get_leb(from); // where calls are
    (void)get_leb(from);
    if (get_leb(from) != 0) return true;
    (void)get_leb(from);
  }
  return false;
}

} // namespace

bool catches_exceptions(Address address, const Process& process) noexcept {
  const Segment segment = process.segment_around(process.context, reinterpret_cast<const void*>(address));
  const auto* const index = static_cast<const std::byte*>(segment.unwind_index);
  if (index == nullptr) return true;
  // The forms that all linkers write: version 1, a relative pointer, a count, a table of relative pairs.
  if (get<std::uint32_t>(index) != 0x3b031b01) return true;
  const auto base = reinterpret_cast<Address>(index);
  const auto count = get<std::uint32_t>(index + 8);
  std::uint32_t begin = 0;
  std::uint32_t end = count;
  const auto at = [base, index](std::uint32_t i, std::size_t field) noexcept {
    return base +
           static_cast<Address>(std::int64_t{get<std::int32_t>(index + 12 + std::size_t{i} * 8 + field)});
  };
  while (end - begin > 1) {
    const std::uint32_t middle = begin + (end - begin) / 2;
    (at(middle, 0) <= address ? begin : end) = middle;
  }
  if (count == 0 || at(begin, 0) > address) return true;
  const auto* const fde = reinterpret_cast<const std::byte*>(at(begin, 4));
  if (get<std::uint32_t>(fde) == 0xffffffff) return true;
  const std::byte* const cie = fde + 4 - get<std::uint32_t>(fde + 4);
  const std::byte* text = cie + 9;
  if (*text != std::byte{'z'}) return true;
  const std::byte* data = text + std::strlen(reinterpret_cast<const char*>(text)) + 1;
  (void)get_leb(data); // alignments and the return address
  (void)get_leb(data);
  (void)get_leb(data);
  (void)get_leb(data); // length
  bool has_data = false;
  std::size_t pointer = 0;
  for (++text; *text != std::byte{0}; ++text) switch (std::to_integer<char>(*text)) {
    case 'R':
      if (*data++ != std::byte{0x1b}) return true;
      pointer = 4;
      break;
    case 'P':
      if (const auto form = std::to_integer<unsigned>(*data++) & 0x0f; form == 0x0b || form == 0x03)
        data += 4;
      else
        return true;
      break;
    case 'L':
      has_data = true;
      if (*data++ != std::byte{0x1b}) return true;
      break;
    case 'S':
      break;
    default:
      return true;
    }
  if (!has_data) return false;
  if (pointer == 0) return true;
  const std::byte* augmentation = fde + 16;
  (void)get_leb(augmentation);
  const auto distance = get<std::int32_t>(augmentation);
  return distance != 0 && has_landings(augmentation + distance);
}

} // namespace wstree::proof
