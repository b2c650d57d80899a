// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// A checksum of 64 bits over bytes: XXH64 with seed 0, as published by Yann Collet, so that other programs can check
// our files. It finds accidents, not forgery. Several GB/s; the same on every machine.

#ifndef TACTUS_BASE_CHECKSUM_H
#define TACTUS_BASE_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

uint64_t tac_checksum(const void *data, size_t bytes);

#endif
