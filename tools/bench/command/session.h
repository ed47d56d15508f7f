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
  std::optional<unsigned> threads; ///< of short loops
  bool fifo = false;
  bool bare = true;             ///< the programs of libomp run without the library, too
  std::filesystem::path folder; ///< for what the programs write
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

  /// What a program is started with, and how.
  struct Start {
    std::string part, name; ///< of what it finds
    std::string title;      ///< above what it prints; empty: what it prints is not shown
    std::string program, runtime;
    Arguments arguments;
    bool preload = true;                     ///< the library, if there is one
    std::vector<std::string> variables = {}; ///< NAME=value
    std::filesystem::path output = {};       ///< of what it prints; empty: ours
    bool has_json = true;                    ///< takes --json FILE
  };
  /// Starts it and keeps what it has written. False if it failed, which the user knows then.
  bool run(const Start& start);
  /// Says that what was started is of no use, and remembers it. Always false.
  bool fail(const Start& start, const std::string& text);

  /// Options of the program `loops` that any part of it needs.
  [[nodiscard]] Arguments loops_arguments(unsigned rounds) const;
  /// The other runtimes that a round of `loops` goes through as well. oneTBB has no part where the candidates
  /// are named, because it has none of them.
  [[nodiscard]] Arguments others_beside(bool with_tbb) const;

private:
  [[nodiscard]] Environment environment(const Start& start) const;
  [[nodiscard]] Arguments loops_of_this_size(bool with_tbb) const;
  [[nodiscard]] bool is_served(const std::string& runtime);
  void measure_part(std::string_view part);
  void measure_loops();
  void measure_one_thread();
  void measure_memory();
  void measure_grid();
  void measure_models();
  void measure_short();
  /// Of a program that starts itself with and without the library, for each runtime.
  void for_each_runtime(const std::string& part, const std::string& title, const std::string& program,
                        const Arguments& arguments, const std::string& more = {});

  Setting setting_;
  Findings* findings_;
};

/// Parts that need more than one start of a program for a table.
void measure_strategies(Session& session);
void measure_workers(Session& session);
void measure_validation(Session& session);
void measure_api(Session& session);
void measure_types(Session& session);
void measure_watching(Session& session);
void measure_static(Session& session);
void measure_taskloops(Session& session);
/// Another part of the anatomy.
void measure_core_steps(Session& session);

} // namespace wstree::cli::bench
