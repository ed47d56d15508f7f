# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`python3 -m wstree run` puts this folder on PYTHONPATH: the program's interpreters import wstree.numba first."""
import importlib.machinery
import importlib.util
import os
import sys

_here = os.path.dirname(os.path.abspath(__file__))
_package = os.path.dirname(os.path.dirname(_here))


def _start():
    sys.path[:] = [entry for entry in sys.path if os.path.abspath(entry or ".") != _here]
    appended = _package not in sys.path
    if appended:
        sys.path.append(_package)
    try:
        import wstree.numba  # noqa: F401
    except (ImportError, OSError, IndexError) as error:
        print(f"wstree: numba keeps its own threading layer: {error}", file=sys.stderr)
    finally:
        if appended:
            sys.path.remove(_package)
    # The sitecustomize that this one hides.
    spec = importlib.machinery.PathFinder.find_spec("sitecustomize")
    if spec is not None and spec.loader is not None:
        module = importlib.util.module_from_spec(spec)
        sys.modules["sitecustomize"] = module
        spec.loader.exec_module(module)


_start()
