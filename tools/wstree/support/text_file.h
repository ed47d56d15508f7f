// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whole files.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace wstree::cli {

/// All of a file, also of one whose size is not known beforehand, as those in /proc. Nothing if it cannot be
/// read.
std::optional<std::string> read_text(const std::filesystem::path& path);

/// Replaces the file. False: it says why not.
bool write_text(const std::string& path, const std::string& text);

} // namespace wstree::cli
