// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Generators: nails of four slivers, and beds of them. Lengths in m. Each nail has its tip first, then the four
// corners of its foot; nails go along x, then z. Open below. Touches nothing but its arguments.

#include "base/memory.h"
#include "tactus/geometry.h"

enum { NAIL_POINTS = 5, NAIL_TRIANGLES = 4 };

// More would be a mistake in a scene rather than a wish.
static const double MOST_NAILS = 1e7;

TacStatus tac_mesh_nail_bed(TacMesh *mesh, int n, int m, double spacing, double radius, double height,
                            TacError *error) {
    *mesh = (TacMesh){0};
    if (n < 1 || m < 1 || (double)n * m > MOST_NAILS)
        return tac_fail(error, TAC_BAD_USAGE, "a bed of %d by %d nails; 1 to %.0e of them are made", n, m,
                        MOST_NAILS);
    if (!(radius > 0 && height > 0 && isfinite(radius) && isfinite(height)))
        return tac_fail(error, TAC_BAD_USAGE, "a nail of radius %g m and height %g m", radius, height);
    // feet are squares with corners along x and z: they touch where their middles are two radii apart
    if (((double)n * m > 1) && !(spacing > 2 * radius && isfinite(spacing)))
        return tac_fail(error, TAC_BAD_USAGE, "nails %g m apart touch: more than %g m was expected", spacing,
                        2 * radius);
    size_t nails = (size_t)n * (size_t)m,
           counts[TAC_ELEMENT_KINDS] = {[TAC_TRIANGLES] = NAIL_TRIANGLES * nails};
    TAC_TRY(tac_mesh_create(mesh, NAIL_POINTS * nails, counts, error));
    double *points = mesh->points;
    int32_t *triangles = mesh->elements[TAC_TRIANGLES].indices, tip = 0;
    for (int k = 0; k < m; k++)
        for (int i = 0; i < n; i++, tip += NAIL_POINTS) {
            double x = n > 1 ? spacing * (i - 0.5 * (n - 1)) : 0,
                   z = m > 1 ? spacing * (k - 0.5 * (m - 1)) : 0;
            const TacVec3 places[NAIL_POINTS] = {{x, height, z},
                                                 {x + radius, 0, z},
                                                 {x, 0, z - radius},
                                                 {x - radius, 0, z},
                                                 {x, 0, z + radius}};
            for (int c = 0; c < NAIL_POINTS; c++, points += 3) tac_store3(points, places[c]);
            for (int32_t c = 0; c < NAIL_TRIANGLES; c++) {
                *triangles++ = tip;
                *triangles++ = tip + 1 + c;
                *triangles++ = tip + 1 + (c + 1) % NAIL_TRIANGLES;
            }
        }
    return TAC_OK;
}

TacStatus tac_mesh_nail(TacMesh *mesh, double radius, double height, TacError *error) {
    return tac_mesh_nail_bed(mesh, 1, 1, 0, radius, height, error);
}
