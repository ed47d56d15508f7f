// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Starts real processes with a clean environment, with and without the library, and says what they did.
#pragma once

#include "folder.h"

namespace wstree::test {

struct Outcome {
  int status = -1; ///< exit status; -1 if a signal ended it
  int signal = 0;
  std::string out, err;
  long peak_kib = 0; ///< most memory that it had at once

  [[nodiscard]] bool succeeded() const { return status == 0; }
  /// Everything that a failure message needs.
  [[nodiscard]] std::string text() const;
};

/// What Outcome::text() is where a program succeeds and says nothing on stderr.
inline std::string silent(const std::string& out) {
  return "status 0, signal 0\nstdout:\n" + out + "stderr:\n";
}

/// A program to be run. The environment is a PATH, four OpenMP threads that sleep when they wait,
/// and what is added.
class Program {
public:
  /// `name` is one of the test programs, or a path if it contains a slash.
  explicit Program(std::string_view name, std::vector<std::string> arguments = {});

  Program& set(const std::string& variable, const std::string& value);
  Program& libomp(std::string_view build); ///< one of libomp_builds(); default_libomp() unless said otherwise
  Program& preload(std::string_view more = ""); ///< the library, and behind it `more`
  Program& closed(int descriptor);              ///< 0, 1 or 2: the program starts without it
  Program& user(unsigned id);                   ///< runs as this user and group; for root only

  [[nodiscard]] Outcome run() const;

private:
  std::vector<std::string> command_;
  std::map<std::string, std::string> environment_;
  std::vector<int> closed_;
  std::optional<unsigned> user_;
};

/// Program(name) with the library preloaded and OMP_SCHEDULE=wstree.
Program with_tree(std::string_view name, std::vector<std::string> arguments = {});

/// Builds of libomp on this machine, and the one that tests run on which do not care.
const std::vector<std::string>& libomp_builds();
std::string default_libomp();

/// Whether all variants are tried, for which tests need minutes (label long).
bool wide();

std::string program_path(std::string_view name);
std::string library_path();

std::vector<std::string> lines_of(const std::string& text);
inline std::string contents_of(const std::filesystem::path& path) { return contents(path); }

/// The words behind "`name` " in the line of `text` that begins so; empty if there is none.
std::string fact(const std::string& text, std::string_view name);

/// Calls of served loops, added up over the figures of `program` and of the processes that it starts.
int served_calls(Program program);

/// Runs `program`, which does not have the library yet, without it and with it under the same schedule, and
/// with it under the tree. Expects the same outputs and the same end of all three, and at least `calls`
/// served ones of the third.
void expect_unnoticed(const Program& program, int calls);

} // namespace wstree::test
