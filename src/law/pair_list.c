// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// See pair_list.h.

#include "law/pair_list.h"
#include "base/memory.h"
#include "base/team.h"

enum { FEW = 9, FEW_OF_SHORT = 16, SHORT = 48, SLOT_GRAIN = 1024 };

// Rows that are sorted by length together, and room for what is found of them.
enum { WINDOW = 16, POOL = 16 * TAC_PAIR_PIECE };

// Thin cells pay where many are in reach.
enum { SLICES_OF_SHORT = 1, SLICES_OF_LONG = 4 };

// What the skin grows by, and the largest one, in reaches.
static const double SKIN_GROWTH = 1.15, SKIN_MOST = 0.5, SKIN_LEAST = 0.02;

// The part of a skin that may be used up: rounding may have put somebody into the next cell but one.
static const double SAFE = 1 - 1e-9;

// --- rows -------------------------------------------------------------------------------------------------

// Appends those of slots [from, from + 8), from < to, that are nearer than the limit, and returns how many.
TAC_EIGHT_INLINE size_t append_near(const TacPairList *list, const double x[3], uint32_t self, uint32_t from,
                                    uint32_t to, double limit, uint32_t *out) {
#if defined(__AVX512F__) && defined(__AVX512VL__)
    TacWide square = {0}, d;
    for (int k = 0; k < 3; k++) {
        tac_wide_load(&d, list->at[k] + from);
        d -= x[k];
        square += d * d;
    }
    const __m256i lanes = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    __m256i slots = _mm256_add_epi32(_mm256_set1_epi32((int)from), lanes);
    __mmask8 near = _mm512_cmp_pd_mask((__m512d)square, _mm512_set1_pd(limit), _CMP_LT_OQ);
    near = _mm256_mask_cmp_epu32_mask(near, slots, _mm256_set1_epi32((int)to), _MM_CMPINT_LT);
    near = _mm256_mask_cmp_epu32_mask(near, slots, _mm256_set1_epi32((int)self), _MM_CMPINT_NE);
    _mm256_storeu_si256((__m256i *)(void *)out, _mm256_maskz_compress_epi32(near, slots));
    return (size_t)__builtin_popcount(near);
#else
    double square[TAC_EIGHT] = {0};
    for (int k = 0; k < 3; k++)
        for (uint32_t lane = 0; lane < TAC_EIGHT; lane++) {
            double d = list->at[k][from + lane] - x[k];
            square[lane] += d * d;
        }
    size_t n = 0;
    for (uint32_t lane = 0; lane < TAC_EIGHT; lane++) {
        out[n] = from + lane;
        n += square[lane] < limit && from + lane < to && from + lane != self;
    }
    return n;
#endif
}

bool tac_pair_find(const TacPairList *list, size_t row, TacPairPiece *piece, uint32_t *buffer) {
    if (piece->begun && piece->run == 9) return false;
    uint32_t self = list->home[row];
    const TacPairCell *cell = &list->cells[list->cell_of[self]];
    double x[3] = {list->at[0][self], list->at[1][self], list->at[2][self]};
    double limit = (list->def.reach + list->built_skin) * (list->def.reach + list->built_skin);
    if (!piece->begun) *piece = (TacPairPiece){.next = cell->runs[0], .begun = true};
    size_t n = 0;
    // what is found is always less than a piece, and the rest of a piece is handed out with the next one
    while (piece->run < 9) {
        uint32_t end = cell->runs[2 * piece->run + 1];
        for (; piece->next < end; piece->next += TAC_EIGHT) {
            if (n > TAC_PAIR_PIECE - 2 * TAC_EIGHT) goto full;
            n += append_near(list, x, self, piece->next, end, limit, buffer + n);
        }
        if (++piece->run < 9) piece->next = cell->runs[2 * piece->run];
    }
full:
    while (n % TAC_EIGHT) buffer[n++] = self;
    piece->slots = buffer;
    piece->count = n;
    piece->stride = 1;
    return true;
}

// The square of the distance at which a shell ends, and more than single precision takes away.
static float shell_limit(const TacPairList *list, size_t shell) {
    double end = list->def.reach + list->built_skin * (double)(shell + 1) / TAC_PAIR_SHELLS + list->blur;
    return (float)(end * end * (1 + 1e-6));
}

#if defined(__AVX2__) && defined(__BMI2__) && !defined(__AVX512F__)
// Moves the lanes of a mask to the front.
TAC_EIGHT_INLINE __m256i to_the_front(unsigned mask) {
    uint64_t bytes = _pdep_u64(mask, 0x0101010101010101) * 0xff;
    return _mm256_cvtepu8_epi32(_mm_cvtsi64_si128((long long)_pext_u64(0x0706050403020100, bytes)));
}

TAC_EIGHT_INLINE unsigned first_lanes(size_t count) {
    return count < TAC_EIGHT ? (1u << count) - 1 : 0xff;
}
#endif

// A row as it was found; behind its end there may be more.
typedef struct FoundRow {
    uint32_t slots[TAC_PAIR_PIECE];
    float squares[TAC_PAIR_PIECE];
    size_t count;
} FoundRow;

// Appends those of slots [from, from + 16), from < to, that are nearer than the limit, in single precision: some that
// are a little farther may be among them, never one too few. Returns how many.
TAC_EIGHT_INLINE size_t append_seen(const float *const seen[3], const float x[3], uint32_t self,
                                    uint32_t from, uint32_t to, float limit, uint32_t *out, float *squares) {
#if defined(__AVX512F__)
    const __m512i lanes = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    __m512i slots = _mm512_add_epi32(_mm512_set1_epi32((int)from), lanes);
    __m512 square = _mm512_setzero_ps();
    for (int k = 0; k < 3; k++) {
        __m512 d = _mm512_sub_ps(_mm512_loadu_ps(seen[k] + from), _mm512_set1_ps(x[k]));
        square = _mm512_add_ps(square, _mm512_mul_ps(d, d));
    }
    __mmask16 near = _mm512_cmp_ps_mask(square, _mm512_set1_ps(limit), _CMP_LT_OQ);
    near = _mm512_mask_cmp_epu32_mask(near, slots, _mm512_set1_epi32((int)to), _MM_CMPINT_LT);
    near = _mm512_mask_cmp_epu32_mask(near, slots, _mm512_set1_epi32((int)self), _MM_CMPINT_NE);
    _mm512_storeu_si512(out, _mm512_maskz_compress_epi32(near, slots));
    _mm512_storeu_ps(squares, _mm512_maskz_compress_ps(near, square));
    return (size_t)__builtin_popcount(near);
#elif defined(__AVX2__) && defined(__BMI2__)
    size_t n = 0;
    for (uint32_t s = from; s < to && s < from + TAC_PAIR_BEHIND; s += TAC_EIGHT) {
        __m256 square = _mm256_setzero_ps();
        for (int k = 0; k < 3; k++) {
            __m256 d = _mm256_sub_ps(_mm256_loadu_ps(seen[k] + s), _mm256_set1_ps(x[k]));
            square = _mm256_add_ps(square, _mm256_mul_ps(d, d));
        }
        __m256i slots =
            _mm256_add_epi32(_mm256_set1_epi32((int)s), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
        unsigned near =
            (unsigned)_mm256_movemask_ps(_mm256_cmp_ps(square, _mm256_set1_ps(limit), _CMP_LT_OQ));
        near &= first_lanes(to - s);
        if (self - s < TAC_EIGHT) near &= ~(1u << (self - s));
        __m256i order = to_the_front(near);
        _mm256_storeu_si256((__m256i *)(void *)(out + n), _mm256_permutevar8x32_epi32(slots, order));
        _mm256_storeu_ps(squares + n, _mm256_permutevar8x32_ps(square, order));
        n += (size_t)__builtin_popcount(near);
    }
    return n;
#else
    size_t n = 0;
    for (uint32_t s = from; s < to && s < from + TAC_PAIR_BEHIND; s++) {
        float square = 0;
        for (int k = 0; k < 3; k++) {
            float d = seen[k][s] - x[k];
            square += d * d;
        }
        out[n] = s;
        squares[n] = square;
        n += square < limit && s != self;
    }
    return n;
#endif
}

// False when a row is longer than a piece.
static bool see_row(const TacPairList *list, uint32_t self, FoundRow *row) {
    const TacPairCell *cell = &list->cells[list->cell_of[self]];
    const float *const seen[3] = {list->seen[0], list->seen[1], list->seen[2]};
    const float x[3] = {seen[0][self], seen[1][self], seen[2][self]};
    float limit = shell_limit(list, TAC_PAIR_SHELLS - 1);
    size_t n = 0;
    for (size_t run = 0; run < 9; run++) {
        uint32_t end = cell->runs[2 * run + 1];
        for (uint32_t s = cell->runs[2 * run]; s < end; s += TAC_PAIR_BEHIND) {
            if (n > TAC_PAIR_PIECE - 2 * TAC_PAIR_BEHIND) return false;
            n += append_seen(seen, x, self, s, end, limit, row->slots + n, row->squares + n);
        }
    }
    row->count = n;
    return true;
}

// The same where places reach too far for single precision.
static bool measure_row(const TacPairList *list, size_t row, FoundRow *found) {
    TacPairPiece piece = {0};
    uint32_t self = list->home[row];
    tac_pair_find(list, row, &piece, found->slots);
    found->count = piece.count;
    while (found->count && found->slots[found->count - 1] == self) found->count--;
    for (size_t i = 0; i < found->count; i++) {
        double square = 0;
        for (int k = 0; k < 3; k++) {
            double d = list->at[k][found->slots[i]] - list->at[k][self];
            square += d * d;
        }
        found->squares[i] = (float)square;
    }
    return piece.run == 9;
}

// Appends those between two squares, in their order, and returns how many.
static size_t append_shell(const FoundRow *row, float from, float to, uint32_t *out) {
    size_t n = 0;
#if defined(__AVX512F__)
    for (size_t i = 0; i < row->count; i += 16) {
        __m512 squares = _mm512_loadu_ps(row->squares + i);
        unsigned left = row->count - i < 16 ? (unsigned)(row->count - i) : 16;
        __mmask16 in = (__mmask16)((1u << left) - 1);
        in = _mm512_mask_cmp_ps_mask(in, squares, _mm512_set1_ps(from), _CMP_GE_OQ);
        in = _mm512_mask_cmp_ps_mask(in, squares, _mm512_set1_ps(to), _CMP_LT_OQ);
        _mm512_storeu_si512(out + n, _mm512_maskz_compress_epi32(in, _mm512_loadu_si512(row->slots + i)));
        n += (size_t)__builtin_popcount(in);
    }
#elif defined(__AVX2__) && defined(__BMI2__)
    for (size_t i = 0; i < row->count; i += TAC_EIGHT) {
        __m256 squares = _mm256_loadu_ps(row->squares + i);
        __m256 in = _mm256_and_ps(_mm256_cmp_ps(squares, _mm256_set1_ps(from), _CMP_GE_OQ),
                                  _mm256_cmp_ps(squares, _mm256_set1_ps(to), _CMP_LT_OQ));
        unsigned mask = (unsigned)_mm256_movemask_ps(in) & first_lanes(row->count - i);
        __m256i slots = _mm256_loadu_si256((const __m256i *)(const void *)(row->slots + i));
        _mm256_storeu_si256((__m256i *)(void *)(out + n),
                            _mm256_permutevar8x32_epi32(slots, to_the_front(mask)));
        n += (size_t)__builtin_popcount(mask);
    }
#else
    for (size_t i = 0; i < row->count; i++) {
        out[n] = row->slots[i];
        n += row->squares[i] >= from && row->squares[i] < to;
    }
#endif
    return n;
}

// Rows that follow each other, by shells.
typedef struct RowWindow {
    FoundRow found; // the last one
    float limits[TAC_PAIR_SHELLS];
    uint32_t pool[POOL + TAC_PAIR_PIECE];
    uint32_t begin[WINDOW], home[WINDOW];  // in the pool; the slot of the row
    uint32_t end[WINDOW][TAC_PAIR_SHELLS]; // of each shell, from the row's begin on
    uint32_t length[WINDOW];               // what a row costs: the sum of those
    uint8_t order[WINDOW];                 // by length
    size_t rows, used;
} RowWindow;

// Adds the next row. False when it is longer than a piece.
static bool find_row(const TacPairList *list, size_t row, RowWindow *w) {
    size_t r = w->rows++, n = 0;
    if (!(list->sharp ? see_row(list, list->home[row], &w->found) : measure_row(list, row, &w->found)))
        return false;
    w->begin[r] = (uint32_t)w->used;
    w->home[r] = list->home[row];
    w->length[r] = 0;
    for (size_t shell = 0; shell < TAC_PAIR_SHELLS; shell++) {
        float from = shell ? w->limits[shell - 1] : 0, to = w->limits[shell];
        n += append_shell(&w->found, from, to, w->pool + w->used + n);
        w->end[r][shell] = (uint32_t)n;
        w->length[r] += (uint32_t)n;
    }
    w->used += n;
    return true;
}

// Finds as many rows as there is room for, by eights. False when one is longer than a piece: such rows are not kept.
static bool find_window(const TacPairList *list, size_t row, size_t end, RowWindow *w) {
    for (w->rows = w->used = 0; w->rows < WINDOW && row + w->rows < end;) {
        if (w->rows % TAC_EIGHT == 0 && w->used + TAC_EIGHT * TAC_PAIR_PIECE > POOL) break;
        if (!find_row(list, row + w->rows, w)) return false;
    }
    return true;
}

// Longest first; rows of one length stay in their order.
static void sort_window(RowWindow *w) {
    for (size_t r = 0; r < w->rows; r++) {
        size_t at = r;
        for (; at > 0 && w->length[w->order[at - 1]] < w->length[r]; at--) w->order[at] = w->order[at - 1];
        w->order[at] = (uint8_t)r;
    }
}

// Rows of the window's order from `first` on side by side; behind the last row it is repeated.
static void put_group(const RowWindow *w, size_t first, size_t longest, uint32_t *to) {
    for (size_t lane = 0; lane < TAC_EIGHT; lane++) {
        size_t at = first + lane < w->rows ? first + lane : w->rows - 1, r = w->order[at];
        size_t n = first + lane < w->rows ? w->end[r][TAC_PAIR_SHELLS - 1] : 0;
        const uint32_t *found = w->pool + w->begin[r];
        for (size_t i = 0; i < n; i++) to[TAC_EIGHT * i + lane] = found[i];
        for (size_t i = n; i < longest; i++) to[TAC_EIGHT * i + lane] = w->home[r];
    }
}

// Where a group comes to stand depends on which thread comes first; what stands there does not, and whether
// all fit does not.
static void put_window(TacPairList *list, size_t row, const RowWindow *w) {
    for (size_t i = 0; i < w->rows; i++) list->home[row + i] = w->home[w->order[i]];
    for (size_t i = 0; i < w->rows; i += TAC_EIGHT) {
        size_t group = (row + i) / TAC_EIGHT;
        uint32_t *ends = list->group_size + TAC_PAIR_SHELLS * group;
        memset(ends, 0, TAC_PAIR_SHELLS * sizeof *ends);
        for (size_t lane = i; lane < i + TAC_EIGHT && lane < w->rows; lane++)
            for (size_t shell = 0; shell < TAC_PAIR_SHELLS; shell++)
                if (w->end[w->order[lane]][shell] > ends[shell]) ends[shell] = w->end[w->order[lane]][shell];
        size_t longest = ends[TAC_PAIR_SHELLS - 1], size = TAC_EIGHT * longest;
        size_t to = atomic_fetch_add_explicit(&list->row_used, size, memory_order_relaxed);
        list->group_begin[group] = to;
        if (size && to + size <= list->row_capacity) put_group(w, i, longest, list->rows + to);
    }
}

static void build_rows(void *data, size_t begin, size_t end, size_t chunk) {
    (void)chunk;
    TacPairList *list = data;
    RowWindow window;
    for (size_t shell = 0; shell < TAC_PAIR_SHELLS; shell++)
        window.limits[shell] = shell + 1 < TAC_PAIR_SHELLS ? shell_limit(list, shell) : INFINITY;
    for (size_t row = begin; row < end; row += window.rows) {
        if (!find_window(list, row, end, &window)) {
            atomic_fetch_add_explicit(&list->row_used, list->row_capacity + 1, memory_order_relaxed);
            return;
        }
        sort_window(&window);
        put_window(list, row, &window);
    }
}

// Everything that follows from the reference, or from new places. Returns its mark.
static uint64_t build(TacPairList *list, TacTeam *team, double skin, const double *const *x) {
    // of a damaged snapshot it may be anything
    double widest = SKIN_MOST * list->def.reach;
    list->built_skin = skin >= 0 && skin <= widest ? skin : widest;
    uint64_t mark = tac_pair_cells_build(list, team, x);
    atomic_store_explicit(&list->row_used, 0, memory_order_relaxed);
    tac_team_run(team, list->member_count, TAC_PAIR_GRAIN, build_rows, list);
    list->kept = atomic_load_explicit(&list->row_used, memory_order_relaxed) <= list->row_capacity;
    return mark;
}

// --- places -----------------------------------------------------------------------------------------------

typedef struct Places {
    TacPairList *list;
    const double *const *x;
    const size_t *stride;
    double *to;
    bool motion; // not places
} Places;

// One slot: its numbers, and the square of how far it has moved since the build.
TAC_EIGHT_INLINE double place_slot(const Places *p, size_t s, size_t dimension) {
    const TacPairList *list = p->list;
    int side;
    size_t point = tac_pair_point(list, list->member[s], &side);
    const double *x = p->x[side] + p->stride[side] * point;
    double now[4] = {0, 0, 0, 0}, square = 0;
    for (size_t k = 0; k < dimension; k++) {
        now[k] = list->offset && !p->motion ? x[k] + list->offset[4 * s + k] : x[k];
        double d = now[k] - list->at[k][s];
        square += d * d;
    }
    memcpy(p->to + 4 * s, now, sizeof now);
    return square;
}

// Slots of points in space, lane by lane. `far` keeps the largest square of each lane; what is not a number counts as too
// far.
#ifdef __AVX__
TAC_EIGHT_INLINE void place_wide(const Places *p, size_t s, bool offset, TacWide *far) {
    const TacPairList *list = p->list;
    const __m256i three = _mm256_setr_epi64x(-1, -1, -1, 0);
    uint32_t slots[TAC_WIDTH];
    for (uint32_t lane = 0; lane < TAC_WIDTH; lane++) {
        __m256d x = _mm256_maskload_pd(p->x[0] + p->stride[0] * list->source[s + lane], three);
        if (offset) x = _mm256_add_pd(x, _mm256_load_pd(list->offset + 4 * (s + lane)));
        _mm256_store_pd(p->to + 4 * (s + lane), x);
        slots[lane] = lane;
    }
    TacWide now[3], at, square = {0};
    tac_wide_gather(now, p->to + 4 * s, slots);
    for (int k = 0; k < 3; k++) {
        tac_wide_load(&at, list->at[k] + s);
        at = now[k] - at;
        square += at * at;
    }
    TacWideMask farther = ~(square <= *far) & (*far == *far);
    tac_wide_choose(&farther, &square, far, far);
}
#endif

TAC_EIGHT_INLINE double place_slots(const Places *p, size_t begin, size_t end, size_t dimension) {
    double most = 0;
    size_t s = begin;
#ifdef __AVX__
    if (p->list->source && !p->motion) {
        TacWide far = {0};
        if (p->list->offset)
            for (; s + TAC_WIDTH <= end; s += TAC_WIDTH) place_wide(p, s, true, &far);
        else
            for (; s + TAC_WIDTH <= end; s += TAC_WIDTH) place_wide(p, s, false, &far);
        for (int lane = 0; lane < TAC_WIDTH; lane++)
            if (!(far[lane] <= most) && most == most) most = far[lane];
    }
#endif
    for (; s < end; s++) {
        double square = place_slot(p, s, dimension);
        if (!(square <= most) && most == most) most = square;
    }
    return most;
}

static void place_chunk(void *data, size_t begin, size_t end, size_t chunk) {
    const Places *p = data;
    double most = p->list->def.dimension == 3 ? place_slots(p, begin, end, 3)
                                              : place_slots(p, begin, end, p->list->def.dimension);
    // once not a number, always too far
    if (!p->motion) p->list->moved[chunk] = most == most ? most : INFINITY;
}

// Takes places, and tells how far somebody has moved since the build.
static double take_places(TacPairList *list, TacTeam *team, const double *const x[2]) {
    Places places = {list, x, list->def.stride, list->place, false};
    tac_team_run(team, list->slot_count, SLOT_GRAIN, place_chunk, &places);
    double most = 0;
    for (size_t c = 0; c < tac_chunks(list->slot_count, SLOT_GRAIN); c++) most = fmax(most, list->moved[c]);
    double moved = 2 * sqrt(most) / (list->built_skin * SAFE) * TAC_PAIR_SHELLS;
    // a damaged snapshot may tell of any skin
    list->shell = moved >= 0 && moved < TAC_PAIR_SHELLS - 1 ? (size_t)moved : TAC_PAIR_SHELLS - 1;
    return sqrt(most);
}

void tac_pair_list_move(TacPairList *list, TacTeam *team, const double *const v[2], const size_t stride[2]) {
    Places places = {list, v, stride, list->motion, true};
    tac_team_run(team, list->slot_count, SLOT_GRAIN, place_chunk, &places);
}

// --- keeping up -------------------------------------------------------------------------------------------

static bool is_good(const TacPairList *list, double moved) {
    return 2 * moved <= list->built_skin * SAFE;
}

// Building costs about the same for all; rows that are short make steps cheap, so they are built less often.
static void adapt_skin(TacPairList *list) {
    TacPairListState *state = list->state;
    if (!state->mark) return;
    uint64_t few = atomic_load(&list->row_used) < SHORT * list->member_count ? FEW_OF_SHORT : FEW;
    if (state->age < few) state->skin = fmin(state->skin * SKIN_GROWTH, SKIN_MOST * list->def.reach);
    if (state->age > 3 * few) state->skin = fmax(state->skin / SKIN_GROWTH, SKIN_LEAST * list->def.reach);
}

void tac_pair_list_update(TacPairList *list, TacTeam *team, const double *const x[2], int64_t tick) {
    TacPairListState *state = list->state;
    if (state->mark && list->built != state->mark) {
        // restored, or somebody looked from elsewhere
        build(list, team, state->skin, NULL);
        list->built = state->mark;
    }
    if (state->mark && is_good(list, take_places(list, team, x))) {
        if (tick != state->tick) state->age++;
        state->tick = tick;
        return;
    }
    adapt_skin(list);
    state->mark = list->built = build(list, team, state->skin, x);
    state->age = 0;
    state->tick = tick;
    take_places(list, team, x);
}

void tac_pair_list_look(TacPairList *list, TacTeam *team, const double *const x[2]) {
    TacPairListState *state = list->state;
    if (state->mark && list->built != state->mark) {
        build(list, team, state->skin, NULL);
        list->built = state->mark;
    }
    if (state->mark && is_good(list, take_places(list, team, x))) return;
    // the reference is swapped away while others' rows are built, and back again: only `built` tells
    size_t numbers = 3 * list->member_count;
    memcpy(list->elsewhere, list->reference, numbers * sizeof(double));
    build(list, team, state->skin, x);
    memcpy(list->reference, list->elsewhere, numbers * sizeof(double));
    list->built = 0;
    take_places(list, team, x);
}

// --- setting up -------------------------------------------------------------------------------------------

static TacStatus check_box(const TacPairList *list, TacSetup *setup, TacError *error) {
    double least = 2 * list->def.reach * (1 + SKIN_MOST);
    for (int k = 0; k < 3; k++) {
        double box = list->box[k];
        if (box > 0 && (size_t)k < list->def.dimension && !(box >= least))
            return tac_setup_fail(setup, error, "box",
                                  "a box of %g m is too small for a reach of %g m; at least %g m", box,
                                  list->def.reach, least);
    }
    return TAC_OK;
}

static TacStatus take_memory(TacPairList *list, TacSetup *setup, TacError *error) {
    size_t n = list->member_count, slots = n;
    for (int k = 0; k < 3; k++)
        if (list->box[k] > 0) slots *= 2;
    list->slot_capacity = slots;
    TAC_TRY(tac_pair_cells_create(list, setup, error));
    list->state = tac_setup_alloc(setup, 1, sizeof *list->state);
    list->elsewhere = tac_setup_alloc(setup, 3 * n, sizeof(double));
    list->place = tac_setup_alloc(setup, 4 * slots, sizeof(double));
    list->group_begin = tac_setup_alloc(setup, n / TAC_EIGHT + 1, sizeof(size_t));
    list->group_size = tac_setup_alloc(setup, (n / TAC_EIGHT + 1) * TAC_PAIR_SHELLS, sizeof(uint32_t));
    list->moved = tac_setup_alloc(setup, tac_chunks(slots, SLOT_GRAIN) + 1, sizeof(double));
    bool all =
        list->state && list->elsewhere && list->place && list->group_begin && list->group_size && list->moved;
    return all ? TAC_OK : tac_fail_memory(error, slots * sizeof(double));
}

TacStatus tac_pair_list_create(TacPairList *list, TacSetup *setup, const TacPairListDef *def,
                               const double *const x[2], TacError *error) {
    *list = (TacPairList){.def = *def,
                          .box = {def->box.x, def->box.y, def->box.z},
                          .slices = SLICES_OF_SHORT,
                          .member_count = def->count[0] + def->count[1]};
    if (list->member_count >= UINT32_MAX / 16)
        return tac_setup_fail(setup, error, NULL, "works on at most %zu points, not %zu",
                              (size_t)UINT32_MAX / 16 - 1, list->member_count);
    TAC_TRY(check_box(list, setup, error));
    TAC_TRY(take_memory(list, setup, error));
    list->state->skin = fmin(def->skin, SKIN_MOST * def->reach);
    // how much there is now tells how much there may be
    build(list, NULL, list->state->skin, x);
    list->row_capacity = atomic_load(&list->row_used);
    if (list->row_capacity > SHORT * list->member_count) list->slices = SLICES_OF_LONG;
    if (list->row_capacity > 128 * list->member_count) list->row_capacity = 128 * list->member_count;
    list->row_capacity += list->row_capacity / 2 + 24 * list->member_count;
    list->rows = tac_setup_alloc(setup, list->row_capacity, sizeof(uint32_t));
    if (!list->rows) return tac_fail_memory(error, list->row_capacity * sizeof(uint32_t));
    TAC_TRY(tac_setup_state(setup, list->state, sizeof *list->state, error));
    return tac_setup_state(setup, list->reference, 3 * list->member_count * sizeof(double), error);
}

TacStatus tac_pair_list_hold_motion(TacPairList *list, TacSetup *setup, TacError *error) {
    list->motion = tac_setup_alloc(setup, 4 * list->slot_capacity, sizeof(double));
    return list->motion ? TAC_OK : tac_fail_memory(error, 4 * list->slot_capacity * sizeof(double));
}
