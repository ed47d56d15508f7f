// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// prove_binary [-q] [-t] FILE...: for each function that a compiler has outlined, whether it may be called
// again for pieces of its loop, or why not.
//
//   -q   counts only
//   -t   how much time of a processor the proofs took
#include "mapped_object.h"

#include <time.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <map>
#include <string>

namespace {

/// Microseconds of this thread.
double thread_time() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e6 + static_cast<double>(now.tv_nsec) * 1e-3;
}

} // namespace

int main(int count, char** arguments) {
  bool is_quiet = false;
  bool is_timed = false;
  if (!wstree::proof::open_decoder()) {
    std::fprintf(stderr, "prove_binary: %s\n", wstree::proof::decoder_problem());
    return 77;
  }
  std::map<std::string, int> reasons;
  int proven = 0;
  int all = 0;
  double slowest = 0;
  for (int i = 1; i < count; ++i) {
    const std::string path = arguments[i];
    if (path == "-q" || path == "-t") {
      (path == "-q" ? is_quiet : is_timed) = true;
      continue;
    }
    try {
      const wstree::test::MappedObject object(path);
      for (const auto& function : object.outlined()) {
        const double begin = thread_time();
        const wstree::proof::Verdict verdict = object.prove(function);
        const double took = thread_time() - begin;
        slowest = std::max(slowest, took);
        const bool is_proven = verdict.kind != wstree::proof::Verdict::Kind::refused;
        ++all;
        proven += is_proven ? 1 : 0;
        if (!is_proven) ++reasons[verdict.reason];
        if (is_quiet) continue;
        std::printf("%s %lx %s: %s", path.substr(path.rfind('/') + 1).c_str(), function.address,
                    function.name.c_str(), is_proven ? "proven" : verdict.reason);
        if (is_proven)
          std::printf(" (%s%s%s%s)", verdict.kind == wstree::proof::Verdict::Kind::gcc ? "gcc" : "clang",
                      verdict.has_reduction ? ", reduction" : "",
                      verdict.has_float_reduction ? " of floats" : "",
                      verdict.has_lastprivate ? ", lastprivate" : "");
        if (verdict.at != nullptr) std::printf(" at %lx", object.in_file(verdict.at));
        if (is_timed) std::printf(", %u instructions, %.0f us", verdict.instructions, took);
        std::printf("\n");
      }
    } catch (const std::exception& problem) {
      std::fprintf(stderr, "prove_binary: %s\n", problem.what());
    }
  }
  std::printf("%d of %d proven", proven, all);
  if (is_timed) std::printf(", the slowest proof took %.0f us", slowest);
  std::printf("\n");
  for (const auto& [reason, number] : reasons) std::printf("%5d %s\n", number, reason.c_str());
}
