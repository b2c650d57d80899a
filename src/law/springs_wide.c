// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Many springs at once. See springs_wide.h. Touches what is kept of its springs, and forces.

#include "law/springs_wide.h"
#include "base/memory.h"

#define INLINE static inline __attribute__((always_inline))

typedef struct Call {
    const TacSpringLanes *lanes;
    double k, b;
} Call;

INLINE void dot(const TacWide a[3], const TacWide b[3], TacWide *out) {
    *out = a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// From the first end to the second.
INLINE void difference(const TacSpringLanes *lanes, size_t batch, const TacFour *rows, TacWide d[3]) {
    TacWide p[6];
    tac_piece_take(&lanes->pieces, 2, batch, rows, p);
    for (size_t i = 0; i < 3; i++) d[i] = p[3 + i] - p[i];
}

INLINE void add(const TacSpringLanes *lanes, size_t batch, const TacWide pull[3], TacFour *f) {
    TacWide out[6];
    for (size_t i = 0; i < 3; i++) {
        out[i] = pull[i];
        out[3 + i] = -pull[i];
    }
    tac_piece_add(&lanes->pieces, 2, batch, out, f);
}

// 1 / l, and t from the force along a spring that turns with it: as `pull` in springs.c.
INLINE void keep(const TacSpringLanes *lanes, size_t s, const TacWide *turned, const TacWide *over,
                 const TacWideMask *alone) {
    TacWide stiffness, turning = *turned * *over;
    tac_wide_load(&stiffness, lanes->stiffness + (s & lanes->stiffness_mask));
    tac_wide_choose(alone, &stiffness, &turning, &turning);
    TacWideMask kept = turning > (TacWide){0};
    if (!lanes->turns) kept = (TacWideMask){0};
    if (!lanes->turns || lanes->stable) tac_wide_keep(&kept, &turning);
    tac_wide_store(lanes->turning + s, &turning);
    tac_wide_store(lanes->over + s, over);
}

// A plain batch has no strings, and nothing of it is kept.
INLINE void batch_forces(const TacSpringLanes *lanes, bool plain, bool damped, size_t batch,
                         const TacPieceRows *rows) {
    const TacWide zero = {0};
    size_t s = TAC_WIDTH * batch;
    TacWide d[3], u[3], length, stiffness, rest, rate = zero;
    tac_wide_load(&stiffness, lanes->stiffness + (s & lanes->stiffness_mask));
    tac_wide_load(&rest, lanes->length + s);
    difference(lanes, batch, rows->x, d);
    dot(d, d, &length);
    tac_wide_root(&length);

    // a slack string and a spring without length have no direction
    TacWideMask some = length > zero, slack = {0};
    if (!plain && lanes->pull_only) slack = length < rest;
    TacWideMask directed = some & ~slack;
    TacWide over = 1.0 / length, tension = stiffness * (length - rest);
    tac_wide_keep(&directed, &over);
    for (size_t i = 0; i < 3; i++) u[i] = over * d[i];
    if (damped) {
        TacWide damping, e[3];
        tac_wide_load(&damping, lanes->damping + (s & lanes->damping_mask));
        difference(lanes, batch, rows->v, e);
        dot(u, e, &rate);
        rate *= damping;
    }
    if (!plain && lanes->keeps) {
        TacWide turned = lanes->damping_turns ? tension + rate : tension;
        TacWideMask alone = ~some & ~slack & ~(rest > zero);
        keep(lanes, s, &turned, &over, &alone);
    }
    if (damped) tension += rate;
    // a string does not push, however fast its ends approach
    TacWideMask pulls = ~(tension < zero);
    if (!plain && lanes->pull_only) tac_wide_keep(&pulls, &tension);
    for (size_t i = 0; i < 3; i++) u[i] *= tension;
    add(lanes, batch, u, rows->f);
}

INLINE void forces(const Call *c, bool plain, bool damped, size_t piece, const TacPieceRows *rows) {
    size_t end = tac_piece_end(&c->lanes->pieces, piece);
    for (size_t batch = tac_piece_first(piece); batch < end; batch++)
        batch_forces(c->lanes, plain, damped, batch, rows);
}

static void plain_forces(const void *call, size_t piece, const TacPieceRows *rows) {
    forces(call, true, false, piece, rows);
}

static void damped_forces(const void *call, size_t piece, const TacPieceRows *rows) {
    forces(call, true, true, piece, rows);
}

static void any_forces(const void *call, size_t piece, const TacPieceRows *rows) {
    forces(call, false, ((const Call *)call)->lanes->damped, piece, rows);
}

static void changes(const void *data, size_t piece, const TacPieceRows *rows) {
    const Call *c = data;
    const TacSpringLanes *lanes = c->lanes;
    size_t end = tac_piece_end(&lanes->pieces, piece);
    for (size_t batch = tac_piece_first(piece); batch < end; batch++) {
        size_t s = TAC_WIDTH * batch;
        TacWide d[3], u[3], along, stiffness, damping, over, turning;
        tac_wide_load(&stiffness, lanes->stiffness + (s & lanes->stiffness_mask));
        tac_wide_load(&damping, lanes->damping + (s & lanes->damping_mask));
        tac_wide_load(&turning, lanes->turning + s);
        tac_wide_load(&over, lanes->over + s);
        difference(lanes, batch, rows->x, u);
        for (size_t i = 0; i < 3; i++) u[i] *= over;
        difference(lanes, batch, rows->v, d);
        dot(u, d, &along);
        turning *= c->k;
        TacWide stretching = c->k * stiffness - turning;
        if (!lanes->damping_turns) stretching += c->b * damping;
        along *= stretching;
        for (size_t i = 0; i < 3; i++) u[i] = along * u[i] + turning * d[i];
        add(lanes, batch, u, rows->f);
    }
}

void tac_spring_lanes_force(const TacSpringLanes *lanes, TacTeam *team, const double *x, const double *v,
                            double *f) {
    Call call = {.lanes = lanes};
    bool plain = !lanes->keeps && !lanes->pull_only;
    TacPieceForces by = !plain ? any_forces : lanes->damped ? damped_forces : plain_forces;
    tac_element_pieces_force(&lanes->pieces, team, by, &call, x, lanes->damped ? v : NULL, f);
}

void tac_spring_lanes_change(const TacSpringLanes *lanes, TacTeam *team, double k, double b, const double *x,
                             const double *d, double *f) {
    Call call = {lanes, k, b};
    tac_element_pieces_force(&lanes->pieces, team, changes, &call, x, d, f);
}
