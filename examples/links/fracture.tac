<!-- SPDX-FileCopyrightText: The Tactus authors -->
<!-- SPDX-License-Identifier: MIT -->
<!-- A block of balls thrown at the ground: its links break when they are stretched by a fifth, and the pieces are heaps of balls.
     Thrown gently (speed -1) it stays whole. -->
<tactus version="1" title="A block breaks" dt="0.001" duration="1.5" up="z" gravity="0 0 -9.81">
  <param name="speed" default="-8" doc="At which it is thrown, in m/s."/>

  <node name="block">
    <SymplecticEuler step="0.0005"/>
    <Grid counts="6 6 6" high="0.5 0.5 0.5" rotation="20 30 0" translation="0 0 0.5"/>
    <Points velocities="0 0 ${speed}"/>
    <UniformMass mass="0.02"/>
    <ConditionalLinks reach="0.18" states="whole broken" stiffness="800 0" damping="0.3 0"
                      transitions="whole to broken when stretch above 0.02"/>
    <!-- balls: nobody comes nearer than 9 cm for free -->
    <Liaisons slopes="0 -300" thresholds="0 0.09" zero="0.09" viscosity="0.1"/>
    <Plane normal="0 0 1" stiffness="2000" damping="0.5" friction="0.4" radius="0.045"/>
    <Look radius="0.045" color="0.75 0.55 0.35"/>
  </node>
</tactus>
