<!-- SPDX-FileCopyrightText: The Tactus authors -->
<!-- SPDX-License-Identifier: MIT -->
<!-- A tracked block is towed over uneven ground ("Balls, bubbles and agglomerates", sections II and III.1): a block of balls
     held together, a closed chain of pads around it, and a ground of fixed balls. Every pad is linked with every ball of the ground by
     a link with three states: apart, or in contact and gripping, or in contact and slipping. So the lower run of the track
     stands still on the ground while the block goes over it and the upper run goes forward twice as fast. -->
<tactus version="1" title="A tracked block over uneven balls" dt="0.0005" duration="4">
  <param name="slip" default="0.3" doc="How fast a pad must slip past a ball to lose its grip, m/s."/>
  <node name="ground">
    <Points name="points" positions="-0.600 -0.050 0  -0.530 -0.050 0  -0.460 -0.050 0  -0.390 -0.050 0  -0.320 -0.050 0  -0.250 -0.050 0
                                     -0.180 -0.050 0  -0.110 -0.050 0  -0.040 -0.050 0  0.030 -0.050 0  0.100 -0.050 0  0.170 -0.050 0
                                     0.240 -0.050 0  0.310 -0.045 0  0.380 -0.071 0  0.450 -0.053 0  0.520 -0.047 0  0.590 -0.076 0
                                     0.660 -0.073 0  0.730 -0.034 0  0.800 -0.031 0  0.870 -0.054 0  0.940 -0.041 0  1.010 -0.021 0
                                     1.080 -0.048 0  1.150 -0.078 0  1.220 -0.059 0  1.290 -0.046 0  1.360 -0.070 0  1.430 -0.069 0
                                     1.500 -0.030 0  1.570 -0.024 0  1.640 -0.052 0  1.710 -0.047 0  1.780 -0.027 0  1.850 -0.051 0
                                     1.920 -0.082 0  1.990 -0.064 0  2.060 -0.043 0  2.130 -0.061 0  2.200 -0.064 0  2.270 -0.027 0
                                     2.340 -0.020 0  2.410 -0.052 0  2.480 -0.055 0  2.550 -0.035 0  2.620 -0.054 0  2.690 -0.084 0
                                     2.760 -0.065 0  2.830 -0.038 0  2.900 -0.052 0  2.970 -0.059 0  3.040 -0.027 0  3.110 -0.019 0
                                     3.180 -0.054 0  3.250 -0.063 0  3.320 -0.042 0  3.390 -0.055 0  3.460 -0.083 0  3.530 -0.064 0"/>
    <FixedPoints points="0-59"/>
    <Look radius="0.04" color="0.45 0.42 0.38"/>
  </node>
  <node name="hand">
    <Points name="points" positions="0.6 0.13 0"/>
    <ScriptedMotion times="0 0.5 4" offsets="0 0 0  0 0 0  1.75 0.03 0"/>
    <Look radius="0.015" color="0.9 0.75 0.2"/>
  </node>
  <node name="vehicle">
    <SymplecticEuler/>
    <node name="block">
      <Grid counts="9 2 1" low="-0.2 0.08 0" high="0.2 0.18 0" split="true"/>
      <Points name="points"/>
      <UniformMass mass="0.15"/>
      <Springs stiffness="8000" damping="2"/>
      <Look radius="0.05" color="0.25 0.42 0.65"/>
    </node>
    <node name="track">
      <Points name="points" positions="-0.200 0.018 0  -0.161 0.018 0  -0.123 0.018 0  -0.084 0.018 0  -0.046 0.018 0  -0.007 0.018 0
                                       0.032 0.018 0  0.070 0.018 0  0.109 0.018 0  0.147 0.018 0  0.186 0.018 0  0.224 0.023 0
                                       0.253 0.048 0  0.262 0.084 0  0.262 0.123 0  0.262 0.162 0  0.259 0.200 0  0.236 0.230 0
                                       0.200 0.242 0  0.161 0.242 0  0.123 0.242 0  0.084 0.242 0  0.046 0.242 0  0.007 0.242 0
                                       -0.032 0.242 0  -0.070 0.242 0  -0.109 0.242 0  -0.147 0.242 0  -0.186 0.242 0  -0.224 0.237 0
                                       -0.253 0.212 0  -0.262 0.176 0  -0.262 0.137 0  -0.262 0.098 0  -0.259 0.060 0  -0.236 0.030 0"/>
      <UniformMass mass="0.02"/>
      <Springs pairs="0 1  1 2  2 3  3 4  4 5  5 6  6 7  7 8  8 9  9 10  10 11  11 12  12 13  13 14  14 15  15 16  16 17  17 18  18 19  19 20  20 21  21 22  22 23  23 24  24 25  25 26  26 27  27 28  28 29  29 30  30 31  31 32  32 33  33 34  34 35  35 0"
               stiffness="2000" damping="0.5"/>
      <Damping coefficient="0.02"/>
      <Look radius="0.02" color="0.2 0.2 0.22"/>
    </node>
    <!-- no pad enters the block; there is no friction, so the track runs around freely -->
    <Liaisons matter="@/vehicle/track/points" other="@/vehicle/block/points" slopes="0 -4000" thresholds="0 0.06" zero="0.06"
              viscosity="1"/>
  </node>
  <Springs name="rope" matter="@/hand/points" other="@/vehicle/block/points" pairs="0 8" stiffness="60" damping="6"/>
  <ConditionalLinks name="grip" matter="@/vehicle/track/points" other="@/ground/points" reach="10"
                    states="apart grips slips" stiffness="0 3000 3000" damping="0 3 3" drag="0 10 0.5" rest="0.06"
                    transitions="apart to grips when distance below 0.06;
                                 grips to apart when distance above 0.061; slips to apart when distance above 0.061;
                                 grips to slips when slip above ${slip}; slips to grips when slip below 0.05"/>
  <OutputProbe name="gripping" of="@grip" what="counts" index="1"/>
  <OutputProbe name="slipping" of="@grip" what="counts" index="2"/>
  <Camera eye="0.75 0.45 2.2" target="0.75 0.05 0"/>
  <Record fps="25"/>
</tactus>
