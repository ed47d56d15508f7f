// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Served loops in threads that have changed how floats behave: how they are rounded, what traps, and which
// flags are up. No code computes with floats here, so that everything has to stay as it is.
//
//   floats FIRST     which of the settings is the first one; then come all others
//
// Says what differs, and where, or "as it was". Traps everything at the end.
#include "headers.h"
#include "omp_decls.h"

#include <cfenv>

extern "C" [[gnu::weak]] std::size_t wstree_statistics_json(char* buffer, std::size_t size);

namespace {

struct Settings {
  const char* name;
  int rounding;
  int traps;
  int flags;        // that are up
  unsigned besides; // bits of the register that the functions of C do not know
};

constexpr int k_all = FE_ALL_EXCEPT;
#ifdef __x86_64__
constexpr unsigned k_flush = 0x8040; // denormals are zeros, in and out
unsigned read_register() { return __builtin_ia32_stmxcsr(); }
void write_register(unsigned bits) { __builtin_ia32_ldmxcsr(bits); }
#else
constexpr unsigned k_flush = 1U << 24;
unsigned read_register() {
  std::uint64_t bits;
  asm volatile("mrs %0, fpcr" : "=r"(bits));
  return static_cast<unsigned>(bits);
}
void write_register(unsigned bits) { asm volatile("msr fpcr, %0" : : "r"(std::uint64_t{bits})); }
#endif

constexpr Settings k_settings[] = {
    {"as usual", FE_TONEAREST, 0, 0, 0},
    {"traps", FE_TONEAREST, k_all, 0, 0},
    {"traps of inexact results, upwards", FE_UPWARD, FE_INEXACT, 0, 0},
    {"upwards", FE_UPWARD, 0, 0, 0},
    {"downwards", FE_DOWNWARD, 0, 0, 0},
    {"towards zero, all flags", FE_TOWARDZERO, 0, k_all, 0},
    {"without denormals, some flags", FE_TONEAREST, 0, FE_DIVBYZERO | FE_OVERFLOW, k_flush},
    {"one flag, other traps", FE_TONEAREST, FE_INVALID | FE_OVERFLOW, FE_INEXACT, 0},
};
constexpr int k_count = sizeof k_settings / sizeof *k_settings;

void begin(const Settings& settings) {
  std::fesetenv(FE_DFL_ENV);
  std::fesetround(settings.rounding);
  write_register(read_register() | settings.besides);
  std::fenv_t all; // feraiseexcept() computes something, and that may raise more
  std::fegetenv(&all);
#ifdef __x86_64__
  all.__mxcsr |= static_cast<unsigned>(settings.flags);
#else
  all.__fpsr |= static_cast<unsigned>(settings.flags);
#endif
  std::fesetenv(&all);
  feenableexcept(settings.traps);
}

/// A processor need not have traps.
bool can_trap(int traps) {
  std::fenv_t before;
  std::fegetenv(&before);
  const bool can = feenableexcept(traps) != -1 && fegetexcept() == traps;
  std::fesetenv(&before);
  return can;
}

std::atomic<int> differences{0};

void compare(const Settings& settings, const char* where) {
  const int rounding = std::fegetround();
  const int traps = fegetexcept();
  const int flags = std::fetestexcept(k_all);
  const unsigned besides = read_register() & k_flush;
  std::fesetenv(FE_DFL_ENV);
  if (rounding == settings.rounding && traps == settings.traps && flags == settings.flags &&
      besides == settings.besides)
    return;
  if (differences.fetch_add(1) < 20)
    std::printf("%s, %s: rounding %x, traps %x, flags %x, besides %x\n", settings.name, where,
                static_cast<unsigned>(rounding), static_cast<unsigned>(traps), static_cast<unsigned>(flags),
                besides);
}

void spin(int rounds) {
  for (int k = 0; k < rounds; ++k) asm volatile("" : "+r"(k));
}

/// Loops whose iterations differ, so that members steal; and such as are brief.
void region(const Settings& settings, int loops, int iterations, int most) {
  begin(settings);
#pragma omp parallel num_threads(3)
  {
    begin(settings);
    for (int loop = 0; loop < loops; ++loop) {
#pragma omp for schedule(runtime) nowait
      for (int i = 0; i < iterations; ++i) spin(i * most / iterations);
    }
#pragma omp for schedule(dynamic, 3)
    for (long i = 0; i < iterations; ++i) spin(most / 2);
#pragma omp for schedule(static)
    for (int i = 0; i < iterations; ++i) spin(i * most / iterations);
    compare(settings, "in a region");
    begin(settings);
  }
  compare(settings, "behind a region");
}

/// Members set the schedule of the next loop.
void region_with_schedules(const Settings& settings) {
  omp_sched_t kind{};
  int chunk = 0;
  omp_get_schedule(&kind, &chunk);
  begin(settings);
#pragma omp parallel num_threads(3)
  {
    begin(settings);
    omp_set_schedule(kind, 2);
#pragma omp for schedule(runtime)
    for (int i = 0; i < 100; ++i) spin(100);
    compare(settings, "in a region with schedules");
  }
  std::fesetenv(FE_DFL_ENV);
}

void all_regions(const Settings& settings) {
  region(settings, 1, 500, 1500);
  for (int k = 0; k < 10; ++k) region(settings, 2, 8, 100);   // brief, and few
  for (int k = 0; k < 10; ++k) region(settings, 1, 1000, 20); // brief, and many
  for (int k = 0; k < 3; ++k) region(settings, 80, 60, 50);   // behind those that are remembered
  for (int k = 0; k < 5; ++k) region(settings, 3, 300, 600);
  region(settings, 1, 2, 100000);
  region_with_schedules(settings);
  if (wstree_statistics_json != nullptr) {
    begin(settings);
    wstree_statistics_json(nullptr, 0);
    compare(settings, "in the statistics");
  }
}

} // namespace

int main(int, char** argv) {
  if (const int flags = std::fetestexcept(k_all); flags != 0)
    std::printf("when it was loaded: flags %x\n", static_cast<unsigned>(flags));
  omp_get_max_threads(); // the runtime may compute what it likes when it begins
  const int first = std::atoi(argv[1]);
  for (int k = 0; k < k_count; ++k) {
    const Settings& settings = k_settings[(first + k) % k_count];
    if (can_trap(settings.traps)) all_regions(settings);
  }
  if (differences == 0) std::puts("as it was");
  std::fflush(stdout);
  if (can_trap(k_all)) feenableexcept(k_all);
  return differences == 0 ? 0 : 1;
}
