// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

#include "world/settings.h"
#include "base/memory.h"

static const TacAttribute world_attributes[] = {
    {"title", TAC_TEXT, offsetof(TacWorldSettings, title), "", "", "What the scene shows, in a line.", NULL,
     TAC_ANY, 0},
    {"dt", TAC_REAL, offsetof(TacWorldSettings, dt), "s", "0.01",
     "The beat: the step of agents that name no other.", NULL, TAC_POSITIVE, 0},
    {"duration", TAC_REAL, offsetof(TacWorldSettings, duration), "s", "5",
     "How long a run lasts when nobody says otherwise.", NULL, TAC_POSITIVE, 0},
    {"gravity", TAC_VECTOR, offsetof(TacWorldSettings, gravity), "m/s^2", "",
     "Acceleration of everything that has mass; by default 9.81 downward.", NULL, TAC_ANY, 0},
    {"up", TAC_CHOICE, offsetof(TacWorldSettings, up), "", "y", "Which axis points up.", "y|z", TAC_ANY, 0},
    {"scheduler", TAC_CHOICE, offsetof(TacWorldSettings, scheduler), "", "causal",
     "Who goes next: causal, in strict order of time; loose, by priority and sleep, each agent on its own "
     "time.",
     "causal|loose", TAC_ANY, 0},
    {"clock", TAC_CHOICE, offsetof(TacWorldSettings, clock), "", "virtual",
     "Of the loose scheduler: virtual, where each step has a stated cost and runs are reproducible; or the "
     "wall's, in "
     "real time and not reproducible.",
     "virtual|wall", TAC_ANY, 0},
    {"priorities", TAC_INT, offsetof(TacWorldSettings, priorities), "1", "3",
     "The highest priority of the loose scheduler; the lowest is 0.", NULL, TAC_NOT_NEGATIVE, 0},
    {"max_exec", TAC_INT, offsetof(TacWorldSettings, max_exec), "1", "2",
     "How many times as often the loose scheduler serves a priority as the one below.", NULL, TAC_POSITIVE,
     0},
};

const TacClass tac_world_class = {
    .name = "World",
    .kind = TAC_KIND_SETTING,
    .doc =
        "Beat, gravity and duration. Each scene has one: its attributes stand on the file's first element.",
    .size = sizeof(TacWorldSettings),
    .attributes = world_attributes,
    .attribute_count = TAC_COUNT(world_attributes),
};

static const TacAttribute gravity_attributes[] = {
    {"acceleration", TAC_VECTOR, offsetof(TacGravity, acceleration), "m/s^2", NULL,
     "Replaces the world's gravity for its node and all below.", NULL, TAC_ANY, 0},
};

const TacClass tac_gravity_class = {
    .name = "Gravity",
    .kind = TAC_KIND_SETTING,
    .doc = "Another gravity for one node and all below it.",
    .size = sizeof(TacGravity),
    .attributes = gravity_attributes,
    .attribute_count = TAC_COUNT(gravity_attributes),
};

static const TacAttribute look_attributes[] = {
    TAC_MATTER_ATTRIBUTE(TacLook, matter),
    {"color", TAC_VECTOR, offsetof(TacLook, color), "1", "",
     "Red, green and blue, 0 to 1; by default chosen.", NULL, TAC_FRACTION, 0},
    {"opacity", TAC_REAL, offsetof(TacLook, opacity), "1", "1", "0 is invisible, 1 is solid.", NULL,
     TAC_FRACTION, 0},
    {"radius", TAC_REAL, offsetof(TacLook, radius), "m", "0", "Of balls and wires; 0: chosen.", NULL,
     TAC_NOT_NEGATIVE, 0},
    {"visible", TAC_CHOICE, offsetof(TacLook, visible), "", "auto",
     "auto hides matter that has a skin (mapped matter with a surface) or no mesh but mapped matter.",
     "auto|yes|no", TAC_ANY, 0},
};

const TacClass tac_look_class = {
    .name = "Look",
    .kind = TAC_KIND_SETTING,
    .doc = "How its matter is drawn.",
    .size = sizeof(TacLook),
    .attributes = look_attributes,
    .attribute_count = TAC_COUNT(look_attributes),
};

static const TacAttribute camera_attributes[] = {
    {"eye", TAC_VECTOR, offsetof(TacCameraSetting, eye), "m", NULL, "Where it stands.", NULL, TAC_ANY, 0},
    {"target", TAC_VECTOR, offsetof(TacCameraSetting, target), "m", "0 0 0", "What it looks at.", NULL,
     TAC_ANY, 0},
    {"field_of_view", TAC_REAL, offsetof(TacCameraSetting, field_of_view), "deg", "35", "Vertical angle.",
     NULL, TAC_POSITIVE, 0},
};

const TacClass tac_camera_class = {
    .name = "Camera",
    .kind = TAC_KIND_SETTING,
    .doc = "Where pictures are taken from; without one, from where everything is seen.",
    .size = sizeof(TacCameraSetting),
    .attributes = camera_attributes,
    .attribute_count = TAC_COUNT(camera_attributes),
};

static const TacAttribute record_attributes[] = {
    {"fps", TAC_REAL, offsetof(TacRecordSetting, fps), "1/s", "",
     "Frames per simulated second; by default a frame every so many beats, at most 60.", NULL, TAC_POSITIVE,
     0},
    {"velocities", TAC_BOOL, offsetof(TacRecordSetting, velocities), "", "false",
     "Whether frames hold velocities.", NULL, TAC_ANY, 0},
    {"precision", TAC_CHOICE, offsetof(TacRecordSetting, precision), "", "double",
     "Of stored positions: single halves the size.", "double|single", TAC_ANY, 0},
    {"channels", TAC_CHOICE, offsetof(TacRecordSetting, channels), "", "all",
     "Which numbers are stored per frame; probes always are.", "all|energy|none", TAC_ANY, 0},
};

const TacClass tac_record_class = {
    .name = "Record",
    .kind = TAC_KIND_SETTING,
    .doc = "What a run leaves on disk.",
    .size = sizeof(TacRecordSetting),
    .attributes = record_attributes,
    .attribute_count = TAC_COUNT(record_attributes),
};

// --- probes -----------------------------------------------------------------------------------------------

typedef struct Probe {
    TacComponent base;
    TacMatter *matter;
    int64_t point;
    int what;
} Probe;

enum { X, Y, Z, VX, VY, VZ, SPEED };

static double probe_value(void *data, const TacContext *context) {
    (void)context;
    const Probe *self = data;
    const TacMatter *m = self->matter;
    const double *x = m->vectors[TAC_X_SHOWN] + (size_t)self->point * (size_t)m->position_size;
    const double *v = m->vectors[TAC_V_SHOWN] + (size_t)self->point * (size_t)m->velocity_size;
    int linear = m->kind == TAC_VEC1 ? 1 : m->kind == TAC_VEC2 || m->kind == TAC_RIGID2 ? 2 : 3;
    if (self->what == SPEED) {
        double sum = 0;
        for (int k = 0; k < linear; k++) sum += v[k] * v[k];
        return sqrt(sum);
    }
    int axis = self->what % 3;
    if (axis >= linear) return 0;
    return self->what < VX ? x[axis] : v[axis];
}

static TacStatus probe_init(void *data, TacSetup *setup, TacError *error) {
    const Probe *self = data;
    if ((size_t)self->point >= self->matter->count)
        return tac_setup_fail(setup, error, "point", "point %lld does not exist: %s has %zu points, from 0",
                              (long long)self->point, self->matter->base.path, self->matter->count);
    return TAC_OK;
}

static const TacProbeOps probe_ops = {probe_value};

static const TacAttribute probe_attributes[] = {
    TAC_MATTER_ATTRIBUTE(Probe, matter),
    {"point", TAC_INT, offsetof(Probe, point), "1", "0", "Which point or frame, from 0.", NULL,
     TAC_NOT_NEGATIVE, 0},
    {"what", TAC_CHOICE, offsetof(Probe, what), "m, m/s", "y", "The number that is watched.",
     "x|y|z|vx|vy|vz|speed", TAC_ANY, 0},
};

const TacClass tac_probe_class = {
    .name = "Probe",
    .kind = TAC_KIND_PROBE,
    .doc = "Watches one number of one point; recorded as the channel \"probe/NAME\".",
    .size = sizeof(Probe),
    .attributes = probe_attributes,
    .attribute_count = TAC_COUNT(probe_attributes),
    .init = probe_init,
    .ops.probe = &probe_ops,
};
