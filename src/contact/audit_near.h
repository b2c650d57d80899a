// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Which of many boxes overlap, for the audit: a uniform grid, and nothing that the contact it checks uses.
//
// Cells are as wide as one and a half boxes on average. Each box is listed in every cell that it overlaps; a
// box that overlaps very many is compared with all others instead. Two boxes are a pair in that cell only which
// holds the low corner of what they have in common, so no pair comes twice. Time and memory grow with the number
// of boxes and of pairs.

#ifndef TACTUS_CONTACT_AUDIT_NEAR_H
#define TACTUS_CONTACT_AUDIT_NEAR_H

#include "tactus/base.h"

typedef struct TacAuditBox {
    double low[3], high[3];
} TacAuditBox;

// Called once for each overlapping pair, first < second; anything but TAC_OK ends the search.
typedef TacStatus (*TacAuditPair)(void *context, size_t first, size_t second, TacError *error);

// Boxes must be finite.
TacStatus tac_audit_near(const TacAuditBox *boxes, size_t count, TacAuditPair visit, void *context,
                         TacError *error);

#endif
