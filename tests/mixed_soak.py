#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Tactus authors
# SPDX-License-Identifier: MIT

"""Mixed worlds by the command: `mixed_soak.py SEED [KEEP]`; KEEP is a folder in which the scene is left.

Everything in one world, close together, with other numbers for each seed: a cloth by implicit Euler, polyhedra that only fly, a
soft block, a box on an adaptive wire over a wheel, an agglomerate, a CORDIS-ANIMA model, a SOFA scene, joints that close and open,
agents that sleep, things that have several models. Under safe contact, or under the loose scheduler with its virtual clock.
What must hold: no intersection; energy and momentum accounted for; the same bits on 1, 2 and 8 threads and after a
resume; a run that is killed, stopped or finds no room leaves recordings that open and snapshots that lead to the same end,
and ends with the exit code that it should.

TACTUS_BINARY names the command; by default build/tactus.
"""

import json
import os
import pathlib
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

BINARY = os.environ.get("TACTUS_BINARY", str(pathlib.Path(__file__).resolve().parent.parent / "build" / "tactus"))
PATIENCE = 300  # s
DONE, FAILED, STOPPED = 0, 1, 130
SELFLESS = "self='false'"


class Scene:
    def __init__(self, dice):
        self.dice, self.loose = dice, dice.random() < 0.35
        self.parts, self.files = [], {}

    def between(self, low, high):
        return round(self.dice.uniform(low, high), 5)

    def agent(self):
        if self.dice.random() < 0.4:
            return ""
        still = self.dice.choice(("0.02", "0.2", "1"))
        return f"<Agent adaptive='true' rest='{self.dice.choice(('true', 'false'))}' still='{still}' patience='0.03'/>"

    def step(self, *steps):
        """Classes of the ruler; under the loose scheduler any."""
        return round(self.dice.choice(steps) * (self.dice.uniform(0.6, 1) if self.loose else 1), 5)

    def touching(self, low, high):
        """A box that touches, carried by a frame."""
        if self.loose:
            return f"<Shape name='model' size='{high[0] - low[0]} {high[1] - low[1]} {high[2] - low[2]}'/>"
        corners = "low='{} {} {}' high='{} {} {}'".format(*low, *high)
        return f"<node name='s'><Box {corners}/><Points/><RigidMap/><Skin name='model'/></node>"

    def skin(self, radius, more=""):
        return f"<Balls name='model' radius='{radius}' self='false'/>" if self.loose else f"<Skin name='model' {more}/>"

    def floor(self):
        moves = self.dice.choice(("<FixedPoints box='-9 -9 -9 9 9 9'/>",) * 3 + (
            f"<ScriptedMotion times='0.1 0.2 0.3' offsets='0 0 0 0 {self.between(0, 0.02)} 0 {self.between(-0.02, 0.02)} 0 0'/>",))
        if self.loose:
            return f"<node name='floor'><Frames positions='0 -0.1 0 0 0 0 1'/>{moves}<Shape name='model' size='6 0.2 4'/></node>"
        return f"<node name='floor'><Sheet divisions='1' width='6' depth='4'/><Points/>{moves}<Skin name='model'/></node>"

    def cloth(self):
        n = self.dice.randrange(3, 6)
        held = f"<FixedPoints name='held' points='0 {n} {n * (n + 1)} {(n + 1) * (n + 1) - 1}'/>"
        release = self.loose and self.dice.random() < 0.5  # safe contact cannot let go of skins
        trigger = f"<Trigger when='time' value='{self.between(0.05, 0.2)}' then='release' what='@held'/>" if release else ""
        linear = self.dice.choice(("<SparseDirect/>", "", "<PreconditionedConjugateGradient/>"))
        return (f"<node name='cloth'><ImplicitEuler step='{self.step(0.01, 0.005)}' damping_stiffness='0.005'/>{linear}"
                f"{self.agent()}<Sheet divisions='{n}' width='0.6' depth='0.6' translation='-0.4 {self.between(0.3, 0.36)} 0'/>"
                f"<Points/><UniformMass total='0.2'/><Springs stiffness='{self.between(50, 400)}' damping='0.2'/>{held}{trigger}"
                f"{self.skin(0.04)}</node>")

    def rocks(self):
        rows = []
        for i in range(self.dice.randrange(1, 4)):
            solver = "<SymplecticEuler/>" if self.loose else self.dice.choice(("", "<SymplecticEuler step='0.005'/>"))
            agent = self.agent() if solver else ""
            at = f"{self.between(-0.5, -0.3)} {0.5 + 0.22 * i} {self.between(-0.1, 0.1)}"
            turn = " ".join(str(self.between(-0.3, 0.3)) for _ in range(3))
            rows.append(f"<node name='rock{i}'>{solver}{agent}<Frames positions='{at} {turn} 1' velocities='0 {self.between(-2, 0)} "
                        f"0 {self.between(-5, 5)} 0 0'/><UniformMass mass='{self.between(0.05, 0.3)}' box='0.12 0.12 0.12'/>"
                        f"{self.touching((-0.06,) * 3, (0.06,) * 3)}</node>")
        return "".join(rows)

    def block(self):
        law = self.dice.choice(("Tetrahedra", "HyperelasticTetrahedra"))
        return (f"<node name='block'><ImplicitEuler step='{self.step(0.0025, 0.005, 0.01)}' damping_stiffness='0.01'/><SparseDirect/>"
                f"{self.agent()}<Grid counts='2 2 2' low='0.08 {self.between(0.01, 0.05)} -0.1' high='0.28 0.2 0.1' split='true'/>"
                f"<Points/><UniformMass total='0.6'/><{law} young='{self.between(3000, 30000)}'/>{self.skin(0.05, SELFLESS)}</node>")

    def hung(self):
        wheel = "" if self.loose else (
            "<node name='wheel'><Cylinder radius='0.06' height='0.16' sides='8' rotation='90 0 0' translation='0.75 0.62 -0.08'/>"
            "<Points/><FixedPoints box='-9 -9 -9 9 9 9'/><Skin/></node>")
        skin = "" if self.loose else "<Skin radius='0.004' self='false' group='2' mask='0 2'/>"
        box = self.touching((-0.06,) * 3, (0.06,) * 3).replace("name='model'", "group='1' name='model'")
        if self.loose:
            wire = "<Line divisions='8' from='0.75 0.9 0' to='0.65 0.4 0'/><Points/>"
            ends, other = "end='@../box/frames'", ""
            held = "<FixedPoints points='0'/>"
        else:
            wire = ("<Line divisions='8'/><Points positions='0.65 0.4 0 0.65 0.5 0 0.65 0.6 0 0.65 0.7 0 0.75 0.7 0 0.85 0.7 0 "
                    "0.85 0.6 0 0.85 0.5 0 0.85 0.4 0'/>")
            ends, held = "start='@../box/frames' end='@../weight/frames'", ""
            other = (f"<node name='weight'><Frames positions='0.85 0.35 0 0 0 0 1'/><UniformMass mass='{self.between(0.1, 0.5)}' "
                     f"box='0.08 0.08 0.08'/>{box.replace('0.06', '0.04')}</node>")
        return (f"{wheel}<node name='hung'><Spook step='{self.step(0.00125, 0.0025)}'/><node name='box'><Frames positions='0.65 {0.34 if self.loose else 0.28} 0 0 0 0 1'/>"
                f"<UniformMass mass='{self.between(0.1, 0.5)}' box='0.12 0.12 0.12'/>{box}</node>{other}<node name='wire'>{wire}"
                f"<Wire mass='0.05' {ends} level='3'/>{held}{skin}</node></node>")

    def poured(self):
        solver = "<SymplecticEuler step='0.002'/>" if self.loose else ""
        return (f"<node name='poured'>{solver}<Points positions='0.14 0.36 0 0.19 0.36 0 0.165 0.36 0.043 0.165 0.403 0.016 "
                "0.66 0.90 0.02 0.71 0.90 0.02 0.685 0.943 0.02 0.685 0.915 0.065'/><UniformMass mass='0.01'/>"
                f"<Liaisons fit='lennard-jones' depth='0.002' distance='0.052' exponent='4' viscosity='{self.between(0, 0.1)}'/>"
                "<Balls name='model' radius='0.018'/></node>")

    def linked(self):
        """Two rods that become one agent, and part."""
        rows, step = "", self.step(0.005, 0.0025)
        for name, x in (("left", 1.3), ("right", 1.62)):
            rows += (f"<node name='{name}'><Spook step='{step}'/><Frames positions='{x} {self.between(0.15, 0.4)} 0 0 0 0 1'/>"
                     f"<UniformMass mass='0.4' box='0.2 0.1 0.1'/>{self.touching((-0.1, -0.05, -0.05), (0.1, 0.05, 0.05))}</node>")
        kind = self.dice.choice(("BallJoint", "LockJoint", "HingeJoint"))
        closes, opens = self.between(0.02, 0.15), self.between(0.15, 0.4)
        return (f"{rows}<{kind} name='link' matter='@left/frames' other='@right/frames' at='0.16 0 0' open='true'/>"
                f"<Trigger name='closed' when='time' value='{closes}' then='close' what='@link'/>"
                f"<Trigger after='@closed' when='time' value='{opens}' then='open' what='@link'/>")

    def model(self):
        self.files["balls.ca"] = (f"RATE {self.dice.choice((400, 1000, 2000))}\nGRAVITY 9.81\nDEFMASS m .02\nDEFLJ f .02 .05 4\n"
                                  f"VISCFI f {self.between(0, 0.2)}\nDEFMOB balls {self.dice.randrange(3, 12)} m AGGLO f\n"
                                  "POSITAROUND balls (-1.2,.35,0) [.07,.05,.07]\nRADIUS balls .022\n")
        touch = "<Balls matter='@/ca/balls/balls' radius='0.022' self='false'/>" if self.loose else ""
        return f"<include file='balls.ca' name='ca'/><node name='touch_ca'>{touch}</node>"

    def sofa(self):
        self.files["slab.scn"] = (
            f"<?xml version='1.0'?><Node name='root' gravity='0 -9.81 0' dt='0.005'><Node name='slab'><EulerImplicitSolver "
            "rayleighStiffness='0.01' rayleighMass='0.1'/><CGLinearSolver iterations='60' tolerance='1e-9' threshold='1e-9'/>"
            "<RegularGridTopology nx='3' ny='2' nz='3' xmin='-1.4' xmax='-1' ymin='0.05' ymax='0.15' zmin='-0.2' zmax='0.2'/>"
            "<MechanicalObject name='state'/><UniformMass totalMass='0.8'/><HexahedronFEMForceField "
            f"youngModulus='{self.between(3000, 9000)}' poissonRatio='0.3' method='large'/></Node></Node>")
        touch = "<Balls matter='@/sofa/slab/state' radius='0.045' self='false'/>" if self.loose else (
            "<Grid counts='3 2 3' low='-1.4 0.05 -0.2' high='-1 0.15 0.2'/><Skin matter='@/sofa/slab/state' self='false'/>")
        return f"<include file='slab.scn' name='sofa'/><node name='touch_sofa'>{touch}</node>"

    def levels(self):
        """A hanging cloth with two models, which somebody looks at and away from."""
        rows = "".join(
            f"<node name='r{n}'><ImplicitEuler/><Sheet divisions='{n}' width='0.4' depth='0.4' translation='0 1.6 0'/><Points/>"
            "<DiagonalMass density='0.3'/><MeshSprings membrane='5'/><FixedPoints points='0'/></node>" for n in (1, 4))
        return (f"<node name='seen'><Levels patience='0' cost='1e-5' focus='0.1 {self.between(0.15, 0.3)} 1e9'/>{rows}</node>"
                "<ViewPath times='0 0.3' eyes='0 1 2 0 1 2' targets='0 0 0 0 1 9'/>")

    def write(self, folder):
        parts = [self.cloth, self.rocks, self.block, self.hung, self.poured, self.linked, self.model, self.sofa, self.levels]
        parts = [part for part in parts if self.dice.random() < 0.75] or parts
        contact = (f"<Contact method='{'loose' if self.loose else 'safe'}' thickness='{self.dice.choice((0.004, 0.008))}' "
                   f"friction='{self.dice.choice((0, 0.4))}' restitution='{self.dice.choice((0, 0.3, 0.9))}'/>")
        text = (f"<tactus version='1' dt='0.01' duration='{self.dice.choice((0.4, 0.6))}'"
                f"{' scheduler=' + chr(39) + 'loose' + chr(39) if self.loose else ''}>{contact}{self.floor()}"
                f"{''.join(part() for part in parts)}<Record fps='50'/></tactus>")
        (folder / "scene.tac").write_text(text.replace("><", ">\n<"))
        for name, content in self.files.items():
            (folder / name).write_text(content)


class Runs:
    def __init__(self, folder, dice, loose):
        self.folder, self.dice, self.loose = folder, dice, loose

    def tactus(self, *words, good=(DONE,), limit=None):
        def narrow():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            if limit is not None:
                resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
        done = subprocess.run([BINARY, *words], cwd=self.folder, capture_output=True, text=True, timeout=PATIENCE, preexec_fn=narrow)
        if done.returncode not in good or "Sanitizer" in done.stderr or "runtime error" in done.stderr:
            raise AssertionError(f"{' '.join(words)}: exit code {done.returncode}: {done.stderr}")
        if done.returncode == FAILED and "error" not in done.stderr:
            raise AssertionError(f"{' '.join(words)}: it failed without a word: {done.stderr}")
        return done

    def run(self, *words):
        return json.loads(self.tactus("run", "scene.tac", "--json", *words).stdout.splitlines()[-1])

    def look_at(self, hash_):
        """What a run that came to no good end left."""
        recording, snapshot = self.folder / "a.tacrec", self.folder / "scene.tacsnap"
        if recording.exists() and recording.stat().st_size > 0:
            self.tactus("info", "a.tacrec")
            if json.loads(self.tactus("info", "a.tacrec", "--json").stdout)["frames"] > 0:
                self.tactus("export", "a.tacrec", "-o", self.dice.choice(("a.csv", "a.obj", "a.pvd", "a.usda")))
        if snapshot.exists():
            again = self.run("--resume", "scene.tacsnap", "--no-record", "--threads", str(self.dice.randrange(1, 4)))
            assert again["hash"] == hash_, "other bits from the snapshot that was left"
        for path in (recording, snapshot):
            path.unlink(missing_ok=True)

    def hurt(self, hash_):
        words = ["run", "scene.tac", "-q", "-o", "a.tacrec", "--snapshot-every", str(self.dice.choice((0.02, 0.05, 0.1)))]
        way = self.dice.choice(("kill", "stop", "end", "disk"))
        if way == "disk":
            self.tactus(*words, good=(DONE, FAILED), limit=self.dice.randrange(200, 200000))
        else:
            sign = {"kill": signal.SIGKILL, "stop": signal.SIGINT, "end": signal.SIGTERM}[way]
            good = {"kill": (-signal.SIGKILL, DONE), "stop": (STOPPED, DONE), "end": (STOPPED, 143, -signal.SIGTERM, DONE)}[way]
            with subprocess.Popen([BINARY, *words], cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as process:
                time.sleep(self.dice.uniform(0.05, 0.6))  # the program has begun: before that a signal is nobody's
                process.send_signal(sign)
                err = process.communicate(timeout=PATIENCE)[1].decode()
            assert process.returncode in good, f"{way}: exit code {process.returncode}: {err}"
        self.look_at(hash_)
        return way


def check(scene, runs):
    audit = [] if scene.loose else ["--audit"]
    one = runs.run("--no-record", "--accounts", "--threads", "1", *audit)
    accounts = one["accounts"]
    scale = 1 + abs(accounts["start"]) + abs(accounts["end"]) + sum(abs(r["work"]) + abs(r["stored"]) for r in accounts["rows"])
    impulse = 1 + sum(sum(map(abs, r["linear"])) for r in accounts["rows"])
    # free flight turns bodies by a formula that keeps their energy to its third order
    assert abs(accounts["unaccounted"]) < 1e-3 * scale, f"{accounts['unaccounted']} J of {scale} J are not accounted for"
    assert max(map(abs, accounts["linear_unaccounted"])) < 1e-9 * impulse, f"{accounts['linear_unaccounted']} N s not accounted for"
    if audit:
        assert one["audit"]["intersections"] == 0, one["audit"]
    end = one["simulated_time"]
    for threads in (2, 8):
        at = round(runs.dice.uniform(0, end), 4)
        run = runs.run("--no-record", "--threads", str(threads), "--snapshot", f"s.tacsnap@{at}")
        assert run["hash"] == one["hash"], f"other bits on {threads} threads"
        rest = runs.run("--no-record", "--threads", str(1 + threads % 3), "--resume", "s.tacsnap", *audit)
        assert rest["hash"] == one["hash"], f"other bits after a resume at {at} s"
    return one["hash"]


def main():
    seed = sys.argv[1]
    dice = random.Random(seed)
    scene = Scene(dice)
    folder = pathlib.Path(sys.argv[2] if len(sys.argv) > 2 else tempfile.mkdtemp(prefix="tactus-mixed-"))
    folder.mkdir(exist_ok=True)
    scene.write(folder)
    try:
        runs = Runs(folder, dice, scene.loose)
        hash_ = check(scene, runs)
        ways = [runs.hurt(hash_) for _ in range(3)]
        print(f"mixed: seed {seed}: {'loose' if scene.loose else 'safe'}, {', '.join(ways)}")
        return 0
    except AssertionError as why:
        print(f"mixed: seed {seed}: {why}")
        return 1
    finally:
        if len(sys.argv) <= 2:
            shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
