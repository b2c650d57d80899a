// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// The free rotation of a rigid body. Reads and writes nothing but what it is given.
//
// With L the angular momentum in the body's principal axes and e_i = 1/I_i, twice the energy is sum e_i L_i^2. Let k be
// the axis of the middle moment:
//
//     sum e_i L_i^2  =  e_k |L|^2  +  a L_i^2  +  c L_j^2,     a = e_i - e_k,  c = e_j - e_k,  one >= 0, one <= 0.
//
// 1. The first part turns the body steadily about L, which stays where it is in the world. It commutes with the others,
//    so it is done once, exactly, for any time.
// 2. Each of the others alone turns the body about its own axis, steadily: exact too. Together they are split into short
//    passes, by a composition of fourth order (Blanes and Moan 2002). Splitting errs in proportion to a c: of bodies with
//    two equal moments (needles, discs, cylinders) one of them is nothing, and a single pass of any length is exact.
// 3. The length of a pass depends on what free rotation keeps, so a flight in two parts takes the same passes as a whole
//    one; the last pass is what is left. So where a body is depends on time without a jump: contact looks at any time, and
//    with passes of equal length it would be elsewhere as soon as there is one more of them.
// 4. L in the world is taken as it was. At the end the body is turned by the little that its energy is off: many short
//    flights, as between kicks, cannot gather an error.

#include "matter/matter.h"

enum { MOST_PASSES = 10000 };

// Rotation by a quaternion that is of length 1 only to rounding: dividing by its square makes it a rotation
// all the same. Without that, momentum would drift by the same tiny factor at every step of a long run.
static TacVec3 rotate_exactly(TacQuat q, TacVec3 a) {
    TacVec3 u = {q.x, q.y, q.z};
    double s = 2 / (q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
    TacVec3 t = tac_cross(u, a);
    return tac_axpy(a, s, tac_add(tac_scale(t, q.w), tac_cross(u, t)));
}

TacVec3 tac_inertia_apply(const TacInertia *inertia, TacQuat q, TacVec3 omega) {
    TacQuat p = tac_quat_mul(q, inertia->axes);
    TacVec3 w = rotate_exactly(tac_quat_conjugate(p), omega);
    const double *m = inertia->moments;
    return rotate_exactly(p, tac_vec3(m[0] * w.x, m[1] * w.y, m[2] * w.z));
}

TacVec3 tac_inertia_solve(const TacInertia *inertia, TacQuat q, TacVec3 torque) {
    TacQuat p = tac_quat_mul(q, inertia->axes);
    TacVec3 t = rotate_exactly(tac_quat_conjugate(p), torque);
    const double *m = inertia->moments;
    return rotate_exactly(p, tac_vec3(t.x / m[0], t.y / m[1], t.z / m[2]));
}

static int middle_axis(const double m[3]) {
    int k = 0;
    while (k < 2 && (m[k] - m[(k + 1) % 3]) * (m[k] - m[(k + 2) % 3]) > 0) k++;
    return k;
}

// |omega|^2 is greatest where L_k is 0, k being the middle axis: where the momentum along the axis of the least moment is
// all that the energy allows. Both are sums of squares along the way there, so nothing cancels.
double tac_fastest_turn(const TacInertia *inertia, TacQuat q, TacVec3 omega) {
    TacVec3 body = rotate_exactly(tac_quat_conjugate(tac_quat_mul(q, inertia->axes)), omega);
    const double *m = inertia->moments, w[3] = {body.x, body.y, body.z};
    int k = middle_axis(m), least = (k + 1) % 3, most = (k + 2) % 3;
    if (m[least] > m[most]) {
        int other = least;
        least = most, most = other;
    }
    double gap = m[most] - m[least], along = m[k] * w[k];
    double part = gap > 0 ? m[least] * (m[most] - m[k]) / (m[k] * gap) : 0; // of L_k^2 that goes to the least
    double u = along / m[least], v = along / m[most];
    return sqrt(w[least] * w[least] + part * u * u + w[most] * w[most] + (1 - part) * v * v);
}

// What the passes work on. Axes come in the order i, j, k of the essay above, which is a cyclic one.
typedef struct Top {
    double a, c; // 1 / (kg m^2)
    double l[3]; // momentum in the body
    TacQuat
        turn; // of the body so far, without its turn about the momentum: from body to world, from the right
} Top;

// A turn of the body about its axis i or j, by an angle; momentum turns backwards in the body.
static inline void turn_about_i(Top *t, double angle) {
    TacQuat r = tac_quat_from_vector(tac_vec3(angle, 0, 0)), q = t->turn;
    double s = r.x, c = r.w, ca = c * c - s * s, sa = 2 * s * c, y = t->l[1], z = t->l[2];
    t->turn = (TacQuat){c * q.x + s * q.w, c * q.y + s * q.z, c * q.z - s * q.y, c * q.w - s * q.x};
    t->l[1] = ca * y + sa * z;
    t->l[2] = ca * z - sa * y;
}

static inline void turn_about_j(Top *t, double angle) {
    TacQuat r = tac_quat_from_vector(tac_vec3(0, angle, 0)), q = t->turn;
    double s = r.y, c = r.w, ca = c * c - s * s, sa = 2 * s * c, z = t->l[2], x = t->l[0];
    t->turn = (TacQuat){c * q.x - s * q.z, c * q.y + s * q.w, c * q.z + s * q.x, c * q.w - s * q.y};
    t->l[2] = ca * z + sa * x;
    t->l[0] = ca * x - sa * z;
}

// One pass. Six turns about j between seven about i, in symmetric order: S6 of Blanes and Moan, Practical symplectic
// partitioned Runge-Kutta and Runge-Kutta-Nystroem methods, 2002.
static void pass(Top *t, double h) {
    static const double about_i[7] = {0.0792036964311957, 0.353172906049774,   -0.0420650803577195,
                                      0.2193769557534996, -0.0420650803577195, 0.353172906049774,
                                      0.0792036964311957};
    static const double about_j[6] = {0.209515106613362, -0.143851773179818, 0.434336666566456,
                                      0.434336666566456, -0.143851773179818, 0.209515106613362};
    for (int n = 0; n < 6; n++) {
        turn_about_i(t, about_i[n] * h * t->a * t->l[0]);
        turn_about_j(t, about_j[n] * h * t->c * t->l[1]);
    }
    turn_about_i(t, about_i[6] * h * t->a * t->l[0]);
}

// Seconds that a pass may take: the fastest turns about i and j, which momentum and energy tell, and how fast both together
// tip over (sqrt(-a c) |L| about the axis k) are 0.5 radians at most.
static double longest_pass(const Top *t, double middle) {
    const double most_turn = 0.5;
    double x = t->l[0] * t->l[0], y = t->l[1] * t->l[1], z = t->l[2] * t->l[2], spread = t->a - t->c;
    if (fmin(fabs(t->a), fabs(t->c)) <= 1e-12 * middle) return INFINITY; // two moments are equal, to rounding
    double most_x = x - t->c / spread * z, most_y = y + t->a / spread * z; // squared, each where L_k is 0
    double square = t->a * t->a * most_x + t->c * t->c * most_y - t->a * t->c * (x + y + z);
    return square > 0 ? most_turn / sqrt(square) : INFINITY;
}

static void pass_all(Top *t, double seconds, double longest) {
    if (fabs(seconds) > MOST_PASSES * longest) longest = fabs(seconds) / MOST_PASSES;
    int whole = longest > 0 ? (int)fmin(fabs(seconds) / longest, MOST_PASSES) : 0;
    double h = whole > 0 ? copysign(longest, seconds) : 0;
    for (int i = 0; i < whole; i++) pass(t, h);
    pass(t, seconds - whole * h);
}

// Where splitting does nothing to the last bits: a symmetric pass of three turns errs by the third power of its length.
static bool pass_at_once(Top *t, double seconds, double longest) {
    if (!(fabs(seconds) < 6e-5 * longest)) return false;
    turn_about_i(t, 0.5 * seconds * t->a * t->l[0]);
    turn_about_j(t, seconds * t->c * t->l[1]);
    turn_about_i(t, 0.5 * seconds * t->a * t->l[0]);
    return true;
}

// a L_i^2 + c L_j^2, less what it is when all of L is along the axis where most of it was: so of a body that spins about
// one axis nearly it is small, and exact.
static double energy_beside(const double e[3], int most, const double l[3]) {
    double sum = 0;
    for (int n = 0; n < 3; n++) sum += (e[n] - e[most]) * l[n] * l[n];
    return sum;
}

// Turns the body so that its energy becomes what it was, by Newton's method: about the direction that takes the least turn.
static void mend_energy(Top *t, const double before[3]) {
    const double e[3] = {t->a, t->c, 0};
    int most = 0;
    for (int n = 1; n < 3; n++)
        if (fabs(before[n]) > fabs(before[most])) most = n;
    double wanted = energy_beside(e, most, before);
    for (int round = 0; round < 2; round++) {
        TacVec3 l = tac_load3(t->l), steepest = tac_cross(l, tac_vec3(e[0] * l.x, e[1] * l.y, 0));
        // what is as near an axis as rounding can tell has no direction, and nothing to mend
        double size = (fabs(e[0]) + fabs(e[1])) * tac_dot(l, l);
        double square = tac_dot(steepest, steepest) + 1e-16 * size * size;
        if (!(square > 0)) return;
        TacVec3 turn = tac_scale(steepest, 0.5 * (energy_beside(e, most, t->l) - wanted) / square);
        TacQuat r = tac_quat_from_vector(turn);
        t->turn = tac_quat_mul(t->turn, r);
        tac_store3(t->l, tac_rotate_back(r, l));
    }
}

void tac_rotate_freely(const TacInertia *inertia, double seconds, TacQuat *q, TacVec3 *omega) {
    TacVec3 momentum = tac_inertia_apply(inertia, *q, *omega);
    TacQuat p = tac_quat_mul(*q, inertia->axes);
    TacVec3 body = rotate_exactly(tac_quat_conjugate(p), momentum);
    const double *m = inertia->moments, l[3] = {body.x, body.y, body.z};

    int k = middle_axis(m), i = (k + 1) % 3, j = (k + 2) % 3;
    const double before[3] = {l[i], l[j], l[k]};
    Top top = {.a = (m[k] - m[i]) / (m[k] * m[i]),
               .c = (m[k] - m[j]) / (m[k] * m[j]),
               .l = {before[0], before[1], before[2]},
               .turn = {0, 0, 0, 1}};
    double longest = longest_pass(&top, 1 / m[k]);
    if (!pass_at_once(&top, seconds, longest)) {
        pass_all(&top, seconds, longest);
        mend_energy(&top, before);
    }

    double turned[3];
    turned[i] = top.turn.x, turned[j] = top.turn.y, turned[k] = top.turn.z;
    p = tac_quat_mul(p, (TacQuat){turned[0], turned[1], turned[2], top.turn.w});
    p = tac_quat_mul(tac_quat_from_vector(tac_scale(momentum, seconds / m[k])), p);
    *q = tac_quat_unit(tac_quat_mul(p, tac_quat_conjugate(inertia->axes)));
    *omega = tac_inertia_solve(inertia, *q, momentum);
}
