// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Reads recordings, trusting nothing in them.
//
// Opening reads the definition and learns where the frames are: by walking through all chunks and checking
// each (files up to CHECK_LIMIT, and files without an index), or from the index at the end. The walk stops at
// the first chunk that is cut off or damaged; what came before can be read, and `damage` says what happened.
// Reading a frame checks its checksum again, so a file that changes meanwhile cannot surprise us. The file is
// read with pread, never mapped: a mapped file that another program cuts short would kill this one.

#define _GNU_SOURCE
#include "base/memory.h"
#include "base/text.h"
#include "record/chunk.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

enum { WINDOW_BYTES = 1 << 18 };
#define CHECK_LIMIT ((uint64_t)512 << 20) // under a second at the speed of crc32
#define HEAD_LIMIT  ((uint64_t)1 << 32)
#define NO_ENTRY    SIZE_MAX

// The mesh of a track that holds at the frame read last.
typedef struct TrackState {
    TacTrackMesh mesh;
    size_t entry; // in `meshes`; NO_ENTRY: none, the mesh is empty
    size_t top;   // points that it needs
    int32_t *indices;
    size_t capacity;
} TrackState;

struct TacRecording {
    TacArena arena;
    char *path;
    int fd;
    uint64_t size; // of the file, when opened
    TacRecordingDef def;
    TacTrackDef *tracks;
    char damage[256];

    TacFrameEntry *frames;
    size_t frame_count, frame_capacity;
    TacMeshEntry *meshes; // once open: sorted by track, then by place in the file
    size_t mesh_count, mesh_capacity;
    size_t *mesh_begin; // per track, and one more: its part of `meshes`

    TrackState *states;
    TacFrame frame;
    TacFrameTrack *frame_tracks;
    double *channels;
    size_t current; // the frame read last; NO_ENTRY: none

    TacPacker packer;
    TacBytes chunk, packed;
    double *numbers;
    size_t number_capacity;

    // a piece of the file, so that small chunks do not cost a system call each
    unsigned char *window;
    uint64_t window_offset;
    size_t window_count;
};

// Reads exactly `bytes` bytes; TAC_BAD_INPUT when the file has fewer or fails.
static TacStatus read_direct(const TacRecording *recording, uint64_t offset, void *data, size_t bytes,
                             TacError *error) {
    size_t done = 0;
    while (done < bytes) {
        ssize_t n = pread(recording->fd, (char *)data + done, bytes - done, (off_t)(offset + done));
        if (n < 0 && errno == EINTR) continue;
        if (n < 0)
            return tac_fail_at(error, TAC_BAD_INPUT, recording->path, 0, 0, "cannot be read: %s",
                               strerror(errno));
        if (n == 0)
            return tac_fail_at(error, TAC_BAD_INPUT, recording->path, 0, 0,
                               "became shorter while it was read");
        done += (size_t)n;
    }
    return TAC_OK;
}

// The same through the window, for short pieces in ascending order.
static TacStatus read_near(TacRecording *recording, uint64_t offset, void *data, size_t bytes,
                           TacError *error) {
    bool inside = offset >= recording->window_offset &&
                  offset + bytes <= recording->window_offset + recording->window_count;
    if (!inside) {
        if (bytes > WINDOW_BYTES / 4) return read_direct(recording, offset, data, bytes, error);
        uint64_t left = offset < recording->size ? recording->size - offset : 0;
        size_t count = left < WINDOW_BYTES ? (size_t)left : WINDOW_BYTES;
        if (count < bytes)
            return tac_fail_at(error, TAC_BAD_INPUT, recording->path, 0, 0, "is shorter than it says");
        recording->window_count = 0;
        TAC_TRY(read_direct(recording, offset, recording->window, count, error));
        recording->window_offset = offset;
        recording->window_count = count;
    }
    memcpy(data, recording->window + (offset - recording->window_offset), bytes);
    return TAC_OK;
}

static TacStatus bad_header(const TacRecording *recording, TacError *error, const char *what) {
    return tac_fail_at(error, TAC_BAD_INPUT, recording->path, 0, 0, "is not a usable recording: %s", what);
}

// A text of the header; NULL and a bad cursor when it is cut off or holds a 0 byte.
static TacStatus get_text(TacRecording *recording, TacCursor *cursor, const char **text, TacError *error) {
    uint32_t length = tac_get_u32(cursor);
    const unsigned char *letters = tac_get_bytes(cursor, length);
    if (!letters || memchr(letters, 0, length)) return bad_header(recording, error, "a name is damaged");
    *text = tac_arena_text_n(&recording->arena, (const char *)letters, length);
    return *text ? TAC_OK : tac_fail_memory(error, length);
}

static TacVec3 get_vec3(TacCursor *cursor) {
    TacVec3 a;
    a.x = tac_get_f64(cursor);
    a.y = tac_get_f64(cursor);
    a.z = tac_get_f64(cursor);
    return a;
}

static TacStatus get_track(TacRecording *recording, TacCursor *cursor, TacTrackDef *track, TacError *error) {
    TAC_TRY(get_text(recording, cursor, &track->name, error));
    uint32_t kind = tac_get_u32(cursor);
    if (kind >= TAC_MATTER_KINDS) return bad_header(recording, error, "a track is of an unknown kind");
    track->kind = (TacMatterKind)kind;
    track->visible = tac_get_u32(cursor) & 1;
    uint64_t points = tac_get_u64(cursor);
    if (points > TAC_POINT_LIMIT) return bad_header(recording, error, "a track has too many points");
    track->point_count = (size_t)points;
    track->radius = tac_get_f64(cursor);
    for (int i = 0; i < 3; i++) track->color[i] = tac_get_f64(cursor);
    track->opacity = tac_get_f64(cursor);

    uint64_t count = tac_get_u64(cursor);
    if (count > tac_cursor_left(cursor) / 8)
        return bad_header(recording, error, "a list of radii is cut off");
    double *radii = tac_arena_array(&recording->arena, (size_t)count, sizeof *radii);
    if (!radii) return tac_fail_memory(error, (size_t)count * sizeof *radii);
    const unsigned char *data = tac_get_bytes(cursor, 8 * count);
    if (data && count) memcpy(radii, data, 8 * (size_t)count);
    track->radii = (TacReals){count ? radii : NULL, (size_t)count};
    return TAC_OK;
}

// Fewest bytes that a track and a channel take in the header: what a file can announce is bounded by its
// size.
enum { SMALLEST_TRACK = 68, SMALLEST_CHANNEL = 8 };

static TacStatus parse_header(TacRecording *recording, TacCursor *cursor, TacError *error) {
    TacRecordingDef *def = &recording->def;
    uint32_t flags = tac_get_u32(cursor);
    def->velocities = flags & 1;
    def->single_precision = flags & 2;
    def->ground.visible = flags & 4;
    def->beat = tac_get_f64(cursor);
    def->fps = tac_get_f64(cursor);
    def->up = get_vec3(cursor);
    def->ground.normal = get_vec3(cursor);
    def->ground.offset = tac_get_f64(cursor);
    def->camera.eye = get_vec3(cursor);
    def->camera.target = get_vec3(cursor);
    def->camera.field_of_view = tac_get_f64(cursor);
    TAC_TRY(get_text(recording, cursor, &def->scene, error));
    uint32_t tracks = tac_get_u32(cursor), channels = tac_get_u32(cursor);
    if (tracks > tac_cursor_left(cursor) / SMALLEST_TRACK ||
        channels > tac_cursor_left(cursor) / SMALLEST_CHANNEL)
        return bad_header(recording, error, "it announces more tracks or channels than it holds");

    recording->tracks = tac_arena_array(&recording->arena, tracks, sizeof *recording->tracks);
    TacChannelDef *channel_defs = tac_arena_array(&recording->arena, channels, sizeof *channel_defs);
    if (!recording->tracks || !channel_defs) return tac_fail_memory(error, 0);
    for (uint32_t i = 0; i < tracks; i++) TAC_TRY(get_track(recording, cursor, &recording->tracks[i], error));
    for (uint32_t i = 0; i < channels; i++) {
        TAC_TRY(get_text(recording, cursor, &channel_defs[i].name, error));
        TAC_TRY(get_text(recording, cursor, &channel_defs[i].unit, error));
    }
    if (cursor->bad || tac_cursor_left(cursor)) return bad_header(recording, error, "its header is damaged");
    def->tracks = recording->tracks;
    def->track_count = tracks;
    def->channels = channel_defs;
    def->channel_count = channels;
    TacStatus status = tac_recording_def_check(def, TAC_BAD_INPUT, error);
    if (status == TAC_BAD_INPUT && error) snprintf(error->file, sizeof error->file, "%s", recording->path);
    return status;
}

static TacStatus read_chunk(TacRecording *recording, uint64_t offset, uint64_t bytes, TacError *error) {
    recording->chunk.count = 0;
    if (!tac_bytes_reserve(&recording->chunk, (size_t)bytes)) return tac_fail_memory(error, (size_t)bytes);
    TAC_TRY(read_near(recording, offset, recording->chunk.data, (size_t)bytes, error));
    recording->chunk.count = (size_t)bytes;
    return TAC_OK;
}

// Magic and definition. *end: where the next chunk begins.
static TacStatus read_header(TacRecording *recording, uint64_t *end, TacError *error) {
    unsigned char start[TAC_CHUNK_MAGIC_SIZE + TAC_CHUNK_HEADER];
    size_t got = recording->size < sizeof start ? (size_t)recording->size : sizeof start;
    TAC_TRY(read_near(recording, 0, start, got, error));
    if (got < TAC_CHUNK_MAGIC_SIZE || memcmp(start, TAC_CHUNK_MAGIC, TAC_CHUNK_MAGIC_SIZE) != 0)
        return tac_fail_at(error, TAC_BAD_INPUT, recording->path, 0, 0,
                           "is not a recording (it does not begin with TACREC1)");
    if (got < sizeof start) return bad_header(recording, error, "it is cut off within its header");

    TacChunk chunk = tac_chunk_parse(start + TAC_CHUNK_MAGIC_SIZE);
    if (!tac_chunk_is(&chunk, "HEAD")) return bad_header(recording, error, "its header is damaged");
    if (chunk.bytes > recording->size - sizeof start || chunk.bytes > HEAD_LIMIT)
        return bad_header(recording, error, "it is cut off within its header, or the header is damaged");
    TAC_TRY(read_chunk(recording, TAC_CHUNK_MAGIC_SIZE, TAC_CHUNK_HEADER + chunk.bytes, error));
    const unsigned char *data = recording->chunk.data;
    if (!tac_chunk_whole(data, recording->chunk.count))
        return bad_header(recording, error, "its header is damaged (wrong checksum)");
    if (chunk.version != TAC_CHUNK_VERSION)
        return tac_fail_at(error, TAC_BAD_INPUT, recording->path, 0, 0,
                           "was written in version %lu of the format; this program reads version %lu",
                           (unsigned long)chunk.version, (unsigned long)TAC_CHUNK_VERSION);
    TacCursor cursor = {data + TAC_CHUNK_HEADER, data + recording->chunk.count, false};
    *end = sizeof start + chunk.bytes;
    return parse_header(recording, &cursor, error);
}

static TacStatus add_frame(TacRecording *recording, TacFrameEntry entry, TacError *error) {
    if (!tac_grow(&recording->frames, &recording->frame_capacity, recording->frame_count + 1, sizeof entry))
        return tac_fail_memory(error, (recording->frame_count + 1) * sizeof entry);
    recording->frames[recording->frame_count++] = entry;
    return TAC_OK;
}

static TacStatus add_mesh(TacRecording *recording, TacMeshEntry entry, TacError *error) {
    if (!tac_grow(&recording->meshes, &recording->mesh_capacity, recording->mesh_count + 1, sizeof entry))
        return tac_fail_memory(error, (recording->mesh_count + 1) * sizeof entry);
    recording->meshes[recording->mesh_count++] = entry;
    return TAC_OK;
}

static uint64_t frame_fixed_bytes(const TacRecordingDef *def) {
    return 24 + 16 * (uint64_t)def->track_count + 8 * (uint64_t)def->channel_count;
}

enum { MESH_FIXED_BYTES = 40 };

static bool time_ascends(const TacRecording *recording, double time) {
    return isfinite(time) &&
           (!recording->frame_count || time > recording->frames[recording->frame_count - 1].time);
}

// One sound chunk of the walk. *sound becomes false when its content contradicts what came before.
static TacStatus take_chunk(TacRecording *recording, const TacChunk *chunk, uint64_t offset,
                            const unsigned char *first, size_t first_bytes, bool *sound, TacError *error) {
    TacCursor cursor = {first, first + first_bytes, false};
    uint64_t bytes = TAC_CHUNK_HEADER + chunk->bytes;
    if (tac_chunk_is(chunk, "FRAM")) {
        uint64_t number = tac_get_u64(&cursor);
        double time = tac_get_f64(&cursor);
        *sound = chunk->version == TAC_CHUNK_VERSION && chunk->bytes >= frame_fixed_bytes(&recording->def) &&
                 number == recording->frame_count && time_ascends(recording, time);
        return *sound ? add_frame(recording, (TacFrameEntry){offset, bytes, time}, error) : TAC_OK;
    }
    if (tac_chunk_is(chunk, "MESH")) {
        TacMeshEntry entry = {.offset = offset, .bytes = bytes};
        entry.frame = tac_get_u64(&cursor);
        entry.track = tac_get_u32(&cursor);
        entry.starts = tac_get_u32(&cursor) & 1;
        *sound = chunk->version == TAC_CHUNK_VERSION && chunk->bytes >= MESH_FIXED_BYTES &&
                 entry.frame == recording->frame_count && entry.track < recording->def.track_count &&
                 (!entry.starts || entry.frame == 0);
        return *sound ? add_mesh(recording, entry, error) : TAC_OK;
    }
    // a second header would change the rules midway; chunks of types unknown today are skipped
    *sound = !tac_chunk_is(chunk, "HEAD");
    return TAC_OK;
}

// The checksum of a payload, read in pieces; keeps its first bytes.
static TacStatus sum_payload(TacRecording *recording, uint64_t offset, uint64_t bytes, uint32_t *crc,
                             unsigned char first[16], TacError *error) {
    unsigned char piece[4096];
    for (uint64_t done = 0; done < bytes;) {
        size_t count = bytes - done < sizeof piece ? (size_t)(bytes - done) : sizeof piece;
        TAC_TRY(read_near(recording, offset + done, piece, count, error));
        if (done == 0) memcpy(first, piece, count < 16 ? count : 16);
        *crc = (uint32_t)crc32_z(*crc, piece, count);
        done += count;
    }
    return TAC_OK;
}

static void set_damage(TacRecording *recording, const char *what) {
    if (!recording->damage[0]) snprintf(recording->damage, sizeof recording->damage, "%s", what);
}

// Walks through the chunks from `offset` on and checks each.
static TacStatus walk(TacRecording *recording, uint64_t offset, TacError *error) {
    bool closed = false, sound = true;
    const char *what = "not closed; it ends";
    while (offset < recording->size) {
        unsigned char header[TAC_CHUNK_HEADER], first[16] = {0};
        uint64_t left = recording->size - offset;
        closed = false;
        what = "cut off";
        if (left < sizeof header) break;
        TAC_TRY(read_near(recording, offset, header, sizeof header, error));
        TacChunk chunk = tac_chunk_parse(header);
        if (chunk.bytes > left - sizeof header) break;
        what = "damaged";
        uint32_t crc = tac_chunk_crc(header);
        TAC_TRY(sum_payload(recording, offset + sizeof header, chunk.bytes, &crc, first, error));
        if (crc != chunk.crc) break;
        TAC_TRY(take_chunk(recording, &chunk, offset, first, chunk.bytes < 16 ? (size_t)chunk.bytes : 16,
                           &sound, error));
        if (!sound) break;
        closed = tac_chunk_is(&chunk, "INDX");
        what = "not closed; it ends";
        offset += sizeof header + chunk.bytes;
    }
    if (!closed)
        snprintf(recording->damage, sizeof recording->damage, "%s after %zu frame%s", what,
                 recording->frame_count, recording->frame_count == 1 ? "" : "s");
    return TAC_OK;
}

// Takes the entries of an index whose checksum is right. False: they contradict each other or the file.
static TacStatus take_index(TacRecording *recording, TacCursor *cursor, uint64_t begin, uint64_t end,
                            bool *good, TacError *error) {
    *good = false;
    uint64_t frames = tac_get_u64(cursor), meshes = tac_get_u64(cursor), left = tac_cursor_left(cursor);
    if (frames > left / 24 || meshes > left / 32 || 24 * frames + 32 * meshes + 16 != left) return TAC_OK;
    uint64_t smallest = TAC_CHUNK_HEADER + frame_fixed_bytes(&recording->def), last = begin;
    for (uint64_t i = 0; i < frames; i++) {
        TacFrameEntry entry;
        entry.offset = tac_get_u64(cursor);
        entry.bytes = tac_get_u64(cursor);
        entry.time = tac_get_f64(cursor);
        if (entry.offset < last || entry.offset > end || entry.bytes > end - entry.offset ||
            entry.bytes < smallest || !time_ascends(recording, entry.time))
            return TAC_OK;
        last = entry.offset + entry.bytes;
        TAC_TRY(add_frame(recording, entry, error));
    }
    last = begin;
    for (uint64_t i = 0; i < meshes; i++) {
        TacMeshEntry entry;
        entry.offset = tac_get_u64(cursor);
        entry.bytes = tac_get_u64(cursor);
        entry.frame = tac_get_u64(cursor);
        entry.track = tac_get_u32(cursor);
        entry.starts = tac_get_u32(cursor) & 1;
        if (entry.offset < last || entry.offset > end || entry.bytes > end - entry.offset ||
            entry.bytes < TAC_CHUNK_HEADER + MESH_FIXED_BYTES || entry.track >= recording->def.track_count ||
            (entry.starts && entry.frame))
            return TAC_OK;
        last = entry.offset + entry.bytes;
        TAC_TRY(add_mesh(recording, entry, error));
    }
    *good = true;
    return TAC_OK;
}

// Learns of all frames from the index at the end. *good is false when there is none that is sound.
static TacStatus read_index(TacRecording *recording, uint64_t begin, bool *good, TacError *error) {
    unsigned char tail[16];
    *good = false;
    if (recording->size < begin + TAC_CHUNK_HEADER + 32) return TAC_OK;
    TAC_TRY(read_near(recording, recording->size - sizeof tail, tail, sizeof tail, error));
    uint64_t offset;
    memcpy(&offset, tail, 8);
    if (memcmp(tail + 8, TAC_CHUNK_END_MAGIC, 8) != 0 || offset < begin ||
        offset > recording->size - TAC_CHUNK_HEADER - 32)
        return TAC_OK;
    TAC_TRY(read_chunk(recording, offset, recording->size - offset, error));
    const unsigned char *data = recording->chunk.data;
    TacChunk chunk = tac_chunk_parse(data);
    if (!tac_chunk_is(&chunk, "INDX") || chunk.version != TAC_CHUNK_VERSION ||
        !tac_chunk_whole(data, recording->chunk.count))
        return TAC_OK;
    TacCursor cursor = {data + TAC_CHUNK_HEADER, data + recording->chunk.count, false};
    TAC_TRY(take_index(recording, &cursor, begin, offset, good, error));
    if (!*good) recording->frame_count = recording->mesh_count = 0;
    return TAC_OK;
}

// Sorts meshes by track, keeping their order (a counting sort).
static TacStatus sort_meshes(TacRecording *recording, TacError *error) {
    size_t tracks = recording->def.track_count, count = recording->mesh_count;
    size_t *begin = tac_arena_array(&recording->arena, tracks + 2, sizeof *begin);
    TacMeshEntry *sorted = calloc(count + 1, sizeof *sorted);
    if (!begin || !sorted) {
        free(sorted);
        return tac_fail_memory(error, count * sizeof *sorted);
    }
    for (size_t i = 0; i < count; i++) begin[recording->meshes[i].track + 2]++;
    for (size_t i = 2; i < tracks + 2; i++) begin[i] += begin[i - 1];
    for (size_t i = 0; i < count; i++) sorted[begin[recording->meshes[i].track + 1]++] = recording->meshes[i];
    free(recording->meshes);
    recording->meshes = sorted;
    recording->mesh_begin = begin;
    return TAC_OK;
}

// The entry that holds at a frame: the last one of the track that begins there or earlier.
static size_t find_mesh(const TacRecording *recording, size_t track, uint64_t frame) {
    size_t low = recording->mesh_begin[track], high = recording->mesh_begin[track + 1];
    size_t first = low;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (recording->meshes[middle].frame <= frame)
            low = middle + 1;
        else
            high = middle;
    }
    return low > first ? low - 1 : NO_ENTRY;
}

static TacStatus bad_chunk(TacRecording *recording, TacError *error, const char *what, uint64_t frame,
                           const char *why) {
    char text[160];
    snprintf(text, sizeof text, "damaged: the %s of frame %llu %s", what, (unsigned long long)frame, why);
    set_damage(recording, text);
    return tac_fail_at(error, TAC_BAD_INPUT, recording->path, 0, 0, "is %s", text);
}

// Reads a MESH chunk into a track's state.
static TacStatus load_mesh(TacRecording *recording, size_t track, size_t which, TacError *error) {
    TrackState *state = &recording->states[track];
    TacMeshEntry entry = recording->meshes[which];
    state->entry = NO_ENTRY;
    state->mesh = (TacTrackMesh){0};
    state->top = 0;
    TAC_TRY(read_chunk(recording, entry.offset, entry.bytes, error));
    const unsigned char *data = recording->chunk.data;
    TacChunk chunk = tac_chunk_parse(data);
    TacCursor cursor = {data + TAC_CHUNK_HEADER, data + recording->chunk.count, false};
    if (!tac_chunk_is(&chunk, "MESH") || !tac_chunk_whole(data, recording->chunk.count) ||
        tac_get_u64(&cursor) != entry.frame || tac_get_u32(&cursor) != track ||
        (tac_get_u32(&cursor) & 1) != entry.starts)
        return bad_chunk(recording, error, "mesh", entry.frame, "has a wrong checksum");

    uint64_t counts[3], total = 0;
    for (int i = 0; i < 3; i++) {
        counts[i] = tac_get_u64(&cursor);
        if (counts[i] > TAC_FRAME_LIMIT)
            return bad_chunk(recording, error, "mesh", entry.frame, "is too large");
        total += counts[i];
    }
    size_t left = tac_cursor_left(&cursor);
    if (!tac_packed_can_hold(left, total, 4))
        return bad_chunk(recording, error, "mesh", entry.frame, "announces more than it holds");
    if (!tac_grow(&state->indices, &state->capacity, (size_t)total, sizeof *state->indices))
        return tac_fail_memory(error, (size_t)total * sizeof *state->indices);
    TacStatus status =
        tac_unpack(&recording->packer, state->indices, (size_t)total, 4, cursor.at, left, error);
    if (status == TAC_BAD_INPUT)
        return bad_chunk(recording, error, "mesh", entry.frame, "cannot be unpacked");
    if (status != TAC_OK) return status;

    const int32_t *at = state->indices;
    TacInts *lists[] = {&state->mesh.triangles, &state->mesh.edges, &state->mesh.tetrahedra};
    for (int i = 0; i < 3; i++) {
        *lists[i] = (TacInts){counts[i] ? at : NULL, (size_t)counts[i]};
        if (counts[i]) at += counts[i];
    }
    if (tac_track_mesh_check(&state->mesh, "", &state->top, TAC_BAD_INPUT, NULL) != TAC_OK ||
        state->top > recording->tracks[track].point_count)
        return bad_chunk(recording, error, "mesh", entry.frame, "has impossible indices");
    state->entry = which;
    return TAC_OK;
}

static TacInts copy_ints(TacArena *arena, TacInts list, bool *failed) {
    int32_t *copy = tac_arena_array(arena, list.count, sizeof *copy);
    if (!copy) {
        *failed = true;
        return (TacInts){0};
    }
    if (list.count) memcpy(copy, list.data, list.count * sizeof *copy);
    return (TacInts){list.count ? copy : NULL, list.count};
}

// The meshes of the definition are kept for good; they also are the ones in force until a frame is read.
static TacStatus load_start_meshes(TacRecording *recording, TacError *error) {
    for (size_t i = 0; i < recording->def.track_count; i++) {
        recording->states[i].entry = NO_ENTRY;
        size_t at = recording->mesh_begin[i], end = recording->mesh_begin[i + 1];
        if (at == end || !recording->meshes[at].starts) continue;
        while (at + 1 < end && recording->meshes[at + 1].starts) at++;
        TAC_TRY(load_mesh(recording, i, at, error));
        const TacTrackMesh *mesh = &recording->states[i].mesh;
        bool failed = false;
        recording->tracks[i].mesh.triangles = copy_ints(&recording->arena, mesh->triangles, &failed);
        recording->tracks[i].mesh.edges = copy_ints(&recording->arena, mesh->edges, &failed);
        recording->tracks[i].mesh.tetrahedra = copy_ints(&recording->arena, mesh->tetrahedra, &failed);
        if (failed) return tac_fail_memory(error, 0);
    }
    return TAC_OK;
}

static TacStatus open_file(TacRecording *recording, const char *path, TacError *error) {
    recording->path = tac_arena_text(&recording->arena, path);
    recording->window = tac_arena_alloc(&recording->arena, WINDOW_BYTES);
    if (!recording->path || !recording->window) return tac_fail_memory(error, WINDOW_BYTES);
    // non-blocking, so that a pipe named as a file cannot hang us before it is refused
    recording->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat info;
    if (recording->fd < 0 || fstat(recording->fd, &info) != 0) return tac_fail_to_open(path, errno, error);
    if (!S_ISREG(info.st_mode))
        return tac_fail_at(error, TAC_BAD_INPUT, path, 0, 0,
                           "is not a regular file; a recording was expected");
    recording->size = (uint64_t)info.st_size;
    return TAC_OK;
}

static TacStatus begin(TacRecording *recording, const char *path, uint64_t check_limit, TacError *error) {
    uint64_t end = 0;
    bool indexed = false;
    TAC_TRY(open_file(recording, path, error));
    TAC_TRY(read_header(recording, &end, error));
    if (recording->size > check_limit) TAC_TRY(read_index(recording, end, &indexed, error));
    if (!indexed) TAC_TRY(walk(recording, end, error));
    TAC_TRY(sort_meshes(recording, error));

    size_t tracks = recording->def.track_count;
    recording->states = tac_arena_array(&recording->arena, tracks, sizeof *recording->states);
    recording->frame_tracks = tac_arena_array(&recording->arena, tracks, sizeof *recording->frame_tracks);
    recording->channels = tac_arena_array(&recording->arena, recording->def.channel_count, sizeof(double));
    if (!recording->states || !recording->frame_tracks || !recording->channels)
        return tac_fail_memory(error, 0);
    recording->current = NO_ENTRY;
    return load_start_meshes(recording, error);
}

TacStatus tac_recording_open_limit(TacRecording **recording, const char *path, uint64_t check_limit,
                                   TacError *error) {
    *recording = NULL;
    TacRecording *made = calloc(1, sizeof *made);
    if (!made) return tac_fail_memory(error, sizeof *made);
    made->fd = -1;
    TacStatus status = begin(made, path, check_limit, error);
    if (status != TAC_OK) {
        tac_recording_close(made);
        return status;
    }
    *recording = made;
    return TAC_OK;
}

TacStatus tac_recording_open(TacRecording **recording, const char *path, TacError *error) {
    return tac_recording_open_limit(recording, path, CHECK_LIMIT, error);
}

void tac_recording_close(TacRecording *recording) {
    if (!recording) return;
    if (recording->fd >= 0) close(recording->fd);
    for (size_t i = 0; recording->states && i < recording->def.track_count; i++)
        free(recording->states[i].indices);
    free(recording->frames);
    free(recording->meshes);
    free(recording->numbers);
    tac_bytes_destroy(&recording->chunk);
    tac_bytes_destroy(&recording->packed);
    tac_packer_destroy(&recording->packer);
    tac_arena_destroy(&recording->arena);
    free(recording);
}

const TacRecordingDef *tac_recording_def(const TacRecording *recording) {
    return &recording->def;
}

const char *tac_recording_path(const TacRecording *recording) {
    return recording->path;
}

size_t tac_recording_frame_count(const TacRecording *recording) {
    return recording->frame_count;
}

double tac_recording_frame_time(const TacRecording *recording, size_t frame) {
    return frame < recording->frame_count ? recording->frames[frame].time : NAN;
}

const TacTrackMesh *tac_recording_mesh(const TacRecording *recording, size_t track) {
    return track < recording->def.track_count ? &recording->states[track].mesh : NULL;
}

const char *tac_recording_damage(const TacRecording *recording) {
    return recording->damage[0] ? recording->damage : NULL;
}

// The fixed part of a frame: times, counts, channels. *total: numbers that follow.
static bool parse_frame(TacRecording *recording, size_t number, TacCursor *cursor, uint64_t *total) {
    const TacRecordingDef *def = &recording->def;
    size_t width = def->single_precision ? 4 : 8;
    if (tac_get_u64(cursor) != number || tac_get_f64(cursor) != recording->frames[number].time) return false;
    uint64_t announced = tac_get_u64(cursor);
    *total = 0;
    for (size_t i = 0; i < def->track_count; i++) {
        TacFrameTrack *track = &recording->frame_tracks[i];
        track->time = tac_get_f64(cursor);
        uint64_t count = tac_get_u64(cursor);
        if (!isfinite(track->time) || count > def->tracks[i].point_count) return false;
        track->count = (size_t)count;
        *total += count * tac_track_width(def, i);
        if (*total > TAC_FRAME_LIMIT / width) return false;
    }
    const unsigned char *channels = tac_get_bytes(cursor, 8 * (uint64_t)def->channel_count);
    if (!channels || *total * width != announced) return false;
    if (def->channel_count) memcpy(recording->channels, channels, 8 * def->channel_count);
    return tac_packed_can_hold(tac_cursor_left(cursor), *total, width);
}

static TacStatus unpack_numbers(TacRecording *recording, const TacCursor *cursor, size_t total,
                                TacError *error) {
    size_t width = recording->def.single_precision ? 4 : 8;
    recording->packed.count = 0;
    if (!tac_grow(&recording->numbers, &recording->number_capacity, total, sizeof(double)) ||
        !tac_bytes_reserve(&recording->packed, total * width))
        return tac_fail_memory(error, total * (8 + width));
    return tac_unpack(&recording->packer, recording->packed.data, total, width, cursor->at,
                      tac_cursor_left(cursor), error);
}

// Component by component in the file, point by point here.
static void take_numbers(double *numbers, const unsigned char **at, size_t count, size_t size, bool single) {
    const unsigned char *from = *at;
    for (size_t c = 0; c < size; c++)
        for (size_t i = 0; i < count; i++) {
            float narrow;
            if (single) {
                memcpy(&narrow, from, 4);
                numbers[i * size + c] = (double)narrow;
                from += 4;
            } else {
                memcpy(&numbers[i * size + c], from, 8);
                from += 8;
            }
        }
    *at = from;
}

// Gives the tracks of the frame their numbers.
static void lay_out(TacRecording *recording) {
    const TacRecordingDef *def = &recording->def;
    const unsigned char *from = recording->packed.data;
    double *at = recording->numbers;
    for (size_t i = 0; i < def->track_count; i++) {
        TacFrameTrack *track = &recording->frame_tracks[i];
        TacMatterKind kind = def->tracks[i].kind;
        size_t position = (size_t)tac_position_size(kind), velocity = (size_t)tac_velocity_size(kind);
        track->positions = at;
        track->velocities = def->velocities ? at : NULL;
        if (!track->count) continue;
        take_numbers(at, &from, track->count, position, def->single_precision);
        at += track->count * position;
        if (!def->velocities) continue;
        track->velocities = at;
        take_numbers(at, &from, track->count, velocity, def->single_precision);
        at += track->count * velocity;
    }
}

static TacStatus load_frame(TacRecording *recording, size_t number, TacError *error) {
    TacFrameEntry entry = recording->frames[number];
    TAC_TRY(read_chunk(recording, entry.offset, entry.bytes, error));
    const unsigned char *data = recording->chunk.data;
    TacChunk chunk = tac_chunk_parse(data);
    if (!tac_chunk_is(&chunk, "FRAM") || !tac_chunk_whole(data, recording->chunk.count))
        return bad_chunk(recording, error, "data", number, "have a wrong checksum");
    TacCursor cursor = {data + TAC_CHUNK_HEADER, data + recording->chunk.count, false};
    uint64_t total = 0;
    if (!parse_frame(recording, number, &cursor, &total))
        return bad_chunk(recording, error, "data", number, "contradict themselves");
    TacStatus status = unpack_numbers(recording, &cursor, (size_t)total, error);
    if (status == TAC_BAD_INPUT) return bad_chunk(recording, error, "data", number, "cannot be unpacked");
    if (status == TAC_OK) lay_out(recording);
    return status;
}

// Brings every track's mesh to the one that holds at the frame. Must come after the frame's counts are known.
static TacStatus load_meshes(TacRecording *recording, size_t number, TacError *error) {
    for (size_t i = 0; i < recording->def.track_count; i++) {
        TrackState *state = &recording->states[i];
        size_t which = find_mesh(recording, i, number);
        if (which == NO_ENTRY) {
            state->entry = NO_ENTRY;
            state->mesh = (TacTrackMesh){0};
            state->top = 0;
        } else if (which != state->entry) {
            TAC_TRY(load_mesh(recording, i, which, error));
        }
        // whoever draws follows the indices blindly
        if (state->top > recording->frame_tracks[i].count)
            return bad_chunk(recording, error, "mesh", number,
                             "refers to points that the frame does not have");
        bool begins =
            which != NO_ENTRY && !recording->meshes[which].starts && recording->meshes[which].frame == number;
        recording->frame_tracks[i].mesh = begins ? &state->mesh : NULL;
    }
    return TAC_OK;
}

TacStatus tac_recording_frame(TacRecording *recording, size_t frame, const TacFrame **result,
                              TacError *error) {
    *result = NULL;
    if (frame >= recording->frame_count)
        return tac_fail_at(error, TAC_BAD_USAGE, recording->path, 0, 0, "has no frame %zu; it has %zu", frame,
                           recording->frame_count);
    if (frame != recording->current) {
        recording->current = NO_ENTRY;
        TAC_TRY(load_frame(recording, frame, error));
        TAC_TRY(load_meshes(recording, frame, error));
        recording->current = frame;
    }
    recording->frame =
        (TacFrame){recording->frames[frame].time, recording->frame_tracks, recording->channels};
    *result = &recording->frame;
    return TAC_OK;
}

TacStatus tac_recording_most_points(TacRecording *recording, size_t *most, size_t *where, TacError *error) {
    size_t tracks = recording->def.track_count, fixed = 24 + 16 * tracks;
    for (size_t i = 0; i < tracks; i++) most[i] = where[i] = 0;
    unsigned char *heads = malloc(fixed);
    if (!heads) return tac_fail_memory(error, fixed);
    TacStatus status = TAC_OK;
    for (size_t f = 0; f < recording->frame_count && status == TAC_OK; f++) {
        status = read_near(recording, recording->frames[f].offset + TAC_CHUNK_HEADER, heads, fixed, error);
        TacCursor cursor = {heads + 24, heads + fixed, status != TAC_OK};
        for (size_t i = 0; i < tracks; i++) {
            tac_get_u64(&cursor);
            uint64_t count = tac_get_u64(&cursor);
            if (count > recording->tracks[i].point_count || count <= most[i]) continue;
            most[i] = (size_t)count;
            where[i] = f;
        }
    }
    free(heads);
    return status;
}
