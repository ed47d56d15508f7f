// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "recorded.h"

#include "support/text_file.h"
#include "support/user_text.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <numeric>
#include <sstream>
#include <utility>

namespace wstree::cli {

namespace {

using simulate::k_ns;
using simulate::RecordedExecution;
using simulate::RecordedLoop;
using simulate::Stretch;
using simulate::Time;

constexpr std::size_t k_most_loops = 4;
constexpr double k_longest_ns = 1e15; // more than a week; a sum of Time holds it

double work_of(const RecordedExecution& execution) {
  return std::accumulate(execution.pieces.begin(), execution.pieces.end(), 0.0,
                         [](double sum, const simulate::Piece& piece) { return sum + piece.ns; });
}

const RecordedExecution& median_execution(const RecordedLoop& loop) {
  std::vector<std::pair<double, const RecordedExecution*>> order;
  for (const auto& execution : loop.executions) order.emplace_back(work_of(execution), &execution);
  // Equal work: in the order in which they stand in the loop.
  std::ranges::sort(order);
  return *order[(order.size() - 1) / 2].second;
}

Time time_from(double ns) { return static_cast<Time>(std::llround(std::max(ns, 0.0) * k_ns)); }

/// "wstree,4 (dynamic)": a loop with schedule(dynamic) in the source was served with wstree, in chunks of
/// its own.
struct Recorded {
  std::string schedule, clause;
};
Recorded recorded_with(const std::string& text) {
  const auto open = text.find(" (");
  if (open == std::string::npos || !text.ends_with(')')) return {text, ""};
  const auto schedule = text.substr(0, open);
  const auto comma = schedule.find(',');
  const auto chunk = comma == std::string::npos ? "" : schedule.substr(comma);
  return {schedule, text.substr(open + 2, text.size() - open - 3) + chunk};
}

/// Stretches of chunks, each as long as its iterations.
std::vector<Stretch> in_chunks(const std::vector<Stretch>& stretches, std::uint64_t chunk) {
  std::vector<Stretch> chunks;
  std::uint64_t missing = chunk; // iterations until the chunk is full
  Time cost = 0;                 // cost of the chunk's iterations so far
  for (auto rest : stretches) {
    while (rest.iterations != 0) {
      if (missing == chunk && rest.iterations >= chunk) {
        const auto whole = rest.iterations / chunk;
        const auto part =
            static_cast<Time>(static_cast<double>(rest.cost) * static_cast<double>(whole * chunk) /
                              static_cast<double>(rest.iterations));
        chunks.push_back({whole, part});
        rest = {rest.iterations - whole * chunk, rest.cost - part};
        continue;
      }
      const auto taken = std::min(missing, rest.iterations);
      const auto part = static_cast<Time>(static_cast<double>(rest.cost) * static_cast<double>(taken) /
                                          static_cast<double>(rest.iterations));
      cost += part;
      missing -= taken;
      rest = {rest.iterations - taken, rest.cost - part};
      if (missing != 0) continue;
      chunks.push_back({1, cost});
      missing = chunk;
      cost = 0;
    }
  }
  if (missing != chunk) chunks.push_back({1, cost});
  return chunks;
}

std::optional<std::string> take_loop(const RecordedLoop& loop, std::size_t number, Plan& plan) {
  const auto& execution = median_execution(loop);
  if (!(work_of(execution) <= k_longest_ns))
    return fmt::format("--profile {}: loop {} lasts longer than can be simulated", plan.profile, number);
  std::vector<Stretch> stretches;
  for (const auto& piece : execution.pieces)
    if (piece.end > piece.begin) stretches.push_back({piece.end - piece.begin, time_from(piece.ns)});
  plan.workloads.emplace_back(loop.name, stretches);
  auto with = recorded_with(loop.schedule);
  if (loop.chunk > 1 && !with.clause.empty())
    with.clause = fmt::format("{},{}", with.clause.substr(0, with.clause.find(',')), loop.chunk);
  plan.recordings.push_back({number, with.schedule, with.clause, execution.members, loop.executions_seen,
                             loop.executions.size(), time_from(execution.elapsed_ns), loop.chunk});
  if (loop.chunk > 1) plan.recordings.back().chunks.emplace(loop.name, in_chunks(stretches, loop.chunk));
  return std::nullopt;
}

std::vector<std::size_t> chosen(const std::vector<RecordedLoop>& loops,
                                const std::optional<std::string>& wanted) {
  std::vector<std::size_t> numbers;
  if (!wanted) {
    for (std::size_t i = 0; i < std::min(loops.size(), k_most_loops); ++i) numbers.push_back(i);
    return numbers;
  }
  if (const auto number = whole_number(*wanted)) {
    if (*number >= 1 && *number <= loops.size()) numbers.push_back(static_cast<std::size_t>(*number) - 1);
    return numbers;
  }
  for (std::size_t i = 0; i < loops.size(); ++i)
    if (loops[i].name.find(*wanted) != std::string::npos) numbers.push_back(i);
  return numbers;
}

} // namespace

std::variant<std::vector<RecordedLoop>, std::string> read_recorded(const std::string& path) {
  auto text = read_text(path);
  if (!text) return fmt::format("--profile {} cannot be read: {}", path, std::strerror(errno));
  std::istringstream file(std::move(*text));
  auto loops = simulate::read_profile(file);
  if (const auto* const problem = std::get_if<std::string>(&loops))
    return fmt::format("--profile {}: {}", path, *problem);
  return loops;
}

std::optional<std::string> take_recorded(const std::vector<RecordedLoop>& loops,
                                         const std::optional<std::string>& wanted, Plan& plan) {
  if (loops.empty()) return fmt::format("--profile {}: there is no loop in it", plan.profile);
  const auto numbers = chosen(loops, wanted);
  if (numbers.empty())
    return fmt::format(
        "--loop '{}' is not in {} (accepted: a number from 1 to {}, or a part of a name, such as {})",
        *wanted, plan.profile, loops.size(), loops.front().name);
  plan.recorded = loops.size();
  double all = 0;
  double taken = 0;
  for (const auto& loop : loops) all += loop.total_ns;
  for (const auto number : numbers) {
    if (auto problem = take_loop(loops[number], number + 1, plan)) return problem;
    taken += loops[number].total_ns;
  }
  plan.covered = all > 0 ? taken / all : 1;
  return std::nullopt;
}

} // namespace wstree::cli
