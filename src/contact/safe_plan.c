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
    tac_matter_fly_one(s->matter, s->index, h, s->x, s->v, s->x, s->v);
    *s->time = now;
}

static inline void point_place(const TacSafe *safe, const TacSupport *s, TacTick now, double x[3]) {
    double h = tac_safe_seconds(safe, now - *s->time);
    for (int k = 0; k < 3; k++) x[k] = s->x[k] + h * s->v[k] + 0.5 * h * h * s->g[k];
}

static void frame_state(const TacSafe *safe, const TacSupport *s, TacTick now, double x[7], double v[6]) {
    double h = tac_safe_seconds(safe, now - *s->time);
    if (h == 0) {
        memcpy(x, s->x, 7 * sizeof *x);
        memcpy(v, s->v, 6 * sizeof *v);
    } else {
        tac_matter_fly_one(s->matter, s->index, h, s->x, s->v, x, v);
    }
}

void tac_safe_place(const TacSafe *safe, uint32_t vertex, TacTick now, double x[3]) {
    const TacVertex *v = &safe->vertices[vertex];
    if (v->support != TAC_SAFE_NONE) {
        point_place(safe, &safe->supports[v->support], now, x);
        return;
    }
    double motion[3];
    tac_safe_motion(safe, vertex, now, x, motion);
}

void tac_safe_motion(const TacSafe *safe, uint32_t vertex, TacTick now, double x[3], double u[3]) {
    const TacVertex *v = &safe->vertices[vertex];
    const TacSafeCarrier *carriers = safe->carriers + v->first;
    if (v->frame) {
        double fx[7], fv[6];
        frame_state(safe, &safe->supports[carriers[0].support], now, fx, fv);
        TacVec3 r = tac_rotate(tac_load_quat(fx + 3), v->local);
        tac_store3(x, tac_add(tac_load3(fx), r));
        tac_store3(u, tac_add(tac_load3(fv), tac_cross(tac_load3(fv + 3), r)));
        return;
    }
    double sum[3] = {0, 0, 0}, speed[3] = {0, 0, 0};
    for (uint32_t i = 0; i < v->count; i++) {
        const TacSupport *s = &safe->supports[carriers[i].support];
        double h = tac_safe_seconds(safe, now - *s->time), w = carriers[i].weight;
        for (int k = 0; k < 3; k++) {
            sum[k] += w * (s->x[k] + h * s->v[k] + 0.5 * h * h * s->g[k]);
            speed[k] += w * (s->v[k] + h * s->g[k]);
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

// --- plans ------------------------------------------------------------------------------------------------

void tac_safe_mark_dirty(TacSafe *safe, uint32_t vertex) {
    TacVertex *v = &safe->vertices[vertex];
    if (v->dirty) return;
    v->dirty = true;
    tac_safe_push(safe, &safe->dirty_vertices, vertex);
}

// The next tick at which something kicks the vertex anyway; TAC_TICK_NEVER when nothing does.
static TacTick next_regular(const TacSafe *safe, const TacVertex *v, TacTick now) {
    int regular = TAC_RULER_CLASSES;
    for (uint32_t i = 0; i < v->count; i++) {
        int e = safe->supports[safe->carriers[v->first + i].support].regular;
        if (e < regular) regular = e;
    }
    if (regular >= TAC_RULER_CLASSES) return TAC_TICK_NEVER;
    TacTick period = (TacTick)1 << regular;
    return (now / period + 1) * period;
}

// How hard a frame bends the way of its vertices, |x''| <= r (|omega|^2 + |omega'|), for as long as `lasts`.
//
// Turning freely, omega changes by |omega'| <= c |omega|^2 / sqrt(3), where c, the largest |I_j - I_k| / I_i, is at
// most 1 for every real body. So within 0.5 / (c |omega|) it grows by a factor below 1.42; and never beyond what
// its energy allows, sqrt(2 T / I_min).
static double bend(const TacSafe *safe, const TacVertex *v, double *lasts) {
    *lasts = INFINITY;
    if (!v->frame || TACTUS_SABOTAGE == TAC_SABOTAGE_SAGITTA) return 0;
    const TacSupport *s = &safe->supports[safe->carriers[v->first].support];
    TacVec3 omega = tac_load3(s->v + 3);
    double w2 = tac_dot(omega, omega), r = tac_norm(v->local);
    if (!s->matter->inertia) return w2 * r;
    const TacInertia *inertia = &s->matter->inertia[s->index];
    const double *m = inertia->moments;
    double least = fmin(m[0], fmin(m[1], m[2])), c = 0;
    for (int k = 0; k < 3; k++) c = fmax(c, fabs(m[(k + 1) % 3] - m[(k + 2) % 3]) / m[k]);
    double most = tac_dot(omega, tac_inertia_apply(inertia, tac_load_quat(s->x + 3), omega)) / least;
    if (most > 2.02 * w2) {
        most = 2.02 * w2;
        *lasts = 0.5 / (c * sqrt(w2));
    }
    return 1.05 * r * most * (1 + c * 0.578);
}

// Seconds that the motion (x, u) from now on stays inside the narrow tube, at most `longest`.
static double time_inside(const TacSafe *safe, uint32_t vertex, TacTick now, const double x[3],
                          const double u[3], double longest) {
    const TacPlan *plan = &safe->plans[TAC_PLANS * vertex + TAC_NARROW];
    double c[3], cu[3], rho, t = longest;
    tac_plan_at(safe, vertex, TAC_NARROW, now, c, cu, &rho);
    double lasts, a = bend(safe, &safe->vertices[vertex], &lasts);
    if (a > 0) {
        // half of the tube is for the bend
        t = fmin(t, fmin(lasts, sqrt(rho / a)));
        rho *= 0.5;
    }
    for (int k = 0; k < 3; k++) {
        double off = x[k] - c[k], away = u[k] - cu[k];
        if (away < 0) {
            off = -off;
            away = -away;
        }
        if (fabs(off) > rho) return 0;
        away -= plan->spread;
        if (away * t > rho - off) t = (rho - off) / away;
    }
    return t;
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

static const double longest_look = 0.25; // s: nobody promises for longer

static TacTick after(const TacSafe *safe, TacTick now, double seconds) {
    TacTick ticks = tac_ticks_floor(safe->base, seconds);
    return ticks > TAC_TICK_NEVER / 2 ? TAC_TICK_NEVER / 2 : now + (ticks < 0 ? 0 : ticks);
}

void tac_safe_check_plan(TacSafe *safe, uint32_t vertex, TacTick now) {
    TacVertex *v = &safe->vertices[vertex];
    if (v->dirty) return;
    double x[3], u[3];
    tac_safe_motion(safe, vertex, now, x, u);
    TacTick regular = next_regular(safe, v, now);
    TacTick leaves = after(safe, now, time_inside(safe, vertex, now, x, u, longest_look));
    // a plan that somebody looks at before it is left needs no entry; one that is left soon is remade at once
    bool soon = regular == TAC_TICK_NEVER ? leaves - now < after(safe, 0, 5e-4) : leaves < regular;
    if (soon || v->box_until <= now) {
        tac_safe_mark_dirty(safe, vertex);
        return;
    }
    TacTick look = regular == TAC_TICK_NEVER && leaves < v->box_until ? leaves : v->box_until;
    file_vertex(safe, vertex, look);
}

// Remembers where it was, 64 to 128 kicks ago.
static void move_window(TacVertex *v, TacTick now, const double x[3]) {
    if (v->kicks < 16 && v->mark_time[0] >= 0) return;
    memcpy(v->mark[1], v->mark[0], sizeof v->mark[0]);
    v->mark_time[1] = v->mark_time[0];
    memcpy(v->mark[0], x, sizeof v->mark[0]);
    v->mark_time[0] = now;
    v->kicks = 0;
}

// Of the motion over the window, where there were enough kicks to call it noise; else the motion itself.
static void choose_course(const TacSafe *safe, const TacVertex *v, TacTick now, const double x[3],
                          const double u[3], double course[3]) {
    memcpy(course, u, 3 * sizeof *course);
    if (v->kicks_of_plan < 4 || v->mark_time[1] < 0 || v->mark_time[1] >= now) return;
    double span = tac_safe_seconds(safe, now - v->mark_time[1]);
    for (int k = 0; k < 3; k++) course[k] = (x[k] - v->mark[1][k]) / span + 0.5 * span * v->g[k];
}

// The tube widens when plans are short-lived and narrows when they last.
static double choose_width(const TacSafe *safe, TacVertex *v, int level, TacTick now, TacTick start) {
    double life = tac_safe_seconds(safe, now - start), *wanted = &v->wanted[level];
    if (!safe->starting) {
        if (life < 0.010) *wanted *= 2;
        if (life > 0.160) *wanted *= 0.5;
    }
    double most = (level == TAC_WIDE ? 0.05 : 0.03) * (double)v->scale;
    *wanted = fmin(fmax(*wanted, (level == TAC_WIDE ? 0.1 : 1e-3) * safe->most_eta), most);
    return safe->def.vagueness * *wanted;
}

// Seconds for which the narrow tube stays inside the wide one.
static double time_nested(const TacSafe *safe, uint32_t vertex, TacTick now) {
    const TacPlan *narrow = &safe->plans[TAC_PLANS * vertex + TAC_NARROW], *wide = narrow + 1;
    double c[3], u[3], rho, wc[3], wu[3], wide_rho, t = longest_look;
    tac_plan_at(safe, vertex, TAC_NARROW, now, c, u, &rho);
    tac_plan_at(safe, vertex, TAC_WIDE, now, wc, wu, &wide_rho);
    for (int k = 0; k < 3; k++) {
        double room = wide_rho - rho - fabs(c[k] - wc[k]);
        double away = (c[k] < wc[k] ? wu[k] - u[k] : u[k] - wu[k]) + narrow->spread - wide->spread;
        if (!(room > 0)) return 0;
        // the other side is farther, but may be met too
        double back = -away, far = wide_rho - rho + fabs(c[k] - wc[k]);
        if (away * t > room) t = room / away;
        if (back * t > far) t = far / back;
    }
    return t;
}

static void make_plan(TacSafe *safe, uint32_t vertex, int level, TacTick now, const double x[3],
                      const double course[3], double rho) {
    TacPlan *plan = &safe->plans[TAC_PLANS * vertex + (uint32_t)level];
    *plan = (TacPlan){.start = now, .rho = rho};
    if (safe->def.cone) {
        // a velocity may differ by what would fill the tube in 10 ms
        double least = rho * 1e-3;
        plan->spread = rho / 0.010;
        plan->rho = level == TAC_WIDE ? rho * 0.1 : least;
    }
    memcpy(plan->p, x, 3 * sizeof *x);
    memcpy(plan->u, course, 3 * sizeof *course);
    safe->stats.plans++;
}

static double least_width(const TacSafe *safe, const double x[3]) {
    double size = fmax(fabs(x[0]), fmax(fabs(x[1]), fabs(x[2])));
    return fmax(1e-9 * safe->most_eta, 1e-13 * size);
}

// The wide plan, where the narrow one will not stay in it for long; then the box around that.
static double remake_outside(TacSafe *safe, uint32_t vertex, TacTick now, const double x[3],
                             const double course[3], bool must) {
    TacVertex *v = &safe->vertices[vertex];
    const TacPlan *narrow = &safe->plans[TAC_PLANS * vertex + TAC_NARROW], *wide = narrow + 1;
    double nested = must ? 0 : time_nested(safe, vertex, now);
    if (nested < 2e-4) {
        double rho = fmax(choose_width(safe, v, TAC_WIDE, now, wide->start), 2 * narrow->rho);
        make_plan(safe, vertex, TAC_WIDE, now, x, course, fmax(rho, 4 * least_width(safe, x)));
        v->wide_remade = true;
        nested = time_nested(safe, vertex, now);
        if (nested < 2e-4) {
            // the course is not the narrow plan's own: follow that
            make_plan(safe, vertex, TAC_WIDE, now, x, narrow->u, wide->rho);
            nested = time_nested(safe, vertex, now);
        }
    }
    double box = tac_safe_box_time(safe, vertex, now);
    if (box < 2e-4) {
        tac_safe_fit_box(safe, vertex, now);
        box = tac_safe_box_time(safe, vertex, now);
    }
    return fmin(nested, box);
}

void tac_safe_remake_plan(TacSafe *safe, uint32_t vertex, TacTick now) {
    TacVertex *v = &safe->vertices[vertex];
    double x[3], u[3], course[3];
    tac_safe_motion(safe, vertex, now, x, u);
    move_window(v, now, x);
    choose_course(safe, v, now, x, u, course);
    TacTick start = safe->plans[TAC_PLANS * vertex + TAC_NARROW].start;
    double rho = fmin(choose_width(safe, v, TAC_NARROW, now, start), (double)v->slack);
    rho = fmax(rho, least_width(safe, x));
    make_plan(safe, vertex, TAC_NARROW, now, x, course, rho);
    v->kicks_of_plan = 0;
    // the course must hold until somebody looks again; else the motion itself, which does until the next kick
    TacTick regular = next_regular(safe, v, now);
    double needed = regular == TAC_TICK_NEVER ? 5e-4 : tac_safe_seconds(safe, regular - now);
    if (time_inside(safe, vertex, now, x, u, longest_look) < needed)
        make_plan(safe, vertex, TAC_NARROW, now, x, u, rho);
    double inside = time_inside(safe, vertex, now, x, u, longest_look);
    v->box_until = after(safe, now, remake_outside(safe, vertex, now, x, course, safe->starting));
    TacTick leaves = after(safe, now, inside);
    TacTick look = leaves < regular && leaves < v->box_until ? leaves : v->box_until;
    if (look <= now) look = now + 1;
    file_vertex(safe, vertex, look);
}
