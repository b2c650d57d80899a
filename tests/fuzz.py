#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Tactus authors
# SPDX-License-Identifier: MIT

"""Lets the fuzzers search, all at once, and keeps what is worth keeping of what they find.

    fuzz.py --minutes M [--programs FOLDER] [--corpus FOLDER] [--found FOLDER] [--jobs N] [--no-merge] [NAME...]

Each program fuzz_X of FOLDER (build/fuzz/tests) searches for M minutes of wall time, from its corpus and from what it
has found before; with more jobs than fuzzers, several processes search for the same one and share their finds. One that
dies is started again until the time is over. Then, of all that was found, the smallest inputs that reach code which
the corpus does not reach are added to it, as long as all of a fuzzer's stay below its part of 3 MB; names are checksums.

What breaks a program is kept beside the finds as FOUND/X/crash-..., leak-..., timeout-... and listed at the end; the
exit code is then 1. Needs the programs, the corpus and Python; nothing of the build.
"""

import argparse
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
LARGEST_CORPUS = 3_000_000  # bytes, all fuzzers together
LARGEST_INPUT = 64_000      # one that is larger is not kept
MOST_DEATHS = 25            # of one fuzzer; then it has said enough
LIMITS = ["-timeout=20", "-rss_limit_mb=4096", "-malloc_limit_mb=2048"]


def environment():
    suppressions = HERE.parent / "cmake" / "leaks-of-others.txt"
    env = dict(os.environ, ASAN_OPTIONS="allocator_may_return_null=1")
    if suppressions.exists():
        env["LSAN_OPTIONS"] = f"suppressions={suppressions}:print_suppressions=0"
    return env


class Search:
    """One process after the other of one fuzzer, until the time is over."""

    def __init__(self, program, number, options):
        self.name = program.name[len("fuzz_"):]
        self.program, self.number, self.options = program, number, options
        self.inputs = options.found / self.name / "inputs"
        self.inputs.mkdir(parents=True, exist_ok=True)
        self.log = options.found / self.name / f"log-{number}.txt"
        self.log.write_bytes(b"")
        self.deaths, self.process = 0, None

    def start(self, seconds):
        prefix = f"-artifact_prefix={self.options.found / self.name}/"
        corpus = self.options.corpus / self.name
        command = [str(self.program), f"-max_total_time={max(1, int(seconds))}", "-print_final_stats=1", "-reload=5",
                   *LIMITS, prefix, str(self.inputs), *([str(corpus)] if corpus.is_dir() else [])]
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(command, stdout=log, stderr=log, stdin=subprocess.DEVNULL,
                                            env=environment())

    def look(self, end):
        """Starts it again where it has died. False: it is done."""
        if self.process.poll() is None:
            return True
        if self.process.returncode != 0:
            self.deaths += 1
        if time.monotonic() > end - 2 or self.deaths >= MOST_DEATHS:
            return False
        self.start(end - time.monotonic())
        return True

    def executions(self):
        text = self.log.read_text(errors="replace")
        return sum(int(n) for n in re.findall(r"stat::number_of_executed_units:\s+(\d+)", text))


def artifacts(folder):
    return sorted(p for p in folder.iterdir() if re.match(r"(crash|leak|timeout|oom)-", p.name))


def merge(program, corpus, inputs, room):
    """Adds to a corpus what reaches more than it does, the smallest first. The number of files added."""
    corpus.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as work:
        whole, fresh = Path(work) / "whole", Path(work) / "fresh"
        shutil.copytree(corpus, whole)
        fresh.mkdir()
        for path in inputs.iterdir():
            if path.stat().st_size <= LARGEST_INPUT:
                shutil.copy(path, fresh)
        before = {p.name for p in whole.iterdir()}
        subprocess.run([str(program), "-merge=1", *LIMITS, f"-artifact_prefix={work}/", str(whole), str(fresh)],
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment(), check=False)
        room -= sum(p.stat().st_size for p in corpus.iterdir())
        added = 0
        for path in sorted((p for p in whole.iterdir() if p.name not in before), key=lambda p: p.stat().st_size):
            data = path.read_bytes()
            room -= len(data)
            if room < 0:
                break
            (corpus / hashlib.sha1(data).hexdigest()).write_bytes(data)
            added += 1
    return added


def main():
    parser = argparse.ArgumentParser(description="Lets the fuzzers search, and keeps what they find.")
    parser.add_argument("--minutes", type=float, default=1, help="of wall time, for each")
    parser.add_argument("--programs", type=Path, default=HERE.parent / "build" / "fuzz" / "tests")
    parser.add_argument("--corpus", type=Path, default=HERE / "corpus")
    parser.add_argument("--found", type=Path, default=HERE.parent / "build" / "fuzz" / "found")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes at a time")
    parser.add_argument("--no-merge", action="store_true", help="leave the corpus as it is")
    parser.add_argument("names", nargs="*", help="of fuzzers, as xml; all by default")
    options = parser.parse_args()
    programs = [p for p in sorted(options.programs.glob("fuzz_*"))
                if p.is_file() and os.access(p, os.X_OK) and (not options.names or p.name[5:] in options.names)]
    if not programs:
        print(f"fuzz: no programs fuzz_* in {options.programs}", file=sys.stderr)
        return 2

    # with fewer jobs than fuzzers, some wait for the others
    waiting = [Search(p, i, options) for i in range(max(1, options.jobs // len(programs))) for p in programs]
    everybody, running = list(waiting), []
    while waiting or running:
        while waiting and len(running) < max(1, options.jobs):
            search = waiting.pop(0)
            end = time.monotonic() + 60 * options.minutes
            search.start(60 * options.minutes)
            running.append((search, end))
        running = [(search, end) for search, end in running if search.look(end)]
        time.sleep(0.2)

    broken = False
    room = LARGEST_CORPUS // len(list(options.programs.glob("fuzz_*")))
    print(f"{'fuzzer':12} {'inputs tried':>14} {'found':>8} {'kept':>6}  broken by")
    for program in programs:
        name = program.name[5:]
        tried = sum(s.executions() for s in everybody if s.name == name)
        inputs = options.found / name / "inputs"
        kept = 0 if options.no_merge else merge(program, options.corpus / name, inputs, room)
        bad = artifacts(options.found / name)
        broken = broken or bool(bad)
        print(f"{name:12} {tried:14,} {len(list(inputs.iterdir())):8,} {kept:6}  "
              f"{', '.join(str(p) for p in bad) or 'nothing'}", flush=True)
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
