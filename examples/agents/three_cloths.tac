<!-- SPDX-FileCopyrightText: The Tactus authors -->
<!-- SPDX-License-Identifier: MIT -->
<!-- Three cloths of which one is handled. Adaptive steps: a cloth that hangs still takes longer and longer steps, and
     is back at its own step at once when it is touched. -->
<tactus version="1" title="Three cloths, one handled" dt="0.005" duration="6" scheduler="loose">
  <param name="adaptive" default="true" doc="false: every cloth keeps its step."/>
  <ContactMaterial name="surface" friction="0.3"/>
  <node name="cloth0">
    <ImplicitEuler damping_mass="2"/>
    <Agent adaptive="${adaptive}" still="0.01" patience="0.1"/>
    <Sheet divisions="12" width="1.0" depth="1.0" rotation="90 0 0" translation="-1.3 0.6 0"/>
    <Points/>
    <UniformMass total="0.3"/>
    <Springs stiffness="300" damping="0.3"/>
    <FixedPoints box="-9 1.09 -9 9 1.3 9"/>
    <Balls radius="0.05" self="false" material="@/surface"/>
  </node>
  <node name="cloth1">
    <ImplicitEuler damping_mass="2"/>
    <Agent adaptive="${adaptive}" still="0.01" patience="0.1"/>
    <Sheet divisions="12" width="1.0" depth="1.0" rotation="90 0 0" translation="0 0.6 0"/>
    <Points/>
    <UniformMass total="0.3"/>
    <Springs stiffness="300" damping="0.3"/>
    <FixedPoints box="-9 1.09 -9 9 1.3 9"/>
    <Balls radius="0.05" self="false" material="@/surface"/>
  </node>
  <node name="cloth2">
    <ImplicitEuler damping_mass="2"/>
    <Agent adaptive="${adaptive}" still="0.01" patience="0.1"/>
    <Sheet divisions="12" width="1.0" depth="1.0" rotation="90 0 0" translation="1.3 0.6 0"/>
    <Points/>
    <UniformMass total="0.3"/>
    <Springs stiffness="300" damping="0.3"/>
    <FixedPoints box="-9 1.09 -9 9 1.3 9"/>
    <Balls radius="0.05" self="false" material="@/surface"/>
  </node>
  <node name="hand">
    <Frames translation="-1.3 0.4 0.35"/>
    <ScriptedMotion times="0 2 3 4 20" offsets="0 0 0   0 0 0   0 0 -0.3   0 0 0   0 0 0"/>
    <Shape shape="sphere" radius="0.12" material="@/surface"/>
    <node name="skin">
      <Sphere radius="0.12" subdivisions="2"/>
      <Points/>
      <RigidMap/>
      <Look color="0.83 0.38 0.25"/>
    </node>
  </node>
  <Record fps="30"/>
  <Camera eye="1.2 1.2 4.4" target="0 0.6 0" field_of_view="36"/>
</tactus>
