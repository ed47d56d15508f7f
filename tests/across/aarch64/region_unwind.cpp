// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Guards: the unwind information of the call that kmpc/fork_aarch64.S makes. A region's function with more
// arguments than a wrapper passes on is called by the library's assembler code, that by the library's
// wrapper, and that by the runtime; an unwinder has to find all three in this order, whatever is on the
// stack. It is not followed further, because the call in libomp's own assembler code for this processor sends
// unwinders in circles, with the library and without it.
#include "check.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <dlfcn.h>
#include <string>
#include <unwind.h>
#include <vector>

namespace {

constexpr std::size_t k_most = 12;

/// File names of the objects that the frames above the caller belong to, innermost first.
std::vector<std::string> objects_above() {
  std::vector<std::uintptr_t> addresses;
  _Unwind_Backtrace(
      [](_Unwind_Context* context, void* data) {
        auto& found = *static_cast<std::vector<std::uintptr_t>*>(data);
        found.push_back(static_cast<std::uintptr_t>(_Unwind_GetIP(context)));
        return found.size() < k_most ? _URC_NO_REASON : _URC_END_OF_STACK;
      },
      &addresses);
  std::vector<std::string> names;
  for (const std::uintptr_t address : addresses) {
    Dl_info info{};
    const bool known = dladdr(reinterpret_cast<void*>(address - 1), &info) != 0 && info.dli_fname != nullptr;
    const char* slash = known ? std::strrchr(info.dli_fname, '/') : nullptr;
    names.emplace_back(slash != nullptr ? slash + 1 : known ? info.dli_fname : "?");
  }
  return names;
}

std::string join(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text.append(name).append(" ");
  return text;
}

/// Whether so many frames of the library lie between the program's and the runtime's.
bool are_between(std::size_t frames, const std::vector<std::string>& names) {
  std::size_t at = 0;
  while (at < names.size() && names[at].find("libwstree") == std::string::npos) ++at;
  if (at == 0 || at + frames >= names.size()) return false;
  for (std::size_t i = 0; i < frames; ++i)
    if (names[at + i].find("libwstree") == std::string::npos) return false;
  return names[at + frames].find("libomp") != std::string::npos;
}

void passed_on_by_a_wrapper() {
  std::vector<std::string> names;
  int few = 1;
#pragma omp parallel num_threads(2) shared(few, names)
  {
#pragma omp master
    if (few == 1) names = objects_above();
  }
  CHECK(are_between(1, names), "%s", join(names).c_str());
}

void arguments_on_the_stack() {
  std::vector<std::string> names;
  int a = 1, b = 2, c = 3, d = 4, e = 5, f = 6, g = 7, h = 8, i = 9;
#pragma omp parallel num_threads(2) shared(a, b, c, d, e, f, g, h, i, names)
  {
#pragma omp master
    if (a + b + c + d + e + f + g + h + i == 45) names = objects_above();
  }
  CHECK(are_between(2, names), "%s", join(names).c_str());
}

} // namespace

int main(int argc, char** argv) {
  return check::run(argc, argv,
                    {{"passed_on_by_a_wrapper", passed_on_by_a_wrapper},
                     {"arguments_on_the_stack", arguments_on_the_stack}});
}
