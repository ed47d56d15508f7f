// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What callgrind has counted.
#pragma once

#include <cstdint>
#include <istream>
#include <string>
#include <string_view>

namespace wstree::test {

struct Executed {
  std::uint64_t instructions = 0;
  std::uint64_t locked = 0;       ///< of these, atomic read-modify-writes
  std::uint64_t mispredicted = 0; ///< and branches that went the other way than before
};
/// What was executed of the object that is called `object`, without functions elsewhere that it calls. `dump`
/// was written with --collect-bus=yes or --branch-sim=yes, and --compress-strings=no --compress-pos=no.
Executed executed_in(std::istream& dump, std::string_view object);

} // namespace wstree::test
