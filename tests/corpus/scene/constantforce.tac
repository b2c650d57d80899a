<tactus version='1' dt='0.01'><node name='n'><Frames/><UniformMass/><ConstantForce force='0 1 0 0.1 0 0.2'/></node></tactus>
