// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "options.h"
#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>
#include <limits>

namespace bench {

void refuse(const std::string& text) {
  std::fprintf(stderr, "bench: %s\nRun with --help for more information.\n", text.c_str());
  std::exit(2);
}

struct OptionList::Reader {
  CLI::App app;
};

OptionList::OptionList(const char* description) : reader_(new Reader{CLI::App(description)}) {}
OptionList::~OptionList() = default;

void OptionList::text(const char* name, std::string& value, const char* help) {
  reader_->app.add_option(name, value, help)->capture_default_str();
}

void OptionList::texts(const char* name, std::vector<std::string>& values, const char* help) {
  reader_->app.add_option(name, values, help)->allow_extra_args(false);
}

void OptionList::count(const char* name, int& value, int least, const char* help) {
  constexpr int k_most = 100'000'000;
  reader_->app.add_option(name, value, help)->capture_default_str()->check(CLI::Range(least, k_most));
}

void OptionList::count(const char* name, std::uint64_t& value, std::uint64_t least, const char* help) {
  constexpr auto k_most = std::numeric_limits<std::uint64_t>::max();
  reader_->app.add_option(name, value, help)->capture_default_str()->check(CLI::Range(least, k_most));
}

void OptionList::number(const char* name, double& value, double least, const char* help) {
  constexpr double k_most = 1e9;
  reader_->app.add_option(name, value, help)->capture_default_str()->check(CLI::Range(least, k_most));
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
}

} // namespace bench
