<!-- SPDX-FileCopyrightText: The Tactus authors -->
<!-- SPDX-License-Identifier: MIT -->
<!-- A cloth hung by its four corners and a sphere that is moved through it from below: a rigid object and a deformable
     one, each an agent on its own time. In tactus view the sphere can be dragged. -->
<tactus version="1" title="A sphere handled under a cloth" dt="0.005" duration="4" scheduler="loose">
  <ContactMaterial name="surface" friction="0.3"/>
  <node name="cloth">
    <ImplicitEuler damping_mass="0.5"/>
    <Sheet divisions="20" width="1.2" depth="1.2" translation="0 0.8 0"/>
    <Points/>
    <UniformMass total="0.3"/>
    <Springs stiffness="300" damping="0.3"/>
    <FixedPoints points="0 20 420 440"/>
    <Balls radius="0.036" self="false" material="@/surface"/>
  </node>
  <node name="hand">
    <Frames translation="0.1 0.1 0"/>
    <ScriptedMotion times="0 1 2 3 4" offsets="0 0 0   0 0.75 0   -0.25 0.75 0.15   -0.25 0.75 -0.2   0 0 0"/>
    <Shape shape="sphere" radius="0.2" material="@/surface"/>
    <node name="skin">
      <Sphere radius="0.2" subdivisions="2"/>
      <Points/>
      <RigidMap/>
      <Look color="0.83 0.38 0.25"/>
    </node>
  </node>
  <Record fps="30"/>
  <Camera eye="1.6 1.7 2.4" target="0 0.6 0" field_of_view="36"/>
</tactus>
