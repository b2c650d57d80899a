// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// What safe contact does, counted: no more for each point where there are more of them, and none of it more often because
// somebody else is hit hard.

#define _GNU_SOURCE
#include "safe_checks.h"

// What is done by the end of a run. A kick of an agent checks all of its points; a look may find nothing.
enum { LOOKS, PLANS, CHECKS, CERTIFICATES, REFITS, QUERIES, LISTS, COUNTS };
static const char *const names[COUNTS] = {"looks",  "plans",   "checks", "certificates",
                                          "refits", "queries", "lists"};

typedef struct Cost {
    double points;   // that move
    double shortest; // s: period of the finest layer
    double counts[COUNTS];
} Cost;

static Cost cost_of(TacWorld *world, int points, double time) {
    advance(world, time);
    TacContactStats c = tac_world_contact_stats(world);
    Cost cost = {.points = points, .shortest = c.shortest};
    const uint64_t counts[COUNTS] = {c.looks,  c.plans,   c.checks,         c.certificates,
                                     c.refits, c.queries, c.lists_processed};
    for (int i = 0; i < COUNTS; i++) cost.counts[i] = (double)counts[i];
    tac_world_destroy(world);
    return cost;
}

// --- more points ------------------------------------------------------------------------------------------

static Cost resting_cloth(int divisions) {
    double size = 0.01 * divisions;
    return cost_of(
        MAKE("<tactus version='1'><Contact thickness='0.002' friction='0.3' restitution='0.2'/>"
             "<node name='floor'><Sheet divisions='1' width='4' depth='4'/><Points/><Skin/></node>"
             "<node name='cloth'><SymplecticEuler step='0.00015625'/><Sheet divisions='%d' width='%g' "
             "depth='%g'/><Points translation='0 0.00201 0'/><UniformMass mass='2e-5'/>"
             "<Springs stiffness='50' damping='0.005'/><Skin/></node></tactus>",
             divisions, size, size),
        (divisions + 1) * (divisions + 1), 0.03);
}

// Balls that fly about between four walls, as many to an area whatever their number.
static Cost flying_balls(int side) {
    static char places[1 << 17], ways[1 << 17];
    double spacing = 0.03, half = 0.5 * spacing * side;
    size_t at = 0, to = 0;
    for (int i = 0; i < side * side; i++) {
        double turn = 2.399963 * i; // no two fly alike
        at += (size_t)snprintf(places + at, sizeof places - at, "%.4f 0 %.4f ",
                               spacing * (i % side + 0.5) - half, spacing * (i / side + 0.5) - half);
        to += (size_t)snprintf(ways + to, sizeof ways - to, "%.3f 0 %.3f ", cos(turn), sin(turn));
    }
    static char text[1 << 18];
    size_t n = (size_t)snprintf(
        text, sizeof text,
        "<tactus version='1' gravity='0 0 0'><Contact method='safe' thickness='0.002' restitution='1' "
        "friction='0' speed='1'/><node name='balls'><Points positions='%s' velocities='%s'/>"
        "<UniformMass mass='0.01'/><Balls radius='0.008'/></node>",
        places, ways);
    for (int i = 0; i < 4; i++) {
        double place = i % 2 ? half : -half;
        n += (size_t)snprintf(text + n, sizeof text - n,
                              "<node name='wall%d'><Sheet divisions='1' width='%g' depth='%g' rotation='%s' "
                              "translation='%g 0 %g'/><Points/><Skin/></node>",
                              i, 3 * half, 3 * half, i < 2 ? "0 0 90" : "90 0 0", i < 2 ? place : 0,
                              i < 2 ? 0 : place);
    }
    snprintf(text + n, sizeof text - n, "</tactus>");
    return cost_of(make_world(text, 1), side * side, 0.1);
}

// Each count grows no faster than N log N.
static void expect_growth(const char *what, const Cost *few, const Cost *many) {
    double most = many->points * log(many->points) / (few->points * log(few->points));
    assert_true(few->counts[LOOKS] > few->points);
    for (int i = 0; i < COUNTS; i++)
        if (!(many->counts[i] <= most * few->counts[i] + 100))
            fail_msg("%s: %g %s for %g points, %g for %g", what, few->counts[i], names[i], few->points,
                     many->counts[i], many->points);
}

static void test_more_points_do_no_more_each(void **state) {
    (void)state;
    Cost cloth[] = {resting_cloth(12), resting_cloth(24), resting_cloth(48)},
         balls[] = {flying_balls(12), flying_balls(24), flying_balls(48)};
    for (int i = 0; i < 2; i++) {
        expect_growth("cloth", &cloth[i], &cloth[i + 1]);
        expect_growth("balls", &balls[i], &balls[i + 1]);
    }
}

// --- somebody else is hit hard ----------------------------------------------------------------------------

#define CLOTH(divisions, height)                                                                             \
    "<node name='floor'><Sheet divisions='1' width='4' depth='4'/><Points/><Skin/></node>"                   \
    "<node name='cloth'><SymplecticEuler step='0.000625'/><Sheet divisions='" divisions                      \
    "' width='0.4' depth='0.4'/><Points translation='0 " height " 0'/><UniformMass mass='0.001'/>"           \
    "<Springs stiffness='50'/><Skin/></node>"

// Far away a ball flies to and fro between two plates, deep into the layers of both.
#define DEEP                                                                                                 \
    "<node name='plates'><Mesh at='9 0 -1  11 0 -1  10 0 2  9 0.5 -1  11 0.5 -1  10 0.5 2' "                 \
    "with_triangles='0 1 2  3 4 5'/><Points/><Skin/></node><node name='ball'>"                               \
    "<Points positions='10.1 0.25 0.03' velocities='0 1000 0'/><UniformMass mass='1'/>"                      \
    "<Balls radius='0.01'/></node>"

static Cost cost_with(const char *cloth, const char *deep) {
    return cost_of(MAKE("<tactus version='1'><Contact method='safe' thickness='0.002' restitution='1' "
                        "friction='0' speed='1'/>%s%s</tactus>",
                        cloth, deep),
                   0, 0.05);
}

static void expect_nothing_more(const char *cloth) {
    Cost alone = cost_with(cloth, ""), deep = cost_with("", DEEP), both = cost_with(cloth, DEEP);
    assert_true(deep.shortest < 1e-8); // that of a hit is a thousandth of what rests
    assert_true(!(alone.shortest > 0) || alone.shortest > 1e-5);
    for (int i = 0; i < COUNTS; i++)
        if (!(both.counts[i] <= 1.2 * (alone.counts[i] + deep.counts[i]) + 100))
            fail_msg("%s: %g alone, %g of the ball, %g together", names[i], alone.counts[i], deep.counts[i],
                     both.counts[i]);
}

static void test_a_deep_hit_elsewhere_costs_what_it_costs_alone(void **state) {
    (void)state;
    expect_nothing_more(CLOTH("64", "0.0021")); // which rests
    expect_nothing_more(CLOTH("64", "1"));      // which falls
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_more_points_do_no_more_each),
        cmocka_unit_test(test_a_deep_hit_elsewhere_costs_what_it_costs_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
