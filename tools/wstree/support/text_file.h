// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whole files.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace wstree::cli {

/// Returns all of a file, also if its size is not known beforehand, as in /proc. Nothing if it cannot be
/// read, or is larger than 1 GiB, as devices without an end are; `errno` has the reason.
std::optional<std::string> read_text(const std::filesystem::path& path);

/// Reads a file that may have no end: at most the first `most` bytes of it.
std::optional<std::string> read_start(const std::filesystem::path& path, std::size_t most);

/// Returns whether the path is one of these regular files, under whatever name.
bool is_one_of(const std::vector<std::string>& files, const std::string& path);

/// Replaces the file. Returns false after a message to the user.
bool write_text(const std::string& path, const std::string& text);

} // namespace wstree::cli
