// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Wavefront OBJ: points (v), faces (f) and lines (l). Polygons with more than four corners become fans. All
// other statements of the format ("Object Files (.obj)", Alias|Wavefront, appendix B1) are skipped; a word
// that is no statement at all is an error, so that a file of another kind is not taken for an empty mesh.

#include "base/memory.h"
#include "base/text.h"
#include "geometry/mesh_file.h"

typedef struct Obj {
    TacMeshBuilder builder;
    int64_t *corners; // of the face being read
    size_t corner_capacity;
    const char *start, *cursor, *stop; // the line being read
    TacError *error;
} Obj;

static const char *const known_words[] = {
    "v",    "f",    "l",        "vt",     "vn",   "vp",         "g",         "o",     "s",
    "mg",   "p",    "usemtl",   "mtllib", "fo",   "usemap",     "maplib",    "bevel", "c_interp",
    "lod",  "deg",  "d_interp", "cstype", "bmat", "shadow_obj", "trace_obj", "ctech", "stech",
    "step", "curv", "curv2",    "surf",   "parm", "trim",       "hole",      "scrv",  "sp",
    "end",  "con",  "call",     "csh",    "bsp",  "bzp",        "cdc",       "cdp",   "res",
};

static TacStatus fail(const Obj *obj, const char *at, const char *expected) {
    return tac_fail_at(obj->error, TAC_BAD_INPUT, obj->builder.name, obj->builder.line,
                       tac_line_column(obj->start, at), "%s was expected", expected);
}

// The next word; a backslash before the end of a line joins it with the next line.
static size_t next_word(Obj *obj, const char **word) {
    size_t length;
    do {
        length = tac_line_word(&obj->cursor, obj->stop, word);
        if (length == 0) return 0;
        if ((*word)[length - 1] == '\\') length--;
    } while (length == 0);
    if (**word != '#') return length;
    obj->cursor = obj->stop;
    return 0;
}

static TacStatus read_point(Obj *obj) {
    double p[3];
    for (int i = 0; i < 3; i++) {
        const char *word;
        size_t length = next_word(obj, &word);
        const char *end = word + length;
        const char *cursor = word;
        if (!length || !tac_read_real(&cursor, end, &p[i]) || cursor != end)
            return fail(obj, word, "a finite number (v x y z)");
    }
    return tac_mesh_builder_point(&obj->builder, p[0], p[1], p[2], obj->error);
}

// "7", "7/1", "7//3", "7/1/3" and negative numbers, which count back from the last point. Only the first
// number is used.
static TacStatus read_corner(Obj *obj, const char *word, size_t length, int64_t *corner) {
    const char *cursor = word, *end = word + length;
    int64_t number;
    bool good = tac_read_int(&cursor, end, &number) && number != 0 && (cursor == end || *cursor == '/');
    for (; good && cursor < end; cursor++)
        good = *cursor == '/' || *cursor == '-' || (*cursor >= '0' && *cursor <= '9');
    if (!good) return fail(obj, word, "a point number other than 0 (7, 7/1, 7//3 or 7/1/3)");
    *corner = number > 0 ? number - 1 : number + (int64_t)obj->builder.point_count;
    if (*corner < 0) return fail(obj, word, "the number of a point that stands before this line");
    return TAC_OK;
}

static TacStatus read_corners(Obj *obj, size_t *count) {
    const char *word;
    size_t length;
    *count = 0;
    while ((length = next_word(obj, &word)) > 0) {
        if (!tac_grow(&obj->corners, &obj->corner_capacity, *count + 1, sizeof *obj->corners))
            return tac_fail_memory(obj->error, (*count + 1) * sizeof *obj->corners);
        TAC_TRY(read_corner(obj, word, length, &obj->corners[*count]));
        ++*count;
    }
    return TAC_OK;
}

static TacStatus read_face(Obj *obj) {
    size_t corners;
    TAC_TRY(read_corners(obj, &corners));
    if (corners < 3) return fail(obj, obj->stop, "a face with at least 3 corners");
    return tac_mesh_builder_polygon(&obj->builder, obj->corners, corners, obj->error);
}

static TacStatus read_polyline(Obj *obj) {
    size_t corners;
    TAC_TRY(read_corners(obj, &corners));
    if (corners < 2) return fail(obj, obj->stop, "a line with at least 2 points");
    for (size_t i = 1; i < corners; i++)
        TAC_TRY(tac_mesh_builder_element(&obj->builder, TAC_EDGES, obj->corners + i - 1, obj->error));
    return TAC_OK;
}

static TacStatus check_known(const Obj *obj, const char *word, size_t length) {
    for (size_t i = 0; i < TAC_COUNT(known_words); i++)
        if (tac_word_is(word, length, known_words[i])) return TAC_OK;
    char name[32];
    snprintf(name, sizeof name, "%.*s", (int)(length < 31 ? length : 31), word);
    const char *near = tac_nearest(name, known_words, TAC_COUNT(known_words));
    return tac_fail_at(obj->error, TAC_BAD_INPUT, obj->builder.name, obj->builder.line,
                       tac_line_column(obj->start, word), "'%s' is not a statement of the OBJ format%s%s%s",
                       name, near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

static TacStatus read_line(Obj *obj) {
    const char *word;
    size_t length = next_word(obj, &word);
    if (length == 0) return TAC_OK;
    if (length == 1 && *word == 'v') return read_point(obj);
    if (tac_word_is(word, length, "f") || tac_word_is(word, length, "fo")) return read_face(obj);
    if (length == 1 && *word == 'l') return read_polyline(obj);
    return check_known(obj, word, length);
}

// Takes the following lines into the current one while it ends in a backslash.
static void join_lines(Obj *obj, TacLines *lines) {
    const char *start;
    while (obj->stop > obj->start && obj->stop[-1] == '\\')
        if (!tac_lines_next(lines, &start, &obj->stop)) return;
}

TacStatus tac_mesh_parse_obj(TacMesh *mesh, const TacMeshInput *input, TacError *error) {
    Obj obj = {.builder = {.name = input->name}, .error = error};
    TacLines lines = tac_lines(input);
    TacStatus status = TAC_OK;
    while (status == TAC_OK && tac_lines_next(&lines, &obj.start, &obj.stop)) {
        obj.builder.line = lines.line;
        obj.cursor = obj.start;
        join_lines(&obj, &lines);
        status = read_line(&obj);
    }
    free(obj.corners);
    if (status == TAC_OK) return tac_mesh_builder_finish(&obj.builder, mesh, error);
    tac_mesh_builder_destroy(&obj.builder);
    return status;
}

static void write_faces(const int32_t *indices, size_t count, int size, const char *word, FILE *out) {
    for (size_t i = 0; i < count; i++) {
        fputs(word, out);
        for (int c = 0; c < size; c++) fprintf(out, " %d", (int)indices[i * (size_t)size + (size_t)c] + 1);
        fputc('\n', out);
    }
}

// A mesh with volume elements is written as its surface, with all its points.
TacStatus tac_mesh_write_obj(const TacMesh *mesh, FILE *out, TacError *error) {
    bool solid = mesh->elements[TAC_TETRAHEDRA].count || mesh->elements[TAC_HEXAHEDRA].count;
    int32_t *surface = NULL;
    size_t count = 0;
    if (solid) TAC_TRY(tac_mesh_surface(mesh, &surface, &count, error));
    for (size_t i = 0; i < mesh->point_count; i++)
        fprintf(out, "v %.17g %.17g %.17g\n", mesh->points[3 * i], mesh->points[3 * i + 1],
                mesh->points[3 * i + 2]);
    if (solid) {
        write_faces(surface, count, 3, "f", out);
    } else {
        write_faces(mesh->elements[TAC_TRIANGLES].indices, mesh->elements[TAC_TRIANGLES].count, 3, "f", out);
        write_faces(mesh->elements[TAC_QUADS].indices, mesh->elements[TAC_QUADS].count, 4, "f", out);
    }
    write_faces(mesh->elements[TAC_EDGES].indices, mesh->elements[TAC_EDGES].count, 2, "l", out);
    free(surface);
    return TAC_OK;
}
