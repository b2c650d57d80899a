// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Bodies with implicit solvers that are hit: at any stiffness, step, speed and restitution they gain no energy, not even
// for a moment, and keep their momentum. Their steps may be a hundred times as long as the impact.
//
// Readings between kicks are off by some percent, and so is what implicit Euler makes of a body that turns by a part of a
// radian in a step: things hit each other in the middle here.

#include "safe_checks.h"

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

// Another agent, which has to foresee the same hit from the other side, with a step of its own.
static void test_blocks_on_a_block(void **state) {
    (void)state;
    static const char *const block =
        "<node name='b'><ImplicitEuler step='0.005'/><SparseDirect/><Grid counts='3 3 3' low='0 -0.1 0' "
        "high='0.1 0 0.1' split='true'/><Points/><UniformMass total='1'/><Tetrahedra young='300000' "
        "poisson='0.3'/><Skin/></node>";
    gains_nothing(block, 0.01, 0.5, true);
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_blocks_on_a_floor),           cmocka_unit_test(test_blocks_on_a_box),
        cmocka_unit_test(test_blocks_on_a_block),           cmocka_unit_test(test_hard_blocks_come_to_rest),
        cmocka_unit_test(test_no_time_is_kicked_for_twice), cmocka_unit_test(test_a_hit_can_be_resumed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
