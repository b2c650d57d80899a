// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Room for agents that look at layers; see layer_room.h.

#include "contact/layer_room.h"
#include "contact/layer_borne.h"
#include "contact/safe_parts.h"

static void lock(TacSafe *safe) {
    while (__atomic_test_and_set(&safe->rooms_locked, __ATOMIC_ACQUIRE)) {
    }
}

static void unlock(TacSafe *safe) {
    __atomic_clear(&safe->rooms_locked, __ATOMIC_RELEASE);
}

TacLayerRoom *tac_layer_room_take(TacSafe *safe) {
    lock(safe);
    TacLayerRoom *room = safe->rooms;
    if (room) safe->rooms = room->next;
    unlock(safe);
    if (!room) room = calloc(1, sizeof *room);
    if (room &&
        tac_grow_bare(&room->shared, &room->shared_capacity, safe->support_count, sizeof *room->shared))
        return room;
    if (room) tac_layer_room_give(safe, room);
    return NULL;
}

void tac_layer_room_give(TacSafe *safe, TacLayerRoom *room) {
    lock(safe);
    room->next = safe->rooms;
    safe->rooms = room;
    unlock(safe);
}

void tac_layer_rooms_free(TacLayerRoom *rooms) {
    while (rooms) {
        TacLayerRoom *room = rooms;
        rooms = room->next;
        void *blocks[] = {room->shared,  room->holds, room->lines,  room->sides,  room->points,
                          room->weights, room->seen,  room->slips,  room->beside, room->arms,
                          room->borne,   room->props, room->pushed, room};
        tac_mixing_free(&room->mixing);
        for (size_t i = 0; i < TAC_COUNT(blocks); i++) free(blocks[i]);
    }
}

size_t tac_layer_rooms_bytes(const TacLayerRoom *rooms) {
    size_t bytes = 0;
    for (const TacLayerRoom *room = rooms; room; room = room->next)
        bytes += sizeof *room + room->shared_capacity * sizeof *room->shared +
                 room->hold_capacity * sizeof *room->holds + room->line_capacity * sizeof *room->lines +
                 room->side_capacity * sizeof *room->sides + room->slip_capacity * sizeof *room->slips +
                 room->point_capacity * sizeof *room->points + room->weight_capacity * sizeof *room->weights +
                 room->beside_capacity * sizeof *room->beside + room->arm_capacity * sizeof *room->arms +
                 room->borne_capacity * sizeof *room->borne + room->prop_capacity * sizeof *room->props +
                 room->pushed_capacity * sizeof *room->pushed + room->seen_bytes +
                 tac_mixing_bytes(&room->mixing);
    return bytes;
}

const uint64_t *tac_layer_room_pairs(TacLayerRoom *room, const TacSafe *safe, size_t *count) {
    uint64_t *list = (void *)room->shared;
    size_t had = room->shared_capacity * sizeof *room->shared / sizeof *list, capacity = had;
    bool fits = tac_safe_list_armed(safe, &list, &capacity, count);
    if (capacity > had) {
        room->shared = (void *)list;
        room->shared_capacity = capacity * sizeof *list / sizeof *room->shared;
    }
    return fits ? list : NULL;
}

void tac_layer_room_empty(TacLayerRoom *room, uint32_t support) {
    room->shared[support].load = (TacLayerLoad){0};
}

void tac_layer_room_load(TacLayerRoom *room, uint32_t support, double weight, const double normal[3]) {
    for (int k = 0; k < 3; k++) room->shared[support].load.push[k] += (float)(weight * normal[k]);
}

double tac_layer_room_more(const TacLayerRoom *room, const TacSafe *safe, uint32_t support, double weight,
                           const double normal[3]) {
    const TacSupport *s = &safe->supports[support];
    double more = 0;
    for (int k = 0; k < 3 && tac_support_bound(s) > 0; k++) {
        double push = weight * normal[k];
        more += tac_support_w(s, k) * push * (room->shared[support].load.push[k] - push);
    }
    return more;
}
