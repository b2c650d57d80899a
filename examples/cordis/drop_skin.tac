<!-- SPDX-FileCopyrightText: The Tactus authors -->
<!-- SPDX-License-Identifier: MIT -->
<!-- The two borders that the document gives an object (section V), side by side. Left: 30 balls without a skin; their contour
     is where their field is zero, made anew for every frame: it may part and join. Right: the same balls inside a material
     skin, a net of masses and springs drawn tight around them; it is matter, has tension, and holds them together. -->
<tactus version="1" title="Two drops: one with a contour, one in an elastic skin" dt="0.0005" duration="1.5">
  <param name="tension" default="0.3" doc="How much smaller the skin would be without balls."/>
  <node name="bare">
    <SymplecticEuler/>
    <BallFill shape="sphere" radius="0.05" ball_radii="0.012" translation="-0.075 0.15 0"/>
    <Points/>
    <UniformMass mass="0.002"/>
    <Liaisons fit="lennard-jones" depth="0.0005" distance="0.024" exponent="4" viscosity="0.05"/>
    <Plane offset="0" stiffness="200" damping="0.1" radius="0.015" friction="0.3"/>
    <Look visible="no"/>
    <node name="contour">
      <Shards count="40000"/>
      <Points/>
      <Contour radius="0.02" cell="0.006"/>
      <Look color="0.35 0.55 0.85"/>
    </node>
  </node>
  <node name="dressed">
    <SymplecticEuler/>
    <node name="inside">
      <BallFill shape="sphere" radius="0.05" ball_radii="0.012" translation="0.075 0.15 0"/>
      <Points/>
      <UniformMass mass="0.002"/>
      <Liaisons fit="lennard-jones" depth="0.0005" distance="0.024" exponent="4" viscosity="0.05"/>
      <Plane offset="0" stiffness="200" damping="0.4" radius="0.018" friction="0.3"/>
      <Look color="0.8 0.8 0.8" radius="0.012"/>
    </node>
    <node name="skin">
      <MaterialSkin name="skin" around="@/dressed/inside/points" distance="0.02" spacing="0.015" tension="${tension}"/>
      <Points rest="@skin.rest"/>
      <UniformMass mass="0.0002"/>
      <Springs stiffness="6" damping="0.004"/>
      <!-- nobody inside comes nearer to the skin than 2 cm -->
      <Liaisons matter="@points" other="@/dressed/inside/points" slopes="0 -250" thresholds="0 0.02" zero="0.02" viscosity="0.02"/>
      <Plane offset="0" stiffness="40" damping="0.02" friction="0.3"/>
      <Look color="0.85 0.45 0.2"/>
    </node>
  </node>
  <Camera eye="0 0.2 0.75" target="0 0.08 0"/>
  <Record fps="25"/>
</tactus>
