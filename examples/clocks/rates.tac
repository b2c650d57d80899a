<!-- SPDX-FileCopyrightText: The Tactus authors -->
<!-- SPDX-License-Identifier: MIT -->
<!-- The same pendulum four times, each an agent with its own step: one beat, two beats, half a beat (these are on the
     ruler) and an exact 1/60 s, which is 5/3 of a beat and needs a clock of its own. The last one hangs still, and a
     weak spring ties it to the one before. No solver owns both ends, so the spring is a law on its own clock, a quarter
     of a beat; through it the swing passes from one agent to the other and back.
         tactus check examples/clocks/rates.tac            lists the clocks
         tactus plot rates.tacrec probe -o swings.png -->
<tactus version="1" title="Four agents and a law, on five clocks" dt="0.01" duration="12">
  <param name="coupling" default="1.5" doc="Stiffness of the spring between two agents, in N/m."/>

  <include file="pendulum.tac" name="one"      z="-0.9" color="0.84 0.40 0.24"/>
  <include file="pendulum.tac" name="two"      z="-0.3" color="0.90 0.68 0.25" step="0.02"/>
  <include file="pendulum.tac" name="half"     z="0.3"  color="0.30 0.60 0.45" step="0.005"/>
  <include file="pendulum.tac" name="sixtieth" z="0.9"  color="0.24 0.48 0.72" step="${1/60}" x="0" y="-1"/>

  <Springs name="coupling" matter="@/half/points" other="@/sixtieth/points" pairs="1 1" stiffness="${coupling}"
           lengths="0" period="0.0025"/>

  <Camera eye="3.0 0.6 3.4" target="0 -0.55 0" field_of_view="30"/>
</tactus>
