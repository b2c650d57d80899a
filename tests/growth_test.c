// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Explicit cloth under safe contact whose step is too long: the run ends with a message, after few kicks, at the same
// instant after a resume; and what is merely fast, or hit hard, goes on.

#define _GNU_SOURCE
#include "world_fixture.h"

static TacWorld *cloth(const char *solver, double stiffness) {
    char *text = NULL;
    assert_true(asprintf(&text,
                         "<tactus version='1' dt='0.01'><Contact method='safe' thickness='0.005' "
                         "friction='0.3'/>"
                         "<node name='floor'><Sheet divisions='1' width='4' depth='4'/><Points/><FixedPoints "
                         "points='0-3'/><Skin/></node>"
                         "<node name='cloth'>%s<Sheet divisions='8' width='0.6' depth='0.6' translation='0 "
                         "0.1 0'/><Points/><UniformMass total='0.1'/><Springs stiffness='%g' "
                         "damping='0.002'/><Skin/></node></tactus>",
                         solver, stiffness) > 0);
    TacWorld *world = world_of(text);
    free(text);
    return world;
}

// Beats until it fails; 0: it does not.
static int fails_at(TacWorld *world, int beats, TacError *error) {
    for (int i = 1; i <= beats; i++)
        if (tac_world_advance_beats(world, 1, error) != TAC_OK) return i;
    return 0;
}

static void test_too_long_a_step_ends(void **state) {
    (void)state;
    static const double stiffness[] = {20, 100, 1000, 10000};
    for (size_t i = 0; i < 4; i++) {
        TacWorld *world = cloth("<SymplecticEuler step='0.01'/>", stiffness[i]);
        TacError error = {0};
        assert_true(fails_at(world, 100, &error) > 0);
        assert_non_null(strstr(error.message, "/cloth blew up"));
        assert_non_null(strstr(error.message, "(it is 0.01 s)"));
        // it stands still from then on, and says so
        assert_int_equal(tac_world_advance_beats(world, 1, &error), TAC_FAILED);
        tac_world_destroy(world);
    }
}

static void test_after_a_resume(void **state) {
    (void)state;
    TacWorld *world = cloth("<SymplecticEuler step='0.01'/>", 20), *other = NULL;
    TacError error = {0};
    int at = fails_at(world, 100, &error);
    tac_world_destroy(world);
    for (int before = 1; before < 5; before++) {
        world = cloth("<SymplecticEuler step='0.01'/>", 20);
        other = cloth("<SymplecticEuler step='0.01'/>", 20);
        assert_int_equal(fails_at(world, at - before, &error), 0);
        hand_over(world, other);
        assert_int_equal(fails_at(other, 10, &error), before);
        tac_world_destroy(world);
        tac_world_destroy(other);
    }
}

// A step that its springs bear; an implicit solver with any; a cloth that is thrown upwards at 500 m/s.
static void test_what_may_go_on(void **state) {
    (void)state;
    static const struct {
        const char *solver;
        double stiffness, speed; // N/m, m/s
        int beats;
    } cases[] = {{"<SymplecticEuler step='0.00125'/>", 20, 0, 40},
                 {"<ImplicitEuler/>", 10000, 0, 20},
                 {"<SymplecticEuler step='0.00125'/>", 20, 500, 3}};
    for (size_t i = 0; i < 3; i++) {
        TacWorld *world = cloth(cases[i].solver, cases[i].stiffness);
        TacError error = {0};
        TacComponentId id = tac_world_find(world, "/cloth/points");
        double v[3 * 81];
        for (size_t k = 0; k < 3 * 81; k++) v[k] = k % 3 == 1 ? cases[i].speed : 0;
        assert_int_equal(tac_world_point_count(world, id), 81);
        assert_int_equal(tac_world_set_state(world, id, NULL, v, &error), TAC_OK);
        if (fails_at(world, cases[i].beats, &error)) fail_msg("%s", error.message);
        tac_world_destroy(world);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_too_long_a_step_ends),
        cmocka_unit_test(test_after_a_resume),
        cmocka_unit_test(test_what_may_go_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
