// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// See wrap.h.

#include "geometry/wrap.h"
#include "base/memory.h"

#include <math.h>

enum { MOST_ROUNDS = 3000, MOST_LEVELS = 6, LEAST_FLAT = 8, MOST_FLAT = 40000 };

static const double MOST_WORK = 1e9;  // rays times balls
static const double RELAXATION = 1.8; // 1: none; must stay below 2

typedef struct Wrap {
    const TacWrapDef *def;
    TacMesh *mesh; // its points are directions, until the end
    TacVec3 middle;
    double reach;     // of the balls' surfaces from the middle
    double *u, *most; // 1 / r of each point, and the largest that the balls leave it
    uint32_t
        *first; // neighbours of point i: list[first[i]] to list[first[i + 1] - 1]; of triangles each twice
    uint32_t *list;
} Wrap;

static TacVec3 ball(const Wrap *w, size_t i) {
    TacVec3 middle = tac_load3(w->def->balls + 3 * i);
    return w->def->flat ? tac_vec3(middle.x, middle.y, 0) : middle;
}

static TacVec3 direction(const Wrap *w, size_t i) {
    return tac_load3(w->mesh->points + 3 * i);
}

// --- rays -------------------------------------------------------------------------------------------------

static void find_middle(Wrap *w) {
    TacVec3 low = ball(w, 0), high = low;
    for (size_t i = 1; i < w->def->count; i++) {
        TacVec3 b = ball(w, i);
        low = tac_vec3(fmin(low.x, b.x), fmin(low.y, b.y), fmin(low.z, b.z));
        high = tac_vec3(fmax(high.x, b.x), fmax(high.y, b.y), fmax(high.z, b.z));
    }
    w->middle = tac_scale(tac_add(low, high), 0.5);
    for (size_t i = 0; i < w->def->count; i++)
        w->reach = fmax(w->reach, tac_norm(tac_sub(ball(w, i), w->middle)));
    w->reach += w->def->distance;
}

static TacStatus make_circle(Wrap *w, TacError *error) {
    double wanted = ceil(2 * TAC_PI * w->reach / w->def->spacing);
    if (!(wanted <= MOST_FLAT))
        return tac_fail(error, TAC_BAD_INPUT, "edges of %g m would be too many around %g m", w->def->spacing,
                        2 * w->reach);
    size_t n = wanted < LEAST_FLAT ? LEAST_FLAT : (size_t)wanted, counts[TAC_ELEMENT_KINDS] = {0};
    counts[TAC_EDGES] = n;
    TAC_TRY(tac_mesh_create(w->mesh, n, counts, error));
    for (size_t i = 0; i < n; i++) {
        double angle = 2 * TAC_PI * (double)i / (double)n;
        tac_store3(w->mesh->points + 3 * i, tac_vec3(cos(angle), sin(angle), 0));
        w->mesh->elements[TAC_EDGES].indices[2 * i] = (int32_t)i;
        w->mesh->elements[TAC_EDGES].indices[2 * i + 1] = (int32_t)((i + 1) % n);
    }
    return TAC_OK;
}

static TacStatus make_sphere(Wrap *w, TacError *error) {
    // the longest edge of an icosahedron, and of one that was halved often, is 1.2 radii, halved as often
    double wanted = ceil(log2(1.2 * w->reach / w->def->spacing));
    if (!(wanted <= MOST_LEVELS))
        return tac_fail(error, TAC_BAD_INPUT, "edges of %g m would be too many around %g m", w->def->spacing,
                        2 * w->reach);
    return tac_mesh_icosphere(w->mesh, wanted < 1 ? 1 : (int)wanted, 1, error);
}

// How far along a ray the last ball ends; the distance itself where it meets none that is farther.
static double last_exit(const Wrap *w, TacVec3 along) {
    double last = w->def->distance, r2 = last * last;
    for (size_t i = 0; i < w->def->count; i++) {
        TacVec3 to = tac_sub(ball(w, i), w->middle);
        double nearest = tac_dot(to, along), inside = r2 - (tac_dot(to, to) - nearest * nearest);
        if (inside > 0) last = fmax(last, nearest + sqrt(inside));
    }
    return last;
}

// --- neighbours -------------------------------------------------------------------------------------------

// Counted first, then filled in: the usual two passes over all elements.
static void list_neighbours(Wrap *w) {
    size_t n = w->mesh->point_count;
    memset(w->first, 0, (n + 2) * sizeof *w->first);
    for (int pass = 0; pass < 2; pass++) {
        for (int kind = TAC_EDGES; kind <= TAC_TRIANGLES; kind++) {
            size_t corners = (size_t)tac_element_size((TacElement)kind);
            for (size_t i = 0; i < w->mesh->elements[kind].count; i++) {
                const int32_t *e = w->mesh->elements[kind].indices + corners * i;
                for (size_t k = 0; k < corners * corners; k++) {
                    size_t a = (size_t)e[k / corners];
                    if (k / corners == k % corners) continue;
                    if (pass == 0)
                        w->first[a + 2]++;
                    else
                        w->list[w->first[a + 1]++] = (uint32_t)e[k % corners];
                }
            }
        }
        if (pass == 0)
            for (size_t i = 2; i < n + 2; i++) w->first[i] += w->first[i - 1];
    }
}

// --- drawing tight ----------------------------------------------------------------------------------------

// One round; returns by how much of itself some u has changed, at most.
static double tighten(Wrap *w) {
    double largest = 0;
    for (size_t i = 0; i < w->mesh->point_count; i++) {
        TacVec3 d = direction(w, i);
        double sum = 0, cosines = 0;
        for (uint32_t k = w->first[i]; k < w->first[i + 1]; k++) {
            sum += w->u[w->list[k]];
            cosines += tac_dot(direction(w, w->list[k]), d);
        }
        double flat = cosines > 0 ? sum / cosines : w->most[i];
        double u = fmin(w->most[i], fmax(w->u[i] + RELAXATION * (flat - w->u[i]), 0.5 / w->reach));
        largest = fmax(largest, fabs(u - w->u[i]) / u);
        w->u[i] = u;
    }
    return largest;
}

static TacStatus take_memory(Wrap *w, TacError *error) {
    size_t n = w->mesh->point_count;
    size_t pairs = 2 * w->mesh->elements[TAC_EDGES].count + 6 * w->mesh->elements[TAC_TRIANGLES].count;
    w->u = malloc(n * sizeof *w->u);
    w->most = malloc(n * sizeof *w->most);
    w->first = malloc((n + 2) * sizeof *w->first);
    w->list = malloc(pairs * sizeof *w->list);
    if (w->u && w->most && w->first && w->list) return TAC_OK;
    return tac_fail_memory(error, n * 24 + pairs * sizeof *w->list);
}

static TacStatus wrap_all(Wrap *w, TacError *error) {
    find_middle(w);
    TAC_TRY(w->def->flat ? make_circle(w, error) : make_sphere(w, error));
    size_t n = w->mesh->point_count;
    if ((double)n * (double)w->def->count > MOST_WORK)
        return tac_fail(error, TAC_BAD_INPUT, "%zu points around %zu balls are too many: take longer edges",
                        n, w->def->count);
    TAC_TRY(take_memory(w, error));
    list_neighbours(w);
    for (size_t i = 0; i < n; i++) {
        w->most[i] = 1 / last_exit(w, direction(w, i));
        w->u[i] = 1 / w->reach;
    }
    for (int i = 0; i < MOST_ROUNDS; i++)
        if (tighten(w) < 1e-9) break;
    // rounding must not leave a point a bit inside
    for (size_t i = 0; i < n; i++)
        tac_store3(w->mesh->points + 3 * i,
                   tac_add(w->middle, tac_scale(direction(w, i), (1 + 1e-12) / w->u[i])));
    return TAC_OK;
}

TacStatus tac_wrap(TacMesh *skin, const TacWrapDef *def, TacError *error) {
    *skin = (TacMesh){0};
    if (!def->count) return tac_fail(error, TAC_BAD_INPUT, "there are no balls to wrap");
    if (!(def->distance > 0 && def->spacing > 0 && def->spacing <= def->distance))
        return tac_fail(error, TAC_BAD_INPUT,
                        "edges of %g m are not between 0 and the distance, %g m: balls would find holes",
                        def->spacing, def->distance);
    for (size_t i = 0; i < 3 * def->count; i++)
        if (!(fabs(def->balls[i]) < 1e100))
            return tac_fail(error, TAC_BAD_INPUT, "ball %zu is not at a finite place", i / 3);
    Wrap w = {.def = def, .mesh = skin};
    TacStatus status = wrap_all(&w, error);
    free(w.u);
    free(w.most);
    free(w.first);
    free(w.list);
    if (status != TAC_OK) tac_mesh_destroy(skin);
    return status;
}
