<!-- SPDX-FileCopyrightText: The Tactus authors -->
<!-- SPDX-License-Identifier: MIT -->
<!-- One model of a cloth: a sheet of n pieces a side, held at two corners. cloth.tac includes it seven times, from 1 to 64
     pieces. Stiffness (N/m), bending (N m) and mass (kg/m^2) belong to the cloth, not to its springs, so it hangs alike
     however finely it is divided. patches.tac has sheets that are finer in one quarter. -->
<tactus version="1" title="A sheet held at two corners">
  <param name="n" default="8" doc="Pieces along each side."/>
  <param name="x" default="0" doc="Where its middle is, in m."/>
  <param name="size" default="1.2" doc="Of its sides, in m."/>
  <param name="fine" default="" doc="Rectangles in which it is finer, in m."/>
  <param name="halvings" default="1" doc="How much finer there."/>

  <ImplicitEuler damping_mass="0.3"/>
  <ConjugateGradient iterations="40" tolerance="1e-3"/>
  <Sheet divisions="${n}" width="${size}" depth="${size}" fine="${fine}" halvings="${halvings}"/>
  <Points translation="${x} 1.5 0"/>
  <DiagonalMass density="0.2"/>
  <FixedPoints box="${x-size/2-0.01} 1 ${-size/2-0.01} ${x-size/2+0.01} 2 ${-size/2+0.01}  ${x+size/2-0.01} 1 ${-size/2-0.01} ${x+size/2+0.01} 2 ${-size/2+0.01}"/>
  <MeshSprings membrane="150" membrane_damping="0.05"/>
  <BendingSprings stiffness="1e-4"/>
</tactus>
