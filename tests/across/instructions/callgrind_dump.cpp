// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "callgrind_dump.h"

#include <cctype>
#include <sstream>

namespace wstree::test {

// Lines are "ob=PATH", which says where the functions from here on are, "POSITION INSTRUCTIONS LOCKED"
// (without zeros at the end), and "calls=...", whose next line has what the called function took: that is
// counted where that function stands.
Executed executed_in(std::istream& dump, std::string_view object) {
  Executed sum;
  bool counts = false;
  bool of_a_call = false;
  for (std::string line; std::getline(dump, line);) {
    if (line.starts_with("ob=")) {
      counts = std::string_view(line).substr(line.rfind('/') + 1) == object;
    } else if (line.starts_with("calls=")) {
      of_a_call = true;
    } else if (!line.empty() && std::isdigit(static_cast<unsigned char>(line.front())) != 0) {
      std::uint64_t position = 0;
      std::uint64_t instructions = 0;
      std::uint64_t locked = 0;
      std::istringstream(line) >> position >> instructions >> locked;
      if (counts && !of_a_call) {
        sum.instructions += instructions;
        sum.locked += locked;
      }
      of_a_call = false;
    }
  }
  return sum;
}

} // namespace wstree::test
