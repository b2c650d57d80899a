<!-- SPDX-FileCopyrightText: The Tactus authors -->
<!-- SPDX-License-Identifier: MIT -->
<!-- The same beam four times, by the four ways to find an element's rotation. Three agree; "small" looks for none, so
     its beam grows as it bends: right for small motions only, and here you see what that means. -->
<tactus version="1" title="Four ways to see a turning element" dt="0.01" duration="3">
  <param name="young" default="600000" doc="Young's modulus of all beams, in Pa."/>

  <include file="beam.tac" name="polar" method="polar" young="${young}" z="-0.75" color="0.84 0.40 0.24"/>
  <include file="beam.tac" name="qr"    method="qr"    young="${young}" z="-0.25" color="0.90 0.68 0.25"/>
  <include file="beam.tac" name="svd"   method="svd"   young="${young}" z="0.25"  color="0.30 0.60 0.45"/>
  <include file="beam.tac" name="small" method="small" young="${young}" z="0.75"  color="0.24 0.48 0.72"/>
</tactus>
