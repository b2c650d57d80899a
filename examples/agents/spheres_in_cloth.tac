<!-- SPDX-FileCopyrightText: The Tactus authors -->
<!-- SPDX-License-Identifier: MIT -->
<!-- Spheres by symplectic Euler fall into a cloth by implicit Euler: every agent has the solver and the step that suit
     it. -->
<tactus version="1" title="Explicit spheres in an implicit cloth" dt="0.004" duration="3" scheduler="loose">
  <ContactMaterial name="surface" friction="0.4"/>
  <node name="cloth">
    <ImplicitEuler damping_mass="0.5"/>
    <Sheet divisions="20" width="1.2" depth="1.2" translation="0 0.6 0"/>
    <Points/>
    <UniformMass total="0.3"/>
    <Springs stiffness="300" damping="0.3"/>
    <FixedPoints points="0 20 420 440"/>
    <Balls radius="0.036" self="false" material="@/surface"/>
  </node>
  <node name="sphere0">
    <SymplecticEuler step="0.001"/>
    <Frames translation="0.066 0.900 0.000"/>
    <UniformMass mass="0.05" inertia="0.0002 0.0002 0.0002"/>
    <Shape shape="sphere" radius="0.1" material="@/surface"/>
    <node name="skin">
      <Sphere radius="0.1" subdivisions="2"/>
      <Points/>
      <RigidMap/>
      <Look color="0.83 0.38 0.25"/>
    </node>
  </node>
  <node name="sphere1">
    <SymplecticEuler step="0.001"/>
    <Frames translation="-0.088 1.150 0.066"/>
    <UniformMass mass="0.05" inertia="0.0002 0.0002 0.0002"/>
    <Shape shape="sphere" radius="0.1" material="@/surface"/>
    <node name="skin">
      <Sphere radius="0.1" subdivisions="2"/>
      <Points/>
      <RigidMap/>
      <Look color="0.90 0.68 0.28"/>
    </node>
  </node>
  <node name="sphere2">
    <SymplecticEuler step="0.001"/>
    <Frames translation="0.044 1.400 -0.148"/>
    <UniformMass mass="0.05" inertia="0.0002 0.0002 0.0002"/>
    <Shape shape="sphere" radius="0.1" material="@/surface"/>
    <node name="skin">
      <Sphere radius="0.1" subdivisions="2"/>
      <Points/>
      <RigidMap/>
      <Look color="0.33 0.60 0.45"/>
    </node>
  </node>
  <node name="sphere3">
    <SymplecticEuler step="0.001"/>
    <Frames translation="0.069 1.650 0.186"/>
    <UniformMass mass="0.05" inertia="0.0002 0.0002 0.0002"/>
    <Shape shape="sphere" radius="0.1" material="@/surface"/>
    <node name="skin">
      <Sphere radius="0.1" subdivisions="2"/>
      <Points/>
      <RigidMap/>
      <Look color="0.25 0.48 0.70"/>
    </node>
  </node>
  <node name="sphere4">
    <SymplecticEuler step="0.001"/>
    <Frames translation="-0.203 1.900 -0.132"/>
    <UniformMass mass="0.05" inertia="0.0002 0.0002 0.0002"/>
    <Shape shape="sphere" radius="0.1" material="@/surface"/>
    <node name="skin">
      <Sphere radius="0.1" subdivisions="2"/>
      <Points/>
      <RigidMap/>
      <Look color="0.56 0.42 0.66"/>
    </node>
  </node>
  <Record fps="30"/>
  <Camera eye="1.6 1.6 2.4" target="0 0.5 0" field_of_view="36"/>
</tactus>
