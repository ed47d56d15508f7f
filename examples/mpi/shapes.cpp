// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops of four shapes on MPI ranks, shared in four ways: equal shares, wstree::mpi::for_each, one counter
// for all with the best chunk, and, as the ideal, iterations dealt out in turn, which costs nothing.
//
//     mpirun -np 2 ./shapes [MILLISECONDS]     what a loop takes on two processors (100)
#include <wstree/mpi.hpp>

#include <mpi.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <vector>

namespace {

constexpr std::uint64_t k_iterations = 20'000;
constexpr int k_rounds = 7;
constexpr double k_processors = 2;

void compute(double steps) {
  double x = 1;
  for (double i = 0; i < steps; ++i) {
    x = x * 0.999999 + 1e-9;
    asm volatile("" : "+x"(x)); // so that nothing is left out
  }
}

struct Shape {
  const char* name;
  double (*cost)(double x); ///< at 0 <= x < 1
};
constexpr std::array<Shape, 4> k_shapes{{{"UNIFORM", [](double) { return 1.0; }},
                                         {"TRIANGLE", [](double x) { return x; }},
                                         {"EXP", [](double x) { return std::exp(8 * x - 8); }},
                                         {"STEP_S", [](double x) { return x < 0.125 ? 1.0 : 0.01; }}}};

int g_rank = 0, g_ranks = 1;

/// Seconds from the begin on the first rank to the end on the last one.
double time_of(const std::function<void()>& loop) {
  MPI_Barrier(MPI_COMM_WORLD);
  const double begin = MPI_Wtime();
  loop();
  double took = MPI_Wtime() - begin, longest = 0;
  MPI_Allreduce(&took, &longest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return longest;
}

double steps_per_second() {
  constexpr double k_steps = 2e7;
  const double begin = MPI_Wtime();
  compute(k_steps);
  double speed = k_steps / (MPI_Wtime() - begin);
  MPI_Bcast(&speed, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  return speed;
}

void measure(const Shape& shape, double steps, std::uint64_t& counter) {
  double sum = 0;
  for (std::uint64_t i = 0; i < k_iterations; ++i) sum += shape.cost((i + 0.5) / k_iterations);
  const auto body = [&](std::uint64_t i) { compute(shape.cost((i + 0.5) / k_iterations) * steps / sum); };
  const auto rank = static_cast<std::uint64_t>(g_rank), ranks = static_cast<std::uint64_t>(g_ranks);

  std::vector<std::function<void()>> ways;
  ways.emplace_back([&] {
    for (std::uint64_t i = rank; i < k_iterations; i += ranks) body(i);
  });
  ways.emplace_back([&] {
    for (auto i = k_iterations * rank / ranks; i < k_iterations * (rank + 1) / ranks; ++i) body(i);
  });
  ways.emplace_back([&] { wstree::mpi::for_each(MPI_COMM_WORLD, k_iterations, body); });
  for (const std::uint64_t chunk : {1, 4, 16, 64, 256})
    ways.emplace_back([&, chunk] {
      const std::atomic_ref<std::uint64_t> next(counter);
      for (;;) {
        const std::uint64_t begin = next.fetch_add(chunk);
        if (begin >= k_iterations) return;
        for (std::uint64_t i = begin; i < std::min(begin + chunk, k_iterations); ++i) body(i);
      }
    });

  std::vector<std::vector<double>> times(ways.size());
  for (int round = 0; round < k_rounds; ++round)
    for (std::size_t way = 0; way < ways.size(); ++way) {
      MPI_Barrier(MPI_COMM_WORLD);
      if (g_rank == 0) counter = 0;
      times[way].push_back(time_of(ways[way]));
    }
  std::vector<double> medians;
  for (auto& each : times) {
    std::nth_element(each.begin(), each.begin() + k_rounds / 2, each.end());
    medians.push_back(each[k_rounds / 2]);
  }
  if (g_rank == 0)
    std::printf("%-10s %9.1f %14.3f %10.3f %14.3f\n", shape.name, medians[0] * 1e3, medians[1] / medians[0],
                medians[2] / medians[0], *std::min_element(medians.begin() + 3, medians.end()) / medians[0]);
}

} // namespace

int main(int argc, char** argv) {
  int level = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &g_rank);
  MPI_Comm_size(MPI_COMM_WORLD, &g_ranks);
  const double milliseconds = argc > 1 ? std::atof(argv[1]) : 100;

  MPI_Win window = MPI_WIN_NULL;
  void* memory = nullptr;
  MPI_Win_allocate_shared(g_rank == 0 ? 64 : 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
  MPI_Aint bytes = 0;
  int unit = 0;
  MPI_Win_shared_query(window, 0, &bytes, &unit, &memory); // all ranks have to be on one node

  const double steps = milliseconds * 1e-3 * k_processors * steps_per_second();
  if (g_rank == 0) std::printf("shape       ideal ms   equal shares   for_each    one counter\n");
  for (const Shape& shape : k_shapes) measure(shape, steps, *static_cast<std::uint64_t*>(memory));
  MPI_Win_free(&window);
  MPI_Finalize();
  return 0;
}
