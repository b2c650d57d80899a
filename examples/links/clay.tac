<!-- SPDX-FileCopyrightText: The Tactus authors -->
<!-- SPDX-License-Identifier: MIT -->
<!-- A bar of clay that a hand bends and lets go: links that were stretched or pressed too far keep their new length, so it stays
     bent. With a yield of 1 nothing gives way, and it springs back. The hand holds by links that open after a second. -->
<tactus version="1" title="Clay stays bent" dt="0.001" duration="3" gravity="0 0 0">
  <param name="yield" default="0.004" doc="How far a link stretches before it gives way, in m."/>

  <node name="bar">
    <SymplecticEuler step="0.0005"/>
    <Grid counts="13 3 3" high="1.2 0.2 0.2"/>
    <Points name="points"/>
    <UniformMass mass="0.01"/>
    <FixedPoints box="-0.01 -1 -1 0.01 1 1"/>
    <ConditionalLinks reach="0.18" states="firm drawn pressed" stiffness="500" damping="0.3"
                      rest="start entered-${yield} entered+${yield}"
                      transitions="firm to drawn when stretch above ${yield}; firm to pressed when stretch below -${yield};
                                   drawn to drawn when stretch above ${yield}; drawn to pressed when stretch below -${yield};
                                   pressed to drawn when stretch above ${yield};
                                   pressed to pressed when stretch below -${yield}"/>
    <Damping coefficient="0.05"/>
    <Look radius="0.045" color="0.55 0.62 0.40"/>
    <Probe name="end" point="12" what="y"/>
  </node>
  <node name="hand">
    <Points name="points" positions="1.2 0.1 0.1"/>
    <ScriptedMotion times="0 0.8 3" offsets="0 0 0  -0.1 0.4 0  -0.1 0.4 0"/>
    <Look radius="0.03" color="0.80 0.30 0.20"/>
  </node>
  <ConditionalLinks name="grip" matter="@/hand/points" other="@/bar/points" reach="0.15" period="0.0005"
                    states="holds open" stiffness="500 0" damping="1 0" transitions="holds to open when time above 1"/>
</tactus>
