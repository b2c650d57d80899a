#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Tactus authors
# SPDX-License-Identifier: MIT
"""How much faster more threads make a run: finite elements, an agglomerate, safe contact.

    bench/scaling.py build/tactus [THREADS...]      1 2 4 8 16 by default

Prints a table in Markdown: seconds by the clock for each number of threads, and how many times as fast as one. The final
state must be the same to the last bit for all of them; if it is not, that is said and the exit code is 1.
"""

import json
import os
import subprocess
import sys
import tempfile

RIBBON = """<node name='{0}'><SymplecticEuler step='1.5e-5'/>
<Ribbon curve='reef_knot_{0}' across='12' width='0.04' length='0.15'/><Points/><UniformMass total='0.05'/>
<Springs stiffness='1000' damping='0.01'/><ShellBending stiffness='1e-6'/>
<ConstantForce box='{1}' total='{2} 0 0'/><Skin/></node>"""

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
}


def run(command, scene, time, threads):
    """Seconds by the clock, and the hash of the final state."""
    out = subprocess.run(
        [command, "run", scene, "--time", time, "--threads", str(threads), "--no-record", "--json"],
        stdout=subprocess.PIPE,
        check=True,
        text=True,
    ).stdout
    result = json.loads(out.splitlines()[-1])
    return result["wall_time"], result["hash"]


def main():
    command = sys.argv[1] if len(sys.argv) > 1 else "build/tactus"
    counts = [int(n) for n in sys.argv[2:]] or [1, 2, 4, 8, 16]
    print("| scene | " + " | ".join(f"{n} thread{'s' if n > 1 else ''}" for n in counts) + " |")
    print("|---|" + "---:|" * len(counts))
    same = True
    with tempfile.TemporaryDirectory() as folder:
        for number, (name, (time, text)) in enumerate(SCENES.items()):
            path = os.path.join(folder, f"{number}.tac")
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            cells, hashes, first = [], set(), None
            for n in counts:
                seconds, bits = min(run(command, path, time, n) for _ in range(3))
                hashes.add(bits)
                first = first or seconds
                cells.append(f"{seconds:.2f} s ({first / seconds:.1f})")
            print(f"| {name} | " + " | ".join(cells) + " |", flush=True)
            same = same and len(hashes) == 1
    print("\nThe final state is the same to the last bit." if same else "\nThe final states differ.")
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main())
