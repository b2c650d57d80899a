<!-- SPDX-FileCopyrightText: The Tactus authors -->
<!-- SPDX-License-Identifier: MIT -->
<!-- A drop with its contour (section V): 30 balls that hold together, and the surface on which an environment would meet them. The
     surface is made anew for every frame, so the drop may part and join. -->
<tactus version="1" title="A drop falls, flattens and keeps its contour" dt="0.001" duration="1.5">
  <node name="drop">
    <SymplecticEuler/>
    <Points positions="0 0.12 0  0 0.12 0  0 0.12 0  0 0.12 0  0 0.12 0  0 0.12 0  0 0.12 0  0 0.12 0  0 0.12 0  0 0.12 0
                       0 0.12 0  0 0.12 0  0 0.12 0  0 0.12 0  0 0.12 0  0 0.12 0  0 0.12 0  0 0.12 0  0 0.12 0  0 0.12 0
                       0 0.12 0  0 0.12 0  0 0.12 0  0 0.12 0  0 0.12 0  0 0.12 0  0 0.12 0  0 0.12 0  0 0.12 0  0 0.12 0"
            around="0.045 0.045 0.045"/>
    <UniformMass mass="0.002"/>
    <Liaisons fit="lennard-jones" depth="0.004" distance="0.03" exponent="4" viscosity="0.05"/>
    <Damping coefficient="0.004"/>
    <Plane offset="0" stiffness="200" damping="0.1" radius="0.015" friction="0.3"/>
    <node name="skin">
      <Shards count="30000"/>
      <Points/>
      <Contour radius="0.02"/>
      <Look color="0.35 0.55 0.85"/>
    </node>
  </node>
  <Camera eye="0.25 0.2 0.35" target="0 0.04 0"/>
  <Record fps="25"/>
</tactus>
