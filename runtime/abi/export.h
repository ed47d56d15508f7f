// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Marks of the functions that other objects call. exports.map lists the same names.
#pragma once

#define WSTREE_EXPORT __attribute__((visibility("default")))

/// An address in the code that called the exported function in which this stands.
#define WSTREE_CALLER __builtin_extract_return_addr(__builtin_return_address(0))
