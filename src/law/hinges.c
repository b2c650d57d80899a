// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Angles across edges. See hinges.h. Touches nothing but its arguments.

#include "base/memory.h"
#include "law/hinge_fold.h"

static const double LEAST_HEIGHT = 0.25; // of that at rest, for gradients
static const double FLAT = 1e-10;        // twice the area over the square of the edge: no area

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

void tac_hinges_places(const TacHinges *hinges, size_t batch, const double *x, TacWide p[12]) {
    for (size_t lane = 0; lane < TAC_WIDTH; lane++)
        for (size_t corner = 0; corner < 4; corner++) {
            size_t point = (size_t)tac_piece_corner(&hinges->pieces, TAC_WIDTH * batch + lane, corner);
            for (size_t i = 0; i < 3; i++) p[3 * corner + i][lane] = x[3 * point + i];
        }
}

void tac_hinges_angles(const TacHinges *hinges, size_t batch, const double *x, TacWide *angle,
                       TacWide gradient[12]) {
    TacWide p[12];
    TacHingeSlope slope;
    tac_hinges_places(hinges, batch, x, p);
    tac_hinge_fold(&hinges->batches[batch], p, angle, &slope, gradient);
}

double tac_hinges_steepness(const TacHinges *hinges, size_t hinge, const double *rest) {
    TacWide angle, g[12];
    double sum = 0;
    tac_hinges_angles(hinges, hinge / TAC_WIDTH, rest, &angle, g);
    for (size_t i = 0; i < 12; i++) sum += g[i][hinge % TAC_WIDTH] * g[i][hinge % TAC_WIDTH];
    return sum;
}

void tac_add_squares(const TacElementPieces *pieces, size_t batch, const TacWide *g, TacPartFactor factor,
                     const void *law, double s, TacMatrix *matrix) {
    size_t n = pieces->corners;
    for (size_t lane = 0; lane < tac_piece_lanes(pieces, batch); lane++) {
        size_t i = TAC_WIDTH * batch + lane;
        double each = s * factor(law, i);
        for (size_t p = 0; p < n; p++)
            for (size_t q = 0; q < n; q++) {
                double block[9];
                for (size_t r = 0; r < 9; r++)
                    block[r] = each * g[3 * p + r / 3][lane] * g[3 * q + r % 3][lane];
                tac_matrix_add(matrix, 0, (size_t)tac_piece_corner(pieces, i, p), 0,
                               (size_t)tac_piece_corner(pieces, i, q), block);
            }
    }
}

// --- setting up -------------------------------------------------------------------------------------------

// Which hinge of a list comes i-th; those that fill up are copies of the last one.
static size_t number_of(const TacHinges *h, size_t i) {
    return tac_element_pieces_deal(h->count, i < h->count ? i : h->count - 1);
}

// From the corners of a list of hinges.
static TacStatus take_arrays(TacHinges *h, TacSetup *setup, const int32_t *corners, size_t count,
                             size_t point_count, TacError *error) {
    *h = (TacHinges){.count = count, .batch_count = (count + TAC_WIDTH - 1) / TAC_WIDTH};
    h->batches = tac_setup_alloc(setup, h->batch_count, sizeof *h->batches);
    if (!h->batches) return tac_fail_memory(error, h->batch_count * sizeof *h->batches);
    return tac_element_pieces_make_dealt(&h->pieces, setup, corners, 4, count, point_count, error);
}

static TacStatus measure(TacHinges *h, TacSetup *setup, const TacMatter *matter, const int32_t *corners,
                         size_t count, TacError *error) {
    const double *rest = matter->vectors[TAC_X_REST], low = LEAST_HEIGHT * LEAST_HEIGHT;
    TAC_TRY(take_arrays(h, setup, corners, count, matter->count, error));
    for (size_t batch = 0; batch < h->batch_count; batch++) {
        TacHingeBatch *b = &h->batches[batch];
        for (size_t lane = 0; lane < TAC_WIDTH; lane++) {
            int32_t v[4];
            for (size_t k = 0; k < 4; k++) v[k] = tac_piece_corner(&h->pieces, TAC_WIDTH * batch + lane, k);
            Fold f = fold_of(rest, v);
            double square = f.length * f.length;
            b->least[0][lane] = low * f.nn / square;
            b->least[1][lane] = low * f.mm / square;
            b->weight[lane] = 6 * square / (sqrt(f.nn) + sqrt(f.mm));
        }
        TacWide gradient[12];
        tac_hinges_angles(h, batch, rest, &b->rest, gradient);
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
    int32_t *corners = malloc((4 * count + 1) * sizeof *corners);
    size_t kept = corners ? keep_bending(found, count, matter->vectors[TAC_X_REST], corners) : 0;
    free(found);
    if (!corners) return tac_fail_memory(error, 4 * count * sizeof *corners);
    if (kept > 0 && kept < count)
        tac_setup_warn(setup, NULL, "%zu of %zu edges are beside triangles without area and are left out",
                       count - kept, count);
    TacStatus status =
        kept ? measure(h, setup, matter, corners, kept, error)
             : tac_setup_fail(setup, error, NULL, "the topology has no edge between two triangles");
    free(corners);
    return status;
}

TacStatus tac_hinges_some(TacHinges *some, const TacHinges *all, TacSetup *setup, size_t point_count,
                          const uint32_t *parts, size_t count, TacError *error) {
    int32_t *corners = malloc((4 * count + 1) * sizeof *corners);
    if (!corners) return tac_fail_memory(error, 4 * count * sizeof *corners);
    for (size_t i = 0; i < 4 * count; i++) corners[i] = tac_piece_corner(&all->pieces, parts[i / 4], i % 4);
    TacStatus status = take_arrays(some, setup, corners, count, point_count, error);
    free(corners);
    TAC_TRY(status);
    for (size_t i = 0; i < TAC_WIDTH * some->batch_count; i++) {
        size_t from = parts[number_of(some, i)], lane = i % TAC_WIDTH, other = from % TAC_WIDTH;
        TacHingeBatch *to = &some->batches[i / TAC_WIDTH];
        const TacHingeBatch *b = &all->batches[from / TAC_WIDTH];
        to->rest[lane] = b->rest[other];
        to->weight[lane] = b->weight[other];
        for (int k = 0; k < 2; k++) to->least[k][lane] = b->least[k][other];
    }
    return TAC_OK;
}
