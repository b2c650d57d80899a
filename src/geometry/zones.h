// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Zones over space: which objects may touch which ("Asynchronous Interactive Physical Simulation", section 4.3).
//
// Space is cut into equal cubes; a cube with objects in it is a zone, found by hashing its place. Each zone sweeps
// its own objects (sweep.h) and compares their k-DOPs (kdop.h). An object is in every zone that its bounds reach.
//
// Rules
//  1. The pairs found are exactly those whose k-DOPs overlap: they depend on the bounds alone, not on the size of
//     the zones or on what happened before.
//  2. A pair that shares several zones is reported by one: that at the component-wise larger of the two first cubes.
//  3. Pairs come sorted by (a, b), a < b.
//  4. The size of zones follows from that of the objects (four mean extents) and changes when that has halved or
//     doubled. Objects that would reach more than 27 zones (or to infinity) are *wide*: compared with everyone.
//
// Memory grows with the number of objects and of zones in use. Touches nothing else.

#ifndef TACTUS_GEOMETRY_ZONES_H
#define TACTUS_GEOMETRY_ZONES_H

#include "geometry/kdop.h"
#include "geometry/sweep.h"
#include "tactus/base.h"

typedef struct TacZonePair {
    uint32_t a, b; // a < b
} TacZonePair;

typedef struct TacZoneObject {
    TacKdop bounds;
    int32_t low[3], high[3]; // cubes, inclusive
    uint8_t present, wide, filed;
} TacZoneObject;

typedef struct TacZone {
    int32_t at[3];
    uint32_t next_plus_1; // in the same slot of the hash table
    TacSweep sweep;
} TacZone;

// A zeroed struct with `axes` set (tac_kdop_axes) is empty and valid.
typedef struct TacZones {
    int axes;
    double size; // edge of a zone, m; 0: not chosen yet
    TacZoneObject *objects;
    size_t object_count, object_capacity;
    TacZone *zones;
    size_t zone_count, zone_capacity;
    uint32_t *slots; // first zone + 1
    size_t slot_count;
    uint32_t *wide;
    size_t wide_count, wide_capacity;
    TacZonePair *pairs, *sorted;
    size_t pair_count, pair_capacity, sorted_capacity;
    size_t *counts;
    size_t count_capacity;
} TacZones;

void tac_zones_free(TacZones *zones);

// Where an object is now. Bounds that are not numbers, or empty, take it out. TAC_NO_MEMORY: the object is not filed.
TacStatus tac_zones_set(TacZones *zones, uint32_t object, const TacKdop *bounds, TacError *error);
void tac_zones_remove(TacZones *zones, uint32_t object);

// All pairs that may touch; valid until the next call.
TacStatus tac_zones_pairs(TacZones *zones, const TacZonePair **pairs, size_t *count, TacError *error);

// All objects whose bounds overlap those of one object, ascending; valid until the next call.
TacStatus tac_zones_near(TacZones *zones, uint32_t object, const TacZonePair **pairs, size_t *count,
                         TacError *error);

#endif
