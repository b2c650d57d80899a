<!-- SPDX-FileCopyrightText: The Tactus authors -->
<!-- SPDX-License-Identifier: MIT -->
<!-- Two ribbons loosely tied in a reef knot; their ends are pulled apart and the knot tightens. 12 cells across make
     10,000 points. -->
<tactus version="1" title="A reef knot is pulled tight" dt="0.01" duration="0.12" gravity="0 0 0">
  <param name="across" default="3" doc="Cells across each ribbon."/>
  <param name="pull" default="2" doc="Force on each ribbon's pair of ends, in N."/>

  <Contact thickness="0.002" friction="0.2" restitution="0"/>

  <node name="left">
    <SymplecticEuler step="${0.0009/across}"/>
    <Ribbon curve="reef_knot_left" across="${across}" width="0.04" length="0.1"/>
    <Points/>
    <UniformMass total="0.05"/>
    <Springs stiffness="40" damping="${0.03/across}"/>
    <ConstantForce box="-10 -1 -1 ${-0.2} 1 1" total="${-pull} 0 0"/>
    <Skin/>
    <Look color="0.80 0.30 0.24"/>
  </node>

  <node name="right">
    <SymplecticEuler step="${0.0009/across}"/>
    <Ribbon curve="reef_knot_right" across="${across}" width="0.04" length="0.1"/>
    <Points/>
    <UniformMass total="0.05"/>
    <Springs stiffness="40" damping="${0.03/across}"/>
    <ConstantForce box="${0.2} -1 -1 10 1 1" total="${pull} 0 0"/>
    <Skin/>
    <Look color="0.26 0.47 0.66"/>
  </node>

  <Camera eye="0 0.45 0.55" target="0 0 0" field_of_view="35"/>
</tactus>
