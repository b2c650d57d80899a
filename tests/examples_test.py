#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Tactus authors
# SPDX-License-Identifier: MIT

"""Every scene of examples/: it reads without a remark (but for the comments of .ca models), runs with finite energies to the same bits on one thread and
on three, leaves a recording that can be read, and has its line in examples/README.md.

ctest sets TACTUS_BINARY (the command), TACTUS_SOURCE (the sources) and TACTUS_BUILD (plugins are in its plugins/).
A few scenes say in their comments what comes out of them; that is checked here as well, against closed forms.
"""

import csv
import json
import math
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

BINARY = os.environ.get("TACTUS_BINARY")
SOURCE = pathlib.Path(os.environ.get("TACTUS_SOURCE") or pathlib.Path(__file__).resolve().parent.parent)
BUILD = pathlib.Path(os.environ.get("TACTUS_BUILD") or SOURCE / "build")
EXAMPLES = SOURCE / "examples"
SCENES = sorted([*EXAMPLES.rglob("*.tac"), *EXAMPLES.rglob("*.ca")])
SLOW = bool(os.environ.get("TACTUS_SANITIZE"))  # sanitized builds are some ten times slower
PATIENCE = 120  # s, for what should take a moment


def tactus(*arguments):
    return subprocess.run([BINARY, *map(str, arguments)], capture_output=True, text=True, timeout=PATIENCE)


def plugins_of(scene):
    return ["--plugin", BUILD / "plugins" / "wind.so"] if scene.parent.name == "plugin" else []


def numbers_in(value):
    """All numbers of a JSON value, however deep."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        return [number for item in value for number in numbers_in(item)]
    return [value]


class Examples(unittest.TestCase):
    def run_json(self, scene, *arguments):
        result = tactus("run", scene, *plugins_of(scene), "--no-record", "--json", "--quiet", *arguments)
        self.assertEqual(result.returncode, 0, result.stderr)
        return json.loads(result.stdout.splitlines()[-1])

    def channels(self, scene, *arguments):
        """The channels of a whole run, as a list of numbers each."""
        with tempfile.TemporaryDirectory() as folder:
            table = pathlib.Path(folder) / "run.csv"
            result = tactus("run", scene, "--quiet", "-o", table, *arguments)
            self.assertEqual(result.returncode, 0, result.stderr)
            with open(table, newline="") as file:
                rows = list(csv.reader(file))
        names = [re.sub(r" *[\[(].*", "", name) for name in rows[0]]
        return {name: [float(row[i]) for row in rows[1:]] for i, name in enumerate(names)}

    def test_there_are_scenes(self):
        self.assertGreaterEqual(len(SCENES), 15)

    def test_scenes_are_without_errors_and_remarks(self):
        for scene in SCENES:
            with self.subTest(scene=scene.name):
                result = tactus("check", scene, *plugins_of(scene), "--json")
                self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
                found = json.loads(result.stdout.splitlines()[-1])
                messages = [m for m in found.get("messages", []) if not m["message"].startswith("comment: ")]
                self.assertEqual(messages, [])
                # what is heard has few links to each mass, so that the limit is near the truth
                for mass in found["stability"] if scene.parent.name == "sound" else []:
                    self.assertLess(mass["used"], 1, mass)

    def test_scenes_run_to_the_same_bits_on_any_number_of_threads(self):
        for scene in SCENES:
            with self.subTest(scene=scene.name):
                one = self.run_json(scene, "--steps", 5, "--threads", 1)
                three = self.run_json(scene, "--steps", 5, "--threads", 3)
                self.assertEqual(one["hash"], three["hash"])
                self.assertEqual(one["status"], "done")
                self.assertEqual(one["beats"], 5)
                for moment in ("start", "end"):
                    numbers = numbers_in(one[moment])
                    self.assertGreaterEqual(len(numbers), 10)
                    for number in numbers:
                        self.assertIsInstance(number, (int, float))
                        self.assertTrue(math.isfinite(number), f"{moment}: {one[moment]}")

    def test_scenes_leave_recordings(self):
        with tempfile.TemporaryDirectory() as folder:
            for scene in SCENES:
                with self.subTest(scene=scene.name):
                    recording = pathlib.Path(folder) / (scene.stem + ".tacrec")
                    result = tactus("run", scene, *plugins_of(scene), "--steps", 5, "--quiet", "-o", recording)
                    self.assertEqual(result.returncode, 0, result.stderr)
                    result = tactus("info", recording)
                    self.assertEqual(result.returncode, 0, result.stderr)

    def test_scenes_have_a_title_and_a_line(self):
        page = (EXAMPLES / "README.md").read_text(encoding="utf-8")
        listed = set(re.findall(r"^\| \[([^]]*\.(?:tac|ca))\]\(\1\) \| .+ \|$", page, re.MULTILINE))
        there = {scene.relative_to(EXAMPLES).as_posix() for scene in SCENES}
        self.assertEqual(listed, there)
        for scene in SCENES:
            with self.subTest(scene=scene.name):
                title = r"(?m)^TITLE \S" if scene.suffix == ".ca" else r'<tactus version="1" title="[^"]+"'
                self.assertRegex(scene.read_text(encoding="utf-8"), title)

    def test_chain_keeps_its_energy(self):
        total = self.channels(EXAMPLES / "springs/chain.tac")["energy/total"]
        self.assertGreater(len(total), 100)
        for value in total:
            self.assertLess(abs(value - total[0]), 0.005)

    def test_racket_flips_and_keeps_its_spin(self):
        channels = self.channels(EXAMPLES / "rigid/top.tac")
        side = channels["probe/racket/dot/side"]
        flips = sum((a > 0) != (b > 0) for a, b in zip(side, side[1:]))
        self.assertGreaterEqual(flips, 3)
        total = channels["energy/total"]
        self.assertLess(max(total) - min(total), 3e-4 * total[0])
        # spin is inertia times angular velocity at the start: 0.0165 * 9, 0.0025 * 0.03, 0.0188 * 0.02
        for axis, value in zip("xyz", (0.1485, 0.000075, 0.000376)):
            for spin in channels["spin/" + axis]:
                self.assertLess(abs(spin - value), 1e-12)

    def test_oscillator_swings_once_a_second(self):
        # k/m is (2 pi)^2 exactly; the step is a hundredth of the period, which errs by some 2e-4 of it
        x = self.channels(EXAMPLES / "flat/plane2d.tac")["probe/oscillator/x"]
        low, high = -1.0, -0.6  # about -1.1 + 0.3, where the spring is at rest
        self.assertLess(abs(max(x) - high), 0.01)
        self.assertLess(abs(min(x) - low), 0.01)
        self.assertLess(abs(x[-1] - x[0]), 0.02)  # after five whole swings
        self.assertLess(abs(x[len(x) // 10] - low), 0.02)  # after half of one

    @unittest.skipIf(SLOW, "a long run")
    def test_ripples_of_a_curtain_vanish_and_its_swing_stays(self):
        channels = self.channels(EXAMPLES / "contact/curtains.tac", "--time", "10.8")
        swing, ripple = {}, {}
        for who in ("own", "implicit"):
            z, y = channels[f"probe/{who}/bottom"], channels[f"probe/{who}/height"]
            # distance from where the curtain hangs; what is faster than a tenth of a second are ripples
            top = (-0.25 * math.cos(math.radians(75)), 0.25 * math.sin(math.radians(75)))
            length = [math.hypot(a - top[0], b - top[1]) for a, b in zip(z, y)]
            fast = [length[i] - sum(length[i - 5 : i + 6]) / 11 for i in range(5, len(length) - 5)]
            turns = [range(120 * n, 120 * (n + 1)) for n in range(9)]  # about one swing each
            swing[who] = [(max(z[i] for i in turn) - min(z[i] for i in turn)) / 2 for turn in turns]
            ripple[who] = [math.sqrt(sum(x * x for x in fast[120 * n : 120 * n + 110]) / 110) for n in (0, 8)]
        self.assertGreater(ripple["own"][0], 1e-3)
        self.assertLess(ripple["own"][1], 0.05 * ripple["own"][0])
        self.assertGreater(swing["own"][8], 0.8 * swing["own"][0])
        self.assertLess(swing["implicit"][8] / swing["implicit"][0], swing["own"][8] / swing["own"][0] - 0.05)

    @unittest.skipIf(SLOW, "a long run")
    def test_beam_comes_near_to_beam_theory(self):
        theory = 1.5 * 1000 * 9.81 / (7.5e6 * 0.2**2)
        sinks = []
        for n in (2, 4):
            tip = self.channels(EXAMPLES / "solid/cantilever.tac", "--set", f"n={n}")["probe/beam/tip"]
            self.assertLess(abs(tip[-1] - tip[-20]), 1e-5)  # at rest
            sinks.append(0.4 - tip[-1])
        # linear tetrahedra are too stiff, and less so when they are finer
        self.assertTrue(0.4 * theory < sinks[0] < sinks[1] < theory, f"{sinks} of {theory}")
        self.assertLess(abs(sinks[0] - 0.026), 0.001)
        self.assertLess(abs(sinks[1] - 0.040), 0.001)

    @unittest.skipIf(SLOW, "a long run")
    def test_gripper_lifts_the_block(self):
        # its middle is carried along by its faces: up by the lift, less what it sags
        middle = self.channels(EXAMPLES / "script/gripper.tac")["probe/block/middle"]
        self.assertTrue(middle[0] + 0.15 < middle[-1] < middle[0] + 0.35, f"{middle[0]} to {middle[-1]}")


if __name__ == "__main__":
    if not BINARY:
        raise SystemExit("TACTUS_BINARY must name the tactus command")
    unittest.main(verbosity=1)
