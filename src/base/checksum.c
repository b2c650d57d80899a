// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// XXH64, see checksum.h. Words are read as little-endian, as the machines we run on have them.

#include "base/checksum.h"

#include <string.h>

static const uint64_t prime1 = 0x9E3779B185EBCA87ULL, prime2 = 0xC2B2AE3D27D4EB4FULL,
                      prime3 = 0x165667B19E3779F9ULL, prime4 = 0x85EBCA77C2B2AE63ULL,
                      prime5 = 0x27D4EB2F165667C5ULL;

static uint64_t turn(uint64_t x, int bits) {
    return (x << bits) | (x >> (64 - bits));
}

static uint64_t word(const unsigned char *at) {
    uint64_t value;
    memcpy(&value, at, sizeof value);
    return value;
}

static uint64_t lane(uint64_t sum, uint64_t value) {
    return turn(sum + value * prime2, 31) * prime1;
}

static uint64_t join(uint64_t hash, uint64_t sum) {
    return (hash ^ lane(0, sum)) * prime1 + prime4;
}

uint64_t tac_checksum(const void *data, size_t bytes) {
    const unsigned char *at = data, *end = at + bytes;
    uint64_t hash = prime5;
    if (bytes >= 32) {
        uint64_t a = prime1 + prime2, b = prime2, c = 0, d = 0 - prime1;
        for (; end - at >= 32; at += 32) {
            a = lane(a, word(at));
            b = lane(b, word(at + 8));
            c = lane(c, word(at + 16));
            d = lane(d, word(at + 24));
        }
        hash = turn(a, 1) + turn(b, 7) + turn(c, 12) + turn(d, 18);
        hash = join(join(join(join(hash, a), b), c), d);
    }
    hash += bytes;
    // what is left: words of 8, one of 4, single bytes
    for (; end - at >= 8; at += 8) hash = turn(hash ^ lane(0, word(at)), 27) * prime1 + prime4;
    if (end - at >= 4) {
        uint32_t half;
        memcpy(&half, at, sizeof half);
        hash = turn(hash ^ (half * prime1), 23) * prime2 + prime3;
        at += 4;
    }
    for (; at < end; at++) hash = turn(hash ^ (*at * prime5), 11) * prime1;
    hash = (hash ^ (hash >> 33)) * prime2;
    hash = (hash ^ (hash >> 29)) * prime3;
    return hash ^ (hash >> 32);
}
