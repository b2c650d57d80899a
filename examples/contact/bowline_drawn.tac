<!-- SPDX-FileCopyrightText: The Tactus authors -->
<!-- SPDX-License-Identifier: MIT -->
<!-- The bowline around its post, its long end drawn along a given way that slows down instead of pulled by a force. -->
<tactus version="1" title="A bowline is drawn tight around a post" dt="0.01" duration="0.2" gravity="0 0 0">
  <param name="across" default="2" doc="Cells across the ribbon."/>
  <param name="draw" default="0.3" doc="How far the long end is drawn, in m."/>
  <param name="time" default="0.15" doc="How long that takes, in s."/>

  <Contact thickness="0.002" friction="0.2" restitution="0"/>

  <node name="ribbon">
    <SymplecticEuler step="${0.0009/across}"/>
    <Ribbon curve="bowline" across="${across}" width="0.03" length="0.1"/>
    <Points/>
    <UniformMass total="0.1"/>
    <Springs stiffness="40" damping="${0.03/across}"/>
    <!-- the first row is the long end -->
    <ScriptedMotion points="0-${across}" times="0 ${time/4} ${time/2} ${3*time/4} ${time}"
                    offsets="0 0 0  0 0 ${-0.4375*draw}  0 0 ${-0.75*draw}  0 0 ${-0.9375*draw}  0 0 ${-draw}"/>
    <FixedPoints box="0.03 -0.01 0.07  0.07 0.01 0.1"/>
    <Skin/>
    <Look color="0.86 0.64 0.24"/>
  </node>
  <node name="post">
    <Cylinder radius="0.04" height="0.2" sides="16" translation="0.0255 0 0.1665"/>
    <Points/>
    <Skin/>
    <Look color="0.5 0.5 0.5"/>
  </node>

  <Camera eye="0.35 0.6 0.35" target="0.03 0 -0.02" field_of_view="35"/>
</tactus>
