<tactus version='1' dt='0.01'><node name='n'><SymplecticEuler/><Points positions='0 0 0 1 0 0 1 1 0'/><UniformMass mass='2'/><Oscillator points='1' amplitude='0 0.1 0' pulsation='9'/></node></tactus>
