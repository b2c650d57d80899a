// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Compares two recordings: are they the same to the last bit, and if not, by how much do their points differ?
//
// Tracks and channels are paired by name, frames by number. `same` looks at bits (so that -0 and 0, or two
// kinds of NaN, differ) and at everything a run makes: times, counts, meshes, positions, velocities,
// channels. How things are drawn (colors, camera, ground) and where they came from is not compared. Reads
// both, changes neither.

#include "base/memory.h"
#include "record/chunk.h"

#include <string.h>

typedef struct Pair {
    size_t a, b;
} Pair;

// Sums over all frames, per pair of tracks.
typedef struct Sum {
    double squares;
    size_t count;
} Sum;

typedef struct Comparison {
    TacRecording *a, *b;
    const TacRecordingDef *def_a, *def_b;
    Pair *tracks, *channels; // the ones in both
    size_t track_count, channel_count;
    Sum *sums;
    bool *channel_differs;
    TacDifference *result;
} Comparison;

typedef struct Named {
    const char *name;
    size_t index;
} Named;

static int by_name(const void *x, const void *y) {
    const Named *a = x, *b = y;
    return strcmp(a->name, b->name);
}

// A sorted list of names, so that pairing takes n log n.
static Named *sort_names(TacArena *arena, size_t count, const char *(*name)(const TacRecordingDef *, size_t),
                         const TacRecordingDef *def) {
    Named *list = tac_arena_array(arena, count, sizeof *list);
    for (size_t i = 0; list && i < count; i++) list[i] = (Named){name(def, i), i};
    if (list && count > 1) qsort(list, count, sizeof *list, by_name);
    return list;
}

static const char *track_name(const TacRecordingDef *def, size_t i) {
    return def->tracks[i].name;
}

static const char *channel_name(const TacRecordingDef *def, size_t i) {
    return def->channels[i].name;
}

// Wall time says how fast the machine was, not what happened: it never counts as a difference.
static bool is_of_the_machine(const char *name) {
    static const char ending[] = "wall time";
    size_t length = strlen(name), n = sizeof ending - 1;
    return length >= n && !strcmp(name + length - n, ending);
}

// Pairs in the order of the first recording.
static TacStatus pair_up(TacArena *arena, Comparison *c, size_t count_a, size_t count_b,
                         const char *(*name)(const TacRecordingDef *, size_t), Pair **pairs, size_t *count,
                         TacError *error) {
    Named *sorted = sort_names(arena, count_b, name, c->def_b);
    *pairs = tac_arena_array(arena, count_a, sizeof **pairs);
    if (!sorted || !*pairs) return tac_fail_memory(error, count_a * sizeof **pairs);
    for (size_t i = 0; i < count_a; i++) {
        Named key = {name(c->def_a, i), 0};
        const Named *found = count_b ? bsearch(&key, sorted, count_b, sizeof *sorted, by_name) : NULL;
        if (found) (*pairs)[(*count)++] = (Pair){i, found->index};
    }
    return TAC_OK;
}

static bool same_bits(const double *a, const double *b, size_t count) {
    return count == 0 || memcmp(a, b, count * sizeof *a) == 0;
}

static bool same_list(TacInts a, TacInts b) {
    return a.count == b.count && (a.count == 0 || memcmp(a.data, b.data, a.count * sizeof *a.data) == 0);
}

static bool same_mesh(const TacTrackMesh *a, const TacTrackMesh *b) {
    return same_list(a->triangles, b->triangles) && same_list(a->edges, b->edges) &&
           same_list(a->tetrahedra, b->tetrahedra);
}

// Numbers that agree in their bits do not differ, even NaN; a NaN on one side differs without bound.
static double difference_of(double a, double b) {
    if (memcmp(&a, &b, sizeof a) == 0) return 0;
    double d = fabs(a - b);
    return isnan(d) ? (double)INFINITY : d;
}

static void measure(TacTrackDifference *track, Sum *sum, const double *a, const double *b, size_t count,
                    double time) {
    for (size_t i = 0; i < count; i++) {
        double d = difference_of(a[i], b[i]);
        sum->squares += d * d;
        if (d > track->largest) {
            track->largest = d;
            track->largest_at = time;
        }
    }
    sum->count += count;
}

// Whether a pair of tracks is the same in this frame; measures it where the shapes allow it.
static bool compare_track(Comparison *c, size_t i, const TacFrame *a, const TacFrame *b) {
    Pair pair = c->tracks[i];
    const TacFrameTrack *x = &a->tracks[pair.a], *y = &b->tracks[pair.b];
    TacTrackDifference *track = &c->result->tracks[i];
    TacMatterKind kind = c->def_a->tracks[pair.a].kind;
    if (kind != c->def_b->tracks[pair.b].kind || x->count != y->count) track->shape_differs = true;
    if (track->shape_differs) return false;

    size_t positions = x->count * (size_t)tac_position_size(kind);
    size_t velocities = x->count * (size_t)tac_velocity_size(kind);
    bool same = x->time == y->time && same_bits(x->positions, y->positions, positions) &&
                same_mesh(tac_recording_mesh(c->a, pair.a), tac_recording_mesh(c->b, pair.b));
    if (c->def_a->velocities && c->def_b->velocities)
        same = same && same_bits(x->velocities, y->velocities, velocities);
    measure(track, &c->sums[i], x->positions, y->positions, positions, a->time);
    return same;
}

static TacStatus compare_frame(Comparison *c, size_t number, bool *same, TacError *error) {
    const TacFrame *a, *b;
    TAC_TRY(tac_recording_frame(c->a, number, &a, error));
    TAC_TRY(tac_recording_frame(c->b, number, &b, error));
    *same = a->time == b->time;
    for (size_t i = 0; i < c->track_count; i++)
        if (!compare_track(c, i, a, b)) *same = false;
    for (size_t i = 0; i < c->channel_count; i++)
        if (!is_of_the_machine(channel_name(c->def_a, c->channels[i].a)) &&
            !same_bits(&a->channels[c->channels[i].a], &b->channels[c->channels[i].b], 1)) {
            c->channel_differs[i] = true;
            *same = false;
        }
    return TAC_OK;
}

static TacStatus prepare(TacArena *arena, Comparison *c, TacError *error) {
    TacDifference *d = c->result;
    TAC_TRY(pair_up(arena, c, c->def_a->track_count, c->def_b->track_count, track_name, &c->tracks,
                    &c->track_count, error));
    TAC_TRY(pair_up(arena, c, c->def_a->channel_count, c->def_b->channel_count, channel_name, &c->channels,
                    &c->channel_count, error));
    c->sums = tac_arena_array(arena, c->track_count, sizeof *c->sums);
    c->channel_differs = tac_arena_array(arena, c->channel_count, sizeof *c->channel_differs);
    d->tracks = calloc(c->track_count + 1, sizeof *d->tracks);
    if (!c->sums || !c->channel_differs || !d->tracks)
        return tac_fail_memory(error, c->track_count * sizeof *d->tracks);
    d->track_count = c->track_count;
    d->only_a = c->def_a->track_count - c->track_count;
    d->only_b = c->def_b->track_count - c->track_count;
    d->frames_a = tac_recording_frame_count(c->a);
    d->frames_b = tac_recording_frame_count(c->b);
    d->frames = d->frames_a < d->frames_b ? d->frames_a : d->frames_b;
    d->first_frame = SIZE_MAX;
    for (size_t i = 0; i < c->track_count; i++) {
        const TacTrackDef *x = &c->def_a->tracks[c->tracks[i].a], *y = &c->def_b->tracks[c->tracks[i].b];
        d->tracks[i].name = x->name;
        d->tracks[i].shape_differs = x->kind != y->kind;
    }
    return TAC_OK;
}

// Whether both have the same tracks, channels and precision at all.
static bool same_outline(const Comparison *c) {
    return !c->result->only_a && !c->result->only_b && c->channel_count == c->def_a->channel_count &&
           c->channel_count == c->def_b->channel_count && c->def_a->velocities == c->def_b->velocities &&
           c->def_a->single_precision == c->def_b->single_precision &&
           c->result->frames_a == c->result->frames_b;
}

static TacStatus compare_all(Comparison *c, TacError *error) {
    TacDifference *d = c->result;
    for (size_t f = 0; f < d->frames; f++) {
        bool same;
        TAC_TRY(compare_frame(c, f, &same, error));
        if (!same && d->first_frame == SIZE_MAX) d->first_frame = f;
    }
    // a frame that only one of them has differs too
    if (d->frames_a != d->frames_b && d->first_frame == SIZE_MAX) d->first_frame = d->frames;
    for (size_t i = 0; i < c->track_count; i++)
        d->tracks[i].rms = c->sums[i].count ? sqrt(c->sums[i].squares / (double)c->sums[i].count) : 0;
    for (size_t i = 0; i < c->channel_count; i++) d->channels_differ += c->channel_differs[i];
    d->same = d->first_frame == SIZE_MAX && same_outline(c);
    return TAC_OK;
}

TacStatus tac_recording_compare(TacRecording *a, TacRecording *b, TacDifference *difference,
                                TacError *error) {
    *difference = (TacDifference){0};
    TacArena arena = {0};
    Comparison c = {
        .a = a, .b = b, .def_a = tac_recording_def(a), .def_b = tac_recording_def(b), .result = difference};
    TacStatus status = prepare(&arena, &c, error);
    if (status == TAC_OK) status = compare_all(&c, error);
    tac_arena_destroy(&arena);
    if (status != TAC_OK) tac_difference_destroy(difference);
    return status;
}

void tac_difference_destroy(TacDifference *difference) {
    if (!difference) return;
    free(difference->tracks);
    *difference = (TacDifference){0};
}
