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
    double span = tac_safe_seconds(safe, now - safe->marked), between = 0.5 * (span + (double)trend->span);
    for (int k = 0; k < 3; k++) {
        u[k] = (x[k] - trend->place[k]) / span + 0.5 * span * g[k];
        if (trend->span > 0)
            u[k] += (u[k] - (double)trend->mean[k] - span * g[k]) / between * 0.5 * (ahead + span);
    }
}

static void mark_trend(const TacSafe *safe, TacTrend *trend, TacTick now, const double x[3],
                       const double g[3]) {
    double span = trend->span >= 0 ? tac_safe_seconds(safe, now - safe->marked) : 0;
    if (trend->span >= 0 && !(span > 0)) return;
    for (int k = 0; k < 3 && span > 0; k++)
        trend->mean[k] = (float)((x[k] - trend->place[k]) / span + 0.5 * span * g[k]);
    memcpy(trend->place, x, sizeof trend->place);
    trend->span = (float)span;
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
    double sweep = 20 * (double)safe->pair_count + 300 * (double)safe->vertex_count;
    double mending = 6000 * (double)safe->broken + 200 * (double)safe->null_looks;
    if (mending > 2 * sweep && safe->sweep_class > safe->least_class)
        safe->sweep_class--;
    else if (mending < 0.25 * sweep && safe->sweep_class < safe->most_class)
        safe->sweep_class++;
    safe->broken = safe->null_looks = 0;
}

// In a window that is too long boxes meet that never do: as many as vertices fly by their own size, but the fewer the less of
// that they fly. It should not be more than it costs to renew them all. So a few that are fast hurry nobody else.
static bool boxes_may_last(const TacSafe *safe, int e) {
    double seconds = ldexp(safe->base.tick, e), meetings = 0;
    for (size_t i = 0; i < safe->vertex_count; i++) {
        const double *u = safe->plans[i].u;
        double speed = fmax(fabs(u[0]), fmax(fabs(u[1]), fabs(u[2])));
        double flown = speed * seconds / (double)safe->lore[i].scale;
        meetings += flown * fmin(flown, 1);
    }
    return 8 * meetings <= (double)safe->vertex_count;
}

// One that leaves its course over and over counts once: it would in any window.
static size_t count_strayed(const TacSafe *safe) {
    size_t count = 0;
    for (size_t i = 0; i < safe->vertex_count; i++) count += safe->vertices[i].strayed;
    return count;
}

// Shorter where many vertices left their courses, longer where few did.
static void choose_boxes_class(TacSafe *safe) {
    enum { MOST_SWEEPS = 4 }; // 16 of them
    // nanoseconds, roughly
    double window = 300 * (double)safe->pair_count + 1500 * (double)safe->vertex_count;
    double straying = 12000 * (double)count_strayed(safe);
    if (straying > window)
        safe->boxes_class--;
    else if (straying < 0.12 * window) // in one twice as long, several times as many do
        safe->boxes_class++;
    // what moves at the start is not known yet to keep its courses for long
    if (safe->starting) safe->boxes_class = safe->sweep_class + 1;
    if (safe->boxes_class > safe->sweep_class + MOST_SWEEPS)
        safe->boxes_class = safe->sweep_class + MOST_SWEEPS;
    while (safe->boxes_class > safe->sweep_class && !boxes_may_last(safe, safe->boxes_class))
        safe->boxes_class--;
    if (safe->boxes_class < safe->sweep_class) safe->boxes_class = safe->sweep_class;
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
        choose_boxes_class(safe);
        safe->boxes_from = now;
        safe->boxes_until = safe->vertex_count ? next_multiple(now, safe->boxes_class) : TAC_TICK_NEVER / 2;
        safe->windows++;
    }
    TacTick until = safe->vertex_count ? next_multiple(now, safe->sweep_class) : TAC_TICK_NEVER / 2;
    safe->sweep_from = now;
    safe->sweep_until = until < safe->boxes_until ? until : safe->boxes_until;
    return boxes;
}

// --- plans ------------------------------------------------------------------------------------------------

typedef struct Sweep {
    TacSafe *safe;
    TacTick now;
    bool boxes;
    size_t strays;   // vertices that leave their courses
    uint8_t *failed; // per certificate, whether it was ASKED, and has FAILED
} Sweep;

// Windows after which courses that hold beyond theirs are asked whether they are too wide.
enum { SELDOM = 16 };

static bool needs_course(const TacSafe *safe, uint32_t vertex, const Sweep *sweep) {
    bool still = tac_safe_is_still(&safe->courses[vertex]); // it holds in any window
    bool asked = sweep->boxes &&
                 (!still || (safe->windows % SELDOM == 0 && tac_safe_is_wide(safe, vertex, sweep->now)));
    return asked || safe->starting || !tac_safe_on_course(safe, vertex, sweep->now);
}

static void plan_chunk(void *data, size_t begin, size_t end, size_t chunk) {
    (void)chunk;
    const Sweep *sweep = data;
    TacSafe *safe = sweep->safe;
    for (size_t i = begin; i < end; i++) {
        TacVertex *v = &safe->vertices[i];
        tac_safe_make_plan(safe, (uint32_t)i, sweep->now, false);
        tac_safe_narrow_pace(safe, (uint32_t)i, sweep->now);
        if (!v->frame) mark_trend(safe, &safe->lore[i].trend, sweep->now, safe->plans[i].p, v->g);
        v->broken = false;
        v->late = true; // until what rests on it is listed
        v->leaving = needs_course(safe, (uint32_t)i, sweep);
        if (v->leaving) tac_safe_renew_course(safe, (uint32_t)i, sweep->now);
        v->strayed = !sweep->boxes && (v->strayed || v->leaving);
        v->quiet = tac_safe_is_quiet(safe, (uint32_t)i, sweep->now);
    }
}

// What is not done side by side.
static void file_plans(TacSafe *safe, Sweep *sweep) {
    for (uint32_t i = 0; i < safe->vertex_count; i++) {
        const TacVertex *v = &safe->vertices[i];
        if (v->quiet)
            tac_safe_unfile_plan(safe, i);
        else
            tac_safe_file_plan(safe, i, sweep->now);
        if (!v->leaving) continue;
        tac_safe_leave_boxes(safe, i);
        sweep->strays += !sweep->boxes;
    }
}

// --- certificates -----------------------------------------------------------------------------------------

enum { FAILED = 1, ASKED = 2 };

static void certificate_chunk(void *data, size_t begin, size_t end, size_t chunk) {
    (void)chunk;
    const Sweep *sweep = data;
    TacSafe *safe = sweep->safe;
    for (size_t i = begin; i < end; i++) {
        TacCertificate *c = &safe->certificates[i];
        TacLevel level = (TacLevel)c->level;
        // courses are new when a window of boxes begins, and where vertices left them
        bool asked =
            level == TAC_LEVEL_PLAN || (level == TAC_LEVEL_COURSE && (sweep->boxes || sweep->strays > 0));
        // when a window of boxes begins, all that can rest on courses
        if (asked && sweep->boxes) level = TAC_LEVEL_COURSE;
        // what has an end of its own rests on plans that are gone
        bool failed = level == TAC_LEVEL_TIMED || (asked && !tac_safe_stays_apart(safe, c, level));
        if (!failed) c->level = (uint8_t)level;
        sweep->failed[i] = (failed ? FAILED : 0) | (asked ? ASKED : 0);
    }
}

static TacStatus look_through(TacSafe *safe, Sweep *sweep, TacError *error) {
    if (!tac_grow_bare(&safe->failed, &safe->failed_capacity, safe->certificate_count + 1,
                       sizeof *safe->failed))
        return tac_fail_memory(error, 0);
    sweep->failed = safe->failed;
    tac_team_run(safe->team, safe->certificate_count,
                 tac_team_grain(safe->team, safe->certificate_count, 512), certificate_chunk, sweep);
    size_t asked = 0;
    for (size_t i = 0; i < safe->certificate_count; i++) {
        asked += (safe->failed[i] & ASKED) != 0;
        if (safe->failed[i] & FAILED) tac_safe_mark_pair(safe, safe->certificates[i].pair);
    }
    safe->stats.certificates_rescheduled += asked;
    safe->stats.certificates += safe->pair_count;
    return TAC_OK;
}

TacStatus tac_safe_list_resting(TacSafe *safe, TacError *error) {
    uint32_t *first = safe->first_resting;
    tac_fit(&safe->certificates, &safe->certificate_capacity, safe->certificate_count,
            sizeof *safe->certificates);
    memset(first, 0, (safe->vertex_count + 2) * sizeof *first);
    for (size_t i = 0; i < safe->certificate_count; i++) {
        TacCertificate *c = &safe->certificates[i];
        c->listed = c->level == TAC_LEVEL_PLAN || c->level == TAC_LEVEL_TIMED;
        for (int k = 0; c->listed && k < 4; k++) first[c->v[k] + 2]++;
    }
    for (size_t i = 2; i < safe->vertex_count + 2; i++) first[i] += first[i - 1];
    tac_trim(&safe->resting, &safe->resting_capacity, first[safe->vertex_count + 1], sizeof *safe->resting);
    if (!tac_grow_bare(&safe->resting, &safe->resting_capacity, first[safe->vertex_count + 1],
                       sizeof *safe->resting))
        return tac_fail_memory(error, 0);
    for (size_t i = 0; i < safe->certificate_count; i++) {
        const TacCertificate *c = &safe->certificates[i];
        for (int k = 0; c->listed && k < 4; k++) safe->resting[first[c->v[k] + 1]++] = c->pair;
    }
    for (size_t i = 0; i < safe->vertex_count; i++) safe->vertices[i].late = false;
    return TAC_OK;
}

TacStatus tac_safe_sweep(TacSafe *safe, TacTick now, TacError *error) {
    Sweep sweep = {.safe = safe, .now = now, .boxes = begin_windows(safe, now)};
    double time = tac_safe_wall();
    tac_safe_sweep_bodies(safe, now);
    tac_team_run(safe->team, safe->vertex_count, tac_team_grain(safe->team, safe->vertex_count, 32),
                 plan_chunk, &sweep);
    safe->stats.plans += safe->vertex_count;
    safe->marked = now;
    // what was to be mended is new
    for (size_t i = 0; i < safe->dirty_vertices.count; i++)
        safe->vertices[safe->dirty_vertices.items[i]].dirty = false;
    safe->dirty_vertices.count = 0;
    file_plans(safe, &sweep);
    tac_safe_spend(&safe->stats.planning, &time);
    if (safe->starting && !safe->def.cull) TAC_TRY(tac_safe_all_pairs(safe, &time, now, error));
    bool drops = sweep.boxes && safe->windows % 4 == 0;
    if (drops || safe->front || safe->dirty_primitives.count)
        TAC_TRY(tac_safe_update_boxes(safe, drops, &time, now, error));
    TAC_TRY(look_through(safe, &sweep, error));
    tac_safe_spend(&safe->stats.certificates_rescheduling, &time);
    return TAC_OK;
}
