// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace wstree::cli {

enum class Status {
  ok,
  note, ///< worth knowing, nothing to do
  warn, ///< costs time or leaves loops unserved
  fail  ///< keeps the library from working
};
std::string_view to_text(Status status);

/// One line of `wstree doctor`.
struct Check {
  std::string name;
  Status status = Status::ok;
  std::string found;      ///< state that was found
  std::string cause = {}; ///< meaning of that; not empty for warn and fail
  std::string fix = {};   ///< remedy; not empty for warn and fail
};
using Checks = std::vector<Check>;

/// Returns the lines of one check for people, aligned with those of other checks. `width`: of the window;
/// 0: any.
std::string to_text(const Check& check, std::size_t width = 0);
/// Returns 0: all fine, 1: a warning, 2: a failure.
int exit_status(const Checks& checks);
/// Returns the whole report as JSON, with a newline at its end.
std::string to_json(const Checks& checks);

/// Collects checks and prints them on standard output: as text one by one, so that they stand before the
/// output of a program that is started later; as JSON when it is finished.
class Report {
public:
  explicit Report(bool json) : json_(json) {}

  void add(Check check);
  void add(Checks checks);
  /// Writes everything so far to standard output.
  void flush() const;
  /// Returns the exit status.
  [[nodiscard]] int finish() const;
  [[nodiscard]] bool has_failed() const { return exit_status(checks_) == 2; }

private:
  bool json_;
  Checks checks_;
};

} // namespace wstree::cli
