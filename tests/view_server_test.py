#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Tactus authors
# SPDX-License-Identifier: MIT

"""The live view's server, as a browser, a stranger and an enemy see it.

Speaks HTTP and WebSocket over plain sockets, so that it can also say what no browser would. TACTUS_BINARY names the
command. Nothing is asserted about how long things take; waits end when what is waited for has come.
"""

import base64
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import struct
import subprocess
import tempfile
import time
import unittest

SOURCE = pathlib.Path(os.environ.get("TACTUS_SOURCE", pathlib.Path(__file__).resolve().parent.parent))
BINARY = os.environ.get("TACTUS_BINARY", str(SOURCE / "build" / "tactus"))
PATIENCE = 20  # seconds until something that must come is given up

SCENE = """<tactus version="1" title="A ball on a string" dt="0.01" duration="2" gravity="0 0 0">
  <node name="ball">
    <ImplicitEuler/>
    <Points name="points" positions="0 0 0  1 0 0"/>
    <UniformMass mass="1"/>
    <FixedPoints points="0"/>
    <Springs name="string" pairs="0 1" stiffness="10" damping="1"/>
  </node>
</tactus>
"""

WIRE = """<tactus version="1" dt="0.01">
  <node name="n"> <Spook/> <Line divisions="16" to="2 0 0"/> <Points/> <Wire mass="1"/> <FixedPoints points="0"/> </node>
</tactus>
"""

SLEEPER = """<tactus version="1" dt="0.01" scheduler="loose" gravity="0 0 0">
  <node name="calm"> <SymplecticEuler/> <Agent adaptive="true" rest="true" patience="0.05"/>
    <Points positions="0 0 0  1 1 1"/> <UniformMass mass="1"/> </node>
  <node name="busy"> <SymplecticEuler/> <Agent adaptive="true" rest="true" patience="0.05"/>
    <Points positions="3 0 0  5 0 0"/> <UniformMass mass="1"/> <Springs pairs="0 1" stiffness="10" lengths="1"/> </node>
</tactus>
"""

BURSTING = """<tactus version="1" dt="0.01">
  <node name="a"> <SymplecticEuler/> <Points positions="0 0 0  1 0 0" velocities="0 0 0  1 0 0"/> <UniformMass mass="1"/>
    <Springs pairs="0 1" stiffness="1e9"/> </node>
</tactus>
"""


class Server:
    """A running `tactus view`."""

    def __init__(self, path, *options):
        self.process = subprocess.Popen([BINARY, "view", str(path), "--no-open", *options], stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        match = re.fullmatch(r"http://([^/]+):(\d+)/\?token=([0-9a-f]{32})\n", line)
        if not match:
            self.process.kill()
            raise AssertionError(f"no address but {line!r}, {self.process.communicate()[1]!r}")
        self.host, self.port, self.token = match.group(1), int(match.group(2)), match.group(3)

    def end(self, how=signal.SIGINT):
        if self.process.poll() is None:
            self.process.send_signal(how)
        out, err = self.process.communicate(timeout=PATIENCE)
        return self.process.returncode, err

    def connect(self):
        return socket.create_connection((self.host, self.port), timeout=PATIENCE)

    def request(self, path, host=None, origin=None, method="GET", more=""):
        """The status, the headers and the body of an answer; status 0 where there is none."""
        host = f"127.0.0.1:{self.port}" if host is None else host
        text = f"{method} {path} HTTP/1.1\r\n" + (f"Host: {host}\r\n" if host else "")
        text += (f"Origin: {origin}\r\n" if origin else "") + more + "\r\n"
        with self.connect() as s:
            s.sendall(text.encode())
            return read_answer(s)


def read_answer(s):
    data = b""
    try:
        while b"\r\n\r\n" not in data:
            piece = s.recv(65536)
            if not piece:
                return 0, {}, b""
            data += piece
        head, body = data.split(b"\r\n\r\n", 1)
        lines = head.decode().split("\r\n")
        headers = {k.lower(): v.strip() for k, v in (line.split(":", 1) for line in lines[1:])}
        while len(body) < int(headers.get("content-length", 0)):
            piece = s.recv(65536)
            if not piece:
                break
            body += piece
        return int(lines[0].split()[1]), headers, body
    except ConnectionResetError:
        return 0, {}, b""


class Refused(Exception):
    pass


class Client:
    """A WebSocket of a page. Frames are acknowledged unless it is told otherwise."""

    def __init__(self, server, token=None, host=None, origin=None, acknowledge=True, path="/live"):
        host = f"127.0.0.1:{server.port}" if host is None else host
        origin = f"http://{host}" if origin is None else origin
        self.socket, self.data, self.acknowledge = server.connect(), b"", acknowledge
        key = base64.b64encode(os.urandom(16)).decode()
        token = server.token if token is None else token
        self.socket.sendall((f"GET {path}?token={token} HTTP/1.1\r\nHost: {host}\r\nUpgrade: websocket\r\n"
                             f"Connection: Upgrade\r\nSec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n"
                             + (f"Origin: {origin}\r\n" if origin else "") + "\r\n").encode())
        while b"\r\n\r\n" not in self.data:
            try:
                piece = self.socket.recv(65536)
            except ConnectionResetError:
                piece = b""
            if not piece:
                self.socket.close()
                raise Refused("no answer")
            self.data += piece
        head, self.data = self.data.split(b"\r\n\r\n", 1)
        if not head.startswith(b"HTTP/1.1 101"):
            self.socket.close()
            raise Refused(head.split(b"\r\n")[0].decode())
        self.overlays = {}

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        self.socket.close()

    def send_frame(self, opcode, payload, final=True, length=None):
        length = len(payload) if length is None else length
        head = bytes([(0x80 if final else 0) | opcode])
        if length < 126:
            head += bytes([0x80 | length])
        elif length < 65536:
            head += bytes([0x80 | 126]) + struct.pack(">H", length)
        else:
            head += bytes([0x80 | 127]) + struct.pack(">Q", length)
        mask = os.urandom(4)
        self.socket.sendall(head + mask + bytes(b ^ mask[i % 4] for i, b in enumerate(payload)))

    def say(self, kind, **fields):
        self.send_frame(1, json.dumps({"type": kind, **fields}).encode())

    def need(self, count):
        while len(self.data) < count:
            piece = self.socket.recv(1 << 20)
            if not piece:
                raise ConnectionError("closed")
            self.data += piece

    def receive(self):
        """The next message: a dict, or ("frame", number, time, positions...), or other bytes; None at the end."""
        self.need(2)
        opcode, length, begin = self.data[0] & 15, self.data[1] & 127, 2
        if length == 126:
            self.need(4)
            length, begin = struct.unpack(">H", self.data[2:4])[0], 4
        elif length == 127:
            self.need(10)
            length, begin = struct.unpack(">Q", self.data[2:10])[0], 10
        self.need(begin + length)
        payload, self.data = self.data[begin:begin + length], self.data[begin + length:]
        if opcode == 8:
            return None
        if opcode == 1:
            return json.loads(payload.decode())
        return Frame(payload) if payload[0] == 2 else payload

    def until(self, wanted, what="a message"):
        """The first message for which wanted(message) is true; acknowledges frames on the way."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            message = self.receive()
            if message is None:
                raise AssertionError(f"closed before {what} came")
            if isinstance(message, Frame) and self.acknowledge:
                self.say("ack", frame=message.number)
            if isinstance(message, bytes) and message[0] == 3:
                self.overlays[message[1]] = message
            if wanted(message):
                return message
        raise AssertionError(f"{what} did not come")

    def text(self, kind):
        return self.until(lambda m: isinstance(m, dict) and m["type"] == kind, kind)

    def frame(self, wanted=lambda frame: True):
        return self.until(lambda m: isinstance(m, Frame) and wanted(m), "a frame")


class Frame:
    def __init__(self, data):
        kind, flags, tracks, self.number, self.time, self.rate, channels, _, _ = struct.unpack_from("<BBHIddHHI", data)
        self.channels = struct.unpack_from(f"<{channels}d", data, 32)
        at, self.tracks, self.scalars = 32 + 8 * channels, [], []
        for _ in range(tracks):
            track, scalar, points = struct.unpack_from("<HHI", data, at)
            self.tracks.append(struct.unpack_from(f"<{3 * points}f", data, at + 8))
            size = 8 + 12 * points
            self.scalars.append(struct.unpack_from(f"<{points}f", data, at + size) if scalar else None)
            at += (size + (4 * points if scalar else 0) + 7) // 8 * 8
        assert at == len(data), "the frame is as long as it says"


class ViewTest(unittest.TestCase):
    options = ("--paused",)
    scene = SCENE

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        self.path = self.folder / "ball.tac"
        self.path.write_text(self.scene)
        self.server = Server(self.path, *self.options)
        self.addCleanup(self.finish)

    def finish(self):
        code, err = self.server.end()
        self.assertEqual((code, err), (0, ""))

    def assertServes(self):
        """It still does what it is there for."""
        with Client(self.server) as client:
            self.assertEqual(client.text("hello")["version"], 1)
            client.frame()


class Gate(ViewTest):
    def test_page_needs_token_host_and_origin(self):
        s = self.server
        good, bad = f"/?token={s.token}", "/?token=" + "0" * 32
        status, headers, body = s.request(good)
        self.assertEqual(status, 200)
        self.assertIn(b"<html", body.lower())
        policy = headers["content-security-policy"]
        for part in ("default-src 'none'", "script-src 'self'", "style-src 'self'", f"ws://127.0.0.1:{s.port}"):
            self.assertIn(part, policy)
        self.assertEqual(headers["x-content-type-options"], "nosniff")
        self.assertEqual(headers["referrer-policy"], "no-referrer")
        self.assertEqual(headers["cache-control"], "no-store")
        self.assertNotIn("access-control-allow-origin", headers)
        for path in (bad, "/", "/?token=", f"/?token={s.token}0", f"/?token={s.token[:-1]}", f"/?x={s.token}"):
            status, _, body = s.request(path)
            self.assertEqual(status, 403, path)
            self.assertNotIn(b"<html", body.lower())
        for host in ("evil.example", f"evil.example:{s.port}", "127.0.0.1", f"127.0.0.1:{s.port + 1}",
                     f"127.0.0.1.evil.example:{s.port}", f"localhost.:{s.port}", f"user@127.0.0.1:{s.port}"):
            self.assertEqual(s.request(good, host=host)[0], 403, host)
        self.assertIn(s.request(good, host="")[0], (0, 400, 403))
        for host in (f"localhost:{s.port}", f"LOCALHOST:{s.port}", f"[::1]:{s.port}"):
            self.assertEqual(s.request(good, host=host)[0], 200, host)
        self.assertEqual(s.request(good, origin="http://evil.example")[0], 403)
        self.assertEqual(s.request(good, origin="null")[0], 403)
        self.assertEqual(s.request(good, origin=f"http://127.0.0.1:{s.port}")[0], 200)

    def test_files(self):
        for path, kind in (("/app.js", "text/javascript"), ("/app.css", "text/css")):
            status, headers, body = self.server.request(path)
            self.assertEqual(status, 200)
            self.assertTrue(headers["content-type"].startswith(kind))
            self.assertEqual(len(body), int(headers["content-length"]))
            self.assertGreater(len(body), 0)
        for path in ("/app.js.map", "/../etc/passwd", "/%2e%2e/etc/passwd", "//etc/passwd", "/ball.tac"):
            self.assertIn(self.server.request(path)[0], (0, 400, 403, 404), path)
        for method in ("POST", "PUT", "DELETE", "OPTIONS"):
            self.assertIn(self.server.request(f"/?token={self.server.token}", method=method)[0], (0, 403, 404, 405))

    def test_socket_needs_token_host_and_origin(self):
        s, evil = self.server, "http://evil.example"
        for wrong in ({"token": "0" * 32}, {"token": ""}, {"host": f"evil.example:{s.port}"}, {"origin": evil},
                      {"origin": False}, {"origin": f"https://127.0.0.1:{s.port}"},
                      {"origin": f"http://localhost:{s.port}"}, {"path": "/"}, {"path": "/live2"}):
            with self.assertRaises(Refused, msg=str(wrong)):
                Client(s, **wrong)
        self.assertServes()

    def test_tokens_differ(self):
        other = Server(self.path, "--paused")
        self.assertNotEqual(other.token, self.server.token)
        self.assertEqual(other.end(), (0, ""))


class Enemies(ViewTest):
    def test_garbage_over_http(self):
        for data in (b"\0" * 4096, b"GET " + b"A" * 100000, b"GET / HTTP/1.1\r\n" + b"X: " + b"y" * 100000 + b"\r\n\r\n",
                     b"\r\n" * 2000, os.urandom(20000), b"GET / HTTP/1.1\r\n" + b"A: b\r\n" * 20000, b""):
            with self.server.connect() as s:
                try:
                    s.sendall(data)
                    s.shutdown(socket.SHUT_WR)
                    s.settimeout(2)
                    while s.recv(65536):
                        pass
                except OSError:
                    pass
        self.assertServes()

    def test_garbage_over_socket(self):
        with Client(self.server) as client:
            client.text("hello")
            for text in (b"", b"{", b"[]", b'{"type":"nonsense"}', b'{"type":"grab"}', b"\xff\xfe", b"{" * 5000,
                         b'{"type":"step","n":1e300}', b'{"type":"set","path":"' + b"a" * 60000 + b'"}'):
                client.send_frame(1, text)
            client.send_frame(2, os.urandom(1000))
            self.assertFalse(client.text("error")["fatal"])
            client.say("pause")
            client.text("state")
        # once a second at most, however much is said
        with Client(self.server) as client:
            client.text("hello")
            for _ in range(200):
                client.send_frame(1, b"nonsense")
            client.say("tree")
            errors = 0
            while True:
                message = client.until(lambda m: isinstance(m, dict))
                errors += message["type"] == "error"
                if message["type"] == "tree":
                    break
            self.assertLessEqual(errors, 2)

    def test_long_messages_are_refused(self):
        for send in (lambda c: c.send_frame(1, b"x" * 70000),
                     lambda c: c.send_frame(1, b"x" * 10, length=1 << 40),
                     lambda c: [c.send_frame(1 if i == 0 else 0, b"x" * 30000, final=False) for i in range(5)]):
            with Client(self.server) as client:
                client.text("hello")
                try:
                    send(client)
                    while client.receive() is not None:
                        pass
                except (ConnectionError, OSError):
                    pass
        self.assertServes()

    def test_broken_frames(self):
        for data in (b"\xff\xff\xff\xff", b"\x81\x05hello", b"\x83\x80abcd", os.urandom(3000)):
            with Client(self.server) as client:
                client.socket.sendall(data)
        self.assertServes()

    def test_a_thousand_connections(self):
        connections = []
        for i in range(1000):
            try:
                s = socket.create_connection((self.server.host, self.server.port), timeout=2)
                if i % 3 == 0:
                    s.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n")
                connections.append(s)
            except OSError:
                pass
        self.assertIsNone(self.server.process.poll())
        with open(f"/proc/{self.server.process.pid}/status") as status:
            memory = int(re.search(r"VmRSS:\s+(\d+) kB", status.read()).group(1))
        self.assertLess(len(os.listdir(f"/proc/{self.server.process.pid}/fd")), 200)
        if not os.environ.get("TACTUS_SANITIZE"):
            self.assertLess(memory, 200000)
        for s in connections:
            s.close()
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            try:
                self.assertServes()
                return
            except (OSError, Refused, AssertionError):
                time.sleep(0.1)
        self.fail("it does not serve any more")

    def test_the_run_goes_on_through_a_flood(self):
        with Client(self.server) as watcher:
            watcher.say("play")
            start = watcher.frame(lambda f: f.time > 0.05).time
            flood = []
            for i in range(1000):
                try:
                    s = socket.create_connection((self.server.host, self.server.port), timeout=2)
                    s.sendall((b"\x81\xfe\xff\xff", b"GET /live HTTP/1.1\r\n", os.urandom(300))[i % 3])
                    flood.append(s)
                except OSError:
                    pass
                if i % 200 == 100:
                    start = watcher.frame(lambda f: f.time > start).time
            watcher.frame(lambda f: f.time > start + 0.2)
            for s in flood:
                s.close()

    def test_pages_are_limited(self):
        clients = []
        try:
            for _ in range(8):
                clients.append(Client(self.server))
                clients[-1].text("hello")
            with Client(self.server) as ninth:
                try:
                    self.assertIsNone(ninth.receive())
                except ConnectionError:
                    pass
            clients.pop().socket.close()
            end = time.monotonic() + PATIENCE
            while time.monotonic() < end:
                try:
                    self.assertServes()
                    break
                except (ConnectionError, AssertionError):
                    time.sleep(0.05)
            else:
                self.fail("a place that was given up is not given again")
        finally:
            for client in clients:
                client.socket.close()


class Running(ViewTest):
    options = ()

    def test_a_slow_reader_gets_the_latest(self):
        with Client(self.server, acknowledge=False) as slow, Client(self.server) as quick:
            slow.text("hello")
            first = slow.frame()
            # more than two are never on their way
            self.assertEqual(slow.frame().number > first.number, True)
            later = quick.frame(lambda f: f.number > first.number + 20)
            slow.say("ack", frame=first.number + 100000)  # of a frame that it never had
            slow.acknowledge = True
            slow.say("ack", frame=first.number)
            self.assertGreater(slow.frame().number, later.number - 2)
            quick.frame(lambda f: f.time > later.time)

    def test_who_never_reads_stops_nobody(self):
        with Client(self.server, acknowledge=False), Client(self.server) as quick:
            start = quick.frame()
            quick.frame(lambda f: f.time > start.time + 0.5)

    def test_overlays_do_not_pile_up(self):
        # a client that reads nothing at all, while there is an overlay for every frame
        with Client(self.server, acknowledge=False) as slow, Client(self.server) as quick:
            slow.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            quick.say("speed", value=8)
            quick.say("show", what="boxes", on=True)
            quick.say("grab", hand=0, track=0, point=1, target=[1, 1, 0], strength=100)
            start = quick.frame().number
            quick.frame(lambda f: f.number > start + 100)
            slow.acknowledge = True
            slow.frame()
            slow.frame(lambda f: f.number > start + 100)

    def test_two_clients_see_the_same_world(self):
        with Client(self.server) as a, Client(self.server) as b:
            a.say("pause")
            for c in (a, b):
                c.until(lambda m: isinstance(m, dict) and m["type"] == "state" and m["paused"])
            a.say("reset")
            a.say("step", n=3)
            self.assertAlmostEqual(a.frame(lambda f: abs(f.time - 0.03) < 1e-9).time, 0.03)
            self.assertAlmostEqual(b.frame(lambda f: abs(f.time - 0.03) < 1e-9).time, 0.03)

    def test_killed_and_restarted(self):
        with Client(self.server) as client:
            client.frame()
            self.server.process.kill()
            self.server.process.communicate()
            with self.assertRaises((ConnectionError, OSError)):
                while True:
                    client.receive()
        old = self.server
        self.server = Server(self.path, "--port", str(old.port), "--token", old.token)
        self.assertEqual(self.server.token, old.token)
        self.assertServes()

    def test_speed(self):
        with Client(self.server) as client:
            client.say("speed", value=8)
            state = client.until(lambda m: isinstance(m, dict) and m["type"] == "state" and m["speed"] == 8)
            client.say("speed", value=100)
            client.say("speed", value=0.0001)
            client.until(lambda m: isinstance(m, dict) and m["type"] == "state" and m["speed"] == 1 / 32)
            client.say("speed", value=-1)
            client.text("error")
            self.assertFalse(state["paused"])


class Slow(ViewTest):
    """A world whose beat takes many seconds is seen on its way, and pauses when it is told to."""

    scene = """<tactus version="1" dt="0.016"><node name="n"><Points positions="0 0 0  1 0 0"/><UniformMass/>
        <Springs pairs="0 1" stiffness="1" period="1e-10"/></node></tactus>"""

    options = ()

    def test_it_is_seen_and_pauses(self):
        with Client(self.server) as client:
            first = client.frame(lambda f: f.time > 0)
            self.assertLess(first.time, 0.016)
            client.frame(lambda f: f.time > first.time)
            client.say("pause")
            state = client.until(lambda m: isinstance(m, dict) and m["type"] == "state" and m["paused"])
            self.assertLess(state["time"], 0.016)


class Beginning(ViewTest):
    options = ()

    def test_time_begins_when_somebody_has_come(self):
        time.sleep(1)
        with Client(self.server) as client:
            first = client.frame()
            self.assertLess(first.time, 0.5)
            client.frame(lambda f: f.time > first.time)
        # from then on it waits for nobody
        time.sleep(0.5)
        with Client(self.server) as client:
            self.assertGreater(client.frame().time, first.time)

    def test_time_begins_when_the_first_frame_was_seen(self):
        begin = time.monotonic()
        with Client(self.server, acknowledge=False) as client:
            first = client.frame()
            self.assertEqual(first.time, 0)
            while time.monotonic() < begin + 0.7:
                state = client.text("state")
                if time.monotonic() < begin + 0.9:  # it waits for a second
                    self.assertEqual(state["time"], 0)
            client.say("ack", frame=first.number)
            client.frame(lambda f: f.time > 0)

    def test_who_says_nothing_sees_it_begin_too(self):
        with Client(self.server, acknowledge=False) as client:
            client.until(lambda m: isinstance(m, dict) and m["type"] == "state" and m["time"] > 0, "a world that runs")


class Steering(ViewTest):
    def step_to(self, client, n, time_):
        client.say("step", n=n)
        return client.frame(lambda f: abs(f.time - time_) < 1e-9)

    def test_hello_says_what_there_is(self):
        with Client(self.server) as client:
            hello = client.text("hello")
            self.assertEqual((hello["mode"], hello["title"], hello["file"]), ("scene", "A ball on a string", "ball.tac"))
            self.assertEqual((hello["beat"], hello["duration"], hello["up"]), (0.01, 2, [0, 1, 0]))
            track = hello["tracks"][0]
            self.assertEqual((track["path"], track["kind"], track["points"], track["positionSize"]),
                             ("/ball/points", "vec3", 2, 3))
            self.assertEqual(hello["agents"], [{"name": "/ball", "solver": "ImplicitEuler", "step": 0.01}])
            self.assertEqual(hello["gallery"], {"index": 0, "names": ["ball.tac"]})
            frame = client.frame()
            self.assertEqual(len(frame.channels), len(hello["channels"]))
            self.assertEqual(frame.tracks[0], (0, 0, 0, 1, 0, 0))

    def test_pause_step_back_seek_reset(self):
        with Client(self.server) as client:
            self.assertTrue(client.text("state")["paused"])
            self.step_to(client, 1, 0.01)
            self.step_to(client, 1, 0.02)
            self.step_to(client, 1, 0.03)
            self.step_to(client, -1, 0.02)
            self.step_to(client, -1, 0.01)
            self.step_to(client, 5, 0.06)
            client.say("seek", time=0.0401)
            client.frame(lambda f: abs(f.time - 0.04) < 1e-9)
            client.say("reset")
            client.frame(lambda f: f.time == 0)
            client.say("play")
            client.frame(lambda f: f.time > 0.1)
            client.say("pause")
            client.until(lambda m: isinstance(m, dict) and m["type"] == "state" and m["paused"])

    def test_grab_moves_a_point(self):
        with Client(self.server) as client:
            client.text("hello")
            client.say("grab", hand=0, track=0, point=1, target=[1, 0, 0], strength=1000)
            self.assertEqual(client.text("picked")["position"], [1, 0, 0])
            client.say("drag", hand=0, target=[1, 0.5, 0])
            moved = self.step_to(client, 100, 1.0).tracks[0]
            self.assertGreater(moved[4], 0.4)
            # the overlay has the hand's force: what the string pulls, once everything rests
            values = struct.unpack_from("<7f", client.overlays[1], 8)
            stretch = (moved[3] ** 2 + moved[4] ** 2) ** 0.5 - 1
            self.assertAlmostEqual(values[6], 10 * stretch, delta=0.05)
            client.say("release", hand=0)
            back = self.step_to(client, 500, 6.0).tracks[0]
            self.assertLess((back[3] ** 2 + back[4] ** 2) ** 0.5, 1.1)

    def test_pin_and_sphere(self):
        with Client(self.server) as client:
            client.say("pin", track=0, point=1)
            client.say("grab", hand=1, track=0, point=1, target=[1, 5, 0], strength=10)
            pinned = self.step_to(client, 50, 0.5).tracks[0]
            self.assertLess(abs(pinned[4]), 1e-9)
            client.say("unpin", track=0, point=1)
            self.assertGreater(self.step_to(client, 50, 1.0).tracks[0][4], 0.1)
            client.say("release", hand=1)
            client.say("reset")
            client.say("sphere", on=True, center=[1, -0.1, 0], radius=0.2)
            self.assertGreater(self.step_to(client, 20, 0.2).tracks[0][4], 0.05)
            client.say("sphere", on=False)

    def test_hands_belong_to_their_page(self):
        with Client(self.server) as a:
            a.text("hello")
            with Client(self.server) as b:
                b.text("hello")
                # both call their hand 0, and both pull: the first one up, the second one down, as strongly
                a.say("grab", hand=0, track=0, point=1, target=[1, 1, 0], strength=100)
                a.text("picked")
                b.say("grab", hand=0, track=0, point=1, target=[1, -1, 0], strength=100)
                b.text("picked")
                self.assertLess(abs(self.step_to(a, 100, 1.0).tracks[0][4]), 0.05)
            # a page that goes lets go of what it held: one force is left
            a.until(lambda m: isinstance(m, bytes) and m[:2] == b"\3\1" and struct.unpack_from("<I", m, 4)[0] == 1)
            a.say("step", n=200)
            self.assertGreater(a.frame(lambda f: abs(f.time - 3.0) < 1e-9).tracks[0][4], 0.5)

    def test_what_nobody_holds_is_let_go_when_time_goes_back(self):
        with Client(self.server) as client:
            client.text("hello")
            self.step_to(client, 10, 0.1)
            client.say("grab", hand=0, track=0, point=1, target=[1, 1, 0], strength=100)
            self.step_to(client, 50, 0.6)
            client.say("release", hand=0)
            self.step_to(client, 1, 0.61)
            client.say("seek", time=0.5)  # when the hand pulled
            client.frame(lambda f: abs(f.time - 0.5) < 0.051)
            client.say("step", n=500)
            rest = client.frame(lambda f: f.time > 5.4).tracks[0]
            self.assertLess((rest[3] ** 2 + rest[4] ** 2) ** 0.5, 1.05)

    def test_pins_are_told_to_everybody(self):
        with Client(self.server) as a, Client(self.server) as b:
            a.say("pin", track=0, point=1)
            b.until(lambda m: isinstance(m, dict) and m["type"] == "state" and m["pins"] == [[0, 1]])
            b.say("unpin", track=0, point=1)
            a.until(lambda m: isinstance(m, dict) and m["type"] == "state" and m["pins"] == [])

    def test_refused_inputs_say_why(self):
        with Client(self.server) as client:
            client.text("hello")
            for fields in ({"hand": 99, "track": 0, "point": 0}, {"hand": 0, "track": 9, "point": 0},
                           {"hand": 0, "track": 0, "point": 999}, {"hand": 0, "track": -1, "point": 0},
                           {"hand": 0, "track": 0, "point": -5}):
                client.say("grab", target=[0, 0, 0], strength=10, **fields)
                self.assertFalse(client.text("error")["fatal"])
            client.say("grab", hand=0, track=0, point=1, target=[0, 0, 0], strength=-1)
            client.text("error")
            client.say("drag", hand=3, target=[0, 0, 0])  # holds nothing, as after going back: no complaint
            client.say("drag", hand=8, target=[0, 0, 0])
            self.assertIn("hands", client.text("error")["message"])
            self.step_to(client, 1, 0.01)

    def test_tree_set_undo_save(self):
        with Client(self.server) as client:
            client.say("tree")
            nodes = {n["path"]: n for n in client.text("tree")["nodes"]}
            springs = next(c for c in nodes["/ball"]["components"] if c["path"] == "/ball/string")
            stiffness = next(a for a in springs["attributes"] if a["name"] == "stiffness")
            self.assertEqual((springs["class"], stiffness["value"], stiffness["live"]), ("Springs", "10", True))
            client.say("set", path="/ball/string", attribute="stiffness", value="20")
            answer = client.text("set")
            self.assertEqual((answer["ok"], answer["value"]), (True, "20"))
            client.say("save", what="scene")
            saved = client.text("saved")["text"]
            self.assertIn('stiffness="20"', saved)
            copy = self.folder / "copy.tac"
            copy.write_text(saved)
            self.assertEqual(subprocess.run([BINARY, "check", str(copy)], capture_output=True).returncode, 0)
            client.say("set", path="/ball/string", attribute="stiffness", value="many")
            self.assertFalse(client.text("set")["ok"])
            client.say("undo")
            answer = client.text("set")
            self.assertEqual((answer["ok"], answer["value"]), (True, "10"))
            client.say("undo")
            client.text("error")
            for attribute, value in (("damping_mass", "0.5"), ("damping_mass", "0"), ("step", "0.02"), ("x", "1")):
                client.say("set", path="/ball/implicitEuler", attribute=attribute, value=value)
                self.assertEqual(client.text("set")["ok"], attribute == "damping_mass")
            client.say("set", path="/nowhere", attribute="x", value="1")
            self.assertFalse(client.text("set")["ok"])

    def test_colour_and_boxes(self):
        with Client(self.server) as client:
            client.say("colour", by="speed")
            frame = client.frame(lambda f: f.scalars[0] is not None)
            self.assertEqual(frame.scalars[0], (0, 0))
            client.say("colour", by="nonsense")
            client.text("error")
            client.say("show", what="boxes", on=True)
            boxes = client.until(lambda m: isinstance(m, bytes) and m[:2] == b"\3\2")
            self.assertEqual(struct.unpack_from("<I", boxes, 4)[0], 12)

    def test_colours_by_what_laws_show(self):
        with Client(self.server) as client:
            hello = client.text("hello")
            self.assertEqual(hello["colours"], ["none", "speed", "agent", "time", "class", "tension"])
            self.assertEqual(hello["overlays"], ["boxes"])
            client.say("grab", hand=0, track=0, point=1, target=[2, 0, 0], strength=1000)
            self.step_to(client, 300, 3.0)
            client.say("colour", by="tension")
            frame = client.frame(lambda f: f.scalars[0] is not None)
            pull = 10 * (frame.tracks[0][3] - 1)
            self.assertGreater(pull, 9)
            for value in frame.scalars[0]:
                self.assertAlmostEqual(value, pull, delta=0.01)
            client.until(lambda m: isinstance(m, dict) and m["type"] == "state" and m["colour"] == "tension")
            client.say("colour", by="stress")  # nothing here has any
            client.text("error")
            client.frame(lambda f: f.scalars[0] is None)

    def test_nodes_of_a_wire_come_with_their_frame(self):
        self.finish()
        self.path.write_text(WIRE)
        self.server = Server(self.path, "--paused")
        with Client(self.server) as client:
            hello = client.text("hello")
            self.assertIn("resolution", hello["colours"])
            self.assertEqual(hello["overlays"], ["boxes", "nodes"])
            names = [c["name"] for c in hello["channels"]]
            for name in ("wire/n/wire/resolution", "wire/n/wire/Q robustness", "cost/agents and laws"):
                self.assertIn(name, names)
            client.say("show", what="nodes", on=True)
            client.say("select", path="/n")  # a node: its matter
            frame = self.step_to(client, 100, 1.0)
            self.assertEqual(client.overlays[5][2:4], struct.pack("<H", frame.number & 0xffff))
            count = struct.unpack_from("<I", client.overlays[5], 4)[0]
            level = frame.channels[names.index("wire/n/wire/resolution")]
            self.assertEqual(count, 2 ** level + 1)
            for k in range(count):
                place = struct.unpack_from("<7f", client.overlays[5], 8 + 28 * k)
                point = int(k * 16 / 2 ** level)
                self.assertEqual(place[:3], frame.tracks[0][3 * point:3 * point + 3])
                self.assertEqual(place[:3] + (0,), place[3:])  # a mark, of a mass

    def test_what_sleeps_is_shown(self):
        self.finish()
        self.path.write_text(SLEEPER)
        self.server = Server(self.path, "--speed", "8")
        with Client(self.server) as client:
            hello = client.text("hello")
            self.assertIn("sleeping", hello["overlays"])
            self.assertIn("delay/most", [c["name"] for c in hello["channels"]])
            client.say("show", what="sleeping", on=True)
            boxes = client.until(lambda m: isinstance(m, bytes) and m[:2] == b"\3\4" and m[4] > 0)
            self.assertEqual(struct.unpack_from("<I", boxes, 4)[0], 12)  # one of the two: the other one swings on
            self.assertEqual(struct.unpack_from("<7f", boxes, 8)[6], 0)

    def test_a_demo_has_all_demos_for_its_gallery(self):
        shelf = self.folder / "shelf"
        (shelf / "a").mkdir(parents=True)
        rows = []
        for name in ("a/one.tac", "a/two.tac", "three.tac"):
            (shelf / name).write_text(SCENE.replace("A ball", name))
            rows.append(f"| [{name}]({name}) | a ball |\n")
        (shelf / "README.md").write_text("".join(rows))
        self.finish()
        os.environ["TACTUS_EXAMPLES"] = str(shelf)
        self.addCleanup(os.environ.pop, "TACTUS_EXAMPLES")
        self.server = Server(shelf / "a" / ".." / "a" / "two.tac", "--paused")
        with Client(self.server) as client:
            self.assertEqual(client.text("hello")["gallery"], {"index": 1, "names": ["one.tac", "two.tac", "three.tac"]})
            client.frame()
            client.say("gallery", index=2)
            self.assertEqual(client.text("hello")["title"], "three.tac on a string")

    def test_gallery(self):
        (self.folder / "another.tac").write_text(SCENE.replace("A ball", "Another ball"))
        (self.folder / "broken.tac").write_text("<tactus")
        self.finish()
        self.server = Server(self.path, "--paused")
        with Client(self.server) as client:
            gallery = client.text("hello")["gallery"]
            self.assertEqual(gallery, {"index": 1, "names": ["another.tac", "ball.tac", "broken.tac"]})
            client.frame()
            client.say("gallery", index=0)
            self.assertEqual(client.text("hello")["title"], "Another ball on a string")
            client.frame()
            client.say("gallery", index=2)
            self.assertIn("broken.tac", client.text("error")["message"])
            client.say("gallery", index=-1)
            client.text("error")
            self.step_to(client, 1, 0.01)


MANY = "<tactus version='1' dt='0.01'>" + "".join(
    f"<node name='n{i}'><Sheet divisions='1'/><Points/><UniformMass/></node>" for i in range(1500)) + (
    "<Record name='record'/></tactus>")


class Many(ViewTest):
    scene = MANY

    def test_a_thousand_meshes(self):
        with Client(self.server) as client:
            self.assertEqual(len(client.text("hello")["tracks"]), 1500)
            for _ in range(1500):
                client.until(lambda m: isinstance(m, bytes) and m[0] == 1)
            client.frame()
            client.say("set", path="/record", attribute="channels", value="none")
            self.assertFalse(client.text("set")["ok"])
            client.say("set", path="/n7/uniformMass", attribute="mass", value="2")
            self.assertTrue(client.text("set")["ok"])
            client.say("step")
            client.frame(lambda f: abs(f.time - 0.01) < 1e-9)


class Recordings(ViewTest):
    def test_save_and_play(self):
        self.finish()
        here = os.getcwd()
        os.chdir(self.folder)
        self.addCleanup(os.chdir, here)
        self.server = Server(self.path, "--paused")
        with Client(self.server) as client:
            client.say("save", what="recording")
            client.until(lambda m: isinstance(m, dict) and m["type"] == "state" and m["recordingTo"])
            client.say("step", n=20)
            client.frame(lambda f: abs(f.time - 0.2) < 1e-9)
            client.say("save", what="recording")
            name = client.text("saved")["name"]
        self.finish()
        self.server = Server(self.folder / name, "--paused")
        with Client(self.server) as client:
            hello = client.text("hello")
            self.assertEqual((hello["mode"], hello["frames"]), ("recording", 11))
            client.frame(lambda f: f.time == 0)
            client.say("seek", time=0.1)
            client.frame(lambda f: abs(f.time - 0.1) < 1e-9)
            client.say("step", n=-1)
            client.frame(lambda f: abs(f.time - 0.08) < 1e-9)
            client.say("grab", hand=0, track=0, point=0, target=[0, 0, 0], strength=10)
            client.text("error")
            client.say("seek", time=1e300)
            client.frame(lambda f: abs(f.time - 0.2) < 1e-9)
            client.say("play")  # from the start again, to the end
            client.frame(lambda f: f.time < 0.1)
            client.until(lambda m: isinstance(m, dict) and m["type"] == "state" and m["paused"])


class Inputs(ViewTest):
    def test_what_was_done_is_done_again_by_a_run(self):
        self.finish()
        here = os.getcwd()
        os.chdir(self.folder)
        self.addCleanup(os.chdir, here)
        self.server = Server(self.path, "--paused")
        with Client(self.server) as client:
            client.text("hello")
            client.say("step", n=10)
            client.frame(lambda f: abs(f.time - 0.1) < 1e-9)
            client.say("camera", eye=[0, 0, 5], target=[0, 0, 0])
            client.say("select", path="/ball/points")
            client.say("grab", hand=0, track=0, point=1, target=[1, 0.7, 0], strength=300)
            client.say("step", n=50)
            client.frame(lambda f: abs(f.time - 0.6) < 1e-9)
            client.say("release", hand=0, velocity=[0, -1, 0])
            client.say("step", n=40)
            seen = client.frame(lambda f: abs(f.time - 1.0) < 1e-9).tracks[0]
            client.say("save", what="inputs")
            name = client.text("saved")["name"]
        self.assertTrue(name.endswith("ball-view.tacin"))
        kinds = [line.split()[1] for line in pathlib.Path(name).read_text().splitlines()[2:]]
        self.assertEqual(kinds, ["camera", "select", "grab", "release"])
        for extra, same in (["--inputs", name], True), ([], False):
            done = subprocess.run([BINARY, "run", str(self.path), "--time", "1", "-q", "-o", "again.tacrec", "-o", "again.csv",
                                   *extra], capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
            again = Server(self.folder / "again.tacrec", "--paused")
            with Client(again) as client:
                client.say("seek", time=1)
                frame = client.frame(lambda f: abs(f.time - 1.0) < 1e-9)
                self.assertEqual(frame.tracks[0] == seen, same)
            self.assertEqual(again.end(), (0, ""))
        wrong = subprocess.run([BINARY, "run", str(self.path), "--inputs", str(self.path), "--no-record"],
                               capture_output=True, text=True)
        self.assertEqual(wrong.returncode, 3)
        self.assertIn("ball.tac:1", wrong.stderr)


class Failing(ViewTest):
    scene = BURSTING

    def test_a_failed_run_pauses_and_says_so(self):
        with Client(self.server) as client:
            client.say("play")
            message = client.until(lambda m: isinstance(m, dict) and m["type"] == "error")
            self.assertTrue(message["fatal"])
            self.assertIn("no longer a number", message["message"])
            client.until(lambda m: isinstance(m, dict) and m["type"] == "state" and m["paused"])
            client.say("reset")
            client.frame(lambda f: f.time == 0)

    def finish(self):
        code, err = self.server.end()
        self.assertEqual(code, 0)
        self.assertNotIn("Sanitizer", err)


class Command(unittest.TestCase):
    def run_view(self, *arguments):
        done = subprocess.run([BINARY, "view", *arguments], capture_output=True, text=True, timeout=PATIENCE)
        return done.returncode, done.stderr

    def test_bad_input(self):
        self.assertEqual(self.run_view()[0], 2)
        self.assertEqual(self.run_view("/nowhere.tac", "--no-open")[0], 3)
        self.assertEqual(self.run_view("/nowhere.tacrec", "--no-open")[0], 3)
        self.assertEqual(self.run_view("x.tac", "--speed", "9")[0], 2)
        self.assertEqual(self.run_view("examples/first/jelly.tac", "--no-open", "--token", "short")[0], 2)

    def test_another_address_is_warned_of(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "a.tac"
            path.write_text(SCENE)
            server = Server(path, "--paused", "--address", "0.0.0.0")
            code, err = server.end()
            self.assertEqual(code, 0)
            self.assertIn("everybody", err)
            code, err = self.run_view(str(path), "--no-open", "--address", "192.0.2.1")
            self.assertEqual(code, 1)
            self.assertIn("192.0.2.1", err)


if __name__ == "__main__":
    unittest.main()
