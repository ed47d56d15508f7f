// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "options.h"
#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <sstream>

namespace bench {

void refuse(const std::string& text) {
  std::fprintf(stderr, "bench: %s\nRun with --help for more information.\n", text.c_str());
  std::exit(2);
}

struct OptionList::Reader {
  CLI::App app;
};

OptionList::OptionList(const char* description) : reader_(new Reader{CLI::App(description)}) {}

OptionList::OptionList(const char* description, Common& common, const std::string& names)
    : OptionList(description) {
  common_ = &common;
  hidden("--child", common.child);
  std::istringstream words(names + " json");
  for (std::string word; words >> word;)
    if (word == "library")
      reader_->app.add_option("--library", common.library,
                              "libwstree.so; without it, only the runtime is measured");
    else if (word == "rounds")
      reader_->app.add_option("--rounds", common.rounds, "Samples of each value, or processes of each kind")
          ->capture_default_str()
          ->check(CLI::Range(1, 9999));
    else if (word == "threads")
      count("--threads", common.threads, 1, "Threads of a team");
    else if (word == "max-delay")
      number("--max-delay", common.max_delay, 0,
             "A timing is not used if its threads waited for longer than this part of it");
    else if (word == "only")
      text("--only", common.only, "One workload");
    else if (word == "scale")
      number("--scale", common.scale, 1e-6, "Work, or size of the data; 1 is what is reported");
    else
      reader_->app.add_option("--json", common.json, "File for the figures");
}

OptionList::~OptionList() = default;

void OptionList::repeat(const char* name, std::function<std::string()> value) {
  repeated_.emplace_back(name, std::move(value));
}

void OptionList::text(const char* name, std::string& value, const char* help) {
  reader_->app.add_option(name, value, help)->capture_default_str();
  repeat(name, [&value] { return value; });
}

void OptionList::texts(const char* name, std::vector<std::string>& values, const char* help) {
  reader_->app.add_option(name, values, help)->allow_extra_args(false);
}

void OptionList::count(const char* name, int& value, int least, const char* help) {
  constexpr int k_most = 100'000'000;
  reader_->app.add_option(name, value, help)->capture_default_str()->check(CLI::Range(least, k_most));
  repeat(name, [&value] { return std::to_string(value); });
}

void OptionList::count(const char* name, std::uint64_t& value, std::uint64_t least, const char* help) {
  constexpr auto k_most = std::numeric_limits<std::uint64_t>::max();
  reader_->app.add_option(name, value, help)->capture_default_str()->check(CLI::Range(least, k_most));
}

void OptionList::number(const char* name, double& value, double least, const char* help) {
  constexpr double k_most = 1e9;
  reader_->app.add_option(name, value, help)->capture_default_str()->check(CLI::Range(least, k_most));
  repeat(name, [&value] { return std::to_string(value); });
}

void OptionList::flag(const char* name, bool& value, const char* help) {
  reader_->app.add_flag(name, value, help);
}

void OptionList::hidden(const char* name, std::string& value) {
  reader_->app.add_option(name, value)->group("");
}

void OptionList::parse(int argc, char** argv) {
  try {
    reader_->app.parse(argc, argv);
  } catch (const CLI::Success& success) {
    std::exit(reader_->app.exit(success)); // --help
  } catch (const CLI::ParseError& error) {
    refuse(error.what());
  }
  if (common_ == nullptr) return;
  for (const auto& [name, value] : repeated_)
    if (const std::string text = value(); !text.empty())
      common_->again.insert(common_->again.end(), {name, text});
}

} // namespace bench
