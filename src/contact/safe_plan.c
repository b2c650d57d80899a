// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Where supports and vertices are, and flight plans: straight lines (thrown stones' paths) with a tube around
// them. Nothing here can change what happens: only when somebody looks.

#include "contact/safe_parts.h"

// --- places -----------------------------------------------------------------------------------------------

void tac_safe_reach(TacSafe *safe, TacSupport *s, TacTick now) {
    TacTick *time = tac_support_time(s);
    if (*time == now) return;
    if (safe->witness) tac_safe_tell(safe, (uint32_t)(s - safe->supports), now);
    double h = tac_safe_seconds(safe, now - *time), *x = tac_support_x(s), *v = tac_support_v(s);
    const double *g = s->kind->g;
    if (s->frame) tac_matter_fly_one(s->kind->matter, s->index, h, x, v, x, v);
    for (int k = 0; !s->frame && k < 3; k++) {
        x[k] = x[k] + h * v[k] + 0.5 * h * h * g[k];
        v[k] += h * g[k];
    }
    *time = now;
}

void tac_safe_motion(const TacSafe *safe, uint32_t vertex, TacTick now, double x[3], double u[3]) {
    const TacVertex *v = &safe->vertices[vertex];
    if (v->frame) {
        tac_safe_motion_on_frame(safe, vertex, now, x, u);
        return;
    }
    double sum[3] = {0, 0, 0}, speed[3] = {0, 0, 0};
    for (uint32_t i = 0; i < v->count; i++) {
        TacSafeCarrier c = tac_safe_carrier(safe, v, i);
        const TacSupport *s = &safe->supports[c.support];
        const double *from = tac_support_x(s), *way = tac_support_v(s), *g = s->kind->g;
        double h = tac_safe_seconds(safe, now - *tac_support_time(s)), w = c.weight;
        for (int k = 0; k < 3; k++) {
            sum[k] += w * (from[k] + h * way[k] + 0.5 * h * h * g[k]);
            speed[k] += w * (way[k] + h * g[k]);
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
        bodies[i] = v->frame ? tac_safe_carrier(safe, v, 0).support + 1 : 0;
    }
}

// --- paces ------------------------------------------------------------------------------------------------

// Seconds for which the pace is kept if nothing kicks the vertex; 0: it is broken.
static double time_kept(const TacSafe *safe, uint32_t vertex, TacTick now, const double u[3]) {
    const TacVertex *v = &safe->vertices[vertex];
    const TacPace *pace = &safe->paces[vertex];
    double t = tac_safe_seconds(safe, now - pace->start), most = 0, lasts;
    for (int k = 0; k < 3; k++) most = tac_larger(most, fabs(u[k] - (double)pace->u[k] - t * v->g[k]));
    if (!(most <= (double)pace->slack)) return 0;
    double a = tac_safe_bend(safe, vertex, now, &lasts);
    return a > 0 ? tac_smaller(lasts, ((double)pace->slack - most) / a) : INFINITY;
}

// Seconds: a pace that is broken as soon is made anew at once.
#define SOON 1e-5

void tac_safe_file(TacSafe *safe, uint32_t vertex, TacTick tick) {
    TacTick filed = tac_wheel_tick(&safe->vertex_wheel, vertex);
    if (filed == tick) return;
    TacError ignored;
    if (tick == TAC_TICK_NEVER) {
        if (filed >= 0) tac_wheel_cancel(&safe->vertex_wheel, vertex);
    } else if (tac_wheel_file(&safe->vertex_wheel, vertex, tick, &ignored) != TAC_OK) {
        safe->out_of_memory = true;
    }
}

TacTick tac_safe_after(const TacSafe *safe, TacTick now, double seconds) {
    TacTick ticks = tac_ticks_floor(safe->base, seconds);
    return ticks > TAC_TICK_NEVER / 2 ? TAC_TICK_NEVER / 2 : now + (ticks < 0 ? 0 : ticks);
}

// A turning vertex leaves its pace even if nothing kicks it.
static void file_pace(TacSafe *safe, uint32_t vertex, TacTick now, const double u[3]) {
    if (!safe->vertices[vertex].frame || !safe->vertices[vertex].paced) return;
    TacTick leaves = tac_safe_after(safe, now, time_kept(safe, vertex, now, u));
    TacTick filed = tac_wheel_tick(&safe->vertex_wheel, vertex);
    if (filed < 0 || leaves < filed) tac_safe_file(safe, vertex, leaves > now ? leaves : now + 1);
}

// Of the usual speed: a slack that is not narrowed before it is left.
#define WIDE 0.1

// The slack widens when paces are short-lived and narrows when they last.
static void make_pace(TacSafe *safe, uint32_t vertex, TacTick now, const double u[3]) {
    TacPace *pace = &safe->paces[vertex];
    double life = tac_safe_seconds(safe, now - pace->start), least = 0.002 * safe->most_speed, lasts;
    double wanted = (double)pace->wanted, rounded = 0;
    if (life < 1e-4) wanted *= 2;
    if (life > 1e-3) wanted *= 0.5;
    double a = tac_safe_bend(safe, vertex, now, &lasts);
    double widened = tac_safe_widened(safe);
    wanted = tac_smaller(tac_larger(wanted, least / widened), 100 * safe->most_speed / widened);
    for (int k = 0; k < 3; k++) {
        pace->u[k] = (float)u[k];
        rounded = tac_larger(rounded, fabs(u[k] - (double)pace->u[k]));
    }
    pace->wanted = (float)wanted;
    pace->slack = tac_safe_up(tac_larger(wanted * safe->def.vagueness, 4e-5 * a) + rounded +
                              1e-12 * (fabs(u[0]) + fabs(u[1]) + fabs(u[2])));
    pace->start = now;
}

// Looks whether the pace is kept at a velocity; otherwise makes another and marks the pairs that rest on it.
static void check_pace(TacSafe *safe, uint32_t vertex, TacTick now, const double u[3]) {
    if (!safe->vertices[vertex].paced) return;
    if (time_kept(safe, vertex, now, u) < SOON) {
        TacPace old = safe->paces[vertex];
        make_pace(safe, vertex, now, u);
        double t = tac_safe_seconds(safe, now - old.start), change = 0;
        for (int k = 0; k < 3; k++)
            change = tac_larger(change, fabs(u[k] - (double)old.u[k] - t * safe->vertices[vertex].g[k]));
        // along a direction, the sum of its parts counts: at most the root of 3
        tac_safe_hurry_around(safe, vertex,
                              1.7321 * (change + (double)safe->paces[vertex].slack - (double)old.slack), now);
    }
    file_pace(safe, vertex, now, u);
}

// A narrower promise is kept by whoever keeps the wider one, so nobody needs to hear of it: pairs are looked at less often as
// soon as they are judged again. Vertices of bodies have filed when they leave theirs.
void tac_safe_narrow_pace(const TacSafe *safe, uint32_t vertex, TacTick now) {
    const TacVertex *v = &safe->vertices[vertex];
    TacPace *pace = &safe->paces[vertex];
    if (!v->paced || v->frame || !((double)pace->slack > WIDE * safe->most_speed)) return;
    double x[3], u[3], t = tac_safe_seconds(safe, now - pace->start), off = 0;
    tac_safe_motion(safe, vertex, now, x, u);
    for (int k = 0; k < 3; k++) off = tac_larger(off, fabs(u[k] - (double)pace->u[k] - t * v->g[k]));
    if (!(t > 1e-3) || !(8 * off < (double)pace->slack)) return;
    pace->wanted *= 0.5f;
    pace->slack *= 0.5f;
}

void tac_safe_check_pace(TacSafe *safe, uint32_t vertex, TacTick now) {
    if (!safe->vertices[vertex].paced) return;
    double x[3], u[3];
    tac_safe_motion(safe, vertex, now, x, u);
    check_pace(safe, vertex, now, u);
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
        int e = safe->supports[tac_safe_carrier(safe, v, i).support].regular;
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

// How far x is from where the plan is, along the axis where that is most.
static double off_plan(const TacSafe *safe, uint32_t vertex, TacTick now, const double x[3], double *rho) {
    double c[3], u[3], off = 0;
    tac_plan_at(safe, vertex, now, c, u, rho);
    for (int k = 0; k < 3; k++) off = tac_larger(off, fabs(x[k] - c[k]));
    return off;
}

// Seconds that the motion (x, u) from now on stays inside the tube, at most `longest`.
static double time_inside(const TacSafe *safe, uint32_t vertex, TacTick now, const double x[3],
                          const double u[3], double longest) {
    const TacPlan *plan = &safe->plans[vertex];
    double c[3], cu[3], rho, t = longest;
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
    return inside >= left ? end : tac_safe_after(safe, now, inside);
}

// A plan that somebody looks at before it is left needs no entry; one that is left soon is remade at once. Of a vertex on a
// frame only its pace is its own.
void tac_safe_check_plan(TacSafe *safe, uint32_t vertex, TacTick now) {
    TacVertex *v = &safe->vertices[vertex];
    if ((v->dirty || v->frame) && !v->paced) return;
    double x[3], u[3];
    tac_safe_motion(safe, vertex, now, x, u);
    check_pace(safe, vertex, now, u);
    if (v->dirty || v->frame) return;
    TacTick leaves = leaves_at(safe, vertex, now, x, u);
    if (leaves >= safe->sweep_until || leaves >= next_regular(safe, v, now)) return;
    if (leaves - now < tac_safe_after(safe, 0, 2e-5))
        tac_safe_mark_dirty(safe, vertex);
    else
        tac_safe_file(safe, vertex, leaves);
}

// The tube widens when plans are left before their time and narrows when they are not filled.
static void choose_width(const TacSafe *safe, uint32_t vertex, TacTick now, const double x[3], bool mends) {
    TacSwept *swept = &safe->swept[vertex];
    if (safe->starting) return;
    double rho, off = off_plan(safe, vertex, now, x, &rho);
    const TacVertex *v = &safe->vertices[vertex];
    double wanted = (double)swept->wanted;
    if (mends) wanted *= 2;
    if (off < 0.25 * rho && !mends && !v->broken) wanted *= 0.8;
    const int thin = 4; // halvings from which on nests limit plans
    double eta = ldexp(safe->most_eta, -v->halvings), most = 0.05 * (double)safe->lore[vertex].scale;
    if (v->halvings >= thin) most = tac_smaller(most, 0.1 * eta);
    double widened = tac_safe_widened(safe);
    swept->wanted = (float)tac_smaller(tac_larger(wanted, 2e-3 * eta / widened), most / widened);
}

double tac_safe_least_width(const TacSafe *safe, double size) {
    return tac_larger(1e-9 * safe->most_eta, 1e-13 * size);
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
    double u[3], end[3], rho, rounded = 0;
    tac_plan_at(safe, vertex, safe->sweep_from, swept->c, u, &rho);
    tac_plan_at(safe, vertex, safe->sweep_until, end, u, &rho);
    for (int k = 0; k < 3; k++) {
        double way = end[k] - swept->c[k];
        swept->way[k] = (float)way;
        rounded = tac_larger(rounded, fabs(way - (double)swept->way[k]));
    }
    if (safe->uneven) rho += tac_safe_bulge(safe, vertex, safe->sweep_from);
    swept->rho = tac_safe_up(rho + rounded);
}

// A chord of what its body plans.
static void plan_on_body(TacSafe *safe, uint32_t vertex, TacTick now) {
    double from[3], u[3], rho = tac_safe_chord(safe, vertex, from, u);
    set_plan(safe, vertex, now, from, u, rho);
    set_swept(safe, vertex);
}

void tac_safe_make_plan(TacSafe *safe, uint32_t vertex, TacTick now, bool mends) {
    TacVertex *v = &safe->vertices[vertex];
    if (v->frame) {
        plan_on_body(safe, vertex, now);
        return;
    }
    double x[3], u[3], expected[3];
    double ahead = tac_safe_seconds(safe, safe->sweep_until - now);
    tac_safe_motion(safe, vertex, now, x, u);
    choose_width(safe, vertex, now, x, mends);
    double size = tac_larger(fabs(x[0]), tac_larger(fabs(x[1]), fabs(x[2])));
    double rho = tac_larger((double)safe->swept[vertex].wanted * safe->def.vagueness,
                            tac_safe_least_width(safe, size));
    // what is expected must hold until somebody looks again; else the motion itself, which does until the next kick
    TacTick regular = next_regular(safe, v, now);
    double needed = regular < safe->sweep_until ? tac_safe_seconds(safe, regular - now) : ahead;
    int e = regular_class(safe, v);
    TacTick kicks = v->kicks_of_plan;
    if (e < TAC_RULER_CLASSES) kicks += (now >> e) - (safe->plans[vertex].start >> e);
    const TacTrend *trend = &safe->lore[vertex].trend;
    bool known = kicks >= 4 && trend->span >= 0 && safe->marked < now;
    if (known) {
        tac_trend_expect(safe, trend, now, ahead, x, v->g, expected);
        set_plan(safe, vertex, now, x, expected, rho);
    }
    if (!known || time_inside(safe, vertex, now, x, u, needed) < needed)
        set_plan(safe, vertex, now, x, u, rho);
    set_swept(safe, vertex);
    v->kicks_of_plan = 0;
}

bool tac_safe_keeps(const TacSafe *safe, uint32_t vertex, TacTick now) {
    const TacVertex *v = &safe->vertices[vertex];
    if (v->frame) return !v->paced;
    if (v->support == TAC_SAFE_NONE) return false;
    const TacSupport *s = &safe->supports[v->support];
    return *tac_support_time(s) == now &&
           tac_safe_plan_holds(safe, &safe->plans[vertex], v->g, tac_support_x(s), tac_support_v(s),
                               s->regular, now) &&
           (!v->paced || tac_safe_pace_holds(safe, &safe->paces[vertex], v->g, tac_support_v(s), now));
}

// Whether somebody looks before the plan is left, if nothing else kicks the vertex.
static bool is_seen(const TacSafe *safe, const TacVertex *v, TacTick leaves, TacTick now) {
    return leaves >= safe->sweep_until || leaves >= next_regular(safe, v, now);
}

bool tac_safe_is_quiet(const TacSafe *safe, uint32_t vertex, TacTick now) {
    const TacVertex *v = &safe->vertices[vertex];
    if (tac_safe_keeps(safe, vertex, now)) return true;
    if (v->frame) return false;
    double x[3], u[3];
    tac_safe_motion(safe, vertex, now, x, u);
    if (v->paced && time_kept(safe, vertex, now, u) < SOON) return false;
    return is_seen(safe, v, leaves_at(safe, vertex, now, x, u), now);
}

void tac_safe_unfile_plan(TacSafe *safe, uint32_t vertex) {
    tac_safe_file(safe, vertex, TAC_TICK_NEVER);
}

void tac_safe_file_plan(TacSafe *safe, uint32_t vertex, TacTick now) {
    const TacVertex *v = &safe->vertices[vertex];
    if (v->frame) {
        tac_safe_unfile_plan(safe, vertex);
        tac_safe_check_pace(safe, vertex, now);
        return;
    }
    double x[3], u[3];
    tac_safe_motion(safe, vertex, now, x, u);
    TacTick leaves = leaves_at(safe, vertex, now, x, u);
    bool seen = is_seen(safe, v, leaves, now);
    tac_safe_file(safe, vertex, seen ? TAC_TICK_NEVER : leaves > now ? leaves : now + 1);
    check_pace(safe, vertex, now, u);
}
