// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// OBJ, STL, PLY, sphere lists and PC2: what they mean, exact round trips, and hostile files. Real files are
// read from the folder that TACTUS_SHARED names (or ../shared beside the source folder) where there is one.

#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/memory.h"
#include "base/random.h"
#include "base/text.h"
#include "geometry/mesh_file.h"
#include "geometry/pc2.h"
#include "mesh_checks.h"

#include <dirent.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[64];

static int make_folder(void **state) {
    (void)state;
    strcpy(folder, "/tmp/tactus-mesh-XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state) {
    (void)state;
    return rmdir(folder);
}

static const char *in_folder(const char *name) {
    static char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static TacStatus parse(TacMesh *mesh, const char *name, const char *text, TacError *error) {
    return tac_mesh_parse(mesh, name, text, strlen(text), error);
}

static void assert_parses(TacMesh *mesh, const char *name, const char *text) {
    TacError error = {0};
    char message[2048];
    if (parse(mesh, name, text, &error) != TAC_OK)
        fail_msg("%s", tac_error_text(&error, message, sizeof message));
    assert_int_equal(tac_mesh_validate(mesh, NULL), TAC_OK);
}

// Refused at this line (0: none), with a message that holds `part`, and the mesh left empty.
static void assert_refused(const char *name, const char *text, int line, const char *part) {
    TacError error = {0};
    TacMesh mesh;
    memset(&mesh, 0x55, sizeof mesh);
    assert_int_equal(parse(&mesh, name, text, &error), TAC_BAD_INPUT);
    assert_int_equal(error.line, line);
    assert_string_equal(error.file, name);
    if (!strstr(error.message, part)) fail_msg("'%s' is not in '%s'", part, error.message);
    const TacMesh empty = {0};
    assert_memory_equal(&mesh, &empty, sizeof mesh);
}

static void assert_same(const TacMesh *a, const TacMesh *b) {
    assert_int_equal(a->point_count, b->point_count);
    assert_memory_equal(a->points, b->points, a->point_count * 3 * sizeof(double));
    for (TacElement kind = TAC_EDGES; kind < TAC_ELEMENT_KINDS; kind++) {
        size_t count = a->elements[kind].count;
        assert_int_equal(count, b->elements[kind].count);
        if (count)
            assert_memory_equal(a->elements[kind].indices, b->elements[kind].indices,
                                count * (size_t)tac_element_size(kind) * sizeof(int32_t));
    }
    assert_true(!a->radii == !b->radii);
    if (a->radii) assert_memory_equal(a->radii, b->radii, a->point_count * sizeof(double));
}

// OBJ

static void obj_faces_lines_and_polygons(void **state) {
    (void)state;
    TacMesh mesh;
    assert_parses(
        &mesh, "a.obj",
        "# comment\r\nmtllib x.mtl\r\no thing\r\nv 0 0 0\r\nv 1 0 0 1.0\nv 1 1 0 0.5 0.5 0.5\n"
        "v 0 1e0 0\n  v\t.5 +1.5 -0\nvt 0 0\nvn 0 0 1\ng a b\nusemtl red\ns off\n"
        "f 1/1/1 2/1 3//1 # tail\nf -5 -4 -3 -2\nf 1 2 3 5 4\nl 1 2 3/1\nf 1 2 \\\n3\nf 1 2\\\n 4\np 1\n");
    assert_int_equal(mesh.point_count, 5);
    assert_true(mesh.points[12] == 0.5 && mesh.points[13] == 1.5);
    assert_int_equal(mesh.elements[TAC_TRIANGLES].count, 1 + 3 + 2);
    assert_int_equal(mesh.elements[TAC_QUADS].count, 1);
    assert_int_equal(mesh.elements[TAC_EDGES].count, 2);
    const int32_t triangles[18] = {0, 1, 2, 0, 1, 2, 0, 2, 4, 0, 4, 3, 0, 1, 2, 0, 1, 3},
                  quad[4] = {0, 1, 2, 3};
    assert_memory_equal(mesh.elements[TAC_TRIANGLES].indices, triangles, sizeof triangles);
    assert_memory_equal(mesh.elements[TAC_QUADS].indices, quad, sizeof quad);
    tac_mesh_destroy(&mesh);
    // a face may stand before its points
    assert_parses(&mesh, "a.obj", "f 1 2 3\nv 0 0 0\nv 1 0 0\nv 0 1 0");
    tac_mesh_destroy(&mesh);
}

static void obj_errors_name_the_line(void **state) {
    (void)state;
    const char *three = "v 0 0 0\nv 1 0 0\nv 0 1 0\n";
    char text[256];
    static const struct {
        const char *line, *part;
    } cases[] = {
        {"f 1 2 0", "point number"},    {"f 1 2 x", "point number"},
        {"f 1 2 3a", "point number"},   {"f 1 2 9", "point 8"},
        {"f 1 2 -4", "before"},         {"f 1 2", "at least 3"},
        {"f 1 2 99999999999", "range"}, {"l 1", "at least 2"},
        {"v 0 0", "v x y z"},           {"v 0 0 nan", "finite"},
        {"v 0 inf 0", "finite"},        {"v 0 0 1e999", "finite"},
        {"v 0 0 1x", "finite"},         {"vertex 0 0 0", "statement"},
        {"usemtll red", "'usemtl'"},    {"f 1 2 99999999999999999999", "point number"},
        {"f 1/x 2 3", "point number"},
    };
    for (size_t i = 0; i < TAC_COUNT(cases); i++) {
        snprintf(text, sizeof text, "%s%s\nv 5 5 5\n", three, cases[i].line);
        assert_refused("a.obj", text, 4, cases[i].part);
    }
    assert_refused("a.obj", "", 0, "empty");
    assert_refused("a.obj", "# nothing\n", 0, "no points");
    TacError error = {0};
    TacMesh mesh;
    parse(&mesh, "a.obj", "v 0 0 0\n f 1 oops\n", &error);
    assert_int_equal(error.column, 6);
}

// STL

static const char stl_text[] = "solid two words\n facet normal nan 0 1\n  outer loop\n   vertex 0 0 0\n"
                               "   vertex 1 0 0\n   vertex 0 1 0\n  endloop\n endfacet\n"
                               " FACET NORMAL 0 0 1\n  OUTER LOOP\n   VERTEX 1 0 0\n   VERTEX 1 1e0 0\n"
                               "   VERTEX 0 1 -0\n  ENDLOOP\n ENDFACET\nendsolid two words\n";

static void put_u32(unsigned char *b, uint32_t v) {
    for (int i = 0; i < 4; i++) b[i] = (unsigned char)(v >> 8 * i);
}

static void put_float(unsigned char *b, float v) {
    uint32_t bits;
    memcpy(&bits, &v, sizeof bits);
    put_u32(b, bits);
}

// Two triangles that share an edge. The header may begin like a text's.
static size_t make_binary_stl(unsigned char *b, const char *header) {
    static const float points[6][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, -0.0f}};
    memset(b, 0, 184);
    memcpy(b, header, strlen(header));
    put_u32(b + 80, 2);
    for (int i = 0; i < 18; i++) put_float(b + 84 + i / 9 * 50 + 12 + i % 9 * 4, points[i / 3][i % 3]);
    return 184;
}

static void stl_is_welded(void **state) {
    (void)state;
    TacMesh text, binary;
    assert_parses(&text, "a.stl", stl_text);
    assert_int_equal(text.point_count, 4);
    assert_int_equal(text.elements[TAC_TRIANGLES].count, 2);
    static const char *const headers[] = {"made by hand", "solid thing"}, *const names[] = {"a.stl", "a",
                                                                                            "a.STL"};
    unsigned char bytes[184];
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 3; j++) {
            size_t size = make_binary_stl(bytes, headers[i]);
            assert_int_equal(tac_mesh_parse(&binary, names[j], bytes, size, NULL), TAC_OK);
            assert_same(&text, &binary);
            tac_mesh_destroy(&binary);
        }
    tac_mesh_destroy(&text);
}

static void stl_errors(void **state) {
    (void)state;
    assert_refused("a.stl", "", 0, "empty");
    assert_refused("a.stl", "solid\nfacet normal 0 0 1\nouter loop\nvertex 0 0 inf\n", 4, "finite");
    assert_refused("a.stl", "solid\nfacet\nouter loop\nvertex 0 0 0\nvertex 0 0 1\nendloop\n", 6, "third");
    assert_refused("a.stl", "solid\nfacet\nvertex 0 0 0\n", 3, "outer loop");
    assert_refused("a.stl", "solid\nfacet\n", 2, "cut off");
    assert_refused("a.stl", "liquid\n", 1, "solid");
    unsigned char bytes[184];
    TacMesh mesh;
    TacError error = {0};
    make_binary_stl(bytes, "x");
    put_u32(bytes + 80, 0xffffffffu);
    assert_int_equal(tac_mesh_parse(&mesh, "a.stl", bytes, 184, &error), TAC_BAD_INPUT);
    assert_non_null(strstr(error.message, "cut off after 2"));
    make_binary_stl(bytes, "x");
    put_float(bytes + 100, NAN);
    assert_int_equal(tac_mesh_parse(&mesh, "a.stl", bytes, 184, NULL), TAC_BAD_INPUT);
}

// PLY

static void ply_text_with_everything(void **state) {
    (void)state;
    TacMesh mesh;
    assert_parses(&mesh, "a.ply",
                  "ply\r\nformat ascii 1.0\r\ncomment hello\r\nobj_info none\r\nelement camera 1\n"
                  "property float view\nproperty list uchar int tags\nelement vertex 5\nproperty float nx\n"
                  "property float32 x\nproperty double y\nproperty int16 z\nproperty float radius\n"
                  "element face 3\nproperty uchar red\nproperty list uint8 int vertex_index\n"
                  "property list uchar float texcoord\nelement tristrips 1\n"
                  "property list int int vertex_indices\nelement edge 1\nproperty int vertex1\n"
                  "property uchar red\nproperty int vertex2\nelement nothing 3\nend_header\n"
                  "nan 2 7 8\nnan 0 0 0 1\n1 1 0 0 2\n1 1 1 0 3\n1 0 1 0 4\n1 0.5 0.5 1 5\n"
                  "255 3 0 1 2 0\n255 4 0 1 2 3 2 0.5 0.5\n255 5 0 1 2 3 4 0\n7 0 1 3 2 -1 0 1\n0 9 4\n");
    assert_int_equal(mesh.point_count, 5);
    assert_true(mesh.points[12] == 0.5 && mesh.points[14] == 1 && mesh.radii[4] == 5);
    assert_int_equal(mesh.elements[TAC_TRIANGLES].count, 1 + 3 + 2);
    assert_int_equal(mesh.elements[TAC_QUADS].count, 1);
    const int32_t strip[6] = {0, 1, 3, 3, 1, 2}, edge[2] = {0, 4};
    assert_memory_equal(mesh.elements[TAC_TRIANGLES].indices + 12, strip, sizeof strip);
    assert_memory_equal(mesh.elements[TAC_EDGES].indices, edge, sizeof edge);
    tac_mesh_destroy(&mesh);
}

static unsigned char *put_bytes(unsigned char *out, const void *value, size_t size, bool big) {
    // the tests' machine is little-endian where its integers say so
    const uint16_t one = 1;
    bool swap = big == (*(const unsigned char *)&one == 1);
    for (size_t i = 0; i < size; i++) out[i] = ((const unsigned char *)value)[swap ? size - 1 - i : i];
    return out + size;
}

// A tetrahedron's surface, a quad, and an element that nobody knows.
static size_t make_binary_ply(unsigned char *bytes, bool big) {
    int length = sprintf((char *)bytes,
                         "ply\nformat binary_%s_endian 1.0\nelement vertex 4\nproperty double x\n"
                         "property float y\nproperty short z\nproperty uchar red\nelement odd 2\n"
                         "property list ushort double values\nproperty double c\nelement face 5\n"
                         "property list uchar uint vertex_indices\nend_header\n",
                         big ? "big" : "little");
    unsigned char *out = bytes + length;
    static const int points[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, -300}};
    for (int i = 0; i < 4; i++) {
        double x = points[i][0];
        float y = (float)points[i][1];
        int16_t z = (int16_t)points[i][2];
        out = put_bytes(put_bytes(out, &x, 8, big), &y, 4, big);
        out = put_bytes(out, &z, 2, big);
        *out++ = 200;
    }
    for (uint16_t i = 0; i < 2; i++) {
        uint16_t count = (uint16_t)(i * 2);
        out = put_bytes(out, &count, 2, big);
        for (int k = 0; k < count; k++) out = put_bytes(out, &(double){NAN}, 8, big);
        out = put_bytes(out, &(double){1}, 8, big);
    }
    static const uint32_t faces[5][5] = {
        {3, 0, 1, 2}, {3, 0, 3, 1}, {3, 1, 3, 2}, {3, 2, 3, 0}, {4, 0, 1, 2, 3}};
    for (int i = 0; i < 5; i++) {
        *out++ = (unsigned char)faces[i][0];
        for (uint32_t k = 1; k <= faces[i][0]; k++) out = put_bytes(out, &faces[i][k], 4, big);
    }
    return (size_t)(out - bytes);
}

static void ply_binary_of_both_orders(void **state) {
    (void)state;
    static unsigned char bytes[2048];
    TacMesh little, big;
    size_t size = make_binary_ply(bytes, false);
    assert_int_equal(tac_mesh_parse(&little, "a.ply", bytes, size, NULL), TAC_OK);
    size = make_binary_ply(bytes, true);
    assert_int_equal(tac_mesh_parse(&big, "by content", bytes, size, NULL), TAC_OK);
    assert_same(&little, &big);
    assert_true(little.points[3] == 1 && little.points[7] == 1 && little.points[11] == -300);
    assert_int_equal(little.elements[TAC_QUADS].count, 1);
    assert_int_equal(closed_euler(little.elements[TAC_TRIANGLES].indices, 4, 4), 2);
    assert_near(enclosed_volume(little.points, little.elements[TAC_TRIANGLES].indices, 4), 50, 1e-12);
    tac_mesh_destroy(&little);
    tac_mesh_destroy(&big);
}

static void ply_errors(void **state) {
    (void)state;
#define HEAD "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n"
#define FACE "element face 1\nproperty list uchar int vertex_indices\nend_header\n"
    assert_refused("a.ply", "plywood\n", 1, "'ply'");
    assert_refused("a.ply", "ply\nformat ascii 1.0\n", 2, "'end_header'");
    assert_refused("a.ply", "ply\nformat morse 1.0\n", 2, "ascii");
    assert_refused("a.ply", "ply\nend_header\n", 2, "'format'");
    assert_refused("a.ply", "ply\nproperty int x\n", 2, "'element'");
    assert_refused("a.ply", "ply\nelement vertex -3\n", 2, "count");
    assert_refused("a.ply", "ply\nelement vertex 3\nproperty flaot x\n", 3, "'float'");
    assert_refused("a.ply", "ply\nelement face 3\nproperty list float int vertex_indices\n", 3,
                   "whole-number");
    assert_refused("a.ply", "ply\nformat ascii 1.0\nelement vertex 1\nproperty int x\nend_header\n0\n", 3,
                   "x, y");
    assert_refused("a.ply", HEAD FACE "0 0 0\n0 0 nan\n1 1 1\n3 0 1 2\n", 11, "finite");
    assert_refused("a.ply", HEAD FACE "0 0 0\n0 0 1\n1 1 1\n3 0 1 3\n", 13, "point 3");
    assert_refused("a.ply", HEAD FACE "0 0 0\n0 0 1\n1 1 1\n3 0 1 -1\n", 13, "range");
    assert_refused("a.ply", HEAD FACE "0 0 0\n0 0 1\n1 1 1\n3 0 1 1.5\n", 13, "point number");
    assert_refused("a.ply", HEAD FACE "0 0 0\n0 0 1\n1 1 1\n3 0 1\n", 14, "announces");
    assert_refused("a.ply", HEAD FACE "0 0 0\n0 0 1\n1 1 1\n-3 0 1 2\n", 13, "length");
    assert_refused("a.ply", HEAD FACE "0 0 0\n0 0 1\n1 1 1\n1000000000 0 1 2\n", 13, "announces");
    // cut off in a number behind a list, where only the list's room was known before
    assert_refused("a.ply",
                   "ply\nformat binary_little_endian 1.0\nelement vertex 1\nproperty list char char x\n"
                   "property uchar x\nproperty uchar y\nproperty double z\nend_header\n\4aaaaxyzz",
                   0, "announces");
    // counts that no file could hold, also of elements that take no room
    assert_refused("a.ply",
                   "ply\nformat ascii 1.0\nelement vertex 1000000000\nproperty int x\nproperty int y\n"
                   "property int z\nend_header\n0 0 0\n",
                   8, "announces");
    assert_refused("a.ply", "ply\nformat ascii 1.0\nelement x 9000000000000000000\nend_header\n", 0,
                   "no points");
    assert_refused("a.ply",
                   "ply\nformat binary_little_endian 1.0\nelement vertex 1000000000\n"
                   "property int x\nproperty int y\nproperty int z\nend_header\n",
                   0, "announces");
}

// Sphere lists

static void sph_of_both_kinds(void **state) {
    (void)state;
    TacMesh sofa, plain;
    assert_parses(&sofa, "a.sph",
                  "sph 1.0\n#nums 2\nnums 2\n\nsphe 1 -4 1.25 0 0.85\nsphe 2 1 2 3 .5 # end\n");
    assert_parses(&plain, "a.balls", "# x y z r\n-4 1.25 0 0.85\n  1 2 3 .5\n");
    assert_same(&sofa, &plain);
    assert_int_equal(sofa.point_count, 2);
    assert_true(sofa.points[1] == 1.25 && sofa.radii[0] == 0.85 && sofa.radii[1] == 0.5);
    tac_mesh_destroy(&sofa);
    tac_mesh_destroy(&plain);
    assert_refused("a.sph", "sph 1.0\nsphe 1 0 0 0\n", 2, "sphe number");
    assert_refused("a.sph", "sph 1.0\nsphe 1 0 0 0 -1\n", 2, "positive");
    assert_refused("a.sph", "0 0 0 0\n", 1, "positive");
    assert_refused("a.sph", "0 0 0 1 5\n", 1, "end of the line");
    assert_refused("a.sph", "cube 0 0 0 1\n", 1, "'sphe'");
}

// All formats

static void content_decides_without_extension(void **state) {
    (void)state;
    TacMesh mesh;
    assert_parses(&mesh, "", "# a comment\nv 0 0 0\n");
    tac_mesh_destroy(&mesh);
    assert_parses(&mesh, "folder.obj/file",
                  "ply\nformat ascii 1.0\nelement vertex 1\nproperty int x\n"
                  "property int y\nproperty int z\nend_header\n1 2 3\n");
    assert_true(mesh.points[2] == 3);
    tac_mesh_destroy(&mesh);
    assert_parses(&mesh, "file.dat", stl_text);
    tac_mesh_destroy(&mesh);
    assert_refused("file.dat", "Dear reader,\n", 0, "known format");
    assert_refused("file.dat", "", 0, "empty");
    // an extension is believed
    assert_refused("file.PLY", "v 0 0 0\n", 1, "'ply'");
}

static TacMesh make_mixed(uint64_t seed, bool radii) {
    TacRandom random = tac_random(seed, 1);
    const size_t counts[TAC_ELEMENT_KINDS] = {5, 7, 3, 0, 0};
    TacMesh mesh;
    assert_int_equal(tac_mesh_create(&mesh, 20, counts, NULL), TAC_OK);
    for (size_t i = 0; i < 60; i++)
        mesh.points[i] = tac_random_between(&random, -1, 1) * pow(10, tac_random_between(&random, -300, 300));
    for (TacElement kind = TAC_EDGES; kind <= TAC_QUADS; kind++)
        for (size_t i = 0; i < counts[kind] * (size_t)tac_element_size(kind); i++)
            mesh.elements[kind].indices[i] = (int32_t)(tac_random_bits(&random) % 20);
    if (radii) {
        mesh.radii = malloc(20 * sizeof(double));
        for (size_t i = 0; i < 20; i++) mesh.radii[i] = tac_random_between(&random, 1e-9, 1);
    }
    return mesh;
}

static void round_trips_are_exact(void **state) {
    (void)state;
    static const char *const names[] = {"a.obj", "a.ply"};
    for (uint64_t seed = 0; seed < 20; seed++)
        for (int k = 0; k < 2; k++) {
            TacMesh mesh = make_mixed(seed, k == 1 && seed % 2), back;
            const char *path = in_folder(names[k]);
            assert_int_equal(tac_mesh_write(&mesh, path, NULL), TAC_OK);
            assert_int_equal(tac_mesh_read(&back, path, NULL), TAC_OK);
            assert_same(&mesh, &back);
            tac_mesh_destroy(&mesh);
            tac_mesh_destroy(&back);
            unlink(path);
        }
    // STL has no point numbers: the triangles' corners are compared
    TacMesh ball, back;
    assert_int_equal(tac_mesh_icosphere(&ball, 2, 1.0 / 3, NULL), TAC_OK);
    const char *path = in_folder("a.stl");
    assert_int_equal(tac_mesh_write(&ball, path, NULL), TAC_OK);
    assert_int_equal(tac_mesh_read(&back, path, NULL), TAC_OK);
    assert_int_equal(back.point_count, ball.point_count);
    assert_int_equal(back.elements[TAC_TRIANGLES].count, ball.elements[TAC_TRIANGLES].count);
    for (size_t i = 0; i < 3 * ball.elements[TAC_TRIANGLES].count; i++)
        assert_memory_equal(ball.points + 3 * ball.elements[TAC_TRIANGLES].indices[i],
                            back.points + 3 * back.elements[TAC_TRIANGLES].indices[i], 3 * sizeof(double));
    unlink(path);
    tac_mesh_destroy(&ball);
    tac_mesh_destroy(&back);
}

static void volume_meshes_are_written_as_their_surface(void **state) {
    (void)state;
    static const char *const names[] = {"a.obj", "a.ply", "a.stl"};
    TacMesh mesh;
    assert_int_equal(tac_mesh_grid(&mesh, 3, 3, 3, tac_vec3(0, 0, 0), tac_vec3(1, 1, 1), NULL), TAC_OK);
    for (int k = 0; k < 3; k++) {
        TacMesh back;
        const char *path = in_folder(names[k]);
        assert_int_equal(tac_mesh_write(&mesh, path, NULL), TAC_OK);
        assert_int_equal(tac_mesh_read(&back, path, NULL), TAC_OK);
        assert_int_equal(back.elements[TAC_TRIANGLES].count, 48);
        assert_near(tac_mesh_volume(&back), 1, 1e-15);
        tac_mesh_destroy(&back);
        unlink(path);
    }
    tac_mesh_destroy(&mesh);
}

static void writing_refuses_what_it_cannot(void **state) {
    (void)state;
    TacMesh mesh;
    assert_int_equal(tac_mesh_line(&mesh, 1, tac_vec3(0, 0, 0), tac_vec3(1, 0, 0), NULL), TAC_OK);
    assert_int_equal(tac_mesh_write(&mesh, in_folder("a.sph"), NULL), TAC_BAD_USAGE);
    assert_int_equal(tac_mesh_write(&mesh, in_folder("obj"), NULL), TAC_BAD_USAGE);
    assert_int_equal(tac_mesh_write(&mesh, in_folder("missing/a.obj"), NULL), TAC_FAILED);
    mesh.points[0] = NAN;
    assert_int_equal(tac_mesh_write(&mesh, in_folder("a.obj"), NULL), TAC_BAD_INPUT);
    assert_int_equal(access(in_folder("a.obj"), F_OK), -1);
    tac_mesh_destroy(&mesh);
}

static void only_regular_files_are_read(void **state) {
    (void)state;
    TacMesh mesh;
    TacError error = {0};
    assert_int_equal(tac_mesh_read(&mesh, folder, &error), TAC_BAD_INPUT);
    assert_non_null(strstr(error.message, "folder"));
    assert_int_equal(tac_mesh_read(&mesh, "/dev/zero", &error), TAC_BAD_INPUT);
    assert_int_equal(tac_mesh_read(&mesh, in_folder("none.obj"), &error), TAC_BAD_INPUT);
    assert_int_equal(mkfifo(in_folder("pipe.obj"), 0600), 0);
    assert_int_equal(tac_mesh_read(&mesh, in_folder("pipe.obj"), &error), TAC_BAD_INPUT);
    unlink(in_folder("pipe.obj"));
}

// Anything may come out of a damaged file but a crash, a hang, or a mesh that is not valid.
static void try_bytes(const char *name, const void *bytes, size_t size) {
    TacMesh mesh;
    TacError error = {0};
    TacStatus status = tac_mesh_parse(&mesh, name, bytes, size, &error);
    if (status == TAC_OK) {
        assert_int_equal(tac_mesh_validate(&mesh, NULL), TAC_OK);
    } else {
        assert_int_equal(status, TAC_BAD_INPUT);
        assert_true(error.message[0] != 0);
        assert_null(mesh.points);
    }
    tac_mesh_destroy(&mesh);
}

static void damage(const char *name, const void *bytes, size_t size) {
    TacRandom random = tac_random(size, 3);
    // cut off at every byte: on the heap at its exact size, so that reading past its end is seen
    for (size_t length = 0; length <= size; length++) try_bytes(name, bytes, length);
    unsigned char *copy = malloc(size);
    assert_non_null(copy);
    for (int round = 0; round < 3000; round++) {
        memcpy(copy, bytes, size);
        for (int k = 0; k <= round % 4; k++)
            copy[tac_random_bits(&random) % size] = (unsigned char)tac_random_bits(&random);
        try_bytes(name, copy, size);
    }
    free(copy);
}

static void damaged_files_do_no_harm(void **state) {
    (void)state;
    static unsigned char bytes[4096];
    damage("a.stl", bytes, make_binary_stl(bytes, "binary"));
    damage("a.stl", stl_text, strlen(stl_text));
    damage("a.ply", bytes, make_binary_ply(bytes, false));
    damage("a.ply", bytes, make_binary_ply(bytes, true));
    static const char *const names[] = {"a.obj", "a.ply"};
    for (int k = 0; k < 2; k++) {
        TacMesh mesh = make_mixed(9, k == 1);
        const char *path = in_folder(names[k]);
        assert_int_equal(tac_mesh_write(&mesh, path, NULL), TAC_OK);
        char *text;
        size_t size;
        assert_int_equal(tac_read_whole_file(path, 1 << 20, &text, &size, NULL), TAC_OK);
        damage(path, text, size);
        free(text);
        unlink(path);
        tac_mesh_destroy(&mesh);
    }
    const char *sph = "sph 1.0\nnums 2\nsphe 1 -4 1.25 0 0.85\n1 2 3 4\n";
    damage("a.sph", sph, strlen(sph));
}

static void endless_lines_end(void **state) {
    (void)state;
    enum { SIZE = 1 << 22 };
    char *text = malloc(SIZE);
    assert_non_null(text);
    static const char fills[] = {'1', ' ', 'v', '#', '\\', '\n', '\r', '-', '.', 0};
    static const char *const names[] = {"a.obj", "a.stl", "a.ply", "a.sph", "a"};
    static const char *const starts[] = {"", "v 0 0 ", "f ", "solid ",
                                         "ply\nformat ascii 1.0\nelement vertex "};
    for (size_t n = 0; n < TAC_COUNT(names); n++)
        for (size_t f = 0; f < sizeof fills; f++)
            for (size_t s = 0; s < TAC_COUNT(starts); s++) {
                memset(text, fills[f], SIZE);
                memcpy(text, starts[s], strlen(starts[s]));
                try_bytes(names[n], text, (size_t)SIZE / (n == 4 ? 1 : 8));
            }
    // one face with a million corners
    size_t used = (size_t)sprintf(text, "v 0 0 0\nf");
    while (used < SIZE - 4) used += (size_t)sprintf(text + used, " 1");
    TacMesh mesh;
    assert_int_equal(tac_mesh_parse(&mesh, "a.obj", text, used, NULL), TAC_OK);
    assert_true(mesh.elements[TAC_TRIANGLES].count > 1000000);
    tac_mesh_destroy(&mesh);
    free(text);
}

// PC2

static size_t make_pc2(unsigned char *b, uint32_t points, uint32_t samples) {
    memcpy(b, "POINTCACHE2", 12);
    put_u32(b + 12, 1);
    put_u32(b + 16, points);
    put_float(b + 20, 1.5f);
    put_float(b + 24, 0.5f);
    put_u32(b + 28, samples);
    for (int i = 0; i < 18; i++) put_float(b + 32 + 4 * i, (float)i / 4);
    return 32 + 18 * 4;
}

static const char *write_bytes(const char *name, const void *bytes, size_t size) {
    const char *path = in_folder(name);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
    return path;
}

static void pc2_gives_its_samples(void **state) {
    (void)state;
    unsigned char bytes[128];
    TacPc2 pc2;
    const char *path = write_bytes("a.pc2", bytes, make_pc2(bytes, 2, 3));
    assert_int_equal(tac_pc2_open(&pc2, path, NULL), TAC_OK);
    assert_int_equal(pc2.points, 2);
    assert_int_equal(pc2.samples, 3);
    assert_true(pc2.start == 1.5 && pc2.rate == 0.5);
    for (size_t s = 3; s-- > 0;) {
        double xyz[6];
        assert_int_equal(tac_pc2_read_sample(&pc2, s, xyz, NULL), TAC_OK);
        for (size_t i = 0; i < 6; i++) assert_true(xyz[i] == (double)(6 * s + i) / 4);
    }
    double xyz[6];
    assert_int_equal(tac_pc2_read_sample(&pc2, 3, xyz, NULL), TAC_BAD_USAGE);
    // the file shrinks while it is open
    assert_int_equal(truncate(path, 40), 0);
    assert_int_equal(tac_pc2_read_sample(&pc2, 0, xyz, NULL), TAC_BAD_INPUT);
    tac_pc2_close(&pc2);
    tac_pc2_close(&pc2);
    unlink(path);
}

static void pc2_refuses_lies(void **state) {
    (void)state;
    unsigned char bytes[128];
    TacPc2 pc2;
    double xyz[6];
    size_t size = make_pc2(bytes, 2, 3);
    for (size_t length = 0; length < size; length++) {
        const char *path = write_bytes("a.pc2", bytes, length);
        assert_int_equal(tac_pc2_open(&pc2, path, NULL), TAC_BAD_INPUT);
    }
    static const uint32_t counts[][2] = {
        {2, 4}, {3, 3}, {0xffffffffu, 1}, {1, 0xffffffffu}, {0x7fffffff, 0x7fffffff}};
    for (size_t i = 0; i < TAC_COUNT(counts); i++) {
        make_pc2(bytes, counts[i][0], counts[i][1]);
        assert_int_equal(tac_pc2_open(&pc2, write_bytes("a.pc2", bytes, size), NULL), TAC_BAD_INPUT);
    }
    make_pc2(bytes, 2, 3);
    bytes[3] = 'X';
    assert_int_equal(tac_pc2_open(&pc2, write_bytes("a.pc2", bytes, size), NULL), TAC_BAD_INPUT);
    make_pc2(bytes, 2, 3);
    put_float(bytes + 20, INFINITY);
    assert_int_equal(tac_pc2_open(&pc2, write_bytes("a.pc2", bytes, size), NULL), TAC_BAD_INPUT);
    make_pc2(bytes, 2, 3);
    put_float(bytes + 36, NAN);
    assert_int_equal(tac_pc2_open(&pc2, write_bytes("a.pc2", bytes, size), NULL), TAC_OK);
    assert_int_equal(tac_pc2_read_sample(&pc2, 0, xyz, NULL), TAC_BAD_INPUT);
    assert_int_equal(tac_pc2_read_sample(&pc2, 1, xyz, NULL), TAC_OK);
    tac_pc2_close(&pc2);
    assert_int_equal(tac_pc2_open(&pc2, folder, NULL), TAC_BAD_INPUT);
    assert_int_equal(tac_pc2_open(&pc2, "/dev/zero", NULL), TAC_BAD_INPUT);
    unlink(in_folder("a.pc2"));
}

// Real files

static bool find_shared(char *path, size_t size) {
    const char *given = getenv("TACTUS_SHARED");
    if (given) {
        snprintf(path, size, "%s/sofa/share/mesh", given);
    } else {
        const char *slash = strrchr(__FILE__, '/');
        snprintf(path, size, "%.*s/../../shared/sofa/share/mesh", slash ? (int)(slash - __FILE__) : 1,
                 slash ? __FILE__ : ".");
    }
    if (access(path, R_OK) == 0) return true;
    print_message("no folder %s: real files are not tested; set TACTUS_SHARED\n", path);
    return false;
}

// Lines of a text that begin with this word.
static size_t count_lines(const char *text, const char *word) {
    size_t count = 0, length = strlen(word);
    for (const char *line = text; line; line = strchr(line, '\n')) {
        while (*line == '\n' || *line == ' ') line++;
        count += strncmp(line, word, length) == 0 && (line[length] == ' ' || line[length] == '\t');
    }
    return count;
}

static void real_files_are_read_whole(void **state) {
    (void)state;
    char shared[512], path[1024], message[2048];
    if (!find_shared(shared, sizeof shared)) skip();
    DIR *dir = opendir(shared);
    assert_non_null(dir);
    int seen = 0;
    for (struct dirent *entry; (entry = readdir(dir));) {
        const char *dot = strrchr(entry->d_name, '.');
        bool obj = dot && strcmp(dot, ".obj") == 0, sph = dot && strcmp(dot, ".sph") == 0;
        if (!obj && !sph) continue;
        snprintf(path, sizeof path, "%s/%s", shared, entry->d_name);
        TacMesh mesh;
        TacError error = {0};
        if (tac_mesh_read(&mesh, path, &error) != TAC_OK)
            fail_msg("%s", tac_error_text(&error, message, sizeof message));
        assert_int_equal(tac_mesh_validate(&mesh, NULL), TAC_OK);
        char *text;
        size_t size;
        assert_int_equal(tac_read_whole_file(path, 1 << 24, &text, &size, NULL), TAC_OK);
        assert_int_equal(mesh.point_count, count_lines(text, obj ? "v" : "sphe"));
        if (obj)
            assert_int_equal(mesh.elements[TAC_TRIANGLES].count + mesh.elements[TAC_QUADS].count,
                             count_lines(text, "f"));
        else
            assert_true(mesh.radii && mesh.radii[0] == 0.85);
        free(text);
        tac_mesh_destroy(&mesh);
        seen++;
    }
    closedir(dir);
    assert_true(seen >= 20);
}

static void real_surfaces_are_closed(void **state) {
    (void)state;
    static const struct {
        const char *name;
        long euler;
    } files[] = {{"torus.obj", 0}, {"torus2.obj", 0}, {"liver-smooth.obj", 2}, {"cube.obj", 2}};
    char shared[512], path[1024];
    if (!find_shared(shared, sizeof shared)) skip();
    for (size_t i = 0; i < TAC_COUNT(files); i++) {
        snprintf(path, sizeof path, "%s/%s", shared, files[i].name);
        TacMesh mesh;
        int32_t *surface;
        size_t count;
        assert_int_equal(tac_mesh_read(&mesh, path, NULL), TAC_OK);
        assert_int_equal(tac_mesh_surface(&mesh, &surface, &count, NULL), TAC_OK);
        assert_int_equal(closed_euler(surface, count, mesh.point_count), files[i].euler);
        double volume = enclosed_volume(mesh.points, surface, count);
        assert_true(volume > 0);
        assert_near(tac_mesh_volume(&mesh), volume, 1e-12 * volume);
        free(surface);
        tac_mesh_destroy(&mesh);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(obj_faces_lines_and_polygons),
        cmocka_unit_test(obj_errors_name_the_line),
        cmocka_unit_test(stl_is_welded),
        cmocka_unit_test(stl_errors),
        cmocka_unit_test(ply_text_with_everything),
        cmocka_unit_test(ply_binary_of_both_orders),
        cmocka_unit_test(ply_errors),
        cmocka_unit_test(sph_of_both_kinds),
        cmocka_unit_test(content_decides_without_extension),
        cmocka_unit_test(round_trips_are_exact),
        cmocka_unit_test(volume_meshes_are_written_as_their_surface),
        cmocka_unit_test(writing_refuses_what_it_cannot),
        cmocka_unit_test(only_regular_files_are_read),
        cmocka_unit_test(damaged_files_do_no_harm),
        cmocka_unit_test(endless_lines_end),
        cmocka_unit_test(pc2_gives_its_samples),
        cmocka_unit_test(pc2_refuses_lies),
        cmocka_unit_test(real_files_are_read_whole),
        cmocka_unit_test(real_surfaces_are_closed),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
