// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Exceptions of calls on ranks.
#pragma once

#include "wstree/core/platform.h"

#include <mpi.h>

#include <cstdint>
#include <stdexcept>
#include <string>

#include <sched.h>

namespace wstree {
inline namespace v1 {
namespace mpi {

/// A wrong use, on all ranks of the communicator, or an error of MPI where its handler is MPI_ERRORS_RETURN.
class error : public std::runtime_error {
public:
  explicit error(const std::string& what, int code = MPI_SUCCESS) : std::runtime_error(what), code_(code) {}
  /// MPI's code; MPI_SUCCESS: not an error of MPI.
  int code() const noexcept { return code_; }

private:
  int code_;
};

/// An iteration has thrown on another rank. On that rank itself, the iteration's own exception is thrown.
class remote_exception : public std::runtime_error {
public:
  remote_exception(const std::string& what, int rank, std::uint64_t iteration)
      : std::runtime_error(what), rank_(rank), iteration_(iteration) {}
  int rank() const noexcept { return rank_; }
  /// Returns the iteration; where the call has a function for chunks: the first one of a chunk.
  std::uint64_t iteration() const noexcept { return iteration_; }

private:
  int rank_;
  std::uint64_t iteration_;
};

namespace detail {
inline void check(int code) {
  if (code == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING + 1] = {};
  int length = 0;
  MPI_Error_string(code, text, &length);
  throw error("wstree: MPI says: " + std::string(text, static_cast<std::size_t>(length)), code);
}

/// Seconds for which wait_for() keeps its processor: the other ranks are nearly there, and a processor that
/// was given to another process comes back milliseconds later.
constexpr double k_keeps_processor = 50e-6;

/// Waits for a collective operation. MPI's own waiting may keep a processor that another rank needs.
inline void wait_for(MPI_Request& request) {
  const double begin = MPI_Wtime();
  for (int is_there = 0;;) {
    check(MPI_Test(&request, &is_there, MPI_STATUS_IGNORE));
    if (is_there != 0) return;
    if (MPI_Wtime() - begin > k_keeps_processor) sched_yield();
  }
}

/// Seconds for which a rank keeps its processor where each rank of the node has one: longer than a time slice
/// of another program's thread. Two ranks that each give their processors away while the other one has none
/// would never meet.
constexpr double k_keeps_long = 5e-3;

/// Waits until `holds()`, a condition in memory, and lets MPI serve others meanwhile.
template <class Holds> void wait_until(Holds&& holds, MPI_Comm comm, double keeps_processor) {
  constexpr unsigned k_looks = 64; // between two calls of MPI
  double begin = 0;
  for (unsigned looks = 1; !holds(); ++looks) {
    core::StdPlatform::relax();
    if (looks % k_looks != 0) continue;
    int is_there = 0;
    check(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &is_there, MPI_STATUS_IGNORE));
    const double time = MPI_Wtime();
    if (begin == 0) begin = time;
    if (time - begin > keeps_processor) sched_yield();
  }
}
} // namespace detail

} // namespace mpi
} // namespace v1
} // namespace wstree
