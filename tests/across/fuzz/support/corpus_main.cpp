// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs a target on every file of its corpus:  fuzz_corpus TARGET FOLDER
#include "target.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;

std::vector<fs::path> files_in(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error))
    if (entry.is_regular_file()) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

std::string content_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

} // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: fuzz_corpus TARGET FOLDER\n");
    return 2;
  }
  const std::string name = argv[1];
  const auto& all = wstree::fuzz::targets();
  const auto target =
      std::find_if(all.begin(), all.end(), [&](const auto& known) { return known.name == name; });
  const auto files = files_in(argv[2]);
  if (target == all.end() || files.empty()) {
    std::fprintf(stderr, "%s: there is no such target, or %s holds no file\n", argv[1], argv[2]);
    return 2;
  }
  wstree::fuzz::run(*target, {});
  for (const auto& file : files) {
    // Said beforehand, because a crash leaves no time for it.
    std::printf("%s\n", file.filename().c_str());
    std::fflush(stdout);
    wstree::fuzz::run(*target, content_of(file));
  }
  std::printf("%zu files\n", files.size());
  return 0;
}
