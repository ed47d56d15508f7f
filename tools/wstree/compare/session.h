// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "comparison.h"
#include "names.h"
#include "support/environment.h"
#include "support/progress.h"

#include <filesystem>
#include <map>
#include <random>
#include <string>
#include <vector>

namespace wstree::cli {

struct CompareRequest;

/// Runs a program under the variants in turns.
class CompareSession {
public:
  /// `library` and `sanitizers`: files that are preloaded into served variants, in the environment that we
  /// are in.
  CompareSession(const CompareRequest& request, std::filesystem::path library,
                 std::vector<std::string> sanitizers);
  ~CompareSession();
  CompareSession(const CompareSession&) = delete;
  CompareSession& operator=(const CompareSession&) = delete;

  /// Finds out which loops there are. A line for the user if nothing can be compared, else "".
  std::string warm_up(bool llvm);
  /// See Contest::look.
  void set_look(double seconds) { comparison_.look = seconds; }
  /// Says how long that takes, and runs all rounds, or those until the user interrupts.
  Contest measure();
  /// Schedules of which the best is looked for. After warm_up().
  [[nodiscard]] std::size_t rivals() const;
  /// Runs as many rounds more, of the program as it is and of each of the ways to start it that are to be
  /// recommended, in this order.
  std::vector<Samples> check(const Contest& comparison, const std::vector<Invocation>& advice);
  /// Returns the path of a file with this text, which the session keeps for runs.
  [[nodiscard]] std::string keep(const std::string& text) const;

private:
  void run(Samples& samples, bool warm);
  void read_loops(const Variant& variant);
  void read_refused(const nlohmann::json& report);
  void run_round(std::vector<Samples>& all, std::mt19937_64& random);
  void show_progress(std::size_t round, const std::string& variant);
  [[nodiscard]] Environment environment_of(const Variant& variant) const;
  [[nodiscard]] double seconds_left(std::size_t round) const;

  const CompareRequest& request_;
  std::filesystem::path library_;
  std::vector<std::string> sanitizers_;
  std::filesystem::path folder_; // for outputs and figures
  std::vector<std::string> command_;
  double once_ = 0; // seconds of a run that does not count
  bool is_short_;   // only the variants that a baseline has
  Contest comparison_;
  std::map<std::string, std::size_t> known_loops_; // by line, or by module and offset
  names::Resolver resolver_;
  Progress progress_;
};

} // namespace wstree::cli
