// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// run_regions SEED COUNT PERCENT OBJECT: proves the regions of an object that regions/make has made, and
// executes those that are proven, in one thread: as a team would, for teams of several sizes, and in pieces,
// in a random order. Fails if the results of one differ, or if fewer than PERCENT are proven. -v: says why
// others are not.
#include "mapped_object.h"
#include "split_mix.h"

#include <dlfcn.h>
#include <link.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using wstree::test::MappedObject;
using u8 = unsigned char;
using u16 = unsigned short;
using i32 = int;
using u32 = unsigned;
using i64 = long;
using u64 = unsigned long;

check::Random random_number(1);

/// The memory that a region writes. Iterations may be below zero.
struct Written {
  static constexpr std::size_t k_before = 256;
  u32 a[2048], w[2560];
  u64 b[2048];
  u8 c[2048];
  u16 h[2048];
  double d[2048];
  float e[2048];
  u32 atomic32[8], sum32[8], result32[8];
  u64 atomic64[8], sum64[8], result64[8];
};
/// The memory that regions only read.
struct Read {
  u32 x[2048];
  u64 y[2048];
  u8 z[2048];
  double f[2048];
  float g[2048];
};
Written written;
Read only_read;

using Region = void (*)(i64 n, i64 p, i64 q, u32* a, u64* b, u8* c, u16* h, double* d, float* e, u32* w,
                        u32* atomic32, u64* atomic64, u32* sum32, u64* sum64, u32* result32, u64* result64,
                        const u32* x, const u64* y, const u8* z, const double* f, const float* g);

struct Arguments {
  i64 n, p, q;
};

/// What the entry points below answer.
struct Execution {
  // Of the region's function:
  const void* function = nullptr; // set by the first fork
  const void* after_count = nullptr;
  const void* after_number = nullptr;
  const void* after_init = nullptr;
  bool is_only_noted = false; // the function is not executed
  int members = 1;
  int member = 0;
  bool is_cut = false;
  std::vector<int> order; // of pieces
  std::vector<u64> ends;  // of clang's pieces, in order of their beginnings, as shares of 2^16
  int piece = 0;
  bool is_answered = false;
} now;

template <class Call> void execute(const void* function, Call&& call) {
  now.function = function;
  if (now.is_only_noted) return;
  now.is_answered = false;
  if (now.is_cut)
    for (const int piece : now.order) {
      now.piece = piece;
      now.member = static_cast<int>(random_number.below(static_cast<u64>(now.members)));
      call();
      if (!now.is_answered) break;
    }
  // Without a question for bounds each member calls it once.
  for (int member = now.is_cut && !now.is_answered ? 1 : 0;
       member < now.members && !(now.is_cut && now.is_answered); ++member) {
    now.member = member;
    call();
  }
}

template <class T, class S> void answer_bounds(const void* caller, i32* last, T* lower, T* upper, S step) {
  const u64 count =
      step > 0 ? (*upper < *lower
                      ? 0
                      : (static_cast<u64>(*upper) - static_cast<u64>(*lower)) / static_cast<u64>(step) + 1)
               : (*upper > *lower
                      ? 0
                      : (static_cast<u64>(*lower) - static_cast<u64>(*upper)) / static_cast<u64>(-step) + 1);
  const auto at = [first = *lower, step](u64 i) {
    return static_cast<T>(static_cast<u64>(first) + i * static_cast<u64>(step));
  };
  u64 begin = 0;
  u64 end = 0;
  if (now.is_cut && caller == now.after_init) {
    now.is_answered = true;
    const auto piece = static_cast<std::size_t>(now.piece);
    begin = piece == 0 ? 0 : count * now.ends[piece - 1] >> 16;
    end = count * now.ends[piece] >> 16;
  } else {
    const auto members = static_cast<u64>(now.members);
    const auto member = static_cast<u64>(now.member);
    const u64 rest = count % members;
    begin = count / members * member + std::min(member, rest);
    end = begin + count / members + (member < rest ? 1 : 0);
  }
  *last = begin < end && end == count;
  *lower = begin < end ? at(begin) : at(1);
  *upper = begin < end ? at(end - 1) : at(0);
}

struct Location {
  i32 reserved, flags;
};

} // namespace

extern "C" {
#pragma GCC visibility push(default)

int omp_get_num_threads() {
  if (!now.is_cut || __builtin_return_address(0) != now.after_count) return now.members;
  now.is_answered = true;
  return static_cast<int>(now.order.size());
}
int omp_get_thread_num() {
  return now.is_cut && __builtin_return_address(0) == now.after_number ? now.piece : now.member;
}
void GOMP_parallel(void (*function)(void*), void* data, unsigned, unsigned) {
  execute(reinterpret_cast<const void*>(function), [=] { function(data); });
}
void GOMP_barrier() {}
void GOMP_atomic_start() {}
void GOMP_atomic_end() {}
void GOMP_critical_start() {}
void GOMP_critical_end() {}

void __kmpc_fork_call(Location*, i32 count, void* function, ...) {
  void* a[24] = {};
  va_list list;
  va_start(list, function);
  for (i32 i = 0; i < count && i < 24; ++i) a[i] = va_arg(list, void*);
  va_end(list);
  if (count > 24) std::abort();
  const auto call = reinterpret_cast<void (*)(i32*, i32*, ...)>(function);
  execute(function, [&] {
    i32 number = now.member + 8;
    i32 member = now.member;
    call(&number, &member, a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9], a[10], a[11], a[12],
         a[13], a[14], a[15], a[16], a[17], a[18], a[19], a[20], a[21], a[22], a[23]);
  });
}
#define WSTREE_BOUNDS(suffix, T, S)                                                                          \
  void __kmpc_for_static_init_##suffix(Location*, i32, i32, i32* last, T* lower, T* upper, S*, S step, S) {  \
    answer_bounds(__builtin_return_address(0), last, lower, upper, step);                                    \
  }
WSTREE_BOUNDS(4, i32, i32)
WSTREE_BOUNDS(4u, u32, i32)
WSTREE_BOUNDS(8, i64, i64)
WSTREE_BOUNDS(8u, u64, i64)
void __kmpc_for_static_fini(Location*, i32) {}
i32 __kmpc_global_thread_num(Location*) { return now.member + 8; }
i32 __kmpc_reduce_nowait(Location* location, i32, i32, std::size_t, void*, void (*)(void*, void*), void*) {
  return (location->flags & 0x10) != 0 ? 2 : 1; // by atomic operations, or under a lock
}
void __kmpc_end_reduce_nowait(Location*, i32, void*) {}
void __kmpc_barrier(Location*, i32) {}
void __kmpc_critical(Location*, i32, void*) {}
void __kmpc_end_critical(Location*, i32, void*) {}

#pragma GCC visibility pop
}

namespace {

template <class T, std::size_t N> void fill(T (&array)[N]) {
  for (T& element : array) element = static_cast<T>(random_number.next() >> random_number.below(48));
}

void call(Region region, const Arguments& with) {
  constexpr std::size_t k_before = Written::k_before;
  Written& m = written;
  const Read& r = only_read;
  region(with.n, with.p, with.q, m.a + k_before, m.b + k_before, m.c + k_before, m.h + k_before,
         m.d + k_before, m.e + k_before, m.w + k_before, m.atomic32, m.atomic64, m.sum32, m.sum64, m.result32,
         m.result64, r.x + k_before, r.y + k_before, r.z + k_before, r.f + k_before, r.g + k_before);
}

std::string about; // the region that is executed
[[noreturn]] void crash(int signal) {
  const std::string text = "FALSE YES: " + about + ": signal " + std::to_string(signal) + "\n";
  [[maybe_unused]] const auto count = ::write(STDOUT_FILENO, text.data(), text.size());
  ::_exit(1);
}

/// Whether `region`, which is proven, has the same results in all ways.
bool is_equal(Region region, const std::string& name) {
  static Written before;
  static Written expected;
  fill(before.a), fill(before.b), fill(before.c), fill(before.h), fill(before.w);
  std::memset(static_cast<void*>(before.d), 0, sizeof before.d);
  std::memset(static_cast<void*>(before.e), 0, sizeof before.e);
  fill(before.atomic32), fill(before.atomic64), fill(before.sum32), fill(before.sum64);
  fill(before.result32), fill(before.result64);
  for (const i64 n : {100L, 300L, 37L, static_cast<i64>(random_number.below(128)),
                      static_cast<i64>(random_number.below(9)), -509L}) {
    const Arguments with{n, static_cast<i64>(random_number.below(12)),
                         static_cast<i64>(random_number.next() >> 40)};
    bool is_first = true;
    const auto differs = [&](const char* way) {
      about = name + " " + way + " of " + std::to_string(now.members) + ", n = " + std::to_string(n) +
              ", p = " + std::to_string(with.p) + ", q = " + std::to_string(with.q);
      now.member = 0;
      written = before;
      ::alarm(10);
      call(region, with);
      ::alarm(0);
      if (is_first) expected = written;
      is_first = false;
      if (std::memcmp(&written, &expected, sizeof written) == 0) return false;
      const auto* const a = reinterpret_cast<const u8*>(&written);
      const auto at = std::mismatch(a, a + sizeof written, reinterpret_cast<const u8*>(&expected)).first - a;
      std::printf("FALSE YES: %s: byte %td\n", about.c_str(), at);
      return true;
    };
    now.is_cut = false;
    for (const int members : {2, 3, 5, 1}) {
      now.members = members;
      if (differs("whole, team")) return false;
    }
    now.is_cut = true;
    for (const u64 most : {3U, 8U, 64U, static_cast<unsigned>(n < 0 ? 4 : n + 9)}) {
      now.members = 2 + static_cast<int>(random_number.below(3));
      now.order.resize(2 + random_number.below(most));
      std::iota(now.order.begin(), now.order.end(), 0);
      for (std::size_t i = now.order.size(); i > 1; --i)
        std::swap(now.order[i - 1], now.order[random_number.below(i)]);
      now.ends.resize(now.order.size());
      for (u64& end : now.ends) end = random_number.below((1U << 16) + 1);
      std::sort(now.ends.begin(), now.ends.end());
      now.ends.back() = 1U << 16;
      if (differs(("in " + std::to_string(now.order.size()) + " pieces, team").c_str())) return false;
    }
  }
  return true;
}

int run(u64 seed, int count, int percent, const std::string& path, bool is_verbose) {
  const MappedObject object(path);
  void* const library = ::dlopen(path.c_str(), RTLD_NOW);
  if (library == nullptr) throw std::runtime_error(::dlerror());
  const link_map* map = nullptr;
  ::dlinfo(library, RTLD_DI_LINKMAP, &map);
  const auto loaded = [&](const void* at) -> const void* {
    return at == nullptr ? nullptr : reinterpret_cast<const void*>(object.in_file(at) + map->l_addr);
  };
  int proven = 0;
  int wrong = 0;
  for (int i = 0; i < count; ++i) {
    const std::string name = "region_" + std::to_string(i);
    const auto region = reinterpret_cast<Region>(::dlsym(library, name.c_str()));
    if (region == nullptr) throw std::runtime_error("no " + name);
    now = {};
    now.is_only_noted = true;
    call(region, {100, 1, 1});
    now.is_only_noted = false;
    if (now.function == nullptr) throw std::runtime_error(name + " has no region");
    const auto verdict = object.prove({name, reinterpret_cast<u64>(now.function) - map->l_addr});
    if (verdict.kind == wstree::proof::Verdict::Kind::refused) {
      if (is_verbose) std::printf("%s: %s\n", name.c_str(), verdict.reason);
      continue;
    }
    ++proven;
    now.after_count = loaded(verdict.after_thread_count);
    now.after_number = loaded(verdict.after_thread_number);
    now.after_init = loaded(verdict.after_static_init);
    random_number = check::Random(seed * 1000003 + static_cast<u64>(i));
    if (!is_equal(region, name)) ++wrong;
  }
  std::printf("%d of %d regions proven, %d of them wrong\n", proven, count, wrong);
  return wrong != 0 || proven * 100 < count * percent ? 1 : 0;
}

} // namespace

int main(int count, char** arguments) {
  const bool is_verbose = count == 6 && std::strcmp(arguments[1], "-v") == 0;
  if (count != 5 && !is_verbose) {
    std::fprintf(stderr, "usage: run_regions [-v] SEED COUNT PERCENT OBJECT\n");
    return 2;
  }
  arguments += is_verbose ? 2 : 1;
  if (!wstree::proof::open_decoder()) {
    std::fprintf(stderr, "run_regions: %s\n", wstree::proof::decoder_problem());
    return 77;
  }
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGALRM}) ::signal(signal, crash);
  const u64 seed = std::strtoull(arguments[0], nullptr, 10);
  random_number = check::Random(seed);
  fill(only_read.x), fill(only_read.y), fill(only_read.z);
  for (double& number : only_read.f) number = static_cast<double>(random_number.below(4096)) / 1024;
  for (float& number : only_read.g) number = static_cast<float>(random_number.below(4096)) / 512;
  try {
    return run(seed, std::atoi(arguments[1]), std::atoi(arguments[2]), arguments[3], is_verbose);
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "run_regions: %s\n", problem.what());
    return 2;
  }
}
