// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The command line of the programs.
#pragma once

#include "omp_calls.h"
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace bench {

/// Ends the program with the message `text`, for a wrong command line.
[[noreturn]] void refuse(const std::string& text);

/// Options of most programs.
struct Common {
  std::string library, json, only;
  std::string child; ///< the measurement of this process, for the process that has started it
  int rounds = 5, threads = omp_get_num_procs();
  double max_delay = 0.02, scale = 1;
  std::vector<std::string> again{}; ///< these options for a process of the same program
};

/// CLI11 behind a wall, so that it is compiled once and not for each runtime. The value of a variable before
/// parse() is its default.
class OptionList {
public:
  explicit OptionList(const char* description);
  /// `names`: the common options that the program has, separated by blanks.
  OptionList(const char* description, Common& common, const std::string& names);
  ~OptionList();

  void text(const char* name, std::string& value, const char* help);
  /// Adds an option that may come several times.
  void texts(const char* name, std::vector<std::string>& values, const char* help);
  void count(const char* name, int& value, int least, const char* help);
  void count(const char* name, std::uint64_t& value, std::uint64_t least, const char* help);
  void number(const char* name, double& value, double least, const char* help);
  void flag(const char* name, bool& value, const char* help);
  /// Adds an option that the program passes to itself: --help does not show it.
  void hidden(const char* name, std::string& value);

  /// Ends the program after --help, and where the arguments make no sense.
  void parse(int argc, char** argv);

private:
  struct Reader;
  void repeat(const char* name, std::function<std::string()> value);

  std::unique_ptr<Reader> reader_;
  Common* common_ = nullptr;
  std::vector<std::pair<std::string, std::function<std::string()>>> repeated_;
};

} // namespace bench
