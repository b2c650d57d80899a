// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Agents whose step is not the beat times a power of two, under safe contact: whatever their clock is, they rest quietly
// and are no more compressed than they have to be, stick and slide as Coulomb says, gain no energy when they are hit, and give
// the same bits for all threads and after a resume in the middle of a step.

#include "safe_checks.h"

#define FLOOR "<node name='floor'><Sheet divisions='1' width='8' depth='8'/><Points/><Skin/></node>"

// Readings between kicks of stiff things are off by some percent, on the ruler, too.
#define MOST_GAIN 1.2

static const double g = 9.81;
static const double free_steps[] = {0.001, 0.003, 1.0 / 120, 1.0 / 60};

enum { STEPS = sizeof free_steps / sizeof *free_steps };

enum { BLOCK, CLOTH, BOXES, KINDS };

static const char *const names[KINDS] = {"a block", "a cloth", "boxes"};

// Of its own step, at a height, going along x.
static const char *thing(int kind, double step, double y, double speed) {
    static char text[2048];
    if (kind == BLOCK)
        snprintf(
            text, sizeof text,
            "<node name='thing'><ImplicitEuler step='%.17g' damping_stiffness='0.001'/><SparseDirect/>"
            "<Grid counts='3 3 3' low='0.31 %.17g 0' high='0.51 %.17g 0.2' split='true'/>"
            "<Points velocities='%g 0 0'/><UniformMass total='8'/><Tetrahedra young='1e6' poisson='0.3'/>"
            "<Skin/></node>",
            step, y, y + 0.2, speed);
    else if (kind == CLOTH)
        snprintf(
            text, sizeof text,
            "<node name='thing'><ImplicitEuler step='%.17g' damping_stiffness='0.001'/><Sheet "
            "divisions='3' width='0.2' depth='0.2'/><Points translation='0.5 %.17g 0.1' velocities='%g 0 "
            "0'/><UniformMass total='0.05'/><Springs stiffness='100' damping='0.01'/>"
            "<Skin/></node>",
            step, y, speed);
    else
        snprintf(
            text, sizeof text,
            "<node name='thing'><Spook step='%.17g'/><Frames name='points' positions='0.5 %.17g 0.5 0 0 0 1  "
            "0.72 "
            "%.17g 0.5 0 0 0 1' velocities='%g 0 0 0 0 0  %g 0 0 0 0 0'/><UniformMass total='4' box='0.2 "
            "0.2 0.2'/><LockJoint point='0' other='@points' other_point='1' at='0.61 %.17g 0.5' "
            "compliance='1e-6'/><Shape size='0.2 0.2 0.2'/></node>",
            step, y + 0.1, y + 0.1, speed, speed, y + 0.1);
    return text;
}

static TacWorld *lying(int kind, double beat, double step, double speed, double friction, double slope,
                       int threads) {
    double angle = atan(slope);
    snprintf(scene_text, sizeof scene_text,
             "<tactus version='1' dt='%.17g' gravity='%.17g %.17g 0'><Contact method='safe' restitution='0' "
             "thickness='0.005' friction='%g'/>" FLOOR "%s</tactus>",
             beat, g * sin(angle), -g * cos(angle), friction, thing(kind, step, 0.00501, speed));
    return make_world(scene_text, threads);
}

// Numbers of each point in TAC_X and TAC_V.
static size_t sizes(int kind, size_t *speed) {
    *speed = kind == BOXES ? 6 : 3;
    return kind == BOXES ? 7 : 3;
}

static double fastest(TacWorld *world, int kind, bool upwards) {
    size_t size, n = tac_world_point_count(world, tac_world_find(world, "/thing/points"));
    sizes(kind, &size);
    const double *v = speeds(world, "/thing/points");
    double most = 0;
    for (size_t i = 0; i < n; i++)
        most = fmax(most, upwards ? fabs(v[size * i + 1]) : tac_norm(tac_load3(v + size * i)));
    return most;
}

// Mean place of its points.
static TacVec3 middle(TacWorld *world, int kind) {
    size_t other, size = sizes(kind, &other),
                  n = tac_world_point_count(world, tac_world_find(world, "/thing/points"));
    const double *x = places(world, "/thing/points");
    TacVec3 sum = {0, 0, 0};
    for (size_t i = 0; i < n; i++) sum = tac_axpy(sum, 1 / (double)n, tac_load3(x + size * i));
    return sum;
}

// What rests on layers that its solver does not know is compressed by the way that it would fall in a step. Without friction
// there is one way to lie only, anywhere on the floor.
static void test_all_clocks_rest_quietly(void **state) {
    (void)state;
    for (int kind = 0; kind < KINDS; kind++)
        for (double friction = 0; friction < 0.9; friction += 0.5) {
            double height = 0;
            for (int i = -1; i < STEPS; i++) {
                double step = i < 0 ? 0.00125 : free_steps[i], most = 0;
                TacWorld *world = lying(kind, 0.01, step, 0, friction, 0, 1);
                advance(world, 0.7);
                for (int k = 0; k < 20; k++) {
                    advance(world, 0.0037);
                    most = fmax(most, fastest(world, kind, friction == 0));
                }
                double y = middle(world, kind).y;
                if (i < 0) height = y;
                if (!(most < 1e-3 && (friction > 0 || fabs(y - height) < 5e-6)))
                    fail_msg("%s, friction %g, %g s: moves at %g m/s, and lies %g m higher than it should",
                             names[kind], friction, step, most, y - height);
                tac_world_destroy(world);
            }
        }
}

// A whole kick throws boxes onto layers that were not live when it was computed; that must not repeat itself for ever, nor
// where the step is the beat.
static void test_boxes_do_not_hop_from_step_to_step(void **state) {
    (void)state;
    for (double step = 0.0083; step < 0.018; step += 0.0021)
        for (int on_ruler = 0; on_ruler < 2; on_ruler++) {
            TacWorld *world = lying(BOXES, on_ruler ? step : 0.01, step, 0, 0.5, 0, 1);
            advance(world, 1.5);
            double most = 0;
            for (int k = 0; k < 20; k++) {
                advance(world, 0.0037);
                most = fmax(most, fastest(world, BOXES, false));
            }
            if (!(most < 1e-3))
                fail_msg("%g s, %s: they move at %g m/s", step, on_ruler ? "the beat" : "a free clock", most);
            tac_world_destroy(world);
        }
}

// On nine tenths of the slope that friction holds.
static void test_all_clocks_hold_on_a_slope(void **state) {
    (void)state;
    for (int kind = 0; kind < KINDS; kind++)
        for (int i = 0; i < STEPS; i++) {
            TacWorld *world = lying(kind, 0.005, free_steps[i], 0, 0.5, 0.45, 1);
            advance(world, kind == BOXES ? 2 : 0.8); // boxes that land with long steps rock for a while
            TacVec3 before = middle(world, kind);
            advance(world, 0.5);
            double crept = tac_norm(tac_sub(middle(world, kind), before));
            if (!(crept < 5e-6)) fail_msg("%s, %g s: crept by %g m", names[kind], free_steps[i], crept);
            tac_world_destroy(world);
        }
}

static void test_all_clocks_slide_as_far_as_coulomb_says(void **state) {
    (void)state;
    const double friction = 0.4, speed = 1.5, expected = speed * speed / (2 * friction * g);
    for (int kind = 0; kind < KINDS; kind++)
        for (int i = 0; i < STEPS; i++) {
            TacWorld *world = lying(kind, 0.01, free_steps[i], speed, friction, 0, 1);
            double from = middle(world, kind).x;
            advance(world, speed / (friction * g) + 0.1);
            double slid = middle(world, kind).x - from;
            if (!(fabs(slid / expected - 1) < 0.03))
                fail_msg("%s, %g s: %g m for %g m", names[kind], free_steps[i], slid, expected);
            tac_world_destroy(world);
        }
}

// A corner of a cloth that lies on the floor is pulled along: it is where the script says, though kicks come in parts.
static void test_what_goes_as_it_is_told_is_on_time(void **state) {
    (void)state;
    for (int i = -1; i < STEPS; i++) {
        double step = i < 0 ? 0.01 : free_steps[i], off = 0;
        TacWorld *world = MAKE(
            "<tactus version='1' dt='0.01'><Contact restitution='0' thickness='0.005' friction='0.4'/>" FLOOR
            "<node name='cloth'><ImplicitEuler step='%.17g' damping_stiffness='0.002'/><Sheet divisions='2' "
            "width='0.2' depth='0.2'/><Points translation='0 0.00501 0'/><UniformMass total='0.1'/><Springs "
            "stiffness='200' damping='0.01'/><ScriptedMotion points='0' times='0 0.3 1' offsets='0 0 0  0.06 "
            "0 0 "
            "0.06 0.14 0'/><Skin/></node></tactus>",
            step);
        for (int k = 1; k <= 40; k++) {
            advance(world, 0.01);
            const double *x = places(world, "/cloth/points");
            double t = 0.01 * k, along = 0.2 * fmin(t, 0.3), up = 0.2 * fmax(t - 0.3, 0);
            off = fmax(off, hypot(x[0] + 0.1 - along, x[1] - 0.00501 - up));
        }
        if (!(off < 1e-12)) fail_msg("%g s: off by %g m", step, off);
        tac_world_destroy(world);
    }
}

// A soft block with a clock of its own meets another one, which may be free or part of the world's ruler.
static TacWorld *falling_block(double young, double step, double speed, double restitution, double gravity,
                               double other_step, double apart) {
    double gap = 0.012 + 0.37 * speed * step;
    return MAKE(
        "<tactus version='1' dt='0.01' gravity='0 %g 0'><Contact restitution='%g' thickness='0.005' "
        "friction='0'/><node name='b'><ImplicitEuler step='%.17g'/><SparseDirect/><Grid counts='2 2 2' "
        "low='0 -0.1 0' high='0.1 0 0.1' split='true'/><Points translation='%g 0 0'/><UniformMass "
        "total='1'/><Tetrahedra young='%g' poisson='0.3'/><Skin/></node>"
        "<node name='thing'><ImplicitEuler step='%.17g'/><SparseDirect/><Grid counts='2 2 2' low='0 %.17g "
        "0' high='0.1 %.17g 0.1' split='true'/><Points velocities='0 %g 0'/><UniformMass total='1'/>"
        "<Tetrahedra young='%g' poisson='0.3'/><Skin/></node></tactus>",
        gravity, restitution, other_step, apart, young, step, gap, gap + 0.1, -speed, young);
}

static void test_hits_between_clocks_gain_nothing(void **state) {
    (void)state;
    for (double young = 1e4; young < 2e7; young *= sqrt(1000))
        for (double speed = 0.5; speed < 21; speed *= sqrt(40))
            for (int i = 1; i < STEPS; i++) {
                double step = free_steps[i], peak = 0;
                TacWorld *world = falling_block(young, step, speed, i % 2, 0, i == 2 ? 0.01 : 0.007, 0);
                double start = tac_world_energy(world).total, before = tac_world_momentum(world).linear.y;
                for (double t = 0; t < 0.03 / speed + 12 * step; t += step / 4) {
                    advance(world, step / 4);
                    peak = fmax(peak, tac_world_energy(world).total / start);
                }
                double gained = tac_world_momentum(world).linear.y / before - 1;
                assert_true(tac_world_contact_stats(world).kicks > 100);
                if (!(peak < MOST_GAIN && fabs(gained) < 1e-11))
                    fail_msg("%g Pa, %g s, %g m/s: energy goes up to %g times what it was, momentum by %g",
                             young, step, speed, peak, gained);
                tac_world_destroy(world);
            }
}

// Weight is the only force from outside: parts of kicks, what they give ahead and what is taken back make up as much as whole
// kicks do, whether there is a hit or not.
static void test_no_time_is_kicked_for_twice(void **state) {
    (void)state;
    for (int i = 0; i < STEPS; i++) {
        double fallen[2];
        for (int passes = 0; passes < 2; passes++) {
            TacWorld *world = falling_block(1e5, free_steps[i], 2, 1, -g, 0.007, passes);
            advance(world, 0.35);
            assert_true((tac_world_contact_stats(world).kicks > 100) == !passes);
            fallen[passes] = tac_world_momentum(world).linear.y;
            tac_world_destroy(world);
        }
        if (!(fabs(fallen[0] / fallen[1] - 1) < 1e-13))
            fail_msg("%g s: %.15g and %.15g N s", free_steps[i], fallen[0], fallen[1]);
    }
}

// Two blocks touch, so that their kicks come in parts, when a ball hits them: parts that reach beyond the steps which that cuts
// are taken back.
static void test_no_part_is_kicked_for_twice(void **state) {
    (void)state;
    static const double steps[] = {0.005, 0.0025, 1.0 / 60};
    for (int i = 0; i < 3; i++)
        for (double speed = 16; speed < 65; speed *= 2) {
            TacWorld *world = MAKE(
                "<tactus version='1' dt='0.01' gravity='0 %g 0'><Contact restitution='0.5' thickness='0.04' "
                "friction='0'/><node name='a'><ImplicitEuler step='%.17g'/><SparseDirect/><Grid counts='2 2 "
                "2' low='0 0 "
                "0' high='0.1 0.1 0.1' split='true'/><Points/><UniformMass total='1'/><Tetrahedra "
                "young='1e7' "
                "poisson='0.3'/><Skin/></node><node name='b'><ImplicitEuler "
                "step='%.17g'/><SparseDirect/><Grid counts='2 "
                "2 2' low='0 0.14 0' high='0.1 0.24 0.1' split='true'/><Points velocities='0 -0.1 "
                "0'/><UniformMass "
                "total='1'/><Tetrahedra young='1e7' poisson='0.3'/><Skin/></node><node name='ball'><Points "
                "positions='0.05 "
                "%g 0.05' velocities='0 %g 0'/><UniformMass mass='1'/><Balls radius='0.02'/></node></tactus>",
                -g, steps[i], steps[i], -0.061 - 0.023 * speed, speed);
            double before = speed - 0.1, after = 0;
            advance(world, 0.1); // a tick of all
            for (int k = 0; k < 8; k++)
                after += (speeds(world, "/a/points")[3 * k + 1] + speeds(world, "/b/points")[3 * k + 1]) / 8;
            after += speeds(world, "/ball/points")[1];
            double gained = (before - after) / (3 * g * 0.1);
            if (!(fabs(gained - 1) < 1e-12))
                fail_msg("%g s, %g m/s: %.15g of the weight", steps[i], speed, gained);
            tac_world_destroy(world);
        }
}

// Three agents on top of each other, on three free clocks or on the ruler; one of them has points that go as they are told.
static TacWorld *heap(int threads, const char *tube, bool fits) {
    snprintf(
        scene_text, sizeof scene_text,
        "<tactus version='1' dt='0.01'><Contact method='safe' restitution='0.3' thickness='0.005' "
        "friction='0.4' "
        "vagueness='%s'/>" FLOOR
        "<node name='block'><ImplicitEuler step='%.17g' damping_stiffness='0.002'/><SparseDirect/><Grid "
        "counts='3 2 3' low='-0.2 0.02 -0.2' high='0.2 0.12 0.2' split='true'/><Points/><UniformMass "
        "total='4'/><Tetrahedra young='200000' poisson='0.3'/><Skin/></node>"
        "<node name='cloth'><ImplicitEuler step='%g' damping_stiffness='0.002'/><Sheet divisions='4' "
        "width='0.5' depth='0.5'/><Points translation='0 0.14 0'/><UniformMass total='0.1'/><Springs "
        "stiffness='200' damping='0.01'/><ScriptedMotion points='0' times='0 1' offsets='0 0 0  0.1 0 0'/>"
        "<Skin/></node>"
        "<node name='boxes'><Spook step='%g'/><Frames positions='-0.06 0.25 0 0 0 0 1  0.06 0.25 0 0 0 0 "
        "1'/><UniformMass total='2' box='0.1 0.1 0.1'/><LockJoint point='0' other='@frames' other_point='1' "
        "at='0 0.25 0' compliance='1e-6'/><Shape size='0.1 0.1 0.1'/></node></tactus>",
        tube, fits ? 0.01 : 1.0 / 60, fits ? 0.0025 : 0.003, fits ? 0.005 : 0.007);
    return make_world(scene_text, threads);
}

static void test_all_clocks_give_the_same_bits(void **state) {
    (void)state;
    static const char *const tubes[] = {"1", "0", "10"};
    for (int fits = 0; fits < 2; fits++) {
        TacWorld *world = heap(1, "1", fits);
        advance_audited(world, 0.3);
        uint64_t whole = tac_world_hash(world);
        tac_world_destroy(world);
        for (int i = 0; i < 3; i++) {
            world = heap(2 + i, tubes[i], fits);
            advance(world, 0.3);
            if (tac_world_hash(world) != whole)
                fail_msg("%d threads, tubes of %s: other bits", 2 + i, tubes[i]);
            tac_world_destroy(world);
        }
        // in the middle of steps, before and after the first hits
        for (double at = 0.0537; at < 0.3; at += 0.1179)
            expect_resumed(heap(1, "1", fits), heap(2, "1", fits), at, 0.3, whole);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_clocks_rest_quietly),
        cmocka_unit_test(test_boxes_do_not_hop_from_step_to_step),
        cmocka_unit_test(test_all_clocks_hold_on_a_slope),
        cmocka_unit_test(test_all_clocks_slide_as_far_as_coulomb_says),
        cmocka_unit_test(test_what_goes_as_it_is_told_is_on_time),
        cmocka_unit_test(test_hits_between_clocks_gain_nothing),
        cmocka_unit_test(test_no_time_is_kicked_for_twice),
        cmocka_unit_test(test_no_part_is_kicked_for_twice),
        cmocka_unit_test(test_all_clocks_give_the_same_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
