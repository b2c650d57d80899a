// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// What passes between the thread of the world and the thread of the server. Neither waits for the other: a
// lock is held for a few instructions, or for copying a pointer.
//
//   1. Messages of pages go to the world through a ring of fixed length. A full ring refuses; moves of the
//      same hand, sphere or camera that are not heard yet are replaced by the newest.
//   2. Frames go to pages through three buffers: the world writes `back`, publishing exchanges it with
//      `middle`, the server exchanges `middle` with `front`. Whoever is slow sees the latest, never a backlog.
//   3. Everything else for pages is a parcel: for one client or for all. The *prologue* is what every client
//      hears first (what there is to see, and its meshes); it has a generation, and frames of another one are
//      not sent.

#ifndef TACTUS_VIEW_EXCHANGE_H
#define TACTUS_VIEW_EXCHANGE_H

#include "view/frame.h"
#include "view/json.h"
#include "view/message.h"

#include <pthread.h>

enum { TAC_EXCHANGE_MESSAGES = 128 };

typedef struct TacParcel {
    struct TacParcel *next;
    uint32_t client; // 0: for all
    bool binary;
    bool droppable; // a client that has many waiting goes without
    size_t bytes;
    unsigned char memory[]; // TAC_SEND_ROOM bytes, then data
} TacParcel;

typedef struct TacFrameBuffer {
    TacBytes bytes;
    uint32_t generation, number;
} TacFrameBuffer;

typedef struct TacExchange {
    pthread_mutex_t lock;
    pthread_cond_t wake; // the world
    TacMessage *ring;
    size_t head, count;
    bool stop;
    bool wanted;      // somebody has room for a frame
    bool seen;        // somebody has acknowledged one
    size_t watchers;  // clients
    double send_cost; // s of the server's time for a frame, of late
    TacParcel *first, *last;
    TacParcel *prologue;
    uint32_t generation;
    TacFrameBuffer frames[3];
    int back, middle, front;
    bool fresh;
    void (*notify)(
        void *data); // called without the lock, from the world's thread: there is something to send
    void *notify_data;
} TacExchange;

TacStatus tac_exchange_init(TacExchange *exchange, TacError *error);
void tac_exchange_destroy(TacExchange *exchange);

// --- the server's side ---
bool tac_exchange_say(TacExchange *exchange, const TacMessage *message); // false: full
TacParcel *tac_exchange_take_parcels(TacExchange *exchange);             // a list, to be freed one by one
// Copies of the prologue, if it is of another generation than the one given, which is then updated.
TacParcel *tac_exchange_prologue(TacExchange *exchange, uint32_t *generation);
// The latest frame; valid until the next call. NULL: none yet.
const TacFrameBuffer *tac_exchange_latest(TacExchange *exchange);
void tac_exchange_want(TacExchange *exchange, bool wanted, size_t watchers);
void tac_exchange_see(TacExchange *exchange);                  // a frame was acknowledged
void tac_exchange_sent(TacExchange *exchange, double seconds); // how long sending a frame took
void tac_exchange_stop(TacExchange *exchange);

// --- the world's side ---
bool tac_exchange_hear(TacExchange *exchange, TacMessage *message); // false: nothing was said
// Waits until something is said, or frames are wanted (where that is asked for), or for so long.
void tac_exchange_wait(TacExchange *exchange, double seconds);
bool tac_exchange_stopped(TacExchange *exchange);
bool tac_exchange_wants_frame(TacExchange *exchange);
bool tac_exchange_seen(TacExchange *exchange); // whether a frame was ever acknowledged
double tac_exchange_send_cost(TacExchange *exchange);
TacFrameBuffer *tac_exchange_back(TacExchange *exchange); // to be written
void tac_exchange_publish(TacExchange *exchange, uint32_t number);
// Sends JSON, which is freed.
void tac_exchange_post_json(TacExchange *exchange, uint32_t client, bool droppable, TacJson *json);
void tac_exchange_post(TacExchange *exchange, uint32_t client, const TacBytes *bytes);
// Takes the list; `renew` makes a new generation of it.
void tac_exchange_set_prologue(TacExchange *exchange, TacParcel *list, bool renew);

TacParcel *tac_parcel(uint32_t client, bool binary, const void *data, size_t bytes); // NULL without memory
void tac_parcels_free(TacParcel *list);

#endif
