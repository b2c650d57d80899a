<!-- SPDX-FileCopyrightText: The Tactus authors -->
<!-- SPDX-License-Identifier: MIT -->
<!-- A chain and a steel rope hang between two posts; between them swings a pendulum on a rod. All are tied by Spook: nothing
     stretches that should not. -->
<tactus version="1" title="Chain, rope and pendulum" dt="${1/60}" duration="6">
  <node name="chain">
    <Spook/>
    <Line divisions="32" from="-3 0 -0.5" to="3 0 -0.5"/>
    <Points/>
    <Wire material="chain" diameter="0.01" length="8"/>
    <FixedPoints points="0 32"/>
    <Damping coefficient="0.3"/>
    <Look color="0.45 0.47 0.50" radius="0.05"/>
  </node>
  <node name="rope">
    <Spook/>
    <Line divisions="32" from="-3 0 0.5" to="3 0 0.5"/>
    <Points/>
    <Wire material="steel" diameter="0.02" length="7"/>
    <FixedPoints points="0 32"/>
    <Damping coefficient="0.3"/>
    <Look color="0.25 0.28 0.32" radius="0.04"/>
  </node>
  <node name="pendulum">
    <Spook/>
    <Line divisions="1" from="0 0 0" to="1.2 -1.6 0"/>
    <Points/>
    <UniformMass mass="1"/>
    <FixedPoints points="0"/>
    <DistanceJoints pairs="0 1"/>
    <Look color="0.83 0.38 0.25" radius="0.06"/>
    <OutputProbe name="tension" of="@distanceJoints" what="tensions"/>
  </node>
  <Camera eye="2 1 10" target="0 -1.3 0" field_of_view="38"/>
</tactus>
