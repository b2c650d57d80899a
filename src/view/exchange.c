// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

#define _GNU_SOURCE
#include "view/exchange.h"
#include "base/memory.h"

#include <math.h>
#include <time.h>

TacStatus tac_exchange_init(TacExchange *e, TacError *error) {
    *e = (TacExchange){.back = 0, .middle = 1, .front = 2};
    pthread_condattr_t attributes;
    e->ring = calloc(TAC_EXCHANGE_MESSAGES, sizeof *e->ring);
    if (!e->ring) return tac_fail_memory(error, TAC_EXCHANGE_MESSAGES * sizeof *e->ring);
    pthread_mutex_init(&e->lock, NULL);
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&e->wake, &attributes);
    pthread_condattr_destroy(&attributes);
    return TAC_OK;
}

void tac_exchange_destroy(TacExchange *e) {
    if (!e->ring) return;
    tac_parcels_free(e->first);
    tac_parcels_free(e->prologue);
    for (int i = 0; i < 3; i++) tac_bytes_free(&e->frames[i].bytes);
    free(e->ring);
    pthread_cond_destroy(&e->wake);
    pthread_mutex_destroy(&e->lock);
    e->ring = NULL;
}

// --- parcels ----------------------------------------------------------------------------------------------

TacParcel *tac_parcel(uint32_t client, bool binary, const void *data, size_t bytes) {
    TacParcel *p = malloc(sizeof *p + TAC_SEND_ROOM + bytes);
    if (!p) return NULL;
    *p = (TacParcel){.client = client, .binary = binary, .bytes = bytes};
    memcpy(p->memory + TAC_SEND_ROOM, data, bytes);
    return p;
}

void tac_parcels_free(TacParcel *list) {
    while (list) {
        TacParcel *next = list->next;
        free(list);
        list = next;
    }
}

static void notify(TacExchange *e) {
    if (e->notify) e->notify(e->notify_data);
}

static void append(TacExchange *e, TacParcel *p) {
    pthread_mutex_lock(&e->lock);
    *(e->last ? &e->last->next : &e->first) = p;
    e->last = p;
    pthread_mutex_unlock(&e->lock);
    notify(e);
}

void tac_exchange_post_json(TacExchange *e, uint32_t client, bool droppable, TacJson *json) {
    TacParcel *p = json->failed ? NULL : tac_parcel(client, false, json->text, json->bytes);
    tac_json_free(json);
    if (!p) return;
    p->droppable = droppable;
    append(e, p);
}

void tac_exchange_post(TacExchange *e, uint32_t client, const TacBytes *bytes) {
    TacParcel *p = tac_parcel(client, true, tac_bytes_data(bytes), bytes->bytes);
    if (p) append(e, p);
}

TacParcel *tac_exchange_take_parcels(TacExchange *e) {
    pthread_mutex_lock(&e->lock);
    TacParcel *list = e->first;
    e->first = e->last = NULL;
    pthread_mutex_unlock(&e->lock);
    return list;
}

void tac_exchange_set_prologue(TacExchange *e, TacParcel *list, bool renew) {
    pthread_mutex_lock(&e->lock);
    TacParcel *old = e->prologue;
    e->prologue = list;
    if (renew) {
        e->generation++;
        e->fresh = false;
    }
    pthread_mutex_unlock(&e->lock);
    tac_parcels_free(old);
    notify(e);
}

TacParcel *tac_exchange_prologue(TacExchange *e, uint32_t *generation) {
    TacParcel *first = NULL, **end = &first;
    pthread_mutex_lock(&e->lock);
    if (*generation != e->generation) {
        *generation = e->generation;
        for (const TacParcel *p = e->prologue; p; p = p->next) {
            TacParcel *copy = tac_parcel(p->client, p->binary, p->memory + TAC_SEND_ROOM, p->bytes);
            if (!copy) break;
            *end = copy;
            end = &copy->next;
        }
    }
    pthread_mutex_unlock(&e->lock);
    return first;
}

// --- messages ---------------------------------------------------------------------------------------------

static bool is_move(const TacMessage *m) {
    return m->kind == TAC_MESSAGE_DRAG || m->kind == TAC_MESSAGE_CAMERA ||
           (m->kind == TAC_MESSAGE_SPHERE && m->on) || m->kind == TAC_MESSAGE_SEEK;
}

bool tac_exchange_say(TacExchange *e, const TacMessage *message) {
    pthread_mutex_lock(&e->lock);
    TacMessage *last = e->count ? &e->ring[(e->head + e->count - 1) % TAC_EXCHANGE_MESSAGES] : NULL;
    bool taken = true;
    if (last && is_move(message) && last->kind == message->kind && last->hand == message->hand &&
        is_move(last))
        *last = *message;
    else if (e->count < TAC_EXCHANGE_MESSAGES)
        e->ring[(e->head + e->count++) % TAC_EXCHANGE_MESSAGES] = *message;
    else
        taken = false;
    pthread_cond_signal(&e->wake);
    pthread_mutex_unlock(&e->lock);
    return taken;
}

bool tac_exchange_hear(TacExchange *e, TacMessage *message) {
    pthread_mutex_lock(&e->lock);
    bool any = e->count > 0;
    if (any) {
        *message = e->ring[e->head];
        e->head = (e->head + 1) % TAC_EXCHANGE_MESSAGES;
        e->count--;
    }
    pthread_mutex_unlock(&e->lock);
    return any;
}

void tac_exchange_wait(TacExchange *e, double seconds) {
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    double whole = floor(seconds);
    until.tv_sec += (time_t)whole;
    until.tv_nsec += (long)(1e9 * (seconds - whole));
    if (until.tv_nsec >= 1000000000) {
        until.tv_nsec -= 1000000000;
        until.tv_sec++;
    }
    pthread_mutex_lock(&e->lock);
    if (!e->count && !e->stop) pthread_cond_timedwait(&e->wake, &e->lock, &until);
    pthread_mutex_unlock(&e->lock);
}

void tac_exchange_stop(TacExchange *e) {
    pthread_mutex_lock(&e->lock);
    e->stop = true;
    pthread_cond_signal(&e->wake);
    pthread_mutex_unlock(&e->lock);
}

bool tac_exchange_stopped(TacExchange *e) {
    pthread_mutex_lock(&e->lock);
    bool stop = e->stop;
    pthread_mutex_unlock(&e->lock);
    return stop;
}

// --- frames -----------------------------------------------------------------------------------------------

void tac_exchange_sent(TacExchange *e, double seconds) {
    pthread_mutex_lock(&e->lock);
    e->send_cost += 0.1 * (seconds - e->send_cost);
    pthread_mutex_unlock(&e->lock);
}

double tac_exchange_send_cost(TacExchange *e) {
    pthread_mutex_lock(&e->lock);
    double cost = e->send_cost;
    pthread_mutex_unlock(&e->lock);
    return cost;
}

void tac_exchange_want(TacExchange *e, bool wanted, size_t watchers) {
    pthread_mutex_lock(&e->lock);
    // a world that is paused shows itself to who comes, or comes back
    bool wake = wanted && !e->wanted;
    e->wanted = wanted;
    e->watchers = watchers;
    if (wake) pthread_cond_signal(&e->wake);
    pthread_mutex_unlock(&e->lock);
}

void tac_exchange_see(TacExchange *e) {
    pthread_mutex_lock(&e->lock);
    if (!e->seen) pthread_cond_signal(&e->wake); // time begins
    e->seen = true;
    pthread_mutex_unlock(&e->lock);
}

bool tac_exchange_seen(TacExchange *e) {
    pthread_mutex_lock(&e->lock);
    bool seen = e->seen;
    pthread_mutex_unlock(&e->lock);
    return seen;
}

bool tac_exchange_wants_frame(TacExchange *e) {
    pthread_mutex_lock(&e->lock);
    bool wanted = e->wanted && !e->fresh;
    pthread_mutex_unlock(&e->lock);
    return wanted;
}

TacFrameBuffer *tac_exchange_back(TacExchange *e) {
    return &e->frames[e->back]; // only the world's thread changes `back`
}

void tac_exchange_publish(TacExchange *e, uint32_t number) {
    pthread_mutex_lock(&e->lock);
    int back = e->back;
    e->frames[back].number = number;
    e->frames[back].generation = e->generation;
    e->back = e->middle;
    e->middle = back;
    e->fresh = true;
    pthread_mutex_unlock(&e->lock);
    notify(e);
}

const TacFrameBuffer *tac_exchange_latest(TacExchange *e) {
    pthread_mutex_lock(&e->lock);
    if (e->fresh) {
        int front = e->front;
        e->front = e->middle;
        e->middle = front;
        e->fresh = false;
    }
    pthread_mutex_unlock(&e->lock);
    const TacFrameBuffer *frame = &e->frames[e->front];
    return frame->number ? frame : NULL;
}
