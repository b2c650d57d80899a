<!-- SPDX-FileCopyrightText: The Tactus authors -->
<!-- SPDX-License-Identifier: MIT -->
<!-- Three meshes of one pebble, each for what it does best, tied by maps:
         behaviour   384 tetrahedra: cheap to solve
         skin        5,120 triangles: good to look at; each point rides on a tetrahedron (BarycentricMap)
         touch       162 points of the skin: enough to lie on the ground (SubsetMap)
     Positions and velocities go down the chain; the ground's forces come back up it, to the tetrahedra. -->
<tactus version="1" title="A soft pebble: behaviour, skin and touch" dt="0.01" duration="3">
  <param name="young" default="20000" doc="Young's modulus, in Pa."/>

  <node name="pebble">
    <ImplicitEuler damping_stiffness="0.004"/>
    <ConjugateGradient iterations="60" tolerance="1e-5"/>
    <Ball divisions="4" radius="0.4" scale="1.4 0.8 1"/>
    <Points rotation="0 0 35" translation="0 1 0" velocities="0.5 0 0"/>
    <DiagonalMass density="400"/>
    <Tetrahedra young="${young}" poisson="0.4"/>

    <node name="skin">
      <Sphere subdivisions="4" radius="0.4" scale="1.4 0.8 1"/>
      <Points rotation="0 0 35" translation="0 1 0"/>
      <BarycentricMap/>
      <Look color="0.80 0.62 0.42"/>

      <!-- a finer sphere begins with the points of the coarser ones, so these are the skin's first 162 -->
      <node name="touch">
        <Sphere subdivisions="2"/>
        <Points/>
        <SubsetMap points="0-161"/>
        <Plane stiffness="1500" damping="6" friction="0.4"/>
        <Look visible="no"/>
        <Probe name="lowest" point="4" what="y"/>
      </node>
    </node>
  </node>

  <Camera eye="1.2 1.3 3.6" target="0.3 0.45 0" field_of_view="30"/>
</tactus>
