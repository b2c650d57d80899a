# SPDX-FileCopyrightText: The Tactus authors
# SPDX-License-Identifier: MIT

"""Meshes: points and elements as arrays on the library's memory; files, generators. See include/tactus/geometry.h."""

import ctypes

import numpy

from . import _c
from ._library import BadUsage, Handle, Owner, array_at, array_to_free, bytes_of, call, doubles, ints, lib, vector

ELEMENTS = [lib.tac_element_name(kind).decode() for kind in range(_c.TAC_ELEMENT_KINDS)]
KNOTS = {
    "reef": _c.TAC_REEF_KNOT,
    "reef left": _c.TAC_REEF_KNOT_LEFT,
    "reef right": _c.TAC_REEF_KNOT_RIGHT,
    "bowline": _c.TAC_BOWLINE,
}


class _Storage(Handle):
    """A TacMesh and its arrays."""

    def __init__(self):
        self.mesh = _c.TacMesh()
        super().__init__(None, None)
        self._as_parameter_ = ctypes.byref(self.mesh)

    def __del__(self):
        lib.tac_mesh_destroy(ctypes.byref(self.mesh))


class Mesh(Owner):
    """Mesh.read("liver.msh"), Mesh.box(...), or Mesh(points, triangles=...).

    `points` and the elements (`edges`, `triangles`, `quads`, `tetrahedra`, `hexahedra`) can be written to in place.
    What changes their number (weld, split) gives the mesh new memory; arrays taken before keep the old.
    """

    _what = "the mesh"

    def __init__(self, points=None, **elements):
        self._handle_or_none = _Storage()
        self._handed_out = False
        if points is None and not elements:
            return
        array, _ = doubles(numpy.empty((0, 3)) if points is None else points)
        unknown = [name for name in elements if name not in ELEMENTS]
        if unknown or array.size % 3:
            raise BadUsage(f"a mesh has points (xyz) and {', '.join(ELEMENTS)}")
        taken = {name: ints(indices)[0] for name, indices in elements.items()}
        counts = (ctypes.c_size_t * len(ELEMENTS))()
        for kind, name in enumerate(ELEMENTS):
            size = lib.tac_element_size(kind)
            if name in taken and taken[name].size % size:
                raise BadUsage(f"{name} have {size} points each")
            counts[kind] = taken[name].size // size if name in taken else 0
        call(lib.tac_mesh_create, self._handle, array.size // 3, counts)
        self.points[...] = array.reshape(-1, 3)
        for name, indices in taken.items():
            getattr(self, name)[...] = indices.reshape(-1, lib.tac_element_size(ELEMENTS.index(name)))
        self.validate()

    @classmethod
    def _made(cls, function, *arguments):
        mesh = cls()
        call(function, mesh._handle, *arguments)
        return mesh

    @property
    def _sound(self):
        """Its handle, for calls that follow indices blindly: looked over once arrays that can be written to are out."""
        if self._handed_out:
            self.validate()
        return self._handle

    # --- arrays -------------------------------------------------------------------------------------------------

    @property
    def points(self):
        """xyz, m"""
        mesh = self._handle.mesh
        return array_at(mesh.points, (mesh.point_count, 3), self._handle, writable=True)

    def _elements(self, kind):
        self._handed_out = True
        found = self._handle.mesh.elements[kind]
        shape = (found.count, lib.tac_element_size(kind))
        return array_at(found.indices, shape, self._handle, numpy.int32, writable=True)

    edges = property(lambda self: self._elements(_c.TAC_EDGES))
    triangles = property(lambda self: self._elements(_c.TAC_TRIANGLES))
    quads = property(lambda self: self._elements(_c.TAC_QUADS))
    tetrahedra = property(lambda self: self._elements(_c.TAC_TETRAHEDRA))
    hexahedra = property(lambda self: self._elements(_c.TAC_HEXAHEDRA))

    @property
    def radii(self):
        """One per point where the mesh is a list of balls; otherwise None."""
        mesh = self._handle.mesh
        return array_at(mesh.radii, (mesh.point_count,), self._handle, writable=True) if mesh.radii else None

    # --- files --------------------------------------------------------------------------------------------------

    @classmethod
    def read(cls, path):
        return cls._made(lib.tac_mesh_read, bytes_of(path))

    @classmethod
    def parse(cls, name, data):
        data = data.encode() if isinstance(data, str) else bytes(data)
        return cls._made(lib.tac_mesh_parse, bytes_of(name), data, len(data))

    def write(self, path):
        call(lib.tac_mesh_write, self._sound, bytes_of(path))

    # --- generators ---------------------------------------------------------------------------------------------

    @classmethod
    def grid(cls, counts, low, high):
        return cls._made(lib.tac_mesh_grid, *counts, vector(low), vector(high))

    @classmethod
    def box(cls, n=1, low=(-0.5, -0.5, -0.5), high=(0.5, 0.5, 0.5)):
        return cls._made(lib.tac_mesh_box, n, vector(low), vector(high))

    @classmethod
    def icosphere(cls, subdivisions=2, radius=1.0):
        return cls._made(lib.tac_mesh_icosphere, subdivisions, radius)

    @classmethod
    def cylinder(cls, sides=16, rings=1, radius=1.0, height=1.0, top_radius=None):
        top = radius if top_radius is None else top_radius
        return cls._made(lib.tac_mesh_cylinder, sides, rings, radius, top, height)

    @classmethod
    def capsule(cls, sides=16, rings=4, radius=1.0, length=1.0):
        return cls._made(lib.tac_mesh_capsule, sides, rings, radius, length)

    @classmethod
    def torus(cls, sides=16, rings=32, radius=1.0, tube_radius=0.25):
        return cls._made(lib.tac_mesh_torus, sides, rings, radius, tube_radius)

    @classmethod
    def sheet(cls, n=10, m=10, width=1.0, depth=1.0):
        return cls._made(lib.tac_mesh_sheet, n, m, width, depth)

    @classmethod
    def line(cls, n, a, b):
        return cls._made(lib.tac_mesh_line, n, vector(a), vector(b))

    @classmethod
    def ribbon(cls, corners, rounding, across, width, up=(0, 0, 0)):
        array, pointer = doubles(corners)
        return cls._made(lib.tac_mesh_ribbon, pointer, array.size // 3, rounding, across, width, vector(up))

    @classmethod
    def knot(cls, knot="reef", across=2, width=0.05, length=0.2, gap=0.005):
        if knot not in KNOTS:
            raise BadUsage(f"{knot} is not a knot: {', '.join(KNOTS)}")
        return cls._made(lib.tac_mesh_knot, KNOTS[knot], across, width, length, gap)

    @classmethod
    def nail_bed(cls, n, m, spacing, radius, height):
        return cls._made(lib.tac_mesh_nail_bed, n, m, spacing, radius, height)

    @classmethod
    def ball(cls, n=6, radius=1.0):
        """Tetrahedra that fill a ball."""
        return cls._made(lib.tac_mesh_ball, n, radius)

    # --- doing --------------------------------------------------------------------------------------------------

    def copy(self):
        return self._made(lib.tac_mesh_copy, self._handle)

    def validate(self):
        call(lib.tac_mesh_validate, self._handle)

    def transform(self, scale=(1, 1, 1), rotation=(0, 0, 0), translation=(0, 0, 0)):
        """In place: scale, rotate (degrees about x, then y, then z), translate."""
        lib.tac_mesh_transform(self._sound, vector(scale), vector(rotation), vector(translation))

    def _anew(self, function, *arguments):
        other = self._made(lib.tac_mesh_copy, self._sound)
        call(function, other._handle, *arguments)
        self._handle_or_none, self._handed_out = other._handle, False

    def weld(self, distance=0.0):
        """Merges points closer than this and drops elements that collapse."""
        self._anew(lib.tac_mesh_weld, distance)

    def refine(self, longest, most=2_000_000):
        """Splits triangles until no edge is longer than this; at most so many triangles."""
        self._anew(lib.tac_mesh_refine, longest, most)

    def split(self):
        """Hexahedra into tetrahedra, quads into triangles."""
        self._anew(lib.tac_mesh_split)

    # --- asking -------------------------------------------------------------------------------------------------

    @property
    def volume(self):
        return lib.tac_mesh_volume(self._sound)

    @property
    def bounds(self):
        """(low, high)"""
        low, high = _c.TacVec3(), _c.TacVec3()
        lib.tac_mesh_bounds(self._handle, ctypes.byref(low), ctypes.byref(high))
        return numpy.array([low.x, low.y, low.z]), numpy.array([high.x, high.y, high.z])

    def _list(self, function, corners):
        found, count = ctypes.POINTER(ctypes.c_int32)(), ctypes.c_size_t()
        call(function, self._sound, ctypes.byref(found), ctypes.byref(count))
        return array_to_free(found, (count.value, corners), numpy.int32)

    def surface(self):
        """The outer triangles, with normals that point outward."""
        return self._list(lib.tac_mesh_surface, 3)

    def all_edges(self):
        """Every edge of every element once."""
        return self._list(lib.tac_mesh_all_edges, 2)

    def intersections(self, most=0):
        """Pairs of surface triangles that meet without being neighbours: where the mesh intersects itself."""
        found, count = ctypes.POINTER(_c.TacMeeting)(), ctypes.c_size_t()
        call(lib.tac_mesh_intersections, self._sound, most, ctypes.byref(found), ctypes.byref(count))
        return array_to_free(found, (count.value, 2), numpy.int32)

    def __repr__(self):
        if self.closed:
            return "<Mesh, closed>"
        parts = [f"{len(self._elements(k))} {name}" for k, name in enumerate(ELEMENTS) if len(self._elements(k))]
        return f"<Mesh: {', '.join([f'{len(self.points)} points'] + parts)}>"
