// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

#include "constraint/cable_nodes.h"
#include "base/memory.h"

// Meetings that are left for one move: none is begun without.
enum { SWEEPS = 40, MOST_EVENTS = 512, RESERVE = 64, MOST_ROUNDS = 64 };
static const double LOOSE =
    1e-7; // a node that is pulled outward by less stays: what comes back is met for sure
// Of an edge's length: how far past its end a line is let go, how near to its end a node comes, at which distance two nodes
// on different edges move as one, and how small a loop around a corner slips off its tip.
static const double BEYOND = 1e-4, RIM = 1e-7, CLOSE = 1e-4, TIP = 1e-3;

// --- the order ----------------------------------------------------------------------------------------------

void tac_cable_insert(TacCable *c, TacCableRun *runs, size_t count, size_t r, size_t place, size_t node) {
    TacCableState *s = c->state;
    for (size_t i = (size_t)s->count; i > place; i--) s->order[i] = s->order[i - 1];
    s->order[place] = (double)node;
    s->count++;
    s->nodes[node].wound.touched = 1;
    s->nodes[node].owner = (double)runs[r].slot;
    runs[r].last++;
    for (size_t i = r + 1; i < count; i++) {
        runs[i].first++;
        runs[i].last++;
    }
}

void tac_cable_remove(TacCable *c, TacCableRun *runs, size_t count, size_t place) {
    TacCableState *s = c->state;
    s->nodes[(size_t)s->order[place]].wound.touched = 0;
    s->count--;
    for (size_t i = place; i < (size_t)s->count; i++) s->order[i] = s->order[i + 1];
    for (size_t i = 0; i < count; i++) {
        if (runs[i].first > place) runs[i].first--;
        if (runs[i].last > place) runs[i].last--;
    }
}

size_t tac_cable_spare(const TacCable *c) {
    for (size_t i = TAC_CABLE_WHEELS; i < TAC_CABLE_NODES && c->edges.count; i++)
        if (c->state->nodes[i].wound.touched == 0) return i;
    return SIZE_MAX;
}

static size_t node_at(const TacCable *c, size_t place) {
    return (size_t)c->state->order[place];
}

static bool is_on_edge(const TacCable *c, size_t node) {
    return node >= TAC_CABLE_WHEELS && c->state->nodes[node].edge >= 0;
}

// --- where things are ---------------------------------------------------------------------------------------

static TacVec3 on_edge(const TacCable *c, const TacCableNode *n) {
    const TacCableEdge *e = &c->edges.list[(size_t)n->edge];
    return tac_axpy(e->start, n->part, e->along);
}

static void place_edge(TacCable *c, size_t i) {
    const TacCableNode *n = &c->state->nodes[i];
    TacCableWheel *w = &c->wheels[i];
    *w = (TacCableWheel){.centre = c->bodies[(size_t)n->body],
                         .axis = {0, 0, 1},
                         .sense = 1,
                         .friction = c->way.body_friction};
    w->centre.local = on_edge(c, n);
    TacVec3 x = tac_attachment_place(&w->centre);
    tac_store3(c->now[i][0], x);
    tac_store3(c->now[i][1], x);
}

void tac_cable_place_edges(TacCable *c) {
    for (size_t k = 0; k < tac_cable_count(c); k++)
        if (is_on_edge(c, node_at(c, k))) place_edge(c, node_at(c, k));
}

void tac_cable_note_poses(TacCable *c) {
    for (size_t b = 0; b < c->body_count; b++) {
        const TacMatter *m = c->bodies[b].matter;
        memcpy(c->state->pose[b], m->vectors[TAC_X] + 7 * c->bodies[b].point, sizeof c->state->pose[b]);
    }
}

static TacVec3 to_body(const double *pose, TacVec3 x) {
    return tac_rotate_back(tac_load_quat(pose + 3), tac_sub(x, tac_load3(pose)));
}

static TacVec3 from_body(const double *pose, TacVec3 x) {
    return tac_add(tac_load3(pose), tac_rotate(tac_load_quat(pose + 3), x));
}

static const double *pose_now(const TacCable *c, size_t b) {
    return c->bodies[b].matter->vectors[TAC_X] + 7 * c->bodies[b].point;
}

// One end of a piece: a place of the run, or a node on the side where the piece is.
typedef struct Stop {
    TacVec3 was, now;
    size_t node; // SIZE_MAX: a place
} Stop;

// The stop `k` of a run, from 0: first the place at its start, unless a drum is there.
static Stop stop_of(const TacCable *c, const TacCableRun *run, size_t k, int side) {
    bool drum = run->is_end[0] && c->way.drum[0];
    if (k == 0 && !drum) return (Stop){run->was[0], tac_attachment_place(&run->end[0]), SIZE_MAX};
    size_t place = run->first + k - (drum ? 0 : 1);
    if (place >= run->last) return (Stop){run->was[1], tac_attachment_place(&run->end[1]), SIZE_MAX};
    size_t i = node_at(c, place);
    return (Stop){tac_load3(c->state->nodes[i].place[side]), tac_load3(c->now[i][side]), i};
}

static size_t stop_count(const TacCable *c, const TacCableRun *run) {
    size_t drums = (size_t)(run->is_end[0] && c->way.drum[0]) + (size_t)(run->is_end[1] && c->way.drum[1]);
    return run->last - run->first + 2 - drums;
}

// The place in the order of the node that would follow stop k.
static size_t place_behind(const TacCable *c, const TacCableRun *run, size_t k) {
    return run->first + k + (run->is_end[0] && c->way.drum[0] ? 1 : 0);
}

// The stop of a run that is the node at a place of the order.
static size_t stop_at(const TacCable *c, const TacCableRun *run, size_t place) {
    return place - run->first + (run->is_end[0] && c->way.drum[0] ? 0 : 1);
}

// --- meeting edges ------------------------------------------------------------------------------------------

static double material_of(const TacCable *c, const TacCableRun *run, const Stop *stop, int side) {
    return stop->node == SIZE_MAX ? run->material[!side] : c->state->nodes[stop->node].material[side];
}

static size_t edge_of(const TacCable *c, const Stop *stop, size_t body) {
    if (stop->node == SIZE_MAX || !is_on_edge(c, stop->node)) return SIZE_MAX;
    const TacCableNode *n = &c->state->nodes[stop->node];
    return (size_t)n->body == body ? (size_t)n->edge : SIZE_MAX;
}

static bool first_meeting(const TacCable *c, const Stop *a, const Stop *b, double from,
                          TacCableMeeting *meeting, size_t *body) {
    bool found = false;
    *meeting = (TacCableMeeting){0};
    for (size_t k = 0; k < c->body_count; k++) {
        const double *was = c->state->pose[k], *now = pose_now(c, k);
        TacCablePiece piece = {.p = {to_body(was, a->was), to_body(now, a->now)},
                               .q = {to_body(was, b->was), to_body(now, b->now)},
                               .from = from,
                               .except_p = edge_of(c, a, k),
                               .except_q = edge_of(c, b, k)};
        TacCableMeeting m;
        if (!tac_cable_edges_meet(&c->edges, &piece, &m) || (found && m.time >= meeting->time)) continue;
        *meeting = m;
        *body = k;
        found = true;
    }
    return found;
}

static bool unwind(TacCable *c, TacCableRun *runs, size_t count, size_t r, size_t place);

// The first of two nodes on one edge, around one corner, where the node at `place` is one of them; SIZE_MAX: it is not.
// All nodes between are near, too: there the line is wound around a tip.
static size_t coil_at(const TacCable *c, const TacCableRun *run, size_t place) {
    size_t i = node_at(c, place);
    const TacCableNode *n = &c->state->nodes[i];
    double close = TIP * tac_norm(c->edges.list[(size_t)n->edge].along);
    for (int step = -1; step <= 1; step += 2)
        for (size_t k = place + (size_t)step; k >= run->first && k < run->last; k += (size_t)step) {
            size_t j = node_at(c, k);
            const TacCableNode *other = &c->state->nodes[j];
            if (!is_on_edge(c, j) || other->body != n->body ||
                !(tac_norm(tac_sub(tac_load3(c->now[j][0]), tac_load3(c->now[i][0]))) < close))
                break;
            if (other->edge == n->edge) return k < place ? k : place;
        }
    return SIZE_MAX;
}

// Rule 4: of all nodes on edges, the one at which the line turns least. SIZE_MAX: there is none.
static size_t least_turn(const TacCable *c, const TacCableRun *runs, size_t count) {
    size_t best = SIZE_MAX;
    double most_straight = -2;
    for (size_t r = 0; r < count; r++)
        for (size_t place = runs[r].first; place < runs[r].last; place++) {
            if (!is_on_edge(c, node_at(c, place))) continue;
            size_t k = stop_at(c, &runs[r], place);
            TacVec3 x = tac_load3(c->now[node_at(c, place)][0]);
            TacVec3 in = tac_unit(tac_sub(x, stop_of(c, &runs[r], k - 1, 1).now));
            TacVec3 out = tac_unit(tac_sub(stop_of(c, &runs[r], k + 1, 0).now, x));
            if (!(tac_dot(in, out) > most_straight)) continue;
            most_straight = tac_dot(in, out);
            best = place;
        }
    return best;
}

// The node i comes onto the piece behind stop k, which becomes two: its rest length is divided where the edge is met.
static void put_node(TacCable *c, TacCableRun *runs, size_t count, size_t r, size_t k, size_t body,
                     const TacCableMeeting *m, size_t i) {
    const TacCableRun *run = &runs[r];
    Stop a = stop_of(c, run, k, 1), b = stop_of(c, run, k + 1, 0);
    double out = material_of(c, run, &a, 1), in = material_of(c, run, &b, 0);
    double known = a.node == SIZE_MAX ? *run->known : c->state->nodes[a.node].known;
    TacCableNode *n = &c->state->nodes[i];
    *n = (TacCableNode){
        .body = (double)body, .edge = (double)m->edge, .part = m->part, .known = known, .tension = known};
    n->material[0] = n->material[1] = out + m->at * (in - out);
    TacVec3 x = from_body(c->state->pose[body], on_edge(c, n));
    tac_store3(n->place[0], x);
    tac_store3(n->place[1], x);
    tac_cable_insert(c, runs, count, r, place_behind(c, run, k), i);
    place_edge(c, i);
}

// Rule 5, for the piece behind stop k of a run.
static void lift(TacCable *c, TacCableRun *runs, size_t count, size_t r, size_t k) {
    const TacCableRun *run = &runs[r];
    if (k + 1 >= stop_count(c, run)) return;
    Stop a = stop_of(c, run, k, 1), b = stop_of(c, run, k + 1, 0);
    TacCableMeeting deepest = {.time = 0};
    size_t body = SIZE_MAX, i = tac_cable_spare(c);
    for (size_t j = 0; j < c->body_count; j++) {
        const double *pose = pose_now(c, j);
        TacVec3 p = to_body(pose, a.now), q = to_body(pose, b.now);
        TacCablePiece piece = {
            .p = {p, p}, .q = {q, q}, .except_p = edge_of(c, &a, j), .except_q = edge_of(c, &b, j)};
        if (tac_cable_edges_under(&c->edges, &piece, &deepest)) body = j;
    }
    if (body == SIZE_MAX || i == SIZE_MAX || !c->events) return;
    c->events--;
    put_node(c, runs, count, r, k, body, &deepest, i);
    lift(c, runs, count, r, k + 1);
    lift(c, runs, count, r, k);
}

static void lift_all(TacCable *c, TacCableRun *runs, size_t count) {
    for (size_t r = 0; r < count; r++)
        for (size_t k = stop_count(c, &runs[r]) - 1; k-- > 0;) lift(c, runs, count, r, k);
}

// Rule 1, for the piece behind stop k of a run.
static void meet(TacCable *c, TacCableRun *runs, size_t count, size_t r, size_t k, double from) {
    const TacCableRun *run = &runs[r];
    if (k + 1 >= stop_count(c, run)) return; // nodes have gone meanwhile
    Stop a = stop_of(c, run, k, 1), b = stop_of(c, run, k + 1, 0);
    TacCableMeeting m;
    size_t body = 0;
    if (!c->events || !first_meeting(c, &a, &b, from, &m, &body)) return;
    c->events--;
    size_t i = tac_cable_spare(c);
    if (i == SIZE_MAX) {
        size_t given_up = least_turn(c, runs, count);
        c->state->lost++;
        if (given_up == SIZE_MAX) return;
        // it may be one of the two that bound this piece, which then is longer
        bool before = given_up >= run->first && given_up < place_behind(c, run, k);
        tac_cable_remove(c, runs, count, given_up);
        meet(c, runs, count, r, before && k > 0 ? k - 1 : k, from);
        return;
    }
    put_node(c, runs, count, r, k, body, &m, i);
    size_t coil = coil_at(c, run, place_behind(c, run, k));
    if (coil != SIZE_MAX && unwind(c, runs, count, r, coil)) {
        meet(c, runs, count, r, stop_at(c, run, coil), m.time);
        return;
    }
    meet(c, runs, count, r, k + 1, m.time);
    meet(c, runs, count, r, k, m.time);
}

// From here on nothing moves but what is moved.
static void hold_still(TacCable *c, TacCableRun *runs, size_t count) {
    for (size_t k = 0; k < tac_cable_count(c); k++) {
        size_t i = node_at(c, k);
        memcpy(c->state->nodes[i].place, c->now[i], sizeof c->now[i]);
    }
    for (size_t r = 0; r < count; r++)
        for (int k = 0; k < 2; k++)
            if (!(runs[r].is_end[k] && c->way.drum[k]))
                runs[r].was[k] = tac_attachment_place(&runs[r].end[k]);
    tac_cable_note_poses(c);
}

// Where a node of a run is in the order; what is met may bring nodes before it, or take it away: SIZE_MAX.
static size_t place_of(const TacCable *c, const TacCableRun *run, size_t node) {
    for (size_t place = run->first; place < run->last; place++)
        if (node_at(c, place) == node) return place;
    return SIZE_MAX;
}

// The pieces on both sides of a node that has moved from its `place` to `now`.
static void sweep_both(TacCable *c, TacCableRun *runs, size_t count, size_t r, size_t place) {
    size_t i = node_at(c, place);
    meet(c, runs, count, r, stop_at(c, &runs[r], place), 0);
    place = place_of(c, &runs[r], i);
    if (place != SIZE_MAX) meet(c, runs, count, r, stop_at(c, &runs[r], place) - 1, 0);
}

// What it sweeps on its way may bring nodes beside it: then it is drawn straight between those, until there are no more.
void tac_cable_draw_straight(TacCable *c, TacCableRun *runs, size_t count, size_t r, size_t place,
                             TacVec3 from) {
    size_t i = node_at(c, place), before, behind;
    for (int round = 0; round < MOST_ROUNDS; round++) {
        size_t k = stop_at(c, &runs[r], place);
        Stop p = stop_of(c, &runs[r], k - 1, 1), q = stop_of(c, &runs[r], k + 1, 0);
        double la = tac_norm(tac_sub(from, p.now)), lb = tac_norm(tac_sub(q.now, from)), whole = la + lb;
        TacVec3 to = tac_axpy(p.now, whole > 0 ? la / whole : 0, tac_sub(q.now, p.now));
        for (int side = 0; side < 2; side++) {
            tac_store3(c->state->nodes[i].place[side], from);
            tac_store3(c->now[i][side], to);
        }
        before = p.node;
        behind = q.node;
        sweep_both(c, runs, count, r, place);
        place = place_of(c, &runs[r], i);
        if (place == SIZE_MAX) return;
        from = to;
        k = stop_at(c, &runs[r], place);
        if (stop_of(c, &runs[r], k - 1, 1).node == before && stop_of(c, &runs[r], k + 1, 0).node == behind)
            break;
    }
    tac_cable_remove(c, runs, count, place);
}

// --- along edges --------------------------------------------------------------------------------------------

// How the pull across the line compares with what presses the node onto its edge.
static double slope_at(const TacCableEdge *e, double part, TacVec3 p, TacVec3 q) {
    TacVec3 x = tac_axpy(e->start, part, e->along), u = tac_unit(e->along);
    TacVec3 f = tac_add(tac_unit(tac_sub(p, x)), tac_unit(tac_sub(q, x)));
    double along = tac_dot(f, u), across = tac_norm(tac_axpy(f, -along, u));
    return across > 0 ? along / across : along * INFINITY;
}

// Rule 2: where a node goes.
static double target_of(const TacCable *c, const TacCableNode *n, TacVec3 p, TacVec3 q) {
    const TacCableEdge *e = &c->edges.list[(size_t)n->edge];
    double best = tac_cable_edge_shortest(e, p, q), mu = c->way.body_friction;
    if (!isnan(c->way.sliding)) return n->part + c->way.sliding * (best - n->part);
    if (mu == 0) return best;
    double slope = slope_at(e, n->part, p, q);
    if (!(fabs(slope) > mu)) return n->part;
    double stuck = best, loose = n->part; // somewhere between it is just held
    for (int i = 0; i < 50; i++) {
        double middle = 0.5 * (stuck + loose);
        *(fabs(slope_at(e, middle, p, q)) > mu ? &loose : &stuck) = middle;
    }
    return stuck;
}

// The place from which the line comes to a node, or to which it goes, in the axes of its body. Nodes that are all but at the
// same place, around a corner, would hold each other there: they are looked past.
static TacVec3 beside(const TacCable *c, const TacCableRun *run, size_t k, int step, const double *pose,
                      TacVec3 x, double close, bool *past) {
    for (;;) {
        k = step < 0 ? k - 1 : k + 1;
        Stop stop = stop_of(c, run, k, step < 0);
        TacVec3 place = to_body(pose, stop.now);
        bool last = step < 0 ? k == 0 : k + 1 == stop_count(c, run);
        if (last || !(tac_norm(tac_sub(place, x)) < close)) return place;
        *past = true;
    }
}

// Rules 2 and 3 for one node. Returns how far it moved, of its edge's length; it may be gone.
static double move_node(TacCable *c, TacCableRun *runs, size_t count, size_t r, size_t place) {
    size_t i = node_at(c, place), k = stop_at(c, &runs[r], place);
    TacCableNode *n = &c->state->nodes[i];
    const TacCableEdge *e = &c->edges.list[(size_t)n->edge];
    const double *pose = pose_now(c, (size_t)n->body), close = CLOSE * tac_norm(e->along);
    bool past = false;
    TacVec3 x = on_edge(c, n), p = beside(c, &runs[r], k, -1, pose, x, close, &past);
    TacVec3 q = beside(c, &runs[r], k, 1, pose, x, close, &past);
    double target = target_of(c, n, p, q);
    if (past)
        target = fmin(fmax(target, n->part - CLOSE), n->part + CLOSE); // those beside it have to come along
    double part = fmin(fmax(target, RIM), 1 - RIM), moved = fabs(part - n->part);
    if (moved > 1e-12) {
        n->part = part;
        place_edge(c, i);
        sweep_both(c, runs, count, r, place);
        memcpy(n->place, c->now[i], sizeof n->place);
    }
    place = place_of(c, &runs[r], i);
    if (place == SIZE_MAX) return 1;
    k = stop_at(c, &runs[r], place);
    x = on_edge(c, n);
    bool at_end = target < 0 || target > 1;
    if (!at_end) {
        p = to_body(pose, stop_of(c, &runs[r], k - 1, 1).now);
        q = to_body(pose, stop_of(c, &runs[r], k + 1, 0).now);
        if (!(tac_cable_edge_cut(e, x, p, q) < -LOOSE)) return moved;
    } else {
        x = tac_axpy(x, target > 1 ? BEYOND : -BEYOND, e->along);
        n->edge = -1; // beyond its end the line may come upon it again
    }
    tac_cable_draw_straight(c, runs, count, r, place, from_body(pose, x));
    return 1;
}

// A line that comes back to the edge on which it is has nothing between to lie on: along the edge it is straight, and a loop
// around a corner that is small enough slips off its tip. Its first node takes the place of the last.
static bool unwind(TacCable *c, TacCableRun *runs, size_t count, size_t r, size_t place) {
    size_t i = node_at(c, place);
    TacCableNode *n = &c->state->nodes[i];
    double close = TIP * tac_norm(c->edges.list[(size_t)n->edge].along);
    for (size_t k = place + 1; k < runs[r].last; k++) {
        size_t j = node_at(c, k);
        const TacCableNode *other = &c->state->nodes[j];
        if (!is_on_edge(c, j) || other->body != n->body) return false;
        bool near = tac_norm(tac_sub(tac_load3(c->now[j][0]), tac_load3(c->now[i][0]))) < close;
        if (other->edge == n->edge && (near || k == place + 1)) {
            n->part = other->part;
            place_edge(c, i);
            for (; k > place; k--) tac_cable_remove(c, runs, count, k);
            meet(c, runs, count, r, stop_at(c, &runs[r], place) - 1, 0);
            memcpy(n->place, c->now[i], sizeof n->place);
            return true;
        }
        if (!near) return false;
    }
    return false;
}

static void move_nodes(TacCable *c, TacCableRun *runs, size_t count) {
    int sweeps = isnan(c->way.sliding) ? SWEEPS : 1;
    double moved = 1;
    for (int sweep = 0; sweep < sweeps && moved > 1e-10; sweep++) {
        moved = 0;
        for (size_t r = 0; r < count; r++)
            for (size_t place = runs[r].first; place < runs[r].last && c->events > RESERVE; place++) {
                if (!is_on_edge(c, node_at(c, place))) continue;
                if (unwind(c, runs, count, r, place)) moved = 1;
                if (place < runs[r].last && is_on_edge(c, node_at(c, place)))
                    moved = fmax(moved, move_node(c, runs, count, r, place));
            }
    }
}

void tac_cable_meet_edges(TacCable *c, TacCableRun *runs, size_t count) {
    if (!c->edges.count) return;
    c->events = MOST_EVENTS;
    for (size_t r = 0; r < count; r++)
        for (size_t k = stop_count(c, &runs[r]) - 1; k-- > 0;) meet(c, runs, count, r, k, 0);
    hold_still(c, runs, count);
    lift_all(c, runs, count);
    move_nodes(c, runs, count);
    lift_all(c, runs, count);
}

void tac_cable_lose(TacCable *c, TacCableRun *runs, size_t count, size_t r, double material, TacVec3 place) {
    size_t j = tac_cable_spare(c), at = runs[r].first;
    tac_cable_take_up_wheels(c, runs, count);
    if (!c->body_count || j == SIZE_MAX) return;
    while (at < runs[r].last && tac_cable_node(c, at)->material[0] < material) at++;
    c->state->nodes[j] = (TacCableNode){.edge = -1, .material = {material, material}};
    for (int side = 0; side < 2; side++) {
        tac_store3(c->state->nodes[j].place[side], place);
        tac_store3(c->now[j][side], place);
    }
    tac_cable_insert(c, runs, count, r, at, j);
    c->events = MOST_EVENTS;
    tac_cable_draw_straight(c, runs, count, r, at, place);
    lift_all(c, runs, count);
}

// --- masses on faces ----------------------------------------------------------------------------------------

void tac_cable_lie(const TacCable *c, const TacContext *context, const TacAttachment *mass, TacVec3 was,
                   TacVec3 v, TacCableLying *lying) {
    double h = context->step;
    TacVec3 x = tac_attachment_place(mass);
    TacCableLying old = *lying;
    *lying = (TacCableLying){0, 0, 1};
    for (size_t b = 0; b < c->body_count; b++) {
        const double *pose = pose_now(c, b);
        TacAttachment here = c->bodies[b];
        if (here.matter == mass->matter && here.point == mass->point) continue;
        here.local = to_body(pose, x);
        TacVec3 speed = tac_rotate_back(tac_load_quat(pose + 3), tac_sub(v, tac_attachment_velocity(&here)));
        // as far as a strong kick would bring it
        TacCableWayOfMass way = {to_body(c->state->pose[b], was), here.local, tac_axpy(here.local, h, speed),
                                 h * (2 * tac_norm(speed) + 100 * h)};
        TacCableLying here_on =
            old.face > 0 && old.body == (double)b ? old : (TacCableLying){0, (double)b, 1};
        if (!tac_cable_faces_meet(&c->faces, &way, &here_on)) continue;
        *lying = here_on;
        if (old.face > 0 && old.body == (double)b) return; // it stays there
    }
}

TacVec3 tac_cable_put_out(const TacCable *c, const TacCableLying *known, TacVec3 x) {
    TacCableLying found = *known, *lying = &found;
    for (size_t b = 0; b < c->body_count && !(lying->face > 0); b++)
        if (tac_cable_faces_has_sunk(&c->faces, to_body(pose_now(c, b), x), lying)) lying->body = (double)b;
    if (!(lying->face > 0)) return x;
    const double *pose = pose_now(c, (size_t)lying->body);
    TacVec3 out, local = to_body(pose, x);
    double height = tac_cable_faces_height(&c->faces, lying, local, &out);
    double over = 1e-9 * (tac_norm(c->edges.low) + tac_norm(c->edges.high)); // for sure
    return height < over ? from_body(pose, tac_axpy(local, over - height, out)) : x;
}

void tac_cable_across(TacVec3 out, TacVec3 along[2]) {
    along[0] = tac_unit(tac_cross(out, fabs(out.x) < 0.5 ? tac_vec3(1, 0, 0) : tac_vec3(0, 1, 0)));
    along[1] = tac_cross(out, along[0]);
}

// No sliding on the face, along two directions, as far as friction holds: across the row that was added last.
static void add_face_friction(const TacCable *c, const TacAttachment *mass, const TacAttachment *on,
                              TacVec3 out, TacRows *rows, size_t slot) {
    TacVec3 along[2];
    tac_cable_across(out, along);
    uint32_t presses = (uint32_t)(rows->count - 1);
    for (size_t k = 0; k < 2; k++) {
        TacRow *row = tac_rows_add(rows, slot + k);
        if (!row) return;
        row->kind = TAC_ROW_SPEED;
        row->presses = k ? 0 : presses;
        row->friction = k ? 0 : c->way.body_friction;
        tac_rows_place(rows, mass, along[k]);
        tac_rows_place(rows, on, tac_scale(along[k], -1));
    }
}

void tac_cable_add_lying(const TacCable *c, const TacAttachment *mass, const TacCableLying *lying,
                         TacRows *rows, size_t slot) {
    if (!(lying->face > 0)) return;
    size_t b = (size_t)lying->body;
    const double *pose = pose_now(c, b);
    TacAttachment on = c->bodies[b];
    TacVec3 out;
    on.local = to_body(pose, tac_attachment_place(mass));
    double height = tac_cable_faces_height(&c->faces, lying, on.local, &out);
    out = tac_rotate(tac_load_quat(pose + 3), out);
    TacRow *row = tac_rows_add(rows, slot);
    if (!row) return;
    row->violation = height;
    row->damping = -1;
    row->low = 0;
    row->solid = true;
    tac_rows_place(rows, mass, out);
    tac_rows_place(rows, &on, tac_scale(out, -1));
    if (c->way.body_friction > 0) add_face_friction(c, mass, &on, out, rows, slot + 1);
}
