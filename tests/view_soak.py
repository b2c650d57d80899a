#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Tactus authors
# SPDX-License-Identifier: MIT

"""A week of abuse of the live view: `view_soak.py ABUSE_SOAK SEED`.

Random scenes of abuse_soak are served, each by a `tactus view` of its own, while several pages at once say what pages say,
what no page would, and nonsense, leave in the middle of a sentence and never acknowledge; while the disk fills, files run
out, or the program is killed. What must hold: it does not crash and does not hang; whoever comes after all that is served,
as long as it runs; what was saved can be read.
"""

import json
import os
import pathlib
import random
import resource
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time

import view_server_test
from view_server_test import BINARY, Client, Refused, Server

SCENES = 6
SAYINGS = 60  # by each page

NUMBERS = (0, 1, -1, 2, 7, 0.5, -0.3, 1e-9, 1e9, 1e300, -1e300, 2**31, 2**63, -2**63, 2**64)
FIELDS = {
    "pause": (), "play": (), "step": ("n",), "reset": (), "speed": ("value",), "ack": ("frame",), "seek": ("time",),
    "tree": (), "set": ("path", "attribute", "value"), "undo": (),
    "grab": ("hand", "track", "point", "target", "strength"), "drag": ("hand", "target"), "release": ("hand",),
    "pin": ("track", "point"), "unpin": ("track", "point"), "sphere": ("on", "center", "radius", "velocity"),
    "camera": ("eye", "target"), "select": ("path",), "colour": ("by",), "show": ("what", "on"), "save": ("what",),
    "gallery": ("index",),
}
USUAL = tuple(kind for kind in FIELDS if kind not in ("gallery", "reset", "save"))


class Frame:
    """A frame of whatever kinds of matter: only its number is looked at."""

    def __init__(self, data):
        self.number = struct.unpack_from("<I", data, 4)[0]


view_server_test.Frame = Frame


class Sayings:
    """What a page may say, more or less."""

    def __init__(self, dice):
        self.dice = dice

    def vector(self):
        return [self.dice.uniform(-1, 1) for _ in range(3)]

    def path(self):
        body = self.dice.choice(("/b0", "/b1", "/b2", "/floor", "", "/nobody"))
        return body + self.dice.choice(("", "/solver", "/matter", "/springs", "/tetrahedra", "/uniformMass", "/model"))

    def value(self, field):
        dice = self.dice
        if dice.random() < 0.1:
            return dice.choice((*NUMBERS, "x" * dice.choice((1, 200, 5000)), [], {}, None, [[[]]], True, "\u0000", "NaN"))
        if field in ("target", "center", "eye", "velocity"):
            return self.vector()
        if field in ("hand", "track", "point", "index", "frame"):
            return dice.randrange(dice.choice((2, 12, 100)))
        choices = {"n": (1, 2, 5), "on": (True, False), "time": (0, 0.02, 0.1, 5), "radius": (0.01, 0.1, 0.5, 3),
                   "strength": (1, 30, 200), "by": ("speed", "force", "none", "energy", "stress"),
                   "what": ("scene", "recording", "inputs", "contacts", "clocks", "forces", "recording"),
                   "attribute": ("stiffness", "young", "step", "damping", "friction", "mass", "points"),
                   "value": (0.5, 2, "10", "0", "-1", "1e4", "0.001", "@/b0/matter")}
        return self.path() if field == "path" else dice.choice(choices[field])

    def message(self):
        kind = self.dice.choice(USUAL if self.dice.random() < 0.9 else tuple(FIELDS))
        fields = {f: self.value(f) for f in FIELDS[kind] if self.dice.random() < 0.95}
        return json.dumps({"type": kind, **fields}).encode()

    def damaged(self):
        data = bytearray(self.message())
        for _ in range(self.dice.randrange(1, 4)):
            at = self.dice.randrange(len(data))
            if self.dice.random() < 0.3:
                del data[at:]
                break
            data[at] = self.dice.randrange(256)
        return bytes(data) or b"{"


def talk(client, dice, say):
    """One thing that a page does. False: it has gone."""
    what = dice.random()
    if what < 0.72:
        client.send_frame(1, say.message())
    elif what < 0.84:
        client.send_frame(1, say.damaged())
    elif what < 0.88:
        client.send_frame(dice.randrange(16), dice.randbytes(dice.randrange(200)), final=dice.random() < 0.7)
    elif what < 0.89:
        client.send_frame(1, say.message(), length=dice.choice((1, 100000, 2**40)))  # it lies about its length
        return False
    elif what < 0.91:
        return False  # it leaves without a word
    else:
        client.socket.settimeout(0.05)
        try:
            client.receive()
        except (TimeoutError, ConnectionError, ValueError, UnicodeDecodeError):
            pass
        client.socket.settimeout(view_server_test.PATIENCE)
    return True


def abuse(server, dice):
    say, pages = Sayings(dice), []
    for _ in range(SAYINGS):
        if len(pages) < 4 and dice.random() < 0.3:
            try:
                pages.append(Client(server, acknowledge=dice.random() < 0.7))
            except (Refused, OSError):
                pass  # there are many of us
        if not pages:
            continue
        page = dice.choice(pages)
        try:
            stays = talk(page, dice, say)
        except OSError:
            stays = False
        if not stays:
            page.socket.close()
            pages.remove(page)
        if dice.random() < 0.1:
            time.sleep(0.02)
    for page in pages:
        page.socket.close()


def serves(server):
    """Whoever comes after all that is told who is there, and is shown a frame."""
    end = time.monotonic() + 3 * view_server_test.PATIENCE
    while True:
        try:
            with Client(server) as client:
                client.text("hello")
                client.say("play")
                client.frame()
                return
        except (Refused, OSError):
            if time.monotonic() > end or server.process.poll() is not None:
                raise
            time.sleep(0.2)  # those before it are still being seen off


class Limits:
    """For the program that is started within: so many bytes for a file, so many files at once."""

    def __init__(self, fault, dice):
        self.kind = {"disk": resource.RLIMIT_FSIZE, "files": resource.RLIMIT_NOFILE}.get(fault)
        self.most = dice.randrange(60000) if fault == "disk" else dice.randrange(14, 60)

    def __enter__(self):
        if self.kind is not None:
            self.before = resource.getrlimit(self.kind)
            resource.setrlimit(self.kind, (self.most, self.before[1]))

    def __exit__(self, *unused):
        if self.kind is not None:
            resource.setrlimit(self.kind, self.before)


def look_at_files(folder):
    for path in folder.iterdir():
        if path.suffix == ".tacrec" and path.stat().st_size > 0:  # one that could not even be begun has nothing in it
            read = ["info", str(path)]
        elif path.suffix == ".tacin":
            read = ["run", "scene.tac", "--inputs", str(path), "--steps", "1", "--no-record", "-q"]
        else:
            continue
        done = subprocess.run([BINARY, *read], capture_output=True, text=True)
        if done.returncode != 0:
            raise AssertionError(f"{path.name} cannot be read: {done.stderr}")


def one_scene(program, seed, number):
    dice = random.Random(f"{seed} {number}")
    folder = pathlib.Path(tempfile.mkdtemp(prefix="tactus-view-soak-"))
    try:
        scene = subprocess.run([program, seed, str(number), "show", str(folder)], capture_output=True, check=True).stdout
        (folder / "scene.tac").write_bytes(scene)
        os.chdir(folder)
        fault = dice.choice(("none", "none", "none", "disk", "files"))
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        try:
            with Limits(fault, dice):
                server = Server(folder / "scene.tac", "--threads", str(dice.randrange(1, 3)))
        except AssertionError as why:
            if fault == "files" or "error" in str(why) or "intersect" in str(why):
                return "refused"
            raise
        try:
            ending = dice.choice(("served", "served", "served", "killed", "ended"))
            if ending == "killed":
                pid = os.fork()
                if pid == 0:
                    time.sleep(dice.random())
                    server.process.kill()
                    os._exit(0)
            abuse(server, dice)
            if ending == "killed":
                os.waitpid(pid, 0)
            elif ending == "served" and fault != "files":
                serves(server)
            code, err = server.end(signal.SIGINT if ending != "ended" else signal.SIGTERM)
            good = {"killed": (-signal.SIGKILL, 0), "served": (0, 130), "ended": (0, -signal.SIGTERM, 143)}[ending]
            if code not in good or "Sanitizer" in err or "runtime error" in err:
                raise AssertionError(f"it ended with {code}: {err}")
        finally:
            server.process.kill()  # where it has not ended
        look_at_files(folder)
        return ending
    finally:
        os.chdir("/")
        shutil.rmtree(folder, ignore_errors=True)


def main():
    program, seed = os.path.abspath(sys.argv[1]), sys.argv[2]
    only = int(sys.argv[3]) if len(sys.argv) > 3 else None
    ends = []
    for number in range(SCENES):
        if only not in (None, number):
            continue
        pid = os.fork()  # what goes wrong in one is over with it
        if pid == 0:
            try:
                ending = one_scene(program, seed, number)
                print(f"view: seed {seed}, scene {number}: {ending}", flush=True)
                os._exit(0)
            except BaseException as why:  # said, and then the process ends in any case
                print(f"view: seed {seed}, scene {number}: {type(why).__name__} {why}", flush=True)
                os._exit(1)
        ends.append(os.waitpid(pid, 0)[1])
    return 1 if any(ends) else 0


if __name__ == "__main__":
    sys.exit(main())
