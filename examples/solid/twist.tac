<!-- SPDX-FileCopyrightText: The Tactus authors -->
<!-- SPDX-License-Identifier: MIT -->
<!-- A soft bar, held at one end and turned at the other by a script: one turn in four seconds, then held.
     Corotational elements turn with the bar, so a whole turn costs it no more than its strain. -->
<tactus version="1" title="A soft bar is twisted by a whole turn" dt="0.01" duration="5" gravity="0 0 0">
  <param name="turn" default="360" doc="How far the right end is turned, in degrees."/>

  <node name="bar">
    <ImplicitEuler damping_stiffness="0.01"/>
    <ConjugateGradient iterations="100" tolerance="1e-5"/>
    <Grid counts="25 6 6" low="0 -0.15 -0.15" high="1.5 0.15 0.15" split="true"/>
    <Points/>
    <DiagonalMass density="900"/>
    <FixedPoints box="-0.001 -1 -1 0.001 1 1"/>
    <!-- keyframes: nothing until 0.5 s, the whole turn by 4.5 s; about x, through the origin -->
    <ScriptedMotion box="1.499 -1 -1 1.501 1 1" times="0.5 4.5" rotations="0 0 0  ${turn} 0 0"/>
    <Tetrahedra young="80000" poisson="0.35" method="svd"/>
    <Look color="0.80 0.33 0.28"/>
  </node>

  <Camera eye="1.9 1.0 2.6" target="0.75 0 0" field_of_view="28"/>
</tactus>
