<!-- SPDX-FileCopyrightText: The Tactus authors -->
<!-- SPDX-License-Identifier: MIT -->
<!-- A crane picks up two loads and drops them. Each load is an agent of its own, with its own solver and step. The joints between
     hook and loads start open; they close when the hook touches, and from then on crane and load are one agent under the crane's
     Spook; they open above the pile, the two part, and the load falls. Triggers run the crane: each waits for the one before it. -->
<tactus version="1" title="A crane picks up loads on a wire and drops them" dt="0.005" duration="14">
  <param name="load" default="60" doc="Mass of each load, in kg."/>
  <Contact method="loose" friction="0.6"/>

  <node name="ground">
    <Frames positions="2 -0.5 0 0 0 0 1"/>
    <FixedPoints points="0"/>
    <Shape name="model" shape="box" size="10 1 4"/>
    <node name="shape"><Box low="-5 -0.5 -2" high="5 0.5 2"/><Points/><RigidMap/><Look color="0.55 0.57 0.60"/></node>
  </node>

  <node name="crane">
    <Spook/>
    <node name="carriage">
      <Frames positions="0 5 0 0 0 0 1"/>
      <UniformMass mass="100" box="0.6 0.3 0.6"/>
      <PrismaticJoint axis="1 0 0"/>
      <Motor name="travel" axis="1 0 0" motion="slide" speed="0" most="4000"/>
      <node name="shape"><Box low="-0.3 -0.1 -0.3" high="0.3 0.1 0.3"/><Points/><RigidMap/><Look color="0.90 0.68 0.28"/></node>
    </node>
    <node name="head">
      <Frames positions="0 4.6 0 0 0 0 1"/>
      <UniformMass mass="40" box="0.3 0.3 0.3"/>
      <PrismaticJoint other="@../carriage/frames" axis="0 1 0" low="-3.5" high="0.2"/>
      <Motor name="lift" other="@../carriage/frames" axis="0 1 0" motion="slide" speed="-0.8" most="6000"/>
      <node name="shape"><Box low="-0.15 -0.1 -0.15" high="0.15 0.1 0.15"/><Points/><RigidMap/><Look color="0.28 0.32 0.38"/></node>
    </node>
    <node name="hook">
      <Frames positions="0 2.4 0 0 0 0 1"/>
      <UniformMass mass="8" box="0.2 0.2 0.2"/>
      <Shape name="model" shape="sphere" radius="0.1"/>
      <node name="shape"><Sphere radius="0.1" subdivisions="2"/><Points/><RigidMap/><Look color="0.80 0.30 0.24"/></node>
    </node>
    <node name="wire">
      <Line divisions="8" from="0 4.5 0" to="0 2.5 0"/>
      <Points/>
      <Wire mass="2" start="@../head/frames" end="@../hook/frames"/>
      <Look radius="0.02"/>
      <OutputProbe name="tension" of="@wire" what="resolution" index="2"/>
    </node>
  </node>

  <node name="one">
    <SymplecticEuler step="0.00125"/>
    <Frames positions="0 0.4 0 0 0 0 1"/>
    <UniformMass mass="${load}" box="0.8 0.8 0.8"/>
    <Shape name="model" shape="box" size="0.8 0.8 0.8"/>
    <BallJoint name="hitch" other="@/crane/hook/frames" at="0 0.8 0" open="true"/>
    <node name="shape"><Box low="-0.4 -0.4 -0.4" high="0.4 0.4 0.4"/><Points/><RigidMap/><Look color="0.25 0.48 0.70"/></node>
  </node>
  <node name="two">
    <Spook step="0.0025"/>
    <Frames positions="1.3 0.4 0 0 0 0 1"/>
    <UniformMass mass="${load}" box="0.8 0.8 0.8"/>
    <Shape name="model" shape="box" size="0.8 0.8 0.8"/>
    <BallJoint name="hitch" other="@/crane/hook/frames" at="1.3 0.8 0" open="true"/>
    <node name="shape"><Box low="-0.4 -0.4 -0.4" high="0.4 0.4 0.4"/><Points/><RigidMap/><Look color="0.33 0.60 0.45"/></node>
  </node>
  <ContactProbe name="load_on_ground" model="@ground/model"/>

  <!-- the first load: catch, lift, travel, drop -->
  <Trigger name="caught" when="contact" model="@crane/hook/model" other="@one/model" then="close" what="@one/hitch"/>
  <Trigger name="up" after="@caught" when="time" then="set" what="@crane/head/lift" attribute="speed" to="1"/>
  <Trigger name="across" after="@up" when="time" value="1" then="set" what="@crane/carriage/travel" attribute="speed" to="1.6"/>
  <Trigger name="high" after="@up" when="time" value="1.4" then="set" what="@crane/head/lift" attribute="speed" to="0"/>
  <Trigger name="there" after="@across" when="time" value="2.4" then="set" what="@crane/carriage/travel" attribute="speed" to="0"/>
  <Trigger name="drop" after="@there" when="time" value="0.4" then="open" what="@one/hitch"/>

  <!-- back for the second -->
  <Trigger name="back" after="@drop" when="time" value="0.2" then="set" what="@crane/carriage/travel" attribute="speed" to="-1.6"/>
  <Trigger name="over" after="@back" when="time" value="1.58" then="set" what="@crane/carriage/travel" attribute="speed" to="0"/>
  <Trigger name="down" after="@over" when="time" value="0.6" then="set" what="@crane/head/lift" attribute="speed" to="-0.8"/>
  <Trigger name="caught_again" after="@down" when="contact" model="@crane/hook/model" other="@two/model" then="close" what="@two/hitch"/>
  <Trigger name="up_again" after="@caught_again" when="time" then="set" what="@crane/head/lift" attribute="speed" to="1"/>
  <Trigger name="high_again" after="@up_again" when="time" value="1" then="set" what="@crane/head/lift" attribute="speed" to="0"/>
  <Trigger name="drop_again" after="@high_again" when="time" value="0.5" then="open" what="@two/hitch"/>
  <Trigger name="parted" after="@drop_again" when="contact" model="@two/model" other="@ground/model" delay="1" then="stop"/>

  <Camera eye="2 4 12" target="1.8 2.2 0" field_of_view="38"/>
  <Record fps="30"/>
</tactus>
