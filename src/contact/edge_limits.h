// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Edges that cannot be longer, or shorter, than a limit (document on safe contact, "nested penalty layers can
// enforce a broader class of unilateral constraints"; design: "Inextensibility").
//
// An edge of rest length L with strain limit s has two nests of layers (layers.h), on what is left of its
// length on either side:
//
//     above   L (1 + s) - l          below   l - L (1 - s)
//
// Both begin at s L / 2 (rounded down to a power of two of the longest edge's): up to half of the strain an edge
// feels nothing, and none ever reaches its limit, since the nest is a barrier that finite kicks cannot beat.
//
// Which ticks can be left out is found as for pairs, but without plans: seen from each other, two free points
// fly straight, so an edge's length changes no faster than its ends' relative speed (and, where only one end
// falls, half the square of the time times gravity). That is a certificate for the first layer that is not
// armed, until the edge's ends are kicked.
//
// Rules
//  1. Between instants, every edge is armed down to a class k such that no layer of a finer class can be live
//     before the tick filed for it in the wheel.
//  2. A look that finds no live layer writes nothing; a kick that is not null brings both ends to the instant.
//     So the result does not depend on what is armed when.
//  3. Whoever kicks a point says so (tac_limits_kicked) before the instant is settled.
//  4. An edge's memory (for restitution) is what it was at its last kick that was not null; it counts while
//     its coarsest layer has not missed a tick since.
//
// One instant: tac_limits_expire, tac_limits_kick (adds to dv), tac_limits_commit (v += dv on what it kicked),
// tac_limits_settle.

#ifndef TACTUS_CONTACT_EDGE_LIMITS_H
#define TACTUS_CONTACT_EDGE_LIMITS_H

#include "contact/layers.h"
#include "matter/matter.h"
#include "time/ruler.h"
#include "time/wheel.h"

// The component: every edge of its topology.
typedef struct TacEdgeLimit {
    TacComponent base;
    TacMatter *matter;
    double strain, restitution, speed;
    TacInts given_pairs;
    // made by init
    int32_t *pairs;
    size_t count;
} TacEdgeLimit;

extern const TacClass tac_edge_limit_class;

// What an edge remembers: state of the world.
typedef struct TacLimitMemory {
    double gap[2]; // m, above and below
    TacTick tick;  // of its last kick; -1: none
} TacLimitMemory;

typedef struct TacLimitEdge {
    uint32_t ends[2]; // vertices
    double low, high; // m
    double r1;        // N/m, of the unscaled nest
    double restitution;
    int8_t shift;
    int8_t armed; // -1: none
    bool dirty;
    const TacEdgeLimit *owner; // and the edge's number in it, for messages
    uint32_t number;
} TacLimitEdge;

typedef struct TacLimitVertex {
    const TacMatter *matter;
    uint32_t point;
    double w[3], g[3];
    uint32_t first, count; // its edges, in `around`
    bool kicked;           // by an edge, at this instant
} TacLimitVertex;

typedef struct TacLimits {
    TacTimebase base;
    TacLayers layers;
    double v_rest; // m/s
    TacLimitVertex *vertices;
    size_t vertex_count;
    TacLimitEdge *edges;
    TacLimitMemory *memory;
    size_t edge_count;
    uint32_t *around;
    uint32_t **vertex_of;   // by matter's component index: vertex + 1 of each point; NULL: none
    uint32_t *dirty, *hits; // edges to look at again; vertices that were kicked
    size_t dirty_count, hit_count;
    TacRuler ruler;            // armed edges
    TacWheel wheel;            // certificates
    const TacEdgeLimit *stuck; // whose edge could not go on; NULL: none's
    uint64_t looks, kicks;
    double nearest; // least gap seen in a kick, over the edge's own limit
} TacLimits;

void tac_limits_destroy(TacLimits *limits); // ruler and wheel; the arrays belong to the world

// Looks at every edge. Also after a restore.
TacStatus tac_limits_start(TacLimits *limits, TacTick now, TacError *error);

// After a restore in the middle of an instant: what was kicked is still to be committed.
void tac_limits_resume(TacLimits *limits);

TacTick tac_limits_next(const TacLimits *limits, TacTick from, TacTick limit);
TacStatus tac_limits_expire(TacLimits *limits, TacTick now, TacError *error);

// Called for each point that is about to be kicked, before its state changes.
typedef void (*TacLimitTell)(void *data, const TacMatter *matter, uint32_t point, TacTick now);
void tac_limits_kick(TacLimits *limits, TacTick now, TacLimitTell tell, void *data);

// Whether an edge on the matter has a limit.
bool tac_limits_has(const TacLimits *limits, const TacMatter *matter);

void tac_limits_kicked(TacLimits *limits, const TacMatter *matter, uint32_t point);
// How points fall by themselves may have changed (tac_matter_fall). tac_limits_settle or tac_limits_start must follow.
void tac_limits_take_falls(TacLimits *limits);
bool tac_limits_commit(TacLimits *limits); // false: a velocity is no longer a number
TacStatus tac_limits_settle(TacLimits *limits, TacTick now, TacError *error);

double tac_limits_energy(const TacLimits *limits, TacTick now);

#endif
