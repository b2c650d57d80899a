#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Tactus authors
# SPDX-License-Identifier: MIT
"""How much faster more threads make a run: finite elements, an agglomerate, safe contact.

    bench/scaling.py build/tactus [--only WORD] [THREADS...]      1 2 4 8 16 by default

Prints a table in Markdown: seconds by the clock for each number of threads, how many times as fast as one that is, and how
many times as much the machine gets done by as many runs of one thread each, side by side: what they share (memory, caches,
power) no program can do without. The best of some rounds, in each of which all take turns. The final state must be the same
to the last bit for all of them; if it is not, that is said and the exit code is 1.
"""

import argparse
import json
import math
import os
import subprocess
import sys
import tempfile

ROUNDS = 3

RIBBON = """<node name='{0}'><SymplecticEuler step='1.5e-5'/>
<Ribbon curve='reef_knot_{0}' across='12' width='0.04' length='0.15'/><Points/><UniformMass total='0.05'/>
<Springs stiffness='1000' damping='0.01'/><ShellBending stiffness='1e-6'/>
<ConstantForce box='{1}' total='{2} 0 0'/><Skin/></node>"""


def wall(number):
    """One of six around the compactor's cube, which moves inwards at 1 m/s."""
    axis, side = number // 2, 1 if number % 2 else -1
    place, way = ([size * side if k == axis else 0 for k in range(3)] for size in (0.252, -0.06))
    return (
        f"<node name='wall{number}'><Sheet divisions='1' width='0.7' depth='0.7' rotation='{('0 0 90', '0 0 0', '90 0 0')[axis]}' "
        f"translation='{place[0]} {place[1]} {place[2]}'/><Points/>"
        f"<ScriptedMotion times='0 0.06' offsets='0 0 0  {way[0]} {way[1]} {way[2]}'/><Skin group='1' mask='2'/></node>"
    )


SCENES = {
    "105,456 tetrahedra, explicit, 100 steps": (
        "0.1",
        """<tactus version='1' dt='0.001'><node name='bar'><SymplecticEuler/>
        <Grid counts='53 27 14' high='1 0.5 0.25' split='true'/><Points/><DiagonalMass density='1000'/>
        <FixedPoints box='-0.001 -1 -1 0.001 1 1'/><Tetrahedra young='1e4' poisson='0.3'/></node></tactus>""",
    ),
    "105,456 tetrahedra, implicit, 10 steps": (
        "0.1",
        """<tactus version='1' dt='0.01'><node name='bar'><ImplicitEuler/>
        <ConjugateGradient iterations='50' tolerance='1e-30'/>
        <Grid counts='53 27 14' high='1 0.5 0.25' split='true'/><Points/><DiagonalMass density='1000'/>
        <FixedPoints box='-0.001 -1 -1 0.001 1 1'/><Tetrahedra young='1e5' poisson='0.3'/></node></tactus>""",
    ),
    "262,144 Lennard-Jones atoms, 50 steps": (
        "0.25",
        """<tactus version='1' dt='0.005' gravity='0 0 0'><node name='melt'><SymplecticEuler/>
        <Grid counts='64 64 64' high='66.7 66.7 66.7'/><Points/><UniformMass mass='1'/>
        <LennardJones distance='1.122462048309373' cutoff='2.5' box='67.8 67.8 67.8'/></node></tactus>""",
    ),
    "reef knot of 8,190 points, safe contact, 10 ms": (
        "0.01",
        "<tactus version='1' gravity='0 0 0'><Contact method='safe' thickness='0.001' friction='0.2' restitution='0'/>"
        + RIBBON.format("left", "-10 -1 -1 -0.2 1 1", "-0.5")
        + RIBBON.format("right", "0.2 -1 -1 10 1 1", "0.5")
        + "</tactus>",
    ),
    "compactor of 5,832 points, safe contact, 60 ms": (
        "0.06",
        "<tactus version='1' gravity='0 0 0' dt='0.005'><Contact method='safe' thickness='0.002' friction='0.2' restitution='0'/>"
        + "".join(wall(number) for number in range(6))
        + """<node name='body'><ImplicitEuler damping_stiffness='0.002'/><ConjugateGradient iterations='400' tolerance='1e-6'/>
        <Grid counts='18 18 18' low='-0.25 -0.25 -0.25' high='0.25 0.25 0.25' split='true'/><Points/><DiagonalMass density='1000'/>
        <Tetrahedra young='10000' poisson='0.3'/><Skin group='2' mask='1 2'/></node></tactus>""",
    ),
}


def run(command, scene, time, threads, runs=1):
    """Seconds by the clock of the slowest of some runs side by side, and the hash of the final state."""
    words = [command, "run", scene, "--time", time, "--threads", str(threads), "--no-record", "--json"]
    started = [subprocess.Popen(words, stdout=subprocess.PIPE, text=True) for _ in range(runs)]
    results = [json.loads(process.communicate()[0].splitlines()[-1]) for process in started]
    return max(result["wall_time"] for result in results), results[0]["hash"]


def measure(command, scene, time, counts):
    """A cell of the table for each number of threads, and whether the final states are the same."""
    best, beside, hashes = {}, {}, set()
    for _ in range(ROUNDS):
        for n in counts:
            seconds, bits = run(command, scene, time, n)
            best[n] = min(best.get(n, seconds), seconds)
            hashes.add(bits)
            beside[n] = min(beside.get(n, math.inf), seconds if n == 1 else run(command, scene, time, 1, n)[0])
    one = best[1]
    cells = [f"{best[n]:.2f} s" + (f" ({one / best[n]:.2f} of {n * one / beside[n]:.2f})" if n > 1 else "") for n in counts]
    return cells, len(hashes) == 1


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("command", nargs="?", default="build/tactus")
    options.add_argument("threads", nargs="*", type=int, default=[1, 2, 4, 8, 16])
    options.add_argument("--only", default="", metavar="WORD", help="scenes whose name has it")
    given = options.parse_intermixed_args()
    counts = given.threads if given.threads[0] == 1 else [1] + given.threads
    print("| scene | " + " | ".join(f"{n} thread{'s' if n > 1 else ''}" for n in counts) + " |")
    print("|---|" + "---:|" * len(counts))
    same = True
    with tempfile.TemporaryDirectory() as folder:
        for number, (name, (time, text)) in enumerate(SCENES.items()):
            if given.only not in name:
                continue
            path = os.path.join(folder, f"{number}.tac")
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            cells, alike = measure(given.command, path, time, counts)
            print(f"| {name} | " + " | ".join(cells) + " |", flush=True)
            same = same and alike
    print("\nThe final state is the same to the last bit." if same else "\nThe final states differ.")
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main())
