// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "preflight.h"

#include "elf_file.h"
#include "program.h"

#include <cctype>
#include <fmt/format.h>
#include <unistd.h>
#include <utility>

namespace wstree::cli {

namespace {

namespace fs = std::filesystem;

/// The kernel follows a script's interpreter, which may be a script again, this often.
constexpr int k_interpreter_limit = 5;

/// A finding, its meaning and the remedy, with {} for the arguments: 0 is the program.
struct Text {
  const char* found;
  const char* cause;
  const char* fix;
};

namespace text {

constexpr Text k_script{"'{0}' is a script",
                        "the library is preloaded into its interpreter '{1}' and into what that starts", ""};
constexpr Text k_no_interpreter{"'{0}' is a script for '{1}', which cannot be executed here", "",
                                "install it or correct the script's first line"};
constexpr Text k_script_chain{"'{0}' leads from script to script more often than the system follows", "",
                              "name a binary in its first line"};
constexpr Text k_other{"'{0}' is neither a binary nor a script with a #! line",
                       "/bin/sh runs it, and the library is preloaded into that and into what it starts", ""};
constexpr Text k_unreadable{"'{0}' may be executed but not read, so nothing can be said about it", "", ""};
constexpr Text k_damaged{"'{0}' is a damaged ELF file", "", "build or copy it again"};
constexpr Text k_no_program{"'{0}' is an ELF file, but no program (an object or core file?)", "",
                            "link it first"};
constexpr Text k_other_machine{"'{0}' is a {1} program, and the library ({2}) is for {3}", "",
                               "install wstree for {1} or rebuild the program"};
constexpr Text k_static{"'{0}' is statically linked",
                        "nothing can be preloaded into it, so its loops stay with its own OpenMP runtime",
                        "link it dynamically"};
constexpr Text k_no_loader{"'{0}' needs the dynamic loader '{1}', which is missing here", "",
                           "install the C library that it was built for or rebuild the program"};
constexpr Text k_musl{"'{0}' was built for musl and the library for glibc, so it runs without the library",
                      "", "build it for glibc to have its loops served"};
constexpr Text k_privileged{"'{0}' is privileged ({1})", "the dynamic loader ignores LD_PRELOAD for it",
                            "run a copy without these rights, or link it with -lwstree"};

} // namespace text

class Inspection {
public:
  explicit Inspection(const fs::path& library) : library_(library) {}

  Preflight take() { return std::move(result_); }

  /// Examines a file. `depth`: number of scripts that led here.
  void file(const fs::path& path, int depth) {
    const auto kind = file_kind(path);
    switch (kind.kind) {
    case FileKind::Kind::elf:
      return elf(path, depth > 0);
    case FileKind::Kind::script:
      return script(path, kind.interpreter, depth);
    case FileKind::Kind::other:
      return add(Severity::detail, text::k_other, path.string());
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
    if (depth == 0) add(Severity::detail, text::k_script, path.string(), interpreter);
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
    if (loader.empty()) {
      // An OpenMP runtime inside would read it. Another static program may start programs that have one.
      result_.preload = !file->contains("OMP_SCHEDULE");
      return add(Severity::unserved, text::k_static, name);
    }
    if (::access(loader.c_str(), X_OK) != 0)
      return add(Severity::cannot_run, text::k_no_loader, name, loader);
    if (fs::path(loader).filename().string().starts_with("ld-musl-")) {
      result_.preload = false;
      return add(Severity::unserved, text::k_musl, name);
    }
    if (const auto reason = secure_mode_reason(path)) {
      return add(Severity::unserved, text::k_privileged, name, *reason);
    }
    result_.program = path;
    result_.is_interpreter = is_interpreter;
  }

  template <class... Arguments> void add(Severity severity, const Text& text, const Arguments&... arguments) {
    const auto filled = [&](const char* part) { return fmt::format(fmt::runtime(part), arguments...); };
    result_.findings.push_back({severity, filled(text.found), filled(text.cause), filled(text.fix)});
  }

  const fs::path& library_;
  Preflight result_;
};

} // namespace

std::string Finding::text() const {
  std::string text = found;
  if (!cause.empty()) text.append(": ").append(cause);
  if (fix.empty()) return text;
  if (cause.empty()) return text.append(": ").append(fix);
  text.append(". ").append(fix);
  char& first = text[text.size() - fix.size()];
  first = static_cast<char>(std::toupper(static_cast<unsigned char>(first)));
  return text;
}

Preflight inspect_file(const fs::path& program, const fs::path& library) {
  Inspection inspection(library);
  inspection.file(program, 0);
  return inspection.take();
}

} // namespace wstree::cli
