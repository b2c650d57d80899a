// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// One job at a time. The caller describes it, opens it and raises `generation`; then it works on chunks like
// everyone else. Workers that come in while the job is open take part; when no chunk is left the caller
// closes it and waits for those inside. So a worker that is still asleep delays nobody.
//
// Everyone has a share of the chunks, one after the other, and takes them by an atomic counter of its own; who has none
// left helps the others with theirs. So each finds in its own caches what it left there in the last loop over the same
// things, and a slow one holds nobody up for longer than a chunk.
//
// Why this is safe: the job is changed only while it is closed and nobody is inside. A worker enters
// (inside++) before it looks at `open`; the caller closes before it looks at `inside`; both in the one order
// that sequential consistency gives, so either the worker finds the job closed, or the caller waits for it.

#define _GNU_SOURCE
#include "base/team.h"
#include "base/memory.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <unistd.h>

// Waiting: first spinning, then giving way to other threads, then asleep. A loop that follows soon is met
// awake: waking a sleeper takes longer than most loops. With more threads than cores whoever waits awake takes a core
// from somebody who works, so nobody does; nor under the thread sanitizer, where every look costs a hundred times more.
enum { MOST_THREADS = 256, SPINS = 200, YIELDS = 2000 };
#if defined(__SANITIZE_THREAD__)
enum { WATCHED = 1 };
#else
enum { WATCHED = 0 };
#endif

// Lies apart from others, on a cache line that only its owner writes as long as there is no need to help.
typedef struct Share {
    atomic_size_t next; // chunk to be taken
    size_t end;
    char apart[64 - 2 * sizeof(size_t)];
} Share;

typedef struct Worker {
    TacTeam *team;
    int number;
} Worker;

struct TacTeam {
    Share shares[MOST_THREADS];
    Worker workers[MOST_THREADS];
    int size;
    int patience; // turns of waiting awake
    pthread_t threads[MOST_THREADS];
    pthread_mutex_t mutex;
    pthread_cond_t wake;
    atomic_uint generation; // of the job; workers wait for it to change
    atomic_bool busy, stop;
    atomic_bool open;  // workers may join the job
    atomic_int inside; // workers that have
    TacLoop loop;
    void *data;
    size_t n, grain;
};

size_t tac_chunks(size_t n, size_t grain) {
    return n / grain + (n % grain != 0);
}

size_t tac_team_grain(const TacTeam *team, size_t n, size_t least) {
    enum { EACH = 8 };
    size_t threads = (size_t)tac_team_size(team);
    size_t grain = threads > 1 ? tac_chunks(n, EACH * threads) : n;
    return grain > least ? grain : least;
}

int tac_team_size(const TacTeam *team) {
    return team ? team->size : 1;
}

static void pause_briefly(void) {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
}

static void do_share(TacTeam *team, Share *share) {
    // a look first: whoever comes to help finds most shares empty, and need not write there
    while (atomic_load_explicit(&share->next, memory_order_relaxed) < share->end) {
        size_t chunk = atomic_fetch_add_explicit(&share->next, 1, memory_order_relaxed);
        if (chunk >= share->end) return;
        size_t begin = chunk * team->grain;
        size_t end = team->n - begin < team->grain ? team->n : begin + team->grain;
        team->loop(team->data, begin, end, chunk);
    }
}

static void do_chunks(TacTeam *team, int number) {
    for (int i = 0; i < team->size; i++) do_share(team, &team->shares[(number + i) % team->size]);
}

static void share_out(TacTeam *team, size_t chunks) {
    size_t each = chunks / (size_t)team->size, more = chunks % (size_t)team->size, begin = 0;
    for (int i = 0; i < team->size; i++) {
        size_t end = begin + each + ((size_t)i < more);
        atomic_store_explicit(&team->shares[i].next, begin, memory_order_relaxed);
        team->shares[i].end = end;
        begin = end;
    }
}

static void wait_a_little(int turn) {
    if (turn < SPINS)
        pause_briefly();
    else
        sched_yield();
}

static unsigned wait_for_job(TacTeam *team, unsigned seen) {
    for (int turn = 0; turn < team->patience; turn++) {
        unsigned now = atomic_load_explicit(&team->generation, memory_order_acquire);
        if (now != seen) return now;
        wait_a_little(turn);
    }
    pthread_mutex_lock(&team->mutex);
    while (atomic_load_explicit(&team->generation, memory_order_acquire) == seen)
        pthread_cond_wait(&team->wake, &team->mutex);
    pthread_mutex_unlock(&team->mutex);
    return atomic_load_explicit(&team->generation, memory_order_acquire);
}

static void *work(void *data) {
    const Worker *worker = data;
    TacTeam *team = worker->team;
    unsigned seen = 0;
    for (;;) {
        seen = wait_for_job(team, seen);
        if (atomic_load_explicit(&team->stop, memory_order_relaxed)) return NULL;
        atomic_fetch_add(&team->inside, 1);
        if (atomic_load(&team->open)) do_chunks(team, worker->number);
        atomic_fetch_sub(&team->inside, 1);
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
    share_out(team, chunks);
    atomic_store(&team->open, true);
    publish(team);
    do_chunks(team, 0);
    atomic_store(&team->open, false);
    for (int turn = 0; atomic_load(&team->inside) > 0; turn += turn < SPINS) wait_a_little(turn);
    atomic_store_explicit(&team->busy, false, memory_order_release);
}

TacStatus tac_team_create(TacTeam **result, int threads, TacError *error) {
    *result = NULL;
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    if (threads < 0)
        return tac_fail(error, TAC_BAD_USAGE, "%d threads; 0 (one for each core) or more were expected",
                        threads);
    if (threads == 0) threads = cores < 1 ? 1 : (int)(cores < MOST_THREADS ? cores : MOST_THREADS);
    if (threads > MOST_THREADS)
        return tac_fail(error, TAC_BAD_USAGE, "%d threads are too many; at most %d", threads, MOST_THREADS);
    TacTeam *team = calloc(1, sizeof *team);
    if (!team) return tac_fail_memory(error, sizeof *team);
    pthread_mutex_init(&team->mutex, NULL);
    pthread_cond_init(&team->wake, NULL);
    team->size = 1;
    team->patience = WATCHED || threads > cores ? 0 : SPINS + YIELDS;
    for (int i = 1; i < threads; i++) {
        team->workers[i] = (Worker){team, i};
        if (pthread_create(&team->threads[i], NULL, work, &team->workers[i]) != 0) {
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
