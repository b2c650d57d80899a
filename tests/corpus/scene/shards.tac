<tactus version='1' dt='0.01'><node name='n'><SymplecticEuler/><Shards count='3'/><Points/><UniformMass mass='2'/></node></tactus>
