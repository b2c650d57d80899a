// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// What the tests of Gmsh, VTK and VTU files share: reference files, own measures of a mesh, and binary files
// made byte by byte. Include after cmocka.h.

#ifndef TACTUS_TESTS_MESH_FORMATS_H
#define TACTUS_TESTS_MESH_FORMATS_H

#include "base/text.h"
#include "tactus/geometry.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static inline char *read_data(const char *name, size_t *bytes) {
    char path[4096], text[2048], *data;
    const char *source = getenv("TACTUS_SOURCE");
    TacError error;
    snprintf(path, sizeof path, "%s/tests/data/mesh/%s", source ? source : ".", name);
    if (tac_read_whole_file(path, 1 << 20, &data, bytes, &error) != TAC_OK)
        fail_msg("%s", tac_error_text(&error, text, sizeof text));
    return data;
}

static inline void parse_or_fail(TacMesh *mesh, const char *name, const void *data, size_t bytes) {
    TacError error;
    char text[2048];
    if (tac_mesh_parse(mesh, name, data, bytes, &error) != TAC_OK)
        fail_msg("%s", tac_error_text(&error, text, sizeof text));
    assert_int_equal(tac_mesh_validate(mesh, &error), TAC_OK);
}

static inline void read_reference(TacMesh *mesh, const char *name) {
    size_t bytes;
    char *data = read_data(name, &bytes);
    parse_or_fail(mesh, name, data, bytes);
    free(data);
}

static inline void assert_near(double value, double expected, double tolerance) {
    if (!(fabs(value - expected) <= tolerance)) fail_msg("%.17g is not %.17g", value, expected);
}

static inline void assert_counts(const TacMesh *mesh, size_t points, size_t edges, size_t triangles,
                                 size_t quads, size_t tetrahedra, size_t hexahedra) {
    assert_int_equal(mesh->point_count, points);
    assert_int_equal(mesh->elements[TAC_EDGES].count, edges);
    assert_int_equal(mesh->elements[TAC_TRIANGLES].count, triangles);
    assert_int_equal(mesh->elements[TAC_QUADS].count, quads);
    assert_int_equal(mesh->elements[TAC_TETRAHEDRA].count, tetrahedra);
    assert_int_equal(mesh->elements[TAC_HEXAHEDRA].count, hexahedra);
}

static inline const double *corner(const TacMesh *mesh, TacElement kind, size_t element, int i) {
    int32_t index = mesh->elements[kind].indices[element * (size_t)tac_element_size(kind) + (size_t)i];
    return mesh->points + 3 * (size_t)index;
}

static inline void assert_corners(const TacMesh *mesh, TacElement kind, size_t element,
                                  const double (*expected)[3]) {
    for (int i = 0; i < tac_element_size(kind); i++)
        for (int j = 0; j < 3; j++)
            if (corner(mesh, kind, element, i)[j] != expected[i][j])
                fail_msg("corner %d of %s %zu is off", i, tac_element_name(kind), element);
}

// Six times the signed volume of a, b, c, d.
static inline double six_volumes(const double *a, const double *b, const double *c, const double *d) {
    double u[3], v[3], w[3];
    for (int i = 0; i < 3; i++) u[i] = b[i] - a[i], v[i] = c[i] - a[i], w[i] = d[i] - a[i];
    return w[0] * (u[1] * v[2] - u[2] * v[1]) + w[1] * (u[2] * v[0] - u[0] * v[2]) +
           w[2] * (u[0] * v[1] - u[1] * v[0]);
}

// Own sum over tetrahedra and hexahedra (of flat faces), so that it does not rest on the library's.
static inline double volume(const TacMesh *mesh) {
    static const int cut[6][2] = {{1, 2}, {2, 3}, {3, 7}, {7, 4}, {4, 5}, {5, 1}};
    double sum = 0;
    for (size_t e = 0; e < mesh->elements[TAC_TETRAHEDRA].count; e++) {
        double v = six_volumes(corner(mesh, TAC_TETRAHEDRA, e, 0), corner(mesh, TAC_TETRAHEDRA, e, 1),
                               corner(mesh, TAC_TETRAHEDRA, e, 2), corner(mesh, TAC_TETRAHEDRA, e, 3));
        assert_true(v > 0);
        sum += v / 6;
    }
    for (size_t e = 0; e < mesh->elements[TAC_HEXAHEDRA].count; e++)
        for (int t = 0; t < 6; t++) {
            double v =
                six_volumes(corner(mesh, TAC_HEXAHEDRA, e, 0), corner(mesh, TAC_HEXAHEDRA, e, cut[t][0]),
                            corner(mesh, TAC_HEXAHEDRA, e, cut[t][1]), corner(mesh, TAC_HEXAHEDRA, e, 6));
            assert_true(v > 0);
            sum += v / 6;
        }
    return sum;
}

// Sum of the areas as seen from +z: negative for elements wound the other way.
static inline double flat_area(const TacMesh *mesh, TacElement kind) {
    int n = tac_element_size(kind);
    double sum = 0;
    for (size_t e = 0; e < mesh->elements[kind].count; e++)
        for (int i = 0; i < n; i++) {
            const double *a = corner(mesh, kind, e, i), *b = corner(mesh, kind, e, (i + 1) % n);
            sum += (a[0] * b[1] - a[1] * b[0]) / 2;
        }
    return sum;
}

typedef struct Bytes {
    unsigned char data[4096];
    size_t count;
    bool big_endian;
} Bytes;

static inline void put(Bytes *bytes, uint64_t value, size_t size) {
    for (size_t i = 0; i < size; i++)
        bytes->data[bytes->count++] = (unsigned char)(value >> 8 * (bytes->big_endian ? size - 1 - i : i));
}

static inline void put_real(Bytes *bytes, double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    put(bytes, bits, 8);
}

static inline void put_text(Bytes *bytes, const char *text) {
    memcpy(bytes->data + bytes->count, text, strlen(text));
    bytes->count += strlen(text);
}

static const double tetrahedron[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 2, 0}, {0.25, 0.5, 3}};

static inline void put_point(Bytes *bytes, int i, int parameters) {
    for (int j = 0; j < 3; j++) put_real(bytes, tetrahedron[i][j]);
    for (int j = 0; j < parameters; j++) put_real(bytes, -7);
}

// Two nodes on a surface with parameters, two in the volume; a triangle of second order and a tetrahedron.
// Numbers far apart and out of order.
static inline void make_gmsh(Bytes *bytes, const char *version, bool big_endian, size_t width) {
    static const uint64_t wide[4] = {5000000001, 3, 1ull << 60, 77},
                          narrow[4] = {2000000001, 3, 1u << 30, 77};
    const uint64_t *ids = strcmp(version, "4.1") || width == 4 ? narrow : wide;
    bool v2 = !strcmp(version, "2.2"), v40 = !strcmp(version, "4.0");
    size_t tag = v2 || v40 ? 4 : width, count = v40 ? 8 : width;
    char header[64];
    *bytes = (Bytes){.big_endian = big_endian};
    snprintf(header, sizeof header, "$MeshFormat\n%s 1 %zu\n", version, width);
    put_text(bytes, header);
    put(bytes, 1, 4);
    put_text(bytes, "\n$EndMeshFormat\n$Other\n$ a $End \n$EndOther\n$Nodes\n");
    if (v2) put_text(bytes, "4\n");
    if (!v2)
        for (int i = 0; i < (v40 ? 2 : 4); i++) put(bytes, i == 0 ? 2 : i == 1 ? 4 : 0, count);
    for (int block = 0; block < 2; block++) {
        int parameters = v2 ? 0 : block == 0 ? 2 : 0;
        if (!v2) {
            put(bytes, block == 0 ? 2 : v40 ? 9 : 3, 4);
            put(bytes, block == 0 ? 2 : v40 ? 3 : 9, 4);
            put(bytes, block == 0, 4);
            put(bytes, 2, count);
        }
        for (int i = 0; !v2 && !v40 && i < 2; i++) put(bytes, ids[2 * block + i], tag);
        for (int i = 0; i < 2; i++) {
            if (v2 || v40) put(bytes, ids[2 * block + i], tag);
            put_point(bytes, 2 * block + i, parameters);
        }
    }
    put_text(bytes, "\n$EndNodes\n$Elements\n");
    if (v2) put_text(bytes, "2\n");
    if (!v2)
        for (int i = 0; i < (v40 ? 2 : 4); i++) put(bytes, i < 2 ? 2 : 0, count);
    for (int block = 0; block < 2; block++) {
        int nodes = block == 0 ? 6 : 4;
        if (v2) {
            put(bytes, block == 0 ? 9 : 4, 4);
            put(bytes, 1, 4);
            put(bytes, 3, 4);
        } else {
            put(bytes, 2, 4);
            put(bytes, 2, 4);
            put(bytes, block == 0 ? 9 : 4, 4);
            put(bytes, 1, count);
        }
        put(bytes, 100 + (uint64_t)block, tag);
        for (int i = 0; v2 && i < 3; i++) put(bytes, 55, 4);
        for (int i = 0; i < nodes; i++) put(bytes, ids[i % 4], tag);
    }
    put_text(bytes, "\n$EndElements\n");
}

#endif
