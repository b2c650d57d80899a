// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// See ball_fill.h.

#include "geometry/ball_fill.h"
#include "base/memory.h"
#include "geometry/surface_depth.h"

// Places of a packing that are looked at, at most, for each size.
static const double MOST_PLACES = 2e6;

// Sizes that one fill may have.
enum { MOST_SIZES = 16 };

// How near to touching is touching, in radii; how often a place is moved to get there.
static const double TOUCHING = 0.02;
enum { MOVES = 6 };

// How far the nearest triangle is looked for, in radii: places that are moved are nearer.
static const double NEAR = 2.2;

// Pairs of balls that are compared at most: some seconds.
#define MOST_COMPARED 300000000u

typedef struct Fill {
    const TacBallFillDef *def;
    TacSurface surface; // of a mesh
    TacVec3 low, high, centre;
    double *points, *radii; // found so far
    size_t count, point_capacity, radius_capacity;
    // found balls by cells as wide as the largest diameter
    double cell;
    uint32_t *first, *next; // by bucket, by ball: 1 + number
    size_t buckets, next_capacity;
    uint64_t compared; // pairs of balls so far
} Fill;

// --- shapes -----------------------------------------------------------------------------------------------

// Depth of a place under a box's surface, and the inward direction.
static double box_depth(TacVec3 low, TacVec3 high, bool flat, TacVec3 p, TacVec3 *inward) {
    const double c[3] = {p.x, p.y, p.z}, l[3] = {low.x, low.y, low.z}, h[3] = {high.x, high.y, high.z};
    double best = INFINITY, out[3] = {0, 0, 0}, n[3] = {0, 0, 0}, outside = 0;
    for (int k = 0; k < (flat ? 2 : 3); k++) {
        double below = c[k] - l[k], above = h[k] - c[k];
        if (fmin(below, above) < best) {
            best = fmin(below, above);
            n[0] = n[1] = n[2] = 0;
            n[k] = below < above ? 1 : -1;
        }
        out[k] = below < 0 ? -below : above < 0 ? above : 0;
        outside += out[k] * out[k];
    }
    if (outside > 0) {
        outside = sqrt(outside);
        *inward = tac_vec3(out[0] / outside, out[1] / outside, out[2] / outside);
        return -outside;
    }
    *inward = tac_vec3(n[0], n[1], n[2]);
    return best;
}

static double sphere_depth(double radius, TacVec3 p, TacVec3 *inward) {
    double r = tac_norm(p);
    *inward = r > 0 ? tac_scale(p, -1 / r) : tac_vec3(-1, 0, 0);
    return radius - r;
}

// Flat, its section with z = 0 is a rectangle.
static double cylinder_depth(double radius, double height, bool flat, TacVec3 p, TacVec3 *inward) {
    TacVec3 corner = tac_vec3(radius, 0.5 * height, INFINITY), across = tac_vec3(p.x, 0, flat ? 0 : p.z);
    double r = tac_norm(across);
    // in the half plane through the axis it is a box
    TacVec3 in_plane;
    double depth = box_depth(tac_vec3(-radius, -corner.y, 0), corner, true, tac_vec3(r, p.y, 0), &in_plane);
    TacVec3 outward = r > 0 ? tac_scale(across, 1 / r) : tac_vec3(1, 0, 0);
    *inward = tac_add(tac_scale(outward, in_plane.x), tac_vec3(0, in_plane.y, 0));
    return depth;
}

// How deep a place is in the layer: from its nearer border.
static double depth_at(const Fill *fill, TacVec3 p, double near, TacVec3 *inward) {
    const TacBallFillDef *def = fill->def;
    double depth;
    switch (def->shape) {
    case TAC_FILL_SPHERE: depth = sphere_depth(def->radius, p, inward); break;
    case TAC_FILL_BOX: depth = box_depth(def->low, def->high, def->flat, p, inward); break;
    case TAC_FILL_CYLINDER: depth = cylinder_depth(def->radius, def->height, def->flat, p, inward); break;
    default: {
        double farthest = fmin(def->to, 1e300) < 1e300 ? def->to : def->from;
        depth = tac_surface_depth(&fill->surface, p, farthest + near, inward);
    }
    }
    if (def->flat) inward->z = 0;
    double outer = depth - def->from, inner = def->to - depth;
    if (inner < outer) {
        *inward = tac_scale(*inward, -1);
        return inner;
    }
    return outer;
}

// --- balls that are there ---------------------------------------------------------------------------------

static size_t bucket_of(const Fill *fill, int64_t x, int64_t y, int64_t z) {
    uint64_t h = (uint64_t)x * 73856093u ^ (uint64_t)y * 19349663u ^ (uint64_t)z * 83492791u;
    return (size_t)(h % fill->buckets);
}

static int64_t cell_along(const Fill *fill, double x) {
    return (int64_t)floor(x / fill->cell);
}

static bool is_free(Fill *fill, TacVec3 p, double r) {
    int64_t x = cell_along(fill, p.x), y = cell_along(fill, p.y), z = cell_along(fill, p.z);
    for (int64_t c = 0; c < 27; c++)
        for (uint32_t b = fill->first[bucket_of(fill, x + c % 3 - 1, y + c / 3 % 3 - 1, z + c / 9 - 1)]; b;
             b = fill->next[b - 1]) {
            fill->compared++;
            double least = (r + fill->radii[b - 1]) * (1 - fill->def->overlap);
            if (tac_norm(tac_sub(tac_load3(fill->points + 3 * (size_t)(b - 1)), p)) < least * (1 - 1e-9))
                return false;
        }
    return true;
}

static TacStatus add_ball(Fill *fill, TacVec3 p, double r, TacError *error) {
    size_t n = fill->count;
    if (!tac_grow(&fill->points, &fill->point_capacity, 3 * (n + 1), sizeof(double)) ||
        !tac_grow(&fill->radii, &fill->radius_capacity, n + 1, sizeof(double)) ||
        !tac_grow(&fill->next, &fill->next_capacity, n + 1, sizeof *fill->next))
        return tac_fail_memory(error, 3 * (n + 1) * sizeof(double));
    tac_store3(fill->points + 3 * n, p);
    fill->radii[n] = r;
    size_t b = bucket_of(fill, cell_along(fill, p.x), cell_along(fill, p.y), cell_along(fill, p.z));
    fill->next[n] = fill->first[b];
    fill->first[b] = (uint32_t)++fill->count;
    return TAC_OK;
}

// --- a packing --------------------------------------------------------------------------------------------

// Places of a hexagonal close packing of balls of radius r about a centre; one layer where it is flat.
typedef struct Packing {
    double r;
    int64_t half[3];
} Packing;

// As many steps as there are in a length, and two more; far too many are cut off, and refused later.
static int64_t steps_in(double length, double step) {
    return (int64_t)fmin(length / step, 1e9) + 2;
}

static Packing make_packing(const Fill *fill, double r) {
    TacVec3 half = tac_scale(tac_sub(fill->high, fill->low), 0.5);
    // more than fit, for places that are moved in from outside
    return (Packing){r,
                     {steps_in(half.x, 2 * r), steps_in(half.y, sqrt(3) * r),
                      fill->def->flat ? 0 : steps_in(half.z, sqrt(8.0 / 3) * r)}};
}

static double place_count(const Packing *p) {
    return (2 * (double)p->half[0] + 1) * (2 * (double)p->half[1] + 1) * (2 * (double)p->half[2] + 1);
}

static TacVec3 place_at(const Fill *fill, const Packing *p, int64_t i, int64_t j, int64_t k) {
    bool odd_row = j % 2 != 0, odd_layer = k % 2 != 0;
    double x = 2 * (double)i + (odd_row ? 1 : 0) + (odd_layer ? 1 : 0);
    double y = sqrt(3) * ((double)j + (odd_layer ? 1.0 / 3 : 0)), z = sqrt(8.0 / 3) * (double)k;
    TacVec3 at = tac_add(fill->centre, tac_scale(tac_vec3(x, y, z), p->r));
    if (fill->def->flat) at.z = 0;
    return at;
}

// Moves a place until its ball touches the nearest border. False where that does not come to an end: in
// corners.
static bool touch(const Fill *fill, double r, TacVec3 *p) {
    TacVec3 inward;
    for (int i = 0; i < MOVES; i++) {
        double depth = depth_at(fill, *p, NEAR * r, &inward);
        if (fabs(depth - r) <= TOUCHING * r) return true;
        *p = tac_axpy(*p, r - depth, inward);
    }
    return depth_at(fill, *p, NEAR * r, &inward) >= (1 - TOUCHING) * r;
}

static TacStatus try_place(Fill *fill, double r, TacVec3 p, bool border, TacError *error) {
    TacVec3 inward;
    // many small balls beside large ones, or balls all in one place, are more work than anybody waits for
    if (fill->compared > MOST_COMPARED)
        return tac_fail(error, TAC_BAD_INPUT,
                        "balls of %g m are too many, too different in size or overlap too much", r);
    // the cheaper question first
    if (!border && !is_free(fill, p, r)) return TAC_OK;
    double depth = depth_at(fill, p, NEAR * r, &inward);
    if (border) {
        if (!(depth > -r) || !(depth < 2 * r) || !touch(fill, r, &p)) return TAC_OK;
    } else if (!(depth >= (1 - TOUCHING) * r)) {
        return TAC_OK;
    }
    return is_free(fill, p, r) ? add_ball(fill, p, r, error) : TAC_OK;
}

// Every place of a packing is tried with balls of radius r.
static TacStatus try_places(Fill *fill, const Packing *packing, double r, bool border, TacError *error) {
    for (int64_t k = -packing->half[2]; k <= packing->half[2]; k++)
        for (int64_t j = -packing->half[1]; j <= packing->half[1]; j++)
            for (int64_t i = -packing->half[0]; i <= packing->half[0]; i++)
                TAC_TRY(try_place(fill, r, place_at(fill, packing, i, j, k), border, error));
    return TAC_OK;
}

// The border first, then the inside. (A second time on a packing of half the width added two percent, for
// eight times the work.)
static TacStatus fill_size(Fill *fill, double r, TacError *error) {
    const Packing packing = make_packing(fill, r);
    if (!(place_count(&packing) <= MOST_PLACES))
        return tac_fail(error, TAC_BAD_INPUT, "balls of %g m are too small for a shape of %g by %g by %g m",
                        r, fill->high.x - fill->low.x, fill->high.y - fill->low.y,
                        fill->high.z - fill->low.z);
    TAC_TRY(try_places(fill, &packing, r, true, error));
    return try_places(fill, &packing, r, false, error);
}

// --- all sizes --------------------------------------------------------------------------------------------

static int larger_first(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x < y) - (x > y);
}

static void find_bounds(Fill *fill) {
    const TacBallFillDef *def = fill->def;
    fill->low = def->low;
    fill->high = def->high;
    if (def->shape == TAC_FILL_SPHERE) fill->high = tac_vec3(def->radius, def->radius, def->radius);
    if (def->shape == TAC_FILL_CYLINDER) fill->high = tac_vec3(def->radius, 0.5 * def->height, def->radius);
    if (def->shape == TAC_FILL_SPHERE || def->shape == TAC_FILL_CYLINDER)
        fill->low = tac_scale(fill->high, -1);
    if (def->shape == TAC_FILL_MESH) tac_mesh_bounds(def->mesh, &fill->low, &fill->high);
    fill->centre = tac_scale(tac_add(fill->low, fill->high), 0.5);
}

static TacStatus fill_all(Fill *fill, double *sizes, TacError *error) {
    const TacBallFillDef *def = fill->def;
    qsort(sizes, def->radius_count, sizeof *sizes, larger_first);
    find_bounds(fill);
    if (!(fill->high.x > fill->low.x) || !(fill->high.y > fill->low.y) ||
        !(fill->high.z > fill->low.z || def->flat))
        return tac_fail(error, TAC_BAD_INPUT, "the shape has no inside");
    fill->cell = 2 * sizes[0];
    fill->buckets = 65521;
    fill->first = calloc(fill->buckets, sizeof *fill->first);
    if (!fill->first) return tac_fail_memory(error, fill->buckets * sizeof *fill->first);
    if (def->shape == TAC_FILL_MESH) TAC_TRY(tac_surface_make(&fill->surface, def->mesh, error));
    for (size_t i = 0; i < def->radius_count; i++) TAC_TRY(fill_size(fill, sizes[i], error));
    if (!fill->count)
        return tac_fail(error, TAC_BAD_INPUT, "no ball of %g m has room in the shape",
                        sizes[def->radius_count - 1]);
    return TAC_OK;
}

TacStatus tac_ball_fill(TacMesh *balls, const TacBallFillDef *def, TacError *error) {
    *balls = (TacMesh){0};
    if (!def->radius_count || def->radius_count > MOST_SIZES)
        return tac_fail(error, TAC_BAD_INPUT, "balls have 1 to %d radii, not %zu", MOST_SIZES,
                        def->radius_count);
    double *sizes = malloc(def->radius_count * sizeof *sizes);
    if (!sizes) return tac_fail_memory(error, def->radius_count * sizeof *sizes);
    memcpy(sizes, def->radii, def->radius_count * sizeof *sizes);
    Fill fill = {.def = def};
    TacStatus status = fill_all(&fill, sizes, error);
    free(sizes);
    free(fill.first);
    free(fill.next);
    tac_surface_free(&fill.surface);
    if (status != TAC_OK) {
        free(fill.points);
        free(fill.radii);
        return status;
    }
    *balls = (TacMesh){.point_count = fill.count, .points = fill.points, .radii = fill.radii};
    return TAC_OK;
}
