# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Figures of numba's parallel functions, with their names, for WSTREE_STATS."""
import atexit
import ctypes
import os
import sys

from wstree._loaded import library

_loops = []  # (where, library of numba, symbol)


def watch(lowering):
    """Notes the loops that numba lowers from now on. `lowering`: its module parfor_lowering."""
    original = lowering.call_parallel_gufunc

    def noting(lowerer, cres, *rest, **more):
        name = f"{os.path.basename(lowerer.loc.filename)}:{lowerer.loc.line} {lowerer.func_ir.func_id.func_qualname}()"
        _loops.append((name, lowerer.library, "__gufunc__." + cres.fndesc.mangled_name))
        return original(lowerer, cres, *rest, **more)

    lowering.call_parallel_gufunc = noting
    library.wstree_numba_watch()
    atexit.register(_show)


def _show():
    lines = []
    figures = (ctypes.c_uint64 * 3)()
    for name, code, symbol in _loops:
        library.wstree_numba_figures(ctypes.c_void_p(code.get_pointer_to_function(symbol)), figures)
        calls, iterations, ns = figures
        if calls:
            lines.append(f"  {name}  {calls:,} calls  {ns / 1e6:,.2f} ms  {iterations:,} iterations")
    if lines:
        print(f"wstree: parallel loops of numba: {len(lines)}", *lines, sep="\n", file=sys.stderr)
