#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Tactus authors
# SPDX-License-Identifier: MIT

"""The tactus command, from outside: every command, every exit code, and what happens when things go wrong.

ctest sets TACTUS_BINARY (the command) and TACTUS_SOURCE. Scenes are made here, in temporary folders. Physics is
checked against closed forms only where that shows that the command passed on what it was told.
"""

import csv
import fcntl
import json
import math
import os
import pathlib
import pty
import random
import re
import resource
import select
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time
import unittest
import wave
import xml.etree.ElementTree

BINARY = os.environ.get("TACTUS_BINARY")
SOURCE = pathlib.Path(os.environ.get("TACTUS_SOURCE") or pathlib.Path(__file__).resolve().parent.parent)
COMMANDS = ("run view demo new check info export plot render diff sound mesh components schema regress bench "
            "completion").split()
DONE, FAILED, BAD_USAGE, BAD_INPUT, STOPPED = 0, 1, 2, 3, 130
PATIENCE = 120  # s, for what should take a moment

# A ball that falls freely from 3 m, and a probe of its height.
FALLING = """<tactus version="1" dt="0.01" duration="1" gravity="0 ${-g} 0">
  <param name="g" default="10" doc="How strongly it falls, m/s^2."/>
  <Record fps="50"/>
  <node name="ball">
    <Points name="point" positions="0 3 0"/>
    <UniformMass mass="2"/>
    <Probe name="height" what="y"/>
  </node>
</tactus>
"""

# A block of springs that hangs by a corner; n makes it as slow as wanted.
HANGING = """<tactus version="1" dt="0.01" duration="0.5">
  <param name="n" default="6" doc="Points along it."/>
  <Record fps="50"/>
  <node name="block">
    <Grid name="grid" counts="${n} 3 3" low="0 0 0" high="1 0.2 0.2"/>
    <Points name="points"/>
    <UniformMass total="1"/>
    <Springs name="law" stiffness="400" damping="0.1"/>
    <FixedPoints points="0"/>
    <ImplicitEuler name="solver"/>
  </node>
  <node name="ball">
    <Points name="point" positions="0 1 0"/>
    <UniformMass mass="1"/>
    <Plane stiffness="1000"/>
  </node>
</tactus>
"""

# Far too stiff for its step: the numbers leave the range of doubles within a second.
EXPLODING = """<tactus version="1" dt="0.01" duration="5">
  <node name="pair">
    <Points positions="0 0 0  1 0 0" velocities="0 0 0  1 0 0"/>
    <UniformMass mass="1"/>
    <Springs pairs="0 1" stiffness="1e9" lengths="0.9" stable="false"/>
    <SymplecticEuler/>
  </node>
</tactus>
"""


def png_size(path):
    """Width and height from the header of a PNG file."""
    data = pathlib.Path(path).read_bytes()[:24]
    assert data[:8] == b"\x89PNG\r\n\x1a\n", f"{path} is no PNG file"
    return struct.unpack(">II", data[16:24])


def default_interrupts():
    """In a child before it starts: shells make background jobs ignore Ctrl-C, and that is inherited."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)


@unittest.skipUnless(BINARY, "TACTUS_BINARY is not set")
class CommandTest(unittest.TestCase):
    """A temporary folder with scenes, and ways to run the command in it."""

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="tactus-cli-"))
        self.addCleanup(shutil.rmtree, self.folder, True)
        self.write("falling.tac", FALLING)
        self.write("hanging.tac", HANGING)
        self.write("exploding.tac", EXPLODING)

    def write(self, name, text):
        path = self.folder / name
        path.write_text(text, encoding="utf-8")
        return path

    def tactus(self, *words, code=DONE, **options):
        """Runs it, expects an exit code, returns (standard output, standard error)."""
        options.setdefault("cwd", self.folder)
        done = subprocess.run([BINARY, *map(os.fspath, words)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, timeout=PATIENCE, **options)
        out, err = done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace")
        self.assertEqual(done.returncode, code, f"tactus {words}\n{out}\n{err}")
        self.assertNotIn("\x1b", out + err, "escape sequences although nothing is a terminal")
        return out, err

    def json(self, *words, code=DONE, **options):
        """The JSON object that is the last line of the output."""
        out, _ = self.tactus(*words, "--json", code=code, **options)
        self.assertTrue(out.endswith("\n"))
        refuse = lambda name: self.fail(f"{name} is not JSON")
        return json.loads(out.splitlines()[-1], parse_constant=refuse)

    def files(self, folder="."):
        return sorted(path.name for path in (self.folder / folder).iterdir())

    def start(self, *words, **options):
        """Starts it without waiting; it is killed when the test ends."""
        process = subprocess.Popen([BINARY, *words], cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, preexec_fn=default_interrupts, **options)
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        return process

    def wait_for_bytes(self, name, count):
        """Until the file has grown beyond a size: the run is then well under way."""
        path, end = self.folder / name, time.monotonic() + PATIENCE
        while not path.exists() or path.stat().st_size < count:
            self.assertLess(time.monotonic(), end, f"{name} does not grow")
            time.sleep(0.01)


class Usage(CommandTest):
    def test_alone_it_gives_an_overview(self):
        overview, err = self.tactus()
        self.assertEqual(err, "")
        for command in COMMANDS:
            self.assertRegex(overview, rf"(?m)^  {command} +\w")
        for words in (["--help"], ["-h"], ["help"]):
            self.assertEqual(self.tactus(*words)[0], overview)

    def test_version(self):
        header = (SOURCE / "include/tactus/base.h").read_text(encoding="utf-8")
        version = ".".join(re.findall(r"#define TAC_VERSION_\w+ (\d+)", header))
        self.assertEqual(self.tactus("--version")[0], f"tactus {version}\n")

    def test_every_command_has_a_page_with_examples(self):
        for command in COMMANDS:
            page, err = self.tactus("help", command)
            self.assertEqual(err, "")
            self.assertTrue(page.startswith(f"tactus {command}"), page)
            examples = page.split("Examples\n")[1]
            self.assertIn(len(re.findall(rf"(?m)^  .*\btactus {command}\b", examples)), (1, 2, 3, 4))
            self.assertLessEqual(max(map(len, page.splitlines())), 110)
            self.assertEqual(self.tactus(command, "--help")[0], page)
            self.assertEqual(self.tactus(command, "--nonsense", "-h")[0], page, "help comes first")

    def test_examples_use_options_that_exist(self):
        for command in COMMANDS:
            page, _ = self.tactus("help", command)
            head, examples = page.split("Examples\n")
            known = set(re.findall(r"(?<!\S)--?[a-z][a-z-]*", head))
            for line in examples.splitlines():
                ours = line.split("|")[0].split("&&")[0]
                if f"tactus {command}" in ours:
                    self.assertLessEqual(set(re.findall(r"(?<!\S)--?[a-z][a-z-]*", ours)), known, line)

    def test_unknown_commands_get_the_nearest(self):
        for wrong, right in (("rnu", "run"), ("componets", "components"), ("plt", "plot"), ("exprot", "export")):
            self.assertIn(f'did you mean "{right}"?', self.tactus(wrong, code=BAD_USAGE)[1])
            self.assertIn(f'did you mean "{right}"?', self.tactus("help", wrong, code=BAD_USAGE)[1])
        self.assertNotIn("did you mean", self.tactus("qqqqqqqq", code=BAD_USAGE)[1])
        self.assertIn("--version", self.tactus("--versoin", code=BAD_USAGE)[1])

    def test_unknown_options_get_the_nearest(self):
        for words, right in ((["run", "a", "--tme", "1"], "--time"), (["run", "a", "--thread=2"], "--threads"),
                             (["render", "a", "--widht", "9"], "--width"), (["check", "a", "--jsn"], "--json"),
                             (["info", "a", "--hlep"], "--help")):
            _, err = self.tactus(*words, code=BAD_USAGE)
            self.assertIn(f"did you mean {right}?", err)
            self.assertIn(f"tactus help {words[0]}", err)

    def test_values_are_checked(self):
        scene = "falling.tac"
        for words in (["--time"], ["--time", "x"], ["--time", "1x"], ["--time", "-1"], ["--time=nan"], ["--time=inf"],
                      ["--steps", "1.5"], ["--steps", "99999999999999999999"], ["--threads", "-1"], ["--seed", "-1"],
                      ["--fps", "0"], ["--json=yes"], ["--set"], ["--set", "--quiet"], ["-o"], ["--sweep", "n"],
                      ["--sweep", "g=1,,2"], ["--sweep", "g=1,1"], ["--time", "1", "--steps", "1"],
                      ["-o", "a.png"], ["-o", "a"], ["-o", "a.tacrec", "-o", "a.tacrec"],
                      ["-o", "a.obj", "--no-record"], ["--set", "g"], ["--set", "=1"]):
            _, err = self.tactus("run", scene, *words, code=BAD_USAGE)
            self.assertTrue(err.startswith("tactus: "), err)
        for words in (["run"], ["run", "a", "b"], ["schema", "x"], ["diff", "a"], ["export", "a"], ["render", "a"],
                      ["render", "a", "-o", "b.png", "--at", "1", "--movie"], ["render", "a", "--eye", "1,2"],
                      ["components", "a", "b"]):
            self.tactus(*words, code=BAD_USAGE)
        self.assertEqual(self.files(), ["exploding.tac", "falling.tac", "hanging.tac"], "nothing was written")

    def test_values_may_be_joined(self):
        self.tactus("run", "--time=0.1", "-oa.tacrec", "--", "falling.tac")
        self.tactus("run", "falling.tac", "--time", "0.1", "-o", "b.tacrec", "-q")
        self.assertEqual(self.json("diff", "a.tacrec", "b.tacrec")["same"], True)


class Run(CommandTest):
    def test_a_run_leaves_a_recording_and_says_what_to_do_next(self):
        out, err = self.tactus("run", "falling.tac")
        self.assertEqual(err, "")
        self.assertIn("falling.tacrec", self.files())
        self.assertIn("1 s simulated", out)
        commands = re.findall(r"(?m)tactus (\w+ .*)$", out)
        self.assertGreaterEqual(len(commands), 2)
        for command in commands:
            self.tactus(*command.split())

    def test_it_is_quiet_when_told(self):
        self.assertEqual(self.tactus("run", "falling.tac", "--quiet"), ("", ""))

    def test_json_says_everything(self):
        result = self.json("run", "falling.tac", "-o", "a.tacrec", "--seed", "18446744073709551615")
        self.assertEqual(result["status"], "done")
        self.assertEqual(result["simulated_time"], 1)
        self.assertEqual(result["beats"], 100)
        self.assertEqual(result["ticks"], 100 * 2**40)  # a beat of 10 ms has 2^40 ticks
        self.assertEqual(result["frames"], 51)
        self.assertEqual(result["seed"], 2**64 - 1)
        self.assertEqual(result["recordings"],
                         [{"path": "a.tacrec", "bytes": (self.folder / "a.tacrec").stat().st_size}])
        self.assertRegex(result["hash"], r"^[0-9a-f]{16}$")
        # 2 kg that fell for a second from 3 m: v = 10 m/s, y = -2 m
        for moment, kinetic, weight, momentum in (("start", 0, 60, 0), ("end", 100, -40, -20)):
            self.assertAlmostEqual(result[moment]["energy"]["kinetic"], kinetic, places=9)
            self.assertAlmostEqual(result[moment]["energy"]["weight"], weight, places=9)
            self.assertAlmostEqual(result[moment]["energy"]["total"], 60, places=9)
            self.assertAlmostEqual(result[moment]["momentum"]["linear"][1], momentum, places=9)
        self.assertEqual(set(result["events"]), {"instants", "agent_kicks", "law_kicks", "solver_iterations"})
        for key in ("wall_time", "real_time_factor", "growths", "memory", "threads"):
            self.assertGreaterEqual(result[key], 0)
        result = self.json("run", "hanging.tac", "--no-record")
        agents = {agent["name"]: agent for agent in result["agents"]}
        self.assertEqual(agents["/block"]["solver"], "ImplicitEuler")
        self.assertEqual(agents["/block"]["step"], 0.01)
        self.assertGreaterEqual(agents["/block"]["kicks"], 50)
        self.assertGreater(result["events"]["solver_iterations"], 0)
        self.assertEqual(result["recordings"], [])
        self.assertNotIn("hanging.tacrec", self.files())

    def test_time_steps_and_frames(self):
        by_time = self.json("run", "falling.tac", "--time", "0.37", "-o", "a.tacrec")
        by_steps = self.json("run", "falling.tac", "--steps", "37", "--fps", "7", "-o", "b.tacrec")
        self.assertEqual(by_time["ticks"], 37 * 2**40)
        self.assertEqual(by_time["hash"], by_steps["hash"], "frames do not change what happens")
        self.assertEqual((by_time["frames"], by_steps["frames"]), (19, 3))  # 0, 0.02 .. 0.36; 0, 1/7, 2/7
        info = self.json("info", "b.tacrec")
        self.assertEqual((info["frames"], info["fps"], info["from"]), (3, 7, 0))
        self.assertAlmostEqual(info["to"], 2 / 7, places=12)
        odd = self.json("run", "hanging.tac", "--time", "0.4", "--fps", "59.94", "--no-record")
        even = self.json("run", "hanging.tac", "--time", "0.4", "--fps", "5", "--no-record")
        self.assertEqual((odd["hash"], odd["ticks"]), (even["hash"], even["ticks"]))
        # 0.29 * 100 is a little less than 29 in doubles
        self.assertEqual(self.json("run", "falling.tac", "--time", "0.29", "--fps", "100")["frames"], 30)
        none = self.json("run", "falling.tac", "--time", "0")
        self.assertEqual((none["frames"], none["ticks"]), (1, 0))

    def test_the_same_seed_gives_the_same_bits_on_any_number_of_threads(self):
        runs = [self.json("run", "hanging.tac", "--set", "n=40", "--threads", str(threads), "-o", f"{i}.tacrec")
                for i, threads in enumerate((1, 1, 2, 3, 8))]
        self.assertEqual(len({run["hash"] for run in runs}), 1)
        self.assertEqual([run["threads"] for run in runs], [1, 1, 2, 3, 8])
        for i in range(1, len(runs)):
            self.tactus("diff", "0.tacrec", f"{i}.tacrec")
        other = self.json("run", "hanging.tac", "--set", "n=41", "--no-record")
        self.assertNotEqual(other["hash"], runs[0]["hash"])

    @unittest.skipUnless(os.path.isdir("/proc/self/task"), "threads cannot be counted here")
    def test_it_uses_as_many_threads_as_it_is_told(self):
        for threads in (1, 3):
            name = f"{threads}.tacrec"
            process = self.start("run", "hanging.tac", "--time", "30000", "--threads", str(threads), "-o", name)
            self.wait_for_bytes(name, 20000)
            # some sanitizers add one of their own
            extra = 1 if os.environ.get("TACTUS_SANITIZE") else 0
            self.assertIn(len(os.listdir(f"/proc/{process.pid}/task")), range(threads, threads + extra + 1))

    def test_parameters_and_attributes_can_be_set(self):
        plain = self.json("run", "falling.tac", "--no-record")
        by_parameter = self.json("run", "falling.tac", "--no-record", "--set", "g=5")
        by_attribute = self.json("run", "falling.tac", "--no-record", "--set", "/world.gravity=0 -5 0")
        self.assertAlmostEqual(by_parameter["end"]["energy"]["kinetic"], 25, places=9)
        self.assertEqual(by_parameter["hash"], by_attribute["hash"])
        self.assertNotEqual(by_parameter["hash"], plain["hash"])
        for wrong, right in (("gg=1", '"g"'), ("/ball/uniformMass.mas=1", '"mass"'),
                             ("/ball/pont.scale=1", "/ball/point")):
            _, err = self.tactus("run", "falling.tac", "--set", wrong, code=BAD_INPUT)
            self.assertIn("did you mean", err)
            self.assertIn(right, err)

    def table_without_wall_time(self, name):
        with open(self.folder / name, newline="", encoding="utf-8") as table:
            rows = list(csv.reader(table))
        kept = [i for i, title in enumerate(rows[0]) if "wall time" not in title]
        self.assertLess(len(kept), len(rows[0]))
        return [[row[i] for i in kept] for row in rows]

    def test_exports_are_made_from_a_recording_that_is_removed(self):
        (self.folder / "out").mkdir()
        self.tactus("run", "hanging.tac", "-o", "out/a.obj", "-o", "out/a.pvd", "-o", "out/a.usda", "-o", "out/a.csv",
                    "-o", "out/frames/")
        made = self.files("out")
        for name in ("a.obj", "a.pvd", "a.usda", "a.csv", "frames"):
            self.assertIn(name, made)
        self.assertEqual([name for name in made if "tacrec" in name], [])
        self.assertNotIn("hanging.tacrec", self.files())
        with open(self.folder / "out/a.csv", newline="", encoding="utf-8") as table:
            self.assertEqual(len(list(csv.reader(table))), 1 + 26)
        self.tactus("run", "hanging.tac", "-o", "b.tacrec", "-o", "b.csv", "-o", "c.TACREC")
        self.assertEqual(self.table_without_wall_time("b.csv"), self.table_without_wall_time("out/a.csv"))
        self.tactus("diff", "b.tacrec", "c.TACREC")

    def test_a_world_that_fails_leaves_what_it_had(self):
        result = self.json("run", "exploding.tac", code=FAILED)
        self.assertEqual(result["status"], "failed")
        self.assertIn("blew up", result["message"])
        self.assertLess(result["simulated_time"], 5)
        self.assertIsNone(result["end"]["energy"]["kinetic"], "what is not a number is null")
        _, err = self.tactus("run", "exploding.tac", code=FAILED)
        self.assertIn("blew up", err)
        info = self.json("info", "exploding.tacrec")
        self.assertIsNone(info["damage"])
        self.assertGreater(info["frames"], 0)

    def test_odd_names_are_escaped(self):
        for name in ('a "b" \\ c.tac', "tab\tand\nline.tac", "b\x01\x1b[31m.tac", "ä 日本 🎈.tac"):
            self.write(name, FALLING)
            result = self.json("run", name, "--no-record")
            self.assertEqual(result["scene"], name)
            self.tactus("run", name, "--time", "0.1")
            self.tactus("check", name)
        broken = os.path.join(os.fsencode(self.folder), b"\xff\xc3(\xed\xa0\x80.tac")
        with open(broken, "wb") as scene:
            scene.write(FALLING.encode())
        out = subprocess.run([BINARY, "run", broken, "--json", "--no-record"], stdout=subprocess.PIPE, check=True).stdout
        self.assertIn("\ufffd\ufffd(\ufffd", json.loads(out.decode("utf-8"))["scene"])

    def test_an_older_recording_is_replaced(self):
        self.tactus("run", "falling.tac", "--time", "0.2")
        self.tactus("run", "falling.tac", "--time", "0.1")
        self.assertEqual(self.json("info", "falling.tacrec")["frames"], 6)


class Sweep(CommandTest):
    def table(self, name):
        with open(self.folder / name, newline="", encoding="utf-8") as table:
            return list(csv.DictReader(table))

    def test_a_sweep_makes_a_table_and_a_recording_for_each_value(self):
        out, err = self.tactus("run", "falling.tac", "--sweep", "g=5,10,20")
        self.assertEqual(err, "")
        rows = self.table("falling-sweep.csv")
        self.assertEqual([row["g"] for row in rows], ["5", "10", "20"])
        self.assertEqual(len([line for line in out.splitlines() if line.startswith("g=")]), 3)
        for row, g in zip(rows, (5, 10, 20)):
            single = self.json("run", "falling.tac", "--set", f"g={g}", "--no-record")
            self.assertEqual(row["hash"], single["hash"])
            self.assertEqual(row["status"], "done")
            self.assertEqual(float(row["simulated_time_s"]), 1)
            self.assertEqual(float(row["energy_end_J"]), single["end"]["energy"]["total"])
            self.assertAlmostEqual(float(row["probe/ball/height"]), 3 - g / 2, places=9)
            self.assertEqual(self.json("info", f"falling-g={g}.tacrec")["frames"], 51)
        self.tactus("run", "falling.tac", "--sweep", "g=7", "--no-record")
        self.assertEqual([row["g"] for row in self.table("falling-sweep.csv")], ["7"], "a new table each time")

    def test_outputs_get_the_value_into_their_names(self):
        result = self.json("run", "falling.tac", "--sweep", "/ball/point.positions=0 1 0,0 2 0", "-o", "x.tacrec", "-o",
                           "x.obj", "-o", "t.csv", "--time", "0.1")
        self.assertEqual([run["value"] for run in result["runs"]], ["0 1 0", "0 2 0"])
        self.assertEqual(result["runs"][1]["run"]["start"]["energy"]["weight"], 40)
        for y in (1, 2):
            for ending in ("tacrec", "obj"):
                self.assertIn(f"x-point.positions=0_{y}_0.{ending}", self.files())
        self.assertEqual(len(self.table("t.csv")), 2)

    def test_a_failed_run_is_a_row_and_a_bad_scene_ends_it(self):
        self.tactus("run", "exploding.tac", "--sweep", "/pair/springs.stiffness=1,1e9", "--no-record", "-q",
                    code=FAILED)
        self.assertEqual([row["status"] for row in self.table("exploding-sweep.csv")], ["done", "failed"])
        before = (self.folder / "exploding-sweep.csv").read_bytes()
        self.tactus("run", "exploding.tac", "--sweep", "/pair/springs.stiffnes=1,2", "--no-record", code=BAD_INPUT)
        self.assertEqual((self.folder / "exploding-sweep.csv").read_bytes(), before, "the older table is kept")
        self.tactus("run", "falling.tac", "--sweep", "gg=1,2", "--no-record", code=BAD_INPUT)
        self.assertNotIn("falling-sweep.csv", self.files())


class Interruption(CommandTest):
    """Runs that are ended from outside: what was recorded until then can be used."""

    LONG = ("run", "hanging.tac", "--set", "n=20", "--time", "30000")

    def stop(self, number, *more):
        (self.folder / "a.tacrec").unlink(missing_ok=True)
        process = self.start(*self.LONG, "-o", "a.tacrec", *more)
        self.wait_for_bytes("a.tacrec", 20000)
        process.send_signal(number)
        out, err = process.communicate(timeout=PATIENCE)
        return process.returncode, out.decode(), err.decode()

    def check_recording(self, damaged):
        info = self.json("info", "a.tacrec")
        self.assertGreater(info["frames"], 2)
        self.assertEqual(info["damage"] is not None, damaged)
        # every frame is that of an undisturbed run
        self.tactus("run", "hanging.tac", "--set", "n=20", "--time", repr(info["to"]), "-q", "-o", "b.tacrec")
        difference = self.json("diff", "a.tacrec", "b.tacrec")
        self.assertEqual((difference["same"], difference["frames"]), (True, info["frames"]))
        self.tactus("export", "a.tacrec", "-o", "a.csv")
        return info

    def test_ctrl_c_closes_the_recording_whole(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            code, out, err = self.stop(number)
            self.assertEqual(code, STOPPED, err)
            info = self.check_recording(damaged=False)
            self.assertIn("stopped at", err)
            self.assertIn(f"{info['frames']} frames", err)

    def test_ctrl_c_with_json(self):
        code, out, _ = self.stop(signal.SIGINT, "--json")
        result = json.loads(out)
        self.assertEqual((code, result["status"]), (STOPPED, "stopped"))
        self.assertEqual(result["frames"], self.json("info", "a.tacrec")["frames"])

    def test_ctrl_c_still_exports(self):
        code, _, err = self.stop(signal.SIGINT, "-o", "a.csv")
        self.assertEqual(code, STOPPED, err)
        with open(self.folder / "a.csv", newline="", encoding="utf-8") as table:
            self.assertEqual(len(list(csv.reader(table))), 1 + self.json("info", "a.tacrec")["frames"])

    def test_kill_leaves_all_whole_frames(self):
        code, _, _ = self.stop(signal.SIGKILL)
        self.assertEqual(code, -signal.SIGKILL)
        self.check_recording(damaged=True)
        out, _ = self.tactus("info", "a.tacrec")
        self.assertIn("damaged: ", out)

    def test_a_sweep_keeps_the_rows_it_has(self):
        process = self.start("run", "hanging.tac", "--sweep", "/world.duration=0.1,30000,0.2", "--set", "n=20")
        self.wait_for_bytes("hanging-world.duration=30000.tacrec", 20000)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=PATIENCE)
        self.assertEqual(process.returncode, STOPPED, err)
        with open(self.folder / "hanging-sweep.csv", newline="", encoding="utf-8") as table:
            self.assertEqual([row["status"] for row in csv.DictReader(table)], ["done", "stopped"])


class BadInput(CommandTest):
    def test_a_file_that_is_not_there_names_the_nearest(self):
        self.write("cloth.tac", "<tactus version='1'/>")
        self.write("clown.tac", "<tactus version='1'/>")
        for command, name in (("check", "clotj.tac"), ("run", "./cloth.tc")):
            _, err = self.tactus(command, name, code=BAD_INPUT)
            self.assertIn("did you mean cloth.tac?", err)
        _, err = self.tactus("info", "far_away.tacrec", code=BAD_INPUT)
        self.assertNotIn("did you mean", err)

    def test_all_errors_of_a_scene_are_shown_with_their_places(self):
        self.write("bad.tac", '<tactus version="1">\n  <node name="a">\n    <Pionts/>\n    <Grid/>\n'
                              '    <Springs stifness="1"/>\n  </node>\n</tactus>\n')
        for command in ("run", "check", "info"):
            out, err = self.tactus(command, "bad.tac", code=BAD_INPUT)
            self.assertEqual(out, "")
            self.assertRegex(err, r'(?m)^bad\.tac:3:5: error: .*"Pionts".*"Points"')
            self.assertRegex(err, r'(?m)^bad\.tac:5:14: error: .*"stifness".*"stiffness"')
        result = self.json("check", "bad.tac", code=BAD_INPUT)
        self.assertEqual([(message["line"], message["column"]) for message in result["messages"][:1]], [(3, 5)])
        self.assertNotIn("bad.tacrec", self.files())

    def test_a_scene_that_makes_no_world_is_an_error(self):
        self.write("bad.tac", '<tactus version="1"><node name="a">\n<Points positions="0 0 0"/><SymplecticEuler/>'
                              '</node></tactus>')
        _, err = self.tactus("run", "bad.tac", code=BAD_INPUT)
        self.assertRegex(err, r"(?m)^bad\.tac:2:1: error: .*mass")
        result = self.json("check", "bad.tac", code=BAD_INPUT)
        self.assertEqual((result["good"], result["messages"][-1]["line"]), (False, 2))

    def test_a_scene_that_is_refused_is_one_object(self):
        self.write("bad.tac", '<tactus version="1">\n  <node name="a">\n    <Pionts/>\n  </node>\n</tactus>\n')
        self.write("none.tac", '<tactus version="1"><node name="a">\n<Points positions="0 0 0"/><SymplecticEuler/>'
                               '</node></tactus>')
        wire = '<node name="%s"><Mesh at="%s" with_edges="0 1"/><Points/><UniformMass/><Skin/></node>'
        self.write("met.tac", '<tactus version="1">\n<Contact method="safe"/>'
                   + wire % ("a", "0 0 0 1 0 0") + wire % ("b", "0.5 0 -1 0.5 0 1") + '</tactus>')
        for name, line, text in (("bad.tac", 3, "Pionts"), ("none.tac", 2, "mass"), ("met.tac", 2, "1 pair touches")):
            result = self.json("run", name, code=BAD_INPUT)
            self.assertEqual((result["scene"], result["status"]), (name, "refused"))
            self.assertIn(text, result["message"])
            last = result["messages"][-1]
            self.assertEqual((last["kind"], last["file"], last["line"]), ("error", name, line))
            self.assertEqual(last["message"], result["message"])
        # what was never a scene says so as before
        out, _ = self.tactus("run", "met.tac", "--json", "--time", "1", "--steps", "3", code=BAD_USAGE)
        self.assertEqual(out, "")

    def test_the_radii_that_a_refusal_names_are_accepted(self):
        wire = ('<node name="%s"><Mesh at="%s" with_edges="0 1"/><Points/><UniformMass/>'
                '<Skin radius="%.17g"/></node>')
        def scene(apart, radius):
            return ('<tactus version="1"><Contact method="safe" thickness="1e-9"/>'
                    + wire % ("a", "0 0 0 1 0 0", radius)
                    + wire % ("b", "0.5 %.17g -1 0.5 %.17g 1" % (apart, apart), radius) + '</tactus>')
        for apart in (0.0123456789, 0.1, 0.99999951, 1.0000004, 3.1415926e-5, 0.012345674, 7.0):
            self.write("near.tac", scene(apart, apart))
            _, err = self.tactus("check", "near.tac", code=BAD_INPUT)
            named = float(re.search(r"sum up to at most (\S+) m", err).group(1))
            self.assertLess(named, apart)
            self.assertGreater(named, (1 - 3e-5) * apart)
            self.write("near.tac", scene(apart, named / 2))
            self.tactus("check", "near.tac")

    def test_the_radii_that_a_refusal_names_are_the_largest(self):
        chance = random.Random(7)
        def mesh(name, mesh, skin):
            return '<node name="%s">%s<Points/><UniformMass/>%s</node>' % (name, mesh, skin)
        def scene(kind, size, place, radius):
            skin, balls = '<Skin radius="%.17g"/>' % radius, '<Balls radius="%.17g"/>' % radius
            box = '<Box low="%.17g %.17g %.17g" high="%.17g %.17g %.17g"/>' % (3 * (-size,) + 3 * (size,))
            at = tuple(size * x for x in place)
            other = {"balls": lambda: '<node name="b"><Points positions="%.17g %.17g %.17g 0 %.17g 0"/><UniformMass/>%s</node>'
                                      % (at + (3 * size, balls)),
                     "wires": lambda: mesh("b", '<Line divisions="3" from="%.17g %.17g %.17g" to="0 %.17g 0"/>'
                                           % (at + (2 * size,)), skin),
                     "spheres": lambda: mesh("b", '<Sphere subdivisions="1" radius="%.17g" translation="0 %.17g 0"/>'
                                             % (0.3 * size, (0.3 + place[1]) * size), skin)}[kind]()
            return ('<tactus version="1" gravity="0 0 0"><Contact method="safe" thickness="%.17g"/>' % (1e-3 * size)
                    + mesh("a", box, skin) + other + '</tactus>')
        for i in range(36):
            kind, size = ("balls", "wires", "spheres")[i % 3], 10 ** chance.uniform(-3, 1)
            place = (chance.uniform(-1, 1), 1 + 10 ** chance.uniform(-4, -0.7), chance.uniform(-1, 1))
            self.write("near.tac", scene(kind, size, place, 0.3 * size))
            _, err = self.tactus("check", "near.tac", code=BAD_INPUT)
            named = float(re.search(r"sum up to at most (\S+) m", err).group(1))
            self.write("near.tac", scene(kind, size, place, named / 2))
            self.tactus("check", "near.tac")
            # what is just above is refused with all that there is to say
            for above in (1e-4, 2e-5):
                self.write("near.tac", scene(kind, size, place, (1 + above) * named / 2))
                _, err = self.tactus("check", "near.tac", code=BAD_INPUT)
                self.assertRegex(err, r"[0-9,]+ pairs? touch(es)? at the start \(0 by intersecting\)")
                self.assertEqual(float(re.search(r"sum up to at most (\S+) m", err).group(1)), named)
        # 7.3 mm apart: radii that sum up to a little less, but not once they are rounded up to what contact keeps of them
        def level(radius):
            return ('<tactus version="1" gravity="0 0 0"><Contact method="safe" thickness="0.002"/>'
                    + mesh("a", '<Box low="-0.5 -0.5 -0.5" high="0.5 0.5 0.5"/>', '<Skin radius="%.17g"/>' % radius)
                    + mesh("b", '<Sphere subdivisions="2" radius="0.2" translation="0 0.7073 0"/>',
                           '<Skin radius="%.17g"/>' % radius) + '</tactus>')
        for radius in (0.0037, 0.00365, 0.003649999997):
            self.write("near.tac", level(radius))
            _, err = self.tactus("check", "near.tac", code=BAD_INPUT)
            self.assertIn("8 pairs touch at the start", err)
            named = float(re.search(r"sum up to at most (\S+) m", err).group(1))
            self.assertGreater(named, 0.0073 * (1 - 2e-5))
            self.write("near.tac", level(named / 2))
            self.tactus("check", "near.tac")

    def test_a_start_that_is_near_is_remarked_on_or_refused(self):
        scene = ('<tactus version="1">\n<node name="floor"><Sheet divisions="1" width="4" depth="4"/><Points/><Skin/></node>\n'
                 '  <Contact method="safe" thickness="0.002"%s/>\n<node name="ball"><Points positions="0.5 0.0635 -1"/>'
                 '<UniformMass/><Balls radius="0.0625"/></node></tactus>')
        self.write("thin.tac", scene % "")
        self.write("said.tac", scene % ' near="thinner"')
        self.write("near.tac", scene % ' near="refuse"')
        _, err = self.tactus("check", "thin.tac")
        self.assertRegex(err, r"(?m)^thin\.tac:3:3: remark: /contact \(Contact\): 1 pair is nearer than the thickness at the "
                              r"start; .* Nearest are vertex 0 of /ball/balls and face \d of /floor/skin, 0.001 m apart\.")
        named = float(re.search(r"With no thickness above (\S+) m", err).group(1))
        hashes = [self.json("run", name, "--time", "0.1", "--no-record")["hash"] for name in ("thin.tac", "said.tac")]
        self.assertEqual(hashes[0], hashes[1])
        for command in (("check",), ("run",), ("view", "--no-open")):
            _, err = self.tactus(command[0], "near.tac", *command[1:], code=BAD_INPUT)
            self.assertRegex(err, r"(?m)^near\.tac:3:3: error: /contact \(Contact\): 1 pair is nearer than the thickness at the "
                                  r"start, and near is refuse: vertex 0 of /ball/balls and face \d of /floor/skin\. ")
            self.assertEqual(float(re.search(r"With no thickness above (\S+) m", err).group(1)), named)
        self.write("near.tac", (scene % ' near="refuse"').replace("0.002", "%.17g" % named))
        self.assertEqual(self.tactus("check", "near.tac")[1], "")

    def test_radii_that_are_too_large_are_refused_at_their_place(self):
        made = '<node name="a">%s<UniformMass/>\n<%s/></node>'
        points, frames = '<Sheet divisions="1"/><Points/>', '<Frames positions="0 0 0 0 0 0 1"/>'
        for method in ("safe", "loose"):
            for place, model in ((points, 'Skin radius="%s"'), (points, 'Balls radius="%s"'),
                                 (frames, 'Shape shape="sphere" radius="%s"'), (frames, 'Shape rounding="%s"')):
                for radius in ("1e39", "1e300", "1e308"):
                    self.write("wide.tac", '<tactus version="1"><Contact method="%s"/>%s</tactus>'
                               % (method, made % (place, model % radius)))
                    _, err = self.tactus("check", "wide.tac", code=BAD_INPUT)
                    self.assertRegex(err, r"(?m)^wide\.tac:2:\d+: error: /a/\w+ \(\w+\): (radius|rounding) is 1e\+\d+ m; "
                                          r"at most 1e\+38 m can be kept$")
        self.write("wide.tac", '<tactus version="1"><Contact method="safe"/>%s</tactus>'
                   % (made % (frames, 'Shape shape="cylinder" height="1e308"')))
        _, err = self.tactus("check", "wide.tac", code=BAD_INPUT)
        self.assertRegex(err, r"(?m)^wide\.tac:2:1: error: /a/shape \(Shape\): it has no surface: .* out of range")
        self.write("wide.tac", '<tactus version="1"><Contact method="safe"/>%s</tactus>'
                   % (made % (frames, 'Shape shape="sphere" radius="1e38" rounding="1e38"')))
        self.tactus("run", "wide.tac", "--time", "0.1", "--no-record")

    def test_edges_that_cannot_be_limited_are_refused_at_their_place(self):
        for numbers in ('speed="1e-30"', 'speed="1e300"', 'strain="1e-14"'):
            self.write("limit.tac", '<tactus version="1">\n<Contact method="safe"/><node name="a"><Line divisions="1"/><Points/>'
                                    '<UniformMass/>\n<EdgeLimit %s/></node></tactus>' % numbers)
            for command in ("check", "run"):
                _, err = self.tactus(command, "limit.tac", code=BAD_INPUT)
                self.assertRegex(err, r"(?m)^limit\.tac:3:1: error: /a/edgeLimit \(EdgeLimit\): .* would do")

    def test_a_touch_by_rounding_alone_says_so(self):
        scene = ('<tactus version="1" gravity="0 0 0">\n<Contact thickness="0.002"/><node name="floor"><Sheet divisions="1"/>'
                 '<Points/><Skin/></node><node name="a"><Points positions="0.1 %s 0.2"/><UniformMass/><Balls radius="0.02"/>'
                 '</node></tactus>')
        for height, rounded in (("0.020000001", True), ("0.02", False), ("0.0199", False)):
            self.write("near.tac", scene % height)
            _, err = self.tactus("check", "near.tac", code=BAD_INPUT)
            self.assertIn("1 pair touches at the start", err)
            self.assertEqual("radii are rounded up to 24 bits" in err, rounded, err)
            named = re.search(r"sum up to at most (\S+) m", err).group(1)
            self.write("near.tac", (scene % height).replace('radius="0.02"', 'radius="%s"' % named))
            self.tactus("check", "near.tac")

    def test_what_nothing_can_part_is_remarked_on(self):
        self.write("pin.tac", '<tactus version="1" dt="0.001" duration="0.06" gravity="0 0 0"><Contact thickness="0.01"/>\n'
                              '<node name="wall"><Sheet divisions="1"/><Points/><ScriptedMotion speed="0 10 0"/>\n<Skin/></node>'
                              '<node name="c"><Mesh at="-0.1 0.2 0  0.1 0.2 0  0 0.2 0.2" with_triangles="0 1 2"/><Points/>'
                              '<UniformMass/><Springs stiffness="100"/><FixedPoints points="0"/><Skin/></node></tactus>')
        for command in ("check", "run"):
            _, err = self.tactus(command, "pin.tac")
            self.assertRegex(err, r"(?m)^pin\.tac:3:1: remark: /wall/skin \(Skin\): face \d of /wall/skin and vertex 0 of "
                                  r"/c/skin meet at about 0.02 s; .* nothing can part them$")

    def test_remarks_are_shown(self):
        self.write("idle.tac", '<tactus version="1">\n<node name="a"><SymplecticEuler/></node>\n</tactus>')
        out, err = self.tactus("check", "idle.tac")
        self.assertRegex(err, r"(?m)^idle\.tac:2:\d+: remark: ")
        self.assertIn("1 remark", out)

    def test_a_second_contact_is_remarked_on(self):
        self.write("two.tac", '<tactus version="1">\n<Contact/>\n<Contact name="more" friction="0.9"/>\n</tactus>')
        _, err = self.tactus("check", "two.tac")
        self.assertRegex(err, r"(?m)^two\.tac:3:\d+: remark: /more \(Contact\): a world has one Contact: /contact counts")

    def test_files_that_are_not_there_or_not_files(self):
        (self.folder / "folder").mkdir()
        (self.folder / "folder.tac").mkdir()
        (self.folder / "folder.tacrec").mkdir()
        for words in (["run", "X.tac"], ["check", "X.tac"], ["info", "X.tac"], ["info", "X.tacrec"], ["info", "X.obj"],
                      ["info", "X"], ["export", "X.tacrec", "-o", "a.csv"], ["plot", "X.tacrec", "a", "-o", "a.png"],
                      ["render", "X.tacrec", "-o", "a.png"], ["diff", "X.tacrec", "X.tacrec"]):
            for name in ("none", "folder"):
                named = [word.replace("X", name) for word in words]
                if named[1] == "folder.obj":
                    (self.folder / "folder.obj").mkdir()
                _, err = self.tactus(*named, code=BAD_INPUT)
                self.assertTrue(err.startswith(named[1]), err)
                self.assertIn("No such file" if name == "none" else "folder", err)
        self.assertIn("none.so", self.tactus("run", "falling.tac", "--plugin", "none.so", code=BAD_INPUT)[1])

    def test_files_of_another_kind(self):
        self.write("text.tacrec", "no recording\n" * 100)
        self.write("text.tac", "no scene\n")
        self.write("text.obj", "f 1 2 3\n")
        self.write("empty.tac", "")
        for name in ("text.tacrec", "text.tac", "text.obj", "empty.tac"):
            _, err = self.tactus("info", name, code=BAD_INPUT)
            self.assertIn(name, err)
        self.tactus("run", "text.tacrec", code=BAD_INPUT)

    def test_cut_recordings_open_as_far_as_they_are_whole(self):
        self.tactus("run", "hanging.tac", "-q")
        whole = (self.folder / "hanging.tacrec").read_bytes()
        (self.folder / "cut.tacrec").write_bytes(whole[: len(whole) // 2])
        info = self.json("info", "cut.tacrec")
        self.assertTrue(0 < info["frames"] < 26 and info["damage"])
        self.tactus("export", "cut.tacrec", "-o", "cut.csv")


class Unwritable(CommandTest):
    def expect_failure(self, *words, **options):
        _, err = self.tactus(*words, code=FAILED, **options)
        self.assertRegex(err, "cannot be written|could not be written|cannot be made")
        return err

    def test_folders_that_are_not_there(self):
        self.tactus("run", "falling.tac", "-q", "-o", "a.tacrec")
        for ending in ("tacrec", "obj", "pvd", "usda", "csv"):
            err = self.expect_failure("run", "falling.tac", "-o", f"none/a.{ending}")
            self.assertIn(f"none/a.{ending}", err)
        self.expect_failure("run", "falling.tac", "-o", "falling.tac/a.tacrec")
        self.expect_failure("run", "falling.tac", "--sweep", "g=1", "-o", "none/a.csv")
        for words in (["export", "a.tacrec", "-o", "none/a.csv"], ["plot", "a.tacrec", "energy", "-o", "none/a.png"],
                      ["plot", "a.tacrec", "energy", "-o", "none/a.svg"], ["render", "a.tacrec", "-o", "none/a.png"]):
            self.tactus(*words, code=FAILED)

    def test_read_only_folder(self):
        locked = self.folder / "locked"
        locked.mkdir()
        locked.chmod(0o555)
        options = {}
        if os.geteuid() == 0:
            # root writes everywhere: become nobody, who must be able to come here and to start the program
            self.folder.chmod(0o755)
            options["user"] = 65534
            try:
                subprocess.run([BINARY, "--version"], stdout=subprocess.DEVNULL, check=True, **options)
            except (PermissionError, subprocess.CalledProcessError):
                self.skipTest("nobody may not start the program from where it is")
        self.expect_failure("run", "falling.tac", "-o", "locked/a.tacrec", **options)
        self.expect_failure("run", "falling.tac", "-o", "locked/a.csv", **options)
        self.expect_failure("run", self.folder / "falling.tac", cwd=locked, **options)
        self.assertEqual(list(locked.iterdir()), [])

    def test_a_limit_on_the_size_of_files(self):
        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (30000, 30000))

        self.expect_failure("run", "hanging.tac", "--time", "5", "-o", "a.tacrec", preexec_fn=limit)
        info = self.json("info", "a.tacrec")
        self.assertGreater(info["frames"], 0)
        self.tactus("run", "hanging.tac", "-q", "-o", "b.tacrec")
        side = "1600" if os.environ.get("TACTUS_SANITIZE") else "4000"  # they make pictures thirty times as slow
        self.expect_failure("render", "b.tacrec", "-o", "b.png", "--width", side, "--height", side, preexec_fn=limit)

    def test_a_full_disk(self):
        disk = self.folder / "disk"
        disk.mkdir()
        mounted = os.geteuid() == 0 and shutil.which("mount") and subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(disk)], stderr=subprocess.DEVNULL).returncode == 0
        if not mounted:
            self.skipTest("a small disk can be mounted by root only")
        self.addCleanup(subprocess.run, ["umount", str(disk)])
        self.expect_failure("run", "hanging.tac", "--time", "5", "-o", "disk/a.tacrec")
        self.assertGreater(self.json("info", "disk/a.tacrec")["frames"], 0)
        self.tactus("export", "disk/a.tacrec", "-o", "disk/a.pvd", code=FAILED)

    @unittest.skipUnless(os.path.exists("/dev/full"), "there is no /dev/full")
    def test_standard_output_that_is_full(self):
        with open("/dev/full", "wb") as full:
            for words in (["components"], ["schema"], ["help", "run"], ["check", "falling.tac"]):
                done = subprocess.run([BINARY, *words], cwd=self.folder, stdout=full, stderr=subprocess.PIPE)
                self.assertEqual(done.returncode, FAILED)
                self.assertIn(b"standard output", done.stderr)

    def test_a_reader_that_goes_away(self):
        reader, writer = os.pipe()
        os.close(reader)
        self.assertGreater(len(self.tactus("schema")[0]), 8192, "more than a buffer, so that it fails on the way")
        for words in (["components"], ["schema"], ["run", "falling.tac", "--json"]):
            done = subprocess.run([BINARY, *words], cwd=self.folder, stdout=writer, stderr=subprocess.PIPE)
            self.assertEqual((done.returncode, done.stderr), (DONE, b""))
        os.close(writer)


class Looking(CommandTest):
    def test_check_says_what_is_there(self):
        out, err = self.tactus("check", "hanging.tac", "--set", "n=7")
        self.assertEqual(err, "")
        for text in ("n = 7", "Points along it.", "ImplicitEuler", "63 points", "/ball/plane", "no errors"):
            self.assertIn(text, out)
        result = self.json("check", "hanging.tac", "--set", "n=7")
        self.assertEqual(result["good"], True)
        self.assertEqual(result["parameters"],
                         [{"name": "n", "value": "7", "default": "6", "doc": "Points along it."}])
        self.assertEqual(result["points"], 7 * 9 + 1)
        self.assertEqual((result["beat"], result["duration"], result["fps"]), (0.01, 0.5, 50))
        nodes = {node["name"]: node for node in result["nodes"]}
        self.assertEqual((nodes["block"]["depth"], nodes[""]["depth"]), (1, 0))
        matter = [c for c in nodes["block"]["components"] if c["kind"] == "matter"]
        # the surface of 6 x 2 x 2 boxes, two triangles for each of its quads
        self.assertEqual([(c["name"], c["points"], c["triangles"]) for c in matter], [("points", 63, 2 * (24 * 2 + 8))])
        agents = {agent["name"]: agent for agent in result["agents"]}
        self.assertEqual((agents["/block"]["solver"], agents["/block"]["points"]), ("ImplicitEuler", 63))
        self.assertEqual((agents["/ball/plane"]["is_law"], agents["/ball/plane"]["solver"]), (True, "Plane"))
        self.assertEqual(self.files(), ["exploding.tac", "falling.tac", "hanging.tac"], "nothing was written")

    def test_info_of_recordings(self):
        self.tactus("run", "hanging.tac", "-q")
        info = self.json("info", "hanging.tacrec")
        self.assertEqual((info["kind"], info["frames"], info["from"], info["to"]), ("recording", 26, 0, 0.5))
        self.assertEqual([(track["name"], track["points"]) for track in info["tracks"]],
                         [("/block/points", 54), ("/ball/point", 1)])
        self.assertIn("energy/total", [channel["name"] for channel in info["channels"]])
        self.assertIsNone(info["damage"])
        out, _ = self.tactus("info", "hanging.tacrec")
        for text in ("26 frames from 0 s to 0.5 s", "/block/points", "energy/total  J"):
            self.assertIn(text, out)
        shutil.copy(self.folder / "hanging.tacrec", self.folder / "renamed")
        self.assertEqual(self.json("info", "renamed")["frames"], 26)

    def test_info_of_meshes_and_scenes(self):
        # a tetrahedron with three edges of 3, 2 and 1 along the axes
        self.write("t.obj", "v 0 0 0\nv 3 0 0\nv 0 2 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n")
        mesh = self.json("info", "t.obj")
        self.assertEqual((mesh["kind"], mesh["points"], mesh["triangles"]), ("mesh", 4, 4))
        self.assertEqual((mesh["low"], mesh["high"]), ([0, 0, 0], [3, 2, 1]))
        self.assertAlmostEqual(mesh["volume"], 1, places=12)
        self.assertIn("4 points, 4 triangles", self.tactus("info", "t.obj")[0])
        self.assertIn("55 points", self.tactus("info", "hanging.tac")[0])
        self.assertEqual(self.json("info", "hanging.tac", "--set", "n=2")["points"], 19)

    def test_diff(self):
        for name, g in (("a", 10), ("b", 10), ("c", 11)):
            # without energies: that of weight differs from the start
            self.tactus("run", "falling.tac", "-q", "-o", f"{name}.tacrec", "--set", f"g={g}", "--set",
                        "/record.channels=none")
        self.tactus("run", "falling.tac", "-q", "-o", "short.tacrec", "--time", "0.5")
        self.assertIn("the same", self.tactus("diff", "a.tacrec", "b.tacrec")[0])
        self.assertEqual(self.json("diff", "a.tacrec", "b.tacrec")["same"], True)
        out, _ = self.tactus("diff", "a.tacrec", "c.tacrec", code=FAILED)
        self.assertIn("/ball/point", out)
        self.assertIn("frame 1 on, at 0.02 s", out)
        result = self.json("diff", "a.tacrec", "c.tacrec", code=FAILED)
        # after a second they are half a metre apart
        self.assertEqual((result["same"], result["first_frame"], result["frames"]), (False, 1, 51))
        self.assertAlmostEqual(result["tracks"][0]["largest"], 0.5, places=9)
        self.assertEqual(result["tracks"][0]["largest_at"], 1)
        result = self.json("diff", "a.tacrec", "short.tacrec", code=FAILED)
        self.assertEqual((result["frames_a"], result["frames_b"], result["frames"]), (51, 26, 26))
        self.tactus("diff", "a.tacrec", "none.tacrec", code=BAD_INPUT)

    def test_components_and_their_pages(self):
        out, _ = self.tactus("components")
        names = re.findall(r"(?m)^  (\w+) +\S", out)
        self.assertLessEqual({"Points", "Springs", "ImplicitEuler", "World"}, set(names))
        for name in names:
            self.assertIn(name, self.tactus("components", name)[0])
        _, err = self.tactus("components", "Sprngs", code=BAD_USAGE)
        self.assertIn("did you mean Springs?", err)
        self.tactus("components", "zzzzzzzzzzz", code=BAD_USAGE)

    def test_schema_is_xml(self):
        out, _ = self.tactus("schema")
        self.assertTrue(xml.etree.ElementTree.fromstring(out).tag.endswith("grammar"))

    @unittest.skipUnless(shutil.which("cc"), "there is no C compiler")
    @unittest.skipIf(os.environ.get("TACTUS_SANITIZE"), "the plugin is built without sanitizers")
    def test_plugins(self):
        self.write("calm.c", """
            #include "tactus/component.h"
            static TacStatus init(void *self, TacSetup *setup, TacError *error) {
                (void)self, (void)error;
                tac_setup_warn(setup, NULL, "seed %llx", (unsigned long long)tac_setup_seed(setup));
                return TAC_OK;
            }
            static const TacClass calm = {.name = "Calm", .kind = TAC_KIND_SETTING, .doc = "Does nothing. At all.",
                                          .size = sizeof(TacComponent), .init = init};
            static const TacClass *const classes[] = {&calm};
            TAC_API const TacPlugin tac_plugin = {TAC_COMPONENT_ABI, "calm", classes, 1};
            """)
        subprocess.run(["cc", "-shared", "-fPIC", "-I", SOURCE / "include", "calm.c", "-o", "calm.so"], check=True,
                       cwd=self.folder)
        self.write("calm.tac", '<tactus version="1"><Calm/></tactus>')
        out, _ = self.tactus("components", "--plugin", "./calm.so")
        self.assertRegex(out, r"(?m)^  Calm +Does nothing\.$")
        self.assertIn("Calm", self.tactus("components", "Calm", "--plugin", "./calm.so")[0])
        remarks = [self.tactus("run", "calm.tac", "--plugin", "./calm.so", "--time", "0.1", "--no-record", "--seed",
                               seed)[1] for seed in ("5", "5", "6")]
        self.assertRegex(remarks[0], r"^calm\.tac:1:\d+: remark: .*seed")
        self.assertEqual(remarks[0], remarks[1])
        self.assertNotEqual(remarks[0], remarks[2], "the seed reaches the components")
        self.assertIn("Calm", self.tactus("run", "calm.tac", code=BAD_INPUT)[1])


class Pictures(CommandTest):
    def setUp(self):
        super().setUp()
        self.tactus("run", "hanging.tac", "-q", "-o", "a.tacrec", "--fps", "10")

    def test_export(self):
        out, _ = self.tactus("export", "a.tacrec", "-o", "a.csv", "-o", "a.obj")
        self.assertIn("a.obj: 6 frames", out)
        self.assertEqual(self.tactus("export", "a.tacrec", "-o", "b.csv", "-q"), ("", ""))
        self.assertEqual((self.folder / "a.csv").read_bytes(), (self.folder / "b.csv").read_bytes())
        self.assertIn(".usda", self.tactus("export", "a.tacrec", "-o", "a.xyz", code=BAD_USAGE)[1])

    def test_plot(self):
        self.tactus("plot", "a.tacrec", "energy", "-o", "a.png", "-o", "a.svg", "--width", "400", "--height", "300",
                    "--dark", "--title", "Fall & rise", "--from", "0.1", "--to", "0.4")
        self.assertEqual(png_size(self.folder / "a.png"), (400, 300))
        self.assertTrue(xml.etree.ElementTree.parse(self.folder / "a.svg").getroot().tag.endswith("svg"))
        self.tactus("plot", "a.tacrec", "energy/kinetic", "-o", "b.png", "--log")
        _, err = self.tactus("plot", "a.tacrec", code=BAD_USAGE)
        self.assertIn("energy/total", err)
        _, err = self.tactus("plot", "a.tacrec", "enrgy", "-o", "c.png", code=BAD_INPUT)
        self.assertIn("energy", err)
        self.tactus("plot", "a.tacrec", "energy", code=BAD_USAGE)
        _, err = self.tactus("plot", "a.tacrec", "energy", "-o", "c.png", "--title", "--dark", code=BAD_USAGE)
        self.assertIn("--title needs a value", err)
        self.tactus("plot", "a.tacrec", "energy", "-o", "c.jpg", code=BAD_USAGE)
        self.tactus("plot", "a.tacrec", "energy", "-o", "c.png", "--from", "9", code=BAD_USAGE)

    def test_render(self):
        size = ["--width", "64", "--height", "48", "--samples", "1"]
        self.tactus("render", "a.tacrec", "-o", "a.png", *size)
        self.assertEqual(png_size(self.folder / "a.png"), (64, 48))
        for name, words in (("first", ["--at", "0"]), ("dark", ["--dark"]), ("eye", ["--eye", "3,2,5"]),
                            ("far", ["--eye=-3,2,50", "--target", "0,0,0", "--fov", "20"])):
            self.tactus("render", "a.tacrec", "-o", f"{name}.png", *size, *words)
        pictures = {name: (self.folder / f"{name}.png").read_bytes() for name in ("a", "first", "dark", "eye", "far")}
        self.assertEqual(len(set(pictures.values())), len(pictures), "each option changes the picture")
        self.tactus("render", "a.tacrec", "-o", "strip.png", "--strip", "3", *size)
        self.assertEqual(png_size(self.folder / "strip.png"), (192, 48))
        out, _ = self.tactus("render", "a.tacrec", "-o", "m.png", "--movie", *size)
        self.assertIn("6 pictures", out)
        self.assertEqual([name for name in self.files() if name.startswith("m-")],
                         [f"m-{i:05d}.png" for i in range(6)])
        self.tactus("render", "a.tacrec", "-o", "a.jpg", *size, code=BAD_USAGE)
        self.tactus("render", "a.tacrec", "-o", "b.png", "--eye", "0,0,0", *size, code=BAD_USAGE)


class Sound(CommandTest):
    def test_sound(self):
        (self.folder / "s.ca").write_text("RATE 8000\nDEFMASS m 1\nDEFFI f 1 (-1e6,0) [0]\nDEFMOB a 1 m\nDEFFIX b 1\n"
                                          "LINKGRP a b f\nPOSIT a (1,0,0)\nPOSIT b (0,0,0)\nLISTEN out a (1,0,0)\n")
        out, _ = self.tactus("sound", "s.ca", "-o", "s.wav", "--time", "0.5")
        self.assertIn("0.5 s at 8000 Hz", out)
        with wave.open(str(self.folder / "s.wav")) as sound:
            self.assertEqual((sound.getframerate(), sound.getnchannels(), sound.getnframes()), (8000, 1, 4000))
            data = sound.readframes(4000)
        samples = [int.from_bytes(data[i:i + 3], "little", signed=True) for i in range(0, len(data), 3)]
        crossings = sum(a < 0 <= b for a, b in zip(samples, samples[1:]))
        # sin(w T / 2) = 1000 T / 2
        expected = 0.5 * 8000 * math.asin(1000 / 8000 / 2) / math.pi
        self.assertLess(abs(crossings - expected), 1.5)
        self.assertAlmostEqual(max(map(abs, samples)) / 2**23, 0.9, places=3)
        self.tactus("sound", "s.ca", "-o", "s.flac", "--time", "0.1", "--rate", "44100", "-q")
        self.tactus("sound", "s.ca", code=BAD_USAGE)
        self.tactus("sound", "s.ca", "-o", "s.mp3", code=BAD_USAGE)
        _, err = self.tactus("sound", "s.tac", "-o", "s.wav", code=BAD_INPUT)
        (self.folder / "mute.ca").write_text("DEFMASS m 1\nDEFMOB a 1 m\nPOSIT a (0,0,0)\n")
        _, err = self.tactus("sound", "mute.ca", "-o", "m.wav", code=BAD_INPUT)
        self.assertIn("LISTEN", err)
        self.assertNotIn("m.wav", self.files())

    def test_model(self):
        (self.folder / "m.ca").write_text("GRAVITI 9.8\nDEFMASS m 1 heavy\n")
        out, err = self.tactus("check", "m.ca", code=BAD_INPUT)
        self.assertIn("m.ca:1:1: error:", err)
        self.assertIn("did you mean GRAVITY?", err)


class OtherFiles(CommandTest):
    """What is no scene is told what it is, and what to do with it; what is proposed can be typed as it stands."""

    def test_other_files_than_scenes(self):
        self.tactus("run", "falling.tac", "--time", "0.1", "-o", "a.tacrec", "--snapshot", "a.tacsnap", "-q")
        self.write("a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
        for name, what in (("a.tacrec", "is a recording, not a scene: tactus view shows it"),
                           ("a.tacsnap", "is a snapshot, not a scene: tactus run SCENE --resume"),
                           ("a.obj", "is a mesh, not a scene: <MeshFile")):
            for command in (("run",), ("check",), ("view", "--no-open")):
                if command[0] == "view" and name == "a.tacrec":
                    continue  # it shows recordings
                _, err = self.tactus(command[0], name, *command[1:], code=BAD_INPUT)
                self.assertIn(f"{name}: error: {what}", err)
        _, err = self.tactus("run", "nothing.obj", code=BAD_INPUT)
        self.assertIn("cannot be opened", err)

    def test_what_is_proposed_can_be_typed(self):
        for name, word in (("my scene", "'my scene.tac'"), ("it's", "'it'\\''s.tac'"), ("plain", "plain.tac")):
            out, _ = self.tactus("new", name)
            self.assertEqual(out.splitlines()[1], f"next  tactus view {word}")
        out, _ = self.tactus("run", "my scene.tac", "--time", "0.1")
        self.assertIn("tactus render 'my scene.tacrec' -o 'my scene.png'", out)
        _, err = self.tactus("new", "a/b/c", code=FAILED)
        self.assertIn("there is no folder a/b", err)


class Terminal(CommandTest):
    """With a pseudo-terminal as standard error: the progress bar and colour."""

    def on_terminal(self, *words, stop_after=None, **environment):
        """Runs it with a terminal for both outputs; returns (exit code, what it wrote, seconds)."""
        try:
            master, slave = pty.openpty()
        except OSError as why:
            self.skipTest(f"no pseudo-terminals here: {why}")
        begin = time.monotonic()
        variables = dict(os.environ, TERM="xterm", LC_ALL="C.UTF-8")
        variables.pop("NO_COLOR", None)
        variables.update(environment)
        process = subprocess.Popen([BINARY, *words], cwd=self.folder, stdin=subprocess.DEVNULL, stdout=slave,
                                   stderr=slave, env=variables, preexec_fn=default_interrupts)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        os.close(slave)
        text = b""
        while True:
            ready, _, _ = select.select([master], [], [], PATIENCE)
            self.assertTrue(ready, "it neither writes nor ends")
            try:
                piece = os.read(master, 65536)
            except OSError:
                break
            if not piece:
                break
            text += piece
            if stop_after and text.count(stop_after) > 3:
                process.send_signal(signal.SIGINT)
                stop_after = None
        os.close(master)
        process.wait(PATIENCE)
        return process.returncode, text.decode(), time.monotonic() - begin

    LONG = ("run", "hanging.tac", "--set", "n=20", "--time", "30000", "-o", "a.tacrec")

    def test_the_bar_shows_what_matters_and_goes_away(self):
        code, text, seconds = self.on_terminal(*self.LONG, stop_after=b"real time")
        self.assertEqual(code, STOPPED)
        lines = re.findall(r"\r\x1b\[K([^\r]*%[^\r]*)", text)
        self.assertGreater(len(lines), 3)
        self.assertLessEqual(len(lines), 10 * seconds + 1, "at most ten times a second")
        for part in (r"\d+ %", r"\d\.\d\d of 30000 s", r"x real time", r"(kB|MB)", "\u2591"):
            self.assertRegex(lines[-1], part)
        bar = text.rindex("\u2591")
        self.assertRegex(text[bar:], r"^[^\n]*\r\x1b\[K\x1b\[1mtactus:", "the line is gone before anything else")

    def test_plain_terminals_get_plain_characters(self):
        _, text, _ = self.on_terminal(*self.LONG, stop_after=b"real time", LC_ALL="C")
        self.assertTrue(text.isascii())
        self.assertIn("....", text)

    def test_no_bar_when_quiet_or_dumb(self):
        for words, environment in ((["-q"], {}), ([], {"TERM": "dumb"})):
            code, text, _ = self.on_terminal("run", "hanging.tac", "--set", "n=60", "--time", "2", *words, **environment)
            self.assertEqual(code, DONE)
            self.assertNotIn("\x1b", text)
            self.assertNotIn("%  ", text)

    def test_compiling_says_how_far_it_is(self):
        self.write("large.tac", """<tactus version="1" dt="0.01" duration="0.01"><param name="n" default="150"/>
            <Contact method="safe" thickness="0.0001"/>
            <node name="a"><Sheet divisions="${n}"/><Points/><UniformMass total="1"/><Springs stiffness="1"/>
            <Skin/></node></tactus>""")
        code, text, _ = self.on_terminal("run", "large.tac", "--no-record", "--steps", "0")
        self.assertEqual(code, DONE)
        lines = re.findall(r"\r\x1b\[K([^\r]*%[^\r]*)", text)
        self.assertTrue(any("checking the start" in line for line in lines), lines)
        self.assertRegex(text, r"\r\x1b\[K[^%\r]*large.tac", "the line is gone before the summary")
        # not where it is not wanted, and nothing of it where nobody looks
        for words, environment in ((["-q"], {}), ([], {"TERM": "dumb"})):
            _, text, _ = self.on_terminal("run", "large.tac", "--no-record", "--steps", "0", *words, **environment)
            self.assertNotIn("checking", text)
        out, err = self.tactus("run", "large.tac", "--no-record", "--steps", "0", "--json")
        self.assertEqual(json.loads(out)["remarks"], [])
        self.assertEqual(err, "")

    def test_a_solver_that_does_not_come_to_an_end_is_named_once(self):
        self.write("few.tac", """<tactus version="1" dt="0.01" duration="1">
            <Contact method="safe" thickness="0.005"/>
            <node name="floor"><Sheet divisions="1" width="4" depth="4"/><Points/><FixedPoints points="0-3"/><Skin/></node>
            <node name="soft"><ImplicitEuler/><ConjugateGradient iterations="5"/>
              <Grid counts="4 4 4" low="-0.2 0.02 -0.2" high="0.2 0.4 0.2" split="true"/><Points/><UniformMass total="2"/>
              <Tetrahedra young="1e6"/><Skin self="false"/></node></tactus>""")
        out, err = self.tactus("run", "few.tac", "--no-record", "--json")
        self.assertEqual(err.count("remark:"), 1)
        self.assertIn("few.tac:4:47: remark: /soft (ImplicitEuler): in", err)
        self.assertEqual(len(json.loads(out)["remarks"]), 1)
        self.assertIn("its ConjugateGradient used up its iterations", json.loads(out)["remarks"][0])

    def test_colour_only_where_it_is_wanted(self):
        _, text, _ = self.on_terminal("check", "falling.tac")
        self.assertIn("\x1b[1m", text)
        _, plain, _ = self.on_terminal("check", "falling.tac", NO_COLOR="1")
        self.assertNotIn("\x1b", plain)
        self.assertEqual(re.sub(r"\x1b\[\d*m", "", text), plain)


class Zsh:
    """A zsh in a terminal, with the completion of tactus loaded: types a line and Tab, and looks."""

    START = ("fpath=({folder} $fpath); autoload -Uz compinit; compinit -u -D; LISTMAX=9999; unsetopt beep; "
             "zstyle ':completion:*' verbose no; "
             "dump() {{ print -r -- $BUFFER > {folder}/line; BUFFER= }}; zle -N dump; bindkey '^X' dump; "
             "PS1=; print rea''dy\n")

    def __init__(self, folder):
        self.folder = folder
        (folder / "tactus").symlink_to(BINARY)
        environment = {**os.environ, "PATH": f"{folder}:{os.environ['PATH']}", "TERM": "dumb", "HOME": str(folder),
                       "ZDOTDIR": str(folder)}
        self.terminal, inside = pty.openpty()
        fcntl.ioctl(inside, termios.TIOCSWINSZ, struct.pack("HHHH", 200, 200, 0, 0))
        self.process = subprocess.Popen(["zsh", "-f", "-i"], cwd=folder, env=environment, stdin=inside, stdout=inside,
                                        stderr=inside, start_new_session=True)
        os.close(inside)

    def __enter__(self):
        self.type(self.START.format(folder=self.folder))
        self.read(lambda text: "ready" in text)
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        os.close(self.terminal)

    def type(self, text):
        os.write(self.terminal, text.encode())

    def read(self, enough):
        text, end = "", time.monotonic() + PATIENCE
        while not enough(text) and time.monotonic() < end:
            if select.select([self.terminal], [], [], 0.05)[0]:
                text += os.read(self.terminal, 65536).decode(errors="replace")
        return text

    def complete(self, typed):
        """The line after Tab, and what was shown."""
        place = self.folder / "line"
        place.unlink(missing_ok=True)
        self.type(typed + "\t\x18")
        shown = self.read(lambda text: place.is_file() and place.read_text().endswith("\n"))
        return place.read_text().rstrip("\n"), shown


class FirstHour(CommandTest):
    """What a newcomer meets: the gallery, a first scene, completion, the manual page."""

    def test_the_gallery_is_listed(self):
        out, err = self.tactus("demo")
        names = self.tactus("demo", "--names")[0].split()
        scenes = [path for path in (SOURCE / "examples").rglob("*")
                  if path.suffix in (".tac", ".ca") and path.parent.name != "plugin"]
        self.assertEqual(len(names), len(scenes))
        self.assertEqual(len(set(names)), len(names))
        for scene in scenes:
            self.assertRegex(out, rf"(?m)^  (\w+/)?{scene.stem} +\w")
        for theme in re.findall(r"(?m)^## (.*)$", (SOURCE / "examples" / "README.md").read_text(encoding="utf-8")):
            if "plugin" not in theme:
                self.assertRegex(out, rf"(?m)^{re.escape(theme)}$")
        folder = self.tactus("demo", "--folder")[0].strip()
        self.assertTrue(os.path.samefile(folder, SOURCE / "examples"))
        self.assertEqual(err, "")

    def test_a_demo_runs(self):
        for name in ("chain", "springs/chain", "chain.tac"):
            found = self.json("demo", name, "--headless", "--time", "0.05")
            self.assertEqual(found["status"], "done")
        self.tactus("demo", "chain", "--headless", "--time", "0.05", "-o", "c.tacrec")
        self.assertIn("c.tacrec", self.files())
        self.assertIn("did you mean", self.tactus("demo", "chian", code=BAD_USAGE)[1])
        for words in (["--headless"], ["chain", "--time", "1"], ["chain", "--headless", "--port", "1"],
                      ["chain", "--headless", "--time", "x"]):
            self.tactus("demo", *words, code=BAD_USAGE)

    def test_the_gallery_can_be_elsewhere(self):
        shelf = self.folder / "shelf"
        (shelf / "a").mkdir(parents=True)
        (shelf / "a" / "falls.tac").write_text(FALLING, encoding="utf-8")
        (self.folder / "outside.tac").write_text(FALLING, encoding="utf-8")
        (shelf / "README.md").write_text("| scene | shows |\n|---|---|\n| [a/falls.tac](a/falls.tac) | a `ball` falls |\n"
                                         "| [../outside.tac](x) | no |\n| [a/none.tac](x) | no |\n| [a/falls.tac\n"
                                         "| [](x) | no |\n| [.tac](x) |", encoding="utf-8")
        environment = {**os.environ, "TACTUS_EXAMPLES": str(shelf)}
        self.assertIn("  falls             a ball falls\n", self.tactus("demo", env=environment)[0])
        self.assertEqual(self.tactus("demo", "--names", env=environment)[0], "falls\n")
        self.tactus("demo", "falls", "--headless", env=environment)
        environment["TACTUS_EXAMPLES"] = str(self.folder / "nowhere")
        _, err = self.tactus("demo", env=environment, code=BAD_INPUT)
        self.assertIn("nowhere", err)
        self.assertIn("TACTUS_EXAMPLES", err)

    def test_a_new_scene_is_whole_and_stays(self):
        self.tactus("new", "first")
        self.assertEqual(self.json("check", "first.tac").get("messages", []), [])
        found = self.json("run", "first.tac", "--no-record")
        self.assertEqual(found["status"], "done")
        self.assertLess(found["end"]["energy"]["total"], found["start"]["energy"]["total"])
        (self.folder / "first.tac").write_text("mine", encoding="utf-8")
        self.assertIn("first.tac exists", self.tactus("new", "first", code=BAD_USAGE)[1])
        self.assertIn("first.tac exists", self.tactus("new", "first.tac", code=BAD_USAGE)[1])
        self.assertEqual((self.folder / "first.tac").read_text(encoding="utf-8"), "mine")
        self.tactus("new", "no/where", code=FAILED)
        self.tactus("new", "", code=BAD_USAGE)
        self.tactus("new", "folder/", code=BAD_USAGE)
        self.assertEqual(self.files(), ["exploding.tac", "falling.tac", "first.tac", "hanging.tac"])

    def complete(self, *words):
        script = self.write("complete.sh", self.tactus("completion", "bash")[0])
        line = " ".join(f"'{word}'" for word in words)
        done = subprocess.run(["bash", "-c", f"source {script}; COMP_WORDS=({line}); COMP_CWORD={len(words) - 1}; _tactus; "
                                             'printf "%s\\n" "${COMPREPLY[@]}"'],
                              cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout.split()

    def test_bash_completes(self):
        self.assertEqual(self.complete(BINARY, "comp"), ["components", "completion"])
        self.assertEqual(self.complete(BINARY, "run", "--th"), ["--threads"])
        self.assertEqual(self.complete(BINARY, "run", "fall"), ["falling.tac"])
        self.assertEqual(self.complete(BINARY, "demo", "jel"), ["jelly"])
        self.assertEqual(self.complete(BINARY, "completion", "z"), ["zsh"])
        self.assertEqual(self.complete(BINARY, "components", "Tri"), ["Triangles", "Trigger"])
        self.assertEqual(self.complete(BINARY, "bench", "sp"), ["spheres"])
        self.assertEqual(self.complete(BINARY, "help", "sch"), ["schema"])
        for command in COMMANDS:
            options = set(re.findall(r"(?<!\S)--[a-z][a-z-]*", self.tactus("help", command)[0].split("Examples\n")[0]
                                     .split("Options\n")[1]))
            offered = set(self.complete(BINARY, command, "--"))
            self.assertLessEqual(offered, options, command)
            self.assertGreaterEqual(len(offered), 1)

    def test_zsh_script_has_all_commands(self):
        text = self.tactus("completion", "zsh")[0]
        self.assertTrue(text.startswith("#compdef tactus\n"))
        for command in COMMANDS:
            self.assertIn(f"\n    {command})\n", text)
        self.tactus("completion", "fish", code=BAD_USAGE)

    @unittest.skipUnless(shutil.which("zsh"), "zsh is not installed")
    def test_zsh_completes(self):
        self.write("_tactus", self.tactus("completion", "zsh")[0])
        with Zsh(self.folder) as zsh:
            for typed, line in (("compo", "components"), ("run --thr", "run --threads="), ("run fall", "run falling.tac"),
                                ("demo jell", "demo jelly"), ("completion z", "completion zsh"), ("bench sp", "bench spheres"),
                                ("help sche", "help schema"), ("run --threads=2 fall", "run --threads=2 falling.tac")):
                self.assertEqual(zsh.complete(f"tactus {typed}")[0].rstrip(), f"tactus {line}")
            for command in COMMANDS:
                page = self.tactus("help", command)[0].split("Examples\n")[0].split("Options\n")[1]
                options = re.findall(r"(?<!\S)--[a-z][a-z-]*", page)
                line, shown = zsh.complete(f"tactus {command} --")
                for option in set(options):
                    # the only option there is has been typed, not listed
                    self.assertIn(option, shown + line, f"{command} {option}")
                self.assertNotRegex(shown, r"_tactus:|_arguments:|bad|invalid", command)

    def test_the_profile_of_a_knot_has_the_rows_of_the_document(self):
        out, _ = self.tactus("bench", "safe", "--quick", "--cells", "2", "--time", "0.1")
        row = re.compile(r"^( *)(\S.*?) +(\d+) +(-?[\d.]+) +(-?[\d.]+) %(?: +([\d.]+) %)?$", re.MULTILINE)
        rows = [(m[1], m[2], int(m[3]), float(m[4]), m[6]) for m in row.finditer(out)]
        main = [r for r in rows if not r[0]]
        self.assertEqual([r[1] for r in main],
                         ["elastic and gravity", "penalty", "slabs, process", "slabs, reschedule", "lists, process",
                          "lists, reschedule", "plan checks and queue", "all"])
        for _, name, events, seconds, _ in rows:
            self.assertGreater(events, 0, name)
            self.assertGreaterEqual(seconds, 0, name)
        rounding = 0.0005 * (len(rows) + 1)
        parts = [r for r in rows if r[0]]
        self.assertAlmostEqual(sum(r[3] for r in main[:-1]), main[-1][3], delta=rounding)
        self.assertAlmostEqual(sum(r[3] for r in parts), main[-2][3], delta=rounding)
        self.assertEqual(sum(r[2] for r in main[:-1]), main[-1][2])
        self.assertEqual([r[4] for r in main], ["4.8", "0.09", "0.9", "1", "5.2", "23", "65", "100"])

    def test_a_benchmark_writes_its_page(self):
        out, _ = self.tactus("bench", "agents", "--quick", "-o", "page.md")
        self.assertRegex(out.strip().splitlines()[-2], r"^agents ratio=\d+\.\d+ basis=published$")
        page = (self.folder / "page.md").read_text(encoding="utf-8")
        for expected in ("| date | 20", "| processor | ", "gcc", "--quick", "| agents | mean delay of ten spheres |",
                         "- agents: ", "section 6.1"):
            self.assertIn(expected, page)
        # the table on the terminal and the one on the page are made from the same rows
        ours = re.search(r"mean delay of ten spheres \| ([\d.]+) ", page).group(1)
        self.assertRegex(out, rf"mean delay of ten spheres +{re.escape(ours)} ms ")
        (self.folder / "page.md").write_text(page + "kept by hand\n", encoding="utf-8")
        self.tactus("bench", "agents", "--quick", "-o", "page.md")
        self.assertEqual((self.folder / "page.md").read_text(encoding="utf-8").count("kept by hand"), 1)
        self.tactus("bench", "agents", "--quick", "-o", "no/where.md", code=FAILED)
        _, err = self.tactus("bench", "agnets", "-o", "none.md", code=BAD_USAGE)
        self.assertIn("agents", err)
        _, err = self.tactus("bench", "fem", "--data", "nowhere", "-o", "fem.md", code=BAD_INPUT)
        self.assertIn("nowhere", err)
        self.assertIn("- fem: did not run here", (self.folder / "fem.md").read_text(encoding="utf-8"))
        self.assertFalse((self.folder / "none.md").exists())

    def test_the_manual_page_has_all_commands(self):
        page, err = self.tactus("help", "--man")
        self.assertEqual(err, "")
        for command in COMMANDS:
            self.assertIn(f"\n.SS tactus {command} ", page)
        self.assertNotRegex(page, r"(?m)^\.(?!SH|SS|TH|TP|PP|B |nf|fi|\\\")", "no text begins with a dot by chance")
        if shutil.which("man"):
            path = self.write("tactus.1", page)
            done = subprocess.run(["man", "--warnings", "-E", "UTF-8", "-l", path], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                  env={**os.environ, "MANWIDTH": "100"})
            self.assertEqual((done.returncode, done.stderr), (0, b""))


class Meshes(CommandTest):
    # a box of 2 x 3 x 4, its faces wound at random
    BOX = ("v 0 0 0\nv 2 0 0\nv 2 3 0\nv 0 3 0\nv 0 0 4\nv 2 0 4\nv 2 3 4\nv 0 3 4\n"
           "f 1 2 3 4\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n")

    def test_a_box_is_reported_and_turned(self):
        self.write("box.obj", self.BOX)
        found = self.json("mesh", "box.obj")
        self.assertTrue(found["closed"] and found["manifold"])
        self.assertFalse(found["oriented"])
        self.assertEqual((found["quads"], found["intersections"], found["area"]), (6, 0, 52))
        found = self.json("mesh", "box.obj", "--orient", "--scale", "0.1", "-o", "out.ply")
        self.assertTrue(found["oriented"])
        self.assertAlmostEqual(found["volume"], 0.024)
        again = self.json("mesh", "out.ply")
        self.assertAlmostEqual(again["volume"], 0.024)
        self.assertAlmostEqual(again["high"][2], 0.4)
        out, _ = self.tactus("mesh", "box.obj")
        self.assertIn("2 x 3 x 4 m", out)
        self.assertIn("--orient", out)

    def test_seams_are_welded(self):
        # every face with corners of its own, a little apart
        lines, points = [], re.findall(r"v (.*)\n", self.BOX)
        for number, face in enumerate(re.findall(r"f (.*)\n", self.BOX)):
            for corner in face.split():
                x, y, z = map(float, points[int(corner) - 1].split())
                lines.append(f"v {x + 1e-7 * number} {y} {z}\n")
            lines.append("f {} {} {} {}\n".format(*range(4 * number + 1, 4 * number + 5)))
        self.write("seams.obj", "".join(lines))
        found = self.json("mesh", "seams.obj")
        self.assertEqual((found["parts"], found["open_edges"], found["closed"]), (6, 24, False))
        found = self.json("mesh", "seams.obj", "--weld", "1e-5", "--orient")
        self.assertEqual((found["parts"], found["points"], found["closed"]), (1, 8, True))
        self.assertAlmostEqual(found["volume"], 24, places=4)

    def test_tetrahedra_fill_it(self):
        self.write("box.obj", self.BOX)
        if not shutil.which("gmsh"):
            self.assertIn("apt install gmsh", self.tactus("mesh", "box.obj", "--orient", "--tetrahedra", code=FAILED)[1])
            return
        found = self.json("mesh", "box.obj", "--orient", "--tetrahedra", "--size", "1", "-o", "box.msh")
        self.assertGreater(found["tetrahedra"], 5)
        self.assertEqual((found["inverted"], found["unused_points"], found["triangles"]), (0, 0, 0))
        self.assertAlmostEqual(found["volume"], 24)
        self.write("solid.tac", '<tactus version="1" dt="0.01" duration="0.05"><node name="n"><ImplicitEuler/><MeshFile file="box.msh"/>'
                                '<Points/><DiagonalMass density="1000"/><Tetrahedra young="1e5"/></node></tactus>')
        self.tactus("run", "solid.tac", "--no-record")

    def test_gmsh_may_be_missing(self):
        self.write("box.obj", self.BOX)
        environment = {**os.environ, "PATH": str(self.folder)}
        _, err = self.tactus("mesh", "box.obj", "--orient", "--tetrahedra", code=FAILED, env=environment)
        self.assertIn("apt install gmsh", err)

    def test_what_cannot_be_done_is_refused(self):
        self.write("open.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
        self.assertIn("not closed", self.tactus("mesh", "open.obj", "--tetrahedra", code=BAD_INPUT)[1])
        self.tactus("mesh", "nowhere.obj", code=BAD_INPUT)
        for words in (["--size", "1"], ["-o", "a.xyz"], ["--scale", "0"], ["--weld", "-1"], ["--weld", "nan"]):
            self.tactus("mesh", "open.obj", *words, code=BAD_USAGE)
        # two tetrahedra through each other
        corner = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
        text = "".join("v {} {} {}\n".format(*(c + s for c in p)) for s in (0, 0.1) for p in corner)
        faces = ((1, 3, 2), (1, 2, 4), (2, 3, 4), (1, 4, 3))
        text += "".join("f {} {} {}\n".format(*(i + s for i in face)) for s in (0, 4) for face in faces)
        self.write("cross.obj", text)
        self.assertGreater(self.json("mesh", "cross.obj")["intersections"], 0)
        self.assertIn("meets itself", self.tactus("mesh", "cross.obj", "--tetrahedra", code=BAD_INPUT)[1])


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[1:]], verbosity=1)
