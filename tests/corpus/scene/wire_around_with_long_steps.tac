<!-- SPDX-FileCopyrightText: The Tactus authors -->
<!-- SPDX-License-Identifier: MIT -->
<!-- A load swings on a wire, and the wire wraps around a post, under contact that cannot fail. The wire adapts its resolution: where it would
     have to pass the post to become coarser, it waits.
     Try: tactus run examples/wires/around.tac with the option audit, then plot the probes -->
<tactus version="1" title="A wire that adapts around a post" dt="0.01" duration="2">
  <param name="load" default="5" doc="Mass of the load, in kg."/>
  <param name="speed" default="4" doc="Of the load at the start, in m/s."/>
  <Contact method="safe" thickness="0.01" friction="0.2" restitution="0.2" speed="2"/>
  <node name="post">
    <Cylinder radius="0.1" height="1" sides="8" rotation="90 0 0" translation="0.5 -1 -0.5"/>
    <Points/>
    <FixedPoints box="-9 -9 -9 9 9 9"/>
    <Skin name="skin"/>
    <Look color="0.5 0.5 0.5"/>
  </node>
  <node name="swing">
    <Spook step="0.0825"/>
    <node name="load">
      <Frames positions="0 -2 0 0 0 0 1" velocities="${speed} 0 0 0 0 0"/>
      <UniformMass mass="${load}" box="0.3 0.3 0.3"/>
      <node name="shape"><Box low="-0.15 -0.3 -0.15" high="0.15 0 0.15"/><Points/><RigidMap/><Look color="0.83 0.38 0.25"/></node>
    </node>
    <node name="wire">
      <Line divisions="16" to="0 -2 0"/>
      <Points/>
      <Wire mass="0.5" end="@../load/frames"/>
      <FixedPoints points="0"/>
      <Skin name="skin" radius="0.01"/>
      <Look color="0.25 0.28 0.32" radius="0.02"/>
      <OutputProbe name="masses" of="@wire" what="resolution" index="1"/>
      <OutputProbe name="tension" of="@wire" what="resolution" index="2"/>
      <OutputProbe name="postponed" of="@wire" what="resolution" index="9"/>
    </node>
  </node>
  <Camera eye="0.5 -1 6" target="0.5 -1 0" field_of_view="40"/>
  <Record fps="50"/>
</tactus>
