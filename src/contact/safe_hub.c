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
// within eight tenths of the thickness around one of the other: meshes with shorter edges are as bad as fans. Ordinary
// meshes, up to eight edges at every vertex, are let be. Edges inside of flat parts do not count, nor their vertices
// (safe_flat.c). Touches nothing but `hubs` and `loads`.
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
    double points, edges;
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

// How many ends of an edge are near; they are gone to in turn.
static int find_near(Search *s, const TacPrimitive *edge) {
    int near = 0;
    for (int k = 0; k < 2; k++) {
        uint32_t v = edge->v[k];
        if (!is_near(s, v)) continue;
        near++;
        if (s->seen[v] == s->number || s->found >= MOST_NEAR) continue;
        s->seen[v] = s->number;
        s->queue[s->found++] = v;
    }
    return near;
}

// Of an edge with two ends that are near, each counts a half.
static void count_at(Search *s, uint32_t vertex, Count *count) {
    const TacSafe *safe = s->safe;
    const TacVertexLore *lore = &safe->lore[vertex];
    count->points += !safe->primitives[vertex].flat;
    for (uint32_t i = 0; i < lore->primitive_count && s->looks > 0; i++, s->looks--) {
        const TacPrimitive *p = &safe->primitives[safe->around[lore->first_primitive + i]];
        if (p->kind != TAC_PRIMITIVE_EDGE) continue;
        double part = 1.0 / find_near(s, p);
        count->edges += p->flat ? 0 : part;
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
    return (TacHub){
        .edges = whole(own.edges), .near_points = whole(near.points), .near_edges = whole(near.edges)};
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
    bool any = false;
    for (uint32_t i = 0; i < safe->vertex_count && !any; i++) any = is_shared(&safe->vertices[i]);
    if (!any) return true;
    safe->loads = tac_arena_array(&safe->arena, safe->vertex_count + 1, sizeof *safe->loads);
    double *loads = calloc(safe->support_count + 1, sizeof *loads);
    if (!loads || !safe->loads) {
        free(loads);
        return false;
    }
    add_loads(safe, loads);
    for (uint32_t i = 0; i < safe->vertex_count; i++) {
        const TacVertex *v = &safe->vertices[i];
        double most = 0;
        for (uint32_t k = 0; is_shared(v) && k < v->count; k++)
            most = fmax(most, loads[tac_safe_carrier(safe, v, k).support]);
        safe->loads[i] = whole(most);
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

// Of what meets at `a` with what is near `b`; there are about as many faces as edges.
static double pairs_at(TacHub a, TacHub b) {
    return (double)a.edges * ((double)b.near_edges + (double)b.near_points) + (double)b.near_edges;
}

double tac_safe_hub_softness(const TacSafe *safe, const uint32_t v[4], int first_side, int count) {
    double most = 0;
    for (int i = 0; i < first_side; i++)
        for (int j = first_side; j < count; j++) {
            TacHub a = safe->hubs[v[i]], b = safe->hubs[v[j]];
            most = fmax(most, fmax(pairs_at(a, b), pairs_at(b, a)));
        }
    for (int i = 0; safe->loads && i < count; i++) most = fmax(most, safe->loads[v[i]]);
    return most > USUAL ? most / FEW : 1;
}
