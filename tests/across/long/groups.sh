# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The long groups of tests, for tests/across/long/run. It runs in the root of the project; $seed is that of the run.
# shellcheck shell=bash disable=SC2034,SC2154

# GROUP PARTS MINUTES WHAT: minutes for one part, on two processors, without the build of preset dev.
groups=(
  'default   1  8 what tools/test runs without --long'
  'abi       6 12 label long of tests/abi'
  'model     3 15 label long of tests/across/model'
  'load      3  3 label long of tests/across/stress'
  'simulate  1 15 label long of tests/simulate'
  'others    1 25 label long of all other tests'
  'packages  1 20 label long of tests/across/packaging: packages in a bare Debian, the library alone'
  'aarch64   1 30 the cross-compiled library in an emulator, tests/across/aarch64/check'
  'asan      1 20 preset asan: address and undefined behaviour sanitizers'
  'tsan      1 25 preset tsan: thread sanitizer'
  'clang_14  1 30 preset clang, built by clang 14'
  'clang_new 1 30 preset clang, built by the newest clang'
  'stress    4 16 tools/stress, an hour in all'
  'fuzz      6 11 tests/across/fuzz/run, an hour in all'
  'coverage  1 45 tools/coverage'
  'suites    3 25 tests/across/suites/run: LLVM 14, LLVM 19, libgomp'
)

# Can the groups run? Most of them use what `tools/test --long` builds. They test what the sources say now.
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
run_abi() { ctest_part "$@" '^abi\.'; }
run_model() { ctest_part "$@" '^model_'; }
# The group `stress` runs stress.long.tool for longer.
run_load() { ctest_part "$@" '^stress\.[^.]*\.([^t]|t[^o]|to[^o])'; }
run_simulate() { ctest_part "$@" '^simulate\.'; }
# The group `aarch64` runs aarch64.check, and `fuzz` runs fuzz.* for longer.
run_others() { ctest_part "$@" '.' '^(abi|stress|simulate|packaging|aarch64|fuzz)\.|^model_'; }

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

# preset NAME [CMAKE ARGUMENT...]: builds and tests it.
preset() {
  local name=$1
  shift
  cmake --preset "$name" -DWSTREE_LIBOMP_DIR="$(libomps)" -DWSTREE_EXAMPLES=OFF "$@"
  cmake --build --preset "$name"
  ctest --preset "$name" -j "$(nproc)"
}
run_asan() { preset asan; }
run_tsan() { preset tsan; }

# clang VERSION: preset `clang` in a build tree of its own.
clang() {
  local version=$1 build=build/clang-$1
  cmake --preset clang -B "$build" -DWSTREE_LIBOMP_DIR="$(libomps)" -DCMAKE_C_COMPILER="clang-$version" \
    -DCMAKE_CXX_COMPILER="clang++-$version"
  cmake --build "$build"
  ctest --test-dir "$build" --output-on-failure -j "$(nproc)" -LE '^long$'
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

run_stress() { tools/stress --minutes $((60 / $2)) --seed $((seed + $1)); }

run_fuzz() {
  local part=$1 parts=$2 targets=()
  mapfile -t targets < <(basename -s _target.cpp tests/across/fuzz/*_target.cpp | awk -v part="$part" -v parts="$parts" \
    'NR % parts == part % parts')
  tests/across/fuzz/run --seconds $((3600 / $(find tests/across/fuzz -name '*_target.cpp' | wc -l))) --seed $((seed + part)) \
    --keep build/fuzz-inputs "${targets[@]}"
}

run_suites() {
  case $1 in
    1) tests/across/suites/run --passive --suite llvm --libomp 14 ;;
    2) tests/across/suites/run --passive --suite llvm --libomp 19-release ;;
    3) tests/across/suites/run --passive --suite libgomp ;;
  esac
}

# A failed test is no failure here, whatever its reason: tools/coverage lists it and ends with status 0.
run_coverage() {
  command -v gcovr >/dev/null || return 77
  tools/coverage
}
