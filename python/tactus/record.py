# SPDX-FileCopyrightText: The Tactus authors
# SPDX-License-Identifier: MIT

"""Recordings: read frame by frame as arrays, written, exported, plotted, drawn. See include/tactus/record.h.

A frame that somebody holds never changes: it stands on the memory of a reader of its own. A few readers are kept and
used again; who holds more frames than that gets copies.
"""

import ctypes
import weakref

import numpy

from . import _c
from ._library import Closed, Missing, Owner, array_at, bytes_of, call, lib, make, text_of, values_of

MOST_READERS = 8


class Mesh:
    """The elements drawn between a track's points."""

    def __init__(self, mesh, owner):
        for name, corners in (("triangles", 3), ("edges", 2), ("tetrahedra", 4)):
            found = getattr(mesh, name)
            setattr(self, name, array_at(found.data, (found.count // corners, corners), owner, numpy.int32))


class TrackFrame:
    """One track in one frame: time, positions, velocities (None where they were not recorded)."""

    def __init__(self, track, kind, owner, copy):
        def take(pointer, size):
            array = array_at(pointer, (track.count, size), owner) if pointer or not track.count else None
            return array.copy() if copy and array is not None else array

        self.time = track.time
        self.positions = take(track.positions, lib.tac_position_size(kind))
        self.velocities = take(track.velocities, lib.tac_velocity_size(kind))


class Frame:
    """time, channels by name, and frame["/cloth/points"] for every track."""

    def __init__(self, frame, definition, owner, copy=False):
        self.time = frame.time
        self.channels = {
            text_of(definition.channels[i].name): frame.channels[i] for i in range(definition.channel_count)
        }
        self.tracks = {
            text_of(definition.tracks[i].name): TrackFrame(frame.tracks[i], definition.tracks[i].kind, owner, copy)
            for i in range(definition.track_count)
        }

    def __getitem__(self, track):
        if track not in self.tracks:
            raise Missing("track", track, self.tracks)
        return self.tracks[track]

    def __repr__(self):
        return f"<Frame at {self.time:g} s: {', '.join(self.tracks)}>"


class _Use:
    """A frame's hold on a reader: arrays refer to it; the reader is free again when nobody does."""

    def __init__(self, reader):
        self.reader = reader


class Recording(Owner):
    """Recording("run.tacrec"): len(), frames by number, times, channels over time."""

    _what = "the recording"

    def __init__(self, path):
        self._path = bytes_of(path)
        self._handle_or_none = self._open()
        self._uses = [(self._handle_or_none, None)]  # readers, and who uses them

    def _open(self):
        return make(lib.tac_recording_open, lib.tac_recording_close, self._path)

    @property
    def _def(self):
        return lib.tac_recording_def(self._handle).contents

    def close(self):
        super().close()
        self._uses = []

    # --- what is in it ------------------------------------------------------------------------------------------

    def __len__(self):
        return lib.tac_recording_frame_count(self._handle)

    @property
    def times(self):
        handle = self._handle
        return numpy.array([lib.tac_recording_frame_time(handle, i) for i in range(len(self))])

    @property
    def tracks(self):
        """What was recorded of every matter, by its path: kind, most points, radius, color, ..."""
        found = {}
        for i in range(self._def.track_count):
            track = self._def.tracks[i]
            found[text_of(track.name)] = _described(track, self._handle)
        return found

    @property
    def channels(self):
        """Units, by the names of channels."""
        definition = self._def
        return {
            text_of(definition.channels[i].name): text_of(definition.channels[i].unit)
            for i in range(definition.channel_count)
        }

    @property
    def scene(self):
        return text_of(self._def.scene)

    @property
    def beat(self):
        return self._def.beat

    @property
    def fps(self):
        return self._def.fps

    @property
    def damage(self):
        """None where the file is whole; otherwise what is missing."""
        return text_of(lib.tac_recording_damage(self._handle))

    # --- frames -------------------------------------------------------------------------------------------------

    def _reader(self):
        """A reader that nobody uses, and its place in the list; a fresh one without a place when all are in use."""
        for i, (reader, use) in enumerate(self._uses):
            if use is None or use() is None:
                return reader, i
        if len(self._uses) < MOST_READERS:
            self._uses.append((self._open(), None))
            return self._uses[-1][0], len(self._uses) - 1
        return self._open(), None

    def __getitem__(self, number):
        if isinstance(number, slice):
            return [self[i] for i in range(*number.indices(len(self)))]
        count = len(self)
        if not -count <= number < count:
            raise IndexError(f"frame {number} of {count}")
        reader, place = self._reader()
        found = ctypes.POINTER(_c.TacFrame)()
        call(lib.tac_recording_frame, reader, number % count, ctypes.byref(found))
        use = _Use(reader)
        if place is not None:
            self._uses[place] = (reader, weakref.ref(use))
        return Frame(found.contents, self._def, use, copy=place is None)

    def __iter__(self):
        return (self[i] for i in range(len(self)))

    def mesh(self, track, number=0):
        """The elements of a track at a frame; of its own memory."""
        names = list(self.tracks)
        if track not in names:
            raise Missing("track", track, names)
        reader = self._open()
        found = ctypes.POINTER(_c.TacFrame)()
        call(lib.tac_recording_frame, reader, number, ctypes.byref(found))
        return Mesh(lib.tac_recording_mesh(reader, names.index(track)).contents, reader)

    def channel(self, name):
        """One channel over all frames."""
        if name not in self.channels:
            raise Missing("channel", name, self.channels)
        return numpy.array([frame.channels[name] for frame in self])

    def positions(self, track):
        """All frames of a track with a constant number of points, as one new array: frame, point, number."""
        return numpy.stack([frame[track].positions.copy() for frame in self])

    # --- what can be made of it ---------------------------------------------------------------------------------

    def export(self, path):
        """.obj, .pvd, .usda, .csv, or a folder ending in /"""
        call(lib.tac_recording_export, self._handle, bytes_of(path), _c.TacProgress(), None)

    def plot(self, what, path, **options):
        """plot("energy", "energy.png", dark=True): options as in TacPlotDef"""
        definition = lib.tac_plot_def_default()
        definition.what = bytes_of(what)
        _take(definition, options)
        call(lib.tac_recording_plot, self._handle, ctypes.byref(definition), bytes_of(path))

    def render(self, path, **options):
        """render("picture.png", at=1.0, width=640): options as in TacRenderDef"""
        definition = lib.tac_render_def_default()
        _take(definition, options)
        call(lib.tac_recording_render, self._handle, ctypes.byref(definition), bytes_of(path), _c.TacProgress(), None)

    def compare(self, other):
        """How far two recordings are apart: same, first_frame, frames, tracks."""
        difference = _c.TacDifference()
        call(lib.tac_recording_compare, self._handle, other._handle, ctypes.byref(difference))
        try:
            result = values_of(difference)
            result.tracks = {
                text_of(difference.tracks[i].name): values_of(difference.tracks[i])
                for i in range(difference.track_count)
            }
            return result
        finally:
            lib.tac_difference_destroy(ctypes.byref(difference))


def _described(track, owner):
    result = values_of(track)
    result.kind = text_of(lib.tac_matter_kind_name(track.kind))
    result.mesh = Mesh(track.mesh, owner)
    result.radii = array_at(track.radii.data, (track.radii.count,), owner)
    return result


def _take(definition, options):
    fields = {name for name, _ in definition._fields_}
    for name, value in options.items():
        if name not in fields:
            raise TypeError(f"{name} is not an option: {', '.join(sorted(fields))}")
        setattr(definition, name, value.encode() if isinstance(value, str) else value)


class Recorder(Owner):
    """Writes a world's frames: with Recorder("run.tacrec", world) as recorder: ... recorder.frame()"""

    _what = "the recorder"

    def __init__(self, path, world):
        self._world = world
        handle = ctypes.c_void_p()
        definition = world._recording_def()
        call(lib.tac_recorder_open, ctypes.byref(handle), bytes_of(path), definition)
        self._recorder = handle
        # the definition is the world's: its memory must stay
        self._keeps = world._handle

    def frame(self):
        """Writes the frame of now."""
        if self.closed:
            raise Closed("the recorder is closed")
        frame = lib.tac_world_frame(self._world._handle)
        self._world._raise()
        call(lib.tac_recorder_frame, self._recorder, frame)

    @property
    def bytes(self):
        """Written so far."""
        if self.closed:
            raise Closed("the recorder is closed")
        return lib.tac_recorder_bytes(self._recorder)

    @property
    def closed(self):
        return self._recorder is None

    def close(self):
        """Writes the index and closes. Failing to do so raises."""
        recorder, self._recorder = self._recorder, None
        if recorder is not None:
            call(lib.tac_recorder_close, recorder)
        self._keeps = None

    def __del__(self):
        if getattr(self, "_recorder", None) is not None:
            lib.tac_recorder_close(self._recorder, None)


__all__ = ["Frame", "Recorder", "Recording"]
