// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// What may change cost only changes nothing else: plans, boxes, culling, threads, snapshots. And what may change
// rounding only, the order in which things are listed, changes no more than that.

#include "contact/safe_parts.h"
#include "safe_checks.h"
#include "world/world.h"

// A cloth over a fixed box, a rigid box on it, a mapped skin and balls besides: everything meets in half a second.
static const char *scene_with(const char *contact) {
    snprintf(
        scene_text, sizeof scene_text,
        "<tactus version='1'><Contact restitution='0.3' thickness='0.004' friction='0.3' %s/>"
        "<node name='post'><Box low='-0.05 -0.1 -0.05' high='0.05 0 0.05'/><Points/><Skin/></node>"
        "<node name='cloth'><SymplecticEuler step='0.00125'/><Sheet divisions='5' width='0.3' depth='0.3'/>"
        "<Points translation='0.013 0.02 0.007'/><UniformMass mass='0.005'/><Springs stiffness='60' "
        "damping='0.02'/>"
        "<Skin/></node>"
        "<node name='rigid'><Frames positions='0.08 0.09 0.03  0.2 0.1 0.3 0.9' velocities='0 -1 0 2 1 3'/>"
        "<UniformMass mass='0.05' box='0.06 0.04 0.05'/><node name='box'>"
        "<Box low='-0.03 -0.02 -0.025' high='0.03 0.02 0.025'/><Points/><RigidMap/><Skin/></node></node>"
        "<node name='soft'><ImplicitEuler/>"
        "<Grid counts='2 2 2' low='-0.04 0.025 -0.04' high='0.01 0.075 0.01' split='true'/>"
        "<Points/><UniformMass mass='0.005'/><Tetrahedra young='5000' poisson='0.3'/><node name='skin'>"
        "<Sphere subdivisions='0' radius='0.02' translation='-0.015 0.045 -0.015'/><Points/><BarycentricMap/>"
        "<Skin/></node></node>"
        "<node name='balls'><Points positions='0.02 0.06 0.06  0.03 0.09 0.05' velocities='0 -1 0  0 -2 0'/>"
        "<UniformMass mass='0.01'/><Balls radius='0.01'/></node></tactus>",
        contact);
    return scene_text;
}

enum { BEATS = 10 };

static uint64_t final_hash(const char *contact, int threads) {
    TacWorld *world = make_world(scene_with(contact), threads);
    advance(world, 0.01 * BEATS);
    assert_true(tac_world_contact_stats(world).kicks > 5000);
    uint64_t hash = tac_world_hash(world);
    tac_world_destroy(world);
    return hash;
}

static const char *const ways[] = {"vagueness='0'",
                                   "vagueness='10'",
                                   "vagueness='100'",
                                   "cone='true'",
                                   "k='14'",
                                   "k='18'",
                                   "k='26'",
                                   "cull='false'",
                                   "cone='true' vagueness='10' k='14'",
                                   "tree='front'",
                                   "tree='front' k='18' vagueness='0'",
                                   "tree='front' cone='true' vagueness='100' k='26'"};

static void test_nothing_that_decides_when_to_look_changes_what_happens(void **state) {
    (void)state;
    uint64_t plain = final_hash("", 1);
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        if (final_hash(ways[i], 1) != plain) fail_msg("%s changes the result", ways[i]);
}

static void test_any_number_of_threads_gives_the_same_bits(void **state) {
    (void)state;
    uint64_t one = final_hash("", 1);
    for (int threads = 2; threads <= 3; threads++) assert_true(final_hash("", threads) == one);
}

// Bodies that bear loads: pairs remember how they are pressed, by how many others, and on whose clocks they push.
enum { SIDE = 2, LEVELS = 5, PILE = SIDE * SIDE * LEVELS };

static size_t put_body(char *to, size_t room, int i, double mass, double half, const double x[3],
                       double turn) {
    return (size_t)snprintf(to, room,
                            "<node name='b%d'><Frames positions='%.17g %.17g %.17g 0 %.17g 0 %.17g'/>"
                            "<UniformMass mass='%g' box='%g 0.06 %g'/><node name='s'>"
                            "<Box low='-%g -0.03 -%g' high='%g 0.03 %g'/><Points/><RigidMap/><Skin/></node>"
                            "</node>",
                            i, x[0], x[1], x[2], sin(0.5 * turn), cos(0.5 * turn), mass, 2 * half, 2 * half,
                            half, half, half, half);
}

// Twenty boxes of mixed masses, each on several others; or one on another of a hundredth of its mass.
static TacWorld *make_loaded(bool pile, const char *contact, int threads) {
    static char text[16384];
    double level = 0.06 + 1.02 * 0.004;
    size_t n = (size_t)snprintf(
        text, sizeof text,
        "<tactus version='1'><Contact restitution='0.2' thickness='0.004' friction='0.4' %s/>"
        "<node name='floor'><Sheet divisions='2' width='2' depth='2'/><Points/><Skin/></node>",
        contact);
    for (int i = 0; i < (pile ? PILE : 2); i++) {
        int row = i % SIDE, column = i / SIDE % SIDE, above = i / (SIDE * SIDE);
        double x[] = {0.13 * row + 0.03 * above, 0.03 + 1.02 * 0.004 + level * above,
                      0.13 * column - 0.02 * (above % 3)};
        double upright[] = {0.013, 0.03 + 1.02 * 0.004 + level * i, 0.007 * i};
        double mass = 0.3 * pow(10, (i * 7 % PILE) / (PILE - 1.0));
        n += pile ? put_body(text + n, sizeof text - n, i, mass, 0.05, x, 0.1 * (i % 7) - 0.3)
                  : put_body(text + n, sizeof text - n, i, pow(100, i), 0.05, upright, 0.2 * i);
    }
    snprintf(text + n, sizeof text - n, "</tactus>");
    return make_world(text, threads);
}

static const double loaded_for[] = {0.2, 0.06}; // s

static uint64_t loaded_hash(bool pile, const char *contact, int threads) {
    TacWorld *world = make_loaded(pile, contact, threads);
    advance(world, loaded_for[pile]);
    assert_true(tac_world_contact_stats(world).kicks > 20000);
    uint64_t hash = tac_world_hash(world);
    tac_world_destroy(world);
    return hash;
}

static void test_loads_are_borne_the_same_way_whoever_looks(void **state) {
    (void)state;
    for (int pile = 0; pile < 2; pile++) {
        uint64_t plain = loaded_hash(pile, "", 1);
        for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
            if (loaded_hash(pile, ways[i], 1) != plain)
                fail_msg("%s changes the result of %s", ways[i], pile ? "the pile" : "the stack");
        for (int threads = 2; threads <= 3; threads++)
            if (loaded_hash(pile, "", threads) != plain)
                fail_msg("%d threads change the result of %s", threads, pile ? "the pile" : "the stack");
        for (double part = 0.41; part < 1; part += 0.37)
            expect_resumed(make_loaded(pile, "", 1), make_loaded(pile, "", 2), part * loaded_for[pile],
                           loaded_for[pile], plain);
    }
}

// So many pairs that threads share what they push: a cloth falls flat on a floor, and a heavy box on it.
static uint64_t crowded_hash(int threads) {
    TacWorld *world = make_world(
        "<tactus version='1'><Contact restitution='0.3' thickness='0.004' friction='0.3'/>"
        "<node name='floor'><Sheet divisions='2' width='2' depth='2'/><Points/><Skin/></node>"
        "<node name='cloth'><SymplecticEuler step='0.001'/><Sheet divisions='40' width='1' depth='1' "
        "translation='0 0.0045 0'/><Points/><UniformMass mass='0.001'/><Springs stiffness='20' "
        "damping='0.01'/><Skin/></node>"
        "<node name='rigid'><Frames positions='0.08 0.03 0.03  0 0 0 1' velocities='0 -1 0 0 0 0'/>"
        "<UniformMass mass='1' box='0.6 0.04 0.5'/><node name='box'>"
        "<Box low='-0.3 -0.02 -0.25' high='0.3 0.02 "
        "0.25'/><Points/><RigidMap/><Skin/></node></node></tactus>",
        threads);
    advance(world, 0.02);
    assert_true(tac_world_contact_stats(world).armed > 1024);
    uint64_t hash = tac_world_hash(world);
    tac_world_destroy(world);
    return hash;
}

static void test_many_pairs_are_pushed_side_by_side(void **state) {
    (void)state;
    uint64_t one = crowded_hash(1);
    for (int threads = 2; threads <= 4; threads++) assert_true(crowded_hash(threads) == one);
}

// Two soft plates that solvers press together: kicks of vertices and of edges, and as many layers in the equations.
static uint64_t pressed_hash(int threads) {
    TacWorld *world = make_world(
        "<tactus version='1' gravity='0 0 0' dt='0.005'><Contact restitution='0' thickness='0.004' "
        "friction='0.2'/>"
        "<node name='lower'><ImplicitEuler/><ConjugateGradient tolerance='1e-6'/>"
        "<Grid counts='18 2 18' low='-0.2 -0.03 -0.2' high='0.2 0 0.2' split='true'/><Points/>"
        "<UniformMass mass='0.001'/><Tetrahedra young='1e5' poisson='0.3'/><Skin/></node>"
        "<node name='upper'><ImplicitEuler/><ConjugateGradient tolerance='1e-6'/>"
        "<Grid counts='18 2 18' low='-0.19 0.003 -0.207' high='0.21 0.033 0.193' split='true'/>"
        "<Points velocities='0 -1 0'/>"
        "<UniformMass mass='0.001'/><Tetrahedra young='1e5' poisson='0.3'/><Skin/></node></tactus>",
        threads);
    advance(world, 0.01);
    assert_true(tac_world_contact_stats(world).armed > 1024);
    assert_true(tac_world_contact_stats(world).kicks > 20000);
    uint64_t hash = tac_world_hash(world);
    tac_world_destroy(world);
    return hash;
}

static void test_soft_things_are_pressed_side_by_side(void **state) {
    (void)state;
    static const int threads[] = {2, 3, 8};
    uint64_t one = pressed_hash(1);
    for (size_t i = 0; i < sizeof threads / sizeof *threads; i++)
        assert_true(pressed_hash(threads[i]) == one);
}

// A soft block that bounces between a floor and a ceiling, among balls: its kicks come in parts while layers push it, and
// whoever plans counts on being asked so often; not in between, where it flies for long.
static TacWorld *make_bouncing(const char *contact, int threads) {
    snprintf(scene_text, sizeof scene_text,
             "<tactus version='1' gravity='0 0 0' dt='0.02'><Contact restitution='0.9' thickness='0.002' %s/>"
             "<node name='floor'><Sheet divisions='1' width='1' depth='1'/><Points/><Skin/></node>"
             "<node name='ceiling'><Sheet divisions='1' width='1' depth='1' translation='0 0.16 0'/><Points/>"
             "<Skin/></node>"
             "<node name='soft'><ImplicitEuler/>"
             "<Grid counts='3 3 3' low='-0.04 0.004 -0.04' high='0.04 0.084 0.04' split='true'/>"
             "<Points velocities='1 -3 0.5'/><UniformMass mass='0.005'/>"
             "<Tetrahedra young='50000' poisson='0.3'/><Skin/></node>"
             "<node name='balls'><Points positions='"
             "0.0852 0.0945 0.0862  "
             "-0.1993 0.0431 -0.0662  "
             "-0.0923 0.0965 -0.0485  "
             "0.1939 0.0882 -0.0342  "
             "0.0980 0.0256 -0.0219  "
             "-0.0833 0.0389 0.0110  "
             "0.0193 0.0874 0.1022  "
             "0.1977 0.0793 -0.0752  "
             "0.0101 0.1171 0.1500  "
             "0.1656 0.0426 0.1998  "
             "0.0849 0.0300 0.0902  "
             "0.2441 0.0682 0.0714  "
             "-0.0577 0.0456 0.0869  "
             "-0.1989 0.1187 0.0113  "
             "-0.1560 0.0343 0.0597  "
             "0.1931 0.0536 0.1914  "
             "-0.1549 0.1225 -0.0413  "
             "-0.1634 0.0530 -0.0188  "
             "0.1566 0.1234 -0.1466  "
             "0.1923 0.0534 -0.1926  "
             "'/><UniformMass mass='0.01'/><Balls radius='0.01'/></node></tactus>",
             contact);
    return make_world(scene_text, threads);
}

enum { BOUNCES = 10 };

static uint64_t bouncing_hash(const char *contact, int threads) {
    TacWorld *world = make_bouncing(contact, threads);
    advance(world, 0.02 * BOUNCES);
    assert_true(tac_world_contact_stats(world).kicks > 1000);
    uint64_t hash = tac_world_hash(world);
    tac_world_destroy(world);
    return hash;
}

static void test_parts_of_kicks_that_come_and_go_change_nothing(void **state) {
    (void)state;
    uint64_t plain = bouncing_hash("", 1);
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        if (bouncing_hash(ways[i], 2) != plain) fail_msg("%s changes the result", ways[i]);
    TacError error;
    for (double at = 0.0017; at < 0.02 * BOUNCES; at += 0.0093) {
        TacWorld *world = make_bouncing("", 1), *other = make_bouncing("", 1);
        advance(world, at);
        size_t bytes = tac_world_snapshot_size(world);
        void *saved = malloc(bytes);
        assert_non_null(saved);
        assert_int_equal(tac_world_save(world, saved, bytes, &error), TAC_OK);
        advance(other, at + 0.0045); // there its kicks may come in parts, or not, otherwise than here
        if (tac_world_restore(other, saved, bytes, &error) != TAC_OK) fail_msg("%s", error.message);
        advance(other, 0.02 * BOUNCES - tac_world_time(other));
        assert_true(tac_world_hash(other) == plain);
        tac_world_destroy(world);
        tac_world_destroy(other);
        free(saved);
    }
}

// An audit watches and touches nothing.
// Two cloths that came to lie on each other, and a ball that falls on them afterwards.
static TacWorld *make_disturbed(const char *contact) {
    static const char cloth[] =
        "<SymplecticEuler step='0.00015625'/><Sheet divisions='8' width='0.08' depth='0.08'/>"
        "<Points translation='0 %s 0' rotation='0 %s 0'/><UniformMass mass='2e-5'/>"
        "<Springs stiffness='50' damping='0.005'/><Skin/>";
    char lower[512], upper[512];
    snprintf(lower, sizeof lower, cloth, "0.00201", "0");
    snprintf(upper, sizeof upper, cloth, "0.00402", "20");
    return MAKE("<tactus version='1'><Contact thickness='0.002' friction='0.3' restitution='0' %s/>"
                "<node name='floor'><Sheet divisions='1' width='4' depth='4'/><Points/><Skin/></node>"
                "<node name='lower'>%s</node><node name='upper'>%s</node>"
                "<node name='ball'><Points positions='0.003 0.08 0.002' velocities='0.3 -1 0'/>"
                "<UniformMass mass='1e-3'/><Balls radius='0.012'/></node></tactus>",
                contact, lower, upper);
}

// What lies still and apart is no pair any more, nor is there room for it; whoever is moved afterwards finds it again.
static void test_pairs_that_were_let_go_are_found_again(void **state) {
    (void)state;
    static const char *const some[] = {"cull='false'", "tree='front'", "vagueness='10' k='18'"};
    TacWorld *world = make_disturbed("");
    advance(world, 0.05);
    const TacSafe *safe = world->safe;
    double points = (double)tac_world_stats(world).points;
    size_t before = safe->pair_count;
    if (!((double)before < 7.2 * points)) fail_msg("%g pairs per point at rest", (double)before / points);
    assert_true((double)safe->pair_used < 1.2 * (double)before + 128);
    assert_true((double)safe->table_size < 1.7 * (double)before + 128);
    advance(world, 0.05);
    assert_true((double)safe->pair_count > 1.1 * (double)before);
    uint64_t hash = tac_world_hash(world);
    tac_world_destroy(world);
    for (size_t i = 0; i < TAC_COUNT(some); i++) {
        world = make_disturbed(some[i]);
        advance(world, 0.05);
        if (i < 2) assert_true((double)world->safe->pair_count > 1.15 * (double)before); // they let none go
        advance(world, 0.05);
        if (tac_world_hash(world) != hash) fail_msg("other with %s", some[i]);
        tac_world_destroy(world);
    }
}

static void test_an_audit_changes_nothing(void **state) {
    (void)state;
    TacWorld *world = make_world(scene_with(""), 1);
    advance_audited(world, 0.01 * BEATS);
    assert_true(tac_world_hash(world) == final_hash("", 1));
    tac_world_destroy(world);
}

static void test_snapshots_continue_to_the_same_bits(void **state) {
    (void)state;
    uint64_t whole = final_hash("", 1);
    TacError error;
    // not at a beat: in the middle of kicks
    for (double at = 0.0437; at < 0.1; at += 0.0403) {
        const char *way = at < 0.05 ? "" : "tree='front'";
        TacWorld *world = make_world(scene_with(way), 1);
        advance(world, at);
        size_t bytes = tac_world_snapshot_size(world);
        void *saved = malloc(bytes);
        assert_non_null(saved);
        assert_int_equal(tac_world_save(world, saved, bytes, &error), TAC_OK);
        int64_t tick = tac_world_tick(world);
        advance(world, 0.01 * BEATS - tac_world_time(world));
        uint64_t first = tac_world_hash(world);
        // going back
        assert_int_equal(tac_world_restore(world, saved, bytes, &error), TAC_OK);
        assert_int_equal(tac_world_tick(world), tick);
        advance(world, 0.01 * BEATS - tac_world_time(world));
        assert_true(tac_world_hash(world) == first);
        tac_world_destroy(world);
        // into another world
        world = make_world(scene_with(way), 1);
        if (tac_world_restore(world, saved, bytes, &error) != TAC_OK) fail_msg("%s", error.message);
        advance(world, 0.01 * BEATS - tac_world_time(world));
        assert_true(tac_world_hash(world) == first);
        assert_true(first == whole);
        tac_world_destroy(world);
        free(saved);
    }
}

// Things that begin nearer than the thickness, down to a micrometre: their nests grow.
static TacWorld *make_near(const char *contact, int threads) {
    snprintf(
        scene_text, sizeof scene_text,
        "<tactus version='1'><Contact restitution='0.3' thickness='0.004' friction='0.3' %s/>"
        "<node name='floor'><Sheet divisions='1' width='0.5' depth='0.5'/><Points/><Skin/></node>"
        "<node name='cloth'><SymplecticEuler step='0.00125'/>"
        "<Sheet divisions='3' width='0.1' depth='0.1'/><Points translation='0.01 0.000001 0.02'/>"
        "<UniformMass mass='0.005'/><Springs stiffness='60' damping='0.02'/><Skin/></node>"
        "<node name='rigid'><Frames positions='0.012 0.0201 0.023 0 0.1 0 1' velocities='0.1 0 0 0 0 0'/>"
        "<UniformMass mass='0.05' box='0.06 0.04 0.05'/><node name='box'>"
        "<Box low='-0.03 -0.02 -0.025' high='0.03 0.02 0.025'/><Points/><RigidMap/><Skin/></node></node>"
        "<node name='balls'><Points positions='-0.1 0.011 0.1  -0.0799 0.012 0.1'/>"
        "<UniformMass mass='0.01'/><Balls radius='0.01'/></node></tactus>",
        contact);
    return make_world(scene_text, threads);
}

static uint64_t near_hash(const char *contact, int threads) {
    TacWorld *world = make_near(contact, threads);
    advance(world, 0.02);
    assert_true(tac_world_contact_stats(world).kicks > 2000);
    uint64_t hash = tac_world_hash(world);
    tac_world_destroy(world);
    return hash;
}

static void test_nests_grow_the_same_way_whoever_looks(void **state) {
    (void)state;
    static const char *const some[] = {"vagueness='0'", "vagueness='100' cone='true'", "cull='false' k='18'",
                                       "tree='front' k='14'"};
    uint64_t plain = near_hash("", 1);
    for (size_t i = 0; i < sizeof some / sizeof *some; i++)
        if (near_hash(some[i], 1) != plain) fail_msg("%s changes the result", some[i]);
    assert_true(near_hash("", 2) == plain);
    // and after a snapshot in the middle of it
    TacError error;
    TacWorld *world = make_near("", 1);
    advance(world, 0.0067);
    size_t bytes = tac_world_snapshot_size(world);
    void *saved = malloc(bytes);
    assert_non_null(saved);
    assert_int_equal(tac_world_save(world, saved, bytes, &error), TAC_OK);
    tac_world_destroy(world);
    world = make_near("", 1);
    if (tac_world_restore(world, saved, bytes, &error) != TAC_OK) fail_msg("%s", error.message);
    advance(world, 0.02 - tac_world_time(world));
    assert_true(tac_world_hash(world) == plain);
    tac_world_destroy(world);
    free(saved);
}

// The same balls in another order: the same motion but for rounding, as long as that has not grown.
static void test_the_order_of_the_input_changes_rounding_only(void **state) {
    (void)state;
    enum { N = 12 };
    double x[2][3 * N];
    for (int turned = 0; turned < 2; turned++) {
        char positions[2048] = "", velocities[2048] = "";
        for (int i = 0; i < N; i++) {
            int k = turned ? (5 * i + 3) % N : i;
            size_t p = strlen(positions), v = strlen(velocities);
            snprintf(positions + p, sizeof positions - p, "%g %g %g ", 0.11 * (k % 3), 0.06 + 0.11 * (k / 3),
                     0.01 * (k % 2));
            snprintf(velocities + v, sizeof velocities - v, "%g %g 0 ", 0.3 - 0.3 * (k % 3), -0.5 - 0.1 * k);
        }
        TacWorld *world =
            MAKE("<tactus version='1'><Contact restitution='0.5' thickness='0.005' friction='0.2'/>"
                 "<node name='floor'><Sheet divisions='2' width='4' depth='4'/><Points/><Skin/></node>"
                 "<node name='balls'><Points positions='%s' velocities='%s'/><UniformMass mass='0.1'/>"
                 "<Balls radius='0.05'/></node></tactus>",
                 positions, velocities);
        advance(world, 0.12);
        assert_true(tac_world_contact_stats(world).kicks > 100);
        const double *now = places(world, "/balls/points");
        for (int i = 0; i < N; i++)
            memcpy(x[turned] + 3 * (turned ? (5 * i + 3) % N : i), now + 3 * i, 3 * sizeof *now);
        tac_world_destroy(world);
    }
    for (int i = 0; i < 3 * N; i++)
        if (!(fabs(x[0][i] - x[1][i]) < 1e-9)) fail_msg("%.17g and %.17g", x[0][i], x[1][i]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nothing_that_decides_when_to_look_changes_what_happens),
        cmocka_unit_test(test_any_number_of_threads_gives_the_same_bits),
        cmocka_unit_test(test_loads_are_borne_the_same_way_whoever_looks),
        cmocka_unit_test(test_many_pairs_are_pushed_side_by_side),
        cmocka_unit_test(test_soft_things_are_pressed_side_by_side),
        cmocka_unit_test(test_parts_of_kicks_that_come_and_go_change_nothing),
        cmocka_unit_test(test_pairs_that_were_let_go_are_found_again),
        cmocka_unit_test(test_an_audit_changes_nothing),
        cmocka_unit_test(test_snapshots_continue_to_the_same_bits),
        cmocka_unit_test(test_nests_grow_the_same_way_whoever_looks),
        cmocka_unit_test(test_the_order_of_the_input_changes_rounding_only),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
