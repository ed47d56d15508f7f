// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random programs of plugins: whatever a program opens, in which order and how, closes and opens again, its
// output is equal without the library, with an idle one, and served.
#include "both_runtimes.h"
#include "property.h"

#include <array>
#include <string>
#include <vector>

namespace wstree::test {
namespace {

/// An argument of jumping_host. `by_ending_threads`: libomp's workers keep memory of tasks that an ended
/// thread has created, natively too, and write to it later. So only plugins that libgomp executes are opened
/// by such threads.
rc::Gen<std::string> plugin(bool by_ending_threads) {
  const auto text = [by_ending_threads](const std::tuple<bool, unsigned>& choice) {
    const auto [is_gccs, flags] = choice;
    std::string argument;
    const std::array<std::string, 6> names{
        "lazy", "deep", "global", "close", "untouched", is_gccs && by_ending_threads ? "thread" : "resident"};
    for (std::size_t i = 0; i < names.size(); ++i)
      if ((flags >> i & 1) != 0) argument.append(names[i]) += ',';
    return argument + ':' + program_path(is_gccs ? "jumping_gcc.so" : "jumping_clang.so");
  };
  return rc::gen::map(rc::gen::tuple(rc::gen::arbitrary<bool>(), rc::gen::inRange(0U, 64U)), text);
}

TEST(PluginOrders, ChangeNothing) {
  const auto equal = [] {
    const auto host =
        *rc::gen::element<std::string>("jumping_host", "jumping_host_gcc", "jumping_host_clang");
    const auto seed = *rc::gen::inRange(1, 1000);
    const auto is_gccs_first = *rc::gen::arbitrary<bool>();
    const auto plugins = *rc::gen::container<std::vector<std::string>>(plugin(host == "jumping_host_gcc"));
    // A runtime does not survive that it is closed while its threads wait, so the program holds both.
    std::vector<std::string> arguments{std::to_string(seed), "runtime:libgomp.so.1", "runtime:libomp.so.5"};
    if (!is_gccs_first) std::swap(arguments[1], arguments[2]);
    for (std::size_t i = 0; i < plugins.size() && i < 8; ++i) arguments.push_back(plugins[i]);
    Program program(host, arguments);
    program.set("KMP_DUPLICATE_LIB_OK", "TRUE"); // for a libomp in a program of clang
    const std::string difference = difference_with_library(program);
    if (difference.starts_with(k_fails_natively)) RC_DISCARD("the runtimes do not survive it");
    if (!difference.empty()) RC_FAIL(difference);
  };
  for_all("plugins in a random order", 40, equal);
}

} // namespace
} // namespace wstree::test
