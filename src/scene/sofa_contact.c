// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// SOFA's penalty contact, as loose contact of skins: a node's collision models of triangles, lines and points become one
// Skin, with a material whose thickness and stiffness come to SOFA's (contactStiffness of both over the contact
// distance). What is alarmed but not yet in contact has no part in the motion there; nor has it here. Bodies of two
// solvers push each other as they stand at the beginning of a step, as there. Edges have no contacts of their own.
//
// Contact by constraints, by spheres, and of bodies with themselves is lacking: that is said.

#include "scene/sofa_parts.h"

#include <stdio.h>

static bool is_still(TacSofa *s, TacSofaObject *collider) {
    return !tac_sofa_bool(s, collider, "moving", true) && !tac_sofa_bool(s, collider, "simulated", true);
}

static bool is_collider(TacSofa *s, TacSofaObject *o) {
    return o->cls->role == TAC_SOFA_COLLIDER && tac_sofa_bool(s, o, "active", true);
}

static bool is_of_mesh(const TacSofaObject *o) {
    return !strncmp(o->cls->name, "Triangle", 8) || !strncmp(o->cls->name, "Line", 4) ||
           !strncmp(o->cls->name, "Point", 5);
}

static TacSofaObject *find_by(const TacSofa *s, const char *const *names) {
    for (size_t i = 0; i < s->object_count; i++)
        for (const char *const *name = names; *name; name++)
            if (!strcmp(s->objects[i].cls->name, *name)) return &s->objects[i];
    return NULL;
}

// --- whether ----------------------------------------------------------------------------------------------

// Bodies can touch where a pipeline looks at two nodes with colliders that do not both stand still, or at one
// that may touch itself. The collider of which to tell; NULL: nothing can touch.
static TacSofaObject *find_contact(TacSofa *s, bool *self) {
    bool pipeline = false;
    TacSofaObject *moving = NULL, *second = NULL, *alone = NULL;
    for (size_t i = 0; i < s->object_count; i++) {
        TacSofaObject *o = &s->objects[i];
        if (o->cls->role == TAC_SOFA_PIPELINE) pipeline = true;
        if (!is_collider(s, o)) continue;
        if (tac_sofa_bool(s, o, "selfCollision", false)) alone = o;
        if (!moving && !is_still(s, o)) moving = o;
    }
    for (size_t i = 0; i < s->object_count && moving; i++) {
        TacSofaObject *o = &s->objects[i];
        if (!is_collider(s, o) || o->node == moving->node) continue;
        const char *a = tac_sofa_text(s, moving, "group"), *b = tac_sofa_text(s, o, "group");
        if (!a || !b || strcmp(a, b) || !strcmp(a, "0")) second = o;
    }
    *self = !second;
    return !pipeline ? NULL : second ? second : alone;
}

// Why this contact is not to be had here; NULL: it is.
static const char *why_lacking(TacSofa *s, bool self) {
    static const char *const managers[] = {"CollisionResponse", "DefaultContactManager",
                                           "RuleBasedContactManager", NULL};
    if (self) return "of a body with itself";
    if (s->into.index1) return "in a scene that is put in another";
    TacSofaObject *manager = find_by(s, managers);
    const char *response = manager ? tac_sofa_text(s, manager, "response") : NULL;
    if (!manager) return "without a response";
    if (response && strncmp(response, "Penality", 8)) return "by constraints";
    for (size_t i = 0; i < s->object_count; i++)
        if (is_collider(s, &s->objects[i]) && !is_of_mesh(&s->objects[i])) return "of other than meshes";
    return NULL;
}

// --- skins ------------------------------------------------------------------------------------------------

static bool set_group(TacSofa *s, TacSofaObject *collider, TacComponentId skin) {
    int group = (int)tac_sofa_real(s, collider, "group", 0);
    int32_t mask[64];
    size_t n = 0;
    if (group <= 0 || group > 63) return true;
    for (int g = 0; g < 64; g++)
        if (g != group) mask[n++] = g;
    return tac_sofa_set_real(s, collider, skin, "group", group) &&
           tac_sofa_set_ints(s, collider, skin, "mask", mask, n);
}

static bool add_skin(TacSofa *s, TacSofaObject *collider, double distance) {
    TacSofaObject *state = tac_sofa_state_of(s, collider->node);
    if (!state || !state->made.index1 || state->kind != TAC_VEC3) return true;
    double near = tac_sofa_real(s, collider, "contactDistance", tac_sofa_real(s, collider, "proximity", 0));
    double strength = tac_sofa_real(s, collider, "contactStiffness", 10), thickness = 0.5 * distance + near;
    TacNodeId node = tac_sofa_node_for(s, collider, state);
    TacComponentId material = tac_sofa_add_at(s, collider, node, "ContactMaterial", "surface");
    TacComponentId skin = tac_sofa_add_at(s, collider, node, "Skin", "skin");
    collider->made = skin;
    return material.index1 && skin.index1 && tac_sofa_set_real(s, collider, material, "friction", 0) &&
           tac_sofa_set_real(s, collider, material, "damping", 0) &&
           tac_sofa_set_real(s, collider, material, "thickness", thickness) &&
           // of two springs one behind the other
           tac_sofa_set_real(s, collider, material, "stiffness", strength * strength / thickness) &&
           tac_sofa_set_link(s, collider, skin, "matter", state->made) &&
           tac_sofa_set_link(s, collider, skin, "material", material) && set_group(s, collider, skin);
}

static bool has_skin(const TacSofa *s, uint32_t node) {
    for (uint32_t i = 0; i < s->nodes[node].count; i++) {
        const TacSofaObject *o = &s->objects[s->nodes[node].first + i];
        if (o->cls->role == TAC_SOFA_COLLIDER && o->made.index1) return true;
    }
    return false;
}

static bool add_skins(TacSofa *s, const TacSofaObject *where) {
    static const char *const intersections[] = {"MinProximityIntersection", "NewProximityIntersection",
                                                "LocalMinDistance", NULL};
    TacSofaObject *intersection = find_by(s, intersections);
    double distance = intersection ? tac_sofa_real(s, intersection, "contactDistance", 0.5) : 0.5;
    TacComponentId contact = tac_sofa_add_in(s, where, 0, "Contact", "contact");
    if (!contact.index1 || !tac_sofa_set(s, where, contact, "method", "loose") ||
        !tac_sofa_set(s, where, contact, "between_explicitly", "true"))
        return false;
    for (size_t i = 0; i < s->object_count; i++) {
        TacSofaObject *o = &s->objects[i];
        // the first of triangles, of lines, of points stands for all of a node
        if (is_collider(s, o) && !has_skin(s, o->node) && !add_skin(s, o, distance)) return false;
    }
    return true;
}

void tac_sofa_add_contact(TacSofa *s) {
    bool self;
    TacSofaObject *where = find_contact(s, &self);
    const char *why = where ? why_lacking(s, self) : NULL;
    if (why)
        tac_sofa_remark(
            s, where->element->place,
            "lacks contact %s: bodies of this scene can touch (\"%.60s\" here), and will pass through "
            "each other",
            why, s->nodes[where->node].name);
    else if (where)
        add_skins(s, where);
}
