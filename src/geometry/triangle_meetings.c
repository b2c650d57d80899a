// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// All meetings among many triangles. See triangle_meetings.h and tactus/ccd.h.
//
// Triangles are sorted along a Morton curve; a tree over that order, halved at each node, finds the pairs whose boxes
// overlap. Those of one hub stand together in that order, so that they leave each other out by a few nodes.
// Touches nothing but its arguments.

#include "geometry/triangle_meetings.h"

#include "base/memory.h"
#include "geometry/slant.h"

#include <float.h>
#include <limits.h>

// --- boxes ------------------------------------------------------------------------------------------------

typedef struct Box {
    double low[3], high[3];
} Box;

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

static Box box_of(const double *points, const TacSlant *slant, const int32_t *corners, int corner_count) {
    Box box = empty_box();
    for (int i = 0; i < corner_count; i++) {
        TacVec3 x = tac_load3(points + 3 * (size_t)corners[i]), turned = tac_slant_turn(slant, x);
        double p[3], doubt = tac_slant_doubt(slant, x), low[3], high[3];
        tac_store3(p, turned);
        for (int k = 0; k < 3; k++) low[k] = p[k] - doubt, high[k] = p[k] + doubt;
        box_grow(&box, low, high);
    }
    return box;
}

static double largest(TacVec3 v) {
    return fmax(fabs(v.x), fmax(fabs(v.y), fabs(v.z)));
}

// The directions in which the edge ab is seen from a point: an arc of the unit sphere. It leaves its chord c by at
// most 1 - cos x <= sin^2 x = c^2 / 4, x being half its angle. Who is at an end of the edge sees it anywhere.
static Box directions_of(TacVec3 from, TacVec3 a, TacVec3 b) {
    TacVec3 ends[2] = {tac_sub(a, from), tac_sub(b, from)};
    Box box = empty_box();
    for (int i = 0; i < 2; i++) {
        double size = largest(ends[i]);
        if (!(size > 0)) return (Box){{-1, -1, -1}, {1, 1, 1}};
        // first to about 1, as squares might under- or overflow
        TacVec3 v = tac_scale(ends[i], 1 / size);
        ends[i] = tac_scale(v, 1 / tac_norm(v));
        const double p[3] = {ends[i].x, ends[i].y, ends[i].z};
        box_grow(&box, p, p);
    }
    TacVec3 chord = tac_sub(ends[1], ends[0]);
    // and what rounding may have done to numbers of about 1
    double more = 0.25 * tac_dot(chord, chord) + 32 * DBL_EPSILON;
    for (int k = 0; k < 3; k++) box.low[k] -= more, box.high[k] += more;
    return box;
}

// --- a tree of boxes --------------------------------------------------------------------------------------

enum { NOBODY = -1 };

// A point with more triangles than this is a hub. Which points are changes the cost only.
enum { HUB = 16 };

typedef struct Leaf {
    uint64_t key; // place on the Morton curve: its own, or its hub's
    uint64_t own;
    int32_t hub, number;
} Leaf;

// To what is tied to the same, nothing is looked for here.
typedef struct Ties {
    int32_t hub;  // NOBODY: none
    uint32_t kin; // 0: none
} Ties;

typedef struct Node {
    Box box;
    Ties ties; // what all below have in common
} Node;

// Over leaves[0..count): the root is node 0; a node over m leaves is followed by its left half (m/2 leaves,
// m/2 - 1 nodes) and then its right half. Leaves are no nodes: their boxes are found when asked for.
typedef struct Tree {
    size_t count;
    Leaf *leaves; // some of a list
    Node *nodes;  // count - 1
    int32_t from; // the point from which directions are seen; NOBODY: boxes of places
} Tree;

// What a call works on.
typedef struct Finder {
    const TacMeetingInput *in;
    TacMeeting *found;
    size_t count, room;
    int32_t *hub;   // of each triangle, or NOBODY
    TacSlant slant; // axes of boxes of places
} Finder;

static const int32_t *triangle_of(const Finder *f, int32_t number) {
    return f->in->triangles + 3 * (size_t)number;
}

static uint32_t kin_of(const Finder *f, int32_t number) {
    return f->in->kin ? f->in->kin[number] : 0;
}

static bool are_tied(Ties a, Ties b) {
    return (a.hub != NOBODY && a.hub == b.hub) || (a.kin && a.kin == b.kin);
}

static TacVec3 place_of(const Finder *f, int32_t point) {
    return tac_load3(f->in->points + 3 * (size_t)point);
}

static Box triangle_box(const Finder *f, int32_t from, int32_t number) {
    const int32_t *t = triangle_of(f, number);
    if (from == NOBODY) return box_of(f->in->points, &f->slant, t, 3);
    int hub = t[0] == from ? 0 : t[1] == from ? 1 : 2;
    return directions_of(place_of(f, from), place_of(f, t[(hub + 1) % 3]), place_of(f, t[(hub + 2) % 3]));
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
    if (a->hub != b->hub) return a->hub < b->hub ? -1 : 1;
    if (a->own != b->own) return a->own < b->own ? -1 : 1;
    return (a->number > b->number) - (a->number < b->number);
}

static Node leaf_node(const Finder *f, const Tree *tree, size_t leaf) {
    int32_t number = tree->leaves[leaf].number;
    return (Node){triangle_box(f, tree->from, number), {tree->leaves[leaf].hub, kin_of(f, number)}};
}

static Node fill_nodes(const Finder *f, Tree *tree, size_t node, size_t first, size_t count) {
    if (count == 1) return leaf_node(f, tree, first);
    size_t half = count / 2;
    Node a = fill_nodes(f, tree, node + 1, first, half);
    Node b = fill_nodes(f, tree, node + half, first + half, count - half);
    box_grow(&a.box, b.box.low, b.box.high);
    a.ties =
        (Ties){a.ties.hub == b.ties.hub ? a.ties.hub : NOBODY, a.ties.kin == b.ties.kin ? a.ties.kin : 0};
    tree->nodes[node] = a;
    return a;
}

// Of the triangles that the leaves name. Among places, those of a hub stand where their hub is; among directions there is
// no other.
static void build_tree(const Finder *f, Tree *tree) {
    Box all = empty_box();
    for (size_t i = 0; i < tree->count; i++) {
        Box box = triangle_box(f, tree->from, tree->leaves[i].number);
        box_grow(&all, box.low, box.high);
    }
    for (size_t i = 0; i < tree->count; i++) {
        Leaf *leaf = &tree->leaves[i];
        Box box = triangle_box(f, tree->from, leaf->number);
        leaf->hub = tree->from == NOBODY ? f->hub[leaf->number] : NOBODY;
        leaf->own = leaf->key = morton(&box, &all);
        if (leaf->hub == NOBODY) continue;
        Box at = box_of(f->in->points, &f->slant, &leaf->hub, 1);
        leaf->key = morton(&at, &all);
    }
    qsort(tree->leaves, tree->count, sizeof *tree->leaves, compare_leaves);
    fill_nodes(f, tree, 0, 0, tree->count);
}

// --- meetings ---------------------------------------------------------------------------------------------

static void load_corners(const Finder *f, const int32_t *corners, TacVec3 loaded[3]) {
    for (int i = 0; i < 3; i++) loaded[i] = place_of(f, corners[i]);
}

static bool is_corner(int32_t point, const int32_t *t) {
    return point == t[0] || point == t[1] || point == t[2];
}

static bool foreign_edge_meets(const Finder *f, int32_t a, int32_t b, const int32_t *t,
                               const TacVec3 corners[3]) {
    if (is_corner(a, t) || is_corner(b, t)) return false;
    return tac_edge_meets_triangle(place_of(f, a), place_of(f, b), corners);
}

// Do all corners lie on one side of the triangle's plane?
static bool lies_beside(const TacVec3 corners[3], const TacVec3 t[3]) {
    int side = tac_orient3d(t[0], t[1], t[2], corners[0]);
    return side && tac_orient3d(t[0], t[1], t[2], corners[1]) == side &&
           tac_orient3d(t[0], t[1], t[2], corners[2]) == side;
}

static bool foreign_triangles_meet(const Finder *f, const int32_t *s, const int32_t *t) {
    TacVec3 first[3], second[3];
    load_corners(f, s, first);
    load_corners(f, t, second);
    // most are, and need no more
    bool foreign = !is_corner(s[0], t) && !is_corner(s[1], t) && !is_corner(s[2], t);
    if (foreign && (lies_beside(first, second) || lies_beside(second, first))) return false;
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3;
        if (foreign_edge_meets(f, s[i], s[j], t, second)) return true;
        if (foreign_edge_meets(f, t[i], t[j], s, first)) return true;
    }
    return false;
}

static bool query_meets(const Finder *f, int32_t query, int32_t triangle) {
    const TacMeetingInput *in = f->in;
    if (in->counts && !in->counts(in->context, query, triangle)) return false;
    const int32_t *t = triangle_of(f, triangle);
    if (!in->edges) return foreign_triangles_meet(f, triangle_of(f, query), t);
    TacVec3 corners[3];
    load_corners(f, t, corners);
    const int32_t *edge = in->edges + 2 * (size_t)query;
    return foreign_edge_meets(f, edge[0], edge[1], t, corners);
}

static bool is_full(const Finder *f) {
    return f->in->most > 0 && f->count >= f->in->most;
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

// Everything in the tree that meets one edge, or one triangle with a smaller number; not what it is tied to.
static TacStatus find_for(Finder *f, const Tree *tree, int32_t query, const Box *box, Ties ties,
                          TacError *error) {
    Visit stack[2 * sizeof(size_t) * CHAR_BIT];
    int depth = 0;
    stack[depth++] = (Visit){0, 0, tree->count};
    while (depth > 0 && !is_full(f)) {
        Visit v = stack[--depth];
        Node leaf;
        if (v.count == 1) leaf = leaf_node(f, tree, v.first);
        const Node *node = v.count == 1 ? &leaf : &tree->nodes[v.node];
        if (are_tied(ties, node->ties) || !boxes_overlap(box, &node->box)) continue;
        if (v.count > 1) {
            size_t half = v.count / 2;
            stack[depth++] = (Visit){v.node + half, v.first + half, v.count - half};
            stack[depth++] = (Visit){v.node + 1, v.first, half};
            continue;
        }
        int32_t triangle = tree->leaves[v.first].number;
        if (!f->in->edges && triangle <= query) continue;
        if (query_meets(f, query, triangle)) TAC_TRY(keep_meeting(f, query, triangle, error));
    }
    return TAC_OK;
}

static TacStatus find_among_places(Finder *f, const Tree *tree, TacError *error) {
    const TacMeetingInput *in = f->in;
    const int32_t *corners = in->edges ? in->edges : in->triangles;
    size_t queries = in->edges ? in->edge_count : in->triangle_count, size = in->edges ? 2 : 3;
    for (size_t i = 0; i < queries && !is_full(f); i++) {
        Box box = box_of(in->points, &f->slant, corners + size * i, (int)size);
        Ties ties = in->edges ? (Ties){NOBODY, 0} : (Ties){f->hub[i], kin_of(f, (int32_t)i)};
        TAC_TRY(find_for(f, tree, (int32_t)i, &box, ties, error));
    }
    return TAC_OK;
}

// Those of each hub with each other. They stand together among the leaves, which are sorted anew within; a tree of some
// of them fits into that of all.
static TacStatus find_among_directions(Finder *f, Tree *all, TacError *error) {
    size_t end;
    for (size_t first = 0; first < all->count && !is_full(f); first = end) {
        int32_t hub = all->leaves[first].hub;
        for (end = first + 1; end < all->count && all->leaves[end].hub == hub;) end++;
        if (hub == NOBODY) continue;
        Tree tree = {end - first, all->leaves + first, all->nodes, hub};
        build_tree(f, &tree);
        for (size_t i = 0; i < tree.count && !is_full(f); i++) {
            int32_t number = tree.leaves[i].number;
            Box box = triangle_box(f, hub, number);
            TAC_TRY(find_for(f, &tree, number, &box, (Ties){NOBODY, kin_of(f, number)}, error));
        }
    }
    return TAC_OK;
}

// The corner with the most triangles, where these are many.
static TacStatus find_hubs(Finder *f, TacError *error) {
    const TacMeetingInput *in = f->in;
    for (size_t i = 0; i < in->triangle_count; i++) f->hub[i] = NOBODY;
    if (in->edges) return TAC_OK;
    int32_t *uses = calloc(in->point_count, sizeof *uses);
    if (!uses) return tac_fail_memory(error, in->point_count * sizeof *uses);
    for (size_t i = 0; i < 3 * in->triangle_count; i++)
        if (uses[in->triangles[i]] < INT32_MAX) uses[in->triangles[i]]++;
    for (size_t i = 0; i < in->triangle_count; i++) {
        int32_t most = HUB;
        for (int k = 0; k < 3; k++) {
            int32_t point = in->triangles[3 * i + (size_t)k];
            if (uses[point] > most) most = uses[point], f->hub[i] = point;
        }
    }
    free(uses);
    return TAC_OK;
}

static int compare_meetings(const void *left, const void *right) {
    const TacMeeting *a = left, *b = right;
    if (a->first != b->first) return a->first < b->first ? -1 : 1;
    return (a->second > b->second) - (a->second < b->second);
}

static void find_slant(Finder *f) {
    TacSlantSum sum = {0};
    for (size_t i = 0; i < f->in->triangle_count; i++) {
        const int32_t *t = triangle_of(f, (int32_t)i);
        for (int k = 0; k < 3; k++) tac_slant_add(&sum, place_of(f, t[k]), place_of(f, t[(k + 1) % 3]));
    }
    f->slant = tac_slant_of(&sum);
}

static TacStatus find_in(Finder *f, Tree *tree, TacError *error) {
    find_slant(f);
    TAC_TRY(find_hubs(f, error));
    for (size_t i = 0; i < tree->count; i++) tree->leaves[i].number = (int32_t)i;
    build_tree(f, tree);
    TAC_TRY(find_among_places(f, tree, error));
    TAC_TRY(find_among_directions(f, tree, error));
    if (f->count > 1) qsort(f->found, f->count, sizeof *f->found, compare_meetings);
    return TAC_OK;
}

static TacStatus find_all(Finder *f, TacError *error) {
    size_t n = f->in->triangle_count;
    if (n == 0 || (f->in->edges && f->in->edge_count == 0)) return TAC_OK;
    f->hub = malloc(n * sizeof *f->hub);
    Tree tree = {n, malloc(n * sizeof *tree.leaves), malloc(n * sizeof *tree.nodes), NOBODY};
    TacStatus status = f->hub && tree.leaves && tree.nodes ? find_in(f, &tree, error)
                                                           : tac_fail_memory(error, n * sizeof *tree.nodes);
    free(f->hub);
    free(tree.leaves);
    free(tree.nodes);
    return status;
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

TacStatus tac_meetings(const TacMeetingInput *input, TacMeeting **meetings, size_t *count, TacError *error) {
    *meetings = NULL;
    *count = 0;
    TAC_TRY(check_points(input->points, input->point_count, error));
    TAC_TRY(check_indices(input->edges, input->edges ? input->edge_count : 0, 2, input->point_count, "edges",
                          error));
    TAC_TRY(
        check_indices(input->triangles, input->triangle_count, 3, input->point_count, "triangles", error));
    Finder f = {.in = input};
    TacStatus status = find_all(&f, error);
    if (status != TAC_OK) {
        free(f.found);
        return status;
    }
    *meetings = f.found;
    *count = f.count;
    return TAC_OK;
}

TacStatus tac_triangle_meetings(const double *points, size_t point_count, const int32_t *triangles,
                                size_t triangle_count, size_t most, TacMeeting **meetings, size_t *count,
                                TacError *error) {
    TacMeetingInput input = {.points = points,
                             .point_count = point_count,
                             .triangles = triangles,
                             .triangle_count = triangle_count,
                             .most = most};
    return tac_meetings(&input, meetings, count, error);
}

TacStatus tac_edge_triangle_meetings(const double *points, size_t point_count, const int32_t *edges,
                                     size_t edge_count, const int32_t *triangles, size_t triangle_count,
                                     size_t most, TacMeeting **meetings, size_t *count, TacError *error) {
    static const int32_t none[2];
    TacMeetingInput input = {.points = points,
                             .point_count = point_count,
                             // no list at all would mean triangles
                             .edges = edges ? edges : none,
                             .edge_count = edge_count,
                             .triangles = triangles,
                             .triangle_count = triangle_count,
                             .most = most};
    return tac_meetings(&input, meetings, count, error);
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
