# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The program `fronts`, which has no OpenMP in it, and in the folder `front-ends` beside it what it loads: a shared object
# for each front end, by the compilers that there are.
set(fronts "${CMAKE_CURRENT_BINARY_DIR}/front-ends")
set(front_sources "${CMAKE_CURRENT_SOURCE_DIR}/programs/fronts")
set(front_files "")

# wstree_front(FILE SOURCE COMPILER ARGUMENTS...): what the compiler makes of the source, unless it is missing.
function(wstree_front file source compiler)
  if(NOT compiler)
    message(STATUS "Benchmark: no compiler for ${source}; it is left out of the program 'fronts'")
    return()
  endif()
  add_custom_command(OUTPUT "${fronts}/${file}" COMMAND ${compiler} -o "${fronts}/${file}" ${ARGN}
    DEPENDS "${front_sources}/${source}" "${front_sources}/front.h" wstree_shared_loops "${loops}"
    COMMENT "Benchmark: front-ends/${file}" VERBATIM)
  set(front_files ${front_files} "${fronts}/${file}" PARENT_SCOPE)
endfunction()

file(MAKE_DIRECTORY "${fronts}")
wstree_find_bench_compiler(WSTREE_BENCH_GCC "g++ that builds the benchmark for libgomp" "${openmp_loop}" -fopenmp
  g++ g++-14 g++-13 g++-12)
find_program(WSTREE_GFORTRAN NAMES gfortran gfortran-12 gfortran-13 gfortran-14)
find_program(WSTREE_RUSTC rustc PATHS /usr/bin NO_DEFAULT_PATH)
find_program(WSTREE_RUSTC rustc)
find_program(WSTREE_GO go)
mark_as_advanced(WSTREE_GFORTRAN WSTREE_RUSTC WSTREE_GO)
set(loops "$<TARGET_FILE:wstree_shared_loops>")
set(shared -O2 -g1 -fPIC -shared -fvisibility=hidden "-I${PROJECT_SOURCE_DIR}/include")
set(parallelize -ftree-parallelize-loops=2 --param=parloops-schedule=runtime)
set(as_c "")
if(WSTREE_BENCH_GCC)
  set(as_c "${WSTREE_BENCH_GCC}" -x c)
endif()
wstree_front(threads.so threads.c "${as_c}" ${shared} "${front_sources}/threads.c" -x none "${loops}" -pthread)
wstree_front(unmarked.so unmarked.c "${as_c}" ${shared} ${parallelize} "${front_sources}/unmarked.c")
wstree_front(taskloop.so taskloop.c "${as_c}" ${shared} -fopenmp "${front_sources}/taskloop.c")
wstree_front(concurrent.so concurrent.f90 "${WSTREE_GFORTRAN}" -O2 -g1 -fPIC -shared -fwrapv ${parallelize} "-J${fronts}"
  "${front_sources}/concurrent.f90")
wstree_front(standard_ours.so standard.cpp "${WSTREE_BENCH_GCC}" -std=c++20 ${shared} -fopenmp -DWSTREE_BENCH_STANDARD
  "${front_sources}/standard.cpp")
if(tbb OR "-DWSTREE_BENCH_PEER_TBB" IN_LIST WSTREE_BENCH_API_PEERS)
  wstree_front(standard_own.so standard.cpp "${WSTREE_BENCH_GCC}" -std=c++20 ${shared} "${front_sources}/standard.cpp" -ltbb)
endif()
wstree_front(rust.so rust.rs "${WSTREE_RUSTC}" -O --crate-type=cdylib "${front_sources}/rust.rs" -C "link-arg=${loops}")
# What takes seconds to compile, or compiles when it runs, is not for tests.
set(go "")
if(WSTREE_GO AND NOT WSTREE_BENCH_FOR_TESTS)
  set(go "${CMAKE_COMMAND}" -E env GO111MODULE=off "GOCACHE=${CMAKE_CURRENT_BINARY_DIR}/go"
    "CGO_CFLAGS=-O2 -I${PROJECT_SOURCE_DIR}/include" "CGO_LDFLAGS=${loops}" "${WSTREE_GO}" build -buildmode=c-shared)
endif()
wstree_front(go.so go.go "${go}" "${front_sources}/go.go")

# Python's: the package as it is installed, with its library.
set(package "${PROJECT_SOURCE_DIR}/tools/python")
if(WSTREE_BENCH_GCC AND NOT WSTREE_BENCH_FOR_TESTS)
  file(GLOB layer CONFIGURE_DEPENDS "${package}/layer/*.cpp")
  add_custom_command(OUTPUT "${fronts}/prange.py"
    COMMAND "${CMAKE_COMMAND}" -E copy_directory "${package}/wstree" "${fronts}/python/wstree"
    COMMAND "${WSTREE_BENCH_GCC}" -std=c++20 ${shared} -fvisibility-inlines-hidden "-I${PROJECT_SOURCE_DIR}" ${layer} -pthread
      -Wl,-Bsymbolic -o "${fronts}/python/wstree/_library.so"
    COMMAND "${CMAKE_COMMAND}" -E copy "${front_sources}/prange.py" "${fronts}/prange.py"
    DEPENDS "${front_sources}/prange.py" ${layer} wstree_shared_loops "${loops}" COMMENT "Benchmark: front-ends/prange.py" VERBATIM)
  list(APPEND front_files "${fronts}/prange.py")
endif()

# For the first of the runtimes, as all programs of which there is one.
set(front_suffix "")
set(front_compiler "${WSTREE_BENCH_CLANG}")
if(NOT WSTREE_BENCH_CLANG)
  set(front_suffix -libgomp)
  set(front_compiler "${WSTREE_BENCH_GCC}")
endif()
# Without OpenMP, of which front ends bring their own.
list(APPEND flags -DWSTREE_BENCH_TBB)
set(name fronts${front_suffix})
wstree_bench_objects(objects -fronts "${front_compiler}" programs/fronts/fronts.cpp measure/process.cpp
  measure/options.cpp measure/report.cpp)
add_custom_command(OUTPUT "${CMAKE_CURRENT_BINARY_DIR}/${name}"
  COMMAND "${front_compiler}" ${objects} -ldl -o "${CMAKE_CURRENT_BINARY_DIR}/${name}"
  DEPENDS ${objects} COMMENT "Benchmark: ${name}" VERBATIM)
set_property(GLOBAL APPEND PROPERTY wstree_bench_programs "${CMAKE_CURRENT_BINARY_DIR}/${name}")
