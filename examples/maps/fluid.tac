<!-- SPDX-FileCopyrightText: The Tactus authors -->
<!-- SPDX-License-Identifier: MIT -->
<!-- A column of fluid collapses in a basin with a sloping floor. The fluid is particles; what one sees is a surface
     that a map makes around them, anew in every step: where the sum of their bumps is at a level. -->
<tactus version="1" title="A fluid and its surface" dt="0.01" duration="2" gravity="0 -10 0">
  <param name="viscosity" default="10" doc="Of the fluid, artificial."/>

  <node name="fluid">
    <SymplecticEuler/>
    <Grid counts="4 14 4" low="-1.2 -3 -1.2" high="0 2 0"/>
    <Points/>
    <UniformMass mass="1"/>
    <SmoothedParticles radius="0.745" density="15" pressure="1000" kernel="cubic" viscosity_type="artificial"
                       viscosity="${viscosity}"/>
    <Plane normal="1 0 0" offset="-3" stiffness="500" damping="5"/>
    <Plane normal="-1 0 0" offset="-3" stiffness="500" damping="5"/>
    <Plane normal="0.3 1 0" offset="-3.5" stiffness="500" damping="5"/>
    <Plane normal="0 0 1" offset="-2" stiffness="500" damping="5"/>
    <Plane normal="0 0 -1" offset="-1" stiffness="500" damping="5"/>
    <Look visible="no"/>

    <node name="skin">
      <Shards count="9000"/>
      <Points/>
      <ParticleSurface radius="0.7" level="0.25" cell="0.35"/>
      <Look color="0.25 0.48 0.70"/>
    </node>
  </node>

  <Camera eye="3 3 11" target="0 -1.8 -0.5" field_of_view="40"/>
</tactus>
