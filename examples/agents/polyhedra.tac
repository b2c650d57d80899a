<!-- SPDX-FileCopyrightText: The Tactus authors -->
<!-- SPDX-License-Identifier: MIT -->
<!-- A pile of convex polyhedra: hulls of meshes, found apart by ISA-GJK, parted by EPA. -->
<tactus version="1" title="A pile of polyhedra" dt="0.002" duration="3">
  <ContactMaterial name="surface" friction="0.5" restitution="0.1"/>
  <node name="ground">
    <Frames/>
    <Shape shape="half_space" material="@/surface"/>
    <Look visible="no"/>
  </node>
  <node name="body0">
    <SymplecticEuler/>
    <Frames rotation="49 20 9" translation="-0.11 0.30 0.04"/>
    <UniformMass mass="1" box="0.22 0.2 0.22"/>
    <node name="hull">
      <Box low="-0.12 -0.08 -0.1" high="0.12 0.08 0.1"/>
      <Points/>
      <RigidMap/>
      <Look color="0.83 0.38 0.25"/>
      <Shape shape="polyhedron" matter="@../frames" material="@/surface"/>
    </node>
  </node>
  <node name="body1">
    <SymplecticEuler/>
    <Frames rotation="16 16 0" translation="0.14 0.58 -0.15"/>
    <UniformMass mass="1" box="0.22 0.2 0.22"/>
    <node name="hull">
      <Sphere radius="0.12" subdivisions="1"/>
      <Points/>
      <RigidMap/>
      <Look color="0.90 0.68 0.28"/>
      <Shape shape="polyhedron" matter="@../frames" material="@/surface"/>
    </node>
  </node>
  <node name="body2">
    <SymplecticEuler/>
    <Frames rotation="27 21 21" translation="-0.06 0.86 0.14"/>
    <UniformMass mass="1" box="0.22 0.2 0.22"/>
    <node name="hull">
      <Cylinder radius="0.1" height="0.2" sides="7" rings="1"/>
      <Points/>
      <RigidMap/>
      <Look color="0.33 0.60 0.45"/>
      <Shape shape="polyhedron" matter="@../frames" material="@/surface"/>
    </node>
  </node>
  <node name="body3">
    <SymplecticEuler/>
    <Frames rotation="69 86 80" translation="-0.09 1.14 0.13"/>
    <UniformMass mass="1" box="0.22 0.2 0.22"/>
    <node name="hull">
      <Cylinder radius="0.13" top_radius="0.05" height="0.18" sides="5" rings="1"/>
      <Points/>
      <RigidMap/>
      <Look color="0.25 0.48 0.70"/>
      <Shape shape="polyhedron" matter="@../frames" material="@/surface"/>
    </node>
  </node>
  <node name="body4">
    <SymplecticEuler/>
    <Frames rotation="88 25 49" translation="-0.06 1.42 -0.04"/>
    <UniformMass mass="1" box="0.22 0.2 0.22"/>
    <node name="hull">
      <Box low="-0.12 -0.08 -0.1" high="0.12 0.08 0.1"/>
      <Points/>
      <RigidMap/>
      <Look color="0.56 0.42 0.66"/>
      <Shape shape="polyhedron" matter="@../frames" material="@/surface"/>
    </node>
  </node>
  <node name="body5">
    <SymplecticEuler/>
    <Frames rotation="21 18 33" translation="-0.13 1.70 -0.06"/>
    <UniformMass mass="1" box="0.22 0.2 0.22"/>
    <node name="hull">
      <Sphere radius="0.12" subdivisions="1"/>
      <Points/>
      <RigidMap/>
      <Look color="0.83 0.38 0.25"/>
      <Shape shape="polyhedron" matter="@../frames" material="@/surface"/>
    </node>
  </node>
  <node name="body6">
    <SymplecticEuler/>
    <Frames rotation="77 75 0" translation="0.03 1.98 0.06"/>
    <UniformMass mass="1" box="0.22 0.2 0.22"/>
    <node name="hull">
      <Cylinder radius="0.1" height="0.2" sides="7" rings="1"/>
      <Points/>
      <RigidMap/>
      <Look color="0.90 0.68 0.28"/>
      <Shape shape="polyhedron" matter="@../frames" material="@/surface"/>
    </node>
  </node>
  <node name="body7">
    <SymplecticEuler/>
    <Frames rotation="8 39 45" translation="0.10 2.26 -0.01"/>
    <UniformMass mass="1" box="0.22 0.2 0.22"/>
    <node name="hull">
      <Cylinder radius="0.13" top_radius="0.05" height="0.18" sides="5" rings="1"/>
      <Points/>
      <RigidMap/>
      <Look color="0.33 0.60 0.45"/>
      <Shape shape="polyhedron" matter="@../frames" material="@/surface"/>
    </node>
  </node>
  <node name="body8">
    <SymplecticEuler/>
    <Frames rotation="40 23 61" translation="-0.01 2.54 -0.10"/>
    <UniformMass mass="1" box="0.22 0.2 0.22"/>
    <node name="hull">
      <Box low="-0.12 -0.08 -0.1" high="0.12 0.08 0.1"/>
      <Points/>
      <RigidMap/>
      <Look color="0.25 0.48 0.70"/>
      <Shape shape="polyhedron" matter="@../frames" material="@/surface"/>
    </node>
  </node>
  <node name="body9">
    <SymplecticEuler/>
    <Frames rotation="32 2 45" translation="0.10 2.82 -0.14"/>
    <UniformMass mass="1" box="0.22 0.2 0.22"/>
    <node name="hull">
      <Sphere radius="0.12" subdivisions="1"/>
      <Points/>
      <RigidMap/>
      <Look color="0.56 0.42 0.66"/>
      <Shape shape="polyhedron" matter="@../frames" material="@/surface"/>
    </node>
  </node>
  <node name="body10">
    <SymplecticEuler/>
    <Frames rotation="53 46 48" translation="0.02 3.10 -0.15"/>
    <UniformMass mass="1" box="0.22 0.2 0.22"/>
    <node name="hull">
      <Cylinder radius="0.1" height="0.2" sides="7" rings="1"/>
      <Points/>
      <RigidMap/>
      <Look color="0.83 0.38 0.25"/>
      <Shape shape="polyhedron" matter="@../frames" material="@/surface"/>
    </node>
  </node>
  <node name="body11">
    <SymplecticEuler/>
    <Frames rotation="5 90 23" translation="0.04 3.38 0.14"/>
    <UniformMass mass="1" box="0.22 0.2 0.22"/>
    <node name="hull">
      <Cylinder radius="0.13" top_radius="0.05" height="0.18" sides="5" rings="1"/>
      <Points/>
      <RigidMap/>
      <Look color="0.90 0.68 0.28"/>
      <Shape shape="polyhedron" matter="@../frames" material="@/surface"/>
    </node>
  </node>
  <node name="body12">
    <SymplecticEuler/>
    <Frames rotation="15 31 59" translation="-0.05 3.66 -0.04"/>
    <UniformMass mass="1" box="0.22 0.2 0.22"/>
    <node name="hull">
      <Box low="-0.12 -0.08 -0.1" high="0.12 0.08 0.1"/>
      <Points/>
      <RigidMap/>
      <Look color="0.33 0.60 0.45"/>
      <Shape shape="polyhedron" matter="@../frames" material="@/surface"/>
    </node>
  </node>
  <node name="body13">
    <SymplecticEuler/>
    <Frames rotation="67 32 59" translation="-0.12 3.94 0.07"/>
    <UniformMass mass="1" box="0.22 0.2 0.22"/>
    <node name="hull">
      <Sphere radius="0.12" subdivisions="1"/>
      <Points/>
      <RigidMap/>
      <Look color="0.25 0.48 0.70"/>
      <Shape shape="polyhedron" matter="@../frames" material="@/surface"/>
    </node>
  </node>
  <node name="body14">
    <SymplecticEuler/>
    <Frames rotation="47 37 4" translation="-0.02 4.22 0.14"/>
    <UniformMass mass="1" box="0.22 0.2 0.22"/>
    <node name="hull">
      <Cylinder radius="0.1" height="0.2" sides="7" rings="1"/>
      <Points/>
      <RigidMap/>
      <Look color="0.56 0.42 0.66"/>
      <Shape shape="polyhedron" matter="@../frames" material="@/surface"/>
    </node>
  </node>
  <node name="body15">
    <SymplecticEuler/>
    <Frames rotation="26 43 65" translation="0.03 4.50 0.13"/>
    <UniformMass mass="1" box="0.22 0.2 0.22"/>
    <node name="hull">
      <Cylinder radius="0.13" top_radius="0.05" height="0.18" sides="5" rings="1"/>
      <Points/>
      <RigidMap/>
      <Look color="0.83 0.38 0.25"/>
      <Shape shape="polyhedron" matter="@../frames" material="@/surface"/>
    </node>
  </node>
  <Record fps="30"/>
  <Camera eye="1.6 1.3 2.8" target="0 0.3 0" field_of_view="36"/>
</tactus>
