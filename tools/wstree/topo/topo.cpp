// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "arguments.h"
#include "commands.h"
#include "facts.h"
#include "support/exit_status.h"
#include "support/message.h"
#include "support/text_file.h"
#include "support/visible.h"

#include "placement.h"

#include <CLI/CLI.hpp>
#include <charconv>
#include <fmt/format.h>

namespace wstree::cli {

namespace {

constexpr const char* k_topo_footer =
    R"(Without --synthetic and --xml the machine is this one, as far as the process may use it, and the
answer is what a program that is started here would get. Of another machine only the topology
counts: no variables, no quota. Numbers of cores, caches, nodes and packages count what is allowed,
from 0 in the order of the machine; CPUs have the system's numbers.
Examples:
  wstree topo --svg topo.svg
  OMP_NUM_THREADS=8 WSTREE_BIND=spread wstree topo
  wstree topo --synthetic "package:2 numa:2 l3:2 core:4 pu:2" --bind close -n 16 --victims 3)";

/// Returns the number of a member, or "all".
std::optional<Thief> parse_thief(const std::string& text, std::uint32_t members) {
  if (text == "all") return Thief{true, 0};
  Thief thief;
  const auto* end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, thief.member);
  if (result.ec != std::errc{} || result.ptr != end || thief.member >= members) return std::nullopt;
  return thief;
}

} // namespace

CLI::App* add_topo(CLI::App& app, TopoRequest& request) {
  auto* topo = app.add_subcommand("topo", "Show where threads are pinned, and where each steals first");
  topo->footer(k_topo_footer);
  topo->add_option("-n", request.members, "Members of the team; unless given, as many as a program would get")
      ->option_text("MEMBERS")
      ->check(CLI::Range(1U, place::Placement::k_most_members));
  topo->add_option("--bind", request.bind, "What to assume instead of WSTREE_BIND: auto, close, spread, none")
      ->option_text("BIND");
  auto* synthetic = topo->add_option("--synthetic", request.synthetic, "A machine that hwloc makes up")
                        ->option_text("DESCRIPTION");
  topo->add_option("--xml", request.xml, "A machine that lstopo wrote to FILE")
      ->option_text("FILE")
      ->excludes(synthetic);
  topo->add_option("--cpus", request.cpus, "Only these CPUs of it, such as 0-3,8")->option_text("LIST");
  topo->add_option("--places", request.places, "Instead of OMP_PLACES")->option_text("PLACES");
  topo->add_option("--victims", request.victims,
                   "Show the whole order of victims of this member, or of all members; a drawing shows that "
                   "of member 0 unless given")
      ->option_text("MEMBER|all");
  topo->add_flag("--json", request.json, "As JSON");
  topo->add_option(
          "--svg", request.svg,
          "Write a drawing to FILE as well; with -, write nothing but the drawing to standard output")
      ->option_text("FILE");
  return topo;
}

int topo_command(const TopoRequest& request) {
  const bool only_drawing = request.svg == "-";
  if (only_drawing && request.json) {
    say("--json and --svg - both want the standard output");
    return k_own_error;
  }
  Topo topo;
  if (const auto problem = find_topo(request, topo)) {
    say("{}", *problem);
    return k_own_error;
  }
  std::optional<Thief> thief;
  if (request.victims) {
    thief = parse_thief(*request.victims, topo.members);
    if (!thief) {
      say("--victims '{}' is not understood (accepted: a member from 0 to {}, or all)", *request.victims,
          topo.members - 1);
      return k_own_error;
    }
  }
  if (request.svg) {
    const auto drawing = topo_svg(topo, thief.value_or(Thief{}));
    if (only_drawing) {
      fmt::print("{}", drawing);
      return k_ok;
    }
    if (!write_text(*request.svg, drawing)) return k_own_error;
  }
  fmt::print("{}", request.json ? topo_json(topo) : visible_lines(topo_text(topo, thief)));
  return k_ok;
}

} // namespace wstree::cli
