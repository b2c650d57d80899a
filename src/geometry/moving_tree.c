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

enum { WIDTH = TAC_MOVING_LANES, GROUP = TAC_MOVING_GROUP, BUCKET = 4, DEEPEST = 64 };

static float *leaf_at(const TacMovingTree *t, size_t place) {
    return t->leaves + t->groups * GROUP * place;
}

static float *node_at(const TacMovingTree *t, size_t node) {
    return t->nodes + GROUP * node;
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

TacStatus tac_moving_tree_create(TacMovingTree *t, int k, size_t leaf_count, TacError *error) {
    *t = (TacMovingTree){0};
    if (!tac_dop_k_valid(k)) return tac_fail(error, TAC_BAD_USAGE, "k must be 6, 14, 18 or 26, not %d", k);
    if (leaf_count > INT32_MAX) return tac_fail(error, TAC_BAD_USAGE, "%zu boxes are too many", leaf_count);
    *t = (TacMovingTree){.k = k, .leaf_count = leaf_count, .bucket_count = buckets_for(leaf_count)};
    t->groups = ((size_t)k + WIDTH - 1) / WIDTH;
    t->leaves = make_boxes(leaf_count + 1, t->groups);
    t->nodes = make_boxes(2 * t->bucket_count, 1);
    t->place = calloc(leaf_count + 1, sizeof *t->place);
    t->leaf = calloc(leaf_count + 1, sizeof *t->leaf);
    t->first = calloc(t->bucket_count + 1, sizeof *t->first);
    t->fresh = calloc(leaf_count + 1, sizeof *t->fresh);
    t->fresh_node = calloc(2 * t->bucket_count, sizeof *t->fresh_node);
    if (!t->leaves || !t->nodes || !t->place || !t->leaf || !t->first || !t->fresh || !t->fresh_node) {
        tac_moving_tree_destroy(t);
        return tac_fail_memory(error, leaf_count * t->groups * GROUP * sizeof *t->leaves);
    }
    for (size_t i = 0; i < leaf_count; i++) t->place[i] = t->leaf[i] = (uint32_t)i;
    for (size_t i = 0; i <= t->bucket_count; i++) t->first[i] = (uint32_t)(leaf_count * i / t->bucket_count);
    return TAC_OK;
}

void tac_moving_tree_destroy(TacMovingTree *t) {
    free(t->leaves);
    free(t->nodes);
    free(t->place);
    free(t->leaf);
    free(t->first);
    free(t->fresh);
    free(t->fresh_node);
    *t = (TacMovingTree){0};
}

size_t tac_moving_tree_bytes(const TacMovingTree *t) {
    size_t group = GROUP * sizeof(float);
    return t->leaf_count * (t->groups * group + sizeof *t->fresh) +
           2 * t->bucket_count * (group + sizeof *t->fresh_node) + 2 * t->leaf_count * sizeof *t->place +
           t->bucket_count * sizeof *t->first;
}

// Neither -infinity, of which and +infinity the sum has no sign, nor -0, of which and itself it has the wrong one.
static float plain(float reach) {
    return (reach < -FLT_MAX ? -FLT_MAX : reach) + 0.0f;
}

void tac_moving_tree_set(TacMovingTree *t, uint32_t leaf, const TacMovingBox *box) {
    float *to = leaf_at(t, t->place[leaf]);
    t->fresh[t->place[leaf]] = 1;
    for (size_t end = 0; end < 2; end++)
        for (size_t j = 0; j < (size_t)t->k; j++)
            to[tac_moving_number(end, j)] = plain(box->ends[end].reach[j]);
}

void tac_moving_tree_set_hull(TacMovingTree *t, uint32_t leaf, const TacMovingTree *from,
                              const uint32_t *others, size_t count) {
    float *to = leaf_at(t, t->place[leaf]);
    size_t numbers = t->groups * GROUP;
    t->fresh[t->place[leaf]] = 1;
    memcpy(to, leaf_at(from, from->place[others[0]]), numbers * sizeof *to);
    for (size_t i = 1; i < count; i++) {
        const float *box = leaf_at(from, from->place[others[i]]);
        for (size_t j = 0; j < numbers; j++) to[j] = to[j] > box[j] ? to[j] : box[j];
    }
}

void tac_moving_tree_accept(TacMovingTree *t) {
    memset(t->fresh, 0, t->leaf_count * sizeof *t->fresh);
}

// --- shape ------------------------------------------------------------------------------------------------

// Boxes without a middle count as at 0.
static float middle(const float *box, int axis) {
    float m = 0.5f * (box[2 * axis] - box[2 * axis + 1]);
    return isfinite(m) ? m : 0;
}

static int widest_axis(const TacMovingTree *t, const uint32_t *leaves, size_t n) {
    float low[3] = {FLT_MAX, FLT_MAX, FLT_MAX}, high[3] = {-FLT_MAX, -FLT_MAX, -FLT_MAX};
    for (size_t i = 0; i < n; i++)
        for (int a = 0; a < 3; a++) {
            float m = middle(leaf_at(t, t->place[leaves[i]]), a);
            if (m < low[a]) low[a] = m;
            if (m > high[a]) high[a] = m;
        }
    int best = 0;
    for (int a = 1; a < 3; a++)
        if (high[a] - low[a] > high[best] - low[best]) best = a;
    return best;
}

// The nth of n in place, the smaller ones before it; equals by number, so that the result does not depend on how it is
// found. Each pass at least takes the pivot away; the pivot is the middle of three by lot: no order of the input is bad.
static void select_nth(const TacMovingTree *t, uint32_t *leaves, size_t n, size_t nth, int axis) {
    TacRandom random = tac_random(n, nth);
    while (n > 1) {
        float keys[3];
        uint32_t ids[3];
        for (int i = 0; i < 3; i++) {
            ids[i] = leaves[tac_random_bits(&random) % n];
            keys[i] = middle(leaf_at(t, t->place[ids[i]]), axis);
        }
        int m = 0;
        for (int i = 0; i < 3; i++) {
            int below = 0;
            for (int j = 0; j < 3; j++)
                below += keys[j] < keys[i] ||
                         (keys[j] == keys[i] && (ids[j] < ids[i] || (ids[j] == ids[i] && j < i)));
            if (below == 1) m = i;
        }
        float pivot = keys[m];
        uint32_t pivot_id = ids[m];
        size_t low = 0, i = 0, high = n; // below the pivot, looked at, above it
        while (i < high) {
            float key = middle(leaf_at(t, t->place[leaves[i]]), axis);
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
static void split(const TacMovingTree *t, uint32_t *leaves, size_t bucket, size_t count) {
    if (count <= 1) return;
    size_t begin = t->first[bucket], middle_at = t->first[bucket + count / 2], end = t->first[bucket + count];
    int axis = widest_axis(t, leaves + begin, end - begin);
    if (middle_at > begin && middle_at < end)
        select_nth(t, leaves + begin, end - begin, middle_at - begin, axis);
    split(t, leaves, bucket, count / 2);
    split(t, leaves, bucket + count / 2, count / 2);
}

// Boxes follow their leaves to new places, round by round: each place takes the box that belongs there.
static void move_boxes(TacMovingTree *t) {
    float held[4 * GROUP];
    size_t bytes = t->groups * GROUP * sizeof *t->leaves;
    for (uint32_t start = 0; start < t->leaf_count; start++) {
        if (t->place[t->leaf[start]] == start) continue;
        memcpy(held, leaf_at(t, start), bytes);
        for (uint32_t to = start;;) {
            uint32_t from = t->place[t->leaf[to]];
            t->place[t->leaf[to]] = to;
            memcpy(leaf_at(t, to), from == start ? held : leaf_at(t, from), bytes);
            if (from == start) break;
            to = from;
        }
    }
}

void tac_moving_tree_shape(TacMovingTree *t) {
    for (size_t i = 0; i < t->leaf_count; i++) t->leaf[i] = (uint32_t)i;
    split(t, t->leaf, 0, t->bucket_count);
    move_boxes(t);
    memset(t->fresh, 1, t->leaf_count * sizeof *t->fresh);
    tac_moving_tree_fit(t);
}

// --- fitting ----------------------------------------------------------------------------------------------

static void clear(float *box) {
    for (size_t j = 0; j < GROUP; j++) box[j] = -FLT_MAX;
}

static void include(float *box, const float *other) {
    for (size_t j = 0; j < GROUP; j++) box[j] = box[j] > other[j] ? box[j] : other[j];
}

static void fit_node(TacMovingTree *t, size_t node) {
    float *box = node_at(t, node);
    if (node < t->bucket_count) {
        memcpy(box, node_at(t, 2 * node), GROUP * sizeof *box);
        include(box, node_at(t, 2 * node + 1));
        return;
    }
    size_t bucket = node - t->bucket_count;
    clear(box);
    for (size_t i = t->first[bucket]; i < t->first[bucket + 1]; i++) include(box, leaf_at(t, i));
}

void tac_moving_tree_fit(TacMovingTree *t) {
    for (size_t node = 2 * t->bucket_count; node-- > 1;) fit_node(t, node);
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

// What is asked about, with opposite directions exchanged; beyond k nothing is ever apart.
typedef struct Question {
    float reach[4 * GROUP];
} Question;

static void ask(const TacMovingTree *t, uint32_t leaf, Question *q) {
    const float *box = leaf_at(t, t->place[leaf]);
    for (size_t end = 0; end < 2; end++)
        for (size_t j = 0; j < t->groups * WIDTH; j++)
            q->reach[tac_moving_number(end, j)] =
                j < (size_t)t->k ? box[tac_moving_number(end, j ^ 1)] : FLT_MAX;
}

typedef float Wide __attribute__((vector_size(WIDTH * sizeof(float))));
#if !defined(__AVX__)
typedef uint64_t Bits __attribute__((vector_size(WIDTH * sizeof(float))));
#endif

// Whether a place of both is below zero: signs are bits.
static inline bool both_below(Wide a, Wide b) {
#if defined(__AVX__)
    return _mm256_movemask_ps(_mm256_and_ps((__m256)a, (__m256)b)) != 0;
#else
    Bits both = (Bits)a & (Bits)b;
    return ((both[0] | both[1] | both[2] | both[3]) & 0x8000000080000000ULL) != 0;
#endif
}

static inline Wide load(const float *from) {
    Wide w;
    memcpy(&w, from, sizeof w);
    return w;
}

// Apart if some sum is below zero at both ends.
static inline bool apart(const float *box, const float *question, size_t groups) {
    for (size_t j = 0; j < groups * GROUP; j += GROUP)
        if (both_below(load(box + j) + load(question + j),
                       load(box + j + WIDTH) + load(question + j + WIDTH)))
            return true;
    return false;
}

// The same for two boxes: opposite directions are next to each other.
static inline bool boxes_apart(const float *a, const float *b, size_t groups) {
    for (size_t j = 0; j < groups * GROUP; j += GROUP) {
        Wide from = load(a + j), to = load(a + j + WIDTH);
        from = __builtin_shufflevector(from, from, 1, 0, 3, 2, 5, 4, 7, 6);
        to = __builtin_shufflevector(to, to, 1, 0, 3, 2, 5, 4, 7, 6);
        if (both_below(from + load(b + j), to + load(b + j + WIDTH))) return true;
    }
    return false;
}

bool tac_moving_tree_apart(const TacMovingTree *a, uint32_t leaf, const TacMovingTree *b, uint32_t other) {
    return boxes_apart(leaf_at(a, a->place[leaf]), leaf_at(b, b->place[other]), a->groups);
}

static bool append_bucket(const TacMovingTree *t, size_t bucket, const Question *q, TacIds *found) {
    if (!tac_grow(&found->ids, &found->capacity, found->count + BUCKET, sizeof *found->ids)) return false;
    for (size_t i = t->first[bucket]; i < t->first[bucket + 1]; i++)
        if (!apart(leaf_at(t, i), q->reach, t->groups)) found->ids[found->count++] = (int32_t)t->leaf[i];
    return true;
}

TacStatus tac_moving_tree_find(const TacMovingTree *t, const TacMovingTree *from, uint32_t leaf,
                               TacIds *found, TacError *error) {
    if (!t->leaf_count) return TAC_OK;
    Question q;
    ask(from, leaf, &q);
    size_t stack[DEEPEST], depth = 0;
    stack[depth++] = 1;
    while (depth) {
        size_t node = stack[--depth];
        if (apart(node_at(t, node), q.reach, 1)) continue;
        if (node >= t->bucket_count) {
            if (!append_bucket(t, node - t->bucket_count, &q, found)) return tac_fail_memory(error, 0);
        } else {
            stack[depth++] = 2 * node + 1;
            stack[depth++] = 2 * node;
        }
    }
    return TAC_OK;
}

// --- all with what is fresh -------------------------------------------------------------------------------

typedef struct Join {
    const TacMovingTree *a, *b;
    size_t parts; // nodes of a row of the first tree
    TacMovingMeet meet;
    void *data;
} Join;

static void join_buckets(const Join *join, size_t part, size_t bucket, size_t other, bool same) {
    const TacMovingTree *a = join->a, *b = join->b;
    const float *all = node_at(b, b->bucket_count + other);
    bool fresh = b->fresh_node[b->bucket_count + other];
    for (size_t i = a->first[bucket]; i < a->first[bucket + 1]; i++) {
        if (!(a->fresh[i] | fresh) || (!same && boxes_apart(leaf_at(a, i), all, 1))) continue;
        for (size_t j = same ? i + 1 : b->first[other]; j < b->first[other + 1]; j++)
            if ((a->fresh[i] | b->fresh[j]) && !boxes_apart(leaf_at(a, i), leaf_at(b, j), a->groups))
                join->meet(join->data, part, a->leaf[i], b->leaf[j]);
    }
}

// Two nodes and all below. A step down leaves at most four pairs, of which one is gone on with.
static void join_nodes(const Join *join, size_t part, size_t first, size_t second) {
    const TacMovingTree *a = join->a, *b = join->b;
    size_t stack[4 * DEEPEST][2], depth = 0;
    stack[depth][0] = first;
    stack[depth++][1] = second;
    while (depth) {
        size_t m = stack[--depth][0], n = stack[depth][1];
        bool same = a == b && m == n, lowest = m >= a->bucket_count, other_lowest = n >= b->bucket_count;
        if (!(a->fresh_node[m] | b->fresh_node[n])) continue;
        if (!same && boxes_apart(node_at(a, m), node_at(b, n), 1)) continue;
        if (lowest && other_lowest) {
            join_buckets(join, part, m - a->bucket_count, n - b->bucket_count, same);
            continue;
        }
        for (size_t i = lowest ? m : 2 * m; i <= (lowest ? m : 2 * m + 1); i++)
            for (size_t k = other_lowest ? n : 2 * n; k <= (other_lowest ? n : 2 * n + 1); k++) {
                if (same && k < i) continue;
                stack[depth][0] = i;
                stack[depth++][1] = k;
            }
    }
}

static void join_chunk(void *data, size_t begin, size_t end, size_t chunk) {
    (void)chunk;
    const Join *join = data;
    for (size_t part = begin; part < end; part++) {
        size_t node = join->parts + part;
        if (join->a != join->b) join_nodes(join, part, node, 1);
        for (size_t other = node; join->a == join->b && other < 2 * join->parts; other++)
            join_nodes(join, part, node, other);
    }
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

void tac_moving_tree_join(TacMovingTree *tree, TacMovingTree *other, TacTeam *team, TacMovingMeet meet,
                          void *data) {
    if (!tree->leaf_count || !other->leaf_count) return;
    find_fresh(tree);
    if (other != tree) find_fresh(other);
    size_t parts = tree->bucket_count < TAC_MOVING_TREE_PARTS ? tree->bucket_count : TAC_MOVING_TREE_PARTS;
    Join join = {tree, other, parts, meet, data};
    tac_team_run(team, parts, 1, join_chunk, &join);
}
