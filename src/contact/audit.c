// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// The audit. See audit.h for what is promised and why it holds. What it is told goes into one growing list of
// breaks; at the end of a window these are sorted by point, the grid (audit_near.h) finds primitives whose
// swept boxes overlap, and each pair is asked about, spans of time being halved where one question does not
// do. Touches nothing but its arguments.

#include "contact/audit.h"

#include "base/memory.h"
#include "contact/audit_near.h"
#include "contact/audit_paths.h"
#include "geometry/closest.h"
#include "geometry/triangle_meetings.h"
#include "tactus/ccd.h"

#include <stdio.h>

// Spans put aside: one for each halving, and a double does not bear many.
enum { SPANS = 128 };
// Spans of one pair in one window before it counts as in doubt, and cells for a question that needs many.
enum { MOST_SPANS = 200000, MANY_CELLS = 1000000 };
// Offsets below this part of the size are no reason to halve any further.
static const double SMALL_OFFSET = 0x1p-40;

typedef struct Primitive {
    int32_t points[3]; // the rest repeat the first
    uint8_t kind;
    bool ball;
    double radius;
    size_t skin, element;
    uint32_t body; // 0: none
} Primitive;

typedef struct PointBreak {
    TacAuditBreak at;
    int32_t point;
} PointBreak;

struct TacAudit {
    size_t point_count, skin_count, primitive_count;
    Primitive *primitives;
    bool *touches; // skin by skin
    TacVec3 gravity;
    double reach;
    double time; // the window's begin
    bool started;
    TacAuditBreak *begin, *last; // of each point in this window
    size_t *first;               // of each point's breaks in a window; one more
    size_t *next;                // where its next one goes
    TacAuditBox *swept, *boxes;
    TacAuditOffsets *whole; // of each point over the window
    PointBreak *told;
    size_t told_count, told_room;
    TacAuditBreak *breaks;
    size_t break_room;
    size_t *first_block; // of each point's blocks in a window; one more
    TacAuditBlock *blocks;
    size_t block_room;
    TacAuditCurve *curves;
    size_t curve_count, curve_room;
    TacAuditViolation *found; // of this window
    size_t found_count, found_room;
    int32_t *triangles, *edges; // of all skins, for frames
    size_t *triangle_owner, *edge_owner;
    size_t triangle_count, edge_count;
    TacAuditReport report;
};

// --- making -----------------------------------------------------------------------------------------------

static const int SIZES[3] = {1, 2, 3};

static TacStatus check_list(const TacAuditInput *input, size_t skin, const int32_t *list, size_t count,
                            TacError *error) {
    for (size_t i = 0; i < count; i++)
        if (list[i] < 0 || (size_t)list[i] >= input->point_count)
            return tac_fail(error, TAC_BAD_USAGE, "skin %zu names point %d; there are %zu", skin,
                            (int)list[i], input->point_count);
    return TAC_OK;
}

static TacStatus check_skin(const TacAuditInput *input, size_t skin, TacError *error) {
    const TacAuditSkin *s = &input->skins[skin];
    TAC_TRY(check_list(input, skin, s->vertices, s->vertex_count, error));
    TAC_TRY(check_list(input, skin, s->edges, 2 * s->edge_count, error));
    TAC_TRY(check_list(input, skin, s->triangles, 3 * s->triangle_count, error));
    bool good = s->radius >= 0 && isfinite(s->radius);
    for (size_t i = 0; s->radii && i < s->vertex_count; i++)
        good = good && s->radii[i] >= 0 && isfinite(s->radii[i]);
    return good ? TAC_OK
                : tac_fail(error, TAC_BAD_USAGE, "skin %zu has a radius below 0 or not finite", skin);
}

static void add_primitives(TacAudit *audit, const TacAuditInput *input, size_t number, TacAuditKind kind,
                           const int32_t *list, size_t count) {
    const TacAuditSkin *skin = &input->skins[number];
    for (size_t i = 0; i < count; i++) {
        Primitive *p = &audit->primitives[audit->primitive_count++];
        const int32_t *points = list + i * (size_t)SIZES[kind];
        *p = (Primitive){{points[0], points[0], points[0]}, (uint8_t)kind, false, skin->radius, number, i, 0};
        p->body = tac_audit_body(input->bodies, points, SIZES[kind]);
        for (int k = 1; k < SIZES[kind]; k++) p->points[k] = points[k];
        if (kind == TAC_AUDIT_VERTEX && skin->radii) p->radius = skin->radii[i];
        if (kind == TAC_AUDIT_TRIANGLE) {
            memcpy(audit->triangles + 3 * audit->triangle_count, points, 3 * sizeof *points);
            audit->triangle_owner[audit->triangle_count++] = audit->primitive_count - 1;
        }
    }
}

static int compare_sides(const void *left, const void *right) {
    const uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

static uint64_t side_of(int32_t a, int32_t b) {
    return a < b ? (uint64_t)a << 32 | (uint32_t)b : (uint64_t)b << 32 | (uint32_t)a;
}

TacStatus tac_audit_bare_edges(const TacAuditSkin *skin, bool *bare, TacError *error) {
    size_t n = 3 * skin->triangle_count;
    for (size_t i = 0; i < skin->edge_count; i++) bare[i] = true;
    if (!n || !skin->edge_count) return TAC_OK;
    uint64_t *sides = malloc(n * sizeof *sides);
    if (!sides) return tac_fail_memory(error, n * sizeof *sides);
    for (size_t i = 0; i < n; i++)
        sides[i] = side_of(skin->triangles[i], skin->triangles[i % 3 == 2 ? i - 2 : i + 1]);
    qsort(sides, n, sizeof *sides, compare_sides);
    for (size_t i = 0; i < skin->edge_count; i++) {
        uint64_t side = side_of(skin->edges[2 * i], skin->edges[2 * i + 1]);
        bare[i] = !bsearch(&side, sides, n, sizeof *sides, compare_sides);
    }
    free(sides);
    return TAC_OK;
}

// Of a skin whose edges begin at a number: those that are asked on frames.
static TacStatus add_bare_edges(TacAudit *audit, const TacAuditSkin *skin, size_t first, TacError *error) {
    bool *bare = malloc(skin->edge_count + 1);
    TacStatus status =
        bare ? tac_audit_bare_edges(skin, bare, error) : tac_fail_memory(error, skin->edge_count);
    for (size_t i = 0; status == TAC_OK && i < skin->edge_count; i++) {
        if (!bare[i]) continue;
        memcpy(audit->edges + 2 * audit->edge_count, skin->edges + 2 * i, 2 * sizeof *skin->edges);
        audit->edge_owner[audit->edge_count++] = first + i;
    }
    free(bare);
    return status;
}

// Zeroed room for at least one.
static bool allocate(void *place, size_t count, size_t size) {
    void *memory = calloc(count ? count : 1, size);
    memcpy(place, &memory, sizeof memory);
    return memory != NULL;
}

static bool allocate_all(TacAudit *audit, size_t primitives, size_t edges, size_t triangles) {
    return allocate(&audit->primitives, primitives, sizeof *audit->primitives) &&
           allocate(&audit->boxes, primitives, sizeof *audit->boxes) &&
           allocate(&audit->touches, audit->skin_count * audit->skin_count, sizeof *audit->touches) &&
           allocate(&audit->begin, audit->point_count, sizeof *audit->begin) &&
           allocate(&audit->last, audit->point_count, sizeof *audit->last) &&
           allocate(&audit->next, audit->point_count, sizeof *audit->next) &&
           allocate(&audit->whole, audit->point_count, sizeof *audit->whole) &&
           allocate(&audit->swept, audit->point_count, sizeof *audit->swept) &&
           allocate(&audit->first, audit->point_count + 1, sizeof *audit->first) &&
           allocate(&audit->first_block, audit->point_count + 1, sizeof *audit->first_block) &&
           allocate(&audit->edges, 2 * edges, sizeof *audit->edges) &&
           allocate(&audit->edge_owner, edges, sizeof *audit->edge_owner) &&
           allocate(&audit->triangles, 3 * triangles, sizeof *audit->triangles) &&
           allocate(&audit->triangle_owner, triangles, sizeof *audit->triangle_owner);
}

static bool finite_vector(TacVec3 a) {
    return isfinite(a.x) && isfinite(a.y) && isfinite(a.z);
}

// Vertices of a skin that are in none of its edges and triangles. `last` is room for each point.
static void find_balls(TacAudit *audit, const TacAuditSkin *skin, size_t first) {
    for (size_t i = 0; i < 2 * skin->edge_count; i++) audit->last[skin->edges[i]].curve = 1;
    for (size_t i = 0; i < 3 * skin->triangle_count; i++) audit->last[skin->triangles[i]].curve = 1;
    for (size_t i = 0; i < skin->vertex_count; i++)
        audit->primitives[first + i].ball = !audit->last[skin->vertices[i]].curve;
    for (size_t i = 0; i < 2 * skin->edge_count; i++) audit->last[skin->edges[i]].curve = 0;
    for (size_t i = 0; i < 3 * skin->triangle_count; i++) audit->last[skin->triangles[i]].curve = 0;
}

static TacStatus make(TacAudit *audit, const TacAuditInput *input, TacError *error) {
    size_t vertices = 0, edges = 0, triangles = 0, n = input->skin_count;
    if (input->point_count >= INT32_MAX || !finite_vector(input->gravity) ||
        !(input->reach >= 0 && isfinite(input->reach)))
        return tac_fail(error, TAC_BAD_USAGE, "an audit of %zu points, or without finite gravity or reach",
                        input->point_count);
    for (size_t i = 0; i < n; i++) {
        TAC_TRY(check_skin(input, i, error));
        vertices += input->skins[i].vertex_count;
        edges += input->skins[i].edge_count;
        triangles += input->skins[i].triangle_count;
    }
    audit->point_count = input->point_count;
    audit->skin_count = n;
    audit->gravity = input->gravity;
    audit->reach = input->reach;
    audit->report.closest = INFINITY;
    size_t all = vertices + edges + triangles;
    if (!allocate_all(audit, all, edges, triangles)) return tac_fail_memory(error, all * sizeof(Primitive));
    for (size_t i = 0; i < n; i++) {
        const TacAuditSkin *s = &input->skins[i];
        size_t first = audit->primitive_count;
        add_primitives(audit, input, i, TAC_AUDIT_VERTEX, s->vertices, s->vertex_count);
        find_balls(audit, s, first);
        TAC_TRY(add_bare_edges(audit, s, audit->primitive_count, error));
        add_primitives(audit, input, i, TAC_AUDIT_EDGE, s->edges, s->edge_count);
        add_primitives(audit, input, i, TAC_AUDIT_TRIANGLE, s->triangles, s->triangle_count);
        for (size_t j = 0; j <= i; j++)
            audit->touches[i * n + j] = audit->touches[j * n + i] =
                !input->touches || input->touches(input->context, j, i);
    }
    return TAC_OK;
}

TacAudit *tac_audit_create(const TacAuditInput *input, TacError *error) {
    TacAudit *audit = calloc(1, sizeof *audit);
    if (!audit) {
        tac_fail_memory(error, sizeof *audit);
        return NULL;
    }
    if (make(audit, input, error) == TAC_OK) return audit;
    tac_audit_destroy(audit);
    return NULL;
}

void tac_audit_destroy(TacAudit *audit) {
    if (!audit) return;
    void *const owned[] = {audit->primitives, audit->touches,        audit->last,   audit->first,
                           audit->swept,      audit->boxes,          audit->told,   audit->breaks,
                           audit->curves,     audit->found,          audit->edges,  audit->triangles,
                           audit->edge_owner, audit->triangle_owner, audit->begin,  audit->whole,
                           audit->next,       audit->first_block,    audit->blocks, audit};
    for (size_t i = 0; i < TAC_COUNT(owned); i++) free(owned[i]);
}

const TacAuditReport *tac_audit_report(const TacAudit *audit) {
    return &audit->report;
}

// --- being told -------------------------------------------------------------------------------------------

TacStatus tac_audit_start(TacAudit *audit, double time, const double *positions, TacError *error) {
    if (!isfinite(time)) return tac_fail(error, TAC_BAD_USAGE, "an audit cannot start at no time");
    for (size_t i = 0; i < 3 * audit->point_count; i++)
        if (!isfinite(positions[i]))
            return tac_fail(error, TAC_FAILED, "point %zu is at no finite place at %.17g s", i / 3, time);
    for (size_t i = 0; i < audit->point_count; i++)
        audit->begin[i] = audit->last[i] = (TacAuditBreak){time, tac_load3(positions + 3 * i), -1, false};
    audit->time = time;
    audit->started = true;
    audit->told_count = audit->curve_count = 0;
    return TAC_OK;
}

static bool same_place(TacVec3 a, TacVec3 b) {
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

TacStatus tac_audit_follow(TacAudit *audit, int32_t point, double time, TacVec3 place, bool falls,
                           int32_t curve, TacError *error) {
    if (!audit->started || point < 0 || (size_t)point >= audit->point_count || curve < -1 ||
        (curve >= 0 && (size_t)curve >= audit->curve_count))
        return tac_fail(error, TAC_BAD_USAGE, "the audit knows no point %d, or no curve %d", (int)point,
                        (int)curve);
    TacAuditBreak *last = &audit->last[point];
    if (!isfinite(time) || !finite_vector(place))
        return tac_fail(error, TAC_FAILED, "point %d is at no finite place at %.17g s", (int)point, time);
    if (time == last->time && same_place(place, last->place)) return TAC_OK;
    if (!(time > last->time))
        return tac_fail(error, TAC_FAILED,
                        "point %d moved at %.17g s without time: its last break was at %.17g s", (int)point,
                        time, last->time);
    if (audit->told_count == audit->told_room &&
        !tac_grow(&audit->told, &audit->told_room, audit->told_count + 1, sizeof *audit->told))
        return tac_fail_memory(error, 2 * audit->told_room * sizeof *audit->told);
    *last = (TacAuditBreak){time, place, curve, falls};
    audit->told[audit->told_count++] = (PointBreak){*last, point};
    return TAC_OK;
}

TacStatus tac_audit_fly(TacAudit *audit, int32_t point, double time, TacVec3 place, bool falls,
                        TacError *error) {
    return tac_audit_follow(audit, point, time, place, falls, -1, error);
}

static TacStatus add_curve(TacAudit *audit, const TacAuditCurve *curve, int32_t *number, TacError *error) {
    bool good = curve->bend >= 0 && isfinite(curve->bend) && isfinite(curve->time) &&
                finite_vector(curve->centre) && finite_vector(curve->velocity) &&
                finite_vector(curve->turning) && audit->curve_count < INT32_MAX;
    if (!good) return tac_fail(error, TAC_FAILED, "a curve that is not finite");
    if (audit->curve_count == audit->curve_room &&
        !tac_grow(&audit->curves, &audit->curve_room, audit->curve_count + 1, sizeof *audit->curves))
        return tac_fail_memory(error, 2 * audit->curve_room * sizeof *audit->curves);
    *number = (int32_t)audit->curve_count;
    audit->curves[audit->curve_count++] = *curve;
    return TAC_OK;
}

TacStatus tac_audit_curve(TacAudit *audit, TacAuditPath path, void *context, double bend, int32_t *curve,
                          TacError *error) {
    if (!path) return tac_fail(error, TAC_BAD_USAGE, "a curve without a path");
    return add_curve(audit, &(TacAuditCurve){.path = path, .context = context, .bend = bend}, curve, error);
}

TacStatus tac_audit_arc(TacAudit *audit, double time, TacVec3 centre, TacVec3 velocity, TacVec3 turning,
                        int32_t *curve, TacError *error) {
    return add_curve(
        audit, &(TacAuditCurve){.time = time, .centre = centre, .velocity = velocity, .turning = turning},
        curve, error);
}

// --- one pair ---------------------------------------------------------------------------------------------

// What is asked about: four points, of which the first `split` are the one primitive.
typedef struct Question {
    const TacAuditPaths *paths;
    TacCcdPair pair;
    int32_t points[4];
    int split;
    double radii; // m, their sum
} Question;

typedef struct Span {
    double from, to;
    TacVec3 start[4], end[4];
} Span;

static double size_of(const Span *span) {
    double size = 0;
    for (int i = 1; i < 4; i++) {
        TacVec3 a = tac_sub(span->start[i], span->start[0]), b = tac_sub(span->end[i], span->end[0]);
        size = fmax(size, fmax(tac_dot(a, a), tac_dot(b, b)));
    }
    return sqrt(size);
}

// What both sides' paths may be off their straight lines, together; over the whole window this is known.
static double offset_of(const Question *q, const Span *span, TacAuditReport *report) {
    bool whole = span->from == q->paths->begin && span->to == q->paths->end;
    double sides[2][2] = {{0, 0}, {0, 0}};
    for (int i = 0; i < 4; i++) {
        double offsets[2], *side = sides[i >= q->split];
        if (whole)
            memcpy(offsets, q->paths->whole[q->points[i]].offsets, sizeof offsets);
        else
            report->steps += tac_audit_offsets(q->paths, q->points[i], span->from, span->to, span->start[i],
                                               span->end[i], offsets);
        for (int f = 0; f < 2; f++) side[f] = fmax(side[f], offsets[f]);
    }
    return fmin(sides[0][0] + sides[1][0], sides[0][1] + sides[1][1]);
}

// Where to halve; outside of the span where it cannot be.
static double middle_of(const Question *q, const Span *span) {
    double best = INFINITY;
    for (int i = 0; i < 4; i++) tac_audit_middle_break(q->paths, q->points[i], span->from, span->to, &best);
    return best < INFINITY ? best : span->from + 0.5 * (span->to - span->from);
}

static TacCcdState ask(const Question *q, const Span *span, double thickness, TacCcdResult *result,
                       TacAuditReport *report) {
    TacCcdInput input = tac_ccd_default_input(q->pair);
    memcpy(input.start, span->start, sizeof input.start);
    memcpy(input.end, span->end, sizeof input.end);
    input.thickness = thickness;
    report->questions++;
    if (tac_ccd(&input, result) == TAC_CCD_UNSURE && result->spent) {
        input.most_cells = MANY_CELLS;
        report->questions++;
        tac_ccd(&input, result);
    }
    return result->state;
}

// For the report only: the distance at the span's ends, where it may be the nearest so far.
static void note_closest(const Question *q, const Span *span, const TacCcdResult *result,
                         TacAuditReport *report) {
    if (result->low - q->radii >= report->closest) return;
    for (int end = 0; end < 2; end++) {
        const TacVec3 *x = end ? span->end : span->start;
        double w[3], square = q->pair == TAC_CCD_EDGE_EDGE
                                  ? tac_closest_edges(x[0], x[1], x[2], x[3], &w[0], &w[1])
                                  : tac_closest_point_triangle(x[0], x[1], x[2], x[3], w);
        report->closest = fmin(report->closest, fmax(0, sqrt(square) - q->radii));
    }
}

static Span halved(const Question *q, const Span *span, double middle, int half) {
    Span part = *span;
    for (int i = 0; i < 4; i++) {
        TacVec3 place = tac_audit_place(q->paths, q->points[i], middle);
        if (half)
            part.start[i] = place;
        else
            part.end[i] = place;
    }
    if (half)
        part.from = middle;
    else
        part.to = middle;
    return part;
}

// Did they meet? Earliest spans first, so what is found is the first. Fills times, distance and `proven`.
static bool met(const Question *q, TacAuditReport *report, TacAuditViolation *violation) {
    Span stack[SPANS];
    int depth = 1, spans = 0;
    stack[0] = (Span){.from = q->paths->begin, .to = q->paths->end};
    for (int i = 0; i < 4; i++) {
        stack[0].start[i] = tac_audit_place(q->paths, q->points[i], q->paths->begin);
        stack[0].end[i] = tac_audit_place(q->paths, q->points[i], q->paths->end);
    }
    while (depth > 0) {
        Span span = stack[--depth];
        double offset = offset_of(q, &span, report), duration = span.to - span.from;
        TacCcdResult result;
        TacCcdState state = ask(q, &span, q->radii + offset, &result, report);
        if (state == TAC_CCD_CLEAR) {
            note_closest(q, &span, &result, report);
            continue;
        }
        double middle = middle_of(q, &span);
        bool last = offset <= SMALL_OFFSET * size_of(&span) || !(middle > span.from && middle < span.to);
        if (state != TAC_CCD_FAILED && !last && ++spans < MOST_SPANS && depth + 2 <= SPANS) {
            stack[depth++] = halved(q, &span, middle, 1);
            stack[depth++] = halved(q, &span, middle, 0);
            continue;
        }
        violation->t0 = span.from + result.t0 * duration;
        violation->t1 = span.from + result.t1 * duration;
        violation->distance = result.high;
        violation->proven = state == TAC_CCD_HIT && offset == 0;
        if (state == TAC_CCD_FAILED) {
            violation->t0 = span.from;
            violation->t1 = span.to;
            violation->distance = 0;
        }
        report->closest = 0;
        return true;
    }
    return false;
}

// --- a window ---------------------------------------------------------------------------------------------

static TacAuditName name_of(const Primitive *p) {
    TacAuditName name = {(TacAuditKind)p->kind, p->skin, p->element, {-1, -1, -1}};
    for (int i = 0; i < SIZES[p->kind]; i++) name.points[i] = p->points[i];
    return name;
}

static bool share_a_point(const Primitive *a, const Primitive *b) {
    for (int i = 0; i < SIZES[a->kind]; i++)
        for (int j = 0; j < SIZES[b->kind]; j++)
            if (a->points[i] == b->points[j]) return true;
    return false;
}

// Is this a pair to ask about, and with what? `a` is of the kind with fewer points.
static bool question_for(const Primitive *a, const Primitive *b, Question *q) {
    q->radii = a->radius + b->radius;
    if (a->kind == TAC_AUDIT_EDGE && b->kind == TAC_AUDIT_EDGE) {
        q->pair = TAC_CCD_EDGE_EDGE;
        q->split = 2;
        memcpy(q->points, a->points, 2 * sizeof *q->points);
        memcpy(q->points + 2, b->points, 2 * sizeof *q->points);
        return true;
    }
    if (a->kind != TAC_AUDIT_VERTEX) return false;
    if (b->kind == TAC_AUDIT_EDGE && !(a->ball && q->radii > 0)) return false;
    if (b->kind == TAC_AUDIT_VERTEX && !(a->ball && b->ball && q->radii > 0)) return false;
    // vertices and edges are triangles that repeat a point
    q->pair = TAC_CCD_POINT_TRIANGLE;
    q->split = 1;
    q->points[0] = a->points[0];
    memcpy(q->points + 1, b->points, 3 * sizeof *q->points);
    return true;
}

typedef struct Window {
    TacAudit *audit;
    const TacAuditPaths *paths;
} Window;

static TacStatus keep(TacAudit *audit, const TacAuditViolation *violation, TacError *error) {
    if (audit->found_count == audit->found_room &&
        !tac_grow(&audit->found, &audit->found_room, audit->found_count + 1, sizeof *audit->found))
        return tac_fail_memory(error, 2 * audit->found_room * sizeof *audit->found);
    audit->found[audit->found_count++] = *violation;
    return TAC_OK;
}

static bool may_meet(const TacAudit *audit, const Primitive *a, const Primitive *b) {
    return audit->touches[a->skin * audit->skin_count + b->skin] && (!a->body || a->body != b->body);
}

static TacStatus check_pair(void *context, size_t first, size_t second, TacError *error) {
    const Window *window = context;
    TacAudit *audit = window->audit;
    const Primitive *a = &audit->primitives[first], *b = &audit->primitives[second];
    if (a->kind > b->kind) {
        const Primitive *c = a;
        a = b;
        b = c;
    }
    Question q = {.paths = window->paths};
    if (!may_meet(audit, a, b) || !question_for(a, b, &q) || share_a_point(a, b)) return TAC_OK;
    audit->report.pairs++;
    TacAuditViolation violation = {.first = name_of(a), .second = name_of(b)};
    return met(&q, &audit->report, &violation) ? keep(audit, &violation, error) : TAC_OK;
}

// Breaks by point, in the order told; each point's begin first. Whoever was told nothing rested until the end.
static TacStatus sort_breaks(TacAudit *audit, double time, TacError *error) {
    size_t n = audit->point_count, total = 2 * n + audit->told_count;
    if (total > audit->break_room &&
        !tac_grow(&audit->breaks, &audit->break_room, total, sizeof *audit->breaks))
        return tac_fail_memory(error, total * sizeof *audit->breaks);
    memset(audit->next, 0, n * sizeof *audit->next);
    for (size_t i = 0; i < audit->told_count; i++) audit->next[audit->told[i].point]++;
    audit->first[0] = 0;
    for (size_t i = 0; i < n; i++) {
        bool rested = audit->next[i] == 0;
        TacAuditBreak *breaks = audit->breaks + audit->first[i];
        audit->first[i + 1] = audit->first[i] + 1 + (rested ? 1 : audit->next[i]);
        audit->next[i] = audit->first[i] + 1;
        breaks[0] = audit->begin[i];
        if (rested) breaks[1] = (TacAuditBreak){time, breaks[0].place, -1, false};
    }
    for (size_t i = 0; i < audit->told_count; i++)
        audit->breaks[audit->next[audit->told[i].point]++] = audit->told[i].at;
    return TAC_OK;
}

// Once breaks are sorted.
static TacStatus make_blocks(TacAudit *audit, TacAuditPaths *paths, TacError *error) {
    size_t n = audit->point_count, *first = audit->first_block;
    for (size_t i = 0; i < n; i++)
        first[i + 1] = first[i] + tac_audit_block_count(audit->first[i + 1] - audit->first[i] - 1);
    if (first[n] > audit->block_room &&
        !tac_grow(&audit->blocks, &audit->block_room, first[n], sizeof *audit->blocks))
        return tac_fail_memory(error, first[n] * sizeof *audit->blocks);
    paths->first_block = first;
    paths->blocks = audit->blocks;
    for (size_t i = 0; i < n; i++) tac_audit_make_blocks(paths, (int32_t)i);
    return TAC_OK;
}

static void join(TacAuditBox *box, const TacAuditBox *other) {
    for (int a = 0; a < 3; a++) {
        box->low[a] = fmin(box->low[a], other->low[a]);
        box->high[a] = fmax(box->high[a], other->high[a]);
    }
}

static void sweep(TacAudit *audit, const TacAuditPaths *paths) {
    for (size_t i = 0; i < audit->point_count; i++) {
        audit->swept[i] = tac_audit_swept(paths, (int32_t)i);
        audit->whole[i] = tac_audit_whole(paths, (int32_t)i);
    }
    for (size_t i = 0; i < audit->primitive_count; i++) {
        const Primitive *p = &audit->primitives[i];
        TacAuditBox box = audit->swept[p->points[0]];
        for (int k = 1; k < SIZES[p->kind]; k++) join(&box, &audit->swept[p->points[k]]);
        for (int a = 0; a < 3; a++) {
            box.low[a] -= p->radius + 0.5 * audit->reach;
            box.high[a] += p->radius + 0.5 * audit->reach;
        }
        audit->boxes[i] = box;
    }
}

static int by_time(const void *a, const void *b) {
    const TacAuditViolation *x = a, *y = b;
    if (x->t0 != y->t0) return x->t0 < y->t0 ? -1 : 1;
    const size_t left[] = {x->first.skin,  x->second.skin,   x->first.kind,
                           x->second.kind, x->first.element, x->second.element};
    const size_t right[] = {y->first.skin,  y->second.skin,   y->first.kind,
                            y->second.kind, y->first.element, y->second.element};
    for (size_t i = 0; i < TAC_COUNT(left); i++)
        if (left[i] != right[i]) return left[i] < right[i] ? -1 : 1;
    return 0;
}

// What was found goes to the report, in order.
static void report_found(TacAudit *audit) {
    TacAuditReport *report = &audit->report;
    if (audit->found_count) qsort(audit->found, audit->found_count, sizeof *audit->found, by_time);
    for (size_t i = 0; i < audit->found_count && report->listed < TAC_AUDIT_LISTED; i++)
        report->first[report->listed++] = audit->found[i];
    report->violations += audit->found_count;
    audit->found_count = 0;
}

// Whoever has moved must have come to the window's end; whoever has not is there.
static TacStatus check_ends(TacAudit *audit, double time, TacError *error) {
    if (!audit->started || !isfinite(time) || time < audit->time)
        return tac_fail(error, TAC_BAD_USAGE, "a window of the audit cannot end at %.17g s", time);
    for (size_t i = 0; i < audit->point_count; i++) {
        bool moved = audit->last[i].time > audit->time;
        if (moved && audit->last[i].time != time)
            return tac_fail(error, TAC_FAILED, "the window ends at %.17g s, the path of point %zu at %.17g s",
                            time, i, audit->last[i].time);
    }
    return TAC_OK;
}

TacStatus tac_audit_window_end(TacAudit *audit, double time, TacError *error) {
    TAC_TRY(check_ends(audit, time, error));
    TAC_TRY(sort_breaks(audit, time, error));
    TacAuditPaths paths = {.gravity = audit->gravity,
                           .begin = audit->time,
                           .end = time,
                           .first = audit->first,
                           .breaks = audit->breaks,
                           .curves = audit->curves,
                           .whole = audit->whole};
    TAC_TRY(make_blocks(audit, &paths, error));
    sweep(audit, &paths);
    TAC_TRY(
        tac_audit_near(audit->boxes, audit->primitive_count, check_pair, &(Window){audit, &paths}, error));
    report_found(audit);
    audit->report.windows++;
    audit->report.breaks += audit->told_count;
    audit->told_count = audit->curve_count = 0;
    audit->time = time;
    for (size_t i = 0; i < audit->point_count; i++) {
        audit->last[i].time = time;
        audit->begin[i] = audit->last[i];
    }
    return TAC_OK;
}

// A window of one second that took no time.
TacStatus tac_audit_jump(TacAudit *audit, const uint32_t *points, const double *places, size_t count,
                         TacError *error) {
    double now = audit->time, then = now + 1;
    size_t listed = audit->report.listed;
    if (audit->told_count) return tac_fail(error, TAC_BAD_USAGE, "a jump of the audit within a window");
    for (size_t i = 0; i < count; i++)
        TAC_TRY(tac_audit_fly(audit, (int32_t)points[i], then, tac_load3(places + 3 * i), false, error));
    TAC_TRY(tac_audit_window_end(audit, then, error));
    for (size_t i = listed; i < audit->report.listed; i++)
        audit->report.first[i].t0 = audit->report.first[i].t1 = now;
    audit->time = now;
    for (size_t i = 0; i < audit->point_count; i++) audit->begin[i].time = audit->last[i].time = now;
    return TAC_OK;
}

// --- a frame ----------------------------------------------------------------------------------------------

// Which primitives the numbers of a search are.
typedef struct Owners {
    const TacAudit *audit;
    const size_t *first, *second;
} Owners;

static const Primitive *owner_of(const Owners *owners, const size_t *list, int32_t number) {
    return &owners->audit->primitives[list[number]];
}

static bool meeting_counts(void *context, int32_t first, int32_t second) {
    const Owners *o = context;
    return may_meet(o->audit, owner_of(o, o->first, first), owner_of(o, o->second, second));
}

static TacStatus keep_meetings(TacAudit *audit, double time, const size_t *first_owner,
                               TacMeetingInput *input, TacError *error) {
    Owners owners = {audit, first_owner, audit->triangle_owner};
    TacMeeting *meetings;
    size_t count;
    input->counts = meeting_counts;
    input->context = &owners;
    TAC_TRY(tac_meetings(input, &meetings, &count, error));
    TacStatus status = TAC_OK;
    for (size_t i = 0; i < count && status == TAC_OK; i++) {
        const Primitive *a = owner_of(&owners, owners.first, meetings[i].first);
        const Primitive *b = owner_of(&owners, owners.second, meetings[i].second);
        status = keep(audit, &(TacAuditViolation){name_of(a), name_of(b), time, time, 0, true, true}, error);
    }
    free(meetings);
    return status;
}

TacStatus tac_audit_frame(TacAudit *audit, double time, const double *positions, TacError *error) {
    TacMeetingInput input = {.points = positions,
                             .point_count = audit->point_count,
                             .triangles = audit->triangles,
                             .triangle_count = audit->triangle_count};
    TAC_TRY(keep_meetings(audit, time, audit->triangle_owner, &input, error));
    input.edges = audit->edges;
    input.edge_count = audit->edge_count;
    TAC_TRY(keep_meetings(audit, time, audit->edge_owner, &input, error));
    if (audit->found_count) audit->report.closest = 0;
    report_found(audit);
    return TAC_OK;
}

TacStatus tac_audit_put(TacAudit *audit, const uint32_t *points, const double *places, size_t count,
                        TacError *error) {
    if (audit->told_count)
        return tac_fail(error, TAC_BAD_USAGE, "points are put within a window of the audit");
    for (size_t i = 0; i < count; i++)
        audit->begin[points[i]] = audit->last[points[i]] =
            (TacAuditBreak){audit->time, tac_load3(places + 3 * i), -1, false};
    double *all = malloc((3 * audit->point_count + 1) * sizeof *all);
    if (!all) return tac_fail_memory(error, 3 * audit->point_count * sizeof *all);
    for (size_t i = 0; i < audit->point_count; i++) tac_store3(all + 3 * i, audit->last[i].place);
    TacStatus status = tac_audit_frame(audit, audit->time, all, error);
    free(all);
    return status;
}

// --- lines without thickness --------------------------------------------------------------------------------

bool tac_audit_is_cut(const TacVec3 piece[2], const TacVec3 corners[3], const bool flat[3]) {
    TacVec3 normal = tac_cross(tac_sub(corners[1], corners[0]), tac_sub(corners[2], corners[0]));
    TacVec3 along = tac_sub(piece[1], piece[0]);
    double size = tac_norm(normal), longest = 0, length = tac_norm(along);
    for (int k = 0; k < 3; k++) longest = fmax(longest, tac_norm(tac_sub(corners[(k + 1) % 3], corners[k])));
    double touch = TAC_AUDIT_TOUCH * longest;
    if (!(size > 0) || !(length > 2 * touch)) return false;
    normal = tac_scale(normal, 1 / size);
    double from = tac_dot(normal, tac_sub(piece[0], corners[0])),
           to = tac_dot(normal, tac_sub(piece[1], corners[0]));
    if (!(fabs(from) > touch && fabs(to) > touch && (from > 0) != (to > 0))) return false;
    double part = from / (from - to);
    if (!(part * length > touch && (1 - part) * length > touch)) return false;
    TacVec3 place = tac_axpy(piece[0], part, along);
    for (int k = 0; k < 3; k++) { // how far it is within each side
        TacVec3 side = tac_sub(corners[(k + 1) % 3], corners[k]);
        double inward = tac_dot(tac_cross(normal, tac_unit(side)), tac_sub(place, corners[k]));
        if (!(inward > (flat[k] ? -1e-9 * longest : touch))) return false;
    }
    return true;
}

TacStatus tac_audit_note_cut(TacAudit *audit, double time, const TacAuditName *piece,
                             const TacAuditName *triangle, TacError *error) {
    audit->report.closest = 0;
    TacAuditViolation violation = {
        .first = *piece, .second = *triangle, .t0 = time, .t1 = time, .proven = true};
    return keep(audit, &violation, error);
}

// --- words ------------------------------------------------------------------------------------------------

static void name_text(const TacAuditName *name, char *text, size_t size) {
    const int32_t *p = name->points;
    if (name->kind == TAC_AUDIT_VERTEX)
        snprintf(text, size, "vertex %zu (point %d) of skin %zu", name->element, (int)p[0], name->skin);
    else if (name->kind == TAC_AUDIT_PIECE)
        snprintf(text, size, "piece %zu of the line of skin %zu", name->element, name->skin);
    else if (name->kind == TAC_AUDIT_EDGE)
        snprintf(text, size, "edge %zu (points %d, %d) of skin %zu", name->element, (int)p[0], (int)p[1],
                 name->skin);
    else
        snprintf(text, size, "triangle %zu (points %d, %d, %d) of skin %zu", name->element, (int)p[0],
                 (int)p[1], (int)p[2], name->skin);
}

const char *tac_audit_violation_text(const TacAuditViolation *violation, char *text, size_t size) {
    char first[128], second[128];
    name_text(&violation->first, first, sizeof first);
    name_text(&violation->second, second, sizeof second);
    snprintf(text, size, "%s and %s at %.9g s%s", first, second, violation->t0,
             violation->on_frame ? " (on a frame)"
             : violation->proven ? ""
                                 : " (in doubt)");
    return text;
}
