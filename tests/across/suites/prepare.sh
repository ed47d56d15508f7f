# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# What tests/across/suites/run needs before it can run a suite: the sources, the ways in which programs are started, and the
# configuration of lit. It runs in the root of the project.
# shellcheck shell=bash disable=SC2154

# shellcheck source=../../../tools/private_apt.sh
source tools/private_apt.sh

# Sources.

# kept NAME: the folder with the parts of a source package that are needed here; fetches them if they are not there.
kept() {
  local name=$1 dir=$cache/$1
  if [[ ! -e $dir/stamp ]]; then
    mkdir -p "$cache"
    (
      work=$(mktemp -d "$cache/.work.XXXXXX")
      trap 'rm -rf "$work"' EXIT
      mkdir "$work/tree"
      cd "$work" || exit
      say "fetching the source of $name, 90 to 170 MB"
      fetch_source "$name"
      case $name in
        llvm-toolchain-*) unpack_parts ./*.orig.tar.xz tree openmp ;;
        gcc-*)
          # The upstream tarball is inside of the distribution's.
          tar -x -f ./*.orig.tar.gz --strip-components=1 --wildcards '*/gcc-*.tar.xz'
          unpack_parts ./gcc-*-dfsg.tar.xz tree libgomp include
          ;;
      esac
      basename ./*.orig.tar.* >tree/stamp
      rm -rf "$dir"
      mv tree "$dir"
    )
  fi
  echo "$dir"
}

# Ways.

# write_starters DIR: DIR/start-WAY starts a program in that way.
write_starters() {
  local way settings
  for way in bare idle served; do
    settings=''
    # shellcheck disable=SC2016
    ! $passive || settings+=' OMP_WAIT_POLICY="${OMP_WAIT_POLICY-passive}"'
    # shellcheck disable=SC2016 # for the shell that starts the program
    [[ $way == bare ]] || settings+=' LD_PRELOAD="'$library'${LD_PRELOAD:+:$LD_PRELOAD}"'
    # shellcheck disable=SC2016
    [[ $way != served ]] || settings+=' OMP_SCHEDULE="${OMP_SCHEDULE-wstree}" WSTREE_LOOPS=all'
    printf '#!/bin/sh\nexec timeout --foreground --kill-after=5 %d env%s "$@"\n' "$limit" "$settings" >"$1/start-$way"
    chmod +x "$1/start-$way"
  done
}

# check_ways DIR COMPILER...: is a loop of that compiler served if it should be? Else nothing would be compared.
check_ways() {
  local dir=$1 way
  shift
  cat >"$dir/probe.c" <<'END'
#include <omp.h>
int main(void) {
  int sum = 0;
#pragma omp parallel for schedule(runtime) num_threads(2) reduction(+ : sum)
  for (int i = 0; i < 1000; ++i) sum += i;
  return sum != 499500;
}
END
  rm -f "$dir"/probe-*.txt
  "$@" -fopenmp "$dir/probe.c" -o "$dir/probe"
  for way in idle served; do
    WSTREE_STATS="text=$dir/probe-$way.txt" "$dir/start-$way" "$dir/probe"
  done
  if [[ -s $dir/probe-idle.txt ]] || ! grep -q 'probe' "$dir/probe-served.txt"; then
    say "the library does not serve a loop of ${*##*/}, or does so without being asked"
    exit 1
  fi
}

# keep_compiled DIR MADE-FROM: leaves what is in DIR alone, with the compiled tests, if it was made from the same.
keep_compiled() {
  [[ $(cat "$1/made-from" 2>/dev/null) == "$2" ]] || rm -rf "${1:?}"
  mkdir -p "$1"
  echo "$2" >"$1/made-from"
}

# prepare_llvm BUILD DIR: what lit needs to know of it.
prepare_llvm() {
  local build=$1 version=${1%%-*} dir=$2 source libomp
  needs "clang-$version" "clang++-$version"
  source=$(kept "llvm-toolchain-$version")/openmp/runtime
  libomp=$(tools/libomp "$build")/$build
  keep_compiled "$dir" "$("clang-$version" --version | head -n 1), $(cat "$source/../../stamp")"
  write_starters "$dir"
  mkdir -p "$dir/include" "$dir/compiled"
  cp "$libomp/include/omp.h" "$dir/include/"
  cp "$source/src/include/omp-tools.h.var" "$dir/include/omp-tools.h"
  cat >"$dir/lit.site.cfg" <<END
once = "$root/tests/across/suites/compile_once $dir/compiled "
config.test_c_compiler = once + "clang-$version"
config.test_cxx_compiler = once + "clang++-$version"
config.test_compiler_features = ["clang"] + ["clang-" + part for part in "$(
    "clang-$version" -dumpversion | awk -F. '{ print $1, $1 "." $2, $0 }'
  )".split()]
config.test_compiler_has_omp_h = False
config.test_filecheck = "$filecheck"
config.test_not = "${filecheck/FileCheck/not}"
config.test_openmp_flags = "-fopenmp"
config.test_extra_flags = ""
config.libomp_obj_root = "$dir"
config.library_dir = "$libomp"
config.omp_header_directory = "$dir/include"
config.operating_system = "Linux"
config.hwloc_library_dir = ""
config.using_hwloc = False
config.has_ompt = True
config.has_ompx_taskgraph = False
config.has_libm = True
config.has_libatomic = False
config.is_standalone_build = True
config.has_omit_frame_pointer_flag = True
config.target_arch = "$(uname -m)"
lit_config.load_config(config, "$source/test/lit.cfg")
start = "$dir/start-" + lit_config.params["way"]
config.substitutions = [(word, start + " %t" if word == "%libomp-run" else text) for word, text in config.substitutions]
END
  check_ways "$dir" env LD_RUN_PATH="$libomp" "clang-$version" -I "$dir/include" -L "$libomp"
}

# prepare_libgomp DIR
prepare_libgomp() {
  local dir=$1 version source
  needs gcc g++ gfortran
  version=$(gcc -dumpversion)
  source=$(kept "gcc-${version%%.*}")
  keep_compiled "$dir" "$(gcc --version | head -n 1), $(cat "$source/stamp")"
  write_starters "$dir"
  # What configure would find, as far as tests ask for it.
  mkdir -p "$dir/include"
  echo '#define HAVE_PTHREAD_AFFINITY_NP 1' >"$dir/include/config.h"
  cat >"$dir/lit.site.cfg" <<END
import sys
sys.path.insert(0, "$root/tests/across/suites")
import dg
config.name = "libgomp"
config.test_source_root = "$source/libgomp/testsuite"
config.test_exec_root = "$dir/tests"
includes = ["$source/include", "$source/libgomp", "$dir/include"]
config.test_format = dg.DgTest(includes, "$dir/start-" + lit_config.params["way"])
END
  check_ways "$dir" gcc
}
