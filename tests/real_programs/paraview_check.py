# SPDX-FileCopyrightText: The Tactus authors
# SPDX-License-Identifier: MIT

"""Inside ParaView: opens a PVD export and compares times, points, cells, bounds and fields with the recording.

pvpython paraview_check.py RECORDING EXPORT.pvd
PARAVIEW_PYTHON names the folder of ParaView's modules where they are not installed.
"""

import os
import sys

if os.environ.get("PARAVIEW_PYTHON"):
    sys.path.insert(0, os.environ["PARAVIEW_PYTHON"])
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import recording as rec
from paraview import servermanager
from paraview.simple import GetParaViewVersion, PVDReader

VERTEX, LINE, TRIANGLE, TETRA = 1, 3, 5, 10


def leaf(block):
    """The grid in a block."""
    while block is not None and hasattr(block, "GetNumberOfBlocks"):
        assert block.GetNumberOfBlocks() == 1, block.GetNumberOfBlocks()
        block = block.GetBlock(0)
    return block


def grids(reader, names):
    """The grid of every track; a single one comes without blocks."""
    data = servermanager.Fetch(reader)
    if not hasattr(data, "GetNumberOfBlocks"):
        assert len(names) == 1, names
        return [data]
    if len(names) == 1:
        return [leaf(data)]
    found = [data.GetMetaData(i).Get(data.NAME()) for i in range(data.GetNumberOfBlocks())]
    assert found == names, (found, names)
    return [leaf(data.GetBlock(i)) for i in range(len(names))]


def expected_cells(mesh, count):
    cells = []
    for list_, size, kind in ((mesh.triangles, 3, TRIANGLE), (mesh.edges, 2, LINE), (mesh.tetrahedra, 4, TETRA)):
        cells += [(kind, tuple(list_[i : i + size])) for i in range(0, len(list_), size)]
    return cells or [(VERTEX, (i,)) for i in range(count)]


def found_cells(grid):
    cells = []
    for i in range(grid.GetNumberOfCells()):
        cell = grid.GetCell(i)
        cells.append((grid.GetCellType(i), tuple(cell.GetPointId(k) for k in range(cell.GetNumberOfPoints()))))
    return cells


def rows(grid, name):
    array = grid.GetPointData().GetArray(name)
    return None if array is None else [array.GetTuple(i) for i in range(array.GetNumberOfTuples())]


def check_fields(r, track, f, grid):
    """Point data, bit for bit; returns how many numbers were compared."""
    moment, count, rigid = track.moments[f], len(track.moments[f].positions), track.kind >= rec.RIGID2
    expected = {}
    if r.velocities:
        size = {rec.VEC1: 1, rec.VEC2: 2, rec.RIGID2: 2}.get(track.kind, 3)
        expected["velocity"] = [tuple(v[:size]) + (0.0,) * (3 - size) for v in moment.velocities]
        if rigid:
            flat = track.kind == rec.RIGID2
            expected["angular_velocity"] = [(0.0, 0.0, v[2]) if flat else tuple(v[3:6]) for v in moment.velocities]
    if rigid:
        expected["orientation"] = [track.rotation(f, i) for i in range(count)]
    if track.radii or track.radius > 0:
        expected["radius"] = [(track.radii[i] if track.radii else track.radius,) for i in range(count)]
    names = {grid.GetPointData().GetArrayName(k) for k in range(grid.GetPointData().GetNumberOfArrays())}
    assert names == set(expected), (track.name, names, set(expected))
    for name, truth in expected.items():
        assert rows(grid, name) == truth, (track.name, f, name)
    return sum(len(t) for truth in expected.values() for t in truth)


def check_track(r, track, f, grid):
    points, mesh = track.points(f), track.moments[f].mesh
    assert grid.GetNumberOfPoints() == len(points), (track.name, f, grid.GetNumberOfPoints(), len(points))
    assert [grid.GetPoint(i) for i in range(len(points))] == points, (track.name, f)
    assert found_cells(grid) == expected_cells(mesh, len(points)), (track.name, f)
    time = grid.GetFieldData().GetArray("TimeValue").GetTuple(0)[0]
    assert time == r.times[f], (track.name, f, time)
    if points:
        bounds = tuple(g(p[k] for p in points) for k in range(3) for g in (min, max))
        assert grid.GetBounds() == bounds, (track.name, f, grid.GetBounds(), bounds)
    return len(points), grid.GetNumberOfCells(), check_fields(r, track, f, grid)


def main(recording, pvd):
    r = rec.read(recording)
    filled, names = r.filled(), r.plain_names()
    reader = PVDReader(FileName=pvd)
    reader.UpdatePipelineInformation()
    steps = reader.TimestepValues
    # a single step comes as a number
    steps = [steps] if isinstance(steps, float) else list(steps)
    assert steps == r.times, (steps, r.times)
    last = len(r.times) - 1
    frames = sorted({0, last // 3, last // 2, last})
    print(f"  ParaView {GetParaViewVersion()}, {len(steps)} time steps from {steps[0]:g} s to {steps[-1]:.17g} s, "
          f"all as recorded; {len(filled)} blocks")
    totals = [0, 0, 0]
    for f in frames:
        reader.UpdatePipeline(r.times[f])
        counts = []
        for track, grid in zip(filled, grids(reader, [names[t] for t in filled])):
            counted = check_track(r, track, f, grid)
            counts.append(f"{names[track]} {counted[0]}/{counted[1]}")
            totals = [a + b for a, b in zip(totals, counted)]
        print(f"  at {r.times[f]:.17g} s, points/cells: {', '.join(counts)}")
    # every other step at least opens with the right number of points
    for f, time in enumerate(r.times):
        reader.UpdatePipeline(time)
        count = sum(len(t.moments[f].positions) for t in filled)
        assert reader.GetDataInformation().GetNumberOfPoints() == count, (f, count)
    print(f"  {totals[0]} points, {totals[1]} cells and {totals[2]} numbers of fields compared, all equal to the last bit")


try:
    main(sys.argv[1], sys.argv[2])
except BaseException:
    # pvpython would end with 0
    import traceback

    traceback.print_exc()
    sys.stderr.flush()
    sys.stdout.flush()
    os._exit(1)
