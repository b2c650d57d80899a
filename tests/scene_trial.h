// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Trying out any scene whatsoever: it is compiled, and run where it is small. What is refused must be refused
// with a message; what is accepted must run the same way twice. Whatever else happens aborts.

#ifndef TACTUS_TESTS_SCENE_TRIAL_H
#define TACTUS_TESTS_SCENE_TRIAL_H

#include "tactus/tactus.h"

#include <stdlib.h>

enum { MOST_POINTS = 300, MOST_KICKS = 200, MOST_WORK = 5000, BEATS = 3, MOST_MEMORY = 64 << 20 };
static const double MOST_TIME = 1; // s: layers kick as often as they must

// A scene may ask for as many kicks and iterations as it likes; here only small ones are run.
static inline bool is_small(TacWorld *world) {
    TacWorldStats stats = tac_world_stats(world);
    if (stats.points >= MOST_POINTS || stats.agents + stats.free_laws > MOST_KICKS) return false;
    if (BEATS * tac_world_beat(world) > MOST_TIME) return false;
    double kicks = 0;
    for (size_t i = 0; i < stats.agents + stats.free_laws; i++)
        kicks += BEATS * tac_world_beat(world) / tac_world_agent(world, i).step;
    return kicks < MOST_KICKS && kicks * (double)stats.points < MOST_WORK;
}

static inline void lower_iterations(TacWorld *world, TacScene *scene) {
    TacNodeId nodes[64];
    TacComponentId components[64];
    size_t node_count = tac_scene_nodes(scene, nodes, 64);
    for (size_t n = 0; n < node_count && n < 64; n++) {
        size_t count = tac_scene_components(scene, nodes[n], components, 64);
        for (size_t c = 0; c < count && c < 64; c++)
            tac_world_set(world, components[c], "iterations", "10", NULL);
    }
}

static inline void look(TacWorld *world) {
    TacError error;
    if (!tac_world_recording_def(world, &error)) abort();
    if (!tac_world_frame(world)) abort();
    tac_world_energy(world);
    tac_world_momentum(world);
}

static inline void run_twice(TacWorld *world, TacScene *scene) {
    TacError error = {0};
    lower_iterations(world, scene);
    look(world);
    size_t bytes = tac_world_snapshot_size(world);
    void *saved = malloc(bytes);
    if (!saved || tac_world_save(world, saved, bytes, &error) != TAC_OK) abort();
    TacStatus first = tac_world_advance_beats(world, BEATS, &error);
    if (first != TAC_OK && !error.message[0]) abort();
    uint64_t hash = tac_world_hash(world);
    look(world);
    if (tac_world_restore(world, saved, bytes, &error) != TAC_OK) abort();
    if (tac_world_advance_beats(world, BEATS, &error) != first || tac_world_hash(world) != hash) abort();
    free(saved);
}

// True when the scene became a world; `error` says why not.
static inline bool try_scene(TacScene *scene, bool has_lines, TacError *error) {
    *error = (TacError){0};
    TacWorldDef def = tac_world_def_default();
    def.memory = MOST_MEMORY;
    TacWorld *world = NULL;
    TacStatus status = tac_world_create(&world, scene, &def, error);
    if ((status == TAC_OK) != (world != NULL)) abort();
    if (status != TAC_OK && !error->message[0]) abort();
    if (status == TAC_BAD_INPUT && has_lines && !error->line) abort();
    if (world && is_small(world)) run_twice(world, scene);
    tac_world_destroy(world);
    return status == TAC_OK;
}

#endif
