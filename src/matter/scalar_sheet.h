// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// One number for each point of all matter, into which laws write what they know of it: stress, tension, resolution. Made
// and filled by world/look.h.

#ifndef TACTUS_MATTER_SCALAR_SHEET_H
#define TACTUS_MATTER_SCALAR_SHEET_H

#include "tactus/component.h"

struct TacScalarSheet {
    TacMatter *const *matters;
    size_t component_count;
    float *values;    // of all points of all matter
    size_t *first;    // per matter
    uint32_t *matter; // per component; UINT32_MAX: it is none
    uint8_t *given;   // per matter: it has numbers
    size_t point_count;
    const struct TacWorld *world;
};

#endif
