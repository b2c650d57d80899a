// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Ill-posed starts: things that intersect, or are closer than their thickness, before any time has passed.
//
// A barrier keeps apart what begins apart; it cannot part what has met. So before a safe world begins, every two
// triangles, and wires and triangles, are asked exactly whether they intersect, and every pair that contact will
// watch (vertex and triangle, edge and edge, balls) how far it is apart. A pair is refused when its distance is
// at most the sum of its radii and the thickness. Skins, pairs and names are those of contact/audit.h.

#ifndef TACTUS_CONTACT_START_CHECK_H
#define TACTUS_CONTACT_START_CHECK_H

#include "contact/audit.h"

enum { TAC_START_LISTED = 10 };

typedef struct TacStartInput {
    const double *points; // xyz each, m
    size_t point_count;
    const TacAuditSkin *skins;
    size_t skin_count;
    double thickness;        // m, >= 0: between any two, besides their radii
    TacAuditTouches touches; // NULL: all do
    void *context;           // for `touches`
    const uint32_t *bodies;  // as in the audit
} TacStartInput;

typedef struct TacStartPair {
    TacAuditName first, second;
    double distance; // m, radii taken off; 0 where they intersect
    bool intersects;
} TacStartPair;

typedef struct TacStartReport {
    size_t pairs;        // that are refused, both kinds together
    size_t intersecting; // of them
    double largest; // m: a thickness below this would be accepted; 0: none would. Infinite: nothing refused
    TacStartPair nearest; // of the refused ones, where there are any; of several, the first
    size_t listed;        // those that intersect first, then by skin, kind and element
    TacStartPair first[TAC_START_LISTED];
} TacStartReport;

// One more pair is refused; before the first, a report is {.largest = INFINITY}. In which order they come makes no difference.
void tac_start_note(TacStartReport *report, const TacStartPair *pair);

// TAC_OK whether or not pairs are refused: look at report->pairs.
TacStatus tac_start_check(const TacStartInput *input, TacStartReport *report, TacError *error);

// Primitives in words, as in the audit. Returns `text`.
const char *tac_start_pair_text(const TacStartPair *pair, char *text, size_t size);

#endif
