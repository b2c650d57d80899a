<?xml version="1.0"?>
<!-- SPDX-FileCopyrightText: The Tactus authors -->
<!-- SPDX-License-Identifier: MIT -->

<!-- A plucked string: 100 masses, tuned by its stiffness. tactus sound plucked.tac -o plucked.wav -->
<tactus version="1" title="A plucked string, heard at one of its masses" dt="2.2675736961451248e-05" duration="0.5"
        gravity="0 0 0">
  <param name="n" default="100" doc="Pieces of the string."/>
  <param name="pitch" default="220" doc="The frequency that it is tuned to, Hz."/>
  <node name="string">
    <SymplecticEuler/>
    <Line divisions="${n}" to="0.65 0 0"/>
    <!-- released from a triangle with its peak at an eighth -->
    <Points dimension="3"/>
    <UniformMass mass="${0.002/n}"/>
    <!-- at rest it is pulled to three halves of its length -->
    <Springs name="string" stiffness="${0.002/n*4*n*n*pitch*pitch*3}" lengths="${0.65/n*2/3}" damping="0.0001"/>
    <Damping coefficient="${0.004/n}"/>
    <FixedPoints points="0 ${n}"/>
    <!-- the plectrum: a short push -->
    <Listen point="${n/10}" direction="0 1 0" gain="1"/>
    <Probe point="${n/2}" what="y"/>
  </node>
</tactus>
