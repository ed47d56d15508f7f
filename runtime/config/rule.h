// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One line of WSTREE_RULES: a pattern for loops, and their settings.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "options.h"

namespace wstree::config {

/// The rules' settings for one loop, or for one region. A field whose bits are all 0 is not set by any rule.
/// One word, so that the members of a team can agree on it by one compare-and-swap.
class Ruling {
public:
  constexpr Ruling() noexcept = default;
  static constexpr Ruling from_bits(std::uint64_t bits) noexcept {
    Ruling ruling;
    ruling.bits_ = bits;
    return ruling;
  }
  constexpr std::uint64_t bits() const noexcept { return bits_; }
  bool operator==(const Ruling&) const = default;

  /// Bits that members agree on; those above hold decisions from before the region.
  static constexpr unsigned k_loop_bits = 42;

  constexpr bool is_left_to_runtime() const noexcept { return field(k_server) == 1; }
  constexpr bool names_schedule() const noexcept { return field(k_server) == 2; }
  constexpr ScheduleKind kind() const noexcept { return static_cast<ScheduleKind>(field(k_kind)); }
  constexpr std::uint64_t chunk() const noexcept { return field(k_chunk); } ///< 0: none
  constexpr std::optional<bool> history() const noexcept {
    return field(k_history) == 0 ? std::nullopt : std::optional(field(k_history) == 2);
  }
  /// Returns whether a rule lets threads share the chunks of a dynamic or guided loop, whose source gives
  /// their size.
  constexpr bool cuts_chunks() const noexcept { return field(k_cut) != 0; }
  constexpr std::uint64_t threads() const noexcept { return field(k_threads); } ///< 0: as without rules
  /// Returns the kinds of loops that are served; `otherwise` if no rule sets them. A rule that names a
  /// schedule for a loop has it served, with any clause in the loop's source.
  constexpr LoopKinds loops(LoopKinds otherwise) const noexcept {
    if (field(k_loops) != 0) return LoopKinds{static_cast<std::uint8_t>(field(k_loops))};
    return names_schedule() ? LoopKinds{k_all_loops} : otherwise;
  }

  constexpr void leave_to_runtime() noexcept { set(k_server, 1); }
  constexpr void set_schedule(ScheduleKind kind, std::uint64_t chunk) noexcept {
    set(k_server, 2);
    set(k_kind, static_cast<std::uint64_t>(kind));
    set(k_chunk, chunk);
  }
  constexpr void set_history(bool on) noexcept { set(k_history, on ? 2 : 1); }
  constexpr void cut_chunks() noexcept { set(k_cut, 1); }
  constexpr void set_loops(LoopKinds loops) noexcept { set(k_loops, loops.bits); }
  constexpr void set_threads(std::uint64_t threads) noexcept { set(k_threads, threads); }
  /// Overwrites fields with those that `later` sets.
  constexpr void overlay(Ruling later) noexcept {
    if (later.field(k_server) != 0) {
      for (const Field field : {k_server, k_kind, k_chunk}) set(field, later.field(field));
    }
    for (const Field field : {k_loops, k_history, k_cut, k_threads})
      if (later.field(field) != 0) set(field, later.field(field));
  }

private:
  struct Field {
    unsigned shift, width;
  };
  static constexpr Field k_chunk{0, 26}, k_kind{26, 4}, k_server{30, 2}, k_loops{32, 7}, k_history{39, 2},
      k_cut{41, 1}, k_threads{42, 20};
  // The number of threads is the only field that is decided before the region.
  static_assert(k_cut.shift + k_cut.width <= k_loop_bits && k_threads.shift >= k_loop_bits);

  static constexpr std::uint64_t mask(Field field) noexcept {
    return ((std::uint64_t{1} << field.width) - 1) << field.shift;
  }
  constexpr std::uint64_t field(Field field) const noexcept { return (bits_ & mask(field)) >> field.shift; }
  constexpr void set(Field field, std::uint64_t value) noexcept {
    bits_ = (bits_ & ~mask(field)) | (value << field.shift & mask(field));
  }

  std::uint64_t bits_ = 0;
};
inline constexpr std::uint64_t k_most_ruled_threads = (std::uint64_t{1} << 20) - 1;

/// A rule; the texts point into the line.
struct Rule {
  enum class Pattern : std::uint8_t {
    everything, ///< *
    program,    ///< app:GLOB
    label,      ///< label:GLOB
    lines,      ///< FILE:LINE or FILE:FIRST-LAST
    code,       ///< BUILD-ID+0xOFFSET or MODULE+0xOFFSET
    name,       ///< GLOB of a module, a source file or a function
  };
  Pattern pattern = Pattern::everything;
  std::string_view text;   ///< glob, path, build-id or module
  std::uint64_t first = 0; ///< line or offset
  std::uint64_t last = 0;
  Ruling ruling;
  std::optional<Bind> bind; ///< only for `everything` and `program`
};

/// The error of parse_rule() in a line without a rule.
struct RuleError {
  std::string_view word;   ///< the word that is not understood; empty: something is missing
  std::string_view reason; ///< lives as long as the process
};

/// Returns a line of a rules file; nullopt: blank or a comment (error.reason empty), or not understood.
std::optional<Rule> parse_rule(std::string_view line, RuleError& error) noexcept;

/// Files of rules are shorter.
inline constexpr std::size_t k_most_rule_bytes = std::size_t{4} << 20;
/// Returns whether the content of a file can be rules: no program, picture or UTF-16.
constexpr bool is_text(std::string_view text) noexcept { return text.find('\0') == std::string_view::npos; }
inline constexpr std::string_view k_no_text = "it is no text";

/// Returns whether `text` matches `glob`, in which * stands for any text and ? for one character.
bool matches_glob(std::string_view glob, std::string_view text) noexcept;
/// Returns whether `path` ends with the components of `glob`: "src/a.c" is the end of "/home/x/src/a.c".
bool matches_path(std::string_view glob, std::string_view path) noexcept;

/// The place of a loop, as far as it is known.
struct RulePlace {
  std::string_view module; ///< name of its file
  std::string_view build_id;
  std::uint64_t offset = 0;
  std::string_view file, function; ///< in the source
  std::uint64_t line = 0;
  std::string_view program, label;
};
bool matches(const Rule& rule, const RulePlace& place) noexcept;

/// Takes the next line of `text`. A semicolon ends a line too. Some editors put a mark in front of UTF-8,
/// which files that were joined have in other lines than the first one: the line comes without it.
std::string_view take_rule_line(std::string_view& text) noexcept;

} // namespace wstree::config
