<!-- SPDX-FileCopyrightText: The Tactus authors -->
<!-- SPDX-License-Identifier: MIT -->
<!-- A soft ball inside its skin, a rigid crate and a hanging cloth, each with its own solver and its own step. -->
<tactus version="1" title="A soft ball, a rigid crate and a cloth, each on its own clock" dt="0.01" duration="4">
  <param name="young" default="30000" doc="Stiffness of the soft ball, in Pa."/>

  <!-- soft: tetrahedra inside, an implicit solver; what is seen is a finer skin that follows them -->
  <node name="ball">
    <ImplicitEuler damping_stiffness="0.005"/>
    <ConjugateGradient iterations="40" tolerance="1e-5"/>
    <Ball name="inside" divisions="8" radius="0.4"/>
    <Points translation="-0.75 1.5 0.1"/>
    <DiagonalMass density="500"/>
    <Tetrahedra young="${young}" poisson="0.4"/>
    <Plane stiffness="800" damping="4" friction="0.5"/>
    <node name="skin">
      <Sphere subdivisions="4" radius="0.4"/>
      <Points translation="-0.75 1.5 0.1"/>
      <BarycentricMap/>
      <Look color="0.85 0.33 0.22"/>
    </node>
  </node>

  <!-- rigid: one frame; its corners touch the ground through a map; explicit, at a step eight times finer -->
  <node name="crate">
    <SymplecticEuler step="0.00125"/>
    <Frames translation="0.7 1.2 0.3" rotation="25 10 40" velocities="-0.1 0 0 3 1 -2"/>
    <UniformMass mass="20" box="0.5 0.4 0.6"/>
    <node name="shape">
      <Box divisions="2" low="-0.25 -0.2 -0.3" high="0.25 0.2 0.3"/>
      <Points/>
      <RigidMap/>
      <Plane stiffness="20000" damping="150" friction="0.4"/>
      <Look color="0.22 0.45 0.68"/>
    </node>
  </node>

  <!-- cloth: springs along all edges, held at two corners -->
  <node name="cloth">
    <ImplicitEuler damping_stiffness="0.002"/>
    <Sheet divisions="24" across="16" width="1.5" depth="1"/>
    <Points translation="0 1.7 -0.6"/>
    <UniformMass total="0.3"/>
    <FixedPoints box="-0.76 1 -1.11 -0.74 2 -1.09  0.74 1 -1.11 0.76 2 -1.09"/>
    <Springs stiffness="120" damping="0.02"/>
    <Look color="0.93 0.72 0.30"/>
    <Probe name="corner" point="424" what="y"/>
  </node>

  <Camera eye="1.7 2.5 4.3" target="0 0.72 -0.2" field_of_view="32"/>
</tactus>
