// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "target.h"

#include <cstdio>
#include <cstdlib>
#include <string>

namespace wstree::fuzz {
namespace {

std::string_view g_input;
std::string_view g_target;

/// As C++ writes a string, so that a failure can be copied into a test.
std::string quoted(std::string_view bytes) {
  constexpr std::size_t k_most = 2000;
  std::string text = "\"";
  for (const char c : bytes.substr(0, k_most)) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      text += '\\';
      text += c;
    } else if (byte >= 0x20 && byte < 0x7f) {
      text += c;
    } else {
      char escape[8];
      std::snprintf(escape, sizeof escape, "\\%03o", byte);
      text += escape;
    }
  }
  return text + (bytes.size() > k_most ? "\"..." : "\"");
}

} // namespace

std::vector<Target>& targets() {
  static std::vector<Target> all;
  return all;
}

void require(bool holds, std::string_view what, std::string_view about) {
  if (holds) return;
  const std::string sentence(what), shown = quoted(about), input = quoted(g_input), name(g_target);
  std::fprintf(stderr, "fuzz target %s: does not hold: %s\n  about: %s\n  input: %s\n", name.c_str(),
               sentence.c_str(), shown.c_str(), input.c_str());
  std::abort();
}

void run(const Target& target, std::string_view input) {
  g_input = input;
  g_target = target.name;
  target.body(input);
}

} // namespace wstree::fuzz
