// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "message.h"

#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "host_guard.h"
#include "own_stack.h"
#include "report_writer.h"
#include "system_call.h"
#include "utf8.h"
#include "write_fully.h"

namespace wstree::observe {
namespace {

struct KnownFile {
  bool open = false;
  dev_t device = 0;
  ino_t inode = 0;
};

// Written once while the library is loaded, before any thread can call into it, so it needs no atomics.
constinit KnownFile g_stderr;

bool identify(int descriptor, KnownFile& file) noexcept {
  struct stat status;
  if (config::system_call(SYS_fstat, descriptor, &status) != 0) return false;
  file = {true, status.st_dev, status.st_ino};
  return true;
}

bool is_all_visible(std::string_view line) noexcept {
  while (!line.empty()) {
    const std::size_t size = config::utf8_size(line);
    if (size == 0 || (config::is_control(line, size) && line.front() != '\t')) return false;
    line.remove_prefix(size);
  }
  return true;
}

void write_visible(int descriptor, std::string_view line) noexcept {
  ReportWriter out(descriptor);
  for (std::size_t tab = 0; (tab = line.find('\t')) != line.npos; line.remove_prefix(tab + 1))
    out.visible(line.substr(0, tab)).text("\t");
  (void)out.visible(line).text("\n").flush();
}

void say_line(void*, std::string_view line) noexcept { say(line); }

} // namespace

void remember_stderr() noexcept {
  KnownFile file;
  identify(STDERR_FILENO, file);
  g_stderr = file;
}

int stderr_descriptor() noexcept {
  if (!g_stderr.open) return -1;
  KnownFile now;
  const bool same =
      identify(STDERR_FILENO, now) && now.device == g_stderr.device && now.inode == g_stderr.inode;
  return same ? STDERR_FILENO : -1;
}

void say(std::string_view line) noexcept {
  const int descriptor = stderr_descriptor();
  if (descriptor < 0) return;
  const WriteGuard guard;
  if (!is_all_visible(line)) // the writer has a buffer
    return stack::on_own_stack([=] { write_visible(descriptor, line); });
  // A line that cannot be written has nowhere else to go.
  (void)write_fully(descriptor, line, "\n");
}

config::LineSink stderr_lines() noexcept { return {say_line, nullptr}; }

} // namespace wstree::observe
