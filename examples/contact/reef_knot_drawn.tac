<!-- SPDX-FileCopyrightText: The Tactus authors -->
<!-- SPDX-License-Identifier: MIT -->
<!-- The reef knot once more, its ends not pulled by a force but drawn apart along a given way that slows down. Ribbons
     that are drawn farther than they are long must stretch: with draw="0.2" the run ends with a tight knot, with
     draw="1.2" with a tighter one, ten times as dear, and nothing has met. How the cost of a frame rises as the knot
     tightens: `tactus plot reef_knot_drawn.tacrec wall -o cost.png`. -->
<tactus version="1" title="A reef knot is drawn tight" dt="0.01" duration="0.16" gravity="0 0 0">
  <param name="across" default="3" doc="Cells across each ribbon."/>
  <param name="draw" default="0.2" doc="How far each pair of ends is drawn, in m."/>
  <param name="time" default="0.15" doc="How long that takes, in s."/>

  <Contact thickness="0.002" friction="0.2" restitution="0"/>

  <node name="left">
    <SymplecticEuler step="${0.0009/across}"/>
    <Ribbon curve="reef_knot_left" across="${across}" width="0.04" length="0.1"/>
    <Points/>
    <UniformMass total="0.05"/>
    <Springs stiffness="40" damping="${0.03/across}"/>
    <ScriptedMotion box="-10 -1 -1 ${-0.2} 1 1" times="0 ${time/4} ${time/2} ${3*time/4} ${time}"
                    offsets="0 0 0  ${-0.4375*draw} 0 0  ${-0.75*draw} 0 0  ${-0.9375*draw} 0 0  ${-draw} 0 0"/>
    <Skin/>
    <Look color="0.80 0.30 0.24"/>
  </node>

  <node name="right">
    <SymplecticEuler step="${0.0009/across}"/>
    <Ribbon curve="reef_knot_right" across="${across}" width="0.04" length="0.1"/>
    <Points/>
    <UniformMass total="0.05"/>
    <Springs stiffness="40" damping="${0.03/across}"/>
    <ScriptedMotion box="${0.2} -1 -1 10 1 1" times="0 ${time/4} ${time/2} ${3*time/4} ${time}"
                    offsets="0 0 0  ${0.4375*draw} 0 0  ${0.75*draw} 0 0  ${0.9375*draw} 0 0  ${draw} 0 0"/>
    <Skin/>
    <Look color="0.26 0.47 0.66"/>
  </node>

  <Camera eye="0 0.55 0.8" target="0 0 0" field_of_view="35"/>
</tactus>
