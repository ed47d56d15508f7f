# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""numba's prange: as front_execute of the other front ends, which this calls itself `ours` with and `own` without
wstree.numba. Prints the lines that the program fronts reads.

prange.py ours|own MILLISECONDS PASSES ONLY
"""
import statistics
import sys
import time

kind, ms, passes, only = sys.argv[1], float(sys.argv[2]), int(sys.argv[3]), sys.argv[4] if sys.argv[4:] else ""
try:
    if kind == "ours":
        import wstree.numba  # noqa: F401
    import numba
    import numpy as np
except ImportError:
    sys.exit(0)  # left out

NS_PER_UNIT = 1.3
SHAPES = {
    "UNIFORM": lambda x: x * 0 + 1,
    "TRIANGLE": lambda x: x,
    "EXP": lambda x: np.exp(10 * x),
    "STEP_S": lambda x: np.where(x < 0.25, 100.0, 1.0),
    "STEP_E": lambda x: np.where(x >= 0.75, 100.0, 1.0),
}
numba.set_num_threads(2)


@numba.njit(inline="never")
def spin(seed, units):
    x = np.uint64(seed) * np.uint64(0x9E3779B97F4A7C15) + np.uint64(1)
    for _ in range(units):
        x ^= x >> np.uint64(29)
        x *= np.uint64(0xBF58476D1CE4E5B9)
    return x


@numba.njit
def alone(units, results):
    for i in range(len(units)):
        results[i] = spin(i, units[i])


@numba.njit(parallel=True)
def parallel(units, results):
    for i in numba.prange(len(units)):
        results[i] = spin(i, units[i])


def seconds(function, units, results):
    begin = time.perf_counter()
    function(units, results)
    return time.perf_counter() - begin


for shape, weight in SHAPES.items():
    for n in (16, 1000, 100_000):
        if only not in ("", shape):
            continue
        weights = weight((np.arange(n) + 0.5) / n)
        units = np.rint(weights / weights.sum() * 2e6 * ms / NS_PER_UNIT).astype(np.int64)
        results, expected = np.zeros(n, np.uint64), np.zeros(n, np.uint64)
        parallel(units, results)
        ratios = []
        for _ in range(passes):
            before = seconds(alone, units, expected)
            took = seconds(parallel, units, results)
            work = (before + seconds(alone, units, expected)) / 2
            ratios.append(took / (work * max(0.5, units.max() / units.sum())))
        if not (results == expected).all():
            sys.exit(f"{shape}/{n}: wrong results")
        print(statistics.median(ratios), f"{shape}/{n}")
