// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// libomp registers each process as a shared memory object that is named after the process's number. A process
// that is killed or runs into a limit while it does so leaves an empty object, and the next process that gets
// the number dies of SIGBUS in libomp, with this library or without.
#pragma once

#include <cerrno>
#include <charconv>
#include <csignal>
#include <filesystem>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <system_error>

namespace wstree::test {

/// Removes the empty registrations of processes that are gone.
inline void remove_empty_registrations() {
  constexpr std::string_view k_begin = "__KMP_REGISTERED_LIB_";
  std::error_code error;
  for (std::filesystem::directory_iterator each("/dev/shm", error), end; !error && each != end;
       each.increment(error)) {
    const std::string name = each->path().filename().string();
    if (!name.starts_with(k_begin)) continue;
    std::error_code gone;
    if (each->file_size(gone) != 0 || gone) continue;
    pid_t process = 0;
    std::from_chars(name.data() + k_begin.size(), name.data() + name.size(), process);
    if (process > 0 && kill(process, 0) != 0 && errno == ESRCH) std::filesystem::remove(each->path(), gone);
  }
}

} // namespace wstree::test
