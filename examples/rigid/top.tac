<!-- SPDX-FileCopyrightText: The Tactus authors -->
<!-- SPDX-License-Identifier: MIT -->
<!-- Throw a tennis racket so that it turns about the axis across its head, and it flips over, again and again: free
     rotation about the middle axis of inertia is not stable (Euler; Dzhanibekov's nut). Nothing acts on this racket:
     its spin (angular momentum) stays to the last digits, its energy within 3 parts in 10,000, while it turns over.
         tactus run examples/rigid/top.tac
         tactus plot top.tacrec energy/total,spin -o kept.png
         tactus plot top.tacrec probe -o flips.png -->
<tactus version="1" title="The racket flips" dt="0.01" duration="8" gravity="0 0 0">
  <node name="racket">
    <SymplecticEuler/>
    <!-- about x, the middle axis: 9 rad/s, and a little about the others, as with any real throw -->
    <Frames velocities="0 0 0 9 0.03 0.02"/>
    <!-- handle along y, head in the xy plane: kg m^2 about x (middle), y (least) and z (most) -->
    <UniformMass mass="0.33" inertia="0.0165 0.0025 0.0188"/>

    <node name="head">
      <Torus radius="0.13" tube_radius="0.012" sides="12" rings="40" rotation="90 0 0" scale="1 1 1.3"
             translation="0 0.14 0"/>
      <Points/>
      <RigidMap/>
      <Look color="0.20 0.42 0.62"/>
    </node>
    <node name="face">
      <Cylinder radius="0.12" height="0.004" sides="40" rotation="90 0 0" scale="1 1 1.3" translation="0 0.14 0"/>
      <Points/>
      <RigidMap/>
      <Look color="0.93 0.90 0.80"/>
    </node>
    <node name="handle">
      <Cylinder radius="0.016" height="0.34" sides="20" translation="0 -0.18 0"/>
      <Points/>
      <RigidMap/>
      <Look color="0.55 0.35 0.22"/>
    </node>
    <!-- a dot on one side of the head, to see the flip; its x and that of the axis have the same sign -->
    <node name="dot">
      <Sphere subdivisions="2" radius="0.022" translation="0.13 0.14 0"/>
      <Points/>
      <RigidMap/>
      <Look color="0.85 0.25 0.20"/>
      <Probe name="side" point="0" what="x"/>
    </node>
  </node>

  <Camera eye="0.5 0.45 1.5" target="0 0 0" field_of_view="32"/>
</tactus>
