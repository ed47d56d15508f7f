# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""python3 -m wstree run [options of `wstree run`] script.py [arguments]: executes a program of Python with loops of
OpenMP and of numba on the tree."""
import os
import shutil
import sys


def command(arguments):
    """The command for `run` and what follows it; options with values are written --option=value."""
    options = []
    while arguments and arguments[0].startswith("--") and arguments[0] != "--":
        options.append(arguments.pop(0))
    if arguments[:1] == ["--"]:
        arguments.pop(0)
    if not arguments:
        sys.exit("usage: python3 -m wstree run [--option[=value]...] script.py|-c TEXT|-m MODULE [arguments]")
    return ["wstree", "run", *options, "--", sys.executable, *arguments]


def main():
    if sys.argv[1:2] != ["run"]:
        sys.exit(command([]))
    arguments = command(sys.argv[2:])
    start = os.path.join(os.path.dirname(os.path.abspath(__file__)), "start")
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [start, os.environ.get("PYTHONPATH")]))
    if shutil.which("wstree") is None:
        print("wstree: no command wstree in PATH: only numba's loops are served", file=sys.stderr)
        arguments = arguments[arguments.index("--") + 1 :]
    sys.stdout.flush()
    os.execvp(arguments[0], arguments)


main()
