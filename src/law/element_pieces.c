// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Numbering the points of pieces, and adding up their forces. See element_pieces.h.

#include "law/element_pieces.h"
#include "base/memory.h"
#include "base/team.h"

enum { RUN_GRAIN = 512 };

// --- setting up -------------------------------------------------------------------------------------------

// Like cards to eight players: player h gets the elements after h n / 8 of the n of a piece, one at each turn. Where n
// is no multiple of eight, some players have one more and stay on for a last turn.
size_t tac_element_pieces_deal(size_t count, size_t i) {
    enum { HANDS = 8 };
    size_t first = i / TAC_PIECE * TAC_PIECE, n = count - first < TAC_PIECE ? count - first : TAC_PIECE;
    size_t turn = (i - first) / HANDS, hand = (i - first) % HANDS, more = n % HANDS;
    return first + hand * (n / HANDS) + (hand < more ? hand : more) + turn;
}

// Numbers points as the elements of each piece come to them. `seen` is, per point, the last piece plus 1, and
// `number` its number there. With no `points` they are only counted.
static size_t number_points(TacElementPieces *p, const int32_t *nodes, size_t filled, uint32_t *seen,
                            uint16_t *number) {
    size_t used = 0;
    for (size_t i = 0; i < p->corners * filled; i++) {
        size_t piece = i / (p->corners * TAC_PIECE);
        int32_t point = nodes[i];
        if (i % (p->corners * TAC_PIECE) == 0) p->start[piece] = (uint32_t)used;
        if (seen[point] != piece + 1) {
            seen[point] = (uint32_t)(piece + 1);
            number[point] = (uint16_t)(used - p->start[piece]);
            if (p->points) p->points[used] = point;
            used++;
        }
        p->local[i] = number[point];
    }
    p->start[p->piece_count] = (uint32_t)used;
    return used;
}

static TacStatus make(TacElementPieces *p, TacSetup *setup, const int32_t *nodes, size_t point_count,
                      uint32_t *seen, uint16_t *number, TacError *error) {
    size_t filled = p->batch_count * TAC_WIDTH;
    p->local = tac_setup_alloc(setup, p->corners * filled, sizeof *p->local);
    p->start = tac_setup_alloc(setup, p->piece_count + 1, sizeof *p->start);
    p->energies = tac_setup_alloc(setup, p->piece_count, sizeof *p->energies);
    if (!seen || !number || !p->local || !p->start || !p->energies)
        return tac_fail_memory(error, p->corners * filled * sizeof *p->local);
    size_t used = number_points(p, nodes, filled, seen, number);
    p->points = tac_setup_alloc(setup, used, sizeof *p->points);
    if (!p->points) return tac_fail_memory(error, used * sizeof *p->points);
    memset(seen, 0, point_count * sizeof *seen);
    number_points(p, nodes, filled, seen, number);

    if (!tac_law_on_team(setup, p->count)) return TAC_OK;
    p->sums = tac_setup_alloc(setup, 3 * used, sizeof *p->sums);
    if (!p->sums) return tac_fail_memory(error, 3 * used * sizeof *p->sums);
    return tac_gather_build(&p->gather, setup, point_count, p->points, 0, 1, used, used, error);
}

TacStatus tac_element_pieces_make(TacElementPieces *pieces, TacSetup *setup, const int32_t *nodes,
                                  size_t corners, size_t count, size_t point_count, TacError *error) {
    *pieces = (TacElementPieces){.count = count,
                                 .corners = corners,
                                 .piece_count = tac_chunks(count, TAC_PIECE),
                                 .batch_count = (count + TAC_WIDTH - 1) / TAC_WIDTH};
    if (count >= UINT32_MAX / 4)
        return tac_setup_fail(setup, error, NULL, "has %zu elements; at most %zu are possible", count,
                              (size_t)UINT32_MAX / 4 - 1);
    uint32_t *seen = calloc(point_count + 1, sizeof *seen);
    uint16_t *number = calloc(point_count + 1, sizeof *number);
    TacStatus status = make(pieces, setup, nodes, point_count, seen, number, error);
    free(seen);
    free(number);
    return status;
}

TacStatus tac_element_pieces_make_dealt(TacElementPieces *pieces, TacSetup *setup, const int32_t *nodes,
                                        size_t corners, size_t count, size_t point_count, TacError *error) {
    size_t filled = (count + TAC_WIDTH - 1) / TAC_WIDTH * TAC_WIDTH;
    int32_t *dealt = malloc((corners * filled + 1) * sizeof *dealt);
    if (!dealt) return tac_fail_memory(error, corners * filled * sizeof *dealt);
    for (size_t i = 0; i < filled; i++) {
        size_t from = tac_element_pieces_deal(count, i < count ? i : count - 1);
        memcpy(dealt + corners * i, nodes + corners * from, corners * sizeof *dealt);
    }
    TacStatus status = tac_element_pieces_make(pieces, setup, dealt, corners, count, point_count, error);
    free(dealt);
    return status;
}

// --- forces -----------------------------------------------------------------------------------------------

// Copies the points of a piece to rows.
static void load_rows(const TacElementPieces *p, size_t piece, const double *x, TacFour *rows) {
    const int32_t *points = p->points + p->start[piece];
    size_t n = p->start[piece + 1] - p->start[piece];
    for (size_t i = 0; i < n; i++) {
        const double *from = x + 3 * (size_t)points[i];
        rows[i] = (TacFour){from[0], from[1], from[2], 0};
    }
}

typedef struct Sum {
    const TacElementPieces *pieces;
    TacPieceForces forces;
    TacPieceEnergy energy;
    const void *call;
    const double *x, *v;
    double *f;
    bool keeps;
} Sum;

static void on_pieces(void *data, size_t begin, size_t end, size_t chunk) {
    (void)chunk;
    const Sum *s = data;
    const TacElementPieces *p = s->pieces;
    TacFour x[TAC_PIECE_POINTS], v[TAC_PIECE_POINTS], f[TAC_PIECE_POINTS];
    const TacPieceRows rows = {x, v, f};
    for (size_t piece = begin; piece < end; piece++) {
        size_t first = p->start[piece], n = p->start[piece + 1] - first;
        load_rows(p, piece, s->x, x);
        if (s->v) load_rows(p, piece, s->v, v);
        memset(f, 0, n * sizeof *f);
        s->forces(s->call, piece, &rows);
        for (size_t i = 0; i < n; i++) {
            // room for sums is there only where several threads need it
            double *to = s->keeps ? p->sums + 3 * (first + i) : s->f + 3 * (size_t)p->points[first + i];
            for (size_t k = 0; k < 3; k++) to[k] = s->keeps ? f[i][k] : to[k] + f[i][k];
        }
    }
}

static void gather_chunk(void *data, size_t begin, size_t end, size_t chunk) {
    (void)chunk;
    const Sum *s = data;
    const TacGather *gather = &s->pieces->gather;
    for (size_t r = begin; r < end; r++) {
        double *f = s->f + 3 * (size_t)gather->points[r];
        for (uint32_t k = gather->start[r]; k < gather->start[r + 1]; k++) {
            const double *sum = s->pieces->sums + 3 * (size_t)gather->slots[k];
            for (size_t i = 0; i < 3; i++) f[i] += sum[i];
        }
    }
}

void tac_element_pieces_force(const TacElementPieces *p, TacTeam *team, TacPieceForces forces,
                              const void *call, const double *x, const double *v, double *f) {
    Sum s = {.pieces = p, .forces = forces, .call = call, .x = x, .v = v, .f = f};
    if (!p->sums || tac_team_size(team) < 2) {
        on_pieces(&s, 0, p->piece_count, 0);
        return;
    }
    s.keeps = true;
    tac_team_run(team, p->piece_count, 1, on_pieces, &s);
    tac_team_run(team, p->gather.block_start[1], RUN_GRAIN, gather_chunk, &s);
}

// --- energy -----------------------------------------------------------------------------------------------

static void energy_of_pieces(void *data, size_t begin, size_t end, size_t chunk) {
    (void)chunk;
    const Sum *s = data;
    const TacElementPieces *p = s->pieces;
    TacFour x[TAC_PIECE_POINTS];
    for (size_t piece = begin; piece < end; piece++) {
        double sum = 0;
        load_rows(p, piece, s->x, x);
        for (size_t batch = tac_piece_first(piece); batch < tac_piece_end(p, piece); batch++) {
            TacWide each;
            s->energy(s->call, batch, x, &each);
            size_t used = tac_piece_lanes(p, batch);
            for (size_t lane = 0; lane < used; lane++) sum += each[lane];
        }
        p->energies[piece] = sum;
    }
}

double tac_element_pieces_energy(const TacElementPieces *p, TacTeam *team, TacPieceEnergy energy,
                                 const void *call, const double *x) {
    Sum s = {.pieces = p, .energy = energy, .call = call, .x = x};
    tac_team_run(team, p->piece_count, 1, energy_of_pieces, &s);
    double sum = 0;
    for (size_t i = 0; i < p->piece_count; i++) sum += p->energies[i];
    return sum;
}
