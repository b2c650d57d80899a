// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Winding the faces of a surface one way.
//
// Two faces that share an edge agree when they run through it in opposite directions. So every edge with two
// faces says whether these are to be turned alike or not. Faces are gathered into pieces by union-find, where
// each keeps one bit: whether it is to be turned relative to the head of its piece. A piece whose bits contradict
// each other has one side only. Then each piece as a whole is turned outward (by its signed volume, when it is
// closed) or to where most of its faces stand already.

#include "base/memory.h"
#include "geometry/half_edges.h"
#include "geometry/topology.h"

typedef struct Pieces {
    uint32_t *parents; // per face
    uint8_t *turned;   // per face: against its parent
    double *volumes;   // per head, m^3: signed, as wound with the bits
    int64_t *balance;  // per head: faces to be turned minus faces to stay
    uint8_t *open;     // per head: not closed
} Pieces;

// Triangles first, then quads.
typedef struct Surface {
    const TacMesh *mesh;
    size_t triangles, quads;
} Surface;

static int32_t *face_of(const Surface *s, size_t face, int *size) {
    bool triangle = face < s->triangles;
    *size = triangle ? 3 : 4;
    return triangle ? s->mesh->elements[TAC_TRIANGLES].indices + 3 * face
                    : s->mesh->elements[TAC_QUADS].indices + 4 * (face - s->triangles);
}

// The head of a face's piece; *turned becomes the face's bit against it. Shortens the path behind it.
static uint32_t find_head(Pieces *p, uint32_t face, uint8_t *turned) {
    uint32_t head = face;
    uint8_t total = 0;
    while (p->parents[head] != head) {
        total ^= p->turned[head];
        head = p->parents[head];
    }
    *turned = total;
    while (p->parents[face] != head && face != head) {
        uint32_t next = p->parents[face];
        uint8_t bit = p->turned[face];
        p->parents[face] = head;
        p->turned[face] = total;
        total ^= bit;
        face = next;
    }
    return head;
}

// False where the two contradict what is known of them.
static bool join(Pieces *p, uint32_t a, uint32_t b, uint8_t differ) {
    uint8_t bit_a, bit_b;
    uint32_t head_a = find_head(p, a, &bit_a), head_b = find_head(p, b, &bit_b);
    if (head_a == head_b) return (bit_a ^ bit_b) == differ;
    uint32_t low = head_a < head_b ? head_a : head_b, high = head_a < head_b ? head_b : head_a;
    p->parents[high] = low;
    p->turned[high] = bit_a ^ bit_b ^ differ;
    return true;
}

static TacStatus join_faces(Pieces *p, const TacHalfEdge *edges, size_t count, TacError *error) {
    for (size_t i = 0; i < count;) {
        size_t end = tac_half_edges_end(edges, count, i);
        const TacHalfEdge *a = &edges[i], *b = a + 1;
        if (end - i == 2 && a->face != b->face && !join(p, a->face, b->face, a->forward == b->forward))
            return tac_fail(
                error, TAC_BAD_INPUT,
                "the surface has one side only (it closes on itself upside down at the edge from point "
                "%u to point %u), so it cannot be wound one way",
                a->low, a->high);
        i = end;
    }
    return TAC_OK;
}

static void mark_open(Pieces *p, const TacHalfEdge *edges, size_t count) {
    uint8_t bit;
    for (size_t i = 0; i < count;) {
        size_t end = tac_half_edges_end(edges, count, i);
        for (size_t k = i; end - i != 2 && k < end; k++) p->open[find_head(p, edges[k].face, &bit)] = 1;
        i = end;
    }
}

// Six times the volume between a face and a point, as the face is wound.
static double cone(const double *points, const int32_t *corners, int size, TacVec3 apex) {
    double sum = 0;
    TacVec3 a = tac_sub(tac_load3(points + 3 * (size_t)corners[0]), apex);
    for (int k = 1; k + 1 < size; k++) {
        TacVec3 b = tac_sub(tac_load3(points + 3 * (size_t)corners[k]), apex);
        TacVec3 c = tac_sub(tac_load3(points + 3 * (size_t)corners[k + 1]), apex);
        sum += tac_dot(a, tac_cross(b, c));
    }
    return sum;
}

static void weigh_pieces(const Surface *s, Pieces *p) {
    for (size_t f = 0; f < s->triangles + s->quads; f++) {
        uint8_t bit;
        int size, head_size;
        uint32_t head = find_head(p, (uint32_t)f, &bit);
        const int32_t *corners = face_of(s, f, &size), *first = face_of(s, head, &head_size);
        double volume =
            cone(s->mesh->points, corners, size, tac_load3(s->mesh->points + 3 * (size_t)first[0]));
        p->volumes[head] += bit ? -volume : volume;
        p->balance[head] += bit ? 1 : -1;
    }
}

static size_t turn_faces(const Surface *s, Pieces *p) {
    size_t turned = 0;
    for (size_t f = 0; f < s->triangles + s->quads; f++) {
        uint8_t bit;
        int size;
        uint32_t head = find_head(p, (uint32_t)f, &bit);
        bool whole = p->open[head] ? p->balance[head] > 0 : p->volumes[head] < 0;
        if (bit == whole) continue;
        tac_element_reverse(f < s->triangles ? TAC_TRIANGLES : TAC_QUADS, face_of(s, f, &size));
        turned++;
    }
    return turned;
}

static double volume_of(const TacMesh *mesh, TacElement kind, const int32_t *corners) {
    return kind == TAC_TETRAHEDRA ? tac_tetrahedron_volume(mesh->points, corners)
                                  : tac_hexahedron_volume(mesh->points, corners);
}

static size_t turn_volumes(TacMesh *mesh) {
    size_t turned = 0;
    for (TacElement kind = TAC_TETRAHEDRA; kind <= TAC_HEXAHEDRA; kind++) {
        size_t size = (size_t)tac_element_size(kind);
        for (size_t i = 0; i < mesh->elements[kind].count; i++) {
            int32_t *e = mesh->elements[kind].indices + i * size;
            double volume = volume_of(mesh, kind, e);
            if (!(volume < 0)) continue;
            tac_element_reverse(kind, e);
            // a flat one may be negative both ways, by rounding: it stays
            bool better = volume_of(mesh, kind, e) > volume;
            if (!better) tac_element_reverse(kind, e);
            turned += better;
        }
    }
    return turned;
}

TacStatus tac_mesh_orient(TacMesh *mesh, size_t *turned, TacError *error) {
    if (turned) *turned = 0;
    TAC_TRY(tac_mesh_validate(mesh, error));
    Surface s = {mesh, mesh->elements[TAC_TRIANGLES].count, mesh->elements[TAC_QUADS].count};
    size_t faces = s.triangles + s.quads, sides = 3 * s.triangles + 4 * s.quads;
    if (faces > UINT32_MAX - 1) return tac_fail(error, TAC_BAD_INPUT, "the mesh has too many faces");
    TacHalfEdge *edges = malloc(sides * sizeof *edges + 1);
    Pieces p = {.parents = malloc(faces * sizeof *p.parents + 1),
                .turned = calloc(faces + 1, 1),
                .volumes = calloc(faces + 1, sizeof *p.volumes),
                .balance = calloc(faces + 1, sizeof *p.balance),
                .open = calloc(faces + 1, 1)};
    bool room = edges && p.parents && p.turned && p.volumes && p.balance && p.open;
    TacStatus status = room ? TAC_OK : tac_fail_memory(error, sides * sizeof *edges);
    if (status == TAC_OK) {
        for (size_t f = 0; f < faces; f++) p.parents[f] = (uint32_t)f;
        sides = tac_half_edges_list(edges, mesh->elements[TAC_TRIANGLES].indices, s.triangles, 3, 0);
        sides += tac_half_edges_list(edges + sides, mesh->elements[TAC_QUADS].indices, s.quads, 4,
                                     (uint32_t)s.triangles);
        tac_half_edges_sort(edges, sides);
        status = join_faces(&p, edges, sides, error);
    }
    if (status == TAC_OK) {
        mark_open(&p, edges, sides);
        weigh_pieces(&s, &p);
        size_t total = turn_faces(&s, &p) + turn_volumes(mesh);
        if (turned) *turned = total;
    }
    free(edges);
    free(p.parents);
    free(p.turned);
    free(p.volumes);
    free(p.balance);
    free(p.open);
    return status;
}
