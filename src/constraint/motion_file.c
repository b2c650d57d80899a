// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// See motion_file.h.

#include "constraint/motion_file.h"
#include "base/memory.h"
#include "base/search.h"
#include "base/text.h"
#include "geometry/pc2.h"

#include <stdio.h>

static const double most_bytes = 1e9;

typedef struct Loader {
    TacMotion *motion;
    TacSetup *setup;
    const TacMotionSource *source;
    const TacMatter *matter;
    const TacSelection *selection;
    TacError *error;
} Loader;

TacMoment tac_motion_at(const TacMotion *motion, double time) {
    size_t low = tac_last_not_above(motion->times, motion->count, time);
    const double *here = motion->samples + motion->numbers * low;
    if (time <= motion->times[low] || low + 1 == motion->count) return (TacMoment){here, here, 0};
    double length = motion->times[low + 1] - motion->times[low];
    return (TacMoment){here, here + motion->numbers, (time - motion->times[low]) / length};
}

// --- what all files share ---------------------------------------------------------------------------------

// Passes on why a file cannot be used, with the place in the scene that names it.
static TacStatus pass_on(Loader *l, TacStatus status, const TacError *why) {
    char text[1600];
    if (status == TAC_BAD_INPUT)
        return tac_setup_fail(l->setup, l->error, "file", "%s", tac_error_text(why, text, sizeof text));
    if (l->error) *l->error = *why;
    return status;
}

static size_t numbers_each(const Loader *l) {
    return (size_t)l->matter->position_size;
}

// Takes memory for so many samples of a file with so many points.
static TacStatus take_memory(Loader *l, size_t samples, size_t points) {
    TacMotion *motion = l->motion;
    if (samples == 0) return tac_setup_fail(l->setup, l->error, "file", "%s has no samples", l->source->file);
    if (points != l->matter->count && points != l->selection->count)
        return tac_setup_fail(l->setup, l->error, "file",
                              "%s has %zu points; %s has %zu, %zu of them scripted", l->source->file, points,
                              l->matter->base.path, l->matter->count, l->selection->count);
    motion->numbers = l->selection->count * numbers_each(l);
    double bytes = (double)samples * (double)(motion->numbers + 1) * sizeof(double);
    if (bytes > most_bytes)
        return tac_setup_fail(l->setup, l->error, "file",
                              "%s: %zu samples of %zu points take %.3g GB; at most %.3g GB are loaded",
                              l->source->file, samples, l->selection->count, bytes / 1e9, most_bytes / 1e9);
    motion->times = tac_setup_alloc(l->setup, samples, sizeof(double));
    motion->samples = tac_setup_alloc(l->setup, samples * motion->numbers, sizeof(double));
    return motion->times && motion->samples ? TAC_OK : tac_fail_memory(l->error, (size_t)bytes);
}

// Appends a sample: `each` numbers per point in the file, of which the matter takes what it has.
static TacStatus append(Loader *l, double time, const double *x, size_t points, size_t each) {
    TacMotion *motion = l->motion;
    double *to = motion->samples + motion->numbers * motion->count;
    size_t n = numbers_each(l);
    for (size_t i = 0; i < l->selection->count; i++) {
        size_t from = points == l->matter->count ? (size_t)l->selection->list[i] : i;
        for (size_t k = 0; k < n; k++) {
            to[n * i + k] = x[each * from + k];
            if (!isfinite(to[n * i + k]))
                return tac_setup_fail(l->setup, l->error, "file",
                                      "%s: point %zu is not a finite number at %g s", l->source->file, from,
                                      time);
        }
    }
    motion->times[motion->count++] = time;
    return TAC_OK;
}

static TacStatus refuse_frames(Loader *l) {
    if (l->matter->kind != TAC_RIGID2 && l->matter->kind != TAC_RIGID3) return TAC_OK;
    return tac_setup_fail(l->setup, l->error, "file",
                          "%s has points only; the frames of %s can be moved by a recording (.tacrec)",
                          l->source->file, l->matter->base.path);
}

// --- point caches -----------------------------------------------------------------------------------------

static TacStatus read_pc2(Loader *l, const TacPc2 *pc2) {
    TAC_TRY(take_memory(l, pc2->samples, pc2->points));
    double *xyz = malloc((3 * pc2->points + 1) * sizeof *xyz);
    if (!xyz) return tac_fail_memory(l->error, 3 * pc2->points * sizeof *xyz);
    // the file counts frames, and may have one sample for several
    double frames = pc2->rate > 0 ? pc2->rate : 1;
    TacStatus status = TAC_OK;
    for (size_t k = 0; k < pc2->samples && status == TAC_OK; k++) {
        TacError why = {0};
        status = tac_pc2_read_sample(pc2, k, xyz, &why);
        status = status == TAC_OK ? append(l, (double)k * frames / l->source->rate, xyz, pc2->points, 3)
                                  : pass_on(l, status, &why);
    }
    free(xyz);
    return status;
}

static TacStatus load_pc2(Loader *l) {
    TAC_TRY(refuse_frames(l));
    TacPc2 pc2;
    TacError why = {0};
    TacStatus status = tac_pc2_open(&pc2, l->source->file, &why);
    if (status != TAC_OK) return pass_on(l, status, &why);
    status = read_pc2(l, &pc2);
    tac_pc2_close(&pc2);
    return status;
}

// --- sequences of meshes ----------------------------------------------------------------------------------

// The n-th file of a pattern with one %d or %04d in it; false when it is something else, or too long.
static bool sequence_path(const char *pattern, int64_t n, char *path, size_t size) {
    const char *mark = strchr(pattern, '%'), *c = mark;
    if (!mark) return false;
    int digits = 0;
    for (c++; *c >= '0' && *c <= '9' && digits < 100; c++) digits = 10 * digits + (*c - '0');
    if (*c != 'd' || digits > 20 || strchr(c, '%')) return false;
    int length =
        snprintf(path, size, "%.*s%0*lld%s", (int)(mark - pattern), pattern, digits, (long long)n, c + 1);
    return length > 0 && (size_t)length < size;
}

static TacStatus load_sequence(Loader *l) {
    const TacMotionSource *source = l->source;
    TAC_TRY(refuse_frames(l));
    if (source->count < 1)
        return tac_setup_fail(l->setup, l->error, "count", "count (the number of files) is needed for %s",
                              source->file);
    TacStatus status = TAC_OK;
    size_t points = 0;
    for (int64_t k = 0; k < source->count && status == TAC_OK; k++) {
        char path[4096];
        if (source->first > INT64_MAX - k ||
            !sequence_path(source->file, source->first + k, path, sizeof path))
            return tac_setup_fail(l->setup, l->error, "file",
                                  "%.200s: a sequence of files is written with one %%d, like frame%%04d.obj",
                                  source->file);
        TacMesh mesh = {0};
        TacError why = {0};
        status = tac_mesh_read(&mesh, path, &why);
        if (status != TAC_OK) return pass_on(l, status, &why);
        if (k == 0) {
            points = mesh.point_count;
            status = take_memory(l, (size_t)source->count, points);
        }
        if (status == TAC_OK && mesh.point_count != points)
            status = tac_setup_fail(l->setup, l->error, "file", "%s has %zu points but the first one has %zu",
                                    path, mesh.point_count, points);
        if (status == TAC_OK) status = append(l, (double)k / source->rate, mesh.points, points, 3);
        tac_mesh_destroy(&mesh);
    }
    return status;
}

// --- recordings -------------------------------------------------------------------------------------------

static TacStatus find_track(Loader *l, const TacRecordingDef *def, size_t *track) {
    enum { MOST_NAMES = 256 };
    const char *wanted = l->source->track, *names[MOST_NAMES];
    if (!wanted[0] && def->track_count == 1) {
        *track = 0;
        return TAC_OK;
    }
    for (*track = 0; *track < def->track_count; ++*track) {
        if (strcmp(def->tracks[*track].name, wanted) == 0) return TAC_OK;
        if (*track < MOST_NAMES) names[*track] = def->tracks[*track].name;
    }
    size_t known = def->track_count < MOST_NAMES ? def->track_count : MOST_NAMES;
    const char *near = wanted[0] ? tac_nearest(wanted, names, known) : NULL;
    if (!near && known) near = names[0];
    return tac_setup_fail(l->setup, l->error, wanted[0] ? "track" : "file",
                          "%s has %zu tracks, %s \"%.80s\"%s%.80s%s", l->source->file, def->track_count,
                          wanted[0] ? "none of them named" : "so track must name one; given was", wanted,
                          near ? "; did you mean \"" : "", near ? near : "", near ? "\"?" : "");
}

static TacStatus read_recording(Loader *l, TacRecording *recording) {
    const TacRecordingDef *def = tac_recording_def(recording);
    size_t track = 0, points = 0;
    TAC_TRY(find_track(l, def, &track));
    if (def->tracks[track].kind != l->matter->kind)
        return tac_setup_fail(l->setup, l->error, "file", "the track \"%.80s\" of %s is %s but %s is %s",
                              def->tracks[track].name, l->source->file,
                              tac_matter_kind_name(def->tracks[track].kind), l->matter->base.path,
                              tac_matter_kind_name(l->matter->kind));
    for (size_t k = 0; k < tac_recording_frame_count(recording); k++) {
        const TacFrame *frame;
        TacError why = {0};
        TacStatus status = tac_recording_frame(recording, k, &frame, &why);
        if (status != TAC_OK) return pass_on(l, status, &why);
        const TacFrameTrack *t = &frame->tracks[track];
        if (k == 0) {
            points = t->count;
            TAC_TRY(take_memory(l, tac_recording_frame_count(recording), points));
        }
        if (t->count != points)
            return tac_setup_fail(l->setup, l->error, "file",
                                  "%s: the number of points changes from %zu to %zu at %g s", l->source->file,
                                  points, t->count, frame->time);
        // a track that slept between two frames has the same time in both
        if (k > 0 && !(t->time > l->motion->times[l->motion->count - 1])) continue;
        TAC_TRY(append(l, t->time, t->positions, points, numbers_each(l)));
    }
    return TAC_OK;
}

static TacStatus load_recording(Loader *l) {
    TacRecording *recording;
    TacError why = {0};
    TacStatus status = tac_recording_open(&recording, l->source->file, &why);
    if (status != TAC_OK) return pass_on(l, status, &why);
    const char *damage = tac_recording_damage(recording);
    if (damage) tac_setup_warn(l->setup, "file", "%s: %s", l->source->file, damage);
    status = read_recording(l, recording);
    tac_recording_close(recording);
    if (status == TAC_OK && l->motion->count == 0)
        return tac_setup_fail(l->setup, l->error, "file", "%s has no frames", l->source->file);
    return status;
}

// --- any of them ------------------------------------------------------------------------------------------

static bool ends_in(const char *path, const char *extension) {
    size_t n = strlen(path), m = strlen(extension);
    if (n < m) return false;
    for (size_t i = 0; i < m; i++) {
        char c = path[n - m + i];
        if ((c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c) != extension[i]) return false;
    }
    return true;
}

TacStatus tac_motion_load(TacMotion *motion, TacSetup *setup, const TacMotionSource *source,
                          const TacMatter *matter, const TacSelection *selection, TacError *error) {
    Loader loader = {motion, setup, source, matter, selection, error};
    *motion = (TacMotion){0};
    if (ends_in(source->file, ".pc2")) return load_pc2(&loader);
    if (ends_in(source->file, ".tacrec")) return load_recording(&loader);
    if (strchr(source->file, '%')) return load_sequence(&loader);
    return tac_setup_fail(setup, error, "file",
                          "%.200s: a .pc2, a .tacrec or a sequence of meshes (frame%%04d.obj) was expected",
                          source->file);
}
