# SPDX-FileCopyrightText: The Tactus authors
# SPDX-License-Identifier: MIT

"""Convex queries against libccd and FCL: bench/peers/gjk_agree.cpp on 20,000 pairs of all families, where `make peers`
has built it. The program proves every disagreement by the shapes themselves and fails when ours was the wrong answer."""

import subprocess
import sys
from pathlib import Path

PROGRAM = Path(__file__).resolve().parent.parent / "build" / "bench" / "peers" / "gjk_agree"

if not PROGRAM.exists():
    print("skipped: `make peers` builds what this compares with")
    sys.exit(0)

run = subprocess.run([str(PROGRAM), "20000"], capture_output=True, text=True, timeout=120)
print(run.stdout, run.stderr)
if run.returncode != 0:
    sys.exit("answers of ours are wrong")

# both libraries answered, and their decisions were ours wherever the shapes are clearly apart or clearly overlap
lines = [line for line in run.stdout.splitlines() if "decides alike" in line]
asked = sum(int(line.split(" of ")[1].split(",")[0]) for line in lines)
wrong = sum(int(line.split("wrongly ")[1].split(";")[0]) for line in lines)
if len(lines) != 12 or asked < 20000 or wrong > asked // 1000:
    sys.exit(f"{wrong} of {asked} decisions of the others differ from ours")
