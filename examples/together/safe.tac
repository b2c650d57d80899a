<!-- SPDX-FileCopyrightText: The Tactus authors -->
<!-- SPDX-License-Identifier: MIT -->
<!-- Everything in one world, under contact that cannot fail, each on its own clock: a cloth by implicit Euler every 10 ms, two
     polyhedra that only fly and are only kicked by contact, a soft block of tetrahedra in its skin every 2.5 ms, two boxes on an adaptive wire over
     a wheel under Spook every 1.25 ms, and an agglomerate of balls, whose law ticks as often as it needs, poured over all of it.
     Try: tactus run safe.tac with the options audit and time 10 -->
<tactus version="1" title="One world: cloth, polyhedra, a soft block, a wire over a wheel, an agglomerate" dt="0.01" duration="1">
  <param name="cells" default="6" doc="Cells along each side of the cloth."/>
  <param name="thickness" default="0.008" doc="Distance at which contact begins, in m."/>
  <Contact method="safe" thickness="${thickness}" friction="0.4" restitution="0.2" speed="1"/>

  <node name="floor">
    <Sheet divisions="1" width="1.6" depth="1.2"/>
    <Points/>
    <FixedPoints points="0-3"/>
    <Skin name="skin"/>
    <Look color="0.55 0.57 0.60"/>
  </node>

  <node name="cloth">
    <ImplicitEuler damping_stiffness="0.005"/>
    <SparseDirect/>
    <Sheet divisions="${cells}" width="0.6" depth="0.6" translation="-0.4 0.35 0"/>
    <Points/>
    <UniformMass total="0.2"/>
    <Springs stiffness="400" damping="0.2"/>
    <FixedPoints points="0 ${cells} ${cells*(cells+1)} ${(cells+1)*(cells+1)-1}"/>
    <Skin name="skin"/>
    <Look color="0.80 0.30 0.24"/>
  </node>

  <node name="rocks">
    <node name="cube">
      <Frames positions="-0.45 0.50 0.05 0.2 0.1 0.3 0.93"/>
      <UniformMass mass="0.15" box="0.12 0.12 0.12"/>
      <node name="shape"><Box low="-0.06 -0.06 -0.06" high="0.06 0.06 0.06"/><Points/><RigidMap/><Skin name="skin"/><Look color="0.28 0.32 0.38"/></node>
    </node>
    <node name="icosahedron">
      <Frames positions="-0.30 0.68 -0.04 0.1 0.3 0 0.95"/>
      <UniformMass mass="0.1" box="0.1 0.1 0.1"/>
      <node name="shape"><Sphere radius="0.08" subdivisions="0"/><Points/><RigidMap/><Skin name="skin"/><Look color="0.56 0.42 0.66"/></node>
    </node>
  </node>

  <node name="block">
    <ImplicitEuler step="0.0025" damping_stiffness="0.01"/>
    <SparseDirect/>
    <Grid counts="2 2 2" low="0.08 0.02 -0.1" high="0.28 0.16 0.1" split="true"/>
    <Points/>
    <UniformMass total="0.6"/>
    <Tetrahedra young="20000" poisson="0.3"/>
    <Skin name="skin" self="false"/>
    <Look color="0.33 0.60 0.45"/>
  </node>

  <node name="wheel">
    <Cylinder radius="0.06" height="0.16" sides="10" rotation="90 0 0" translation="0.45 0.62 -0.08"/>
    <Points/>
    <FixedPoints box="-9 -9 -9 9 9 9"/>
    <Skin name="skin"/>
    <Look color="0.5 0.5 0.5"/>
  </node>

  <node name="hung">
    <Spook step="0.00125"/>
    <node name="box">
      <Frames positions="0.35 0.28 0 0 0 0 1"/>
      <UniformMass mass="0.3" box="0.12 0.12 0.12"/>
      <node name="shape"><Box low="-0.06 -0.06 -0.06" high="0.06 0.06 0.06"/><Points/><RigidMap/><Skin name="skin" group="1"/><Look color="0.25 0.48 0.70"/></node>
    </node>
    <node name="weight">
      <Frames positions="0.55 0.35 0 0 0 0 1"/>
      <UniformMass mass="0.3" box="0.08 0.08 0.08"/>
      <node name="shape"><Box low="-0.04 -0.04 -0.04" high="0.04 0.04 0.04"/><Points/><RigidMap/><Skin name="skin" group="1"/><Look color="0.28 0.32 0.38"/></node>
    </node>
    <node name="wire">
      <Line divisions="8"/>
      <Points positions="0.35 0.4 0  0.35 0.5 0  0.35 0.6 0  0.35 0.7 0  0.45 0.7 0  0.55 0.7 0  0.55 0.6 0  0.55 0.5 0  0.55 0.4 0"/>
      <!-- it adapts, but never so that it would go through the wheel -->
      <Wire mass="0.05" start="@../box/frames" end="@../weight/frames" level="3"/>
      <!-- it is tied to the boxes, so they do not touch it -->
      <Skin name="skin" radius="0.004" self="false" group="2" mask="0 2"/>
      <Look radius="0.006"/>
      <OutputProbe name="tension" of="@wire" what="resolution" index="2"/>
    </node>
  </node>

  <node name="poured">
    <Points positions="0.14 0.26 0  0.19 0.26 0  0.165 0.26 0.043  0.165 0.303 0.016
                       -0.42 0.95 0  -0.37 0.95 0.01  -0.395 0.95 0.05  -0.395 0.993 0.02
                       0.36 0.90 0.02  0.41 0.90 0.02  0.385 0.943 0.02  0.385 0.915 0.065"/>
    <UniformMass mass="0.01"/>
    <Liaisons fit="lennard-jones" depth="0.002" distance="0.052" exponent="4" viscosity="0.05"/>
    <Balls name="skin" radius="0.018"/>
    <Look color="0.90 0.68 0.28"/>
  </node>

  <ContactProbe name="on_floor" model="@floor/skin"/>
  <ContactProbe name="on_cloth" model="@cloth/skin"/>
  <Camera eye="0.4 1.0 2.2" target="0 0.3 0" field_of_view="36"/>
  <Record fps="25"/>
</tactus>
