<tactus version='1' dt='0.01'><node name='n'><Spook/><Points positions='0 0 0 1 0 0 1 1 0'/><UniformMass/><PlaneContact offset='-0.01' normal='0 1 0' radius='0.1' points='0 1'/></node></tactus>
