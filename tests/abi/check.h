// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A harness for programs that stand for the user's: headers and the standard library only, for any compiler.
// A program lists its cases and calls check::run(). The first violation prints file, case, culprit and seed
// and ends the process with status 1; so does a hang after --time-limit seconds.
//   --case NAME   only this case (may be repeated)   --skip NAME   not this case (may be repeated)
//   --seed S      replay                             --repeat N       repetitions of cases that look for
//   races
//   --long        the thorough sizes                 --time-limit S   default 500
#pragma once

#include "split_mix.h"

#include <csignal>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <string>
#include <unistd.h>
#include <vector>

namespace check {

struct Settings {
  std::uint64_t seed = 0;
  int repeat = 0; ///< 0: the case's own default
  bool thorough = false;
  unsigned time_limit_s = 500; ///< a machine that is busy with other things is no hang
  const char* program = "";
  const char* current = ""; ///< name of the running case
  const char* detail = "";  ///< what of it, for the message about a hang
};

inline Settings settings;

/// Repetitions for a case that hunts a race: --repeat wins, then the two defaults.
inline int repeat(int normal, int thorough) {
  if (settings.repeat > 0) return settings.repeat;
  return settings.thorough ? thorough : normal;
}

/// Prints the culprit and ends the process. The first thread to arrive wins; later ones wait to be swept
/// away, so that one broken loop gives one message and not one per thread.
[[noreturn]] [[gnu::format(printf, 4, 5)]] inline void fail(const char* file, int line, const char* condition,
                                                            const char* format, ...) {
  static std::sig_atomic_t volatile failed = 0;
  if (__atomic_exchange_n(&failed, 1, __ATOMIC_RELAXED) != 0)
    for (;;) pause();
  std::fprintf(stderr, "%s:%d: %s: %s does not hold: ", file, line, settings.current, condition);
  va_list arguments;
  va_start(arguments, format);
  std::vfprintf(stderr, format, arguments);
  va_end(arguments);
  std::fprintf(stderr, "\n  replay: %s --case %s --seed %llu\n", settings.program, settings.current,
               static_cast<unsigned long long>(settings.seed));
  std::fflush(stderr);
  std::_Exit(1);
}

#define CHECK(condition, ...)                                                                                \
  do {                                                                                                       \
    if (!(condition)) ::check::fail(__FILE__, __LINE__, #condition, __VA_ARGS__);                            \
  } while (0)

/// Says where the program stands, in a handler that may have interrupted any function.
inline void report_hang(int) {
  auto say = [](const char* text) {
    if (write(STDERR_FILENO, text, std::strlen(text)) < 0) std::_Exit(2);
  };
  char digits[24];
  char* first = digits + sizeof digits - 1;
  *first = '\0';
  std::uint64_t rest = settings.seed;
  do *--first = static_cast<char>('0' + rest % 10);
  while ((rest /= 10) != 0);
  say("hang or far too slow in case ");
  say(settings.current);
  say(", seed ");
  say(first);
  say("\n");
  say(settings.detail);
  std::_Exit(1);
}

struct Case {
  const char* name;
  void (*run)();
};
#define CASE(function)                                                                                       \
  { #function, function }

/// Option `name` of the command line as a number, or `fallback`. For options that only one program has.
inline long long number(int argc, char** argv, const char* name, long long fallback) {
  for (int i = 1; i + 1 < argc; ++i)
    if (std::strcmp(argv[i], name) == 0) return std::strtoll(argv[i + 1], nullptr, 10);
  return fallback;
}

inline bool flag(int argc, char** argv, const char* name) {
  for (int i = 1; i < argc; ++i)
    if (std::strcmp(argv[i], name) == 0) return true;
  return false;
}

inline int run(int argc, char** argv, std::initializer_list<Case> cases) {
  std::vector<std::string> wanted, unwanted;
  settings.program = argv[0];
  // Not std::random_device, whose header takes a third of the compilation of a program.
  std::uint32_t seed = 0;
  settings.seed = getentropy(&seed, sizeof seed) == 0 ? seed : static_cast<std::uint32_t>(getpid());
  for (int i = 1; i < argc; ++i) {
    const std::string option = argv[i];
    const char* const value = i + 1 < argc ? argv[i + 1] : "0";
    if (option == "--seed") settings.seed = std::strtoull(value, nullptr, 10);
    if (option == "--repeat") settings.repeat = std::atoi(value);
    if (option == "--time-limit") settings.time_limit_s = static_cast<unsigned>(std::atoi(value));
    if (option == "--case") wanted.emplace_back(value);
    if (option == "--skip") unwanted.emplace_back(value);
    if (option == "--long") settings.thorough = true;
  }
  std::signal(SIGALRM, report_hang);
  alarm(settings.time_limit_s);
  std::size_t executed = 0;
  for (const Case& each : cases) {
    bool selected = wanted.empty();
    for (const std::string& name : wanted) selected = selected || name == each.name;
    for (const std::string& name : unwanted) selected = selected && name != each.name;
    if (!selected) continue;
    settings.current = each.name;
    each.run();
    ++executed;
  }
  if (executed == 0 || executed < wanted.size()) {
    std::fprintf(stderr, "%s: no such case\n", argv[0]);
    return 2;
  }
  std::printf("%zu cases passed, seed %llu\n", executed, static_cast<unsigned long long>(settings.seed));
  return 0;
}

/// Busy work of about `units` nanoseconds that no optimiser removes;
/// uneven bodies are what makes threads steal.
inline void spin(std::uint64_t units) {
  for (std::uint64_t i = 0; i < units; ++i) __asm__ volatile("");
}

} // namespace check
