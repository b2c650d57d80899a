# SPDX-FileCopyrightText: The Tactus authors
# SPDX-License-Identifier: MIT

"""Finds the shared library, declares its functions, and turns its errors into exceptions.

Three rules hold for everything built on this:
1. What the library owns is held by a Handle, and given back when nobody refers to the Handle any more. Arrays refer to
   the Handle of their memory, so that they can outlive the object they came from, and close() never pulls memory away
   from under somebody.
2. A call that fails raises the exception of its status, with the library's message.
3. ctypes lets other Python threads run while the library works.
"""

import ctypes
import difflib
import os
import pathlib
import weakref

import numpy

from . import _c


class Error(Exception):
    """What the library said: `message`, and the place, where there is one: `file`, `line`, `column`."""

    def __init__(self, message, file="", line=0, column=0):
        place = ":".join(str(part) for part in (file, line, column) if part)
        super().__init__(f"{place}: {message}" if place else message)
        self.message, self.file, self.line, self.column = message, file, line, column


class RunFailed(Error):
    """The run failed, or a file could not be written."""


class BadUsage(Error, ValueError):
    """A call that makes no sense."""


class BadInput(Error, ValueError):
    """A file or a scene that cannot be used."""


class OutOfMemory(Error, MemoryError):
    """An allocation failed; nothing was changed."""


class Missing(KeyError):
    """A name that is not there; the message says which one is nearest to it."""

    def __init__(self, what, name, names=()):
        near = difflib.get_close_matches(str(name), [str(other) for other in names], 1)
        super().__init__(f"there is no {what} {name}" + (f"; did you mean {near[0]}?" if near else ""))

    def __str__(self):
        return self.args[0]


class Closed(Error, ValueError):
    """It was closed before."""


KINDS_OF_ERROR = {
    _c.TAC_FAILED: RunFailed,
    _c.TAC_BAD_USAGE: BadUsage,
    _c.TAC_BAD_INPUT: BadInput,
    _c.TAC_NO_MEMORY: OutOfMemory,
}


# --- the library ----------------------------------------------------------------------------------------------


def candidates():
    """Where the library may be, in this order; a bare name is looked for where the system looks."""
    given = os.environ.get("TACTUS_LIBRARY")
    if given:
        return [given]
    here = pathlib.Path(__file__).resolve().parent
    # beside the package and above it: installed; in the build folder: the sources' own
    places = [here / "libtactus.so", here.parents[1] / "build" / "libtactus.so", here.parents[2] / "libtactus.so"]
    names = ["libtactus.so", f"libtactus.so.{_c.TAC_VERSION_MAJOR}"]
    return [str(place) for place in places if place.is_file()] + names


def load():
    reasons = []
    for place in candidates():
        try:
            # global: plugins find the API in it
            library = ctypes.CDLL(place, mode=ctypes.RTLD_GLOBAL)
            declare(library)
        except (OSError, AttributeError) as reason:
            reasons.append(f"  {place}: {reason}")
            continue
        wanted = f"{_c.TAC_VERSION_MAJOR}.{_c.TAC_VERSION_MINOR}.{_c.TAC_VERSION_PATCH}"
        found = library.tac_version().decode()
        if found == wanted:
            return library
        reasons.append(f"  {place}: it is version {found}; this package is for {wanted}")
    raise ImportError(
        "the shared library of Tactus was not found; `make build` makes build/libtactus.so, and $TACTUS_LIBRARY can "
        "name another one\n" + "\n".join(reasons)
    )


def declare(library):
    for name, (result, arguments) in _c.FUNCTIONS.items():
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments


lib = load()


# --- calls ----------------------------------------------------------------------------------------------------


def exception_of(error):
    kind = KINDS_OF_ERROR.get(error.status, Error)
    return kind(text_of(error.message), text_of(error.file), error.line, error.column)


def call(function, *arguments):
    """Calls what returns a status and takes an error last."""
    error = _c.TacError()
    try:
        status = function(*arguments, ctypes.byref(error))
    except ctypes.ArgumentError as wrong:
        raise TypeError(f"{function.__name__}: {wrong}") from None
    if status != _c.TAC_OK:
        raise exception_of(error)


def make(function, destroy, *arguments, keeps=()):
    """Calls a function that makes something (`X **` first); returns its Handle."""
    made = ctypes.c_void_p()
    call(function, ctypes.byref(made), *arguments)
    return Handle(made.value, destroy, keeps)


class Handle:
    """Something that the library made; given back when nobody refers to it any more."""

    def __init__(self, pointer, destroy, keeps=()):
        self._as_parameter_ = ctypes.c_void_p(pointer)
        self._destroy = destroy
        self._keeps = keeps  # what must outlive it
        self.shown = weakref.WeakSet()  # what arrays of it stand on

    def __del__(self):
        self._destroy(self._as_parameter_)


class Owner:
    """An object of this package that has a Handle until it is closed."""

    _what = "it"
    _handle_or_none = None

    @property
    def _handle(self):
        handle = self._handle_or_none
        if handle is None:
            raise Closed(f"{self._what} is closed")
        return handle

    @property
    def closed(self):
        return self._handle_or_none is None

    def close(self):
        """Gives it back; arrays that somebody still holds stay readable. May be called again."""
        self._handle_or_none = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


# --- memory ---------------------------------------------------------------------------------------------------


class Memory:
    """Memory of the library, as NumPy wants to be told of it; keeps its owner alive."""

    def __init__(self, address, shape, dtype, owner, writable):
        self.owner = owner
        self.__array_interface__ = {
            "version": 3,
            "data": (address, not writable),
            "shape": shape,
            "typestr": numpy.dtype(dtype).str,
        }


def array_at(pointer, shape, owner, dtype=numpy.float64, writable=False):
    """An array on memory of the library, without a copy; None where the pointer is NULL and numbers were expected."""
    address = ctypes.cast(pointer, ctypes.c_void_p).value if pointer else None
    if 0 in shape or address is None:
        return numpy.empty(shape, dtype) if 0 in shape else None
    memory = Memory(address, tuple(shape), dtype, owner, writable)
    if isinstance(owner, Handle):
        owner.shown.add(memory)
    return numpy.asarray(memory)


_free = ctypes.CDLL(None).free
_free.argtypes, _free.restype = [ctypes.c_void_p], None


def to_free(pointer):
    """The Handle of memory that the library left to its caller."""
    return Handle(ctypes.cast(pointer, ctypes.c_void_p).value, _free)


def array_to_free(pointer, shape, dtype):
    """An array on memory that the library left to its caller: freed with the last array on it."""
    owner = to_free(pointer)
    return array_at(pointer, shape, owner, dtype, writable=True)


def doubles(values, count=None, what="values"):
    """A contiguous array of doubles: the given one itself, where it is that already. And a pointer to it."""
    array = numpy.ascontiguousarray(values, numpy.float64)
    if count is not None and array.size != count:
        raise BadUsage(f"{what}: expected {count} numbers, got {array.size}")
    return array, array.ctypes.data_as(ctypes.POINTER(ctypes.c_double))


def ints(values):
    array = numpy.ascontiguousarray(values)
    if array.size == 0:
        array = array.astype(numpy.int32)
    if array.dtype.kind not in "iu":
        raise BadUsage(f"expected whole numbers, got {array.dtype}")
    if array.size and (array.min() < -(2**31) or array.max() >= 2**31):
        raise BadUsage("a number is too large for an index")
    array = array.astype(numpy.int32, copy=False)
    return array, array.ctypes.data_as(ctypes.POINTER(ctypes.c_int32))


# --- small values ---------------------------------------------------------------------------------------------


def text_of(data):
    return data.decode("utf-8", errors="replace") if data is not None else None


def bytes_of(text):
    """Of a text or a path, for C."""
    data = os.fsencode(text)
    if b"\0" in data:
        raise BadUsage("a text with a zero byte in it")
    return data


def vector(values):
    x, y, z = (float(value) for value in values)
    return _c.TacVec3(x, y, z)


def quaternion(values):
    x, y, z, w = (float(value) for value in values)
    return _c.TacQuat(x, y, z, w)


class Values:
    """A result with named values."""

    def __init__(self, **values):
        self.__dict__.update(values)

    def __repr__(self):
        return f"Values({', '.join(f'{key}={value!r}' for key, value in vars(self).items())})"

    def __eq__(self, other):
        return isinstance(other, Values) and repr(self) == repr(other)


def values_of(struct):
    """A struct of plain values as Values; vectors and lists become arrays of their own."""
    result = {}
    for name, _ in struct._fields_:
        value = getattr(struct, name)
        if isinstance(value, (_c.TacVec3, _c.TacQuat)):
            value = numpy.array([getattr(value, axis) for axis, _ in value._fields_])
        elif isinstance(value, _c.TacComponentId):
            value = _c.TacComponentId(value.index1, value.generation)
        elif isinstance(value, ctypes.Structure):
            value = values_of(value)
        elif isinstance(value, ctypes.Array):
            value = numpy.array(value)
        elif isinstance(value, bytes):
            value = text_of(value)
        result[name] = value
    return Values(**result)
