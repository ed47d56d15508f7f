// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "validation.h"

#include <algorithm>
#include <fmt/format.h>
#include <sstream>

namespace wstree::validation {

namespace {

/// Lines with their numbers.
class Lines {
public:
  explicit Lines(std::istream& in) : in_(in) {}
  bool next() {
    ++number_;
    return static_cast<bool>(std::getline(in_, line_));
  }
  std::istringstream words() const { return std::istringstream(line_); }
  std::string problem(std::string_view expected) const {
    return fmt::format("line {}: '{}' is not understood (expected: {})", number_, line_.substr(0, 60),
                       expected);
  }

private:
  std::istream& in_;
  std::string line_;
  int number_ = 0;
};

double lower_quartile(std::vector<double> values) {
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 4);
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

bool read_pieces(Lines& lines, std::size_t count, LoopCosts& loop) {
  for (std::size_t i = 0; i < count; ++i) {
    double ns = 0;
    if (!lines.next() || !(lines.words() >> ns) || !(ns > 0)) return false;
    loop.pieces_ns.push_back(ns);
  }
  return true;
}

} // namespace

std::variant<Costs, std::string> read_costs(std::istream& in) {
  Costs costs;
  RuntimeCosts& runtime = costs.runtime;
  for (Lines lines(in); lines.next();) {
    auto words = lines.words();
    std::string what;
    words >> what;
    if (what == "alone") {
      words >> runtime.alone_ns;
    } else if (what == "region") {
      words >> runtime.threads >> runtime.open_ns >> runtime.late_ns >> runtime.close_ns;
    } else if (what == "calls") {
      std::string whose;
      words >> whose;
      if (whose != "library's" && whose != "runtime's") return lines.problem("calls library's or runtime's");
      CallCosts& calls = whose == "library's" ? runtime.library : runtime.own;
      words >> calls.enter_ns >> calls.next_ns;
    } else if (what == "workload") {
      LoopCosts loop;
      std::size_t pieces = 0;
      words >> loop.name >> loop.loops >> loop.iterations >> loop.start_ns >> loop.piece >> pieces;
      if (!words || loop.loops == 0 || loop.iterations == 0 || loop.piece == 0 ||
          pieces != (loop.iterations + loop.piece - 1) / loop.piece)
        return lines.problem("workload NAME LOOPS ITERATIONS START_NS ITERATIONS_PER_PIECE PIECES");
      if (!read_pieces(lines, pieces, loop)) return lines.problem("ns of a piece, above 0");
      costs.loops.push_back(std::move(loop));
    } else {
      return lines.problem("alone, region, calls or workload");
    }
    if (!words) return lines.problem(what + " and its numbers");
  }
  if (costs.loops.empty()) return "no line begins with 'workload'";
  return costs;
}

std::variant<Measured, std::string> read_samples(std::istream& in, std::uint32_t threads) {
  std::map<std::string, std::vector<double>> sequential;
  std::map<std::pair<std::string, std::string>, std::vector<double>> parallel;
  Measured measured;
  Lines lines(in);
  // The program's first two lines name the runtime and the library in its process.
  if (!lines.next() || !(lines.words() >> measured.runtime) ||
      (measured.runtime != "libomp" && measured.runtime != "libgomp"))
    return lines.problem("libomp or libgomp, and its file");
  if (std::string word; !lines.next() || !(lines.words() >> word) || word != "library")
    return lines.problem("library and its version");
  while (lines.next()) {
    std::string workload, candidate;
    double ratio = 0, ms = 0;
    if (!(lines.words() >> workload >> candidate >> ratio >> ms) || !(ratio > 0) || !(ms > 0))
      return lines.problem("WORKLOAD SCHEDULE RATIO SEQUENTIAL_MS");
    sequential[workload].push_back(ms * 1e6);
    parallel[{workload, candidate}].push_back(ratio * ms * 1e6 / threads);
  }
  if (parallel.empty()) return "there are no samples";
  for (auto& [workload, values] : sequential)
    measured.sequential[workload] = lower_quartile(std::move(values));
  for (auto& [key, values] : parallel) measured.parallel[key] = lower_quartile(std::move(values));
  return measured;
}

} // namespace wstree::validation
