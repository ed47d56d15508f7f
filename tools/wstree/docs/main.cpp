// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   wstree_docs FOLDER    writes man/man1, man/man7 and the completions of bash, zsh and fish into FOLDER
#include "command_line.h"
#include "writers.h"

#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>

namespace {

void write(const std::filesystem::path& file, const std::string& text) {
  std::filesystem::create_directories(file.parent_path());
  std::ofstream out(file);
  out << text;
  out.close();
  if (!out) throw std::runtime_error("cannot write " + file.string());
}

void write_all(const std::filesystem::path& folder) {
  using namespace wstree::docs;
  CLI::App app;
  wstree::cli::Requests requests;
  wstree::cli::add_commands(app, requests);
  const auto commands = all_facts(app);
  write(folder / "man/man1/wstree.1", narrow(main_page(facts_of(app), commands)));
  for (const auto& command : commands)
    write(folder / ("man/man1/wstree-" + command.name + ".1"), narrow(command_page(command)));
  write(folder / "man/man7/wstree.7", narrow(variables_page()));
  write(folder / "wstree.bash", bash_completion(commands));
  write(folder / "_wstree", zsh_completion(commands));
  write(folder / "wstree.fish", fish_completion(commands));
}

} // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: wstree_docs FOLDER\n", stderr);
    return 2;
  }
  try {
    write_all(argv[1]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "wstree_docs: %s\n", error.what());
    return 1;
  }
  return 0;
}
