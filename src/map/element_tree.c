// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// See element_tree.h.

#include "map/element_tree.h"
#include "base/memory.h"

enum { LEAF = 4, DEEPEST = 64 };

// Node i covers a range of `order`; its left child is i + 1. Ranges are halved until they are leaves.
typedef struct TacBox {
    double low[3], high[3];
    uint32_t begin, end;
    uint32_t right; // 0: a leaf
} TacBox;

typedef struct Key {
    uint64_t code;
    uint32_t element;
} Key;

static void load_corners(const TacElementTree *tree, size_t element, TacVec3 corners[8]) {
    int n = tac_element_size(tree->kind);
    const int32_t *v = tree->indices + element * (size_t)n;
    for (int k = 0; k < n; k++) corners[k] = tac_load3(tree->points + 3 * (size_t)v[k]);
}

// --- building ---------------------------------------------------------------------------------------------

static void empty_box(TacBox *box) {
    for (int a = 0; a < 3; a++) {
        box->low[a] = INFINITY;
        box->high[a] = -INFINITY;
    }
}

static void extend_box(TacBox *box, const TacVec3 *corners, int count) {
    for (int k = 0; k < count; k++) {
        const double p[3] = {corners[k].x, corners[k].y, corners[k].z};
        for (int a = 0; a < 3; a++) {
            box->low[a] = fmin(box->low[a], p[a]);
            box->high[a] = fmax(box->high[a], p[a]);
        }
    }
}

// 21 bits, spread so that two others fit in between.
static uint64_t spread(uint64_t v) {
    v &= 0x1fffff;
    v = (v | v << 32) & 0x1f00000000ffff;
    v = (v | v << 16) & 0x1f0000ff0000ff;
    v = (v | v << 8) & 0x100f00f00f00f00f;
    v = (v | v << 4) & 0x10c30c30c30c30c3;
    v = (v | v << 2) & 0x1249249249249249;
    return v;
}

static uint64_t morton(const TacBox *all, TacVec3 middle) {
    const double p[3] = {middle.x, middle.y, middle.z};
    uint64_t code = 0;
    for (int a = 0; a < 3; a++) {
        double width = all->high[a] - all->low[a];
        double t = width > 0 ? (p[a] - all->low[a]) / width : 0;
        t = t >= 0 ? fmin(t, 1) : 0;
        code |= spread((uint64_t)(t * 0x1fffff)) << a;
    }
    return code;
}

static int compare_keys(const void *a, const void *b) {
    const Key *x = a, *y = b;
    if (x->code != y->code) return x->code < y->code ? -1 : 1;
    return x->element < y->element ? -1 : x->element > y->element;
}

// Fills the node at *next and all below it, in preorder.
static void make_boxes(TacElementTree *tree, uint32_t begin, uint32_t end, uint32_t *next) {
    uint32_t me = (*next)++;
    TacBox *box = &tree->boxes[me];
    box->begin = begin;
    box->end = end;
    empty_box(box);
    if (end - begin <= LEAF) {
        for (uint32_t i = begin; i < end; i++) {
            TacVec3 corners[8];
            load_corners(tree, tree->order[i], corners);
            extend_box(box, corners, tac_element_size(tree->kind));
        }
        return;
    }
    uint32_t middle = begin + (end - begin) / 2;
    make_boxes(tree, begin, middle, next);
    box->right = *next;
    make_boxes(tree, middle, end, next);
    for (uint32_t child = me + 1;; child = box->right) {
        const TacBox *c = &tree->boxes[child];
        const TacVec3 ends[2] = {tac_load3(c->low), tac_load3(c->high)};
        extend_box(box, ends, 2);
        if (child == box->right) break;
    }
}

static void sort_elements(TacElementTree *tree, Key *keys) {
    int corners_each = tac_element_size(tree->kind);
    TacBox all;
    empty_box(&all);
    TacVec3 corners[8];
    for (size_t e = 0; e < tree->count; e++) {
        load_corners(tree, e, corners);
        extend_box(&all, corners, corners_each);
    }
    for (size_t e = 0; e < tree->count; e++) {
        load_corners(tree, e, corners);
        TacVec3 sum = {0, 0, 0};
        for (int k = 0; k < corners_each; k++) sum = tac_add(sum, corners[k]);
        keys[e] = (Key){morton(&all, tac_scale(sum, 1.0 / corners_each)), (uint32_t)e};
    }
    qsort(keys, tree->count, sizeof *keys, compare_keys);
    for (size_t e = 0; e < tree->count; e++) tree->order[e] = keys[e].element;
    tree->size = tac_norm(tac_sub(tac_load3(all.high), tac_load3(all.low)));
}

TacStatus tac_element_tree_build(TacElementTree *tree, TacElement kind, const double *points,
                                 const int32_t *indices, size_t count, TacError *error) {
    *tree = (TacElementTree){.points = points, .indices = indices, .kind = kind, .count = count};
    if (count == 0) return TAC_OK;
    if (count > INT32_MAX)
        return tac_fail(error, TAC_BAD_INPUT, "%zu elements are too many to be searched", count);
    // halving down to LEAF or less leaves more than LEAF / 2 in each leaf, but for a lone one
    size_t most_boxes = 2 * (count / (LEAF / 2) + 1);
    Key *keys = malloc(count * sizeof *keys);
    tree->order = malloc(count * sizeof *tree->order);
    tree->boxes = calloc(most_boxes, sizeof *tree->boxes);
    bool good = keys && tree->order && tree->boxes;
    if (good) {
        sort_elements(tree, keys);
        uint32_t next = 0;
        make_boxes(tree, 0, (uint32_t)count, &next);
    }
    free(keys);
    if (good) return TAC_OK;
    tac_element_tree_destroy(tree);
    return tac_fail_memory(error, most_boxes * sizeof *tree->boxes);
}

void tac_element_tree_destroy(TacElementTree *tree) {
    free(tree->order);
    free(tree->boxes);
    *tree = (TacElementTree){0};
}

// --- searching --------------------------------------------------------------------------------------------

static double distance2_to_box(const TacBox *box, TacVec3 p) {
    double x = fmax(fmax(box->low[0] - p.x, p.x - box->high[0]), 0);
    double y = fmax(fmax(box->low[1] - p.y, p.y - box->high[1]), 0);
    double z = fmax(fmax(box->low[2] - p.z, p.z - box->high[2]), 0);
    return x * x + y * y + z * z;
}

static double distance2_to_corners(const TacElementTree *tree, const TacVec3 *corners, TacVec3 p) {
    TacBox box;
    empty_box(&box);
    extend_box(&box, corners, tac_element_size(tree->kind));
    return distance2_to_box(&box, p);
}

typedef struct Search {
    const TacElementTree *tree;
    TacVec3 p;
    double slack; // m^2: distances this close are the same
    bool found;
    uint32_t element;
    TacFit fit;
} Search;

static double limit(const Search *s) {
    return s->found ? s->fit.distance2 * (1 + 1e-9) + s->slack : INFINITY;
}

// Elements that meet at a face, an edge or a corner are equally near to a point beyond it: the one in which
// the point lies deepest extrapolates least.
static bool is_better(const Search *s, const TacFit *fit) {
    if (!s->found) return true;
    double same = s->fit.distance2 * 1e-9 + s->slack;
    if (fit->distance2 > s->fit.distance2 + same) return false;
    return fit->distance2 < s->fit.distance2 - same || fit->least > s->fit.least;
}

// An element around p, by looking only where boxes are around p: most points are inside, and this is fast.
static bool find_around(const TacElementTree *tree, TacVec3 p, size_t *element, TacFit *fit) {
    uint32_t stack[DEEPEST];
    size_t depth = 0;
    stack[depth++] = 0;
    while (depth > 0) {
        uint32_t node = stack[--depth];
        const TacBox *box = &tree->boxes[node];
        if (distance2_to_box(box, p) > 0) continue;
        if (box->right) {
            stack[depth++] = box->right;
            stack[depth++] = node + 1;
            continue;
        }
        for (uint32_t i = box->begin; i < box->end; i++) {
            TacVec3 corners[8];
            load_corners(tree, tree->order[i], corners);
            if (distance2_to_corners(tree, corners, p) > 0) continue;
            *element = tree->order[i];
            if (tac_element_contains(tree->kind, corners, p, fit)) return true;
        }
    }
    return false;
}

static void search_leaf(Search *s, const TacBox *box) {
    for (uint32_t i = box->begin; i < box->end; i++) {
        TacVec3 corners[8];
        TacFit fit;
        load_corners(s->tree, s->tree->order[i], corners);
        if (distance2_to_corners(s->tree, corners, s->p) > limit(s)) continue;
        if (!tac_element_fit(s->tree->kind, corners, s->p, &fit) || !is_better(s, &fit)) continue;
        s->found = true;
        s->element = s->tree->order[i];
        s->fit = fit;
    }
}

// The nearest element: the nearer half first, and nothing that is farther than the best so far.
static bool find_nearest(Search *s) {
    struct {
        uint32_t node;
        double distance2;
    } stack[DEEPEST];
    const TacBox *boxes = s->tree->boxes;
    size_t depth = 0;
    stack[depth].node = 0;
    stack[depth++].distance2 = 0;
    while (depth > 0) {
        uint32_t node = stack[--depth].node;
        if (stack[depth].distance2 > limit(s)) continue;
        if (!boxes[node].right) {
            search_leaf(s, &boxes[node]);
            continue;
        }
        uint32_t halves[2] = {node + 1, boxes[node].right};
        double d[2] = {distance2_to_box(&boxes[halves[0]], s->p), distance2_to_box(&boxes[halves[1]], s->p)};
        int nearer = d[1] < d[0];
        for (int k = 0; k < 2; k++) {
            int half = k == 0 ? !nearer : nearer;
            stack[depth].node = halves[half];
            stack[depth++].distance2 = d[half];
        }
    }
    return s->found;
}

bool tac_element_tree_find(const TacElementTree *tree, TacVec3 p, size_t *element, TacFit *fit) {
    if (!tree->boxes) return false;
    if (find_around(tree, p, element, fit)) return true;
    double small = 1e-12 * tree->size;
    Search s = {.tree = tree, .p = p, .slack = small * small};
    bool found = find_nearest(&s);
    *element = s.element;
    *fit = s.fit;
    return found;
}
