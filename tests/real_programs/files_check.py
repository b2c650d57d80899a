# SPDX-FileCopyrightText: The Tactus authors
# SPDX-License-Identifier: MIT

"""Reads a CSV and a folder of OBJ frames as other programs would, and compares them with the recording.

files_check.py RECORDING EXPORT.csv FRAMES/
"""

import csv
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import recording as rec


def same(a, b):
    return a == b or (a != a and b != b)


def check_csv(r, path):
    with open(path, newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file))
    titles = ["time [s]"] + [f"{name} [{unit}]" for name, unit in r.channels]
    assert rows[0] == titles, (rows[0], titles)
    assert len(rows) == 1 + len(r.times), len(rows)
    for row, time, values in zip(rows[1:], r.times, r.values):
        assert len(row) == len(titles) and all(map(same, map(float, row), [time] + values)), row
    print(f"  {len(rows) - 1} rows of {len(titles)} columns, equal to the last bit")


def check_frames(r, folder):
    """Every point and element of every frame; nine digits are written."""
    names, worst, compared = r.plain_names(), 0.0, 0
    assert sorted(os.listdir(folder)) == [f"frame-{f:05d}.obj" for f in range(len(r.times))]
    for f in range(len(r.times)):
        objects, points, elements = [], [], []
        with open(os.path.join(folder, f"frame-{f:05d}.obj"), encoding="ascii") as file:
            for word, *rest in map(str.split, file):
                if word == "o":
                    objects += rest
                elif word == "v":
                    points.append(tuple(map(float, rest)))
                else:
                    elements.append((word, tuple(int(i) - 1 for i in rest)))
        there = [t for t in r.tracks if t.moments[f].positions]
        assert objects == [names[t] for t in there], objects
        truth, expected = [], []
        for t in there:
            base, mesh = len(truth), t.moments[f].mesh
            truth += t.points(f)
            lists = ((mesh.triangles, 3, "f"), (mesh.edges, 2, "l"))
            for list_, size, letter in lists:
                expected += [(letter, tuple(base + i for i in list_[k : k + size])) for k in range(0, len(list_), size)]
            if not mesh.triangles and not mesh.edges:
                expected += [("p", (i,)) for i in range(base, len(truth))]
        assert elements == expected and len(points) == len(truth), f
        for p, q in zip(points, truth):
            worst = max(worst, max(abs(a - b) / max(1.0, abs(b)) for a, b in zip(p, q)))
        compared += len(truth)
    assert worst <= 5.01e-9, worst
    print(f"  {len(r.times)} OBJ frames, {compared} points, off by {worst:.2g} at most")


recording = rec.read(sys.argv[1])
check_csv(recording, sys.argv[2])
check_frames(recording, sys.argv[3])
