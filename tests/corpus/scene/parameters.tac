<tactus version="1" dt="${step}" gravity="0 -9.81 0" title="A ${word} scene">
  <param name="step" default="0.01" doc="The beat."/>
  <param name="n" default="3"/>
  <param name="word" default="small"/>
  <node name="n${n}">
    <Grid counts="${n+1} ${2*(n-2)} ${n/3}"/>
    <Points name="p" translation="${-n} 0 ${1e-3*n}"/>
    <node name="inner"><ConstantForce matter="@../p" points="0-2,3" force="1, 2, 3"/></node>
  </node>
</tactus>
