// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// What the files of Wire share. See wire.h for the rules.

#ifndef TACTUS_AGENT_WIRE_PARTS_H
#define TACTUS_AGENT_WIRE_PARTS_H

#include "agent/resolution.h"
#include "agent/wire.h"
#include "constraint/cable.h"

enum { HALVES, DOCUMENT }; // transitions
enum { CABLE = -1 };       // the level below all: its ends ride on what they are tied to

typedef struct Wire {
    TacMass head;
    // as given
    TacMatter *end[2];
    int64_t end_point[2];
    TacVec3 end_at[2];
    double diameter, density, stretch, bend, damping, gamma_accuracy;
    int material, transition;
    int64_t start_level;
    double weights[3], gamma_time, cost;
    int64_t highest;
    double length, mass;
    double factor; // by which accuracy counts more just now
    // What is looked at in every step, in one cache line: choosing is quick, fetching is not.
    // Between these two tensions its choice is known, for that focus and limit of time (and step: known_step): less never
    // makes a coarser level better. (Tension rather than N_crit, which takes a root and a division.)
    _Alignas(64) double known_low;
    double known_high, known_factor, known_limit;
    double pull, critical,
        robustness; // largest tension of the last kick, N_crit, and quality at the present level
    int16_t level;  // as in resolution, saved and restored
    int16_t known_choice;
    int16_t finest;                   // R
    bool noded;                       // goes over nodes (wire_nodes.c)
    bool focused;                     // the scene tells when somebody looks
    double numbers[TAC_WIRE_NUMBERS]; // TAC_WIRE_..., put out
    double known_step;
    double length_mass; // m kg
    double attention, gamma_robustness;
    int64_t lowest;
    TacReals focus;
    TacResolution resolution;
    TacPatience waiting; // saved and restored
    double patience;
    double accuracy[TAC_LEVELS]; // quality of each level, from CABLE on
    // what it comes to
    TacAttachment attachment[2];
    double owed[2][3];   // N s, by end: to what it is tied to, at the next step; saved and restored
    double *m, *inverse; // by point
    TacCarriedPoint *lines, *next_lines; // by point: who carries it now, and at the next coarser level
    const TacGuard *guard;               // while it settles
    bool made_up;    // while it settles: the momentum that an end takes along is made up for
    double *tension; // by segment of the finest level
    TacReals tensions, outputs;
    TacCable line;
    TacCableRun *runs; // at most one for each point, and one more
    size_t run_count;
    uint8_t *live; // by point
    // Where it is touched (wire_follow.c), by point: who is carried by nobody, scratch; inverse masses for touch, and scratch.
    uint8_t *own;
    double *touch, *next_touch;
    double *was;          // by point: where it was at the last step
    double *known;        // by point: tension behind it at the last step
    TacCableLying *lying; // by point: on which face of a body it lies
    double *hung;         // by point: mass whose weight it feels, kg
    double *share;        // by point: mass of the run that ends there which it has, kg
} Wire;

static inline size_t segments(int level) {
    return (size_t)1 << (level > 0 ? level : 0);
}

static inline size_t stride(const Wire *self, int level) {
    return segments(self->finest) / segments(level);
}

static inline double *x_of(const Wire *self, size_t point) {
    return self->head.matter->vectors[TAC_X] + 3 * point;
}

static inline double *v_of(const Wire *self, size_t point) {
    return self->head.matter->vectors[TAC_V] + 3 * point;
}

static inline bool is_held(const Wire *self, size_t point) {
    const uint8_t *held = self->head.matter->held;
    return held && (held[point] & TAC_HELD_WHOLLY);
}

static inline double material_of(const Wire *self, size_t point) {
    return self->length * (double)point / (double)segments(self->finest);
}

// What wires over nodes do instead. The masses, the place of carried points, and transitions follow from which points are
// live and from the nodes' material.
TacStatus tac_wire_lay(Wire *self, TacSetup *setup, TacError *error);
TacStatus tac_wire_keep_nodes(Wire *self, TacSetup *setup, TacError *error);
void tac_wire_add_nodes(Wire *self, const TacContext *context, TacRows *rows);
void tac_wire_take_nodes(Wire *self, const double *forces);
// After a step, with the time until the next one: what slid, and the masses that follow from it.
void tac_wire_pass_nodes(Wire *self, double step);
// J, as if every part of the line had its weight where it lies.
double tac_wire_height_of_line(Wire *self);
void tac_wire_renew_nodes(
    Wire *self); // masses vanish next to nodes and come back behind them; those of its level
void tac_wire_carry_nodes(Wire *self);
void tac_wire_divide_nodes(Wire *self, double *a);
// Whether its line, at a coarser level, would stay out of wheels.
bool tac_wire_clears_wheels(const Wire *self, int level);
bool tac_wire_nodes_are_sound(const Wire *self);
bool tac_wire_is_plain(const Wire *self, size_t first,
                       size_t last); // from point to point: no node, all masses live

// Where an end is: on what it is tied to, or where its point is held.
static inline TacAttachment end_of(const Wire *self, size_t end) {
    if (self->attachment[end].matter) return self->attachment[end];
    return (TacAttachment){self->head.matter, end ? self->head.matter->count - 1 : 0, {0, 0, 0}};
}

// --- wire_rows.c

TacJointSize tac_wire_capacity(const void *wire);
size_t tac_wire_matters(const void *wire, TacMatter **list, size_t most);
bool tac_wire_tie(const void *wire, size_t number, TacTie *tie);
void tac_wire_add(void *wire, const TacContext *context, TacRows *rows);
void tac_wire_take(void *wire, const TacContext *context, const double *forces);
// Rows of wire_still.c, behind all others.
bool tac_wire_add_still(const void *wire, const TacContext *context, const double *forces, TacRows *rows);

// --- wire_choice.c

// When all else is ready.
void tac_wire_prepare_choice(Wire *self);
bool tac_wire_adapts(const void *wire);
double tac_wire_cost(const void *wire);
// The largest tension of a step has been found: N_crit and robustness follow.
void tac_wire_take_tension(Wire *self, double tension, double step);
// Algorithm 2, lines 7 to 19, for all wires of an agent.
void tac_wire_settle(void *const *wires, size_t count, const TacSettling *settling);

// --- wire_levels.c

// Whether its points lie where that level would have them.
bool tac_wire_fits(const Wire *self, int level);
// Masses and lines of the level that it has.
void tac_wire_lump(Wire *self);
// Rule 1: carried points are put where they belong.
void tac_wire_carry(Wire *self);
bool tac_wire_owe(Wire *self, size_t point, double mass, const double *velocity);
bool tac_wire_refine(void *wire);
bool tac_wire_coarsen(void *wire);
double tac_wire_most_inverse(const void *wire, size_t point);
bool tac_wire_lines_are_sound(const Wire *self);

// --- wire_follow.c

static inline bool is_watched(const Wire *self) {
    return self->head.matter->carried != NULL;
}

// Lines of a wire over nodes, as it lies.
void tac_wire_find_followers(Wire *self);
void tac_wire_weigh_touch(Wire *self);
// At the end of a step, with the time until the next one.
void tac_wire_follow_ends(Wire *self, double step);
void tac_wire_follow_nodes(Wire *self, double step);
bool tac_wire_may_coarsen_nodes(Wire *self, int level);
bool tac_wire_follows_are_sound(const Wire *self);
bool tac_wire_meets_by_nodes(const void *wire, const TacMatter *matter, size_t frame);
size_t tac_wire_pieces(const void *wire, TacLinePiece *pieces, size_t most);

// --- wire_still.c

// Adds two rows for each segment, from `slot` on, where its level is too fine for the forces that were found.
bool tac_wire_steady(const Wire *self, double step, const double *forces, TacRows *rows, size_t slot);

// --- wire_look.c

void tac_wire_scalars(const void *wire, TacScalar what, TacScalarSheet *sheet);
size_t tac_wire_marks(const void *wire, TacNodeMark *marks, size_t most);

#endif
