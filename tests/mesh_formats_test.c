// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Gmsh, VTK and VTU meshes: files that Gmsh 4.8 and VTK 9.1 wrote (tests/data/mesh) against closed forms,
// binary files made here byte by byte from the formats' descriptions, and round trips through our own
// writers.

#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <locale.h>

#include "base/memory.h"
#include "base/random.h"
#include "geometry/base64.h"
#include "geometry/mesh_file.h"
#include "geometry/node_numbers.h"
#include "mesh_formats.h"

// ---- reference files

static const double cube[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                  {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};

// A cube, half a cube as a prism, a pyramid of height 1 and a tetrahedron of 1/6, with sparse node numbers.
static void gmsh_reference_files_of_every_version_hold_the_same_mesh(void **state) {
    static const char *const names[] = {"gmsh_1.msh",        "gmsh_2_text.msh",   "gmsh_2_binary.msh",
                                        "gmsh_4_0_text.msh", "gmsh_4_1_text.msh", "gmsh_4_1_binary.msh"};
    static const double triangle[3][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}};
    (void)state;
    for (size_t i = 0; i < TAC_COUNT(names); i++) {
        TacMesh mesh;
        read_reference(&mesh, names[i]);
        assert_counts(&mesh, 12, 1, 1, 0, 1 + 3 + 2, 1);
        assert_corners(&mesh, TAC_HEXAHEDRA, 0, cube);
        assert_corners(&mesh, TAC_TRIANGLES, 0, triangle);
        assert_corners(&mesh, TAC_EDGES, 0, triangle);
        assert_near(volume(&mesh), 1 + 0.5 + 1.0 / 3 + 1.0 / 6, 1e-14);
        tac_mesh_destroy(&mesh);
    }
}

// A box of 1 x 2 x 3 in prisms of second order: the corners alone fill it.
static void elements_of_second_order_keep_their_corners(void **state) {
    TacMesh mesh;
    (void)state;
    read_reference(&mesh, "gmsh_second_order.msh");
    assert_counts(&mesh, 69, 16, 16, 6, 24, 0);
    assert_near(volume(&mesh), 6, 1e-9);
    tac_mesh_destroy(&mesh);
}

// Cells of every type at 0.5 x 1.25 x 2: hexahedron, voxel, wedge, pyramid of height 1.5, tetrahedron;
// triangle, quad, pixel, strip of three, polygon of five; a line, a line of two, vertices.
static void assert_vtk_sampler(const TacMesh *mesh) {
    static const double hexahedron[8][3] = {{0, 0, 0}, {.5, 0, 0}, {.5, 1.25, 0}, {0, 1.25, 0},
                                            {0, 0, 2}, {.5, 0, 2}, {.5, 1.25, 2}, {0, 1.25, 2}};
    static const double line[2][3] = {{.5, 0, 0}, {1, 0, 0}};
    assert_counts(mesh, 37, 3, 7, 2, 1 + 3 + 2, 2);
    assert_corners(mesh, TAC_HEXAHEDRA, 0, hexahedron);
    assert_corners(mesh, TAC_EDGES, 1, line);
    double cell = 0.5 * 1.25 * 2;
    assert_near(volume(mesh), 2 * cell + cell / 2 + 0.5 * 1.25 * 1.5 / 3 + cell / 6, 1e-13);
    assert_near(flat_area(mesh, TAC_QUADS), 2 * 0.5 * 1.25, 1e-14);
    assert_near(flat_area(mesh, TAC_TRIANGLES), 4 * 0.3125 + 3 * 0.3125, 1e-14);
}

static void vtk_reference_files_of_both_versions_hold_the_same_mesh(void **state) {
    static const char *const names[] = {"vtk_4_2_text.vtk", "vtk_4_2_binary.vtk", "vtk_5_1_text.vtk",
                                        "vtk_5_1_binary.vtk"};
    (void)state;
    for (size_t i = 0; i < TAC_COUNT(names); i++) {
        TacMesh mesh;
        read_reference(&mesh, names[i]);
        assert_vtk_sampler(&mesh);
        tac_mesh_destroy(&mesh);
    }
}

static const char *const vtu_names[] = {
    "vtu_ascii.vtu",    "vtu_base64.vtu",          "vtu_base64_zlib_big.vtu",         "vtu_raw_big.vtu",
    "vtu_raw_zlib.vtu", "vtu_appended_base64.vtu", "vtu_appended_base64_zlib_big.vtu"};

static void vtu_reference_files_of_every_encoding_hold_the_same_mesh(void **state) {
    (void)state;
    for (size_t i = 0; i < TAC_COUNT(vtu_names); i++) {
        TacMesh mesh;
        read_reference(&mesh, vtu_names[i]);
        assert_vtk_sampler(&mesh);
        tac_mesh_destroy(&mesh);
    }
}

// Two pieces, each with its own numbering; arrays nobody asked for, and one that only looks like radii.
static void vtu_pieces_are_joined(void **state) {
    static const char piece[] =
        "<Piece NumberOfPoints=\"4\" NumberOfCells=\"1\"><PointData><DataArray type=\"Float64\" "
        "Name=\"radius\" "
        "format=\"ascii\">1 0 1 1</DataArray></PointData><CellData><DataArray type=\"Int32\" Name=\"types\" "
        "format=\"ascii\">5</DataArray></CellData><Points><DataArray type=\"Float32\" "
        "NumberOfComponents=\"3\" "
        "format=\"ascii\">%d 0 0 %d 0 0 %d 1 0 %d 0 1</DataArray></Points><Cells><DataArray type=\"UInt16\" "
        "Name=\"connectivity\" format=\"ascii\">0 1 2 3</DataArray><DataArray type=\"Int8\" Name=\"offsets\" "
        "format=\"ascii\">4</DataArray><DataArray type=\"UInt8\" Name=\"types\" "
        "format=\"ascii\">10</DataArray>"
        "</Cells></Piece>";
    static const double second[4][3] = {{5, 0, 0}, {6, 0, 0}, {5, 1, 0}, {5, 0, 1}};
    char *text;
    size_t bytes;
    (void)state;
    FILE *out = open_memstream(&text, &bytes);
    fprintf(out, "<VTKFile type=\"UnstructuredGrid\"><UnstructuredGrid>");
    fprintf(out, piece, 0, 1, 0, 0);
    fprintf(out, piece, 5, 6, 5, 5);
    fprintf(out, "</UnstructuredGrid></VTKFile>");
    fclose(out);
    TacMesh mesh;
    parse_or_fail(&mesh, "pieces.vtu", text, bytes);
    assert_counts(&mesh, 8, 0, 0, 0, 2, 0);
    assert_corners(&mesh, TAC_TETRAHEDRA, 1, second);
    assert_null(mesh.radii);
    tac_mesh_destroy(&mesh);
    free(text);
}

// A sphere of radius 0.5 in strips of 6 x 4, the unit cube in quads, a line of three edges.
static void vtk_polydata_of_strips_polygons_and_lines(void **state) {
    static const char *const names[] = {"vtk_poly_4_2_binary.vtk", "vtk_poly_5_1_text.vtk"};
    (void)state;
    double ring = 3 * sqrt(3) / 2 * 0.25, tropic = ring / 2, z = 0.5 * sqrt(0.5);
    double sphere = 2 * (tropic * (0.5 - z) / 3 + (ring + tropic + sqrt(ring * tropic)) * z / 3);
    for (size_t i = 0; i < TAC_COUNT(names); i++) {
        TacMesh mesh;
        read_reference(&mesh, names[i]);
        assert_counts(&mesh, 48, 3, 36, 6, 0, 0);
        assert_near(tac_mesh_volume(&mesh), sphere + 1, 2e-6);
        tac_mesh_destroy(&mesh);
    }
}

static void vtk_structured_grids(void **state) {
    static const double voxel[8][3] = {{1, 2, 3}, {1.5, 2, 3}, {1.5, 2.25, 3}, {1, 2.25, 3},
                                       {1, 2, 5}, {1.5, 2, 5}, {1.5, 2.25, 5}, {1, 2.25, 5}};
    static const double box[8][3] = {{1, 0, -1}, {3, 0, -1}, {3, 2, -1}, {1, 2, -1},
                                     {1, 0, 1},  {3, 0, 1},  {3, 2, 1},  {1, 2, 1}};
    (void)state;
    TacMesh mesh;
    read_reference(&mesh, "vtk_points_binary.vtk");
    assert_counts(&mesh, 24, 0, 0, 0, 0, 6);
    assert_corners(&mesh, TAC_HEXAHEDRA, 0, voxel);
    assert_near(volume(&mesh), 6 * 0.5 * 0.25 * 2, 1e-14);
    tac_mesh_destroy(&mesh);

    read_reference(&mesh, "vtk_rectilinear_binary.vtk");
    assert_counts(&mesh, 12, 0, 0, 0, 0, 2);
    assert_corners(&mesh, TAC_HEXAHEDRA, 1, box);
    tac_mesh_destroy(&mesh);

    read_reference(&mesh, "vtk_grid_text.vtk");
    assert_counts(&mesh, 6, 0, 0, 2, 0, 0);
    assert_near(flat_area(&mesh, TAC_QUADS), 4, 1e-14);
    tac_mesh_destroy(&mesh);
}

// Grids that are flat along different axes, and one along none.
static void vtk_flat_grids_give_quads_and_edges(void **state) {
    static const char header[] =
        "# vtk DataFile Version 2.0\n\nASCII\nDATASET STRUCTURED_POINTS\nDIMENSIONS ";
    (void)state;
    static const struct {
        const char *sizes;
        size_t points, edges, quads, hexahedra;
    } cases[] = {{"1 3 4", 12, 0, 6, 0}, {"3 1 4", 12, 0, 6, 0}, {"4 3 1", 12, 0, 6, 0},
                 {"1 1 5", 5, 4, 0, 0},  {"1 5 1", 5, 4, 0, 0},  {"1 1 1", 1, 0, 0, 0},
                 {"2 2 3", 12, 0, 0, 2}};
    for (size_t i = 0; i < TAC_COUNT(cases); i++) {
        char text[200];
        TacMesh mesh;
        snprintf(text, sizeof text, "%s%s\nORIGIN 0 0 0\nSPACING 2 3 5\n", header, cases[i].sizes);
        parse_or_fail(&mesh, "grid.vtk", text, strlen(text));
        assert_counts(&mesh, cases[i].points, cases[i].edges, 0, cases[i].quads, 0, cases[i].hexahedra);
        for (size_t e = 0; e < mesh.elements[TAC_EDGES].count; e++) {
            double sum = 0;
            for (int j = 0; j < 3; j++)
                sum += corner(&mesh, TAC_EDGES, e, 1)[j] - corner(&mesh, TAC_EDGES, e, 0)[j];
            assert_true(sum == 3 || sum == 5);
        }
        tac_mesh_destroy(&mesh);
    }
}

// Meshes of SOFA, in Gmsh's first version: counts against the numbers that their sections announce.
static void sofa_meshes_are_read_whole(void **state) {
    static const char *const names[] = {"liver.msh", "smCube27.msh", "torus_low_res.msh",
                                        "truthcylinder1.msh"};
    const char *shared = getenv("TACTUS_SHARED"), *source = getenv("TACTUS_SOURCE");
    char folder[2048], path[4096];
    snprintf(folder, sizeof folder, "%s%s",
             shared   ? shared
             : source ? source
                      : ".",
             shared ? "" : "/../shared");
    (void)state;
    for (size_t i = 0; i < TAC_COUNT(names); i++) {
        TacMesh mesh;
        TacError error;
        snprintf(path, sizeof path, "%s/sofa/share/mesh/%s", folder, names[i]);
        FILE *file = fopen(path, "r");
        if (!file) {
            print_message("skipped: no %s\n", path);
            skip();
        }
        size_t points = 0, elements = 0, read = 0;
        char line[256];
        while (fgets(line, sizeof line, file)) {
            if (!strncmp(line, "$NOD", 4)) assert_int_equal(fscanf(file, "%zu", &points), 1);
            if (!strncmp(line, "$ELM", 4)) assert_int_equal(fscanf(file, "%zu", &elements), 1);
        }
        fclose(file);
        assert_int_equal(tac_mesh_read(&mesh, path, &error), TAC_OK);
        for (int kind = 0; kind < TAC_ELEMENT_KINDS; kind++) read += mesh.elements[kind].count;
        assert_int_equal(mesh.point_count, points);
        assert_int_equal(read, elements);
        if (mesh.elements[TAC_TETRAHEDRA].count) assert_true(fabs(tac_mesh_volume(&mesh)) > 0);
        tac_mesh_destroy(&mesh);
    }
}

static void gmsh_binary_of_both_byte_orders(void **state) {
    static const struct {
        const char *version;
        size_t width;
    } cases[] = {{"2.2", 8}, {"4.0", 8}, {"4.1", 8}, {"4.1", 4}};
    (void)state;
    for (size_t i = 0; i < 2 * TAC_COUNT(cases); i++) {
        Bytes bytes;
        TacMesh mesh;
        make_gmsh(&bytes, cases[i / 2].version, i % 2, cases[i / 2].width);
        parse_or_fail(&mesh, "made.msh", bytes.data, bytes.count);
        assert_counts(&mesh, 4, 0, 1, 0, 1, 0);
        assert_corners(&mesh, TAC_TETRAHEDRA, 0, tetrahedron);
        assert_corners(&mesh, TAC_TRIANGLES, 0, tetrahedron);
        tac_mesh_destroy(&mesh);
    }
}

static void node_numbers_are_found_however_they_are_spread(void **state) {
    (void)state;
    for (int spread = 0; spread < 4; spread++) {
        TacNodeNumbers nodes = {0};
        TacError error;
        TacRandom random = tac_random(17, (uint64_t)spread);
        enum { COUNT = 1000 };
        int64_t numbers[COUNT];
        for (int i = 0; i < COUNT; i++) {
            static const int64_t steps[] = {1, 2, 1000000007, 9000000000000000};
            int64_t step = steps[spread];
            numbers[i] = spread == 3 ? INT64_MIN / 2 + step * i : -3 + step * i;
        }
        // out of order, but for numbers in a row
        for (int i = COUNT - 1; spread && i > 0; i--) {
            int j = (int)(tac_random_bits(&random) % (uint32_t)(i + 1));
            int64_t swap = numbers[i];
            numbers[i] = numbers[j];
            numbers[j] = swap;
        }
        for (int i = 0; i < COUNT; i++) assert_true(tac_node_numbers_add(&nodes, numbers[i]));
        assert_int_equal(tac_node_numbers_index(&nodes, "x", &error), TAC_OK);
        for (int i = 0; i < COUNT; i++) assert_int_equal(tac_node_numbers_find(&nodes, numbers[i]), i);
        assert_int_equal(tac_node_numbers_find(&nodes, -4), -1);
        assert_int_equal(tac_node_numbers_find(&nodes, INT64_MAX), -1);
        assert_int_equal(tac_node_numbers_find(&nodes, INT64_MIN), -1);
        tac_node_numbers_destroy(&nodes);
    }
}

// Test vectors of RFC 4648, section 10.
static void base64_follows_the_standard(void **state) {
    static const char *const pairs[][2] = {{"f", "Zg=="},         {"fo", "Zm8="},
                                           {"foo", "Zm9v"},       {"foob", "Zm9vYg=="},
                                           {"fooba", "Zm9vYmE="}, {"foobar", "Zm9vYmFy"}};
    (void)state;
    for (size_t i = 0; i < TAC_COUNT(pairs); i++) {
        char *text, back[16];
        size_t bytes, length = strlen(pairs[i][0]);
        FILE *out = open_memstream(&text, &bytes);
        TacBase64Writer writer = {.out = out};
        tac_base64_write(&writer, pairs[i][0], length);
        tac_base64_finish(&writer);
        fclose(out);
        assert_string_equal(text, pairs[i][1]);
        TacByteStream stream = {.at = text, .end = text + bytes, .encoded = true};
        assert_true(length <= tac_byte_stream_room(&stream));
        assert_true(tac_byte_stream_read(&stream, back, length));
        assert_memory_equal(back, pairs[i][0], length);
        assert_false(tac_byte_stream_read(&stream, back, 1));
        free(text);
    }
    // two pieces, each padded, read as one
    static const char two[] = " Zm9v\nYg==YmE= cg==";
    char back[16];
    TacByteStream stream = {.at = two, .end = two + strlen(two), .encoded = true};
    assert_true(tac_byte_stream_read(&stream, back, 7));
    assert_memory_equal(back, "foobbar", 7);
    static const char *const bad[] = {"Z", "Zg", "Zg=", "Z===", "====", "Zm9*", "Zg=v", "Zm9", "<a/>"};
    for (size_t i = 0; i < TAC_COUNT(bad); i++) {
        stream = (TacByteStream){.at = bad[i], .end = bad[i] + strlen(bad[i]), .encoded = true};
        assert_false(tac_byte_stream_read(&stream, back, 1));
    }
}

// ---- round trips

typedef TacStatus (*Writer)(const TacMesh *mesh, FILE *out, TacError *error);

static const struct {
    const char *name;
    Writer write;
    bool keeps_radii;
} writers[] = {{"x.msh", tac_mesh_write_gmsh, false},
               {"x.vtk", tac_mesh_write_vtk, true},
               {"x.vtu", tac_mesh_write_vtu, true}};

static void write_and_read(size_t w, const TacMesh *mesh, TacMesh *back) {
    char *text;
    size_t bytes;
    TacError error;
    FILE *out = open_memstream(&text, &bytes);
    assert_non_null(out);
    assert_int_equal(writers[w].write(mesh, out, &error), TAC_OK);
    assert_int_equal(fclose(out), 0);
    parse_or_fail(back, writers[w].name, text, bytes);
    free(text);
}

static void assert_same_mesh(const TacMesh *a, const TacMesh *b) {
    assert_int_equal(a->point_count, b->point_count);
    assert_memory_equal(a->points, b->points, a->point_count * 3 * sizeof(double));
    for (int kind = 0; kind < TAC_ELEMENT_KINDS; kind++) {
        size_t count = a->elements[kind].count;
        assert_int_equal(count, b->elements[kind].count);
        if (count)
            assert_memory_equal(a->elements[kind].indices, b->elements[kind].indices,
                                count * (size_t)tac_element_size((TacElement)kind) * sizeof(int32_t));
    }
}

static void make_sampler(TacMesh *mesh) {
    static const double awkward[] = {
        0.1, 1.0 / 3, -2.5e-300, 1e300, 0x1.fffffffffffffp-1, 123456789.123456789, 7};
    size_t counts[TAC_ELEMENT_KINDS] = {3, 4, 2, 5, 6};
    TacRandom random = tac_random(5, 5);
    assert_int_equal(tac_mesh_create(mesh, 21, counts, NULL), TAC_OK);
    for (size_t i = 0; i < 63; i++)
        mesh->points[i] = i < TAC_COUNT(awkward) ? awkward[i] : tac_random_between(&random, -1, 1);
    for (int kind = 0; kind < TAC_ELEMENT_KINDS; kind++)
        for (size_t i = 0; i < counts[kind] * (size_t)tac_element_size((TacElement)kind); i++)
            mesh->elements[kind].indices[i] = (int32_t)((i * 8 + i / 21) % 21);
}

static void what_is_written_is_read_back_to_the_bit(void **state) {
    (void)state;
    TacMesh mesh, back;
    make_sampler(&mesh);
    for (size_t w = 0; w < TAC_COUNT(writers); w++) {
        write_and_read(w, &mesh, &back);
        assert_same_mesh(&mesh, &back);
        assert_null(back.radii);
        tac_mesh_destroy(&back);
    }
    tac_mesh_destroy(&mesh);
}

static void balls_keep_their_radii(void **state) {
    size_t counts[TAC_ELEMENT_KINDS] = {0};
    (void)state;
    TacMesh mesh, back;
    assert_int_equal(tac_mesh_create(&mesh, 5, counts, NULL), TAC_OK);
    mesh.radii = malloc(5 * sizeof(double));
    assert_non_null(mesh.radii);
    for (int i = 0; i < 5; i++) {
        mesh.points[3 * i] = i;
        mesh.radii[i] = 0.1 * (i + 1);
    }
    for (size_t w = 0; w < TAC_COUNT(writers); w++) {
        write_and_read(w, &mesh, &back);
        assert_same_mesh(&mesh, &back);
        if (writers[w].keeps_radii)
            assert_memory_equal(mesh.radii, back.radii, 5 * sizeof(double));
        else
            assert_null(back.radii);
        tac_mesh_destroy(&back);
    }
    tac_mesh_destroy(&mesh);
}

static void files_do_not_depend_on_the_locale(void **state) {
    static const char *const commas[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "fr_FR.utf8"};
    const char *found = NULL;
    (void)state;
    for (size_t i = 0; !found && i < TAC_COUNT(commas); i++) found = setlocale(LC_NUMERIC, commas[i]);
    if (!found) {
        print_message("skipped: no locale with a decimal comma\n");
        skip();
    }
    TacMesh mesh, back;
    make_sampler(&mesh);
    for (size_t w = 0; w < TAC_COUNT(writers); w++) {
        write_and_read(w, &mesh, &back);
        assert_same_mesh(&mesh, &back);
        tac_mesh_destroy(&back);
    }
    tac_mesh_destroy(&mesh);
    setlocale(LC_NUMERIC, "C");
}

// Text that the VTK reader must step over: field data of every type before the points, in text and in binary.
static void vtk_fields_before_the_points_are_stepped_over(void **state) {
    static const char text[] = "# vtk DataFile Version 4.2\nx\nASCII\nDATASET POLYDATA\nFIELD f 4\n"
                               "s 1 2 string\nhello world\nPOINTS 3 float\nb 1 9 bit\n1 0 1 0 1 0 1 0 1\n"
                               "METADATA\nINFORMATION 0\n\nv 2 1 float\n1 2\nn 1 0 int\n\n"
                               "POINTS 3 double\n0 0 0 1 0 0 0 1\n0\nPOLYGONS 1 4\n3 0 1 2\n";
    (void)state;
    TacMesh mesh;
    parse_or_fail(&mesh, "x.vtk", text, strlen(text));
    assert_counts(&mesh, 3, 0, 1, 0, 0, 0);
    tac_mesh_destroy(&mesh);

    Bytes bytes = {.big_endian = true};
    put_text(&bytes, "# vtk DataFile Version 4.2\nx\nBINARY\nDATASET POLYDATA\nFIELD f 2\ns 1 2 string\n");
    put(&bytes, 0xC0 | 5, 1);
    put_text(&bytes, "hello");
    put(&bytes, 0x8000 | 6, 2);
    put_text(&bytes, "POINTS\nb 1 9 bit\n");
    put(&bytes, 0xFFFF, 2);
    put_text(&bytes, "\nPOINTS 3 short\n");
    static const int16_t points[9] = {0, 0, 0, 1, 0, 0, 0, -1, 0};
    for (int i = 0; i < 9; i++) put(&bytes, (uint16_t)points[i], 2);
    put_text(&bytes, "\nLINES 1 4\n");
    for (uint64_t i = 0; i < 4; i++) put(&bytes, i == 0 ? 3 : i - 1, 4);
    parse_or_fail(&mesh, "x.vtk", bytes.data, bytes.count);
    assert_counts(&mesh, 3, 2, 0, 0, 0, 0);
    assert_true(mesh.points[7] == -1);
    tac_mesh_destroy(&mesh);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gmsh_reference_files_of_every_version_hold_the_same_mesh),
        cmocka_unit_test(elements_of_second_order_keep_their_corners),
        cmocka_unit_test(vtk_reference_files_of_both_versions_hold_the_same_mesh),
        cmocka_unit_test(vtu_reference_files_of_every_encoding_hold_the_same_mesh),
        cmocka_unit_test(vtu_pieces_are_joined),
        cmocka_unit_test(vtk_polydata_of_strips_polygons_and_lines),
        cmocka_unit_test(vtk_structured_grids),
        cmocka_unit_test(vtk_flat_grids_give_quads_and_edges),
        cmocka_unit_test(sofa_meshes_are_read_whole),
        cmocka_unit_test(gmsh_binary_of_both_byte_orders),
        cmocka_unit_test(node_numbers_are_found_however_they_are_spread),
        cmocka_unit_test(base64_follows_the_standard),
        cmocka_unit_test(what_is_written_is_read_back_to_the_bit),
        cmocka_unit_test(balls_keep_their_radii),
        cmocka_unit_test(files_do_not_depend_on_the_locale),
        cmocka_unit_test(vtk_fields_before_the_points_are_stepped_over),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
