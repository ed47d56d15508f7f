// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "names.h"

#include "debug_file.h"

#include <cstdio>
#include <map>
#include <utility>

namespace wstree::names {

namespace {

std::string_view file_name(std::string_view path) { return path.substr(path.rfind('/') + 1); }

} // namespace

struct Resolver::Files {
  std::string debug_path;
  std::map<std::pair<std::string, std::string>, DebugFile> opened;
};

Resolver::Resolver(std::string debug_path) : files_(new Files{std::move(debug_path), {}}) {}
Resolver::~Resolver() = default;

Name Resolver::name(const std::string& module, std::string_view build_id, std::uint64_t offset) {
  if (module.empty() && build_id.empty()) return {};
  const auto [file, is_new] =
      files_->opened.try_emplace({module, std::string(build_id)}, module, build_id, files_->debug_path);
  return file->second.name(offset);
}

std::string text_of(const Name& name) {
  std::string text;
  if (name.line == 0) {
    if (name.symbol.empty()) return text;
    char offset[24];
    std::snprintf(offset, sizeof offset, "+0x%llx", static_cast<unsigned long long>(name.offset));
    return name.symbol + offset;
  }
  const std::string place = std::string(file_name(name.file)).append(":").append(std::to_string(name.line));
  text = place;
  if (!name.function.empty()) text.append(" ").append(name.function).append("()");
  // A call that is in the line itself says nothing more.
  if (!name.inlined_in.empty() && name.inlined_in != place) text.append(k_inlined_in).append(name.inlined_in);
  return text;
}

} // namespace wstree::names
