<!-- SPDX-FileCopyrightText: The Tactus authors -->
<!-- SPDX-License-Identifier: MIT -->
<!-- A beam clamped at one end bends under its own weight, and comes to rest where beam theory says, as far as its
     tetrahedra allow.

     For a beam of length L, height h and density r, clamped at one end, slender and little bent, the tip sinks by
         w = r g A L^4 / (8 E I) = 3 r g L^4 / (2 E h^2)        (Euler and Bernoulli; I = b h^3 / 12, A = b h)
     Here that is 1.5 * 1000 * 9.81 * 1^4 / (7.5e6 * 0.2^2) = 0.0491 m; shear adds 0.002 m.
     Linear tetrahedra are too stiff in bending, the more so the coarser they are: with n = 2, 4 and 8 the tip sinks by
     0.026, 0.040 and 0.047 m (the option sweep of tactus run makes such a table: n=2,4,8). -->
<tactus version="1" title="A beam bends under its own weight" dt="0.01" duration="4">
  <param name="n" default="4" doc="Tetrahedra cells across the height; five times as many along the beam."/>
  <param name="young" default="7.5e6" doc="Young's modulus, in Pa."/>

  <node name="beam">
    <ImplicitEuler damping_mass="3" damping_stiffness="0.01"/>
    <ConjugateGradient iterations="300" tolerance="1e-6"/>
    <Grid counts="${5*n+1} ${n+1} ${n+1}" low="0 0 0" high="1 0.2 0.2" split="true"/>
    <Points translation="0 0.4 -0.1"/>
    <DiagonalMass density="1000"/>
    <!-- the clamp: every point of the left face -->
    <FixedPoints box="-0.001 0 -1 0.001 1 1"/>
    <Tetrahedra young="${young}" poisson="0.3"/>
    <Look color="0.85 0.45 0.25"/>
    <!-- the middle of the tip's lower edge, where the grid has a point -->
    <Probe name="tip" point="${5*n}" what="y"/>
  </node>
</tactus>
