<!-- SPDX-FileCopyrightText: The Tactus authors -->
<!-- SPDX-License-Identifier: MIT -->
<!-- A bed of nails, four slivers each, and two fabrics that fall on it, one on the other; then the upper one is tugged
     by its edge over the points. -->
<tactus version="1" title="Two fabrics on a bed of nails" dt="0.01" duration="0.6">
  <param name="n" default="14" doc="Pieces along each side of the fabrics."/>
  <param name="nails" default="6" doc="Nails along each side of the bed."/>
  <param name="tug" default="0.06" doc="How far the edge is tugged, in m."/>

  <Contact thickness="0.003" friction="0.2" restitution="0"/>

  <node name="bed">
    <NailBed count="${nails}" spacing="${0.2/nails}" radius="0.004" height="0.06"/>
    <Points/>
    <Skin/>
    <Look color="0.35 0.37 0.4"/>
  </node>

  <node name="lower">
    <SymplecticEuler step="0.0003125"/>
    <Sheet divisions="${n}" width="0.3" depth="0.3" translation="0.003 0.07 0.002"/>
    <Points/>
    <UniformMass total="0.06"/>
    <Springs stiffness="60" damping="0.01"/>
    <Skin/>
    <Look color="0.26 0.47 0.66"/>
  </node>

  <node name="upper">
    <SymplecticEuler step="0.0003125"/>
    <Sheet divisions="${n}" width="0.26" depth="0.26" translation="0 0.085 0"/>
    <Points/>
    <UniformMass total="0.05"/>
    <Springs stiffness="60" damping="0.01"/>
    <!-- the edge at x > 0 is let down with the rest, then tugged -->
    <ScriptedMotion box="0.1299 0 -1 0.1301 1 1" times="0 0.15 0.3 0.6" offsets="0 0 0  0 -0.02 0  0 -0.02 0  ${tug} 0 0"/>
    <Skin/>
    <Look color="0.80 0.30 0.24"/>
  </node>

  <Camera eye="0.28 0.3 0.55" target="0.02 0.04 0" field_of_view="32"/>
</tactus>
