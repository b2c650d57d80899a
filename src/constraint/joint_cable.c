// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Cable: a massless cable from one thing to another, over wheels that it turns or that turn it. See cable_path.h
// for its way and its material.
//
// Let g_k be how much longer span k is than its rest length s_k, T_k its tension.
//
//     the whole cable   g = sum of all g_k          force: the tension of the first span, pulling only
//     wheel j           g = sum of g_k behind it    force: T behind it less T before it, by friction
//
// Without friction a wheel's row has no force, and the tension is the same everywhere. With it the cable sticks:
// the wheel's row holds, and the wheel turns with the cable. It slides when one tension exceeds the other by more
// than the factor e^(mu arc); that is a bound on the row's force, from the tensions of the last step. A cable
// that slid has shifted material from one side of the wheel to the other: as much as brings the row's g to zero.

#include "base/memory.h"
#include "constraint/cable_path.h"

enum { MOST_WHEELS = TAC_CABLE_STOPS - 2, SPANS = TAC_CABLE_STOPS - 1 };

enum { CYLINDERS, SPHERES };

typedef struct Cable {
    TacJoint joint; // matter[0]: at the start, matter[1]: at the end; NULL: the world
    int64_t point[2];
    TacVec3 at[2];
    TacMatter *wheels_of, *shown;
    TacInts wheel_points;
    TacReals radii, senses, frictions, turns;
    TacVec3 axis;
    int shape;
    bool drum[2];
    double length, stretch, damping;
    TacAttachment end[2];
    TacCableWheel wheels[MOST_WHEELS];
    size_t wheel_count;
    // state
    TacCableWound wound[MOST_WHEELS];
    double rest[SPANS];         // of spans, by the stop before them: 0 is the start, 1 + j is wheel j
    double tension[SPANS];      // likewise
    double known[SPANS];        // tensions of the last step, from which friction follows
    double slides[MOST_WHEELS]; // whether it slides on the wheel
    double low[MOST_WHEELS], high[MOST_WHEELS]; // of friction, at this step
    TacReals tensions, arcs;
    double arc_out[MOST_WHEELS];
} Cable;

// The span that begins at a stop.
static size_t slot_of(const TacCableStop *stop) {
    return (size_t)(stop->wheel + 1);
}

// --- the way ----------------------------------------------------------------------------------------------

static void add_place(TacCablePath *path, const TacAttachment *a) {
    TacVec3 p = tac_attachment_place(a);
    path->stops[path->count++] = (TacCableStop){.wheel = -1, .in = p, .out = p};
}

static void add_wheel(const Cable *self, TacCablePath *path, size_t j) {
    const TacCableWheel *w = &self->wheels[j];
    TacVec3 axis = tac_rotate(tac_attachment_turn(&w->centre), w->axis), was = tac_load3(self->wound[j].axis);
    if (w->sphere && tac_dot(was, was) > 0) axis = was;
    path->stops[path->count++] =
        (TacCableStop){.wheel = (int)j, .centre = tac_attachment_place(&w->centre), .axis = axis};
}

static void find_path(const Cable *self, TacCablePath *path) {
    path->count = 0;
    if (!self->drum[0]) add_place(path, &self->end[0]);
    for (size_t j = 0; j < self->wheel_count; j++)
        if (self->wound[j].touched != 0) add_wheel(self, path, j);
    if (!self->drum[1]) add_place(path, &self->end[1]);
    tac_cable_stretch(path, self->wheels);
}

static double span_length(const TacCablePath *path, size_t k) {
    return tac_norm(tac_sub(path->stops[k + 1].in, path->stops[k].out));
}

// g of each span now.
static void find_violations(const Cable *self, const TacCablePath *path, double *g) {
    for (size_t k = 0; k + 1 < path->count; k++) {
        double rest =
            self->rest[slot_of(&path->stops[k])] + path->stops[k].passed_out + path->stops[k + 1].passed_in;
        g[k] = span_length(path, k) - rest;
    }
}

// --- rows -------------------------------------------------------------------------------------------------

typedef struct Pull {
    uint32_t body;
    TacVec3 linear, angular;
} Pull;

typedef struct Pulls {
    Pull list[2 * TAC_CABLE_STOPS];
    size_t count;
} Pulls;

// Adds a direction at a place of a stop; what is on the same body already is one with it.
static void pull(Pulls *pulls, const TacRows *rows, const TacAttachment *a, TacVec3 place,
                 TacVec3 direction) {
    uint32_t first = tac_rows_body(rows, a->matter);
    if (first == TAC_NO_BODY) return;
    uint32_t body = first + (uint32_t)a->point;
    size_t i = 0;
    while (i < pulls->count && pulls->list[i].body != body) i++;
    if (i == pulls->count) pulls->list[pulls->count++] = (Pull){body, {0, 0, 0}, {0, 0, 0}};
    Pull *p = &pulls->list[i];
    TacVec3 origin = tac_load3(a->matter->vectors[TAC_X] + (size_t)a->matter->position_size * a->point);
    p->linear = tac_add(p->linear, direction);
    p->angular = tac_add(p->angular, tac_cross(tac_sub(place, origin), direction));
}

static const TacAttachment *holder(const Cable *self, const TacCablePath *path, size_t i) {
    int wheel = path->stops[i].wheel;
    return wheel >= 0 ? &self->wheels[wheel].centre : &self->end[i == 0 ? 0 : 1];
}

// The blocks of the spans from k on.
static void add_blocks(const Cable *self, const TacCablePath *path, TacRows *rows, size_t from) {
    Pulls pulls = {.count = 0};
    for (size_t k = from; k + 1 < path->count; k++) {
        TacVec3 d = tac_sub(path->stops[k + 1].in, path->stops[k].out);
        double length = tac_norm(d);
        if (!(length > 0)) continue;
        TacVec3 u = tac_scale(d, 1 / length);
        pull(&pulls, rows, holder(self, path, k), path->stops[k].out, tac_scale(u, -1));
        pull(&pulls, rows, holder(self, path, k + 1), path->stops[k + 1].in, u);
    }
    for (size_t i = 0; i < pulls.count; i++)
        tac_rows_block(rows, pulls.list[i].body, pulls.list[i].linear, pulls.list[i].angular);
}

static void locate(const Cable *self, TacCablePath *path, double *g) {
    find_path(self, path);
    tac_cable_pass(path, self->wheels, self->wound);
    find_violations(self, path, g);
}

static double damping_of(const Cable *self) {
    return isnan(self->damping) ? -1 : self->damping;
}

// The ends of a cable do not enter the wheel next to them, nor slip through a ring: there would be no tangent. What is
// dragged up to a wheel goes around it, as a knot would.
static void add_knot(const Cable *self, const TacCablePath *path, TacRows *rows, int k) {
    const TacCableStop *own = &path->stops[k ? path->count - 1 : 0];
    const TacCableStop *next = &path->stops[k ? path->count - 2 : 1];
    if (own->wheel >= 0 || next->wheel < 0) return;
    const TacCableWheel *w = &self->wheels[next->wheel];
    TacVec3 d = tac_sub(own->in, next->centre);
    if (w->radius > 0) d = tac_axpy(d, -tac_dot(d, next->axis), next->axis);
    double far = tac_norm(d), least = w->radius > 0 ? 1.02 * w->radius : 1e-3 * self->length;
    if (!(far > 0) || far > 4 * least) return;
    TacVec3 e = tac_scale(d, 1 / far);
    TacRow *row = tac_rows_add(rows, self->wheel_count + 1 + (size_t)k);
    if (!row) return;
    row->violation = far - least;
    row->damping = damping_of(self);
    row->low = 0;
    Pulls pulls = {.count = 0};
    pull(&pulls, rows, &self->end[k], own->in, e);
    pull(&pulls, rows, &w->centre, own->in, tac_scale(e, -1));
    for (size_t i = 0; i < pulls.count; i++)
        tac_rows_block(rows, pulls.list[i].body, pulls.list[i].linear, pulls.list[i].angular);
}

static void add(void *data, const TacContext *context, TacRows *rows) {
    (void)context;
    Cable *self = data;
    TacCablePath path;
    double g[SPANS], behind = 0, rest = 0;
    locate(self, &path, g);
    for (size_t k = path.count - 1; k-- > 0;) {
        behind += g[k];
        rest += self->rest[slot_of(&path.stops[k])];
        const TacCableStop *stop = &path.stops[k];
        bool whole = k == 0;
        if (!whole && stop->wheel < 0) continue;
        TacRow *row = tac_rows_add(rows, whole ? 0 : slot_of(stop));
        if (!row) return;
        row->violation = behind;
        row->compliance = self->stretch > 0 ? rest / self->stretch : 0;
        row->damping = damping_of(self);
        if (whole) {
            row->high = 0;
        } else {
            // forces pull along -J: a tension that rises over the wheel is a negative force
            const TacCableWheel *w = &self->wheels[stop->wheel];
            double before = self->known[slot_of(&path.stops[k - 1])], factor = exp(w->friction * stop->arc);
            row->low = self->low[stop->wheel] = -(factor - 1) * before;
            row->high = self->high[stop->wheel] = (1 - 1 / factor) * before;
        }
        add_blocks(self, &path, rows, k);
    }
    for (int k = 0; k < 2; k++) add_knot(self, &path, rows, k);
}

static void take(void *data, const TacContext *context, const double *forces) {
    (void)context;
    Cable *self = data;
    TacCablePath path;
    double g[SPANS];
    locate(self, &path, g);
    double tension = 0;
    for (size_t k = 0; k + 1 < path.count; k++) {
        const TacCableStop *stop = &path.stops[k];
        if (k == 0) {
            tension = -forces[0];
        } else {
            double force = forces[slot_of(stop)], rise = -force;
            self->slides[stop->wheel] =
                force <= self->low[stop->wheel] || force >= self->high[stop->wheel]; // at a bound
            tension += rise;
        }
        self->tension[slot_of(stop)] = tension;
    }
}

// --- between steps ----------------------------------------------------------------------------------------

// Material of a wheel that is let go joins the spans before and behind it.
static void let_go(Cable *self, const TacCablePath *path, size_t i) {
    const TacCableStop *stop = &path->stops[i];
    size_t before = slot_of(&path->stops[i - 1]), own = slot_of(stop);
    self->rest[before] += self->rest[own] + self->wheels[stop->wheel].radius * stop->arc;
    self->rest[own] = self->tension[own] = self->known[own] = 0;
    self->wound[stop->wheel] = (TacCableWound){.clear = 1};
}

// A wheel that a straight piece was clear of, and is no longer: the piece becomes two, equally strained.
static bool take_up(Cable *self, const TacCablePath *path, size_t k) {
    const TacCableStop *from = &path->stops[k], *to = &path->stops[k + 1];
    size_t first = slot_of(from), last = to->wheel >= 0 ? (size_t)to->wheel : self->wheel_count;
    for (size_t j = first; j < last; j++) {
        if (self->wound[j].touched != 0) continue;
        double clearance = -1;
        bool beside = tac_cable_clearance(from->out, to->in, &self->wheels[j], &clearance);
        bool was_clear = self->wound[j].clear != 0;
        self->wound[j].clear = clearance >= 0; // also when it would only pass in its extension
        if (!beside || clearance >= 0 || !was_clear) continue;
        double before = span_length(path, k);
        self->wound[j].touched = 1;
        TacCablePath now;
        find_path(self, &now);
        TacCableStop *stop = &now.stops[k + 1];
        stop->arc = tac_cable_arc(stop, &self->wheels[j]);
        if (stop->arc > TAC_PI) stop->arc = 0;
        double in = span_length(&now, k), out = span_length(&now, k + 1);
        double rest = self->rest[first] - self->wheels[j].radius * stop->arc;
        // a way that would become much longer has come from elsewhere
        double longer = in + out + self->wheels[j].radius * stop->arc - before;
        if (!(before > 0) || !(rest > 0) || !(in + out > 0) || longer > self->wheels[j].radius) {
            self->wound[j].touched = 0;
            continue;
        }
        self->rest[first] = rest * in / (in + out);
        self->rest[1 + j] = rest * out / (in + out);
        self->tension[1 + j] = self->known[1 + j] = self->known[first];
        for (size_t i = 0; i < now.count; i++)
            if (now.stops[i].wheel >= 0 && now.stops[i].wheel != (int)j)
                now.stops[i].arc = self->wound[now.stops[i].wheel].arc;
        tac_cable_note(&now, self->wheels, self->wound);
        return true;
    }
    return false;
}

// Sliding: from the last wheel to the first, what brings the rows' g to zero.
static void slide(Cable *self, const TacCablePath *path, const double *g) {
    double behind = 0;
    for (size_t k = path->count - 1; k-- > 1;) {
        behind += g[k];
        const TacCableStop *stop = &path->stops[k];
        if (stop->wheel < 0 || self->slides[stop->wheel] == 0) continue;
        self->rest[slot_of(stop)] += behind;
        self->rest[slot_of(&path->stops[k - 1])] -= behind;
        behind = 0;
    }
}

static void show(const Cable *self, const TacCablePath *path);

static void settle_one(Cable *self) {
    TacCablePath path;
    double g[SPANS];
    memcpy(self->known, self->tension, sizeof self->known);
    locate(self, &path, g);
    for (size_t k = 0; k + 1 < path.count; k++)
        self->rest[slot_of(&path.stops[k])] += path.stops[k].passed_out + path.stops[k + 1].passed_in;
    slide(self, &path, g);
    tac_cable_note(&path, self->wheels, self->wound);
    for (size_t i = path.count - 1; i-- > 1;)
        if (path.stops[i].arc < 0) {
            let_go(self, &path, i);
            find_path(self, &path);
            tac_cable_pass(&path, self->wheels, self->wound);
        }
    for (size_t k = 0; k + 1 < path.count; k++)
        if (take_up(self, &path, k)) {
            find_path(self, &path);
            tac_cable_pass(&path, self->wheels, self->wound);
        }
    for (size_t j = 0; j < self->wheel_count; j++) self->arc_out[j] = self->wound[j].arc;
    if (self->shown) show(self, &path);
}

static void settle(void *const *cables, size_t count, const TacSettling *settling) {
    (void)settling;
    for (size_t i = 0; i < count; i++) settle_one(cables[i]);
}

// --- looking ----------------------------------------------------------------------------------------------

// A place at some length along the way.
static TacVec3 place_along(const Cable *self, const TacCablePath *path, double way) {
    for (size_t k = 0; k + 1 < path->count; k++) {
        const TacCableStop *a = &path->stops[k], *b = &path->stops[k + 1];
        double length = span_length(path, k);
        if (way <= length || (k + 2 == path->count && b->wheel < 0))
            return tac_axpy(a->out, length > 0 ? fmin(way / length, 1) : 0, tac_sub(b->in, a->out));
        way -= length;
        if (b->wheel < 0 || k + 2 == path->count) return b->in;
        const TacCableWheel *w = &self->wheels[b->wheel];
        double arc = w->radius * fmax(b->arc, 0);
        if (way <= arc) {
            TacQuat turn = tac_quat_from_vector(tac_scale(b->axis, w->sense * way / w->radius));
            return tac_add(b->centre, tac_rotate(turn, tac_sub(b->in, b->centre)));
        }
        way -= arc;
    }
    return path->stops[path->count - 1].in;
}

static void show(const Cable *self, const TacCablePath *path) {
    double whole = 0;
    for (size_t k = 0; k + 1 < path->count; k++) {
        whole += span_length(path, k);
        const TacCableStop *b = &path->stops[k + 1];
        if (b->wheel >= 0 && k + 2 < path->count) whole += self->wheels[b->wheel].radius * fmax(b->arc, 0);
    }
    const TacMatter *m = self->shown;
    for (size_t i = 0; i < m->count; i++) {
        double part = m->count > 1 ? (double)i / (double)(m->count - 1) : 0;
        tac_store3(m->vectors[TAC_X] + 3 * i, place_along(self, path, part * whole));
    }
}

// --- operations -------------------------------------------------------------------------------------------

static TacJointSize capacity(const void *data) {
    size_t n = ((const Cable *)data)->wheel_count + 1;
    return (TacJointSize){n + 2, n * (n + 1) + 4, n + 2}; // and two knots
}

static size_t matters(const void *data, TacMatter **list, size_t most) {
    const Cable *self = data;
    TacMatter *const all[] = {self->drum[0] ? NULL : self->end[0].matter,
                              self->drum[1] ? NULL : self->end[1].matter,
                              self->wheel_count ? self->wheels_of : NULL, self->shown};
    size_t n = 0;
    for (size_t i = 0; i < TAC_COUNT(all) && n < most; i++) {
        bool known = !all[i];
        for (size_t k = 0; k < n; k++) known = known || list[k] == all[i];
        if (!known) list[n++] = all[i];
    }
    return n;
}

static double cost(const void *data) {
    (void)data;
    return 0;
}

static const char *unfit(const void *data) {
    const Cable *self = data;
    for (size_t i = 0; self->shown && i < self->shown->count; i++)
        if (!self->shown->held || !(self->shown->held[i] & TAC_HELD_WHOLLY))
            return "the points in which it is shown must be held: add a FixedPoints for all of them";
    return NULL;
}

static const TacJointOps ops = {.capacity = capacity,
                                .matters = matters,
                                .add = add,
                                .take = take,
                                .settle = settle,
                                .cost = cost,
                                .unfit = unfit};

// --- setting up -------------------------------------------------------------------------------------------

// One number for all wheels, or one for each.
static TacStatus take_each(const Cable *self, TacSetup *setup, const char *name, TacReals list,
                           double otherwise, size_t j, double *value, TacError *error) {
    if (list.count > 1 && list.count != self->wheel_count)
        return tac_setup_fail(setup, error, name, "%s has %zu numbers; 1 or %zu were expected", name,
                              list.count, self->wheel_count);
    *value = list.count == 0 ? otherwise : list.data[list.count == 1 ? 0 : j];
    return TAC_OK;
}

static TacStatus find_wheels(Cable *self, TacSetup *setup, TacError *error) {
    self->wheel_count = self->wheel_points.count;
    if (self->wheel_count > MOST_WHEELS)
        return tac_setup_fail(setup, error, "wheel_points", "a cable goes over %d wheels at most",
                              MOST_WHEELS);
    if (self->wheel_count && !self->wheels_of)
        return tac_setup_fail(setup, error, "wheel_points", "needs wheels, the Frames that they are");
    if (self->wheels_of && self->wheels_of->kind != TAC_RIGID3)
        return tac_setup_fail(setup, error, "wheels", "%s is %s; frames in space were expected",
                              self->wheels_of->base.path, tac_matter_kind_name(self->wheels_of->kind));
    double length = tac_norm(self->axis);
    if (!(length > 0) || !isfinite(length))
        return tac_setup_fail(setup, error, "axis", "the axis has no direction");
    for (size_t j = 0; j < self->wheel_count; j++) {
        TacCableWheel *w = &self->wheels[j];
        int32_t point = self->wheel_points.data[j];
        if ((size_t)point >= self->wheels_of->count)
            return tac_setup_fail(setup, error, "wheel_points", "there is no frame %d: %s has %zu, from 0",
                                  point, self->wheels_of->base.path, self->wheels_of->count);
        w->centre = (TacAttachment){self->wheels_of, (size_t)point, {0, 0, 0}};
        w->axis = tac_scale(self->axis, 1 / length);
        w->sphere = self->shape == SPHERES;
        TAC_TRY(take_each(self, setup, "radii", self->radii, 0, j, &w->radius, error));
        TAC_TRY(take_each(self, setup, "senses", self->senses, 1, j, &w->sense, error));
        TAC_TRY(take_each(self, setup, "friction", self->frictions, 0, j, &w->friction, error));
        if (w->sense != 1 && w->sense != -1)
            return tac_setup_fail(setup, error, "senses", "senses are 1 or -1, not %g", w->sense);
        if (w->friction > 10)
            return tac_setup_fail(setup, error, "friction", "coefficients up to 10 are understood, not %g",
                                  w->friction);
    }
    return TAC_OK;
}

static TacStatus find_ends(Cable *self, TacSetup *setup, TacError *error) {
    static const char *const names[2] = {"start", "end"}, *const points[2] = {"start_point", "end_point"};
    size_t drums = (size_t)self->drum[0] + (size_t)self->drum[1];
    if (drums > self->wheel_count)
        return tac_setup_fail(setup, error, self->drum[0] ? "start_drum" : "end_drum",
                              "the drum is a wheel, too: list it first or last in wheel_points");
    for (int k = 0; k < 2; k++) {
        TacMatter *m = self->joint.matter[k];
        if (self->drum[k] && self->shape == SPHERES)
            return tac_setup_fail(setup, error, k ? "end_drum" : "start_drum", "a drum is a cylinder");
        if (self->drum[k] && !(self->wheels[k ? self->wheel_count - 1 : 0].radius > 0))
            return tac_setup_fail(setup, error, k ? "end_drum" : "start_drum", "a drum needs a radius");
        if (self->drum[k]) continue;
        if (m && m->kind != TAC_VEC3 && m->kind != TAC_RIGID3)
            return tac_setup_fail(setup, error, names[k], "%s is %s; points or frames in space were expected",
                                  m->base.path, tac_matter_kind_name(m->kind));
        if (m && (size_t)self->point[k] >= m->count)
            return tac_setup_fail(setup, error, points[k], "%s has %zu points or frames, from 0",
                                  m->base.path, m->count);
        TacVec3 at = isnan(self->at[k].x) ? tac_vec3(0, 0, 0) : self->at[k];
        if (!m && isnan(self->at[k].x))
            return tac_setup_fail(setup, error, NULL,
                                  "needs %s, what it is tied to, or %s, where in the world",
                                  k ? "end" : "start", k ? "end_at" : "start_at");
        self->end[k] = (TacAttachment){m, (size_t)self->point[k], at};
    }
    return TAC_OK;
}

// Which wheels it lies on at the start, and how long its spans are.
static TacStatus lay(Cable *self, TacSetup *setup, TacError *error) {
    for (size_t j = 0; j < self->wheel_count; j++) self->wound[j].touched = 1;
    TacCablePath path;
    find_path(self, &path);
    // where it would have to bend the other way it passes by
    for (size_t i = 1; i + 1 < path.count; i++) {
        int j = path.stops[i].wheel;
        double turns = 0;
        TAC_TRY(take_each(self, setup, "turns", self->turns, 0, (size_t)j, &turns, error));
        if (turns == 0 && tac_cable_arc(&path.stops[i], &self->wheels[j]) > 1.5 * TAC_PI)
            self->wound[j] = (TacCableWound){.clear = 1};
    }
    find_path(self, &path);
    if (path.count < 2) return tac_setup_fail(setup, error, NULL, "it leads from a drum to the same drum");
    double whole = 0, straight = 0;
    for (size_t i = 0; i < path.count; i++) {
        TacCableStop *stop = &path.stops[i];
        if (stop->wheel >= 0) {
            double turns = 0;
            TAC_TRY(take_each(self, setup, "turns", self->turns, 0, (size_t)stop->wheel, &turns, error));
            bool drum = i == 0 || i + 1 == path.count;
            if (i == 0) stop->in = stop->out;
            if (i + 1 == path.count) stop->out = stop->in;
            stop->arc = 2 * TAC_PI * turns + (drum ? 0 : tac_cable_arc(stop, &self->wheels[stop->wheel]));
            whole += drum ? 0 : self->wheels[stop->wheel].radius * stop->arc;
        }
        if (i + 1 < path.count) straight += span_length(&path, i);
    }
    whole += straight;
    if (!(straight > 0)) return tac_setup_fail(setup, error, NULL, "it has no length");
    if (isnan(self->length)) self->length = whole;
    double stretch = (self->length - (whole - straight)) / straight;
    if (stretch < 0.999)
        return tac_setup_fail(setup, error, "length", "its way is %g m long, so %g m are too short", whole,
                              self->length);
    for (size_t k = 0; k + 1 < path.count; k++)
        self->rest[slot_of(&path.stops[k])] = stretch * span_length(&path, k);
    tac_cable_note(&path, self->wheels, self->wound);
    for (size_t j = 0; j < self->wheel_count; j++) self->arc_out[j] = self->wound[j].arc;
    if (self->shown) show(self, &path);
    return TAC_OK;
}

static TacStatus init(void *data, TacSetup *setup, TacError *error) {
    Cable *self = data;
    TAC_TRY(find_wheels(self, setup, error));
    TAC_TRY(find_ends(self, setup, error));
    if (self->shown && self->shown->kind != TAC_VEC3)
        return tac_setup_fail(setup, error, "shown", "points in space were expected");
    TacMatter *tied[4];
    size_t own = self->shown ? 1 : 0;
    if (matters(self, tied, 4) <= own)
        return tac_setup_fail(setup, error, NULL, "ties nothing that could move");
    TAC_TRY(lay(self, setup, error));
    self->tensions = (TacReals){self->tension, self->wheel_count + 1};
    self->arcs = (TacReals){self->arc_out, self->wheel_count};
    TAC_TRY(tac_setup_state(setup, self->wound, sizeof self->wound, error));
    TAC_TRY(tac_setup_state(setup, self->rest, sizeof self->rest, error));
    TAC_TRY(tac_setup_state(setup, self->tension, sizeof self->tension, error));
    TAC_TRY(tac_setup_state(setup, self->known, sizeof self->known, error));
    TAC_TRY(tac_setup_state(setup, self->slides, sizeof self->slides, error));
    return tac_setup_state(setup, self->arc_out, sizeof self->arc_out, error);
}

// Where it begins to lie on wheels, and where it leaves them; rings have one place.
static size_t nodes(const void *data, TacNodeMark *marks, size_t most) {
    const Cable *self = data;
    TacCablePath path;
    size_t n = 0;
    find_path(self, &path);
    for (size_t k = 0; k < path.count; k++) {
        const TacCableStop *stop = &path.stops[k];
        bool wound = stop->wheel >= 0 && self->wheels[stop->wheel].radius > 0;
        if (stop->wheel < 0) continue;
        if (n < most) marks[n] = (TacNodeMark){stop->in, TAC_NODE_CONTACT};
        n++;
        if (wound && n < most) marks[n] = (TacNodeMark){stop->out, TAC_NODE_CONTACT};
        n += wound;
    }
    return n;
}

// All points in which it is shown have its largest tension.
static void scalars(const void *data, TacScalar what, TacScalarSheet *sheet) {
    const Cable *self = data;
    float *to = what == TAC_SCALAR_TENSION && self->shown ? tac_scalar_sheet_of(sheet, self->shown) : NULL;
    for (size_t i = 0; to && i < self->shown->count; i++)
        for (size_t k = 0; k <= self->wheel_count; k++) tac_scalar_raise(to + i, self->tension[k]);
}

static const TacAttribute attributes[] = {
    {"start", TAC_LINK, offsetof(Cable, joint.matter[0]), "", "",
     "What its start is tied to; by default the world.", "matter", TAC_ANY, 0},
    {"start_point", TAC_INT, offsetof(Cable, point[0]), "1", "0", "Which point or frame of that, from 0.",
     NULL, TAC_NOT_NEGATIVE, 0},
    {"start_at", TAC_VECTOR, offsetof(Cable, at[0]), "m", "",
     "Where on that frame, in its axes; where in the world, without one.", NULL, TAC_ANY, 0},
    {"end", TAC_LINK, offsetof(Cable, joint.matter[1]), "", "",
     "What its end is tied to; by default the world.", "matter", TAC_ANY, 0},
    {"end_point", TAC_INT, offsetof(Cable, point[1]), "1", "0", "Which point or frame of that, from 0.", NULL,
     TAC_NOT_NEGATIVE, 0},
    {"end_at", TAC_VECTOR, offsetof(Cable, at[1]), "m", "",
     "Where on that frame, in its axes; where in the world, without one.", NULL, TAC_ANY, 0},
    {"wheels", TAC_LINK, offsetof(Cable, wheels_of), "", "", "The Frames that are wheels.", "matter", TAC_ANY,
     0},
    {"wheel_points", TAC_INTS, offsetof(Cable, wheel_points), "1", "",
     "Which of them the cable goes over, from its start to its end.", NULL, TAC_NOT_NEGATIVE, 0},
    {"radii", TAC_REALS, offsetof(Cable, radii), "m", "",
     "Of the wheels: one for all, or one for each. 0, the default, is a ring through which the cable slides.",
     NULL, TAC_NOT_NEGATIVE, 0},
    {"axis", TAC_VECTOR, offsetof(Cable, axis), "1", "0 0 1", "Of the wheels, in their frames.", NULL,
     TAC_ANY, 0},
    {"senses", TAC_REALS, offsetof(Cable, senses), "1", "1",
     "How the cable turns about the axis of each wheel: 1 anticlockwise, -1 clockwise.", NULL, TAC_ANY, 0},
    {"shape", TAC_CHOICE, offsetof(Cable, shape), "", "cylinder",
     "Of the wheels. On a sphere the axis follows the cable; at the start it is the nearest one to axis.",
     "cylinder|sphere", TAC_ANY, 0},
    {"friction", TAC_REALS, offsetof(Cable, frictions), "1", "0",
     "Coulomb's coefficient on the wheels; tensions can differ by the factor e^(friction arc).", NULL,
     TAC_NOT_NEGATIVE, 0},
    {"turns", TAC_REALS, offsetof(Cable, turns), "1", "0",
     "Whole turns that are wound on each wheel at the start: what a drum has in store.", NULL,
     TAC_NOT_NEGATIVE, 0},
    {"start_drum", TAC_BOOL, offsetof(Cable, drum[0]), "", "false",
     "Whether the first wheel is a drum on which the cable begins.", NULL, TAC_ANY, 0},
    {"end_drum", TAC_BOOL, offsetof(Cable, drum[1]), "", "false",
     "Whether the last wheel is a drum on which the cable ends.", NULL, TAC_ANY, 0},
    {"length", TAC_REAL, offsetof(Cable, length), "m", "",
     "At rest, without what drums have in store; by default as it starts.", NULL, TAC_POSITIVE, 0},
    {"stretch", TAC_REAL, offsetof(Cable, stretch), "N", "0", "EA; 0: it does not stretch.", NULL,
     TAC_NOT_NEGATIVE, 0},
    {"damping", TAC_REAL, offsetof(Cable, damping), "s", "",
     "The time in which stretch is damped away; by default two steps.", NULL, TAC_NOT_NEGATIVE, 0},
    {"shown", TAC_LINK, offsetof(Cable, shown), "", "",
     "Points, all held by FixedPoints, that are put along the cable to be looked at.", "matter", TAC_ANY, 0},
    {"tensions", TAC_REALS, offsetof(Cable, tensions), "N", "",
     "Of the span at the start, then of those behind each wheel; 0 where a wheel is not touched.", NULL,
     TAC_ANY, TAC_OUTPUT},
    {"arcs", TAC_REALS, offsetof(Cable, arcs), "rad", "", "On each wheel.", NULL, TAC_ANY, TAC_OUTPUT},
};

const TacClass tac_cable_class = {
    .name = "Cable",
    .kind = TAC_KIND_JOINT,
    .doc = "A massless cable between two things, over wheels: it turns them and is turned by them as far as "
           "friction "
           "allows, is let go and taken up by them, and is wound on drums.",
    .size = sizeof(Cable),
    .attributes = attributes,
    .attribute_count = TAC_COUNT(attributes),
    .init = init,
    .ops.joint = &ops,
    .scalars = scalars,
    .nodes = nodes,
};
