// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Guards: marks of old loops that look current again because their numbers have come round. A program repeats
// the same few regions many times and then opens another one, with more loops, and all of that again. So
// there is state that is used only once in a while, and always after the same number of loops.
//
//   --pattern TEXT   only this one: "4,2x255+8" is regions of 4 and of 2 loops in turn, 255 times, and then
//                    one of 8. A region may say its iterations: "8:1,1:1x127+8,1:1". P instead of a number is
//                    2^k - 2 to 2^k + 1 in turn, for each k up to 6, or 10 if --long; "?" is one random
//                    pattern after another
//   --loops N        of each pattern, 0: not said         --threads T      not said: 2 and 4
//   --iterations N   of regions that do not say it
#include "check.h"
#include "omp_decls.h"

#include <algorithm>

namespace {

constexpr int k_most_loops = 64;
constexpr int k_most_iterations = 4096;
unsigned char hits[k_most_loops][k_most_iterations];

struct Region {
  int loops = 0;
  int iterations = 0; ///< 0: those of the command line
};
struct Pattern {
  std::vector<Region> repeated;
  long periods = 0; ///< 0: all that are worth a try
  std::vector<Region> last;
};

std::string wanted;
int threads = 0;
int iterations = 40;
long long loops_wanted = 0;

/// Leaves `at` behind it.
Region read_region(const char*& at) {
  char* end = nullptr;
  Region region;
  region.loops = static_cast<int>(std::strtol(at, &end, 10));
  if (*end == ':') region.iterations = static_cast<int>(std::strtol(end + 1, &end, 10));
  at = end;
  region.loops = std::clamp(region.loops, 1, k_most_loops);
  region.iterations = std::clamp(region.iterations, 0, k_most_iterations);
  return region;
}

std::vector<Region> read_regions(const char*& at) {
  std::vector<Region> regions;
  for (;; ++at) {
    regions.push_back(read_region(at));
    if (*at != ',') return regions;
  }
}

Pattern read_pattern(const std::string& text) {
  Pattern pattern;
  const char* at = text.c_str();
  pattern.repeated = read_regions(at);
  CHECK(*at == 'x', "%s is no pattern", text.c_str());
  char* end = nullptr;
  pattern.periods = at[1] == 'P' ? 0 : std::strtol(at + 1, &end, 10);
  at = at[1] == 'P' ? at + 2 : end;
  CHECK(*at == '+', "%s is no pattern", text.c_str());
  pattern.last = read_regions(++at);
  return pattern;
}

std::string text_of(const std::vector<Region>& regions) {
  std::string text;
  for (const Region& region : regions) {
    text += (text.empty() ? "" : ",") + std::to_string(region.loops);
    if (region.iterations != 0) text += ":" + std::to_string(region.iterations);
  }
  return text;
}
std::string text_of(const Pattern& pattern) {
  return text_of(pattern.repeated) + "x" + std::to_string(pattern.periods) + "+" + text_of(pattern.last);
}

/// A region of `region.loops` loops, each counted.
void execute(const Region& region, const Pattern& pattern, long long done) {
  const int n = region.iterations != 0 ? region.iterations : iterations;
  for (int l = 0; l < region.loops; ++l) std::memset(hits[l], 0, static_cast<std::size_t>(n));
#pragma omp parallel
  for (int l = 0; l < region.loops; ++l) {
#pragma omp for schedule(runtime) nowait
    for (int i = 0; i < n; ++i) __atomic_fetch_add(&hits[l][i], 1, __ATOMIC_RELAXED);
  }
  for (int l = 0; l < region.loops; ++l)
    for (int i = 0; i < n; ++i)
      if (hits[l][i] != 1) {
        long ran = 0;
        for (int j = 0; j < n; ++j) ran += hits[l][j];
        check::fail(
            __FILE__, __LINE__, "hits[l][i] == 1",
            "after %lld loops: loop %d of %d in a region executed iteration %d of %d %d times, %ld in "
            "all: --pattern %s --threads %d --iterations %d",
            done, l + 1, region.loops, i, n, int{hits[l][i]}, ran, text_of(pattern).c_str(),
            omp_get_max_threads(), iterations);
      }
}

/// Repeats the whole pattern until `loops` loops have been executed, and twice at least: what the first lap
/// leaves is as old in the second one as it ever becomes.
void repeat(const Pattern& pattern, long long loops) {
  static char detail[256];
  std::snprintf(detail, sizeof detail, "--pattern %s --threads %d --iterations %d\n",
                text_of(pattern).c_str(), omp_get_max_threads(), iterations);
  check::settings.detail = detail;
  long long done = 0;
  const auto execute_all = [&](const std::vector<Region>& regions) {
    for (const Region& region : regions) {
      execute(region, pattern, done);
      done += region.loops;
    }
  };
  for (int lap = 0; lap < 2 || done < loops; ++lap) {
    for (long period = 0; period < pattern.periods; ++period) execute_all(pattern.repeated);
    execute_all(pattern.last);
  }
}

/// With each number of periods that may be one.
void repeat_each(Pattern pattern, long long loops) {
  if (pattern.periods != 0) return repeat(pattern, loops);
  // No mark of the library goes round in 2^10 periods or fewer; with narrower marks, round goes on from here.
  for (int bits = 1; bits <= (check::settings.thorough ? 10 : 6); ++bits)
    for (long offset = -2; offset <= 1; ++offset) {
      pattern.periods = (1L << bits) + offset;
      if (pattern.periods > 0) repeat(pattern, loops / 40);
    }
}

/// Often one whose regions together have as many loops as the ring has slots, or twice as many, because then
/// the slots that are left out are the same each time.
Pattern random_pattern(check::Random& random) {
  Pattern pattern;
  const auto up_to = [&](int most) {
    return 1 + static_cast<int>(random.below(static_cast<std::uint64_t>(most)));
  };
  const int few = random.below(2) == 0 ? up_to(4) : 0;
  if (random.below(2) == 0) {
    const int loops = 4 << random.below(3);
    pattern.repeated = {{loops, few}, {up_to(loops - 1), few}};
  } else {
    for (std::uint64_t i = 1 + random.below(3); i > 0; --i)
      pattern.repeated.push_back({up_to(random.below(4) == 0 ? 16 : 8), random.below(3) == 0 ? up_to(4) : 0});
  }
  const long power = 1L << (1 + random.below(random.below(4) == 0 ? 10 : 8));
  pattern.periods = std::max(power - 2 + static_cast<long>(random.below(4)), 1L);
  pattern.last = {{1 + static_cast<int>(random.below(24)), 0}};
  if (random.below(2) == 0) pattern.last.push_back(pattern.repeated.back());
  return pattern;
}

/// The pattern of the command line, or `text`.
void run_pattern(const char* text, long long loops) {
  const std::string name = wanted.empty() ? text : wanted;
  if (loops_wanted != 0) loops = loops_wanted;
  check::Random random(check::settings.seed);
  for (const int members : {2, 4}) {
    omp_set_num_threads(threads != 0 ? threads : members);
    if (name == "?")
      for (long long left = loops; left > 0; left -= loops / 20 + 1)
        repeat(random_pattern(random), loops / 20);
    else
      repeat_each(read_pattern(name), loops);
    if (threads != 0) return;
  }
}

long long some() { return check::repeat(6'000, 200'000); }

/// Slots that the shorter regions leave out are used again when the marks have gone round once.
void regions_of_two_lengths() {
  for (const char* text : {"4,2x255+8", "4,2x254+10", "6,3x127+16", "5,3x255+8"}) run_pattern(text, some());
}
/// The same where members have no iterations of their own, whose roots are refreshed in some uses only.
void fewer_iterations_than_members() {
  for (const char* text :
       {"8:1,1:1x127+8,1:1", "8:1,2:1x127+8,2:1", "8:1,4:1x127+8,4:1", "16:1,1:1x63+16,1:1"})
    run_pattern(text, some());
}
void periods_around_powers_of_two() {
  for (const char* text : {"4,2xP+8", "8:1,1:1xP+8,1:1"}) run_pattern(text, some());
}
void random_patterns() { run_pattern("?", check::repeat(12'000, 2'000'000)); }

} // namespace

int main(int argc, char** argv) {
  omp_set_dynamic(0);
  for (int i = 1; i + 1 < argc; ++i)
    if (std::strcmp(argv[i], "--pattern") == 0) wanted = argv[i + 1];
  threads = static_cast<int>(check::number(argc, argv, "--threads", 0));
  iterations = std::clamp(static_cast<int>(check::number(argc, argv, "--iterations", iterations)), 1,
                          k_most_iterations);
  loops_wanted = check::number(argc, argv, "--loops", 0);
  if (!wanted.empty()) return check::run(argc, argv, {{"pattern", [] { run_pattern("", 100'000); }}});
  return check::run(argc, argv,
                    {{"regions_of_two_lengths", regions_of_two_lengths},
                     {"fewer_iterations_than_members", fewer_iterations_than_members},
                     {"periods_around_powers_of_two", periods_around_powers_of_two},
                     {"random_patterns", random_patterns}});
}
