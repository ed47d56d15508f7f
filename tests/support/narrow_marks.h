// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Marks of a few bits, which go round within a handful of loops.
#pragma once

#include "wstree/core/marks.h"

#include <cstdint>

namespace wstree::test {

/// The same rules as core::UsualMarks, all marks with `bits` bits.
template <unsigned bits> struct NarrowMarks {
  using Word = core::Mark<bits>;
  using Link = core::Mark<bits>;
  using Board = core::Mark<bits>;
  using Counter = core::Mark<bits>;
  using Returned = core::Mark<bits>;
  using Leavers = core::Mark<bits>;
  static constexpr std::uint64_t k_every = Word::k_quarter;
};

/// What breaks if one of the marks is not looked after: it has `bits` bits, and is refreshed as rarely as if
/// it had those of core::UsualMarks.
enum class Forgotten { word, link, board, counter, returned, leavers };
template <Forgotten forgotten, unsigned bits> struct ForgottenMarks {
  template <Forgotten which, class Usual> using Of = core::Mark<which == forgotten ? bits : Usual::k_bits>;
  using Usual = core::UsualMarks;
  using Word = Of<Forgotten::word, Usual::Word>;
  using Link = Of<Forgotten::link, Usual::Link>;
  using Board = Of<Forgotten::board, Usual::Board>;
  using Counter = Of<Forgotten::counter, Usual::Counter>;
  using Returned = Of<Forgotten::returned, Usual::Returned>;
  using Leavers = Of<Forgotten::leavers, Usual::Leavers>;
  static constexpr std::uint64_t k_every = Usual::k_every;
};

/// `P` with those marks.
template <class P, class M> struct WithMarks : P { using Marks = M; };

} // namespace wstree::test
