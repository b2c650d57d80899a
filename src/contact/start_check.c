// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Ill-posed starts. See start_check.h. A tree of boxes finds what is near, closest points how near, exact
// predicates what intersects. Touches nothing but its arguments.

#include "contact/start_check.h"

#include "base/memory.h"
#include "geometry/closest.h"
#include "geometry/moving_tree.h"
#include "geometry/slant.h"
#include "geometry/triangle_meetings.h"

#include <stdio.h>

// Intersections that are looked for before saying "as many or more".
enum { MOST_MEETINGS = 100000 };

enum { KINDS = TAC_AUDIT_TRIANGLE + 1 };

// A vertex, an edge or a triangle. They are not kept, but told from their numbers: all of a kind are counted through, skin
// after skin.
typedef struct Primitive {
    TacAuditName name;
    double radius;
    bool ball;
} Primitive;

typedef struct Check {
    const TacStartInput *input;
    TacStartReport *report;
    size_t *first[KINDS];       // of each skin, and one past the last
    bool *touches;              // skin by skin
    bool *balls;                // per vertex: no edge nor triangle of its skin uses it
    bool *used;                 // by an edge or a triangle of the skin at hand, for each point
    float *radii;               // the largest around each point
    TacSlant slant;             // axes of boxes
    TacMovingTree points;       // boxes, which do not move
    TacMovingTree trees[KINDS]; // hulls of them; not all at once
    uint32_t *hulls[KINDS];     // their corners
} Check;

static TacVec3 place(const Check *check, int32_t point) {
    return tac_load3(check->input->points + 3 * (size_t)point);
}

static int size_of(TacAuditKind kind) {
    return 1 + (int)kind;
}

static bool may_meet(const Check *check, const TacAuditName *a, const TacAuditName *b) {
    const uint32_t *bodies = check->input->bodies;
    uint32_t body = tac_audit_body(bodies, a->points, size_of(a->kind));
    if (body && body == tac_audit_body(bodies, b->points, size_of(b->kind))) return false;
    return check->touches[a->skin * check->input->skin_count + b->skin];
}

// --- what is refused --------------------------------------------------------------------------------------

static bool name_before(const TacAuditName *a, const TacAuditName *b, bool *same) {
    const size_t left[] = {a->skin, a->kind, a->element}, right[] = {b->skin, b->kind, b->element};
    *same = false;
    for (int i = 0; i < 3; i++)
        if (left[i] != right[i]) return left[i] < right[i];
    *same = true;
    return false;
}

static bool comes_before(const TacStartPair *a, const TacStartPair *b) {
    bool same;
    if (a->intersects != b->intersects) return a->intersects;
    bool before = name_before(&a->first, &b->first, &same);
    if (!same) return before;
    return name_before(&a->second, &b->second, &same);
}

static bool is_nearer(const TacStartPair *a, const TacStartPair *b) {
    return a->distance != b->distance ? a->distance < b->distance : comes_before(a, b);
}

// The list stays sorted; what falls off its end is only counted.
void tac_start_note(TacStartReport *report, const TacStartPair *pair) {
    if (!report->pairs++ || is_nearer(pair, &report->nearest)) report->nearest = *pair;
    report->intersecting += pair->intersects;
    report->largest = fmin(report->largest, fmax(0, pair->distance));
    size_t at = report->listed;
    while (at > 0 && comes_before(pair, &report->first[at - 1])) at--;
    if (at == TAC_START_LISTED) return;
    if (report->listed < TAC_START_LISTED) report->listed++;
    for (size_t i = report->listed - 1; i > at; i--) report->first[i] = report->first[i - 1];
    report->first[at] = *pair;
}

// --- near pairs -------------------------------------------------------------------------------------------

// Do the two make a pair that contact watches? a's kind is not above b's.
static bool is_pair(const Primitive *a, const Primitive *b) {
    TacAuditKind first = a->name.kind, second = b->name.kind;
    if (first == TAC_AUDIT_EDGE) return second == TAC_AUDIT_EDGE;
    if (first != TAC_AUDIT_VERTEX) return false;
    if (second == TAC_AUDIT_TRIANGLE) return true;
    return a->ball && (second == TAC_AUDIT_EDGE || b->ball) && a->radius + b->radius > 0;
}

static double square_distance(const Check *check, const TacAuditName *a, const TacAuditName *b) {
    TacVec3 x[3], y[3];
    double w[3];
    for (int i = 0; i < size_of(a->kind); i++) x[i] = place(check, a->points[i]);
    for (int i = 0; i < size_of(b->kind); i++) y[i] = place(check, b->points[i]);
    if (a->kind == TAC_AUDIT_EDGE) return tac_closest_edges(x[0], x[1], y[0], y[1], &w[0], &w[1]);
    if (b->kind == TAC_AUDIT_TRIANGLE) return tac_closest_point_triangle(x[0], y[0], y[1], y[2], w);
    return tac_closest_point_segment(x[0], y[0], b->kind == TAC_AUDIT_EDGE ? y[1] : y[0], w);
}

static void look_at(Check *check, Primitive a, Primitive b) {
    if (!may_meet(check, &a.name, &b.name) || !is_pair(&a, &b)) return;
    double distance = sqrt(square_distance(check, &a.name, &b.name)) - (a.radius + b.radius);
    if (distance <= check->input->thickness)
        tac_start_note(check->report, &(TacStartPair){a.name, b.name, fmax(0, distance), false});
}

static const int32_t *corners_of(const TacAuditSkin *skin, TacAuditKind kind) {
    return kind == TAC_AUDIT_VERTEX ? skin->vertices : kind == TAC_AUDIT_EDGE ? skin->edges : skin->triangles;
}

static size_t count_of(const TacAuditSkin *skin, TacAuditKind kind) {
    return kind == TAC_AUDIT_VERTEX ? skin->vertex_count
           : kind == TAC_AUDIT_EDGE ? skin->edge_count
                                    : skin->triangle_count;
}

static size_t all_of(const Check *check, TacAuditKind kind) {
    return check->first[kind][check->input->skin_count];
}

static Primitive primitive_of(const Check *check, TacAuditKind kind, size_t number) {
    const size_t *first = check->first[kind];
    size_t skin = 0, end = check->input->skin_count;
    while (end - skin > 1) {
        size_t middle = skin + (end - skin) / 2;
        if (first[middle] <= number)
            skin = middle;
        else
            end = middle;
    }
    const TacAuditSkin *s = &check->input->skins[skin];
    size_t element = number - first[skin], size = (size_t)size_of(kind);
    bool vertex = kind == TAC_AUDIT_VERTEX;
    Primitive p = {{kind, skin, element, {-1, -1, -1}},
                   vertex && s->radii ? s->radii[element] : s->radius,
                   vertex && check->balls[number]};
    memcpy(p.name.points, corners_of(s, kind) + size * element, size * sizeof(int32_t));
    return p;
}

static void find_slant(Check *check) {
    TacSlantSum sum = {0};
    for (size_t s = 0; s < check->input->skin_count; s++) {
        const TacAuditSkin *skin = &check->input->skins[s];
        for (size_t i = 0; i < skin->edge_count; i++)
            tac_slant_add(&sum, place(check, skin->edges[2 * i]), place(check, skin->edges[2 * i + 1]));
    }
    check->slant = tac_slant_of(&sum);
}

static TacStatus make_points(Check *check, TacError *error) {
    size_t n = check->input->point_count;
    TAC_TRY(tac_moving_tree_create(&check->points, 6, n, error));
    check->points.kin = check->input->bodies;
    for (size_t i = 0; i < n; i++) {
        TacDop box = tac_dop_empty();
        TacVec3 x = place(check, (int32_t)i);
        tac_dop_add_ball(&box, check->points.k, tac_slant_turn(&check->slant, x),
                         (double)check->radii[i] + 0.5 * check->input->thickness +
                             tac_slant_doubt(&check->slant, x));
        tac_moving_tree_set(&check->points, (uint32_t)i, &(TacMovingBox){{box, box}});
    }
    return TAC_OK;
}

// A vertex is the hull of a point and itself.
static TacStatus make_tree(Check *check, TacAuditKind kind, TacError *error) {
    TacMovingTree *tree = &check->trees[kind];
    size_t n = all_of(check, kind), size = (size_t)size_of(kind), each = size > 1 ? size : 2, at = 0;
    uint32_t *hulls = check->hulls[kind] = malloc((each * n + 1) * sizeof *hulls);
    if (!hulls) return tac_fail_memory(error, each * n * sizeof *hulls);
    for (size_t s = 0; s < check->input->skin_count; s++) {
        const TacAuditSkin *skin = &check->input->skins[s];
        const int32_t *list = corners_of(skin, kind);
        for (size_t i = 0; i < count_of(skin, kind); i++)
            for (size_t k = 0; k < each; k++) hulls[at++] = (uint32_t)list[size * i + (k < size ? k : 0)];
    }
    TAC_TRY(tac_moving_tree_create_hulls(tree, &check->points, each, hulls, each, n, error));
    tac_moving_tree_shape(tree, NULL);
    return TAC_OK;
}

static void free_tree(Check *check, int kind) {
    tac_moving_tree_destroy(&check->trees[kind]);
    free(check->hulls[kind]);
    check->hulls[kind] = NULL;
}

// Two kinds of which pairs are looked at.
typedef struct Kinds {
    Check *check;
    TacAuditKind first, second;
} Kinds;

static void meet(void *data, size_t part, uint32_t leaf, uint32_t other) {
    (void)part;
    const Kinds *kinds = data;
    bool turns = kinds->first == kinds->second && leaf > other;
    look_at(kinds->check, primitive_of(kinds->check, kinds->first, turns ? other : leaf),
            primitive_of(kinds->check, kinds->second, turns ? leaf : other));
}

static void look_through(Check *check, TacAuditKind first, TacAuditKind second) {
    Kinds kinds = {check, first, second};
    tac_moving_tree_join(&check->trees[first], &check->trees[second], NULL, meet, &kinds);
}

// What shares a point is no pair: hulls that do are not told of.
static TacStatus find_near(Check *check, TacError *error) {
    bool balls = false;
    for (size_t i = 0; i < all_of(check, TAC_AUDIT_VERTEX); i++) balls = balls || check->balls[i];
    find_slant(check);
    TAC_TRY(make_points(check, error));
    TAC_TRY(make_tree(check, TAC_AUDIT_VERTEX, error));
    TAC_TRY(make_tree(check, TAC_AUDIT_TRIANGLE, error));
    look_through(check, TAC_AUDIT_VERTEX, TAC_AUDIT_TRIANGLE);
    free_tree(check, TAC_AUDIT_TRIANGLE);
    TAC_TRY(make_tree(check, TAC_AUDIT_EDGE, error));
    look_through(check, TAC_AUDIT_EDGE, TAC_AUDIT_EDGE);
    if (balls) {
        look_through(check, TAC_AUDIT_VERTEX, TAC_AUDIT_VERTEX);
        look_through(check, TAC_AUDIT_VERTEX, TAC_AUDIT_EDGE);
    }
    return TAC_OK;
}

// --- intersections ----------------------------------------------------------------------------------------

// One list of all triangles, and one of all edges that no triangle of their skin has, with their numbers.
typedef struct Lists {
    int32_t *triangles, *edges;
    uint32_t *bodies; // of triangles
    uint32_t *edge_numbers;
    bool *bare; // room for all edges of a skin
    size_t edge_count;
} Lists;

static TacStatus fill_lists(const Check *check, Lists *lists, TacError *error) {
    for (size_t s = 0; s < check->input->skin_count; s++) {
        const TacAuditSkin *skin = &check->input->skins[s];
        size_t triangle = check->first[TAC_AUDIT_TRIANGLE][s], edge = check->first[TAC_AUDIT_EDGE][s];
        for (size_t i = 0; i < skin->triangle_count; i++) {
            const int32_t *corners = skin->triangles + 3 * i;
            memcpy(lists->triangles + 3 * (triangle + i), corners, 3 * sizeof *corners);
            lists->bodies[triangle + i] = tac_audit_body(check->input->bodies, corners, 3);
        }
        TAC_TRY(tac_audit_bare_edges(skin, lists->bare, error));
        for (size_t i = 0; i < skin->edge_count; i++) {
            if (!lists->bare[i]) continue;
            memcpy(lists->edges + 2 * lists->edge_count, skin->edges + 2 * i, 2 * sizeof *skin->edges);
            lists->edge_numbers[lists->edge_count++] = (uint32_t)(edge + i);
        }
    }
    return TAC_OK;
}

// What is asked whether it meets triangles: all of a kind, or those that a list names.
typedef struct Asked {
    const Check *check;
    TacAuditKind kind;
    const uint32_t *numbers; // NULL: all
} Asked;

static TacAuditName asked_name(const Asked *asked, int32_t number) {
    size_t n = asked->numbers ? asked->numbers[number] : (size_t)number;
    return primitive_of(asked->check, asked->kind, n).name;
}

static TacAuditName triangle_name(const Asked *asked, int32_t number) {
    return primitive_of(asked->check, TAC_AUDIT_TRIANGLE, (size_t)number).name;
}

// What may meet must not fill the list of those who may not.
static bool meeting_counts(void *context, int32_t first, int32_t second) {
    const Asked *asked = context;
    TacAuditName a = asked_name(asked, first), b = triangle_name(asked, second);
    return may_meet(asked->check, &a, &b);
}

static TacStatus refuse_meetings(const Asked *asked, TacMeetingInput *input, TacError *error) {
    TacMeeting *meetings;
    size_t count;
    input->most = MOST_MEETINGS;
    input->counts = meeting_counts;
    input->context = (void *)asked;
    TAC_TRY(tac_meetings(input, &meetings, &count, error));
    for (size_t i = 0; i < count; i++)
        tac_start_note(asked->check->report,
                       &(TacStartPair){asked_name(asked, meetings[i].first),
                                       triangle_name(asked, meetings[i].second), 0, true});
    free(meetings);
    return TAC_OK;
}

static TacStatus find_meetings(Check *check, const Lists *lists, TacError *error) {
    const TacStartInput *in = check->input;
    TacMeetingInput input = {.points = in->points,
                             .point_count = in->point_count,
                             .triangles = lists->triangles,
                             .triangle_count = all_of(check, TAC_AUDIT_TRIANGLE),
                             .kin = lists->bodies};
    TAC_TRY(refuse_meetings(&(Asked){check, TAC_AUDIT_TRIANGLE, NULL}, &input, error));
    input.edges = lists->edges;
    input.edge_count = lists->edge_count;
    return refuse_meetings(&(Asked){check, TAC_AUDIT_EDGE, lists->edge_numbers}, &input, error);
}

static TacStatus find_intersections(Check *check, TacError *error) {
    size_t triangles = all_of(check, TAC_AUDIT_TRIANGLE) + 1, edges = all_of(check, TAC_AUDIT_EDGE) + 1;
    Lists lists = {.triangles = malloc(3 * triangles * sizeof(int32_t)),
                   .edges = malloc(2 * edges * sizeof(int32_t)),
                   .bodies = malloc(triangles * sizeof(uint32_t)),
                   .edge_numbers = malloc(edges * sizeof(uint32_t)),
                   .bare = malloc(edges * sizeof(bool))};
    TacStatus status = TAC_OK;
    if (!lists.triangles || !lists.edges || !lists.bodies || !lists.edge_numbers || !lists.bare)
        status = tac_fail_memory(error, 3 * (triangles + edges) * sizeof(int32_t));
    if (status == TAC_OK) status = fill_lists(check, &lists, error);
    if (status == TAC_OK) status = find_meetings(check, &lists, error);
    free(lists.triangles);
    free(lists.edges);
    free(lists.bodies);
    free(lists.edge_numbers);
    free(lists.bare);
    return status;
}

// --- making -----------------------------------------------------------------------------------------------

static TacStatus count_list(Check *check, size_t skin, TacAuditKind kind, TacError *error) {
    const TacAuditSkin *s = &check->input->skins[skin];
    const int32_t *list = corners_of(s, kind);
    size_t count = count_of(s, kind), size = (size_t)size_of(kind);
    if (!(s->radius >= 0 && isfinite(s->radius)))
        return tac_fail(error, TAC_BAD_USAGE, "skin %zu has a radius below 0 or not finite", skin);
    if (count > INT32_MAX - check->first[kind][skin])
        return tac_fail(error, TAC_BAD_USAGE, "skin %zu has too many vertices, edges or triangles", skin);
    check->first[kind][skin + 1] = check->first[kind][skin] + count;
    for (size_t i = 0; i < size * count; i++) {
        if (list[i] < 0 || (size_t)list[i] >= check->input->point_count)
            return tac_fail(error, TAC_BAD_USAGE, "skin %zu names point %d; there are %zu", skin,
                            (int)list[i], check->input->point_count);
        double radius = kind == TAC_AUDIT_VERTEX && s->radii ? s->radii[i] : s->radius;
        if (!(radius >= 0 && isfinite(radius)))
            return tac_fail(error, TAC_BAD_USAGE, "skin %zu has a radius below 0 or not finite", skin);
        float most = nextafterf((float)radius, INFINITY);
        if (most > check->radii[list[i]]) check->radii[list[i]] = most;
    }
    return TAC_OK;
}

static void mark_used(Check *check, const TacAuditSkin *skin, bool used) {
    for (size_t i = 0; i < 2 * skin->edge_count; i++) check->used[skin->edges[i]] = used;
    for (size_t i = 0; i < 3 * skin->triangle_count; i++) check->used[skin->triangles[i]] = used;
}

static TacStatus add_skin(Check *check, size_t skin, TacError *error) {
    const TacAuditSkin *s = &check->input->skins[skin];
    for (int kind = 0; kind < KINDS; kind++) TAC_TRY(count_list(check, skin, (TacAuditKind)kind, error));
    mark_used(check, s, true);
    for (size_t i = 0; i < s->vertex_count; i++)
        check->balls[check->first[TAC_AUDIT_VERTEX][skin] + i] = !check->used[s->vertices[i]];
    mark_used(check, s, false);
    return TAC_OK;
}

static TacStatus fill(Check *check, TacError *error) {
    const TacStartInput *in = check->input;
    size_t vertices = 1, n = in->skin_count;
    for (size_t i = 0; i < n; i++) vertices += in->skins[i].vertex_count;
    size_t *first = calloc(KINDS * (n + 1), sizeof *first);
    for (size_t kind = 0; kind < KINDS; kind++) check->first[kind] = first ? first + kind * (n + 1) : NULL;
    check->touches = calloc(n * n + 1, sizeof *check->touches);
    check->used = calloc(in->point_count + 1, sizeof *check->used);
    check->radii = calloc(in->point_count + 1, sizeof *check->radii);
    check->balls = calloc(vertices, sizeof *check->balls);
    if (!first || !check->touches || !check->used || !check->radii || !check->balls)
        return tac_fail_memory(error, in->point_count * sizeof *check->radii);
    for (size_t i = 0; i < n; i++) {
        TAC_TRY(add_skin(check, i, error));
        for (size_t j = 0; j <= i; j++)
            check->touches[i * n + j] = check->touches[j * n + i] =
                !in->touches || in->touches(in->context, j, i);
    }
    return TAC_OK;
}

static TacStatus check_numbers(const TacStartInput *input, TacError *error) {
    if (!(input->thickness >= 0 && isfinite(input->thickness)))
        return tac_fail(error, TAC_BAD_USAGE, "a thickness of %g m", input->thickness);
    for (size_t i = 0; i < 3 * input->point_count; i++)
        if (!isfinite(input->points[i]))
            return tac_fail(error, TAC_BAD_INPUT, "point %zu is at no finite place", i / 3);
    return TAC_OK;
}

TacStatus tac_start_check(const TacStartInput *input, TacStartReport *report, TacError *error) {
    *report = (TacStartReport){.largest = INFINITY};
    TAC_TRY(check_numbers(input, error));
    Check check = {.input = input, .report = report};
    TacStatus status = fill(&check, error);
    if (status == TAC_OK) status = find_intersections(&check, error);
    if (status == TAC_OK) status = find_near(&check, error);
    free(check.first[0]);
    free(check.touches);
    free(check.used);
    free(check.radii);
    free(check.balls);
    for (int kind = 0; kind < KINDS; kind++) free_tree(&check, kind);
    tac_moving_tree_destroy(&check.points);
    return status;
}

// --- words ------------------------------------------------------------------------------------------------

static void name_text(const TacAuditName *name, char *text, size_t size) {
    static const char *const kinds[] = {"vertex", "edge", "triangle"};
    snprintf(text, size, "%s %zu of skin %zu", kinds[name->kind], name->element, name->skin);
}

const char *tac_start_pair_text(const TacStartPair *pair, char *text, size_t size) {
    char first[96], second[96];
    name_text(&pair->first, first, sizeof first);
    name_text(&pair->second, second, sizeof second);
    if (pair->intersects)
        snprintf(text, size, "%s intersects %s", first, second);
    else
        snprintf(text, size, "%s is %.6g m from %s", first, pair->distance, second);
    return text;
}
