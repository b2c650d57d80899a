// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// The farthest of many points in a direction, several points at a time. Coordinates lie in three arrays
// padded to TAC_CONVEX_PAD; the padding repeats point 0. Each product sum is made in the same order on every
// backend and the lowest index wins among equals, so the index is the same on AVX-512, AVX and plain C.

#ifndef TACTUS_GEOMETRY_CONVEX_WIDE_H
#define TACTUS_GEOMETRY_CONVEX_WIDE_H

#include <stdint.h>

enum { TAC_CONVEX_PAD = 8 };

// Three arrays of `padded` numbers each.
typedef struct TacCloud {
    const double *x, *y, *z;
    uint32_t count, padded;
} TacCloud;

#if defined(__AVX512F__) && !defined(TAC_CONVEX_PLAIN)
#include <immintrin.h>
enum { TAC_CONVEX_LANES = 8 };
typedef __m512d TacLanes;
#define tac_lanes_all(s)      _mm512_set1_pd(s)
#define tac_lanes_load(p)     _mm512_load_pd(p)
#define tac_lanes_mul(a, b)   _mm512_mul_pd(a, b)
#define tac_lanes_add(a, b)   _mm512_add_pd(a, b)
#define tac_lanes_max(a, b)   _mm512_max_pd(a, b)
#define tac_lanes_equal(a, b) ((unsigned)_mm512_cmp_pd_mask(a, b, _CMP_EQ_OQ))
#define tac_lanes_highest(a)  _mm512_reduce_max_pd(a)
#elif defined(__AVX__) && !defined(TAC_CONVEX_PLAIN)
#include <immintrin.h>
enum { TAC_CONVEX_LANES = 4 };
typedef __m256d TacLanes;
#define tac_lanes_all(s)      _mm256_set1_pd(s)
#define tac_lanes_load(p)     _mm256_load_pd(p)
#define tac_lanes_mul(a, b)   _mm256_mul_pd(a, b)
#define tac_lanes_add(a, b)   _mm256_add_pd(a, b)
#define tac_lanes_max(a, b)   _mm256_max_pd(a, b)
#define tac_lanes_equal(a, b) ((unsigned)_mm256_movemask_pd(_mm256_cmp_pd(a, b, _CMP_EQ_OQ)))
static inline double tac_lanes_highest(TacLanes a) {
    __m128d half = _mm_max_pd(_mm256_castpd256_pd128(a), _mm256_extractf128_pd(a, 1));
    return _mm_cvtsd_f64(_mm_max_sd(half, _mm_unpackhi_pd(half, half)));
}
#else
enum { TAC_CONVEX_LANES = 1 };
typedef double TacLanes;
#define tac_lanes_all(s)      (s)
#define tac_lanes_load(p)     (*(p))
#define tac_lanes_mul(a, b)   ((a) * (b))
#define tac_lanes_add(a, b)   ((a) + (b))
#define tac_lanes_max(a, b)   ((a) > (b) ? (a) : (b))
#define tac_lanes_equal(a, b) ((unsigned)((a) == (b)))
#define tac_lanes_highest(a)  (a)
#endif

static inline TacLanes tac_lanes_dot(const TacCloud *cloud, uint32_t i, TacLanes x, TacLanes y, TacLanes z) {
    TacLanes flat = tac_lanes_add(tac_lanes_mul(tac_lanes_load(cloud->x + i), x),
                                  tac_lanes_mul(tac_lanes_load(cloud->y + i), y));
    return tac_lanes_add(flat, tac_lanes_mul(tac_lanes_load(cloud->z + i), z));
}

// The largest dot product with the direction (x, y, z).
static inline double tac_cloud_highest(const TacCloud *cloud, double x, double y, double z) {
    TacLanes wx = tac_lanes_all(x), wy = tac_lanes_all(y), wz = tac_lanes_all(z);
    TacLanes best = tac_lanes_dot(cloud, 0, wx, wy, wz);
    for (uint32_t i = TAC_CONVEX_LANES; i < cloud->padded; i += TAC_CONVEX_LANES) {
        TacLanes dot = tac_lanes_dot(cloud, i, wx, wy, wz);
        best = tac_lanes_max(best, dot);
    }
    return tac_lanes_highest(best);
}

// The first point with that dot product; 0 when there is none (numbers out of range).
static inline uint32_t tac_cloud_find(const TacCloud *cloud, double x, double y, double z, double highest) {
    TacLanes wx = tac_lanes_all(x), wy = tac_lanes_all(y), wz = tac_lanes_all(z);
    TacLanes wanted = tac_lanes_all(highest);
    for (uint32_t i = 0; i < cloud->padded; i += TAC_CONVEX_LANES) {
        unsigned equal = tac_lanes_equal(tac_lanes_dot(cloud, i, wx, wy, wz), wanted);
        if (equal) return i + (uint32_t)__builtin_ctz(equal);
    }
    return 0;
}

#endif
