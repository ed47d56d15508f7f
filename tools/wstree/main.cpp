// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "commands.h"
#include "exit_status.h"
#include "message.h"
#include "run_arguments.h"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace wstree::cli;

constexpr const char* k_description =
    "Runs OpenMP programs with their schedule(runtime) loops on the work-stealing tree.";

constexpr const char* k_footer = R"(Examples:
  wstree run ./heat 4096             run ./heat with its schedule(runtime) loops on the tree
  wstree run --stats -- ./heat -n 8  the same, with figures for each loop at the end
  wstree run --require ./heat        fail with status 125 if no loop was served
  wstree run --schedule guided ./heat
                                     the same program with a schedule of its OpenMP runtime
  LD_PRELOAD=$(wstree path) OMP_SCHEDULE=wstree ./heat
                                     what run does, by hand

Exit status of run: that of the program, or 125 if wstree itself failed, 126 if the program cannot
be executed, 127 if it was not found. "wstree COMMAND --help" shows the options of a command.)";

/// What the user wrote that no command expects.
int report_extra(const std::string& extra, std::string_view command) {
  if (command.empty() && extra.front() != '-') {
    say("'{}' is no command of wstree; to run a program, say wstree run {}", extra, extra);
  } else {
    say("'{}' is not expected here; see wstree {}--help", extra, command);
  }
  return k_own_error;
}

int dispatch(std::vector<std::string> arguments) {
  CLI::App app(k_description, "wstree");
  app.footer(k_footer);
  app.set_version_flag("--version", "wstree " WSTREE_VERSION, "Print the version and exit");
  RunRequest request;
  bool json = false;
  auto* run = add_run(app, request);
  auto* env = app.add_subcommand("env", "Show every option with its value, its origin and its meaning");
  env->add_flag("--json", json, "As JSON");
  auto* path = app.add_subcommand("path", "Print the path of libwstree.so");

  const bool is_run = !arguments.empty() && arguments.front() == "run";
  if (is_run) {
    arguments.erase(arguments.begin());
    request.command = take_program(*run, arguments);
    arguments.insert(arguments.begin(), "run");
  }
  try {
    // CLI11 takes its arguments from the back.
    app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
  } catch (const CLI::Success& wish) { // help or version
    return app.exit(wish);
  } catch (const CLI::ExtrasError&) {
    return report_extra(app.remaining(true).front(), is_run           ? "run "
                                                     : env->parsed()  ? "env "
                                                     : path->parsed() ? "path "
                                                                      : "");
  } catch (const CLI::ArgumentMismatch& error) {
    const std::string_view text = error.what(); // begins with the option and a colon
    say("'{}' needs a value; see wstree {}--help", text.substr(0, text.find(':')), is_run ? "run " : "");
    return k_own_error;
  } catch (const CLI::ParseError& error) {
    say("{}; see wstree {}--help", error.what(), is_run ? "run " : "");
    return k_own_error;
  }
  if (env->parsed()) return env_command(json);
  if (path->parsed()) return path_command();
  if (is_run && !request.command.empty()) return run_command(request);
  if (is_run) {
    say("run needs a program; see wstree run --help");
  } else {
    say("a command is needed: run, env or path; see wstree --help");
  }
  return k_own_error;
}

} // namespace

int main(int argc, char** argv) {
  int status = k_own_error;
  try {
    status = dispatch({argv + 1, argv + argc});
  } catch (const std::exception& error) {
    say("{}", error.what());
  }
  // What was asked for must have arrived; a full disk shows only now.
  if (std::fflush(stdout) != 0) {
    say("standard output cannot be written to");
    return k_own_error;
  }
  return status;
}
