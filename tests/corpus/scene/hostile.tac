<tactus version="1" dt="1e-300" up="z">
  <node name="big"><Grid counts="4000 4000 4000" split="true"/><Points/></node>
  <node name="files"><MeshFile file="/dev/zero"/><Points/><ScriptedMotion file="/dev/stdin" rate="1e9"/></node>
  <node name="more"><Ball divisions="99999"/><FixedPoints points="0-9999999"/></node>
</tactus>
