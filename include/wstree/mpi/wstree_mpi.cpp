// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The functions of wstree_mpi.h, and what module wstree_mpi calls. Compiled by the program: there is no MPI
// of all systems.
#include "wstree/wstree_mpi.h"

#include "wstree/mpi.hpp"

#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <vector>

namespace mpi = wstree::mpi;

/// The piece that the program has got last is executed when it asks for the next one.
struct wstree_mpi_loop {
  mpi::detail::Options options;
  std::unique_ptr<mpi::detail::Drive> drive;
  mpi::detail::Group* group = nullptr;
  mpi::detail::Range piece;
  double start = 0;
  bool is_through = false;
  bool is_agreed = false; // all ranks make the same calls

  void finish() {
    is_through = true;
    drive->finish();
    is_agreed = true;
  }
  void put_back() {
    if (!piece.empty()) drive->ran(piece, {piece}, mpi::detail::now() - start, 0);
    piece = {};
  }
};

namespace {

thread_local std::string t_error; // what wstree_mpi_error() returns

template <class Function> int guarded(Function&& function) noexcept {
  try {
    function();
    return MPI_SUCCESS;
  } catch (const mpi::error& error) {
    t_error = error.what();
    return error.code() != MPI_SUCCESS ? error.code() : MPI_ERR_OTHER;
  } catch (const std::exception& exception) {
    t_error = exception.what();
    return MPI_ERR_OTHER;
  }
}

constexpr std::uint64_t k_pulled = 64; // no Kind of mpi.hpp

} // namespace

extern "C" int wstree_mpi_open(MPI_Comm comm, unsigned long long n, wstree_mpi_loop** loop) {
  *loop = nullptr;
  return guarded([&] {
    mpi::detail::check_that_mpi_works(comm);
    auto made = std::make_unique<wstree_mpi_loop>();
    made->group = &mpi::detail::Group::of(comm);
    made->drive =
        std::make_unique<mpi::detail::Drive>(*made->group, made->options, mpi::detail::Units(n, 1),
                                             mpi::detail::Agreed{n, k_pulled}, [] { return false; });
    *loop = made.release();
  });
}

extern "C" int wstree_mpi_next(wstree_mpi_loop* loop, unsigned long long* begin, unsigned long long* end) {
  *begin = *end = 0;
  return guarded([&] {
    loop->put_back();
    if (loop->is_through) return;
    if (!loop->drive->next(loop->piece)) {
      loop->piece = {};
      loop->finish();
      return;
    }
    *begin = loop->drive->units().first(loop->piece.begin);
    *end = loop->drive->units().first(loop->piece.end);
    loop->start = mpi::detail::now();
  });
}

extern "C" int wstree_mpi_close(wstree_mpi_loop* loop) {
  if (loop == nullptr) return MPI_SUCCESS;
  const std::unique_ptr<wstree_mpi_loop> closed(loop);
  return guarded([&] {
    closed->put_back();
    closed->drive->events().bound(0); // what is left is counted, and not handed out
    for (mpi::detail::Range piece; !closed->is_through && closed->drive->next(piece);)
      closed->drive->ran(piece, {piece}, 0, 0);
    if (!closed->is_through) closed->finish();
    if (closed->is_agreed)
      const mpi::detail::Ends ends(*closed->group, {}); // no rank is in the loop any more
  });
}

extern "C" int wstree_mpi_sum(MPI_Comm comm, unsigned long long n, double (*get)(unsigned long long, void*),
                              void* data, double* sum) {
  return guarded([&] { *sum = mpi::sum(comm, n, [=](std::uint64_t i) { return get(i, data); }); });
}

extern "C" const char* wstree_mpi_error(void) { return t_error.c_str(); }

// For Fortran, whose communicators are numbers.
extern "C" int wstree_mpi_open_f(MPI_Fint comm, long long n, wstree_mpi_loop** loop) {
  return wstree_mpi_open(MPI_Comm_f2c(comm), static_cast<unsigned long long>(n < 0 ? 0 : n), loop);
}
extern "C" int wstree_mpi_sum_f(MPI_Fint comm, long long n, double (*get)(long long), double* sum) {
  return guarded([&] {
    *sum = mpi::sum(MPI_Comm_f2c(comm), static_cast<std::uint64_t>(n < 0 ? 0 : n),
                    [=](std::uint64_t i) { return get(static_cast<long long>(i) + 1); });
  });
}
