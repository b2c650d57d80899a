// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// SOFA's projective constraints, and loads on surfaces, whose attributes need more than a new name. See sofa.h and
// sofa_parts.h; what counts as selected is SOFA's, so that results agree.

#include "base/text.h"
#include "scene/sofa_parts.h"

#include <math.h>

// --- constraints ------------------------------------------------------------------------------------------

// Points by number; none named is point 0 there, an empty list nothing at all.
static bool set_points(TacSofa *s, TacSofaObject *o, TacComponentId id, bool *any) {
    TacInts list;
    static const int32_t first = 0;
    *any = true;
    if (tac_sofa_bool(s, o, "fixAll", false)) {
        TacSofaObject *state = tac_sofa_state_of(s, o->node);
        int32_t *all = state ? tac_sofa_new_ints(s, state->points) : NULL;
        for (size_t i = 0; all && i < state->points; i++) all[i] = (int32_t)i;
        return all && tac_sofa_set_ints(s, o, id, "points", all, state->points);
    }
    if (!tac_sofa_attribute(o, "indices")) return tac_sofa_set_ints(s, o, id, "points", &first, 1);
    if (!tac_sofa_ints(s, o, "indices", &list)) return false;
    if (list.count) return tac_sofa_set_ints(s, o, id, "points", list.data, list.count);
    TacError error;
    *any = false;
    return tac_scene_remove(s->scene, id, &error) == TAC_OK;
}

bool tac_sofa_build_fixed(TacSofa *s, TacSofaObject *o, TacComponentId id) {
    bool any;
    return set_points(s, o, id, &any);
}

bool tac_sofa_build_partly_fixed(TacSofa *s, TacSofaObject *o, TacComponentId id) {
    TacReals given;
    bool any;
    if (!set_points(s, o, id, &any) || !any) return !any;
    if (!tac_sofa_reals(s, o, "fixedDirections", &given) || !given.count) return true;
    char directions[4] = "";
    size_t n = 0;
    for (size_t k = 0; k < 3 && k < given.count; k++)
        if (given.data[k] != 0) directions[n++] = "xyz"[k];
    directions[n] = 0;
    TacError error;
    if (!n) return tac_scene_remove(s->scene, id, &error) == TAC_OK;
    bool turning = given.count < 6 || given.data[3] != 0;
    return tac_sofa_set(s, o, id, "directions", directions) &&
           (turning || tac_sofa_set(s, o, id, "rotation", "false"));
}

bool tac_sofa_build_fixed_translation(TacSofa *s, TacSofaObject *o, TacComponentId id) {
    bool any;
    return set_points(s, o, id, &any) && (!any || tac_sofa_set(s, o, id, "rotation", "false"));
}

// Keys of position, linear between them.
bool tac_sofa_build_movement(TacSofa *s, TacSofaObject *o, TacComponentId id) {
    TacReals times, moves;
    TacSofaObject *state = tac_sofa_state_of(s, o->node);
    if (!state || !tac_sofa_reals(s, o, "keyTimes", &times) || !tac_sofa_reals(s, o, "movements", &moves))
        return false;
    size_t each = (size_t)tac_velocity_size(state->kind);
    if (!times.count || moves.count != each * times.count) {
        tac_sofa_complain(s, o->element->place, "%s needs as many movements as keyTimes", o->cls->name);
        return false;
    }
    double *offsets = tac_sofa_new_reals(s, 3 * times.count);
    if (!offsets) return false;
    for (size_t i = 0; i < times.count; i++)
        for (size_t k = 0; k < 3 && k < each; k++) offsets[3 * i + k] = moves.data[each * i + k];
    return tac_sofa_set_reals(s, o, id, "times", times.data, times.count) &&
           tac_sofa_set_reals(s, o, id, "offsets", offsets, 3 * times.count);
}

// Whether SOFA's clock, which adds up its steps, ever shows a time to the last bit.
static bool clock_shows(TacSofa *s, double time) {
    TacSofaObject world = {
        .element = s->nodes[0].element, .cls = tac_sofa_find_class("Node"), .name = "root"};
    double dt = tac_sofa_real(s, &world, "dt", 0.01), now = 0;
    if (!(dt > 0) || !(time / dt < 1e7)) return false;
    while (now < time) now += dt;
    return now == time;
}

// The numbers of a velocity that are told, by their position. After the last key SOFA looks no further, and goes on
// with the last two keys that it found: along their line, unless it stood on the last key itself.
bool tac_sofa_build_velocity(TacSofa *s, TacSofaObject *o, TacComponentId id) {
    TacInts told;
    TacReals times;
    if (!tac_sofa_ints(s, o, "coordinates", &told) || !tac_sofa_reals(s, o, "keyTimes", &times)) return false;
    bool line = times.count > 1 && !clock_shows(s, times.data[times.count - 1]);
    return (!told.count || tac_sofa_set_ints(s, o, id, "directions", told.data, told.count)) &&
           (!line || tac_sofa_set(s, o, id, "extrapolate", "true")) &&
           tac_sofa_set(s, o, id, "sampled", "begin");
}

// Each oscillator: point, mean, amplitude, pulsation, phase.
bool tac_sofa_build_oscillator(TacSofa *s, TacSofaObject *o, TacComponentId id) {
    TacReals given;
    TacSofaObject *state = tac_sofa_state_of(s, o->node);
    if (!state || !tac_sofa_reals(s, o, "oscillators", &given)) return false;
    size_t x = (size_t)tac_position_size(state->kind), v = (size_t)tac_velocity_size(state->kind),
           each = 3 + x + v;
    if (!given.count || given.count % each) {
        tac_sofa_complain(s, o->element->place, "oscillators has %zu numbers; %zu for each were expected",
                          given.count, each);
        return false;
    }
    size_t n = given.count / each;
    int32_t *points = tac_sofa_new_ints(s, n);
    double *mean = tac_sofa_new_reals(s, x * n), *amplitude = tac_sofa_new_reals(s, v * n);
    double *pulsation = tac_sofa_new_reals(s, n), *phase = tac_sofa_new_reals(s, n);
    if (!points || !mean || !amplitude || !pulsation || !phase) return false;
    for (size_t i = 0; i < n; i++) {
        const double *g = given.data + each * i;
        if (!(g[0] >= 0 && g[0] < (double)state->points)) {
            tac_sofa_complain(s, o->element->place, "oscillator %zu is of point %g; there are %zu, from 0", i,
                              g[0], state->points);
            return false;
        }
        points[i] = (int32_t)g[0];
        memcpy(mean + x * i, g + 1, x * sizeof *mean);
        memcpy(amplitude + v * i, g + 1 + x, v * sizeof *amplitude);
        pulsation[i] = g[1 + x + v];
        phase[i] = g[2 + x + v];
    }
    return tac_sofa_set_ints(s, o, id, "points", points, n) &&
           tac_sofa_set_reals(s, o, id, "mean", mean, x * n) &&
           tac_sofa_set_reals(s, o, id, "amplitude", amplitude, v * n) &&
           tac_sofa_set_reals(s, o, id, "pulsation", pulsation, n) &&
           tac_sofa_set_reals(s, o, id, "phase", phase, n) && tac_sofa_set(s, o, id, "lagging", "true");
}

// Points in boxes, where they are at rest.
bool tac_sofa_build_box_constraint(TacSofa *s, TacSofaObject *o, TacComponentId id) {
    if (!tac_sofa_make_region(s, o)) return false;
    if (o->indices.count) return tac_sofa_set_ints(s, o, id, "points", o->indices.data, o->indices.count);
    TacError error;
    return tac_scene_remove(s->scene, id, &error) == TAC_OK;
}

// The line or plane through the origin given: points start on it.
bool tac_sofa_build_projection(TacSofa *s, TacSofaObject *o, TacComponentId id) {
    bool any;
    return set_points(s, o, id, &any) && (!any || tac_sofa_set(s, o, id, "snap", "true"));
}

// A point onto which others are put is one where they are held.
bool tac_sofa_build_point_projection(TacSofa *s, TacSofaObject *o, TacComponentId id) {
    const TacSofaObject *state = tac_sofa_state_of(s, o->node);
    TacVec3 there = tac_sofa_vector(s, o, "point", tac_vec3(0, 0, 0));
    TacInts list;
    bool any;
    if (!state || !tac_sofa_ints(s, o, "indices", &list)) return false;
    size_t each = (size_t)tac_position_size(state->kind);
    for (size_t i = 0; i < list.count && each >= 3; i++) {
        if (list.data[i] < 0 || (size_t)list.data[i] >= state->points) continue;
        TacVec3 away = tac_sub(tac_load3(state->positions.data + each * (size_t)list.data[i]), there);
        if (tac_norm(away) <= 1e-9 * (1 + tac_norm(there))) continue;
        tac_sofa_complain(s, o->element->place,
                          "lacks %s that moves points: point %d is not at %g %g %g when time begins",
                          o->cls->name, list.data[i], there.x, there.y, there.z);
        return false;
    }
    return set_points(s, o, id, &any);
}

// --- loads on surfaces ------------------------------------------------------------------------------------

static double area_of(const TacVec3 *p, size_t corners) {
    double area = 0;
    for (size_t c = 2; c < corners; c++)
        area += 0.5 * tac_norm(tac_cross(tac_sub(p[c - 1], p[0]), tac_sub(p[c], p[0])));
    return area;
}

// A pressure that is a vector: the area at rest times it, shared by the corners, of the faces that lie between two
// planes, or of those listed. It does not change while time runs.
bool tac_sofa_build_plane_pressure(TacSofa *s, TacSofaObject *o, TacComponentId id) {
    TacSofaObject *state = tac_sofa_state_of(s, o->node), *topology = tac_sofa_used_topology(s, o);
    bool quads = !strncmp(o->cls->name, "Quad", 4);
    TacElement kind = quads ? TAC_QUADS : TAC_TRIANGLES;
    TacInts listed;
    if (!state || state->kind != TAC_VEC3 || !topology || !tac_sofa_make_mesh(s, topology)) {
        tac_sofa_complain(s, o->element->place, "%s finds no points or no topology", o->cls->name);
        return false;
    }
    if (!tac_sofa_ints(s, o, quads ? "quadList" : "triangleList", &listed)) return false;
    TacVec3 pressure = tac_sofa_vector(s, o, "pressure", tac_vec3(0, 0, 0));
    TacVec3 normal = tac_sofa_vector(s, o, "normal", tac_vec3(0, 0, 0));
    double low = tac_sofa_real(s, o, "dmin", 0), high = tac_sofa_real(s, o, "dmax", 0);
    if (tac_norm(normal) > 0) normal = tac_scale(normal, 1 / tac_norm(normal));
    bool planes = !listed.count && low < high;
    size_t corners = quads ? 4 : 3, count = topology->mesh.elements[kind].count,
           n = listed.count ? listed.count : count;
    double *forces = tac_sofa_new_reals(s, 3 * state->points);
    if (!forces) return false;
    for (size_t i = 0; i < n; i++) {
        size_t face = listed.count ? (size_t)listed.data[i] : i;
        if ((listed.count && listed.data[i] < 0) || face >= count) {
            tac_sofa_complain(s, o->element->place, "face %zu of %s is number %zu; there are %zu, from 0", i,
                              o->cls->name, face, count);
            return false;
        }
        const int32_t *v = topology->mesh.elements[kind].indices + corners * face;
        TacVec3 p[4];
        bool inside = true;
        for (size_t c = 0; c < corners; c++) {
            if ((size_t)v[c] >= state->points) return false;
            p[c] = tac_load3(state->rest.data + 3 * (size_t)v[c]);
            double d = tac_dot(p[c], normal);
            inside = inside && d >= low && d <= high;
        }
        if (planes && !inside) continue;
        TacVec3 part = tac_scale(pressure, area_of(p, corners) / (double)corners);
        for (size_t c = 0; c < corners; c++)
            tac_store3(forces + 3 * (size_t)v[c], tac_add(tac_load3(forces + 3 * (size_t)v[c]), part));
    }
    return tac_sofa_set_reals(s, o, id, "force", forces, 3 * state->points);
}
