// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Balls sorted into rows of cubes. See ball_rows.h.

#include "geometry/ball_rows.h"

#include <math.h>

#if defined(__AVX__)
#include <immintrin.h>
#endif

enum { LANES = 4, GRAIN = 2048, DIGIT = 11, MOST_CHUNKS = 256 };

// Cubes are a little wider than the reach: coordinates of up to 1e9 cubes are then rounded by less than the rest.
#define WIDER 1.000001

bool tac_ball_rows_alloc(TacBallRows *rows, TacArena *arena, size_t count) {
    *rows = (TacBallRows){.count = count};
    size_t padded = count + LANES;
    rows->ball = tac_arena_array(arena, padded, sizeof *rows->ball);
    rows->column = tac_arena_array(arena, padded, sizeof *rows->column);
    rows->x = tac_arena_array(arena, padded, sizeof *rows->x);
    rows->y = tac_arena_array(arena, padded, sizeof *rows->y);
    rows->z = tac_arena_array(arena, padded, sizeof *rows->z);
    rows->r = tac_arena_array(arena, padded, sizeof *rows->r);
    rows->rows = tac_arena_array(arena, count + 1, sizeof *rows->rows);
    rows->cubes = tac_arena_array(arena, 3 * padded, sizeof *rows->cubes);
    rows->order = tac_arena_array(arena, padded, sizeof *rows->order);
    return rows->ball && rows->column && rows->x && rows->y && rows->z && rows->r && rows->rows &&
           rows->cubes && rows->order;
}

// --- building ---------------------------------------------------------------------------------------------

typedef struct Range {
    int32_t low[3], high[3];        // cubes
    double box_low[3], box_high[3]; // m
} Range;

typedef struct Build {
    TacBallRows *rows;
    const double *x, *radii;
    size_t stride, grain;
    Range ranges[MOST_CHUNKS];
} Build;

static int32_t cube_of(double x, double cube) {
    double c = floor(x / cube);
    return c > -1e9 ? (c < 1e9 ? (int32_t)c : 1000000000) : -1000000000;
}

// The cube of each ball, and the range of them.
static void find_cubes(void *data, size_t begin, size_t end, size_t chunk) {
    Build *b = data;
    Range range;
    for (int k = 0; k < 3; k++) {
        range.low[k] = INT32_MAX;
        range.high[k] = INT32_MIN;
        range.box_low[k] = INFINITY;
        range.box_high[k] = -INFINITY;
    }
    for (size_t i = begin; i < end; i++) {
        double r = b->radii[i];
        for (int k = 0; k < 3; k++) {
            double x = b->x[b->stride * i + (size_t)k];
            int32_t c = cube_of(x, b->rows->cube);
            b->rows->cubes[(size_t)k * b->rows->count + i] = (uint32_t)c;
            range.low[k] = c < range.low[k] ? c : range.low[k];
            range.high[k] = c > range.high[k] ? c : range.high[k];
            range.box_low[k] = x - r < range.box_low[k] ? x - r : range.box_low[k];
            range.box_high[k] = x + r > range.box_high[k] ? x + r : range.box_high[k];
        }
    }
    b->ranges[chunk] = range;
}

static void join(Range *all, const Range *one) {
    for (int k = 0; k < 3; k++) {
        all->low[k] = one->low[k] < all->low[k] ? one->low[k] : all->low[k];
        all->high[k] = one->high[k] > all->high[k] ? one->high[k] : all->high[k];
        all->box_low[k] = one->box_low[k] < all->box_low[k] ? one->box_low[k] : all->box_low[k];
        all->box_high[k] = one->box_high[k] > all->box_high[k] ? one->box_high[k] : all->box_high[k];
    }
}

// One stable pass over one digit of one coordinate.
static void sort_digit(const uint32_t *cubes, uint32_t low, int shift, uint32_t most, const uint32_t *from,
                       uint32_t *to, size_t count) {
    uint32_t starts[(1u << DIGIT) + 1];
    const uint32_t mask = (1u << DIGIT) - 1;
    uint32_t digits = (most >> shift) < mask ? (most >> shift) + 1 : mask + 1;
    memset(starts, 0, (digits + 1) * sizeof *starts);
    for (size_t i = 0; i < count; i++) starts[((cubes[i] - low) >> shift & mask) + 1]++;
    for (uint32_t d = 0; d < digits; d++) starts[d + 1] += starts[d];
    for (size_t i = 0; i < count; i++) {
        uint32_t ball = from ? from[i] : (uint32_t)i;
        to[starts[(cubes[ball] - low) >> shift & mask]++] = ball;
    }
}

// Radix sort by x, then y, then z, over the digits that differ. The order ends up in rows->order.
static void sort_balls(TacBallRows *rows, const Range *range) {
    uint32_t *to = rows->order, *other = rows->ball, *from = NULL;
    for (int k = 0; k < 3; k++) {
        uint32_t most = (uint32_t)range->high[k] - (uint32_t)range->low[k];
        for (int shift = 0; shift < 32 && most >> shift > 0; shift += DIGIT) {
            sort_digit(rows->cubes + (size_t)k * rows->count, (uint32_t)range->low[k], shift, most, from, to,
                       rows->count);
            from = to;
            to = to == rows->order ? other : rows->order;
        }
    }
    if (!from)
        for (size_t i = 0; i < rows->count; i++) rows->order[i] = (uint32_t)i;
    else if (from != rows->order)
        memcpy(rows->order, from, rows->count * sizeof *from);
}

static void gather(void *data, size_t begin, size_t end, size_t chunk) {
    (void)chunk;
    const Build *b = data;
    TacBallRows *rows = b->rows;
    for (size_t i = begin; i < end; i++) {
        uint32_t ball = rows->order[i];
        const double *x = b->x + b->stride * ball;
        rows->ball[i] = ball;
        rows->column[i] = rows->cubes[ball] - (uint32_t)rows->first_cube[0];
        rows->x[i] = x[0];
        rows->y[i] = x[1];
        rows->z[i] = x[2];
        rows->r[i] = b->radii[ball];
    }
}

static void find_rows(TacBallRows *rows) {
    const uint32_t *y = rows->cubes + rows->count, *z = y + rows->count;
    size_t n = 0;
    for (size_t i = 0; i < rows->count; i++) {
        uint32_t ball = rows->order[i];
        uint32_t at_z = z[ball] - (uint32_t)rows->first_cube[2],
                 at_y = y[ball] - (uint32_t)rows->first_cube[1];
        if (n && rows->rows[n - 1].z == at_z && rows->rows[n - 1].y == at_y) continue;
        rows->rows[n++] = (TacBallRow){at_z, at_y, (uint32_t)i};
    }
    rows->row_count = n;
    rows->rows[n] = (TacBallRow){UINT32_MAX, UINT32_MAX, (uint32_t)rows->count};
}

void tac_ball_rows_build(TacBallRows *rows, TacTeam *team, const double *x, size_t stride,
                         const double *radii, double largest, double extra) {
    Build b = {.rows = rows, .x = x, .radii = radii, .stride = stride};
    rows->largest = largest;
    rows->cube = (2 * largest + extra) * WIDER;
    b.grain = rows->count / MOST_CHUNKS + 1;
    if (b.grain < GRAIN) b.grain = GRAIN;
    tac_team_run(team, rows->count, b.grain, find_cubes, &b);
    Range all = b.ranges[0];
    for (size_t i = 1; i * b.grain < rows->count; i++) join(&all, &b.ranges[i]);
    for (int k = 0; k < 3; k++) {
        rows->first_cube[k] = rows->count ? all.low[k] : 0;
        rows->low[k] = rows->count ? all.box_low[k] : INFINITY;
        rows->high[k] = rows->count ? all.box_high[k] : -INFINITY;
    }
    if (!rows->count) all = (Range){0};
    sort_balls(rows, &all);
    tac_team_run(team, rows->count, b.grain, gather, &b);
    find_rows(rows);
}

// --- pairs ------------------------------------------------------------------------------------------------

// Which of four balls from a place on are nearer to a point than their radius and `reach`: a bit for each. Four, because
// there are about three in a window of a row where balls lie densely; eight at a time gain nothing.
static inline unsigned nearer(const TacBallRows *rows, size_t place, double x, double y, double z,
                              double reach) {
#if defined(__AVX__)
    __m256d dx = _mm256_sub_pd(_mm256_loadu_pd(rows->x + place), _mm256_set1_pd(x));
    __m256d dy = _mm256_sub_pd(_mm256_loadu_pd(rows->y + place), _mm256_set1_pd(y));
    __m256d dz = _mm256_sub_pd(_mm256_loadu_pd(rows->z + place), _mm256_set1_pd(z));
    __m256d d =
        _mm256_add_pd(_mm256_add_pd(_mm256_mul_pd(dx, dx), _mm256_mul_pd(dy, dy)), _mm256_mul_pd(dz, dz));
    __m256d s = _mm256_add_pd(_mm256_loadu_pd(rows->r + place), _mm256_set1_pd(reach));
    return (unsigned)_mm256_movemask_pd(_mm256_cmp_pd(d, _mm256_mul_pd(s, s), _CMP_LT_OQ));
#else
    unsigned bits = 0;
    for (unsigned l = 0; l < LANES; l++) {
        double dx = rows->x[place + l] - x, dy = rows->y[place + l] - y, dz = rows->z[place + l] - z;
        double s = rows->r[place + l] + reach;
        bits |= (unsigned)(dx * dx + dy * dy + dz * dz < s * s) << l;
    }
    return bits;
#endif
}

// Appends the pairs of the ball at place i with those of the four from place j on whose bits are set. There is room for
// four. Where half of the tests hit, a loop over bits is guessed wrong half of the time: it is done without.
static inline void add_pairs(const TacBallRows *rows, size_t i, size_t j, unsigned bits, TacBallPairs *out) {
#if defined(__AVX512F__) && defined(__AVX512VL__)
    __m128i own = _mm_set1_epi32((int)rows->ball[i]);
    __m128i others = _mm_loadu_si128((const void *)(rows->ball + j));
    __m256i low = _mm256_cvtepu32_epi64(_mm_min_epu32(own, others));
    __m256i high = _mm256_cvtepu32_epi64(_mm_max_epu32(own, others));
    __m256i pairs = _mm256_or_si256(low, _mm256_slli_epi64(high, 32));
    _mm256_storeu_si256((void *)(out->items + out->count),
                        _mm256_maskz_compress_epi64((__mmask8)bits, pairs));
    out->count += (size_t)__builtin_popcount(bits);
#else
    for (; bits; bits &= bits - 1) {
        uint32_t p = rows->ball[i], q = rows->ball[j + (size_t)__builtin_ctz(bits)];
        out->items[out->count++] = (TacBallPair){p < q ? p : q, p < q ? q : p};
    }
#endif
}

static inline unsigned first_bits(size_t count) {
    return count < LANES ? (1u << count) - 1 : (1u << LANES) - 1;
}

// By way of a copy: the address of the list itself must not leave the loop that fills it.
static bool make_room(TacBallPairs *out) {
    TacBallPairs more = *out;
    bool fine = tac_grow(&more.items, &more.capacity, more.count + LANES, sizeof *more.items);
    *out = more;
    return fine;
}

// One ball with those from place j on, to the end of their row or beyond its reach.
static inline bool ball_pairs(const TacBallRows *rows, size_t i, size_t j, size_t end, double extra,
                              TacBallPairs *out) {
    double x = rows->x[i], y = rows->y[i], z = rows->z[i], reach = rows->r[i] + extra;
    do {
        if (out->capacity - out->count < LANES && !make_room(out)) return false;
        add_pairs(rows, i, j, nearer(rows, j, x, y, z, reach) & first_bits(end - j), out);
        j += LANES;
    } while (j < end && rows->column[j] <= rows->column[i] + 1);
    return true;
}

static bool pairs_within(const TacBallRows *rows, const TacBallRow *row, double extra, TacBallPairs *out) {
    const TacBallRows r = *rows; // copies: no store can change them, so they stay in registers
    TacBallPairs o = *out;
    bool fine = true;
    for (size_t i = row->start, end = row[1].start; fine && i + 1 < end; i++)
        fine = ball_pairs(&r, i, i + 1, end, extra, &o);
    *out = o;
    return fine;
}

// A window over the other row goes along with the columns of this one, mostly by none to three places.
static bool pairs_between(const TacBallRows *rows, const TacBallRow *row, const TacBallRow *other,
                          double extra, TacBallPairs *out) {
    const TacBallRows r = *rows;
    TacBallPairs o = *out;
    size_t begin = other->start, last = other[1].start - 1;
    bool fine = true;
    for (size_t i = row->start, end = row[1].start; fine && i < end; i++) {
        uint32_t column = r.column[i];
        for (int k = 0; k < 3; k++) begin += (begin < last) & (r.column[begin] + 1 < column);
        while (begin < last && r.column[begin] + 1 < column) begin++;
        fine = ball_pairs(&r, i, begin, last + 1, extra, &o);
    }
    *out = o;
    return fine;
}

// The first row from `from` on that is not before (z, y).
static size_t find_row(const TacBallRows *rows, size_t from, uint64_t z, uint64_t y) {
    size_t low = from, high = rows->row_count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        const TacBallRow *row = &rows->rows[middle];
        bool before = row->z < z || (row->z == z && row->y < y);
        *(before ? &low : &high) = before ? middle + 1 : middle;
    }
    return low;
}

bool tac_ball_rows_pairs(const TacBallRows *rows, size_t begin, size_t end, double extra, TacBallPairs *out) {
    if (begin >= end) return true;
    const TacBallRow *all = rows->rows, *last = all + rows->row_count;
    const TacBallRow *above = all + find_row(rows, begin, (uint64_t)all[begin].z + 1, 0);
    for (const TacBallRow *row = all + begin; row < all + end; row++) {
        if (!pairs_within(rows, row, extra, out)) return false;
        if (row + 1 < last && row[1].z == row->z && row[1].y == row->y + 1 &&
            !pairs_between(rows, row, row + 1, extra, out))
            return false;
        // of the next z: from y - 1 to y + 1; whoever is before that stays behind for later rows too
        while (above < last && (above->z <= row->z || (above->z == row->z + 1 && above->y + 1 < row->y)))
            above++;
        for (const TacBallRow *o = above; o < last && o->z == row->z + 1 && o->y <= row->y + 1; o++)
            if (!pairs_between(rows, row, o, extra, out)) return false;
    }
    return true;
}

size_t tac_ball_rows_at(const TacBallRows *rows, size_t place) {
    size_t low = 0, high = rows->row_count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        bool before = rows->rows[middle].start < place;
        *(before ? &low : &high) = before ? middle + 1 : middle;
    }
    return low;
}

// --- boxes ------------------------------------------------------------------------------------------------

typedef struct Box {
    const double *low, *high;
    uint32_t first[3], last[3]; // cubes that can hold the centre of a ball that meets it
} Box;

static bool meets(const TacBallRows *rows, const Box *box, size_t i) {
    double r = rows->r[i];
    return rows->x[i] + r >= box->low[0] && rows->x[i] - r <= box->high[0] && rows->y[i] + r >= box->low[1] &&
           rows->y[i] - r <= box->high[1] && rows->z[i] + r >= box->low[2] && rows->z[i] - r <= box->high[2];
}

static bool visit_row(const TacBallRows *rows, const TacBallRow *row, const Box *box, TacBallVisit visit,
                      void *data) {
    size_t begin = row->start, end = row[1].start;
    while (begin < end) { // the first ball whose column is reached
        size_t middle = (begin + end) / 2;
        bool before = rows->column[middle] < box->first[0];
        *(before ? &begin : &end) = before ? middle + 1 : middle;
    }
    for (size_t i = begin; i < row[1].start && rows->column[i] <= box->last[0]; i++)
        if (meets(rows, box, i) && !visit(data, rows->ball[i])) return false;
    return true;
}

bool tac_ball_rows_near(const TacBallRows *rows, const double low[3], const double high[3],
                        TacBallVisit visit, void *data) {
    Box box = {low, high, {0}, {0}};
    double reach = rows->largest + (WIDER - 1) * rows->cube;
    for (int k = 0; k < 3; k++) {
        int64_t first = (int64_t)cube_of(low[k] - reach, rows->cube) - rows->first_cube[k];
        int64_t last = (int64_t)cube_of(high[k] + reach, rows->cube) - rows->first_cube[k];
        if (last < 0) return true;
        box.first[k] = first > 0 ? (uint32_t)first : 0;
        box.last[k] = last < UINT32_MAX ? (uint32_t)last : UINT32_MAX;
    }
    size_t i = find_row(rows, 0, box.first[2], box.first[1]);
    while (i < rows->row_count && rows->rows[i].z <= box.last[2]) {
        const TacBallRow *row = &rows->rows[i];
        if (row->y < box.first[1]) {
            i = find_row(rows, i, row->z, box.first[1]);
        } else if (row->y > box.last[1]) {
            i = find_row(rows, i, (uint64_t)row->z + 1, box.first[1]);
        } else {
            if (!visit_row(rows, row, &box, visit, data)) return false;
            i++;
        }
    }
    return true;
}
