<!-- SPDX-FileCopyrightText: The Tactus authors -->
<!-- SPDX-License-Identifier: MIT -->
<!-- A whip without load: its handle is thrown forward and back, and a loop runs to the tip. Nothing heavy hangs on it, but the
     crack itself pulls hard: for a moment the whip is coarser.
     tactus run examples/wires/whip.tac && tactus plot whip.tacrec probe -o whip.png -->
<tactus version="1" title="A whip cracks" dt="${1/120}" duration="3">
  <param name="reach" default="1.2" doc="How far the hand goes, in m."/>

  <node name="whip">
    <Spook/>
    <Line divisions="64" from="0 2 0" to="-4 2 0"/>
    <Points/>
    <Wire mass="0.4" bend="0.0005"/>
    <ScriptedMotion points="0" times="0 0.25 0.4 0.6 3"
                    offsets="0 0 0  ${reach} 0.5 0  ${1.2*reach} 0.2 0  ${0.2*reach} 0 0  ${0.2*reach} 0 0"/>
    <Damping coefficient="0.0005"/>
    <Look color="0.35 0.22 0.15" radius="0.02"/>
    <OutputProbe name="masses" of="@wire" what="resolution" index="1"/>
    <OutputProbe name="tension" of="@wire" what="resolution" index="2"/>
    <Probe name="tip" point="64" what="speed"/>
  </node>
  <Camera eye="0 1 12" target="0 1 0" field_of_view="32"/>
</tactus>
