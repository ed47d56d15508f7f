// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "arguments.h"

#include "parts.h"
#include "support/details.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace wstree::cli {

namespace {

constexpr const char* k_bench_details =
    R"(All candidates of a table alternate in one run, each in a process of its own where runtimes conflict:
the schedules of the library, those of the OpenMP runtimes without the library, and oneTBB. Values are
medians of time / (sequential time / threads), so that 1.00 is ideal for a loop without a dominant
iteration. Every loop's result is compared with that of the sequential one.

Parts:
{}
Without --parts, those with a star are measured.

A figure is only as good as the machine is quiet. Candidates alternate, medians count, and a sample is
not used when its threads had to wait for a processor for more than 2 % of it; the report says how many
that were and how far samples are apart. With --fifo (real-time priority; root or CAP_SYS_NICE) other work
cannot preempt the loops at all; then the programs pause now and then, because the kernel takes 5 % of a
processor back from real-time threads if they do not leave it. With real-time priority threads are not made
to share a processor, so that 64 of them may differ from what they do otherwise.

The packages of Debian and Ubuntu build libomp with debugging code that formats text for every chunk. Figures
against such a build flatter the library 30 times on fine loops; the default is therefore a release build,
which tools/libomp 19-release makes. The report names the build that was used.

--compare says which figures of two results.json differ by more than their samples spread, or by more
than 10 % where the spread is not known.)";

constexpr const char* k_bench_footer =
    R"(Results go to results.json, report.txt and pictures (SVG).
"wstree help bench" explains the parts and the figures.
Exit status: 0, or 1 if a program failed or, with --compare, if a figure of B is worse; a figure
that is not reached changes nothing.
Examples:
  wstree bench --quick
  wstree bench --fifo --parts loops,step --runtimes libomp --out results
  wstree bench --parts loops --only '^STEP' --rounds 15
  wstree bench --compare before/results.json after/results.json)";

std::string part_lines() {
  std::string lines;
  for (const auto& part : bench::k_parts)
    lines += fmt::format("  {:<12}{} {}\n", part.name, part.usual ? '*' : ' ', part.meaning);
  return lines;
}

} // namespace

CLI::App* add_bench(CLI::App& app, BenchRequest& request) {
  auto* command = app.add_subcommand("bench", "Measure the library against others, and draw the figures");
  set_details(*command, fmt::format(k_bench_details, part_lines()));
  command->footer(k_bench_footer);
  command->add_option("--parts", request.parts, "What is measured; unless given, what a report needs")
      ->option_text("LIST");
  auto* quick = command->add_flag(
      "--quick", request.quick,
      fmt::format("Fewer samples, and of the loops those of 10 ms: {} minutes instead of {}",
                  (bench::usual_seconds(bench::Size::quick) + 30) / 60,
                  (bench::usual_seconds(bench::Size::full) + 30) / 60));
  command->add_flag("--smoke", request.smoke, "Measure everything at tiny sizes; the figures mean nothing")
      ->excludes(quick);
  command
      ->add_option(
          "--runtimes", request.runtimes,
          "OpenMP runtimes to measure, of libomp,libgomp; unless given, all that there are programs for")
      ->option_text("LIST");
  command
      ->add_option("--libomp", request.libomp,
                   "Build of tools/libomp to measure, such as 16, or system for the linker's choice; "
                   "19-release unless given")
      ->option_text("BUILD");
  command
      ->add_option("--only", request.only,
                   "Measure only workloads whose names match; for the parts loops, short, models, workers "
                   "and validation")
      ->option_text("REGEX");
  command
      ->add_option("--rounds", request.rounds,
                   "Samples of each value, instead of 3 (with --quick 2), for short loops instead of 15 (5)")
      ->option_text("N")
      ->check(CLI::Range(1U, 999U));
  command
      ->add_option(
          "--threads", request.threads,
          "Threads for short loops, also more than there are processors; one for each processor unless given")
      ->option_text("N")
      ->check(CLI::Range(1U, 4096U));
  command->add_flag("--fifo", request.fifo,
                    "Measure with real-time priority, for a machine that is not idle");
  command
      ->add_option("--library", request.library,
                   "The libwstree.so to measure; none measures the others alone")
      ->option_text("FILE");
  command->add_option("--bench", request.programs, "The folder of the programs that measure")
      ->option_text("DIR");
  command->add_option("--out", request.out, "Folder for the results; bench-results unless given")
      ->option_text("DIR");
  command
      ->add_option("--compare", request.compare,
                   "Measure nothing; say which figures of B differ from those of A")
      ->option_text("A B")
      ->expected(2);
  command
      ->add_option("--draw", request.draw,
                   "Measure nothing; draw the pictures of a results.json again, beside it or in --out")
      ->option_text("FILE");
  return command;
}

} // namespace wstree::cli
