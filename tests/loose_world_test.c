// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Tests of worlds under the loose scheduler: the document's experiment (ten spheres on a plane), agreement with the
// causal scheduler, the same bits for any number of threads, adaptive steps and rest, saving and restoring.

#define _GNU_SOURCE
#include "world_fixture.h"

#include <math.h>
#include <time.h>

enum { SPHERES = 10 };

static TacWorld *world_with(const char *text, int threads, uint64_t seed) {
    TacScene *scene = empty_scene();
    TacError error;
    char line[2048];
    TacWorldDef def = tac_world_def_default();
    def.threads = threads;
    def.seed = seed;
    TacWorld *world = NULL;
    if (tac_scene_parse(scene, "test.tac", text, strlen(text), &error) != TAC_OK ||
        tac_world_create(&world, scene, &def, &error) != TAC_OK)
        fail_msg("%s", tac_error_text(&error, line, sizeof line));
    tac_scene_destroy(scene);
    return world;
}

// Spheres that fall on a plane, 1 ms each; `of_first` goes into the first one's node.
static TacWorld *spheres(const char *attributes, const char *of_all, const char *of_first, int count,
                         int threads, uint64_t seed) {
    char *text = NULL;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    fprintf(
        f,
        "<tactus version='1' dt='0.001' %s><ContactMaterial name='m' restitution='0.5' friction='0.3'/><node "
        "name='ground'><Frames/><Shape shape='half_space' material='@/m'/></node>",
        attributes);
    for (int i = 0; i < count; i++)
        fprintf(f,
                "<node name='s%d'><SymplecticEuler/>%s<Frames translation='%g %g %g'/><UniformMass "
                "inertia='4e-3 4e-3 "
                "4e-3'/><Shape shape='sphere' radius='0.1' material='@/m'/></node>",
                i, i == 0 ? of_first : of_all, 0.25 * (i % 4), 0.3 + 0.11 * i, 0.25 * (i / 4 % 4));
    fprintf(f, "</tactus>");
    fclose(f);
    TacWorld *world = world_with(text, threads, seed);
    free(text);
    return world;
}

static double delay(const TacWorld *world) {
    double low = INFINITY, high = -INFINITY;
    for (size_t i = 0; i < tac_world_stats(world).agents; i++) {
        TacAgentInfo a = tac_world_agent(world, i);
        if (a.resting) continue;
        low = fmin(low, a.time);
        high = fmax(high, a.time);
    }
    return high - low;
}

#define LOOSE "scheduler='loose'"

// Figures 3 and 4 of the document, with its own bounds and tighter ones.
static void agents_stay_together(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 5; seed++) {
        TacWorld *world = spheres(LOOSE, "", "", SPHERES, 1, seed);
        double sum = 0, most = 0, turns = 0, mean[SPHERES] = {0};
        enum { SAMPLES = 6000 };
        for (int i = 0; i < SAMPLES; i++) {
            advance(world, 0.001);
            TacDelay d = tac_world_delay(world);
            sum += d.mean * (double)d.turns;
            turns += (double)d.turns;
            most = fmax(most, d.most);
            for (size_t k = 0; k < SPHERES && i >= SAMPLES - 1000; k++)
                mean[k] += tac_world_agent(world, k).priority / 1000.0;
        }
        assert_true(sum / turns <= 0.003);
        assert_true(most <= 0.008);
        double low = mean[0], high = mean[0];
        for (int k = 1; k < SPHERES; k++) {
            low = fmin(low, mean[k]);
            high = fmax(high, mean[k]);
        }
        if (!(high - low <= 1)) fail_msg("seed %d: mean priorities from %g to %g", (int)seed, low, high);
        tac_world_destroy(world);
    }
}

static void one_slow_agent_does_not_hold_up_the_others(void **state) {
    (void)state;
    static const char *const rules[] = {"by_priority='true'", "by_sleep='true'",
                                        "by_sleep='true' by_priority='false'"};
    for (int k = 0; k < 3; k++) {
        char all[128], first[128];
        snprintf(all, sizeof all, "<Agent cost='2e-5' ratio='0.5' %s/>", rules[k]);
        snprintf(first, sizeof first, "<Agent cost='1e-3' ratio='0.5' %s/>", rules[k]);
        TacWorld *world = spheres(LOOSE, all, first, SPHERES, 1, 1);
        advance(world, 2);
        tac_world_delay(world);
        double most = 0;
        for (int i = 0; i < 2000; i++) {
            advance(world, 0.001);
            most = fmax(most, tac_world_delay(world).most);
        }
        if (!(most <= 0.020)) fail_msg("%s: a delay of %g ms", rules[k], 1e3 * most);
        tac_world_destroy(world);
    }
}

// Before anything touches, each is where the causal run has it, give or take its speed times the delay; at the end the
// energy is the same.
static void agrees_with_the_causal_scheduler(void **state) {
    (void)state;
    TacWorld *loose = spheres(LOOSE, "", "", SPHERES, 1, 3), *causal = spheres("", "", "", SPHERES, 1, 3);
    for (int i = 0; i < 15; i++) {
        advance(loose, 0.01);
        advance(causal, 0.01);
        double d = delay(loose) + 0.001;
        for (int k = 0; k < SPHERES; k++) {
            char path[32];
            snprintf(path, sizeof path, "/s%d/frames", k);
            const double *x = tac_world_positions(loose, tac_world_find(loose, path));
            const double *y = tac_world_positions(causal, tac_world_find(causal, path));
            const double *v = tac_world_velocities(causal, tac_world_find(causal, path));
            double speed = tac_norm(tac_load3(v)) + 9.81 * d;
            assert_true(tac_norm(tac_sub(tac_load3(x), tac_load3(y))) <= speed * d + 1e-12);
        }
    }
    advance(loose, 9.85);
    advance(causal, 9.85);
    double a = tac_world_energy(loose).total, b = tac_world_energy(causal).total;
    if (!(fabs(a - b) < 0.02 * fabs(b))) fail_msg("energies %g and %g", a, b);
    tac_world_destroy(loose);
    tac_world_destroy(causal);
}

static void threads_change_no_bit(void **state) {
    (void)state;
    uint64_t expected = 0;
    for (int threads = 1; threads <= 4; threads++) {
        TacWorld *world = spheres(LOOSE, "<Agent by_sleep='true' ratio='0.7'/>",
                                  "<Agent priority='0' frequency='400'/>", 48, threads, 7);
        advance(world, 0.8);
        uint64_t hash = tac_world_hash(world);
        if (threads == 1) expected = hash;
        assert_true(hash == expected);
        tac_world_destroy(world);
    }
}

static void restored_goes_on_the_same(void **state) {
    (void)state;
    TacWorld *world = spheres(LOOSE, "<Agent adaptive='true' rest='true'/>",
                              "<Agent by_sleep='true' ratio='0.5'/>", SPHERES, 1, 5);
    advance(world, 0.6);
    size_t size = tac_world_snapshot_size(world);
    char *saved = malloc(size), *damaged = malloc(size);
    assert_int_equal(tac_world_save(world, saved, size, NULL), TAC_OK);
    advance(world, 0.5);
    uint64_t hash = tac_world_hash(world);
    assert_int_equal(tac_world_restore(world, saved, size, NULL), TAC_OK);
    advance(world, 0.5);
    assert_true(tac_world_hash(world) == hash);
    for (size_t k = 0; k < 300; k++) {
        memcpy(damaged, saved, size);
        damaged[k * 97 % size] ^= (char)(1 << k % 8);
        (void)tac_world_restore(world, damaged, size, NULL);
    }
    free(saved);
    free(damaged);
    tac_world_destroy(world);
}

// What lies still takes longer steps, then none; what falls on it wakes it.
static void still_things_rest_and_wake(void **state) {
    (void)state;
    TacWorld *world =
        world_with("<tactus version='1' dt='0.001' scheduler='loose'><node name='ground'><Frames/><Shape "
                   "shape='half_space'/></node>"
                   "<node name='box'><SymplecticEuler/><Agent adaptive='true' rest='true' "
                   "still='0.01'/><Frames translation='0 "
                   "0.0999 0'/><UniformMass box='0.4 0.2 0.4'/><Shape size='0.4 0.2 0.4'/></node>"
                   "<node name='ball'><SymplecticEuler/><Frames translation='0.05 12 0'/><UniformMass "
                   "inertia='4e-3 4e-3 4e-3'/>"
                   "<Shape shape='sphere' radius='0.1'/></node></tactus>",
                   1, 1);
    advance(world, 1.45); // the ball is still on its way: it lands after 1.54 s
    TacAgentInfo box = tac_world_agent(world, 0);
    assert_true(box.resting);
    assert_true(box.kicks < 1000);
    advance(world, 0.15);
    box = tac_world_agent(world, 0);
    assert_false(box.resting);
    const double *v = tac_world_velocities(world, tac_world_find(world, "/box/frames"));
    assert_true(tac_norm(tac_load3(v)) + tac_norm(tac_load3(v + 3)) > 1e-4);
    advance(world, 6);
    assert_true(tac_world_agent(world, 0).resting);
    // a hand wakes it, too
    double x[7];
    memcpy(x, tac_world_positions(world, tac_world_find(world, "/box/frames")), sizeof x);
    x[1] += 0.1;
    assert_int_equal(tac_world_set_state(world, tac_world_find(world, "/box/frames"), x, NULL, NULL), TAC_OK);
    assert_false(tac_world_agent(world, 0).resting);
    tac_world_destroy(world);
}

// Contact points are told of by one side each, under either scheduler.
static void contact_points_are_counted_once(void **state) {
    (void)state;
    size_t count[2];
    for (int i = 0; i < 2; i++) {
        char text[900];
        snprintf(
            text, sizeof text,
            "<tactus version='1' dt='0.001' scheduler='%s'><node name='g'><Frames/><Shape "
            "shape='half_space'/></node><node name='a'><SymplecticEuler/><Frames translation='0 0.1 "
            "0'/><UniformMass box='0.2 0.2 0.2'/><Shape size='0.2 0.2 0.2'/></node><node "
            "name='b'><SymplecticEuler/><Frames translation='0 0.275 0'/><UniformMass mass='0.5' box='0.1 "
            "0.15 0.1'/><Shape size='0.1 0.15 0.1'/></node></tactus>",
            i ? "loose" : "causal");
        TacWorld *world = world_with(text, 1, 1);
        advance(world, 1);
        TacContactPoint points[16];
        count[i] = tac_world_contact_count(world);
        assert_int_equal(tac_world_contact_points(world, points, 16), count[i]);
        double up = 0, on_ground = 0;
        for (size_t k = 0; k < count[i]; k++) {
            up += points[k].force;
            if (points[k].place.y < 0.1) on_ground += points[k].force;
        }
        assert_true(fabs(on_ground - 1.5 * 9.81) < 0.05 && fabs(up - on_ground - 0.5 * 9.81) < 0.05);
        tac_world_destroy(world);
    }
    assert_true(count[0] == 8 && count[1] == 8);
}

// A box at rest on the ground, with a mapped skin, in a loose world.
static TacWorld *resting_box(const char *solver) {
    char text[900];
    snprintf(text, sizeof text,
             "<tactus version='1' dt='0.002' scheduler='loose'><node name='ground'><Frames/><Shape "
             "shape='half_space'/></node><node name='box'><%s/><Agent adaptive='true' rest='true' "
             "patience='0.05'/><Frames translation='0 0.1 0'/><UniformMass box='0.2 0.2 0.2'/><Shape "
             "size='0.2 0.2 0.2'/><node name='skin'><Box low='-0.1 -0.1 -0.1' high='0.1 0.1 0.1'/><Points/>"
             "<RigidMap/></node></node></tactus>",
             solver);
    TacWorld *world = world_with(text, 1, 1);
    advance(world, 1.5);
    assert_true(tac_world_agent(world, 0).resting);
    return world;
}

static double height_of_box(TacWorld *world) {
    return tac_world_positions(world, tac_world_find(world, "/box/frames"))[1];
}

// A hand wakes what rests at once, also by matter that follows it; what it holds may rest again, and falls when it is let
// go; the sphere wakes only what it reaches.
static void hands_wake_what_rests(void **state) {
    (void)state;
    static const char *const solvers[] = {"SymplecticEuler", "ImplicitEuler"};
    static const char *const matters[] = {"/box/frames", "/box/skin/points"};
    for (int i = 0; i < 4; i++) {
        TacWorld *world = resting_box(solvers[i % 2]);
        TacComponentId matter = tac_world_find(world, matters[i / 2]);
        TacVec3 place = tac_load3(tac_world_positions(world, matter));
        assert_int_equal(tac_world_grab(world, 0, matter, 0, place, 2000, NULL), TAC_OK);
        assert_false(tac_world_agent(world, 0).resting);
        assert_true(tac_world_agent(world, 0).step == 0.002);
        assert_int_equal(tac_world_drag(world, 0, tac_add(place, tac_vec3(0, 1, 0)), NULL), TAC_OK);
        advance(world, i / 2 ? 1 : 5); // held by a corner it swings
        double high = height_of_box(world);
        assert_true(high > 0.8 && (i / 2 || tac_world_agent(world, 0).resting));
        assert_int_equal(tac_world_release(world, 0, NULL, NULL), TAC_OK);
        advance(world, 0.2);
        assert_true(i / 2 || fabs(high - height_of_box(world) - 0.5 * 9.81 * 0.04) < 0.005);
        tac_world_destroy(world);
    }
    TacWorld *world = resting_box("ImplicitEuler");
    assert_int_equal(tac_world_sphere(world, tac_vec3(2, 0, 0), 0.5, NULL), TAC_OK);
    assert_true(tac_world_agent(world, 0).resting);
    assert_int_equal(tac_world_sphere(world, tac_vec3(0.4, 0.1, 0), 0.5, NULL), TAC_OK);
    assert_false(tac_world_agent(world, 0).resting);
    advance(world, 0.5);
    assert_true(tac_world_positions(world, tac_world_find(world, "/box/frames"))[0] < -0.05);
    tac_world_destroy(world);
}

// Three hanging cloths of which one is handled: with adaptive steps at most half the steps, and the same shape.
static TacWorld *three_cloths(const char *agent) {
    char *text = NULL;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    fprintf(f, "<tactus version='1' dt='0.005' scheduler='loose'><ContactMaterial name='m' friction='0.2'/>");
    for (int i = 0; i < 3; i++)
        fprintf(
            f,
            "<node name='c%d'><ImplicitEuler damping_mass='2'/>%s<Sheet divisions='10' width='1' depth='1' "
            "rotation='90 0 0' translation='%d 0 0'/><Points/><UniformMass total='0.2'/><Springs "
            "stiffness='300' "
            "damping='0.5'/><FixedPoints box='-9 0.499 -9 9 0.6 9'/><Balls radius='0.05' self='false' "
            "material='@/m'/></node>",
            i, agent, 2 * i);
    fprintf(f,
            "<node name='hand'><Frames translation='0 -0.2 0.3'/><ScriptedMotion times='0 3 4 5 20' "
            "offsets='0 0 0 0 0 "
            "0 0 0 -0.25 0 0 0 0 0 0'/><Shape shape='sphere' radius='0.1' material='@/m'/></node></tactus>");
    fclose(f);
    TacWorld *world = world_with(text, 1, 1);
    free(text);
    return world;
}

static void adaptive_cloths_cost_half(void **state) {
    (void)state;
    TacWorld *plain = three_cloths(""),
             *adaptive = three_cloths("<Agent adaptive='true' still='0.01' patience='0.1'/>");
    advance(plain, 10);
    advance(adaptive, 10);
    uint64_t kicks[2] = {0, 0};
    double sum = 0;
    size_t points = 0;
    for (size_t i = 0; i < 3; i++) {
        kicks[0] += tac_world_agent(plain, i).kicks;
        kicks[1] += tac_world_agent(adaptive, i).kicks;
        char path[32];
        snprintf(path, sizeof path, "/c%zu/points", i);
        const double *x = tac_world_positions(plain, tac_world_find(plain, path));
        const double *y = tac_world_positions(adaptive, tac_world_find(adaptive, path));
        size_t n = tac_world_point_count(plain, tac_world_find(plain, path));
        for (size_t k = 0; k < 3 * n; k++) sum += (x[k] - y[k]) * (x[k] - y[k]);
        points += n;
    }
    double rms = sqrt(sum / (double)points);
    if (!(2 * kicks[1] <= kicks[0])) fail_msg("%d steps of %d", (int)kicks[1], (int)kicks[0]);
    if (!(rms <= 0.01)) fail_msg("rms %g m", rms);
    tac_world_destroy(plain);
    tac_world_destroy(adaptive);
}

static void events_come_once(void **state) {
    (void)state;
    TacWorld *world = world_with(
        "<tactus version='1' dt='0.001' scheduler='loose' gravity='0 0 0'><ContactMaterial name='m' "
        "restitution='1'/>"
        "<node name='a'><SymplecticEuler/><Frames velocities='1 0 0 0 0 0'/><UniformMass/><Shape "
        "shape='sphere' "
        "radius='0.1' material='@/m'/></node><node name='b'><SymplecticEuler/><Frames translation='0.5 0 0'/>"
        "<UniformMass/><Shape shape='sphere' radius='0.1' material='@/m'/></node></tactus>",
        1, 1);
    advance(world, 1);
    TacContactEvent events[8];
    uint64_t lost;
    assert_int_equal(tac_world_events(world, events, 8, &lost), 2);
    assert_int_equal(lost, 0);
    assert_int_equal(events[0].kind, TAC_CONTACT_BEGINS);
    assert_int_equal(events[1].kind, TAC_CONTACT_ENDS);
    assert_true(fabs(events[0].time - 0.3) < 0.005);
    // equal masses, elastic: all of 1 kg m/s goes over
    if (!(fabs(events[1].impulse - 1) < 0.15)) fail_msg("an impulse of %g", events[1].impulse);
    TacComponentId a = tac_world_collision_model(world, events[0].model_a);
    assert_string_equal(tac_world_path(world, a), "/a/shape");
    tac_world_destroy(world);
}

// Two points with a spring between them, each an agent of its own.
static TacWorld *tied(const char *attributes, const char *a, const char *b, int threads) {
    char *text;
    assert_true(
        asprintf(
            &text,
            "<tactus version='1' dt='0.001' gravity='0 0 0' %s><node name='a'>%s<Points positions='0 0 0' "
            "velocities='0 0.3 0'/><UniformMass mass='1'/></node><node name='b'>%s<Points positions='1.2 0 "
            "0'/><UniformMass mass='2'/></node><Springs matter='@/a/points' other='@/b/points' pairs='0 0' "
            "lengths='1' stiffness='50' damping='0'/></tactus>",
            attributes, a, b) > 0);
    TacWorld *world = world_with(text, threads, 1);
    free(text);
    return world;
}

// What the two give each other is the same but for how far they are apart in time: it swings as it should, momentum
// hardly drifts, energy neither; the causal scheduler keeps momentum exactly and finds the same motion.
static void laws_act_between_two_agents(void **state) {
    (void)state;
    static const char *const solvers[][2] = {
        {"<SymplecticEuler/>", "<SymplecticEuler/>"},
        {"<SymplecticEuler/>", "<SymplecticEuler step='0.0025'/>"},
        {"<SymplecticEuler/><Agent cost='1e-4'/>", "<ImplicitEuler step='0.0005'/>"},
    };
    for (int k = 0; k < 3; k++) {
        TacWorld *loose = tied(LOOSE, solvers[k][0], solvers[k][1], 1);
        TacWorld *causal = tied("", solvers[k][0], solvers[k][1], 1);
        const TacMomentum start = tac_world_momentum(loose);
        const double energy = tac_world_energy(causal).total;
        // momentum that goes to and fro: that of the swing
        double swing = sqrt(50 * 2.0 / 3) * 0.2, force = 50 * 0.2;
        double far = 0, drift = 0, most = 0, least = 9;
        for (int i = 0; i < 500; i++) {
            advance(loose, 0.01);
            advance(causal, 0.01);
            const double *x = tac_world_positions(loose, tac_world_find(loose, "/a/points"));
            const double *y = tac_world_positions(causal, tac_world_find(causal, "/a/points"));
            const double *z = tac_world_positions(loose, tac_world_find(loose, "/b/points"));
            double length = tac_norm(tac_sub(tac_load3(x), tac_load3(z)));
            far = fmax(far, tac_norm(tac_sub(tac_load3(x), tac_load3(y))));
            // seen at different times, momentum differs by what went over in between
            double off = tac_norm(tac_sub(tac_world_momentum(loose).linear, start.linear));
            drift = fmax(drift, off - force * delay(loose));
            most = fmax(most, length);
            least = fmin(least, length);
        }
        if (!(drift < 0.03 * swing)) fail_msg("%d: momentum drifts by %g of %g", k, drift, swing);
        if (!(most > 1.18 && most < 1.23 && least > 0.79 && least < 0.83))
            fail_msg("%d: it swings from %g to %g", k, least, most);
        if (!(far < 0.05)) fail_msg("%d: %g m from the causal run", k, far);
        // an implicit solver at 0.5 ms takes about 6 % in 5 s of its part of the swing
        double left = tac_world_energy(loose).total / energy;
        if (!(left < 1.02 && left > (k == 2 ? 0.92 : 0.98))) fail_msg("%d: energy times %g", k, left);
        tac_world_destroy(loose);
        tac_world_destroy(causal);
    }
    // the same bits for any number of threads, and after putting back
    uint64_t expected = 0;
    for (int threads = 1; threads <= 3; threads++) {
        TacWorld *world = tied(LOOSE, "<SymplecticEuler/>", "<ImplicitEuler step='0.002'/>", threads);
        advance(world, 0.5);
        size_t size = tac_world_snapshot_size(world);
        void *saved = malloc(size);
        assert_int_equal(tac_world_save(world, saved, size, NULL), TAC_OK);
        advance(world, 0.5);
        if (threads == 1) expected = tac_world_hash(world);
        assert_true(tac_world_hash(world) == expected);
        assert_int_equal(tac_world_restore(world, saved, size, NULL), TAC_OK);
        advance(world, 0.5);
        assert_true(tac_world_hash(world) == expected);
        free(saved);
        tac_world_destroy(world);
    }
}

// Implicit agents that are tied stiffly do not slow each other down in moving along together.
static void tied_agents_move_along_together(void **state) {
    (void)state;
    TacWorld *world = world_with(
        "<tactus version='1' dt='0.005' gravity='0 0 0' scheduler='loose'><node name='a'><ImplicitEuler/>"
        "<Points positions='0 0 0' velocities='1 0 0'/><UniformMass/></node><node name='b'><ImplicitEuler/>"
        "<Points positions='1 0 0' velocities='1 0 0'/><UniformMass/></node><Springs matter='@/a/points' "
        "other='@/b/points' pairs='0 0' lengths='1' stiffness='20000'/></tactus>",
        1, 1);
    advance(world, 1);
    double p = tac_world_momentum(world).linear.x;
    if (!(fabs(p - 2) < 0.02)) fail_msg("a momentum of %g is left", p);
    tac_world_destroy(world);
}

// An agent at rest wakes when what it is tied to moves.
static void what_is_tied_wakes(void **state) {
    (void)state;
    TacWorld *world =
        world_with("<tactus version='1' dt='0.001' gravity='0 0 0' scheduler='loose'><node "
                   "name='a'><ImplicitEuler/><Agent adaptive='true' rest='true'/><Points positions='0 "
                   "0 0'/><UniformMass/></node><node name='b'><SymplecticEuler/><Points positions='1 0 "
                   "0'/><UniformMass/></node><Springs matter='@/a/points' other='@/b/points' pairs='0 "
                   "0' lengths='1' stiffness='50'/></tactus>",
                   1, 1);
    advance(world, 5);
    assert_true(tac_world_agent(world, 0).resting);
    const double v[3] = {0.5, 0, 0};
    assert_int_equal(tac_world_set_state(world, tac_world_find(world, "/b/points"), NULL, v, NULL), TAC_OK);
    advance(world, 0.3);
    assert_false(tac_world_agent(world, 0).resting);
    assert_true(tac_world_positions(world, tac_world_find(world, "/a/points"))[0] > 0.01);
    tac_world_destroy(world);
}

static void what_has_no_place_is_refused(void **state) {
    (void)state;
    REFUSED("<tactus version='1' scheduler='loose'><node name='n'>" THREE_POINTS
            "<UniformMass/>~<Springs pairs='0 1' stiffness='1'/></node></tactus>",
            "loose scheduler");
    REFUSED("~<tactus version='1' scheduler='loose' priorities='64'/>", "63");
    REFUSED("~<tactus version='1' scheduler='loose' max_exec='1'/>", "max_exec");
    REFUSED("<tactus version='1'><Agent priority='~-2'/></tactus>", "priority");
}

// Pacing against the wall's clock: a tenth of a second takes a tenth of a second.
static void wall_clock_keeps_pace(void **state) {
    (void)state;
    TacWorld *world = spheres("scheduler='loose' clock='wall'", "", "", SPHERES, 2, 1);
    struct timespec from, to;
    clock_gettime(CLOCK_MONOTONIC, &from);
    advance(world, 0.1);
    clock_gettime(CLOCK_MONOTONIC, &to);
    double seconds = (double)(to.tv_sec - from.tv_sec) + 1e-9 * (double)(to.tv_nsec - from.tv_nsec);
    assert_true(seconds > 0.09); // never faster; slower when the machine is busy
    tac_world_destroy(world);
}

// How hard a hand may pull depends on the step of what it holds, to the last digit: a step that is no whole number of
// ticks is the same before the first step, after it, and after a resume.
static void test_a_hand_after_a_resume(void **state) {
    (void)state;
    static const char *const text =
        "<tactus version='1' dt='0.005' scheduler='loose'><node name='a'><SymplecticEuler step='0.0011'/>"
        "<Points positions='0 0 0'/><UniformMass mass='0.02'/></node></tactus>";
    TacWorld *world = world_of(text), *other = world_of(text);
    TacError error = {0};
    assert_int_equal(tac_world_advance_beats(world, 4, &error), TAC_OK);
    hand_over(world, other);
    TacWorld *both[] = {world, other};
    for (int i = 0; i < 2; i++) {
        TacComponentId id = tac_world_matter(both[i], 0);
        assert_int_equal(tac_world_grab(both[i], 0, id, 0, tac_vec3(0.1, 0.4, 0), 1e9, &error), TAC_OK);
        assert_int_equal(tac_world_advance_beats(both[i], 4, &error), TAC_OK);
    }
    assert_true(tac_world_hash(world) == tac_world_hash(other));
    tac_world_destroy(world);
    tac_world_destroy(other);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agents_stay_together),
        cmocka_unit_test(one_slow_agent_does_not_hold_up_the_others),
        cmocka_unit_test(agrees_with_the_causal_scheduler),
        cmocka_unit_test(threads_change_no_bit),
        cmocka_unit_test(restored_goes_on_the_same),
        cmocka_unit_test(still_things_rest_and_wake),
        cmocka_unit_test(hands_wake_what_rests),
        cmocka_unit_test(contact_points_are_counted_once),
        cmocka_unit_test(adaptive_cloths_cost_half),
        cmocka_unit_test(events_come_once),
        cmocka_unit_test(laws_act_between_two_agents),
        cmocka_unit_test(tied_agents_move_along_together),
        cmocka_unit_test(what_is_tied_wakes),
        cmocka_unit_test(what_has_no_place_is_refused),
        cmocka_unit_test(wall_clock_keeps_pace),
        cmocka_unit_test(test_a_hand_after_a_resume),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
