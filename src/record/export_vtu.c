// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// For ParaView: one VTU file (VTK XML unstructured grid, appended raw binary) per frame and track, in a
// folder named after the PVD file that lists them with their true times. Point data: velocity,
// angular_velocity, orientation (x y z w), radius, as far as the recording has them. Cells: the elements of
// the mesh in force, or a vertex per point where there are none. The PVD is written last, so that it never
// names a file that is not there.

#include "record/export.h"

// One block of appended data: how it is announced, and what it holds.
typedef struct Block {
    const char *type, *name;
    int components; // 0: a plain list
    uint64_t bytes;
    const void *data;
} Block;

enum { MOST_BLOCKS = 8 };

typedef struct Grid {
    Block points, fields[MOST_BLOCKS], cells[3];
    size_t field_count, point_count, cell_count;
    double time;
} Grid;

// Buffers that live from frame to frame.
typedef struct Buffers {
    double *reals;
    size_t real_capacity;
    int64_t *ints;
    size_t int_capacity;
    unsigned char *types;
    size_t type_capacity;
} Buffers;

enum { VTK_VERTEX = 1, VTK_LINE = 3, VTK_TRIANGLE = 5, VTK_TETRA = 10 };

static void add_elements(TacInts list, size_t size, int type, int64_t *connectivity, int64_t *offsets,
                         unsigned char *types, size_t *used, size_t *cells) {
    for (size_t i = 0; i < list.count; i++) {
        connectivity[(*used)++] = list.data[i];
        if (i % size + 1 == size) {
            offsets[*cells] = (int64_t)*used;
            types[(*cells)++] = (unsigned char)type;
        }
    }
}

static TacStatus fill_cells(Buffers *b, Grid *grid, const TacTrackMesh *mesh, size_t points,
                            TacError *error) {
    bool bare = tac_mesh_is_empty(mesh);
    size_t indices = bare ? points : mesh->triangles.count + mesh->edges.count + mesh->tetrahedra.count;
    size_t cells =
        bare ? points : mesh->triangles.count / 3 + mesh->edges.count / 2 + mesh->tetrahedra.count / 4;
    if (!tac_grow(&b->ints, &b->int_capacity, indices + cells, sizeof *b->ints) ||
        !tac_grow(&b->types, &b->type_capacity, cells, 1))
        return tac_fail_memory(error, 8 * (indices + cells));
    int64_t *connectivity = b->ints, *offsets = indices + cells ? b->ints + indices : NULL;
    size_t used = 0, made = 0;
    if (bare) {
        for (size_t i = 0; i < points; i++) {
            connectivity[i] = (int64_t)i;
            offsets[i] = (int64_t)i + 1;
            b->types[i] = VTK_VERTEX;
        }
    } else {
        add_elements(mesh->triangles, 3, VTK_TRIANGLE, connectivity, offsets, b->types, &used, &made);
        add_elements(mesh->edges, 2, VTK_LINE, connectivity, offsets, b->types, &used, &made);
        add_elements(mesh->tetrahedra, 4, VTK_TETRA, connectivity, offsets, b->types, &used, &made);
    }
    grid->cell_count = cells;
    grid->cells[0] = (Block){"Int64", "connectivity", 0, 8 * (uint64_t)indices, connectivity};
    grid->cells[1] = (Block){"Int64", "offsets", 0, 8 * (uint64_t)cells, offsets};
    grid->cells[2] = (Block){"UInt8", "types", 0, cells, b->types};
    return TAC_OK;
}

static void add_field(Grid *grid, const char *name, int components, size_t count, const double *data) {
    grid->fields[grid->field_count++] =
        (Block){"Float64", name, components, 8 * (uint64_t)count * (uint64_t)components, data};
}

static TacStatus fill_points(Buffers *b, Grid *grid, const TacTrackDef *def, const TacFrameTrack *track,
                             TacError *error) {
    size_t n = track->count;
    if (!tac_grow(&b->reals, &b->real_capacity, 14 * n + 1, sizeof *b->reals))
        return tac_fail_memory(error, 14 * n * sizeof *b->reals);
    double *points = b->reals, *velocities = points + 3 * n, *spins = velocities + 3 * n;
    double *rotations = spins + 3 * n, *radii = rotations + 4 * n;
    TacMatterKind kind = def->kind;
    bool rigid = kind == TAC_RIGID2 || kind == TAC_RIGID3;
    for (size_t i = 0; i < n; i++) {
        tac_store3(points + 3 * i, tac_export_point(kind, track->positions, i));
        tac_store_quat(rotations + 4 * i, tac_export_rotation(kind, track->positions, i));
        radii[i] = def->radii.count ? def->radii.data[i] : def->radius;
        if (!track->velocities) continue;
        tac_store3(velocities + 3 * i, tac_export_velocity(kind, track->velocities, i));
        const double *v = track->velocities + i * (size_t)tac_velocity_size(kind);
        if (rigid) tac_store3(spins + 3 * i, kind == TAC_RIGID3 ? tac_load3(v + 3) : tac_vec3(0, 0, v[2]));
    }
    grid->point_count = n;
    grid->points = (Block){"Float64", "Points", 3, 24 * (uint64_t)n, points};
    if (track->velocities) add_field(grid, "velocity", 3, n, velocities);
    if (track->velocities && rigid) add_field(grid, "angular_velocity", 3, n, spins);
    if (rigid) add_field(grid, "orientation", 4, n, rotations);
    if (def->radii.count || def->radius > 0) add_field(grid, "radius", 1, n, radii);
    return TAC_OK;
}

static void announce(FILE *stream, const Block *block, uint64_t *offset) {
    fprintf(stream, "<DataArray type=\"%s\" Name=\"%s\" ", block->type, block->name);
    if (block->components) fprintf(stream, "NumberOfComponents=\"%d\" ", block->components);
    fprintf(stream, "format=\"appended\" offset=\"%llu\"/>\n", (unsigned long long)*offset);
    *offset += 8 + block->bytes;
}

static void append(FILE *stream, const Block *block) {
    fwrite(&block->bytes, 8, 1, stream);
    if (block->bytes) fwrite(block->data, 1, (size_t)block->bytes, stream);
}

static void print_grid(FILE *stream, const Grid *grid) {
    uint64_t offset = 0;
    fputs(
        "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" "
        "byte_order=\"LittleEndian\" header_type=\"UInt64\">\n<UnstructuredGrid>\n"
        "<FieldData>\n<DataArray type=\"Float64\" Name=\"TimeValue\" NumberOfTuples=\"1\" format=\"ascii\">",
        stream);
    tac_print_real(stream, grid->time, 17);
    fprintf(stream, "</DataArray>\n</FieldData>\n<Piece NumberOfPoints=\"%zu\" NumberOfCells=\"%zu\">\n",
            grid->point_count, grid->cell_count);
    fputs("<Points>\n", stream);
    announce(stream, &grid->points, &offset);
    fputs("</Points>\n<PointData>\n", stream);
    for (size_t i = 0; i < grid->field_count; i++) announce(stream, &grid->fields[i], &offset);
    fputs("</PointData>\n<Cells>\n", stream);
    for (size_t i = 0; i < TAC_COUNT(grid->cells); i++) announce(stream, &grid->cells[i], &offset);
    fputs("</Cells>\n</Piece>\n</UnstructuredGrid>\n<AppendedData encoding=\"raw\">\n_", stream);
    append(stream, &grid->points);
    for (size_t i = 0; i < grid->field_count; i++) append(stream, &grid->fields[i]);
    for (size_t i = 0; i < TAC_COUNT(grid->cells); i++) append(stream, &grid->cells[i]);
    fputs("\n</AppendedData>\n</VTKFile>\n", stream);
}

static TacStatus write_track(TacExport *e, Buffers *buffers, const char *folder, size_t track, size_t number,
                             const TacFrame *frame, TacError *error) {
    Grid grid = {.time = frame->time};
    TAC_TRY(fill_points(buffers, &grid, &e->def->tracks[track], &frame->tracks[track], error));
    TAC_TRY(fill_cells(buffers, &grid, tac_recording_mesh(e->recording, track), grid.point_count, error));
    char path[4096];
    if (snprintf(path, sizeof path, "%s/%s-%05zu.vtu", folder, e->names[track], number) >= (int)sizeof path)
        return tac_fail(error, TAC_FAILED, "the path is too long to write to: %.80s...", folder);
    TacFileWriter writer;
    TAC_TRY(tac_file_writer_open(&writer, path, error));
    print_grid(writer.stream, &grid);
    return tac_file_writer_finish(&writer, true, error);
}

static TacStatus write_frames(TacExport *e, Buffers *buffers, const char *folder, TacError *error) {
    for (size_t f = 0; f < e->frame_count; f++) {
        const TacFrame *frame;
        TAC_TRY(tac_recording_frame(e->recording, f, &frame, error));
        for (size_t i = 0; i < e->def->track_count; i++)
            if (e->most[i]) TAC_TRY(write_track(e, buffers, folder, i, f, frame, error));
        TAC_TRY(tac_export_progress(e, (double)(f + 1) / (double)e->frame_count, error));
    }
    return TAC_OK;
}

// A folder's name as it stands in an attribute.
static void print_escaped(FILE *stream, const char *text) {
    for (; *text; text++) {
        if (*text == '&')
            fputs("&amp;", stream);
        else if (*text == '<')
            fputs("&lt;", stream);
        else if (*text == '"')
            fputs("&quot;", stream);
        else
            fputc(*text, stream);
    }
}

static TacStatus write_list(TacExport *e, const char *folder, TacError *error) {
    const char *slash = strrchr(folder, '/'), *last = slash ? slash + 1 : folder;
    TacFileWriter writer;
    TAC_TRY(tac_file_writer_open(&writer, e->path, error));
    FILE *stream = writer.stream;
    fputs(
        "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\" byte_order=\"LittleEndian\">\n"
        "<Collection>\n",
        stream);
    for (size_t f = 0; f < e->frame_count; f++) {
        size_t part = 0;
        for (size_t i = 0; i < e->def->track_count; i++) {
            if (!e->most[i]) continue;
            fputs("<DataSet timestep=\"", stream);
            tac_print_real(stream, tac_recording_frame_time(e->recording, f), 17);
            fprintf(stream, "\" group=\"\" part=\"%zu\" name=\"%s\" file=\"", part++, e->names[i]);
            print_escaped(stream, last);
            fprintf(stream, "/%s-%05zu.vtu\"/>\n", e->names[i], f);
        }
    }
    fputs("</Collection>\n</VTKFile>\n", stream);
    return tac_file_writer_finish(&writer, true, error);
}

TacStatus tac_export_vtu(TacExport *e, TacError *error) {
    char *folder = tac_export_stem(e, error);
    if (!folder) return TAC_NO_MEMORY;
    TAC_TRY(tac_export_folder(folder, error));
    Buffers buffers = {0};
    TacStatus status = write_frames(e, &buffers, folder, error);
    free(buffers.reals);
    free(buffers.ints);
    free(buffers.types);
    return status == TAC_OK ? write_list(e, folder, error) : status;
}
