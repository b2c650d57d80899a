#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Tactus authors
# SPDX-License-Identifier: MIT

"""What a run leaves when it is stopped, killed, or finds no room: snapshots that are whole or absent, recordings that
open up to their last frame, and runs that go on to the same bits.

ctest sets TACTUS_BINARY (the command) and TACTUS_SOURCE.
"""

import os
import random
import resource
import shutil
import signal
import subprocess
import unittest

from cli_test import BAD_INPUT, BAD_USAGE, DONE, FAILED, PATIENCE, STOPPED, CommandTest

# Two agents of the loose scheduler that fall on the ground.
LOOSE = """<tactus version="1" dt="0.005" duration="0.5" scheduler="loose">
  <Record fps="40"/>
  <node name="ground"><Frames/><Shape shape="half_space"/></node>
  <node name="a"><SymplecticEuler/><Agent frequency="200"/><Frames positions="0 0.4 0 0 0 0 1" velocities="1 0 0 0 0 3"/>
    <UniformMass box="0.2 0.2 0.2"/><Shape size="0.2 0.2 0.2"/></node>
  <node name="b"><SymplecticEuler/><Agent frequency="150"/><Frames positions="0.1 0.8 0 0 0 0 1"/>
    <UniformMass/><Shape shape="sphere" radius="0.1"/></node>
</tactus>
"""


class Snapshots(CommandTest):
    def setUp(self):
        super().setUp()
        self.write("loose.tac", LOOSE)

    def test_resumed_runs_end_with_the_same_bits(self):
        for scene in ("hanging.tac", "loose.tac", "falling.tac"):
            for at in ("0.2", "0.2137", "0"):
                whole = self.json("run", scene, "-o", "whole.tacrec")
                first = self.json("run", scene, "--snapshot", f"a@b.tacsnap@{at}", "--no-record")
                self.assertEqual(first["hash"], whole["hash"], "a snapshot on the way changes nothing")
                self.assertEqual([s["path"] for s in first["snapshots"]], ["a@b.tacsnap"])
                self.assertAlmostEqual(first["snapshots"][0]["time"], float(at), 9)
                rest = self.json("run", scene, "--resume", "a@b.tacsnap", "-o", "rest.tacrec", "--threads", "2")
                self.assertEqual(rest["hash"], whole["hash"], (scene, at))
                self.assertAlmostEqual(rest["resumed_at"], float(at), 9)
                self.assertEqual(rest["simulated_time"], whole["simulated_time"])
                # the recording begins at the snapshot, and then has the frames of the whole run
                self.tactus("export", "whole.tacrec", "-o", "whole.csv")
                self.tactus("export", "rest.tacrec", "-o", "rest.csv")
                wall = [i for i, name in enumerate(self.rows("whole.csv")[0]) if "wall" in name]
                plain = lambda rows: [[x for i, x in enumerate(row) if i not in wall] for row in rows[1:]]
                first_rows, rows = plain(self.rows("whole.csv")), plain(self.rows("rest.csv"))
                self.assertAlmostEqual(self.json("info", "rest.tacrec")["from"], float(at), 9)
                self.assertEqual(rows[1:], first_rows[len(first_rows) - len(rows) + 1:])

    def rows(self, name):
        return [line.split(",") for line in (self.folder / name).read_text().splitlines()]

    def test_several_and_every_so_often(self):
        result = self.json("run", "hanging.tac", "--snapshot", "a.tacsnap@0.1", "--snapshot", "b.tacsnap", "--snapshot",
                           "c.tacsnap@0.3", "--no-record")
        self.assertEqual([s["time"] for s in result["snapshots"]], [0.1, 0.5, 0.3])
        self.assertEqual(self.json("info", "c.tacsnap")["time"], 0.3)
        result = self.json("run", "hanging.tac", "--snapshot-every", "0.2", "--no-record", "--time", "0.45")
        self.assertEqual([(s["path"], s["time"]) for s in result["snapshots"]], [("hanging.tacsnap", 0.45)])
        # from its end to a later one
        later = self.json("run", "hanging.tac", "--resume", "hanging.tacsnap", "--snapshot-every", "0.2", "--no-record")
        self.assertEqual(later["hash"], self.json("run", "hanging.tac", "--no-record")["hash"])
        ended = self.json("run", "hanging.tac", "--resume", "hanging.tacsnap", "--no-record")
        self.assertEqual((ended["simulated_time"], ended["hash"]), (0.5, later["hash"]))
        out, _ = self.tactus("run", "hanging.tac", "--resume", "b.tacsnap")
        self.assertIn("from 0.5 s to 0.5 s", out)

    def test_info(self):
        self.tactus("run", "loose.tac", "--seed", "7", "--snapshot", "a.tacsnap@0.25", "--no-record")
        info = self.json("info", "a.tacsnap")
        self.assertEqual((info["kind"], info["scene"], info["time"], info["seed"], info["scheduler"]),
                         ("snapshot", "loose.tac", 0.25, 7, "loose"))
        self.assertEqual(info["bytes"], (self.folder / "a.tacsnap").stat().st_size)
        out, _ = self.tactus("info", "a.tacsnap")
        self.assertIn("a snapshot of loose.tac\n  at 0.25 s", out)

    def test_what_makes_no_sense_is_bad_usage(self):
        self.tactus("run", "hanging.tac", "--snapshot", "a.tacsnap", "--no-record")
        for words, text in ((["--snapshot", "b.tacsnap@0.7"], "the run ends at 0.5 s"),
                            (["--snapshot", "b.tacsnap@-1"], "0 or more"),
                            (["--snapshot", "b.snap"], ".tacsnap"),
                            (["--snapshot", "b.tacsnap", "--snapshot", "b.tacsnap@0.1"], "twice"),
                            (["--snapshot-every", "0"], "snapshot-every"),
                            (["--resume", "a.tacsnap", "--time", "0.3"], "longer --time"),
                            (["--resume", "a.tacsnap", "--snapshot", "b.tacsnap@0.3", "--time", "1"], "begins at 0.5"),
                            (["--resume", "a.tacsnap", "--sweep", "n=3,4"], "--sweep")):
            _, err = self.tactus("run", "hanging.tac", "--no-record", *words, code=BAD_USAGE)
            self.assertIn(text, err)
        self.assertNotIn("b.tacsnap", self.files())

    def test_files_that_are_refused(self):
        self.tactus("run", "hanging.tac", "--snapshot", "a.tacsnap", "--no-record")
        whole = (self.folder / "a.tacsnap").read_bytes()
        flipped = bytearray(whole)
        flipped[len(whole) // 2] ^= 4
        newer = bytearray(whole)
        newer[8] += 1
        for name, data, text in (("cut", whole[:-1], "cut off"), ("flipped", flipped, "checksum"), ("newer", newer, "newer"),
                                 ("text", b"no snapshot", "not a snapshot"), ("empty", b"", "not a snapshot")):
            (self.folder / f"{name}.tacsnap").write_bytes(data)
            for words in (["run", "hanging.tac", "--no-record", "--resume"], ["info"]):
                _, err = self.tactus(*words, f"{name}.tacsnap", code=BAD_INPUT)
                self.assertTrue(err.startswith(f"{name}.tacsnap: error: "), err)
                self.assertIn(text, err)
        self.assertIn("another scene", self.tactus("run", "falling.tac", "--resume", "a.tacsnap", code=BAD_INPUT)[1])
        self.assertIn("seed", self.tactus("run", "hanging.tac", "--seed", "2", "--resume", "a.tacsnap", code=BAD_INPUT)[1])
        self.assertIn("another scene", self.tactus("run", "hanging.tac", "--set", "n=7", "--resume", "a.tacsnap",
                                                   code=BAD_INPUT)[1])
        self.assertIn("No such file", self.tactus("run", "hanging.tac", "--resume", "none.tacsnap", code=BAD_INPUT)[1])
        _, err = self.tactus("run", "hanging.tac", "--no-record", "--set", "/block/law.stiffness=300", "--time", "1",
                             "--resume", "a.tacsnap")
        self.assertIn("other values", err)

    def test_a_failed_world_leaves_the_last_good_one(self):
        self.tactus("run", "exploding.tac", "--snapshot-every", "0.03", "--no-record", code=FAILED)
        if "exploding.tacsnap" in self.files():
            self.tactus("info", "exploding.tacsnap")


class Stopped(CommandTest):
    def test_ctrl_c_leaves_a_snapshot_to_go_on_from(self):
        process = self.start("run", "hanging.tac", "--set", "n=20", "--time", "3000", "-o", "a.tacrec", "--snapshot",
                             "a.tacsnap")
        self.wait_for_bytes("a.tacrec", 20000)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=PATIENCE)
        self.assertEqual(process.returncode, STOPPED)
        at = self.json("info", "a.tacsnap")["time"]
        end = repr(at + 0.1)
        whole = self.json("run", "hanging.tac", "--set", "n=20", "--no-record", "--time", end)
        rest = self.json("run", "hanging.tac", "--set", "n=20", "--no-record", "--time", end, "--resume", "a.tacsnap")
        self.assertEqual(rest["hash"], whole["hash"])

    def test_killed_at_random_times(self):
        """Again and again, each going on from the last snapshot: in the end the bits of a run that was left alone."""
        words = ["run", "hanging.tac", "--set", "n=12", "--time", "4", "-q"]
        chance = random.Random(3)
        kills = 0
        for attempt in range(60):
            resume = ["--resume", "a.tacsnap"] if (self.folder / "a.tacsnap").exists() else []
            (self.folder / "a.tacrec").unlink(missing_ok=True)
            process = self.start(*words, "-o", "a.tacrec", "--snapshot", "a.tacsnap", "--snapshot-every", "0.02", *resume)
            try:
                process.wait(timeout=0.02 + chance.random() * 0.4 if attempt < 25 else PATIENCE)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
                kills += 1
            if (self.folder / "a.tacsnap").exists():
                self.tactus("info", "a.tacsnap")  # whole
            if (self.folder / "a.tacrec").exists() and (self.folder / "a.tacrec").stat().st_size:
                self.check_recording()
            if process.returncode == DONE:
                break
            self.assertEqual(process.returncode, -signal.SIGKILL)
        self.assertGreater(kills, 0)
        done = self.json("run", "hanging.tac", "--set", "n=12", "--time", "4", "--no-record", "--resume", "a.tacsnap")
        whole = self.json("run", "hanging.tac", "--set", "n=12", "--time", "4", "--no-record")
        self.assertEqual(done["hash"], whole["hash"])

    def check_recording(self):
        """It opens, and each frame it says it has can be exported; or it was killed before its head was written."""
        done = subprocess.run([os.environ["TACTUS_BINARY"], "export", "a.tacrec", "-o", "a.csv"], cwd=self.folder,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False, timeout=PATIENCE)
        if done.returncode == DONE:
            frames = self.json("info", "a.tacrec")["frames"]
            self.assertEqual(len((self.folder / "a.csv").read_text().splitlines()), frames + 1)
        else:
            self.assertIn(done.returncode, (FAILED, BAD_INPUT), done.stderr)


class NoRoom(CommandTest):
    """Files that may not grow, as on a full disk: said, exit code 1, and what was there stays."""

    def limited(self, limit, *words):
        def restrict():
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

        _, err = self.tactus(*words, code=FAILED, preexec_fn=restrict)
        self.assertRegex(err, "cannot be written|could not be written|cannot be made|no room|too large|File too large")
        return err

    def test_each_kind_of_file(self):
        self.tactus("run", "hanging.tac", "-q", "-o", "b.tacrec", "--snapshot", "b.tacsnap")
        self.write("heard.tac", '<tactus version="1" dt="0.0005" duration="1"><node name="n"><SymplecticEuler/><Points '
                                'positions="0 0 0 1 0 0" velocities="0 0 0 0 1 0"/><UniformMass/><Springs pairs="0 1" '
                                'stiffness="1000"/><Listen point="1"/></node></tactus>')
        before = {name: (self.folder / name).read_bytes() for name in self.files()}
        for words in (["run", "hanging.tac", "--time", "5", "-o", "b.tacsnap.tacrec"],
                      ["run", "hanging.tac", "--no-record", "--time", "1", "--snapshot", "b.tacsnap"],
                      ["run", "hanging.tac", "--no-record", "--time", "1", "--snapshot-every", "0.1"],
                      ["export", "b.tacrec", "-o", "c.obj"], ["export", "b.tacrec", "-o", "c.pvd"],
                      ["export", "b.tacrec", "-o", "c.usda"], ["export", "b.tacrec", "-o", "c.csv"],
                      ["plot", "b.tacrec", "energy", "-o", "c.svg"], ["render", "b.tacrec", "-o", "c.png"],
                      ["sound", "heard.tac", "-o", "c.wav"]):
            self.limited(2000, *words)
            for name, data in before.items():
                self.assertEqual((self.folder / name).read_bytes(), data, f"{words} changed {name}")
        self.assertFalse([name for name in self.files() if name.endswith(".part")])
        self.assertNotIn("hanging.tacsnap", self.files())

    def test_a_recording_survives_a_snapshot_that_does_not_fit(self):
        disk = self.folder / "disk"
        disk.mkdir()
        mounted = os.geteuid() == 0 and shutil.which("mount") and subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "size=8k", "tmpfs", str(disk)], stderr=subprocess.DEVNULL).returncode == 0
        if not mounted:
            self.skipTest("a small disk can be mounted by root only")
        self.addCleanup(subprocess.run, ["umount", str(disk)])
        _, err = self.tactus("run", "hanging.tac", "--set", "n=20", "-o", "a.tacrec", "--snapshot", "disk/a.tacsnap@0.2",
                             code=FAILED)
        self.assertIn("disk/a.tacsnap", err)
        info = self.json("info", "a.tacrec")
        self.assertEqual((info["damage"], info["to"]), (None, 0.2))
        self.assertEqual(self.files("disk"), [])


if __name__ == "__main__":
    unittest.main(verbosity=2)
