<!-- SPDX-FileCopyrightText: The Tactus authors -->
<!-- SPDX-License-Identifier: MIT -->
<!-- What the contact scenes are made of, laid out on a table and left alone: two ribbons loosely tied in a reef
     knot, a bowline around a post, a bed of nails, a soft ball between six walls. Nothing touches. -->
<tactus version="1" title="Knots, nails and walls" dt="0.01" duration="0.01" gravity="0 0 0">
  <param name="across" default="8" doc="Cells across each ribbon; 12 make a reef knot of 10,000 points."/>
  <param name="cells" default="8" doc="Cells along the ball's diameter; 17 make 5,832 points."/>

  <node name="reef_left">
    <Ribbon curve="reef_knot_left" across="${across}" width="0.04" length="0.15"/>
    <Points/>
    <Look color="0.80 0.30 0.24"/>
  </node>
  <node name="reef_right">
    <Ribbon curve="reef_knot_right" across="${across}" width="0.04" length="0.15"/>
    <Points/>
    <Look color="0.26 0.47 0.66"/>
  </node>

  <node name="bowline">
    <Ribbon curve="bowline" across="${across}" width="0.03" length="0.1" translation="-0.25 0 0.5"/>
    <Points/>
    <Look color="0.86 0.64 0.24"/>
  </node>
  <node name="post">
    <Cylinder radius="0.04" height="0.2" sides="32" translation="-0.2245 0 0.6665"/>
    <Points/>
    <Look color="0.5 0.5 0.5"/>
  </node>

  <node name="nails">
    <NailBed count="9" spacing="0.03" radius="0.003" height="0.12" translation="0.25 -0.05 0.45"/>
    <Points/>
    <Look color="0.35 0.37 0.4"/>
  </node>
  <node name="cloth">
    <Sheet divisions="24" width="0.3" depth="0.3" translation="0.25 0.1 0.45"/>
    <Points/>
    <Look color="0.45 0.65 0.4"/>
  </node>

  <node name="ball">
    <Ball divisions="${cells}" radius="0.08" translation="0.25 0.05 0.8"/>
    <Points/>
    <Look color="0.62 0.36 0.6"/>
  </node>
  <node name="walls">
    <!-- flat sheets, 1 cm from the ball and 1 mm from each other -->
    <node name="floor">
      <Sheet divisions="1" width="0.178" depth="0.178" translation="0.25 -0.04 0.8"/>
      <Points/>
      <Look color="0.6 0.62 0.65" opacity="1"/>
    </node>
    <node name="ceiling">
      <Sheet divisions="1" width="0.178" depth="0.178" translation="0.25 0.14 0.8"/>
      <Points/>
      <Look color="0.6 0.62 0.65" opacity="0.2"/>
    </node>
    <node name="left">
      <Sheet divisions="1" width="0.178" depth="0.178" rotation="0 0 90" translation="0.16 0.05 0.8"/>
      <Points/>
      <Look color="0.6 0.62 0.65" opacity="1"/>
    </node>
    <node name="right">
      <Sheet divisions="1" width="0.178" depth="0.178" rotation="0 0 90" translation="0.34 0.05 0.8"/>
      <Points/>
      <Look color="0.6 0.62 0.65" opacity="0.2"/>
    </node>
    <node name="back">
      <Sheet divisions="1" width="0.178" depth="0.178" rotation="90 0 0" translation="0.25 0.05 0.71"/>
      <Points/>
      <Look color="0.6 0.62 0.65" opacity="1"/>
    </node>
    <node name="front">
      <Sheet divisions="1" width="0.178" depth="0.178" rotation="90 0 0" translation="0.25 0.05 0.89"/>
      <Points/>
      <Look color="0.6 0.62 0.65" opacity="0.2"/>
    </node>
  </node>

  <Camera eye="0.1 1.5 1.9" target="0 0 0.4" field_of_view="25"/>
</tactus>
