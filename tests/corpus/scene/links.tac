<?xml version="1.0" encoding="UTF-8"?>
<tactus version="1">
  <!-- links to components and values -->
  <node name="a"><Line name="l" divisions="4"/><Points name="p" positions="@l.points"/><UniformMass name="m" mass="2"/></node>
  <node name="b"><Points positions="@/a/l.points"/><UniformMass mass="@../a/m.mass"/>
    <Springs matter="@/a/p" other="@./points" pairs="@/a/l.edges" stiffness="5" period="0.004"/></node>
  <include file="fuzz.tac" name="again"/>
</tactus>
