<tactus version='1' dt='0.01'><node name='n'><RungeKutta4 step='0.02'/><Points positions='0 0 0 1 0 0 1 1 0'/><UniformMass/><Springs pairs='0 1 1 2' stiffness='3' lengths='2'/></node></tactus>
