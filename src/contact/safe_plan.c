// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Where supports and vertices are, and flight plans: straight lines (thrown stones' paths) with a tube around
// them. Nothing here can change what happens: only when somebody looks.

#include "contact/safe_parts.h"

// --- places -----------------------------------------------------------------------------------------------

void tac_safe_reach(TacSafe *safe, TacSupport *s, TacTick now) {
    if (*s->time == now) return;
    if (safe->witness) tac_safe_tell(safe, (uint32_t)(s - safe->supports), now);
    double h = tac_safe_seconds(safe, now - *s->time);
    if (s->frame) tac_matter_fly_one(s->kind->matter, tac_support_index(s), h, s->x, s->v, s->x, s->v);
    for (int k = 0; !s->frame && k < 3; k++) {
        s->x[k] = s->x[k] + h * s->v[k] + 0.5 * h * h * s->kind->g[k];
        s->v[k] += h * s->kind->g[k];
    }
    *s->time = now;
}

// Where a frame flies to, and how fast: asked by each of its vertices, and found once.
static void fly_frame(const TacSafe *safe, uint32_t support, TacTick tick, TacFlightSlot slot, double x[7],
                      double v[6]) {
    const TacSupport *s = &safe->supports[support];
    if (*s->time == tick) {
        memcpy(x, s->x, 7 * sizeof *x);
        memcpy(v, s->v, 6 * sizeof *v);
        return;
    }
    TacFlight *f = &safe->flights[TAC_FLIGHT_SLOTS * (support - safe->first_frame) + slot];
    if (__atomic_load_n(&f->tick, __ATOMIC_ACQUIRE) == tick && f->since == *s->time) {
        memcpy(x, f->x, sizeof f->x);
        memcpy(v, f->v, sizeof f->v);
        return;
    }
    tac_matter_fly_one(s->kind->matter, tac_support_index(s), tac_safe_seconds(safe, tick - *s->time), s->x,
                       s->v, x, v);
    // whoever comes first writes it down
    TacTick before = __atomic_load_n(&f->claimed, __ATOMIC_RELAXED);
    if (before == tick ||
        !__atomic_compare_exchange_n(&f->claimed, &before, tick, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        return;
    memcpy(f->x, x, sizeof f->x);
    memcpy(f->v, v, sizeof f->v);
    f->since = *s->time;
    __atomic_store_n(&f->tick, tick, __ATOMIC_RELEASE);
}

void tac_safe_forget_flight(const TacSafe *safe, uint32_t support) {
    if (!safe->supports[support].frame) return;
    TacFlight *f = &safe->flights[TAC_FLIGHT_SLOTS * (support - safe->first_frame)];
    for (int i = 0; i < TAC_FLIGHT_SLOTS; i++) f[i].tick = f[i].claimed = -1;
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
    safe->flight_count = TAC_FLIGHT_SLOTS * (size_t)(end - first);
    safe->flights = tac_arena_array(&safe->arena, safe->flight_count, sizeof *safe->flights);
    safe->bends = tac_arena_array(&safe->arena, end - first, sizeof *safe->bends);
    safe->crowds = tac_arena_array(&safe->arena, end - first, sizeof *safe->crowds);
    for (uint32_t i = first; safe->flights && safe->bends && i < end; i++) tac_safe_forget_flight(safe, i);
    return safe->flights && safe->bends && safe->crowds;
}

static void place_on_frame(const TacSafe *safe, uint32_t vertex, const double fx[7], const double fv[6],
                           double x[3], double u[3]) {
    TacVec3 r = tac_rotate(tac_load_quat(fx + 3), safe->locals[vertex]);
    tac_store3(x, tac_add(tac_load3(fx), r));
    tac_store3(u, tac_add(tac_load3(fv), tac_cross(tac_load3(fv + 3), r)));
}

void tac_safe_motion(const TacSafe *safe, uint32_t vertex, TacTick now, double x[3], double u[3]) {
    const TacVertex *v = &safe->vertices[vertex];
    const TacSafeCarrier *carriers = safe->carriers + v->first;
    if (v->frame) {
        double fx[7], fv[6];
        fly_frame(safe, carriers[0].support, now, TAC_FLIGHT_NOW, fx, fv);
        place_on_frame(safe, vertex, fx, fv, x, u);
        return;
    }
    double sum[3] = {0, 0, 0}, speed[3] = {0, 0, 0};
    for (uint32_t i = 0; i < v->count; i++) {
        const TacSupport *s = &safe->supports[carriers[i].support];
        double h = tac_safe_seconds(safe, now - *s->time), w = carriers[i].weight;
        for (int k = 0; k < 3; k++) {
            sum[k] += w * (s->x[k] + h * s->v[k] + 0.5 * h * h * s->kind->g[k]);
            speed[k] += w * (s->v[k] + h * s->kind->g[k]);
        }
    }
    for (int k = 0; k < 3; k++) {
        x[k] = sum[k];
        u[k] = speed[k];
    }
}

void tac_safe_bodies(const TacSafe *safe, uint32_t *bodies) {
    for (size_t i = 0; i < safe->vertex_count; i++) {
        const TacVertex *v = &safe->vertices[i];
        bodies[i] = v->frame ? safe->carriers[v->first].support + 1 : 0;
    }
}

// --- paces ------------------------------------------------------------------------------------------------

static double bend(const TacSafe *safe, uint32_t vertex, TacTick now, double *lasts);

// Seconds for which the pace is kept if nothing kicks the vertex; 0: it is broken.
static double time_kept(const TacSafe *safe, uint32_t vertex, TacTick now, const double u[3]) {
    const TacVertex *v = &safe->vertices[vertex];
    const TacPace *pace = &safe->paces[vertex];
    double t = tac_safe_seconds(safe, now - pace->start), most = 0, lasts;
    for (int k = 0; k < 3; k++) most = fmax(most, fabs(u[k] - pace->u[k] - t * v->g[k]));
    if (!(most <= pace->slack)) return 0;
    double a = bend(safe, vertex, now, &lasts);
    return a > 0 ? fmin(lasts, (pace->slack - most) / a) : INFINITY;
}

static void file_vertex(TacSafe *safe, uint32_t vertex, TacTick tick) {
    TacTick filed = tac_wheel_tick(&safe->vertex_wheel, vertex);
    if (filed == tick) return;
    TacError ignored;
    if (tick == TAC_TICK_NEVER) {
        if (filed >= 0) tac_wheel_cancel(&safe->vertex_wheel, vertex);
    } else if (tac_wheel_file(&safe->vertex_wheel, vertex, tick, &ignored) != TAC_OK) {
        safe->out_of_memory = true;
    }
}

static TacTick after(const TacSafe *safe, TacTick now, double seconds) {
    TacTick ticks = tac_ticks_floor(safe->base, seconds);
    return ticks > TAC_TICK_NEVER / 2 ? TAC_TICK_NEVER / 2 : now + (ticks < 0 ? 0 : ticks);
}

// A turning vertex leaves its pace even if nothing kicks it.
static void file_pace(TacSafe *safe, uint32_t vertex, TacTick now, const double u[3]) {
    if (!safe->vertices[vertex].frame || !safe->vertices[vertex].paced) return;
    TacTick leaves = after(safe, now, time_kept(safe, vertex, now, u));
    TacTick filed = tac_wheel_tick(&safe->vertex_wheel, vertex);
    if (filed < 0 || leaves < filed) file_vertex(safe, vertex, leaves > now ? leaves : now + 1);
}

// The slack widens when paces are short-lived and narrows when they last.
static void make_pace(TacSafe *safe, uint32_t vertex, TacTick now, const double u[3]) {
    TacPace *pace = &safe->paces[vertex];
    double life = tac_safe_seconds(safe, now - pace->start), least = 0.002 * safe->most_speed, lasts;
    if (life < 1e-4) pace->wanted *= 2;
    if (life > 1e-3) pace->wanted *= 0.5;
    double a = bend(safe, vertex, now, &lasts);
    pace->wanted = fmin(fmax(pace->wanted, least), 100 * safe->most_speed);
    pace->slack =
        fmax(pace->wanted * safe->def.vagueness, 4e-5 * a) + 1e-12 * (fabs(u[0]) + fabs(u[1]) + fabs(u[2]));
    pace->start = now;
    memcpy(pace->u, u, sizeof pace->u);
}

// Looks whether the pace is kept at a velocity; otherwise makes another and marks the pairs that rest on it.
static void check_pace(TacSafe *safe, uint32_t vertex, TacTick now, const double u[3]) {
    if (!safe->vertices[vertex].paced) return;
    if (time_kept(safe, vertex, now, u) < 1e-5) {
        TacPace old = safe->paces[vertex];
        make_pace(safe, vertex, now, u);
        double t = tac_safe_seconds(safe, now - old.start), change = 0;
        for (int k = 0; k < 3; k++)
            change = fmax(change, fabs(u[k] - old.u[k] - t * safe->vertices[vertex].g[k]));
        // along a direction, the sum of its parts counts: at most the root of 3
        tac_safe_hurry_around(safe, vertex, 1.7321 * (change + safe->paces[vertex].slack - old.slack), now);
    }
    file_pace(safe, vertex, now, u);
}

void tac_safe_rest_on_pace(TacSafe *safe, uint32_t vertex, TacTick now) {
    if (safe->vertices[vertex].paced++) return;
    tac_safe_watch_pace(safe, vertex);
    double x[3], u[3];
    tac_safe_motion(safe, vertex, now, x, u);
    make_pace(safe, vertex, now, u);
    file_pace(safe, vertex, now, u);
}

// --- plans ------------------------------------------------------------------------------------------------

void tac_safe_mark_dirty(TacSafe *safe, uint32_t vertex) {
    TacVertex *v = &safe->vertices[vertex];
    if (v->dirty) return;
    v->dirty = true;
    tac_safe_push(safe, &safe->dirty_vertices, vertex);
}

// The next tick at which something kicks the vertex anyway; TAC_TICK_NEVER when nothing does.
static int regular_class(const TacSafe *safe, const TacVertex *v) {
    int regular = TAC_RULER_CLASSES;
    for (uint32_t i = 0; i < v->count; i++) {
        int e = safe->supports[safe->carriers[v->first + i].support].regular;
        if (e < regular) regular = e;
    }
    return regular;
}

static TacTick next_regular(const TacSafe *safe, const TacVertex *v, TacTick now) {
    int regular = regular_class(safe, v);
    if (regular >= TAC_RULER_CLASSES) return TAC_TICK_NEVER;
    TacTick period = (TacTick)1 << regular;
    return (now / period + 1) * period;
}

// How hard a frame bends the way of its points, for each metre from its centre, |x''| / r <= |omega|^2 + |omega'|, from `now`
// on and for as long as `lasts`.
//
// Turning freely, omega changes by |omega'| <= c |omega|^2 / sqrt(3), where c, the largest |I_j - I_k| / I_i, is at
// most 1 for every real body. So within 0.5 / (c |omega|) it grows by a factor below 1.42; and never beyond what
// its energy and momentum allow.
static double find_bend(const TacSafe *safe, uint32_t support, TacTick now, double *lasts) {
    const TacSupport *s = &safe->supports[support];
    double x[7], v[6];
    *lasts = INFINITY;
    if (TACTUS_SABOTAGE == TAC_SABOTAGE_SAGITTA) return 0;
    fly_frame(safe, support, now, TAC_FLIGHT_NOW, x, v);
    TacVec3 omega = tac_load3(v + 3);
    double w2 = tac_dot(omega, omega);
    if (!s->kind->matter->inertia) return w2;
    const TacInertia *inertia = &s->kind->matter->inertia[tac_support_index(s)];
    const double *m = inertia->moments;
    double fastest = tac_fastest_turn(inertia, tac_load_quat(x + 3), omega), most = fastest * fastest, c = 0;
    for (int k = 0; k < 3; k++) c = fmax(c, fabs(m[(k + 1) % 3] - m[(k + 2) % 3]) / m[k]);
    if (most > 2.02 * w2) {
        most = 2.02 * w2;
        *lasts = 0.5 / (c * sqrt(w2));
    }
    return 1.05 * most * (1 + c * 0.578);
}

// Asked by each of its vertices, and found once.
static double bend_per_metre(const TacSafe *safe, uint32_t support, TacTick now, double *lasts) {
    TacBend *b = &safe->bends[support - safe->first_frame];
    TacTick since = *safe->supports[support].time;
    if (__atomic_load_n(&b->tick, __ATOMIC_ACQUIRE) == now && b->since == since) {
        *lasts = b->lasts;
        return b->per_metre;
    }
    double per_metre = find_bend(safe, support, now, lasts);
    // whoever comes first writes it down
    TacTick before = __atomic_load_n(&b->claimed, __ATOMIC_RELAXED);
    if (before == now ||
        !__atomic_compare_exchange_n(&b->claimed, &before, now, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        return per_metre;
    b->per_metre = per_metre;
    b->lasts = *lasts;
    b->since = since;
    __atomic_store_n(&b->tick, now, __ATOMIC_RELEASE);
    return per_metre;
}

static double bend(const TacSafe *safe, uint32_t vertex, TacTick now, double *lasts) {
    const TacVertex *v = &safe->vertices[vertex];
    *lasts = INFINITY;
    if (!v->frame) return 0;
    return tac_norm(safe->locals[vertex]) *
           bend_per_metre(safe, safe->carriers[v->first].support, now, lasts);
}

// How far x is from where the plan is, along the axis where that is most.
static double off_plan(const TacSafe *safe, uint32_t vertex, TacTick now, const double x[3], double *rho) {
    double c[3], u[3], off = 0;
    tac_plan_at(safe, vertex, now, c, u, rho);
    for (int k = 0; k < 3; k++) off = fmax(off, fabs(x[k] - c[k]));
    return off;
}

// An arc that bends by at most a is off its chord, after t seconds, by at most a t^2 / 8; a little more, for rounding.
static double arc_width(double a, double t) {
    return 1.02 * 0.125 * a * t * t;
}

static double arc_time(double a, double width) {
    return sqrt(8 / 1.02 * width / a);
}

// A body's free rotation is found in passes, which are off the true turn by a few millionths of a radian at most, and bend
// where one ends: so far is its way from an arc. What must be added to a tube for that.
static double slip(const TacSafe *safe, uint32_t vertex) {
    const TacSupport *s = &safe->supports[safe->carriers[safe->vertices[vertex].first].support];
    return s->kind->matter->inertia ? 1e-6 * tac_norm(safe->locals[vertex]) : 0;
}

// When chords end that the vertices of a frame begin at `now`: at `until`, or when the tube of the farthest would be wider
// than is worth while, so many lengths of edges. All at once, so that what follows is done once.
static TacTick chord_end(const TacSafe *safe, uint32_t support, TacTick now, double widest, TacTick until) {
    const double shortest = 4e-5; // s
    const TacSupport *s = &safe->supports[support];
    double lasts, a = (double)s->kind->reach * bend_per_metre(safe, support, now, &lasts);
    double size = (double)s->most_speed / TAC_SAFE_SIZES_PER_SECOND; // the least around its vertices
    double width = fmax(widest * size, arc_width(a, shortest));
    double t = fmin(lasts, arc_time(a, width)), left = tac_safe_seconds(safe, until - now);
    if (t < left) return after(safe, now, t) + 1;
    return until > now ? until : now + 1;
}

static TacTick plan_end(const TacSafe *safe, uint32_t support, TacTick now) {
    return chord_end(safe, support, now, 0.05, safe->sweep_until);
}

// Seconds that a vertex that turns stays inside its tube, at most `longest`; at x and u, now. Beside the plan, which falls as
// it does, it flies an arc that bends by at most a: so it is off the tangent by a t^2 / 2 at most. Where that is not enough:
// between two of its places it is off the line between them by a t^2 / 8 at most, so it is inside if both places are, by as
// much. That is asked of the end of a chord that would begin now, which is just right for a new plan.
static double time_turning(const TacSafe *safe, uint32_t vertex, TacTick now, const double x[3],
                           const double u[3], double a, double longest) {
    double rho, c[3], cu[3], off = 0, away = 0;
    tac_plan_at(safe, vertex, now, c, cu, &rho);
    for (int k = 0; k < 3; k++) {
        off = fmax(off, fabs(x[k] - c[k]));
        away = fmax(away, fabs(u[k] - cu[k]));
    }
    if (!(off <= rho)) return 0;
    double room = rho - off - slip(safe, vertex);
    double tangent = room > 0 ? 2 * room / (away + sqrt(away * away + 2 * a * room)) : 0;
    if (tangent >= longest) return longest;
    uint32_t support = safe->carriers[safe->vertices[vertex].first].support;
    TacTick end = plan_end(safe, support, now);
    double t = tac_safe_seconds(safe, end - now);
    double inside = rho - 0.125 * a * t * t - slip(safe, vertex);
    if (off <= inside) {
        double there[3], fx[7], fv[6];
        fly_frame(safe, support, end, TAC_FLIGHT_AHEAD, fx, fv);
        place_on_frame(safe, vertex, fx, fv, there, cu);
        if (off_plan(safe, vertex, end, there, &rho) <= inside) return fmin(t, longest);
    }
    return tangent;
}

// Seconds that the motion (x, u) from now on stays inside the tube, at most `longest`.
static double time_inside(const TacSafe *safe, uint32_t vertex, TacTick now, const double x[3],
                          const double u[3], double longest) {
    const TacPlan *plan = &safe->plans[vertex];
    double c[3], cu[3], rho, t = longest;
    double lasts, a = bend(safe, vertex, now, &lasts);
    if (a > 0) return time_turning(safe, vertex, now, x, u, a, fmin(t, lasts));
    tac_plan_at(safe, vertex, now, c, cu, &rho);
    for (int k = 0; k < 3; k++) {
        double off = x[k] - c[k], away = u[k] - cu[k];
        if (away < 0) {
            off = -off;
            away = -away;
        }
        if (fabs(off) > rho) return 0;
        away -= (double)plan->spread;
        if (away * t > rho - off) t = (rho - off) / away;
    }
    return t;
}

// When the plan is left, if nothing kicks the vertex; when it ends at the latest.
static TacTick leaves_at(const TacSafe *safe, uint32_t vertex, TacTick now, const double x[3],
                         const double u[3]) {
    TacTick end = tac_plan_end(safe, vertex);
    double left = tac_safe_seconds(safe, end - now);
    double inside = left > 0 ? time_inside(safe, vertex, now, x, u, left) : 0;
    return inside >= left ? end : after(safe, now, inside);
}

// A plan that somebody looks at before it is left needs no entry; one that is left soon is remade at once.
void tac_safe_check_plan(TacSafe *safe, uint32_t vertex, TacTick now) {
    TacVertex *v = &safe->vertices[vertex];
    if (v->dirty && !v->paced) return;
    double x[3], u[3];
    tac_safe_motion(safe, vertex, now, x, u);
    check_pace(safe, vertex, now, u);
    if (v->dirty) return;
    TacTick leaves = leaves_at(safe, vertex, now, x, u);
    if (leaves >= safe->sweep_until || leaves >= next_regular(safe, v, now)) return;
    TacTick age = v->frame ? now - safe->plans[vertex].start : 0, soon = after(safe, 0, 2e-5);
    if (leaves - now < (soon > age / 2 ? soon : age / 2)) // a chord has served when its arc comes back to it
        tac_safe_mark_dirty(safe, vertex);
    else
        file_vertex(safe, vertex, leaves);
}

// The tube widens when plans are left before their time and narrows when they are not filled.
static void choose_width(const TacSafe *safe, uint32_t vertex, TacTick now, const double x[3], bool mends) {
    TacSwept *swept = &safe->swept[vertex];
    if (safe->starting) return;
    double rho, off = off_plan(safe, vertex, now, x, &rho);
    const TacVertex *v = &safe->vertices[vertex];
    if (mends) swept->wanted *= 2;
    if (off < 0.25 * rho && !mends && !v->broken) swept->wanted *= 0.8;
    const int thin = 4; // halvings from which on nests limit plans
    double eta = ldexp(safe->most_eta, -v->halvings), most = 0.05 * (double)safe->lore[vertex].scale;
    if (v->halvings >= thin) most = fmin(most, 0.1 * eta);
    swept->wanted = fmin(fmax(swept->wanted, 2e-3 * eta), most);
}

static double least_width(const TacSafe *safe, const double x[3]) {
    double size = fmax(fabs(x[0]), fmax(fabs(x[1]), fabs(x[2])));
    return fmax(1e-9 * safe->most_eta, 1e-13 * size);
}

static void set_plan(TacSafe *safe, uint32_t vertex, TacTick now, const double x[3], const double u[3],
                     double rho) {
    TacPlan *plan = &safe->plans[vertex];
    *plan = (TacPlan){.start = now, .rho = (float)rho};
    if (safe->def.cone && !safe->vertices[vertex].frame) {
        // what turns leaves any cone at once; of others, a velocity may differ by what would fill the tube until the next sweep
        plan->spread = (float)(rho / tac_safe_seconds(safe, safe->sweep_until - now));
        plan->rho = (float)(rho * 1e-3);
    }
    memcpy(plan->p, x, 3 * sizeof *x);
    memcpy(plan->u, u, 3 * sizeof *u);
}

// What certificates see of a plan that begins in the middle of a window, they see from the beginning on.
static void set_swept(TacSafe *safe, uint32_t vertex) {
    TacSwept *swept = &safe->swept[vertex];
    double u[3];
    tac_plan_at(safe, vertex, safe->sweep_from, swept->c[0], u, &swept->rho);
    tac_plan_at(safe, vertex, safe->sweep_until, swept->c[1], u, &swept->rho);
    if (safe->uneven) swept->rho += tac_safe_bulge(safe, vertex, safe->sweep_from);
}

// The plan of a vertex that turns: a chord of its arc. To mend it when that ends costs less than all the pairs that meet in
// a tube as wide as its body.
static void plan_chord(TacSafe *safe, uint32_t vertex, TacTick now, const double x[3], double a) {
    uint32_t support = safe->carriers[safe->vertices[vertex].first].support;
    TacTick end = plan_end(safe, support, now);
    double t = tac_safe_seconds(safe, end - now), there[3], u[3], fx[7], fv[6];
    fly_frame(safe, support, end, TAC_FLIGHT_AHEAD, fx, fv);
    place_on_frame(safe, vertex, fx, fv, there, u);
    for (int k = 0; k < 3; k++) u[k] = (there[k] - x[k]) / t - 0.5 * t * safe->vertices[vertex].g[k];
    double rho =
        fmax(safe->swept[vertex].wanted * safe->def.vagueness, arc_width(a, t) + 1.02 * slip(safe, vertex));
    set_plan(safe, vertex, now, x, u, fmax(rho, least_width(safe, x)));
    safe->ends[vertex] = end;
}

double tac_safe_arc(const TacSafe *safe, uint32_t vertex, TacTick now, double from[3], double u[3]) {
    uint32_t support = safe->carriers[safe->vertices[vertex].first].support;
    double fx[7], fv[6], to[3], lasts, a = bend(safe, vertex, now, &lasts);
    TacTick end = chord_end(safe, support, now, 0.1, safe->boxes_until);
    double t = tac_safe_seconds(safe, end - now);
    fly_frame(safe, support, now, TAC_FLIGHT_NOW, fx, fv);
    place_on_frame(safe, vertex, fx, fv, from, u);
    fly_frame(safe, support, end, TAC_FLIGHT_BOXES, fx, fv);
    place_on_frame(safe, vertex, fx, fv, to, u);
    for (int k = 0; k < 3; k++) u[k] = (to[k] - from[k]) / t - 0.5 * t * safe->vertices[vertex].g[k];
    return arc_width(a, t) + slip(safe, vertex);
}

void tac_safe_make_plan(TacSafe *safe, uint32_t vertex, TacTick now, bool mends) {
    TacVertex *v = &safe->vertices[vertex];
    double x[3], u[3], expected[3], lasts;
    double ahead = tac_safe_seconds(safe, safe->sweep_until - now);
    tac_safe_motion(safe, vertex, now, x, u);
    choose_width(safe, vertex, now, x, mends);
    double rho = fmax(safe->swept[vertex].wanted * safe->def.vagueness, least_width(safe, x));
    // what is expected must hold until somebody looks again; else the motion itself, which does until the next kick
    TacTick regular = next_regular(safe, v, now);
    double needed = regular < safe->sweep_until ? tac_safe_seconds(safe, regular - now) : ahead;
    int e = regular_class(safe, v);
    TacTick kicks = v->kicks_of_plan;
    if (e < TAC_RULER_CLASSES) kicks += (now >> e) - (safe->plans[vertex].start >> e);
    const TacTrend *trend = &safe->lore[vertex].trend;
    bool known = kicks >= 4 && trend->time >= 0 && trend->time < now;
    if (known) {
        tac_trend_expect(safe, trend, now, ahead, x, v->g, expected);
        set_plan(safe, vertex, now, x, expected, rho);
    }
    double a = bend(safe, vertex, now, &lasts);
    if (v->frame) safe->ends[vertex] = TAC_TICK_NEVER;
    if (known && time_inside(safe, vertex, now, x, u, needed) >= needed) {
        // that is the plan
    } else if (a > 0) {
        plan_chord(safe, vertex, now, x, a);
    } else {
        set_plan(safe, vertex, now, x, u, rho);
    }
    set_swept(safe, vertex);
    v->kicks_of_plan = 0;
}

bool tac_safe_keeps(const TacSafe *safe, uint32_t vertex, TacTick now) {
    const TacVertex *v = &safe->vertices[vertex];
    if (v->support == TAC_SAFE_NONE) return false;
    const TacSupport *s = &safe->supports[v->support];
    return *s->time == now &&
           tac_safe_plan_holds(safe, &safe->plans[vertex], v->g, s->x, s->v, s->regular, now) &&
           (!v->paced || tac_safe_pace_holds(safe, &safe->paces[vertex], v->g, s->v, now));
}

void tac_safe_unfile_plan(TacSafe *safe, uint32_t vertex) {
    file_vertex(safe, vertex, TAC_TICK_NEVER);
}

void tac_safe_file_plan(TacSafe *safe, uint32_t vertex, TacTick now) {
    const TacVertex *v = &safe->vertices[vertex];
    double x[3], u[3];
    tac_safe_motion(safe, vertex, now, x, u);
    TacTick leaves = leaves_at(safe, vertex, now, x, u);
    bool seen = leaves >= safe->sweep_until || leaves >= next_regular(safe, v, now);
    file_vertex(safe, vertex, seen ? TAC_TICK_NEVER : leaves > now ? leaves : now + 1);
    check_pace(safe, vertex, now, u);
}
