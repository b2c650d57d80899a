// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Do edges and triangles meet: exact predicates, and all meetings among many triangles. See tactus/ccd.h.
//
// Every answer is made of exact signs of determinants (geometry/exact.h) and of comparisons of coordinates,
// so there is nothing to tune. Coplanar things are looked at along an axis along which their plane does not
// collapse; collinear ones in the lexicographic order of their points, which is their order on the line.
// Many triangles are sorted along a Morton curve; a tree over that order, halved at each node, finds the
// pairs whose boxes overlap. Touches nothing but its arguments.

#include "tactus/ccd.h"

#include "base/memory.h"
#include "geometry/exact.h"

#include <limits.h>

// --- predicates -------------------------------------------------------------------------------------------

// The sign of a turn, seen along an axis.
static int turn(int axis, TacVec3 a, TacVec3 b, TacVec3 c) {
    double flat[3][2];
    const TacVec3 points[3] = {a, b, c};
    for (int i = 0; i < 3; i++) {
        const double p[3] = {points[i].x, points[i].y, points[i].z};
        flat[i][0] = p[(axis + 1) % 3];
        flat[i][1] = p[(axis + 2) % 3];
    }
    return exact_orient2d(flat[0], flat[1], flat[2]);
}

int tac_orient3d(TacVec3 a, TacVec3 b, TacVec3 c, TacVec3 d) {
    const double pa[3] = {a.x, a.y, a.z}, pb[3] = {b.x, b.y, b.z}, pc[3] = {c.x, c.y, c.z},
                 pd[3] = {d.x, d.y, d.z};
    // |a-d b-d c-d| is negative on the normal's side
    return -exact_orient3d(pa, pb, pc, pd);
}

static bool comes_before(TacVec3 a, TacVec3 b) {
    if (a.x != b.x) return a.x < b.x;
    if (a.y != b.y) return a.y < b.y;
    return a.z < b.z;
}

// Edges ab and cd on one line.
static bool overlap_on_line(TacVec3 a, TacVec3 b, TacVec3 c, TacVec3 d) {
    TacVec3 low1 = comes_before(b, a) ? b : a, high1 = comes_before(b, a) ? a : b;
    TacVec3 low2 = comes_before(d, c) ? d : c, high2 = comes_before(d, c) ? c : d;
    return !comes_before(high1, low2) && !comes_before(high2, low1);
}

static bool same_side(int s, int t) {
    return s * t > 0;
}

bool tac_edges_meet(TacVec3 a, TacVec3 b, TacVec3 c, TacVec3 d) {
    if (tac_orient3d(a, b, c, d) != 0) return false;
    for (int axis = 0; axis < 3; axis++) {
        int abc = turn(axis, a, b, c), abd = turn(axis, a, b, d);
        int cda = turn(axis, c, d, a), cdb = turn(axis, c, d, b);
        // seen along this axis their plane is a plane
        if (abc || abd || cda || cdb) return !same_side(abc, abd) && !same_side(cda, cdb);
    }
    return overlap_on_line(a, b, c, d);
}

// An axis along which the triangle keeps its area; -1 when it has none.
static int open_axis(const TacVec3 t[3]) {
    for (int axis = 0; axis < 3; axis++)
        if (turn(axis, t[0], t[1], t[2])) return axis;
    return -1;
}

// p in the plane of the triangle, which keeps its area along the axis.
static bool inside_seen_along(int axis, TacVec3 p, const TacVec3 t[3]) {
    int s[3] = {turn(axis, t[0], t[1], p), turn(axis, t[1], t[2], p), turn(axis, t[2], t[0], p)};
    return !same_side(s[0], -s[1]) && !same_side(s[1], -s[2]) && !same_side(s[2], -s[0]);
}

// Does ab meet one of the triangle's three sides?
static bool meets_rim(TacVec3 a, TacVec3 b, const TacVec3 t[3]) {
    return tac_edges_meet(a, b, t[0], t[1]) || tac_edges_meet(a, b, t[1], t[2]) ||
           tac_edges_meet(a, b, t[2], t[0]);
}

bool tac_point_meets_triangle(TacVec3 p, const TacVec3 triangle[3]) {
    if (tac_orient3d(triangle[0], triangle[1], triangle[2], p) != 0) return false;
    int axis = open_axis(triangle);
    return axis >= 0 ? inside_seen_along(axis, p, triangle) : meets_rim(p, p, triangle);
}

bool tac_edge_meets_triangle(TacVec3 a, TacVec3 b, const TacVec3 triangle[3]) {
    const TacVec3 *t = triangle;
    int side_a = tac_orient3d(t[0], t[1], t[2], a), side_b = tac_orient3d(t[0], t[1], t[2], b);
    if (same_side(side_a, side_b)) return false;

    // coplanar: across the rim, or wholly inside
    if (side_a == 0 && side_b == 0) return tac_point_meets_triangle(a, t) || meets_rim(a, b, t);

    // the line ab passes all three sides on the same side, or touches them
    int s[3] = {tac_orient3d(a, b, t[0], t[1]), tac_orient3d(a, b, t[1], t[2]),
                tac_orient3d(a, b, t[2], t[0])};
    return !same_side(s[0], -s[1]) && !same_side(s[1], -s[2]) && !same_side(s[2], -s[0]);
}

bool tac_triangles_meet(const TacVec3 first[3], const TacVec3 second[3]) {
    for (int i = 0; i < 3; i++) {
        if (tac_edge_meets_triangle(first[i], first[(i + 1) % 3], second)) return true;
        if (tac_edge_meets_triangle(second[i], second[(i + 1) % 3], first)) return true;
    }
    return false;
}

// --- a tree of boxes --------------------------------------------------------------------------------------

typedef struct Box {
    double low[3], high[3];
} Box;

typedef struct Leaf {
    uint64_t key; // place on the Morton curve
    int32_t number;
} Leaf;

// Over leaves[0..count): the root is node 0; a node over m leaves is followed by its left half (m/2 leaves,
// m/2 - 1 nodes) and then its right half. Leaves are no nodes: their boxes are those of their triangles.
typedef struct Tree {
    size_t count;
    Leaf *leaves;
    Box *boxes; // count - 1
} Tree;

// What a call works on.
typedef struct Finder {
    const double *points;
    const int32_t *triangles;
    const int32_t *edges; // NULL: triangles against triangles
    size_t most;
    TacMeeting *found;
    size_t count, room;
    Tree tree; // of the triangles
} Finder;

static Box empty_box(void) {
    return (Box){{DBL_MAX, DBL_MAX, DBL_MAX}, {-DBL_MAX, -DBL_MAX, -DBL_MAX}};
}

static void box_grow(Box *box, const double low[3], const double high[3]) {
    for (int k = 0; k < 3; k++) {
        if (low[k] < box->low[k]) box->low[k] = low[k];
        if (high[k] > box->high[k]) box->high[k] = high[k];
    }
}

static bool boxes_overlap(const Box *a, const Box *b) {
    for (int k = 0; k < 3; k++)
        if (a->low[k] > b->high[k] || b->low[k] > a->high[k]) return false;
    return true;
}

static Box box_of(const double *points, const int32_t *corners, int corner_count) {
    Box box = empty_box();
    for (int i = 0; i < corner_count; i++) {
        const double *p = points + 3 * (size_t)corners[i];
        box_grow(&box, p, p);
    }
    return box;
}

// 21 bits with two gaps after each.
static uint64_t spread(uint64_t x) {
    x = (x | x << 32) & 0x1f00000000ffff;
    x = (x | x << 16) & 0x1f0000ff0000ff;
    x = (x | x << 8) & 0x100f00f00f00f00f;
    x = (x | x << 4) & 0x10c30c30c30c30c3;
    return (x | x << 2) & 0x1249249249249249;
}

// Only the tree's shape depends on it, never an answer.
static uint64_t morton(const Box *box, const Box *all) {
    uint64_t key = 0;
    for (int k = 0; k < 3; k++) {
        double extent = all->high[k] - all->low[k];
        double middle = 0.5 * box->low[k] + 0.5 * box->high[k] - all->low[k];
        double part = extent > 0 ? middle / extent : 0;
        uint64_t cell = part > 0 ? (uint64_t)(part * 2097151) : 0;
        key |= spread(cell < 2097151 ? cell : 2097151) << k;
    }
    return key;
}

static int compare_leaves(const void *left, const void *right) {
    const Leaf *a = left, *b = right;
    if (a->key != b->key) return a->key < b->key ? -1 : 1;
    return (a->number > b->number) - (a->number < b->number);
}

static Box leaf_box(const Finder *f, size_t leaf) {
    return box_of(f->points, f->triangles + 3 * (size_t)f->tree.leaves[leaf].number, 3);
}

static Box fill_boxes(const Finder *f, size_t node, size_t first, size_t count) {
    if (count == 1) return leaf_box(f, first);
    size_t half = count / 2;
    Box box = fill_boxes(f, node + 1, first, half),
        right = fill_boxes(f, node + half, first + half, count - half);
    box_grow(&box, right.low, right.high);
    f->tree.boxes[node] = box;
    return box;
}

// Freed by the caller whether it succeeds or not.
static TacStatus build_tree(Finder *f, size_t count, TacError *error) {
    Tree *tree = &f->tree;
    tree->count = count;
    tree->leaves = malloc(count * sizeof *tree->leaves);
    tree->boxes = malloc(count * sizeof *tree->boxes);
    if (!tree->leaves || !tree->boxes) return tac_fail_memory(error, count * sizeof *tree->boxes);
    Box all = empty_box();
    for (size_t i = 0; i < count; i++) {
        Box box = box_of(f->points, f->triangles + 3 * i, 3);
        box_grow(&all, box.low, box.high);
    }
    for (size_t i = 0; i < count; i++) {
        Box box = box_of(f->points, f->triangles + 3 * i, 3);
        tree->leaves[i] = (Leaf){morton(&box, &all), (int32_t)i};
    }
    qsort(tree->leaves, count, sizeof *tree->leaves, compare_leaves);
    fill_boxes(f, 0, 0, count);
    return TAC_OK;
}

// --- meetings ---------------------------------------------------------------------------------------------

static void load_corners(const double *points, const int32_t *corners, int count, TacVec3 *loaded) {
    for (int i = 0; i < count; i++) loaded[i] = tac_load3(points + 3 * (size_t)corners[i]);
}

static bool is_corner(int32_t point, const int32_t *t) {
    return point == t[0] || point == t[1] || point == t[2];
}

static bool foreign_edge_meets(const double *points, int32_t a, int32_t b, const int32_t *t,
                               const TacVec3 corners[3]) {
    if (is_corner(a, t) || is_corner(b, t)) return false;
    return tac_edge_meets_triangle(tac_load3(points + 3 * (size_t)a), tac_load3(points + 3 * (size_t)b),
                                   corners);
}

static bool foreign_triangles_meet(const double *points, const int32_t *s, const int32_t *t) {
    TacVec3 first[3], second[3];
    load_corners(points, s, 3, first);
    load_corners(points, t, 3, second);
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3;
        if (foreign_edge_meets(points, s[i], s[j], t, second)) return true;
        if (foreign_edge_meets(points, t[i], t[j], s, first)) return true;
    }
    return false;
}

static bool query_meets(const Finder *f, int32_t query, int32_t triangle) {
    const int32_t *t = f->triangles + 3 * (size_t)triangle;
    if (!f->edges) return foreign_triangles_meet(f->points, f->triangles + 3 * (size_t)query, t);
    TacVec3 corners[3];
    load_corners(f->points, t, 3, corners);
    const int32_t *edge = f->edges + 2 * (size_t)query;
    return foreign_edge_meets(f->points, edge[0], edge[1], t, corners);
}

static bool is_full(const Finder *f) {
    return f->most > 0 && f->count >= f->most;
}

static TacStatus keep_meeting(Finder *f, int32_t first, int32_t second, TacError *error) {
    if (!tac_grow(&f->found, &f->room, f->count + 1, sizeof *f->found))
        return tac_fail_memory(error, (f->count + 1) * sizeof *f->found);
    f->found[f->count++] = (TacMeeting){first, second};
    return TAC_OK;
}

typedef struct Visit {
    size_t node, first, count;
} Visit;

// Everything in the tree that meets one edge, or one triangle with a smaller number.
static TacStatus find_for(Finder *f, int32_t query, const Box *box, TacError *error) {
    Visit stack[2 * sizeof(size_t) * CHAR_BIT];
    int depth = 0;
    stack[depth++] = (Visit){0, 0, f->tree.count};
    while (depth > 0 && !is_full(f)) {
        Visit v = stack[--depth];
        Box own = v.count > 1 ? f->tree.boxes[v.node] : leaf_box(f, v.first);
        if (!boxes_overlap(box, &own)) continue;
        if (v.count > 1) {
            size_t half = v.count / 2;
            stack[depth++] = (Visit){v.node + half, v.first + half, v.count - half};
            stack[depth++] = (Visit){v.node + 1, v.first, half};
            continue;
        }
        int32_t triangle = f->tree.leaves[v.first].number;
        if (!f->edges && triangle <= query) continue;
        if (query_meets(f, query, triangle)) TAC_TRY(keep_meeting(f, query, triangle, error));
    }
    return TAC_OK;
}

static int compare_meetings(const void *left, const void *right) {
    const TacMeeting *a = left, *b = right;
    if (a->first != b->first) return a->first < b->first ? -1 : 1;
    return (a->second > b->second) - (a->second < b->second);
}

static TacStatus find_all(Finder *f, size_t query_count, size_t triangle_count, TacError *error) {
    if (query_count == 0 || triangle_count == 0) return TAC_OK;
    TAC_TRY(build_tree(f, triangle_count, error));
    const int32_t *corners = f->edges ? f->edges : f->triangles;
    int size = f->edges ? 2 : 3;
    for (size_t i = 0; i < query_count && !is_full(f); i++) {
        Box box = box_of(f->points, corners + (size_t)size * i, size);
        TAC_TRY(find_for(f, (int32_t)i, &box, error));
    }
    if (f->count > 1) qsort(f->found, f->count, sizeof *f->found, compare_meetings);
    return TAC_OK;
}

static TacStatus check_indices(const int32_t *indices, size_t count, size_t size, size_t point_count,
                               const char *what, TacError *error) {
    if (count > INT32_MAX) return tac_fail(error, TAC_BAD_INPUT, "%zu %s are too many", count, what);
    for (size_t i = 0; i < count * size; i++)
        if (indices[i] < 0 || (size_t)indices[i] >= point_count)
            return tac_fail(error, TAC_BAD_INPUT, "number %zu of the %s names point %d; there are %zu points",
                            i / size, what, (int)indices[i], point_count);
    return TAC_OK;
}

static TacStatus check_points(const double *points, size_t count, TacError *error) {
    for (size_t i = 0; i < 3 * count; i++)
        if (!(fabs(points[i]) <= 1e100))
            return tac_fail(error, TAC_BAD_INPUT, "point %zu has the coordinate %g; expected at most 1e100",
                            i / 3, points[i]);
    return TAC_OK;
}

static TacStatus find_meetings(Finder *f, size_t query_count, size_t triangle_count, TacMeeting **meetings,
                               size_t *count, TacError *error) {
    TacStatus status = find_all(f, query_count, triangle_count, error);
    free(f->tree.leaves);
    free(f->tree.boxes);
    if (status != TAC_OK) {
        free(f->found);
        return status;
    }
    *meetings = f->found;
    *count = f->count;
    return TAC_OK;
}

TacStatus tac_triangle_meetings(const double *points, size_t point_count, const int32_t *triangles,
                                size_t triangle_count, size_t most, TacMeeting **meetings, size_t *count,
                                TacError *error) {
    *meetings = NULL;
    *count = 0;
    TAC_TRY(check_points(points, point_count, error));
    TAC_TRY(check_indices(triangles, triangle_count, 3, point_count, "triangles", error));
    Finder f = {.points = points, .triangles = triangles, .most = most};
    return find_meetings(&f, triangle_count, triangle_count, meetings, count, error);
}

TacStatus tac_edge_triangle_meetings(const double *points, size_t point_count, const int32_t *edges,
                                     size_t edge_count, const int32_t *triangles, size_t triangle_count,
                                     size_t most, TacMeeting **meetings, size_t *count, TacError *error) {
    *meetings = NULL;
    *count = 0;
    TAC_TRY(check_points(points, point_count, error));
    TAC_TRY(check_indices(edges, edge_count, 2, point_count, "edges", error));
    TAC_TRY(check_indices(triangles, triangle_count, 3, point_count, "triangles", error));
    Finder f = {.points = points, .triangles = triangles, .edges = edges, .most = most};
    // without edges there is nothing to ask, and no array to tell the two calls apart by
    if (edge_count == 0) return TAC_OK;
    return find_meetings(&f, edge_count, triangle_count, meetings, count, error);
}

TacStatus tac_mesh_intersections(const TacMesh *mesh, size_t most, TacMeeting **meetings, size_t *count,
                                 TacError *error) {
    *meetings = NULL;
    *count = 0;
    int32_t *triangles;
    size_t triangle_count;
    TAC_TRY(tac_mesh_surface(mesh, &triangles, &triangle_count, error));
    TacStatus status = tac_triangle_meetings(mesh->points, mesh->point_count, triangles, triangle_count, most,
                                             meetings, count, error);
    free(triangles);
    return status;
}
