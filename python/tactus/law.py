# SPDX-FileCopyrightText: The Tactus authors
# SPDX-License-Identifier: MIT

"""Laws written in Python, for trying things out: called by the library at every kick, on its own memory.

    class Tether(tactus.Law):
        "A spring to the origin."
        stiffness = tactus.Real(4.0, unit="N/m", live=True)

        def force(self, x, v, f, context):
            f -= self.stiffness * x

        def energy(self, x, v, context):
            return 0.5 * self.stiffness * (x**2).sum()

    scene = tactus.load("scene.tac", laws=[Tether])        # which may say <Tether stiffness="9"/>

A class becomes a TacClass (include/tactus/component.h): a table whose functions lead back here. Arrays stand on the
library's memory and hold for the call only. An exception in a law makes the run fail, with that exception as the cause;
the world can be brought back by a snapshot.
"""

import contextlib
import ctypes
import inspect
import math
import threading
import traceback

import numpy

from . import _c
from ._library import BadUsage, Error, array_at, lib, text_of

KINDS = {text_of(lib.tac_matter_kind_name(kind)): kind for kind in range(_c.TAC_MATTER_KINDS)}
MOST_REPORTS = 10  # of different exceptions of a law in a view
MOST_ARRAYS = 64  # that a law keeps for addresses it has seen


class LawFailed(Error):
    """A law written in Python raised an exception, which is the cause of this one."""


# --- attributes -----------------------------------------------------------------------------------------------


class Attribute:
    """A value that scenes give a law: `default` as a scene would write it; None where it must be given."""

    type, field, range = None, None, _c.TAC_ANY

    def __init__(self, default=None, unit="", doc="", live=False, range=None):
        self.default, self.unit, self.doc, self.live = default, unit, doc, live
        self.range = self.range if range is None else RANGES[range]
        self.name = None

    def __set_name__(self, owner, name):
        self.name = name
        self.doc = self.doc or f"{name} of the law."

    def __get__(self, law, owner=None):
        if law is None:
            return self
        return self.value(self.field.from_address(law._at + law._offsets[self.name]), law)

    def __set__(self, law, value):
        raise AttributeError(f'{self.name} is given by the scene; world["..."]["{self.name}"] = ... changes it')

    def value(self, field, law):
        return field.value

    def text(self):
        from .scene import value_text

        return value_text(self.default).encode()


RANGES = {
    "any": _c.TAC_ANY,
    "positive": _c.TAC_POSITIVE,
    "not negative": _c.TAC_NOT_NEGATIVE,
    "fraction": _c.TAC_FRACTION,
}


class Real(Attribute):
    type, field = _c.TAC_REAL, ctypes.c_double


class Int(Attribute):
    type, field = _c.TAC_INT, ctypes.c_int64


class Bool(Attribute):
    type, field = _c.TAC_BOOL, ctypes.c_bool


class Text(Attribute):
    type, field = _c.TAC_TEXT, ctypes.c_char_p

    def value(self, field, law):
        return text_of(field.value)


class Vector(Attribute):
    """Three numbers, as an array."""

    type, field = _c.TAC_VECTOR, _c.TacVec3

    def value(self, field, law):
        return numpy.array([field.x, field.y, field.z])


class Reals(Attribute):
    """A list of numbers, as an array on the world's memory."""

    type, field = _c.TAC_REALS, _c.TacReals

    def value(self, field, law):
        return array_at(field.data, (field.count,), None)


class Ints(Attribute):
    type, field = _c.TAC_INTS, _c.TacInts

    def value(self, field, law):
        return array_at(field.data, (field.count,), None, numpy.int32)


# --- laws -----------------------------------------------------------------------------------------------------

_making = threading.local()  # where the laws of a world that is being made put their exceptions


@contextlib.contextmanager
def collecting_failures(failures):
    before = getattr(_making, "failures", None)
    _making.failures = failures
    try:
        yield
    finally:
        _making.failures = before


class Law:
    """Subclass it, with attributes and at least a force. One object is made for every such component of a world.

    `kinds`: the kinds of matter it works on. `pair = True`: a law between two matters; then x, v and f are lists of
    two arrays. All arrays have one row per point.

    force(x, v, f, context)                  adds forces to f; context has time and step, s
    energy(x, v, context)                    J; leave it out where there is none
    force_change(x, d, f, k, b, context)     adds (k K + b B) d to f, K = dF/dx and B = dF/dv: for implicit solvers
    start()                                  once, when the world is made; raise ValueError to refuse the scene
    """

    kinds = ("Vec3",)
    pair = False
    name = None  # that scenes write; by default the name of the class

    energy = force_change = None

    def start(self):
        pass

    def force(self, x, v, f, context):
        raise NotImplementedError(f"{type(self).__name__} has no force")

    # --- what it finds in the world ---------------------------------------------------------------------------

    def _head(self):
        return _c.TacLaw.from_address(self._at)

    @property
    def path(self):
        return text_of(self._head().base.path)

    def count(self, side=0):
        """Points of its matter."""
        return self._matters[side].count

    def rest(self, side=0):
        """Positions at rest of its matter."""
        matter = self._matters[side]
        return array_at(matter.vectors[_c.TAC_X_REST], (matter.count, matter.position_size), None)

    # --- arrays -----------------------------------------------------------------------------------------------

    def _array(self, pointer, side, is_position, writable=False):
        matter = self._matters[side]
        size = matter.position_size if is_position else matter.velocity_size
        return array_at(pointer, (matter.count, size), None, writable=writable)

    def _vectors(self, pointer):
        """x, v and f as the functions take them. Made once for the same addresses: solvers use few."""
        key = (ctypes.string_at(pointer, ctypes.sizeof(_c.TacLawVectors)), *[m.count for m in self._matters])
        found = self._arrays.get(key)
        if found is None:
            if len(self._arrays) >= MOST_ARRAYS:
                self._arrays.clear()
            found = self._arrays[key] = self._make_arrays(pointer.contents)
        return found

    def _make_arrays(self, vectors):
        sides = range(len(self._matters))
        x = [self._array(vectors.x[i] or vectors.x[0], i, True) for i in sides]
        v = [self._array(vectors.v[i] or vectors.v[0], i, False) for i in sides]
        f = [self._array(vectors.f[i] or vectors.f[0], i, False, True) for i in sides]
        return (x, v, f) if self.pair else (x[0], v[0], f[0])

    def _spoil(self, vectors):
        """What failed must not go on unseen: the library stops at a force that is not a number."""
        forces = self._vectors(vectors)[2]
        for array in forces if self.pair else [forces]:
            array[...] = math.nan

    # --- the class, as the library wants it ----------------------------------------------------------------------

    @classmethod
    def _class_name(cls):
        return cls.__dict__.get("name") or cls.__name__

    @classmethod
    def _c_class(cls):
        """Made once; lives as long as the Python class, which scenes and worlds keep."""
        made = cls.__dict__.get("_made")
        if made is None:
            made = cls._made = Table(cls)
        return made.c_class


# --- tables ---------------------------------------------------------------------------------------------------


def _operation(name):
    return dict(_c.TacLawOps._fields_)[name]


class Table:
    """The TacClass of a law, and everything that must live as long as it."""

    def __init__(self, cls):
        if not (isinstance(cls, type) and issubclass(cls, Law) and cls is not Law):
            raise BadUsage(f"{cls!r} is not a subclass of tactus.Law")
        unknown = [kind for kind in cls.kinds if kind not in KINDS]
        if unknown:
            raise BadUsage(f"{unknown[0]} is not a kind of matter: {', '.join(KINDS)}")
        if cls.force is Law.force:
            raise BadUsage(f"{cls.__name__} is a law without a force")
        self.cls = cls
        self.laws = {}  # by the address of their struct
        self.texts = []
        self.offsets = {}  # of attributes in the struct
        self.size = ctypes.sizeof(_c.TacLaw)
        self.attributes = self.table()
        self.ops = _c.TacLawOps(force=_operation("force")(self.force))
        if cls.energy is not None:
            self.ops.energy = _operation("energy")(self.energy)
        if cls.force_change is not None:
            self.ops.force_change = _operation("force_change")(self.force_change)
        fields = dict(_c.TacClass._fields_)
        self.c_class = _c.TacClass(
            name=self.text(cls._class_name()),
            kind=_c.TAC_KIND_LAW,
            doc=self.text(inspect.getdoc(cls) if "__doc__" in cls.__dict__ and cls.__doc__ else "A law in Python."),
            size=self.size,
            attributes=self.attributes,
            attribute_count=len(self.attributes),
            kinds=sum(1 << KINDS[kind] for kind in set(cls.kinds)),
            init=fields["init"](self.init),
            finish=fields["finish"](self.finish),
        )
        self.c_class.ops.law = ctypes.pointer(self.ops)

    def text(self, text):
        data = text if isinstance(text, bytes) else text.encode()
        self.texts.append(data)
        return data

    def table(self):
        """Those that every law has (TAC_LAW_ATTRIBUTES), then its own."""
        matter, pointer = _c.TacLaw.matter.offset, ctypes.sizeof(ctypes.c_void_p)
        rows = [
            (b"matter", _c.TAC_LINK, matter, b"", b"", b"The matter it acts on; by default the nearest one, in its "
             b"node or above.", b"matter", _c.TAC_ANY, 0),
            (b"period", _c.TAC_REAL, _c.TacLaw.period.offset, b"s", b"0", b"Its own clock, where no solver owns it, "
             b"rounded down to the ruler; 0 is the beat.", None, _c.TAC_NOT_NEGATIVE, 0),
        ]  # fmt: skip
        if self.cls.pair:
            rows.append((b"other", _c.TAC_LINK, matter + pointer, b"", b"", b"The second matter, of the same kind; by "
                         b"default the first one.", b"matter", _c.TAC_ANY, 0))  # fmt: skip
        for name, attribute in self.own_attributes().items():
            if hasattr(Law, name):
                raise BadUsage(f"{name} is taken: every law has it")
            offset = self.offsets[name] = self.size = (self.size + 7) // 8 * 8
            self.size += ctypes.sizeof(attribute.field)
            initial = None if attribute.default is None else self.text(attribute.text())
            flags = _c.TAC_LIVE if attribute.live else 0
            rows.append((self.text(name), attribute.type, offset, self.text(attribute.unit), initial,
                         self.text(attribute.doc), None, attribute.range, flags))  # fmt: skip
        return (_c.TacAttribute * len(rows))(*rows)

    def own_attributes(self):
        found = {}
        for cls in reversed(self.cls.__mro__):
            found.update({k: v for k, v in cls.__dict__.items() if isinstance(v, Attribute)})
        return found

    # --- what the library calls ---------------------------------------------------------------------------------

    def init(self, address, setup, error):
        law = self.cls.__new__(self.cls)
        failures = getattr(_making, "failures", None)
        law._failures = [] if failures is None else failures
        law._told = None if failures is not None else set()  # where nobody will look: what was printed
        law._at, law._arrays, law._offsets = address, {}, self.offsets
        heads = _c.TacLaw.from_address(address).matter
        law._matters = [heads[0].contents] + ([(heads[1] or heads[0]).contents] if self.cls.pair else [])
        try:
            law.__init__()
            law.start()
        except BaseException as reason:  # noqa: BLE001, no exception may pass into C
            if not isinstance(reason, ValueError):
                law._failures.append(reason)
            error.contents.status = _c.TAC_BAD_INPUT
            error.contents.message = f"{text_of(law._head().base.path)}: {reason}".encode()[:1023]
            return _c.TAC_BAD_INPUT
        self.laws[address] = law
        return _c.TAC_OK

    def finish(self, address):
        self.laws.pop(address, None)

    def failed(self, law, reason):
        if law._told is None:
            law._failures.append(reason)
        elif repr(reason) not in law._told and len(law._told) < MOST_REPORTS:
            law._told.add(repr(reason))
            traceback.print_exception(reason)

    def force(self, address, context, vectors):
        law = self.laws[address]
        try:
            if law._failures:
                return law._spoil(vectors)
            law.force(*law._vectors(vectors), context.contents)
        except BaseException as reason:  # noqa: BLE001
            self.failed(law, reason)
            law._spoil(vectors)

    def force_change(self, address, context, vectors, k, b):
        law = self.laws[address]
        try:
            if law._failures:
                return law._spoil(vectors)
            law.force_change(*law._vectors(vectors), k, b, context.contents)
        except BaseException as reason:  # noqa: BLE001
            self.failed(law, reason)
            law._spoil(vectors)

    def energy(self, address, context, vectors):
        law = self.laws[address]
        try:
            x, v, _ = law._vectors(vectors)
            return float(law.energy(x, v, context.contents))
        except BaseException as reason:  # noqa: BLE001
            self.failed(law, reason)
            return math.nan
