// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "command.h"

#include "cpu_set.h"
#include "process_limits.h"

#include <gtest/gtest.h>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace wstree::test {

/// One core with two hardware threads, as lstopo writes it.
inline constexpr const char* k_core_of_two = R"(<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE topology SYSTEM "hwloc2.dtd">
<topology version="2.0">
  <object type="Machine" os_index="0" cpuset="0x00000003" complete_cpuset="0x00000003" allowed_cpuset="0x00000003" nodeset="0x00000001" complete_nodeset="0x00000001" allowed_nodeset="0x00000001" gp_index="1">
    <object type="NUMANode" os_index="0" cpuset="0x00000003" complete_cpuset="0x00000003" nodeset="0x00000001" complete_nodeset="0x00000001" gp_index="8" local_memory="1048576"/>
    <object type="Package" os_index="0" cpuset="0x00000003" complete_cpuset="0x00000003" nodeset="0x00000001" complete_nodeset="0x00000001" gp_index="2">
      <object type="Core" os_index="0" cpuset="0x00000003" complete_cpuset="0x00000003" nodeset="0x00000001" complete_nodeset="0x00000001" gp_index="3">
        <object type="PU" os_index="0" cpuset="0x00000001" complete_cpuset="0x00000001" nodeset="0x00000001" complete_nodeset="0x00000001" gp_index="4"/>
        <object type="PU" os_index="1" cpuset="0x00000002" complete_cpuset="0x00000002" nodeset="0x00000001" complete_nodeset="0x00000001" gp_index="5"/>
      </object>
    </object>
  </object>
</topology>
)";

using Variables = std::map<std::string, std::string>;

inline Result topo(const std::vector<std::string>& options, const Variables& variables = {}) {
  Start start{.arguments = {"topo"}};
  start.arguments.insert(start.arguments.end(), options.begin(), options.end());
  start.environment.insert(variables.begin(), variables.end());
  return run(start);
}

/// Of a machine that hwloc makes up.
inline Result made_up(const std::string& machine, std::vector<std::string> options = {}) {
  options.insert(options.end(), {"--synthetic", machine});
  return topo(options);
}

inline nlohmann::json made_up_json(const std::string& machine, std::vector<std::string> options = {}) {
  options.emplace_back("--json");
  const auto result = made_up(machine, std::move(options));
  EXPECT_EQ(result.status(), 0) << result.err;
  EXPECT_EQ(result.err, "");
  return nlohmann::json::parse(result.out, nullptr, false);
}

} // namespace wstree::test
