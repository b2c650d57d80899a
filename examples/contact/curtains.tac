<!-- SPDX-FileCopyrightText: The Tactus authors -->
<!-- SPDX-License-Identifier: MIT -->
<!-- Two curtains are let go at fifteen degrees. In the first every triangle, fold and damper has its own clock, and only
     stretching and bending are damped: its fast ripples vanish within seconds, and after ten it still swings with more
     than 80 % of its amplitude. The other is solved by implicit Euler, which damps everything, the swing as well, and
     the more the longer its step. Compare: `tactus run curtains.tac` with `time 10`, then
     `tactus plot curtains.tacrec probe -o swing.png`. -->
<tactus version="1" title="Two curtains: inner damping beside implicit Euler" dt="0.01" duration="3" gravity="0 -9.81 0">
  <param name="cells" default="8" doc="Cells along each curtain's width and height."/>
  <param name="damping" default="1" doc="Factor on the damping of stretch and bending."/>
  <param name="step" default="0.02" doc="Of implicit Euler, in s."/>
  <Contact method="safe" thickness="0.005" friction="0" restitution="0.3"/>

  <node name="own">
    <Sheet divisions="${cells}" width="0.5" depth="0.5" rotation="75 0 0"/>
    <Points/>
    <UniformMass total="0.05"/>
    <FixedPoints points="0-${cells}"/>
    <Triangles young="4e4" thickness="0.0005"/>
    <ShellBending stiffness="2e-6"/>
    <EdgeDamping damping="${0.01*damping}"/>
    <BendDamping damping="${5e-7*damping}"/>
    <Skin/>
    <Probe name="bottom" point="${cells*(cells+1)+cells/2}" what="z"/>
    <Probe name="height" point="${cells*(cells+1)+cells/2}" what="y"/>
    <Look color="0.80 0.30 0.24"/>
  </node>

  <node name="implicit">
    <ImplicitEuler step="${step}"/>
    <Sheet divisions="${cells}" width="0.5" depth="0.5" rotation="75 0 0" translation="0.6 0 0"/>
    <Points/>
    <UniformMass total="0.05"/>
    <FixedPoints points="0-${cells}"/>
    <Triangles young="4e4" thickness="0.0005"/>
    <ShellBending stiffness="2e-6"/>
    <Skin/>
    <Probe name="bottom" point="${cells*(cells+1)+cells/2}" what="z"/>
    <Probe name="height" point="${cells*(cells+1)+cells/2}" what="y"/>
    <Look color="0.26 0.47 0.66"/>
  </node>

  <Camera eye="1.5 0.1 1.9" target="0.3 -0.05 0" field_of_view="38"/>
  <Record fps="100"/>
</tactus>
