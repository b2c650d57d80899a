<tactus version='1' dt='0.01'><node name='n'><SymplecticEuler/><Points positions='0 0 0 1 0 0 1 1 0'/><UniformMass mass='2'/><LennardJones depth='0.1' distance='0.9' damping='0.01'/></node></tactus>
