// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// The container of a recording; see chunk.h. Touches memory only, no files.

#include "record/chunk.h"
#include "base/memory.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "recordings are written as they lie in memory");
_Static_assert(sizeof(double) == 8 && sizeof(float) == 4, "recordings hold IEEE 754 numbers");

bool tac_bytes_reserve(TacBytes *bytes, size_t more) {
    size_t need;
    if (__builtin_add_overflow(bytes->count, more, &need) || need > PTRDIFF_MAX / 2) return false;
    if (need <= bytes->capacity) return true;
    // a little more at a time, and for nothing that may never be written
    size_t room = need + need / 16 + 64;
    unsigned char *data = realloc(bytes->data, room);
    if (!data) return false;
    bytes->data = data;
    bytes->capacity = room;
    return true;
}

void tac_bytes_destroy(TacBytes *bytes) {
    free(bytes->data);
    *bytes = (TacBytes){0};
}

void tac_put_bytes(TacBytes *bytes, const void *data, size_t count) {
    if (count) memcpy(bytes->data + bytes->count, data, count);
    bytes->count += count;
}

void tac_put_u32(TacBytes *bytes, uint32_t value) {
    tac_put_bytes(bytes, &value, sizeof value);
}

void tac_put_u64(TacBytes *bytes, uint64_t value) {
    tac_put_bytes(bytes, &value, sizeof value);
}

void tac_put_f64(TacBytes *bytes, double value) {
    tac_put_bytes(bytes, &value, sizeof value);
}

void tac_put_text(TacBytes *bytes, const char *text) {
    size_t length = strlen(text);
    tac_put_u32(bytes, (uint32_t)length);
    tac_put_bytes(bytes, text, length);
}

size_t tac_cursor_left(const TacCursor *cursor) {
    return (size_t)(cursor->end - cursor->at);
}

const unsigned char *tac_get_bytes(TacCursor *cursor, uint64_t count) {
    if (cursor->bad || count > tac_cursor_left(cursor)) {
        cursor->bad = true;
        return NULL;
    }
    const unsigned char *result = cursor->at;
    cursor->at += count;
    return result;
}

uint32_t tac_get_u32(TacCursor *cursor) {
    uint32_t value = 0;
    const unsigned char *data = tac_get_bytes(cursor, sizeof value);
    if (data) memcpy(&value, data, sizeof value);
    return value;
}

uint64_t tac_get_u64(TacCursor *cursor) {
    uint64_t value = 0;
    const unsigned char *data = tac_get_bytes(cursor, sizeof value);
    if (data) memcpy(&value, data, sizeof value);
    return value;
}

double tac_get_f64(TacCursor *cursor) {
    double value = 0;
    const unsigned char *data = tac_get_bytes(cursor, sizeof value);
    if (data) memcpy(&value, data, sizeof value);
    return value;
}

bool tac_chunk_is(const TacChunk *chunk, const char *type) {
    return memcmp(chunk->type, type, 4) == 0;
}

TacChunk tac_chunk_parse(const unsigned char header[20]) {
    TacChunk chunk;
    memcpy(chunk.type, header, 4);
    memcpy(&chunk.version, header + 4, 4);
    memcpy(&chunk.bytes, header + 8, 8);
    memcpy(&chunk.crc, header + 16, 4);
    return chunk;
}

uint32_t tac_chunk_crc(const unsigned char header[20]) {
    return (uint32_t)crc32_z(0, header, 16);
}

bool tac_chunk_whole(const unsigned char *chunk, size_t size) {
    if (size < TAC_CHUNK_HEADER) return false;
    TacChunk head = tac_chunk_parse(chunk);
    return head.bytes == size - TAC_CHUNK_HEADER &&
           crc32_z(tac_chunk_crc(chunk), chunk + TAC_CHUNK_HEADER, (size_t)head.bytes) == head.crc;
}

size_t tac_chunk_begin(TacBytes *bytes, const char *type) {
    size_t start = bytes->count;
    tac_put_bytes(bytes, type, 4);
    tac_put_u32(bytes, TAC_CHUNK_VERSION);
    tac_put_u64(bytes, 0);
    tac_put_u32(bytes, 0);
    return start;
}

void tac_chunk_end(TacBytes *bytes, size_t start) {
    unsigned char *header = bytes->data + start;
    uint64_t size = bytes->count - start - TAC_CHUNK_HEADER;
    memcpy(header + 8, &size, sizeof size);
    uint32_t crc = (uint32_t)crc32_z(tac_chunk_crc(header), header + TAC_CHUNK_HEADER, (size_t)size);
    memcpy(header + 16, &crc, sizeof crc);
}

// Turns eight rows of eight bytes into eight columns: three rounds of swapping blocks of 4, 2 and 1 bytes.
static void transpose8(uint64_t r[8]) {
    for (int i = 0; i < 4; i++) {
        uint64_t t = ((r[i] >> 32) ^ r[i + 4]) & 0x00000000ffffffffULL;
        r[i + 4] ^= t;
        r[i] ^= t << 32;
    }
    for (int i = 0; i < 8; i += (i & 1) ? 3 : 1) {
        uint64_t t = ((r[i] >> 16) ^ r[i + 2]) & 0x0000ffff0000ffffULL;
        r[i + 2] ^= t;
        r[i] ^= t << 16;
    }
    for (int i = 0; i < 8; i += 2) {
        uint64_t t = ((r[i] >> 8) ^ r[i + 1]) & 0x00ff00ff00ff00ffULL;
        r[i + 1] ^= t;
        r[i] ^= t << 8;
    }
}

void tac_shuffle(unsigned char *planes, size_t all, const void *numbers, size_t count, size_t width) {
    const unsigned char *source = numbers;
    size_t i = 0;
    // eight doubles at a time, in registers
    for (; width == 8 && i + 8 <= count; i += 8) {
        uint64_t block[8];
        memcpy(block, source + 8 * i, sizeof block);
        transpose8(block);
        for (size_t b = 0; b < 8; b++) memcpy(planes + b * all + i, &block[b], 8);
    }
    for (; i < count; i++)
        for (size_t b = 0; b < width; b++) planes[b * all + i] = source[i * width + b];
}

void tac_unshuffle(void *numbers, const unsigned char *planes, size_t count, size_t width) {
    unsigned char *target = numbers;
    size_t i = 0;
    for (; width == 8 && i + 8 <= count; i += 8) {
        uint64_t block[8];
        for (size_t b = 0; b < 8; b++) memcpy(&block[b], planes + b * count + i, 8);
        transpose8(block);
        memcpy(target + 8 * i, block, sizeof block);
    }
    for (; i < count; i++)
        for (size_t b = 0; b < width; b++) target[i * width + b] = planes[b * count + i];
}

void tac_packer_destroy(TacPacker *packer) {
    if (packer->deflates) deflateEnd(&packer->deflate);
    if (packer->inflates) inflateEnd(&packer->inflate);
    tac_bytes_destroy(&packer->planes);
    *packer = (TacPacker){0};
}

// zlib counts its input and output in 32 bits: both are handed over in pieces.
enum { PIECE = 1 << 30 };

static uInt piece_of(size_t bytes) {
    return (uInt)(bytes < PIECE ? bytes : PIECE);
}

// Whether bytes look like noise, that is, neither they nor the steps between neighbours prefer any value:
// four samples of 1024 bytes tell. The low bytes of measured numbers are; trying to compress them takes nine
// tenths of the time and gains nothing.
enum { SAMPLES = 4, SAMPLE_BYTES = 1024, SAMPLED = SAMPLES * SAMPLE_BYTES };

static bool is_noise(const unsigned char *bytes, size_t count) {
    if (count < SAMPLED) return false;
    uint32_t values[256] = {0}, steps[256] = {0};
    for (size_t s = 0; s < SAMPLES; s++) {
        const unsigned char *sample = bytes + s * ((count - SAMPLE_BYTES) / (SAMPLES - 1));
        unsigned char last = 0;
        for (size_t i = 0; i < SAMPLE_BYTES; i++) {
            values[sample[i]]++;
            steps[(unsigned char)(sample[i] - last)]++;
            last = sample[i];
        }
    }
    // the sum of squares of even chances, and a quarter more
    uint64_t limit = (uint64_t)SAMPLED * SAMPLED / 256 + SAMPLED, value_sum = 0, step_sum = 0;
    limit += limit / 4;
    for (int i = 0; i < 256; i++) {
        value_sum += (uint64_t)values[i] * values[i];
        step_sum += (uint64_t)steps[i] * steps[i];
    }
    return value_sum < limit && step_sum < limit;
}

static TacStatus make_room(z_stream *stream, TacBytes *out, TacError *error) {
    enum { ROOM = 1 << 16 };
    if (out->capacity - out->count < ROOM / 2 && !tac_bytes_reserve(out, ROOM))
        return tac_fail_memory(error, out->count + ROOM);
    stream->next_out = out->data + out->count;
    stream->avail_out = piece_of(out->capacity - out->count);
    return TAC_OK;
}

static TacStatus deflate_failed(const z_stream *stream, TacError *error) {
    return tac_fail(error, TAC_FAILED, "the compression failed: %s",
                    stream->msg ? stream->msg : "unknown reason");
}

// From here on compressed at this level; what went before is written out first.
static TacStatus set_level(z_stream *stream, TacBytes *out, int level, TacError *error) {
    int result = Z_BUF_ERROR;
    stream->avail_in = 0;
    while (result == Z_BUF_ERROR) {
        TAC_TRY(make_room(stream, out, error));
        result = deflateParams(stream, level, Z_DEFAULT_STRATEGY);
        out->count = (size_t)(stream->next_out - out->data);
    }
    return result == Z_OK ? TAC_OK : deflate_failed(stream, error);
}

static TacStatus deflate_bytes(z_stream *stream, TacBytes *out, const unsigned char *data, size_t bytes,
                               bool last, TacError *error) {
    stream->next_in = (unsigned char *)(uintptr_t)data;
    for (;;) {
        size_t left = bytes - (size_t)(stream->next_in - data);
        stream->avail_in = piece_of(left);
        TAC_TRY(make_room(stream, out, error));
        int result = deflate(stream, last && left == stream->avail_in ? Z_FINISH : Z_NO_FLUSH);
        out->count = (size_t)(stream->next_out - out->data);
        if (result == Z_STREAM_END) return TAC_OK;
        if (result != Z_OK && result != Z_BUF_ERROR) return deflate_failed(stream, error);
        if (!last && stream->next_in == data + bytes) return TAC_OK;
    }
}

// One stream for all: pieces of noise are stored as they are, the rest is compressed.
enum { NOISE_PIECE = 1 << 15 };

static TacStatus deflate_planes(z_stream *stream, TacBytes *out, const unsigned char *planes, size_t bytes,
                                TacError *error) {
    int level = 1;
    for (size_t done = 0; done < bytes;) {
        size_t count = bytes - done < 2 * NOISE_PIECE ? bytes - done : NOISE_PIECE;
        int wanted = is_noise(planes + done, count) ? 0 : 1;
        if (wanted != level) TAC_TRY(set_level(stream, out, wanted, error));
        level = wanted;
        TAC_TRY(deflate_bytes(stream, out, planes + done, count, done + count == bytes, error));
        done += count;
    }
    return TAC_OK;
}

TacStatus tac_pack_begin(TacPacker *packer, size_t all, size_t width, TacError *error) {
    packer->planes.count = packer->put = 0;
    packer->all = all;
    packer->width = width;
    return tac_bytes_reserve(&packer->planes, all * width) ? TAC_OK : tac_fail_memory(error, all * width);
}

void tac_pack_put(TacPacker *packer, const void *numbers, size_t count) {
    if (count) tac_shuffle(packer->planes.data + packer->put, packer->all, numbers, count, packer->width);
    packer->put += count;
}

TacStatus tac_pack_end(TacPacker *packer, TacBytes *out, TacError *error) {
    size_t bytes = packer->all * packer->width;
    if (bytes == 0) return TAC_OK;
    z_stream *stream = &packer->deflate;
    if (!packer->deflates) {
        if (deflateInit2(stream, 1, Z_DEFLATED, -15, 9, Z_DEFAULT_STRATEGY) != Z_OK)
            return tac_fail_memory(error, 0);
        packer->deflates = true;
    } else {
        deflateReset(stream);
        TAC_TRY(set_level(stream, out, 1, error));
    }
    // the worst case at once, so that room is found with the first frame and not again
    size_t most = deflateBound(stream, bytes) + (1 << 16);
    if (!tac_bytes_reserve(out, most)) return tac_fail_memory(error, most);
    return deflate_planes(stream, out, packer->planes.data, bytes, error);
}

TacStatus tac_pack(TacPacker *packer, TacBytes *out, const void *numbers, size_t count, size_t width,
                   TacError *error) {
    TAC_TRY(tac_pack_begin(packer, count, width, error));
    tac_pack_put(packer, numbers, count);
    return tac_pack_end(packer, out, error);
}

bool tac_packed_can_hold(size_t bytes, uint64_t count, size_t width) {
    return count <= TAC_FRAME_LIMIT / width && count * width / 1032 <= bytes;
}

TacStatus tac_unpack(TacPacker *packer, void *numbers, size_t count, size_t width,
                     const unsigned char *packed, size_t bytes, TacError *error) {
    if (count == 0) return bytes == 0 ? TAC_OK : TAC_BAD_INPUT;
    if (!tac_packed_can_hold(bytes, count, width)) return TAC_BAD_INPUT;
    size_t size = count * width;
    packer->planes.count = 0;
    if (!tac_bytes_reserve(&packer->planes, size)) return tac_fail_memory(error, size);
    z_stream *stream = &packer->inflate;
    if (!packer->inflates) {
        if (inflateInit2(stream, -15) != Z_OK) return tac_fail_memory(error, 0);
        packer->inflates = true;
    } else {
        inflateReset(stream);
    }

    stream->next_in = (unsigned char *)(uintptr_t)packed;
    stream->next_out = packer->planes.data;
    int result = Z_OK;
    while (result == Z_OK) {
        size_t taken = (size_t)(stream->next_in - packed),
               made = (size_t)(stream->next_out - packer->planes.data);
        stream->avail_in = piece_of(bytes - taken);
        stream->avail_out = piece_of(size - made);
        result = inflate(stream, Z_NO_FLUSH);
    }
    if (result == Z_MEM_ERROR) return tac_fail_memory(error, 0);
    // the stream ends exactly where the bytes end, and gives exactly what was announced
    if (result != Z_STREAM_END || stream->next_in != packed + bytes ||
        stream->next_out != packer->planes.data + size)
        return TAC_BAD_INPUT;
    tac_unshuffle(numbers, packer->planes.data, count, width);
    return TAC_OK;
}
