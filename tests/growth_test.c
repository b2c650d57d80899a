// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Explicit cloth under safe contact whose step is too long: the run ends with a message, after few kicks, at the same
// instant after a resume; and what is merely fast, or hit hard, goes on. The same for implicit bodies whose linear solver
// has too few iterations.

#define _GNU_SOURCE
#include "world_fixture.h"

static TacWorld *cloth(const char *solver, double stiffness) {
    char *text = NULL;
    assert_true(
        asprintf(&text,
                 "<tactus version='1' dt='0.01'><Contact method='safe' thickness='0.005' "
                 "friction='0.3'/>"
                 "<node name='floor'><Sheet divisions='1' width='4' depth='4'/><Points/><FixedPoints "
                 "points='0-3'/><Skin/></node>"
                 "<node name='cloth'>%s<Sheet divisions='8' width='0.6' depth='0.6' translation='0 "
                 "0.1 0' rotation='1 0 2'/><Points/><UniformMass total='0.1'/><Springs stiffness='%g' "
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

// --- caught early, and foretold -------------------------------------------------------------------------------------

// A world, and what was said about its steps: empty when nothing was.
static TacWorld *world_with_remark(const char *text, TacError *remark) {
    TacError error = {0};
    TacScene *scene = empty_scene();
    TacWorld *world = NULL;
    TacWorldDef def = tac_world_def_default();
    *remark = (TacError){0};
    if (tac_scene_parse(scene, "test.tac", text, strlen(text), &error) != TAC_OK ||
        tac_world_create(&world, scene, &def, &error) != TAC_OK)
        fail_msg("%s", error.message);
    for (size_t i = 0; i < tac_scene_message_count(scene); i++) {
        const TacError *said = &tac_scene_message(scene, i)->error;
        if (strstr(said->message, "too long for its laws")) *remark = *said;
    }
    tac_scene_destroy(scene);
    return world;
}

// A cloth so near to a floor that its points meet it, and each other, long before they fly by an edge in a step.
static TacWorld *resting(const char *mass, const char *laws, bool remarked) {
    char *text = NULL;
    assert_true(
        asprintf(&text,
                 "<tactus version='1' dt='0.01'><Contact thickness='0.002' friction='0.3' "
                 "restitution='0'/><node name='floor'><Sheet divisions='1' width='4' depth='4'/><Points/>"
                 "<Skin/></node>\n<node name='cloth'><SymplecticEuler step='0.0001'/>"
                 "<Sheet divisions='16' width='0.4' depth='0.4'/><Points translation='0 0.0021 0'/>%s%s"
                 "<Skin/></node></tactus>",
                 mass, laws) > 0);
    TacError remark;
    TacWorld *world = world_with_remark(text, &remark);
    if ((remark.message[0] != 0) != remarked) fail_msg("%s%s: \"%s\"", mass, laws, remark.message);
    free(text);
    return world;
}

// Steps beyond what the laws bear at the start: each is remarked on, and ends before its points fly by an edge a step.
static void test_caught_early(void **state) {
    (void)state;
    static const struct {
        const char *mass, *laws;
    } cases[] = {
        {"<UniformMass mass='0.0001'/>", "<Springs stiffness='100' damping='1'/>"},
        {"<UniformMass mass='0.0001'/>", "<Springs stiffness='100' damping='0.5'/>"},
        {"<UniformMass mass='0.0001'/>", "<Springs stiffness='20000'/>"},
        {"<UniformMass mass='0.0001'/>", "<Springs stiffness='100'/><BendingSprings stiffness='1'/>"},
        {"<UniformMass mass='0.0001'/>", "<Springs stiffness='100'/><Damping coefficient='3'/>"},
        {"<UniformMass mass='0.0001'/>", "<Triangles young='3e7' thickness='0.001'/>"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        TacWorld *world = resting(cases[i].mass, cases[i].laws, true);
        TacError error = {0};
        if (!fails_at(world, 20, &error)) fail_msg("%s goes on", cases[i].laws);
        assert_non_null(strstr(error.message, "/cloth blew up"));
        assert_non_null(strstr(error.message, "(it is 0.0001 s)"));
        // 0.025 m in a step would be 250 m/s
        double most = 0;
        const double *v = velocities(world, "/cloth/points");
        for (size_t k = 0; k < 3 * 289; k++) most = fmax(most, fabs(v[k]));
        if (most > 250) fail_msg("%s: %g m/s when it was noticed", cases[i].laws, most);
        tac_world_destroy(world);
    }
}

// The same laws below their limits: nothing is said, and they go on.
static void test_below_the_limit(void **state) {
    (void)state;
    static const char *const laws[] = {"<Springs stiffness='100' damping='0.1'/>",
                                       "<Springs stiffness='2000'/>",
                                       "<Springs stiffness='100'/><Damping coefficient='1.9'/>"};
    for (size_t i = 0; i < 3; i++) {
        TacWorld *world = resting("<UniformMass mass='0.0001'/>", laws[i], false);
        TacError error = {0};
        if (fails_at(world, 10, &error)) fail_msg("%s: %s", laws[i], error.message);
        tac_world_destroy(world);
    }
}

// One spring between two masses: K T^2 + 2 Z T = 4 M with the reduced mass, exactly.
static void test_the_step_that_is_remarked_on(void **state) {
    (void)state;
    static const double k[] = {100, 0, 50}, c[] = {0, 0.02, 0.01}, m[2] = {0.001, 0.003};
    for (size_t i = 0; i < 3; i++) {
        double reduced = m[0] * m[1] / (m[0] + m[1]);
        double longest = 4 * reduced / (c[i] + sqrt(c[i] * c[i] + 4 * reduced * k[i]));
        for (int side = 0; side < 2; side++) {
            char *text = NULL;
            double step = longest * (side ? 1.05 : 0.99);
            // the beat is the step
            assert_true(
                asprintf(&text,
                         "<tactus version='1' dt='%.17g' gravity='0 0 0'><node name='a'><SymplecticEuler/>"
                         "<Points positions='0 0 0 1 0 0'/><DiagonalMass masses='0.001 0.003'/>"
                         "<Springs pairs='0 1' stiffness='%g' damping='%g'/></node></tactus>",
                         step, k[i], c[i]) > 0);
            TacError remark;
            tac_world_destroy(world_with_remark(text, &remark));
            assert_int_equal(remark.message[0] != 0, side);
            if (side) {
                const char *at = strstr(remark.message, "from about ");
                assert_non_null(at);
                double said = strtod(at + strlen("from about "), NULL);
                assert_true(fabs(said - longest) < 0.06 * longest); // it has two digits
                assert_non_null(
                    strstr(remark.message, k[i] > 0 && c[i] * 2 < k[i] * step ? "stiffness:" : "damping:"));
            }
            free(text);
        }
    }
}

// A law on a clock that the scene gives it, without a solver.
static void test_too_long_a_period(void **state) {
    (void)state;
    TacError remark, error = {0};
    TacWorld *world = world_with_remark(
        "<tactus version='1' dt='0.01'><Contact thickness='0.002'/><node name='floor'><Sheet divisions='1' "
        "width='4' depth='4'/><Points/><Skin/></node><node name='cloth'><Sheet divisions='8' width='0.4' "
        "depth='0.4'/><Points translation='0 0.003 0'/><UniformMass mass='0.0001'/><Springs stiffness='1e5' "
        "period='0.01'/><Skin/></node></tactus>",
        &remark);
    assert_non_null(strstr(remark.message, "/cloth/springs"));
    assert_non_null(strstr(remark.message, "its step of 0.01 s"));
    assert_true(fails_at(world, 20, &error) > 0);
    assert_non_null(strstr(error.message, "/cloth/springs blew up"));
    tac_world_destroy(world);
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

// --- linear solves that do not come to their end ------------------------------------------------------------------

static TacWorld *block(const char *linear, const char *young) {
    return make_world(
        "<tactus version='1' dt='0.01'><Contact method='safe' thickness='0.005' friction='0.3' "
        "speed='1'/><node name='floor'><Sheet divisions='1' width='4' depth='4'/><Points/><FixedPoints "
        "points='0-3'/><Skin/></node>\n<node name='soft'><ImplicitEuler/>%s<Grid counts='4 4 4' "
        "low='-0.2 0.02 -0.2' high='0.2 0.4 0.2' split='true'/><Points/><UniformMass total='2'/>"
        "<Tetrahedra young='%s' poisson='0.3'/><Skin self='false'/></node></tactus>",
        linear, young);
}

static bool is_remarked(TacWorld *world, TacError *remark) {
    for (size_t i = 0; i < tac_world_stats(world).agents; i++)
        if (tac_world_agent_remark(world, i, remark)) return true;
    return false;
}

// Layers make an implicit body's equations hard to solve. With too few iterations what is left undone pushes and shakes it,
// and the run says so; but steps that are cut where it is hit (stride.h) keep it from flying apart, and as its momentum is
// kept all the same (momentum.h) it gains no energy by that.
static void test_too_few_iterations(void **state) {
    (void)state;
    static const char *const linear[] = {
        "<ConjugateGradient iterations='3'/>", "<ConjugateGradient iterations='4'/>",
        "<MinimalResidual iterations='5'/>", "<PreconditionedConjugateGradient iterations='2'/>"};
    for (size_t i = 0; i < 4; i++) {
        TacWorld *world = block(linear[i], "1e8");
        TacError error = {0}, remark = {0};
        double start = tac_world_energy(world).total;
        if (fails_at(world, 200, &error)) fail_msg("%s", error.message);
        assert_true(is_remarked(world, &remark));
        assert_int_equal(remark.line, 2);
        assert_non_null(strstr(remark.message, "/soft (ImplicitEuler)"));
        assert_non_null(strstr(remark.message, "used up its iterations"));
        assert_true(tac_world_energy(world).total < 1.01 * start);
        tac_world_destroy(world);
    }
}

static void test_enough_iterations(void **state) {
    (void)state;
    static const char *const linear[] = {"", "<SparseDirect/>", "<PreconditionedConjugateGradient/>",
                                         "<ConjugateGradient iterations='40'/>"};
    for (size_t i = 0; i < 4; i++) {
        TacWorld *world = block(linear[i], "1e6");
        TacError error = {0};
        assert_int_equal(fails_at(world, 100, &error), 0);
        if (is_remarked(world, &error)) fail_msg("%s: %s", linear[i], error.message);
        assert_true(tac_world_energy(world).total < 4.13);
        tac_world_destroy(world);
    }
}

// A blow within a long step: an implicit cloth at rest that a bullet hits.
static void test_a_blow_is_not_growth(void **state) {
    (void)state;
    TacWorld *world = world_of(
        "<tactus version='1' dt='0.01' gravity='0 0 0'><Contact method='safe' thickness='0.005' speed='100'/>"
        "<node name='cloth'><ImplicitEuler/><Sheet divisions='6' width='0.3' "
        "depth='0.3'/><Points/><UniformMass "
        "total='0.1'/><Springs stiffness='100'/><Skin/></node><node name='ball'><Points positions='0.01 3 "
        "0.02' "
        "velocities='0 -100 0'/><UniformMass mass='0.2'/><Balls radius='0.05'/></node></tactus>");
    TacError error = {0};
    if (fails_at(world, 10, &error)) fail_msg("%s", error.message);
    assert_true(velocities(world, "/cloth/points")[3 * 24 + 1] < -1);
    tac_world_destroy(world);
}

// A cloth with a stable step that flies into spikes: layers tear it about by more than an edge a step, its springs do not.
static void test_spikes_are_not_growth(void **state) {
    (void)state;
    static const char *const solvers[] = {"<SymplecticEuler step='0.0025'/>", "<Spook step='0.0025'/>"};
    static const double speeds[] = {25, 60};
    for (size_t i = 0; i < 4; i++) {
        TacWorld *world = make_world(
            "<tactus version='1' dt='0.01' gravity='0 0 0'><Contact method='safe' thickness='0.003' "
            "friction='0'/><node name='spikes'><NailBed count='3' spacing='0.06' height='0.1' "
            "radius='0.005'/><Points/><Skin/></node>"
            "<node name='cloth'>%s<Sheet divisions='6' width='0.13' depth='0.13' rotation='0 0 84'/>"
            "<Points translation='0 0.2 0' velocities='0 %g 0'/><UniformMass mass='0.01'/>"
            "<Springs stiffness='64'/><Skin/></node></tactus>",
            solvers[i % 2], -speeds[i / 2]);
        TacError error = {0};
        double start = tac_world_energy(world).total;
        if (fails_at(world, 3, &error)) fail_msg("%s", error.message);
        assert_true(tac_world_energy(world).total < start); // it was stopped, and gained nothing
        tac_world_destroy(world);
    }
}

// A cloth under Spook that is thrown at a floor: its steps are cut short there, and it moves little in each.
static void test_cut_steps_are_not_growth(void **state) {
    (void)state;
    static const char *const rotations[] = {"0 90 90", "0 30 80", "20 0 0"};
    for (size_t i = 0; i < 3; i++) {
        TacWorld *world = make_world(
            "<tactus version='1' dt='0.01' gravity='0 0 0'><Contact method='safe' thickness='0.02' "
            "friction='0' restitution='1'/><node name='floor'><Sheet divisions='3'/><Points/><Skin/></node>"
            "<node name='cloth'><Spook/><Sheet divisions='4' width='0.11' depth='0.11' rotation='%s'/>"
            "<Points translation='0.01 0.13 0' velocities='0 -10.6 0'/><UniformMass mass='0.01'/>"
            "<Springs stiffness='1'/><Skin/></node></tactus>",
            rotations[i]);
        TacError error = {0};
        double start = tac_world_energy(world).total;
        if (fails_at(world, 6, &error)) fail_msg("%s", error.message);
        assert_true(tac_world_energy(world).total < 1.05 * start);
        tac_world_destroy(world);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_caught_early),          cmocka_unit_test(test_too_long_a_period),
        cmocka_unit_test(test_below_the_limit),       cmocka_unit_test(test_the_step_that_is_remarked_on),
        cmocka_unit_test(test_too_long_a_step_ends),  cmocka_unit_test(test_after_a_resume),
        cmocka_unit_test(test_what_may_go_on),        cmocka_unit_test(test_too_few_iterations),
        cmocka_unit_test(test_enough_iterations),     cmocka_unit_test(test_a_blow_is_not_growth),
        cmocka_unit_test(test_spikes_are_not_growth), cmocka_unit_test(test_cut_steps_are_not_growth),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
