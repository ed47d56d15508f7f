// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "launch.h"
#include "options.h"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace wstree::cli {

/// Finds out from the figures that the library writes whether a run had a loop served, in any process. The
/// user's own wish for figures is kept: in a file they are read from there; figures for stderr are collected
/// in a folder of ours and shown when the run is over, those in text with the names of loops.
class Figures {
public:
  /// `wish`: value of WSTREE_STATS that is in force for the run; "" for none. Call before the program starts.
  explicit Figures(std::string_view wish);
  Figures(const Figures&) = delete;
  Figures& operator=(const Figures&) = delete;
  ~Figures();

  /// Returns the reason why figures cannot be had, as one line for the user; empty if they can.
  [[nodiscard]] const std::string& problem() const { return problem_; }
  /// Returns the value of WSTREE_STATS for the run.
  [[nodiscard]] std::string setting() const;
  /// Shows the figures that the user wanted on stderr, and removes the folder. Returns whether a loop was
  /// served. Call once, when the program has ended.
  [[nodiscard]] bool settle(const Ending& ending);
  /// Returns the reason why figures that the user wanted on stderr did not come; empty if they did. Called
  /// after settle().
  [[nodiscard]] const std::string& missing() const { return missing_; }
  /// Returns a region that was not served, and the reason; empty if the library named none. Called after
  /// settle().
  [[nodiscard]] const std::string& refusal() const { return refusal_; }
  /// Returns all reports as they were written; called instead of settle().
  [[nodiscard]] std::vector<std::string> take();

private:
  [[nodiscard]] std::string why_missing(const Ending& ending) const;
  void show(const std::vector<std::string>& reports) const;
  void make_folder();
  void remove_folder();
  [[nodiscard]] std::vector<std::filesystem::path> written() const;

  config::StatsFormat shown_ = config::StatsFormat::off; // on stderr, at the end
  config::StatsFormat format_ = config::StatsFormat::json;
  std::string pattern_;                        // the library's pattern: with %p and so on
  std::filesystem::path folder_;               // ours, or empty
  std::vector<std::filesystem::path> present_; // matched the pattern before the run
  std::string problem_;
  std::string missing_;
  std::string refusal_;
};

} // namespace wstree::cli
