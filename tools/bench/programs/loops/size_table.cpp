// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report.h"
#include <algorithm>
#include <cmath>

namespace bench {
namespace {

struct Size {
  const char* suffix; ///< of the workload's name
  const char* text;
};
constexpr Size k_sizes[] = {{"/16", "16"},
                            {"/1k", "1,000"},
                            {"/100k", "100,000"},
                            {"/10M", "10,000,000"},
                            {"/16/1ms", "16, 1 ms"},
                            {"/1k/1ms", "1,000, 1 ms"},
                            {"/100k/1ms", "100,000, 1 ms"},
                            {"/16/100us", "16, 100 us"},
                            {"/1k/100us", "1,000, 100 us"},
                            {"/16/20us", "16, 20 us"},
                            {"/1k/20us", "1,000, 20 us"}};

bool counts(const Row& row, const Size& size) {
  if (row.info.group != Group::paper && row.info.group != Group::small) return false;
  // One of 16 iterations with nearly all of the work says nothing on a schedule.
  if (row.info.name.starts_with("RANDIF/16")) return false;
  const std::size_t slash = row.info.name.find('/');
  return slash != row.info.name.npos && row.info.name.compare(slash, row.info.name.npos, size.suffix) == 0;
}

} // namespace

void print_sizes(std::FILE* out, const std::vector<Row>& rows, const std::vector<Candidate>& candidates) {
  const auto any = [&](const Size& size) {
    return std::any_of(rows.begin(), rows.end(), [&](const Row& row) { return counts(row, size); });
  };
  if (std::none_of(std::begin(k_sizes), std::end(k_sizes), any)) return;
  std::fprintf(out,
               "\nGeometric mean / worst of time / ideal by number of iterations (paper's workloads, without "
               "RANDIF/16):\n%-14s",
               "iterations");
  for (const Candidate& candidate : candidates) std::fprintf(out, " %13s", candidate.name.c_str());
  std::fprintf(out, "\n");
  for (const Size& size : k_sizes) {
    if (!any(size)) continue;
    std::fprintf(out, "%-14s", size.text);
    for (std::size_t c = 0; c < candidates.size(); ++c) {
      double sum = 0, worst = 0;
      int count = 0;
      for (const Row& row : rows) {
        if (!counts(row, size)) continue;
        const auto value = row.value(c);
        if (!value) continue;
        sum += std::log(*value / row.ideal);
        worst = std::max(worst, *value / row.ideal);
        ++count;
      }
      if (count)
        std::fprintf(out, " %5.2f / %5.2f", std::exp(sum / count), worst);
      else
        std::fprintf(out, " %13s", "-");
    }
    std::fprintf(out, "\n");
  }
}

} // namespace bench
