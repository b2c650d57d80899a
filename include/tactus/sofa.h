// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Comparing with SOFA: its reference states, and its own measure of how far a run is from them.
//
// tac_scene_read reads SOFA's scenes (.scn) like any other; docs/coming-from-sofa.md says what becomes of them.
// A reference file (text, usually compressed) holds the positions of one state at some times, with six digits.

#ifndef TACTUS_SOFA_H
#define TACTUS_SOFA_H

#include "tactus/world.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct TacSofaReference TacSofaReference;

typedef struct TacSofaFrame {
    double time;         // s
    TacReals positions;  // as many numbers as the state has
    TacReals velocities; // empty where the file has none
} TacSofaFrame;

// Reads a reference file, compressed or not. Frames live until it is destroyed.
TAC_API TacStatus tac_sofa_reference_read(TacSofaReference **reference, const char *path, TacError *error);
TAC_API void tac_sofa_reference_destroy(TacSofaReference *reference); // NULL is allowed
TAC_API size_t tac_sofa_reference_frame_count(const TacSofaReference *reference);
TAC_API TacSofaFrame tac_sofa_reference_frame(const TacSofaReference *reference, size_t i);

// SOFA's measure: the mean over all numbers of the difference, after `values` are written with six digits, as
// the reference was. 0 when there are none.
TAC_API double tac_sofa_difference(const double *values, TacReals reference);

// The matter that SOFA's reference files are about, in the order of their index: what has a solver, from the top
// of the tree down; with or without matter that follows other matter. Null behind the last.
TAC_API size_t tac_sofa_state_count(const TacWorld *world, bool with_mapped);
TAC_API TacComponentId tac_sofa_state(const TacWorld *world, bool with_mapped, size_t i);

#ifdef __cplusplus
}
#endif

#endif
