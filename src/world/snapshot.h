// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// What files of snapshots need to know of snapshots in memory, and their layout.
//
// A .tacsnap file is a header (below), then a snapshot as tac_world_save makes it. Rules:
//   1. It is written beside its place and renamed: at its place there is a whole file, the one before it, or none.
//   2. Magic and version are read first, so that a newer or older file is refused as such; then the checksum, which covers
//      everything behind it; nothing of the file is believed, and nothing of the world changed, before it agrees.
//   3. A world takes it only if it has the same signature: the same components at the same paths, as much matter, as
//      many bytes of declared state, the same beat and seed.
//   4. Attributes may differ (somebody asks what had been if): the header tells so by a digest of their values when
//      the world was made, and tac_world_restore_file passes that on.

#ifndef TACTUS_WORLD_SNAPSHOT_H
#define TACTUS_WORLD_SNAPSHOT_H

#include "world/world.h"

enum { TAC_SNAPSHOT_VERSION = 9, TAC_SNAPSHOT_NAME = 128 };

// Little-endian, without gaps.
typedef struct TacSnapshotHeader {
    char magic[8];
    uint32_t version;
    uint32_t header_bytes;
    uint64_t checksum; // of all bytes that follow it
    uint64_t payload_bytes;
    uint64_t signature, values;
    uint64_t seed;
    int64_t tick;
    double time, beat;             // s
    uint32_t loose;                // 1: of a world with the loose scheduler
    uint32_t library;              // version of the library that wrote it: 1000000 major + 1000 minor + patch
    char scene[TAC_SNAPSHOT_NAME]; // its title, or its file; cut to this length, ends with 0
} TacSnapshotHeader;

// Of what worlds must have in common to take each other's snapshots.
uint64_t tac_world_signature(const TacWorld *world);

// Of the values of all attributes that matter to motion, as they are now: the compile step keeps it in
// world->values.
uint64_t tac_world_values(const TacWorld *world);

#endif
