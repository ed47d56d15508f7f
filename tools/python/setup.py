# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles the package's library, which ctypes loads: the scheduler of loop.h and the threading layer of numba."""
import os
import re

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

ROOT = os.path.relpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))


class Library(build_ext):
    def get_export_symbols(self, ext):
        return []  # not a module: no PyInit


with open(os.path.join(ROOT, "CMakeLists.txt"), encoding="utf-8") as build:
    version = re.search(r"project\(wstree VERSION (\S+)", build.read())[1]

setup(
    version=version,
    packages=["wstree", "wstree.start"],
    cmdclass={"build_ext": Library},
    ext_modules=[
        Extension(
            "wstree._library",
            ["layer/loop.cpp", "layer/numba_layer.cpp", "layer/pool.cpp"],
            depends=["layer/pool.h", "layer/watch.h"],
            include_dirs=[ROOT, os.path.join(ROOT, "include")],
            extra_compile_args=["-std=c++20", "-O2", "-fvisibility=hidden", "-fvisibility-inlines-hidden"],
            extra_link_args=["-pthread", "-Wl,-Bsymbolic"],
            language="c++",
            py_limited_api=True,
        )
    ],
)
