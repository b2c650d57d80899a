#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Tactus authors
# SPDX-License-Identifier: MIT

"""Makes python/tactus/_c.py from the public headers: every struct, enumeration, constant and function.

    python3 python/bind.py            writes it
    python3 python/bind.py --print    prints it, for a test that compares

To be run after a public header changes. It reads the headers as they are written in this house (one declaration at a
time, no macros in declarations but TAC_API and TAC_PRINTF) and stops with a message at what it does not understand.
tests/python_test.py compares sizes and offsets of every struct with what the compiler says.
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
TARGET = ROOT / "python" / "tactus" / "_c.py"
HEADERS = "base math geometry record component scene world contact convex ccd view sofa".split()

PLAIN = {
    "int": "c_int", "unsigned": "c_uint", "bool": "c_bool", "double": "c_double", "float": "c_float",
    "char": "c_char", "size_t": "c_size_t", "int32_t": "c_int32", "int64_t": "c_int64", "uint8_t": "c_uint8",
    "uint16_t": "c_uint16", "uint32_t": "c_uint32", "uint64_t": "c_uint64",
}  # fmt: skip


class Headers:
    """What was read so far."""

    def __init__(self):
        self.constants = {}  # name: value
        self.enums = set()
        self.callbacks = {}  # name: Python expression
        self.structs = []  # (name, "Structure" or "Union", fields)
        self.defined = set()
        self.functions = []  # (name, result, arguments)

    def value(self, text):
        return eval(text.replace("u", ""), {"__builtins__": {}}, self.constants)  # noqa: S307, our own headers

    # --- types ----------------------------------------------------------------------------------------------

    def type_of(self, base, stars):
        """The ctypes expression of a type with this many pointers."""
        if base == "void":
            return "None" if stars == 0 else pointers("c_void_p", stars - 1)
        if base == "char" and stars:
            return pointers("c_char_p", stars - 1)
        if base in PLAIN:
            return pointers(PLAIN[base], stars)
        if base in self.enums:
            return pointers("c_int", stars)
        if base in self.callbacks:
            return pointers(base, stars)
        if base in self.defined:
            return pointers(base, stars)
        if stars == 0:
            raise SystemExit(f"bind: the type {base} is not known")
        return pointers("c_void_p", stars - 1)  # a handle

    def declarator(self, base, text):
        """(name, ctypes expression) of `*name[3]`, or of a function pointer."""
        text = text.strip()
        callback = re.fullmatch(r"(\**)\s*\(\s*\*\s*(\w+)\s*\)\s*\((.*)\)", text, re.DOTALL)
        if callback:
            stars, name, arguments = callback.groups()
            return name, self.callback(self.type_of(base, len(stars)), arguments)
        text = re.sub(r"\bconst\b", " ", text)
        plain = re.fullmatch(r"([\s*]*)(\w+)?\s*((?:\[[^\]]*\])*)", text)
        if not plain:
            raise SystemExit(f"bind: not understood: {base} {text}")
        stars, name, sizes = plain.groups()
        result = self.type_of(base, stars.count("*"))
        for size in reversed(re.findall(r"\[([^\]]*)\]", sizes)):
            result = f"{result} * {self.value(size)}"
        return name, result

    def callback(self, result, arguments):
        return f"CFUNCTYPE({', '.join([result] + [a for _, a in self.arguments(arguments)])})"

    def arguments(self, text):
        """(name, type) of each; arrays are pointers here."""
        result = []
        for part in split(text):
            if part in ("void", ""):
                continue
            base, rest = base_and_rest(part)
            rest, arrays = re.subn(r"\[[^\]]*\]", "", rest)
            result.append(self.declarator(base, ("*" if arrays else "") + rest))
        return result

    # --- declarations ---------------------------------------------------------------------------------------

    def read(self, text):
        text = re.sub(r"//[^\n]*|/\*.*?\*/", " ", text, flags=re.DOTALL)
        text = re.sub(r"\\\n", " ", text)
        for name, value in re.findall(r"^#define (TAC_\w+)\s+([-+.\w]+)\s*$", text, re.MULTILINE):
            self.constants[name] = self.value(value)
        text = re.sub(r"^\s*#.*$", "", text, flags=re.MULTILINE)
        text = re.sub(r'extern "C" \{|^\}\s*$(?=\s*\Z)', "", text.strip())
        for declaration in declarations(text):
            self.declare(" ".join(declaration.split()))

    def declare(self, text):
        if text.startswith(("static inline", "extern")) or text in ("", "}"):
            return
        if re.match(r"(typedef )?enum\b", text):
            self.enumerate(text)
        elif re.match(r"(typedef )?(struct|union) \w+ \{", text):
            name = re.match(r"(?:typedef )?(?:struct|union) (\w+)", text).group(1)
            self.structure(name, "Structure", text[text.index("{") + 1 : text.rindex("}")])
        elif re.fullmatch(r"(typedef )?struct \w+( \w+)?", text):
            return  # a handle
        elif text.startswith("typedef"):
            base, rest = base_and_rest(text[len("typedef ") :])
            name, expression = self.declarator(base, rest)
            self.callbacks[name] = expression
        elif text.startswith("TAC_API"):
            self.function(re.sub(r"TAC_PRINTF\(.*?\)", "", text[len("TAC_API ") :]).strip())
        else:
            raise SystemExit(f"bind: not understood: {text[:100]}")

    def enumerate(self, text):
        name = re.match(r"typedef enum (\w+)", text)
        if name:
            self.enums.add(name.group(1))
        value = -1
        for part in split(text[text.index("{") + 1 : text.rindex("}")]):
            if not part:
                continue
            key, _, given = part.partition("=")
            value = self.value(given) if given else value + 1
            self.constants[key.strip()] = value

    def structure(self, name, kind, body):
        self.defined.add(name)
        fields = []
        for part in declarations(body):
            part = " ".join(part.split())
            inner = re.match(r"(struct|union) \{", part)
            if inner:
                end = part.rindex("}")
                field = re.match(r"\w+", part[end + 1 :].strip()).group(0)
                inner_name = f"{name}_{field}"
                inner_kind = "Structure" if inner.group(1) == "struct" else "Union"
                self.structure(inner_name, inner_kind, part[inner.end() : end])
                fields.append(self.declarator(inner_name, part[end + 1 :]))
                continue
            base, rest = base_and_rest(part)
            fields += [self.declarator(base, piece) for piece in split(rest)]
        self.structs.append((name, kind, fields))

    def function(self, text):
        head, arguments = re.fullmatch(r"(.*?\w+)\((.*)\)", text).groups()
        if "..." in arguments:
            return  # formats a message: Python does that itself
        name = re.search(r"\w+$", head).group(0)
        base, rest = base_and_rest(head)
        result = self.type_of(base, rest.count("*"))
        self.functions.append((name, result, [a for _, a in self.arguments(arguments)]))


def pointers(expression, stars):
    for _ in range(stars):
        expression = f"POINTER({expression})"
    return expression


def base_and_rest(text):
    """`const struct X *name` gives X and `*name`."""
    match = re.match(r"\s*(?:(?:const|struct)\s+)*(\w+)(?:\s+const\b)?(.*)", text, re.DOTALL)
    return match.group(1), match.group(2)


def split(text):
    """At commas outside of parentheses."""
    parts, depth, start = [], 0, 0
    for i, c in enumerate(text):
        depth += (c in "([{") - (c in ")]}")
        if c == "," and depth == 0:
            parts.append(text[start:i].strip())
            start = i + 1
    return parts + [text[start:].strip()]


def declarations(text):
    """Pieces that end at a semicolon, or at the body of a function, outside of braces."""
    depth, start = 0, 0
    for i, c in enumerate(text):
        depth += (c == "{") - (c == "}")
        if depth == 0 and (c == ";" or (c == "}" and text[start:].lstrip().startswith("static inline"))):
            yield text[start:i]
            start = i + 1


HEAD = '''# SPDX-FileCopyrightText: The Tactus authors
# SPDX-License-Identifier: MIT

"""The C API as ctypes knows it: constants, structs and functions. Made by python/bind.py; not to be edited."""

# fmt: off
# ruff: noqa
from ctypes import (CFUNCTYPE, POINTER, Structure, Union, c_bool, c_char, c_char_p, c_double, c_float, c_int, c_int32,
                    c_int64, c_size_t, c_uint, c_uint8, c_uint16, c_uint32, c_uint64, c_void_p)
'''


def text_of(headers):
    lines = [HEAD, "# --- constants"]
    lines += [f"{name} = {value!r}" for name, value in headers.constants.items()]
    lines += ["", "# --- structs", ""]
    lines += [f"class {name}({kind}): pass" for name, kind, _ in headers.structs]
    lines.append("")
    lines += [f"{name} = {expression}" for name, expression in headers.callbacks.items()]
    for name, _, fields in headers.structs:
        lines += ["", f"{name}._fields_ = ["]
        lines += [f'    ("{field}", {expression}),' for field, expression in fields]
        lines.append("]")
    lines += ["", "STRUCTS = ["]
    lines += [f"    {name}," for name, _, _ in headers.structs]
    lines += ["]", "", "# --- functions: result, arguments", "FUNCTIONS = {"]
    lines += [f'    "{name}": ({result}, [{", ".join(arguments)}]),' for name, result, arguments in headers.functions]
    lines += ["}", ""]
    return "\n".join(lines)


def bindings():
    headers = Headers()
    for name in HEADERS:
        headers.read((ROOT / "include" / "tactus" / f"{name}.h").read_text())
    return text_of(headers)


if __name__ == "__main__":
    if sys.argv[1:] == ["--print"]:
        sys.stdout.write(bindings())
    else:
        TARGET.write_text(bindings())
