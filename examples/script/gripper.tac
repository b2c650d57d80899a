<!-- SPDX-FileCopyrightText: The Tactus authors -->
<!-- SPDX-License-Identifier: MIT -->
<!-- Two jaws squeeze a soft block, lift it, shake it and pull it long. Jaws and the two faces they hold follow the same
     keyframes; all points between them are free. At every step the scripted points are where the script has them. -->
<tactus version="1" title="A gripper squeezes, lifts, shakes and stretches a soft block" dt="0.01" duration="6">
  <param name="squeeze" default="0.08" doc="How far each jaw closes, in m."/>
  <param name="lift" default="0.35" doc="How high it lifts, in m."/>

  <node name="block">
    <ImplicitEuler damping_stiffness="0.006"/>
    <ConjugateGradient iterations="100" tolerance="1e-5"/>
    <Grid counts="11 7 7" low="-0.3 0.01 -0.18" high="0.3 0.37 0.18" split="true"/>
    <Points/>
    <DiagonalMass density="500"/>
    <Tetrahedra young="12000" poisson="0.4"/>
    <ScriptedMotion name="left" box="-0.301 0 -1 -0.299 1 1" times="0.5 1.5 2.5 3 3.25 3.5 3.75 4 5"
                    offsets="0 0 0  ${squeeze} 0 0  ${squeeze} ${lift} 0  ${squeeze} ${lift} 0
                             ${squeeze} ${lift} 0.15  ${squeeze} ${lift} -0.15  ${squeeze} ${lift} 0.15
                             ${squeeze} ${lift} 0  -0.05 ${lift} 0"/>
    <ScriptedMotion name="right" box="0.299 0 -1 0.301 1 1" times="0.5 1.5 2.5 3 3.25 3.5 3.75 4 5"
                    offsets="0 0 0  ${-squeeze} 0 0  ${-squeeze} ${lift} 0  ${-squeeze} ${lift} 0
                             ${-squeeze} ${lift} 0.15  ${-squeeze} ${lift} -0.15  ${-squeeze} ${lift} 0.15
                             ${-squeeze} ${lift} 0  0.05 ${lift} 0"/>
    <Plane stiffness="300" damping="1" friction="0.5"/>
    <Look color="0.86 0.55 0.42"/>
    <Probe name="middle" point="38" what="y"/>
  </node>

  <!-- seen only: no law knows them, no solver moves them. They take their keyframes from the script above -->
  <node name="left">
    <Box low="-0.36 0.03 -0.20" high="-0.302 0.39 0.20"/>
    <Points/>
    <ScriptedMotion times="@/block/left.times" offsets="@/block/left.offsets"/>
    <Look color="0.28 0.32 0.38"/>
  </node>
  <node name="right">
    <Box low="0.302 0.03 -0.20" high="0.36 0.39 0.20"/>
    <Points/>
    <ScriptedMotion times="@/block/right.times" offsets="@/block/right.offsets"/>
    <Look color="0.28 0.32 0.38"/>
  </node>

  <Camera eye="0.9 0.95 2.3" target="0 0.4 0" field_of_view="32"/>
</tactus>
