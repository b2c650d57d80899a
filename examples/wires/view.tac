<!-- SPDX-FileCopyrightText: The Tactus authors -->
<!-- SPDX-License-Identifier: MIT -->
<!-- Boxes of 10, 1 and 1 kg on four wires of 1 kg, with little time for computing. The wire that is looked at gets most of it:
     accuracy counts a thousand times more there (the document's figure 5). The view moves on every two seconds.
     tactus run examples/wires/view.tac && tactus plot view.tacrec probe -o view.png -->
<tactus version="1" title="Four wires share computing time; the one in view is finest" dt="${1/60}" duration="8">
  <param name="limit" default="0.0014" doc="Time for computing a step, in s."/>
  <param name="focus" default="1000" doc="How much more accuracy counts in view."/>

  <node name="rig">
    <Spook time_limit="${limit}"/>
    <node name="boxes">
      <Frames positions="0 -3 0 0 0 0 1   -3 -5.4 0 0 0 0 1   3 -5.4 0 0 0 0 1"/>
      <DiagonalMass masses="10 1 1" box="0.5 0.5 0.5"/>
      <node name="a"><Box low="-0.4 -0.4 -0.4" high="0.4 0.4 0.4"/><Points/><RigidMap frame="0"/><Look color="0.83 0.38 0.25"/></node>
      <node name="b"><Box low="-0.2 -0.2 -0.2" high="0.2 0.2 0.2"/><Points/><RigidMap frame="1"/><Look color="0.90 0.68 0.28"/></node>
      <node name="c"><Box low="-0.2 -0.2 -0.2" high="0.2 0.2 0.2"/><Points/><RigidMap frame="2"/><Look color="0.33 0.60 0.45"/></node>
    </node>
    <node name="left">
      <Line divisions="32" from="-3 0 0" to="0 -3 0"/>
      <Points/>
      <Wire mass="1" length="4.4" cost="0.0001" end="@../boxes/frames" focus="0 2 ${focus}"/>
      <FixedPoints points="0"/>
      <Look radius="0.04"/>
      <OutputProbe name="masses" of="@wire" what="resolution" index="1"/>
    </node>
    <node name="right">
      <Line divisions="32" from="3 0 0" to="0 -3 0"/>
      <Points/>
      <Wire mass="1" length="4.4" cost="0.0001" end="@../boxes/frames" focus="2 4 ${focus}"/>
      <FixedPoints points="0"/>
      <Look radius="0.04"/>
      <OutputProbe name="masses" of="@wire" what="resolution" index="1"/>
    </node>
    <node name="lower_left">
      <Line divisions="32" from="0 -3 0" to="-3 -5.4 0"/>
      <Points/>
      <Wire mass="1" cost="0.0001" start="@../boxes/frames" end="@../boxes/frames" end_point="1" focus="4 6 ${focus}"/>
      <Look radius="0.04"/>
      <OutputProbe name="masses" of="@wire" what="resolution" index="1"/>
    </node>
    <node name="lower_right">
      <Line divisions="32" from="0 -3 0" to="3 -5.4 0"/>
      <Points/>
      <Wire mass="1" cost="0.0001" start="@../boxes/frames" end="@../boxes/frames" end_point="2" focus="6 8 ${focus}"/>
      <Look radius="0.04"/>
      <OutputProbe name="masses" of="@wire" what="resolution" index="1"/>
    </node>
  </node>
  <Camera eye="0 -4 22" target="0 -4 0" field_of_view="32"/>
</tactus>
