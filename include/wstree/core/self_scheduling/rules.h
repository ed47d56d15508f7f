// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sizes of the chunks that are handed out in order from one counter.
//
// n iterations, P members, c the chunk of the schedule (1 if there is none). A rule is private to its member
// and follows from (n, P, c), so that all members mean the same by a value of the counter:
//
//   enter(n, P, c)  1 <= n < 2^63, 1 <= P < 2^20, c may be anything
//   chunk(value)    iterations that the counter's value stands for; the empty range [n, n) behind the end
//   k_steps         true: the value counts chunks; false: it counts iterations, and after(value) is
//                   its successor
#pragma once

#include "wstree/core/shape.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>

namespace wstree::core {

/// a / b and a % b.
struct Division {
  constexpr Division(std::uint64_t a, std::uint64_t b) noexcept {
    if ((a | b) >> 32 == 0) { // a 32-bit division costs a third of a 64-bit one
      quotient = static_cast<std::uint32_t>(a) / static_cast<std::uint32_t>(b);
      remainder = static_cast<std::uint32_t>(a) % static_cast<std::uint32_t>(b);
    } else {
      quotient = a / b;
      remainder = a % b;
    }
  }
  std::uint64_t quotient, remainder;
};

/// a / b rounded up.
constexpr std::uint64_t divide_up(std::uint64_t a, std::uint64_t b) noexcept {
  const Division division(a, b);
  return division.quotient + (division.remainder != 0);
}

/// Returns the chunk of a schedule as the rules use it: at least 1, and no more than there is.
constexpr std::uint64_t usable_chunk(std::uint64_t chunk, std::uint64_t iterations) noexcept {
  return std::clamp<std::uint64_t>(chunk, 1, iterations);
}

/// Chunks that a counter has room for, with some more for members that come after the end.
inline constexpr std::uint64_t k_most_chunks = 1ULL << 43;

/// Fixed-size chunking (Kruskal and Weiss 1985, Allocating independent subtasks on parallel processors):
/// chunks of c. The paper derives the best c from the spread of the iterations' times and the cost of a
/// dispatch; here it is the user's, as in schedule(dynamic, c) of libomp and libgomp, which do the same.
/// Loops of more than 2^43 chunks get chunks so large that it is no more.
class FixedRule {
public:
  static constexpr bool k_steps = true;

  constexpr void enter(std::uint64_t iterations, std::uint32_t, std::uint64_t smallest) noexcept {
    iterations_ = iterations;
    size_ = std::max(usable_chunk(smallest, iterations), divide_up(iterations, k_most_chunks));
    count_ = divide_up(iterations, size_);
  }
  constexpr Range chunk(std::uint64_t step) noexcept {
    if (step >= count_) return {iterations_, iterations_, false};
    const std::uint64_t end = std::min((step + 1) * size_, iterations_);
    return {step * size_, end, end == iterations_};
  }

private:
  std::uint64_t iterations_ = 0;
  std::uint64_t size_ = 1;
  std::uint64_t count_ = 0;
};

/// Guided self-scheduling (Polychronopoulos and Kuck 1987): ceil(R / P) of the R iterations that are left, at
/// least c (their GSS(c)). libgomp's guided is the same; libomp's takes R / 2P, and c each once fewer than
/// 2P(c + 1) are left.
///
/// R has to be known, so the counter counts iterations; in loops of more than 2^43, units of 2^k iterations.
class GuidedRule {
public:
  static constexpr bool k_steps = false;

  constexpr void enter(std::uint64_t iterations, std::uint32_t members, std::uint64_t smallest) noexcept {
    iterations_ = iterations;
    members_ = members;
    const auto bits = static_cast<unsigned>(std::bit_width(iterations - 1));
    const auto room = static_cast<unsigned>(std::bit_width(k_most_chunks - 1));
    shift_ = bits > room ? bits - room : 0;
    units_ = divide_up(iterations, 1ULL << shift_);
    smallest_ = divide_up(usable_chunk(smallest, iterations), 1ULL << shift_);
  }
  constexpr std::uint64_t after(std::uint64_t unit) const noexcept {
    const std::uint64_t left = units_ - unit;
    return unit + std::min(std::max(divide_up(left, members_), smallest_), left);
  }
  constexpr Range chunk(std::uint64_t unit) const noexcept { return chunk(unit, after(unit)); }
  constexpr Range chunk(std::uint64_t unit, std::uint64_t end) const noexcept {
    return {iteration(unit), iteration(end), unit != end && end == units_};
  }

private:
  constexpr std::uint64_t iteration(std::uint64_t unit) const noexcept {
    return std::min(unit << shift_, iterations_);
  }

  std::uint64_t iterations_ = 0;
  std::uint64_t units_ = 0;
  std::uint64_t smallest_ = 1;
  std::uint32_t members_ = 1;
  unsigned shift_ = 0;
};

/// Factoring with the factor 2, FAC2 (Hummel, Schonberg and Flynn 1992): batches of P equal chunks; a chunk
/// of batch j has ceil(R_j / 2P) of the R_j iterations that are left when the batch begins, at least c.
/// Neither libomp nor libgomp has it. LB4OMP halves the first chunk from batch to batch instead, and takes
/// number and position of a chunk in two atomic steps, so that chunks of different batches can change places.
///
/// The size follows from the number of the chunk; each member walks through the batches (about log2 n) once.
class FactoringRule {
public:
  static constexpr bool k_steps = true;

  constexpr void enter(std::uint64_t iterations, std::uint32_t members, std::uint64_t smallest) noexcept {
    iterations_ = iterations;
    smallest_ = usable_chunk(smallest, iterations);
    members_ = members;
    begin_ = 0;
    first_ = 0;
    lay_out();
  }
  /// Returns the chunk of a step that is not before the step of the last call.
  constexpr Range chunk(std::uint64_t step) noexcept {
    while (step - first_ >= members_ && begin_ != iterations_) {
      // Not begin_ + members_ * size_, which may be larger than any number.
      begin_ = count_ < members_ ? iterations_ : std::min(begin_ + count_ * size_, iterations_);
      first_ += members_;
      lay_out();
    }
    const std::uint64_t place = step - first_;
    if (place >= count_) return {iterations_, iterations_, false};
    const std::uint64_t begin = begin_ + place * size_;
    const std::uint64_t end = std::min(begin + size_, iterations_);
    return {begin, end, end == iterations_};
  }

private:
  /// The batch that begins at begin_. One that would be longer than the rest has fewer than P chunks.
  constexpr void lay_out() noexcept {
    const std::uint64_t left = iterations_ - begin_;
    size_ = std::max(divide_up(left, std::uint64_t{2} * members_), smallest_);
    count_ = std::min<std::uint64_t>(divide_up(left, size_), members_);
  }

  std::uint64_t iterations_ = 0;
  std::uint64_t smallest_ = 1;
  std::uint64_t begin_ = 0; // first iteration of the present batch
  std::uint64_t first_ = 0; // step of its first chunk
  std::uint64_t size_ = 1;  // iterations in each of its chunks
  std::uint64_t count_ = 0; // number of its chunks
  std::uint32_t members_ = 1;
};

/// floor(0 * a / m) + floor(1 * a / m) + ... + floor((count - 1) * a / m), in some log2 m steps like Euclid's
/// algorithm: points below a line are counted in columns as long as the line is steep, then in rows. a *
/// count has to be below 2^64.
constexpr std::uint64_t floor_sum(std::uint64_t count, std::uint64_t m, std::uint64_t a) noexcept {
  std::uint64_t sum = 0;
  std::uint64_t b = 0; // the line is (a x + b) / m; b is below m
  while (true) {
    if (a >= m) {
      const Division slope(a, m);
      sum += count * (count - 1) / 2 * slope.quotient;
      a = slope.remainder;
    }
    const std::uint64_t top = a * count + b;
    if (top < m) return sum;
    const Division rows(top, m);
    count = rows.quotient;
    b = rows.remainder;
    std::swap(m, a);
    const Division offset(b, m);
    sum += count * offset.quotient;
    b = offset.remainder;
  }
}

/// Trapezoid self-scheduling TSS(f, l) (Tzen and Ni 1993): N = ceil(2n / (f + l)) chunks whose sizes fall by
/// (f - l) / (N - 1) from f = ceil(n / 2P), which the paper recommends, to l = c: chunk k has
/// f - floor(k (f - l) / (N - 1)) iterations.
///
/// The decrease is seldom a whole number, and below 1 in loops of fewer than about 8 P^2 iterations. Cut to a
/// whole number, as in libomp (OMP_SCHEDULE=trapezoidal) and most published tables, it leaves such loops with
/// chunks of one size, so it is not cut here. Besides, libomp rounds f down and cuts c to f; here f is at
/// least c. libgomp has no TSS.
class TrapezoidRule {
public:
  static constexpr bool k_steps = true;

  constexpr void enter(std::uint64_t iterations, std::uint32_t members, std::uint64_t smallest) noexcept {
    iterations_ = iterations;
    const std::uint64_t last = usable_chunk(smallest, iterations);
    first_ = std::max(divide_up(iterations, std::uint64_t{2} * members), last);
    count_ = divide_up(2 * iterations, first_ + last); // at most 4 P
    falls_ = std::max<std::uint64_t>(count_ - 1, 1);
    whole_ = (first_ - last) / falls_;
    rest_ = (first_ - last) % falls_;
  }
  constexpr Range chunk(std::uint64_t step) noexcept {
    // At most 2n, though terms of it may wrap around.
    const std::uint64_t begin = step < count_ ? step * first_ - step * (step - 1) / 2 * whole_ -
                                                    (rest_ != 0 ? floor_sum(step, falls_, rest_) : 0)
                                              : iterations_;
    if (begin >= iterations_) return {iterations_, iterations_, false};
    const std::uint64_t size = first_ - step * whole_ - Division(step * rest_, falls_).quotient;
    const std::uint64_t end = std::min(begin + size, iterations_);
    return {begin, end, end == iterations_};
  }

private:
  std::uint64_t iterations_ = 0;
  std::uint64_t first_ = 1; // f
  std::uint64_t count_ = 0; // N
  std::uint64_t falls_ = 1; // N - 1
  std::uint64_t whole_ = 0; // whole part of the decrease,
  std::uint64_t rest_ = 0;  // and rest_ / falls_ more
};

} // namespace wstree::core
