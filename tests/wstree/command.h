// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <vector>

namespace wstree::test {

/// How a command is started. The environment is this one and nothing else; by default it names the stand-in
/// for the library and a PATH.
struct Start {
  std::vector<std::string> arguments = {}; ///< behind the executable
  std::map<std::string, std::string> environment = default_environment();
  std::filesystem::path executable = WSTREE_CLI;
  std::filesystem::path folder = {}; ///< to run in; empty: this one
  std::optional<uid_t> user = {};    ///< to run as, with the group of the same number; needs root

  static std::map<std::string, std::string> default_environment();
};

struct Result {
  int wait_status = 0;
  std::string out, err;

  /// Exit status; -1 if it died by a signal.
  [[nodiscard]] int status() const;
  /// Signal that it died of; 0 if it exited.
  [[nodiscard]] int signal() const;
  /// What stands behind `word` and a blank in lines of the output that begin so.
  [[nodiscard]] std::vector<std::string> facts(std::string_view word) const;
  /// The value of a variable that the program saw; nothing if it was not set.
  [[nodiscard]] std::optional<std::string> variable(std::string_view name) const;
};

/// A running command with its output and errors in pipes and nothing to read. Killed by the destructor.
class Command {
public:
  explicit Command(const Start& start);
  Command(const Command&) = delete;
  Command& operator=(const Command&) = delete;
  ~Command();

  [[nodiscard]] pid_t pid() const { return pid_; }
  /// Waits for the next complete line of the output.
  std::string read_line();
  /// Waits until the process has stopped or ended; true if it has stopped.
  bool wait_for_stop();
  /// Reads both pipes to their ends, that is until all processes that inherited them are gone. Waits for the
  /// process of the command.
  Result finish();

private:
  pid_t pid_ = -1;
  int out_ = -1;
  int err_ = -1;
  std::string unread_;
  std::optional<int> wait_status_;
};

/// Starts and finishes.
Result run(const Start& start);
/// `wstree ARGUMENTS` with the default environment.
Result wstree(std::vector<std::string> arguments);
/// The same with the library of the build tree in place of the stand-in, two OpenMP threads,
/// and `more` variables.
Result run_with_real_library(std::vector<std::string> arguments,
                             const std::map<std::string, std::string>& more);

/// One of the programs in targets/.
std::string target(std::string_view name);

/// A folder that exists as long as the object does. All users may look into it.
class TemporaryFolder {
public:
  TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder();

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  /// Writes a file and returns its path.
  std::string write(std::string_view name, std::string_view contents,
                    std::filesystem::perms permissions) const;

  /// A folder in it that all users may write to. Executables of a coverage build that run as another user put
  /// their counts there (GCOV_PREFIX) instead of complaining.
  [[nodiscard]] std::string open_to_all() const;

private:
  std::filesystem::path path_;
};

inline constexpr auto k_executable = std::filesystem::perms{0755};
inline constexpr auto k_data = std::filesystem::perms{0644};

std::string contents(const std::filesystem::path& path);

} // namespace wstree::test
