// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// See scalar_sheet.h. Stands by itself, so that laws can be tried without a world.

#include "matter/scalar_sheet.h"

float *tac_scalar_sheet_of(TacScalarSheet *s, const TacMatter *m) {
    uint32_t i = m && m->base.index < s->component_count ? s->matter[m->base.index] : UINT32_MAX;
    if (i == UINT32_MAX || s->matters[i] != m) return NULL;
    s->given[i] = 1;
    return s->values + s->first[i];
}
