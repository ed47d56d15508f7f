// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Communicators that are left to MPI_Finalize, on which two threads had their first loops in any order; and
// MPI_Finalize is called by a destructor that is later than all others.
#include "checks.h"

#include <wstree/mpi.hpp>

#include <thread>
#include <vector>

namespace {

using namespace wstree::test;

struct Mpi {
  int level = 0;
  Mpi() { MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &level); }
  ~Mpi() { MPI_Finalize(); }
};
__attribute__((init_priority(101)))
Mpi g_mpi; // before the objects of the headers, and so destroyed after them

void loops_on(const std::vector<MPI_Comm>& comms) {
  for (const MPI_Comm comm : comms) {
    const auto sum = wstree::mpi::sum(comm, 100, [](std::uint64_t i) { return i; });
    expect(sum == 4950, "a sum of " + std::to_string(sum));
  }
}

} // namespace

int main() {
  constexpr std::size_t k_comms = 20;
  std::vector<MPI_Comm> first(k_comms), second(k_comms);
  for (std::size_t i = 0; i < k_comms; ++i)
    MPI_Comm_dup(MPI_COMM_WORLD, &first[i]), MPI_Comm_dup(MPI_COMM_WORLD, &second[i]);
  if (g_mpi.level == MPI_THREAD_MULTIPLE) {
    std::thread other([&] { loops_on(second); });
    loops_on(first);
    other.join();
  } else {
    loops_on(first);
  }
  return 0;
}
