// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Ill-posed starts. See start_check.h. A tree of boxes finds what is near, closest points how near, exact
// predicates what intersects. Touches nothing but its arguments.

#include "contact/start_check.h"

#include "base/memory.h"
#include "geometry/closest.h"
#include "geometry/moving_tree.h"
#include "tactus/ccd.h"

#include <stdio.h>

// Intersections that are looked for before saying "as many or more".
enum { MOST_MEETINGS = 100000 };

typedef struct Primitive {
    TacAuditName name;
    double radius;
    bool ball;
} Primitive;

typedef struct Check {
    const TacStartInput *input;
    TacStartReport *report;
    Primitive *primitives;
    size_t count;
    bool *touches;      // skin by skin
    bool *used;         // by an edge or a triangle of the skin at hand, for each point
    TacMovingTree tree; // of the primitives, which do not move
    TacIds neighbours;  // what may be near the primitive at hand
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

// The list stays sorted; what falls off its end is only counted.
static void refuse(TacStartReport *report, const TacStartPair *pair) {
    report->pairs++;
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

static bool share_a_point(const TacAuditName *a, const TacAuditName *b) {
    for (int i = 0; i < size_of(a->kind); i++)
        for (int j = 0; j < size_of(b->kind); j++)
            if (a->points[i] == b->points[j]) return true;
    return false;
}

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

static void look_at(Check *check, const Primitive *a, const Primitive *b) {
    if (a->name.kind > b->name.kind) {
        const Primitive *c = a;
        a = b;
        b = c;
    }
    if (!may_meet(check, &a->name, &b->name) || !is_pair(a, b) || share_a_point(&a->name, &b->name)) return;
    double distance = sqrt(square_distance(check, &a->name, &b->name)) - (a->radius + b->radius);
    if (distance <= check->input->thickness)
        refuse(check->report, &(TacStartPair){a->name, b->name, fmax(0, distance), false});
}

static void set_box(Check *check, size_t primitive) {
    const Primitive *p = &check->primitives[primitive];
    TacDop box = tac_dop_empty();
    for (int k = 0; k < size_of(p->name.kind); k++)
        tac_dop_add_ball(&box, check->tree.k, place(check, p->name.points[k]),
                         p->radius + 0.5 * check->input->thickness);
    tac_moving_tree_set(&check->tree, (uint32_t)primitive, &(TacMovingBox){{box, box}});
}

static TacStatus find_near(Check *check, TacError *error) {
    TAC_TRY(tac_moving_tree_create(&check->tree, 6, check->count, error));
    for (size_t i = 0; i < check->count; i++) set_box(check, i);
    tac_moving_tree_shape(&check->tree, NULL);
    for (size_t i = 0; i < check->count; i++) {
        check->neighbours.count = 0;
        TAC_TRY(tac_moving_tree_find(&check->tree, &check->tree, (uint32_t)i, &check->neighbours, error));
        for (size_t j = 0; j < check->neighbours.count; j++) {
            size_t other = (size_t)check->neighbours.ids[j];
            if (other > i) look_at(check, &check->primitives[i], &check->primitives[other]);
        }
    }
    return TAC_OK;
}

// --- intersections ----------------------------------------------------------------------------------------

// One list of all triangles, and one of all edges of skins that have none, with their primitives.
typedef struct Lists {
    int32_t *triangles, *edges;
    size_t *triangle_owner, *edge_owner;
    size_t triangle_count, edge_count;
} Lists;

static void fill_lists(const Check *check, Lists *lists) {
    for (size_t i = 0; i < check->count; i++) {
        const TacAuditName *name = &check->primitives[i].name;
        if (name->kind == TAC_AUDIT_TRIANGLE) {
            memcpy(lists->triangles + 3 * lists->triangle_count, name->points, 3 * sizeof(int32_t));
            lists->triangle_owner[lists->triangle_count++] = i;
        }
        if (name->kind == TAC_AUDIT_EDGE && !check->input->skins[name->skin].triangle_count) {
            memcpy(lists->edges + 2 * lists->edge_count, name->points, 2 * sizeof(int32_t));
            lists->edge_owner[lists->edge_count++] = i;
        }
    }
}

static void refuse_meetings(Check *check, const size_t *first, const size_t *second, TacMeeting *meetings,
                            size_t count) {
    for (size_t i = 0; i < count; i++) {
        const TacAuditName *a = &check->primitives[first[meetings[i].first]].name;
        const TacAuditName *b = &check->primitives[second[meetings[i].second]].name;
        if (may_meet(check, a, b)) refuse(check->report, &(TacStartPair){*a, *b, 0, true});
    }
    free(meetings);
}

static TacStatus find_meetings(Check *check, const Lists *lists, TacError *error) {
    const TacStartInput *in = check->input;
    TacMeeting *meetings = NULL;
    size_t count = 0;
    TAC_TRY(tac_triangle_meetings(in->points, in->point_count, lists->triangles, lists->triangle_count,
                                  MOST_MEETINGS, &meetings, &count, error));
    refuse_meetings(check, lists->triangle_owner, lists->triangle_owner, meetings, count);
    TAC_TRY(tac_edge_triangle_meetings(in->points, in->point_count, lists->edges, lists->edge_count,
                                       lists->triangles, lists->triangle_count, MOST_MEETINGS, &meetings,
                                       &count, error));
    refuse_meetings(check, lists->edge_owner, lists->triangle_owner, meetings, count);
    return TAC_OK;
}

static TacStatus find_intersections(Check *check, TacError *error) {
    size_t room = check->count ? check->count : 1;
    Lists lists = {malloc(3 * room * sizeof(int32_t)),
                   malloc(2 * room * sizeof(int32_t)),
                   malloc(room * sizeof(size_t)),
                   malloc(room * sizeof(size_t)),
                   0,
                   0};
    TacStatus status = TAC_OK;
    if (lists.triangles && lists.edges && lists.triangle_owner && lists.edge_owner) {
        fill_lists(check, &lists);
        status = find_meetings(check, &lists, error);
    } else
        status = tac_fail_memory(error, 4 * room * sizeof(size_t));
    free(lists.triangles);
    free(lists.edges);
    free(lists.triangle_owner);
    free(lists.edge_owner);
    return status;
}

// --- making -----------------------------------------------------------------------------------------------

static TacStatus add_list(Check *check, size_t skin, TacAuditKind kind, const int32_t *list, size_t count,
                          TacError *error) {
    const TacAuditSkin *s = &check->input->skins[skin];
    for (size_t i = 0; i < count; i++) {
        Primitive *p = &check->primitives[check->count++];
        *p = (Primitive){{kind, skin, i, {-1, -1, -1}}, s->radius, false};
        if (kind == TAC_AUDIT_VERTEX && s->radii) p->radius = s->radii[i];
        for (int k = 0; k < size_of(kind); k++) {
            int32_t point = list[i * (size_t)size_of(kind) + (size_t)k];
            if (point < 0 || (size_t)point >= check->input->point_count)
                return tac_fail(error, TAC_BAD_USAGE, "skin %zu names point %d; there are %zu", skin,
                                (int)point, check->input->point_count);
            p->name.points[k] = point;
        }
        if (!(p->radius >= 0 && isfinite(p->radius)))
            return tac_fail(error, TAC_BAD_USAGE, "skin %zu has a radius below 0 or not finite", skin);
    }
    return TAC_OK;
}

static void mark_used(Check *check, const TacAuditSkin *skin, bool used) {
    for (size_t i = 0; i < 2 * skin->edge_count; i++) check->used[skin->edges[i]] = used;
    for (size_t i = 0; i < 3 * skin->triangle_count; i++) check->used[skin->triangles[i]] = used;
}

static TacStatus add_skin(Check *check, size_t skin, TacError *error) {
    const TacAuditSkin *s = &check->input->skins[skin];
    size_t first = check->count;
    TAC_TRY(add_list(check, skin, TAC_AUDIT_VERTEX, s->vertices, s->vertex_count, error));
    TAC_TRY(add_list(check, skin, TAC_AUDIT_EDGE, s->edges, s->edge_count, error));
    TAC_TRY(add_list(check, skin, TAC_AUDIT_TRIANGLE, s->triangles, s->triangle_count, error));
    mark_used(check, s, true);
    for (size_t i = 0; i < s->vertex_count; i++)
        check->primitives[first + i].ball = !check->used[s->vertices[i]];
    mark_used(check, s, false);
    return TAC_OK;
}

static TacStatus fill(Check *check, TacError *error) {
    const TacStartInput *in = check->input;
    size_t room = 1, n = in->skin_count;
    for (size_t i = 0; i < n; i++)
        room += in->skins[i].vertex_count + in->skins[i].edge_count + in->skins[i].triangle_count;
    check->primitives = calloc(room, sizeof *check->primitives);
    check->touches = calloc(n * n + 1, sizeof *check->touches);
    check->used = calloc(in->point_count + 1, sizeof *check->used);
    if (!check->primitives || !check->touches || !check->used)
        return tac_fail_memory(error, room * sizeof *check->primitives);
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
    free(check.primitives);
    free(check.touches);
    free(check.used);
    tac_moving_tree_destroy(&check.tree);
    free(check.neighbours.ids);
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
