// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// For Blender: an OBJ file with the shape at the first frame and a PC2 point cache per track, as the Mesh
// Cache modifier reads it; and OBJ files frame by frame.
//
// Blender keeps the order of an OBJ's vertices but drops those that no face or edge uses, unless the whole
// file has neither. So a cache holds exactly the points that its track's triangles and edges use (all points
// where there are none), and where there are several tracks each gets an OBJ of its own beside the one that
// shows them all. A cache cannot change its number of points: tracks that do are resampled at their finest,
// chains (wires) evenly by arc length, others by the nearest number. Coordinates are written as they are.

#include "record/export.h"

typedef struct Shape {
    TacTrackMesh mesh; // at the finest frame, with the numbers of its own points
    size_t *used;      // points that elements use, ascending; NULL: all
    size_t used_count;
    size_t *renumbered; // from the track's numbers to places in `used`
    bool chain;         // edges join consecutive points, and nothing else is there
} Shape;

typedef struct Caches {
    TacExport *e;
    Shape *shapes;
    double **points; // per track: xyz of all points of the finest resolution, at the frame sampled last
    double *lengths; // along a chain
    float *row;
    const char **stems; // per track: path of its files without the extension; NULL: it has no points
    size_t filled;      // tracks that have points
} Caches;

static bool is_chain(const TacTrackMesh *mesh) {
    if (!mesh->edges.count || mesh->triangles.count || mesh->tetrahedra.count) return false;
    for (size_t i = 0; i < mesh->edges.count; i += 2)
        if (mesh->edges.data[i + 1] - mesh->edges.data[i] != 1) return false;
    return true;
}

static TacStatus copy_list(TacArena *arena, TacInts list, TacInts *copy, TacError *error) {
    int32_t *data = tac_arena_array(arena, list.count, sizeof *data);
    if (!data) return tac_fail_memory(error, list.count * sizeof *data);
    if (list.count) memcpy(data, list.data, list.count * sizeof *data);
    *copy = (TacInts){data, list.count};
    return TAC_OK;
}

static TacStatus make_shape(Caches *c, size_t track, TacError *error) {
    TacExport *e = c->e;
    Shape *shape = &c->shapes[track];
    size_t count = e->most[track];
    const TacFrame *frame;
    TAC_TRY(tac_recording_frame(e->recording, e->finest[track], &frame, error));
    if (frame->tracks[track].count != count)
        return tac_fail(error, TAC_BAD_INPUT, "the recording changed while it was read");
    const TacTrackMesh *mesh = tac_recording_mesh(e->recording, track);
    shape->chain = is_chain(mesh);
    TAC_TRY(copy_list(e->arena, mesh->triangles, &shape->mesh.triangles, error));
    TAC_TRY(copy_list(e->arena, mesh->edges, &shape->mesh.edges, error));
    shape->used_count = count;
    if (!mesh->triangles.count && !mesh->edges.count) return TAC_OK;

    // mark, then number
    shape->used = tac_arena_array(e->arena, count, sizeof *shape->used);
    shape->renumbered = tac_arena_array(e->arena, count, sizeof *shape->renumbered);
    if (!shape->used || !shape->renumbered) return tac_fail_memory(error, 2 * count * sizeof *shape->used);
    for (size_t i = 0; i < mesh->triangles.count; i++) shape->renumbered[mesh->triangles.data[i]] = 1;
    for (size_t i = 0; i < mesh->edges.count; i++) shape->renumbered[mesh->edges.data[i]] = 1;
    shape->used_count = 0;
    for (size_t i = 0; i < count; i++)
        if (shape->renumbered[i]) {
            shape->renumbered[i] = shape->used_count;
            shape->used[shape->used_count++] = i;
        }
    return TAC_OK;
}

// Points evenly along the line through the given ones.
static void sample_chain(double *out, size_t want, TacMatterKind kind, const double *positions, size_t have,
                         double *lengths) {
    lengths[0] = 0;
    for (size_t i = 1; i < have; i++)
        lengths[i] = lengths[i - 1] + tac_norm(tac_sub(tac_export_point(kind, positions, i),
                                                       tac_export_point(kind, positions, i - 1)));
    size_t piece = 0;
    for (size_t i = 0; i < want; i++) {
        double at = want > 1 ? lengths[have - 1] * (double)i / (double)(want - 1) : 0;
        while (piece + 2 < have && lengths[piece + 1] < at) piece++;
        double span = lengths[piece + 1] - lengths[piece];
        double t = span > 0 ? (at - lengths[piece]) / span : 0;
        TacVec3 a = tac_export_point(kind, positions, piece),
                b = tac_export_point(kind, positions, piece + 1);
        tac_store3(out + 3 * i, tac_add(tac_scale(a, 1 - t), tac_scale(b, t)));
    }
}

// The track's points at its finest resolution; a track without points stays where it was.
static void sample(Caches *c, size_t track, const TacFrameTrack *from) {
    size_t want = c->e->most[track], have = from->count;
    TacMatterKind kind = c->e->def->tracks[track].kind;
    double *out = c->points[track];
    if (have == 0) return;
    if (have != want && have > 1 && c->shapes[track].chain) {
        sample_chain(out, want, kind, from->positions, have, c->lengths);
        return;
    }
    for (size_t i = 0; i < want; i++) {
        size_t nearest = have == want || want < 2 ? i : (i * (have - 1) + (want - 1) / 2) / (want - 1);
        tac_store3(out + 3 * i, tac_export_point(kind, from->positions, nearest));
    }
}

static TacStatus prepare(Caches *c, TacError *error) {
    TacExport *e = c->e;
    size_t tracks = e->def->track_count, most = 0;
    c->shapes = tac_arena_array(e->arena, tracks, sizeof *c->shapes);
    c->points = tac_arena_array(e->arena, tracks, sizeof *c->points);
    c->stems = tac_arena_array(e->arena, tracks, sizeof *c->stems);
    char *stem = tac_export_stem(e, error);
    if (!c->shapes || !c->points || !c->stems || !stem)
        return tac_fail_memory(error, tracks * sizeof *c->shapes);
    for (size_t i = 0; i < tracks; i++) {
        if (!e->most[i]) continue;
        TAC_TRY(make_shape(c, i, error));
        c->points[i] = tac_arena_array(e->arena, e->most[i], 3 * sizeof(double));
        if (!c->points[i]) return tac_fail_memory(error, 3 * e->most[i] * sizeof(double));
        if (e->most[i] > most) most = e->most[i];
        c->filled++;
    }
    for (size_t i = 0; i < tracks; i++) {
        if (!e->most[i]) continue;
        c->stems[i] = c->filled == 1 ? stem : tac_arena_format(e->arena, "%s-%s", stem, e->names[i]);
        if (!c->stems[i]) return tac_fail_memory(error, strlen(stem));
    }
    c->lengths = tac_arena_array(e->arena, most, sizeof *c->lengths);
    c->row = tac_arena_array(e->arena, 3 * most, sizeof *c->row);
    return c->lengths && c->row ? TAC_OK : tac_fail_memory(error, most * 20);
}

// OBJ has no word for NaN and infinity.
static void print_vertex(FILE *stream, const double *p) {
    fputc('v', stream);
    for (int i = 0; i < 3; i++) {
        fputc(' ', stream);
        tac_print_real(stream, isfinite(p[i]) ? p[i] : 0, 9);
    }
    fputc('\n', stream);
}

// Elements of one list; `renumbered` may be NULL; numbers in the file begin at 1 + base.
static void print_elements(FILE *stream, char letter, TacInts list, size_t size, const size_t *renumbered,
                           size_t base) {
    for (size_t i = 0; i < list.count; i++) {
        size_t point = (size_t)list.data[i];
        if (i % size == 0) fputc(letter, stream);
        fprintf(stream, " %zu", 1 + base + (renumbered ? renumbered[point] : point));
        if (i % size + 1 == size) fputc('\n', stream);
    }
}

// One track as an object. Returns how many vertices it wrote.
static size_t print_shape(FILE *stream, const Caches *c, size_t track, size_t base) {
    const Shape *shape = &c->shapes[track];
    fprintf(stream, "o %s\n", c->e->names[track]);
    for (size_t i = 0; i < shape->used_count; i++)
        print_vertex(stream, c->points[track] + 3 * (shape->used ? shape->used[i] : i));
    print_elements(stream, 'f', shape->mesh.triangles, 3, shape->renumbered, base);
    print_elements(stream, 'l', shape->mesh.edges, 2, shape->renumbered, base);
    return shape->used_count;
}

// Tracks [first, last) into one OBJ file.
static TacStatus write_obj(const Caches *c, const char *path, size_t first, size_t last, TacError *error) {
    TacFileWriter writer;
    TAC_TRY(tac_file_writer_open(&writer, path, error));
    size_t base = 0;
    for (size_t i = first; i < last; i++)
        if (c->stems[i]) base += print_shape(writer.stream, c, i, base);
    return tac_file_writer_finish(&writer, true, error);
}

static TacStatus write_objects(Caches *c, TacError *error) {
    TacExport *e = c->e;
    const TacFrame *frame;
    TAC_TRY(tac_recording_frame(e->recording, 0, &frame, error));
    for (size_t i = 0; i < e->def->track_count; i++)
        if (c->stems[i]) sample(c, i, &frame->tracks[i]);
    TAC_TRY(write_obj(c, e->path, 0, e->def->track_count, error));
    for (size_t i = 0; i < e->def->track_count && c->filled > 1; i++) {
        if (!c->stems[i]) continue;
        char *path = tac_arena_format(e->arena, "%s.obj", c->stems[i]);
        if (!path) return tac_fail_memory(error, 0);
        TAC_TRY(write_obj(c, path, i, i + 1, error));
    }
    return TAC_OK;
}

static void print_cache_header(FILE *stream, size_t points, size_t samples) {
    int32_t version = 1, point_count = (int32_t)points, sample_count = (int32_t)samples;
    float start = 0, rate = 1;
    fwrite("POINTCACHE2", 1, 12, stream);
    fwrite(&version, 4, 1, stream);
    fwrite(&point_count, 4, 1, stream);
    fwrite(&start, 4, 1, stream);
    fwrite(&rate, 4, 1, stream);
    fwrite(&sample_count, 4, 1, stream);
}

static void print_cache_row(FILE *stream, const Caches *c, size_t track) {
    const Shape *shape = &c->shapes[track];
    for (size_t i = 0; i < shape->used_count; i++) {
        const double *p = c->points[track] + 3 * (shape->used ? shape->used[i] : i);
        for (size_t k = 0; k < 3; k++) c->row[3 * i + k] = (float)p[k];
    }
    fwrite(c->row, 12, shape->used_count, stream);
}

// Caches are open together so that the recording is played once; in groups, since files that are open are
// few.
enum { GROUP = 128 };

static TacStatus open_group(Caches *c, TacFileWriter *writers, size_t first, size_t last, TacError *error) {
    for (size_t i = first; i < last; i++) {
        if (!c->stems[i]) continue;
        char *path = tac_arena_format(c->e->arena, "%s.pc2", c->stems[i]);
        if (!path) return tac_fail_memory(error, 0);
        TAC_TRY(tac_file_writer_open(&writers[i - first], path, error));
        print_cache_header(writers[i - first].stream, c->shapes[i].used_count, c->e->frame_count);
    }
    return TAC_OK;
}

static TacStatus play_group(Caches *c, TacFileWriter *writers, size_t first, size_t last, TacError *error) {
    TacExport *e = c->e;
    TAC_TRY(open_group(c, writers, first, last, error));
    for (size_t f = 0; f < e->frame_count; f++) {
        const TacFrame *frame;
        TAC_TRY(tac_recording_frame(e->recording, f, &frame, error));
        for (size_t i = first; i < last; i++) {
            if (!c->stems[i]) continue;
            if (frame->tracks[i].count > e->most[i])
                return tac_fail(error, TAC_BAD_INPUT, "the recording changed while it was read");
            sample(c, i, &frame->tracks[i]);
            print_cache_row(writers[i - first].stream, c, i);
        }
        double part = (double)(f + 1) / (double)e->frame_count;
        double done = ((double)first + part * (double)(last - first)) / (double)e->def->track_count;
        TAC_TRY(tac_export_progress(e, done, error));
    }
    return TAC_OK;
}

static TacStatus write_caches(Caches *c, TacError *error) {
    TacFileWriter *writers = tac_arena_array(c->e->arena, GROUP, sizeof *writers);
    if (!writers) return tac_fail_memory(error, GROUP * sizeof *writers);
    TacStatus status = TAC_OK;
    size_t tracks = c->e->def->track_count;
    for (size_t first = 0; first < tracks && status == TAC_OK; first += GROUP) {
        size_t last = tracks - first < GROUP ? tracks : first + GROUP;
        memset(writers, 0, GROUP * sizeof *writers);
        status = play_group(c, writers, first, last, error);
        for (size_t i = 0; i < last - first; i++) {
            bool keep = status == TAC_OK;
            TacStatus finished = tac_file_writer_finish(&writers[i], keep, keep ? error : NULL);
            if (keep) status = finished;
        }
    }
    return status;
}

static TacStatus refuse_empty(const TacExport *e, TacError *error) {
    if (e->frame_count && e->frame_count <= INT32_MAX) return TAC_OK;
    return tac_fail_at(error, TAC_BAD_INPUT, tac_recording_path(e->recording), 0, 0,
                       "has %zu frames; that cannot be exported", e->frame_count);
}

TacStatus tac_export_obj(TacExport *e, TacError *error) {
    Caches c = {.e = e};
    TAC_TRY(refuse_empty(e, error));
    TAC_TRY(prepare(&c, error));
    TAC_TRY(write_objects(&c, error));
    return write_caches(&c, error);
}

// One frame as it is: all tracks, all points, the meshes in force.
static TacStatus write_frame(TacExport *e, const TacFrame *frame, const char *path, TacError *error) {
    TacFileWriter writer;
    TAC_TRY(tac_file_writer_open(&writer, path, error));
    size_t base = 0;
    for (size_t t = 0; t < e->def->track_count; t++) {
        const TacFrameTrack *track = &frame->tracks[t];
        const TacTrackMesh *mesh = tac_recording_mesh(e->recording, t);
        if (!track->count) continue;
        fprintf(writer.stream, "o %s\n", e->names[t]);
        for (size_t i = 0; i < track->count; i++) {
            double p[3];
            tac_store3(p, tac_export_point(e->def->tracks[t].kind, track->positions, i));
            print_vertex(writer.stream, p);
        }
        print_elements(writer.stream, 'f', mesh->triangles, 3, NULL, base);
        print_elements(writer.stream, 'l', mesh->edges, 2, NULL, base);
        if (!mesh->triangles.count && !mesh->edges.count)
            for (size_t i = 0; i < track->count; i++) fprintf(writer.stream, "p %zu\n", 1 + base + i);
        base += track->count;
    }
    return tac_file_writer_finish(&writer, true, error);
}

TacStatus tac_export_obj_frames(TacExport *e, TacError *error) {
    TAC_TRY(refuse_empty(e, error));
    TAC_TRY(tac_export_folder(e->path, error));
    for (size_t f = 0; f < e->frame_count; f++) {
        const TacFrame *frame;
        TAC_TRY(tac_recording_frame(e->recording, f, &frame, error));
        char path[4096];
        if (snprintf(path, sizeof path, "%sframe-%05zu.obj", e->path, f) >= (int)sizeof path)
            return tac_fail(error, TAC_FAILED, "the path is too long to write to: %.80s...", e->path);
        TAC_TRY(write_frame(e, frame, path, error));
        TAC_TRY(tac_export_progress(e, (double)(f + 1) / (double)e->frame_count, error));
    }
    return TAC_OK;
}
