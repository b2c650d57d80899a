// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Directions along which two primitives are apart, for pairs that are far nearer than they are long.
//
// The direction between the closest points of two convex things is the best there is; but those points are only known
// up to a rounding. Where several places of a boundary are all but equally near (edges that are parallel, faces in one
// plane), the square of the distance cannot tell them apart within sqrt(2^-52 length distance) along the boundary. At a
// distance of 1e-7 m and a length of 0.1 m that tilts the direction by some 1e-5: harmless for a kick, but the far end
// of the edge then seems to reach into the other side, and no certificate could be given. A true direction is at right
// angles to the edges that the closest points lie on; so those near the given one are tried. Touches nothing but its
// arguments.

#include "contact/safe_parts.h"

typedef struct Best {
    TacVec3 direction;
    double width;
} Best;

static void try_direction(Best *best, double c[4][3], int na, int n, TacVec3 d) {
    double size = tac_norm(d), unit[3], along[4];
    if (!(size > 0.5)) return; // another direction altogether
    d = tac_scale(d, 1 / size);
    tac_store3(unit, d);
    double width = tac_safe_width(c, na, n, unit, along);
    if (width > best->width) *best = (Best){d, width};
}

void tac_safe_straighten(double c[4][3], int na, int n, double d[3]) {
    TacVec3 given = tac_load3(d), corner[4], edges[4];
    int count = 0;
    double along[4];
    Best best = {given, tac_safe_width(c, na, n, d, along)};
    for (int i = 0; i < n; i++) corner[i] = tac_load3(c[i]);
    for (int i = 0; i < n; i++)
        for (int j = i + 1; j < n; j++)
            if ((i < na) == (j < na)) edges[count++] = tac_sub(corner[j], corner[i]);
    for (int i = 0; i < count; i++) try_direction(&best, c, na, n, tac_safe_across(given, edges[i]));
    // of two edges, or of a face
    if (count > 1) {
        TacVec3 second = tac_safe_across(edges[1], edges[0]);
        try_direction(&best, c, na, n, tac_safe_across(tac_safe_across(given, edges[0]), second));
    }
    tac_store3(d, best.direction);
}
