<!-- SPDX-FileCopyrightText: The Tactus authors -->
<!-- SPDX-License-Identifier: MIT -->
<!-- One soft beam, clamped at its left end. Other scenes include it, each time with other parameters; see methods.tac. -->
<tactus version="1" title="One soft beam" duration="3">
  <param name="method" default="polar" doc="How each element's rotation is found."/>
  <param name="young" default="600000" doc="Young's modulus, in Pa."/>
  <param name="z" default="0" doc="Where it stands, in m."/>
  <param name="color" default="0.85 0.45 0.25" doc="Red, green and blue."/>

  <ImplicitEuler damping_mass="2" damping_stiffness="0.005"/>
  <ConjugateGradient iterations="100" tolerance="1e-5"/>
  <Grid counts="21 4 4" low="0 0 0" high="1 0.15 0.15" split="true"/>
  <Points translation="0 1 ${z}"/>
  <DiagonalMass density="1000"/>
  <FixedPoints box="-0.001 -9 -99 0.001 9 99"/>
  <Tetrahedra young="${young}" poisson="0.3" method="${method}"/>
  <Look color="${color}"/>
  <Probe name="tip" point="20" what="y"/>
</tactus>
