<tactus version='1' dt='0.01'><node name='n'><Gravity acceleration='1 2 3'/><Points positions='0 0 0 1 0 0 1 1 0'/><UniformMass/></node></tactus>
