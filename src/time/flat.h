// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Scheduler state as flat bytes, little endian whatever the machine. Header only.
//
// Writing goes to memory that the caller sized beforehand. Reading never passes the end: a read beyond it
// gives 0 and sets `short_of_data`, so that a whole record can be read first and judged once.

#ifndef TACTUS_TIME_FLAT_H
#define TACTUS_TIME_FLAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct TacFlatReader {
    const uint8_t *at, *end;
    bool short_of_data;
} TacFlatReader;

// Writes the lowest `bytes` bytes of a number and returns where the next goes.
static inline uint8_t *tac_flat_write(uint8_t *at, uint64_t value, int bytes) {
    for (int i = 0; i < bytes; i++) at[i] = (uint8_t)(value >> (8 * i));
    return at + bytes;
}

static inline uint64_t tac_flat_read(TacFlatReader *reader, int bytes) {
    if (reader->end - reader->at < bytes) {
        reader->at = reader->end;
        reader->short_of_data = true;
        return 0;
    }
    uint64_t value = 0;
    for (int i = 0; i < bytes; i++) value |= (uint64_t)reader->at[i] << (8 * i);
    reader->at += bytes;
    return value;
}

// Whether `count` records of `bytes` bytes are really there: ask before making room for them.
static inline bool tac_flat_holds(const TacFlatReader *reader, uint64_t count, size_t bytes) {
    return count <= (uint64_t)(reader->end - reader->at) / bytes;
}

#endif
