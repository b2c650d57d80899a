<!-- SPDX-FileCopyrightText: The Tactus authors -->
<!-- SPDX-License-Identifier: MIT -->
<!-- Ten boxes, each a little turned against the one below, stand. -->
<tactus version="1" title="A stack of ten boxes" dt="0.002" duration="5">
  <ContactMaterial name="surface" friction="0.5" stiffness="2.4e6"/>
  <node name="ground">
    <Frames/>
    <Shape shape="half_space" material="@/surface"/>
    <Look visible="no"/>
  </node>
  <node name="box0">
    <ImplicitEuler/>
    <Frames rotation="0 0 0" translation="0 0.1 0"/>
    <UniformMass mass="1" box="0.2 0.2 0.2"/>
    <Shape size="0.2 0.2 0.2" material="@/surface"/>
    <node name="skin">
      <Box low="-0.1 -0.1 -0.1" high="0.1 0.1 0.1"/>
      <Points/>
      <RigidMap/>
      <Look color="0.83 0.38 0.25"/>
    </node>
  </node>
  <node name="box1">
    <ImplicitEuler/>
    <Frames rotation="0 7 0" translation="0.005 0.3 0"/>
    <UniformMass mass="1" box="0.2 0.2 0.2"/>
    <Shape size="0.2 0.2 0.2" material="@/surface"/>
    <node name="skin">
      <Box low="-0.1 -0.1 -0.1" high="0.1 0.1 0.1"/>
      <Points/>
      <RigidMap/>
      <Look color="0.90 0.68 0.28"/>
    </node>
  </node>
  <node name="box2">
    <ImplicitEuler/>
    <Frames rotation="0 14 0" translation="0.01 0.5 0"/>
    <UniformMass mass="1" box="0.2 0.2 0.2"/>
    <Shape size="0.2 0.2 0.2" material="@/surface"/>
    <node name="skin">
      <Box low="-0.1 -0.1 -0.1" high="0.1 0.1 0.1"/>
      <Points/>
      <RigidMap/>
      <Look color="0.33 0.60 0.45"/>
    </node>
  </node>
  <node name="box3">
    <ImplicitEuler/>
    <Frames rotation="0 21 0" translation="0 0.7 0"/>
    <UniformMass mass="1" box="0.2 0.2 0.2"/>
    <Shape size="0.2 0.2 0.2" material="@/surface"/>
    <node name="skin">
      <Box low="-0.1 -0.1 -0.1" high="0.1 0.1 0.1"/>
      <Points/>
      <RigidMap/>
      <Look color="0.25 0.48 0.70"/>
    </node>
  </node>
  <node name="box4">
    <ImplicitEuler/>
    <Frames rotation="0 28 0" translation="0.005 0.9 0"/>
    <UniformMass mass="1" box="0.2 0.2 0.2"/>
    <Shape size="0.2 0.2 0.2" material="@/surface"/>
    <node name="skin">
      <Box low="-0.1 -0.1 -0.1" high="0.1 0.1 0.1"/>
      <Points/>
      <RigidMap/>
      <Look color="0.56 0.42 0.66"/>
    </node>
  </node>
  <node name="box5">
    <ImplicitEuler/>
    <Frames rotation="0 35 0" translation="0.01 1.1 0"/>
    <UniformMass mass="1" box="0.2 0.2 0.2"/>
    <Shape size="0.2 0.2 0.2" material="@/surface"/>
    <node name="skin">
      <Box low="-0.1 -0.1 -0.1" high="0.1 0.1 0.1"/>
      <Points/>
      <RigidMap/>
      <Look color="0.83 0.38 0.25"/>
    </node>
  </node>
  <node name="box6">
    <ImplicitEuler/>
    <Frames rotation="0 42 0" translation="0 1.3 0"/>
    <UniformMass mass="1" box="0.2 0.2 0.2"/>
    <Shape size="0.2 0.2 0.2" material="@/surface"/>
    <node name="skin">
      <Box low="-0.1 -0.1 -0.1" high="0.1 0.1 0.1"/>
      <Points/>
      <RigidMap/>
      <Look color="0.90 0.68 0.28"/>
    </node>
  </node>
  <node name="box7">
    <ImplicitEuler/>
    <Frames rotation="0 49 0" translation="0.005 1.5 0"/>
    <UniformMass mass="1" box="0.2 0.2 0.2"/>
    <Shape size="0.2 0.2 0.2" material="@/surface"/>
    <node name="skin">
      <Box low="-0.1 -0.1 -0.1" high="0.1 0.1 0.1"/>
      <Points/>
      <RigidMap/>
      <Look color="0.33 0.60 0.45"/>
    </node>
  </node>
  <node name="box8">
    <ImplicitEuler/>
    <Frames rotation="0 56 0" translation="0.01 1.7 0"/>
    <UniformMass mass="1" box="0.2 0.2 0.2"/>
    <Shape size="0.2 0.2 0.2" material="@/surface"/>
    <node name="skin">
      <Box low="-0.1 -0.1 -0.1" high="0.1 0.1 0.1"/>
      <Points/>
      <RigidMap/>
      <Look color="0.25 0.48 0.70"/>
    </node>
  </node>
  <node name="box9">
    <ImplicitEuler/>
    <Frames rotation="0 63 0" translation="0 1.9 0"/>
    <UniformMass mass="1" box="0.2 0.2 0.2"/>
    <Shape size="0.2 0.2 0.2" material="@/surface"/>
    <node name="skin">
      <Box low="-0.1 -0.1 -0.1" high="0.1 0.1 0.1"/>
      <Points/>
      <RigidMap/>
      <Look color="0.56 0.42 0.66"/>
    </node>
  </node>
  <Record fps="20"/>
  <Camera eye="2.2 1.8 3.6" target="0 1 0" field_of_view="38"/>
</tactus>
