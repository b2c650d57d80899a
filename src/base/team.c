// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// One job at a time. The caller publishes it by raising `generation`, works on chunks like everyone else, and
// returns when all workers have checked out. Chunks are handed out by an atomic counter.

#define _GNU_SOURCE
#include "base/team.h"
#include "base/memory.h"

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

enum { MOST_THREADS = 256, SPINS = 4000 };

struct TacTeam {
    int size;
    pthread_t threads[MOST_THREADS];
    pthread_mutex_t mutex;
    pthread_cond_t wake;
    atomic_uint generation; // of the job; workers wait for it to change
    atomic_bool busy, stop;
    atomic_size_t next; // chunk to be taken
    atomic_int working; // workers that have not checked out of the job
    TacLoop loop;
    void *data;
    size_t n, grain;
};

size_t tac_chunks(size_t n, size_t grain) {
    return n / grain + (n % grain != 0);
}

int tac_team_size(const TacTeam *team) {
    return team ? team->size : 1;
}

static void pause_briefly(void) {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
}

static void do_chunks(TacTeam *team) {
    size_t chunks = tac_chunks(team->n, team->grain);
    for (;;) {
        size_t chunk = atomic_fetch_add_explicit(&team->next, 1, memory_order_relaxed);
        if (chunk >= chunks) return;
        size_t begin = chunk * team->grain;
        size_t end = team->n - begin < team->grain ? team->n : begin + team->grain;
        team->loop(team->data, begin, end, chunk);
    }
}

static unsigned wait_for_job(TacTeam *team, unsigned seen) {
    for (int i = 0; i < SPINS; i++) {
        unsigned now = atomic_load_explicit(&team->generation, memory_order_acquire);
        if (now != seen) return now;
        pause_briefly();
    }
    pthread_mutex_lock(&team->mutex);
    while (atomic_load_explicit(&team->generation, memory_order_acquire) == seen)
        pthread_cond_wait(&team->wake, &team->mutex);
    pthread_mutex_unlock(&team->mutex);
    return atomic_load_explicit(&team->generation, memory_order_acquire);
}

static void *work(void *data) {
    TacTeam *team = data;
    unsigned seen = 0;
    for (;;) {
        seen = wait_for_job(team, seen);
        if (atomic_load_explicit(&team->stop, memory_order_relaxed)) return NULL;
        do_chunks(team);
        atomic_fetch_sub_explicit(&team->working, 1, memory_order_release);
    }
}

static void publish(TacTeam *team) {
    pthread_mutex_lock(&team->mutex);
    atomic_fetch_add_explicit(&team->generation, 1, memory_order_release);
    pthread_cond_broadcast(&team->wake);
    pthread_mutex_unlock(&team->mutex);
}

void tac_team_run(TacTeam *team, size_t n, size_t grain, TacLoop loop, void *data) {
    if (grain == 0) grain = 1;
    size_t chunks = tac_chunks(n, grain);
    bool alone = !team || team->size == 1 || chunks < 2;
    // a loop inside a loop (or from a second thread) runs here
    if (alone || atomic_exchange_explicit(&team->busy, true, memory_order_acquire)) {
        for (size_t chunk = 0; chunk < chunks; chunk++) {
            size_t begin = chunk * grain;
            loop(data, begin, n - begin < grain ? n : begin + grain, chunk);
        }
        return;
    }
    team->loop = loop;
    team->data = data;
    team->n = n;
    team->grain = grain;
    atomic_store_explicit(&team->next, 0, memory_order_relaxed);
    atomic_store_explicit(&team->working, team->size - 1, memory_order_relaxed);
    publish(team);
    do_chunks(team);
    for (int spins = 0; atomic_load_explicit(&team->working, memory_order_acquire) > 0;) {
        if (spins < SPINS) {
            spins++;
            pause_briefly();
        } else {
            usleep(0);
        }
    }
    atomic_store_explicit(&team->busy, false, memory_order_release);
}

TacStatus tac_team_create(TacTeam **result, int threads, TacError *error) {
    *result = NULL;
    if (threads <= 0) {
        long cores = sysconf(_SC_NPROCESSORS_ONLN);
        threads = cores < 1 ? 1 : (int)(cores < MOST_THREADS ? cores : MOST_THREADS);
    }
    if (threads > MOST_THREADS)
        return tac_fail(error, TAC_BAD_USAGE, "%d threads are too many; at most %d", threads, MOST_THREADS);
    TacTeam *team = calloc(1, sizeof *team);
    if (!team) return tac_fail_memory(error, sizeof *team);
    pthread_mutex_init(&team->mutex, NULL);
    pthread_cond_init(&team->wake, NULL);
    team->size = 1;
    for (int i = 1; i < threads; i++) {
        if (pthread_create(&team->threads[i], NULL, work, team) != 0) {
            tac_team_destroy(team);
            return tac_fail(error, TAC_FAILED, "thread %d of %d could not be started", i + 1, threads);
        }
        team->size = i + 1;
    }
    *result = team;
    return TAC_OK;
}

void tac_team_destroy(TacTeam *team) {
    if (!team) return;
    atomic_store(&team->stop, true);
    publish(team);
    for (int i = 1; i < team->size; i++) pthread_join(team->threads[i], NULL);
    pthread_cond_destroy(&team->wake);
    pthread_mutex_destroy(&team->mutex);
    free(team);
}
