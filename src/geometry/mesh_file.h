// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// What the readers and writers of mesh files share.
//
// tac_mesh_read and tac_mesh_parse (mesh_file.c) choose a reader by extension, then by content, and hand it
// the whole file in memory. A reader walks it once and pushes what it finds into a TacMeshBuilder, which
// grows by doubling: an announced count is never a reason to take memory, only what the file really holds is.
// The builder refuses bad numbers at the line where they stand (keep `line` up to date) and checks indices
// against the number of points when it is finished, so that faces may stand before their points.
//
// Rules for every reader: `mesh` comes in empty and is filled only by tac_mesh_builder_finish; the builder is
// destroyed on every other way out; elements of unknown kinds are skipped; elements of second order keep
// their corner points; wedges and pyramids become tetrahedra. A file without a single point is an error.

#ifndef TACTUS_GEOMETRY_MESH_FILE_H
#define TACTUS_GEOMETRY_MESH_FILE_H

#include "tactus/geometry.h"

#include <stdio.h>

// A whole file in memory. data[bytes] is 0.
typedef struct TacMeshInput {
    const char *name; // for messages
    const char *data;
    size_t bytes;
} TacMeshInput;

TacStatus tac_mesh_parse_obj(TacMesh *mesh, const TacMeshInput *input, TacError *error);
TacStatus tac_mesh_parse_stl(TacMesh *mesh, const TacMeshInput *input, TacError *error);
TacStatus tac_mesh_parse_ply(TacMesh *mesh, const TacMeshInput *input, TacError *error);
TacStatus tac_mesh_parse_sph(TacMesh *mesh, const TacMeshInput *input, TacError *error);
TacStatus tac_mesh_parse_gmsh(TacMesh *mesh, const TacMeshInput *input, TacError *error);
TacStatus tac_mesh_parse_vtk(TacMesh *mesh, const TacMeshInput *input, TacError *error);
TacStatus tac_mesh_parse_vtu(TacMesh *mesh, const TacMeshInput *input, TacError *error);

// Writers print to `out` and may leave write errors to the caller, who asks ferror and finishes the file.
TacStatus tac_mesh_write_obj(const TacMesh *mesh, FILE *out, TacError *error);
TacStatus tac_mesh_write_stl(const TacMesh *mesh, FILE *out, TacError *error);
TacStatus tac_mesh_write_ply(const TacMesh *mesh, FILE *out, TacError *error);
TacStatus tac_mesh_write_gmsh(const TacMesh *mesh, FILE *out, TacError *error);
TacStatus tac_mesh_write_vtk(const TacMesh *mesh, FILE *out, TacError *error);
TacStatus tac_mesh_write_vtu(const TacMesh *mesh, FILE *out, TacError *error);

// Lines of a text, without their ends (\n, \r\n or \r).
typedef struct TacLines {
    const char *next, *end;
    int line; // number of the line handed out last, 1-based
} TacLines;

TacLines tac_lines(const TacMeshInput *input);
// The next line as [*start, *stop); false at the end of the text.
bool tac_lines_next(TacLines *lines, const char **start, const char **stop);

// The next word of a line as [*word, *word + result); 0 when there is none. Moves *cursor behind it.
size_t tac_line_word(const char **cursor, const char *stop, const char **word);
bool tac_word_is(const char *word, size_t length, const char *text);
// 1-based; for messages.
int tac_line_column(const char *start, const char *cursor);

// A mesh under construction. Set name (for messages) and zero the rest.
typedef struct TacMeshBuilder {
    const char *name;
    int line; // where the reader is, for messages; 0 where the file has no lines
    double *points;
    size_t point_count, point_capacity;
    struct {
        int32_t *indices;
        size_t count, capacity; // in elements
    } elements[TAC_ELEMENT_KINDS];
    double *radii;
    size_t radius_count, radius_capacity;
    int32_t *wedges;   // 6 each
    int32_t *pyramids; // 5 each
    size_t wedge_count, wedge_capacity, pyramid_count, pyramid_capacity;
    int32_t largest;  // index seen so far
    int largest_line; // where it stood
} TacMeshBuilder;

// All of these fail with TAC_BAD_INPUT at (name, line) on a number that cannot be used (NaN, infinity, a
// radius that is not positive, an index below 0 or above INT32_MAX) and with TAC_NO_MEMORY.
TacStatus tac_mesh_builder_point(TacMeshBuilder *builder, double x, double y, double z, TacError *error);
TacStatus tac_mesh_builder_radius(TacMeshBuilder *builder, double radius, TacError *error);
// tac_element_size(kind) indices, 0-based.
TacStatus tac_mesh_builder_element(TacMeshBuilder *builder, TacElement kind, const int64_t *indices,
                                   TacError *error);
// A triangle, a quad, or a fan of triangles; nothing when there are fewer than 3 corners.
TacStatus tac_mesh_builder_polygon(TacMeshBuilder *builder, const int64_t *indices, size_t corners,
                                   TacError *error);
// Base quad 0 1 2 3 and tip 4; two triangles 0 1 2 and 3 4 5. They become tetrahedra of positive volume when
// the builder is finished, and neighbours agree on how their common quads are cut.
TacStatus tac_mesh_builder_pyramid(TacMeshBuilder *builder, const int64_t indices[5], TacError *error);
TacStatus tac_mesh_builder_wedge(TacMeshBuilder *builder, const int64_t indices[6], TacError *error);

// Checks everything and moves it into `mesh`. The builder is empty afterwards, whatever is returned.
TacStatus tac_mesh_builder_finish(TacMeshBuilder *builder, TacMesh *mesh, TacError *error);
void tac_mesh_builder_destroy(TacMeshBuilder *builder);

#endif
