// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Levels while time runs. See levels.h here and in agent/ for the rules.

#include "world/levels.h"
#include "world/account.h"

bool tac_ticker_is_idle(const TacTicker *t) {
    const TacProgram *p = &t->program;
    if (!t->is_law) return p->matter_count > 0 && p->matters[0]->idle;
    bool idle = false;
    for (size_t i = 0; i < p->matter_count; i++) idle = idle || p->matters[i]->idle;
    for (size_t i = 0; i < p->other_count; i++) idle = idle || p->others[i]->idle;
    return idle;
}

// `due` is in ascending order.
static bool is_due(const TacWorld *world, uint32_t ticker) {
    size_t low = 0, high = world->due_count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (world->due[middle] < ticker)
            low = middle + 1;
        else
            high = middle;
    }
    return low < world->due_count && world->due[low] == ticker;
}

static void change_model(TacWorld *world, TacLevels *l, TacTick now) {
    TacContext context = {tac_seconds(world->base, now), l->steps[l->state->wanted], world->team};
    TacTick past = world->now;
    world->now = now;
    TacJump before = tac_account_before_jump(world);
    tac_levels_go(l, &context, now);
    world->shown = -1;
    tac_account_after_jump(world, TAC_BOOK_LEVELS, &before);
    world->now = past;
    world->shown = -1;
}

void tac_world_change_levels(TacWorld *world, TacTick now) {
    for (size_t i = 0; i < world->levels.count; i++) {
        TacLevels *l = world->levels.list[i];
        const TacLevelsState *s = l->state;
        if (s->wanted == s->level || !is_due(world, l->tickers[s->level]) ||
            !is_due(world, l->tickers[s->wanted]))
            continue;
        change_model(world, l, now);
    }
}

void tac_world_show_levels(TacWorld *world) {
    for (size_t i = 0; i < world->levels.count; i++) tac_levels_show(world->levels.list[i]);
}

// --- who looks and touches ----------------------------------------------------------------------------------

static TacVec3 on_path(const TacReals *times, const TacReals *places, double time) {
    size_t i = 0;
    while (i < times->count && times->data[i] <= time) i++;
    if (i == 0) return tac_load3(places->data);
    if (i == times->count) return tac_load3(places->data + 3 * (i - 1));
    double t = (time - times->data[i - 1]) / (times->data[i] - times->data[i - 1]);
    TacVec3 a = tac_load3(places->data + 3 * (i - 1)), b = tac_load3(places->data + 3 * i);
    return tac_axpy(tac_scale(a, 1 - t), t, b);
}

static void find_view(const TacWorld *world, double time, TacAttention *a) {
    const TacTouchState *hands = &world->hands.state;
    const TacViewPath *path = world->levels.path;
    a->half_angle = world->levels.half_angle;
    TacVec3 way = tac_sub(hands->aim, hands->eye);
    a->looks = tac_dot(way, way) > 0;
    if (a->looks) {
        a->eye = hands->eye;
        a->aim = hands->aim;
    } else if (path) {
        a->looks = true;
        a->eye = on_path(&path->times, &path->eyes, time);
        a->aim = on_path(&path->times, &path->targets, time);
        a->half_angle = 0.5 * path->field_of_view * TAC_PI / 180;
    }
}

static bool has_matter(const TacLevels *l, size_t model, const TacMatter *matter) {
    for (size_t i = 0; i < l->matter_counts[model]; i++)
        if (l->matter[model][i] == matter) return true;
    return false;
}

// The finest level of which hands or pins hold something; -1: none.
static int held_level(const TacWorld *world, const TacLevels *l) {
    int held = -1;
    for (size_t i = 0; i < TAC_HOLDS; i++) {
        const TacHold *hold = &world->hands.state.holds[i];
        for (size_t k = 0; hold->used && k < l->count; k++)
            if ((int)k > held && has_matter(l, k, world->matters[hold->matter])) held = (int)k;
    }
    return held;
}

static bool is_selected(const TacWorld *world, size_t index) {
    uint64_t selected = world->hands.state.selected;
    TacComponentId id = {(uint32_t)selected, (uint32_t)(selected >> 32)};
    const TacComponent *c = tac_world_get(world, id);
    return c && world->levels.of_component[c->index] == index + 1;
}

static void attend(const TacWorld *world, size_t index, double time, TacAttention *a) {
    *a = (TacAttention){.sphere = world->hands.state.center, .radius = world->hands.state.radius};
    find_view(world, time, a);
    a->selected = is_selected(world, index);
    a->held = held_level(world, world->levels.list[index]);
}

// --- choosing -----------------------------------------------------------------------------------------------

// What its last kick took.
static void take_time(TacWorld *world, TacLevels *l) {
    uint32_t ticker = l->tickers[l->state->level];
    double *before = &world->levels.seconds[ticker];
    tac_levels_took(l, world->tickers[ticker].seconds - *before);
    *before = world->tickers[ticker].seconds;
}

TacLevels *tac_world_levels_of(const TacWorld *world, uint32_t ticker) {
    const TacTicker *t = &world->tickers[ticker];
    uint32_t which = world->levels.count && t->solver ? world->levels.of_component[t->solver->base.index] : 0;
    return which ? world->levels.list[which - 1] : NULL;
}

void tac_world_choose_model(TacWorld *world, TacLevels *l, TacTick now) {
    TacWorldLevels *w = &world->levels;
    double time = tac_seconds(world->base, now);
    for (size_t i = 0; i < w->count; i++) {
        w->attention[i] = (TacAttention){.elsewhere = true};
        if (w->list[i] == l) attend(world, i, time, &w->attention[i]);
    }
    take_time(world, l);
    TacContext context = {time, world->tickers[l->tickers[l->state->level]].step, world->team};
    tac_levels_choose(w->list, w->attention, w->count, 0, &context);
}

void tac_world_choose_levels(TacWorld *world) {
    TacWorldLevels *w = &world->levels;
    size_t n = 0;
    double others = 0, step = 0;
    for (size_t i = 0; i < w->count; i++) {
        TacLevels *l = w->list[i];
        const TacTicker *t = &world->tickers[l->tickers[l->state->level]];
        if (!is_due(world, l->tickers[l->state->level])) {
            others += tac_levels_cost(l);
            continue;
        }
        take_time(world, l);
        step = fmax(step, t->step);
        attend(world, i, tac_world_time(world), &w->attention[n]);
        w->due[n++] = l;
    }
    if (!n) return;
    TacContext context = {tac_world_time(world), step, world->team};
    tac_levels_choose(w->due, w->attention, n, others, &context);
}

// --- the scene's view -----------------------------------------------------------------------------------------

static TacStatus path_init(void *data, TacSetup *setup, TacError *error) {
    const TacViewPath *self = data;
    size_t n = self->times.count;
    if (!n)
        return tac_setup_fail(setup, error, "times",
                              "times is empty; one number for each place was expected");
    if (self->eyes.count != 3 * n)
        return tac_setup_fail(setup, error, "eyes",
                              "eyes has %zu numbers; %zu were expected, three for each time",
                              self->eyes.count, 3 * n);
    if (self->targets.count != 3 * n)
        return tac_setup_fail(setup, error, "targets",
                              "targets has %zu numbers; %zu were expected, three for each time",
                              self->targets.count, 3 * n);
    for (size_t i = 1; i < n; i++)
        if (!(self->times.data[i] > self->times.data[i - 1]))
            return tac_setup_fail(setup, error, "times",
                                  "time %zu (%g s) does not come after the one before (%g s)", i,
                                  self->times.data[i], self->times.data[i - 1]);
    if (!(self->field_of_view < 180))
        return tac_setup_fail(setup, error, "field_of_view", "must be less than 180 degrees");
    return TAC_OK;
}

static const TacAttribute path_attributes[] = {
    {"times", TAC_REALS, offsetof(TacViewPath, times), "s", NULL, "When it is where, ascending.", NULL,
     TAC_NOT_NEGATIVE, 0},
    {"eyes", TAC_REALS, offsetof(TacViewPath, eyes), "m", NULL, "Where it stands: a place for each time.",
     NULL, TAC_ANY, 0},
    {"targets", TAC_REALS, offsetof(TacViewPath, targets), "m", NULL,
     "What it looks at: a place for each time.", NULL, TAC_ANY, 0},
    {"field_of_view", TAC_REAL, offsetof(TacViewPath, field_of_view), "deg", "35", "Vertical angle.", NULL,
     TAC_POSITIVE, 0},
};

const TacClass tac_view_path_class = {
    .name = "ViewPath",
    .kind = TAC_KIND_SETTING,
    .doc = "Where somebody looks while time runs, for Levels: from place to place on straight lines. The "
           "camera of a "
           "live view takes its place.",
    .size = sizeof(TacViewPath),
    .attributes = path_attributes,
    .attribute_count = TAC_COUNT(path_attributes),
    .init = path_init,
};
