# SPDX-FileCopyrightText: The Tactus authors
# SPDX-License-Identifier: MIT

"""A tour, in cells: run it whole, or cell by cell in an editor that knows `# %%`.

    PYTHONPATH=python python3 python/examples/tour.py

It measures a pendulum, writes a law of its own, fits a parameter to data, and makes a recording and pictures of it.
"""

# %% A scene, built by calls: a pendulum of one mass on a stiff spring

import math

import numpy as np

import tactus

LENGTH, GRAVITY = 1.0, 9.81


def pendulum(angle):
    scene = tactus.Scene()
    scene.settings["dt"] = 0.001
    scene.settings["gravity"] = (0, -GRAVITY, 0)
    node = scene.root.add_node("pendulum")
    node.add("SymplecticEuler")
    bob = (LENGTH * math.sin(angle), -LENGTH * math.cos(angle), 0)
    node.add("Points", "points", positions=[(0, 0, 0), bob])
    node.add("UniformMass", mass=1)
    node.add("FixedPoints", points=[0])
    node.add("Springs", pairs=[(0, 1)], stiffness=1e5, lengths=[LENGTH])
    return scene


# %% Time runs; the array shows where things are, without a copy

world = pendulum(angle=0.1).world()
x = world["/pendulum/points"].positions
times, swing = [], []
while world.time < 5:
    world.advance_beats(5)
    times.append(world.time)
    swing.append(x[1, 0])

crossings = np.nonzero(np.diff(np.sign(swing)))[0]
period = 2 * np.mean(np.diff(np.array(times)[crossings]))
expected = 2 * math.pi * math.sqrt(LENGTH / GRAVITY)
print(f"period {period:.4f} s, for small swings {expected:.4f} s")
assert abs(period / expected - 1) < 5e-3

# %% A law of one's own: air that drags with the square of the speed


class Air(tactus.Law):
    """Drag that grows with the square of the speed: F = -c |v| v."""

    c = tactus.Real(0.1, unit="kg/m", doc="How thick the air is.", range="not negative", live=True)

    def force(self, x, v, f, context):
        f -= self.c * np.linalg.norm(v, axis=1, keepdims=True) * v


scene = pendulum(angle=1.0)
scene["/pendulum"].add(Air, "air", c=0.3)
world = scene.world()
before = world.energy.total
world.advance(3)
print(f"air took {before - world.energy.total:.3f} J of what the swing had")
assert world.energy.total < before

# %% Trying parameters: which drag leaves a swing of 0.5 rad after 3 s? One world, one snapshot, many tries

scene = pendulum(angle=1.0)
scene["/pendulum"].add(Air, "air")
world = scene.world()
x, v = world["/pendulum/points"].positions, world["/pendulum/points"].velocities
start = world.save()


def largest_swing(drag):
    world.restore(start)
    world["/pendulum/air"]["c"] = drag
    world.advance(3)
    # what height would be reached from here, by energy
    height = x[1, 1] + LENGTH + (v[1] @ v[1]) / (2 * GRAVITY)
    return math.acos(1 - min(height, 2 * LENGTH) / LENGTH)


low, high = 0.0, 2.0
for _ in range(12):
    middle = 0.5 * (low + high)
    low, high = (middle, high) if largest_swing(middle) > 0.5 else (low, middle)
print(f"a drag of {0.5 * (low + high):.3f} kg/m leaves a swing of 0.5 rad")

# %% A recording, a plot of its energy, and pictures of it

world.restore(start)
world.record("pendulum.tacrec", fps=50, seconds=2)
recording = tactus.Recording("pendulum.tacrec")
kinetic = recording.channel("energy/kinetic")
print(f"{len(recording)} frames; fastest after {recording.times[kinetic.argmax()]:.2f} s")
recording.plot("energy", "pendulum-energy.png", width=600, height=400)
recording.render("pendulum.png", strip=4, width=240, height=240)

# %% And live, in the browser: view = tactus.view(scene) prints the address; view.close() ends it
