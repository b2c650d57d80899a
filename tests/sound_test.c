// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// What is heard: strings against the closed form of their modes, a slider on a belt against that of its sticking and
// slipping, and sounds read back with libsndfile.

#define _GNU_SOURCE
#include "world_fixture.h"

#include <math.h>
#include <sndfile.h>
#include <unistd.h>

static const double pi = 3.14159265358979323846;

// --- strings ----------------------------------------------------------------------------------------------

enum { PIECES = 32 };

// A string in one dimension, released in one of its modes: every mass moves by the same cosine. In discrete time
// sin(w T / 2) = sqrt(k / m) T sin(mode pi / 2 N).
static void string_sounds_at_its_modes(void **state) {
    (void)state;
    const double k = 5e4, m = 1e-4, step = 1.0 / 44100;
    for (int mode = 1; mode <= 7; mode += 3) {
        char positions[2048] = "", text[4096];
        for (int i = 0; i <= PIECES; i++)
            sprintf(positions + strlen(positions), "%.17g ", i + 1e-3 * sin(mode * pi * i / PIECES));
        sprintf(text,
                "<tactus version='1' dt='%.17g' gravity='0 0 0'><SymplecticEuler/><Line divisions='%d' "
                "to='%d 0 0'/>"
                "<Points dimension='1' positions='%s'/><UniformMass mass='%g'/><Springs stiffness='%g' "
                "lengths='1'/>"
                "<FixedPoints points='0 %d'/><Listen point='5' what='position' direction='1 0 0'/></tactus>",
                step, PIECES, PIECES, positions, m, k, PIECES);
        TacWorld *world = world_of(text);
        TacError error;
        double phase = 2 * asin(sqrt(k / m) * step * sin(mode * pi / (2 * PIECES)));
        // at rest at the start: x(n) = cos((n + 1/2) phase) up to a factor, for the first kick is a whole one
        double first = 0;
        for (int n = 0; n < 2000; n++) {
            assert_int_equal(tac_world_advance_to_frame(world, 44100, n, &error), TAC_OK);
            double heard;
            tac_world_listen(world, &heard);
            double form =
                1e-3 * sin(mode * pi * 5 / PIECES) * (cos((n + 0.5) * phase) / cos(0.5 * phase) - 1);
            if (n == 0) first = heard;
            if (fabs(heard - first - form) > 1e-9)
                fail_msg("mode %d, sample %d: %g, %g", mode, n, heard, form);
        }
        tac_world_destroy(world);
    }
}

// --- the bow ----------------------------------------------------------------------------------------------

// A mass on a spring and on a belt. With sliding friction k N it swings about k N / stiffness; it sticks until the
// spring pulls by s N. Period: 2 d / V + (2 / w) (pi - atan(w d / V)), d = (s - k) N / stiffness.
static void slider_on_a_belt_sticks_and_slips(void **state) {
    (void)state;
    const double stiffness = 400, mass = 0.25, V = 0.1, N = 3, s = 0.7, k = 0.4;
    TacWorld *world = world_of("<tactus version='1' dt='1e-5' gravity='0 0 0'><SymplecticEuler/>"
                               "<Points positions='0 0 0 1 0 0'/><UniformMass mass='0.25'/>"
                               "<Springs pairs='0 1' stiffness='400'/><FixedPoints points='0'/>"
                               "<Bow points='1' direction='2 0 0' speed='0.1' pressure='3' sticking='0.7' "
                               "sliding='0.4' fall_speed='1e-9'/></tactus>");
    TacComponentId points = tac_world_matter(world, 0);
    double w = sqrt(stiffness / mass), d = (s - k) * N / stiffness;
    double period = 2 * d / V + 2 / w * (pi - atan(w * d / V));
    advance(world, 1);
    // moments at which it lets go
    double before = 0, gone[40];
    int count = 0;
    bool stuck = false;
    for (int i = 0; i < 200000 && count < 5; i++) {
        advance(world, 1e-5);
        double v = tac_world_velocities(world, points)[3], x = tac_world_positions(world, points)[3] - 1;
        bool now = fabs(v - V) < 1e-9;
        if (stuck && !now) {
            gone[count++] = tac_world_time(world);
            assert_true(fabs(before - s * N / stiffness) < 1e-4 * d + V * 2e-5);
        }
        stuck = now;
        before = x;
    }
    assert_int_equal(count, 5);
    for (int i = 1; i < 5; i++)
        if (fabs(gone[i] - gone[i - 1] - period) > 2e-3 * period)
            fail_msg("a period of %g s; %g s were expected", gone[i] - gone[i - 1], period);
    tac_world_destroy(world);
}

// A free mass under a bow is carried along: v = k N t / m, then the bow's own speed.
static void bow_carries_a_free_mass_along(void **state) {
    (void)state;
    TacWorld *world =
        world_of("<tactus version='1' dt='1e-4' gravity='0 0 0'><SymplecticEuler/>"
                 "<Points positions='0 0 0'/><UniformMass mass='2'/>"
                 "<Bow direction='0 1 0' speed='0.5' pressure='1' sticking='0.4' sliding='0.4'/>"
                 "</tactus>");
    TacComponentId points = tac_world_matter(world, 0);
    advance(world, 1);
    assert_true(fabs(tac_world_velocities(world, points)[1] - 0.4 / 2) < 1e-3);
    advance(world, 2);
    assert_true(fabs(tac_world_velocities(world, points)[1] - 0.5) < 1e-12);
    tac_world_destroy(world);
}

// --- listening --------------------------------------------------------------------------------------------

static void links_and_masses_are_heard(void **state) {
    (void)state;
    TacWorld *world =
        world_of("<tactus version='1' dt='0.01' gravity='0 0 0'><node name='n'>"
                 "<Points positions='0 0 0 3 4 0' velocities='0 0 0 1 0 0'/><UniformMass/>"
                 "<Listen name='mass' point='1' direction='2 0 0' gain='3'/>"
                 "<Listen name='link' point='0' other_point='1' pan='0'/>"
                 "<Listen name='length' point='0' other_point='1' what='position'/></node></tactus>");
    double heard[3];
    assert_int_equal(tac_world_listen_count(world), 3);
    assert_string_equal(tac_world_listen_name(world, 1), "/n/link");
    assert_true(tac_world_listen_pan(world, 1) == 0);
    tac_world_listen(world, heard);
    assert_true(fabs(heard[0] - 3) < 1e-15 && fabs(heard[1] - 0.6) < 1e-15 && heard[2] == 0);
    advance(world, 1);
    tac_world_listen(world, heard);
    assert_true(fabs(heard[2] - (sqrt(32) - 5)) < 1e-12);
    // the same as when all is shown
    double again[3];
    tac_world_positions(world, tac_world_matter(world, 0));
    tac_world_listen(world, again);
    assert_memory_equal(heard, again, sizeof heard);
    tac_world_destroy(world);
}

static void sounds_are_written_and_read_back(void **state) {
    (void)state;
    float samples[2000];
    for (int i = 0; i < 2000; i++) samples[i] = (float)(i == 7 ? 2 : 0.5 * sin(0.01 * i));
    const char *const paths[] = {"/tmp/tactus_sound_test.wav", "/tmp/tactus_sound_test.flac"};
    for (int p = 0; p < 2; p++) {
        TacSound sound = {48000, 2, 1000, samples};
        TacError error;
        if (tac_sound_write(&sound, paths[p], &error) != TAC_OK) fail_msg("%s", error.message);
        SF_INFO info = {0};
        SNDFILE *file = sf_open(paths[p], SFM_READ, &info);
        assert_non_null(file);
        assert_int_equal(info.frames, 1000);
        assert_int_equal(info.samplerate, 48000);
        assert_int_equal(info.channels, 2);
        float back[2000];
        assert_int_equal(sf_readf_float(file, back, 1000), 1000);
        for (int i = 0; i < 2000; i++) assert_true(fabs((double)(back[i] - fminf(samples[i], 1))) < 2e-7);
        sf_close(file);
        unlink(paths[p]);
    }
    TacSound sound = {48000, 2, 1000, samples};
    TacError error;
    assert_int_equal(tac_sound_write(&sound, "/tmp/x.mp3", &error), TAC_BAD_USAGE);
    assert_int_equal(tac_sound_write(&sound, "/no/such/folder/x.wav", &error), TAC_FAILED);
}

// --- nets -------------------------------------------------------------------------------------------------

// Springs in runs, on one thread and on three, sorted or listed: the same bits. Listed backwards they are not in
// runs, and the sums differ in rounding only.
static void runs_change_no_bit(void **state) {
    (void)state;
    const char *text =
        "<tactus version='1' dt='0.001'><node name='n'><SymplecticEuler/><Grid counts='90 80 1'/>"
        "<Points velocities='0 0.1 1'/><UniformMass mass='0.001'/><Springs stiffness='30' "
        "damping='0.001' lengths='0.01'/><FixedPoints points='0-89'/></node></tactus>";
    uint64_t hash[2];
    for (int i = 0; i < 2; i++) {
        TacScene *scene = empty_scene();
        TacWorld *world;
        TacError error;
        TacWorldDef def = tac_world_def_default();
        def.threads = i == 0 ? 1 : 3;
        assert_int_equal(tac_scene_parse(scene, "net.tac", text, strlen(text), &error), TAC_OK);
        assert_int_equal(tac_world_create(&world, scene, &def, &error), TAC_OK);
        assert_int_equal(tac_world_advance_beats(world, 50, &error), TAC_OK);
        hash[i] = tac_world_hash(world);
        tac_world_destroy(world);
        tac_scene_destroy(scene);
    }
    assert_true(hash[0] == hash[1]);
}

// Constants listed for each edge of a topology stay with their springs when these are sorted.
static void constants_follow_their_springs(void **state) {
    (void)state;
    // a grid of 20 x 3 points; stiffness by edge, in the order of the edges, against the same written as pairs
    enum { NX = 20, NY = 3, EDGES = (NX - 1) * NY + NX * (NY - 1) };
    char pairs[4096] = "", stiffness[4096] = "", text[2][16384];
    for (int p = 0, e = 0; p < NX * NY; p++) {
        if (p % NX < NX - 1) {
            sprintf(pairs + strlen(pairs), "%d %d ", p, p + 1);
            sprintf(stiffness + strlen(stiffness), "%d ", 10 + 3 * e++);
        }
        if (p / NX < NY - 1) {
            sprintf(pairs + strlen(pairs), "%d %d ", p, p + NX);
            sprintf(stiffness + strlen(stiffness), "%d ", 10 + 3 * e++);
        }
    }
    for (int i = 0; i < 2; i++)
        sprintf(
            text[i],
            "<tactus version='1' dt='0.001'><node name='n'><SymplecticEuler/><Grid counts='20 3 1'/><Points "
            "velocities='0 0 1'/><UniformMass/><Springs stiffness='%s' %s%s%s/><FixedPoints "
            "points='0'/></node>"
            "</tactus>",
            stiffness, i ? "pairs='" : "", i ? pairs : "", i ? "'" : "");
    double last[2][3 * NX * NY];
    for (int i = 0; i < 2; i++) {
        TacWorld *world = world_of(text[i]);
        advance(world, 1);
        memcpy(last[i], tac_world_positions(world, tac_world_matter(world, 0)), sizeof last[i]);
        tac_world_destroy(world);
    }
    for (int i = 0; i < 3 * NX * NY; i++) assert_true(fabs(last[0][i] - last[1][i]) < 1e-9);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(string_sounds_at_its_modes),
        cmocka_unit_test(slider_on_a_belt_sticks_and_slips),
        cmocka_unit_test(bow_carries_a_free_mass_along),
        cmocka_unit_test(links_and_masses_are_heard),
        cmocka_unit_test(sounds_are_written_and_read_back),
        cmocka_unit_test(runs_change_no_bit),
        cmocka_unit_test(constants_follow_their_springs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
