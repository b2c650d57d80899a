<!-- SPDX-FileCopyrightText: The Tactus authors -->
<!-- SPDX-License-Identifier: MIT -->
<!-- Two curtains in a plane, hit by equally fast balls. The upper one is of elastic springs and is stretched like
     rubber: a faster ball would stretch any spring further. The lower one has edges that never change their length
     by more than 5 %, however fast the ball is: two nests of layers on each edge. -->
<tactus version="1" title="Elastic and inextensible" dt="0.01" duration="0.4" gravity="0 -9.81 0">
  <param name="speed" default="20" doc="Of the balls, m/s."/>
  <param name="edges" default="20" doc="Of each curtain."/>
  <Contact method="safe" thickness="0.004" friction="0" restitution="0.3"/>

  <node name="elastic">
    <Line divisions="${edges}" from="0 0.5 0" to="0 -0.5 0"/>
    <Points/>
    <UniformMass total="0.1"/>
    <FixedPoints points="0"/>
    <FixedPoints points="1-${edges}" directions="z"/>
    <Springs stiffness="400"/>
    <Skin radius="0.005"/>
    <Look color="0.80 0.30 0.24" radius="0.008"/>
  </node>
  <node name="inextensible">
    <Line divisions="${edges}" from="0 -1.3 0" to="0 -2.3 0"/>
    <Points/>
    <UniformMass total="0.1"/>
    <FixedPoints points="0"/>
    <FixedPoints points="1-${edges}" directions="z"/>
    <EdgeLimit strain="0.05"/>
    <Skin radius="0.005"/>
    <Look color="0.26 0.47 0.66" radius="0.008"/>
  </node>

  <node name="balls">
    <Points positions="-0.3 -0.1 0  -0.3 -1.9 0" velocities="${speed} 0 0 ${speed} 0 0"/>
    <UniformMass mass="0.1"/>
    <FixedPoints points="0 1" directions="z"/>
    <Balls radius="0.05"/>
    <Look color="0.5 0.5 0.5" radius="0.05"/>
  </node>

  <Camera eye="0 -0.8 7" target="0 -0.8 0" field_of_view="30"/>
</tactus>
