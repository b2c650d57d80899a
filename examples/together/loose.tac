<!-- SPDX-FileCopyrightText: The Tactus authors -->
<!-- SPDX-License-Identifier: MIT -->
<!-- The same kind of world, live: the loose scheduler gives each agent its own time and lets it sleep, contact is loose. A cloth by
     implicit Euler, polyhedra by symplectic Euler, a soft block with balls on its points, a box on an adaptive wire under Spook, and an
     agglomerate. A trigger drops the box when the run is a second old; another ends the run two seconds after it has landed.
     Try: tactus view loose.tac -->
<tactus version="1" title="One world, live: each on its own time" dt="0.005" duration="4" scheduler="loose">
  <Contact method="loose" friction="0.5"/>

  <node name="ground">
    <Frames positions="0 -0.1 0 0 0 0 1"/>
    <FixedPoints points="0"/>
    <Shape name="model" shape="box" size="3 0.2 2"/>
    <node name="shape"><Box low="-1.5 -0.1 -1" high="1.5 0.1 1"/><Points/><RigidMap/><Look color="0.55 0.57 0.60"/></node>
  </node>

  <node name="cloth">
    <ImplicitEuler damping_mass="0.5"/>
    <Sheet divisions="12" width="0.7" depth="0.7" translation="-0.5 0.4 0"/>
    <Points/>
    <UniformMass total="0.2"/>
    <Springs stiffness="300" damping="0.3"/>
    <FixedPoints points="0 12 156 168"/>
    <Balls name="model" radius="0.035" self="false"/>
    <Look color="0.80 0.30 0.24"/>
  </node>

  <node name="ball">
    <SymplecticEuler step="0.00125"/>
    <Frames positions="-0.45 0.8 0.05 0 0 0 1"/>
    <UniformMass mass="0.1" inertia="0.0004 0.0004 0.0004"/>
    <Shape name="model" shape="sphere" radius="0.1"/>
    <node name="shape"><Sphere radius="0.1" subdivisions="2"/><Points/><RigidMap/><Look color="0.56 0.42 0.66"/></node>
  </node>
  <node name="cube">
    <SymplecticEuler name="solver" step="0.00125"/>
    <Agent adaptive="true" rest="true"/>
    <Frames positions="0.9 0.12 0.3 0 0 0 1"/>
    <UniformMass mass="0.5" box="0.2 0.2 0.2"/>
    <Shape name="model" shape="box" size="0.2 0.2 0.2"/>
    <node name="shape"><Box low="-0.1 -0.1 -0.1" high="0.1 0.1 0.1"/><Points/><RigidMap/><Look color="0.28 0.32 0.38"/></node>
  </node>

  <node name="block">
    <ImplicitEuler damping_stiffness="0.01"/>
    <SparseDirect/>
    <Grid counts="3 3 3" low="0.1 0.06 -0.15" high="0.4 0.3 0.15" split="true"/>
    <Points/>
    <UniformMass total="1"/>
    <Tetrahedra young="20000" poisson="0.3"/>
    <Balls name="model" radius="0.05" self="false"/>
    <Look color="0.33 0.60 0.45"/>
  </node>

  <node name="hung">
    <Spook/>
    <node name="box">
      <Frames positions="0.7 0.5 -0.3 0 0 0 1"/>
      <UniformMass mass="1" box="0.2 0.2 0.2"/>
      <Shape name="model" shape="box" size="0.2 0.2 0.2"/>
      <node name="shape"><Box low="-0.1 -0.1 -0.1" high="0.1 0.1 0.1"/><Points/><RigidMap/><Look color="0.25 0.48 0.70"/></node>
    </node>
    <node name="hook">
      <Frames positions="0.7 0.65 -0.3 0 0 0 1"/>
      <UniformMass mass="0.2" box="0.05 0.05 0.05"/>
      <LockJoint name="hitch" other="@../box/frames"/>
    </node>
    <node name="wire">
      <Line divisions="16" from="1 1.3 -0.3" to="0.7 0.65 -0.3"/>
      <Points/>
      <Wire mass="0.1" end="@../hook/frames"/>
      <FixedPoints points="0"/>
      <Look radius="0.008"/>
      <OutputProbe name="tension" of="@wire" what="resolution" index="2"/>
    </node>
  </node>

  <node name="poured">
    <SymplecticEuler step="0.00125"/>
    <Points positions="0.20 0.50 0  0.27 0.50 0  0.235 0.50 0.06  0.235 0.56 0.02
                       -0.55 1.10 0  -0.48 1.10 0  -0.515 1.10 0.06  -0.515 1.16 0.02"/>
    <UniformMass mass="0.02"/>
    <Liaisons fit="lennard-jones" depth="0.01" distance="0.07" exponent="4" viscosity="0.1"/>
    <Balls name="model" radius="0.03"/>
    <Look color="0.90 0.68 0.28" radius="0.03"/>
  </node>

  <ContactProbe name="on_ground" model="@ground/model"/>
  <Trigger name="drop" when="time" value="1" then="open" what="@hung/hook/hitch"/>
  <Trigger name="landed" after="@drop" when="contact" model="@hung/box/model" other="@ground/model" delay="2" then="stop"/>
  <Camera eye="0.8 1.3 3" target="0.1 0.35 0" field_of_view="38"/>
  <Record fps="30"/>
</tactus>
