<!-- SPDX-FileCopyrightText: The Tactus authors -->
<!-- SPDX-License-Identifier: MIT -->
<!-- Two boxes hang on a cable over two wheels that are free to turn (the document's figure 1). The heavier box pulls, and
     friction turns the wheels; with too little of it the cable slides over them (friction=0.002). With a motor on the left wheel
     (strength=200) it goes the other way: the wheel drags the cable along.
     tactus run examples/wires/wheels.tac && tactus plot wheels.tacrec probe -o wheels.png -->
<tactus version="1" title="Two boxes over two wheels" dt="${1/60}" duration="4">
  <param name="heavy" default="11" doc="Mass of the right box, in kg; the left one has 10."/>
  <param name="friction" default="0.4" doc="Of the cable on the wheels."/>
  <param name="strength" default="0" doc="Torque of a motor on the left wheel, in N m."/>

  <node name="rig">
    <Spook/>
    <node name="wheels">
      <Frames positions="-1.5 0 0 0 0 0 1   1.5 0 0 0 0 0 1"/>
      <UniformMass mass="4" inertia="0.5 0.5 0.5"/>
      <HingeJoint name="left" point="0"/>
      <HingeJoint name="right" point="1"/>
      <Motor point="0" speed="1.5" most="${strength}"/>
      <node name="a"><Cylinder radius="0.48" height="0.3" rotation="90 0 0"/><Points/><RigidMap frame="0"/><Look color="0.45 0.47 0.50"/></node>
      <node name="b"><Cylinder radius="0.48" height="0.3" rotation="90 0 0"/><Points/><RigidMap frame="1"/><Look color="0.45 0.47 0.50"/></node>
    </node>
    <node name="boxes">
      <Frames positions="-2 -4.3 0 0 0 0 1   2 -4.3 0 0 0 0 1"/>
      <DiagonalMass masses="10 ${heavy}" box="0.6 0.6 0.6"/>
      <node name="a"><Box low="-0.3 -0.3 -0.3" high="0.3 0.3 0.3"/><Points/><RigidMap frame="0"/><Look color="0.83 0.38 0.25"/></node>
      <node name="b"><Box low="-0.3 -0.3 -0.3" high="0.3 0.3 0.3"/><Points/><RigidMap frame="1"/><Look color="0.25 0.48 0.70"/></node>
    </node>
    <node name="line">
      <Line divisions="120"/>
      <Points/>
      <FixedPoints points="0-120"/>
      <Look color="0.20 0.22 0.25" radius="0.025"/>
    </node>
    <Cable start="@boxes/frames" start_at="0 0.3 0" end="@boxes/frames" end_point="1" end_at="0 0.3 0"
           wheels="@wheels/frames" wheel_points="0 1" radii="0.5" senses="-1" friction="${friction}" shown="@line/points"/>
    <OutputProbe name="left" of="@cable" what="tensions" index="0"/>
    <OutputProbe name="middle" of="@cable" what="tensions" index="1"/>
    <OutputProbe name="right" of="@cable" what="tensions" index="2"/>
  </node>
  <Camera eye="0 -2.5 19" target="0 -2.8 0" field_of_view="32"/>
</tactus>
