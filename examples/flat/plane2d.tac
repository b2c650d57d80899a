<!-- SPDX-FileCopyrightText: The Tactus authors -->
<!-- SPDX-License-Identifier: MIT -->
<!-- Worlds need not be of three dimensions, and kinds of matter may be mixed: points in the plane (Vec2), a rigid frame in
     the plane (Rigid2) that carries the corners of a plank, and a point on a line (Vec1), all in one scene. -->
<tactus version="1" title="Flat things: a sheet, a plank and an oscillator" dt="0.01" duration="5">
  <!-- Vec2: a sheet between two nails -->
  <node name="sheet">
    <ImplicitEuler/>
    <Grid counts="13 7 1" low="-1.2 1 0" high="1.2 1.7 0" split="true"/>
    <Points dimension="2"/>
    <UniformMass total="0.5"/>
    <FixedPoints points="78 90"/>
    <Springs stiffness="60" damping="0.05"/>
    <Look color="0.26 0.47 0.66"/>
  </node>

  <!-- Rigid2: x, y and an angle; its corners touch the ground -->
  <node name="plank">
    <SymplecticEuler step="0.00125"/>
    <Frames dimension="2" positions="0.3 0.4 0.6" velocities="0 0 -2"/>
    <UniformMass mass="2" box="0.7 0.14 1"/>
    <node name="shape">
      <Mesh at="-0.35 -0.07 0  0.35 -0.07 0  0.35 0.07 0  -0.35 0.07 0" with_quads="0 1 2 3"/>
      <Points dimension="2"/>
      <RigidMap/>
      <Plane offset="-0.3" stiffness="3000" damping="15" friction="0.3"/>
      <Look color="0.80 0.52 0.28"/>
    </node>
  </node>

  <!-- Vec1: one number is enough for a mass on a spring; it lives on the x axis and falls along nothing -->
  <node name="oscillator">
    <SymplecticEuler/>
    <Points dimension="1" positions="-1.1 -0.6"/>
    <UniformMass mass="0.5"/>
    <FixedPoints points="0"/>
    <!-- omega = sqrt(k/m) = 2 pi: one swing a second -->
    <Springs pairs="0 1" stiffness="19.739208802178716" lengths="0.3"/>
    <Look color="0.75 0.28 0.24" radius="0.04"/>
    <Probe name="x" point="1" what="x"/>
  </node>
</tactus>
