#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Tactus authors
# SPDX-License-Identifier: MIT

"""Scenes as strangers would make them, under safe contact, looked at by somebody else.

Meshes come from OBJ files made here (noisy balls, fans of needles, tori), scenes mix rigid bodies, explicit and
implicit cloth, soft solids with skins, bodies under Spook, balls and thick wires. Every run is audited by the program;
then every frame of its recording is asked, by integer arithmetic that shares nothing with it, whether two triangles
intersect, whether a thick wire meets a triangle and whether balls overlap.

    strangers_test.py                  a sample
    strangers_test.py FIRST COUNT      these scenes; what fails stays in the current folder

ctest sets TACTUS_BINARY.
"""

import json
import math
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import unittest

BINARY = os.environ.get("TACTUS_BINARY")
SLOW = bool(os.environ.get("TACTUS_SANITIZE"))
SAMPLE = 2 if SLOW else 6
SCALE = 1 << 60  # frames have single or double precision: everything above 2^-60 m is a whole number


# --- meshes ---------------------------------------------------------------------------------------------------


def icosphere(subdivisions):
    t = (1 + math.sqrt(5)) / 2
    points = [(-1, t, 0), (1, t, 0), (-1, -t, 0), (1, -t, 0), (0, -1, t), (0, 1, t), (0, -1, -t), (0, 1, -t),
              (t, 0, -1), (t, 0, 1), (-t, 0, -1), (-t, 0, 1)]
    faces = [(0, 11, 5), (0, 5, 1), (0, 1, 7), (0, 7, 10), (0, 10, 11), (1, 5, 9), (5, 11, 4), (11, 10, 2),
             (10, 7, 6), (7, 1, 8), (3, 9, 4), (3, 4, 2), (3, 2, 6), (3, 6, 8), (3, 8, 9), (4, 9, 5), (2, 4, 11),
             (6, 2, 10), (8, 6, 7), (9, 8, 1)]
    for _ in range(subdivisions):
        middle, finer = {}, []

        def between(a, b):
            key = (min(a, b), max(a, b))
            if key not in middle:
                middle[key] = len(points)
                points.append(tuple((x + y) / 2 for x, y in zip(points[a], points[b])))
            return middle[key]

        for a, b, c in faces:
            ab, bc, ca = between(a, b), between(b, c), between(c, a)
            finer += [(a, ab, ca), (b, bc, ab), (c, ca, bc), (ab, bc, ca)]
        faces = finer
    units = []
    for p in points:
        n = math.sqrt(sum(x * x for x in p))
        units.append(tuple(x / n for x in p))
    return units, faces


def blob(rng, radius):
    """A ball with bumps; star-shaped, so that it does not meet itself."""
    points, faces = icosphere(2)
    bumps = [([rng.gauss(0, 1) for _ in range(3)], rng.uniform(0.1, 0.3)) for _ in range(4)]
    out = []
    for p in points:
        r = 1 + sum(h * math.sin(3 * sum(x * y for x, y in zip(p, d))) for d, h in bumps)
        out.append(tuple(radius * max(r, 0.3) * x for x in p))
    return out, faces


def needles(rng, radius):
    """A ball whose every face is drawn out to a needle."""
    points, faces = icosphere(0)
    points = [tuple(0.3 * radius * x for x in p) for p in points]
    out = []
    for a, b, c in faces:
        tip = tuple(sum(points[i][k] for i in (a, b, c)) * rng.uniform(0.5, 1.3) for k in range(3))
        points.append(tip)
        t = len(points) - 1
        out += [(a, b, t), (b, c, t), (c, a, t)]
    return points, out


def torus(rng, radius):
    rings, sides = 14, 8
    thin = rng.uniform(0.15, 0.4) * radius
    points, faces = [], []
    for i in range(rings):
        for j in range(sides):
            u, v = 2 * math.pi * i / rings, 2 * math.pi * j / sides
            w = radius + thin * math.cos(v)
            points.append((w * math.cos(u), thin * math.sin(v), w * math.sin(u)))
            a, b = i * sides + j, i * sides + (j + 1) % sides
            c, d = (i + 1) % rings * sides + j, (i + 1) % rings * sides + (j + 1) % sides
            faces += [(a, b, c), (b, d, c)]
    return points, faces


def write_obj(path, mesh):
    points, faces = mesh
    with open(path, "w", encoding="utf-8") as file:
        for p in points:
            file.write("v %.9g %.9g %.9g\n" % p)
        for f in faces:
            file.write("f %d %d %d\n" % tuple(i + 1 for i in f))


# --- scenes ---------------------------------------------------------------------------------------------------


def numbers(*values):
    return " ".join("%.9g" % v for v in values)


class Maker:
    def __init__(self, number, folder):
        self.rng = random.Random(number)
        self.folder = folder
        self.parts = []
        self.balls = {}  # track: radius
        self.wires = {}
        self.bare = set()  # tracks without a skin: what carries one
        self.thickness = 10 ** self.rng.uniform(-3.5, -2)
        self.speed = 10 ** self.rng.uniform(-0.5, 1.5)

    def mesh(self, size):
        name = "m%d.obj" % len(self.parts)
        write_obj(self.folder / name, self.rng.choice([blob, needles, torus])(self.rng, size))
        return name

    def velocity(self):
        return numbers(*(self.rng.uniform(-1, 1) * self.speed for _ in range(3)))

    def turn(self):
        return numbers(*(self.rng.uniform(-1, 1) for _ in range(3)), 1)

    def add(self, text):
        self.parts.append("<node name='o%d'>%s</node>" % (len(self.parts), text))

    def rigid(self, at, solver=""):
        skin = "<MeshFile file='%s'/><Points/><RigidMap/><Skin/>" % self.mesh(0.05)
        spin = numbers(*(self.rng.uniform(-1, 1) * 10 for _ in range(3)))
        self.add("%s<Frames positions='%s %s' velocities='%s %s'/><UniformMass mass='%g' box='0.1 0.1 0.1'/>"
                 "<node name='skin'>%s</node>" % (solver, numbers(*at), self.turn(), self.velocity(), spin,
                                                 10 ** self.rng.uniform(-2, 0), skin))

    def spook(self, at):
        self.rigid(at, "<Spook step='0.0025'/>")

    def cloth(self, at, implicit=False):
        solver = "<ImplicitEuler damping_stiffness='0.002'/>" if implicit else "<SymplecticEuler step='0.0003125'/>"
        self.add("%s<Sheet divisions='6' width='0.2' depth='0.2' rotation='%s'/><Points translation='%s' "
                 "velocities='%s'/><UniformMass total='0.03'/><Springs stiffness='60' damping='0.01'/><Skin/>"
                 % (solver, numbers(*(self.rng.uniform(0, 90) for _ in range(3))), numbers(*at), self.velocity()))

    def implicit_cloth(self, at):
        self.cloth(at, True)

    def soft(self, at):
        r = 0.05
        self.bare.add("o%d_points" % len(self.parts))
        low, high = [x - r for x in at], [x + r for x in at]
        self.add("<ImplicitEuler damping_stiffness='0.005'/><Grid counts='3 3 3' low='%s' high='%s' split='true'/>"
                 "<Points velocities='%s'/><UniformMass total='0.2'/><Tetrahedra young='20000' poisson='0.3'/>"
                 "<node name='skin'><Sphere subdivisions='1' radius='%g' translation='%s'/><Points/><BarycentricMap/>"
                 "<Skin/></node>" % (numbers(*low), numbers(*high), self.velocity(), 0.95 * r, numbers(*at)))

    def ball(self, at):
        self.balls["o%d" % len(self.parts)] = r = self.rng.uniform(0.01, 0.05)
        self.add("<Points positions='%s' velocities='%s'/><UniformMass mass='0.05'/><Balls radius='%.9g'/>"
                 % (numbers(*at), self.velocity(), r))

    def wire(self, at):
        self.wires["o%d" % len(self.parts)] = r = self.rng.uniform(0.001, 0.01)
        d = [self.rng.uniform(-0.05, 0.05) for _ in range(3)]
        self.add("<SymplecticEuler step='0.000625'/><Line divisions='5' from='%s' to='%s'/><Points velocities='%s'/>"
                 "<UniformMass mass='0.005'/><Springs stiffness='100' damping='0.01'/><Skin radius='%.9g' self='false'/>"
                 % (numbers(*(x - y for x, y in zip(at, d))), numbers(*(x + y for x, y in zip(at, d))),
                    self.velocity(), r))

    def scene(self):
        # six places around the middle, far enough apart for all of these
        places = [(0.3, 0, 0), (-0.3, 0, 0), (0, 0, 0.3), (0, 0, -0.3), (0, 0.3, 0), (0.3, 0.3, 0.3)]
        self.rng.shuffle(places)
        kinds = [self.rigid, self.spook, self.cloth, self.implicit_cloth, self.soft, self.ball, self.wire]
        for place in places[: self.rng.randint(4, 6)]:
            self.rng.choice(kinds)(tuple(x + self.rng.uniform(-0.02, 0.02) for x in place))
        room = ("<node name='room'><Box low='-0.6 -0.3 -0.6' high='0.6 0.7 0.6'/><Points/><Skin/></node>")
        return ("<tactus version='1' duration='%.3g'><Contact method='safe' thickness='%.9g' friction='%g' "
                "restitution='%g'/>%s%s<Record fps='100'/></tactus>"
                % (min(0.3, 0.03 * math.ceil(0.5 / self.speed / 0.03)), self.thickness,
                   self.rng.choice([0, 0.3, 0.8]), self.rng.choice([0, 0.5, 1]), room, "".join(self.parts)))


# --- the exact checker ----------------------------------------------------------------------------------------


def orient(a, b, c, d):
    ax, ay, az = a[0] - d[0], a[1] - d[1], a[2] - d[2]
    bx, by, bz = b[0] - d[0], b[1] - d[1], b[2] - d[2]
    cx, cy, cz = c[0] - d[0], c[1] - d[1], c[2] - d[2]
    return ax * (by * cz - bz * cy) - ay * (bx * cz - bz * cx) + az * (bx * cy - by * cx)


def flat_meets(p, q, triangle):
    """A segment and a triangle in one plane, seen along the axis that shows the triangle best."""
    a, b, c = triangle
    n = [(b[1] - a[1]) * (c[2] - a[2]) - (b[2] - a[2]) * (c[1] - a[1]),
         (b[2] - a[2]) * (c[0] - a[0]) - (b[0] - a[0]) * (c[2] - a[2]),
         (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])]
    if n == [0, 0, 0]:
        return False  # no triangle
    axis = max(range(3), key=lambda k: abs(n[k]))
    u, v = (axis + 1) % 3, (axis + 2) % 3

    def turn(x, y, z):
        return (y[u] - x[u]) * (z[v] - x[v]) - (y[v] - x[v]) * (z[u] - x[u])

    def on(x, y, z):
        return all(min(x[k], y[k]) <= z[k] <= max(x[k], y[k]) for k in (u, v))

    def cross(x, y, z, w):
        s1, s2, s3, s4 = turn(x, y, z), turn(x, y, w), turn(z, w, x), turn(z, w, y)
        if (s1 > 0) != (s2 > 0) and (s3 > 0) != (s4 > 0) and 0 not in (s1, s2, s3, s4):
            return True
        return ((s1 == 0 and on(x, y, z)) or (s2 == 0 and on(x, y, w)) or (s3 == 0 and on(z, w, x))
                or (s4 == 0 and on(z, w, y)))

    sides = [(a, b), (b, c), (c, a)]
    if any(cross(p, q, x, y) for x, y in sides):
        return True
    signs = [turn(x, y, p) for x, y in sides]
    return all(s >= 0 for s in signs) or all(s <= 0 for s in signs)


def segment_meets(p, q, triangle):
    a, b, c = triangle
    s, t = orient(a, b, c, p), orient(a, b, c, q)
    if s == 0 and t == 0:
        return flat_meets(p, q, triangle)
    if (s > 0 and t > 0) or (s < 0 and t < 0):
        return False
    signs = [orient(p, q, a, b), orient(p, q, b, c), orient(p, q, c, a)]
    return all(x >= 0 for x in signs) or all(x <= 0 for x in signs)


def triangles_meet(x, y):
    return any(segment_meets(x[i], x[(i + 1) % 3], y) or segment_meets(y[i], y[(i + 1) % 3], x) for i in range(3))


def whole(point):
    return tuple(int(float(x) * SCALE) for x in point)


def overlapping(boxes):
    """Pairs of boxes that overlap, by a sweep along x."""
    order = sorted(range(len(boxes)), key=lambda i: boxes[i][0][0])
    live = []
    for i in order:
        low, high = boxes[i]
        live = [j for j in live if boxes[j][1][0] >= low[0]]
        for j in live:
            if all(boxes[j][0][k] <= high[k] and low[k] <= boxes[j][1][k] for k in (1, 2)):
                yield j, i
        live.append(i)


def box(points, more=0):
    return [min(p[k] for p in points) - more for k in range(3)], [max(p[k] for p in points) + more for k in range(3)]


def distance(p, q, x, y):
    """Between two segments, roughly: far better than a thickness is small."""
    best, steps = float("inf"), 64
    for i in range(steps + 1):
        a = [p[k] + (q[k] - p[k]) * i / steps for k in range(3)]
        d = [y[k] - x[k] for k in range(3)]
        length = sum(v * v for v in d)
        t = 0 if length == 0 else max(0, min(1, sum((a[k] - x[k]) * d[k] for k in range(3)) / length))
        best = min(best, math.dist(a, [x[k] + t * d[k] for k in range(3)]))
    return best


def read_frame(path, bare=()):
    """Objects of an OBJ: name, points, faces and lines (indices from 0 over all points)."""
    points, faces, lines, name = [], [], [], ""
    owner = []
    for line in open(path, encoding="utf-8"):
        words = line.split()
        if not words:
            continue
        if words[0] == "o":
            name = words[1]
        if words[0] == "v":
            points.append(tuple(float(w) for w in words[1:4]))
            owner.append(name)
        if words[0] == "f":
            corners = [int(w.split("/")[0]) - 1 for w in words[1:]]
            if name not in bare:
                faces += [(corners[0], corners[i], corners[i + 1]) for i in range(1, len(corners) - 1)]
        if words[0] == "l":
            lines.append(tuple(int(w) - 1 for w in words[1:3]))
    return points, owner, faces, lines


def find_meetings(path, bare):
    points, owner, faces, _ = read_frame(path, bare)
    exact = [whole(p) for p in points]
    triangles = [[exact[i] for i in f] for f in faces]
    found = []
    for i, j in overlapping([box(t) for t in triangles]):
        if set(faces[i]) & set(faces[j]):
            continue
        if triangles_meet(triangles[i], triangles[j]):
            found.append("%s: face %s of %s and %s of %s intersect"
                         % (path.name, faces[i], owner[faces[i][0]], faces[j], owner[faces[j][0]]))
    return found, len(faces)


def find_overlaps(path, balls, wires, bare):
    """Balls against balls, and thick wires against edges of everything else."""
    points, owner, faces, lines = read_frame(path, bare)
    node = [o.split("_")[0] for o in owner]
    found = []
    centres = [i for i in range(len(points)) if node[i] in balls]
    for n, i in enumerate(centres):
        for j in centres[n + 1:]:
            if math.dist(points[i], points[j]) <= balls[node[i]] + balls[node[j]]:
                found.append("%s: balls of %s and %s overlap" % (path.name, node[i], node[j]))
    thick = [line for line in lines if node[line[0]] in wires]
    others = {tuple(sorted((f[k], f[(k + 1) % 3]))) for f in faces for k in range(3)} | {tuple(line) for line in lines}
    for a, b in thick:
        reach = wires[node[a]]
        low, high = box([points[a], points[b]], 2 * reach + 0.01)
        for c, d in others:
            if node[c] == node[a]:
                continue
            lo, hi = box([points[c], points[d]])
            if any(lo[k] > high[k] or hi[k] < low[k] for k in range(3)):
                continue
            if distance(points[a], points[b], points[c], points[d]) <= reach + wires.get(node[c], 0):
                found.append("%s: the wire %s meets an edge of %s" % (path.name, node[a], node[c]))
        for i in centres:
            if distance(points[a], points[b], points[i], points[i]) <= reach + balls[node[i]]:
                found.append("%s: the wire %s meets the ball %s" % (path.name, node[a], node[i]))
    return found


# --- running --------------------------------------------------------------------------------------------------


def run_scene(number, folder):
    """What was wrong with a scene, and what it came to in a few words."""
    maker = Maker(number, folder)
    scene = folder / "scene.tac"
    scene.write_text(maker.scene(), encoding="utf-8")
    frames = folder / "frames"
    run = subprocess.run([BINARY, "run", str(scene), "--audit", "--json", "--quiet", "-o", str(folder / "a.tacrec")],
                         capture_output=True, text=True, timeout=300)
    lines = run.stdout.splitlines()
    said = json.loads(lines[-1]) if lines and lines[-1].startswith("{") else None
    if said is None:
        if "begins apart" in run.stderr:
            return [], "refused"
        return ["no result: " + run.stderr[:500]], ""
    progress = "no progress is possible" in (said.get("message") or "")
    wrong = []
    if run.returncode != 0 and not progress:
        wrong.append("exit code %d: %s" % (run.returncode, run.stderr[:500]))
    if said["audit"]["intersections"]:
        wrong.append("the audit found %d" % said["audit"]["intersections"])
    subprocess.run([BINARY, "export", str(folder / "a.tacrec"), "--quiet", "-o", str(frames) + "/"], check=True,
                   timeout=120)
    count = triangles = 0
    for frame in sorted(frames.rglob("*.obj")):
        found, triangles = find_meetings(frame, maker.bare)
        wrong += found + find_overlaps(frame, maker.balls, maker.wires, maker.bare)
        count += 1
    if not count:
        wrong.append("no frames")
    words = "%g m, %g m/s, %d kicks, %d frames of %d triangles%s" % (
        maker.thickness, maker.speed, said["contact"]["kicks"], count, triangles, ", no progress" if progress else "")
    return wrong, words


class Checker(unittest.TestCase):
    """The checker itself must be able to find something."""

    def test_triangles_that_meet_are_found(self):
        flat = [whole(p) for p in ((0, 0, 0), (1, 0, 0), (0, 1, 0))]
        through = [whole(p) for p in ((0.2, 0.2, -1), (0.2, 0.2, 1), (0.3, 0.3, 1))]
        beside = [whole(p) for p in ((0.8, 0.8, -1), (0.8, 0.8, 1), (0.9, 0.9, 1))]
        above = [whole(p) for p in ((0.2, 0.2, 2.0 ** -59), (0.2, 0.2, 1), (0.3, 0.3, 1))]
        touching = [whole(p) for p in ((0.25, 0.25, 0), (0.2, 0.2, 1), (0.3, 0.3, 1))]
        inside = [whole(p) for p in ((0.1, 0.1, 0), (0.2, 0.1, 0), (0.1, 0.2, 0))]
        apart = [whole(p) for p in ((2, 0, 0), (3, 0, 0), (2, 1, 0))]
        for other, meets in ((through, True), (beside, False), (above, False), (touching, True), (inside, True),
                             (apart, False)):
            self.assertEqual(triangles_meet(flat, other), meets)
            self.assertEqual(triangles_meet(other, flat), meets)

    def test_segments_are_as_far_as_they_are(self):
        self.assertAlmostEqual(distance((0, 0, 0), (1, 0, 0), (0.5, -1, 0.1), (0.5, 1, 0.1)), 0.1)
        self.assertAlmostEqual(distance((0, 0, 0), (1, 0, 0), (2, 0, 0), (3, 0, 0)), 1)


class Strangers(unittest.TestCase):
    def test_nothing_meets(self):
        for number in range(1, SAMPLE + 1):
            with self.subTest(number=number), tempfile.TemporaryDirectory() as folder:
                wrong, words = run_scene(number, pathlib.Path(folder))
                self.assertEqual(wrong, [], words)


def main():
    if len(sys.argv) == 3 and sys.argv[1].isdigit():
        bad = 0
        for number in range(int(sys.argv[1]), int(sys.argv[1]) + int(sys.argv[2])):
            folder = pathlib.Path("stranger%d" % number)
            folder.mkdir(exist_ok=True)
            wrong, words = run_scene(number, folder)
            print(number, words, *wrong[:5], sep="\n    " if wrong else " ", flush=True)
            bad += bool(wrong)
            if not wrong:
                subprocess.run(["rm", "-r", str(folder)], check=True)
        sys.exit(1 if bad else 0)
    unittest.main()


if __name__ == "__main__":
    main()
