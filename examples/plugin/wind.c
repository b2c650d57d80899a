// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// A law of one's own, as a plugin: wind that drags points along, stronger with height.
//
//     cc -shared -fPIC -Iinclude examples/plugin/wind.c -o wind.so
//     tactus run examples/plugin/flag.tac --plugin ./wind.so
//
// docs/writing-a-law.md explains it line by line.

#include <tactus/component.h>

typedef struct Wind {
    TacLaw law; // the head of every law: its matter, its place in the scene
    TacVec3 velocity;
    double drag, growth;
    int up; // axis along which the wind grows
} Wind;

// F = drag (1 + growth h) (wind - v), for each point
static void force(void *data, const TacContext *context, const TacLawVectors *vectors) {
    (void)context;
    const Wind *self = data;
    for (size_t i = 0; i < self->law.matter[0]->count; i++) {
        const double *x = vectors->x[0] + 3 * i, *v = vectors->v[0] + 3 * i;
        double strength = self->drag * (1 + self->growth * x[self->up]);
        tac_add3(vectors->f[0] + 3 * i, tac_scale(tac_sub(self->velocity, tac_load3(v)), strength));
    }
}

// dF/dv = -drag (1 + growth h): what an implicit solver needs to stay stable with it
static void force_change(void *data, const TacContext *context, const TacLawVectors *vectors, double k,
                         double b) {
    (void)context;
    (void)k;
    const Wind *self = data;
    for (size_t i = 0; i < self->law.matter[0]->count; i++) {
        double strength = self->drag * (1 + self->growth * vectors->x[0][3 * i + (size_t)self->up]);
        tac_add3(vectors->f[0] + 3 * i, tac_scale(tac_load3(vectors->v[0] + 3 * i), -b * strength));
    }
}

static TacStatus init(void *data, TacSetup *setup, TacError *error) {
    const Wind *self = data;
    if (self->velocity.x == 0 && self->velocity.y == 0 && self->velocity.z == 0)
        return tac_setup_fail(setup, error, "velocity", "there is no wind: velocity is zero");
    return TAC_OK;
}

static const TacLawOps ops = {.force = force, .force_change = force_change};

static const TacAttribute attributes[] = {
    TAC_LAW_ATTRIBUTES(Wind, law),
    {"velocity", TAC_VECTOR, offsetof(Wind, velocity), "m/s", NULL, "Of the air.", NULL, TAC_ANY, 0},
    {"drag", TAC_REAL, offsetof(Wind, drag), "N s/m", "0.01", "Force per speed on each point.", NULL,
     TAC_NOT_NEGATIVE, TAC_LIVE},
    {"growth", TAC_REAL, offsetof(Wind, growth), "1/m", "0", "How much stronger it is per metre of height.",
     NULL, TAC_NOT_NEGATIVE, TAC_LIVE},
    {"up", TAC_CHOICE, offsetof(Wind, up), "", "y", "The axis that height is measured along.", "x|y|z",
     TAC_ANY, 0},
};

static const TacClass wind = {
    .name = "Wind",
    .kind = TAC_KIND_LAW,
    .doc = "Wind that drags points along, stronger with height.",
    .size = sizeof(Wind),
    .attributes = attributes,
    .attribute_count = sizeof attributes / sizeof attributes[0],
    .kinds = 1u << TAC_VEC3,
    .init = init,
    .ops.law = &ops,
};

static const TacClass *const classes[] = {&wind};

TAC_API const TacPlugin tac_plugin = {TAC_COMPONENT_ABI, "wind", classes, 1};
