<!-- SPDX-FileCopyrightText: The Tactus authors -->
<!-- SPDX-License-Identifier: MIT -->
<!-- All convex shapes fall on a half-space. In a safe world each has a surface of points, edges and faces: a sphere is a
     point and a capsule an edge with a radius, cylinders and cones have flat sides. With method="loose" the same scene
     runs under loose contact, faster and softer. -->
<tactus version="1" title="Shapes, loose or safe" dt="0.01" duration="1" gravity="0 -9.81 0">
  <param name="method" default="safe" doc="Of contact: safe or loose."/>
  <Contact method="${method}" thickness="0.002" friction="0.4" restitution="0.2"/>

  <node name="ground"><Frames/><Shape shape="half_space"/></node>
  <node name="boxes">
    <Frames positions="0 0.06 0 0 0 0 1  0.02 0.17 0.01 0 0.1 0 1"/>
    <UniformMass mass="1" box="0.1 0.1 0.1"/>
    <Shape size="0.1 0.1 0.1"/>
  </node>
  <node name="ball">
    <Frames positions="0.3 0.2 0 0 0 0 1" velocities="0.2 0 0 0 0 0"/>
    <UniformMass mass="1" box="0.08 0.08 0.08"/>
    <Shape shape="sphere" radius="0.05"/>
  </node>
  <node name="capsule">
    <Frames positions="-0.3 0.2 0 0.3 0 0.2 1"/>
    <UniformMass mass="1" box="0.07 0.15 0.07"/>
    <Shape shape="capsule" radius="0.04" height="0.1"/>
  </node>
  <node name="cylinder">
    <Frames positions="0 0.2 0.3 0.3 0 0.2 1"/>
    <UniformMass mass="1" box="0.07 0.1 0.07"/>
    <Shape shape="cylinder" radius="0.04" height="0.1"/>
  </node>
  <node name="cone">
    <Frames positions="0 0.2 -0.3 0.3 0 0.2 1"/>
    <UniformMass mass="1" box="0.06 0.08 0.06"/>
    <Shape shape="cone" radius="0.04" height="0.1" rounding="0.005"/>
  </node>
  <node name="gem">
    <Frames positions="0.3 0.2 -0.3 0.3 0 0.2 1"/>
    <UniformMass mass="1" box="0.08 0.08 0.08"/>
    <Sphere subdivisions="1" radius="0.05"/>
    <Shape shape="polyhedron"/>
  </node>

  <Camera eye="0.7 0.6 1.1" target="0 0.05 0" field_of_view="38"/>
</tactus>
