// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Overlays: what is drawn over a world to explain it. Each is a list of segments, made from the world as it is now and
// only while some page shows it. A segment without length is a mark at a place.

#include "base/memory.h"
#include "view/stage.h"

#include "contact/safe_look.h"
#include "tactus/contact.h"
#include "world/look.h"

#include <math.h>

enum { MOST_CONTACTS = 20000, MOST_NODES = 20000, MOST_PLANS = 1500, MOST_DOPS = 300, MOST_ZONES = 1000 };
enum { BOX_EDGES = 12, DOP_EDGES = 96 };

const char *const tac_overlay_names[TAC_OVERLAYS] = {"contacts", "forces",   "boxes",
                                                     "plans",    "sleeping", "nodes"};

// A list that grows; without memory it stays as it is.
typedef struct List {
    TacSegment *segments;
    size_t count, capacity;
} List;

static void add(List *list, TacVec3 a, TacVec3 b, double value) {
    if (!tac_grow(&list->segments, &list->capacity, list->count + 1, sizeof *list->segments)) return;
    list->segments[list->count++] = (TacSegment){
        {(float)a.x, (float)a.y, (float)a.z}, {(float)b.x, (float)b.y, (float)b.z}, (float)value};
}

static void add_box(List *list, const double low[3], const double high[3], double value) {
    for (int axis = 0; axis < 3; axis++)
        for (int k = 0; k < 4; k++) {
            double a[3], b[3];
            int u = (axis + 1) % 3, w = (axis + 2) % 3;
            a[axis] = low[axis];
            b[axis] = high[axis];
            a[u] = b[u] = k & 1 ? high[u] : low[u];
            a[w] = b[w] = k & 2 ? high[w] : low[w];
            add(list, tac_load3(a), tac_load3(b), value);
        }
}

// --- boxes around tracks ----------------------------------------------------------------------------------

// False: it has no points, or is not seen.
static bool box_of(const TacStage *s, size_t t, double low[3], double high[3]) {
    const TacFrameTrack *track = &s->frame->tracks[t];
    size_t n = (size_t)tac_position_size(s->what.tracks[t].kind);
    size_t d = s->what.tracks[t].kind == TAC_RIGID2 ? 2 : n > 3 ? 3 : n;
    for (size_t k = 0; k < 3; k++) {
        low[k] = k < d ? INFINITY : 0;
        high[k] = k < d ? -INFINITY : 0;
    }
    for (size_t i = 0; i < track->count; i++)
        for (size_t k = 0; k < d; k++) {
            low[k] = fmin(low[k], track->positions[n * i + k]);
            high[k] = fmax(high[k], track->positions[n * i + k]);
        }
    // what is a point, or a body whose size is not known here, has a box that can be seen
    double margin = fmax(s->what.tracks[t].radius, n == 7 ? 0.01 * s->size : 0);
    for (size_t k = 0; k < d; k++) {
        low[k] -= margin;
        high[k] += margin;
    }
    return s->what.tracks[t].visible && track->count > 0 && isfinite(low[0] + high[0]);
}

static void add_tracks(const TacStage *s, List *list, bool sleeping) {
    for (size_t t = 0; t < s->what.track_count; t++) {
        double low[3], high[3];
        if (sleeping && (!s->world || !tac_world_sleeps(s->world, t))) continue;
        if (box_of(s, t, low, high)) add_box(list, low, high, (double)t);
    }
}

// --- k-DOPs and zones -------------------------------------------------------------------------------------

static void add_dops(List *list, const TacKdop *dops, size_t count, const TacVec3 *along, int axes) {
    TacVec3 ends[DOP_EDGES][2];
    for (size_t i = 0; i < count; i++) {
        size_t n = tac_kdop_edges(&dops[i], along, axes, ends, DOP_EDGES);
        for (size_t k = 0; k < n; k++) add(list, ends[k][0], ends[k][1], (double)i);
    }
}

// Loose contact: the k-DOPs of its objects, and the cubes of space in which there are any.
static void add_zones(List *list, const TacZones *zones) {
    TacVec3 along[TAC_KDOP_AXES];
    size_t dops = 0;
    for (int i = 0; i < zones->axes; i++) along[i] = tac_kdop_axis(zones->axes, i);
    for (size_t i = 0; i < zones->object_count && dops < MOST_DOPS; i++) {
        if (!zones->objects[i].present) continue;
        add_dops(list, &zones->objects[i].bounds, 1, along, zones->axes);
        dops++;
    }
    for (size_t i = 0; i < zones->zone_count && i < MOST_ZONES; i++) {
        double low[3], high[3];
        if (zones->zones[i].sweep.count == 0) continue;
        for (int k = 0; k < 3; k++) {
            low[k] = zones->size * zones->zones[i].at[k];
            high[k] = low[k] + zones->size;
        }
        add_box(list, low, high, -1); // a zone
    }
}

static void add_fat_boxes(List *list, const TacSafe *safe) {
    TacKdop *dops = calloc(MOST_DOPS, sizeof *dops);
    TacBoxLook look;
    size_t n = dops ? tac_safe_look_boxes(safe, &look, dops, MOST_DOPS) : 0;
    if (n) add_dops(list, dops, n, look.directions, look.axes);
    free(dops);
}

static void boxes(const TacStage *s, List *list) {
    if (s->world && s->world->safe)
        add_fat_boxes(list, s->world->safe);
    else if (s->world && s->world->touch)
        add_zones(list, s->world->touch->touch.zones);
    else
        add_tracks(s, list, false);
}

// --- flight plans -----------------------------------------------------------------------------------------

static void plans(const TacStage *s, List *list) {
    TacPlanLook *all = s->world && s->world->safe ? calloc(MOST_PLANS, sizeof *all) : NULL;
    size_t n = all ? tac_safe_look_plans(s->world->safe, s->world->now, all, MOST_PLANS) : 0;
    for (size_t i = 0; i < n; i++) {
        double low[3], high[3];
        for (int k = 0; k < 3; k++) {
            low[k] = all[i].from[k] - all[i].rho;
            high[k] = all[i].from[k] + all[i].rho;
        }
        add(list, tac_load3(all[i].from), tac_load3(all[i].to), all[i].rho);
        add_box(list, low, high, all[i].rho);
    }
    free(all);
}

// --- contacts and forces ----------------------------------------------------------------------------------

static TacContactPoint *contact_points(const TacStage *s, size_t *count) {
    TacContactPoint *points = s->world ? calloc(MOST_CONTACTS, sizeof *points) : NULL;
    *count = points ? tac_world_contact_points(s->world, points, MOST_CONTACTS) : 0;
    if (*count > MOST_CONTACTS) *count = MOST_CONTACTS;
    return points;
}

static void contacts(const TacStage *s, List *list) {
    size_t n;
    TacContactPoint *points = contact_points(s, &n);
    for (size_t i = 0; i < n; i++) add(list, points[i].place, points[i].place, points[i].gap);
    free(points);
}

// What hands pull: from the place held to the target, with the force. What contacts push: along the force, the strongest
// a sixteenth of the scene long. Of the two sides' forces, which are opposite, that which points up is shown.
static void forces(const TacStage *s, List *list) {
    for (int h = 0; s->world && h < TAC_HANDS; h++) {
        TacVec3 force, place;
        if (!tac_world_hand_force(s->world, h, &force, &place)) continue;
        add(list, place, s->world->hands.state.holds[h].target, tac_norm(force));
    }
    if (!(s->shown & 1u << TAC_OVERLAY_FORCES)) return;
    size_t n;
    TacContactPoint *points = contact_points(s, &n);
    double most = 0, length = 0.06 * s->size;
    for (size_t i = 0; i < n; i++) most = fmax(most, points[i].force);
    for (size_t i = 0; i < n; i++) {
        double sign = tac_dot(points[i].normal, s->what.up) < 0 ? -1 : 1;
        TacVec3 way = tac_scale(points[i].normal, sign * length * points[i].force / most);
        add(list, points[i].place, tac_add(points[i].place, way), points[i].force);
    }
    free(points);
}

static void nodes(const TacStage *s, List *list) {
    TacNodeMark *marks = s->world ? calloc(MOST_NODES, sizeof *marks) : NULL;
    size_t n = marks ? tac_world_nodes(s->world, marks, MOST_NODES) : 0;
    for (size_t i = 0; i < n && i < MOST_NODES; i++) add(list, marks[i].place, marks[i].place, marks[i].kind);
    free(marks);
}

// --- all of them ------------------------------------------------------------------------------------------

static double scene_size(const TacStage *s) {
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY}, square = 0;
    for (size_t t = 0; t < s->what.track_count; t++) {
        double a[3], b[3];
        if (!box_of(s, t, a, b)) continue;
        for (int k = 0; k < 3; k++) {
            low[k] = fmin(low[k], a[k]);
            high[k] = fmax(high[k], b[k]);
        }
    }
    for (int k = 0; k < 3; k++) square += (high[k] - low[k]) * (high[k] - low[k]);
    return isfinite(square) && square > 0 ? sqrt(square) : 1;
}

TacSegment *tac_stage_overlay(TacStage *s, TacOverlay what, size_t *count) {
    List list = {NULL, 0, 0};
    *count = 0;
    if (tac_stage_look(s, NULL) != TAC_OK) return NULL;
    if (!(s->size > 0)) s->size = scene_size(s); // once: things would jump otherwise
    switch (what) {
    case TAC_OVERLAY_CONTACTS: contacts(s, &list); break;
    case TAC_OVERLAY_FORCES: forces(s, &list); break;
    case TAC_OVERLAY_BOXES: boxes(s, &list); break;
    case TAC_OVERLAY_PLANS: plans(s, &list); break;
    case TAC_OVERLAY_SLEEPING: add_tracks(s, &list, true); break;
    case TAC_OVERLAY_NODES: nodes(s, &list); break;
    case TAC_OVERLAYS: break;
    }
    *count = list.count;
    return list.segments;
}
