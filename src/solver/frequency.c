// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// How fast a program can swing: the highest frequency of its laws on its masses, by power iteration.

#include "base/random.h"
#include "solver/program.h"

#include <math.h>
#include <string.h>

double tac_program_frequency(const TacProgram *p, const TacContext *context, int iterations) {
    bool swings = false;
    for (size_t i = 0; i < p->law_count; i++) swings = swings || p->laws[i]->base.cls->ops.law->force_change;
    if (!swings || !p->mass_count) return 0;
    TacRandom random = tac_random(1, 0);
    tac_program_propagate(p, context, TAC_X, TAC_V);
    tac_program_force(p, context, TAC_F);
    for (size_t k = 0; k < p->matter_count; k++) {
        double *a = p->matters[k]->vectors[TAC_A];
        for (size_t i = 0; i < tac_vector_size(p->matters[k], TAC_A); i++)
            a[i] = tac_random_unit(&random) - 0.5;
    }
    double square = 0;
    for (int i = 0; i < iterations; i++) {
        double before = sqrt(tac_program_dot(p, context, TAC_A, TAC_A));
        if (!(before > 0)) return 0;
        tac_program_scale(p, context, TAC_A, 1 / before);
        tac_program_product(p, context, TAC_A, TAC_F, 0, 0, 1);
        tac_program_divide(p, context, TAC_F, TAC_A);
        tac_program_project(p, context, TAC_A);
        square = sqrt(tac_program_dot(p, context, TAC_A, TAC_A));
    }
    tac_program_clear(p, context, TAC_A);
    return sqrt(square);
}
