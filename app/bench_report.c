// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// What benchmarks measured, as tables on the terminal, and their closing lines.

#define _GNU_SOURCE
#include "bench.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

double app_bench_seconds(int threads) {
    struct timespec t;
    if (threads != 1) return app_seconds();
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void app_bench_add(AppBench *bench, AppBenchRow row) {
    if (bench->row_count == APP_BENCH_ROWS) return;
    row.name = bench->results[bench->result_count - 1].name;
    bench->rows[bench->row_count++] = row;
}

double app_bench_ratio(const AppBenchRow *row) {
    if (!row->other[0]) return NAN;
    return row->less ? row->theirs / row->ours : row->ours / row->theirs;
}

AppShort app_bench_figure(double value) {
    AppShort text;
    if (value >= 1000 && value < 1e15) return app_count((uint64_t)(value + 0.5));
    snprintf(text.text, sizeof text.text, "%.3g", value);
    return text;
}

static void put_head(void) {
    printf("%-8s %-38s %12s %-24s %12s  %-28s %8s %8s\n", "bench", "scene", "ours", "unit", "other",
           "which is", "ratio", "threads");
}

static void put_row(const AppBenchRow *row) {
    printf("%-8s %-38s %12s %-24s", row->name, row->scene, app_bench_figure(row->ours).text, row->unit);
    if (row->other[0])
        printf(" %12s  %-28s %8.2f", app_bench_figure(row->theirs).text, row->other, app_bench_ratio(row));
    else
        printf(" %12s  %-28s %8s", "", "", "");
    printf(" %8d\n", row->threads);
}

void app_bench_put_table(const AppBench *bench) {
    put_head();
    for (size_t i = 0; i < bench->row_count; i++) put_row(&bench->rows[i]);
}

int app_bench_close(AppBench *bench, double ratio, const char *basis) {
    AppBenchResult *result = &bench->results[bench->result_count - 1];
    result->ratio = ratio;
    result->basis = basis;
    put_head();
    for (size_t i = 0; i < bench->row_count; i++)
        if (strcmp(bench->rows[i].name, result->name) == 0) put_row(&bench->rows[i]);
    printf("%s ratio=%.3f basis=%s\n", result->name, ratio, basis);
    return app_finish_output(APP_DONE);
}
