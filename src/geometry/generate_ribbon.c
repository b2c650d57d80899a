// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Generators: bands along a curve, and loose knots tied of them. Lengths in m. The order of points is part of
// the behaviour: row by row along the curve, across + 1 points in each row, so that the first and the last row
// are the ends to pull at.
//
// A curve is a chain of straight lines whose corners are rounded. A knot is one drawn on a table, seen from
// above, in units of the band's width, with a height at each corner; heights go from one corner to the next
// smoothly and are level near both. Bands lie flat. So where two cross in the drawing their heights differ by
// the gap, and elsewhere they are at least a gap apart on the table (coarse bands: within a twentieth): nothing
// touches, and nothing is tight.
// Touches nothing but its arguments.

#include "base/memory.h"
#include "tactus/geometry.h"

// More would be a mistake in a scene rather than a wish.
static const double MOST_POINTS = 1e8;

// Pieces of each straight line and of each rounded corner: much finer than a band is looked at.
enum { PIECES = 48 };

// A corner of a curve: its place, how round it is, and in a knot the height at its middle.
typedef struct Corner {
    TacVec3 at;
    double radius, height;
} Corner;

// A curve as many short lines, with the distance walked at each point; and at the middle of each corner.
typedef struct Curve {
    TacVec3 *points;
    double *walked, *corner_walked;
    size_t count;
} Curve;

// --- curves -----------------------------------------------------------------------------------------------

static void free_curve(Curve *curve) {
    free(curve->points);
    free(curve->walked);
    free(curve->corner_walked);
    *curve = (Curve){0};
}

static void walk_to(Curve *curve, TacVec3 place) {
    size_t n = curve->count;
    double step = n ? tac_norm(tac_sub(place, curve->points[n - 1])) : 0;
    if (n && step == 0) return;
    curve->points[n] = place;
    curve->walked[n] = n ? curve->walked[n - 1] + step : 0;
    curve->count++;
}

static void walk_straight(Curve *curve, TacVec3 place) {
    if (!curve->count) {
        walk_to(curve, place);
        return;
    }
    TacVec3 from = curve->points[curve->count - 1];
    for (int i = 1; i <= PIECES; i++)
        walk_to(curve, i == PIECES ? place : tac_axpy(from, (double)i / PIECES, tac_sub(place, from)));
}

// Along an arc that leaves both lines of a corner at the same distance from it.
static void walk_round(Curve *curve, const Corner *before, const Corner *corner, const Corner *after,
                       double *middle) {
    TacVec3 in = tac_sub(corner->at, before->at), out = tac_sub(after->at, corner->at);
    double in_length = tac_norm(in), out_length = tac_norm(out);
    in = tac_unit(in);
    out = tac_unit(out);
    double turn = atan2(tac_norm(tac_cross(in, out)), tac_dot(in, out));
    // of a line between two round corners half is each one's; straight on and straight back are not rounded
    if (before->radius > 0) in_length *= 0.5;
    if (after->radius > 0) out_length *= 0.5;
    double reach = fmin(corner->radius * tan(0.5 * turn), fmin(in_length, out_length));
    bool round = turn > 1e-9 && turn < TAC_PI - 1e-6 && reach > 0;
    if (!round) {
        walk_straight(curve, corner->at);
        *middle = curve->walked[curve->count - 1];
        return;
    }
    double radius = reach / tan(0.5 * turn);
    TacVec3 start = tac_axpy(corner->at, -reach, in);
    TacVec3 inward = tac_unit(tac_axpy(out, -tac_dot(in, out), in));
    walk_straight(curve, start);
    double begin = curve->walked[curve->count - 1];
    for (int i = 1; i <= PIECES; i++) {
        double angle = turn * i / PIECES;
        TacVec3 along = tac_axpy(start, radius * sin(angle), in);
        walk_to(curve, tac_axpy(along, radius * (1 - cos(angle)), inward));
    }
    *middle = 0.5 * (begin + curve->walked[curve->count - 1]);
}

// Points of a curve do not outnumber 2 pieces per corner.
static TacStatus walk_corners(Curve *curve, const Corner *corners, size_t count, TacError *error) {
    size_t room = 2 * PIECES * count + 2;
    *curve = (Curve){malloc(room * sizeof *curve->points), malloc(room * sizeof *curve->walked),
                     malloc(count * sizeof *curve->corner_walked), 0};
    if (!curve->points || !curve->walked || !curve->corner_walked) {
        free_curve(curve);
        return tac_fail_memory(error, room * sizeof *curve->points);
    }
    walk_to(curve, corners[0].at);
    curve->corner_walked[0] = 0;
    for (size_t i = 1; i + 1 < count; i++)
        walk_round(curve, &corners[i - 1], &corners[i], &corners[i + 1], &curve->corner_walked[i]);
    walk_straight(curve, corners[count - 1].at);
    curve->corner_walked[count - 1] = curve->walked[curve->count - 1];
    return TAC_OK;
}

// 0 to 1, level for a fifth at both ends.
static double smooth_step(double t) {
    t = fmin(1, fmax(0, (t - 0.2) / 0.6));
    return t * t * t * (10 - t * (15 - 6 * t));
}

// Heights go from corner to corner.
static void lift(Curve *curve, const Corner *corners, size_t count) {
    size_t corner = 0;
    for (size_t i = 0; i < curve->count; i++) {
        while (corner + 2 < count && curve->walked[i] > curve->corner_walked[corner + 1]) corner++;
        double from = curve->corner_walked[corner], to = curve->corner_walked[corner + 1];
        double part = to > from ? (curve->walked[i] - from) / (to - from) : 0;
        curve->points[i].y = corners[corner].height +
                             (corners[corner + 1].height - corners[corner].height) * smooth_step(part);
    }
    for (size_t i = 1; i < curve->count; i++)
        curve->walked[i] = curve->walked[i - 1] + tac_norm(tac_sub(curve->points[i], curve->points[i - 1]));
}

static TacVec3 place_along(const Curve *curve, double walked, size_t *from) {
    while (*from + 2 < curve->count && curve->walked[*from + 1] < walked) ++*from;
    double begin = curve->walked[*from], length = curve->walked[*from + 1] - begin;
    double part = length > 0 ? fmin(1, fmax(0, (walked - begin) / length)) : 0;
    return tac_axpy(curve->points[*from], part, tac_sub(curve->points[*from + 1], curve->points[*from]));
}

// --- bands ------------------------------------------------------------------------------------------------

// Rows of a band that has cells about as long as wide.
static double rows_for(const Curve *curve, double width, int across) {
    double length = curve->walked[curve->count - 1];
    return fmax(1, floor(length / width * across + 0.5)) + 1;
}

// The sideways direction at the next place, turned as little as can be from the last.
static TacVec3 carried(TacVec3 side, TacVec3 along) {
    return tac_unit(tac_axpy(side, -tac_dot(side, along), along));
}

// Any direction across this one.
static TacVec3 across_of(TacVec3 along) {
    TacVec3 axis = fabs(along.x) <= fabs(along.y) && fabs(along.x) <= fabs(along.z) ? tac_vec3(1, 0, 0)
                   : fabs(along.y) <= fabs(along.z)                                 ? tac_vec3(0, 1, 0)
                                                                                    : tac_vec3(0, 0, 1);
    return tac_unit(tac_cross(axis, along));
}

static TacStatus put_rows(double *points, const Curve *curve, size_t rows, int across, double width,
                          TacVec3 up, TacError *error) {
    double length = curve->walked[curve->count - 1], step = length / (double)(rows - 1);
    size_t before = 0, here = 0, after = 0;
    TacVec3 side = {0, 0, 0};
    bool level = tac_dot(up, up) > 0;
    for (size_t row = 0; row < rows; row++) {
        double walked = step * (double)row;
        TacVec3 middle = place_along(curve, walked, &here);
        TacVec3 along = tac_unit(tac_sub(place_along(curve, fmin(length, walked + 0.5 * step), &after),
                                         place_along(curve, fmax(0, walked - 0.5 * step), &before)));
        if (level)
            side = tac_cross(up, along);
        else
            side = row ? carried(side, along) : across_of(along);
        if (!(tac_norm(side) > 1e-6 * (level ? tac_norm(up) : 1)))
            return tac_fail(error, TAC_BAD_USAGE,
                            "the curve runs straight up, or back, %.6g m from its start", walked);
        side = tac_unit(side);
        for (int j = 0; j <= across; j++, points += 3)
            tac_store3(points, tac_axpy(middle, width * ((double)j / across - 0.5), side));
    }
    return TAC_OK;
}

// Two triangles for each cell, with diagonals that alternate.
static int32_t *put_cells(int32_t *out, int32_t first, size_t rows, int across) {
    int32_t row_size = across + 1;
    for (size_t i = 0; i + 1 < rows; i++)
        for (int32_t j = 0; j < across; j++) {
            int32_t a = first + (int32_t)i * row_size + j, b = a + 1, c = a + row_size, d = c + 1;
            const int32_t even[6] = {a, b, c, b, d, c}, odd[6] = {a, b, d, a, d, c};
            memcpy(out, (i + (size_t)j) % 2 ? odd : even, sizeof even);
            out += 6;
        }
    return out;
}

static TacStatus make_bands(TacMesh *mesh, const Curve *curves, size_t count, int across, double width,
                            TacVec3 up, TacError *error) {
    double rows[2] = {0, 0}, total = 0;
    for (size_t i = 0; i < count; i++) total += rows[i] = rows_for(&curves[i], width, across);
    if (!(total * (across + 1.0) <= MOST_POINTS))
        return tac_fail(error, TAC_BAD_USAGE, "the ribbon would have %.3g points; at most %.0e are made",
                        total * (across + 1.0), MOST_POINTS);
    size_t row_size = (size_t)across + 1, cells = ((size_t)total - count) * (size_t)across;
    size_t counts[TAC_ELEMENT_KINDS] = {[TAC_TRIANGLES] = 2 * cells};
    TAC_TRY(tac_mesh_create(mesh, (size_t)total * row_size, counts, error));
    double *points = mesh->points;
    int32_t *triangles = mesh->elements[TAC_TRIANGLES].indices, first = 0;
    for (size_t i = 0; i < count; i++) {
        TacStatus status = put_rows(points, &curves[i], (size_t)rows[i], across, width, up, error);
        if (status != TAC_OK) {
            tac_mesh_destroy(mesh);
            return status;
        }
        triangles = put_cells(triangles, first, (size_t)rows[i], across);
        points += 3 * (size_t)rows[i] * row_size;
        first += (int32_t)((size_t)rows[i] * row_size);
    }
    return TAC_OK;
}

static TacStatus check_band(int across, double width, TacError *error) {
    if (across < 1 || across > 10000)
        return tac_fail(error, TAC_BAD_USAGE, "a ribbon has 1 to 10000 cells across, not %d", across);
    if (!(width > 0 && isfinite(width)))
        return tac_fail(error, TAC_BAD_USAGE, "width is %g m; a positive number was expected", width);
    return TAC_OK;
}

TacStatus tac_mesh_ribbon(TacMesh *mesh, const double *corners, size_t count, double rounding, int across,
                          double width, TacVec3 up, TacError *error) {
    *mesh = (TacMesh){0};
    TAC_TRY(check_band(across, width, error));
    if (count < 2 || count > 10000000)
        return tac_fail(error, TAC_BAD_USAGE, "a curve has 2 to 10000000 points, not %zu", count);
    if (!(rounding >= 0 && isfinite(rounding)))
        return tac_fail(error, TAC_BAD_USAGE, "rounding is %g m; a number that is not negative was expected",
                        rounding);
    Corner *list = malloc(count * sizeof *list);
    if (!list) return tac_fail_memory(error, count * sizeof *list);
    for (size_t i = 0; i < count; i++) list[i] = (Corner){tac_load3(corners + 3 * i), rounding, 0};
    Curve curve;
    TacStatus status = walk_corners(&curve, list, count, error);
    free(list);
    TAC_TRY(status);
    double length = curve.walked[curve.count - 1];
    if (length > 0 && isfinite(length))
        status = make_bands(mesh, &curve, 1, across, width, up, error);
    else
        status = tac_fail(error, TAC_BAD_USAGE, "the curve is %g m long", length);
    free_curve(&curve);
    return status;
}

// --- knots ------------------------------------------------------------------------------------------------

// In widths: x to the right and z towards the reader on the table, rounding, height in half gaps. END is where
// the end of a band goes on for as long as it is told.
#define END 1e9

typedef struct Drawn {
    double x, z, radius, height;
} Drawn;

// Two bights, each of which holds the other's two ends: one seen here, the other turned about the middle. Its
// ends lie under the other's bend and over its sides; its bend lies under the other's ends.
static const Drawn REEF[] = {
    {-END, 0.75, 0, -1}, {-3.3, 0.75, 0, -1},  {-1.7, 0.75, 3, 1},   {1.7, 2.1, 3, 1},
    {4.2, 2.1, 2.1, -1}, {4.2, 0, 0, -1},      {4.2, -2.1, 2.1, -1}, {1.7, -2.1, 3, 1},
    {-1.7, -0.75, 3, 1}, {-3.3, -0.75, 0, -1}, {-END, -0.75, 0, -1},
};

// The standing part comes from above (-z), makes a small ring, crosses over itself and goes around the large
// loop; the end comes up through the ring, around behind the standing part, and down through the ring.
static const Drawn BOWLINE[] = {
    {0, -END, 0, 1},        {0, -8.2, 0, 1},       {0, -6.8, 0, 1},      {0, -5.6, 0, -1},
    {0, -2.5, 0, -1},       {0, -1.3, 0, 1},       {0, 0, 1.2, 1},       {4.7, 0, 1.2, 1},
    {4.7, -3.2, 1.2, -1},   {1.25, -3.2, 0, -1},   {0.4, -3.2, 0, 1},    {-1.6, -3.2, 1.1, 1},
    {-1.6, 0, 0, 0},        {-1.6, 8, 2.4, 0},     {3.3, 8, 2.4, 0},     {3.3, 2, 0, -1},
    {3.3, -0.6, 0, -1},     {3.3, -2.6, 0, 1},     {3.3, -4, 0, 1},      {3.3, -7.2, 1.2, -1},
    {-1.2, -7.2, 1.05, -1}, {-1.2, -5.1, 1.05, 1}, {1.7, -5.1, 1.05, 1}, {1.7, -2.6, 0, 1},
    {1.7, -0.6, 0, -1},     {1.7, 3, 0, -1},
};

static TacStatus draw(Curve *curve, const Drawn *drawn, size_t count, bool turned, double width,
                      double length, double gap, TacError *error) {
    Corner corners[TAC_COUNT(BOWLINE)];
    double sign = turned ? -1 : 1;
    for (size_t i = 0; i < count; i++) {
        const Drawn *d = &drawn[i];
        double x = d->x * width, z = d->z * width;
        if (d->x == -END) x = drawn[i == 0 ? 1 : count - 2].x * width - length;
        if (d->z == -END) z = drawn[1].z * width - length;
        corners[i] = (Corner){{sign * x, 0, z}, d->radius * width, sign * 0.5 * gap * d->height};
    }
    TAC_TRY(walk_corners(curve, corners, count, error));
    lift(curve, corners, count);
    return TAC_OK;
}

TacStatus tac_mesh_knot(TacMesh *mesh, TacKnot knot, int across, double width, double length, double gap,
                        TacError *error) {
    *mesh = (TacMesh){0};
    TAC_TRY(check_band(across, width, error));
    if (!(length > 0 && isfinite(length / width)))
        return tac_fail(error, TAC_BAD_USAGE, "length is %g m; a positive number was expected", length);
    if (!(gap > 0 && gap <= 0.2 * width * (1 + 1e-12)))
        return tac_fail(error, TAC_BAD_USAGE,
                        "gap is %g m; more than 0 and at most a fifth of the width, %g m, was expected", gap,
                        0.2 * width);
    Curve curves[2] = {{0}, {0}};
    size_t count = 0;
    TacStatus status = TAC_OK;
    if (knot == TAC_BOWLINE)
        status = draw(&curves[count++], BOWLINE, TAC_COUNT(BOWLINE), false, width, length, gap, error);
    if (knot == TAC_REEF_KNOT || knot == TAC_REEF_KNOT_LEFT)
        status = draw(&curves[count++], REEF, TAC_COUNT(REEF), false, width, length, gap, error);
    if (status == TAC_OK && (knot == TAC_REEF_KNOT || knot == TAC_REEF_KNOT_RIGHT))
        status = draw(&curves[count++], REEF, TAC_COUNT(REEF), true, width, length, gap, error);
    if (count == 0) status = tac_fail(error, TAC_BAD_USAGE, "there is no such knot");
    if (status == TAC_OK) status = make_bands(mesh, curves, count, across, width, tac_vec3(0, 1, 0), error);
    for (size_t i = 0; i < 2; i++) free_curve(&curves[i]);
    return status;
}
