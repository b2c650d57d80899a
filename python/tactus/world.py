# SPDX-FileCopyrightText: The Tactus authors
# SPDX-License-Identifier: MIT

"""Worlds: time runs, state is read and written without copies, things are measured, touched, saved and recorded.

See include/tactus/world.h and contact.h. Positions and velocities are arrays on the world's own memory. They always
show the world as it is now: after every call that changes it they are brought up to date, as long as anybody holds one.
Where the number of points of matter changes (wires that adapt), ask for the array again: its shape is of its time.
"""

import ctypes
import math
import signal
import threading

import numpy

from . import _c
from ._library import (
    BadUsage,
    Error,
    Missing,
    Owner,
    RunFailed,
    array_at,
    bytes_of,
    call,
    doubles,
    exception_of,
    lib,
    make,
    text_of,
    to_free,
    values_of,
    vector,
)
from .law import LawFailed, collecting_failures
from .record import Frame, Recorder
from .scene import value_text

MATTER_KINDS = [text_of(lib.tac_matter_kind_name(kind)) for kind in range(_c.TAC_MATTER_KINDS)]
INPUT_KINDS = "grab drag release pin unpin sphere camera select".split()
_STOP = _c.CFUNCTYPE(ctypes.c_bool, ctypes.c_void_p)


KINDS_OF_EVENT = {
    _c.TAC_CONTACT_BEGINS: "begins",
    _c.TAC_CONTACT_ENDS: "ends",
    _c.TAC_LINKS_CHANGE: "links",
    _c.TAC_AGENT_SLEEPS: "sleeps",
    _c.TAC_AGENT_WAKES: "wakes",
    _c.TAC_TRIGGER_FIRES: "fires",
    _c.TAC_AGENT_MERGES: "merges",
    _c.TAC_AGENT_PARTS: "parts",
}


class World(Owner):
    """World(scene) compiles a scene; threads=0 takes as many as there are cores. The result does not depend on it."""

    _what = "the world"

    def __init__(self, scene, threads=1, seed=1, memory=0):
        definition = lib.tac_world_def_default()
        definition.threads, definition.seed, definition.memory = threads, seed, memory
        self._failures = []  # exceptions of laws written in Python
        keeps = tuple(scene._laws)
        with collecting_failures(self._failures):
            try:
                self._handle_or_none = make(
                    lib.tac_world_create, lib.tac_world_destroy, scene._handle, ctypes.byref(definition), keeps=keeps
                )
            except Error as error:
                self._raise(error)

    def __repr__(self):
        return "<World, closed>" if self.closed else f"<World at {self.time:g} s>"

    # --- time ---------------------------------------------------------------------------------------------------

    def _raise(self, error=None):
        """Raises the exception of a law, where that is what stopped the library; otherwise the library's, if any."""
        if self._failures:
            cause, self._failures[:] = self._failures[0], []
            raise LawFailed(f"a law failed: {type(cause).__name__}: {cause}") from cause
        if error is not None:
            raise error

    def _run(self, function, *arguments):
        handle = self._handle
        interrupts = Interrupts(handle)
        try:
            call(function, handle, *arguments)
        except RunFailed as error:
            self._raise(error)
        finally:
            interrupts.done()
            self._refresh()
        self._raise()
        interrupts.deliver()

    def _refresh(self):
        """Brings arrays that somebody holds up to date."""
        handle = self._handle
        if len(handle.shown) and lib.tac_world_matter_count(handle):
            lib.tac_world_positions(handle, lib.tac_world_matter(handle, 0))

    def advance(self, seconds):
        """Lets time run. Ctrl-C ends it between two instants."""
        self._run(lib.tac_world_advance, seconds)

    def advance_beats(self, beats=1):
        self._run(lib.tac_world_advance_beats, beats)

    def advance_to_frame(self, fps, n):
        """To the n-th frame of this rate: exact, without drift."""
        self._run(lib.tac_world_advance_to_frame, fps, n)

    def frames(self, fps=None, seconds=None):
        """for time in world.frames(): advances frame by frame, the first of which is the one of now."""
        fps = fps or self.fps or 30
        seconds = self.duration if seconds is None else seconds
        first = math.ceil(self.time * fps - 1e-9)
        last = math.floor((self.time + seconds) * fps + 1e-9)
        for n in range(first, last + 1):
            self.advance_to_frame(fps, n)
            yield self.time

    @property
    def time(self):
        return lib.tac_world_time(self._handle)

    @property
    def tick(self):
        return lib.tac_world_tick(self._handle)

    @property
    def beat(self):
        """s, the scene's dt"""
        return lib.tac_world_beat(self._handle)

    @property
    def title(self):
        return text_of(lib.tac_world_title(self._handle))

    @property
    def fps(self):
        return lib.tac_world_fps(self._handle)

    @property
    def duration(self):
        return lib.tac_world_duration(self._handle)

    # --- parts --------------------------------------------------------------------------------------------------

    @property
    def matter(self):
        """All matter, in the order of the tree."""
        handle = self._handle
        count = lib.tac_world_matter_count(handle)
        return [Matter(self, lib.tac_world_matter(handle, i)) for i in range(count)]

    def __getitem__(self, path):
        """world["/cloth/points"]: matter, or another component."""
        handle = self._handle
        found = lib.tac_world_find(handle, bytes_of(path))
        if not found.index1:
            raise Missing("component", path, [matter.path for matter in self.matter])
        kind = Matter if lib.tac_world_positions(handle, found) else Part
        return kind(self, found)

    # --- measures -----------------------------------------------------------------------------------------------

    def _measured(self, result):
        self._raise()
        return values_of(result)

    @property
    def energy(self):
        """J: kinetic, weight, elastic, contact, total."""
        return self._measured(lib.tac_world_energy(self._handle))

    @property
    def momentum(self):
        """linear (kg m/s), and angular about the origin (kg m^2/s)"""
        return self._measured(lib.tac_world_momentum(self._handle))

    @property
    def hash(self):
        """Of all state: two runs that agree here agree in every bit."""
        return lib.tac_world_hash(self._handle)

    @property
    def stats(self):
        return values_of(lib.tac_world_stats(self._handle))

    @property
    def agents(self):
        """Agents, then laws on their own clock."""
        stats = lib.tac_world_stats(self._handle)
        return [values_of(lib.tac_world_agent(self._handle, i)) for i in range(stats.agents + stats.free_laws)]

    @property
    def delay(self):
        """How far apart agents are in time under the loose scheduler, since this was last asked."""
        return values_of(lib.tac_world_delay(self._handle))

    def margins(self):
        """How near the masses of explicit agents are to the limit of their steps."""
        rows, count = ctypes.POINTER(_c.TacMargin)(), ctypes.c_size_t()
        call(lib.tac_world_margins, self._handle, ctypes.byref(rows), ctypes.byref(count))
        taken = to_free(rows)
        result = []
        for i in range(count.value):
            row = values_of(rows[i])
            row.matter = Matter(self, row.matter)
            result.append(row)
        del taken
        return result

    def listen(self):
        """What the Listen components hear now."""
        heard = numpy.zeros(lib.tac_world_listen_count(self._handle))
        lib.tac_world_listen(self._handle, heard.ctypes.data_as(ctypes.POINTER(ctypes.c_double)))
        return heard

    # --- contact ------------------------------------------------------------------------------------------------

    @property
    def contact_stats(self):
        """What safe contact did so far."""
        return values_of(lib.tac_world_contact_stats(self._handle))

    @property
    def contact_count(self):
        """How many contact points push now."""
        return lib.tac_world_contact_count(self._handle)

    @property
    def contact_table(self):
        """What holds where two materials meet, and where two models do that a ContactPair names."""
        return self._rows(lib.tac_world_contact_row, _c.TacContactRow())

    @property
    def contact_models(self):
        """Whom each collision model may touch."""
        return self._rows(lib.tac_world_contact_model, _c.TacContactModel())

    def _rows(self, function, row):
        rows = []
        while function(self._handle, len(rows), ctypes.byref(row)):
            rows.append(values_of(row))
        return rows

    def audit(self):
        """From now on everything is checked for having passed through something. Only with safe contact. Slow."""
        call(lib.tac_world_audit, self._handle)

    @property
    def audit_summary(self):
        return values_of(lib.tac_world_audit_summary(self._handle))

    @property
    def violations(self):
        """Those of the audit, in words."""
        text = ctypes.create_string_buffer(1024)
        listed = lib.tac_world_audit_summary(self._handle).listed
        return [text_of(lib.tac_world_audit_violation(self._handle, i, text, 1024)) for i in range(listed)]

    def events(self, most=4096):
        """Takes what happened off the world's list, oldest first: what began and ended to touch, with the paths of
        the models, and what else `kind` names, with that of `who`."""
        found = (_c.TacContactEvent * most)()
        lost = ctypes.c_uint64()
        count = lib.tac_world_events(self._handle, found, most, ctypes.byref(lost))
        events = []
        for i in range(count):
            event = values_of(found[i])
            event.kind = KINDS_OF_EVENT[event.kind]
            touches = event.kind in ("begins", "ends")
            for side in ("model_a", "model_b"):
                model = lib.tac_world_collision_model(self._handle, getattr(event, side))
                setattr(event, side, text_of(lib.tac_world_path(self._handle, model)) if touches else None)
            event.who = None if touches else text_of(lib.tac_world_path(self._handle, found[i].who))
            events.append(event)
        return events

    # --- snapshots ----------------------------------------------------------------------------------------------

    def save(self):
        """All state, as bytes."""
        data = bytearray(lib.tac_world_snapshot_size(self._handle))
        buffer = (ctypes.c_char * len(data)).from_buffer(data)
        call(lib.tac_world_save, self._handle, ctypes.addressof(buffer), len(data))
        return data

    def restore(self, data):
        """State that a world of the same scene saved; going on from it gives the same bits."""
        try:
            array = numpy.frombuffer(data, numpy.uint8)
            call(lib.tac_world_restore, self._handle, array.ctypes.data, array.size)
        finally:
            self._failures.clear()
            self._refresh()

    # --- touching -----------------------------------------------------------------------------------------------

    def grab(self, matter, point, target=None, strength=100.0, hand=0):
        """A hand pulls a point towards the target by a spring of this strength, N/m."""
        place = matter.positions[point][:3] if target is None else target
        call(lib.tac_world_grab, self._handle, hand, matter._id, _index(point), vector(place), strength)

    def drag(self, target, hand=0):
        call(lib.tac_world_drag, self._handle, hand, vector(target))

    def release(self, velocity=None, hand=0):
        given = ctypes.byref(vector(velocity)) if velocity is not None else None
        call(lib.tac_world_release, self._handle, hand, given)

    def pin(self, matter, point):
        call(lib.tac_world_pin, self._handle, matter._id, _index(point))

    def unpin(self, matter, point):
        call(lib.tac_world_unpin, self._handle, matter._id, _index(point))

    def sphere(self, center=(0, 0, 0), radius=0.0):
        """A solid sphere that pushes all points out of it; a radius of 0 takes it away."""
        call(lib.tac_world_sphere, self._handle, vector(center), radius)

    def hand_force(self, hand=0):
        """(force, place) of what a hand holds, N and m; None where it holds nothing."""
        force, place = _c.TacVec3(), _c.TacVec3()
        if not lib.tac_world_hand_force(self._handle, hand, ctypes.byref(force), ctypes.byref(place)):
            return None
        return numpy.array([force.x, force.y, force.z]), numpy.array([place.x, place.y, place.z])

    @property
    def inputs(self):
        """All inputs so far: hands, pins, the sphere."""
        count = ctypes.c_size_t()
        found = lib.tac_world_inputs(self._handle, ctypes.byref(count))
        inputs = [values_of(found[i]) for i in range(count.value)]
        for given in inputs:
            given.kind = INPUT_KINDS[given.kind]
            given.component = text_of(lib.tac_world_path(self._handle, given.component))
        return inputs

    def save_inputs(self, path):
        """Writes all inputs so far to a file (.tacin)."""
        call(lib.tac_world_save_inputs, self._handle, bytes_of(path))

    def replay_inputs(self, path):
        """From now on gives the inputs of a file at their ticks, while time runs."""
        call(lib.tac_world_replay_inputs, self._handle, bytes_of(path))

    # --- recording ----------------------------------------------------------------------------------------------

    def frame(self):
        """The frame of now, as a recording would hold it: arrays on the world's memory."""
        definition = self._recording_def()
        frame = lib.tac_world_frame(self._handle)
        self._raise()
        return Frame(frame.contents, definition.contents, self._handle)

    def _recording_def(self):
        error = _c.TacError()
        definition = lib.tac_world_recording_def(self._handle, ctypes.byref(error))
        if not definition:
            raise exception_of(error)
        return definition

    def recorder(self, path):
        """with world.recorder("out.tacrec") as recorder: ... recorder.frame()"""
        return Recorder(path, self)

    def record(self, path, fps=None, seconds=None):
        """Runs for the scene's duration, or for so long, and records it."""
        with self.recorder(path) as recorder:
            for _ in self.frames(fps, seconds):
                recorder.frame()

    def close(self):
        """Gives the world back. Arrays that somebody still holds stay readable; everything else raises."""
        super().close()


class Interrupts:
    """Ctrl-C while the library runs: noted, so that time stops between two instants; then handled as ever.

    An exception cannot pass through the library, and one that a signal raises inside of a law would be lost with the
    force it made. So the handler is exchanged for one that raises nothing. Only the main thread hears of signals.
    """

    def __init__(self, handle):
        self._handle, self._noted, self._before = handle, False, None
        before = signal.getsignal(signal.SIGINT)
        if threading.current_thread() is not threading.main_thread() or not callable(before):
            return
        self._before = before
        self._callback = _STOP(lambda _: self._noted)
        signal.signal(signal.SIGINT, self._note)
        lib.tac_world_stop_when(handle, self._callback, None)

    def _note(self, *_):
        self._noted = True

    def done(self):
        if self._before is not None:
            lib.tac_world_stop_when(self._handle, _STOP(), None)
            signal.signal(signal.SIGINT, self._before)

    def deliver(self):
        if self._noted:
            self._before(signal.SIGINT, None)


def _index(point):
    if point < 0:
        raise BadUsage(f"there is no point {point}")
    return int(point)


class Part:
    """A component of a world."""

    def __init__(self, world, handle):
        self.world, self._id = world, handle

    @property
    def path(self):
        return text_of(lib.tac_world_path(self.world._handle, self._id))

    def __repr__(self):
        return f"<{type(self).__name__} {self.path}>"

    def __setitem__(self, attribute, value):
        """Changes an attribute that may change while time runs."""
        text = bytes_of(value_text(value))
        call(lib.tac_world_set, self.world._handle, self._id, bytes_of(attribute), text)

    def __getitem__(self, attribute):
        """An attribute as a scene would write it, as it is now."""
        size = 4096
        while size <= 1 << 28:
            text = ctypes.create_string_buffer(size)
            if lib.tac_world_text(self.world._handle, self._id, bytes_of(attribute), text, size):
                return text_of(text.value)
            if not text.value:
                break
            size *= 16
        raise Missing(f"attribute of {self.path}:", attribute)

    def reals(self, attribute):
        """An output attribute or list of numbers, without a copy."""
        handle = self.world._handle
        found = lib.tac_world_reals(handle, self._id, bytes_of(attribute))
        return array_at(found.data, (found.count,), handle)


class Matter(Part):
    """Points or frames: arrays of one row each."""

    @property
    def kind(self):
        """"Vec3", "Rigid3", ..."""
        return MATTER_KINDS[lib.tac_world_kind(self.world._handle, self._id)]

    @property
    def count(self):
        return lib.tac_world_point_count(self.world._handle, self._id)

    def __len__(self):
        return self.count

    def _sizes(self):
        kind = lib.tac_world_kind(self.world._handle, self._id)
        return lib.tac_position_size(kind), lib.tac_velocity_size(kind)

    @property
    def positions(self):
        """On the world's memory, read-only; assign to put the matter elsewhere."""
        handle = self.world._handle
        return array_at(lib.tac_world_positions(handle, self._id), (self.count, self._sizes()[0]), handle)

    @positions.setter
    def positions(self, values):
        self.set_state(positions=values)

    @property
    def velocities(self):
        handle = self.world._handle
        return array_at(lib.tac_world_velocities(handle, self._id), (self.count, self._sizes()[1]), handle)

    @velocities.setter
    def velocities(self, values):
        self.set_state(velocities=values)

    @property
    def forces(self):
        """Of all laws of its agent at its last kick, N (and N m); None where it is mapped."""
        handle = self.world._handle
        return array_at(lib.tac_world_forces(handle, self._id), (self.count, self._sizes()[1]), handle)

    def set_state(self, positions=None, velocities=None):
        """Puts matter elsewhere, from now on. None leaves positions or velocities as they are."""
        position_size, velocity_size = self._sizes()
        x = v = x_at = v_at = None
        if positions is not None:
            x, x_at = doubles(positions, self.count * position_size, "positions")
        if velocities is not None:
            v, v_at = doubles(velocities, self.count * velocity_size, "velocities")
        call(lib.tac_world_set_state, self.world._handle, self._id, x_at, v_at)
        self.world._refresh()


__all__ = ["Matter", "Part", "World"]
