// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Files that an input makes up: one in memory, or a folder full of them that stands in for the system's root.
#pragma once

#include "bytes.h"
#include "target.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <sys/mman.h>
#include <system_error>
#include <unistd.h>

namespace wstree::fuzz {

class MemoryFile {
public:
  explicit MemoryFile(std::string_view content) : descriptor_(::memfd_create("fuzz", MFD_CLOEXEC)) {
    require(descriptor_ >= 0, "there is a file in memory");
    for (std::string_view rest = content; !rest.empty();) {
      const auto written = ::write(descriptor_, rest.data(), rest.size());
      require(written > 0, "it can be written to");
      rest.remove_prefix(static_cast<std::size_t>(written));
    }
    path_ = "/proc/self/fd/" + std::to_string(descriptor_);
  }
  ~MemoryFile() { ::close(descriptor_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  const std::string& path() const { return path_; }

private:
  int descriptor_;
  std::string path_;
};

/// One folder for the whole run, in TMPDIR, emptied for each input.
class Folder {
public:
  static Folder& emptied() {
    static Folder folder;
    folder.clear();
    return folder;
  }
  const std::string& path() const { return path_; }

  /// Nothing happens if `file` is no path inside, or something is in its way.
  void write(std::string_view file, std::string_view content) const {
    if (!is_inside(file)) return;
    const auto path = std::filesystem::path(path_) / file;
    std::error_code error;
    std::filesystem::create_directories(path.parent_path(), error);
    if (error) return;
    std::ofstream(path, std::ios::trunc | std::ios::binary)
        .write(content.data(), static_cast<std::streamsize>(content.size()));
  }

  /// "=== proc/self/status" begins a file of that name; what comes before the first such line is returned.
  std::string_view fill(std::string_view input) const {
    constexpr std::string_view k_mark = "=== ";
    constexpr int k_most_files = 40;
    std::size_t begin = input.starts_with(k_mark) ? 0 : next_mark(input, 0);
    const std::string_view head = input.substr(0, begin);
    for (int i = 0; i < k_most_files && begin < input.size(); ++i) {
      const std::size_t end = next_mark(input, begin + 1);
      const auto section =
          input.substr(begin + k_mark.size(), end - begin - std::min(end - begin, k_mark.size()));
      const auto line = section.find('\n');
      write(section.substr(0, line),
            line == std::string_view::npos ? std::string_view() : section.substr(line + 1));
      begin = end;
    }
    return head;
  }

  static bool is_inside(std::string_view file) {
    if (file.empty() || file.size() > 200 || file.front() == '/' || file.find('\0') != std::string_view::npos)
      return false;
    int depth = 0;
    for (const auto part : split_at(file, '/')) {
      if (part.empty() || part == "." || part == ".." || ++depth > 8) return false;
    }
    return true;
  }

private:
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "wstree-fuzz-XXXXXX").string();
    require(::mkdtemp(name.data()) != nullptr, "a folder can be made");
    path_ = name;
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  void clear() const {
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(path_, error))
      std::filesystem::remove_all(entry.path(), error);
  }
  static std::size_t next_mark(std::string_view input, std::size_t from) {
    const auto at = input.find("\n=== ", from == 0 ? 0 : from - 1);
    return at == std::string_view::npos ? input.size() : at + 1;
  }

  std::string path_;
};

} // namespace wstree::fuzz
