// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Listen: a listening point on a mass or on a link, the microphone of `tactus sound`. CORDIS hears a mass by its
// motion along a direction and a link by the change of its length.
//
// A mass gives direction . v, or direction . (x - rest); a link between two points gives the rate of change of
// their distance, or their distance less that at rest, or with a direction the same of their difference.

#include "base/memory.h"
#include "world/settings.h"

enum { VELOCITY, POSITION };

static TacVec3 vector_of(const TacMatter *m, TacVector which, int64_t point) {
    bool place = which == TAC_X_SHOWN || which == TAC_X_REST;
    size_t size = (size_t)(place ? m->position_size : m->velocity_size);
    size_t linear = m->kind == TAC_VEC1 ? 1 : m->kind == TAC_VEC2 || m->kind == TAC_RIGID2 ? 2 : 3;
    const double *from = m->vectors[which] + size * (size_t)point;
    double v[3] = {0, 0, 0};
    for (size_t k = 0; k < linear; k++) v[k] = from[k];
    return tac_load3(v);
}

// Of the mass, or of the link: the second point less the first.
static TacVec3 seen(const TacListen *self, TacVector which) {
    TacVec3 a = vector_of(self->matter, which, self->point);
    return self->is_link ? tac_sub(vector_of(self->other, which, self->other_point), a) : a;
}

static double along_link(const TacListen *self) {
    TacVec3 d = seen(self, TAC_X_SHOWN);
    double length = tac_norm(d);
    if (self->what == POSITION) return length - tac_norm(seen(self, TAC_X_REST));
    return length > 0 ? tac_dot(d, seen(self, TAC_V_SHOWN)) / length : 0;
}

static double value(void *data, const TacContext *context) {
    (void)context;
    const TacListen *self = data;
    if (isnan(self->direction.x)) return self->gain * along_link(self);
    TacVec3 heard = self->what == VELOCITY ? seen(self, TAC_V_SHOWN)
                                           : tac_sub(seen(self, TAC_X_SHOWN), seen(self, TAC_X_REST));
    return self->gain * tac_dot(self->direction, heard);
}

static TacStatus check_point(TacSetup *setup, const char *name, int64_t point, const TacMatter *matter,
                             TacError *error) {
    if (point >= 0 && (size_t)point < matter->count) return TAC_OK;
    return tac_setup_fail(setup, error, name, "point %lld does not exist: %s has %zu points, from 0",
                          (long long)point, matter->base.path, matter->count);
}

static TacStatus init(void *data, TacSetup *setup, TacError *error) {
    TacListen *self = data;
    self->is_link = tac_setup_given(setup, "other_point") || tac_setup_given(setup, "other");
    if (!self->other) self->other = self->matter;
    TAC_TRY(check_point(setup, "point", self->point, self->matter, error));
    if (self->is_link) TAC_TRY(check_point(setup, "other_point", self->other_point, self->other, error));
    if (!tac_setup_given(setup, "direction")) {
        self->direction = self->is_link ? tac_vec3(NAN, NAN, NAN) : tac_vec3(0, 1, 0);
        return TAC_OK;
    }
    double length = tac_norm(self->direction);
    if (!(length > 0) || !isfinite(length))
        return tac_setup_fail(setup, error, "direction", "the direction has no length");
    self->direction = tac_scale(self->direction, 1 / length);
    return TAC_OK;
}

static const TacProbeOps ops = {value};

static const TacAttribute attributes[] = {
    TAC_MATTER_ATTRIBUTE(TacListen, matter),
    {"point", TAC_INT, offsetof(TacListen, point), "1", "0", "The mass that is heard, from 0.", NULL,
     TAC_NOT_NEGATIVE, 0},
    {"other", TAC_LINK, offsetof(TacListen, other), "", "",
     "For a link: the matter of its other end; by default the same.", "matter", TAC_ANY, 0},
    {"other_point", TAC_INT, offsetof(TacListen, other_point), "1", "0",
     "For a link: its other end; without it a mass is heard.", NULL, TAC_NOT_NEGATIVE, 0},
    {"direction", TAC_VECTOR, offsetof(TacListen, direction), "1", "",
     "Along which motion is heard; by default y, and for a link its own.", NULL, TAC_ANY, 0},
    {"what", TAC_CHOICE, offsetof(TacListen, what), "m/s, m", "velocity",
     "Velocity, or position less that at rest.", "velocity|position", TAC_ANY, 0},
    {"gain", TAC_REAL, offsetof(TacListen, gain), "1", "1", "What is heard is multiplied by this.", NULL,
     TAC_ANY, TAC_LIVE},
    {"pan", TAC_REAL, offsetof(TacListen, pan), "1", "0.5", "Where it is heard: 0 is left, 1 is right.", NULL,
     TAC_FRACTION, 0},
};

const TacClass tac_listen_class = {
    .name = "Listen",
    .kind = TAC_KIND_PROBE,
    .doc = "A listening point on a mass or on a link, for `tactus sound`; recorded as the channel "
           "\"probe/NAME\" as well.",
    .size = sizeof(TacListen),
    .attributes = attributes,
    .attribute_count = TAC_COUNT(attributes),
    .init = init,
    .ops.probe = &ops,
};
