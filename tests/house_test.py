#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Tactus authors
# SPDX-License-Identifier: MIT

"""The house rules, as tests: what docs/architecture.md promises of the sources and of the library.

ctest sets TACTUS_SOURCE, TACTUS_LIBRARY and TACTUS_BINARY; without them only the sources are checked. Every rule is
a function from a tree of sources (or a library) to a list of problems, "file:line: what is wrong". The class
Planted breaks each rule on purpose in a temporary tree, so that a rule that finds nothing is known to look.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

# A folder may include itself and the folders before it.
ORDER = ("base math geometry record time matter law map constraint solver agent contact world scene view").split()

LONGEST_FILE = 1000
LONG_FILE = 800

# Written in pieces, so that this file does not break its own rules.
LEFTOVERS = re.compile(r"\b(TO" r"DO|FIX" r"ME|X" r"XX)\b|^\s*#\s*if\s+0\b", re.MULTILINE)
STRANGE_PATHS = re.compile(r"/wor" r"k/|/hom" r"e/[a-z]|/tmp/bash_" r"jobs")

# The library neither ends the program, nor prints, nor touches what all of a process shares.
FORBIDDEN_CALLS = (
    "exit _exit _Exit quick_exit abort atexit printf vprintf puts putchar perror setlocale rand srand strtok "
    "setenv putenv unsetenv signal"
).split()
FORBIDDEN_CALL = re.compile(r"(?<![\w.>])(%s)\s*\(" % "|".join(FORBIDDEN_CALLS))
FORBIDDEN_STREAM = re.compile(r"(?<![\w.>])(stdout|stderr)\b")
FORBIDDEN_SYMBOLS = set(FORBIDDEN_CALLS) | {"stdout", "stderr", "__printf_chk", "__vprintf_chk"}

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(["<])([^">]+)[">]', re.MULTILINE)


# --- looking at sources ---------------------------------------------------------------------------------------


def tracked_files(root):
    """Paths, relative to root, of what git tracks or would track."""
    listing = None
    if (root / ".git").exists() and shutil.which("git"):
        command = ["git", "-C", str(root), "ls-files", "-co", "--exclude-standard", "-z"]
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        if done.returncode == 0:
            listing = done.stdout.decode().split("\0")
    if listing is None:
        listing = []
        for folder, folders, files in os.walk(root):
            folders[:] = [f for f in folders if f not in (".git", "build", "demo", "__pycache__")]
            listing += [os.path.relpath(os.path.join(folder, file), root) for file in files]
    return sorted(path for path in set(listing) if path and (root / path).is_file())


def read_text(path):
    """The text of a file, or None where it is not text."""
    data = path.read_bytes()
    if b"\0" in data:
        return None
    return data.decode("utf-8", errors="replace")


def is_c(path):
    return path.endswith((".c", ".h"))


def line_of(text, position):
    return text.count("\n", 0, position) + 1


def blank(match):
    """Spaces in place of what was matched; lines stay where they are."""
    return re.sub(r"[^\n]", " ", match.group(0))


def without_comments(text, strings=True):
    """C text with comments blanked, and with what stands in quotes blanked too unless strings is False."""
    token = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.DOTALL)

    def replace(match):
        return blank(match) if strings or match.group(0)[0] == "/" else match.group(0)

    return token.sub(replace, text)


def includes(text):
    """(line, quote, name) of every include."""
    text = without_comments(text, strings=False)
    return [(line_of(text, m.start(2)), m.group(1), m.group(2)) for m in INCLUDE.finditer(text)]


# --- rules about sources --------------------------------------------------------------------------------------


def include_problem(path, quote, name, root):
    """Why this file may not include that header, or None."""
    parts = pathlib.PurePosixPath(path).parts
    first = name.split("/")[0] if "/" in name else None
    if first == "tactus":
        return None if (root / "include" / name).is_file() else f"{name} is not a public header"
    if quote == "<":
        inner = first in ORDER and (root / "src" / name).exists()
        return f"{name} is ours: include it in quotes" if inner else None
    if parts[0] == "include":
        return f"a public header may include public headers only, not {name}"
    if parts[0] == "app":
        own = "/" not in name and (root / "app" / name).is_file()
        return None if own else f"the command may include public headers and its own only, not {name}"
    if parts[0] == "src":
        here = parts[1]
        if here not in ORDER:
            return f"the folder src/{here} has no place in the order of folders"
        if first not in ORDER:
            return f"{name} is not of the form folder/header.h"
        if ORDER.index(first) > ORDER.index(here):
            return f"{here} may not use {first}, which stands below it: {name}"
    return None


def check_order(root):
    problems = []
    for path in tracked_files(root):
        if not is_c(path) or not path.startswith(("include/", "src/", "app/")):
            continue
        for line, quote, name in includes(read_text(root / path) or ""):
            problem = include_problem(path, quote, name, root)
            if problem:
                problems.append(f"{path}:{line}: {problem}")
    return problems


def needs_licence(path):
    name = path.rsplit("/", 1)[-1]
    named = name in ("CMakeLists.txt", "Makefile", ".gitignore", ".clang-format") or path.startswith(".ci/")
    return named or name.endswith((".c", ".h", ".py", ".sh", ".cmake", ".in", ".js", ".css", ".html"))


def check_licences(root):
    problems = []
    for path in tracked_files(root):
        if not needs_licence(path) or path.startswith("tests/corpus/"):
            continue
        head = "\n".join((read_text(root / path) or "").split("\n")[:5])
        for line in ("SPDX-FileCopyrightText: The Tactus authors", "SPDX-License-Identifier: MIT"):
            if line not in head:
                problems.append(f"{path}:1: the line '{line}' is missing")
    return problems


def check_leftovers(root):
    problems = []
    for path in tracked_files(root):
        if not needs_licence(path) or path.startswith("tests/corpus/"):
            continue
        text = read_text(root / path) or ""
        for match in LEFTOVERS.finditer(text):
            problems.append(f"{path}:{line_of(text, match.start())}: {match.group(0).strip()}")
    return problems


def check_paths(root):
    problems = []
    for path in tracked_files(root):
        text = read_text(root / path)
        for match in STRANGE_PATHS.finditer(text or ""):
            problems.append(f"{path}:{line_of(text, match.start())}: names a place of one machine: {match.group(0)}")
    return problems


def check_length(root):
    problems = []
    for path in tracked_files(root):
        if not is_c(path) or not path.startswith(("src/", "app/")):
            continue
        lines = (read_text(root / path) or "").count("\n")
        if lines > LONGEST_FILE:
            problems.append(f"{path}: {lines} lines: two concepts in one file")
        elif lines > LONG_FILE:
            print(f"note: {path} has {lines} lines; more than {LONG_FILE} are probably two concepts")
    return problems


def check_calls(root):
    problems = []
    for path in tracked_files(root):
        if not is_c(path) or not path.startswith("src/"):
            continue
        text = without_comments(read_text(root / path) or "")
        for pattern in (FORBIDDEN_CALL, FORBIDDEN_STREAM):
            for match in pattern.finditer(text):
                line = line_of(text, match.start())
                problems.append(f"{path}:{line}: the library may not use {match.group(1)}")
    return problems


# --- the public API -------------------------------------------------------------------------------------------


def public_declarations(text):
    """(position, name, has_api) of every function that a public header declares and does not define."""
    plain = without_comments(text)
    plain = re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", blank, plain, flags=re.MULTILINE)
    # extern "C" { ... } is no block of its own; the body of every other block is
    plain = re.sub(r"extern\s+\{", blank, plain)
    block = re.compile(r"\{[^{}]*\}")
    while block.search(plain):
        plain = block.sub(lambda m: ";" + blank(m)[1:], plain)
    found = []
    for statement in re.finditer(r"[^;]+", plain):
        words = statement.group(0)
        match = re.search(r"\b(tac_\w+)\s*\(", words)
        if match and not re.search(r"\b(typedef|static)\b", words):
            found.append((statement.start() + match.start(1), match.group(1), "TAC_API" in words[: match.start()]))
    return found


def paragraph_at(text, position):
    start = text.rfind("\n\n", 0, position)
    end = text.find("\n\n", position)
    return text[start if start >= 0 else 0 : end if end >= 0 else len(text)]


def public_headers(root):
    return [path for path in tracked_files(root) if path.startswith("include/tactus/") and path.endswith(".h")]


def public_functions(root):
    names = {}
    for path in public_headers(root):
        text = read_text(root / path) or ""
        for position, name, _ in public_declarations(text):
            names[name] = f"{path}:{line_of(text, position)}"
    return names


def check_api_texts(root):
    """Every public function is marked as such, and stands in a paragraph that says something."""
    problems = []
    for path in public_headers(root):
        text = read_text(root / path) or ""
        for position, name, has_api in public_declarations(text):
            place = f"{path}:{line_of(text, position)}"
            if not has_api:
                problems.append(f"{place}: {name} lacks TAC_API: nobody outside of a shared library would find it")
            if "//" not in paragraph_at(text, position):
                problems.append(f"{place}: {name} has no comment above it, on its line or in its group")
    return problems


def check_headers_stand_alone(root, compiler):
    problems = []
    for path in public_headers(root):
        command = [compiler, "-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fsyntax-only"]
        source = f'#include "{path[len("include/"):]}"\nint nothing;\n'
        done = subprocess.run(command + ["-I", str(root / "include"), "-x", "c", "-"], input=source, text=True,
                              capture_output=True)
        if done.returncode != 0:
            problems.append(f"{path}: does not compile on its own:\n{done.stderr}")
    return problems


# --- looking at what was built --------------------------------------------------------------------------------


def symbols(library, *options):
    """(name, class letter, section) of the symbols of a library or program."""
    done = subprocess.run(["nm", "--format=sysv", *options, str(library)], capture_output=True, text=True, check=True)
    found = []
    for line in done.stdout.splitlines():
        columns = [column.strip() for column in line.split("|")]
        if len(columns) == 7 and columns[0] != "Name":
            found.append((columns[0].split("@")[0], columns[2], columns[6]))
    return found


def check_defined(root, library):
    options = ["-D"] if ".so" in library.name else []
    defined = {name for name, kind, _ in symbols(library, *options) if kind in ("T", "W")}
    return [f"{place}: {name} is declared, but {library.name} does not define it"
            for name, place in public_functions(root).items() if name not in defined]


def check_exported(root, binary, library):
    """Plugins find every public function in the program that loads them."""
    exported = {name for name, kind, _ in symbols(binary, "-D") if kind in ("T", "W")}
    if ".so" in library.name:
        exported |= {name for name, kind, _ in symbols(library, "-D") if kind in ("T", "W")}
    return [f"{place}: plugins do not find {name} in {binary.name}"
            for name, place in public_functions(root).items() if name not in exported]


def check_state(library):
    """No variable that a function could change outlives a call: no symbol lies in a writable section.

    Pointers in constant tables lie in .data.rel.ro, which is writable only while the program is loaded.
    """
    writable = re.compile(r"\.(l?data|l?bss|tdata|tbss|sdata|sbss)(?!\.rel\.ro)|\*COM\*")
    of_the_compiler = ("__", "_edata", "_end", "completed.")
    return [f"{library.name}: {name} in {section} is state that a whole process shares"
            for name, _, section in symbols(library)
            if writable.match(section) and not name.startswith(of_the_compiler)]


def check_symbols(library):
    used = {name for name, kind, _ in symbols(library) if kind == "U"}
    return [f"{library.name}: the library may not use {name}" for name in sorted(used & FORBIDDEN_SYMBOLS)]


# --- the tests ------------------------------------------------------------------------------------------------

ROOT = pathlib.Path(os.environ.get("TACTUS_SOURCE") or pathlib.Path(__file__).resolve().parent.parent)
LIBRARY = os.environ.get("TACTUS_LIBRARY")
BINARY = os.environ.get("TACTUS_BINARY")
COMPILER = os.environ.get("CC") or "cc"


class House(unittest.TestCase):
    def expect_none(self, problems):
        if problems:
            self.fail("\n" + "\n".join(problems))

    def test_folders_use_only_those_above_them(self):
        self.expect_none(check_order(ROOT))

    def test_files_name_their_licence(self):
        self.expect_none(check_licences(ROOT))

    def test_nothing_is_left_to_do(self):
        self.expect_none(check_leftovers(ROOT))

    def test_no_file_names_a_place_of_one_machine(self):
        self.expect_none(check_paths(ROOT))

    def test_files_are_short(self):
        self.expect_none(check_length(ROOT))

    def test_the_library_neither_ends_nor_prints(self):
        self.expect_none(check_calls(ROOT))

    def test_public_functions_are_marked_and_explained(self):
        self.assertTrue(public_functions(ROOT))
        self.expect_none(check_api_texts(ROOT))

    def test_public_headers_stand_alone(self):
        self.expect_none(check_headers_stand_alone(ROOT, COMPILER))

    @unittest.skipUnless(LIBRARY, "no library given")
    def test_public_functions_are_defined(self):
        self.expect_none(check_defined(ROOT, pathlib.Path(LIBRARY)))

    @unittest.skipUnless(LIBRARY and BINARY, "no program given")
    def test_plugins_find_public_functions(self):
        self.expect_none(check_exported(ROOT, pathlib.Path(BINARY), pathlib.Path(LIBRARY)))

    @unittest.skipUnless(LIBRARY, "no library given")
    def test_no_state_is_shared_by_a_process(self):
        self.expect_none(check_state(pathlib.Path(LIBRARY)))

    @unittest.skipUnless(LIBRARY, "no library given")
    def test_the_library_calls_nothing_that_ends_or_prints(self):
        self.expect_none(check_symbols(pathlib.Path(LIBRARY)))


class Planted(unittest.TestCase):
    """Every rule finds what breaks it, and leaves alone what does not."""

    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.root = pathlib.Path(place.name)

    def plant(self, path, text):
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")

    def expect(self, problems, *places):
        self.assertEqual(sorted(problem.split(": ")[0] for problem in problems), sorted(places), problems)

    def build(self, *sources):
        for source in sources:
            subprocess.run([COMPILER, "-O2", "-fPIC", "-I", str(self.root / "include"), "-c", str(self.root / source),
                            "-o", str(self.root / source) + ".o"], check=True)
        library = self.root / "libplanted.a"
        objects = [str(self.root / source) + ".o" for source in sources]
        subprocess.run(["ar", "rc", str(library), *objects], check=True)
        return library

    def test_order(self):
        self.plant("include/tactus/base.h", "#include <stdint.h>\n")
        self.plant("include/tactus/world.h", '#include "tactus/base.h"\n#include "base/memory.h"\n')
        self.plant("src/base/memory.h", '#include "tactus/base.h"\n')
        self.plant("src/law/spring.h", '#include "base/memory.h"\n#include "law/law.h"\n')
        self.plant("src/law/bad.c", '// #include "world/world.h"\n#include "world/world.h"\n#include "record/a.h"\n')
        self.plant("src/time/bad.c", '#include <stdio.h>\n#include "law/spring.h"\n#include "ticks.h"\n')
        self.plant("src/geometry/bad.c", '#include <base/memory.h>\n#  include "record/a.h"\n')
        self.plant("src/extra/bad.c", '#include "base/memory.h"\n')
        self.plant("app/own.h", '#include "tactus/base.h"\n')
        self.plant("app/main.c", '#include "own.h"\n#include <tactus/base.h>\n#include "tactus/none.h"\n'
                                 '#include "base/memory.h"\n#include "../src/base/memory.h"\n')
        self.expect(check_order(self.root), "include/tactus/world.h:2", "src/law/bad.c:2", "src/time/bad.c:2",
                    "src/time/bad.c:3", "src/geometry/bad.c:1", "src/geometry/bad.c:2", "src/extra/bad.c:1",
                    "app/main.c:3", "app/main.c:4", "app/main.c:5")

    def test_licences(self):
        lines = "SPDX-FileCopyrightText: The Tactus authors\n# SPDX-License-Identifier: MIT\n"
        self.plant("good.py", "# " + lines)
        self.plant("src/bad.c", "// SPDX-License-Identifier: MIT\n")
        self.plant("cmake/bad.cmake", "\n" * 6 + "# " + lines)
        self.plant("notes.md", "no licence needed\n")
        self.expect(check_licences(self.root), "src/bad.c:1", "cmake/bad.cmake:1", "cmake/bad.cmake:1")

    def test_leftovers(self):
        self.plant("src/bad.c", "// TO" "DO: later\nint a;\n#if " "0\n#endif\n// X" "XX\n")
        self.plant("src/good.c", '#if 01\n#endif\nchar t[] = "/tmp/nameXXXXXX"; // MASTODONS\n')
        self.expect(check_leftovers(self.root), "src/bad.c:1", "src/bad.c:3", "src/bad.c:5")

    def test_paths(self):
        self.plant("docs/bad.md", "see\n/wor" "k/main/x\n")
        self.plant("docs/good.md", "framework/law, /home, homework/\n")
        (self.root / "picture.png").write_bytes(b"\0/wor" b"k/")
        self.expect(check_paths(self.root), "docs/bad.md:2")

    def test_length(self):
        self.plant("src/bad.c", "\n" * 1001)
        self.plant("src/good.c", "\n" * 800)
        self.plant("tests/long.c", "\n" * 5000)
        self.expect(check_length(self.root), "src/bad.c")

    def test_calls(self):
        self.plant("src/bad.c", 'void f(void) {\n exit(1);\n printf("x");\n fprintf(stderr, "x");\n abort ();\n}\n')
        self.plant("src/good.c", '// exit(1)\nconst char *t = "printf(stderr)";\nvoid f(S *s) {\n s->exit(1);\n'
                                 ' snprintf(b, 1, ""); /* abort(\n stdout */ fprintf(file, "");\n my_exit(1);\n'
                                 " s.abort(); }\n")
        self.plant("app/good.c", "void f(void) { exit(1); }\n")
        self.expect(check_calls(self.root), "src/bad.c:2", "src/bad.c:3", "src/bad.c:4", "src/bad.c:5")

    def plant_header(self):
        self.plant("include/tactus/a.h", "\n".join((
            "#ifndef A_H", "#define A_H", "#ifdef __cplusplus", 'extern "C" {', "#endif",
            "#define TAC_API", "#define TAC_CALL(x) tac_macro(x)", "",
            "// Explained, over", "// two lines.", "TAC_API int tac_good(int a,", "                     int b);",
            "TAC_API int tac_good_too(void);", "",
            "TAC_API int tac_same_line(void); // explained", "",
            "TAC_API int tac_silent(void);", "",
            "// explained", "int tac_hidden(void);", "",
            "static inline int tac_inline(int a) {", "    if (a) { return tac_good(a, 1); }", "    return 0;", "}", "",
            "typedef int (*TacCall)(int tac_x);", "typedef struct TacA { int a; int (*call)(int); } TacA;", "",
            "#ifdef __cplusplus", "}", "#endif", "#endif", "")))

    def test_api_texts(self):
        self.plant_header()
        self.assertEqual(sorted(public_functions(self.root)),
                         ["tac_good", "tac_good_too", "tac_hidden", "tac_same_line", "tac_silent"])
        self.expect(check_api_texts(self.root), "include/tactus/a.h:17", "include/tactus/a.h:20")

    def test_headers_stand_alone(self):
        self.plant("include/tactus/good.h", "#include <stddef.h>\nsize_t f(void);\n")
        self.plant("include/tactus/bad.h", "size_t f(void);\n")
        self.expect(check_headers_stand_alone(self.root, COMPILER), "include/tactus/bad.h")

    def test_defined(self):
        self.plant_header()
        self.plant("src/a.c", "int tac_good(int a, int b) { return a + b; }\nint tac_good_too(void) { return 1; }\n"
                              "static int tac_silent(void) { return 1; }\nint tac_same_line(void);\n"
                              "int tac_hidden(void) { return tac_silent() + tac_same_line(); }\n")
        library = self.build("src/a.c")
        self.expect(check_defined(self.root, library), "include/tactus/a.h:15", "include/tactus/a.h:17")

    def test_state(self):
        self.plant("src/a.c", "\n".join((
            "static int hidden;", "int shown = 3;", "static const int table[] = {1, 2};",
            'static const char *const names[] = {"a", "b"};', "_Thread_local int per_thread;",
            "const char *movable[] = {names_of};".replace("names_of", '"x"'),
            "int f(int i) {", "    static int calls;", "    per_thread++;", "    hidden += i;",
            "    return ++calls + hidden + table[i] + names[i][0] + movable[i][0];", "}", "")))
        library = self.build("src/a.c")
        found = sorted(problem.split(": ")[1].split(".")[0].split(" ")[0] for problem in check_state(library))
        self.assertEqual(found, ["calls", "hidden", "movable", "per_thread", "shown"])

    def test_symbols(self):
        self.plant("src/a.c", '#include <stdio.h>\n#include <stdlib.h>\nvoid f(int a) { if (a) exit(a);\n'
                              'printf("hello\\n"); fprintf(stderr, "%d", a); }\n')
        found = [problem.split()[-1] for problem in check_symbols(self.build("src/a.c"))]
        self.assertEqual(found, ["exit", "puts", "stderr"])


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[1:]], verbosity=1)
