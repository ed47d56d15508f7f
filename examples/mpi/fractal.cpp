// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A detail of the Mandelbrot set in rows, which differ widely in cost, on MPI ranks: once as each rank's
// equal share of the rows, and once shared by stealing. The rows come back in order, to rank 0 alone.
//
//   mpicxx -std=c++20 -O2 -fopenmp fractal.cpp -o fractal
//   mpirun -np 4 fractal [PIXELS [PICTURE.pgm]]
#include <wstree/mpi.hpp>

#include <algorithm>
#include <complex>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

constexpr int k_limit = 500;

std::uint8_t colour_of(double x, double y) {
  double re = 0, im = 0;
  int steps = 0;
  for (; steps < k_limit && re * re + im * im < 4; ++steps) {
    const double next = re * re - im * im + x;
    im = 2 * re * im + y;
    re = next;
  }
  return static_cast<std::uint8_t>(steps * 255 / k_limit);
}

void append_row(std::vector<std::uint8_t>& picture, std::uint64_t row, std::uint64_t pixels) {
  const double scale = 1.5 / static_cast<double>(pixels);
  for (std::uint64_t column = 0; column < pixels; ++column)
    picture.push_back(
        colour_of(-0.75 + static_cast<double>(column) * scale, -1.3 + static_cast<double>(row) * scale));
}

} // namespace

int main(int argc, char** argv) {
  int level = 0, rank = 0, ranks = 1;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const std::uint64_t pixels = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 800;

  MPI_Barrier(MPI_COMM_WORLD);
  double start = MPI_Wtime();
  std::vector<std::uint8_t> share;
  const auto me = static_cast<std::uint64_t>(rank), all = static_cast<std::uint64_t>(ranks);
  for (std::uint64_t row = pixels * me / all; row < pixels * (me + 1) / all; ++row)
    append_row(share, row, pixels);
  MPI_Barrier(MPI_COMM_WORLD);
  const double equal = MPI_Wtime() - start;

  using Picture = std::vector<std::uint8_t>;
  start = MPI_Wtime();
  const Picture picture = wstree::mpi::fold(
      wstree::mpi::on(MPI_COMM_WORLD).label("rows").root(0), pixels, Picture(),
      [&](Picture& rows, std::uint64_t begin, std::uint64_t end) {
        for (; begin < end; ++begin) append_row(rows, begin, pixels);
      },
      [](Picture upper, const Picture& lower) {
        upper.insert(upper.end(), lower.begin(), lower.end());
        return upper;
      });
  const double shared = MPI_Wtime() - start;

  // Each rank looks for its own rows in the picture; rank 0 has all of it.
  bool is_right = rank != 0 || picture.size() == pixels * pixels;
  if (rank == 0) {
    is_right = is_right && std::equal(share.begin(), share.end(), picture.begin());
    std::printf("%d ranks: equal shares %.3f s, shared by stealing %.3f s; %s\n", ranks, equal, shared,
                is_right ? "the picture is right" : "THE PICTURE IS WRONG");
    if (argc > 2) {
      std::FILE* file = std::fopen(argv[2], "wb");
      if (file != nullptr) {
        std::fprintf(file, "P5 %d %d 255\n", static_cast<int>(pixels), static_cast<int>(pixels));
        std::fwrite(picture.data(), 1, picture.size(), file);
        std::fclose(file);
      }
    }
  }
  MPI_Finalize();
  return is_right ? 0 : 1;
}
