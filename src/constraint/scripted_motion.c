// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// ScriptedMotion: points and frames that move as they are told: by keyframes, at a constant speed, or after a
// file. Between samples the motion is linear; before the first and after the last one they rest.
//
// A kick gives them the velocity that leads from where they are to where the script has them at the end of
// the step, so rounding never adds up, and steps of any length meet the script at every kick. Frames turn by
// the shortest way: a script may turn them by less than half a turn a step.
//
// Where a script does not begin (at 0 s) at the place the scene gives, the points start on the script.

#include "base/memory.h"
#include "constraint/constraints.h"
#include "constraint/motion_file.h"

enum { GRAIN = 2048, KEY = 6 }; // points per chunk; numbers per keyframe: offset and angles

typedef enum Source { KEYFRAMES, SPEED, FILE_SAMPLES } Source;

typedef struct ScriptedMotion {
    TacConstraint constraint;
    TacSelection selection;
    TacReals times, offsets, rotations;
    TacVec3 center, speed;
    const char *file, *track;
    double rate;
    int64_t first, count;

    Source source;
    double *start;    // position_size per scripted point: where the scene has them
    TacMotion motion; // keyframes: KEY numbers a sample; files: position_size per scripted point
} ScriptedMotion;

// --- where they must be -----------------------------------------------------------------------------------

// The script at one time, as far as it is the same for all points.
typedef struct Pose {
    TacVec3 offset;
    TacQuat turn;
    double angle; // rad, about z
    TacMoment moment;
} Pose;

static double blend(const TacMoment *m, size_t i) {
    return m->before[i] + m->part * (m->after[i] - m->before[i]);
}

// About x, then y, then z.
static TacQuat turn_of(TacVec3 degrees) {
    double s = TAC_PI / 180;
    TacQuat x = tac_quat_from_vector(tac_vec3(s * degrees.x, 0, 0));
    TacQuat y = tac_quat_from_vector(tac_vec3(0, s * degrees.y, 0));
    TacQuat z = tac_quat_from_vector(tac_vec3(0, 0, s * degrees.z));
    return tac_quat_mul(z, tac_quat_mul(y, x));
}

static Pose pose_at(const ScriptedMotion *self, double time) {
    Pose pose = {.turn = tac_quat_identity()};
    if (self->source == SPEED) {
        pose.offset = tac_scale(self->speed, time);
        return pose;
    }
    pose.moment = tac_motion_at(&self->motion, time);
    if (self->source == FILE_SAMPLES) return pose;
    double key[KEY];
    for (size_t k = 0; k < KEY; k++) key[k] = blend(&pose.moment, k);
    pose.offset = tac_load3(key);
    if (self->rotations.count) pose.turn = turn_of(tac_load3(key + 3));
    pose.angle = key[5] * TAC_PI / 180;
    return pose;
}

// The rotation vector of q, by the shortest way.
static TacVec3 rotation_vector(TacQuat q) {
    double sign = q.w < 0 ? -1 : 1;
    TacVec3 u = tac_scale(tac_vec3(q.x, q.y, q.z), sign);
    double sine = tac_norm(u);
    return tac_scale(u, sine > 1e-8 ? 2 * atan2(sine, sign * q.w) / sine : 2);
}

// Where the i-th scripted point must be: position_size numbers.
static void target_of(const ScriptedMotion *self, const Pose *pose, size_t i, double *target) {
    const TacMatter *matter = self->constraint.matter;
    size_t each = (size_t)matter->position_size;
    const double *start = self->start + each * i;
    if (self->source == FILE_SAMPLES) {
        for (size_t k = 0; k < each; k++) target[k] = blend(&pose->moment, each * i + k);
        if (matter->kind != TAC_RIGID3) return;
        // from one orientation to the other at a constant rate
        TacQuat before = tac_load_quat(pose->moment.before + each * i + 3);
        TacQuat after = tac_load_quat(pose->moment.after + each * i + 3);
        TacVec3 way = rotation_vector(tac_quat_mul(after, tac_quat_conjugate(before)));
        TacQuat part = tac_quat_from_vector(tac_scale(way, pose->moment.part));
        tac_store_quat(target + 3, tac_quat_mul(part, before));
        return;
    }
    TacVec3 place = tac_place_of(matter, self->start, i);
    if (self->rotations.count)
        place = tac_add(self->center, tac_rotate(pose->turn, tac_sub(place, self->center)));
    place = tac_add(place, pose->offset);
    const double numbers[3] = {place.x, place.y, place.z};
    size_t places = matter->kind == TAC_RIGID3 ? 3 : matter->kind == TAC_RIGID2 ? 2 : each;
    for (size_t k = 0; k < places; k++) target[k] = numbers[k];
    if (matter->kind == TAC_RIGID2) target[2] = start[2] + pose->angle;
    if (matter->kind == TAC_RIGID3)
        tac_store_quat(target + 3, tac_quat_mul(pose->turn, tac_load_quat(start + 3)));
}

// --- operations -------------------------------------------------------------------------------------------

typedef struct Call {
    const ScriptedMotion *self;
    Pose pose;
    double step;
    const double *x, *v;
    double *dv;
} Call;

static void prescribe_chunk(void *data, size_t begin, size_t end, size_t chunk) {
    (void)chunk;
    const Call *c = data;
    const TacMatter *matter = c->self->constraint.matter;
    size_t px = (size_t)matter->position_size, pv = (size_t)matter->velocity_size;
    size_t linear = matter->kind == TAC_RIGID3 ? 3 : pv;
    for (size_t i = begin; i < end; i++) {
        size_t point = (size_t)c->self->selection.list[i];
        const double *x = c->x + px * point, *v = c->v + pv * point;
        double *dv = c->dv + pv * point, target[7];
        target_of(c->self, &c->pose, i, target);
        for (size_t k = 0; k < linear; k++) dv[k] = (target[k] - x[k]) / c->step - v[k];
        if (matter->kind != TAC_RIGID3) continue;
        TacQuat way = tac_quat_mul(tac_load_quat(target + 3), tac_quat_conjugate(tac_load_quat(x + 3)));
        TacVec3 omega = tac_scale(rotation_vector(way), 1 / c->step);
        tac_store3(dv + 3, tac_sub(omega, tac_load3(v + 3)));
    }
}

static void prescribe(void *data, const TacContext *context, const double *x, const double *v, double *dv) {
    const ScriptedMotion *self = data;
    Call call = {self, pose_at(self, context->time + context->step), context->step, x, v, dv};
    tac_team_run(context->team, self->selection.count, GRAIN, prescribe_chunk, &call);
}

static void project(void *data, const TacContext *context, double *d) {
    (void)context;
    const ScriptedMotion *self = data;
    size_t each = (size_t)self->constraint.matter->velocity_size;
    for (size_t i = 0; i < self->selection.count; i++)
        memset(d + each * (size_t)self->selection.list[i], 0, each * sizeof(double));
}

static const TacConstraintOps ops = {.project = project, .prescribe = prescribe};

// --- setting up -------------------------------------------------------------------------------------------

static TacStatus check_times(const ScriptedMotion *self, TacSetup *setup, TacError *error) {
    size_t n = self->times.count;
    if (n == 0) return tac_setup_fail(setup, error, "times", "times is empty");
    for (size_t k = 1; k < n; k++)
        if (!(self->times.data[k] > self->times.data[k - 1]))
            return tac_setup_fail(setup, error, "times", "times must ascend; %g is followed by %g",
                                  self->times.data[k - 1], self->times.data[k]);
    bool moved = tac_setup_given(setup, "offsets"), turned = tac_setup_given(setup, "rotations");
    if (!moved && !turned)
        return tac_setup_fail(setup, error, "times", "times needs offsets or rotations, 3 numbers for each");
    if (moved && self->offsets.count != 3 * n)
        return tac_setup_fail(setup, error, "offsets",
                              "offsets has %zu numbers; 3 for each of %zu times were "
                              "expected",
                              self->offsets.count, n);
    if (turned && self->rotations.count != 3 * n)
        return tac_setup_fail(setup, error, "rotations",
                              "rotations has %zu numbers; 3 for each of %zu times "
                              "were expected",
                              self->rotations.count, n);
    return TAC_OK;
}

static TacStatus check_rotations(const ScriptedMotion *self, TacSetup *setup, TacError *error) {
    const TacMatter *matter = self->constraint.matter;
    if (matter->kind == TAC_VEC3 || matter->kind == TAC_RIGID3) return TAC_OK;
    for (size_t k = 0; k < self->rotations.count; k++)
        if (self->rotations.data[k] != 0 && (matter->kind == TAC_VEC1 || k % 3 != 2))
            return tac_setup_fail(setup, error, "rotations", "%s is %s: %s", matter->base.path,
                                  tac_matter_kind_name(matter->kind),
                                  matter->kind == TAC_VEC1 ? "it cannot turn"
                                                           : "only the third angle may differ from 0");
    return TAC_OK;
}

static TacStatus take_keyframes(ScriptedMotion *self, TacSetup *setup, TacError *error) {
    TAC_TRY(check_times(self, setup, error));
    TAC_TRY(check_rotations(self, setup, error));
    TacMotion *motion = &self->motion;
    *motion = (TacMotion){.count = self->times.count, .numbers = KEY};
    motion->times = tac_setup_alloc(setup, motion->count, sizeof(double));
    motion->samples = tac_setup_alloc(setup, motion->count * KEY, sizeof(double));
    if (!motion->times || !motion->samples)
        return tac_fail_memory(error, motion->count * KEY * sizeof(double));
    for (size_t k = 0; k < motion->count; k++) {
        double *key = motion->samples + KEY * k;
        motion->times[k] = self->times.data[k];
        for (size_t a = 0; a < 3; a++) {
            if (self->offsets.count) key[a] = self->offsets.data[3 * k + a];
            if (self->rotations.count) key[3 + a] = self->rotations.data[3 * k + a];
        }
    }
    return TAC_OK;
}

static TacStatus take_file(ScriptedMotion *self, TacSetup *setup, TacError *error) {
    const TacMatter *matter = self->constraint.matter;
    const TacMotionSource source = {self->file, self->track, self->rate, self->first, self->count};
    TAC_TRY(tac_motion_load(&self->motion, setup, &source, matter, &self->selection, error));
    size_t n = matter->kind == TAC_RIGID3 ? self->motion.count * self->selection.count : 0;
    for (size_t i = 0; i < n; i++) {
        double *q = self->motion.samples + 7 * i + 3;
        tac_store_quat(q, tac_quat_unit(tac_load_quat(q)));
    }
    return TAC_OK;
}

// Refuses attributes that belong to another source than the one chosen.
static TacStatus find_source(ScriptedMotion *self, TacSetup *setup, TacError *error) {
    static const struct {
        const char *name;
        Source source;
    } words[] = {{"times", KEYFRAMES},
                 {"offsets", KEYFRAMES},
                 {"rotations", KEYFRAMES},
                 {"speed", SPEED},
                 {"file", FILE_SAMPLES}};
    const char *chosen = NULL;
    for (size_t i = 0; i < TAC_COUNT(words); i++) {
        if (!tac_setup_given(setup, words[i].name)) continue;
        if (chosen && self->source != words[i].source)
            return tac_setup_fail(setup, error, words[i].name,
                                  "%s and %s both say how to move; one of times, speed and file is enough",
                                  chosen, words[i].name);
        chosen = words[i].name;
        self->source = words[i].source;
    }
    if (chosen && self->source == KEYFRAMES && !tac_setup_given(setup, "times"))
        return tac_setup_fail(setup, error, chosen, "%s needs times, one for each 3 numbers", chosen);
    if (chosen) return TAC_OK;
    return tac_setup_fail(setup, error, NULL,
                          "needs times (with offsets or rotations), speed, or file, to know how to move");
}

static TacStatus keep_start(ScriptedMotion *self, TacSetup *setup, TacError *error) {
    const TacMatter *matter = self->constraint.matter;
    size_t each = (size_t)matter->position_size, n = each * self->selection.count;
    self->start = tac_setup_alloc(setup, n, sizeof(double));
    if (!self->start) return tac_fail_memory(error, n * sizeof(double));
    for (size_t i = 0; i < self->selection.count; i++)
        memcpy(self->start + each * i, matter->vectors[TAC_X] + each * (size_t)self->selection.list[i],
               each * sizeof(double));
    return TAC_OK;
}

// Places and velocities at 0 s: those of the script.
static void start_on_script(ScriptedMotion *self) {
    TacMatter *matter = self->constraint.matter;
    double *x = matter->vectors[TAC_X], *v = matter->vectors[TAC_V];
    size_t px = (size_t)matter->position_size;
    Pose pose = pose_at(self, 0);
    for (size_t i = 0; i < self->selection.count; i++)
        target_of(self, &pose, i, x + px * (size_t)self->selection.list[i]);

    // the velocity is that of a kick, from rest, for a small part of the way to the next sample
    double next = 1;
    for (size_t k = self->motion.count; k-- > 0;)
        if (self->motion.times[k] > 0) next = self->motion.times[k];
    double step = ldexp(next, -16);
    project(self, NULL, v);
    Call call = {self, pose_at(self, step), step, x, v, v};
    prescribe_chunk(&call, 0, self->selection.count, 0);
}

static TacStatus init(void *data, TacSetup *setup, TacError *error) {
    ScriptedMotion *self = data;
    TacMatter *matter = self->constraint.matter;
    TAC_TRY(find_source(self, setup, error));
    TAC_TRY(tac_selection_find(&self->selection, setup, matter, true, error));
    if (self->source == KEYFRAMES) TAC_TRY(take_keyframes(self, setup, error));
    if (self->source == FILE_SAMPLES) TAC_TRY(take_file(self, setup, error));
    TAC_TRY(keep_start(self, setup, error));
    TAC_TRY(tac_selection_hold(&self->selection, setup, matter, TAC_HELD_ALL, error));
    start_on_script(self);
    // keyframes and speeds are the same for all points, and between samples all of them go straight on
    self->constraint.as_one = self->source != FILE_SAMPLES;
    return TAC_OK;
}

static const TacAttribute attributes[] = {
    TAC_MATTER_ATTRIBUTE(ScriptedMotion, constraint.matter),
    TAC_SELECTION_ATTRIBUTES(ScriptedMotion, selection, "; by default all."),
    {"times", TAC_REALS, offsetof(ScriptedMotion, times), "s", "",
     "Keyframes: ascending times at which offsets and rotations hold.", NULL, TAC_ANY, 0},
    {"offsets", TAC_REALS, offsetof(ScriptedMotion, offsets), "m", "",
     "For each time, 3 numbers: how far all points are from where the scene has them.", NULL, TAC_ANY, 0},
    {"rotations", TAC_REALS, offsetof(ScriptedMotion, rotations), "deg", "",
     "For each time, 3 angles: turned about x, then y, then z through center, before the offset.", NULL,
     TAC_ANY, 0},
    {"center", TAC_VECTOR, offsetof(ScriptedMotion, center), "m", "0 0 0", "What rotations turn about.", NULL,
     TAC_ANY, 0},
    {"speed", TAC_VECTOR, offsetof(ScriptedMotion, speed), "m/s", "0 0 0",
     "Instead of keyframes: a constant velocity.", NULL, TAC_ANY, 0},
    {"file", TAC_PATH, offsetof(ScriptedMotion, file), "", "",
     "Instead of keyframes: a point cache (.pc2), a recording (.tacrec) or a sequence of meshes "
     "(frame%04d.obj), with all points of the matter or with the scripted ones only. Points start where it "
     "has them at 0 s.",
     NULL, TAC_ANY, 0},
    {"track", TAC_TEXT, offsetof(ScriptedMotion, track), "", "",
     "Of a recording with several: the one to follow.", NULL, TAC_ANY, 0},
    {"rate", TAC_REAL, offsetof(ScriptedMotion, rate), "1/s", "24",
     "Frames per second of a point cache or a sequence, whose first frame is at 0 s.", NULL, TAC_POSITIVE, 0},
    {"first", TAC_INT, offsetof(ScriptedMotion, first), "1", "0", "Number of a sequence's first file.", NULL,
     TAC_NOT_NEGATIVE, 0},
    {"count", TAC_INT, offsetof(ScriptedMotion, count), "1", "0", "How many files a sequence has.", NULL,
     TAC_NOT_NEGATIVE, 0},
};

const TacClass tac_scripted_motion_class = {
    .name = "ScriptedMotion",
    .kind = TAC_KIND_CONSTRAINT,
    .doc = "Points or frames that move as they are told, by keyframes, at a constant speed or after a file: "
           "linear between samples, at rest before the first and after the last.",
    .size = sizeof(ScriptedMotion),
    .attributes = attributes,
    .attribute_count = TAC_COUNT(attributes),
    .init = init,
    .ops.constraint = &ops,
};
