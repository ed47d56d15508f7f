#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# conda-build runs this for meta.yaml, in the sources and with its variables.
# shellcheck disable=SC2154
set -euo pipefail
# CMAKE_ARGS are several words: compilers, prefix, folders to search.
# shellcheck disable=SC2086
cmake -G Ninja -S . -B build-conda ${CMAKE_ARGS-} -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_PREFIX="$PREFIX" \
  -DCMAKE_INSTALL_LIBDIR=lib -DWSTREE_TESTS=OFF -DWSTREE_EXAMPLES=OFF -DWSTREE_BENCH=OFF -DWSTREE_PLUGIN_GCC=OFF
cmake --build build-conda
cmake --install build-conda
