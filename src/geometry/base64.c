// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Base64 read and written as streams: see base64.h.

#include "geometry/base64.h"

#include <stdint.h>
#include <string.h>

static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

// The six bits of a letter, or -1.
static int six_bits(char c) {
    if (c >= 'A' && c <= 'Z') return c - 'A';
    if (c >= 'a' && c <= 'z') return c - 'a' + 26;
    if (c >= '0' && c <= '9') return c - '0' + 52;
    return c == '+' ? 62 : c == '/' ? 63 : -1;
}

// Up to four letters into one to three bytes; 0 at the end and at anything that is no base64.
static int decode_group(TacByteStream *stream, unsigned char bytes[3]) {
    uint32_t bits = 0;
    int letters = 0, padding = 0;
    while (letters + padding < 4) {
        if (stream->at == stream->end) return 0;
        char c = *stream->at;
        if (c == ' ' || c == '\n' || c == '\r' || c == '\t') {
            stream->at++;
            continue;
        }
        int value = six_bits(c);
        if (c == '=' && letters >= 2)
            padding++;
        else if (value >= 0 && !padding)
            letters++;
        else
            return 0;
        bits = bits << 6 | (value >= 0 ? (uint32_t)value : 0);
        stream->at++;
    }
    for (int i = 0; i < 3; i++) bytes[i] = (unsigned char)(bits >> (16 - 8 * i));
    return letters - 1;
}

bool tac_byte_stream_read(TacByteStream *stream, void *bytes, size_t count) {
    unsigned char *to = bytes;
    if (!stream->encoded) {
        if ((size_t)(stream->end - stream->at) < count) return false;
        if (count) memcpy(to, stream->at, count);
        stream->at += count;
        return true;
    }
    while (count) {
        if (stream->first == stream->last) {
            stream->first = 0;
            stream->last = decode_group(stream, stream->kept);
            if (!stream->last) return false;
        }
        *to++ = stream->kept[stream->first++];
        count--;
    }
    return true;
}

size_t tac_byte_stream_room(const TacByteStream *stream) {
    size_t left = (size_t)(stream->end - stream->at);
    return stream->encoded ? left / 4 * 3 + 3 : left;
}

static void encode_group(TacBase64Writer *writer) {
    const unsigned char *b = writer->kept;
    char text[4] = {alphabet[b[0] >> 2], alphabet[(b[0] & 3) << 4 | b[1] >> 4],
                    alphabet[(b[1] & 15) << 2 | b[2] >> 6], alphabet[b[2] & 63]};
    for (int i = writer->count + 1; i < 4; i++) text[i] = '=';
    fwrite(text, 1, 4, writer->out);
    memset(writer->kept, 0, sizeof writer->kept);
    writer->count = 0;
}

void tac_base64_write(TacBase64Writer *writer, const void *bytes, size_t count) {
    const unsigned char *from = bytes;
    for (size_t i = 0; i < count; i++) {
        writer->kept[writer->count++] = from[i];
        if (writer->count == 3) encode_group(writer);
    }
}

void tac_base64_finish(TacBase64Writer *writer) {
    if (writer->count) encode_group(writer);
}
