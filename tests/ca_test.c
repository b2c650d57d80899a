// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// CORDIS-ANIMA models: what the document's own rattle does, against a Newton solve of its static forces that
// shares no code with the library; what the language accepts, and what it says of what it does not.

#define _GNU_SOURCE
#include "tactus/tactus.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { BALLS = 5, N = 3 * BALLS }; // the rattle's four masses, then the sphere

// --- worlds -----------------------------------------------------------------------------------------------

static TacStatus parse(TacScene **scene, const char *text, TacError *error) {
    *error = (TacError){0};
    assert_int_equal(tac_scene_create(scene, error), TAC_OK);
    return tac_scene_parse(*scene, "model.ca", text, strlen(text), error);
}

static TacWorld *world_of(const char *text, uint64_t seed) {
    TacScene *scene;
    TacWorld *world;
    TacError error;
    if (parse(&scene, text, &error) != TAC_OK) fail_msg("%d:%d: %s", error.line, error.column, error.message);
    TacWorldDef def = tac_world_def_default();
    def.seed = seed;
    if (tac_world_create(&world, scene, &def, &error) != TAC_OK) fail_msg("%s", error.message);
    tac_scene_destroy(scene);
    return world;
}

static void advance(TacWorld *world, double seconds) {
    TacError error;
    if (tac_world_advance(world, seconds, &error) != TAC_OK) fail_msg("%s", error.message);
}

static const double *positions(TacWorld *world, const char *path) {
    const double *x = tac_world_positions(world, tac_world_find(world, path));
    assert_non_null(x);
    return x;
}

// --- the rattle -------------------------------------------------------------------------------------------

// As printed, but for its gravity, the slopes, the middle of the start and a rate that is quick to simulate: the
// rest does not depend on it.
static char *rattle(double gravity, double slope, double start, double rate) {
    char *text;
    int n = asprintf(&text,
                     "VISCOSITY 0.01 overall viscosity of the milieu\n"
                     "GRAVITY %g Earth's gravity\n"
                     "DEFMASS m_rattle 10e-3 the rattle masses will weigh 10 g\n"
                     "DEFMASS m_sphere 100e-3 the sphere mass will weigh 100 g\n"
                     "DEFFI\n fi_in_rattle\n 1 (-%g,0) [.05]\n"
                     "DEFFI\n fi_rattle_sphere\n 2 (-%g,0) (%g,.1) [.1]\n"
                     "DEFFI\n fi_sphere_floor\n 2 (-%g,0) (%g,100) [100]\n"
                     "# allocations of elementary agglomerates\n"
                     "DEFMOB rattle 4 m_rattle AGGLO fi_in_rattle\n"
                     "DEFMOB sphere 1 m_sphere\n"
                     "DEFFIX floor 1\n"
                     "LINKGRP rattle sphere fi_rattle_sphere LINKGRP sphere floor fi_sphere_floor\n"
                     "POSITAROUND rattle (%g,%g,0) [.1,.1,.1] quasi-random positions\n"
                     "POSIT sphere (0,0,0)\n"
                     "POSIT floor (0,100,0)\n"
                     "RATE %g\n",
                     gravity, slope, slope, slope, slope, slope, start, start, rate);
    assert_true(n > 0);
    return text;
}

static void state_of(TacWorld *world, double x[N]) {
    memcpy(x, positions(world, "/rattle/balls"), 12 * sizeof(double));
    memcpy(x + 12, positions(world, "/sphere/balls"), 3 * sizeof(double));
}

// What does not depend on how the balls are numbered or turned about the vertical: heights under the sphere, then
// distances of pairs, then the sphere's place; sorted within each.
enum { MEASURES = 4 + 6 + 3 };

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double distance(const double *a, const double *b) {
    return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) +
                (a[2] - b[2]) * (a[2] - b[2]));
}

static void measure(const double x[N], double out[MEASURES]) {
    int n = 0;
    for (int i = 0; i < 4; i++) out[n++] = x[3 * i + 1] - x[13];
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < i; j++) out[n++] = distance(x + 3 * i, x + 3 * j);
    for (int k = 0; k < 3; k++) out[n++] = x[12 + k];
    qsort(out, 4, sizeof *out, ascending);
    qsort(out + 4, 6, sizeof *out, ascending);
}

// --- an independent solve ---------------------------------------------------------------------------------

// Static forces of the rattle on each ball, and its energy.
static double static_forces(const double x[N], double f[N]) {
    double energy = 0;
    for (int i = 0; i < BALLS; i++) {
        double m = i < 4 ? 0.01 : 0.1;
        f[3 * i] = f[3 * i + 2] = 0;
        f[3 * i + 1] = -9.8 * m;
        energy += 9.8 * m * x[3 * i + 1];
    }
    for (int i = 0; i < BALLS; i++)
        for (int j = 0; j < i; j++) {
            double d = distance(x + 3 * i, x + 3 * j), longer = d - (i < 4 ? 0.05 : 0.1);
            if (i == 4 && longer < 0) longer = 0;
            energy += 0.5 * longer * longer;
            for (int k = 0; k < 3; k++) {
                double pull = longer * (x[3 * j + k] - x[3 * i + k]) / d;
                f[3 * i + k] += pull;
                f[3 * j + k] -= pull;
            }
        }
    const double centre[3] = {0, 100, 0};
    double d = distance(x + 12, centre), longer = d > 100 ? d - 100 : 0;
    for (int k = 0; k < 3; k++) f[12 + k] += longer * (centre[k] - x[12 + k]) / d;
    return energy + 0.5 * longer * longer;
}

// Solves a b = r by elimination with pivots; a and r are destroyed.
static void eliminate(double a[N][N], double r[N]) {
    for (int c = 0; c < N; c++) {
        int best = c;
        for (int i = c + 1; i < N; i++)
            if (fabs(a[i][c]) > fabs(a[best][c])) best = i;
        for (int k = 0; k < N; k++) {
            double t = a[c][k];
            a[c][k] = a[best][k];
            a[best][k] = t;
        }
        double t = r[c];
        r[c] = r[best];
        r[best] = t;
        for (int i = c + 1; i < N; i++) {
            double s = a[i][c] / a[c][c];
            for (int k = c; k < N; k++) a[i][k] -= s * a[c][k];
            r[i] -= s * r[c];
        }
    }
    for (int c = N - 1; c >= 0; c--) {
        for (int k = c + 1; k < N; k++) r[c] -= a[c][k] * r[k];
        r[c] /= a[c][c];
    }
}

// Newton's method on the static forces, held back (Levenberg) because turning about the vertical is free. Returns
// the largest force left.
static double newton(double x[N], double *energy) {
    double f[N], hold = 1e-2, worst = 1;
    *energy = static_forces(x, f);
    for (int round = 0; round < 400 && worst > 1e-14; round++) {
        double a[N][N], step[N], low[N], high[N], there[N];
        for (int c = 0; c < N; c++) {
            memcpy(there, x, sizeof there);
            there[c] = x[c] - 1e-7;
            static_forces(there, low);
            there[c] = x[c] + 1e-7;
            static_forces(there, high);
            for (int r = 0; r < N; r++) a[r][c] = -(high[r] - low[r]) / 2e-7 + (r == c ? hold : 0);
        }
        memcpy(step, f, sizeof step);
        eliminate(a, step);
        for (int i = 0; i < N; i++) there[i] = x[i] + step[i];
        double next = static_forces(there, high);
        // downhill only, so that what is found is a rest and not a saddle
        if (next > *energy + 1e-15) {
            hold *= 4;
            continue;
        }
        memcpy(x, there, sizeof there);
        memcpy(f, high, sizeof high);
        *energy = next;
        hold = hold > 1e-9 ? hold / 3 : hold;
        worst = 0;
        for (int i = 0; i < N; i++) worst = fmax(worst, fabs(f[i]));
    }
    return worst;
}

// Rests that Newton's method finds from random starts of its own, the lowest first.
enum { MOST_RESTS = 8 };

typedef struct Rests {
    int count;
    double energy[MOST_RESTS], measures[MOST_RESTS][MEASURES];
} Rests;

static bool alike(const double a[MEASURES], const double b[MEASURES], double tolerance) {
    for (int i = 0; i < MEASURES; i++)
        if (!(fabs(a[i] - b[i]) < tolerance)) return false;
    return true;
}

static void keep_rest(Rests *rests, double energy, const double m[MEASURES]) {
    int at = 0;
    for (int i = 0; i < rests->count; i++)
        if (alike(rests->measures[i], m, 1e-6)) return;
    assert_true(rests->count < MOST_RESTS);
    while (at < rests->count && rests->energy[at] < energy) at++;
    for (int i = rests->count++; i > at; i--) {
        rests->energy[i] = rests->energy[i - 1];
        memcpy(rests->measures[i], rests->measures[i - 1], sizeof rests->measures[i]);
    }
    rests->energy[at] = energy;
    memcpy(rests->measures[at], m, sizeof rests->measures[at]);
}

static void find_rests(Rests *rests) {
    uint64_t random = 12345;
    *rests = (Rests){0};
    for (int start = 0; start < 80; start++) {
        double x[N], energy, m[MEASURES];
        for (int i = 0; i < N; i++) {
            random = random * 6364136223846793005ULL + 1442695040888963407ULL;
            x[i] = 0.1 * ((double)(random >> 11) * 0x1p-52 - 1);
        }
        if (newton(x, &energy) > 1e-12) continue;
        measure(x, m);
        keep_rest(rests, energy, m);
    }
    assert_true(rests->count >= 1);
}

// Edge down is the rest of the printed rattle. Its springs are so soft that a second one, a corner down and 20
// microjoules higher, holds as well when it is met exactly; nearly no start comes there.
static void rattle_comes_to_the_one_rest(void **state) {
    (void)state;
    Rests rests;
    find_rests(&rests);
    int lowest = 0;
    for (uint64_t seed = 1; seed <= 100; seed++) {
        // half of them outside the sphere of 10 cm
        double start = seed % 2 ? 0 : 0.25, x[N], m[MEASURES];
        char *text = rattle(9.8, 1, start, 40);
        TacWorld *world = world_of(text, seed);
        state_of(world, x);
        bool outside = true;
        for (int i = 0; i < 4; i++) outside = outside && distance(x + 3 * i, x + 12) > 0.1;
        if (start > 0) assert_true(outside);
        advance(world, 350);
        state_of(world, x);
        measure(x, m);
        int at = 0;
        while (at < rests.count && !alike(m, rests.measures[at], 1e-6)) at++;
        if (at == rests.count) fail_msg("seed %d came to no rest", (int)seed);
        lowest += at == 0;
        tac_world_destroy(world);
        free(text);
    }
    assert_true(lowest >= 98);
}

static void rattle_without_gravity_is_a_regular_tetrahedron(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 4; seed++) {
        char *text = rattle(0, 1, seed % 2 ? 0 : 0.25, 50);
        TacWorld *world = world_of(text, seed);
        advance(world, 300);
        double x[N], m[MEASURES];
        state_of(world, x);
        measure(x, m);
        for (int i = 4; i < 10; i++) assert_true(fabs(m[i] - 0.05) < 0.05 * 1e-3);
        for (int i = 0; i < 4; i++) assert_true(distance(x + 3 * i, x + 12) < 0.1 + 1e-6);
        tac_world_destroy(world);
        free(text);
    }
}

static void stiff_rattle_keeps_its_shape_on_the_floor(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 4; seed++) {
        char *text = rattle(9.8, 100, seed % 2 ? 0 : 0.25, 400);
        TacWorld *world = world_of(text, seed);
        advance(world, 120);
        double x[N], m[MEASURES];
        state_of(world, x);
        measure(x, m);
        for (int i = 4; i < 10; i++)
            if (!(fabs(m[i] - 0.05) < 0.05 * 1e-2)) fail_msg("seed %d: an edge of %g", (int)seed, m[i]);
        const double centre[3] = {0, 100, 0};
        assert_true(fabs(distance(x + 12, centre) - 100) < 0.02);
        tac_world_destroy(world);
        free(text);
    }
}

// Printed with two statements on a line, names broken off their keywords, and a typesetter's underscores.
static void printed_text_is_read_as_it_stands(void **state) {
    (void)state;
    TacWorld *world =
        world_of("VISCOSITY 0.01 overall viscosity of the milieu\n\nGRAVITY 9.8 Earth's gravity\n"
                 "DEFMASS m\\_rattle 10e-3 the rattle masses will weigh 10 g\n"
                 " DEFFI\n fi\\_in\\_rattle\n 1 (-1,0) [.05]\n"
                 "DEFMOB rattle 4 m\\_rattle AGGLO fi\\_in\\_rattle\nDEFFIX floor 1\n"
                 "LINKGRP rattle floor fi_in_rattle LINKGRP rattle1 rattle2 fi\\_in\\_rattle\n"
                 "POSITAROUND rattle (0,0,0) [.1,.1,.1]\nPOSIT floor (0,100,0)\n",
                 1);
    assert_int_equal(tac_world_matter_count(world), 2);
    assert_true(tac_world_beat(world) == 1e-3);
    const double *x = positions(world, "/rattle/balls");
    for (int i = 0; i < 12; i++) assert_true(fabs(x[i]) <= 0.1 && x[i] != 0);
    tac_world_destroy(world);
}

// --- small models against closed forms --------------------------------------------------------------------

// Two masses of 1 kg on a spring of 2 N/m swing by cos(2 t) about their distance at rest.
static void two_masses_swing(void **state) {
    (void)state;
    TacWorld *world = world_of("DEFMASS m 1\nDEFFI f 1 (-2,0) [1]\nDEFMOB pair 2 m AGGLO f\n"
                               "POSIT pair (0,0,0) (1.5,0,0)\nRATE 10000\n",
                               1);
    for (int i = 1; i <= 20; i++) {
        advance(world, 0.25);
        const double *x = positions(world, "/pair/balls");
        double d = distance(x, x + 3);
        assert_true(fabs(d - (1 + 0.5 * cos(2 * 0.25 * i))) < 2e-4);
    }
    tac_world_destroy(world);
}

// The viscosity of a chain's law: d = 1 + 0.1 e^(-g t) (cos w t + g/w sin w t), g = z/m, w^2 = 2k/m - g^2.
static void chain_is_damped_by_its_law(void **state) {
    (void)state;
    TacWorld *world =
        world_of("DEFMASS m 1\nDEFFI f 1 (-2,0) [1]\nVISCFI f .25\nDEFMOB pair 2 m\nCHAIN pair f\n"
                 "POSIT pair (0,0,0) (1.1,0,0)\nRATE 10000\n",
                 1);
    const double g = 0.25, w = sqrt(4 - g * g);
    for (int i = 1; i <= 20; i++) {
        advance(world, 0.25);
        const double *x = positions(world, "/pair/balls");
        double t = 0.25 * i, d = 0.1 * exp(-g * t) * (cos(w * t) + g / w * sin(w * t));
        assert_true(fabs(distance(x, x + 3) - 1 - d) < 5e-5);
    }
    tac_world_destroy(world);
}

static char *chain(double stiffness) {
    char *text;
    assert_true(asprintf(&text,
                         "DEFMASS m 1\nDEFFI f 1 (-%.17g,0) [1]\nDEFMOB c 40 m\nCHAIN c f\n"
                         "POSITLINE c (0,0,0) (39,0,0)\nHOLD c1\nHOLD c40\nRATE 1\nSPEED c20 (1e-3,0,0)\n",
                         stiffness) > 0);
    return text;
}

static double largest_offset(TacWorld *world) {
    const double *x = positions(world, "/c/balls");
    double most = 0;
    for (int i = 0; i < 40; i++) most = fmax(most, fabs(x[3 * i] - i));
    return most;
}

// In discrete units a chain is stable up to K = M per link: the margin says so, and so does what happens.
static void chain_is_stable_up_to_its_margin(void **state) {
    (void)state;
    const double stiffness[] = {1, 0.999, 1.02};
    for (int i = 0; i < 3; i++) {
        char *text = chain(stiffness[i]);
        TacWorld *world = world_of(text, 1);
        TacMargin *margins;
        size_t count;
        TacError error;
        assert_int_equal(tac_world_margins(world, &margins, &count, &error), TAC_OK);
        double used = 0, step = INFINITY;
        size_t points = 0;
        for (size_t k = 0; k < count; k++) {
            used = fmax(used, margins[k].used);
            step = fmin(step, margins[k].largest_step);
            points += margins[k].count;
            assert_true(margins[k].whole);
        }
        assert_int_equal(points, 38);
        assert_true(i > 0 || (used == 1 && step == 1));
        assert_true(fabs(used - stiffness[i]) < 1e-14);
        free(margins);
        advance(world, i == 2 ? 600 : 3000);
        assert_true(i == 2 ? largest_offset(world) > 1 : largest_offset(world) < 0.1);
        tac_world_destroy(world);
        free(text);
    }
}

// --- the language -----------------------------------------------------------------------------------------

static const TacSceneMessage *find_message(const TacScene *scene, const char *piece) {
    for (size_t i = 0; i < tac_scene_message_count(scene); i++)
        if (strstr(tac_scene_message(scene, i)->error.message, piece)) return tac_scene_message(scene, i);
    return NULL;
}

static void comments_are_echoed(void **state) {
    (void)state;
    TacScene *scene;
    TacError error;
    assert_int_equal(parse(&scene,
                           "GRAVITY 9.8 Earth's gravity # not this\nDEFMASS m 1\nDEFMOB a 1 m AGLO f\n"
                           "POSIT a (0,0,0)\n# nor this\n",
                           &error),
                     TAC_OK);
    const TacSceneMessage *message = find_message(scene, "comment: Earth's gravity");
    assert_non_null(message);
    assert_false(message->is_error);
    assert_int_equal(message->error.line, 1);
    assert_int_equal(message->error.column, 13);
    message = find_message(scene, "did you mean AGGLO?");
    assert_non_null(message);
    assert_int_equal(message->error.line, 3);
    assert_null(find_message(scene, "nor this"));
    tac_scene_destroy(scene);
}

#define START "DEFMASS m 1\nDEFFI f 1 (-1,0) [1]\nDEFMOB a 3 m\nDEFFIX b 1\nHAND h 1\n"

#define SKIN "DEFSKIN s a m f .1\n"

static void errors_have_places_and_proposals(void **state) {
    (void)state;
    static const struct {
        const char *text;
        int line, column;
        const char *message;
    } cases[] = {
        {"DEFMAS m 1\n", 1, 1, "did you mean DEFMASS?"},
        {"GRAVITY down\n", 1, 9, "expected gravity"},
        {"DEFMASS m -1\n", 1, 11, "the mass (kg) is -1"},
        {"DEFMASS m 1\nDEFMASS m 2\n", 2, 9, "defined twice"},
        {"DEFMASS GRAVITY 1\n", 1, 9, "keyword GRAVITY"},
        {START "DEFMOB c 2 mm\n", 6, 12, "did you mean \"m\"?"},
        {START "DEFMOB c 2.5 m\n", 6, 10, "a whole number"},
        {START "DEFMOB c 1e9 m\n", 6, 10, "expected"},
        {START "DEFFI g 2 (-1,0) [1]\n", 6, 18, "expected a piece"},
        {START "DEFFI g 1 (-1,3) [1]\n", 6, 11, "the threshold of the first piece"},
        {START "LINKGRP a b ff\n", 6, 13, "did you mean \"f\"?"},
        {START "LINKGRP a a f\n", 6, 1, "AGGLO"},
        {START "LINKGRP b h f\n", 6, 1, "neither b nor h can move"},
        {START "POSIT a4 (0,0,0)\n", 6, 7, "ball 4 of a, which has 3"},
        {START "POSIT a (0,0,0)\nPOSIT b (0,0,0)\n", 7, 1, "3 balls and 1 places"},
        {START "POSIT b (0,0)\n", 6, 13, "expected a place"},
        {START "POSITAROUND a (0,0,0)\n", 7, 1, "expected half extents"},
        {START "SHAKE b (0,1,0) 2\n", 6, 1, "is not a hand"},
        {START "GESTURE h no-such-file.txt\n", 6, 11, "no-such-file.txt"},
        {START "LISTEN out a (0,1,0)\n", 6, 1, "which ball of a?"},
        {START "POSIT b (0,0,0)\nPOSIT h (0,0,0)\n", 3, 1, "a1 has no position"},
        {"RATE 0\n", 1, 6, "the rate"},
        {"DEFFI f 1 (-1,0) [", 1, 19, "the end of the file"},
        {"?\n", 1, 1, "expected a keyword"},
        {"\xef\xbb\xbf"
         "DEFMAS m 1\n",
         1, 1, "did you mean DEFMASS?"},
        {"DEFMASS m \x01\n", 1, 11, "none of text"},
        {START "DEFSTATE s on 1 0 begin\n", 6, 19, "expected a length, start, entered or kept"},
        {START "DEFSTATE s on 1 0 start\nWHEN s on off pull above 1\n", 7, 11, "it has on"},
        {START "DEFSTATE s on 1 0 start\nWHEN s on on pul above 1\n", 7, 14, "is not one of"},
        {START "LINKIF a b s\n", 6, 12, "no conditional law"},
        {START "BOW b (0,1,0) 1 1\n", 6, 1, "cannot move"},
        {START "DEFSKINS s a m f .1\n", 6, 1, "did you mean DEFSKIN?"},
        {START "DEFSKIN a a m f .1\n", 6, 9, "defined twice"},
        {START "DEFSKIN s aa m f .1\n", 6, 11, "did you mean \"a\"?"},
        {START "DEFSKIN s a m f 0\n", 6, 17, "the distance of the skin"},
        {START "DEFSKIN s a m f .1 [1.5]\n", 6, 20, "the tension of the skin"},
        {START "DEFSKIN s a m f .1 [\n", 7, 1, "expected the tension"},
        {START "DEFFI g 2 (-1,0) (1,.1) [.1]\nDEFSKIN s a m g .1\n", 7, 1, "one piece"},
        {START SKIN "POSIT s (0,0,0)\n", 7, 1, "follows from the balls of a"},
        {START SKIN "POSITAROUND s (0,0,0) [1,1,1]\n", 7, 1, "is a skin"},
        {START SKIN "POSITLINE s (0,0,0) (1,1,1)\n", 7, 1, "is a skin"},
        {START SKIN "SPEED s (0,0,0)\n", 7, 1, "is a skin"},
        {START SKIN "HOLD s\n", 7, 1, "is a skin"},
        {START SKIN "CHAIN s f\n", 7, 1, "is a skin"},
        {START SKIN "LISTEN out s (0,1,0)\n", 7, 1, "is a skin"},
        {START SKIN "LINKGRP s s f\n", 7, 1, "linked already"},
        {START SKIN "LINKGRP s2 b f\n", 7, 9, "no numbers"},
        {START SKIN "DEFSTATE c on 1 0 start\nLINKIF s b c\n", 8, 1, "[reach]"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        TacScene *scene;
        TacError error;
        if (parse(&scene, cases[i].text, &error) != TAC_BAD_INPUT) fail_msg("accepted: %s", cases[i].text);
        if (error.line != cases[i].line || error.column != cases[i].column ||
            !strstr(error.message, cases[i].message))
            fail_msg("%s\n%d:%d: %s", cases[i].text, error.line, error.column, error.message);
        tac_scene_destroy(scene);
    }
}

static void all_errors_of_a_file_are_shown(void **state) {
    (void)state;
    TacScene *scene;
    TacError error;
    assert_int_equal(parse(&scene, "GRAVITY x\nFOO\nRATE y\n", &error), TAC_BAD_INPUT);
    assert_int_equal(tac_scene_message_count(scene), 3);
    tac_scene_destroy(scene);
}

// What a model calls its groups and laws may be what we call our parts.
static void names_are_the_models(void **state) {
    (void)state;
    TacWorld *world =
        world_of("DEFMASS m 1\nCAMERA (0,0,1) (0,0,0)\nFRAMES 5\nVISCOSITY .1\nDEFFI balls 1 (-1,0) [.1]\n"
                 "DEFFI milieu 1 (-1,0) [.1]\nDEFFI net 1 (-1,0) [.1]\nDEFMOB camera 2 m AGGLO balls\n"
                 "DEFMOB record 2 m AGGLO milieu\nDEFMOB symplecticEuler 1 m\n"
                 "POSIT camera (0,0,0) (1,0,0)\nPOSIT record (0,0,0) (1,0,0)\n"
                 "POSIT symplecticEuler (3,0,0)\nDEFSKIN liaisons camera m net .5\n"
                 "LINKGRP camera record net\n",
                 1);
    advance(world, 0.01);
    assert_true(positions(world, "/symplecticEuler/balls")[0] == 3);
    assert_true(positions(world, "/camera/balls")[3] < 1 && positions(world, "/record/balls")[3] < 1);
    positions(world, "/liaisons/balls");
    tac_world_destroy(world);
}

// The rattle and five lines more: it is held by the sphere, and shaken.
static void rattle_can_be_held_and_shaken(void **state) {
    (void)state;
    char *text = rattle(9.8, 1, 0, 1000), *held;
    assert_true(asprintf(&held,
                         "%sDEFFI fi_hand 1 (-500,0) [0]\nVISCFI fi_hand 2\nHAND hand 1\nPOSIT hand (0,0,0)\n"
                         "LINKGRP hand sphere fi_hand\nSHAKE hand (.2,0,0) 2\n",
                         text) > 0);
    TacWorld *world = world_of(held, 1);
    advance(world, 3);
    double farthest = 0;
    for (int i = 0; i < 50; i++) {
        advance(world, 0.01);
        const double *hand = positions(world, "/hand/balls"), *sphere = positions(world, "/sphere/balls");
        double t = 3 + 0.01 * (i + 1);
        assert_true(fabs(hand[0] - 0.2 * sin(2 * 3.14159265358979 * 2 * t)) < 1e-9);
        assert_true(distance(hand, sphere) < 0.1);
        farthest = fmax(farthest, fabs(sphere[0]));
    }
    assert_true(farthest > 0.15);
    tac_world_destroy(world);
    free(held);
    free(text);
}

// A recorded gesture: the hand is where it was told to be, and feels the spring that it pulls.
static void gesture_is_played_and_felt(void **state) {
    (void)state;
    FILE *file = fopen("/tmp/tactus_gesture_test.txt", "w");
    assert_non_null(file);
    fputs("# up in half a second, and to the side\n0 0 0 0\n0.5 0 1 0\n1 2 1 0\n", file);
    fclose(file);
    TacWorld *world = world_of("DEFMASS m 1\nDEFFI f 1 (-3,0) [.5]\nDEFMOB a 1 m\nHAND h 1\nLINKGRP h a f\n"
                               "POSIT a (0,-.5,0)\nPOSIT h (0,0,0)\nGESTURE h /tmp/tactus_gesture_test.txt\n",
                               1);
    static const double expected[][3] = {{0, 0.5, 0}, {0, 1, 0}, {1, 1, 0}, {2, 1, 0}, {2, 1, 0}};
    for (int i = 0; i < 5; i++) {
        double ball[3], hand[3];
        advance(world, 0.25 - 0.001);
        memcpy(ball, positions(world, "/a/balls"), sizeof ball);
        memcpy(hand, positions(world, "/h/balls"), sizeof hand);
        // the kick at that instant is made from these places
        advance(world, 0.001);
        const double *felt = tac_world_forces(world, tac_world_find(world, "/h/balls"));
        double d = distance(ball, hand);
        for (int k = 0; k < 3; k++)
            assert_true(fabs(felt[k] - 3 * (d - 0.5) * (ball[k] - hand[k]) / d) < 1e-9);
        const double *now = positions(world, "/h/balls");
        for (int k = 0; k < 3; k++) assert_true(fabs(now[k] - expected[i][k]) < 1e-12);
    }
    tac_world_destroy(world);
    remove("/tmp/tactus_gesture_test.txt");
}

// A fuse holds until it is pulled too hard, and then for good.
static void conditional_link_breaks(void **state) {
    (void)state;
    TacWorld *world = world_of("DEFMASS m 1\nDEFMOB a 2 m\nDEFFIX top 1\nGRAVITY 1\nRATE 2000\n"
                               "DEFSTATE strong whole 100 1 start\nDEFSTATE strong broken 0 0 start\n"
                               "WHEN strong whole broken pull above 3\n"
                               "DEFSTATE weak whole 100 1 start\nDEFSTATE weak broken 0 0 start\n"
                               "WHEN weak whole broken pull above 1.5\n"
                               "POSIT top (0,0,0)\nPOSIT a (-.1,-1,0) (.1,-1,0)\n"
                               "LINKIF a1 top strong\nLINKIF a2 top weak\n",
                               1);
    advance(world, 1);
    const double *x = positions(world, "/a/balls");
    // let go, a mass pulls by up to twice its weight: the strong one holds 2 N, the weak one not
    assert_true(x[1] > -1.1 && x[4] < -1.3);
    tac_world_destroy(world);
}

// A model in a scene: its own agent at its own rate, its own gravity.
static void model_is_included(void **state) {
    (void)state;
    const char *text = "<tactus version='1' dt='0.01' gravity='0 -1 0'>"
                       "<include name='r' file='examples/cordis/rattle.ca'/></tactus>";
    TacScene *scene;
    TacWorld *world;
    TacError error;
    assert_int_equal(tac_scene_create(&scene, &error), TAC_OK);
    if (tac_scene_parse(scene, "here.tac", text, strlen(text), &error) != TAC_OK)
        fail_msg("%s", error.message);
    assert_non_null(find_message(scene, "whatever the world's is"));
    TacWorldDef def = tac_world_def_default();
    assert_int_equal(tac_world_create(&world, scene, &def, &error), TAC_OK);
    assert_int_equal(tac_world_stats(world).agents, 1);
    assert_true(tac_world_agent(world, 0).step == 1e-3);
    double before = positions(world, "/r/sphere/balls")[1];
    // it starts within the floor's sphere: it falls, by 9.8 and against the viscosity of 0.01 on 0.1 kg
    advance(world, 0.05);
    double fallen = before - positions(world, "/r/sphere/balls")[1];
    assert_true(fabs(fallen - 0.5 * 9.8 * 0.05 * 0.05) < 0.03 * fallen);
    tac_world_destroy(world);
    tac_scene_destroy(scene);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rattle_comes_to_the_one_rest),
        cmocka_unit_test(rattle_without_gravity_is_a_regular_tetrahedron),
        cmocka_unit_test(stiff_rattle_keeps_its_shape_on_the_floor),
        cmocka_unit_test(printed_text_is_read_as_it_stands),
        cmocka_unit_test(two_masses_swing),
        cmocka_unit_test(chain_is_damped_by_its_law),
        cmocka_unit_test(chain_is_stable_up_to_its_margin),
        cmocka_unit_test(comments_are_echoed),
        cmocka_unit_test(errors_have_places_and_proposals),
        cmocka_unit_test(all_errors_of_a_file_are_shown),
        cmocka_unit_test(names_are_the_models),
        cmocka_unit_test(rattle_can_be_held_and_shaken),
        cmocka_unit_test(gesture_is_played_and_felt),
        cmocka_unit_test(conditional_link_breaks),
        cmocka_unit_test(model_is_included),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
