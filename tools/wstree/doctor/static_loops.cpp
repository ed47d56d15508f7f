// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "checks.h"

#include "inspect/call_sites.h"
#include "support/loop_name.h"

#include "names.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace wstree::cli {

void find_static_loops(FileCalls& program) {
  if (!program.calls.may_be_static) return;
  const auto found = static_sites(program.file);
  names::Resolver resolver;
  auto& loops = program.static_loops;
  for (const auto& site : found.sites) {
    auto text = names::text_of(resolver.name(program.file.string(), found.build_id, site.offset));
    if (text.empty()) text = fmt::format("+0x{:x}", site.offset);
    // Copies of a function that was inlined have the same line.
    if (std::find(loops.begin(), loops.end(), folded_name(text)) == loops.end())
      loops.push_back(folded_name(text));
  }
}

} // namespace wstree::cli
