// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// OMP_AFFINITY_FORMAT, against the same rules written with strings.
#include "support/target.h"

#include "affinity_line.h"

#include <algorithm>
#include <cctype>
#include <string>

namespace wstree::fuzz::affinity_format_target {
namespace {

using namespace observe;

constexpr AffinityFacts k_facts{.team_num = 3,
                                .num_teams = 4,
                                .nesting_level = 1,
                                .thread_num = 17,
                                .num_threads = 20,
                                .ancestor_tnum = -1,
                                .host = "node7",
                                .process_id = 4242,
                                .native_thread_id = 4250,
                                .thread_affinity = "0-3,8"};

std::string value_of(std::string_view name) {
  const std::pair<std::string_view, std::string> values[] = {
      {"team_num", "3"},           {"num_teams", "4"},     {"nesting_level", "1"},
      {"thread_num", "17"},        {"num_threads", "20"},  {"ancestor_tnum", "-1"},
      {"host", "node7"},           {"process_id", "4242"}, {"native_thread_id", "4250"},
      {"thread_affinity", "0-3,8"}};
  constexpr std::string_view k_letters = "tTLnNaHPiA";
  for (std::size_t i = 0; i < k_letters.size(); ++i)
    if (name == values[i].first || name == k_letters.substr(i, 1)) return values[i].second;
  return {};
}

/// Only numbers are filled up with zeros.
bool is_number(std::string_view text) {
  return !text.empty() && text != k_facts.host && text != k_facts.thread_affinity;
}

/// One field, whose per cent sign is gone; takes it off `format`.
std::string field(std::string_view& format) {
  const auto take = [&](std::string_view prefix) {
    const bool there = format.starts_with(prefix);
    if (there) format.remove_prefix(prefix.size());
    return there;
  };
  const bool zeros = take("0.");
  const bool right = zeros || take(".");
  std::size_t width = 0;
  while (!format.empty() && std::isdigit(static_cast<unsigned char>(format.front())) != 0) {
    width = std::min<std::size_t>(width * 10 + static_cast<std::size_t>(format.front() - '0'),
                                  AffinityLine::capacity());
    format.remove_prefix(1);
  }
  std::string_view name = format.substr(0, 1);
  if (take("{")) {
    const auto end = format.find('}');
    name = end == std::string_view::npos ? std::string_view() : format.substr(0, end);
    if (name.size() == 1) name = "no letter"; // letters stand without braces
    format = end == std::string_view::npos ? std::string_view() : format.substr(end + 1);
  } else if (!format.empty()) {
    format.remove_prefix(1);
  }
  std::string text = value_of(name);
  const bool number = is_number(text);
  if (text.empty()) text = "undefined";
  const std::string filling(width > text.size() ? width - text.size() : 0, zeros && number ? '0' : ' ');
  if (zeros && number && text.front() == '-') return "-" + filling + text.substr(1);
  return right ? filling + text : text + filling;
}

std::string expected_line(std::string_view format) {
  std::string line;
  while (!format.empty()) {
    const char c = format.front();
    format.remove_prefix(1);
    if (c != '%') {
      line += c;
    } else if (format.starts_with('%')) {
      line += c;
      format.remove_prefix(1);
    } else {
      line += field(format);
    }
  }
  return line;
}

void body(std::string_view format) {
  const auto line = affinity_line(format, k_facts);
  if (format.empty()) {
    require(line.view() == "wstree: level 1 thread 17 of 20 bound to CPU 0-3,8", "there is a line of our own",
            line.view());
    return;
  }
  const auto expected = expected_line(format);
  require(line.view() == std::string_view(expected).substr(0, AffinityLine::capacity()),
          "the line is as OpenMP has it", line.view());
  require(line.truncated() == (expected.size() > AffinityLine::capacity()), "what is cut off is known",
          line.view());
}

const Registration registration("affinity_format", body);

} // namespace
} // namespace wstree::fuzz::affinity_format_target
