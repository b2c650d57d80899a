<!-- SPDX-FileCopyrightText: The Tactus authors -->
<!-- SPDX-License-Identifier: MIT -->
<!-- Two strips: the upper one is laid down, sticks where it touches, and is torn off from one end. Links catch when their ends
     come near, and let go when they pull too hard. -->
<tactus version="1" title="Velcro" dt="0.002" duration="3" gravity="0 0 0">
  <node name="lower">
    <Line divisions="20"/>
    <Points name="points"/>
    <FixedPoints points="0-20"/>
    <Look radius="0.012" color="0.30 0.33 0.38"/>
  </node>
  <node name="upper">
    <Line divisions="20" from="0 0.2 0" to="1 0.2 0"/>
    <Points name="points"/>
    <UniformMass mass="0.01"/>
    <Springs stiffness="400" damping="0.2" period="0.0005"/>
    <Damping coefficient="0.02" period="0.0005"/>
    <ConstantForce points="0-19" force="0 -0.02 0" period="0.0005"/>
    <ScriptedMotion points="20" times="0 0.5 1 3" offsets="0 0 0  0 -0.17 0  0 -0.17 0  -0.1 0.5 0"/>
    <Look radius="0.012" color="0.80 0.30 0.20"/>
  </node>
  <ConditionalLinks matter="@/upper/points" other="@/lower/points" reach="0.201" period="0.0005"
                    states="free stuck" stiffness="0 30" damping="0 0.1" rest="0.03"
                    transitions="free to stuck when distance below 0.035; stuck to free when pull above 0.6"/>
</tactus>
