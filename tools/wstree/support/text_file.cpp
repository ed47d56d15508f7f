// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "text_file.h"

#include "message.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>

namespace wstree::cli {

std::optional<std::string> read_text(const std::filesystem::path& path) {
  constexpr std::size_t k_most = std::size_t{1} << 30;
  auto text = read_start(path, k_most + 1);
  if (text && text->size() > k_most) {
    errno = EFBIG;
    return std::nullopt;
  }
  return text;
}

std::optional<std::string> read_start(const std::filesystem::path& path, std::size_t most) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  constexpr std::size_t k_piece = 1 << 16;
  std::string text;
  while (text.size() < most && file) {
    const auto before = text.size();
    text.resize(before + std::min(k_piece, most - before));
    file.read(text.data() + before, static_cast<std::streamsize>(text.size() - before));
    text.resize(before + static_cast<std::size_t>(file.gcount()));
  }
  if (file.bad()) return std::nullopt;
  return text;
}

bool is_one_of(const std::vector<std::string>& files, const std::string& path) {
  return std::ranges::any_of(files, [&path](const std::string& file) {
    std::error_code error;
    return std::filesystem::is_regular_file(file, error) && std::filesystem::equivalent(file, path, error);
  });
}

bool write_text(const std::string& path, const std::string& text) {
  std::FILE* const file = std::fopen(path.c_str(), "w");
  bool good = file != nullptr;
  if (good) {
    good = std::fwrite(text.data(), 1, text.size(), file) == text.size();
    good = std::fclose(file) == 0 && good;
  }
  if (!good) say("{} cannot be written: {}", path, std::strerror(errno));
  return good;
}

} // namespace wstree::cli
