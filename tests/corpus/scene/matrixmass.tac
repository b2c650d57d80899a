<tactus version='1' dt='0.01'><node name='n'><ImplicitEuler/><Grid counts='3 3 2' split='true'/><Points velocities='0.1 0 0.2'/><MatrixMass density='10'/><Tetrahedra young='1e4'/></node></tactus>
