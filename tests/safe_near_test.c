// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Starts that all but touch: boxes with exactly parallel edges and coplanar faces, slabs, cloth on a floor, from a
// nanometre on and for every thickness. They run, nothing meets, and the nearest start costs little more than the
// farthest. (Directions between closest points lose their digits there: contact/safe_direction.c.)

#include "safe_checks.h"

static const double gaps[] = {1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3};
static const double thicknesses[] = {1e-4, 1e-3, 1e-2, 1e-1};

#define COUNT(array) (sizeof(array) / sizeof *(array))

static int add_text(char *to, int at, const char *format, ...) {
    va_list args;
    va_start(args, format);
    at += vsnprintf(to + at, sizeof scene_text - (size_t)at, format, args);
    va_end(args);
    return at;
}

static int add_box(char *to, int at, int number, TacVec3 place, TacVec3 half, TacVec3 v) {
    return add_text(
        to, at,
        "<node name='box%d'><Frames positions='%.17g %.17g %.17g 0 0 0 1' velocities='%g %g %g 0 0 0'/>"
        "<UniformMass mass='1' box='%g %g %g'/><node name='skin'>"
        "<Box low='%.17g %.17g %.17g' high='%.17g %.17g %.17g'/><Points/><RigidMap/><Skin/></node></node>",
        number, place.x, place.y, place.z, v.x, v.y, v.z, 2 * half.x, 2 * half.y, 2 * half.z, -half.x,
        -half.y, -half.z, half.x, half.y, half.z);
}

// One above the other, the upper one shifted and on its way down; `gaps_aside` gaps to the side as well.
typedef struct Two {
    TacVec3 half;
    double shift_x, shift_z, gaps_aside, down;
    bool floor; // the lower one is a fixed slab
} Two;

static const Two twos[] = {
    {{0.05, 0.05, 0.05}, 0, 0, 0, 0, false},         // face to face, all edges over each other
    {{0.05, 0.05, 0.05}, 0.1, 0, 0, 0.1, false},     // two edges over each other, two faces in one plane
    {{0.05, 0.05, 0.05}, 0.1, 0.1, 0, 0.1, false},   // corner over corner
    {{0.05, 0.05, 0.05}, 0.1, 0.03, 1, 0.1, false},  // edge past edge
    {{0.1, 0.001, 0.1}, 0.05, 0, 0, 0.1, false},     // slabs
    {{0.025, 0.1, 0.001}, 0, 0, 0, 0.1, false},      // standing slabs
    {{0.05, 0.05, 0.05}, 0.45, 0.45, 0, 0.1, true},  // in a corner of the floor, flush
    {{0.05, 0.001, 0.001}, 0.5, -0.5, 0, 0.1, true}, // over the corner of the floor
};

static int make_two(char *to, const Two *two, double gap) {
    int at = 0;
    double below = 2 * two->half.y;
    if (two->floor) {
        below = two->half.y;
        at = add_text(
            to, at, "<node name='floor'><Box low='-0.5 -0.1 -0.5' high='0.5 0 0.5'/><Points/><Skin/></node>");
    } else {
        at = add_box(to, at, 0, tac_vec3(0, 0, 0), two->half, tac_vec3(0, 0, 0));
    }
    double aside = two->gaps_aside * gap;
    return add_box(to, at, 1, tac_vec3(two->shift_x + aside, below + gap, two->shift_z), two->half,
                   tac_vec3(aside > 0 ? -two->down : 0, -two->down, 0));
}

// Runs what `body` holds for a while, audited; returns how many pairs were looked at.
static uint64_t run_near(const char *body, double gap, double thickness, double time) {
    static char text[1 << 17];
    snprintf(text, sizeof text,
             "<tactus version='1'><Contact thickness='%.17g' restitution='0.2' friction='0.3'/>%s</tactus>",
             thickness, body);
    TacWorld *world = make_world(text, 1);
    TacError error;
    if (tac_world_audit(world, &error) != TAC_OK) fail_msg("%s", error.message);
    if (tac_world_advance(world, time, &error) != TAC_OK)
        fail_msg("%g m apart, thickness %g m: %s\n%s", gap, thickness, error.message, text);
    assert_int_equal(tac_world_audit_summary(world).violations, 0);
    uint64_t looks = tac_world_contact_stats(world).looks;
    tac_world_destroy(world);
    return looks;
}

static void test_boxes_that_all_but_touch_run(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT(twos); i++)
        for (size_t t = 0; t < COUNT(thicknesses); t++)
            for (size_t g = (i + t) % 2; g < COUNT(gaps); g += 2) {
                make_two(scene_text, &twos[i], gaps[g]);
                run_near(scene_text, gaps[g], thicknesses[t], 0.001);
            }
}

static void test_cloth_that_all_but_touches_runs(void **state) {
    (void)state;
    for (size_t t = 0; t < COUNT(thicknesses); t++)
        for (size_t g = 0; g < COUNT(gaps); g += 2) {
            add_text(
                scene_text, 0,
                "<node name='floor'><Sheet divisions='2' width='0.5' depth='0.5'/><Points/><Skin/></node>"
                "<node name='cloth'><SymplecticEuler step='0.0005'/><Sheet divisions='4' width='0.25' "
                "depth='0.25'/>"
                "<Points translation='0 %.17g 0'/><UniformMass total='0.02'/>"
                "<Springs stiffness='20' damping='0.01'/><Skin/></node>",
                gaps[g]);
            run_near(scene_text, gaps[g], thicknesses[t], 0.005);
        }
}

// A nest that grows from a billionth of its thickness is not looked at all the while.
static void test_nests_that_grow_are_left_alone_between(void **state) {
    (void)state;
    make_two(scene_text, &twos[3], 3e-8);
    assert_true(run_near(scene_text, 3e-8, 0.02, 0.002) < 400000);
}

// A soft needle, a million times as long as thick: its own sides lie so near that only thin nests fit between them, also
// where the nearest is hardly farther than its nest is thick. They cost nothing while nothing is bent.
static void test_slivers_at_rest_are_left_alone(void **state) {
    (void)state;
    for (double thick = 1e-7; thick < 2e-7; thick *= 1.19) {
        add_text(scene_text, 0,
                 "<node name='needle'><Mesh at='-0.1 0 0  0.1 0 0  0.09 %.17g 0  0.09 %.17g %.17g' "
                 "with_triangles='0 1 2  0 3 1  0 2 3  1 3 2'/><Points velocities='1 0.3 0.2'/><UniformMass "
                 "total='0.1'/><Springs stiffness='100'/><Skin/></node>",
                 2 * thick, -thick, 2 * thick);
        uint64_t looks = run_near(scene_text, thick, 0.01, 0.05);
        if (looks > 1000000) fail_msg("%g m thick: %llu looks", thick, (unsigned long long)looks);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_boxes_that_all_but_touch_run),
        cmocka_unit_test(test_cloth_that_all_but_touches_runs),
        cmocka_unit_test(test_nests_that_grow_are_left_alone_between),
        cmocka_unit_test(test_slivers_at_rest_are_left_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
