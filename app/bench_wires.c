// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// `tactus bench wires`: the swinging box of the document's figure 4, with adaptive resolution at 1/60 s, beside
// the way that needs none: full resolution at a twentieth of the step. Then a hundred loaded wires at once, beside MuJoCo's
// chains where that is there, and what choosing levels costs of a step.

#include "bench.h"
#include "common.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { FRAMES = 480, ROUNDS = 7, QUICK_ROUNDS = 2, MANY = 100 };

typedef struct Way {
    const char *name;
    int lowest, finest;
    double step; // s; 0: 1/60
} Way;

static const Way ways[] = {
    {"full resolution, 1/1200 s", 5, 5, 1.0 / 1200},
    {"adaptive, 1/60 s", 0, 5, 0},
    {"full resolution, 1/60 s", 5, 5, 0},
    {"coarsest, 1/60 s", 0, 0, 0},
};

enum { REFERENCE, OURS };

typedef struct Outcome {
    double seconds; // of the fastest round
    double load[FRAMES][2], middle[FRAMES][2];
} Outcome;

static int make_world(TacWorld **world, const char *text) {
    TacScene *scene = NULL;
    TacError error = {0};
    TacWorldDef def = tac_world_def_default();
    TacStatus status = tac_scene_create(&scene, &error);
    if (status == TAC_OK) status = tac_scene_parse(scene, "wires", text, strlen(text), &error);
    if (status == TAC_OK) status = tac_world_create(world, scene, &def, &error);
    tac_scene_destroy(scene);
    return status == TAC_OK ? 0 : app_report(&error);
}

static int run_once(const char *text, Outcome *out, double *seconds) {
    TacWorld *world = NULL;
    TacError error = {0};
    int code = make_world(&world, text);
    TacComponentId box = code ? (TacComponentId){0, 0} : tac_world_find(world, "/n/box/frames");
    TacComponentId wire = code ? (TacComponentId){0, 0} : tac_world_find(world, "/n/wire/points");
    *seconds = 0;
    for (int i = 0; code == 0 && i < FRAMES; i++) {
        double start = app_bench_seconds(1);
        if (tac_world_advance_beats(world, 1, &error) != TAC_OK) code = app_report(&error);
        *seconds += app_bench_seconds(1) - start;
        if (code != 0) break;
        const double *x = tac_world_positions(world, box), *p = tac_world_positions(world, wire) + 3 * 16;
        for (int k = 0; k < 2; k++) {
            out->load[i][k] = x[k];
            out->middle[i][k] = p[k];
        }
    }
    tac_world_destroy(world);
    return code;
}

// The fastest of several rounds, because others use the machine too.
static int swing(const Way *way, int rounds, Outcome *out) {
    char text[1200];
    snprintf(text, sizeof text,
             "<tactus version='1' dt='%.17g' gravity='0 -9.8 0'><node name='n'><Spook step='%.17g'/><node "
             "name='box'><Frames "
             "positions='0 -10 0 0 0 0 1' velocities='14 0 0 0 0 0'/><UniformMass mass='100' box='0.6 0.6 "
             "0.6'/></node><node name='wire'><Line divisions='32' to='0 -10 0'/><Points/><Wire mass='1' "
             "end='@../box/frames' lowest='%d' finest='%d'/><FixedPoints points='0'/></node></node></tactus>",
             1.0 / 60, way->step, way->lowest, way->finest);
    int code = 0;
    for (int r = 0; code == 0 && r < rounds; r++) {
        double seconds;
        code = run_once(text, out, &seconds);
        if (r == 0 || seconds < out->seconds) out->seconds = seconds;
    }
    return code;
}

static double farthest(const double (*a)[2], const double (*b)[2]) {
    double most = 0;
    for (int i = 0; i < FRAMES; i++) most = fmax(most, hypot(a[i][0] - b[i][0], a[i][1] - b[i][1]));
    return most;
}

// A hundred wires of 33 masses with loads of 1 kg, each an agent.
static int make_many(TacWorld **world, const char *levels) {
    enum { EACH = 800 };
    char *text = malloc(MANY * EACH + 200);
    if (!text) return 1;
    size_t n = (size_t)snprintf(text, 200, "<tactus version='1' dt='%.17g'>", 1.0 / 60);
    for (int i = 0; i < MANY; i++)
        n += (size_t)snprintf(
            text + n, EACH,
            "<node name='n%d'><Spook/><node name='box'><Frames positions='%d -10 0 0 0 0 1' velocities='3 "
            "0 1 0 0 0'/><UniformMass mass='1' box='0.5 0.5 0.5'/></node><node name='wire'><Line "
            "divisions='32' from='%d 0 0' to='%d -10 0'/><Points/><Wire mass='1' "
            "end='@../box/frames' %s/><FixedPoints points='0'/></node></node>",
            i, 20 * i, 20 * i, 20 * i, levels);
    snprintf(text + n, 100, "</tactus>");
    int code = make_world(world, text);
    free(text);
    return code;
}

typedef struct Many {
    double speed;    // simulated over computing time, on one core
    double choosing; // part of a step that choosing levels takes
} Many;

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// All at their finest level, which accuracy alone takes of six: so everything that choosing takes is done.
// Of the agents' shares of time the middle one counts, because others use the machine too.
static int many_wires(Many *many) {
    enum { TURNS = 40, BEATS = 30 };
    TacWorld *world = NULL;
    TacError error = {0};
    double least = INFINITY, shares[MANY] = {0};
    int code = make_many(&world, "lowest='0' level='5' weight_robustness='0' weight_time='0'");
    for (int i = 0; code == 0 && i < TURNS; i++) {
        clock_t start = clock();
        if (tac_world_advance_beats(world, BEATS, &error) != TAC_OK) code = app_report(&error);
        least = fmin(least, (double)(clock() - start) / CLOCKS_PER_SEC);
    }
    for (size_t i = 0; code == 0 && i < MANY; i++) {
        TacAgentInfo agent = tac_world_agent(world, i);
        shares[i] = agent.settling / (agent.seconds + agent.settling);
    }
    tac_world_destroy(world);
    many->speed = BEATS / 60.0 / least;
    qsort(shares, MANY, sizeof *shares, by_size);
    many->choosing = shares[MANY / 2];
    return code;
}

int app_bench_wires(AppBench *bench) {
    static const size_t count = sizeof ways / sizeof *ways;
    Outcome *outcomes = calloc(count, sizeof *outcomes);
    if (!outcomes) return 1;
    int code = 0;
    printf("A box of 100 kg swings on a wire of 1 kg and 10 m for 8 s.\n");
    printf("%-28s %12s %14s %16s\n", "way", "ms for 8 s", "load off, m", "middle off, m");
    for (size_t i = 0; code == 0 && i < count; i++) {
        code = swing(&ways[i], bench->options.quick ? QUICK_ROUNDS : ROUNDS, &outcomes[i]);
        if (code != 0) break;
        printf("%-28s %12.3f", ways[i].name, 1e3 * outcomes[i].seconds);
        if (i == REFERENCE)
            printf(" %14s %16s\n", "reference", "reference");
        else
            printf(
                " %14.3g %16.3g\n",
                farthest((const double(*)[2])outcomes[i].load, (const double(*)[2])outcomes[REFERENCE].load),
                farthest((const double(*)[2])outcomes[i].middle,
                         (const double(*)[2])outcomes[REFERENCE].middle));
        fflush(stdout);
    }
    Many many = {0, 0};
    if (code == 0) code = many_wires(&many);
    if (code == 0) {
        printf("choosing levels takes %.2f %% of a step\n", 100 * many.choosing);
        app_bench_add(bench, (AppBenchRow){.scene = "100 kg on a wire of 1 kg, 8 s",
                                           .unit = "ms",
                                           .less = true,
                                           .ours = 1e3 * outcomes[OURS].seconds,
                                           .theirs = 1e3 * outcomes[REFERENCE].seconds,
                                           .other = "ours, full resolution",
                                           .threads = 1});
        AppBenchRow row = {.unit = "times real time", .ours = many.speed, .threads = 1};
        snprintf(row.scene, sizeof row.scene, "%d wires of 33 masses with loads", MANY);
        if (app_bench_run_peer("wires_mujoco", "libmujoco-dev and a C++ compiler", &row.theirs, 1) == 0)
            snprintf(row.other, sizeof row.other, "MuJoCo");
        app_bench_add(bench, row);
        code = app_bench_close(bench, outcomes[REFERENCE].seconds / outcomes[OURS].seconds, "measured");
    }
    free(outcomes);
    return code;
}
