// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The events that recorder.cpp has written.
#pragma once

#include "process.h"

#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace wstree::test {

/// A line of recorder.cpp.
struct Event {
  std::string what;
  std::map<std::string, std::string> fields;

  [[nodiscard]] long number(const std::string& name) const {
    const auto found = fields.find(name);
    return found != fields.end() ? std::stol(found->second) : -1;
  }
  [[nodiscard]] bool begins() const { return number("end") == 0; }
  [[nodiscard]] bool is(const std::string& kind, bool begin) const {
    return what == kind && begins() == begin;
  }
};
using Events = std::vector<Event>;

inline Events events_of(const std::string& text) {
  Events events;
  for (const std::string& line : lines_of(text)) {
    std::istringstream words(line);
    Event event;
    words >> event.what;
    for (std::string word; words >> word;) {
      const std::size_t equals = word.find('=');
      event.fields[word.substr(0, equals)] = equals != std::string::npos ? word.substr(equals + 1) : "";
    }
    events.push_back(event);
  }
  return events;
}

} // namespace wstree::test
