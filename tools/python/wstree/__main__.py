# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""python3 -m wstree run [options of `wstree run`] script.py [arguments]: executes a program of Python with loops of
OpenMP and of numba on the tree."""
import os
import shutil
import sys


# Options of `wstree run` whose value may be the next argument.
WITH_VALUE = ("--schedule", "--chunk", "--loops", "--strategy", "--batch", "--fallback", "--bind", "--rules")


def command(arguments):
    """Returns the command for `run` and the arguments behind it."""
    options = []
    while arguments and (arguments[0].startswith("--") or arguments[0] in ("-v", "-h")) and arguments[0] != "--":
        option = arguments.pop(0)
        if option in WITH_VALUE and arguments:
            option += "=" + arguments.pop(0)
        options.append(option)
    if arguments[:1] == ["--"]:
        arguments.pop(0)
    if not arguments:
        sys.exit("usage: python3 -m wstree run [options] script.py|-c TEXT|-m MODULE [arguments]")
    return ["wstree", "run", *options, "--", sys.executable, *arguments]


def main():
    if sys.argv[1:2] != ["run"]:
        sys.exit(command([]))
    arguments = command(sys.argv[2:])
    start = os.path.join(os.path.dirname(os.path.abspath(__file__)), "start")
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [start, os.environ.get("PYTHONPATH")]))
    if shutil.which("wstree") is None:
        options, arguments = arguments[2 : arguments.index("--")], arguments[arguments.index("--") + 1 :]
        lost = []
        for option in options:
            name, _, value = option.partition("=")
            if name == "--stats":
                os.environ["WSTREE_STATS"] = value or "1"
            else:
                lost.append(option)
        without = f", without {' '.join(lost)}" if lost else ""
        print(f"wstree: no command wstree in PATH: only numba's loops are served{without}", file=sys.stderr)
    sys.stdout.flush()
    os.execvp(arguments[0], arguments)


main()
