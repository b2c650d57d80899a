// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// tactus bench safe: a reef knot pulled tight under safe contact, and the same without contact; before it bench_safe_ways.c and
// bench_safe_growth.c.
//
// In the document on safe contact, elastic forces and gravity took 4.8 % of the time of its reef knot, so contact
// made the run about 20 times slower. The closing ratio is 20 over our factor. The table has the rows of its profile, of one run
// and of the time that it took: what no row measured is the last one, as there.

#include "bench_safe.h"

#include <stdio.h>
#include <string.h>

static const double their_factor = 20;

#define RIBBON(side, low, high, pull)                                                                        \
    "<node name='" side "'><SymplecticEuler step='%.17g'/>"                                                  \
    "<Ribbon curve='reef_knot_" side "' across='%d' width='0.04' length='0.18'/><Points/>"                   \
    "<UniformMass total='0.05'/><Springs stiffness='1000' damping='%g'/><ShellBending stiffness='1e-6'/>"    \
    "<ConstantForce box='" low " -1 -1 " high " 1 1' total='" pull " 0 0'/><Skin/></node>"

static const char scene_text[] =
    "<tactus version='1' gravity='0 0 0' dt='%.17g'><Contact %s thickness='0.001' friction='0.2' "
    "restitution='0'/>" RIBBON("left", "-10", "-0.2", "-0.5") RIBBON("right", "0.2", "10", "0.5") "</tactus>";

void app_safe_knot(char text[APP_SAFE_TEXT], int cells, const char *contact) {
    double step = 1.8e-4 / cells, damping = 0.12 / cells;
    snprintf(text, APP_SAFE_TEXT, scene_text, 512 * step, contact, step, cells, damping, step, cells,
             damping);
}

static double kick_seconds(const TacWorld *world) {
    TacWorldStats stats = tac_world_stats(world);
    double seconds = 0;
    for (size_t i = 0; i < stats.agents + stats.free_laws; i++) seconds += tac_world_agent(world, i).seconds;
    return seconds;
}

int app_safe_run(const char *text, double time, int threads, AppSafeResult *result) {
    TacScene *scene = NULL;
    TacWorld *world = NULL;
    TacError error = {0};
    TacWorldDef def = tac_world_def_default();
    def.threads = threads;
    TacStatus status = tac_scene_create(&scene, &error);
    if (status == TAC_OK) status = tac_scene_parse(scene, "bench", text, strlen(text), &error);
    if (status == TAC_OK) status = tac_world_create(&world, scene, &def, &error);
    TacContactStats before = {0};
    if (status == TAC_OK) before = tac_world_contact_stats(world);
    double start = app_bench_seconds(threads), started = app_seconds();
    if (status == TAC_OK) status = tac_world_advance(world, time, &error);
    if (status == TAC_OK)
        *result = (AppSafeResult){.points = tac_world_stats(world).points,
                                  .seconds = app_bench_seconds(threads) - start,
                                  .wall = app_seconds() - started,
                                  .kicks = kick_seconds(world),
                                  .world = tac_world_stats(world),
                                  .start = before,
                                  .contact = tac_world_contact_stats(world),
                                  .hash = tac_world_hash(world)};
    int code = status == TAC_OK ? APP_DONE : app_report(&error);
    tac_world_destroy(world);
    tac_scene_destroy(scene);
    return code;
}

int app_safe_run_best(const char *text, double time, int threads, int tries, AppSafeResult *best) {
    for (int i = 0; i < tries; i++) {
        AppSafeResult result;
        int code = app_safe_run(text, time, threads, &result);
        if (code != APP_DONE) return code;
        if (i == 0 || result.seconds < best->seconds) *best = result;
    }
    return APP_DONE;
}

static int run_knot(const AppBenchOptions *o, const char *contact, AppSafeResult *result) {
    char text[APP_SAFE_TEXT];
    app_safe_knot(text, (int)o->cells, contact);
    return app_safe_run(text, o->time, (int)o->threads, result);
}

typedef struct Row {
    const char *name;
    uint64_t events;
    double seconds;
    double theirs; // percent, below 0: the document does not say
} Row;

static void put_row(const Row *row, double all) {
    printf("%-34s %14llu %10.3f %7.1f %%", row->name, (unsigned long long)row->events, row->seconds,
           100 * row->seconds / all);
    if (row->theirs >= 0)
        printf(" %9.3g %%\n", row->theirs);
    else
        puts("");
}

// From when time began until it ended.
#define SPENT(field) (r->contact.field - r->start.field)

static void put_profile(const AppSafeResult *r) {
    Row rows[] = {
        {"elastic and gravity", r->world.agent_kicks + r->world.law_kicks, r->kicks, 4.8},
        {"penalty", SPENT(looks), SPENT(kicking), 0.09},
        {"slabs, process", SPENT(certificates_processed), SPENT(certificates_processing), 0.9},
        {"slabs, reschedule", SPENT(certificates_rescheduled), SPENT(certificates_rescheduling), 1.0},
        {"lists, process", SPENT(lists_processed), SPENT(lists_processing), 5.2},
        {"lists, reschedule", SPENT(lists_rescheduled), SPENT(lists_rescheduling), 23.0},
    };
    Row rest = {"plan checks and queue", SPENT(checks) + SPENT(plans), r->wall, 100};
    Row all = {"all", rest.events, r->wall, 100};
    printf("%-34s %14s %10s %9s %11s\n", "what", "events", "wall, s", "share", "document");
    for (size_t i = 0; i < APP_COUNT(rows); i++) {
        put_row(&rows[i], r->wall);
        rest.seconds -= rows[i].seconds;
        rest.theirs -= rows[i].theirs;
        all.events += rows[i].events;
    }
    Row parts[] = {{"  plans checked", SPENT(checks), SPENT(checking), -1},
                   {"  plans made", SPENT(plans), SPENT(planning), -1},
                   {"  flying, clocks and the rest", r->world.instants, rest.seconds, -1}};
    parts[2].seconds -= parts[0].seconds + parts[1].seconds;
    put_row(&rest, r->wall);
    for (size_t i = 0; i < APP_COUNT(parts); i++) put_row(&parts[i], r->wall);
    put_row(&all, r->wall);
}

int app_bench_safe(AppBench *bench) {
    const AppBenchOptions *o = &bench->options;
    AppSafeResult with, without;
    // the short runs first, in memory that no long one has left in pieces
    int code = app_bench_safe_ways(bench);
    if (code == APP_DONE) code = app_bench_safe_growth(bench);
    if (code == APP_DONE) code = run_knot(o, "method='safe'", &with);
    if (code == 0) code = run_knot(o, "method='none'", &without);
    if (code != 0) return code;
    printf("reef knot: %zu points, %g s of pulling, %lld thread%s\n", with.points, o->time,
           (long long)o->threads, o->threads == 1 ? "" : "s");
    put_profile(&with);
    double factor = with.seconds / without.seconds;
    printf("without contact %.3f s: contact makes it %.2f times slower (the document: %g)\n", without.seconds,
           factor, their_factor);
    AppBenchRow row = {.unit = "times slower by contact",
                       .less = true,
                       .ours = factor,
                       .theirs = their_factor,
                       .other = "document, published",
                       .threads = (int)o->threads};
    snprintf(row.scene, sizeof row.scene, "reef knot, %s points, %g s", app_count(with.points).text, o->time);
    app_bench_add(bench, row);
    return app_bench_close(bench, their_factor / factor, "published");
}
