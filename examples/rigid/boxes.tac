<!-- SPDX-FileCopyrightText: The Tactus authors -->
<!-- SPDX-License-Identifier: MIT -->
<!-- Rigid boxes thrown onto the ground. Each is one frame; its corners are points that the frame carries, and the
     ground pushes those: the map turns their forces into force and torque. (Boxes do not feel each other.) -->
<tactus version="1" title="Boxes tumble and slide" dt="0.01" duration="3">
  <param name="friction" default="0.5" doc="Coulomb's coefficient."/>

  <node name="boxes">
    <SymplecticEuler step="0.00125"/>
    <!-- one frame each: x y z, then a rotation as qx qy qz qw (made to unit length) -->
    <Frames positions="-1.6 0.9 0.6    0.2 0.1 0.3 0.9
                       -0.8 1.1 -0.6   0.5 0.2 0.1 0.8
                        0.0 1.0 0.6    0.1 0.6 0.3 0.7
                        0.8 1.3 -0.6   0.3 0.1 0.6 0.7
                        1.6 0.3 0.5    0.0 0.2 0.0 1.0"
            velocities="0.3 0 0.3  0 0 -5    0 0 0.3  4 0 0    0 1 -0.4  0 4 2    -0.5 0 0  2 0 5    0 0 -1.6  0 1 0"/>
    <UniformMass mass="3" box="0.4 0.25 0.3"/>

    <node name="a">
      <Box low="-0.2 -0.125 -0.15" high="0.2 0.125 0.15"/>
      <Points/>
      <RigidMap frame="0"/>
      <Plane stiffness="8000" damping="60" friction="${friction}"/>
      <Look color="0.83 0.38 0.25"/>
    </node>

    <node name="b">
      <Box low="-0.2 -0.125 -0.15" high="0.2 0.125 0.15"/>
      <Points/>
      <RigidMap frame="1"/>
      <Plane stiffness="8000" damping="60" friction="${friction}"/>
      <Look color="0.90 0.68 0.28"/>
    </node>

    <node name="c">
      <Box low="-0.2 -0.125 -0.15" high="0.2 0.125 0.15"/>
      <Points/>
      <RigidMap frame="2"/>
      <Plane stiffness="8000" damping="60" friction="${friction}"/>
      <Look color="0.33 0.60 0.45"/>
    </node>

    <node name="d">
      <Box low="-0.2 -0.125 -0.15" high="0.2 0.125 0.15"/>
      <Points/>
      <RigidMap frame="3"/>
      <Plane stiffness="8000" damping="60" friction="${friction}"/>
      <Look color="0.25 0.48 0.70"/>
    </node>

    <node name="e">
      <Box low="-0.2 -0.125 -0.15" high="0.2 0.125 0.15"/>
      <Points/>
      <RigidMap frame="4"/>
      <Plane stiffness="8000" damping="60" friction="${friction}"/>
      <Look color="0.56 0.42 0.66"/>
    </node>
  </node>

  <Camera eye="1.6 2.4 5.2" target="0 0.35 0" field_of_view="29"/>
</tactus>
