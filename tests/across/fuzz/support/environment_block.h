// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An environment of which each line of the input is an entry.
#pragma once

#include "bytes.h"

#include <string>
#include <string_view>
#include <vector>

namespace wstree::fuzz {

class EnvironmentBlock {
public:
  explicit EnvironmentBlock(std::string_view input) {
    // A zero byte ends an entry, as it does in memory.
    for (const auto line : lines_of(input)) entries_.emplace_back(line.substr(0, line.find('\0')));
    for (const auto& entry : entries_) pointers_.push_back(entry.c_str());
    pointers_.push_back(nullptr);
  }
  const char* const* envp() const { return pointers_.data(); }
  const std::vector<std::string>& entries() const { return entries_; }

private:
  std::vector<std::string> entries_;
  std::vector<const char*> pointers_;
};

} // namespace wstree::fuzz
