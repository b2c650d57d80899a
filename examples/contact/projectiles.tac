<!-- SPDX-FileCopyrightText: The Tactus authors -->
<!-- SPDX-License-Identifier: MIT -->
<!-- Projectiles thrown onto a bed of nails: rigid bodies of coarse meshes that barely fit between the nails or do not, at
     several speeds and angles. They bounce, roll, stack, ricochet between nails and get stuck. -->
<tactus version="1" title="Projectiles on a bed of nails" dt="0.01" duration="0.8">
  <param name="speed" default="1" doc="Factor on all speeds."/>

  <Contact thickness="0.002" friction="0.3" restitution="0.5"/>

  <node name="ground">
    <Sheet divisions="1" width="0.6" depth="0.6" translation="0.003 -0.004 0.007"/>
    <Points/>
    <Skin/>
    <Look color="0.75 0.75 0.72"/>
  </node>
  <node name="bed">
    <NailBed count="7" spacing="0.04" radius="0.005" height="0.07"/>
    <Points/>
    <Skin/>
    <Look color="0.35 0.37 0.4"/>
  </node>

  <node name="fits">
    <Frames positions="0.015 0.2 0.012 0 0 0 1" velocities="${-0.5*speed} ${-3.0*speed} ${0.2*speed} 0 3 -1"/>
    <UniformMass mass="0.05" box="0.011 0.011 0.011"/>
    <node name="skin">
      <Sphere subdivisions="1" radius="0.011"/>
      <Points/>
      <RigidMap/>
      <Skin/>
      <Look color="0.80 0.30 0.24"/>
    </node>
  </node>
  <node name="barely">
    <Frames positions="-0.055 0.22 -0.02 0 0 0 1" velocities="${1.5*speed} ${-2.0*speed} ${0.3*speed} 2 3 -2"/>
    <UniformMass mass="0.05" box="0.02 0.02 0.02"/>
    <node name="skin">
      <Sphere subdivisions="1" radius="0.02"/>
      <Points/>
      <RigidMap/>
      <Skin/>
      <Look color="0.86 0.64 0.24"/>
    </node>
  </node>
  <node name="large">
    <Frames positions="0.06 0.25 0.05 0 0 0 1" velocities="${-1.0*speed} ${-1.0*speed} ${-1.0*speed} 4 3 -3"/>
    <UniformMass mass="0.05" box="0.03 0.03 0.03"/>
    <node name="skin">
      <Sphere subdivisions="1" radius="0.03"/>
      <Points/>
      <RigidMap/>
      <Skin/>
      <Look color="0.26 0.47 0.66"/>
    </node>
  </node>
  <node name="fast">
    <Frames positions="-0.02 0.28 0.06 0 0 0 1" velocities="${0.0*speed} ${-8.0*speed} ${-1.0*speed} 6 3 -4"/>
    <UniformMass mass="0.05" box="0.014 0.014 0.014"/>
    <node name="skin">
      <Sphere subdivisions="1" radius="0.014"/>
      <Points/>
      <RigidMap/>
      <Skin/>
      <Look color="0.45 0.65 0.4"/>
    </node>
  </node>
  <node name="brick">
    <Frames positions="-0.06 0.16 0.06 0.1 0.3 0.2 1" velocities="${0.6*speed} ${-2*speed} ${-0.8*speed} 4 2 6"/>
    <UniformMass mass="0.08" box="0.05 0.02 0.03"/>
    <node name="skin">
      <Box low="-0.025 -0.01 -0.015" high="0.025 0.01 0.015"/>
      <Points/>
      <RigidMap/>
      <Skin/>
      <Look color="0.62 0.36 0.6"/>
    </node>
  </node>

  <Camera eye="0.28 0.3 0.5" target="0 0.05 0" field_of_view="32"/>
</tactus>
