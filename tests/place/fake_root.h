// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A system's root with nothing in it but what a test writes, and environments.
#pragma once

#include "folder.h"

namespace wstree::place {

class FakeRoot {
public:
  void write(const std::string& file, const std::string& text) const { folder_.write(file, text); }
  /// A process with this mask. `name`: its number, or "self".
  void write_process(const std::string& name, int id, int parent, const std::string& mask) const {
    write("proc/" + name + "/status",
          "Name:\tsolver\nTgid:\t" + std::to_string(id) + "\nPPid:\t" + std::to_string(parent) +
              "\nCpus_allowed:\tff\nCpus_allowed_list:\t" + mask + "\nMems_allowed_list:\t0\n");
  }
  void write_children(int id, int thread, const std::string& children) const {
    write("proc/" + std::to_string(id) + "/task/" + std::to_string(thread) + "/children", children);
  }

  const char* path() const { return path_.c_str(); }
  std::string below(const std::string& file) const { return path_ + '/' + file; }

private:
  test::TemporaryFolder folder_;
  std::string path_ = folder_.path().string();
};

/// "NAME=value" for functions that read an environment.
class FakeEnvironment {
public:
  explicit FakeEnvironment(std::vector<std::string> entries) : entries_(std::move(entries)) {
    for (const auto& entry : entries_) pointers_.push_back(entry.c_str());
    pointers_.push_back(nullptr);
  }
  const char* const* envp() const { return pointers_.data(); }

private:
  std::vector<std::string> entries_;
  std::vector<const char*> pointers_;
};

} // namespace wstree::place
