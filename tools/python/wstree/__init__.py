# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loops on a work-stealing tree, for threads that release the interpreter's lock; `wstree.numba` for prange."""
from wstree.loops import Loop, map, shares  # noqa: A004

__all__ = ["Loop", "map", "shares"]
