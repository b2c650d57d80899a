// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// See pieces.h.

#include "law/pieces.h"
#include "base/memory.h"

// A constant this much smaller than what it is the difference of is rounding.
static const double ROUNDING = 1e-12;

double tac_pieces_force(const TacPieces *pieces, double d) {
    double f = pieces->slope * d + pieces->constant;
    for (size_t i = 0; i < pieces->count; i++) f += pieces->added[i] * fmin(d - pieces->threshold[i], 0);
    return f;
}

double tac_pieces_slope(const TacPieces *pieces, double d) {
    double slope = pieces->slope;
    for (size_t i = 0; i < pieces->count; i++)
        if (d < pieces->threshold[i]) slope += pieces->added[i];
    return slope;
}

double tac_pieces_energy(const TacPieces *pieces, double d) {
    double sum = 0.5 * pieces->slope * d * d + pieces->constant * d;
    for (size_t i = 0; i < pieces->count; i++) {
        double inside = fmin(d - pieces->threshold[i], 0);
        sum += 0.5 * pieces->added[i] * inside * inside;
    }
    return pieces->level - sum;
}

double tac_pieces_share(const TacPieces *pieces, double d) {
    double share = pieces->far;
    for (size_t i = 0; i < pieces->step_count; i++)
        if (d < pieces->step_at[i]) share += pieces->step[i];
    return share;
}

double tac_pieces_steepest(const TacPieces *pieces) {
    double slope = pieces->slope, most = fabs(slope);
    for (size_t i = pieces->count; i-- > 0;) {
        slope += pieces->added[i];
        most = fmax(most, fabs(slope));
    }
    return most;
}

// --- making -----------------------------------------------------------------------------------------------

// Thresholds ascending, those that are equal in the order given.
static void sort_pairs(TacPieces *pieces) {
    for (size_t i = 1; i < pieces->count; i++)
        for (size_t k = i; k > 0 && pieces->threshold[k] < pieces->threshold[k - 1]; k--) {
            double a = pieces->added[k], s = pieces->threshold[k];
            pieces->added[k] = pieces->added[k - 1];
            pieces->threshold[k] = pieces->threshold[k - 1];
            pieces->added[k - 1] = a;
            pieces->threshold[k - 1] = s;
        }
}

static TacStatus take_pairs(TacPieces *pieces, TacReals slopes, TacReals thresholds, const char **attribute,
                            TacError *error) {
    *attribute = "thresholds";
    if (thresholds.count != slopes.count)
        return tac_fail(error, TAC_BAD_INPUT,
                        "thresholds has %zu numbers; one for each of the %zu slopes was expected",
                        thresholds.count, slopes.count);
    for (size_t i = 0; i < slopes.count; i++) {
        if (!(thresholds.data[i] >= 0) || !isfinite(thresholds.data[i]))
            return tac_fail(error, TAC_BAD_INPUT, "a threshold is a distance; %g is not", thresholds.data[i]);
        if (i == 0 && thresholds.data[0] != 0)
            return tac_fail(error, TAC_BAD_INPUT,
                            "the first threshold is 0, not %g: the first slope holds everywhere",
                            thresholds.data[0]);
    }
    *attribute = "slopes";
    if (slopes.count == 0 || slopes.count > TAC_PIECES_MOST)
        return tac_fail(error, TAC_BAD_INPUT, "a law has 1 to %d slopes, not %zu", TAC_PIECES_MOST,
                        slopes.count);
    for (size_t i = 0; i < slopes.count; i++)
        if (!isfinite(slopes.data[i])) return tac_fail(error, TAC_BAD_INPUT, "a slope is %g", slopes.data[i]);
    pieces->slope = slopes.data[0];
    pieces->count = slopes.count - 1;
    for (size_t i = 0; i < pieces->count; i++) {
        pieces->added[i] = slopes.data[i + 1];
        pieces->threshold[i] = thresholds.data[i + 1];
    }
    sort_pairs(pieces);
    return TAC_OK;
}

// Whether F is nothing on the whole piece that begins at threshold i - 1 (0 for the first) and ends at i.
static bool is_nothing(const TacPieces *pieces, size_t i) {
    double begin = i > 0 ? pieces->threshold[i - 1] : 0;
    double end = i < pieces->count ? pieces->threshold[i] : 2 * begin + 1;
    double scale = 0;
    for (size_t k = 0; k < pieces->count; k++) scale += fabs(pieces->added[k]) * (pieces->threshold[k] + end);
    scale += fabs(pieces->slope) * end + fabs(pieces->constant);
    return fabs(tac_pieces_force(pieces, begin)) <= ROUNDING * scale &&
           fabs(tac_pieces_force(pieces, end)) <= ROUNDING * scale;
}

static void find_viscous_steps(TacPieces *pieces, double own_reach) {
    pieces->viscous_reach = pieces->reach;
    if (!isnan(own_reach)) {
        *pieces->step = 1;
        *pieces->step_at = pieces->viscous_reach = own_reach;
        pieces->step_count = 1;
        return;
    }
    pieces->far = is_nothing(pieces, pieces->count) ? 0 : 1;
    double share = pieces->far;
    for (size_t i = pieces->count; i-- > 0;) {
        double here = is_nothing(pieces, i) ? 0 : 1;
        if (here == share || !(pieces->threshold[i] > (i > 0 ? pieces->threshold[i - 1] : 0))) continue;
        pieces->step[pieces->step_count] = here - share;
        pieces->step_at[pieces->step_count++] = pieces->threshold[i];
        share = here;
    }
}

TacStatus tac_pieces_make(TacPieces *pieces, TacReals slopes, TacReals thresholds, double zero,
                          double viscous_reach, const char **attribute, TacError *error) {
    *pieces = (TacPieces){0};
    TAC_TRY(take_pairs(pieces, slopes, thresholds, attribute, error));
    *attribute = "zero";
    double at_zero = tac_pieces_force(pieces, zero), scale = fabs(pieces->slope * zero);
    for (size_t i = 0; i < pieces->count; i++)
        scale += fabs(pieces->added[i]) * (pieces->threshold[i] + fabs(zero));
    if (!isfinite(at_zero) || !isfinite(scale))
        return tac_fail(error, TAC_BAD_INPUT, "slopes, thresholds and zero make forces that are no numbers");
    pieces->constant = fabs(at_zero) > ROUNDING * scale ? -at_zero : 0;
    bool ends = pieces->slope == 0 && pieces->constant == 0;
    pieces->reach = !ends ? INFINITY : pieces->count ? pieces->threshold[pieces->count - 1] : 0;
    if (!ends) pieces->level = -tac_pieces_energy(pieces, zero);
    if (!isfinite(pieces->level))
        return tac_fail(error, TAC_BAD_INPUT,
                        "slopes, thresholds and zero make energies that are no numbers");
    find_viscous_steps(pieces, viscous_reach);
    return TAC_OK;
}

void tac_pieces_fit(double depth, double distance, double exponent, double slopes[3], double thresholds[3]) {
    double n = exponent, most = pow((2 * n + 1) / (n + 1), 1 / n); // where V_n pulls most, in distances
    double pull = 2 * n * depth / distance * (pow(most, -n - 1) - pow(most, -2 * n - 1));
    double near = distance * most, far = distance + 2 * depth / pull; // a triangle as large as the depth
    double rising = pull / (far - near), falling = pull / (near - distance);
    slopes[0] = 0;
    slopes[1] = -falling - rising;
    slopes[2] = rising;
    thresholds[0] = 0;
    thresholds[1] = near;
    thresholds[2] = far;
}
