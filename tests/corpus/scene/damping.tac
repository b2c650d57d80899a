<tactus version='1' dt='0.01'><node name='n'><ImplicitEuler/><Points positions='0 0 0' velocities='1 2 3'/><UniformMass/><Damping coefficient='0.5'/></node></tactus>
