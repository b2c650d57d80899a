<!-- SPDX-FileCopyrightText: The Tactus authors -->
<!-- SPDX-License-Identifier: MIT -->
<!-- A block of balls thrown at the ground: its links break when they are stretched by a fifth, and the pieces are heaps of balls.
     Thrown gently (speed -1) it stays whole. -->
<tactus version="1" title="A block breaks" dt="0.001" duration="1.5" up="z" gravity="0 0 -9.81">
  <param name="speed" default="-6" doc="At which it is thrown, in m/s."/>

  <node name="block">
    <SymplecticEuler step="0.0005"/>
    <BallFill shape="box" low="-0.25 -0.25 -0.25" high="0.25 0.25 0.25" ball_radii="0.04" rotation="20 30 0"
              translation="0 0 0.6"/>
    <Points velocities="0 0 ${speed}"/>
    <UniformMass mass="0.02"/>
    <ConditionalLinks reach="0.1" states="whole broken" stiffness="1500 0" damping="1 0"
                      transitions="whole to broken when stretch above 0.016"/>
    <!-- balls: nobody comes nearer than 7.9 cm for free -->
    <Liaisons slopes="0 -800" thresholds="0 0.079" zero="0.079" viscosity="1.5"/>
    <Plane normal="0 0 1" stiffness="3000" damping="3" friction="0.5" radius="0.04"/>
    <Look radius="0.04" color="0.75 0.55 0.35"/>
  </node>
</tactus>
