// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One reduction from its opening to its result.
#pragma once

#include "wstree/core/reduction/storage.h"
#include "wstree/core/reduction/worker.h"

#include <cstdint>

namespace wstree::core {

/// What is to be reduced, and how.
struct ReductionPlan {
  std::uint64_t elements = 1; ///< below 2^63 - 1
  std::uint32_t members = 1;  ///< at most the capacity of the storage
  Settings settings;
  std::uint64_t smallest = 1;    ///< elements of a batch, if there are as many
  std::uint64_t largest = ~0ULL; ///< of any batch
  float cost = 0;                ///< ticks per element, where that is known; else 0
};

/// Any number of members may take part; member 0 has to. The destructor destroys values that no member
/// has taken.
template <class Platform, ReductionBody Body, class Storage = ReductionStorage<Platform>> class Reduction {
public:
  using Worker = ReductionWorker<Platform, Body>;
  using P = typename Worker::P;
  using Value = typename Worker::Value;

  Reduction(Storage& storage, const ReductionPlan& plan) noexcept : storage_(storage), plan_(plan) {}
  Reduction(const Reduction&) = delete;
  Reduction& operator=(const Reduction&) = delete;
  /// All members have left.
  ~Reduction() {
    if constexpr (!std::is_trivially_destructible_v<Value>) {
      if (!is_complete_)
        storage_.each_cell([](std::byte* at) {
          auto* const cell = std::launder(reinterpret_cast<Cell*>(at));
          cell->drop(Cell::left);
          cell->drop(Cell::right);
        });
    }
  }

  /// Opens the storage, before the opener lets other members in. Returns false if there is no memory.
  bool open() noexcept {
    const bool is_open = storage_.open(Worker::k_cell_bytes);
    is_complete_ = !is_open; // what the cells hold then is not of this reduction
    return is_open;
  }

  /// Executes what a member gets of the reduction; each member calls it at most once. The tree of shares is
  /// that of plan.members, whichever members come. Returns what the member has done.
  Counts take_part(std::uint32_t member, Body& body) noexcept {
    Worker worker(body);
    worker.enter(storage_.tree(), storage_.arena(member), entry(member), plan_.largest);
    worker.run();
    return worker.counts();
  }

  /// Combines the values of the roots, in order, to one. The opener calls it when all members have left and
  /// the reduction has not ended early. Returns false if `body` has failed.
  bool finish(Body& body, Maybe<Value>& result) noexcept {
    const Shape shape = Worker::shape_of(entry(0));
    if constexpr (Worker::k_has_values) {
      for (std::uint32_t i = 0; i < shape.roots(); ++i) {
        if (shape.root_size(i) == 0) continue;
        auto* const cell = static_cast<Cell*>(storage_.tree().root(i)->extension().cell());
        Value* const value = std::launder(cell)->find(Cell::left);
        const std::uint64_t at = shape.range(shape.root_begin(i), shape.root_begin(i) + 1).begin;
        if (!result.has_value()) {
          if (!body.move(result.place(), *value, at)) return false;
          result.set();
        } else if (!body.combine(result.value(), *value, at)) {
          return false;
        }
        cell->drop(Cell::left);
      }
    }
    is_complete_ = true;
    return true;
  }

private:
  using Cell = typename Worker::Cell;

  /// Returns the entry into a loop of one iteration more than there are elements: the tree of a loop does
  /// not contain its last iteration.
  Entry entry(std::uint32_t member) const noexcept {
    return {plan_.elements + 1, storage_.use(), storage_.use(), member,  plan_.members,
            &plan_.settings,    plan_.smallest, nullptr,        nullptr, plan_.cost};
  }

  Storage& storage_;
  ReductionPlan plan_;
  bool is_complete_ = true; // no cell has a value
};

} // namespace wstree::core
