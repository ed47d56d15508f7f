// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "unserved_regions.h"

#include "code_place.h"
#include "place_name.h"

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
};
constinit std::array<UnservedRegion, 1024> g_regions{};
constinit std::atomic<std::size_t> g_count{0}; // relaxed: each thread writes an entry of its own

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

void write_unserved_json(ReportWriter& out) noexcept {
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
    out.text("}");
    first = false;
  });
  if (!first) out.text("\n]");
}

void write_unserved_lines(ReportWriter& out) noexcept {
  for_each_region([&](const UnservedRegion& region, const char* reason) {
    out.text("wstree: not served: ")
        .visible(name_place(region.caller, nullptr).view())
        .text(": ")
        .text(reason);
    if (region.at != nullptr) out.text(": ").visible(name_place(region.at, nullptr).view());
    out.text("\n");
  });
}

} // namespace wstree::observe
