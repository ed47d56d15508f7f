// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Marks of the functions that other objects call. exports.map lists the same names.
#pragma once

#define WSTREE_EXPORT __attribute__((visibility("default")))

/// An address in the code that called the exported function in which this stands.
///
/// The runtime finds it in the same way and tells it to tools (OMPT: codeptr_ra). A call of the runtime is
/// therefore the last thing that an exported function does, with nothing of its own left on the stack, and
/// compilers make a jump of it. tests/abi/ompt checks the addresses that tools get.
#define WSTREE_CALLER __builtin_extract_return_addr(__builtin_return_address(0))

/// Marks a function that an exported one calls as the last thing, with the same arguments: there, too,
/// WSTREE_CALLER is the address in the program. The exported function then has no registers to save for the
/// seldom case. Where compilers make no jumps of such calls, the function becomes part of the exported one:
/// without optimisation, with sanitizers, and in clang, of which version 22 makes none where arguments are on
/// the stack.
#if defined(__OPTIMIZE__) && !defined(__clang__) && !defined(__SANITIZE_THREAD__) &&                         \
    !defined(__SANITIZE_ADDRESS__)
#define WSTREE_SAME_CALLER [[gnu::noinline]]
#else
#define WSTREE_SAME_CALLER [[gnu::always_inline]]
#endif
