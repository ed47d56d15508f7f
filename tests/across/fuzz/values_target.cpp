// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A value of any of the other options. The first byte says of which.
#include "support/bytes.h"
#include "support/collected_lines.h"
#include "support/target.h"

#include "options.h"
#include "tokens.h"

#include <string>

namespace wstree::fuzz::values_target {
namespace {

using namespace config;

std::string_view text_of_value(const ValueText& text) {
  require(!text.truncated(), "the canonical text has room", text.view());
  return text.view();
}
std::string_view text_of_value(std::string_view text) { return text; }

/// What a parser makes of a value, it makes of the canonical text of that as well.
template <class Parse> void check(std::string_view value, Parse parse) {
  const auto parsed = parse(value);
  require(parse(disguised(value)) == parsed, "case and blanks do not matter", value);
  if (!parsed) return;
  const auto canonical = to_text(*parsed);
  require(parse(text_of_value(canonical)) == parsed, "the canonical text means the same",
          text_of_value(canonical));
}

void check_batch(std::string_view value) {
  const auto batch = parse_batch(value);
  if (!batch) return;
  require(batch->value <= k_max_batch, "the number is in range", value);
  require(batch->mode == BatchMode::timed || batch->value >= 1, "a batch is not empty", value);
}

void check_fallback(std::string_view value) {
  const auto fallback = parse_fallback(value);
  if (fallback) require(fallback->chunk <= k_max_fallback_chunk, "the chunk is in range", value);
}

void check_stats(std::string_view value) {
  const auto stats = parse_stats(value);
  if (!stats) return;
  require(stats->path.empty() || stats->format != StatsFormat::off, "a path needs figures", value);
  require(stats->path.size() <= k_max_path, "the path has room", value);
  std::string canonical(to_text(stats->format));
  if (!stats->path.empty()) canonical.append("=").append(stats->path);
  require(parse_stats(canonical) == stats, "the canonical text means the same", canonical);
}

void check_words(std::string_view value) {
  const auto display = parse_display_env(value);
  require(parse_display_env(disguised(value)) == display, "case and blanks do not matter", value);
  require(parse_display_env(to_text(display)) == display, "the canonical text means the same", value);
  const bool affinity = parse_display_affinity(value);
  require(affinity == (display == DisplayEnv::yes), "the runtimes' words for true are the same", value);
  const auto on = parse_switch(value);
  require(!on || trim(value) == (*on ? "1" : "0"), "a switch is 0 or 1", value);
}

void body(std::string_view input) {
  Bytes bytes(input);
  const auto which = bytes.between(0, 6);
  const auto value = bytes.rest();
  if (which == 0) check(value, parse_loops);
  if (which == 1) check(value, parse_strategy);
  if (which == 2) check(value, parse_batch), check_batch(value);
  if (which == 3) check(value, parse_fallback), check_fallback(value);
  if (which == 4) check(value, parse_bind);
  if (which == 5) check_stats(value);
  if (which == 6) check_words(value);
}

const Registration registration("values", body);

} // namespace
} // namespace wstree::fuzz::values_target
