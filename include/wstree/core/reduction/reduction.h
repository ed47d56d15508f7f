// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One reduction from its opening to its result.
#pragma once

#include "wstree/core/reduction/storage.h"
#include "wstree/core/reduction/worker.h"

#include <cstddef>
#include <cstdint>
#include <new>

namespace wstree::core {

/// The elements and the limits of one reduction.
struct ReductionPlan {
  std::uint64_t elements = 1; ///< below 2^63 - 1
  std::uint32_t members = 1;  ///< at most the capacity of the storage
  Settings settings;
  std::uint64_t smallest = 1;    ///< elements of a batch, if there are as many
  std::uint64_t largest = ~0ULL; ///< units of the largest batch
  Cost cost = 0;                 ///< of an element, where that is known; else 0
};

/// Any number of members may take part; member 0 has to. The values have the type that the calls know. The
/// destructor destroys values that no member has taken.
template <class Platform, class Storage = ReductionStorage<Platform>> class AnyReduction {
public:
  using Worker = ReductionWorker<Platform>;
  using P = typename Worker::P;

  /// `other_find`: for strategies other than find_max.
  AnyReduction(Storage& storage, const ReductionPlan& plan, const BodyCalls& calls,
               typename Worker::OtherFind other_find) noexcept
      : storage_(storage), plan_(plan), calls_(calls), other_find_(other_find) {}
  AnyReduction(const AnyReduction&) = delete;
  AnyReduction& operator=(const AnyReduction&) = delete;
  /// All members have left.
  [[gnu::cold]] ~AnyReduction() {
    if (calls_.destroy == nullptr || is_complete_) return;
    storage_.each_cell([this](std::byte* at) {
      auto* const cell = std::launder(reinterpret_cast<Cell<P>*>(at));
      cell->drop(calls_, Cell<P>::left);
      cell->drop(calls_, Cell<P>::right);
    });
  }

  /// Opens the storage, before the opener lets other members in. Returns false if there is no memory.
  [[gnu::cold]] bool open() noexcept {
    const bool is_open = storage_.open(calls_.bytes != 0 ? Cell<P>::bytes_for(calls_) : 0);
    is_complete_ = !is_open; // the cells hold values of an earlier reduction then
    return is_open;
  }

  /// Executes a member's part of the reduction; each member calls it at most once. The tree of shares is that
  /// of plan.members, whichever members come. Returns the member's counts.
  Counts take_part(std::uint32_t member, const ErasedBody& body) noexcept {
    struct Part {
      AnyReduction& reduction;
      std::uint32_t member;
      const ErasedBody& body;
      Counts counts;
    } part{*this, member, body, {}};
    calls_.hold(
        [](void* what, const MemberValues& values) noexcept {
          Part& own = *static_cast<Part*>(what);
          AnyReduction& all = own.reduction;
          Worker worker(own.body, values, all.other_find_);
          worker.enter(all.storage_.tree(), all.storage_.arena(own.member), all.entry(own.member),
                       all.plan_.largest, all.plan_.cost);
          worker.run();
          own.counts = worker.counts();
        },
        &part);
    return part.counts;
  }

  /// Combines the values of the roots, in order, to one. The opener calls it when all members have left and
  /// the reduction has not ended early. Returns false if `body` has failed.
  [[gnu::cold]] bool finish(const ErasedBody& body, ValueSlot result) noexcept {
    const Shape shape = Worker::shape_of(entry(0));
    for (std::uint32_t i = 0; body.has_values() && i < shape.roots(); ++i) {
      if (shape.root_size(i) == 0) continue;
      auto* const cell = static_cast<Cell<P>*>(storage_.tree().root(i)->extension().cell());
      void* const value = cell->find(calls_, Cell<P>::left);
      const std::uint64_t at = shape.range(shape.root_begin(i), shape.root_begin(i) + 1).begin;
      if (*result.has_value) {
        if (!body.combine(result.place, value, at)) return false;
      } else {
        if (!body.move(result.place, value, at)) return false;
        *result.has_value = true;
      }
      cell->drop(calls_, Cell<P>::left);
    }
    is_complete_ = true;
    return true;
  }

private:
  /// Returns the entry into a loop of one iteration more than there are elements: the tree of a loop does
  /// not contain its last iteration.
  Entry entry(std::uint32_t member) const noexcept {
    return {plan_.elements + 1, storage_.use(),  storage_.use(), member,
            plan_.members,      &plan_.settings, plan_.smallest};
  }

  Storage& storage_;
  ReductionPlan plan_;
  const BodyCalls& calls_;
  typename Worker::OtherFind other_find_;
  bool is_complete_ = true; // no cell has a value
};

} // namespace wstree::core
