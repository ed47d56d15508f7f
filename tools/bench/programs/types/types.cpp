// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// The types that programs hold in their hands beside those of oneTBB: the work-stealing queue, and the
/// thread pool.
#include "measure/measure.h"
#include "measure/options.h"
#include "rows.h"
#include <cstdio>

#if defined(WSTREE_BENCH_PEER_TBB)
#include <oneapi/tbb/global_control.h>
#endif

namespace {

using namespace bench;

/// Measures one row. Returns whether all results were right.
bool measure(const Row& row, int rounds, Report& report, Table& table) {
  std::vector<std::vector<double>> ns(row.peers.size());
  bool right = true;
  for (int round = 0; round <= rounds; ++round)
    for (std::size_t k = 0; k < row.peers.size(); ++k) {
      const std::size_t peer = (k + static_cast<std::size_t>(round)) % row.peers.size();
      const double start = now_ns();
      right = row.peers[peer].run() == row.expected && right;
      if (round != 0) ns[peer].push_back((now_ns() - start) / static_cast<double>(row.operations));
    }
  double best_other = 0;
  for (std::size_t k = 0; k < row.peers.size(); ++k) {
    const double value = median(ns[k]);
    table.at(row.name, row.peers[k].name) = sample(ns[k]);
    if (k != 0 && (best_other == 0 || value < best_other)) best_other = value;
  }
  if (row.most_ns != 0) report.verdict(row.name + ": ns", row.most_ns).add("wstree", median(ns[0]));
  if (row.most_ratio != 0 && best_other != 0)
    report.verdict("wstree / best other", row.most_ratio).add(row.name, median(ns[0]) / best_other);
  if (!right) std::fprintf(stderr, "bench: %s: the result is wrong\n", row.name.c_str());
  return right;
}

} // namespace

int main(int argc, char** argv) {
  Common common;
  OptionList list("Measures the work-stealing queue and the thread pool beside others.", common,
                  "rounds threads scale only");
  list.parse(argc, argv);
  Report report(common.threads, common.rounds);
  std::printf("%d threads in a pool, beside the producers; medians of %d, ns for each operation%s\n\n",
              common.threads, common.rounds,
#if defined(WSTREE_BENCH_PEER_TBB)
              "");
  const tbb::global_control control(tbb::global_control::max_allowed_parallelism,
                                    static_cast<std::size_t>(common.threads));
#else
              "; without oneTBB");
#endif
  wstree::thread_pool pool(static_cast<std::uint32_t>(common.threads));
  std::vector<Row> rows;
  add_queue_rows(rows, common.scale);
  add_pool_rows(rows, pool, common.scale);
  Table& table = report.table("operation", "ns");
  bool right = true;
  for (const Row& row : rows)
    if (common.only.empty() || common.only == row.name)
      right = measure(row, common.rounds, report, table) && right;
  table.print();
  report.print_verdicts();
  return report.write(common.json) && right ? 0 : 1;
}
