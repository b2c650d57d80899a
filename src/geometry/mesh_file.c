// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Chooses the reader or writer of a mesh file: by extension, and for reading by content where the extension
// says nothing. Also the small tools with which text formats are cut into lines and words.

#include "geometry/mesh_file.h"
#include "base/memory.h"
#include "base/text.h"

#include <limits.h>

typedef TacStatus (*Reader)(TacMesh *mesh, const TacMeshInput *input, TacError *error);
typedef TacStatus (*Writer)(const TacMesh *mesh, FILE *out, TacError *error);

static const struct {
    const char *extension;
    Reader read;
    Writer write;
} formats[] = {
    {"obj", tac_mesh_parse_obj, tac_mesh_write_obj},   {"stl", tac_mesh_parse_stl, tac_mesh_write_stl},
    {"ply", tac_mesh_parse_ply, tac_mesh_write_ply},   {"sph", tac_mesh_parse_sph, NULL},
    {"msh", tac_mesh_parse_gmsh, tac_mesh_write_gmsh}, {"gmsh", tac_mesh_parse_gmsh, tac_mesh_write_gmsh},
    {"vtk", tac_mesh_parse_vtk, tac_mesh_write_vtk},   {"vtu", tac_mesh_parse_vtu, tac_mesh_write_vtu},
};

static const size_t largest_file = (size_t)4 << 30;

TacLines tac_lines(const TacMeshInput *input) {
    return (TacLines){.next = input->data, .end = input->data + input->bytes};
}

bool tac_lines_next(TacLines *lines, const char **start, const char **stop) {
    if (lines->next >= lines->end) return false;
    const char *p = lines->next;
    *start = p;
    while (p < lines->end && *p != '\n' && *p != '\r') p++;
    *stop = p;
    if (p < lines->end) p += *p == '\r' && p + 1 < lines->end && p[1] == '\n' ? 2 : 1;
    lines->next = p;
    if (lines->line < INT_MAX) lines->line++;
    return true;
}

size_t tac_line_word(const char **cursor, const char *stop, const char **word) {
    const char *p = *cursor;
    while (p < stop && (unsigned char)*p <= ' ') p++;
    *word = p;
    while (p < stop && (unsigned char)*p > ' ') p++;
    *cursor = p;
    return (size_t)(p - *word);
}

bool tac_word_is(const char *word, size_t length, const char *text) {
    return strlen(text) == length && memcmp(word, text, length) == 0;
}

int tac_line_column(const char *start, const char *cursor) {
    return cursor - start < INT_MAX ? (int)(cursor - start) + 1 : INT_MAX;
}

static char lower(char c) {
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool same_letters(const char *a, const char *b) {
    while (*a && lower(*a) == lower(*b)) a++, b++;
    return *a == *b;
}

// What follows the last dot of a path; "" where there is none. With a dot in a folder's name only it holds a
// slash, and is no known extension either.
static const char *extension_of(const char *path) {
    const char *dot = strrchr(path, '.');
    return dot ? dot + 1 : "";
}

// The number of the format with this extension; TAC_COUNT(formats) when there is none.
static size_t format_of(const char *path) {
    size_t i = 0;
    while (i < TAC_COUNT(formats) && !same_letters(formats[i].extension, extension_of(path))) i++;
    return i;
}

static bool starts_with(const TacMeshInput *input, const char *text) {
    size_t length = strlen(text);
    return input->bytes >= length && memcmp(input->data, text, length) == 0;
}

static bool is_binary_stl(const TacMeshInput *input) {
    if (input->bytes < 84) return false;
    const unsigned char *n = (const unsigned char *)input->data + 80;
    uint64_t count = n[0] | (uint64_t)n[1] << 8 | (uint64_t)n[2] << 16 | (uint64_t)n[3] << 24;
    return 84 + 50 * count == input->bytes;
}

// The first line with something on it that is not a comment decides between OBJ and plain lists of balls.
static Reader text_reader(const TacMeshInput *input) {
    static const char *const obj_words[] = {"v", "vt", "vn", "o", "g", "s", "mtllib", "usemtl"};
    TacLines lines = tac_lines(input);
    const char *cursor, *stop, *word;
    while (tac_lines_next(&lines, &cursor, &stop)) {
        size_t length = tac_line_word(&cursor, stop, &word);
        if (length == 0 || *word == '#') continue;
        for (size_t i = 0; i < TAC_COUNT(obj_words); i++)
            if (tac_word_is(word, length, obj_words[i])) return tac_mesh_parse_obj;
        if (tac_word_is(word, length, "sph") || tac_word_is(word, length, "sphe")) return tac_mesh_parse_sph;
        double number;
        return tac_read_real(&word, stop, &number) ? tac_mesh_parse_sph : NULL;
    }
    return NULL;
}

static Reader reader_by_content(const TacMeshInput *input) {
    if (is_binary_stl(input)) return tac_mesh_parse_stl;
    if (starts_with(input, "ply\n") || starts_with(input, "ply\r")) return tac_mesh_parse_ply;
    if (starts_with(input, "# vtk DataFile")) return tac_mesh_parse_vtk;
    if (starts_with(input, "<?xml") || starts_with(input, "<VTKFile")) return tac_mesh_parse_vtu;
    if (starts_with(input, "$")) return tac_mesh_parse_gmsh;
    if (starts_with(input, "solid")) return tac_mesh_parse_stl;
    return text_reader(input);
}

static TacStatus parse(TacMesh *mesh, const TacMeshInput *input, TacError *error) {
    if (!input->bytes)
        return tac_fail_at(error, TAC_BAD_INPUT, input->name, 0, 0, "the file is empty; a mesh was expected");
    size_t format = format_of(input->name);
    Reader read = format < TAC_COUNT(formats) ? formats[format].read : reader_by_content(input);
    if (!read)
        return tac_fail_at(error, TAC_BAD_INPUT, input->name, 0, 0,
                           "is not a mesh of a known format (OBJ, STL, PLY, Gmsh, VTK, VTU, sphere list)");
    TacStatus status = read(mesh, input, error);
    if (status != TAC_OK) tac_mesh_destroy(mesh);
    return status;
}

TacStatus tac_mesh_read(TacMesh *mesh, const char *path, TacError *error) {
    *mesh = (TacMesh){0};
    TacMeshInput input = {.name = path};
    char *data;
    TAC_TRY(tac_read_whole_file(path, largest_file, &data, &input.bytes, error));
    input.data = data;
    TacStatus status = parse(mesh, &input, error);
    free(data);
    return status;
}

TacStatus tac_mesh_parse(TacMesh *mesh, const char *name, const void *data, size_t bytes, TacError *error) {
    *mesh = (TacMesh){0};
    // a copy, with the 0 behind it that readers may rely on
    char *copy = bytes < SIZE_MAX ? malloc(bytes + 1) : NULL;
    if (!copy) return tac_fail_memory(error, bytes);
    if (bytes) memcpy(copy, data, bytes);
    copy[bytes] = 0;
    TacMeshInput input = {.name = name ? name : "", .data = copy, .bytes = bytes};
    TacStatus status = parse(mesh, &input, error);
    free(copy);
    return status;
}

TacStatus tac_mesh_write(const TacMesh *mesh, const char *path, TacError *error) {
    size_t format = format_of(path);
    if (format == TAC_COUNT(formats) || !formats[format].write)
        return tac_fail_at(error, TAC_BAD_USAGE, path, 0, 0,
                           "cannot be written: the extension must be .obj, .stl, .ply, .msh, .vtk or .vtu");
    TAC_TRY(tac_mesh_validate(mesh, error));
    TacFileWriter writer;
    TAC_TRY(tac_file_writer_open(&writer, path, error));
    TacStatus status = formats[format].write(mesh, writer.stream, error);
    TacStatus finished = tac_file_writer_finish(&writer, status == TAC_OK, error);
    return status != TAC_OK ? status : finished;
}
