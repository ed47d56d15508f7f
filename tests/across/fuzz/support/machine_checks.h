// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What holds for every machine, all places on it and all layouts of teams.
#pragma once

#include "target.h"

#include "layout.h"
#include "machine.h"
#include "places.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace wstree::fuzz {

inline void check_machine(const place::Machine& machine) {
  using namespace place;
  require(machine.cpus() >= 1, "a machine has a CPU");
  require(machine.set().count() == machine.cpus(), "no CPU is there twice");
  require(machine.cores() >= 1 && machine.cores() <= machine.cpus(), "cores have CPUs");
  require(machine.find(CpuSet::k_cpus) == machine.cpus(), "no CPU has a number that is too large");
  for (std::uint32_t i = 0; i < machine.cpus(); ++i) {
    require(machine.find(machine.cpu(i).os) == i, "a CPU is found by its number");
    require(machine.cpu(i).domain[k_levels - 1] == 0, "all CPUs are in the machine");
  }
  for (std::uint32_t level = 0; level < k_levels; ++level) {
    std::uint32_t next = 0; // number of the domain that has not begun
    for (std::uint32_t i = 0; i < machine.cpus(); ++i) {
      const auto domain = machine.cpu(i).domain[level];
      if (domain == Cpu::k_none) continue;
      const bool goes_on = i > 0 && machine.cpu(i - 1).domain[level] == domain;
      require(goes_on || domain == next, "the CPUs of a domain stand in a row",
              name_of(static_cast<Level>(level)));
      if (!goes_on) ++next;
    }
    require(next == machine.domains(static_cast<Level>(level)), "domains are counted",
            name_of(static_cast<Level>(level)));
  }
}

inline void check_places(const place::Machine& machine, const place::Places& places) {
  require(places.count() >= 1, "there is a place");
  for (std::uint32_t p = 0; p < places.count(); ++p) {
    require(places.cpus(p) >= 1, "no place is empty");
    for (std::uint32_t i = 0; i < places.cpus(p); ++i) {
      require(places.cpu(p, i) < machine.cpus(), "places hold CPUs of the machine");
      require(i == 0 || places.cpu(p, i - 1) < places.cpu(p, i), "in its order");
    }
    const auto mask = places.mask(machine, p);
    require(mask.count() == places.cpus(p) && mask.is_within(machine.set()),
            "the mask of a place lies within the machine's");
  }
}

/// `near` of one member: positions are a permutation, domains are nested around the member.
inline void check_neighbourhood(const core::Neighbourhood& near, std::uint32_t member,
                                std::uint32_t members) {
  require(near.position < members && near.root(near.position) == member, "a member knows its position");
  core::Domain inner{near.position, near.position + 1};
  for (std::uint32_t i = 0; i < near.count; ++i) {
    const core::Domain& outer = near.domains[i];
    require(outer.begin <= inner.begin && outer.end >= inner.end && !(outer == inner),
            "domains lie within one another");
    require(outer.end <= members && outer.end - outer.begin < members, "none is the whole team");
    inner = outer;
  }
}

inline void check_layout(const place::Layout& layout, std::uint32_t members) {
  require(layout.members() == members, "a layout has all members");
  std::vector<bool> seen(members);
  for (std::uint32_t m = 0; m < members; ++m) {
    const auto near = layout.neighbourhood(m);
    check_neighbourhood(near, m, members);
    require(!seen[near.position], "no two members have the same position");
    seen[near.position] = true;
  }
}

} // namespace wstree::fuzz
