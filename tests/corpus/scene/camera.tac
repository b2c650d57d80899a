<tactus version='1' dt='0.01'><node name='n'><SymplecticEuler/><Points positions='0 0 0 1 0 0 1 1 0'/><UniformMass mass='2'/><Camera eye='1 2 3' target='0 0 0' field_of_view='40'/></node></tactus>
