// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// The C++ library of this project beside other libraries of parallel algorithms, in one process: in every
/// round all of them in random order, each between two passes of the plain loop, and with pauses in which the
/// threads of the previous library fall asleep. Wrong results of ours end the program with status 1; those of
/// others are marked.
#include "load.h"
#include "measure/measure.h"
#include "measure/options.h"
#include "report.h"
#include "rows.h"
#include <algorithm>
#include <cstdio>
#include <random>
#include <regex>
#include <unistd.h>

namespace {

using namespace bench;

struct Options {
  Common common;
  std::string peers, throw_in;
  int passes = 3, tries = 100, load = 0, calls = 1000;
  double pause_ms = 8;
};

void parse(int argc, char** argv, Options& options) {
  OptionList list("Measures the C++ library beside other libraries of parallel algorithms.", options.common,
                  "rounds threads scale");
  list.count("--passes", options.passes, 1, "Passes of a sample, of which the median counts");
  list.count("--tries", options.tries, 0, "How often each property is tried; 0: not at all");
  list.number("--pause-ms", options.pause_ms, 0, "Pause between two samples");
  list.text("--only", options.common.only, "Regular expression for rows");
  list.text("--peers", options.peers, "Regular expression for libraries");
  list.count("--load", options.load, 0, "Measures nothing but calls beside so many busy threads");
  list.count("--calls", options.calls, 1, "Calls in a round beside busy threads");
  list.hidden("--throw-in", options.throw_in);
  list.parse(argc, argv);
}

class Session {
public:
  Session(const Options& options, std::vector<Peer> peers)
      : options_(options), peers_(std::move(peers)), figures_{options.common.threads, options.common.rounds} {
    for (const Peer& peer : peers_) figures_.peers.emplace_back(peer.name);
  }

  /// Measures a row. Returns false if a result of ours was wrong.
  bool measure(const RowRecipe& recipe) {
    const Row row = recipe.make();
    MeasuredRow& measured = figures_.rows.emplace_back(MeasuredRow{row.name, row.is_long});
    const Bound plain = row.bind(sequential_peer());
    std::vector<Bound> bounds;
    for (const Peer& peer : peers_) bounds.push_back(row.bind(peer));
    std::vector<std::size_t> order(peers_.size());
    for (std::size_t k = 0; k < order.size(); ++k) order[k] = k;
    bool right = true;
    for (int round = 0; round < options_.common.rounds; ++round) {
      std::ranges::shuffle(order, random_);
      for (const std::size_t k : order) {
        if (!bounds[k].run) continue;
        Samples& samples = measured.samples[peers_[k].name];
        if (round > 0 && is_slow(samples)) continue;
        with_threads(row.one_thread ? 1 : options_.common.threads,
                     [&] { take_sample(row, plain, bounds[k], measured, samples); });
        right = right && (!samples.wrong || k != 0);
      }
    }
    if (!right) std::fprintf(stderr, "bench: %s: the result is wrong\n", row.name.c_str());
    return right;
  }

  void try_out() {
    if (options_.tries > 0) figures_.properties = try_properties(peers_, options_.tries);
  }
  const ApiFigures& figures() const { return figures_; }

private:
  /// Returns whether one sample is enough, because the peer is so slow.
  static bool is_slow(const Samples& samples) { return !samples.ratios.empty() && samples.ratios[0] > 50; }

  static double time_us(const Bound& bound, int calls) {
    if (bound.prepare) bound.prepare();
    const double start = now_ns();
    for (int k = 0; k < calls; ++k) bound.run();
    return (now_ns() - start) / 1e3 / calls;
  }

  void take_sample(const Row& row, const Bound& plain, const Bound& bound, MeasuredRow& measured,
                   Samples& samples) {
    const double began = now_ns();
    time_us(bound, 1);
    const double first = time_us(bound, 1), before = time_us(plain, row.calls);
    // A candidate that takes a thousand times as long needs no more than a few calls to show it.
    const int calls =
        std::clamp(static_cast<int>(row.calls * std::min(1.0, 20 * before / first)), 1, row.calls);
    std::vector<double> us;
    for (int k = 0; k < options_.passes; ++k) us.push_back(time_us(bound, calls));
    if (!bound.is_right()) samples.wrong = true;
    const double after = time_us(plain, row.calls), sequential = (before + after) / 2;
    measured.sequential_us.push_back(sequential);
    samples.us.push_back(median(us));
    const int threads = row.to_one || row.one_thread ? 1 : options_.common.threads;
    samples.ratios.push_back(median(us) * threads / sequential);
    // With real-time priority the kernel takes 5 % of each second back, in the middle of a pass if it is not
    // given before.
    const double spent_us = (now_ns() - began) / 1e3;
    usleep(static_cast<useconds_t>(std::max(options_.pause_ms * 1e3, spent_us * 0.1)));
  }

  const Options& options_;
  std::vector<Peer> peers_;
  ApiFigures figures_;
  std::mt19937_64 random_{1};
};

} // namespace

int main(int argc, char** argv) {
  Options options;
  parse(argc, argv, options);
  if (!options.throw_in.empty()) return throw_in(options.throw_in);
  if (options.load > 0) {
    Report report(options.common.threads, options.common.rounds);
    const bool right = measure_beside_load(options.load, options.common.rounds, options.calls, report);
    report.print_verdicts();
    return report.write(options.common.json) && right ? 0 : 1;
  }
  std::vector<Peer> peers = all_peers();
  std::erase_if(peers, [&](const Peer& peer) {
    return peer.name != peers[0].name && !std::regex_search(peer.name, std::regex(options.peers));
  });
  for (const char* missing : missing_peers()) std::printf("not found when this was built: %s\n", missing);
  Session session(options, std::move(peers));
  bool right = true;
  for (const RowRecipe& recipe : all_rows(options.common.scale))
    if (std::regex_search(recipe.name, std::regex(options.common.only)))
      right = session.measure(recipe) && right;
  session.try_out();
  Report report(options.common.threads, options.common.rounds);
  show(session.figures(), report);
  return report.write(options.common.json) && right ? 0 : 1;
}
