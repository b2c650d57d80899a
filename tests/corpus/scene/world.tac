<tactus version='1' dt='0.02' duration='1' gravity='0 0 -1.6' up='z' title='Moon'><node name='n'><Points positions='0 0 0 1 0 0 1 1 0'/><UniformMass/></node></tactus>
