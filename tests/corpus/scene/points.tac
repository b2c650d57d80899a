<tactus version='1' dt='0.01'><node name='n'><Points dimension='2' positions='0 0 1 1' velocities='1 0 0 1'/><UniformMass/><Springs pairs='0 1' stiffness='20' period='0.005'/></node></tactus>
