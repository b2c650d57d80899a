// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Bodies with implicit solvers that are hit: at any stiffness, step, speed and restitution they gain no energy, not even
// for a moment, and keep their momentum. Their steps may be a hundred times as long as the impact.
//
// Readings between kicks are off by some percent.

#include "contact/safe_parts.h"
#include "safe_checks.h"
#include "world/world.h"

#define MOST_GAIN 1.05

typedef struct Hit {
    double young, step, speed, restitution;
} Hit;

typedef struct Readings {
    double peak, end, momentum; // of the energy before; of the momentum before
} Readings;

// A soft block comes from above to what is at 0.
static TacWorld *falling_block(const Hit *h, double gap, const char *other) {
    return MAKE("<tactus version='1' dt='%g' gravity='0 0 0'><Contact restitution='%g' thickness='0.005' "
                "friction='0'/>%s<node name='body'><ImplicitEuler/><SparseDirect/>"
                "<Grid counts='3 3 3' low='0 %.17g 0' high='0.1 %.17g 0.1' split='true'/>"
                "<Points velocities='0 %g 0'/><UniformMass total='1'/>"
                "<Tetrahedra young='%g' poisson='0.3'/><Skin/></node></tactus>",
                h->step, h->restitution, other, gap, gap + 0.1, -h->speed, h->young);
}

static Readings watch(const Hit *h, const char *other) {
    // the hit comes in the middle of a step
    double gap = 0.012 + 0.37 * h->speed * h->step;
    TacWorld *world = falling_block(h, gap, other);
    double start = tac_world_energy(world).total, now = start, part = h->step / 8;
    TacVec3 before = tac_world_momentum(world).linear;
    Readings r = {.peak = 1};
    for (double t = 0; t < 2 * gap / h->speed + 12 * h->step; t += part) {
        advance(world, part);
        now = tac_world_energy(world).total;
        r.peak = fmax(r.peak, now / start);
    }
    r.end = now / start;
    r.momentum = tac_norm(tac_sub(tac_world_momentum(world).linear, before)) / h->speed;
    assert_true(tac_world_contact_stats(world).kicks > 100);
    tac_world_destroy(world);
    return r;
}

static void gains_nothing(const char *other, double step, double slowest, bool keeps_momentum) {
    for (double young = 1e4; young < 2e7; young *= sqrt(1000))
        for (double speed = slowest; speed < 21; speed *= sqrt(20 / slowest))
            for (double e = 0; e < 1.5; e += 1) {
                Hit h = {young, step, speed, e};
                Readings r = watch(&h, other);
                if (!(r.peak < MOST_GAIN && r.end < 1.01))
                    fail_msg("%g Pa, %g s, %g m/s, e = %g: energy goes up to %g times what it was, and ends "
                             "with %g",
                             young, step, speed, e, r.peak, r.end);
                if (keeps_momentum && !(r.momentum < 1e-11))
                    fail_msg("%g Pa, %g s, %g m/s, e = %g: momentum changes by %g", young, step, speed, e,
                             r.momentum);
            }
}

static const char *const a_floor =
    "<node name='floor'><Sheet divisions='1' width='8' depth='8'/><Points/><Skin/></node>";

static void test_blocks_on_a_floor(void **state) {
    (void)state;
    gains_nothing(a_floor, 0.00125, 0.1, false);
    gains_nothing(a_floor, 0.01, 0.1, false);
    gains_nothing(a_floor, 0.02, 0.1, false);
}

// A heavy box that flies free.
static void test_blocks_on_a_box(void **state) {
    (void)state;
    static const char *const box = "<node name='box'><Frames positions='0.05 -0.05 0.05 0 0 0 "
                                   "1'/><UniformMass mass='2' box='0.2 0.1 0.2'/>"
                                   "<node name='skin'><Box low='-0.1 -0.05 -0.1' high='0.1 0.05 "
                                   "0.1'/><Points/><RigidMap/><Skin/></node></node>";
    gains_nothing(box, 0.01, 0.5, true);
}

// A block that is tilted turns when it hits, by up to a part of a radian in a step of its own; flying straight on would stretch
// it a little in every one.
static void test_tilted_blocks(void **state) {
    (void)state;
    for (double young = 3e5; young < 2e7; young *= 33)
        for (double speed = 3; speed < 21; speed *= 20.0 / 3)
            for (double friction = 0; friction < 1; friction += 0.5) {
                TacWorld *world = MAKE(
                    "<tactus version='1' dt='0.01' gravity='0 0 0'><Contact restitution='1' "
                    "thickness='0.005' "
                    "friction='%g'/>%s<node name='body'><ImplicitEuler/><SparseDirect/><Grid counts='3 3 3' "
                    "low='0 0 0' high='0.1 0.1 0.1' split='true'/><Points translation='0 0.08 0' "
                    "rotation='30 "
                    "10 20' velocities='%g %g 0'/><UniformMass total='1'/><Tetrahedra young='%g' "
                    "poisson='0.3'/><Skin/></node></tactus>",
                    friction, a_floor, speed / 2, -speed, young);
                double start = tac_world_energy(world).total, peak = 0;
                for (int i = 0; i < 160; i++) {
                    advance(world, 0.01 / 8);
                    peak = fmax(peak, tac_world_energy(world).total / start);
                }
                assert_true(tac_world_contact_stats(world).kicks > 100);
                if (!(peak < MOST_GAIN))
                    fail_msg("%g Pa, %g m/s, friction %g: energy up to %g", young, speed, friction, peak);
                tac_world_destroy(world);
            }
}

// Another agent, which has to foresee the same hit from the other side, with a step of its own.
static void test_blocks_on_a_block(void **state) {
    (void)state;
    static const char *const block =
        "<node name='b'><ImplicitEuler step='0.005'/><SparseDirect/><Grid counts='3 3 3' low='0 -0.1 0' "
        "high='0.1 0 0.1' split='true'/><Points/><UniformMass total='1'/><Tetrahedra young='300000' "
        "poisson='0.3'/><Skin/></node>";
    gains_nothing(block, 0.01, 0.5, true);
}

// What was never pushed before may be stiff: it is asked before the first push has bent it.
static void test_first_pushes_do_not_bend(void **state) {
    (void)state;
    static const char *const block =
        "<node name='b'><ImplicitEuler step='0.01'/><SparseDirect/><Grid counts='3 3 3' low='0 -0.1 0' "
        "high='0.1 0 0.1' split='true'/><Points/><UniformMass total='1'/><Tetrahedra young='300000' "
        "poisson='0.3'/><Skin/></node>";
    for (double young = 1e7; young < 4e7; young *= 3)
        for (double speed = 0.5; speed < 3; speed *= 2) {
            Hit h = {young, 0.005, speed, 0.5};
            Readings r = watch(&h, block);
            if (!(r.peak < MOST_GAIN))
                fail_msg("%g Pa, %g m/s: energy goes up to %g times what it was", young, speed, r.peak);
        }
}

// A hit in the middle of a step: what the last kick gave for the time after is taken back, so that nothing weighs twice.
// Two blocks fall, and one overtakes the other, or passes by.
static void test_no_time_is_kicked_for_twice(void **state) {
    (void)state;
    double fallen[2];
    for (int passes = 0; passes < 2; passes++) {
        TacWorld *world = MAKE(
            "<tactus version='1' dt='0.01'><Contact restitution='1' thickness='0.005' friction='0'/>"
            "<node name='b'><ImplicitEuler/><SparseDirect/><Grid counts='2 2 2' low='0 -0.1 0' high='0.1 0 "
            "0.1' "
            "split='true'/><Points translation='%d 0 0'/><UniformMass total='1'/><Tetrahedra young='100000' "
            "poisson='0.3'/><Skin/></node><node name='a'><ImplicitEuler/><SparseDirect/><Grid counts='2 2 2' "
            "low='0 0.0137 0' high='0.1 0.1137 0.1' split='true'/><Points velocities='0 -2 0'/><UniformMass "
            "total='1'/><Tetrahedra young='100000' poisson='0.3'/><Skin/></node></tactus>",
            passes);
        advance(world, 0.3);
        assert_true((tac_world_contact_stats(world).kicks > 100) == !passes);
        fallen[passes] = tac_world_momentum(world).linear.y;
        tac_world_destroy(world);
    }
    if (!(fabs(fallen[0] / fallen[1] - 1) < 1e-10)) fail_msg("%.12g and %.12g N s", fallen[0], fallen[1]);
}

// Layers and solver agree about a body at rest whatever its stiffness: it needs no short steps, and does not move.
static void test_hard_blocks_come_to_rest(void **state) {
    (void)state;
    for (double young = 1e5; young < 1e8; young *= 10) {
        TacWorld *world = MAKE(
            "<tactus version='1'><Contact restitution='0' thickness='0.002' friction='0.3'/>%s"
            "<node name='body'><ImplicitEuler damping_stiffness='0.001'/><SparseDirect/><Grid counts='3 3 3' "
            "low='0 0.01 0' high='0.2 0.21 0.2' split='true'/><Points/><UniformMass total='1'/>"
            "<Tetrahedra young='%g' poisson='0.3'/><Skin/></node></tactus>",
            a_floor, young);
        advance(world, 1);
        uint64_t kicks = tac_world_stats(world).agent_kicks;
        double y = places(world, "/body/points")[1];
        advance(world, 0.5);
        double moved = fabs(places(world, "/body/points")[1] - y);
        uint64_t more = tac_world_stats(world).agent_kicks - kicks;
        if (!(moved < 1e-5 && more < 100))
            fail_msg("%g Pa: moved by %g m with %llu kicks", young, moved, (unsigned long long)more);
        tac_world_destroy(world);
    }
}

// Points that carry many times what they weigh, away from the edges of the floor's mesh, at several steps and thicknesses: none moves by more than a millimetre a
// second once all has settled.
static void test_loaded_points_are_quiet(void **state) {
    (void)state;
    for (double young = 1e6; young < 2e7; young *= 10)
        for (double step = 0.005; step < 0.011; step *= 2)
            for (double thickness = 0.002; thickness < 0.006; thickness *= 2.5) {
                TacWorld *world = MAKE(
                    "<tactus version='1'><Contact restitution='0' thickness='%g' friction='0.5'/>%s<node "
                    "name='body'><ImplicitEuler step='%g' damping_stiffness='0.001'/><SparseDirect/><Grid "
                    "counts='4 4 4' low='0.31 %g 0' high='0.51 %g 0.2' split='true'/><Points/><UniformMass "
                    "total='8'/><Tetrahedra young='%g' poisson='0.3'/><Skin/></node></tactus>",
                    thickness, a_floor, step, 1.002 * thickness, 1.002 * thickness + 0.2, young);
                advance(world, 2);
                double fastest = 0;
                for (int i = 0; i < 100; i++) {
                    advance(world, 0.0037);
                    const double *v = speeds(world, "/body/points");
                    for (size_t k = 0; k < 64; k++) fastest = fmax(fastest, tac_norm(tac_load3(v + 3 * k)));
                }
                if (!(fastest < 1e-3))
                    fail_msg("%g Pa, %g s, %g m: a point moves at %g m/s", young, step, thickness, fastest);
                tac_world_destroy(world);
            }
}

// Frames that joints hold together: their solver foresees layers in its own way, and its steps are never cut.
static void test_jointed_boxes(void **state) {
    (void)state;
    for (double speed = 0.5; speed < 25; speed *= sqrt(40))
        for (double e = 0; e < 1.5; e += 1) {
            double y = 0.112 + 0.37 * speed * 0.01;
            TacWorld *world = MAKE(
                "<tactus version='1' dt='0.01' gravity='0 0 0'><Contact restitution='%g' thickness='0.005' "
                "friction='0'/>%s<node name='boxes'><Spook/><Frames positions='0 %.17g 0 0 0 0 1  0.22 %.17g "
                "0 0 0 0 1' velocities='0 %g 0 0 0 0  0 %g 0 0 0 0'/><UniformMass total='2' box='0.2 0.2 "
                "0.2'/><LockJoint point='0' other='@frames' other_point='1' at='0.11 %.17g 0' "
                "compliance='1e-5'/><node name='skin'><Box low='-0.1 -0.1 -0.1' high='0.1 0.1 "
                "0.1'/><Points/><RigidMap/><Skin/></node></node></tactus>",
                e, a_floor, y, y, -speed, -speed, y);
            double start = tac_world_energy(world).total, peak = 0;
            for (int i = 0; i < 200; i++) {
                advance(world, 0.01 / 8);
                peak = fmax(peak, tac_world_energy(world).total / start);
            }
            assert_true(tac_world_contact_stats(world).kicks > 100);
            if (!(peak < MOST_GAIN)) fail_msg("%g m/s, e = %g: energy up to %g", speed, e, peak);
            tac_world_destroy(world);
        }
}

// --- soft bodies ------------------------------------------------------------------------------------------

// A block that hangs from its fixed top, pressed from below. Some of the points that are pressed can only go askew.
static TacWorld *pressed(const char *linear) {
    TacWorld *world = MAKE(
        "<tactus version='1' dt='0.005' gravity='0 0 0'><Contact restitution='1' thickness='0.005' "
        "friction='0'/><node name='wall'><Sheet divisions='1' width='1' depth='1'/><Points/><ScriptedMotion "
        "times='0 1' offsets='0 0 0  0 1 0'/><Skin/></node><node name='body'><ImplicitEuler "
        "damping_stiffness='0.002'/>%s<Grid counts='4 4 4' low='0 0.01 0' high='0.1 0.11 0.1' split='true'/>"
        "<Points/><UniformMass total='1'/><FixedPoints points='12-15 28-31 44-47 60-63'/><LineProjection "
        "points='0 18 33' direction='1 2 0'/>"
        "<Tetrahedra young='30000' poisson='0.3'/><Skin/></node></tactus>",
        linear);
    advance(world, 0.0125);
    return world;
}

// Whether layers are blocks of a matrix, apart from it, or a law that is asked for products: the same equations are solved.
static void test_linear_solvers_agree_on_layers(void **state) {
    (void)state;
    static const char *const linear[] = {"<ConjugateGradient iterations='2000' tolerance='1e-13'/>",
                                         "<ConjugateGradient iterations='2000' tolerance='1e-13' "
                                         "assembled='false'/>"};
    TacWorld *direct = pressed("<SparseDirect/>");
    const double *x = places(direct, "/body/points");
    double highest = 0;
    for (size_t i = 0; i < 64; i++) highest = fmax(highest, fabs(x[3 * i + 1] - 0.01));
    assert_true(highest > 0.09 && tac_world_contact_stats(direct).kicks > 100);
    for (size_t k = 0; k < 2; k++) {
        TacWorld *world = pressed(linear[k]);
        const double *y = places(world, "/body/points");
        double off = 0;
        for (size_t i = 0; i < 3 * (size_t)64; i++) off = fmax(off, fabs(x[i] - y[i]));
        if (!(off < 1e-10)) fail_msg("%s: off by %g m", linear[k], off);
        tac_world_destroy(world);
    }
    tac_world_destroy(direct);
}

// A soft cube that six walls squash, and its kicks.
static TacWorld *squashed(double step, uint64_t *kicks) {
    static const char *const turns[3] = {"0 0 90", "0 0 0", "90 0 0"};
    char walls[6][512], all[6 * 512 + 1] = "";
    for (int i = 0; i < 6; i++) {
        double side = i % 2 ? 1 : -1, at[3] = {0, 0, 0};
        at[i / 2] = side;
        snprintf(walls[i], sizeof walls[i],
                 "<node name='wall%d'><Sheet divisions='1' width='0.7' depth='0.7' rotation='%s' "
                 "translation='%g %g %g'/><Points/><ScriptedMotion times='0 0.06' offsets='0 0 0 %g %g %g'/>"
                 "<Skin group='1' mask='2'/></node>",
                 i, turns[i / 2], 0.252 * at[0], 0.252 * at[1], 0.252 * at[2], -0.06 * at[0], -0.06 * at[1],
                 -0.06 * at[2]);
        strcat(all, walls[i]);
    }
    TacWorld *world =
        MAKE("<tactus version='1' gravity='0 0 0' dt='%g'><Contact thickness='0.002' friction='0.2' "
             "restitution='0'/>%s<node name='body'><ImplicitEuler damping_stiffness='0.002'/>"
             "<ConjugateGradient iterations='400' tolerance='1e-6'/><Grid counts='8 8 8' low='-0.25 -0.25 "
             "-0.25' high='0.25 0.25 0.25' split='true'/><Points/><DiagonalMass density='1000'/>"
             "<Tetrahedra young='10000' poisson='0.3'/><Skin group='2' mask='1 2'/></node></tactus>",
             step, all);
    advance(world, 0.06);
    *kicks = tac_world_stats(world).agent_kicks;
    return world;
}

// Small bounces of its points do no harm to a soft body: it needs few more steps than its own. With shorter ones it does
// the same.
static void test_soft_bodies_keep_their_steps(void **state) {
    (void)state;
    uint64_t kicks, more;
    TacWorld *world = squashed(0.005, &kicks), *other = squashed(0.0025, &more);
    kicks -= 6 * 13; // of the walls
    TacEnergy a = tac_world_energy(world), b = tac_world_energy(other);
    if (!(kicks <= 19)) fail_msg("%llu kicks where 13 would do without contact", (unsigned long long)kicks);
    if (!(fabs(a.total / b.total - 1) < 0.05)) fail_msg("%g J and %g J", a.total, b.total);
    tac_world_destroy(world);
    tac_world_destroy(other);
}

// A run that is resumed in the middle of a hit, when steps are cut, goes on to the same bits; audited.
static void test_a_hit_can_be_resumed(void **state) {
    (void)state;
    Hit h = {1e6, 0.01, 4, 0.5};
    TacError error;
    TacWorld *world = falling_block(&h, 0.02, a_floor), *other = falling_block(&h, 0.02, a_floor);
    advance(world, 0.0051);
    size_t bytes = tac_world_snapshot_size(world);
    void *data = malloc(bytes);
    assert_non_null(data);
    assert_int_equal(tac_world_save(world, data, bytes, &error), TAC_OK);
    assert_int_equal(tac_world_restore(other, data, bytes, &error), TAC_OK);
    free(data);
    advance(other, 0.05);
    advance_audited(world, 0.05);
    assert_true(tac_world_hash(world) == tac_world_hash(other));
    tac_world_destroy(world);
    tac_world_destroy(other);
}

// What crawls comes and goes: the message says how fast it came, not that it leaves at that tick.
static void test_messages_say_how_fast_it_came(void **state) {
    (void)state;
    TacWorld *world = MAKE(
        "<tactus version='1' gravity='0 0 0'><Contact method='safe' restitution='1' thickness='0.01' "
        "friction='0' speed='3'/>"
        "<node name='wall'><Sheet divisions='1' width='2' depth='2'/><Points/><Skin/></node>"
        "<node name='ball'><Points positions='0.3 0.115 0.1' velocities='0 -3 0'/><UniformMass mass='1'/>"
        "<Balls radius='0.1'/></node></tactus>");
    while (!(speeds(world, "/ball/points")[1] > 0)) advance(world, 2e-4);
    const TacSafe *safe = world->safe;
    uint32_t pair = 0;
    while (pair < safe->pair_used && safe->pairs[pair].live == TAC_SAFE_NONE) pair++;
    assert_true(pair < safe->pair_used);
    TacError error;
    double gap, closing;
    assert_int_equal(tac_safe_fail_crawling(safe, pair, 0, tac_world_tick(world), &error), TAC_FAILED);
    assert_int_equal(
        sscanf(strstr(error.message, "are "), "are %lf m apart and close at %lf m/s", &gap, &closing), 2);
    if (!(closing > 2.5 && closing < 3.01)) fail_msg("it closes at %g m/s", closing);
    tac_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_messages_say_how_fast_it_came),
        cmocka_unit_test(test_blocks_on_a_floor),
        cmocka_unit_test(test_blocks_on_a_box),
        cmocka_unit_test(test_blocks_on_a_block),
        cmocka_unit_test(test_first_pushes_do_not_bend),
        cmocka_unit_test(test_tilted_blocks),
        cmocka_unit_test(test_loaded_points_are_quiet),
        cmocka_unit_test(test_hard_blocks_come_to_rest),
        cmocka_unit_test(test_no_time_is_kicked_for_twice),
        cmocka_unit_test(test_a_hit_can_be_resumed),
        cmocka_unit_test(test_jointed_boxes),
        cmocka_unit_test(test_linear_solvers_agree_on_layers),
        cmocka_unit_test(test_soft_bodies_keep_their_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
