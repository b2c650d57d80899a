# SPDX-FileCopyrightText: The Tactus authors
# SPDX-License-Identifier: MIT

"""Scenes: read from files or text, or built by calls; worlds are made from them. See include/tactus/scene.h."""

import ctypes

import numpy

from . import _c
from ._library import BadInput, Error, Missing, Owner, bytes_of, call, doubles, exception_of, ints, lib, make, text_of

LISTS_OF_REALS = (_c.TAC_REAL, _c.TAC_VECTOR, _c.TAC_REALS)


def value_text(value):
    """A value as a scene writes it."""
    if isinstance(value, Component):
        return "@" + value.path
    if isinstance(value, (bool, numpy.bool_)):
        return "true" if value else "false"
    if isinstance(value, (float, numpy.floating)):
        return repr(float(value))
    if isinstance(value, (str, int, numpy.integer)):
        return str(value)
    return " ".join(value_text(part) for part in numpy.asarray(value).ravel().tolist())


class Scene(Owner):
    """A tree of nodes and components. An empty one has a root and its World component."""

    _what = "the scene"

    def __init__(self, laws=(), plugins=()):
        self._handle_or_none = make(lib.tac_scene_create, lib.tac_scene_destroy)
        self._laws = []
        self._path = None  # of the file it was read from, while nothing else was done to it
        self._sets = []
        self._plugins = []
        for plugin in plugins:
            self.load_plugin(plugin)
        for law in laws:
            self.add_law(law)

    def __repr__(self):
        return "<Scene, closed>" if self.closed else f"<Scene: {len(self.nodes)} nodes>"

    # --- reading ------------------------------------------------------------------------------------------------

    @classmethod
    def read(cls, path, parameters=None, laws=(), plugins=()):
        """A scene file: .tac, .scn, .ca."""
        scene = cls(laws, plugins)
        scene._take_parameters(parameters)
        call(lib.tac_scene_read, scene._handle, bytes_of(path))
        scene._path = path
        return scene

    @classmethod
    def parse(cls, text, name="scene.tac", parameters=None, laws=(), plugins=()):
        """The same from a text; files that it names are looked for beside `name`."""
        scene = cls(laws, plugins)
        scene._take_parameters(parameters)
        data = text.encode() if isinstance(text, str) else bytes(text)
        call(lib.tac_scene_parse, scene._handle, bytes_of(name), data, len(data))
        return scene

    def _take_parameters(self, parameters):
        for name, value in (parameters or {}).items():
            text = value_text(value)
            call(lib.tac_scene_set_parameter, self._handle, bytes_of(name), bytes_of(text))
            self._sets.append(f"{name}={text}")

    def load_plugin(self, path):
        """A shared object with more classes. Only load what you trust: it is code."""
        call(lib.tac_scene_load_plugin, self._handle, bytes_of(path))
        self._plugins.append(path)

    def add_law(self, law):
        """A law written in Python: a subclass of tactus.Law. Scenes name it by its name from now on."""
        if not hasattr(law, "_c_class"):
            raise TypeError(f"{law!r} is not a subclass of tactus.Law")
        call(lib.tac_scene_add_class, self._handle, ctypes.byref(law._c_class()))
        self._laws.append(law)

    # --- building -----------------------------------------------------------------------------------------------

    @property
    def root(self):
        return Node(self, lib.tac_scene_root(self._handle))

    @property
    def settings(self):
        """The World component: dt, gravity, up, ..."""
        return Component(self, lib.tac_scene_world(self._handle))

    def set(self, path, value):
        """scene.set("/cloth/springs.stiffness", 400)"""
        call(lib.tac_scene_set_by_path, self._handle, bytes_of(f"{path}={value_text(value)}"))
        if self._path is not None:
            self._sets.append(f"{path}={value_text(value)}")

    def find(self, path):
        """The component at a path; None where there is none."""
        found = lib.tac_scene_find(self._handle, bytes_of(path))
        return Component(self, found) if found.index1 else None

    def find_node(self, path):
        found = lib.tac_scene_find_node(self._handle, bytes_of(path))
        return Node(self, found) if found.index1 else None

    def __getitem__(self, path):
        found = self.find(path) or self.find_node(path)
        if found is None:
            places = [place.path for node in self.nodes for place in (node, *node.components)]
            raise Missing("node or component", path, places)
        return found

    # --- looking ------------------------------------------------------------------------------------------------

    @property
    def nodes(self):
        """All, in the order of the tree."""
        count = lib.tac_scene_nodes(self._handle, None, 0)
        found = (_c.TacNodeId * count)()
        lib.tac_scene_nodes(self._handle, found, count)
        return [Node(self, node) for node in found]

    @property
    def messages(self):
        """What reading and compiling had to say: errors and remarks, as texts with their places."""
        count = lib.tac_scene_message_count(self._handle)
        return [str(exception_of(lib.tac_scene_message(self._handle, i).contents.error)) for i in range(count)]

    @property
    def parameters(self):
        """Those that the file declares: name to (value, default, text)."""
        found = {}
        for i in range(lib.tac_scene_parameter_count(self._handle)):
            info = lib.tac_scene_parameter(self._handle, i)
            value = info.value if info.value is not None else info.initial
            found[text_of(info.name)] = (text_of(value), text_of(info.initial), text_of(info.doc))
        return found

    @property
    def classes(self):
        """Names of all classes that this scene can name."""
        count = lib.tac_scene_class_count(self._handle)
        return [text_of(lib.tac_scene_class(self._handle, i).contents.name) for i in range(count)]

    def _collect(self, function, *arguments):
        pieces = []

        @_c.TacSink
        def sink(_, text, length):
            pieces.append(ctypes.string_at(text, length))
            return True

        if not function(self._handle, *arguments, sink, None):
            raise Error("the text could not be made")
        return b"".join(pieces).decode()

    def text(self):
        """The scene as a .tac file, with parameters and included files put in."""
        return self._collect(lib.tac_scene_write)

    def reference(self, name=None):
        """The reference page (Markdown) of a class, or of all."""
        if name is not None and name not in self.classes:
            raise BadInput(f"there is no component {name}")
        return self._collect(lib.tac_scene_reference, bytes_of(name) if name is not None else None)

    # --- worlds -------------------------------------------------------------------------------------------------

    def world(self, threads=1, seed=1, memory=0):
        """Compiles a world. The scene can be changed, compiled again or closed afterwards."""
        from .world import World

        return World(self, threads=threads, seed=seed, memory=memory)


class _Place:
    """A node or a component: a handle into a scene. Refused by the library once it is removed."""

    def __init__(self, scene, handle):
        self.scene, self._id = scene, handle

    def __eq__(self, other):
        same = type(other) is type(self) and other.scene is self.scene
        return same and (other._id.index1, other._id.generation) == (self._id.index1, self._id.generation)

    def __hash__(self):
        return hash((id(self.scene), self._id.index1, self._id.generation))

    def __repr__(self):
        return f"<{type(self).__name__} {self.path}>"

    def _handle_now(self):
        """The scene's handle, for calls that change it."""
        self.scene._path = None
        return self.scene._handle


class Node(_Place):
    @property
    def name(self):
        return text_of(lib.tac_scene_node_name(self.scene._handle, self._id))

    @property
    def parent(self):
        found = lib.tac_scene_node_parent(self.scene._handle, self._id)
        return Node(self.scene, found) if found.index1 else None

    @property
    def path(self):
        parent = self.parent
        return (parent.path.rstrip("/") + "/" + self.name) if parent else "/"

    @property
    def components(self):
        count = lib.tac_scene_components(self.scene._handle, self._id, None, 0)
        found = (_c.TacComponentId * count)()
        lib.tac_scene_components(self.scene._handle, self._id, found, count)
        return [Component(self.scene, component, self) for component in found]

    def add_node(self, name=None):
        made = _c.TacNodeId()
        given = bytes_of(name) if name is not None else None
        call(lib.tac_scene_add_node, self._handle_now(), self._id, given, ctypes.byref(made))
        return Node(self.scene, made)

    def add(self, class_name, name=None, **attributes):
        """node.add("Springs", "law", stiffness=400, pairs=[[0, 1], [1, 2]])

        `class_name` may also be a law written in Python, which the scene then takes in by itself.
        """
        if isinstance(class_name, type):
            if class_name not in self.scene._laws:
                self.scene.add_law(class_name)
            class_name = class_name._class_name()
        made = _c.TacComponentId()
        given = bytes_of(name) if name is not None else None
        call(lib.tac_scene_add, self._handle_now(), self._id, bytes_of(class_name), given, ctypes.byref(made))
        component = Component(self.scene, made, self)
        try:
            for attribute, value in attributes.items():
                component[attribute] = value
        except Exception:
            component.remove()
            raise
        return component

    def remove(self):
        call(lib.tac_scene_remove_node, self._handle_now(), self._id)


class Component(_Place):
    def __init__(self, scene, handle, node=None):
        super().__init__(scene, handle)
        self._node = node

    @property
    def exists(self):
        return lib.tac_scene_exists(self.scene._handle, self._id)

    @property
    def name(self):
        return text_of(lib.tac_scene_name(self.scene._handle, self._id))

    @property
    def class_name(self):
        found = lib.tac_scene_class_of(self.scene._handle, self._id)
        return text_of(found.contents.name) if found else None

    @property
    def node(self):
        if self._node is None:
            self._node = next((node for node in self.scene.nodes if self in node.components), None)
        return self._node

    @property
    def path(self):
        node = self.node
        return f"{node.path.rstrip('/')}/{self.name}" if node else None

    def _type_of(self, attribute):
        found = lib.tac_scene_class_of(self.scene._handle, self._id)
        for i in range(found.contents.attribute_count if found else 0):
            if text_of(found.contents.attributes[i].name) == attribute:
                return found.contents.attributes[i].type
        return None

    def __setitem__(self, attribute, value):
        """Texts as a scene file writes them; numbers, lists and arrays without a detour over text."""
        self.set(attribute, value)

    def set(self, attribute, value):
        scene, name = self._handle_now(), bytes_of(attribute)
        kind = self._type_of(attribute)
        if isinstance(value, (str, Component, bool)):
            call(lib.tac_scene_set, scene, self._id, name, bytes_of(value_text(value)))
        elif kind in LISTS_OF_REALS:
            array, pointer = doubles(value)
            call(lib.tac_scene_set_reals, scene, self._id, name, pointer, array.size)
        elif kind == _c.TAC_INTS:
            array, pointer = ints(value)
            call(lib.tac_scene_set_ints, scene, self._id, name, pointer, array.size)
        else:
            call(lib.tac_scene_set, scene, self._id, name, bytes_of(value_text(value)))

    def remove(self):
        call(lib.tac_scene_remove, self._handle_now(), self._id)


def load(path, laws=(), plugins=(), **parameters):
    """A scene file, with values for its parameters: tactus.load("chain.tac", n=20)"""
    return Scene.read(path, parameters, laws, plugins)


def parse(text, laws=(), plugins=(), **parameters):
    """A scene written in Python's source."""
    return Scene.parse(text, "scene.tac", parameters, laws, plugins)


__all__ = ["Component", "Node", "Scene", "load", "parse"]
