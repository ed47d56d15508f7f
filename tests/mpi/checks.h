// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What programs of several ranks check, without GoogleTest: the first failure ends all ranks.
#pragma once

#include <mpi.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace wstree::test {

inline int rank_of(MPI_Comm comm = MPI_COMM_WORLD) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  return rank;
}
inline int ranks_of(MPI_Comm comm = MPI_COMM_WORLD) {
  int ranks = 1;
  MPI_Comm_size(comm, &ranks);
  return ranks;
}

inline void expect(bool holds, const std::string& what) {
  if (holds) return;
  std::fprintf(stderr, "rank %d: %s\n", rank_of(), what.c_str());
  MPI_Abort(MPI_COMM_WORLD, 1);
}

/// `hits`: how often this rank has executed each iteration. Collective.
inline void expect_each_once(std::vector<std::uint8_t>& hits) {
  MPI_Allreduce(MPI_IN_PLACE, hits.data(), static_cast<int>(hits.size()), MPI_UINT8_T, MPI_SUM,
                MPI_COMM_WORLD);
  for (const std::uint8_t times : hits) expect(times == 1, "an iteration that did not run once");
}

/// Words of memory that the ranks of a node share, 0 at first. Collective, also its end, which comes before
/// MPI_Finalize.
class SharedWords {
public:
  explicit SharedWords(std::size_t words) {
    const bool owns = rank_of() == 0;
    MPI_Win_allocate_shared(static_cast<MPI_Aint>(owns ? words * sizeof *base_ : 0), 1, MPI_INFO_NULL,
                            MPI_COMM_WORLD, &base_, &window_);
    MPI_Aint size = 0;
    int unit = 0;
    MPI_Win_shared_query(window_, 0, &size, &unit, &base_);
    if (owns)
      for (std::size_t i = 0; i < words; ++i) (*this)[i] = 0;
    MPI_Barrier(MPI_COMM_WORLD);
  }
  ~SharedWords() { MPI_Win_free(&window_); }
  SharedWords(const SharedWords&) = delete;
  SharedWords& operator=(const SharedWords&) = delete;

  std::atomic_ref<std::uint64_t> operator[](std::size_t i) const {
    return std::atomic_ref<std::uint64_t>(base_[i]);
  }

private:
  std::uint64_t* base_ = nullptr;
  MPI_Win window_ = MPI_WIN_NULL;
};

/// Keeps the processor busy, as compilers cannot see through it.
inline void work(std::uint64_t steps) {
  volatile std::uint64_t sink = 0;
  for (std::uint64_t i = 0; i < steps; ++i) sink = sink + i;
}

/// Numbers that are the same on all ranks.
class Random {
public:
  explicit Random(std::uint64_t seed) : state_(seed * 2654435761U + 88172645463325252U) {}
  std::uint64_t below(std::uint64_t bound) {
    state_ ^= state_ << 13, state_ ^= state_ >> 7, state_ ^= state_ << 17;
    return state_ % bound;
  }

private:
  std::uint64_t state_;
};

} // namespace wstree::test
