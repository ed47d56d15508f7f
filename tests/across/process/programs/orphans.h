// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// The part of the calling member of 0 + 1 + ... + (n - 1), twice.
long orphaned_loops(int n);
