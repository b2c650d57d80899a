<!-- SPDX-FileCopyrightText: The Tactus authors -->
<!-- SPDX-License-Identifier: MIT -->
<!-- A chain, held at one end and let go at the other. Explicit and undamped: it whips for as long as you like, and its energy stays.
     tactus run examples/springs/chain.tac && tactus plot chain.tacrec energy -o energy.png -->
<tactus version="1" title="A chain swings, and its energy stays" dt="0.01" duration="6">
  <param name="links" default="24" doc="Springs along the chain."/>
  <param name="stiffness" default="4000" doc="Of each spring, in N/m."/>

  <node name="chain">
    <!-- the stiffest motion has frequency 2 sqrt(k/m), here 632 rad/s: a step must be below 2/632 s = 3.2 ms.
         A sixteenth of the beat is far below that: energy wavers by about 0.01 J, and after an hour still does -->
    <SymplecticEuler step="0.000625"/>
    <Line divisions="${links}" from="0 0 0" to="0.85 -0.85 0"/>
    <Points/>
    <UniformMass total="1"/>
    <FixedPoints points="0"/>
    <Springs stiffness="${stiffness}"/>
    <Look color="0.30 0.33 0.38" radius="0.012"/>
    <Probe name="end" point="${links}" what="y"/>
  </node>

  <!-- the nail -->
  <node name="nail">
    <Sphere subdivisions="2" radius="0.03"/>
    <Points/>
    <FixedPoints points="0-161"/>
    <Look color="0.80 0.30 0.20"/>
  </node>

  <Camera eye="0 -0.45 3.6" target="0 -0.62 0" field_of_view="28"/>
</tactus>
