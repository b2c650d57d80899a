<tactus version='1' dt='0.01'><node name='n'><Frames positions='0 0 0 0 0 0 1 1 0 0 0 0 0.6 0.8' velocities='1 2 3 4 5 6'/><UniformMass box='1 2 3'/></node></tactus>
