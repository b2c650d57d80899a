// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// What safe contact says that it did, row by row: counts that must agree with each other and with what is there, and wall times
// that fit into the time that the run took.

#define _GNU_SOURCE
#include "base/wall_clock.h"
#include "safe_checks.h"

enum { DIVISIONS = 8, POINTS = (DIVISIONS + 1) * (DIVISIONS + 1) };

static const double low = 0.004, high = 5;

typedef struct Run {
    TacContactStats contact;
    TacWorldStats world;
    double kicks, wall; // s
} Run;

// A cloth that slides across a floor, or falls towards it: faces come and go below it.
static Run slide(const char *contact, double height) {
    Run run = {.wall = tac_wall_seconds()};
    TacWorld *world =
        MAKE("<tactus version='1' gravity='20 -10 3'><Contact thickness='0.002' friction='0.1' "
             "restitution='0' %s/>"
             "<node name='floor'><Sheet divisions='10' width='1' depth='1'/><Points/><Skin/></node>"
             "<node name='cloth'><SymplecticEuler step='0.00015625'/><Sheet divisions='%d' width='0.16' "
             "depth='0.16'/>"
             "<Points translation='-0.3 %g 0'/><UniformMass mass='2e-5'/>"
             "<Springs stiffness='50' damping='0.005'/><Skin/></node></tactus>",
             contact, DIVISIONS, height);
    for (int i = 0; i < 20; i++) {
        advance(world, 0.01);
        run.contact = tac_world_contact_stats(world);
        // who came and did not go is there
        assert_true(run.contact.lists_processed >= run.contact.pairs);
        assert_int_equal((run.contact.lists_processed - run.contact.pairs) % 2, 0);
    }
    run.wall = tac_wall_seconds() - run.wall;
    run.world = tac_world_stats(world);
    for (size_t i = 0; i < run.world.agents + run.world.free_laws; i++)
        run.kicks += tac_world_agent(world, i).seconds;
    tac_world_destroy(world);
    return run;
}

static void expect_row(const char *name, uint64_t events, double seconds) {
    if (!events || !(seconds > 0)) fail_msg("%s: %llu in %g s", name, (unsigned long long)events, seconds);
}

static void expect_times_to_fit(const Run *run) {
    const TacContactStats *c = &run->contact;
    assert_true(c->certifying == c->certificates_processing + c->certificates_rescheduling);
    assert_true(c->boxing == c->lists_processing + c->lists_rescheduling);
    double rows = run->kicks + c->kicking + c->planning + c->checking + c->certifying + c->boxing;
    if (!(rows <= run->wall)) fail_msg("rows of %g s in a run of %g s", rows, run->wall);
}

static void expect_counts_to_agree(const Run *run) {
    const TacContactStats *c = &run->contact;
    assert_true(c->looks > c->kicks && c->kicks > 0);
    // who came got a certificate, or layers
    uint64_t came = (c->lists_processed + c->pairs) / 2;
    assert_true(c->certificates_processed >= came);
    assert_true(c->certificates >= c->certificates_processed);
}

static void expect_rows(const char *contact) {
    Run run = slide(contact, low);
    const TacContactStats *c = &run.contact;
    expect_row("layers", c->looks, c->kicking);
    expect_row("plans", c->plans, c->planning);
    expect_row("checks", c->checks, c->checking);
    expect_row("certificates processed", c->certificates_processed, c->certificates_processing);
    expect_row("certificates rescheduled", c->certificates_rescheduled, c->certificates_rescheduling);
    expect_row("lists processed", c->lists_processed, c->lists_processing);
    expect_row("lists rescheduled", c->lists_rescheduled, c->lists_rescheduling);
    assert_true(c->lists_processed > c->pairs); // some went
    expect_counts_to_agree(&run);
    expect_times_to_fit(&run);
}

static void test_rows_are_there_and_fit(void **state) {
    (void)state;
    expect_rows("");
    expect_rows("tree='front'");
    expect_rows("vagueness='0'");
}

// Without boxes all pairs come at the start, none goes, and no box is asked.
static void test_without_boxes_lists_stand_still(void **state) {
    (void)state;
    Run run = slide("cull='false'", low);
    assert_true(run.contact.pairs > 0);
    assert_int_equal(run.contact.lists_processed, run.contact.pairs);
    assert_int_equal(run.contact.lists_rescheduled, 0);
    expect_counts_to_agree(&run);
    expect_times_to_fit(&run);
}

// Far from everything each kick of the cloth's is checked at each of its points, and plans that come due are: nothing else.
static void test_each_kick_is_checked(void **state) {
    (void)state;
    Run run = slide("", high);
    assert_int_equal(run.contact.looks, 0);
    assert_true(run.world.agent_kicks > 1000);
    assert_int_equal(run.contact.checks, run.world.agent_kicks * POINTS + run.contact.expired);
    expect_times_to_fit(&run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows_are_there_and_fit),
        cmocka_unit_test(test_without_boxes_lists_stand_still),
        cmocka_unit_test(test_each_kick_is_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
