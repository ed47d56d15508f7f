// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "checks.h"

#include "inspect/sanitizers.h"
#include "options.h"
#include "support/text_file.h"

#include <algorithm>
#include <fmt/format.h>
#include <link.h>
#include <optional>
#include <sstream>
#include <unistd.h>
#include <utility>

namespace wstree::cli {

namespace {

namespace fs = std::filesystem;

std::string libc_version() {
  std::string version(::confstr(_CS_GNU_LIBC_VERSION, nullptr, 0), '\0');
  if (version.empty()) return "not glibc";
  ::confstr(_CS_GNU_LIBC_VERSION, version.data(), version.size());
  version.pop_back(); // confstr counts the terminating zero
  return version;
}

std::vector<std::string> entries(std::string list) {
  std::replace(list.begin(), list.end(), ':', ' ');
  std::istringstream words(list);
  std::vector<std::string> result;
  for (std::string word; words >> word;) result.push_back(word);
  return result;
}

/// Returns the libraries that the environment and the system preload.
std::vector<std::string> preloads(const Environment& environment) {
  auto list = entries(environment.get("LD_PRELOAD").value_or(""));
  const auto of_system = entries(read_text("/etc/ld.so.preload").value_or(""));
  list.insert(list.end(), of_system.begin(), of_system.end());
  return list;
}

/// Returns the path of an entry of LD_PRELOAD, which this process has preloaded, too; empty if it has not.
fs::path loaded_path(const std::string& entry) {
  std::pair<const std::string&, fs::path> search{entry, {}};
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* data) {
        auto& [wanted, path] = *static_cast<decltype(search)*>(data);
        const fs::path candidate = info->dlpi_name;
        const bool is_it =
            wanted.find('/') != std::string::npos ? candidate == wanted : candidate.filename() == wanted;
        if (is_it) path = candidate;
        return is_it ? 1 : 0;
      },
      &search);
  return search.second;
}

/// Returns whether the entry, loaded from `path` if that is not empty, is our library.
bool is_library(const std::string& entry, const fs::path& path, const fs::path& library) {
  std::error_code error;
  return fs::equivalent(path.empty() ? fs::path(entry) : path, library, error);
}

} // namespace

Check check_loader(const fs::path& program) {
  const auto own = ElfFile::open("/proc/self/exe");
  const auto file = program.empty() ? std::nullopt : ElfFile::open(program);
  const auto loader = file ? file->loader() : own ? own->loader() : std::string();
  // Another loader has another C library, of which nothing is known without running it.
  const bool same = own && own->loader() == loader;
  return {"loader", Status::ok, same ? fmt::format("{} ({})", loader, libc_version()) : loader};
}

std::optional<Check> check_way_in(const fs::path& library, const fs::path& program,
                                  const Environment& environment) {
  const auto schedule = environment.get("OMP_SCHEDULE").value_or("");
  if (!config::parse_schedule(schedule)) return std::nullopt;
  for (const auto& entry : preloads(environment))
    if (is_library(entry, loaded_path(entry), library)) return std::nullopt;
  bool is_linked = false;
  if (const auto file = program.empty() ? std::nullopt : ElfFile::open(program))
    file->for_each_needed([&](std::string_view needed) { is_linked |= needed.starts_with("libwstree.so"); });
  if (is_linked) return std::nullopt;
  return Check{
      "preload", Status::note, fmt::format("OMP_SCHEDULE={} without the library in LD_PRELOAD", schedule),
      "wstree run preloads it; in a program that is started without, the OpenMP runtime does not know "
      "that schedule and uses another one",
      "start programs by wstree run, or set LD_PRELOAD=$(wstree path)"};
}

Check check_preloads(const fs::path& library, const Environment& environment) {
  const std::string name = "preload";
  std::string others;
  std::string missing;
  for (const auto& entry : preloads(environment)) {
    const auto path = loaded_path(entry);
    if (is_library(entry, path, library)) continue;
    if (is_sanitizer(entry)) continue; // it goes in front, and should
    others.append(others.empty() ? "" : ", ").append(entry);
    const auto file = path.empty() ? std::nullopt : ElfFile::open(path);
    if (!file) {
      missing.append(missing.empty() ? "" : ", ").append(entry);
    } else if (file->wants_to_be_first()) {
      return {
          name, Status::warn, entry,
          "it was linked with -z initfirst as libwstree is, and glibc starts only one such library first: an "
          "OpenMP runtime may see OMP_SCHEDULE=wstree before libwstree does, and complain",
          "run without " + entry};
    }
  }
  if (others.empty()) return {name, Status::ok, "no other library is preloaded"};
  if (!missing.empty())
    return {name, Status::warn, others, fmt::format("the dynamic loader does not take {}", missing),
            "correct LD_PRELOAD; wstree path prints the path of this library"};
  return {name, Status::ok, "stays behind libwstree: " + others};
}

} // namespace wstree::cli
