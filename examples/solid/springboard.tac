<!-- SPDX-FileCopyrightText: The Tactus authors -->
<!-- SPDX-License-Identifier: MIT -->
<!-- A springboard of eight beams, clamped at one end and let go with a load on the other: it swings and comes to rest bent.
     Coloured by stress in the live view it is brightest at the clamp, where it would break: 6 M / (b h^2), 21 MPa. -->
<tactus version="1" title="A springboard" dt="0.01" duration="3">
  <param name="load" default="700" doc="At the free end, N."/>

  <node name="board">
    <ImplicitEuler damping_stiffness="0.002"/>
    <SparseDirect/>
    <Line divisions="8" from="0 0 0" to="2 0 0"/>
    <Frames positions="0 0 0 0 0 0 1  0.25 0 0 0 0 0 1  0.5 0 0 0 0 0 1  0.75 0 0 0 0 0 1  1 0 0 0 0 0 1  1.25 0 0 0 0 0 1  1.5 0 0 0 0 0 1  1.75 0 0 0 0 0 1  2 0 0 0 0 0 1"/>
    <UniformMass mass="3" box="0.25 0.04 0.3"/>
    <Beams young="1e10" poisson="0.3" width="0.04" height="0.3"/>
    <FixedPoints points="0"/>
    <ConstantForce points="8" force="0 ${-load} 0 0 0 0"/>

    <node name="skin">
      <Box divisions="16" low="0 -0.02 -0.15" high="2 0.02 0.15"/>
      <Points/>
      <SkinningMap/>
      <Look color="0.25 0.5 0.7"/>
    </node>
  </node>

  <Probe name="deflection" matter="@board/frames" point="8" what="y"/>
</tactus>
