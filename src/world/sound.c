// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Hearing a world, sample by sample: only the points that are listened to are brought to now, so that a sample
// costs nothing that grows with the world.

#include "world/world.h"

// Brings one point's TAC_X_SHOWN and TAC_V_SHOWN to now. False where all must be shown: frames, mapped matter, and
// matter that a solver moves.
static bool show_point(const TacWorld *world, const TacMatter *m, size_t point) {
    if (m->mapped || m->carried || m->kind == TAC_RIGID2 || m->kind == TAC_RIGID3 || m->arrival > m->time)
        return false;
    size_t at = (size_t)m->position_size * point;
    double s = tac_seconds(world->base, world->now - (m->times ? m->times[point] : m->time));
    tac_matter_fly_one(m, point, s, m->vectors[TAC_X] + at, m->vectors[TAC_V] + at,
                       m->vectors[TAC_X_SHOWN] + at, m->vectors[TAC_V_SHOWN] + at);
    return true;
}

size_t tac_world_listen_count(const TacWorld *world) {
    return world->listen_count;
}

double tac_world_listen_pan(const TacWorld *world, size_t i) {
    return i < world->listen_count ? world->listens[i]->pan : 0.5;
}

const char *tac_world_listen_name(const TacWorld *world, size_t i) {
    return i < world->listen_count ? world->listens[i]->base.path : NULL;
}

void tac_world_listen(TacWorld *world, double *heard) {
    TacContext context = {tac_world_time(world), world->base.beat, world->team};
    for (size_t i = 0; i < world->listen_count; i++) {
        const TacListen *listen = world->listens[i];
        bool there = world->shown == world->now ||
                     (show_point(world, listen->matter, (size_t)listen->point) &&
                      (!listen->is_link || show_point(world, listen->other, (size_t)listen->other_point)));
        if (!there) tac_world_show(world);
        heard[i] = listen->base.cls->ops.probe->value((void *)listen, &context);
    }
}
