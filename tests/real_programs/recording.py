# SPDX-FileCopyrightText: The Tactus authors
# SPDX-License-Identifier: MIT

"""Reads and writes recordings as docs/recording-format.md says, byte by byte, and shares no code with the library.

So it is an independent truth: what Blender and ParaView show of an export is compared with what is read here. Runs
inside their Pythons too, hence with the standard library only.
"""

import array
import math
import re
import struct
import zlib

# per kind: name, numbers per position, numbers per velocity
KINDS = [("Vec1", 1, 1), ("Vec2", 2, 2), ("Vec3", 3, 3), ("Rigid2", 3, 3), ("Rigid3", 7, 6)]
VEC1, VEC2, VEC3, RIGID2, RIGID3 = range(5)
VELOCITIES, SINGLE = 1, 2
MAGIC, END = b"TACREC1\n", b"TACEND1\n"


class Mesh:
    def __init__(self, triangles=(), edges=(), tetrahedra=()):
        self.triangles, self.edges, self.tetrahedra = list(triangles), list(edges), list(tetrahedra)

    def cells(self):
        return len(self.triangles) // 3 + len(self.edges) // 2 + len(self.tetrahedra) // 4


class Moment:
    """A track in one frame. Positions and velocities are lists of tuples, as long as the kind says."""

    def __init__(self, positions, velocities=None, mesh=None, time=0.0):
        self.positions, self.velocities, self.mesh, self.time = positions, velocities, mesh, time


class Track:
    def __init__(self, name, kind, mesh=None, radius=0.0, radii=(), visible=True, most=0):
        self.name, self.kind, self.mesh, self.most = name, kind, mesh or Mesh(), most
        self.radius, self.radii, self.visible = radius, list(radii), visible
        self.moments = []

    def points(self, frame):
        """The points of a frame as x y z; what the kind lacks is 0."""
        size = {VEC1: 1, VEC2: 2, RIGID2: 2}.get(self.kind, 3)
        return [tuple(p[:size]) + (0.0,) * (3 - size) for p in self.moments[frame].positions]

    def rotation(self, frame, i):
        """x y z w."""
        p = self.moments[frame].positions[i]
        if self.kind == RIGID2:
            return (0.0, 0.0, math.sin(0.5 * p[2]), math.cos(0.5 * p[2]))
        return p[3:7]

    def most_points(self):
        return max(len(m.positions) for m in self.moments)


class Recording:
    def __init__(self, fps=0.0, up=(0.0, 0.0, 1.0), scene=""):
        self.fps, self.up, self.scene, self.beat = fps, up, scene, 0.01
        self.velocities = self.single = False
        self.tracks, self.channels, self.times, self.values = [], [], [], []

    def filled(self):
        return [t for t in self.tracks if t.moments and t.most_points()]

    def plain_names(self):
        """Names of files and prims, by track."""
        names = []
        for t in self.tracks:
            name = re.sub(r"[^A-Za-z0-9]", "_", t.name.lstrip("/"))
            names.append("_" + name if not name or name[0].isdigit() else name)
        if len({n.lower() for n in names}) < len(names):
            names = [f"{n}_{i}" for i, n in enumerate(names)]
        return dict(zip(self.tracks, names))


# --- reading --------------------------------------------------------------------------------------------------


class Cursor:
    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, form):
        values = struct.unpack_from("<" + form, self.data, self.at)
        self.at += struct.calcsize("<" + form)
        return values if len(values) > 1 else values[0]

    def text(self):
        size = self.take("I")
        self.at += size
        return self.data[self.at - size : self.at].decode()

    def rest(self):
        return self.data[self.at :]


def unpack(data, letter, count):
    """Deflated numbers whose bytes are sorted by significance."""
    width = struct.calcsize(letter)
    stream = zlib.decompressobj(-15)
    raw = stream.decompress(data) + stream.flush() if data else b""
    if len(raw) != width * count:
        raise ValueError(f"{len(raw)} bytes instead of {width * count}")
    sorted_back = bytearray(len(raw))
    for b in range(width):
        sorted_back[b::width] = raw[b * count : (b + 1) * count]
    return list(array.array(letter, bytes(sorted_back)))


def chunks(data):
    if data[:8] != MAGIC:
        raise ValueError("not a recording")
    at = 8
    while at < len(data):
        kind, version, size, crc = struct.unpack_from("<4sIQI", data, at)
        payload = data[at + 20 : at + 20 + size]
        if version != 1 or crc != zlib.crc32(data[at : at + 16] + payload):
            raise ValueError(f"chunk at {at} is damaged")
        yield kind, payload
        at += 20 + size


def read_head(c):
    r = Recording()
    flags, r.beat, r.fps = c.take("Idd")
    r.velocities, r.single = bool(flags & VELOCITIES), bool(flags & SINGLE)
    r.up = c.take("3d")
    c.take("4d"), c.take("7d")
    r.scene = c.text()
    track_count, channel_count = c.take("II")
    for _ in range(track_count):
        name = c.text()
        kind, flags, most, radius = c.take("IIQd")
        c.take("4d")
        radii = [c.take("d") for _ in range(c.take("Q"))]
        r.tracks.append(Track(name, kind, None, radius, radii, bool(flags & 1), most))
    r.channels = [(c.text(), c.text()) for _ in range(channel_count)]
    return r


def read_mesh(r, c, meshes):
    _, track, _, triangles, edges, tetrahedra = c.take("QIIQQQ")
    ints = unpack(c.rest(), "i", triangles + edges + tetrahedra)
    meshes[track] = Mesh(ints[:triangles], ints[triangles : triangles + edges], ints[triangles + edges :])


def read_frame(r, c, meshes):
    number, time, size = c.take("QdQ")
    if number != len(r.times):
        raise ValueError(f"frame {number} stands where {len(r.times)} is due")
    heads = [c.take("dQ") for _ in r.tracks]
    r.times.append(time)
    r.values.append([c.take("d") for _ in r.channels])
    letter = "f" if r.single else "d"
    numbers = unpack(c.rest(), letter, size // struct.calcsize(letter))
    at = 0
    for i, (track, (own, count)) in enumerate(zip(r.tracks, heads)):
        lists = []
        for width in KINDS[track.kind][1:] if r.velocities else KINDS[track.kind][1:2]:
            lists.append(list(zip(*(numbers[at + k * count : at + (k + 1) * count] for k in range(width)))))
            at += width * count
        track.moments.append(Moment(lists[0], lists[1] if r.velocities else None, meshes.get(i, Mesh()), own))
    if at != len(numbers):
        raise ValueError(f"frame {number} has {len(numbers)} numbers instead of {at}")


def read(path):
    with open(path, "rb") as file:
        data = file.read()
    r, meshes = None, {}
    for kind, payload in chunks(data):
        c = Cursor(payload)
        if kind == b"HEAD":
            r = read_head(c)
        elif kind == b"MESH":
            read_mesh(r, c, meshes)
        elif kind == b"FRAM":
            read_frame(r, c, meshes)
    return r


# --- writing --------------------------------------------------------------------------------------------------


def pack(numbers, letter):
    raw = array.array(letter, numbers).tobytes()
    width = struct.calcsize(letter)
    stream = zlib.compressobj(1, zlib.DEFLATED, -15)
    sorted_bytes = b"".join(raw[b::width] for b in range(width))
    return stream.compress(sorted_bytes) + stream.flush() if raw else b""


def chunk(kind, payload):
    head = struct.pack("<4sIQ", kind, 1, len(payload))
    return head + struct.pack("<I", zlib.crc32(head + payload)) + payload


def text(words):
    return struct.pack("<I", len(words.encode())) + words.encode()


def mesh_chunk(mesh, frame, track, of_definition):
    lists = (mesh.triangles, mesh.edges, mesh.tetrahedra)
    head = struct.pack("<QIIQQQ", frame, track, int(of_definition), *map(len, lists))
    return chunk(b"MESH", head + pack([i for list_ in lists for i in list_], "i"))


def head_chunk(r):
    flags = VELOCITIES * r.velocities | SINGLE * r.single
    out = struct.pack("<Idd3d4d7d", flags, r.beat, r.fps, *r.up, *r.up, 0, *[0] * 7) + text(r.scene)
    out += struct.pack("<II", len(r.tracks), len(r.channels))
    for t in r.tracks:
        out += text(t.name) + struct.pack("<IIQd", t.kind, int(t.visible), t.most or t.most_points(), t.radius)
        out += struct.pack("<4dQ%dd" % len(t.radii), 0.8, 0.4, 0.2, 1, len(t.radii), *t.radii)
    return chunk(b"HEAD", out + b"".join(text(name) + text(unit) for name, unit in r.channels))


def frame_chunk(r, f):
    numbers, heads = [], b""
    for t in r.tracks:
        moment = t.moments[f]
        heads += struct.pack("<dQ", moment.time, len(moment.positions))
        for points in (moment.positions, moment.velocities) if r.velocities else (moment.positions,):
            for component in zip(*points):
                numbers += component
    letter = "f" if r.single else "d"
    size = len(numbers) * struct.calcsize(letter)
    values = struct.pack("<%dd" % len(r.channels), *r.values[f])
    return chunk(b"FRAM", struct.pack("<QdQ", f, r.times[f], size) + heads + values + pack(numbers, letter))


def write(r, path):
    """Without an index, as a run that was ended leaves it. A moment's mesh is None where it is as before."""
    with open(path, "wb") as file:
        file.write(MAGIC + head_chunk(r))
        for i, t in enumerate(r.tracks):
            if t.mesh.cells():
                file.write(mesh_chunk(t.mesh, 0, i, True))
        for f in range(len(r.times)):
            for i, t in enumerate(r.tracks):
                if t.moments[f].mesh is not None:
                    file.write(mesh_chunk(t.moments[f].mesh, f, i, False))
            file.write(frame_chunk(r, f))


# --- what exports promise -------------------------------------------------------------------------------------


def single(x):
    """Rounded to 32 bits."""
    return struct.unpack("<f", struct.pack("<f", x))[0]


def along_chain(points, want):
    """So many points evenly along the line through the given ones."""
    lengths = [0.0]
    for a, b in zip(points, points[1:]):
        lengths.append(lengths[-1] + math.dist(a, b))
    out = []
    for i in range(want):
        at = lengths[-1] * i / (want - 1)
        k = max(j for j in range(len(points) - 1) if j == 0 or lengths[j] <= at)
        span = lengths[k + 1] - lengths[k]
        s = (at - lengths[k]) / span if span > 0 else 0.0
        out.append(tuple(a + s * (b - a) for a, b in zip(points[k], points[k + 1])))
    return out


class Cache:
    """What the PC2 of a track holds, and the elements of its OBJ, by the document."""

    def __init__(self, track):
        counts = [len(m.positions) for m in track.moments]
        self.most = max(counts)
        mesh = track.moments[counts.index(self.most)].mesh
        joined = sorted(set(mesh.triangles) | set(mesh.edges))
        self.used = joined or list(range(self.most))
        self.mesh = mesh
        self.resampled = any(n != self.most for n in counts)
        edges = list(zip(mesh.edges[::2], mesh.edges[1::2]))
        chain = edges and not mesh.triangles and not mesh.tetrahedra and all(b == a + 1 for a, b in edges)
        self.rows, last = [], [(0.0, 0.0, 0.0)] * self.most
        for f, n in enumerate(counts):
            points = track.points(f)
            if n == self.most:
                last = points
            elif n > 1 and chain:
                last = along_chain(points, self.most)
            elif n:
                last = [points[int(i * (n - 1) / (self.most - 1) + 0.5)] for i in range(self.most)]
            self.rows.append([last[i] for i in self.used])
