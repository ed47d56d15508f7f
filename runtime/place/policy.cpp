// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "policy.h"

#include "cgroup.h"

namespace wstree::place {

namespace {

Reason reason_for_auto(const Limits& limits, const Machine& machine, std::uint32_t members) noexcept {
  if (!limits.user_placed.empty()) return Reason::user_placed;
  if (limits.ranks_share_mask) return Reason::ranks_share_mask;
  if (limits.quota != 0 && limits.quota < members * k_whole_cpu) return Reason::quota;
  if (members > machine.cpus()) return Reason::too_many;
  if (members < machine.cores()) return Reason::cores_left;
  return Reason::fits;
}

void append_count(ReasonText& text, std::uint32_t count, std::string_view thing) noexcept {
  text.append_number(count).append(' ').append(thing);
  if (count != 1) text.append('s');
}

/// With as many digits as it needs, and two at most behind the point, rounded down: never more than there is.
void append_cpus(ReasonText& text, std::uint64_t quota) noexcept {
  const std::uint64_t hundredths = quota / (k_whole_cpu / 100);
  text.append_number(hundredths / 100);
  if (hundredths % 100 == 0) return;
  text.append('.').append_number(hundredths / 10 % 10);
  if (hundredths % 10 != 0) text.append_number(hundredths % 10);
}

} // namespace

Decision decide(config::Bind bind, const Limits& limits, const Machine& machine,
                std::uint32_t members) noexcept {
  const Spacing spacing = bind == config::Bind::spread ? Spacing::spread : Spacing::close;
  if (bind == config::Bind::none) return {false, spacing, Reason::off};
  if (members <= 1) return {false, spacing, Reason::alone};
  if (bind != config::Bind::auto_) {
    if (limits.runtime_binds)
      return {false, spacing, Reason::user_placed}; // it would do so again in each region
    // Each of them would begin with the first place.
    if (limits.ranks_share_mask && limits.user_placed.empty())
      return {false, spacing, Reason::ranks_share_mask};
    return {true, spacing, Reason::asked};
  }
  const Reason reason = reason_for_auto(limits, machine, members);
  return {reason == Reason::fits, spacing, reason};
}

ReasonText explain(const Decision& decision, const Limits& limits, const Machine& machine,
                   std::uint32_t members) noexcept {
  ReasonText text;
  switch (decision.reason) {
  case Reason::asked:
  case Reason::fits:
  case Reason::too_many:
    append_count(text, members, "member");
    text.append(" on ");
    // Above the number of cores it is the hardware threads that matter.
    if (members <= machine.cores() || machine.cpus() == machine.cores())
      append_count(text, machine.cores(), "core");
    else
      append_count(text, machine.cpus(), "CPU");
    break;
  case Reason::off:
    text.append("as asked for");
    break;
  case Reason::alone:
    text.append("a team of one");
    break;
  case Reason::user_placed:
    text.append(limits.user_placed).append(" is set");
    break;
  case Reason::ranks_share_mask:
    append_count(text, limits.local_ranks, "rank");
    text.append(" on this machine share CPUs, by ").append(limits.rank_source);
    break;
  case Reason::quota:
    append_count(text, members, "member");
    text.append(", but a control group grants the time of ");
    append_cpus(text, limits.quota);
    text.append(" CPUs");
    break;
  case Reason::cores_left:
    append_count(text, members, "member");
    text.append(" on ");
    append_count(text, machine.cores(), "core");
    text.append(", so other programs may use the rest");
    break;
  }
  return text;
}

} // namespace wstree::place
