// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report.h"

#include "support/visible.h"

#include <algorithm>
#include <cstdio>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <utility>

namespace wstree::cli {

namespace {

constexpr std::string_view k_indent = "                 "; // below the text of a line

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

std::string to_text(const Check& check) {
  auto text = fmt::format("{:<4}  {:<9}  {}\n", to_text(check.status), check.name, visible(check.found));
  if (!check.cause.empty()) text += fmt::format("{}cause: {}\n", k_indent, visible(check.cause));
  if (!check.fix.empty()) text += fmt::format("{}fix:   {}\n", k_indent, visible(check.fix));
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
  if (!json_) fmt::print("{}", to_text(check));
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
