<!-- SPDX-FileCopyrightText: The Tactus authors -->
<!-- SPDX-License-Identifier: MIT -->
<!-- A SOFA scene and a CORDIS-ANIMA model in one world. Each keeps its own step and its own gravity (tactus check says where they
     differ from the world's); a collision model on each side, and they touch. -->
<tactus version="1" title="A SOFA slab catches CORDIS-ANIMA marbles" dt="0.005" duration="2">
  <Contact method="loose" friction="0.4"/>
  <include file="jelly.scn" name="sofa"/>
  <include file="marbles.ca" name="cordis"/>
  <node name="touch">
    <Balls name="slab" matter="@/sofa/slab/state" radius="0.055" self="false"/>
    <Balls name="marbles" matter="@/cordis/marbles/balls" radius="0.022" self="false"/>
    <ContactProbe name="push" model="@slab" other="@marbles"/>
  </node>
  <Camera eye="0.5 0.5 0.9" target="0 0.1 0"/>
  <Record fps="50"/>
</tactus>
