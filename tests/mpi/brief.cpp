// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Guards: mpi/board.h. Brief calls of ranks on one node send no messages, and only the root gets a result
// that was asked for there. A rank that is suspended meanwhile may make a call longer, so that one of many
// calls counts.
#include "checks.h"

#include <wstree/mpi.hpp>

#include <functional>
#include <string>

namespace {

using namespace wstree::test;
namespace mpi = wstree::mpi;

std::uint64_t g_messages = 0; // collective operations

double element(std::uint64_t i) { return 1.0 / static_cast<double>(i + 1); }

/// Of many calls one sends no messages on any rank.
void expect_no_messages(const char* what, const std::function<void()>& call) {
  constexpr int k_tries = 200;
  for (int i = 0; i < k_tries; ++i) {
    g_messages = 0;
    call();
    std::uint64_t most = 0;
    PMPI_Allreduce(&g_messages, &most, 1, MPI_UINT64_T, MPI_MAX, MPI_COMM_WORLD);
    if (most == 0) return;
  }
  expect(false, std::string(what) + " sends messages");
}

} // namespace

/// In front of the MPI's own.
extern "C" {
int MPI_Iallgather(const void* from, int count, MPI_Datatype type, void* to, int to_count,
                   MPI_Datatype to_type, MPI_Comm comm, MPI_Request* request) {
  ++g_messages;
  return PMPI_Iallgather(from, count, type, to, to_count, to_type, comm, request);
}
int MPI_Iallreduce(const void* from, void* to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                   MPI_Request* request) {
  ++g_messages;
  return PMPI_Iallreduce(from, to, count, type, op, comm, request);
}
int MPI_Iallgatherv(const void* from, int count, MPI_Datatype type, void* to, const int* counts,
                    const int* places, MPI_Datatype to_type, MPI_Comm comm, MPI_Request* request) {
  ++g_messages;
  return PMPI_Iallgatherv(from, count, type, to, counts, places, to_type, comm, request);
}
}

int main(int argc, char** argv) {
  int level = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
  const std::uint64_t values = 8 * 2048 * static_cast<std::uint64_t>(ranks_of());
  double expected = 0;
  expect_no_messages("a sum", [&] { expected = mpi::sum(MPI_COMM_WORLD, values, element); });
  const int root = ranks_of() - 1;
  expect_no_messages("a sum at the root", [&] {
    const double sum = mpi::sum(mpi::on(MPI_COMM_WORLD).root(root), values, element);
    expect(sum == (rank_of() == root ? expected : 0), "not only the root has the sum, or it has another one");
  });
  expect_no_messages("a loop", [&] { mpi::for_each(MPI_COMM_WORLD, 100, [](std::uint64_t) {}); });
  std::uint64_t count = 0;
  expect_no_messages("a reduction", [&] {
    count =
        mpi::reduce(MPI_COMM_WORLD, 100, std::uint64_t{0}, std::plus<>(), [](std::uint64_t i) { return i; });
  });
  expect(count == 4950, "a reduction has another value");
  MPI_Finalize();
}
