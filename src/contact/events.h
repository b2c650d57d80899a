// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// A bounded list of what happened, oldest first (tactus/contact.h). Whoever looks takes events off; when it is
// full the oldest is lost and counted.

#ifndef TACTUS_CONTACT_EVENTS_H
#define TACTUS_CONTACT_EVENTS_H

#include "tactus/contact.h"

typedef struct TacEvents {
    TacContactEvent *items; // NULL: nobody keeps any
    size_t capacity, first, count;
    uint64_t lost;
} TacEvents;

static inline void tac_events_push(TacEvents *events, const TacContactEvent *event) {
    if (!events->capacity) return;
    if (events->count == events->capacity) {
        events->first = (events->first + 1) % events->capacity;
        events->count--;
        events->lost++;
    }
    events->items[(events->first + events->count++) % events->capacity] = *event;
}

static inline bool tac_events_take(TacEvents *events, TacContactEvent *event) {
    if (!events->count) return false;
    *event = events->items[events->first];
    events->first = (events->first + 1) % events->capacity;
    events->count--;
    return true;
}

#endif
