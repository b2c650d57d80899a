// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Angles across edges. See hinges.h. Touches nothing but its arguments.

#include "law/hinges.h"
#include "base/memory.h"

static const double LEAST_HEIGHT = 0.25; // of that at rest, for gradients
static const double FLAT = 1e-10;        // twice the area over the square of the edge: no area

double tac_angle_between(double a, double b) {
    const double turn = 6.283185307179586;
    double d = a - b;
    return d - turn * round(d / turn);
}

typedef struct Fold {
    TacVec3 a, b, c, d, edge, n, m;
    double length, nn, mm;
} Fold;

static Fold fold_of(const double *x, const int32_t *v) {
    Fold f = {.a = tac_load3(x + 3 * (size_t)v[0]),
              .b = tac_load3(x + 3 * (size_t)v[1]),
              .c = tac_load3(x + 3 * (size_t)v[2]),
              .d = tac_load3(x + 3 * (size_t)v[3])};
    f.edge = tac_sub(f.d, f.c);
    f.length = tac_norm(f.edge);
    f.n = tac_cross(tac_sub(f.a, f.c), tac_sub(f.a, f.d));
    f.m = tac_cross(tac_sub(f.b, f.d), tac_sub(f.b, f.c));
    f.nn = tac_dot(f.n, f.n);
    f.mm = tac_dot(f.m, f.m);
    return f;
}

double tac_hinge_angle(const TacHinges *hinges, size_t hinge, const double *x, TacVec3 g[4]) {
    Fold f = fold_of(x, hinges->elements.nodes + 4 * hinge);
    for (int i = 0; i < 4; i++) g[i] = tac_vec3(0, 0, 0);
    if (!(f.nn > 0) || !(f.mm > 0) || !(f.length > 0)) return 0;
    TacVec3 along = tac_scale(f.edge, 1 / f.length);
    // what both triangles do is weakened alike: their torques cancel
    double square = f.length * f.length, low = hinges->least[2 * hinge] * square,
           other = hinges->least[2 * hinge + 1] * square, weak = 1;
    if (f.nn < low) weak = sqrt(f.nn / low);
    if (f.mm < other) weak = fmin(weak, sqrt(f.mm / other));
    TacVec3 n = tac_scale(f.n, -weak / f.nn), m = tac_scale(f.m, -weak / f.mm);
    g[0] = tac_scale(n, f.length);
    g[1] = tac_scale(m, f.length);
    g[2] = tac_add(tac_scale(n, tac_dot(tac_sub(f.a, f.d), along)),
                   tac_scale(m, tac_dot(tac_sub(f.b, f.d), along)));
    g[3] = tac_scale(tac_add(tac_scale(n, tac_dot(tac_sub(f.a, f.c), along)),
                             tac_scale(m, tac_dot(tac_sub(f.b, f.c), along))),
                     -1);
    return atan2(tac_dot(tac_cross(f.n, f.m), along), tac_dot(f.n, f.m));
}

double tac_hinge_steepness(const TacHinges *hinges, size_t hinge, const double *rest) {
    TacVec3 g[4];
    double sum = 0;
    tac_hinge_angle(hinges, hinge, rest, g);
    for (int i = 0; i < 4; i++) sum += tac_dot(g[i], g[i]);
    return sum;
}

// --- setting up -------------------------------------------------------------------------------------------

static TacStatus take_arrays(TacHinges *h, TacSetup *setup, const int32_t *corners, size_t count,
                             size_t point_count, TacError *error) {
    TacElementsDef def = {.name = "edges between two triangles",
                          .indices = corners,
                          .count = count,
                          .corners = 4,
                          .size = 3,
                          .point_count = point_count};
    TAC_TRY(tac_elements_make(&h->elements, setup, &def, error));
    h->rest = tac_setup_alloc(setup, count, sizeof *h->rest);
    h->weight = tac_setup_alloc(setup, count, sizeof *h->weight);
    h->least = tac_setup_alloc(setup, 2 * count, sizeof *h->least);
    return h->rest && h->weight && h->least ? TAC_OK : tac_fail_memory(error, 4 * count * sizeof *h->rest);
}

static TacStatus measure(TacHinges *h, TacSetup *setup, const TacMatter *matter, const int32_t *corners,
                         size_t count, TacError *error) {
    const double *rest = matter->vectors[TAC_X_REST];
    TAC_TRY(take_arrays(h, setup, corners, count, matter->count, error));
    for (size_t i = 0; i < count; i++) {
        Fold f = fold_of(rest, corners + 4 * i);
        double square = f.length * f.length;
        h->least[2 * i] = LEAST_HEIGHT * LEAST_HEIGHT * f.nn / square;
        h->least[2 * i + 1] = LEAST_HEIGHT * LEAST_HEIGHT * f.mm / square;
        h->weight[i] = 6 * square / (sqrt(f.nn) + sqrt(f.mm));
        TacVec3 gradient[4];
        h->rest[i] = tac_hinge_angle(h, i, rest, gradient);
    }
    return TAC_OK;
}

static bool has_area(const double *rest, const int32_t *corners) {
    Fold f = fold_of(rest, corners);
    double least = FLAT * f.length * f.length;
    return f.length > 0 && sqrt(f.nn) > least && sqrt(f.mm) > least && isfinite(f.nn) && isfinite(f.mm);
}

// Corners of the hinges that can bend. Returns how many there are.
static size_t keep_bending(const TacHinge *all, size_t count, const double *rest, int32_t *corners) {
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        const int32_t v[4] = {all[i].ac, all[i].bc, all[i].c, all[i].d};
        if (has_area(rest, v)) memcpy(corners + 4 * kept++, v, sizeof v);
    }
    return kept;
}

TacStatus tac_hinges_make(TacHinges *h, TacSetup *setup, const TacMatter *matter, TacError *error) {
    const TacMesh *mesh;
    TAC_TRY(tac_elements_mesh(&mesh, setup, matter, "triangles", error));
    TacHinge *found = NULL;
    size_t count = 0;
    TAC_TRY(tac_find_hinges(mesh, TAC_TRIANGLES, &found, &count, error));
    int32_t *corners = tac_setup_alloc(setup, 4 * count, sizeof *corners);
    size_t kept = corners ? keep_bending(found, count, matter->vectors[TAC_X_REST], corners) : 0;
    free(found);
    if (!corners) return tac_fail_memory(error, 4 * count * sizeof *corners);
    if (!kept) return tac_setup_fail(setup, error, NULL, "the topology has no edge between two triangles");
    if (kept < count)
        tac_setup_warn(setup, NULL, "%zu of %zu edges are beside triangles without area and are left out",
                       count - kept, count);
    return measure(h, setup, matter, corners, kept, error);
}

TacStatus tac_hinges_some(TacHinges *some, const TacHinges *all, TacSetup *setup, size_t point_count,
                          const uint32_t *parts, size_t count, TacError *error) {
    int32_t *corners = tac_setup_alloc(setup, 4 * count, sizeof *corners);
    if (!corners) return tac_fail_memory(error, 4 * count * sizeof *corners);
    for (size_t i = 0; i < 4 * count; i++) corners[i] = all->elements.nodes[4 * parts[i / 4] + i % 4];
    TAC_TRY(take_arrays(some, setup, corners, count, point_count, error));
    for (size_t i = 0; i < count; i++) {
        some->rest[i] = all->rest[parts[i]];
        some->weight[i] = all->weight[parts[i]];
        memcpy(some->least + 2 * i, all->least + 2 * parts[i], 2 * sizeof(double));
    }
    return TAC_OK;
}
