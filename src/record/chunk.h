// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// The container of a recording: checksummed chunks, little-endian fields, packed arrays of numbers.
//
// A file is 8 magic bytes and then chunks, one after the other, never changed once written. A chunk is
//
//     type (4 letters) | version (uint32) | payload bytes (uint64) | crc32 (uint32) | payload
//
// where the crc32 (zlib's) covers the first 16 bytes and the payload. Arrays of numbers are *packed*: their
// bytes are sorted by significance (all lowest bytes first; the high bytes of neighbours are alike, so they
// compress) and deflated at level 1 without a zlib header. docs/recording-format.md describes every byte.
//
// Internal to src/record. Nothing here knows what a chunk means.

#ifndef TACTUS_RECORD_CHUNK_H
#define TACTUS_RECORD_CHUNK_H

#include "tactus/base.h"
#include "tactus/record.h"

#include <zlib.h>

#define TAC_CHUNK_MAGIC      "TACREC1\n"
#define TAC_CHUNK_END_MAGIC  "TACEND1\n"
#define TAC_CHUNK_MAGIC_SIZE ((size_t)8)
#define TAC_CHUNK_HEADER     ((size_t)20)
#define TAC_CHUNK_VERSION    1u

// The most that one frame, unpacked, may take; a limit against hostile files and against mistakes.
#define TAC_FRAME_LIMIT ((uint64_t)1 << 36)
#define TAC_POINT_LIMIT ((uint64_t)INT32_MAX)

// Bytes that grow. A zeroed struct is valid and empty.
typedef struct TacBytes {
    unsigned char *data;
    size_t count, capacity;
} TacBytes;

// Room for `more` bytes behind the ones there are; false when there is no memory. What is not written yet takes none.
bool tac_bytes_reserve(TacBytes *bytes, size_t more);
void tac_bytes_destroy(TacBytes *bytes);

// These append; room must have been reserved.
void tac_put_bytes(TacBytes *bytes, const void *data, size_t count);
void tac_put_u32(TacBytes *bytes, uint32_t value);
void tac_put_u64(TacBytes *bytes, uint64_t value);
void tac_put_f64(TacBytes *bytes, double value);
void tac_put_text(TacBytes *bytes, const char *text); // length (uint32), then the letters

// Reads fields one after the other. Reading past the end gives zeros and sets `bad`, for good.
typedef struct TacCursor {
    const unsigned char *at, *end;
    bool bad;
} TacCursor;

size_t tac_cursor_left(const TacCursor *cursor);
const unsigned char *tac_get_bytes(TacCursor *cursor, uint64_t count); // NULL past the end
uint32_t tac_get_u32(TacCursor *cursor);
uint64_t tac_get_u64(TacCursor *cursor);
double tac_get_f64(TacCursor *cursor);

// What stands before a payload.
typedef struct TacChunk {
    char type[4];
    uint32_t version;
    uint64_t bytes; // of the payload
    uint32_t crc;
} TacChunk;

bool tac_chunk_is(const TacChunk *chunk, const char *type);
TacChunk tac_chunk_parse(const unsigned char header[20]);
// The checksum of a header alone; continue it over the payload with zlib's crc32.
uint32_t tac_chunk_crc(const unsigned char header[20]);
bool tac_chunk_whole(const unsigned char *chunk, size_t size); // header, size and checksum agree

// Appends a chunk's header (room reserved) and returns where it stands; closing fills in size and checksum.
size_t tac_chunk_begin(TacBytes *bytes, const char *type);
void tac_chunk_end(TacBytes *bytes, size_t start);

// Sorts `count` numbers of `width` (4 or 8) bytes by significance: byte b of number i goes to b * all + i.
void tac_shuffle(unsigned char *planes, size_t all, const void *numbers, size_t count, size_t width);
void tac_unshuffle(void *numbers, const unsigned char *planes, size_t count, size_t width);

// Packs and unpacks; keeps its tables and buffers from call to call.
typedef struct TacPacker {
    z_stream deflate, inflate;
    bool deflates, inflates;
    TacBytes planes;
    size_t all, width, put; // numbers: how many, bytes of each, how many so far
} TacPacker;

void tac_packer_destroy(TacPacker *packer);
// To pack numbers that lie in several places: room for all of them, then some after the other, then all are packed.
TacStatus tac_pack_begin(TacPacker *packer, size_t all, size_t width, TacError *error);
void tac_pack_put(TacPacker *packer, const void *numbers, size_t count);
TacStatus tac_pack_end(TacPacker *packer, TacBytes *out, TacError *error);
// Appends packed numbers to `out`, which grows as needed. Nothing is appended for a count of 0.
TacStatus tac_pack(TacPacker *packer, TacBytes *out, const void *numbers, size_t count, size_t width,
                   TacError *error);
// Unpacks exactly `count` numbers from exactly `bytes` bytes. TAC_BAD_INPUT, without a message, when they are
// not that many; takes no memory before it is sure that the packed bytes could hold so many.
TacStatus tac_unpack(TacPacker *packer, void *numbers, size_t count, size_t width,
                     const unsigned char *packed, size_t bytes, TacError *error);
// Whether `bytes` deflated bytes can hold `count` numbers at all (deflate cannot shrink more than 1032
// times).
bool tac_packed_can_hold(size_t bytes, uint64_t count, size_t width);

// Where things are in the file. Offsets and bytes are of whole chunks.
typedef struct TacFrameEntry {
    uint64_t offset, bytes;
    double time; // s
} TacFrameEntry;

typedef struct TacMeshEntry {
    uint64_t offset, bytes, frame; // frame: from which on it holds
    uint32_t track, starts;        // starts: 1 when it belongs to the definition
} TacMeshEntry;

// What writer and reader agree on (kinds.c).
// Names unique and printable, numbers finite and in range, counts within limits. The message says which.
TacStatus tac_recording_def_check(const TacRecordingDef *def, TacStatus status, TacError *error);
// Lists whole and indices not negative; *top becomes the largest index + 1 (0: none).
TacStatus tac_track_mesh_check(const TacTrackMesh *mesh, const char *track, size_t *top, TacStatus status,
                               TacError *error);
// Numbers per point that a frame holds: positions, and velocities where recorded.
size_t tac_track_width(const TacRecordingDef *def, size_t track);

// More of the reader (recording.c).
// Opens as tac_recording_open does, but checks only files of at most `check_limit` bytes whole; of larger
// ones that have an index each frame is checked when it is read.
TacStatus tac_recording_open_limit(TacRecording **recording, const char *path, uint64_t check_limit,
                                   TacError *error);
// The most points that each track has in any frame, and the first such frame; reads the frames' heads only.
// Both lists have room for a number per track.
TacStatus tac_recording_most_points(TacRecording *recording, size_t *most, size_t *where, TacError *error);
const char *tac_recording_path(const TacRecording *recording);

#endif
