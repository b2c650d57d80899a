// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// What the world tells safe contact about who else kicks its supports; see safe.h.

#include "contact/safe_parts.h"

void tac_safe_set_regular(TacSafe *safe, uint32_t support, int regular) {
    safe->supports[support].regular = (int8_t)regular;
}

double tac_safe_work(const TacSafe *safe, uint32_t support, const double *before, TacVec3 *linear,
                     TacVec3 *angular) {
    const TacSupport *s = &safe->supports[support];
    double work = 0, impulse[3] = {0, 0, 0};
    for (int k = 0; k < 3; k++) {
        double b = before ? before[k] : 0, dv = s->dv[k] - b;
        if (!(s->w[k] > 0)) continue;
        impulse[k] = dv / s->w[k];
        work += impulse[k] * (s->v[k] + b + 0.5 * dv);
    }
    *linear = tac_add(*linear, tac_load3(impulse));
    *angular = tac_add(*angular, tac_cross(tac_load3(s->x), tac_load3(impulse)));
    if (!s->frame || !s->inertia) return work;
    TacVec3 b = before ? tac_load3(before + 3) : tac_vec3(0, 0, 0), dv = tac_sub(tac_load3(s->dv + 3), b);
    TacVec3 turn = tac_inertia_apply(s->inertia, tac_load_quat(s->x + 3), dv);
    TacVec3 mean = tac_axpy(tac_add(tac_load3(s->v + 3), b), 0.5, dv);
    *angular = tac_add(*angular, turn);
    return work + tac_dot(turn, mean);
}
