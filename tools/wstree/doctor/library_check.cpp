// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "checks.h"

#include "support/output_of.h"

#include <dlfcn.h>
#include <fmt/format.h>

namespace wstree::cli {

namespace {

constexpr char k_self[] = "/proc/self/exe";
constexpr char k_install[] = "install the library and the command from the same build, or set WSTREE_LIBRARY";

/// Returns the loader's reason in its message about the library on stderr: "ERROR: ld.so: object 'x' from
/// LD_PRELOAD cannot be preloaded (REASON): ignored."
std::string reason_of(const std::string& errors) {
  const auto begin = errors.find("cannot be preloaded (");
  const auto end = begin == std::string::npos ? begin : errors.find("): ignored", begin);
  if (end == std::string::npos) return "the dynamic loader does not take it";
  const auto open = errors.find('(', begin) + 1;
  return "the dynamic loader says: " + errors.substr(open, end - open);
}

} // namespace

Check check_library(const LibrarySearch& library) {
  const std::string name = "library";
  if (library.path.empty())
    return {name, Status::fail, "not found", library.problem,
            "install it, or set WSTREE_LIBRARY to its path"};
  const auto path = library.path.string();
  if (path.find_first_of(": ") != std::string::npos) {
    return {name, Status::fail, path, "LD_PRELOAD cannot hold a path with a blank or a colon in it",
            "copy the library elsewhere and set WSTREE_LIBRARY"};
  }
  const auto file = ElfFile::open(library.path);
  const auto own = ElfFile::open(k_self);
  if (!file) return {name, Status::fail, path, "this is not a library that can be read", k_install};
  if (own && own->target() != file->target()) {
    return {name, Status::fail, fmt::format("{} ({})", path, to_string(file->target())),
            fmt::format("this machine's programs, such as this command, are {}", to_string(own->target())),
            k_install};
  }
  Environment environment;
  environment.preload_first(path);
  const std::vector<std::string> command{k_self, k_show_preloaded_version};
  auto version = output_of(command, environment);
  if (version.empty()) {
    const auto errors = output_of(command, environment, Stream::errors);
    const bool loaded = errors.find("ERROR: ld.so") == std::string::npos;
    return {name, Status::fail, path,
            loaded ? "it can be loaded, but is not libwstree: it does not tell its version"
                   : reason_of(errors),
            loaded ? "set WSTREE_LIBRARY to the path of libwstree.so" : k_install};
  }
  while (version.ends_with('\n')) version.pop_back();
  const auto found = fmt::format("{} {} ({})", path, version, to_string(file->target()));
  if (version == WSTREE_VERSION) return {name, Status::ok, found};
  return {name, Status::warn, found,
          fmt::format("this command is {}: they may not understand the same options", WSTREE_VERSION),
          k_install};
}

int show_preloaded_version() {
  using Version = const char* (*)();
  const auto version = reinterpret_cast<Version>(::dlsym(RTLD_DEFAULT, "wstree_version"));
  if (version == nullptr) return 1;
  fmt::print("{}\n", version());
  return 0;
}

} // namespace wstree::cli
