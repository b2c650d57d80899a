// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// USD as text, with time samples: triangles become a Mesh, edges BasisCurves, bare points Points, bare frames
// (bodies) an Xform each with a ball in it. For Houdini, newer Blender, usdview.
//
// USD lists all samples of an attribute together, a recording all attributes of a frame. So the recording is
// played once, each sample's text goes to a scratch file (unlinked as soon as it is open), and the samples of
// each attribute are then copied together. An attribute is a *slot*: a list of pieces of the scratch file.

#define _GNU_SOURCE
#include "record/export.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

typedef struct Piece {
    uint64_t offset, bytes;
    size_t next; // in the list of its slot; NO_PIECE: the last
} Piece;

#define NO_PIECE SIZE_MAX

typedef struct Slot {
    size_t first, last;
} Slot;

typedef enum Prim { PRIM_NONE, PRIM_MESH, PRIM_CURVES, PRIM_POINTS, PRIM_BODIES } Prim;

// Slots of a track, behind its first one. Bodies have two each: place and rotation.
enum { SLOT_POINTS, SLOT_VELOCITIES, SLOT_EXTENT, SLOT_COUNTS, SLOT_INDICES, SLOT_WIDTHS, SLOTS };
enum { MOST_BODIES = 1000 };

typedef struct Stage {
    TacExport *e;
    FILE *scratch;
    uint64_t written; // to the scratch file
    double rate;      // time codes per second
    Prim *prims;
    size_t *slot_begin; // per track
    double *widths;     // per track: of points and curves where there are no radii
    size_t *last_count; // per track: points in the frame before
    Slot *slots;
    Piece *pieces;
    size_t piece_count, piece_capacity;
    int32_t *sequence, *counts; // points along curves, and points per curve
    size_t sequence_capacity, count_capacity, sequence_count, count_count;
} Stage;

// USD reads nan, inf and -inf; a NaN with a sign would make the whole file unreadable.
static void print_real(FILE *stream, double value) {
    tac_print_real(stream, isnan(value) ? (double)NAN : value, 9);
}

static void print_vec3(FILE *stream, TacVec3 a) {
    fputc('(', stream);
    print_real(stream, a.x);
    fputs(", ", stream);
    print_real(stream, a.y);
    fputs(", ", stream);
    print_real(stream, a.z);
    fputc(')', stream);
}

// The bytes of a letter in UTF-8 that begins here; 0: none does.
static size_t letter_bytes(const char *text) {
    unsigned char c = (unsigned char)text[0];
    size_t bytes = c < 0x80             ? 1
                   : (c & 0xe0) == 0xc0 ? 2
                   : (c & 0xf0) == 0xe0 ? 3
                   : (c & 0xf8) == 0xf0 ? 4
                                        : 0;
    for (size_t i = 1; i < bytes; i++)
        if (((unsigned char)text[i] & 0xc0) != 0x80) return 0;
    return bytes;
}

static void print_text(FILE *stream, const char *text) {
    fputc('"', stream);
    while (*text) {
        size_t bytes = letter_bytes(text);
        if (*text == '"' || *text == '\\') fputc('\\', stream);
        if (bytes == 0 || (unsigned char)*text < 0x20)
            fputc('?', stream);
        else
            fwrite(text, 1, bytes, stream);
        text += bytes ? bytes : 1;
    }
    fputc('"', stream);
}

// Between these two what is printed to the scratch file becomes a sample of a slot.
static void begin_sample(Stage *s, double time) {
    fputs("            ", s->scratch);
    tac_print_real(s->scratch, time * s->rate, 12);
    fputs(": ", s->scratch);
}

static TacStatus end_sample(Stage *s, size_t slot, TacError *error) {
    fputs(",\n", s->scratch);
    off_t end = ftello(s->scratch);
    if (end < 0 || ferror(s->scratch))
        return tac_fail_at(error, TAC_FAILED, s->e->path, 0, 0, "cannot be written: %s", strerror(errno));
    if (!tac_grow(&s->pieces, &s->piece_capacity, s->piece_count + 1, sizeof *s->pieces))
        return tac_fail_memory(error, (s->piece_count + 1) * sizeof *s->pieces);
    s->pieces[s->piece_count] = (Piece){s->written, (uint64_t)end - s->written, NO_PIECE};
    s->written = (uint64_t)end;
    Slot *list = &s->slots[slot];
    if (list->first == NO_PIECE)
        list->first = s->piece_count;
    else
        s->pieces[list->last].next = s->piece_count;
    list->last = s->piece_count++;
    return TAC_OK;
}

static void print_ints(FILE *stream, const int32_t *list, size_t count, int32_t constant) {
    fputc('[', stream);
    for (size_t i = 0; i < count; i++)
        fprintf(stream, i ? ", %ld" : "%ld", (long)(list ? list[i] : constant));
    fputc(']', stream);
}

// Strings edges together into curves as long as one begins where the last one ended.
static TacStatus make_sequence(Stage *s, TacInts edges, TacError *error) {
    if (!tac_grow(&s->sequence, &s->sequence_capacity, edges.count, sizeof *s->sequence) ||
        !tac_grow(&s->counts, &s->count_capacity, edges.count, sizeof *s->counts))
        return tac_fail_memory(error, 8 * edges.count);
    s->sequence_count = s->count_count = 0;
    for (size_t i = 0; i < edges.count; i += 2) {
        if (i == 0 || edges.data[i] != edges.data[i - 1]) {
            s->sequence[s->sequence_count++] = edges.data[i];
            s->counts[s->count_count++] = 1;
        }
        s->sequence[s->sequence_count++] = edges.data[i + 1];
        s->counts[s->count_count - 1]++;
    }
    return TAC_OK;
}

typedef TacVec3 (*Getter)(TacMatterKind kind, const double *values, size_t i);

static TacStatus sample_vectors(Stage *s, size_t slot, double time, Getter get, TacMatterKind kind,
                                const double *values, size_t count, const int32_t *sequence,
                                TacError *error) {
    begin_sample(s, time);
    fputc('[', s->scratch);
    for (size_t i = 0; i < count; i++) {
        if (i) fputs(", ", s->scratch);
        print_vec3(s->scratch, get(kind, values, sequence ? (size_t)sequence[i] : i));
    }
    fputc(']', s->scratch);
    return end_sample(s, slot, error);
}

static TacVec3 extent_of(TacMatterKind kind, const TacFrameTrack *track, double pad, TacVec3 *low) {
    TacVec3 high = {0};
    *low = high;
    bool first = true;
    for (size_t i = 0; i < track->count; i++) {
        TacVec3 p = tac_export_point(kind, track->positions, i);
        if (!isfinite(p.x + p.y + p.z)) continue;
        *low = first ? p : tac_vec3(fmin(low->x, p.x), fmin(low->y, p.y), fmin(low->z, p.z));
        high = first ? p : tac_vec3(fmax(high.x, p.x), fmax(high.y, p.y), fmax(high.z, p.z));
        first = false;
    }
    *low = tac_sub(*low, tac_vec3(pad, pad, pad));
    return tac_add(high, tac_vec3(pad, pad, pad));
}

static double largest_radius(const TacTrackDef *def) {
    double largest = def->radius;
    for (size_t i = 0; i < def->radii.count; i++) largest = fmax(largest, def->radii.data[i]);
    return largest;
}

static TacStatus sample_extent(Stage *s, size_t slot, const TacTrackDef *def, const TacFrame *frame,
                               const TacFrameTrack *track, TacError *error) {
    TacVec3 low, high = extent_of(def->kind, track, largest_radius(def), &low);
    begin_sample(s, frame->time);
    fputc('[', s->scratch);
    print_vec3(s->scratch, low);
    fputs(", ", s->scratch);
    print_vec3(s->scratch, high);
    fputc(']', s->scratch);
    return end_sample(s, slot, error);
}

static TacStatus sample_topology(Stage *s, size_t t, double time, const TacTrackMesh *mesh, TacError *error) {
    size_t slot = s->slot_begin[t];
    begin_sample(s, time);
    if (s->prims[t] == PRIM_CURVES) {
        print_ints(s->scratch, s->counts, s->count_count, 0);
        return end_sample(s, slot + SLOT_COUNTS, error);
    }
    print_ints(s->scratch, NULL, mesh->triangles.count / 3, 3);
    TAC_TRY(end_sample(s, slot + SLOT_COUNTS, error));
    begin_sample(s, time);
    print_ints(s->scratch, mesh->triangles.data, mesh->triangles.count, 0);
    return end_sample(s, slot + SLOT_INDICES, error);
}

// Diameters along the points or curves, where each point has its own.
static TacStatus sample_widths(Stage *s, size_t t, double time, size_t count, const int32_t *sequence,
                               TacError *error) {
    TacReals radii = s->e->def->tracks[t].radii;
    begin_sample(s, time);
    fputc('[', s->scratch);
    for (size_t i = 0; i < count; i++) {
        if (i) fputs(", ", s->scratch);
        print_real(s->scratch, 2 * radii.data[sequence ? (size_t)sequence[i] : i]);
    }
    fputc(']', s->scratch);
    return end_sample(s, s->slot_begin[t] + SLOT_WIDTHS, error);
}

static TacStatus sample_shape(Stage *s, size_t t, size_t f, const TacFrame *frame, TacError *error) {
    const TacTrackDef *def = &s->e->def->tracks[t];
    const TacFrameTrack *track = &frame->tracks[t];
    const TacTrackMesh *mesh = tac_recording_mesh(s->e->recording, t);
    size_t slot = s->slot_begin[t], count = track->count;
    bool curves = s->prims[t] == PRIM_CURVES, changed = f == 0 || track->mesh || s->last_count[t] != count;
    const int32_t *sequence = NULL;
    if (curves) {
        TAC_TRY(make_sequence(s, mesh->edges, error));
        sequence = s->sequence;
        count = s->sequence_count;
    }
    TAC_TRY(sample_vectors(s, slot + SLOT_POINTS, frame->time, tac_export_point, def->kind, track->positions,
                           count, sequence, error));
    if (track->velocities)
        TAC_TRY(sample_vectors(s, slot + SLOT_VELOCITIES, frame->time, tac_export_velocity, def->kind,
                               track->velocities, count, sequence, error));
    TAC_TRY(sample_extent(s, slot + SLOT_EXTENT, def, frame, track, error));
    s->last_count[t] = track->count;
    if (!changed) return TAC_OK;
    if (s->prims[t] != PRIM_POINTS) TAC_TRY(sample_topology(s, t, frame->time, mesh, error));
    if (def->radii.count && s->prims[t] != PRIM_MESH)
        TAC_TRY(sample_widths(s, t, frame->time, count, sequence, error));
    return TAC_OK;
}

static TacStatus sample_bodies(Stage *s, size_t t, const TacFrame *frame, TacError *error) {
    const TacFrameTrack *track = &frame->tracks[t];
    TacMatterKind kind = s->e->def->tracks[t].kind;
    for (size_t i = 0; i < track->count; i++) {
        TacVec3 place = tac_export_point(kind, track->positions, i);
        TacQuat q = tac_export_rotation(kind, track->positions, i);
        begin_sample(s, frame->time);
        print_vec3(s->scratch, place);
        TAC_TRY(end_sample(s, s->slot_begin[t] + 2 * i, error));
        begin_sample(s, frame->time);
        // USD writes the real part first
        const double parts[] = {q.w, q.x, q.y, q.z};
        for (size_t k = 0; k < 4; k++) {
            fputs(k ? ", " : "(", s->scratch);
            print_real(s->scratch, parts[k]);
        }
        fputc(')', s->scratch);
        TAC_TRY(end_sample(s, s->slot_begin[t] + 2 * i + 1, error));
    }
    return TAC_OK;
}

// What a track becomes is decided by its mesh at its finest.
static TacStatus choose_prims(Stage *s, TacError *error) {
    TacExport *e = s->e;
    size_t tracks = e->def->track_count, slots = 0;
    s->prims = tac_arena_array(e->arena, tracks, sizeof *s->prims);
    s->slot_begin = tac_arena_array(e->arena, tracks, sizeof *s->slot_begin);
    s->widths = tac_arena_array(e->arena, tracks, sizeof *s->widths);
    s->last_count = tac_arena_array(e->arena, tracks, sizeof *s->last_count);
    if (!s->prims || !s->slot_begin || !s->widths || !s->last_count)
        return tac_fail_memory(error, tracks * 32);
    for (size_t t = 0; t < tracks; t++) {
        const TacTrackDef *def = &e->def->tracks[t];
        if (!e->most[t]) continue;
        const TacFrame *frame;
        TAC_TRY(tac_recording_frame(e->recording, e->finest[t], &frame, error));
        const TacTrackMesh *mesh = tac_recording_mesh(e->recording, t);
        bool rigid = def->kind == TAC_RIGID2 || def->kind == TAC_RIGID3;
        s->prims[t] = mesh->triangles.count                ? PRIM_MESH
                      : mesh->edges.count                  ? PRIM_CURVES
                      : rigid && e->most[t] <= MOST_BODIES ? PRIM_BODIES
                                                           : PRIM_POINTS;
        s->slot_begin[t] = slots;
        slots += s->prims[t] == PRIM_BODIES ? 2 * e->most[t] : SLOTS;
        // where nobody chose a radius: a hundredth of the track's size
        TacVec3 low, high = extent_of(def->kind, &frame->tracks[t], 0, &low);
        double size = tac_norm(tac_sub(high, low));
        s->widths[t] = def->radius > 0 ? 2 * def->radius : size > 0 ? 0.01 * size : 0.01;
    }
    s->slots = tac_arena_array(e->arena, slots, sizeof *s->slots);
    if (!s->slots) return tac_fail_memory(error, slots * sizeof *s->slots);
    for (size_t i = 0; i < slots; i++) s->slots[i] = (Slot){NO_PIECE, NO_PIECE};
    return TAC_OK;
}

static TacStatus play(Stage *s, TacError *error) {
    TacExport *e = s->e;
    for (size_t f = 0; f < e->frame_count; f++) {
        const TacFrame *frame;
        TAC_TRY(tac_recording_frame(e->recording, f, &frame, error));
        for (size_t t = 0; t < e->def->track_count; t++) {
            if (frame->tracks[t].count > e->most[t])
                return tac_fail(error, TAC_BAD_INPUT, "the recording changed while it was read");
            if (s->prims[t] == PRIM_BODIES)
                TAC_TRY(sample_bodies(s, t, frame, error));
            else if (s->prims[t] != PRIM_NONE)
                TAC_TRY(sample_shape(s, t, f, frame, error));
        }
        TAC_TRY(tac_export_progress(e, 0.9 * (double)(f + 1) / (double)e->frame_count, error));
    }
    if (fflush(s->scratch) != 0)
        return tac_fail_at(error, TAC_FAILED, e->path, 0, 0, "cannot be written: %s", strerror(errno));
    return TAC_OK;
}

// Copies the samples of a slot; nothing where it has none.
static TacStatus print_slot(Stage *s, FILE *stream, const char *attribute, size_t slot, TacError *error) {
    if (s->slots[slot].first == NO_PIECE) return TAC_OK;
    fprintf(stream, "        %s.timeSamples = {\n", attribute);
    for (size_t i = s->slots[slot].first; i != NO_PIECE; i = s->pieces[i].next) {
        char buffer[16384];
        for (uint64_t done = 0; done < s->pieces[i].bytes;) {
            uint64_t left = s->pieces[i].bytes - done;
            ssize_t n = pread(fileno(s->scratch), buffer, left < sizeof buffer ? (size_t)left : sizeof buffer,
                              (off_t)(s->pieces[i].offset + done));
            if (n < 0 && errno == EINTR) continue;
            if (n <= 0)
                return tac_fail_at(error, TAC_FAILED, s->e->path, 0, 0, "cannot be written: scratch file");
            fwrite(buffer, 1, (size_t)n, stream);
            done += (uint64_t)n;
        }
    }
    fputs("        }\n", stream);
    return TAC_OK;
}

static void print_look(FILE *stream, const TacTrackDef *def, const char *indent) {
    fprintf(stream, "%scolor3f[] primvars:displayColor = [", indent);
    print_vec3(stream, tac_vec3(def->color[0], def->color[1], def->color[2]));
    fprintf(stream, "]\n%sfloat[] primvars:displayOpacity = [", indent);
    print_real(stream, def->opacity);
    fputs("]\n", stream);
}

static TacStatus print_shape(Stage *s, FILE *stream, size_t t, TacError *error) {
    const TacTrackDef *def = &s->e->def->tracks[t];
    size_t slot = s->slot_begin[t];
    Prim prim = s->prims[t];
    if (prim == PRIM_MESH)
        fputs("        uniform token subdivisionScheme = \"none\"\n        bool doubleSided = 1\n", stream);
    if (prim == PRIM_CURVES) fputs("        uniform token type = \"linear\"\n", stream);
    print_look(stream, def, "        ");
    TAC_TRY(print_slot(s, stream, prim == PRIM_MESH ? "int[] faceVertexCounts" : "int[] curveVertexCounts",
                       slot + SLOT_COUNTS, error));
    TAC_TRY(print_slot(s, stream, "int[] faceVertexIndices", slot + SLOT_INDICES, error));
    TAC_TRY(print_slot(s, stream, "float3[] extent", slot + SLOT_EXTENT, error));
    TAC_TRY(print_slot(s, stream, "point3f[] points", slot + SLOT_POINTS, error));
    TAC_TRY(print_slot(s, stream, "vector3f[] velocities", slot + SLOT_VELOCITIES, error));
    if (prim == PRIM_MESH) return TAC_OK;
    bool each = s->slots[slot + SLOT_WIDTHS].first != NO_PIECE;
    fputs("        float[] widths", stream);
    if (!each) {
        fputs(" = [", stream);
        print_real(stream, s->widths[t]);
        fputc(']', stream);
    }
    fprintf(stream, " (\n            interpolation = \"%s\"\n        )\n", each ? "vertex" : "constant");
    return print_slot(s, stream, "float[] widths", slot + SLOT_WIDTHS, error);
}

static TacStatus print_bodies(Stage *s, FILE *stream, size_t t, TacError *error) {
    const TacTrackDef *def = &s->e->def->tracks[t];
    for (size_t i = 0; i < s->e->most[t]; i++) {
        double radius = def->radii.count ? def->radii.data[i] : def->radius;
        fprintf(stream, "\n        def Xform \"body_%zu\"\n        {\n", i);
        TAC_TRY(print_slot(s, stream, "double3 xformOp:translate", s->slot_begin[t] + 2 * i, error));
        TAC_TRY(print_slot(s, stream, "quatf xformOp:orient", s->slot_begin[t] + 2 * i + 1, error));
        fputs("        uniform token[] xformOpOrder = [\"xformOp:translate\", \"xformOp:orient\"]\n", stream);
        if (radius > 0) {
            fputs("\n            def Sphere \"ball\"\n            {\n                double radius = ",
                  stream);
            print_real(stream, radius);
            fputc('\n', stream);
            print_look(stream, def, "                ");
            fputs("            }\n", stream);
        }
        fputs("        }\n", stream);
    }
    return TAC_OK;
}

static void print_stage_head(const Stage *s, FILE *stream) {
    const TacRecordingDef *def = s->e->def;
    size_t last = s->e->frame_count - 1;
    double start = tac_recording_frame_time(s->e->recording, 0);
    double end = tac_recording_frame_time(s->e->recording, last);
    fputs("#usda 1.0\n(\n    defaultPrim = \"recording\"\n    doc = ", stream);
    print_text(stream, def->scene);
    fputs("\n    endTimeCode = ", stream);
    tac_print_real(stream, end * s->rate, 12);
    fputs("\n    framesPerSecond = ", stream);
    tac_print_real(stream, s->rate, 12);
    fputs("\n    metersPerUnit = 1\n    startTimeCode = ", stream);
    tac_print_real(stream, start * s->rate, 12);
    fputs("\n    timeCodesPerSecond = ", stream);
    tac_print_real(stream, s->rate, 12);
    // USD knows only these two
    fprintf(stream, "\n    upAxis = \"%s\"\n)\n\ndef Xform \"recording\"\n{\n",
            fabs(def->up.z) > fabs(def->up.y) ? "Z" : "Y");
}

static TacStatus print_track(Stage *s, FILE *stream, size_t t, TacError *error) {
    static const char *const types[] = {"", "Mesh", "BasisCurves", "Points", "Xform"};
    const TacTrackDef *def = &s->e->def->tracks[t];
    fprintf(stream, "\n    def %s \"%s\"\n    {\n", types[s->prims[t]], s->e->names[t]);
    fputs("        custom string tactus:track = ", stream);
    print_text(stream, def->name);
    fputc('\n', stream);
    if (!def->visible) fputs("        token visibility = \"invisible\"\n", stream);
    TAC_TRY(s->prims[t] == PRIM_BODIES ? print_bodies(s, stream, t, error)
                                       : print_shape(s, stream, t, error));
    fputs("    }\n", stream);
    return TAC_OK;
}

static TacStatus print_stage(Stage *s, FILE *stream, TacError *error) {
    size_t tracks = s->e->def->track_count;
    print_stage_head(s, stream);
    for (size_t t = 0; t < tracks; t++) {
        if (s->prims[t] != PRIM_NONE) TAC_TRY(print_track(s, stream, t, error));
        TAC_TRY(tac_export_progress(s->e, 0.9 + 0.1 * (double)(t + 1) / (double)tracks, error));
    }
    fputs("}\n", stream);
    return TAC_OK;
}

static TacStatus open_scratch(Stage *s, TacError *error) {
    int fd = -1;
    for (int i = 0; i < 100 && fd < 0; i++) {
        char *path = tac_arena_format(s->e->arena, "%s.%ld-%d.scratch", s->e->path, (long)getpid(), i);
        if (!path) return tac_fail_memory(error, 0);
        fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        if (fd < 0 && errno != EEXIST) break;
        if (fd >= 0) unlink(path);
    }
    if (fd >= 0) s->scratch = fdopen(fd, "w+b");
    if (s->scratch) return TAC_OK;
    TacStatus status =
        tac_fail_at(error, TAC_FAILED, s->e->path, 0, 0, "cannot be written: %s", strerror(errno));
    if (fd >= 0) close(fd);
    return status;
}

static TacStatus write_stage(Stage *s, TacError *error) {
    TAC_TRY(choose_prims(s, error));
    TAC_TRY(open_scratch(s, error));
    TAC_TRY(play(s, error));
    TacFileWriter writer;
    TAC_TRY(tac_file_writer_open(&writer, s->e->path, error));
    TacStatus status = print_stage(s, writer.stream, error);
    TacStatus finish = tac_file_writer_finish(&writer, status == TAC_OK, status == TAC_OK ? error : NULL);
    return status != TAC_OK ? status : finish;
}

TacStatus tac_export_usda(TacExport *e, TacError *error) {
    if (!e->frame_count)
        return tac_fail_at(error, TAC_BAD_INPUT, tac_recording_path(e->recording), 0, 0,
                           "has no frames; there is nothing to export");
    Stage s = {.e = e, .rate = e->def->fps > 0 ? e->def->fps : 24};
    TacStatus status = write_stage(&s, error);
    if (s.scratch) fclose(s.scratch);
    free(s.pieces);
    free(s.sequence);
    free(s.counts);
    return status;
}
