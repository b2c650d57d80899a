<!-- SPDX-FileCopyrightText: The Tactus authors -->
<!-- SPDX-License-Identifier: MIT -->
<!-- A winch on a quay pulls a crate up over the edge of the wall. The cable bends over the edges of the quay's mesh: it finds them
     by itself, is held on them by friction, and slides along them as the crate swings against the wall.
     tactus run examples/wires/quay.tac && tactus plot quay.tacrec probe -o quay.png -->
<tactus version="1" title="A crate is pulled over the edge of a quay" dt="${1/60}" duration="12">
  <param name="mass" default="200" doc="Of the crate, in kg."/>
  <param name="friction" default="0.2" doc="Of the cable on the edges."/>

  <node name="harbour">
    <Spook/>
    <node name="quay">
      <Box name="stone" low="-6 -9 -4" high="0 0 4"/>
      <Frames/>
      <UniformMass mass="1000"/>
      <FixedPoints points="0"/>
      <node name="shape"><Box low="-6 -9 -4" high="0 0 4"/><Points/><RigidMap/><Look color="0.62 0.60 0.56"/></node>
    </node>
    <node name="winch">
      <Frames positions="-4 1 0 0 0 0 1"/>
      <UniformMass mass="80" inertia="5 5 5"/>
      <HingeJoint/>
      <Motor speed="1.2" most="4000"/>
      <node name="shape"><Cylinder radius="0.38" height="1" rotation="90 0 0"/><Points/><RigidMap/><Look color="0.25 0.48 0.70"/></node>
    </node>
    <node name="crate">
      <Frames positions="0.6 -7 0.4 0 0 0 1" velocities="0 0 1 0 0 0"/>
      <UniformMass mass="${mass}" box="0.8 0.8 0.8"/>
      <PlaneContact normal="1 0 0" radius="0.4" friction="0.3"/>
      <node name="shape"><Box low="-0.4 -0.4 -0.4" high="0.4 0.4 0.4"/><Points/><RigidMap/><Look color="0.83 0.38 0.25"/></node>
    </node>
    <node name="line">
      <Line divisions="120"/>
      <Points/>
      <FixedPoints points="0-120"/>
      <Look color="0.20 0.22 0.25" radius="0.03"/>
    </node>
    <Cable start_drum="true" end="@crate/frames" end_at="0 0.4 0" wheels="@winch/frames" wheel_points="0" radii="0.4"
           senses="-1" turns="2" bodies="@quay/frames" body_mesh="@quay/stone" body_friction="${friction}"
           via="0.6 2 0.2" shown="@line/points"/>
    <OutputProbe name="nodes" of="@cable" what="nodes" index="0"/>
    <OutputProbe name="across" of="@cable" what="nodes" index="3"/>
    <OutputProbe name="pull" of="@cable" what="tensions" index="1"/>
  </node>
  <Camera eye="14 4 20" target="-1 -3 0" field_of_view="34"/>
</tactus>
