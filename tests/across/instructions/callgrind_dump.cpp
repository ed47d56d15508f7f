// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "callgrind_dump.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <sstream>
#include <vector>

namespace wstree::test {

// Lines are "events: Ir ...", which names the counts, "ob=PATH", which says where the functions from here on
// are, "POSITION COUNT..." (without zeros at the end), and "calls=...", whose next line has the counts of the
// called function: these are counted where that function stands.
Executed executed_in(std::istream& dump, std::string_view object) {
  Executed sum;
  bool counts = false;
  bool of_a_call = false;
  std::vector<std::string> events;
  for (std::string line; std::getline(dump, line);) {
    if (line.starts_with("events: ")) {
      std::istringstream names(line.substr(line.find(' ')));
      events.assign(std::istream_iterator<std::string>(names), {});
    } else if (line.starts_with("ob=")) {
      counts = std::string_view(line).substr(line.rfind('/') + 1) == object;
    } else if (line.starts_with("calls=")) {
      of_a_call = true;
    } else if (!line.empty() && std::isdigit(static_cast<unsigned char>(line.front())) != 0) {
      std::istringstream numbers(line);
      std::vector<std::uint64_t> counted(std::istream_iterator<std::uint64_t>(numbers), {});
      counted.resize(std::max(counted.size(), events.size() + 1));
      for (std::size_t i = 0; counts && !of_a_call && i < events.size(); ++i) {
        if (events[i] == "Ir") sum.instructions += counted[i + 1];
        if (events[i] == "Ge") sum.locked += counted[i + 1];
        if (events[i] == "Bcm") sum.mispredicted += counted[i + 1];
      }
      of_a_call = false;
    }
  }
  return sum;
}

} // namespace wstree::test
