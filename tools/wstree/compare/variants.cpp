// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "variants.h"

#include "support/shell_words.h"

#include <algorithm>
#include <iterator>
#include <string_view>

namespace wstree::cli {

namespace {

/// Returns the schedule of the library that does the same as one of the runtime; empty if there is none.
std::string own_form(const std::string& schedule) {
  const auto comma = schedule.find(',');
  const auto kind = schedule.substr(0, comma);
  const auto chunk = comma == std::string::npos ? std::string() : schedule.substr(comma);
  if (kind == "static") return "wsstatic" + chunk;
  if (kind == "dynamic") return "wsfixed" + (chunk.empty() ? ",1" : chunk);
  if (kind == "guided") return "wsguided" + chunk;
  return {};
}

/// A variable of a variant, as an option of wstree run and as a word of rules.
struct Form {
  const char* variable;
  const char* option;
  const char* setting; ///< nullptr: it is one already
};
constexpr Form k_forms[] = {{"OMP_SCHEDULE", "--schedule", ""},
                            {"WSTREE_LOOPS", "--loops", "loops="},
                            {"WSTREE_BIND", "--bind", "bind="},
                            {"WSTREE_RULES", "--rules", nullptr}};

const Form* form_of(const std::string& variable) {
  const auto* const found = std::ranges::find(k_forms, variable, &Form::variable);
  return found == std::end(k_forms) ? nullptr : found;
}

constexpr std::string_view k_all = "* "; // begin of rules for all loops

} // namespace

std::string Invocation::text() const {
  std::string text;
  const auto add = [&](const std::string& word) { text += (text.empty() ? "" : " ") + word; };
  for (const auto& [name, value] : variables) add(name + "=" + shell_word(value));
  if (served) add("wstree run");
  for (const auto& option : options) add(shell_word(option));
  return text;
}

Invocation invocation_of(const Variant& variant) {
  Invocation invocation{{}, {}, variant.served};
  for (const auto& [name, value] : variant.settings) {
    const auto* const form = variant.served ? form_of(name) : nullptr;
    if (form == nullptr)
      invocation.variables.emplace_back(name, value);
    else if (form != k_forms || value != k_tree) // the schedule of wstree run
      invocation.options.insert(invocation.options.end(), {form->option, value});
  }
  return invocation;
}

std::string rule_of(const Variant& variant) {
  if (variant.name == k_one_thread) return std::string(k_all) + "threads=1";
  if (!variant.served) return {};
  std::string rule(k_all.substr(0, 1)), loops = " loops=runtime";
  for (const auto& [name, value] : variant.settings) {
    const auto* const form = form_of(name);
    if (form == nullptr) continue;
    if (name == "WSTREE_LOOPS") loops.clear();
    rule += ' ' + (form->setting != nullptr ? form->setting + value : value.substr(k_all.size()));
  }
  return rule + loops;
}

Settings settings_beside_rules(const Variant& variant) {
  if (variant.name == k_one_thread) return {};
  auto settings = variant.settings;
  std::erase_if(settings, [](const auto& setting) { return form_of(setting.first) != nullptr; });
  return settings;
}

std::string short_name(const Variant& variant) {
  if (variant.name == k_unbound) return "wstree, not pinned";
  if (variant.name == k_balanced) return "wstree, static too";
  if (variant.name == k_passive) return "as it is, passive";
  if (variant.name == k_tree_passive) return "wstree, passive";
  return variant.name;
}

std::vector<Variant> make_variants(const ProgramLoops& loops, const std::vector<std::string>& schedules,
                                   bool per_loop, bool waits, const Settings& fast) {
  auto wanted = schedules;
  if (wanted.empty()) {
    wanted = {"static", "dynamic,1", "guided"};
    if (loops.llvm) wanted.emplace_back("static_steal");
  }
  Settings kinds;
  std::string words = loops.literal_kinds;
  if (loops.runtime_kind) words = words.empty() ? "runtime" : "runtime," + words;
  const bool only_static = loops.static_kind && words.empty();
  if (!loops.literal_kinds.empty() || only_static) kinds = {{"WSTREE_LOOPS", only_static ? "static" : words}};
  const auto served = [&](const char* name, Role role, const std::string& schedule, const Settings& more) {
    Variant variant{name, role, true, {{"OMP_SCHEDULE", schedule}}};
    variant.settings.insert(variant.settings.end(), kinds.begin(), kinds.end());
    variant.settings.insert(variant.settings.end(), more.begin(), more.end());
    return variant;
  };
  std::vector<Variant> variants = {{k_as_it_is, Role::as_it_is}};
  if (loops.runtime_kind)
    for (const auto& schedule : wanted)
      variants.push_back({schedule, Role::schedule, false, {{"OMP_SCHEDULE", schedule}}});
  variants.push_back(served(k_tree, Role::tree, "wstree", {}));
  if (per_loop) {
    for (const auto& schedule : wanted) {
      const auto own = own_form(schedule);
      if (!own.empty()) variants.push_back(served(own.c_str(), Role::per_loop, own, {}));
    }
  }
  if (loops.static_kind && !only_static) {
    Variant balanced{
        k_balanced, Role::cause, true, {{"OMP_SCHEDULE", "wstree"}, {"WSTREE_LOOPS", words + ",static"}}};
    variants.push_back(std::move(balanced));
  }
  if (loops.large_chunk)
    variants.push_back(served(k_shared_chunks, Role::cause, "wstree", {{"WSTREE_RULES", "* chunk=1"}}));
  variants.push_back(served(k_unbound, Role::cause, "wstree", {{"WSTREE_BIND", "none"}}));
  if (waits) {
    const Settings passive = {{"OMP_WAIT_POLICY", "passive"}};
    variants.push_back({k_passive, Role::cause, false, passive});
    variants.push_back(served(k_tree_passive, Role::cause, "wstree", passive));
  }
  if (!fast.empty()) {
    variants.push_back({k_fast, Role::cause, false, fast});
    variants.push_back(served(k_tree_fast, Role::cause, "wstree", fast));
  }
  variants.push_back({k_one_thread, Role::cause, false, {{"OMP_NUM_THREADS", "1"}}, true});
  return variants;
}

} // namespace wstree::cli
