// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bounds, strides and trip counts against arithmetic in 128 bits, in which nothing overflows.
#include "canonical_loop.h"
#include "property.h"

namespace wstree::test {
namespace {

__extension__ typedef __int128 Wide;

/// A loop as the program means it.
struct Oracle {
  Wide first, stride, count;
  Wide value(Wide k) const { return first + k * stride; }
};

/// `from` to `to`, both included, by `stride`.
Oracle inclusive(Wide from, Wide to, Wide stride) {
  const bool some = stride > 0 ? from <= to : from >= to;
  const Wide distance = stride > 0 ? to - from : from - to;
  const Wide step = stride > 0 ? stride : -stride;
  return {from, stride, some ? distance / step + 1 : 0};
}

constexpr Wide k_most = std::numeric_limits<std::int64_t>::max();

template <class T> class Canonical : public testing::Test {};
struct TypeNames {
  template <class T> static std::string GetName(int) {
    return std::string(std::is_signed_v<T> ? "i" : "u") + std::to_string(sizeof(T) * 8);
  }
};
using Types = testing::Types<std::int32_t, std::uint32_t, std::int64_t, std::uint64_t>;
TYPED_TEST_SUITE(Canonical, Types, TypeNames);

template <class T> rc::Gen<std::make_signed_t<T>> strides() {
  using Stride = std::make_signed_t<T>;
  return rc::gen::suchThat(edgy<Stride>(), [](Stride stride) { return stride != 0; });
}

TYPED_TEST(Canonical, CountsAndValuesAreThoseOfTheProgram) {
  using T = TypeParam;
  using Loop = loop::CanonicalLoop<T>;
  for_all("canonical loop", 4000, [] {
    const T lower = *edgy<T>(), upper = *edgy<T>();
    const auto stride = *strides<T>();
    const Oracle wanted = inclusive(lower, upper, stride);
    const Loop got(lower, upper, stride);
    RC_ASSERT(got.countable() == (wanted.count <= k_most));
    if (!got.countable()) return;
    RC_ASSERT(static_cast<Wide>(got.iterations()) == wanted.count);
    RC_ASSERT(got.stride() == stride);
    if (wanted.count == 0) return;
    const auto n = static_cast<std::uint64_t>(wanted.count);
    const std::uint64_t any = *rc::gen::inRange<std::uint64_t>(0, n);
    for (const std::uint64_t k : {std::uint64_t{0}, n / 2, n - 1, any})
      RC_ASSERT(static_cast<Wide>(got.at(k)) == wanted.value(static_cast<Wide>(k)));
  });
}

TYPED_TEST(Canonical, PiecesEndWhereTheCompiledLoopExpectsIt) {
  using T = TypeParam;
  // What LoopEntries::next() computes: modulo 2^64, then cut to T.
  for_all("bounds of a piece", 4000, [] {
    const T lower = *edgy<T>(), upper = *edgy<T>();
    const auto stride = *strides<T>();
    const loop::CanonicalLoop<T> got(lower, upper, stride);
    const Oracle wanted = inclusive(lower, upper, stride);
    if (!got.countable() || got.iterations() == 0) return;
    const std::uint64_t n = got.iterations();
    const std::uint64_t begin = *rc::gen::inRange<std::uint64_t>(0, n);
    const std::uint64_t end = begin + 1 + *rc::gen::inRange<std::uint64_t>(0, n - begin);
    const auto step = static_cast<std::uint64_t>(static_cast<std::int64_t>(stride));
    const auto base = static_cast<std::uint64_t>(static_cast<Wide>(lower));
    RC_ASSERT(static_cast<Wide>(static_cast<T>(base + begin * step)) == wanted.value(begin));
    RC_ASSERT(static_cast<Wide>(static_cast<T>(base + end * step - step)) == wanted.value(end - 1));
  });
}

TEST(HalfOpen, CountsOfLong) {
  for_all("half-open loop over long", 6000, [] {
    const long start = *edgy<long>(), end = *edgy<long>(), increment = *edgy<long>();
    const loop::HalfOpenLoop got(start, end, increment);
    RC_ASSERT(increment != 0 || !got.countable());
    if (increment == 0) return;
    const Oracle wanted = inclusive(start, increment > 0 ? Wide{end} - 1 : Wide{end} + 1, increment);
    RC_ASSERT(got.countable() == (wanted.count <= k_most));
    if (got.countable()) RC_ASSERT(static_cast<Wide>(got.iterations()) == wanted.count);
  });
}

TEST(HalfOpen, CountsOfUnsignedLongLong) {
  using U = unsigned long long;
  for_all("half-open loop over unsigned long long", 6000, [] {
    const bool up = *rc::gen::arbitrary<bool>();
    const U start = *edgy<U>(), end = *edgy<U>();
    const U step = *rc::gen::suchThat(edgy<U>(), [](U value) { return value != 0; });
    const loop::HalfOpenLoop got(up, start, end, up ? step : 0 - step);
    const Oracle wanted =
        inclusive(start, up ? Wide{end} - 1 : Wide{end} + 1, up ? static_cast<Wide>(step) : -Wide{step});
    RC_ASSERT(got.countable() == (wanted.count <= k_most));
    if (got.countable()) RC_ASSERT(static_cast<Wide>(got.iterations()) == wanted.count);
  });
}

} // namespace
} // namespace wstree::test
