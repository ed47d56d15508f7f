// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "program.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <elf.h>
#include <fcntl.h>
#include <fstream>
#include <string_view>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/xattr.h>
#include <unistd.h>
#include <vector>

namespace wstree::cli {

namespace {

Lookup::Result classify(const std::filesystem::path& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) {
    return errno == EACCES ? Lookup::Result::not_executable : Lookup::Result::not_found;
  }
  const bool executable =
      S_ISREG(status.st_mode) && ::faccessat(AT_FDCWD, path.c_str(), X_OK, AT_EACCESS) == 0;
  return executable ? Lookup::Result::found : Lookup::Result::not_executable;
}

std::string search_path() {
  if (const char* path = std::getenv("PATH")) return path;
  std::string standard(::confstr(_CS_PATH, nullptr, 0), '\0');
  ::confstr(_CS_PATH, standard.data(), standard.size());
  standard.pop_back(); // confstr counts the terminating zero
  return standard;
}

} // namespace

Lookup find_program(const std::string& name) {
  if (name.find('/') != std::string::npos) return {classify(name), name};
  if (name.empty()) return {};
  Lookup in_the_way;
  const std::string folders = search_path();
  for (std::size_t begin = 0; begin <= folders.size();) {
    const std::size_t end = std::min(folders.find(':', begin), folders.size());
    // An empty entry means the current folder, and so does an empty path.
    const auto candidate = std::filesystem::path(folders.substr(begin, end - begin)) / name;
    const auto result = classify(candidate);
    if (result == Lookup::Result::found) return {result, candidate};
    if (result == Lookup::Result::not_executable && in_the_way.path.empty()) in_the_way = {result, candidate};
    begin = end + 1;
  }
  return in_the_way;
}

FileKind file_kind(const std::filesystem::path& path) {
  std::array<char, 256> start{}; // as much as the kernel looks at
  std::ifstream file(path, std::ios::binary);
  file.read(start.data(), start.size());
  const std::string_view text(start.data(), static_cast<std::size_t>(file.gcount()));
  if (text.starts_with(ELFMAG)) return {FileKind::Kind::elf, {}};
  if (!text.starts_with("#!")) return {};
  const auto line = text.substr(2, text.find('\n') - 2);
  const auto first = line.find_first_not_of(" \t");
  if (first == std::string_view::npos || line[first] == '\0') return {};
  const auto last = std::min(line.find_first_of(std::string_view(" \t\0", 3), first), line.size());
  return {FileKind::Kind::script, std::string(line.substr(first, last - first))};
}

std::optional<std::string> secure_mode_reason(const std::filesystem::path& path) {
  struct stat status {};
  struct statvfs file_system {};
  if (::stat(path.c_str(), &status) != 0) return std::nullopt;
  // Both settings switch off every way to gain rights, and with it the secure mode.
  if (::prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1) return std::nullopt;
  if (::statvfs(path.c_str(), &file_system) == 0 && (file_system.f_flag & ST_NOSUID) != 0)
    return std::nullopt;
  if ((status.st_mode & S_ISUID) != 0 && status.st_uid != ::getuid()) return "setuid";
  // Without the group's execute bit, setgid means mandatory locking.
  if ((status.st_mode & S_ISGID) != 0 && (status.st_mode & S_IXGRP) != 0 && status.st_gid != ::getgid()) {
    return "setgid";
  }
  if (::getuid() != 0 && ::getxattr(path.c_str(), "security.capability", nullptr, 0) > 0)
    return "file capabilities";
  return std::nullopt;
}

} // namespace wstree::cli
