# SPDX-FileCopyrightText: The Tactus authors
# SPDX-License-Identifier: MIT

"""Writes a recording with what simulations seldom have all at once: sample.py OUT.tacrec

Irregular times, z up, points that nothing joins, a wire that grows and shrinks, grains that come and go, bodies that
turn, a patch that appears late and vanishes again, matter of one and two dimensions, names that only differ in signs.
"""

import math
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import recording as rec

FRAMES = 60
WIRE_MOST, GRAINS_MOST = 24, 40


def chain(count):
    return [i for k in range(count - 1) for i in (k, k + 1)]


def wave(f, i, k):
    return math.sin(0.3 * f + 0.7 * i + 1.1 * k)


def add(track, points, width, speed_width, time, mesh=None):
    speeds = [tuple(wave(len(track.moments), i, k + 5) for k in range(speed_width)) for i in range(len(points))]
    assert all(len(p) == width for p in points)
    track.moments.append(rec.Moment(points, speeds, mesh, time))


def make():
    r = rec.Recording(fps=24, up=(0.0, 0.0, 1.0), scene='a "sample" of \\ everything, für alle')
    r.velocities = True
    r.channels = [("energy/total", "J"), ('a, "b"', "m/s")]
    side = 6
    quads = [(y * side + x, y * side + x + 1, y * side + x + side, y * side + x + side + 1)
             for y in range(side - 1) for x in range(side - 1)]
    triangles = [i for a, b, c, d in quads for i in (a, b, c, b, d, c)]
    cloth = rec.Track("/cloth/points", rec.VEC3, rec.Mesh(triangles))
    solid = rec.Track("/solid", rec.VEC3, rec.Mesh((0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3), (), (0, 1, 2, 3, 4, 1, 2, 3)))
    wire = rec.Track("/wire", rec.VEC3, rec.Mesh((), chain(3)), radius=0.02, most=WIRE_MOST)
    grains = rec.Track("/grains fine", rec.VEC2, radii=[0.01 + 0.001 * i for i in range(GRAINS_MOST)],
                       most=GRAINS_MOST)
    bodies = rec.Track("/bodies", rec.RIGID3, radius=0.25)
    flat = rec.Track("/flat", rec.RIGID2, rec.Mesh((), chain(4)))
    line = rec.Track("/line", rec.VEC1)
    late = rec.Track("/late", rec.VEC3, most=3)
    twin = rec.Track("/grains/fine", rec.VEC3, visible=False)
    nothing = rec.Track("/nothing", rec.VEC3)
    r.tracks = [cloth, solid, wire, grains, bodies, flat, line, late, twin, nothing]
    for f in range(FRAMES):
        time = 0.04 * f + 0.003 * (f % 5)
        r.times.append(time)
        r.values.append([1.0 / (f + 3), wave(f, 0, 0)])
        # one more point than the triangles use: nothing joins it
        add(cloth, [(0.2 * (i % side), 0.2 * (i // side), 1 + 0.1 * wave(f, i, 0)) for i in range(side**2)]
            + [(9.0, 9.0, 9.0)], 3, 3, time)
        add(solid, [(0.3 * wave(0, i, 1), 0.3 * wave(0, i, 2), 0.05 * f + wave(0, i, 3)) for i in range(5)], 3, 3, time)
        count = 3 + (WIRE_MOST - 3) * f // 40 if f <= 40 else WIRE_MOST - (f - 40)
        add(wire, [(0.1 * i, math.sin(0.1 * i + 0.05 * f), 0.02 * i * i) for i in range(count)], 3, 3, time,
            rec.Mesh((), chain(count)))
        count = GRAINS_MOST if 20 <= f < 30 else 7 + f % 11
        add(grains, [(wave(f, i, 0), wave(f, i, 1)) for i in range(count)], 2, 2, time)
        turn = 0.05 * f
        add(bodies, [(float(i), 0.1 * f, 0.5, 0.0, math.sin(turn), 0.0, math.cos(turn)) for i in range(3)], 7, 6, time)
        add(flat, [(0.5 * i, 0.01 * f * i, 0.1 * f) for i in range(4)], 3, 3, time)
        add(line, [(0.1 * i + 0.01 * f,) for i in range(5)], 1, 1, time)
        there = 15 <= f < 45
        add(late, [(1.0 * (i == 1), 1.0 * (i == 2), 0.1 * f) for i in range(3)] if there else [], 3, 3, time,
            rec.Mesh((0, 1, 2)) if f == 15 else rec.Mesh() if f == 45 else None)
        add(twin, [(2.0, 0.1 * f, 0.0), (2.0, 0.1 * f, 1.0)], 3, 3, time)
        add(nothing, [], 3, 3, time)
    return r


if __name__ == "__main__":
    rec.write(make(), sys.argv[1])
