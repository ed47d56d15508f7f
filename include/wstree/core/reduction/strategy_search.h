// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Searches of a reduction in the orders of the paper, which only those calls compile that ask for one.
#pragma once

#include "wstree/core/reduction/worker.h"
#include "wstree/core/tree/search/traversal.h"

namespace wstree::core {

template <class Platform> struct StrategySearch {
  static bool find(ReductionWorker<Platform>& worker, Range& batch) {
    using P = ReductionPlatform<Platform>;
    auto& owner = worker.owner_;
    const auto claim = [&](const Target<P>& target) {
      return owner.claim(target, worker.find_max_.share(), batch);
    };
    return Traversal<P>(owner.view(), owner.order(), owner.near(), owner.rng()).any(claim);
  }
};

} // namespace wstree::core
