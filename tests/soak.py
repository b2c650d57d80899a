#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Tactus authors
# SPDX-License-Identifier: MIT

"""Runs a long test over many seeds, and remembers which have passed.

    soak.py --state FILE --seeds N  PROGRAM [ARGUMENT...]     seeds 1..N that FILE does not know yet
    soak.py --sample N              PROGRAM [ARGUMENT...]     seeds 1..N, nothing remembered

{seed} in an argument stands for the seed. Exit code 0 of the program means that the seed passed. The state has one
line per passed seed: the program's name, a fingerprint of the program, its arguments and the files among them, the seed. A program that
changed has another fingerprint, so its seeds count as new. A run may be stopped at any time and started again.
SOAK_SEEDS in the environment overrides --seeds.
"""

import argparse
import hashlib
import os
import subprocess
import sys


def fingerprint(command):
    digest = hashlib.sha256()
    for word in command:
        if os.path.isfile(word):
            with open(word, "rb") as program:
                digest.update(program.read())
    digest.update("\0".join(command[1:]).encode())
    return digest.hexdigest()[:16]


def passed_seeds(state, name, mark):
    if not state or not os.path.exists(state):
        return set()
    passed = set()
    with open(state, encoding="utf-8") as lines:
        for line in lines:
            words = line.split()
            if len(words) == 3 and words[:2] == [name, mark] and words[2].isdigit():
                passed.add(int(words[2]))
    return passed


def remember(state, name, mark, seed):
    # one write of a short line to a file opened for appending: tests that run side by side do not mix
    with open(state, "a", encoding="utf-8") as file:
        file.write(f"{name} {mark} {seed}\n")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--state")
    parser.add_argument("--seeds", type=int, default=0)
    parser.add_argument("--sample", type=int, default=0)
    parser.add_argument("command", nargs=argparse.REMAINDER)
    options = parser.parse_args()
    if not options.command:
        parser.error("a program is missing")

    scripts = [word for word in options.command if word.endswith(".py")]
    name = os.path.basename((scripts or options.command)[0])
    mark = fingerprint(options.command)
    count = options.sample or int(os.environ.get("SOAK_SEEDS") or options.seeds)
    known = passed_seeds(options.state, name, mark)
    todo = [seed for seed in range(1, count + 1) if seed not in known]
    print(f"{name}: {len(todo)} of {count} seeds to do", flush=True)

    failed = []
    for seed in todo:
        command = [word.replace("{seed}", str(seed)) for word in options.command]
        if subprocess.run(command, stdin=subprocess.DEVNULL).returncode == 0:
            if options.state:
                remember(options.state, name, mark, seed)
        else:
            failed.append(seed)
            print(f"{name}: seed {seed} failed; again: {' '.join(command)}", flush=True)
    print(f"{name}: {len(todo) - len(failed)} passed, {len(failed)} failed {failed if failed else ''}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
