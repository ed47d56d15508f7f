// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counts executions of numbered iterations from any thread,
// with a little uneven work so that members really meet.
#pragma once

#include "check.h"

#include <memory>

namespace check {

class Hits {
public:
  explicit Hits(std::size_t size) : size_(size), counts_(new unsigned char[size]()) {}

  template <class Number> void touch(Number number) {
    const auto index = static_cast<std::size_t>(number);
    CHECK(index < size_, "iteration %zu of %zu", index, size_);
    __atomic_fetch_add(&counts_[index], 1, __ATOMIC_RELAXED);
    // Every 16th iteration is about 50 times as dear as the others.
    if ((index * 2654435761u >> 7) % 16 == 0) spin(400);
  }

  unsigned operator[](std::size_t index) const { return __atomic_load_n(&counts_[index], __ATOMIC_RELAXED); }
  std::size_t size() const { return size_; }

  void must_be_one_each(const char* what) const {
    for (std::size_t i = 0; i < size_; ++i)
      CHECK(counts_[i] == 1, "iteration %zu of %zu ran %u times: %s", i, size_, unsigned{counts_[i]}, what);
  }

  void must_equal(const Hits& wanted, const char* what) const {
    for (std::size_t i = 0; i < size_; ++i)
      CHECK(counts_[i] == wanted.counts_[i], "index %zu was touched %u times instead of %u: %s", i,
            unsigned{counts_[i]}, unsigned{wanted.counts_[i]}, what);
  }

  void clear() { std::memset(counts_.get(), 0, size_); }

private:
  std::size_t size_;
  std::unique_ptr<unsigned char[]> counts_;
};

/// A loop of the tree, in a region or not. In programs that are full of other loops it must not notice what
/// happened before or happens behind it.
inline void served(Hits& hits) {
#pragma omp for schedule(runtime) nowait
  for (std::size_t i = 0; i < hits.size(); ++i) hits.touch(i);
}

/// As many Hits as a chain of loops needs.
using HitsList = std::vector<Hits>;

inline HitsList hits_list(std::size_t count, std::size_t size) {
  HitsList list;
  for (std::size_t i = 0; i < count; ++i) list.emplace_back(size);
  return list;
}

inline void must_be_one_each(const HitsList& list, const char* what) {
  for (const Hits& hits : list) hits.must_be_one_each(what);
}

} // namespace check
