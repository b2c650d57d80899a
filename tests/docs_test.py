#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Tactus authors
# SPDX-License-Identifier: MIT

"""The pages: every command in a fenced `sh` block runs as it stands, and there are none in other blocks; scenes and pieces
of scenes are good ones, pieces of C compile; every link between pages leads somewhere, every page is listed, and the site can
be built.

A page's commands run in a folder of their own, one after the other, by bash -e. `<!-- file: NAME -->` before a fenced block
puts that block into a file first. In the folder are `examples` and `build/tactus`, as in a clone, and `tactus` is on the
path. What cannot run in a test is in SKIPPED, with the reason; a rule that skips nothing is an error.

ctest sets TACTUS_BINARY (the command), TACTUS_SOURCE and TACTUS_BUILD.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

BINARY = os.environ.get("TACTUS_BINARY")
SOURCE = pathlib.Path(os.environ.get("TACTUS_SOURCE") or pathlib.Path(__file__).resolve().parent.parent)
BUILD = pathlib.Path(os.environ.get("TACTUS_BUILD") or SOURCE / "build")
SLOW = bool(os.environ.get("TACTUS_SANITIZE"))  # sanitized builds are some ten times slower
PATIENCE = 120  # s, for one page; all of them together take less than a minute

PAGES = sorted([SOURCE / "README.md", SOURCE / "examples" / "README.md", SOURCE / "python" / "README.md",
                *(SOURCE / "docs").glob("*.md")])

HAS_NUMPY = subprocess.run(["python3", "-c", "import numpy"], stderr=subprocess.DEVNULL).returncode == 0
CAN_PYTHON = HAS_NUMPY and (BUILD / "libtactus.so").exists()

# (what a line begins with, why it is not run)
SKIPPED = [
    (r"make\b", "builds, installs packages or runs all tests"),
    (r"\S*tactus view\b", "serves until Ctrl-C"),
    (r"\S*tactus demo \w+\s*(#.*)?$", "serves until Ctrl-C"),
    (r"\S*tactus bench\b", "takes minutes"),
    (r"\S*tactus regress\b", "needs SOFA's files"),
    (r"\S*tactus check liver\.scn", "needs SOFA's files"),
    (r"cmake\b|ctest\b", "builds or tests everything"),
    *([] if shutil.which("gmsh") else [(r"\S*tactus mesh .*--tetrahedra", "needs gmsh")]),
    (r"cc (-rdynamic )?program\.c", "needs an installed library; install_test.sh compiles such a program"),
    *([] if CAN_PYTHON else [(r"PYTHONPATH=", "needs NumPy, and the library that Python loads")]),
]


def blocks(text):
    """(language, file or None, content) of every fenced block."""
    pattern = re.compile(r"(?:<!-- file: (\S+) -->\n)?^( *)```(\w*)\n(.*?)^ *```$", re.MULTILINE | re.DOTALL)
    return [(language, name or None, content) for name, _, language, content in pattern.findall(text)]


def skip_reason(line):
    for pattern, reason in SKIPPED:
        if re.match(pattern, line.strip()):
            return reason
    return None


def commands(content):
    """The lines that are run; a line that ends in a backslash goes on in the next."""
    lines = re.sub(r"\\\n\s*", " ", content).splitlines()
    return [line for line in lines if line.strip() and not line.strip().startswith("#") and not skip_reason(line)]


def anchor_of(heading):
    """As GitHub and the site make it."""
    plain = re.sub(r"[`*]|\]\([^)]*\)|\[", "", heading).strip().lower()
    return re.sub(r"\s", "-", re.sub(r"[^\w\s-]", "", plain))


def anchors(text):
    plain = re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
    return {anchor_of(heading) for heading in re.findall(r"^#+ (.*)$", plain, re.MULTILINE)}


@unittest.skipUnless(BINARY, "TACTUS_BINARY is not set")
@unittest.skipIf(SLOW, "the commands are tested one by one elsewhere")
class Commands(unittest.TestCase):
    def test_commands_in_pages_run(self):
        ran = 0
        for page in PAGES:
            with self.subTest(page=page.name):
                ran += self.run_page(page)
        self.assertGreater(ran, 40, "commands were found")

    def run_page(self, page):
        parts = blocks(page.read_text(encoding="utf-8"))
        if not any(language == "sh" for language, _, _ in parts):
            return 0
        with tempfile.TemporaryDirectory(prefix="tactus-docs-") as place:
            folder = pathlib.Path(place)
            (folder / "build").mkdir()
            (folder / "build" / "tactus").symlink_to(BINARY)
            if (BUILD / "plugins").is_dir():
                (folder / "build" / "plugins").symlink_to(BUILD / "plugins")
            for library in BUILD.glob("libtactus.*"):
                (folder / "build" / library.name).symlink_to(library)
            for name in ("examples", "include", "python"):
                (folder / name).symlink_to(SOURCE / name)
            count = 0
            for language, name, content in parts:
                if name:
                    (folder / name).write_text(content, encoding="utf-8")
                if language == "sh":
                    count += self.run_block(page, folder, commands(content))
            return count

    def run_block(self, page, folder, lines):
        if not lines:
            return 0
        environment = {**os.environ, "PATH": f"{folder / 'build'}:{os.environ['PATH']}", "HOME": str(folder)}
        environment.pop("DISPLAY", None)
        done = subprocess.run(["bash", "-e", "-c", "\n".join(lines)], cwd=folder, env=environment, text=True,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              timeout=PATIENCE)
        self.assertEqual(done.returncode, 0, f"{page.name}:\n" + "\n".join(lines) + "\n" + done.stdout)
        return len(lines)

    def test_every_rule_of_the_skip_list_is_needed(self):
        lines = [line.strip() for page in PAGES for language, _, content in blocks(page.read_text(encoding="utf-8"))
                 if language == "sh" for line in content.splitlines()]
        for pattern, reason in SKIPPED:
            self.assertTrue(any(re.match(pattern, line) for line in lines), f"nothing is skipped by {pattern} ({reason})")

    def test_a_broken_command_is_found(self):
        with tempfile.TemporaryDirectory() as place:
            page = pathlib.Path(place) / "page.md"
            page.write_text("```sh\ntactus --version\ntactus no-such-command\n```\n", encoding="utf-8")
            with self.assertRaises(AssertionError):
                self.run_page(page)
            page.write_text("<!-- file: a.tac -->\n```\n<tactus version='1'/>\n```\n```sh\ntest -s a.tac\n```\n", encoding="utf-8")
            self.assertEqual(self.run_page(page), 1)


class Pieces(unittest.TestCase):
    def all_blocks(self):
        return [(page.name, language, content) for page in PAGES
                for language, _, content in blocks(page.read_text(encoding="utf-8"))]

    def test_commands_stand_in_blocks_that_run(self):
        command = re.compile(r"\s*(\$ |(build/)?tactus [a-z]|make\b|cmake\b|cc\b|python3\b|apt\b|git\b|sudo\b)")
        for page, language, content in self.all_blocks():
            if language == "sh":
                continue
            for line in content.splitlines():
                self.assertFalse(command.match(line), f"{page}: a command in a block that is not sh: {line}")

    @unittest.skipUnless(BINARY, "TACTUS_BINARY is not set")
    def test_scenes_are_good(self):
        """Whole scenes can be made; pieces of scenes have only words that there are."""
        whole = pieces = 0
        for page, language, content in self.all_blocks():
            if language != "xml" or "..." in content:
                continue
            is_whole = content.lstrip().startswith("<tactus")
            with tempfile.TemporaryDirectory(prefix="tactus-docs-") as place:
                scene = pathlib.Path(place) / "scene.tac"
                scene.write_text(content if is_whole else
                                 f"<tactus version='1'><node name='piece'>{content}</node></tactus>", encoding="utf-8")
                done = subprocess.run([BINARY, "check", scene], text=True, stdout=subprocess.DEVNULL,
                                      stderr=subprocess.PIPE, timeout=PATIENCE)
            whole, pieces = whole + is_whole, pieces + (not is_whole)
            if is_whole:
                self.assertTrue(done.returncode == 0 or "cannot be opened" in done.stderr, f"{page}:\n{content}{done.stderr}")
            else:
                for word in ("no attribute", "no component", "expected", "is not XML", "does not close"):
                    self.assertNotIn(word, done.stderr, f"{page}:\n{content}")
        self.assertGreater(whole, 8)
        self.assertGreater(pieces, 8)

    def test_words_of_components_in_running_text(self):
        """`HingeJoint at axis`, `<Contact method="loose"/>`: the component has these attributes."""
        components, name = {}, None
        for line in (SOURCE / "docs" / "components.md").read_text(encoding="utf-8").splitlines():
            heading, row = re.match(r"#+ ([A-Z]\w+)$", line), re.match(r"\| `(\w+)` \|", line)
            if heading:
                name = heading.group(1)
                components[name] = set()
            elif row and name:
                components[name].add(row.group(1))
        self.assertGreater(len(components), 100)
        found = 0
        for page in PAGES:
            plain = re.sub(r"^ *```.*?^ *```$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
            for code in re.findall(r"`([^`\n]+)`", plain):
                parts = re.match(r"<?([A-Z]\w+)\b(.*?)/?>?$", code)
                if page.name == "components.md" or not parts or parts.group(1) not in components:
                    continue
                for word in re.findall(r"(?:^|\s)([a-z]\w*)(?==|\s|$)", parts.group(2)):
                    self.assertIn(word, components[parts.group(1)], f"{page.name}: {code}")
                    found += 1
        self.assertGreater(found, 30)

    @unittest.skipUnless(shutil.which("cc"), "no compiler")
    def test_pieces_of_c_compile(self):
        """Each piece of embedding.md, in a function that has what the pieces before it made."""
        pieces = [content for page, language, content in self.all_blocks() if page == "embedding.md" and language == "c"]
        self.assertGreater(len(pieces), 5)
        names = ("TacError error = {0}; TacScene *scene = 0; TacWorld *world = 0; TacNodeId node; TacComponentId solver, points, "
                 "mass, fixed, springs; (void)error; (void)scene; (void)world; (void)node; (void)solver; (void)points; "
                 "(void)mass; (void)fixed; (void)springs;\n")
        program = ("#include <stdio.h>\n#include <stdlib.h>\n#include <tactus/tactus.h>\n"
                   "#define TRY(call) if ((call) != TAC_OK) return 1\nint use(void);\nint use(void) {\n" + names +
                   "".join("{\n%s}\n" % piece for piece in pieces) + "return 0;\n}\n")
        done = subprocess.run(["cc", "-std=c17", "-fsyntax-only", "-Wall", "-Werror", "-Wno-unused", "-Wno-uninitialized",
                               "-I", SOURCE / "include", "-x", "c", "-"], input=program, text=True, stderr=subprocess.PIPE)
        self.assertEqual(done.returncode, 0, done.stderr)


class Links(unittest.TestCase):
    def test_links_lead_somewhere(self):
        for page in PAGES:
            text = page.read_text(encoding="utf-8")
            plain = re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
            for target in re.findall(r"\]\(([^)\s]+)\)", plain):
                if re.match(r"\w+:", target):
                    continue
                path, _, anchor = target.partition("#")
                there = (page.parent / path).resolve() if path else page
                self.assertTrue(there.exists(), f"{page.name}: {target} leads nowhere")
                if anchor and there.suffix == ".md":
                    self.assertIn(anchor, anchors(there.read_text(encoding="utf-8")), f"{page.name}: {target}")

    def test_demos_that_are_named_exist(self):
        """In running text too, where no command runs."""
        listed = set(re.findall(r"^\| \[(?:\w+/)?(\w+)\.(?:tac|ca)\]", (SOURCE / "examples" / "README.md").read_text(encoding="utf-8"),
                                re.MULTILINE))
        self.assertGreater(len(listed), 50)
        found = 0
        for page in PAGES:
            for name in re.findall(r"`tactus demo (?:\w+/)?([a-z]\w*)", page.read_text(encoding="utf-8")):
                self.assertIn(name, listed, page.name)
                found += 1
        self.assertGreater(found, 30)

    def test_every_page_is_listed(self):
        listed = (SOURCE / "docs" / "README.md").read_text(encoding="utf-8")
        for page in (SOURCE / "docs").glob("*.md"):
            if page.name != "README.md":
                self.assertTrue(f"({page.name})" in listed, f"docs/README.md does not list {page.name}")

    def test_every_picture_is_used(self):
        used = "\n".join(page.read_text(encoding="utf-8") for page in PAGES)
        for picture in (SOURCE / "docs" / "pictures").iterdir():
            self.assertTrue(f"pictures/{picture.name}" in used, f"no page shows {picture.name}")


class Site(unittest.TestCase):
    def test_the_site_is_built(self):
        with tempfile.TemporaryDirectory() as place:
            out = pathlib.Path(place) / "site"
            subprocess.run([sys.executable, "-B", SOURCE / "docs" / "site.py", out], check=True, stdout=subprocess.DEVNULL)
            pages = {page.name: page.read_text(encoding="utf-8") for page in out.glob("*.html")}
            self.assertIn("index.html", pages)
            for page in (SOURCE / "docs").glob("*.md"):
                name = "docs.html" if page.name == "README.md" else page.stem + ".html"
                self.assertIn(name, pages)
            for name, text in pages.items():
                self.assertEqual(text.count("<table>"), text.count("</table>"), name)
                self.assertEqual(text.count("<pre>"), text.count("</pre>"), name)
                self.assertFalse("```" in text, name)
                for target in re.findall(r'(?:href|src)="([^"]+)"', text):
                    if re.match(r"\w+:", target):
                        continue
                    path, _, anchor = target.partition("#")
                    self.assertTrue((out / path).exists() if path else True, f"{name}: {target} leads nowhere")
                    if anchor:
                        there = pages[path or name] if (path or name) in pages else None
                        self.assertIsNotNone(there, f"{name}: {target}")
                        self.assertTrue(f'id="{anchor}"' in there, f"{name}: {target}")


if __name__ == "__main__":
    if BINARY and not shutil.which("bash"):
        sys.exit("bash is needed")
    unittest.main(verbosity=1)
