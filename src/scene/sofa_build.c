// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Makes our tree from the picture of a SOFA scene. See sofa.h.
//
// Three rounds over the objects, so that whatever is linked to stands before: nodes, topology, matter, solvers;
// then maps; then masses, constraints and laws. Nodes are made when something stands in them.

#include "base/text.h"
#include "scene/sofa.h"

#include <math.h>
#include <stdio.h>

// --- our tree ---------------------------------------------------------------------------------------------

// Letters, digits, _ and -; made fresh where it is taken.
static TacStatus clean_name(const TacSofa *s, TacNodeId node, const char *name, char clean[128]) {
    snprintf(clean, 100, "%.90s", *name ? name : "node");
    for (char *p = clean; *p; p++) {
        bool good = (*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') || (*p >= '0' && *p <= '9') ||
                    *p == '-' || (unsigned char)*p >= 0x80;
        if (!good) *p = '_';
    }
    size_t n = strlen(clean);
    for (unsigned k = 2; k < 100000; k++) {
        const TacName *taken = tac_names_find(&s->scene->names, node.index1 - 1, clean, strlen(clean));
        if (!taken || (taken->child == TAC_NONE && taken->component == TAC_NONE)) return TAC_OK;
        snprintf(clean + n, 20, "_%u", k);
    }
    return TAC_BAD_INPUT;
}

static TacNodeId node_of(TacSofa *s, uint32_t node) {
    TacSofaNode *n = &s->nodes[node];
    if (n->made.index1) return n->made;
    if (n->parent == TAC_NONE) {
        n->made = s->into.index1 ? s->into : tac_scene_root(s->scene);
        return n->made;
    }
    TacNodeId above = node_of(s, n->parent);
    char name[128];
    TacError error;
    if (!above.index1) return above;
    if (clean_name(s, above, n->name, name) != TAC_OK ||
        tac_scene_add_node(s->scene, above, name, &n->made, &error) != TAC_OK) {
        tac_sofa_note(s, n->element->place, &error);
        return (TacNodeId){0, 0};
    }
    tac_tree_node(s->scene, n->made)->place = n->element->place;
    return n->made;
}

// A component in one of our nodes; null after a complaint.
static TacComponentId add(TacSofa *s, const TacSofaObject *o, TacNodeId node, const char *cls,
                          const char *name) {
    TacComponentId id = {0, 0};
    char clean[128];
    TacError error;
    if (!node.index1) return id;
    if (!tac_scene_find_class(s->scene, cls)) {
        tac_sofa_complain(s, o->element->place, "lacks %s: there is no component %s here yet", o->cls->name,
                          cls);
        return id;
    }
    if (clean_name(s, node, name, clean) != TAC_OK ||
        tac_scene_add(s->scene, node, cls, clean, &id, &error) != TAC_OK) {
        tac_sofa_note(s, o->element->place, &error);
        return (TacComponentId){0, 0};
    }
    tac_tree_component(s->scene, id)->place = o->element->place;
    return id;
}

TacComponentId tac_sofa_add_in(TacSofa *s, const TacSofaObject *o, uint32_t node, const char *cls,
                               const char *name) {
    return add(s, o, node_of(s, node), cls, name);
}

TacComponentId tac_sofa_add_at(TacSofa *s, const TacSofaObject *o, TacNodeId node, const char *cls,
                               const char *name) {
    return add(s, o, node, cls, name);
}

TacComponentId tac_sofa_add_beside(TacSofa *s, const TacSofaObject *o, TacComponentId id, const char *cls,
                                   const char *name) {
    const TacSceneComponent *made = tac_tree_component(s->scene, id);
    return add(s, o, made ? tac_tree_node_id(s->scene, made->node) : (TacNodeId){0, 0}, cls, name);
}

bool tac_sofa_has(const TacSofa *s, TacComponentId id, const char *attribute) {
    const TacClass *cls = tac_scene_class_of(s->scene, id);
    return cls && tac_class_attribute(cls, attribute) != TAC_NONE;
}

static bool noted(TacSofa *s, const TacSofaObject *o, TacStatus status, const TacError *error) {
    if (status == TAC_OK) return true;
    tac_sofa_note(s, o->element->place, error);
    return false;
}

bool tac_sofa_set(TacSofa *s, const TacSofaObject *o, TacComponentId id, const char *attribute,
                  const char *text) {
    TacError error;
    TacPlace place = o->element->place;
    return noted(s, o, tac_tree_set(s->scene, id, attribute, text, place, place, &error), &error);
}

bool tac_sofa_set_reals(TacSofa *s, const TacSofaObject *o, TacComponentId id, const char *attribute,
                        const double *values, size_t count) {
    TacError error;
    return noted(s, o, tac_scene_set_reals(s->scene, id, attribute, values, count, &error), &error);
}

bool tac_sofa_set_real(TacSofa *s, const TacSofaObject *o, TacComponentId id, const char *attribute,
                       double value) {
    return tac_sofa_set_reals(s, o, id, attribute, &value, 1);
}

bool tac_sofa_set_ints(TacSofa *s, const TacSofaObject *o, TacComponentId id, const char *attribute,
                       const int32_t *values, size_t count) {
    TacError error;
    return noted(s, o, tac_scene_set_ints(s->scene, id, attribute, values, count, &error), &error);
}

bool tac_sofa_set_link(TacSofa *s, const TacSofaObject *o, TacComponentId id, const char *attribute,
                       TacComponentId target) {
    if (!target.index1) return false;
    char *path = tac_tree_path(s->scene, target.index1 - 1, s->arena);
    char *link = path ? tac_arena_format(s->arena, "@%s", path) : NULL;
    return link ? tac_sofa_set(s, o, id, attribute, link) : tac_sofa_no_memory(s);
}

// --- attributes -------------------------------------------------------------------------------------------

static bool set_by_type(TacSofa *s, TacSofaObject *o, TacComponentId id, const TacSofaWord *word,
                        const TacAttribute *ours) {
    TacReals reals;
    TacInts ints;
    switch (ours->type) {
    case TAC_INTS:
        return tac_sofa_ints(s, o, word->sofa, &ints) &&
               tac_sofa_set_ints(s, o, id, ours->name, ints.data, ints.count);
    case TAC_REAL:
    case TAC_VECTOR:
    case TAC_REALS:
        return tac_sofa_reals(s, o, word->sofa, &reals) &&
               (reals.count == 0 || tac_sofa_set_reals(s, o, id, ours->name, reals.data,
                                                       ours->type == TAC_REAL ? 1 : reals.count));
    case TAC_BOOL:
        return tac_sofa_set(s, o, id, ours->name, tac_sofa_bool(s, o, word->sofa, false) ? "true" : "false");
    default: {
        const char *text = tac_sofa_text(s, o, word->sofa);
        return !text || !*text || tac_sofa_set(s, o, id, ours->name, text);
    }
    }
}

// Those that need a new name at most, and SOFA's defaults where ours differ.
static bool set_attributes(TacSofa *s, TacSofaObject *o, TacComponentId id) {
    const TacClass *cls = tac_scene_class_of(s->scene, id);
    const char *list = o->cls->attributes;
    TacSofaWord word;
    bool good = true;
    while (tac_sofa_next_word(&list, &word)) {
        if (word.computed) continue;
        bool given = tac_sofa_attribute(o, word.sofa) != NULL;
        if (!given && !*word.initial) continue;
        uint32_t i = tac_class_attribute(cls, word.ours);
        if (i == TAC_NONE) {
            if (given)
                tac_sofa_complain(s, o->element->place, "lacks %s of %s: our %s has no %s", word.sofa,
                                  o->cls->name, cls->name, word.ours);
            continue;
        }
        good = (given ? set_by_type(s, o, id, &word, &cls->attributes[i])
                      : tac_sofa_set(s, o, id, word.ours, word.initial)) &&
               good;
    }
    return good;
}

static bool in_list(const char *list, const char *name) {
    TacSofaWord word;
    while (tac_sofa_next_word(&list, &word))
        if (!strcmp(word.sofa, name)) return true;
    return false;
}

static const char everywhere[] = "name template src printLog tags bbox listening componentState id";

static size_t collect(const char *list, char (*names)[64], size_t n, size_t most) {
    TacSofaWord word;
    while (n < most && tac_sofa_next_word(&list, &word)) snprintf(names[n++], 64, "%s", word.sofa);
    return n;
}

// Remarks on attributes that nobody knows.
static void check_attributes(TacSofa *s, const TacSofaObject *o) {
    const TacSofaClass *cls = o->cls;
    // what only draws may have any
    if (!cls->ignored || !strcmp(cls->ignored, "*")) return;
    for (size_t i = 0; i < o->element->count; i++) {
        const TacSofaAttribute *a = &o->element->attributes[i];
        if (in_list(cls->attributes, a->name) || in_list(cls->ignored, a->name) ||
            in_list(everywhere, a->name))
            continue;
        if (!strncmp(a->name, "show", 4) || !strncmp(a->name, "draw", 4)) continue;
        char names[64][64];
        const char *pointers[64];
        size_t n = collect(cls->ignored, names, collect(cls->attributes, names, 0, 64), 64);
        for (size_t k = 0; k < n; k++) pointers[k] = names[k];
        const char *near = tac_nearest(a->name, pointers, n);
        tac_sofa_remark(s, a->place, "%s has no attribute \"%.60s\" that is known here%s%s%s", cls->name,
                        a->name, near ? "; did you mean \"" : "", near ? near : "", near ? "\"?" : "");
    }
}

// --- first round: topology, matter, solvers ---------------------------------------------------------------

// The points of a mesh for a state: the state's own where they agree, or where the mesh has none.
static bool add_mesh(TacSofa *s, TacSofaObject *topology, const TacSofaObject *state, TacNodeId node,
                     TacComponentId *id) {
    const TacMesh *mesh = &topology->mesh;
    bool by_state = state && (mesh->point_count == 0 || mesh->point_count == state->points);
    size_t count = by_state ? state->points : mesh->point_count, numbers = 0;
    for (int k = 0; k < TAC_ELEMENT_KINDS; k++) numbers += mesh->elements[k].count;
    *id = (TacComponentId){0, 0};
    if (!count || (!numbers && !mesh->point_count)) return true;
    double *points = tac_sofa_new_reals(s, 3 * count);
    if (!points) return false;
    size_t each = by_state ? (size_t)tac_position_size(state->kind) : 3;
    const double *from = by_state ? state->rest.data : mesh->points;
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < 3 && k < each; k++) points[3 * i + k] = from[each * i + k];
    *id = add(s, topology, node, "Mesh", topology->name);
    if (!id->index1 || !tac_sofa_set_reals(s, topology, *id, "at", points, 3 * count)) return false;
    static const char *const names[] = {"with_edges", "with_triangles", "with_quads", "with_tetrahedra",
                                        "with_hexahedra"};
    for (int k = 0; k < TAC_ELEMENT_KINDS; k++) {
        size_t n = mesh->elements[k].count * (size_t)tac_element_size((TacElement)k);
        if (n && !tac_sofa_set_ints(s, topology, *id, names[k], mesh->elements[k].indices, n)) return false;
    }
    return true;
}

// The mesh of a node: that of its last topology.
static bool add_node_mesh(TacSofa *s, uint32_t node) {
    TacSofaObject *topology = NULL;
    for (uint32_t i = 0; i < s->nodes[node].count; i++) {
        TacSofaObject *o = &s->objects[s->nodes[node].first + i];
        if (tac_sofa_is_topology(o)) topology = o;
    }
    TacSofaObject *state = tac_sofa_state_of(s, node);
    if (!topology || !state || tac_sofa_is_between(state)) return true;
    if (!tac_sofa_make_mesh(s, topology) || !tac_sofa_make_state(s, state)) return false;
    return add_mesh(s, topology, state, node_of(s, node), &topology->made_mesh);
}

static bool add_state(TacSofa *s, TacSofaObject *o) {
    if (!tac_sofa_make_state(s, o)) return false;
    if (!o->points) {
        tac_sofa_complain(s, o->element->place, "the state \"%.60s\" has no points", o->name);
        return false;
    }
    bool rigid = o->kind == TAC_RIGID2 || o->kind == TAC_RIGID3;
    o->made = add(s, o, node_of(s, o->node), rigid ? "Frames" : "Points", o->name);
    if (!o->made.index1) return false;
    const char *dimension = o->kind == TAC_VEC1                            ? "1"
                            : o->kind == TAC_VEC2 || o->kind == TAC_RIGID2 ? "2"
                                                                           : "3";
    bool good = tac_sofa_set(s, o, o->made, "dimension", dimension) &&
                (o->kind != TAC_RIGID3 || tac_sofa_set(s, o, o->made, "chord", "true")) &&
                tac_sofa_set_reals(s, o, o->made, "positions", o->positions.data, o->positions.count);
    if (good && o->rest.data != o->positions.data && tac_sofa_has(s, o->made, "rest"))
        good = tac_sofa_set_reals(s, o, o->made, "rest", o->rest.data, o->rest.count);
    if (good && o->velocities.count)
        good = tac_sofa_set_reals(s, o, o->made, "velocities", o->velocities.data, o->velocities.count);
    return good;
}

static bool is_linear(const TacSofaObject *o) {
    return o->cls->role == TAC_SOFA_LINEAR;
}

static bool is_solver(const TacSofaObject *o) {
    return o->cls->role == TAC_SOFA_SOLVER;
}

static const char *class_of(TacSofa *s, TacSofaObject *o) {
    if (!strcmp(o->cls->ours, "ExplicitEuler") && tac_sofa_bool(s, o, "symplectic", true))
        return "SymplecticEuler";
    return o->cls->ours;
}

static bool add_plain(TacSofa *s, TacSofaObject *o) {
    if (o->made.index1) return true;
    o->made = add(s, o, node_of(s, o->node), class_of(s, o), o->name);
    if (!o->made.index1) return false;
    return set_attributes(s, o, o->made) && (!o->cls->build || o->cls->build(s, o, o->made));
}

// Whether another linear solver of the node uses this one as its preconditioner.
static bool is_preconditioner(TacSofa *s, const TacSofaObject *linear) {
    const TacSofaNode *n = &s->nodes[linear->node];
    for (uint32_t i = n->first; i < n->first + n->count; i++) {
        TacSofaObject *o = &s->objects[i];
        const TacSofaAttribute *a =
            o != linear && is_linear(o) ? tac_sofa_attribute(o, "preconditioner") : NULL;
        if (!a) a = o != linear && is_linear(o) ? tac_sofa_attribute(o, "preconditioners") : NULL;
        if (a && tac_sofa_follow(s, o, a->value, NULL) == linear) return true;
    }
    return false;
}

static TacSofaObject *linear_of(TacSofa *s, const TacSofaObject *solver) {
    const TacSofaNode *n = &s->nodes[solver->node];
    TacSofaObject *given = tac_sofa_link(s, solver, "linearSolver", is_linear);
    if (given) return given;
    for (uint32_t i = n->first; i < n->first + n->count; i++)
        if (is_linear(&s->objects[i]) && !is_preconditioner(s, &s->objects[i])) return &s->objects[i];
    for (uint32_t node = n->parent; node != TAC_NONE; node = s->nodes[node].parent)
        for (uint32_t i = 0; i < s->nodes[node].count; i++) {
            TacSofaObject *o = &s->objects[s->nodes[node].first + i];
            if (is_linear(o) && !is_preconditioner(s, o)) return o;
        }
    return NULL;
}

static bool add_solver(TacSofa *s, TacSofaObject *o) {
    const TacClass *cls = tac_scene_find_class(s->scene, class_of(s, o));
    TacSofaObject *linear = linear_of(s, o);
    bool wanted = cls && tac_class_attribute(cls, "linear_solver") != TAC_NONE;
    bool good = !wanted || !linear || add_plain(s, linear);
    if (!add_plain(s, o)) return false;
    if (s->step > 0 && cls && tac_class_attribute(cls, "step") != TAC_NONE)
        tac_sofa_set_real(s, o, o->made, "step", s->step);
    if (wanted && linear && linear->made.index1)
        return tac_sofa_set_link(s, o, o->made, "linear_solver", linear->made) && good;
    return good;
}

// A number of the world's, where the scene gives it.
static double world_number(const TacSofa *s, const char *name, size_t i, double otherwise) {
    const TacSceneComponent *world = tac_tree_component(s->scene, tac_scene_world(s->scene));
    uint32_t a = tac_class_attribute(world->cls, name);
    if (a == TAC_NONE || !world->values[a].given) return otherwise;
    const TacValue *value = &world->values[a];
    return value->count > i && value->reals ? value->reals[i] : otherwise;
}

// Within a scene of ours: gravity of its node, steps of its solvers.
static void add_own_world(TacSofa *s, const TacSofaObject *world, TacVec3 g, double dt) {
    TacPlace place = world->element->place;
    TacComponentId gravity = add(s, world, s->into, "Gravity", "gravity");
    if (!gravity.index1) return;
    tac_sofa_set_reals(s, world, gravity, "acceleration", (const double[]){g.x, g.y, g.z}, 3);
    s->step = dt;
    if (world_number(s, "gravity", 0, 0) != g.x || world_number(s, "gravity", 1, -9.81) != g.y ||
        world_number(s, "gravity", 2, 0) != g.z)
        tac_sofa_remark(s, place, "gravity is %g %g %g m/s^2 in this scene, whatever the world's is", g.x,
                        g.y, g.z);
    if (world_number(s, "dt", 0, 0.01) != dt)
        tac_sofa_remark(s, place, "its dt of %g s is the step of its solvers; the world's beat is %g s", dt,
                        world_number(s, "dt", 0, 0.01));
}

static void add_world(TacSofa *s) {
    TacSofaElement *root = s->nodes[0].element;
    // the root's attributes, read as an object's are
    TacSofaObject world = {.element = root, .cls = tac_sofa_find_class("Node"), .name = "root"};
    TacComponentId id = tac_scene_world(s->scene);
    TacVec3 g = tac_sofa_vector(s, &world, "gravity", tac_vec3(0, -9.81, 0));
    if (s->into.index1) {
        add_own_world(s, &world, g, tac_sofa_real(s, &world, "dt", 0.01));
        return;
    }
    tac_sofa_set_real(s, &world, id, "dt", tac_sofa_real(s, &world, "dt", 0.01));
    tac_sofa_set_reals(s, &world, id, "gravity", (const double[]){g.x, g.y, g.z}, 3);
    if (fabs(g.z) > fabs(g.y)) tac_sofa_set(s, &world, id, "up", "z");
}

static void first_round(TacSofa *s) {
    for (uint32_t node = 0; node < s->node_count && s->notes.worst != TAC_NO_MEMORY; node++) {
        const TacSofaNode *n = &s->nodes[node];
        add_node_mesh(s, node);
        for (uint32_t i = n->first; i < n->first + n->count; i++) {
            TacSofaObject *o = &s->objects[i];
            if (is_solver(o)) add_solver(s, o);
            if (o->cls->role == TAC_SOFA_SETTING) add_plain(s, o);
            if (tac_sofa_is_state(o) && !tac_sofa_is_between(o)) add_state(s, o);
        }
    }
}

// --- who follows whom -------------------------------------------------------------------------------------

static TacSofaObject *local_state(TacSofa *s, uint32_t node) {
    TacSofaObject *state = tac_sofa_state_of(s, node);
    return state && state->node == node ? state : NULL;
}

// The state that a mapping moves; NULL when it moves a picture only.
static TacSofaObject *output_of(TacSofa *s, TacSofaObject *map) {
    const TacSofaAttribute *a = tac_sofa_attribute(map, "output");
    if (!a) return local_state(s, map->node);
    TacSofaObject *target = tac_sofa_follow(s, map, a->value, tac_sofa_is_state);
    if (!target && !tac_sofa_follow(s, map, a->value, NULL)) {
        // a node without a state holds a picture; a name that leads nowhere is a mistake
        const char *end = a->value + strlen(a->value);
        bool node = end > a->value && (end[-1] == '.' || end[-1] == '/');
        if (!node) tac_sofa_link(s, map, "output", NULL);
        return NULL;
    }
    return target && tac_sofa_is_state(target) ? target : NULL;
}

static void link_up(TacSofa *s) {
    for (size_t i = 0; i < s->object_count; i++) {
        TacSofaObject *o = &s->objects[i];
        if (o->cls->role == TAC_SOFA_MAPPING) {
            TacSofaObject *to = tac_sofa_attribute(o, "output")
                                    ? tac_sofa_link(s, o, "output", tac_sofa_is_topology)
                                    : tac_sofa_topology_of(s, o->node);
            if (to && tac_sofa_is_topology(to)) to->filled_by = o;
        }
        if (o->cls->role == TAC_SOFA_MAP) {
            TacSofaObject *to = output_of(s, o);
            if (to) to->mapped_by = o;
        }
    }
}

TacSofaObject *tac_sofa_output_of(TacSofa *s, TacSofaObject *map) {
    return output_of(s, map);
}

static TacSofaObject *parent_of(TacSofa *s, TacSofaObject *map) {
    if (tac_sofa_attribute(map, "input")) return tac_sofa_link(s, map, "input", tac_sofa_is_state);
    uint32_t above = s->nodes[map->node].parent;
    return above == TAC_NONE ? NULL : tac_sofa_state_of(s, above);
}

TacSofaObject *tac_sofa_parent_of(TacSofa *s, TacSofaObject *map) {
    return parent_of(s, map);
}

static bool is_owned(TacSofa *s, TacSofaObject *state) {
    for (int depth = 0; state && state->mapped_by && depth < 64; depth++)
        state = parent_of(s, state->mapped_by);
    for (uint32_t node = state ? state->node : TAC_NONE; node != TAC_NONE; node = s->nodes[node].parent)
        for (uint32_t i = 0; i < s->nodes[node].count; i++)
            if (is_solver(&s->objects[s->nodes[node].first + i])) return true;
    return false;
}

// --- second and third round -------------------------------------------------------------------------------

static bool add_map(TacSofa *s, TacSofaObject *o) {
    TacSofaObject *child = output_of(s, o);
    if (!child || child->mapped_by != o || tac_sofa_is_between(child)) return true;
    TacSofaObject *parent = parent_of(s, o);
    if (!parent || !tac_sofa_is_state(parent)) {
        tac_sofa_complain(s, o->element->place, "%s finds no state as its input", o->cls->name);
        return false;
    }
    if (!parent->made.index1 || !child->made.index1) return false;
    bool frames = child->kind == TAC_RIGID3 && !strcmp(o->cls->ours, "RigidMap");
    o->made = add(s, o, node_of(s, o->node), frames ? "FrameMap" : o->cls->ours, o->name);
    if (!o->made.index1) return false;
    return tac_sofa_set_link(s, o, o->made, "parent", parent->made) &&
           tac_sofa_set_link(s, o, o->made, "child", child->made) && set_attributes(s, o, o->made) &&
           (!o->cls->build || o->cls->build(s, o, o->made));
}

TacSofaObject *tac_sofa_used_topology(TacSofa *s, TacSofaObject *o) {
    TacSofaObject *given = tac_sofa_link(s, o, "topology", tac_sofa_is_topology);
    return given && tac_sofa_has_mesh(given) ? given : tac_sofa_topology_of(s, o->node);
}

// The tetrahedra that a law of tetrahedra sees: those of the topology, or what its hexahedra are cut into. Where
// volumes are negative the first two corners change places, which turns no frame of SOFA's "large" method.
static bool tetrahedra_for(TacSofa *s, TacSofaObject *topology, const TacSofaObject *state,
                           TacSofaObject *changed) {
    *changed = *topology;
    memset(&changed->mesh, 0, sizeof changed->mesh);
    TacError error;
    if (tac_mesh_copy(&changed->mesh, &topology->mesh, &error) != TAC_OK) return tac_sofa_no_memory(s);
    TacMesh *mesh = &changed->mesh;
    if (!mesh->elements[TAC_TETRAHEDRA].count && mesh->elements[TAC_HEXAHEDRA].count) {
        size_t count;
        int32_t *cut = tac_sofa_cut_hexahedra(s, topology, true, false, &count);
        int32_t *kept = cut ? malloc(4 * count * sizeof *kept) : NULL;
        if (!kept) return tac_sofa_no_memory(s);
        memcpy(kept, cut, 4 * count * sizeof *kept);
        free(mesh->elements[TAC_TETRAHEDRA].indices);
        mesh->elements[TAC_TETRAHEDRA].indices = kept;
        mesh->elements[TAC_TETRAHEDRA].count = count;
    }
    if (state->kind != TAC_VEC3) return true;
    for (size_t i = 0; i < mesh->elements[TAC_TETRAHEDRA].count; i++) {
        int32_t *v = mesh->elements[TAC_TETRAHEDRA].indices + 4 * i;
        TacVec3 p[4];
        for (int k = 0; k < 4; k++) {
            if (v[k] < 0 || (size_t)v[k] >= state->points) {
                tac_sofa_complain(s, topology->element->place,
                                  "tetrahedron %zu names point %d; there are %zu, from 0", i, v[k],
                                  state->points);
                return false;
            }
            p[k] = tac_load3(state->rest.data + 3 * (size_t)v[k]);
        }
        if (tac_dot(tac_sub(p[3], p[0]), tac_cross(tac_sub(p[1], p[0]), tac_sub(p[2], p[0]))) >= 0) continue;
        int32_t first = v[0];
        v[0] = v[1];
        v[1] = first;
    }
    return true;
}

static bool wants_tetrahedra(const TacSofaObject *o) {
    if (!o->cls->ours) return false;
    return !strcmp(o->cls->ours, "Tetrahedra") || !strcmp(o->cls->ours, "HyperelasticTetrahedra");
}

// The node in which a law or mass finds its topology: its own, or one made below it with that mesh.
TacNodeId tac_sofa_node_for(TacSofa *s, TacSofaObject *o, const TacSofaObject *state) {
    TacNodeId home = node_of(s, o->node);
    TacSofaObject *topology = tac_sofa_used_topology(s, o);
    if (!topology || !tac_sofa_make_mesh(s, topology)) return home;
    bool near = topology == tac_sofa_topology_of(s, o->node) && topology->made_mesh.index1;
    TacSofaObject changed;
    bool other = wants_tetrahedra(o);
    if (other && !tetrahedra_for(s, topology, state, &changed)) {
        tac_mesh_destroy(&changed.mesh);
        return (TacNodeId){0, 0};
    }
    const TacMesh *was = &topology->mesh, *now = other ? &changed.mesh : was;
    size_t n = now->elements[TAC_TETRAHEDRA].count;
    bool same = !other || (n == was->elements[TAC_TETRAHEDRA].count &&
                           (!n || !memcmp(now->elements[TAC_TETRAHEDRA].indices,
                                          was->elements[TAC_TETRAHEDRA].indices, 4 * n * sizeof(int32_t))));
    TacNodeId node = home;
    if (!(near && same)) {
        char name[128];
        TacError error;
        TacComponentId mesh;
        if (clean_name(s, home, o->name, name) != TAC_OK ||
            tac_scene_add_node(s->scene, home, name, &node, &error) != TAC_OK) {
            tac_sofa_note(s, o->element->place, &error);
            node = (TacNodeId){0, 0};
        } else if (!add_mesh(s, other ? &changed : topology, state, node, &mesh)) {
            node = (TacNodeId){0, 0};
        }
    }
    if (other) tac_mesh_destroy(&changed.mesh);
    return node;
}

// The states of a law between two.
static bool ends_of(TacSofa *s, TacSofaObject *o, TacSofaObject *ends[2]) {
    static const char *const names[] = {"object1", "object2"};
    for (int k = 0; k < 2; k++) {
        ends[k] = tac_sofa_link(s, o, names[k], tac_sofa_is_state);
        if (!ends[k] && !tac_sofa_attribute(o, names[k])) ends[k] = tac_sofa_state_of(s, o->node);
        if (!ends[k] || !tac_sofa_is_state(ends[k])) {
            tac_sofa_complain(s, o->element->place, "%s finds no state to work on", o->cls->name);
            return false;
        }
        if (!ends[k]->made.index1) return false;
    }
    return true;
}

static bool add_acting(TacSofa *s, TacSofaObject *o) {
    TacSofaObject *ends[2], *here = tac_sofa_state_of(s, o->node);
    if (here && tac_sofa_is_between(here)) return tac_sofa_add_between(s, o, here->mapped_by);
    if (!ends_of(s, o, ends)) return false;
    // what cannot move needs no forces and no mass
    if (!is_owned(s, ends[0]) && !is_owned(s, ends[1])) return true;
    const TacClass *cls = tac_scene_find_class(s->scene, o->cls->ours);
    bool uses_mesh = o->cls->role != TAC_SOFA_CONSTRAINT;
    o->made = add(s, o, uses_mesh && cls ? tac_sofa_node_for(s, o, ends[0]) : node_of(s, o->node),
                  o->cls->ours, o->name);
    if (!o->made.index1 || !tac_sofa_set_link(s, o, o->made, "matter", ends[0]->made)) return false;
    if (ends[1] != ends[0] && tac_sofa_has(s, o->made, "other") &&
        !tac_sofa_set_link(s, o, o->made, "other", ends[1]->made))
        return false;
    return set_attributes(s, o, o->made) && (!o->cls->build || o->cls->build(s, o, o->made));
}

// Whether a mass, a law or a map works on a state.
static bool is_used(TacSofa *s, const TacSofaObject *state) {
    for (size_t i = 0; i < s->object_count; i++) {
        TacSofaObject *o = &s->objects[i];
        TacSofaRole role = o->cls->role;
        if (role == TAC_SOFA_MAP && output_of(s, o) && parent_of(s, o) == state) return true;
        if (role != TAC_SOFA_MASS && role != TAC_SOFA_LAW) continue;
        bool linked = tac_sofa_attribute(o, "object1") || tac_sofa_attribute(o, "object2");
        if (!linked && tac_sofa_state_of(s, o->node) == state) return true;
        if (linked && (tac_sofa_link(s, o, "object1", tac_sofa_is_state) == state ||
                       tac_sofa_link(s, o, "object2", tac_sofa_is_state) == state))
            return true;
    }
    return false;
}

// A state under a solver that nothing works on, not even a mass, stays where it is there: it is held here.
static bool hold_still(TacSofa *s, TacSofaObject *state) {
    if (!state->made.index1 || state->mapped_by || !is_owned(s, state) || is_used(s, state)) return true;
    TacNodeId home = node_of(s, state->node);
    TacComponentId mass = add(s, state, home, "UniformMass", "still_mass");
    TacComponentId hold = add(s, state, home, "FixedPoints", "still");
    int32_t *all = tac_sofa_new_ints(s, state->points);
    for (size_t i = 0; all && i < state->points; i++) all[i] = (int32_t)i;
    return all && mass.index1 && hold.index1 && tac_sofa_set_link(s, state, mass, "matter", state->made) &&
           tac_sofa_set_real(s, state, mass, "mass", 1) &&
           tac_sofa_set_link(s, state, hold, "matter", state->made) &&
           tac_sofa_set_ints(s, state, hold, "points", all, state->points);
}

static void later_rounds(TacSofa *s) {
    for (size_t i = 0; i < s->object_count && s->notes.worst != TAC_NO_MEMORY; i++)
        if (s->objects[i].cls->role == TAC_SOFA_MAP) add_map(s, &s->objects[i]);
    for (size_t i = 0; i < s->object_count && s->notes.worst != TAC_NO_MEMORY; i++) {
        TacSofaRole role = s->objects[i].cls->role;
        if (role == TAC_SOFA_MASS || role == TAC_SOFA_CONSTRAINT || role == TAC_SOFA_LAW)
            add_acting(s, &s->objects[i]);
    }
    for (size_t i = 0; i < s->object_count && s->notes.worst == TAC_OK; i++)
        if (tac_sofa_is_state(&s->objects[i])) hold_still(s, &s->objects[i]);
}

// --- what is lacking --------------------------------------------------------------------------------------

static void check_objects(TacSofa *s) {
    for (size_t i = 0; i < s->object_count; i++) {
        const TacSofaObject *o = &s->objects[i];
        if (o->cls->role == TAC_SOFA_LACKING)
            tac_sofa_complain(s, o->element->place, "lacks %s: %s", o->cls->name,
                              o->cls->ours ? o->cls->ours : "there is nothing like it here");
        else
            check_attributes(s, o);
    }
}

bool tac_sofa_build(TacSofa *s) {
    check_objects(s);
    link_up(s);
    add_world(s);
    first_round(s);
    later_rounds(s);
    if (s->notes.worst == TAC_OK) tac_sofa_add_contact(s);
    return s->notes.worst == TAC_OK;
}
