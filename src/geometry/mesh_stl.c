// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// STL, text and binary ("StereoLithography Interface Specification", 3D Systems, 1989). The format repeats
// the points of each triangle, so identical ones are welded after reading. Text is written, because binary
// STL has 32-bit floats only.

#include "base/memory.h"
#include "base/text.h"
#include "geometry/mesh_file.h"

enum { HEADER = 84, FACET = 50 };

static uint32_t load_u32(const char *bytes) {
    const unsigned char *b = (const unsigned char *)bytes;
    return b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static double load_float(const char *bytes) {
    uint32_t bits = load_u32(bytes);
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static TacStatus parse_binary(TacMeshBuilder *builder, const TacMeshInput *input, TacError *error) {
    size_t count = load_u32(input->data + 80), room = (input->bytes - HEADER) / FACET;
    if (count > room)
        return tac_fail_at(error, TAC_BAD_INPUT, input->name, 0, 0,
                           "announces %zu triangles, but is cut off after %zu", count, room);
    const char *facet = input->data + HEADER;
    for (size_t i = 0; i < count; i++, facet += FACET) {
        int64_t first = (int64_t)builder->point_count;
        for (int c = 0; c < 3; c++) {
            const char *p = facet + 12 + 12 * c;
            TAC_TRY(
                tac_mesh_builder_point(builder, load_float(p), load_float(p + 4), load_float(p + 8), error));
        }
        int64_t triangle[3] = {first, first + 1, first + 2};
        TAC_TRY(tac_mesh_builder_element(builder, TAC_TRIANGLES, triangle, error));
    }
    return TAC_OK;
}

// Where a text is: outside of solids, in a solid, in a facet, in its loop.
typedef enum Depth { OUTSIDE, IN_SOLID, IN_FACET, IN_LOOP } Depth;

typedef struct StlText {
    TacMeshBuilder *builder;
    const char *start; // of the line
    Depth depth;
    size_t first; // point of the loop being read
    TacError *error;
} StlText;

static TacStatus fail(const StlText *text, const char *at, const char *expected) {
    return tac_fail_at(text->error, TAC_BAD_INPUT, text->builder->name, text->builder->line,
                       tac_line_column(text->start, at), "%s was expected", expected);
}

static const char *const expected_words[] = {"'solid'", "'facet' or 'endsolid'", "'outer loop' or 'endfacet'",
                                             "'vertex' or 'endloop'"};

static bool is_word(const char *word, size_t length, const char *name) {
    if (strlen(name) != length) return false;
    for (size_t i = 0; i < length; i++)
        if ((word[i] | 0x20) != name[i]) return false;
    return true;
}

static TacStatus read_vertex(StlText *text, const char *cursor, const char *stop) {
    double p[3];
    for (int i = 0; i < 3; i++)
        if (!tac_read_real(&cursor, stop, &p[i])) return fail(text, cursor, "a finite number (vertex x y z)");
    return tac_mesh_builder_point(text->builder, p[0], p[1], p[2], text->error);
}

// The loop is a triangle; the few files with larger polygons get fans.
static TacStatus end_loop(StlText *text, const char *word) {
    TacMeshBuilder *builder = text->builder;
    if (builder->point_count - text->first < 3) return fail(text, word, "a third 'vertex'");
    for (size_t i = text->first + 2; i < builder->point_count; i++) {
        int64_t triangle[3] = {(int64_t)text->first, (int64_t)i - 1, (int64_t)i};
        TAC_TRY(tac_mesh_builder_element(builder, TAC_TRIANGLES, triangle, text->error));
    }
    text->depth = IN_FACET;
    return TAC_OK;
}

static TacStatus read_line(StlText *text, const char *stop) {
    const char *cursor = text->start, *word;
    size_t length = tac_line_word(&cursor, stop, &word);
    if (length == 0) return TAC_OK;
    switch (text->depth) {
    case OUTSIDE:
        if (!is_word(word, length, "solid")) break;
        text->depth = IN_SOLID;
        return TAC_OK;
    case IN_SOLID:
        if (is_word(word, length, "facet")) {
            text->depth = IN_FACET;
            return TAC_OK;
        }
        if (!is_word(word, length, "endsolid")) break;
        text->depth = OUTSIDE;
        return TAC_OK;
    case IN_FACET:
        if (is_word(word, length, "outer")) {
            text->depth = IN_LOOP;
            text->first = text->builder->point_count;
            return TAC_OK;
        }
        if (!is_word(word, length, "endfacet")) break;
        text->depth = IN_SOLID;
        return TAC_OK;
    case IN_LOOP:
        if (is_word(word, length, "vertex")) return read_vertex(text, cursor, stop);
        if (is_word(word, length, "endloop")) return end_loop(text, word);
        break;
    }
    return fail(text, word, expected_words[text->depth]);
}

static TacStatus parse_text(TacMeshBuilder *builder, const TacMeshInput *input, TacError *error) {
    StlText text = {.builder = builder, .error = error};
    TacLines lines = tac_lines(input);
    const char *stop;
    while (tac_lines_next(&lines, &text.start, &stop)) {
        builder->line = lines.line;
        TAC_TRY(read_line(&text, stop));
    }
    if (text.depth != OUTSIDE)
        return tac_fail_at(error, TAC_BAD_INPUT, input->name, lines.line, 0, "is cut off: %s was expected",
                           expected_words[text.depth]);
    return TAC_OK;
}

// Some binary files begin with the word that marks a text; their size gives them away.
static bool is_text(const TacMeshInput *input) {
    const char *cursor = input->data, *word;
    size_t length = tac_line_word(&cursor, input->data + input->bytes, &word);
    if (input->bytes < HEADER) return true;
    return is_word(word, length, "solid") &&
           HEADER + (uint64_t)FACET * load_u32(input->data + 80) != input->bytes;
}

TacStatus tac_mesh_parse_stl(TacMesh *mesh, const TacMeshInput *input, TacError *error) {
    TacMeshBuilder builder = {.name = input->name};
    TacStatus status =
        is_text(input) ? parse_text(&builder, input, error) : parse_binary(&builder, input, error);
    if (status != TAC_OK) {
        tac_mesh_builder_destroy(&builder);
        return status;
    }
    TAC_TRY(tac_mesh_builder_finish(&builder, mesh, error));
    status = tac_mesh_weld(mesh, 0, error);
    if (status != TAC_OK) tac_mesh_destroy(mesh);
    return status;
}

TacStatus tac_mesh_write_stl(const TacMesh *mesh, FILE *out, TacError *error) {
    int32_t *triangles;
    size_t count;
    TAC_TRY(tac_mesh_surface(mesh, &triangles, &count, error));
    fputs("solid mesh\n", out);
    for (size_t i = 0; i < count; i++) {
        TacVec3 p[3];
        for (size_t c = 0; c < 3; c++) p[c] = tac_load3(mesh->points + 3 * (size_t)triangles[3 * i + c]);
        TacVec3 n = tac_unit(tac_cross(tac_sub(p[1], p[0]), tac_sub(p[2], p[0])));
        fprintf(out, "facet normal %.9g %.9g %.9g\nouter loop\n", n.x, n.y, n.z);
        for (int c = 0; c < 3; c++) fprintf(out, "vertex %.17g %.17g %.17g\n", p[c].x, p[c].y, p[c].z);
        fputs("endloop\nendfacet\n", out);
    }
    fputs("endsolid mesh\n", out);
    free(triangles);
    return TAC_OK;
}
