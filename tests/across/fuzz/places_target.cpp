// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A value of OMP_PLACES. The first two bytes choose the machine and the team.
#include "support/bytes.h"
#include "support/machine_checks.h"
#include "support/target.h"

#include <algorithm>
#include <array>
#include <memory>
#include <string>

namespace wstree::fuzz::places_target {
namespace {

using namespace place;

/// Loaded once.
const Machine& machine(std::uint32_t which) {
  static constexpr std::array<const char*, 4> k_descriptions{"package:2 numa:2 l3:2 l2:1 core:2 pu:2", "pu:1",
                                                             "core:3 pu:2(indexes=5,0,3,1,4,2)",
                                                             "package:2 core:3 pu:2"};
  static const auto machines = [] {
    std::array<std::unique_ptr<const Machine>, k_descriptions.size()> all;
    CpuSet within; // of the last one: some CPUs are not allowed
    for (const std::uint32_t cpu : {1U, 2U, 3U, 7U, 10U, 11U}) within.add(cpu);
    for (std::size_t i = 0; i < all.size(); ++i) {
      std::string_view why;
      all[i] = Machine::load({.kind = MachineSource::Kind::synthetic,
                              .text = k_descriptions[i],
                              .within = i + 1 == all.size() ? &within : nullptr},
                             why);
      require(all[i] != nullptr, "the machine can be loaded", why);
      check_machine(*all[i]);
    }
    return all;
  }();
  return *machines[which % machines.size()];
}

/// The places in the form {cpu,cpu},...
std::string listed(const Machine& machine, const Places& places) {
  std::string text;
  for (std::uint32_t p = 0; p < places.count(); ++p) {
    text += p == 0 ? "{" : ",{";
    for (std::uint32_t i = 0; i < places.cpus(p); ++i)
      text += (i == 0 ? "" : ",") + std::to_string(machine.cpu(places.cpu(p, i)).os);
    text += "}";
  }
  return text;
}

bool same(const Machine& machine, const Places& a, const Places& b) {
  if (a.count() != b.count()) return false;
  for (std::uint32_t p = 0; p < a.count(); ++p)
    if (a.mask(machine, p) != b.mask(machine, p)) return false;
  return true;
}

std::string spaced(std::string_view text) {
  std::string result = " ";
  for (const char c : text) {
    const bool sign = std::string_view("{}(),:!").find(c) != std::string_view::npos;
    result += sign ? std::string(" ") + c + "\t" : std::string(1, c);
  }
  return result + "\n";
}

void body(std::string_view input) {
  Bytes bytes(input);
  const Machine& on = machine(bytes.byte());
  const std::uint32_t members = bytes.between(1, 70);
  const auto text = bytes.rest();
  if (text.size() > 2000) return;

  std::string_view why;
  const auto places = Places::parse(on, text, why);
  require((places == nullptr) == !why.empty(), "there is a reason if there are no places", why);
  if (places == nullptr) return;
  check_places(on, *places);

  std::string_view still;
  constexpr std::uint32_t k_most_listed = 2000;
  if (places->count() <= k_most_listed) {
    const auto again = Places::parse(on, listed(on, *places), still);
    require(again != nullptr && same(on, *places, *again), "the places, listed, are the same",
            listed(on, *places));
  }
  const auto wide = Places::parse(on, spaced(text), still);
  require(wide != nullptr && same(on, *places, *wide), "blanks between tokens do not matter", text);

  for (const Spacing spacing : {Spacing::close, Spacing::spread}) {
    const auto layout = Layout::make(on, *places, spacing, members);
    require(layout != nullptr, "there is a layout");
    check_layout(*layout, members);
    for (std::uint32_t m = 0; m < members; ++m)
      require(layout->place(m) < places->count() && on.cpus() > layout->cpu(m), "members are on places");
  }
}

const Registration registration("places", body);

} // namespace
} // namespace wstree::fuzz::places_target
