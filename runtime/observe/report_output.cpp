// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report_output.h"

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <unistd.h>

#include "message.h"
#include "options.h"
#include "tokens.h"

#pragma weak strerrordesc_np // musl has none

namespace wstree::observe {
namespace {

// Written once, before the first report can be.
constinit Path g_folder; // ends with a slash; empty: not known

void complain(std::string_view variable, std::string_view path, int error) noexcept {
  constexpr std::size_t k_shown_path = 300;
  config::FixedText<config::k_max_line + 1> line;
  line.append("wstree: ").append(variable).append(" cannot write '").append_foreign(path, k_shown_path);
  line.append("': ");
#if __GLIBC_PREREQ(2, 32)
  // Unlike strerror it needs neither the locale nor the heap.
  if (const char* cause = strerrordesc_np(error)) line.append(cause);
#else
  line.append("error ").append_number(static_cast<std::uint64_t>(error));
#endif
  say(line.view());
}

/// Reports that the file has another name than `asked`, which holds the output of an earlier process.
void say_other_name(std::string_view variable, std::string_view asked, std::string_view suffix) noexcept {
  constexpr std::size_t k_shown_path = 200; // twice on one line
  config::FixedText<config::k_max_line + 1> line;
  line.append("wstree: ").append(variable).append(" wrote '").append_foreign(asked, k_shown_path);
  line.append(suffix).append("', because '").append_foreign(asked, k_shown_path);
  line.append("' was there already");
  say(line.view());
}

} // namespace

void remember_folder() noexcept {
  const int saved_errno = errno;
  char folder[PATH_MAX];
  g_folder.clear();
  // Linux returns "(unreachable)" for a folder that cannot be reached by a name.
  if (getcwd(folder, sizeof folder) != nullptr && folder[0] == '/') {
    g_folder.append(folder);
    if (!g_folder.view().ends_with('/')) g_folder.append('/');
  }
  errno = saved_errno;
}

void write_new_file(std::string_view variable, std::string_view pattern, Path& path,
                    int (*write)(void* context, int descriptor) noexcept, void* context) noexcept {
  path = expand_path(pattern, g_folder.view());
  const std::size_t asked = path.size();
  const OpenFile file = open_new_file(path);
  int error = file.error;
  if (file.descriptor >= 0) {
    error = write(context, file.descriptor);
    if (close(file.descriptor) != 0 && error == 0) error = errno;
  }
  const std::string_view name = path.view();
  if (error != 0)
    complain(variable, name, error);
  else if (name.size() != asked) // open_new_file() only appends to names
    say_other_name(variable, name.substr(0, asked), config::without_first(name, asked));
}

} // namespace wstree::observe
