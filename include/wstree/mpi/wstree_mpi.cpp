// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The functions of wstree_mpi.h, and those that module wstree_mpi calls. Compiled by the program: MPI differs
// between systems.
#include "wstree/wstree_mpi.h"

#include "wstree/mpi.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <new>
#include <string>
#include <vector>

namespace mpi = wstree::mpi;

/// The program gets a piece in parts, and has executed a part when it calls for the next one.
struct wstree_mpi_loop {
  mpi::detail::Options options;
  int (*stop)(void* data) = nullptr;
  void* data = nullptr;
  bool is_stopped = false;
  std::unique_ptr<mpi::detail::Drive> drive;
  mpi::detail::Group* group = nullptr;
  mpi::detail::Range piece, part;
  double start = 0;
  bool is_through = false;
  bool is_agreed = false; // all ranks make the same calls

  bool asks_to_stop() {
    is_stopped = is_stopped || (stop != nullptr && stop(data) != 0);
    return is_stopped;
  }
  void finish() {
    is_through = true;
    drive->finish();
    is_agreed = true;
  }
  /// Takes the next part of the piece; returns false if there is none, a stop was requested, or the piece
  /// lasts far longer than expected.
  bool go_on() {
    if (part.end == piece.end || asks_to_stop() || mpi::detail::now() - start > drive->patience(piece))
      return false;
    part = front_of({part.end, piece.end});
    return true;
  }
  /// Counts the parts that were handed out as executed, and gives the rest of the piece back.
  void put_back() {
    if (!piece.empty()) drive->ran(piece, {{piece.begin, part.end}}, mpi::detail::now() - start, 0);
    piece = part = {};
  }
  void begin() {
    start = mpi::detail::now();
    part = front_of(piece);
  }

private:
  /// Returns the next part of the piece. A team has a parallel region for each part, so that its parts
  /// are larger.
  mpi::detail::Range front_of(mpi::detail::Range rest) const {
    const std::uint64_t members = mpi::detail::threads_of_team(), parts = members == 1 ? 64 : 16;
    const std::uint64_t least = std::max<std::uint64_t>(members == 1 ? 1 : 4 * members, options.chunk);
    auto units = std::min<std::uint64_t>(rest.size(), std::max(piece.size() / parts, least));
    if (rest.size() - units < options.chunk) units = rest.size(); // no part is shorter than the chunk
    return {rest.begin, rest.begin + static_cast<std::uint32_t>(units)};
  }
};

namespace {

thread_local std::string t_error; // text that wstree_mpi_error() returns

template <class Function> int guarded(Function&& function) noexcept {
  try {
    function();
    return MPI_SUCCESS;
  } catch (const wstree::cancelled& cancelled) {
    t_error = cancelled.what();
    return WSTREE_MPI_CANCELLED;
  } catch (const mpi::error& error) {
    t_error = error.what();
    return error.code() != MPI_SUCCESS ? error.code() : MPI_ERR_OTHER;
  } catch (const std::exception& exception) {
    t_error = exception.what();
    return MPI_ERR_OTHER;
  }
}

constexpr std::uint64_t k_pulled = 64; // no Kind of mpi.hpp

/// The stop token of C.
struct Stop {
  int (*stop)(void* data);
  void* data;
  bool stop_requested() const { return stop != nullptr && stop(data) != 0; }
};

mpi::basic_on<Stop> policy_of(MPI_Comm comm, const wstree_mpi_options& options) {
  auto on = mpi::on(comm).label(options.label).chunk(options.chunk).root(options.root);
  if (options.sections != 0) on = on.weights({options.weights, static_cast<std::size_t>(options.sections)});
  if (options.on_steal != nullptr)
    on = on.on_steal([function = options.on_steal, data = options.data](
                         std::uint64_t begin, std::uint64_t end) { function(begin, end, data); });
  return on.stop(Stop{options.stop, options.data});
}

constexpr wstree_mpi_options k_usual = WSTREE_MPI_OPTIONS;

} // namespace

extern "C" int wstree_mpi_open_with(MPI_Comm comm, unsigned long long n, const wstree_mpi_options* options,
                                    wstree_mpi_loop** loop) {
  *loop = nullptr;
  return guarded([&] {
    mpi::detail::check_that_mpi_works(comm);
    const wstree_mpi_options& wanted = options != nullptr ? *options : k_usual;
    auto made = std::make_unique<wstree_mpi_loop>();
    made->options = policy_of(comm, wanted).options();
    made->stop = wanted.stop, made->data = wanted.data;
    made->group = &mpi::detail::Group::of(comm);
    made->drive =
        std::make_unique<mpi::detail::Drive>(*made->group, made->options, mpi::detail::Units(n, 1),
                                             mpi::detail::Agreed{n, k_pulled | made->options.chunk << 40},
                                             [loop = made.get()] { return loop->asks_to_stop(); });
    made->drive->rests_with(
        [](mpi::detail::Board& board) { mpi::detail::Ends::rest_with(board, mpi::detail::End(), nullptr); });
    made->options.weights = {}; // the shares are cut
    *loop = made.release();
  });
}
extern "C" int wstree_mpi_open(MPI_Comm comm, unsigned long long n, wstree_mpi_loop** loop) {
  return wstree_mpi_open_with(comm, n, nullptr, loop);
}

extern "C" int wstree_mpi_next(wstree_mpi_loop* loop, unsigned long long* begin, unsigned long long* end) {
  *begin = *end = 0;
  return guarded([&] {
    if (loop->piece.empty() || !loop->go_on()) {
      loop->put_back();
      if (loop->is_through) return;
      if (!loop->drive->next(loop->piece)) {
        loop->piece = {};
        loop->finish();
        return;
      }
      loop->begin();
    }
    *begin = loop->drive->units().first(loop->part.begin);
    *end = loop->drive->units().first(loop->part.end);
  });
}

extern "C" int wstree_mpi_close(wstree_mpi_loop* loop) {
  if (loop == nullptr) return MPI_SUCCESS;
  const std::unique_ptr<wstree_mpi_loop> closed(loop);
  return guarded([&] {
    closed->put_back();
    closed->drive->events().bound(0); // the units left are counted, and not handed out
    for (mpi::detail::Range piece; !closed->is_through && closed->drive->next(piece);)
      closed->drive->ran(piece, {piece}, 0, 0);
    if (!closed->is_through) closed->finish();
    if (!closed->is_agreed) return;
    const mpi::detail::Ends ends(
        *closed->group, {.dropped = closed->drive->dropped(), .is_stopped = closed->is_stopped ? 1U : 0U});
    if (ends.is_cancelled()) throw wstree::cancelled(); // no rank is in the loop any more
  });
}

extern "C" int wstree_mpi_sum_with(MPI_Comm comm, unsigned long long n, const wstree_mpi_options* options,
                                   double (*get)(unsigned long long, void*), void* data, double* sum) {
  return guarded([&] {
    *sum = mpi::sum(policy_of(comm, options != nullptr ? *options : k_usual), n,
                    [=](std::uint64_t i) { return get(i, data); });
  });
}
extern "C" int wstree_mpi_sum(MPI_Comm comm, unsigned long long n, double (*get)(unsigned long long, void*),
                              void* data, double* sum) {
  return wstree_mpi_sum_with(comm, n, nullptr, get, data, sum);
}

extern "C" const char* wstree_mpi_error(void) { return t_error.c_str(); }

// For Fortran, whose communicators are numbers, and whose iterations begin with 1.

namespace {

/// The functions that the module hands over; they have no data.
struct FortranOptions {
  const char* label;
  long long chunk;
  const double* weights;
  long long sections;
  int root;
  int (*stop)();
  void (*on_steal)(long long first, long long last);

  wstree_mpi_options for_c() {
    wstree_mpi_options options = WSTREE_MPI_OPTIONS;
    options.label = label;
    options.chunk = static_cast<unsigned long long>(chunk > 0 ? chunk : 1);
    options.weights = weights;
    options.sections = static_cast<unsigned long long>(sections);
    options.root = root;
    if (stop != nullptr) options.stop = call_stop;
    if (on_steal != nullptr) options.on_steal = call_on_steal;
    options.data = this;
    return options;
  }

private:
  static int call_stop(void* data) { return static_cast<FortranOptions*>(data)->stop(); }
  static void call_on_steal(unsigned long long begin, unsigned long long end, void* data) {
    static_cast<FortranOptions*>(data)->on_steal(static_cast<long long>(begin) + 1,
                                                 static_cast<long long>(end));
  }
};

/// A loop of Fortran outlives the call that opens it.
struct FortranLoop {
  FortranOptions options;
  wstree_mpi_loop* loop = nullptr;
};

unsigned long long count_of(long long n) { return n < 0 ? 0 : static_cast<unsigned long long>(n); }

} // namespace

extern "C" int wstree_mpi_open_f(MPI_Fint comm, long long n, const FortranOptions* options,
                                 FortranLoop** loop) {
  *loop = nullptr;
  std::unique_ptr<FortranLoop> made(new (std::nothrow) FortranLoop{*options});
  if (made == nullptr) return MPI_ERR_NO_MEM;
  const wstree_mpi_options wanted = made->options.for_c();
  const int status = wstree_mpi_open_with(MPI_Comm_f2c(comm), count_of(n), &wanted, &made->loop);
  if (status == MPI_SUCCESS) *loop = made.release();
  return status;
}
extern "C" int wstree_mpi_next_f(FortranLoop* loop, unsigned long long* begin, unsigned long long* end) {
  return wstree_mpi_next(loop->loop, begin, end);
}
extern "C" int wstree_mpi_close_f(FortranLoop* loop) {
  const std::unique_ptr<FortranLoop> closed(loop);
  return closed == nullptr ? MPI_SUCCESS : wstree_mpi_close(closed->loop);
}
extern "C" int wstree_mpi_sum_f(MPI_Fint comm, long long n, FortranOptions* options, double (*get)(long long),
                                double* sum) {
  const wstree_mpi_options wanted = options->for_c();
  return guarded([&] {
    *sum = mpi::sum(policy_of(MPI_Comm_f2c(comm), wanted), count_of(n),
                    [=](std::uint64_t i) { return get(static_cast<long long>(i) + 1); });
  });
}
