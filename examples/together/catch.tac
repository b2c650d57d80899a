<!-- SPDX-FileCopyrightText: The Tactus authors -->
<!-- SPDX-License-Identifier: MIT -->
<!-- A crane under contact that cannot fail. The load is an agent of its own and sleeps on the floor until the hook is there: the joint
     closes, which wakes it, and crane and load are one agent under the crane's Spook. When the joint opens they are two again, and
     the load falls beside or on another one, which is asleep until something touches it.
     Try: tactus run catch.tac with the options audit and accounts -->
<tactus version="1" title="A hook catches a load that sleeps, with contact that cannot fail" dt="0.01" duration="4.5">
  <Contact method="safe" thickness="0.006" friction="0.5" restitution="0.1" speed="1"/>

  <node name="floor">
    <Sheet divisions="1" width="3" depth="1.6"/>
    <Points/>
    <FixedPoints points="0-3"/>
    <Skin name="skin"/>
    <Look color="0.55 0.57 0.60"/>
  </node>

  <node name="crane">
    <Spook step="0.0025"/>
    <node name="carriage">
      <Frames positions="-0.8 1.6 0 0 0 0 1"/>
      <UniformMass mass="20" box="0.2 0.1 0.2"/>
      <PrismaticJoint axis="1 0 0"/>
      <Motor name="travel" axis="1 0 0" motion="slide" speed="0" most="800"/>
      <node name="shape"><Box low="-0.1 -0.03 -0.1" high="0.1 0.03 0.1"/><Points/><RigidMap/><Look color="0.90 0.68 0.28"/></node>
    </node>
    <node name="head">
      <Frames positions="-0.8 1.45 0 0 0 0 1"/>
      <UniformMass mass="8" box="0.1 0.1 0.1"/>
      <PrismaticJoint other="@../carriage/frames" axis="0 1 0" low="-1.2" high="0.1"/>
      <Motor name="lift" other="@../carriage/frames" axis="0 1 0" motion="slide" speed="-0.6" most="900"/>
      <node name="shape"><Box low="-0.05 -0.03 -0.05" high="0.05 0.03 0.05"/><Points/><RigidMap/><Look color="0.28 0.32 0.38"/></node>
    </node>
    <node name="hook">
      <Frames positions="-0.8 0.75 0 0 0 0 1"/>
      <UniformMass mass="1" box="0.1 0.1 0.1"/>
      <Probe name="height" what="y"/>
      <node name="shape"><Sphere radius="0.05" subdivisions="1"/><Points/><RigidMap/><Skin name="skin"/><Look color="0.80 0.30 0.24"/></node>
    </node>
    <node name="wire">
      <Line divisions="8" from="-0.8 1.42 0" to="-0.8 0.8 0"/>
      <Points/>
      <Wire mass="0.2" start="@../head/frames" end="@../hook/frames"/>
      <Look radius="0.008"/>
      <OutputProbe name="tension" of="@wire" what="resolution" index="2"/>
    </node>
  </node>

  <node name="one">
    <Spook step="0.005"/>
    <Agent adaptive="true" rest="true" still="0.005" patience="0.1"/>
    <Frames positions="-0.8 0.107 0 0 0 0 1"/>
    <UniformMass mass="2" box="0.2 0.2 0.2"/>
    <BallJoint name="hitch" other="@/crane/hook/frames" at="-0.8 0.3 0" open="true"/>
    <node name="shape"><Box low="-0.1 -0.1 -0.1" high="0.1 0.1 0.1"/><Points/><RigidMap/><Skin name="skin"/><Look color="0.25 0.48 0.70"/></node>
  </node>
  <node name="two">
    <SymplecticEuler step="0.00125"/>
    <Agent adaptive="true" rest="true" still="0.01" patience="0.1"/>
    <Frames positions="0.72 0.107 0 0 0 0 1"/>
    <UniformMass mass="2" box="0.2 0.2 0.2"/>
    <node name="shape"><Box low="-0.1 -0.1 -0.1" high="0.1 0.1 0.1"/><Points/><RigidMap/><Skin name="skin"/><Look color="0.33 0.60 0.45"/></node>
  </node>

  <!-- down, caught, up, across, dropped -->
  <Trigger name="caught" when="below" probe="@crane/hook/height" value="0.29" then="close" what="@one/hitch"/>
  <Trigger name="up" after="@caught" when="time" then="set" what="@crane/head/lift" attribute="speed" to="0.6"/>
  <Trigger name="across" after="@up" when="time" value="0.7" then="set" what="@crane/carriage/travel" attribute="speed" to="0.8"/>
  <Trigger name="high" after="@up" when="time" value="0.8" then="set" what="@crane/head/lift" attribute="speed" to="0"/>
  <Trigger name="there" after="@across" when="time" value="1.7" then="set" what="@crane/carriage/travel" attribute="speed" to="0"/>
  <Trigger name="drop" after="@there" when="time" value="0.3" then="open" what="@one/hitch"/>

  <Camera eye="0.3 1.2 5" target="0 0.75 0" field_of_view="40"/>
  <Record fps="25"/>
</tactus>
