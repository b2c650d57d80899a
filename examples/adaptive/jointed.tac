<!-- SPDX-FileCopyrightText: The Tactus authors -->
<!-- SPDX-License-Identifier: MIT -->
<!-- One model of the crate of crate.tac: eight boxes, each tied to its neighbours by joints that give way a little. -->
<tactus version="1" title="A crate of eight frames on soft joints">
  <param name="soft" default="2e-5" doc="Compliance of the joints, in m/N and rad/(N m)."/>

  <Spook/>
  <Frames translation="0 1.6 0"
          positions="-0.15 -0.15 -0.15 0 0 0 1   0.15 -0.15 -0.15 0 0 0 1
                       -0.15 0.15 -0.15 0 0 0 1   0.15 0.15 -0.15 0 0 0 1
                       -0.15 -0.15 0.15 0 0 0 1   0.15 -0.15 0.15 0 0 0 1
                       -0.15 0.15 0.15 0 0 0 1   0.15 0.15 0.15 0 0 0 1"/>
  <UniformMass total="12" box="0.3 0.3 0.3"/>
  <LockJoint point="0" other="@frames" other_point="1" at="0 1.45 -0.15" compliance="${soft}" damping="0.02"/>
  <LockJoint point="0" other="@frames" other_point="2" at="-0.15 1.6 -0.15" compliance="${soft}" damping="0.02"/>
  <LockJoint point="0" other="@frames" other_point="4" at="-0.15 1.45 0" compliance="${soft}" damping="0.02"/>
  <LockJoint point="1" other="@frames" other_point="3" at="0.15 1.6 -0.15" compliance="${soft}" damping="0.02"/>
  <LockJoint point="1" other="@frames" other_point="5" at="0.15 1.45 0" compliance="${soft}" damping="0.02"/>
  <LockJoint point="2" other="@frames" other_point="3" at="0 1.75 -0.15" compliance="${soft}" damping="0.02"/>
  <LockJoint point="2" other="@frames" other_point="6" at="-0.15 1.75 0" compliance="${soft}" damping="0.02"/>
  <LockJoint point="3" other="@frames" other_point="7" at="0.15 1.75 0" compliance="${soft}" damping="0.02"/>
  <LockJoint point="4" other="@frames" other_point="5" at="0 1.45 0.15" compliance="${soft}" damping="0.02"/>
  <LockJoint point="4" other="@frames" other_point="6" at="-0.15 1.6 0.15" compliance="${soft}" damping="0.02"/>
  <LockJoint point="5" other="@frames" other_point="7" at="0.15 1.6 0.15" compliance="${soft}" damping="0.02"/>
  <LockJoint point="6" other="@frames" other_point="7" at="0 1.75 0.15" compliance="${soft}" damping="0.02"/>
  <node name="hull">
    <Points translation="0 1.6 0"
            positions="-0.3 -0.3 -0.3   0.3 -0.3 -0.3   -0.3 0.3 -0.3   0.3 0.3 -0.3
                         -0.3 -0.3 0.3   0.3 -0.3 0.3   -0.3 0.3 0.3   0.3 0.3 0.3"/>
    <RigidMap frames="0 1 2 3 4 5 6 7" local="false"/>
    <Plane stiffness="2e4" damping="80" friction="0.5"/>
  </node>
</tactus>
