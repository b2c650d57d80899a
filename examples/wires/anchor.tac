<!-- SPDX-FileCopyrightText: The Tactus authors -->
<!-- SPDX-License-Identifier: MIT -->
<!-- Anchor handling (after the document's figure 6): a winch on a deck reels in a steel cable that runs through a guide ring and
     over the stern roller, and lifts an anchor of 12 t from 60 m below. The roller turns with the cable. -->
<tactus version="1" title="A winch lifts an anchor over a stern roller" dt="${1/60}" duration="20">
  <param name="anchor" default="12000" doc="Mass of the anchor, in kg."/>
  <param name="speed" default="1.5" doc="Of the winch, in rad/s."/>

  <node name="ship">
    <Spook/>
    <node name="winch">
      <Frames positions="-30 3 0 0 0 0 1   -15 2.5 0 0 0 0 1   0 0 0 0 0 0 1"/>
      <DiagonalMass masses="8000 100 3000" inertia="6000 6000 6000  50 50 50  1500 1500 1500"/>
      <FixedPoints points="1"/>
      <HingeJoint name="drum" point="0"/>
      <HingeJoint name="roller" point="2"/>
      <Motor point="0" speed="${speed}" most="400000"/>
      <node name="a"><Cylinder radius="1.5" height="4" rotation="90 0 0"/><Points/><RigidMap frame="0"/><Look color="0.28 0.32 0.38"/></node>
      <node name="b"><Torus radius="0.5" tube_radius="0.12" rotation="0 0 90"/><Points/><RigidMap frame="1"/><Look color="0.90 0.68 0.28"/></node>
      <node name="c"><Cylinder radius="1" height="5" rotation="90 0 0"/><Points/><RigidMap frame="2"/><Look color="0.45 0.47 0.50"/></node>
    </node>
    <node name="anchor">
      <Frames positions="1 -60 0 0 0 0 1"/>
      <UniformMass mass="${anchor}" box="3 3 3"/>
      <node name="shape"><Box low="-1.5 -1.5 -1.5" high="1.5 1.5 1.5"/><Points/><RigidMap/><Look color="0.83 0.38 0.25"/></node>
    </node>
    <node name="line">
      <Line divisions="200"/>
      <Points/>
      <FixedPoints points="0-200"/>
      <Look color="0.20 0.22 0.25" radius="0.12"/>
    </node>
    <Cable start_drum="true" end="@anchor/frames" end_at="0 1.5 0" wheels="@winch/frames" wheel_points="0 1 2" radii="1.5 0 1"
           senses="-1" friction="0 0.1 0.3" turns="8 0 0" stretch="1.2e8" shown="@line/points"/>
    <OutputProbe name="tension" of="@cable" what="tensions" index="3"/>
    <OutputProbe name="reel" of="@cable" what="tensions" index="1"/>
    <Probe name="depth" matter="@anchor/frames" what="y"/>
  </node>
  <Camera eye="-5 -15 130" target="-12 -22 0" field_of_view="35"/>
</tactus>
