# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the tests of libgomp under lit: a test says in directives, { dg-... }, how it is compiled and run.

Only what is executed counts here. Each test is compiled once, with the optimisation that the suite has for C and C++.
"""

import os
import platform
import re
import shlex
import subprocess

import lit.formats
import lit.Test

# Language of the suite -> its driver, endings of its files, and the folders that they are in.
LANGUAGES = {
    "c": ("gcc", (".c",), ("libgomp.c", "libgomp.c-c++-common")),
    "c++": ("g++", (".C", ".c"), ("libgomp.c++", "libgomp.c-c++-common")),
    "fortran": ("gfortran", (".f", ".F", ".f90", ".F90"), ("libgomp.fortran",)),
}

# What a test may ask of its target and what gcc has on Linux with glibc. There is never a device.
HERE = {"lp64", "tls", "tls_runtime", "shared", "fpic", "lto", "alias", "fd_truncate", "sync_int_long",
        "sync_char_short", "run_expensive_tests", "*-*-*", "*-*-linux*", "*-*-linux-gnu*"}
HERE_ON_X86 = {"i?86-*-*", "x86_64-*-*", "x86_64-*-linux*", "sse2_runtime", "vect_simd_clones", "size32plus",
               "__float128", "large_long_double"}


class Unsupported(Exception):
    pass


def features():
    """The words that are true of this machine."""
    found = set(HERE)
    if platform.machine() == "x86_64":
        found |= HERE_ON_X86
        with open("/proc/cpuinfo") as cpus:
            if re.search(r"\bavx\b", cpus.read()):
                found.add("avx_runtime")
    return found


def selected(selector, true):
    """Whether a selector such as `{ target { x86_64-*-* && { ! ia32 } } }` holds."""
    expression = ""
    for word in re.findall(r"[{}]|\S+?(?=[{}\s]|$)", selector):
        expression += {"{": "(", "}": ")", "!": " not ", "&&": " and ", "||": " or "}.get(word, f" {word in true} ")
    # A list of targets holds if one of them does.
    return eval(re.sub(r"(True|False)(?=\s+(?:True|False))", r"\1 or", expression))


def words(text):
    """The arguments of a directive: in quotation marks, in braces, or alone."""
    found = []
    while text := text.strip():
        if text[0] == "{":
            depth, end = 0, 0
            for end, letter in enumerate(text):
                depth += {"{": 1, "}": -1}.get(letter, 0)
                if depth == 0:
                    break
            word, text = text[:end + 1], text[end + 1:]
        elif match := re.match(r'"((?:[^"\\]|\\.)*)"', text):
            word = re.sub(r"\\(.)", lambda escaped: {"n": "\n", "r": "\r"}.get(escaped[1], escaped[1]), match[1])
            text = text[match.end():]
        else:
            word, _, text = text.partition(" ")
        found.append(word)
    return found


class Directives:
    """What a test demands."""

    def __init__(self, path, true):
        self.do, self.options, self.sources, self.environment = "run", [], [], {}
        self.fails, self.output = False, ""
        default = "-O2"
        with open(path, encoding="latin-1") as source:
            lines = re.findall(r"\{\s*dg-([a-z-]+)\s+(.*)\}", source.read())
        for name, text in lines:
            arguments = words(text)
            condition = None
            if arguments and (match := re.fullmatch(r"\{\s*(target|xfail)\b(.*)\}", arguments[-1], re.S)):
                condition = match
                arguments.pop()
            holds = condition is None or selected(condition[2], true)
            if name == "do":
                self.do = arguments[0] if holds else "nothing"
            elif name == "require-effective-target" and arguments[0] not in true:
                raise Unsupported(f"it needs {arguments[0]}")
            elif name == "skip-if" and selected(arguments[1], true):
                raise Unsupported("it is left out on this target")
            elif not holds:
                continue
            elif name == "options":
                default = ""
                self.options += shlex.split(arguments[0])
            elif name == "additional-options":
                self.options += shlex.split(arguments[0])
            elif name == "additional-sources":
                self.sources += arguments[0].split()
            elif name == "set-target-env-var":
                self.environment[arguments[0]] = arguments[1]
            elif name == "shouldfail":
                self.fails = True
            elif name == "output":
                self.output += arguments[0]
        if default:
            self.options.insert(0, default)


class DgTest(lit.formats.TestFormat):
    """includes: folders of headers. start: the command that starts a program in the way that is tried."""

    def __init__(self, includes, start):
        self.includes, self.start, self.true = includes, start, features()

    def getTestsInDirectory(self, suite, path, lit_config, local_config):
        if path:
            return
        for language, (_, endings, folders) in LANGUAGES.items():
            for folder in folders:
                for name in sorted(os.listdir(suite.getSourcePath((folder,)))):
                    if os.path.splitext(name)[1] in endings:
                        yield lit.Test.Test(suite, (language, folder, name), local_config)

    def execute(self, test, lit_config):
        language, folder, name = test.path_in_suite
        source = test.suite.getSourcePath((folder, name))
        try:
            wanted = Directives(source, self.true | {language})
        except Unsupported as reason:
            return lit.Test.Result(lit.Test.UNSUPPORTED, str(reason))
        if wanted.do != "run":
            return lit.Test.Result(lit.Test.UNSUPPORTED, "it is not executed")
        place = test.getExecPath()
        os.makedirs(place, exist_ok=True)
        program = os.path.join(place, "program")
        if not os.path.exists(program):
            said = self.compile(language, source, wanted, place, program)
            if said is not None:
                return lit.Test.Result(lit.Test.UNRESOLVED, said)
        run = subprocess.run([self.start, program], cwd=place, env=dict(os.environ, **wanted.environment),
                             stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        output = run.stdout.decode(errors="replace")
        good = (run.returncode != 0) == wanted.fails and run.returncode != 124 and re.search(wanted.output, output)
        return lit.Test.Result(lit.Test.PASS if good else lit.Test.FAIL, f"exit status {run.returncode}\n{output}")

    def compile(self, language, source, wanted, place, program):
        """None, or what the compiler said."""
        folder = os.path.dirname(source)
        command = [LANGUAGES[language][0]] + (["-x", "c++"] if language == "c++" else [])
        command += ["-fopenmp"] + ["-I" + include for include in self.includes] + wanted.options + [source]
        command += [os.path.join(folder, name) for name in wanted.sources] + ["-o", program + ".new", "-lm"]
        if language == "c++":
            command[-1:-1] = ["-x", "none"]
        done = subprocess.run(command, cwd=place, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if done.returncode != 0:
            return " ".join(command) + "\n" + done.stdout.decode(errors="replace")
        os.rename(program + ".new", program)
        return None
