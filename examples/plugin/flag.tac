<!-- SPDX-FileCopyrightText: The Tactus authors -->
<!-- SPDX-License-Identifier: MIT -->
<!-- A flag in a wind that comes from a plugin: wind.c says how to build it and how to run this scene with it. -->
<tactus version="1" title="A flag in a wind from a plugin" dt="0.01" duration="4">
  <node name="flag">
    <ImplicitEuler/>
    <Sheet divisions="24" across="16" width="1.5" depth="1" rotation="90 0 0" translation="0.75 1.5 0"/>
    <Points/>
    <UniformMass total="0.2"/>
    <FixedPoints box="-0.01 0 -1 0.01 3 1"/>
    <Springs stiffness="60" damping="0.01"/>
    <Wind velocity="4 0 0.6" drag="0.002" growth="0.5"/>
    <Look color="0.80 0.25 0.25"/>
  </node>
</tactus>
