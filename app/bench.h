// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// The benchmarks of `tactus bench`, each in the file that its line names. They print a table and, last, the line
// NAME ratio=R basis=measured|published, and return an exit code.

#ifndef APP_BENCH_H
#define APP_BENCH_H

#include "common.h"

int app_bench_lj(void);    // bench_balls.c
int app_bench_balls(void); // bench_balls.c

#endif
