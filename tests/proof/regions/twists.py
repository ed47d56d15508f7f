# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Partial results, and what wild regions have besides."""

from statements import Statements

IDENTITY = {"+": "0", "-": "0", "*": "1", "&": "~0", "|": "0", "^": "0"}


class Twists(Statements):
    def merge(self, name, bits, operation, to=""):
        """Puts a partial result into shared memory."""
        at = to or f"sum{bits}[{len(self.sums) - 1}]"
        statement = f"{at} {operation}= {name};"
        kind = self.number_up_to(29)
        if kind == 0:
            return ["#pragma omp critical", statement]
        if kind == 1 and not to:
            return [f"if ({name}) {{", "#pragma omp atomic", statement, "}"]
        if kind <= 4 and operation in "|&^*" and not to:
            t = self.name("t")
            return [f"u{bits} {t} = __atomic_load_n(&{at}, __ATOMIC_RELAXED);",
                    f"while (!__atomic_compare_exchange_n(&{at}, &{t}, {t} {operation} {name}, 0, "
                    "__ATOMIC_RELAXED, __ATOMIC_RELAXED));"]
        return ["#pragma omp atomic", statement]

    def own_sums(self):
        """Partial results that the region merges itself."""
        for _ in range(1 + self.number_up_to(1)):
            bits, operation, name = self.pick([32, 32, 64]), self.pick("+++*&|^"), self.name("s")
            self.prologue.append(f"u{bits} {name} = {IDENTITY[operation]};")
            self.sums.append((name, bits, operation))
            self.epilogue += self.merge(name, bits, operation)

    # The following ones return blocks of lines for the body, in no order.

    def some_store(self, value, bits=32):
        array = "b" if bits == 64 else self.pick("aah")
        return f"{array}[{self.index(array)}] {self.pick(['=', '=', '+='])} {value};"

    def effect_of(self, name, bits):
        """An effect that depends on a value."""
        return self.pick([
            lambda: [self.some_store(name, bits)],
            lambda: [self.some_store(self.of_carried(bits, name), bits)],
            lambda: [self.some_store(f"({self.leaf(bits)} {self.pick('+^*')} {name})", bits)],
            lambda: [f"if ({name} & 1) {self.some_store(self.leaf(32))}"],
            lambda: [f"if ({name} < {self.number_up_to(20)}) {self.some_store(self.leaf(32))}"],
            lambda: [self.some_store(f"x[{name} & 127]")],
            lambda: ["#pragma omp atomic", f"atomic32[{self.place} & 7] {self.atomic['32']}= (u32){name};"],
            lambda: ["#pragma omp atomic", f"atomic64[{name} & 7] {self.atomic['64']}= (u64)i;"],
            lambda: [self.some_store(f"(u32)i - (u32){name} < 20u ? 5u : (u32)x[{self.place}]")],
        ])()

    def add_carried(self):
        for _ in range(1 + self.number_up_to(1)):
            name, type_ = self.name("v"), self.pick(["u32", "u32", "u32", "u64", "u8", "u16", "i32", "i64"])
            start = self.pick(["0", "0", "1", f"({type_})p", "7"])
            if self.once_in(8):
                start = "omp_get_thread_num()"
            self.carried.append((name, type_))
            self.prologue.append(f"{type_} {name} = {start};")

    def carried_value(self):
        self.add_carried()
        name, type_ = self.carried[-1]
        use = self.effect_of(name, 64 if type_ in ("u64", "i64") else 32)
        if self.sums and self.once_in(3):
            total, bits, operation = self.sums[-1]
            if operation in IDENTITY:
                use = [f"{total} {operation}= {name};"]
        return [use, self.change()] if self.once_in(2) else [self.change() + use]

    def carried_real(self):
        """The same of a floating-point number."""
        name, type_ = self.name("v"), self.pick(["double", "float"])
        self.prologue.append(f"{type_} {name} = {self.pick(['0', '1', '0.5'])};")
        self.kept.append((name, type_))
        use = self.pick([f"d[{self.index('d')}] = {name};", f"e[{self.index('e')}] = {name} * 2;",
                         f"d[{self.index('d')}] = f[{self.place}] + {name};",
                         f"if ({name} > 3) {self.some_store('5')}"])
        change = self.pick([f"{name} += 1;", f"{name} = f[{self.place}];", f"{name} = -{name};",
                            f"if ({self.condition(0)}) {name} = g[{self.place}];", f"{name} = {name} * 0.5 + i;"])
        return [[use], [change]]

    def carried_words(self):
        """The same of words that a function gets by their address, and of some that are copied together."""
        name = self.name("v")
        self.prologue.append(f"struct Pair {name} = {{{self.number_up_to(2)}, 1}};")
        self.kept.append((name, "Pair"))
        use = self.pick([self.some_store(f"{name}.first"), self.some_store(f"{name}.second"),
                         f"if ({name}.first & 1) {self.some_store('5')}"])
        change = self.pick([f"memcpy(&{name}, x + {self.place}, 8);", f"turn(&{name});", f"fill(&{name}, (u32)i);",
                            f"fill(&{name}, {self.leaf(32)});", f"{name}.first = x[{self.place}];",
                            f"{name}.second = {name}.first++;"])
        return [[use, change]] if self.once_in(2) else [[use], [change]]

    def turns(self):
        """Each second or third iteration of a call does something else."""
        name, most = self.name("v"), self.pick([1, 1, 2, 3])
        self.prologue.append(f"u32 {name} = 0;")
        self.kept.append((name, "u32"))
        change = f"{name} ^= 1;" if most == 1 else f"{name} = {name} == {most} ? 0 : {name} + 1;"
        if self.sums and self.sums[-1][2] in "+^|&*":
            total, bits, operation = self.sums[-1]
            if len(self.sums) > 1 and self.sums[0][1:] == self.sums[-1][1:] and self.once_in(2):
                body = (f"if ({name}) {total} {operation}= {self.leaf(bits)}; "
                        f"else {self.sums[0][0]} {operation}= {self.leaf(bits)};")
            else:
                body = f"{total} {operation}= {name} ? {self.leaf(bits)} : {self.leaf(bits)};"
        else:
            body = self.some_store(f"{name} ? {self.value(32, 1)} : {self.value(32, 1)}")
        return [[body, change]]

    def sums_by_turns(self):
        """The iterations of a call put into two sums by turns."""
        bits, operation, name = self.pick([32, 64]), self.pick("++^|"), self.name("v")
        self.prologue.append(f"u32 {name} = 0;")
        self.kept.append((name, "u32"))
        sums = [self.name("s"), self.name("s")]
        for number, total in enumerate(sums):
            self.prologue.append(f"u{bits} {total} = 0;")
            self.epilogue += ["#pragma omp atomic", f"sum{bits}[{6 + number}] {operation}= {total};"]
        put_in = [self.pick(["(u32)i", f"x[{self.place}]", f"y[{self.place}]"]) for _ in sums]
        if self.once_in(2):
            put_in[1] = put_in[0]
        if self.once_in(4):  # two iterations make one
            return [[f"u{bits} {name}t = {sums[0]};", f"{sums[0]} = {sums[1]} {operation} {put_in[0]};",
                     f"{sums[1]} = {name}t;"]]
        return [[f"if ({name}) {sums[0]} {operation}= {put_in[0]}; else {sums[1]} {operation}= {put_in[1]};",
                 f"{name} ^= 1;"]]

    def changed_sum(self):
        """A partial result that is not merged as it is."""
        bits, operation, name = self.pick([32, 32, 32, 64]), self.pick("+++|&^*"), self.name("s")
        start = IDENTITY[operation]
        self.prologue.append(f"u{bits} {name} = {start};")
        value, to, kind = name, f"sum{bits}[6]", self.number_up_to(9)
        put_in = f"{name} {operation}= {self.leaf(bits)};"
        blocks = [[put_in]]
        if kind <= 1:
            value = self.pick([f"{name} + 1", f"{name} >> 1", f"(u{bits})(u16){name}", f"({name} != 0)", f"-{name}",
                               f"{name} * 3", f"(u{bits})(i8){name}", f"{name} + (u32)p", f"({name} & 0xFFFFFF)",
                               f"{name} / 3"])
        elif kind == 2:
            to = "sum64[6]"
            value = self.pick([name, f"(i64)(i32){name}", f"(u64){name} << 32"])
        elif kind == 3:
            self.prologue[-1] = f"u{bits} {name} = {self.pick(['1', '2', '(u32)p', '255'])};"
        elif kind == 4:
            operation = self.pick([other for other in "+^|&" if other != operation])
        elif kind == 5:  # the sum without the last iteration, or without some
            kept = self.name("s")
            self.prologue.append(f"u{bits} {kept} = {start};")
            value = kept
            both = [f"{kept} = {name} {operation} {self.leaf(bits)};",
                    f"{name} = {kept} {operation} {self.leaf(bits)};"]
            blocks = self.pick([[[f"{kept} = {name};", put_in]], [both],
                                [[put_in, f"if ({self.condition(0)}) {kept} = {name};"]]])
        elif kind == 6:
            most = self.number_up_to(5000)
            blocks = self.pick([[[put_in], [f"if ({name} > {most}) {self.some_store(self.leaf(32))}"]],
                                [[f"if ({name} < {most}) {put_in}"]], [[put_in], [self.some_store(name)]],
                                [[put_in], [f"{name} {self.pick('^|&')}= {self.pick(['1', '85', '0xFFFFF'])};"]]])
        elif kind == 7:  # two operations at one place
            other = self.name("s")
            more = self.pick("+^|&")
            self.prologue.append(f"u{bits} {other} = {IDENTITY[more]};")
            blocks.append([f"{other} {more}= {self.leaf(bits)};"])
            self.epilogue += self.merge(other, bits, more, to)
        elif kind == 8:
            other = self.name("s")
            self.prologue.append(f"u{bits} {other} = {start};")
            blocks[0].append(f"{other} {operation}= {name};")
            value = other
        merge = self.merge(value, bits, operation, to)
        if kind == 9:
            test = self.pick([f"{name} > {self.number_up_to(5000)}", f"({name} & 1)", f"{name} == 7", f"{name} < 1000"])
            merge = [f"if ({test}) {{", *merge, "}"]
        self.epilogue += merge
        return blocks

    def first_iteration(self):
        name = self.name("v")
        self.prologue.append(f"u32 {name} = 1;")
        self.kept.append((name, "u32"))
        then = self.pick([["#pragma omp atomic", "sum32[5] += 1;"], [self.some_store("77")],
                          [f"put(a + {self.index('a')}, 3);"]])
        if self.sums and self.sums[-1][2] in IDENTITY and self.once_in(2):
            then = [f"{self.sums[-1][0]} {self.sums[-1][2]}= {self.leaf(self.sums[-1][1])};"]
        return [[f"if ({self.pick(['', '!'])}{name}) {{", *then, "}", f"{name} = 0;"]]

    def two_widths(self):
        """A shared number of 4 bytes as two numbers of 8."""
        name = self.name("v")
        self.prologue.append(f"u64 {name} = (u64)(i64)(i32)q{self.pick(['', ' ^ 0x80000000u', ' * 3000000'])};")
        self.prologue[-1] = self.prologue[-1].replace("(i32)q", "(i32)((u32)q ^ 0x80000000u)")
        self.kept.append((name, "u64"))
        return [[self.some_store(name, 64), f"{name} = (u64)((u32)q ^ 0x80000000u);"]]

    def of_number(self):
        name = self.name("v")
        self.prologue.append(f"u32 {name} = (u32)omp_get_thread_num(){self.pick(['', ' * 3', ' + (u32)p'])};")
        self.kept.append((name, "u32"))
        use = self.effect_of(name, 32)
        return [[f"put_number(a + {self.index('a')}, {self.leaf(32)});"] if self.once_in(4) else use]

    def member_effect(self):
        kind = self.number_up_to(3)
        effect = self.pick([["#pragma omp atomic", f"sum32[7] += {self.pick(['1', '(u32)p', 'p != 0'])};"],
                            ["#pragma omp atomic", "sum32[7] ^= 3u;"], ["result32[7] += 1;"]])
        if kind == 0:
            effect = [f"if ({self.pick(['p > 4', 'omp_get_thread_num() == 0', 'n > 30'])}) {{", *effect, "}"]
        (self.before if self.once_in(4) else self.epilogue).extend(effect)
        return []

    def counted(self):
        """A number of iterations that is merged."""
        name, bits = self.name("v"), self.pick([32, 32, 64])
        self.prologue.append(f"u{bits} {name} = {self.pick(['0', '0', '0', '3'])};")
        self.kept.append((name, f"u{bits}"))
        value = self.pick([name, f"{name} * 3", f"{name} > 2", f"{name} / 2", f"(u64){name} << 20", f"{name} - 1",
                           f"({name} & 7)"])
        change = self.pick([f"{name}++;", f"{name}++;", f"{name}--;", f"{name} += 2;", f"{name} += (u32)p;",
                            f"{name} -= 70000;"])
        merge = ["#pragma omp atomic", f"sum{self.pick([32, 64])}[7] {self.pick('+++^')}= {value};"]
        if self.once_in(3):
            merge = [f"if ({name} {self.pick(['> 3', '!= 0', '< 9', '& 1'])}) {{", *merge, "}"]
        self.epilogue += merge
        return [[change]]

    def of_part(self):
        """An effect that depends on the part."""
        name = self.name("v")
        value = self.pick(["low", "high", "size", "me", "low * 2", "size + p", "i - low", "high - i", "i - low + 3",
                           "i + low"])
        self.kept.append((name, "u64"))
        return [[f"u64 {name} = (u64)({value});", *self.effect_of(name, 64)]]

    def narrow_start(self):
        """A number of 4 bytes that begins with the part and goes on in 8."""
        name = self.name("v")
        start, step = self.pick([("(u32)low - 33u", "1"), ("(u32)low - 33u", "1"),
                                 ("(u32)low * 100000000u", "100000000u"),
                                 ("(i32)((u32)low * 65536u * 4096u)", "268435456"), ("(u32)(high - 5)", "1"),
                                 ("(i64)low - 33", "1"), ("(u32)(low - 5)", "1")])
        self.prologue.append(f"u64 {name} = (u64)({start});")
        self.kept.append((name, "u64"))
        use = self.pick([[self.some_store(name, 64)], [self.some_store(f"(u32)({name} >> 32)")],
                         [f"if ({name} > {self.pick(['1000', '4000000000u'])}) {self.some_store(self.leaf(32))}"],
                         ["#pragma omp atomic", f"atomic64[{self.place} & 7] {self.atomic['64']}= {name};"],
                         [self.some_store(f"{name} ^ {self.leaf(64)}", 64)]])
        change = self.pick([f"{name} += {step};", f"{name} += {step};", f"{name} = (u32)({name} + {step});"])
        return [use, [change]] if self.once_in(2) else [[*use, change]]

    def insert(self, body, blocks):
        """Puts each of the blocks between statements of the body."""
        for block in blocks:
            places, depth = [0], 0
            for number, line in enumerate(body):
                depth += line.count("{") - line.count("}")
                is_open = line.startswith(("#", "if", "for", "while")) and not line.endswith((";", "}"))
                if depth == 0 and not is_open:
                    places.append(number + 1)
            at = self.pick(places)
            body = body[:at] + block + body[at:]
        return body
