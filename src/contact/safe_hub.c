// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// How many pairs may push one point at once. A layer's period is made for one pair, and bears some tens that push together, as
// they do where two vertices of ordinary meshes meet. Where the tips of two fans of n and m triangles meet, n m pairs of edges
// and n + m of vertices and faces begin at once, all at the same gap: by the first tick that sees them they are n m times as
// deep in energy as each was made for, and throw the tips back many times as fast as they came. To know afterwards is too late,
// and finer clocks for all of them would cost the most where there are most. So pairs that may be that many push more softly,
// all together as hard as a few: a nest is a barrier however soft it is.
//
// How many they may be is found from the mesh at rest, and stays (as in safe_crowd.c): what a pair pushes with depends on places
// only, so no energy is gained or lost when others come and go. It is what meets at a vertex of the one side, times what lies
// within half a thickness around a vertex of the other: meshes with edges shorter than that are as bad as fans. Ordinary
// meshes, up to eight edges at every vertex, are let be. Edges inside of flat parts do not count, nor their vertices; of their
// faces, one pushes at a time (safe_flat.c). Touches nothing but `hubs`.
//
// A fine skin that few points carry is as bad: what lands flat pushes these points with all of its vertices at once. So those
// count that press the same point, each by its part of what it presses.

#include "contact/safe_parts.h"

#include <stdlib.h>

// Around a vertex, in thicknesses; what is solid is as near farther aside.
#define NEAR       0.8
#define SOLID_NEAR 1.3

// More are not looked at around one vertex; nor is more of what meets there.
enum { MOST_NEAR = 256, MOST_LOOKS = 8192 };

// Pairs that clocks bear without being softer, and as hard as how many the others push together: fewer, since their impacts
// are all alike, where those of a usual mesh come one after the other.
enum { USUAL = 80, FEW = 8 };

typedef struct Search {
    const TacSafe *safe;
    uint32_t *queue; // vertices
    uint32_t *seen;  // per vertex: by which search
    size_t found, looks;
    uint32_t from, number;
    double reach;
} Search;

// What was counted around a vertex.
typedef struct Count {
    double points, edges, faces;
    bool flat; // there are faces with flat sides: one of them pushes at a time
} Count;

// Where it is in its mesh at rest, or in its body; NULL: unknown.
static const double *place(const TacSafe *safe, uint32_t vertex) {
    return safe->vertices[vertex].frame ? &safe->locals[vertex].x : tac_safe_rest(safe, vertex);
}

static bool is_near(const Search *s, uint32_t vertex) {
    if (vertex == s->from) return true;
    if (!(s->reach > 0)) return false;
    const double *a = place(s->safe, s->from), *b = place(s->safe, vertex);
    return a && b && tac_norm(tac_sub(tac_load3(a), tac_load3(b))) < s->reach;
}

// How many corners of a primitive are near; they are gone to in turn.
static int find_near(Search *s, const TacPrimitive *p) {
    int near = 0;
    for (int k = 0; k <= (int)p->kind; k++) {
        if (!is_near(s, p->v[k])) continue;
        near++;
        if (s->seen[p->v[k]] == s->number || s->found >= MOST_NEAR) continue;
        s->seen[p->v[k]] = s->number;
        s->queue[s->found++] = p->v[k];
    }
    return near;
}

// Of what has several corners that are near, each counts its part.
static void count_at(Search *s, uint32_t vertex, Count *count) {
    const TacSafe *safe = s->safe;
    const TacVertexLore *lore = &safe->lore[vertex];
    count->points += !safe->primitives[vertex].flat;
    for (uint32_t i = 0; i < lore->primitive_count && s->looks > 0; i++, s->looks--) {
        const TacPrimitive *p = &safe->primitives[safe->around[lore->first_primitive + i]];
        if (p->kind == TAC_PRIMITIVE_POINT) continue;
        double part = 1.0 / find_near(s, p);
        if (p->kind == TAC_PRIMITIVE_EDGE)
            count->edges += p->flat ? 0 : part;
        else if (p->flat_sides)
            count->flat = true;
        else
            count->faces += part;
    }
}

static Count count_within(Search *s, uint32_t vertex, double reach) {
    Count count = {0};
    s->from = s->queue[0] = vertex;
    s->seen[vertex] = ++s->number;
    s->found = 1;
    s->looks = MOST_LOOKS;
    s->reach = reach;
    for (size_t next = 0; next < s->found && s->looks > 0; next++) count_at(s, s->queue[next], &count);
    return count;
}

// The largest thickness of a material, with any other.
static double thickness_of(const TacSafe *safe, size_t material) {
    double most = 0;
    for (size_t i = 0; i < safe->material_count; i++) {
        const TacPairType *type = &safe->types[safe->type_of[2 * (material * safe->material_count + i)]];
        if (!type->excluded) most = fmax(most, type->layers.eta1);
    }
    return most;
}

static double reach_of(const TacSafe *safe, uint32_t vertex, double thickness) {
    double thick = (double)safe->lore[vertex].thick;
    return sqrt(NEAR * NEAR * thickness * thickness + SOLID_NEAR * thick * thickness);
}

static uint16_t whole(double number) {
    return (uint16_t)fmin(ceil(number - 1e-6), UINT16_MAX);
}

static TacHub find_hub(Search *s, uint32_t vertex, double thickness) {
    Count own = count_within(s, vertex, 0);
    Count near = count_within(s, vertex, reach_of(s->safe, vertex, thickness));
    return (TacHub){.load = s->safe->hubs[vertex].load,
                    .edges = whole(own.edges),
                    .faces = whole(own.faces + own.flat),
                    .near_points = whole(near.points),
                    .near_edges = whole(near.edges),
                    .near_faces = whole(near.faces + near.flat)};
}

// Of vertices that several points carry; bodies know better (safe_crowd.c).
static bool is_shared(const TacVertex *v) {
    return v->support == TAC_SAFE_NONE && !v->frame && v->bound > 0;
}

// How many vertices press each support: one that has a vertex for itself is pressed by that alone.
static void add_loads(const TacSafe *safe, double *loads) {
    for (uint32_t i = 0; i < safe->vertex_count; i++) {
        const TacVertex *v = &safe->vertices[i];
        for (uint32_t k = 0; is_shared(v) && k < v->count; k++) {
            TacSafeCarrier carrier = tac_safe_carrier(safe, v, k);
            loads[carrier.support] +=
                fabs(carrier.weight) * tac_support_bound(&safe->supports[carrier.support]) / v->bound;
        }
    }
}

// As things are at the start, and so it stays, whoever carries them later.
static bool find_loads(TacSafe *safe) {
    double *loads = calloc(safe->support_count + 1, sizeof *loads);
    if (!loads) return false;
    add_loads(safe, loads);
    for (uint32_t i = 0; i < safe->vertex_count; i++) {
        const TacVertex *v = &safe->vertices[i];
        double most = 0;
        for (uint32_t k = 0; is_shared(v) && k < v->count; k++)
            most = fmax(most, loads[tac_safe_carrier(safe, v, k).support]);
        safe->hubs[i].load = whole(most);
    }
    free(loads);
    return true;
}

bool tac_safe_find_hubs(TacSafe *safe) {
    size_t n = safe->vertex_count;
    uint32_t *room = calloc(n + MOST_NEAR, sizeof *room);
    if (!room) return false;
    Search s = {.safe = safe, .queue = room + n, .seen = room};
    double thickness = 0;
    for (uint32_t i = 0, skin = TAC_SAFE_NONE; i < n; i++) {
        if (safe->primitives[i].skin != skin) {
            skin = safe->primitives[i].skin;
            thickness = thickness_of(safe, (size_t)safe->skins[skin].material);
        }
        safe->hubs[i] = find_hub(&s, i, thickness);
    }
    free(room);
    return true;
}

bool tac_safe_take_hubs(TacSafe *safe) {
    safe->hubs = tac_arena_array(&safe->arena, safe->vertex_count + 1, sizeof *safe->hubs);
    return safe->hubs && find_loads(safe) && tac_safe_find_hubs(safe);
}

// Of what meets at `a`, with what is near `b`.
static double pairs_at(TacHub a, TacHub b) {
    return (double)a.edges * (double)b.near_edges + (double)a.faces * (double)b.near_points +
           (double)b.near_faces;
}

double tac_safe_hub_softness(const TacSafe *safe, const uint32_t v[4], int first_side, int count) {
    double most = 0;
    for (int i = 0; i < first_side; i++)
        for (int j = first_side; j < count; j++) {
            TacHub a = safe->hubs[v[i]], b = safe->hubs[v[j]];
            most = fmax(most, fmax(pairs_at(a, b), pairs_at(b, a)));
            most = fmax(most, a.load > b.load ? a.load : b.load);
        }
    return most > USUAL ? most / FEW : 1;
}
