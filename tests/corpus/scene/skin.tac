<tactus version='1' dt='0.01'><node name='n'><Sheet divisions='2'/><Points/><UniformMass/><Skin thickness='0.01' self='false'/></node></tactus>
