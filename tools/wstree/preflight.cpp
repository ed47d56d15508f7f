// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "preflight.h"

#include "elf_file.h"
#include "loop_calls.h"
#include "program.h"

#include <fmt/format.h>
#include <unistd.h>
#include <utility>

namespace wstree::cli {

namespace {

namespace fs = std::filesystem;

/// The kernel follows a script's interpreter, which may be a script again, this often.
constexpr int k_interpreter_limit = 5;

namespace text {

constexpr char k_script[] =
    "'{}' is a script: the library is preloaded into its interpreter '{}' and into what that starts";
constexpr char k_no_interpreter[] =
    "'{}' is a script for '{}', which cannot be executed here: install it or correct the script's first "
    "line";
constexpr char k_script_chain[] =
    "'{}' leads from script to script more often than the system follows: name a binary in its first line";
constexpr char k_other[] =
    "'{}' is neither a binary nor a script with a #! line: /bin/sh runs it, and the library is preloaded "
    "into that and into what it starts";
constexpr char k_unreadable[] = "'{}' may be executed but not read, so nothing can be said about it";
constexpr char k_damaged[] = "'{}' is a damaged ELF file: build or copy it again";
constexpr char k_no_program[] =
    "'{}' is an ELF file, but no program (an object or core file?): link it first";
constexpr char k_other_machine[] =
    "'{}' is a {} program, and the library ({}) is for {}: install wstree for {} or rebuild the program";
constexpr char k_static[] =
    "'{}' is statically linked: nothing can be preloaded into it, so its loops stay with its own OpenMP "
    "runtime. Link it dynamically, with -lwstree if you like";
constexpr char k_no_loader[] =
    "'{}' needs the dynamic loader '{}', which is missing here: install the C library that it was built for "
    "or rebuild the program";
constexpr char k_musl[] =
    "'{}' was built for musl and the library for glibc, so it runs without the library. Build it for glibc "
    "to have its loops served";
constexpr char k_privileged[] =
    "'{}' is privileged ({}): the dynamic loader ignores LD_PRELOAD for it. Run a copy without these "
    "rights, or link it with -lwstree";
constexpr char k_can_be_served[] =
    "'{}' calls the loop dispatch of LLVM's OpenMP runtime, so its schedule(runtime) loops can be served";
constexpr char k_gcc[] =
    "'{}' uses gcc's OpenMP runtime; this version serves programs built for LLVM's libomp and leaves gcc's "
    "runtime alone. Build it with clang or flang and -fopenmp";
constexpr char k_runtime_inside[] =
    "'{}' has its OpenMP runtime linked in statically, where no library can stand in front of it. Link it "
    "with the shared libomp";
constexpr char k_nothing_seen[] =
    "neither '{}' nor a library that it is linked with calls the loop dispatch of LLVM's OpenMP runtime; "
    "what it loads or starts later cannot be seen beforehand";
constexpr char k_no_loop[] =
    "'{}' has no schedule(runtime) loop to serve: neither it nor a library that it is linked with calls the "
    "loop dispatch of LLVM's OpenMP runtime. Build it with clang or flang, -fopenmp and schedule(runtime)";

} // namespace text

class Inspection {
public:
  Inspection(const fs::path& library, Wishes wishes) : library_(library), wishes_(wishes) {}

  Preflight take() { return std::move(result_); }

  /// `depth`: number of scripts that led here.
  void file(const fs::path& path, int depth) {
    const auto kind = file_kind(path);
    switch (kind.kind) {
    case FileKind::Kind::elf:
      return elf(path, depth > 0);
    case FileKind::Kind::script:
      return script(path, kind.interpreter, depth);
    case FileKind::Kind::other:
      return add(Severity::always, text::k_other, path.string());
    }
  }

private:
  void script(const fs::path& path, const std::string& interpreter, int depth) {
    if (depth == k_interpreter_limit) return add(Severity::cannot_run, text::k_script_chain, path.string());
    // The kernel does not search PATH.
    const bool is_path = interpreter.find('/') != std::string::npos;
    if (find_program(is_path ? interpreter : "./" + interpreter).result != Lookup::Result::found) {
      return add(Severity::cannot_run, text::k_no_interpreter, path.string(), interpreter);
    }
    if (depth == 0) add(Severity::always, text::k_script, path.string(), interpreter);
    file(interpreter, depth + 1);
  }

  void elf(const fs::path& path, bool is_interpreter) {
    const auto name = path.string();
    const auto file = ElfFile::open(path);
    if (!file) {
      const bool readable = ::access(path.c_str(), R_OK) == 0;
      return readable ? add(Severity::cannot_run, text::k_damaged, name)
                      : add(Severity::doubt, text::k_unreadable, name);
    }
    if (!file->can_be_program()) return add(Severity::cannot_run, text::k_no_program, name);
    const auto library = ElfFile::open(library_);
    if (library && library->target() != file->target()) {
      const auto wanted = to_string(file->target());
      return add(Severity::cannot_run, text::k_other_machine, name, wanted, library_.string(),
                 to_string(library->target()), wanted);
    }
    const auto& loader = file->loader();
    if (loader.empty()) return add(Severity::unserved, text::k_static, name);
    if (::access(loader.c_str(), X_OK) != 0)
      return add(Severity::cannot_run, text::k_no_loader, name, loader);
    if (fs::path(loader).filename().string().starts_with("ld-musl-")) {
      result_.preload = false;
      return add(Severity::unserved, text::k_musl, name);
    }
    if (const auto reason = secure_mode_reason(path)) {
      return add(Severity::unserved, text::k_privileged, name, *reason);
    }
    loops(path, *file, is_interpreter);
  }

  void loops(const fs::path& path, const ElfFile& file, bool is_interpreter) {
    const auto name = path.string();
    auto calls = loop_calls(file);
    // A library may have the loops that the program has not.
    if (!calls.llvm && (calls.gcc || wishes_.libraries_too || wishes_.require)) {
      calls = loop_calls_with_libraries(file, path);
    }
    const bool conclusive = calls.known && !calls.starts_others;
    if (calls.llvm) return add(Severity::detail, text::k_can_be_served, name);
    if (calls.gcc) return add(conclusive ? Severity::unserved : Severity::always, text::k_gcc, name);
    if (calls.runtime_inside) return add(Severity::unserved, text::k_runtime_inside, name);
    if (is_interpreter) return; // what matters is what it starts
    if (!conclusive) return add(Severity::doubt, text::k_nothing_seen, name);
    add(wishes_.require ? Severity::unserved : Severity::doubt, text::k_no_loop, name);
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
