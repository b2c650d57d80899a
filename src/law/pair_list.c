// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// See pair_list.h.

#include "law/pair_list.h"
#include "base/memory.h"
#include "base/team.h"

enum { LAST_CELL = 1 << 19, DIGIT = 11, FEW = 12, FEW_OF_SHORT = 20, SHORT = 48, SLOT_GRAIN = 1024 };

// What the skin grows by, and the largest one, in reaches.
static const double SKIN_GROWTH = 1.15, SKIN_MOST = 0.5, SKIN_LEAST = 0.02;

// --- slots ------------------------------------------------------------------------------------------------

// Far out, all that is beyond the last cell is in it. What is not a number has no place.
static int32_t cell_number(double x, double width) {
    double c = floor(x / width);
    return c >= LAST_CELL ? LAST_CELL : c <= -LAST_CELL ? -LAST_CELL : c == c ? (int32_t)c : LAST_CELL;
}

static double box_along(const TacPairList *list, int k) {
    const double box[3] = {list->def.box.x, list->def.box.y, list->def.box.z};
    return box[k];
}

typedef struct Layout {
    TacPairList *list;
    double width;
    int32_t low[3], high[3]; // of cells
} Layout;

static void put_slot(Layout *l, size_t slot, size_t member, const double x[3], const int32_t image[3]) {
    TacPairList *list = l->list;
    list->order[0][slot] = (uint32_t)member;
    for (int k = 0; k < 3; k++) {
        int32_t c = cell_number(x[k] + box_along(list, k) * image[k], l->width);
        list->cell_at[3 * slot + (size_t)k] = c;
        if (c < l->low[k]) l->low[k] = c;
        if (c > l->high[k]) l->high[k] = c;
        if (list->image) list->image[3 * slot + (size_t)k] = image[k];
    }
}

// The images of one member along each axis: itself, wrapped into the box, and one beyond a near face.
static size_t find_images(const TacPairList *list, const double x[3], double width, int32_t images[3][2],
                          size_t count[3]) {
    size_t all = 1;
    for (int k = 0; k < 3; k++) {
        double box = box_along(list, k);
        images[k][0] = 0;
        count[k] = 1;
        if (!(box > 0)) continue;
        double turns = floor(x[k] / box);
        if (!(fabs(turns) < 1e9)) continue;
        double inside = x[k] - turns * box;
        images[k][0] = (int32_t)-turns;
        if (inside < width)
            images[k][count[k]++] = images[k][0] + 1;
        else if (inside >= box - width)
            images[k][count[k]++] = images[k][0] - 1;
        all *= count[k];
    }
    return all;
}

// Members first, in their order; images after them.
static void lay_out(Layout *l) {
    TacPairList *list = l->list;
    size_t slots = list->member_count;
    for (size_t m = 0; m < list->member_count; m++) {
        const double *x = list->reference + 3 * m;
        int32_t images[3][2], own[3];
        size_t count[3], all = find_images(list, x, l->width, images, count);
        for (size_t i = 0; i < all; i++) {
            size_t c[3] = {i % count[0], i / count[0] % count[1], i / count[0] / count[1]};
            for (int k = 0; k < 3; k++) own[k] = images[k][c[k]];
            put_slot(l, i == 0 ? m : slots++, m, x, own);
        }
    }
    list->slot_count = slots;
}

// --- sorting ----------------------------------------------------------------------------------------------

// Numbers of cells with bits for each axis, and the group above them. One more cell on each side has a number
// too.
typedef struct Numbering {
    int32_t low[3];
    unsigned bits[3], all;
} Numbering;

static unsigned bits_for(uint32_t n) {
    unsigned bits = 0;
    while (bits < 32 && n >> bits) bits++;
    return bits;
}

static Numbering make_numbering(const Layout *l) {
    Numbering n = {.all = 1};
    for (int k = 0; k < 3; k++) {
        n.low[k] = l->low[k] - 1;
        n.bits[k] = bits_for((uint32_t)(l->high[k] - l->low[k]) + 2);
        n.all += n.bits[k];
    }
    return n;
}

static uint64_t make_key(const Numbering *n, const int32_t cell[3], uint64_t group) {
    uint64_t key = group;
    for (int k = 3; k-- > 0;) key = key << n->bits[k] | (uint64_t)(cell[k] - n->low[k]);
    return key;
}

// By digits, least first; stable, so members of a cell stay in their order. Returns which of the two arrays
// holds the result.
static int sort_keys(TacPairList *list, unsigned bits) {
    size_t starts[1 << DIGIT];
    int from = 0;
    for (unsigned shift = 0; shift < bits; shift += DIGIT, from = 1 - from) {
        const uint64_t *keys = list->keys[from];
        memset(starts, 0, sizeof starts);
        for (size_t s = 0; s < list->slot_count; s++) starts[keys[s] >> shift & ((1 << DIGIT) - 1)]++;
        size_t sum = 0;
        for (size_t d = 0; d < 1 << DIGIT; d++) {
            size_t n = starts[d];
            starts[d] = sum;
            sum += n;
        }
        for (size_t s = 0; s < list->slot_count; s++) {
            size_t to = starts[keys[s] >> shift & ((1 << DIGIT) - 1)]++;
            list->keys[1 - from][to] = keys[s];
            list->order[1 - from][to] = list->order[from][s];
        }
    }
    return from;
}

// Slots as they were laid out, on their way into the order of their cells.
typedef struct Filling {
    TacPairList *list;
    const uint64_t *keys;
    const uint32_t *order, *members; // of slots in the new order; of slots as laid out
} Filling;

// order[] first holds slots as laid out; where each comes from is needed for its member and image.
static void fill_chunk(void *data, size_t begin, size_t end, size_t chunk) {
    (void)chunk;
    const Filling *filling = data;
    TacPairList *list = filling->list;
    for (size_t s = begin; s < end; s++) {
        uint32_t laid = filling->order[s], m = filling->members[laid];
        list->member[s] = m;
        if (list->source) list->source[s] = list->def.points[0] ? (uint32_t)list->def.points[0][m] : m;
        for (int k = 0; k < 3; k++) {
            double x = list->reference[3 * (size_t)m + (size_t)k];
            if (list->image) {
                double offset = box_along(list, k) * list->image[3 * (size_t)laid + (size_t)k];
                list->offset[4 * s + (size_t)k] = offset;
                x += offset;
            }
            list->at[k][s] = x;
        }
    }
}

// Homes and cells are numbered in order, by one thread; what is in the slots is filled in by all.
static void fill_slots(Filling *filling, TacTeam *team) {
    TacPairList *list = filling->list;
    const uint64_t *keys = filling->keys;
    size_t rows = 0;
    list->cell_count = 0;
    for (size_t s = 0; s < list->slot_count; s++) {
        if (filling->order[s] < list->member_count) list->home[rows++] = (uint32_t)s;
        if (s == 0 || keys[s] != keys[s - 1])
            list->cells[list->cell_count++] = (TacPairCell){.key = keys[s], .begin = (uint32_t)s};
        list->cell_of[s] = (uint32_t)(list->cell_count - 1);
    }
    tac_team_run(team, list->slot_count, SLOT_GRAIN, fill_chunk, filling);
    list->cells[list->cell_count] = (TacPairCell){.key = UINT64_MAX, .begin = (uint32_t)list->slot_count};
    // what lies behind the last slot is read by eights, and never used
    for (int k = 0; k < 3; k++)
        for (size_t s = list->slot_count; s < list->slot_count + TAC_EIGHT; s++) list->at[k][s] = NAN;
}

// --- runs -------------------------------------------------------------------------------------------------

typedef struct RunSearch {
    TacPairList *list;
    const Numbering *numbering;
} RunSearch;

// The first cell whose key is not below `key`.
static size_t first_cell(const TacPairList *list, uint64_t key) {
    size_t low = 0, high = list->cell_count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (list->cells[middle].key < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

// The nine runs of every cell. Keys of the runs grow with the key of the cell, so a cursor for each run moves
// on by a few cells, and is searched for only at the first cell of a chunk and between groups.
static void find_runs(void *data, size_t begin, size_t end, size_t chunk) {
    (void)chunk;
    const RunSearch *search = data;
    TacPairList *list = search->list;
    const Numbering *n = search->numbering;
    uint64_t group = (uint64_t)1 << (n->all - 1), y = (uint64_t)1 << n->bits[0], z = y << n->bits[1];
    size_t cursor[9];
    for (size_t c = begin; c < end; c++) {
        TacPairCell *cell = &list->cells[c];
        // across groups, the runs are those of the same cell in the other group
        uint64_t key = list->def.count[1] ? cell->key ^ group : cell->key;
        bool anew = c == begin || (cell->key & group) != (cell[-1].key & group);
        for (unsigned r = 0; r < 9; r++) {
            uint64_t from = key + (r % 3) * y + (r / 3) * z - y - z - 1;
            if (anew) cursor[r] = first_cell(list, from);
            while (list->cells[cursor[r]].key < from) cursor[r]++;
            size_t stop = cursor[r];
            while (list->cells[stop].key <= from + 2) stop++;
            cell->runs[2 * r] = list->cells[cursor[r]].begin;
            cell->runs[2 * r + 1] = list->cells[stop].begin;
        }
    }
}

// --- rows -------------------------------------------------------------------------------------------------

// Appends those of slots [from, from + 8), from < to, that are nearer than the limit, and returns how many.
TAC_EIGHT_INLINE size_t append_near(const TacPairList *list, const double x[3], uint32_t self, uint32_t from,
                                    uint32_t to, double limit, uint32_t *out) {
    TacEight square = {0}, d;
    for (int k = 0; k < 3; k++) {
        tac_eight_load(&d, list->at[k] + from);
        d -= x[k];
        square += d * d;
    }
#if defined(__AVX512F__) && defined(__AVX512VL__)
    const __m256i lanes = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    __m256i slots = _mm256_add_epi32(_mm256_set1_epi32((int)from), lanes);
    __mmask8 near = _mm512_cmp_pd_mask((__m512d)square, _mm512_set1_pd(limit), _CMP_LT_OQ);
    near = _mm256_mask_cmp_epu32_mask(near, slots, _mm256_set1_epi32((int)to), _MM_CMPINT_LT);
    near = _mm256_mask_cmp_epu32_mask(near, slots, _mm256_set1_epi32((int)self), _MM_CMPINT_NE);
    _mm256_storeu_si256((__m256i *)(void *)out, _mm256_maskz_compress_epi32(near, slots));
    return (size_t)__builtin_popcount(near);
#else
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

// Eight rows, as they were found and side by side.
typedef struct RowGroup {
    uint32_t found[TAC_EIGHT][TAC_PAIR_PIECE];
    uint32_t beside[TAC_EIGHT * TAC_PAIR_PIECE];
    size_t longest;
} RowGroup;

// False when a row is longer than a piece: such rows are not kept.
static bool find_group(const TacPairList *list, size_t row, RowGroup *group) {
    size_t counts[TAC_EIGHT] = {0};
    group->longest = 0;
    for (size_t lane = 0; lane < TAC_EIGHT && row + lane < list->member_count; lane++) {
        TacPairPiece piece = {0};
        tac_pair_find(list, row + lane, &piece, group->found[lane]);
        if (piece.run < 9) return false;
        // without what fills up the last eight
        counts[lane] = piece.count;
        while (counts[lane] && piece.slots[counts[lane] - 1] == list->home[row + lane]) counts[lane]--;
        if (counts[lane] > group->longest) group->longest = counts[lane];
    }
    uint32_t homes[TAC_EIGHT];
    tac_pair_homes(list, row, homes);
    for (size_t lane = 0; lane < TAC_EIGHT; lane++)
        for (size_t i = 0; i < group->longest; i++)
            group->beside[TAC_EIGHT * i + lane] = i < counts[lane] ? group->found[lane][i] : homes[lane];
    return true;
}

// Where a group comes to stand depends on which thread comes first; what stands there does not, and whether
// all fit does not.
static void build_rows(void *data, size_t begin, size_t end, size_t chunk) {
    (void)chunk;
    TacPairList *list = data;
    RowGroup group;
    for (size_t row = begin; row < end; row += TAC_EIGHT) {
        bool short_enough = find_group(list, row, &group);
        size_t size = short_enough ? TAC_EIGHT * group.longest : list->row_capacity + 1;
        size_t to = atomic_fetch_add_explicit(&list->row_used, size, memory_order_relaxed);
        list->group_begin[row / TAC_EIGHT] = to;
        list->group_size[row / TAC_EIGHT] = (uint32_t)group.longest;
        if (size && to + size <= list->row_capacity)
            memcpy(list->rows + to, group.beside, size * sizeof *group.beside);
    }
}

// --- building ---------------------------------------------------------------------------------------------

static uint64_t hash_reference(const TacPairList *list, double skin) {
    uint64_t h = 0x9e3779b97f4a7c15u;
    for (size_t i = 0; i <= 3 * list->member_count; i++) {
        uint64_t bits;
        memcpy(&bits, i < 3 * list->member_count ? &list->reference[i] : &skin, sizeof bits);
        h = (h ^ bits) * 0xff51afd7ed558ccdu;
        h ^= h >> 32;
    }
    return h ? h : 1;
}

// Everything that follows from the reference.
static void build(TacPairList *list, TacTeam *team, double skin) {
    list->built_skin = skin;
    Layout layout = {.list = list, .width = list->def.reach + skin};
    for (int k = 0; k < 3; k++) {
        layout.low[k] = LAST_CELL;
        layout.high[k] = -LAST_CELL;
    }
    lay_out(&layout);
    Numbering numbering = make_numbering(&layout);
    uint32_t *members = list->member; // members as laid out, until slots are filled
    memcpy(members, list->order[0], list->slot_count * sizeof *members);
    for (size_t s = 0; s < list->slot_count; s++) {
        list->keys[0][s] =
            make_key(&numbering, list->cell_at + 3 * s, list->order[0][s] >= list->def.count[0]);
        list->order[0][s] = (uint32_t)s;
    }
    int sorted = sort_keys(list, numbering.all);
    // members are written while they are read in another order: from a copy
    memcpy(list->order[1 - sorted], members, list->slot_count * sizeof *members);
    Filling filling = {list, list->keys[sorted], list->order[sorted], list->order[1 - sorted]};
    fill_slots(&filling, team);
    RunSearch search = {list, &numbering};
    tac_team_run(team, list->cell_count, TAC_PAIR_GRAIN, find_runs, &search);
    atomic_store_explicit(&list->row_used, 0, memory_order_relaxed);
    tac_team_run(team, list->member_count, TAC_PAIR_GRAIN, build_rows, list);
    list->kept = atomic_load_explicit(&list->row_used, memory_order_relaxed) <= list->row_capacity;
}

static void take_reference(TacPairList *list, const double *const x[2]) {
    for (size_t m = 0; m < list->member_count; m++) {
        int side;
        size_t point = tac_pair_point(list, m, &side);
        for (size_t k = 0; k < list->def.dimension; k++)
            list->reference[3 * m + k] = x[side][list->def.stride[side] * point + k];
    }
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

// Eight slots of points in space at once. `far` keeps the largest square of each lane; what is not a number
// counts as too far.
#ifdef __AVX512F__
TAC_EIGHT_INLINE void place_eight(const Places *p, size_t s, bool offset, TacEight *far) {
    const TacPairList *list = p->list;
    uint32_t slots[TAC_EIGHT];
    for (uint32_t lane = 0; lane < TAC_EIGHT; lane++) {
        __m256d x = _mm256_maskz_loadu_pd(7, p->x[0] + p->stride[0] * list->source[s + lane]);
        if (offset) x = _mm256_add_pd(x, _mm256_load_pd(list->offset + 4 * (s + lane)));
        _mm256_store_pd(p->to + 4 * (s + lane), x);
        slots[lane] = lane;
    }
    TacEight now[3], at, square = {0};
    tac_eight_gather(now, p->to + 4 * s, slots);
    for (int k = 0; k < 3; k++) {
        tac_eight_load(&at, list->at[k] + s);
        at = now[k] - at;
        square += at * at;
    }
    __mmask8 farther = _mm512_cmp_pd_mask((__m512d)square, (__m512d)*far, _CMP_NLE_UQ);
    farther = _mm512_mask_cmp_pd_mask(farther, (__m512d)*far, (__m512d)*far, _CMP_EQ_OQ);
    *far = (TacEight)_mm512_mask_mov_pd((__m512d)*far, farther, (__m512d)square);
}
#endif

TAC_EIGHT_INLINE double place_slots(const Places *p, size_t begin, size_t end, size_t dimension) {
    double most = 0;
    size_t s = begin;
#ifdef __AVX512F__
    if (p->list->source && !p->motion) {
        TacEight far = {0};
        if (p->list->offset)
            for (; s + TAC_EIGHT <= end; s += TAC_EIGHT) place_eight(p, s, true, &far);
        else
            for (; s + TAC_EIGHT <= end; s += TAC_EIGHT) place_eight(p, s, false, &far);
        for (int lane = 0; lane < TAC_EIGHT; lane++)
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
    return sqrt(most);
}

void tac_pair_list_move(TacPairList *list, TacTeam *team, const double *const v[2], const size_t stride[2]) {
    Places places = {list, v, stride, list->motion, true};
    tac_team_run(team, list->slot_count, SLOT_GRAIN, place_chunk, &places);
}

// --- keeping up -------------------------------------------------------------------------------------------

static bool is_good(const TacPairList *list, double moved) {
    return 2 * moved <= list->built_skin;
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
        build(list, team, state->skin);
        list->built = state->mark;
    }
    if (state->mark && is_good(list, take_places(list, team, x))) {
        if (tick != state->tick) state->age++;
        state->tick = tick;
        return;
    }
    adapt_skin(list);
    take_reference(list, x);
    build(list, team, state->skin);
    state->mark = list->built = hash_reference(list, state->skin);
    state->age = 0;
    state->tick = tick;
    take_places(list, team, x);
}

void tac_pair_list_look(TacPairList *list, TacTeam *team, const double *const x[2]) {
    TacPairListState *state = list->state;
    if (state->mark && list->built != state->mark) {
        build(list, team, state->skin);
        list->built = state->mark;
    }
    if (state->mark && is_good(list, take_places(list, team, x))) return;
    // the reference is swapped away while others' rows are built, and back again: only `built` tells
    size_t numbers = 3 * list->member_count;
    memcpy(list->elsewhere, list->reference, numbers * sizeof(double));
    take_reference(list, x);
    build(list, team, state->skin);
    memcpy(list->reference, list->elsewhere, numbers * sizeof(double));
    list->built = 0;
    take_places(list, team, x);
}

// --- setting up -------------------------------------------------------------------------------------------

static TacStatus check_box(const TacPairList *list, TacSetup *setup, TacError *error) {
    double least = 2 * list->def.reach * (1 + SKIN_MOST);
    for (int k = 0; k < 3; k++) {
        double box = box_along(list, k);
        if (box > 0 && (size_t)k < list->def.dimension && !(box >= least))
            return tac_setup_fail(setup, error, "box",
                                  "a box of %g m is too small for a reach of %g m; at least %g m", box,
                                  list->def.reach, least);
    }
    return TAC_OK;
}

static TacStatus take_memory(TacPairList *list, TacSetup *setup, TacError *error) {
    size_t n = list->member_count, slots = n;
    bool periodic = false;
    for (int k = 0; k < 3; k++)
        if (box_along(list, k) > 0) {
            slots *= 2;
            periodic = true;
        }
    list->slot_capacity = slots;
    list->state = tac_setup_alloc(setup, 1, sizeof *list->state);
    list->reference = tac_setup_alloc(setup, 3 * n, sizeof(double));
    list->elsewhere = tac_setup_alloc(setup, 3 * n, sizeof(double));
    list->member = tac_setup_alloc(setup, slots, sizeof(uint32_t));
    list->image = periodic ? tac_setup_alloc(setup, 3 * slots, sizeof(int32_t)) : NULL;
    list->offset = periodic ? tac_setup_alloc(setup, 4 * slots, sizeof(double)) : NULL;
    list->place = tac_setup_alloc(setup, 4 * slots, sizeof(double));
    list->home = tac_setup_alloc(setup, n, sizeof(uint32_t));
    list->cell_of = tac_setup_alloc(setup, slots, sizeof(uint32_t));
    list->cells = tac_setup_alloc(setup, slots + 1, sizeof *list->cells);
    list->group_begin = tac_setup_alloc(setup, n / TAC_EIGHT + 1, sizeof(size_t));
    list->group_size = tac_setup_alloc(setup, n / TAC_EIGHT + 1, sizeof(uint32_t));
    list->cell_at = tac_setup_alloc(setup, 3 * slots, sizeof(int32_t));
    list->moved = tac_setup_alloc(setup, tac_chunks(slots, SLOT_GRAIN) + 1, sizeof(double));
    bool all = list->state && list->reference && list->elsewhere && list->member &&
               ((list->image && list->offset) || !periodic) && list->place && list->home && list->cell_of &&
               list->cells && list->group_begin && list->group_size && list->cell_at && list->moved;
    for (int k = 0; k < 3; k++) {
        list->at[k] = tac_setup_alloc(setup, slots + TAC_EIGHT, sizeof(double));
        all = all && list->at[k];
    }
    // points in space of one matter have a way of their own
    bool plain = !list->def.count[1] && list->def.dimension == 3;
    list->source = plain ? tac_setup_alloc(setup, slots, sizeof(uint32_t)) : NULL;
    all = all && (list->source || !plain);
    for (int k = 0; k < 2; k++) {
        list->keys[k] = tac_setup_alloc(setup, slots, sizeof(uint64_t));
        list->order[k] = tac_setup_alloc(setup, slots, sizeof(uint32_t));
        all = all && list->keys[k] && list->order[k];
    }
    return all ? TAC_OK : tac_fail_memory(error, slots * 200);
}

TacStatus tac_pair_list_create(TacPairList *list, TacSetup *setup, const TacPairListDef *def,
                               const double *const x[2], TacError *error) {
    *list = (TacPairList){.def = *def, .member_count = def->count[0] + def->count[1]};
    if (list->member_count >= UINT32_MAX / 16)
        return tac_setup_fail(setup, error, NULL, "works on at most %zu points, not %zu",
                              (size_t)UINT32_MAX / 16 - 1, list->member_count);
    TAC_TRY(check_box(list, setup, error));
    TAC_TRY(take_memory(list, setup, error));
    list->state->skin = fmin(def->skin, SKIN_MOST * def->reach);
    // how much there is now tells how much there may be
    take_reference(list, x);
    build(list, NULL, list->state->skin);
    list->row_capacity = atomic_load(&list->row_used);
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
