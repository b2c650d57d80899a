<!-- SPDX-FileCopyrightText: The Tactus authors -->
<!-- SPDX-License-Identifier: MIT -->
<!-- Two loads hang on a wire over a wheel, and a ball flies into the wire, under contact that cannot fail. The wire meets the wheel by contact
     nodes, and everything else by layers. With lowest=-1 it has no masses while nothing touches it.
     Try: tactus run examples/wires/pulley.tac with the option audit, then plot the probes -->
<tactus version="1" title="A wire over a wheel, and a ball" dt="0.01" duration="2">
  <param name="left" default="12" doc="Mass of the left load, in kg."/>
  <param name="right" default="10" doc="Mass of the right load, in kg."/>
  <param name="speed" default="4" doc="Of the ball, in m/s."/>
  <param name="lowest" default="0" doc="The coarsest level of the wire."/>
  <Contact method="safe" thickness="0.01" friction="0.2" restitution="0.4" speed="2"/>
  <node name="floor">
    <Box low="-2 -3.2 -1" high="2 -3 1"/>
    <Points/>
    <FixedPoints box="-9 -9 -9 9 9 9"/>
    <Skin name="skin"/>
    <Look color="0.75 0.75 0.73"/>
  </node>
  <node name="rig">
    <Spook step="0.0025"/>
    <node name="wheel">
      <Frames/>
      <UniformMass mass="5" inertia="0.2 0.2 0.2"/>
      <HingeJoint/>
      <node name="shape"><Cylinder radius="0.29" height="0.2" sides="24" rotation="90 0 0"/><Points/><RigidMap/><Skin name="skin"/><Look color="0.45 0.47 0.50"/></node>
    </node>
    <node name="loads">
      <Frames positions="-0.3 -1.5 0 0 0 0 1   0.3 -1.5 0 0 0 0 1"/>
      <DiagonalMass masses="${left} ${right}" box="0.2 0.2 0.2"/>
      <node name="a"><Box low="-0.1 -0.22 -0.1" high="0.1 -0.02 0.1"/><Points/><RigidMap frame="0"/><Skin name="skin"/><Look color="0.83 0.38 0.25"/></node>
      <node name="b"><Box low="-0.1 -0.22 -0.1" high="0.1 -0.02 0.1"/><Points/><RigidMap frame="1"/><Skin name="skin"/><Look color="0.25 0.48 0.70"/></node>
    </node>
    <node name="wire">
      <Line divisions="32" from="-0.3 -1.5 0" to="0.3 -1.5 0"/>
      <Points/>
      <Wire mass="1" lowest="${lowest}" start="@../loads/frames" end="@../loads/frames" end_point="1"
            wheels="@../wheel/frames" wheel_points="0" radii="0.3" senses="-1" friction="0.4"/>
      <Skin name="skin" radius="0.008"/>
      <Look color="0.25 0.28 0.32" radius="0.015"/>
      <OutputProbe name="masses" of="@wire" what="resolution" index="1"/>
      <OutputProbe name="tension" of="@wire" what="resolution" index="2"/>
      <OutputProbe name="postponed" of="@wire" what="resolution" index="9"/>
    </node>
  </node>
  <node name="ball">
    <Frames positions="-1.4 -0.9 0 0 0 0 1" velocities="${speed} 1 0 0 0 0"/>
    <UniformMass mass="1" box="0.2 0.2 0.2"/>
    <node name="shape"><Sphere radius="0.12" subdivisions="1"/><Points/><RigidMap/><Skin name="skin"/><Look color="0.90 0.70 0.20"/></node>
  </node>
  <Camera eye="0 -1.2 7" target="0 -1.4 0" field_of_view="40"/>
  <Record fps="50"/>
</tactus>
