// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Plans of bodies. A body makes one for all of its vertices: a motion, and the room by which any of its points may be off
// where that would have it. The plan of a vertex is a chord of the arc that it flies in that motion, as wide as the arc's
// bulge and the room. So a kick on a body costs the same however many vertices it has: it is asked how far it may be off by
// now, and when it may have used up its room; only then, or when the chords end, are the vertices gone through. (Before,
// each kick asked all of them.)
//
// The motion is the body's own flight; or, where it is kicked again and again and gets nowhere by that, steady.

#include "contact/safe_parts.h"

// --- flights ----------------------------------------------------------------------------------------------

// Where a frame flies to, and how fast: asked by each of its vertices, and found once.
static void fly(const TacSafe *safe, uint32_t support, TacTick tick, double x[7], double v[6]) {
    const TacSupport *s = &safe->supports[support];
    if (*tac_support_time(s) == tick) {
        memcpy(x, tac_support_x(s), 7 * sizeof *x);
        memcpy(v, tac_support_v(s), 6 * sizeof *v);
        return;
    }
    TacFlight *f = &safe->flights[support - safe->first_frame];
    if (__atomic_load_n(&f->tick, __ATOMIC_ACQUIRE) == tick && f->since == *tac_support_time(s)) {
        memcpy(x, f->x, sizeof f->x);
        memcpy(v, f->v, sizeof f->v);
        return;
    }
    tac_matter_fly_one(s->kind->matter, s->index, tac_safe_seconds(safe, tick - *tac_support_time(s)),
                       tac_support_x(s), tac_support_v(s), x, v);
    // whoever comes first writes it down
    TacTick before = __atomic_load_n(&f->claimed, __ATOMIC_RELAXED);
    if (before == tick ||
        !__atomic_compare_exchange_n(&f->claimed, &before, tick, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        return;
    memcpy(f->x, x, sizeof f->x);
    memcpy(f->v, v, sizeof f->v);
    f->since = *tac_support_time(s);
    __atomic_store_n(&f->tick, tick, __ATOMIC_RELEASE);
}

void tac_safe_forget_flight(const TacSafe *safe, uint32_t support) {
    if (!safe->supports[support].frame) return;
    TacFlight *f = &safe->flights[support - safe->first_frame];
    f->tick = f->claimed = -1;
    TacBend *bend = &safe->bends[support - safe->first_frame];
    bend->tick = bend->claimed = -1;
}

bool tac_safe_take_flights(TacSafe *safe) {
    uint32_t first = TAC_SAFE_NONE, end = 0;
    for (uint32_t i = 0; i < safe->support_count; i++)
        if (safe->supports[i].frame) {
            if (first == TAC_SAFE_NONE) first = i;
            end = i + 1;
        }
    if (first == TAC_SAFE_NONE) return true;
    safe->first_frame = first;
    safe->frame_count = end - first;
    safe->flights = tac_arena_array(&safe->arena, safe->frame_count, sizeof *safe->flights);
    safe->bends = tac_arena_array(&safe->arena, safe->frame_count, sizeof *safe->bends);
    safe->crowds = tac_arena_array(&safe->arena, safe->frame_count, sizeof *safe->crowds);
    safe->body_plans = tac_arena_array(&safe->arena, safe->frame_count, sizeof *safe->body_plans);
    if (!safe->flights || !safe->bends || !safe->crowds || !safe->body_plans) return false;
    for (uint32_t i = first; i < end; i++) tac_safe_forget_flight(safe, i);
    return true;
}

void tac_safe_measure_bodies(TacSafe *safe) {
    for (uint32_t i = 0; i < safe->frame_count; i++) {
        const TacSupport *s = &safe->supports[safe->first_frame + i];
        double sum = 0;
        for (uint32_t k = 0; k < s->vertex_count && s->frame; k++) {
            uint32_t vertex = safe->carried[s->first_vertex + k];
            sum += (double)safe->lore[vertex].scale;
            safe->seats[vertex] = s->first_vertex + k;
        }
        safe->body_plans[i].size = s->vertex_count ? sum / s->vertex_count : safe->most_eta;
        safe->body_plans[i].wanted = 0.02 * safe->most_eta;
        safe->body_plans[i].marked = -1;
    }
}

TacQuat tac_safe_turn(const TacSafe *safe, uint32_t support, TacTick now) {
    double x[7], v[6];
    fly(safe, support, now, x, v);
    return tac_load_quat(x + 3);
}

static void place_on_frame(const TacSafe *safe, uint32_t vertex, const double fx[7], double x[3]) {
    tac_store3(x, tac_add(tac_load3(fx), tac_rotate(tac_load_quat(fx + 3), safe->locals[vertex])));
}

void tac_safe_motion_on_frame(const TacSafe *safe, uint32_t vertex, TacTick now, double x[3], double u[3]) {
    double fx[7], fv[6];
    fly(safe, tac_safe_carrier(safe, &safe->vertices[vertex], 0).support, now, fx, fv);
    TacVec3 r = tac_rotate(tac_load_quat(fx + 3), safe->locals[vertex]);
    tac_store3(x, tac_add(tac_load3(fx), r));
    tac_store3(u, tac_add(tac_load3(fv), tac_cross(tac_load3(fv + 3), r)));
}

// --- arcs -------------------------------------------------------------------------------------------------

// How hard a frame bends the way of its points, for each metre from its centre, |x''| / r <= |omega|^2 + |omega'|, from `now`
// on and for as long as `lasts`.
//
// Turning freely, omega changes by |omega'| <= c |omega|^2 / sqrt(3), where c, the largest |I_j - I_k| / I_i, is at
// most 1 for every real body. So within 0.5 / (c |omega|) it grows by a factor below 1.42; and never beyond what
// its energy and momentum allow.
static void find_bend(const TacSafe *safe, uint32_t support, TacTick now, TacBend *b) {
    const TacSupport *s = &safe->supports[support];
    double x[7], v[6];
    b->lasts = INFINITY;
    b->per_metre = b->fastest = b->unlike = 0;
    if (TACTUS_SABOTAGE == TAC_SABOTAGE_SAGITTA) return;
    fly(safe, support, now, x, v);
    TacVec3 omega = tac_load3(v + 3);
    double w2 = tac_dot(omega, omega);
    b->per_metre = w2;
    b->fastest = sqrt(w2);
    if (!s->kind->matter->inertia) return;
    const TacInertia *inertia = &s->kind->matter->inertia[s->index];
    const double *m = inertia->moments;
    double fastest = tac_fastest_turn(inertia, tac_load_quat(x + 3), omega), most = fastest * fastest, c = 0;
    for (int k = 0; k < 3; k++) c = fmax(c, fabs(m[(k + 1) % 3] - m[(k + 2) % 3]) / m[k]);
    if (most > 2.02 * w2) {
        most = 2.02 * w2;
        b->lasts = 0.5 / (c * sqrt(w2));
    }
    b->unlike = c;
    b->fastest = sqrt(1.05 * most);
    b->per_metre = 1.05 * most * (1 + c * 0.578);
}

// Asked by each of its vertices, and found once.
static TacBend bend_of(const TacSafe *safe, uint32_t support, TacTick now) {
    TacBend *b = &safe->bends[support - safe->first_frame], found;
    TacTick since = *tac_support_time(&safe->supports[support]);
    if (__atomic_load_n(&b->tick, __ATOMIC_ACQUIRE) == now && b->since == since) return *b;
    find_bend(safe, support, now, &found);
    // whoever comes first writes it down
    TacTick before = __atomic_load_n(&b->claimed, __ATOMIC_RELAXED);
    if (before == now ||
        !__atomic_compare_exchange_n(&b->claimed, &before, now, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        return found;
    b->per_metre = found.per_metre;
    b->lasts = found.lasts;
    b->fastest = found.fastest;
    b->unlike = found.unlike;
    b->since = since;
    __atomic_store_n(&b->tick, now, __ATOMIC_RELEASE);
    return found;
}

double tac_safe_bend(const TacSafe *safe, uint32_t vertex, TacTick now, double *lasts) {
    const TacVertex *v = &safe->vertices[vertex];
    *lasts = INFINITY;
    if (!v->frame) return 0;
    TacBend b = bend_of(safe, tac_safe_carrier(safe, v, 0).support, now);
    *lasts = b.lasts;
    return tac_norm(safe->locals[vertex]) * b.per_metre;
}

// An arc that bends by at most a is off its chord, after t seconds, by at most a t^2 / 8; a little more, for rounding.
static double arc_width(double a, double t) {
    return 1.02 * 0.125 * a * t * t;
}

static double arc_time(double a, double width) {
    return sqrt(8 / 1.02 * width / a);
}

// A body's free rotation is found in passes, which are off the true turn by a few millionths of a radian at most, and bend
// where one ends: so far is its way from an arc, per metre. What must be added to a tube for that.
static double slip(const TacSupport *s) {
    return s->kind->matter->inertia ? 1e-6 : 0;
}

// --- the motion -------------------------------------------------------------------------------------------

// Where the plan leads, and how fast.
static void follow(const TacSafe *safe, uint32_t support, const TacBodyPlan *plan, TacTick tick, double x[7],
                   double v[6]) {
    const TacSupport *s = &safe->supports[support];
    double h = tac_safe_seconds(safe, tick - plan->start);
    if (!plan->steady) {
        tac_matter_fly_one(s->kind->matter, s->index, h, plan->x, plan->v, x, v);
        return;
    }
    memcpy(v, plan->mean, sizeof plan->mean);
    tac_store3(x, tac_axpy(tac_load3(plan->x), h, tac_load3(plan->mean)));
    TacQuat turn = tac_quat_from_vector(tac_scale(tac_load3(plan->mean + 3), h));
    tac_store_quat(x + 3, tac_quat_unit(tac_quat_mul(turn, tac_load_quat(plan->x + 3))));
}

static double length_of_turn(TacQuat q) {
    return sqrt(q.x * q.x + q.y * q.y + q.z * q.z);
}

// Seconds for which no point of a body is farther than its room from where its plan would have it, if nothing kicks it.
// `off`: how far one may be now.
//
// A flight and another by the same laws differ, in velocity of turning, by d and, in angle, by p; d + 1.5 w p, where w is the
// greatest |omega| of both, grows by a factor of e^(3 w t) at most, and points are sped up otherwise by at most 4 w (d +
// 1.5 w p) for each metre from the centre. So within 0.1 / w: by 5.4 w (d + 1.5 w p) at now.
static double time_within(const TacSafe *safe, uint32_t support, const TacBodyPlan *plan, TacTick now,
                          double *off) {
    const TacSupport *s = &safe->supports[support];
    double x[7], v[6], px[7], pv[6], reach = 1.000001 * (double)s->kind->reach; // a float
    fly(safe, support, now, x, v);
    follow(safe, support, plan, now, px, pv);
    TacBend b = bend_of(safe, support, now);
    TacVec3 omega = tac_load3(pv + 3);
    // 2 sin of half the angle between them, the chord of a unit circle
    double chord =
        2 * length_of_turn(tac_quat_mul(tac_load_quat(x + 3), tac_quat_conjugate(tac_load_quat(px + 3))));
    double turn = tac_norm(tac_sub(tac_load3(v + 3), omega)), w = fmax(b.fastest, plan->fastest);
    *off = tac_norm(tac_sub(tac_load3(x), tac_load3(px))) + reach * (chord + slip(s));
    double away = tac_norm(tac_sub(tac_load3(v), tac_load3(pv))) + reach * (turn + tac_norm(omega) * chord);
    double lasts = b.lasts, more;
    if (plan->steady || tac_frames_by_chord(s->kind->matter)) {
        more = (plan->steady ? tac_norm(tac_load3(s->kind->g)) : 0) +
               reach * (b.per_metre + 1.5 * plan->fastest * plan->fastest);
    } else {
        more = 5.4 * fmax(1, b.unlike) * reach * w * (turn + 1.5 * w * 0.5 * TAC_PI * chord);
        lasts = fmin(lasts, 0.1 / (fmax(1, b.unlike) * w));
    }
    double room = plan->room - *off;
    if (!(room > 0)) return 0;
    return fmin(lasts, 2 * room / (away + sqrt(away * away + 2 * more * room)));
}

// --- plans ------------------------------------------------------------------------------------------------

// When chords end that the points of a body begin at `now`, which bend by at most a: at `until`, or when the tube of the
// farthest would be wider than is worth while, so many lengths of edges. To mend it then costs less than all the pairs that
// meet in a tube as wide as its body.
static TacTick chord_end(const TacSafe *safe, const TacSupport *s, TacTick now, double a, double lasts,
                         double widest, TacTick until) {
    const double shortest = 4e-5; // s
    double size = (double)safe->most_speeds[s - safe->supports] /
                  TAC_SAFE_SIZES_PER_SECOND; // the least around its vertices
    double width = fmax(widest * size, arc_width(a, shortest));
    double t = fmin(lasts, arc_time(a, width)), left = tac_safe_seconds(safe, until - now);
    if (t < left) return tac_safe_after(safe, now, t) + 1;
    return until > now ? until : now + 1;
}

// How fast it went, on the average, from the last sweep to the beginning of its plan; if it was kicked since.
static bool find_mean(const TacSafe *safe, TacBodyPlan *plan) {
    if (plan->marked < 0 || plan->marked >= plan->start) return false;
    double span = tac_safe_seconds(safe, plan->start - plan->marked);
    tac_store3(plan->mean, tac_scale(tac_sub(tac_load3(plan->x), tac_load3(plan->mark)), 1 / span));
    TacQuat turn =
        tac_quat_mul(tac_load_quat(plan->x + 3), tac_quat_conjugate(tac_load_quat(plan->mark + 3)));
    double half = length_of_turn(turn), angle = 2 * asin(fmin(half, 1)) * (turn.w < 0 ? -1 : 1);
    TacVec3 axis = tac_vec3(turn.x, turn.y, turn.z);
    tac_store3(plan->mean + 3, half > 0 ? tac_scale(axis, angle / (half * span)) : axis);
    return true;
}

// Whether a steady motion would have been nearer to what became of the plan until now than a free flight.
static bool goes_steadily(const TacSafe *safe, uint32_t support, const TacBodyPlan *plan, TacTick now) {
    if (!plan->averaged || plan->kicks < 4) return false;
    double off[2];
    for (int steady = 0; steady < 2; steady++) {
        TacBodyPlan other = *plan;
        other.steady = steady;
        time_within(safe, support, &other, now, &off[steady]);
    }
    return off[1] < off[0];
}

// The room widens when it was used up before its time, and narrows when it was not needed.
static void want_room(const TacSafe *safe, TacBodyPlan *plan, double factor) {
    double widened = tac_safe_widened(safe), least = 2e-3 * safe->most_eta / widened;
    plan->wanted = fmin(fmax(factor * plan->wanted, least), 0.05 * plan->size / widened);
}

static void plan_body(const TacSafe *safe, uint32_t support, TacTick now) {
    const TacSupport *s = &safe->supports[support];
    TacBodyPlan *plan = &safe->body_plans[support - safe->first_frame];
    bool steady = goes_steadily(safe, support, plan, now);
    TacBend b = bend_of(safe, support, now);
    fly(safe, support, now, plan->x, plan->v);
    plan->start = now;
    plan->kicks = 0;
    plan->averaged = find_mean(safe, plan);
    plan->steady = steady && plan->averaged;
    double spin = tac_norm(tac_load3(plan->mean + 3));
    plan->fastest = plan->steady ? spin : b.fastest;
    plan->fall = plan->steady ? tac_norm(tac_load3(s->kind->g)) : 0;
    plan->per_metre = plan->steady ? spin * spin : b.per_metre;
    double a = (double)s->kind->reach * plan->per_metre + plan->fall,
           lasts = plan->steady ? INFINITY : b.lasts;
    plan->end = chord_end(safe, s, now, a, lasts, 0.05, safe->sweep_until);
    plan->course_end = chord_end(safe, s, now, a, lasts, 0.1, safe->boxes_until);
    double far = fmax(fabs(plan->x[0]), fmax(fabs(plan->x[1]), fabs(plan->x[2]))) + (double)s->kind->reach;
    double bulge = arc_width(a, tac_safe_seconds(safe, plan->end - now));
    plan->room =
        fmax(fmax(plan->wanted * safe->def.vagueness, 0.25 * bulge), tac_safe_least_width(safe, far)) +
        2 * slip(s) * (double)s->kind->reach;
    double v[6];
    follow(safe, support, plan, plan->end, plan->ahead, v);
    follow(safe, support, plan, plan->course_end, plan->far, v);
}

// The free flight along the chord from where a vertex is to where `there` has it, after t seconds.
static void take_chord(const TacSafe *safe, uint32_t vertex, const TacBodyPlan *plan, const double there[7],
                       double t, double from[3], double u[3]) {
    double to[3];
    place_on_frame(safe, vertex, plan->x, from);
    place_on_frame(safe, vertex, there, to);
    for (int k = 0; k < 3; k++) u[k] = (to[k] - from[k]) / t - 0.5 * t * safe->vertices[vertex].g[k];
    if (TACTUS_SABOTAGE != TAC_SABOTAGE_SAGITTA) return;
    TacVec3 r = tac_sub(tac_load3(from), tac_load3(plan->x));
    tac_store3(u, tac_add(tac_load3(plan->v), tac_cross(tac_load3(plan->v + 3), r)));
}

static double bulge_of(const TacSafe *safe, uint32_t vertex, const TacBodyPlan *plan, double t) {
    return arc_width(tac_norm(safe->locals[vertex]) * plan->per_metre + plan->fall, t);
}

double tac_safe_chord(const TacSafe *safe, uint32_t vertex, double from[3], double u[3]) {
    const TacBodyPlan *plan = &safe->body_plans[safe->bodies[vertex] - 1 - safe->first_frame];
    double t = tac_safe_seconds(safe, plan->end - plan->start);
    take_chord(safe, vertex, plan, plan->ahead, t, from, u);
    return 1.000001 * plan->room + bulge_of(safe, vertex, plan, t); // it becomes a float
}

double tac_safe_arc(const TacSafe *safe, uint32_t vertex, double from[3], double u[3]) {
    const TacBodyPlan *plan = &safe->body_plans[safe->bodies[vertex] - 1 - safe->first_frame];
    double t = tac_safe_seconds(safe, plan->course_end - plan->start);
    take_chord(safe, vertex, plan, plan->far, t, from, u);
    return bulge_of(safe, vertex, plan, t);
}

// --- looking at them --------------------------------------------------------------------------------------

// When the plan must be looked at again, if nothing kicks the body.
static TacTick due_at(const TacSafe *safe, uint32_t support, TacTick now, double *within) {
    const TacBodyPlan *plan = &safe->body_plans[support - safe->first_frame];
    double off;
    bool own = !plan->kicks && !plan->steady && !tac_frames_by_chord(safe->supports[support].kind->matter);
    *within = own ? INFINITY : time_within(safe, support, plan, now, &off);
    TacTick tick = own ? plan->end : tac_safe_after(safe, now, *within);
    return tick < plan->end ? tick : plan->end;
}

// One that somebody looks at before needs no entry.
static void file_body(TacSafe *safe, uint32_t support, TacTick due, TacTick now) {
    int regular = safe->supports[support].regular;
    TacTick period = regular < TAC_RULER_CLASSES ? (TacTick)1 << regular : 0;
    bool seen = due >= safe->sweep_until || (period && due >= (now / period + 1) * period);
    uint32_t id = (uint32_t)safe->vertex_count + support - safe->first_frame;
    tac_safe_file(safe, id, seen ? TAC_TICK_NEVER : due > now ? due : now + 1);
}

void tac_safe_plan_body(TacSafe *safe, uint32_t support, TacTick now) {
    double within;
    plan_body(safe, support, now);
    file_body(safe, support, due_at(safe, support, now, &within), now);
    const TacSupport *s = &safe->supports[support];
    for (uint32_t k = 0; k < s->vertex_count; k++)
        tac_safe_mark_dirty(safe, safe->carried[s->first_vertex + k]);
    safe->stats.checks += s->vertex_count;
}

void tac_safe_check_body(TacSafe *safe, uint32_t support, TacTick now) {
    const double soon = 2e-5; // s
    TacBodyPlan *plan = &safe->body_plans[support - safe->first_frame];
    double within;
    TacTick due = due_at(safe, support, now, &within);
    bool breaks = due < plan->end && due < safe->sweep_until && within < soon;
    if (breaks) {
        want_room(safe, plan, 2);
        plan->broken = true;
    }
    if (breaks || plan->end <= now)
        tac_safe_plan_body(safe, support, now);
    else
        file_body(safe, support, due, now);
}

void tac_safe_body_kicked(TacSafe *safe, uint32_t support, TacTick now) {
    TacBodyPlan *plan = &safe->body_plans[support - safe->first_frame];
    const TacSupport *s = &safe->supports[support];
    plan->kicks++;
    safe->stats.checks += plan->paced;
    tac_safe_check_body(safe, support, now);
    for (uint32_t k = 0; k < plan->paced; k++)
        tac_safe_check_pace(safe, safe->carried[s->first_vertex + k], now);
}

// --- sweeps -----------------------------------------------------------------------------------------------

typedef struct Bodies {
    TacSafe *safe;
    TacTick now;
} Bodies;

static void plan_chunk(void *data, size_t begin, size_t end, size_t chunk) {
    (void)chunk;
    const Bodies *bodies = data;
    for (size_t i = begin; i < end; i++) {
        uint32_t support = bodies->safe->first_frame + (uint32_t)i;
        if (!bodies->safe->supports[support].frame) continue;
        TacBodyPlan *plan = &bodies->safe->body_plans[i];
        double off = 0;
        if (!bodies->safe->starting) {
            time_within(bodies->safe, support, plan, bodies->now, &off);
            want_room(bodies->safe, plan, !plan->broken && off < 0.25 * plan->room ? 0.8 : 1);
        }
        plan_body(bodies->safe, support, bodies->now);
        memcpy(plan->mark, plan->x, sizeof plan->mark);
        plan->marked = bodies->now;
        plan->broken = false;
    }
}

void tac_safe_sweep_bodies(TacSafe *safe, TacTick now) {
    Bodies bodies = {safe, now};
    tac_team_run(safe->team, safe->frame_count, 64, plan_chunk, &bodies);
    for (uint32_t i = 0; i < safe->frame_count; i++) {
        double within;
        uint32_t support = safe->first_frame + i;
        if (safe->supports[support].frame) file_body(safe, support, due_at(safe, support, now, &within), now);
    }
}

// --- paces ------------------------------------------------------------------------------------------------

// Vertices with a pace come first among those of their body.
void tac_safe_seat(TacSafe *safe, uint32_t vertex) {
    uint32_t support = safe->bodies[vertex] - 1;
    TacBodyPlan *plan = &safe->body_plans[support - safe->first_frame];
    bool paced = safe->vertices[vertex].paced > 0;
    uint32_t first = safe->supports[support].first_vertex, seat = safe->seats[vertex];
    if (paced == (seat < first + plan->paced)) return;
    if (!paced) plan->paced--;
    uint32_t other = safe->carried[first + plan->paced];
    safe->carried[seat] = other;
    safe->seats[other] = seat;
    safe->carried[first + plan->paced] = vertex;
    safe->seats[vertex] = first + plan->paced;
    if (paced) plan->paced++;
}
