// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A reduction by bodies of one type, in any order of search.
#pragma once

#include "wstree/core/reduction/reduction.h"
#include "wstree/core/reduction/strategy_search.h"

#include <cstdint>

namespace wstree::test {

template <class Platform, core::ReductionBody Body, class Storage = core::ReductionStorage<Platform>>
class TypedReduction {
public:
  TypedReduction(Storage& storage, const core::ReductionPlan& plan) noexcept
      : any_(storage, plan, core::k_body_calls<Body>, &core::StrategySearch<Platform>::find) {}

  bool open() noexcept { return any_.open(); }
  core::Counts take_part(std::uint32_t member, Body& body) noexcept {
    return any_.take_part(member, any(body));
  }
  bool finish(Body& body, core::Maybe<typename Body::Value>& result) noexcept {
    return any_.finish(any(body), result.slot());
  }

private:
  static core::ErasedBody any(Body& body) noexcept { return {&body, &core::k_body_calls<Body>}; }

  core::AnyReduction<Platform, Storage> any_;
};

} // namespace wstree::test
