// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "places.h"

#include "fair_share.h"
#include "places_builder.h"

#include <algorithm>
#include <new>

namespace wstree::place {
namespace {

/// Marks `wanted` CPUs (no more than there are) in the order in which they are worth having: first threads of
/// cores before second ones, then fast cores before slow ones. Null: no memory.
std::unique_ptr<Mark[]> choose(const Machine& machine, std::uint32_t wanted, Spacing spacing) noexcept {
  const std::uint32_t cpus = machine.cpus();
  std::unique_ptr<Mark[]> marks(new (std::nothrow) Mark[cpus]());
  const std::unique_ptr<std::uint32_t[]> order(new (std::nothrow) std::uint32_t[cpus]);
  if (marks == nullptr || order == nullptr) return nullptr;
  for (std::uint32_t i = 0; i < cpus; ++i) order[i] = i;
  std::sort(order.get(), order.get() + cpus, [&machine](std::uint32_t a, std::uint32_t b) {
    const Cpu& left = machine.cpu(a);
    const Cpu& right = machine.cpu(b);
    if (left.smt != right.smt) return left.smt < right.smt;
    if (left.kind != right.kind) return left.kind > right.kind;
    return a < b;
  });
  const auto alike = [&machine](std::uint32_t a, std::uint32_t b) noexcept {
    return machine.cpu(a).smt == machine.cpu(b).smt && machine.cpu(a).kind == machine.cpu(b).kind;
  };

  std::uint32_t chosen = 0;
  for (std::uint32_t begin = 0; chosen < wanted;) { // equally good ones at a time
    std::uint32_t end = begin + 1;
    while (end < cpus && alike(order[begin], order[end])) ++end;
    const bool all = end - begin <= wanted - chosen;
    if (all || spacing == Spacing::close) {
      const std::uint32_t stop = std::min(end, begin + (wanted - chosen));
      for (std::uint32_t i = begin; i < stop; ++i) marks[order[i]] = Mark::chosen;
      chosen += stop - begin;
    } else {
      for (std::uint32_t i = begin; i < end; ++i) marks[order[i]] = Mark::candidate;
      if (!choose_fairly(machine, {marks.get(), cpus}, wanted - chosen)) return nullptr;
      chosen = wanted;
    }
    begin = end;
  }
  return marks;
}

} // namespace

std::unique_ptr<const Places> Places::by_default(const Machine& machine, std::uint32_t members,
                                                 Spacing spacing) noexcept {
  const std::uint32_t wanted = std::clamp<std::uint32_t>(members, 1, machine.cpus());
  const std::unique_ptr<Mark[]> marks = choose(machine, wanted, spacing);
  if (marks == nullptr) return nullptr;
  const bool whole_cores = wanted <= machine.cores();
  PlacesBuilder builder;
  for (std::uint32_t i = 0; i < machine.cpus(); ++i) {
    if (marks[i] != Mark::chosen) continue;
    builder.add_cpu(i);
    if (whole_cores) // only first threads are chosen, and the others follow
      for (std::uint32_t next = i + 1; next < machine.cpus() && machine.cpu(next).smt != 0; ++next)
        builder.add_cpu(next);
    builder.end_place();
  }
  return builder.finish();
}

CpuSet Places::mask(const Machine& machine, std::uint32_t p) const noexcept {
  CpuSet set;
  for (std::uint32_t i = 0; i < cpus(p); ++i) set.add(machine.cpu(cpu(p, i)).os);
  return set;
}

std::size_t Places::bytes() const noexcept {
  return sizeof *this + (std::size_t{count_} + 1 + begins_[count_]) * sizeof(std::uint32_t);
}

} // namespace wstree::place
