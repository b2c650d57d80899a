<tactus version='1' dt='0.01'><node name='n'><SymplecticEuler/><Points positions='0 0 0 1 0 0 1 1 0'/><UniformMass mass='2'/><EllipsoidForce centers='0.2 0 0' radii='1 2 3'/></node></tactus>
