<!-- SPDX-FileCopyrightText: The Tactus authors -->
<!-- SPDX-License-Identifier: MIT -->
<!-- One model of a cloth: a sheet of n pieces a side, held at two corners. cloth.tac includes it seven times, from 1 to 64
     pieces. Stiffness (N/m), bending (N m) and mass (kg/m^2) belong to the cloth, not to its springs, so it hangs alike
     however finely it is divided. -->
<tactus version="1" title="A sheet held at two corners" dt="${1/60}" duration="2">
  <param name="n" default="8" doc="Pieces along each side."/>
  <param name="x" default="0" doc="Where its middle is, in m."/>

  <ImplicitEuler damping_mass="0.3"/>
  <ConjugateGradient iterations="40" tolerance="1e-3"/>
  <Sheet divisions="${n}" width="1.2" depth="1.2"/>
  <Points translation="${x} 1.5 0"/>
  <DiagonalMass density="0.2"/>
  <FixedPoints box="${x-0.61} 1 -0.61 ${x-0.59} 2 -0.59  ${x+0.59} 1 -0.61 ${x+0.61} 2 -0.59"/>
  <MeshSprings membrane="150" membrane_damping="0.05"/>
  <BendingSprings stiffness="1e-4"/>
</tactus>
