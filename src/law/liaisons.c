// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Liaisons: one law of interaction between all balls of a group (an agglomerate, N(N-1)/2 liaisons) or
// between those of two groups (N x M), as in CORDIS-ANIMA ("Balls, bubbles and agglomerates", sections III.1
// to III.3).
//
// The force along the line of centres is drawn with straight lines (see pieces.h); viscosity acts along the
// same line. Two balls in one place have no line between them, and feel nothing of each other. Every ball
// sums over its own partners, in lanes of eight and in an order that positions alone decide, so that threads
// share nothing; what two balls do to each other is computed twice, and is opposite to the last bit.
//
// Laws without a reach go over all pairs, from flat arrays. Laws with one, between balls that are many, go
// over lists of neighbours (see pair_list.h).

#include "base/memory.h"
#include "base/team.h"
#include "law/eight.h"
#include "law/laws.h"
#include "law/pair_list.h"
#include "law/pieces.h"
#include "law/setup.h"

#include <float.h>

// How many pairs are worth a thread's while; how many are worth lists.
enum { PAIRS_PER_CHUNK = 16384, PAIRS_FOR_LISTS = 4096 };

// The skin of lists to begin with, in reaches.
static const double SKIN = 0.2;

typedef enum Fit { NO_FIT, FIT_LENNARD_JONES } Fit;

// One of the two groups; in an agglomerate both are the same one.
typedef struct Group {
    size_t count, padded; // padded to eights by places that are not numbers
    const int32_t *points;
    double *x[3], *v[3]; // places, and velocities or changes of place; missing axes are 0
} Group;

typedef struct Liaisons {
    TacLaw law;
    TacInts given[2];
    TacReals slopes, thresholds;
    double zero, strength, viscosity, viscosity_reach;
    int fit; // Fit
    double depth, distance, exponent;
    bool stable;
    TacPieces pieces;
    size_t dimension;
    bool agglomerate;
    Group group[2];
    bool listed; // goes over lists; the groups' arrays are then not there
    TacPairList list;
    double *partial; // energy, by chunk
} Liaisons;

// --- many pairs -------------------------------------------------------------------------------------------

typedef struct Call {
    const Liaisons *self;
    const TacLawVectors *vectors;
    double k, b;
    bool changes, moving; // force_change rather than force; velocities matter
    int side;             // whose forces are summed
} Call;

// The law at distances: F, dF/dd and the share of viscosity.
TAC_EIGHT_INLINE void law_at(const TacPieces *law, const TacWide *d, TacWide *force, TacWide *slope,
                             TacWide *share) {
    const TacWide none = {0};
    *force = law->slope * *d + law->constant;
    *slope = none + law->slope;
    *share = none + law->far;
    for (size_t i = 0; i < law->count; i++) {
        TacWide inside = *d - law->threshold[i];
        TacWideMask within = inside < 0;
        tac_wide_least(&inside, &none);
        *force += law->added[i] * inside;
        TacWide added = none + law->added[i];
        tac_wide_keep(&within, &added);
        *slope += added;
    }
    for (size_t i = 0; i < law->step_count; i++) {
        TacWideMask within = *d < law->step_at[i];
        TacWide step = none + law->step[i];
        tac_wide_keep(&within, &step);
        *share += step;
    }
}

// Adds what balls at o do to those at x, lane by lane, or to one that stands in all lanes: `sum` receives the force
// on it, or how it changes.
TAC_EIGHT_INLINE void add_wide(const Call *c, const TacWide o[3], const TacWide w[3], const TacWide x[3],
                               const TacWide v[3], bool changes, bool moving, TacWide sum[3]) {
    const Liaisons *self = c->self;
    const TacWide none = {0};
    TacWide d[3], e[3] = {none, none, none}, square = none;
    for (int i = 0; i < 3; i++) {
        d[i] = o[i] - x[i];
        square += d[i] * d[i];
    }
    TacWideMask felt = (square > 0) & (square <= DBL_MAX);
    TacWide length = square, force, slope, share, along = none;
    tac_wide_root(&length);
    law_at(&self->pieces, &length, &force, &slope, &share);
    force *= self->strength;
    TacWide over = 1 / length;
    if (moving)
        for (int i = 0; i < 3; i++) {
            e[i] = w[i] - v[i];
            along += d[i] * e[i];
        }
    along *= over;
    TacWide pull, turning = none;
    if (changes) {
        // pull' (u.e) u + pull / d (e - u (u.e)), and what viscosity makes of the same motion
        turning = -force * over;
        slope *= -self->strength;
        if (self->stable) {
            TacWideMask positive = turning > 0, stiff = slope > 0;
            tac_wide_keep(&positive, &turning);
            tac_wide_keep(&stiff, &slope);
        }
        turning *= c->k;
        pull = (c->k * slope + c->b * self->viscosity * share - turning) * along;
    } else {
        pull = self->viscosity * share * along - force;
    }
    pull *= over;
    tac_wide_keep(&felt, &pull);
    tac_wide_keep(&felt, &turning);
    for (int i = 0; i < 3; i++) {
        tac_wide_keep(&felt, &d[i]);
        sum[i] += pull * d[i];
        if (changes) {
            tac_wide_keep(&felt, &e[i]);
            sum[i] += turning * e[i];
        }
    }
}

TAC_EIGHT_INLINE void sum_over(const Call *c, const Group *others, const double x[3], const double v[3],
                               bool changes, bool moving, double out[3]) {
    TacWide sum[3][TAC_EIGHT_PARTS], at[3] = {{0}}, going[3] = {{0}};
    for (int i = 0; i < 3; i++) {
        at[i] += x[i];
        going[i] += v[i];
    }
    for (size_t part = 0; part < TAC_EIGHT_PARTS; part++) {
        TacWide own[3] = {{0}}, o[3], w[3] = {{0}};
        for (size_t j = part * TAC_WIDTH; j < others->padded; j += TAC_EIGHT) {
            for (int i = 0; i < 3; i++) tac_wide_load(&o[i], others->x[i] + j);
            for (int i = 0; i < 3 && moving; i++) tac_wide_load(&w[i], others->v[i] + j);
            add_wide(c, o, w, at, going, changes, moving, own);
        }
        for (int i = 0; i < 3; i++) sum[i][part] = own[i];
    }
    for (int i = 0; i < 3; i++) out[i] = tac_eight_sum(sum[i]);
}

static void sum_chunk(void *data, size_t begin, size_t end, size_t chunk) {
    (void)chunk;
    const Call *c = data;
    const Group *own = &c->self->group[c->side], *others = &c->self->group[1 - c->side];
    size_t size = (size_t)c->self->law.matter[c->side]->velocity_size;
    for (size_t i = begin; i < end; i++) {
        double x[3], v[3] = {0, 0, 0}, f[3];
        for (int k = 0; k < 3; k++) x[k] = own->x[k][i];
        for (int k = 0; k < 3 && c->moving; k++) v[k] = own->v[k][i];
        if (c->changes)
            sum_over(c, others, x, v, true, true, f);
        else if (c->moving)
            sum_over(c, others, x, v, false, true, f);
        else
            sum_over(c, others, x, v, false, false, f);
        double *to = c->vectors->f[c->side] + size * (size_t)own->points[i];
        for (size_t k = 0; k < c->self->dimension; k++) to[k] += f[k];
    }
}

// --- groups -----------------------------------------------------------------------------------------------

static void take_places(const Group *group, size_t dimension, const double *from, size_t stride,
                        double *const to[3]) {
    for (size_t i = 0; i < group->count; i++)
        for (size_t k = 0; k < dimension; k++) to[k][i] = from[stride * (size_t)group->points[i] + k];
}

static void take_vectors(const Liaisons *self, const TacLawVectors *vectors, bool moving) {
    for (int side = 0; side < (self->agglomerate ? 1 : 2); side++) {
        const Group *group = &self->group[side];
        const TacMatter *matter = self->law.matter[side];
        take_places(group, self->dimension, vectors->x[side], (size_t)matter->position_size, group->x);
        if (moving)
            take_places(group, self->dimension, vectors->v[side], (size_t)matter->velocity_size, group->v);
    }
}

static void run_sides(Call *c, TacTeam *team) {
    const Liaisons *self = c->self;
    for (c->side = 0; c->side < (self->agglomerate ? 1 : 2); c->side++) {
        size_t others = self->group[1 - c->side].padded, grain = others ? PAIRS_PER_CHUNK / others + 1 : 1;
        tac_team_run(team, self->group[c->side].count, grain, sum_chunk, c);
    }
}

// --- lists ------------------------------------------------------------------------------------------------

TAC_EIGHT_INLINE void add_slots(const Call *c, const uint32_t *slots, const TacWide x[3], const TacWide v[3],
                                bool changes, bool moving, TacWide sum[3]) {
    const TacPairList *list = &c->self->list;
    TacWide o[3], w[3] = {{0}};
    tac_wide_gather(o, list->place, slots);
    if (moving) tac_wide_gather(w, list->motion, slots);
    add_wide(c, o, w, x, v, changes, moving, sum);
}

static double *force_on(const Call *c, uint32_t slot) {
    const TacPairList *list = &c->self->list;
    int side;
    size_t point = tac_pair_point(list, list->member[slot], &side);
    return c->vectors->f[side] + (size_t)c->self->law.matter[side]->velocity_size * point;
}

// Some of eight rows, a ball in each lane.
TAC_EIGHT_INLINE void sum_part(const Call *c, size_t row, size_t part, bool changes, bool moving,
                               const uint32_t homes[TAC_EIGHT], TacWide sum[3]) {
    const TacPairList *list = &c->self->list;
    size_t first = part * TAC_WIDTH;
    TacWide x[3], v[3] = {{0}};
    tac_wide_gather(x, list->place, homes + first);
    if (moving) tac_wide_gather(v, list->motion, homes + first);
    const uint32_t *slots = list->rows + list->group_begin[row / TAC_EIGHT] + first;
    for (size_t n = tac_pair_group_size(list, row); n > 0; n--, slots += TAC_EIGHT)
        add_slots(c, slots, x, v, changes, moving, sum);
}

TAC_EIGHT_INLINE void sum_group(const Call *c, size_t row, size_t end, bool changes, bool moving) {
    uint32_t homes[TAC_EIGHT];
    tac_pair_homes(&c->self->list, row, homes);
    for (size_t part = 0; part < TAC_EIGHT_PARTS; part++) {
        TacWide sum[3] = {{0}};
        sum_part(c, row, part, changes, moving, homes, sum);
        size_t first = part * TAC_WIDTH;
        for (size_t lane = 0; lane < TAC_WIDTH && row + first + lane < end; lane++) {
            double *f = force_on(c, homes[first + lane]);
            for (size_t k = 0; k < c->self->dimension; k++) f[k] += sum[k][lane];
        }
    }
}

// One row that is not kept, along the lanes.
TAC_EIGHT_INLINE void sum_row(const Call *c, size_t row, bool changes, bool moving) {
    const TacPairList *list = &c->self->list;
    uint32_t buffer[TAC_PAIR_PIECE], slot = list->home[row];
    TacWide x[3] = {{0}}, v[3] = {{0}}, sum[3][TAC_EIGHT_PARTS] = {{{0}}};
    for (size_t i = 0; i < 3; i++) x[i] += list->place[4 * (size_t)slot + i];
    for (size_t i = 0; i < 3 && moving; i++) v[i] += list->motion[4 * (size_t)slot + i];
    TacPairPiece piece = {0};
    while (tac_pair_find(list, row, &piece, buffer))
        for (size_t part = 0; part < TAC_EIGHT_PARTS; part++) {
            TacWide own[3] = {sum[0][part], sum[1][part], sum[2][part]};
            for (size_t s = part * TAC_WIDTH; s < piece.count; s += TAC_EIGHT)
                add_slots(c, piece.slots + s, x, v, changes, moving, own);
            for (int k = 0; k < 3; k++) sum[k][part] = own[k];
        }
    double *f = force_on(c, slot);
    for (size_t k = 0; k < c->self->dimension; k++) f[k] += tac_eight_sum(sum[k]);
}

TAC_EIGHT_INLINE void sum_rows(const Call *c, size_t begin, size_t end, bool changes, bool moving) {
    if (c->self->list.kept)
        for (size_t row = begin; row < end; row += TAC_EIGHT) sum_group(c, row, end, changes, moving);
    else
        for (size_t row = begin; row < end; row++) sum_row(c, row, changes, moving);
}

static void rows_chunk(void *data, size_t begin, size_t end, size_t chunk) {
    (void)chunk;
    const Call *c = data;
    if (c->changes)
        sum_rows(c, begin, end, true, true);
    else if (c->moving)
        sum_rows(c, begin, end, false, true);
    else
        sum_rows(c, begin, end, false, false);
}

static void run_rows(Liaisons *self, Call *c, TacTeam *team) {
    TacPairList *list = &self->list;
    const size_t stride[2] = {(size_t)self->law.matter[0]->velocity_size,
                              (size_t)self->law.matter[1]->velocity_size};
    if (c->changes)
        tac_pair_list_look(list, team, c->vectors->x);
    else
        tac_pair_list_update(list, team, c->vectors->x, self->law.matter[0]->time);
    if (c->moving) tac_pair_list_move(list, team, c->vectors->v, stride);
    tac_team_run(team, list->member_count, TAC_PAIR_GRAIN, rows_chunk, c);
}

// Whether two slots are a pair: not what fills up a row, nor a point that is in both groups with itself.
static bool is_listed_pair(const Liaisons *self, uint32_t from, uint32_t to) {
    if (from == to) return false;
    if (self->agglomerate || self->law.matter[0] != self->law.matter[1]) return true;
    int side;
    const TacPairList *list = &self->list;
    return tac_pair_point(list, list->member[from], &side) != tac_pair_point(list, list->member[to], &side);
}

static double slot_distance(const TacPairList *list, uint32_t from, uint32_t to) {
    return tac_norm(
        tac_sub(tac_load3(list->place + 4 * (size_t)to), tac_load3(list->place + 4 * (size_t)from)));
}

// Positive where two balls pull each other, N.
static double pull_at(const Liaisons *self, double distance) {
    return distance < self->pieces.reach ? -self->strength * tac_pieces_force(&self->pieces, distance) : 0;
}

// Every pair is seen from both ends, and counted by half from each.
static void rows_energy_chunk(void *data, size_t begin, size_t end, size_t chunk) {
    const Liaisons *self = data;
    const TacPairList *list = &self->list;
    uint32_t buffer[TAC_PAIR_PIECE];
    double sum = 0;
    for (size_t row = begin; row < end; row++) {
        TacPairPiece piece = {0};
        uint32_t own = list->home[row];
        while (tac_pair_next(list, row, &piece, buffer))
            for (size_t s = 0; s < piece.count; s++) {
                uint32_t other = piece.slots[piece.stride * s];
                if (!is_listed_pair(self, own, other)) continue;
                double d = slot_distance(list, own, other);
                if (d < self->pieces.reach) sum += 0.5 * tac_pieces_energy(&self->pieces, d);
            }
    }
    self->partial[chunk] = sum;
}

static double rows_energy(Liaisons *self, TacTeam *team, const TacLawVectors *vectors) {
    size_t n = self->list.member_count;
    tac_pair_list_look(&self->list, team, vectors->x);
    tac_team_run(team, n, TAC_PAIR_GRAIN, rows_energy_chunk, self);
    double sum = 0;
    for (size_t c = 0; c < tac_chunks(n, TAC_PAIR_GRAIN); c++) sum += self->partial[c];
    return self->strength * sum;
}

// --- operations -------------------------------------------------------------------------------------------

static void force(void *data, const TacContext *context, const TacLawVectors *vectors) {
    Liaisons *self = data;
    Call call = {.self = self, .vectors = vectors, .moving = self->viscosity > 0};
    if (self->listed) {
        run_rows(self, &call, context->team);
        return;
    }
    take_vectors(self, vectors, call.moving);
    run_sides(&call, context->team);
}

static void force_change(void *data, const TacContext *context, const TacLawVectors *vectors, double k,
                         double b) {
    Liaisons *self = data;
    Call call = {.self = self, .vectors = vectors, .k = k, .b = b, .changes = true, .moving = true};
    if (self->listed) {
        run_rows(self, &call, context->team);
        return;
    }
    take_vectors(self, vectors, true);
    run_sides(&call, context->team);
}

// d = x_j - x_i and its length, for ball i of the first group and j of the second.
static double between(const Liaisons *self, size_t i, size_t j, double d[3]) {
    double square = 0;
    for (int k = 0; k < 3; k++) {
        d[k] = self->group[1].x[k][j] - self->group[0].x[k][i];
        square += d[k] * d[k];
    }
    return sqrt(square);
}

static bool is_pair(const Liaisons *self, size_t i, size_t j) {
    if (self->agglomerate) return i < j;
    return self->law.matter[0] != self->law.matter[1] || self->group[0].points[i] != self->group[1].points[j];
}

static void energy_chunk(void *data, size_t begin, size_t end, size_t chunk) {
    const Liaisons *self = data;
    double sum = 0, d[3];
    for (size_t i = begin; i < end; i++)
        for (size_t j = 0; j < self->group[1].count; j++)
            if (is_pair(self, i, j)) sum += tac_pieces_energy(&self->pieces, between(self, i, j, d));
    self->partial[chunk] = sum;
}

enum { ENERGY_GRAIN = 64 };

static double energy(void *data, const TacContext *context, const TacLawVectors *vectors) {
    Liaisons *self = data;
    if (self->listed) return rows_energy(self, context->team, vectors);
    take_vectors(self, vectors, false);
    tac_team_run(context->team, self->group[0].count, ENERGY_GRAIN, energy_chunk, self);
    double sum = 0;
    for (size_t c = 0; c * ENERGY_GRAIN < self->group[0].count; c++) sum += self->partial[c];
    return self->strength * sum;
}

// The stiffness between point p of the first matter and q of the second, at d = x_q - x_p, times a part.
static void add_pair_blocks(const Liaisons *self, const size_t at[2], const int side[2], const double d[3],
                            double part, double k, double b, TacMatrix *matrix) {
    double length = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
    if (!(length > 0) || !(length <= DBL_MAX)) return;
    double turning = -self->strength * tac_pieces_force(&self->pieces, length) / length;
    double stiff = -self->strength * tac_pieces_slope(&self->pieces, length);
    if (self->stable) {
        turning = fmax(turning, 0);
        stiff = fmax(stiff, 0);
    }
    turning *= part * k;
    double along =
        part * (k * stiff + b * self->viscosity * tac_pieces_share(&self->pieces, length)) - turning;
    size_t n = self->dimension, size[2];
    int matter[2];
    for (int end = 0; end < 2; end++) {
        size[end] = (size_t)self->law.matter[side[end]]->velocity_size;
        matter[end] = self->law.matter[side[end]] == self->law.matter[0] ? 0 : 1;
    }
    double on[2][36] = {{0}}, across[2][36] = {{0}};
    for (size_t r = 0; r < n; r++)
        for (size_t c = 0; c < n; c++) {
            double value = along * d[r] * d[c] / (length * length) + (r == c ? turning : 0);
            for (int end = 0; end < 2; end++) {
                on[end][size[end] * r + c] = -value;
                across[end][size[1 - end] * r + c] = value;
            }
        }
    for (int end = 0; end < 2; end++) {
        tac_matrix_add(matrix, matter[end], at[end], matter[end], at[end], on[end]);
        tac_matrix_add(matrix, matter[end], at[end], matter[1 - end], at[1 - end], across[end]);
    }
}

// Each pair is in two rows: by half from each.
static void add_listed_blocks(Liaisons *self, TacTeam *team, const TacLawVectors *vectors, double k, double b,
                              TacMatrix *matrix) {
    const TacPairList *list = &self->list;
    uint32_t buffer[TAC_PAIR_PIECE];
    tac_pair_list_look(&self->list, team, vectors->x);
    for (size_t row = 0; row < list->member_count; row++) {
        TacPairPiece piece = {0};
        uint32_t own = list->home[row];
        while (tac_pair_next(list, row, &piece, buffer))
            for (size_t s = 0; s < piece.count; s++) {
                uint32_t other = piece.slots[piece.stride * s];
                double d[3];
                size_t at[2];
                int side[2];
                for (size_t i = 0; i < 3; i++)
                    d[i] = list->place[4 * (size_t)other + i] - list->place[4 * (size_t)own + i];
                at[0] = tac_pair_point(list, list->member[own], &side[0]);
                at[1] = tac_pair_point(list, list->member[other], &side[1]);
                if (is_listed_pair(self, own, other)) add_pair_blocks(self, at, side, d, 0.5, k, b, matrix);
            }
    }
}

static void add_blocks(void *data, const TacContext *context, const TacLawVectors *vectors, double k,
                       double b, TacMatrix *matrix) {
    Liaisons *self = data;
    if (self->listed) {
        add_listed_blocks(self, context->team, vectors, k, b, matrix);
        return;
    }
    static const int side[2] = {0, 1};
    take_vectors(self, vectors, false);
    for (size_t i = 0; i < self->group[0].count; i++)
        for (size_t j = 0; j < self->group[1].count; j++) {
            double d[3];
            const size_t at[2] = {(size_t)self->group[0].points[i], (size_t)self->group[1].points[j]};
            between(self, i, j, d);
            if (is_pair(self, i, j)) add_pair_blocks(self, at, side, d, 1, k, b, matrix);
        }
}

// Every ball with all of the other group, whatever the law's reach: sufficient, and simple.
static void add_steepest(void *data, const TacSteepness *sums) {
    const Liaisons *self = data;
    double k = self->strength * tac_pieces_steepest(&self->pieces);
    for (int side = 0; side < (self->agglomerate ? 1 : 2); side++) {
        const Group *own = &self->group[side], *others = &self->group[1 - side];
        double all = 0;
        for (size_t j = 0; j < others->count; j++) all += sums->moves[1 - side][others->points[j]] ? 2 : 1;
        for (size_t i = 0; i < own->count; i++) {
            size_t p = (size_t)own->points[i];
            double weight = all - (!self->agglomerate ? 0 : sums->moves[side][p] ? 2 : 1);
            sums->k[side][p] += weight * k;
            sums->z[side][p] += weight * self->viscosity;
        }
    }
}

static const TacLawOps ops = {.force = force,
                              .force_change = force_change,
                              .energy = energy,
                              .stiffness = add_blocks,
                              .steepest = add_steepest};

// --- setting up -------------------------------------------------------------------------------------------

static TacStatus check_points(const Liaisons *self, int side, uint8_t *seen, TacSetup *setup,
                              TacError *error) {
    static const char *const names[] = {"points", "others"};
    size_t points = self->law.matter[side]->count;
    for (size_t i = 0; i < self->given[side].count; i++) {
        int32_t p = self->given[side].data[i];
        if (p < 0 || (size_t)p >= points)
            return tac_setup_fail(setup, error, names[side],
                                  "there is no point %d; the matter has points 0 to %zu", p, points - 1);
        if (seen[p] & (1 << side))
            return tac_setup_fail(setup, error, names[side], "point %d stands in %s twice", p, names[side]);
        seen[p] |= (uint8_t)(1 << side);
    }
    for (size_t p = 0; p < points && !self->given[side].count; p++) seen[p] |= (uint8_t)(1 << side);
    return TAC_OK;
}

// Which points belong to which group; the same ones of the same matter are an agglomerate.
static TacStatus find_groups(Liaisons *self, TacSetup *setup, TacError *error) {
    TacMatter **matter = self->law.matter;
    bool one = matter[0] == matter[1];
    if (one && !tac_setup_given(setup, "others") && !tac_setup_given(setup, "other"))
        self->given[1] = self->given[0];
    size_t most = matter[0]->count > matter[1]->count ? matter[0]->count : matter[1]->count;
    uint8_t *seen = calloc(most + 1, 1);
    if (!seen) return tac_fail_memory(error, most + 1);
    TacStatus status = check_points(self, 0, seen, setup, error);
    if (!one) memset(seen, 0, most);
    if (status == TAC_OK) status = check_points(self, 1, seen, setup, error);
    self->agglomerate = one;
    for (size_t p = 0; p < most && one; p++)
        if (seen[p] == 1 || seen[p] == 2) self->agglomerate = false;
    free(seen);
    return status;
}

static TacStatus take_group(Liaisons *self, int side, TacSetup *setup, TacError *error) {
    Group *group = &self->group[side];
    const TacInts *given = &self->given[side];
    group->count = given->count ? given->count : self->law.matter[side]->count;
    group->padded = (group->count + TAC_EIGHT - 1) / TAC_EIGHT * TAC_EIGHT;
    int32_t *points = tac_setup_alloc(setup, group->count, sizeof *points);
    if (!points) return tac_fail_memory(error, group->count * sizeof *points);
    for (size_t i = 0; i < group->count; i++) points[i] = given->count ? given->data[i] : (int32_t)i;
    group->points = points;
    return TAC_OK;
}

static TacStatus take_arrays(Group *group, TacSetup *setup, TacError *error) {
    for (int k = 0; k < 3; k++) {
        group->x[k] = tac_setup_alloc(setup, group->padded, sizeof(double));
        group->v[k] = tac_setup_alloc(setup, group->padded, sizeof(double));
        if (!group->x[k] || !group->v[k]) return tac_fail_memory(error, group->padded * sizeof(double));
        for (size_t i = group->count; i < group->padded; i++) group->x[k][i] = NAN;
    }
    return TAC_OK;
}

static TacStatus take_law(Liaisons *self, TacSetup *setup, TacError *error) {
    double slopes[3], thresholds[3];
    if (self->fit == FIT_LENNARD_JONES) {
        if (self->slopes.count || self->thresholds.count)
            return tac_setup_fail(setup, error, "fit",
                                  "makes slopes and thresholds; they cannot be given as well");
        tac_pieces_fit(self->depth, self->distance, self->exponent, slopes, thresholds);
        self->slopes = (TacReals){slopes, 3};
        self->thresholds = (TacReals){thresholds, 3};
        self->zero = thresholds[2];
    }
    if (isnan(self->zero))
        return tac_setup_fail(setup, error, NULL, "needs zero: the distance at which there is no force");
    TacError why = {0};
    const char *attribute = NULL;
    TacStatus status = tac_pieces_make(&self->pieces, self->slopes, self->thresholds, self->zero,
                                       self->viscosity_reach, &attribute, &why);
    if (self->fit == FIT_LENNARD_JONES) {
        // the lists were on the stack
        self->slopes = self->thresholds = (TacReals){0};
        attribute = "distance";
    }
    if (status != TAC_OK)
        return tac_setup_fail(setup, error, tac_setup_given(setup, attribute) ? attribute : NULL, "%s",
                              why.message);
    return TAC_OK;
}

static TacStatus take_partial(Liaisons *self, size_t chunks, TacSetup *setup, TacError *error) {
    self->partial = tac_setup_alloc(setup, chunks, sizeof(double));
    return self->partial ? TAC_OK : tac_fail_memory(error, chunks * sizeof(double));
}

static TacStatus take_list(Liaisons *self, double reach, TacSetup *setup, TacError *error) {
    TacPairListDef def = {.dimension = self->dimension, .reach = reach, .skin = SKIN * reach};
    const double *x[2] = {NULL, NULL};
    for (int side = 0; side < (self->agglomerate ? 1 : 2); side++) {
        def.count[side] = self->group[side].count;
        def.points[side] = self->given[side].count ? self->group[side].points : NULL;
        def.stride[side] = (size_t)self->law.matter[side]->position_size;
        x[side] = self->law.matter[side]->vectors[TAC_X];
    }
    TAC_TRY(tac_pair_list_create(&self->list, setup, &def, x, error));
    TAC_TRY(tac_pair_list_hold_motion(&self->list, setup, error));
    return take_partial(self, tac_chunks(self->list.member_count, TAC_PAIR_GRAIN) + 1, setup, error);
}

static TacStatus init(void *data, TacSetup *setup, TacError *error) {
    Liaisons *self = data;
    TacMatter **matter = self->law.matter;
    if (!matter[1]) matter[1] = matter[0];
    self->law.inner = true;
    self->dimension = tac_law_place_size(matter[0]->kind);
    if (tac_law_place_size(matter[1]->kind) != self->dimension)
        return tac_setup_fail(setup, error, "other", "liaisons cannot join %s and %s",
                              tac_matter_kind_name(matter[0]->kind), tac_matter_kind_name(matter[1]->kind));
    TAC_TRY(take_law(self, setup, error));
    TAC_TRY(find_groups(self, setup, error));
    TAC_TRY(take_group(self, 0, setup, error));
    TAC_TRY(take_group(self, 1, setup, error));
    size_t pairs = self->group[0].count * self->group[1].count;
    double reach = fmax(self->pieces.reach, self->pieces.viscous_reach);
    self->listed = reach > 0 && reach < INFINITY && pairs >= PAIRS_FOR_LISTS;
    if (self->listed) return take_list(self, reach, setup, error);
    TAC_TRY(take_arrays(&self->group[0], setup, error));
    if (self->agglomerate)
        self->group[1] = self->group[0];
    else
        TAC_TRY(take_arrays(&self->group[1], setup, error));
    return take_partial(self, self->group[0].count / ENERGY_GRAIN + 1, setup, error);
}

static const TacAttribute attributes[] = {
    TAC_LAW_ATTRIBUTES(Liaisons, law),
    TAC_SECOND_MATTER_ATTRIBUTE(Liaisons, law),
    {"points", TAC_INTS, offsetof(Liaisons, given[0]), "1", "",
     "Which points of the matter are in the first group; by default all.", NULL, TAC_NOT_NEGATIVE, 0},
    {"others", TAC_INTS, offsetof(Liaisons, given[1]), "1", "",
     "Which points of the other matter are in the second group; by default all, or in one matter those of "
     "the "
     "first group: then all pairs within it are joined, otherwise every one with every other.",
     NULL, TAC_NOT_NEGATIVE, 0},
    {"slopes", TAC_REALS, offsetof(Liaisons, slopes), "N/m", "",
     "The first holds at all distances; each further one is added below its threshold. Positive forces push "
     "apart, so a spring has one slope, below 0.",
     NULL, TAC_ANY, 0},
    {"thresholds", TAC_REALS, offsetof(Liaisons, thresholds), "m", "", "One for each slope; the first is 0.",
     NULL, TAC_NOT_NEGATIVE, 0},
    {"zero", TAC_REAL, offsetof(Liaisons, zero), "m", "", "The distance at which there is no force.", NULL,
     TAC_ANY, 0},
    {"strength", TAC_REAL, offsetof(Liaisons, strength), "1", "1",
     "The force that slopes give is multiplied by this.", NULL, TAC_NOT_NEGATIVE, TAC_LIVE},
    {"viscosity", TAC_REAL, offsetof(Liaisons, viscosity), "N s/m", "0",
     "Against changes of distance, along the line of centres.", NULL, TAC_NOT_NEGATIVE, TAC_LIVE},
    {"viscosity_reach", TAC_REAL, offsetof(Liaisons, viscosity_reach), "m", "",
     "Nearer than this there is viscosity; by default wherever the force is not zero all along a piece.",
     NULL, TAC_NOT_NEGATIVE, 0},
    {"fit", TAC_CHOICE, offsetof(Liaisons, fit), "", "none",
     "lennard-jones: makes the three pieces that stand for V = depth ((distance/d)^2n - 2 (distance/d)^n), "
     "with "
     "the same rest, strongest pull and depth; slopes, thresholds and zero are then not given.",
     "none|lennard-jones", TAC_ANY, 0},
    {"depth", TAC_REAL, offsetof(Liaisons, depth), "J", "1",
     "For fit: how much energy it takes to part two balls at rest.", NULL, TAC_POSITIVE, 0},
    {"distance", TAC_REAL, offsetof(Liaisons, distance), "m", "1", "For fit: at which two balls are at rest.",
     NULL, TAC_POSITIVE, 0},
    {"exponent", TAC_REAL, offsetof(Liaisons, exponent), "1", "6", "For fit: n.", NULL, TAC_POSITIVE, 0},
    {"stable", TAC_BOOL, offsetof(Liaisons, stable), "", "true",
     "Leaves out of the stiffness what would make it indefinite (turning of pairs that push, pieces that "
     "soften), "
     "so that implicit solvers always work; false gives the exact derivative.",
     NULL, TAC_ANY, 0},
};

static void raise_listed(const Liaisons *self, float *const to[2]) {
    const TacPairList *list = &self->list;
    uint32_t buffer[TAC_PAIR_PIECE];
    for (size_t row = 0; row < list->member_count; row++) {
        TacPairPiece piece = {0};
        uint32_t own = list->home[row];
        int side;
        size_t point = tac_pair_point(list, list->member[own], &side);
        while (tac_pair_next(list, row, &piece, buffer))
            for (size_t s = 0; s < piece.count; s++) {
                uint32_t other = piece.slots[piece.stride * s];
                if (is_listed_pair(self, own, other))
                    tac_scalar_raise(to[side] + point, pull_at(self, slot_distance(list, own, other)));
            }
    }
}

// The strongest pull (or push) of each ball's partners, as shown; viscosity does not count. Lists and flat arrays are
// where positions are put to be computed with, and no state.
static void scalars(const void *data, TacScalar what, TacScalarSheet *sheet) {
    Liaisons *self = (Liaisons *)data;
    TacLawVectors shown;
    float *to[2];
    if (!tac_law_shown(&self->law, what == TAC_SCALAR_TENSION, sheet, &shown, to)) return;
    if (self->listed) {
        tac_pair_list_look(&self->list, NULL, shown.x);
        raise_listed(self, to);
        return;
    }
    take_vectors(self, &shown, false);
    for (size_t i = 0; i < self->group[0].count; i++)
        for (size_t j = 0; j < self->group[1].count; j++) {
            double d[3], length = between(self, i, j, d);
            if (!is_pair(self, i, j) || length == 0) continue;
            tac_scalar_raise(to[0] + self->group[0].points[i], pull_at(self, length));
            tac_scalar_raise(to[1] + self->group[1].points[j], pull_at(self, length));
        }
}

const TacClass tac_liaisons_class = {
    .name = "Liaisons",
    .kind = TAC_KIND_LAW,
    .doc =
        "CORDIS-ANIMA's liaison module: one force over the distance, drawn with straight lines, between all "
        "balls of a group, or all of one with all of another. F(d) = a1 d + sum ai min(d - si, 0) + C with "
        "F(zero) = 0, positive pushes apart. Several on the same groups add up.",
    .size = sizeof(Liaisons),
    .attributes = attributes,
    .attribute_count = TAC_COUNT(attributes),
    .init = init,
    .ops.law = &ops,
    .scalars = scalars,
};
