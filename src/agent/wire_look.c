// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// What those who look see of a wire: its tension, its level, its masses and what it touches. Reads only.

#include "agent/wire_parts.h"

void tac_wire_scalars(const void *data, TacScalar what, TacScalarSheet *sheet) {
    const Wire *self = data;
    bool tension = what == TAC_SCALAR_TENSION, level = what == TAC_SCALAR_RESOLUTION;
    float *to = tension || level ? tac_scalar_sheet_of(sheet, self->head.matter) : NULL;
    for (size_t s = 0; to && tension && s < segments(self->finest); s++)
        for (size_t end = 0; end < 2; end++) tac_scalar_raise(to + s + end, self->tension[s]);
    for (size_t i = 0; to && level && i < self->head.matter->count; i++) to[i] = (float)self->level;
}

// Its masses, and what it touches.
size_t tac_wire_marks(const void *data, TacNodeMark *marks, size_t most) {
    const Wire *self = data;
    size_t n = 0, count = self->level == CABLE ? 0 : segments((int)self->level) + 1;
    size_t step = count ? stride(self, (int)self->level) : 0;
    const double *x = self->head.matter->vectors[TAC_X_SHOWN];
    for (size_t k = 0; k < count; k++) {
        if (self->noded && !self->live[k * step]) continue;
        if (n < most) marks[n] = (TacNodeMark){tac_load3(x + 3 * k * step), TAC_NODE_MASS};
        n++;
    }
    size_t left = n < most ? most - n : 0;
    return self->noded ? n + tac_cable_marks(&self->line, marks + (most - left), left) : n;
}
