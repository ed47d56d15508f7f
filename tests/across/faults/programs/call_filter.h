// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// System calls that fail in one library only.
#pragma once

#include <elf.h>
#include <link.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "system_call.h"

namespace faults {

struct Code {
  const char* library; // part of its path
  std::uint64_t begin = 0, end = 0;
};

inline int find_code(dl_phdr_info* object, std::size_t, void* data) {
  auto& code = *static_cast<Code*>(data);
  if (std::strstr(object->dlpi_name, code.library) == nullptr) return 0;
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = object->dlpi_phdr[i];
    if (segment.p_type != PT_LOAD || (segment.p_flags & PF_X) == 0) continue;
    code.begin = object->dlpi_addr + segment.p_vaddr;
    code.end = code.begin + segment.p_memsz;
  }
  return 1;
}

/// From now on the system call `number` fails with `error` where the code of this library makes it. The
/// library is told that there is no filter, because it would do without such calls.
inline bool fail_calls_of(const char* library, int number, int error) {
  Code code{library};
  if (dl_iterate_phdr(find_code, &code) == 0) return false;
  const auto load = [](std::size_t offset) -> sock_filter {
    return BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<unsigned>(offset));
  };
  const auto jump = [](unsigned how, std::uint64_t value, unsigned char yes,
                       unsigned char no) -> sock_filter {
    return BPF_JUMP(BPF_JMP | how | BPF_K, static_cast<unsigned>(value), yes, no);
  };
  const sock_filter allow = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  constexpr std::size_t k_low = offsetof(seccomp_data, instruction_pointer), k_high = k_low + 4;
  constexpr std::uint64_t k_block = std::uint64_t{1} << 32; // a filter compares 32 bits
  std::vector<sock_filter> rules;
  for (std::uint64_t at = code.begin; at < code.end;) {
    const std::uint64_t last = std::min(code.end, (at / k_block + 1) * k_block) - 1;
    const std::vector<sock_filter> block{
        load(k_high),
        jump(BPF_JEQ, at / k_block, 0, 10),
        load(k_low),
        jump(BPF_JGE, at % k_block, 0, 8),
        jump(BPF_JGT, last % k_block, 7, 0),
        load(offsetof(seccomp_data, nr)),
        jump(BPF_JEQ, static_cast<unsigned>(number), 3, 0),
        jump(BPF_JEQ, SYS_prctl, 0, 4),
        load(offsetof(seccomp_data, args)),
        jump(BPF_JEQ, PR_GET_SECCOMP, 1, 2),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | static_cast<unsigned>(error)),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO), // 0
    };
    rules.insert(rules.end(), block.begin(), block.end());
    at = last + 1;
  }
  rules.push_back(allow);
  const sock_fprog program{static_cast<unsigned short>(rules.size()), rules.data()};
  // Not by the C library's function: the library would know of the filter.
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         wstree::config::system_call(SYS_prctl, PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0;
}

} // namespace faults
