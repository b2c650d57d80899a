// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Letting agents run by themselves. See loose.h.

#define _GNU_SOURCE
#include "world/loose.h"
#include "base/wall_clock.h"
#include "world/account.h"

#include "agent/half_law.h"

#include <time.h>

// --- publishing -------------------------------------------------------------------------------------------

static void show_matter(const TacMatter *m) {
    memcpy(m->vectors[TAC_X_SHOWN], m->vectors[TAC_X], tac_vector_size(m, TAC_X) * sizeof(double));
    memcpy(m->vectors[TAC_V_SHOWN], m->vectors[TAC_V], tac_vector_size(m, TAC_V) * sizeof(double));
}

// Who is still at an earlier time sees the velocities that it had until its last kick.
static void keep_past(TacTouchModel *model, double time) {
    const TacMatter *m = model->model->matter;
    if (time > model->shown) {
        memcpy(model->past, m->vectors[TAC_V_SHOWN], tac_vector_size(m, TAC_V) * sizeof(double));
        model->past_time = model->shown;
    }
    model->shown = time;
}

// Whose views an agent looks with: its own, or those of who is merged in it. NULL: the i-th has none.
static size_t part_count(const TacLooseBody *body) {
    return body->merge ? body->merge->member_count : 1;
}

static TacLooseBody *part_of(const TacWorld *world, TacLooseBody *body, size_t i) {
    if (!body->merge) return body;
    const TacMergeMember *m = &body->merge->members[i];
    return m->merged && m->ticker != UINT32_MAX ? &world->loose->bodies[m->ticker] : NULL;
}

static TacStatus publish_models(TacWorld *world, TacLooseBody *body, TacError *error) {
    for (size_t i = 0; i < body->model_count; i++) {
        tac_touch_count_loads(&body->view, body->models[i]);
        TAC_TRY(tac_touch_place_model(&world->touch->touch, world->team, body->models[i], error));
    }
    return TAC_OK;
}

static TacStatus publish(TacWorld *world, uint32_t id, TacError *error) {
    TacLooseBody *body = &world->loose->bodies[id];
    const TacProgram *p = &world->tickers[id].program;
    for (size_t i = 0; i < part_count(body); i++) {
        TacLooseBody *part = part_of(world, body, i);
        if (!part) continue;
        part->shown = tac_seconds(world->base, part->time);
        for (size_t k = 0; k < part->model_count; k++) keep_past(part->models[k], part->shown);
    }
    for (size_t i = 0; i < p->matter_count; i++) show_matter(p->matters[i]);
    for (size_t i = 0; i < p->other_count; i++) show_matter(p->others[i]);
    for (size_t i = 0; i < part_count(body); i++) {
        TacLooseBody *part = part_of(world, body, i);
        if (part) TAC_TRY(publish_models(world, part, error));
    }
    return TAC_OK;
}

void tac_world_loose_show(TacWorld *world, const TacMatter *matter) {
    TacContext context = {tac_world_time(world), world->base.beat, world->team};
    for (uint32_t id = 0; id < world->loose->count; id++) {
        const TacProgram *p = &world->tickers[id].program;
        if (world->tickers[id].idle || !tac_program_has(p, matter)) continue;
        tac_program_propagate(p, &context, TAC_X, TAC_V);
        for (size_t i = 0; i < p->matter_count; i++) show_matter(p->matters[i]);
        for (size_t i = 0; i < p->other_count; i++) show_matter(p->others[i]);
    }
}

TacStatus tac_world_loose_start(TacWorld *world, TacError *error) {
    for (uint32_t id = 0; id < world->loose->count; id++)
        if (tac_ticker_is_idle(&world->tickers[id])) tac_loose_rest(&world->loose->scheduler, id, 0);
    for (size_t i = 0; i < world->all.matter_count; i++) {
        TacMatter *m = world->all.matters[i];
        if (tac_world_loose_stands(world, m))
            memset(m->vectors[TAC_V], 0, tac_vector_size(m, TAC_V) * sizeof(double));
    }
    for (size_t i = 0; i < world->all.matter_count; i++) show_matter(world->all.matters[i]);
    TacContext context = {0, world->base.beat, world->team};
    tac_program_propagate(&world->all, &context, TAC_X_SHOWN, TAC_V_SHOWN);
    tac_program_propagate(&world->all, &context, TAC_X, TAC_V);
    for (size_t m = 0; world->touch && m < world->touch->model_count; m++)
        TAC_TRY(tac_touch_place_model(&world->touch->touch, world->team, &world->touch->models[m], error));
    return TAC_OK;
}

bool tac_world_loose_stands(const TacWorld *world, const TacMatter *m) {
    size_t root = world->hands.root[tac_matter_place(world->matters, world->matter_count, m)];
    if (world->hands.mass[root]) return false;
    for (size_t t = 0; t < world->ticker_count; t++)
        if (tac_program_has(&world->tickers[t].program, world->matters[root])) return false;
    return true;
}

TacStatus tac_world_loose_publish_standing(TacWorld *world, TacError *error) {
    for (size_t i = 0; i < world->all.matter_count; i++)
        if (tac_world_loose_stands(world, world->all.matters[i])) show_matter(world->all.matters[i]);
    TacContext context = {0, world->base.beat, world->team};
    tac_program_propagate(&world->all, &context, TAC_X_SHOWN, TAC_V_SHOWN);
    tac_program_propagate(&world->all, &context, TAC_X, TAC_V);
    for (size_t k = 0; world->touch && k < world->touch->model_count; k++) {
        TacTouchModel *model = &world->touch->models[k];
        if (tac_world_loose_stands(world, model->model->matter))
            TAC_TRY(tac_touch_place_model(&world->touch->touch, world->team, model, error));
    }
    return TAC_OK;
}

// --- one step of one agent --------------------------------------------------------------------------------

// v += dv. The first matter that is no longer made of numbers; NULL: all is.
static const TacMatter *commit_kick(const TacProgram *p) {
    for (size_t i = 0; i < p->matter_count; i++) {
        double *v = p->matters[i]->vectors[TAC_V], *dv = p->matters[i]->vectors[TAC_DV], sum = 0;
        size_t n = tac_vector_size(p->matters[i], TAC_V);
        for (size_t k = 0; k < n; k++) {
            v[k] += dv[k];
            sum += v[k] * 0; // 0, or NaN as soon as one of them is not finite
            dv[k] = 0;
        }
        if (sum != 0) return p->matters[i];
    }
    return NULL;
}

// On to the end of the step.
static const TacMatter *drift(TacWorld *world, TacTicker *ticker, TacTick from, TacTick to) {
    bool moves = ticker->solver && tac_solver_moves(ticker->solver);
    for (size_t i = 0; i < ticker->program.matter_count; i++) {
        TacMatter *m = ticker->program.matters[i];
        m->time = from;
        m->arrival = moves ? to : -1;
        tac_world_locate(world, m, to, m->vectors[TAC_X], m->vectors[TAC_V]);
        m->time = to;
        m->arrival = -1;
        const double *x = m->vectors[TAC_X];
        double sum = 0;
        for (size_t k = 0; k < tac_vector_size(m, TAC_X); k++) sum += x[k] * 0;
        if (sum != 0) return m;
    }
    return NULL;
}

// Root mean square of the speeds of its points.
static double mean_speed(const TacProgram *p) {
    double sum = 0, count = 0;
    for (size_t i = 0; i < p->matter_count; i++) {
        const TacMatter *m = p->matters[i];
        size_t size = (size_t)m->velocity_size, linear = size == 6 ? 3 : size;
        for (size_t k = 0; k < m->count; k++)
            for (size_t j = 0; j < linear; j++) {
                double v = m->vectors[TAC_V][size * k + j];
                sum += v * v;
            }
        count += (double)m->count;
    }
    return count > 0 ? sqrt(sum / count) : 0;
}

void tac_world_loose_note_step(TacWorld *world, uint32_t id) {
    world->tickers[id].step = tac_seconds(world->base, world->loose->bodies[id].step.now);
}

static TacStatus look(TacWorld *world, TacLooseBody *body) {
    TacStatus status = TAC_OK;
    if (body->model_count) {
        TacTick last = body->view.last;
        double since = last >= 0 ? tac_seconds(world->base, body->time - last) : 0;
        status = tac_touch_look(&body->view, body->pairs, body->pair_count, body->time, since,
                                tac_seconds(world->base, body->time), NULL);
    }
    for (size_t i = 0; i < body->skin_count; i++)
        if (!tac_skin_look(body->skins[i])) status = TAC_NO_MEMORY;
    return status;
}

static void serve(TacWorld *world, uint32_t id) {
    double start = tac_wall_seconds();
    TacLooseBody *body = &world->loose->bodies[id];
    TacTicker *ticker = &world->tickers[id];
    tac_world_loose_note_step(world, id);
    body->status = TAC_OK;
    for (size_t i = 0; i < part_count(body); i++) {
        TacLooseBody *part = part_of(world, body, i);
        TacStatus status = part ? look(world, part) : TAC_OK;
        if (status != TAC_OK) body->status = status;
    }
    tac_world_kick(world, ticker, body->time);
    TacTick to = body->time + body->step.now;
    body->wrong = commit_kick(&ticker->program);
    if (!body->wrong) {
        tac_world_settle_solver(world, ticker, body->time);
        body->wrong = drift(world, ticker, body->time, to);
    }
    body->time = to;
    for (size_t i = 0; i < part_count(body); i++) {
        TacLooseBody *part = part_of(world, body, i);
        if (part) part->time = to;
    }
    TacContext context = {tac_seconds(world->base, to), ticker->step, world->team};
    tac_program_propagate(&ticker->program, &context, TAC_X, TAC_V);
    body->speed = mean_speed(&ticker->program);
    body->seconds = tac_wall_seconds() - start;
}

static void serve_group(void *data, size_t begin, size_t end, size_t chunk) {
    (void)chunk;
    TacWorld *world = data;
    for (size_t i = begin; i < end; i++) serve(world, world->loose->group[i]);
}

// --- before and after -------------------------------------------------------------------------------------

static bool is_own(const TacLooseBody *body, const TacTouch *touch, uint32_t object) {
    return touch->models[touch->objects[object].model].touch == &body->view;
}

static int compare_pairs(const void *a, const void *b) {
    const TacZonePair *p = a, *q = b;
    if (p->a != q->a) return p->a < q->a ? -1 : 1;
    return p->b < q->b ? -1 : p->b > q->b;
}

static bool add_pair(TacLooseBody *body, TacZonePair pair) {
    if (!tac_grow(&body->pairs, &body->pair_capacity, body->pair_count + 1, sizeof *body->pairs))
        return false;
    body->pairs[body->pair_count++] = pair;
    return true;
}

// Asks the zones who may touch the objects of a view. Pairs of two of its own come up twice: once is enough.
static TacStatus ask_zones_for(TacWorld *world, TacLooseBody *body, TacError *error) {
    if (!body->model_count) return TAC_OK;
    TacTouch *touch = &world->touch->touch;
    body->pair_count = 0;
    for (size_t m = 0; m < body->model_count; m++) {
        const TacTouchModel *model = body->models[m];
        bool balls = model->model->base.cls == &tac_balls_model_class;
        if (balls && !add_pair(body, (TacZonePair){model->first_object, model->first_object}))
            return tac_fail_memory(error, 0);
        for (uint32_t o = model->first_object; o < model->first_object + model->object_count; o++) {
            const TacZonePair *pairs;
            size_t count;
            TAC_TRY(tac_zones_near(&touch->own_zones, o, &pairs, &count, error));
            for (size_t i = 0; i < count; i++) {
                uint32_t other = pairs[i].a == o ? pairs[i].b : pairs[i].a;
                if (is_own(body, touch, other) && other < o) continue;
                if (!add_pair(body, pairs[i])) return tac_fail_memory(error, 0);
            }
        }
    }
    if (body->pair_count) qsort(body->pairs, body->pair_count, sizeof *body->pairs, compare_pairs);
    return TAC_OK;
}

static TacStatus ask_zones(TacWorld *world, uint32_t id, TacError *error) {
    TacLooseBody *body = &world->loose->bodies[id];
    for (size_t i = 0; i < part_count(body); i++) {
        TacLooseBody *part = part_of(world, body, i);
        if (part) TAC_TRY(ask_zones_for(world, part, error));
    }
    return TAC_OK;
}

static void rouse(TacWorld *world, uint32_t id) {
    TacWorldLoose *loose = world->loose;
    if (loose->scheduler.agents[id].state != TAC_LOOSE_RESTING || tac_ticker_is_idle(&world->tickers[id]))
        return;
    tac_loose_rouse(&loose->scheduler, id, tac_loose_window(&loose->scheduler).slowest);
    loose->bodies[id].time = loose->scheduler.agents[id].time;
    tac_world_tell_agent(world, id, TAC_AGENT_WAKES);
    loose->bodies[id].view.last = -1;
    tac_agent_step_reset(&loose->bodies[id].step);
    tac_world_loose_note_step(world, id);
}

static void rouse_seen(TacWorld *world, const TacLooseBody *body) {
    TacWorldLoose *loose = world->loose;
    for (size_t i = 0; i < body->view.now.count; i++) {
        const TacPatch *p = &body->view.now.patches[i];
        if (p->count == 0) continue;
        const uint32_t objects[] = {p->key.a, p->key.b};
        for (int k = 0; k < 2; k++) {
            const TacTouch *view = world->touch->models[world->touch->touch.objects[objects[k]].model].touch;
            if (view == &body->view || !view->is_view) continue;
            const TacLooseBody *other =
                (const TacLooseBody *)((const char *)view - offsetof(TacLooseBody, view));
            rouse(world, (uint32_t)(other - loose->bodies));
        }
    }
    for (size_t s = 0; s < body->skin_count; s++)
        for (size_t i = 0; i < body->skins[s]->count; i++) {
            const TacSkinTouch *other = &world->touch->skins[body->skins[s]->contacts[i].other];
            if (other->moves) rouse(world, other->agent);
        }
}

// Who rests and is touched anew, or by something that moves, or is tied to it, wakes.
static void rouse_touched(TacWorld *world, TacLooseBody *body) {
    TacWorldLoose *loose = world->loose;
    if (loose->scheduler.resting_count == 0 || !(body->speed > body->step.still)) return;
    const TacProgram *program = &world->tickers[body - loose->bodies].program;
    for (size_t i = 0; i < program->law_count; i++) {
        const TacHalfLaw *half = (const TacHalfLaw *)program->laws[i];
        if (half->law.base.cls == &tac_half_law_class && half->shown_at) rouse(world, half->agent);
    }
    for (size_t i = 0; i < part_count(body); i++)
        if (part_of(world, body, i)) rouse_seen(world, part_of(world, body, i));
}

static bool view_touched_anew(const TacLooseBody *body) {
    const TacTouch *v = &body->view;
    for (size_t i = 0; i < body->skin_count; i++)
        if (body->skins[i]->anew) return true;
    for (size_t i = 0; i < v->event_count; i++)
        if (v->events[(v->event_first + i) % v->event_capacity].kind == TAC_CONTACT_BEGINS) return true;
    return false;
}

static bool touched_anew(const TacWorld *world, TacLooseBody *body) {
    for (size_t i = 0; i < part_count(body); i++)
        if (part_of(world, body, i) && view_touched_anew(part_of(world, body, i))) return true;
    return false;
}

// Whether something that moves by itself touches it.
static bool touches_agents(const TacWorld *world, const TacLooseBody *body) {
    for (size_t i = 0; i < body->view.now.count; i++) {
        const TacPatch *p = &body->view.now.patches[i];
        const uint32_t objects[] = {p->key.a, p->key.b};
        for (int k = 0; k < 2 && p->count > 0; k++) {
            const TacTouchModel *m = &world->touch->models[world->touch->touch.objects[objects[k]].model];
            if (m->moves && m->touch != &body->view) return true;
        }
    }
    for (size_t s = 0; s < body->skin_count; s++)
        for (size_t i = 0; i < body->skins[s]->count; i++)
            if (world->touch->skins[body->skins[s]->contacts[i].other].moves) return true;
    return false;
}

// A body that rests does not move at all.
static void stop(const TacProgram *p) {
    for (size_t i = 0; i < p->matter_count; i++)
        memset(p->matters[i]->vectors[TAC_V], 0, tac_vector_size(p->matters[i], TAC_V) * sizeof(double));
}

static TacStatus fail_agent(TacWorld *world, uint32_t id, TacError *error) {
    const TacTicker *t = &world->tickers[id];
    const TacLooseBody *body = &world->loose->bodies[id];
    if (body->status != TAC_OK) return tac_fail_memory(error, 0);
    world->failed = true;
    double time = tac_seconds(world->base, body->time);
    if (t->report.failure[0])
        return tac_fail(error, TAC_FAILED, "at %g s %s (%s): %s", time, t->name, t->what, t->report.failure);
    return tac_fail(
        error, TAC_FAILED,
        "at %g s %s blew up: %s is no longer made of numbers. A smaller step (it is %g s), less stiffness or "
        "an implicit solver may help",
        time, t->name, body->wrong->base.path, t->step);
}

// --- things with several models -------------------------------------------------------------------------------

// The agents of idle models rest, whatever happens; that of the living one never does: somebody may look at it. Models
// change when the living one has come to the end of a step: then nobody else looks, and the new one, at the same time, is
// published in its place.

static bool is_model(const TacWorld *world, uint32_t id) {
    return tac_world_levels_of(world, id) != NULL;
}

// Returns who goes on in the agent's place: itself, where nothing changes.
static uint32_t change_models(TacWorld *world, uint32_t id) {
    TacWorldLoose *loose = world->loose;
    TacLevels *l = tac_world_levels_of(world, id);
    TacTick time = loose->bodies[id].time;
    if (!l) return id;
    tac_world_choose_model(world, l, time);
    if (l->state->wanted == l->state->level) return id;
    TacContext context = {tac_seconds(world->base, time), l->steps[l->state->wanted], world->team};
    TacEntry before = tac_account_look(world, &world->tickers[id].program);
    tac_levels_go(l, &context, time);
    uint32_t next = l->tickers[l->state->level];
    tac_account_book(world, world->ticker_count + TAC_BOOK_LEVELS, &world->tickers[next].program, &before);
    loose->bodies[next].time = time;
    loose->bodies[next].view.last = -1;
    tac_agent_step_reset(&loose->bodies[next].step);
    tac_program_propagate(&world->tickers[next].program, &context, TAC_X, TAC_V);
    return next;
}

// After a step: it is published and told of, and has its cost. `next`: who goes on in its place; NULL: itself.
static TacStatus conclude(TacWorld *world, uint32_t id, bool rests, TacTick *cost, uint32_t *next,
                          TacError *error) {
    TacWorldLoose *loose = world->loose;
    TacLooseBody *body = &loose->bodies[id];
    if (body->status != TAC_OK || body->wrong || world->tickers[id].report.failure[0])
        return fail_agent(world, id, error);
    tac_account_commit_one(world, id);
    if (rests) {
        TacEntry before = tac_account_look(world, &world->tickers[id].program);
        stop(&world->tickers[id].program);
        tac_account_book(world, world->ticker_count + TAC_BOOK_REST, &world->tickers[id].program, &before);
    }
    if (next) *next = change_models(world, id);
    TAC_TRY(publish(world, id, error));
    if (next && *next != id) TAC_TRY(publish(world, *next, error));
    rouse_touched(world, body);
    for (size_t i = 0; i < part_count(body); i++) {
        TacLooseBody *part = part_of(world, body, i);
        if (!part) continue;
        if (touches_agents(world, part)) tac_loose_keep_close(&loose->scheduler, id);
        if (!part->model_count) continue;
        tac_touch_hand_on_events(&part->view, &world->touch->touch);
        tac_world_take_touch_events(world);
    }
    *cost = loose->wall ? tac_ticks_round(world->base, body->seconds) : body->cost;
    if (!loose->wall) tac_loose_set_now(&loose->scheduler, loose->scheduler.now + *cost);
    return TAC_OK;
}

static TacStatus finish(TacWorld *world, uint32_t id, TacError *error) {
    TacWorldLoose *loose = world->loose;
    TacLooseBody *body = &loose->bodies[id];
    TacTick cost = 0;
    uint32_t next = id;
    if (touched_anew(world, body)) tac_agent_step_reset(&body->step);
    bool rests = tac_agent_step_done(&body->step, body->speed) && !is_model(world, id);
    TAC_TRY(conclude(world, id, rests, &cost, &next, error));
    tac_world_loose_note_step(world, id);
    if (rests) tac_world_tell_agent(world, id, TAC_AGENT_SLEEPS);
    if (rests || next != id)
        tac_loose_rest(&loose->scheduler, id, body->time);
    else if (loose->wall && body->time > loose->scheduler.now)
        tac_loose_finish_until(&loose->scheduler, id, body->time,
                               body->time); // not ahead of the wall's clock
    else
        tac_loose_finish(&loose->scheduler, id, body->time, cost);
    if (next != id) tac_loose_rouse(&loose->scheduler, next, body->time);
    return TAC_OK;
}

// --- running ----------------------------------------------------------------------------------------------

static size_t group_size(const TacLoose *scheduler) {
    size_t n = scheduler->count / 8;
    return n < 1 ? 1 : n > TAC_LOOSE_GROUP ? TAC_LOOSE_GROUP : n;
}

static void read_wall(TacWorld *world) {
    TacWorldLoose *loose = world->loose;
    if (loose->started < 0)
        loose->started = tac_wall_seconds() - tac_seconds(world->base, loose->scheduler.now);
    tac_loose_set_now(&loose->scheduler, tac_ticks_round(world->base, tac_wall_seconds() - loose->started));
}

// Nobody is ready: on to the next who wakes.
static void wait_for_next(TacWorld *world) {
    TacWorldLoose *loose = world->loose;
    TacTick wake = tac_loose_next_wake(&loose->scheduler);
    if (!loose->wall) {
        tac_loose_set_now(&loose->scheduler, wake);
        return;
    }
    double seconds = fmin(0.01, tac_seconds(world->base, wake - loose->scheduler.now));
    struct timespec pause = {0, (long)(1e9 * fmax(0, seconds))};
    nanosleep(&pause, NULL);
}

static TacStatus one_turn(TacWorld *world, TacError *error) {
    TacWorldLoose *loose = world->loose;
    if (loose->wall) read_wall(world);
    size_t n = tac_loose_take(&loose->scheduler, loose->group, group_size(&loose->scheduler));
    if (n == 0) {
        wait_for_next(world);
        return TAC_OK;
    }
    for (size_t i = 0; i < n; i++) TAC_TRY(ask_zones(world, loose->group[i], error));
    tac_team_run(world->team, n, 1, serve_group, world);
    TacStatus status = TAC_OK;
    for (size_t i = 0; i < n; i++) {
        TacStatus each = finish(world, loose->group[i], status == TAC_OK ? error : NULL);
        if (status == TAC_OK) status = each;
    }
    TacLooseWindow window = tac_loose_window(&loose->scheduler);
    double delay = (double)(window.fastest - window.slowest);
    loose->delay_sum += delay;
    loose->delay_most = fmax(loose->delay_most, delay);
    loose->turns++;
    if (loose->frame_turns++ <= loose->frame_turn) loose->frame_delay = delay;
    world->instants++;
    return status;
}

TacStatus tac_world_loose_run(TacWorld *world, TacTick target, TacError *error) {
    TacLoose *scheduler = &world->loose->scheduler;
    TacStatus status = TAC_OK;
    // all at rest, or nobody there: time passes all the same
    while (status == TAC_OK && scheduler->count > scheduler->resting_count &&
           tac_loose_window(scheduler).slowest < target) {
        if (tac_world_is_stopped(world)) {
            TacTick slowest = tac_loose_window(scheduler).slowest;
            target = slowest > world->now ? slowest : world->now;
            break;
        }
        status = one_turn(world, error);
    }
    if (status != TAC_OK) {
        world->failed = true;
        return status;
    }
    world->now = target;
    world->shown = -1;
    return TAC_OK;
}

TacDelay tac_world_delay(TacWorld *world) {
    TacWorldLoose *loose = world->loose;
    if (!loose || loose->turns == 0) return (TacDelay){0, 0, 0};
    TacDelay delay = {.mean = world->base.tick * loose->delay_sum / (double)loose->turns,
                      .most = world->base.tick * loose->delay_most,
                      .turns = loose->turns};
    loose->delay_sum = loose->delay_most = 0;
    loose->turns = 0;
    return delay;
}

static void rouse_now(TacWorld *world, uint32_t id) {
    TacWorldLoose *loose = world->loose;
    TacLooseBody *body = &loose->bodies[id];
    const TacProgram *p = &world->tickers[id].program;
    bool rested = loose->scheduler.agents[id].state == TAC_LOOSE_RESTING;
    tac_loose_wake(&loose->scheduler, id);
    tac_loose_rouse(&loose->scheduler, id, world->now);
    body->time = loose->scheduler.agents[id].time;
    if (rested) tac_world_tell_agent(world, id, TAC_AGENT_WAKES);
    tac_agent_step_reset(&body->step);
    tac_world_loose_note_step(world, id);
    TacContext context = {tac_world_time(world), world->base.beat, world->team};
    tac_program_propagate(p, &context, TAC_X, TAC_V);
    (void)publish(world, id, NULL);
}

void tac_world_loose_rouse(TacWorld *world, const TacMatter *matter) {
    TacWorldLoose *loose = world->loose;
    for (uint32_t id = 0; id < loose->count; id++) {
        const TacTicker *t = &world->tickers[id];
        if (t->idle || !tac_program_has(&t->program, matter)) continue;
        const TacLevels *l = tac_ticker_is_idle(t) ? tac_world_levels_of(world, id) : NULL;
        if (!tac_ticker_is_idle(t))
            rouse_now(world, id);
        else if (l) // who stands for it looks up
            tac_loose_wake(&loose->scheduler, l->tickers[l->state->level]);
    }
}

// --- becoming one ---------------------------------------------------------------------------------------------

// On to a time in equal steps, none longer than its own.
static TacStatus step_to(TacWorld *world, uint32_t id, TacTick to, TacError *error) {
    TacLooseBody *body = &world->loose->bodies[id];
    tac_agent_step_reset(&body->step);
    while (body->time < to) {
        TacTick left = to - body->time, steps = (left + body->step.own - 1) / body->step.own, cost;
        body->step.now = left / steps;
        TAC_TRY(ask_zones(world, id, error));
        serve(world, id);
        TAC_TRY(conclude(world, id, false, &cost, NULL, error));
        world->instants++;
    }
    tac_agent_step_reset(&body->step);
    tac_world_loose_note_step(world, id);
    return TAC_OK;
}

// The agents of a family who move: its members that are by themselves, and what is merged, last.
static uint32_t gathered(const TacWorld *world, const TacMerge *family, size_t i) {
    uint32_t id = i < family->member_count ? family->members[i].ticker : family->ticker;
    if (id == UINT32_MAX || world->tickers[id].idle) return UINT32_MAX;
    return world->loose->scheduler.agents[id].state == TAC_LOOSE_RESTING ? UINT32_MAX : id;
}

static bool flies_by_itself(const TacMerge *family, size_t matter) {
    const TacMergeMember *member = &family->members[family->belongs[TAC_LIST_MATTERS][matter]];
    return member->ticker == UINT32_MAX && !member->merged;
}

// When all of a family can be together; 0: nobody moves.
static TacTick meeting_time(const TacWorld *world, const TacMerge *family) {
    TacTick first = TAC_TICK_NEVER, last = 0, shortest = TAC_TICK_NEVER;
    for (size_t i = 0; i <= family->member_count; i++) {
        uint32_t id = gathered(world, family, i);
        if (id == UINT32_MAX) continue;
        const TacLooseBody *body = &world->loose->bodies[id];
        first = body->time < first ? body->time : first;
        last = body->time > last ? body->time : last;
        shortest = body->step.own < shortest ? body->step.own : shortest;
    }
    for (size_t k = 0; k < family->full.matter_count; k++) {
        TacTick time = family->full.matters[k]->time;
        if (flies_by_itself(family, k) && time > last) last = time;
    }
    return first < last && first != TAC_TICK_NEVER ? last + shortest : last;
}

TacStatus tac_world_loose_gather(TacWorld *world, const TacMerge *family, TacError *error) {
    TacLoose *scheduler = &world->loose->scheduler;
    TacTick time = meeting_time(world, family);
    for (size_t i = 0; i <= family->member_count; i++) {
        uint32_t id = gathered(world, family, i);
        if (id == UINT32_MAX || world->loose->bodies[id].time == time) continue;
        tac_loose_remove(scheduler, id);
        TacStatus status = step_to(world, id, time, error);
        tac_loose_return(scheduler, id, world->loose->bodies[id].time);
        TAC_TRY(status);
    }
    for (size_t k = 0; k < family->full.matter_count; k++) {
        TacMatter *m = family->full.matters[k];
        if (!flies_by_itself(family, k) || m->time >= time) continue;
        tac_world_locate(world, m, time, m->vectors[TAC_X], m->vectors[TAC_V]);
        m->time = time;
    }
    world->shown = -1;
    return TAC_OK;
}

void tac_world_loose_set_present(TacWorld *world, uint32_t ticker, bool present, TacTick time) {
    if (!present) {
        tac_loose_remove(&world->loose->scheduler, ticker);
        return;
    }
    world->loose->bodies[ticker].time = time;
    tac_agent_step_reset(&world->loose->bodies[ticker].step);
    tac_world_loose_note_step(world, ticker);
    tac_loose_return(&world->loose->scheduler, ticker, time);
}

void tac_world_loose_rearranged(TacWorld *world, const TacMerge *family) {
    TacTick cost = 0;
    for (size_t i = 0; i < family->member_count; i++)
        if (family->members[i].merged && family->members[i].ticker != UINT32_MAX)
            cost += world->loose->bodies[family->members[i].ticker].cost;
    world->loose->bodies[family->ticker].cost = cost;
    for (size_t i = 0; i < family->full.law_count; i++) {
        TacHalfLaw *half = (TacHalfLaw *)family->full.laws[i];
        if (half->law.base.cls != &tac_half_law_class) continue;
        bool merged = family->members[family->belongs[TAC_LIST_LAWS][i]].merged;
        half->ahead = merged ? -1 : half->own_ahead;
    }
}

void tac_world_loose_destroy(TacWorld *world) {
    TacWorldLoose *loose = world->loose;
    if (!loose) return;
    for (size_t i = 0; i < loose->count; i++) {
        if (loose->bodies[i].model_count) tac_touch_destroy(&loose->bodies[i].view);
        free(loose->bodies[i].pairs);
    }
    tac_loose_destroy(&loose->scheduler);
}

// --- saving -----------------------------------------------------------------------------------------------

// The scheduler, then for each agent its time and step, its view where it has one, each with its length; and what its
// models had until the last kick.
typedef struct SavedBody {
    int64_t time, step, calm;
    uint64_t view_bytes;
    uint64_t touching; // bit i: its i-th skin touches something; the first 64
} SavedBody;

static size_t view_bytes(const TacLooseBody *body) {
    return body->model_count ? tac_touch_save_bytes(&body->view) : 0;
}

static size_t past_bytes(const TacTouchModel *model) {
    return tac_vector_size(model->model->matter, TAC_V) * sizeof(double);
}

static size_t pasts_bytes(const TacLooseBody *body) {
    size_t bytes = 0;
    for (size_t i = 0; i < body->model_count; i++) bytes += sizeof(double) + past_bytes(body->models[i]);
    return bytes;
}

size_t tac_world_loose_save_bytes(const TacWorld *world) {
    const TacWorldLoose *loose = world->loose;
    if (!loose) return 0;
    size_t bytes = sizeof(uint64_t) + tac_loose_save_bytes(&loose->scheduler);
    for (size_t i = 0; i < loose->count; i++)
        bytes += sizeof(SavedBody) + view_bytes(&loose->bodies[i]) + pasts_bytes(&loose->bodies[i]);
    return bytes;
}

void tac_world_loose_save(const TacWorld *world, void *to) {
    const TacWorldLoose *loose = world->loose;
    char *at = to;
    uint64_t bytes = tac_loose_save_bytes(&loose->scheduler);
    memcpy(at, &bytes, sizeof bytes);
    tac_loose_save(&loose->scheduler, at + sizeof bytes);
    at += sizeof bytes + bytes;
    for (size_t i = 0; i < loose->count; i++) {
        const TacLooseBody *body = &loose->bodies[i];
        SavedBody saved = {body->time, body->step.now, body->step.calm, view_bytes(body), 0};
        for (size_t k = 0; k < body->skin_count && k < 64; k++)
            saved.touching |= (uint64_t)body->skins[k]->touches << k;
        memcpy(at, &saved, sizeof saved);
        at += sizeof saved;
        if (saved.view_bytes) tac_touch_save(&body->view, at);
        at += saved.view_bytes;
        for (size_t k = 0; k < body->model_count; k++) {
            const TacTouchModel *m = body->models[k];
            memcpy(at, &m->past_time, sizeof m->past_time);
            memcpy(at + sizeof m->past_time, m->past, past_bytes(m));
            at += sizeof m->past_time + past_bytes(m);
        }
    }
}

static TacStatus restore_body(const TacWorld *world, TacLooseBody *body, const char **at, const char *end,
                              TacError *error) {
    SavedBody saved;
    if ((size_t)(end - *at) < sizeof saved) return tac_fail(error, TAC_BAD_INPUT, "the snapshot is damaged");
    memcpy(&saved, *at, sizeof saved);
    *at += sizeof saved;
    if (saved.view_bytes > (uint64_t)(end - *at) || (saved.view_bytes > 0) != (body->model_count > 0) ||
        saved.step < body->step.own || saved.step > body->step.longest || saved.calm < 0 || saved.time < 0 ||
        saved.time > TAC_TICK_NEVER / 2)
        return tac_fail(error, TAC_BAD_INPUT, "the snapshot is damaged");
    if (body->model_count) TAC_TRY(tac_touch_restore(&body->view, *at, (size_t)saved.view_bytes, error));
    *at += saved.view_bytes;
    body->time = saved.time;
    if (pasts_bytes(body) > (size_t)(end - *at))
        return tac_fail(error, TAC_BAD_INPUT, "the snapshot is damaged");
    for (size_t k = 0; k < body->model_count; k++) {
        TacTouchModel *m = body->models[k];
        memcpy(&m->past_time, *at, sizeof m->past_time);
        memcpy(m->past, *at + sizeof m->past_time, past_bytes(m));
        *at += sizeof m->past_time + past_bytes(m);
        m->shown = tac_seconds(world->base, body->time);
    }
    body->step.now = saved.step;
    body->step.calm = saved.calm;
    for (size_t k = 0; k < body->skin_count && k < 64; k++) body->skins[k]->touches = saved.touching >> k & 1;
    return TAC_OK;
}

TacStatus tac_world_loose_restore(TacWorld *world, const void *data, size_t bytes, TacError *error) {
    TacWorldLoose *loose = world->loose;
    const char *at = data, *end = at + bytes;
    uint64_t length = 0;
    if (bytes >= sizeof length) memcpy(&length, at, sizeof length);
    if (bytes < sizeof length || length > bytes - sizeof length)
        return tac_fail(error, TAC_BAD_INPUT, "the snapshot is damaged");
    TAC_TRY(tac_loose_restore(&loose->scheduler, at + sizeof length, (size_t)length, error));
    at += sizeof length + length;
    for (size_t i = 0; i < loose->count; i++)
        TAC_TRY(restore_body(world, &loose->bodies[i], &at, end, error));
    if (at != end) return tac_fail(error, TAC_BAD_INPUT, "the snapshot is damaged");
    loose->started = -1;
    TAC_TRY(tac_world_loose_publish_standing(world, error)); // what stands may have been put elsewhere
    for (uint32_t id = 0; id < loose->count; id++)
        if (world->tickers[id].idle != (loose->scheduler.agents[id].state == TAC_LOOSE_ABSENT))
            return tac_fail(error, TAC_BAD_INPUT, "the snapshot is damaged");
    for (uint32_t id = 0; id < loose->count; id++) {
        tac_world_loose_note_step(world, id);
        if (world->tickers[id].idle) continue;
        TacContext context = {0, world->base.beat, world->team};
        tac_program_propagate(&world->tickers[id].program, &context, TAC_X, TAC_V);
        TAC_TRY(publish(world, id, error));
    }
    return TAC_OK;
}
