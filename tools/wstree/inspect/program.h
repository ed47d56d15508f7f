// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace wstree::cli {

/// The place where execvp(3) would find a program.
struct Lookup {
  enum class Result { found, not_executable, not_found };
  Result result = Result::not_found;
  std::filesystem::path path; ///< also set for not_executable: the file that was in the way
};

/// Follows PATH as execvp does: a name with a slash is a path; a file that may not be executed does not end
/// the search.
Lookup find_program(const std::string& name);

/// The kind of a file for the kernel, by its first bytes.
struct FileKind {
  enum class Kind {
    elf,
    script, ///< starts with "#!"
    other   ///< execvp hands it to /bin/sh
  };
  Kind kind = Kind::other;
  std::string interpreter; ///< interpreter of a script, as written there
};

FileKind file_kind(const std::filesystem::path& path);

/// Returns the reason why the dynamic loader would run the file in secure mode for the calling user, in which
/// it ignores LD_PRELOAD: "setuid", "setgid" or "file capabilities". Nothing if it would not.
std::optional<std::string> secure_mode_reason(const std::filesystem::path& path);

} // namespace wstree::cli
