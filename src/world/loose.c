// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Letting agents run by themselves. See loose.h.

#define _GNU_SOURCE
#include "world/loose.h"
#include "world/account.h"

#include "agent/half_law.h"

#include <time.h>

static double wall_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

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

static TacStatus publish(TacWorld *world, uint32_t id, TacError *error) {
    TacLooseBody *body = &world->loose->bodies[id];
    const TacProgram *p = &world->tickers[id].program;
    body->shown = tac_seconds(world->base, body->time);
    for (size_t i = 0; i < body->model_count; i++) keep_past(body->models[i], body->shown);
    for (size_t i = 0; i < p->matter_count; i++) show_matter(p->matters[i]);
    for (size_t i = 0; i < p->other_count; i++) show_matter(p->others[i]);
    for (size_t i = 0; i < body->model_count; i++) {
        tac_touch_count_loads(&body->view, body->models[i]);
        TAC_TRY(tac_touch_place_model(&world->touch->touch, world->team, body->models[i], error));
    }
    return TAC_OK;
}

TacStatus tac_world_loose_start(TacWorld *world, TacError *error) {
    for (uint32_t id = 0; id < world->loose->count; id++)
        if (tac_ticker_is_idle(&world->tickers[id])) tac_loose_rest(&world->loose->scheduler, id, 0);
    // what stands where nobody moves it is published once
    for (size_t i = 0; i < world->all.matter_count; i++) show_matter(world->all.matters[i]);
    TacContext context = {0, world->base.beat, world->team};
    tac_program_propagate(&world->all, &context, TAC_X_SHOWN, TAC_V_SHOWN);
    tac_program_propagate(&world->all, &context, TAC_X, TAC_V);
    for (size_t m = 0; world->touch && m < world->touch->model_count; m++)
        TAC_TRY(tac_touch_place_model(&world->touch->touch, world->team, &world->touch->models[m], error));
    return TAC_OK;
}

// --- one step of one agent --------------------------------------------------------------------------------

// v += dv
static void add_kicks(const TacProgram *p) {
    for (size_t i = 0; i < p->matter_count; i++) {
        const TacMatter *m = p->matters[i];
        double *v = m->vectors[TAC_V], *dv = m->vectors[TAC_DV];
        size_t n = tac_vector_size(m, TAC_V);
        for (size_t k = 0; k < n; k++) {
            v[k] += dv[k];
            dv[k] = 0;
        }
    }
}

// On to the end of the step.
static const TacMatter *drift(TacWorld *world, TacTicker *ticker, TacTick from, TacTick to) {
    bool moves = ticker->solver && tac_solver_moves(ticker->solver);
    for (size_t i = 0; i < ticker->program.matter_count; i++) {
        TacMatter *m = ticker->program.matters[i];
        double sum = 0; // 0, or NaN as soon as something is not finite
        const double *v = m->vectors[TAC_V];
        for (size_t k = 0; k < tac_vector_size(m, TAC_V); k++) sum += v[k] * 0;
        m->time = from;
        m->arrival = moves ? to : -1;
        tac_world_locate(world, m, to, m->vectors[TAC_X], m->vectors[TAC_V]);
        m->time = to;
        m->arrival = -1;
        const double *x = m->vectors[TAC_X];
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

static void serve(TacWorld *world, uint32_t id) {
    double start = wall_seconds();
    TacLooseBody *body = &world->loose->bodies[id];
    TacTicker *ticker = &world->tickers[id];
    double time = tac_seconds(world->base, body->time);
    ticker->step = tac_seconds(world->base, body->step.now);
    body->status = TAC_OK;
    if (body->model_count) {
        TacTick last = body->view.last;
        double since = last >= 0 ? tac_seconds(world->base, body->time - last) : 0;
        body->status =
            tac_touch_look(&body->view, body->pairs, body->pair_count, body->time, since, time, NULL);
    }
    for (size_t i = 0; i < body->skin_count; i++)
        if (!tac_skin_look(body->skins[i])) body->status = TAC_NO_MEMORY;
    tac_world_kick(world, ticker, body->time);
    TacTick to = body->time + body->step.now;
    add_kicks(&ticker->program);
    tac_world_settle_solver(world, ticker, body->time);
    body->wrong = drift(world, ticker, body->time, to);
    body->time = to;
    TacContext context = {tac_seconds(world->base, to), ticker->step, world->team};
    tac_program_propagate(&ticker->program, &context, TAC_X, TAC_V);
    body->speed = mean_speed(&ticker->program);
    body->seconds = wall_seconds() - start;
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

// Asks the zones who may touch an agent's objects. Pairs of two of its own come up twice: once is enough.
static TacStatus ask_zones(TacWorld *world, uint32_t id, TacError *error) {
    TacLooseBody *body = &world->loose->bodies[id];
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

static void rouse(TacWorld *world, uint32_t id) {
    TacWorldLoose *loose = world->loose;
    if (loose->scheduler.agents[id].state != TAC_LOOSE_RESTING || tac_ticker_is_idle(&world->tickers[id]))
        return;
    tac_loose_rouse(&loose->scheduler, id, tac_loose_window(&loose->scheduler).slowest);
    loose->bodies[id].time = loose->scheduler.agents[id].time;
    tac_world_tell_agent(world, id, TAC_AGENT_WAKES);
    loose->bodies[id].view.last = -1;
    tac_agent_step_reset(&loose->bodies[id].step);
}

// Who rests and is touched anew, or by something that moves, or is tied to it, wakes.
static void rouse_touched(TacWorld *world, const TacLooseBody *body) {
    TacWorldLoose *loose = world->loose;
    if (loose->scheduler.resting_count == 0) return;
    const TacProgram *program = &world->tickers[body - loose->bodies].program;
    for (size_t i = 0; i < program->law_count && body->speed > body->step.still; i++) {
        const TacHalfLaw *half = (const TacHalfLaw *)program->laws[i];
        if (half->law.base.cls == &tac_half_law_class && half->shown_at) rouse(world, half->agent);
    }
    for (size_t i = 0; i < body->view.now.count; i++) {
        const TacPatch *p = &body->view.now.patches[i];
        if (p->count == 0 || !(body->speed > body->step.still)) continue;
        const uint32_t objects[] = {p->key.a, p->key.b};
        for (int k = 0; k < 2; k++) {
            const TacTouch *view = world->touch->models[world->touch->touch.objects[objects[k]].model].touch;
            if (view == &body->view || !view->is_view) continue;
            const TacLooseBody *other =
                (const TacLooseBody *)((const char *)view - offsetof(TacLooseBody, view));
            rouse(world, (uint32_t)(other - loose->bodies));
        }
    }
    for (size_t s = 0; s < body->skin_count && body->speed > body->step.still; s++)
        for (size_t i = 0; i < body->skins[s]->count; i++) {
            const TacSkinTouch *other = &world->touch->skins[body->skins[s]->contacts[i].other];
            if (other->moves) rouse(world, other->agent);
        }
}

static bool touched_anew(const TacLooseBody *body) {
    const TacTouch *v = &body->view;
    for (size_t i = 0; i < body->skin_count; i++)
        if (body->skins[i]->anew) return true;
    for (size_t i = 0; i < v->event_count; i++)
        if (v->events[(v->event_first + i) % v->event_capacity].kind == TAC_CONTACT_BEGINS) return true;
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
    tac_levels_go(l, &context, time);
    uint32_t next = l->tickers[l->state->level];
    loose->bodies[next].time = time;
    loose->bodies[next].view.last = -1;
    tac_agent_step_reset(&loose->bodies[next].step);
    tac_program_propagate(&world->tickers[next].program, &context, TAC_X, TAC_V);
    return next;
}

static TacStatus finish(TacWorld *world, uint32_t id, TacError *error) {
    TacWorldLoose *loose = world->loose;
    TacLooseBody *body = &loose->bodies[id];
    if (body->status != TAC_OK || body->wrong || world->tickers[id].report.failure[0])
        return fail_agent(world, id, error);
    if (touched_anew(body)) tac_agent_step_reset(&body->step);
    bool rests = tac_agent_step_done(&body->step, body->speed) && !is_model(world, id);
    tac_account_commit_one(world, id);
    if (rests) {
        double before = tac_account_kinetic(world, &world->tickers[id].program);
        stop(&world->tickers[id].program);
        tac_account_book(world, world->ticker_count + TAC_BOOK_REST, &world->tickers[id].program, before);
    }
    uint32_t next = change_models(world, id);
    TAC_TRY(publish(world, id, error));
    if (next != id) TAC_TRY(publish(world, next, error));
    rouse_touched(world, body);
    if (touches_agents(world, body)) tac_loose_keep_close(&loose->scheduler, id);
    if (body->model_count) {
        tac_touch_hand_on_events(&body->view, &world->touch->touch);
        tac_world_take_touch_events(world);
    }
    TacTick cost = loose->wall ? tac_ticks_round(world->base, body->seconds) : body->cost;
    if (!loose->wall) tac_loose_set_now(&loose->scheduler, loose->scheduler.now + cost);
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
    if (loose->started < 0) loose->started = wall_seconds() - tac_seconds(world->base, loose->scheduler.now);
    tac_loose_set_now(&loose->scheduler, tac_ticks_round(world->base, wall_seconds() - loose->started));
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
    for (size_t i = 0; i < n; i++)
        if (loose->bodies[loose->group[i]].model_count) TAC_TRY(ask_zones(world, loose->group[i], error));
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
           tac_loose_window(scheduler).slowest < target)
        status = one_turn(world, error);
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

void tac_world_loose_rouse(TacWorld *world, const TacMatter *matter) {
    TacWorldLoose *loose = world->loose;
    for (uint32_t id = 0; id < loose->count; id++) {
        const TacProgram *p = &world->tickers[id].program;
        for (size_t i = 0; i < p->matter_count; i++) {
            if (p->matters[i] != matter) continue;
            if (tac_ticker_is_idle(&world->tickers[id])) { // who stands for it looks up
                const TacLevels *l = tac_world_levels_of(world, id);
                if (l) tac_loose_wake(&loose->scheduler, l->tickers[l->state->level]);
                continue;
            }
            TacLooseBody *body = &loose->bodies[id];
            bool rested = loose->scheduler.agents[id].state == TAC_LOOSE_RESTING;
            tac_loose_wake(&loose->scheduler, id);
            tac_loose_rouse(&loose->scheduler, id, world->now);
            body->time = loose->scheduler.agents[id].time;
            if (rested) tac_world_tell_agent(world, id, TAC_AGENT_WAKES);
            tac_agent_step_reset(&body->step);
            TacContext context = {tac_world_time(world), world->base.beat, world->team};
            tac_program_propagate(p, &context, TAC_X, TAC_V);
            (void)publish(world, id, NULL);
        }
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
    for (uint32_t id = 0; id < loose->count; id++) {
        TacContext context = {0, world->base.beat, world->team};
        tac_program_propagate(&world->tickers[id].program, &context, TAC_X, TAC_V);
        TAC_TRY(publish(world, id, error));
    }
    return TAC_OK;
}
