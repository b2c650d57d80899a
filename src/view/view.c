// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// The public face of the live view: two threads and what passes between them. See simulation.h, server.h and
// exchange.h.

#define _GNU_SOURCE
#include "base/memory.h"
#include "view/gate.h"
#include "view/server.h"
#include "view/simulation.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>

struct TacView {
    TacArena arena; // copies of the def's texts
    TacViewDef def;
    TacExchange exchange;
    TacSimulation simulation;
    TacServer *server;
    char token[TAC_TOKEN_TEXT];
    char address[512];
    atomic_bool stop;
};

TacViewDef tac_view_def_default(void) {
    return (TacViewDef){.address = "127.0.0.1",
                        .speed = 1,
                        .threads = 1,
                        .seed = 1,
                        .snapshot_memory = (size_t)256 << 20,
                        .folder = "."};
}

// --- making ---------------------------------------------------------------------------------------------

static TacStatus copy_texts(TacArena *arena, const char *const **list, size_t count, TacError *error) {
    const char **copy = tac_arena_array(arena, count, sizeof *copy);
    if (!copy) return tac_fail_memory(error, count * sizeof *copy);
    for (size_t i = 0; i < count; i++)
        if (!(copy[i] = tac_arena_text(arena, (*list)[i]))) return tac_fail_memory(error, 0);
    *list = copy;
    return TAC_OK;
}

static TacStatus copy_def(TacView *view, const TacViewDef *def, TacError *error) {
    TacViewDef *d = &view->def;
    if (!def->path || !*def->path) return tac_fail(error, TAC_BAD_USAGE, "there is nothing to view");
    *d = *def;
    d->path = tac_arena_text(&view->arena, def->path);
    d->address = tac_arena_text(&view->arena, def->address ? def->address : "127.0.0.1");
    d->folder = tac_arena_text(&view->arena, def->folder ? def->folder : ".");
    if (!d->path || !d->address || !d->folder) return tac_fail_memory(error, 0);
    TAC_TRY(copy_texts(&view->arena, &d->gallery, d->gallery_count, error));
    TAC_TRY(copy_texts(&view->arena, &d->sets, d->set_count, error));
    TAC_TRY(copy_texts(&view->arena, &d->plugins, d->plugin_count, error));
    const TacClass **classes = tac_arena_array(&view->arena, d->class_count, sizeof *classes);
    if (!classes) return tac_fail_memory(error, d->class_count * sizeof *classes);
    for (size_t i = 0; i < d->class_count; i++) classes[i] = def->classes[i];
    d->classes = classes;
    return TAC_OK;
}

static TacStatus take_token(TacView *view, const char *given, TacError *error) {
    view->def.token = view->token;
    if (!given) return tac_gate_token(view->token, error);
    if (strlen(given) != TAC_TOKEN_TEXT - 1 || strspn(given, "0123456789abcdef") != TAC_TOKEN_TEXT - 1)
        return tac_fail(error, TAC_BAD_USAGE, "a token has %d digits of 0-9 and a-f", TAC_TOKEN_TEXT - 1);
    memcpy(view->token, given, TAC_TOKEN_TEXT);
    return TAC_OK;
}

static void wake_server(void *data) {
    TacView *view = data;
    tac_server_wake(view->server);
}

static TacStatus set_up(TacView *view, const TacViewDef *def, TacError *error) {
    TAC_TRY(copy_def(view, def, error));
    TAC_TRY(take_token(view, def->token, error));
    TAC_TRY(tac_exchange_init(&view->exchange, error));
    TAC_TRY(tac_simulation_open(&view->simulation, &view->def, &view->exchange, error));
    TAC_TRY(tac_server_create(&view->server, view->def.address, view->def.port, view->token, &view->exchange,
                              error));
    view->exchange.notify = wake_server;
    view->exchange.notify_data = view;
    bool v6 = strchr(view->def.address, ':') != NULL;
    snprintf(view->address, sizeof view->address, "http://%s%s%s:%d/?token=%s", v6 ? "[" : "",
             view->def.address, v6 ? "]" : "", tac_server_port(view->server), view->token);
    return TAC_OK;
}

TacStatus tac_view_create(TacView **result, const TacViewDef *def, TacError *error) {
    *result = NULL;
    TacView *view = calloc(1, sizeof *view);
    if (!view) return tac_fail_memory(error, sizeof *view);
    TacStatus status = set_up(view, def, error);
    if (status != TAC_OK) {
        tac_view_destroy(view);
        return status;
    }
    *result = view;
    return TAC_OK;
}

void tac_view_destroy(TacView *view) {
    if (!view) return;
    tac_server_destroy(view->server);
    tac_simulation_close(&view->simulation);
    tac_exchange_destroy(&view->exchange);
    tac_arena_destroy(&view->arena);
    free(view);
}

const char *tac_view_address(const TacView *view) {
    return view->address;
}

// --- running ----------------------------------------------------------------------------------------------

static void *run_simulation(void *data) {
    tac_simulation_run(data);
    return NULL;
}

// Our threads take no signals: they belong to who called us.
static TacStatus start(pthread_t *thread, void *(*what)(void *), void *data, TacError *error) {
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int failed = pthread_create(thread, NULL, what, data);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return failed ? tac_fail(error, TAC_FAILED, "cannot start a thread: %s", strerror(failed)) : TAC_OK;
}

// Wakes the loop several times a second, so that it sees when it should end.
static void *tick(void *data) {
    TacView *view = data;
    struct timespec pause = {.tv_nsec = 50 * 1000 * 1000};
    while (!atomic_load(&view->stop)) {
        nanosleep(&pause, NULL);
        tac_server_wake(view->server);
    }
    return NULL;
}

TacStatus tac_view_run(TacView *view, TacError *error) {
    pthread_t world, watch;
    TAC_TRY(start(&world, run_simulation, &view->simulation, error));
    TacStatus status = start(&watch, tick, view, error);
    if (status != TAC_OK) {
        tac_exchange_stop(&view->exchange);
        pthread_join(world, NULL);
        return status;
    }
    while (!atomic_load(&view->stop)) {
        tac_server_serve(view->server);
        if (view->def.go_on && !view->def.go_on(view->def.data)) atomic_store(&view->stop, true);
    }
    tac_exchange_stop(&view->exchange);
    pthread_join(world, NULL);
    pthread_join(watch, NULL);
    return TAC_OK;
}

void tac_view_stop(TacView *view) {
    atomic_store(&view->stop, true);
    tac_server_wake(view->server);
}
