# SPDX-FileCopyrightText: The Tactus authors
# SPDX-License-Identifier: MIT

"""Inside Blender: opens an OBJ + PC2 export as docs/exports.md says and compares what is shown with the recording.

blender -b --factory-startup --python-exit-code 1 --python blender_check.py -- RECORDING EXPORT.obj FRAMES/
"""

import os
import struct
import sys

import bpy

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import recording as rec


def clear():
    for body in list(bpy.data.objects):
        bpy.data.objects.remove(body)


def open_obj(path, up):
    """Imports with the axes that the document names; returns the objects by name."""
    clear()
    axes = ("NEGATIVE_Z", "Y") if abs(up[1]) >= abs(up[2]) else ("Y", "Z")
    bpy.ops.wm.obj_import(filepath=path, forward_axis=axes[0], up_axis=axes[1])
    return {body.name: body for body in bpy.data.objects if body.type == "MESH"}


def add_cache(body, pc2):
    cache = body.modifiers.new("cache", "MESH_CACHE")
    cache.cache_format, cache.filepath = "PC2", os.path.abspath(pc2)
    return cache


def shown(body, frame):
    """The object with its modifiers at a frame, and its points."""
    bpy.context.scene.frame_set(frame)
    body = body.evaluated_get(bpy.context.evaluated_depsgraph_get())
    return body, [tuple(v.co) for v in body.data.vertices]


def read_pc2(path):
    with open(path, "rb") as file:
        data = file.read()
    name, version, points, start, rate, samples = struct.unpack_from("<12siiffi", data)
    assert (name, version, start, rate) == (b"POINTCACHE2\0", 1, 0, 1), (name, version, start, rate)
    assert len(data) == 32 + 12 * points * samples, (len(data), points, samples)
    numbers = struct.iter_unpack("<3f", data[32:])
    return [[next(numbers) for _ in range(points)] for _ in range(samples)]


def farthest(a, b):
    assert len(a) == len(b), (len(a), len(b))
    return max((abs(x - y) for p, q in zip(a, b) for x, y in zip(p, q)), default=0.0)


def upright(p, up):
    """Where a point of the recording stands in Blender's world, whose up is z."""
    return (p[0], -p[2], p[1]) if abs(up[1]) >= abs(up[2]) else p


def elements(mesh):
    return [tuple(p.vertices) for p in mesh.polygons], sorted(tuple(sorted(e.vertices)) for e in mesh.edges)


def expected_elements(cache):
    place = {point: i for i, point in enumerate(cache.used)}
    triangles, edges = [place[i] for i in cache.mesh.triangles], [place[i] for i in cache.mesh.edges]
    faces = list(zip(triangles[::3], triangles[1::3], triangles[2::3]))
    sides = {tuple(sorted(pair)) for a, b, c in faces for pair in ((a, b), (b, c), (c, a))}
    return faces, sorted(sides | {tuple(sorted(pair)) for pair in zip(edges[::2], edges[1::2])})


def check_shown(body, cache, samples, frames, up):
    """Largest differences: to the PC2, to the recording, and of places in the world to the recording."""
    worst = [0.0, 0.0, 0.0]
    for f in frames:
        now, points = shown(body, f)
        truth = [tuple(map(rec.single, p)) for p in cache.rows[f]]
        places = [tuple(now.matrix_world @ v.co) for v in now.data.vertices]
        worst[0] = max(worst[0], farthest(points, samples[f]))
        worst[1] = max(worst[1], farthest(points, truth))
        worst[2] = max(worst[2], farthest(places, [upright(p, up) for p in truth]))
    size = max(1.0, max(abs(x) for row in cache.rows for p in row for x in p))
    assert worst[0] == 0, worst
    # what was resampled was computed twice, in two ways
    assert worst[1] <= (4e-7 * size if cache.resampled else 0), worst
    assert worst[2] <= 4e-7 * size, worst
    return worst


def check_track(r, track, stem, frames):
    cache = rec.Cache(track)
    samples = read_pc2(stem + ".pc2")
    assert len(samples) == len(r.times), (len(samples), len(r.times))
    bodies = open_obj(stem + ".obj", r.up)
    assert len(bodies) == 1, bodies
    body = next(iter(bodies.values()))
    assert len(body.data.vertices) == len(cache.used), (len(body.data.vertices), len(cache.used))
    assert elements(body.data) == expected_elements(cache)
    add_cache(body, stem + ".pc2")
    worst = check_shown(body, cache, samples, frames, r.up)
    # between two samples the modifier goes straight: half way is the mean
    if len(samples) > 1:
        bpy.context.scene.frame_set(0, subframe=0.5)
        now = body.evaluated_get(bpy.context.evaluated_depsgraph_get())
        middle = [tuple(0.5 * (x + y) for x, y in zip(p, q)) for p, q in zip(samples[0], samples[1])]
        assert farthest([tuple(v.co) for v in now.data.vertices], middle) <= 1e-6 * (1 + abs(max(map(max, middle))))
    print(f"  {track.name}: {len(cache.used)} of {cache.most} points, {len(body.data.polygons)} triangles, "
          f"{len(body.data.edges)} edges; at frames {frames} off by {worst[0]:.2g} from the PC2, {worst[1]:.2g} from "
          f"the recording, {worst[2]:.2g} in the world" + (" (resampled)" if cache.resampled else ""))
    return len(cache.used) * len(frames)


def check_together(r, path, stems, frames):
    """The OBJ of all tracks: an object for each that has elements, which takes the same caches."""
    bodies = open_obj(path, r.up)
    names = r.plain_names()
    caches = {names[t]: (t, rec.Cache(t)) for t in r.filled()}
    joined = {n for n, (_, c) in caches.items() if c.mesh.triangles or c.mesh.edges}
    if not joined and len(caches) > 1:
        # Blender puts the points of all tracks into one object, which no cache fits
        total = sum(len(c.used) for _, c in caches.values())
        assert [len(body.data.vertices) for body in bodies.values()] == [total], bodies
        print(f"  {os.path.basename(path)}: the points of all tracks in one object")
        return
    assert set(bodies) == (joined or set(caches)), (set(bodies), joined)
    for name, body in bodies.items():
        add_cache(body, stems[caches[name][0]] + ".pc2")
    for name, body in bodies.items():
        check_shown(body, caches[name][1], read_pc2(stems[caches[name][0]] + ".pc2"), frames, r.up)
    print(f"  {os.path.basename(path)}: {len(bodies)} objects at once, each with its cache")


def check_frame(r, folder, f):
    """One OBJ of the folder of frames: every point that something joins is where the recording has it."""
    bodies = open_obj(os.path.join(folder, f"frame-{f:05d}.obj"), r.up)
    names, compared = r.plain_names(), 0
    for track in r.filled():
        mesh = track.moments[f].mesh
        joined = sorted(set(mesh.triangles) | set(mesh.edges))
        if not joined:
            continue
        points = track.points(f)
        truth = [points[i] for i in joined]
        got = [tuple(v.co) for v in bodies[names[track]].data.vertices]
        size = max(1.0, max(abs(x) for p in truth for x in p))
        assert farthest(got, truth) <= 1e-7 * size, (track.name, f)
        compared += len(truth)
    return compared


def main(recording, path, folder):
    r = rec.read(recording)
    filled, names = r.filled(), r.plain_names()
    stem = os.path.splitext(path)[0]
    stems = {t: stem if len(filled) == 1 else f"{stem}-{names[t]}" for t in filled}
    last = len(r.times) - 1
    frames = sorted({0, last // 2, last})
    print(f"  Blender {bpy.app.version_string}, {len(r.times)} frames, up {tuple(r.up)}")
    compared = sum(check_track(r, t, stems[t], frames) for t in filled)
    check_together(r, path, stems, frames)
    of_frames = sum(check_frame(r, folder, f) for f in frames)
    assert compared > 0
    print(f"  {compared} points of caches and {of_frames} of OBJ frames compared")


main(*sys.argv[sys.argv.index("--") + 1 :])
