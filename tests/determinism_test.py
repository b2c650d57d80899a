#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Tactus authors
# SPDX-License-Identifier: MIT

"""The same bits on 1, 2, 3, 8 and 16 threads, for a scene of every theme of examples/.

No hash is kept here: compilers and processors may differ in the last bits of what they compute, but one build on one
machine may not differ from itself. What is compared is the world's hash at the end, every energy on the way there, and
the bytes of a snapshot.
"""

import json
import os
import pathlib
import subprocess
import tempfile
import unittest

BINARY = os.environ.get("TACTUS_BINARY")
SOURCE = pathlib.Path(os.environ.get("TACTUS_SOURCE") or pathlib.Path(__file__).resolve().parent.parent)
THREADS = (1, 2, 3, 8, 16)
PATIENCE = 120  # s, for what should take a moment

# Scenes, and simulated seconds that take a moment. Themes that are not here fail the test.
SCENES = {
    "adaptive/crate.tac": 0.3,
    "agents/bricks.tac": 1,
    "agents/cloth_and_hand.tac": 0.3,
    "agents/ten_spheres.tac": 1,
    "agents/three_cloths.tac": 0.3,
    "clocks/rates.tac": 1,
    "contact/meshes.tac": 0.3,
    "contact/shapes.tac": 0.1,
    "cordis/drop.tac": 0.3,
    "cordis/heap.ca": 0.4,
    "cordis/plasticine.ca": 0.2,
    "first/jelly.tac": 0.2,
    "flat/plane2d.tac": 1,
    "links/fracture.tac": 0.5,
    "maps/fluid.tac": 0.2,
    "maps/skin.tac": 0.2,
    "rigid/hinges.tac": 1,
    "script/gripper.tac": 0.2,
    "solid/liver.tac": 0.1,
    "sound/membrane.tac": 0.02,
    "springs/cloth.tac": 0.2,
    "together/crane.tac": 0.5,
    "together/safe.tac": 0.2,
    "wires/crane.tac": 1,
    "wires/whip.tac": 0.5,
}
UNMOVED = {"contact/meshes.tac"}  # a script moves what has no mass there
PROGRAMS = {"embed", "plugin"}  # folders of programs

# Safe contact between a free sheet, an implicit one and a rigid box, dense enough for several threads to share.
SAFE = """<tactus version="1" dt="0.01" duration="0.1"><Contact thickness="0.01" friction="0.4" restitution="0.3"/>
  <node name="floor"><Sheet divisions="1" width="3" depth="3"/><Points/><Skin/></node>
  <node name="free"><Sheet divisions="12" split="true" translation="0 0.06 0" rotation="3 0 2"/><Points/>
    <UniformMass mass="0.001"/><MeshSprings triangles="3" triangles_damping="0.01"/><Skin/></node>
  <node name="implicit"><ImplicitEuler/><Sheet divisions="12" translation="0 0.13 0" split="true"/><Points/>
    <UniformMass mass="0.001"/><MeshSprings triangles="20"/><Skin/></node>
  <node name="box"><Frames translation="0.1 0.36 0.1" rotation="0 0 20" velocities="0 -1 0 2 1 0"/>
    <UniformMass mass="0.1" box="0.2 0.3 0.1"/><node name="s"><Box divisions="2" low="-0.1 -0.15 -0.05" high="0.1 0.15 0.05"/>
    <Points/><RigidMap local="true"/><Skin/></node></node>
</tactus>
"""


@unittest.skipUnless(BINARY, "TACTUS_BINARY is not set")
class Determinism(unittest.TestCase):
    def run_scene(self, scene, seconds, threads, folder):
        snapshot = pathlib.Path(folder) / "end.tacsnap"
        done = subprocess.run([BINARY, "run", scene, "--time", repr(seconds), "--threads",
                               str(threads), "--no-record", "--json", "--snapshot", snapshot], stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=PATIENCE, check=False)
        self.assertEqual(done.returncode, 0, f"{scene} on {threads} threads: {done.stderr.decode(errors='replace')}")
        result = json.loads(done.stdout)
        self.assertEqual(result["threads"], threads)
        told = {key: result[key] for key in ("hash", "ticks", "events", "start", "end")}
        told["contact"] = {key: result.get("contact", {}).get(key) for key in ("looks", "kicks", "plans", "certificates")}
        return told, snapshot.read_bytes()

    def test_every_theme_has_a_scene(self):
        themes = {path.name for path in (SOURCE / "examples").iterdir() if path.is_dir()} - PROGRAMS
        self.assertEqual(themes - {scene.split("/")[0] for scene in SCENES}, set(), "themes without a scene here")

    def compare(self, scene, path, seconds, folder):
        first = self.run_scene(path, seconds, THREADS[0], folder)
        if scene not in UNMOVED:
            self.assertNotEqual(first[0]["start"], first[0]["end"], "nothing moves, so nothing is tested")
        for threads in THREADS[1:]:
            again = self.run_scene(path, seconds, threads, folder)
            self.assertEqual(again[0], first[0], f"{scene} on {threads} threads")
            self.assertEqual(again[1], first[1], f"the snapshot of {scene} on {threads} threads")
        return first[0]

    def test_the_same_bits_on_any_number_of_threads(self):
        with tempfile.TemporaryDirectory(prefix="tactus-determinism-") as folder:
            for scene, seconds in SCENES.items():
                with self.subTest(scene=scene):
                    self.compare(scene, SOURCE / "examples" / scene, seconds, folder)

    def test_safe_contact(self):
        with tempfile.TemporaryDirectory(prefix="tactus-determinism-") as folder:
            path = pathlib.Path(folder) / "safe.tac"
            path.write_text(SAFE, encoding="utf-8")
            self.assertGreater(self.compare("safe.tac", path, 0.08, folder)["contact"]["kicks"], 0)


if __name__ == "__main__":
    unittest.main(verbosity=2)
