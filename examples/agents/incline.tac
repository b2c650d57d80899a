<!-- SPDX-FileCopyrightText: The Tactus authors -->
<!-- SPDX-License-Identifier: MIT -->
<!-- Boxes on inclines of 0.98, 1.02 and 1.5 times the angle of friction: one sticks, two slide. -->
<tactus version="1" title="Coulomb on the slope" dt="0.001" duration="3">
  <ContactMaterial name="surface" friction="0.5"/>
  <node name="slope0">
    <Frames rotation="0 0 26.1049" translation="0 0 -1.2"/>
    <Shape size="6 0.1 0.8" position="0 -0.05 0" material="@/surface"/>
    <node name="skin">
      <Box low="-3 -0.1 -0.4" high="3 0 0.4"/>
      <Points/>
      <RigidMap/>
      <Look color="0.7 0.7 0.72"/>
    </node>
  </node>
  <node name="box0">
    <SymplecticEuler/>
    <Frames positions="2 0.0999 0 0 0 0 1" rotation="0 0 26.1049" translation="0 0 -1.2"/>
    <UniformMass mass="2" box="0.4 0.2 0.4"/>
    <Shape size="0.4 0.2 0.4" material="@/surface"/>
    <node name="skin">
      <Box low="-0.2 -0.1 -0.2" high="0.2 0.1 0.2"/>
      <Points/>
      <RigidMap/>
      <Look color="0.83 0.38 0.25"/>
    </node>
    <Probe name="x" what="x"/>
  </node>
  <node name="slope1">
    <Frames rotation="0 0 27.0216" translation="0 0 0"/>
    <Shape size="6 0.1 0.8" position="0 -0.05 0" material="@/surface"/>
    <node name="skin">
      <Box low="-3 -0.1 -0.4" high="3 0 0.4"/>
      <Points/>
      <RigidMap/>
      <Look color="0.7 0.7 0.72"/>
    </node>
  </node>
  <node name="box1">
    <SymplecticEuler/>
    <Frames positions="2 0.0999 0 0 0 0 1" rotation="0 0 27.0216" translation="0 0 0"/>
    <UniformMass mass="2" box="0.4 0.2 0.4"/>
    <Shape size="0.4 0.2 0.4" material="@/surface"/>
    <node name="skin">
      <Box low="-0.2 -0.1 -0.2" high="0.2 0.1 0.2"/>
      <Points/>
      <RigidMap/>
      <Look color="0.90 0.68 0.28"/>
    </node>
    <Probe name="x" what="x"/>
  </node>
  <node name="slope2">
    <Frames rotation="0 0 36.8699" translation="0 0 1.2"/>
    <Shape size="6 0.1 0.8" position="0 -0.05 0" material="@/surface"/>
    <node name="skin">
      <Box low="-3 -0.1 -0.4" high="3 0 0.4"/>
      <Points/>
      <RigidMap/>
      <Look color="0.7 0.7 0.72"/>
    </node>
  </node>
  <node name="box2">
    <SymplecticEuler/>
    <Frames positions="2 0.0999 0 0 0 0 1" rotation="0 0 36.8699" translation="0 0 1.2"/>
    <UniformMass mass="2" box="0.4 0.2 0.4"/>
    <Shape size="0.4 0.2 0.4" material="@/surface"/>
    <node name="skin">
      <Box low="-0.2 -0.1 -0.2" high="0.2 0.1 0.2"/>
      <Points/>
      <RigidMap/>
      <Look color="0.33 0.60 0.45"/>
    </node>
    <Probe name="x" what="x"/>
  </node>
  <Record fps="30"/>
  <Camera eye="1 3 8" target="0 0.3 0" field_of_view="36"/>
</tactus>
