# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Lets numba execute parallel functions on the tree, if this is imported before the first of them is compiled.

It takes the place of numba's threading layers when numba asks for one, and imports no numba itself.
"""
import ctypes
import importlib.machinery
import importlib.util
import os
import sys
import types

from wstree._loaded import library

#: Versions of numba whose layers are known.
KNOWN = ("0.56",)

_LAYERS = tuple("numba.np.ufunc." + name for name in ("omppool", "workqueue", "tbbpool"))
_OURS = (
    "launch_threads", "parallel_for", "do_scheduling_signed", "do_scheduling_unsigned",
    "set_num_threads", "get_num_threads", "get_thread_id", "get_sched_size",
)  # fmt: skip
_OF_NUMBA = ("get_parallel_chunksize", "get_sched_size", "do_scheduling_signed", "do_scheduling_unsigned")


_LOWERING = "numba.parfors.parfor_lowering"
_has_figures = os.environ.get("WSTREE_STATS", "0") not in ("", "0")


def _watch(lowering):
    from wstree._figures import watch

    watch(lowering)


def _tell(text):
    print("wstree: " + text, file=sys.stderr)


class _Layer:
    """Finds and loads the modules of numba's layers."""

    def __init__(self):
        self._own = None  # numba's own layer, which cuts for chunk sizes
        self._is_refused = False

    def find_spec(self, name, path=None, target=None):
        if name == _LOWERING and _has_figures:
            return self._watched(path)
        if name not in _LAYERS or self._is_refused:
            return None
        # A numba that has no layer on TBB is to say so, as ever.
        if name.endswith("tbbpool") and importlib.machinery.PathFinder.find_spec(name, path) is None:
            return None
        if self._own is None and not self._prepare(path):
            self._is_refused = True
            return None
        return importlib.machinery.ModuleSpec(name, self)

    def _watched(self, path):
        spec = importlib.machinery.PathFinder.find_spec(_LOWERING, path)
        execute = spec.loader.exec_module

        def exec_module(module):
            execute(module)
            _watch(module)

        spec.loader.exec_module = exec_module
        return spec

    def _prepare(self, path):
        import numba

        if ".".join(numba.__version__.split("+")[0].split(".")[:2]) not in KNOWN:
            _tell(f"numba {numba.__version__} is not known (only {', '.join(KNOWN)}); it keeps its own threading layer")
            return False
        spec = importlib.machinery.PathFinder.find_spec("numba.np.ufunc.workqueue", path)
        own = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(own)
        sys.modules.pop(spec.name, None)  # where extension modules enter themselves
        library.wstree_numba_use(*(ctypes.c_void_p(getattr(own, name)) for name in _OF_NUMBA))
        self._own = own
        return True

    def create_module(self, spec):
        return types.ModuleType(spec.name)

    def exec_module(self, module):
        for name in ("set_parallel_chunksize", "get_parallel_chunksize"):
            setattr(module, name, getattr(self._own, name))
        for name in _OURS:
            setattr(module, name, ctypes.cast(library["wstree_numba_" + name], ctypes.c_void_p).value)
        module.openmp_vendor = "wstree"


def is_active():
    """Whether numba executes parallel functions on the tree, or will when it compiles the first."""
    loaded = [sys.modules[name] for name in _LAYERS if name in sys.modules]
    return all(getattr(module, "openmp_vendor", "") == "wstree" for module in loaded) and not _layer._is_refused


_layer = _Layer()
if any(name in sys.modules for name in _LAYERS):
    _tell("imported after numba has chosen its threading layer, which it keeps; import wstree.numba earlier")
    _layer._is_refused = True
else:
    sys.meta_path.insert(0, _layer)
    if _LOWERING in sys.modules and _has_figures:
        _watch(sys.modules[_LOWERING])
