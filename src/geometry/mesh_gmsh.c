// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Gmsh's mesh files (the "MSH file format" chapter of its manual): 1, 2.x, 4.0 and 4.1 in text, 2.x, 4.0
// and 4.1 in binary of either byte order. Writes 2.2 in text.
//
// One walk serves text and binary: get_int and get_real take the next number from either. In text a record
// stays on its line, so that a missing number is found where it is missing. Sections other than nodes and
// elements are skipped; elements come after the nodes they use, as Gmsh writes them.

#include "base/memory.h"
#include "base/text.h"
#include "geometry/mesh_scan.h"
#include "geometry/node_numbers.h"

enum { MSH_1 = 10, MSH_2 = 20, MSH_4_0 = 40, MSH_4_1 = 41 };

typedef struct Reader {
    TacScan scan;
    TacMeshBuilder builder;
    TacNodeNumbers nodes;
    TacError *error;
    int version;
    bool binary, big_endian;
    TacNumber tag;   // of a node or an element in binary
    TacNumber count; // of things in binary
    bool has_nodes, has_elements;
} Reader;

#define FAIL(reader, ...) TAC_SCAN_FAIL(&(reader)->scan, (reader)->error, __VA_ARGS__)

typedef enum Shape { UNKNOWN, POINT, LINE, TRIANGLE, QUAD, TETRAHEDRON, HEXAHEDRON, PRISM, PYRAMID } Shape;

typedef struct ElementType {
    unsigned char shape;
    unsigned short nodes; // the corners come first
} ElementType;

// By Gmsh's number. Elements of order 0 have one node and no corners: points.
static const ElementType element_types[] = {
    [1] = {LINE, 2},           [2] = {TRIANGLE, 3},       [3] = {QUAD, 4},
    [4] = {TETRAHEDRON, 4},    [5] = {HEXAHEDRON, 8},     [6] = {PRISM, 6},
    [7] = {PYRAMID, 5},        [8] = {LINE, 3},           [9] = {TRIANGLE, 6},
    [10] = {QUAD, 9},          [11] = {TETRAHEDRON, 10},  [12] = {HEXAHEDRON, 27},
    [13] = {PRISM, 18},        [14] = {PYRAMID, 14},      [15] = {POINT, 1},
    [16] = {QUAD, 8},          [17] = {HEXAHEDRON, 20},   [18] = {PRISM, 15},
    [19] = {PYRAMID, 13},      [20] = {TRIANGLE, 9},      [21] = {TRIANGLE, 10},
    [22] = {TRIANGLE, 12},     [23] = {TRIANGLE, 15},     [24] = {TRIANGLE, 15},
    [25] = {TRIANGLE, 21},     [26] = {LINE, 4},          [27] = {LINE, 5},
    [28] = {LINE, 6},          [29] = {TETRAHEDRON, 20},  [30] = {TETRAHEDRON, 35},
    [31] = {TETRAHEDRON, 56},  [32] = {TETRAHEDRON, 22},  [33] = {TETRAHEDRON, 28},
    [36] = {QUAD, 16},         [37] = {QUAD, 25},         [38] = {QUAD, 36},
    [39] = {QUAD, 12},         [40] = {QUAD, 16},         [41] = {QUAD, 20},
    [42] = {TRIANGLE, 28},     [43] = {TRIANGLE, 36},     [44] = {TRIANGLE, 45},
    [45] = {TRIANGLE, 55},     [46] = {TRIANGLE, 66},     [47] = {QUAD, 49},
    [48] = {QUAD, 64},         [49] = {QUAD, 81},         [50] = {QUAD, 100},
    [51] = {QUAD, 121},        [52] = {TRIANGLE, 18},     [53] = {TRIANGLE, 21},
    [54] = {TRIANGLE, 24},     [55] = {TRIANGLE, 27},     [56] = {TRIANGLE, 30},
    [57] = {QUAD, 24},         [58] = {QUAD, 28},         [59] = {QUAD, 32},
    [60] = {QUAD, 36},         [61] = {QUAD, 40},         [62] = {LINE, 7},
    [63] = {LINE, 8},          [64] = {LINE, 9},          [65] = {LINE, 10},
    [66] = {LINE, 11},         [71] = {TETRAHEDRON, 84},  [72] = {TETRAHEDRON, 120},
    [73] = {TETRAHEDRON, 165}, [74] = {TETRAHEDRON, 220}, [75] = {TETRAHEDRON, 286},
    [79] = {TETRAHEDRON, 34},  [80] = {TETRAHEDRON, 40},  [81] = {TETRAHEDRON, 46},
    [82] = {TETRAHEDRON, 52},  [83] = {TETRAHEDRON, 58},  [84] = {POINT, 1},
    [85] = {POINT, 1},         [86] = {POINT, 1},         [87] = {POINT, 1},
    [88] = {POINT, 1},         [89] = {POINT, 1},         [90] = {PRISM, 40},
    [91] = {PRISM, 75},        [92] = {HEXAHEDRON, 64},   [93] = {HEXAHEDRON, 125},
    [94] = {HEXAHEDRON, 216},  [95] = {HEXAHEDRON, 343},  [96] = {HEXAHEDRON, 512},
    [97] = {HEXAHEDRON, 729},  [98] = {HEXAHEDRON, 1000}, [99] = {HEXAHEDRON, 32},
    [100] = {HEXAHEDRON, 44},  [101] = {HEXAHEDRON, 56},  [102] = {HEXAHEDRON, 68},
    [103] = {HEXAHEDRON, 80},  [104] = {HEXAHEDRON, 92},  [105] = {HEXAHEDRON, 104},
    [106] = {PRISM, 126},      [107] = {PRISM, 196},      [108] = {PRISM, 288},
    [109] = {PRISM, 405},      [110] = {PRISM, 550},      [118] = {PYRAMID, 30},
    [119] = {PYRAMID, 55},     [120] = {PYRAMID, 91},     [121] = {PYRAMID, 140},
    [122] = {PYRAMID, 204},    [123] = {PYRAMID, 285},    [124] = {PYRAMID, 385},
    [125] = {PYRAMID, 21},     [126] = {PYRAMID, 29},     [127] = {PYRAMID, 37},
    [128] = {PYRAMID, 45},     [129] = {PYRAMID, 53},     [130] = {PYRAMID, 61},
    [131] = {PYRAMID, 69},     [132] = {POINT, 1},        [137] = {TETRAHEDRON, 16}};

static ElementType element_type(int64_t number) {
    if (number < 0 || number >= (int64_t)TAC_COUNT(element_types)) return (ElementType){UNKNOWN, 0};
    return element_types[number];
}

static int corner_count(Shape shape) {
    static const unsigned char corners[] = {0, 1, 2, 3, 4, 4, 8, 6, 5};
    return corners[shape];
}

// The next number of a binary file, as bytes. NULL at the end of the file.
static const char *take(Reader *reader, size_t bytes) {
    if (tac_scan_left(&reader->scan) < bytes) return NULL;
    reader->scan.at += bytes;
    return reader->scan.at - bytes;
}

static TacStatus fail_early_end(Reader *reader) {
    return FAIL(reader, "the file ends too early, at byte %zu",
                (size_t)(reader->scan.end - reader->scan.start));
}

static TacStatus fail_number(Reader *reader, const char *expected) {
    if (reader->scan.at == reader->scan.end) return fail_early_end(reader);
    if (*reader->scan.at == '\n') return FAIL(reader, "the line ends where %s was expected", expected);
    return FAIL(reader, "expected %s", expected);
}

static TacStatus get_int(Reader *reader, TacNumber kind, int64_t *value) {
    if (reader->binary) {
        const char *bytes = take(reader, tac_number_size(kind));
        if (!bytes) return fail_early_end(reader);
        *value = tac_number_int(kind, bytes, reader->big_endian);
        return TAC_OK;
    }
    tac_scan_blanks(&reader->scan);
    if (*reader->scan.at == '\n' || !tac_read_int(&reader->scan.at, reader->scan.end, value))
        return fail_number(reader, "a whole number");
    return TAC_OK;
}

static TacStatus get_real(Reader *reader, double *value) {
    if (reader->binary) {
        const char *bytes = take(reader, 8);
        if (!bytes) return fail_early_end(reader);
        *value = tac_number_real(TAC_FLOAT64, bytes, reader->big_endian);
        return TAC_OK;
    }
    tac_scan_blanks(&reader->scan);
    if (*reader->scan.at == '\n' || !tac_read_real(&reader->scan.at, reader->scan.end, value))
        return fail_number(reader, "a finite number");
    return TAC_OK;
}

// In text: to the first word of the next line that is not empty.
static void begin_record(Reader *reader) {
    if (reader->binary) return;
    tac_scan_space(&reader->scan);
    reader->builder.line = tac_scan_line(&reader->scan);
}

static TacStatus end_record(Reader *reader) {
    if (reader->binary || tac_scan_line_end(&reader->scan)) return TAC_OK;
    return FAIL(reader, "expected the end of the line");
}

// A number of things that the rest of the file can hold, given the fewest bytes that one takes.
static TacStatus get_count(Reader *reader, TacNumber kind, size_t text_bytes, size_t binary_bytes,
                           int64_t *count) {
    TAC_TRY(get_int(reader, kind, count));
    size_t left = tac_scan_left(&reader->scan), each = reader->binary ? binary_bytes : text_bytes;
    if (*count < 0 || (uint64_t)*count > left / each)
        return FAIL(reader, "%lld things are announced, but the file has room for at most %zu",
                    (long long)*count, left / each);
    return TAC_OK;
}

// A count that stands on a line of its own, in text even in binary files of version 2.
static TacStatus get_count_line(Reader *reader, size_t text_bytes, size_t binary_bytes, int64_t *count) {
    bool binary = reader->binary;
    reader->binary = false;
    begin_record(reader);
    TacStatus status = get_count(reader, TAC_INT32, binary ? binary_bytes : text_bytes, 1, count);
    if (status == TAC_OK) status = end_record(reader);
    reader->binary = binary;
    return status;
}

// ---- nodes

static TacStatus add_number(Reader *reader, int64_t number) {
    if (tac_node_numbers_add(&reader->nodes, number)) return TAC_OK;
    return tac_fail_memory(reader->error, reader->nodes.count * sizeof number);
}

static TacStatus read_point(Reader *reader, int parameters) {
    double xyz[3], unused;
    for (int i = 0; i < 3; i++) TAC_TRY(get_real(reader, &xyz[i]));
    for (int i = 0; i < parameters; i++) TAC_TRY(get_real(reader, &unused));
    return tac_mesh_builder_point(&reader->builder, xyz[0], xyz[1], xyz[2], reader->error);
}

// Number and coordinates together: versions 1, 2 and 4.0.
static TacStatus read_numbered_points(Reader *reader, int64_t count, int parameters, bool rest_of_line) {
    for (int64_t i = 0; i < count; i++) {
        int64_t number;
        begin_record(reader);
        TAC_TRY(get_int(reader, reader->tag, &number));
        TAC_TRY(add_number(reader, number));
        TAC_TRY(read_point(reader, parameters));
        if (rest_of_line)
            tac_scan_skip_line(&reader->scan);
        else
            TAC_TRY(end_record(reader));
    }
    return TAC_OK;
}

// All numbers of a block, then all coordinates: version 4.1.
static TacStatus read_numbers_then_points(Reader *reader, int64_t count, int parameters) {
    for (int64_t i = 0; i < count; i++) {
        int64_t number;
        begin_record(reader);
        TAC_TRY(get_int(reader, reader->tag, &number));
        TAC_TRY(add_number(reader, number));
        TAC_TRY(end_record(reader));
    }
    for (int64_t i = 0; i < count; i++) {
        begin_record(reader);
        TAC_TRY(read_point(reader, parameters));
        TAC_TRY(end_record(reader));
    }
    return TAC_OK;
}

// "blocks total", and the smallest and largest number in 4.1. Each block takes at least a header.
static TacStatus read_blocks_header(Reader *reader, size_t text_bytes, size_t binary_bytes, int64_t *blocks,
                                    int64_t *total) {
    int64_t unused;
    begin_record(reader);
    TAC_TRY(get_count(reader, reader->count, 8, 12 + tac_number_size(reader->count), blocks));
    TAC_TRY(get_count(reader, reader->count, text_bytes, binary_bytes, total));
    for (int i = 0; reader->version == MSH_4_1 && i < 2; i++)
        TAC_TRY(get_int(reader, reader->count, &unused));
    return end_record(reader);
}

// Dimension and tag of the entity (the other way round in 4.0), a third number, and how many things follow.
static TacStatus read_block_header(Reader *reader, int64_t left, int64_t *dimension, int64_t *third,
                                   int64_t *count) {
    int64_t unused;
    begin_record(reader);
    TAC_TRY(get_int(reader, TAC_INT32, reader->version == MSH_4_0 ? &unused : dimension));
    TAC_TRY(get_int(reader, TAC_INT32, reader->version == MSH_4_0 ? dimension : &unused));
    TAC_TRY(get_int(reader, TAC_INT32, third));
    TAC_TRY(get_int(reader, reader->count, count));
    if (*count < 0 || *count > left)
        return FAIL(reader, "a block of %lld, where the section has %lld left", (long long)*count,
                    (long long)left);
    return end_record(reader);
}

static TacStatus read_node_blocks(Reader *reader) {
    int64_t blocks, total, dimension = 0, parametric = 0, count = 0;
    TAC_TRY(read_blocks_header(reader, 8, 24 + tac_number_size(reader->tag), &blocks, &total));
    for (int64_t b = 0; b < blocks; b++) {
        TAC_TRY(read_block_header(reader, total, &dimension, &parametric, &count));
        if (dimension < 0 || dimension > 3)
            return FAIL(reader, "an entity of dimension %lld; expected 0 to 3", (long long)dimension);
        int parameters = parametric ? (int)dimension : 0;
        if (reader->version == MSH_4_1)
            TAC_TRY(read_numbers_then_points(reader, count, parameters));
        else
            TAC_TRY(read_numbered_points(reader, count, parameters, false));
        total -= count;
    }
    if (total) return FAIL(reader, "%lld nodes fewer than announced", (long long)total);
    return TAC_OK;
}

static TacStatus read_nodes(Reader *reader, bool rest_of_line) {
    if (reader->has_nodes) return FAIL(reader, "a second section of nodes");
    if (reader->version >= MSH_4_0) {
        TAC_TRY(read_node_blocks(reader));
    } else {
        int64_t count;
        TAC_TRY(get_count_line(reader, 8, 28, &count));
        TAC_TRY(read_numbered_points(reader, count, 0, rest_of_line));
    }
    reader->has_nodes = true;
    return tac_node_numbers_index(&reader->nodes, reader->scan.name, reader->error);
}

// ---- elements

static TacStatus add_element(Reader *reader, Shape shape, const int64_t corners[8]) {
    TacMeshBuilder *builder = &reader->builder;
    switch (shape) {
    case LINE: return tac_mesh_builder_element(builder, TAC_EDGES, corners, reader->error);
    case TRIANGLE: return tac_mesh_builder_element(builder, TAC_TRIANGLES, corners, reader->error);
    case QUAD: return tac_mesh_builder_element(builder, TAC_QUADS, corners, reader->error);
    case TETRAHEDRON: return tac_mesh_builder_element(builder, TAC_TETRAHEDRA, corners, reader->error);
    case HEXAHEDRON: return tac_mesh_builder_element(builder, TAC_HEXAHEDRA, corners, reader->error);
    case PRISM: return tac_mesh_builder_wedge(builder, corners, reader->error);
    case PYRAMID: return tac_mesh_builder_pyramid(builder, corners, reader->error);
    default: return TAC_OK;
    }
}

// The nodes of one element: its corners become points, the others are only read over.
static TacStatus read_element_nodes(Reader *reader, Shape shape, int64_t nodes) {
    int64_t corners[8];
    int wanted = corner_count(shape);
    for (int64_t i = 0; i < nodes; i++) {
        int64_t number;
        TAC_TRY(get_int(reader, reader->tag, &number));
        if (i >= wanted) continue;
        corners[i] = tac_node_numbers_find(&reader->nodes, number);
        if (corners[i] < 0)
            return FAIL(reader, "the element uses node %lld, which is not in the list of nodes",
                        (long long)number);
    }
    return add_element(reader, shape, corners);
}

// Text of versions 1 and 2: "number type region region nodes ..." and "number type tags ...".
static TacStatus read_element_line(Reader *reader) {
    int64_t number, type, tags = 2, nodes = 0, unused;
    begin_record(reader);
    TAC_TRY(get_int(reader, reader->tag, &number));
    TAC_TRY(get_int(reader, TAC_INT32, &type));
    if (reader->version == MSH_2) TAC_TRY(get_int(reader, TAC_INT32, &tags));
    for (int64_t i = 0; i < tags; i++) TAC_TRY(get_int(reader, TAC_INT32, &unused));

    ElementType known = element_type(type);
    if (known.shape == UNKNOWN) {
        tac_scan_skip_line(&reader->scan);
        return TAC_OK;
    }
    if (reader->version == MSH_1) {
        TAC_TRY(get_int(reader, TAC_INT32, &nodes));
        if (nodes != known.nodes)
            return FAIL(reader, "an element of type %lld has %d nodes, not %lld", (long long)type,
                        known.nodes, (long long)nodes);
    }
    TAC_TRY(read_element_nodes(reader, (Shape)known.shape, known.nodes));
    return end_record(reader);
}

static TacStatus known_in_binary(Reader *reader, int64_t type, ElementType known) {
    if (known.shape != UNKNOWN) return TAC_OK;
    return FAIL(reader, "elements of type %lld are not known, so that their size in binary is not either",
                (long long)type);
}

// Binary of version 2: groups of one type and one number of tags.
static TacStatus read_element_group(Reader *reader, int64_t left, int64_t *count) {
    int64_t type, tags, unused;
    TAC_TRY(get_int(reader, TAC_INT32, &type));
    TAC_TRY(get_int(reader, TAC_INT32, count));
    TAC_TRY(get_int(reader, TAC_INT32, &tags));
    if (*count < 1 || *count > left || tags < 0)
        return FAIL(reader,
                    "a group of %lld elements with %lld tags, where the section has %lld elements left",
                    (long long)*count, (long long)tags, (long long)left);
    ElementType known = element_type(type);
    TAC_TRY(known_in_binary(reader, type, known));
    for (int64_t i = 0; i < *count; i++) {
        for (int64_t t = 0; t < tags + 1; t++) TAC_TRY(get_int(reader, TAC_INT32, &unused));
        TAC_TRY(read_element_nodes(reader, (Shape)known.shape, known.nodes));
    }
    return TAC_OK;
}

static TacStatus read_plain_elements(Reader *reader) {
    int64_t total;
    TAC_TRY(get_count_line(reader, 6, 8, &total));
    for (int64_t done = 0; done < total;) {
        int64_t count = 1;
        TAC_TRY(reader->binary ? read_element_group(reader, total - done, &count)
                               : read_element_line(reader));
        done += count;
    }
    return TAC_OK;
}

// A block of version 4: elements of one type.
static TacStatus read_block_elements(Reader *reader, int64_t type, int64_t count) {
    ElementType known = element_type(type);
    if (reader->binary) TAC_TRY(known_in_binary(reader, type, known));
    for (int64_t i = 0; i < count; i++) {
        int64_t number;
        begin_record(reader);
        TAC_TRY(get_int(reader, reader->tag, &number));
        if (known.shape == UNKNOWN) {
            tac_scan_skip_line(&reader->scan);
            continue;
        }
        TAC_TRY(read_element_nodes(reader, (Shape)known.shape, known.nodes));
        TAC_TRY(end_record(reader));
    }
    return TAC_OK;
}

static TacStatus read_element_blocks(Reader *reader) {
    int64_t blocks, total, dimension = 0, type = 0, count = 0;
    TAC_TRY(read_blocks_header(reader, 4, 2 * tac_number_size(reader->tag), &blocks, &total));
    for (int64_t b = 0; b < blocks; b++) {
        TAC_TRY(read_block_header(reader, total, &dimension, &type, &count));
        TAC_TRY(read_block_elements(reader, type, count));
        total -= count;
    }
    if (total) return FAIL(reader, "%lld elements fewer than announced", (long long)total);
    return TAC_OK;
}

static TacStatus read_elements(Reader *reader) {
    if (!reader->has_nodes) return FAIL(reader, "the elements stand before the nodes they use");
    reader->has_elements = true;
    return reader->version >= MSH_4_0 ? read_element_blocks(reader) : read_plain_elements(reader);
}

// ---- sections

// Binary numbers start right behind the header's line: an integer 1 shows their byte order.
static TacStatus read_byte_order(Reader *reader) {
    const char *bytes = take(reader, 4);
    if (!bytes) return fail_early_end(reader);
    if (tac_number_int(TAC_INT32, bytes, false) == 1) return TAC_OK;
    if (tac_number_int(TAC_INT32, bytes, true) != 1)
        return FAIL(reader, "expected the binary number 1 that shows the byte order");
    reader->big_endian = true;
    return TAC_OK;
}

static TacStatus choose_version(Reader *reader, double version, int64_t size) {
    if (version >= 2 && version < 3)
        reader->version = MSH_2;
    else if (version >= 4 && version < 4.1)
        reader->version = MSH_4_0;
    else if (version >= 4.1 && version < 5)
        reader->version = MSH_4_1;
    else
        return FAIL(reader, "version %g of the format is not known; expected 2.x, 4.0 or 4.1", version);
    if (reader->binary && size != 8 && !(size == 4 && reader->version == MSH_4_1))
        return FAIL(reader, "numbers of %lld bytes; expected 8", (long long)size);
    reader->tag = reader->version != MSH_4_1 ? TAC_INT32 : size == 4 ? TAC_UINT32 : TAC_UINT64;
    reader->count = reader->version == MSH_4_1 ? reader->tag : TAC_UINT64;
    return TAC_OK;
}

static TacStatus read_format(Reader *reader) {
    double version;
    int64_t binary, size;
    begin_record(reader);
    TAC_TRY(get_real(reader, &version));
    TAC_TRY(get_int(reader, TAC_INT32, &binary));
    TAC_TRY(get_int(reader, TAC_INT32, &size));
    if (binary != 0 && binary != 1) return FAIL(reader, "the file's type is 0 (text) or 1 (binary)");
    reader->binary = binary == 1;
    TAC_TRY(choose_version(reader, version, size));
    if (!tac_scan_line_end(&reader->scan)) return FAIL(reader, "expected the end of the line");

    // from here on lines mean nothing in a binary file
    reader->scan.binary = reader->binary;
    reader->builder.line = 0;
    return reader->binary ? read_byte_order(reader) : TAC_OK;
}

// To behind "$EndName", whatever the case of its letters; "$ENDName" closes sections of version 1.
static bool skip_to_end(TacScan *scan, const char *name, size_t length) {
    while (scan->at < scan->end) {
        const char *sign = memchr(scan->at, '$', tac_scan_left(scan));
        if (!sign) return false;
        scan->at = sign + 1;
        if (tac_scan_left(scan) < length + 3 || !tac_same_word(scan->at, 3, "End")) continue;
        if (memcmp(scan->at + 3, name, length) != 0) continue;
        scan->at += 3 + length;
        return true;
    }
    return false;
}

static TacStatus expect_end(Reader *reader, const char *name, size_t length) {
    const char *word;
    size_t found = tac_scan_word(&reader->scan, &word);
    if (found == length + 4 && word[0] == '$' && tac_same_word(word + 1, 3, "End") &&
        memcmp(word + 4, name, length) == 0)
        return TAC_OK;
    reader->scan.at = word;
    if (!found) return FAIL(reader, "the file ends before $End%.*s", (int)length, name);
    return FAIL(reader, "expected $End%.*s", (int)length, name);
}

static TacStatus read_section(Reader *reader, const char *name, size_t length) {
    if (tac_word_is(name, length, "MeshFormat")) {
        if (reader->version) return FAIL(reader, "a second header");
        TAC_TRY(read_format(reader));
    } else if (tac_word_is(name, length, "NOD") || tac_word_is(name, length, "ELM")) {
        if (reader->version > MSH_1) return FAIL(reader, "a section of version 1 in a newer file");
        reader->version = MSH_1;
        TAC_TRY(name[0] == 'N' ? read_nodes(reader, false) : read_elements(reader));
    } else if (tac_word_is(name, length, "Nodes") || tac_word_is(name, length, "Elements") ||
               tac_word_is(name, length, "ParametricNodes")) {
        if (reader->version < MSH_2) return FAIL(reader, "no $MeshFormat before $%.*s", (int)length, name);
        if (name[0] == 'P' && reader->binary) return FAIL(reader, "parametric nodes in binary are not read");
        TAC_TRY(name[0] == 'E' ? read_elements(reader) : read_nodes(reader, name[0] == 'P'));
    } else {
        const char *start = reader->scan.at;
        if (skip_to_end(&reader->scan, name, length)) return TAC_OK;
        reader->scan.at = start;
        return FAIL(reader, "the section $%.*s has no end", (int)(length < 40 ? length : 40), name);
    }
    return expect_end(reader, name, length);
}

static TacStatus read_sections(Reader *reader) {
    while (!reader->has_elements) {
        const char *word;
        size_t length = tac_scan_word(&reader->scan, &word);
        if (!length)
            return FAIL(reader, reader->has_nodes ? "no section of elements" : "no section of nodes");
        if (word[0] != '$' || length < 2) {
            reader->scan.at = word;
            return FAIL(reader, "expected a section such as $MeshFormat, $Nodes or $Elements");
        }
        if (!tac_scan_line_end(&reader->scan)) return FAIL(reader, "expected the end of the line");
        TAC_TRY(read_section(reader, word + 1, length - 1));
    }
    return TAC_OK;
}

TacStatus tac_mesh_parse_gmsh(TacMesh *mesh, const TacMeshInput *input, TacError *error) {
    Reader reader = {
        .scan = tac_scan(input), .builder = {.name = input->name}, .error = error, .tag = TAC_INT32};
    TacStatus status = read_sections(&reader);
    if (status == TAC_OK)
        status = tac_mesh_builder_finish(&reader.builder, mesh, error);
    else
        tac_mesh_builder_destroy(&reader.builder);
    tac_node_numbers_destroy(&reader.nodes);
    return status;
}

// ---- writing

TacStatus tac_mesh_write_gmsh(const TacMesh *mesh, FILE *out, TacError *error) {
    static const int types[TAC_ELEMENT_KINDS] = {1, 2, 3, 4, 5};
    (void)error;
    fprintf(out, "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n%zu\n", mesh->point_count);
    for (size_t i = 0; i < mesh->point_count; i++) {
        fprintf(out, "%zu", i + 1);
        for (size_t j = 0; j < 3; j++) {
            fputc(' ', out);
            tac_print_real(out, mesh->points[3 * i + j], 0);
        }
        fputc('\n', out);
    }

    size_t total = 0, number = 0;
    for (int kind = 0; kind < TAC_ELEMENT_KINDS; kind++) total += mesh->elements[kind].count;
    fprintf(out, "$EndNodes\n$Elements\n%zu\n", total);
    for (int kind = 0; kind < TAC_ELEMENT_KINDS; kind++) {
        size_t size = (size_t)tac_element_size((TacElement)kind);
        const int32_t *indices = mesh->elements[kind].indices;
        for (size_t e = 0; e < mesh->elements[kind].count; e++) {
            fprintf(out, "%zu %d 2 0 1", ++number, types[kind]);
            for (size_t i = 0; i < size; i++) fprintf(out, " %d", indices[e * size + i] + 1);
            fputc('\n', out);
        }
    }
    fprintf(out, "$EndElements\n");
    return TAC_OK;
}
