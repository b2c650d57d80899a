// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Edges and vertices inside flat parts of what keeps its shape: they touch nothing.
//
// Where two faces of one frame, of a floor that never moves, or of a wall that moves as told lie in one plane side by side, the edge between them is no
// feature of the surface: the mesh needs it, the shape does not. Nothing is nearer to it than to the rest of the plane but
// what is parallel to that, and this is as near with its vertices, or above an edge where the plane ends: of two segments, or
// of a segment and a flat part, the least distance is always found at an end of the segment or at the border of the part. So
// the least distance between two surfaces, and with it the barrier, is the same without pairs of such edges, and without pairs
// of vertices all around which there is nothing but one plane. What lies on a floor feels the floor, not how it is divided.
//
// Which they are depends on places only: of what never moves, on where it is (a state that is set from outside, or restored,
// may change that). Touches nothing but the primitives' `flat` and
// `flat_sides`, and the vertices' `kept`.

#include "base/search.h"
#include "contact/safe_parts.h"

// Rounding of places, in parts of their numbers.
#define FLAT_ROUNDING 1e-14

enum { SOFT = TAC_SAFE_NONE, STILL = TAC_SAFE_NONE - 1 };

// What keeps a vertex in its place among others: its frame, that it never moves, who moves them all, or nothing.
static uint32_t keeper(const TacSafe *safe, uint32_t vertex) {
    const TacVertex *v = &safe->vertices[vertex];
    if (v->frame) return tac_safe_carrier(safe, v, 0).support;
    if (v->support == TAC_SAFE_NONE) return SOFT;
    const TacSupport *s = &safe->supports[v->support];
    uint32_t mover = safe->movers ? safe->movers[v->support] : 0;
    if (mover) return (uint32_t)safe->support_count + mover;
    bool drifts = tac_support_v(s)[0] != 0 || tac_support_v(s)[1] != 0 || tac_support_v(s)[2] != 0;
    return tac_safe_never_moves(s) && !drifts ? STILL : SOFT;
}

static uint32_t keeper_of_face(const TacSafe *safe, const TacPrimitive *face) {
    uint32_t one = keeper(safe, face->v[0]);
    return keeper(safe, face->v[1]) == one && keeper(safe, face->v[2]) == one ? one : SOFT;
}

// Where it is among those with the same keeper.
static TacVec3 place(const TacSafe *safe, uint32_t vertex) {
    const TacVertex *v = &safe->vertices[vertex];
    return v->frame ? safe->locals[vertex] : tac_load3(tac_support_x(&safe->supports[v->support]));
}

static double largest(TacVec3 p) {
    return fmax(fabs(p.x), fmax(fabs(p.y), fabs(p.z)));
}

// Whether a place lies in the plane of three others, but for rounding.
static bool in_plane(TacVec3 a, TacVec3 b, TacVec3 c, TacVec3 p) {
    TacVec3 n = tac_cross(tac_sub(b, a), tac_sub(c, a));
    double size = tac_norm(n), numbers = fmax(fmax(largest(a), largest(b)), fmax(largest(c), largest(p)));
    return size > 0 && fabs(tac_dot(n, tac_sub(p, a))) <= FLAT_ROUNDING * numbers * size;
}

static uint32_t opposite(const TacPrimitive *face, uint32_t a, uint32_t b) {
    for (int i = 0; i < 2; i++)
        if (face->v[i] != a && face->v[i] != b) return face->v[i];
    return face->v[2];
}

// Two faces in one plane, on either side of their edge.
static bool lies_flat(const TacSafe *safe, uint32_t va, uint32_t vb, const TacPrimitive *first,
                      const TacPrimitive *second) {
    uint32_t one = keeper_of_face(safe, first);
    if (one == SOFT || keeper_of_face(safe, second) != one) return false;
    TacVec3 a = place(safe, va), b = place(safe, vb);
    TacVec3 c = place(safe, opposite(first, va, vb)), d = place(safe, opposite(second, va, vb));
    if (!in_plane(a, b, c, d) || !in_plane(a, b, d, c)) return false;
    TacVec3 e = tac_sub(b, a);
    return tac_dot(tac_cross(e, tac_sub(c, a)), tac_cross(e, tac_sub(d, a))) < 0;
}

static uint64_t key_of_edge(uint32_t a, uint32_t b) {
    return a < b ? tac_safe_key(a, b) : tac_safe_key(b, a);
}

static void note_side(TacPrimitive *face, uint64_t key) {
    for (int k = 0; k < 3; k++)
        if (key_of_edge(face->v[k], face->v[(k + 1) % 3]) == key)
            face->flat_sides = (face->flat_sides | 1u << k) & 7;
}

// `sides`: those of all faces, in order. Notes it at both faces.
static bool edge_is_flat(const TacSafe *safe, const TacPrimitive *edge, const TacKeyed *sides, size_t count) {
    uint64_t key = key_of_edge(edge->v[0], edge->v[1]);
    size_t i = tac_first_not_below(&sides->key, count, sizeof *sides, key);
    if (i + 1 >= count || sides[i].key != key || sides[i + 1].key != key) return false;
    if (i + 2 < count && sides[i + 2].key == key) return false;
    TacPrimitive *first = &safe->primitives[sides[i].item], *second = &safe->primitives[sides[i + 1].item];
    bool flat = lies_flat(safe, edge->v[0], edge->v[1], first, second);
    if (flat) note_side(first, key);
    if (flat) note_side(second, key);
    return flat;
}

// All edges around it are, and all faces lie in one plane. After the edges.
static bool vertex_is_flat(const TacSafe *safe, uint32_t vertex) {
    const TacVertexLore *lore = &safe->lore[vertex];
    const TacPrimitive *first = NULL;
    bool flat = !safe->primitives[vertex].ball;
    for (uint32_t i = 0; i < lore->primitive_count && flat; i++) {
        const TacPrimitive *p = &safe->primitives[safe->around[lore->first_primitive + i]];
        if (p->kind == TAC_PRIMITIVE_EDGE) flat = p->flat;
        if (p->kind != TAC_PRIMITIVE_FACE) continue;
        if (!first) first = p;
        for (int k = 0; k < 3; k++)
            flat = flat && in_plane(place(safe, first->v[0]), place(safe, first->v[1]),
                                    place(safe, first->v[2]), place(safe, p->v[k]));
    }
    return flat && first;
}

bool tac_safe_find_flat(TacSafe *safe, bool *changed) {
    size_t first_face = safe->point_count + safe->edge_count, count = 0;
    TacKeyed *sides = calloc(6 * (safe->primitive_count - first_face) + 1, sizeof *sides);
    if (!sides) return false;
    for (size_t i = first_face; i < safe->primitive_count; i++) safe->primitives[i].flat_sides = 0;
    for (size_t i = first_face; i < safe->primitive_count; i++)
        for (int k = 0; k < 3; k++) {
            const uint32_t *v = safe->primitives[i].v;
            sides[count++] = (TacKeyed){key_of_edge(v[k], v[(k + 1) % 3]), i};
        }
    tac_sort_keyed(sides, count);
    *changed = false;
    for (uint32_t i = 0; i < safe->vertex_count; i++) safe->vertices[i].kept = keeper(safe, i) != SOFT;
    for (size_t n = 0; n < first_face; n++) { // edges, then points
        size_t i = n < safe->edge_count ? safe->point_count + n : n - safe->edge_count;
        TacPrimitive *p = &safe->primitives[i];
        bool flat = p->kind == TAC_PRIMITIVE_EDGE ? edge_is_flat(safe, p, sides, count)
                                                  : vertex_is_flat(safe, (uint32_t)i);
        *changed = *changed || p->flat != flat;
        p->flat = flat;
    }
    free(sides);
    return true;
}
