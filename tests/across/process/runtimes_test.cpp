// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs with both OpenMP runtimes in them: whatever order objects are opened in, and however, each call
// reaches the runtime that it reaches without the library, idle and served. Every cell of the matrix is one
// program that runs three times and has to print the same.
#include "both_runtimes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

namespace {

using namespace wstree::test;

using Words = std::vector<std::string>;

const Words k_hosts{"jumping_host", "jumping_host_gcc", "jumping_host_clang"};
/// In the order in which they are opened.
const std::vector<Words> k_plugins{{"gcc"},
                                   {"clang"},
                                   {"gcc", "clang"},
                                   {"clang", "gcc"},
                                   {"iomp", "gcc"},
                                   {"gcc", "iomp"},
                                   {"early_gcc", "clang"},
                                   {"early_clang", "gcc"},
                                   {"iomp", "clang", "early_gcc"}};
/// How: now and for themselves, unless a word says otherwise.
const Words k_ways{"", "lazy", "global", "lazy,global", "deep", "new"};
/// The objects that the program has opened before.
const std::vector<Words> k_before{{},
                                  {"runtime,global:libgomp.so.1"},
                                  {"runtime,global:libomp.so.5"},
                                  {"runtime:libgomp.so.1", "runtime:libomp.so.5"}};

Program cell(const std::string& host, unsigned seed, const Words& before, const Words& plugins,
             const std::string& way) {
  Words arguments{std::to_string(seed)};
  arguments.insert(arguments.end(), before.begin(), before.end());
  for (const std::string& each : plugins)
    arguments.push_back(way + ":" + program_path("jumping_" + each + ".so"));
  Program program(host, arguments);
  program.set("KMP_DUPLICATE_LIB_OK", "TRUE"); // two libomps do not run natively without it
  return program;
}

void expect_equal(Program program, const std::string& what) {
  EXPECT_EQ(difference_with_library(std::move(program)), "") << what;
}

class BothRuntimes : public testing::TestWithParam<std::tuple<std::size_t, std::size_t>> {};

TEST_P(BothRuntimes, GetTheirOwnCalls) {
  const auto [host, plugins] = GetParam();
  unsigned seed = static_cast<unsigned>(host * 100 + plugins);
  // Each way with each host and with each set of plugins; of the objects opened before, one for each.
  for (std::size_t way = 0; way < k_ways.size(); ++way) {
    const Words& before = k_before[(way + host + plugins) % k_before.size()];
    expect_equal(cell(k_hosts[host], ++seed, before, k_plugins[plugins], k_ways[way]),
                 k_ways[way] + ' ' + testing::PrintToString(before));
  }
}

INSTANTIATE_TEST_SUITE_P(Matrix, BothRuntimes,
                         testing::Combine(testing::Range(std::size_t{0}, k_hosts.size()),
                                          testing::Range(std::size_t{0}, k_plugins.size())),
                         [](const auto& each) {
                           std::string name = k_hosts[std::get<0>(each.param)] + "_opens";
                           for (const std::string& plugin : k_plugins[std::get<1>(each.param)])
                             name += "_" + plugin;
                           return name;
                         });

/// The program opens both before it calls one, so that any function may be the first one.
TEST(BothRuntimes, GetTheirOwnFirstCalls) {
  for (const std::string way : {"untouched", "untouched,lazy"})
    for (unsigned seed = 1; seed <= 20; ++seed)
      expect_equal(cell("jumping_host", seed, {}, {"gcc", "clang"}, way), way + ' ' + std::to_string(seed));
}

/// A callback of ctypes or cffi calls from code of libffi, which has no OpenMP.
TEST(BothRuntimes, GetTheirOwnCallsFromPython) {
  if (std::string_view(WSTREE_TEST_PYTHON).empty()) GTEST_SKIP() << "there is no Python";
  const std::string script = "import ctypes, sys\n"
                             "for path in sys.argv[1:]:\n"
                             "  code = ctypes.CDLL(path)\n"
                             "  code.seen.restype = ctypes.c_char_p\n"
                             "  call = ctypes.CFUNCTYPE(None)\n"
                             "  for name in ['set', 'orphan', 'region', 'method', 'get', 'tasks', 'procs']:\n"
                             "    getattr(code, name)()\n"
                             "    call(getattr(code, name))()\n"
                             "  print(code.seen().decode())\n";
  for (const Words& plugins : k_plugins) {
    Words arguments{"-c", script};
    for (const std::string& each : plugins) arguments.push_back(program_path("jumping_" + each + ".so"));
    Program program(WSTREE_TEST_PYTHON, arguments);
    program.set("KMP_DUPLICATE_LIB_OK", "TRUE");
    expect_equal(program, testing::PrintToString(plugins));
  }
}

/// Without a runtime a program that tests weak references takes its serial path, as without the library.
TEST(BothRuntimes, MayBeMissing) {
  Program program("weak");
  const Outcome native = program.run();
  EXPECT_EQ(native.out, "serial serial serial serial serial\n") << native.text();
  EXPECT_EQ(program.preload().run().text(), native.text());
  EXPECT_EQ(program.set("OMP_SCHEDULE", "wstree").run().text(), native.text());
}

} // namespace
