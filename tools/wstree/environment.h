// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace wstree::cli {

/// The environment that a program is going to see.
class Environment {
public:
  /// A copy of ours, order included.
  Environment();
  /// Of entries "NAME=value".
  explicit Environment(std::vector<std::string> entries);

  [[nodiscard]] std::optional<std::string> get(std::string_view name) const;
  void set(std::string_view name, std::string_view value);

  /// Puts a library in front of those that are preloaded already; all of them stay. The path must not hold a
  /// blank or a colon: the loader would take it for two.
  void preload_first(std::string_view library);

  /// For execve: ends with a null pointer and is valid until the next change.
  [[nodiscard]] std::vector<char*> pointers();

private:
  std::vector<std::string> entries_;
};

} // namespace wstree::cli
