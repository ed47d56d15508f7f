# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Expressions and statements of random regions."""

import random


class Statements:
    def __init__(self, seed, number, compiler):
        self.random = random.Random(f"{seed}/{number}")
        self.number = number
        self.is_clang = "clang" in compiler
        self.is_wild = self.number_up_to(9) < 3
        # Few statements, which compilers make vectors of.
        self.is_vector = self.once_in(3) or (self.is_wild and not self.once_in(8))
        self.names = 0
        self.outputs = {}  # index of each array that iterations write
        self.locals = []  # (name, bits)
        self.constants = []  # private, never changed
        self.carried = []  # (name, type)
        self.sums = []  # (name, bits, operation)
        self.counter = ""  # of the iterations of a part made by hand
        self.atomic = {"32": self.pick("+^|&"), "64": self.pick("+^|&")}
        self.kept = []  # values of twists, which no other statement uses
        self.may_carry = False
        self.prologue = []
        self.before = []  # effects
        self.epilogue = []

    def once_in(self, count):
        return self.random.randrange(count) == 0

    def pick(self, choices):
        return self.random.choice(choices)

    def number_up_to(self, most):
        return self.random.randint(0, most)

    def name(self, prefix):
        self.names += 1
        return f"{prefix}{self.names}"

    # Expressions, without a sign.

    def constant(self, bits):
        return self.pick(["1", "2", "3", "5", "7", "13", "255", "1000", "65537", "0x80000000", "0xFFFFFFFF"]) + (
            "u" if bits == 32 else "ul")

    def index(self, array):
        """The place of an iteration in an array that iterations write: one place for each."""
        if array not in self.outputs:
            self.outputs[array] = self.pick(["{}", "{}", "{}", "{} + 3", "2 * {}", "2 * {} + 1", "3 * {}"])
        return self.outputs[array].format(self.place)

    def read(self):
        """The index of something that is only read."""
        return self.pick([self.place] * 4 + [f"{self.place} + {self.number_up_to(4)}", f"2 * {self.place}",
                                             f"({self.place} * 7 + 3) & 255", f"(z[{self.place}])"])

    def leaf(self, bits):
        type_ = f"(u{bits})"
        leaves = [
            lambda: self.constant(bits),
            lambda: f"{type_}i",
            lambda: f"{type_}i",
            lambda: f"{type_}x[{self.read()}]",
            lambda: f"{type_}x[{self.read()}]",
            lambda: f"{type_}y[{self.read()}]",
            lambda: f"{type_}z[{self.read()}]",
            lambda: f"{type_}{self.pick('pq')}",
        ]
        if self.locals:
            leaves += [lambda: type_ + self.pick(self.locals)] * 3
        if self.constants:
            leaves += [lambda: type_ + self.pick(self.constants)] * 2
        if self.outputs:
            array = self.pick([k for k in self.outputs if k in "abch"] or ["a"])
            leaves.append(lambda: f"{type_}{array}[{self.index(array)}]")
        if self.carried and self.may_carry:
            leaves += [lambda: self.of_carried(bits)] * 5
        return self.pick(leaves)()

    def of_carried(self, bits, name=""):
        name = name or self.pick(self.carried)[0]
        other = 96 - bits
        return self.pick([
            f"(u{bits}){name}", f"(u{bits}){name}", f"((u{bits})i + (u{bits}){name})",
            f"((u{bits})i - (u{bits}){name})",
            f"(u{bits})(u32)((u32)i - (u32){name} - 10u)", f"(u{bits})(i32)((u32)i + (u32){name})",
            f"(u{bits})({name} & 1)", f"(u{bits})(u{other})({self.place} - (i64){name})",
        ])

    def value(self, bits, depth=None):
        depth = (1 if self.is_wild else 2) if depth is None else depth
        if depth == 0 or self.once_in(4):
            return self.leaf(bits)
        other = 96 - bits
        deeper = depth - 1
        kind = self.number_up_to(13 if self.is_vector else 16)
        if kind <= 5:
            operation = self.pick("+-*^&|")
            return f"({self.value(bits, deeper)} {operation} {self.value(bits, deeper)})"
        if kind <= 8:
            return f"({self.value(bits, deeper)} + {self.leaf(bits)})"
        if kind == 9:
            return f"({self.value(bits, deeper)} {self.pick(['<<', '>>'])} {self.number_up_to(15)})"
        if kind == 10:
            return f"(u{bits})({self.pick(['u32', 'i32', 'u64', 'i64'])}){self.value(other, deeper)}"
        if kind == 11:
            return f"(u{bits})({self.pick(['u8', 'u16', 'i8', 'i16'])}){self.value(bits, deeper)}"
        if kind <= 13:
            return f"({self.condition(deeper)} ? {self.value(bits, deeper)} : {self.value(bits, deeper)})"
        if kind == 14:
            return f"({self.value(bits, deeper)} / ({self.value(bits, 0)} | 1))"
        if kind == 15:
            return f"(u{bits})mix({self.value(32, deeper)}, {self.value(32, 0)})"
        return f"(u{bits})mix_long({self.value(64, deeper)}, {self.value(32, 0)})"

    def real(self, depth=1):
        if depth == 0:
            return self.pick([f"f[{self.place}]", f"g[{self.place}]", f"f[{self.place} + 1]", "(double)i", "(double)p",
                              "0.5", "3.0f"])
        return self.pick([f"({self.real(depth - 1)} {self.pick('+-*')} {self.real(0)})", self.real(depth - 1),
                          f"(double)({self.value(32, 1)})",
                          f"({self.condition(0)} ? {self.real(0)} : {self.real(depth - 1)})"])

    def condition(self, depth=1):
        kinds = [
            lambda: f"(i & {self.pick([1, 2, 3, 7])}) == 0",
            lambda: f"i < {self.number_up_to(80)}",
            lambda: f"{self.value(32, depth)} {self.pick(['<', '>', '<=', '==', '!='])} {self.value(32, 0)}",
            lambda: f"(i32){self.value(32, depth)} {self.pick(['<', '>'])} (i32){self.value(32, 0)}",
            lambda: f"(i64){self.value(64, depth)} {self.pick(['<', '>'])} (i64){self.value(64, 0)}",
            lambda: f"x[{self.read()}] & {self.pick([1, 4, 128])}",
            lambda: f"z[{self.place}] > {self.number_up_to(255)}",
            lambda: f"f[{self.place}] > 0.5",
            lambda: f"p > {self.number_up_to(9)}",
        ]
        if self.carried and self.may_carry:
            name, _ = self.pick(self.carried)
            kinds += [lambda: self.pick([f"{name} & 1", f"{name} == 0", f"{name} < 10", f"{name}",
                                         f"(u32)i - (u32){name} < 20u"])] * 4
        return self.pick(kinds)()

    # Statements.

    def store(self):
        array = self.pick("aaabbchde")
        to = f"{array}[{self.index(array)}]"
        if array in "de":
            return [f"{to} = {self.real()};"]
        return [f"{to} {self.pick(['=', '=', '=', '+=', '^='])} {self.value(64 if array == 'b' else 32)};"]

    def local(self):
        name, bits = self.name("t"), self.pick([32, 32, 64])
        made = [f"u{bits} {name} = {self.value(bits)};"]
        self.locals.append(name)
        return made

    def inner_loop(self):
        name, bits = self.name("t"), self.pick([32, 64])
        k = self.name("k")
        to = self.pick(["8", "3", f"(i32)(x[{self.place}] & 7)", "(i32)(i & 7)", f"(i32)(z[{self.place}] >> 4)"])
        form = self.number_up_to(3)
        before = f"u{bits} {name} = {self.pick(['0', '1', self.value(bits, 0)])};"
        self.locals.append(name)
        if form == 0:  # a search
            is_searched = f"x[({self.place} + (i64)({name} & 255)) & 255] % 5 != 0"
            return [before, f"while ({name} < 4000000000u && {is_searched}) {name}++;"]
        if form == 1:
            return [before, f"for (i32 {k} = {to}; {k} > 0; {k}--)",
                    f"{name} = {name} * 3 + x[({self.place} + {k}) & 255];"]
        if form == 2 and self.carried and self.may_carry:
            return [before, f"for (i32 {k} = 0; {k} < {to}; {k}++) {{", *self.change(), f"{name} += (u32){k};", "}"]
        return [before, f"for (i32 {k} = 0; {k} < {to}; {k}++)",
                f"{name} {self.pick('+^')}= x[({self.place} + {k}) & 255] + {self.leaf(bits)};"]

    def atomic_statement(self):
        bits = self.pick(["32", "64"])
        return ["#pragma omp atomic",
                f"atomic{bits}[{self.value(32, 1)} & 7] {self.atomic[bits]}= {self.value(int(bits))};"]

    def put_in(self):
        name, bits, operation = self.pick(self.sums)
        value = self.value(bits)
        if operation in ("min", "max"):
            cast = f"({self.pick(self.sum_types[name])})"
            is_more = "<" if operation == "min" else ">"
            if self.once_in(8):
                return [f"if ({cast}{value} {is_more} {name}) {name} = {cast}{value};"]
            t = self.name("t")
            return [f"{self.sum_types[name][0]} {t} = {cast}{value};", f"{name} = {t} {is_more} {name} ? {t} : {name};"]
        if operation == "*":
            value = f"({value} | 1)"
        statement = f"{name} {operation}= {value};"
        return [f"if ({self.condition()}) {statement}"] if self.once_in(6) else [statement]

    def change(self):
        """Changes a value that the next iteration finds."""
        name, type_ = self.pick(self.carried)
        bits = 64 if type_ in ("u64", "i64") else 32
        cut = " & 0xFFFF" if type_[0] == "i" else ""  # further changes cannot overflow
        kind = self.number_up_to(11)
        if kind <= 2:
            made = [f"{name}{self.pick(['++', '--'])};"]
        elif kind == 3:
            made = [f"{name} {self.pick(['+=', '-='])} {self.pick(['2', '3', 'p'])};"]
        elif kind == 4:
            made = [f"{name} ^= {self.pick(['1', '1', '5'])};"]
        elif kind == 5:
            made = [f"{name} = ({type_})({self.value(bits, 1)}{cut});"]
        elif kind == 6:
            made = [f"{name} = ({type_})(x[{self.place}]{cut});"]
        elif kind == 7:
            made = [f"{name} = ({type_})(((u32){name} * 69069u + 1u){cut});"]
        elif kind == 8:
            made = [f"{name} = ({type_})!{name};"]
        elif kind == 9:
            made = [f"{name} = ({type_})((u32){name} + 1 == 3 ? 0 : (u32){name} + 1);"]
        elif type_ == "u32":
            made = self.pick([[f"count_up(&{name});"], [f"a[{self.index('a')}] = exchange(&{name}, {self.leaf(32)});"],
                              [f"a[{self.index('a')}] = {name};", f"{name} = x[{self.place}];"]])
        else:
            made = [f"{name} = 0;"]
        return [f"if ({self.condition(0)}) {{", *made, "}"] if self.once_in(3) else made

    def branch(self, depth):
        kept = list(self.locals)
        made = [f"if ({self.condition()}) {{", *self.body(depth - 1)]
        self.locals = list(kept)
        if self.once_in(2):
            made += ["} else {", *self.body(depth - 1)]
            self.locals = kept
        return [*made, "}"]

    def other(self):
        kind = self.number_up_to(5)
        if kind == 0:
            return [f"memcpy(w + 4 * {self.place}, x + ({self.place} & 255), {self.pick([4, 8, 16])});"]
        if kind == 1:
            return [f"memset(w + 4 * {self.place}, (i32)({self.value(32, 1)} & 127), {self.pick([4, 16])});"]
        if kind == 2:
            return [f"put(a + {self.index('a')}, {self.value(32)});"]
        if kind == 3:
            return [f"put_both(a + {self.index('a')}, b + {self.index('b')}, {self.value(64)});"]
        if kind == 4:
            return [f"a[{self.index('a')}] = sum_up(x + ({self.place} & 127), (u32)z[{self.place}] & 15);"]
        name = self.name("t")
        self.locals.append(name)
        return [f"u32 {name} = 0;", f"memcpy(&{name}, z + {self.place}, 4);"]

    def statement(self, depth):
        if self.is_vector:
            kind = self.number_up_to(9)
            if self.sums and kind <= 4:
                return self.put_in()
            if self.carried and kind <= 7:
                return self.change() if self.once_in(2) else self.store()
            return self.store()
        kind = self.number_up_to(19)
        if self.sums and kind <= 3:
            return self.put_in()
        if self.carried and kind <= 8:
            return self.change()
        if kind <= 10:
            return self.store()
        if kind <= 12:
            return self.local()
        if kind <= 14 and depth > 0:
            return self.branch(depth)
        if kind == 15:
            return self.inner_loop()
        if kind == 16:
            return self.atomic_statement()
        if kind <= 18:
            return self.other()
        return self.store()

    def body(self, depth):
        made = []
        if self.is_wild and not self.once_in(3):
            return self.statement(depth)
        for _ in range(1 + self.number_up_to(1 if self.is_vector or depth < 2 else 2)):
            made += self.statement(depth)
        return made
