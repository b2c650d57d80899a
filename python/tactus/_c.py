# SPDX-FileCopyrightText: The Tactus authors
# SPDX-License-Identifier: MIT

"""The C API as ctypes knows it: constants, structs and functions. Made by python/bind.py; not to be edited."""

# fmt: off
# ruff: noqa
from ctypes import (CFUNCTYPE, POINTER, Structure, Union, c_bool, c_char, c_char_p, c_double, c_float, c_int, c_int32,
                    c_int64, c_size_t, c_uint, c_uint8, c_uint16, c_uint32, c_uint64, c_void_p)

# --- constants
TAC_VERSION_MAJOR = 0
TAC_VERSION_MINOR = 1
TAC_VERSION_PATCH = 0
TAC_OK = 0
TAC_FAILED = 1
TAC_BAD_USAGE = 2
TAC_BAD_INPUT = 3
TAC_NO_MEMORY = 4
TAC_PI = 3.141592653589793
TAC_SLIVER = 0.1
TAC_EDGES = 0
TAC_TRIANGLES = 1
TAC_QUADS = 2
TAC_TETRAHEDRA = 3
TAC_HEXAHEDRA = 4
TAC_ELEMENT_KINDS = 5
TAC_REEF_KNOT = 0
TAC_REEF_KNOT_LEFT = 1
TAC_REEF_KNOT_RIGHT = 2
TAC_BOWLINE = 3
TAC_VEC1 = 0
TAC_VEC2 = 1
TAC_VEC3 = 2
TAC_RIGID2 = 3
TAC_RIGID3 = 4
TAC_MATTER_KINDS = 5
TAC_COMPONENT_ABI = 9
TAC_KIND_TOPOLOGY = 0
TAC_KIND_MATTER = 1
TAC_KIND_MASS = 2
TAC_KIND_LAW = 3
TAC_KIND_CONSTRAINT = 4
TAC_KIND_SOLVER = 5
TAC_KIND_LINEAR_SOLVER = 6
TAC_KIND_MAP = 7
TAC_KIND_JOINT = 8
TAC_KIND_COLLISION = 9
TAC_KIND_PROBE = 10
TAC_KIND_SETTING = 11
TAC_KIND_COUNT = 12
TAC_BOOL = 0
TAC_INT = 1
TAC_REAL = 2
TAC_VECTOR = 3
TAC_TEXT = 4
TAC_CHOICE = 5
TAC_PATH = 6
TAC_REALS = 7
TAC_INTS = 8
TAC_LINK = 9
TAC_ANY = 0
TAC_POSITIVE = 1
TAC_NOT_NEGATIVE = 2
TAC_FRACTION = 3
TAC_OUTPUT = 1
TAC_LIVE = 2
TAC_X = 0
TAC_V = 1
TAC_F = 2
TAC_DV = 3
TAC_X_REST = 4
TAC_X_SHOWN = 5
TAC_V_SHOWN = 6
TAC_PART = 7
TAC_AHEAD = 8
TAC_X_NEXT = 9
TAC_V_NEXT = 10
TAC_A = 11
TAC_B = 12
TAC_P = 13
TAC_Q = 14
TAC_R = 15
TAC_S = 16
TAC_T = 17
TAC_U = 18
TAC_VECTOR_COUNT = 19
TAC_HELD_WHOLLY = 1
TAC_HELD_X = 2
TAC_HELD_Y = 4
TAC_HELD_Z = 8
TAC_HELD_ALL = 15
TAC_PART_POINTS = 8
TAC_SCALAR_TENSION = 0
TAC_SCALAR_STRESS = 1
TAC_SCALAR_RESOLUTION = 2
TAC_SCALARS = 3
TAC_NODE_MASS = 0
TAC_NODE_CONTACT = 1
TAC_HANDS = 8
TAC_PINS = 64
TAC_INPUT_GRAB = 0
TAC_INPUT_DRAG = 1
TAC_INPUT_RELEASE = 2
TAC_INPUT_PIN = 3
TAC_INPUT_UNPIN = 4
TAC_INPUT_SPHERE = 5
TAC_INPUT_CAMERA = 6
TAC_INPUT_SELECT = 7
TAC_CONTACT_BEGINS = 0
TAC_CONTACT_ENDS = 1
TAC_LINKS_CHANGE = 2
TAC_AGENT_SLEEPS = 3
TAC_AGENT_WAKES = 4
TAC_TRIGGER_FIRES = 5
TAC_AGENT_MERGES = 6
TAC_AGENT_PARTS = 7
TAC_CONVEX_ERROR = 1e-10
TAC_CONVEX_CURVED_ERROR = 1e-05
TAC_CONVEX_CONTACTS = 8
TAC_CONVEX_SPHERE = 0
TAC_CONVEX_BOX = 1
TAC_CONVEX_CAPSULE = 2
TAC_CONVEX_CYLINDER = 3
TAC_CONVEX_CONE = 4
TAC_CONVEX_HALF_SPACE = 5
TAC_CONVEX_POLYHEDRON = 6
TAC_CONVEX_KINDS = 7
TAC_CONVEX_FAILED = 0
TAC_CONVEX_SEPARATED = 1
TAC_CONVEX_OVERLAPPING = 2
TAC_CONVEX_HIT = 3
TAC_CCD_POINT_TRIANGLE = 0
TAC_CCD_EDGE_EDGE = 1
TAC_CCD_CLEAR = 0
TAC_CCD_HIT = 1
TAC_CCD_UNSURE = 2
TAC_CCD_FAILED = 3

# --- structs

class TacError(Structure): pass
class TacReals(Structure): pass
class TacInts(Structure): pass
class TacVec3(Structure): pass
class TacQuat(Structure): pass
class TacMat3(Structure): pass
class TacMesh_elements(Structure): pass
class TacMesh(Structure): pass
class TacMeshReport(Structure): pass
class TacTrackMesh(Structure): pass
class TacTrackDef(Structure): pass
class TacChannelDef(Structure): pass
class TacGround(Structure): pass
class TacCamera(Structure): pass
class TacRecordingDef(Structure): pass
class TacFrameTrack(Structure): pass
class TacFrame(Structure): pass
class TacTrackDifference(Structure): pass
class TacDifference(Structure): pass
class TacPlotDef(Structure): pass
class TacRenderDef(Structure): pass
class TacSound(Structure): pass
class TacAttribute(Structure): pass
class TacComponent(Structure): pass
class TacInertia(Structure): pass
class TacCarriedPoint(Structure): pass
class TacMatter(Structure): pass
class TacTopology(Structure): pass
class TacLaw(Structure): pass
class TacMap(Structure): pass
class TacMass(Structure): pass
class TacConstraint(Structure): pass
class TacJoint(Structure): pass
class TacContext(Structure): pass
class TacLawVectors(Structure): pass
class TacPart(Structure): pass
class TacSteepness(Structure): pass
class TacMatrixBlocks(Structure): pass
class TacLawOps(Structure): pass
class TacMapOps(Structure): pass
class TacMassOps(Structure): pass
class TacConstraintOps(Structure): pass
class TacProbeOps(Structure): pass
class TacNodeMark(Structure): pass
class TacClass_ops(Union): pass
class TacClass(Structure): pass
class TacPlugin(Structure): pass
class TacNodeId(Structure): pass
class TacComponentId(Structure): pass
class TacSceneMessage(Structure): pass
class TacParameterInfo(Structure): pass
class TacWorldDef(Structure): pass
class TacEnergy(Structure): pass
class TacMomentum(Structure): pass
class TacAccount(Structure): pass
class TacAccountSum(Structure): pass
class TacWorldStats(Structure): pass
class TacContactStats(Structure): pass
class TacAuditSummary(Structure): pass
class TacAgentInfo(Structure): pass
class TacMargin(Structure): pass
class TacDelay(Structure): pass
class TacSnapshotInfo(Structure): pass
class TacInput(Structure): pass
class TacContactEvent(Structure): pass
class TacContactRow(Structure): pass
class TacContactModel(Structure): pass
class TacContactPoint(Structure): pass
class TacConvex(Structure): pass
class TacPose(Structure): pass
class TacConvexPair(Structure): pass
class TacConvexCache(Structure): pass
class TacConvexSeparation(Structure): pass
class TacConvexDistance(Structure): pass
class TacConvexPenetration(Structure): pass
class TacConvexContact(Structure): pass
class TacConvexContacts(Structure): pass
class TacConvexCast(Structure): pass
class TacCcdInput(Structure): pass
class TacCcdResult(Structure): pass
class TacCcdCurve(Structure): pass
class TacMeeting(Structure): pass
class TacViewDef(Structure): pass
class TacSofaFrame(Structure): pass

TacProgress = CFUNCTYPE(c_bool, c_void_p, c_double)
TacLoop = CFUNCTYPE(None, c_void_p, c_size_t, c_size_t, c_size_t)
TacSink = CFUNCTYPE(c_bool, c_void_p, c_char_p, c_size_t)
TacCcdMotion = CFUNCTYPE(c_bool, c_void_p, c_double, POINTER(TacVec3))

TacError._fields_ = [
    ("status", c_int),
    ("line", c_int),
    ("column", c_int),
    ("file", c_char * 512),
    ("message", c_char * 1024),
]

TacReals._fields_ = [
    ("data", POINTER(c_double)),
    ("count", c_size_t),
]

TacInts._fields_ = [
    ("data", POINTER(c_int32)),
    ("count", c_size_t),
]

TacVec3._fields_ = [
    ("x", c_double),
    ("y", c_double),
    ("z", c_double),
]

TacQuat._fields_ = [
    ("x", c_double),
    ("y", c_double),
    ("z", c_double),
    ("w", c_double),
]

TacMat3._fields_ = [
    ("m", c_double * 3 * 3),
]

TacMesh_elements._fields_ = [
    ("count", c_size_t),
    ("indices", POINTER(c_int32)),
]

TacMesh._fields_ = [
    ("point_count", c_size_t),
    ("points", POINTER(c_double)),
    ("elements", TacMesh_elements * 5),
    ("radii", POINTER(c_double)),
]

TacMeshReport._fields_ = [
    ("unused_points", c_size_t),
    ("parts", c_size_t),
    ("surface_triangles", c_size_t),
    ("open_edges", c_size_t),
    ("crowded_edges", c_size_t),
    ("turned_edges", c_size_t),
    ("pinched_points", c_size_t),
    ("slivers", c_size_t),
    ("inverted", c_size_t),
    ("closed", c_bool),
    ("manifold", c_bool),
    ("oriented", c_bool),
    ("worst_quality", c_double),
    ("shortest_edge", c_double),
    ("longest_edge", c_double),
    ("area", c_double),
    ("volume", c_double),
    ("low", TacVec3),
    ("high", TacVec3),
]

TacTrackMesh._fields_ = [
    ("triangles", TacInts),
    ("edges", TacInts),
    ("tetrahedra", TacInts),
]

TacTrackDef._fields_ = [
    ("name", c_char_p),
    ("kind", c_int),
    ("point_count", c_size_t),
    ("mesh", TacTrackMesh),
    ("radii", TacReals),
    ("radius", c_double),
    ("color", c_double * 3),
    ("opacity", c_double),
    ("visible", c_bool),
]

TacChannelDef._fields_ = [
    ("name", c_char_p),
    ("unit", c_char_p),
]

TacGround._fields_ = [
    ("normal", TacVec3),
    ("offset", c_double),
    ("visible", c_bool),
]

TacCamera._fields_ = [
    ("eye", TacVec3),
    ("target", TacVec3),
    ("field_of_view", c_double),
]

TacRecordingDef._fields_ = [
    ("scene", c_char_p),
    ("beat", c_double),
    ("fps", c_double),
    ("up", TacVec3),
    ("ground", TacGround),
    ("camera", TacCamera),
    ("velocities", c_bool),
    ("single_precision", c_bool),
    ("tracks", POINTER(TacTrackDef)),
    ("track_count", c_size_t),
    ("channels", POINTER(TacChannelDef)),
    ("channel_count", c_size_t),
]

TacFrameTrack._fields_ = [
    ("time", c_double),
    ("count", c_size_t),
    ("positions", POINTER(c_double)),
    ("velocities", POINTER(c_double)),
    ("mesh", POINTER(TacTrackMesh)),
]

TacFrame._fields_ = [
    ("time", c_double),
    ("tracks", POINTER(TacFrameTrack)),
    ("channels", POINTER(c_double)),
]

TacTrackDifference._fields_ = [
    ("name", c_char_p),
    ("largest", c_double),
    ("rms", c_double),
    ("largest_at", c_double),
    ("shape_differs", c_bool),
]

TacDifference._fields_ = [
    ("same", c_bool),
    ("first_frame", c_size_t),
    ("frames", c_size_t),
    ("frames_a", c_size_t),
    ("frames_b", c_size_t),
    ("only_a", c_size_t),
    ("only_b", c_size_t),
    ("channels_differ", c_size_t),
    ("tracks", POINTER(TacTrackDifference)),
    ("track_count", c_size_t),
]

TacPlotDef._fields_ = [
    ("what", c_char_p),
    ("title", c_char_p),
    ("width", c_int),
    ("height", c_int),
    ("from", c_double),
    ("to", c_double),
    ("dark", c_bool),
    ("logarithmic", c_bool),
    ("distribution", c_bool),
]

TacRenderDef._fields_ = [
    ("width", c_int),
    ("height", c_int),
    ("at", c_double),
    ("strip", c_int),
    ("movie", c_bool),
    ("camera", TacCamera),
    ("samples", c_int),
    ("dark", c_bool),
]

TacSound._fields_ = [
    ("rate", c_int),
    ("channels", c_int),
    ("frames", c_size_t),
    ("samples", POINTER(c_float)),
]

TacAttribute._fields_ = [
    ("name", c_char_p),
    ("type", c_int),
    ("offset", c_size_t),
    ("unit", c_char_p),
    ("initial", c_char_p),
    ("doc", c_char_p),
    ("accepts", c_char_p),
    ("range", c_int),
    ("flags", c_uint),
]

TacComponent._fields_ = [
    ("cls", c_void_p),
    ("name", c_char_p),
    ("path", c_char_p),
    ("file", c_char_p),
    ("line", c_int),
    ("column", c_int),
    ("index", c_uint32),
]

TacInertia._fields_ = [
    ("moments", c_double * 3),
    ("axes", TacQuat),
]

TacCarriedPoint._fields_ = [
    ("a", c_uint32),
    ("b", c_uint32),
    ("t", c_double),
]

TacMatter._fields_ = [
    ("base", TacComponent),
    ("kind", c_int),
    ("position_size", c_int),
    ("velocity_size", c_int),
    ("count", c_size_t),
    ("vectors", POINTER(c_double) * 19),
    ("arrival", c_int64),
    ("time", c_int64),
    ("times", POINTER(c_int64)),
    ("mapped", c_bool),
    ("held", POINTER(c_uint8)),
    ("pinned", POINTER(c_uint8)),
    ("inertia", POINTER(TacInertia)),
    ("flight_gravity", TacVec3),
    ("focus", c_double),
    ("idle", c_bool),
    ("carried", POINTER(TacCarriedPoint)),
]

TacTopology._fields_ = [
    ("base", TacComponent),
    ("mesh", TacMesh),
]

TacLaw._fields_ = [
    ("base", TacComponent),
    ("matter", POINTER(TacMatter) * 2),
    ("period", c_double),
    ("watches", c_bool),
    ("inner", c_bool),
    ("lopsided", c_bool),
]

TacMap._fields_ = [
    ("base", TacComponent),
    ("parent", POINTER(TacMatter)),
    ("child", POINTER(TacMatter)),
    ("shown_only", c_bool),
    ("faithful", c_bool),
]

TacMass._fields_ = [
    ("base", TacComponent),
    ("matter", POINTER(TacMatter)),
    ("gravity", TacVec3),
]

TacConstraint._fields_ = [
    ("base", TacComponent),
    ("matter", POINTER(TacMatter)),
    ("released", c_bool),
    ("as_one", c_bool),
]

TacJoint._fields_ = [
    ("base", TacComponent),
    ("matter", POINTER(TacMatter) * 2),
    ("open", c_bool),
]

TacContext._fields_ = [
    ("time", c_double),
    ("step", c_double),
    ("team", c_void_p),
]

TacLawVectors._fields_ = [
    ("x", POINTER(c_double) * 2),
    ("v", POINTER(c_double) * 2),
    ("f", POINTER(c_double) * 2),
]

TacPart._fields_ = [
    ("points", c_size_t * 8),
    ("count", c_size_t),
    ("stiffness", c_double),
    ("damping", c_double),
]

TacSteepness._fields_ = [
    ("k", POINTER(c_double) * 2),
    ("z", POINTER(c_double) * 2),
    ("moves", POINTER(c_uint8) * 2),
]

TacMatrixBlocks._fields_ = [
    ("count", c_size_t),
    ("start", POINTER(c_uint32)),
    ("pair", POINTER(c_uint32)),
    ("where", POINTER(c_uint32)),
    ("across", POINTER(c_uint32)),
    ("values", POINTER(c_double)),
    ("scratch", POINTER(c_double)),
    ("fresh", c_bool),
]

TacLawOps._fields_ = [
    ("force", CFUNCTYPE(None, c_void_p, POINTER(TacContext), POINTER(TacLawVectors))),
    ("force_change", CFUNCTYPE(None, c_void_p, POINTER(TacContext), POINTER(TacLawVectors), c_double, c_double)),
    ("energy", CFUNCTYPE(c_double, c_void_p, POINTER(TacContext), POINTER(TacLawVectors))),
    ("stiffness", CFUNCTYPE(None, c_void_p, POINTER(TacContext), POINTER(TacLawVectors), c_double, c_double, c_void_p)),
    ("part_count", CFUNCTYPE(c_size_t, c_void_p)),
    ("part", CFUNCTYPE(None, c_void_p, c_size_t, POINTER(TacPart))),
    ("subset", CFUNCTYPE(c_int, c_void_p, c_void_p, POINTER(c_uint32), c_size_t, c_void_p, POINTER(TacError))),
    ("remembers", c_bool),
    ("steepest", CFUNCTYPE(None, c_void_p, POINTER(TacSteepness))),
    ("by_blocks", c_bool),
]

TacMapOps._fields_ = [
    ("position", CFUNCTYPE(None, c_void_p, POINTER(TacContext), POINTER(c_double), POINTER(c_double))),
    ("velocity", CFUNCTYPE(None, c_void_p, POINTER(TacContext), POINTER(c_double), POINTER(c_double), POINTER(c_double), POINTER(c_double))),
    ("force", CFUNCTYPE(None, c_void_p, POINTER(TacContext), POINTER(c_double), POINTER(c_double), POINTER(c_double), POINTER(c_double))),
    ("force_change", CFUNCTYPE(None, c_void_p, POINTER(TacContext), POINTER(c_double), POINTER(c_double), POINTER(c_double), POINTER(c_double), POINTER(c_double), c_double)),
    ("jacobian", CFUNCTYPE(c_bool, c_void_p, POINTER(c_double), POINTER(c_double), c_size_t, c_size_t, POINTER(c_size_t), POINTER(c_double))),
    ("stiffness", CFUNCTYPE(None, c_void_p, POINTER(TacContext), POINTER(c_double), POINTER(c_double), POINTER(c_double), c_double, c_void_p)),
]

TacMassOps._fields_ = [
    ("product", CFUNCTYPE(None, c_void_p, POINTER(TacContext), POINTER(c_double), POINTER(c_double), POINTER(c_double), c_double)),
    ("divide", CFUNCTYPE(None, c_void_p, POINTER(TacContext), POINTER(c_double), POINTER(c_double), POINTER(c_double))),
    ("weight", CFUNCTYPE(None, c_void_p, POINTER(TacContext), POINTER(c_double), POINTER(c_double))),
    ("momentum", CFUNCTYPE(None, c_void_p, POINTER(c_double), POINTER(c_double), POINTER(TacVec3), POINTER(TacVec3))),
    ("kinetic", CFUNCTYPE(c_double, c_void_p, POINTER(c_double), POINTER(c_double))),
    ("height", CFUNCTYPE(c_double, c_void_p, POINTER(c_double))),
    ("matrix", CFUNCTYPE(None, c_void_p, POINTER(TacContext), POINTER(c_double), c_double, c_void_p)),
    ("joint", c_void_p),
]

TacConstraintOps._fields_ = [
    ("project", CFUNCTYPE(None, c_void_p, POINTER(TacContext), POINTER(c_double))),
    ("prescribe", CFUNCTYPE(None, c_void_p, POINTER(TacContext), POINTER(c_double), POINTER(c_double), POINTER(c_double))),
    ("release", CFUNCTYPE(None, c_void_p)),
]

TacProbeOps._fields_ = [
    ("value", CFUNCTYPE(c_double, c_void_p, POINTER(TacContext))),
]

TacNodeMark._fields_ = [
    ("place", TacVec3),
    ("kind", c_int),
]

TacClass_ops._fields_ = [
    ("law", POINTER(TacLawOps)),
    ("map", POINTER(TacMapOps)),
    ("mass", POINTER(TacMassOps)),
    ("constraint", POINTER(TacConstraintOps)),
    ("probe", POINTER(TacProbeOps)),
    ("solver", c_void_p),
    ("linear_solver", c_void_p),
    ("joint", c_void_p),
]

TacClass._fields_ = [
    ("name", c_char_p),
    ("kind", c_int),
    ("doc", c_char_p),
    ("size", c_size_t),
    ("attributes", POINTER(TacAttribute)),
    ("attribute_count", c_size_t),
    ("kinds", c_uint),
    ("init", CFUNCTYPE(c_int, c_void_p, c_void_p, POINTER(TacError))),
    ("finish", CFUNCTYPE(None, c_void_p)),
    ("ops", TacClass_ops),
    ("state_is_sound", CFUNCTYPE(c_bool, c_void_p)),
    ("scalars", CFUNCTYPE(None, c_void_p, c_int, c_void_p)),
    ("nodes", CFUNCTYPE(c_size_t, c_void_p, POINTER(TacNodeMark), c_size_t)),
]

TacPlugin._fields_ = [
    ("abi", c_uint32),
    ("name", c_char_p),
    ("classes", POINTER(POINTER(TacClass))),
    ("class_count", c_size_t),
]

TacNodeId._fields_ = [
    ("index1", c_uint32),
    ("generation", c_uint32),
]

TacComponentId._fields_ = [
    ("index1", c_uint32),
    ("generation", c_uint32),
]

TacSceneMessage._fields_ = [
    ("is_error", c_bool),
    ("error", TacError),
]

TacParameterInfo._fields_ = [
    ("name", c_char_p),
    ("initial", c_char_p),
    ("doc", c_char_p),
    ("value", c_char_p),
]

TacWorldDef._fields_ = [
    ("threads", c_int),
    ("seed", c_uint64),
    ("memory", c_size_t),
    ("progress", CFUNCTYPE(None, c_void_p, c_char_p, c_double)),
    ("progress_data", c_void_p),
]

TacEnergy._fields_ = [
    ("kinetic", c_double),
    ("weight", c_double),
    ("elastic", c_double),
    ("contact", c_double),
    ("total", c_double),
]

TacMomentum._fields_ = [
    ("linear", TacVec3),
    ("angular", TacVec3),
]

TacAccount._fields_ = [
    ("name", c_char_p),
    ("what", c_char_p),
    ("work", c_double),
    ("stored", c_double),
    ("put_in", c_double),
    ("linear", TacVec3),
    ("angular", TacVec3),
]

TacAccountSum._fields_ = [
    ("start", c_double),
    ("end", c_double),
    ("put_in", c_double),
    ("unaccounted", c_double),
    ("linear", TacVec3),
    ("linear_unaccounted", TacVec3),
]

TacWorldStats._fields_ = [
    ("instants", c_uint64),
    ("agent_kicks", c_uint64),
    ("law_kicks", c_uint64),
    ("iterations", c_uint64),
    ("growths", c_uint64),
    ("bytes", c_size_t),
    ("points", c_size_t),
    ("agents", c_size_t),
    ("free_laws", c_size_t),
    ("components", c_size_t),
]

TacContactStats._fields_ = [
    ("looks", c_uint64),
    ("kicks", c_uint64),
    ("plans", c_uint64),
    ("certificates", c_uint64),
    ("refits", c_uint64),
    ("queries", c_uint64),
    ("expired", c_uint64),
    ("pairs", c_size_t),
    ("armed", c_size_t),
    ("shortest", c_double),
    ("closest", c_double),
    ("reshapes", c_uint64),
    ("postponed", c_uint64),
    ("bytes", c_size_t),
    ("certificates_processed", c_uint64),
    ("certificates_rescheduled", c_uint64),
    ("lists_processed", c_uint64),
    ("lists_rescheduled", c_uint64),
    ("checks", c_uint64),
    ("kicking", c_double),
    ("planning", c_double),
    ("checking", c_double),
    ("certifying", c_double),
    ("boxing", c_double),
    ("certificates_processing", c_double),
    ("certificates_rescheduling", c_double),
    ("lists_processing", c_double),
    ("lists_rescheduling", c_double),
]

TacAuditSummary._fields_ = [
    ("audited", c_bool),
    ("violations", c_size_t),
    ("listed", c_size_t),
    ("closest", c_double),
    ("questions", c_size_t),
]

TacAgentInfo._fields_ = [
    ("name", c_char_p),
    ("solver", c_char_p),
    ("is_law", c_bool),
    ("step", c_double),
    ("on_ruler", c_bool),
    ("points", c_size_t),
    ("parts", c_size_t),
    ("kicks", c_uint64),
    ("seconds", c_double),
    ("settling", c_double),
    ("time", c_double),
    ("priority", c_int),
    ("resting", c_bool),
]

TacMargin._fields_ = [
    ("matter", TacComponentId),
    ("first", c_size_t),
    ("count", c_size_t),
    ("mass", c_double),
    ("stiffness", c_double),
    ("viscosity", c_double),
    ("step", c_double),
    ("largest_step", c_double),
    ("used", c_double),
    ("whole", c_bool),
]

TacDelay._fields_ = [
    ("mean", c_double),
    ("most", c_double),
    ("turns", c_uint64),
]

TacSnapshotInfo._fields_ = [
    ("version", c_int),
    ("time", c_double),
    ("beat", c_double),
    ("tick", c_int64),
    ("seed", c_uint64),
    ("bytes", c_uint64),
    ("loose", c_bool),
    ("other_values", c_bool),
    ("library", c_int * 3),
    ("scene", c_char * 128),
]

TacInput._fields_ = [
    ("tick", c_int64),
    ("kind", c_int),
    ("hand", c_int),
    ("component", TacComponentId),
    ("point", c_size_t),
    ("a", TacVec3),
    ("b", TacVec3),
    ("value", c_double),
]

TacContactEvent._fields_ = [
    ("kind", c_int),
    ("time", c_double),
    ("model_a", c_uint32),
    ("model_b", c_uint32),
    ("element_a", c_uint32),
    ("element_b", c_uint32),
    ("point", TacVec3),
    ("normal", TacVec3),
    ("impulse", c_double),
    ("who", TacComponentId),
]

TacContactRow._fields_ = [
    ("first", c_char_p),
    ("second", c_char_p),
    ("combine", c_char_p),
    ("friction", c_double),
    ("restitution", c_double),
    ("stiffness", c_double),
    ("damping", c_double),
    ("thickness", c_double),
    ("excluded", c_bool),
]

TacContactModel._fields_ = [
    ("path", c_char_p),
    ("material", c_char_p),
    ("group", c_int),
    ("mask", c_uint64),
    ("self", c_bool),
]

TacContactPoint._fields_ = [
    ("place", TacVec3),
    ("normal", TacVec3),
    ("gap", c_double),
    ("force", c_double),
]

TacConvex._fields_ = [
    ("kind", c_int),
    ("half", TacVec3),
    ("radius", c_double),
    ("half_height", c_double),
    ("rounding", c_double),
    ("polyhedron", c_void_p),
]

TacPose._fields_ = [
    ("position", TacVec3),
    ("rotation", TacQuat),
]

TacConvexPair._fields_ = [
    ("a", POINTER(TacConvex)),
    ("b", POINTER(TacConvex)),
    ("pose_a", TacPose),
    ("pose_b", TacPose),
]

TacConvexCache._fields_ = [
    ("axis", TacVec3),
    ("a", c_uint32 * 4),
    ("b", c_uint32 * 4),
    ("simplex", c_uint16),
    ("axis_known", c_uint16),
    ("generation", c_uint32),
]

TacConvexSeparation._fields_ = [
    ("state", c_int),
    ("iterations", c_int),
]

TacConvexDistance._fields_ = [
    ("state", c_int),
    ("distance", c_double),
    ("error", c_double),
    ("normal", TacVec3),
    ("point_a", TacVec3),
    ("point_b", TacVec3),
    ("iterations", c_int),
]

TacConvexPenetration._fields_ = [
    ("state", c_int),
    ("depth", c_double),
    ("error", c_double),
    ("normal", TacVec3),
    ("point_a", TacVec3),
    ("point_b", TacVec3),
    ("iterations", c_int),
]

TacConvexContact._fields_ = [
    ("point_a", TacVec3),
    ("point_b", TacVec3),
    ("depth", c_double),
]

TacConvexContacts._fields_ = [
    ("state", c_int),
    ("count", c_int),
    ("normal", TacVec3),
    ("contacts", TacConvexContact * 8),
]

TacConvexCast._fields_ = [
    ("state", c_int),
    ("fraction", c_double),
    ("normal", TacVec3),
    ("point", TacVec3),
    ("iterations", c_int),
]

TacCcdInput._fields_ = [
    ("pair", c_int),
    ("start", TacVec3 * 4),
    ("end", TacVec3 * 4),
    ("thickness", c_double),
    ("from", c_double),
    ("to", c_double),
    ("tolerance", c_double),
    ("most_cells", c_int),
]

TacCcdResult._fields_ = [
    ("state", c_int),
    ("t0", c_double),
    ("t1", c_double),
    ("low", c_double),
    ("high", c_double),
    ("at", c_double),
    ("weights", c_double * 4),
    ("features", c_uint),
    ("cells", c_int),
    ("spent", c_bool),
]

TacCcdCurve._fields_ = [
    ("pair", c_int),
    ("motion", TacCcdMotion),
    ("context", c_void_p),
    ("begin", c_double),
    ("end", c_double),
    ("acceleration", c_double * 4),
    ("position_error", c_double),
    ("thickness", c_double),
    ("tolerance", c_double),
    ("most_cells", c_int),
]

TacMeeting._fields_ = [
    ("first", c_int32),
    ("second", c_int32),
]

TacViewDef._fields_ = [
    ("path", c_char_p),
    ("address", c_char_p),
    ("port", c_int),
    ("token", c_char_p),
    ("paused", c_bool),
    ("speed", c_double),
    ("gallery", POINTER(c_char_p)),
    ("gallery_count", c_size_t),
    ("threads", c_int),
    ("seed", c_uint64),
    ("sets", POINTER(c_char_p)),
    ("set_count", c_size_t),
    ("plugins", POINTER(c_char_p)),
    ("plugin_count", c_size_t),
    ("classes", POINTER(POINTER(TacClass))),
    ("class_count", c_size_t),
    ("snapshot_memory", c_size_t),
    ("folder", c_char_p),
    ("log", CFUNCTYPE(None, c_void_p, c_char_p)),
    ("go_on", CFUNCTYPE(c_bool, c_void_p)),
    ("data", c_void_p),
]

TacSofaFrame._fields_ = [
    ("time", c_double),
    ("positions", TacReals),
    ("velocities", TacReals),
]

STRUCTS = [
    TacError,
    TacReals,
    TacInts,
    TacVec3,
    TacQuat,
    TacMat3,
    TacMesh_elements,
    TacMesh,
    TacMeshReport,
    TacTrackMesh,
    TacTrackDef,
    TacChannelDef,
    TacGround,
    TacCamera,
    TacRecordingDef,
    TacFrameTrack,
    TacFrame,
    TacTrackDifference,
    TacDifference,
    TacPlotDef,
    TacRenderDef,
    TacSound,
    TacAttribute,
    TacComponent,
    TacInertia,
    TacCarriedPoint,
    TacMatter,
    TacTopology,
    TacLaw,
    TacMap,
    TacMass,
    TacConstraint,
    TacJoint,
    TacContext,
    TacLawVectors,
    TacPart,
    TacSteepness,
    TacMatrixBlocks,
    TacLawOps,
    TacMapOps,
    TacMassOps,
    TacConstraintOps,
    TacProbeOps,
    TacNodeMark,
    TacClass_ops,
    TacClass,
    TacPlugin,
    TacNodeId,
    TacComponentId,
    TacSceneMessage,
    TacParameterInfo,
    TacWorldDef,
    TacEnergy,
    TacMomentum,
    TacAccount,
    TacAccountSum,
    TacWorldStats,
    TacContactStats,
    TacAuditSummary,
    TacAgentInfo,
    TacMargin,
    TacDelay,
    TacSnapshotInfo,
    TacInput,
    TacContactEvent,
    TacContactRow,
    TacContactModel,
    TacContactPoint,
    TacConvex,
    TacPose,
    TacConvexPair,
    TacConvexCache,
    TacConvexSeparation,
    TacConvexDistance,
    TacConvexPenetration,
    TacConvexContact,
    TacConvexContacts,
    TacConvexCast,
    TacCcdInput,
    TacCcdResult,
    TacCcdCurve,
    TacMeeting,
    TacViewDef,
    TacSofaFrame,
]

# --- functions: result, arguments
FUNCTIONS = {
    "tac_fail_memory": (c_int, [POINTER(TacError), c_size_t]),
    "tac_error_text": (c_char_p, [POINTER(TacError), c_char_p, c_size_t]),
    "tac_version": (c_char_p, []),
    "tac_element_size": (c_int, [c_int]),
    "tac_element_name": (c_char_p, [c_int]),
    "tac_mesh_create": (c_int, [POINTER(TacMesh), c_size_t, POINTER(c_size_t), POINTER(TacError)]),
    "tac_mesh_destroy": (None, [POINTER(TacMesh)]),
    "tac_mesh_copy": (c_int, [POINTER(TacMesh), POINTER(TacMesh), POINTER(TacError)]),
    "tac_mesh_validate": (c_int, [POINTER(TacMesh), POINTER(TacError)]),
    "tac_mesh_transform": (None, [POINTER(TacMesh), TacVec3, TacVec3, TacVec3]),
    "tac_mesh_surface": (c_int, [POINTER(TacMesh), POINTER(POINTER(c_int32)), POINTER(c_size_t), POINTER(TacError)]),
    "tac_mesh_all_edges": (c_int, [POINTER(TacMesh), POINTER(POINTER(c_int32)), POINTER(c_size_t), POINTER(TacError)]),
    "tac_mesh_split": (c_int, [POINTER(TacMesh), POINTER(TacError)]),
    "tac_mesh_weld": (c_int, [POINTER(TacMesh), c_double, POINTER(TacError)]),
    "tac_mesh_refine": (c_int, [POINTER(TacMesh), c_double, c_size_t, POINTER(TacError)]),
    "tac_mesh_volume": (c_double, [POINTER(TacMesh)]),
    "tac_mesh_bounds": (None, [POINTER(TacMesh), POINTER(TacVec3), POINTER(TacVec3)]),
    "tac_mesh_report": (c_int, [POINTER(TacMesh), POINTER(TacMeshReport), POINTER(TacError)]),
    "tac_mesh_orient": (c_int, [POINTER(TacMesh), POINTER(c_size_t), POINTER(TacError)]),
    "tac_mesh_read": (c_int, [POINTER(TacMesh), c_char_p, POINTER(TacError)]),
    "tac_mesh_parse": (c_int, [POINTER(TacMesh), c_char_p, c_void_p, c_size_t, POINTER(TacError)]),
    "tac_mesh_write": (c_int, [POINTER(TacMesh), c_char_p, POINTER(TacError)]),
    "tac_mesh_grid": (c_int, [POINTER(TacMesh), c_int, c_int, c_int, TacVec3, TacVec3, POINTER(TacError)]),
    "tac_mesh_box": (c_int, [POINTER(TacMesh), c_int, TacVec3, TacVec3, POINTER(TacError)]),
    "tac_mesh_icosphere": (c_int, [POINTER(TacMesh), c_int, c_double, POINTER(TacError)]),
    "tac_mesh_cylinder": (c_int, [POINTER(TacMesh), c_int, c_int, c_double, c_double, c_double, POINTER(TacError)]),
    "tac_mesh_capsule": (c_int, [POINTER(TacMesh), c_int, c_int, c_double, c_double, POINTER(TacError)]),
    "tac_mesh_torus": (c_int, [POINTER(TacMesh), c_int, c_int, c_double, c_double, POINTER(TacError)]),
    "tac_mesh_sheet": (c_int, [POINTER(TacMesh), c_int, c_int, c_double, c_double, POINTER(TacError)]),
    "tac_mesh_graded_sheet": (c_int, [POINTER(TacMesh), c_int, c_int, c_double, c_double, POINTER(c_double), c_size_t, c_int, POINTER(TacError)]),
    "tac_mesh_line": (c_int, [POINTER(TacMesh), c_int, TacVec3, TacVec3, POINTER(TacError)]),
    "tac_mesh_ribbon": (c_int, [POINTER(TacMesh), POINTER(c_double), c_size_t, c_double, c_int, c_double, TacVec3, POINTER(TacError)]),
    "tac_mesh_knot": (c_int, [POINTER(TacMesh), c_int, c_int, c_double, c_double, c_double, POINTER(TacError)]),
    "tac_mesh_nail": (c_int, [POINTER(TacMesh), c_double, c_double, POINTER(TacError)]),
    "tac_mesh_nail_bed": (c_int, [POINTER(TacMesh), c_int, c_int, c_double, c_double, c_double, POINTER(TacError)]),
    "tac_mesh_ball": (c_int, [POINTER(TacMesh), c_int, c_double, POINTER(TacError)]),
    "tac_position_size": (c_int, [c_int]),
    "tac_velocity_size": (c_int, [c_int]),
    "tac_matter_kind_name": (c_char_p, [c_int]),
    "tac_recording_def_default": (TacRecordingDef, []),
    "tac_recorder_open": (c_int, [POINTER(c_void_p), c_char_p, POINTER(TacRecordingDef), POINTER(TacError)]),
    "tac_recorder_frame": (c_int, [c_void_p, POINTER(TacFrame), POINTER(TacError)]),
    "tac_recorder_bytes": (c_uint64, [c_void_p]),
    "tac_recorder_close": (c_int, [c_void_p, POINTER(TacError)]),
    "tac_recording_open": (c_int, [POINTER(c_void_p), c_char_p, POINTER(TacError)]),
    "tac_recording_close": (None, [c_void_p]),
    "tac_recording_def": (POINTER(TacRecordingDef), [c_void_p]),
    "tac_recording_frame_count": (c_size_t, [c_void_p]),
    "tac_recording_frame_time": (c_double, [c_void_p, c_size_t]),
    "tac_recording_frame": (c_int, [c_void_p, c_size_t, POINTER(POINTER(TacFrame)), POINTER(TacError)]),
    "tac_recording_mesh": (POINTER(TacTrackMesh), [c_void_p, c_size_t]),
    "tac_recording_damage": (c_char_p, [c_void_p]),
    "tac_recording_export": (c_int, [c_void_p, c_char_p, TacProgress, c_void_p, POINTER(TacError)]),
    "tac_recording_compare": (c_int, [c_void_p, c_void_p, POINTER(TacDifference), POINTER(TacError)]),
    "tac_difference_destroy": (None, [POINTER(TacDifference)]),
    "tac_plot_def_default": (TacPlotDef, []),
    "tac_recording_plot": (c_int, [c_void_p, POINTER(TacPlotDef), c_char_p, POINTER(TacError)]),
    "tac_render_def_default": (TacRenderDef, []),
    "tac_recording_render": (c_int, [c_void_p, POINTER(TacRenderDef), c_char_p, TacProgress, c_void_p, POINTER(TacError)]),
    "tac_sound_write": (c_int, [POINTER(TacSound), c_char_p, POINTER(TacError)]),
    "tac_component_kind_name": (c_char_p, [c_int]),
    "tac_matrix_add": (None, [c_void_p, c_int, c_size_t, c_int, c_size_t, POINTER(c_double)]),
    "tac_matrix_elements": (c_bool, [c_void_p, POINTER(c_int32), c_size_t, c_size_t, c_size_t, POINTER(TacMatrixBlocks)]),
    "tac_scalar_sheet_of": (POINTER(c_float), [c_void_p, POINTER(TacMatter)]),
    "tac_setup_alloc": (c_void_p, [c_void_p, c_size_t, c_size_t]),
    "tac_setup_alloc_kept": (c_void_p, [c_void_p, c_size_t, c_size_t, POINTER(c_bool)]),
    "tac_setup_hold": (c_int, [c_void_p, c_double, POINTER(TacError)]),
    "tac_setup_state": (c_int, [c_void_p, c_void_p, c_size_t, POINTER(TacError)]),
    "tac_setup_topology": (POINTER(TacTopology), [c_void_p]),
    "tac_setup_topology_of": (POINTER(TacTopology), [c_void_p, POINTER(TacMatter)]),
    "tac_setup_threads": (c_int, [c_void_p]),
    "tac_setup_mass_of": (c_double, [c_void_p, POINTER(TacMatter), c_size_t]),
    "tac_setup_given": (c_bool, [c_void_p, c_char_p]),
    "tac_setup_seed": (c_uint64, [c_void_p]),
    "tac_team_run": (None, [c_void_p, c_size_t, c_size_t, TacLoop, c_void_p]),
    "tac_scene_create": (c_int, [POINTER(c_void_p), POINTER(TacError)]),
    "tac_scene_destroy": (None, [c_void_p]),
    "tac_scene_load_plugin": (c_int, [c_void_p, c_char_p, POINTER(TacError)]),
    "tac_scene_add_class": (c_int, [c_void_p, POINTER(TacClass), POINTER(TacError)]),
    "tac_scene_set_parameter": (c_int, [c_void_p, c_char_p, c_char_p, POINTER(TacError)]),
    "tac_scene_read": (c_int, [c_void_p, c_char_p, POINTER(TacError)]),
    "tac_scene_parse": (c_int, [c_void_p, c_char_p, c_char_p, c_size_t, POINTER(TacError)]),
    "tac_scene_root": (TacNodeId, [c_void_p]),
    "tac_scene_world": (TacComponentId, [c_void_p]),
    "tac_scene_add_node": (c_int, [c_void_p, TacNodeId, c_char_p, POINTER(TacNodeId), POINTER(TacError)]),
    "tac_scene_add": (c_int, [c_void_p, TacNodeId, c_char_p, c_char_p, POINTER(TacComponentId), POINTER(TacError)]),
    "tac_scene_remove_node": (c_int, [c_void_p, TacNodeId, POINTER(TacError)]),
    "tac_scene_remove": (c_int, [c_void_p, TacComponentId, POINTER(TacError)]),
    "tac_scene_node_exists": (c_bool, [c_void_p, TacNodeId]),
    "tac_scene_exists": (c_bool, [c_void_p, TacComponentId]),
    "tac_scene_set": (c_int, [c_void_p, TacComponentId, c_char_p, c_char_p, POINTER(TacError)]),
    "tac_scene_set_reals": (c_int, [c_void_p, TacComponentId, c_char_p, POINTER(c_double), c_size_t, POINTER(TacError)]),
    "tac_scene_set_ints": (c_int, [c_void_p, TacComponentId, c_char_p, POINTER(c_int32), c_size_t, POINTER(TacError)]),
    "tac_scene_set_by_path": (c_int, [c_void_p, c_char_p, POINTER(TacError)]),
    "tac_scene_find": (TacComponentId, [c_void_p, c_char_p]),
    "tac_scene_find_node": (TacNodeId, [c_void_p, c_char_p]),
    "tac_scene_message_count": (c_size_t, [c_void_p]),
    "tac_scene_message": (POINTER(TacSceneMessage), [c_void_p, c_size_t]),
    "tac_scene_nodes": (c_size_t, [c_void_p, POINTER(TacNodeId), c_size_t]),
    "tac_scene_node_name": (c_char_p, [c_void_p, TacNodeId]),
    "tac_scene_node_parent": (TacNodeId, [c_void_p, TacNodeId]),
    "tac_scene_components": (c_size_t, [c_void_p, TacNodeId, POINTER(TacComponentId), c_size_t]),
    "tac_scene_name": (c_char_p, [c_void_p, TacComponentId]),
    "tac_scene_class_of": (POINTER(TacClass), [c_void_p, TacComponentId]),
    "tac_scene_parameter_count": (c_size_t, [c_void_p]),
    "tac_scene_parameter": (TacParameterInfo, [c_void_p, c_size_t]),
    "tac_scene_class_count": (c_size_t, [c_void_p]),
    "tac_scene_class": (POINTER(TacClass), [c_void_p, c_size_t]),
    "tac_scene_find_class": (POINTER(TacClass), [c_void_p, c_char_p]),
    "tac_scene_nearest_class": (c_char_p, [c_void_p, c_char_p]),
    "tac_scene_write": (c_bool, [c_void_p, TacSink, c_void_p]),
    "tac_scene_schema": (c_bool, [c_void_p, TacSink, c_void_p]),
    "tac_scene_reference": (c_bool, [c_void_p, c_char_p, TacSink, c_void_p]),
    "tac_world_def_default": (TacWorldDef, []),
    "tac_world_create": (c_int, [POINTER(c_void_p), c_void_p, POINTER(TacWorldDef), POINTER(TacError)]),
    "tac_world_destroy": (None, [c_void_p]),
    "tac_world_advance": (c_int, [c_void_p, c_double, POINTER(TacError)]),
    "tac_world_advance_beats": (c_int, [c_void_p, c_int64, POINTER(TacError)]),
    "tac_world_advance_to_frame": (c_int, [c_void_p, c_double, c_int64, POINTER(TacError)]),
    "tac_world_stop_when": (None, [c_void_p, CFUNCTYPE(c_bool, c_void_p), c_void_p]),
    "tac_world_time": (c_double, [c_void_p]),
    "tac_world_tick": (c_int64, [c_void_p]),
    "tac_world_beat": (c_double, [c_void_p]),
    "tac_world_find": (TacComponentId, [c_void_p, c_char_p]),
    "tac_world_matter_count": (c_size_t, [c_void_p]),
    "tac_world_matter": (TacComponentId, [c_void_p, c_size_t]),
    "tac_world_path": (c_char_p, [c_void_p, TacComponentId]),
    "tac_world_kind": (c_int, [c_void_p, TacComponentId]),
    "tac_world_point_count": (c_size_t, [c_void_p, TacComponentId]),
    "tac_world_positions": (POINTER(c_double), [c_void_p, TacComponentId]),
    "tac_world_velocities": (POINTER(c_double), [c_void_p, TacComponentId]),
    "tac_world_set_state": (c_int, [c_void_p, TacComponentId, POINTER(c_double), POINTER(c_double), POINTER(TacError)]),
    "tac_world_forces": (POINTER(c_double), [c_void_p, TacComponentId]),
    "tac_world_set": (c_int, [c_void_p, TacComponentId, c_char_p, c_char_p, POINTER(TacError)]),
    "tac_world_text": (c_bool, [c_void_p, TacComponentId, c_char_p, c_char_p, c_size_t]),
    "tac_world_reals": (TacReals, [c_void_p, TacComponentId, c_char_p]),
    "tac_world_energy": (TacEnergy, [c_void_p]),
    "tac_world_momentum": (TacMomentum, [c_void_p]),
    "tac_world_keep_accounts": (c_int, [c_void_p, POINTER(TacError)]),
    "tac_world_accounts": (TacAccountSum, [c_void_p, POINTER(TacAccount), c_size_t, POINTER(c_size_t)]),
    "tac_world_hash": (c_uint64, [c_void_p]),
    "tac_world_stats": (TacWorldStats, [c_void_p]),
    "tac_world_contact_stats": (TacContactStats, [c_void_p]),
    "tac_world_audit": (c_int, [c_void_p, POINTER(TacError)]),
    "tac_world_audit_summary": (TacAuditSummary, [c_void_p]),
    "tac_world_audit_violation": (c_char_p, [c_void_p, c_size_t, c_char_p, c_size_t]),
    "tac_world_agent": (TacAgentInfo, [c_void_p, c_size_t]),
    "tac_world_agent_remark": (c_bool, [c_void_p, c_size_t, POINTER(TacError)]),
    "tac_world_margins": (c_int, [c_void_p, POINTER(POINTER(TacMargin)), POINTER(c_size_t), POINTER(TacError)]),
    "tac_world_listen_count": (c_size_t, [c_void_p]),
    "tac_world_listen": (None, [c_void_p, POINTER(c_double)]),
    "tac_world_listen_pan": (c_double, [c_void_p, c_size_t]),
    "tac_world_listen_name": (c_char_p, [c_void_p, c_size_t]),
    "tac_world_delay": (TacDelay, [c_void_p]),
    "tac_world_snapshot_size": (c_size_t, [c_void_p]),
    "tac_world_save": (c_int, [c_void_p, c_void_p, c_size_t, POINTER(TacError)]),
    "tac_world_restore": (c_int, [c_void_p, c_void_p, c_size_t, POINTER(TacError)]),
    "tac_world_save_file": (c_int, [c_void_p, c_char_p, POINTER(TacError)]),
    "tac_world_restore_file": (c_int, [c_void_p, c_char_p, POINTER(TacSnapshotInfo), POINTER(TacError)]),
    "tac_snapshot_read_info": (c_int, [POINTER(TacSnapshotInfo), c_char_p, POINTER(TacError)]),
    "tac_world_input": (c_int, [c_void_p, POINTER(TacInput), POINTER(TacError)]),
    "tac_world_inputs": (POINTER(TacInput), [c_void_p, POINTER(c_size_t)]),
    "tac_world_save_inputs": (c_int, [c_void_p, c_char_p, POINTER(TacError)]),
    "tac_world_replay_inputs": (c_int, [c_void_p, c_char_p, POINTER(TacError)]),
    "tac_world_grab": (c_int, [c_void_p, c_int, TacComponentId, c_size_t, TacVec3, c_double, POINTER(TacError)]),
    "tac_world_drag": (c_int, [c_void_p, c_int, TacVec3, POINTER(TacError)]),
    "tac_world_release": (c_int, [c_void_p, c_int, POINTER(TacVec3), POINTER(TacError)]),
    "tac_world_pin": (c_int, [c_void_p, TacComponentId, c_size_t, POINTER(TacError)]),
    "tac_world_unpin": (c_int, [c_void_p, TacComponentId, c_size_t, POINTER(TacError)]),
    "tac_world_sphere": (c_int, [c_void_p, TacVec3, c_double, POINTER(TacError)]),
    "tac_world_hand_force": (c_bool, [c_void_p, c_int, POINTER(TacVec3), POINTER(TacVec3)]),
    "tac_world_recording_def": (POINTER(TacRecordingDef), [c_void_p, POINTER(TacError)]),
    "tac_world_frame": (POINTER(TacFrame), [c_void_p]),
    "tac_world_title": (c_char_p, [c_void_p]),
    "tac_world_fps": (c_double, [c_void_p]),
    "tac_world_duration": (c_double, [c_void_p]),
    "tac_world_events": (c_size_t, [c_void_p, POINTER(TacContactEvent), c_size_t, POINTER(c_uint64)]),
    "tac_world_stopped_by": (c_char_p, [c_void_p]),
    "tac_world_go_on": (None, [c_void_p]),
    "tac_world_on_snapshot": (None, [c_void_p, CFUNCTYPE(None, c_void_p, c_char_p), c_void_p]),
    "tac_world_collision_model": (TacComponentId, [c_void_p, c_uint32]),
    "tac_world_contact_row": (c_bool, [c_void_p, c_size_t, POINTER(TacContactRow)]),
    "tac_world_contact_model": (c_bool, [c_void_p, c_size_t, POINTER(TacContactModel)]),
    "tac_world_contact_points": (c_size_t, [c_void_p, POINTER(TacContactPoint), c_size_t]),
    "tac_world_contact_count": (c_size_t, [c_void_p]),
    "tac_polyhedron_create": (c_int, [POINTER(c_void_p), POINTER(c_double), c_size_t, POINTER(TacError)]),
    "tac_polyhedron_destroy": (None, [c_void_p]),
    "tac_polyhedron_dimension": (c_int, [c_void_p]),
    "tac_polyhedron_vertex_count": (c_size_t, [c_void_p]),
    "tac_polyhedron_vertex": (TacVec3, [c_void_p, c_size_t]),
    "tac_polyhedron_face_count": (c_size_t, [c_void_p]),
    "tac_polyhedron_face": (POINTER(c_uint32), [c_void_p, c_size_t, POINTER(c_size_t)]),
    "tac_polyhedron_face_normal": (TacVec3, [c_void_p, c_size_t]),
    "tac_convex_sphere": (TacConvex, [c_double]),
    "tac_convex_box": (TacConvex, [TacVec3]),
    "tac_convex_capsule": (TacConvex, [c_double, c_double]),
    "tac_convex_cylinder": (TacConvex, [c_double, c_double]),
    "tac_convex_cone": (TacConvex, [c_double, c_double]),
    "tac_convex_half_space": (TacConvex, []),
    "tac_convex_polyhedron": (TacConvex, [c_void_p]),
    "tac_convex_separation": (TacConvexSeparation, [POINTER(TacConvexPair), POINTER(TacConvexCache)]),
    "tac_convex_distance": (TacConvexDistance, [POINTER(TacConvexPair), POINTER(TacConvexCache)]),
    "tac_convex_penetration": (TacConvexPenetration, [POINTER(TacConvexPair), POINTER(TacConvexCache)]),
    "tac_convex_contacts": (TacConvexContacts, [POINTER(TacConvexPair), c_double, POINTER(TacConvexCache)]),
    "tac_convex_cast": (TacConvexCast, [POINTER(TacConvexPair), TacVec3, TacVec3, POINTER(TacConvexCache)]),
    "tac_convex_ray": (TacConvexCast, [POINTER(TacConvex), TacPose, TacVec3, TacVec3]),
    "tac_ccd_default_input": (TacCcdInput, [c_int]),
    "tac_ccd": (c_int, [POINTER(TacCcdInput), POINTER(TacCcdResult)]),
    "tac_ccd_default_curve": (TacCcdCurve, [c_int]),
    "tac_ccd_curved": (c_int, [POINTER(TacCcdCurve), POINTER(TacCcdResult)]),
    "tac_orient3d": (c_int, [TacVec3, TacVec3, TacVec3, TacVec3]),
    "tac_point_meets_triangle": (c_bool, [TacVec3, POINTER(TacVec3)]),
    "tac_edges_meet": (c_bool, [TacVec3, TacVec3, TacVec3, TacVec3]),
    "tac_edge_meets_triangle": (c_bool, [TacVec3, TacVec3, POINTER(TacVec3)]),
    "tac_triangles_meet": (c_bool, [POINTER(TacVec3), POINTER(TacVec3)]),
    "tac_triangle_meetings": (c_int, [POINTER(c_double), c_size_t, POINTER(c_int32), c_size_t, c_size_t, POINTER(POINTER(TacMeeting)), POINTER(c_size_t), POINTER(TacError)]),
    "tac_edge_triangle_meetings": (c_int, [POINTER(c_double), c_size_t, POINTER(c_int32), c_size_t, POINTER(c_int32), c_size_t, c_size_t, POINTER(POINTER(TacMeeting)), POINTER(c_size_t), POINTER(TacError)]),
    "tac_mesh_intersections": (c_int, [POINTER(TacMesh), c_size_t, POINTER(POINTER(TacMeeting)), POINTER(c_size_t), POINTER(TacError)]),
    "tac_view_def_default": (TacViewDef, []),
    "tac_view_create": (c_int, [POINTER(c_void_p), POINTER(TacViewDef), POINTER(TacError)]),
    "tac_view_address": (c_char_p, [c_void_p]),
    "tac_view_run": (c_int, [c_void_p, POINTER(TacError)]),
    "tac_view_stop": (None, [c_void_p]),
    "tac_view_destroy": (None, [c_void_p]),
    "tac_sofa_reference_read": (c_int, [POINTER(c_void_p), c_char_p, POINTER(TacError)]),
    "tac_sofa_reference_destroy": (None, [c_void_p]),
    "tac_sofa_reference_frame_count": (c_size_t, [c_void_p]),
    "tac_sofa_reference_frame": (TacSofaFrame, [c_void_p, c_size_t]),
    "tac_sofa_difference": (c_double, [POINTER(c_double), TacReals]),
    "tac_sofa_state_count": (c_size_t, [c_void_p, c_bool]),
    "tac_sofa_state": (TacComponentId, [c_void_p, c_bool, c_size_t]),
}
