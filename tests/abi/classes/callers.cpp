// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Real::find() in a process of many modules that call, come and go.
#include "resolve/runtime.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <thread>
#include <vector>

namespace wstree::abi {
namespace {

/// Code of page `number`, where no object is.
const void* code_outside(std::uintptr_t number) {
  return reinterpret_cast<const void*>(4096 * (number + 1) + 8);
}

/// Code of page `number` of an object that was opened later, and has so many pages.
constexpr std::uintptr_t k_pages = 60;
const void* code_of(std::uintptr_t number) {
  static void* const first = dlsym(dlopen("libhwloc.so.15", RTLD_NOW), "hwloc_topology_init");
  static const LoadedObject object = object_around(first);
  return reinterpret_cast<const void*>(object.extent.begin + 4096 * number + 8);
}

using Call = Real<int()>;

class Callers : public testing::Test {
protected:
  static void SetUpTestSuite() {
    remember_initial_objects();
    end_idleness(); // nothing is remembered before
    ASSERT_NE(dlopen("libgomp.so.1", RTLD_NOW | RTLD_LOCAL), nullptr);
  }
  void TearDown() override { forget_callers(); }

  static void* of_libgomp(const char* name) {
    void* const libgomp = dlopen("libgomp.so.1", RTLD_NOW | RTLD_NOLOAD);
    return dlsym(libgomp, name);
  }
};

TEST_F(Callers, OutsideOfObjectsShareAScope) {
  static constinit Call level("omp_get_level"), threads("omp_get_max_threads"),
      missing("wstree_no_such_function", true);
  const PageTable* const table = g_pages.load();
  for (int again = 0; again < 3; ++again)
    for (std::uintptr_t i = 0; i < 5000; ++i) {
      ASSERT_EQ(reinterpret_cast<void*>(level.find(code_outside(i))), of_libgomp("omp_get_level"));
      ASSERT_EQ(reinterpret_cast<void*>(threads.find(code_outside(i))), of_libgomp("omp_get_max_threads"));
      ASSERT_EQ(missing.find(code_outside(i)), nullptr);
    }
  EXPECT_EQ(g_pages.load(), table) << "pages were remembered";
}

TEST_F(Callers, AreForgottenWhereTheyMayGo) {
  static constinit Call call("omp_get_level");
  for (int again = 0; again < 2; ++again) {
    for (std::uintptr_t i = 0; i < k_pages; ++i)
      ASSERT_EQ(reinterpret_cast<void*>(call.find(code_of(i))), of_libgomp("omp_get_level"));
    std::size_t at_home = 0;
    for (std::uintptr_t i = 0; i < k_pages; ++i) {
      if (scope_at_home(code_of(i)) == nullptr) continue;
      ++at_home;
      EXPECT_EQ(reinterpret_cast<void*>(call.find(code_of(i))), of_libgomp("omp_get_level"));
    }
    EXPECT_GT(at_home, k_pages / 2);
    forget_callers();
    for (std::uintptr_t i = 0; i < k_pages; ++i) EXPECT_EQ(scope_at_home(code_of(i)), nullptr);
  }
}

/// A host that opens and closes plugins for ever needs no more memory.
TEST_F(Callers, PagesTakeTheEntriesOfForgottenOnes) {
  static constinit Call call("omp_get_level");
  const std::size_t size = g_pages.load()->size();
  for (int round = 0; round < 1000; ++round) {
    for (std::uintptr_t i = 0; i < k_pages; ++i) ASSERT_NE(call.find(code_of(i)), nullptr);
    forget_callers();
  }
  EXPECT_EQ(g_pages.load()->size(), size);
}

/// While a thread forgets what the other threads remember, these find the right functions.
TEST_F(Callers, ThreadsAgree) {
  static constinit Call level("omp_get_level"), threads("omp_get_max_threads");
  void* const wanted[] = {of_libgomp("omp_get_level"), of_libgomp("omp_get_max_threads")};
  std::atomic<int> running{4};
  std::vector<std::thread> team;
  for (std::uintptr_t t = 0; t < 4; ++t)
    team.emplace_back([&, t] {
      for (std::uintptr_t i = 0; i < 20'000; ++i) {
        const void* const code = code_of((i * 7 + t * 13) % k_pages);
        if (reinterpret_cast<void*>(level.find(code)) != wanted[0] ||
            reinterpret_cast<void*>(threads.find(code)) != wanted[1])
          std::abort();
      }
      running.fetch_sub(1);
    });
  while (running.load() > 0) {
    forget_callers();
    std::this_thread::yield();
  }
  for (std::thread& thread : team) thread.join();
}

} // namespace
} // namespace wstree::abi
