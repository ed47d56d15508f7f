// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "unserved_regions.h"

#include "code_place.h"
#include "message.h"
#include "place_name.h"
#include "report.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>

namespace wstree::observe {
namespace {

struct UnservedRegion {
  const void* caller = nullptr;
  const void* at = nullptr;
  // release and acquire: the rest is complete. Guard: none, as the report is written when the program ends.
  std::atomic<const char*> reason{nullptr};
  std::atomic<std::uint64_t> calls{0}, ticks{0}; // relaxed: figures for the report
};
constinit std::array<UnservedRegion, 1024> g_regions{};
constinit std::atomic<std::size_t> g_count{0}; // relaxed: each thread writes an entry of its own

constinit std::atomic<bool> g_is_served{false}; // relaxed: read when the program ends

template <class Visit> void for_each_region(Visit&& visit) noexcept {
  const std::size_t count = std::min(g_count.load(std::memory_order_relaxed), g_regions.size());
  for (std::size_t i = 0; i < count; ++i)
    if (const char* reason = g_regions[i].reason.load(std::memory_order_acquire)) visit(g_regions[i], reason);
}

void json_place(ReportWriter& out, const CodePlace& place) noexcept {
  out.text("{\"module\": ").json_string(place.module.view());
  out.text(", \"build_id\": ").json_string(place.build_id.view());
  out.text(", \"offset\": ").number(place.offset).text("}");
}

} // namespace

void note_unserved_region(const void* caller, const char* reason, const void* at) noexcept {
  const std::size_t index = g_count.fetch_add(1, std::memory_order_relaxed);
  if (index >= g_regions.size()) return;
  UnservedRegion& region = g_regions[index];
  region.caller = caller;
  region.at = at;
  region.reason.store(reason, std::memory_order_release);
}

void note_unserved_time(const void* caller, std::uint64_t ticks) noexcept {
  for_each_region([&](UnservedRegion& region, const char*) {
    if (region.caller != caller) return;
    region.calls.fetch_add(1, std::memory_order_relaxed);
    region.ticks.fetch_add(ticks, std::memory_order_relaxed);
  });
}

void forget_unserved_times() noexcept {
  for_each_region([](UnservedRegion& region, const char*) {
    region.calls.store(0, std::memory_order_relaxed);
    region.ticks.store(0, std::memory_order_relaxed);
  });
}

void note_served_region() noexcept { g_is_served.store(true, std::memory_order_relaxed); }

void say_unserved() noexcept {
  if (g_is_served.load(std::memory_order_relaxed)) return;
  const std::size_t count = g_count.load(std::memory_order_relaxed);
  const char* reason = count != 0 ? g_regions[0].reason.load(std::memory_order_acquire) : nullptr;
  if (reason == nullptr) return;
  config::FixedText<400> line("wstree: no loop was served, because of ");
  line.append_number(count).append(count == 1 ? " parallel region: " : " parallel regions, first: ");
  line.append(reason).append("; next: wstree run --stats names the lines and what serves them");
  say(line.view());
}

void write_unserved_json(ReportWriter& out, core::TickLength tick) noexcept {
  bool first = true;
  for_each_region([&](const UnservedRegion& region, const char* reason) {
    CodePlace place;
    find_code_place(region.caller, place);
    out.text(first ? ", \"unserved_regions\": [\n  " : ",\n  ").text("{\"reason\": ").json_string(reason);
    out.text(", \"where\": ");
    json_place(out, place);
    if (region.at != nullptr) {
      find_code_place(region.at, place);
      out.text(", \"at\": ");
      json_place(out, place);
    }
    out.text(", \"calls\": ").number(region.calls.load(std::memory_order_relaxed));
    out.text(", \"seconds\": ")
        .decimal(core::nanoseconds(region.ticks.load(std::memory_order_relaxed), tick), 9);
    out.text("}");
    first = false;
  });
  if (!first) out.text("\n]");
}

void write_unserved_lines(ReportWriter& out, core::TickLength tick) noexcept {
  for_each_region([&](const UnservedRegion& region, const char* reason) {
    out.text("wstree: not served: ")
        .visible(name_place(region.caller, nullptr).view())
        .text(": ")
        .text(reason);
    if (region.at != nullptr) out.text(": ").visible(name_place(region.at, nullptr).view());
    constexpr std::uint64_t k_tenth = 100'000; // of a millisecond, in nanoseconds
    const std::uint64_t ns = core::nanoseconds(region.ticks.load(std::memory_order_relaxed), tick);
    out.text(" (").decimal(ns / k_tenth, 1).text(" ms)");
    out.text("\n");
  });
}

} // namespace wstree::observe
