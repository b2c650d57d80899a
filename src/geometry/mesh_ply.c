// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// PLY, the Stanford polygon format (G. Turk, 1994): text, and binary of both byte orders, with properties of
// any type in any order. Used are vertex (x, y, z, radius), face (vertex_indices), tristrips (vertex_indices)
// and edge (vertex1, vertex2); everything else is walked over. Text is written.

#include "base/memory.h"
#include "base/text.h"
#include "geometry/mesh_file.h"

#include <inttypes.h>
#include <limits.h>

enum { MOST_PROPERTIES = 256, MOST_ELEMENTS = 64 };

// What a property is to us.
typedef enum Role { IGNORED, X, Y, Z, RADIUS, INDICES, FIRST_END, SECOND_END, ROLES } Role;

typedef enum Shape { OTHER, VERTEX, FACE, STRIPS, EDGE } Shape;

typedef struct Property {
    int8_t type, count_type; // count_type: -1 unless it is a list
    Role role;
} Property;

typedef struct Element {
    Shape shape;
    char name[32];
    uint64_t count;
    int first, properties; // in Ply.properties
    int line;
} Element;

typedef struct Ply {
    TacMeshBuilder builder;
    const char *start, *cursor, *end; // start: of the line, for columns
    bool text, big;
    Property properties[MOST_PROPERTIES];
    Element elements[MOST_ELEMENTS];
    int property_count, element_count;
    bool has_radius;
    int64_t *list; // the indices of the element being read
    size_t list_count, list_capacity;
    TacError *error;
} Ply;

static const char *const type_names[] = {"char",  "uchar",  "short",   "ushort", "int",   "uint",
                                         "float", "double", "int8",    "uint8",  "int16", "uint16",
                                         "int32", "uint32", "float32", "float64"};
enum { TYPES = 8, FLOAT = 6, DOUBLE = 7 };
static const size_t type_sizes[TYPES] = {1, 1, 2, 2, 4, 4, 4, 8};

static TacStatus fail(const Ply *ply, const char *at, const char *expected) {
    int column = ply->builder.line ? tac_line_column(ply->start, at) : 0;
    return tac_fail_at(ply->error, TAC_BAD_INPUT, ply->builder.name, ply->builder.line, column,
                       "%s was expected", expected);
}

static int find_type(const char *word, size_t length) {
    for (size_t i = 0; i < TAC_COUNT(type_names); i++)
        if (tac_word_is(word, length, type_names[i])) return (int)i % TYPES;
    return -1;
}

// The header

static TacStatus read_type(Ply *ply, const char **cursor, const char *stop, int8_t *type) {
    const char *word;
    size_t length = tac_line_word(cursor, stop, &word);
    *type = (int8_t)find_type(word, length);
    if (*type >= 0) return TAC_OK;
    char name[32];
    snprintf(name, sizeof name, "%.*s", (int)(length < 31 ? length : 31), word);
    const char *near = tac_nearest(name, type_names, TAC_COUNT(type_names));
    return tac_fail_at(ply->error, TAC_BAD_INPUT, ply->builder.name, ply->builder.line,
                       tac_line_column(ply->start, word), "'%s' is not a type; try '%s'", name,
                       near ? near : "float");
}

static Role find_role(Shape shape, const char *word, size_t length, bool list) {
    static const struct {
        Shape shape;
        bool list;
        Role role;
        const char *name;
    } roles[] = {
        {VERTEX, false, X, "x"},
        {VERTEX, false, Y, "y"},
        {VERTEX, false, Z, "z"},
        {VERTEX, false, RADIUS, "radius"},
        {FACE, true, INDICES, "vertex_indices"},
        {FACE, true, INDICES, "vertex_index"},
        {STRIPS, true, INDICES, "vertex_indices"},
        {STRIPS, true, INDICES, "vertex_index"},
        {EDGE, false, FIRST_END, "vertex1"},
        {EDGE, false, SECOND_END, "vertex2"},
    };
    for (size_t i = 0; i < TAC_COUNT(roles); i++)
        if (roles[i].shape == shape && roles[i].list == list && tac_word_is(word, length, roles[i].name))
            return roles[i].role;
    return IGNORED;
}

static TacStatus read_property(Ply *ply, const char *cursor, const char *stop) {
    if (!ply->element_count) return fail(ply, cursor, "an 'element' before its properties");
    if (ply->property_count == MOST_PROPERTIES) return fail(ply, cursor, "a header with fewer properties");
    Element *element = &ply->elements[ply->element_count - 1];
    Property property = {.count_type = -1};
    const char *word, *after = cursor;
    size_t length = tac_line_word(&after, stop, &word);
    bool list = tac_word_is(word, length, "list");
    if (list) {
        cursor = after;
        TAC_TRY(read_type(ply, &cursor, stop, &property.count_type));
        if (property.count_type >= FLOAT)
            return fail(ply, cursor, "a whole-number type for the list's length");
    }
    TAC_TRY(read_type(ply, &cursor, stop, &property.type));
    length = tac_line_word(&cursor, stop, &word);
    if (!length) return fail(ply, cursor, "the name of the property");
    property.role = find_role(element->shape, word, length, list);
    ply->has_radius |= property.role == RADIUS;
    ply->properties[ply->property_count++] = property;
    element->properties++;
    return TAC_OK;
}

static TacStatus read_element(Ply *ply, const char *cursor, const char *stop) {
    if (ply->element_count == MOST_ELEMENTS) return fail(ply, cursor, "a header with fewer elements");
    const char *word;
    size_t length = tac_line_word(&cursor, stop, &word);
    int64_t count;
    if (!length || !tac_read_int(&cursor, stop, &count) || count < 0)
        return fail(ply, cursor, "element name count");
    Element *element = &ply->elements[ply->element_count++];
    *element = (Element){.count = (uint64_t)count, .first = ply->property_count, .line = ply->builder.line};
    snprintf(element->name, sizeof element->name, "%.*s", (int)(length < 31 ? length : 31), word);
    element->shape = tac_word_is(word, length, "vertex")      ? VERTEX
                     : tac_word_is(word, length, "face")      ? FACE
                     : tac_word_is(word, length, "tristrips") ? STRIPS
                     : tac_word_is(word, length, "edge")      ? EDGE
                                                              : OTHER;
    return TAC_OK;
}

static TacStatus read_format(Ply *ply, const char *cursor, const char *stop) {
    const char *word;
    size_t length = tac_line_word(&cursor, stop, &word);
    ply->text = tac_word_is(word, length, "ascii");
    ply->big = tac_word_is(word, length, "binary_big_endian");
    if (!ply->text && !ply->big && !tac_word_is(word, length, "binary_little_endian"))
        return fail(ply, word, "'ascii', 'binary_little_endian' or 'binary_big_endian'");
    return TAC_OK;
}

static TacStatus read_header(Ply *ply, const TacMeshInput *input) {
    TacLines lines = tac_lines(input);
    const char *stop, *word;
    bool format = false;
    while (tac_lines_next(&lines, &ply->start, &stop)) {
        const char *cursor = ply->start;
        size_t length = tac_line_word(&cursor, stop, &word);
        ply->builder.line = lines.line;
        if (lines.line == 1) {
            if (!tac_word_is(word, length, "ply")) return fail(ply, word, "'ply'");
        } else if (tac_word_is(word, length, "format")) {
            TAC_TRY(read_format(ply, cursor, stop));
            format = true;
        } else if (tac_word_is(word, length, "element")) {
            TAC_TRY(read_element(ply, cursor, stop));
        } else if (tac_word_is(word, length, "property")) {
            TAC_TRY(read_property(ply, cursor, stop));
        } else if (tac_word_is(word, length, "end_header")) {
            if (!format) return fail(ply, word, "a 'format' before the end of the header");
            ply->start = ply->cursor = lines.next;
            ply->end = lines.end;
            ply->builder.line = ply->text ? lines.line + 1 : 0;
            return TAC_OK;
        } else if (length && !tac_word_is(word, length, "comment") &&
                   !tac_word_is(word, length, "obj_info")) {
            return fail(ply, word, "'element', 'property', 'comment', 'obj_info' or 'end_header'");
        }
    }
    return fail(ply, input->data + input->bytes, "'end_header'");
}

// The data

// Moves behind blanks and counts lines.
static void skip_blanks(Ply *ply) {
    for (; ply->cursor < ply->end && (unsigned char)*ply->cursor <= ' '; ply->cursor++)
        if (*ply->cursor == '\n') {
            ply->start = ply->cursor + 1;
            if (ply->builder.line < INT_MAX) ply->builder.line++;
        }
}

static TacStatus fail_cut_off(const Ply *ply, const Element *element) {
    return tac_fail_at(ply->error, TAC_BAD_INPUT, ply->builder.name, ply->builder.line, 0,
                       "ends within the %" PRIu64 " elements '%s' that its header announces", element->count,
                       element->name);
}

static double load_value(const Ply *ply, int type) {
    // least significant byte first
    const unsigned char *b = (const unsigned char *)ply->cursor;
    int size = (int)type_sizes[type];
    uint64_t bits = 0;
    for (int i = 0; i < size; i++) bits |= (uint64_t)b[ply->big ? size - 1 - i : i] << (8 * i);
    switch (type) {
    case 0: return (int8_t)bits;
    case 2: return (int16_t)bits;
    case 4: return (int32_t)bits;
    case FLOAT: {
        uint32_t word = (uint32_t)bits;
        float value;
        memcpy(&value, &word, sizeof value);
        return value;
    }
    case DOUBLE: {
        double value;
        memcpy(&value, &bits, sizeof value);
        return value;
    }
    default: return (double)bits;
    }
}

// One number. Numbers of ignored properties need not be numbers in a text.
static TacStatus read_value(Ply *ply, const Element *element, int type, bool used, double *value) {
    if (!ply->text) {
        if ((size_t)(ply->end - ply->cursor) < type_sizes[type]) return fail_cut_off(ply, element);
        *value = load_value(ply, type);
        ply->cursor += type_sizes[type];
        return TAC_OK;
    }
    skip_blanks(ply);
    if (ply->cursor == ply->end) return fail_cut_off(ply, element);
    const char *word = ply->cursor, *after;
    if (!used) {
        *value = 0;
        tac_line_word(&ply->cursor, ply->end, &word);
        return TAC_OK;
    }
    bool good = tac_read_real(&ply->cursor, ply->end, value);
    after = ply->cursor;
    if (!good || (after < ply->end && (unsigned char)*after > ' ')) return fail(ply, word, "a finite number");
    return TAC_OK;
}

static TacStatus to_index(const Ply *ply, double value, int64_t *index) {
    if (!(fabs(value) <= INT32_MAX) || value != floor(value))
        return tac_fail_at(ply->error, TAC_BAD_INPUT, ply->builder.name, ply->builder.line, 0,
                           "%g is not a point number", value);
    *index = (int64_t)value;
    return TAC_OK;
}

static TacStatus read_list(Ply *ply, const Element *element, const Property *property) {
    double length, value;
    TAC_TRY(read_value(ply, element, property->count_type, true, &length));
    if (length < 0 || length != floor(length)) return fail(ply, ply->cursor, "the length of a list");
    bool used = property->role == INDICES;

    // each item takes room in the file: a digit and a blank, or its bytes
    size_t item = ply->text ? 1 : type_sizes[property->type];
    if (length > (double)((size_t)(ply->end - ply->cursor) / item)) return fail_cut_off(ply, element);
    if (!used && !ply->text) {
        ply->cursor += (size_t)length * item;
        return TAC_OK;
    }
    for (size_t i = 0; i < (size_t)length; i++) {
        TAC_TRY(read_value(ply, element, property->type, used, &value));
        if (!used) continue;
        if (!tac_grow(&ply->list, &ply->list_capacity, ply->list_count + 1, sizeof *ply->list))
            return tac_fail_memory(ply->error, ply->list_count * sizeof *ply->list);
        TAC_TRY(to_index(ply, value, &ply->list[ply->list_count]));
        ply->list_count++;
    }
    return TAC_OK;
}

// Strips of triangles that turn alternately; -1 ends a strip.
static TacStatus push_strips(Ply *ply) {
    size_t begin = 0;
    for (size_t i = 0; i < ply->list_count; i++) {
        if (ply->list[i] < 0) {
            begin = i + 1;
        } else if (i >= begin + 2) {
            size_t odd = (i - begin) % 2;
            int64_t triangle[3] = {ply->list[i - 2 + odd], ply->list[i - 1 - odd], ply->list[i]};
            TAC_TRY(tac_mesh_builder_element(&ply->builder, TAC_TRIANGLES, triangle, ply->error));
        }
    }
    return TAC_OK;
}

static TacStatus push_row(Ply *ply, Shape shape, const double values[ROLES]) {
    switch (shape) {
    case VERTEX:
        TAC_TRY(tac_mesh_builder_point(&ply->builder, values[X], values[Y], values[Z], ply->error));
        return ply->has_radius ? tac_mesh_builder_radius(&ply->builder, values[RADIUS], ply->error) : TAC_OK;
    case FACE: return tac_mesh_builder_polygon(&ply->builder, ply->list, ply->list_count, ply->error);
    case STRIPS: return push_strips(ply);
    case EDGE: {
        int64_t ends[2];
        TAC_TRY(to_index(ply, values[FIRST_END], &ends[0]));
        TAC_TRY(to_index(ply, values[SECOND_END], &ends[1]));
        return tac_mesh_builder_element(&ply->builder, TAC_EDGES, ends, ply->error);
    }
    default: return TAC_OK;
    }
}

static TacStatus read_row(Ply *ply, const Element *element) {
    double values[ROLES] = {0};
    ply->list_count = 0;
    for (int i = 0; i < element->properties; i++) {
        const Property *property = &ply->properties[element->first + i];
        if (property->count_type >= 0)
            TAC_TRY(read_list(ply, element, property));
        else
            TAC_TRY(
                read_value(ply, element, property->type, property->role != IGNORED, &values[property->role]));
    }
    return push_row(ply, element->shape, values);
}

// The properties without which an element of a known shape makes no sense.
static TacStatus check_roles(const Ply *ply, const Element *element) {
    unsigned have = 0;
    for (int i = 0; i < element->properties; i++) have |= 1u << ply->properties[element->first + i].role;
    unsigned need = element->shape == VERTEX                             ? 1u << X | 1u << Y | 1u << Z
                    : element->shape == FACE || element->shape == STRIPS ? 1u << INDICES
                    : element->shape == EDGE                             ? 1u << FIRST_END | 1u << SECOND_END
                                                                         : 0;
    if ((have & need) == need) return TAC_OK;
    const char *names = element->shape == VERTEX ? "x, y and z"
                        : element->shape == EDGE ? "vertex1 and vertex2"
                                                 : "list vertex_indices";
    return tac_fail_at(ply->error, TAC_BAD_INPUT, ply->builder.name, element->line, 0,
                       "element '%s' needs the properties %s", element->name, names);
}

static TacStatus read_elements(Ply *ply, const Element *element) {
    TAC_TRY(check_roles(ply, element));
    if (element->properties == 0) return TAC_OK;

    // the least that a row takes, so that an absurd count is refused at once
    size_t least = 0;
    for (int i = 0; i < element->properties; i++) {
        const Property *property = &ply->properties[element->first + i];
        least +=
            ply->text ? 1 : type_sizes[property->count_type >= 0 ? property->count_type : property->type];
    }
    if (element->count > (size_t)(ply->end - ply->cursor) / least) return fail_cut_off(ply, element);
    for (uint64_t i = 0; i < element->count; i++) TAC_TRY(read_row(ply, element));
    return TAC_OK;
}

static TacStatus read_all(Ply *ply, const TacMeshInput *input) {
    TAC_TRY(read_header(ply, input));
    for (int i = 0; i < ply->element_count; i++) TAC_TRY(read_elements(ply, &ply->elements[i]));
    return TAC_OK;
}

TacStatus tac_mesh_parse_ply(TacMesh *mesh, const TacMeshInput *input, TacError *error) {
    Ply ply = {.builder = {.name = input->name}, .error = error};
    TacStatus status = read_all(&ply, input);
    free(ply.list);
    if (status == TAC_OK) return tac_mesh_builder_finish(&ply.builder, mesh, error);
    tac_mesh_builder_destroy(&ply.builder);
    return status;
}

static void write_faces(const int32_t *indices, size_t count, int size, FILE *out) {
    for (size_t i = 0; i < count; i++) {
        fprintf(out, "%d", size);
        for (int c = 0; c < size; c++) fprintf(out, " %d", (int)indices[i * (size_t)size + (size_t)c]);
        fputc('\n', out);
    }
}

static void write_points(const TacMesh *mesh, FILE *out) {
    for (size_t i = 0; i < mesh->point_count; i++) {
        fprintf(out, "%.17g %.17g %.17g", mesh->points[3 * i], mesh->points[3 * i + 1],
                mesh->points[3 * i + 2]);
        if (mesh->radii) fprintf(out, " %.17g", mesh->radii[i]);
        fputc('\n', out);
    }
}

// A mesh with volume elements is written as its surface, with all its points.
TacStatus tac_mesh_write_ply(const TacMesh *mesh, FILE *out, TacError *error) {
    bool solid = mesh->elements[TAC_TETRAHEDRA].count || mesh->elements[TAC_HEXAHEDRA].count;
    int32_t *surface = NULL;
    size_t triangles = mesh->elements[TAC_TRIANGLES].count, quads = mesh->elements[TAC_QUADS].count,
           edges = mesh->elements[TAC_EDGES].count;
    if (solid) {
        TAC_TRY(tac_mesh_surface(mesh, &surface, &triangles, error));
        quads = 0;
    }
    fprintf(out,
            "ply\nformat ascii 1.0\nelement vertex %zu\nproperty double x\nproperty double y\n"
            "property double z\n",
            mesh->point_count);
    if (mesh->radii) fputs("property double radius\n", out);
    if (triangles + quads)
        fprintf(out, "element face %zu\nproperty list uchar int vertex_indices\n", triangles + quads);
    if (edges) fprintf(out, "element edge %zu\nproperty int vertex1\nproperty int vertex2\n", edges);
    fputs("end_header\n", out);
    write_points(mesh, out);
    write_faces(solid ? surface : mesh->elements[TAC_TRIANGLES].indices, triangles, 3, out);
    write_faces(mesh->elements[TAC_QUADS].indices, quads, 4, out);
    const int32_t *edge = mesh->elements[TAC_EDGES].indices;
    for (size_t i = 0; i < edges; i++, edge += 2) fprintf(out, "%d %d\n", (int)edge[0], (int)edge[1]);
    free(surface);
    return TAC_OK;
}
