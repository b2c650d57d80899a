// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Base64 (RFC 4648, the standard alphabet) as VTK's XML files use it: a stream that is read as bytes, whether
// it is encoded or raw, and a writer.
//
// VTK encodes the header and the body of an array sometimes together and sometimes one after the other, each
// padded. The stream takes padding wherever it stands as the end of one piece and goes on with the next, so
// that both come out the same.

#ifndef TACTUS_GEOMETRY_BASE64_H
#define TACTUS_GEOMETRY_BASE64_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

typedef struct TacByteStream {
    const char *at, *end;
    bool encoded;
    unsigned char kept[3]; // decoded but not yet read
    int first, last;       // kept[first..last)
} TacByteStream;

// Exactly `count` bytes into `bytes`; false when the stream ends or is no base64 before that.
bool tac_byte_stream_read(TacByteStream *stream, void *bytes, size_t count);
// The most bytes that can still come.
size_t tac_byte_stream_room(const TacByteStream *stream);

// Encodes bytes as they come; finishing pads the last ones.
typedef struct TacBase64Writer {
    FILE *out;
    unsigned char kept[3];
    int count;
} TacBase64Writer;

void tac_base64_write(TacBase64Writer *writer, const void *bytes, size_t count);
void tac_base64_finish(TacBase64Writer *writer);

#endif
