// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// The benchmarks of `tactus bench`, one file each. They print a table and the closing line, and return an exit code.

#ifndef TACTUS_APP_BENCH_H
#define TACTUS_APP_BENCH_H

#include "commands.h"

int bench_agents(void);
int bench_gjk(void);
int bench_spheres(void);

// Runs a program of other libraries' measurements, which stands beside the command, with its output into ours; `rate`
// receives the number after the last "rate=" of its output where it is not NULL. Says so and fails when the program is
// not there.
int bench_run_peer(const char *name, const char *needs, double *rate);

#endif
