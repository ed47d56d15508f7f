// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Real::find() in a process of many modules that call.
#include "resolve/runtime.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

namespace wstree::abi {
namespace {

/// Code of module `number`. Where no object is, a binding is for one address alone.
const void* code_of(std::uintptr_t number) { return reinterpret_cast<const void*>(4096 * (number + 1) + 8); }

using Call = Real<pid_t()>;

void bind_modules(Call& call, std::uintptr_t count) {
  for (std::uintptr_t i = 0; i < count; ++i) ASSERT_NE(call.find(code_of(i)), nullptr) << i;
}

TEST(Bindings, EachIsMadeOnce) {
  static constinit Call call("getpid");
  EXPECT_EQ(call.latest(), nullptr);
  bind_modules(call, 3);
  const Binding* const latest = call.latest();
  EXPECT_TRUE(latest->is_for(code_of(2)));
  for (int again = 0; again < 3; ++again) bind_modules(call, 3);
  EXPECT_EQ(call.latest(), latest);
  EXPECT_EQ(call.find(code_of(0))(), getpid());
  EXPECT_FALSE(call.is_providers_own(code_of(0)));
}

TEST(Bindings, NamesAreToldApart) {
  static constinit Call own("getpid"), parents("getppid"), missing("wstree_no_such_function", true);
  constexpr std::uintptr_t k_modules = 20;
  for (int again = 0; again < 3; ++again)
    for (std::uintptr_t i = 0; i < k_modules; ++i) {
      ASSERT_EQ(own.find(code_of(i))(), getpid());
      ASSERT_EQ(parents.find(code_of(i))(), getppid());
      ASSERT_EQ(missing.find(code_of(i)), nullptr);
    }
}

/// Without the list behind the latest one, only what is remembered is found. Before the test that fills all
/// of it.
TEST(Bindings, OfHundredsOfModulesAreFoundWithoutAWalk) {
  static constinit Call call("getsid");
  constexpr std::uintptr_t k_modules = 200;
  bind_modules(call, k_modules);
  bind_modules(call, k_modules); // all but the latest are remembered now
  const Binding* const latest = call.latest();
  const_cast<Binding*>(latest)->older = nullptr;
  for (std::uintptr_t i = 0; i < k_modules; ++i) ASSERT_NE(call.find(code_of(i)), nullptr) << i;
  EXPECT_EQ(call.latest(), latest) << "bound again";
}

/// More modules than there is room to remember.
TEST(Bindings, AreFoundWhereNothingMoreCanBeRemembered) {
  static constinit std::array<Call, 4> calls{Call("getpid"), Call("getppid"), Call("getuid"), Call("getgid")};
  constexpr std::uintptr_t k_modules = 1500;
  for (Call& call : calls) bind_modules(call, k_modules);
  for (std::uintptr_t i = 0; i < k_modules; ++i) {
    const Binding* const latest = calls[0].latest();
    ASSERT_EQ(calls[0].find(code_of(i))(), getpid()) << i;
    ASSERT_EQ(calls[1].find(code_of(i))(), getppid()) << i;
    ASSERT_EQ(calls[0].latest(), latest) << "bound again: " << i;
  }
}

TEST(Bindings, ThreadsAgree) {
  static constinit Call call("getpid");
  constexpr std::uintptr_t k_modules = 60;
  std::vector<std::thread> threads;
  for (std::uintptr_t t = 0; t < 4; ++t)
    threads.emplace_back([t] {
      for (std::uintptr_t i = 0; i < 20 * k_modules; ++i)
        if (call.find(code_of((i * 7 + t * 13) % k_modules))() != getpid()) std::abort();
    });
  for (std::thread& thread : threads) thread.join();
}

} // namespace
} // namespace wstree::abi
