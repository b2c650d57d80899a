<!-- SPDX-FileCopyrightText: The Tactus authors -->
<!-- SPDX-License-Identifier: MIT -->
<!-- An organ in three layers: soft tetrahedra inside and a stiffer membrane of triangles around them, on the same
     points; a fine skin that is seen; a few points of the skin that touch the table. -->
<tactus version="1" title="An organ: soft inside, a stiffer membrane, a skin, a few points that touch" dt="0.01" duration="3">
  <node name="liver">
    <ImplicitEuler damping_stiffness="0.02" damping_mass="0.1"/>
    <ConjugateGradient iterations="60" tolerance="1e-6"/>
    <Ball name="body" divisions="8" radius="0.1" scale="1.5 0.7 1" translation="0 0.2 0" surface="true"/>
    <Points/>
    <DiagonalMass density="1050"/>
    <Tetrahedra name="inside" young="3000" poisson="0.45"/>
    <Triangles name="membrane" young="40000" poisson="0.4" thickness="0.002"/>
    <FixedPoints box="-0.2 0.1 -0.2 -0.13 0.3 0.2"/>
    <node name="skin">
      <Sphere subdivisions="4" radius="0.1" scale="1.5 0.7 1" translation="0 0.2 0"/>
      <Points/>
      <BarycentricMap/>
      <Look color="0.60 0.18 0.16"/>
      <node name="touch">
        <Sphere subdivisions="1" radius="0.1" scale="1.5 0.7 1" translation="0 0.2 0"/>
        <Points/>
        <SubsetMap points="0-41"/>
        <Plane stiffness="300" damping="2" friction="0.3" offset="0.08"/>
        <Look visible="no"/>
      </node>
    </node>
  </node>
  <Camera eye="0.25 0.34 0.62" target="0 0.17 0" field_of_view="32"/>
</tactus>
