// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// What is seen of a stage: its frame, and the colours of points.

#include "base/memory.h"
#include "view/stage.h"

#include "world/look.h"

#include <math.h>

// --- meshes -----------------------------------------------------------------------------------------------

static bool same_ints(TacInts a, TacInts b) {
    return a.data == b.data && a.count == b.count;
}

static void note_meshes(TacStage *s) {
    for (size_t t = 0; t < s->what.track_count; t++) {
        const TacTrackMesh *now =
            s->recording ? tac_recording_mesh(s->recording, t) : s->frame->tracks[t].mesh;
        if (!now ||
            (same_ints(now->triangles, s->meshes[t].triangles) && same_ints(now->edges, s->meshes[t].edges)))
            continue;
        s->meshes[t] = *now;
        s->changed[t] = 1;
    }
}

TacStatus tac_stage_look(TacStage *s, TacError *error) {
    if (!s->stale) return TAC_OK;
    if (s->recording)
        TAC_TRY(tac_recording_frame(s->recording, s->at, &s->frame, error));
    else
        s->frame = tac_world_frame(s->world);
    s->stale = false;
    note_meshes(s);
    return TAC_OK;
}

// --- colours ----------------------------------------------------------------------------------------------

const char *const tac_colour_names[TAC_COLOURS] = {"none",    "speed",  "agent",      "time", "class",
                                                   "tension", "stress", "resolution", "layer"};

// What is asked of components, by colour; -1: not theirs.
static int scalar_for(TacColourBy colour) {
    switch (colour) {
    case TAC_COLOUR_TENSION: return TAC_SCALAR_TENSION;
    case TAC_COLOUR_STRESS: return TAC_SCALAR_STRESS;
    case TAC_COLOUR_RESOLUTION: return TAC_SCALAR_RESOLUTION;
    case TAC_COLOUR_LAYER: return TAC_SCALAR_LAYER;
    default: return -1;
    }
}

bool tac_stage_can_colour(const TacStage *s, TacColourBy colour) {
    int scalar = scalar_for(colour);
    if (colour == TAC_COLOUR_NONE || colour == TAC_COLOUR_SPEED) return true;
    return s->world && (scalar < 0 || tac_world_can_show(s->world, scalar));
}

bool tac_stage_colour(TacStage *s, const char *by) {
    for (int i = 0; i < TAC_COLOURS; i++) {
        if (strcmp(by, tac_colour_names[i])) continue;
        bool can = tac_stage_can_colour(s, (TacColourBy)i);
        s->colour = can ? (TacColourBy)i : TAC_COLOUR_NONE;
        return can;
    }
    return false;
}

// The speed of every point, where velocities are known.
static bool fill_speeds(float *to, const TacTrackDef *track, const double *v, size_t count) {
    size_t n = (size_t)tac_velocity_size(track->kind), linear = n == 6                      ? 3
                                                                : track->kind == TAC_RIGID2 ? 2
                                                                                            : n;
    for (size_t i = 0; v && i < count; i++) {
        double square = 0;
        for (size_t k = 0; k < linear; k++) square += v[n * i + k] * v[n * i + k];
        to[i] = (float)sqrt(square);
    }
    return v != NULL;
}

// What is the same for all points of one matter.
static float scalar_of(const TacWorld *world, size_t matter, TacColourBy colour) {
    uint32_t owner = world->hands.owner[matter];
    const TacMatter *root = world->matters[world->hands.root[matter]];
    switch (colour) {
    case TAC_COLOUR_AGENT: return owner == UINT32_MAX ? -1.0f : (float)owner;
    case TAC_COLOUR_TIME: return (float)tac_seconds(world->base, root->time);
    case TAC_COLOUR_CLASS:
        return owner == UINT32_MAX ? 0.0f : (float)log2(world->tickers[owner].step / world->base.beat);
    default: return 0.0f;
    }
}

// Numbers that components show: each track has its own, or none.
static bool fill_from_components(TacStage *s, int scalar) {
    if (!s->sheet && tac_scalar_sheet_create(&s->sheet, s->world, NULL) != TAC_OK) return false;
    tac_scalar_sheet_fill(s->sheet, scalar);
    for (size_t t = 0; t < s->what.track_count; t++)
        s->scalar_tracks[t].values = tac_scalar_sheet_values(s->sheet, t);
    return true;
}

static void fill_scalars(TacStage *s) {
    int scalar = s->world ? scalar_for(s->colour) : -1;
    if (scalar >= 0 && fill_from_components(s, scalar)) return;
    float *to = s->scalars;
    for (size_t t = 0; t < s->what.track_count; t++) {
        const TacTrackDef *track = &s->what.tracks[t];
        size_t count = s->frame->tracks[t].count;
        bool fits = count <= track->point_count, any = fits;
        if (fits && s->colour == TAC_COLOUR_SPEED) {
            const double *v =
                s->world ? s->world->matters[t]->vectors[TAC_V_SHOWN] : s->frame->tracks[t].velocities;
            any = fill_speeds(to, track, v, count);
        } else if (fits) {
            float value = s->world ? scalar_of(s->world, t, s->colour) : 0;
            for (size_t i = 0; i < count; i++) to[i] = value;
        }
        s->scalar_tracks[t].values = any ? to : NULL;
        to += track->point_count;
    }
}

TacStatus tac_stage_encode(TacStage *s, TacBytes *out, uint32_t number, double rate, TacError *error) {
    TAC_TRY(tac_stage_look(s, error));
    if (s->colour) fill_scalars(s);
    TacFrame frame = *s->frame;
    if (s->channels) frame.channels = tac_channels_read(s->channels, s->frame);
    if (!tac_frame_encode(out, &s->what, &frame, number, rate, s->colour, s->scalar_tracks))
        return tac_fail_memory(error, 0);
    return TAC_OK;
}
