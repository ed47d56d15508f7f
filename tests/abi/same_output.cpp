// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs a program twice, first as it is and then with the library, and fails unless both runs print the same
// to stdout and to stderr and end with the same status. The library must not show there.
//
//   same_output --library LIBWSTREE.SO [--also LIBRARY.SO] [--with NAME=VALUE]... -- PROGRAM ARGUMENT...
//     --also   is preloaded in both runs          --with   is in the environment of the second run only
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace {

struct Outcome {
  int status = 0; ///< as waitpid gives it
  std::string out, err;
};

std::string contents(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// `environment` holds NAME=VALUE strings that the program gets in addition to ours.
Outcome run(char** command, const std::vector<std::string>& environment, const std::string& directory) {
  const std::string out = directory + "/stdout", err = directory + "/stderr";
  const pid_t child = fork();
  if (child == 0) {
    for (const std::string& each : environment) {
      const std::size_t name = each.find('=');
      setenv(each.substr(0, name).c_str(), each.substr(name + 1).c_str(), 1);
    }
    if (std::freopen(out.c_str(), "w", stdout) != nullptr &&
        std::freopen(err.c_str(), "w", stderr) != nullptr)
      execv(command[0], command);
    _exit(127);
  }
  Outcome outcome;
  if (child < 0 || waitpid(child, &outcome.status, 0) != child) outcome.status = -1;
  outcome.out = contents(out);
  outcome.err = contents(err);
  std::remove(out.c_str());
  std::remove(err.c_str());
  return outcome;
}

int fail(const std::string& reason) {
  std::cerr << "same_output: " << reason << '\n';
  return 1;
}

std::string difference(const std::string& what, const std::string& without, const std::string& with) {
  return what + " without the library:\n" + without + "\n" + what + " with it:\n" + with;
}

} // namespace

int main(int argc, char** argv) {
  std::string library, also;
  std::vector<std::string> second;
  int at = 1;
  for (; at + 1 < argc && std::string(argv[at]) != "--"; at += 2) {
    const std::string option = argv[at], value = argv[at + 1];
    if (option == "--library") library = value;
    if (option == "--also") also = value;
    if (option == "--with" && value.find('=') != std::string::npos) second.push_back(value);
  }
  if (library.empty() || at + 1 >= argc) return fail("wrong arguments");
  char directory[] = "/tmp/same_output.XXXXXX";
  if (mkdtemp(directory) == nullptr) return fail("no temporary directory");
  std::vector<std::string> first;
  if (!also.empty()) first.push_back("LD_PRELOAD=" + also);
  second.push_back("LD_PRELOAD=" + library + (also.empty() ? "" : ":" + also));
  const Outcome without = run(argv + at + 1, first, directory), with = run(argv + at + 1, second, directory);
  rmdir(directory);
  if (!WIFEXITED(without.status) || WEXITSTATUS(without.status) == 127)
    return fail("the program does not run by itself\n" + without.err);
  if (with.status != without.status)
    return fail(difference("Status", std::to_string(without.status), std::to_string(with.status)) + with.err);
  if (with.out != without.out) return fail(difference("Output", without.out, with.out));
  if (with.err != without.err) return fail(difference("Errors", without.err, with.err));
  if (without.out.empty() && without.err.empty())
    return fail("the program prints nothing, so nothing was compared");
  return 0;
}
