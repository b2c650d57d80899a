<!-- SPDX-FileCopyrightText: The Tactus authors -->
<!-- SPDX-License-Identifier: MIT -->
<!-- A box of 100 kg on a wire of 1 kg, at 1/60 s: one hundredth of the load's mass, divided into 33, could never carry it at
     this step. So the wire is coarse where it pulls hard and fine where it hangs loose. Between 5 s and 7 s there is little
     time for computing, and it becomes coarser still (the document's figure 4).
     tactus run examples/wires/hoist.tac
     tactus plot hoist.tacrec probe/swing/wire/masses -o masses.png
     tactus plot hoist.tacrec probe/swing/wire/q -o qualities.png -->
<tactus version="1" title="A box swings on a wire whose resolution adapts" dt="${1/60}" duration="8" gravity="0 -9.8 0">
  <param name="load" default="100" doc="Mass of the box, in kg."/>
  <param name="speed" default="14" doc="Of the box at its lowest point, in m/s."/>
  <param name="lowest" default="0" doc="Coarsest level of the wire; 5 forbids it to adapt."/>
  <param name="dip" default="0.0001" doc="Time for computing between 5 s and 7 s, in s."/>

  <node name="swing">
    <Spook dips="5 7 ${dip}"/>
    <node name="box">
      <Frames positions="0 -10 0 0 0 0 1" velocities="${speed} 0 0 0 0 0"/>
      <UniformMass mass="${load}" box="0.6 0.6 0.6"/>
      <node name="shape">
        <Box low="-0.3 -0.3 -0.3" high="0.3 0.3 0.3"/>
        <Points/>
        <RigidMap/>
        <Look color="0.83 0.38 0.25"/>
      </node>
    </node>
    <node name="wire">
      <Line divisions="32" from="0 0 0" to="0 -10 0"/>
      <Points/>
      <!-- a slow machine: a tenth of a millisecond for each mass -->
      <Wire mass="1" end="@../box/frames" lowest="${lowest}" cost="0.0001"/>
      <FixedPoints points="0"/>
      <Look color="0.25 0.28 0.32" radius="0.06"/>
      <OutputProbe name="masses" of="@wire" what="resolution" index="1"/>
      <OutputProbe name="tension" of="@wire" what="resolution" index="2"/>
      <OutputProbe name="q_accuracy" of="@wire" what="resolution" index="4"/>
      <OutputProbe name="q_time" of="@wire" what="resolution" index="5"/>
      <OutputProbe name="q_robustness" of="@wire" what="resolution" index="6"/>
    </node>
  </node>
  <Camera eye="0 -2 40" target="0 -2 0" field_of_view="35"/>
</tactus>
