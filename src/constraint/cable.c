// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// The mechanics of a line over nodes: its way, its rows, what slides, what wheels let go and take up. See cable.h.

#include "constraint/cable.h"
#include "base/memory.h"
#include "constraint/cable_nodes.h"

enum { SPANS = TAC_CABLE_STOPS - 1 };
static const double GIVE = 1e-7; // of its length: how far the line gives way on a node before it slides

bool tac_cable_has_nodes(const TacCable *c) {
    return c->wheel_count || c->body_count;
}

// --- the way ------------------------------------------------------------------------------------------------

static void add_place(TacCablePath *path, const TacAttachment *a) {
    TacVec3 p = tac_attachment_place(a);
    path->stops[path->count++] = (TacCableStop){.wheel = -1, .in = p, .out = p};
}

static void add_node(const TacCable *c, TacCablePath *path, size_t j) {
    const TacCableWheel *w = &c->wheels[j];
    const TacCableNode *n = &c->state->nodes[j];
    TacVec3 axis = tac_rotate(tac_attachment_turn(&w->centre), w->axis), was = tac_load3(n->wound.axis);
    bool noted = tac_dot(was, was) > 0;
    if (w->sphere && noted) axis = was;
    path->stops[path->count++] = (TacCableStop){.wheel = (int)j,
                                                .centre = tac_attachment_place(&w->centre),
                                                .axis = axis,
                                                .arc = n->wound.arc,
                                                .noted = noted};
}

double tac_cable_span(const TacCablePath *path, size_t k) {
    return tac_norm(tac_sub(path->stops[k + 1].in, path->stops[k].out));
}

static double material_behind(const TacCable *c, const TacCableRun *run, const TacCableStop *stop) {
    return stop->wheel < 0 ? run->material[0] : c->state->nodes[stop->wheel].material[1];
}

static double material_before(const TacCable *c, const TacCableRun *run, const TacCableStop *stop) {
    return stop->wheel < 0 ? run->material[1] : c->state->nodes[stop->wheel].material[0];
}

static double rest_of(const TacCable *c, const TacCableRun *run, const TacCablePath *path, size_t k) {
    return material_before(c, run, &path->stops[k + 1]) - material_behind(c, run, &path->stops[k]);
}

static void lead(const TacCable *c, const TacCableRun *run, TacCablePath *path) {
    path->count = 0;
    if (!(run->is_end[0] && c->way.drum[0])) add_place(path, &run->end[0]);
    for (size_t k = run->first; k < run->last; k++) add_node(c, path, (size_t)c->state->order[k]);
    if (!(run->is_end[1] && c->way.drum[1])) add_place(path, &run->end[1]);
    tac_cable_stretch(path, c->wheels);
}

void tac_cable_path(const TacCable *c, const TacCableRun *run, TacCablePath *path, double *g) {
    lead(c, run, path);
    for (size_t k = 0; g && k + 1 < path->count; k++)
        g[k] = tac_cable_span(path, k) - rest_of(c, run, path, k);
    for (size_t k = 0; k < path->count; k++) {
        TacCableStop *s = &path->stops[k];
        if (s->wheel < 0 || c->wheels[s->wheel].radius > 0) continue;
        s->arc = tac_cable_bend(path, k);
    }
}

// Where material is: on the span behind a stop, or wound on that stop.
typedef struct Spot {
    size_t stop;
    bool wound;
    double
        part; // of the span; metres on the wheel, from where the line comes; on a drum, from where it comes or leaves
} Spot;

// What is wound on the drum at the start, or at the end.
static bool is_on_drum(const TacCable *c, const TacCableRun *run, const TacCablePath *path, double material,
                       Spot *spot) {
    const TacCableStop *first = &path->stops[0], *last = &path->stops[path->count - 1];
    if (run->is_end[0] && c->way.drum[0] && material < material_behind(c, run, first)) {
        *spot = (Spot){0, true, material - material_behind(c, run, first)};
        return true;
    }
    if (run->is_end[1] && c->way.drum[1] && material > material_before(c, run, last)) {
        *spot = (Spot){path->count - 1, true, material - material_before(c, run, last)};
        return true;
    }
    return false;
}

static Spot spot_of(const TacCable *c, const TacCableRun *run, const TacCablePath *path, double material) {
    Spot drum;
    if (is_on_drum(c, run, path, material, &drum)) return drum;
    for (size_t k = 0; k + 1 < path->count; k++) {
        const TacCableStop *a = &path->stops[k], *b = &path->stops[k + 1];
        double out = material_behind(c, run, a), in = material_before(c, run, b);
        if (material <= in || k + 2 == path->count)
            return (Spot){k, false, in > out ? fmin(fmax((material - out) / (in - out), 0), 1) : 0};
        const TacCableWheel *w = &c->wheels[b->wheel];
        if (material >= material_behind(c, run, b) || !(w->radius > 0)) continue;
        return (Spot){k + 1, true, material - in};
    }
    return (Spot){0, true, 0};
}

TacVec3 tac_cable_place(const TacCable *c, const TacCableRun *run, const TacCablePath *path,
                        double material) {
    Spot spot = spot_of(c, run, path, material);
    const TacCableStop *a = &path->stops[spot.stop];
    if (!spot.wound) return tac_axpy(a->out, spot.part, tac_sub(path->stops[spot.stop + 1].in, a->out));
    if (a->wheel < 0) return a->out;
    const TacCableWheel *w = &c->wheels[a->wheel];
    bool at_start = spot.stop == 0, drum = at_start || spot.stop + 1 == path->count;
    double angle = spot.part / w->radius;
    TacQuat turn = tac_quat_from_vector(tac_scale(a->axis, w->sense * angle));
    TacVec3 x = tac_add(a->centre, tac_rotate(turn, tac_sub(at_start ? a->out : a->in, a->centre)));
    // on a drum turn beside turn, from its middle to one of its sides
    double most = c->length / w->radius + 2 * TAC_PI;
    return drum ? tac_axpy(x, 0.5 * w->width * fabs(angle) / most, a->axis) : x;
}

// How a stop moves, but for what winds around it.
static TacVec3 stop_velocity(const TacCable *c, const TacCableRun *run, const TacCablePath *path, size_t k) {
    const TacCableStop *s = &path->stops[k];
    return tac_attachment_velocity(s->wheel >= 0 ? &c->wheels[s->wheel].centre : &run->end[k != 0]);
}

static TacVec3 across(TacVec3 v, TacVec3 unit) {
    return tac_axpy(v, -tac_dot(v, unit), unit);
}

static TacVec3 span_direction(const TacCablePath *path, size_t k) {
    TacVec3 d = tac_sub(path->stops[k + 1].in, path->stops[k].out);
    double length = tac_norm(d);
    return length > 0 ? tac_scale(d, 1 / length) : tac_vec3(0, 0, 0);
}

// It runs as fast as it comes from its start, behind its last node as fast as it goes to its end, between them as the mean.
static double speed_of(const TacCable *c, const TacCableRun *run, const TacCablePath *path,
                       const Spot *spot) {
    size_t last = path->count - 2;
    double from = tac_dot(stop_velocity(c, run, path, 0), span_direction(path, 0));
    double to = tac_dot(stop_velocity(c, run, path, last + 1), span_direction(path, last));
    if (spot->wound || (spot->stop > 0 && spot->stop < last)) return 0.5 * (from + to);
    return spot->stop == 0 ? from : to;
}

TacVec3 tac_cable_velocity(const TacCable *c, const TacCableRun *run, const TacCablePath *path,
                           double material) {
    Spot spot = spot_of(c, run, path, material);
    TacVec3 own = stop_velocity(c, run, path, spot.stop);
    double speed = speed_of(c, run, path, &spot);
    if (spot.wound) {
        const TacCableStop *s = &path->stops[spot.stop];
        if (s->wheel < 0) return own;
        if (spot.stop == 0 || spot.stop + 1 == path->count) { // on a drum it goes with that
            const TacAttachment *drum = &c->wheels[s->wheel].centre;
            TacAttachment on = tac_attach(drum->matter, drum->point, tac_cable_place(c, run, path, material));
            return tac_attachment_velocity(&on);
        }
        TacVec3 arm = tac_sub(tac_cable_place(c, run, path, material), s->centre);
        return tac_axpy(own, speed * c->wheels[s->wheel].sense / c->wheels[s->wheel].radius,
                        tac_cross(s->axis, arm));
    }
    TacVec3 u = span_direction(path, spot.stop), next = stop_velocity(c, run, path, spot.stop + 1);
    TacVec3 mean = tac_axpy(tac_scale(own, 1 - spot.part), spot.part, next);
    return tac_axpy(across(mean, u), speed, u);
}

// --- rows ---------------------------------------------------------------------------------------------------

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

static void add_pulls(const Pulls *pulls, TacRows *rows) {
    for (size_t i = 0; i < pulls->count; i++)
        tac_rows_block(rows, pulls->list[i].body, pulls->list[i].linear, pulls->list[i].angular);
}

static const TacAttachment *holder(const TacCable *c, const TacCableRun *run, const TacCablePath *path,
                                   size_t i) {
    int wheel = path->stops[i].wheel;
    return wheel >= 0 ? &c->wheels[wheel].centre : &run->end[i == 0 ? 0 : 1];
}

// Where the line pulls at a stop. A drum from which everything is paid out turns on without it: the line then pulls at its
// axle, and straight towards it, or it would go on turning the drum, or drive what whirls around it, and never become
// shorter by that.
static TacVec3 hold_of(const TacCablePath *path, size_t i, TacVec3 tangent) {
    const TacCableStop *s = &path->stops[i];
    bool drum = s->wheel >= 0 && (i == 0 || i + 1 == path->count);
    return drum && !(s->arc > 0) ? s->centre : tangent;
}

// The blocks of the spans from k on.
static void add_blocks(const TacCable *c, const TacCableRun *run, const TacCablePath *path, TacRows *rows,
                       size_t from) {
    Pulls pulls = {.count = 0};
    for (size_t k = from; k + 1 < path->count; k++) {
        TacVec3 from_place = hold_of(path, k, path->stops[k].out);
        TacVec3 to_place = hold_of(path, k + 1, path->stops[k + 1].in), d = tac_sub(to_place, from_place);
        double length = tac_norm(d);
        if (!(length > 0)) continue;
        TacVec3 u = tac_scale(d, 1 / length);
        pull(&pulls, rows, holder(c, run, path, k), from_place, tac_scale(u, -1));
        pull(&pulls, rows, holder(c, run, path, k + 1), to_place, u);
    }
    add_pulls(&pulls, rows);
}

static double damping_of(const TacCable *c) {
    return isnan(c->damping) ? -1 : c->damping;
}

// The ends of a line do not enter the wheel next to them, nor slip through a ring: there would be no tangent. What is
// dragged up to a wheel goes around it, as a knot would.
static void add_knot(const TacCable *c, const TacCableRun *run, const TacCablePath *path, TacRows *rows,
                     int k) {
    const TacCableStop *own = &path->stops[k ? path->count - 1 : 0];
    const TacCableStop *next = &path->stops[k ? path->count - 2 : 1];
    if (own->wheel >= 0 || next->wheel < 0) return;
    const TacCableWheel *w = &c->wheels[next->wheel];
    TacVec3 d = tac_sub(own->in, next->centre);
    if (w->radius > 0) d = tac_axpy(d, -tac_dot(d, next->axis), next->axis);
    double far = tac_norm(d), least = w->radius > 0 ? 1.02 * w->radius : 1e-3 * c->length;
    if (!(far > 0) || far > 4 * least) return;
    TacVec3 e = tac_scale(d, 1 / far);
    TacRow *row = tac_rows_add(rows, c->first_slot + TAC_CABLE_NODES + (size_t)k);
    if (!row) return;
    row->violation = far - least;
    row->damping = damping_of(c);
    row->low = 0;
    row->solid = true;
    Pulls pulls = {.count = 0};
    pull(&pulls, rows, &run->end[k], own->in, e);
    pull(&pulls, rows, &w->centre, own->in, tac_scale(e, -1));
    add_pulls(&pulls, rows);
}

static double known_before(const TacCable *c, const TacCableRun *run, const TacCablePath *path, size_t k) {
    int wheel = path->stops[k - 1].wheel;
    return wheel >= 0 ? c->state->nodes[wheel].known : *run->known;
}

void tac_cable_add(TacCable *c, const TacCableRun *run, TacRows *rows) {
    TacCablePath path;
    double g[SPANS], behind = 0, rest = 0;
    tac_cable_path(c, run, &path, g);
    for (size_t k = path.count - 1; k-- > 0;) {
        behind += g[k];
        rest += rest_of(c, run, &path, k);
        const TacCableStop *stop = &path.stops[k];
        TacRow *row = tac_rows_add(rows, k == 0 ? run->slot : c->first_slot + (size_t)stop->wheel);
        if (!row) return;
        row->violation = behind;
        row->compliance = c->stretch > 0 ? fmax(rest, 0) / c->stretch : 0;
        row->damping = damping_of(c);
        if (k == 0) {
            row->high = 0;
        } else {
            // forces pull along -J: a tension that rises over the wheel is a negative force
            double factor = exp(c->wheels[stop->wheel].friction * fmax(stop->arc, 0));
            double before = known_before(c, run, &path, k);
            row->low = c->low[stop->wheel] = -(factor - 1) * before;
            row->high = c->high[stop->wheel] = (1 - 1 / factor) * before;
            // several nodes of one body share what holds it: friction that gives way a little says how
            if (before > 0) row->compliance = fmax(row->compliance, GIVE * c->length / (factor * before));
        }
        add_blocks(c, run, &path, rows, k);
    }
    for (int k = 0; k < 2; k++)
        if (run->is_end[k]) add_knot(c, run, &path, rows, k);
}

void tac_cable_take(TacCable *c, const TacCableRun *run, const double *forces) {
    double tension = -forces[run->slot];
    size_t first = run->first;
    if (run->is_end[0] && c->way.drum[0]) {
        tac_cable_node(c, first)->tension = tension;
        first++;
    } else {
        *run->tension = tension;
    }
    for (size_t k = first; k < run->last; k++) {
        size_t j = (size_t)c->state->order[k];
        if (k + 1 == run->last && run->is_end[1] && c->way.drum[1]) return;
        double force = forces[c->first_slot + j];
        c->state->nodes[j].slides = force <= c->low[j] || force >= c->high[j]; // at a bound
        c->state->nodes[j].tension = tension -= force;
    }
}

void tac_cable_add_flux(TacCable *c, const TacContext *context, TacRows *rows) {
    for (size_t k = 0; k < tac_cable_count(c); k++) {
        size_t j = (size_t)c->state->order[k];
        TacVec3 flux = tac_load3(c->state->nodes[j].flux);
        double size = tac_norm(flux);
        memset(c->state->nodes[j].flux, 0, sizeof c->state->nodes[j].flux);
        if (!(size > 0) || tac_rows_body(rows, c->wheels[j].centre.matter) == TAC_NO_BODY) continue;
        TacRow *row = tac_rows_add(rows, c->first_slot + TAC_CABLE_NODES + 2 + j);
        if (!row) return;
        row->kind = TAC_ROW_SPEED;
        row->low = row->high = size / context->step;
        Pulls pulls = {.count = 0};
        pull(&pulls, rows, &c->wheels[j].centre, tac_attachment_place(&c->wheels[j].centre),
             tac_scale(flux, 1 / size));
        add_pulls(&pulls, rows);
    }
}

TacJointSize tac_cable_size(const TacCable *c) {
    size_t n = c->wheel_count + (c->edges.count ? TAC_CABLE_EDGE_NODES : 0);
    return (TacJointSize){2 * n + 2, (n + 2) * (n + 2) + n + 4, 2 * TAC_CABLE_NODES + 2};
}

// --- between steps ------------------------------------------------------------------------------------------

void tac_cable_slide(TacCable *c, const TacCableRun *run) {
    TacCablePath path;
    double g[SPANS], behind = 0;
    tac_cable_path(c, run, &path, g);
    for (size_t k = path.count - 1; k-- > 1;) {
        behind += g[k];
        TacCableNode *n = &c->state->nodes[path.stops[k].wheel];
        if (n->slides == 0) continue;
        n->material[0] -= behind;
        n->material[1] -= behind;
        behind = 0;
    }
    for (size_t k = run->first; k < run->last; k++)
        tac_cable_node(c, k)->known = tac_cable_node(c, k)->tension;
    *run->known = *run->tension;
}

// What wheels have wound and paid out since the last step.
static void wind(TacCable *c, const TacCableRun *run, TacCablePath *path) {
    TacCableWound wound[TAC_CABLE_NODES];
    for (size_t j = 0; j < TAC_CABLE_NODES; j++) wound[j] = c->state->nodes[j].wound;
    lead(c, run, path);
    tac_cable_pass(path, c->wheels, wound);
    tac_cable_note(path, c->wheels, wound);
    for (size_t k = 0; k < path->count; k++) {
        const TacCableStop *s = &path->stops[k];
        if (s->wheel < 0) continue;
        TacCableNode *n = &c->state->nodes[s->wheel];
        n->wound = wound[s->wheel];
        n->material[0] += s->passed_in;
        n->material[1] -= s->passed_out;
        tac_store3(c->now[s->wheel][0], s->in);
        tac_store3(c->now[s->wheel][1], s->out);
    }
}

// Whether the line, at one of its places, has come off the side of a wheel.
static bool has_slipped_off(const TacCable *c, const TacCablePath *path, size_t j) {
    size_t k = 0;
    while (k < path->count && path->stops[k].wheel != (int)j) k++;
    if (k == 0 || k + 1 >= path->count) return false;
    TacVec3 a = path->stops[k - 1].out, b = path->stops[k + 1].in;
    bool reached = tac_cable_has_tangent(a, &path->stops[k], &c->wheels[j]) &&
                   tac_cable_has_tangent(b, &path->stops[k], &c->wheels[j]);
    return !reached && tac_cable_is_aside(a, b, &c->wheels[j]);
}

static void let_go(TacCable *c, TacCableRun *runs, size_t count, size_t r) {
    TacCableRun *run = &runs[r];
    for (size_t k = run->last; k-- > run->first;) {
        size_t j = (size_t)c->state->order[k];
        bool drum = (k == run->first && run->is_end[0] && c->way.drum[0]) ||
                    (k + 1 == run->last && run->is_end[1] && c->way.drum[1]);
        TacCablePath path;
        if (drum || c->wheels[j].radius == 0) continue;
        lead(c, run, &path);
        bool slipped = has_slipped_off(c, &path, j);
        if (c->state->nodes[j].wound.arc >= 0 && !slipped) continue;
        tac_cable_remove(c, runs, count, k);
        c->state->nodes[j] = (TacCableNode){.wound = {.clear = !slipped}};
        wind(c, run, &path);
    }
}

// --- wheels that are taken up -------------------------------------------------------------------------------

// A span of a run, beside a wheel.
typedef struct Beside {
    size_t run, span;
    double far, clearance;
    bool beside, aside;
} Beside;

static double distance_to(TacVec3 p, TacVec3 a, TacVec3 b) {
    TacVec3 d = tac_sub(b, a);
    double dd = tac_dot(d, d), t = dd > 0 ? tac_dot(tac_sub(p, a), d) / dd : 0;
    return tac_norm(tac_sub(tac_axpy(a, fmin(fmax(t, 0), 1), d), p));
}

// Of the spans between the wheels before and behind wheel j, the one that is nearest to it.
static Beside nearest_span(const TacCable *c, const TacCableRun *runs, size_t count, size_t j) {
    Beside best = {.far = INFINITY};
    int last = -1;
    for (size_t r = 0; r < count; r++) {
        TacCablePath path;
        tac_cable_path(c, &runs[r], &path, NULL);
        for (size_t k = 0; k + 1 < path.count; k++) {
            int from = path.stops[k].wheel, to = path.stops[k + 1].wheel;
            if (from >= 0 && from < TAC_CABLE_WHEELS) last = from;
            if (last >= (int)j || (to >= 0 && to < (int)j)) continue;
            TacVec3 a = path.stops[k].out, b = path.stops[k + 1].in;
            double far = distance_to(tac_attachment_place(&c->wheels[j].centre), a, b);
            if (far >= best.far) continue;
            best = (Beside){r, k, far, -1, false, tac_cable_is_aside(a, b, &c->wheels[j])};
            best.beside = tac_cable_clearance(a, b, &c->wheels[j], &best.clearance);
        }
    }
    return best;
}

static size_t place_of_span(const TacCable *c, const TacCableRun *run, size_t k) {
    return run->first + k + (run->is_end[0] && c->way.drum[0] ? 1 : 0);
}

// A wheel that a straight piece was clear of, and is no longer: the piece becomes two, equally strained.
static void take_up(TacCable *c, TacCableRun *runs, size_t count, size_t j) {
    TacCableNode *n = &c->state->nodes[j];
    const TacCableWheel *w = &c->wheels[j];
    Beside b = nearest_span(c, runs, count, j);
    if (b.far == INFINITY) return;
    bool was_clear = n->wound.clear != 0;
    n->wound.clear = b.clearance >= 0; // also when it would only pass in its extension
    if (b.aside) return;
    if (!b.beside || b.clearance >= 0 || !was_clear) return;
    TacCableRun *run = &runs[b.run];
    TacCablePath path;
    tac_cable_path(c, run, &path, NULL);
    double before = tac_cable_span(&path, b.span), rest = rest_of(c, run, &path, b.span);
    double start = material_behind(c, run, &path.stops[b.span]);
    int from = path.stops[b.span].wheel;
    if (w->sphere)
        tac_store3(n->wound.axis, tac_cable_ball_axis(path.stops[b.span].out, path.stops[b.span + 1].in, w));
    tac_cable_insert(c, runs, count, b.run, place_of_span(c, run, b.span), j);
    lead(c, run, &path);
    TacCableStop *stop = &path.stops[b.span + 1];
    stop->arc = tac_cable_arc(stop, w);
    if (stop->arc > TAC_PI) stop->arc = 0;
    double in = tac_cable_span(&path, b.span), out = tac_cable_span(&path, b.span + 1),
           wound = w->radius * stop->arc;
    // a way that would become much longer has come from elsewhere
    bool strange = in + out + wound - before > w->radius;
    if (!(before > 0) || !(rest > wound) || !(in + out > 0) || strange) {
        tac_cable_remove(c, runs, count, place_of_span(c, run, b.span));
        return;
    }
    n->material[0] = start + (rest - wound) * in / (in + out);
    n->material[1] = n->material[0] + wound;
    n->known = n->tension = from < 0 ? *run->known : c->state->nodes[from].known;
    TacCableWound all[TAC_CABLE_NODES];
    for (size_t i = 0; i < TAC_CABLE_NODES; i++) all[i] = c->state->nodes[i].wound;
    tac_cable_note(&path, c->wheels, all);
    for (size_t k = 0; k < path.count; k++) {
        const TacCableStop *s = &path.stops[k];
        if (s->wheel < 0) continue;
        c->state->nodes[s->wheel].wound = all[s->wheel];
        tac_store3(c->now[s->wheel][0], s->in);
        tac_store3(c->now[s->wheel][1], s->out);
    }
}

void tac_cable_take_up_wheels(TacCable *c, TacCableRun *runs, size_t count) {
    for (size_t j = 0; j < c->wheel_count; j++)
        if (c->state->nodes[j].wound.touched == 0) take_up(c, runs, count, j);
}

void tac_cable_follow(TacCable *c, TacCableRun *runs, size_t count) {
    TacCablePath path;
    tac_cable_place_edges(c);
    for (size_t r = 0; r < count; r++)
        if (runs[r].last > runs[r].first) {
            wind(c, &runs[r], &path);
            let_go(c, runs, count, r);
        }
    tac_cable_meet_edges(c, runs, count);
    tac_cable_take_up_wheels(c, runs, count);
    for (size_t k = 0; k < tac_cable_count(c); k++) {
        size_t j = (size_t)c->state->order[k];
        memcpy(c->state->nodes[j].place, c->now[j], sizeof c->now[j]);
    }
    tac_cable_note_poses(c);
}

bool tac_cable_is_sound(const TacCable *c) {
    const TacCableState *s = c->state;
    bool seen[TAC_CABLE_NODES] = {false};
    if (!(s->count >= 0 && s->count <= TAC_CABLE_NODES) || s->count != floor(s->count)) return false;
    for (size_t k = 0; k < (size_t)s->count; k++) {
        double at = s->order[k];
        if (!(at >= 0 && at < TAC_CABLE_NODES) || at != floor(at) || seen[(size_t)at]) return false;
        size_t i = (size_t)at;
        seen[i] = true;
        const TacCableNode *n = &s->nodes[i];
        bool wheel = i < c->wheel_count;
        bool edge = i >= TAC_CABLE_WHEELS && n->edge >= 0 && n->edge < (double)c->edges.count &&
                    n->body >= 0 && n->body < (double)c->body_count;
        if (!wheel && !edge) return false;
    }
    for (size_t i = 0; i < TAC_CABLE_NODES; i++)
        if ((s->nodes[i].wound.touched != 0) != seen[i]) return false;
    // a drum is always there, at its end
    if (c->way.drum[0] && !(s->count > 0 && s->order[0] == 0)) return false;
    if (c->way.drum[1] && !(s->count > 0 && s->order[(size_t)s->count - 1] == (double)(c->wheel_count - 1)))
        return false;
    return true;
}

size_t tac_cable_marks(const TacCable *cable, TacNodeMark *marks, size_t most) {
    size_t n = 0;
    for (size_t k = 0; k < tac_cable_count(cable); k++) {
        const TacCableNode *node = tac_cable_node(cable, k);
        size_t places = node->material[1] > node->material[0] ? 2 : 1;
        for (size_t side = 0; side < places; side++, n++)
            if (n < most) marks[n] = (TacNodeMark){tac_load3(node->place[side]), TAC_NODE_CONTACT};
    }
    return n;
}
