// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The commands of wstree with all of their options: main() parses the user's words, and the manual and the
// shells' completions are written from the same definitions.
#pragma once

#include "commands.h"

#include <CLI/App.hpp>

namespace wstree::cli {

/// The requests that parsing stores. They must outlive the application that they were added to.
struct Requests {
  RunRequest run;
  bool env_json = false;
  bool gcc_plugin = false;
  DoctorRequest doctor;
  CompareRequest compare;
  StatsRequest stats;
  RulesRequest rules;
  TraceRequest trace;
  HelpRequest help;
  ReportRequest report;
  TopoRequest topo;
#ifdef WSTREE_HAS_BENCH
  SimulateRequest simulate;
  BenchRequest bench;
#endif
};

/// Names and describes `app`, and adds every command to it.
void add_commands(CLI::App& app, Requests& requests);

/// Carries out the command that was parsed; its exit status.
int execute(const CLI::App& app, Requests& requests);

} // namespace wstree::cli
