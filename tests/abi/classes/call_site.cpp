// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which function a call is of, on calls of this program that are never made.
#include "resolve/call_site.h"

#include <gtest/gtest.h>

namespace wstree::abi {
namespace {

extern "C" {
// Where the calls below return to.
extern const char after_call[] __attribute__((visibility("hidden")));
extern const char after_pointer[] __attribute__((visibility("hidden")));
extern const char after_local[] __attribute__((visibility("hidden")));
#if defined(__x86_64__)
extern const char after_slot[] __attribute__((visibility("hidden")));
#endif
}

#if defined(__x86_64__)
asm(".text\n"
    "call getppid@PLT\nafter_call: nop\n"
    "call *getppid@GOTPCREL(%rip)\nafter_slot: nop\n"
    "movq getppid@GOTPCREL(%rip), %rax\ncall *%rax\nafter_pointer: nop\n"
    "1: jmp getppid@PLT\ncall 1b\nafter_local: nop\n");
#elif defined(__aarch64__)
asm(".text\n"
    "bl getppid\nafter_call: nop\n"
    "adrp x0, :got:getppid\nldr x0, [x0, :got_lo12:getppid]\nblr x0\nafter_pointer: nop\n"
    "1: b getppid\nbl 1b\nafter_local: nop\n");
#endif

class CallSite : public testing::Test {
  void SetUp() override { remember_initial_objects(); } // and the size of a page
};

bool calls(const char* return_address, std::string_view name) {
  return calls_by_reference(object_around(return_address), return_address, name);
}

TEST_F(CallSite, IsOfTheFunctionWhoseSlotItGoesThrough) {
  EXPECT_TRUE(calls(after_call, "getppid"));
  EXPECT_FALSE(calls(after_call, "getpid"));
#if defined(__x86_64__)
  EXPECT_TRUE(calls(after_slot, "getppid"));
  EXPECT_FALSE(calls(after_slot, "getpid"));
#endif
}

TEST_F(CallSite, SaysNothingOfPointersAndJumps) {
  EXPECT_FALSE(calls(after_pointer, "getppid"));
  EXPECT_FALSE(calls(after_local, "getppid"));
}

} // namespace
} // namespace wstree::abi
