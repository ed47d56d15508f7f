// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Details about a command that have no room on the screen that --help fills: the manual and `wstree help
// COMMAND` have them.
#pragma once

#include <CLI/App.hpp>
#include <CLI/Formatter.hpp>
#include <memory>
#include <string>
#include <utility>

namespace wstree::cli {

class DetailedFormatter : public CLI::Formatter {
public:
  explicit DetailedFormatter(std::string details) : details_(std::move(details)) {}
  const std::string& details() const { return details_; }

private:
  std::string details_;
};

inline void set_details(CLI::App& command, std::string details) {
  command.formatter(std::make_shared<DetailedFormatter>(std::move(details)));
}

/// Returns the details of a command; empty if none were set.
inline std::string details_of(const CLI::App& command) {
  const auto* detailed = dynamic_cast<const DetailedFormatter*>(command.get_formatter().get());
  return detailed != nullptr ? detailed->details() : std::string();
}

} // namespace wstree::cli
