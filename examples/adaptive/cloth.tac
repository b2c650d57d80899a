<!-- SPDX-FileCopyrightText: The Tactus authors -->
<!-- SPDX-License-Identifier: MIT -->
<!-- Two cloths, each with seven models from 2 x 2 to 65 x 65 points, and time for one fine cloth at most. The view looks at
     the left one, then at the right one: each is fine while it is looked at, and coarse otherwise. Everything is seen on the
     finest grid; the plot shows the levels.
     tactus run examples/adaptive/cloth.tac && tactus plot cloth.tacrec probe -o cloth.png -->
<tactus version="1" title="Cloths that are fine where the view looks" dt="${1/60}" duration="3">
  <param name="limit" default="0.0095" doc="Time for computing a step, in s."/>

  <node name="left">
    <!-- a point costs 2 microseconds by this model, so a sheet of 65 x 65 takes 8.5 ms -->
    <Levels level="2" cost="2e-6" time_limit="${limit}"/>
    <include file="sheet.tac" name="r0" n="1" x="-1"/>
    <include file="sheet.tac" name="r1" n="2" x="-1"/>
    <include file="sheet.tac" name="r2" n="4" x="-1"/>
    <include file="sheet.tac" name="r3" n="8" x="-1"/>
    <include file="sheet.tac" name="r4" n="16" x="-1"/>
    <include file="sheet.tac" name="r5" n="32" x="-1"/>
    <include file="sheet.tac" name="r6" n="64" x="-1"/>
    <Look matter="@r6/points" color="0.26 0.47 0.66"/>
    <OutputProbe name="level" of="@levels" what="resolution" index="0"/>
  </node>

  <node name="right">
    <Levels level="2" cost="2e-6" time_limit="${limit}"/>
    <include file="sheet.tac" name="r0" n="1" x="1"/>
    <include file="sheet.tac" name="r1" n="2" x="1"/>
    <include file="sheet.tac" name="r2" n="4" x="1"/>
    <include file="sheet.tac" name="r3" n="8" x="1"/>
    <include file="sheet.tac" name="r4" n="16" x="1"/>
    <include file="sheet.tac" name="r5" n="32" x="1"/>
    <include file="sheet.tac" name="r6" n="64" x="1"/>
    <Look matter="@r6/points" color="0.83 0.38 0.25"/>
    <OutputProbe name="level" of="@levels" what="resolution" index="0"/>
  </node>

  <ViewPath times="0 1.2 1.6" eyes="-1 1.2 2  -1 1.2 2  1 1.2 2" targets="-1 1 0  -1 1 0  1 1 0"/>
  <Camera eye="0 1.9 4.6" target="0 1 0" field_of_view="32"/>
</tactus>
