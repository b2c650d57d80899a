#!/bin/sh
# SPDX-FileCopyrightText: The Tactus authors
# SPDX-License-Identifier: MIT
#
# Checks exports with the real programs, by hand: real_programs.sh FOLDER
# FOLDER holds exports as `tactus export` writes them: any *.obj with the *.pc2 of the same name, *.pvd, *.usda.
# Each program that is not installed is named and skipped; the exit status is 1 when a check fails, 2 when nothing
# could be checked.
set -u
folder=${1:?usage: real_programs.sh FOLDER}
failed=0 checked=0

report() { # name, status
    checked=$((checked + 1))
    if [ "$2" -eq 0 ]; then echo "ok      $1"; else echo "FAILED  $1"; failed=1; fi
}

# Blender: the mesh has as many vertices as the cache has points, and the modifier moves them to the cache's numbers
check_blender() { # obj, pc2
    OBJ=$1 PC2=$2 blender -b --factory-startup --python-exit-code 1 --python-expr '
import bpy, os, struct
obj, pc2 = os.environ["OBJ"], os.environ["PC2"]
bpy.ops.object.select_all(action="SELECT"); bpy.ops.object.delete()
bpy.ops.wm.obj_import(filepath=obj, forward_axis="Y", up_axis="Z")
body = [o for o in bpy.context.scene.objects if o.type == "MESH"][0]
data = open(pc2, "rb").read()
name, version, points, start, rate, samples = struct.unpack("<12siiffi", data[:32])
assert name == b"POINTCACHE2\0" and version == 1, (name, version)
assert len(body.data.vertices) == points, (len(body.data.vertices), points)
cache = body.modifiers.new("cache", "MESH_CACHE")
cache.cache_format, cache.filepath, cache.frame_start = "PC2", os.path.abspath(pc2), 0
for frame in sorted({0, samples // 2, samples - 1}):
    bpy.context.scene.frame_set(frame)
    mesh = body.evaluated_get(bpy.context.evaluated_depsgraph_get()).data
    for i in {0, points // 2, points - 1}:
        want = struct.unpack_from("<3f", data, 32 + 12 * (frame * points + i))
        got = mesh.vertices[i].co
        assert all(abs(a - b) <= 1e-5 * (1 + abs(a)) for a, b in zip(want, got)), (frame, i, want, tuple(got))
' >/dev/null 2>&1
}

# ParaView: every time step of the list loads and has points
check_paraview() { # pvd
    PVD=$1 pvpython -c '
import os, re
from paraview.simple import *
path = os.environ["PVD"]
reader = PVDReader(FileName=path)
reader.UpdatePipelineInformation()
times = sorted({float(t) for t in re.findall(r"timestep=\"([^\"]*)\"", open(path).read())})
found = list(reader.TimestepValues)
assert len(found) == len(times) and all(a == b for a, b in zip(found, times)), (found, times)
most = 0
for time in times:
    reader.UpdatePipeline(time)
    most = max(most, reader.GetDataInformation().GetNumberOfPoints())
assert most > 0
' >/dev/null 2>&1
}

if command -v blender >/dev/null; then
    for obj in "$folder"/*.obj; do
        pc2=${obj%.obj}.pc2
        [ -f "$pc2" ] || continue
        check_blender "$obj" "$pc2"
        report "Blender  $obj" $?
    done
else
    echo "missing blender: OBJ + PC2 not checked"
fi
if command -v pvpython >/dev/null; then
    for pvd in "$folder"/*.pvd; do
        [ -f "$pvd" ] || continue
        check_paraview "$pvd"
        report "ParaView $pvd" $?
    done
else
    echo "missing pvpython: VTU + PVD not checked"
fi
if command -v usdcat >/dev/null; then
    for usda in "$folder"/*.usda; do
        [ -f "$usda" ] || continue
        usdcat --loadOnly "$usda" >/dev/null 2>&1
        report "USD      $usda" $?
    done
else
    echo "missing usdcat: USDA not checked"
fi
[ "$failed" -eq 0 ] || exit 1
[ "$checked" -gt 0 ] || exit 2
