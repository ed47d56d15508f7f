// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "affinity_line.h"

#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace wstree::observe {
namespace {

constexpr std::string_view k_own_format = "wstree: level %L thread %n of %N bound to CPU %A";
constexpr std::string_view k_undefined = "undefined";

struct LongName {
  std::string_view name;
  char letter;
};
constexpr LongName k_long_names[] = {{"team_num", 't'},       {"num_teams", 'T'},   {"nesting_level", 'L'},
                                     {"thread_num", 'n'},     {"num_threads", 'N'}, {"ancestor_tnum", 'a'},
                                     {"host", 'H'},           {"process_id", 'P'},  {"native_thread_id", 'i'},
                                     {"thread_affinity", 'A'}};

/// One %-field behind its per cent sign.
struct Field {
  bool zeros = false; // numbers are filled up with zeros
  bool right = false; // adjusted to the right
  std::size_t width = 0;
  char letter = '\0'; // '\0': does not exist
};

bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }

/// Takes `prefix` off the text if it begins so.
bool skip(std::string_view& text, std::string_view prefix) noexcept {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

/// Reads a field off the beginning of `text`.
Field read_field(std::string_view& text) noexcept {
  Field field;
  field.zeros = skip(text, "0.");
  field.right = field.zeros || skip(text, ".");
  for (; !text.empty() && is_digit(text.front()); text.remove_prefix(1))
    field.width =
        std::min(field.width * 10 + static_cast<std::size_t>(text.front() - '0'), AffinityLine::capacity());
  if (skip(text, "{")) {
    const std::size_t end = text.find('}');
    if (end == std::string_view::npos) {
      text = {};
      return field;
    }
    for (const LongName& known : k_long_names)
      if (text.substr(0, end) == known.name) field.letter = known.letter;
    text.remove_prefix(end + 1);
  } else if (!text.empty()) {
    const char letter = text.front();
    text.remove_prefix(1);
    for (const LongName& known : k_long_names)
      if (letter == known.letter) field.letter = letter;
  }
  return field;
}

void append_filled(AffinityLine& line, std::string_view value, const Field& field) noexcept {
  const std::size_t missing = field.width > value.size() ? field.width - value.size() : 0;
  if (!field.right) line.append(value);
  for (std::size_t i = 0; i < missing; ++i) line.append(' ');
  if (field.right) line.append(value);
}

void append_number(AffinityLine& line, std::uint64_t value, bool negative, const Field& field) noexcept {
  config::FixedText<24> digits;
  digits.append_number(value);
  if (!field.zeros) {
    config::FixedText<24> text;
    if (negative) text.append('-');
    return append_filled(line, text.append(digits.view()).view(), field);
  }
  const std::size_t size = digits.size() + (negative ? 1 : 0);
  if (negative) line.append('-');
  for (std::size_t i = size; i < field.width; ++i) line.append('0');
  line.append(digits.view());
}

void append_field(AffinityLine& line, const Field& field, const AffinityFacts& facts) noexcept {
  const auto number = [&](std::uint64_t value) { append_number(line, value, false, field); };
  switch (field.letter) {
  case 't':
    return number(facts.team_num);
  case 'T':
    return number(facts.num_teams);
  case 'L':
    return number(facts.nesting_level);
  case 'n':
    return number(facts.thread_num);
  case 'N':
    return number(facts.num_threads);
  case 'a': {
    const bool negative = facts.ancestor_tnum < 0;
    const auto value = static_cast<std::uint64_t>(facts.ancestor_tnum);
    return append_number(line, negative ? 0 - value : value, negative, field);
  }
  case 'H':
    return append_filled(line, facts.host, field);
  case 'P':
    return number(facts.process_id);
  case 'i':
    return number(facts.native_thread_id);
  case 'A':
    return append_filled(line, facts.thread_affinity, field);
  default:
    return append_filled(line, k_undefined, field);
  }
}

} // namespace

void add_system_facts(AffinityFacts& facts, HostName& name) noexcept {
  const int saved_errno = errno;
  utsname system{};
  name.clear();
  if (uname(&system) == 0) name.append(system.nodename);
  facts.host = name.view();
  facts.process_id = static_cast<std::uint64_t>(getpid());
  facts.native_thread_id = static_cast<std::uint64_t>(syscall(SYS_gettid));
  errno = saved_errno;
}

AffinityLine affinity_line(std::string_view format, const AffinityFacts& facts) noexcept {
  if (format.empty()) format = k_own_format;
  AffinityLine line;
  while (!format.empty()) {
    const std::size_t plain = std::min(format.find('%'), format.size());
    line.append(format.substr(0, plain));
    format.remove_prefix(plain);
    if (skip(format, "%%"))
      line.append('%');
    else if (skip(format, "%"))
      append_field(line, read_field(format), facts);
  }
  return line;
}

} // namespace wstree::observe
