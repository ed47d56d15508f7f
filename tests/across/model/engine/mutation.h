// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One deliberate mistake in the program that is checked.
#pragma once

#include "wstree/core/platform.h"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace wstree::model {

/// What an operation does with the order that it is given. A tag may name several.
enum class Use : std::uint8_t { load, store, update, success, failure, fence };
inline constexpr std::size_t k_uses = 6;

constexpr std::string_view name_of(Use use) {
  constexpr std::string_view names[k_uses] = {"load", "store", "update", "success", "failure", "fence"};
  return names[static_cast<std::size_t>(use)];
}

enum class Mistake : std::uint8_t {
  none,
  relaxed,    ///< every order of the tag, or of one use of it, becomes relaxed
  acq_rel,    ///< seq_cst becomes what is left without the total order
  acquire,    ///< acq_rel loses its release
  release,    ///< acq_rel loses its acquire
  non_atomic, ///< read-modify-writes of the tag become a load and a store
};

constexpr std::string_view name_of(Mistake mistake) {
  switch (mistake) {
  case Mistake::relaxed:
    return "relaxed";
  case Mistake::acq_rel:
    return "acq_rel";
  case Mistake::acquire:
    return "acquire";
  case Mistake::release:
    return "release";
  case Mistake::non_atomic:
    return "non_atomic";
  case Mistake::none:
    break;
  }
  return "none";
}

struct Mutation {
  Mistake mistake = Mistake::none;
  core::Tag tag{};
  std::optional<Use> use = {}; ///< nothing: all uses of the tag

  bool hits(core::Tag asked, Mistake kind) const { return mistake == kind && tag == asked; }
  /// The order that an operation gets which needs `order`.
  std::memory_order weakened(core::Tag asked, Use asked_use, std::memory_order order) const {
    if (mistake == Mistake::none || tag != asked || (use && *use != asked_use)) return order;
    switch (mistake) {
    case Mistake::relaxed:
      return std::memory_order_relaxed;
    case Mistake::acq_rel: // a load acquires and a store releases (memory.h)
      return order == std::memory_order_seq_cst ? std::memory_order_acq_rel : order;
    case Mistake::acquire:
      return order == std::memory_order_acq_rel ? std::memory_order_acquire : order;
    case Mistake::release:
      return order == std::memory_order_acq_rel ? std::memory_order_release : order;
    default:
      return order;
    }
  }
};

/// The orders that the operations of each tag have been given, by use: a bit for each std::memory_order.
class OrderLog {
public:
  static constexpr std::size_t k_most_tags = 96;
  void add(core::Tag tag, Use use, std::memory_order order) {
    bits_[static_cast<std::size_t>(tag)][static_cast<std::size_t>(use)] |=
        static_cast<std::uint8_t>(1U << static_cast<unsigned>(order));
  }
  void add(const OrderLog& other) {
    for (std::size_t tag = 0; tag < k_most_tags; ++tag)
      for (std::size_t use = 0; use < k_uses; ++use) bits_[tag][use] |= other.bits_[tag][use];
  }
  bool has(core::Tag tag, Use use, std::memory_order order) const {
    return (bits(tag, use) >> static_cast<unsigned>(order) & 1U) != 0;
  }
  std::uint8_t bits(core::Tag tag, Use use) const {
    return bits_[static_cast<std::size_t>(tag)][static_cast<std::size_t>(use)];
  }

private:
  std::array<std::array<std::uint8_t, k_uses>, k_most_tags> bits_{};
};

} // namespace wstree::model
