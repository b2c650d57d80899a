// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Tests of safe contact against closed forms and conservation laws: impacts, momentum, energy, friction, rest.
// That what may change cost only changes nothing else is in safe_same_test.c.

#include "safe_checks.h"

#include "base/random.h"

#define FLOOR "<node name='floor'><Sheet divisions='1' width='4' depth='4'/><Points/><Skin/></node>"

// --- impacts ----------------------------------------------------------------------------------------------

// A ball falls on a floor; its speed after the impact over that before, both where contact begins.
static double rebound(double e, double r, double eta, double h) {
    const double g = 9.81;
    TacWorld *world = MAKE(
        "<tactus version='1' gravity='0 %g 0'><Contact friction='0' restitution='%g' thickness='%g'/>" FLOOR
        "<node name='ball'><Points positions='0.1 %g 0.05'/><UniformMass mass='1'/>"
        "<Balls radius='%g'/></node></tactus>",
        -g, e, eta, h, r);
    double fall = h - r - eta, in = sqrt(2 * g * fall); // the ball's middle begins at h
    advance(world, sqrt(2 * fall / g));
    // up and down: the speed follows from height and speed as soon as it has left
    double out = 0;
    for (int i = 0; i < 200 && out == 0; i++) {
        advance(world, 1e-4);
        double y = places(world, "/ball/points")[1], v = speeds(world, "/ball/points")[1];
        if (y >= r + eta && v > 0) out = sqrt(v * v + 2 * g * (y - r - eta));
    }
    tac_world_destroy(world);
    return out / in;
}

// All of many cases; with sanitizers, which take ten times as long, some of them.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { EVERY = 5 };
#else
enum { EVERY = 1 };
#endif

static void test_balls_rebound_by_the_coefficient_of_restitution(void **state) {
    (void)state;
    // where in a tick a ball turns round differs in all of these
    const double radii[] = {0.02, 0.05, 0.1}, thicknesses[] = {3e-4, 1e-3, 3e-3}, heights[] = {0.5, 1, 3};
    for (int i = 0; i < 27; i += EVERY)
        for (int k = 0; k <= 5; k++) {
            double r = radii[i % 3], eta = thicknesses[i / 3 % 3], h = heights[i / 9], e = 0.2 * k;
            double out = rebound(e, r, eta, h);
            if (!(k ? fabs(out - e) < 0.02 : out < 0.08))
                fail_msg("%g m, layers of %g m, from %g m: e = %g rebounds by %g", r, eta, h, e, out);
        }
}

// Two equal balls, head on: they swap their speeds, whatever the layers were made for.
static void test_elastic_impacts_keep_their_speed_at_any_speed(void **state) {
    (void)state;
    for (double ratio = 1; ratio <= 1e4; ratio *= sqrt(10)) {
        double v = 0.5 * ratio; // each, so that they close at `ratio`
        TacWorld *world = MAKE(
            "<tactus version='1' gravity='0 0 0'><Contact method='safe' friction='0' restitution='1' "
            "thickness='0.001' speed='1'/>"
            "<node name='balls'><Points positions='-0.2 0 0  0.2 0 0' velocities='%.17g 0 0  %.17g 0 0'/>"
            "<UniformMass mass='0.3'/><Balls radius='0.1'/></node></tactus>",
            v, -v);
        advance(world, 0.15 / v);
        const double *out = speeds(world, "/balls/points");
        if (!(fabs(-out[0] / v - 1) < 0.01 && fabs(out[3] / v - 1) < 0.01))
            fail_msg("at %g times the usual speed: %g", ratio, -out[0] / v);
        assert_true(fabs(out[1]) + fabs(out[2]) < 1e-12 * v);
        tac_world_destroy(world);
    }
}

// --- momentum ---------------------------------------------------------------------------------------------

// Everything against everything: soft sheets, a soft solid with a mapped skin, a rigid body, balls, a wire.
static TacWorld *make_menagerie(double e) {
    return MAKE(
        "<tactus version='1' gravity='0 0 0'><Contact friction='0' restitution='%g' thickness='0.004'/>"
        "<node name='sheet'><SymplecticEuler step='0.0025'/><Sheet divisions='4' width='0.4' depth='0.4'/>"
        "<Points/><UniformMass mass='0.01'/><Springs stiffness='20'/><Skin/></node>"
        "<node name='crossed'><SymplecticEuler step='0.0025'/>"
        "<Sheet divisions='4' width='0.4' depth='0.4' rotation='80 20 0' translation='0.3 0.3 0'/>"
        "<Points/><UniformMass mass='0.01'/><Springs stiffness='20'/><Skin/></node>"
        "<node name='solid'><SymplecticEuler step='0.00125'/>"
        "<Grid counts='3 3 3' low='-0.1 -0.5 -0.1' high='0.1 -0.3 0.1' split='true'/><Points/>"
        "<UniformMass mass='0.02'/><Tetrahedra young='2000' poisson='0.3'/>"
        "<node name='skin'><Sphere radius='0.09' subdivisions='1' translation='0 -0.4 0'/><Points/>"
        "<BarycentricMap/><Skin/></node></node>"
        "<node name='rigid'><Frames positions='-0.4 0.3 0  0.1 0.2 0.3 0.9' velocities='1.2 -0.9 0.1  3 -2 "
        "4'/>"
        "<UniformMass mass='0.2' box='0.2 0.1 0.15'/><node name='box'>"
        "<Box low='-0.1 -0.05 -0.075' high='0.1 0.05 0.075'/><Points/><RigidMap/><Skin/></node></node>"
        "<node name='balls'><Points positions='0.05 -0.15 0.07  0.5 -0.1 0.02  -0.1 0.6 0.1' "
        "velocities='0.2 1 -0.1  -2 0.1 0.1  0.1 -2.5 -0.3'/><UniformMass mass='0.05'/>"
        "<Balls radius='0.05'/></node>"
        "<node name='wire'><SymplecticEuler step='0.0025'/><Line divisions='4' from='-0.3 0.1 -0.3' to='0.3 "
        "0.15 -0.3'/>"
        "<Points velocities='0 0 1  0 0 1.1  0 -0.2 1.2  0 0 1.1  0 0 1'/><UniformMass mass='0.02'/>"
        "<Springs stiffness='50'/><Skin radius='0.01'/></node>"
        "</tactus>",
        e);
}

static void test_momentum_is_kept(void **state) {
    (void)state;
    for (double e = 0; e <= 1; e += 0.5) {
        TacWorld *world = make_menagerie(e);
        TacMomentum start = tac_world_momentum(world);
        // what all of it could carry, without signs
        double kinetic = tac_world_energy(world).kinetic, size = sqrt(2 * kinetic * 2);
        for (int i = 0; i < 8; i++) {
            advance(world, 0.1);
            TacMomentum now = tac_world_momentum(world);
            double linear = tac_norm(tac_sub(now.linear, start.linear));
            double angular = tac_norm(tac_sub(now.angular, start.angular));
            if (!(linear < 1e-10 * size && angular < 1e-10 * size))
                fail_msg("e = %g: momentum has changed by %g and %g of %g", e, linear, angular, size);
        }
        TacContactStats stats = tac_world_contact_stats(world);
        assert_true(stats.kicks > 3000);
        tac_world_destroy(world);
    }
}

// Balls and a turning box drawn together by strings: they press on each other for as long as they are looked at, and
// turn as a whole.
static void test_momentum_is_kept_over_a_million_events(void **state) {
    (void)state;
    TacWorld *world =
        MAKE("<tactus version='1' gravity='0 0 0'><Contact friction='0' restitution='0.5' thickness='0.001' "
             "speed='2'/>"
             "<node name='balls'><Points positions='0.2 0 0  -0.2 0 0  0 0.2 0  0 -0.2 0  0 0 0.2  0 0 -0.2' "
             "velocities='0 1 0  0 -1 0  -1 0 0  1 0 0  0.5 0 0  0 0.5 0'/><UniformMass mass='0.1'/>"
             "<Springs pairs='0 1 2 3 4 5 0 2 1 3 2 4 3 5' stiffness='200' lengths='0.01'/>"
             "<Balls radius='0.05'/></node>"
             "<node name='box'><Frames positions='0 0 0 0.1 0.2 0.3 0.9' velocities='0.1 0 0 3 -2 1'/>"
             "<UniformMass mass='0.2' box='0.1 0.1 0.1'/><node name='skin'>"
             "<Box low='-0.05 -0.05 -0.05' high='0.05 0.05 0.05'/><Points/><RigidMap/><Skin/></node></node>"
             "</tactus>");
    TacMomentum start = tac_world_momentum(world);
    double size = tac_norm(start.linear) + tac_norm(start.angular) / 0.2;
    assert_true(size > 0.01);
    for (int i = 0; i < 400 && tac_world_contact_stats(world).kicks < 1000000; i++) advance(world, 0.05);
    assert_true(tac_world_contact_stats(world).kicks >= 1000000);
    TacMomentum now = tac_world_momentum(world);
    double linear = tac_norm(tac_sub(now.linear, start.linear)),
           angular = tac_norm(tac_sub(now.angular, start.angular)) / 0.2;
    if (!(linear < 1e-10 * size && angular < 1e-10 * size))
        fail_msg("momentum has changed by %g and %g of %g after %g s", linear, angular, size,
                 tac_world_time(world));
    tac_world_destroy(world);
}

static void test_the_menagerie_never_meets(void **state) {
    (void)state;
    TacWorld *world = make_menagerie(1);
    advance_audited(world, 0.8);
    tac_world_destroy(world);
}

// --- energy -----------------------------------------------------------------------------------------------

// Particles between six fixed walls.
static TacWorld *make_gas(int count, double e) {
    static char text[1 << 15];
    TacRandom random = tac_random(7, 0);
    int n =
        snprintf(text, sizeof text,
                 "<tactus version='1' gravity='0 0 0'><Contact friction='0' restitution='%g' "
                 "thickness='0.01' speed='1'/>"
                 "<node name='walls'><Box low='-0.5 -0.5 -0.5' high='0.5 0.5 0.5'/><Points/><Skin/></node>"
                 "<node name='gas'><Points positions='",
                 e);
    for (int i = 0; i < count; i++) // on a grid, well apart
        n += snprintf(text + n, sizeof text - (size_t)n, "%g %g %g ", -0.35 + 0.23 * (i % 4),
                      -0.35 + 0.23 * (i / 4 % 4), -0.35 + 0.23 * (i / 16));
    n += snprintf(text + n, sizeof text - (size_t)n, "' velocities='");
    for (int i = 0; i < 3 * count; i++)
        n += snprintf(text + n, sizeof text - (size_t)n, "%g ", tac_random_between(&random, -1, 1));
    snprintf(text + n, sizeof text - (size_t)n,
             "'/><UniformMass mass='0.01'/><Balls radius='0.04'/></node></tactus>");
    return make_world(text, 1);
}

static void test_particles_keep_their_energy(void **state) {
    (void)state;
    TacWorld *world = make_gas(60, 1);
    double start = tac_world_energy(world).total, early = 0, late = 0;
    const int beats = 200;
    for (int i = 0; i < beats; i++) {
        advance(world, 0.01);
        double now = tac_world_energy(world).total / start;
        if (!(fabs(now - 1) < 0.01)) fail_msg("energy is %g of the first", now);
        if (i < beats / 4) early += now / (0.25 * beats);
        if (i >= beats - beats / 4) late += now / (0.25 * beats);
    }
    if (!(fabs(late - early) < 2e-3)) fail_msg("energy drifts from %g to %g", early, late);
    tac_world_destroy(world);
}

static void test_particles_lose_energy_smoothly(void **state) {
    (void)state;
    double last_end = 0;
    for (double e = 0.2; e < 0.9; e += 0.3) {
        TacWorld *world = make_gas(60, e);
        double start = tac_world_energy(world).total, before = start;
        for (int i = 0; i < 60; i++) {
            advance(world, 0.01);
            double now = tac_world_energy(world).total;
            assert_true(now < before * 1.002);
            assert_true(now > 0.5 * before);
            before = now;
        }
        // the less restitution, the less is left
        assert_true(before < 0.9 * start && before > last_end);
        last_end = before;
        tac_world_destroy(world);
    }
}

// --- friction ---------------------------------------------------------------------------------------------

static TacWorld *make_block(double speed, double mu, double gx, double gy) {
    return MAKE(
        "<tactus version='1' gravity='%.17g %.17g 0'>"
        "<Contact restitution='0' thickness='0.001' friction='%g'/>" FLOOR
        "<node name='block'><Frames positions='0.2 0.05101 0.1 0 0 0 1' velocities='%g 0 0 0 0 0'/>"
        "<UniformMass mass='1' box='0.2 0.1 0.2'/><node name='skin'>"
        "<Box low='-0.1 -0.05 -0.1' high='0.1 0.05 0.1'/><Points/><RigidMap/><Skin/></node></node></tactus>",
        gx, gy, mu, speed);
}

static void test_a_block_slides_as_far_as_coulomb_says(void **state) {
    (void)state;
    const double g = 9.81;
    for (double mu = 0.2; mu < 0.7; mu += 0.4) {
        TacWorld *world = make_block(1, mu, 0, -g);
        advance(world, 0.02); // it has landed
        double from = places(world, "/block/frames")[0], v = speeds(world, "/block/frames")[0];
        double expected = v * v / (2 * mu * g);
        advance(world, v / (mu * g) + 0.05);
        double slid = places(world, "/block/frames")[0] - from;
        assert_true(v > 0.85 && v < 1);
        if (!(fabs(slid / expected - 1) < 0.03)) fail_msg("friction %g: %g m for %g m", mu, slid, expected);
        tac_world_destroy(world);
    }
}

static void test_a_block_holds_on_a_slope(void **state) {
    (void)state;
    const double g = 9.81, mu = 0.5, angle = atan(0.9 * mu);
    TacWorld *world = make_block(0, mu, g * sin(angle), -g * cos(angle));
    advance(world, 0.3);
    double from = places(world, "/block/frames")[0];
    advance(world, 2);
    // a fifth of ten seconds, a fifth of 0.1 mm
    double crept = fabs(places(world, "/block/frames")[0] - from);
    if (!(crept < 2e-5)) fail_msg("it crept by %g m", crept);
    tac_world_destroy(world);
    // a little steeper than friction holds, it slides as Coulomb says
    double steep = atan(1.2 * mu), pull = g * sin(steep) - mu * g * cos(steep);
    world = make_block(0, mu, g * sin(steep), -g * cos(steep));
    advance(world, 0.2);
    double x = places(world, "/block/frames")[0], v = speeds(world, "/block/frames")[0];
    advance(world, 0.5);
    double slid = places(world, "/block/frames")[0] - x, expected = v * 0.5 + 0.5 * pull * 0.25;
    if (!(fabs(slid / expected - 1) < 0.03)) fail_msg("it slid %g m for %g m", slid, expected);
    tac_world_destroy(world);
}

// --- rest -------------------------------------------------------------------------------------------------

// How far any point is from where it was, which is then where it is.
static double farthest_move(TacWorld *world, double *before) {
    double farthest = 0;
    for (size_t m = 0; m < tac_world_matter_count(world); m++) {
        TacComponentId id = tac_world_matter(world, m);
        if (strstr(tac_world_path(world, id), "frames")) continue; // seen by the points that they carry
        const double *x = tac_world_positions(world, id);
        size_t n = tac_world_point_count(world, id);
        for (size_t i = 0; i < n; i++)
            farthest = fmax(farthest, tac_norm(tac_sub(tac_load3(x + 3 * i), tac_load3(before + 3 * i))));
        memcpy(before, x, 3 * n * sizeof *x);
        before += 3 * n;
    }
    return farthest;
}

// After settling, and again and again from then on, over short and long times. (Velocities themselves go up and
// down between kicks by the weight times a layer's period.)
static void rests_quietly(const char *text, double settle) {
    TacWorld *world = make_world(text, 1);
    static double before[3000];
    assert_true(tac_world_stats(world).points < 1000);
    advance(world, settle);
    farthest_move(world, before);
    for (int i = 0; i < 20; i++) {
        double span = i % 2 ? 0.0037 : 0.01, speed;
        advance(world, span);
        speed = farthest_move(world, before) / span;
        if (!(speed < 1e-3)) fail_msg("%g m/s after %g s\n%s", speed, tac_world_time(world), text);
    }
    tac_world_destroy(world);
}

#define RESTING "<tactus version='1'><Contact restitution='0' thickness='0.002' friction='0.3'/>" FLOOR

static void test_a_stack_of_boxes_rests(void **state) {
    (void)state;
    rests_quietly(
        RESTING
        "<node name='boxes'><Frames positions='0.1 0.055 0 0 0 0 1  0.11 0.16 0.01 0 0.1 0 1'/>"
        "<UniformMass mass='1' box='0.2 0.1 0.2'/>"
        "<node name='a'><Box low='-0.1 -0.05 -0.1' high='0.1 0.05 0.1'/><Points/><RigidMap frame='0'/>"
        "<Skin/></node>"
        "<node name='b'><Box low='-0.1 -0.05 -0.1' high='0.1 0.05 0.1'/><Points/><RigidMap frame='1'/>"
        "<Skin/></node></node></tactus>",
        1.2);
}

// After a while nothing is moving at any moment: not only does it stay where it is.
static void world_is_still(TacWorld *world, double after) {
    advance(world, after);
    for (int k = 0; k < 50; k++) {
        advance(world, 1.3e-3); // at ever different moments of a beat
        for (size_t m = 0; m < tac_world_matter_count(world); m++) {
            TacComponentId id = tac_world_matter(world, m);
            if (tac_world_kind(world, id) != TAC_VEC3)
                continue; // frames are seen by the points that they carry
            const double *v = tac_world_velocities(world, id);
            for (size_t i = 0; i < tac_world_point_count(world, id); i++) {
                double fast = tac_norm(tac_load3(v + 3 * i));
                if (!(fast < 1e-3))
                    fail_msg("%s: %g m/s after %g s", tac_world_path(world, id), fast, tac_world_time(world));
            }
        }
    }
    tac_world_destroy(world);
}

// Those below carry many times their weight.
static void test_a_tall_stack_does_not_rock(void **state) {
    (void)state;
    char boxes[4096];
    int at = 0;
    for (int i = 0; i < 3; i++)
        at += snprintf(boxes + at, sizeof boxes - (size_t)at,
                       "<node name='b%d'><Frames positions='%g %g %g 0 %g 0 1'/><UniformMass mass='%d' "
                       "box='0.2 0.1 0.2'/><node name='skin'><Box low='-0.1 -0.05 -0.1' high='0.1 0.05 "
                       "0.1'/><Points/><RigidMap/><Skin/></node></node>",
                       i, 0.1 + 0.004 * i, 0.053 + 0.104 * i, 0.005 * (i % 2), 0.02 * i, 2 - i % 2);
    world_is_still(MAKE("%s%s</tactus>", RESTING, boxes), 0.5);
}

// As one kick a step, their weight would throw them onto the layers below.
static void test_explicit_agents_are_still(void **state) {
    (void)state;
    world_is_still(
        MAKE(RESTING
             "<node name='box'><SymplecticEuler step='0.005'/><Frames positions='0.1 0.055 0 0 0 0 1'/>"
             "<UniformMass mass='1' box='0.2 0.1 0.2'/><node name='skin'>"
             "<Box low='-0.1 -0.05 -0.1' high='0.1 0.05 0.1'/><Points/><RigidMap/><Skin/></node></node>"
             "<node name='cloth'><SymplecticEuler step='0.00125'/>"
             "<Sheet divisions='4' width='0.3' depth='0.3'/><Points translation='0.5 0.003 0.1'/>"
             "<UniformMass total='0.05'/><Springs stiffness='50' damping='0.05'/><Skin/></node></tactus>"),
        0.5);
}

static void test_a_cloth_on_a_floor_rests(void **state) {
    (void)state;
    rests_quietly(
        RESTING "<node name='cloth'><ImplicitEuler damping_stiffness='0.001'/>"
                "<Sheet divisions='5' width='0.3' depth='0.3'/><Points translation='0.3 0.01 0.1'/>"
                "<UniformMass total='0.05'/><Springs stiffness='50' damping='0.01'/><Skin/></node></tactus>",
        1);
}

static void test_an_implicit_body_on_a_floor_rests(void **state) {
    (void)state;
    rests_quietly(RESTING
                  "<node name='body'><ImplicitEuler damping_stiffness='0.01'/>"
                  "<Grid counts='3 3 3' low='0 0.01 0' high='0.2 0.21 0.2' split='true'/><Points/>"
                  "<UniformMass total='1'/><Tetrahedra young='20000' poisson='0.3'/><Skin/></node></tactus>",
                  1);
}

static void test_a_damped_explicit_cloth_on_a_floor_rests(void **state) {
    (void)state;
    rests_quietly(
        RESTING "<node name='cloth'><SymplecticEuler step='0.00125'/>"
                "<Sheet divisions='5' width='0.3' depth='0.3'/><Points translation='0.3 0.01 0.1'/>"
                "<UniformMass total='0.05'/><Springs stiffness='50' damping='0.05'/><Skin/></node></tactus>",
        1);
}

// What rests on layers is held up by them: no false compression of an implicit body.
static void test_a_resting_body_is_as_tall_as_its_weight_makes_it(void **state) {
    (void)state;
    double height[2];
    for (int i = 0; i < 2; i++) { // the same body at steps of 10 ms and of 2.5 ms
        TacWorld *world =
            MAKE(RESTING
                 "<node name='body'><ImplicitEuler step='%g' damping_stiffness='0.01'/>"
                 "<Grid counts='2 3 2' low='0 0.01 0' high='0.1 0.21 0.1' split='true'/><Points/>"
                 "<UniformMass total='1'/><Tetrahedra young='20000' poisson='0.3'/><Skin/></node></tactus>",
                 i ? 0.0025 : 0.01);
        advance(world, 1);
        const double *x = places(world, "/body/points");
        height[i] = x[3 * 8 + 1] - x[1];
        tac_world_destroy(world);
    }
    // weight over area and modulus, half of it: a centimetre in all
    double squashed = 0.2 - height[1];
    assert_true(squashed > 1e-3);
    if (!(fabs(height[0] - height[1]) < 0.02 * squashed)) fail_msg("%g and %g m", height[0], height[1]);
}

// An assembled matrix holds the layers, too: a direct solver does what an exact iterative one does. (Elastic: where impacts
// lose energy, what separates is told from what rests within millimetres a second, and roundings grow.)
static void test_direct_solvers_see_live_layers(void **state) {
    (void)state;
    double y[2][8];
    for (int i = 0; i < 2; i++) {
        TacWorld *world =
            MAKE("<tactus version='1'><Contact friction='0' restitution='1' thickness='0.004'/>" FLOOR
                 "<node name='soft'><ImplicitEuler/>%s"
                 "<Grid counts='2 2 2' low='-0.03 0.01 -0.03' high='0.02 0.06 0.02' split='true'/><Points/>"
                 "<UniformMass mass='0.005'/><Tetrahedra young='5000' poisson='0.3'/><node name='skin'>"
                 "<Sphere subdivisions='0' radius='0.02' translation='-0.01 0.03 "
                 "-0.01'/><Points/><BarycentricMap/>"
                 "<Skin/></node></node></tactus>",
                 i ? "<SparseDirect/>" : "<ConjugateGradient iterations='500' tolerance='1e-14'/>");
        advance(world, 0.1);
        for (int k = 0; k < 8; k++) y[i][k] = places(world, "/soft/points")[3 * k + 1];
        assert_true(tac_world_contact_stats(world).kicks > 100);
        tac_world_destroy(world);
    }
    for (int k = 0; k < 8; k++)
        if (!(fabs(y[0][k] - y[1][k]) < 1e-9)) fail_msg("%.12g and %.12g", y[0][k], y[1][k]);
}

// Light things that fall on an implicit body push it no harder than they can: nothing gains energy.
static void test_a_cloth_on_an_implicit_body_gains_no_energy(void **state) {
    (void)state;
    TacWorld *world =
        MAKE("<tactus version='1'><Contact restitution='0.2' thickness='0.004' friction='0.3'/>" FLOOR
             "<node name='body'><ImplicitEuler/><Grid counts='3 3 3' low='0.1 0.01 0.1' high='0.2 0.11 0.2' "
             "split='true'/>"
             "<Points/><UniformMass total='0.6'/><Tetrahedra young='15000' poisson='0.3'/><Skin/></node>"
             "<node name='cloth'><SymplecticEuler step='0.0003125'/><Sheet divisions='4' width='0.15' "
             "depth='0.15'/>"
             "<Points translation='0.16 0.16 0.15' velocities='0 -1 0'/><UniformMass total='0.02'/>"
             "<Springs stiffness='30' damping='0.01'/><Skin/></node></tactus>");
    double start = tac_world_energy(world).total;
    for (int i = 0; i < 20; i++) {
        advance(world, 0.01);
        double now = tac_world_energy(world).total;
        // readings between kicks, with the weight of 10 ms, are off by some percent
        if (!(now < 1.1 * start))
            fail_msg("%g J after %g s, %g J at the start", now, tac_world_time(world), start);
    }
    assert_true(tac_world_contact_stats(world).kicks > 10000);
    tac_world_destroy(world);
}

// --- progress ---------------------------------------------------------------------------------------------

// Balls so fast and layers so thin that their steps would be below one tick: the run stops and says so.
static void test_what_cannot_be_integrated_stops_and_says_why(void **state) {
    (void)state;
    const double thickness = 1e-9, usual = 0.01, v = 2e4;
    TacWorld *world =
        MAKE("<tactus version='1' gravity='0 0 0'><Contact method='safe' friction='0' restitution='1' "
             "thickness='%g' speed='%g'/>"
             "<node name='left'><Points positions='-1 0 0' velocities='%g 0 0'/><UniformMass mass='1'/>"
             "<Balls radius='0.1'/></node>"
             "<node name='right'><Points positions='1 0 0'/><UniformMass mass='1'/>"
             "<Balls radius='0.1'/></node></tactus>",
             thickness, usual, v);
    TacError error;
    assert_int_equal(tac_world_audit(world, &error), TAC_OK);
    assert_int_equal(tac_world_advance(world, 0.01, &error), TAC_FAILED);
    assert_non_null(strstr(error.message, "vertex 0 of /left/balls"));
    assert_non_null(strstr(error.message, "vertex 0 of /right/balls"));
    double gap, closing, step, tick, thick;
    const char *from = strstr(error.message, "are ");
    assert_non_null(from);
    assert_int_equal(
        sscanf(from,
               "are %lf m apart and close at %lf m/s; the next layer would need a step of %lf s, "
               "below one tick (%lf s). The thickness is %lf m",
               &gap, &closing, &step, &tick, &thick),
        5);
    assert_true(thick == thickness);
    // the step of the first layer whose period is below one tick
    double l = 1, h = 0.1 * thickness / usual;
    while (h * 2 / (l * (l + 1)) >= tick) l++;
    double expected = h * 2 / (l * (l + 1));
    if (!(fabs(step / expected - 1) < 1e-3)) fail_msg("a step of %g s, not %g s", step, expected);
    assert_true(step < tick);
    // still apart, about where that layer begins, and still closing
    assert_true(gap > 0 && gap < 3 * thickness / sqrt(sqrt(l)));
    assert_true(closing > 0 && closing <= v);
    double apart = places(world, "/right/points")[0] - places(world, "/left/points")[0];
    assert_true(apart > 0.2);
    // it stays stopped
    assert_int_equal(tac_world_advance(world, 0.01, &error), TAC_FAILED);
    tac_world_destroy(world);
}

// Numbers that no scene means: refused, or stopped at once, with a reason.
static void test_absurd_speeds_are_refused(void **state) {
    (void)state;
    static const char *const scenes[] = {
        "<Points positions='0 1 0' velocities='1e12 0 0'/><UniformMass mass='1'/>",
        "<Points positions='0 1 0' velocities='1e300 0 0'/><UniformMass mass='1'/>",
        "<Points positions='0 0.06 0'/><UniformMass mass='1e300'/>"};
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++) {
        snprintf(scene_text, sizeof scene_text,
                 "<tactus version='1'><Contact/>" FLOOR "<node name='ball'>%s<Balls radius='0.05'/>"
                 "</node></tactus>",
                 scenes[i]);
        TacError error;
        TacWorld *world = try_world(scene_text, 1, &error);
        if (world) assert_int_equal(tac_world_advance(world, 0.1, &error), TAC_FAILED);
        assert_non_null(strstr(error.message, "no progress is possible"));
        assert_non_null(strstr(error.message, "point 0 of /ball/points"));
        tac_world_destroy(world);
    }
    static const char *const settings[] = {"speed='1e6'", "speed='1e-300'", "thickness='1e300'",
                                           "thickness='1e-300'"};
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        TacError error;
        snprintf(scene_text, sizeof scene_text, "<tactus version='1'><Contact %s/>" FLOOR "</tactus>",
                 settings[i]);
        assert_null(try_world(scene_text, 1, &error));
        assert_int_equal(error.status, TAC_BAD_INPUT);
    }
}

// --- starts -----------------------------------------------------------------------------------------------

static void refused(const char *text, size_t count, const char *const *pieces) {
    TacError error;
    TacWorld *world = try_world(text, 1, &error);
    assert_null(world);
    assert_int_equal(error.status, TAC_BAD_INPUT);
    assert_true(error.line > 0);
    for (size_t i = 0; i < count; i++)
        if (!strstr(error.message, pieces[i])) fail_msg("no \"%s\" in: %s", pieces[i], error.message);
}

#define REFUSED(text, ...)                                                                                   \
    refused(text, sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *),                         \
            (const char *const[]){__VA_ARGS__})

static void test_starts_that_intersect_are_refused(void **state) {
    (void)state;
    // a sheet through another one
    REFUSED("<tactus version='1'><Contact/>"
            "<node name='a'><Sheet divisions='1'/><Points/><UniformMass mass='1'/><Skin/></node>"
            "<node name='b'><Sheet divisions='1' rotation='90 0 0' width='0.3' depth='0.3'/><Points/>"
            "<UniformMass mass='1'/><Skin/></node></tactus>",
            "pairs", "/a/skin", "/b/skin", "intersect");
    // two balls that overlap by 2 cm: with radii 1 cm smaller they would not
    REFUSED("<tactus version='1'><Contact method='safe'/>"
            "<node name='a'><Points positions='0 0 0  0.18 0 0'/><UniformMass mass='1'/>"
            "<Balls radius='0.1'/></node></tactus>",
            "1 pair touches", "vertex 0 of /a/balls", "vertex 1 of /a/balls", "at most 0.179999 m");
    // a seam along which a mesh has its points twice
    REFUSED("<tactus version='1'><Contact/><node name='a'><Mesh at='0 0 0 1 0 0 0 1 0 1 0 0 0 1 0 1 1 0' "
            "with_triangles='0 1 2 3 5 4'/><Points/><UniformMass mass='1'/><Skin/></node></tactus>",
            "vertex 1 of /a/skin and face 1 of /a/skin", "weld");
    // ten of them, however long their names are
    char text[6000] = "<tactus version='1'><Contact method='safe'/>";
    for (int i = 0; i < 12; i++)
        snprintf(
            text + strlen(text), sizeof text - strlen(text),
            "<node name='a_node_with_a_name_as_long_as_names_may_become_when_they_say_everything_%d'><Points "
            "positions='%d 0 0  %g 0 0'/><UniformMass mass='1'/><Balls radius='0.1'/></node>%s",
            i, i, i + 0.15 + 0.001 * i, i < 11 ? "" : "</tactus>");
    REFUSED(text, "12 pairs touch", "_0/balls and ", "_9/balls; and others", "at most 0.1");
}

static void test_starts_that_are_near_are_accepted(void **state) {
    (void)state;
    // nearer than the thickness: they get a nest of their own and stay apart
    TacWorld *world =
        MAKE("<tactus version='1' gravity='0 0 0'><Contact method='safe' thickness='0.01'/>"
             "<node name='a'><Points positions='0 0 0  0.2001 0 0' velocities='0.1 0 0  -0.1 0 0'/>"
             "<UniformMass mass='1'/><Balls radius='0.1'/></node></tactus>");
    advance_audited(world, 0.5);
    tac_world_destroy(world);
}

// A block that begins inside the thickness is lifted out of it: it never jumps, gains no more than the lift takes, and
// ends as high as one that was let down.
static void test_what_begins_near_is_lifted_gently(void **state) {
    (void)state;
    const double g = 9.81, eta = 1e-3, v_ref = 1;
    for (int e = 0; e <= 1; e++) {
        for (double gap = 3e-10; gap < eta; gap *= 100) {
            TacWorld *world = MAKE(
                "<tactus version='1'><Contact friction='0.3' restitution='%d' thickness='%g' "
                "speed='%g'/>" FLOOR "<node name='block'><Frames positions='0.2 %.17g 0.1 0 0 0 1'/>"
                "<UniformMass mass='1' box='0.2 0.1 0.2'/><node name='skin'>"
                "<Box low='-0.1 -0.05 -0.1' high='0.1 0.05 0.1'/><Points/><RigidMap/><Skin/></node></node>"
                "</tactus>",
                e, eta, v_ref, 0.05 + gap);
            double speed = 0.01 * v_ref, fastest = 0;
            advance_audited(world, 0);
            for (int i = 0; i < 40; i++) {
                advance(world, 0.005);
                double height = places(world, "/block/frames")[1] - 0.05,
                       v = speeds(world, "/block/frames")[1];
                fastest = fmax(fastest, fabs(v));
                // no higher than what growing at a hundredth of the usual speed throws it
                double most = fmin(eta, gap + speed * tac_world_time(world));
                if (!(height < most + 4 * speed * speed / (2 * g) && height > 0))
                    fail_msg("from %g m, %g m high after %g s", gap, height, tac_world_time(world));
            }
            if (!(fastest < 3 * speed)) fail_msg("from %g m it reached %g m/s", gap, fastest);
            double height = places(world, "/block/frames")[1] - 0.05;
            if (!(fabs(height / eta - 1) < (e ? 0.1 : 0.02))) fail_msg("from %g m to %g m", gap, height);
            assert_int_equal(tac_world_audit_summary(world).violations, 0);
            tac_world_destroy(world);
        }
    }
}

// What begins near and slides at once over the faces of a mesh finds no step from one to the next.
static void test_what_begins_near_slides_without_steps(void **state) {
    (void)state;
    const double g = 9.81, mu = 0.3, eta = 1e-3;
    TacWorld *world =
        MAKE("<tactus version='1'><Contact friction='%g' restitution='0' thickness='%g' speed='1'/>"
             "<node name='floor'><Sheet divisions='9' width='1' depth='1'/><Points/><Skin/></node>"
             "<node name='block'><Frames positions='-0.2 0.05001 0.013 0 0 0 1' velocities='1 0 0 0 0 0'/>"
             "<UniformMass mass='1' box='0.1 0.1 0.1'/><node name='skin'>"
             "<Box low='-0.05 -0.05 -0.05' high='0.05 0.05 0.05'/><Points/><RigidMap/><Skin/></node></node>"
             "</tactus>",
             mu, eta);
    const double *x = places(world, "/block/frames"), *v = speeds(world, "/block/frames");
    double from = x[0];
    for (int i = 0; i < 100; i++) {
        advance(world, 0.005);
        x = places(world, "/block/frames");
        v = speeds(world, "/block/frames");
        if (!(x[1] > 0.05 && x[1] < 0.05 + 1.1 * eta && fabs(v[1]) < 0.05))
            fail_msg("%g m high and %g m/s up after %g s", x[1] - 0.05, v[1], tac_world_time(world));
    }
    double slid = x[0] - from, expected = 1 / (2 * mu * g);
    // lifting it presses a little harder
    if (!(fabs(slid / expected - 1) < 0.03)) fail_msg("%g m for %g m", slid, expected);
    tac_world_destroy(world);
}

// Where there is no room for the thickness none is made: a plate between two walls stays as it is, at no great cost.
static void test_nests_do_not_grow_where_there_is_no_room(void **state) {
    (void)state;
    TacWorld *world =
        MAKE("<tactus version='1'><Contact friction='0' restitution='0' thickness='0.01' speed='1'/>"
             "<node name='walls'><Mesh at='-1 0 -1  1 0 -1  0 0 2  -1 0.1002 -1  1 0.1002 -1  0 0.1002 2' "
             "with_triangles='0 1 2 3 4 5'/><Points/><Skin/></node>"
             "<node name='plate'><Frames positions='0 0.0501 0 0 0 0 1'/>"
             "<UniformMass mass='1' box='0.2 0.1 0.2'/><node name='skin'>"
             "<Box low='-0.1 -0.05 -0.1' high='0.1 0.05 0.1'/><Points/><RigidMap/><Skin/></node></node>"
             "</tactus>");
    advance_audited(world, 0.05);
    double y = places(world, "/plate/frames")[1];
    if (!(fabs(y - 0.0501) < 0.00008)) fail_msg("it is at %g m", y);
    // one beat of 10 ms at the first layer's period of a nest of 0.1 mm has 2^12 ticks or so for each of 12 pairs
    assert_true(tac_world_contact_stats(world).kicks < 5 * 12 * 64 * 4096);
    tac_world_destroy(world);
}

// Layers so thin that resting on them would take hours: the run says so instead.
static void test_a_run_that_would_crawl_stops(void **state) {
    (void)state;
    TacWorld *world =
        MAKE("<tactus version='1'><Contact friction='0' restitution='0' thickness='1e-8' speed='10'/>" FLOOR
             "<node name='ball'><Points positions='0.1 0.10000001 0.05'/><UniformMass mass='1'/>"
             "<Balls radius='0.1'/></node></tactus>");
    TacError error;
    assert_int_equal(tac_world_audit(world, &error), TAC_OK);
    assert_int_equal(tac_world_advance(world, 0.05, &error), TAC_FAILED);
    double gap, closing, step, beat, thick;
    int times;
    assert_non_null(strstr(error.message, "vertex 0 of /ball/balls"));
    assert_int_equal(
        sscanf(strstr(error.message, "are "),
               "are %lf m apart and close at %lf m/s; their layers kick in steps of %lf s and have "
               "done so %d times within %lf s. The thickness is %lf m",
               &gap, &closing, &step, &times, &beat, &thick),
        6);
    assert_true(fabs(beat - 0.01) < 1e-6 && thick == 1e-8 && times > 100000);
    // the period of the first layer of a pair that loses energy, rounded down to the ruler: more of them in a beat than were made
    double stable = 0.1 * thick / 10, tick = 0.01 / pow(2, 40);
    double expected = tick * pow(2, floor(log2(stable / tick)));
    if (!(fabs(step / expected - 1) < 1e-5)) fail_msg("%g s for %g s", step, expected);
    assert_true(beat / step > times);
    assert_int_equal(tac_world_audit_summary(world).violations, 0);
    tac_world_destroy(world);
}

// A ContactPair of two models holds for these two alone: one ball falls through, one bounces, one rests, and the two that
// touch go on touching each other.
static void test_pairs_of_models(void **state) {
    (void)state;
    TacWorld *world = MAKE(
        "<tactus version='1' gravity='0 -10 0'><Contact restitution='0' friction='0'/>" FLOOR
        "<node name='through'><Points positions='-0.4 0.1 0'/><UniformMass mass='1'/><Balls "
        "radius='0.05'/></node>"
        "<node name='bounces'><Points positions='0 0.3 0'/><UniformMass mass='1'/><Balls "
        "radius='0.05'/></node>"
        "<node name='rests'><Points positions='0.4 0.1 0'/><UniformMass mass='1'/><Balls "
        "radius='0.05'/></node>"
        "<ContactPair first_model='@/floor/skin' second_model='@/through/balls' excluded='true'/>"
        "<ContactPair first_model='@/bounces/balls' second_model='@/floor/skin' restitution='1'/></tactus>");
    advance_audited(world, 0.35); // down in 0.22 s
    assert_true(places(world, "/through/points")[1] < -0.4);
    assert_true(speeds(world, "/bounces/points")[1] > 0.5);
    assert_true(places(world, "/rests/points")[1] > 0.05 && fabs(speeds(world, "/rests/points")[1]) < 0.1);
    tac_world_destroy(world);
}

// A material that does not touch itself: two triangles of one skin fly through each other, and so does the skin of another
// thing; the audit has nothing to say. What is of another material touches them, and the audit knows of no meeting either.
static void test_a_material_that_does_not_touch_itself(void **state) {
    (void)state;
    TacWorld *world =
        MAKE("<tactus version='1' gravity='0 0 0'><Contact restitution='1' friction='0' thickness='0.005'/>"
             "<ContactMaterial name='m'/><ContactPair first='@/m' second='@/m' excluded='true'/>"
             "<node name='two'><Mesh at='0 0 0 1 0 0 0 0 1  0.2 0.1 0.2 0.3 0.1 0.2 0.2 0.2 0.2' "
             "with_triangles='0 1 2 3 4 5'/><Points velocities='0 0 0 0 0 0 0 0 0 0 -1 0 0 -1 0 0 -1 0'/>"
             "<UniformMass/><Skin material='@/m'/></node>"
             "<node name='third'><Mesh at='0.3 0.1 0.1 0.4 0.1 0.1 0.3 0.2 0.1' with_triangles='0 1 2'/>"
             "<Points velocities='0 -1 0'/><UniformMass/><Skin material='@/m'/></node>"
             "<node name='other'><Points positions='0.1 0.2 0.1' velocities='0 -1 0'/><UniformMass "
             "mass='0.01'/><Balls radius='0.01'/></node></tactus>");
    advance_audited(world, 0.3);
    assert_true(places(world, "/two/points")[3 * 3 + 1] < -0.15);
    assert_true(places(world, "/third/points")[1] < -0.15);
    assert_true(places(world, "/other/points")[1] > 0 && speeds(world, "/other/points")[1] > -1e-3);
    tac_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pairs_of_models),
        cmocka_unit_test(test_a_material_that_does_not_touch_itself),
        cmocka_unit_test(test_balls_rebound_by_the_coefficient_of_restitution),
        cmocka_unit_test(test_elastic_impacts_keep_their_speed_at_any_speed),
        cmocka_unit_test(test_momentum_is_kept),
        cmocka_unit_test(test_momentum_is_kept_over_a_million_events),
        cmocka_unit_test(test_the_menagerie_never_meets),
        cmocka_unit_test(test_particles_keep_their_energy),
        cmocka_unit_test(test_particles_lose_energy_smoothly),
        cmocka_unit_test(test_a_block_slides_as_far_as_coulomb_says),
        cmocka_unit_test(test_a_block_holds_on_a_slope),
        cmocka_unit_test(test_a_stack_of_boxes_rests),
        cmocka_unit_test(test_a_tall_stack_does_not_rock),
        cmocka_unit_test(test_explicit_agents_are_still),
        cmocka_unit_test(test_a_cloth_on_a_floor_rests),
        cmocka_unit_test(test_an_implicit_body_on_a_floor_rests),
        cmocka_unit_test(test_a_damped_explicit_cloth_on_a_floor_rests),
        cmocka_unit_test(test_a_resting_body_is_as_tall_as_its_weight_makes_it),
        cmocka_unit_test(test_direct_solvers_see_live_layers),
        cmocka_unit_test(test_a_cloth_on_an_implicit_body_gains_no_energy),
        cmocka_unit_test(test_what_cannot_be_integrated_stops_and_says_why),
        cmocka_unit_test(test_absurd_speeds_are_refused),
        cmocka_unit_test(test_starts_that_intersect_are_refused),
        cmocka_unit_test(test_starts_that_are_near_are_accepted),
        cmocka_unit_test(test_what_begins_near_is_lifted_gently),
        cmocka_unit_test(test_what_begins_near_slides_without_steps),
        cmocka_unit_test(test_nests_do_not_grow_where_there_is_no_room),
        cmocka_unit_test(test_a_run_that_would_crawl_stops),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
