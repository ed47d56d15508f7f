// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rules/rules.h"

#include "code_place.h"
#include "host_guard.h"
#include "own_stack.h"
#include "source_text.h"
#include "tokens.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <new>
#include <unistd.h>

#pragma weak strerrordesc_np // musl has none

namespace wstree::abi {
namespace {

using config::k_most_rule_bytes;
constexpr std::size_t k_shown_origin = 200;
constexpr std::size_t k_shown_word = 100;
using RuleMessage = config::FixedText<config::k_max_line + 1>;

/// A text of its own, which lives as long as the process.
struct OwnText {
  char* data = nullptr;
  std::size_t size = 0;
  std::string_view view() const noexcept { return {data, size}; }
};

/// 0 or the error number; EFBIG if the file is too large.
int read_rules_file(const char* path, OwnText& text) noexcept {
  const int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
  if (descriptor < 0) return errno;
  int error = 0;
  std::size_t capacity = 0;
  for (;;) {
    if (text.size == capacity) {
      capacity = capacity == 0 ? 16'384 : 2 * capacity;
      void* larger = capacity <= k_most_rule_bytes ? std::realloc(text.data, capacity) : nullptr;
      if (larger == nullptr) {
        error = capacity <= k_most_rule_bytes ? ENOMEM : EFBIG;
        break;
      }
      text.data = static_cast<char*>(larger);
    }
    const ssize_t got = ::read(descriptor, text.data + text.size, capacity - text.size);
    if (got == 0) break;
    if (got > 0)
      text.size += static_cast<std::size_t>(got);
    else if (errno != EINTR) {
      error = errno;
      break;
    }
  }
  close(descriptor);
  return error;
}

bool copy_rules(std::string_view value, OwnText& text) noexcept {
  text.data = static_cast<char*>(std::malloc(value.size() + 1));
  if (text.data == nullptr) return false;
  std::memcpy(text.data, value.data(), value.size());
  text.size = value.size();
  return true;
}

bool looks_inline(std::string_view value) noexcept {
  return value.find_first_of(" \t\n;") != std::string_view::npos;
}

/// Then no file is looked for: a filter of system calls may end a process that opens one.
bool has_a_rule(std::string_view value) noexcept {
  config::RuleError error;
  while (!value.empty())
    if (config::parse_rule(config::take_rule_line(value), error)) return true;
  return false;
}

/// `error`: the number of the error; 0 if the file was read.
void complain_about_file(std::string_view path, int error, config::ErrorSink errors) noexcept {
  RuleMessage line;
  line.append("wstree: WSTREE_RULES cannot read '").append_foreign(path, k_shown_origin).append("': ");
#if __GLIBC_PREREQ(2, 32)
  if (const char* cause = error != 0 ? strerrordesc_np(error) : nullptr) line.append(cause);
#else
  if (error != 0) line.append("error ").append_number(static_cast<std::uint64_t>(error));
#endif
  if (error == 0) line.append(config::k_no_text);
  errors(line.append("; no rule holds").view());
}

void complain_about_line(std::string_view origin, std::size_t number, const config::RuleError& error,
                         config::ErrorSink errors) noexcept {
  RuleMessage line;
  line.append("wstree: ").append_foreign(origin, k_shown_origin).append(':').append_number(number);
  line.append(": ");
  if (!error.word.empty()) line.append("'").append_foreign(error.word, k_shown_word).append("' ");
  errors(line.append(error.reason).append("; the line is left out").view());
}

std::string_view file_name(std::string_view path) noexcept {
  const auto slash = path.rfind('/');
  return slash == std::string_view::npos ? path : config::without_first(path, slash + 1);
}

/// A word of a key is null until a thread decides it.
constexpr char k_no_label = 0;

/// Sets `word` to `wanted` if it is null, and returns its value from now on. relaxed everywhere, as in
/// the table of sites: a word changes once, from null, and is all that a reader acts on. Guard:
/// abi_rules, AnswersOfManyThreads.
const void* decide_word(std::atomic<const void*>& word, const void* wanted) noexcept {
  const void* seen = word.load(std::memory_order_relaxed);
  if (seen != nullptr) return seen;
  return word.compare_exchange_strong(seen, wanted, std::memory_order_relaxed, std::memory_order_relaxed)
             ? wanted
             : seen;
}

} // namespace

Rules* Rules::load(std::string_view value, config::ErrorSink errors, bool may_open) noexcept {
  if (value.empty()) return nullptr;
  const observe::HostGuard guard;
  OwnText text;
  std::string_view origin = "WSTREE_RULES";
  config::FixedText<config::k_max_path + 1> path(value);
  int error = EPERM;
  if (may_open && !has_a_rule(value))
    error = path.truncated() ? ENAMETOOLONG : read_rules_file(path.c_str(), text);
  if (error == 0 && config::is_text(text.view())) {
    origin = path.view();
  } else {
    std::free(text.data);
    text = {};
    if (error == 0 || !looks_inline(value)) {
      complain_about_file(value, error, errors);
      return nullptr;
    }
    if (!copy_rules(value, text)) return nullptr;
  }
  void* memory = std::calloc(1, sizeof(Rules));
  Rules* made = memory != nullptr ? ::new (memory) Rules : nullptr;
  if (made != nullptr && made->read(text.view(), origin, errors)) {
    made->text_ = text.data;
    return made;
  }
  std::free(memory);
  std::free(text.data);
  return nullptr;
}

bool Rules::read(std::string_view text, std::string_view origin, config::ErrorSink errors) noexcept {
  std::size_t lines = 1;
  for (const char c : text) lines += c == '\n' || c == ';' ? 1 : 0;
  rules_ = static_cast<config::Rule*>(std::calloc(lines, sizeof(config::Rule)));
  if (rules_ == nullptr) return false;
  std::size_t number = 1;
  while (!text.empty()) {
    const std::string_view line = config::take_rule_line(text);
    config::RuleError error;
    const auto rule = config::parse_rule(line, error);
    if (rule) {
      const char* program = program_invocation_short_name;
      const bool is_of_program = rule->pattern != config::Rule::Pattern::program ||
                                 config::matches_glob(rule->text, program != nullptr ? program : "");
      if (is_of_program) ::new (static_cast<void*>(rules_ + count_++)) config::Rule(*rule);
      if (is_of_program && rule->bind) bind_ = rule->bind;
    } else if (!error.reason.empty()) {
      complain_about_line(origin, number, error, errors);
    }
    if (line.data() + line.size() < text.data() && line.data()[line.size()] == '\n') ++number;
  }
  if (count_ != 0) return true;
  std::free(rules_);
  return false;
}

template <class Source>
config::Ruling Rules::answer(const void* caller, const observe::Label* label, const Source& source) noexcept {
  const void* const kind = label != nullptr ? static_cast<const void*>(label) : &k_no_label;
  const auto mixed = reinterpret_cast<std::uintptr_t>(caller) * 0x9E3779B97F4A7C15U;
  std::size_t place = mixed >> (64 - k_answer_bits);
  for (std::size_t probes = 0; probes < k_most_probes; ++probes) {
    Answer& answer = answers_[place];
    if (decide_word(answer.caller, caller) == caller && decide_word(answer.label, kind) == kind) {
      const std::uint64_t known = answer.ruling.load(std::memory_order_relaxed); // as in decide_word()
      if (known != 0) return config::Ruling::from_bits(known & ~k_decided);
      const config::Ruling decided = decide(caller, source(), label);
      answer.ruling.store(decided.bits() | k_decided, std::memory_order_relaxed); // likewise
      return decided;
    }
    place = (place + 1) % k_answers;
  }
  return decide(caller, source(), label);
}

config::Ruling Rules::of(const void* caller, const char* source, const observe::Label* label) noexcept {
  return answer(caller, label, [source] { return observe::read_source_text(source); });
}

config::Ruling Rules::of_call(const void* site, std::string_view file, std::uint64_t line,
                              const observe::Label* label) noexcept {
  return answer(site, label, [=] { return observe::SourceText{file, {}, line}; });
}

config::Ruling Rules::decide(const void* caller, const observe::SourceText& at,
                             const observe::Label* label) const noexcept {
  config::Ruling ruling;
  stack::on_own_stack([&] { // a place in the code has a long name
    observe::CodePlace code;
    observe::find_code_place(caller, code);
    const char* program = program_invocation_short_name;
    const config::RulePlace place{file_name(code.module.view()),
                                  code.build_id.view(),
                                  code.offset,
                                  at.file,
                                  at.function,
                                  at.line,
                                  program != nullptr ? program : "",
                                  label != nullptr ? label->view() : std::string_view()};
    for (std::size_t i = 0; i < count_; ++i)
      if (config::matches(rules_[i], place)) ruling.overlay(rules_[i].ruling);
  });
  return ruling;
}

} // namespace wstree::abi
