// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// User bounds <-> 0..n-1. The tree never sees a stride or a sign.
#pragma once

#include <cstdint>
#include <type_traits>

namespace wstree::loop {

/// Returns the number of steps that fit into `distance`. Most loops go in single steps, and a division takes
/// a tenth of the time of entering a loop. (With the test step == 1, compilers would see that x / 1 is x, and
/// always divide.)
template <class Unsigned> constexpr Unsigned steps_in(Unsigned distance, Unsigned step) {
  return step > 1 ? distance / step : distance;
}

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
    const Unsigned steps = steps_in(distance, step);
    iterations_ = static_cast<std::uint64_t>(steps);
    countable_ = iterations_ < k_most_iterations;
    if (countable_) ++iterations_;
  }

  /// False if the trip count exceeds k_most_iterations; iterations() is then meaningless.
  constexpr bool countable() const { return countable_; }
  constexpr std::uint64_t iterations() const { return iterations_; }
  /// Returns the value of the loop variable in iteration k, 0 <= k < iterations().
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

/// The loop `for (T i = start; up ? i < end : i > end; i += increment)`, T being long or unsigned long long:
/// GCC's form of a loop. The values are kept modulo 2^64; a negative increment of the unsigned form is its
/// two's complement. An increment of 0, which no compiler emits, counts as a loop that is not countable.
class HalfOpenLoop {
public:
  static constexpr std::uint64_t k_most_iterations = CanonicalLoop<std::uint64_t>::k_most_iterations;

  constexpr HalfOpenLoop(long start, long end, long increment)
      : HalfOpenLoop(increment >= 0 ? start < end : start > end, increment >= 0,
                     static_cast<std::uint64_t>(start), static_cast<std::uint64_t>(end),
                     static_cast<std::uint64_t>(increment), true) {}
  constexpr HalfOpenLoop(bool up, unsigned long long start, unsigned long long end,
                         unsigned long long increment)
      : HalfOpenLoop(up ? start < end : start > end, up, start, end, increment, false) {}

  constexpr bool countable() const { return countable_; }
  constexpr std::uint64_t iterations() const { return iterations_; }
  constexpr std::uint64_t start() const { return start_; }
  constexpr std::uint64_t end() const { return end_; }
  constexpr std::uint64_t increment() const { return increment_; }
  /// Returns whether the loop's bounds, or its values, lie 2^62 or more apart. libgomp's own arithmetic
  /// overflows there, but for dynamic loops with the chunk 1, and static ones without a chunk that have
  /// whole steps.
  constexpr bool is_wide() const {
    if (iterations_ == 0) return !countable_;
    return (distance() | step()) >> 62 != 0;
  }
  /// Returns whether the loop's type holds the value one step behind the last one, and a signed number of 64
  /// bits holds the distance of the bounds and one step more.
  constexpr bool has_whole_steps() const {
    if (!countable_ || (distance() | step()) >> 63 != 0 || (distance() + step()) >> 63 != 0) return false;
    const std::uint64_t least = signed_ ? std::uint64_t{1} << 63 : 0;
    const std::uint64_t room = up_ ? least - 1 - start_ : start_ - least;
    return iterations_ <= room / step();
  }

private:
  constexpr HalfOpenLoop(bool some, bool up, std::uint64_t start, std::uint64_t end, std::uint64_t increment,
                         bool of_signed)
      : start_(start), end_(end), increment_(increment), up_(up), signed_(of_signed) {
    countable_ = step() != 0;
    if (!some || !countable_) return;
    const std::uint64_t steps = steps_in(distance() - 1, step());
    countable_ = steps < k_most_iterations;
    if (countable_) iterations_ = steps + 1;
  }
  constexpr std::uint64_t distance() const { return up_ ? end_ - start_ : start_ - end_; }
  constexpr std::uint64_t step() const { return up_ ? increment_ : std::uint64_t{0} - increment_; }

  std::uint64_t start_;
  std::uint64_t end_;
  std::uint64_t increment_;
  std::uint64_t iterations_ = 0;
  bool up_;
  bool signed_;
  bool countable_ = true;
};

} // namespace wstree::loop
