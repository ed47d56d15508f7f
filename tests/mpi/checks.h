// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What programs of several ranks check, without GoogleTest: the first failure ends all ranks.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

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
