# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The Spack recipe; ../../../../README.md says how to use it."""
import os

from spack.package import *


class Wstree(CMakePackage):
    """Shares out the uneven loops of OpenMP programs with a lock-free work-stealing tree, without recompiling them."""

    # The sources are those that this file lies in, unless WSTREE_GIT names another Git tree.
    git = os.environ.get("WSTREE_GIT") or "file://" + os.path.abspath(os.path.join(os.path.dirname(__file__), *[".."] * 5))

    license("Apache-2.0 WITH LLVM-exception")

    version("main", branch="main")
    version("1.1.0", tag="v1.1.0")
    version("1.0.0", tag="v1.0.0")

    variant("tools", default=True, description="The command wstree; the library alone needs nothing but a compiler")
    variant("bench", default=False, when="+tools", description="The commands wstree bench and wstree simulate")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("pkgconfig", type="build")
    # The library opens it at run time.
    depends_on("hwloc@2.5:")
    with when("+tools"):
        depends_on("cli11", type="build")
        depends_on("nlohmann-json", type="build")
        depends_on("fmt@9:")
        depends_on("elfutils")
        depends_on("zlib-api")
    depends_on("boost+context", when="+bench")

    conflicts("%gcc@:11", msg="The sources are C++20")
    conflicts("%clang@:13", msg="The sources are C++20")
    conflicts("platform=darwin", msg="The library needs glibc on Linux")
    requires("target=x86_64:", "target=aarch64:", policy="one_of")

    def cmake_args(self):
        return [
            self.define_from_variant("WSTREE_TOOLS", "tools"),
            self.define("WSTREE_BENCH", self.spec.satisfies("+bench")),
            self.define("WSTREE_TESTS", False),
            self.define("WSTREE_EXAMPLES", False),
            self.define("WSTREE_PLUGIN_GCC", False),
        ]
