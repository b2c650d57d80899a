// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// A small scene for every class of components that there is, in which it does something. restore_test saves and restores
// each of them, and fails where a class has none; abuse_soak mixes them.

#ifndef TACTUS_TESTS_CLASS_SCENES_H
#define TACTUS_TESTS_CLASS_SCENES_H

#include "scene_text.h"

typedef struct Example {
    const char *class_name;
    const char *text;
} Example;

// Springs on the edges of a topology, some of it held, with weight: everything moves from the first beat.
#define SOFT(topology)                                                                                       \
    IN_NODE("<SymplecticEuler/>" topology "<Points velocities='0.1 0 0.2'/><UniformMass total='1'/>"         \
            "<Springs stiffness='10' damping='0.1'/><FixedPoints points='0'/>")

#define FEM(solver, linear, law)                                                                             \
    IN_NODE(solver linear "<Grid counts='3 3 3' split='true'/><Points/><UniformMass total='2'/>" law         \
                          "<FixedPoints box='-1 -1 -1 2 2 0.1'/>")

#define STIFF "<Tetrahedra young='1e4'/>"

#define SOLID "<Grid counts='3 3 3' split='true'/><Points/><DiagonalMass density='100'/>"

// Two bodies that fall on the ground and on each other.
#define TOUCHING(model)                                                                                      \
    SCENE("<ContactMaterial name='m' friction='0.3' restitution='0.2'/><node name='ground'><Frames/><Shape " \
          "shape='half_space' material='@/m'/></node><node name='n'><SymplecticEuler/><Frames positions='0 " \
          "0.1 0 0 0 0 1 0.05 0.25 0 0 0 0.1 1' velocities='1 -1 0 0 0 2'/><UniformMass box='0.2 0.2 "       \
          "0.2'/>" model "</node>")

#define TWO_FRAMES(joints)                                                                                   \
    IN_NODE(                                                                                                 \
        "<Spook/><Frames positions='0 0 0 0 0 0 1 1 0 0 0 0 0.1 1' velocities='0 0 0 1 0 0 0 1 0 0 0 1'/>"   \
        "<UniformMass/>" joints)

// A cloth as two models that takes turns as it falls.
#define TWO_CLOTHS(levels)                                                                                   \
    IN_NODE("<Levels focus='0.02 0.05 1e9 0.1 0.2 1e9' time_limit='1e-4' watch='3' " levels "/>"             \
            "<ViewPath times='0 0.3' eyes='0 1 2 0 1 2' targets='0 0 0 0 1 9'/>"                             \
            "<node name='r0'><SymplecticEuler/><Sheet divisions='1'/><Points/><DiagonalMass density='0.3'/>" \
            "<MeshSprings membrane='5'/><FixedPoints points='0'/></node>"                                    \
            "<node name='r2'><ImplicitEuler/><Sheet divisions='4'/><Points/><DiagonalMass density='0.3'/>"   \
            "<MeshSprings membrane='5'/><FixedPoints points='0'/></node>")

static const Example examples[] = {
    {"World", "<tactus version='1' dt='0.02' duration='1' gravity='0 0 -1.6' up='z' title='Moon'><node "
              "name='n'>" THREE_POINTS "<UniformMass/></node></tactus>"},
    {"Material",
     IN_NODE("<Material name='m' preset='rubber' young='2e4'/><ImplicitEuler damping_stiffness='@m.damping'/>"
             "<Grid counts='3 3 3' split='true'/><Points/><DiagonalMass density='@m.density'/>"
             "<Tetrahedra young='@m.young' poisson='@m.poisson'/><FixedPoints box='-1 -1 -1 2 2 0.1'/>")},
    {"Gravity", IN_NODE("<Gravity acceleration='1 2 3'/>" THREE_POINTS "<UniformMass/>")},
    {"MeshFile", SOFT("<MeshFile file='tests/data/mesh/gmsh_2_text.msh'/>")},
    {"Mesh", SOFT("<Mesh at='0 0 0 1 0 0 0 1 0 0 0 1' with_tetrahedra='0 1 2 3'/>")},
    {"Grid", SOFT("<Grid counts='3 2 2'/>")},
    {"Box", SOFT("<Box divisions='2'/>")},
    {"Sphere", SOFT("<Sphere subdivisions='1'/>")},
    {"Cylinder", SOFT("<Cylinder sides='5' rings='2' top_radius='0.1'/>")},
    {"Capsule", SOFT("<Capsule sides='4' rings='2'/>")},
    {"Torus", SOFT("<Torus sides='4' rings='6'/>")},
    {"Sheet", SOFT("<Sheet divisions='3' across='2'/>")},
    {"Line", SOFT("<Line divisions='5' to='1 1 0'/>")},
    {"Ball", SOFT("<Ball divisions='2'/>")},
    {"Ribbon", SOFT("<Ribbon curve='reef_knot' across='2' length='0.1'/>")},
    {"Nail", SOFT("<Nail radius='0.1'/>")},
    {"NailBed", SOFT("<NailBed count='3' across='2'/>")},
    {"BallFill",
     IN_NODE("<SymplecticEuler/><BallFill shape='sphere' ball_radii='0.2 0.1'/><Points velocities='0.1 0 "
             "0.2'/><UniformMass/><Liaisons slopes='0 -30' thresholds='0 0.5' zero='0.5'/>")},
    {"Points", IN_NODE("<Points dimension='2' positions='0 0 1 1' velocities='1 0 0 1'/><UniformMass/>"
                       "<Springs pairs='0 1' stiffness='20' period='0.005'/>")},
    {"Frames", IN_NODE("<Frames positions='0 0 0 0 0 0 1 1 0 0 0 0 0.6 0.8' velocities='1 2 3 4 5 6'/>"
                       "<UniformMass box='1 2 3'/>")},
    {"UniformMass", SMALL_AGENT("<Springs pairs='0 1 1 2' stiffness='50'/>")},
    {"DiagonalMass", IN_NODE("<SymplecticEuler/>" THREE_POINTS "<DiagonalMass masses='1 2 3'/>"
                             "<Springs pairs='0 1 1 2' stiffness='50' lengths='0.5'/>")},
    {"Springs", IN_NODE("<ImplicitEuler/>" THREE_POINTS "<UniformMass/><Springs pairs='0 1 1 2 0 2' "
                        "stiffness='50' damping='1' lengths='0.5' pull_only='true' stable='false'/>")},
    {"Tetrahedra", IN_NODE("<ImplicitEuler damping_stiffness='0.01'/>" SOLID
                           "<Tetrahedra young='1e4' poisson='0.4' plastic_yield='1e-5' plastic_limit='0.1' "
                           "plastic_creep='0.3'/><FixedPoints box='-1 -1 -1 2 2 0.1'/>")},
    {"Plane", IN_NODE("<SymplecticEuler/>" THREE_POINTS "<UniformMass/><Plane offset='0.001' stiffness='1e3' "
                      "damping='2' friction='0.5' radius='0.01'/>")},
    {"ConstantForce", IN_NODE("<Frames/><UniformMass/><ConstantForce force='0 1 0 0.1 0 0.2'/>")},
    {"FixedPoints", SMALL_AGENT("<FixedPoints points='0 1' directions='xy'/><Springs pairs='0 1 1 2' "
                                "stiffness='9' lengths='2'/>")},
    {"ScriptedMotion",
     SCENE("<node name='a'>" THREE_POINTS "<ScriptedMotion times='0 0.05 0.3' offsets='0 0 0 0 1 0 2 0 0' "
           "rotations='0 0 0 0 0 90 0 90 0'/></node><node name='b'><ImplicitEuler/>" THREE_POINTS
           "<UniformMass/><ScriptedMotion points='1' speed='0 0 1'/><Springs pairs='0 1 1 2' "
           "stiffness='30'/></node><Springs matter='@/a/points' other='@/b/points' pairs='0 0 2 2' "
           "stiffness='5'/>")},
    {"SymplecticEuler", IN_NODE("<SymplecticEuler step='0.003'/>" THREE_POINTS
                                "<UniformMass/><Springs pairs='0 1' stiffness='3' lengths='2'/>")},
    {"ImplicitEuler", IN_NODE("<ImplicitEuler step='0.04' damping_mass='0.2'/>" THREE_POINTS
                              "<UniformMass/><Springs pairs='0 1' stiffness='3e4' lengths='2'/>")},
    {"ConjugateGradient", IN_NODE("<ImplicitEuler/><ConjugateGradient iterations='7' tolerance='1e-3'/>" SOLID
                                  "<Tetrahedra young='1e5' method='qr'/>")},
    {"ExplicitEuler", IN_NODE("<ExplicitEuler step='0.003'/>" THREE_POINTS
                              "<UniformMass/><Springs pairs='0 1' stiffness='3' lengths='2'/>")},
    {"RungeKutta4", IN_NODE("<RungeKutta4 step='0.04'/>" THREE_POINTS
                            "<UniformMass/><Springs pairs='0 1' stiffness='3' lengths='2'/>")},
    {"Static", IN_NODE("<Static newton_iterations='2'/><SparseDirect/>" SOLID
                       "<Tetrahedra young='1e4'/><FixedPoints box='-1 -1 -1 2 2 0.1'/><ScriptedMotion "
                       "points='26' speed='0 0 1'/>")},
    {"PreconditionedConjugateGradient",
     IN_NODE("<ImplicitEuler trapezoidal='true' drift='mean'/><PreconditionedConjugateGradient "
             "preconditioner='direct' refresh='4' tolerance='1e-3'/>" SOLID "<Tetrahedra young='1e5'/>")},
    {"MinimalResidual", IN_NODE("<ImplicitEuler damping_velocity='1'/><MinimalResidual iterations='5' "
                                "assembled='true'/>" SOLID "<Tetrahedra young='1e5'/>")},
    {"SparseDirect", IN_NODE("<ImplicitEuler/><SparseDirect/>" SOLID "<Tetrahedra young='1e5'/>")},
    {"RigidMap",
     IN_NODE("<SymplecticEuler/><Frames velocities='0 0 0 1 2 3'/><UniformMass box='1 2 3'/><node "
             "name='skin'><Box/><Points/><RigidMap/><Plane offset='-0.4' stiffness='100'/></node>")},
    {"BarycentricMap", IN_NODE("<ImplicitEuler/>" SOLID "<Tetrahedra young='1e4'/><node name='skin'>"
                               "<Sphere radius='0.4' translation='0.5 0.5 0.5' subdivisions='1'/><Points/>"
                               "<BarycentricMap/><ConstantForce total='30 0 0'/></node>")},
    {"IdentityMap",
     SMALL_AGENT("<node name='same'><Points positions='0 0 0 0 0 0 0 0 0'/><IdentityMap/><Springs "
                 "pairs='0 2' stiffness='20' lengths='1'/></node>")},
    {"SubsetMap",
     SMALL_AGENT("<node name='part'><Points positions='0 0 0 0 0 0'/><SubsetMap points='2 0'/><Springs "
                 "pairs='0 1' stiffness='20' lengths='1'/></node>")},
    {"MatrixMass",
     IN_NODE("<ImplicitEuler/><Grid counts='3 3 2' split='true'/><Points velocities='0.1 0 0.2'/>"
             "<MatrixMass density='10'/>" STIFF)},
    {"MeshSprings", IN_NODE("<SymplecticEuler/><Grid counts='3 2 2'/><Points velocities='0 0 1'/>"
                            "<UniformMass/><MeshSprings hexahedra='30' hexahedra_damping='0.1'/>"
                            "<FixedPoints points='0'/>")},
    {"RestSprings", SMALL_AGENT("<RestSprings stiffness='20' points='0 2'/>")},
    {"ParticleSurface", SMALL_AGENT("<node name='skin'><Shards count='300'/><Points/><ParticleSurface "
                                    "radius='0.9'/></node>")},
    {"Shards", SMALL_AGENT("<node name='skin'><Shards count='50'/><Points/><ParticleSurface radius='0.9' "
                           "level='0.5'/><ConstantForce total='1 0 0'/></node>")},
    {"FrameMap",
     IN_NODE("<ImplicitEuler/><Frames velocities='0 0 0 1 2 3'/><UniformMass box='1 2 3'/><node "
             "name='tool'><Frames positions='1 0 0 0 0 0 1 0 1 0 0 0 1 0'/><FrameMap/><JointSprings pairs='0 "
             "1' turning_stiffness='3'/></node>")},
    {"Plates",
     IN_NODE(
         "<ImplicitEuler/><Grid counts='3 3 1'/><Points velocities='0 0.1 0.5'/><UniformMass "
         "total='1'/><Plates young='1e3' thickness='0.1' shape_now='true'/><FixedPoints points='0 1 2'/>")},
    {"JointSprings",
     IN_NODE("<ImplicitEuler/><Frames positions='0 0 0 0 0 0 1 1 0 0 0 0 0 1' velocities='0 1 0 0 "
             "0 1 0 0 0 2 0 0'/><UniformMass/><JointSprings pairs='0 1' turning_stiffness='30' "
             "limits='0 0.1 -1 1 -1 1' damping='0.2'/>")},
    {"BendingSprings", IN_NODE("<ImplicitEuler/><Sheet divisions='3'/><Points velocities='0 1 0.5'/>"
                               "<UniformMass total='0.1'/><Springs stiffness='20'/><BendingSprings "
                               "stiffness='0.01'/><FixedPoints points='0 3'/>")},
    {"Hexahedra", IN_NODE("<ImplicitEuler/><Grid counts='3 2 2'/><Points/><UniformMass total='1'/>"
                          "<Hexahedra young='1e4'/><FixedPoints points='0 3 6 9'/>")},
    {"HyperelasticTetrahedra", FEM("<ImplicitEuler/>", "", "<HyperelasticTetrahedra young='1e4'/>")},
    {"Triangles", IN_NODE("<ImplicitEuler/><Sheet divisions='3'/><Points velocities='0 0.1 0.5'/>"
                          "<UniformMass total='0.1'/><Triangles young='1e3' thickness='0.01'/>"
                          "<FixedPoints points='0 3'/>")},
    {"ShellBending", IN_NODE("<ImplicitEuler/><Sheet divisions='3'/><Points velocities='0 0.1 0.5'/>"
                             "<UniformMass total='0.1'/><Triangles young='1e3' thickness='0.01'/>"
                             "<ShellBending stiffness='0.01'/><FixedPoints points='0 3'/>")},
    {"Springs",
     IN_NODE("<ImplicitEuler/><Sheet divisions='5'/><Points velocities='0 0.1 0.5'/><UniformMass/>"
             "<Springs stiffness='20' damping='0.1' pull_only='true'/><FixedPoints points='0 3'/>")},
    {"Springs", IN_NODE("<ImplicitEuler/><Sheet divisions='5'/><Points velocities='0 0.1 0.5'/><UniformMass/>"
                        "<Springs stiffness='20' damping='0.1' damping_turns='true'/><FixedPoints points='0 "
                        "3'/>")},
    {"EdgeDamping",
     SCENE("<Contact method='safe'/><node name='n'><Sheet divisions='3'/><Points velocities='0 0.1 0.5'/>"
           "<UniformMass total='0.1'/><Triangles young='1e2' thickness='0.01'/>"
           "<EdgeDamping damping='0.01'/><FixedPoints points='0 3'/></node>")},
    {"BendDamping",
     SCENE("<Contact method='safe'/><node name='n'><Sheet divisions='3'/><Points velocities='0 0.1 0.5'/>"
           "<UniformMass total='0.1'/><MeshSprings triangles='5'/>"
           "<BendDamping damping='0.001'/><FixedPoints points='0 3'/></node>")},
    {"EdgeLimit",
     SCENE("<Contact method='safe'/><node name='n'><Sheet divisions='3'/><Points velocities='0 0.1 0.5'/>"
           "<UniformMass total='0.1'/><EdgeLimit/><FixedPoints points='0 3'/><Skin/></node>")},
    {"Beams", IN_NODE("<ImplicitEuler/><Line divisions='2'/><Frames positions='0 0 0 0 0 0 1 0.5 0 0 0 0 0 1 "
                      "1 0 0 0 0 0 1'/><UniformMass mass='0.1' box='0.1 0.1 0.1'/><Beams young='1e6' "
                      "radius='0.01'/><FixedPoints points='0'/>")},
    {"Pressure", IN_NODE("<ImplicitEuler/><Sphere subdivisions='1'/><Points/><UniformMass total='0.1'/>"
                         "<Springs stiffness='10'/><Pressure pressure='3' conserving='true'/>")},
    {"EllipsoidForce", SMALL_AGENT("<EllipsoidForce centers='0.2 0 0' radii='1 2 3'/>")},
    {"Damping", IN_NODE("<ImplicitEuler/><Points positions='0 0 0' velocities='1 2 3'/><UniformMass/>"
                        "<Damping coefficient='0.5'/>")},
    {"Liaisons",
     SCENE("<node name='a'><SymplecticEuler/>" THREE_POINTS
           "<UniformMass/><Liaisons slopes='0 -30' thresholds='0 1.3' zero='1.3' viscosity='0.1'/><Liaisons "
           "points='0' others='1 2' fit='lennard-jones'/></node><node name='b'><SymplecticEuler/><Points "
           "positions='0.2 0.1 0.9'/><UniformMass/></node><Liaisons matter='@/a/points' other='@/b/points' "
           "slopes='-1 1' thresholds='0 0.4' zero='0.4'/>")},
    {"ConditionalLinks",
     SMALL_AGENT(
         "<ConditionalLinks pairs='0 1 1 2 0 2' states='whole soft broken' stiffness='900 20 0' "
         "damping='0.5 1 0' rest='0.8 entered-0.01 kept' transitions='whole to soft when speed above "
         "0.01 and time above 0.02; soft to broken when time above 0.04; soft to whole when pull below "
         "-1; broken to whole when distance below 0.7'/>")},
    // so lively that lists of neighbours are made several times
    {"LennardJones",
     IN_NODE("<SymplecticEuler/><Grid counts='5 6 5' high='4.4 5.6 4.3'/><Points velocities='3 0 0'/>"
             "<UniformMass/><LennardJones depth='60' box='8 0 9' cutoff='2.2' damping='0.01'/>")},
    {"LennardJones", SMALL_AGENT("<LennardJones depth='0.1' distance='0.9' damping='0.01'/>")},
    {"SmoothedParticles", IN_NODE("<SymplecticEuler/><Grid counts='3 3 3' high='0.2 0.2 0.2'/><Points/>"
                                  "<UniformMass mass='0.001'/><SmoothedParticles radius='0.15' mass='0.001' "
                                  "density='1' pressure='1'/>")},
    {"LinearVelocity", SMALL_AGENT("<LinearVelocity points='1' times='0 0.1' velocities='0 0 0 1 0 0'/>")},
    {"Oscillator", SMALL_AGENT("<Oscillator points='1' amplitude='0 0.1 0' pulsation='9'/>")},
    {"Contact", SCENE("<ContactMaterial name='rubber' friction='0.5' restitution='0.8'/>"
                      "<Contact thickness='0.01' friction='0.2'/>"
                      "<node name='floor'><Sheet divisions='1'/><Points/><Skin/></node>"
                      "<node name='ball'><Points positions='0.1 0.055 0.05' velocities='0.3 -0.5 0'/>"
                      "<UniformMass mass='1'/><Balls radius='0.05' material='@/rubber'/></node>")},
    {"ContactMaterial", SCENE("<ContactMaterial name='rubber' friction='0.5' restitution='0.8'/>"
                              "<Contact thickness='0.01' friction='0.2'/>"
                              "<node name='floor'><Sheet divisions='1'/><Points/><Skin/></node>"
                              "<node name='ball'><Points positions='0.1 0.055 0.05' velocities='0.3 -0.5 0'/>"
                              "<UniformMass mass='1'/><Balls radius='0.05' material='@/rubber'/></node>")},
    {"Skin", SCENE("<ContactMaterial name='rubber' friction='0.5' restitution='0.8'/>"
                   "<Contact thickness='0.01' friction='0.2'/>"
                   "<node name='floor'><Sheet divisions='1'/><Points/><Skin/></node>"
                   "<node name='ball'><Points positions='0.1 0.055 0.05' velocities='0.3 -0.5 0'/>"
                   "<UniformMass mass='1'/><Balls radius='0.05' material='@/rubber'/></node>")},
    {"FixedPlane", SMALL_AGENT("<FixedPlane low='0.5' high='2'/>")},
    {"LineProjection", SMALL_AGENT("<LineProjection direction='1 1 0'/>")},
    {"PlaneProjection", SMALL_AGENT("<PlaneProjection normal='1 1 0' points='1 2'/>")},
    {"ExplicitEuler", IN_NODE("<ExplicitEuler step='0.003'/>" THREE_POINTS
                              "<UniformMass/><Springs pairs='0 1' stiffness='3' lengths='2'/>")},
    {"RungeKutta4", IN_NODE("<RungeKutta4 step='0.02'/>" THREE_POINTS
                            "<UniformMass/><Springs pairs='0 1 1 2' stiffness='3' lengths='2'/>")},
    {"Static",
     FEM("<Static newton_iterations='1'/>", "", STIFF "<ScriptedMotion points='26' speed='0 0 1'/>")},
    {"PreconditionedConjugateGradient",
     FEM("<ImplicitEuler/>", "<PreconditionedConjugateGradient preconditioner='direct' refresh='4'/>",
         STIFF)},
    {"MinimalResidual", FEM("<ImplicitEuler/>", "<MinimalResidual assembled='true'/>", STIFF)},
    {"SparseDirect", FEM("<ImplicitEuler/>", "<SparseDirect/>", STIFF)},
    {"SparseDirect", FEM("<ImplicitEuler/>", "<SparseDirect once='true'/>", STIFF)},
    {"PreconditionedConjugateGradient",
     FEM("<ImplicitEuler/>",
         "<PreconditionedConjugateGradient preconditioner='ssor' sweep='numbers' warm='true' "
         "measure='squares' tolerance='1e-3'/>",
         STIFF)},
    {"DistanceMap", SMALL_AGENT("<node name='lengths'><Points dimension='1' positions='0 0'/><DistanceMap "
                                "pairs='0 1 0 2'/><RestSprings stiffness='20'/></node>")},
    {"SkinningMap", IN_NODE("<SymplecticEuler/><Frames positions='0 0 0 0 0 0 1 1 0 0 0 0 0 1' "
                            "velocities='0 0 0 1 0 0 0 1 0 0 0 1'/><UniformMass/><node name='skin'><Sheet "
                            "divisions='2'/><Points/><SkinningMap nearest='2'/><Plane stiffness='50' "
                            "offset='0.01'/></node>")},
    {"Bow", SMALL_AGENT("<Springs pairs='0 1 1 2' stiffness='50'/><Bow points='1' speed='0.3' pressure='2' "
                        "fall_speed='0.05'/>")},
    {"MaterialSkin",
     SCENE("<node name='n'><SymplecticEuler/><node name='inside'>" THREE_POINTS
           "<UniformMass/></node><node name='skin'><MaterialSkin name='skin' around='@/n/inside/points' "
           "distance='0.5' spacing='0.4' tension='0.2'/><Points rest='@skin.rest'/><UniformMass mass='0.1'/>"
           "<Springs stiffness='5'/><Liaisons matter='@points' other='@/n/inside/points' slopes='0 -9' "
           "thresholds='0 0.5' zero='0.5'/></node></node>")},
    {"Contour",
     IN_NODE("<SymplecticEuler/><Points positions='0 0 0 1 0 0 0 1 0' velocities='0 0 1'/><UniformMass/>"
             "<Liaisons slopes='-5' thresholds='0' zero='0.9'/><node name='skin'><Shards "
             "count='900'/><Points/><Contour radius='0.5' reach='0.8' cell='0.3'/></node>")},
    {"Listen", SMALL_AGENT("<Springs pairs='0 1 1 2' stiffness='50'/><Listen point='1' direction='1 1 0'/>"
                           "<Listen point='0' other_point='2' what='position'/>")},
    {"Spook", IN_NODE("<Spook dips='0.05 0.07 1e-5'/>" THREE_POINTS "<UniformMass/><FixedPoints points='0'/>"
                      "<DistanceJoints pairs='0 1 1 2'/>")},
    {"MembraneJoints", IN_NODE("<Spook/><Sheet divisions='4'/><Points velocities='0.1 0 0.2'/><DiagonalMass "
                               "density='0.3'/><MembraneJoints stiffness='200' damping='0.01'/><FixedPoints "
                               "points='0'/>")},
    {"Levels", TWO_CLOTHS("blow='12' memory='0.05' patience='0' cost='1e-5' gamma_time='300'")},
    {"ViewPath", TWO_CLOTHS("patience='0' cost='1e-5'")},
    {"DistanceJoints",
     IN_NODE("<Spook/>" THREE_POINTS "<UniformMass/><DistanceJoints pairs='0 1 1 2' rope='true' "
             "lengths='1.001' compliance='1e-3'/><FixedPoints points='0'/>")},
    {"BallJoint",
     TWO_FRAMES("<BallJoint at='0 0.5 0'/><BallJoint name='b' other='@frames' other_point='1'/>")},
    {"HingeJoint", TWO_FRAMES("<HingeJoint at='0.5 0.5 0' low='-1' high='1'/>")},
    {"PrismaticJoint", TWO_FRAMES("<PrismaticJoint axis='0 1 0' low='-0.002'/>")},
    {"LockJoint", TWO_FRAMES("<LockJoint other='@frames' other_point='1'/>")},
    {"Motor", TWO_FRAMES("<HingeJoint/><Motor speed='3' most='0.5'/>")},
    {"PlaneContact",
     IN_NODE("<Spook/>" THREE_POINTS "<UniformMass/><PlaneContact offset='-0.01' points='0 1'/>")},
    {"PlaneContact",
     TWO_FRAMES("<PlaneContact offset='-0.1' radius='0.1' normal='0.3 1 0' friction='0.2'/>")},
    {"Cable",
     IN_NODE("<Spook/><node name='w'><Frames/><UniformMass/><HingeJoint/></node><node name='b'><Points "
             "positions='-0.5 -1 0 0.5 -1 0'/><DiagonalMass masses='1 3'/></node><node name='s'><Line "
             "divisions='8'/><Points/><FixedPoints points='0-8'/></node><Cable start='@b/points' "
             "end='@b/points' end_point='1' wheels='@w/frames' wheel_points='0' radii='0.5' senses='-1' "
             "friction='0.1' shown='@s/points'/>")},
    // over edges of a box that turns, with nodes that come and go
    {"Cable",
     IN_NODE(
         "<Spook/><node name='w'><Box name='shape' low='-0.5 -0.5 -0.5' high='0.5 0.5 0.5'/><Frames "
         "velocities='0 0 0 0 0.2 9'/><UniformMass box='1 1 1'/><BallJoint/></node><node name='b'><Points "
         "positions='-0.7 -1 0 0.7 -1 0.2'/><DiagonalMass masses='1 3'/></node><Cable start='@b/points' "
         "end='@b/points' end_point='1' bodies='@w/frames' body_mesh='@w/shape' body_friction='0.1' "
         "via='-0.7 1 0 0.7 1 0'/>")},
    {"Wire",
     IN_NODE("<Spook dips='0.03 0.08 1e-5'/><node name='load'><Frames positions='1 0 0 0 0 0 1' "
             "velocities='0 0 1 0 0 0'/><UniformMass mass='0.01'/></node><node name='wire'><Line "
             "divisions='16'/><Points/><Wire mass='1' bend='0.01' stretch='1e4' cost='1e-3' level='3' "
             "end='@../load/frames'/><FixedPoints points='0'/></node>")},
    // masses that vanish before a wheel and come back behind it, at more than one level
    {"Wire",
     IN_NODE(
         "<Spook dips='0.03 0.08 1e-2'/><node name='wheel'><Frames/><UniformMass "
         "mass='0.1'/><HingeJoint/></node>"
         "<node name='wire'><Line divisions='16' from='-0.1 -0.3 0' to='0.1 -0.9 0'/><Points velocities='3 0 "
         "0'/><Wire mass='1' cost='1e-3' level='3' bend='1e-4' wheels='@../wheel/frames' wheel_points='0' "
         "radii='0.1' senses='-1' friction='0.2'/></node>")},
    {"OutputProbe", IN_NODE("<Spook/>" THREE_POINTS "<UniformMass/><DistanceJoints pairs='0 1'/><OutputProbe "
                            "of='@distanceJoints' what='tensions'/>")},
    {"Shape", TOUCHING("<Shape size='0.2 0.3 0.2' rotation='0 10 0' material='@/m'/>")},
    {"Balls", TOUCHING("<Balls radius='0.1' group='1' mask='0 1'/>")},
    {"Skin",
     "<tactus version='1' dt='0.01'><Contact thickness='0.01' friction='0.4' restitution='0.3'/><node "
     "name='floor'><Sheet divisions='1' width='3' depth='3'/><Points/><Skin/></node><node name='n'><Sheet "
     "divisions='3' split='true' translation='0 0.06 0' rotation='3 0 2'/><Points/><UniformMass "
     "mass='0.01'/><MeshSprings triangles='3' triangles_damping='0.01'/><Skin/></node><node "
     "name='body'><ImplicitEuler/><Sheet divisions='2' translation='0 0.12 0' "
     "split='true'/><Points/><UniformMass mass='0.01'/><MeshSprings triangles='20'/><Skin/></node><node "
     "name='box'><Frames translation='0.1 0.33 0.1' rotation='0 0 20' velocities='0 -1 0 2 1 "
     "0'/><UniformMass mass='0.1' box='0.2 0.3 0.1'/><node name='s'><Box divisions='1' low='-0.1 -0.15 "
     "-0.05' high='0.1 0.15 0.05'/><Points/><RigidMap local='true'/><Skin/></node></node></tactus>"},
    {"Contact",
     TOUCHING("<Contact method='loose' combine='least' k='18'/><Shape shape='capsule' height='0.1' "
              "radius='0.1'/>")},
    {"ContactMaterial", TOUCHING("<Shape shape='sphere' radius='0.1' material='@/m'/>")},
    {"ContactPair", TOUCHING("<Shape name='s' shape='cylinder' radius='0.1' height='0.2' material='@/m'/>"
                             "<ContactPair first_model='@s' second_model='@/ground/shape' friction='0.1'/>")},
    {"Agent",
     "<tactus version='1' dt='0.01' scheduler='loose'><node name='n'><SymplecticEuler/><Agent "
     "by_sleep='true' "
     "ratio='0.5' adaptive='true'/>" THREE_POINTS "<UniformMass/></node><node name='m'><SymplecticEuler/>"
     "<Agent frequency='50' cost='0.01'/><Frames/><UniformMass/><Shape/></node></tactus>"},
    {"Probe", SMALL_AGENT("<Probe point='1' what='speed'/>")},
    {"ContactProbe",
     TOUCHING("<Shape name='s' size='0.2 0.2 0.2'/><ContactProbe model='@s' what='impulse'/>")},
    {"Trigger", TWO_FRAMES("<BallJoint name='j' point='0' other='@frames' other_point='1' open='true'/>"
                           "<Trigger when='time' value='0.04' then='close' what='@j'/>"
                           "<Trigger when='time' value='0.09' then='open' what='@j' times='0'/>"
                           "<Trigger when='time' value='0.06' then='snapshot'/>")},
    {"Look", SMALL_AGENT("<Look color='1 0.5 0' opacity='0.5' radius='0.1' visible='yes'/>")},
    {"Camera", SMALL_AGENT("<Camera eye='1 2 3' target='0 0 0' field_of_view='40'/>")},
    {"Record", SMALL_AGENT("<Record fps='30' velocities='true' precision='single' channels='energy'/>")},
};

enum { EXAMPLES = sizeof examples / sizeof examples[0] };

#endif
