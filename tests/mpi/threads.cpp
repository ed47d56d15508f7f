// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// threads [serialized]: two threads of each rank have loops on two communicators at the same time. With a
// lower thread level the second thread gets an error on all ranks, and the first one its loops.
#include "checks.h"

#include <wstree/mpi.hpp>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include <omp.h>

namespace {

using namespace wstree::test;
namespace mpi = wstree::mpi;

/// Both threads of this rank are inside of a loop at some time.
std::atomic<int> g_begun{0};

void loops_on(MPI_Comm comm, std::uint64_t seed) {
  omp_set_num_threads(2);
  Random random(seed);
  for (int i = 0; i < 40; ++i) {
    const std::uint64_t n = random.below(3000), steps = random.below(300);
    std::vector<std::uint8_t> hits(n + 1);
    mpi::for_each(comm, n, [&](std::uint64_t at) { ++hits[at], work(at < n / 4 ? 4 * steps : steps / 8); });
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Iallreduce(MPI_IN_PLACE, hits.data(), static_cast<int>(n), MPI_UINT8_T, MPI_SUM, comm, &request);
    mpi::detail::wait_for(request);
    for (std::uint64_t at = 0; at < n; ++at) expect(hits[at] == 1, "an iteration that did not run once");
    const std::string text = mpi::reduce(
        comm, n / 10, std::string(), [](std::string a, const std::string& b) { return std::move(a) + b; },
        [&](std::uint64_t at) { return std::string(1, static_cast<char>('a' + at % 7)); });
    for (std::uint64_t at = 0; at < n / 10; ++at)
      expect(text[at] == static_cast<char>('a' + at % 7), "texts out of order");
  }
}

/// The first piece of each thread waits until the other thread's has begun.
void meet(MPI_Comm comm) {
  omp_set_num_threads(1);
  bool has_come = false;
  mpi::for_each(comm, 8 * static_cast<std::uint64_t>(ranks_of(comm)), [&](std::uint64_t) {
    if (has_come) return;
    has_come = true;
    ++g_begun;
    while (g_begun < 2) std::this_thread::yield();
  });
  if (!has_come) ++g_begun; // all was stolen
}

void at_once(MPI_Comm first, MPI_Comm second) {
  std::thread other([&] {
    meet(second);
    loops_on(second, 2);
  });
  meet(first);
  loops_on(first, 1);
  other.join();
}

void refused(MPI_Comm first, MPI_Comm second) {
  std::string said = "nothing";
  std::thread other([&] {
    try {
      mpi::for_each(second, 100, [](std::uint64_t) {});
    } catch (const mpi::error& thrown) {
      said = thrown.what();
    }
  });
  loops_on(first, 1);
  other.join();
  expect(said.find("MPI_THREAD_MULTIPLE") != std::string::npos, "a second thread is told " + said);
}

} // namespace

int main(int argc, char** argv) {
  const bool is_serialized = argc > 1;
  int level = 0;
  MPI_Init_thread(&argc, &argv, is_serialized ? MPI_THREAD_SERIALIZED : MPI_THREAD_MULTIPLE, &level);
  MPI_Comm first = MPI_COMM_NULL, second = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &first);
  MPI_Comm_dup(MPI_COMM_WORLD, &second);
  if (level == MPI_THREAD_MULTIPLE)
    at_once(first, second);
  else
    refused(first, second);
  MPI_Comm_free(&first);
  MPI_Comm_free(&second);
  MPI_Finalize();
  return 0;
}
