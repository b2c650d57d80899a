// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Saving and restoring a world in memory: now, the scheduler, all matter, and what components declared as
// state.
//
// Layout: a header (sizes and a signature of the world's structure, so that only a world of the same scene
// takes it), the scheduler's bytes, the tickers that were due, then matter by matter (time, positions,
// velocities, pending kicks), then the declared blocks, what hands hold, and what contact remembers.

#include "world/snapshot.h"
#include "base/checksum.h"
#include "world/batch_parts.h"
#include "world/loose.h"
#include "world/merge.h"
#include "world/rest.h"
#include "world/stride.h"

typedef struct Header {
    char magic[8];
    uint64_t signature; // of kinds, counts and block sizes
    int64_t now;
    uint64_t prepared; // 1: yes; 3: hands have kicked, too
    uint64_t due_count, causal_bytes, touch_bytes, safe_bytes;
} Header;

static const char magic[8] = "TACSNAP";

static uint64_t fold(uint64_t hash, uint64_t value) {
    hash = (hash ^ value) * 0x9E3779B97F4A7C15ULL;
    return hash ^ (hash >> 31);
}

static uint64_t fold_text(uint64_t hash, const char *text) {
    for (; *text; text++) hash = fold(hash, (unsigned char)*text);
    return fold(hash, 0x100);
}

// What shows or watches a world has no part in its motion.
static bool only_shows(const TacComponent *c) {
    return c->cls == &tac_look_class || c->cls == &tac_camera_class || c->cls == &tac_record_class ||
           c->cls->kind == TAC_KIND_PROBE;
}

static bool moves_nothing(const TacComponent *c, const TacAttribute *a) {
    if (a->flags & TAC_OUTPUT) return true;
    return c->cls == &tac_world_class && (!strcmp(a->name, "duration") || !strcmp(a->name, "title"));
}

uint64_t tac_world_signature(const TacWorld *world) {
    uint64_t h = fold(1, world->matter_count);
    for (size_t i = 0; i < world->component_count; i++) {
        if (only_shows(world->components[i])) continue;
        h = fold_text(h, world->components[i]->cls->name);
        h = fold_text(h, world->components[i]->path);
    }
    for (size_t i = 0; i < world->matter_count; i++) {
        h = fold(h, (uint64_t)world->matters[i]->kind);
        h = fold(h, world->matters[i]->count);
    }
    for (size_t i = 0; i < world->block_count; i++) h = fold(h, world->blocks[i].bytes);
    h = fold(h, world->ticker_count);
    h = fold(h, (uint64_t)world->base.bits);
    h = fold(h, world->seed);
    h = fold(h, world->loose != NULL);
    uint64_t beat;
    memcpy(&beat, &world->base.beat, sizeof beat);
    return fold(h, beat);
}

static uint64_t fold_bytes(uint64_t hash, const void *data, size_t bytes) {
    return fold(fold(hash, bytes), bytes ? tac_checksum(data, bytes) : 0);
}

// Paths are left out: a folder may be moved.
static uint64_t fold_value(uint64_t h, const TacAttribute *a, const void *field) {
    switch (a->type) {
    case TAC_BOOL: return fold(h, *(const bool *)field);
    case TAC_INT: return fold_bytes(h, field, sizeof(int64_t));
    case TAC_REAL: return fold_bytes(h, field, sizeof(double));
    case TAC_VECTOR: return fold_bytes(h, field, sizeof(TacVec3));
    case TAC_TEXT: return fold_text(h, *(const char *const *)field);
    case TAC_CHOICE: return fold_bytes(h, field, sizeof(int));
    case TAC_REALS: {
        const TacReals *list = field;
        return fold_bytes(h, list->data, list->count * sizeof *list->data);
    }
    case TAC_INTS: {
        const TacInts *list = field;
        return fold_bytes(h, list->data, list->count * sizeof *list->data);
    }
    case TAC_PATH:
    case TAC_LINK: break;
    }
    return h;
}

uint64_t tac_world_values(const TacWorld *world) {
    uint64_t h = 1;
    for (size_t i = 0; i < world->component_count; i++) {
        const TacComponent *c = world->components[i];
        if (only_shows(c)) continue;
        for (size_t k = 0; k < c->cls->attribute_count; k++) {
            const TacAttribute *a = &c->cls->attributes[k];
            if (!moves_nothing(c, a)) h = fold_value(h, a, (const char *)c + a->offset);
        }
    }
    return h;
}

// Walks through all state; copies out of the world (`out`), into it (`in`), or only counts.
typedef struct Walk {
    char *out;
    const char *in;
    size_t bytes;
} Walk;

static void piece(Walk *walk, void *data, size_t bytes) {
    if (walk->out) memcpy(walk->out + walk->bytes, data, bytes);
    if (walk->in) memcpy(data, walk->in + walk->bytes, bytes);
    walk->bytes += bytes;
}

static void walk_state(TacWorld *world, Walk *walk) {
    piece(walk, world->due, world->ticker_count * sizeof *world->due);
    for (size_t i = 0; i < world->matter_count; i++) {
        TacMatter *m = world->matters[i];
        piece(walk, &m->time, sizeof m->time);
        piece(walk, &m->arrival, sizeof m->arrival);
        const TacVector vectors[] = {TAC_X, TAC_V, TAC_DV, TAC_PART, TAC_AHEAD, TAC_X_NEXT, TAC_V_NEXT};
        for (size_t k = 0; k < TAC_COUNT(vectors); k++)
            if (m->vectors[vectors[k]])
                piece(walk, m->vectors[vectors[k]], tac_vector_size(m, vectors[k]) * sizeof(double));
    }
    for (size_t i = 0; i < world->block_count; i++)
        piece(walk, world->blocks[i].data, world->blocks[i].bytes);
    piece(walk, &world->hands.state, sizeof world->hands.state);
    piece(walk, world->hands.sphere_stiffness, world->matter_count * sizeof(double));
}

static size_t safe_bytes(const TacWorld *world) {
    return world->safe ? tac_safe_save_bytes(world->safe) : 0;
}

static size_t touch_bytes(const TacWorld *world) {
    size_t touch = world->touch && !world->loose ? tac_touch_save_bytes(&world->touch->touch) : 0;
    return touch + tac_world_loose_save_bytes(world);
}

size_t tac_world_snapshot_size(const TacWorld *world) {
    Walk walk = {NULL, NULL, 0};
    walk_state((TacWorld *)world, &walk); // only counts
    return sizeof(Header) + tac_causal_save_bytes(&world->causal) + walk.bytes + touch_bytes(world) +
           safe_bytes(world);
}

TacStatus tac_world_save(TacWorld *world, void *data, size_t bytes, TacError *error) {
    if (bytes < tac_world_snapshot_size(world))
        return tac_fail(error, TAC_BAD_USAGE, "a snapshot of this world needs %zu bytes",
                        tac_world_snapshot_size(world));
    Header header = {.signature = tac_world_signature(world),
                     .now = world->now,
                     .prepared = world->prepared ? 1 + 2 * (uint64_t)world->hands_kicked : 0,
                     .due_count = world->due_count,
                     .causal_bytes = tac_causal_save_bytes(&world->causal),
                     .touch_bytes = touch_bytes(world),
                     .safe_bytes = safe_bytes(world)};
    memcpy(header.magic, magic, sizeof magic);
    memcpy(data, &header, sizeof header);
    tac_causal_save(&world->causal, (char *)data + sizeof header);
    Walk walk = {(char *)data + sizeof header + header.causal_bytes, NULL, 0};
    walk_state(world, &walk);
    if (world->loose)
        tac_world_loose_save(world, walk.out + walk.bytes);
    else if (world->touch)
        tac_touch_save(&world->touch->touch, walk.out + walk.bytes);
    if (world->safe) tac_safe_save(world->safe, walk.out + walk.bytes + header.touch_bytes);
    return TAC_OK;
}

// Times that no run can have would be read as places in arrays, or let time run for ever.
static bool times_are_sound(const TacWorld *world, TacTick now) {
    TacTick most = world->loose ? TAC_TICK_NEVER / 2 : now;
    for (size_t i = 0; i < world->matter_count; i++) {
        const TacMatter *m = world->matters[i];
        if (m->time < 0 || m->time > most || m->arrival < -1 || m->arrival > TAC_TICK_NEVER / 2) return false;
        if (m->arrival >= 0 && (!m->vectors[TAC_X_NEXT] || !m->vectors[TAC_V_NEXT])) return false;
        for (size_t k = 0; m->times && k < m->count; k++)
            if (m->times[k] < 0 || m->times[k] > most) return false;
    }
    return true;
}

// As a byte: a truth value may only be 0 or 1.
static bool is_truth(const bool *value) {
    unsigned char byte;
    memcpy(&byte, value, 1);
    return byte <= 1;
}

// What was read, before anything is made of it.
static bool is_sound(const TacWorld *world, const Header *header) {
    for (size_t i = 0; i < header->due_count; i++)
        if (world->due[i] >= world->ticker_count) return false;
    for (size_t i = 0; i < world->ticker_count; i++)
        if (!is_truth(&world->tickers[i].in_parts)) return false;
    for (size_t i = 0; i < world->component_count; i++) {
        const TacComponent *c = world->components[i];
        if (c->cls->kind == TAC_KIND_JOINT && !is_truth(&((const TacJoint *)c)->open)) return false;
        if (c->cls->state_is_sound && !c->cls->state_is_sound(c)) return false;
    }
    return times_are_sound(world, header->now);
}

// Certificates are found anew; kicks that were pending are still to be added.
static TacStatus restore_contact(TacWorld *world, const char *data, size_t bytes, TacError *error) {
    TacStatus status = tac_world_reshape_all(world, error);
    if (status == TAC_OK) status = tac_safe_restore(world->safe, data, bytes, world->now, error);
    world->failed = status != TAC_OK;
    for (size_t i = 0; world->prepared && i < world->matter_count; i++) {
        const TacMatter *m = world->matters[i];
        uint32_t first = m->times ? world->first_support[m->base.index] : UINT32_MAX;
        for (uint32_t k = 0; first != UINT32_MAX && k < m->count; k++)
            tac_safe_kicked_support(world->safe, first + k);
    }
    if (world->limits && status == TAC_OK) {
        tac_limits_take_falls(world->limits);
        status = tac_limits_start(world->limits, world->now, error);
        world->failed = status != TAC_OK;
        if (world->prepared) tac_limits_resume(world->limits);
    }
    return status;
}

TacStatus tac_world_restore(TacWorld *world, const void *data, size_t bytes, TacError *error) {
    Header header;
    if (bytes < sizeof header) return tac_fail(error, TAC_BAD_INPUT, "not a snapshot: too short");
    memcpy(&header, data, sizeof header);
    if (memcmp(header.magic, magic, sizeof magic)) return tac_fail(error, TAC_BAD_INPUT, "not a snapshot");
    if (header.signature != tac_world_signature(world))
        return tac_fail(error, TAC_BAD_INPUT,
                        "the snapshot is of another scene (other matter or components)");
    Walk count = {NULL, NULL, 0};
    walk_state(world, &count);
    if (header.causal_bytes > bytes || header.safe_bytes > bytes || header.touch_bytes > bytes ||
        (header.touch_bytes > 0) != (world->touch || world->loose) ||
        sizeof header + header.causal_bytes + count.bytes + header.touch_bytes + header.safe_bytes != bytes ||
        header.due_count > world->ticker_count || header.now < 0 || header.now > TAC_TICK_NEVER / 2)
        return tac_fail(error, TAC_BAD_INPUT, "the snapshot is damaged");
    const char *at = (const char *)data + sizeof header;
    TAC_TRY(tac_causal_restore(&world->causal, at, (size_t)header.causal_bytes, (uint32_t)world->ticker_count,
                               error));
    world->failed = true; // until all of it is there
    Walk walk = {NULL, at + header.causal_bytes, 0};
    const char *contact = at + header.causal_bytes + count.bytes;
    if (world->touch && !world->loose)
        TAC_TRY(tac_touch_restore(&world->touch->touch, contact, (size_t)header.touch_bytes, error));
    walk_state(world, &walk);
    if (!is_sound(world, &header) || !tac_world_merge_restored(world) || !tac_world_rest_restored(world) ||
        !tac_world_strides_restored(world) || !tac_batch_parts_restored(world))
        return tac_fail(error, TAC_BAD_INPUT, "the snapshot is damaged");
    for (size_t i = 0; i < world->levels.count; i++) tac_levels_mark(world->levels.list[i]);
    TacHands *hands = &world->hands;
    if (!tac_hands_arrange(world)) {
        memset(&hands->state, 0, sizeof hands->state);
        tac_hands_arrange(world);
        return tac_fail(error, TAC_BAD_INPUT, "the snapshot is damaged");
    }
    if (hands->state.input_count < hands->input_count) hands->input_count = (size_t)hands->state.input_count;
    if (world->loose) TAC_TRY(tac_world_loose_restore(world, contact, (size_t)header.touch_bytes, error));
    world->now = header.now;
    world->prepared = header.prepared & 1;
    world->hands_kicked = header.prepared >> 1 & 1;
    world->due_count = (size_t)header.due_count;
    world->failed = false;
    world->failure.status = TAC_OK;
    world->shown = -1;
    tac_hands_script_rewind(world);
    return world->safe ? restore_contact(world, walk.in + walk.bytes + header.touch_bytes,
                                         (size_t)header.safe_bytes, error)
                       : TAC_OK;
}
