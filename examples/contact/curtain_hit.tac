<!-- SPDX-FileCopyrightText: The Tactus authors -->
<!-- SPDX-License-Identifier: MIT -->
<!-- A curtain of springs, held at its upper edge, is hit by a fast ball, swings and hangs still. -->
<tactus version="1" title="A curtain is hit by a projectile" dt="0.01" duration="0.6">
  <param name="n" default="16" doc="Pieces along each side."/>
  <param name="speed" default="15" doc="Of the projectile, in m/s."/>
  <param name="stiffness" default="60" doc="Of the springs, in N/m: a soft curtain stretches more."/>

  <Contact thickness="0.004" friction="0.2" restitution="0.2" speed="2"/>

  <node name="curtain">
    <SymplecticEuler step="0.0003125"/>
    <Sheet divisions="${n}" width="0.6" depth="0.6" rotation="90 0 0"/>
    <Points/>
    <UniformMass total="0.1"/>
    <Springs stiffness="${stiffness}" damping="0.01"/>
    <FixedPoints box="-1 0.299 -1 1 0.301 1"/>
    <Skin/>
    <Look color="0.26 0.47 0.66"/>
  </node>
  <node name="ball">
    <Points positions="0.03 0.02 0.3" velocities="0 0 ${-speed}"/>
    <UniformMass mass="0.02"/>
    <Balls radius="0.03"/>
    <Look color="0.80 0.30 0.24" radius="0.03"/>
  </node>

  <Camera eye="0.9 0.3 1.1" target="0 0 -0.05" field_of_view="38"/>
</tactus>
