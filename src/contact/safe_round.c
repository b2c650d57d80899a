// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Where friction acts on what is round. A ball on a frame is a point with a radius: its push goes through that point, but
// friction pulls at its surface, and turns it. So the sides of a pair that frames carry take friction at one place, half-way
// between both surfaces. Both take the same impulse there, and keep their angular momentum. How far they slide is how far
// the points of the frames go that were at that place at the last tick: a frame remembers where it had it, and knows where it
// has it now. Points cannot turn, and take friction at their core, as they are pushed.
//
// Pairs of which no frame has a radius have none of that: a gap is thin, and to be quiet is worth more there.

#include "contact/safe_parts.h"

// The frame under a whole side; TAC_SAFE_NONE: there is none, or several.
static uint32_t frame_under(const TacSafe *safe, uint32_t primitive) {
    const TacPrimitive *p = &safe->primitives[primitive];
    uint32_t body = safe->bodies[p->v[0]];
    for (int i = 1; i <= (int)p->kind; i++)
        if (safe->bodies[p->v[i]] != body) return TAC_SAFE_NONE;
    return body ? body - 1 : TAC_SAFE_NONE;
}

void tac_safe_find_round(TacSafe *safe) {
    for (uint32_t i = 0; i < safe->vertex_count && safe->rough; i++) // vertex i is primitive i
        safe->round = safe->round || (safe->vertices[i].frame && tac_safe_radius(safe, i) > 0);
}

bool tac_safe_has_lever(const TacSafe *safe, const TacPair *pair) {
    if (!(safe->types[pair->type].friction > 0)) return false;
    return (tac_safe_radius(safe, pair->a) > 0 && frame_under(safe, pair->a) != TAC_SAFE_NONE) ||
           (tac_safe_radius(safe, pair->b) > 0 && frame_under(safe, pair->b) != TAC_SAFE_NONE);
}

void tac_safe_find_levers(const TacSafe *safe, const TacPair *pair, int n, double q[4][3],
                          const TacSafeClosest *closest, double lever[2]) {
    double first = tac_safe_radius(safe, pair->a), second = tac_safe_radius(safe, pair->b);
    TacVec3 between = {0, 0, 0};
    for (int i = 1; i < n; i++)
        between = tac_axpy(between, closest->weight[i], tac_sub(tac_load3(q[i]), tac_load3(q[0])));
    double gap = tac_dot(between, tac_load3(closest->normal)) - first - second;
    lever[0] = frame_under(safe, pair->a) == TAC_SAFE_NONE ? 0 : first + 0.5 * gap;
    lever[1] = frame_under(safe, pair->b) == TAC_SAFE_NONE ? 0 : second + 0.5 * gap;
}

static double lightness_of(const TacSafe *safe, uint32_t primitive, double lever) {
    if (lever == 0) return 0;
    const TacSupport *s = &safe->supports[frame_under(safe, primitive)];
    if (!s->kind->inertia || tac_support_bound(s) == 0) return 0;
    const double *m = s->kind->inertia->moments;
    return lever * lever / fmin(m[0], fmin(m[1], m[2]));
}

double tac_safe_lightness(const TacSafe *safe, const TacPair *pair, const double lever[2]) {
    return lightness_of(safe, pair->a, lever[0]) + lightness_of(safe, pair->b, lever[1]);
}

// --- what is remembered -------------------------------------------------------------------------------------

bool tac_safe_take_arms(TacSafe *safe, const TacPair *pair) {
    if (!safe->round) return true;
    uint32_t *arms = &safe->arms_of[pair->live];
    *arms = TAC_SAFE_NONE;
    if (!tac_safe_has_lever(safe, pair)) return true;
    TacSafeList *left = &safe->free_arms;
    if (!left->count &&
        !tac_grow_bare(&safe->arms, &safe->arm_capacity, safe->arm_count + 1, sizeof *safe->arms))
        return false;
    *arms = left->count ? left->items[--left->count] : (uint32_t)safe->arm_count++;
    safe->arms[*arms] = (TacArms){0};
    return true;
}

void tac_safe_leave_arms(TacSafe *safe, uint32_t live) {
    if (tac_safe_has_arms(safe, live)) tac_safe_push(safe, &safe->free_arms, safe->arms_of[live]);
}

void tac_safe_pin_arms(TacSafe *safe, const TacPair *pair, const double normal[3], const double lever[2],
                       TacTick now) {
    TacArms *arms = &safe->arms[safe->arms_of[pair->live]];
    for (int side = 0; side < 2; side++) {
        if (lever[side] == 0) continue; // and will be
        TacQuat turn = tac_safe_turn(safe, frame_under(safe, side ? pair->b : pair->a), now);
        TacVec3 local = tac_rotate(tac_quat_conjugate(turn), tac_safe_arm(normal, lever, side));
        arms->at[side][0] = (float)local.x;
        arms->at[side][1] = (float)local.y;
        arms->at[side][2] = (float)local.z;
    }
}

static TacVec3 arm_by_now(const TacSafe *safe, uint32_t primitive, const float local[3], TacTick now) {
    uint32_t frame = frame_under(safe, primitive);
    if (frame == TAC_SAFE_NONE) return tac_vec3(0, 0, 0);
    TacVec3 arm = {(double)local[0], (double)local[1], (double)local[2]};
    return tac_rotate(tac_safe_turn(safe, frame, now), arm);
}

TacVec3 tac_safe_arms_apart(const TacSafe *safe, const TacPair *pair, TacTick now) {
    const TacArms *arms = &safe->arms[safe->arms_of[pair->live]];
    return tac_sub(arm_by_now(safe, pair->a, arms->at[0], now), arm_by_now(safe, pair->b, arms->at[1], now));
}
