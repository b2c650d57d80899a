<tactus version='1' dt='0.01'><node name='n'><ExplicitEuler step='0.003'/><Points positions='0 0 0 1 0 0 1 1 0'/><UniformMass/><Springs pairs='0 1' stiffness='3' lengths='2'/></node></tactus>
