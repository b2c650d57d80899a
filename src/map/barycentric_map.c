// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// BarycentricMap: points that ride on the elements of their parent, by fixed weights:
//
//     x = sum w_k x_p[i_k]      v = sum w_k v_p[i_k]      f_p[i_k] += w_k f
//
// Each point is bound once, at rest, to the element that contains it or to the nearest one (element_fit.h
// says by which weights, element_tree.h how it is found). Embedding a fine skin in a coarse solid is the
// usual use (SOFA's BarycentricMapping).
//
// One thread scatters forces point by point; several let every parent point gather its own. Both add in
// ascending order of child points, so the bits are the same.

#include "base/memory.h"
#include "base/team.h"
#include "map/element_tree.h"
#include "map/maps.h"
#include "map/setup.h"

typedef struct BarycentricMap {
    TacMap map;
    TacTopology *topology;

    size_t width;     // parents of each point
    int32_t *parents; // `width` per point
    double *weights;  // likewise
    TacOwned of_parent;
} BarycentricMap;

typedef struct Call {
    const BarycentricMap *self;
    const double *in;
    double *out;
} Call;

// --- operations -------------------------------------------------------------------------------------------

static inline void mix_points(const Call *c, size_t begin, size_t end, size_t width) {
    for (size_t i = begin; i < end; i++) {
        const int32_t *parents = c->self->parents + width * i;
        const double *weights = c->self->weights + width * i;
        TacVec3 sum = {0, 0, 0};
        for (size_t k = 0; k < width; k++)
            sum = tac_axpy(sum, weights[k], tac_load3(c->in + 3 * (size_t)parents[k]));
        tac_store3(c->out + 3 * i, sum);
    }
}

static void mix_chunk(void *data, size_t begin, size_t end, size_t chunk) {
    (void)chunk;
    const Call *c = data;
    // widths known to the compiler are unrolled
    switch (c->self->width) {
    case 4: mix_points(c, begin, end, 4); break;
    case 8: mix_points(c, begin, end, 8); break;
    default: mix_points(c, begin, end, c->self->width);
    }
}

static void position(void *data, const TacContext *context, const double *parent, double *child) {
    const BarycentricMap *self = data;
    Call call = {self, parent, child};
    tac_team_run(context->team, self->map.child->count, TAC_MAP_GRAIN, mix_chunk, &call);
}

static void velocity(void *data, const TacContext *context, const double *px, const double *cx,
                     const double *parent_v, double *child_v) {
    (void)px;
    (void)cx;
    position(data, context, parent_v, child_v);
}

static void scatter(const BarycentricMap *self, const double *child_f, double *parent_f) {
    size_t width = self->width;
    for (size_t i = 0; i < self->map.child->count; i++) {
        TacVec3 f = tac_load3(child_f + 3 * i);
        for (size_t k = 0; k < width; k++)
            tac_add3(parent_f + 3 * (size_t)self->parents[width * i + k],
                     tac_scale(f, self->weights[width * i + k]));
    }
}

static inline void gather_points(const Call *c, size_t begin, size_t end, size_t width) {
    const TacOwned *g = &c->self->of_parent;
    for (size_t p = begin; p < end; p++) {
        TacVec3 sum = tac_load3(c->out + 3 * p);
        for (uint32_t s = g->start[p]; s < g->start[p + 1]; s++) {
            size_t slot = g->items[s];
            TacVec3 f = tac_load3(c->in + 3 * (slot / width));
            sum = tac_add(sum, tac_scale(f, c->self->weights[slot]));
        }
        tac_store3(c->out + 3 * p, sum);
    }
}

static void gather_chunk(void *data, size_t begin, size_t end, size_t chunk) {
    (void)chunk;
    const Call *c = data;
    switch (c->self->width) {
    case 4: gather_points(c, begin, end, 4); break;
    case 8: gather_points(c, begin, end, 8); break;
    default: gather_points(c, begin, end, c->self->width);
    }
}

static void force(void *data, const TacContext *context, const double *px, const double *cx,
                  const double *child_f, double *parent_f) {
    (void)px;
    (void)cx;
    const BarycentricMap *self = data;
    if (tac_team_size(context->team) == 1 || self->map.child->count < TAC_MAP_TEAM_LEAST) {
        scatter(self, child_f, parent_f);
        return;
    }
    enum { GRAIN = 512 };
    Call call = {self, child_f, parent_f};
    tac_team_run(context->team, self->map.parent->count, GRAIN, gather_chunk, &call);
}

static bool jacobian(void *data, const double *px, const double *cx, size_t point, size_t k, size_t *parent,
                     double *block) {
    (void)px;
    (void)cx;
    const BarycentricMap *self = data;
    if (k >= self->width) return false;
    *parent = (size_t)self->parents[self->width * point + k];
    tac_map_scaled_identity(&self->map, self->weights[self->width * point + k], block);
    return true;
}

// J is constant, so there is no force_change.
static const TacMapOps ops = {
    .position = position, .velocity = velocity, .force = force, .jacobian = jacobian};

// --- setting up -------------------------------------------------------------------------------------------

static TacStatus find_topology(const BarycentricMap *self, TacSetup *setup, const TacMesh **mesh,
                               TacError *error) {
    const TacMatter *parent = self->map.parent;
    const TacTopology *topology = self->topology ? self->topology : tac_setup_topology_of(setup, parent);
    if (!topology)
        return tac_setup_fail(setup, error, "topology",
                              "%s has no topology whose elements could carry points; add one beside it",
                              parent->base.path);
    if (topology->mesh.point_count != parent->count)
        return tac_setup_fail(setup, error, "topology", "%s has %zu points but %s has %zu",
                              topology->base.path, topology->mesh.point_count, parent->base.path,
                              parent->count);
    *mesh = &topology->mesh;
    return TAC_OK;
}

// Volumes carry best, then surfaces, then lines.
static TacElement best_kind(const TacMesh *mesh) {
    static const TacElement order[] = {TAC_TETRAHEDRA, TAC_HEXAHEDRA, TAC_TRIANGLES, TAC_QUADS, TAC_EDGES};
    for (size_t k = 0; k < TAC_COUNT(order); k++)
        if (mesh->elements[order[k]].count) return order[k];
    return TAC_ELEMENT_KINDS;
}

// Binds every point; *farthest becomes the largest distance from the element that a point is bound to.
static TacStatus bind(BarycentricMap *self, TacSetup *setup, const TacElementTree *tree, double *farthest,
                      TacError *error) {
    const TacMatter *child = self->map.child;
    const double *rest = child->vectors[TAC_X_REST];
    for (size_t i = 0; i < child->count; i++) {
        size_t element;
        TacFit fit;
        if (!tac_element_tree_find(tree, tac_load3(rest + 3 * i), &element, &fit))
            return tac_setup_fail(setup, error, "topology", "none of the %zu %s has any volume", tree->count,
                                  tac_element_name(tree->kind));
        // coordinates whose cubes are no longer numbers
        double sum = fit.distance2;
        for (size_t k = 0; k < self->width; k++) sum += fit.weights[k];
        if (!isfinite(sum))
            return tac_setup_fail(setup, error, NULL, "point %zu of %s is too far away to be bound", i,
                                  child->base.path);
        *farthest = fmax(*farthest, sqrt(fit.distance2));
        for (size_t k = 0; k < self->width; k++) {
            self->parents[self->width * i + k] = tree->indices[self->width * element + k];
            self->weights[self->width * i + k] = fit.weights[k];
        }
    }
    return TAC_OK;
}

static TacStatus bind_to_mesh(BarycentricMap *self, TacSetup *setup, const TacMesh *mesh, TacError *error) {
    TacElement kind = best_kind(mesh);
    if (kind == TAC_ELEMENT_KINDS)
        return tac_setup_fail(setup, error, "topology",
                              "the topology of %s has points only; points ride on elements between them",
                              self->map.parent->base.path);
    size_t n = self->map.child->count;
    self->width = (size_t)tac_element_size(kind);
    self->parents = tac_setup_alloc(setup, n * self->width, sizeof *self->parents);
    self->weights = tac_setup_alloc(setup, n * self->width, sizeof *self->weights);
    if (!self->parents || !self->weights) return tac_fail_memory(error, n * self->width * sizeof(double));

    const double far = 0.05; // of the mesh's diagonal
    double farthest = 0;
    TacElementTree tree;
    TAC_TRY(tac_element_tree_build(&tree, kind, self->map.parent->vectors[TAC_X_REST],
                                   mesh->elements[kind].indices, mesh->elements[kind].count, error));
    TacStatus status = bind(self, setup, &tree, &farthest, error);
    if (status == TAC_OK && farthest > far * tree.size)
        tac_setup_warn(setup, NULL, "some points lie up to %.3g m off the %s that carry them", farthest,
                       tac_element_name(kind));
    tac_element_tree_destroy(&tree);
    return status;
}

static TacStatus init(void *data, TacSetup *setup, TacError *error) {
    BarycentricMap *self = data;
    const TacMatter *parent = self->map.parent, *child = self->map.child;
    if (parent->kind != TAC_VEC3 || child->kind != TAC_VEC3)
        return tac_setup_fail(setup, error, NULL, "carries Vec3 on Vec3; %s is %s and %s is %s",
                              child->base.path, tac_matter_kind_name(child->kind), parent->base.path,
                              tac_matter_kind_name(parent->kind));
    self->map.faithful = true;
    const TacMesh *mesh = NULL;
    TAC_TRY(find_topology(self, setup, &mesh, error));
    TAC_TRY(bind_to_mesh(self, setup, mesh, error));
    TAC_TRY(tac_owned_build(&self->of_parent, setup, parent->count, self->parents, self->width * child->count,
                            error));
    tac_map_place_child(&self->map);
    return TAC_OK;
}

static const TacAttribute attributes[] = {
    TAC_MAP_ATTRIBUTES(BarycentricMap, map),
    {"topology", TAC_LINK, offsetof(BarycentricMap, topology), "", "",
     "The parent's elements that carry the points: tetrahedra, else hexahedra, triangles, quads or edges; "
     "by default the topology of the parent.",
     "topology", TAC_ANY, 0},
};

const TacClass tac_barycentric_map_class = {
    .name = "BarycentricMap",
    .kind = TAC_KIND_MAP,
    .doc = "Points that ride on the elements of their parent by fixed weights: each is bound, at rest, to "
           "the element around it or the nearest one. On surfaces and lines points are put onto them.",
    .size = sizeof(BarycentricMap),
    .attributes = attributes,
    .attribute_count = TAC_COUNT(attributes),
    .init = init,
    .ops.map = &ops,
};
