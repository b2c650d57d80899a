// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Windows. Plans and certificates last until the next sweep, which makes all of them anew in two passes through flat
// arrays: some 20 ns a pair. What is broken before is mended one by one, at a hundred times the cost; so windows are
// made shorter where much breaks and longer where little does. Boxes have windows of their own, of several sweeps.
//
// How long a window is depends on counts, never on a watch, and changes cost only.

#include "contact/safe_parts.h"

void tac_trend_expect(const TacSafe *safe, const TacTrend *trend, TacTick now, double ahead,
                      const double x[3], const double g[3], double u[3]) {
    double span = tac_safe_seconds(safe, now - trend->time), between = 0.5 * (span + trend->span);
    for (int k = 0; k < 3; k++) {
        u[k] = (x[k] - trend->place[k]) / span + 0.5 * span * g[k];
        if (trend->span > 0) u[k] += (u[k] - trend->mean[k] - span * g[k]) / between * 0.5 * (ahead + span);
    }
}

static void mark_trend(const TacSafe *safe, TacTrend *trend, TacTick now, const double x[3],
                       const double g[3]) {
    double span = trend->time >= 0 ? tac_safe_seconds(safe, now - trend->time) : 0;
    if (trend->time >= 0 && !(span > 0)) return;
    for (int k = 0; k < 3 && span > 0; k++)
        trend->mean[k] = (x[k] - trend->place[k]) / span + 0.5 * span * g[k];
    memcpy(trend->place, x, sizeof trend->place);
    trend->span = span;
    trend->time = now;
}

// --- how long ---------------------------------------------------------------------------------------------

void tac_safe_set_windows(TacSafe *safe) {
    safe->least_class = tac_ruler_class(safe->base, 1e-7);
    safe->most_class = tac_ruler_class(safe->base, 0.02);
    if (safe->least_class < 0) safe->least_class = 0;
    if (safe->most_class < safe->least_class) safe->most_class = safe->least_class;
    int usual = tac_ruler_class(safe->base, 5e-4);
    safe->sweep_class = usual < safe->least_class ? safe->least_class : usual;
}

static void choose_sweep_class(TacSafe *safe) {
    // nanoseconds, roughly
    double sweep = 20 * (double)safe->pair_count + 100 * (double)safe->vertex_count;
    double mending = 6000 * (double)safe->breaks + 200 * (double)safe->null_looks;
    if (mending > 2 * sweep && safe->sweep_class > safe->least_class)
        safe->sweep_class--;
    else if (mending < 0.25 * sweep && safe->sweep_class < safe->most_class)
        safe->sweep_class++;
    safe->breaks = safe->null_looks = 0;
}

// About as long as vertices take to fly by half their size, and some sweeps at most. Shorter windows renew more often what
// moves; longer ones let boxes meet that never do.
static int boxes_class(const TacSafe *safe) {
    double rate = 0;
    for (size_t i = 0; i < safe->vertex_count; i++) {
        const double *u = safe->plans[i].u;
        rate += fmax(fabs(u[0]), fmax(fabs(u[1]), fabs(u[2]))) / (double)safe->vertices[i].scale;
    }
    double most = 16 * ldexp(safe->base.tick, safe->sweep_class),
           mean = 0.5 * (double)safe->vertex_count / rate;
    int e = tac_ruler_class(safe->base, mean < most ? mean : most);
    return e > safe->sweep_class ? e : safe->sweep_class;
}

static TacTick next_multiple(TacTick now, int e) {
    TacTick period = (TacTick)1 << e;
    return (now / period + 1) * period;
}

// True: boxes begin a window too.
static bool begin_windows(TacSafe *safe, TacTick now) {
    bool boxes = safe->starting || now >= safe->boxes_until;
    if (!safe->starting) choose_sweep_class(safe);
    if (boxes) {
        safe->boxes_from = now;
        safe->boxes_until = safe->vertex_count ? next_multiple(now, boxes_class(safe)) : TAC_TICK_NEVER / 2;
        safe->windows++;
    }
    TacTick until = safe->vertex_count ? next_multiple(now, safe->sweep_class) : TAC_TICK_NEVER / 2;
    safe->sweep_until = until < safe->boxes_until ? until : safe->boxes_until;
    return boxes;
}

// --- plans ------------------------------------------------------------------------------------------------

typedef struct Sweep {
    TacSafe *safe;
    TacTick now;
    bool boxes;
    uint8_t *failed; // per pair
} Sweep;

static bool needs_course(const TacSafe *safe, uint32_t vertex, const Sweep *sweep) {
    const TacCourse *course = &safe->courses[vertex];
    bool still = memcmp(course->a, course->b, sizeof course->a) == 0; // holds in any window
    return (sweep->boxes && !still) || safe->starting || !tac_safe_on_course(safe, vertex, sweep->now);
}

static void plan_chunk(void *data, size_t begin, size_t end, size_t chunk) {
    (void)chunk;
    const Sweep *sweep = data;
    TacSafe *safe = sweep->safe;
    for (size_t i = begin; i < end; i++) {
        TacVertex *v = &safe->vertices[i];
        TacSwept *swept = &safe->swept[i];
        double u[3];
        tac_safe_make_plan(safe, (uint32_t)i, sweep->now, false);
        const TacPlan *plan = &safe->plans[i];
        mark_trend(safe, &v->trends[0], sweep->now, plan->p, v->g);
        v->broken = false;
        memcpy(swept->c[0], plan->p, sizeof swept->c[0]);
        tac_plan_at(safe, (uint32_t)i, safe->sweep_until, swept->c[1], u, &swept->rho);
        if (safe->uneven) swept->rho += tac_safe_bulge(safe, (uint32_t)i, sweep->now);
        v->leaving = needs_course(safe, (uint32_t)i, sweep);
    }
}

static void set_courses(TacSafe *safe, const Sweep *sweep) {
    for (uint32_t i = 0; i < safe->vertex_count; i++) {
        TacVertex *v = &safe->vertices[i];
        TacCourse *course = &safe->courses[i];
        tac_safe_file_plan(safe, i, sweep->now);
        if (v->leaving && !sweep->boxes) {
            tac_safe_mark_around(safe, i, TAC_MARK_PLANS | TAC_MARK_COURSES);
            tac_safe_stray(safe, i, sweep->now);
        }
        if (!sweep->boxes) continue;
        if (v->leaving) tac_safe_renew_course(safe, i, sweep->now);
        course->strayed = false;
        mark_trend(safe, &v->trends[1], sweep->now, safe->plans[i].p, v->g);
        TacSwept *swept = &safe->swept_courses[i];
        memcpy(swept->c[0], course->a, sizeof course->a);
        memcpy(swept->c[1], course->b, sizeof course->b);
        swept->rho = course->r;
    }
}

// --- certificates -----------------------------------------------------------------------------------------

// Whether the tubes of a certificate's vertices are apart along its direction at both ends of the window; between them
// they move in straight lines.
static inline bool stays_apart(const TacSwept *swept, const TacCertificate *c) {
    double d[3] = {(double)c->d[0], (double)c->d[1], (double)c->d[2]};
    double one = fabs(d[0]) + fabs(d[1]) + fabs(d[2]), reach = fabs((double)c->reach);
    double wide[4];
    for (int i = 0; i < 4; i++) wide[i] = one * swept[c->v[i]].rho;
    bool apart = true;
    for (int end = 0; end < 2; end++) {
        double s[4];
        for (int i = 0; i < 4; i++) {
            const double *x = swept[c->v[i]].c[end];
            s[i] = d[0] * x[0] + d[1] * x[1] + d[2] * x[2];
        }
        double second = s[1] + wide[1], low = s[0] - wide[0];
        double high = fmax(s[2] + wide[2], s[3] + wide[3]);
        if (c->reach < 0)
            low = fmin(low, s[1] - wide[1]);
        else
            high = fmax(high, second);
        double doubt = 1e-14 * (fabs(s[0]) + fabs(s[1]) + fabs(s[2]) + fabs(s[3]) + reach);
        apart = apart && low - high > reach + doubt;
    }
    return apart;
}

static void certificate_chunk(void *data, size_t begin, size_t end, size_t chunk) {
    (void)chunk;
    const Sweep *sweep = data;
    TacSafe *safe = sweep->safe;
    for (size_t i = begin; i < end; i++) {
        // when a window of boxes begins, all that can rest on courses
        const TacSwept *swept = sweep->boxes ? safe->swept_courses : safe->swept;
        bool asked =
            safe->levels[i] == TAC_LEVEL_PLAN || (sweep->boxes && safe->levels[i] == TAC_LEVEL_COURSE);
        // what has an end of its own rests on plans that are gone
        sweep->failed[i] =
            safe->levels[i] == TAC_LEVEL_TIMED || (asked && !stays_apart(swept, &safe->certificates[i]));
        if (asked && sweep->boxes && !sweep->failed[i]) safe->levels[i] = TAC_LEVEL_COURSE;
    }
}

static TacStatus look_through(TacSafe *safe, Sweep *sweep, TacError *error) {
    if (!tac_grow(&safe->failed, &safe->failed_capacity, safe->pair_used + 1, sizeof *safe->failed))
        return tac_fail_memory(error, 0);
    sweep->failed = safe->failed;
    tac_team_run(safe->team, safe->pair_used, 2048, certificate_chunk, sweep);
    for (size_t i = 0; i < safe->pair_used; i++)
        if (safe->failed[i]) tac_safe_mark_pair(safe, (uint32_t)i);
    safe->stats.certificates += safe->pair_count;
    return TAC_OK;
}

TacStatus tac_safe_sweep(TacSafe *safe, TacTick now, TacError *error) {
    Sweep sweep = {safe, now, begin_windows(safe, now), NULL};
    double t0 = tac_safe_wall();
    tac_team_run(safe->team, safe->vertex_count, 256, plan_chunk, &sweep);
    safe->stats.plans += safe->vertex_count;
    // what was to be mended is new
    for (size_t i = 0; i < safe->dirty_vertices.count; i++)
        safe->vertices[safe->dirty_vertices.items[i]].dirty = false;
    safe->dirty_vertices.count = 0;
    set_courses(safe, &sweep);
    double t1 = tac_safe_wall();
    if (safe->starting && !safe->def.cull) TAC_TRY(tac_safe_all_pairs(safe, now, error));
    TAC_TRY(tac_safe_update_boxes(safe, now, error));
    double t2 = tac_safe_wall();
    TAC_TRY(look_through(safe, &sweep, error));
    safe->stats.planning += t1 - t0;
    safe->stats.boxing += t2 - t1;
    safe->stats.certifying += tac_safe_wall() - t2;
    return TAC_OK;
}
