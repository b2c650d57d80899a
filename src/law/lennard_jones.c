// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// LennardJones: all points of a matter attract each other from afar and repel each other from near.
//
//     U(d) = b d^-beta - a d^-alpha,   a = p0 d0^alpha / (1 - alpha / beta),   b = p0 d0^beta / (beta / alpha -
//     1)
//
// so that the lowest energy, -p0, is at the distance d0 (J. E. Jones, 1924; alpha 6 and beta 12 are the usual
// ones; SOFA's LennardJonesForceField has the same numbers). Beyond the cut-off there is nothing; energies
// are counted from the one at the cut-off, so that they do not jump there. SOFA can cap the pull; the cap is
// not part of the energy. SOFA's stiffness is the one along the line between two points; the other part is
// what turning that line does, and makes systems indefinite. Every point sums over its own neighbours, in an
// order that positions alone decide.

#include "base/memory.h"
#include "law/laws.h"
#include "law/neighbours.h"
#include "law/setup.h"

enum { GRAIN = 256 };

typedef struct LennardJones {
    TacLaw law;
    double depth, distance, attraction, repulsion, cutoff, strongest, damping;
    bool stable;
    size_t dimension;
    double a, b, floor; // floor: U at the cut-off
    bool usual;         // alpha 6 and beta 12: powers without pow
    TacNeighbours grid;
    double *partial; // energy, by chunk
} LennardJones;

typedef struct Call {
    const LennardJones *self;
    const TacLawVectors *vectors;
    double k, b;
    bool changes;
    double sum;
    size_t size, particle; // numbers per velocity; whose neighbours are visited
    double f[3];
} Call;

// d^-alpha and d^-beta
static void powers(const LennardJones *self, double square, double *pull, double *push) {
    if (self->usual) {
        double inverse = 1 / (square * square * square);
        *pull = inverse;
        *push = inverse * inverse;
        return;
    }
    *pull = pow(square, -0.5 * self->attraction);
    *push = pow(square, -0.5 * self->repulsion);
}

// The pull towards each other, and its derivative by the distance, at a distance whose square is not 0.
static double pull_at(const LennardJones *self, double square, double *slope) {
    double pull, push, d = sqrt(square);
    powers(self, square, &pull, &push);
    double fa = self->a * self->attraction * pull / d, fb = self->b * self->repulsion * push / d;
    if (fa - fb > self->strongest) {
        *slope = 0;
        return self->strongest;
    }
    *slope = (-(self->attraction + 1) * fa + (self->repulsion + 1) * fb) / d;
    return fa - fb;
}

static void add_force(void *data, const TacNeighbour *other, const double d[3], double square) {
    Call *c = data;
    const LennardJones *self = c->self;
    const double *v = c->vectors->v[0];
    double slope, s = square > 0 ? pull_at(self, square, &slope) / sqrt(square) : 0;
    const double *mine = v + c->size * c->particle, *theirs = v + c->size * other->index;
    for (size_t i = 0; i < self->dimension; i++) c->f[i] += s * d[i] + self->damping * (theirs[i] - mine[i]);
}

static void add_change(void *data, const TacNeighbour *other, const double d[3], double square) {
    Call *c = data;
    const LennardJones *self = c->self;
    if (!(square > 0)) return;
    const double *v = c->vectors->v[0];
    const double *mine = v + c->size * c->particle, *theirs = v + c->size * other->index;
    double slope, turning = pull_at(self, square, &slope) / sqrt(square), along = 0, e[3] = {0, 0, 0};
    if (self->stable) turning = 0;
    for (size_t i = 0; i < self->dimension; i++) {
        e[i] = theirs[i] - mine[i];
        along += d[i] * e[i];
    }
    along *= (slope - turning) / square;
    for (size_t i = 0; i < self->dimension; i++)
        c->f[i] += c->k * (along * d[i] + turning * e[i]) + c->b * self->damping * e[i];
}

static void force_chunk(void *data, size_t begin, size_t end, size_t chunk) {
    (void)chunk;
    const Call *shared = data;
    const LennardJones *self = shared->self;
    for (size_t p = begin; p < end; p++) {
        Call c = *shared;
        c.particle = p;
        if (c.changes)
            tac_neighbours_visit(&self->grid, p, add_change, &c);
        else
            tac_neighbours_visit(&self->grid, p, add_force, &c);
        double *f = c.vectors->f[0] + c.size * p;
        for (size_t i = 0; i < self->dimension; i++) f[i] += c.f[i];
    }
}

static void sort_points(LennardJones *self, const TacLawVectors *vectors) {
    tac_neighbours_sort(&self->grid, vectors->x[0], (size_t)self->law.matter[0]->position_size,
                        self->dimension);
}

static Call prepare(LennardJones *self, const TacLawVectors *vectors) {
    return (Call){.self = self, .vectors = vectors, .size = (size_t)self->law.matter[0]->velocity_size};
}

static void force(void *data, const TacContext *context, const TacLawVectors *vectors) {
    LennardJones *self = data;
    sort_points(self, vectors);
    Call call = prepare(self, vectors);
    tac_team_run(context->team, self->grid.count, GRAIN, force_chunk, &call);
}

static void force_change(void *data, const TacContext *context, const TacLawVectors *vectors, double k,
                         double b) {
    LennardJones *self = data;
    Call call = prepare(self, vectors);
    call.changes = true;
    call.k = k;
    call.b = b;
    tac_team_run(context->team, self->grid.count, GRAIN, force_chunk, &call);
}

static double potential(const LennardJones *self, double square) {
    double pull, push;
    powers(self, square, &pull, &push);
    return self->b * push - self->a * pull;
}

static void add_energy(void *data, const TacNeighbour *other, const double d[3], double square) {
    (void)d;
    Call *c = data;
    if (other->index > c->particle && square > 0) c->sum += potential(c->self, square) - c->self->floor;
}

static void energy_chunk(void *data, size_t begin, size_t end, size_t chunk) {
    const Call *shared = data;
    Call c = *shared;
    for (c.particle = begin; c.particle < end; c.particle++)
        tac_neighbours_visit(&c.self->grid, c.particle, add_energy, &c);
    c.self->partial[chunk] = c.sum;
}

static double energy(void *data, const TacContext *context, const TacLawVectors *vectors) {
    LennardJones *self = data;
    sort_points(self, vectors);
    Call call = prepare(self, vectors);
    tac_team_run(context->team, self->grid.count, GRAIN, energy_chunk, &call);
    double sum = 0;
    for (size_t i = 0; i * GRAIN < self->grid.count; i++) sum += self->partial[i];
    // whoever measures may do so at other positions than those of the last force
    sort_points(self, &(TacLawVectors){.x = {self->law.matter[0]->vectors[TAC_X]}});
    return sum;
}

// --- blocks -----------------------------------------------------------------------------------------------

typedef struct Blocks {
    Call call;
    TacMatrix *matrix;
    double own[36];
} Blocks;

static void add_block(void *data, const TacNeighbour *other, const double d[3], double square) {
    Blocks *blocks = data;
    const Call *c = &blocks->call;
    const LennardJones *self = c->self;
    double slope = 0, turning = 0, block[36] = {0};
    if (square > 0) turning = pull_at(self, square, &slope) / sqrt(square);
    if (self->stable) turning = 0;
    for (size_t i = 0; i < self->dimension; i++)
        for (size_t j = 0; j < self->dimension; j++) {
            double value = square > 0 ? c->k * (slope - turning) / square * d[i] * d[j] : 0;
            if (i == j) value += c->k * turning + c->b * self->damping;
            block[c->size * i + j] = value;
            blocks->own[c->size * i + j] -= value;
        }
    tac_matrix_add(blocks->matrix, 0, c->particle, 0, other->index, block);
}

static void add_blocks(void *data, const TacContext *context, const TacLawVectors *vectors, double k,
                       double b, TacMatrix *matrix) {
    (void)context;
    LennardJones *self = data;
    sort_points(self, vectors);
    for (size_t p = 0; p < self->grid.count; p++) {
        Blocks blocks = {.call = prepare(self, vectors), .matrix = matrix};
        blocks.call.k = k;
        blocks.call.b = b;
        blocks.call.particle = p;
        tac_neighbours_visit(&self->grid, p, add_block, &blocks);
        tac_matrix_add(matrix, 0, p, 0, p, blocks.own);
    }
}

static const TacLawOps ops = {
    .force = force, .force_change = force_change, .energy = energy, .stiffness = add_blocks};

// --- setting up -------------------------------------------------------------------------------------------

static TacStatus init(void *data, TacSetup *setup, TacError *error) {
    LennardJones *self = data;
    const TacMatter *matter = self->law.matter[0];
    double alpha = self->attraction, beta = self->repulsion;
    if (!(beta > alpha))
        return tac_setup_fail(setup, error, "repulsion",
                              "repulsion (%g) must fall off faster than attraction (%g)", beta, alpha);
    self->dimension = tac_law_place_size(matter->kind);
    self->a = self->depth * pow(self->distance, alpha) / (1 - alpha / beta);
    self->b = self->depth * pow(self->distance, beta) / (beta / alpha - 1);
    if (!isfinite(self->a) || !isfinite(self->b))
        return tac_setup_fail(setup, error, "distance", "distance to the power of %g is too large a number",
                              beta);
    self->usual = alpha == 6 && beta == 12;
    if (isnan(self->cutoff)) self->cutoff = 2.5 * self->distance;
    if (isnan(self->strongest)) self->strongest = INFINITY;
    self->floor = potential(self, self->cutoff * self->cutoff);
    self->partial = tac_setup_alloc(setup, matter->count / GRAIN + 1, sizeof(double));
    if (!self->partial) return tac_fail_memory(error, (matter->count / GRAIN + 1) * sizeof(double));
    TAC_TRY(tac_neighbours_create(&self->grid, setup, matter->count, self->cutoff, error));
    sort_points(self, &(TacLawVectors){.x = {matter->vectors[TAC_X]}});
    return TAC_OK;
}

static const TacAttribute attributes[] = {
    TAC_LAW_ATTRIBUTES(LennardJones, law),
    {"depth", TAC_REAL, offsetof(LennardJones, depth), "J", "1",
     "How much energy it takes to part two points at rest; negative turns attraction and repulsion around.",
     NULL, TAC_ANY, 0},
    {"distance", TAC_REAL, offsetof(LennardJones, distance), "m", "1", "At which two points are at rest.",
     NULL, TAC_POSITIVE, 0},
    {"attraction", TAC_REAL, offsetof(LennardJones, attraction), "1", "6",
     "The power of the distance by which attraction falls off.", NULL, TAC_POSITIVE, 0},
    {"repulsion", TAC_REAL, offsetof(LennardJones, repulsion), "1", "12",
     "The power of the distance by which repulsion falls off; more than that of attraction.", NULL,
     TAC_POSITIVE, 0},
    {"cutoff", TAC_REAL, offsetof(LennardJones, cutoff), "m", "",
     "Points farther apart than this do not feel each other; by default 2.5 distances.", NULL, TAC_POSITIVE,
     0},
    {"strongest", TAC_REAL, offsetof(LennardJones, strongest), "N", "",
     "Attraction is never stronger than this; by default there is no limit.", NULL, TAC_NOT_NEGATIVE, 0},
    {"damping", TAC_REAL, offsetof(LennardJones, damping), "N s/m", "0",
     "Against the difference of velocities of points that feel each other.", NULL, TAC_NOT_NEGATIVE, 0},
    {"stable", TAC_BOOL, offsetof(LennardJones, stable), "", "true",
     "Leaves out of the stiffness what turning the line between two points does, as SOFA does.", NULL,
     TAC_ANY, 0},
};

const TacClass tac_lennard_jones_class = {
    .name = "LennardJones",
    .kind = TAC_KIND_LAW,
    .doc =
        "Particles that attract each other from afar and repel each other from near, within a cut-off: U = "
        "b d^-beta - a d^-alpha.",
    .size = sizeof(LennardJones),
    .attributes = attributes,
    .attribute_count = TAC_COUNT(attributes),
    .init = init,
    .ops.law = &ops,
};
