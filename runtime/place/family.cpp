// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "family.h"

#include "line_reader.h"
#include "tokens.h"

#include <dirent.h>

namespace wstree::place {

namespace {

using config::trim;
using config::without_first;

constexpr std::uint64_t k_most_ids = std::uint64_t{1} << 22; // as Linux has them

std::optional<std::uint32_t> parse_id(std::string_view text) noexcept {
  const auto number = config::parse_number(trim(text), 1, k_most_ids);
  if (!number) return std::nullopt;
  return static_cast<std::uint32_t>(*number);
}

/// Returns the text behind `key` in a line that begins with it.
std::optional<std::string_view> value_of(std::string_view line, std::string_view key) noexcept {
  if (!line.starts_with(key)) return std::nullopt;
  return trim(without_first(line, key.size()));
}

/// Adds the processes that one thread has started. Returns false if they are not known, or too many.
bool add_children(PathText file, Children& children) noexcept {
  LineReader lines(file);
  if (!lines.is_open()) return false;
  const auto line = lines.next();
  for (std::optional<std::string_view> rest = trim(line.value_or("")); rest && !rest->empty();) {
    const auto [head, tail] = config::split(*rest, ' ');
    const auto id = parse_id(head);
    if (!id || children.count == Children::k_most) return false;
    children.ids[children.count++] = *id;
    rest = tail;
  }
  return true;
}

} // namespace

std::optional<Process> find_process(std::string_view name, const char* root) noexcept {
  PathText path = below(root, "/proc/");
  path.append(name).append("/status");
  LineReader lines(path);
  Process process;
  while (const auto line = lines.next()) {
    if (const auto id = value_of(*line, "Tgid:")) process.id = parse_id(*id).value_or(0);
    if (const auto parent = value_of(*line, "PPid:")) process.parent = parse_id(*parent).value_or(0);
    if (const auto list = value_of(*line, "Cpus_allowed_list:")) process.mask = parse_cpu_list(*list);
  }
  if (process.id == 0) return std::nullopt;
  return process;
}

std::optional<Process> find_process(std::uint32_t id, const char* root) noexcept {
  config::FixedText<16> name;
  name.append_number(id);
  return find_process(name.view(), root);
}

bool has_variable(std::uint32_t id, std::string_view name, const char* root) noexcept {
  PathText path = below(root, "/proc/");
  path.append_number(id).append("/environ");
  // An entry may be longer than any buffer, and it ends with a zero byte.
  ByteReader bytes(path);
  std::size_t matched = 0;
  bool differs = false;
  while (const auto byte = bytes.next()) {
    if (*byte == '\0') {
      matched = 0;
      differs = false;
    } else if (!differs) {
      if (matched == name.size() && *byte == '=') return true;
      differs = matched == name.size() || *byte != name[matched];
      ++matched;
    }
  }
  return false;
}

bool Children::has(std::uint32_t id) const noexcept {
  for (std::uint32_t i = 0; i < count; ++i)
    if (ids[i] == id) return true;
  return false;
}

Children children_of(std::uint32_t id, const char* root) noexcept {
  Children children;
  PathText folder = below(root, "/proc/");
  folder.append_number(id).append("/task");
  DIR* const threads = folder.truncated() ? nullptr : ::opendir(folder.c_str());
  if (threads == nullptr) return children;
  children.complete = true;
  while (const dirent* entry = ::readdir(threads)) {
    const std::string_view thread = entry->d_name;
    if (!parse_id(thread)) continue; // . and ..
    PathText file = folder;
    file.append('/').append(thread).append("/children");
    children.complete = add_children(file, children) && children.complete;
  }
  ::closedir(threads);
  return children;
}

} // namespace wstree::place
