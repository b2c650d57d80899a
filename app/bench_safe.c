// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// tactus bench safe: a reef knot pulled tight under safe contact, and the same without contact.
//
// In the document on safe contact, elastic forces and gravity took 4.8 % of the time of its reef knot, so contact
// made the run about 20 times slower. The closing ratio is 20 over our factor.

#include "bench.h"
#include "commands.h"

#include <stdio.h>
#include <string.h>

static const double their_factor = 20;

#define RIBBON(side, low, high, pull)                                                                        \
    "<node name='" side "'><SymplecticEuler step='%g'/>"                                                     \
    "<Ribbon curve='reef_knot_" side "' across='%d' width='0.04' length='0.15'/><Points/>"                   \
    "<UniformMass total='0.05'/><Springs stiffness='1000' damping='%g'/><ShellBending stiffness='1e-6'/>"    \
    "<ConstantForce box='" low " -1 -1 " high " 1 1' total='" pull " 0 0'/><Skin/></node>"

static const char scene_text[] =
    "<tactus version='1' gravity='0 0 0'><Contact method='%s' thickness='0.001' friction='0.2' "
    "restitution='0'/>" RIBBON("left", "-10", "-0.2", "-0.5") RIBBON("right", "0.2", "10", "0.5") "</tactus>";

typedef struct Result {
    size_t points;
    double seconds;
    TacWorldStats world;
    TacContactStats contact;
} Result;

static int run_knot(const AppBenchOptions *o, const char *method, Result *result) {
    char text[4096];
    int n = (int)o->cells;
    double step = 1.8e-4 / n, damping = 0.12 / n;
    snprintf(text, sizeof text, scene_text, method, step, n, damping, step, n, damping);
    TacScene *scene = NULL;
    TacWorld *world = NULL;
    TacError error = {0};
    TacWorldDef def = tac_world_def_default();
    def.threads = (int)o->threads;
    TacStatus status = tac_scene_create(&scene, &error);
    if (status == TAC_OK) status = tac_scene_parse(scene, "knot", text, strlen(text), &error);
    if (status == TAC_OK) status = tac_world_create(&world, scene, &def, &error);
    double start = app_seconds();
    if (status == TAC_OK) status = tac_world_advance(world, o->time, &error);
    if (status == TAC_OK)
        *result = (Result){.points = tac_world_stats(world).points,
                           .seconds = app_seconds() - start,
                           .world = tac_world_stats(world),
                           .contact = tac_world_contact_stats(world)};
    int code = status == TAC_OK ? 0 : app_report(&error);
    tac_world_destroy(world);
    tac_scene_destroy(scene);
    return code;
}

static void put_row(const char *what, unsigned long long events, double seconds, double all) {
    printf("%-34s %14llu %10.3f %7.1f %%\n", what, events, seconds, 100 * seconds / all);
}

int app_bench_safe(AppBench *bench) {
    const AppBenchOptions *o = &bench->options;
    Result with, without;
    int code = run_knot(o, "safe", &with);
    if (code == 0) code = run_knot(o, "none", &without);
    if (code != 0) return code;
    const TacContactStats *c = &with.contact;
    double contact = c->kicking + c->planning + c->certifying + c->boxing;
    printf("reef knot: %zu points, %g s of pulling, %lld thread%s\n", with.points, o->time,
           (long long)o->threads, o->threads == 1 ? "" : "s");
    printf("%-34s %14s %10s %9s\n", "what", "events", "wall, s", "share");
    put_row("elastic and gravity", with.world.agent_kicks + with.world.law_kicks, without.seconds,
            with.seconds);
    put_row("layers", c->looks, c->kicking, with.seconds);
    put_row("certificates", c->certificates, c->certifying, with.seconds);
    put_row("boxes and lists of pairs", c->queries, c->boxing, with.seconds);
    put_row("flight plans", c->plans, c->planning, with.seconds);
    put_row("queues and the rest", with.world.instants, with.seconds - contact - without.seconds,
            with.seconds);
    put_row("all", c->kicks, with.seconds, with.seconds);
    double factor = with.seconds / without.seconds;
    printf("without contact %.3f s: contact makes it %.2f times slower (the document: %g)\n", without.seconds,
           factor, their_factor);
    AppBenchRow row = {.unit = "times slower by contact",
                       .less = true,
                       .ours = factor,
                       .theirs = their_factor,
                       .other = "document, published",
                       .threads = (int)o->threads};
    snprintf(row.scene, sizeof row.scene, "reef knot, %s points", app_count(with.points).text);
    app_bench_add(bench, row);
    return app_bench_close(bench, their_factor / factor, "published");
}
