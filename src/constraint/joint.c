// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// What all joints share: adding rows, and places fixed on matter. See joint.h for the rules.

#include "constraint/joint.h"
#include "base/memory.h"
#include "matter/matter.h"

TacRow *tac_rows_add(TacRows *r, size_t slot) {
    if (r->count == r->capacity) return NULL;
    TacRow *row = &r->rows[r->count++];
    *row = (TacRow){.kind = TAC_ROW_PLACE,
                    .first_block = (uint32_t)r->block_count,
                    .slot = r->first_slot + (uint32_t)slot,
                    .damping = -1,
                    .low = -INFINITY,
                    .high = INFINITY};
    return row;
}

uint32_t tac_rows_body(const TacRows *r, const TacMatter *matter) {
    if (!matter || !r->matter_count) return TAC_NO_BODY;
    size_t low = tac_matter_place(r->matters, r->matter_count, matter);
    return r->matters[low] == matter ? r->first_body[low] : TAC_NO_BODY;
}

void tac_rows_block(TacRows *r, uint32_t body, TacVec3 linear, TacVec3 angular) {
    if (body == TAC_NO_BODY || !r->count || r->block_count == r->block_capacity) return;
    TacBlock *block = &r->blocks[r->block_count++];
    block->body = body;
    block->row = (uint32_t)(r->count - 1);
    tac_store3(block->j, linear);
    tac_store3(block->j + 3, angular);
    r->rows[r->count - 1].block_count++;
}

const TacJointOps *tac_joint_ops(const TacComponent *c) {
    if (c->cls->kind == TAC_KIND_JOINT) return c->cls->ops.joint;
    return c->cls->kind == TAC_KIND_MASS ? c->cls->ops.mass->joint : NULL;
}

const double *tac_joint_touch_inverses(const TacComponent *c) {
    const TacJointOps *ops = tac_joint_ops(c);
    return ops->touch_inverses ? ops->touch_inverses(c) : ops->inverse_masses(c);
}

bool tac_joint_is_open(const TacComponent *c) {
    return c->cls->kind == TAC_KIND_JOINT && ((const TacJoint *)c)->open;
}

size_t tac_joint_matters(const TacComponent *c, TacMatter **list, size_t most) {
    const TacJointOps *ops = tac_joint_ops(c);
    if (ops->matters) return ops->matters(c, list, most);
    const TacJoint *joint = (const TacJoint *)c;
    size_t n = 0;
    for (int k = 0; k < 2 && n < most; k++)
        if (joint->matter[k] && (k == 0 || joint->matter[1] != joint->matter[0]))
            list[n++] = joint->matter[k];
    return n;
}

// --- places on matter -------------------------------------------------------------------------------------

static const double *numbers(const TacAttachment *a, TacVector vector) {
    size_t each = vector == TAC_X ? (size_t)a->matter->position_size : (size_t)a->matter->velocity_size;
    return a->matter->vectors[vector] + each * a->point;
}

TacQuat tac_attachment_turn(const TacAttachment *a) {
    bool turns = a->matter && a->matter->kind == TAC_RIGID3;
    return turns ? tac_load_quat(numbers(a, TAC_X) + 3) : tac_quat_identity();
}

TacAttachment tac_attach(TacMatter *matter, size_t point, TacVec3 place) {
    TacAttachment a = {matter, point, place};
    if (!matter) return a;
    TacVec3 offset = tac_sub(place, tac_load3(numbers(&a, TAC_X)));
    a.local = tac_rotate_back(tac_attachment_turn(&a), offset);
    // a point has no axes: it is tied itself
    if (matter->kind != TAC_RIGID3) a.local = tac_vec3(0, 0, 0);
    return a;
}

static TacVec3 arm(const TacAttachment *a) {
    return a->matter->kind == TAC_RIGID3 ? tac_rotate(tac_attachment_turn(a), a->local) : tac_vec3(0, 0, 0);
}

TacVec3 tac_attachment_place(const TacAttachment *a) {
    return a->matter ? tac_add(tac_load3(numbers(a, TAC_X)), arm(a)) : a->local;
}

TacVec3 tac_attachment_velocity(const TacAttachment *a) {
    if (!a->matter) return tac_vec3(0, 0, 0);
    TacVec3 v = tac_load3(numbers(a, TAC_V));
    return a->matter->kind == TAC_RIGID3 ? tac_add(v, tac_cross(tac_load3(numbers(a, TAC_V) + 3), arm(a)))
                                         : v;
}

void tac_rows_place(TacRows *rows, const TacAttachment *a, TacVec3 direction) {
    uint32_t first = tac_rows_body(rows, a->matter);
    if (first == TAC_NO_BODY) return;
    tac_rows_block(rows, first + (uint32_t)a->point, direction, tac_cross(arm(a), direction));
}

// --- watching what joints put out -------------------------------------------------------------------------

typedef struct OutputProbe {
    TacComponent base;
    TacComponent *of;
    const char *what;
    int64_t index;
    const TacReals *list;
} OutputProbe;

static double output_value(void *data, const TacContext *context) {
    (void)context;
    const OutputProbe *self = data;
    return (size_t)self->index < self->list->count ? self->list->data[self->index] : 0;
}

static TacStatus output_init(void *data, TacSetup *setup, TacError *error) {
    OutputProbe *self = data;
    const TacClass *cls = self->of->cls;
    for (size_t i = 0; i < cls->attribute_count; i++) {
        const TacAttribute *a = &cls->attributes[i];
        if (a->type != TAC_REALS || !(a->flags & TAC_OUTPUT) || strcmp(a->name, self->what)) continue;
        self->list = (const TacReals *)(const void *)((const char *)self->of + a->offset);
        if ((size_t)self->index < self->list->count) return TAC_OK;
        return tac_setup_fail(setup, error, "index", "%s of %s has %zu numbers, from 0", self->what,
                              self->of->path, self->list->count);
    }
    return tac_setup_fail(setup, error, "what", "%s (%s) puts out no list \"%.40s\"", self->of->path,
                          cls->name, self->what);
}

static const TacProbeOps output_ops = {output_value};

static const TacAttribute output_attributes[] = {
    {"of", TAC_LINK, offsetof(OutputProbe, of), "", NULL, "The component that is watched.", "component",
     TAC_ANY, 0},
    {"what", TAC_TEXT, offsetof(OutputProbe, what), "", "forces", "The name of one of its output lists.",
     NULL, TAC_ANY, 0},
    {"index", TAC_INT, offsetof(OutputProbe, index), "1", "0", "Which number of the list, from 0.", NULL,
     TAC_NOT_NEGATIVE, 0},
};

const TacClass tac_output_probe_class = {
    .name = "OutputProbe",
    .kind = TAC_KIND_PROBE,
    .doc =
        "Watches one number that a component puts out: the force of a joint, the tension or the resolution "
        "of a wire. Recorded as the channel \"probe/NAME\".",
    .size = sizeof(OutputProbe),
    .attributes = output_attributes,
    .attribute_count = TAC_COUNT(output_attributes),
    .init = output_init,
    .ops.probe = &output_ops,
};
