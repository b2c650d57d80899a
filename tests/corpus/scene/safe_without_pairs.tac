<!-- SPDX-FileCopyrightText: The Tactus authors -->
<!-- SPDX-License-Identifier: MIT -->
<tactus version="1" dt="0.01">
  <Contact method="safe" thickness="0.01"/>
  <node name="w"><Sheet divisions="1"/><Points/><FixedPoints points="0-3"/><Skin name="s"/></node>
  <node name="b"><Points positions="0.1 0.1 0.1"/><UniformMass mass="0.1"/><Balls name="s" radius="0.02"/></node>
  <ContactProbe model="@b/s" other="@w/s" what="force"/>
  <Trigger when="contact" model="@b/s" then="snapshot"/>
  <Trigger when="parted" model="@b/s" other="@w/s" then="stop"/>
</tactus>
