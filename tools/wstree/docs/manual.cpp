// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "options.h"
#include "topics.h"
#include "writers.h"

#include <algorithm>
#include <fmt/format.h>

namespace wstree::docs {

namespace {

// Names are never hyphenated, so that they can be
// copied, and lines are not stretched, since long names would leave holes.
std::string head(std::string_view name, int section, std::string_view meaning) {
  std::string title(name);
  for (auto& c : title)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  while (!meaning.empty() && meaning.back() == '.') meaning.remove_suffix(1);
  return fmt::format(".\\\" SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception\n"
                     ".\\\" Written by wstree_docs from the commands' own definitions.\n"
                     ".TH {} {} \"{}\" \"wstree {}\" \"wstree manual\"\n.nh\n.ad l\n.SH NAME\n{} \\- {}\n",
                     roff_escaped(title), section, WSTREE_DATE, WSTREE_VERSION, roff_escaped(name),
                     roff_escaped(meaning));
}

std::string section(std::string_view title, const std::string& text) {
  return text.empty() ? std::string() : fmt::format(".SH \"{}\"\n{}", title, text);
}

std::string option_lines(const std::vector<OptionFacts>& options) {
  std::string text;
  for (const auto& option : options) {
    text += ".TP\n";
    for (const auto& name : option.names) {
      text += fmt::format("{}\\fB{}\\fR", &name == &option.names.front() ? "" : ", ", roff_escaped(name));
      if (option.value == Value::optional)
        text += fmt::format("[=\\fI{}\\fR]", roff_escaped(option.value_name));
      else if (option.value != Value::none)
        text += fmt::format(" \\fI{}\\fR", roff_escaped(option.value_name));
    }
    text += '\n' + roff_escaped(option.meaning) + ".\n";
  }
  return text;
}

std::string see_also(std::string_view page) { return fmt::format(".SH \"SEE ALSO\"\n{}\n", page); }

/// Returns the section of a topic, whose first sentence is its title.
std::string topic_section(const cli::HelpTopic& topic) {
  return fmt::format(".SS {}\n{}", roff_escaped(topic.name), roff_of(topic.text));
}

} // namespace

std::string command_page(const CommandFacts& command) {
  const auto name = "wstree-" + command.name;
  const auto parts = parts_of(command.text);
  auto page = head(name, 1, command.meaning);
  page += fmt::format(".SH SYNOPSIS\n\\fBwstree {}\\fR [\\fIOPTIONS\\fR]{}\n", roff_escaped(command.name),
                      command.operands.empty() ? "" : ' ' + roff_escaped(command.operands));
  std::string about = roff_escaped(command.meaning) + ".\n";
  if (!command.operand_meaning.empty())
    about +=
        fmt::format(".TP\n{}\n{}.\n", roff_escaped(command.operands), roff_escaped(command.operand_meaning));
  if (!parts.description.empty()) about += ".PP\n" + roff_of(parts.description);
  page += section("DESCRIPTION", about);
  page += section("OPTIONS", option_lines(command.options));
  if (!command.details.empty()) page += section("MORE", roff_of(command.details));
  page += section("EXIT STATUS", roff_of(parts.exit_status));
  page += section("EXAMPLES", roff_of(parts.examples));
  return page + see_also(".BR wstree (1),\n.BR wstree (7)");
}

std::string main_page(const CommandFacts& app, const std::vector<CommandFacts>& commands) {
  const auto parts = parts_of(app.text);
  auto page = head("wstree", 1, app.meaning);
  page += ".SH SYNOPSIS\n\\fBwstree\\fR \\fICOMMAND\\fR [\\fIOPTIONS\\fR]\n.PP\n"
          "\\fBwstree run\\fR [\\fIOPTIONS\\fR] [\\-\\-] \\fIPROGRAM\\fR [\\fIARGUMENTS\\fR...]\n";
  page += section("DESCRIPTION", roff_escaped(app.meaning) +
                                     "\nThe variables of the library are explained in\n.BR wstree (7).\n");
  std::string list, pages;
  for (const auto& command : commands) {
    list += fmt::format(".TP\n\\fB{}\\fR\n{}:\n.BR wstree\\-{} (1).\n", roff_escaped(command.name),
                        roff_escaped(command.meaning), roff_escaped(command.name));
    pages += fmt::format(".BR wstree\\-{} (1),\n", roff_escaped(command.name));
  }
  page += section("COMMANDS", list) + section("OPTIONS", option_lines(app.options));
  page += section("EXIT STATUS", roff_of(parts.exit_status));
  page += section("EXAMPLES", roff_of(parts.examples + parts_of(app.details).examples));
  return page + see_also(pages + ".BR wstree (7)");
}

std::string variables_page() {
  auto page = head("wstree", 7, "share out the loops of OpenMP programs with a work-stealing tree");
  page += ".SH SYNOPSIS\n\\fBLD_PRELOAD=\\fIlibwstree.so\\fR \\fBOMP_SCHEDULE=wstree\\fR "
          "\\fIPROGRAM\\fR\n.PP\n\\fBwstree run\\fR \\fIPROGRAM\\fR\n";
  page += section(
      "DESCRIPTION",
      roff_of("libwstree serves the schedule(runtime) loops of OpenMP programs that gcc, gfortran, clang "
              "and flang have built, and on request other loops too. Nothing is recompiled, and the "
              "OpenMP runtime stays in charge of everything else. The library does nothing unless it is "
              "asked to by the variables below.\n"));
  std::string list;
  for (const auto& option : config::k_options)
    list += fmt::format(".TP\n\\fB{}\\fR\nValues: {}.\nDefault: {}.\n.IP\n{}.\n", roff_escaped(option.name),
                        roff_escaped(option.accepted),
                        option.default_value.empty() ? "not set" : roff_escaped(option.default_value),
                        roff_escaped(option.meaning));
  page += section("ENVIRONMENT", list);
  std::string topics;
  auto all = cli::written_topics();
  std::ranges::sort(all, {}, &cli::HelpTopic::name);
  for (const auto& topic : all) topics += topic_section(topic);
  return page + section("TOPICS", topics) + see_also(".BR wstree (1)");
}

} // namespace wstree::docs
