<!-- SPDX-FileCopyrightText: The Tactus authors -->
<!-- SPDX-License-Identifier: MIT -->
<!-- A sheet held at two corners falls and swings. Its springs are so stiff that an explicit solver would need a
     thousand steps a second; the implicit one takes a hundred, and damps what it cannot resolve. -->
<tactus version="1" title="A cloth falls from two corners" dt="0.01" duration="5">
  <param name="n" default="32" doc="Pieces along each side."/>

  <node name="cloth">
    <ImplicitEuler damping_stiffness="0.001"/>
    <!-- a few digits are enough for cloth: fewer iterations -->
    <ConjugateGradient iterations="60" tolerance="1e-4"/>
    <Sheet divisions="${n}" width="1.4" depth="1.4"/>
    <Points translation="0 1.5 0"/>
    <UniformMass total="0.35"/>
    <FixedPoints box="-0.71 1 -0.71 -0.69 2 -0.69  0.69 1 -0.71 0.71 2 -0.69"/>
    <Springs stiffness="150" damping="0.01"/>
    <Look color="0.26 0.47 0.66"/>
    <Probe name="hem" point="${n*(n+1)}" what="y"/>
  </node>

  <Camera eye="1.5 1.7 3.8" target="0.05 0.85 -0.4" field_of_view="30"/>
</tactus>
