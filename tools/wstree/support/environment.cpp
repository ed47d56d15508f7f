// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "environment.h"

#include "inspect/sanitizers.h"

#include <algorithm>
#include <unistd.h>
#include <utility>

namespace wstree::cli {

namespace {

bool is_named(std::string_view entry, std::string_view name) {
  return entry.starts_with(name) && entry.size() > name.size() && entry[name.size()] == '=';
}

std::string_view file_name(std::string_view path) { return path.substr(path.rfind('/') + 1); }

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

bool fits_preload(std::string_view path) { return path.find_first_of(": ") == std::string_view::npos; }

void Environment::preload_first(std::string_view library, const std::vector<std::string>& needed) {
  const auto before = get("LD_PRELOAD").value_or("");
  std::vector<std::string> sanitizers;
  std::string others; // as they are written
  for (std::size_t begin = 0; begin < before.size();) {
    const std::size_t end = std::min(before.find_first_of(": ", begin), before.size());
    const auto entry = before.substr(begin, end - begin);
    if (is_sanitizer(entry))
      sanitizers.push_back(entry);
    else if (entry != library || !others.empty()) // it may be the first already
      others.append(before, begin, end + 1 - begin);
    begin = end + 1;
  }
  for (const auto& path : needed) {
    if (!fits_preload(path)) continue;
    const auto same = [&](const std::string& other) { return file_name(other) == file_name(path); };
    if (std::none_of(sanitizers.begin(), sanitizers.end(), same)) sanitizers.push_back(path);
  }
  std::string all;
  for (const auto& entry : sanitizers) all.append(entry).append(":");
  all.append(library);
  if (!others.empty()) all.append(":").append(others);
  set("LD_PRELOAD", all);
}

std::vector<char*> Environment::pointers() {
  std::vector<char*> result;
  for (auto& entry : entries_) result.push_back(entry.data());
  result.push_back(nullptr);
  return result;
}

} // namespace wstree::cli
