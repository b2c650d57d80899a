// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

#include "geometry/zones.h"

#include "base/memory.h"

enum { MOST_ZONES = 27 };

void tac_zones_free(TacZones *zones) {
    for (size_t i = 0; i < zones->zone_count; i++) tac_sweep_free(&zones->zones[i].sweep);
    free(zones->objects);
    free(zones->zones);
    free(zones->slots);
    free(zones->wide);
    free(zones->pairs);
    free(zones->sorted);
    free(zones->counts);
    *zones = (TacZones){.axes = zones->axes};
}

// --- the table of zones -----------------------------------------------------------------------------------

static size_t slot_of(const TacZones *zones, const int32_t at[3]) {
    uint64_t h = 0;
    for (int k = 0; k < 3; k++) {
        h = (h ^ (uint32_t)at[k]) * 0x9E3779B97F4A7C15ULL;
        h ^= h >> 29;
    }
    return (size_t)h & (zones->slot_count - 1);
}

static TacZone *find_zone(const TacZones *zones, const int32_t at[3]) {
    if (!zones->slot_count) return NULL;
    for (uint32_t z = zones->slots[slot_of(zones, at)]; z; z = zones->zones[z - 1].next_plus_1)
        if (!memcmp(zones->zones[z - 1].at, at, sizeof zones->zones[z - 1].at)) return &zones->zones[z - 1];
    return NULL;
}

static bool grow_table(TacZones *zones) {
    if (zones->zone_count < zones->slot_count) return true;
    size_t n = zones->slot_count ? 2 * zones->slot_count : 64;
    uint32_t *slots = calloc(n, sizeof *slots);
    if (!slots) return false;
    free(zones->slots);
    zones->slots = slots;
    zones->slot_count = n;
    for (size_t i = 0; i < zones->zone_count; i++) {
        size_t s = slot_of(zones, zones->zones[i].at);
        zones->zones[i].next_plus_1 = slots[s];
        slots[s] = (uint32_t)(i + 1);
    }
    return true;
}

static TacZone *take_zone(TacZones *zones, const int32_t at[3]) {
    TacZone *found = find_zone(zones, at);
    if (found) return found;
    if (!tac_grow(&zones->zones, &zones->zone_capacity, zones->zone_count + 1, sizeof *zones->zones) ||
        !grow_table(zones))
        return NULL;
    size_t s = slot_of(zones, at);
    TacZone *zone = &zones->zones[zones->zone_count++];
    *zone = (TacZone){.at = {at[0], at[1], at[2]}, .next_plus_1 = zones->slots[s]};
    zones->slots[s] = (uint32_t)zones->zone_count;
    return zone;
}

// --- filing objects ---------------------------------------------------------------------------------------

static double extent_of(const TacKdop *bounds) {
    double extent = 0;
    for (int k = 0; k < 3; k++) extent = fmax(extent, bounds->high[k] - bounds->low[k]);
    return extent;
}

// The cubes that bounds reach. False: too many, or too far out to be counted.
static bool cubes_of(const TacZones *zones, const TacKdop *bounds, int32_t low[3], int32_t high[3]) {
    double cubes = 1;
    for (int k = 0; k < 3; k++) {
        double a = floor(bounds->low[k] / zones->size), b = floor(bounds->high[k] / zones->size);
        if (!(a > -1e9 && b < 1e9)) return false;
        low[k] = (int32_t)a;
        high[k] = (int32_t)b;
        cubes *= b - a + 1;
    }
    return cubes <= MOST_ZONES;
}

static void unfile(TacZones *zones, uint32_t id) {
    TacZoneObject *o = &zones->objects[id];
    if (!o->filed) return;
    o->filed = false;
    if (o->wide) {
        size_t i = 0;
        while (zones->wide[i] != id) i++;
        zones->wide[i] = zones->wide[--zones->wide_count];
        o->wide = false;
        return;
    }
    int32_t at[3];
    for (at[0] = o->low[0]; at[0] <= o->high[0]; at[0]++)
        for (at[1] = o->low[1]; at[1] <= o->high[1]; at[1]++)
            for (at[2] = o->low[2]; at[2] <= o->high[2]; at[2]++) {
                TacZone *zone = find_zone(zones, at);
                if (zone) tac_sweep_remove(&zone->sweep, id);
            }
}

static bool file_wide(TacZones *zones, uint32_t id) {
    if (!tac_grow(&zones->wide, &zones->wide_capacity, zones->wide_count + 1, sizeof *zones->wide))
        return false;
    zones->wide[zones->wide_count++] = id;
    zones->objects[id].wide = zones->objects[id].filed = true;
    return true;
}

static bool file_in_zones(TacZones *zones, uint32_t id) {
    TacZoneObject *o = &zones->objects[id];
    o->filed = true;
    int32_t at[3];
    for (at[0] = o->low[0]; at[0] <= o->high[0]; at[0]++)
        for (at[1] = o->low[1]; at[1] <= o->high[1]; at[1]++)
            for (at[2] = o->low[2]; at[2] <= o->high[2]; at[2]++) {
                TacZone *zone = take_zone(zones, at);
                if (!zone || !tac_sweep_add(&zone->sweep, id, o->bounds.low, o->bounds.high)) {
                    unfile(zones, id);
                    return false;
                }
            }
    return true;
}

static bool file(TacZones *zones, uint32_t id) {
    TacZoneObject *o = &zones->objects[id];
    int32_t low[3], high[3];
    if (!cubes_of(zones, &o->bounds, low, high)) {
        if (o->filed && o->wide) return true;
        unfile(zones, id);
        return file_wide(zones, id);
    }
    if (o->filed && !o->wide && !memcmp(low, o->low, sizeof low) && !memcmp(high, o->high, sizeof high))
        return true;
    unfile(zones, id);
    memcpy(o->low, low, sizeof low);
    memcpy(o->high, high, sizeof high);
    return file_in_zones(zones, id);
}

TacStatus tac_zones_set(TacZones *zones, uint32_t object, const TacKdop *bounds, TacError *error) {
    for (int i = 0; i < zones->axes; i++)
        if (!(bounds->low[i] <= bounds->high[i])) {
            tac_zones_remove(zones, object);
            return TAC_OK;
        }
    if (!tac_grow(&zones->objects, &zones->object_capacity, (size_t)object + 1, sizeof *zones->objects))
        return tac_fail_memory(error, 0);
    if (object >= zones->object_count) zones->object_count = (size_t)object + 1;
    zones->objects[object].bounds = *bounds;
    zones->objects[object].present = true;
    // before the size is chosen nobody is filed
    if (zones->size > 0 && !file(zones, object)) return tac_fail_memory(error, 0);
    return TAC_OK;
}

void tac_zones_remove(TacZones *zones, uint32_t object) {
    if (object >= zones->object_count) return;
    unfile(zones, object);
    zones->objects[object].present = false;
}

// --- the size of zones ------------------------------------------------------------------------------------

static double wanted_size(const TacZones *zones) {
    double sum = 0;
    size_t n = 0;
    for (size_t i = 0; i < zones->object_count; i++) {
        const TacZoneObject *o = &zones->objects[i];
        double extent = o->present ? extent_of(&o->bounds) : INFINITY;
        if (!(extent < INFINITY)) continue;
        sum += extent;
        n++;
    }
    double mean = n ? sum / (double)n : 0;
    return mean > 0 && mean < 1e300 ? 4 * mean : 1;
}

// Chooses the size anew where needed, or throws away zones that nobody is in any more.
static bool refresh(TacZones *zones) {
    double size = wanted_size(zones);
    bool crowded = zones->zone_count > 64 + 8 * zones->object_count;
    if (zones->size > 0 && size < 2 * zones->size && size > 0.5 * zones->size && !crowded) return true;
    for (size_t i = 0; i < zones->zone_count; i++) tac_sweep_free(&zones->zones[i].sweep);
    zones->zone_count = zones->wide_count = 0;
    if (zones->slot_count) memset(zones->slots, 0, zones->slot_count * sizeof *zones->slots);
    zones->size = size;
    for (size_t i = 0; i < zones->object_count; i++) zones->objects[i].filed = zones->objects[i].wide = false;
    for (size_t i = 0; i < zones->object_count; i++)
        if (zones->objects[i].present && !file(zones, (uint32_t)i)) return false;
    return true;
}

// --- pairs ------------------------------------------------------------------------------------------------

static bool add_pair(TacZones *zones, uint32_t a, uint32_t b) {
    if (!tac_grow(&zones->pairs, &zones->pair_capacity, zones->pair_count + 1, sizeof *zones->pairs))
        return false;
    zones->pairs[zones->pair_count++] = (TacZonePair){a < b ? a : b, a < b ? b : a};
    return true;
}

static bool overlap(const TacZones *zones, uint32_t a, uint32_t b) {
    return tac_kdop_overlap(&zones->objects[a].bounds, &zones->objects[b].bounds, zones->axes);
}

// Whether this zone is the one that reports a pair.
static bool reports(const TacZones *zones, const int32_t at[3], uint32_t a, uint32_t b) {
    const int32_t *la = zones->objects[a].low, *lb = zones->objects[b].low;
    for (int k = 0; k < 3; k++)
        if (at[k] != (la[k] > lb[k] ? la[k] : lb[k])) return false;
    return true;
}

typedef struct Visit {
    TacZones *zones;
    const TacZone *zone;
} Visit;

static bool visit_pair(void *data, uint32_t a, uint32_t b) {
    const Visit *v = data;
    if (!reports(v->zones, v->zone->at, a, b)) return true;
    // the sweep has compared three axes
    if (v->zones->axes > 3 && !overlap(v->zones, a, b)) return true;
    return add_pair(v->zones, a, b);
}

static bool zone_pairs(TacZones *zones, TacZone *zone) {
    TacSweep *sweep = &zone->sweep;
    if (sweep->count < 2) return true;
    for (size_t i = 0; i < sweep->count; i++) {
        const TacKdop *bounds = &zones->objects[sweep->entries[i].id].bounds;
        memcpy(sweep->entries[i].low, bounds->low, sizeof sweep->entries[i].low);
        memcpy(sweep->entries[i].high, bounds->high, sizeof sweep->entries[i].high);
    }
    tac_sweep_sort(sweep);
    Visit visit = {zones, zone};
    return tac_sweep_pairs(sweep, visit_pair, &visit);
}

static bool wide_pairs(TacZones *zones, uint32_t wide) {
    for (uint32_t i = 0; i < zones->object_count; i++) {
        const TacZoneObject *o = &zones->objects[i];
        if (!o->present || i == wide || (o->wide && i < wide) || !overlap(zones, wide, i)) continue;
        if (!add_pair(zones, wide, i)) return false;
    }
    return true;
}

// Counting sort by b, then by a.
static bool sort_pairs(TacZones *zones) {
    size_t n = zones->pair_count, keys = zones->object_count + 1;
    if (!tac_grow(&zones->sorted, &zones->sorted_capacity, n, sizeof *zones->sorted) ||
        !tac_grow(&zones->counts, &zones->count_capacity, keys, sizeof *zones->counts))
        return false;
    for (int pass = 0; pass < 2; pass++) {
        const TacZonePair *from = pass ? zones->sorted : zones->pairs;
        TacZonePair *to = pass ? zones->pairs : zones->sorted;
        memset(zones->counts, 0, keys * sizeof *zones->counts);
        for (size_t i = 0; i < n; i++) zones->counts[(pass ? from[i].a : from[i].b) + 1]++;
        for (size_t k = 1; k < keys; k++) zones->counts[k] += zones->counts[k - 1];
        for (size_t i = 0; i < n; i++) to[zones->counts[pass ? from[i].a : from[i].b]++] = from[i];
    }
    return true;
}

TacStatus tac_zones_pairs(TacZones *zones, const TacZonePair **pairs, size_t *count, TacError *error) {
    zones->pair_count = 0;
    *pairs = NULL;
    *count = 0;
    bool fine = refresh(zones);
    for (size_t i = 0; fine && i < zones->zone_count; i++) fine = zone_pairs(zones, &zones->zones[i]);
    for (size_t i = 0; fine && i < zones->wide_count; i++) fine = wide_pairs(zones, zones->wide[i]);
    if (!fine || !sort_pairs(zones)) return tac_fail_memory(error, 0);
    *pairs = zones->pairs;
    *count = zones->pair_count;
    return TAC_OK;
}

static bool near_in_zone(TacZones *zones, uint32_t object, const int32_t at[3]) {
    const TacZone *zone = find_zone(zones, at);
    for (size_t i = 0; zone && i < zone->sweep.count; i++) {
        uint32_t other = zone->sweep.entries[i].id;
        if (other == object || !reports(zones, at, object, other) || !overlap(zones, object, other)) continue;
        if (!add_pair(zones, object, other)) return false;
    }
    return true;
}

TacStatus tac_zones_near(TacZones *zones, uint32_t object, const TacZonePair **pairs, size_t *count,
                         TacError *error) {
    zones->pair_count = 0;
    *pairs = NULL;
    *count = 0;
    if (object >= zones->object_count || !zones->objects[object].present) return TAC_OK;
    bool fine = zones->size > 0 || refresh(zones);
    const TacZoneObject *o = &zones->objects[object];
    if (fine && o->wide) {
        for (uint32_t i = 0; fine && i < zones->object_count; i++)
            if (i != object && zones->objects[i].present && overlap(zones, object, i))
                fine = add_pair(zones, object, i);
    } else {
        int32_t at[3];
        for (at[0] = o->low[0]; fine && at[0] <= o->high[0]; at[0]++)
            for (at[1] = o->low[1]; fine && at[1] <= o->high[1]; at[1]++)
                for (at[2] = o->low[2]; fine && at[2] <= o->high[2]; at[2]++)
                    fine = near_in_zone(zones, object, at);
        for (size_t i = 0; fine && i < zones->wide_count; i++)
            if (overlap(zones, object, zones->wide[i])) fine = add_pair(zones, object, zones->wide[i]);
    }
    if (!fine || !sort_pairs(zones)) return tac_fail_memory(error, 0);
    *pairs = zones->pairs;
    *count = zones->pair_count;
    return TAC_OK;
}
