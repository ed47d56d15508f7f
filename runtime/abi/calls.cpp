// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls of the C++ library (include/wstree/parallel): their figures for statistics and traces, and their
// rules. They schedule themselves, for any OMP_SCHEDULE.
#include "export.h"
#include "frame.h"
#include "process/session.h"

#include "rank_texts.h"

#include "wstree/mpi/rank_text.h"
#include "wstree/parallel/call_record.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>
#include <string_view>

namespace {

using namespace wstree;

/// In the statistics; it stands at one place, as they want it.
constexpr std::string_view k_schedule = "wstree (C++)";

std::string_view text_of(const char* text) noexcept { return text != nullptr ? text : std::string_view(); }

/// Returns an address that no code has, for each place in a source: the name of the file stands in user
/// space, whose addresses have fewer than 48 bits.
const void* site_of(const wstree_call& call) noexcept {
  constexpr unsigned k_address_bits = 48;
  const auto file = reinterpret_cast<std::uintptr_t>(call.file);
  const std::uintptr_t site = file + ((std::uintptr_t{call.line} + 1) << k_address_bits);
  return reinterpret_cast<const void*>(site); // NOLINT: never dereferenced
}

/// Returns the program's label of the call, or else its file and line.
const observe::Label* label_of(const wstree_call& call) noexcept {
  if (const observe::Label* given = observe::find_label(text_of(call.label))) return given;
  std::string_view file = text_of(call.file);
  if (file.empty()) return observe::find_label("call");
  file.remove_prefix(file.rfind('/') + 1);
  config::FixedText<observe::Label::k_longest + 1> text;
  text.append_foreign(file, observe::Label::k_longest - 12).append(':').append_number(call.line);
  return observe::find_label(text.view());
}

} // namespace

extern "C" {

WSTREE_EXPORT int wstree_call_begin(wstree_call* call) {
  if (abi::is_secure()) return 0;
  const abi::Session& process = abi::session();
  if (!process.measured && process.rules == nullptr) return 0;
  if (call->bytes < sizeof(wstree_call)) return 0; // the record is of a version from before the first one
  const observe::Label* const label = label_of(*call);
  const void* const site = site_of(*call);
  if (process.rules != nullptr) {
    const config::Ruling ruling = process.rules->of_call(site, text_of(call->file), call->line, label);
    call->threads = static_cast<std::uint32_t>(ruling.threads());
    call->min_chunk = ruling.names_schedule() ? ruling.chunk() : 0;
  }
  if (!process.measured) return 1;
  config::FixedText<512> source;
  source.append(';').append(text_of(call->file)).append(";;").append_number(call->line).append(";0;;");
  call->site = observe::find_site(site, source.c_str(), k_schedule, label);
  call->is_measured = 1;
  call->began = abi::Platform::ticks();
  return 1;
}

WSTREE_EXPORT void wstree_call_leave(const wstree_call* call, const wstree_call_part* part) {
  if (!abi::session().traced) return;
  loop::Track* const track = abi::own_track();
  if (track == nullptr) return;
  loop::Event event{};
  event.kind = loop::Event::Kind::loop;
  event.begin = part->began;
  event.end = part->ended;
  event.past = call->elements;
  // Calls of a caller are told apart by when they began.
  event.execution =
      loop::execution_of(call, call->began & ((std::uint64_t{1} << loop::k_execution_bits) - 1));
  event.site = call->site;
  event.member = part->member;
  event.members = part->members;
  event.count = static_cast<std::uint32_t>(part->batches);
  track->add(event);
}

WSTREE_EXPORT void wstree_call_end(const wstree_call* call, const wstree_call_part* all) {
  observe::record(*static_cast<observe::LoopSite*>(call->site),
                  {all->members,
                   {all->elements, all->batches, all->steals, all->nodes, all->busy},
                   all->busy_max,
                   all->ended - all->began});
  abi::note_members(all->members);
}

WSTREE_EXPORT int wstree_ranks_tell(wstree_rank_text* text) {
  if (abi::is_secure()) return 0;
  const abi::Session& process = abi::session();
  const int wanted = (process.options.stats != config::StatsFormat::off ? WSTREE_RANKS_STATISTICS : 0) |
                     (process.traced ? WSTREE_RANKS_TRACE : 0);
  if (wanted != 0 && text != nullptr && text->bytes >= sizeof *text) {
    static_assert(sizeof(observe::RankText) <= sizeof text->kept);
    observe::add_rank_text(*new (text->kept) observe::RankText{text->lines, text->statistics, text->events});
  }
  return wanted;
}
}
