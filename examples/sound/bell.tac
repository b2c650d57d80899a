<!-- SPDX-FileCopyrightText: The Tactus authors -->
<!-- SPDX-License-Identifier: MIT -->
<!-- A closed bell: a shell of stiff springs, free in space, struck on its side. Its modes are not harmonic.
     tactus sound examples/sound/bell.tac -o bell.wav -->
<tactus version="1" title="A bell" dt="2.2675736961451248e-05" duration="0.4" gravity="0 0 0">
  <param name="stiffness" default="90000" doc="Of each spring, N/m."/>
  <node name="bell">
    <SymplecticEuler/>
    <Sphere subdivisions="3" radius="0.1" scale="1 1.35 0.96"/>
    <Points/>
    <UniformMass total="0.4"/>
    <Springs stiffness="${stiffness}" damping="0.0008"/>
    <Look color="0.75 0.6 0.25"/>
    <Listen name="left" point="7" direction="1 0 0" pan="0.3"/>
    <Listen name="right" point="40" direction="0 0 1" pan="0.7"/>
    <node name="clapper">
      <Points positions="0.125 0 0" velocities="-1.5 0 0"/>
      <UniformMass mass="0.01"/>
      <Liaisons matter="@points" other="@/bell/points" slopes="0 -60000" thresholds="0 0.024" zero="0.024"/>
      <Look radius="0.02" color="0.3 0.3 0.3"/>
    </node>
  </node>
  <Camera eye="0.3 0.2 0.6" target="0 0 0"/>
</tactus>
