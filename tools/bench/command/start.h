// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Starting programs that measure, and keeping their output.
#pragma once

#include "support/environment.h"

#include <filesystem>
#include <string>
#include <thread>
#include <vector>

namespace wstree::cli::bench {

/// While it lives, all that this process and its children print to standard output also goes to a file.
class Transcript {
public:
  explicit Transcript(const std::filesystem::path& file);
  Transcript(const Transcript&) = delete;
  Transcript& operator=(const Transcript&) = delete;
  ~Transcript();

  /// Returns the error number of the system if there is no transcript; 0 if all is well.
  [[nodiscard]] int error() const { return error_; }

private:
  void copy(int from, int to_file) const;

  int error_ = 0;
  int output_ = -1; ///< descriptor of standard output before
  std::thread copier_;
};

struct Command {
  std::vector<std::string> arguments; ///< the program first
  Environment environment;
  std::filesystem::path output = {}; ///< file of standard output; empty: ours
};

/// Starts it and waits. Returns "" if it ended with status 0, else the reason.
std::string run_to_end(Command& command);
/// Returns whether a command has died of a signal that was meant for all of us, such as that of Ctrl-C.
bool interrupted();

} // namespace wstree::cli::bench
