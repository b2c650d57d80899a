// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Layers between two materials: how often they tick, by who moves what they push, and that any number of materials is told
// apart.

#include "safe_checks.h"

// --- how often they tick ------------------------------------------------------------------------------------------

static const char *const a_floor =
    "<node name='floor'><Sheet divisions='1' width='8' depth='8'/><Points/><Skin/></node>";

// The other block has its top at 0.
static const char *const another_solver =
    "<node name='other'><ImplicitEuler/><SparseDirect/><Grid counts='2 2 2' low='0 -0.1 0' high='0.1 0 0.1' "
    "split='true'/><Points/><UniformMass total='1'/><Tetrahedra young='10000' poisson='0.3'/><Skin/></node>";
static const char *const the_same_solver =
    "<node name='both'><ImplicitEuler/><SparseDirect/><node name='other'><Grid counts='2 2 2' low='0 -0.1 0' "
    "high='0.1 0 0.1' split='true'/><Points/><UniformMass total='1'/><Tetrahedra young='10000' "
    "poisson='0.3'/><Skin/></node>";

typedef struct Touch {
    const char *other, *solver, *end;
    double young, restitution;
} Touch;

// A block that comes gently: layers are looked at as often as the outermost one asks for.
static double shortest_period(const Touch *t) {
    TacWorld *world = MAKE(
        "<tactus version='1' dt='0.01' gravity='0 0 0'><Contact speed='1' thickness='0.005' friction='0' "
        "restitution='%g'/>%s<node name='block'>%s<Grid counts='2 2 2' low='0 0.0052 0' high='0.1 0.1052 "
        "0.1' split='true'/><Points velocities='0 -0.01 0'/><UniformMass total='1'/><Tetrahedra "
        "young='%g' poisson='0.3'/><Skin/></node>%s</tactus>",
        t->restitution, t->other, t->solver, t->young, t->end);
    advance(world, 0.05);
    TacContactStats stats = tac_world_contact_stats(world);
    assert_true(stats.kicks > 0);
    tac_world_destroy(world);
    return stats.shortest;
}

static const char *const implicit = "<ImplicitEuler/><SparseDirect/>";

static void test_what_is_foreseen_ticks_half_as_often(void **state) {
    (void)state;
    double soft = shortest_period(&(Touch){a_floor, implicit, "", 1e4, 0});
    double alone = shortest_period(&(Touch){the_same_solver, "", "</node>", 1e4, 0});
    double stiff = shortest_period(&(Touch){a_floor, implicit, "", 1e9, 0});
    double two = shortest_period(&(Touch){another_solver, implicit, "", 1e4, 0});
    double whole = shortest_period(&(Touch){a_floor, implicit, "", 1e4, 1});
    assert_true(soft == 2 * stiff);
    assert_true(alone == soft);
    assert_true(two == stiff);
    assert_true(whole == 0.5 * stiff);
}

// --- many materials -----------------------------------------------------------------------------------------------

enum { MATERIALS = 300 };

// Balls of as many materials fall on a floor; only the last one comes back.
static void test_hundreds_of_materials(void **state) {
    (void)state;
    static char text[1 << 18];
    size_t at = 0;
#define ADD(...) at += (size_t)snprintf(text + at, sizeof text - at, __VA_ARGS__)
    ADD("<tactus version='1' dt='0.01'><Contact speed='1' thickness='0.01'/>"
        "<ContactMaterial name='ground' restitution='1' friction='0'/>"
        "<node name='floor'><Sheet divisions='1' width='200' depth='8'/><Points/><Skin "
        "material='@/ground'/></node>");
    for (int i = 0; i < MATERIALS; i++)
        ADD("<node name='b%d'><ContactMaterial name='own' restitution='%g' friction='0'/><Points "
            "positions='%g "
            "0.2 0'/><UniformMass total='1'/><Balls radius='0.05' material='@own'/></node>",
            i, i == MATERIALS - 1 ? 0.64 : 0, 0.5 * (i - MATERIALS / 2));
    ADD("</tactus>");
#undef ADD
    TacWorld *world = make_world(text, 1);
    double fall = sqrt(2 * 0.15 / 9.81); // to the floor
    advance(world, 1.25 * fall);
    for (int i = 0; i < MATERIALS; i++) {
        char path[32];
        snprintf(path, sizeof path, "/b%d/points", i);
        double speed = speeds(world, path)[1], back = sqrt(0.64) * 9.81 * fall;
        if (i < MATERIALS - 1 ? fabs(speed) > 0.08 * 9.81 * fall
                              : fabs(speed - (back - 0.25 * 9.81 * fall)) > 0.15)
            fail_msg("ball %d goes up at %g m/s", i, speed);
    }
    tac_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_is_foreseen_ticks_half_as_often),
        cmocka_unit_test(test_hundreds_of_materials),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
