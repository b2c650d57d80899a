// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Compiling pairs of a wire and a body that meet by contact nodes (constraint/cable.h) in a world of safe contact: layers
// leave them alone, and every step looks at the line itself, which has no thickness there (world/reshape.c).

#include "constraint/joint.h"
#include "scene/compile.h"

static bool is_model(const TacComponent *c) {
    return c->cls == &tac_skin_class || c->cls == &tac_balls_model_class || c->cls == &tac_shape_model_class;
}

static TacMatter *root_of(const TacCompile *c, const TacComponent *model) {
    return tac_compile_root(c, ((const TacCollision *)model)->matter);
}

// The mass of matter that goes over nodes; NULL: it does not.
static const TacMass *noded(const TacCompile *c, const TacMatter *m) {
    const TacMass *mass = c->mass_of[tac_compile_matter_index(c, m)];
    const TacJointOps *own = mass ? tac_joint_ops(&mass->base) : NULL;
    return own && own->meets_by_nodes && own->pieces(mass, NULL, 0) > 0 ? mass : NULL;
}

bool tac_compile_goes_over_nodes(const TacCompile *c, const TacMatter *m) {
    return noded(c, m) != NULL;
}

// How many frames of a body a wire meets by nodes.
static size_t count_met(const TacMass *wire, const TacMatter *body) {
    size_t met = 0;
    for (size_t i = 0; body->kind == TAC_RIGID3 && i < body->count; i++)
        met += tac_joint_ops(&wire->base)->meets_by_nodes(wire, body, i);
    return met;
}

static bool meets(const TacCompile *c, const TacComponent *wire, const TacComponent *body) {
    const TacMass *mass = noded(c, root_of(c, wire));
    return mass && count_met(mass, root_of(c, body)) > 0;
}

bool tac_compile_meet_by_nodes(const TacCompile *c, const TacComponent *a, const TacComponent *b) {
    return a && b && (meets(c, a, b) || meets(c, b, a));
}

bool tac_compile_has_nodes(const TacCompile *c, const TacComponent *model) {
    const TacMatter *root = root_of(c, model);
    for (size_t i = 0; i < c->world->matter_count; i++) {
        const TacMass *wire = noded(c, c->world->matters[i]);
        if (wire && (wire->matter == root || count_met(wire, root) > 0)) return true;
    }
    return false;
}

// A skin is left alone as a whole.
static TacStatus check_frames(const TacCompile *c, const TacMass *wire, const TacComponent *body,
                              TacError *error) {
    const TacMatter *frames = root_of(c, body);
    const TacJointOps *own = tac_joint_ops(&wire->base);
    size_t met = count_met(wire, frames), other = 0;
    if (met == 0 || met == frames->count) return TAC_OK;
    while (own->meets_by_nodes(wire, frames, other)) other++;
    return tac_compile_fail(
        c, &wire->base, error,
        "it goes over %zu of the %zu frames of %s by nodes, but not over frame %zu, which has the "
        "same skin (%s): safe contact takes either nodes or layers for all of a skin. Put those "
        "that it goes over into Frames of their own",
        met, frames->count, frames->base.path, other, body->path);
}

static TacStatus check_uncut(const TacCompile *c, const TacNodePair *pair, const TacComponent *body,
                             TacError *error) {
    size_t pieces = tac_world_node_pieces(c->world, pair->wire);
    const TacSafeLine line = {NULL, 0, c->world->pieces, pieces, pair->places};
    TacSafeCuts cuts = tac_safe_look_at_line(c->world->safe, pair->skin, pair->body, &line, 0);
    if (!cuts.count) return TAC_OK;
    return tac_compile_fail(
        c, &pair->wire->base, error,
        "its line passes through %zu triangles of %s at the start, which it meets by nodes: let "
        "the skin be no larger than the wheel (radii) or body (body_mesh) that it goes over",
        cuts.count, body->path);
}

static size_t skin_of(const TacSafeSkin *skins, size_t count, const TacComponent *model) {
    size_t i = 0;
    while (i < count && skins[i].name != model->path) i++;
    return i;
}

static TacStatus add_pair(TacCompile *c, const TacSafeSkin *skins, size_t count, const TacComponent *wire,
                          const TacComponent *body, TacError *error) {
    TacWorld *world = c->world;
    const TacMass *mass = noded(c, root_of(c, wire));
    TacNodePair pair = {
        mass, (uint32_t)skin_of(skins, count, wire), (uint32_t)skin_of(skins, count, body), NULL, 0, NULL};
    TAC_TRY(check_frames(c, mass, body, error));
    if (pair.skin == count || pair.body == count) return TAC_OK;
    size_t pieces = tac_joint_ops(&mass->base)->pieces(mass, NULL, 0);
    if (pieces > world->piece_capacity) {
        world->piece_capacity = pieces;
        world->pieces = tac_arena_array(&world->arena, pieces, sizeof *world->pieces);
    }
    pair.were = tac_arena_array(&world->arena, pieces, sizeof *pair.were);
    pair.places =
        tac_arena_array(&world->arena, 6 * (size_t)skins[pair.body].vertex_count + 1, sizeof(double));
    TacNodePair *list = tac_arena_array(&world->arena, world->node_pair_count + 1, sizeof *list);
    if (!list || !world->pieces || !pair.were || !pair.places) return tac_fail_memory(error, 0);
    for (size_t i = 0; i < world->node_pair_count; i++) list[i] = world->node_pairs[i];
    list[world->node_pair_count++] = pair;
    world->node_pairs = list;
    return check_uncut(c, &pair, body, error);
}

TacStatus tac_compile_node_pairs(TacCompile *c, const TacSafeSkin *skins, size_t count, TacError *error) {
    for (size_t i = 0; i < c->count; i++) {
        const TacComponent *wire = c->instances[i].component;
        if (!is_model(wire) || !noded(c, root_of(c, wire))) continue;
        for (size_t k = 0; k < c->count; k++) {
            const TacComponent *body = c->instances[k].component;
            if (is_model(body) && meets(c, wire, body)) TAC_TRY(add_pair(c, skins, count, wire, body, error));
        }
    }
    return TAC_OK;
}
