// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Lines over contact nodes beside the skins that they meet by them; safe.h says what it is for. Layers leave such pairs alone, so
// here is looked, at every step, whether the line has passed through: where it lies, and what it swept (line_sweep.h).
// Boxes first: most of the line is far away.

#include "contact/audit.h"
#include "contact/line_sweep.h"
#include "contact/safe_parts.h"
#include "geometry/closest.h"

static const bool all_flat[3] = {true, true, true};

typedef struct Box {
    TacVec3 low, high;
} Box;

static Box box_of(const TacVec3 *places, size_t count) {
    Box box = {places[0], places[0]};
    for (size_t i = 1; i < count; i++) {
        box.low = tac_vec3(fmin(box.low.x, places[i].x), fmin(box.low.y, places[i].y),
                           fmin(box.low.z, places[i].z));
        box.high = tac_vec3(fmax(box.high.x, places[i].x), fmax(box.high.y, places[i].y),
                            fmax(box.high.z, places[i].z));
    }
    return box;
}

static bool are_apart(const Box *a, const Box *b) {
    return a->low.x > b->high.x || b->low.x > a->high.x || a->low.y > b->high.y || b->low.y > a->high.y ||
           a->low.z > b->high.z || b->low.z > a->high.z;
}

typedef struct Look {
    TacSafe *safe;
    const TacSafeSkin *body;
    uint32_t line, skin;
    const double *were, *are; // xyz of the body's vertices; were: NULL where not known
    Box box;                  // of both
    TacTick now;
    bool tells;  // the audit
    bool closed; // the body has an inside
    TacSafeCuts cuts;
} Look;

static void corners_of(const Look *look, const double *places, size_t face, TacVec3 corners[3]) {
    for (size_t k = 0; k < 3; k++)
        corners[k] = tac_load3(places + 3 * (size_t)look->body->faces[3 * face + k]);
}

static TacVec3 direction(const TacVec3 corners[3]) {
    return tac_unit(tac_cross(tac_sub(corners[1], corners[0]), tac_sub(corners[2], corners[0])));
}

// Whether the surface goes on in the same plane behind the side from corner k.
static bool is_flat(const Look *look, size_t face, size_t k, const TacVec3 corners[3]) {
    const int32_t *faces = look->body->faces;
    int32_t a = faces[3 * face + k], b = faces[3 * face + (k + 1) % 3];
    for (size_t t = 0; t < look->body->face_count; t++) {
        const int32_t *v = faces + 3 * t;
        bool has_a = v[0] == a || v[1] == a || v[2] == a, has_b = v[0] == b || v[1] == b || v[2] == b;
        TacVec3 other[3];
        if (t == face || !has_a || !has_b) continue;
        corners_of(look, look->are, t, other);
        if (tac_dot(direction(other), direction(corners)) > 0.9999) return true;
    }
    return false;
}

static void find_flat(const Look *look, size_t face, const TacVec3 corners[3], bool flat[3]) {
    for (size_t k = 0; k < 3; k++) flat[k] = is_flat(look, face, k, corners);
}

// Whether a ray along x from a place passes a triangle.
static bool ray_passes(TacVec3 x, const TacVec3 c[3]) {
    int inside = 0;
    for (int k = 0; k < 3; k++) {
        TacVec3 a = c[k], b = c[(k + 1) % 3];
        if ((a.y > x.y) != (b.y > x.y)) inside ^= x.z < a.z + (x.y - a.y) / (b.y - a.y) * (b.z - a.z);
    }
    if (!inside) return false;
    TacVec3 n = tac_cross(tac_sub(c[1], c[0]), tac_sub(c[2], c[0]));
    return n.x != 0 && tac_dot(n, tac_sub(c[0], x)) / n.x > 0;
}

// The face nearest to a place that is deeper in the body than a touch; SIZE_MAX: it is not.
static size_t find_deep(const Look *look, TacVec3 place) {
    TacVec3 size = tac_sub(look->box.high, look->box.low), x = place;
    double nearest = INFINITY, longest = 0;
    size_t crossed = 0, best = SIZE_MAX, count = look->body->face_count;
    x.y += 1.37e-9 * size.y; // between vertices
    x.z += 1.73e-9 * size.z;
    for (size_t t = 0; t < count; t++) {
        TacVec3 c[3];
        corners_of(look, look->are, t, c);
        crossed += ray_passes(x, c);
    }
    for (size_t t = 0; crossed % 2 && t < count; t++) {
        TacVec3 c[3];
        corners_of(look, look->are, t, c);
        double weights[3], far = sqrt(tac_closest_point_triangle(place, c[0], c[1], c[2], weights));
        for (int k = 0; k < 3; k++) longest = fmax(longest, tac_norm(tac_sub(c[(k + 1) % 3], c[k])));
        if (!(far < nearest)) continue;
        nearest = far;
        best = t;
    }
    return nearest > TAC_AUDIT_TOUCH * longest ? best : SIZE_MAX;
}

static void note(Look *look, size_t piece, size_t face) {
    if (look->tells) tac_safe_tell_cut(look->safe, look->line, look->skin, piece, face, look->now);
    if (look->cuts.count++) return;
    look->cuts.piece = piece;
    look->cuts.face = face;
}

static void look_at_piece(Look *look, const TacLinePiece *pieces, size_t piece) {
    const TacVec3 *ends = pieces[piece].ends;
    Box box = box_of(ends, 2);
    size_t found = look->cuts.count;
    if (are_apart(&box, &look->box)) return;
    for (size_t t = 0; t < look->body->face_count; t++) {
        TacVec3 corners[3];
        bool flat[3];
        corners_of(look, look->are, t, corners);
        Box face = box_of(corners, 3);
        if (are_apart(&box, &face) || !tac_audit_is_cut(ends, corners, all_flat)) continue;
        find_flat(look, t, corners, flat);
        if (tac_audit_is_cut(ends, corners, flat)) note(look, piece, t);
    }
    if (!pieces[piece].slides || look->cuts.count > found || !look->closed) return;
    // from node to node it passes no face, but may pass within the body
    size_t deep = find_deep(look, tac_scale(tac_add(ends[0], ends[1]), 0.5));
    if (deep != SIZE_MAX) note(look, piece, deep);
}

// What the line has swept.
static void look_at_swept(void *data, const TacSweptPiece *swept) {
    Look *look = data;
    const TacVec3 places[4] = {swept->from[0], swept->from[1], swept->to[0], swept->to[1]};
    Box box = box_of(places, 4);
    if (are_apart(&box, &look->box)) return;
    for (size_t t = 0; t < look->body->face_count; t++) {
        TacVec3 corners[6];
        bool flat[3];
        corners_of(look, look->were, t, corners);
        corners_of(look, look->are, t, corners + 3);
        Box face = box_of(corners, 6);
        // what passes at its end was told already
        if (are_apart(&box, &face) || !tac_line_passes(swept, corners, corners + 3, all_flat) ||
            tac_audit_is_cut(swept->to, corners + 3, all_flat))
            continue;
        find_flat(look, t, corners + 3, flat);
        if (tac_line_passes(swept, corners, corners + 3, flat)) note(look, swept->piece, t);
    }
}

// Without a rim every side is that of two faces.
static bool is_closed(const TacSafe *safe, const TacSafeSkin *skin) {
    const TacPrimitive *edges = safe->primitives + safe->point_count;
    size_t sides = 0;
    for (const TacSafeSkin *before = safe->skins; before < skin; before++) edges += before->edge_count;
    for (size_t i = 0; i < skin->edge_count; i++) sides += !edges[i].bare;
    return sides > 0 && 2 * sides == 3 * skin->face_count;
}

static void place_all(const TacSafe *safe, const TacSafeSkin *body, TacTick now, double *places) {
    for (uint32_t i = 0; i < body->vertex_count; i++)
        tac_safe_place(safe, body->first_vertex + i, now, places + 3 * (size_t)i);
}

static void widen(Box *box, const double *places, size_t count) {
    for (size_t i = 0; i < count; i++) {
        const TacVec3 all[3] = {box->low, box->high, tac_load3(places + 3 * i)};
        *box = box_of(all, 3);
    }
}

TacSafeCuts tac_safe_look_at_line(TacSafe *safe, uint32_t line, uint32_t skin, const TacSafeLine *way,
                                  TacTick now) {
    const TacSafeSkin *body = &safe->skins[skin];
    size_t count = body->vertex_count;
    double *are = way->places + 3 * count;
    if (!count) return (TacSafeCuts){0};
    place_all(safe, body, now, are);
    TacVec3 first = tac_load3(are);
    Look look = {.safe = safe,
                 .body = body,
                 .line = line,
                 .skin = skin,
                 .were = way->places,
                 .are = are,
                 .box = {first, first},
                 .now = now,
                 .tells = safe->witness != NULL,
                 .closed = is_closed(safe, body)};
    widen(&look.box, are, count);
    for (size_t i = 0; i < way->count; i++) look_at_piece(&look, way->pieces, i);
    if (way->were_count) {
        widen(&look.box, way->places, count);
        tac_line_sweep(way->were, way->were_count, way->pieces, way->count, look_at_swept, &look);
    }
    memcpy(way->places, are, 3 * count * sizeof *are);
    return look.cuts;
}
