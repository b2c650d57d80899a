// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Springs for laws that know their pairs otherwise than by a list in the scene: along the elements of a mesh,
// across its edges.

#ifndef TACTUS_LAW_SPRINGS_H
#define TACTUS_LAW_SPRINGS_H

#include "tactus/component.h"

// One of each per spring; valid as long as the setup's memory.
typedef struct TacSpringList {
    const int32_t *pairs; // two per spring
    const double *stiffness, *damping, *lengths;
    size_t count;
    bool pull_only, stable, damping_turns; // as in Springs
} TacSpringList;

// A law of the class Springs on the first matter of `owner`; call its operations with it.
TacStatus tac_springs_make(const TacLaw *owner, const TacSpringList *list, TacSetup *setup, TacLaw **springs,
                           TacError *error);

// The same law of some of its springs alone.
TacStatus tac_springs_subset(const TacLaw *springs, TacSetup *setup, const uint32_t *parts, size_t count,
                             TacLaw **some, TacError *error);

#endif
