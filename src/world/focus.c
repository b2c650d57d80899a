// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// The user's focus: how much somebody attends to each matter ("Adaptive resolution in physics based virtual
// environments", section 2.2: view and interaction). Agents that choose a resolution read it off their matter
// (TacMatter.focus) and let it count as they see fit.
//
//   1. What is selected, held by a hand or near the sphere has all of it: 1.
//   2. What is looked at has exp(-(angle / 0.15 rad)^2), the angle being that between where the eye looks and the
//      nearest of some points of the matter as seen from the eye.
//   3. It follows from inputs and from positions at the instant at which an agent settles, and from nothing else: so it
//      is no state, and the same inputs at the same ticks give the same bits.

#include "world/hand.h"
#include "world/world.h"

enum { MOST_SAMPLES = 64 };

static const double WIDTH = 0.15; // rad, of where somebody looks

static bool somebody_looks(const TacTouchState *s) {
    TacVec3 d = tac_sub(s->aim, s->eye);
    return tac_dot(d, d) > 0;
}

// Whether a component's node is that of the matter, or above it; the root is above everything and counts for nothing.
static bool is_below(const TacComponent *selected, const TacMatter *m) {
    const char *slash = strrchr(selected->path, '/');
    size_t length = slash ? (size_t)(slash - selected->path) : 0;
    return length > 0 && !strncmp(selected->path, m->base.path, length) && m->base.path[length] == '/';
}

static bool is_selected(const TacWorld *world, size_t matter) {
    uint64_t handle = world->hands.state.selected;
    const TacComponent *c =
        handle ? tac_world_get(world, (TacComponentId){(uint32_t)handle, (uint32_t)(handle >> 32)}) : NULL;
    if (!c) return false;
    if (is_below(c, world->matters[matter])) return true;
    for (size_t i = 0; i < world->matter_count; i++)
        if (&world->matters[i]->base == c) return i == matter || world->hands.root[i] == matter;
    return false;
}

static bool is_held(const TacWorld *world, size_t matter) {
    const TacHold *holds = world->hands.state.holds;
    for (size_t h = 0; h < TAC_HANDS; h++)
        if (holds[h].used && (holds[h].matter == matter || world->hands.root[holds[h].matter] == matter))
            return true;
    return false;
}

static TacVec3 place_of(const TacMatter *m, size_t point) {
    const double *p = m->vectors[TAC_X] + (size_t)m->position_size * point;
    if (m->kind == TAC_VEC1) return tac_vec3(p[0], 0, 0);
    return tac_vec3(p[0], p[1], m->kind == TAC_VEC3 || m->kind == TAC_RIGID3 ? p[2] : 0);
}

// Rule 2, and whether one of the points is near the sphere.
static double seen(const TacTouchState *s, const TacMatter *m) {
    size_t stride = (m->count + MOST_SAMPLES - 1) / MOST_SAMPLES;
    TacVec3 way = tac_unit(tac_sub(s->aim, s->eye));
    double most = -1, reach = 1.5 * s->radius;
    for (size_t i = 0; i < m->count; i += stride) {
        TacVec3 x = place_of(m, i), d = tac_sub(x, s->eye), c = tac_sub(x, s->center);
        if (s->radius > 0 && tac_dot(c, c) < reach * reach) return 1;
        double distance = tac_norm(d);
        if (distance > 0) most = fmax(most, tac_dot(d, way) / distance);
    }
    double angle = acos(fmin(most, 1)) / WIDTH;
    return somebody_looks(s) ? exp(-angle * angle) : 0;
}

void tac_hands_attend(TacWorld *world, const TacProgram *program) {
    const TacTouchState *s = &world->hands.state;
    if (s->input_count == 0) return; // nobody was ever there
    for (size_t i = 0; i < world->matter_count; i++) {
        TacMatter *m = world->matters[i];
        bool own = false;
        for (size_t k = 0; k < program->matter_count && !own; k++) own = program->matters[k] == m;
        if (!own || !m->count) continue;
        m->focus = is_selected(world, i) || is_held(world, i) ? 1 : seen(s, m);
    }
}
