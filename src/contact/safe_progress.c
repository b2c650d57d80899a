// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Runs that cannot go on: a layer would have to tick more often than time has ticks, or a pair is kicked so often
// that the run would only crawl, or something is faster than anybody could follow. Nothing has met then; the message says who, where, how fast and what would help.
//
// Both are counted in kicks and ticks, never in looks or wall time, so that they happen at the same instant whatever
// the plans, and on every machine.

#include "contact/safe_parts.h"

#include <stdio.h>

// The pair as it is now, in words.
typedef struct Scene {
    char names[256];
    double place[3], gap, closing;
} Scene;

static Scene look_around(const TacSafe *safe, const TacPair *p, TacTick now) {
    static const char *const kinds[] = {"vertex", "edge", "face"};
    const TacPrimitive *a = &safe->primitives[p->a], *b = &safe->primitives[p->b];
    Scene scene = {.closing = 0};
    uint32_t v[4];
    int na, n = tac_safe_vertices(safe, p, v, &na);
    double q[4][3], u[4][3];
    for (int i = 0; i < n; i++) tac_safe_motion(safe, v[i], now, q[i], u[i]);
    TacSafeClosest c = tac_safe_closest(safe, p, q);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 3; k++) {
            scene.closing -= c.weight[i] * c.normal[k] * u[i][k];
            // where the first of the two is nearest to the second; an edge may be long
            if (i < na) scene.place[k] += c.weight[i] * q[i][k];
        }
    scene.gap = c.distance - tac_safe_pair_radius(safe, p);
    snprintf(scene.names, sizeof scene.names, "%s %u of %.80s and %s %u of %.80s", kinds[a->kind],
             tac_safe_number(safe, p->a), safe->skins[a->skin].name, kinds[b->kind],
             tac_safe_number(safe, p->b), safe->skins[b->skin].name);
    return scene;
}

#define ADVICE                                                                                               \
    "more thickness, less speed or a smaller ratio of masses would help. Nothing has passed through"

TacStatus tac_safe_fail_below_tick(const TacSafe *safe, uint32_t id, TacTick now, TacError *error) {
    const TacPair *p = &safe->pairs[id];
    const TacLayers *layers = &safe->types[p->type].layers;
    int last = tac_layers_class(layers, p->shift, 0);
    double l = layers->hi[last < 0 ? 0 : last] + 1;
    double first = ldexp(layers->step, -(layers->first - last)); // the stable period of its layer 1
    double step = first * 2 / (l * (l + 1));
    Scene scene = look_around(safe, p, now);
    return tac_fail(
        error, TAC_FAILED,
        "at %g s no progress is possible: %s, at (%g, %g, %g), are %g m apart and close at %g m/s; "
        "the next layer would need a step of %g s, below one tick (%g s). The thickness is %g m: " ADVICE,
        tac_safe_seconds(safe, now), scene.names, scene.place[0], scene.place[1], scene.place[2], scene.gap,
        scene.closing, step, safe->base.tick, layers->eta1);
}

TacStatus tac_safe_fail_crawling(const TacSafe *safe, uint32_t id, int k, TacTick now, TacError *error) {
    const TacPair *p = &safe->pairs[id];
    const TacLayers *layers = &safe->types[p->type].layers;
    int e = tac_layers_class(layers, tac_safe_nest(safe, p, now).shift, k);
    Scene scene = look_around(safe, p, now);
    // it comes and goes: at this tick it may well part
    if (p->live != TAC_SAFE_NONE) scene.closing = fmax(scene.closing, (double)safe->lives[p->live].hit);
    return tac_fail(
        error, TAC_FAILED,
        "at %g s no progress is possible: %s, at (%g, %g, %g), are %g m apart and close at %g m/s; "
        "their layers kick in steps of %g s and have done so %d times within %g s. The "
        "thickness is %g m: " ADVICE,
        tac_safe_seconds(safe, now), scene.names, scene.place[0], scene.place[1], scene.place[2], scene.gap,
        scene.closing, ldexp(safe->base.tick, e), (int)TAC_SAFE_MOST_KICKS,
        tac_safe_seconds(safe, (TacTick)1 << TAC_SAFE_WINDOW), layers->eta1);
}

void tac_safe_limit_speeds(TacSafe *safe) {
    for (size_t i = 0; i < safe->support_count; i++) {
        TacSupport *s = &safe->supports[i];
        for (uint32_t k = 0; k < s->vertex_count && s->frame; k++)
            s->kind->reach =
                fmaxf(s->kind->reach, (float)tac_norm(safe->locals[safe->carried[s->first_vertex + k]]));
        safe->most_speeds[i] = (float)(TAC_SAFE_SIZES_PER_SECOND * tac_safe_size(safe, (uint32_t)i));
    }
}

double tac_safe_size(const TacSafe *safe, uint32_t support) {
    const TacSupport *s = &safe->supports[support];
    double least = INFINITY;
    for (uint32_t k = 0; k < s->vertex_count; k++)
        least = fmin(least, (double)safe->lore[safe->carried[s->first_vertex + k]].scale);
    return least;
}

TacStatus tac_safe_fail_fast(const TacSafe *safe, uint32_t support, TacTick now, TacError *error) {
    const TacSupport *s = &safe->supports[support];
    double speed = tac_norm(tac_load3(tac_support_v(s)));
    return tac_fail(error, TAC_FAILED,
                    "at %g s no progress is possible: point %u of %s is at (%g, %g, %g) and moves at %g m/s; "
                    "beyond %g m/s, things of its size cannot be followed",
                    tac_safe_seconds(safe, now), s->index, s->kind->matter->base.path, tac_support_x(s)[0],
                    tac_support_x(s)[1], tac_support_x(s)[2], speed, (double)safe->most_speeds[support]);
}
