// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Decoding the DataArrays of VTK's XML files: see vtu_array.h.

#include "geometry/vtu_array.h"
#include "base/memory.h"
#include "base/text.h"

#include <zlib.h>

// Deflate cannot expand more than this many times (zlib's technical notes).
enum { MOST_EXPANSION = 1032 };

#define FAIL(source, error, ...)                                                                             \
    tac_fail_at((error), TAC_BAD_INPUT, (source)->file, (source)->line, 0, __VA_ARGS__)

static TacStatus take_bytes(TacVtuArray *array, size_t count, TacError *error) {
    size_t bytes;
    if (__builtin_mul_overflow(count, tac_number_size(array->kind), &bytes)) bytes = SIZE_MAX - 1;
    array->bytes = malloc(bytes + !bytes);
    if (!array->bytes) return tac_fail_memory(error, bytes);
    array->count = count;
    return TAC_OK;
}

static TacStatus fail_text(const TacVtuSource *source, const char *at, size_t found, size_t count, bool real,
                           TacError *error) {
    int line = source->line;
    for (const char *p = source->data; p < at; p++) line += *p == '\n';
    if (at == source->end)
        return tac_fail_at(error, TAC_BAD_INPUT, source->file, line, 0,
                           "the array of %s ends after %zu of %zu numbers", source->role, found, count);
    return tac_fail_at(error, TAC_BAD_INPUT, source->file, line, 0, "expected %s in the array of %s",
                       found == count ? "the end of the numbers"
                       : real         ? "a finite number"
                                      : "a whole number",
                       source->role);
}

// Text becomes integers or reals of the machine.
static TacStatus read_text(TacVtuArray *array, const TacVtuSource *source, size_t count, size_t *used,
                           TacError *error) {
    static const int one = 1;
    bool real = tac_number_is_real(source->kind);
    array->kind = real ? TAC_FLOAT64 : TAC_INT64;
    array->big_endian = *(const char *)&one == 0;
    size_t room = (size_t)(source->end - source->data) / 2 + 1;
    if (count > room)
        return FAIL(source, error, "the array of %s should have %zu numbers, but has room for at most %zu",
                    source->role, count, room);
    TAC_TRY(take_bytes(array, count, error));

    const char *at = source->data;
    for (size_t i = 0; i < count; i++) {
        int64_t whole = 0;
        double value = 0;
        bool good = real ? tac_read_real(&at, source->end, &value) : tac_read_int(&at, source->end, &whole);
        while (!good && at < source->end && (*at == ' ' || *at == '\n' || *at == '\r' || *at == '\t')) at++;
        if (!good) return fail_text(source, at, i, count, real, error);
        memcpy(array->bytes + 8 * i, real ? (void *)&value : (void *)&whole, 8);
    }
    while (at < source->end && (*at == ' ' || *at == '\n' || *at == '\r' || *at == '\t')) at++;
    if (at < source->end) return fail_text(source, at, count, count, real, error);
    *used += (size_t)(source->end - source->data);
    return TAC_OK;
}

static TacStatus read_header(TacByteStream *stream, const TacVtuSource *source, const TacVtuFormat *format,
                             uint64_t *value, TacError *error) {
    unsigned char bytes[8];
    TacNumber kind = format->wide_header ? TAC_UINT64 : TAC_UINT32;
    if (!tac_byte_stream_read(stream, bytes, tac_number_size(kind)))
        return FAIL(source, error, "the header of the array of %s is cut short or no base64", source->role);
    int64_t number = tac_number_int(kind, bytes, format->big_endian);
    if (number < 0) return FAIL(source, error, "the header of the array of %s makes no sense", source->role);
    *value = (uint64_t)number;
    return TAC_OK;
}

static TacStatus check_size(const TacVtuSource *source, uint64_t announced, uint64_t expected,
                            TacError *error) {
    if (announced == expected) return TAC_OK;
    return FAIL(source, error, "the array of %s has %llu bytes; expected %llu", source->role,
                (unsigned long long)announced, (unsigned long long)expected);
}

static TacStatus fail_cut(const TacVtuSource *source, TacError *error) {
    return FAIL(source, error, "the bytes of the array of %s are cut short or no base64", source->role);
}

static TacStatus read_plain(TacVtuArray *array, TacByteStream *stream, const TacVtuSource *source,
                            const TacVtuFormat *format, size_t count, size_t bytes, TacError *error) {
    uint64_t announced;
    TAC_TRY(read_header(stream, source, format, &announced, error));
    TAC_TRY(check_size(source, announced, bytes, error));
    if (bytes > tac_byte_stream_room(stream)) return fail_cut(source, error);
    TAC_TRY(take_bytes(array, count, error));
    return tac_byte_stream_read(stream, array->bytes, bytes) ? TAC_OK : fail_cut(source, error);
}

typedef struct Blocks {
    uint64_t count, size, last_size;
    uint64_t *packed; // compressed size of each
    unsigned char *buffer;
    size_t buffer_bytes;
} Blocks;

// Reads the header and checks all of it before anything is unpacked.
static TacStatus read_blocks(Blocks *blocks, TacByteStream *stream, const TacVtuSource *source,
                             const TacVtuFormat *format, size_t bytes, TacError *error) {
    TAC_TRY(read_header(stream, source, format, &blocks->count, error));
    TAC_TRY(read_header(stream, source, format, &blocks->size, error));
    TAC_TRY(read_header(stream, source, format, &blocks->last_size, error));
    size_t room = tac_byte_stream_room(stream);
    if (blocks->count > room / (format->wide_header ? 8 : 4)) return fail_cut(source, error);
    uint64_t full = blocks->count - (blocks->count && blocks->last_size), total;
    if (__builtin_mul_overflow(full, blocks->size, &total) ||
        __builtin_add_overflow(total, blocks->count ? blocks->last_size : 0, &total))
        total = UINT64_MAX;
    TAC_TRY(check_size(source, total, bytes, error));
    if (total / MOST_EXPANSION > room) return fail_cut(source, error);

    blocks->packed = malloc((size_t)blocks->count * sizeof *blocks->packed + 1);
    if (!blocks->packed) return tac_fail_memory(error, (size_t)blocks->count * sizeof *blocks->packed);
    for (uint64_t i = 0; i < blocks->count; i++) {
        TAC_TRY(read_header(stream, source, format, &blocks->packed[i], error));
        if (blocks->packed[i] > room) return fail_cut(source, error);
        if (blocks->packed[i] > blocks->buffer_bytes) blocks->buffer_bytes = (size_t)blocks->packed[i];
    }
    blocks->buffer = malloc(blocks->buffer_bytes + 1);
    return blocks->buffer ? TAC_OK : tac_fail_memory(error, blocks->buffer_bytes);
}

static TacStatus unpack(TacVtuArray *array, const Blocks *blocks, TacByteStream *stream,
                        const TacVtuSource *source, TacError *error) {
    unsigned char *to = array->bytes;
    for (uint64_t i = 0; i < blocks->count; i++) {
        bool last = i + 1 == blocks->count && blocks->last_size;
        uLong size = (uLong)(last ? blocks->last_size : blocks->size), packed = (uLong)blocks->packed[i];
        uLongf out = size;
        if (!tac_byte_stream_read(stream, blocks->buffer, packed)) return fail_cut(source, error);
        if (uncompress(to, &out, blocks->buffer, packed) != Z_OK || out != size)
            return FAIL(source, error, "block %llu of the array of %s does not unpack to %llu bytes",
                        (unsigned long long)i, source->role, (unsigned long long)size);
        to += size;
    }
    return TAC_OK;
}

static TacStatus read_compressed(TacVtuArray *array, TacByteStream *stream, const TacVtuSource *source,
                                 const TacVtuFormat *format, size_t count, size_t bytes, TacError *error) {
    Blocks blocks = {0};
    TacStatus status = read_blocks(&blocks, stream, source, format, bytes, error);
    if (status == TAC_OK) status = take_bytes(array, count, error);
    if (status == TAC_OK) status = unpack(array, &blocks, stream, source, error);
    free(blocks.packed);
    free(blocks.buffer);
    return status;
}

TacStatus tac_vtu_array_read(TacVtuArray *array, const TacVtuSource *source, const TacVtuFormat *format,
                             size_t count, size_t *used, TacError *error) {
    *array = (TacVtuArray){.kind = source->kind, .big_endian = format->big_endian};
    if (source->text) return read_text(array, source, count, used, error);

    size_t bytes;
    if (__builtin_mul_overflow(count, tac_number_size(source->kind), &bytes))
        return FAIL(source, error, "the array of %s has too many numbers", source->role);
    // an array of nothing may be written as nothing at all
    TacByteStream stream = {.at = source->data, .end = source->end, .encoded = source->encoded};
    if (!bytes) return take_bytes(array, 0, error);
    TAC_TRY(format->compressed ? read_compressed(array, &stream, source, format, count, bytes, error)
                               : read_plain(array, &stream, source, format, count, bytes, error));
    *used += (size_t)(stream.at - source->data);
    return TAC_OK;
}

void tac_vtu_array_destroy(TacVtuArray *array) {
    free(array->bytes);
    memset(array, 0, sizeof *array);
}
