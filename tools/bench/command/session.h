// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs the programs part by part.
#pragma once

#include "findings.h"
#include "parts.h"
#include "programs.h"
#include "start.h"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace wstree::cli::bench {

struct Setting {
  Programs programs;
  Libomp libomp;
  std::filesystem::path library;     ///< empty: measure without
  std::vector<std::string> runtimes; ///< to be measured; the first one's program leads
  Selection selection;
  std::optional<std::string> only;
  std::optional<unsigned> threads; ///< threads of short loops
  bool fifo = false;
  bool bare = true;             ///< the programs of libomp run without the library, too
  std::filesystem::path folder; ///< for the output of the programs
};

using Arguments = std::vector<std::string>;

class Session {
public:
  Session(Setting setting, Findings& findings) : setting_(std::move(setting)), findings_(&findings) {}

  void measure();

  [[nodiscard]] const Setting& setting() const { return setting_; }
  [[nodiscard]] Findings& findings() { return *findings_; }
  [[nodiscard]] Size size() const { return setting_.selection.size; }
  [[nodiscard]] bool has_library() const { return !setting_.library.empty(); }

  /// The start of a program: its arguments, environment and output.
  struct Start {
    std::string part, name; ///< names of its findings
    std::string title;      ///< above its output; empty: its output is not shown
    std::string program, runtime;
    Arguments arguments;
    bool preload = true;                     ///< the library, if there is one
    std::vector<std::string> variables = {}; ///< NAME=value
    std::filesystem::path output = {};       ///< file of its output; empty: the output goes to ours
    bool has_json = true;                    ///< takes --json FILE
  };
  /// Starts it and keeps its findings. Returns false if it failed, after a message to the user.
  bool run(const Start& start);

  /// Returns the words of `text`, with the meanings of those in braces.
  [[nodiscard]] Arguments expanded(std::string_view text) const;

private:
  [[nodiscard]] Environment environment(const Start& start) const;
  [[nodiscard]] bool exists(std::string_view program, const std::string& runtime) const;
  [[nodiscard]] Arguments meaning_of(std::string_view word) const;
  [[nodiscard]] Arguments arguments_of(const PartStart& start) const;
  bool fail(const Start& start, const std::string& text);
  bool is_served(const std::string& runtime);
  void measure_part(std::string_view part);
  void measure_start(const PartStart& start);

  Setting setting_;
  Findings* findings_;
};

/// Parts that need more than one start of a program for a table.
void measure_strategies(Session& session);
void measure_workers(Session& session);
void measure_validation(Session& session);

} // namespace wstree::cli::bench
