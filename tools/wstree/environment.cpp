// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "environment.h"

#include <algorithm>
#include <unistd.h>
#include <utility>

namespace wstree::cli {

namespace {

bool is_named(std::string_view entry, std::string_view name) {
  return entry.starts_with(name) && entry.size() > name.size() && entry[name.size()] == '=';
}

} // namespace

Environment::Environment() {
  for (char** entry = environ; *entry != nullptr; ++entry) entries_.emplace_back(*entry);
}

Environment::Environment(std::vector<std::string> entries) : entries_(std::move(entries)) {}

std::optional<std::string> Environment::get(std::string_view name) const {
  for (const auto& entry : entries_) {
    if (is_named(entry, name)) return entry.substr(name.size() + 1);
  }
  return std::nullopt;
}

void Environment::set(std::string_view name, std::string_view value) {
  auto entry = std::string(name).append("=").append(value);
  const auto named = [&](const std::string& other) { return is_named(other, name); };
  const auto first = std::find_if(entries_.begin(), entries_.end(), named);
  if (first == entries_.end()) {
    entries_.push_back(std::move(entry));
    return;
  }
  *first = std::move(entry);
  // A name may be there twice, and programs differ in which one they see.
  entries_.erase(std::remove_if(first + 1, entries_.end(), named), entries_.end());
}

void Environment::preload_first(std::string_view library) {
  const auto others = get("LD_PRELOAD").value_or("");
  const auto first = std::string_view(others).substr(0, others.find_first_of(": "));
  if (first == library) return;
  set("LD_PRELOAD", others.empty() ? std::string(library) : std::string(library).append(":").append(others));
}

std::vector<char*> Environment::pointers() {
  std::vector<char*> result;
  for (auto& entry : entries_) result.push_back(entry.data());
  result.push_back(nullptr);
  return result;
}

} // namespace wstree::cli
