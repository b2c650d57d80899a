// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// From the picture of a CORDIS-ANIMA model to nodes and components:
//
//     node  SymplecticEuler (Gravity, where it is included)
//       group  Points UniformMass Damping Liaisons (AGGLO) Look   or   Points FixedPoints | ScriptedMotion
//       skin   MaterialSkin Points UniformMass Damping Springs Look
//       Liaisons and Springs between groups
//
// See ca.h.

#include "scene/ca.h"

#include <math.h>
#include <stdio.h>

// --- components -------------------------------------------------------------------------------------------

static bool add(TacCa *ca, TacPlace place, TacNodeId node, const char *class_name, const char *name,
                TacComponentId *id) {
    TacError error;
    if (tac_scene_add(ca->scene, node, class_name, name, id, &error) != TAC_OK)
        return tac_ca_note(ca, place, &error);
    tac_tree_component(ca->scene, *id)->place = place;
    return true;
}

// A law has the name that the model gives it, unless a part of its group has that name.
static bool add_law(TacCa *ca, TacPlace place, TacNodeId node, const char *class_name, const TacCaLaw *law,
                    TacComponentId *id) {
    TacError error;
    if (tac_scene_add(ca->scene, node, class_name, law->name, id, &error) != TAC_OK)
        return add(ca, place, node, class_name, NULL, id);
    tac_tree_component(ca->scene, *id)->place = place;
    return true;
}

static bool set_reals(TacCa *ca, TacPlace place, TacComponentId id, const char *attribute,
                      const double *values, size_t count) {
    TacError error;
    if (tac_scene_set_reals(ca->scene, id, attribute, values, count, &error) == TAC_OK) return true;
    return tac_ca_note(ca, place, &error);
}

static bool set_real(TacCa *ca, TacPlace place, TacComponentId id, const char *attribute, double value) {
    return set_reals(ca, place, id, attribute, &value, 1);
}

static bool set_ints(TacCa *ca, TacPlace place, TacComponentId id, const char *attribute,
                     const int32_t *values, size_t count) {
    TacError error;
    if (tac_scene_set_ints(ca->scene, id, attribute, values, count, &error) == TAC_OK) return true;
    return tac_ca_note(ca, place, &error);
}

static bool set_text(TacCa *ca, TacPlace place, TacComponentId id, const char *attribute, const char *text) {
    TacError error;
    if (tac_scene_set(ca->scene, id, attribute, text, &error) == TAC_OK) return true;
    return tac_ca_note(ca, place, &error);
}

static bool link_matter(TacCa *ca, TacPlace place, TacComponentId id, const char *attribute,
                        const TacCaGroup *group) {
    char text[TAC_CA_LONGEST_NAME + 20];
    snprintf(text, sizeof text, "@./%s/balls", group->name);
    return set_text(ca, place, id, attribute, text);
}

// --- the world --------------------------------------------------------------------------------------------

static bool build_world(TacCa *ca, TacNodeId root) {
    TacComponentId world = tac_scene_world(ca->scene), record, camera;
    TacPlace place = {ca->scan.file, 1, 1};
    double gravity[3] = {0, -ca->gravity, 0};
    tac_tree_component(ca->scene, world)->place = place;
    return set_real(ca, place, world, "dt", 1 / ca->rate) &&
           set_reals(ca, place, world, "gravity", gravity, 3) &&
           (ca->duration == 0 || set_real(ca, place, world, "duration", ca->duration)) &&
           (!ca->title || set_text(ca, place, world, "title", ca->title)) &&
           (!ca->has_camera || (add(ca, place, root, "Camera", NULL, &camera) &&
                                set_reals(ca, place, camera, "eye", ca->eye, 3) &&
                                set_reals(ca, place, camera, "target", ca->target, 3))) &&
           (ca->frames == 0 || (add(ca, place, root, "Record", NULL, &record) &&
                                set_real(ca, place, record, "fps", ca->frames)));
}

static double gravity_of_world(const TacScene *scene) {
    const TacSceneComponent *world = tac_tree_component(scene, tac_scene_world(scene));
    uint32_t i = tac_class_attribute(world->cls, "gravity");
    if (i == TAC_NONE || !world->values[i].given || world->values[i].count != 3) return 9.81;
    const double *g = world->values[i].reals;
    return g && g[0] == 0 && g[2] == 0 ? -g[1] : NAN;
}

// An included model keeps its own gravity, viscosity and rate.
static bool build_included(TacCa *ca, TacNodeId node) {
    TacPlace place = ca->gravity_place.line ? ca->gravity_place : (TacPlace){ca->scan.file, 1, 1};
    TacComponentId gravity;
    double g[3] = {0, -ca->gravity, 0};
    if (gravity_of_world(ca->scene) != ca->gravity)
        tac_ca_remark(ca, place, "gravity is %g m/s^2 downward in this model, whatever the world's is",
                      ca->gravity);
    return add(ca, place, node, "Gravity", NULL, &gravity) &&
           set_reals(ca, place, gravity, "acceleration", g, 3);
}

static bool build_solver(TacCa *ca, TacNodeId node, bool included) {
    TacComponentId solver;
    TacPlace place = {ca->scan.file, 1, 1};
    return add(ca, place, node, "SymplecticEuler", NULL, &solver) &&
           (!included || set_real(ca, place, solver, "step", 1 / ca->rate));
}

// --- groups -----------------------------------------------------------------------------------------------

static bool check_placed(TacCa *ca, const TacCaGroup *g) {
    for (size_t i = 0; i < g->count; i++)
        if (!g->placed[i])
            return tac_ca_complain(ca, g->place,
                                   "%s%zu has no position: POSIT, POSITAROUND or POSITLINE gives one",
                                   g->name, i + 1);
    return true;
}

static bool build_points(TacCa *ca, TacCaGroup *g) {
    if (!add(ca, g->place, g->node, "Points", "balls", &g->matter) ||
        !set_reals(ca, g->place, g->matter, "positions", g->x, 3 * g->count))
        return false;
    return (!g->v || set_reals(ca, g->place, g->matter, "velocities", g->v, 3 * g->count)) &&
           (!g->around || set_reals(ca, g->place, g->matter, "around", g->around, 3 * g->count));
}

static bool build_look(TacCa *ca, const TacCaGroup *g) {
    TacComponentId look;
    if (!g->has_color && g->radius == 0) return true;
    return add(ca, g->place, g->node, "Look", NULL, &look) &&
           (!g->has_color || set_reals(ca, g->place, look, "color", g->color, 3)) &&
           (g->radius == 0 || set_real(ca, g->place, look, "radius", g->radius));
}

static bool set_law(TacCa *ca, TacPlace place, TacComponentId id, const TacCaLaw *law) {
    if (law->viscosity != 0 && !set_real(ca, place, id, "viscosity", law->viscosity)) return false;
    if (law->reach != 0 && !set_real(ca, place, id, "viscosity_reach", law->reach)) return false;
    if (law->depth > 0)
        return set_text(ca, place, id, "fit", "lennard-jones") &&
               set_real(ca, place, id, "depth", law->depth) &&
               set_real(ca, place, id, "distance", law->distance) &&
               set_real(ca, place, id, "exponent", law->exponent);
    return set_reals(ca, place, id, "slopes", law->slopes, law->pieces) &&
           set_reals(ca, place, id, "thresholds", law->thresholds, law->pieces) &&
           set_real(ca, place, id, "zero", law->zero);
}

static bool build_held(TacCa *ca, const TacCaGroup *g) {
    TacComponentId held;
    size_t n = 0;
    int32_t *list = malloc(g->count * sizeof *list);
    if (!list) return tac_ca_no_memory(ca);
    for (size_t i = 0; i < g->count; i++)
        if (g->held[i]) list[n++] = (int32_t)i;
    bool good = add(ca, g->place, g->node, "FixedPoints", NULL, &held) &&
                set_ints(ca, g->place, held, "points", list, n);
    free(list);
    return good;
}

// What everything that moves has.
static bool build_mass(TacCa *ca, const TacCaGroup *g) {
    TacComponentId mass, damping;
    return add(ca, g->place, g->node, "UniformMass", NULL, &mass) &&
           set_real(ca, g->place, mass, "mass", ca->masses[g->mass].kg) &&
           (ca->viscosity == 0 || (add(ca, g->place, g->node, "Damping", "milieu", &damping) &&
                                   set_real(ca, g->place, damping, "coefficient", ca->viscosity)));
}

static bool build_mobile(TacCa *ca, const TacCaGroup *g) {
    TacComponentId law;
    if (!build_mass(ca, g)) return false;
    if (g->law != TAC_NONE && g->count > 1 &&
        (!add_law(ca, g->place, g->node, "Liaisons", &ca->laws[g->law], &law) ||
         !set_law(ca, g->place, law, &ca->laws[g->law])))
        return false;
    return !g->held || build_held(ca, g);
}

static bool build_gesture(TacCa *ca, const TacCaGroup *g) {
    TacComponentId motion;
    double *offsets = malloc(3 * g->moments * sizeof *offsets);
    if (!offsets) return tac_ca_no_memory(ca);
    // places of the gesture are those of the hand's first ball; all move alike
    for (size_t i = 0; i < 3 * g->moments; i++) offsets[i] = g->gesture[i] - g->x[i % 3];
    bool good = add(ca, g->shake_place, g->node, "ScriptedMotion", "gesture", &motion) &&
                set_reals(ca, g->shake_place, motion, "times", g->times, g->moments) &&
                set_reals(ca, g->shake_place, motion, "offsets", offsets, 3 * g->moments);
    free(offsets);
    return good;
}

static bool build_unmoved(TacCa *ca, const TacCaGroup *g) {
    TacComponentId id;
    if (g->times) return build_gesture(ca, g);
    if (g->shake_rate > 0)
        return add(ca, g->shake_place, g->node, "Oscillator", "gesture", &id) &&
               set_reals(ca, g->shake_place, id, "amplitude", g->shake, 3) &&
               set_real(ca, g->shake_place, id, "pulsation", 2 * TAC_PI * g->shake_rate);
    int32_t *list = malloc(g->count * sizeof *list);
    if (!list) return tac_ca_no_memory(ca);
    for (size_t i = 0; i < g->count; i++) list[i] = (int32_t)i;
    bool good = add(ca, g->place, g->node, "FixedPoints", NULL, &id) &&
                set_ints(ca, g->place, id, "points", list, g->count);
    free(list);
    return good;
}

static bool set_spring(TacCa *ca, TacPlace place, TacComponentId id, const TacCaLaw *law) {
    return set_real(ca, place, id, "stiffness", -law->slopes[0]) &&
           set_real(ca, place, id, "damping", law->viscosity);
}

static bool build_skin(TacCa *ca, TacCaGroup *g) {
    TacComponentId net, springs;
    char inside[TAC_CA_LONGEST_NAME + 20];
    snprintf(inside, sizeof inside, "@../%s/balls", ca->groups[g->inside].name);
    return add(ca, g->place, g->node, "MaterialSkin", "net", &net) &&
           set_text(ca, g->place, net, "around", inside) &&
           set_real(ca, g->place, net, "distance", g->distance) &&
           set_real(ca, g->place, net, "tension", g->tension) &&
           add(ca, g->place, g->node, "Points", "balls", &g->matter) &&
           set_text(ca, g->place, g->matter, "rest", "@net.rest") && build_mass(ca, g) &&
           add_law(ca, g->place, g->node, "Springs", &ca->laws[g->law], &springs) &&
           set_spring(ca, g->place, springs, &ca->laws[g->law]);
}

static bool build_parts(TacCa *ca, TacCaGroup *g) {
    if (g->kind == TAC_CA_SKIN) return build_skin(ca, g);
    return build_points(ca, g) && (g->kind == TAC_CA_MOBILE ? build_mobile(ca, g) : build_unmoved(ca, g));
}

// All of them before anything else is named: groups have the names that the model gives them.
static bool add_nodes(TacCa *ca, TacNodeId node) {
    TacError error;
    for (size_t i = 0; i < ca->group_count; i++) {
        TacCaGroup *g = &ca->groups[i];
        if (tac_scene_add_node(ca->scene, node, g->name, &g->node, &error) != TAC_OK)
            return tac_ca_note(ca, g->place, &error);
        tac_tree_node(ca->scene, g->node)->place = g->place;
    }
    return true;
}

static bool build_group(TacCa *ca, TacCaGroup *g) {
    return check_placed(ca, g) && build_parts(ca, g) && build_look(ca, g);
}

// --- links ------------------------------------------------------------------------------------------------

static bool build_chain(TacCa *ca, TacNodeId node, const TacCaLink *link) {
    const TacCaGroup *g = &ca->groups[link->ends[0].group];
    const TacCaLaw *law = &ca->laws[link->law];
    TacComponentId id;
    size_t n = g->count - 1;
    int32_t *pairs = malloc(2 * n * sizeof *pairs);
    if (!pairs) return tac_ca_no_memory(ca);
    for (size_t i = 0; i < n; i++) {
        pairs[2 * i] = (int32_t)i;
        pairs[2 * i + 1] = (int32_t)i + 1;
    }
    bool good = add(ca, link->place, node, "Springs", NULL, &id) &&
                link_matter(ca, link->place, id, "matter", g) &&
                set_ints(ca, link->place, id, "pairs", pairs, 2 * n) &&
                set_spring(ca, link->place, id, law) && set_real(ca, link->place, id, "lengths", law->zero);
    free(pairs);
    return good;
}

static bool build_link(TacCa *ca, TacNodeId node, const TacCaLink *link) {
    static const char *const sides[] = {"matter", "other"}, *const lists[] = {"points", "others"};
    TacComponentId id;
    if (link->chain) return build_chain(ca, node, link);
    if (!add(ca, link->place, node, "Liaisons", NULL, &id) ||
        !set_law(ca, link->place, id, &ca->laws[link->law]))
        return false;
    for (int k = 0; k < 2; k++) {
        const TacCaWho *who = &link->ends[k];
        int32_t ball = (int32_t)who->ball;
        if (!link_matter(ca, link->place, id, sides[k], &ca->groups[who->group]) ||
            (who->one && !set_ints(ca, link->place, id, lists[k], &ball, 1)))
            return false;
    }
    return true;
}

// All pairs of the two ends, each once.
static bool set_pairs(TacCa *ca, const TacCaConditionalLink *link, TacComponentId id) {
    size_t from[2], to[2], n = 0;
    for (int k = 0; k < 2; k++) {
        from[k] = link->ends[k].one ? link->ends[k].ball : 0;
        to[k] = link->ends[k].one ? from[k] + 1 : ca->groups[link->ends[k].group].count;
    }
    bool within = link->ends[0].group == link->ends[1].group && !link->ends[0].one && !link->ends[1].one;
    double all = (double)(to[0] - from[0]) * (double)(to[1] - from[1]);
    if (all > TAC_CA_MOST_BALLS)
        return tac_ca_complain(ca, link->place, "%.3g links are too many; [reach] joins near balls only",
                               all);
    int32_t *pairs = malloc(((size_t)all * 2 + 1) * sizeof *pairs);
    if (!pairs) return tac_ca_no_memory(ca);
    for (size_t i = from[0]; i < to[0]; i++)
        for (size_t j = within ? i + 1 : from[1]; j < to[1]; j++) {
            pairs[n++] = (int32_t)i;
            pairs[n++] = (int32_t)j;
        }
    bool good = set_ints(ca, link->place, id, "pairs", pairs, n);
    free(pairs);
    return good;
}

static bool build_conditional(TacCa *ca, TacNodeId node, const TacCaConditionalLink *link) {
    const TacCaCondition *c = &ca->conditions[link->condition];
    TacComponentId id;
    bool one = link->ends[0].group == link->ends[1].group;
    return add(ca, link->place, node, "ConditionalLinks", NULL, &id) &&
           link_matter(ca, link->place, id, "matter", &ca->groups[link->ends[0].group]) &&
           (one || link_matter(ca, link->place, id, "other", &ca->groups[link->ends[1].group])) &&
           (link->reach > 0 ? set_real(ca, link->place, id, "reach", link->reach)
                            : set_pairs(ca, link, id)) &&
           set_text(ca, link->place, id, "states", c->names) &&
           set_reals(ca, link->place, id, "stiffness", c->stiffness, c->states) &&
           set_reals(ca, link->place, id, "damping", c->damping, c->states) &&
           set_text(ca, link->place, id, "rest", c->rests) &&
           (!c->rules || set_text(ca, link->place, id, "transitions", c->rules));
}

static bool build_listen(TacCa *ca, TacNodeId node, const TacCaListen *listen) {
    TacComponentId id;
    char ball[24];
    snprintf(ball, sizeof ball, "%zu", listen->ball.ball);
    return add(ca, listen->place, node, "Listen", listen->name, &id) &&
           link_matter(ca, listen->place, id, "matter", &ca->groups[listen->ball.group]) &&
           set_text(ca, listen->place, id, "point", ball) &&
           set_reals(ca, listen->place, id, "direction", listen->direction, 3);
}

static bool build_bow(TacCa *ca, TacNodeId node, const TacCaBow *bow) {
    TacComponentId id;
    int32_t ball = (int32_t)bow->who.ball;
    return add(ca, bow->place, node, "Bow", NULL, &id) &&
           link_matter(ca, bow->place, id, "matter", &ca->groups[bow->who.group]) &&
           (!bow->who.one || set_ints(ca, bow->place, id, "points", &ball, 1)) &&
           set_reals(ca, bow->place, id, "direction", bow->direction, 3) &&
           set_real(ca, bow->place, id, "speed", bow->speed) &&
           set_real(ca, bow->place, id, "pressure", bow->pressure);
}

void tac_ca_build(TacCa *ca, TacNodeId node) {
    bool included = node.index1 != tac_scene_root(ca->scene).index1;
    if (!add_nodes(ca, node)) return;
    if (!(included ? build_included(ca, node) : build_world(ca, node))) return;
    if (!build_solver(ca, node, included)) return;
    bool good = true;
    for (size_t i = 0; i < ca->group_count && ca->notes.worst != TAC_NO_MEMORY; i++)
        good = build_group(ca, &ca->groups[i]) && good;
    for (size_t i = 0; good && i < ca->link_count; i++) good = build_link(ca, node, &ca->links[i]);
    for (size_t i = 0; good && i < ca->conditional_count; i++)
        good = build_conditional(ca, node, &ca->conditional[i]);
    for (size_t i = 0; good && i < ca->bow_count; i++) good = build_bow(ca, node, &ca->bows[i]);
    for (size_t i = 0; good && i < ca->listen_count; i++) good = build_listen(ca, node, &ca->listens[i]);
}
