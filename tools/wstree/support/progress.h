// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "terminal.h"

#include <chrono>
#include <mutex>
#include <optional>
#include <string>

namespace wstree::cli {

/// Returns a text such as "12 s" or "3:07 min".
std::string wait_text(double seconds);

/// A line on stderr with the progress of a command and the time that the rest will take: on a terminal only,
/// and not before the command has taken a second. The line goes away with the object. Any thread may show.
class Progress {
public:
  explicit Progress(Terminal terminal = terminal_of(stderr)) : terminal_(terminal) {}
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress() { clear(); }

  /// Shows the progress. `left`: seconds.
  void show(const std::string& text, std::optional<double> left = std::nullopt);
  /// Shows that `done` of the work, from 0 to 1, is done: the rest takes as long in proportion.
  void show_part(const std::string& text, double done);
  /// Prints a line that stays, for commands whose programs write to the terminal themselves.
  void note(const std::string& text, std::optional<double> left = std::nullopt) const;
  void clear();

private:
  using Clock = std::chrono::steady_clock;
  [[nodiscard]] double seconds() const;

  Terminal terminal_;
  Clock::time_point start_ = Clock::now();
  Clock::time_point shown_{};
  bool is_shown_ = false;
  std::mutex mutex_;
};

} // namespace wstree::cli
