# SPDX-FileCopyrightText: The Tactus authors
# SPDX-License-Identifier: MIT

"""Questions about touching, without a world: convex shapes (include/tactus/convex.h), and certain answers about moving
points, triangles and edges (include/tactus/ccd.h)."""

import ctypes

import numpy

from . import _c
from ._library import BadUsage, array_to_free, call, doubles, ints, lib, make, quaternion, values_of, vector

STATES = {
    _c.TAC_CONVEX_FAILED: "failed",
    _c.TAC_CONVEX_SEPARATED: "separated",
    _c.TAC_CONVEX_OVERLAPPING: "overlapping",
    _c.TAC_CONVEX_HIT: "hit",
}
CCD_STATES = {
    _c.TAC_CCD_CLEAR: "clear",
    _c.TAC_CCD_HIT: "hit",
    _c.TAC_CCD_UNSURE: "unsure",
    _c.TAC_CCD_FAILED: "failed",
}


# --- convex shapes ----------------------------------------------------------------------------------------------


def _length(value, what):
    """A size in m; the library's own shapes are made without a check."""
    value = float(value)
    if not 0 <= value < float("inf"):
        raise BadUsage(f"{what}: expected a finite length of 0 or more, got {value:g}")
    return value


class Convex:
    """Convex.box((1, 2, 3)), Convex.sphere(1), Convex.hull(points), ...; `rounding` adds a skin."""

    def __init__(self, shape, polyhedron=None, rounding=0.0):
        self._shape, self._polyhedron = shape, polyhedron
        self._shape.rounding = _length(rounding, "rounding")

    @classmethod
    def sphere(cls, radius, rounding=0.0):
        return cls(lib.tac_convex_sphere(_length(radius, "radius")), rounding=rounding)

    @classmethod
    def box(cls, half, rounding=0.0):
        """`half` of each side."""
        return cls(lib.tac_convex_box(vector([_length(side, "half") for side in half])), rounding=rounding)

    @classmethod
    def capsule(cls, radius, half_height, rounding=0.0):
        return cls(lib.tac_convex_capsule(_length(radius, "radius"), _length(half_height, "half_height")), rounding=rounding)

    @classmethod
    def cylinder(cls, radius, half_height, rounding=0.0):
        return cls(lib.tac_convex_cylinder(_length(radius, "radius"), _length(half_height, "half_height")), rounding=rounding)

    @classmethod
    def cone(cls, radius, half_height, rounding=0.0):
        return cls(lib.tac_convex_cone(_length(radius, "radius"), _length(half_height, "half_height")), rounding=rounding)

    @classmethod
    def half_space(cls):
        """Everything below y = 0."""
        return cls(lib.tac_convex_half_space())

    @classmethod
    def hull(cls, points, rounding=0.0):
        """Of a cloud of points."""
        array, pointer = doubles(points)
        if array.size % 3:
            raise BadUsage("points have three numbers each")
        polyhedron = make(lib.tac_polyhedron_create, lib.tac_polyhedron_destroy, pointer, array.size // 3)
        return cls(lib.tac_convex_polyhedron(polyhedron), polyhedron, rounding)

    @property
    def vertices(self):
        """Of a hull, as a new array."""
        if self._polyhedron is None:
            return None
        count = lib.tac_polyhedron_vertex_count(self._polyhedron)
        found = (lib.tac_polyhedron_vertex(self._polyhedron, i) for i in range(count))
        return numpy.array([[v.x, v.y, v.z] for v in found])


class Pose(_c.TacPose):
    """Where a shape is: Pose((0, 1, 0), rotation=(x, y, z, w))."""

    def __init__(self, position=(0, 0, 0), rotation=(0, 0, 0, 1)):
        super().__init__(vector(position), quaternion(rotation))


def _pose(given):
    if given is None:
        return Pose()
    return given if isinstance(given, _c.TacPose) else Pose(given)


def _ask(function, a, b, pose_a, pose_b, *more, cache=None):
    pair = _c.TacConvexPair(
        ctypes.pointer(a._shape), ctypes.pointer(b._shape), _pose(pose_a), _pose(pose_b)
    )  # fmt: skip
    memory = ctypes.byref(cache) if cache is not None else None
    raw = function(ctypes.byref(pair), *more, memory)
    result = values_of(raw)
    result.state = STATES[raw.state]
    return raw, result


def Cache():
    """What the last query on a pair found out: give the same one to the next query on the same pair."""
    return _c.TacConvexCache()


def separated(a, b, pose_a=None, pose_b=None, cache=None):
    """The fastest query: are they apart?"""
    return _ask(lib.tac_convex_separation, a, b, pose_a, pose_b, cache=cache)[1].state == "separated"


def distance(a, b, pose_a=None, pose_b=None, cache=None):
    """How far apart, and between which points: state, distance, normal, point_a, point_b."""
    return _ask(lib.tac_convex_distance, a, b, pose_a, pose_b, cache=cache)[1]


def penetration(a, b, pose_a=None, pose_b=None, cache=None):
    """The shortest move that parts them: state, depth, normal, point_a, point_b."""
    return _ask(lib.tac_convex_penetration, a, b, pose_a, pose_b, cache=cache)[1]


def contacts(a, b, pose_a=None, pose_b=None, reach=0.0, cache=None):
    """Where do they touch: state, normal, and contacts of point_a, point_b, depth."""
    raw, result = _ask(lib.tac_convex_contacts, a, b, pose_a, pose_b, float(reach), cache=cache)
    result.contacts = [values_of(raw.contacts[i]) for i in range(raw.count)]
    return result


def cast(a, b, pose_a=None, pose_b=None, motion_a=(0, 0, 0), motion_b=(0, 0, 0), cache=None):
    """When do they first touch as they move without turning: state, fraction, normal, point."""
    motions = vector(motion_a), vector(motion_b)
    return _ask(lib.tac_convex_cast, a, b, pose_a, pose_b, *motions, cache=cache)[1]


def ray(shape, origin, way, pose=None):
    raw = lib.tac_convex_ray(ctypes.byref(shape._shape), _pose(pose), vector(origin), vector(way))
    result = values_of(raw)
    result.state = STATES[raw.state]
    return result


# --- certain answers --------------------------------------------------------------------------------------------


def _points(points, count):
    array = numpy.asarray(points, numpy.float64)
    if array.shape != (count, 3):
        raise BadUsage(f"expected {count} points of three numbers, got an array of shape {array.shape}")
    return (_c.TacVec3 * count)(*(vector(point) for point in array))


def _ccd(pair, start, end, thickness, tolerance):
    asked = lib.tac_ccd_default_input(pair)
    asked.start, asked.end = _points(start, 4), _points(end, 4)
    asked.thickness, asked.tolerance = thickness, tolerance
    raw = _c.TacCcdResult()
    lib.tac_ccd(ctypes.byref(asked), ctypes.byref(raw))
    result = values_of(raw)
    result.state = CCD_STATES[raw.state]
    return result


def point_triangle(start, end, thickness=0.0, tolerance=0.0):
    """Does a point (the first) meet a triangle (the other three) on the straight way from start to end, both 4 x 3?

    state "clear" and "hit" are proven, t0 to t1 holds the first contact.
    """
    return _ccd(_c.TAC_CCD_POINT_TRIANGLE, start, end, thickness, tolerance)


def edge_edge(start, end, thickness=0.0, tolerance=0.0):
    """The same for two edges, points 0 1 and 2 3."""
    return _ccd(_c.TAC_CCD_EDGE_EDGE, start, end, thickness, tolerance)


def orient(a, b, c, d):
    """+1, -1 or 0: the side of (a, b, c) that d lies on, exactly."""
    return lib.tac_orient3d(vector(a), vector(b), vector(c), vector(d))


def triangles_meet(first, second):
    """Exactly; touching is meeting."""
    return lib.tac_triangles_meet(_points(first, 3), _points(second, 3))


def meetings(points, triangles, most=0):
    """All pairs of triangles that meet without being neighbours."""
    xyz, x_at = doubles(points)
    indices, i_at = ints(triangles)
    if xyz.size % 3 or indices.size % 3:
        raise BadUsage("points and triangles have three numbers each")
    if indices.size and (indices.min() < 0 or indices.max() >= xyz.size // 3):
        raise BadUsage("a triangle has a point that is not there")
    found, count = ctypes.POINTER(_c.TacMeeting)(), ctypes.c_size_t()
    sizes = xyz.size // 3, indices.size // 3
    call(lib.tac_triangle_meetings, x_at, sizes[0], i_at, sizes[1], most, ctypes.byref(found), ctypes.byref(count))
    return array_to_free(found, (count.value, 2), numpy.int32)
