<!-- SPDX-FileCopyrightText: The Tactus authors -->
<!-- SPDX-License-Identifier: MIT -->
<!-- Joints between rigid bodies: a motor turns a jib on its hinge between two limits, a trolley slides along it, and a wire from
     the trolley carries a crate. -->
<tactus version="1" title="A crane: hinge, slide, motors and a wire" dt="${1/60}" duration="6">
  <param name="load" default="200" doc="Mass of the crate, in kg."/>

  <node name="crane">
    <Spook/>
    <node name="jib">
      <Frames positions="2.5 6 0 0 0 0 1"/>
      <UniformMass mass="300" box="6 0.4 0.4"/>
      <HingeJoint at="0 6 0" axis="0 1 0" low="-60" high="60"/>
      <Motor at="0 6 0" axis="0 1 0" speed="0.3" most="20000"/>
      <node name="shape"><Box low="-2.9 -0.15 -0.15" high="3 0.15 0.15"/><Points/><RigidMap/><Look color="0.90 0.68 0.28"/></node>
    </node>
    <node name="trolley">
      <Frames positions="1.5 5.7 0 0 0 0 1"/>
      <UniformMass mass="40" box="0.4 0.2 0.4"/>
      <PrismaticJoint other="@../jib/frames" axis="1 0 0" low="0" high="3"/>
      <Motor other="@../jib/frames" axis="1 0 0" motion="slide" speed="0.6" most="5000"/>
      <node name="shape"><Box low="-0.3 -0.1 -0.2" high="0.3 0.1 0.2"/><Points/><RigidMap/><Look color="0.28 0.32 0.38"/></node>
    </node>
    <node name="crate">
      <Frames positions="1.5 1.7 0 0 0 0 1"/>
      <UniformMass mass="${load}" box="0.8 0.8 0.8"/>
      <node name="shape"><Box low="-0.4 -0.4 -0.4" high="0.4 0.4 0.4"/><Points/><RigidMap/><Look color="0.83 0.38 0.25"/></node>
    </node>
    <node name="wire">
      <Line divisions="16" from="1.5 5.6 0" to="1.5 2.1 0"/>
      <Points/>
      <Wire mass="2" start="@../trolley/frames" end="@../crate/frames"/>
      <Look radius="0.03"/>
      <OutputProbe name="tension" of="@wire" what="resolution" index="2"/>
    </node>
  </node>
  <node name="tower">
    <Box low="-0.25 0 -0.25" high="0.25 6.4 0.25"/>
    <Points/>
    <FixedPoints box="-1 -1 -1 1 9 1"/>
    <Look color="0.28 0.32 0.38"/>
  </node>
  <Camera eye="3 5 14" target="1.5 3 0" field_of_view="38"/>
</tactus>
