// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// See slant.h.

#include "geometry/slant.h"

void tac_slant_add(TacSlantSum *sum, TacVec3 from, TacVec3 to) {
    TacVec3 e = tac_sub(to, from);
    double length = tac_norm(e);
    if (!(length > 0) || !isfinite(length)) return;
    TacVec3 d = tac_scale(e, 1 / length);
    sum->xx += length * d.x * d.x;
    sum->yy += length * d.y * d.y;
    sum->zz += length * d.z * d.z;
    sum->xy += length * d.x * d.y;
    sum->xz += length * d.x * d.z;
    sum->yz += length * d.y * d.z;
}

static TacVec3 times(const TacSlantSum *s, TacVec3 v) {
    return tac_vec3(s->xx * v.x + s->xy * v.y + s->xz * v.z, s->xy * v.x + s->yy * v.y + s->yz * v.z,
                    s->xz * v.x + s->yz * v.y + s->zz * v.z);
}

// The direction in which most of them lie, by a few powers: it is wanted only where it stands out.
static TacVec3 main_direction(const TacSlantSum *s) {
    enum { POWERS = 24 };
    TacVec3 v = s->xx >= s->yy && s->xx >= s->zz ? tac_vec3(s->xx, s->xy, s->xz)
                : s->yy >= s->zz                 ? tac_vec3(s->xy, s->yy, s->yz)
                                                 : tac_vec3(s->xz, s->yz, s->zz);
    for (int i = 0; i < POWERS; i++) {
        double size = tac_norm(v);
        if (!(size > 0) || !isfinite(size)) return tac_vec3(1, 0, 0);
        v = times(s, tac_scale(v, 1 / size));
    }
    return tac_scale(v, 1 / tac_norm(v));
}

TacSlant tac_slant_of(const TacSlantSum *sum) {
    const double most = 0.9;   // of all lengths, to lie along one line
    const double askew = 0.99; // what is along a usual axis needs no other
    double all = sum->xx + sum->yy + sum->zz;
    TacSlant slant = {false, {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    if (!(all > 0) || !isfinite(all)) return slant;
    TacVec3 v = main_direction(sum);
    double x = fabs(v.x), y = fabs(v.y), z = fabs(v.z);
    if (!(tac_dot(v, times(sum, v)) > most * all) || !(fmax(x, fmax(y, z)) < askew)) return slant;
    TacVec3 far = x <= y && x <= z ? tac_vec3(1, 0, 0) : y <= z ? tac_vec3(0, 1, 0) : tac_vec3(0, 0, 1);
    TacVec3 u = tac_cross(v, far);
    u = tac_scale(u, 1 / tac_norm(u));
    return (TacSlant){true, {v, u, tac_cross(v, u)}};
}
