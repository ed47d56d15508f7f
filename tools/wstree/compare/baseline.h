// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Times of earlier days, to compare with: files of `--save FILE` and `--export json=FILE`.
#pragma once

#include "comparison.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace wstree::cli {

/// Slowdown of a program without an alarm, in percent, unless the user sets another one.
inline constexpr double k_usual_tolerance = 2;

/// One earlier comparison.
struct EarlierTimes {
  std::string program;
  std::optional<std::vector<std::string>> arguments; ///< older files have none
  std::string host;
  std::map<std::string, std::vector<double>> variants; ///< seconds by name
  std::map<std::string, std::vector<double>> loops;    ///< seconds under the tree by name
  std::vector<double> countdown;                       ///< Contest's countdown
};

struct Baseline {
  std::string problem; ///< why there is none, for the user; "": there is one
  std::vector<EarlierTimes> sessions;
};
Baseline read_baseline(const std::string& file);

/// Says which session is of a program of another name; "" if none is.
std::string other_program(const Baseline& baseline, const std::string& program);
/// Describes the session with other arguments, likewise; they may be names of files that change.
std::string other_arguments(const Baseline& baseline, const std::vector<std::string>& arguments);

/// Returns the content for `--save`: the comparison, and with it those that `file` has already, the
/// newest first.
std::string baseline_json(const std::string& file, const std::string& comparison);

/// The change of a variant or a loop since the baseline.
struct Change {
  std::string name;
  double before = 0, now = 0; ///< medians
  Ratio ratio;                ///< now in units of before
  bool is_slower = false;     ///< beyond doubt and beyond the tolerance
};

struct Changes {
  std::vector<Change> variants; ///< the program as it is, and under the tree
  std::vector<Change> loops;    ///< loops of which a change can be seen
  Ratio processor;              ///< the command's own piece of work now in units of before
  std::string other_host;       ///< host of the baseline, if it is not this one

  /// Returns whether a variant is slower. The loops only show where.
  [[nodiscard]] bool is_slower() const;
};

/// Returns the changes since the baseline. A slowdown counts if it is surely larger than `tolerance` percent
/// in comparison with each session of the baseline, and also if the processor, which may be slower than at
/// that time, is allowed for.
Changes changes_since(const Baseline& baseline, const Contest& comparison, double tolerance);

std::string changes_text(const Changes& changes, const std::string& file, double tolerance);

/// Returns the name of this machine.
std::string host_name();

} // namespace wstree::cli
