# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Imports extension modules and runs their loops.

import_and_run.py [--deep] [--threads] [--schedule] MODULE...
  --deep       modules are opened with RTLD_DEEPBIND, as some interpreters of applications do
  --threads    a thread for each module, all at once, instead of one module after the other in turn
  --schedule   says what omp_get_schedule() gives in each module
"""
import argparse
import importlib
import os
import sys
import threading

parser = argparse.ArgumentParser()
for flag in ("--deep", "--threads", "--schedule"):
    parser.add_argument(flag, action="store_true")
parser.add_argument("modules", nargs="+")
options = parser.parse_args()

if options.deep:
    sys.setdlopenflags(sys.getdlopenflags() | os.RTLD_DEEPBIND)
modules = [importlib.import_module(name) for name in options.modules]
sums = {name: 0 for name in options.modules}


def run(module, round_number):
    sums[module.__name__] += module.run(1 + round_number % 4)


def run_all(module):
    for round_number in range(20):
        run(module, round_number)


if options.threads:
    threads = [threading.Thread(target=run_all, args=(module,)) for module in modules]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
else:
    for number in range(20):
        for each in modules:
            run(each, number)

for each in modules:
    print(each.__name__, sums[each.__name__], *(map(hex, each.schedule()) if options.schedule else ()))
sys.exit(0 if set(sums.values()) == {20 * 999000} else 8)
