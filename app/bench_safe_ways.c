// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// The second part of `tactus bench safe`: a soft cube squashed by six walls, and what choices that cost only are worth on
// it and on a shorter knot. Vague flight plans made the document's knot and compactor about 30 % faster; a run with
// plans of no width stands beside ours. Each choice must end in the same bits, and it is a failure if one does not.
//
// IPC's published code (Li and others, "Incremental Potential Contact", 2020), run on one thread of a machine of this
// kind, took 15 s for 0.01 s of the same compactor: 6,000 vertices at 10 kPa and 1 m/s.

#include "bench_safe.h"

#include <stdio.h>
#include <string.h>

static const double ipc_seconds = 15, compactor_time = 0.06; // s

enum { WALLS = 6 };

// --- the compactor ----------------------------------------------------------------------------------------

// A wall in front of each side of the cube, which moves inwards at 1 m/s.
static size_t put_wall(char *text, size_t size, int wall) {
    static const char *const turns[3] = {"0 0 90", "0 0 0", "90 0 0"};
    double place[3] = {0, 0, 0}, way[3] = {0, 0, 0};
    int axis = wall / 2;
    double side = wall % 2 ? 1 : -1;
    place[axis] = 0.252 * side;
    way[axis] = -0.06 * side;
    int n =
        snprintf(text, size,
                 "<node name='wall%d'><Sheet divisions='1' width='0.7' depth='0.7' rotation='%s' "
                 "translation='%g %g %g'/><Points/><ScriptedMotion times='0 0.06' offsets='0 0 0  %g %g %g'/>"
                 "<Skin group='1' mask='2'/></node>",
                 wall, turns[axis], place[0], place[1], place[2], way[0], way[1], way[2]);
    return n > 0 ? (size_t)n : 0;
}

static void compactor(char text[APP_SAFE_TEXT], int grid, const char *contact) {
    size_t n = (size_t)snprintf(text, APP_SAFE_TEXT,
                                "<tactus version='1' gravity='0 0 0' dt='0.005'><Contact method='safe' %s "
                                "thickness='0.002' friction='0.2' restitution='0'/>",
                                contact);
    for (int i = 0; i < WALLS; i++) n += put_wall(text + n, APP_SAFE_TEXT - n, i);
    snprintf(text + n, APP_SAFE_TEXT - n,
             "<node name='body'><ImplicitEuler damping_stiffness='0.002'/>"
             "<ConjugateGradient iterations='400' tolerance='1e-6'/><Grid counts='%d %d %d' low='-0.25 -0.25 "
             "-0.25' "
             "high='0.25 0.25 0.25' split='true'/><Points/><DiagonalMass density='1000'/>"
             "<Tetrahedra young='10000' poisson='0.3'/><Skin group='2' mask='1 2'/></node></tactus>",
             grid, grid, grid);
}

static void add_compactor(AppBench *bench, const AppSafeResult *r, double time) {
    AppBenchRow row = {.unit = "s per 0.01 s",
                       .less = true,
                       .ours = r->seconds * 0.01 / time,
                       .theirs = ipc_seconds,
                       .other = "IPC at 6,000, published",
                       .threads = (int)bench->options.threads};
    snprintf(row.scene, sizeof row.scene, "compactor, %s points", app_count(r->points).text);
    app_bench_add(bench, row);
}

// --- choices that cost only -------------------------------------------------------------------------------

typedef struct Way {
    const char *name, *contact;
} Way;

static const Way ways[] = {{"as it is", ""},
                           {"plans of no width", "vagueness='0'"},
                           {"plans bounded in velocity", "cone='true'"},
                           {"a front that is kept", "tree='front'"}};

static void put_way(const char *scene, const Way *way, const AppSafeResult *r, const AppSafeResult *plain) {
    printf("%-12s %-28s %12llu %12llu %12llu %10.3f %8.2f\n", scene, way->name,
           (unsigned long long)r->contact.looks, (unsigned long long)r->contact.plans,
           (unsigned long long)r->contact.certificates, r->seconds, r->seconds / plain->seconds);
}

// `results` has one for each way. The first is what the others are compared with.
static int run_ways(AppBench *bench, bool knot, int size, double time, AppSafeResult *results) {
    char text[APP_SAFE_TEXT];
    const char *scene = knot ? "knot" : "compactor";
    for (size_t i = 0; i < APP_COUNT(ways); i++) {
        if (knot)
            app_safe_knot(text, size, ways[i].contact);
        else
            compactor(text, size, ways[i].contact);
        int code = app_safe_run_best(text, time, (int)bench->options.threads, knot ? 1 : 3, &results[i]);
        if (code != APP_DONE) return code;
        put_way(scene, &ways[i], &results[i], &results[0]);
        if (results[i].hash == results[0].hash) continue;
        printf("%s, %s: another result\n", scene, ways[i].name);
        return APP_FAILED;
    }
    return APP_DONE;
}

static void add_gain(AppBench *bench, const char *scene, const AppSafeResult *results) {
    AppBenchRow row = {.unit = "s",
                       .less = true,
                       .ours = results[0].seconds,
                       .theirs = results[1].seconds,
                       .other = "plans of no width",
                       .threads = (int)bench->options.threads};
    snprintf(row.scene, sizeof row.scene, "%s, %s points, vague plans", scene,
             app_count(results[0].points).text);
    app_bench_add(bench, row);
    printf("%s: vague flight plans save %.0f %% of the time (the document: about 30 %%)\n", scene,
           100 * (1 - results[0].seconds / results[1].seconds));
}

int app_bench_safe_ways(AppBench *bench) {
    const AppBenchOptions *o = &bench->options;
    AppSafeResult knot[APP_COUNT(ways)], squashed[APP_COUNT(ways)];
    int grid = o->quick ? 8 : 18, cells = (int)(o->cells > 8 ? o->cells / 2 : o->cells);
    double pulled = o->time > 0.5 ? o->time / 10 : o->time;
    printf("%-12s %-28s %12s %12s %12s %10s %8s\n", "scene", "flight plans and trees", "looks", "plans",
           "certificates", "time, s", "times");
    int code = run_ways(bench, false, grid, compactor_time, squashed);
    if (code == APP_DONE) code = run_ways(bench, true, cells, pulled, knot);
    if (code != APP_DONE) return code;
    add_compactor(bench, &squashed[0], compactor_time);
    add_gain(bench, "compactor", squashed);
    add_gain(bench, "reef knot", knot);
    return APP_DONE;
}
