// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Tests of src/base: teams of threads and random numbers. References are plain serial loops and published
// values (the output of PCG32's demonstration program).

#define _GNU_SOURCE
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>

#include "base/memory.h"
#include "base/random.h"
#include "base/team.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

static uint64_t bits_of(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

// --- teams

typedef struct Sum {
    const double *values;
    double *sums;
    atomic_uchar *visits; // per item
    atomic_uchar *chunks; // per chunk
    size_t n, grain;
} Sum;

static void sum_chunk(void *data, size_t begin, size_t end, size_t chunk) {
    Sum *sum = data;
    atomic_fetch_add(&sum->chunks[chunk], 1);
    // borders follow from n and the grain alone
    if (begin != chunk * sum->grain || (end - begin != sum->grain && end != sum->n) || begin >= end) abort();
    double s = 0;
    for (size_t i = begin; i < end; i++) {
        s += sum->values[i];
        atomic_fetch_add(&sum->visits[i], 1);
    }
    sum->sums[chunk] = s;
}

static double chunked_sum(TacTeam *team, const double *values, size_t n, size_t grain) {
    size_t chunks = tac_chunks(n, grain);
    Sum sum = {.values = values, .n = n, .grain = grain};
    sum.sums = calloc(chunks + 1, sizeof *sum.sums);
    sum.visits = calloc(n + 1, sizeof *sum.visits);
    sum.chunks = calloc(chunks + 1, sizeof *sum.chunks);
    tac_team_run(team, n, grain, sum_chunk, &sum);
    for (size_t i = 0; i < n; i++) assert_int_equal(atomic_load(&sum.visits[i]), 1);
    for (size_t i = 0; i < chunks; i++) assert_int_equal(atomic_load(&sum.chunks[i]), 1);
    assert_int_equal(atomic_load(&sum.visits[n]), 0);
    double total = 0;
    for (size_t i = 0; i < chunks; i++) total += sum.sums[i];
    free(sum.sums);
    free(sum.visits);
    free(sum.chunks);
    return total;
}

static void test_team_sums_to_the_same_bits(void **state) {
    (void)state;
    enum { N = 100003 };
    double *values = malloc(N * sizeof *values);
    TacRandom random = tac_random(5, 5);
    for (size_t i = 0; i < N; i++)
        values[i] = tac_random_between(&random, -1, 1) * pow(10, (int)(tac_random_bits(&random) % 20));
    static const size_t grains[] = {1, 7, 64, 1000, N - 1, N, N + 1, SIZE_MAX};
    static const size_t sizes[] = {0, 1, 2, 1000, N};
    static const int threads[] = {1, 2, 3, 8};
    for (size_t t = 0; t < TAC_COUNT(threads); t++) {
        TacTeam *team;
        assert_int_equal(tac_team_create(&team, threads[t], NULL), TAC_OK);
        assert_int_equal(tac_team_size(team), threads[t]);
        for (size_t g = 0; g < TAC_COUNT(grains); g++)
            for (size_t s = 0; s < TAC_COUNT(sizes); s++) {
                double alone = chunked_sum(NULL, values, sizes[s], grains[g]);
                double shared = chunked_sum(team, values, sizes[s], grains[g]);
                assert_true(bits_of(alone) == bits_of(shared));
            }
        tac_team_destroy(team);
    }
    // one chunk is the plain loop
    double plain = 0;
    for (size_t i = 0; i < N; i++) plain += values[i];
    assert_true(bits_of(plain) == bits_of(chunked_sum(NULL, values, N, SIZE_MAX)));
    free(values);
}

static void test_chunks_cover_all_sizes(void **state) {
    (void)state;
    for (size_t n = 0; n < 50; n++)
        for (size_t grain = 1; grain < 60; grain++) {
            size_t chunks = 0;
            for (size_t begin = 0; begin < n; begin += grain) chunks++;
            assert_int_equal(tac_chunks(n, grain), chunks);
        }
    assert_int_equal(tac_chunks(10, SIZE_MAX), 1);
    assert_int_equal(tac_chunks(SIZE_MAX, SIZE_MAX), 1);
    assert_true(tac_chunks(SIZE_MAX, 1) == SIZE_MAX);
}

// Of a team, some chunks for each thread, none too small but the last; of one, a single chunk.
static void test_grains_share_out_for_all(void **state) {
    (void)state;
    TacError error;
    TacTeam *team;
    assert_int_equal(tac_team_create(&team, 3, &error), TAC_OK);
    for (size_t n = 0; n < 3000; n += 7) {
        size_t grain = tac_team_grain(team, n, 16), chunks = tac_chunks(n, grain);
        assert_true(grain >= 16);
        assert_true(chunks <= 24);
        if (n >= 24 * 16) assert_true(chunks > 15);
        assert_int_equal(tac_chunks(n, tac_team_grain(NULL, n, 16)), n > 0);
    }
    assert_true(tac_team_grain(team, SIZE_MAX, 1) >= SIZE_MAX / 24);
    tac_team_destroy(team);
}

typedef struct Nested {
    TacTeam *team;
    atomic_int inner;
    atomic_int strangers; // inner chunks done by another thread than the one that asked
} Nested;

static void inner_chunk(void *data, size_t begin, size_t end, size_t chunk) {
    Nested *nested = data;
    (void)chunk;
    atomic_fetch_add(&nested->inner, (int)(end - begin));
}

typedef struct Inner {
    Nested *nested;
    pthread_t caller;
} Inner;

static void watched_chunk(void *data, size_t begin, size_t end, size_t chunk) {
    Inner *inner = data;
    if (!pthread_equal(pthread_self(), inner->caller)) atomic_fetch_add(&inner->nested->strangers, 1);
    inner_chunk(inner->nested, begin, end, chunk);
}

static void outer_chunk(void *data, size_t begin, size_t end, size_t chunk) {
    (void)chunk;
    Nested *nested = data;
    for (size_t i = begin; i < end; i++) {
        Inner inner = {nested, pthread_self()};
        tac_team_run(nested->team, 100, 3, watched_chunk, &inner);
    }
}

static void test_nested_loops_run_on_the_calling_thread(void **state) {
    (void)state;
    Nested nested = {0};
    assert_int_equal(tac_team_create(&nested.team, 4, NULL), TAC_OK);
    for (int round = 0; round < 200; round++) {
        atomic_store(&nested.inner, 0);
        tac_team_run(nested.team, 20, 1, outer_chunk, &nested);
        assert_int_equal(atomic_load(&nested.inner), 2000);
    }
    assert_int_equal(atomic_load(&nested.strangers), 0);
    // and the team is free again afterwards
    atomic_store(&nested.inner, 0);
    tac_team_run(nested.team, 1000, 1, inner_chunk, &nested);
    assert_int_equal(atomic_load(&nested.inner), 1000);
    tac_team_destroy(nested.team);
}

static void slow_chunk(void *data, size_t begin, size_t end, size_t chunk) {
    usleep(500);
    inner_chunk(data, begin, end, chunk);
}

static void test_a_loop_ends_when_its_last_chunk_has(void **state) {
    (void)state;
    Nested nested = {0};
    assert_int_equal(tac_team_create(&nested.team, 4, NULL), TAC_OK);
    for (int round = 1; round <= 100; round++) {
        tac_team_run(nested.team, 5, 1, slow_chunk, &nested);
        assert_int_equal(atomic_load(&nested.inner), 5 * round);
    }
    tac_team_destroy(nested.team);
}

static void *run_from_outside(void *data) {
    Nested *nested = data;
    for (int i = 0; i < 300; i++) tac_team_run(nested->team, 100, 3, inner_chunk, nested);
    return NULL;
}

static void test_two_threads_may_use_one_team(void **state) {
    (void)state;
    Nested nested = {0};
    assert_int_equal(tac_team_create(&nested.team, 3, NULL), TAC_OK);
    pthread_t other;
    assert_int_equal(pthread_create(&other, NULL, run_from_outside, &nested), 0);
    run_from_outside(&nested);
    pthread_join(other, NULL);
    assert_int_equal(atomic_load(&nested.inner), 60000);
    tac_team_destroy(nested.team);
}

static void test_teams_come_and_go(void **state) {
    (void)state;
    for (int i = 0; i < 300; i++) {
        Nested nested = {0};
        assert_int_equal(tac_team_create(&nested.team, 1 + i % 6, NULL), TAC_OK);
        // some never work, some work once, some often, some after having fallen asleep
        for (int k = 0; k < i % 4; k++) tac_team_run(nested.team, 50, 2, inner_chunk, &nested);
        if (i % 50 == 0) {
            usleep(2000);
            tac_team_run(nested.team, 50, 2, inner_chunk, &nested);
        }
        assert_int_equal(atomic_load(&nested.inner), 50 * (i % 4 + (i % 50 == 0)));
        tac_team_destroy(nested.team);
    }
    tac_team_destroy(NULL);
    TacTeam *team;
    assert_int_equal(tac_team_create(&team, 0, NULL), TAC_OK);
    assert_true(tac_team_size(team) >= 1);
    tac_team_destroy(team);
    TacError error;
    assert_int_equal(tac_team_create(&team, -1, &error), TAC_BAD_USAGE);
    assert_int_equal(tac_team_create(&team, 257, &error), TAC_BAD_USAGE);
    assert_null(team);
    assert_int_equal(tac_team_size(NULL), 1);
}

// --- random numbers

// The output of PCG's own demonstration program (pcg32-demo, seed 42, stream 54).
static void test_random_is_pcg32(void **state) {
    (void)state;
    static const uint32_t expected[] = {0xa15c02b7, 0x7b47f409, 0xba1d3330,
                                        0x83d2f293, 0xbfa4784b, 0xcbed606e};
    TacRandom random = tac_random(42, 54);
    for (size_t i = 0; i < TAC_COUNT(expected); i++) assert_int_equal(tac_random_bits(&random), expected[i]);
}

static void test_random_repeats_and_streams_differ(void **state) {
    (void)state;
    TacRandom a = tac_random(7, 1), b = tac_random(7, 1), c = tac_random(7, 2), d = tac_random(8, 1);
    int same_stream = 0, same_seed = 0;
    for (int i = 0; i < 10000; i++) {
        uint32_t x = tac_random_bits(&a);
        assert_int_equal(x, tac_random_bits(&b));
        same_stream += x == tac_random_bits(&c);
        same_seed += x == tac_random_bits(&d);
    }
    assert_true(same_stream < 3 && same_seed < 3);
}

static void test_random_is_uniform(void **state) {
    (void)state;
    enum { N = 1000000, BINS = 1000 };
    static int bins[BINS];
    TacRandom random = tac_random(3, 9);
    double sum = 0, squares = 0, lag = 0, last = 0.5;
    for (int i = 0; i < N; i++) {
        double x = tac_random_unit(&random);
        assert_true(x >= 0 && x < 1);
        bins[(int)(x * BINS)]++;
        sum += x - 0.5;
        squares += (x - 0.5) * (x - 0.5);
        lag += (x - 0.5) * (last - 0.5);
        last = x;
    }
    // five standard deviations each
    double chi = 0, mean = (double)N / BINS;
    for (int i = 0; i < BINS; i++) chi += (bins[i] - mean) * (bins[i] - mean) / mean;
    assert_true(fabs(chi - (BINS - 1)) < 5 * sqrt(2.0 * (BINS - 1)));
    assert_true(fabs(sum) < 5 * sqrt(N / 12.0));
    assert_true(fabs(squares - N / 12.0) < 5 * sqrt(N / 180.0));
    assert_true(fabs(lag) < 5 * sqrt(N) / 12);
    // 27 bits of one number, then 26 of the next
    for (int i = 0; i < 1000; i++) {
        TacRandom twin = random;
        double high = ldexp(tac_random_bits(&twin) >> 5, -27), low = ldexp(tac_random_bits(&twin) >> 6, -53);
        assert_true(tac_random_unit(&random) == high + low);
    }
    for (int i = 0; i < 1000; i++) {
        double x = tac_random_between(&random, -3, 5);
        assert_true(x >= -3 && x <= 5);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_team_sums_to_the_same_bits),
        cmocka_unit_test(test_chunks_cover_all_sizes),
        cmocka_unit_test(test_grains_share_out_for_all),
        cmocka_unit_test(test_nested_loops_run_on_the_calling_thread),
        cmocka_unit_test(test_a_loop_ends_when_its_last_chunk_has),
        cmocka_unit_test(test_two_threads_may_use_one_team),
        cmocka_unit_test(test_teams_come_and_go),
        cmocka_unit_test(test_random_is_pcg32),
        cmocka_unit_test(test_random_repeats_and_streams_differ),
        cmocka_unit_test(test_random_is_uniform),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
