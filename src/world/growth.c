// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Agents whose step is too long. See growth.h.

#include "world/growth.h"
#include "world/stride.h"

// The step that its last kick was for: a hit may have cut it short.
static double step_of(const TacTicker *t) {
    int shorter = t->stride && t->stride->kick > 0 ? t->ruler_class - (int)t->stride->kick : 0;
    return ldexp(t->step, shorter > 0 ? -shorter : 0);
}

static bool is_watched(const TacMatter *m) {
    return m->times && m->kind == TAC_VEC3;
}

enum { LANES = 24 }; // whole points

typedef struct Sums {
    double sums[LANES], squares[LANES];
} Sums;

// Lane by lane, so that sums of many points do not wait for one another.
static void add_up(Sums *s, const double *v, size_t n) {
    size_t k = 0;
    for (; k + LANES <= n; k += LANES)
        for (size_t j = 0; j < LANES; j++) {
            s->sums[j] += v[k + j];
            s->squares[j] += v[k + j] * v[k + j];
        }
    for (size_t j = 0; k + j < n; j++) {
        s->sums[j] += v[k + j];
        s->squares[j] += v[k + j] * v[k + j];
    }
}

// The mean of a vector over all points that are watched. Returns how unlike they are: the root of the mean square.
static double mean_of(const TacProgram *p, TacVector which, TacVec3 *mean) {
    Sums s = {{0}, {0}};
    double count = 0, squares = 0, sum[3] = {0, 0, 0};
    for (size_t i = 0; i < p->matter_count; i++) {
        const TacMatter *m = p->matters[i];
        if (!is_watched(m)) continue;
        add_up(&s, m->vectors[which], 3 * m->count);
        count += (double)m->count;
    }
    for (size_t j = 0; j < LANES; j++) {
        sum[j % 3] += s.sums[j];
        squares += s.squares[j];
    }
    count = fmax(1, count);
    *mean = tac_scale(tac_load3(sum), 1 / count);
    return sqrt(fmax(0, squares / count - tac_dot(*mean, *mean)));
}

// Over how many of the last kicks it has risen too steeply; 0: it has not. `way` is how far it goes in a step, in edges.
static int steep(const double *speeds, double now, double way) {
    for (int n = 1; n <= TAC_GROWTH_KICKS; n++) {
        double newer = n == 1 ? now : speeds[n - 2], older = speeds[n - 1];
        if (!(newer > older) || !(older > 0)) return 0;
        if (way > (n == 1 ? 8 : 1) && now > ldexp(older, TAC_GROWTH_KICKS + 2 - n)) return n;
    }
    return 0;
}

// --- points that kicks turn around --------------------------------------------------------------------------------

static bool is_implicit(const TacTicker *t) {
    return t->solver && t->solver->base.cls->ops.solver->needs_linear;
}

// The square of a point's speed after a kick that turned it around, within 60 degrees, and made it faster; else 0.
static double speed_if_turned(TacVec3 before, TacVec3 kick) {
    TacVec3 after = tac_add(before, kick);
    double dot = tac_dot(before, after);
    if (!(dot < 0)) return 0;
    double old = tac_dot(before, before), new = tac_dot(after, after);
    return new > old && 4 * dot *dot > old *new ? new : 0;
}

static void note_rise(TacGrowthState *g, double way) {
    double rise = g->turned > 0 ? way / g->turned : 0;
    bool rises = rise > 1;
    g->rises = rises ? g->rises + 1 : 0;
    g->rise = rises ? fmax(g->rise, rise) : 1;
    if (!rises) g->first = way;
    g->turned = way;
}

// What others (layers, mostly) gave since its last kick is not its doing: earlier speeds count as that much faster.
static void forgive(TacGrowthState *g, double now) {
    double factor = now / g->speeds[0];
    if (!(factor > 1)) return;
    for (int i = 0; i < TAC_GROWTH_KICKS; i++) g->speeds[i] = factor < INFINITY ? g->speeds[i] * factor : now;
}

// A point's velocity before a kick, and the kick. One that comes in parts counts as if it were given at once, and the last one
// had been: what was given ahead, now and then, is left out.
static void kick_on(const TacMatter *m, size_t point, const TacStrideParts *parts, TacVec3 *before,
                    TacVec3 *kick) {
    *before = tac_load3(m->vectors[TAC_V] + 3 * point);
    *kick = tac_load3(m->vectors[TAC_DV] + 3 * point);
    if (!(parts->count > 0)) return;
    TacVec3 part = tac_load3(m->vectors[TAC_PART] + 3 * point);
    *before = tac_axpy(tac_add(*before, *kick), -parts->given, part);
    *kick = tac_scale(part, parts->count);
}

// The means of both. Returns how unlike kicks are.
static double mean_kick(const TacProgram *p, const TacStrideParts *parts, TacVec3 *before, TacVec3 *kick) {
    double unlike = mean_of(p, TAC_DV, kick);
    if (!(parts->count > 0)) return unlike;
    TacVec3 part;
    unlike = parts->count * mean_of(p, TAC_PART, &part);
    *before = tac_axpy(tac_add(*before, *kick), -parts->given, part);
    *kick = tac_scale(part, parts->count);
    return unlike;
}

void tac_world_note_turned(const TacWorld *world, const TacTicker *t) {
    TacGrowth *growth = t->growth;
    const TacProgram *p = &t->program;
    TacVec3 before, kick;
    forgive(&growth->state, mean_of(p, TAC_V, &before));
    if (is_implicit(t)) return;
    TacStrideParts parts = tac_stride_parts(world, t);
    double unlike = mean_kick(p, &parts, &before, &kick);
    growth->state.far = unlike * step_of(t) > 8 * growth->size ? growth->state.far + 1 : 0;
    double most = speed_if_turned(before, kick) / (growth->size * growth->size); // all of them together
    for (size_t i = 0; i < p->matter_count; i++) {
        const TacMatter *m = p->matters[i];
        uint32_t first = is_watched(m) ? world->first_support[m->base.index] : UINT32_MAX;
        for (uint32_t k = 0; first != UINT32_MAX && k < m->count; k++) {
            TacVec3 v, dv;
            kick_on(m, k, &parts, &v, &dv);
            double square = speed_if_turned(tac_sub(v, before), tac_sub(dv, kick));
            if (!(square > 0)) continue;
            double size = tac_safe_size(world->safe, first + k);
            if (!(size < INFINITY)) size = growth->size;
            most = fmax(most, square / (size * size));
        }
    }
    note_rise(&growth->state, step_of(t) * sqrt(most));
}

static bool is_turned_too_far(const TacGrowthState *g) {
    double least = g->rises >= TAC_GROWTH_KICKS ? 8 : g->rises >= 3 ? 64 : INFINITY;
    return g->turned > 0.0625 && g->turned > least * g->rise * g->first;
}

// ---------------------------------------------------------------------------------------------------------------------

static TacStatus fail_far(TacWorld *world, const TacTicker *t, TacError *error) {
    world->failed = true;
    return tac_fail(
        error, TAC_FAILED,
        "at %g s %s blew up: each of its last two steps gave its points speeds that carry them farther "
        "than eight of their edges (%g m) in one step. A smaller step (it is %g s) or less force may "
        "help. Nothing has passed through",
        tac_world_time(world), t->name, t->growth->size, t->step);
}

static TacStatus fail_turned(TacWorld *world, const TacTicker *t, TacError *error) {
    const TacGrowthState *g = &t->growth->state;
    world->failed = true;
    return tac_fail(
        error, TAC_FAILED,
        "at %g s %s blew up: each of the last %.0f steps turned points around and made them faster, %.3g "
        "times "
        "in all, up to %.2g of their edges in one step. A smaller step (it is %g s), less stiffness, less "
        "damping or an implicit solver may help. Nothing has passed through",
        tac_world_time(world), t->name, g->rises, g->turned / g->first, g->turned, t->step);
}

TacStatus tac_world_watch_growth(TacWorld *world, const TacTicker *t, TacError *error) {
    TacGrowth *growth = t->growth;
    TacVec3 mean;
    double *speeds = growth->state.speeds, now = mean_of(&t->program, TAC_V, &mean);
    int kicks = steep(speeds, now, now * step_of(t) / growth->size);
    double older = kicks ? speeds[kicks - 1] : 0;
    for (int i = TAC_GROWTH_KICKS - 1; i > 0; i--) speeds[i] = speeds[i - 1];
    speeds[0] = now;
    if (growth->state.far >= 2) return fail_far(world, t, error);
    if (is_turned_too_far(&growth->state)) return fail_turned(world, t, error);
    if (!kicks || (is_implicit(t) && !tac_world_is_unsolved(t))) return TAC_OK;
    world->failed = true;
    if (is_implicit(t))
        return tac_fail(
            error, TAC_FAILED,
            "at %g s %s blew up: its points fly apart at %g m/s, %.3g times as fast as %d step%s ago. Its "
            "%s uses up its iterations far from a solution (relative residual %.2g): more iterations, a "
            "<SparseDirect/> beside the solver or a smaller step (it is %g s) may help. Nothing has "
            "passed through",
            tac_world_time(world), t->name, now, now / older, kicks, kicks == 1 ? "" : "s",
            t->solver->linear->base.cls->name, t->report.left, t->step);
    return tac_fail(
        error, TAC_FAILED,
        "at %g s %s blew up: its points fly apart at %g m/s, %.3g times as fast as %d step%s ago, "
        "and farther in one step than their mesh is wide (%g m). A smaller step (it is %g s), "
        "less stiffness, less damping or an implicit solver may help. Nothing has passed through",
        tac_world_time(world), t->name, now, now / older, kicks, kicks == 1 ? "" : "s", growth->size,
        t->step);
}

void tac_world_forget_growth(TacWorld *world, const TacMatter *matter) {
    for (size_t i = 0; i < world->ticker_count; i++) {
        const TacTicker *t = &world->tickers[i];
        if (t->growth && tac_program_has(&t->program, matter)) t->growth->state = (TacGrowthState){0};
    }
}
