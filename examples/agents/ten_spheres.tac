<!-- SPDX-FileCopyrightText: The Tactus authors -->
<!-- SPDX-License-Identifier: MIT -->
<!-- The first experiment of "Asynchronous Interactive Physical Simulation": ten spheres fall on a plane, each an agent
     on its own time, 1 ms steps, priorities by lot. tactus bench agents measures how far they drift apart. -->
<tactus version="1" title="Ten spheres, ten clocks" dt="0.001" duration="3" scheduler="${scheduler}">
  <param name="scheduler" default="loose" doc="loose, or causal for comparison."/>
  <param name="fps" default="50" doc="Frames per second; 1000 for the distribution of delays."/>
  <ContactMaterial name="surface" restitution="0.6" friction="0.4"/>
  <node name="ground">
    <Frames/>
    <Shape shape="half_space" material="@/surface"/>
    <Look visible="no"/>
  </node>
  <node name="sphere0">
    <SymplecticEuler/>
    <Frames translation="-0.45 0.4 -0.3" velocities="0.05 0 0.10 0 0 0"/>
    <UniformMass mass="1" inertia="0.004 0.004 0.004"/>
    <Shape shape="sphere" radius="0.1" material="@/surface"/>
    <node name="skin">
      <Sphere radius="0.1" subdivisions="2"/>
      <Points/>
      <RigidMap/>
      <Look color="0.83 0.38 0.25"/>
    </node>
  </node>
  <node name="sphere1">
    <SymplecticEuler/>
    <Frames translation="-0.15 0.53 -0.3" velocities="0.12 0 0.18 0 0 0"/>
    <UniformMass mass="1" inertia="0.004 0.004 0.004"/>
    <Shape shape="sphere" radius="0.1" material="@/surface"/>
    <node name="skin">
      <Sphere radius="0.1" subdivisions="2"/>
      <Points/>
      <RigidMap/>
      <Look color="0.90 0.68 0.28"/>
    </node>
  </node>
  <node name="sphere2">
    <SymplecticEuler/>
    <Frames translation="0.15 0.66 -0.3" velocities="0.10 0 0.17 0 0 0"/>
    <UniformMass mass="1" inertia="0.004 0.004 0.004"/>
    <Shape shape="sphere" radius="0.1" material="@/surface"/>
    <node name="skin">
      <Sphere radius="0.1" subdivisions="2"/>
      <Points/>
      <RigidMap/>
      <Look color="0.33 0.60 0.45"/>
    </node>
  </node>
  <node name="sphere3">
    <SymplecticEuler/>
    <Frames translation="0.45 0.79 -0.3" velocities="-0.19 0 -0.01 0 0 0"/>
    <UniformMass mass="1" inertia="0.004 0.004 0.004"/>
    <Shape shape="sphere" radius="0.1" material="@/surface"/>
    <node name="skin">
      <Sphere radius="0.1" subdivisions="2"/>
      <Points/>
      <RigidMap/>
      <Look color="0.25 0.48 0.70"/>
    </node>
  </node>
  <node name="sphere4">
    <SymplecticEuler/>
    <Frames translation="-0.45 0.92 0" velocities="0.18 0 0.06 0 0 0"/>
    <UniformMass mass="1" inertia="0.004 0.004 0.004"/>
    <Shape shape="sphere" radius="0.1" material="@/surface"/>
    <node name="skin">
      <Sphere radius="0.1" subdivisions="2"/>
      <Points/>
      <RigidMap/>
      <Look color="0.56 0.42 0.66"/>
    </node>
  </node>
  <node name="sphere5">
    <SymplecticEuler/>
    <Frames translation="-0.15 1.05 0" velocities="0.16 0 -0.15 0 0 0"/>
    <UniformMass mass="1" inertia="0.004 0.004 0.004"/>
    <Shape shape="sphere" radius="0.1" material="@/surface"/>
    <node name="skin">
      <Sphere radius="0.1" subdivisions="2"/>
      <Points/>
      <RigidMap/>
      <Look color="0.83 0.38 0.25"/>
    </node>
  </node>
  <node name="sphere6">
    <SymplecticEuler/>
    <Frames translation="0.15 1.18 0" velocities="-0.01 0 -0.10 0 0 0"/>
    <UniformMass mass="1" inertia="0.004 0.004 0.004"/>
    <Shape shape="sphere" radius="0.1" material="@/surface"/>
    <node name="skin">
      <Sphere radius="0.1" subdivisions="2"/>
      <Points/>
      <RigidMap/>
      <Look color="0.90 0.68 0.28"/>
    </node>
  </node>
  <node name="sphere7">
    <SymplecticEuler/>
    <Frames translation="0.45 1.31 0" velocities="0.02 0 0.03 0 0 0"/>
    <UniformMass mass="1" inertia="0.004 0.004 0.004"/>
    <Shape shape="sphere" radius="0.1" material="@/surface"/>
    <node name="skin">
      <Sphere radius="0.1" subdivisions="2"/>
      <Points/>
      <RigidMap/>
      <Look color="0.33 0.60 0.45"/>
    </node>
  </node>
  <node name="sphere8">
    <SymplecticEuler/>
    <Frames translation="-0.45 1.44 0.3" velocities="-0.19 0 -0.11 0 0 0"/>
    <UniformMass mass="1" inertia="0.004 0.004 0.004"/>
    <Shape shape="sphere" radius="0.1" material="@/surface"/>
    <node name="skin">
      <Sphere radius="0.1" subdivisions="2"/>
      <Points/>
      <RigidMap/>
      <Look color="0.25 0.48 0.70"/>
    </node>
  </node>
  <node name="sphere9">
    <SymplecticEuler/>
    <Frames translation="-0.15 1.57 0.3" velocities="-0.09 0 0.17 0 0 0"/>
    <UniformMass mass="1" inertia="0.004 0.004 0.004"/>
    <Shape shape="sphere" radius="0.1" material="@/surface"/>
    <node name="skin">
      <Sphere radius="0.1" subdivisions="2"/>
      <Points/>
      <RigidMap/>
      <Look color="0.56 0.42 0.66"/>
    </node>
  </node>
  <Record fps="${fps}"/>
  <Camera eye="1.5 1.4 3" target="0 0.4 0" field_of_view="32"/>
</tactus>
