// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Gmsh, VTK and VTU files that mean harm: each is refused with a message that names the line and what is
// wrong, and none makes the reader crash, hang or take memory for what the file only announces.

#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <zlib.h>

#include "base/memory.h"
#include "base/random.h"
#include "geometry/base64.h"
#include "mesh_formats.h"

// A text, the line its message must name (-1: any) and a part of the message.
typedef struct Hostile {
    const char *text;
    int line;
    const char *message;
} Hostile;

static void assert_refused(const char *name, const void *data, size_t bytes, int line, const char *message) {
    TacMesh mesh;
    TacError error = {0};
    char text[2048];
    TacStatus status = tac_mesh_parse(&mesh, name, data, bytes, &error);
    tac_error_text(&error, text, sizeof text);
    if (status != TAC_BAD_INPUT) fail_msg("status %d for what should say \"%s\"", (int)status, message);
    if (!strstr(error.message, message)) fail_msg("\"%s\" does not say \"%s\"", text, message);
    if (line >= 0 && error.line != line) fail_msg("\"%s\" is not about line %d", text, line);
    assert_int_equal(mesh.point_count, 0);
    assert_null(mesh.points);
}

static void refuse_all(const char *name, const Hostile *cases, size_t count) {
    for (size_t i = 0; i < count; i++)
        assert_refused(name, cases[i].text, strlen(cases[i].text), cases[i].line, cases[i].message);
}

#define M2  "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n"
#define M40 "$MeshFormat\n4 0 8\n$EndMeshFormat\n"
#define M41 "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n"
#define N3  "$Nodes\n3\n1 0 0 0\n2 1 0 0\n3 0 1 0\n$EndNodes\n"

static void hostile_gmsh_files_are_refused(void **state) {
    static const Hostile cases[] = {
        {"", -1, "empty"},
        {"hello", 1, "expected a section"},
        {"$NOD\n1000000000\n1 0 0 0\n", 2, "room for at most"},
        {"$NOD\n-1\n$ENDNOD\n", 2, "room for at most"},
        {"$NOD\n1\n1 0 0\n$ENDNOD\n", 3, "line ends where"},
        {"$NOD\n1\n1 0 nan 0\n$ENDNOD\n", 3, "finite number"},
        {"$NOD\n1\n1 0 1e999 0\n$ENDNOD\n", 3, "finite number"},
        {"$NOD\n1\n1 0 0 0 0\n$ENDNOD\n", 3, "end of the line"},
        {"$NOD\n2\n1 0 0 0\n1 1 0 0\n$ENDNOD\n$ELM\n0\n$ENDELM\n", -1, "node 1 stands twice"},
        {"$NOD\n1\n1 0 0 0\n$ENDNOD\n", -1, "no section of elements"},
        {"$NOD\n1\n1 0 0 0\n$ELM\n", 4, "expected $EndNOD"},
        {"$NOD\n2\n1 0 0 0\n2 0 0 1\n$ENDNOD\n$ELM\n1\n1 1 1 1 3 1 2 2\n$ENDELM\n", 8, "has 2 nodes, not 3"},
        {"$NOD\n2\n1 0 0 0\n9223372036854775807 0 0 1\n$ENDNOD\n$ELM\n1\n1 1 1 1 2 1 5\n$ENDELM\n", 8,
         "node 5"},
        {"$NOD\n2\n1 0 0 0\n9223372036854775808 0 0 1\n$ENDNOD\n", 4, "whole number"},
        {"$NOD\n0\n$ENDNOD\n$ELM\n0\n$ENDELM\n", -1, ""},
        {"$ELM\n0\n$ENDELM\n", -1, "before the nodes"},
        {"$Nodes\n1\n1 0 0 0\n$EndNodes\n", -1, "no $MeshFormat"},
        {"$MeshFormat\n3 0 8\n$EndMeshFormat\n", 2, "not known"},
        {"$MeshFormat\n2.2 7 8\n$EndMeshFormat\n", 2, "0 (text) or 1 (binary)"},
        {"$MeshFormat\n2.2 1 4\n\1\0\0\0\n$EndMeshFormat\n", -1, "expected 8"},
        {"$MeshFormat\n2.2 1 8\n\2\2\2\2\n$EndMeshFormat\n", -1, "byte order"},
        {M2 M2, -1, "second header"},
        {M2 "$Comments\nno end", -1, "no end"},
        {M2 N3 N3, -1, "second section of nodes"},
        {M2 N3 "$Elements\n1000000000\n1 2 2 0 1 1 2 3\n$EndElements\n", 11, "room for at most"},
        {M2 N3 "$Elements\n1\n1 2 2 0 1 1 2 4\n$EndElements\n", 12, "node 4"},
        {M2 N3 "$Elements\n1\n1 2 2 0 1 1 2\n$EndElements\n", 12, "line ends where"},
        {M2 N3 "$Elements\n1\n1 2 2 0 1 1 2 3 3\n$EndElements\n", 12, "end of the line"},
        {M2 N3 "$Elements\n1\n1 2 1000000000000 0 1 1 2 3\n$EndElements\n", 12, "line ends where"},
        {M2 N3 "$Elements\n2\n1 2 2 0 1 1 2 3\n$EndElements\n", 13, "whole number"},
        {M2 N3 "$Elements\n0\n1 2 2 0 1 1 2 3\n$EndElements\n", 12, "expected $EndElements"},
        {M41 "$Nodes\n1000000000000 1 1 1\n", 5, "room for at most"},
        {M41 "$Nodes\n1 1000000000000 1 1\n0 1 0 1000000000000\n1\n", 5, "room for at most"},
        {M41 "$Nodes\n1 1 1 1\n0 1 0 2\n1\n2\n0 0 0\n0 0 0\n", 6, "a block of 2"},
        {M41 "$Nodes\n1 2 1 1\n0 1 0 1\n1\n0 0 0\n$EndNodes\n", -1, "1 nodes fewer"},
        {M41 "$Nodes\n1 1 1 1\n4 1 1 1\n1\n0 0 0 0 0 0 0\n$EndNodes\n", -1, "dimension 4"},
        {M41 "$Nodes\n1 1 1 1\n0 1 0 1\n1\n0 0 inf\n$EndNodes\n", 8, "finite number"},
        {M40 "$Nodes\n1 1\n1 0 0 1\n1 0 0\n$EndNodes\n", 7, "line ends where"},
        {M41
         "$Nodes\n1 1 1 1\n0 1 0 1\n1\n0 0 0\n$EndNodes\n$Elements\n1 1 1 1\n0 1 1 1\n1 1 2\n$EndElements\n",
         13, "node 2"},
        {M41
         "$Nodes\n1 1 1 1\n0 1 0 1\n1\n0 0 0\n$EndNodes\n$Elements\n1 2 1 1\n0 1 15 1\n1 1\n$EndElements\n",
         -1, "1 elements fewer"},
    };
    (void)state;
    refuse_all("bad.msh", cases, TAC_COUNT(cases));

    // binary numbers that are not finite, and elements of a type whose size is not known
    Bytes bytes;
    make_gmsh(&bytes, "2.2", false, 8);
    unsigned char *point = memmem(bytes.data, bytes.count, "$Nodes\n4\n", 9);
    assert_non_null(point);
    point += 9 + 4;
    memset(point, 0xFF, 8);
    assert_refused("bad.msh", bytes.data, bytes.count, 0, "");
    make_gmsh(&bytes, "2.2", false, 8);
    unsigned char *type = memmem(bytes.data, bytes.count, "$Elements\n2\n", 12);
    assert_non_null(type);
    type[12] = 34;
    assert_refused("bad.msh", bytes.data, bytes.count, 0, "type 34");
}

// Elements of a type that Gmsh may know and we do not are passed over in text.
static void unknown_gmsh_elements_in_text_are_skipped(void **state) {
    static const char two[] = M2 N3 "$Elements\n2\n1 34 2 0 1 5 1 2 3 1 2\n2 2 2 0 1 1 2 3\n$EndElements\n";
    static const char four[] =
        M41 "$Nodes\n1 3 1 3\n2 1 0 3\n1\n2\n3\n0 0 0\n1 0 0\n0 1 0\n$EndNodes\n$Elements\n"
            "2 2 1 2\n2 1 999 1\n1 5 5 5\n2 1 2 1\n2 1 2 3\n$EndElements\n";
    (void)state;
    TacMesh mesh;
    parse_or_fail(&mesh, "x.msh", two, strlen(two));
    assert_counts(&mesh, 3, 0, 1, 0, 0, 0);
    tac_mesh_destroy(&mesh);
    parse_or_fail(&mesh, "x.msh", four, strlen(four));
    assert_counts(&mesh, 3, 0, 1, 0, 0, 0);
    tac_mesh_destroy(&mesh);
}

#define VTK(dataset) "# vtk DataFile Version 3.0\nx\nASCII\nDATASET " dataset "\n"
#define P3           "POINTS 3 float\n0 0 0 1 0 0 0 1 0\n"

static void hostile_vtk_files_are_refused(void **state) {
    static const Hostile cases[] = {
        {"", -1, "empty"},
        {"# vtk DataFile Version 3.0\nx\nASCI\n", 3, "did you mean 'ASCII'"},
        {"# vtk DataFile Version 3.0\nx\nASCII\nDATASET POLYDATUM\n", 4, "did you mean 'POLYDATA'"},
        {VTK("POLYDATA"), -1, "no POINTS"},
        {VTK("POLYDATA") "POINT 3 float\n", 5, "did you mean 'POINTS'"},
        {VTK("POLYDATA") "POINTS 1000000000 float\n0 0 0\n", -1, "room for at most"},
        {VTK("POLYDATA") "POINTS -1 float\n0 0 0\n", 5, "-1"},
        {VTK("POLYDATA") "POINTS 99999999999999999999 float\n0 0 0\n", 5, "whole number"},
        {VTK("POLYDATA") "POINTS 1 flot\n0 0 0\n", 5, "did you mean 'float'"},
        {VTK("POLYDATA") "POINTS 1 float\n0 nan 0\n", 6, "finite number"},
        {VTK("POLYDATA") "POINTS 1 float\n0\n\n1e400 0\n", 8, "finite number"},
        {VTK("POLYDATA") "POINTS 1 float\n0 0\n", -1, "ends where"},
        {VTK("POLYDATA") "POLYGONS 1 4\n3 0 1 2\n" P3, -1, "before the points"},
        {VTK("POLYDATA") P3 "POLYGONS 1 4\n3 0 1 3\n", 8, "point 3 does not exist"},
        {VTK("POLYDATA") P3 "POLYGONS 1 4\n3 0 -1 2\n", 8, "point -1 does not exist"},
        {VTK("POLYDATA") P3 "POLYGONS 1 4\n4 0 1 2\n", 8, "a cell of 4 points"},
        {VTK("POLYDATA") P3 "POLYGONS 1 5\n3 0 1 2 9\n", 8, "left over"},
        {VTK("POLYDATA") P3 "POLYGONS 5 4\n3 0 1 2 9 9 9 9\n", 7, "5 cells cannot stand"},
        {VTK("POLYDATA") P3 "POLYGONS 1000000000 4000000000\n3 0 1 2\n", 7, "is not a number from"},
        {VTK("POLYDATA") P3 "POLYGONS 2 3\nOFFSETS vtktypeint64\n1 3\nCONNECTIVITY vtktypeint64\n0 1 2\n", 9,
         "out of order"},
        {VTK("POLYDATA") P3 "POLYGONS 3 3\nOFFSETS vtktypeint64\n0 2 1\nCONNECTIVITY vtktypeint64\n0 1 2\n",
         9, "out of order"},
        {VTK("POLYDATA") P3 "POLYGONS 2 3\nOFFSETS vtktypeint64\n0 4\nCONNECTIVITY vtktypeint64\n0 1 2\n", 9,
         "out of order"},
        {VTK("POLYDATA") P3 "POLYGONS 2 3\nOFFSETS vtktypeint64\n0 3\nCONNECTIVITY vtktypeint64\n0 1 3\n", 11,
         "point 3 does not exist"},
        {VTK("UNSTRUCTURED_GRID") P3 "CELLS 1 4\n3 0 1 2\n", -1, "without CELL_TYPES"},
        {VTK("UNSTRUCTURED_GRID") P3 "CELLS 1 4\n3 0 1 2\nCELL_TYPES 2\n5 5\n", 9, "2 types of cells for 1"},
        {VTK("UNSTRUCTURED_GRID") P3 "CELLS 1 4\n3 0 1 2\nCELL_TYPES 1\n10\n", -1, "needs at least 4 points"},
        {VTK("UNSTRUCTURED_GRID") P3 "CELL_TYPES 1\n5\n", -1, "without a list of cells"},
        {VTK("STRUCTURED_POINTS") "DIMENSIONS 1000 1000 1000\n", 5, "a grid of more than"},
        {VTK("STRUCTURED_POINTS") "DIMENSIONS 2147483647 2147483647 2147483647\n", 5, "a grid of more than"},
        {VTK("STRUCTURED_POINTS") "DIMENSIONS 2 2 2\nSPACING 1 inf 1\n", 6, "finite number"},
        {VTK("STRUCTURED_POINTS") "DIMENSIONS 3 3 3\nORIGIN 0 0 0\nSPACING 1e308 1 1\n", -1, ""},
        {VTK("STRUCTURED_POINTS"), -1, "without DIMENSIONS"},
        {VTK("STRUCTURED_GRID") "DIMENSIONS 2 2 1\n" P3, -1, "3 points for a grid"},
        {VTK("RECTILINEAR_GRID") "DIMENSIONS 2 1 1\nX_COORDINATES 2 float\n0 1\n", -1, "Y_COORDINATES"},
        {VTK("RECTILINEAR_GRID") "DIMENSIONS 2 1 1\nX_COORDINATES 3 float\n0 1 2\n", -1, "X_COORDINATES"},
        {VTK("POLYDATA") "FIELD f 1\na 1000000 1000000 float\n1 2\n", -1, ""},
        {VTK("POLYDATA") "FIELD f 1\ns 1 3 string\nhello\n", -1, ""},
    };
    (void)state;
    refuse_all("bad.vtk", cases, TAC_COUNT(cases));

    Bytes bytes = {.big_endian = true};
    put_text(&bytes, "# vtk DataFile Version 3.0\nx\nBINARY\nDATASET POLYDATA\nPOINTS 1 double\n");
    put_real(&bytes, 1);
    put_real(&bytes, (double)NAN);
    put_real(&bytes, 1);
    assert_refused("bad.vtk", bytes.data, bytes.count, 0, "");
    assert_refused("bad.vtk", bytes.data, bytes.count - 1, 0, "room for at most");
}

// A grid of one tetrahedron with the given attributes of the root and the given arrays.
static char *make_vtu(const char *root, const char *points, const char *connectivity, const char *offsets,
                      const char *types, const char *end) {
    char *text = NULL;
    assert_true(
        asprintf(&text,
                 "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" %s>\n<UnstructuredGrid>\n"
                 "<Piece NumberOfPoints=\"4\" NumberOfCells=\"1\">\n<Points>\n"
                 "<DataArray type=\"Float64\" NumberOfComponents=\"3\" %s</DataArray>\n</Points>\n<Cells>\n"
                 "<DataArray type=\"Int64\" Name=\"connectivity\" %s</DataArray>\n"
                 "<DataArray type=\"Int64\" Name=\"offsets\" %s</DataArray>\n"
                 "<DataArray type=\"UInt8\" Name=\"types\" %s</DataArray>\n</Cells>\n</Piece>\n"
                 "</UnstructuredGrid>\n%s</VTKFile>\n",
                 root, points, connectivity, offsets, types, end) > 0);
    return text;
}

#define ASCII   "format=\"ascii\">"
#define POINTS4 ASCII "0 0 0 1 0 0 0 1 0 0 0 1"

static void hostile_vtu_arrays_are_refused(void **state) {
    static const struct {
        const char *root, *points, *connectivity, *offsets, *types;
        int line;
        const char *message; // NULL: good
    } cases[] = {
        {"", POINTS4, ASCII "0 1 2 3", ASCII "4", ASCII "10", 0, NULL},
        {"", ASCII "0 0 0\n1 0 0\n0 nan 0 0 0 1", ASCII "0 1 2 3", ASCII "4", ASCII "10", 8, "finite number"},
        {"", ASCII "0 0 0 1", ASCII "0 1 2 3", ASCII "4", ASCII "10", 6, "room for at most"},
        {"", ASCII "0 0 0 1 0 0 0 1 0 0 0          ", ASCII "0 1 2 3", ASCII "4", ASCII "10", 6,
         "after 11 of 12"},
        {"", POINTS4 " 5", ASCII "0 1 2 3", ASCII "4", ASCII "10", 6, "end of the numbers"},
        {"", POINTS4, ASCII "0 1 2 4", ASCII "4", ASCII "10", 9, "point 4 does not exist"},
        {"", POINTS4, ASCII "0 1 -2 3", ASCII "4", ASCII "10", 9, "point -2 does not exist"},
        {"", POINTS4, ASCII "0 1 2 3", ASCII "1000000000000", ASCII "10", 9, "room for at most"},
        {"", POINTS4, ASCII "0 1 2 3", ASCII "-4", ASCII "10", -1, ""},
        {"", POINTS4, ASCII "0 1 2", ASCII "3", ASCII "10", -1, "needs at least 4"},
        {"byte_order=\"Middle\"", POINTS4, ASCII "0", ASCII "4", ASCII "10", 2, "LittleEndian"},
        {"header_type=\"UInt16\"", POINTS4, ASCII "0", ASCII "4", ASCII "10", 2, "UInt32"},
        {"compressor=\"vtkLZ4DataCompressor\"", POINTS4, ASCII "0", ASCII "4", ASCII "10", 2, "vtkZLib"},
        {"", "format=\"binary\">!!!!", ASCII "0 1 2 3", ASCII "4", ASCII "10", 6, "base64"},
        {"", "format=\"binary\">YAAAAA==AAAA", ASCII "0 1 2 3", ASCII "4", ASCII "10", 6, "cut short"},
        {"", "format=\"binary\">/////w==AAAA", ASCII "0 1 2 3", ASCII "4", ASCII "10", 6, "expected 96"},
        {"", "format=\"binary\">", ASCII "0 1 2 3", ASCII "4", ASCII "10", 6, "cut short"},
        {"", "format=\"appended\" offset=\"0\">", ASCII "0 1 2 3", ASCII "4", ASCII "10", 6,
         "behind the end"},
        {"", "format=\"appended\" offset=\"99999999\">", ASCII "0 1 2 3", ASCII "4", ASCII "10", 6, "offset"},
        {"", "format=\"appended\">", ASCII "0 1 2 3", ASCII "4", ASCII "10", 6, "offset is missing"},
        {"", "format=\"hex\">", ASCII "0 1 2 3", ASCII "4", ASCII "10", 6, "format is \"hex\""},
    };
    (void)state;
    for (size_t i = 0; i < TAC_COUNT(cases); i++) {
        char *text = make_vtu(cases[i].root, cases[i].points, cases[i].connectivity, cases[i].offsets,
                              cases[i].types, "");
        TacMesh mesh;
        if (cases[i].message) {
            assert_refused("bad.vtu", text, strlen(text), cases[i].line, cases[i].message);
        } else {
            parse_or_fail(&mesh, "good.vtu", text, strlen(text));
            assert_near(volume(&mesh), 1.0 / 6, 1e-15);
            tac_mesh_destroy(&mesh);
        }
        free(text);
    }
}

static void hostile_vtu_documents_are_refused(void **state) {
    static const Hostile cases[] = {
        {"", -1, "empty"},
        {"<VTKFile type=\"UnstructuredGrid\">", -1, "not well-formed"},
        {"<a/>", 1, "VTKFile"},
        {"<VTKFile type=\"PolyData\"/>", 1, "UnstructuredGrid"},
        {"<VTKFile/>", 1, "type is missing"},
        {"<VTKFile type=\"UnstructuredGrid\"/>", -1, ""},
        {"<VTKFile type=\"UnstructuredGrid\">&nothing;</VTKFile>", 1, "not well-formed"},
        {"<?xml version=\"1.0\"?>\n<!DOCTYPE a SYSTEM \"file:///etc/passwd\">\n<VTKFile "
         "type=\"UnstructuredGrid\"/>",
         2, "DOCTYPE"},
        {"<!DOCTYPE a [<!ENTITY b \"bbbbbbbbbb\"><!ENTITY c \"&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;\"><!ENTITY d "
         "\"&c;&c;&c;&c;&c;&c;&c;&c;&c;&c;\">]>\n<VTKFile type=\"&d;&d;&d;&d;\">&d;</VTKFile>",
         1, "DOCTYPE"},
        {"<VTKFile type=\"UnstructuredGrid\"><UnstructuredGrid><Piece "
         "NumberOfPoints=\"3\"/></UnstructuredGrid>"
         "</VTKFile>",
         1, "NumberOfCells is missing"},
        {"<VTKFile type=\"UnstructuredGrid\"><UnstructuredGrid><Piece NumberOfPoints=\"3000000000\"/>", 1,
         "from 0 to"},
        {"<VTKFile type=\"UnstructuredGrid\"><UnstructuredGrid><Piece NumberOfPoints=\"2000000000\" "
         "NumberOfCells=\"2000000000\"/></UnstructuredGrid></VTKFile>",
         1, "without an array of points"},
        {"<VTKFile type=\"UnstructuredGrid\"><AppendedData encoding=\"raw\">\nx", -1, "\"_\""},
        {"<VTKFile type=\"UnstructuredGrid\"><AppendedData encoding=\"hex\">\n_", 1, "encoding is \"hex\""},
    };
    (void)state;
    refuse_all("bad.vtu", cases, TAC_COUNT(cases));

    enum { DEEP = 100000 };
    char *deep = malloc(DEEP * 3 + 100);
    assert_non_null(deep);
    size_t length = (size_t)sprintf(deep, "<VTKFile type=\"UnstructuredGrid\">");
    for (int i = 0; i < DEEP; i++) length += (size_t)sprintf(deep + length, "<a>");
    assert_refused("deep.vtu", deep, length, 1, "nested deeper");
    free(deep);
}

// A piece of two thousand million points whose array says that it has all of them, in a few hundred bytes.
static void announced_points_take_no_memory(void **state) {
    static const char *const compressors[] = {"", "compressor=\"vtkZLibDataCompressor\""};
    (void)state;
    for (int packed = 0; packed < 2; packed++) {
        uint64_t plain = 48000000000, header[4] = {packed ? 1 : plain, plain, 0, 20};
        unsigned char raw[32];
        for (size_t i = 0; i < sizeof raw; i++) raw[i] = (unsigned char)(header[i / 8] >> 8 * (i % 8));
        char *text;
        size_t bytes;
        FILE *out = open_memstream(&text, &bytes);
        fprintf(out, "<VTKFile type=\"UnstructuredGrid\" header_type=\"UInt64\" %s><UnstructuredGrid>",
                compressors[packed]);
        fprintf(out, "<Piece NumberOfPoints=\"2000000000\" NumberOfCells=\"0\"><Points>");
        fprintf(out, "<DataArray type=\"Float64\" format=\"binary\">");
        TacBase64Writer writer = {.out = out};
        tac_base64_write(&writer, raw, sizeof raw);
        tac_base64_finish(&writer);
        fprintf(out,
                "AAAAAAAAAAAAAAAAAAAAAAAAAAAA</DataArray></Points></Piece></UnstructuredGrid></VTKFile>");
        fclose(out);
        assert_refused("huge.vtu", text, bytes, 1, "cut short");
        free(text);
    }
}

// Compressed points whose header says `announced` bytes while the block unpacks to `real`.
static void compressed_points(char **text, uint32_t blocks, uint32_t size, uint32_t last, size_t real) {
    unsigned char *plain = calloc(real + 1, 1), *packed = malloc(compressBound(real) + 1);
    assert_true(plain && packed);
    uLongf bytes = compressBound(real);
    assert_int_equal(compress(packed, &bytes, plain, real), Z_OK);
    uint32_t header[4] = {blocks, size, last, (uint32_t)bytes};
    unsigned char raw[16];
    for (size_t i = 0; i < 16; i++) raw[i] = (unsigned char)(header[i / 4] >> 8 * (i % 4));

    char *array;
    size_t length;
    FILE *out = open_memstream(&array, &length);
    fprintf(out, "format=\"binary\">");
    TacBase64Writer writer = {.out = out};
    tac_base64_write(&writer, raw, 16);
    tac_base64_finish(&writer);
    tac_base64_write(&writer, packed, bytes);
    tac_base64_finish(&writer);
    fclose(out);
    *text = make_vtu("byte_order=\"LittleEndian\" compressor=\"vtkZLibDataCompressor\"", array,
                     ASCII "0 1 2 3", ASCII "4", ASCII "10", "");
    free(array);
    free(plain);
    free(packed);
}

static void compressed_blocks_may_not_exceed_their_header(void **state) {
    static const struct {
        uint32_t blocks, size, last;
        size_t real;
        const char *message; // NULL: good
    } cases[] = {
        {1, 96, 0, 96, NULL},
        {1, 96, 96, 96, NULL},
        {1, 32768, 96, 96, NULL},
        {1, 96, 0, 50000000, "does not unpack to 96"}, // a bomb
        {1, 96, 0, 97, "does not unpack to 96"},
        {1, 96, 0, 95, "does not unpack to 96"},
        {1, 50000000, 0, 50000000, "has 50000000 bytes; expected 96"}, // an honest bomb
        {2, 96, 0, 96, "has 192 bytes; expected 96"},
        {0x40000000, 4, 0, 96, "cut short"},
        {0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF, 96, "cut short"},
        {2, 48, 0, 48, "cut short"},
        {0, 0, 0, 96, "has 0 bytes; expected 96"},
    };
    (void)state;
    for (size_t i = 0; i < TAC_COUNT(cases); i++) {
        char *text;
        TacMesh mesh;
        compressed_points(&text, cases[i].blocks, cases[i].size, cases[i].last, cases[i].real);
        if (cases[i].message) {
            assert_refused("bomb.vtu", text, strlen(text), 6, cases[i].message);
        } else {
            parse_or_fail(&mesh, "packed.vtu", text, strlen(text));
            assert_counts(&mesh, 4, 0, 0, 0, 1, 0);
            tac_mesh_destroy(&mesh);
        }
        free(text);
    }
}

// Many pieces that all point at the same large array would multiply it.
static void pieces_may_not_share_their_bytes(void **state) {
    enum { PIECES = 500, POINTS = 2000 };
    char *text;
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);
    (void)state;
    fprintf(out, "<VTKFile type=\"UnstructuredGrid\">\n<UnstructuredGrid>\n");
    for (int i = 0; i < PIECES; i++)
        fprintf(out,
                "<Piece NumberOfPoints=\"%d\" NumberOfCells=\"0\"><Points><DataArray type=\"Float32\" "
                "format=\"appended\" offset=\"0\"/></Points></Piece>\n",
                POINTS);
    fprintf(out, "</UnstructuredGrid>\n<AppendedData encoding=\"raw\">_");
    uint32_t size = POINTS * 12;
    for (int i = 0; i < 4; i++) fputc((int)(size >> 8 * i & 255), out);
    for (uint32_t i = 0; i < size; i++) fputc(0, out);
    fprintf(out, "</AppendedData></VTKFile>\n");
    fclose(out);
    assert_refused("shared.vtu", text, bytes, -1, "on top of each other");
    free(text);
}

static const char *const all_names[] = {"gmsh_1.msh",
                                        "gmsh_2_text.msh",
                                        "gmsh_2_binary.msh",
                                        "gmsh_4_0_text.msh",
                                        "gmsh_4_1_text.msh",
                                        "gmsh_4_1_binary.msh",
                                        "vtk_4_2_text.vtk",
                                        "vtk_4_2_binary.vtk",
                                        "vtk_5_1_text.vtk",
                                        "vtk_5_1_binary.vtk",
                                        "vtk_poly_4_2_binary.vtk",
                                        "vtk_poly_5_1_text.vtk",
                                        "vtk_points_binary.vtk",
                                        "vtk_rectilinear_binary.vtk",
                                        "vtk_grid_text.vtk",
                                        "vtu_ascii.vtu",
                                        "vtu_base64.vtu",
                                        "vtu_base64_zlib_big.vtu",
                                        "vtu_raw_big.vtu",
                                        "vtu_raw_zlib.vtu",
                                        "vtu_appended_base64.vtu",
                                        "vtu_appended_base64_zlib_big.vtu"};

// Bytes behind which the mesh is complete, so that a cut there is no harm.
static size_t needed_bytes(const char *name, const char *data, size_t bytes) {
    if (strstr(name, ".msh")) return bytes - 1;
    if (strstr(name, "vtu_ascii") || strstr(name, "vtu_base64")) return bytes - 1;
    const char *appended = memmem(data, bytes, "<AppendedData", 13);
    if (appended) return (size_t)(appended - data);
    const char *types = memmem(data, bytes, "CELL_TYPES", 10);
    return types ? (size_t)(types - data) + 10 : 0;
}

// Legacy files cut right behind their points (or inside the last one's digits) are clouds of points, as VTK
// itself writes them.
static bool is_cloud(const char *data, size_t bytes, size_t cut) {
    const char *cells = memmem(data, bytes, "CELLS", 5);
    return cells && cut <= (size_t)(cells - data) && cut + 6 > (size_t)(cells - data);
}

static void files_cut_short_anywhere_are_refused(void **state) {
    (void)state;
    for (size_t f = 0; f < TAC_COUNT(all_names); f++) {
        size_t bytes;
        char *data = read_data(all_names[f], &bytes);
        size_t needed = needed_bytes(all_names[f], data, bytes);
        for (size_t cut = 0; cut < bytes; cut++) {
            // an exact copy, so that a sanitizer sees a step too far
            char *copy = malloc(cut + 1);
            assert_non_null(copy);
            memcpy(copy, data, cut);
            copy[cut] = 0;
            TacMesh mesh = {0};
            TacError error = {0};
            TacStatus status = tac_mesh_parse(&mesh, all_names[f], copy, cut, &error);
            assert_true(status == TAC_OK || status == TAC_BAD_INPUT);
            if (status == TAC_OK && cut < needed && !is_cloud(data, bytes, cut))
                fail_msg("%s cut at %zu was read", all_names[f], cut);
            if (status != TAC_OK) assert_true(error.message[0] && !mesh.points);
            tac_mesh_destroy(&mesh);
            free(copy);
        }
        free(data);
    }
}

static void damaged_files_are_read_or_refused_but_never_harm(void **state) {
    static const unsigned char values[] = {0, 1, '0', '9', '-', ' ', '\n', '<', '"', '$', 0x7F, 0x80, 0xFF};
    TacRandom random = tac_random(2024, 1);
    (void)state;
    for (size_t f = 0; f < TAC_COUNT(all_names); f++) {
        size_t bytes;
        char *data = read_data(all_names[f], &bytes), *copy = malloc(bytes + 1);
        assert_non_null(copy);
        for (int trial = 0; trial < 1500; trial++) {
            memcpy(copy, data, bytes + 1);
            for (uint32_t n = 1 + tac_random_bits(&random) % 3; n > 0; n--)
                copy[tac_random_bits(&random) % bytes] =
                    (char)values[tac_random_bits(&random) % TAC_COUNT(values)];
            TacMesh mesh = {0};
            TacError error = {0};
            TacStatus status = tac_mesh_parse(&mesh, all_names[f], copy, bytes, &error);
            assert_true(status == TAC_OK || status == TAC_BAD_INPUT);
            if (status == TAC_OK) assert_int_equal(tac_mesh_validate(&mesh, &error), TAC_OK);
            tac_mesh_destroy(&mesh);
        }
        free(copy);
        free(data);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hostile_gmsh_files_are_refused),
        cmocka_unit_test(unknown_gmsh_elements_in_text_are_skipped),
        cmocka_unit_test(hostile_vtk_files_are_refused),
        cmocka_unit_test(hostile_vtu_arrays_are_refused),
        cmocka_unit_test(hostile_vtu_documents_are_refused),
        cmocka_unit_test(announced_points_take_no_memory),
        cmocka_unit_test(compressed_blocks_may_not_exceed_their_header),
        cmocka_unit_test(pieces_may_not_share_their_bytes),
        cmocka_unit_test(files_cut_short_anywhere_are_refused),
        cmocka_unit_test(damaged_files_are_read_or_refused_but_never_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
