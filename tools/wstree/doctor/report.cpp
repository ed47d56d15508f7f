// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report.h"

#include "support/terminal.h"
#include "support/visible.h"

#include <algorithm>
#include <cstdio>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sstream>
#include <utility>

namespace wstree::cli {

namespace {

constexpr std::string_view k_indent = "                 "; // below the text of a line

/// Returns `text` behind `first`, and in a narrow window in several lines below its beginning.
std::string hanging(const std::string& first, const std::string& text, std::size_t width) {
  constexpr std::size_t k_narrowest = 24;
  if (width < first.size() + k_narrowest) return first + text + '\n';
  std::istringstream lines(wrapped(text, width - first.size()));
  std::string result;
  for (std::string line; std::getline(lines, line);)
    result += (result.empty() ? first : std::string(first.size(), ' ')) + line + '\n';
  return result;
}

} // namespace

std::string_view to_text(Status status) {
  switch (status) {
  case Status::ok:
    return "ok";
  case Status::note:
    return "note";
  case Status::warn:
    return "warn";
  case Status::fail:
    return "FAIL";
  }
  return {};
}

std::string to_text(const Check& check, std::size_t width) {
  const auto found = fmt::format("{:<4}  {:<9}  ", to_text(check.status), check.name);
  auto text = hanging(found, visible(check.found), width);
  if (!check.cause.empty()) text += hanging(std::string(k_indent) + "cause: ", visible(check.cause), width);
  if (!check.fix.empty()) text += hanging(std::string(k_indent) + "fix:   ", visible(check.fix), width);
  return text;
}

int exit_status(const Checks& checks) {
  int status = 0;
  for (const auto& check : checks) {
    if (check.status == Status::warn) status = std::max(status, 1);
    if (check.status == Status::fail) status = 2;
  }
  return status;
}

std::string to_json(const Checks& checks) {
  auto list = nlohmann::ordered_json::array();
  for (const auto& check : checks) {
    nlohmann::ordered_json entry;
    entry["name"] = check.name;
    entry["status"] = check.status == Status::fail ? "fail" : to_text(check.status);
    entry["found"] = check.found;
    entry["cause"] = check.cause;
    entry["fix"] = check.fix;
    list.push_back(std::move(entry));
  }
  nlohmann::ordered_json document;
  document["checks"] = std::move(list);
  document["status"] = exit_status(checks);
  // A path or a value may hold bytes that are not UTF-8.
  return document.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + '\n';
}

void Report::add(Check check) {
  if (!json_) fmt::print("{}", to_text(check, terminal_of(stdout).width));
  checks_.push_back(std::move(check));
}

void Report::add(Checks checks) {
  for (auto& check : checks) add(std::move(check));
}

void Report::flush() const { std::fflush(stdout); }

int Report::finish() const {
  if (json_) fmt::print("{}", to_json(checks_));
  return exit_status(checks_);
}

} // namespace wstree::cli
