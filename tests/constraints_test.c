// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Constraints in running worlds: what is fixed keeps every bit, what is scripted is where its script says,
// under every solver and without one; scripts from keyframes, speeds and files; scenes that cannot be.

#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/random.h"
#include "tactus/tactus.h"
#include "world/world.h"

#include <stdio.h>
#include <unistd.h>

static char folder[] = "/tmp/tactus-constraints-XXXXXX";

static const char *path_of(const char *name) {
    static char paths[4][256];
    static int next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

static int make_folder(void **state) {
    (void)state;
    return mkdtemp(folder) ? 0 : 1;
}

static int remove_folder(void **state) {
    (void)state;
    char command[300];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
}

// --- worlds -----------------------------------------------------------------------------------------------

static TacStatus try_world(TacWorld **world, const char *text, TacError *error) {
    TacScene *scene;
    assert_int_equal(tac_scene_create(&scene, error), TAC_OK);
    TacStatus status = tac_scene_parse(scene, path_of("test.tac"), text, strlen(text), error);
    TacWorldDef def = tac_world_def_default();
    *world = NULL;
    if (status == TAC_OK) status = tac_world_create(world, scene, &def, error);
    tac_scene_destroy(scene);
    return status;
}

static TacWorld *make_world(const char *format, ...) TAC_PRINTF(1, 2);

static TacWorld *make_world(const char *format, ...) {
    static char text[65536];
    char line[2048];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    TacWorld *world;
    TacError error = {0};
    if (try_world(&world, text, &error) != TAC_OK) fail_msg("%s", tac_error_text(&error, line, sizeof line));
    return world;
}

static void beats(TacWorld *world, int64_t n) {
    TacError error;
    if (tac_world_advance_beats(world, n, &error) != TAC_OK) fail_msg("%s", error.message);
}

static TacMatter *matter_of(TacWorld *world, const char *path) {
    TacMatter *m = tac_world_get_matter(world, tac_world_find(world, path));
    assert_non_null(m);
    return m;
}

static const double *places(TacWorld *world, const char *path) {
    return tac_world_positions(world, tac_world_find(world, path));
}

static const double *speeds(TacWorld *world, const char *path) {
    return tac_world_velocities(world, tac_world_find(world, path));
}

static double gap(const double *a, const double *b, size_t n) {
    double most = 0;
    for (size_t i = 0; i < n; i++) most = fmax(most, fabs(a[i] - b[i]));
    return most;
}

// Every way in which matter is moved: by solvers, or by nobody ("" : free flight and laws on their own
// clock).
static const char *const solvers[] = {"<SymplecticEuler/>", "<ImplicitEuler/>", ""};

// --- fixed ------------------------------------------------------------------------------------------------

static void test_fixed_points_keep_every_bit(void **state) {
    (void)state;
    for (size_t s = 0; s < TAC_COUNT(solvers); s++) {
        TacWorld *w = make_world("<tactus version='1' dt='0.002'><node name='a'>%s"
                                 "<Grid counts='5 3 3' high='0.7 0.3 0.31'/><Points velocities='1 2 3'/>"
                                 "<UniformMass mass='0.1'/><Springs stiffness='50'/>"
                                 "<FixedPoints box='0 0 0 0.01 1 1' points='7'/></node></tactus>",
                                 solvers[s]);
        TacMatter *m = matter_of(w, "/a/points");
        double start[3 * 45];
        memcpy(start, places(w, "/a/points"), sizeof start);
        beats(w, 200);
        const double *x = places(w, "/a/points"), *v = speeds(w, "/a/points");
        size_t held = 0, moved = 0;
        for (size_t i = 0; i < m->count; i++) {
            bool fixed = start[3 * i] < 0.01 || i == 7;
            assert_true(m->held[i] == (fixed ? TAC_HELD_ALL : 0));
            held += fixed;
            bool same = !memcmp(x + 3 * i, start + 3 * i, 3 * sizeof *x);
            assert_true(same == fixed);
            moved += !same;
            if (fixed) assert_true(v[3 * i] == 0 && v[3 * i + 1] == 0 && v[3 * i + 2] == 0);
        }
        assert_true(held == 10 && moved == 35);
        tac_world_destroy(w);
    }
}

static void test_fixed_frames_keep_every_bit(void **state) {
    (void)state;
    enum { N = 300 };
    // quaternions whose norm is not 1 to the last bit
    static char text[128 * N];
    TacRandom random = tac_random(1, 1);
    size_t n = 0;
    for (int i = 0; i < 7 * N; i++)
        n += (size_t)snprintf(text + n, sizeof text - n, "%.6f ", tac_random_between(&random, -1, 1));
    for (size_t s = 0; s < TAC_COUNT(solvers); s++) {
        TacWorld *w =
            make_world("<tactus version='1' dt='0.01'><node name='a'>%s"
                       "<Frames positions='%s' velocities='1 2 3 4 5 6'/>"
                       "<UniformMass mass='1' box='1 2 3'/><FixedPoints points='1-299'/></node></tactus>",
                       solvers[s], text);
        double start[7 * N];
        memcpy(start, places(w, "/a/frames"), sizeof start);
        beats(w, 100);
        const double *x = places(w, "/a/frames");
        assert_memory_equal(x + 7, start + 7, 7 * (N - 1) * sizeof *x);
        assert_true(gap(x, start, 3) > 1);
        tac_world_destroy(w);
    }
}

static void test_some_directions(void **state) {
    (void)state;
    for (size_t s = 0; s < 2; s++) {
        TacWorld *w = make_world("<tactus version='1' gravity='1 -2 4'><node name='a'>%s"
                                 "<Points positions='0 0.1 0.2' velocities='3 5 7'/><UniformMass/>"
                                 "<FixedPoints points='0' directions='zx'/></node>"
                                 "<node name='b'>%s<Points dimension='2' positions='1 2'/><UniformMass/>"
                                 "<FixedPoints points='0' directions='y'/></node>"
                                 "<node name='c'>%s<Points dimension='2' positions='1 2'/><UniformMass/>"
                                 "<FixedPoints points='0'/></node></tactus>",
                                 solvers[s], solvers[s], solvers[s]);
        assert_int_equal(matter_of(w, "/a/points")->held[0], TAC_HELD_X | TAC_HELD_Z);
        assert_int_equal(matter_of(w, "/c/points")->held[0], TAC_HELD_ALL);
        beats(w, 100);
        const double *x = places(w, "/a/points"), *y = places(w, "/b/points");
        // kicks of the instants 0, dt, ... 99 dt: the sum of k dt^2 for k = 1..100
        double fallen = 1e-4 * 5050;
        assert_true(x[0] == 0 && x[2] == 0.2);
        assert_true(fabs(x[1] - (0.1 + 5 - 2 * fallen)) < 1e-12);
        assert_true(y[1] == 2);
        assert_true(fabs(y[0] - (1 + fallen)) < 1e-12);
        tac_world_destroy(w);
    }
}

static void test_frames_that_only_turn_or_only_move(void **state) {
    (void)state;
    TacWorld *w = make_world(
        "<tactus version='1' gravity='0 -10 0'><node name='a'><SymplecticEuler/>"
        "<Frames positions='1 2 3 0 0 0 1' velocities='1 1 1 0 0 2'/><UniformMass/>"
        "<FixedPoints points='0' rotation='false'/></node>"
        "<node name='b'><SymplecticEuler/>"
        "<Frames positions='1 2 3 0 0 0 1' velocities='1 1 1 0 0 2'/><UniformMass/>"
        "<FixedPoints points='0' directions=''/></node>"
        "<node name='c'><SymplecticEuler/><Frames dimension='2' positions='1 2 0.5' velocities='1 1 2'/>"
        "<UniformMass inertia='1'/><FixedPoints points='0' rotation='false'/></node></tactus>");
    beats(w, 50);
    const double *a = places(w, "/a/frames"), *b = places(w, "/b/frames"), *c = places(w, "/c/frames");
    const double turned[7] = {1, 2, 3, 0, 0, sin(0.5), cos(0.5)}, still[4] = {0, 0, 0, 1};
    assert_true(gap(a, turned, 7) < 1e-12);
    assert_true(gap(b + 3, still, 4) == 0);
    assert_true(fabs(b[0] - 1.5) < 1e-12);
    assert_true(c[0] == 1 && c[1] == 2 && fabs(c[2] - 1.5) < 1e-12);
    tac_world_destroy(w);
}

// Matter that no solver owns falls by itself, but not in directions that are held.
static void test_some_directions_in_free_flight(void **state) {
    (void)state;
    TacWorld *w = make_world("<tactus version='1' gravity='1 -2 4'><node name='a'>"
                             "<Points positions='0 0 0'/><UniformMass/>"
                             "<FixedPoints points='0' directions='y'/></node>"
                             "<node name='b'><Frames/><UniformMass/>"
                             "<FixedPoints points='0' directions='xz' rotation='false'/></node></tactus>");
    beats(w, 100);
    const double *x = places(w, "/a/points"), *y = places(w, "/b/frames");
    assert_true(x[1] == 0 && fabs(x[0] - 0.5) < 1e-12 && fabs(x[2] - 2) < 1e-12);
    assert_true(y[0] == 0 && y[2] == 0 && fabs(y[1] + 1) < 1e-12);
    tac_world_destroy(w);
}

static void test_boxes_select_at_rest(void **state) {
    (void)state;
    TacWorld *w = make_world("<tactus version='1'><node name='a'>"
                             "<Points positions='0 0 0 1 0 0 2 0 0 3 0 0' rest='9 9 9 1 0 0 2 0 0 5 5 5'/>"
                             "<FixedPoints box='0.5 -1 -1 1 0 0  5 5 5 5 5 5'/></node></tactus>");
    const uint8_t expected[4] = {0, TAC_HELD_ALL, 0, TAC_HELD_ALL};
    assert_memory_equal(matter_of(w, "/a/points")->held, expected, 4);
    tac_world_destroy(w);
}

// --- scripted by keyframes --------------------------------------------------------------------------------

// Offsets of the script below at time t.
static double offset_at(double t) {
    if (t <= 0.1) return 0;
    if (t <= 0.3) return 5 * (t - 0.1);
    if (t <= 0.4) return 1 - 20 * (t - 0.3);
    return -1;
}

static void test_keyframes(void **state) {
    (void)state;
    for (size_t s = 0; s < TAC_COUNT(solvers); s++) {
        TacWorld *w = make_world(
            "<tactus version='1' dt='0.01'><node name='a'>%s"
            "<Points positions='1 2 3 2 2 3 3 2 3'/><UniformMass/><Springs pairs='0 1 1 2' stiffness='1000' "
            "damping='5'/><ScriptedMotion points='0' times='0.1 0.3 0.4' offsets='0 0 0 1 2 3 -1 -2 -3'/>"
            "</node></tactus>",
            solvers[s]);
        TacMatter *m = matter_of(w, "/a/points");
        assert_true(m->held[0] && !m->held[1]);
        for (int beat = 0; beat <= 60; beat++) {
            const double *x = places(w, "/a/points");
            double o = offset_at(0.01 * beat);
            const double expected[3] = {1 + o, 2 + 2 * o, 3 + 3 * o};
            assert_true(gap(x, expected, 3) < 1e-13);
            beats(w, 1);
        }
        // at rest after the last sample, and the others were pulled along
        const double *x = places(w, "/a/points"), *v = speeds(w, "/a/points");
        assert_true(fabs(v[0]) + fabs(v[1]) + fabs(v[2]) < 1e-12);
        assert_true(fabs(x[3] - 2) + fabs(x[4] - 2) > 1e-3);
        tac_world_destroy(w);
    }
}

// A script is met at every kick whatever the step, and errors do not add up.
static void test_keyframes_with_odd_steps(void **state) {
    (void)state;
    TacWorld *w = make_world("<tactus version='1' dt='0.01'><node name='a'><SymplecticEuler step='0.003'/>"
                             "<Points positions='0 0 0'/><UniformMass/>"
                             "<ScriptedMotion times='0 30' offsets='1 0 0 301 -0.3 3e5'/></node></tactus>");
    beats(w, 3000);
    const double *x = places(w, "/a/points");
    const double expected[3] = {301, -0.3, 3e5};
    assert_true(gap(x, expected, 2) < 1e-12 * 301);
    assert_true(fabs(x[2] - expected[2]) < 1e-12 * 3e5);
    tac_world_destroy(w);
}

// Points that start off their script are put on it, with its speed.
static void test_start_on_script(void **state) {
    (void)state;
    TacWorld *w =
        make_world("<tactus version='1'><node name='a'><Points positions='1 1 1' velocities='9 9 9'/>"
                   "<ScriptedMotion times='-1 1' offsets='0 0 0 2 4 6'/></node>"
                   "<node name='b'><Points positions='1 1 1' velocities='9 9 9'/>"
                   "<ScriptedMotion times='1 2' offsets='3 0 0 2 4 6'/></node></tactus>");
    const double a[3] = {2, 3, 4}, va[3] = {1, 2, 3}, b[3] = {4, 1, 1}, still[3] = {0, 0, 0};
    assert_true(gap(places(w, "/a/points"), a, 3) < 1e-15);
    assert_true(gap(speeds(w, "/a/points"), va, 3) < 1e-9);
    assert_true(gap(places(w, "/b/points"), b, 3) == 0);
    assert_true(gap(speeds(w, "/b/points"), still, 3) == 0);
    tac_world_destroy(w);
}

static TacVec3 spun(TacVec3 p, TacVec3 degrees) {
    double x = degrees.x * TAC_PI / 180, y = degrees.y * TAC_PI / 180, z = degrees.z * TAC_PI / 180;
    p = tac_vec3(p.x, cos(x) * p.y - sin(x) * p.z, sin(x) * p.y + cos(x) * p.z);
    p = tac_vec3(cos(y) * p.x + sin(y) * p.z, p.y, cos(y) * p.z - sin(y) * p.x);
    return tac_vec3(cos(z) * p.x - sin(z) * p.y, sin(z) * p.x + cos(z) * p.y, p.z);
}

static void test_rotations(void **state) {
    (void)state;
    const TacVec3 center = {1, 0, -2};
    for (size_t s = 0; s < TAC_COUNT(solvers); s++) {
        TacWorld *w = make_world(
            "<tactus version='1' dt='0.01'><node name='a'>%s<Points positions='2 3 4'/><UniformMass/>"
            "<ScriptedMotion times='0 1' rotations='0 0 0 90 -400 60' offsets='0 0 0 1 1 1' "
            "center='1 0 -2'/></node>"
            "<node name='b'>%s<Frames positions='2 3 4 0.5 -0.5 0.5 0.5'/><UniformMass box='1 2 3'/>"
            "<ScriptedMotion times='0 1' rotations='0 0 0 90 -400 60' offsets='0 0 0 1 1 1' "
            "center='1 0 -2'/></node>"
            "<node name='c'>%s<Frames dimension='2' positions='2 3 0.25'/><UniformMass inertia='1'/>"
            "<ScriptedMotion times='0 1' rotations='0 0 0 0 0 720' center='1 0 0'/></node></tactus>",
            solvers[s], solvers[s], solvers[s]);
        const TacQuat start = {0.5, -0.5, 0.5, 0.5};
        for (int beat = 0; beat <= 110; beat++) {
            double t = beat < 100 ? 0.01 * beat : 1;
            TacVec3 angles = {90 * t, -400 * t, 60 * t}, one = {t, t, t};
            TacVec3 p = tac_add(tac_add(center, spun(tac_sub(tac_vec3(2, 3, 4), center), angles)), one);
            const double *x = places(w, "/a/points"), *q = places(w, "/b/frames"),
                         *c = places(w, "/c/frames");
            const double expected[3] = {p.x, p.y, p.z};
            assert_true(gap(x, expected, 3) < 1e-12);
            assert_true(gap(q, expected, 3) < 1e-12);
            // the orientation: what it does to a vector
            TacVec3 arm = {0.3, -0.7, 0.2};
            TacVec3 found = tac_rotate(tac_load_quat(q + 3), arm);
            TacVec3 turned = spun(tac_rotate(start, arm), angles);
            assert_true(tac_norm(tac_sub(found, turned)) < 1e-12);
            double a = 4 * TAC_PI * t;
            const double plane[3] = {1 + cos(a) - 3 * sin(a), sin(a) + 3 * cos(a), 0.25 + a};
            assert_true(gap(c, plane, 3) < 1e-12);
            beats(w, 1);
        }
        const double *v = speeds(w, "/b/frames");
        for (int k = 0; k < 6; k++) assert_true(fabs(v[k]) < 1e-11);
        tac_world_destroy(w);
    }
}

static void test_speed_in_every_dimension(void **state) {
    (void)state;
    TacWorld *w = make_world(
        "<tactus version='1' dt='0.01'><node name='a'><Points dimension='1' positions='1 5'/>"
        "<ScriptedMotion speed='2 3 4' points='1'/></node>"
        "<node name='b'><Points dimension='2' positions='1 5'/><ScriptedMotion speed='2 3 4'/></node>"
        "<node name='c'><Points positions='1 5 6'/><ScriptedMotion speed='2 3 4'/></node>"
        "<node name='d'><Frames dimension='2' positions='1 5 6'/><ScriptedMotion speed='2 3 4'/></node>"
        "<node name='e'><Frames positions='1 5 6 0 0.6 0 0.8'/><ScriptedMotion speed='2 3 "
        "4'/></node></tactus>");
    beats(w, 50);
    const double a[2] = {1, 6}, b[2] = {2, 6.5}, c[3] = {2, 6.5, 8}, d[3] = {2, 6.5, 6};
    const double e[7] = {2, 6.5, 8, 0, 0.6, 0, 0.8};
    assert_true(gap(places(w, "/a/points"), a, 2) < 1e-13);
    assert_true(gap(places(w, "/b/points"), b, 2) < 1e-13);
    assert_true(gap(places(w, "/c/points"), c, 3) < 1e-13);
    assert_true(gap(places(w, "/d/frames"), d, 3) < 1e-13);
    assert_true(gap(places(w, "/e/frames"), e, 7) < 1e-13);
    tac_world_destroy(w);
}

// A scripted body carries its points, and what hangs on them.
static void test_scripted_body_carries_points(void **state) {
    (void)state;
    TacWorld *w =
        make_world("<tactus version='1' dt='0.01'><node name='a'><Frames positions='0 0 0 0 0 0 1'/>"
                   "<ScriptedMotion times='0 1' rotations='0 0 0 0 0 180'/><node name='b'>"
                   "<Points positions='2 0 0'/><RigidMap/></node></node></tactus>");
    beats(w, 50);
    const double expected[3] = {0, 2, 0}, speed[3] = {-2 * TAC_PI, 0, 0};
    assert_true(gap(places(w, "/a/b/points"), expected, 3) < 1e-12);
    assert_true(gap(speeds(w, "/a/b/points"), speed, 3) < 0.2);
    tac_world_destroy(w);
}

// --- scripted by files ------------------------------------------------------------------------------------

// Where point i of the files below is in sample k.
static void sample_place(size_t k, size_t i, double x[3]) {
    x[0] = (double)i + 0.25 * (double)(k * k);
    x[1] = 0.5 * (double)k;
    x[2] = -(double)(i * k);
}

static void write_pc2(const char *path, uint32_t points, uint32_t samples, float rate, size_t keep) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    const uint32_t head[2] = {1, points};
    const float frames[2] = {5, rate};
    unsigned char bytes[4096];
    size_t n = 0;
    memcpy(bytes + n, "POINTCACHE2", 12);
    memcpy(bytes + 12, head, 8);
    memcpy(bytes + 20, frames, 8);
    memcpy(bytes + 28, &samples, 4);
    n = 32;
    for (uint32_t k = 0; k < samples && k < 8; k++)
        for (uint32_t i = 0; i < points && i < 8; i++) {
            double x[3];
            sample_place(k, i, x);
            const float y[3] = {(float)x[0], (float)x[1], (float)x[2]};
            memcpy(bytes + n, y, 12);
            n += 12;
        }
    if (keep < n) n = keep;
    assert_int_equal(fwrite(bytes, 1, n, file), n);
    assert_int_equal(fclose(file), 0);
}

static void write_sequence(size_t points, size_t count) {
    for (size_t k = 0; k < count; k++) {
        char name[64];
        snprintf(name, sizeof name, "mesh%03zu.obj", k + 7);
        FILE *file = fopen(path_of(name), "w");
        assert_non_null(file);
        for (size_t i = 0; i < points; i++) {
            double x[3];
            sample_place(k, i, x);
            fprintf(file, "v %.17g %.17g %.17g\n", x[0], x[1], x[2]);
        }
        fputs("f 1 2 3\n", file);
        fclose(file);
    }
}

// Tracks "points" (4 of them, at 0, 0.1, 0.2 and 0.3 s) and "frame" (turning about z by 0.4 rad a frame).
static void write_recording(const char *path) {
    TacTrackDef tracks[2] = {{.name = "/points", .kind = TAC_VEC3, .point_count = 4, .opacity = 1},
                             {.name = "/frame", .kind = TAC_RIGID3, .point_count = 1, .opacity = 1}};
    TacRecordingDef def = tac_recording_def_default();
    def.scene = "test";
    def.beat = 0.01;
    def.up = tac_vec3(0, 1, 0);
    def.tracks = tracks;
    def.track_count = 2;
    TacRecorder *recorder;
    TacError error;
    assert_int_equal(tac_recorder_open(&recorder, path, &def, &error), TAC_OK);
    for (size_t k = 0; k < 4; k++) {
        double x[12], time = 0.1 * (double)k, half = 0.2 * (double)k;
        for (size_t i = 0; i < 4; i++) sample_place(k, i, x + 3 * i);
        // q and -q are the same orientation
        double sign = k == 2 ? -1 : 1;
        const double f[7] = {(double)k, 0, 0, 0, 0, sign * sin(half), sign * cos(half)};
        const TacFrameTrack parts[2] = {{.time = time, .count = 4, .positions = x},
                                        {.time = time, .count = 1, .positions = f}};
        const TacFrame frame = {.time = time, .tracks = parts};
        assert_int_equal(tac_recorder_frame(recorder, &frame, &error), TAC_OK);
    }
    assert_int_equal(tac_recorder_close(recorder, &error), TAC_OK);
}

// Runs a scene whose script has 4 samples of sample_place, `each` s apart, on points 3, 0 and 2 of 4;
// `number` says which of the file's points each of them follows.
static void check_file(const char *attributes, double each, const size_t number[3]) {
    static const size_t points[3] = {3, 0, 2};
    for (size_t s = 0; s < TAC_COUNT(solvers); s++) {
        TacWorld *w = make_world("<tactus version='1' dt='0.01'><node name='a'>%s"
                                 "<Points positions='9 9 9 8 8 8 7 7 7 6 6 6'/><UniformMass/>"
                                 "<ScriptedMotion points='3 0 2' %s/></node></tactus>",
                                 solvers[s], attributes);
        double v0[3], x0[3], x1[3];
        for (int beat = 0; beat <= 40; beat++) {
            const double *x = places(w, "/a/points");
            double t = 0.01 * beat / each;
            size_t k = t < 3 ? (size_t)t : 3;
            double part = k < 3 ? t - (double)k : 0;
            for (int i = 0; i < 3; i++) {
                double expected[3];
                sample_place(k, number[i], x0);
                sample_place(k + 1, number[i], x1);
                for (int a = 0; a < 3; a++) expected[a] = x0[a] + part * (x1[a] - x0[a]);
                assert_true(gap(x + 3 * points[i], expected, 3) < 1e-12);
            }
            if (beat == 0) {
                sample_place(0, number[1], x0);
                sample_place(1, number[1], x1);
                for (int a = 0; a < 3; a++) v0[a] = (x1[a] - x0[a]) / each;
                assert_true(gap(speeds(w, "/a/points"), v0, 3) < 1e-8);
                const double other[3] = {8, 8, 8};
                assert_true(gap(x + 3, other, 3) == 0);
            }
            beats(w, 1);
        }
        tac_world_destroy(w);
    }
}

static void test_files(void **state) {
    (void)state;
    static const size_t by_number[3] = {3, 0, 2}, in_order[3] = {0, 1, 2};
    write_pc2(path_of("four.pc2"), 4, 4, 1, SIZE_MAX);
    check_file("file='four.pc2' rate='10'", 0.1, by_number);
    check_file("file='four.pc2'", 1.0 / 24, by_number);
    write_pc2(path_of("three.pc2"), 3, 4, 2, SIZE_MAX);
    check_file("file='three.pc2' rate='20'", 0.1, in_order);
    write_sequence(4, 4);
    check_file("file='mesh%03d.obj' first='7' count='4' rate='10'", 0.1, by_number);
    write_recording(path_of("run.tacrec"));
    check_file("file='run.tacrec' track='/points'", 0.1, by_number);
}

static void test_recorded_frames(void **state) {
    (void)state;
    write_recording(path_of("run.tacrec"));
    for (size_t s = 0; s < TAC_COUNT(solvers); s++) {
        TacWorld *w =
            make_world("<tactus version='1' dt='0.01'><node name='a'>%s<Frames/><UniformMass box='1 2 3'/>"
                       "<ScriptedMotion file='run.tacrec' track='/frame'/></node></tactus>",
                       solvers[s]);
        for (int beat = 0; beat <= 40; beat++) {
            double t = beat < 30 ? 0.1 * beat : 3;
            const double expected[7] = {t, 0, 0, 0, 0, sin(0.2 * t), cos(0.2 * t)};
            double found[7];
            memcpy(found, places(w, "/a/frames"), sizeof found);
            for (int k = 3; k < 7 && found[6] < 0; k++) found[k] = -found[k];
            assert_true(gap(found, expected, 7) < 1e-12);
            beats(w, 1);
        }
        tac_world_destroy(w);
    }
}

// --- hostile scenes ---------------------------------------------------------------------------------------

#define POINTS(x)                                                                                            \
    "<tactus version='1'><node name='a'><Points positions='0 0 0 1 1 1'/>\n" x "</node></tactus>"
#define FOUR(x) "<tactus version='1'><node name='a'><Grid counts='4 1 1'/><Points/>\n" x "</node></tactus>"
#define FLAT(x)                                                                                              \
    "<tactus version='1'><node name='a'><Points dimension='2' positions='0 0'/>\n" x "</node></tactus>"
#define FRAMES(x) "<tactus version='1'><node name='a'><Frames/>\n" x "</node></tactus>"

static void test_bad_scenes(void **state) {
    (void)state;
    write_pc2(path_of("cut.pc2"), 2, 4, 1, 60);
    write_pc2(path_of("two.pc2"), 2, 3, 1, SIZE_MAX);
    write_pc2(path_of("none.pc2"), 2, 0, 1, SIZE_MAX);
    write_pc2(path_of("huge.pc2"), 2, 0x7fffffff, 1, SIZE_MAX);
    write_pc2(path_of("four.pc2"), 4, 4, 1, SIZE_MAX);
    write_sequence(4, 2);
    write_recording(path_of("run.tacrec"));
    static const struct {
        const char *text, *expected;
    } cases[] = {
        {POINTS("<FixedPoints/>"), "needs points (their numbers) or box"},
        {POINTS("<FixedPoints points='2'/>"), "there is no point 2; /a/points has points 0 to 1"},
        {POINTS("<FixedPoints points='-1'/>"), "points"},
        {POINTS("<FixedPoints points=''/>"), "points is empty"},
        {POINTS("<FixedPoints box='0 0 0 1 1'/>"), "box has 5 numbers"},
        {POINTS("<FixedPoints box=''/>"), "box has 0 numbers"},
        {POINTS("<FixedPoints box='0 0 0 1 -1 1'/>"), "above its high corner"},
        {POINTS("<FixedPoints box='5 5 5 6 6 6'/>"), "reach from 0 0 0 to 1 1 1"},
        {POINTS("<FixedPoints points='0' directions='xw'/>"), "letters out of x, y and z"},
        {POINTS("<FixedPoints points='0' directions=''/>"), "holds nothing"},
        {FLAT("<FixedPoints points='0' directions='z'/>"), "holds nothing"},
        {FRAMES("<FixedPoints points='0' directions='' rotation='false'/>"), "holds nothing"},
        {POINTS("<ScriptedMotion/>"), "needs times (with offsets or rotations), speed, or file"},
        {POINTS("<ScriptedMotion speed='1 0 0' file='two.pc2'/>"), "speed and file both"},
        {POINTS("<ScriptedMotion times='0' offsets='0 0 0' speed='1 0 0'/>"), "both say how to move"},
        {POINTS("<ScriptedMotion offsets='0 0 0'/>"), "needs times"},
        {POINTS("<ScriptedMotion times='0 1'/>"), "needs offsets or rotations"},
        {POINTS("<ScriptedMotion times='' offsets=''/>"), "times is empty"},
        {POINTS("<ScriptedMotion times='0 1' offsets='0 0 0 1 1'/>"), "offsets has 5 numbers"},
        {POINTS("<ScriptedMotion times='0 1' rotations='0 0 0'/>"), "rotations has 3 numbers"},
        {POINTS("<ScriptedMotion times='0 2 1' offsets='0 0 0 0 0 0 0 0 0'/>"), "2 is followed by 1"},
        {POINTS("<ScriptedMotion times='0 1 1' offsets='0 0 0 0 0 0 0 0 0'/>"), "1 is followed by 1"},
        {POINTS("<ScriptedMotion times='0' offsets='0 0 0' points='0 9'/>"), "there is no point 9"},
        {FLAT("<ScriptedMotion times='0' rotations='1 0 0'/>"), "only the third angle"},
        {POINTS("<ScriptedMotion file='missing.pc2'/>"), "missing.pc2: cannot be opened"},
        {POINTS("<ScriptedMotion file='missing.tacrec'/>"), "missing.tacrec"},
        {POINTS("<ScriptedMotion file='missing%d.obj' count='3'/>"), "missing0.obj"},
        {POINTS("<ScriptedMotion file='mesh%03d.obj' first='7'/>"), "count (the number of files)"},
        {POINTS("<ScriptedMotion file='%s%n.obj' count='3'/>"), "written with one %d"},
        {POINTS("<ScriptedMotion file='%d%d.obj' count='3'/>"), "written with one %d"},
        {POINTS("<ScriptedMotion file='%99d.obj' count='3'/>"), "written with one %d"},
        {POINTS("<ScriptedMotion file='mesh%03d.obj' first='7' count='2'/>"),
         "has 4 points; /a/points has 2"},
        {POINTS("<ScriptedMotion file='file.txt'/>"), "a .pc2, a .tacrec or a sequence"},
        {POINTS("<ScriptedMotion file='cut.pc2'/>"), "cut.pc2: announces 4 samples"},
        {POINTS("<ScriptedMotion file='huge.pc2'/>"), "huge.pc2: announces"},
        {POINTS("<ScriptedMotion file='none.pc2'/>"), "has no samples"},
        {POINTS("<ScriptedMotion file='four.pc2'/>"), "has 4 points; /a/points has 2, 2 of them scripted"},
        {POINTS("<ScriptedMotion file='two.pc2' rate='0'/>"), "rate"},
        {FRAMES("<ScriptedMotion file='two.pc2'/>"), "has points only"},
        {POINTS("<ScriptedMotion file='run.tacrec'/>"), "has 2 tracks, so track must name one"},
        {POINTS("<ScriptedMotion file='run.tacrec' track='/point'/>"), "did you mean \"/points\"?"},
        {POINTS("<ScriptedMotion file='run.tacrec' track='/frame'/>"), "is Rigid3 but /a/points is Vec3"},
        {POINTS("<ScriptedMotion file='run.tacrec' track='/points'/>"), "has 4 points"},
    };
    for (size_t i = 0; i < TAC_COUNT(cases); i++) {
        TacWorld *world;
        TacError error = {0};
        TacStatus status = try_world(&world, cases[i].text, &error);
        if (status != TAC_BAD_INPUT || !strstr(error.message, cases[i].expected) || error.line != 2)
            fail_msg("%d: %s:%d: %s, where \"%s\" was expected", (int)status, error.file, error.line,
                     error.message, cases[i].expected);
        assert_null(world);
    }
}

// A sequence whose files do not fit together, and one that would fill the memory.
static void test_bad_sequences(void **state) {
    (void)state;
    write_sequence(4, 3);
    FILE *file = fopen(path_of("mesh009.obj"), "w");
    assert_non_null(file);
    fputs("v 0 0 0\nv 0 0 1\nv 0 1 0\nf 1 2 3\n", file);
    fclose(file);
    TacWorld *world;
    TacError error = {0};
    assert_int_equal(
        try_world(&world, FOUR("<ScriptedMotion file='mesh%03d.obj' first='7' count='3'/>"), &error),
        TAC_BAD_INPUT);
    assert_non_null(strstr(error.message, "mesh009.obj has 3 points but the first one has 4"));
    assert_int_equal(
        try_world(&world, FOUR("<ScriptedMotion file='mesh%03d.obj' first='7' count='1000000000'/>"), &error),
        TAC_BAD_INPUT);
    assert_non_null(strstr(error.message, "at most 1 GB"));
    assert_int_equal(error.line, 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fixed_points_keep_every_bit),
        cmocka_unit_test(test_fixed_frames_keep_every_bit),
        cmocka_unit_test(test_some_directions),
        cmocka_unit_test(test_some_directions_in_free_flight),
        cmocka_unit_test(test_frames_that_only_turn_or_only_move),
        cmocka_unit_test(test_boxes_select_at_rest),
        cmocka_unit_test(test_keyframes),
        cmocka_unit_test(test_keyframes_with_odd_steps),
        cmocka_unit_test(test_start_on_script),
        cmocka_unit_test(test_rotations),
        cmocka_unit_test(test_speed_in_every_dimension),
        cmocka_unit_test(test_scripted_body_carries_points),
        cmocka_unit_test(test_files),
        cmocka_unit_test(test_recorded_frames),
        cmocka_unit_test(test_bad_scenes),
        cmocka_unit_test(test_bad_sequences),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
