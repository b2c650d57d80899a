<!-- SPDX-FileCopyrightText: The Tactus authors -->
<!-- SPDX-License-Identifier: MIT -->
<!-- A crate is dropped. In the air it is one frame. When it strikes, it becomes a solid of tetrahedra that wobbles; when it has
     come to rest for a while, it is a frame again. In between there are eight frames on soft joints: taken when there is
     less time (from 1 s to 1.6 s). Mass, centre, momentum and spin are the same before and after each change.
     tactus run examples/adaptive/crate.tac && tactus plot crate.tacrec probe -o crate.png -->
<tactus version="1" title="A crate as a frame, as jointed frames, as a solid" dt="0.005" duration="3">
  <param name="young" default="4e4" doc="Young's modulus of the solid, in Pa."/>

  <node name="crate">
    <!-- unless it is struck, accuracy hardly counts: the cheapest model wins -->
    <Levels level="0" weight_accuracy="1e-5" accuracies="0.1 0.4 1" blow="25" memory="0.5" attention="10" view="false"
            costs="1e-5 2e-4 2e-3" time_limit="0.003" gamma_time="2000" dips="1 1.6 0.0008"/>

    <node name="one">
      <SymplecticEuler/>
      <Frames positions="0 1.6 0 0 0 0 1" velocities="0.6 0 0 0.5 0.3 -1.6"/>
      <UniformMass mass="12" box="0.6 0.6 0.6"/>
      <node name="hull">
        <Box low="-0.3 -0.3 -0.3" high="0.3 0.3 0.3"/>
        <Points/>
        <RigidMap/>
        <Plane stiffness="2e4" damping="80" friction="0.5"/>
      </node>
    </node>

    <include file="jointed.tac" name="eight"/>

    <node name="solid">
      <ImplicitEuler damping_stiffness="0.004"/>
      <ConjugateGradient iterations="80" tolerance="1e-5"/>
      <Grid counts="5 5 5" low="-0.3 -0.3 -0.3" high="0.3 0.3 0.3" split="true"/>
      <Points translation="0 1.6 0"/>
      <DiagonalMass density="${12/0.216}"/>
      <Tetrahedra young="${young}" poisson="0.3"/>
      <Plane stiffness="2e4" damping="80" friction="0.5"/>
      <Look color="0.85 0.55 0.25"/>
    </node>

    <OutputProbe name="level" of="@levels" what="resolution" index="0"/>
    <OutputProbe name="energy_change" of="@levels" what="resolution" index="10"/>
  </node>
  <Camera eye="2.2 1.6 4.4" target="0.4 0.6 0" field_of_view="30"/>
</tactus>
