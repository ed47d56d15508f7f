// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mapped_watch.h"

#include "inspect/openmp_runtime.h"
#include "support/text_file.h"

#include <sstream>
#include <string>

namespace wstree::cli {

namespace fs = std::filesystem;

void MappedWatch::look(pid_t process) {
  const auto folder = processes_ / std::to_string(process);
  for (auto& file : mapped_files(read_text(folder / "maps").value_or(""))) files_.insert(std::move(file));
  // Each thread has children of its own. Everything here may be gone at any moment.
  std::error_code error;
  fs::directory_iterator thread(folder / "task", error);
  for (; !error && thread != fs::directory_iterator(); thread.increment(error)) {
    std::istringstream children(read_text(thread->path() / "children").value_or(""));
    for (pid_t child = 0; children >> child;) look(child);
  }
}

} // namespace wstree::cli
