// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// How many corners of a body may push it at once. A layer's period is made for one pair: of many that push one body together,
// each would find it far from where the others have pushed it, and what lands flat would leave with more speed than it
// came with, or less than restitution leaves it. So each of many pushes more softly, all together as hard as a few: a
// nest is a barrier however soft it is, and needs no other clocks.
//
// What lies in one plane touches a plane at once. A body keeps its shape, so how many do is known from the beginning, and
// stays: what a pair pushes with depends on places only, and no energy is gained or lost when others come and go. Of every
// flat part of a body's surface, its peers are the corners that are connected with it within a small part of the thickness
// from its plane; a corner has as many as the largest part around it. Flat vertices (safe_flat.c) touch nothing, and do
// not count. Touches nothing but the vertices' `peers`.

#include "contact/safe_parts.h"

// As far from the plane, in thicknesses, corners push about as hard as those in it.
#define NEAR 0.1

// More peers than that are not counted; nor are more looks taken at what might be one, but for those within a flat part.
enum { MOST_PEERS = 1024, MOST_LOOKS = 16 * MOST_PEERS };

typedef struct Crowd {
    TacSafe *safe;
    size_t first_face, face_count;
    uint32_t *part;  // per face: another one of its flat part, or itself
    uint32_t *faces; // of the part of which this is the first: how many
    uint32_t *peers; // likewise: of its corners
    uint32_t *seen;  // per vertex: for which part, + 1
    uint32_t *queue; // of vertices
} Crowd;

static uint32_t part_of(const Crowd *c, uint32_t face) {
    while (c->part[face] != face) face = c->part[face] = c->part[c->part[face]];
    return face;
}

static const TacPrimitive *face_at(const Crowd *c, uint32_t face) {
    return &c->safe->primitives[c->first_face + face];
}

// What is around a vertex, from the i-th on: its next face; TAC_SAFE_NONE: there is none.
static uint32_t next_face(const Crowd *c, uint32_t vertex, uint32_t *i) {
    const TacVertexLore *lore = &c->safe->lore[vertex];
    while (*i < lore->primitive_count) {
        uint32_t id = c->safe->around[lore->first_primitive + (*i)++];
        if (id >= c->first_face) return id - (uint32_t)c->first_face;
    }
    return TAC_SAFE_NONE;
}

static bool on_body(const TacSafe *safe, const TacPrimitive *face) {
    for (int k = 0; k < 3; k++) {
        const TacVertex *v = &safe->vertices[face->v[k]];
        if (!v->frame || v->bound == 0) return false;
    }
    return true;
}

static bool has_corner(const TacPrimitive *face, uint32_t vertex) {
    return face->v[0] == vertex || face->v[1] == vertex || face->v[2] == vertex;
}

// Two faces on either side of a flat edge are of one part.
static void join_across(const Crowd *c, uint32_t face, int side) {
    const TacPrimitive *f = face_at(c, face);
    uint32_t a = f->v[side], b = f->v[(side + 1) % 3], i = 0, other;
    bool fewer = c->safe->lore[a].primitive_count < c->safe->lore[b].primitive_count;
    while ((other = next_face(c, fewer ? a : b, &i)) != TAC_SAFE_NONE) {
        if (!has_corner(face_at(c, other), fewer ? b : a)) continue;
        uint32_t one = part_of(c, face), two = part_of(c, other);
        c->part[one < two ? two : one] = one < two ? one : two;
    }
}

static void find_parts(const Crowd *c) {
    for (uint32_t f = 0; f < c->face_count; f++) c->part[f] = f;
    for (uint32_t f = 0; f < c->face_count; f++)
        for (int k = 0; k < 3; k++)
            if (face_at(c, f)->flat_sides >> k & 1 && on_body(c->safe, face_at(c, f))) join_across(c, f, k);
    for (uint32_t f = 0; f < c->face_count; f++) c->faces[part_of(c, f)]++;
}

// Counts the corners near its plane, from vertex to vertex.
static uint32_t find_peers(const Crowd *c, uint32_t part) {
    const TacSafe *safe = c->safe;
    const TacPrimitive *first = face_at(c, part);
    TacVec3 a = safe->locals[first->v[0]];
    TacVec3 n = tac_cross(tac_sub(safe->locals[first->v[1]], a), tac_sub(safe->locals[first->v[2]], a));
    double near = NEAR * safe->most_eta * tac_norm(n);
    if (!(near > 0)) return 0; // a face without a plane
    uint32_t peers = 0;
    size_t looks = MOST_LOOKS + 16 * (size_t)c->faces[part], found = 0;
    c->queue[found++] = first->v[0];
    c->seen[first->v[0]] = part + 1;
    for (size_t next = 0; next < found && peers < MOST_PEERS; next++) {
        uint32_t vertex = c->queue[next], i = 0, face;
        peers += !safe->primitives[vertex].flat;
        while (looks > 0 && (face = next_face(c, vertex, &i)) != TAC_SAFE_NONE) {
            looks--;
            for (int k = 0; k < 3; k++) {
                uint32_t v = face_at(c, face)->v[k];
                if (c->seen[v] == part + 1 || fabs(tac_dot(n, tac_sub(safe->locals[v], a))) > near) continue;
                c->seen[v] = part + 1;
                c->queue[found++] = v;
            }
        }
    }
    return peers;
}

// Of the part of each face, to its corners.
static void tell_corners(const Crowd *c) {
    for (uint32_t f = 0; f < c->face_count; f++) {
        uint32_t peers = c->peers[part_of(c, f)];
        for (int k = 0; k < 3; k++) {
            TacVertex *v = &c->safe->vertices[face_at(c, f)->v[k]];
            if (v->peers < peers) v->peers = (uint16_t)peers;
        }
    }
}

bool tac_safe_find_peers(TacSafe *safe) {
    if (!safe->locals) return true;
    size_t first = safe->point_count + safe->edge_count, faces = safe->primitive_count - first;
    uint32_t *room = calloc(3 * faces + 2 * safe->vertex_count + 1, sizeof *room);
    if (!room) return false;
    Crowd c = {.safe = safe, .first_face = first, .face_count = faces, .part = room};
    c.faces = c.part + faces;
    c.peers = c.faces + faces;
    c.seen = c.peers + faces;
    c.queue = c.seen + safe->vertex_count;
    find_parts(&c);
    for (uint32_t f = 0; f < faces; f++)
        if (part_of(&c, f) == f && on_body(safe, face_at(&c, f))) c.peers[f] = find_peers(&c, f);
    tell_corners(&c);
    free(room);
    return true;
}
