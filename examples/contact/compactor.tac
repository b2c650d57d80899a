<!-- SPDX-FileCopyrightText: The Tactus authors -->
<!-- SPDX-License-Identifier: MIT -->
<!-- A trash compactor: a floor and four walls, two of which close. Inside lie a soft ball of tetrahedra, a rigid crate,
     a rigid ring from a file, a crumpled cloth and two balls. Walls pass through each other; nothing else does. -->
<tactus version="1" title="A trash compactor" dt="0.01" duration="0.6">
  <param name="time" default="0.6" doc="How long the walls take, in s."/>
  <param name="stroke" default="0.1" doc="How far each of the two walls comes, in m."/>
  <param name="cells" default="5" doc="Cells along the soft ball's diameter."/>
  <param name="cloth" default="8" doc="Pieces along each side of the cloth."/>

  <Contact thickness="0.004" friction="0.3" restitution="0.2"/>

  <node name="floor">
    <Sheet divisions="1" width="0.9" depth="0.5" rotation="0 0 0" translation="0 0 0"/>
    <Points/>
    <Skin/>
    <Look color="0.6 0.62 0.65" opacity="1"/>
  </node>
  <node name="left">
    <Sheet divisions="1" width="0.6" depth="0.5" rotation="0 0 90" translation="-0.3 0.25 0"/>
    <Points/>
    <ScriptedMotion times="0 ${time}" offsets="0 0 0  ${stroke} 0 0"/>
    <Skin/>
    <Look color="0.6 0.62 0.65" opacity="1"/>
  </node>
  <node name="right">
    <Sheet divisions="1" width="0.6" depth="0.5" rotation="0 0 90" translation="0.3 0.25 0"/>
    <Points/>
    <ScriptedMotion times="0 ${time}" offsets="0 0 0  ${-stroke} 0 0"/>
    <Skin/>
    <Look color="0.6 0.62 0.65" opacity="0.3"/>
  </node>
  <node name="back">
    <Sheet divisions="1" width="0.9" depth="0.6" rotation="90 0 0" translation="0 0.25 -0.15"/>
    <Points/>
    <Skin/>
    <Look color="0.6 0.62 0.65" opacity="1"/>
  </node>
  <node name="front">
    <Sheet divisions="1" width="0.9" depth="0.6" rotation="90 0 0" translation="0 0.25 0.15"/>
    <Points/>
    <Skin/>
    <Look color="0.6 0.62 0.65" opacity="0.15"/>
  </node>

  <node name="soft">
    <ImplicitEuler damping_stiffness="0.005"/>
    <ConjugateGradient iterations="60" tolerance="1e-4"/>
    <Ball divisions="${cells}" radius="0.08" translation="-0.12 0.1 0"/>
    <Points/>
    <UniformMass total="0.6"/>
    <Tetrahedra young="15000" poisson="0.3"/>
    <Skin/>
    <Look color="0.62 0.36 0.6"/>
  </node>

  <node name="crate">
    <Frames positions="0.1 0.1 0.03 0 0.2 0.1 1"/>
    <UniformMass mass="0.5" box="0.12 0.1 0.12"/>
    <node name="skin">
      <Box low="-0.06 -0.05 -0.06" high="0.06 0.05 0.06"/>
      <Points/>
      <RigidMap/>
      <Skin/>
      <Look color="0.86 0.64 0.24"/>
    </node>
  </node>

  <node name="ring">
    <Frames positions="0.12 0.22 0 0.3 0 0.1 1"/>
    <UniformMass mass="0.2" box="0.12 0.04 0.12"/>
    <node name="skin">
      <MeshFile file="ring.obj"/>
      <Points/>
      <RigidMap/>
      <Skin/>
      <Look color="0.26 0.47 0.66"/>
    </node>
  </node>

  <node name="cloth">
    <SymplecticEuler step="0.0003125"/>
    <Sheet divisions="${cloth}" width="0.22" depth="0.2" rotation="10 0 5" translation="-0.02 0.35 0"/>
    <Points/>
    <UniformMass total="0.05"/>
    <Springs stiffness="60" damping="0.01"/>
    <Skin/>
    <Look color="0.45 0.65 0.4"/>
  </node>

  <node name="balls">
    <Points positions="-0.22 0.05 0.05  0.22 0.05 -0.05"/>
    <UniformMass mass="0.1"/>
    <Balls radius="0.035"/>
    <Look color="0.80 0.30 0.24" radius="0.035"/>
  </node>

  <Camera eye="0.25 0.85 1.2" target="0 0.12 0" field_of_view="30"/>
</tactus>
