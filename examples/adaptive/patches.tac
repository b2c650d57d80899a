<!-- SPDX-FileCopyrightText: The Tactus authors -->
<!-- SPDX-License-Identifier: MIT -->
<!-- A cloth of four quarters, and time for one fine quarter. Its models are a coarse sheet, four sheets that are fine in one
     quarter each, and one that is fine everywhere (for which there is no time, but on which all are drawn). The view wanders over the cloth:
     the quarter that it looks at is fine. The plot shows which model lives.
     tactus run examples/adaptive/patches.tac && tactus plot patches.tacrec probe -o patches.png -->
<tactus version="1" title="A cloth that is fine where the view looks" dt="${1/60}" duration="4">
  <node name="cloth">
    <Levels level="0" local="true" cost="1e-5" time_limit="0.006" patience="0.05"/>
    <include file="sheet.tac" name="coarse" n="8" size="2"/>
    <include file="sheet.tac" name="upper_left" n="8" size="2" fine="-1 -1 -0.01 -0.01" halvings="2"/>
    <include file="sheet.tac" name="upper_right" n="8" size="2" fine="0.01 -1 1 -0.01" halvings="2"/>
    <include file="sheet.tac" name="lower_left" n="8" size="2" fine="-1 0.01 -0.01 1" halvings="2"/>
    <include file="sheet.tac" name="lower_right" n="8" size="2" fine="0.01 0.01 1 1" halvings="2"/>
    <include file="sheet.tac" name="all" n="32" size="2"/>
    <Look matter="@all/points" color="0.33 0.60 0.45"/>
    <OutputProbe name="level" of="@levels" what="resolution" index="0"/>
    <OutputProbe name="points" of="@levels" what="resolution" index="1"/>
  </node>

  <ViewPath times="0 1 1.2 2 2.2 3 3.2" eyes="0 0.5 5  0 0.5 5  0 0.5 5  0 0.5 5  0 0.5 5  0 0.5 5  0 0.5 5"
            targets="-0.6 1.1 -1  -0.6 1.1 -1   0.6 1.1 -1  0.6 1.1 -1   0.5 -0.2 -1  0.5 -0.2 -1  -0.5 -0.2 -1"/>
  <Camera eye="0 1 6.5" target="0 0.6 -0.5" field_of_view="32"/>
</tactus>
