<tactus version="1"><node name="n"><ImplicitEuler/><Frames dimension="2" positions="0 0 0.5 1 1 0" velocities="0 1 2"/><UniformMass inertia="2"/>
<node name="s"><Points dimension="2" positions="1 0 0 1"/><RigidMap frames="0 1" geometric="exact"/><Springs pairs="0 1" stiffness="3" lengths="1"/></node></node>
<node name="line"><SymplecticEuler/><Points dimension="1" positions="0 1 3"/><UniformMass/><Springs pairs="0 1 1 2" stiffness="3"/><Plane normal="1 0 0"/></node></tactus>
