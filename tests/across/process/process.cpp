// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "process.h"

#include "launch.h"

namespace wstree::test {

std::string Outcome::text() const {
  return "status " + std::to_string(status) + ", signal " + std::to_string(signal) + "\nstdout:\n" + out +
         "stderr:\n" + err;
}

Program::Program(std::string_view name, std::vector<std::string> arguments) : command_(std::move(arguments)) {
  command_.insert(command_.begin(), program_path(name));
  environment_ = {{"PATH", "/usr/bin:/bin"}, {"OMP_NUM_THREADS", "4"}, {"OMP_WAIT_POLICY", "passive"}};
  libomp(default_libomp());
}

Program& Program::set(const std::string& variable, const std::string& value) {
  environment_[variable] = value;
  return *this;
}

Program& Program::libomp(std::string_view build) {
  return set("LD_LIBRARY_PATH", std::string(WSTREE_TEST_LIBOMP_DIR) + "/" + std::string(build));
}

Program& Program::preload(std::string_view more) {
  return set("LD_PRELOAD", more.empty() ? library_path() : library_path() + ":" + std::string(more));
}

Program& Program::closed(int descriptor) {
  closed_.push_back(descriptor);
  return *this;
}

Program& Program::user(unsigned id) {
  user_ = id;
  return *this;
}

Outcome Program::run() const {
  const Result done = Command(Launch{command_, environment_, {}, user_, closed_}).finish();
  return {done.status(), done.signal(), done.out, done.err, done.peak_kib};
}

Program with_tree(std::string_view name, std::vector<std::string> arguments) {
  Program program(name, std::move(arguments));
  program.preload().set("OMP_SCHEDULE", "wstree");
  return program;
}

const std::vector<std::string>& libomp_builds() {
  static const std::vector<std::string> builds = [] {
    std::vector<std::string> found;
    std::istringstream list(WSTREE_TEST_LIBOMPS);
    for (std::string build; std::getline(list, build, ',');) found.push_back(build);
    return found;
  }();
  return builds;
}

std::string default_libomp() { return libomp_builds().back(); }

bool wide() { return std::getenv("WSTREE_TEST_WIDE") != nullptr; }

std::string program_path(std::string_view name) {
  if (name.find('/') != std::string_view::npos) return std::string(name);
  return std::string(WSTREE_TEST_PROGRAMS) + "/" + std::string(name);
}

std::string library_path() { return WSTREE_TEST_LIBRARY; }

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::string fact(const std::string& text, std::string_view name) {
  for (const std::string& line : lines_of(text))
    if (line.size() > name.size() && line.starts_with(name) && line[name.size()] == ' ')
      return line.substr(name.size() + 1);
  return {};
}

} // namespace wstree::test
