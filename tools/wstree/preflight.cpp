// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "preflight.h"

#include "elf_file.h"
#include "loop_calls.h"
#include "program.h"

#include <fmt/format.h>
#include <unistd.h>

namespace wstree::cli {

namespace {

namespace fs = std::filesystem;

/// The kernel follows a script's interpreter, which may be a script again, this often.
constexpr int k_interpreter_limit = 4;

class Inspection {
public:
  Inspection(const fs::path& library, Wishes wishes) : library_(library), wishes_(wishes) {}

  Preflight take() { return std::move(result_); }

  void file(const fs::path& path, int depth) {
    const auto kind = file_kind(path);
    switch (kind.kind) {
    case FileKind::Kind::elf:
      return elf(path, depth);
    case FileKind::Kind::script:
      return script(path, kind.interpreter, depth);
    case FileKind::Kind::other:
      return add(Severity::always,
                 "'{}' is neither a binary nor a script with a #! line: /bin/sh runs it, and the library is "
                 "preloaded "
                 "into that and into what it starts",
                 path.string());
    }
  }

private:
  void script(const fs::path& path, const std::string& interpreter, int depth) {
    if (depth >= k_interpreter_limit) {
      return add(Severity::cannot_run,
                 "'{}' is the fifth script in a row that names a script as its interpreter: the "
                 "system stops here; name a binary in its first line",
                 path.string());
    }
    // The kernel does not search PATH.
    const bool is_path = interpreter.find('/') != std::string::npos;
    if (find_program(is_path ? interpreter : "./" + interpreter).result != Lookup::Result::found) {
      return add(Severity::cannot_run,
                 "'{}' is a script for '{}', which cannot be executed here: install it or correct "
                 "the script's first line",
                 path.string(), interpreter);
    }
    if (depth == 0) {
      add(Severity::always,
          "'{}' is a script: the library is preloaded into its interpreter '{}' and into what that "
          "starts",
          path.string(), interpreter);
    }
    file(interpreter, depth + 1);
  }

  void elf(const fs::path& path, int depth) {
    const auto file = ElfFile::open(path);
    if (!file) {
      if (::access(path.c_str(), R_OK) != 0) {
        return add(Severity::doubt, "'{}' may be executed but not read, so nothing can be said about it",
                   path.string());
      }
      return add(Severity::cannot_run, "'{}' is a damaged ELF file: build or copy it again", path.string());
    }
    if (!file->can_be_program()) {
      return add(Severity::cannot_run,
                 "'{}' is an ELF file, but no program (an object or core file?): link it first",
                 path.string());
    }
    const auto library = ElfFile::open(library_);
    if (library && library->target() != file->target()) {
      return add(Severity::cannot_run,
                 "'{}' is a {} program, and the library ({}) is for {}: install wstree for {} or "
                 "rebuild the program",
                 path.string(), to_string(file->target()), library_.string(), to_string(library->target()),
                 to_string(file->target()));
    }
    if (file->loader().empty()) {
      return add(Severity::unserved,
                 "'{}' is statically linked: nothing can be preloaded into it, so its loops stay with "
                 "its own OpenMP runtime. Link it dynamically, with -lwstree if you like",
                 path.string());
    }
    if (::access(file->loader().c_str(), X_OK) != 0) {
      return add(Severity::cannot_run,
                 "'{}' needs the dynamic loader '{}', which is missing here: install the C library "
                 "that it was built for or rebuild the program",
                 path.string(), file->loader());
    }
    if (fs::path(file->loader()).filename().string().starts_with("ld-musl-")) {
      result_.preload = false;
      return add(Severity::unserved,
                 "'{}' was built for musl and the library for glibc, so it runs without the library. "
                 "Build it for glibc to have its loops served",
                 path.string());
    }
    if (const auto reason = secure_mode_reason(path)) {
      return add(Severity::unserved,
                 "'{}' is privileged ({}): the dynamic loader ignores LD_PRELOAD for it. Run a "
                 "copy without these rights, or link it with -lwstree",
                 path.string(), *reason);
    }
    loops(path, *file, depth > 0);
  }

  void loops(const fs::path& path, const ElfFile& file, bool is_interpreter) {
    auto calls = loop_calls(file);
    // A library may have the loops that the program has not.
    if (!calls.llvm && (calls.gcc || wishes_.libraries_too || wishes_.require)) {
      calls = loop_calls_with_libraries(file, path);
    }
    if (calls.llvm) {
      return add(Severity::detail,
                 "'{}' calls the loop dispatch of LLVM's OpenMP runtime, so its schedule(runtime) "
                 "loops can be served",
                 path.string());
    }
    const bool conclusive = calls.known && !calls.starts_others;
    if (calls.gcc) {
      return add(conclusive ? Severity::unserved : Severity::always,
                 "'{}' was built for gcc's OpenMP runtime; this version serves programs built for LLVM's "
                 "libomp and leaves "
                 "gcc's runtime alone. Build it with clang or flang and -fopenmp",
                 path.string());
    }
    if (calls.runtime_inside) {
      return add(Severity::unserved,
                 "'{}' has its OpenMP runtime linked in statically, where no library can stand in "
                 "front of it. Link it with the shared libomp",
                 path.string());
    }
    if (is_interpreter) return; // what matters is what it starts
    if (!conclusive) {
      return add(Severity::doubt,
                 "neither '{}' nor a library that it is linked with calls the loop dispatch of "
                 "LLVM's OpenMP runtime; what it loads or starts later cannot be seen beforehand",
                 path.string());
    }
    add(wishes_.require ? Severity::unserved : Severity::doubt,
        "'{}' has no schedule(runtime) loop to serve: neither it nor a library that it is linked with calls "
        "the loop "
        "dispatch of LLVM's OpenMP runtime. Build it with clang or flang, -fopenmp and schedule(runtime)",
        path.string());
  }

  template <class... Arguments>
  void add(Severity severity, fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    result_.findings.push_back({severity, fmt::format(format, std::forward<Arguments>(arguments)...)});
  }

  const fs::path& library_;
  Wishes wishes_;
  Preflight result_;
};

} // namespace

Preflight inspect(const fs::path& program, const fs::path& library, Wishes wishes) {
  Inspection inspection(library, wishes);
  inspection.file(program, 0);
  return inspection.take();
}

} // namespace wstree::cli
