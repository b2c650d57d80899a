// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// What is seen of a stage: its frame, the colours of points, and overlays.

#include "base/memory.h"
#include "view/stage.h"

#include "tactus/contact.h"
#include "world/world.h"

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

static TacStatus take_frame(TacStage *s, TacError *error) {
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

bool tac_stage_colour(TacStage *s, const char *by) {
    static const char *const names[TAC_COLOURS] = {"none",    "speed",  "agent",      "time", "class",
                                                   "tension", "stress", "resolution", "layer"};
    for (int i = 0; i < TAC_COLOURS; i++) {
        if (strcmp(by, names[i])) continue;
        bool known = i == TAC_COLOUR_NONE || (s->world && i <= TAC_COLOUR_CLASS) || i == TAC_COLOUR_SPEED;
        s->colour = known ? (TacColourBy)i : TAC_COLOUR_NONE;
        return known;
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

static void fill_scalars(TacStage *s) {
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
    TAC_TRY(take_frame(s, error));
    if (s->colour) fill_scalars(s);
    if (!tac_frame_encode(out, &s->what, s->frame, number, rate, s->colour, s->scalar_tracks))
        return tac_fail_memory(error, 0);
    return TAC_OK;
}

// --- overlays ---------------------------------------------------------------------------------------------

static TacSegment segment(TacVec3 a, TacVec3 b, double value) {
    return (TacSegment){
        {(float)a.x, (float)a.y, (float)a.z}, {(float)b.x, (float)b.y, (float)b.z}, (float)value};
}

// What hands pull: from the place held to the target, with the force.
static TacSegment *overlay_forces(TacStage *s, size_t *count) {
    TacSegment *segments = s->world ? calloc(TAC_HANDS, sizeof *segments) : NULL;
    for (int h = 0; segments && h < TAC_HANDS; h++) {
        TacVec3 force, place;
        if (!tac_world_hand_force(s->world, h, &force, &place)) continue;
        segments[(*count)++] = segment(place, s->world->hands.state.holds[h].target, tac_norm(force));
    }
    return segments;
}

static size_t put_box(TacSegment *to, const double low[3], const double high[3], double value) {
    size_t n = 0;
    for (int axis = 0; axis < 3; axis++)
        for (int k = 0; k < 4; k++) {
            double a[3], b[3];
            int u = (axis + 1) % 3, w = (axis + 2) % 3;
            a[axis] = low[axis];
            b[axis] = high[axis];
            a[u] = b[u] = k & 1 ? high[u] : low[u];
            a[w] = b[w] = k & 2 ? high[w] : low[w];
            to[n++] = segment(tac_load3(a), tac_load3(b), value);
        }
    return n;
}

// The box around each visible track.
static TacSegment *overlay_boxes(TacStage *s, size_t *count) {
    TacSegment *segments = calloc(12 * s->what.track_count + 1, sizeof *segments);
    for (size_t t = 0; segments && t < s->what.track_count; t++) {
        const TacFrameTrack *track = &s->frame->tracks[t];
        size_t n = (size_t)tac_position_size(s->what.tracks[t].kind);
        size_t d = s->what.tracks[t].kind == TAC_RIGID2 ? 2 : n > 3 ? 3 : n;
        double low[3] = {0, 0, 0}, high[3] = {0, 0, 0};
        if (!s->what.tracks[t].visible || !track->count) continue;
        for (size_t i = 0; i < track->count; i++)
            for (size_t k = 0; k < d; k++) {
                double x = track->positions[n * i + k];
                low[k] = i ? fmin(low[k], x) : x;
                high[k] = i ? fmax(high[k], x) : x;
            }
        *count += put_box(segments + *count, low, high, (double)t);
    }
    return segments;
}

static double scene_size(const TacStage *s) {
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY}, square = 0;
    for (size_t t = 0; t < s->what.track_count; t++) {
        const TacFrameTrack *track = &s->frame->tracks[t];
        size_t n = (size_t)tac_position_size(s->what.tracks[t].kind);
        for (size_t i = 0; n >= 3 && i < track->count; i++)
            for (size_t k = 0; k < 3; k++) {
                low[k] = fmin(low[k], track->positions[n * i + k]);
                high[k] = fmax(high[k], track->positions[n * i + k]);
            }
    }
    for (int k = 0; k < 3; k++) square += (high[k] - low[k]) * (high[k] - low[k]);
    return isfinite(square) ? sqrt(square) : 1;
}

// Where things push each other: lines along the force, the strongest a twentieth of the scene long.
static TacSegment *overlay_contacts(TacStage *s, size_t *count) {
    enum { MOST = 20000 };
    TacContactPoint *points = s->world ? calloc(MOST, sizeof *points) : NULL;
    size_t n = points ? tac_world_contact_points(s->world, points, MOST) : 0;
    if (n > MOST) n = MOST;
    TacSegment *segments = n ? calloc(n, sizeof *segments) : NULL;
    double most = 0, length = 0.05 * scene_size(s);
    for (size_t i = 0; i < n; i++) most = fmax(most, points[i].force);
    for (size_t i = 0; segments && i < n; i++) {
        const TacContactPoint *p = &points[i];
        segments[(*count)++] =
            segment(p->place, tac_axpy(p->place, length * p->force / most, p->normal), p->force);
    }
    free(points);
    return segments;
}

TacSegment *tac_stage_overlay(TacStage *s, int what, size_t *count) {
    *count = 0;
    if (take_frame(s, NULL) != TAC_OK) return NULL;
    if (what == 0) return overlay_contacts(s, count);
    if (what == 1) return overlay_forces(s, count);
    if (what == 2) return overlay_boxes(s, count);
    return NULL;
}
