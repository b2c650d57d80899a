<!-- SPDX-FileCopyrightText: The Tactus authors -->
<!-- SPDX-License-Identifier: MIT -->
<!-- Three boards on hinges hang from a wall, as a folding ruler does. Each board is a frame; its ends are frames that it
     carries, and springs tie an end of one board to an end of the next: stiff in all directions but about the hinge,
     which turns freely up to its limits. -->
<tactus version="1" title="Boards on hinges" dt="0.005" duration="4" gravity="0 -9.81 0">
  <param name="limit" default="0.9" doc="How far a hinge may turn, rad."/>

  <node name="boards">
    <ImplicitEuler damping_stiffness="0.002"/>
    <SparseDirect/>
    <Frames positions="0 0 0 0 0 0 1   0.5 0 0 0 0 0 1   1.5 0 0 0 0 0 1   2.5 0 0 0 0 0 1"/>
    <UniformMass mass="2" box="0.9 0.06 0.4"/>
    <FixedPoints points="0"/>

    <node name="ends">
      <!-- of the wall, then left and right of each board -->
      <Frames positions="0 0 0 0 0 0 1    -0.5 0 0 0 0 0 1   0.5 0 0 0 0 0 1
                         -0.5 0 0 0 0 0 1  0.5 0 0 0 0 0 1  -0.5 0 0 0 0 0 1  0.5 0 0 0 0 0 1"/>
      <FrameMap frames="0 1 1 2 2 3 3"/>
      <JointSprings pairs="0 1 2 3 4 5" rest="joined" stiffness="20000" turning_stiffness="2000 2000 0"
                    limits="-9 9 -9 9 -${limit} ${limit}" limit_stiffness="300" damping="5" turning_damping="0.5"/>
      <Look visible="no"/>
    </node>

    <node name="a">
      <Box low="-0.45 -0.03 -0.2" high="0.45 0.03 0.2"/>
      <Points/>
      <RigidMap frame="1"/>
      <Look color="0.83 0.38 0.25"/>
    </node>
    <node name="b">
      <Box low="-0.45 -0.03 -0.2" high="0.45 0.03 0.2"/>
      <Points/>
      <RigidMap frame="2"/>
      <Look color="0.90 0.68 0.28"/>
    </node>
    <node name="c">
      <Box low="-0.45 -0.03 -0.2" high="0.45 0.03 0.2"/>
      <Points/>
      <RigidMap frame="3"/>
      <Look color="0.33 0.60 0.45"/>
    </node>
  </node>

  <Camera eye="1.5 0.5 7" target="0.8 -1 0" field_of_view="40"/>
</tactus>
