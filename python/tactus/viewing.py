# SPDX-FileCopyrightText: The Tactus authors
# SPDX-License-Identifier: MIT

"""The live view, in a thread beside Python. See include/tactus/view.h."""

import atexit
import ctypes
import os
import tempfile
import threading
import weakref

from . import _c
from ._library import Owner, bytes_of, call, lib, make, text_of
from .scene import Scene


_open = weakref.WeakSet()


@atexit.register
def _close_all():
    """Before Python shuts down: a thread that still serves could not end later."""
    for shown in list(_open):
        shown._end()


def _texts(values):
    return (ctypes.c_char_p * len(values))(*(bytes_of(value) for value in values))


class View(Owner):
    """Serves a scene (file or Scene) or a recording (file) until it is closed; `address` is where the page is.

    A Scene is shown as it is now, with laws written in Python too; what happens in the view stays there.
    """

    _what = "the view"

    def __init__(self, what, port=0, paused=False, speed=1.0, threads=1, seed=1, folder="."):
        self._file = None
        self._error = None
        self._thread = None
        definition = lib.tac_view_def_default()
        definition.port, definition.paused, definition.speed = port, paused, speed
        definition.threads, definition.seed = threads, seed
        definition.folder = bytes_of(folder)
        laws = ()
        if isinstance(what, Scene):
            laws = tuple(what._laws)
            path, sets = self._file_of(what)
            plugins = _texts(what._plugins)
            definition.plugins, definition.plugin_count = plugins, len(plugins)
            definition.sets, definition.set_count = sets, len(sets)
        else:
            path = what
        classes = (ctypes.POINTER(_c.TacClass) * len(laws))(*(ctypes.pointer(law._c_class()) for law in laws))
        definition.classes, definition.class_count = classes, len(laws)
        definition.path = bytes_of(path)
        try:
            self._handle_or_none = make(
                lib.tac_view_create, lib.tac_view_destroy, ctypes.byref(definition), keeps=laws
            )
        except Exception:
            self._remove_file()
            raise
        self._thread = threading.Thread(target=self._serve, args=(self._handle,), name="tactus view", daemon=True)
        self._thread.start()
        _open.add(self)

    def _file_of(self, scene):
        """The file that a scene was read from, or a new one where it was built or changed since."""
        if scene._path is not None:
            return scene._path, _texts(scene._sets)
        # beside us: files that it names are relative to the current folder
        folder = "." if os.access(".", os.W_OK) else None
        handle, self._file = tempfile.mkstemp(".tac", ".tactus-view-", folder)
        with os.fdopen(handle, "w") as file:
            file.write(scene.text())
        return self._file, _texts([])

    def _remove_file(self):
        if self._file is not None:
            os.unlink(self._file)
            self._file = None

    def _serve(self, handle):
        try:
            call(lib.tac_view_run, handle)
        except Exception as error:  # noqa: BLE001, told by close
            self._error = error

    @property
    def address(self):
        return text_of(lib.tac_view_address(self._handle))

    @property
    def running(self):
        return not self.closed and self._thread.is_alive()

    def close(self):
        """Ends it; raises what made it fail, if anything did. May be called again."""
        self._end()
        error, self._error = self._error, None
        if error is not None:
            raise error

    def _end(self):
        if self.closed:
            return
        lib.tac_view_stop(self._handle)
        self._thread.join()
        super().close()
        self._remove_file()

    def wait(self):
        """Until Ctrl-C."""
        try:
            while self._thread.is_alive():
                self._thread.join(0.2)
        except KeyboardInterrupt:
            pass
        self.close()

    def __del__(self):
        self._end()


def view(what, **options):
    """Shows a scene or a recording in the browser: prints the address, goes on at once. Close what it returns."""
    made = View(what, **options)
    print(made.address, flush=True)
    return made
