// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// A dynamic tree of k-DOPs. See box_tree.h for the rules. Touches nothing but its arguments.

#include "geometry/box_tree.h"

#include "base/memory.h"
#include "base/random.h"

#include <float.h>

// Children and parents are numbers: a node's own, or ~leaf (negative), or NONE.
enum { TOP = 0, NONE = INT32_MIN, STACK = 64, NODE_ALIGNMENT = 64 };

typedef struct Node {
    int32_t child[2];
    int32_t parent; // of an unused node: the next unused one
    int32_t height; // longest way down to a leaf
    float reach[];  // k of child 0, then k of child 1
} Node;

// Lengths of the slanted axes, to corners and to edges of a cube, rounded up.
#define SQRT3 1.7320508075688774
#define SQRT2 1.4142135623730952

// --- boxes ------------------------------------------------------------------------------------------------

bool tac_dop_k_valid(int k) {
    return k == 6 || k == 14 || k == 18 || k == 26;
}

TacDop tac_dop_empty(void) {
    TacDop box;
    for (int i = 0; i < TAC_DOP_MOST; i++) box.reach[i] = -INFINITY;
    return box;
}

// A float not below; what is not a number reaches everywhere. Rounding to a float takes half of 2^-23 at most.
static inline float rounded_up(double x) {
    float up = (float)(x + (fabs(x) * 0x1p-23 + FLT_TRUE_MIN));
    return up <= INFINITY ? up : INFINITY;
}

// The place of a point along all axes, in their order for k.
static inline void along_axes(double *along, int k, double x, double y, double z) {
    double *edges = along + (k == 18 ? 3 : 7);
    along[0] = x;
    along[1] = y;
    along[2] = z;
    if (k == 14 || k == 26) {
        along[3] = x + y + z;
        along[4] = y + z - x;
        along[5] = x + z - y;
        along[6] = x + y - z;
    }
    if (k < 18) return;
    edges[0] = x + y;
    edges[1] = x - y;
    edges[2] = x + z;
    edges[3] = x - z;
    edges[4] = y + z;
    edges[5] = y - z;
}

static inline void add_span(TacDop *box, int k, TacVec3 centre, const double *extents) {
    double along[TAC_DOP_MOST / 2];
    along_axes(along, k, centre.x, centre.y, centre.z);
    // sums of three round twice, relative to the largest of them
    double doubt = (fabs(centre.x) + fabs(centre.y) + fabs(centre.z)) * 0x1p-51;
    for (int i = 0; i < k / 2; i++) {
        double extent = extents[i] + (extents[i] * 0x1p-51 + doubt);
        float up = rounded_up(along[i] + extent), down = rounded_up(extent - along[i]);
        box->reach[2 * i] = up > box->reach[2 * i] ? up : box->reach[2 * i];
        box->reach[2 * i + 1] = down > box->reach[2 * i + 1] ? down : box->reach[2 * i + 1];
    }
}

void tac_dop_add_ball(TacDop *box, int k, TacVec3 centre, double radius) {
    static const double lengths[2][10] = {
        {SQRT3, SQRT3, SQRT3, SQRT3, SQRT2, SQRT2, SQRT2, SQRT2, SQRT2, SQRT2},
        {SQRT2, SQRT2, SQRT2, SQRT2, SQRT2, SQRT2}};
    double extents[TAC_DOP_MOST / 2] = {radius, radius, radius};
    for (int i = 3; i < k / 2; i++) extents[i] = radius * lengths[k == 18][i - 3];
    add_span(box, k, centre, extents);
}

void tac_dop_add_cuboid(TacDop *box, int k, TacVec3 centre, TacVec3 half) {
    // the corner that reaches farthest has the signs of the axis
    double edges[6] = {half.x + half.y, half.x + half.y, half.x + half.z,
                       half.x + half.z, half.y + half.z, half.y + half.z};
    double extents[TAC_DOP_MOST / 2] = {half.x, half.y, half.z}, *next = extents + 3;
    if (k == 14 || k == 26)
        for (int i = 0; i < 4; i++) *next++ = half.x + half.y + half.z;
    if (k >= 18)
        for (int i = 0; i < 6; i++) *next++ = edges[i];
    add_span(box, k, centre, extents);
}

// Loops of known length become a few wide instructions: each job below is written once and compiled per k.
#define FOR_EACH_K(k, job)                                                                                   \
    switch (k) {                                                                                             \
    case 6: job(6); break;                                                                                   \
    case 14: job(14); break;                                                                                 \
    case 18: job(18); break;                                                                                 \
    default: job(26); break;                                                                                 \
    }

// Opposite directions change places, so that overlap is asked of equal places.
static inline void turn(float *turned, const float *reach, int k) {
    for (int i = 0; i < k; i += 2) {
        turned[i] = reach[i + 1];
        turned[i + 1] = reach[i];
    }
}

static inline bool meets_n(const float *turned, const float *reach, int k) {
    int apart = 0;
    for (int i = 0; i < k; i++) apart |= turned[i] + reach[i] < 0;
    return !apart;
}

static inline bool meets(const float *turned, const float *reach, int k) {
    bool answer;
#define JOB(n) answer = meets_n(turned, reach, n)
    FOR_EACH_K(k, JOB)
#undef JOB
    return answer;
}

static inline bool holds(const float *outer, const float *inner, int k) {
    int outside = 0;
    for (int i = 0; i < k; i++) outside |= inner[i] > outer[i];
    return !outside;
}

// The sum of all widths of the box around both.
static inline float joint_measure_n(const float *a, const float *b, int k) {
    float sum[2] = {0, 0};
    for (int i = 0; i < k; i += 2) {
        sum[0] += a[i] > b[i] ? a[i] : b[i];
        sum[1] += a[i + 1] > b[i + 1] ? a[i + 1] : b[i + 1];
    }
    return sum[0] + sum[1];
}

static inline float joint_measure(const float *a, const float *b, int k) {
    float answer;
#define JOB(n) answer = joint_measure_n(a, b, n)
    FOR_EACH_K(k, JOB)
#undef JOB
    return answer;
}

static inline float measure(const float *a, int k) {
    return joint_measure(a, a, k);
}

static inline void join(float *both, const float *a, const float *b, int k) {
    for (int i = 0; i < k; i++) both[i] = a[i] > b[i] ? a[i] : b[i];
}

bool tac_dop_overlaps(const TacDop *a, const TacDop *b, int k) {
    float turned[TAC_DOP_MOST];
    turn(turned, a->reach, k);
    return meets(turned, b->reach, k);
}

bool tac_dop_contains(const TacDop *outer, const TacDop *inner, int k) {
    return holds(outer->reach, inner->reach, k);
}

// --- nodes ------------------------------------------------------------------------------------------------

static inline Node *node_at(const TacBoxTree *tree, int32_t node) {
    return (Node *)(void *)(tree->nodes + (size_t)node * tree->stride);
}

static inline float *child_box(const TacBoxTree *tree, int32_t node, int side) {
    return node_at(tree, node)->reach + side * tree->k;
}

static inline int32_t parent_of(const TacBoxTree *tree, int32_t any) {
    return any < 0 ? tree->parents[~any] : node_at(tree, any)->parent;
}

static inline int side_of(const TacBoxTree *tree, int32_t parent, int32_t any) {
    return node_at(tree, parent)->child[1] == any;
}

static inline int32_t height_of(const TacBoxTree *tree, int32_t any) {
    return any < 0 ? 0 : node_at(tree, any)->height;
}

// The box that is stored for a leaf or a node, beside its parent's number for it.
static inline float *box_of(const TacBoxTree *tree, int32_t any) {
    int32_t parent = parent_of(tree, any);
    return child_box(tree, parent, side_of(tree, parent, any));
}

static void hang(TacBoxTree *tree, int32_t node, int side, int32_t any, const float *box) {
    node_at(tree, node)->child[side] = any;
    if (box) memmove(child_box(tree, node, side), box, (size_t)tree->k * sizeof(float));
    if (any == NONE) return;
    if (any < 0)
        tree->parents[~any] = node;
    else
        node_at(tree, any)->parent = node;
}

static int32_t take_node(TacBoxTree *tree) {
    int32_t node = tree->free_node;
    tree->free_node = node_at(tree, node)->parent;
    return node;
}

static void give_back_node(TacBoxTree *tree, int32_t node) {
    node_at(tree, node)->parent = tree->free_node;
    tree->free_node = node;
}

// Nothing but the top, with no children; all other nodes are unused, in ascending order.
static void clear(TacBoxTree *tree) {
    const TacDop nothing = tac_dop_empty();
    for (int side = 0; side < 2; side++) hang(tree, TOP, side, NONE, nothing.reach);
    node_at(tree, TOP)->parent = NONE;
    node_at(tree, TOP)->height = 0;
    tree->free_node = NONE;
    for (size_t node = tree->node_room - 1; node > TOP; node--) give_back_node(tree, (int32_t)node);
    for (size_t leaf = 0; leaf < tree->leaf_room; leaf++) tree->parents[leaf] = NONE;
    tree->leaf_count = 0;
}

static bool grow_nodes(TacBoxTree *tree, size_t need) {
    size_t room = tree->node_room > SIZE_MAX / 2 ? need : 2 * tree->node_room;
    if (room < need) room = need;
    if (room > SIZE_MAX / tree->stride - NODE_ALIGNMENT) return false;
    size_t bytes = (room * tree->stride + NODE_ALIGNMENT - 1) / NODE_ALIGNMENT * NODE_ALIGNMENT;
    unsigned char *nodes = aligned_alloc(NODE_ALIGNMENT, bytes);
    if (!nodes) return false;
    if (tree->nodes) memcpy(nodes, tree->nodes, tree->node_room * tree->stride);
    free(tree->nodes);
    tree->nodes = nodes;
    // in descending order, so that they are taken in ascending order
    for (size_t node = room; node-- > tree->node_room;) give_back_node(tree, (int32_t)node);
    tree->node_room = room;
    return true;
}

TacStatus tac_box_tree_create(TacBoxTree *tree, int k, TacError *error) {
    *tree = (TacBoxTree){.k = k, .free_node = NONE};
    if (!tac_dop_k_valid(k))
        return tac_fail(error, TAC_BAD_USAGE, "a box has 6, 14, 18 or 26 sides, not %d", k);
    size_t bytes = sizeof(Node) + 2 * (size_t)k * sizeof(float);
    tree->stride = (bytes + 15) / 16 * 16;
    if (!grow_nodes(tree, 1)) return tac_fail_memory(error, tree->stride);
    clear(tree);
    return TAC_OK;
}

void tac_box_tree_destroy(TacBoxTree *tree) {
    free(tree->nodes);
    free(tree->parents);
    *tree = (TacBoxTree){0};
}

TacStatus tac_box_tree_reserve(TacBoxTree *tree, size_t leaves, TacError *error) {
    if (leaves >= INT32_MAX / 2)
        return tac_fail(error, TAC_BAD_USAGE, "%zu boxes are too many for one tree", leaves);
    // n leaves need n - 1 nodes and the top
    if (leaves + 1 > tree->node_room && !grow_nodes(tree, leaves + 1))
        return tac_fail_memory(error, leaves * tree->stride);
    if (leaves <= tree->leaf_room) return TAC_OK;
    size_t room = tree->leaf_room;
    if (!tac_grow(&tree->parents, &room, leaves, sizeof *tree->parents))
        return tac_fail_memory(error, leaves * sizeof *tree->parents);
    for (size_t leaf = tree->leaf_room; leaf < room; leaf++) tree->parents[leaf] = NONE;
    tree->leaf_room = room;
    return TAC_OK;
}

// --- upkeep -----------------------------------------------------------------------------------------------

// Swaps a child of the node with that grandchild on the other side which makes the box there smallest.
static void improve(TacBoxTree *tree, int32_t node) {
    Node *a = node_at(tree, node);
    int k = tree->k, best_side = 0, best_which = -1;
    float best = 0;
    for (int side = 0; side < 2; side++) {
        int32_t other = a->child[1 - side];
        if (other < 0) continue;
        const float *mine = a->reach + side * k, *theirs = node_at(tree, other)->reach;
        float now = measure(a->reach + (1 - side) * k, k);
        for (int which = 0; which < 2; which++) {
            // my child beside the grandchild that stays
            float gain = now - joint_measure(mine, theirs + (1 - which) * k, k);
            if (gain > best) {
                best = gain;
                best_side = side;
                best_which = which;
            }
        }
    }
    if (best_which < 0) return;
    int32_t child = a->child[best_side], other = a->child[1 - best_side];
    Node *c = node_at(tree, other);
    float moved[TAC_DOP_MOST];
    memcpy(moved, a->reach + best_side * k, (size_t)k * sizeof(float));
    hang(tree, node, best_side, c->child[best_which], c->reach + best_which * k);
    hang(tree, other, best_which, child, moved);
    join(a->reach + (1 - best_side) * k, c->reach, c->reach + k, k);
    int32_t h0 = height_of(tree, c->child[0]), h1 = height_of(tree, c->child[1]);
    c->height = 1 + (h0 > h1 ? h0 : h1);
}

// Rule 1 from this node up, after one of its children has changed.
static void settle(TacBoxTree *tree, int32_t node) {
    int k = tree->k;
    while (node != TOP) {
        Node *a = node_at(tree, node);
        improve(tree, node);
        int32_t h0 = height_of(tree, a->child[0]), h1 = height_of(tree, a->child[1]);
        int32_t height = 1 + (h0 > h1 ? h0 : h1);
        float both[TAC_DOP_MOST], *stored = box_of(tree, node);
        join(both, a->reach, a->reach + k, k);
        if (height == a->height && !memcmp(both, stored, (size_t)k * sizeof(float))) return;
        a->height = height;
        memcpy(stored, both, (size_t)k * sizeof(float));
        node = a->parent;
    }
    node_at(tree, TOP)->height = 1 + height_of(tree, node_at(tree, TOP)->child[0]);
}

// Where a box goes best: beside the leaf or node that is returned. `place` is a node or leaf that holds it, or
// the whole tree.
static int32_t best_sibling(const TacBoxTree *tree, int32_t place, const float *box, int32_t leaf) {
    int k = tree->k;
    TacRandom coin = tac_random((uint64_t)leaf, 2);
    float own_measure = measure(box, k);
    while (place >= 0) {
        const Node *a = node_at(tree, place);
        const float *own = box_of(tree, place);
        float joint = joint_measure(own, box, k), inherited = joint - measure(own, k);
        float cost[2], here = joint;
        for (int side = 0; side < 2; side++) {
            const float *child = a->reach + side * k;
            cost[side] = inherited + joint_measure(child, box, k);
            // farther down a new node follows, no smaller than the box itself
            if (a->child[side] >= 0) cost[side] += own_measure - measure(child, k);
        }
        int side = cost[1] < cost[0];
        // equal, or not numbers
        if (!(cost[0] < cost[1] || cost[1] < cost[0])) side = tac_random_bits(&coin) & 1;
        if (here < cost[side]) break;
        place = a->child[side];
    }
    return place;
}

static void hang_beside(TacBoxTree *tree, int32_t sibling, int32_t leaf, const float *box) {
    int32_t parent = parent_of(tree, sibling), node = take_node(tree);
    int side = side_of(tree, parent, sibling);
    float *place = child_box(tree, parent, side);
    hang(tree, node, 0, sibling, place);
    hang(tree, node, 1, ~leaf, box);
    hang(tree, parent, side, node, NULL);
    // what is stored is made right by settling, which must not take the old box for the new
    node_at(tree, node)->height = 0;
    settle(tree, node);
}

// Takes a leaf out; returns the node or leaf that has taken its parent's place (NONE: the tree is empty).
static int32_t cut(TacBoxTree *tree, int32_t leaf) {
    int32_t parent = tree->parents[leaf];
    if (parent == TOP) {
        const TacDop nothing = tac_dop_empty();
        hang(tree, TOP, 0, NONE, nothing.reach);
        node_at(tree, TOP)->height = 0;
        return NONE;
    }
    int side = side_of(tree, parent, ~leaf);
    int32_t above = node_at(tree, parent)->parent, sibling = node_at(tree, parent)->child[1 - side];
    hang(tree, above, side_of(tree, above, parent), sibling, child_box(tree, parent, 1 - side));
    give_back_node(tree, parent);
    settle(tree, above);
    return sibling;
}

static void put_in(TacBoxTree *tree, int32_t near, int32_t leaf, const float *box) {
    int32_t whole = node_at(tree, TOP)->child[0];
    if (whole == NONE) {
        hang(tree, TOP, 0, ~leaf, box);
        node_at(tree, TOP)->height = 1;
        return;
    }
    while (near != whole && !holds(box_of(tree, near), box, tree->k)) near = parent_of(tree, near);
    hang_beside(tree, best_sibling(tree, near, box, leaf), leaf, box);
}

// --- leaves -----------------------------------------------------------------------------------------------

bool tac_box_tree_has(const TacBoxTree *tree, int32_t leaf) {
    return leaf >= 0 && (size_t)leaf < tree->leaf_room && tree->parents[leaf] != NONE;
}

TacStatus tac_box_tree_insert(TacBoxTree *tree, int32_t leaf, const TacDop *box, TacError *error) {
    if (leaf < 0 || tac_box_tree_has(tree, leaf))
        return tac_fail(error, TAC_BAD_USAGE, "a leaf %d cannot be put in, or is there already", (int)leaf);
    TAC_TRY(tac_box_tree_reserve(tree, (size_t)leaf + 1, error));
    put_in(tree, node_at(tree, TOP)->child[0], leaf, box->reach);
    tree->leaf_count++;
    return TAC_OK;
}

void tac_box_tree_remove(TacBoxTree *tree, int32_t leaf) {
    cut(tree, leaf);
    tree->parents[leaf] = NONE;
    tree->leaf_count--;
}

void tac_box_tree_move(TacBoxTree *tree, int32_t leaf, const TacDop *box) {
    int32_t parent = tree->parents[leaf];
    if (parent == TOP || holds(box_of(tree, parent), box->reach, tree->k)) {
        hang(tree, parent, side_of(tree, parent, ~leaf), ~leaf, box->reach);
        settle(tree, parent);
        return;
    }
    put_in(tree, cut(tree, leaf), leaf, box->reach);
}

TacDop tac_box_tree_box(const TacBoxTree *tree, int32_t leaf) {
    TacDop box = tac_dop_empty();
    memcpy(box.reach, box_of(tree, ~leaf), (size_t)tree->k * sizeof(float));
    return box;
}

// --- building ---------------------------------------------------------------------------------------------

// Leaves in an order, and the place of each along the axis that is being halved.
typedef struct Halving {
    int k;
    const TacDop *boxes;
    int32_t *order;
    float *place;
    TacRandom random;
} Halving;

// Twice the middle along an axis; boxes without a middle count as at 0.
static float middle_along(const TacDop *box, int axis) {
    float middle = box->reach[2 * axis] - box->reach[2 * axis + 1];
    return isfinite(middle) ? middle : 0;
}

static int widest_axis(const Halving *h, size_t from, size_t to) {
    int best = 0;
    double widest = -1;
    for (int axis = 0; axis < h->k / 2; axis++) {
        double low = INFINITY, high = -INFINITY;
        for (size_t i = from; i < to; i++) {
            double place = middle_along(&h->boxes[h->order[i]], axis);
            low = place < low ? place : low;
            high = place > high ? place : high;
        }
        // slanted axes are longer than 1
        static const double lengths[] = {1, 1.0 / 3, 0.5};
        int kind = axis < 3 ? 0 : (h->k == 18 || axis >= 7 ? 2 : 1);
        double width = (high - low) * (high - low) * lengths[kind];
        if (width > widest) {
            widest = width;
            best = axis;
        }
    }
    return best;
}

static bool comes_before(const Halving *h, size_t i, float place, int32_t leaf) {
    return h->place[i] < place || (h->place[i] == place && h->order[i] < leaf);
}

static void swap(Halving *h, size_t i, size_t j) {
    int32_t leaf = h->order[i];
    float place = h->place[i];
    h->order[i] = h->order[j];
    h->place[i] = h->place[j];
    h->order[j] = leaf;
    h->place[j] = place;
}

// All before `middle` come before all after it. Pivots are random: no order of the input is a bad one.
static void part_at(Halving *h, size_t from, size_t middle, size_t to) {
    while (to - from > 1) {
        size_t pivot = from + tac_random_bits(&h->random) % (to - from);
        swap(h, pivot, to - 1);
        float place = h->place[to - 1];
        int32_t leaf = h->order[to - 1];
        size_t less = from;
        for (size_t i = from; i + 1 < to; i++)
            if (comes_before(h, i, place, leaf)) swap(h, i, less++);
        swap(h, less, to - 1);
        if (less == middle) return;
        if (less < middle)
            from = less + 1;
        else
            to = less;
    }
}

typedef struct Range {
    size_t from, to;
    int32_t node; // under which it is to hang
    int side;
} Range;

// Halves depth first, so that nodes lie in memory as a walk meets them. Halving at the middle keeps the stack
// as small as the tree is low.
static void halve(TacBoxTree *tree, Halving *h, size_t count) {
    Range stack[STACK];
    int depth = 0;
    stack[depth++] = (Range){0, count, TOP, 0};
    while (depth > 0) {
        Range r = stack[--depth];
        if (r.to - r.from == 1) {
            hang(tree, r.node, r.side, ~h->order[r.from], h->boxes[h->order[r.from]].reach);
            continue;
        }
        int axis = widest_axis(h, r.from, r.to);
        for (size_t i = r.from; i < r.to; i++) h->place[i] = middle_along(&h->boxes[h->order[i]], axis);
        size_t middle = r.from + (r.to - r.from) / 2;
        part_at(h, r.from, middle, r.to);
        int32_t node = take_node(tree);
        hang(tree, r.node, r.side, node, NULL);
        stack[depth++] = (Range){middle, r.to, node, 1};
        stack[depth++] = (Range){r.from, middle, node, 0};
    }
}

// Nodes are numbered before their children: from the last to the first, each has its boxes in time.
static void fit_all(TacBoxTree *tree, size_t nodes) {
    for (size_t node = nodes; node-- > 1;) {
        Node *a = node_at(tree, (int32_t)node);
        int32_t h0 = height_of(tree, a->child[0]), h1 = height_of(tree, a->child[1]);
        a->height = 1 + (h0 > h1 ? h0 : h1);
        join(box_of(tree, (int32_t)node), a->reach, a->reach + tree->k, tree->k);
    }
    node_at(tree, TOP)->height = 1 + height_of(tree, node_at(tree, TOP)->child[0]);
}

TacStatus tac_box_tree_build(TacBoxTree *tree, const TacDop *boxes, size_t count, TacError *error) {
    TAC_TRY(tac_box_tree_reserve(tree, count, error));
    clear(tree);
    if (count == 0) return TAC_OK;
    Halving h = {tree->k, boxes, malloc(count * sizeof *h.order), malloc(count * sizeof *h.place),
                 tac_random(1, 1)};
    TacStatus status = TAC_OK;
    if (h.order && h.place) {
        for (size_t i = 0; i < count; i++) h.order[i] = (int32_t)i;
        halve(tree, &h, count);
        fit_all(tree, count);
        tree->leaf_count = count;
    } else
        status = tac_fail_memory(error, count * (sizeof *h.order + sizeof *h.place));
    free(h.order);
    free(h.place);
    return status;
}

// --- asking -----------------------------------------------------------------------------------------------

// The walk below one node by parents: slower, but as deep as it likes.
static bool walk_by_parents(const TacBoxTree *tree, int32_t root, const float *turned, TacBoxVisit visit,
                            void *context) {
    int32_t node = root;
    int side = 0;
    for (;;) {
        if (side == 2) {
            if (node == root) return true;
            int32_t parent = node_at(tree, node)->parent;
            side = side_of(tree, parent, node) + 1;
            node = parent;
            continue;
        }
        int32_t child = node_at(tree, node)->child[side];
        if (child == NONE || !meets(turned, child_box(tree, node, side), tree->k))
            side++;
        else if (child < 0) {
            if (!visit(context, ~child)) return false;
            side++;
        } else {
            node = child;
            side = 0;
        }
    }
}

static inline void walk(const TacBoxTree *tree, const float *turned, int k, TacBoxVisit visit,
                        void *context) {
    int32_t stack[STACK];
    int depth = 0;
    stack[depth++] = TOP;
    while (depth > 0) {
        const Node *a = node_at(tree, stack[--depth]);
        // the first child, which lies nearer in memory, is looked at next
        for (int side = 1; side >= 0; side--) {
            if (!meets_n(turned, a->reach + side * k, k)) continue;
            int32_t child = a->child[side];
            if (child < 0) {
                // where nothing hangs an infinite box is still met
                if (child != NONE && !visit(context, ~child)) return;
            } else if (depth < STACK)
                stack[depth++] = child;
            else if (!walk_by_parents(tree, child, turned, visit, context))
                return;
        }
    }
}

void tac_box_tree_query(const TacBoxTree *tree, const TacDop *box, TacBoxVisit visit, void *context) {
    float turned[TAC_DOP_MOST];
    turn(turned, box->reach, tree->k);
#define JOB(n) walk(tree, turned, n, visit, context)
    FOR_EACH_K(tree->k, JOB)
#undef JOB
}

// What a search appends, and for whom.
typedef struct Search {
    TacIds *found;
    int32_t self;
    bool pairs, full;
} Search;

static bool append(void *context, int32_t leaf) {
    Search *search = context;
    TacIds *found = search->found;
    if (leaf == search->self || (search->pairs && leaf < search->self)) return true;
    size_t more = search->pairs ? 2 : 1;
    if (found->count + more > found->capacity &&
        !tac_grow(&found->ids, &found->capacity, found->count + more, sizeof *found->ids)) {
        search->full = true;
        return false;
    }
    if (search->pairs) found->ids[found->count++] = search->self;
    found->ids[found->count++] = leaf;
    return true;
}

TacStatus tac_box_tree_find(const TacBoxTree *tree, const TacDop *box, int32_t except, TacIds *found,
                            TacError *error) {
    Search search = {found, except, false, false};
    tac_box_tree_query(tree, box, append, &search);
    return search.full ? tac_fail_memory(error, 2 * found->capacity * sizeof *found->ids) : TAC_OK;
}

TacStatus tac_box_tree_pairs(const TacBoxTree *tree, TacIds *pairs, TacError *error) {
    for (size_t leaf = 0; leaf < tree->leaf_room; leaf++) {
        if (tree->parents[leaf] == NONE) continue;
        TacDop box = tac_box_tree_box(tree, (int32_t)leaf);
        Search search = {pairs, (int32_t)leaf, true, false};
        tac_box_tree_query(tree, &box, append, &search);
        if (search.full) return tac_fail_memory(error, 2 * pairs->capacity * sizeof *pairs->ids);
    }
    return TAC_OK;
}

// --- health -----------------------------------------------------------------------------------------------

int tac_box_tree_height(const TacBoxTree *tree) {
    return node_at(tree, TOP)->height;
}

// The inner node after this one when parents come before children; NONE after the last.
static int32_t next_node(const TacBoxTree *tree, int32_t node) {
    for (int side = 0; side < 2; side++)
        if (node_at(tree, node)->child[side] >= 0) return node_at(tree, node)->child[side];
    while (node != TOP) {
        int32_t parent = node_at(tree, node)->parent, other = node_at(tree, parent)->child[1];
        if (other != node && other >= 0) return other;
        node = parent;
    }
    return NONE;
}

double tac_box_tree_quality(const TacBoxTree *tree) {
    double sum = 0, whole = measure(child_box(tree, TOP, 0), tree->k);
    for (int32_t node = next_node(tree, TOP); node != NONE; node = next_node(tree, node))
        sum += measure(box_of(tree, node), tree->k);
    return whole > 0 ? sum / whole : 0;
}

static const char *broken_node(const TacBoxTree *tree, int32_t node) {
    const Node *a = node_at(tree, node);
    int32_t height = 0;
    for (int side = 0; side < 2; side++) {
        int32_t child = a->child[side];
        if (child == NONE) return "an inner node lacks a child";
        if (child < 0 && (size_t)~child >= tree->leaf_room) return "a leaf that does not exist";
        if (parent_of(tree, child) != node) return "a child does not know its parent";
        if (height_of(tree, child) + 1 > height) height = height_of(tree, child) + 1;
    }
    if (height != a->height) return "a height is wrong";
    float both[TAC_DOP_MOST];
    join(both, a->reach, a->reach + tree->k, tree->k);
    if (memcmp(both, box_of(tree, node), (size_t)tree->k * sizeof(float))) return "a box does not fit";
    return NULL;
}

const char *tac_box_tree_broken(const TacBoxTree *tree) {
    size_t nodes = 0, leaves = 0;
    for (int32_t node = next_node(tree, TOP); node != NONE; node = next_node(tree, node)) {
        const char *broken = broken_node(tree, node);
        if (broken) return broken;
        if (++nodes > tree->node_room) return "nodes form a ring";
    }
    for (size_t leaf = 0; leaf < tree->leaf_room; leaf++) leaves += tree->parents[leaf] != NONE;
    if (leaves != tree->leaf_count) return "leaves were lost";
    if (nodes + 1 != leaves && leaves > 0) return "nodes were lost";
    return NULL;
}
