<!-- SPDX-FileCopyrightText: The Tactus authors -->
<!-- SPDX-License-Identifier: MIT -->
<!-- A rope of 2 kg over a wheel slides off to the side on which more of it hangs: x = x0 cosh(t sqrt(2 g / L)). It has mass
     wherever it hangs: masses vanish as they come near the wheel and are there again behind it. With friction it turns the wheel.
     tactus run examples/wires/peg.tac && tactus plot peg.tacrec probe -o peg.png -->
<tactus version="1" title="A rope slides off a wheel" dt="${1/60}" duration="2.5">
  <param name="more" default="0.5" doc="How much farther it hangs down on the right than in the middle, in m."/>
  <param name="friction" default="0.4" doc="Of the rope on the wheel."/>

  <node name="rig">
    <Spook/>
    <node name="wheel">
      <Frames/>
      <UniformMass mass="0.5" inertia="0.01 0.01 0.01"/>
      <HingeJoint/>
      <node name="shape"><Cylinder radius="0.29" height="0.2" rotation="90 0 0"/><Points/><RigidMap/><Look color="0.45 0.47 0.50"/></node>
    </node>
    <node name="rope">
      <Line divisions="64" from="-0.3 ${more-5} 0" to="0.3 ${-more-5} 0"/>
      <Points/>
      <Wire mass="2" lowest="3" level="6" wheels="@../wheel/frames" wheel_points="0" radii="0.3" senses="-1" friction="${friction}"/>
      <Look color="0.83 0.38 0.25" radius="0.03"/>
      <OutputProbe name="masses" of="@wire" what="resolution" index="1"/>
      <OutputProbe name="tension" of="@wire" what="resolution" index="2"/>
    </node>
  </node>
  <Camera eye="0 -5 22" target="0 -5 0" field_of_view="36"/>
</tactus>
