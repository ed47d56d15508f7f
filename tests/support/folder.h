// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Files that tests write and read.
#pragma once

#include "usual.h"

namespace wstree::test {

inline constexpr auto k_executable = std::filesystem::perms{0755};
inline constexpr auto k_data = std::filesystem::perms{0644};

[[noreturn]] inline void give_up(const char* what) {
  std::perror(what);
  std::abort();
}

inline std::string contents(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// A folder that exists as long as the object does. All users may look into it.
class TemporaryFolder {
public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "wstree-test-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) give_up("mkdtemp");
    path_ = name;
    std::filesystem::permissions(path_, k_executable);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] std::string operator/(std::string_view name) const { return (path_ / name).string(); }
  [[nodiscard]] std::vector<std::string> files() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(path_))
      names.push_back(entry.path().string());
    std::sort(names.begin(), names.end());
    return names;
  }
  /// Writes a file, in folders that it makes if need be, and returns its path.
  std::string write(std::string_view name, std::string_view text,
                    std::filesystem::perms permissions = k_data) const {
    const auto path = path_ / name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary | std::ios::trunc) << text;
    std::filesystem::permissions(path, permissions);
    return path.string();
  }

private:
  std::filesystem::path path_;
};

} // namespace wstree::test
