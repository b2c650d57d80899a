// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Surfaces, edges and splitting. See topology.h.

#include "geometry/topology.h"
#include "base/memory.h"

const int tac_tetrahedron_faces[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};
const int tac_hexahedron_faces[6][4] = {{0, 3, 2, 1}, {4, 5, 6, 7}, {0, 1, 5, 4},
                                        {3, 7, 6, 2}, {1, 2, 6, 5}, {0, 4, 7, 3}};
const int tac_hexahedron_pieces[6][4] = {{0, 1, 2, 6}, {0, 2, 3, 6}, {0, 3, 7, 6},
                                         {0, 7, 4, 6}, {0, 4, 5, 6}, {0, 5, 1, 6}};

static const int tetrahedron_edges[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};
static const int hexahedron_edges[12][2] = {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {4, 5}, {5, 6},
                                            {6, 7}, {7, 4}, {0, 4}, {1, 5}, {2, 6}, {3, 7}};
static const int ring_edges[4][2] = {{0, 1}, {1, 2}, {2, 3}, {3, 0}};
static const int triangle_edges[3][2] = {{0, 1}, {1, 2}, {2, 0}};

double tac_tetrahedron_volume(const double *points, const int32_t corners[4]) {
    TacVec3 a = tac_load3(points + 3 * (size_t)corners[0]);
    TacVec3 ab = tac_sub(tac_load3(points + 3 * (size_t)corners[1]), a);
    TacVec3 ac = tac_sub(tac_load3(points + 3 * (size_t)corners[2]), a);
    TacVec3 ad = tac_sub(tac_load3(points + 3 * (size_t)corners[3]), a);
    return tac_dot(ad, tac_cross(ab, ac)) / 6;
}

double tac_hexahedron_volume(const double *points, const int32_t corners[8]) {
    double volume = 0;
    for (int i = 0; i < 6; i++) {
        int32_t piece[4];
        for (int j = 0; j < 4; j++) piece[j] = corners[tac_hexahedron_pieces[i][j]];
        volume += tac_tetrahedron_volume(points, piece);
    }
    return volume;
}

static void swap(int32_t *a, int32_t *b) {
    int32_t t = *a;
    *a = *b;
    *b = t;
}

void tac_element_reverse(TacElement kind, int32_t *corners) {
    switch (kind) {
    case TAC_TRIANGLES:
    case TAC_TETRAHEDRA: swap(corners + 1, corners + 2); break;
    case TAC_QUADS: swap(corners + 1, corners + 3); break;
    case TAC_HEXAHEDRA:
        // both quads run the other way; the diagonal 0-6 stays, and with it the agreement of split neighbours
        swap(corners + 1, corners + 3);
        swap(corners + 5, corners + 7);
        break;
    default: break;
    }
}

void tac_mesh_reverse(TacMesh *mesh) {
    for (TacElement kind = TAC_TRIANGLES; kind < TAC_ELEMENT_KINDS; kind++) {
        size_t size = (size_t)tac_element_size(kind);
        for (size_t i = 0; i < mesh->elements[kind].count; i++)
            tac_element_reverse(kind, mesh->elements[kind].indices + i * size);
    }
}

// Sorting. A record is `width` numbers of which the first `keys` are point numbers.

// One stable pass by the column `key`. `start` has room for points + 1.
static inline void sort_pass(const uint32_t *from, uint32_t *to, size_t count, int width, int key,
                             size_t *start, size_t points) {
    memset(start, 0, (points + 1) * sizeof *start);
    for (size_t i = 0; i < count; i++) start[from[i * (size_t)width + (size_t)key] + 1]++;
    for (size_t i = 0; i < points; i++) start[i + 1] += start[i];
    for (size_t i = 0; i < count; i++) {
        const uint32_t *record = from + i * (size_t)width;
        memcpy(to + (size_t)width * start[record[key]]++, record, (size_t)width * sizeof *record);
    }
}

// Sorts *records in ascending order; *records may become another block. `width` is a constant where it is
// called, so that records are moved without calls.
static inline TacStatus sort_records(uint32_t **records, size_t count, int width, int keys, size_t points,
                                     TacError *error) {
    uint32_t *other = malloc(count * (size_t)width * sizeof *other + 1);
    size_t *start = malloc((points + 1) * sizeof *start);
    if (!other || !start) {
        free(other);
        free(start);
        return tac_fail_memory(error, count * (size_t)width * sizeof *other);
    }
    for (int key = keys - 1; key >= 0; key--) {
        sort_pass(*records, other, count, width, key, start, points);
        uint32_t *t = *records;
        *records = other;
        other = t;
    }
    free(other);
    free(start);
    return TAC_OK;
}

// All faces of one shape: `keys` ascending point numbers, then the number of the face.
typedef struct Faces {
    uint32_t *records;
    size_t count;
    int keys;
    uint8_t *outer; // per face number: belongs to one element only
} Faces;

static void faces_destroy(Faces *faces) {
    free(faces->records);
    free(faces->outer);
    *faces = (Faces){0};
}

static inline void sort_few(uint32_t *a, int n) {
    for (int i = 1; i < n; i++)
        for (int j = i; j > 0 && a[j - 1] > a[j]; j--) {
            uint32_t t = a[j];
            a[j] = a[j - 1];
            a[j - 1] = t;
        }
}

static bool same_keys(const uint32_t *a, const uint32_t *b, int keys) {
    for (int i = 0; i < keys; i++)
        if (a[i] != b[i]) return false;
    return true;
}

static inline void list_faces(Faces *faces, const int32_t *indices, size_t elements, int size,
                              const int *corners, int per_element, int keys) {
    uint32_t *record = faces->records;
    uint32_t number = 0;
    for (size_t e = 0; e < elements; e++)
        for (int f = 0; f < per_element; f++, record += keys + 1) {
            for (int c = 0; c < keys; c++)
                record[c] = (uint32_t)indices[e * (size_t)size + (size_t)corners[f * keys + c]];
            sort_few(record, keys);
            record[keys] = number++;
        }
}

// Faces that occur once are outer ones.
static void mark_outer(Faces *faces) {
    size_t width = (size_t)faces->keys + 1;
    for (size_t i = 0; i < faces->count;) {
        const uint32_t *first = faces->records + i * width;
        size_t next = i + 1;
        while (next < faces->count && same_keys(first, faces->records + next * width, faces->keys)) next++;
        if (next == i + 1) faces->outer[first[faces->keys]] = 1;
        i = next;
    }
}

static TacStatus faces_create(Faces *faces, const TacMesh *mesh, TacElement kind, TacError *error) {
    bool tetrahedra = kind == TAC_TETRAHEDRA;
    size_t elements = mesh->elements[kind].count, per_element = tetrahedra ? 4 : 6;
    *faces = (Faces){.keys = tetrahedra ? 3 : 4, .count = elements * per_element};
    if (elements > UINT32_MAX / per_element)
        return tac_fail(error, TAC_BAD_INPUT, "the mesh has too many %s for its surface to be found",
                        tac_element_name(kind));
    size_t bytes = faces->count * ((size_t)faces->keys + 1) * sizeof(uint32_t);
    faces->records = malloc(bytes + 1);
    faces->outer = calloc(faces->count + 1, 1);
    TacStatus status = faces->records && faces->outer ? TAC_OK : tac_fail_memory(error, bytes);
    if (status == TAC_OK && tetrahedra) {
        list_faces(faces, mesh->elements[kind].indices, elements, 4, &tac_tetrahedron_faces[0][0], 4, 3);
        status = sort_records(&faces->records, faces->count, 4, 3, mesh->point_count, error);
    } else if (status == TAC_OK) {
        list_faces(faces, mesh->elements[kind].indices, elements, 8, &tac_hexahedron_faces[0][0], 6, 4);
        status = sort_records(&faces->records, faces->count, 5, 4, mesh->point_count, error);
    }
    if (status == TAC_OK)
        mark_outer(faces);
    else
        faces_destroy(faces);
    return status;
}

// The outer triangle with these corners, or NULL. Triangles are sorted.
static uint8_t *find_outer(const Faces *triangles, uint32_t a, uint32_t b, uint32_t c) {
    uint32_t key[3] = {a, b, c};
    sort_few(key, 3);
    size_t low = 0, high = triangles->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const uint32_t *r = triangles->records + 4 * middle;
        bool before = r[0] != key[0] ? r[0] < key[0] : r[1] != key[1] ? r[1] < key[1] : r[2] < key[2];
        if (before)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == triangles->count || !same_keys(triangles->records + 4 * low, key, 3)) return NULL;
    uint8_t *outer = triangles->outer + triangles->records[4 * low + 3];
    return *outer ? outer : NULL;
}

// Where a hexahedron borders on tetrahedra (a pyramid's pieces), one quad meets two triangles: both sides are
// inside the mesh.
static void join_mixed(const TacMesh *mesh, Faces *triangles, Faces *quads) {
    if (!triangles->count) return;
    for (size_t f = 0; f < quads->count; f++) {
        if (!quads->outer[f]) continue;
        uint32_t q[4];
        for (size_t c = 0; c < 4; c++)
            q[c] = (uint32_t)mesh->elements[TAC_HEXAHEDRA]
                       .indices[f / 6 * 8 + (size_t)tac_hexahedron_faces[f % 6][c]];
        for (int turn = 0; turn < 2; turn++) {
            uint8_t *one = find_outer(triangles, q[turn], q[turn + 1], q[turn + 2]);
            uint8_t *two = find_outer(triangles, q[turn], q[turn + 2], q[(turn + 3) % 4]);
            if (one && two) {
                *one = *two = quads->outer[f] = 0;
                break;
            }
        }
    }
}

static size_t count_outer(const Faces *faces) {
    size_t count = 0;
    for (size_t i = 0; i < faces->count; i++) count += faces->outer[i];
    return count;
}

static int32_t *put_triangle(int32_t *out, int32_t a, int32_t b, int32_t c, bool reversed) {
    out[0] = a;
    out[1] = reversed ? c : b;
    out[2] = reversed ? b : c;
    return out + 3;
}

// Outer faces in the order of their elements, turned where an element of the file is inside out.
static void put_outer(const TacMesh *mesh, const Faces *triangles, const Faces *quads, int32_t *out) {
    for (size_t f = 0; f < triangles->count; f++) {
        if (!triangles->outer[f]) continue;
        const int32_t *e = mesh->elements[TAC_TETRAHEDRA].indices + f / 4 * 4;
        const int *c = tac_tetrahedron_faces[f % 4];
        out = put_triangle(out, e[c[0]], e[c[1]], e[c[2]], tac_tetrahedron_volume(mesh->points, e) < 0);
    }
    for (size_t f = 0; f < quads->count; f++) {
        if (!quads->outer[f]) continue;
        const int32_t *e = mesh->elements[TAC_HEXAHEDRA].indices + f / 6 * 8;
        const int *c = tac_hexahedron_faces[f % 6];
        bool reversed = tac_hexahedron_volume(mesh->points, e) < 0;
        out = put_triangle(out, e[c[0]], e[c[1]], e[c[2]], reversed);
        out = put_triangle(out, e[c[0]], e[c[2]], e[c[3]], reversed);
    }
}

static TacStatus outer_surface(const TacMesh *mesh, int32_t **triangles, size_t *count, TacError *error) {
    Faces threes = {0}, fours = {0};
    TAC_TRY(faces_create(&threes, mesh, TAC_TETRAHEDRA, error));
    TacStatus status = faces_create(&fours, mesh, TAC_HEXAHEDRA, error);
    if (status == TAC_OK) {
        join_mixed(mesh, &threes, &fours);
        *count = count_outer(&threes) + 2 * count_outer(&fours);
        *triangles = malloc(*count * 3 * sizeof(int32_t) + 1);
        if (*triangles)
            put_outer(mesh, &threes, &fours, *triangles);
        else
            status = tac_fail_memory(error, *count * 3 * sizeof(int32_t));
    }
    faces_destroy(&threes);
    faces_destroy(&fours);
    return status;
}

// Two triangles per quad, behind `out`.
static void split_quads(const TacMesh *mesh, int32_t *out) {
    const int32_t *q = mesh->elements[TAC_QUADS].indices;
    for (size_t i = 0; i < mesh->elements[TAC_QUADS].count; i++, q += 4) {
        out = put_triangle(out, q[0], q[1], q[2], false);
        out = put_triangle(out, q[0], q[2], q[3], false);
    }
}

static void copy_ints(int32_t *to, const int32_t *from, size_t count) {
    if (count) memcpy(to, from, count * sizeof *to);
}

TacStatus tac_mesh_surface(const TacMesh *mesh, int32_t **triangles, size_t *count, TacError *error) {
    *triangles = NULL;
    *count = 0;
    TacStatus status = TAC_OK;
    if (mesh->elements[TAC_TETRAHEDRA].count || mesh->elements[TAC_HEXAHEDRA].count) {
        status = outer_surface(mesh, triangles, count, error);
        if (status != TAC_OK) *count = 0;
        return status;
    }
    size_t own = mesh->elements[TAC_TRIANGLES].count;
    size_t total = own + 2 * mesh->elements[TAC_QUADS].count;
    *triangles = malloc(total * 3 * sizeof(int32_t) + 1);
    if (!*triangles) return tac_fail_memory(error, total * 3 * sizeof(int32_t));
    copy_ints(*triangles, mesh->elements[TAC_TRIANGLES].indices, own * 3);
    split_quads(mesh, *triangles + own * 3);
    *count = total;
    return TAC_OK;
}

static const int (*edges_of(TacElement kind, int *count))[2] {
    switch (kind) {
    case TAC_EDGES: *count = 1; return ring_edges;
    case TAC_TRIANGLES: *count = 3; return triangle_edges;
    case TAC_QUADS: *count = 4; return ring_edges;
    case TAC_TETRAHEDRA: *count = 6; return tetrahedron_edges;
    default: *count = 12; return hexahedron_edges;
    }
}

// Pairs i < j behind `pair`; edges from a point to itself are left out.
static uint32_t *list_edges(const TacMesh *mesh, TacElement kind, uint32_t *pair) {
    int per_element, size = tac_element_size(kind);
    const int(*ends)[2] = edges_of(kind, &per_element);
    const int32_t *e = mesh->elements[kind].indices;
    for (size_t i = 0; i < mesh->elements[kind].count; i++, e += size)
        for (int k = 0; k < per_element; k++) {
            uint32_t a = (uint32_t)e[ends[k][0]], b = (uint32_t)e[ends[k][1]];
            if (a == b) continue;
            pair[0] = a < b ? a : b;
            pair[1] = a < b ? b : a;
            pair += 2;
        }
    return pair;
}

TacStatus tac_mesh_all_edges(const TacMesh *mesh, int32_t **edges, size_t *count, TacError *error) {
    *edges = NULL;
    *count = 0;
    size_t most = 0;
    for (TacElement kind = TAC_EDGES; kind < TAC_ELEMENT_KINDS; kind++) {
        int per_element;
        edges_of(kind, &per_element);
        most += mesh->elements[kind].count * (size_t)per_element;
    }
    uint32_t *pairs = malloc(most * 2 * sizeof *pairs + 1);
    if (!pairs) return tac_fail_memory(error, most * 2 * sizeof *pairs);
    uint32_t *end = pairs;
    for (TacElement kind = TAC_EDGES; kind < TAC_ELEMENT_KINDS; kind++) end = list_edges(mesh, kind, end);
    size_t listed = (size_t)(end - pairs) / 2, kept = 0;
    TacStatus status = sort_records(&pairs, listed, 2, 2, mesh->point_count, error);
    if (status != TAC_OK) {
        free(pairs);
        return status;
    }
    for (size_t i = 0; i < listed; i++) {
        if (kept && same_keys(pairs + 2 * (kept - 1), pairs + 2 * i, 2)) continue;
        pairs[2 * kept] = pairs[2 * i];
        pairs[2 * kept + 1] = pairs[2 * i + 1];
        kept++;
    }
    // signed and unsigned numbers of one width may share memory
    int32_t *shorter = realloc(pairs, kept * 2 * sizeof *pairs + 1);
    *edges = shorter ? shorter : (int32_t *)pairs;
    *count = kept;
    return TAC_OK;
}

TacStatus tac_mesh_split(TacMesh *mesh, TacError *error) {
    size_t triangles = mesh->elements[TAC_TRIANGLES].count, quads = mesh->elements[TAC_QUADS].count;
    size_t tetrahedra = mesh->elements[TAC_TETRAHEDRA].count, hexahedra = mesh->elements[TAC_HEXAHEDRA].count;
    size_t new_triangles = triangles + 2 * quads, new_tetrahedra = tetrahedra + 6 * hexahedra;
    if (!quads && !hexahedra) return TAC_OK;

    // both blocks before anything is changed
    int32_t *threes = malloc(new_triangles * 3 * sizeof *threes + 1);
    int32_t *fours = malloc(new_tetrahedra * 4 * sizeof *fours + 1);
    if (!threes || !fours) {
        free(threes);
        free(fours);
        return tac_fail_memory(error, (new_triangles * 3 + new_tetrahedra * 4) * sizeof(int32_t));
    }
    copy_ints(threes, mesh->elements[TAC_TRIANGLES].indices, triangles * 3);
    copy_ints(fours, mesh->elements[TAC_TETRAHEDRA].indices, tetrahedra * 4);
    split_quads(mesh, threes + triangles * 3);
    int32_t *out = fours + tetrahedra * 4;
    for (size_t i = 0; i < hexahedra; i++)
        for (int p = 0; p < 6; p++)
            for (int c = 0; c < 4; c++)
                *out++ = mesh->elements[TAC_HEXAHEDRA].indices[8 * i + (size_t)tac_hexahedron_pieces[p][c]];

    for (TacElement kind = TAC_TRIANGLES; kind < TAC_ELEMENT_KINDS; kind++)
        free(mesh->elements[kind].indices);
    mesh->elements[TAC_TRIANGLES].indices = threes;
    mesh->elements[TAC_TRIANGLES].count = new_triangles;
    mesh->elements[TAC_TETRAHEDRA].indices = fours;
    mesh->elements[TAC_TETRAHEDRA].count = new_tetrahedra;
    mesh->elements[TAC_QUADS].indices = mesh->elements[TAC_HEXAHEDRA].indices = NULL;
    mesh->elements[TAC_QUADS].count = mesh->elements[TAC_HEXAHEDRA].count = 0;
    return TAC_OK;
}
