<!-- SPDX-FileCopyrightText: The Tactus authors -->
<!-- SPDX-License-Identifier: MIT -->
<!-- Four bars of one shape, held at one end, and two cloths: the numbers of each stuff come from a preset. Steel and
     wood stay straight, rubber bends a little, soft tissue hangs down; denim falls like cotton and is twice as heavy. -->
<tactus version="1" title="Six stuffs" dt="0.01" duration="2">
  <Material name="steel" preset="steel"/>
  <Material name="wood" preset="wood"/>
  <Material name="rubber" preset="rubber"/>
  <Material name="tissue" preset="soft_tissue"/>
  <Material name="cotton" preset="cotton"/>
  <Material name="denim" preset="denim"/>

  <node name="steel_bar">
    <ImplicitEuler damping_stiffness="@/steel.damping"/>
    <SparseDirect/>
    <Grid counts="9 3 3" high="0.4 0.05 0.05" split="true" translation="0 0.5 0"/>
    <Points/>
    <DiagonalMass density="@/steel.density"/>
    <FixedPoints box="-0.01 0 -1 0.01 1 1"/>
    <Tetrahedra young="@/steel.young" poisson="@/steel.poisson"/>
    <Look color="0.55 0.60 0.66"/>
    <Probe name="tip" point="8" what="y"/>
  </node>
  <node name="wooden_bar">
    <ImplicitEuler damping_stiffness="@/wood.damping"/>
    <SparseDirect/>
    <Grid counts="9 3 3" high="0.4 0.05 0.05" split="true" translation="0 0.5 0.15"/>
    <Points/>
    <DiagonalMass density="@/wood.density"/>
    <FixedPoints box="-0.01 0 -1 0.01 1 1"/>
    <Tetrahedra young="@/wood.young" poisson="@/wood.poisson"/>
    <Look color="0.74 0.56 0.33"/>
    <Probe name="tip" point="8" what="y"/>
  </node>
  <node name="rubber_bar">
    <ImplicitEuler damping_stiffness="@/rubber.damping"/>
    <SparseDirect/>
    <Grid counts="9 3 3" high="0.4 0.05 0.05" split="true" translation="0 0.5 0.3"/>
    <Points/>
    <DiagonalMass density="@/rubber.density"/>
    <FixedPoints box="-0.01 0 -1 0.01 1 1"/>
    <Tetrahedra young="@/rubber.young" poisson="@/rubber.poisson"/>
    <Look color="0.25 0.25 0.28"/>
    <Probe name="tip" point="8" what="y"/>
  </node>
  <node name="tissue_bar">
    <ImplicitEuler damping_stiffness="@/tissue.damping"/>
    <SparseDirect/>
    <Grid counts="9 3 3" high="0.4 0.05 0.05" split="true" translation="0 0.5 0.45"/>
    <Points/>
    <DiagonalMass density="@/tissue.density"/>
    <FixedPoints box="-0.01 0 -1 0.01 1 1"/>
    <Tetrahedra young="@/tissue.young" poisson="@/tissue.poisson"/>
    <Look color="0.78 0.36 0.34"/>
    <Probe name="tip" point="8" what="y"/>
  </node>

  <node name="shirt">
    <ImplicitEuler damping_stiffness="@/cotton.damping"/>
    <Sheet divisions="10" width="0.3" depth="0.3"/>
    <Points translation="0.75 0.5 0"/>
    <DiagonalMass density="@/cotton.area_density"/>
    <FixedPoints box="0.5 0 -0.16 1 1 -0.14"/>
    <Triangles young="@/cotton.young" poisson="@/cotton.poisson" thickness="@/cotton.thickness"/>
    <Look color="0.90 0.88 0.82"/>
  </node>
  <node name="jeans">
    <ImplicitEuler damping_stiffness="@/denim.damping"/>
    <Sheet divisions="10" width="0.3" depth="0.3"/>
    <Points translation="0.75 0.5 0.45"/>
    <DiagonalMass density="@/denim.area_density"/>
    <FixedPoints box="0.5 0 0.29 1 1 0.31"/>
    <Triangles young="@/denim.young" poisson="@/denim.poisson" thickness="@/denim.thickness"/>
    <Look color="0.22 0.32 0.52"/>
  </node>

  <Camera eye="1.3 0.9 1.6" target="0.4 0.4 0.2"/>
</tactus>
