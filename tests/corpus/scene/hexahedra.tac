<tactus version='1' dt='0.01'><node name='n'><ImplicitEuler/><Grid counts='3 2 2'/><Points/><UniformMass total='1'/><Hexahedra young='1e4'/><FixedPoints points='0 3 6 9'/></node></tactus>
