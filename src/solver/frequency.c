// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// How fast a program can swing: the highest frequency of its laws on its masses, by power iteration; and the longest
// step that an explicit solver can take for it.

#include "base/random.h"
#include "solver/program.h"

#include <math.h>
#include <string.h>

// A fixed start for iterations, and forces as they are there, which changes of forces may rest on. False: nothing
// swings.
static bool begin(const TacProgram *p, const TacContext *context) {
    bool swings = false;
    for (size_t i = 0; i < p->law_count; i++) swings = swings || p->laws[i]->base.cls->ops.law->force_change;
    if (!swings || !p->mass_count) return false;
    TacRandom random = tac_random(1, 0);
    tac_program_propagate(p, context, TAC_X, TAC_V);
    tac_program_force(p, context, TAC_F);
    for (size_t k = 0; k < p->matter_count; k++) {
        double *a = p->matters[k]->vectors[TAC_A];
        for (size_t i = 0; i < tac_vector_size(p->matters[k], TAC_A); i++)
            a[i] = tac_random_unit(&random) - 0.5;
    }
    return true;
}

// Makes TAC_A a unit vector, and M^-1 (b B + k K) of it. False: there is none.
static bool iterate(const TacProgram *p, const TacContext *context, double b, double k) {
    double before = sqrt(tac_program_dot(p, context, TAC_A, TAC_A));
    if (!(before > 0) || !isfinite(before)) return false;
    tac_program_scale(p, context, TAC_A, 1 / before);
    tac_program_product(p, context, TAC_A, TAC_F, 0, b, k);
    tac_program_divide(p, context, TAC_F, TAC_A);
    tac_program_project(p, context, TAC_A);
    return true;
}

double tac_program_frequency(const TacProgram *p, const TacContext *context, int iterations) {
    if (!begin(p, context)) return 0;
    double square = 0;
    for (int i = 0; i < iterations; i++) {
        if (!iterate(p, context, 0, 1)) return 0;
        square = sqrt(tac_program_dot(p, context, TAC_A, TAC_A));
    }
    tac_program_clear(p, context, TAC_A);
    return sqrt(square);
}

TacMode tac_program_least_stable(const TacProgram *p, const TacContext *context, int iterations) {
    TacMode mode = {0};
    double step = context->step, values[3];
    if (!begin(p, context)) return mode;
    tac_program_project(p, context, TAC_A);
    bool good = true;
    for (int i = 0; good && i < iterations; i++) good = iterate(p, context, -2 * step, -step * step);
    // what it leaves is as long as M^-1 K is large
    double size = sqrt(tac_program_dot(p, context, TAC_A, TAC_A));
    good = good && size > 0 && isfinite(size);
    if (good) tac_program_scale(p, context, TAC_A, 1 / size);
    for (int i = 0; good && i < 3; i++) {
        tac_program_product(p, context, TAC_A, TAC_F, i == 0, i == 1 ? -1 : 0, i == 2 ? -1 : 0);
        values[i] = tac_program_dot(p, context, TAC_A, TAC_F);
        good = isfinite(values[i]);
    }
    if (good) mode = (TacMode){values[0], values[2], values[1]};
    tac_program_clear(p, context, TAC_A);
    return mode;
}

double tac_mode_longest_step(TacMode m) {
    if (m.stiffness > 0)
        return 4 * m.mass / (m.viscosity + sqrt(m.viscosity * m.viscosity + 4 * m.mass * m.stiffness));
    return m.viscosity > 0 ? 2 * m.mass / m.viscosity : INFINITY;
}
