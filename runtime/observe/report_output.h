// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string_view>

#include "report_file.h"

namespace wstree::observe {

/// From now on relative names start from the folder in which the process is now, wherever it goes. Once, in
/// one thread. If that folder has no name, or none short enough, they start from where the process is then.
void remember_folder() noexcept;

/// Makes the new file that `pattern` (of the variable `variable`) names, in `path`, and lets
/// `write(context, descriptor)`, which returns 0 or the number of the first error, fill it. One line on
/// stderr if that fails, or if the file has another name because the requested name was taken. Under
/// a HostGuard.
void write_new_file(std::string_view variable, std::string_view pattern, Path& path,
                    int (*write)(void* context, int descriptor) noexcept, void* context) noexcept;

template <class Write>
void write_new_file(std::string_view variable, std::string_view pattern, Path& path, Write& write) noexcept {
  write_new_file(
      variable, pattern, path,
      [](void* context, int descriptor) noexcept { return (*static_cast<Write*>(context))(descriptor); },
      const_cast<void*>(static_cast<const void*>(&write)));
}

} // namespace wstree::observe
