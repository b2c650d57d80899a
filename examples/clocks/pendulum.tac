<!-- SPDX-FileCopyrightText: The Tactus authors -->
<!-- SPDX-License-Identifier: MIT -->
<!-- One pendulum: a weight on a stiff spring. rates.tac includes it four times, each time with another step. -->
<tactus version="1" title="One pendulum" duration="4">
  <param name="step" default="0" doc="Of its solver, in s; 0 is the beat."/>
  <param name="x" default="0.6" doc="Where the weight starts, sideways, in m."/>
  <param name="y" default="-0.8" doc="And upwards."/>
  <param name="z" default="0" doc="Where all of it stands, in m."/>
  <param name="color" default="0.84 0.40 0.24" doc="Red, green and blue."/>

  <SymplecticEuler step="${step}"/>
  <Line divisions="1" from="0 0 ${z}" to="${x} ${y} ${z}"/>
  <Points name="points"/>
  <UniformMass mass="1"/>
  <FixedPoints points="0"/>
  <Springs stiffness="1000"/>
  <Look color="0.45 0.47 0.50" radius="0.008"/>
  <Probe name="x" point="1" what="x"/>

  <!-- a ball to look at: one point that is the weight -->
  <node name="weight">
    <Points positions="0 0 0"/>
    <SubsetMap points="1"/>
    <Look color="${color}" radius="0.08"/>
  </node>
</tactus>
