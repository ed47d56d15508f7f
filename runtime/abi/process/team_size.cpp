// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "process/team_size.h"

#include "marked_threads.h"
#include "options.h"
#include "tokens.h"
#include "usable_cpus.h"

#include <string_view>

namespace wstree::abi {

namespace {

// The environment keeps a pointer to it.
constinit config::FixedText<40> g_entry;

/// Returns the first entry of this name, as getenv would find it; nullptr: there is none.
char** find_entry(char** envp, std::string_view name) noexcept {
  for (; *envp != nullptr; ++envp) {
    const std::string_view text = *envp;
    if (text.size() > name.size() && text[name.size()] == '=' && text.starts_with(name)) return envp;
  }
  return nullptr;
}

/// KMP_HW_SUBSET is a choice of CPUs, and thus of threads, that libomp keeps.
bool has_chosen(char** envp) noexcept {
  for (const std::string_view name : {config::k_team_variable, std::string_view("KMP_HW_SUBSET")}) {
    const auto value = config::find_variable(envp, name);
    if (value && !config::trim(*value).empty() && !config::is_marked_threads(*value)) return true;
  }
  return false;
}

bool is_asked_for(char** envp) noexcept {
  const auto value = config::find_variable(envp, config::text_of(config::Option::threads).name);
  if (value && !config::trim(*value).empty()) return config::parse_threads(*value).value_or(false);
  // A parent process has asked, and has put its number in the place of the wish.
  return config::is_marked_threads(config::find_variable(envp, config::k_team_variable).value_or(""));
}

} // namespace

void set_team_size(char** envp) noexcept {
  if (!is_asked_for(envp) || has_chosen(envp)) return;
  const place::FoundCpus found = place::find_usable_cpus(envp);
  if (found.usable.count == 0) return;
  char** entry = find_entry(envp, config::k_team_variable);
  // Without a parent's number the runtime's own choice is as good. With it, that number has to go.
  if (entry == nullptr && found.usable.count >= found.claims.mask) return;
  if (entry == nullptr) entry = find_entry(envp, config::text_of(config::Option::threads).name);
  if (entry == nullptr) return;
  g_entry.append(config::k_team_variable).append('=').append(config::k_threads_mark);
  g_entry.append_number(found.usable.count);
  *entry = const_cast<char*>(g_entry.c_str());
}

} // namespace wstree::abi
