// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// User bounds <-> 0..n-1. The tree never sees a stride or a sign.
#pragma once

#include <cstdint>
#include <type_traits>

namespace wstree::loop {

/// The loop `for (T i = lower; i <= upper (or >= for stride < 0); i += stride)`: inclusive bounds, stride
/// never 0. All arithmetic is unsigned, so no bound, stride or trip count of T overflows.
template <class T> class CanonicalLoop {
public:
  using Stride = std::make_signed_t<T>;
  using Unsigned = std::make_unsigned_t<T>;
  /// Loops with more iterations are left to the OpenMP runtime.
  static constexpr std::uint64_t k_most_iterations = (std::uint64_t{1} << 63) - 1;

  constexpr CanonicalLoop() = default;
  constexpr CanonicalLoop(T lower, T upper, Stride stride)
      : lower_(static_cast<Unsigned>(lower)), stride_(static_cast<Unsigned>(stride)) {
    const auto high = static_cast<Unsigned>(upper);
    if (stride > 0 ? upper < lower : lower < upper) return;
    const Unsigned distance = stride > 0 ? high - lower_ : lower_ - high;
    const Unsigned step = stride > 0 ? stride_ : Unsigned{0} - stride_;
    const Unsigned steps = step == 1 ? distance : distance / step;
    iterations_ = static_cast<std::uint64_t>(steps);
    countable_ = iterations_ < k_most_iterations;
    if (countable_) ++iterations_;
  }

  /// False if the trip count exceeds k_most_iterations; iterations() is then meaningless.
  constexpr bool countable() const { return countable_; }
  constexpr std::uint64_t iterations() const { return iterations_; }
  /// The value of the loop variable in iteration k, 0 <= k < iterations().
  constexpr T at(std::uint64_t k) const {
    return static_cast<T>(lower_ + static_cast<Unsigned>(k) * stride_);
  }
  constexpr Stride stride() const { return static_cast<Stride>(stride_); }

private:
  Unsigned lower_ = 0;
  Unsigned stride_ = 1;
  std::uint64_t iterations_ = 0;
  bool countable_ = true;
};

} // namespace wstree::loop
