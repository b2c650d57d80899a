// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Finite elements of one kind, in batches: which points each one has, and how their forces are added up. A
// law computes the forces of one batch; one thread adds them at once, several go by blocks as setup.h says,
// and both give the same bits.

#ifndef TACTUS_LAW_ELEMENTS_H
#define TACTUS_LAW_ELEMENTS_H

#include "law/setup.h"
#include "law/wide.h"

enum {
    TAC_ELEMENT_MOST = 24,   // numbers of force per element
    TAC_ELEMENT_GRAIN = 512, // elements per chunk: a multiple of every width
};

typedef struct TacElements {
    size_t count, batch_count;
    size_t corners;       // per element
    size_t size;          // numbers of force per corner
    const int32_t *nodes; // corners of each element: `own`, or lent
    int32_t *own;         // the last batch is filled up with copies of the last element
    int32_t *last;        // the same of the last batch alone, where others are lent and it is not full
    double *buffer;       // forces of a block, for several threads; NULL when elements or threads are few
    double *partial;      // energies, per chunk
    TacGather gather;
} TacElements;

// Where to find elements, and how to speak of them.
typedef struct TacElementsDef {
    const char *name;       // "hexahedra"
    const int32_t *indices; // `corners` of each
    size_t count, corners, size;
    size_t point_count;
    bool lends; // indices live as long as the law, and stay as they are: they need not be copied
} TacElementsDef;

// Checks the corners, copies them if they are not lent, and takes the memory to add up forces.
TacStatus tac_elements_make(TacElements *elements, TacSetup *setup, const TacElementsDef *def,
                            TacError *error);

// The mesh of the nearest topology, which must have as many points as the matter.
TacStatus tac_elements_mesh(const TacMesh **mesh, TacSetup *setup, const TacMatter *matter, const char *name,
                            TacError *error);

// Writes the forces of the elements of a batch, element after element. Lanes beyond the last element are not
// looked at.
typedef void (*TacElementForces)(const void *call, size_t batch, double *out);
void tac_elements_force(const TacElements *elements, TacTeam *team, TacElementForces forces, const void *call,
                        double *f);

// The energy of the elements of a batch, lane by lane.
typedef void (*TacElementEnergy)(const void *call, size_t batch, double *each);
double tac_elements_energy(const TacElements *elements, TacTeam *team, TacElementEnergy energy,
                           const void *call);

// Young's modulus and Poisson's ratio: one for all or one each, ratios at least 0 and below `most`.
TacStatus tac_elements_check(TacSetup *setup, const char *attribute, TacReals given, size_t count,
                             TacError *error);
TacStatus tac_elements_check_poisson(TacSetup *setup, TacReals poisson, double most, TacError *error);

// The largest eigenvalue of a symmetric matrix that is not negative, from above by a little: `product` writes
// its product with `in` (n numbers, at most TAC_ELEMENT_MOST) to `out`.
typedef void (*TacElementProduct)(const void *call, const double *in, double *out);
double tac_elements_stiffest(TacElementProduct product, const void *call, size_t n);

// The numbers of some elements: those of a list that has one for all, or one each.
TacStatus tac_elements_some(TacReals *given, TacSetup *setup, const uint32_t *parts, size_t count,
                            TacError *error);

// The corners of the elements of a batch; the last one is filled up with copies of the last element.
static inline const int32_t *tac_elements_batch(const TacElements *elements, size_t batch) {
    bool last = elements->last && batch + 1 == elements->batch_count;
    return last ? elements->last : elements->nodes + elements->corners * TAC_WIDTH * batch;
}

// Those of an element, or of one that fills up.
static inline const int32_t *tac_elements_nodes(const TacElements *elements, size_t element) {
    return tac_elements_batch(elements, element / TAC_WIDTH) + elements->corners * (element % TAC_WIDTH);
}

static inline double tac_elements_value(TacReals given, size_t element) {
    return given.data[given.count == 1 ? 0 : element];
}

static inline size_t tac_elements_used(const TacElements *elements, size_t batch) {
    size_t left = elements->count - TAC_WIDTH * batch;
    return left < TAC_WIDTH ? left : TAC_WIDTH;
}

// From lane-wise to element after element.
static inline void tac_elements_spread(const TacWide *wide, size_t numbers, double *out) {
    for (size_t lane = 0; lane < TAC_WIDTH; lane++)
        for (size_t k = 0; k < numbers; k++) out[numbers * lane + k] = wide[k][lane];
}

#endif
