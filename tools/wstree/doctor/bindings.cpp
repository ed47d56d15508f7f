// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bindings.h"

#include "inspect/elf_file.h"
#include "inspect/openmp_runtime.h"
#include "support/text_file.h"

#include <cstdlib>
#include <map>
#include <sstream>

namespace wstree::cli {

namespace {

namespace fs = std::filesystem;

constexpr char k_wish[] = "LD_DEBUG";
constexpr char k_output[] = "LD_DEBUG_OUTPUT";

/// Returns the text between two others, and behind it in `rest`; empty if they are not there.
std::string_view between(std::string_view& rest, std::string_view begin, std::string_view end) {
  const auto first = rest.find(begin);
  if (first == std::string_view::npos) return {};
  const auto text = rest.substr(first + begin.size());
  const auto past = text.find(end);
  if (past == std::string_view::npos) return {};
  rest = text.substr(past);
  return text.substr(0, past);
}

} // namespace

CallsPast calls_past(std::string_view log, const fs::path& library,
                     const std::set<std::string, std::less<>>& exports) {
  CallsPast found;
  std::map<std::string, bool, std::less<>> runtimes;
  const auto is_runtime = [&](std::string_view file) {
    const auto known = runtimes.find(file);
    if (known != runtimes.end()) return known->second;
    return runtimes.emplace(file, openmp_runtime(fs::path(file)).has_value()).first->second;
  };
  std::istringstream lines{std::string(log)};
  for (std::string line; std::getline(lines, line);) {
    std::string_view rest = line;
    const auto from = between(rest, "binding file ", " [");
    const auto to = between(rest, "] to ", " [");
    const auto symbol = between(rest, "symbol `", "'");
    if (!exports.contains(symbol) || from == to || from == library.native() || to == library.native())
      continue;
    if (is_runtime(to) && !is_runtime(from)) found.emplace(from, to);
  }
  return found;
}

BindingLog::~BindingLog() {
  std::error_code ignored;
  if (!folder_.empty()) fs::remove_all(folder_, ignored);
}

void BindingLog::ask(Environment& environment) {
  if (environment.get(k_wish) || environment.get(k_output)) return;
  std::error_code error;
  auto name = (fs::temp_directory_path(error) / "wstree-bindings-XXXXXX").string();
  if (error || ::mkdtemp(name.data()) == nullptr) return;
  folder_ = name;
  environment.set(k_wish, "bindings");
  environment.set(k_output, (folder_ / "of").string());
}

CallsPast BindingLog::read(const fs::path& library) const {
  CallsPast found;
  const auto file = folder_.empty() ? std::nullopt : ElfFile::open(library);
  if (!file) return found;
  std::set<std::string, std::less<>> exports;
  file->for_each_export([&](std::string_view name) { exports.emplace(name); });
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder_, error))
    found.merge(calls_past(read_text(entry.path()).value_or(""), library, exports));
  return found;
}

} // namespace wstree::cli
