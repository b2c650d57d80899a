# SPDX-FileCopyrightText: The Tactus authors
# SPDX-License-Identifier: MIT

"""Tactus: physics simulation in which everything keeps its own clock.

    import tactus

    scene = tactus.load("examples/springs/chain.tac")
    world = scene.world()
    world.advance(1.0)
    print(world.time, world.energy.total, world.matter[0].positions)

docs/python.md has the tour. Everything is in SI units.
"""

from . import collide
from ._library import BadInput, BadUsage, Closed, Error, Missing, OutOfMemory, RunFailed, lib
from .law import Bool, Int, Ints, Law, LawFailed, Real, Reals, Text, Vector
from .mesh import Mesh
from .record import Frame, Recorder, Recording
from .scene import Component, Node, Scene, load, parse
from .viewing import View, view
from .world import Matter, Part, World

__version__ = lib.tac_version().decode()

__all__ = [
    "BadInput", "BadUsage", "Bool", "Closed", "Component", "Error", "Frame", "Int", "Ints", "Law", "LawFailed",
    "Matter", "Mesh", "Missing", "Node", "OutOfMemory", "Part", "Real", "Reals", "Recorder", "Recording", "RunFailed", "Scene",
    "Text", "Vector", "View", "World", "collide", "load", "parse", "view",
]  # fmt: skip
