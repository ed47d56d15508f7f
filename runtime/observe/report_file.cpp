// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report_file.h"

#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <fcntl.h>
#include <initializer_list>
#include <sys/stat.h>
#include <unistd.h>

namespace wstree::observe {
namespace {

constexpr int k_max_suffix = 100000;
constexpr mode_t k_file_mode = 0666; // less the umask, as for any file the user creates
constexpr mode_t k_folder_mode = 0777;

/// A name becomes one component of a path, with any content.
void append_name(Path& path, std::string_view name) noexcept {
  for (const char c : name) path.append(c == '/' ? '_' : c);
}

void append_host(Path& path) noexcept {
  char host[256];
  const bool known = gethostname(host, sizeof host) == 0;
  host[sizeof host - 1] = '\0';
  append_name(path, known && host[0] != '\0' ? host : "localhost");
}

void append_program(Path& path) noexcept {
  const char* name = program_invocation_short_name;
  append_name(path, name != nullptr && *name != '\0' ? name : "program");
}

bool is_number(std::string_view text) noexcept {
  for (const char c : text)
    if (c < '0' || c > '9') return false;
  return !text.empty() && text.size() <= 20;
}

/// Returns the open descriptor that `path` names, or -1: creating a file beside it makes no sense, and the
/// user asked for writing to it.
int named_descriptor(std::string_view path) noexcept {
  if (path == "/dev/stdout") return STDOUT_FILENO;
  if (path == "/dev/stderr") return STDERR_FILENO;
  for (const std::string_view folder : {"/dev/fd/", "/proc/self/fd/"}) {
    if (!path.starts_with(folder)) continue;
    const char* const end = path.data() + path.size();
    int descriptor = -1;
    const auto [behind, error] = std::from_chars(path.data() + folder.size(), end, descriptor);
    if (error == std::errc() && behind == end) return descriptor;
  }
  return -1;
}

OpenFile opened(int descriptor) noexcept { return {descriptor, descriptor < 0 ? errno : 0}; }

OpenFile open_exclusive(const char* path) noexcept {
  return opened(open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOCTTY, k_file_mode));
}

OpenFile open_existing(const char* path) noexcept {
  // Non-blocking, because a named pipe without a reader would hold up the end of the program.
  return opened(open(path, O_WRONLY | O_APPEND | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
}

/// Opens `path` if it is a pipe, a device or the like. EEXIST: it is a file, or a link to nothing, both of
/// which stay as they are.
OpenFile open_stream(const char* path) noexcept {
  // Opened first and looked at then: between a look and the opening, another file may come there.
  const OpenFile file = open_existing(path);
  struct stat status;
  if (file.descriptor >= 0) {
    if (fstat(file.descriptor, &status) == 0 && !S_ISREG(status.st_mode)) return file;
    close(file.descriptor);
  } else if (stat(path, &status) == 0 && !S_ISREG(status.st_mode)) {
    return file; // the error is the news
  }
  return {-1, EEXIST};
}

void create_folders(std::string_view path) noexcept {
  Path folder;
  for (const char c : path) {
    // A folder that cannot be created is reported when the file is opened.
    if (c == '/' && !folder.empty()) mkdir(folder.c_str(), k_folder_mode);
    folder.append(c);
  }
}

} // namespace

std::string_view rank_text() noexcept {
  for (const char* name :
       {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "MV2_COMM_WORLD_RANK", "SLURM_PROCID"}) {
    const char* value = std::getenv(name);
    if (value != nullptr && is_number(value)) return value;
  }
  return "0";
}

Path expand_path(std::string_view pattern, std::string_view folder) noexcept {
  Path path;
  if (!pattern.starts_with('/')) path.append(folder);
  while (!pattern.empty()) {
    const char c = pattern.front();
    pattern.remove_prefix(1);
    if (c != '%' || pattern.empty()) {
      path.append(c);
      continue;
    }
    const char letter = pattern.front();
    pattern.remove_prefix(1);
    switch (letter) {
    case 'p':
      path.append_number(static_cast<std::uint64_t>(getpid()));
      break;
    case 'h':
      append_host(path);
      break;
    case 'r':
      path.append(rank_text());
      break;
    case 'e':
      append_program(path);
      break;
    case '%':
      path.append('%');
      break;
    default:
      path.append('%').append(letter);
    }
  }
  return path;
}

OpenFile open_new_file(Path& path) noexcept {
  if (path.truncated()) return {-1, ENAMETOOLONG};
  // Not opened by that name: a file would get a second offset, and the report would overwrite the program's
  // output through the first one.
  if (const int named = named_descriptor(path.view()); named >= 0)
    return opened(fcntl(named, F_DUPFD_CLOEXEC, 0));
  OpenFile file = open_exclusive(path.c_str());
  if (file.error == ENOENT) {
    create_folders(path.view());
    file = open_exclusive(path.c_str());
  }
  const std::size_t size = path.size();
  for (std::uint64_t suffix = 1; file.error == EEXIST && suffix < k_max_suffix; ++suffix) {
    if (suffix == 1) {
      const OpenFile stream = open_stream(path.c_str());
      if (stream.error != EEXIST) return stream;
    }
    path.resize_down(size);
    path.append('.').append_number(suffix);
    if (path.truncated()) return {-1, ENAMETOOLONG};
    file = open_exclusive(path.c_str());
  }
  return file;
}

} // namespace wstree::observe
