# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Worker processes by the multiprocessing package, whose tasks run the loops of an extension module.

workers.py fork|forkserver|spawn MODULE [--schedule]

The parent runs loops after the forks, or, if its workers are programs of their own, before them as well: a forked
child of a process that has had a team cannot have one itself with every runtime.
"""
import importlib
import multiprocessing
import sys

method, name = sys.argv[1:3]
module = importlib.import_module(name)


def task(number):
    return module.run(1 + number % 4), module.schedule() if "--schedule" in sys.argv else None


if __name__ == "__main__":
    if method != "fork":
        task(3)
    with multiprocessing.get_context(method).Pool(3) as pool:
        results = pool.map(task, range(12), chunksize=1)
    results.append(task(2))
    print("sum", sum(result for result, _ in results))
    for schedule in sorted({schedule for _, schedule in results if schedule}):
        print("schedule", *map(hex, schedule))
