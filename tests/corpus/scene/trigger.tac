<!-- SPDX-FileCopyrightText: The Tactus authors -->
<!-- SPDX-License-Identifier: MIT -->
<tactus version="1" dt="0.01">
  <node name="n">
    <Spook/>
    <Frames positions="0 0 0 0 0 0 1 1 0 0 0 0 0 1"/>
    <UniformMass mass="1" box="1 1 1"/>
    <BallJoint name="j" other="@frames" other_point="1" open="true"/>
    <Motor name="m" axis="1 0 0" motion="slide" speed="0"/>
    <Probe name="p"/>
  </node>
  <Trigger name="t" when="time" value="0.1" then="close" what="@n/j"/>
  <Trigger when="below" probe="@n/p" value="-0.1" after="@t" delay="0.05" then="open" what="@n/j" times="0"/>
  <Trigger when="above" probe="@n/p" value="1" then="set" what="@n/m" attribute="speed" to="2"/>
  <Trigger when="time" value="1" then="stop"/>
</tactus>
