// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A library to be preloaded that wraps every function that libwstree.so takes from other objects
// (EARLY_CALLS_LIST has a line WATCH(name) for each). If libwstree.so calls one of them before the
// constructor of this library has run, the process ends with status 99,
// and a line on stderr names the function.
#include <dlfcn.h>
#include <link.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <initializer_list>

#define WATCH(name) #name,
namespace {
constexpr const char* k_names[] = {
#include EARLY_CALLS_LIST
};
constexpr std::size_t k_count = sizeof k_names / sizeof *k_names;
static_assert(k_count > 50, "libwstree.so has lost its imports");
} // namespace
#undef WATCH

extern "C" {
__attribute__((visibility("hidden"))) void* early_calls_next[k_count] = {};
__attribute__((visibility("hidden"))) bool early_calls_ready = false;
void early_calls_watch(std::size_t index, const void* caller) __attribute__((visibility("hidden")));
}

// Each wrapper hands on all that came in registers. Until this library is ready, early_calls_watch()
// is asked first.
asm(".text\n"
    ".set early_calls_number, 0\n");
#if defined(__x86_64__)
#define PASS "movl $early_calls_number, %r11d\njmp early_calls_pass\n"
#elif defined(__aarch64__)
#define PASS "mov x17, #early_calls_number\nb early_calls_pass\n"
#endif
#define WATCH(name)                                                                                          \
  asm(".globl " #name "\n.type " #name ", %function\n" #name ":\n" PASS ".size " #name ", .-" #name          \
      "\n.set early_calls_number, early_calls_number + 1\n");
#include EARLY_CALLS_LIST
#if defined(__x86_64__)
asm("early_calls_pass:\n"
    "cmpb $0, early_calls_ready(%rip)\n"
    "jne 1f\n"
    ".irp register, rax, rdi, rsi, rdx, rcx, r8, r9, r11\n"
    "pushq %\\register\n"
    ".endr\n"
    "subq $136, %rsp\n"
    ".irp number, 0, 1, 2, 3, 4, 5, 6, 7\n"
    "movups %xmm\\number, 16*\\number(%rsp)\n"
    ".endr\n"
    "movq %r11, %rdi\n"
    "movq 200(%rsp), %rsi\n"
    "call early_calls_watch\n"
    ".irp number, 0, 1, 2, 3, 4, 5, 6, 7\n"
    "movups 16*\\number(%rsp), %xmm\\number\n"
    ".endr\n"
    "addq $136, %rsp\n"
    ".irp register, r11, r9, r8, rcx, rdx, rsi, rdi, rax\n"
    "popq %\\register\n"
    ".endr\n"
    "1: leaq early_calls_next(%rip), %r10\n"
    "jmp *(%r10,%r11,8)\n");
#elif defined(__aarch64__)
asm("early_calls_pass:\n"
    "adrp x16, early_calls_ready\n"
    "ldrb w16, [x16, :lo12:early_calls_ready]\n"
    "cbnz w16, 1f\n"
    "stp x29, x30, [sp, #-224]!\n"
    "stp x0, x1, [sp, #16]\n"
    "stp x2, x3, [sp, #32]\n"
    "stp x4, x5, [sp, #48]\n"
    "stp x6, x7, [sp, #64]\n"
    "stp x8, x17, [sp, #80]\n"
    "stp q0, q1, [sp, #96]\n"
    "stp q2, q3, [sp, #128]\n"
    "stp q4, q5, [sp, #160]\n"
    "stp q6, q7, [sp, #192]\n"
    "mov x0, x17\n"
    "mov x1, x30\n"
    "bl early_calls_watch\n"
    "ldp q6, q7, [sp, #192]\n"
    "ldp q4, q5, [sp, #160]\n"
    "ldp q2, q3, [sp, #128]\n"
    "ldp q0, q1, [sp, #96]\n"
    "ldp x8, x17, [sp, #80]\n"
    "ldp x6, x7, [sp, #64]\n"
    "ldp x4, x5, [sp, #48]\n"
    "ldp x2, x3, [sp, #32]\n"
    "ldp x0, x1, [sp, #16]\n"
    "ldp x29, x30, [sp], #224\n"
    "1: adrp x16, early_calls_next\n"
    "add x16, x16, :lo12:early_calls_next\n"
    "ldr x16, [x16, x17, lsl #3]\n"
    "br x16\n");
#endif
#undef WATCH

#include "system_call.h"

namespace {

using wstree::config::system_call;

std::size_t length(const char* text) {
  std::size_t size = 0;
  while (text[size] != '\0') ++size;
  return size;
}

bool holds(const char* text, const char* part) {
  for (; *text != '\0'; ++text) {
    std::size_t same = 0;
    while (part[same] != '\0' && text[same] == part[same]) ++same;
    if (part[same] == '\0') return true;
  }
  return false;
}

void say(const char* text) { system_call(SYS_write, 2, text, length(text)); }

/// The path of the object around `address`: the one that begins last before it.
const char* object_around(const void* address) {
  const link_map* around = nullptr;
  for (const link_map* object = _r_debug.r_map; object != nullptr; object = object->l_next)
    if (object->l_addr <= reinterpret_cast<std::uintptr_t>(address) &&
        (around == nullptr || object->l_addr > around->l_addr))
      around = object;
  return around != nullptr ? around->l_name : "";
}

/// Where a constructor ends with a jump, the caller seems to be the loader. That constructor is one of
/// libwstree.so as long as the C library, which is the next, has no environment. (The loader itself calls
/// what allocates.)
bool is_of_library(const char* name, const void* caller) {
  const char* const object = object_around(caller);
  return holds(object, "libwstree.so") ||
         (holds(object, "/ld-linux") && environ == nullptr && !holds(name, "alloc") && !holds("free", name));
}

void find_next(std::size_t index) {
  using Find = void*(void*, const char*);
  static Find* find = nullptr;
  for (const char* version : {"GLIBC_2.34", "GLIBC_2.17", "GLIBC_2.2.5"})
    if (find == nullptr) find = reinterpret_cast<Find*>(dlvsym(RTLD_NEXT, "dlsym", version));
  early_calls_next[index] = find(RTLD_NEXT, k_names[index]);
}

[[gnu::constructor]] void make_ready() {
  for (std::size_t i = 0; i < k_count; ++i) find_next(i);
  early_calls_ready = true;
}

} // namespace

void early_calls_watch(std::size_t index, const void* caller) {
  if (!is_of_library(k_names[index], caller)) return find_next(index);
  say("early call of ");
  say(k_names[index]);
  say("\n");
  system_call(SYS_exit_group, 99);
}
