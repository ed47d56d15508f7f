// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace wstree::cli {

/// Returns whether LD_PRELOAD can hold the path: the loader splits it at blanks and colons and has no quotes.
bool fits_preload(std::string_view path);

/// The environment that a program is going to see.
class Environment {
public:
  /// Copies this process's environment, order included.
  Environment();
  /// Makes an environment of entries "NAME=value".
  explicit Environment(std::vector<std::string> entries);

  [[nodiscard]] std::optional<std::string> get(std::string_view name) const;
  void set(std::string_view name, std::string_view value);

  /// Puts a library in front of those that are preloaded already; all of them stay. Its path has to fit. In
  /// front of it stand only runtimes of sanitizers: those that are preloaded already, and of `needed`, in
  /// their order, those that fit.
  void preload_first(std::string_view library, const std::vector<std::string>& needed = {});

  /// Returns the pointers for execve: they end with a null pointer and are valid until the next change.
  [[nodiscard]] std::vector<char*> pointers();

private:
  std::vector<std::string> entries_;
};

} // namespace wstree::cli
