// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// The types that programs hold in their hands beside those of oneTBB: the work-stealing queue, and the
/// thread pool.
#include "measure/json.h"
#include "measure/measure.h"
#include "measure/options.h"
#include "rows.h"
#include <cstdio>

#if defined(WSTREE_BENCH_PEER_TBB)
#include <oneapi/tbb/global_control.h>
#endif

namespace {

using namespace bench;

struct Options {
  std::string json, only;
  int rounds = 5, threads = omp_get_num_procs();
  double scale = 1;
};

/// Measures one row and prints it. Returns whether all results were right.
bool measure(const Row& row, const Options& options, Json& json) {
  std::vector<std::vector<double>> ns(row.peers.size());
  bool right = true;
  for (int round = 0; round <= options.rounds; ++round)
    for (std::size_t k = 0; k < row.peers.size(); ++k) {
      const std::size_t peer = (k + static_cast<std::size_t>(round)) % row.peers.size();
      const double start = now_ns();
      right = row.peers[peer].run() == row.expected && right;
      if (round != 0) ns[peer].push_back((now_ns() - start) / static_cast<double>(row.operations));
    }
  Json figures;
  std::printf("%-28s", row.name.c_str());
  double best_other = 0;
  for (std::size_t k = 0; k < row.peers.size(); ++k) {
    const double value = median(ns[k]);
    figures[row.peers[k].name] = rounded(value, 2);
    std::printf(" %s %.1f ns", row.peers[k].name.c_str(), value);
    if (k != 0 && (best_other == 0 || value < best_other)) best_other = value;
  }
  const double ours = median(ns[0]);
  const double ratio = best_other != 0 ? ours / best_other : 0;
  if (row.most_ns != 0) std::printf("; wanted %.0f ns%s", row.most_ns, ours <= row.most_ns ? "" : "  NO");
  if (row.most_ratio != 0 && ratio != 0)
    std::printf("; %.2f of the best other, wanted %.2f%s", ratio, row.most_ratio,
                ratio <= row.most_ratio ? "" : "  NO");
  std::printf("%s\n", right ? "" : "  WRONG RESULT");
  json["types"].push_back(
      {{"name", row.name}, {"ns", figures}, {"beside", rounded(ratio, 3)}, {"right", right}});
  return right;
}

} // namespace

int main(int argc, char** argv) {
  Options options;
  OptionList list("Measures the work-stealing queue and the thread pool beside others.");
  list.count("--rounds", options.rounds, 1, "Samples of each value");
  list.count("--threads", options.threads, 1, "Threads of a pool");
  list.number("--scale", options.scale, 1e-6, "Operations; 1 is what is reported");
  list.text("--only", options.only, "One row");
  list.text("--json", options.json, "File for the figures");
  list.parse(argc, argv);
  Json json{{"threads", options.threads}, {"rounds", options.rounds}, {"types", Json::array()}};
  std::printf("%d threads in a pool, beside the producers; medians of %d, ns for each operation\n",
              options.threads, options.rounds);
#if defined(WSTREE_BENCH_PEER_TBB)
  const tbb::global_control control(tbb::global_control::max_allowed_parallelism,
                                    static_cast<std::size_t>(options.threads));
#else
  std::printf("without oneTBB\n");
#endif
  wstree::thread_pool pool(static_cast<std::uint32_t>(options.threads));
  std::vector<Row> rows;
  add_queue_rows(rows, options.scale);
  add_pool_rows(rows, pool, options.scale);
  bool right = true;
  for (const Row& row : rows)
    if (options.only.empty() || options.only == row.name) right = measure(row, options, json) && right;
  return bench::write(options.json, json) && right ? 0 : 1;
}
