<tactus version='1' dt='0.01'><node name='n'><Box name='b' low='0 0 0' high='1 2 1'/><BallFill of='@b' ball_radii='0.2 0.1' depth_from='0.05' depth_to='0.4' overlap='0.1' name='f'/></node></tactus>
