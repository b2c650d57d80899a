// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Fixed points of maps that are linear or nearly so: what to try next (Anderson, "Iterative Procedures for Nonlinear
// Integral Equations", 1965).
//
// Something is told, and should change by so much: that is all that can be seen of the map. Each thing told but the first
// teaches how a step led to a change of that change. What is told next is what should leave the least to change, if the steps
// taken so far are combined for that. What they led to is kept at right angles to each other and of length 1, so that this
// takes a product for each of them.
//
// What is told, and how it should change, are in doubles and exact. The past is there to guess with: its numbers are
// floats, and when it is full the oldest step makes room for the newest.

#ifndef TACTUS_MATH_MIXING_H
#define TACTUS_MATH_MIXING_H

#include <stdbool.h>
#include <stddef.h>

enum { TAC_MIXING_PAST = 6 };

typedef struct TacMixing {
    double *told;  // `size` numbers
    float *change; // by how much they should change
    float *first;  // what was told first
    float *past;   // for each step taken, itself and what it led to
    size_t size;
    size_t told_capacity, change_capacity, first_capacity, past_capacity; // kept from one map to the next
    unsigned known, next; // steps, and where the next one goes
} TacMixing;

// For another map: nothing is known of it. False without memory.
bool tac_mixing_begin(TacMixing *mixing, size_t size);
// With `change` for what is told: takes note of the step that led there, after the first.
void tac_mixing_learn(TacMixing *mixing);
// Then changes what is told. False without memory.
bool tac_mixing_step(TacMixing *mixing);

// What is told is told: keeps it; and later tells it again, where nothing better was found.
bool tac_mixing_mark(TacMixing *mixing);
void tac_mixing_return(TacMixing *mixing);

void tac_mixing_free(TacMixing *mixing);
size_t tac_mixing_bytes(const TacMixing *mixing);

#endif
