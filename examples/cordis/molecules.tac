<!-- SPDX-FileCopyrightText: The Tactus authors -->
<!-- SPDX-License-Identifier: MIT -->

<!-- "Balls, bubbles and agglomerates", IV.2 and figure 14: the law of Lennard-Jones itself, where drop.tac has the straight
     pieces of figure 15. A cube of balls is not where they are at rest: it falls in, and becomes a drop. -->
<tactus version="1" title="A cube of molecules becomes a drop" dt="0.01" duration="10" gravity="0 0 0">
  <param name="w" default="0.44" doc="Half the width of the cube, in m."/>
  <param name="damping" default="0.00005" doc="Of the relative motion of near balls, in N s/m."/>

  <node name="molecules">
    <SymplecticEuler step="0.0025"/>
    <BallFill shape="box" low="${-w} ${-w} ${-w}" high="${w} ${w} ${w}" ball_radii="0.06"/>
    <Points around="0.005 0.005 0.005"/>
    <UniformMass mass="0.01"/>
    <LennardJones depth="0.002" distance="0.1" damping="${damping}"/>
    <Look color="0.26 0.47 0.66" radius="0.05"/>
  </node>

  <Camera eye="1.7 1.3 2.6" target="0 0 0" field_of_view="38"/>
</tactus>
