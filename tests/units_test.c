// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// What happens does not depend on the units in which it is written down. Worlds without weight are made again with lengths,
// masses and times that are so many powers of two larger or smaller, which is exact: places and velocities, divided by
// the same, must be the same to the last bit. Whatever has a constant of its own somewhere (a least length, a usual
// speed, radians where metres are meant) fails. (Weight is not among it: what rests is to be quiet by millimetres a second.)

#include "safe_checks.h"

// The units.
#define PARAMETERS                                                                                           \
    "<param name='l' default='%.17g' doc='m'/><param name='m' default='%.17g' doc='kg'/>"                    \
    "<param name='t' default='%.17g' doc='s'/>"
#define CONTACT                                                                                              \
    "<Contact method='safe' thickness='${0.004*l}' speed='${2*l/t}' friction='0.3' restitution='0.4'/>"
#define FLOOR "<node name='floor'><Sheet divisions='2' width='${2*l}' depth='${2*l}'/><Points/><Skin/></node>"

typedef struct Thing {
    const char *path, *text; // at about (0, 0.1, 0), 0.2 large, on its way down
} Thing;

#define DOWN "velocities='${0.3*l/t} ${-2*l/t} ${0.1*l/t}'"
#define FRAME(x)                                                                                             \
    "<Frames positions='${" x "*l} ${0.12*l} 0 0 0 0.6 0.8' velocities='${0.3*l/t} ${-2*l/t} 0 ${5/t} "      \
    "${-9/t} ${2/t}'/><UniformMass mass='${0.3*m}' box='${0.08*l} ${0.05*l} ${0.06*l}'/>"                    \
    "<node name='s'><Box low='${-0.04*l} ${-0.03*l} ${-0.04*l}' high='${0.04*l} ${0.03*l} ${0.04*l}'/>"      \
    "<Points/><RigidMap/><Skin/></node>"
#define SHEET                                                                                                \
    "<Sheet divisions='4' width='${0.2*l}' depth='${0.2*l}' rotation='20 0 30' "                             \
    "translation='0 ${0.08*l} 0'/><Points " DOWN "/><UniformMass total='${0.1*m}'/>"
#define BLOCK                                                                                                \
    "<Grid counts='3 3 3' low='${-0.1*l} ${0.03*l} ${-0.1*l}' high='${0.1*l} ${0.2*l} ${0.1*l}' "            \
    "split='true'/><Points " DOWN "/><DiagonalMass density='${400*m/(l*l*l)}'/>"                             \
    "<Tetrahedra young='${30000*m/(l*t*t)}'/><Skin/>"

static const Thing things[] = {
    {"/thing/points",
     "<Points positions='0 ${0.06*l} 0 ${0.06*l} ${0.09*l} 0 ${0.02*l} ${0.13*l} ${0.01*l}' " DOWN
     "/><UniformMass mass='${0.1*m}'/><Balls radius='${0.025*l}'/>"},
    {"/thing/frames", FRAME("0.01")},
    {"/thing/points", SHEET "<MeshSprings triangles='${40*m*l/(t*t)}'/><EdgeLimit strain='0.1' "
                            "speed='${1*l/t}'/><Skin/>"},
    {"/thing/points", "<ImplicitEuler/><SparseDirect/>" SHEET "<Triangles young='${2000*m/(l*t*t)}' "
                      "thickness='${0.01*l}'/><Skin/>"},
    {"/thing/points", BLOCK},
    {"/thing/points", "<ImplicitEuler step='${t/60}'/><SparseDirect/>" BLOCK},
    {"/thing/a/frames",
     "<Spook step='${0.005*t}'/><node name='a'>" FRAME("-0.06") "</node><node name='b'>" FRAME(
         "0.06") "</node><HingeJoint matter='@a/frames' other='@b/frames' "
                 "at='${0.06*l} 0 0'/>"},
    {"/thing/points", "<Spook step='${0.005*t}'/><Line divisions='8' from='${-0.1*l} ${0.05*l} 0' "
                      "to='${0.1*l} ${0.09*l} 0'/><Points " DOWN "/><Wire mass='${0.05*m}' "
                      "damping='${0.01*t}' patience='${0.5*t}' gamma_time='${20000/t}' "
                      "cost='${1e-6*t}'/><Skin radius='${0.003*l}'/>"},
};

typedef struct Units {
    double l, m, t;
} Units;

static TacWorld *make_in(const Thing *thing, Units u) {
    snprintf(scene_text, sizeof scene_text,
             "<tactus version='1' dt='${0.01*t}' gravity='0 0 0'>" PARAMETERS CONTACT FLOOR
             "<node name='thing'>%s</node></tactus>",
             u.l, u.m, u.t, thing->text);
    TacWorld *world = make_world(scene_text, 1);
    advance(world, 0.15 * u.t);
    return world;
}

static void expect_same(const Thing *thing, Units u) {
    TacWorld *one = make_in(thing, (Units){1, 1, 1}), *other = make_in(thing, u);
    TacComponentId id = tac_world_find(one, thing->path);
    size_t count = tac_world_point_count(one, id);
    bool frames = strstr(thing->path, "frames") != NULL;
    const double *x = places(one, thing->path), *y = places(other, thing->path);
    for (size_t i = 0; i < count * (frames ? 7 : 3); i++) {
        double unit = frames && i % 7 >= 3 ? 1 : u.l;
        if (x[i] * unit != y[i])
            fail_msg("%s in units of %g m, %g kg, %g s: number %zu is %.17g instead of %.17g", thing->text,
                     u.l, u.m, u.t, i, y[i] / unit, x[i]);
    }
    uint64_t kicks = tac_world_contact_stats(one).kicks;
    assert_true(kicks > 20);
    assert_int_equal(kicks, tac_world_contact_stats(other).kicks);
    tac_world_destroy(one);
    tac_world_destroy(other);
}

// A clock that does not fit the beat is rounded to ticks, which are as long in all units.
static bool fits(const Thing *thing) {
    return !strstr(thing->text, "t/60");
}

static void test_units(void **state) {
    (void)state;
    static const Units units[] = {
        {0x1p10, 1, 1}, {0x1p-10, 1, 1}, {1, 0x1p20, 1}, {1, 1, 0x1p5}, {0x1p-10, 0x1p-20, 0x1p-5}};
    for (size_t i = 0; i < sizeof things / sizeof *things; i++)
        for (size_t k = 0; k < sizeof units / sizeof *units; k++)
            if (fits(&things[i]) || units[k].t == 1) expect_same(&things[i], units[k]);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_units)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
