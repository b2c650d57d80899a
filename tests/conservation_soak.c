// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// `conservation_soak SEED`: what must hold over long runs of safe contact. 900 balls in a box for ten seconds: with a
// restitution of 1 their energy stays within one percent and does not drift, with less it decays smoothly; which one
// depends on the seed. And an elastic sheet for ten million kicks, without drift and on the same clocks throughout.

#include "base/random.h"
#include "tactus/tactus.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char text[1 << 17];
static size_t at;

#define SAY(...) (at += (size_t)snprintf(text + at, sizeof text - at, __VA_ARGS__))

static TacWorld *make(void) {
    TacScene *scene;
    TacError error = {0};
    TacWorld *world = NULL;
    TacWorldDef def = tac_world_def_default();
    if (tac_scene_create(&scene, &error) != TAC_OK ||
        tac_scene_parse(scene, "soak.tac", text, at, &error) != TAC_OK ||
        tac_world_create(&world, scene, &def, &error) != TAC_OK)
        fprintf(stderr, "%s\n", error.message);
    tac_scene_destroy(scene);
    return world;
}

static bool advance(TacWorld *world, double seconds) {
    TacError error = {0};
    if (tac_world_advance(world, seconds, &error) == TAC_OK) return true;
    fprintf(stderr, "%s\n", error.message);
    return false;
}

// --- balls ------------------------------------------------------------------------------------------------

static void write_balls(uint64_t seed, double e) {
    TacRandom random = tac_random(seed, 0);
    at = 0;
    SAY("<tactus version='1' gravity='0 0 0'><Contact friction='0' restitution='%g' thickness='0.01' "
        "speed='1'/>"
        "<node name='box'><Box low='-0.5 -0.5 -0.5' high='0.5 0.5 0.5'/><Points/><Skin/></node>"
        "<node name='balls'><Points positions='",
        e);
    for (int i = 0; i < 900; i++)
        SAY("%g %g %g ", -0.45 + 0.1 * (i / 90), -0.44 + 0.11 * (i / 10 % 9), -0.45 + 0.1 * (i % 10));
    SAY("' velocities='");
    for (int i = 0; i < 2700; i++) SAY("%g ", tac_random_between(&random, -1, 1));
    SAY("'/><UniformMass mass='0.01'/><Balls radius='0.02'/></node></tactus>");
}

static bool balls_hold(TacWorld *world, double e) {
    double start = tac_world_energy(world).total, before = start, early = 0, late = 0;
    const int readings = 200;
    for (int i = 0; i < readings; i++) {
        if (!advance(world, 0.05)) return false;
        double now = tac_world_energy(world).total;
        if (e == 1 && !(fabs(now / start - 1) < 0.01)) {
            fprintf(stderr, "e = 1: %g of the energy after %g s\n", now / start, tac_world_time(world));
            return false;
        }
        // smoothly: never up, and no more at once than when all of them are fast
        if (e < 1 && !(now < before * 1.002 && now > before * (1 - 0.3 * (1 - e * e)))) {
            fprintf(stderr, "e = %g: from %g J to %g J within 50 ms\n", e, before, now);
            return false;
        }
        before = now;
        if (i < readings / 4) early += now;
        if (i >= readings - readings / 4) late += now;
    }
    printf("e = %g: %g of the energy after %g s\n", e, before / start, tac_world_time(world));
    if (e == 1 && !(fabs(late / early - 1) < 2e-3)) fprintf(stderr, "drift of %g\n", late / early - 1);
    return e == 1 ? fabs(late / early - 1) < 2e-3 : before < 0.7 * start;
}

// --- elastic ----------------------------------------------------------------------------------------------

static bool elastic_holds(TacWorld *world) {
    enum { PARTS = 64 };
    double steps[PARTS], start = tac_world_energy(world).total, early = 0, late = 0;
    TacWorldStats stats = tac_world_stats(world);
    size_t n = stats.agents + stats.free_laws < PARTS ? stats.agents + stats.free_laws : PARTS;
    for (size_t i = 0; i < n; i++) steps[i] = tac_world_agent(world, i).step;
    const int readings = 400;
    for (int i = 0; i < readings; i++) {
        if (!advance(world, 0.2)) return false;
        double now = tac_world_energy(world).total / start;
        if (i < readings / 4) early += now * 4 / readings;
        if (i >= readings - readings / 4) late += now * 4 / readings;
    }
    for (size_t i = 0; i < n; i++)
        if (tac_world_agent(world, i).step != steps[i])
            return fprintf(stderr, "a clock has changed\n"), false;
    double kicks = 0;
    for (size_t i = 0; i < n; i++)
        kicks += 208 * (double)tac_world_agent(world, i).kicks; // edges of the sheet
    printf("elastic: %zu clocks, %g kicks of springs, energy from %g to %g of the first\n", n, kicks, early,
           late);
    return kicks > 1e7 && fabs(late - early) < 2e-3 && fabs(late - 1) < 0.01;
}

static void write_sheet(uint64_t seed) {
    TacRandom random = tac_random(seed, 1);
    at = 0;
    SAY("<tactus version='1' gravity='0 0 0'><Contact method='safe'/><node name='sheet'>"
        "<Sheet divisions='8' width='0.4' depth='0.4'/><Points velocities='");
    for (int i = 0; i < 3 * 81; i++) SAY("%g ", tac_random_between(&random, -0.02, 0.02));
    SAY("'/><UniformMass mass='0.01'/><Springs stiffness='40'/></node></tactus>");
}

int main(int argc, char **argv) {
    uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
    static const double restitutions[] = {1, 0.8, 0.6, 0.4, 0.2};
    double e = restitutions[(seed - 1) % 5];
    write_balls(seed, e);
    TacWorld *world = make();
    bool good = world && balls_hold(world, e);
    tac_world_destroy(world);
    write_sheet(seed);
    world = make();
    good = world && elastic_holds(world) && good;
    tac_world_destroy(world);
    return good ? 0 : 1;
}
