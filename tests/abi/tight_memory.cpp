// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Guards: no memory. The library's allocations fail all the time or now and then: before the first loop, in
// the middle, and for a team that is larger than those before it. Loops stay right, whether the library
// serves them or not; nothing aborts. Linked with -rdynamic,
// so that all libraries use these allocation functions.
#include "hits.h"
#include "omp_decls.h"

#include <atomic>
#include <link.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>

namespace {

/// Of 256 allocations of the library so many fail.
std::atomic<unsigned> failing{0};
std::atomic<unsigned> failed{0};

/// Where the library is in memory; nothing if it is not there. The runtimes end the process when they get no
/// memory, so only the library gets none.
struct Span {
  std::uintptr_t begin = 0;
  std::uintptr_t size = 0;
};
Span library;

int find_library(dl_phdr_info* object, std::size_t, void*) {
  if (std::strstr(object->dlpi_name, "libwstree") == nullptr) return 0;
  library.begin = object->dlpi_addr;
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const std::uintptr_t end = object->dlpi_phdr[i].p_vaddr + object->dlpi_phdr[i].p_memsz;
    if (object->dlpi_phdr[i].p_type == PT_LOAD && end > library.size) library.size = end;
  }
  return 1;
}

bool fails(const void* caller) {
  if (failing == 0 || reinterpret_cast<std::uintptr_t>(caller) - library.begin >= library.size) return false;
  static std::atomic<std::uint64_t> calls{0};
  check::Random random(check::settings.seed + calls++);
  if (random.below(256) >= failing) return false;
  ++failed;
  return true;
}

} // namespace

extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);

void* malloc(std::size_t size) { return fails(__builtin_return_address(0)) ? nullptr : __libc_malloc(size); }
void* calloc(std::size_t count, std::size_t size) {
  return fails(__builtin_return_address(0)) ? nullptr : __libc_calloc(count, size);
}
void* mmap(void* where, std::size_t size, int protection, int flags, int file, off_t offset) {
  if (fails(__builtin_return_address(0))) return MAP_FAILED;
  const long result = syscall(SYS_mmap, where, size, protection, flags, file, offset);
  return reinterpret_cast<void*>(result); // -1 is MAP_FAILED
}
}

namespace {

using check::Hits;
using check::HitsList;

void run_loops(int members) {
  HitsList hits = check::hits_list(12, 1500);
  const std::size_t size = 1500;
#pragma omp parallel num_threads(members)
  {
    for (Hits& each : hits) {
#pragma omp for schedule(runtime) nowait
      for (std::size_t i = 0; i < size; ++i) each.touch(i);
    }
  }
  check::must_be_one_each(hits, "loops without memory");
  Hits combined(1500);
#pragma omp parallel for num_threads(members) schedule(runtime)
  for (int i = 0; i < 1500; ++i)
    combined.touch(static_cast<std::size_t>(i)); // gcc: region and loop in one call
  combined.must_be_one_each("region with a loop, without memory");
}

void none_at_first() {
  failing = 256;
  for (int round = 0; round < 20; ++round) run_loops(1 + round % 5);
  failing = 0;
  for (int round = 0; round < 20; ++round) run_loops(1 + round % 5);
}

void none_in_the_middle() {
  run_loops(2);
  failing = 256;
  for (const int members : {2, 4, 8, 3, 1, 8}) run_loops(members); // 4 and 8 need more than there is so far
  failing = 0;
  for (const int members : {8, 2}) run_loops(members);
}

void now_and_then() {
  for (int round = 0; round < check::repeat(200, 3000); ++round) {
    failing = round % 2 == 0 ? 128 : 20;
    // A new thread has nothing yet, so it has to allocate.
    std::thread([round] {
      run_loops(2 + round % 4);
      run_loops(2 + round % 7);
    }).join();
  }
  failing = 0;
}

void only_the_first_nodes() {
  // The team has its memory, but whatever is split often needs more:
  // a thief that cannot split must not lose anything.
  for (int round = 0; round < check::repeat(60, 1000); ++round) {
    std::thread([round] {
      const int members = 2 + round % 7;
      run_loops(members);
      failing = 256;
      HitsList hits = check::hits_list(6, 3000);
#pragma omp parallel num_threads(members)
      for (Hits& each : hits) {
#pragma omp for schedule(runtime) nowait
        for (std::size_t i = 0; i < 3000; ++i) {
          each.touch(i);
          if (i % 256 < 16) check::spin(4000);
        }
      }
      failing = 0;
      check::must_be_one_each(hits, "loops with few nodes");
    }).join();
  }
}

} // namespace

int main(int argc, char** argv) {
  omp_set_dynamic(0);
  dl_iterate_phdr(find_library, nullptr);
  const int status = check::run(argc, argv,
                                {{"none_at_first", none_at_first},
                                 {"none_in_the_middle", none_in_the_middle},
                                 {"now_and_then", now_and_then},
                                 {"only_the_first_nodes", only_the_first_nodes}});
  std::printf("%u allocations failed\n", failed.load());
  if (status == 0 && library.size != 0 && failed == 0) {
    std::fputs("the library never asked for memory: nothing was tested\n", stderr);
    return 1;
  }
  return status;
}
