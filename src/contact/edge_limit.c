// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// EdgeLimit, the component: which edges, and how far they may be stretched. edge_limits.h does the rest.

#include "base/memory.h"
#include "contact/edge_limits.h"

static TacStatus take_mesh_edges(TacEdgeLimit *self, TacSetup *setup, TacError *error) {
    const TacTopology *topology = tac_setup_topology(setup);
    if (!topology || topology->mesh.point_count != self->matter->count)
        return tac_setup_fail(setup, error, NULL,
                              "needs pairs, or a topology with as many points as the matter has (%zu)",
                              self->matter->count);
    int32_t *edges = NULL;
    TAC_TRY(tac_mesh_all_edges(&topology->mesh, &edges, &self->count, error));
    self->pairs = tac_setup_alloc(setup, 2 * self->count, sizeof *self->pairs);
    if (self->pairs && self->count) memcpy(self->pairs, edges, 2 * self->count * sizeof *self->pairs);
    free(edges);
    return self->pairs ? TAC_OK : tac_fail_memory(error, 2 * self->count * sizeof *self->pairs);
}

static TacStatus take_given(TacEdgeLimit *self, TacSetup *setup, TacError *error) {
    if (self->given_pairs.count % 2)
        return tac_setup_fail(setup, error, "pairs", "pairs has %zu numbers; two for each edge were expected",
                              self->given_pairs.count);
    self->count = self->given_pairs.count / 2;
    self->pairs = tac_setup_alloc(setup, 2 * self->count, sizeof *self->pairs);
    if (!self->pairs) return tac_fail_memory(error, 2 * self->count * sizeof *self->pairs);
    for (size_t i = 0; i < 2 * self->count; i++) {
        self->pairs[i] = self->given_pairs.data[i];
        if (self->pairs[i] < 0 || (size_t)self->pairs[i] >= self->matter->count ||
            (i % 2 && self->pairs[i] == self->pairs[i - 1]))
            return tac_setup_fail(setup, error, "pairs",
                                  "edge %zu ends at point %d; two of 0 to %zu were expected", i / 2,
                                  self->pairs[i], self->matter->count - 1);
    }
    return TAC_OK;
}

static TacStatus init(void *data, TacSetup *setup, TacError *error) {
    TacEdgeLimit *self = data;
    if (self->matter->kind != TAC_VEC3)
        return tac_setup_fail(setup, error, "matter", "works on points in space");
    if (!(self->strain > 0 && self->strain < 1))
        return tac_setup_fail(setup, error, "strain", "strain is %g; it must be above 0 and below 1",
                              self->strain);
    TAC_TRY(tac_setup_given(setup, "pairs") ? take_given(self, setup, error)
                                            : take_mesh_edges(self, setup, error));
    if (!self->count) return tac_setup_fail(setup, error, NULL, "there are no edges");
    return TAC_OK;
}

static const TacAttribute attributes[] = {
    TAC_MATTER_ATTRIBUTE(TacEdgeLimit, matter),
    {"strain", TAC_REAL, offsetof(TacEdgeLimit, strain), "1", "0.05",
     "How much longer or shorter than at rest an edge may become, as a part of its length; it never does.",
     NULL, TAC_POSITIVE, 0},
    {"pairs", TAC_INTS, offsetof(TacEdgeLimit, given_pairs), "1", "",
     "The two ends of each edge; by default every edge of the nearest topology.", NULL, TAC_NOT_NEGATIVE, 0},
    {"restitution", TAC_REAL, offsetof(TacEdgeLimit, restitution), "1", "0.5",
     "Speed with which the ends of an edge leave its limit, over that with which they came.", NULL,
     TAC_FRACTION, 0},
    {"speed", TAC_REAL, offsetof(TacEdgeLimit, speed), "m/s", "1",
     "Usual speed of the ends against each other, for which the outermost layer is made. Other speeds are "
     "safe "
     "too, and cost more.",
     NULL, TAC_POSITIVE, 0},
};

const TacClass tac_edge_limit_class = {
    .name = "EdgeLimit",
    .kind = TAC_KIND_SETTING,
    .doc =
        "Edges that never become longer or shorter than a limit, however hard they are pulled: nested layers "
        "on their length. For worlds with safe contact.",
    .size = sizeof(TacEdgeLimit),
    .attributes = attributes,
    .attribute_count = TAC_COUNT(attributes),
    .init = init,
};
