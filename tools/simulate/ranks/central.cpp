// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "clock.h"
#include "rank_loops.h"
#include "remote_words.h"
#include "team_time.h"

#include <algorithm>
#include <cstdint>

namespace wstree::simulate {

namespace {

constexpr Time k_patient = ~Time{0};

/// Chunks in the order in which the counter hands them out.
class Chunks {
public:
  Chunks(std::uint64_t iterations, std::uint64_t ranks, Rule rule, std::uint64_t chunks)
      : left_(iterations), ranks_(ranks), rule_(rule),
        fixed_(std::max<std::uint64_t>(iterations / (ranks * chunks), 1)),
        first_(std::max<std::uint64_t>(iterations / (2 * ranks), 1)) {
    const std::uint64_t steps = 2 * iterations / (first_ + 1) + 1;
    fall_ = steps > 1 ? static_cast<double>(first_ - 1) / static_cast<double>(steps - 1) : 0;
  }
  std::uint64_t next() {
    const std::uint64_t step = step_++;
    std::uint64_t size = fixed_;
    switch (rule_) {
    case Rule::guided:
      size = (left_ + ranks_ - 1) / ranks_;
      break;
    case Rule::factoring:
      if (step % ranks_ == 0) batch_ = (left_ + 2 * ranks_ - 1) / (2 * ranks_);
      size = batch_;
      break;
    case Rule::trapezoid:
      size = static_cast<std::uint64_t>(
          std::max(1.0, static_cast<double>(first_) - fall_ * static_cast<double>(step)));
      break;
    case Rule::equal:
    case Rule::fixed:
      break;
    }
    size = std::min(std::max<std::uint64_t>(size, 1), left_);
    left_ -= size;
    return size;
  }

private:
  std::uint64_t left_, ranks_;
  Rule rule_;
  std::uint64_t fixed_, first_;
  double fall_ = 0;
  std::uint64_t step_ = 0, batch_ = 1;
};

} // namespace

Time central_time(const Workload& workload, const Cluster& cluster, Rule rule, std::uint64_t chunks) {
  const std::uint64_t n = workload.iterations();
  Time last = 0;
  if (rule == Rule::equal) {
    TeamTime team(workload, cluster.threads);
    for (std::uint64_t rank = 0; rank < cluster.ranks; ++rank)
      last = std::max(last,
                      team.execute(n * rank / cluster.ranks, n * (rank + 1) / cluster.ranks, k_patient).time);
    return last;
  }
  Chunks sizes(n, cluster.ranks, rule, chunks);
  RemoteWord counter;
  VirtualClock clock;
  for (std::uint32_t rank = 0; rank < cluster.ranks; ++rank)
    clock.start(rank, 0, [&] {
      TeamTime team(workload, cluster.threads);
      for (;;) {
        std::uint64_t end = 0;
        const std::uint64_t begin =
            counter.operate(cluster.network, [&](std::uint64_t& value) { end = value += sizes.next(); });
        if (begin == end) break;
        VirtualClock::running->pass(team.execute(begin, end, k_patient).time);
      }
      last = std::max<Time>(last, VirtualClock::now);
    });
  clock.run([](std::uint32_t) {});
  return last;
}

} // namespace wstree::simulate
