<tactus version="1"><node name="n"><Points positions="0 0 0"/><ScriptedMotion file="/dev/null%04d.obj" first="3" count="9223372036854775807"/></node></tactus>
