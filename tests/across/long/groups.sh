# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The long groups of tests, for tests/across/long/run. It runs in the root of the project; $seed is that of the run.
# shellcheck shell=bash disable=SC2034,SC2154

# GROUP PARTS MINUTES WHAT: minutes for one part, on two processors, without the build of preset dev.
# `abi`, `model`, `others`, `stress` and `fuzz` have hours of work: the seed draws some of it.
groups=(
  'default   1  9 what tools/test runs without --long'
  'abi       1  5 a twentieth of label long of tests/abi, drawn by the seed'
  'model     1  5 a tenth of label long of tests/across/model, drawn by the seed'
  'load      1  3 label long of tests/across/stress'
  'simulate  1  2 label long of tests/simulate'
  'others    1 10 a half of label long of all other tests, drawn by the seed'
  'packages  1 12 label long of tests/across/packaging: packages in a bare Debian, the library alone'
  'aarch64   1 12 the cross-compiled library in an emulator, tests/across/aarch64/check'
  'asan      1 10 preset asan: address and undefined behaviour sanitizers'
  'tsan      1 12 tests of the rooms by preset tsan: thread sanitizer'
  'clang_14  1  7 library, command and tests of the rooms, built by clang 14'
  'clang_new 1  7 library, command and tests of the rooms, built by the newest clang'
  'stress    1  4 tools/stress for four minutes, drawn by the seed'
  'fuzz      1  5 tests/across/fuzz/run, five minutes in all, drawn by the seed'
  'suites    2 10 tests/across/suites/run: LLVM 19, libgomp'
)

# builds_itself GROUP: does the group need nothing of build/dev?
builds_itself() { [[ $1 =~ ^(aarch64|asan|tsan|clang_14|clang_new|fuzz)$ ]]; }

# Can the other groups run? They use what `tools/test --long` builds. They test what the sources say now.
not_ready='build/dev is not as tools/test --long builds it, or does not compile'
ready() {
  grep -qsx 'WSTREE_TEST_ALL_PAIRS:[A-Z]*=ON' build/dev/CMakeCache.txt && cmake --build --preset dev >&2 9>&-
}

# The commands of the groups. Arguments: the number of the part, from 1, and how many there are. 77: not on this machine.

run_default() { ctest --test-dir build/dev --output-on-failure -j "$(nproc)" -LE '^long$'; }

# ctest_part PART PARTS REGEX [NOT]: every PARTS-th of the tests with label `long` that REGEX names, and NOT does not. The
# first ctest after a build writes down the tests of each program: two groups side by side wait for each other there.
ctest_part() {
  local part=$1 parts=$2 regex=$3 numbers
  numbers=$(flock build/dev ctest --test-dir build/dev -N -L '^long$' -R "$regex" ${4:+-E "$4"} |
    sed -nE 's/^ *Test +#([0-9]+): .*/\1/p' |
    awk -v part="$part" -v parts="$parts" 'NR % parts == part % parts' | paste -sd,)
  [[ -n $numbers ]] || return 77
  ctest --test-dir build/dev --output-on-failure -j "$(nproc)" -I "0,0,0,$numbers"
}
# drawn PARTS REGEX [NOT]: one of so many parts, by the seed.
drawn() { ctest_part $((seed % $1 + 1)) "$@"; }
run_abi() { drawn 20 '^abi\.'; }
run_model() { drawn 10 '^model_'; }
# The group `stress` runs stress.long.tool for longer.
run_load() { ctest_part "$@" '^stress\.[^.]*\.([^t]|t[^o]|to[^o])'; }
run_simulate() { ctest_part "$@" '^simulate\.'; }
# The group `aarch64` runs aarch64.check, and `fuzz` runs fuzz.* for longer.
run_others() { drawn 2 . '^(abi|stress|simulate|packaging|aarch64|fuzz)\.|^model_'; }

# The library alone is a little of it.
run_packages() {
  ctest_part "$@" '^packaging\.' | tee "$logs/packages.out"
  ! grep -qx $'\t *[0-9]* - packaging\.debian (Skipped)' "$logs/packages.out" || return 77
}

run_aarch64() {
  command -v aarch64-linux-gnu-g++ >/dev/null && command -v qemu-aarch64 >/dev/null || return 77
  tests/across/aarch64/check build/aarch64-check
}

libomps() { tools/libomp --keep-going 14 16 19 19-release; }

run_asan() {
  cmake --preset asan -DWSTREE_LIBOMP_DIR="$(libomps)" -DWSTREE_EXAMPLES=OFF
  cmake --build --preset asan
  ctest --preset asan -j "$(nproc)"
}

# in_rooms BUILD [TARGET...]: builds the tests of the rooms in that tree, and the TARGETs, and runs the tests. Those of
# algorithms need an omp.h, which Debian has for one clang only. Preset tsan has no model and no simulator.
in_rooms() {
  local build=$1 rooms=(stack config observe core loop place abi proof) room has status=0
  local targets=("${@:2}" wstree types_test "${rooms[@]/%/_test}")
  has=$(cmake --build "$build" --target help | sed -n 's/^\([a-z_]*_test\):.*/\1/p')
  if grep -qx parallel_algorithms_test <<<"$has"; then
    targets+=(parallel_algorithms_test parallel_standard_test)
    rooms+=(parallel)
  fi
  if grep -qx model_tree_test <<<"$has"; then
    targets+=(model_tree_test)
    rooms+=(across/model)
  fi
  if grep -qx simulate_test <<<"$has"; then
    targets+=(simulate_test)
    rooms+=(simulate)
  fi
  cmake --build "$build" --target "${targets[@]}"
  # The names of tests that use other programs, which are not built here, begin with types_, and so on.
  for room in "${rooms[@]/%abi/abi/classes}" types; do
    ctest --test-dir "$build/tests/$room" --output-on-failure -j "$(nproc)" --no-tests=error -LE '^long$' \
      -E '^(types_|parallel_|property\.|proof\.(gcc|clang))|NOT_BUILT' \
      -L '^(stack|config|observe|core|loop|place|abi|proof|types|parallel|model|simulate)$' || status=1
  done
  return "$status"
}

run_tsan() {
  cmake --preset tsan -DWSTREE_LIBOMP_DIR="$(libomps)" -DWSTREE_EXAMPLES=OFF
  in_rooms build/tsan
}

# clang VERSION: what clang compiles itself, in a build tree of its own. Other tests build programs by each compiler anyway.
clang() {
  cmake --preset clang -B "build/clang-$1" -DWSTREE_LIBOMP_DIR="$(libomps)" -DWSTREE_EXAMPLES=OFF \
    -DCMAKE_C_COMPILER="clang-$1" -DCMAKE_CXX_COMPILER="clang++-$1"
  in_rooms "build/clang-$1" wstree_cli
}
# clang_versions: those of this machine, the newest last.
clang_versions() { compgen -c clang++- | sed -nE 's/^clang\+\+-([0-9]+)$/\1/p' | sort -nu; }
run_clang_14() {
  clang_versions | grep -x 14 >/dev/null || return 77
  clang 14
}
run_clang_new() {
  local newest
  newest=$(clang_versions | tail -n 1)
  [[ -n $newest ]] || return 77
  clang "$newest"
}

run_stress() { tools/stress --minutes 4 --seed "$seed"; }

run_fuzz() {
  tests/across/fuzz/run --seconds $((300 / $(find tests/across/fuzz -name '*_target.cpp' | wc -l))) --seed "$seed" \
    --keep build/fuzz-inputs
}

run_suites() {
  case $1 in
    1) tests/across/suites/run --passive --suite llvm --libomp 19-release ;;
    2) tests/across/suites/run --passive --suite libgomp ;;
  esac
}
