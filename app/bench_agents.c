// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// tactus bench agents: how far agents drift apart in time under the loose scheduler ("Asynchronous Interactive Physical
// Simulation", section 6.1): ten spheres on a plane at 1 ms with priorities by lot, on the virtual clock. The document
// saw 8.5 ms on average and 16 ms at most.

#include "bench.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SPHERES = 10, SAMPLES = 10000, QUICK_SAMPLES = 2000, BINS = 10 };

static TacWorld *make_world(const char *attributes, const char *of_first, int *code) {
    char text[16384];
    size_t n = (size_t)snprintf(
        text, sizeof text,
        "<tactus version='1' dt='0.001' %s><ContactMaterial name='m' restitution='0.5'/><node "
        "name='ground'><Frames/><Shape shape='half_space' material='@/m'/></node>",
        attributes);
    for (int i = 0; i < SPHERES; i++)
        n += (size_t)snprintf(
            text + n, sizeof text - n,
            "<node name='s%d'><SymplecticEuler/>%s<Frames translation='%g %g %g'/><UniformMass "
            "inertia='4e-3 4e-3 4e-3'/><Shape shape='sphere' radius='0.1' material='@/m'/></node>",
            i, i == 0 ? of_first : "<Agent cost='2e-5'/>", 0.25 * (i % 4), 0.3 + 0.11 * i, 0.25 * (i / 4));
    n += (size_t)snprintf(text + n, sizeof text - n, "</tactus>");
    TacScene *scene = NULL;
    TacWorld *world = NULL;
    TacError error;
    TacWorldDef def = tac_world_def_default();
    TacStatus status = tac_scene_create(&scene, &error);
    if (status == TAC_OK) status = tac_scene_parse(scene, "spheres.tac", text, n, &error);
    if (status == TAC_OK) status = tac_world_create(&world, scene, &def, &error);
    tac_scene_destroy(scene);
    *code = status == TAC_OK ? 0 : app_report(&error);
    return world;
}

// What was seen over some time.
typedef struct Delays {
    double mean, most; // ms
    double bins[BINS]; // parts of all samples, 1 ms each; the last one holds what is beyond
    double spread;     // of 1-second mean priorities at the end
} Delays;

static int sample(TacWorld *world, int samples, Delays *d) {
    double means[SPHERES] = {0}, turns = 0;
    TacError error;
    *d = (Delays){0};
    for (int i = 0; i < samples; i++) {
        if (tac_world_advance_beats(world, 1, &error) != TAC_OK) return app_report(&error);
        // every turn counts for mean and largest; a beat's mean is one sample of the distribution
        TacDelay delay = tac_world_delay(world);
        turns += (double)delay.turns;
        d->mean += 1e3 * delay.mean * (double)delay.turns;
        d->most = fmax(d->most, 1e3 * delay.most);
        int bin = (int)(1e3 * delay.mean);
        d->bins[bin < BINS ? bin : BINS - 1] += 1.0 / samples;
        for (size_t k = 0; k < SPHERES && i >= samples - 1000; k++)
            means[k] += 1e-3 * tac_world_agent(world, k).priority;
    }
    d->mean /= turns;
    double low = INFINITY, high = -INFINITY;
    for (int k = 0; k < SPHERES; k++) {
        low = fmin(low, means[k]);
        high = fmax(high, means[k]);
    }
    d->spread = high - low;
    return 0;
}

static void put_bins(const Delays *d, int samples) {
    printf("delay between the fastest and the slowest, means of %d beats\n", samples);
    for (int i = 0; i < BINS; i++) {
        printf("%4d ms  %5.1f %%  ", i, 100 * d->bins[i]);
        for (int k = 0; k < (int)(60 * d->bins[i] + 0.5); k++) putchar('#');
        putchar('\n');
    }
}

static void add_delay(AppBench *bench, const char *scene, double ours, double theirs) {
    AppBenchRow row = {.unit = "ms", .less = true, .ours = ours, .theirs = theirs, .threads = 1};
    snprintf(row.scene, sizeof row.scene, "%s", scene);
    if (theirs > 0) snprintf(row.other, sizeof row.other, "document, published");
    app_bench_add(bench, row);
}

int app_bench_agents(AppBench *bench) {
    int code, samples = bench->options.quick ? QUICK_SAMPLES : SAMPLES;
    Delays equal, slow;
    TacWorld *world = make_world("scheduler='loose'", "<Agent cost='2e-5'/>", &code);
    if (code == 0) code = sample(world, samples, &equal);
    double loose = code == 0 ? tac_world_energy(world).total : 0;
    tac_world_destroy(world);
    if (code != 0) return code;
    world = make_world("scheduler='causal'", "<Agent cost='2e-5'/>", &code);
    TacError error;
    if (code == 0 && tac_world_advance_beats(world, samples, &error) != TAC_OK) code = app_report(&error);
    double causal = code == 0 ? tac_world_energy(world).total : 0;
    tac_world_destroy(world);
    if (code != 0) return code;
    world = make_world("scheduler='loose'", "<Agent cost='1e-3'/>", &code);
    if (code == 0 && tac_world_advance(world, 2, &error) != TAC_OK) code = app_report(&error);
    if (code == 0) tac_world_delay(world);
    if (code == 0) code = sample(world, samples / 2, &slow);
    tac_world_destroy(world);
    if (code != 0) return code;
    put_bins(&equal, samples);
    printf("spread of 1-second mean priorities: %.2f\n", equal.spread);
    printf("energy after %g s, loose over causal: %.4f\n", 1e-3 * samples, loose / causal);
    add_delay(bench, "mean delay of ten spheres", equal.mean, 8.5);
    add_delay(bench, "largest delay", equal.most, 16);
    add_delay(bench, "largest, one agent 50 times as dear", slow.most, 0);
    return app_bench_close(bench, 8.5 / equal.mean, "published");
}
