// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Lines over nodes, from what a scene says: wheels, bodies, and how the line lies at the start. See cable.h.

#include "base/memory.h"
#include "constraint/cable_nodes.h"

enum { SPHERES = 1, MOST_VIA = 16, MOST_EVENTS = 4096 };

// One number for all wheels, or one for each.
static TacStatus take_each(const TacCable *c, TacSetup *setup, const char *name, TacReals list,
                           double otherwise, size_t j, double *value, TacError *error) {
    if (list.count > 1 && list.count != c->wheel_count)
        return tac_setup_fail(setup, error, name, "%s has %zu numbers; 1 or %zu were expected", name,
                              list.count, c->wheel_count);
    *value = list.count == 0 ? otherwise : list.data[list.count == 1 ? 0 : j];
    return TAC_OK;
}

static TacStatus check_friction(TacSetup *setup, const char *name, double friction, TacError *error) {
    if (friction <= 10) return TAC_OK;
    return tac_setup_fail(setup, error, name, "coefficients up to 10 are understood, not %g", friction);
}

static TacStatus check_frames(TacSetup *setup, const char *name, const char *points, const TacMatter *m,
                              TacInts list, TacError *error) {
    if (m->kind != TAC_RIGID3)
        return tac_setup_fail(setup, error, name, "%s is %s; frames in space were expected", m->base.path,
                              tac_matter_kind_name(m->kind));
    for (size_t j = 0; j < list.count; j++)
        if ((size_t)list.data[j] >= m->count)
            return tac_setup_fail(setup, error, points, "there is no frame %d: %s has %zu, from 0",
                                  list.data[j], m->base.path, m->count);
    return TAC_OK;
}

static TacStatus find_wheels(TacCable *c, TacSetup *setup, TacError *error) {
    const TacCableWay *way = &c->way;
    c->wheel_count = way->wheel_points.count;
    if (c->wheel_count > TAC_CABLE_WHEELS)
        return tac_setup_fail(setup, error, "wheel_points", "a line goes over %d wheels at most",
                              TAC_CABLE_WHEELS);
    if (c->wheel_count && !way->wheels_of)
        return tac_setup_fail(setup, error, "wheel_points", "needs wheels, the Frames that they are");
    if (way->wheels_of)
        TAC_TRY(check_frames(setup, "wheels", "wheel_points", way->wheels_of, way->wheel_points, error));
    double length = tac_norm(way->axis);
    if (!(length > 0) || !isfinite(length))
        return tac_setup_fail(setup, error, "axis", "the axis has no direction");
    for (size_t j = 0; j < c->wheel_count; j++) {
        TacCableWheel *w = &c->wheels[j];
        w->centre = (TacAttachment){way->wheels_of, (size_t)way->wheel_points.data[j], {0, 0, 0}};
        w->axis = tac_scale(way->axis, 1 / length);
        w->sphere = way->shape == SPHERES;
        TAC_TRY(take_each(c, setup, "radii", way->radii, 0, j, &w->radius, error));
        TAC_TRY(take_each(c, setup, "widths", way->widths, w->radius, j, &w->width, error));
        TAC_TRY(take_each(c, setup, "senses", way->senses, 1, j, &w->sense, error));
        TAC_TRY(take_each(c, setup, "friction", way->frictions, 0, j, &w->friction, error));
        if (w->sense != 1 && w->sense != -1)
            return tac_setup_fail(setup, error, "senses", "senses are 1 or -1, not %g", w->sense);
        TAC_TRY(check_friction(setup, "friction", w->friction, error));
    }
    return TAC_OK;
}

static TacStatus find_drums(TacCable *c, TacSetup *setup, TacError *error) {
    static const char *const names[2] = {"start_drum", "end_drum"};
    const bool *drum = c->way.drum;
    if ((size_t)drum[0] + (size_t)drum[1] > c->wheel_count)
        return tac_setup_fail(setup, error, drum[0] ? names[0] : names[1],
                              "the drum is a wheel, too: list it first or last in wheel_points");
    for (int k = 0; k < 2; k++) {
        if (!drum[k]) continue;
        size_t j = k ? c->wheel_count - 1 : 0;
        double turns = 0;
        if (c->way.shape == SPHERES) return tac_setup_fail(setup, error, names[k], "a drum is a cylinder");
        if (!(c->wheels[j].radius > 0))
            return tac_setup_fail(setup, error, names[k], "a drum needs a radius");
        TAC_TRY(take_each(c, setup, "turns", c->way.turns, 0, j, &turns, error));
        c->store[k] = 2 * TAC_PI * turns * c->wheels[j].radius;
    }
    return TAC_OK;
}

static TacStatus find_bodies(TacCable *c, TacSetup *setup, TacError *error) {
    const TacCableWay *way = &c->way;
    if (!way->bodies_of) {
        if (way->body_mesh)
            return tac_setup_fail(setup, error, "body_mesh", "needs bodies, the Frames that have this shape");
        if (way->via.count) return tac_setup_fail(setup, error, "via", "needs bodies over which it is led");
        return TAC_OK;
    }
    TAC_TRY(check_frames(setup, "bodies", "body_points", way->bodies_of, way->body_points, error));
    TAC_TRY(check_friction(setup, "body_friction", way->body_friction, error));
    if (!way->body_mesh)
        return tac_setup_fail(setup, error, "bodies",
                              "needs body_mesh, their shape: a Box, or a mesh with faces");
    c->body_count = way->body_points.count;
    if (c->body_count > TAC_CABLE_BODIES)
        return tac_setup_fail(setup, error, "body_points", "a line goes over %d bodies at most",
                              TAC_CABLE_BODIES);
    for (size_t b = 0; b < c->body_count; b++)
        c->bodies[b] = (TacAttachment){way->bodies_of, (size_t)way->body_points.data[b], {0, 0, 0}};
    TAC_TRY(tac_cable_edges_find(&c->edges, &((const TacTopology *)way->body_mesh)->mesh, setup, error));
    TAC_TRY(tac_cable_faces_find(&c->faces, &((const TacTopology *)way->body_mesh)->mesh, setup, error));
    if (!c->edges.count)
        return tac_setup_fail(setup, error, "body_mesh",
                              "%s has no edges over which a line could bend: it needs faces",
                              way->body_mesh->path);
    if (way->via.count % 3 || way->via.count > 3 * MOST_VIA)
        return tac_setup_fail(setup, error, "via", "up to %d places of three numbers were expected",
                              MOST_VIA);
    return TAC_OK;
}

TacStatus tac_cable_find(TacCable *c, TacSetup *setup, TacError *error) {
    TAC_TRY(find_wheels(c, setup, error));
    TAC_TRY(find_drums(c, setup, error));
    return find_bodies(c, setup, error);
}

// --- how it lies at the start -------------------------------------------------------------------------------

static TacStatus check_clear(const TacCable *c, TacVec3 a, TacVec3 b, TacSetup *setup, TacError *error) {
    for (size_t k = 0; k < c->body_count; k++) {
        const TacAttachment *body = &c->bodies[k];
        TacQuat turn = tac_attachment_turn(body);
        TacVec3 o = tac_attachment_place(body);
        TacVec3 p = tac_rotate_back(turn, tac_sub(a, o)), q = tac_rotate_back(turn, tac_sub(b, o));
        if (tac_cable_mesh_is_cut(&((const TacTopology *)c->way.body_mesh)->mesh, p, q))
            return tac_setup_fail(
                setup, error, "bodies",
                "from (%g, %g, %g) to (%g, %g, %g) it runs through frame %zu of %s: lead it around "
                "with via, or move one of them",
                a.x, a.y, a.z, b.x, b.y, b.z, body->point, c->way.bodies_of->base.path);
    }
    return TAC_OK;
}

// Leads the line over the places of `via`, behind its wheels, and pulls it straight.
static TacStatus lay_over_bodies(TacCable *c, TacCableRun *run, TacSetup *setup, TacError *error) {
    size_t n = c->way.via.count / 3, first = tac_cable_count(c) - (c->way.drum[1] ? 1 : 0);
    TacCablePath path;
    tac_cable_path(c, run, &path, NULL);
    for (size_t k = 0; k < path.count; k++) {
        const TacCableStop *stop = &path.stops[k];
        if (stop->wheel < 0) {
            run->was[k == 0 ? 0 : 1] = stop->in;
            continue;
        }
        for (int side = 0; side < 2; side++) {
            tac_store3(c->state->nodes[stop->wheel].place[side], side ? stop->out : stop->in);
            tac_store3(c->now[stop->wheel][side], side ? stop->out : stop->in);
        }
    }
    for (size_t k = 0; k + 1 < path.count; k++) {
        TacVec3 from = path.stops[k].out, to = path.stops[k + 1].in;
        for (size_t i = 0; i < n && k + 2 == path.count; i++) {
            TAC_TRY(check_clear(c, from, tac_load3(c->way.via.data + 3 * i), setup, error));
            from = tac_load3(c->way.via.data + 3 * i);
        }
        TAC_TRY(check_clear(c, from, to, setup, error));
    }
    tac_cable_note_poses(c);
    for (size_t i = 0; i < n; i++) {
        size_t j = TAC_CABLE_WHEELS + i;
        c->state->nodes[j] = (TacCableNode){.edge = -1};
        for (int side = 0; side < 2; side++) {
            memcpy(c->state->nodes[j].place[side], c->way.via.data + 3 * i, 3 * sizeof(double));
            memcpy(c->now[j][side], c->way.via.data + 3 * i, 3 * sizeof(double));
        }
        tac_cable_insert(c, run, 1, 0, first + i, j);
    }
    c->events = MOST_EVENTS;
    for (size_t i = 0; i < n; i++) {
        size_t j = TAC_CABLE_WHEELS + i, place = 0;
        while ((size_t)c->state->order[place] != j) place++;
        tac_cable_draw_straight(c, run, 1, 0, place, tac_load3(c->way.via.data + 3 * i));
    }
    tac_cable_meet_edges(c, run, 1);
    return TAC_OK;
}

// Which wheels it lies on. Where it would have to bend the other way it passes by.
static TacStatus lay_over_wheels(TacCable *c, TacCableRun *run, TacSetup *setup, TacError *error) {
    for (size_t j = 0; j < c->wheel_count; j++) tac_cable_insert(c, run, 1, 0, j, j);
    TacCablePath path;
    tac_cable_path(c, run, &path, NULL);
    for (size_t i = path.count - 1; i-- > 1;) {
        int j = path.stops[i].wheel;
        double turns = 0;
        if (j < 0) continue;
        TAC_TRY(take_each(c, setup, "turns", c->way.turns, 0, (size_t)j, &turns, error));
        if (turns != 0 || tac_cable_arc(&path.stops[i], &c->wheels[j]) <= 1.5 * TAC_PI) continue;
        size_t place = 0;
        while ((int)c->state->order[place] != j) place++;
        tac_cable_remove(c, run, 1, place);
        c->state->nodes[j].wound.clear = 1;
    }
    return TAC_OK;
}

static TacStatus wind_arcs(TacCable *c, const TacCableRun *run, TacCablePath *path, TacSetup *setup,
                           TacError *error) {
    tac_cable_path(c, run, path, NULL);
    for (size_t i = 0; i < path->count; i++) {
        TacCableStop *stop = &path->stops[i];
        if (stop->wheel < 0 || !(c->wheels[stop->wheel].radius > 0)) continue;
        double turns = 0;
        TAC_TRY(take_each(c, setup, "turns", c->way.turns, 0, (size_t)stop->wheel, &turns, error));
        bool drum = i == 0 || i + 1 == path->count;
        if (i == 0) stop->in = stop->out;
        if (i + 1 == path->count) stop->out = stop->in;
        stop->arc = 2 * TAC_PI * turns + (drum ? 0 : tac_cable_arc(stop, &c->wheels[stop->wheel]));
    }
    return TAC_OK;
}

TacStatus tac_cable_lay(TacCable *c, TacCableRun *run, double length, TacSetup *setup, TacError *error) {
    c->state = tac_setup_alloc(setup, 1, sizeof *c->state);
    if (!c->state) return tac_fail_memory(error, sizeof *c->state);
    run->is_end[0] = run->is_end[1] = true;
    run->first = run->last = 0;
    TAC_TRY(lay_over_wheels(c, run, setup, error));
    if (c->body_count) TAC_TRY(lay_over_bodies(c, run, setup, error));
    TacCablePath path;
    TAC_TRY(wind_arcs(c, run, &path, setup, error));
    if (path.count < 2) return tac_setup_fail(setup, error, NULL, "it leads from a drum to the same drum");
    double wound = 0, straight = 0;
    for (size_t i = 0; i < path.count; i++) {
        const TacCableStop *stop = &path.stops[i];
        if (i > 0 && i + 1 < path.count) wound += c->wheels[stop->wheel].radius * stop->arc;
        if (i + 1 < path.count) straight += tac_cable_span(&path, i);
    }
    if (!(straight > 0) || !isfinite(straight)) return tac_setup_fail(setup, error, NULL, "it has no length");
    if (isnan(length)) length = straight + wound;
    double stretch = (length - wound) / straight;
    if (stretch < 0.999)
        return tac_setup_fail(setup, error, "length", "its way is %g m long, so %g m are too short",
                              straight + wound, length);
    double at = 0;
    TacCableWound all[TAC_CABLE_NODES];
    for (size_t j = 0; j < TAC_CABLE_NODES; j++) all[j] = c->state->nodes[j].wound;
    tac_cable_note(&path, c->wheels, all);
    run->material[0] = 0;
    for (size_t i = 0; i < path.count; i++) {
        const TacCableStop *stop = &path.stops[i];
        if (stop->wheel >= 0) {
            TacCableNode *n = &c->state->nodes[stop->wheel];
            n->wound = all[stop->wheel];
            n->material[0] = at;
            at += c->wheels[stop->wheel].radius * stop->arc;
            n->material[1] = at;
            tac_store3(n->place[0], stop->in);
            tac_store3(n->place[1], stop->out);
        }
        if (i + 1 < path.count) at += stretch * tac_cable_span(&path, i);
    }
    c->length = run->material[1] = at;
    tac_cable_note_poses(c);
    return tac_setup_state(setup, c->state, sizeof *c->state, error);
}
