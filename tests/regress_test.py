#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Tactus authors
# SPDX-License-Identifier: MIT

"""tactus regress against the states that SOFA itself computed, at SOFA's own tolerances.

The scenes and states are SOFA's and not part of this project: they are read from sofa/ in the folder named by
TACTUS_SHARED, or in shared/ beside the sources. Where they are missing, only what needs none of them is tested.
"""

import gzip
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

BINARY = os.environ.get("TACTUS_BINARY")
SOURCE = pathlib.Path(os.environ.get("TACTUS_SOURCE") or pathlib.Path(__file__).resolve().parent.parent)
SHARED = pathlib.Path(os.environ.get("TACTUS_SHARED") or SOURCE.parent / "shared")
SOFA = SHARED / "sofa"
PATIENCE = 600  # s
SLOW = bool(os.environ.get("TACTUS_SANITIZE"))

# scene, SOFA's tolerance
PASSING = [
    ("Benchmark/Analysis/Pendulum.scn", 1e-4),
    ("Benchmark/Performance/MatrixAssembly/MatrixAssembly_matrixfreeCG.scn", 1e-4),
    ("Component/LinearSolver/Direct/FEMBAR_SparseLDLSolver.scn", 1e-8),
    ("Component/LinearSolver/Iterative/FEMBAR_CGLinearSolver.scn", 1e-8),
    ("Component/Mapping/NonLinear/DistanceMapping.scn", 1e-8),
    ("Component/ODESolver/Forward/EulerExplicitSolver_diagonal.scn", 1e-4),
    ("Component/ODESolver/Forward/RungeKutta4Solver.scn", 1e-4),
    ("Component/SolidMechanics/FEM/HexahedronFEMForceField.scn", 1e-4),
    ("Component/SolidMechanics/FEM/TetrahedralCorotationalFEMForceField.scn", 1e-4),
    ("Component/SolidMechanics/FEM/TetrahedronFEMForceField.scn", 1e-4),
    ("Component/SolidMechanics/FEM/TetrahedronHyperelasticityFEMForceField.scn", 1e-4),
    ("Component/SolidMechanics/Spring/FastTriangularBendingSprings.scn", 1e-4),
    ("Demos/chainHybrid.scn", 1e-2),
    ("Demos/liver.scn", 1e-4),
]

# bodies that touch: contacts multiply what is different, so these are held to bounds of ours: how far off they may be
TOUCHING = [
    ("Demos/chainHybrid.scn", 1e-4),
    ("Demos/collisionMultiple.scn", 4e-3),
    ("Component/SolidMechanics/Spring/MeshSpringForceField.scn", 1e-3),
]

FALLING = """<Node gravity="0 -10 0" dt="0.1"><EulerExplicitSolver/>
  <MechanicalObject name="p" position="0 1 0"/><UniformMass totalMass="1"/></Node>"""


def regress(*arguments):
    return subprocess.run([BINARY, "regress", *map(str, arguments)], capture_output=True, text=True, timeout=PATIENCE)


class Command(unittest.TestCase):
    """A point that falls by symplectic Euler: after n steps y = 1 - g h^2 n (n + 1) / 2."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.scene = pathlib.Path(self.folder.name) / "fall.scn"
        self.scene.write_text(FALLING)

    def tearDown(self):
        self.folder.cleanup()

    def reference(self, y, index=0, text=None):
        path = pathlib.Path(self.folder.name) / f"fall.scn.reference_{index}_p_mstate.txt.gz"
        with gzip.open(path, "wt") as out:
            out.write(text or f"T= 0\n  X= 0 1 0\nT= 0.4\n  X= 0 {y:.6g} 0\n")
        return path

    def test_the_error_is_sofas(self):
        y = 1 - 10 * 0.01 * 4 * 5 / 2
        self.assertEqual(regress(self.scene, self.reference(y)).returncode, 0)
        off = regress(self.scene, self.reference(y + 0.3), "--json")
        self.assertEqual(off.returncode, 1)
        self.assertAlmostEqual(json.loads(off.stdout)["error"], 0.1, places=9)
        self.assertEqual(regress(self.scene, self.reference(y + 0.3), "--tolerance", 0.2).returncode, 0)
        # the last frame lies behind the third step
        self.assertEqual(regress(self.scene, self.reference(y + 0.3), "--steps", 3).returncode, 0)

    def test_what_is_lacking_ends_with_3(self):
        self.scene.write_text(FALLING.replace("</Node>", "<JointSpringForceField/></Node>"))
        result = regress(self.scene, self.reference(0))
        self.assertEqual(result.returncode, 3)
        self.assertIn("JointSpringForceField", result.stderr)

    def test_references_that_do_not_fit(self):
        good = self.reference(0)
        self.assertEqual(regress(self.scene, good, self.reference(0, 1)).returncode, 3)
        self.assertEqual(regress(self.scene, self.reference(0, text="T= 0\n  X= 1 2\n")).returncode, 3)
        self.assertEqual(regress(self.scene, self.reference(0, text="nothing\n")).returncode, 3)
        self.assertEqual(regress(self.scene, self.folder.name + "/none.gz").returncode, 3)
        self.assertEqual(regress(self.scene).returncode, 2)


@unittest.skipUnless(SOFA.is_dir(), f"SOFA's scenes are not in {SOFA}")
class Scenes(unittest.TestCase):
    def test_scenes_agree_with_sofa(self):
        for name, tolerance in PASSING:
            if SLOW and "ODESolver" in name:
                continue
            scene = SOFA / "examples" / name
            references = sorted((SOFA / "references" / "examples" / name).parent.glob(scene.name + ".reference_*"))
            if not scene.exists() or not references:
                print(f"skipped: {name} is not there")
                continue
            with self.subTest(scene=name):
                result = regress(scene, *references, "--tolerance", tolerance, "--json")
                self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
                print(f"{name}: {json.loads(result.stdout)['error']:.3g}, tolerance {tolerance:g}")

    def test_bodies_touch_about_as_in_sofa(self):
        for name, bound in TOUCHING:
            scene = SOFA / "examples" / name
            references = sorted((SOFA / "references" / "examples" / name).parent.glob(scene.name + ".reference_*"))
            if not scene.exists() or not references:
                print(f"skipped: {name} is not there")
                continue
            with self.subTest(scene=name):
                result = regress(scene, *references, "--json")
                self.assertIn(result.returncode, (0, 1), result.stderr)
                self.assertLess(json.loads(result.stdout)["error"], bound)

    def test_a_fluid_agrees_with_sofa(self):
        folder = SOFA / "extra" / "SofaSphFluid"
        references = sorted(folder.glob("SPHFluidForceField.scn.reference_*"))
        if not references:
            self.skipTest("the fluid is not there")
        result = regress(folder / "SPHFluidForceField.scn", *references, "--json")
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)

    def test_every_scene_is_read_or_says_what_it_lacks(self):
        for scene in sorted(SOFA.rglob("*.scn")):
            with self.subTest(scene=scene.name):
                result = subprocess.run([BINARY, "check", scene], capture_output=True, text=True, timeout=PATIENCE)
                self.assertIn(result.returncode, (0, 3), result.stderr)
                if result.returncode == 3:
                    self.assertIn("error:", result.stderr)


if __name__ == "__main__":
    if not SOFA.is_dir():
        print(f"skipped: SOFA's scenes are not in {SOFA}")
    unittest.main(verbosity=2)
