// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The path in WSTREE_STATS: its patterns, and the file that is made. The first line is the rank that a
// launcher says, the second the name of the program.
#include "support/bytes.h"
#include "support/files.h"
#include "support/target.h"

#include "report_file.h"

#include <cerrno>
#include <cstdlib>
#include <string>
#include <sys/stat.h>
#include <unistd.h>

namespace wstree::fuzz::report_path_target {
namespace {

using namespace observe;

bool is_number(std::string_view text) {
  return !text.empty() && text.size() <= 20 && text.find_first_not_of("0123456789") == std::string_view::npos;
}

std::string component(std::string text) {
  for (char& c : text)
    if (c == '/') c = '_';
  return text;
}

std::string host() {
  char name[256] = "";
  ::gethostname(name, sizeof name - 1);
  return name[0] != '\0' ? component(name) : "localhost";
}

std::string expected_path(std::string_view pattern, std::string_view rank, const std::string& program) {
  std::string path;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const char letter = pattern[i] == '%' && i + 1 < pattern.size() ? pattern[i + 1] : '\0';
    if (pattern[i] != '%' || i + 1 == pattern.size()) {
      path += pattern[i];
      continue;
    }
    ++i;
    if (letter == 'p')
      path += std::to_string(::getpid());
    else if (letter == 'h')
      path += host();
    else if (letter == 'r')
      path += is_number(rank) ? rank : "0";
    else if (letter == 'e')
      path += program.empty() ? "program" : component(program);
    else if (letter == '%')
      path += '%';
    else
      path.append(1, '%').append(1, letter);
  }
  return path;
}

/// The file is new, and so is the next one that is asked for by the same name.
void check_opening(const std::string& pattern) {
  const Folder& folder = Folder::emptied();
  if (!Folder::is_inside(pattern)) return;
  const std::string inside = folder.path() + '/' + pattern;
  std::string last;
  for (int i = 0; i < 3; ++i) {
    Path path{std::string_view(inside)};
    const OpenFile file = open_new_file(path);
    require((file.descriptor < 0) == (file.error != 0), "there is a file or an error", path.view());
    if (file.descriptor < 0) return;
    struct stat status {};
    require(::fstat(file.descriptor, &status) == 0 && status.st_size == 0, "the file is empty", path.view());
    require(path.view() != last, "a name is used once", path.view());
    require(path.view().starts_with(inside), "the name begins as it was asked for", path.view());
    last = path.view();
    require(::write(file.descriptor, "x", 1) == 1, "it can be written to", path.view());
    ::close(file.descriptor);
  }
}

void body(std::string_view input) {
  const auto lines = lines_of(input);
  const auto line = [&](std::size_t i) { return i < lines.size() ? lines[i] : std::string_view(); };
  std::string rank(line(0).substr(0, line(0).find('\0')));
  std::string program(line(1).substr(0, line(1).find('\0')));
  const std::string pattern(line(2));

  for (const char* name :
       {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "MV2_COMM_WORLD_RANK", "SLURM_PROCID"})
    ::unsetenv(name);
  ::setenv("PMI_RANK", rank.c_str(), 1);
  char* const before = program_invocation_short_name;
  program_invocation_short_name = program.data();
  const Path path = expand_path(pattern);
  program_invocation_short_name = before;

  const auto expected = expected_path(pattern, rank, program);
  require(path.view() == std::string_view(expected).substr(0, Path::capacity()), "patterns are replaced",
          path.view());
  require(path.truncated() == (expected.size() > Path::capacity()), "what is cut off is known", path.view());
  Path copy = path;
  if (path.truncated())
    require(open_new_file(copy).error == ENAMETOOLONG, "a path that was cut is not opened");
  check_opening(pattern);
}

const Registration registration("report_path", body);

} // namespace
} // namespace wstree::fuzz::report_path_target
