// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Telling the audit how everything moved. Only motion is told, never what was promised or looked at: every
// flight of a support, when it ends, becomes a piece of the way of each vertex that it carries.

#include "contact/audit.h"
#include "contact/safe_parts.h"

enum { POSES = 4096 };

// Where a frame was on an arc. All its vertices ask for it, and every pair of theirs, mostly at the same times.
typedef struct Pose {
    uint64_t arc; // its number; 0: none
    double time, x[7];
} Pose;

// The flight of one frame, kept until the window's end.
typedef struct Arc {
    uint64_t number; // from 1 on, never given twice
    Pose *
        poses; // of all arcs together: each has its one place there, where it replaces whatever was; NULL: none
    const TacSafe *safe;
    const TacMatter *matter;
    uint32_t index;
    TacTick time;
    double x[7], v[6];
    struct Arc *next;
} Arc;

struct TacSafeWitness {
    TacAudit *audit;
    TacVec3 gravity;
    TacAuditSkin *skins;
    int32_t **lists; // of indices, to be freed
    size_t list_count;
    Arc *arcs;
    uint64_t arc_count; // ever
    TacStatus status;   // of the first failure
    TacError error;
    Pose poses[POSES];
};

static void fly_along(const Arc *arc, double time, double x[7]) {
    uint64_t bits;
    memcpy(&bits, &time, sizeof bits);
    Pose *pose = arc->poses ? &arc->poses[((bits + arc->number) * 0x9e3779b97f4a7c15u >> 32) % POSES] : NULL;
    if (pose && pose->arc == arc->number && pose->time == time) {
        memcpy(x, pose->x, sizeof pose->x);
        return;
    }
    double v[6], h = time - tac_safe_seconds(arc->safe, arc->time);
    tac_matter_fly_one(arc->matter, arc->index, h, arc->x, arc->v, x, v);
    if (!pose) return;
    *pose = (Pose){.arc = arc->number, .time = time};
    memcpy(pose->x, x, sizeof pose->x);
}

static TacVec3 arc_place(void *context, int32_t point, double time) {
    const Arc *arc = context;
    double x[7];
    fly_along(arc, time, x);
    return tac_add(tac_load3(x), tac_rotate(tac_load_quat(x + 3), arc->safe->locals[point]));
}

// How much the way of a frame's points can bend besides falling, over a flight of this duration: Euler's equations
// let |omega| grow no faster than c |omega|^2 / sqrt(3), and never beyond what energy and momentum allow.
static double arc_bend(const TacSafe *safe, const TacSupport *s, double duration) {
    double far = 0;
    for (uint32_t i = 0; i < s->vertex_count; i++)
        far = fmax(far, tac_norm(safe->locals[safe->carried[s->first_vertex + i]]));
    TacVec3 omega = tac_load3(tac_support_v(s) + 3);
    double fast = tac_norm(omega);
    if (!s->kind->matter->inertia || fast == 0) return far * fast * fast;
    const TacInertia *inertia = &s->kind->matter->inertia[s->index];
    double a = inertia->moments[0], b = inertia->moments[1], c = inertia->moments[2];
    double rate = fmax(fabs(b - c) / a, fmax(fabs(c - a) / b, fabs(a - b) / c)) / sqrt(3);
    double most = tac_fastest_turn(inertia, tac_load_quat(tac_support_x(s) + 3), omega),
           grown = 1 - rate * fast * duration;
    if (grown > 0) most = fmin(most, fast / grown);
    return 1.1 * far * most * most * (1 + rate);
}

static Arc arc_of(const TacSafe *safe, const TacSupport *s) {
    Arc arc = {.safe = safe, .matter = s->kind->matter, .index = s->index, .time = *tac_support_time(s)};
    memcpy(arc.x, tac_support_x(s), sizeof arc.x);
    memcpy(arc.v, tac_support_v(s), sizeof arc.v);
    return arc;
}

// Where all are at the beginning: on arcs to the bit as arcs are told, should they be told of the same time again.
static void place_all(const TacSafe *safe, TacTick now, double *places) {
    for (uint32_t v = 0; v < safe->vertex_count; v++) tac_safe_place(safe, v, now, places + 3 * v);
    for (uint32_t i = 0; i < safe->support_count; i++) {
        const TacSupport *s = &safe->supports[i];
        if (!s->frame || *tac_support_time(s) == now) continue;
        Arc arc = arc_of(safe, s);
        for (uint32_t k = 0; k < s->vertex_count; k++) {
            uint32_t v = safe->carried[s->first_vertex + k];
            tac_store3(places + 3 * v, arc_place(&arc, (int32_t)v, tac_safe_seconds(safe, now)));
        }
    }
}

static TacStatus follow_arc(TacSafe *safe, const TacSupport *s, TacTick now, TacError *error) {
    TacSafeWitness *w = safe->witness;
    Arc *arc = malloc(sizeof *arc);
    if (!arc) return tac_fail_memory(error, sizeof *arc);
    *arc = arc_of(safe, s);
    arc->number = ++w->arc_count;
    arc->poses = w->poses;
    arc->next = w->arcs;
    w->arcs = arc;
    int32_t curve;
    bool falls = !memcmp(s->kind->g, &w->gravity, sizeof s->kind->g);
    double bend = arc_bend(safe, s, tac_safe_seconds(safe, now - *tac_support_time(s))) +
                  (falls ? 0
                         : sqrt(s->kind->g[0] * s->kind->g[0] + s->kind->g[1] * s->kind->g[1] +
                                s->kind->g[2] * s->kind->g[2]));
    TAC_TRY(tac_audit_curve(w->audit, arc_place, arc, bend, &curve, error));
    double seconds = tac_safe_seconds(safe, now);
    for (uint32_t i = 0; i < s->vertex_count; i++) {
        uint32_t v = safe->carried[s->first_vertex + i];
        TacVec3 place = arc_place(arc, (int32_t)v, seconds);
        TAC_TRY(tac_audit_follow(w->audit, (int32_t)v, seconds, place, falls, curve, error));
    }
    return TAC_OK;
}

static TacStatus tell(TacSafe *safe, const TacSupport *s, TacTick now, TacError *error) {
    TacSafeWitness *w = safe->witness;
    if (s->frame) return follow_arc(safe, s, now, error);
    for (uint32_t i = 0; i < s->vertex_count; i++) {
        uint32_t v = safe->carried[s->first_vertex + i];
        double x[3];
        tac_safe_place(safe, v, now, x);
        bool falls = !memcmp(safe->vertices[v].g, &w->gravity, sizeof safe->vertices[v].g);
        TAC_TRY(tac_audit_fly(w->audit, (int32_t)v, tac_safe_seconds(safe, now), tac_load3(x), falls, error));
    }
    return TAC_OK;
}

void tac_safe_tell(TacSafe *safe, uint32_t support, TacTick now) {
    TacSafeWitness *w = safe->witness;
    if (!w || w->status != TAC_OK || *tac_support_time(&safe->supports[support]) == now) return;
    w->status = tell(safe, &safe->supports[support], now, &w->error);
}

// All that flew has come to this tick.
static void end_window(TacSafe *safe, TacTick now) {
    TacSafeWitness *w = safe->witness;
    if (w->status == TAC_OK)
        w->status = tac_audit_window_end(w->audit, tac_safe_seconds(safe, now), &w->error);
    while (w->arcs) {
        Arc *next = w->arcs->next;
        free(w->arcs);
        w->arcs = next;
    }
}

TacStatus tac_safe_audit_window(TacSafe *safe, TacTick now, TacError *error) {
    TacSafeWitness *w = safe->witness;
    for (uint32_t i = 0; i < safe->support_count && w->status == TAC_OK; i++) {
        const TacSupport *s = &safe->supports[i];
        if (s->vertex_count) w->status = tell(safe, s, now, &w->error);
    }
    end_window(safe, now);
    if (w->status != TAC_OK && error) *error = w->error;
    return w->status;
}

TacStatus tac_safe_audit_close(TacSafe *safe, TacTick now, TacError *error) {
    // some may have been moved to the instant at which it failed already
    for (size_t i = 0; i < safe->support_count; i++)
        if (*tac_support_time(&safe->supports[i]) > now) now = *tac_support_time(&safe->supports[i]);
    return tac_safe_audit_window(safe, now, error);
}

void tac_safe_tell_before_jump(TacSafe *safe, TacTick now) {
    TacSafeWitness *w = safe->witness;
    if (!w) return;
    // what is at this instant already was told when it came
    for (uint32_t i = 0; i < safe->support_count; i++)
        if (safe->supports[i].vertex_count) tac_safe_tell(safe, i, now);
    end_window(safe, now);
}

void tac_safe_tell_jump(TacSafe *safe, const uint32_t *vertices, const double *places, size_t count) {
    TacSafeWitness *w = safe->witness;
    if (w && w->status == TAC_OK) w->status = tac_audit_jump(w->audit, vertices, places, count, &w->error);
}

void tac_safe_tell_put(TacSafe *safe, uint32_t first, size_t count, TacTick now) {
    TacSafeWitness *w = safe->witness;
    if (!w || w->status != TAC_OK) return;
    size_t n = 0;
    for (uint32_t i = first; i < first + count; i++) n += safe->supports[i].vertex_count;
    uint32_t *vertices = malloc((n + 1) * sizeof *vertices);
    double *places = malloc((3 * n + 1) * sizeof *places);
    n = 0;
    for (uint32_t i = first; vertices && places && i < first + count; i++)
        for (uint32_t k = 0; k < safe->supports[i].vertex_count; k++, n++) {
            vertices[n] = safe->carried[safe->supports[i].first_vertex + k];
            tac_safe_place(safe, vertices[n], now, places + 3 * n);
        }
    w->status = vertices && places ? tac_audit_put(w->audit, vertices, places, n, &w->error)
                                   : tac_fail_memory(&w->error, 28 * n);
    free(vertices);
    free(places);
}

// --- lines over nodes ---------------------------------------------------------------------------------------

void tac_safe_tell_cut(TacSafe *safe, uint32_t line, uint32_t skin, size_t piece, size_t triangle,
                       TacTick now) {
    TacSafeWitness *w = safe->witness;
    const TacSafeSkin *body = &safe->skins[skin];
    const int32_t *v = body->faces + 3 * triangle, from = (int32_t)body->first_vertex;
    if (!w || w->status != TAC_OK) return;
    TacAuditName first = {TAC_AUDIT_PIECE, line, piece, {-1, -1, -1}};
    TacAuditName second = {TAC_AUDIT_TRIANGLE, skin, triangle, {from + v[0], from + v[1], from + v[2]}};
    w->status = tac_audit_note_cut(w->audit, tac_safe_seconds(safe, now), &first, &second, &w->error);
}

// --- beginning --------------------------------------------------------------------------------------------

static bool can_move(const TacSafe *safe, const TacSafeSkin *skin) {
    for (uint32_t i = 0; i < skin->vertex_count; i++)
        if (safe->vertices[skin->first_vertex + i].bound > 0) return true;
    return false;
}

// Walls that are scripted, or fixed, pass through each other: nothing could push them.
static bool touches(void *context, size_t a, size_t b) {
    const TacSafe *safe = context;
    const TacSafeSkin *s = &safe->skins[a], *t = &safe->skins[b];
    if (!can_move(safe, s) && !can_move(safe, t)) return false;
    bool meet = a == b ? s->self : (s->group & t->mask) && (t->group & s->mask);
    return meet && !tac_safe_excludes(safe, s, t);
}

// Indices of a skin's list become vertices of the whole.
static const int32_t *shift(TacSafeWitness *w, const int32_t *from, size_t count, uint32_t first) {
    int32_t *list = malloc((count + 1) * sizeof *list);
    if (!list) return NULL;
    for (size_t i = 0; i < count; i++) list[i] = (from ? from[i] : (int32_t)i) + (int32_t)first;
    w->lists[w->list_count++] = list;
    return list;
}

static const int32_t *ends_of(TacSafeWitness *w, const TacPrimitive *edges, size_t count) {
    int32_t *list = malloc((2 * count + 1) * sizeof *list);
    if (!list) return NULL;
    for (size_t i = 0; i < 2 * count; i++) list[i] = (int32_t)edges[i / 2].v[i % 2];
    w->lists[w->list_count++] = list;
    return list;
}

static TacStatus begin_audit(TacSafe *safe, TacSafeWitness *w, TacVec3 gravity, TacTick now,
                             TacError *error) {
    w->gravity = gravity;
    w->skins = calloc(safe->skin_count + 1, sizeof *w->skins);
    w->lists = calloc(3 * safe->skin_count + 1, sizeof *w->lists);
    double *places = malloc((3 * safe->vertex_count + 1) * sizeof *places);
    uint32_t *bodies = malloc((safe->vertex_count + 1) * sizeof *bodies);
    if (!w->skins || !w->lists || !places || !bodies) {
        free(places);
        free(bodies);
        return tac_fail_memory(error, 0);
    }
    bool whole = true;
    const TacPrimitive *edges = safe->primitives + safe->point_count;
    for (size_t i = 0; i < safe->skin_count; i++) {
        const TacSafeSkin *s = &safe->skins[i];
        w->skins[i] = (TacAuditSkin){.vertices = shift(w, NULL, s->vertex_count, s->first_vertex),
                                     .vertex_count = s->vertex_count,
                                     .edges = ends_of(w, edges, s->edge_count),
                                     .edge_count = s->edge_count,
                                     .triangles = shift(w, s->faces, 3 * s->face_count, s->first_vertex),
                                     .triangle_count = s->face_count,
                                     .radii = s->radii,
                                     .radius = s->radius};
        edges += s->edge_count;
        whole = whole && w->skins[i].vertices && w->skins[i].edges && w->skins[i].triangles;
    }
    TacAuditInput input = {.point_count = safe->vertex_count,
                           .skins = w->skins,
                           .skin_count = safe->skin_count,
                           .gravity = gravity,
                           .touches = touches,
                           .context = safe,
                           .bodies = bodies,
                           .reach = safe->most_eta};
    tac_safe_bodies(safe, bodies);
    if (whole) w->audit = tac_audit_create(&input, error);
    free(bodies);
    place_all(safe, now, places);
    TacStatus status = !whole     ? tac_fail_memory(error, 0)
                       : w->audit ? tac_audit_start(w->audit, tac_safe_seconds(safe, now), places, error)
                                  : TAC_FAILED;
    free(places);
    return status;
}

TacStatus tac_safe_audit_begin(TacSafe *safe, TacVec3 gravity, TacTick now, TacError *error) {
    tac_safe_audit_end(safe);
    TacSafeWitness *w = calloc(1, sizeof *w);
    if (!w) return tac_fail_memory(error, sizeof *w);
    TacStatus status = begin_audit(safe, w, gravity, now, error);
    safe->witness = w;
    if (status != TAC_OK) tac_safe_audit_end(safe);
    return status;
}

void tac_safe_audit_end(TacSafe *safe) {
    TacSafeWitness *w = safe->witness;
    if (!w) return;
    safe->witness = NULL;
    for (size_t i = 0; i < w->list_count; i++) free(w->lists[i]);
    while (w->arcs) {
        Arc *next = w->arcs->next;
        free(w->arcs);
        w->arcs = next;
    }
    free(w->lists);
    free(w->skins);
    tac_audit_destroy(w->audit);
    free(w);
}

const TacAuditReport *tac_safe_audit_report(const TacSafe *safe) {
    return safe->witness ? tac_audit_report(safe->witness->audit) : NULL;
}

const char *tac_safe_skin_name(const TacSafe *safe, size_t skin) {
    return safe->skins[skin].name;
}
