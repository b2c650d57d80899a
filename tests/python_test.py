#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Tactus authors
# SPDX-License-Identifier: MIT

"""The Python package in python/: layouts against the C headers, arrays without copies, laws in Python, teardown.

ctest sets TACTUS_SOURCE and TACTUS_BUILD. Needs NumPy and build/libtactus.so, and says so where one is missing. Where
this Python has no NumPy but Debian's has, that one takes over. Under the address sanitizer the sanitizer's library is
loaded first.
"""

import contextlib
import ctypes
import gc
import io
import itertools
import math
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import threading
import unittest
import urllib.error
import urllib.request
import weakref

SOURCE = pathlib.Path(os.environ.get("TACTUS_SOURCE") or pathlib.Path(__file__).resolve().parent.parent)
BUILD = pathlib.Path(os.environ.get("TACTUS_BUILD") or SOURCE / "build")
LIBRARY = BUILD / "libtactus.so"
SANITIZE = os.environ.get("TACTUS_SANITIZE", "")
DEBIANS_PYTHON = "/usr/bin/python3"


def start_again(python, **variables):
    """Under another Python, or with other variables; at most twice."""
    times = os.environ.get("TACTUS_PYTHON_STARTED", "") + "+"
    environment = {**os.environ, **variables, "TACTUS_PYTHON_STARTED": times}
    if len(times) <= 2:
        os.execve(python, [python, "-B", __file__, *sys.argv[1:]], environment)


try:
    import numpy
except ImportError:
    numpy = None
    has = [DEBIANS_PYTHON, "-c", "import numpy"]
    if os.path.exists(DEBIANS_PYTHON) and subprocess.run(has, stderr=subprocess.DEVNULL).returncode == 0:
        start_again(DEBIANS_PYTHON)

MISSING = None
if numpy is None:
    MISSING = "NumPy is missing: ./setup.sh test installs python3-numpy"
elif not LIBRARY.is_file():
    MISSING = f"{LIBRARY} is missing: the target tactus_loadable makes it"
elif "address" in SANITIZE and "LD_PRELOAD" not in os.environ:
    found = subprocess.run(["gcc", "-print-file-name=libasan.so"], capture_output=True, text=True).stdout.strip()
    options = os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0"  # Python keeps things until the end
    start_again(sys.executable, LD_PRELOAD=found, ASAN_OPTIONS=options)

if MISSING is None:
    os.environ["TACTUS_LIBRARY"] = str(LIBRARY)
    sys.path.insert(0, str(SOURCE / "python"))
    sys.dont_write_bytecode = True
    import tactus
    from tactus import _c, collide
    from tactus._library import lib
else:
    raise unittest.SkipTest(MISSING) if __name__ != "__main__" else SystemExit(print(f"skipped: {MISSING}") or 0)

# Something that falls freely from 3 m.
FALLING = """<tactus version="1" dt="0.01" duration="1" gravity="0 ${-g} 0">
  <param name="g" default="10" doc="How strongly it falls, m/s^2."/>
  <Record fps="50" velocities="true"/>
  <node name="ball">
    <Points name="point" positions="0 3 0  1 3 0"/>
    <UniformMass mass="2"/>
  </node>
</tactus>
"""

# Two masses and a spring, and nothing else.
SPRING = """<tactus version="1" dt="0.001" gravity="0 0 0"><node name="n"><SymplecticEuler/>
  <Points name="points" positions="0 0 0 1.2 0 0"/><UniformMass mass="1"/>
  <Springs name="law" pairs="0 1" stiffness="50" lengths="1"/></node></tactus>"""

# One mass, for laws of one's own.
LONELY = """<tactus version="1" dt="0.0005" gravity="0 0 0"><node name="n"><{solver}/>
  <Points name="points" positions="1 0 0"/><UniformMass mass="1"/>{law}</node></tactus>"""


class Tether(tactus.Law):
    """A spring to the origin."""

    stiffness = tactus.Real(4.0, unit="N/m", range="positive", live=True)

    def force(self, x, v, f, context):
        f -= self.stiffness * x

    def force_change(self, x, d, f, k, b, context):
        f -= k * self.stiffness * d

    def energy(self, x, v, context):
        return 0.5 * self.stiffness * float((x**2).sum())


def lonely(law="<Tether/>", solver="SymplecticEuler", laws=(Tether,)):
    return tactus.parse(LONELY.format(law=law, solver=solver), laws=laws).world()


def address(array):
    return array.__array_interface__["data"][0]


class Layouts(unittest.TestCase):
    """The C declarations that Python believes in are those of the headers."""

    def test_made_from_the_headers_as_they_are(self):
        made = subprocess.run(
            [sys.executable, "-B", SOURCE / "python" / "bind.py", "--print"], capture_output=True, text=True, check=True
        )
        there = (SOURCE / "python" / "tactus" / "_c.py").read_text()
        self.assertEqual(made.stdout, there, "a public header changed: run python3 python/bind.py")

    def test_sizes_and_offsets_as_the_compiler_has_them(self):
        lines, expected = [], []
        for struct in _c.STRUCTS:
            if "_" in struct.__name__:  # has no name in C: seen through the struct it is in
                continue
            lines.append(f'printf("{struct.__name__} %zu\\n", sizeof({struct.__name__}));')
            expected.append(f"{struct.__name__} {ctypes.sizeof(struct)}")
            for path, offset, size in fields(struct):
                lines.append(
                    f'printf("{struct.__name__}.{path} %zu %zu\\n", offsetof({struct.__name__}, {path}),'
                    f"sizeof((({struct.__name__} *)0)->{path}));"
                )
                expected.append(f"{struct.__name__}.{path} {offset} {size}")
        for name in sorted(vars(_c)):
            if name.startswith("TAC_") and isinstance(getattr(_c, name), int):
                lines.append(f'printf("{name} %lld\\n", (long long){name});')
                expected.append(f"{name} {getattr(_c, name)}")
        self.assertGreater(len(expected), 500)
        text = "#include <stddef.h>\n#include <stdio.h>\n#include <tactus/tactus.h>\nint main(void) {\n"
        with tempfile.TemporaryDirectory() as folder:
            source = pathlib.Path(folder) / "layout.c"
            source.write_text(text + "\n".join(lines) + "\nreturn 0;\n}\n")
            program = pathlib.Path(folder) / "layout"
            include = f"-I{SOURCE / 'include'}"
            compiler = ["gcc", "-std=c17", "-O0", include, source, "-o", program]
            subprocess.run(compiler, check=True, env=plain_environment())
            told = subprocess.run([program], capture_output=True, text=True, check=True, env=plain_environment())
        self.assertEqual(told.stdout.split("\n")[:-1], expected)

    def test_every_function_is_there(self):
        for name in _c.FUNCTIONS:
            self.assertTrue(hasattr(lib, name), name)


def plain_environment():
    return {key: value for key, value in os.environ.items() if key != "LD_PRELOAD"}


def fields(struct, prefix="", start=0):
    """(path, offset, size) of all fields, those of nameless inner structs too."""
    for name, kind in struct._fields_:
        field = getattr(struct, name)
        yield prefix + name, start + field.offset, field.size
        inner = kind._type_ if isinstance(kind, type) and issubclass(kind, ctypes.Array) else kind
        if isinstance(inner, type) and issubclass(inner, (ctypes.Structure, ctypes.Union)) and "_" in inner.__name__:
            mark = "[0]" if inner is not kind else ""
            yield from fields(inner, f"{prefix}{name}{mark}.", start + field.offset)


class Scenes(unittest.TestCase):
    def test_file_text_and_parameters(self):
        scene = tactus.load(SOURCE / "examples/springs/chain.tac", links=5)
        self.assertEqual(scene.parameters["links"][0], "5")
        self.assertEqual(scene.world()["/chain/points"].count, 6)
        falling = tactus.parse(FALLING, g=2).world()
        falling.advance(1)
        self.assertAlmostEqual(falling["/ball/point"].positions[0, 1], 3 - 1, delta=1e-9)

    def test_built_by_calls_is_as_read(self):
        built = tactus.Scene()
        built.settings["dt"] = 0.001
        built.settings["gravity"] = (0, 0, 0)
        node = built.root.add_node("n")
        node.add("SymplecticEuler")
        points = node.add("Points", "points", positions=numpy.array([[0, 0, 0], [1.2, 0, 0]]))
        node.add("UniformMass", mass=1)
        law = node.add("Springs", "law", pairs=[[0, 1]], stiffness=50, lengths=[1.0], matter=points)
        self.assertEqual((law.path, law.class_name, points.node.path), ("/n/law", "Springs", "/n"))
        read = tactus.parse(SPRING)
        worlds = built.world(), read.world()
        for world in worlds:
            world.advance(0.5)
        self.assertEqual(worlds[0].hash, worlds[1].hash)
        again = tactus.parse(built.text()).world()
        again.advance(0.5)
        self.assertEqual(again.hash, worlds[0].hash)

    def test_looking_and_removing(self):
        scene = tactus.parse(SPRING)
        self.assertEqual([node.path for node in scene.nodes], ["/", "/n"])
        self.assertEqual(scene["/n/law"].class_name, "Springs")
        self.assertIn("Springs", scene.classes)
        self.assertIn("stiffness", scene.reference("Springs"))
        law = scene["/n/law"]
        law.remove()
        self.assertFalse(law.exists)
        self.assertIsNone(scene.find("/n/law"))
        with self.assertRaises(tactus.Error):
            law["stiffness"] = 3
        with self.assertRaises(KeyError):
            scene["/nowhere"]

    def test_what_a_failed_add_leaves(self):
        scene = tactus.Scene()
        with self.assertRaises(tactus.BadInput):
            scene.root.add("Points", "p", positoins=[0, 0, 0])
        self.assertIsNone(scene.find("/p"))

    def test_errors_say_where(self):
        with self.assertRaises(tactus.BadInput) as caught:
            tactus.parse('<tactus version="1">\n<node name="n"><Pionts/></node></tactus>')
        error = caught.exception
        self.assertEqual((error.file, error.line), ("scene.tac", 2))
        self.assertIn("Points", str(error))
        self.assertTrue(str(error).startswith("scene.tac:2:"))
        with self.assertRaises(tactus.BadInput):
            tactus.load("/nowhere/at/all.tac")
        with self.assertRaises(tactus.BadUsage):
            tactus.load("a\0b")

    def test_plugins(self):
        plugin = BUILD / "plugins" / "wind.so"
        if not plugin.is_file():
            self.skipTest(f"{plugin} is missing: the target plugins makes it")
        text = LONELY.format(solver="ImplicitEuler", law='<Wind velocity="3 0 0" drag="0.2"/>')
        scene = tactus.parse(text, plugins=[plugin])
        world = scene.world()
        scene.close()
        world.advance(1)
        self.assertAlmostEqual(world["/n/points"].velocities[0, 0], 3 * (1 - math.exp(-0.2)), delta=1e-3)


class Names(unittest.TestCase):
    def test_what_is_missing_names_what_is_nearest(self):
        scene = tactus.parse(FALLING)
        world = scene.world()
        for ask in (lambda: scene["/bal/point"], lambda: world["/bal/point"]):
            with self.assertRaises(tactus.Missing) as caught:
                ask()
            self.assertIsInstance(caught.exception, KeyError)
            self.assertIn("did you mean /ball/point?", str(caught.exception))

    def test_arguments_of_a_wrong_kind(self):
        world = tactus.parse(FALLING).world()
        with self.assertRaises(TypeError):
            world.advance("1")
        with self.assertRaises(TypeError):
            tactus.parse(FALLING, laws=[int])
        with self.assertRaises(tactus.BadUsage):
            tactus.parse(FALLING).world(threads=-1)
        for make in (lambda: collide.Convex.sphere(-1), lambda: collide.Convex.box((1, float("nan"), 1)),
                     lambda: collide.Convex.cone(1, float("inf"))):
            with self.assertRaises(tactus.BadUsage):
                make()


class States(unittest.TestCase):
    def test_no_copies(self):
        world = tactus.parse(FALLING).world()
        matter = world["/ball/point"]
        for of, function in (("positions", lib.tac_world_positions), ("velocities", lib.tac_world_velocities)):
            array = getattr(matter, of)
            inside = ctypes.cast(function(world._handle, matter._id), ctypes.c_void_p).value
            self.assertEqual(address(array), inside)
            self.assertEqual(address(getattr(matter, of)), inside)
            self.assertEqual(array.shape, (2, 3))
            self.assertFalse(array.flags.writeable)
            with self.assertRaises(ValueError):
                array[0, 0] = 1
            with self.assertRaises(ValueError):
                array.flags.writeable = True
            self.assertFalse(array.flags.owndata)

    def test_arrays_show_the_world_as_it_is(self):
        world = tactus.parse(FALLING).world()
        matter = world["/ball/point"]
        x, v = matter.positions, matter.velocities
        height = x[:, 1]  # views of views too
        world.advance(0.5)
        self.assertAlmostEqual(height[0], 3 - 5 * 0.25, delta=1e-9)
        self.assertAlmostEqual(v[1, 1], -5, delta=1e-9)
        data = world.save()
        world.advance_beats(10)
        self.assertAlmostEqual(world.time, 0.6, delta=1e-12)
        self.assertAlmostEqual(x[0, 1], 3 - 5 * 0.36, delta=1e-9)
        world.restore(data)
        self.assertAlmostEqual(x[0, 1], 3 - 5 * 0.25, delta=1e-9)
        matter.set_state(positions=numpy.zeros((2, 3)))
        self.assertTrue((x == 0).all())

    def test_looking_changes_nothing(self):
        looked, plain = tactus.parse(SPRING).world(), tactus.parse(SPRING).world()
        x = looked["/n/points"].positions
        for _ in range(100):
            looked.advance_beats(1)
        plain.advance_beats(100)
        self.assertEqual(looked.hash, plain.hash)
        self.assertTrue((x == plain["/n/points"].positions).all())

    def test_set_state(self):
        world = tactus.parse(FALLING).world()
        matter = world["/ball/point"]
        world.advance(0.3)
        matter.positions = [[0, 100, 0], [5, 100, 0]]
        matter.velocities = numpy.float32([[1, 0, 0], [0, 2, 0]])
        world.advance(0.2)
        numpy.testing.assert_allclose(matter.positions, [[0.2, 99.8, 0], [5, 100.2, 0]], atol=1e-9)
        with self.assertRaises(tactus.BadUsage):
            matter.positions = [1, 2, 3]
        with self.assertRaises(tactus.Error):
            matter.positions = numpy.full((2, 3), math.nan)

    def test_attributes_while_time_runs(self):
        world = tactus.parse(SPRING).world()
        law = world["/n/law"]
        self.assertEqual(float(law["stiffness"]), 50)
        with self.assertRaises(tactus.BadUsage):
            law["pairs"] = "0 1"
        with self.assertRaises(KeyError):
            law["nothing"]
        with self.assertRaises(KeyError):
            world["/nobody"]

    def test_measures(self):
        world = tactus.parse(SPRING).world()
        self.assertAlmostEqual(world.energy.elastic, 0.5 * 50 * 0.2**2, delta=1e-12)
        # at rest length no kick is on its way
        world["/n/points"].set_state([[0, 0, 0], [1, 0, 0]], [[1, 0, 0], [0, 2, 0]])
        numpy.testing.assert_allclose(world.momentum.linear, [1, 2, 0], atol=1e-12)
        numpy.testing.assert_allclose(world.momentum.angular, [0, 0, 2], atol=1e-12)
        self.assertAlmostEqual(world.energy.kinetic, 2.5, delta=1e-12)
        world.advance(0.1)
        self.assertEqual(world.agents[0].solver, "SymplecticEuler")
        self.assertEqual(world.stats.points, 2)
        numpy.testing.assert_allclose(world.momentum.linear, [1, 2, 0], atol=1e-12)
        margin = world.margins()[0]
        self.assertEqual((margin.matter.path, margin.stiffness, margin.mass), ("/n/points", 100, 1))
        # two masses of 1 kg on 50 N/m: forces at the last kick are the spring's
        self.assertAlmostEqual(world["/n/points"].forces[0, 0], -world["/n/points"].forces[1, 0], delta=1e-12)

    def test_save_and_restore_gives_the_same_bits(self):
        world = tactus.parse(SPRING).world()
        world.advance(0.2)
        data = bytes(world.save())
        world.advance(0.2)
        end = world.hash
        other = tactus.parse(SPRING).world(threads=2)
        other.restore(data)
        other.advance(0.2)
        self.assertEqual(other.hash, end)
        with self.assertRaises(tactus.Error):
            other.restore(data[:-1])
        with self.assertRaises(tactus.Error):
            other.restore(b"")

    def test_hands_and_pins(self):
        world = tactus.parse(FALLING, g=0).world()
        matter = world["/ball/point"]
        self.assertIsNone(world.hand_force())
        world.grab(matter, 0, target=(0, 4, 0), strength=50)
        force, place = world.hand_force()
        numpy.testing.assert_allclose(force, [0, 50, 0], atol=1e-9)
        numpy.testing.assert_allclose(place, [0, 3, 0], atol=1e-9)
        world.pin(matter, 1)
        world.advance(5)
        numpy.testing.assert_allclose(matter.positions, [[0, 4, 0], [1, 3, 0]], atol=1e-3)
        world.release(velocity=(1, 0, 0))
        world.unpin(matter, 1)
        world.advance(1)
        self.assertAlmostEqual(matter.positions[0, 0], 1, delta=1e-6)
        self.assertEqual([i.kind for i in world.inputs], ["grab", "pin", "release", "unpin"])
        self.assertEqual(world.inputs[0].component, "/ball/point")
        with self.assertRaises(tactus.BadUsage):
            world.pin(matter, -1)
        with self.assertRaises(tactus.Error):
            world.pin(matter, 2)

    def test_contact_events(self):
        ball = (
            "<node name='{0}'><SymplecticEuler/><Frames translation='{1} 0 0' velocities='{2} 0 0 0 0 0'/>"
            "<UniformMass/><Shape name='shape' shape='sphere' radius='0.1' material='@/m'/></node>"
        )
        world = tactus.parse(
            "<tactus version='1' dt='0.001' gravity='0 0 0'><ContactMaterial name='m' restitution='1'/>"
            + ball.format("a", 0, 1)
            + ball.format("b", 0.5, 0)
            + "</tactus>"
        ).world()
        world.advance(1)
        begins, ends = world.events()
        self.assertEqual((begins.kind, ends.kind), ("begins", "ends"))
        self.assertEqual({begins.model_a, begins.model_b}, {"/a/shape", "/b/shape"})
        self.assertAlmostEqual(begins.time, 0.3, delta=0.01)
        self.assertAlmostEqual(abs(begins.normal[0]), 1, delta=1e-9)
        self.assertAlmostEqual(ends.impulse, 1, delta=0.05)  # equal masses swap 1 m/s of 1 kg
        self.assertEqual(world.events(), [])
        self.assertEqual(world.contact_count, 0)
        self.assertAlmostEqual(world.contact_table[0].restitution, 1)

    def test_safe_contact_and_audit(self):
        world = tactus.parse(
            "<tactus version='1' dt='0.01'><Contact thickness='0.01'/>"
            "<node name='floor'><Sheet divisions='1' width='3' depth='3'/><Points/><Skin/></node>"
            "<node name='n'><Sheet divisions='2' split='true' translation='0 0.05 0'/><Points name='points'/>"
            "<UniformMass mass='0.01'/><MeshSprings triangles='3'/><Skin/></node></tactus>"
        ).world()
        self.assertFalse(world.audit_summary.audited)
        world.audit()
        world.advance(0.2)
        summary = world.audit_summary
        self.assertTrue(summary.audited)
        self.assertEqual((summary.violations, world.violations), (0, []))
        self.assertGreater(summary.questions, 0)
        self.assertGreater(world.contact_stats.kicks, 0)
        self.assertTrue(0 < world.contact_stats.closest < 0.01)
        with self.assertRaises(tactus.Error):
            tactus.parse(SPRING).world().audit()

    def test_ctrl_c_ends_an_advance(self):
        world = tactus.parse(SPRING).world()

        threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGINT)).start()
        with self.assertRaises(KeyboardInterrupt):
            world.advance(1e4)
        self.assertIs(signal.getsignal(signal.SIGINT), signal.default_int_handler)
        reached = world.time
        self.assertTrue(0 < reached < 1e4)
        world.advance(0.01)
        self.assertAlmostEqual(world.time, reached + 0.01, delta=0.002)

    def test_ctrl_c_loses_no_force(self):
        world, plain = lonely(), lonely()
        threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGINT)).start()
        with self.assertRaises(KeyboardInterrupt):
            world.advance(1e3)
        plain.advance(world.time)
        self.assertEqual((world.tick, world.hash), (plain.tick, plain.hash))

    def test_two_worlds_in_two_threads(self):
        alone = lonely()
        alone.advance(1)
        worlds = [lonely() for _ in range(2)]
        threads = [threading.Thread(target=world.advance, args=(1,)) for world in worlds]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual({world.hash for world in worlds}, {alone.hash})


class Laws(unittest.TestCase):
    def test_oscillator(self):
        world = lonely()
        world.advance(1)
        self.assertAlmostEqual(world["/n/points"].positions[0, 0], math.cos(2), delta=1e-3)
        self.assertAlmostEqual(world.energy.total, 2, delta=2e-3)
        self.assertAlmostEqual(world.energy.elastic, 2 * math.cos(2) ** 2, delta=5e-3)

    def test_same_bits_as_any_law(self):
        first, second = lonely(), lonely()
        first.advance(0.3)
        data = first.save()
        first.advance(0.3)
        second.restore(data)
        second.advance(0.3)
        self.assertEqual(first.hash, second.hash)

    def test_any_number_of_threads(self):
        text = LONELY.format(law="<Tether/>", solver="SymplecticEuler")
        nodes = "".join(text[text.index("<node") : text.index("</tactus>")].replace('"n"', f'"n{i}"') for i in range(6))
        whole = text[: text.index("<node")] + nodes + "</tactus>"
        hashes = set()
        for threads in (1, 2, 4):
            world = tactus.parse(whole, laws=[Tether]).world(threads=threads)
            world.advance(0.1)
            hashes.add(world.hash)
        self.assertEqual(len(hashes), 1)

    def test_implicit(self):
        # stiff: only an implicit solver that knows how the force changes survives this step
        text = LONELY.replace('dt="0.0005"', 'dt="0.05"')
        text = text.format(law='<Tether stiffness="1e6"/>', solver="ImplicitEuler")
        world = tactus.parse(text, laws=[Tether]).world()
        world.advance(1)
        self.assertLess(abs(world["/n/points"].positions[0, 0]), 1e-3)

    def test_attributes(self):
        world = lonely('<Tether name="t" stiffness="9"/>')
        world.advance(0.5)
        self.assertAlmostEqual(world["/n/points"].positions[0, 0], math.cos(1.5), delta=1e-3)
        world["/n/t"]["stiffness"] = 1e-9  # live: from here on it flies
        speed = world["/n/points"].velocities[0, 0]
        world.advance(1)
        self.assertAlmostEqual(world["/n/points"].positions[0, 0], math.cos(1.5) + speed, delta=2e-3)
        with self.assertRaises(tactus.BadInput) as caught:
            lonely('<Tether stifness="9"/>')
        self.assertIn("stiffness", str(caught.exception))
        with self.assertRaises(tactus.BadInput):
            lonely('<Tether stiffness="-1"/>')

    def test_all_kinds_of_attributes(self):
        seen = {}

        class Curious(tactus.Law):
            count_of = tactus.Int(3)
            yes = tactus.Bool(True)
            word = tactus.Text("hello")
            way = tactus.Vector((1, 2, 3))
            numbers = tactus.Reals([0.5, 1.5])
            indices = tactus.Ints()
            strength = tactus.Real()

            def start(self):
                seen.update(n=self.count_of, yes=self.yes, word=self.word, way=self.way.tolist(), path=self.path,
                            numbers=self.numbers.tolist(), indices=self.indices.tolist(), strength=self.strength,
                            rest=self.rest().tolist(), points=self.count())  # fmt: skip

            def force(self, x, v, f, context):
                seen["context"] = (context.time, context.step)
                seen["shapes"] = (x.shape, v.shape, f.shape)

        world = lonely('<Curious name="c" indices="1 2" strength="7"/>', laws=[Curious])
        world.advance(0.01)
        self.assertEqual(seen, {"n": 3, "yes": True, "word": "hello", "way": [1, 2, 3], "numbers": [0.5, 1.5],
                                "indices": [1, 2], "strength": 7, "path": "/n/c", "rest": [[1, 0, 0]], "points": 1,
                                "context": seen["context"], "shapes": ((1, 3),) * 3})  # fmt: skip
        self.assertEqual(seen["context"][1], world.agents[0].step)
        with self.assertRaises(tactus.BadInput):
            lonely('<Curious indices="1"/>', laws=[Curious])  # strength must be given

    def test_between_two_matters(self):
        class Attraction(tactus.Law):
            pair = True

            def force(self, x, v, f, context):
                f[0] += x[1] - x[0]
                f[1] -= x[1] - x[0]

        scene = tactus.Scene()
        scene.settings["gravity"], scene.settings["dt"] = (0, 0, 0), 0.001
        scene.root.add("SymplecticEuler")
        made = []
        for i in range(2):
            node = scene.root.add_node(f"n{i}")
            made.append(node.add("Points", "points", positions=[float(i), 0, 0]))
            node.add("UniformMass", mass=1)
        scene.root.add(Attraction, matter=made[0], other=made[1])
        world = scene.world()
        world.advance(1)
        # the reduced mass is 1/2: w = sqrt(2)
        gap = world["/n1/points"].positions[0, 0] - world["/n0/points"].positions[0, 0]
        self.assertAlmostEqual(gap, math.cos(math.sqrt(2)), delta=2e-3)
        numpy.testing.assert_allclose(world.momentum.linear, 0, atol=1e-12)

    def test_on_frames(self):
        class Push(tactus.Law):
            kinds = ("Rigid3",)

            def force(self, x, v, f, context):
                assert (x.shape, v.shape, f.shape) == ((1, 7), (1, 6), (1, 6))
                f += [4, 0, 0, 0, 0, 0]

        text = "<tactus version='1' dt='0.001' gravity='0 0 0'><node name='n'><SymplecticEuler/><Frames name='frames'/>"
        world = tactus.parse(text + "<UniformMass mass='2'/><Push/></node></tactus>", laws=[Push]).world()
        world.advance(1)
        self.assertAlmostEqual(world["/n/frames"].velocities[0, 0], 2, delta=5e-3)
        self.assertAlmostEqual(world["/n/frames"].positions[0, 0], 1, delta=5e-3)
        with self.assertRaises(tactus.BadInput):
            lonely("<Push/>", laws=[Push])  # not on points

    def test_no_copies(self):
        addresses = []

        class Looker(tactus.Law):
            def force(self, x, v, f, context):
                addresses.append((address(x), address(f), x.flags.writeable, f.flags.writeable))

        world = lonely("<Looker/>", laws=[Looker])
        world.advance(0.01)
        self.assertEqual(len(set(addresses)), 1)
        self.assertEqual(addresses[0][2:], (False, True))
        self.assertEqual(address(world["/n/points"].forces), addresses[0][1])

    def test_exceptions_reach_whoever_advances(self):
        class Breaks(tactus.Law):
            def force(self, x, v, f, context):
                if context.time > 0.1:
                    raise ZeroDivisionError("on purpose")
                f -= 4 * x

        world = lonely("<Breaks/>", laws=[Breaks])
        world.advance(0.05)
        data = world.save()
        with self.assertRaises(tactus.LawFailed) as caught:
            world.advance(1)
        self.assertIsInstance(caught.exception.__cause__, ZeroDivisionError)
        self.assertLess(world.time, 0.11)  # stopped there, not at the end
        with self.assertRaises(tactus.RunFailed):
            world.advance(1)
        world.restore(data)
        world.advance(0.04)
        self.assertAlmostEqual(world["/n/points"].positions[0, 0], math.cos(2 * 0.09), delta=1e-3)

    def test_exceptions_in_energy(self):
        class Dark(tactus.Law):
            def force(self, x, v, f, context):
                pass

            def energy(self, x, v, context):
                return "nothing"

        world = lonely("<Dark/>", laws=[Dark])
        for look in (lambda: world.energy, world.frame):
            with self.assertRaises(tactus.LawFailed):
                look()
        world.advance(0.1)  # forces are not concerned
        self.assertAlmostEqual(world.time, 0.1, delta=1e-9)

    def test_scenes_can_be_refused(self):
        class Picky(tactus.Law):
            def start(self):
                raise ValueError("not with me")

            def force(self, x, v, f, context):
                pass

        with self.assertRaises(tactus.BadInput) as caught:
            lonely("<Picky/>", laws=[Picky])
        self.assertIn("not with me", str(caught.exception))

    def test_classes_that_make_no_sense(self):
        class Idle(tactus.Law):
            pass

        class Odd(tactus.Law):
            kinds = ("Vec9",)

            def force(self, x, v, f, context):
                pass

        class Springs(tactus.Law):
            def force(self, x, v, f, context):
                pass

        class Taken(tactus.Law):
            path = tactus.Text("")

            def force(self, x, v, f, context):
                pass

        for law in (Idle, Odd, Springs, Taken, tactus.Law):
            with self.assertRaises(tactus.Error, msg=law):
                tactus.Scene(laws=[law])

    def test_nothing_is_left_of_a_world(self):
        world = lonely()
        world.advance(0.01)
        self.assertTrue(Tether._made.laws)
        laws = [weakref.ref(law) for law in Tether._made.laws.values()]
        del world
        gc.collect()
        self.assertTrue(all(law() is None for law in laws))


class Recordings(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = os.path.join(folder.name, "run.tacrec")

    def record(self):
        world = tactus.parse(FALLING).world()
        world.record(self.path)
        return tactus.Recording(self.path)

    def test_frames_and_channels(self):
        recording = self.record()
        self.assertEqual(len(recording), 51)
        numpy.testing.assert_allclose(recording.times, numpy.arange(51) / 50, atol=1e-12)
        for frame in recording:
            self.assertAlmostEqual(frame["/ball/point"].positions[1, 1], 3 - 5 * frame.time**2, delta=1e-5)
            self.assertAlmostEqual(frame["/ball/point"].velocities[1, 1], -10 * frame.time, delta=1e-5)
        kinetic = recording.channel("energy/kinetic")
        numpy.testing.assert_allclose(kinetic, 0.5 * 4 * (10 * recording.times) ** 2, rtol=1e-6, atol=1e-6)
        self.assertEqual(recording.channels["energy/kinetic"], "J")
        self.assertEqual(recording.tracks["/ball/point"].kind, "Vec3")
        self.assertEqual(recording.positions("/ball/point").shape, (51, 2, 3))
        self.assertIsNone(recording.damage)
        self.assertEqual(recording[-1].time, 1)
        with self.assertRaises(IndexError):
            recording[51]

    def test_frames_without_copies_that_never_change(self):
        recording = self.record()
        first = recording[0]
        x = first["/ball/point"].positions
        self.assertFalse(x.flags.owndata)
        held = [recording[i] for i in range(51)]
        for i, frame in enumerate(held):
            self.assertAlmostEqual(frame["/ball/point"].positions[0, 1], 3 - 5 * (i / 50) ** 2, delta=1e-5)
        self.assertEqual(x[0, 1], 3)
        recording.close()
        del recording, first, held
        gc.collect()
        self.assertEqual(x[0, 1], 3)

    def test_recorder(self):
        world = tactus.parse(FALLING).world()
        with world.recorder(self.path) as recorder:
            for _ in world.frames(fps=10, seconds=0.5):
                recorder.frame()
            self.assertGreater(recorder.bytes, 100)
        with self.assertRaises(tactus.Closed):
            recorder.frame()
        self.assertEqual(len(tactus.Recording(self.path)), 6)
        frame = world.frame()
        self.assertEqual(address(frame["/ball/point"].positions), address(world["/ball/point"].positions))
        self.assertAlmostEqual(frame.channels["energy/kinetic"], 0.5 * 4 * 25, delta=1e-6)

    def test_what_is_made_of_them(self):
        recording = self.record()
        for name in ("out.csv", "out.obj"):
            recording.export(os.path.join(os.path.dirname(self.path), name))
        recording.plot("energy", self.path + ".png", width=300, height=200)
        recording.render(self.path + "-2.png", width=64, height=48, at=0.5)
        for name in (".png", "-2.png"):
            self.assertEqual(pathlib.Path(self.path + name).read_bytes()[1:4], b"PNG")
        with self.assertRaises(TypeError):
            recording.render("x.png", widht=3)
        same = recording.compare(tactus.Recording(self.path))
        self.assertTrue(same.same)
        self.assertEqual(same.tracks["/ball/point"].largest, 0)

    def test_bad_files(self):
        pathlib.Path(self.path).write_bytes(b"nothing of the kind" * 100)
        with self.assertRaises(tactus.BadInput):
            tactus.Recording(self.path)
        with self.assertRaises(tactus.Error):
            tactus.Recording("/nowhere/at/all.tacrec")
        with self.assertRaises(tactus.Error):
            tactus.parse(FALLING).world().recorder("/nowhere/at/all.tacrec")


class Meshes(unittest.TestCase):
    def test_generators_and_measures(self):
        box = tactus.Mesh.box(2, (0, 0, 0), (1, 2, 3))
        self.assertAlmostEqual(box.volume, 6, delta=1e-12)
        low, high = box.bounds
        self.assertEqual((low.tolist(), high.tolist()), ([0, 0, 0], [1, 2, 3]))
        ball = tactus.Mesh.icosphere(4, 1)
        self.assertAlmostEqual(ball.volume, 4 / 3 * math.pi, delta=0.02)
        # Euler: V - E + F = 2
        self.assertEqual(len(ball.points) - len(ball.all_edges()) + len(ball.surface()), 2)
        solid = tactus.Mesh.grid((3, 3, 3), (0, 0, 0), (1, 1, 1))
        self.assertEqual((solid.hexahedra.shape, len(solid.tetrahedra)), ((8, 8), 0))
        for mesh in (tactus.Mesh.torus(), tactus.Mesh.capsule(), tactus.Mesh.cylinder(), tactus.Mesh.sheet(),
                     tactus.Mesh.line(3, (0, 0, 0), (1, 0, 0)), tactus.Mesh.ball(), tactus.Mesh.knot(),
                     tactus.Mesh.nail_bed(2, 2, 0.1, 0.01, 0.1),
                     tactus.Mesh.ribbon([[0, 0, 0], [1, 0, 0]], 0, 2, 0.1)):  # fmt: skip
            mesh.validate()
            self.assertGreater(len(mesh.points), 0)
            self.assertEqual(len(mesh.intersections()), 0)
        with self.assertRaises(tactus.Error):
            tactus.Mesh.icosphere(99)

    def test_no_copies(self):
        mesh = tactus.Mesh.box(1, (0, 0, 0), (1, 1, 1))
        points = mesh.points
        self.assertEqual(address(points), ctypes.cast(mesh._handle.mesh.points, ctypes.c_void_p).value)
        points *= 2
        self.assertAlmostEqual(mesh.volume, 8, delta=1e-12)
        triangles = mesh.triangles
        triangles[...] = triangles[:, ::-1].copy()
        self.assertAlmostEqual(mesh.volume, -8, delta=1e-12)

    def test_indices_that_lead_nowhere(self):
        mesh = tactus.Mesh.box(1)
        mesh.triangles[0, 0] = 2**30
        with tempfile.TemporaryDirectory() as folder:
            for ask in (lambda: mesh.volume, mesh.surface, mesh.all_edges, mesh.intersections, mesh.weld, mesh.split,
                        lambda: mesh.write(os.path.join(folder, "a.obj"))):  # fmt: skip
                self.assertRaises(tactus.Error, ask)
        mesh.triangles[0, 0] = 0
        self.assertGreater(len(mesh.surface()), 0)

    def test_arrays_outlive_what_replaces_them(self):
        mesh = tactus.Mesh.grid((2, 2, 2), (0, 0, 0), (1, 1, 1))
        before = mesh.hexahedra
        mesh.split()
        self.assertEqual((before.shape, mesh.tetrahedra.shape), ((1, 8), (6, 4)))
        copy = before.copy()
        mesh.close()
        gc.collect()
        self.assertTrue((before == copy).all())
        with self.assertRaises(tactus.Closed):
            mesh.points

    def test_from_arrays_and_files(self):
        points = numpy.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1.0]])
        mesh = tactus.Mesh(points, tetrahedra=[[0, 1, 2, 3]])
        self.assertAlmostEqual(mesh.volume, 1 / 6, delta=1e-15)
        mesh.transform(scale=(2, 2, 2), translation=(1, 0, 0))
        self.assertAlmostEqual(mesh.volume, 8 / 6, delta=1e-12)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "mesh.vtu")
            mesh.write(path)
            again = tactus.Mesh.read(path)
        numpy.testing.assert_array_equal(again.points, mesh.points)
        numpy.testing.assert_array_equal(again.tetrahedra, mesh.tetrahedra)
        parsed = tactus.Mesh.parse("a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
        self.assertEqual(parsed.triangles.tolist(), [[0, 1, 2]])
        for bad in ({"triangles": [[0, 1, 9]]}, {"triangles": [0, 1]}, {"pentagons": [0]}, {"edges": [0.5, 1]},
                    {"edges": [0, 2**40]}):  # fmt: skip
            with self.assertRaises(tactus.Error, msg=bad):
                tactus.Mesh(points, **bad)


class Collisions(unittest.TestCase):
    def test_convex(self):
        ball, box = collide.Convex.sphere(1), collide.Convex.box((1, 1, 1))
        far = collide.distance(ball, box, (-4, 0, 0), (0, 0, 0))
        self.assertAlmostEqual(far.distance, 2, delta=1e-9)
        numpy.testing.assert_allclose(far.normal, [1, 0, 0], atol=1e-9)
        numpy.testing.assert_allclose(far.point_b, [-1, 0, 0], atol=1e-9)
        cache = collide.Cache()
        self.assertTrue(collide.separated(ball, box, (-4, 0, 0), None, cache))
        self.assertFalse(collide.separated(ball, box, (-1, 0, 0), None, cache))
        deep = collide.penetration(box, box, None, (1.5, 0, 0))
        self.assertAlmostEqual(deep.depth, 0.5, delta=1e-9)
        touch = collide.contacts(box, box, None, (0, 1.9, 0))
        self.assertEqual((touch.state, len(touch.contacts)), ("overlapping", 4))
        self.assertAlmostEqual(touch.contacts[0].depth, 0.1, delta=1e-9)
        hit = collide.cast(ball, ball, (-4, 0, 0), (4, 0, 0), motion_a=(6, 0, 0), motion_b=(-6, 0, 0))
        self.assertAlmostEqual(hit.fraction, 0.5, delta=1e-9)
        self.assertAlmostEqual(collide.ray(ball, (-3, 0, 0), (4, 0, 0)).fraction, 0.5, delta=1e-9)
        turned = collide.Pose((0, 0, 0), (0, 0, math.sin(math.pi / 8), math.cos(math.pi / 8)))  # 45 degrees about z
        self.assertAlmostEqual(collide.distance(box, ball, turned, (4, 0, 0)).distance, 3 - math.sqrt(2), delta=1e-9)
        hull = collide.Convex.hull(numpy.array(list(itertools.product((-1, 1), repeat=3))))
        self.assertEqual(len(hull.vertices), 8)
        gc.collect()
        self.assertAlmostEqual(collide.distance(ball, hull, (-4, 0, 0)).distance, 2, delta=1e-9)

    def test_certain_answers(self):
        triangle = [[-1, 0, -1], [2, 0, -1], [-1, 0, 2]]
        through = collide.point_triangle([[0, 1, 0]] + triangle, [[0, -1, 0]] + triangle)
        self.assertEqual(through.state, "hit")
        self.assertTrue(through.t0 <= 0.5 <= through.t1)
        beside = collide.point_triangle([[5, 1, 0]] + triangle, [[5, -1, 0]] + triangle)
        self.assertEqual(beside.state, "clear")
        thick = collide.point_triangle([[0, 1, 0]] + triangle, [[0, 0, 0]] + triangle, thickness=0.25)
        self.assertTrue(thick.t0 <= 0.75 <= thick.t1 + 1e-9)
        edges = collide.edge_edge(
            [[-1, 1, 0], [1, 1, 0], [0, 0, -1], [0, 0, 1]], [[-1, -1, 0], [1, -1, 0], [0, 0, -1], [0, 0, 1]]
        )
        self.assertEqual(edges.state, "hit")
        self.assertEqual(collide.orient((0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)), 1)
        self.assertTrue(collide.triangles_meet(triangle, [[0, -1, 0], [0, 1, 0], [0.1, 1, 0]]))
        self.assertFalse(collide.triangles_meet(triangle, [[0, 0.5, 0], [0, 1, 0], [0.1, 1, 0]]))
        points = numpy.array(triangle + [[0, -1, 0], [0, 1, 0], [0.1, 1, 0]])
        self.assertEqual(collide.meetings(points, [[0, 1, 2], [3, 4, 5]]).tolist(), [[0, 1]])
        with self.assertRaises(tactus.BadUsage):
            collide.meetings(points, [[0, 1, 77]])
        with self.assertRaises(tactus.BadUsage):
            collide.point_triangle([[0, 0, 0]], triangle)


class Views(unittest.TestCase):
    def get(self, address):
        # straight to the machine, whatever the environment says about proxies
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(address, timeout=30) as answer:
            return answer.status, answer.read()

    def test_serves_a_scene_with_a_law_in_python(self):
        scene = tactus.parse(LONELY.format(law="<Tether/>", solver="SymplecticEuler"), laws=[Tether])
        with tempfile.TemporaryDirectory() as folder:
            before = os.getcwd()
            os.chdir(folder)
            try:
                with tactus.View(scene) as shown:
                    scene.close()
                    self.assertTrue(shown.running)
                    status, page = self.get(shown.address)
                    self.assertEqual(status, 200)
                    self.assertIn(b"<html", page.lower())
                    with self.assertRaises(urllib.error.HTTPError):
                        self.get(shown.address[:-4] + "0000")
                self.assertFalse(shown.running)
                self.assertEqual(os.listdir("."), [])
            finally:
                os.chdir(before)
        shown.close()
        with self.assertRaises(tactus.Closed):
            shown.address

    def test_files_and_refusals(self):
        with tactus.View(SOURCE / "examples/springs/chain.tac", paused=True) as shown:
            self.assertEqual(self.get(shown.address)[0], 200)
        with self.assertRaises(tactus.BadInput):
            tactus.View("/nowhere/at/all.tac")


class Teardown(unittest.TestCase):
    """Whatever goes first: no crash, and what is closed says so."""

    def make(self, folder):
        scene = tactus.parse(FALLING.replace("</node>", "<Tether/></node>"), laws=[Tether])
        world = scene.world()
        matter = world["/ball/point"]
        recorder = world.recorder(os.path.join(folder, "run.tacrec"))
        recorder.frame()
        return {"scene": scene, "world": world, "matter": matter, "array": matter.positions, "recorder": recorder,
                "frame": world.frame(), "component": scene["/ball/point"]}  # fmt: skip

    def test_any_order(self):
        with tempfile.TemporaryDirectory() as folder:
            names = list(self.make(folder))
            for order in itertools.permutations(names, 3):
                parts = self.make(folder)
                for name in order:
                    del parts[name]
                if "world" in parts:
                    parts["world"].advance_beats(1)
                if "array" in parts:
                    self.assertEqual(parts["array"].shape, (2, 3))
                parts.clear()
            gc.collect()

    def test_closing_in_any_order(self):
        with tempfile.TemporaryDirectory() as folder:
            for order in itertools.permutations(("scene", "world", "recorder")):
                parts = self.make(folder)
                for name in order:
                    parts[name].close()
                    parts[name].close()
                self.assertEqual(parts["array"][0, 1], 3)
                for bad in (
                    lambda: parts["world"].advance(1),
                    lambda: parts["world"].time,
                    lambda: parts["matter"].positions,
                    lambda: parts["matter"].set_state([[0] * 3] * 2),
                    lambda: parts["scene"].world(),
                    lambda: parts["component"].name,
                    lambda: parts["recorder"].frame(),
                ):
                    self.assertRaises(tactus.Closed, bad)

    def test_worlds_are_given_back(self):
        world = tactus.parse(FALLING).world()
        handle = weakref.ref(world._handle)
        array = world["/ball/point"].positions
        world.close()
        del world
        gc.collect()
        self.assertIsNotNone(handle())  # somebody looks
        del array
        gc.collect()
        self.assertIsNone(handle())

    def test_the_end_of_the_program(self):
        # everything alive, a view running, and out
        program = (
            "import tactus\n"
            "class Pull(tactus.Law):\n"
            "    def force(self, x, v, f, context): f -= x\n"
            f"scene = tactus.parse({LONELY.format(law='<Pull/>', solver='SymplecticEuler')!r}, laws=[Pull])\n"
            "world = scene.world(); x = world.matter[0].positions; world.advance(0.1)\n"
            "view = tactus.view(scene)\n"
            "mesh = tactus.Mesh.box(); p = mesh.points\n"
            "print('out')\n"
        )
        environment = {**os.environ, "PYTHONPATH": str(SOURCE / "python")}
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run(
                [sys.executable, "-B", "-c", program],
                capture_output=True,
                text=True,
                env=environment,
                cwd=folder,
                timeout=120,
            )
            self.assertEqual(os.listdir(folder), [])
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(done.stdout.startswith("http://127.0.0.1:"))
        self.assertTrue(done.stdout.endswith("out\n"))
        self.assertEqual(done.stderr, "")


class Examples(unittest.TestCase):
    def test_they_run(self):
        examples = sorted((SOURCE / "python" / "examples").glob("*.py"))
        self.assertTrue(examples)
        environment = {**os.environ, "PYTHONPATH": str(SOURCE / "python")}
        for example in examples:
            with tempfile.TemporaryDirectory() as folder:
                command = [sys.executable, "-B", example]
                done = subprocess.run(
                    command, capture_output=True, text=True, env=environment, cwd=folder, timeout=120
                )
                self.assertEqual(done.returncode, 0, done.stderr)

    def test_the_guide(self):
        """Every piece of Python in docs/python.md, one after the other, in a folder with what it speaks of."""
        pieces = re.findall(r"```python\n(.*?)```", (SOURCE / "docs" / "python.md").read_text(), re.DOTALL)
        self.assertGreaterEqual(len(pieces), 5)
        names = {"start": [[5.0, 1, 0], [0, 0, 0], [1, 0, 0], [0, 0, 1]]}
        names["end"] = [[5.0, -1, 0]] + names["start"][1:]
        cloth = LONELY.format(law='<Air name="a"/>', solver="SymplecticEuler").replace('name="n"', 'name="cloth"')
        before = os.getcwd()
        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()) as said:
            os.chdir(folder)
            try:
                os.symlink(SOURCE / "examples", "examples")
                pathlib.Path("scene.tac").write_text(cloth)
                recorded = tactus.parse(cloth.replace('<Air name="a"/>', "")).world()
                recorded.record("run.tacrec", fps=20, seconds=1)
                for piece in pieces:
                    exec(compile(piece, "docs/python.md", "exec"), names)
                self.assertEqual(names["x"].shape, (13, 3))
                names["scene"].world().advance(0.01)
                self.assertTrue(os.path.exists("ball.vtu") and os.path.exists("run.png"))
            finally:
                os.chdir(before)
        self.assertIn("http://127.0.0.1:", said.getvalue())


if __name__ == "__main__":
    unittest.main()
