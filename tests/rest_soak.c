// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Sleep against certificates: `rest_soak SEED` lets piles of random things come to rest under safe contact, most of them asleep
// or on longer steps, and then does to them whatever can be done: hands that pull sleepers, pins, a sphere, velocities and
// places that are set, values that change, a ram that comes at them, joints that tie sleepers and let go. What must
// hold: no intersection, by the audit; nobody hangs in the air; energy and momentum accounted for; the same bits on
// two threads, without the audit, and after a resume in the middle of it.

#define _GNU_SOURCE
#include "base/random.h"
#include "tactus/tactus.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { PILES = 2, THINGS = 5, SETTLING = 60, MEDDLING = 90, TEXT = 16000 };

typedef struct Pile {
    TacRandom random;
    uint64_t meddling; // seed of what is done to it
    char text[TEXT];
    size_t length, things;
    bool spook[THINGS]; // a box under Spook
} Pile;

static double between(TacRandom *random, double low, double high) {
    return low + (high - low) * tac_random_unit(random);
}

static size_t below(TacRandom *random, size_t n) {
    return (size_t)(tac_random_bits(random) % n);
}

__attribute__((format(printf, 2, 3))) static void put(Pile *p, const char *format, ...) {
    va_list args;
    va_start(args, format);
    p->length += (size_t)vsnprintf(p->text + p->length, sizeof p->text - p->length, format, args);
    va_end(args);
    if (p->length >= sizeof p->text) abort();
}

// --- piles --------------------------------------------------------------------------------------------------------

static void put_agent(Pile *p) {
    static const char *const longest[] = {"1", "4", "8"};
    if (below(&p->random, 5) == 0) return;
    put(p, "<Agent adaptive='true' rest='%s' still='%g' patience='0.03' longest='%s'/>",
        below(&p->random, 6) ? "true" : "false", between(&p->random, 0.01, 0.3),
        longest[below(&p->random, 3)]);
}

static void put_box(Pile *p, double x, double y) {
    static const char *const solvers[] = {"<Spook name='solver' step='0.005'/>", "<Spook name='solver'/>",
                                          "<SymplecticEuler name='solver' step='0.0025'/>"};
    size_t solver = below(&p->random, 3);
    p->spook[p->things] = solver < 2;
    put(p, "%s", solvers[solver]);
    put_agent(p);
    put(p,
        "<Frames name='matter' positions='%g %g %g 0 0 0 1'/><UniformMass mass='%g' box='0.2 0.1 0.2'/><node "
        "name='s'><Box low='-0.1 -0.05 -0.1' high='0.1 0.05 0.1'/><Points/><RigidMap/><Skin "
        "name='model'/></node>",
        x, y + 0.05, between(&p->random, -0.02, 0.02), between(&p->random, 0.2, 2));
}

static void put_block(Pile *p, double x, double y) {
    put(p, "<ImplicitEuler name='solver' step='%s' damping_stiffness='0.01'/>",
        below(&p->random, 2) ? "0.005" : "0.0025");
    put_agent(p);
    put(p,
        "<SparseDirect/><Grid counts='2 2 2' low='%g %g -0.1' high='%g %g 0.1' split='true'/><Points "
        "name='matter'/><UniformMass total='0.6'/><Tetrahedra young='30000' poisson='0.3'/><Skin "
        "name='model' "
        "self='false'/>",
        x - 0.1, y, x + 0.1, y + 0.1);
}

static void put_ball(Pile *p, double x, double y) {
    put(p, "<SymplecticEuler name='solver' step='0.0025'/>");
    put_agent(p);
    put(p,
        "<Points name='matter' positions='%g %g 0'/><UniformMass mass='0.2'/><Balls name='model' "
        "radius='0.04'/>",
        x, y + 0.04);
}

static void put_links(Pile *p) {
    for (size_t i = 0; i + 1 < p->things; i++) {
        if (!p->spook[i] || !p->spook[i + 1] || below(&p->random, 2)) continue;
        put(p, "<LockJoint name='link%zu' matter='@b%zu/matter' other='@b%zu/matter' open='true'/>", i, i,
            i + 1);
        double closes = between(&p->random, 0.7, 1.1);
        put(p,
            "<Trigger when='time' value='%g' then='close' what='@link%zu'/><Trigger when='time' value='%g' "
            "then='open' what='@link%zu'/>",
            closes, i, closes + between(&p->random, 0.1, 0.4), i);
    }
}

static void make_pile(Pile *p) {
    static void (*const makers[])(Pile *, double, double) = {put_box, put_box, put_block, put_ball};
    put(p,
        "<tactus version='1' dt='0.01'><Contact method='safe' thickness='0.006' friction='%s' "
        "restitution='0.1'/>",
        below(&p->random, 3) ? "0.5" : "0");
    // a ram that comes when all lie there, and goes back
    put(p, "<node name='floor'><Sheet divisions='1' width='6' depth='6'/><Points/><FixedPoints "
           "points='0-3'/><Skin name='model'/></node>");
    put(p,
        "<node name='ram'><Box low='-1 0.02 -0.1' high='-0.5 %g 0.1'/><Points/><ScriptedMotion times='%g %g "
        "%g' "
        "offsets='0 0 0 %g 0 0 0 0 0'/><Skin name='model'/></node>",
        between(&p->random, 0.05, 0.4), between(&p->random, 0.7, 0.9), between(&p->random, 1, 1.1),
        between(&p->random, 1.2, 1.4), between(&p->random, 0.3, 0.9));
    double y = 0.004;
    for (p->things = 0; p->things < 2 + below(&p->random, THINGS - 1); p->things++) {
        size_t kind = below(&p->random, 4);
        bool above = below(&p->random, 3) > 0;
        put(p, "<node name='b%zu'>", p->things);
        makers[kind](p, above ? between(&p->random, -0.03, 0.03) : 0.5 + 0.3 * (double)p->things,
                     above ? y : 0.004);
        put(p, "</node>");
        if (above) y += 0.108;
    }
    put_links(p);
    put(p, "</tactus>");
}

// --- what is done to them ------------------------------------------------------------------------------------------

// Thrown, or put high up, each thing at another height.
static TacStatus push(TacWorld *world, TacComponentId id, TacRandom *random, double up) {
    double x[7 * 8], v[6 * 8];
    TacMatterKind kind = tac_world_kind(world, id);
    size_t each = (size_t)tac_position_size(kind), n = tac_world_point_count(world, id);
    if (n > 8) return TAC_OK;
    memcpy(x, tac_world_positions(world, id), n * each * sizeof *x);
    for (size_t i = 0; i < n; i++) x[each * i + 1] += up; // where nothing is
    for (size_t i = 0; i < n * (size_t)tac_velocity_size(kind); i++) v[i] = between(random, -1, 1);
    return tac_world_set_state(world, id, up > 0 ? x : NULL, v, NULL);
}

static void meddle(const Pile *p, TacWorld *world, int beat) {
    TacRandom random = tac_random(p->meddling, (uint64_t)beat);
    if (below(&random, 6)) return;
    char path[40];
    size_t thing = below(&random, p->things);
    snprintf(path, sizeof path, "/b%zu/matter", thing);
    TacComponentId id = tac_world_find(world, path);
    TacVec3 place = {between(&random, -0.5, 0.5), between(&random, 0, 1), between(&random, -0.3, 0.3)};
    switch (below(&random, 9)) {
    case 0: tac_world_grab(world, 0, id, 0, place, between(&random, 5, 200), NULL); break;
    case 1: tac_world_grab(world, 1, id, 0, place, between(&random, 5, 200), NULL); break;
    case 2: tac_world_drag(world, 0, place, NULL); break;
    case 3: tac_world_release(world, 0, below(&random, 2) ? &place : NULL, NULL); break;
    case 4: tac_world_sphere(world, place, between(&random, 0, 0.3), NULL); break;
    case 5: tac_world_pin(world, id, 0, NULL); break;
    case 6: tac_world_unpin(world, id, 0, NULL); break;
    case 7: push(world, id, &random, 0); break;
    default:
        push(world, id, &random,
             below(&random, 4) ? 0 : 2 + 0.3 * (double)(thing + THINGS * (size_t)(beat - SETTLING)));
        break;
    }
}

// Values are no state: whoever goes on from a snapshot sets them again.
static void set_values(const Pile *p, TacWorld *world, int beat) {
    TacRandom random = tac_random(p->meddling + 1, (uint64_t)beat);
    char path[40], value[40];
    if (below(&random, 12)) return;
    snprintf(path, sizeof path, "/b%zu/solver", below(&random, p->things));
    snprintf(value, sizeof value, "%g", between(&random, 0, 5));
    tac_world_set(world, tac_world_find(world, path), "damping_mass", value, NULL);
}

// --- runs -----------------------------------------------------------------------------------------------------------

static TacWorld *make_world(const Pile *p, int threads, TacError *error) {
    TacScene *scene = NULL;
    TacWorld *world = NULL;
    TacWorldDef def = tac_world_def_default();
    def.threads = threads;
    if (tac_scene_create(&scene, error) != TAC_OK) return NULL;
    if (tac_scene_parse(scene, "pile.tac", p->text, p->length, error) == TAC_OK)
        tac_world_create(&world, scene, &def, error);
    tac_scene_destroy(scene);
    return world;
}

// False: the world failed, and says why.
static bool run(const Pile *p, TacWorld *world, int from, int to, TacError *error) {
    for (int beat = from; beat < to; beat++) {
        if (beat >= SETTLING) set_values(p, world, beat);
        if (beat >= SETTLING) meddle(p, world, beat);
        if (tac_world_advance_beats(world, 1, error) != TAC_OK) return false;
        tac_world_energy(world);
    }
    return true;
}

static int complain(uint64_t seed, int pile, const char *what, const char *why) {
    fprintf(stderr, "rest: seed %llu, pile %d: %s%s%s\n", (unsigned long long)seed, pile, what,
            *why ? ": " : "", why);
    return 1;
}

static bool is_slow(void *start) {
    return clock() - *(clock_t *)start > 4 * CLOCKS_PER_SEC;
}

static size_t sleepers(const TacWorld *world) {
    size_t n = 0;
    for (size_t i = 0; i < tac_world_stats(world).agents; i++) n += tac_world_agent(world, i).resting;
    return n;
}

static int check_resumed(const Pile *p, uint64_t seed, int pile, uint64_t hash) {
    TacError error = {0};
    int at = SETTLING - 10 + (int)((seed * 7 + (uint64_t)pile * 31) % (MEDDLING + 10)),
        all = SETTLING + MEDDLING;
    TacWorld *first = make_world(p, 2, &error), *second = make_world(p, 1, &error);
    if (!first || !second) return complain(seed, pile, "no world", error.message);
    if (!run(p, first, 0, at, &error)) return complain(seed, pile, "fails on two threads", error.message);
    size_t bytes = tac_world_snapshot_size(first);
    void *data = malloc(bytes);
    for (int beat = SETTLING; beat < at; beat++) set_values(p, second, beat);
    if (!data || tac_world_save(first, data, bytes, &error) != TAC_OK ||
        tac_world_restore(second, data, bytes, &error) != TAC_OK)
        return complain(seed, pile, "cannot be saved and restored", error.message);
    free(data);
    if (!run(p, first, at, all, &error) || tac_world_hash(first) != hash)
        return complain(seed, pile, "other bits on two threads, without an audit", error.message);
    if (!run(p, second, at, all, &error) || tac_world_hash(second) != hash)
        return complain(seed, pile, "other bits after a resume", error.message);
    tac_world_destroy(first);
    tac_world_destroy(second);
    return 0;
}

// How many slept when the pile had come to rest; *code is 1 where something does not hold.
static size_t one_pile(uint64_t seed, int pile, bool show, int *code) {
    static Pile p;
    p = (Pile){.random = tac_random(seed, (uint64_t)pile), .meddling = seed * 1000 + (uint64_t)pile * 10};
    make_pile(&p);
    if (show) puts(p.text);
    TacError error = {0};
    TacWorld *world = make_world(&p, 1, &error);
    if (!world) {
        *code = complain(seed, pile, "no world", error.message);
        return 0;
    }
    clock_t start = clock();
    tac_world_audit(world, &error);
    tac_world_keep_accounts(world, &error);
    tac_world_stop_when(world, is_slow, &start);
    bool good = run(&p, world, 0, SETTLING, &error);
    size_t asleep = sleepers(world), count;
    good = good && run(&p, world, SETTLING, SETTLING + MEDDLING, &error);
    uint64_t hash = good ? tac_world_hash(world) : 0;
    TacAccountSum sum = tac_world_accounts(world, NULL, 0, &count);
    double scale = 1 + fabs(sum.start) + fabs(sum.end) + fabs(sum.put_in);
    char text[400];
    if (tac_world_audit_summary(world).violations)
        *code =
            complain(seed, pile, "an intersection", tac_world_audit_violation(world, 0, text, sizeof text));
    else if (!good) // may be: what is thrown hard enough at what is light enough ends a run, with a word
        *code = error.message[0] ? 0 : complain(seed, pile, "it failed without a word", "");
    else if (is_slow(&start))
        good = false;
    else if (!(fabs(sum.unaccounted) < 1e-3 * scale) || !(tac_norm(sum.linear_unaccounted) < 1e-6 * scale))
        *code = complain(seed, pile, "not all is accounted for", "");
    if (!good && getenv("REST_TALK")) fprintf(stderr, "pile %d: %s\n", pile, error.message);
    tac_world_destroy(world);
    if (good && !*code) *code = check_resumed(&p, seed, pile, hash);
    return asleep;
}

int main(int argc, char **argv) {
    uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
    int code = 0;
    size_t asleep = 0;
    for (int i = 0; i < PILES && !code; i++) asleep += one_pile(seed, i, argc > 2, &code);
    if (!code) printf("rest: %d piles, %zu agents slept\n", PILES, asleep);
    return code;
}
