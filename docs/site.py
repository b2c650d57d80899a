#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Tactus authors
# SPDX-License-Identifier: MIT

"""Makes a static site of the pages: docs/*.md and the two READMEs become HTML with one style.

    python3 docs/site.py build/site        (make site)

Python's own library is enough: the pages use headings, paragraphs, lists, tables, fenced blocks, pictures, links, `code`,
**strong** and *emphasis*, and this reads no more of Markdown than that. Links to pages become links to their HTML; links to
other files of the sources are copied along when they are small, so that the site stands alone.
"""

import html
import os
import pathlib
import re
import shutil
import sys

SOURCE = pathlib.Path(__file__).resolve().parent.parent
STYLE = """
:root { color-scheme: light dark; --text: #1c2430; --quiet: #5b6675; --line: #d8dee6; --ground: #fbfcfd; --code: #f0f3f7;
        --accent: #b5522c; }
@media (prefers-color-scheme: dark) {
  :root { --text: #dfe5ec; --quiet: #94a1b1; --line: #2f3945; --ground: #151a20; --code: #1f262e; --accent: #e58b63; } }
* { box-sizing: border-box; }
body { margin: 0; color: var(--text); background: var(--ground); font: 16px/1.6 system-ui, sans-serif; }
nav { position: fixed; top: 0; bottom: 0; width: 15rem; overflow-y: auto; padding: 1.5rem 1.2rem; border-right: 1px solid var(--line);
      font-size: 0.9rem; }
nav b { display: block; margin: 1rem 0 0.2rem; color: var(--quiet); font-weight: 600; }
nav a { display: block; color: inherit; padding: 0.1rem 0; }
nav a[aria-current] { color: var(--accent); font-weight: 600; }
main { margin-left: 15rem; padding: 1.5rem 2.5rem 5rem; max-width: 62rem; }
a { color: var(--accent); text-decoration: none; } a:hover { text-decoration: underline; }
h1 { font-size: 2rem; line-height: 1.2; } h2 { margin-top: 2.2em; border-bottom: 1px solid var(--line); }
pre { background: var(--code); padding: 0.8rem 1rem; overflow-x: auto; border-radius: 6px; font-size: 0.86rem; line-height: 1.45; }
code { background: var(--code); padding: 0.1em 0.3em; hyphens: none; border-radius: 4px; font-size: 0.9em; } pre code { padding: 0; font-size: 1em; }
.wide { overflow-x: auto; } table { border-collapse: collapse; font-size: 0.92rem; }
th, td { border: 1px solid var(--line); padding: 0.3rem 0.6rem; text-align: left; vertical-align: top; }
img { max-width: 100%; border-radius: 6px; }
@media (max-width: 50rem) { nav { position: static; width: auto; border: 0; } main { margin: 0; padding: 1rem; } }
"""

LARGEST_COPY = 1 << 20  # bytes


def anchor_of(heading):
    plain = re.sub(r"[`*]|\]\([^)]*\)|\[", "", heading).strip().lower()
    return re.sub(r"\s", "-", re.sub(r"[^\w\s-]", "", plain))


class Site:
    def __init__(self, out):
        self.out = out
        self.names = {SOURCE / "README.md": "index.html", SOURCE / "examples" / "README.md": "examples.html",
                      SOURCE / "docs" / "README.md": "docs.html"}
        for page in sorted((SOURCE / "docs").glob("*.md")):
            self.names.setdefault(page, page.stem + ".html")

    # --- links

    def copy(self, path):
        """A file of the sources that a page links to, as files/...; "" when it is none that can be copied."""
        try:
            inside = path.relative_to(SOURCE)
        except ValueError:
            return ""
        if path.is_dir():
            return "examples.html" if inside.parts[0] == "examples" else ""
        if not path.is_file() or path.stat().st_size > LARGEST_COPY:
            return ""
        target = self.out / "files" / inside
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target)
        return f"files/{inside}"

    def address(self, page, target):
        if re.match(r"\w+:", target) or target.startswith("#"):
            return target
        path, hash_sign, anchor = target.partition("#")
        there = pathlib.Path(os.path.normpath(page.parent / path))
        return (self.names.get(there) or self.copy(there)) + hash_sign + anchor

    # --- text inside of a line

    def inline(self, page, text):
        kept = []

        def keep(markup):
            kept.append(markup)
            return f"\0{len(kept) - 1}\0"

        def link(match):
            address = self.address(page, match.group(2))
            inner = html.escape(match.group(1), quote=False)
            return keep(f'<a href="{html.escape(address)}">{inner}</a>' if address else inner)

        def picture(match):
            address = html.escape(self.address(page, match.group(2)))
            return keep(f'<img src="{address}" alt="{html.escape(match.group(1))}">')

        text = re.sub(r"(`+)(.+?)\1", lambda m: keep(f"<code>{html.escape(m.group(2).strip())}</code>"), text)
        text = re.sub(r"\\([\\`*_|])", lambda m: keep(html.escape(m.group(1))), text)
        text = re.sub(r"!\[([^\]]*)\]\(([^)\s]+)\)", picture, text)
        text = re.sub(r"\[([^\]]*)\]\(([^)\s]+)\)", link, text)
        text = html.escape(text, quote=False)
        text = re.sub(r"\*\*(.+?)\*\*", r"<strong>\1</strong>", text)
        text = re.sub(r"(?<![\w*])\*([^\s*][^*]*?)\*(?![\w*])", r"<em>\1</em>", text)
        while "\0" in text:
            text = re.sub(r"\0(\d+)\0", lambda m: kept[int(m.group(1))], text)
        return text

    # --- blocks

    def table(self, page, lines):
        rows = [[self.inline(page, cell.strip()) for cell in re.split(r"(?<!\\)\|", line.strip().strip("|"))]
                for line in lines if not re.match(r"^\|[\s:|-]+\|$", line)]
        put = lambda row, tag: "<tr>" + "".join(f"<{tag}>{cell}</{tag}>" for cell in row) + "</tr>"
        body = "\n".join(put(row, "td") for row in rows[1:])
        return f'<div class="wide"><table>\n{put(rows[0], "th")}\n{body}\n</table></div>'

    def items(self, page, lines):
        """A list; lines that are indented belong to the item above, with blocks of their own."""
        ordered = re.match(r"\d", lines[0]) is not None
        parts, current = [], []
        for line in lines:
            start = re.match(r"([-*]|\d+\.) +", line)
            if start:
                current = [line[start.end():]]
                parts.append(current)
            else:
                current.append(re.sub(r"^ {1,3}", "", line))
        tag = "ol" if ordered else "ul"
        inner = "\n".join(f"<li>{self.body(page, part, tight=True)}</li>" for part in parts)
        return f"<{tag}>\n{inner}\n</{tag}>"

    def body(self, page, lines, tight=False):
        out, i = [], 0
        while i < len(lines):
            line = lines[i]
            end = i + 1
            if line.startswith("```"):
                while end < len(lines) and not lines[end].startswith("```"):
                    end += 1
                code = html.escape("\n".join(lines[i + 1:end]), quote=False)
                out.append(f"<pre><code>{code}</code></pre>")
                end += 1
            elif re.match(r"#+ ", line):
                level, text = len(line) - len(line.lstrip("#")), line.lstrip("#").strip()
                out.append(f'<h{level} id="{anchor_of(text)}">{self.inline(page, text)}</h{level}>')
            elif line.startswith("|"):
                while end < len(lines) and lines[end].startswith("|"):
                    end += 1
                out.append(self.table(page, lines[i:end]))
            elif re.match(r"([-*]|\d+\.) +", line):
                while end < len(lines) and (re.match(r"([-*]|\d+\.) +|\s+\S", lines[end]) or (
                        not lines[end].strip() and end + 1 < len(lines) and re.match(r"\s+\S", lines[end + 1]))):
                    end += 1
                out.append(self.items(page, lines[i:end]))
            elif line.startswith("<!--"):
                while "-->" not in lines[end - 1] and end < len(lines):
                    end += 1
            elif line.strip():
                while end < len(lines) and lines[end].strip() and not re.match(r"```|#+ |\||[-*] |\d+\. |<!--", lines[end]):
                    end += 1
                text = self.inline(page, " ".join(part.strip() for part in lines[i:end]))
                out.append(text if tight and len(out) == 0 else f"<p>{text}</p>")
            i = end
        return "\n".join(out)

    # --- pages

    def title(self, page):
        found = re.search(r"^# (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
        return re.sub(r"[`*]", "", found.group(1)) if found else page.stem

    def navigation(self, current):
        """The list of docs/README.md, by its headings."""
        out = [f'<a href="index.html"{" aria-current=page" if current == SOURCE / "README.md" else ""}>Tactus</a>',
               f'<a href="examples.html"{" aria-current=page" if current.parent.name == "examples" else ""}>Examples</a>']
        seen = set()
        for line in (SOURCE / "docs" / "README.md").read_text(encoding="utf-8").splitlines():
            heading = re.match(r"\*\*(.*)\*\*$", line)
            entry = re.match(r"- \[[^\]]*\]\(([\w-]+\.md)\)", line)
            if heading:
                out.append(f"<b>{html.escape(heading.group(1))}</b>")
            elif entry and entry.group(1) not in seen:
                seen.add(entry.group(1))
                page = SOURCE / "docs" / entry.group(1)
                mark = " aria-current=page" if page == current else ""
                out.append(f'<a href="{self.names[page]}"{mark}>{html.escape(self.title(page))}</a>')
        return "\n".join(out)

    def build(self):
        self.out.mkdir(parents=True, exist_ok=True)
        (self.out / "style.css").write_text(STYLE.lstrip(), encoding="utf-8")
        for page, name in self.names.items():
            content = self.body(page, page.read_text(encoding="utf-8").splitlines())
            text = ("<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n"
                    "<meta name=\"viewport\" content=\"width=device-width\">\n"
                    f"<title>{html.escape(self.title(page))} · Tactus</title>\n<link rel=\"stylesheet\" href=\"style.css\">\n"
                    f"<nav>\n{self.navigation(page)}\n</nav>\n<main>\n{content}\n</main>\n</html>\n")
            (self.out / name).write_text(text, encoding="utf-8")
        print(f"{len(self.names)} pages in {self.out}: open {self.out / 'index.html'}")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: site.py FOLDER")
    Site(pathlib.Path(sys.argv[1])).build()
