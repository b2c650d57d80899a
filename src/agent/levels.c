// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// The component Levels. See levels.h for the rules.

#include "agent/levels.h"
#include "matter/matter.h"

#include <math.h>

enum { MODEL, MEASURED };
enum { ITERATIONS = 40 }; // for the table of frequencies

static const double EXPLICIT = 1.8; // 2 is the limit, but frequencies are estimated from below

static const TacModel *living(const TacLevels *self) {
    return &self->models[self->state->level];
}

// --- transitions ------------------------------------------------------------------------------------------

static double energy_of(const TacProgram *p, const TacContext *context) {
    double sum = 0;
    tac_program_propagate(p, context, TAC_X, TAC_V);
    for (size_t i = 0; i < p->mass_count; i++) {
        TacMass *mass = p->masses[i];
        double *const *all = mass->matter->vectors;
        sum += mass->base.cls->ops.mass->kinetic(mass, all[TAC_X], all[TAC_V]);
        sum += mass->base.cls->ops.mass->height(mass, all[TAC_X]);
    }
    for (size_t i = 0; i < p->law_count; i++) {
        const TacLawVectors vectors = tac_law_vectors(p->laws[i], TAC_V, TAC_F);
        const TacLawOps *ops = p->laws[i]->base.cls->ops.law;
        if (ops->energy) sum += ops->energy(p->laws[i], context, &vectors);
    }
    return sum;
}

static void note(TacLevels *self, TacTransferReport report) {
    self->numbers[TAC_LEVELS_SHIFT] = report.shift;
    self->numbers[TAC_LEVELS_TAKEN] = report.momentum;
}

static bool refine(void *data) {
    TacLevels *self = data;
    note(self, tac_transfer_refine(&self->transfers[self->state->level++]));
    return true;
}

static bool coarsen(void *data) {
    TacLevels *self = data;
    note(self, tac_transfer_coarsen(&self->transfers[--self->state->level]));
    return true;
}

// Idle matter keeps its place until it is wanted again.
static void put_to_rest(const TacModel *model) {
    memset(model->matter->vectors[TAC_V], 0, tac_vector_size(model->matter, TAC_V) * sizeof(double));
    model->matter->arrival = -1;
}

void tac_levels_mark(TacLevels *self) {
    for (size_t k = 0; k < self->count; k++)
        for (size_t i = 0; i < self->matter_counts[k]; i++)
            self->matter[k][i]->idle = (int64_t)k != self->state->level;
}

// The transfer between two models, and whether it leads from `from` to `to` in the direction of refining.
static TacTransfer *between(const TacLevels *self, size_t from, size_t to, bool *down) {
    *down = from < to;
    size_t low = *down ? from : to, high = *down ? to : from;
    return &self->transfers[self->local ? low * self->count + high : low];
}

static void show_one(const TacLevels *self, size_t from, size_t to) {
    bool down;
    const TacTransfer *t = between(self, from, to, &down);
    double *const *a = self->models[from].matter->vectors, *const *b = self->models[to].matter->vectors;
    (down ? tac_transfer_down : tac_transfer_up)(t, a[TAC_X_SHOWN], a[TAC_V_SHOWN], b[TAC_X_SHOWN],
                                                 b[TAC_V_SHOWN]);
}

void tac_levels_show(const TacLevels *self) {
    size_t level = (size_t)self->state->level;
    for (size_t k = level + 1; k < self->count; k++) show_one(self, self->local ? level : k - 1, k);
    for (size_t k = level; k > 0; k--) show_one(self, self->local ? level : k, k - 1);
}

// Of what a model's mesh is made of.
static int dimension_of(const TacModel *m) {
    if (!m->mesh || m->mesh->elements[TAC_TETRAHEDRA].count || m->mesh->elements[TAC_HEXAHEDRA].count)
        return 3;
    return m->mesh->elements[TAC_TRIANGLES].count || m->mesh->elements[TAC_QUADS].count ? 2 : 1;
}

// --- qualities --------------------------------------------------------------------------------------------

static TacResolution *resolution_of(void *self) {
    return &((TacLevels *)self)->resolution;
}

// rad/s: of the laws at the start, times what has become of them, and of the rows that pull.
static double frequency_of(const TacLevels *self, int level) {
    double across = self->state->pulled * self->side[level] / self->side[self->state->level];
    return fmax(self->table[level] * self->state->stirred, across);
}

static double bears(const TacLevels *self, int level) {
    if ((size_t)level < self->bears.count)
        return self->bears.data[level] > 0 ? self->bears.data[level] : INFINITY;
    const TacSolverOps *ops = self->solvers[level]->base.cls->ops.solver;
    return ops->needs_linear || ops->needs_no_mass ? INFINITY : ops->keeps_joints ? 1 : EXPLICIT;
}

// In points along a side, as the document has it for wires: N_crit = N w_crit / w.
static double robustness_of(const TacLevels *self, int level) {
    double most = bears(self, level) / self->steps[level], now = frequency_of(self, level);
    double margin = self->side[level] * (most / now - 1);
    return now > 0 && isfinite(most) ? tac_quality_of_margin(margin, self->gamma_robustness) : 1;
}

// How fine a level is where somebody looks, against the finest there.
static double seen_accuracy(const TacLevels *self, int level) {
    if (!self->local || self->state->spot == UINT64_MAX) return self->accuracy[level];
    const double *sizes = self->sizes[self->state->level] + self->count * self->state->spot;
    double least = INFINITY;
    for (size_t k = 0; k < self->count; k++) least = fmin(least, sizes[k]);
    return pow(least / sizes[level], self->gamma_accuracy * dimension_of(&self->models[level]));
}

static void qualities(const void *data, int level, double q[TAC_QUALITIES]) {
    const TacLevels *self = data;
    q[TAC_QUALITY_ACCURACY] = self->accuracy[level];
    q[TAC_QUALITY_USER] = self->state->factor > 1 ? seen_accuracy(self, level) : 1;
    q[TAC_QUALITY_ROBUSTNESS] = robustness_of(self, level);
}

// For the longest of the models' steps: one that takes smaller steps takes more of them.
static double modelled(const TacLevels *self, int level) {
    if ((size_t)level < self->costs.count) return self->costs.data[level];
    return self->cost * (double)self->models[level].matter->count * self->longest / self->steps[level];
}

static double seconds(const void *data, int level) {
    const TacLevels *self = data;
    double own = modelled(self, (int)self->state->level);
    bool measured = self->costs_from == MEASURED && self->measured > 0 && own > 0;
    return modelled(self, level) * (measured ? self->measured / own : 1);
}

static const TacResolutionOps resolution_ops = {resolution_of, qualities, seconds, refine, coarsen};

double tac_levels_cost(const TacLevels *self) {
    return seconds(self, (int)self->state->level);
}

void tac_levels_took(TacLevels *self, double kick) {
    double took = kick * self->longest / self->steps[self->state->level];
    self->measured = self->measured > 0 ? 0.9 * self->measured + 0.1 * took : took;
}

// --- who looks and touches ----------------------------------------------------------------------------------

// A ball around all of it.
static void bound(const TacModel *model, TacVec3 *centre, double *radius) {
    const TacMatter *m = model->matter;
    size_t each = (size_t)m->position_size;
    double low[3], high[3];
    memcpy(low, m->vectors[TAC_X], sizeof low);
    memcpy(high, low, sizeof high);
    for (size_t i = 1; i < m->count; i++)
        for (size_t k = 0; k < 3; k++) {
            double x = m->vectors[TAC_X][each * i + k];
            low[k] = x < low[k] ? x : low[k];
            high[k] = x > high[k] ? x : high[k];
        }
    *centre = tac_scale(tac_add(tac_load3(low), tac_load3(high)), 0.5);
    *radius = 0.5 * tac_norm(tac_sub(tac_load3(high), tac_load3(low)));
    const TacInertia *own = m->count == 1 ? tac_mass_inertia(model->mass, 0) : NULL;
    if (own)
        *radius =
            fmax(*radius, sqrt(1.5 * (own->moments[0] + own->moments[1] + own->moments[2]) / model->total));
}

// How much of the view's height it fills, 0..1; 0 when it is not in view.
static double share_of_view(const TacAttention *a, TacVec3 centre, double radius) {
    TacVec3 way = tac_sub(centre, a->eye), look = tac_sub(a->aim, a->eye);
    double distance = tac_norm(way), length = tac_norm(look);
    if (distance <= radius) return 1;
    if (!(length > 0)) return 0;
    double off = acos(fmax(-1, fmin(1, tac_dot(way, look) / (distance * length))));
    if (off > a->half_angle + asin(radius / distance)) return 0;
    return fmin(1, radius / (distance * tan(a->half_angle)));
}

// The point of the living model that is nearest to the middle of the view; UINT64_MAX: all are behind.
static uint64_t find_spot(const TacLevels *self, const TacAttention *a) {
    const TacMatter *m = living(self)->matter;
    TacVec3 look = tac_unit(tac_sub(a->aim, a->eye));
    uint64_t spot = UINT64_MAX;
    double least = INFINITY;
    for (size_t i = 0; i < m->count; i++) {
        TacVec3 way = tac_sub(tac_load3(m->vectors[TAC_X] + 3 * i), a->eye);
        double along = tac_dot(way, look), off = tac_dot(way, way) / (along * along);
        if (!(along > 0) || !(off < least)) continue;
        least = off;
        spot = i;
    }
    return spot;
}

// What something does to it besides weight, m/s^2.
static double felt(TacLevels *self, const TacContext *context) {
    TacMotion motion = tac_model_motion(living(self));
    TacLevelsState *s = self->state;
    double since = context->time - s->momentum_time;
    bool known = s->momentum_time >= 0 && since > 0;
    TacVec3 pushed = tac_scale(tac_sub(motion.linear, s->momentum), known ? 1 / (since * motion.mass) : 0);
    s->momentum = motion.linear;
    s->momentum_time = context->time;
    return known ? tac_norm(tac_sub(pushed, living(self)->mass->gravity)) : 0;
}

static double scripted_focus(const TacLevels *self, double time) {
    double factor = 1;
    for (size_t i = 0; i + 2 < self->focus.count; i += 3)
        if (time >= self->focus.data[i] && time < self->focus.data[i + 1]) factor = self->focus.data[i + 2];
    return factor;
}

static double find_attention(TacLevels *self, const TacAttention *a, const TacContext *context) {
    double share = a->selected ? 1 : 0;
    self->state->spot = UINT64_MAX;
    if ((a->looks && self->view) || a->radius > 0) {
        TacVec3 centre;
        double radius;
        bound(living(self), &centre, &radius);
        if (a->looks && self->view) share = fmax(share, share_of_view(a, centre, radius));
        if (a->looks && self->view && self->local && share > 0) self->state->spot = find_spot(self, a);
        if (a->radius > 0 && tac_norm(tac_sub(centre, a->sphere)) < radius + a->radius) share = 1;
    }
    if (self->blow > 0 && felt(self, context) > self->blow)
        self->state->told_until = context->time + self->memory;
    if (context->time < self->state->told_until) share = 1;
    return fmax(scripted_focus(self, context->time), 1 + (self->attention - 1) * share);
}

static void look_around(TacLevels *self, const TacAttention *attention, const TacContext *context) {
    size_t level = (size_t)self->state->level;
    const TacSolverOps *solver = self->solvers[level]->base.cls->ops.solver;
    self->state->factor = find_attention(self, attention, context);
    self->resolution.level = (int)self->state->level;
    self->state->pulled = solver->keeps_joints ? tac_spook_frequency(self->programs[level]) : 0;
    self->state->stirred = 1;
    if (self->watch > 0 && self->watch_table[level] > 0)
        self->state->stirred = tac_program_frequency(self->programs[level], context, (int)self->watch) /
                               self->watch_table[level];
}

// --- choosing ---------------------------------------------------------------------------------------------

static void report(TacLevels *self, double time_quality) {
    double q[TAC_QUALITIES];
    int level = (int)self->state->level;
    qualities(self, level, q);
    self->numbers[TAC_LEVELS_LEVEL] = (double)level;
    self->numbers[TAC_LEVELS_POINTS] = (double)living(self)->matter->count;
    self->numbers[TAC_LEVELS_FREQUENCY] = frequency_of(self, level);
    self->numbers[TAC_LEVELS_CRITICAL] =
        isfinite(bears(self, level)) ? bears(self, level) / self->steps[level] : 0;
    self->numbers[TAC_LEVELS_ACCURACY] = q[TAC_QUALITY_ACCURACY];
    self->numbers[TAC_LEVELS_TIME] = time_quality;
    self->numbers[TAC_LEVELS_ROBUSTNESS] = q[TAC_QUALITY_ROBUSTNESS];
    self->numbers[TAC_LEVELS_ATTENTION] = self->state->factor;
}

static double limit_at(const TacLevels *self, const TacContext *context) {
    double limit = isnan(self->time_limit) ? 0.5 * self->longest : self->time_limit;
    for (size_t i = 0; i + 2 < self->dips.count; i += 3)
        if (context->time >= self->dips.data[i] && context->time < self->dips.data[i + 1])
            limit = self->dips.data[i + 2];
    return limit;
}

// Rules 3 and 5.
static void want(TacLevels *self, const TacAttention *attention, const TacContext *context) {
    TacLevelsState *s = self->state;
    s->wanted = self->resolution.choice;
    if (s->wanted > s->level && context->time - s->changed < self->patience) s->wanted = s->level;
    if (attention->held >= 0) s->wanted = attention->held;
}

void tac_levels_choose(TacLevels *const *list, const TacAttention *attention, size_t count, double others,
                       const TacContext *context) {
    const TacLevels *first = list[0];
    for (size_t i = 0; i < count; i++)
        if (!attention[i].elsewhere) look_around(list[i], &attention[i], context);
    for (size_t i = 0; i < count; i++) {
        double factor = list[i]->state->factor;
        list[i]->resolution.weights[TAC_QUALITY_USER] = factor > 1 ? list[i]->weights[3] * (factor - 1) : 0;
    }
    TacBudget budget = {limit_at(first, context) - others, 1,
                        isnan(first->gamma_time) ? 100 / first->longest : first->gamma_time};
    tac_resolution_choose((void *const *)list, count, &resolution_ops, &budget);
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        if (!attention[i].elsewhere) want(list[i], &attention[i], context);
        sum += seconds(list[i], (int)list[i]->state->wanted);
    }
    double time_quality = tac_quality_of_margin(budget.limit - sum, budget.gamma);
    for (size_t i = 0; i < count; i++)
        if (!attention[i].elsewhere) report(list[i], time_quality);
}

// Rule 4.
static int go_straight(TacLevels *self) {
    TacLevelsState *s = self->state;
    if (s->level == s->wanted) return 0;
    bool down;
    const TacTransfer *t = between(self, (size_t)s->level, (size_t)s->wanted, &down);
    note(self, (down ? tac_transfer_refine : tac_transfer_coarsen)(t));
    s->level = s->wanted;
    return 1;
}

void tac_levels_go(TacLevels *self, const TacContext *context, int64_t now) {
    TacLevelsState *s = self->state;
    double before = energy_of(self->programs[s->level], context), side = self->side[s->level];
    self->resolution.level = (int)s->level;
    self->resolution.choice = (int)s->wanted;
    int changes = self->local ? go_straight(self) : tac_resolution_go(self, &resolution_ops);
    TacMatter *matter = living(self)->matter;
    matter->time = now;
    matter->arrival = -1;
    for (size_t k = 0; k < self->count; k++)
        if (&self->models[k] != living(self)) put_to_rest(&self->models[k]);
    tac_levels_mark(self);
    s->changed = context->time;
    s->pulled *= self->side[s->level] / side;
    s->spot = UINT64_MAX;
    if (tac_model_is_held(living(self))) s->momentum_time = -1; // holders have taken some
    self->numbers[TAC_LEVELS_LEVEL] = (double)s->level;
    self->numbers[TAC_LEVELS_POINTS] = (double)matter->count;
    self->numbers[TAC_LEVELS_ENERGY] = energy_of(self->programs[s->level], context) - before;
    self->numbers[TAC_LEVELS_CHANGES] += changes;
}

// --- setting up -------------------------------------------------------------------------------------------

static TacStatus check_models(const TacLevels *self, TacError *error) {
    const double same = 1e-9;
    double total = self->models[self->count - 1].total;
    for (size_t k = 0; k < self->count; k++) {
        const TacModel *m = &self->models[k];
        if (!(m->total > 0))
            return tac_fail(error, TAC_BAD_INPUT,
                            "%s weighs nothing; every model needs the mass of the thing",
                            m->matter->base.path);
        if (fabs(m->total - total) > same * total)
            return tac_fail(
                error, TAC_BAD_INPUT,
                "%s weighs %.12g kg and %s %.12g kg: all models must have the same mass, so that changing "
                "them keeps it",
                m->matter->base.path, m->total, self->models[self->count - 1].matter->base.path, total);
    }
    return TAC_OK;
}

static void find_frequencies(TacLevels *self, TacTeam *team) {
    for (size_t k = 0; k < self->count; k++) {
        TacContext context = {0, self->steps[k], team};
        bool any = isfinite(bears(self, (int)k));
        if (self->frequencies.count)
            self->table[k] = self->frequencies.data[k];
        else if (any)
            self->table[k] = tac_program_frequency(self->programs[k], &context, ITERATIONS);
        if (any && self->watch > 0)
            self->watch_table[k] = tac_program_frequency(self->programs[k], &context, (int)self->watch);
    }
}

static void find_accuracies(TacLevels *self) {
    const TacMatter *finest = self->models[self->count - 1].matter;
    double most = (double)tac_vector_size(finest, TAC_V);
    for (size_t k = 0; k < self->count; k++)
        self->accuracy[k] = self->accuracies.count
                                ? self->accuracies.data[k]
                                : tac_quality_of_count((double)tac_vector_size(self->models[k].matter, TAC_V),
                                                       most, self->gamma_accuracy);
}

static TacStatus check_list(const TacLevels *self, const char *name, const TacReals *list, TacError *error) {
    if (!list->count || list->count == self->count) return TAC_OK;
    return tac_fail(error, TAC_BAD_INPUT, "%s has %zu numbers; one for each of its %zu models was expected",
                    name, list->count, self->count);
}

static TacStatus check_range(TacLevels *self, TacError *error) {
    int64_t most = (int64_t)self->count - 1;
    if (self->finest < 0) self->finest = most;
    if (self->start < 0) self->start = self->finest;
    if (self->finest > most || self->lowest > self->finest)
        return tac_fail(error, TAC_BAD_INPUT,
                        "its %zu models are levels 0 to %lld; lowest is %lld and finest %lld", self->count,
                        (long long)most, (long long)self->lowest, (long long)self->finest);
    if (self->start < self->lowest || self->start > self->finest)
        return tac_fail(error, TAC_BAD_INPUT,
                        "it cannot start at level %lld: levels %lld to %lld are allowed",
                        (long long)self->start, (long long)self->lowest, (long long)self->finest);
    self->state->level = self->state->wanted = self->start;
    return TAC_OK;
}

static TacStatus bind_all(TacLevels *self, TacArena *arena, TacError *error) {
    for (size_t i = 0; i + 1 < self->count; i++) {
        for (size_t j = i + 1; j < (self->local ? self->count : i + 2); j++) {
            bool down;
            TAC_TRY(tac_transfer_bind(between(self, i, j, &down), &self->models[i], &self->models[j], arena,
                                      error));
        }
        const TacMatter *a = self->models[i].matter, *b = self->models[i + 1].matter;
        if (!self->local && tac_vector_size(a, TAC_V) > tac_vector_size(b, TAC_V))
            return tac_fail(
                error, TAC_BAD_INPUT,
                "%s is finer than %s, which comes after it: models go from coarse to fine, unless "
                "local=\"true\"",
                a->base.path, b->base.path);
    }
    return TAC_OK;
}

// The mean distance between the corners of an element.
static double size_of(const TacModel *model, const int32_t *corners, size_t width) {
    const double *rest = model->matter->vectors[TAC_X_REST];
    double sum = 0;
    for (size_t a = 0; a < width; a++)
        for (size_t b = 0; b < a; b++)
            sum += tac_norm(
                tac_sub(tac_load3(rest + 3 * (size_t)corners[a]), tac_load3(rest + 3 * (size_t)corners[b])));
    return sum / (double)(width * (width - 1) / 2);
}

// Of a model's own elements around each of its points: the last one's.
static void find_own_sizes(const TacLevels *self, size_t k) {
    for (int kind = TAC_ELEMENT_KINDS - 1; kind >= 0; kind--) {
        size_t width = (size_t)tac_element_size((TacElement)kind);
        const TacModel *model = &self->models[k];
        for (size_t e = 0; width > 1 && e < model->mesh->elements[kind].count; e++) {
            const int32_t *corners = model->mesh->elements[kind].indices + width * e;
            double size = size_of(model, corners, width);
            for (size_t c = 0; c < width; c++) self->sizes[k][self->count * (size_t)corners[c] + k] = size;
        }
    }
}

static TacStatus find_sizes(TacLevels *self, TacArena *arena, TacError *error) {
    self->sizes = tac_arena_array(arena, self->count, sizeof *self->sizes);
    if (!self->sizes) return tac_fail_memory(error, 0);
    for (size_t k = 0; k < self->count; k++) {
        size_t n = self->models[k].matter->count;
        if (self->models[k].matter->kind != TAC_VEC3)
            return tac_fail(error, TAC_BAD_INPUT, "local=\"true\" is for models of points; %s has frames",
                            self->models[k].matter->base.path);
        self->sizes[k] = tac_arena_array(arena, n * self->count, sizeof **self->sizes);
        if (!self->sizes[k]) return tac_fail_memory(error, n * self->count * sizeof **self->sizes);
        find_own_sizes(self, k);
        for (size_t j = 0; j < self->count; j++) {
            if (j == k) continue;
            bool down;
            const TacTransfer *t = between(self, k, j, &down);
            size_t width = down ? t->back_width : t->width;
            const int32_t *corners = down ? t->back_parents : t->parents;
            for (size_t i = 0; i < n; i++)
                self->sizes[k][self->count * i + j] = size_of(&self->models[j], corners + width * i, width);
        }
    }
    return TAC_OK;
}

TacStatus tac_levels_prepare(TacLevels *self, TacArena *arena, TacTeam *team, TacError *error) {
    TAC_TRY(check_range(self, error));
    TAC_TRY(check_list(self, "costs", &self->costs, error));
    TAC_TRY(check_list(self, "accuracies", &self->accuracies, error));
    TAC_TRY(check_list(self, "frequencies", &self->frequencies, error));
    TAC_TRY(check_list(self, "bears", &self->bears, error));
    self->transfers = tac_arena_array(arena, self->local ? self->count * self->count : self->count,
                                      sizeof *self->transfers);
    self->state->spot = UINT64_MAX;
    self->side = tac_arena_array(arena, self->count, sizeof *self->side);
    self->table = tac_arena_array(arena, self->count, sizeof *self->table);
    self->watch_table = tac_arena_array(arena, self->count, sizeof *self->watch_table);
    if (!self->transfers || !self->side || !self->table || !self->watch_table)
        return tac_fail_memory(error, 0);
    for (size_t k = 0; k < self->count; k++) self->longest = fmax(self->longest, self->steps[k]);
    for (size_t k = 0; k < self->count; k++) TAC_TRY(tac_model_weigh(&self->models[k], arena, error));
    TAC_TRY(check_models(self, error));
    TAC_TRY(bind_all(self, arena, error));
    if (self->local) TAC_TRY(find_sizes(self, arena, error));
    for (size_t k = 0; k < self->count; k++)
        self->side[k] = pow((double)self->models[k].matter->count, 1.0 / dimension_of(&self->models[k]));
    find_frequencies(self, team);
    find_accuracies(self);
    self->resolution = (TacResolution){.lowest = (int)self->lowest,
                                       .finest = (int)self->finest,
                                       .level = (int)self->start,
                                       .weights = {0, self->weights[0], self->weights[1], self->weights[2]},
                                       .floor = 1e-150};
    self->state->stirred = self->state->factor = 1;
    for (size_t k = 0; k < self->count; k++)
        if ((int64_t)k != self->start) put_to_rest(&self->models[k]);
    tac_levels_mark(self);
    report(self, 1);
    return TAC_OK;
}

static TacStatus check_triples(TacSetup *setup, const char *name, const TacReals *list, const char *third,
                               TacError *error) {
    if (list->count % 3 == 0) return TAC_OK;
    return tac_setup_fail(setup, error, name, "%s has %zu numbers; begin, end and %s were expected for each",
                          name, list->count, third);
}

static TacStatus init(void *data, TacSetup *setup, TacError *error) {
    TacLevels *self = data;
    TAC_TRY(check_triples(setup, "focus", &self->focus, "factor", error));
    TAC_TRY(check_triples(setup, "dips", &self->dips, "limit", error));
    for (size_t i = 0; i < self->accuracies.count; i++)
        if (!(self->accuracies.data[i] > 0) || self->accuracies.data[i] > 1)
            return tac_setup_fail(setup, error, "accuracies",
                                  "number %zu is %g; qualities lie above 0, up to 1", i,
                                  self->accuracies.data[i]);
    if (self->watch > 1000) return tac_setup_fail(setup, error, "watch", "at most 1000 iterations");
    if (!(self->attention >= 1))
        return tac_setup_fail(setup, error, "attention",
                              "is %g; accuracy cannot count less for being looked at", self->attention);
    self->state = tac_setup_alloc(setup, 1, sizeof *self->state);
    self->numbers = tac_setup_alloc(setup, TAC_LEVELS_NUMBERS, sizeof *self->numbers);
    if (!self->state || !self->numbers) return tac_fail_memory(error, sizeof *self->state);
    self->state->momentum_time = -1;
    self->state->changed = -INFINITY;
    self->outputs = (TacReals){self->numbers, TAC_LEVELS_NUMBERS};
    TAC_TRY(tac_setup_state(setup, self->state, sizeof *self->state, error));
    return tac_setup_state(setup, self->numbers, TAC_LEVELS_NUMBERS * sizeof *self->numbers, error);
}

static bool state_is_sound(const void *data) {
    const TacLevels *self = data;
    int64_t most = (int64_t)self->count;
    return self->state->level >= 0 && self->state->level < most && self->state->wanted >= 0 &&
           self->state->wanted < most && isfinite(self->state->factor) &&
           (self->state->spot == UINT64_MAX || self->state->spot < living(self)->matter->count);
}

#define NUMBER(title, field, unit_text, initial_text, text, range_kind)                                      \
    { title, TAC_REAL, offsetof(TacLevels, field), unit_text, initial_text, text, NULL, range_kind, 0 }

#define LIST(title, field, unit_text, text)                                                                  \
    { title, TAC_REALS, offsetof(TacLevels, field), unit_text, "", text, NULL, TAC_NOT_NEGATIVE, 0 }

static const TacAttribute attributes[] = {
    {"lowest", TAC_INT, offsetof(TacLevels, lowest), "1", "0", "The coarsest level that it takes.", NULL,
     TAC_NOT_NEGATIVE, 0},
    {"finest", TAC_INT, offsetof(TacLevels, finest), "1", "-1",
     "The finest level that it takes; -1: that of the last model.", NULL, TAC_ANY, 0},
    {"level", TAC_INT, offsetof(TacLevels, start), "1", "-1", "At which it starts; -1: the finest.", NULL,
     TAC_ANY, 0},
    NUMBER("weight_accuracy", weights[0], "1", "1", "Of accuracy among the qualities.", TAC_NOT_NEGATIVE),
    NUMBER("weight_time", weights[1], "1", "1", "Of computing time among the qualities.", TAC_NOT_NEGATIVE),
    NUMBER("weight_robustness", weights[2], "1", "1", "Of robustness among the qualities.", TAC_NOT_NEGATIVE),
    NUMBER("weight_user", weights[3], "1", "1", "Of what the user sees among the qualities.",
           TAC_NOT_NEGATIVE),
    NUMBER("gamma_accuracy", gamma_accuracy, "1", "1", "Sensitivity of accuracy: (N/N_finest)^gamma.",
           TAC_POSITIVE),
    LIST("accuracies", accuracies, "1", "Quality of accuracy of each model instead, above 0, up to 1."),
    NUMBER("gamma_time", gamma_time, "1/s", "",
           "Sensitivity to time over the limit, of the world's first Levels for all; by default 100 over the "
           "step.",
           TAC_POSITIVE),
    NUMBER("time_limit", time_limit, "s", "",
           "Time for computing that all Levels share in the longest step of their models, of the world's "
           "first for all; by "
           "default half of that step.",
           TAC_POSITIVE),
    LIST("dips", dips, "s",
         "Times at which less is available: begin, end and the limit that holds between, for each."),
    NUMBER("cost", cost, "s", "1e-6", "Cost model: time for computing one point or frame for one step.",
           TAC_NOT_NEGATIVE),
    LIST("costs", costs, "s",
         "Cost model: time for computing each model for the longest step among them, instead."),
    {"costs_from", TAC_CHOICE, offsetof(TacLevels, costs_from), "", "model",
     "What computing costs: by the cost model (the same run every time), or scaled to what is measured.",
     "model|measured", TAC_ANY, 0},
    NUMBER("gamma_robustness", gamma_robustness, "1", "10",
           "Sensitivity to frequencies w beyond what a model bears, as to points N along a side beyond N "
           "w_crit/w.",
           TAC_POSITIVE),
    LIST("bears", bears, "1",
         "Highest frequency times step that each model bears, 0: any; by default 1.8 for explicit solvers, 1 "
         "for Spook, "
         "any for implicit ones."),
    LIST("frequencies", frequencies, "rad/s",
         "The highest frequency of each model, where it was found beforehand; by default it is estimated at "
         "the start."),
    {"watch", TAC_INT, offsetof(TacLevels, watch), "1", "0",
     "Iterations by which the frequency of the living model is estimated anew after each step; 0: the table "
     "holds.",
     NULL, TAC_NOT_NEGATIVE, 0},
    NUMBER("attention", attention, "1", "1000",
           "Factor by which accuracy counts more while it is selected, struck, pushed, or fills the view; in "
           "proportion to its share of the view.",
           TAC_POSITIVE),
    {"view", TAC_BOOL, offsetof(TacLevels, view), "", "true", "Whether being looked at counts.", NULL,
     TAC_ANY, 0},
    {"local", TAC_BOOL, offsetof(TacLevels, local), "", "false",
     "Whether models are fine in different places, without an order among them: then it counts how fine they "
     "are where "
     "somebody looks, and changes go straight from one to the other.",
     NULL, TAC_ANY, 0},
    LIST("focus", focus, "s, s, 1", "When it counts more by the scene: begin, end, and the factor."),
    NUMBER("blow", blow, "m/s^2", "0",
           "Acceleration by anything but weight from which on it counts as struck; at rest it is 9.81. 0: "
           "never.",
           TAC_NOT_NEGATIVE),
    NUMBER("memory", memory, "s", "0.5", "How long a blow counts.", TAC_NOT_NEGATIVE),
    NUMBER("patience", patience, "s", "0.1",
           "How long after a change it becomes finer again, at the earliest.", TAC_NOT_NEGATIVE),
    {"resolution", TAC_REALS, offsetof(TacLevels, outputs), "1, rad/s, m, N s, J", "",
     "Level, points, highest frequency, the one it bears (0: any), qualities of accuracy, time and "
     "robustness, "
     "attention, shift of the centre of mass, momentum taken by holders and change of energy at the last "
     "change, "
     "transitions so far.",
     NULL, TAC_ANY, TAC_OUTPUT},
};

const TacClass tac_levels_class = {
    .name = "Levels",
    .kind = TAC_KIND_SETTING,
    .doc = "The agents in the nodes below it are models of one thing, from coarse to fine, of which one at a "
           "time is "
           "simulated: the one with the least sum of weights over squared qualities (accuracy, time, "
           "robustness, the "
           "user's). Changes keep mass, centre and momentum.",
    .size = sizeof(TacLevels),
    .attributes = attributes,
    .attribute_count = TAC_COUNT(attributes),
    .init = init,
    .state_is_sound = state_is_sound,
};
