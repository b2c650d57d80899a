<!-- SPDX-FileCopyrightText: The Tactus authors -->
<!-- SPDX-License-Identifier: MIT -->
<!-- A drum skin of masses and springs, held at its rim and struck by a mallet that bounces off.
     tactus sound examples/sound/membrane.tac -o membrane.wav -->
<tactus version="1" title="A struck membrane" dt="2.2675736961451248e-05" duration="0.4" gravity="0 0 0">
  <param name="n" default="24" doc="Masses along a side."/>
  <param name="rim" default="${n-1}" doc="The last of them."/>

  <!-- stretched to twice the length that its springs have at rest -->
  <node name="skin">
    <SymplecticEuler/>
    <Grid counts="${n} ${n} 1" high="0.4 0.4 0"/>
    <Points/>
    <UniformMass total="0.06"/>
    <Springs stiffness="20000" lengths="${0.2/(n-1)}" damping="0.002"/>
    <Damping coefficient="0.0004"/>
    <FixedPoints box="-1 -1 -1 1 0.001 1  -1 0.399 -1 1 1 1  -1 -1 -1 0.001 1 1  0.399 -1 -1 1 1 1"/>
    <Look color="0.85 0.75 0.55"/>
    <Listen name="left" point="${2*n + 8}" direction="0 0 1" pan="0.2"/>
    <Listen name="right" point="${12*n + 15}" direction="0 0 1" pan="0.8"/>
    <!-- the mallet: a ball that may not enter the masses of the skin -->
    <node name="mallet">
      <Points positions="0.13 0.17 0.021" velocities="0 0 -2"/>
      <UniformMass mass="0.02"/>
      <Liaisons matter="@points" other="@/skin/points" slopes="0 -20000" thresholds="0 0.02" zero="0.02"/>
      <Look radius="0.02" color="0.4 0.25 0.15"/>
    </node>
  </node>
  <Camera eye="0.2 -0.5 0.5" target="0.2 0.2 0"/>
</tactus>
