// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// What solvers with long steps let fall on a floor comes to rest there: its weight is not given at once, at the beginning of a
// step, to be thrown back from by the end of it. Flat cloths land with all their points at one moment, which no solve foresees;
// and layers on frames are foreseen by none.

#include "drape_checks.h"

typedef struct Thing {
    const char *name, *text; // with its solver before it
    const char *shown;       // points of which speeds are asked
    double low;              // m: its lowest point
} Thing;

static const Thing things[] = {
    {"two balls and a spring",
     "<Points positions='0 0 0  0.1 0 0' translation='0 %g 0'/><UniformMass mass='0.05'/>"
     "<Springs pairs='0 1' stiffness='100'/><Balls radius='0.01'/>",
     "/thing/points", -0.01},
    {"cloth",
     "<Sheet divisions='4' width='0.2' depth='0.2'/><Points translation='0 %g 0'/>"
     "<UniformMass mass='0.01'/><Springs stiffness='50' damping='0.01'/><Skin/>",
     "/thing/points", 0},
    {"wire",
     "<Line divisions='8' from='0 0 0' to='0.4 0 0'/><Points translation='0 %g 0'/>"
     "<UniformMass mass='0.01'/><Springs stiffness='200'/><Skin radius='0.005'/>",
     "/thing/points", -0.005},
    {"box",
     "<Frames positions='0 0 0 0 0 0 1' translation='0 %g 0'/><UniformMass mass='1' box='0.2 0.1 0.2'/>"
     "<node name='shape'><Box low='-0.1 -0.05 -0.1' high='0.1 0.05 0.1'/><Points/><RigidMap/><Skin/></node>",
     "/thing/shape/points", -0.05},
};

typedef struct Landing {
    double step, height, restitution; // s, m
    double slope;                     // part of what friction holds
} Landing;

static const double friction = 0.3, weight = 9.81;

static double angle_of(const Landing *l) {
    return atan(l->slope * friction);
}

static TacWorld *land(const Thing *thing, const Landing *l) {
    static char node[2048];
    snprintf(node, sizeof node, thing->text, l->height - thing->low);
    TacWorld *world =
        MAKE("<tactus version='1' dt='0.01' gravity='%.17g %.17g 0'><Contact method='safe' thickness='0.002' "
             "friction='%g' restitution='%g'/>"
             "<node name='floor'><Sheet divisions='1' width='9' depth='9'/><Points/><Skin/></node>"
             "<node name='thing'><ImplicitEuler step='%.17g'/>%s</node></tactus>",
             weight * sin(angle_of(l)), -weight * cos(angle_of(l)), friction, l->restitution, l->step, node);
    advance(world, 2);
    return world;
}

static void test_what_lands_comes_to_rest(void **state) {
    (void)state;
    const double steps[] = {0.0025, 0.005, 0.01, 1. / 60}, heights[] = {0.0127, 0.0388, 0.0823};
    for (size_t i = 0; i < sizeof things / sizeof things[0]; i++)
        for (size_t s = 0; s < sizeof steps / sizeof steps[0]; s++)
            for (size_t k = 0; k < 3; k++) {
                Landing l = {steps[s], heights[k], k == 1 ? 0.5 : 0, 0};
                TacWorld *world = land(&things[i], &l);
                double most = fastest(world, things[i].shown, 30);
                if (!(most < 1e-3))
                    fail_msg("%s, step %g s, from %g m, e = %g: %.3f mm/s", things[i].name, l.step, l.height,
                             l.restitution, 1e3 * most);
                tac_world_destroy(world);
            }
}

// Along the floor: the middle of its points, and how fast that is.
static void middle_of(TacWorld *world, const Thing *thing, double *x, double *v) {
    const double *places_of = places(world, thing->shown), *speeds_of = speeds(world, thing->shown);
    size_t n = tac_world_point_count(world, tac_world_find(world, thing->shown));
    *x = *v = 0;
    for (size_t i = 0; i < n; i++) {
        *x += places_of[3 * i] / (double)n;
        *v += speeds_of[3 * i] / (double)n;
    }
}

static void test_what_lands_on_a_slope_obeys_friction(void **state) {
    (void)state;
    const double steps[] = {0.005, 0.01, 1. / 60};
    for (size_t i = 0; i < sizeof things / sizeof things[0]; i++)
        for (size_t s = 0; s < sizeof steps / sizeof steps[0]; s++)
            for (int slides = 0; slides <= 1; slides++) {
                Landing l = {steps[s], 0.0127, slides ? 0.5 : 0, slides ? 1.2 : 0.9};
                TacWorld *world = land(&things[i], &l);
                double from, to, before, after, time = slides ? 0.5 : 4;
                middle_of(world, &things[i], &from, &before);
                advance(world, time);
                middle_of(world, &things[i], &to, &after);
                double wanted = slides ? weight * (sin(angle_of(&l)) - friction * cos(angle_of(&l))) : 0;
                double rate = (after - before) / time;
                if (slides ? !(fabs(rate - wanted) < 0.01 * wanted) : !(fabs(to - from) < 1e-6))
                    fail_msg("%s, step %g s, slope %g: %g m, %g m/s2 of %g", things[i].name, l.step, l.slope,
                             to - from, rate, wanted);
                tac_world_destroy(world);
            }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_lands_comes_to_rest),
        cmocka_unit_test(test_what_lands_on_a_slope_obeys_friction),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
