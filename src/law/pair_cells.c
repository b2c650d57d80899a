// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// From places to slots sorted by cells, with the runs around each cell: what rows of neighbours are found from (see
// pair_list.h). Touches the list alone. Every pass is shared by a team; what has to be known of all chunks before the
// next pass (how far places reach, how many images, homes and cells come before) is added up between passes, in the
// order of the chunks.

#include "base/memory.h"
#include "base/search.h"
#include "base/team.h"
#include "law/pair_list.h"

// Single precision is good enough to find rows by where it errs by less than this part of the skin.
static const double BLUR_MOST = 0.02;

enum { LAST_CELL = 1 << 19, DIGIT = 11, SLOT_GRAIN = 1024, SORT_GRAIN = 4096, SORT_CHUNKS = 32 };

// Far out, all that is beyond the last cell is in it. What is not a number has no place.
static int32_t cell_number(double x, double per_metre) {
    double c = floor(x * per_metre);
    return c >= LAST_CELL ? LAST_CELL : c <= -LAST_CELL ? -LAST_CELL : c == c ? (int32_t)c : LAST_CELL;
}

static double cells_per_metre(const TacPairList *list, int k) {
    double width = list->def.reach + list->built_skin;
    return k == 0 ? list->slices / width : 1 / width;
}

// --- looking over all places ------------------------------------------------------------------------------

typedef struct Survey {
    TacPairList *list;
    const double *const *x; // new places; NULL: the reference stays
} Survey;

static void take_place(TacPairList *list, const double *const *x, size_t m, double to[3]) {
    int side;
    size_t point = tac_pair_point(list, m, &side);
    for (size_t k = 0; k < list->def.dimension; k++) to[k] = x[side][list->def.stride[side] * point + k];
}

// The images of one member along each axis: itself, wrapped into the box, and one beyond a near face.
static size_t find_images(const TacPairList *list, const double x[3], int32_t images[3][2], size_t count[3]) {
    double reach = list->def.reach + list->built_skin;
    size_t all = 1;
    for (int k = 0; k < 3; k++) {
        double box = list->box[k];
        images[k][0] = 0;
        count[k] = 1;
        if (!(box > 0)) continue;
        // what lies in the box already need not be divided
        double turns = x[k] >= 0 && x[k] < box ? 0 : floor(x[k] / box);
        if (!(fabs(turns) < 1e9)) continue;
        double inside = x[k] - turns * box;
        images[k][0] = (int32_t)-turns;
        if (inside < reach)
            images[k][count[k]++] = images[k][0] + 1;
        else if (inside >= box - reach)
            images[k][count[k]++] = images[k][0] - 1;
        all *= count[k];
    }
    return all;
}

static uint64_t stir(uint64_t h, double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    h = (h ^ bits) * 0xff51afd7ed558ccdu;
    return h ^ h >> 32;
}

static void survey_chunk(void *data, size_t begin, size_t end, size_t chunk) {
    const Survey *survey = data;
    TacPairList *list = survey->list;
    TacPairSurvey sum = {.low = {INFINITY, INFINITY, INFINITY}, .high = {-INFINITY, -INFINITY, -INFINITY}};
    uint64_t hash[3] = {1, 2, 3};
    bool periodic = list->image;
    for (size_t m = begin; m < end; m++) {
        double *x = list->reference + 3 * m;
        if (survey->x) take_place(list, survey->x, m, x);
        for (int k = 0; k < 3; k++) {
            if (x[k] < sum.low[k]) sum.low[k] = x[k];
            if (x[k] > sum.high[k]) sum.high[k] = x[k];
            sum.odd |= !(fabs(x[k]) < INFINITY);
            hash[k] = stir(hash[k], x[k]);
        }
        int32_t images[3][2];
        size_t count[3];
        if (periodic) sum.images += find_images(list, x, images, count) - 1;
    }
    sum.hash = hash[0] ^ (hash[1] << 21 | hash[1] >> 43) ^ (hash[2] << 42 | hash[2] >> 22);
    list->surveys[chunk] = sum;
}

// Numbers of cells with bits for each axis, and the group above them. Cells next to the outermost ones have numbers,
// too.
typedef struct Numbering {
    int32_t low[3];
    unsigned bits[3], all;
    uint64_t group; // the bit of the second group, or 0
} Numbering;

static unsigned bits_for(uint32_t n) {
    unsigned bits = 0;
    while (bits < 32 && n >> bits) bits++;
    return bits;
}

// In a box everything is wrapped into it, or no more than a reach outside.
static Numbering make_numbering(const TacPairList *list, const TacPairSurvey *all) {
    Numbering n = {0};
    for (int k = 0; k < 3; k++) {
        double per_metre = cells_per_metre(list, k), box = list->box[k];
        double most = fmax(fabs(all->low[k]), fabs(all->high[k]));
        bool anywhere = all->odd || (box > 0 && !(most < 1e8 * box));
        int32_t aside = k == 0 ? list->slices : 1;
        int32_t low = cell_number(box > 0 ? 0 : all->low[k], per_metre);
        int32_t high = cell_number(box > 0 ? box : all->high[k], per_metre);
        if (box > 0) {
            low -= aside + 1;
            high += aside + 1;
        }
        if (anywhere) {
            low = -LAST_CELL;
            high = LAST_CELL;
        }
        n.low[k] = low - aside;
        n.bits[k] = bits_for((uint32_t)(high - low + 2 * aside));
        n.all += n.bits[k];
    }
    if (list->def.count[1]) n.group = (uint64_t)1 << n.all++;
    return n;
}

// Adds surveys up, and leaves in each how many images come before it.
static TacPairSurvey add_surveys(TacPairList *list) {
    TacPairSurvey all = list->surveys[0];
    all.hash = 0x9e3779b97f4a7c15u;
    all.images = 0;
    for (size_t c = 0; c < tac_chunks(list->member_count, SLOT_GRAIN); c++) {
        TacPairSurvey *one = &list->surveys[c];
        size_t images = one->images;
        for (int k = 0; k < 3; k++) {
            all.low[k] = fmin(all.low[k], one->low[k]);
            all.high[k] = fmax(all.high[k], one->high[k]);
        }
        all.odd |= one->odd;
        all.hash = (all.hash ^ one->hash) * 0xff51afd7ed558ccdu;
        all.hash ^= all.hash >> 32;
        one->images = all.images;
        all.images += images;
    }
    all.hash = stir(all.hash, list->built_skin);
    if (!all.hash) all.hash = 1;
    return all;
}

// --- slots ------------------------------------------------------------------------------------------------

typedef struct Layout {
    TacPairList *list;
    const Numbering *numbering;
    double per_metre[3];
} Layout;

static void put_slot(const Layout *l, size_t slot, size_t member, const double x[3], const int32_t image[3]) {
    TacPairList *list = l->list;
    const Numbering *n = l->numbering;
    uint64_t key = 0;
    for (int k = 3; k-- > 0;) {
        int32_t cell = cell_number(x[k] + list->box[k] * image[k], l->per_metre[k]);
        key = key << n->bits[k] | (uint64_t)(cell - n->low[k]);
        if (list->image) list->image[3 * slot + (size_t)k] = image[k];
    }
    list->keys[0][slot] = member < list->def.count[0] ? key : key | n->group;
    list->order[0][slot] = (uint32_t)slot;
    if (slot >= list->member_count) list->image_of[slot - list->member_count] = (uint32_t)member;
}

// Members first, in their order; images after them.
static void lay_out_chunk(void *data, size_t begin, size_t end, size_t chunk) {
    const Layout *l = data;
    TacPairList *list = l->list;
    size_t slots = list->member_count + list->surveys[chunk].images;
    for (size_t m = begin; m < end; m++) {
        const double *x = list->reference + 3 * m;
        int32_t images[3][2], own[3];
        size_t count[3], all = find_images(list, x, images, count);
        for (size_t i = 0; i < all; i++) {
            size_t c[3] = {i % count[0], i / count[0] % count[1], i / count[0] / count[1]};
            for (int k = 0; k < 3; k++) own[k] = images[k][c[k]];
            put_slot(l, i == 0 ? m : slots++, m, x, own);
        }
    }
}

// --- sorting ----------------------------------------------------------------------------------------------

typedef struct Sort {
    TacPairList *list;
    int from;
    unsigned shift, digits; // bits of a key that this pass sorts by: their number is 2^digits at most
} Sort;

static size_t sort_grain(size_t slots) {
    size_t grain = tac_chunks(slots, SORT_CHUNKS);
    return grain < SORT_GRAIN ? SORT_GRAIN : grain;
}

static void count_digits(void *data, size_t begin, size_t end, size_t chunk) {
    const Sort *sort = data;
    const uint64_t *keys = sort->list->keys[sort->from], mask = ((uint64_t)1 << sort->digits) - 1;
    uint32_t *starts = sort->list->starts + (chunk << DIGIT);
    memset(starts, 0, sizeof *starts << sort->digits);
    for (size_t s = begin; s < end; s++) starts[keys[s] >> sort->shift & mask]++;
}

static void scatter_chunk(void *data, size_t begin, size_t end, size_t chunk) {
    const Sort *sort = data;
    TacPairList *list = sort->list;
    const uint64_t *keys = list->keys[sort->from], mask = ((uint64_t)1 << sort->digits) - 1;
    const uint32_t *order = list->order[sort->from];
    uint64_t *to_keys = list->keys[1 - sort->from];
    uint32_t *to_order = list->order[1 - sort->from], *starts = list->starts + (chunk << DIGIT);
    for (size_t s = begin; s < end; s++) {
        uint32_t to = starts[keys[s] >> sort->shift & mask]++;
        to_keys[to] = keys[s];
        to_order[to] = order[s];
    }
}

// By digits, least first; stable, so members of a cell stay in their order. Returns which of the two arrays holds the
// result.
static int sort_keys(TacPairList *list, TacTeam *team, unsigned bits) {
    size_t grain = sort_grain(list->slot_count), chunks = tac_chunks(list->slot_count, grain);
    unsigned passes = (bits + DIGIT - 1) / DIGIT, digits = passes ? (bits + passes - 1) / passes : 0;
    Sort sort = {.list = list, .digits = digits};
    for (unsigned pass = 0; pass < passes; pass++) {
        tac_team_run(team, list->slot_count, grain, count_digits, &sort);
        uint32_t sum = 0;
        for (size_t d = 0; d < (size_t)1 << digits; d++)
            for (size_t c = 0; c < chunks; c++) {
                uint32_t *start = &list->starts[(c << DIGIT) + d], n = *start;
                *start = sum;
                sum += n;
            }
        tac_team_run(team, list->slot_count, grain, scatter_chunk, &sort);
        sort.from = 1 - sort.from;
        sort.shift += digits;
    }
    return sort.from;
}

// --- cells ------------------------------------------------------------------------------------------------

// Slots as they were laid out, on their way into the order of their cells.
typedef struct Filling {
    TacPairList *list;
    const uint64_t *keys;
    const uint32_t *order;
    double middle[3];
} Filling;

static bool is_first(const Filling *filling, size_t s) {
    return s == 0 || filling->keys[s] != filling->keys[s - 1];
}

static void count_chunk(void *data, size_t begin, size_t end, size_t chunk) {
    const Filling *filling = data;
    TacPairList *list = filling->list;
    TacPairBefore n = {0, 0};
    for (size_t s = begin; s < end; s++) {
        n.rows += filling->order[s] < list->member_count;
        n.cells += is_first(filling, s);
    }
    list->before[chunk] = n;
}

static void fill_slot(TacPairList *list, const double middle[3], size_t s, uint32_t laid) {
    uint32_t m = laid < list->member_count ? laid : list->image_of[laid - list->member_count];
    list->member[s] = m;
    if (list->source) list->source[s] = list->def.points[0] ? (uint32_t)list->def.points[0][m] : m;
    for (int k = 0; k < 3; k++) {
        double x = list->reference[3 * (size_t)m + (size_t)k];
        if (list->image) {
            double offset = list->box[k] * list->image[3 * (size_t)laid + (size_t)k];
            list->offset[4 * s + (size_t)k] = offset;
            x += offset;
        }
        list->at[k][s] = x;
        list->seen[k][s] = (float)(x - middle[k]);
    }
}

static void fill_chunk(void *data, size_t begin, size_t end, size_t chunk) {
    const Filling *filling = data;
    TacPairList *list = filling->list;
    TacPairBefore n = list->before[chunk];
    for (size_t s = begin; s < end; s++) {
        if (filling->order[s] < list->member_count) list->home[n.rows++] = (uint32_t)s;
        if (is_first(filling, s)) {
            list->cells[n.cells].key = filling->keys[s];
            list->cells[n.cells++].begin = (uint32_t)s;
        }
        list->cell_of[s] = n.cells - 1;
        fill_slot(list, filling->middle, s, filling->order[s]);
    }
}

// Half of a last bit of what is farthest out, along three axes and for both of a pair, and half as much again.
static void find_middle(TacPairList *list, const TacPairSurvey *all, double middle[3]) {
    double most = 0, width = list->def.reach + list->built_skin;
    for (int k = 0; k < 3; k++) {
        double low = list->box[k] > 0 ? -width : all->low[k],
               high = list->box[k] > 0 ? list->box[k] + width : all->high[k];
        middle[k] = 0.5 * (low + high);
        most = fmax(most, 0.5 * (high - low));
    }
    list->blur = 3 * sqrt(3) * 0x1p-24 * most;
    list->sharp = !all->odd && list->blur < BLUR_MOST * list->built_skin;
    if (!list->sharp) list->blur = 0;
}

static void fill_slots(Filling *filling, TacTeam *team) {
    TacPairList *list = filling->list;
    TacPairBefore sum = {0, 0};
    tac_team_run(team, list->slot_count, SLOT_GRAIN, count_chunk, filling);
    for (size_t c = 0; c < tac_chunks(list->slot_count, SLOT_GRAIN); c++) {
        TacPairBefore n = list->before[c];
        list->before[c] = sum;
        sum.rows += n.rows;
        sum.cells += n.cells;
    }
    list->cell_count = sum.cells;
    tac_team_run(team, list->slot_count, SLOT_GRAIN, fill_chunk, filling);
    list->cells[list->cell_count] = (TacPairCell){.key = UINT64_MAX, .begin = (uint32_t)list->slot_count};
    // what lies behind the last slot is read with it, and never used
    for (int k = 0; k < 3; k++)
        for (size_t s = list->slot_count; s < list->slot_count + TAC_PAIR_BEHIND; s++)
            list->at[k][s] = list->seen[k][s] = NAN;
}

// The first cell whose key is not below `key`.
static size_t first_cell(const TacPairList *list, uint64_t key) {
    return tac_first_not_below(&list->cells[0].key, list->cell_count, sizeof *list->cells, key);
}

// The nine runs of every cell. Keys of the runs grow with the key of the cell, so the cursors of each run, of its begin
// and of its end, move on by a few cells, and are searched for only at the first cell of a chunk and between groups.
static void find_runs(void *data, size_t begin, size_t end, size_t chunk) {
    (void)chunk;
    const Layout *l = data;
    TacPairList *list = l->list;
    const Numbering *n = l->numbering;
    uint64_t y = (uint64_t)1 << n->bits[0], z = y << n->bits[1], aside = (uint64_t)list->slices;
    size_t first[9], stop[9];
    for (size_t c = begin; c < end; c++) {
        TacPairCell *cell = &list->cells[c];
        // across groups, the runs are those of the same cell in the other group
        uint64_t key = cell->key ^ n->group;
        bool anew = c == begin || (cell->key & n->group) != (cell[-1].key & n->group);
        for (unsigned r = 0; r < 9; r++) {
            uint64_t from = key + (r % 3) * y + (r / 3) * z - y - z - aside;
            if (anew) first[r] = stop[r] = first_cell(list, from);
            while (list->cells[first[r]].key < from) first[r]++;
            while (list->cells[stop[r]].key <= from + 2 * aside) stop[r]++;
            cell->runs[2 * r] = list->cells[first[r]].begin;
            cell->runs[2 * r + 1] = list->cells[stop[r]].begin;
        }
    }
}

// --- all of it --------------------------------------------------------------------------------------------

uint64_t tac_pair_cells_build(TacPairList *list, TacTeam *team, const double *const *x) {
    Survey survey = {list, x};
    tac_team_run(team, list->member_count, SLOT_GRAIN, survey_chunk, &survey);
    TacPairSurvey all = add_surveys(list);
    Numbering numbering = make_numbering(list, &all);
    list->slot_count = list->member_count + all.images;

    Layout layout = {.list = list, .numbering = &numbering};
    for (int k = 0; k < 3; k++) layout.per_metre[k] = cells_per_metre(list, k);
    tac_team_run(team, list->member_count, SLOT_GRAIN, lay_out_chunk, &layout);
    int sorted = sort_keys(list, team, numbering.all);
    Filling filling = {.list = list, .keys = list->keys[sorted], .order = list->order[sorted]};
    find_middle(list, &all, filling.middle);
    fill_slots(&filling, team);
    tac_team_run(team, list->cell_count, TAC_PAIR_GRAIN, find_runs, &layout);
    return all.hash;
}

TacStatus tac_pair_cells_create(TacPairList *list, TacSetup *setup, TacError *error) {
    size_t n = list->member_count, slots = list->slot_capacity,
           sorts = tac_chunks(slots, sort_grain(slots)) + 1;
    bool periodic = slots > n;
    list->reference = tac_setup_alloc(setup, 3 * n, sizeof(double));
    list->member = tac_setup_alloc(setup, slots, sizeof(uint32_t));
    list->image = periodic ? tac_setup_alloc(setup, 3 * slots, sizeof(int32_t)) : NULL;
    list->image_of = periodic ? tac_setup_alloc(setup, slots - n, sizeof(uint32_t)) : NULL;
    list->offset = periodic ? tac_setup_alloc(setup, 4 * slots, sizeof(double)) : NULL;
    list->home = tac_setup_alloc(setup, n, sizeof(uint32_t));
    list->cell_of = tac_setup_alloc(setup, slots, sizeof(uint32_t));
    list->cells = tac_setup_alloc(setup, slots + 1, sizeof *list->cells);
    list->surveys = tac_setup_alloc(setup, tac_chunks(n, SLOT_GRAIN) + 1, sizeof *list->surveys);
    list->before = tac_setup_alloc(setup, tac_chunks(slots, SLOT_GRAIN) + 1, sizeof *list->before);
    list->starts = tac_setup_alloc(setup, sorts << DIGIT, sizeof(uint32_t));
    bool all = list->reference && list->member &&
               ((list->image && list->image_of && list->offset) || !periodic) && list->home &&
               list->cell_of && list->cells && list->surveys && list->before && list->starts;
    // points in space of one matter have a way of their own
    bool plain = !list->def.count[1] && list->def.dimension == 3;
    list->source = plain ? tac_setup_alloc(setup, slots, sizeof(uint32_t)) : NULL;
    all = all && (list->source || !plain);
    for (int k = 0; k < 3; k++) {
        list->at[k] = tac_setup_alloc(setup, slots + TAC_PAIR_BEHIND, sizeof(double));
        list->seen[k] = tac_setup_alloc(setup, slots + TAC_PAIR_BEHIND, sizeof(float));
        all = all && list->at[k] && list->seen[k];
    }
    for (int k = 0; k < 2; k++) {
        list->keys[k] = tac_setup_alloc(setup, slots, sizeof(uint64_t));
        list->order[k] = tac_setup_alloc(setup, slots, sizeof(uint32_t));
        all = all && list->keys[k] && list->order[k];
    }
    return all ? TAC_OK : tac_fail_memory(error, slots * 200);
}
