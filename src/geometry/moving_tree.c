// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// See moving_tree.h. Numbers are as in dop.h: the opposite of direction j is j ^ 1, and the sign of a sum of two
// floats is not changed by rounding, so that every answer is exact for the floats given.

#include "geometry/moving_tree.h"

#include "base/memory.h"
#include "base/random.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

#if defined(__AVX__)
#include <immintrin.h>
#endif

enum { WIDTH = TAC_MOVING_LANES, GROUP = TAC_MOVING_GROUP, BUCKET = 16, DEEPEST = 64 };

static float *own_box(const TacMovingTree *t, size_t place) {
    return t->leaves + t->groups * GROUP * place;
}

static float *node_at(const TacMovingTree *t, size_t node) {
    return t->nodes + GROUP * node;
}

// Of two groups, the larger numbers.
static inline void take_larger(float *to, const float *a, const float *b) {
#if defined(__AVX512F__)
    _mm512_storeu_ps(to, _mm512_max_ps(_mm512_loadu_ps(a), _mm512_loadu_ps(b)));
#elif defined(__AVX__)
    for (size_t j = 0; j < GROUP; j += WIDTH)
        _mm256_storeu_ps(to + j, _mm256_max_ps(_mm256_loadu_ps(a + j), _mm256_loadu_ps(b + j)));
#else
    for (size_t j = 0; j < GROUP; j++) to[j] = a[j] > b[j] ? a[j] : b[j];
#endif
}

// The leaves of the other tree that a hull holds.
static inline const uint32_t *corners_at(const TacMovingTree *t, size_t place) {
    return t->corners + t->stride * t->leaf[place];
}

static inline const float *corner_box(const TacMovingTree *t, uint32_t corner) {
    return own_box(t->points, t->points->place[corner]);
}

// One group of the numbers of the leaf at a place.
static inline const float *leaf_group(const TacMovingTree *t, size_t place, size_t group, float room[GROUP]) {
    if (!t->points) return own_box(t, place) + group * GROUP;
    const uint32_t *corners = corners_at(t, place);
    take_larger(room, corner_box(t, corners[0]) + group * GROUP, corner_box(t, corners[1]) + group * GROUP);
    for (size_t i = 2; i < t->corner_count; i++)
        take_larger(room, room, corner_box(t, corners[i]) + group * GROUP);
    return room;
}

const float *tac_moving_tree_box(const TacMovingTree *t, size_t place, float room[TAC_MOVING_NUMBERS]) {
    if (!t->points) return own_box(t, place);
    for (size_t j = 0; j < t->groups; j++) leaf_group(t, place, j, room + j * GROUP);
    return room;
}

// --- making -----------------------------------------------------------------------------------------------

// Fewest buckets of at most BUCKET leaves.
static size_t buckets_for(size_t leaves) {
    size_t n = 1;
    while (n * BUCKET < leaves) n *= 2;
    return n;
}

// Each begins a line of cache.
static float *make_boxes(size_t count, size_t groups) {
    size_t bytes = count * groups * GROUP * sizeof(float);
    float *boxes = aligned_alloc(64, bytes);
    if (boxes) memset(boxes, 0, bytes);
    return boxes;
}

// Everything but what leaves are.
static bool make_nodes(TacMovingTree *t, size_t leaf_count) {
    t->leaf_count = leaf_count;
    t->bucket_count = buckets_for(leaf_count);
    t->groups = ((size_t)t->k + WIDTH - 1) / WIDTH;
    t->nodes = make_boxes(2 * t->bucket_count, 1);
    t->ties = calloc(2 * t->bucket_count, sizeof *t->ties);
    t->place = calloc(leaf_count + 1, sizeof *t->place);
    t->leaf = calloc(leaf_count + 1, sizeof *t->leaf);
    t->first = calloc(t->bucket_count + 1, sizeof *t->first);
    t->fresh = calloc(leaf_count + 1, sizeof *t->fresh);
    t->fresh_node = calloc(2 * t->bucket_count, sizeof *t->fresh_node);
    if (!t->nodes || !t->ties || !t->place || !t->leaf || !t->first || !t->fresh || !t->fresh_node)
        return false;
    for (size_t i = 0; i < leaf_count; i++) t->place[i] = t->leaf[i] = (uint32_t)i;
    for (size_t i = 0; i <= t->bucket_count; i++) t->first[i] = (uint32_t)(leaf_count * i / t->bucket_count);
    return true;
}

TacStatus tac_moving_tree_create(TacMovingTree *t, int k, size_t leaf_count, TacError *error) {
    *t = (TacMovingTree){.k = k};
    if (!tac_dop_k_valid(k)) return tac_fail(error, TAC_BAD_USAGE, "k must be 6, 14, 18 or 26, not %d", k);
    if (leaf_count > INT32_MAX) return tac_fail(error, TAC_BAD_USAGE, "%zu boxes are too many", leaf_count);
    if (make_nodes(t, leaf_count)) t->leaves = make_boxes(leaf_count + 1, t->groups);
    if (t->leaves) return TAC_OK;
    tac_moving_tree_destroy(t);
    return tac_fail_memory(error, leaf_count * GROUP * sizeof *t->leaves);
}

TacStatus tac_moving_tree_create_hulls(TacMovingTree *t, const TacMovingTree *points, size_t corner_count,
                                       const uint32_t *corners, size_t stride, size_t leaf_count,
                                       TacError *error) {
    *t = (TacMovingTree){
        .k = points->k, .points = points, .corner_count = corner_count, .corners = corners, .stride = stride};
    if (leaf_count > INT32_MAX) return tac_fail(error, TAC_BAD_USAGE, "%zu boxes are too many", leaf_count);
    if (corner_count < 2 || corner_count > TAC_MOVING_CORNERS)
        return tac_fail(error, TAC_BAD_USAGE, "a hull has 2 or 3 corners, not %zu", corner_count);
    if (make_nodes(t, leaf_count)) {
        memset(t->fresh, 1, leaf_count);
        return TAC_OK;
    }
    tac_moving_tree_destroy(t);
    return tac_fail_memory(error, leaf_count * GROUP * sizeof *t->nodes);
}

void tac_moving_tree_destroy(TacMovingTree *t) {
    free(t->leaves);
    free(t->nodes);
    free(t->ties);
    free(t->place);
    free(t->leaf);
    free(t->first);
    free(t->fresh);
    free(t->fresh_node);
    *t = (TacMovingTree){0};
}

// What a leaf is, in memory of the tree's own.
static size_t leaf_bytes(const TacMovingTree *t) {
    return t->points ? 0 : t->groups * GROUP * sizeof *t->leaves;
}

size_t tac_moving_tree_bytes(const TacMovingTree *t) {
    return t->leaf_count * (leaf_bytes(t) + sizeof *t->fresh + 2 * sizeof *t->place) +
           2 * t->bucket_count * (GROUP * sizeof *t->nodes + sizeof *t->ties + sizeof *t->fresh_node) +
           t->bucket_count * sizeof *t->first;
}

// Neither -infinity, of which and +infinity the sum has no sign, nor -0, of which and itself it has the wrong one.
static float plain(float reach) {
    return (reach < -FLT_MAX ? -FLT_MAX : reach) + 0.0f;
}

void tac_moving_tree_set(TacMovingTree *t, uint32_t leaf, const TacMovingBox *box) {
    float *to = own_box(t, t->place[leaf]);
    t->fresh[t->place[leaf]] = 1;
    for (size_t end = 0; end < 2; end++)
        for (size_t j = 0; j < (size_t)t->k; j++)
            to[tac_moving_number(end, j)] = plain(box->ends[end].reach[j]);
}

void tac_moving_tree_follow(TacMovingTree *t, uint32_t leaf) {
    t->fresh[t->place[leaf]] = 1;
}

void tac_moving_tree_accept(TacMovingTree *t) {
    memset(t->fresh, 0, t->leaf_count * sizeof *t->fresh);
}

// --- shape ------------------------------------------------------------------------------------------------

// Where the middles of boxes are, by leaf: MIDDLE_BITS bits along each axis, in equal steps from the lowest on. In the room of
// the nodes, which are anew afterwards.
typedef uint64_t Middle;
enum { MIDDLE_BITS = 21, MIDDLE_MOST = (1 << MIDDLE_BITS) - 1 };
_Static_assert(2 * GROUP * sizeof(float) / BUCKET >= sizeof(Middle), "nodes have room for what leaves need");

static inline uint32_t middle_along(Middle middle, int axis) {
    return (uint32_t)(middle >> MIDDLE_BITS * axis) & MIDDLE_MOST;
}

// Those without a middle are at 0.
static void middle_of(const TacMovingTree *t, size_t leaf, float at[3]) {
    float room[GROUP];
    const float *box = leaf_group(t, t->place[leaf], 0, room);
    for (int axis = 0; axis < 3; axis++) {
        float m = 0.5f * (box[2 * axis] - box[2 * axis + 1]);
        at[axis] = isfinite(m) ? m : 0;
    }
}

static Middle *find_middles(const TacMovingTree *t) {
    Middle *middles = (Middle *)(void *)t->nodes;
    float at[3], low[3] = {FLT_MAX, FLT_MAX, FLT_MAX}, high[3] = {-FLT_MAX, -FLT_MAX, -FLT_MAX};
    double widest = 0;
    for (size_t i = 0; i < t->leaf_count; i++) {
        middle_of(t, i, at);
        for (int axis = 0; axis < 3; axis++) {
            low[axis] = at[axis] < low[axis] ? at[axis] : low[axis];
            high[axis] = at[axis] > high[axis] ? at[axis] : high[axis];
            widest = fmax(widest, (double)high[axis] - (double)low[axis]);
        }
    }
    double steps = widest > 0 ? MIDDLE_MOST / widest : 0;
    for (size_t i = 0; i < t->leaf_count; i++) {
        middle_of(t, i, at);
        middles[i] = 0;
        for (int axis = 0; axis < 3; axis++) {
            Middle step = (Middle)(((double)at[axis] - (double)low[axis]) * steps);
            middles[i] |= (step < MIDDLE_MOST ? step : MIDDLE_MOST) << MIDDLE_BITS * axis;
        }
    }
    return middles;
}

static int widest_axis(const Middle *middles, const uint32_t *leaves, size_t n) {
    uint32_t low[3] = {MIDDLE_MOST, MIDDLE_MOST, MIDDLE_MOST}, high[3] = {0, 0, 0};
    for (size_t i = 0; i < n; i++)
        for (int a = 0; a < 3; a++) {
            uint32_t m = middle_along(middles[leaves[i]], a);
            low[a] = m < low[a] ? m : low[a];
            high[a] = m > high[a] ? m : high[a];
        }
    int best = 0;
    for (int a = 1; a < 3; a++)
        if (high[a] - low[a] > high[best] - low[best]) best = a;
    return best;
}

// The nth of n in place, the smaller ones before it; equals by number, so that the result does not depend on how it is
// found. Each pass at least takes the pivot away; the pivot is the middle of three by lot: no order of the input is bad.
static void select_nth(const Middle *middles, uint32_t *leaves, size_t n, size_t nth, int axis) {
    TacRandom random = tac_random(n, nth);
    while (n > 1) {
        uint32_t keys[3], ids[3];
        for (int i = 0; i < 3; i++) {
            ids[i] = leaves[tac_random_bits(&random) % n];
            keys[i] = middle_along(middles[ids[i]], axis);
        }
        int m = 0;
        for (int i = 0; i < 3; i++) {
            int below = 0;
            for (int j = 0; j < 3; j++)
                below += keys[j] < keys[i] ||
                         (keys[j] == keys[i] && (ids[j] < ids[i] || (ids[j] == ids[i] && j < i)));
            if (below == 1) m = i;
        }
        uint32_t pivot = keys[m], pivot_id = ids[m];
        size_t low = 0, i = 0, high = n; // below the pivot, looked at, above it
        while (i < high) {
            uint32_t key = middle_along(middles[leaves[i]], axis);
            bool less = key < pivot || (key == pivot && leaves[i] < pivot_id);
            bool more = key > pivot || (key == pivot && leaves[i] > pivot_id);
            uint32_t x = leaves[i];
            if (less) {
                leaves[i++] = leaves[low];
                leaves[low++] = x;
            } else if (more) {
                leaves[i] = leaves[--high];
                leaves[high] = x;
            } else {
                i++;
            }
        }
        if (nth < low) {
            n = low;
        } else if (nth < high) {
            return;
        } else {
            leaves += high;
            nth -= high;
            n -= high;
        }
    }
}

// Halves a row of buckets until it is one.
static void split(const TacMovingTree *t, const Middle *middles, uint32_t *leaves, size_t bucket,
                  size_t count) {
    if (count <= 1) return;
    size_t begin = t->first[bucket], middle_at = t->first[bucket + count / 2], end = t->first[bucket + count];
    int axis = widest_axis(middles, leaves + begin, end - begin);
    if (middle_at > begin && middle_at < end)
        select_nth(middles, leaves + begin, end - begin, middle_at - begin, axis);
    split(t, middles, leaves, bucket, count / 2);
    split(t, middles, leaves, bucket + count / 2, count / 2);
}

// What leaves are follows them to new places, round by round: each place takes what belongs there.
static void move_leaves(TacMovingTree *t) {
    char *all = (char *)t->leaves, held[TAC_MOVING_NUMBERS * sizeof(float)];
    size_t bytes = leaf_bytes(t);
    for (uint32_t i = 0; t->points && i < t->leaf_count; i++) t->place[t->leaf[i]] = i;
    for (uint32_t start = 0; start < t->leaf_count; start++) {
        if (t->place[t->leaf[start]] == start) continue;
        memcpy(held, all + bytes * start, bytes);
        for (uint32_t to = start;;) {
            uint32_t from = t->place[t->leaf[to]];
            t->place[t->leaf[to]] = to;
            memcpy(all + bytes * to, from == start ? held : all + bytes * from, bytes);
            if (from == start) break;
            to = from;
        }
    }
}

// --- ties -------------------------------------------------------------------------------------------------

// What leaves have in common is a number of kin, or a corner.
enum { NO_TIE = 0 };
static const uint32_t CORNER = 1u << 31;

// That of all corners.
static uint32_t kin_of(const TacMovingTree *t, size_t place) {
    const uint32_t *kin = t->points ? t->points->kin : t->kin;
    if (!kin) return NO_TIE;
    if (!t->points) return kin[t->leaf[place]];
    const uint32_t *corners = corners_at(t, place);
    for (size_t i = 1; i < t->corner_count; i++)
        if (kin[corners[i]] != kin[corners[0]]) return NO_TIE;
    return kin[corners[0]];
}

static bool has_corner(const TacMovingTree *t, size_t place, uint32_t corner) {
    const uint32_t *corners = corners_at(t, place);
    bool has = false;
    for (size_t i = 0; i < t->corner_count; i++) has = has || corners[i] == corner;
    return has;
}

static uint32_t tie_of_bucket(const TacMovingTree *t, size_t bucket) {
    size_t first = t->first[bucket], end = t->first[bucket + 1], i;
    if (first == end) return NO_TIE;
    uint32_t kin = kin_of(t, first);
    for (i = first; kin && i < end && kin_of(t, i) == kin;) i++;
    if (kin && i == end) return kin;
    for (size_t k = 0; t->points && k < t->corner_count; k++) {
        uint32_t corner = corners_at(t, first)[k];
        for (i = first + 1; i < end && has_corner(t, i, corner);) i++;
        if (i == end) return CORNER | corner;
    }
    return NO_TIE;
}

static void find_ties(TacMovingTree *t) {
    t->tied = false;
    for (size_t bucket = 0; bucket < t->bucket_count; bucket++) {
        uint32_t *tie = &t->ties[t->bucket_count + bucket];
        *tie = tie_of_bucket(t, bucket);
        t->tied = t->tied || *tie;
    }
    for (size_t node = t->bucket_count; node-- > 1;)
        t->ties[node] = t->ties[2 * node] == t->ties[2 * node + 1] ? t->ties[2 * node] : NO_TIE;
}

void tac_moving_tree_shape(TacMovingTree *t, TacTeam *team) {
    const Middle *middles = find_middles(t); // of leaves at the places that they still have
    for (size_t i = 0; i < t->leaf_count; i++) t->leaf[i] = (uint32_t)i;
    split(t, middles, t->leaf, 0, t->bucket_count);
    move_leaves(t);
    find_ties(t);
    memset(t->fresh, 1, t->leaf_count * sizeof *t->fresh);
    tac_moving_tree_fit(t, team);
}

// --- fitting ----------------------------------------------------------------------------------------------

static void clear(float *box) {
    for (size_t j = 0; j < GROUP; j++) box[j] = -FLT_MAX;
}

static void include_leaf(const TacMovingTree *t, size_t place, float *box) {
    if (!t->points) take_larger(box, box, own_box(t, place));
    if (!t->points) return;
    const uint32_t *corners = corners_at(t, place);
    for (size_t i = 0; i < t->corner_count; i++) take_larger(box, box, corner_box(t, corners[i]));
}

static void fit_node(TacMovingTree *t, size_t node) {
    float *box = node_at(t, node);
    if (node < t->bucket_count) {
        take_larger(box, node_at(t, 2 * node), node_at(t, 2 * node + 1));
        return;
    }
    size_t bucket = node - t->bucket_count;
    clear(box);
    for (size_t i = t->first[bucket]; i < t->first[bucket + 1]; i++) include_leaf(t, i, box);
}

static void find_fresh(TacMovingTree *t) {
    for (size_t bucket = 0; bucket < t->bucket_count; bucket++) {
        uint8_t some = 0;
        for (size_t i = t->first[bucket]; i < t->first[bucket + 1]; i++) some |= t->fresh[i];
        t->fresh_node[t->bucket_count + bucket] = some;
    }
    for (size_t node = t->bucket_count; node-- > 1;)
        t->fresh_node[node] = t->fresh_node[2 * node] | t->fresh_node[2 * node + 1];
}

static void fit_buckets(void *data, size_t begin, size_t end, size_t chunk) {
    (void)chunk;
    TacMovingTree *t = data;
    for (size_t node = t->bucket_count + begin; node < t->bucket_count + end; node++)
        if (t->fresh_node[node]) fit_node(t, node);
}

void tac_moving_tree_fit(TacMovingTree *t, TacTeam *team) {
    find_fresh(t);
    tac_team_run(team, t->bucket_count, 128, fit_buckets, t);
    for (size_t node = t->bucket_count; node-- > 1;)
        if (t->fresh_node[node]) fit_node(t, node);
}

size_t tac_moving_tree_bucket(const TacMovingTree *t, size_t place) {
    size_t bucket = place * t->bucket_count / t->leaf_count;
    while (t->first[bucket] > place) bucket--;
    while (t->first[bucket + 1] <= place) bucket++;
    return bucket;
}

void tac_moving_tree_fit_leaf(TacMovingTree *t, uint32_t leaf) {
    for (size_t node = t->bucket_count + tac_moving_tree_bucket(t, t->place[leaf]); node; node /= 2)
        fit_node(t, node);
}

// --- asking -----------------------------------------------------------------------------------------------

// Whether two boxes are apart as far as one group knows: some sum is below zero at both ends. Signs are bits; opposite
// directions are next to each other; beyond k all are zero. No branch: what comes out is hard to foresee.
static inline unsigned group_apart(const float *a, const float *b) {
#if defined(__AVX512DQ__)
    __m512 sum = _mm512_add_ps(_mm512_permute_ps(_mm512_loadu_ps(a), 0xb1), _mm512_loadu_ps(b));
    unsigned below = _mm512_movepi32_mask(_mm512_castps_si512(sum));
    return (below & below >> WIDTH) != 0;
#elif defined(__AVX__)
    __m256 from = _mm256_add_ps(_mm256_permute_ps(_mm256_loadu_ps(a), 0xb1), _mm256_loadu_ps(b));
    __m256 to =
        _mm256_add_ps(_mm256_permute_ps(_mm256_loadu_ps(a + WIDTH), 0xb1), _mm256_loadu_ps(b + WIDTH));
    return _mm256_movemask_ps(_mm256_and_ps(from, to)) != 0;
#else
    unsigned below = 0;
    for (size_t j = 0; j < WIDTH; j++)
        below |= (a[j ^ 1] + b[j] < 0) & (a[WIDTH + (j ^ 1)] + b[WIDTH + j] < 0);
    return below;
#endif
}

// The same for all groups of two boxes.
static inline bool boxes_apart(const float *a, const float *b, size_t groups) {
    for (size_t j = 0; j < groups; j++)
        if (group_apart(a + j * GROUP, b + j * GROUP)) return true;
    return false;
}

bool tac_moving_tree_apart(const TacMovingTree *a, uint32_t leaf, const TacMovingTree *b, uint32_t other) {
    float room[2][TAC_MOVING_NUMBERS];
    return boxes_apart(tac_moving_tree_box(a, a->place[leaf], room[0]),
                       tac_moving_tree_box(b, b->place[other], room[1]), a->groups);
}

// The first group decides for most: the others are found only where they are needed.
static inline bool leaf_apart(const TacMovingTree *t, size_t place, const float *box) {
    float room[GROUP];
    for (size_t group = 0; group < t->groups; group++)
        if (group_apart(box + group * GROUP, leaf_group(t, place, group, room))) return true;
    return false;
}

static bool append_bucket(const TacMovingTree *t, size_t bucket, const float *box, TacIds *found) {
    if (!tac_grow(&found->ids, &found->capacity, found->count + BUCKET, sizeof *found->ids)) return false;
    for (size_t i = t->first[bucket]; i < t->first[bucket + 1]; i++) {
        found->ids[found->count] = (int32_t)t->leaf[i];
        found->count += !leaf_apart(t, i, box);
    }
    return true;
}

TacStatus tac_moving_tree_find(const TacMovingTree *t, const TacMovingTree *from, uint32_t leaf,
                               TacIds *found, TacError *error) {
    if (!t->leaf_count) return TAC_OK;
    float room[TAC_MOVING_NUMBERS];
    const float *box = tac_moving_tree_box(from, from->place[leaf], room);
    uint32_t kin = t->tied ? kin_of(from, from->place[leaf]) : NO_TIE;
    size_t stack[DEEPEST + 2], depth = 0;
    stack[0] = 1;
    depth += !group_apart(box, node_at(t, 1));
    while (depth) {
        size_t node = stack[--depth];
        if (kin && t->ties[node] == kin) continue;
        if (node >= t->bucket_count) {
            if (!append_bucket(t, node - t->bucket_count, box, found)) return tac_fail_memory(error, 0);
            continue;
        }
        for (size_t child = 2 * node + 2; child-- > 2 * node;) {
            stack[depth] = child;
            depth += !group_apart(box, node_at(t, child));
        }
    }
    return TAC_OK;
}

// --- all with what is fresh -------------------------------------------------------------------------------

typedef struct Join {
    const TacMovingTree *a, *b;
    size_t parts;     // nodes of a row of the first tree
    unsigned related; // corners of both are leaves of the same tree
    bool tied;        // and some nodes of both have ties
    TacMovingMeet meet;
    void *data;
} Join;

typedef struct Two {
    uint32_t a, b;
} Two;

// What is known of the leaves of a bucket, side by side. Rows are met again and again: some are kept.
enum { KEPT = 16 };
typedef struct Row {
    float box[BUCKET][GROUP];  // the first group of each
    float more[BUCKET][GROUP]; // and the second, where it was asked for
    uint32_t corners[TAC_MOVING_CORNERS][BUCKET];
    uint32_t first, count;
    uint16_t known; // bits: the second group is
    uint16_t fresh; // bits
    float around_fresh[GROUP];
} Row;

typedef struct Kept {
    Row rows[KEPT];
    size_t bucket[KEPT];
} Kept;

typedef struct Walk {
    const Join *join;
    size_t part;
    Kept kept[2]; // of either tree
} Walk;

static size_t corners_of(const TacMovingTree *t) {
    return t->points ? t->corner_count : 1;
}

static void see_bucket(const TacMovingTree *t, size_t bucket, Row *row) {
    row->first = t->first[bucket];
    row->count = t->first[bucket + 1] - row->first;
    row->known = row->fresh = 0;
    clear(row->around_fresh);
    for (size_t i = 0; i < row->count; i++) {
        size_t place = row->first + i;
        const float *box = leaf_group(t, place, 0, row->box[i]);
        if (box != row->box[i]) memcpy(row->box[i], box, sizeof row->box[i]);
        row->fresh |= (uint16_t)(t->fresh[place] << i);
        if (t->fresh[place]) take_larger(row->around_fresh, row->around_fresh, row->box[i]);
        for (size_t k = 0; k < corners_of(t); k++)
            row->corners[k][i] = t->points ? corners_at(t, place)[k] : t->leaf[place];
    }
}

static Row *see_kept(const TacMovingTree *t, size_t bucket, Kept *kept) {
    size_t slot = bucket % KEPT;
    if (kept->bucket[slot] != bucket) {
        kept->bucket[slot] = bucket;
        see_bucket(t, bucket, &kept->rows[slot]);
    }
    return &kept->rows[slot];
}

// The leaves of a row that may meet a box, as far as one group knows; bits.
static inline unsigned row_meets(float boxes[BUCKET][GROUP], size_t count, const float *box) {
    unsigned all = (1u << count) - 1;
#if defined(__AVX512DQ__) && defined(__AVX512BW__) && defined(__AVX512VL__)
    __m512 from = _mm512_permute_ps(_mm512_loadu_ps(box), 0xb1);
    uint64_t low = 0, high = 0;
    for (size_t i = 0; i < BUCKET; i += 2) {
        __m512 a = _mm512_add_ps(from, _mm512_loadu_ps(boxes[i]));
        __m512 b = _mm512_add_ps(from, _mm512_loadu_ps(boxes[i + 1]));
        __m512 both = _mm512_and_ps(_mm512_shuffle_f32x4(a, b, 0x44), _mm512_shuffle_f32x4(a, b, 0xee));
        uint64_t below = (uint64_t)_mm512_movepi32_mask(_mm512_castps_si512(both));
        *(i < 8 ? &low : &high) |= below << 8 * (i % 8);
    }
    return all & _mm_testn_epi8_mask(_mm_set_epi64x((int64_t)high, (int64_t)low), _mm_set1_epi8(-1));
#else
    unsigned meets = 0;
    for (size_t i = 0; i < count; i++) meets |= (unsigned)!group_apart(box, boxes[i]) << i;
    return all & meets;
#endif
}

// The leaves of a row that share a corner with one of another; bits. A point is its own corner.
static inline unsigned row_shares(const Row *row, size_t corners, const Row *other, size_t other_corners,
                                  size_t leaf) {
#if defined(__AVX512VL__)
    unsigned shares = 0;
    for (size_t k = 0; k < corners; k++)
        for (size_t l = 0; l < other_corners; l++)
            shares |= _mm512_cmpeq_epi32_mask(_mm512_loadu_si512((const void *)row->corners[k]),
                                              _mm512_set1_epi32((int)other->corners[l][leaf]));
    return shares;
#elif defined(__AVX2__)
    __m256i low = _mm256_setzero_si256(), high = low;
    for (size_t k = 0; k < corners; k++) {
        const __m256i *row_corners = (const __m256i *)(const void *)row->corners[k];
        __m256i first = _mm256_loadu_si256(row_corners), second = _mm256_loadu_si256(row_corners + 1);
        for (size_t l = 0; l < other_corners; l++) {
            __m256i corner = _mm256_set1_epi32((int)other->corners[l][leaf]);
            low = _mm256_or_si256(low, _mm256_cmpeq_epi32(first, corner));
            high = _mm256_or_si256(high, _mm256_cmpeq_epi32(second, corner));
        }
    }
    return (unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(low)) |
           (unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(high)) << 8;
#else
    unsigned shares = 0;
    for (size_t k = 0; k < corners; k++)
        for (size_t l = 0; l < other_corners; l++)
            for (size_t i = 0; i < BUCKET; i++)
                shares |= (unsigned)(row->corners[k][i] == other->corners[l][leaf]) << i;
    return shares;
#endif
}

static const float *second_group(const TacMovingTree *t, Row *row, size_t i) {
    if (!(row->known >> i & 1)) {
        const float *box = leaf_group(t, row->first + i, 1, row->more[i]);
        if (box != row->more[i]) memcpy(row->more[i], box, sizeof row->more[i]);
        row->known |= (uint16_t)(1u << i);
    }
    return row->more[i];
}

// Whether two leaves are apart in what the first group does not know.
static bool rest_apart(const TacMovingTree *a, Row *row, size_t i, const TacMovingTree *b, Row *other,
                       size_t k) {
    float room[2][GROUP];
    if (a->groups > 1 && group_apart(second_group(a, row, i), second_group(b, other, k))) return true;
    for (size_t group = 2; group < a->groups; group++)
        if (group_apart(leaf_group(a, row->first + i, group, room[0]),
                        leaf_group(b, other->first + k, group, room[1])))
            return true;
    return false;
}

static void join_buckets(Walk *walk, size_t bucket, size_t other, bool same) {
    const Join *join = walk->join;
    const TacMovingTree *a = join->a, *b = join->b;
    Row *row = see_kept(a, bucket, &walk->kept[0]), *rows = see_kept(b, other, &walk->kept[1]);
    // what is fresh meets all, the rest only what is fresh: most often that is little
    unsigned asked = row_meets(rows->box, rows->count, node_at(a, a->bucket_count + bucket));
    if (!row->fresh)
        asked &= rows->fresh;
    else if (row->fresh != (1u << row->count) - 1)
        asked &= rows->fresh | row_meets(rows->box, rows->count, row->around_fresh);
    for (; asked; asked &= asked - 1) {
        size_t k = (size_t)__builtin_ctz(asked);
        unsigned meets = row_meets(row->box, row->count, rows->box[k]);
        if (!(rows->fresh >> k & 1)) meets &= row->fresh;
        if (same) meets &= (1u << k) - 1;
        if (meets && join->related) meets &= ~row_shares(row, corners_of(a), rows, corners_of(b), k);
        for (; meets; meets &= meets - 1) {
            size_t i = (size_t)__builtin_ctz(meets);
            if (!rest_apart(a, row, i, b, rows, k))
                join->meet(join->data, walk->part, a->leaf[row->first + i], b->leaf[rows->first + k]);
        }
    }
}

// Is there anything between two nodes to be told of?
static inline unsigned may_join(const Join *join, size_t m, size_t n, bool same) {
    const TacMovingTree *a = join->a, *b = join->b;
    if (join->tied && a->ties[m] && a->ties[m] == b->ties[n]) return 0;
    return (a->fresh_node[m] | b->fresh_node[n]) & (same | !group_apart(node_at(a, m), node_at(b, n)));
}

// Two nodes and all below. A step down leaves at most four pairs, of which one is gone on with.
static void join_nodes(Walk *walk, size_t first, size_t second) {
    const TacMovingTree *a = walk->join->a, *b = walk->join->b;
    Two stack[4 * DEEPEST];
    size_t depth = 0;
    stack[0] = (Two){(uint32_t)first, (uint32_t)second};
    depth += may_join(walk->join, first, second, a == b && first == second);
    while (depth) {
        uint32_t m = stack[--depth].a, n = stack[depth].b;
        bool same = a == b && m == n, lowest = m >= a->bucket_count, other_lowest = n >= b->bucket_count;
        if (lowest && other_lowest) {
            join_buckets(walk, m - a->bucket_count, n - b->bucket_count, same);
            continue;
        }
        uint32_t last = lowest ? m : 2 * m + 1, other_last = other_lowest ? n : 2 * n + 1;
        for (uint32_t i = lowest ? m : 2 * m; i <= last; i++)
            for (uint32_t k = same ? i : other_lowest ? n : 2 * n; k <= other_last; k++) {
                stack[depth] = (Two){i, k};
                depth += may_join(walk->join, i, k, same & (i == k));
            }
    }
}

static void join_chunk(void *data, size_t begin, size_t end, size_t chunk) {
    (void)chunk;
    const Join *join = data;
    Walk walk = {.join = join};
    for (size_t slot = 0; slot < KEPT; slot++)
        walk.kept[0].bucket[slot] = walk.kept[1].bucket[slot] = SIZE_MAX;
    for (size_t part = begin; part < end; part++) {
        size_t node = join->parts + part;
        walk.part = part;
        if (join->a != join->b) join_nodes(&walk, node, 1);
        for (size_t other = node; join->a == join->b && other < 2 * join->parts; other++)
            join_nodes(&walk, node, other);
    }
}

void tac_moving_tree_join(TacMovingTree *tree, TacMovingTree *other, TacTeam *team, TacMovingMeet meet,
                          void *data) {
    if (!tree->leaf_count || !other->leaf_count) return;
    find_fresh(tree);
    if (other != tree) find_fresh(other);
    size_t parts = tree->bucket_count < TAC_MOVING_TREE_PARTS ? tree->bucket_count : TAC_MOVING_TREE_PARTS;
    bool related = (tree->points ? tree->points : tree) == (other->points ? other->points : other);
    Join join = {tree, other, parts, related, related && tree->tied && other->tied, meet, data};
    tac_team_run(team, parts, 1, join_chunk, &join);
}
