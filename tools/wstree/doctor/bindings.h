// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "support/environment.h"

#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace wstree::cli {

/// Files of a program whose OpenMP calls go to a runtime and not to the library in front of it, each with
/// that runtime.
using CallsPast = std::set<std::pair<std::filesystem::path, std::filesystem::path>>;

/// Returns the calls past the library in the log of glibc's dynamic loader (LD_DEBUG=bindings). `exports`:
/// those of the library.
CallsPast calls_past(std::string_view log, const std::filesystem::path& library,
                     const std::set<std::string, std::less<>>& exports);

/// Lets the loader write it in a run.
class BindingLog {
public:
  BindingLog() = default;
  BindingLog(const BindingLog&) = delete;
  BindingLog& operator=(const BindingLog&) = delete;
  ~BindingLog();

  /// Sets the variables for a report of bindings, unless the user has set one of them.
  void ask(Environment& environment);
  /// Reads the report after the run.
  [[nodiscard]] CallsPast read(const std::filesystem::path& library) const;

private:
  std::filesystem::path folder_; // empty: no report was requested
};

} // namespace wstree::cli
