// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Layers on the lengths of edges. See edge_limits.h.

#include "contact/edge_limits.h"
#include "base/memory.h"

void tac_limits_destroy(TacLimits *limits) {
    tac_ruler_destroy(&limits->ruler);
    tac_wheel_destroy(&limits->wheel);
}

// --- where an edge is -------------------------------------------------------------------------------------

typedef struct Sight {
    double d[3], w[3], g[3]; // from the first end to the second: place, velocity, acceleration
    double length;
} Sight;

static void add_end(const TacLimits *limits, const TacLimitVertex *v, TacTick now, double s, Sight *sight) {
    const double *x = v->matter->vectors[TAC_X] + 3 * (size_t)v->point,
                 *u = v->matter->vectors[TAC_V] + 3 * (size_t)v->point;
    double h = tac_seconds(limits->base, now - v->matter->times[v->point]);
    for (int k = 0; k < 3; k++) {
        sight->d[k] += s * (h == 0 ? x[k] : x[k] + h * u[k] + 0.5 * h * h * v->g[k]);
        sight->w[k] += s * (u[k] + h * v->g[k]);
        sight->g[k] += s * v->g[k];
    }
}

static double norm(const double a[3]) {
    return sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
}

static Sight see(const TacLimits *limits, const TacLimitEdge *e, TacTick now) {
    Sight s = {{0}, {0}, {0}, 0};
    add_end(limits, &limits->vertices[e->ends[0]], now, -1, &s);
    add_end(limits, &limits->vertices[e->ends[1]], now, 1, &s);
    s.length = norm(s.d);
    return s;
}

static double least_gap(const TacLimitEdge *e, double length) {
    return fmin(e->high - length, length - e->low);
}

// --- certificates -----------------------------------------------------------------------------------------

static TacStatus fail_progress(TacLimits *limits, const TacLimitEdge *e, const Sight *s, TacTick now,
                               TacError *error) {
    limits->stuck = e->owner;
    return tac_fail(
        error, TAC_FAILED,
        "at %g s edge %u of %s (points %u and %u) is %g m long, its limits are %g m and %g m, and its "
        "ends move at %g m/s against each other: its next layer would have to tick more often than "
        "every %g s. Less speed, more mass or a larger strain would help",
        tac_seconds(limits->base, now), e->number, e->owner->base.path, limits->vertices[e->ends[0]].point,
        limits->vertices[e->ends[1]].point, s->length, e->low, e->high, norm(s->w), limits->base.tick);
}

// Time in which a gap can shrink by `room`, s, rounded down a little.
static double time_for(const Sight *s, double room) {
    double speed = norm(s->w), fall = norm(s->g);
    if (!(room > 0)) return 0;
    return 0.999999 * 2 * room / (speed + sqrt(speed * speed + 2 * fall * room)); // infinite at rest
}

// Arms as few classes as last for a period of the next finer one, and files when to look again.
static TacStatus certify(TacLimits *limits, uint32_t id, TacTick now, TacError *error) {
    TacLimitEdge *e = &limits->edges[id];
    Sight s = see(limits, e, now);
    double gap = least_gap(e, s.length), time = 0;
    int k = -1;
    for (;; k++) {
        if (tac_layers_class(&limits->layers, e->shift, k + 1) < 0 || !(gap > 0))
            return fail_progress(limits, e, &s, now, error);
        time = time_for(&s, gap - tac_layers_limit(&limits->layers, e->shift, k));
        double next = ldexp(limits->base.tick, tac_layers_class(&limits->layers, e->shift, k + 1));
        if (time >= next) break;
    }
    if (k != e->armed) {
        int to = tac_layers_class(&limits->layers, e->shift, k);
        if (k < 0)
            tac_ruler_remove(&limits->ruler, id);
        else
            TAC_TRY(e->armed < 0 ? tac_ruler_add(&limits->ruler, id, to, error)
                                 : tac_ruler_move(&limits->ruler, id, to, error));
        e->armed = (int8_t)k;
    }
    TacTick look = time < 1e6 ? now + (TacTick)fmin(time / limits->base.tick, 0x1p61) : TAC_TICK_NEVER;
    return tac_wheel_file(&limits->wheel, id, look > now ? look : now + 1, error);
}

static void mark(TacLimits *limits, uint32_t id) {
    if (limits->edges[id].dirty) return;
    limits->edges[id].dirty = true;
    limits->dirty[limits->dirty_count++] = id;
}

static TacStatus certify_marked(TacLimits *limits, TacTick now, TacError *error) {
    for (size_t i = 0; i < limits->dirty_count; i++) {
        limits->edges[limits->dirty[i]].dirty = false;
        TAC_TRY(certify(limits, limits->dirty[i], now, error));
    }
    limits->dirty_count = 0;
    return TAC_OK;
}

TacStatus tac_limits_start(TacLimits *limits, TacTick now, TacError *error) {
    const uint32_t *ids;
    size_t count;
    limits->dirty_count = limits->hit_count = 0;
    for (uint32_t i = 0; i < limits->edge_count; i++) {
        tac_ruler_remove(&limits->ruler, i);
        tac_wheel_cancel(&limits->wheel, i);
        limits->edges[i].armed = -1;
        limits->edges[i].dirty = false;
    }
    for (size_t i = 0; i < limits->vertex_count; i++) limits->vertices[i].kicked = false;
    limits->wheel.from = 0; // it may be ahead of the time that is gone back to
    TAC_TRY(tac_wheel_advance(&limits->wheel, now, &ids, &count, error));
    for (uint32_t i = 0; i < limits->edge_count; i++) TAC_TRY(certify(limits, i, now, error));
    return TAC_OK;
}

void tac_limits_resume(TacLimits *limits) {
    for (uint32_t i = 0; i < limits->vertex_count; i++) {
        TacLimitVertex *v = &limits->vertices[i];
        const double *dv = v->matter->vectors[TAC_DV] + 3 * (size_t)v->point;
        if (dv[0] == 0 && dv[1] == 0 && dv[2] == 0) continue;
        v->kicked = true;
        limits->hits[limits->hit_count++] = i;
    }
}

// --- one instant ------------------------------------------------------------------------------------------

TacTick tac_limits_next(const TacLimits *limits, TacTick from, TacTick limit) {
    TacTick next = tac_ruler_next(&limits->ruler, from - 1);
    return tac_wheel_next(&limits->wheel, next < limit ? next : limit);
}

TacStatus tac_limits_expire(TacLimits *limits, TacTick now, TacError *error) {
    const uint32_t *ids;
    size_t count;
    if (tac_wheel_next(&limits->wheel, now + 1) > now) return TAC_OK;
    TAC_TRY(tac_wheel_advance(&limits->wheel, now, &ids, &count, error));
    for (size_t i = 0; i < count; i++) TAC_TRY(certify(limits, ids[i], now, error));
    return TAC_OK;
}

static double give_back(const TacLimits *limits, const TacLimitEdge *e, double change, double seconds) {
    double ramp = change / (seconds * limits->v_rest);
    if (!(ramp > 0)) return 1;
    return 1 - (1 - e->restitution * e->restitution) * fmin(1, ramp);
}

// The impulse that pulls the ends together (positive) or pushes them apart.
static double impulse_of(const TacLimits *limits, uint32_t id, double length, TacTick now, int due) {
    const TacLimitEdge *e = &limits->edges[id];
    const TacLimitMemory *m = &limits->memory[id];
    const double gaps[2] = {e->high - length, length - e->low};
    int coarsest = tac_layers_class(&limits->layers, e->shift, 0);
    bool remembers = m->tick >= 0 && m->tick >= now - ((TacTick)1 << coarsest) && m->tick < now;
    double sum = 0;
    for (int side = 0; side < 2; side++) {
        double impulse =
            e->r1 * tac_layers_kick(&limits->layers,
                                    tac_layers_depth(&limits->layers, tac_nest_halved(e->shift), gaps[side]),
                                    due)
                        .impulse;
        if (impulse > 0 && remembers)
            impulse *=
                give_back(limits, e, gaps[side] - m->gap[side], tac_seconds(limits->base, now - m->tick));
        sum += side ? -impulse : impulse;
    }
    return sum;
}

static void kick_end(TacLimits *limits, uint32_t vertex, const double impulse[3], double s, TacTick now,
                     TacLimitTell tell, void *data) {
    TacLimitVertex *v = &limits->vertices[vertex];
    size_t p = 3 * (size_t)v->point;
    double *const *all = v->matter->vectors;
    if (!v->kicked) {
        v->kicked = true;
        limits->hits[limits->hit_count++] = vertex;
        if (tell) tell(data, v->matter, v->point, now);
    }
    if (v->matter->times[v->point] != now) {
        double h = tac_seconds(limits->base, now - v->matter->times[v->point]);
        tac_matter_fly_one(v->matter, v->point, h, all[TAC_X] + p, all[TAC_V] + p, all[TAC_X] + p,
                           all[TAC_V] + p);
        v->matter->times[v->point] = now;
    }
    for (int k = 0; k < 3; k++) all[TAC_DV][p + (size_t)k] += s * v->w[k] * impulse[k];
}

static void look_at(TacLimits *limits, uint32_t id, TacTick now, int due, TacLimitTell tell, void *data) {
    const TacLimitEdge *e = &limits->edges[id];
    Sight s = see(limits, e, now);
    limits->looks++;
    double gap = least_gap(e, s.length);
    if (!(gap > 0)) return; // certify says so
    double impulse = impulse_of(limits, id, s.length, now, due);
    if (impulse == 0) return;
    limits->kicks++;
    limits->nearest = fmin(limits->nearest, 2 * gap / (e->high - e->low));
    double push[3];
    for (int k = 0; k < 3; k++) push[k] = impulse * s.d[k] / s.length;
    kick_end(limits, e->ends[0], push, 1, now, tell, data);
    kick_end(limits, e->ends[1], push, -1, now, tell, data);
    limits->memory[id] = (TacLimitMemory){{e->high - s.length, s.length - e->low}, now};
}

// Classes are visited from coarse to fine and each in ascending order, so a point's sum of kicks would depend on
// what is armed: edges of an instant are put in the order of their numbers.
void tac_limits_kick(TacLimits *limits, TacTick now, TacLimitTell tell, void *data) {
    uint64_t classes = tac_ruler_due(&limits->ruler, now);
    if (!classes) return;
    int due = now ? __builtin_ctzll((uint64_t)now) : TAC_RULER_CLASSES - 1;
    const uint32_t *lists[TAC_RULER_CLASSES];
    size_t left[TAC_RULER_CLASSES];
    int n = 0;
    for (; classes; classes &= classes - 1, n++)
        lists[n] = tac_ruler_members(&limits->ruler, __builtin_ctzll(classes), &left[n]);
    for (;;) {
        int first = -1;
        for (int i = 0; i < n; i++)
            if (left[i] && (first < 0 || *lists[i] < *lists[first])) first = i;
        if (first < 0) return;
        look_at(limits, *lists[first]++, now, due, tell, data);
        left[first]--;
    }
}

bool tac_limits_has(const TacLimits *limits, const TacMatter *matter) {
    return limits->vertex_of[matter->base.index] != NULL;
}

void tac_limits_kicked(TacLimits *limits, const TacMatter *matter, uint32_t point) {
    const uint32_t *of = limits->vertex_of[matter->base.index];
    if (!of || !of[point]) return;
    const TacLimitVertex *v = &limits->vertices[of[point] - 1];
    for (uint32_t i = 0; i < v->count; i++) mark(limits, limits->around[v->first + i]);
}

void tac_limits_take_falls(TacLimits *limits) {
    for (size_t i = 0; i < limits->vertex_count; i++) {
        TacLimitVertex *v = &limits->vertices[i];
        double g[3];
        tac_store3(g, tac_matter_fall(v->matter, v->point));
        if (!memcmp(g, v->g, sizeof g)) continue;
        memcpy(v->g, g, sizeof g);
        tac_limits_kicked(limits, v->matter, v->point);
    }
}

bool tac_limits_commit(TacLimits *limits) {
    double sum = 0;
    for (size_t i = 0; i < limits->hit_count; i++) {
        TacLimitVertex *v = &limits->vertices[limits->hits[i]];
        double *u = v->matter->vectors[TAC_V] + 3 * (size_t)v->point,
               *du = v->matter->vectors[TAC_DV] + 3 * (size_t)v->point;
        for (int k = 0; k < 3; k++) {
            u[k] += du[k];
            sum += u[k] * 0; // 0, or NaN as soon as one of them is not finite
            du[k] = 0;
        }
        v->kicked = false;
        tac_limits_kicked(limits, v->matter, v->point);
    }
    limits->hit_count = 0;
    return sum == 0;
}

TacStatus tac_limits_settle(TacLimits *limits, TacTick now, TacError *error) {
    return certify_marked(limits, now, error);
}

double tac_limits_energy(const TacLimits *limits, TacTick now) {
    double sum = 0;
    for (size_t i = 0; i < limits->edge_count; i++) {
        const TacLimitEdge *e = &limits->edges[i];
        double length = see(limits, e, now).length, gaps[2] = {e->high - length, length - e->low};
        for (int side = 0; side < 2; side++)
            if (gaps[side] > 0)
                sum += e->r1 * tac_layers_energy(&limits->layers, tac_nest_halved(e->shift), gaps[side]);
    }
    return sum;
}
