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
// what turning that line does, and makes systems indefinite. Every point sums over its own neighbours
// (see pair_list.h), in lanes of eight.

#include "base/memory.h"
#include "base/team.h"
#include "law/laws.h"
#include "law/pair_list.h"
#include "law/setup.h"

// Exponents that are whole numbers up to this are multiplied out.
static const double MOST_WHOLE = 64;

// The skin to begin with, in cut-offs.
static const double SKIN = 0.15;

// How the powers of a distance are found.
typedef enum Powers { SIX_AND_TWELVE, WHOLE, ANY } Powers;

typedef struct LennardJones {
    TacLaw law;
    double depth, distance, attraction, repulsion, cutoff, strongest, damping, skin;
    TacVec3 box;
    bool stable;
    size_t dimension;
    double a, b, floor; // floor: U at the cut-off
    Powers powers;
    TacPairList list;
    double *partial; // energy, by chunk
} LennardJones;

typedef struct Call {
    LennardJones *self;
    const TacLawVectors *vectors;
    double k, b;
} Call;

// --- powers -----------------------------------------------------------------------------------------------

// d^-alpha and d^-beta
static void powers(const LennardJones *self, double square, double *pull, double *push) {
    if (self->powers == SIX_AND_TWELVE) {
        double inverse = 1 / (square * square * square);
        *pull = inverse;
        *push = inverse * inverse;
        return;
    }
    *pull = pow(square, -0.5 * self->attraction);
    *push = pow(square, -0.5 * self->repulsion);
}

// base^n, n > 0
TAC_EIGHT_INLINE void whole_power(const TacWide *base, unsigned n, TacWide *out) {
    TacWide square = *base;
    *out = (TacWide){0} + 1;
    for (; n; n >>= 1) {
        if (n & 1) *out *= square;
        square *= square;
    }
}

// d^-exponent, from 1 / d^2
static void power_of(Powers how, double exponent, const TacWide *inverse, TacWide *out) {
    if (how == ANY) {
        for (int lane = 0; lane < TAC_WIDTH; lane++) (*out)[lane] = pow((*inverse)[lane], 0.5 * exponent);
        return;
    }
    unsigned n = (unsigned)exponent;
    whole_power(inverse, n / 2, out);
    if (n % 2 == 0) return;
    TacWide root = *inverse;
    tac_wide_root(&root);
    *out *= root;
}

// --- forces -----------------------------------------------------------------------------------------------

// What the pull towards each other is multiplied with to get a force: pull / d, at squared distances.
TAC_EIGHT_INLINE void pull_over_distance(const LennardJones *self, const TacWide *square, bool usual,
                                         TacWide *out) {
    TacWide inverse = 1 / *square, pull, push;
    if (usual) {
        pull = inverse * inverse * inverse;
        *out = (6 * self->a - 12 * self->b * pull) * pull * inverse;
    } else {
        power_of(self->powers, self->attraction, &inverse, &pull);
        power_of(self->powers, self->repulsion, &inverse, &push);
        *out = (self->a * self->attraction * pull - self->b * self->repulsion * push) * inverse;
    }
}

// The pull is never stronger than a limit.
static void cap(double strongest, const TacWide *square, TacWide *pull) {
    TacWide limit = *square;
    tac_wide_root(&limit);
    limit = strongest / limit;
    tac_wide_least(pull, &limit);
}

// Adds what balls do to others, lane by lane, or to one that stands in all lanes.
TAC_EIGHT_INLINE void add_wide(const Call *c, const uint32_t *slots, const TacWide x[3], const TacWide v[3],
                               bool usual, bool plain, TacWide sum[3]) {
    const LennardJones *self = c->self;
    double limit = self->cutoff * self->cutoff;
    TacWide d[3], square, pull;
    tac_wide_gather(d, self->list.place, slots);
    for (int i = 0; i < 3; i++) d[i] -= x[i];
    square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
    pull_over_distance(self, &square, usual, &pull);
    if (!plain && self->strongest < INFINITY) cap(self->strongest, &square, &pull);
    tac_wide_within(&pull, &square, limit);
    for (int i = 0; i < 3; i++) sum[i] += pull * d[i];
    if (plain || !(self->damping > 0)) return;
    TacWide drag = {0}, e[3];
    drag += self->damping;
    tac_wide_within(&drag, &square, limit);
    tac_wide_gather(e, self->list.motion, slots);
    for (int i = 0; i < 3; i++) sum[i] += drag * (e[i] - v[i]);
}

// Some of eight rows, a ball in each lane.
TAC_EIGHT_INLINE void sum_part(const Call *c, size_t row, size_t part, bool usual, bool plain,
                               const uint32_t homes[TAC_EIGHT], TacWide sum[3]) {
    const TacPairList *list = &c->self->list;
    size_t first = part * TAC_WIDTH;
    TacWide x[3], v[3] = {{0}};
    tac_wide_gather(x, list->place, homes + first);
    if (!plain) tac_wide_gather(v, list->motion, homes + first);
    const uint32_t *slots = list->rows + list->group_begin[row / TAC_EIGHT] + first;
    for (size_t n = tac_pair_group_size(list, row); n > 0; n--, slots += TAC_EIGHT)
        add_wide(c, slots, x, v, usual, plain, sum);
}

TAC_EIGHT_INLINE void sum_group(const Call *c, size_t row, size_t end, bool usual, bool plain) {
    const TacPairList *list = &c->self->list;
    size_t size = (size_t)c->self->law.matter[0]->velocity_size;
    uint32_t homes[TAC_EIGHT];
    tac_pair_homes(list, row, homes);
    for (size_t part = 0; part < TAC_EIGHT_PARTS; part++) {
        TacWide sum[3] = {{0}};
        sum_part(c, row, part, usual, plain, homes, sum);
        size_t first = part * TAC_WIDTH;
        for (size_t lane = 0; lane < TAC_WIDTH && row + first + lane < end; lane++) {
            double *f = c->vectors->f[0] + size * list->member[homes[first + lane]];
            for (size_t i = 0; i < c->self->dimension; i++) f[i] += sum[i][lane];
        }
    }
}

// One row that is not kept, along the lanes.
TAC_EIGHT_INLINE void sum_row(const Call *c, size_t row, bool usual, bool plain) {
    const TacPairList *list = &c->self->list;
    uint32_t buffer[TAC_PAIR_PIECE], slot = list->home[row];
    TacWide x[3] = {{0}}, v[3] = {{0}}, sum[3][TAC_EIGHT_PARTS] = {{{0}}};
    for (size_t i = 0; i < 3; i++) x[i] += list->place[4 * (size_t)slot + i];
    for (size_t i = 0; i < 3 && !plain; i++) v[i] += list->motion[4 * (size_t)slot + i];
    TacPairPiece piece = {0};
    while (tac_pair_find(list, row, &piece, buffer))
        for (size_t part = 0; part < TAC_EIGHT_PARTS; part++) {
            TacWide own[3] = {sum[0][part], sum[1][part], sum[2][part]};
            for (size_t s = part * TAC_WIDTH; s < piece.count; s += TAC_EIGHT)
                add_wide(c, piece.slots + s, x, v, usual, plain, own);
            for (int i = 0; i < 3; i++) sum[i][part] = own[i];
        }
    double *f = c->vectors->f[0] + (size_t)c->self->law.matter[0]->velocity_size * list->member[slot];
    for (size_t i = 0; i < c->self->dimension; i++) f[i] += tac_eight_sum(sum[i]);
}

TAC_EIGHT_INLINE void sum_rows(const Call *c, size_t begin, size_t end, bool usual, bool plain) {
    if (c->self->list.kept)
        for (size_t row = begin; row < end; row += TAC_EIGHT) sum_group(c, row, end, usual, plain);
    else
        for (size_t row = begin; row < end; row++) sum_row(c, row, usual, plain);
}

static void force_chunk(void *data, size_t begin, size_t end, size_t chunk) {
    (void)chunk;
    const Call *c = data;
    const LennardJones *self = c->self;
    bool plain = !(self->damping > 0) && !(self->strongest < INFINITY);
    if (self->powers == SIX_AND_TWELVE && plain)
        sum_rows(c, begin, end, true, true);
    else if (plain)
        sum_rows(c, begin, end, false, true);
    else
        sum_rows(c, begin, end, false, false);
}

static void force(void *data, const TacContext *context, const TacLawVectors *vectors) {
    LennardJones *self = data;
    TacPairList *list = &self->list;
    Call call = {.self = self, .vectors = vectors};
    tac_pair_list_update(list, context->team, vectors->x, self->law.matter[0]->time);
    const size_t stride[2] = {(size_t)self->law.matter[0]->velocity_size, 0};
    if (self->damping > 0) tac_pair_list_move(list, context->team, vectors->v, stride);
    tac_team_run(context->team, list->member_count, TAC_PAIR_GRAIN, force_chunk, &call);
}

// --- changes, energy, blocks ------------------------------------------------------------------------------

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

// d = place of one slot - place of another; returns |d|^2 where they feel each other, 0 elsewhere.
static double between(const LennardJones *self, uint32_t from, uint32_t to, double d[3]) {
    double square = 0;
    for (size_t k = 0; k < 3; k++) {
        d[k] = self->list.place[4 * (size_t)to + k] - self->list.place[4 * (size_t)from + k];
        square += d[k] * d[k];
    }
    return square > 0 && square < self->cutoff * self->cutoff ? square : 0;
}

static void add_change(const Call *c, uint32_t from, uint32_t to, double sum[3]) {
    const LennardJones *self = c->self;
    double d[3], square = between(self, from, to, d);
    if (!(square > 0)) return;
    const double *mine = self->list.motion + 4 * (size_t)from, *theirs = self->list.motion + 4 * (size_t)to;
    double slope, turning = pull_at(self, square, &slope) / sqrt(square), along = 0, e[3];
    if (self->stable) turning = 0;
    for (size_t i = 0; i < 3; i++) {
        e[i] = theirs[i] - mine[i];
        along += d[i] * e[i];
    }
    along *= (slope - turning) / square;
    for (size_t i = 0; i < 3; i++)
        sum[i] += c->k * (along * d[i] + turning * e[i]) + c->b * self->damping * e[i];
}

static void change_chunk(void *data, size_t begin, size_t end, size_t chunk) {
    (void)chunk;
    const Call *c = data;
    const TacPairList *list = &c->self->list;
    size_t size = (size_t)c->self->law.matter[0]->velocity_size;
    uint32_t buffer[TAC_PAIR_PIECE];
    for (size_t row = begin; row < end; row++) {
        double sum[3] = {0, 0, 0};
        TacPairPiece piece = {0};
        while (tac_pair_next(list, row, &piece, buffer))
            for (size_t s = 0; s < piece.count; s++)
                add_change(c, list->home[row], piece.slots[piece.stride * s], sum);
        double *f = c->vectors->f[0] + size * list->member[list->home[row]];
        for (size_t i = 0; i < c->self->dimension; i++) f[i] += sum[i];
    }
}

static void force_change(void *data, const TacContext *context, const TacLawVectors *vectors, double k,
                         double b) {
    LennardJones *self = data;
    TacPairList *list = &self->list;
    Call call = {.self = self, .vectors = vectors, .k = k, .b = b};
    const size_t stride[2] = {(size_t)self->law.matter[0]->velocity_size, 0};
    tac_pair_list_look(list, context->team, vectors->x);
    tac_pair_list_move(list, context->team, vectors->v, stride);
    tac_team_run(context->team, list->member_count, TAC_PAIR_GRAIN, change_chunk, &call);
}

static double potential(const LennardJones *self, double square) {
    double pull, push;
    powers(self, square, &pull, &push);
    return self->b * push - self->a * pull;
}

// Every pair is seen from both ends, and counted by half from each.
static void energy_chunk(void *data, size_t begin, size_t end, size_t chunk) {
    const LennardJones *self = data;
    const TacPairList *list = &self->list;
    uint32_t buffer[TAC_PAIR_PIECE];
    double sum = 0, d[3];
    for (size_t row = begin; row < end; row++) {
        TacPairPiece piece = {0};
        while (tac_pair_next(list, row, &piece, buffer))
            for (size_t s = 0; s < piece.count; s++) {
                double square = between(self, list->home[row], piece.slots[piece.stride * s], d);
                if (square > 0) sum += 0.5 * (potential(self, square) - self->floor);
            }
    }
    self->partial[chunk] = sum;
}

static double energy(void *data, const TacContext *context, const TacLawVectors *vectors) {
    LennardJones *self = data;
    size_t n = self->list.member_count;
    tac_pair_list_look(&self->list, context->team, vectors->x);
    tac_team_run(context->team, n, TAC_PAIR_GRAIN, energy_chunk, self);
    double sum = 0;
    for (size_t i = 0; i < tac_chunks(n, TAC_PAIR_GRAIN); i++) sum += self->partial[i];
    return sum;
}

// The block between the balls of two slots; the same is taken from the row's own.
static void add_block(const Call *c, uint32_t from, uint32_t to, double own[36], TacMatrix *matrix) {
    const LennardJones *self = c->self;
    size_t size = (size_t)self->law.matter[0]->velocity_size;
    double d[3], square = between(self, from, to, d), slope, block[36] = {0};
    if (!(square > 0)) return;
    double turning = pull_at(self, square, &slope) / sqrt(square);
    if (self->stable) turning = 0;
    for (size_t i = 0; i < self->dimension; i++)
        for (size_t j = 0; j < self->dimension; j++) {
            double value = c->k * (slope - turning) / square * d[i] * d[j];
            if (i == j) value += c->k * turning + c->b * self->damping;
            block[size * i + j] = value;
            own[size * i + j] -= value;
        }
    tac_matrix_add(matrix, 0, self->list.member[from], 0, self->list.member[to], block);
}

static void add_blocks(void *data, const TacContext *context, const TacLawVectors *vectors, double k,
                       double b, TacMatrix *matrix) {
    LennardJones *self = data;
    const TacPairList *list = &self->list;
    const Call call = {.self = self, .vectors = vectors, .k = k, .b = b};
    tac_pair_list_look(&self->list, context->team, vectors->x);
    uint32_t buffer[TAC_PAIR_PIECE];
    for (size_t row = 0; row < list->member_count; row++) {
        uint32_t slot = list->home[row];
        double own[36] = {0};
        TacPairPiece piece = {0};
        while (tac_pair_next(list, row, &piece, buffer))
            for (size_t s = 0; s < piece.count; s++)
                add_block(&call, slot, piece.slots[piece.stride * s], own, matrix);
        tac_matrix_add(matrix, 0, list->member[slot], 0, list->member[slot], own);
    }
}

static const TacLawOps ops = {
    .force = force, .force_change = force_change, .energy = energy, .stiffness = add_blocks};

// --- setting up -------------------------------------------------------------------------------------------

static TacStatus init(void *data, TacSetup *setup, TacError *error) {
    LennardJones *self = data;
    self->law.inner =
        self->damping == 0 && tac_dot(self->box, self->box) == 0; // both of them turn what they act on
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
    bool whole = alpha == floor(alpha) && beta == floor(beta) && beta <= MOST_WHOLE;
    self->powers = alpha == 6 && beta == 12 ? SIX_AND_TWELVE : whole ? WHOLE : ANY;
    if (isnan(self->cutoff)) self->cutoff = 2.5 * self->distance;
    if (isnan(self->strongest)) self->strongest = INFINITY;
    self->floor = potential(self, self->cutoff * self->cutoff);
    size_t chunks = tac_chunks(matter->count, TAC_PAIR_GRAIN) + 1;
    self->partial = tac_setup_alloc(setup, chunks, sizeof(double));
    if (!self->partial) return tac_fail_memory(error, chunks * sizeof(double));
    const TacPairListDef def = {.count = {matter->count, 0},
                                .stride = {(size_t)matter->position_size, 0},
                                .dimension = self->dimension,
                                .reach = self->cutoff,
                                .skin = isnan(self->skin) ? SKIN * self->cutoff : self->skin,
                                .box = self->box};
    const double *const x[2] = {matter->vectors[TAC_X], NULL};
    TAC_TRY(tac_pair_list_create(&self->list, setup, &def, x, error));
    return tac_pair_list_hold_motion(&self->list, setup, error);
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
    {"box", TAC_VECTOR, offsetof(LennardJones, box), "m", "0 0 0",
     "Space repeats itself after this along each axis: what leaves on one side acts from the other; 0 for "
     "endless "
     "space.",
     NULL, TAC_NOT_NEGATIVE, 0},
    {"skin", TAC_REAL, offsetof(LennardJones, skin), "m", "",
     "How much farther than the cut-off lists of neighbours look, to begin with; they adapt it. Changes "
     "speed, and "
     "results by rounding alone.",
     NULL, TAC_POSITIVE, 0},
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
