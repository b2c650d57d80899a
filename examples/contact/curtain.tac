<!-- SPDX-FileCopyrightText: The Tactus authors -->
<!-- SPDX-License-Identifier: MIT -->
<!-- A curtain held along its top swings and is hit by a ball. Every triangle, every fold and every damper of it has
     its own clock; stretching and bending are damped from past positions, swinging is not: the ripples vanish and
     the curtain swings on. Try `tactus plot curtain.tacrec probe -o swing.png`, and damping="0". -->
<tactus version="1" title="A curtain with inner damping" dt="0.01" duration="3" gravity="0 -9.81 0">
  <param name="cells" default="10" doc="Cells along the curtain's width and height."/>
  <param name="damping" default="1" doc="Factor on the damping of stretch and bending."/>
  <Contact method="safe" thickness="0.005" friction="0" restitution="0.3"/>

  <node name="curtain">
    <Sheet divisions="${cells}" width="0.5" depth="0.5" rotation="75 0 0"/>
    <Points/>
    <UniformMass total="0.05"/>
    <FixedPoints points="0-${cells}"/>
    <Triangles young="4e4" thickness="0.0005"/>
    <ShellBending stiffness="2e-6"/>
    <EdgeDamping damping="${0.002*damping}"/>
    <BendDamping damping="${1e-7*damping}"/>
    <Skin/>
    <Probe name="bottom" point="${cells*(cells+1)+cells/2}" what="z"/>
    <Look color="0.80 0.30 0.24"/>
  </node>

  <node name="ball">
    <Frames positions="0.05 -0.1 0.4 0 0 0 1" velocities="0 1.2 -4 0 0 0"/>
    <UniformMass mass="0.02" box="0.06 0.06 0.06"/>
    <node name="skin">
      <Sphere radius="0.04" subdivisions="1"/>
      <Points/>
      <RigidMap/>
      <Skin/>
      <Look color="0.26 0.47 0.66"/>
    </node>
  </node>

  <Camera eye="1.2 0.2 1.8" target="0 -0.05 0" field_of_view="38"/>
</tactus>
