// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Teams of 64, 256 and 1,024 members, of which none may look at all others.
#include "greedy.h"
#include "simulated.h"

#include <gtest/gtest.h>

#include <map>
#include <string_view>

namespace wstree::test {
namespace {

using simulate::greedy;

/// The machine as it is assumed, arrivals within a microsecond.
double time_over_ideal(const Workload& loop, std::uint32_t members) {
  Job job = with(loop, {Model::tree, 0}, members);
  job.machine = {};
  return ratio(job);
}

} // namespace
} // namespace wstree::test
